//! The structure rule for JSON (G-S5) and for meta.json (G-S6), compared as data.
//!
//! Objects may gain keys, arrays may grow at their end, everything else stays. Numbers are
//! compared as exact decimals. Invalid JSON and doubled keys on either side are losses.

use serde_json::Value;

use super::{Finding, Kind};
use crate::text::json::{Document, Kind as Shape, Node, Unread};

/// As many losses of one file are told: each costs a look at the text before it.
pub(super) const MOST: usize = 100;

/// What the new JSON text loses or alters of the old one.
pub fn losses(before: &[u8], after: &[u8]) -> Vec<Finding> {
    compare(before, after, false)
}

/// As [`losses`], with the rules of meta.json on top.
pub fn meta_losses(before: &[u8], after: &[u8]) -> Vec<Finding> {
    compare(before, after, true)
}

fn compare(before: &[u8], after: &[u8], meta: bool) -> Vec<Finding> {
    let one = |code, message: String| vec![Finding::new(code, 1, message)];
    // From an empty file everything is additive.
    let nothing = before.trim_ascii().is_empty();
    let mark = "\u{feff}".as_bytes();
    if after.starts_with(mark) && !before.starts_with(mark) {
        return one(
            Kind::Unparsable,
            "the new text begins with a byte order mark, which JSON does not know".to_owned(),
        );
    }
    let old = match Document::read("", if nothing { b"{}" } else { before }) {
        Ok(old) => old,
        Err(finding) => {
            let message =
                format!("the old text cannot be read, so it must stay as it is: {}", finding.message);
            return one(Kind::Unparsable, message);
        }
    };
    let new = match Document::parse("", after) {
        Ok(new) => new,
        Err(unread) => {
            let code = match &unread {
                Unread::DoubledKey(_) => Kind::DuplicateKey,
                Unread::NotJson(_) => Kind::Unparsable,
            };
            let finding = crate::text::finding::Finding::from(unread);
            let message = format!("the new text cannot be read: {}", finding.message);
            return vec![Finding::new(code, 1, message).head(finding.line)];
        }
    };
    if nothing {
        return Vec::new();
    }
    let mut walk = JsonComparison { text: &old.text, found: Vec::new() };
    if meta {
        walk.meta(&old, &new);
    } else {
        walk.value(&old.root, &old.value, &new.value, "");
    }
    walk.found
}

/// Members of meta.json whose elements stay identical and which grow at their end only.
const RECORDS: [&str; 3] = ["elaborations", "steps_completed", "phases_completed"];
const DEPTHS: [&str; 3] = ["brief", "standard", "deep"];
const STATUS: [&str; 3] = ["raw", "partial", "analyzed"];

struct JsonComparison<'t> {
    text: &'t str,
    found: Vec<Finding>,
}

