//! Mistakes that people make, each in a repository of its own: what the program says to each stands in
//! `snapshots/mistakes/`, one file a mistake, and some things hold for all of them.

use std::io::Write as _;
use std::process::Stdio;

use serde_json::Value;

use crate::kit::{Run, Sandbox, program, sandbox};

/// A mistake: the files that are committed, the script beside the repository, and the command.
struct Mistake {
    name: &'static str,
    /// What somebody has done wrong.
    what: &'static str,
    files: Vec<(&'static str, Vec<u8>)>,
    script: Option<(&'static str, Vec<u8>)>,
    input: &'static str,
    environment: Vec<(&'static str, &'static str)>,
    /// `SCRIPT` stands for the script's path.
    command: &'static str,
    /// What the message has to name.
    names: &'static str,
    code: i32,
    elsewhere: bool,
    before: fn(&Sandbox),
}

fn mistake(name: &'static str, what: &'static str, command: &'static str, names: &'static str) -> Mistake {
    Mistake {
        name,
        what,
        files: Vec::new(),
        script: Some(("talk.txt", b"Maya, who is hurt?\ndone\n".to_vec())),
        input: "",
        environment: Vec::new(),
        command,
        names,
        code: 2,
        elsewhere: false,
        before: |_| {},
    }
}

impl Mistake {
    fn file(mut self, path: &'static str, text: impl AsRef<[u8]>) -> Mistake {
        self.files.push((path, text.as_ref().to_vec()));
        self
    }

    fn script(mut self, name: &'static str, text: impl AsRef<[u8]>) -> Mistake {
        self.script = Some((name, text.as_ref().to_vec()));
        self
    }

    fn input(mut self, text: &'static str) -> Mistake {
        self.input = text;
        self
    }

    fn set(mut self, name: &'static str, value: &'static str) -> Mistake {
        self.environment.push((name, value));
        self
    }

    fn says_no(mut self) -> Mistake {
        self.code = 1;
        self
    }

    fn outside(mut self) -> Mistake {
        self.elsewhere = true;
        self
    }

    fn before(mut self, before: fn(&Sandbox)) -> Mistake {
        self.before = before;
        self
    }

    /// Makes the mistake; the text of its snapshot, and the run.
    fn make(&self) -> (String, Run) {
        let run = self.run(&[]);
        let said = format!("{}{}", run.stdout, run.stderr);
        let shown = self.command.replace("SCRIPT", self.script.as_ref().map_or("", |(name, _)| *name));
        let text = format!("# {}\n$ roundtable {shown}\n{said}[exit code {}]\n", self.what, run.code);
        (text, run)
    }

    /// Runs the command with more arguments, in a repository of its own; its path is shown as `…`.
    fn run(&self, more: &[&str]) -> Run {
        let sandbox = sandbox();
        for (path, bytes) in &self.files {
            let path = sandbox.root().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
        sandbox.commit_all();
        (self.before)(&sandbox);
        let script =
            self.script.as_ref().map(|(name, bytes)| sandbox.script(name, bytes)).unwrap_or_default();
        let words: Vec<String> =
            words(self.command).iter().map(|word| word.replace("SCRIPT", &script)).collect();
        let words: Vec<&str> = more.iter().copied().chain(words.iter().map(String::as_str)).collect();
        let mut command = sandbox.command(&words);
        if self.elsewhere {
            let home = sandbox.outside("home");
            command = program(&home, &home);
            command.args(&words);
        }
        command.envs(self.environment.iter().copied());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let _ = child.stdin.take().unwrap().write_all(self.input.as_bytes());
        let mut run = Run::of(child.wait_with_output().unwrap());
        let place = sandbox.outside("");
        let place = place.to_str().unwrap().trim_end_matches('/');
        for text in [&mut run.stdout, &mut run.stderr] {
            *text = text.replace(place, "…");
        }
        run
    }
}

/// The words of a command; quotation marks hold blanks together.
fn words(command: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut is_quoted = false;
    for sign in command.chars() {
        match sign {
            '"' => is_quoted = !is_quoted,
            ' ' if !is_quoted => found.push(String::new()),
            _ => found.last_mut().unwrap().push(sign),
        }
    }
    found
}

const TALK: &str = "elaborate offline-mode --step 01-03 --script SCRIPT";
const STEP: &str = "---\nstep_id: \"01-09\"\ntitle: Compliance\npersona: business-analyst\ndepth: brief\noutputs: [requirements-spec.md]\n---\n## Brief Mode\nA draft.\n## Standard Mode\n1. Which rules apply?\n## Deep Mode\n1. Which rules?\n2. Which dates?\n## Validation\n- Each rule is named.\n## Artifacts\n- x\n";
const OWN: &str = "own/01-requirements/09-compliance.md";
const SETTINGS: &str = ".roundtable.yaml";
const RECORDING: &str = "docs/requirements/offline-mode/elaborations/01-03-20260220T143000000Z.jsonl";

/// The arguments: verbs, flags and their values.
fn arguments() -> Vec<Mistake> {
    vec![
        mistake("verb", "a verb is misspelt", "elaborat offline-mode", "elaborate"),
        mistake(
            "flag-unknown",
            "a flag that no verb has",
            "elaborate offline-mode --step 01-03 --script SCRIPT --speaker Sam",
            "--speaker",
        ),
        mistake("flag", "a flag is misspelt", "replay --al", "--al"),
        mistake("flag-value", "a value of a flag is misspelt", "check --base main --format jsno", "jsno"),
        mistake("shell", "there is no such shell", "completions bsh", "bsh"),
        mistake("missing-arguments", "the script is missing", "elaborate offline-mode", "--script"),
        mistake("missing-name", "a new item has no name", "add late-fees", "--name"),
        mistake(
            "two-forms",
            "two flags that say different things",
            "check --base main --json --format sarif",
            "--format",
        ),
        mistake(
            "turns-few",
            "the turn limit is too low",
            "elaborate offline-mode --step 01-03 --script SCRIPT --max-turns 2",
            "--max-turns",
        ),
        mistake(
            "turns-word",
            "the turn limit is a word",
            "elaborate offline-mode --step 01-03 --script SCRIPT --max-turns two",
            "two",
        ),
        mistake(
            "at",
            "a time that is none",
            "elaborate offline-mode --step 01-03 --script SCRIPT --at 20.02.2026",
            "--at",
        ),
        mistake("epoch", "SOURCE_DATE_EPOCH is a date", TALK, "SOURCE_DATE_EPOCH")
            .set("SOURCE_DATE_EPOCH", "2026-02-20"),
        mistake(
            "item",
            "an item is misspelt",
            "elaborate ofline-mode --step 01-03 --script SCRIPT",
            "ofline-mode",
        ),
        mistake(
            "item-on-branch",
            "an item that stands on its own branch is misspelt",
            "elaborate late-fee --step 01-03 --script SCRIPT",
            "late-fee",
        )
        .before(|sandbox| drop(sandbox.run(&["add", "late-fees", "--name", "late fees"]).ok())),
        mistake(
            "item-missing",
            "there is no item like it",
            "elaborate billing --step 01-03 --script SCRIPT",
            "billing",
        ),
        mistake(
            "item-twice",
            "an item is added twice",
            "add offline-mode --name \"offline mode\" --branch other",
            "offline-mode",
        ),
        mistake(
            "item-name",
            "an item has a colon in its name",
            "add late:fees --name \"late fees\"",
            "late:fees",
        ),
        mistake(
            "item-without-meta",
            "a folder of code is taken for an item",
            "elaborate src --step 01-03 --script SCRIPT",
            "src",
        ),
        mistake(
            "step",
            "a step without its zeros",
            "elaborate offline-mode --step 1-3 --script SCRIPT",
            "1-3",
        ),
        mistake("step-missing", "there is no such step", "steps show 09-01", "09-01"),
        mistake("status-item", "an item is misspelt for status", "status offline-mod", "offline-mod"),
        mistake(
            "item-outside",
            "a document outside of the repository, where an item is wanted",
            "elaborate ../rota.pdf --step 01-03 --script SCRIPT",
            "../rota.pdf",
        ),
        mistake(
            "item-document",
            "a document that is not there, where an item is wanted",
            "elaborate notes/Night_Rota.docx --step 01-03 --script SCRIPT",
            "night-rota",
        ),
        mistake("drop", "there is no such run", "status --drop abc", "abc"),
        mistake(
            "voice",
            "there is no such voice",
            "elaborate offline-mode --step 01-03 --script SCRIPT --voice antropic",
            "antropic",
        ),
        mistake(
            "key",
            "the key of a model is missing",
            "elaborate offline-mode --step 01-03 --script SCRIPT --voice anthropic",
            "ANTHROPIC_API_KEY",
        ),
        mistake(
            "model",
            "a voice without its model",
            "elaborate offline-mode --step 01-03 --script SCRIPT --voice openai --base-url http://127.0.0.1:9/v1",
            "--model",
        ),
        mistake(
            "model-offline",
            "a model for the offline voice",
            "elaborate offline-mode --step 01-03 --script SCRIPT --model large",
            "--model",
        ),
        mistake(
            "url",
            "an address that is none",
            "elaborate offline-mode --step 01-03 --script SCRIPT --voice openai --model m --base-url localhost:8080",
            "localhost:8080",
        ),
        mistake(
            "url-http",
            "an address without encryption",
            "elaborate offline-mode --step 01-03 --script SCRIPT --voice openai --model m --base-url http://example.org/v1",
            "example.org",
        ),
        mistake(
            "command",
            "a voice that is no program",
            "elaborate offline-mode --step 01-03 --script SCRIPT --voice command:",
            "command:",
        ),
        mistake(
            "command-missing",
            "a voice whose program is not there",
            "elaborate offline-mode --step 01-03 --script SCRIPT --voice command:/nowhere/prog",
            "/nowhere/prog",
        ),
        mistake(
            "action",
            "the action is not pinned to a commit",
            "init --github --action someone/roundtable@v1",
            "--action",
        ),
    ]
}

/// The repository: where it is, its commits and branches.
fn repository() -> Vec<Mistake> {
    vec![
        mistake("no-repository", "the current folder is in no repository", "status", "git init").outside(),
        mistake("repo-missing", "--repo names nothing", "status --repo /nowhere/at/all", "/nowhere/at/all"),
        mistake(
            "repo-file",
            "--repo names a file that is in no repository",
            "status --repo SCRIPT",
            "talk.txt",
        ),
        mistake("revision", "a revision is misspelt", "check --base mian", "mian"),
        mistake(
            "item-file",
            "a file is named that is no document",
            "elaborate src/sync.rs --step 01-03 --script SCRIPT",
            "src/sync.rs",
        ),
        mistake(
            "add-file",
            "an item is to be made of a document",
            "add docs/requirements/offline-mode/requirements-spec.md --name fees",
            "an item is a folder",
        ),
        mistake(
            "revision-base",
            "a branch to start from is misspelt",
            "elaborate offline-mode --step 01-03 --script SCRIPT --base mane",
            "mane",
        ),
        mistake("upstream", "there is nothing to compare with", "check", "--base"),
        mistake("shallow", "the clone has no common history", "check --base other --head main", "history")
            .before(|sandbox| {
                let tree = sandbox.git.head().unwrap().peel_to_tree().unwrap();
                let who = git2::Signature::new("Sam", "sam@example.org", &git2::Time::new(1_770_000_001, 0))
                    .unwrap();
                sandbox.git.commit(Some("refs/heads/other"), &who, &who, "alone", &tree, &[]).unwrap();
                let head = sandbox.tip("main").unwrap();
                std::fs::write(sandbox.root().join(".git/shallow"), format!("{head}\n")).unwrap();
            }),
        mistake(
            "branch-name",
            "a branch name with a blank",
            "elaborate offline-mode --step 01-03 --script SCRIPT --branch \"my branch\"",
            "my branch",
        ),
        mistake(
            "branch-checked-out",
            "the branch is checked out",
            "elaborate offline-mode --step 01-03 --script SCRIPT --branch main",
            "main",
        ),
        mistake(
            "path-missing",
            "a path that is on neither side",
            "check --base main docs/nowhere.md",
            "docs/nowhere.md",
        ),
        mistake("stdin", "lines that no hook writes", "check --stdin", "old new ref").input("main dev\n"),
        mistake(
            "remote",
            "there is no such remote",
            "elaborate offline-mode --step 01-03 --script SCRIPT --push upstrem",
            "upstrem",
        ),
        mistake(
            "why-folder",
            "a folder where a file is expected",
            "why docs/requirements",
            "docs/requirements",
        ),
        mistake(
            "why-line",
            "a line behind the end of the file",
            "why docs/requirements/offline-mode/requirements-spec.md:400",
            "400",
        ),
        mistake(
            "why-file",
            "a file is misspelt",
            "why docs/requirements/offline-mode/requirement-spec.md",
            "requirement-spec.md",
        ),
    ]
}

/// Scripts.
fn scripts() -> Vec<Mistake> {
    vec![
        mistake("script-missing", "the script is not there", "elaborate offline-mode --step 01-03 --script tlak.txt", "tlak.txt").file("talk.txt", "done\n"),
        mistake("script-folder", "a folder where a script is expected", "elaborate offline-mode --step 01-03 --script docs", "docs"),
        mistake("script-empty", "the script is empty", TALK, "talk.txt").script("talk.txt", ""),
        mistake("script-utf16", "the script is not UTF-8", TALK, "talk.txt").script("talk.txt", b"Maya, gr\xfc\xdfe?\n"),
        mistake("script-binary", "the script is binary", TALK, "talk.txt").script("talk.txt", b"\x89PNG\0\0"),
        mistake("script-keys", "several keys of a script are wrong", TALK, "talk.yaml:1:1")
            .script("talk.yaml", "usr: Sam\ninputs:\n  - \"Maya, who is hurt?\"\n  - 42\n  - {text: \"done\", bye: Sam}\nanswer: {}\n"),
        mistake("script-yaml", "a text with a colon without quotes", TALK, "talk.yaml:2")
            .script("talk.yaml", "inputs:\n  - Alex: what breaks: the sync?\n"),
        mistake("script-tab", "a tab where blanks are expected", TALK, "talk.yaml")
            .script("talk.yaml", "inputs:\n\t- \"Maya, who is hurt?\"\n"),
        mistake("script-json", "a comma too many", TALK, "talk.json:3:").script("talk.json", "{\"inputs\": [\n  \"Maya, who is hurt?\",\n]}\n"),
        mistake("script-json-type", "a number where a text is expected", TALK, "talk.json:3:").script("talk.json", "{\n  \"inputs\": [\n    1\n  ]\n}\n"),
        mistake("script-json-cut", "the end of the script is missing", TALK, "talk.json").script("talk.json", "{\"inputs\": [\"Maya\""),
        mistake("script-time", "two times that are none", TALK, "talk.yaml:2:")
            .script("talk.yaml", "inputs:\n  - {text: one, at: yesterday}\n  - {text: two, at: 2026-13-01}\n"),
        mistake("script-answers", "an answer for a step without its zeros", "analyze offline-mode --script SCRIPT", "1-1")
            .script("answers.yaml", "answers:\n  \"1-1\": [yes]\n"),
        mistake("script-wide", "the place of a mistake behind wide signs", TALK, "talk.yaml:2:")
            .script("talk.yaml", "inputs:\n  - {text: \"日本語 🙂\", bye: Sam}\n"),
    ]
}

/// Files of the repository: settings, steps, personas, templates, meta.json, recordings.
fn files() -> Vec<Mistake> {
    let with_steps = |mistake: Mistake| mistake.file(SETTINGS, "steps: own\n");
    vec![
        mistake("out-document", "the recording would be written over a document", "elaborate offline-mode --step 01-03 --script SCRIPT --out notes.md", "notes.md")
            .file("notes.md", "Do not lose this.\n"),
        mistake("review-nothing", "a folder without documents is to be reviewed", "review empty", "there is no document to review").file("empty/a.bin", "x"),
        mistake("check-revision", "a revision without its flag", "check HEAD", "--base HEAD"),
        mistake("add-root-file", "an item is to be made of a file", "add NOTES.md --name notes", "an item is a folder").file("NOTES.md", "# Notes\n"),
        mistake("settings-keys", "several settings are wrong", "status", ".roundtable.yaml:1:1")
            .file(SETTINGS, "itms: docs/requirements\nmax_turns: many\nvoice: offline\ngithub:\n  lable: talk\n"),
        mistake("settings-values", "settings of the right kind that cannot be used", "status", ".roundtable.yaml:1:1")
            .file(SETTINGS, "items: ../docs\nmax_turns: 2\n"),
        mistake("settings-twice", "a setting stands twice", "status", ".roundtable.yaml").file(SETTINGS, "items: a\nitems: b\n"),
        mistake("settings-list", "the settings are a list", "status", ".roundtable.yaml:1").file(SETTINGS, "- items: docs\n"),
        mistake("settings-glob", "a glob with an open bracket", "check --base main", ".roundtable.yaml:2:")
            .file(SETTINGS, "protect:\n  - { paths: 'docs/[a-z/**', rule: content }\n"),
        mistake("settings-rule", "an unknown rule and an unknown code", "check --base main", ".roundtable.yaml:2:")
            .file(SETTINGS, "protect:\n  - { paths: docs/**, rule: livin }\n  - { paths: log/**, rule: content, warn: [list-loose] }\n"),
        mistake("settings-steps", "the steps folder is not there", TALK, "stpes").file(SETTINGS, "steps: stpes\n"),
        mistake("settings-steps-here", "the steps folder is not in the work tree", "steps list", "stpes").file(SETTINGS, "steps: stpes\n"),
        mistake("settings-file", "--config names nothing", "status --config settings.yaml", "settings.yaml"),
        with_steps(mistake("step-keys", "several things are wrong with a step", TALK, "09-compliance.md:3:"))
            .file(OWN, STEP.replace("title: Compliance", "titel: Compliance").replace("depth: brief", "depth: breif").replace("outputs: [requirements-spec.md]", "outputs: requirements-spec.md")),
        with_steps(mistake("step-front-matter", "a step without its front matter", TALK, "09-compliance.md:1:1")).file(OWN, "# Compliance\n"),
        with_steps(mistake("step-open", "the front matter of a step is not closed", TALK, "09-compliance.md")).file(OWN, "---\nstep_id: \"01-09\"\n"),
        with_steps(mistake("step-id", "a step's id without quotes and zeros", TALK, "09-compliance.md:2:")).file(OWN, STEP.replace("\"01-09\"", "1-9")),
        with_steps(mistake("two-steps", "two steps that are wrong", TALK, "10-cost.md"))
            .file(OWN, STEP.replace("depth: brief", "depth: short"))
            .file("own/01-requirements/10-cost.md", STEP.replace("title: Compliance\n", "")),
        with_steps(mistake("steps-check", "a step with an unknown persona and a closed question", "steps check", "09-compliance.md:4:"))
            .file(OWN, STEP.replace("business-analyst", "busines-analyst").replace("1. Which rules apply?", "1. Do rules apply?"))
            .says_no(),
        with_steps(mistake("persona", "a persona without half of its keys", TALK, "personas/ops.md:1:1"))
            .file("own/personas/ops.md", "---\nkey: ops\nname: Kim 2\nrole: Operations\n---\n## Identity\nx\n"),
        mistake("template-name", "a template uses a name that there is not", TALK, "notices/closing.txt:2:")
            .file(SETTINGS, "templates: texts\n").file("texts/notices/closing.txt", "Thank you,\n{{ usr }}\n"),
        mistake("template-form", "two templates that cannot be read", TALK, "notices/closing.txt:1")
            .file(SETTINGS, "templates: texts\n").file("texts/notices/closing.txt", "{% if user %}\n").file("texts/notices/warning.txt", "{{ user \n"),
        mistake("meta-comma", "a comma too many in meta.json", TALK, "meta.json:3:1").file("docs/requirements/offline-mode/meta.json", "{\n  \"slug\": \"offline-mode\",\n}\n"),
        mistake("meta-list", "meta.json is a list", TALK, "meta.json:1:1").file("docs/requirements/offline-mode/meta.json", "[]\n"),
        mistake("meta-twice", "a key of meta.json stands twice", TALK, "meta.json:3:").file("docs/requirements/offline-mode/meta.json", "{\n  \"slug\": \"a\",\n  \"slug\": \"b\"\n}\n"),
        mistake("meta-quotes", "a key of meta.json without quotes", "status", "meta.json:2:").file("docs/requirements/offline-mode/meta.json", "{\n  slug: \"a\"\n}\n"),
        mistake("recording-other", "a file that is not a recording", "replay SCRIPT", "talk.txt:1:1"),
        mistake("recording-revision", "a revision without a path", "replay HEAD", "HEAD"),
        mistake("recording-missing", "a recording that is not there", "show main:docs/nowhere.jsonl", "docs/nowhere.jsonl"),
        mistake("recording-changed", "a recording that somebody has edited", "show SCRIPT", "talk.jsonl:3:")
            .script("talk.jsonl", "{\"kind\":\"silence\",\"at\":\"2026-02-20T14:30:00.000Z\"}\n{\"kind\":\"silence\", \"at\":\"2026-02-20T14:30:00.000Z\"}\n{\"kind\":\"silence\",\"at\":\"2026-02-20T14:30:00.000Z\",\"x\":1}\n{\"kind\":\"sigh\",\"at\":\"2026-02-20T14:30:00.000Z\"}\n"),
        mistake("recording-begin", "a recording without its beginning", "show SCRIPT", "talk.jsonl").script("talk.jsonl", "{\"kind\":\"silence\",\"at\":\"2026-02-20T14:30:00.000Z\"}\n"),
        mistake("recording-cut", "a recording that is cut off", "replay --all", RECORDING)
            .file(RECORDING, "{\"kind\":\"silence\",\"at\":\"2026-02"),
    ]
}

/// What holds for every message.
fn wrong(mistake: &Mistake, run: &Run) -> Vec<String> {
    let said = format!("{}{}", run.stdout, run.stderr);
    let mut found = Vec::new();
    if run.code != mistake.code {
        found.push(format!("exit code {} and not {}", run.code, mistake.code));
    }
    if !said.contains(mistake.names) {
        found.push(format!("it does not name {}", mistake.names));
    }
    for inside in [
        "Some(",
        "Error {",
        "panicked",
        "RUST_BACKTRACE",
        "os error",
        "Err(",
        "unwrap",
        "struct ",
        "expected u",
        "io::",
    ] {
        if said.contains(inside) {
            found.push(format!("it says \"{inside}\""));
        }
    }
    // `a::b`, but for the commands that a runner obeys.
    if said
        .split_whitespace()
        .any(|word| word.split("::").any(|part| part.ends_with(char::is_alphanumeric)) && word.contains("::"))
    {
        found.push("it has a path of Rust's".to_owned());
    }
    if run.code == 2 && !run.stderr.lines().any(|line| line.starts_with("error: ")) {
        found.push("no line begins with `error: `".to_owned());
    }
    if run.code == 2 && !run.stderr.contains("= help: ") {
        found.push("it does not say what to do".to_owned());
    }
    if said.lines().any(|line| matches!(line.trim(), "error" | "error:")) {
        found.push("it says nothing".to_owned());
    }
    found
}

#[test]
fn what_is_said_to_mistakes_names_the_place_and_the_way_out() {
    let all: Vec<Mistake> = [arguments(), repository(), scripts(), files()].into_iter().flatten().collect();
    assert!(all.len() >= 40, "{}", all.len());
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("snapshots/mistakes");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let mut complaints = Vec::new();
    for mistake in &all {
        let (text, run) = mistake.make();
        complaints
            .extend(wrong(mistake, &run).iter().map(|wrong| format!("{}: {wrong}\n{text}", mistake.name)));
        settings.bind(|| insta::assert_snapshot!(mistake.name, text));
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn no_two_mistakes_share_a_name() {
    let all: Vec<Mistake> = [arguments(), repository(), scripts(), files()].into_iter().flatten().collect();
    let mut names: Vec<&str> = all.iter().map(|mistake| mistake.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all.len());
}

/// With `--json` an error is one JSON object on standard output, and still told on
/// standard error.
#[test]
fn with_json_every_mistake_is_one_json_object() {
    let all = [arguments(), repository(), scripts(), files()].into_iter().flatten();
    for mistake in all.filter(|mistake| mistake.code == 2 && !mistake.command.contains("--format")) {
        let run = mistake.run(&["--json"]);
        let name = mistake.name;
        let told: Value = serde_json::from_str(&run.stdout)
            .unwrap_or_else(|error| panic!("{name}: {error}: {}{}", run.stdout, run.stderr));
        if let Some(one) = told["recordings"].get(0) {
            // A replay tells of each recording.
            assert!(one["error"].is_string(), "{name}: {told}");
            continue;
        }
        let error = told["error"].as_object().unwrap_or_else(|| panic!("{name}: {told}"));
        let message = error["message"].as_str().unwrap();
        assert!(!message.is_empty() && message.len() < 2_000, "{name}: {told}");
        let known = ["message", "path", "line", "column", "help"];
        assert!(error.keys().all(|key| known.contains(&key.as_str())), "{name}: {told}");
        if error.contains_key("line") {
            let (path, line) = (error["path"].as_str().unwrap(), &error["line"]);
            assert!(run.stderr.contains(&format!("{path}:{line}:")), "{name}: {told}\n{}", run.stderr);
        }
        assert!(run.stderr.contains("error: "), "{name}: {}", run.stderr);
    }
}
