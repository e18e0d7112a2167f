//! The structure rule for YAML (S5), compared as data: mappings gain keys, sequences grow at their
//! end, scalars stay as they are written, quotation marks included, and documents are added at the end of
//! the stream only. Aliases stand for what they refer to. Comments on lines of their own stay in their
//! order, and a comment behind a value stays with it. Key order, indentation, and flow or block style are
//! free.
//!
//! `yes` and `'yes'`, or `1.10` and `1.1`, are the same to one reader and two values to another: so the
//! text of a scalar counts, not a value that a schema makes of it.
//!
//! YAML 1.2 knows no merge keys, but many readers do. So where `<<` is in play, the documents are compared
//! once more with what is merged in: a key that is added to an anchor must not override anything.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

use saphyr_parser::{Event, Parser, ScalarStyle, Span, Tag};

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
    let mut found = walked(&old, &new, false);
    if found.is_empty() && (old.merges || new.merges) {
        found = walked(&old, &new, true);
    }
    let mut kept = new.comments.iter();
    if let Some((line, comment)) = old.comments.iter().find(|(_, text)| !kept.any(|(_, new)| new == text)) {
        let message = format!("the comment \"{}\" is lost, changed or moved", quoted(comment));
        found.push(Found::new(Layer::Data, Code::LineLost, *line, message));
    }
    found
}

/// Compares all documents, with what is merged in or without.
fn walked(old: &Stream<'_>, new: &Stream<'_>, merging: bool) -> Vec<Found> {
    let mut walk = Walk {
        old,
        new,
        merging,
        found: Vec::new(),
        seen: HashSet::new(),
        effort: 0,
        most: 100_000 + 10 * (old.nodes.len() + new.nodes.len()),
    };
    for (index, root) in old.documents.iter().enumerate() {
        match new.documents.get(index) {
            Some(image) => walk.value(*root, *image, String::new(), 0),
            None => walk.lost(*root, Code::Array, format!("document {} is lost", index + 1)),
        }
    }
    walk.found
}

/// A stream of documents as nodes in one row; an alias is the index of what it stands for.
#[derive(Default)]
struct Stream<'t> {
    nodes: Vec<Node<'t>>,
    documents: Vec<usize>,
    /// Whole-line comments with their line, without the blanks around them.
    comments: Vec<(usize, &'t str)>,
    /// Comments behind a value, by the node that they belong to.
    trailing: HashMap<usize, &'t str>,
    /// Whether any mapping has a merge key.
    merges: bool,
}

struct Node<'t> {
    line: u32,
    tag: Option<Box<str>>,
    kind: Kind<'t>,
}

enum Kind<'t> {
    Scalar(Scalar<'t>),
    Sequence(Vec<usize>),
    /// Keys as they compare, with key node and value node.
    Mapping(Members),
}

type Members = BTreeMap<Box<str>, (usize, usize)>;

/// The key that merges another mapping in, as it compares.
const MERGE: &str = "Plain\"<<\"";

/// A scalar as it is written.
#[derive(Debug, PartialEq, Eq)]
struct Scalar<'t> {
    style: ScalarStyle,
    text: Cow<'t, str>,
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
    let mut places = Places::new(text);
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
                let scalar = Kind::Scalar(Scalar { style, text: value });
                let node = stream.add(line, tag.as_deref(), scalar);
                places.scalar(&span, style, node);
                anchors.insert(anchor, node);
                node
            }
            Event::Alias(anchor) => match anchors.get(&anchor) {
                // Its comment is its own: there is no node for an alias.
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
                places.end(span.start.line(), span.start.col(), node);
                begin(&mut open, &mut anchors, anchor, node, line)?;
                continue;
            }
            Event::MappingStart(anchor, tag) => {
                let node = stream.add(line, tag.as_deref(), Kind::Mapping(BTreeMap::new()));
                places.end(span.start.line(), span.start.col(), node);
                begin(&mut open, &mut anchors, anchor, node, line)?;
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(closed) => {
                    // A bracket; what ends by indentation ends at no place of its own.
                    if span.end.index() > span.start.index() {
                        places.end(span.start.line(), span.start.col() + 1, closed.node);
                    }
                    closed.node
                }
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
        stream.merges |= name == MERGE;
        let line = stream.nodes[key].line as usize;
        let Kind::Mapping(members) = &mut stream.nodes[at].kind else { continue };
        if members.contains_key(&*name) {
            let message = format!("the key {} stands twice in one mapping", quoted(&name));
            return Err(Broken { code: Code::DuplicateKey, line, message });
        }
        members.insert(name.into_boxed_str(), (key, node));
    }
    let (whole, trailing) = comments(text, &inside, &mut places);
    (stream.comments, stream.trailing) = (whole, trailing);
    stream.nodes.shrink_to_fit();
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

