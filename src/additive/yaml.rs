//! The structure rule for YAML (S5), compared as data: mappings gain keys, sequences grow at their
//! end, scalars stay, documents are added at the end of the stream only. Aliases stand for what
//! they refer to; whole-line comments stay, in their order. Key order, quotes that change no type,
//! indentation and flow or block style are free.
//!
//! Scalars are read by YAML 1.2's core schema, numbers as exact decimals.

use std::collections::BTreeMap;

use saphyr_parser::{Event, Parser, ScalarStyle, Span, Tag};

use super::json::{Decimal, decimal};
use super::{Code, Found, Layer, quoted};

/// What the new stream loses or alters of the old one.
pub fn losses(before: &[u8], after: &[u8]) -> Vec<Found> {
    let one = |code, line, message: String| vec![Found::new(Layer::Data, code, line, message)];
    let (old, new) = match (read(before), read(after)) {
        (Err(broken), _) => {
            let message =
                format!("the old text is not readable YAML, so it must stay as it is: {}", broken.message);
            return one(Code::Unparsable, 1, message);
        }
        (_, Err(broken)) => {
            let message = format!("the new text cannot be read: {}", broken.message);
            let found = Found::new(Layer::Data, broken.code, 1, message);
            return vec![found.head(broken.line)];
        }
        (Ok(old), Ok(new)) => (old, new),
    };
    let mut walk = Walk { old: &old, new: &new, found: Vec::new(), effort: 0 };
    for (index, root) in old.documents.iter().enumerate() {
        match new.documents.get(index) {
            Some(image) => walk.value(*root, *image, String::new(), 0),
            None => walk.lost(*root, Code::Array, format!("document {} is lost", index + 1)),
        }
    }
    let mut found = walk.found;
    let mut kept = new.comments.iter();
    if let Some((line, comment)) = old.comments.iter().find(|(_, text)| !kept.any(|(_, new)| new == text)) {
        let message = format!("the comment \"{}\" is lost, changed or moved", quoted(comment));
        found.push(Found::new(Layer::Data, Code::LineLost, *line, message));
    }
    found
}

/// A stream of documents as nodes in one row; an alias is the index of what it stands for.
#[derive(Default)]
struct Stream<'t> {
    nodes: Vec<Node<'t>>,
    documents: Vec<usize>,
    /// Whole-line comments with their line, without the blanks around them.
    comments: Vec<(usize, &'t str)>,
}

struct Node<'t> {
    line: usize,
    tag: String,
    kind: Kind<'t>,
}

enum Kind<'t> {
    Scalar(Scalar<'t>),
    Sequence(Vec<usize>),
    /// Keys as they compare, with key node and value node.
    Mapping(Members),
}

type Members = BTreeMap<String, (usize, usize)>;

/// A scalar by the core schema.
#[derive(Debug, PartialEq, Eq)]
enum Scalar<'t> {
    Null,
    Bool(bool),
    Number(Decimal),
    /// `.inf`, `-.inf` and `.nan`, in lower case without a plus sign.
    NotFinite(String),
    Text(std::borrow::Cow<'t, str>),
}

struct Broken {
    code: Code,
    line: usize,
    message: String,
}

/// Collections inside of each other beyond this are refused, as parsers of JSON do.
const DEEPEST: usize = 128;

/// A collection that is open: its node, and a key that waits for its value.
struct Open {
    node: usize,
    key: Option<usize>,
}

