//! Which voice speaks: the flags, the settings and the environment, read once.

use std::ffi::OsString;
use std::time::Duration;

use super::Fail;
use super::environment::variable;
use crate::http::{self, Secret, Url};
use crate::item::config::{self, ByStep, Config};
use crate::item::persona::Cast;
use crate::run::agent;
use crate::text::remedy::Problem;
use crate::voice::SECRETARY;
use crate::voice::model::anthropic::{self, Anthropic};
use crate::voice::model::command::{self, Program};
use crate::voice::model::ollama::{self, Ollama};
use crate::voice::model::openai::{self, OpenAi};
use crate::voice::model::preset::{self, Headless, Preset};
use crate::voice::model::prompt::{Prompt, Want};
use crate::voice::model::{AnswerLimit, Meter, Model, OtherReader, Prices};
use crate::voice::recorded;

/// How long a model may take for one answer, tries included, where nothing else is said.
const PATIENCE: u64 = 600;

/// How long a service may take to say that it is there.
const REACH: Duration = Duration::from_secs(5);

/// Variables whose values must reach no output: keys and tokens of this program and of those
/// that are commonly set with them.
const SECRETS: [&str; 5] =
    ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GITHUB_TOKEN", "GH_TOKEN", "ACTIONS_RUNTIME_TOKEN"];

/// Which voice is asked for, and how: each field is empty where the settings or the default decide.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    pub voice: Option<String>,
    pub model: Option<String>,
    /// The service's address.
    pub base_url: Option<String>,
    /// How many seconds one answer may take.
    pub timeout: Option<u64>,
    /// The most tokens that a discussion may use.
    pub max_tokens_total: Option<u64>,
    /// The most tokens of one answer, reasoning included.
    pub max_answer_tokens: Option<u64>,
    /// Dollars for a million tokens.
    pub price: Option<String>,
    /// Nothing is asked of the service, and no key is needed.
    pub is_only_planned: bool,
    /// The job may write: no program speaks in it.
    pub refuses_programs: bool,
}

/// A voice that was chosen, with everything it needs.
#[derive(Clone, Debug)]
pub enum Choice {
    Secretary,
    /// Lines come from outside, by the Model Context Protocol.
    Agent,
    /// The lines of a recording.
    Recorded(Source),
    Anthropic(Service),
    OpenAi(Service),
    /// A model of an Ollama server.
    Ollama(Service),
    /// A command line that people have with a subscription.
    Preset {
        preset: &'static Preset,
        model: Option<String>,
        patience: Duration,
        /// Variables that it gets on GitHub, besides [`ENVIRONMENT`].
        names: Vec<String>,
    },
    Command {
        line: String,
        patience: Duration,
        /// Variables that it gets on GitHub, besides [`ENVIRONMENT`].
        names: Vec<String>,
    },
}

/// Where a recording is that is given again.
#[derive(Clone, Debug)]
pub enum Source {
    /// A file, or `REV:PATH`, as the command line names it.
    Argument(String),
    /// A path from the repository's root, as the settings name it.
    Setting(String),
}

impl Source {
    /// As it was named.
    pub fn path(&self) -> &str {
        match self {
            Source::Argument(path) | Source::Setting(path) => path,
        }
    }
}

/// What a voice is made of: flags and settings.
struct Asked<'a> {
    options: &'a Wanted,
    config: &'a Config,
    model: Option<&'a str>,
    patience: Duration,
}

