//! Presets: the headless command lines that people have with their own subscriptions, each as a voice.
//!
//! Each is run once a request, in an empty folder, without a shell: the prompt is text on standard input, the answer is
//! in the envelope that the program prints. The flags take its tools away, as its own `--help` and a server that was
//! asked in its place showed; `docs/voices.md` names version and day.
//!
//! ```
//! use roundtable::voice::model::preset::{Preset, names};
//!
//! assert_eq!(names(), ["claude", "codex", "gemini"]);
//! assert_eq!(Preset::named("gemini").unwrap().words(Some("pro")).last().unwrap(), "pro");
//! ```

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use super::process::{Printed, Process, Unrun, without_secrets};
use super::prompt::Prompt;
use super::{Answer, Model, Usage};
use crate::http::Secret;
use crate::text::plain;
use crate::text::remedy::Problem;
use crate::voice::Speechless;

/// A command line that can be a voice.
#[derive(Debug)]
pub struct Preset {
    /// The voice's name, and the program's.
    pub name: &'static str,
    /// How it is installed, and how one logs in.
    install: &'static str,
    login: &'static str,
    arguments: &'static [&'static str],
    /// What its environment has besides; none takes a variable away.
    environment: &'static [(&'static str, Option<&'static str>)],
    /// A file in the folder that it runs in.
    file: Option<(&'static str, &'static str)>,
    form: OutputForm,
    /// The last argument, where standard input has to be named.
    last: Option<&'static str>,
}

/// What a program prints.
#[derive(Clone, Copy, Debug)]
enum OutputForm {
    /// One object with `result` and `usage`.
    Claude,
    /// An event a line: `item.completed` with the message, `turn.completed` with the usage.
    Codex,
    /// One object with `response` and `stats`.
    Gemini,
}

const PRESETS: [Preset; 3] = [
    Preset {
        name: "claude",
        install: "npm install -g @anthropic-ai/claude-code",
        login: "run `claude` once and log in",
        arguments: &[
            "--print",
            "--output-format",
            "json",
            "--tools",
            "",
            "--strict-mcp-config",
            "--safe-mode",
            "--no-session-persistence",
            "--system-prompt",
            "Answer the request with JSON alone.",
        ],
        environment: &[("CLAUDE_CODE_DISABLE_TERMINAL_TITLE", Some("1")), ("CLAUDECODE", None)],
        file: None,
        form: OutputForm::Claude,
        last: None,
    },
    Preset {
        name: "codex",
        install: "npm install -g @openai/codex",
        login: "run `codex login`",
        arguments: &[
            "exec",
            "--json",
            "--ephemeral",
            "--skip-git-repo-check",
            "--ignore-user-config",
            "--ignore-rules",
            "--sandbox",
            "read-only",
            "--config",
            "features.shell_tool=false",
            "--config",
            "features.unified_exec=false",
            "--config",
            "features.view_image=false",
            "--config",
            "features.goals=false",
            "--config",
            "features.apps=false",
            "--config",
            "features.multi_agent=false",
            "--config",
            "features.plugins=false",
            "--config",
            "features.skill_search=false",
            "--config",
            "features.tool_suggest=false",
            "--config",
            "web_search=disabled",
            "--config",
            "project_doc_max_bytes=0",
        ],
        environment: &[],
        file: None,
        form: OutputForm::Codex,
        last: Some("-"),
    },
    Preset {
        name: "gemini",
        install: "npm install -g @google/gemini-cli",
        login: "run `gemini` once and log in",
        arguments: &[
            "--output-format",
            "json",
            "--skip-trust",
            "--extensions",
            "none",
            "--allowed-mcp-server-names",
            "none",
            "--admin-policy",
            "no-tools.toml",
        ],
        environment: &[],
        file: Some(("no-tools.toml", "[[rule]]\ntoolName = \"*\"\ndecision = \"deny\"\npriority = 999\n")),
        form: OutputForm::Gemini,
        last: None,
    },
];

/// The presets' names.
pub fn names() -> Vec<&'static str> {
    PRESETS.iter().map(|preset| preset.name).collect()
}

impl Preset {
    pub fn named(name: &str) -> Option<&'static Preset> {
        const ALL: &[Preset] = &PRESETS;
        ALL.iter().find(|preset| preset.name == name)
    }

    /// The command line.
    pub fn words(&self, model: Option<&str>) -> Vec<String> {
        let model = model.map(|model| ["--model", model]);
        let words = [self.name].into_iter().chain(self.arguments.iter().copied());
        words.chain(model.into_iter().flatten()).chain(self.last).map(str::to_owned).collect()
    }

    /// What to do where it gave no answer.
    fn remedy(&self) -> String {
        format!("{}; the program alone shows more: `{} --version`", self.login, self.name)
    }

    /// It is not on this machine.
    fn missing(&self) -> Problem {
        let others: Vec<&str> = names().into_iter().filter(|name| *name != self.name).collect();
        Problem::new(format!("there is no program {} on the PATH", self.name)).with(format!(
            "{}, then {}; other presets are {}, ollama",
            self.install,
            self.login,
            others.join(", ")
        ))
    }
}