/// Where nodes end, and where quotation marks are: a `#` in them begins no comment.
struct Places<'t> {
    /// Line, column and node, in the order of the text.
    ends: Vec<(u32, u32, u32)>,
    /// Line, first and last column of a quoted scalar's part on it.
    quoted: Vec<(usize, usize, usize)>,
    /// What is left of the text, and how many characters were passed.
    rest: std::str::Chars<'t>,
    passed: usize,
}

impl<'t> Places<'t> {
    fn new(text: &'t str) -> Places<'t> {
        Places { ends: Vec::new(), quoted: Vec::new(), rest: text.chars(), passed: 0 }
    }

    fn end(&mut self, line: usize, column: usize, node: usize) {
        self.ends.push((narrow(line), narrow(column), narrow(node)));
    }

    fn scalar(&mut self, span: &Span, style: ScalarStyle, node: usize) {
        let start = span.start;
        let (line, column) = match style {
            ScalarStyle::Literal | ScalarStyle::Folded => (start.line(), start.col()),
            ScalarStyle::Plain => (span.end.line(), span.end.col()),
            ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => self.closing_quote(span),
        };
        if matches!(style, ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted) {
            let first = if start.line() == line { start.col() } else { 0 };
            self.quoted.push((line, first, column));
            if start.line() < line {
                self.quoted.push((start.line(), start.col(), usize::MAX));
            }
        }
        self.end(line, column, node);
    }

    /// The place behind a scalar's closing quotation mark. The parser's own span goes on to the next token.
    fn closing_quote(&mut self, span: &Span) -> (usize, usize) {
        let (mut line, mut column) = (span.start.line(), span.start.col());
        while self.passed < span.start.index() && self.rest.next().is_some() {
            self.passed += 1;
        }
        let Some(quote) = self.next() else { return (line, column) };
        column += 1;
        while let Some(sign) = self.next() {
            column += 1;
            match sign {
                '\n' => (line, column) = (line + 1, 0),
                '\\' if quote == '"' => match self.next() {
                    Some('\n') => (line, column) = (line + 1, 0),
                    _ => column += 1,
                },
                sign if sign == quote => {
                    if quote == '"' || !self.rest.as_str().starts_with(quote) {
                        break;
                    }
                    self.next();
                    column += 1;
                }
                _ => {}
            }
        }
        (line, column)
    }

    fn next(&mut self) -> Option<char> {
        let sign = self.rest.next();
        self.passed += usize::from(sign.is_some());
        sign
    }

    /// The node that a comment belongs to: the last that ends before it on its line.
    fn before(&self, line: usize, column: usize) -> Option<usize> {
        let (line, column) = (narrow(line), narrow(column));
        let next = self.ends.partition_point(|(at, end, _)| (*at, *end) <= (line, column));
        let (at, _, node) = self.ends.get(next.checked_sub(1)?)?;
        (*at == line).then_some(*node as usize)
    }

    fn is_quoted(&self, line: usize, column: usize) -> bool {
        let next = self.quoted.partition_point(|(at, first, _)| (*at, *first) <= (line, column));
        let found = next.checked_sub(1).and_then(|found| self.quoted.get(found));
        found.is_some_and(|(at, first, last)| *at == line && (*first..*last).contains(&column))
    }
}

/// A place in 32 bits: texts that are read are smaller.
fn narrow(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}

type Comments<'t> = (Vec<(usize, &'t str)>, HashMap<usize, &'t str>);

/// The comments on lines of their own, and those behind values.
fn comments<'t>(text: &'t str, inside: &[(usize, usize)], places: &mut Places<'_>) -> Comments<'t> {
    places.ends.sort_by_key(|(line, column, _)| (*line, *column));
    places.quoted.sort_unstable();
    let mut scalars = inside.iter().peekable();
    let (mut whole, mut trailing) = (Vec::new(), HashMap::new());
    for (at, line) in text.lines().enumerate() {
        let number = at + 1;
        while scalars.next_if(|(_, last)| *last < number).is_some() {}
        let within = scalars.peek().is_some_and(|(first, _)| *first <= number);
        if !line.contains('#') || within && places.before(number, usize::MAX).is_none() {
            continue;
        }
        let mut blank = true;
        for (column, (byte, sign)) in line.char_indices().enumerate() {
            if sign == '#' && blank && !places.is_quoted(number, column) {
                let comment = line[byte..].trim();
                match places.before(number, column) {
                    // A comment behind a block scalar's header, or behind a value.
                    Some(node) => trailing.insert(node, comment),
                    None if within => break,
                    None => {
                        whole.push((number, comment));
                        break;
                    }
                };
                break;
            }
            blank = matches!(sign, ' ' | '\t');
        }
    }
    (whole, trailing)
}