fn read(text: &[u8]) -> Result<Stream<'_>, Broken> {
    let broken = |code, line, message: &str| Broken { code, line, message: message.to_owned() };
    let text = std::str::from_utf8(text).map_err(|_| broken(Code::Unparsable, 1, "it is not UTF-8"))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.contains('\0') {
        return Err(broken(Code::Unparsable, 1, "it holds a NUL byte"));
    }
    let mut stream = Stream::default();
    let mut open: Vec<Open> = Vec::new();
    let mut anchors: BTreeMap<usize, usize> = BTreeMap::new();
    // Lines that are the inside of a scalar: a `#` there begins no comment.
    let mut inside: Vec<(usize, usize)> = Vec::new();
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| Broken {
            code: Code::Unparsable,
            line: error.marker().line(),
            message: format!("not valid YAML: {}", quoted(error.info())),
        })?;
        let line = span.start.line();
        let node = match event {
            Event::Scalar(value, style, anchor, tag) => {
                inside.extend(inside_of(&span, style));
                let scalar = match (style, tag.as_deref()) {
                    (ScalarStyle::Plain, None) => plain(value),
                    _ => Scalar::Text(value),
                };
                let node = stream.add(line, tag.as_deref(), Kind::Scalar(scalar));
                anchors.insert(anchor, node);
                node
            }
            Event::Alias(anchor) => match anchors.get(&anchor) {
                Some(node) => *node,
                None => {
                    return Err(broken(
                        Code::Unparsable,
                        line,
                        "an alias stands for nothing that ended before it",
                    ));
                }
            },
            Event::SequenceStart(anchor, tag) => {
                let node = stream.add(line, tag.as_deref(), Kind::Sequence(Vec::new()));
                begin(&mut open, &mut anchors, anchor, node, line)?;
                continue;
            }
            Event::MappingStart(anchor, tag) => {
                let node = stream.add(line, tag.as_deref(), Kind::Mapping(BTreeMap::new()));
                begin(&mut open, &mut anchors, anchor, node, line)?;
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(closed) => closed.node,
                None => continue,
            },
            _ => continue,
        };
        let Some(holder) = open.last_mut() else {
            stream.documents.push(node);
            continue;
        };
        if holder.node == node || open.iter().any(|open| open.node == node) {
            return Err(broken(Code::Unparsable, line, "an alias stands for what it is a part of"));
        }
        let Some(holder) = open.last_mut() else { continue };
        let (at, key) = (holder.node, holder.key.take());
        let (is_sequence, key) = (matches!(stream.nodes[at].kind, Kind::Sequence(_)), key);
        if is_sequence {
            if let Kind::Sequence(elements) = &mut stream.nodes[at].kind {
                elements.push(node);
            }
            continue;
        }
        let Some(key) = key else {
            holder.key = Some(node);
            continue;
        };
        let mut effort = 0;
        let name = stream.name(key, &mut effort);
        let line = stream.nodes[key].line;
        let Kind::Mapping(members) = &mut stream.nodes[at].kind else { continue };
        if members.contains_key(&name) {
            let message = format!("the key {} stands twice in one mapping", quoted(&name));
            return Err(Broken { code: Code::DuplicateKey, line, message });
        }
        members.insert(name, (key, node));
    }
    stream.comments = comments(text, &inside);
    Ok(stream)
}

/// A collection begins; its anchor can be referred to from now on.
fn begin(
    open: &mut Vec<Open>,
    anchors: &mut BTreeMap<usize, usize>,
    anchor: usize,
    node: usize,
    line: usize,
) -> Result<(), Broken> {
    if anchor > 0 {
        anchors.insert(anchor, node);
    }
    open.push(Open { node, key: None });
    if open.len() > DEEPEST {
        let message = "it is nested more than 128 levels deep".to_owned();
        return Err(Broken { code: Code::Unparsable, line, message });
    }
    Ok(())
}

/// The lines that belong to a scalar alone: all of a block scalar's, and those of any other behind
/// its first one.
fn inside_of(span: &Span, style: ScalarStyle) -> Option<(usize, usize)> {
    let (first, last) = (span.start.line(), span.end.line());
    match style {
        // Its span ends at the beginning of the line behind it.
        ScalarStyle::Literal | ScalarStyle::Folded if span.end.col() == 0 => {
            Some((first, last.saturating_sub(1)))
        }
        ScalarStyle::Literal | ScalarStyle::Folded => Some((first, last)),
        _ => (last > first).then_some((first + 1, last)),
    }
}

fn comments<'t>(text: &'t str, inside: &[(usize, usize)]) -> Vec<(usize, &'t str)> {
    let mut scalars = inside.iter().peekable();
    let mut found = Vec::new();
    for (at, line) in text.lines().enumerate() {
        while scalars.next_if(|(_, last)| *last < at + 1).is_some() {}
        let within = scalars.peek().is_some_and(|(first, _)| *first <= at + 1);
        let line = line.trim();
        if line.starts_with('#') && !within {
            found.push((at + 1, line));
        }
    }
    found
}