impl Asked<'_> {
    fn anthropic(&self) -> Result<Service, Fail> {
        let (base, is_own) = address(self.options, "ANTHROPIC_BASE_URL", anthropic::BASE)?;
        if base.path().trim_end_matches('/').ends_with("/v1") {
            return Err(
                Fail::new("the address of an Anthropic service is given without /v1").with_hint("remove it")
            );
        }
        let key = key("ANTHROPIC_API_KEY", is_own && !self.options.is_only_planned)?;
        Ok(self.service(base, key, self.model.unwrap_or(anthropic::MODEL)))
    }

    fn openai(&self) -> Result<Service, Fail> {
        let (base, is_own) = address(self.options, "OPENAI_BASE_URL", openai::BASE)?;
        let key = key("OPENAI_API_KEY", is_own && !self.options.is_only_planned)?;
        let missing = || Fail::new("--voice openai needs a model").with_hint("name it with --model NAME");
        Ok(self.service(base, key, self.model.ok_or_else(missing)?))
    }

    fn ollama(&self) -> Result<Service, Fail> {
        let (mut base, _) = address(self.options, "OLLAMA_BASE_URL", ollama::BASE)?;
        let path = base.path().trim_end_matches('/').trim_end_matches("/v1").to_owned();
        base.set_path(&path);
        let missing = || {
            Fail::new("--voice ollama needs a model")
                .with_hint("name it with --model NAME: `ollama list` names those on this machine, `ollama pull NAME` gets one")
        };
        Ok(self.service(base, None, self.model.ok_or_else(missing)?))
    }

    fn service(&self, base: Url, key: Option<Secret>, model: &str) -> Service {
        let answer = match (self.options.max_answer_tokens, self.options.max_tokens_total) {
            (Some(tokens), _) => AnswerLimit::Tokens(tokens),
            (None, Some(_)) => AnswerLimit::Form,
            (None, None) => AnswerLimit::Roomy,
        };
        Service { base, key, model: model.to_owned(), patience: self.patience, answer }
    }

    fn preset(&self, preset: &'static Preset) -> Result<Choice, Fail> {
        self.may_run_programs()?;
        let (model, names) =
            (self.model.map(str::to_owned), self.config.voice_env.clone().unwrap_or_default());
        Ok(Choice::Preset { preset, model, patience: self.patience, names })
    }

    fn command(&self, line: &str) -> Result<Choice, Fail> {
        Program::new(line, self.patience, Vec::new()).map_err(Fail::from)?;
        self.may_run_programs()?;
        let names = self.config.voice_env.clone().unwrap_or_default();
        Ok(Choice::Command { line: line.trim().to_owned(), patience: self.patience, names })
    }

    fn may_run_programs(&self) -> Result<(), Fail> {
        match self.options.refuses_programs {
            true => Err(Fail::new("a program speaks on GitHub only in the job without the right to write: run it with `github run --out FOLDER`, and the other job with --recording").with_hint("roundtable init --voice anthropic shows the two")),
            false => Ok(()),
        }
    }

    fn recorded(&self, path: &str) -> Result<Choice, Fail> {
        if path.is_empty() {
            return Err(Fail::new(format!("--voice {} names no recording", recorded::PREFIX))
                .with_hint("name a file, or REV:PATH in the repository, as in recorded:talk.jsonl"));
        }
        let source = if self.options.voice.is_some() { Source::Argument } else { Source::Setting };
        Ok(Choice::Recorded(source(path.to_owned())))
    }
}

/// A service, its model and the key to it.
#[derive(Clone, Debug)]
pub struct Service {
    base: Url,
    key: Option<Secret>,
    model: String,
    patience: Duration,
    answer: AnswerLimit,
}

/// Other names of the secretary.
const OTHER_NAMES: [&str; 2] = ["reviewer", "offline"];

impl Choice {
    /// The voice for a step of a phase that flags, settings and environment name, in this order.
    ///
    /// # Errors
    /// An unknown voice, a key or a model that is missing, an address that is none.
    pub fn of(options: &Wanted, config: &Config, step: &str, phase: &str) -> Result<Choice, Fail> {
        let choice = Choice::at(options, config, step, phase)?;
        if !choice.asks_a_model() {
            needs_a_model(options)?;
        }
        Ok(choice)
    }

    /// The voice of a step of a walk, which asks for drafts, too: a recording has none.
    ///
    /// # Errors
    /// As [`Choice::at`], and where a recording is named.
    pub fn of_walk(options: &Wanted, config: &Config, step: &str, phase: &str) -> Result<Choice, Fail> {
        match Choice::at(options, config, step, phase)? {
            Choice::Recorded(source) => Err(Fail::new(format!(
                "recorded:{} is one discussion, and step {step} is walked through",
                crate::text::plain::shown(source.path())
            ))
            .with_hint(format!(
                "use it with `roundtable elaborate ITEM --step {step}`, or name another voice with --voice"
            ))),
            choice => Ok(choice),
        }
    }

