//! Anthropic's Messages API, without sampling parameters and without a prefill, which its newer
//! models refuse.
//!
//! The head is the system text, every entry of the talk a block of the message, what is wanted now
//! the last one; a cache mark follows the head, and another the talk, so that a request reads
//! what the one before it has written.

use std::time::Duration;

use serde_json::{Value, json};

use super::prompt::Prompt;
use super::{Answer, Model, Usage, schema, whole_schema};
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
}

impl Anthropic {
    /// # Errors
    /// No HTTP client can be made.
    pub fn new(base: Url, key: Option<Secret>, model: &str, limit: Duration) -> Result<Anthropic, Failed> {
        let http = Http::new(&base)?;
        let is_own = base.host_str().is_some_and(|host| host.ends_with(".anthropic.com"));
        Ok(Anthropic { http, base, key, model: model.to_owned(), limit, takes_schema: true, is_own })
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
            body: Some(body(prompt, &self.model, self.takes_schema, self.is_own).to_string().into_bytes()),
        };
        self.http.call(&request, limit, true, &judge)
    }
}

impl Model for Anthropic {
    fn name(&self) -> &str {
        NAME
    }

    fn ask(&mut self, prompt: &Prompt) -> Result<Answer, Speechless> {
        let deadline = http::deadline(self.limit);
        let answer = match self.send(prompt, self.limit) {
            // A server that speaks the protocol without structured outputs.
            Err(Failed { kind: Kind::Status(400 | 422), .. }) if self.takes_schema => {
                self.takes_schema = false;
                self.send(prompt, http::left(deadline))
            }
            sent => sent,
        };
        let answer = answer.map_err(|failed| Speechless::Model {
            voice: NAME.to_owned(),
            why: failed.explained("ANTHROPIC_API_KEY", &self.model).into_problem(),
        })?;
        Ok(read(&answer).unwrap_or_default())
    }

    fn requests(&self) -> u64 {
        self.http.sent()
    }
}

/// The request. What changes from one to the next is last.
///
/// The service's own cache begins with the schema: there all requests of a discussion have the same one.
fn body(prompt: &Prompt, model: &str, takes_schema: bool, is_own: bool) -> Value {
    let cached = json!({"type": "ephemeral"});
    let mut blocks: Vec<Value> =
        prompt.talk.iter().map(|entry| json!({"type": "text", "text": entry})).collect();
    if let Some(last) = blocks.last_mut() {
        last["cache_control"] = cached.clone();
    }
    blocks.push(json!({"type": "text", "text": prompt.wanted}));
    let mut body = json!({"model": model, "max_tokens": prompt.want.most_tokens()});
    if takes_schema {
        let schema = if is_own { whole_schema() } else { schema(&prompt.want) };
        body["output_config"] = json!({"format": {"type": "json_schema", "schema": schema}});
    }
    body["system"] = json!([{"type": "text", "text": prompt.head, "cache_control": cached}]);
    body["messages"] = json!([{"role": "user", "content": blocks}]);
    body
}

fn judge(answer: &http::Answer) -> Judged {
    match http::by_status(answer, &http::error_message(answer)) {
        Judged::Good if read(answer).is_none() => {
            Judged::Again("the answer broke off or is no message".to_owned(), None)
        }
        judged => judged,
    }
}

/// The words of a message and its usage; none where it is no message.
fn read(answer: &http::Answer) -> Option<Answer> {
    let value: Value = serde_json::from_str(&answer.text()).ok()?;
    let blocks = value.get("content")?.as_array()?;
    let texts = blocks.iter().filter_map(|block| block.get("text").and_then(Value::as_str));
    let number = |name: &str| value.get("usage").and_then(|usage| usage.get(name)).and_then(Value::as_u64);
    let usage = number("input_tokens").map(|fresh| {
        let cached = number("cache_read_input_tokens").unwrap_or_default();
        let written = number("cache_creation_input_tokens").unwrap_or_default();
        let input = fresh.saturating_add(cached).saturating_add(written);
        Usage { input, cached, written, output: number("output_tokens").unwrap_or_default() }
    });
    Some(Answer { text: texts.collect(), usage })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::voice::model::prompt::Want;

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
            body(&Prompt { want, ..prompt.clone() }, MODEL, true, true)["output_config"].to_string()
        });
        assert_eq!(own[0], own[1], "another schema would be another cache");
        let body = body(&prompt, MODEL, true, false);
        insta::assert_snapshot!(body.to_string(), @r#"{"model":"claude-opus-5","max_tokens":4096,"output_config":{"format":{"type":"json_schema","schema":{"type":"object","properties":{"repair":{"type":"array","items":{"type":"object","properties":{"on":{"type":"string"},"drop":{"type":"boolean"},"text":{"type":"string"},"rests":{"type":"array","items":{"type":"object","properties":{"path":{"type":"string"},"line":{"type":"integer"},"quote":{"type":"string"}},"required":["path","line","quote"],"additionalProperties":false}}},"required":["on","drop","text","rests"],"additionalProperties":false}}},"required":["repair"],"additionalProperties":false}}},"system":[{"type":"text","text":"head","cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":[{"type":"text","text":"one"},{"type":"text","text":"two","cache_control":{"type":"ephemeral"}},{"type":"text","text":"now"}]}]}"#);
    }

    #[test]
    fn usage_counts_what_was_cached_as_input() {
        let read = read(&answer(r#"{"content":[{"type":"text","text":"a"},{"type":"other"},{"type":"text","text":"b"}],"usage":{"input_tokens":5,"cache_read_input_tokens":100,"cache_creation_input_tokens":20,"output_tokens":7}}"#)).unwrap();
        assert_eq!(read.text, "ab");
        assert_eq!(read.usage, Some(Usage { input: 125, cached: 100, written: 20, output: 7 }));
    }

    #[test]
    fn half_an_answer_is_none() {
        for body in ["", "{\"content\":[{\"type\":\"te", "[]", "<html>", "{\"content\":7}"] {
            assert!(matches!(judge(&answer(body)), Judged::Again(..)), "{body}");
        }
    }
}