/// A plain scalar by YAML 1.2's core schema (10.3.2).
fn plain(value: std::borrow::Cow<'_, str>) -> Scalar<'_> {
    match &*value {
        "" | "~" | "null" | "Null" | "NULL" => return Scalar::Null,
        "true" | "True" | "TRUE" => return Scalar::Bool(true),
        "false" | "False" | "FALSE" => return Scalar::Bool(false),
        _ => {}
    }
    let bare = value.strip_prefix('+').unwrap_or(&value);
    let unsigned = bare.strip_prefix('-').unwrap_or(bare);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF" | ".nan" | ".NaN" | ".NAN") {
        return Scalar::NotFinite(bare.to_ascii_lowercase());
    }
    for (prefix, radix) in [("0x", 16), ("0o", 8)] {
        if let Some(number) =
            value.strip_prefix(prefix).and_then(|digits| u128::from_str_radix(digits, radix).ok())
        {
            return Scalar::Number(decimal(&number.to_string()));
        }
    }
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (mantissa, exponent) =
        unsigned.split_once(['e', 'E']).map_or((unsigned, None), |(m, e)| (m, Some(e)));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    let power = exponent.is_none_or(|exponent| digits(exponent.strip_prefix(['-', '+']).unwrap_or(exponent)));
    let is_number = power
        && (digits(whole) || whole.is_empty() && mantissa.len() > 1)
        && (digits(fraction) || fraction.is_empty())
        && (digits(whole) || digits(fraction));
    if is_number { Scalar::Number(decimal(bare)) } else { Scalar::Text(value) }
}

impl<'t> Stream<'t> {
    fn add(&mut self, line: usize, tag: Option<&Tag>, kind: Kind<'t>) -> usize {
        self.nodes.push(Node { line, tag: tag.map(ToString::to_string).unwrap_or_default(), kind });
        self.nodes.len() - 1
    }

    /// A key as it compares; a collection as a key, by all it holds, up to a limit.
    fn name(&self, at: usize, effort: &mut usize) -> String {
        *effort += 1;
        let node = &self.nodes[at];
        if *effort > 1_000 {
            return format!("…{at}");
        }
        let name = match &node.kind {
            Kind::Scalar(Scalar::Text(text)) => format!("{text:?}"),
            Kind::Scalar(other) => format!("{other:?}"),
            Kind::Sequence(elements) => {
                elements.iter().map(|element| self.name(*element, effort)).collect::<Vec<_>>().join(",")
            }
            Kind::Mapping(members) => {
                let member = |(key, (_, value)): (&String, &(usize, usize))| (key.clone(), *value);
                let members: Vec<_> = members.iter().map(member).collect();
                let parts = members.iter().map(|(key, value)| format!("{key}:{}", self.name(*value, effort)));
                format!("{{{}}}", parts.collect::<Vec<_>>().join(","))
            }
        };
        format!("{}{name}", node.tag)
    }
}

struct Walk<'a> {
    old: &'a Stream<'a>,
    new: &'a Stream<'a>,
    found: Vec<Found>,
    /// Pairs compared so far: aliases can stand for more than the texts are long.
    effort: usize,
}

impl<'a> Walk<'a> {
    fn lost(&mut self, at: usize, code: Code, message: String) {
        if self.found.len() < super::json::MOST {
            self.found.push(Found::new(Layer::Data, code, self.old.nodes[at].line, message));
        }
    }