impl JsonComparison<'_> {
    fn lost(&mut self, node: &Node, code: Kind, message: String) {
        if self.found.len() < MOST {
            let line = crate::text::finding::place(self.text, node.span.start).0;
            self.found.push(Finding::new(code, line, message));
        }
    }

    fn value(&mut self, node: &Node, old: &Value, new: &Value, at: &str) {
        match (&node.kind, old, new) {
            (Shape::Object(members), Value::Object(old), Value::Object(new)) => {
                for (key, node) in members {
                    let path = format!("{at}/{key}");
                    match (old.get(key), new.get(key)) {
                        (Some(old), Some(new)) => self.value(node, old, new, &path),
                        _ => self.lost(node, Kind::KeyLost, format!("the key {path} is lost")),
                    }
                }
            }
            (Shape::Array(elements), Value::Array(old), Value::Array(new)) => {
                if new.len() < old.len() {
                    self.lost(node, Kind::Array, format!("the array {at} lost elements"));
                }
                for (index, ((node, old), new)) in elements.iter().zip(old).zip(new).enumerate() {
                    self.value(node, old, new, &format!("{at}/{index}"));
                }
            }
            _ if same(old, new) => {}
            _ => self.lost(node, Kind::Scalar, format!("the value at {at} changed")),
        }
    }

    fn meta(&mut self, old: &Document, new: &Document) {
        let (Shape::Object(members), Value::Object(was), Value::Object(is)) =
            (&old.root.kind, &old.value, &new.value)
        else {
            return self.value(&old.root, &old.value, &new.value, "");
        };
        for (key, node) in members {
            let (Some(was), Some(is)) = (was.get(key), is.get(key)) else {
                self.lost(node, Kind::KeyLost, format!("the key /{key} is lost"));
                continue;
            };
            let path = format!("/{key}");
            match (key.as_str(), was, is) {
                // Nothing was there: the first record makes a list of it.
                (key, Value::Null, Value::Array(_)) if RECORDS.contains(&key) => {}
                (key, Value::Array(was), Value::Array(is)) if RECORDS.contains(&key) => {
                    if is.len() < was.len() || !was.iter().zip(is).all(|(was, is)| identical(was, is)) {
                        self.lost(
                            node,
                            Kind::Array,
                            format!("an element of {path} changed; elements are only added at the end"),
                        );
                    }
                }
                ("analysis_status", Value::String(was), Value::String(is)) => {
                    let rank = |status: &str| STATUS.iter().position(|known| *known == status);
                    if was != is && (rank(is).is_none() || rank(was) >= rank(is)) {
                        self.lost(
                            node,
                            Kind::Scalar,
                            format!("analysis_status went from {was} to {is}; it only goes forward"),
                        );
                    }
                }
                ("codebase_hash", _, Value::String(is)) if !is.is_empty() => {}
                ("depth_overrides", Value::Object(was), Value::Object(is)) => {
                    // The depth of a phase is the user's to change while the phase lasts.
                    let is_depth = |value: Option<&Value>| {
                        value.and_then(Value::as_str).is_some_and(|word| DEPTHS.contains(&word))
                    };
                    let mut free = is.clone();
                    for (phase, depth) in was {
                        if is_depth(Some(depth)) && is_depth(is.get(phase)) {
                            free[phase] = depth.clone();
                        }
                    }
                    self.value(node, &Value::Object(was.clone()), &Value::Object(free), &path);
                }
                ("elaboration_config", Value::Object(was), Value::Object(is)) => {
                    let free = |map: &serde_json::Map<String, Value>| {
                        let mut map = map.clone();
                        if map.get("max_turns").is_some_and(Value::is_number) {
                            map["max_turns"] = Value::Null;
                        }
                        Value::Object(map)
                    };
                    self.value(node, &free(was), &free(is), &path);
                }
                (_, was, is) => self.value(node, was, is, &path),
            }
        }
    }
}

/// Equal as data, with nothing more on either side.
fn identical(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| identical(a, b)))
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| identical(a, b))
        }
        _ => same(a, b),
    }
}

/// Equal scalars of one type; numbers as exact decimals.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => decimal(&a.to_string()) == decimal(&b.to_string()),
        _ => a == b,
    }
}

/// A number as an exact decimal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Decimal {
    negative: bool,
    /// The digits without zeros at either end; none for zero.
    digits: String,
    /// The power of ten that the last digit counts; as text where it fits no number.
    exponent: Result<i128, String>,
}

