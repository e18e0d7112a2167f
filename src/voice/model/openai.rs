//! OpenAI's chat completions, as OpenAI, Azure, llama.cpp, Ollama, vLLM and others serve them.
//!
//! Servers differ in what they take beyond the messages: what one refuses with status 400 is left
//! out from then on, once a feature. Nothing is sent that only some of them know.

use std::time::Duration;

use serde_json::{Value, json};

use super::prompt::{Prompt, Want};
use super::truncation::Counts;
use super::{Answer, AnswerLimit, Model, Usage, schema, thought_only, whole_schema};
use crate::http::{self, Failed, Http, Judged, Kind, Method, Request, Secret, Url};
use crate::text::remedy::Problem;
use crate::voice::Speechless;

/// The name of this voice in recordings.
pub const NAME: &str = "openai";
/// The service where nothing else is said.
pub const BASE: &str = "https://api.openai.com/v1";

/// A model behind this API.
pub struct OpenAi {
    http: Http,
    base: Url,
    key: Option<Secret>,
    model: String,
    limit: Duration,
    takes: Takes,
    counts: Counts,
}

/// What a server takes beyond the messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Takes {
    /// `response_format` with a schema.
    schema: bool,
    /// The same schema for all requests of a discussion.
    one_schema: bool,
    /// `max_completion_tokens`, which OpenAI's newer models ask for, in place of `max_tokens`,
    /// which everybody else knows.
    completion_tokens: bool,
    /// The other of the two was tried already.
    is_settled: bool,
    answer: AnswerLimit,
}

impl OpenAi {
    /// # Errors
    /// No HTTP client can be made.
    pub fn new(base: Url, key: Option<Secret>, model: &str, limit: Duration) -> Result<OpenAi, Failed> {
        let http = Http::new(&base)?;
        let hosted = [".openai.com", ".azure.com"];
        let is_hosted = base.host_str().is_some_and(|host| hosted.iter().any(|name| host.ends_with(name)));
        let takes = Takes {
            schema: true,
            one_schema: is_hosted,
            completion_tokens: is_hosted,
            is_settled: false,
            answer: AnswerLimit::Form,
        };
        let counts = Counts::default();
        Ok(OpenAi { http, base, key, model: model.to_owned(), limit, takes, counts })
    }

    /// The same with answers of this length.
    #[must_use]
    pub fn answering(self, answer: AnswerLimit) -> OpenAi {
        OpenAi { takes: Takes { answer, ..self.takes }, ..self }
    }

    fn send(&mut self, prompt: &Prompt, limit: Duration) -> Result<http::Answer, Failed> {
        let azure = self.base.host_str().is_some_and(|host| host.ends_with(".azure.com"));
        let header = if azure { ("api-key", "") } else { ("authorization", "Bearer ") };
        let request = Request {
            method: Method::POST,
            url: http::below(&self.base, "chat/completions"),
            headers: vec![("content-type", "application/json".to_owned())],
            secret: self.key.clone().map(|key| (header.0, header.1, key)),
            body: Some(body(prompt, &self.model, self.takes).to_string().into_bytes()),
        };
        self.http.call(&request, limit, true, &judge)
    }
}

impl OpenAi {
    /// Refuses the answer to a prompt that the server has cut.
    fn is_whole(&mut self, prompt: &Prompt, answer: &Answer) -> Result<(), Speechless> {
        // A count of nothing is none.
        let Some(usage) = answer.usage.filter(|usage| usage.input > 0) else { return Ok(()) };
        let characters = |text: &str| text.chars().count() as u64;
        let front = characters(&prompt.head) + prompt.talk.iter().map(|entry| characters(entry)).sum::<u64>();
        let wanted = characters(&prompt.wanted);
        if self.counts.is_whole(front, wanted, usage.input) {
            return Ok(());
        }
        let why = Problem::new(format!(
            "the server counts {} tokens of a prompt with {} characters: it has read a part of it only",
            usage.input,
            front + wanted
        ))
        .with(
            "start it with a larger context (llama.cpp: --ctx-size, vLLM: --max-model-len, Ollama: OLLAMA_CONTEXT_LENGTH), \
             or send less: `evidence: {max_chars: 20000}` in the settings",
        );
        Err(Speechless::Model { voice: NAME.to_owned(), why })
    }
}

impl Model for OpenAi {
    fn name(&self) -> &str {
        NAME
    }

    fn ask(&mut self, prompt: &Prompt) -> Result<Answer, Speechless> {
        let deadline = http::deadline(self.limit);
        let answer = loop {
            match self.send(prompt, http::left(deadline)) {
                Err(failed) if matches!(failed.kind, Kind::Status(400 | 422)) => {
                    match less(self.takes, &failed.to_string()) {
                        Some(takes) => self.takes = takes,
                        None => break Err(failed),
                    }
                }
                sent => break sent,
            }
        };
        let answer = answer.map_err(|failed| Speechless::Model {
            voice: NAME.to_owned(),
            why: failed.explained("OPENAI_API_KEY", &self.model).into_problem(),
        })?;
        let read = read(&answer).unwrap_or_default();
        if read.text.trim().is_empty() && is_cut(&answer) {
            return Err(thought_only(NAME, self.most_tokens(&prompt.want)));
        }
        self.is_whole(prompt, &read)?;
        Ok(read)
    }

    fn requests(&self) -> u64 {
        self.http.sent()
    }

    fn most_tokens(&self, want: &Want) -> u64 {
        self.takes.answer.tokens(want)
    }
}