    /// The keys that a mapping has by `<<`: YAML 1.2 knows no merge keys, many readers do.
    fn merged<'m>(&self, members: &'m Members) -> impl Iterator<Item = &'a String> + use<'a, 'm> {
        let stream = self.old;
        let sources = members.get("\"<<\"").map(|(_, source)| *source);
        let all = sources.into_iter().flat_map(move |source| match &stream.nodes[source].kind {
            Kind::Sequence(all) => all.clone(),
            _ => vec![source],
        });
        all.flat_map(move |source| match &stream.nodes[source].kind {
            Kind::Mapping(members) => members.keys().collect::<Vec<_>>(),
            _ => Vec::new(),
        })
    }

    fn value(&mut self, u: usize, v: usize, at: String, depth: usize) {
        self.effort += 1;
        let most = 10 * (self.old.nodes.len() + self.new.nodes.len()) + 10_000;
        if self.effort > most || depth > 2 * DEEPEST {
            if self.effort == most + 1 || depth > 2 * DEEPEST {
                self.lost(u, Code::Unparsable, "aliases stand for more than can be compared".to_owned());
                self.effort = most + 1;
            }
            return;
        }
        let (old, new) = (&self.old.nodes[u], &self.new.nodes[v]);
        let shown = if at.is_empty() { "the document".to_owned() } else { quoted(&at) };
        match (&old.kind, &new.kind) {
            _ if old.tag != new.tag => self.lost(u, Code::Scalar, format!("the tag of {shown} changed")),
            (Kind::Scalar(old), Kind::Scalar(new)) if old == new => {}
            (Kind::Sequence(old), Kind::Sequence(new)) => {
                if new.len() < old.len() {
                    self.lost(u, Code::Array, format!("{shown} lost elements"));
                }
                for (index, (u, v)) in old.iter().zip(new).enumerate() {
                    self.value(*u, *v, format!("{at}/{index}"), depth + 1);
                }
            }
            (Kind::Mapping(old), Kind::Mapping(new)) => {
                for name in
                    self.merged(old).filter(|name| new.contains_key(*name) && !old.contains_key(*name))
                {
                    let message = format!("the key {} was merged in, and is written over now", quoted(name));
                    self.lost(u, Code::Scalar, message);
                }
                for (name, (key, u)) in old {
                    let path = format!("{at}/{}", name.trim_matches('"'));
                    match new.get(name) {
                        Some((_, v)) => self.value(*u, *v, path, depth + 1),
                        None => self.lost(*key, Code::KeyLost, format!("the key {} is lost", quoted(&path))),
                    }
                }
            }
            _ => self.lost(u, Code::Scalar, format!("the value of {shown} changed")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(before: &str, after: &str) -> Vec<Code> {
        losses(before.as_bytes(), after.as_bytes()).into_iter().map(|found| found.code).collect()
    }

    #[test]
    fn data_that_only_grows_passes() {
        for (before, after) in [
            ("a: 1\n", "b: 2\na: 1\n"),
            ("a: [1, 2]\n", "a:\n  - 1.0\n  - 2\n  - 3\n"),
            ("a: x\n", "a: 'x'\n"),
            ("a: 0x10\nb: 1e2\n", "b: 100\na: 16\n"),
            ("# c\na: 1\n", "z: 0\n# more\n# c\na: 1\n"),
            ("a: |\n  # no comment\n", "a: \"# no comment\\n\"\n"),
            ("a: 1\n", "a: 1\n---\nb: 2\n"),
            ("x: &v [1]\ny: *v\n", "x: [1]\ny: [1, 2]\n"),
            ("a: 1 # trailing\n", "a: 1\n"),
            ("", "a: 1\n"),
        ] {
            assert_eq!(codes(before, after), [], "{before:?} {after:?}");
        }
    }

    #[test]
    fn data_that_loses_or_changes_fails() {
        for (before, after, code) in [
            ("a: 1\nb: 2\n", "a: 1\n", Code::KeyLost),
            ("a: true\n", "a: 'true'\n", Code::Scalar),
            ("a: 1\n", "a: true\n", Code::Scalar),
            ("a: [1, 2]\n", "a: [0, 1, 2]\n", Code::Scalar),
            ("a: [1, 2]\n", "a: [1]\n", Code::Array),
            ("a:\n", "a: 1\n", Code::Scalar),
            ("a: 1\n", "a: 1\na: 2\n", Code::DuplicateKey),
            ("a: 1\n", "a: [\n", Code::Unparsable),
            ("a: [\n", "a: [1]\n", Code::Unparsable),
            ("# c\na: 1\n", "a: 1\n", Code::LineLost),
            ("# c\na: 1\n", "b: |\n  # c\na: 1\n", Code::LineLost),
            ("a: 1\n---\nb: 2\n", "b: 2\n---\na: 1\n", Code::KeyLost),
            ("a: 1\n---\nb: 2\n", "a: 1\n", Code::Array),
            ("a: !x 1\n", "a: 1\n", Code::Scalar),
            ("a: 0.10000000000000000000001\n", "a: 0.1\n", Code::Scalar),
            ("a: &v 1\nb: *v\n", "a: 1\nb: 2\n", Code::Scalar),
            ("b: &b {r: user}\na:\n  <<: *b\n", "b: &b {r: user}\na:\n  <<: *b\n  r: admin\n", Code::Scalar),
        ] {
            assert_eq!(codes(before, after).first(), Some(&code), "{before:?} {after:?}");
        }
    }

    #[test]
    fn bombs_end_quickly() {
        let mut bomb = "a0: &a0 [x, x]\n".to_owned();
        for level in 1..60 {
            bomb.push_str(&format!("a{level}: &a{level} [*a{0}, *a{0}]\n", level - 1));
        }
        assert_eq!(codes(&bomb, &format!("{bomb}z: 1\n")), [Code::Unparsable]);
        assert_eq!(codes("a: &a [*a]\n", "a: &a [*a]\nb: 1\n"), [Code::Unparsable]);
        let deep = "[".repeat(100_000);
        assert_eq!(codes("a: 1\n", &deep), [Code::Unparsable]);
    }
}
