//! Anthropic's Messages API, without sampling parameters and without a prefill, which its newer
//! models refuse.
//!
//! The head is the system text, every entry of the talk a block of the message, what is wanted now
//! the last one; a cache mark follows the head, and another the talk, so that a request reads
//! what the one before it has written.

use std::time::Duration;

use serde_json::{Value, json};

use super::prompt::{Prompt, Want};
use super::{Answer, AnswerLimit, Model, Usage, schema, thought_only, whole_schema};
use crate::http::{self, Failed, Http, Judged, Kind, Method, Request, Secret, Url};
use crate::voice::Speechless;

/// The name of this voice in recordings.
pub const NAME: &str = "anthropic";
/// The service where nothing else is said.
pub const BASE: &str = "https://api.anthropic.com";
/// The model where nothing else is said.
pub const MODEL: &str = "claude-opus-5";
/// The version of the protocol.
pub const VERSION: &str = "2023-06-01";

/// A model behind this API.
pub struct Anthropic {
    http: Http,
    base: Url,
    key: Option<Secret>,
    model: String,
    limit: Duration,
    /// The service takes a schema for the answer; found out at the first request.
    takes_schema: bool,
    /// Its address is the service's own.
    is_own: bool,
    answer: AnswerLimit,
}

impl Anthropic {
    /// # Errors
    /// No HTTP client can be made.
    pub fn new(base: Url, key: Option<Secret>, model: &str, limit: Duration) -> Result<Anthropic, Failed> {
        let http = Http::new(&base)?;
        let is_own = base.host_str().is_some_and(|host| host.ends_with(".anthropic.com"));
        Ok(Anthropic {
            http,
            base,
            key,
            model: model.to_owned(),
            limit,
            takes_schema: true,
            is_own,
            answer: AnswerLimit::Form,
        })
    }

    /// The same with answers of this length.
    #[must_use]
    pub fn answering(self, answer: AnswerLimit) -> Anthropic {
        Anthropic { answer, ..self }
    }

    fn send(&mut self, prompt: &Prompt, limit: Duration) -> Result<http::Answer, Failed> {
        let request = Request {
            method: Method::POST,
            url: http::below(&self.base, "v1/messages"),
            headers: vec![
                ("content-type", "application/json".to_owned()),
                ("anthropic-version", VERSION.to_owned()),
            ],
            secret: self.key.clone().map(|key| ("x-api-key", "", key)),
            body: Some(self.body(prompt).to_string().into_bytes()),
        };
        self.http.call(&request, limit, true, &judge)
    }

    fn body(&self, prompt: &Prompt) -> Value {
        let form = RequestForm { takes_schema: self.takes_schema, is_own: self.is_own, answer: self.answer };
        body(prompt, &self.model, form)
    }
}

/// What of a request depends on the service.
#[derive(Clone, Copy)]
struct RequestForm {
    takes_schema: bool,
    is_own: bool,
    answer: AnswerLimit,
}

impl Model for Anthropic {
    fn name(&self) -> &str {
        NAME
    }

    fn ask(&mut self, prompt: &Prompt) -> Result<Answer, Speechless> {
        let deadline = http::deadline(self.limit);
        let answer = loop {
            match self.send(prompt, http::left(deadline)) {
                Err(failed) if matches!(failed.kind, Kind::Status(400 | 422)) => {
                    let shorter =
                        self.answer.shorter().filter(|_| AnswerLimit::is_meant(&failed.to_string()));
                    match shorter {
                        Some(shorter) => self.answer = shorter,
                        // A server that speaks the protocol without structured outputs.
                        None if self.takes_schema => self.takes_schema = false,
                        None => break Err(failed),
                    }
                }
                sent => break sent,
            }
        };
        let answer = answer.map_err(|failed| Speechless::Model {
            voice: NAME.to_owned(),
            why: failed.explained("ANTHROPIC_API_KEY", &self.model).into_problem(),
        })?;
        let read = read(&answer).unwrap_or_default();
        if read.text.trim().is_empty() && is_cut(&answer) {
            return Err(thought_only(NAME, self.most_tokens(&prompt.want)));
        }
        Ok(read)
    }

    fn requests(&self) -> u64 {
        self.http.sent()
    }

    fn most_tokens(&self, want: &Want) -> u64 {
        self.answer.tokens(want)
    }
}