impl<'t> Stream<'t> {
    fn add(&mut self, line: usize, tag: Option<&Tag>, kind: Kind<'t>) -> usize {
        let tag = tag.map(|tag| tag.to_string().into_boxed_str());
        self.nodes.push(Node { line: line as u32, tag, kind });
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
            Kind::Scalar(Scalar { style, text }) => format!("{style:?}{text:?}"),
            Kind::Sequence(elements) => {
                elements.iter().map(|element| self.name(*element, effort)).collect::<Vec<_>>().join(",")
            }
            Kind::Mapping(members) => {
                let member = |(key, (_, value)): (&Box<str>, &(usize, usize))| (key.clone(), *value);
                let members: Vec<_> = members.iter().map(member).collect();
                let parts = members.iter().map(|(key, value)| format!("{key}:{}", self.name(*value, effort)));
                format!("{{{}}}", parts.collect::<Vec<_>>().join(","))
            }
        };
        format!("{}{name}", node.tag.as_deref().unwrap_or_default())
    }
}

struct Walk<'a> {
    old: &'a Stream<'a>,
    new: &'a Stream<'a>,
    /// Merge keys are resolved.
    merging: bool,
    found: Vec<Found>,
    /// Pairs of collections that were compared: aliases bring them up again.
    seen: HashSet<(usize, usize)>,
    /// Pairs compared so far: what is merged in can be more than the texts are long.
    effort: usize,
    most: usize,
}

impl<'a> Walk<'a> {
    fn lost(&mut self, at: usize, code: Code, message: String) {
        if self.found.len() < super::json::MOST {
            self.found.push(Found::new(Layer::Data, code, self.old.nodes[at].line as usize, message));
        }
    }

    /// The members of a mapping with those that are merged in: its own come first, then earlier sources.
    fn effective(&mut self, stream: &'a Stream<'a>, at: usize) -> HashMap<&'a str, (usize, usize)> {
        let (mut found, mut open, mut seen) = (HashMap::new(), vec![at], HashSet::new());
        while let Some(at) = open.pop() {
            self.effort += 1;
            match &stream.nodes[at].kind {
                Kind::Mapping(members) if seen.insert(at) && self.effort <= self.most => {
                    self.effort += members.len();
                    for (name, member) in members.iter().filter(|(name, _)| &***name != MERGE) {
                        found.entry(&**name).or_insert(*member);
                    }
                    open.extend(members.get(MERGE).map(|(_, source)| *source));
                }
                Kind::Sequence(sources) => open.extend(sources.iter().rev()),
                Kind::Mapping(_) | Kind::Scalar(_) => {}
            }
        }
        found
    }

    fn value(&mut self, u: usize, v: usize, at: String, depth: usize) {
        self.effort += 1;
        if self.effort > self.most || depth > 2 * DEEPEST {
            if !self.found.iter().any(|found| found.code == Code::Unparsable) {
                self.lost(u, Code::Unparsable, "aliases stand for more than can be compared".to_owned());
            }
            return;
        }
        let (old, new) = (&self.old.nodes[u], &self.new.nodes[v]);
        let collection = !matches!(old.kind, Kind::Scalar(_));
        if collection && !self.seen.insert((u, v)) {
            return;
        }
        let shown = || if at.is_empty() { "the document".to_owned() } else { quoted(&at) };
        if let Some(comment) = self.old.trailing.get(&u).filter(|_| !self.merging)
            && self.new.trailing.get(&v) != Some(comment)
        {
            let message =
                format!("the comment \"{}\" of {} is lost, changed or moved", quoted(comment), shown());
            self.lost(u, Code::LineLost, message);
        }
        match (&old.kind, &new.kind) {
            _ if old.tag != new.tag => self.lost(u, Code::Scalar, format!("the tag of {} changed", shown())),
            (Kind::Scalar(old), Kind::Scalar(new)) if old == new => {}
            (Kind::Sequence(old), Kind::Sequence(new)) => {
                if new.len() < old.len() {
                    self.lost(u, Code::Array, format!("{} lost elements", shown()));
                }
                for (index, (u, v)) in old.iter().zip(new).enumerate() {
                    self.value(*u, *v, format!("{at}/{index}"), depth + 1);
                }
            }
            (Kind::Mapping(_), Kind::Mapping(_)) if self.merging => self.merged(u, v, &at, depth),
            (Kind::Mapping(old), Kind::Mapping(new)) => {
                for (name, (key, u)) in old {
                    let path = format!("{at}/{}", bare(name));
                    match new.get(name) {
                        Some((other, v)) => {
                            self.comment_of_key(*key, *other, &path);
                            self.value(*u, *v, path, depth + 1);
                        }
                        None => self.lost(*key, Code::KeyLost, format!("the key {} is lost", quoted(&path))),
                    }
                }
            }
            _ => self.lost(u, Code::Scalar, format!("the value of {} changed", shown())),
        }
    }

    /// A comment behind a key whose value begins on the next line.
    fn comment_of_key(&mut self, old: usize, new: usize, path: &str) {
        if let Some(comment) = self.old.trailing.get(&old)
            && self.new.trailing.get(&new) != Some(comment)
        {
            let message =
                format!("the comment \"{}\" of {} is lost, changed or moved", quoted(comment), quoted(path));
            self.lost(old, Code::LineLost, message);
        }
    }

    /// Compares what two mappings have in effect.
    fn merged(&mut self, u: usize, v: usize, at: &str, depth: usize) {
        let (old, new) = (self.effective(self.old, u), self.effective(self.new, v));
        let mut names: Vec<&str> = old.keys().copied().collect();
        names.sort_unstable();
        for name in names {
            let path = format!("{at}/{}", bare(name));
            let (key, was) = old[name];
            let before = self.found.len();
            match new.get(name) {
                Some((_, is)) => self.value(was, *is, path.clone(), depth + 1),
                None => self.lost(key, Code::KeyLost, format!("the key {} is lost", quoted(&path))),
            }
            if let Some(found) = self.found.get_mut(before).filter(|found| found.code == Code::Scalar) {
                found.message = format!("{}: a key that is merged in is overridden now", found.message);
            }
        }
    }
}