/// A preset at the table.
pub struct Headless {
    preset: &'static Preset,
    process: Process,
    /// It runs here, away from the repository; it is gone with the voice.
    _folder: tempfile::TempDir,
    runs: u64,
    context: Option<u64>,
}

impl Headless {
    /// # Errors
    /// No temporary folder can be made.
    pub fn new(
        preset: &'static Preset,
        model: Option<&str>,
        limit: Duration,
        secrets: Vec<Secret>,
    ) -> Result<Headless, Problem> {
        let folder = folder(preset)
            .map_err(|error| Problem::new(format!("no temporary folder can be made: {error}")))?;
        let process = Process::new(preset.words(model), limit, secrets)
            .with(preset.environment)
            .inside(folder.path().to_path_buf());
        Ok(Headless { preset, process, _folder: folder, runs: 0, context: None })
    }

    /// The same with this environment and nothing else.
    #[must_use]
    pub fn within(self, environment: Vec<(String, OsString)>) -> Headless {
        Headless { process: self.process.within(environment), ..self }
    }

    fn run(&mut self, prompt: &str) -> Result<Answer, Problem> {
        let printed = self.process.run(prompt).map_err(|unrun| match unrun {
            Unrun::NotStarted(error) if error.kind() == std::io::ErrorKind::NotFound => self.preset.missing(),
            Unrun::NotStarted(error) => Problem::new(format!("it cannot be run: {error}")),
            Unrun::Ended(problem) => problem,
        })?;
        self.context = self.preset.form.context(&printed.stdout).or(self.context);
        match self.preset.form.read(&printed.stdout) {
            Ok(answer) if printed.status.success() => Ok(answer),
            Ok(_) => Err(self.failed(&printed, None)),
            Err(why) => Err(self.failed(&printed, why)),
        }
    }

    /// Why there is no answer: the program's own words, else what it wrote to standard error.
    fn failed(&self, printed: &Printed, why: Option<String>) -> Problem {
        let said = why.map(|why| without_secrets(&why)).unwrap_or_else(|| printed.stderr.clone());
        let said = plain::cut(&said, 400);
        let what = match (printed.status.success(), said.is_empty()) {
            (true, true) => "what it printed has no answer".to_owned(),
            (true, false) => format!("it gave no answer: {said}"),
            (false, true) => format!("it ended with {}", printed.status),
            (false, false) => format!("it ended with {}: {said}", printed.status),
        };
        Problem::new(what).with(self.preset.remedy())
    }
}

/// An empty folder with the preset's file.
fn folder(preset: &Preset) -> std::io::Result<tempfile::TempDir> {
    let folder = tempfile::Builder::new().prefix("roundtable-").tempdir()?;
    if let Some((name, text)) = preset.file {
        std::fs::write(Path::new(folder.path()).join(name), text)?;
    }
    Ok(folder)
}

impl Model for Headless {
    fn name(&self) -> &str {
        self.preset.name
    }

    fn ask(&mut self, prompt: &Prompt) -> Result<Answer, Speechless> {
        self.runs += 1;
        let failed = |why| Speechless::Model { voice: self.preset.name.to_owned(), why };
        self.run(&prompt.text()).map_err(failed)
    }

    fn requests(&self) -> u64 {
        self.runs
    }

    fn context(&self) -> Option<u64> {
        self.context
    }
}

impl OutputForm {
    /// The answer in what was printed.
    ///
    /// # Errors
    /// There is none; why, where the program says it.
    fn read(self, printed: &str) -> Result<Answer, Option<String>> {
        match self {
            OutputForm::Claude => claude(&object(printed).ok_or(None)?),
            OutputForm::Codex => codex(printed),
            OutputForm::Gemini => gemini(&object(printed).ok_or(None)?),
        }
    }
}

impl OutputForm {
    /// The context size of the model, where the envelope has it.
    fn context(self, printed: &str) -> Option<u64> {
        match self {
            OutputForm::Claude => {
                let value = object(printed)?;
                let models = value.get("modelUsage")?.as_object()?;
                models.values().filter_map(|model| count(model, "contextWindow")).max()
            }
            OutputForm::Codex | OutputForm::Gemini => None,
        }
    }
}

/// The first JSON object of a text.
fn object(printed: &str) -> Option<Value> {
    let start = printed.find('{')?;
    serde_json::Deserializer::from_str(&printed[start..]).into_iter::<Value>().next()?.ok()
}

fn text(value: &Value, name: &str) -> Option<String> {
    value.get(name)?.as_str().map(str::to_owned)
}

fn count(value: &Value, name: &str) -> Option<u64> {
    value.get(name).and_then(Value::as_u64)
}