/// The request. What changes from one to the next is last.
///
/// The service's own cache begins with the schema: there all requests of a discussion have the same one.
fn body(prompt: &Prompt, model: &str, form: RequestForm) -> Value {
    let cached = json!({"type": "ephemeral"});
    let mut blocks: Vec<Value> =
        prompt.talk.iter().map(|entry| json!({"type": "text", "text": entry})).collect();
    if let Some(last) = blocks.last_mut() {
        last["cache_control"] = cached.clone();
    }
    blocks.push(json!({"type": "text", "text": prompt.wanted}));
    let mut body = json!({"model": model, "max_tokens": form.answer.tokens(&prompt.want)});
    if form.takes_schema {
        let schema = if form.is_own { whole_schema() } else { schema(&prompt.want) };
        body["output_config"] = json!({"format": {"type": "json_schema", "schema": schema}});
    }
    body["system"] = json!([{"type": "text", "text": prompt.head, "cache_control": cached}]);
    body["messages"] = json!([{"role": "user", "content": blocks}]);
    body
}

fn judge(answer: &http::Answer) -> Judged {
    match http::by_status(answer, &http::error_message(answer)) {
        Judged::Good if read(answer).is_none() => {
            Judged::Again("the answer broke off or is not a message".to_owned(), None)
        }
        judged => judged,
    }
}

/// Whether a message ended at its limit.
fn is_cut(answer: &http::Answer) -> bool {
    let value: Value = serde_json::from_str(&answer.text()).unwrap_or_default();
    value.get("stop_reason").and_then(Value::as_str) == Some("max_tokens")
}

/// The words of a message and its usage; none where it is no message.
fn read(answer: &http::Answer) -> Option<Answer> {
    let value: Value = serde_json::from_str(&answer.text()).ok()?;
    let blocks = value.get("content")?.as_array()?;
    let texts = blocks.iter().filter_map(|block| block.get("text").and_then(Value::as_str));
    let number = |name: &str| value.get("usage").and_then(|usage| usage.get(name)).and_then(Value::as_u64);
    let usage = number("input_tokens").map(|fresh| {
        let cached = number("cache_read_input_tokens");
        let written = number("cache_creation_input_tokens").unwrap_or_default();
        let input = fresh.saturating_add(cached.unwrap_or_default()).saturating_add(written);
        Usage { input, cached, written, output: number("output_tokens").unwrap_or_default() }
    });
    Some(Answer { text: texts.collect(), usage })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(body: &str) -> http::Answer {
        http::Answer { status: 200, headers: Vec::new(), body: body.as_bytes().to_vec() }
    }

    #[test]
    fn the_marks_stand_behind_head_and_talk_and_nothing_forbidden_is_sent() {
        let prompt = Prompt {
            head: "head".into(),
            talk: vec!["one".into(), "two".into()],
            wanted: "now".into(),
            want: Want::Repair { problems: Vec::new() },
        };
        let own = [Want::Repair { problems: Vec::new() }, Want::Synthesis].map(|want| {
            let form = RequestForm { takes_schema: true, is_own: true, answer: AnswerLimit::Form };
            body(&Prompt { want, ..prompt.clone() }, MODEL, form)["output_config"].to_string()
        });
        assert_eq!(own[0], own[1], "another schema would be another cache");
        let form = RequestForm { takes_schema: true, is_own: false, answer: AnswerLimit::Form };
        let body = body(&prompt, MODEL, form);
        insta::assert_snapshot!(body.to_string(), @r#"{"model":"claude-opus-5","max_tokens":4096,"output_config":{"format":{"type":"json_schema","schema":{"type":"object","properties":{"repair":{"type":"array","items":{"type":"object","properties":{"on":{"type":"string"},"drop":{"type":"boolean"},"text":{"type":"string"},"rests":{"type":"array","items":{"type":"object","properties":{"path":{"type":"string"},"line":{"type":"integer"},"quote":{"type":"string"}},"required":["path","line","quote"],"additionalProperties":false}}},"required":["on","drop","text","rests"],"additionalProperties":false}},"need":{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"null"}]}},"required":["repair","need"],"additionalProperties":false}}},"system":[{"type":"text","text":"head","cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":[{"type":"text","text":"one"},{"type":"text","text":"two","cache_control":{"type":"ephemeral"}},{"type":"text","text":"now"}]}]}"#);
    }

    #[test]
    fn usage_counts_what_was_cached_as_input() {
        let read = read(&answer(r#"{"content":[{"type":"text","text":"a"},{"type":"other"},{"type":"text","text":"b"}],"usage":{"input_tokens":5,"cache_read_input_tokens":100,"cache_creation_input_tokens":20,"output_tokens":7}}"#)).unwrap();
        assert_eq!(read.text, "ab");
        assert_eq!(read.usage, Some(Usage { input: 125, cached: Some(100), written: 20, output: 7 }));
    }

    #[test]
    fn half_an_answer_is_none() {
        for body in ["", "{\"content\":[{\"type\":\"te", "[]", "<html>", "{\"content\":7}"] {
            assert!(matches!(judge(&answer(body)), Judged::Again(..)), "{body}");
        }
    }
}