    /// The same for one step of several: a flag for a model may be meant for another one's voice.
    ///
    /// # Errors
    /// As [`Choice::of`].
    pub fn at(options: &Wanted, config: &Config, step: &str, phase: &str) -> Result<Choice, Fail> {
        let set = |names: &Option<ByStep>| {
            names.as_ref().and_then(|names| names.of(step, phase)).map(str::to_owned)
        };
        let (voice, model) = (set(&config.voice), set(&config.model));
        let named = options.voice.as_deref().or(voice.as_deref()).unwrap_or(SECRETARY);
        let patience = Duration::from_secs(options.timeout.unwrap_or(PATIENCE));
        let model = options.model.as_deref().or(model.as_deref());
        if model.is_some_and(|model| model.trim().is_empty() || !crate::text::plain::is_clean(model)) {
            return Err(
                Fail::new("--model is empty or has invisible characters").with_hint("give a model's name")
            );
        }
        let asked = Asked { options, config, model, patience };
        match named {
            name if name == SECRETARY || OTHER_NAMES.contains(&name) => Ok(Choice::Secretary),
            anthropic::NAME => asked.anthropic().map(Choice::Anthropic),
            openai::NAME => asked.openai().map(Choice::OpenAi),
            ollama::NAME => asked.ollama().map(Choice::Ollama),
            other => {
                if let Some(preset) = Preset::named(other) {
                    return asked.preset(preset);
                }
                if let Some(path) = other.strip_prefix(recorded::PREFIX) {
                    return asked.recorded(path.trim());
                }
                match other.strip_prefix(command::PREFIX) {
                    Some(line) => asked.command(line),
                    None => Err(unknown(other)),
                }
            }
        }
    }

    pub const fn is_secretary(&self) -> bool {
        matches!(self, Choice::Secretary)
    }

    /// Whether somebody is asked, which takes time and may cost something.
    pub const fn asks_a_model(&self) -> bool {
        !matches!(self, Choice::Secretary | Choice::Agent | Choice::Recorded(_))
    }

    /// The voice as recordings name it.
    pub fn name(&self) -> String {
        match self {
            Choice::Secretary => SECRETARY.to_owned(),
            Choice::Agent => agent::NAME.to_owned(),
            Choice::Recorded(source) => {
                format!("{}{}", recorded::PREFIX, crate::text::plain::shown(source.path()))
            }
            Choice::Anthropic(_) => anthropic::NAME.to_owned(),
            Choice::OpenAi(_) => openai::NAME.to_owned(),
            Choice::Ollama(_) => ollama::NAME.to_owned(),
            Choice::Preset { preset, .. } => preset.name.to_owned(),
            Choice::Command { line, .. } => {
                let program = line.split_whitespace().next().unwrap_or_default();
                format!("{}{}", command::PREFIX, crate::text::plain::shown(program))
            }
        }
    }

    /// The model, where there is a choice of them.
    pub fn model(&self) -> Option<String> {
        match self {
            Choice::Anthropic(service) | Choice::OpenAi(service) | Choice::Ollama(service) => {
                Some(service.model.clone())
            }
            Choice::Preset { model, .. } => model.clone(),
            Choice::Secretary | Choice::Agent | Choice::Recorded(_) | Choice::Command { .. } => None,
        }
    }

    /// What tells two voices apart, for the run id: no secret.
    pub fn identity(&self) -> String {
        match self {
            Choice::Secretary => SECRETARY.to_owned(),
            Choice::Agent => agent::NAME.to_owned(),
            Choice::Recorded(_) => self.name(),
            Choice::Anthropic(service) | Choice::OpenAi(service) | Choice::Ollama(service) => {
                format!("{} {} {}", self.name(), service.base, service.model)
            }
            Choice::Preset { preset, model, .. } => {
                format!("{} {}", preset.name, model.as_deref().unwrap_or_default())
            }
            Choice::Command { line, .. } => format!("{}{line}", command::PREFIX),
        }
    }