/// Reads a number as JSON and YAML write it. Zero has no sign and no exponent.
pub(super) fn decimal(text: &str) -> Decimal {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (negative, mantissa) = mantissa.strip_prefix('-').map_or((false, mantissa), |rest| (true, rest));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let kept = digits.trim_end_matches('0');
    let shift = (digits.len() - kept.len()) as i128 - fraction.len() as i128;
    let kept = kept.trim_start_matches('0');
    if kept.is_empty() {
        return Decimal { negative: false, digits: String::new(), exponent: Ok(0) };
    }
    let power = exponent.parse::<i128>().ok().and_then(|power| power.checked_add(shift));
    let exponent = power.ok_or_else(|| format!("{exponent}+{shift}"));
    Decimal { negative, digits: kept.to_owned(), exponent }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(before: &str, after: &str) -> Vec<Kind> {
        losses(before.as_bytes(), after.as_bytes()).into_iter().map(|found| found.kind).collect()
    }

    fn meta(before: &str, after: &str) -> bool {
        meta_losses(before.as_bytes(), after.as_bytes()).is_empty()
    }

    #[test]
    fn what_only_looks_like_json_or_a_number_is_told_apart() {
        let object = "{\"a\":{\"$serde_json::private::Number\":\"1\"}}";
        assert_eq!(codes("{\"a\":1}", object).len(), 1);
        assert_eq!(codes(object, "{\"a\":1}").len(), 1);
        assert_eq!(codes("{\"a\":1}", "\u{feff}{\"a\":1}"), [Kind::Unparsable]);
        assert_eq!(codes("", "{\"a\":1}"), []);
        assert_eq!(codes("", "{"), [Kind::Unparsable]);
        assert!(codes("[1e99999999999999999999, -0]", "[1e99999999999999999999, 0]").is_empty());
        assert_eq!(codes("[1e5]", "[1e6]"), [Kind::Scalar]);
    }

    #[test]
    fn objects_gain_keys_and_arrays_grow_at_their_end() {
        assert!(codes("{\"a\": [1]}", "{\"b\": 2, \"a\": [1.0, 2]}").is_empty());
        assert!(codes("[{\"a\": 1}]", "[{\"a\": 1, \"b\": 2}, 3]").is_empty());
        assert_eq!(codes("{\"a\": 1}", "{}"), [Kind::KeyLost]);
        assert_eq!(codes("[1, 2]", "[1]"), [Kind::Array]);
        assert_eq!(codes("[1]", "[0, 1]"), [Kind::Scalar]);
        assert_eq!(codes("{\"a\": 1}", "{\"a\": \"1\"}"), [Kind::Scalar]);
        assert_eq!(codes("{\"a\": 1}", "{\"a\": true}"), [Kind::Scalar]);
        assert_eq!(codes("{\"a\": 1}", "{\"a\": 1, \"a\": 1}"), [Kind::DuplicateKey]);
        assert_eq!(codes("{", "{}"), [Kind::Unparsable]);
        assert_eq!(codes("{}", "{"), [Kind::Unparsable]);
    }

    #[test]
    fn numbers_are_exact_decimals() {
        assert!(codes("[100, 1e400, 0.50]", "[1e2, 10e399, 0.5]").is_empty());
        assert_eq!(codes("[12345678901234567890123]", "[12345678901234567890124]"), [Kind::Scalar]);
    }

    #[test]
    fn records_of_meta_json_stay_identical() {
        assert!(meta("{\"elaborations\": [{\"a\": 1}]}", "{\"elaborations\": [{\"a\": 1}, {}]}"));
        assert!(!meta("{\"elaborations\": [{\"a\": 1}]}", "{\"elaborations\": [{\"a\": 1, \"b\": 2}]}"));
        assert!(!meta("{\"steps_completed\": [\"00-01\"]}", "{\"steps_completed\": []}"));
        assert!(meta("{\"elaborations\": null}", "{\"elaborations\": [{}]}"));
        assert!(!meta("{\"elaborations\": \"x\"}", "{\"elaborations\": [{}]}"));
    }

    #[test]
    fn status_goes_forward_and_sources_stay() {
        assert!(meta("{\"analysis_status\": \"raw\"}", "{\"analysis_status\": \"partial\"}"));
        assert!(!meta("{\"analysis_status\": \"partial\"}", "{\"analysis_status\": \"raw\"}"));
        assert!(!meta("{\"analysis_status\": \"partial\"}", "{\"analysis_status\": \"other\"}"));
        assert!(meta("{\"codebase_hash\": \"a\"}", "{\"codebase_hash\": \"b\"}"));
        assert!(meta(
            "{\"elaboration_config\": {\"max_turns\": 3}}",
            "{\"elaboration_config\": {\"max_turns\": 9}}"
        ));
        assert!(!meta("{\"source_id\": \"GH-1\"}", "{\"source_id\": \"GH-2\"}"));
        let depth = |depth: &str| format!("{{\"depth_overrides\": {{\"01-requirements\": {depth}}}}}");
        assert!(meta(&depth("\"brief\""), &depth("\"deep\"")));
        assert!(!meta(&depth("\"brief\""), &depth("\"other\"")) && !meta(&depth("7"), &depth("\"deep\"")));
        assert!(!meta(&depth("\"brief\""), "{\"depth_overrides\": {}}"));
    }
}
