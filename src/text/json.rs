//! JSON texts with the places of their values, so that something can be added without touching
//! anything that is there: order, numbers, indentation and line ends stay to the letter.
//!
//! Doubled keys are refused: a parser would keep one of them silently.
//!
//! ```
//! use roundtable::text::json::Document;
//!
//! let document = Document::read("meta.json", b"{\n  \"b\": 1.50\n}\n").unwrap();
//! let more = document.with_member("a", &serde_json::json!(2));
//! assert_eq!(more, "{\n  \"b\": 1.50,\n  \"a\": 2\n}\n");
//! assert!(Document::read("meta.json", b"{\"a\": 1, \"a\": 2}").is_err());
//! ```

use std::collections::HashSet;
use std::ops::Range;

use jsonc_parser::ast;
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde::Serialize as _;
use serde_json::Value;

use crate::text::finding::{self, Finding, place};
use crate::text::plain::line_end;
use crate::text::wording;

/// The same JSON, with every sign that cannot be seen as its number (RFC 8259, section 7): no terminal
/// obeys it, and no reader takes a line end for one of the text's.
///
/// ```
/// assert_eq!(roundtable::text::json::visible("\"a\u{9b}\u{202e}b\""), r#""a\u009b\u202eb""#);
/// ```
pub fn visible(text: &str) -> String {
    if crate::text::plain::is_clean(text) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len() + 16);
    for sign in text.chars() {
        if crate::text::plain::is_clean(sign.encode_utf8(&mut [0; 4])) {
            out.push(sign);
        } else {
            sign.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}")));
        }
    }
    out
}

/// A value and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    pub span: Range<usize>,
    pub kind: Kind,
    /// Where its line begins: at the key of a member, else at the value.
    begin: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Members with their keys.
    Object(Vec<(String, Node)>),
    Array(Vec<Node>),
    Scalar,
}

/// A JSON text that was parsed once, as places and as a value.
#[derive(Clone, Debug)]
pub struct Document {
    pub text: String,
    pub root: Node,
    pub value: Value,
}

/// A text that is not read as JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unread {
    /// It is not UTF-8, or not JSON.
    NotJson(Finding),
    /// An object has a key twice.
    DoubledKey(Finding),
}

impl From<Unread> for Finding {
    fn from(unread: Unread) -> Finding {
        let (Unread::NotJson(finding) | Unread::DoubledKey(finding)) = unread;
        finding
    }
}

impl Document {
    /// Reads a JSON text; a byte order mark before it is left where it is.
    ///
    /// # Errors
    /// Text that is not UTF-8 or not JSON, and doubled keys, with their place.
    pub fn read(path: &str, bytes: &[u8]) -> Result<Document, Finding> {
        Ok(Document::parse(path, bytes)?)
    }

    /// The same, with what is wrong by its kind.
    ///
    /// # Errors
    /// As [`Document::read`].
    pub fn parse(path: &str, bytes: &[u8]) -> Result<Document, Unread> {
        let text = utf8(path, bytes).map_err(Unread::NotJson)?;
        let json = text.trim_start_matches('\u{feff}');
        let value = serde_json::from_str(json).map_err(|error| {
            let said = wording::json(&error.to_string());
            let (line, column) = (error.line().max(1), column(text, error.line(), error.column()));
            let finding = Finding::at(path, text, line, column, said.message);
            Unread::NotJson(Finding { hint: said.hint, ..finding })
        })?;
        let mut reader = Reader { skipped: text.len() - json.len(), twins: Vec::new() };
        let tree = parse_to_ast(json, &CollectOptions::default(), &ParseOptions::default());
        let Some(tree) = tree.ok().and_then(|tree| tree.value) else {
            return Err(Unread::NotJson(Finding::at(path, text, 1, 1, "not valid JSON")));
        };
        let root = reader.node(tree);
        let twins = reader.twins.into_iter().take(finding::MOST).map(|(at, key)| {
            let (line, column) = place(text, at);
            let message =
                format!("the key \"{}\" occurs twice in one object", crate::text::plain::cut(&key, 60));
            Finding::at(path, text, line, column, message).hint("remove one of the two")
        });
        let document = Document { text: text.to_owned(), root, value };
        Finding::all(twins.collect()).map_or(Ok(document), |finding| Err(Unread::DoubledKey(finding)))
    }

    /// The text between the quotation marks of a value, where that is what it says.
    pub fn plain_text(&self, node: &Node) -> Option<&str> {
        let text = self.text[node.span.clone()].strip_prefix('"')?.strip_suffix('"')?;
        (!text.contains('\\')).then_some(text)
    }

    /// The member of the root object with a key.
    pub fn member(&self, key: &str) -> Option<&Node> {
        let Kind::Object(members) = &self.root.kind else { return None };
        members.iter().find(|(name, _)| name == key).map(|(_, node)| node)
    }

    /// The text with `value` as a new last element of the array at `array`.
    pub fn with_element(&self, array: &Node, value: &Value) -> String {
        let Kind::Array(elements) = &array.kind else { return self.text.clone() };
        self.with(array, elements.last(), None, value)
    }