    /// Asks the voice's service for its list of models: it can be reached, and takes the key. Nothing is spent.
    ///
    /// # Errors
    /// A service that cannot be reached, or refuses the key.
    pub fn reach(&self) -> Result<(), Fail> {
        self.models().map(|_| ())
    }

    /// The context size of the model, where its service lists it.
    pub fn listed_context(&self) -> Option<u64> {
        let (listed, model) = (self.models().ok()??, self.model()?);
        let own = listed.get("data")?.as_array()?.iter().find(|one| one["id"].as_str() == Some(&model))?;
        let size = |place: &&str| own.pointer(place).and_then(serde_json::Value::as_u64);
        // vLLM, OpenRouter, LM Studio, llama.cpp, Anthropic.
        ["/max_model_len", "/context_length", "/max_context_length", "/meta/n_ctx", "/max_input_tokens"]
            .iter()
            .find_map(size)
    }

    /// The list of models of the voice's service; none where there is no service.
    fn models(&self) -> Result<Option<serde_json::Value>, Fail> {
        let (service, path, headers, key_name) = match self {
            Choice::Anthropic(service) => {
                let version = ("anthropic-version", anthropic::VERSION.to_owned());
                (service, "v1/models", vec![version], ("x-api-key", "", "ANTHROPIC_API_KEY"))
            }
            Choice::OpenAi(service) => {
                (service, "models", Vec::new(), ("authorization", "Bearer ", "OPENAI_API_KEY"))
            }
            Choice::Ollama(service) => {
                (service, "v1/models", Vec::new(), ("authorization", "Bearer ", "OLLAMA_API_KEY"))
            }
            _ => return Ok(None),
        };
        let (header, before, variable) = key_name;
        let request = http::Request {
            method: http::Method::GET,
            url: http::below(&service.base, path),
            headers,
            secret: service.key.clone().map(|key| (header, before, key)),
            body: None,
        };
        // A server without such a list has answered all the same.
        let judge = |answer: &http::Answer| match answer.status {
            401 | 403 => http::Judged::Never(http::status(answer.status, &http::error_message(answer))),
            _ => http::Judged::Good,
        };
        let asked =
            http::Http::new(&service.base).and_then(|mut http| http.call(&request, REACH, true, &judge));
        let failed =
            |failed: http::Failed| Fail::from(failed.explained(variable, &service.model).into_problem());
        let answer = asked.map_err(failed)?;
        Ok(Some(serde_json::from_str(&answer.text()).unwrap_or_default()))
    }

    /// The model behind the voice; none for the secretary.
    ///
    /// # Errors
    /// No HTTP client can be made here.
    pub fn begin(&self) -> Result<Option<Box<dyn Model>>, Fail> {
        if self.asks_a_model() {
            super::clock::takes_its_time();
        }
        Ok(match self.clone() {
            Choice::Secretary | Choice::Agent | Choice::Recorded(_) => None,
            Choice::Anthropic(Service { base, key, model, patience, answer }) => {
                let service = Anthropic::new(base, key, &model, patience)?;
                Some(Box::new(service.answering(answer)))
            }
            Choice::OpenAi(Service { base, key, model, patience, answer }) => {
                let service = OpenAi::new(base, key, &model, patience)?;
                Some(Box::new(service.answering(answer)))
            }
            Choice::Ollama(Service { base, model, patience, answer, .. }) => {
                Some(Box::new(Ollama::new(base, &model, patience, answer)?))
            }
            Choice::Preset { preset, model, patience, names } => {
                let headless = Headless::new(preset, model.as_deref(), patience, secrets())?;
                let headless =
                    if is_on_github() { headless.within(sealed_environment(&names)?) } else { headless };
                Some(Box::new(headless))
            }
            Choice::Command { line, patience, names } => {
                let program = Program::new(&line, patience, secrets()).map_err(Fail::from)?;
                let program =
                    if is_on_github() { program.within(sealed_environment(&names)?) } else { program };
                Some(Box::new(program))
            }
        })
    }
}