/// A key as people read it.
fn bare(name: &str) -> &str {
    let text = name.find('"').map_or(name, |at| &name[at..]);
    text.trim_matches('"')
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
            ("a: [1, 2]\n", "a:\n  - 1\n  - 2\n  - 3\n"),
            ("a: 'x'\n", "b: y\na: 'x'\n"),
            ("a: &b {x: 1}\nb:\n  <<: *b\n  y: 2\n", "a: &b {x: 1, y: 3}\nb:\n  <<: *b\n  y: 2\n"),
            ("a: 1 # one\n", "b: 2 # two\na: 1 # one\n"),
            ("a: # of a\n  - 1\n", "a: # of a\n  - 1\n  - 2\n"),
            ("a: 'x # y' # z\n", "a: 'x # y' # z\nb: 1\n"),
            ("a: | # head\n  x # no\n", "a: | # head\n  x # no\nb: 1\n"),
            ("a: [1, # one\n  2] # two\n", "a: [1, # one\n  2] # two\nb: 1\n"),
            ("# c\na: 1\n", "z: 0\n# more\n# c\na: 1\n"),
            ("a: |\n  # no comment\n", "b: 1\na: |\n    # no comment\n"),
            ("a: 1\n", "a: 1\n---\nb: 2\n"),
            ("x: &v [1]\ny: *v\n", "x: [1]\ny: [1, 2]\n"),
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
            ("a: yes\n", "a: 'yes'\n", Code::Scalar),
            ("a: 1.10\n", "a: 1.1\n", Code::Scalar),
            ("a: |\n  x\n", "a: \"x\\n\"\n", Code::Scalar),
            ("a: 1 # trailing\n", "a: 1\n", Code::LineLost),
            ("a: 1 # one\nb: 2\n", "a: 1\nb: 2 # one\n", Code::LineLost),
            ("a: 'x' # one\n", "a: 'x'\nb: '# one'\n", Code::LineLost),
            ("a: # of a\n  - 1\n", "a:\n  - 1 # of a\n", Code::LineLost),
            (
                "a: &b {x: 1}\nc: &d {y: 2}\ne: {<<: [*b, *d]}\n",
                "a: &b {x: 1, y: 3}\nc: &d {y: 2}\ne: {<<: [*b, *d]}\n",
                Code::Scalar,
            ),
            ("a: {<<: {x: 1}}\n", "a: {<<: {x: 1}, x: 2}\n", Code::Scalar),
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
        assert_eq!(codes(&bomb, &format!("{bomb}z: 1\n")), []);
        assert_eq!(codes("a: &a [*a]\n", "a: &a [*a]\nb: 1\n"), [Code::Unparsable]);
        // Merges of merges: each level has what all below it have.
        let mut merges = "a0: &a0 {k0: 0}\n".to_owned();
        for level in 1..2_000 {
            merges.push_str(&format!("a{level}: &a{level} {{<<: *a{}, k{level}: 0}}\n", level - 1));
        }
        assert_eq!(codes(&merges, &format!("{merges}z: 1\n")), [Code::Unparsable]);
        let deep = "[".repeat(100_000);
        assert_eq!(codes("a: 1\n", &deep), [Code::Unparsable]);
    }
}
