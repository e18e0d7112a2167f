//! Ollama on this machine: its OpenAI-compatible server, which cuts a prompt silently where its context is too small.
//!
//! The context size cannot be set through that protocol. So the model is loaded first and its size read (`/api/ps`): a
//! prompt that cannot fit is not sent, and an answer to one that was cut is not used.

use std::time::Duration;

use serde_json::{Value, json};

use super::openai::OpenAi;
use super::prompt::{Prompt, Want};
use super::truncation::MOST_CHARACTERS;
use super::{Answer, AnswerLimit, Model};
use crate::http::{self, Failed, Http, Kind, Method, Request, Url};
use crate::text::plain;
use crate::text::remedy::Problem;
use crate::voice::Speechless;

/// The name of this voice in recordings.
pub const NAME: &str = "ollama";
/// Its server where nothing else is said.
pub const BASE: &str = "http://127.0.0.1:11434";
/// A model of an Ollama server.
pub struct Ollama {
    chat: OpenAi,
    http: Http,
    base: Url,
    model: String,
    limit: Duration,
    /// The tokens that prompt and answer have together; none where the server does not say.
    context: Option<u64>,
    is_loaded: bool,
}

impl Ollama {
    /// # Errors
    /// No HTTP client can be made.
    pub fn new(base: Url, model: &str, limit: Duration, answer: AnswerLimit) -> Result<Ollama, Failed> {
        let chat = OpenAi::new(http::below(&base, "v1"), None, model, limit)?.answering(answer);
        let http = Http::new(&base)?;
        Ok(Ollama { chat, http, base, model: model.to_owned(), limit, context: None, is_loaded: false })
    }

    /// Loads the model, and reads what context it has got.
    ///
    /// # Errors
    /// The server is not there, or does not have the model.
    pub fn load(&mut self) -> Result<Option<u64>, Speechless> {
        let deadline = http::deadline(self.limit);
        self.call(
            Method::POST,
            "api/generate",
            Some(json!({"model": self.model, "stream": false})),
            self.limit,
        )?;
        let running = self.call(Method::GET, "api/ps", None, http::left(deadline))?;
        let named = |one: &&Value| {
            let name =
                one.get("model").or_else(|| one.get("name")).and_then(Value::as_str).unwrap_or_default();
            name == self.model || name.strip_suffix(":latest") == Some(&self.model)
        };
        let models = running.get("models").and_then(Value::as_array);
        let own = models.into_iter().flatten().find(named);
        self.context = own.and_then(|own| own.get("context_length")).and_then(Value::as_u64);
        self.is_loaded = true;
        Ok(self.context)
    }

    fn call(
        &mut self,
        method: Method,
        path: &str,
        body: Option<Value>,
        limit: Duration,
    ) -> Result<Value, Speechless> {
        let request = Request {
            method,
            url: http::below(&self.base, path),
            headers: vec![("content-type", "application/json".to_owned())],
            secret: None,
            body: body.map(|body| body.to_string().into_bytes()),
        };
        let judge = |answer: &http::Answer| http::by_status(answer, &http::error_message(answer));
        let answer = self.http.call(&request, limit, true, &judge).map_err(|failed| self.failed(failed))?;
        Ok(serde_json::from_str(&answer.text()).unwrap_or_default())
    }

    fn failed(&self, failed: Failed) -> Speechless {
        let model = plain::shown(&self.model);
        let failed = match failed.kind {
            Kind::Network => {
                failed.with("start the server with `ollama serve`, or name its address with --base-url")
            }
            Kind::Status(404) => failed.with(format!(
                "`ollama pull {model}` gets the model, `ollama list` names those that are here"
            )),
            _ => failed.explained("OLLAMA_API_KEY", &self.model),
        };
        Speechless::Model { voice: NAME.to_owned(), why: failed.into_problem() }
    }

    /// Refuses a prompt that the context cannot hold.
    fn fits(&self, prompt: &Prompt) -> Result<(), Speechless> {
        let least = prompt.text().chars().count() as u64 / MOST_CHARACTERS;
        match self.context.filter(|context| least >= *context) {
            Some(context) => Err(self.too_small(&format!("the prompt has at least {least} tokens"), context)),
            None => Ok(()),
        }
    }

    fn too_small(&self, what: &str, context: u64) -> Speechless {
        let model = plain::shown(&self.model);
        let why = Problem::new(format!("{what}, and {model} is loaded with a context of {context}")).with(
            "start the server with more, as in `OLLAMA_CONTEXT_LENGTH=65536 ollama serve`, or send less: \
             `evidence: {max_chars: 20000}` in the settings",
        );
        Speechless::Model { voice: NAME.to_owned(), why }
    }
}

impl Model for Ollama {
    fn name(&self) -> &str {
        NAME
    }

    fn ask(&mut self, prompt: &Prompt) -> Result<Answer, Speechless> {
        if !self.is_loaded {
            self.load()?;
        }
        self.fits(prompt)?;
        let answer = self.chat.ask(prompt).map_err(|failed| match failed {
            Speechless::Model { why, .. } => Speechless::Model { voice: NAME.to_owned(), why },
            other => other,
        })?;
        // A prompt that was cut is as long as the context.
        let is_full = |context: &u64| answer.usage.is_some_and(|usage| usage.input + 1 >= *context);
        match self.context.filter(is_full) {
            Some(context) => Err(self.too_small("the server has cut the prompt", context)),
            None => Ok(answer),
        }
    }

    fn requests(&self) -> u64 {
        self.chat.requests()
    }

    fn context(&self) -> Option<u64> {
        self.context
    }

    fn most_tokens(&self, want: &Want) -> u64 {
        self.chat.most_tokens(want)
    }
}