/// What the voice's tokens cost, by the flag or by the settings for a step of a phase.
///
/// # Errors
/// A price that is none.
pub fn prices(options: &Wanted, config: &Config, step: &str, phase: &str) -> Result<Option<Prices>, Fail> {
    let set = config.price.as_ref().and_then(|prices| prices.of(step, phase));
    let (from, text) = match (options.price.as_deref(), set) {
        (Some(text), _) => ("--price", text),
        (None, Some(text)) => ("`price` in the settings", text),
        (None, None) => return Ok(None),
    };
    let named = |why: Problem| Problem { what: format!("{from}: {why}"), ..why }.into();
    Prices::read(text).map(Some).map_err(named)
}

/// The models that read for the finding round beside the voice, as the settings name them.
///
/// # Errors
/// As [`Choice::at`], and a voice without a model.
pub fn readers(options: &Wanted, config: &Config, step: &str, phase: &str) -> Result<Vec<Choice>, Fail> {
    let choose = |reader: &config::NamedReader| {
        let (voice, model) = match reader {
            config::NamedReader::Voice(voice) => (voice, None),
            config::NamedReader::WithModel(named) => (&named.voice, Some(named.model.clone())),
        };
        let wanted = Wanted { voice: Some(voice.clone()), model, base_url: None, ..options.clone() };
        let bare = Config { model: None, ..config.clone() };
        match Choice::at(&wanted, &bare, step, phase)? {
            choice if choice.asks_a_model() => Ok(choice),
            _ => Err(Fail::new(format!("`readers`: {} has no model", crate::text::plain::shown(voice)))
                .with_hint("name a voice with a model")),
        }
    };
    config.readers.iter().flatten().map(choose).collect()
}

/// The other models, each asked in its own thread.
pub fn ask_readers(readers: &[Choice]) -> Vec<OtherReader<'static>> {
    let reader = |choice: &Choice| -> OtherReader<'static> {
        let choice = choice.clone();
        Box::new(move |prompt: &Prompt| {
            let model = choice.begin().map_err(|fail| fail.to_line())?;
            let mut model = model.ok_or_else(|| format!("{} has no model", choice.name()))?;
            model.ask(prompt).map_err(|error| error.to_string())
        })
    };
    readers.iter().map(reader).collect()
}

/// What tells two runs' voices apart: who speaks, who judges, and what is read.
pub fn spoken_by(identity: &str, config: &Config) -> String {
    let evidence = &config.evidence();
    let readers = config.readers.as_ref().filter(|_| identity != SECRETARY);
    let readers = readers.map_or(String::new(), |readers| format!(" {readers:?}"));
    let reads = identity != SECRETARY && *evidence != config::Evidence::default();
    let evidence = if reads { format!(" {evidence:?}") } else { String::new() };
    format!("{identity}{evidence}{readers}")
}

/// Who is thinking, and what was used so far: what a terminal shows between two lines.
pub fn thinking(want: &Want, meter: &Meter, cast: &Cast) -> String {
    let name = |key: &str| cast.get(key).map_or_else(|| key.to_owned(), |one| one.name.clone());
    let who = match want {
        Want::Round { .. } => {
            let names: Vec<String> = want.personas().into_iter().map(name).collect();
            format!("{} {}", names.join(", "), if names.len() == 1 { "thinks" } else { "think" })
        }
        Want::Line { seat, .. } => format!("{} thinks again", name(&seat.persona)),
        Want::Synthesis => "the synthesis is written".to_owned(),
        Want::Points => "a reader looks for what is open".to_owned(),
        Want::Refute { .. } => "a second reader looks for answers".to_owned(),
        Want::Repair { .. } => "the synthesis is put right".to_owned(),
        Want::Draft { step, .. } => format!("step {step} is drafted"),
    };
    let cost = meter.cost().map(|cost| format!(", ${cost:.4}")).unwrap_or_default();
    match meter.tokens() {
        0 => who,
        tokens => format!("{who}; {tokens} tokens so far{cost}"),
    }
}