fn claude(value: &Value) -> Result<Answer, Option<String>> {
    let result = text(value, "result");
    if value.get("is_error").and_then(Value::as_bool) == Some(true) {
        return Err(result);
    }
    let usage = value.get("usage").and_then(|usage| {
        let cached = count(usage, "cache_read_input_tokens");
        let written = count(usage, "cache_creation_input_tokens").unwrap_or_default();
        let input = count(usage, "input_tokens")?.saturating_add(cached.unwrap_or_default());
        let output = count(usage, "output_tokens").unwrap_or_default();
        Some(Usage { input: input.saturating_add(written), cached, written, output })
    });
    Ok(Answer { text: result.ok_or(None)?, usage })
}

fn codex(printed: &str) -> Result<Answer, Option<String>> {
    let (mut said, mut usage, mut wrong) = (None, None, None);
    for event in printed.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        let item = event.get("item").filter(|item| text(item, "type").as_deref() == Some("agent_message"));
        match text(&event, "type").as_deref() {
            Some("item.completed") => said = item.and_then(|item| text(item, "text")).or(said),
            Some("turn.completed") => usage = event.get("usage").and_then(codex_usage),
            Some("turn.failed") => wrong = event.get("error").and_then(|error| text(error, "message")),
            Some("error") => wrong = text(&event, "message").or(wrong),
            _ => {}
        }
    }
    Ok(Answer { text: said.ok_or(wrong)?, usage })
}

fn codex_usage(usage: &Value) -> Option<Usage> {
    let written = count(usage, "cache_write_input_tokens").unwrap_or_default();
    let output = count(usage, "output_tokens").unwrap_or_default();
    Some(Usage {
        input: count(usage, "input_tokens")?,
        cached: count(usage, "cached_input_tokens"),
        written,
        output,
    })
}

fn gemini(value: &Value) -> Result<Answer, Option<String>> {
    if let Some(error) = value.get("error").filter(|error| !error.is_null()) {
        return Err(text(error, "message"));
    }
    let models = value.pointer("/stats/models").and_then(Value::as_object);
    let tokens = models.into_iter().flatten().filter_map(|(_, model)| model.get("tokens"));
    let mut usage: Option<Usage> = None;
    for own in tokens {
        let sum = usage.get_or_insert_with(Usage::default);
        let output =
            count(own, "candidates").unwrap_or_default() + count(own, "thoughts").unwrap_or_default();
        let input = count(own, "prompt").unwrap_or_default();
        sum.add(Usage { input, cached: count(own, "cached"), written: 0, output });
    }
    Ok(Answer { text: text(value, "response").ok_or(None)?, usage })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_is_in_the_envelope_with_its_usage() {
        let claude = r#"{"type":"result","is_error":false,"result":"{\"pass\": true}","usage":{"input_tokens":10,"cache_creation_input_tokens":2,"cache_read_input_tokens":3,"output_tokens":5}}"#;
        let codex = concat!(
            r#"{"type":"thread.started","thread_id":"1"}"#,
            "\nnot JSON\n",
            r#"{"type":"item.completed","item":{"id":"0","type":"reasoning","text":"hm"}}"#,
            "\n",
            r#"{"type":"item.completed","item":{"id":"1","type":"agent_message","text":"{\"pass\": true}"}}"#,
            "\n",
            r#"{"type":"turn.completed","usage":{"input_tokens":15,"cached_input_tokens":3,"output_tokens":5}}"#
        );
        let gemini = r#"Loaded.
            {"response": "{\"pass\": true}", "stats": {"models": {"pro": {"tokens": {"prompt": 15, "candidates": 4, "thoughts": 1, "cached": 3}}}}}"#;
        for (form, printed) in
            [(OutputForm::Claude, claude), (OutputForm::Codex, codex), (OutputForm::Gemini, gemini)]
        {
            let answer = form.read(printed).unwrap();
            assert_eq!(answer.text, r#"{"pass": true}"#, "{form:?}");
            let usage = answer.usage.unwrap();
            assert_eq!((usage.input, usage.cached, usage.output), (15, Some(3), 5), "{form:?}");
        }
    }

    #[test]
    fn what_is_wrong_is_said_in_the_programs_words() {
        let claude = r#"{"type":"result","subtype":"success","is_error":true,"result":"Not logged in"}"#;
        let codex = r#"{"type":"turn.failed","error":{"message":"Not logged in"}}"#;
        let gemini = r#"{"session_id":"1","error":{"type":"Error","message":"Not logged in","code":41}}"#;
        for (form, printed) in
            [(OutputForm::Claude, claude), (OutputForm::Codex, codex), (OutputForm::Gemini, gemini)]
        {
            assert_eq!(form.read(printed).unwrap_err().as_deref(), Some("Not logged in"), "{form:?}");
            assert_eq!(form.read("nothing").unwrap_err(), None, "{form:?}");
        }
    }
}