    /// The text with a new last member of the root object.
    pub fn with_member(&self, key: &str, value: &Value) -> String {
        self.with_member_in(&self.root, key, value)
    }

    /// The text with a new last member of the object at `object`.
    pub fn with_member_in(&self, object: &Node, key: &str, value: &Value) -> String {
        let Kind::Object(members) = &object.kind else { return self.text.clone() };
        self.with(object, members.last().map(|(_, last)| last), Some(key), value)
    }

    /// The text with the value at `node` replaced; only for a value that holds nothing.
    pub fn with_value(&self, node: &Node, value: &Value) -> String {
        let base = indentation_of(&self.text, self.line_start(node.span.start));
        let rendered = self.render(value, &base);
        format!("{}{rendered}{}", &self.text[..node.span.start], &self.text[node.span.end..])
    }

    fn with(&self, holder: &Node, last: Option<&Node>, key: Option<&str>, value: &Value) -> String {
        let (text, line_end) = (&self.text, line_end(&self.text));
        let holder_indent = indentation_of(text, self.line_start(holder.span.start));
        let spread = match last {
            Some(last) => text[holder.span.start..last.begin].contains('\n'),
            None => self.unit().is_some(),
        };
        let own_line = last.filter(|_| spread).map(|last| indentation_of(text, self.line_start(last.begin)));
        let indent =
            own_line.unwrap_or_else(|| format!("{holder_indent}{}", self.unit().unwrap_or_default()));
        let mut rendered = if spread { self.render(value, &indent) } else { value.to_string() };
        if let Some(key) = key {
            let colon = if self.unit().is_some() || text.contains("\": ") { ": " } else { ":" };
            rendered = format!("{}{colon}{rendered}", Value::String(key.to_owned()));
        }
        let close = holder.span.end - 1;
        match last {
            Some(last) if spread => {
                format!("{},{line_end}{indent}{rendered}{}", &text[..last.span.end], &text[last.span.end..])
            }
            Some(last) => {
                let blank = if text[holder.span.start..holder.span.end].contains(", ") { " " } else { "" };
                format!("{},{blank}{rendered}{}", &text[..last.span.end], &text[last.span.end..])
            }
            None if spread => {
                let open = &text[..=holder.span.start];
                format!("{open}{line_end}{indent}{rendered}{line_end}{holder_indent}{}", &text[close..])
            }
            None => format!("{}{rendered}{}", &text[..=holder.span.start], &text[close..]),
        }
    }

    /// A value over several lines, with the document's own indentation and line ends.
    fn render(&self, value: &Value, indent: &str) -> String {
        let Some(unit) = self.unit() else { return value.to_string() };
        let mut out = Vec::new();
        let formatter = serde_json::ser::PrettyFormatter::with_indent(unit.as_bytes());
        let mut serializer = serde_json::Serializer::with_formatter(&mut out, formatter);
        if value.serialize(&mut serializer).is_err() {
            return value.to_string();
        }
        let text = String::from_utf8(out).unwrap_or_default();
        text.replace('\n', &format!("{}{indent}", line_end(&self.text)))
    }

    /// What one level is indented by; none in a document on one line.
    fn unit(&self) -> Option<String> {
        let first = match &self.root.kind {
            Kind::Object(members) => members.first().map(|(_, node)| node.begin),
            Kind::Array(elements) => elements.first().map(|node| node.begin),
            Kind::Scalar => None,
        };
        let Some(first) = first else { return Some("  ".to_owned()) };
        let spread = self.text[self.root.span.start..first].contains('\n');
        spread.then(|| indentation_of(&self.text, self.line_start(first)))
    }

    fn line_start(&self, at: usize) -> usize {
        self.text[..at].rfind('\n').map_or(0, |line| line + 1)
    }
}

/// The text of some bytes.
///
/// # Errors
/// Bytes that are not UTF-8, with the place of the first of them.
pub fn utf8<'b>(path: &str, bytes: &'b [u8]) -> Result<&'b str, Finding> {
    std::str::from_utf8(bytes).map_err(|error| {
        let text = String::from_utf8_lossy(bytes);
        let (line, column) = place(&text, error.valid_up_to());
        Finding::at(path, &text, line, column, "not UTF-8").hint("save the file as UTF-8")
    })
}

/// The column in characters where serde_json counts bytes.
pub(crate) fn column(text: &str, line: usize, bytes: usize) -> usize {
    let found = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
    let (_, column) = place(found, bytes.saturating_sub(1));
    column
}

fn indentation_of(text: &str, line_start: usize) -> String {
    text[line_start..].chars().take_while(|c| matches!(c, ' ' | '\t')).collect()
}

/// Reads places out of a tree.
struct Reader {
    /// The bytes before the JSON.
    skipped: usize,
    /// Keys that occur twice in one object, with their places.
    twins: Vec<(usize, String)>,
}

impl Reader {
    fn node(&mut self, value: ast::Value<'_>) -> Node {
        let span = value.start() + self.skipped..value.end() + self.skipped;
        let begin = span.start;
        let kind = match value {
            ast::Value::Object(object) => Kind::Object(self.members(object)),
            ast::Value::Array(array) => {
                Kind::Array(array.elements.into_iter().map(|element| self.node(element)).collect())
            }
            _ => Kind::Scalar,
        };
        Node { span, kind, begin }
    }