/// What a program sees of the environment on GitHub.
const ENVIRONMENT: [&str; 4] = ["PATH", "HOME", "LANG", "TMPDIR"];

fn is_on_github() -> bool {
    variable("GITHUB_ACTIONS").is_some()
}

/// The environment of a program that sees no token: a short list, and it cannot read this process's memory or
/// environment through `/proc`.
fn sealed_environment(names: &[String]) -> Result<Vec<(String, OsString)>, Fail> {
    #[cfg(target_os = "linux")]
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)
        .map_err(|error| Fail::new(format!("this process cannot be closed to others: {error}")))?;
    let wanted = ENVIRONMENT.iter().copied().chain(names.iter().map(String::as_str));
    #[allow(clippy::disallowed_methods)]
    let of = |name: &str| Some((name.to_owned(), std::env::var_os(name)?));
    Ok(wanted.filter_map(of).collect())
}

/// A model's flag without a model is a mistake: say so instead of ignoring it.
///
/// # Errors
/// The first of such flags.
pub fn needs_a_model(options: &Wanted) -> Result<(), Fail> {
    let flags = [
        ("--model", options.model.is_some()),
        ("--base-url", options.base_url.is_some()),
        ("--max-tokens-total", options.max_tokens_total.is_some()),
        ("--max-answer-tokens", options.max_answer_tokens.is_some()),
        ("--price", options.price.is_some()),
    ];
    match flags.iter().find(|(_, given)| *given) {
        Some((flag, _)) => {
            Err(Fail::new(format!("{flag} needs a voice with a model, and this one asks none"))
                .with_hint(format!("add --voice with one of {}", with_a_model().join(", "))))
        }
        None => Ok(()),
    }
}

fn unknown(voice: &str) -> Fail {
    let voice = crate::text::plain::shown(voice);
    let known: Vec<&str> = [SECRETARY].into_iter().chain(with_a_model()).chain(["recorded:FILE"]).collect();
    let near = crate::text::finding::did_you_mean(&voice, &known);
    Fail::new(format!("there is no voice \"{voice}\"{near}"))
        .with_hint(format!("the voices are {}", known.join(", ")))
}

/// The voices that ask a model.
fn with_a_model() -> Vec<&'static str> {
    let services = [anthropic::NAME, openai::NAME, ollama::NAME];
    services.into_iter().chain(preset::names()).chain(["command:PROG"]).collect()
}

/// The service's address, and whether it is another than the service's own.
fn address(options: &Wanted, name: &'static str, own: &str) -> Result<(Url, bool), Fail> {
    let (name, text) = match (&options.base_url, variable(name)) {
        (Some(url), _) => ("--base-url", url.clone()),
        (None, Some(url)) => (name, url),
        (None, None) => ("", own.to_owned()),
    };
    let url = http::base_url(name, &text)?;
    let is_own = text.trim_end_matches('/') == own;
    Ok((url, is_own))
}

/// The key from the environment; the service's own address needs one, others may not.
fn key(name: &str, is_needed: bool) -> Result<Option<Secret>, Fail> {
    match variable(name) {
        Some(value) => Ok(Some(Secret::new(name, &value)?)),
        None if is_needed => Err(Fail::new(format!("{name} is not set")).with_hint("put the key there (it is read from the environment only), or use --voice secretary, which needs none")),
        None => Ok(None),
    }
}

/// Refuses a text that holds a key or token of the environment.
pub fn refuse_secrets(what: &str, text: &str) -> Result<(), Fail> {
    match secrets().iter().find(|secret| secret.is_in(text)) {
        Some(secret) => Err(Fail::new(format!(
            "{what} contains the value of {}; nothing was written. Remove it, and change the key: everybody who has read it has it",
            secret.name()
        ))),
        None => Ok(()),
    }
}

/// The keys and tokens of the environment; what is too short to be one would be found in every text.
fn secrets() -> Vec<Secret> {
    let of = |name: &&str| Secret::new(name, &variable(name)?).ok();
    SECRETS.iter().filter_map(of).filter(|secret| secret.expose().len() >= 8).collect()
}