/// What to leave out after a refusal; none where nothing is left to leave out.
fn less(takes: Takes, refusal: &str) -> Option<Takes> {
    if let Some(answer) = takes.answer.shorter().filter(|_| AnswerLimit::is_meant(refusal)) {
        return Some(Takes { answer, ..takes });
    }
    if !takes.is_settled && refusal.contains("max_completion_tokens") {
        let completion_tokens = !takes.completion_tokens;
        return Some(Takes { completion_tokens, is_settled: true, ..takes });
    }
    // A prompt that is too long stays too long.
    let long = refusal.contains("context");
    (takes.schema && !long).then_some(Takes { schema: false, ..takes })
}

/// The request. The messages are last, so that one request begins as the one before it.
fn body(prompt: &Prompt, model: &str, takes: Takes) -> Value {
    let limit = if takes.completion_tokens { "max_completion_tokens" } else { "max_tokens" };
    let mut body = json!({"model": model, "stream": false});
    body[limit] = json!(takes.answer.tokens(&prompt.want));
    if takes.schema {
        // A hosted service's cache begins with the schema: there all requests of a discussion have the same one.
        let (name, schema) = match takes.one_schema {
            true => ("answer", whole_schema()),
            false => (prompt.want.name(), schema(&prompt.want)),
        };
        let format = json!({"name": name, "strict": true, "schema": schema});
        body["response_format"] = json!({"type": "json_schema", "json_schema": format});
    }
    // One message of the user: some servers refuse two in a row.
    body["messages"] = json!([
        {"role": "system", "content": prompt.head},
        {"role": "user", "content": prompt.rest()},
    ]);
    body
}

fn judge(answer: &http::Answer) -> Judged {
    match http::by_status(answer, &http::error_message(answer)) {
        Judged::Good if read(answer).is_none() => {
            Judged::Again("the answer broke off or is not a completion".to_owned(), None)
        }
        judged => judged,
    }
}

/// Whether a completion ended at its limit.
fn is_cut(answer: &http::Answer) -> bool {
    let value: Value = serde_json::from_str(&answer.text()).unwrap_or_default();
    value.pointer("/choices/0/finish_reason").and_then(Value::as_str) == Some("length")
}

/// The words of a completion and its usage; none where it is no completion.
fn read(answer: &http::Answer) -> Option<Answer> {
    let value: Value = serde_json::from_str(&answer.text()).ok()?;
    let message = value.get("choices")?.get(0)?.get("message")?;
    // A refusal is no line: the persona passes, or the stand-in speaks.
    let text = message.get("content").and_then(Value::as_str).unwrap_or_default().to_owned();
    let number = |value: &Value, name: &str| value.get(name).and_then(Value::as_u64);
    let usage = value.get("usage").and_then(|usage| {
        let cached = usage.get("prompt_tokens_details").and_then(|details| number(details, "cached_tokens"));
        Some(Usage {
            input: number(usage, "prompt_tokens")?,
            cached,
            written: 0,
            output: number(usage, "completion_tokens").unwrap_or_default(),
        })
    });
    Some(Answer { text, usage })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Takes = Takes {
        schema: true,
        one_schema: false,
        completion_tokens: false,
        is_settled: false,
        answer: AnswerLimit::Form,
    };

    fn answer(body: &str) -> http::Answer {
        http::Answer { status: 200, headers: Vec::new(), body: body.as_bytes().to_vec() }
    }

    fn prompt() -> Prompt {
        Prompt {
            head: "head".into(),
            talk: vec!["one\n".into()],
            wanted: "now".into(),
            want: Want::Repair { problems: Vec::new() },
        }
    }

    #[test]
    fn messages_stand_last_and_nothing_is_sampled() {
        let prompt = prompt();
        let plain = body(&prompt, "m", Takes { schema: false, ..ALL }).to_string();
        insta::assert_snapshot!(plain, @r#"{"model":"m","stream":false,"max_tokens":4096,"messages":[{"role":"system","content":"head"},{"role":"user","content":"one\nnow"}]}"#);
        assert!(body(&prompt, "m", ALL).to_string().contains(r#""strict":true"#));
    }

    #[test]
    fn what_a_server_refuses_is_left_out_once() {
        let unknown = "Unsupported parameter: 'max_tokens'; use 'max_completion_tokens' instead";
        let takes = less(ALL, unknown).unwrap();
        assert!(takes.completion_tokens && takes.schema);
        assert!(
            less(takes, unknown).is_some_and(|takes| takes.completion_tokens),
            "there and back is no way"
        );
        let takes = less(takes, "response_format is not supported").unwrap();
        assert!(!takes.schema);
        assert_eq!(less(takes, "anything else"), None);
        let roomy = Takes { answer: AnswerLimit::Roomy, ..ALL };
        let shorter = less(roomy, "max_tokens is too large: this model's maximum context length is 8192");
        assert_eq!(shorter, Some(ALL), "the room for reasoning goes first");
        assert!(body(&prompt(), "m", roomy)["max_tokens"] == 4096 + 16_384);
        assert_eq!(less(ALL, "the request exceeds the available context size"), None);
    }

    #[test]
    fn usage_is_read_where_it_stands() {
        let read = read(&answer(r#"{"choices":[{"message":{"content":"x"}}],"usage":{"prompt_tokens":50,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":40}}}"#)).unwrap();
        assert_eq!(read.usage, Some(Usage { input: 50, cached: Some(40), written: 0, output: 3 }));
        for body in ["", "{\"choices\":[]}", "{\"choices\":[{\"mess"] {
            assert!(matches!(judge(&answer(body)), Judged::Again(..)), "{body}");
        }
    }
}