    fn members(&mut self, object: ast::Object<'_>) -> Vec<(String, Node)> {
        let mut keys = HashSet::new();
        let mut members = Vec::new();
        for member in object.properties {
            let begin = member.start() + self.skipped;
            let key = member.name.into_string();
            // serde_json takes an object with this key for a number.
            if !keys.insert(key.clone()) || key == "$serde_json::private::Number" {
                self.twins.push((begin, key.clone()));
            }
            members.push((key, Node { begin, ..self.node(member.value) }));
        }
        members
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(text: &str) -> Document {
        Document::read("m.json", text.as_bytes()).unwrap()
    }

    fn with_record(text: &str) -> String {
        let document = read(text);
        match document.member("e") {
            Some(node) => document.with_element(node, &json!({"a": 1})),
            None => document.with_member("e", &json!([{"a": 1}])),
        }
    }

    #[test]
    fn an_element_goes_to_the_end_and_nothing_else_moves() {
        for (before, after) in [
            (
                "{\n  \"n\": 1e400,\n  \"e\": []\n}\n",
                "{\n  \"n\": 1e400,\n  \"e\": [\n    {\n      \"a\": 1\n    }\n  ]\n}\n",
            ),
            (
                "{\n\t\"e\": [\n\t\t{\"x\":1}\n\t]\n}",
                "{\n\t\"e\": [\n\t\t{\"x\":1},\n\t\t{\n\t\t\t\"a\": 1\n\t\t}\n\t]\n}",
            ),
            ("{\"e\":[]}", "{\"e\":[{\"a\":1}]}"),
            ("{\"e\": [1, 2]}", "{\"e\": [1, 2, {\"a\":1}]}"),
            ("{\"x\":12345678901234567890123}", "{\"x\":12345678901234567890123,\"e\":[{\"a\":1}]}"),
            ("{}", "{\n  \"e\": [\n    {\n      \"a\": 1\n    }\n  ]\n}"),
            (
                "{\r\n  \"x\": 1\r\n}\r\n",
                "{\r\n  \"x\": 1,\r\n  \"e\": [\r\n    {\r\n      \"a\": 1\r\n    }\r\n  ]\r\n}\r\n",
            ),
        ] {
            assert_eq!(with_record(before), after, "{before:?}");
            serde_json::from_str::<Value>(&with_record(before)).unwrap();
        }
    }

    #[test]
    fn doubled_keys_and_broken_text_are_refused_with_their_place() {
        let refused = |bytes: &[u8]| Document::read("m.json", bytes).unwrap_err();
        let doubled = refused(b"{\n \"a\": 1,\n \"a\": 2}");
        assert_eq!((doubled.line, doubled.column), (3, 2));
        assert!(refused(b"{\"a\": {\"b\": 1, \"\\u0062\": 2}}").message.contains("\"b\" occurs twice"));
        assert!(refused(b"{\"a\": }").message.contains("not valid JSON"));
        assert!(refused(b"{\"a\": \"\xff\"}").message.contains("UTF-8"));
        assert!(Document::read("m.json", "[".repeat(100_000).as_bytes()).is_err());
        let deep = |levels: usize| format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
        for levels in [1, 100, 101, 127] {
            let text = deep(levels);
            assert_eq!(read(&text).value.to_string(), text);
        }
        for levels in [128, 100_000] {
            assert!(
                refused(deep(levels).as_bytes()).message.contains("deep"),
                "{}",
                refused(deep(levels).as_bytes())
            );
        }
    }

    #[test]
    fn whatever_has_no_value_is_no_document() {
        for text in [
            "\"\\ud800\"",
            "\"\\u12\"",
            "{\"$serde_json::private::Number\": {}}",
            "{\"$serde_json::private::Number\": \"1\"}",
            "[1, 2",
            "\"a\nb\"",
            "\"\\x\"",
            "01",
            "1.",
            "1e",
            "-",
            "nul",
            "{\"a\" 1}",
            "{\"a\": 1,}",
            "[1,]",
            "",
            "1 2",
            "\"\\",
        ] {
            assert!(Document::read("m.json", text.as_bytes()).is_err(), "{text}");
        }
        for text in [
            "\"\\ud83d\\ude00\"",
            "1e400",
            "-0",
            " [ ] ",
            "{\"a\\n\": \"\\\\\"}",
            "{\"a\": {\"a\": [\"}\", \"\\\"]\"]}}",
        ] {
            let value: Value = serde_json::from_str(text).unwrap();
            assert_eq!(read(text).value, value, "{text}");
        }
        let many: String = (0..40).map(|key| format!("\"k{key}\": 1, ")).collect();
        assert!(Document::read("m.json", format!("{{{many}\"x\": 1}}").as_bytes()).is_ok());
        for key in ["k3", "k16", "k39"] {
            assert!(Document::read("m.json", format!("{{{many}\"{key}\": 1}}").as_bytes()).is_err());
        }
    }
}
