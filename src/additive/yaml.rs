//! The structure rule for YAML (G-S5), compared as data: mappings gain keys, sequences grow at their
//! end, scalars stay as they are written, quotation marks included, and documents are added at the end of
//! the stream only. Aliases stand for what they refer to. Comments on lines of their own stay in their
//! order, and a comment after a value stays with it. Key order, indentation, and flow or block style are
//! free.
//!
//! `yes` and `'yes'`, or `1.10` and `1.1`, are the same to one reader and two values to another: so the
//! text of a scalar counts, not a value that a schema makes of it.
//!
//! YAML 1.2 knows no merge keys, but many readers do. So where `<<` is in play, the documents are compared
//! once more with what is merged in: a key that is added to an anchor must not override anything.

use std::collections::{BTreeMap, HashMap, HashSet};

use saphyr_parser::{Event, Parser, ScalarStyle, Span, Tag};

use super::content::data::Unreadable as Broken;
use super::{Finding, Kind, quoted};

/// What the new stream loses or alters of the old one.
pub fn losses(before: &[u8], after: &[u8]) -> Vec<Finding> {
    let one = |code, line, message: String| vec![Finding::new(code, line, message)];
    let (old, new) = match (read(before), read(after)) {
        (Err(broken), _) => {
            let message =
                format!("the old text is not readable YAML, so it must stay as it is: {}", broken.message);
            return one(Kind::Unparsable, 1, message);
        }
        (_, Err(broken)) => {
            let message = format!("the new text cannot be read: {}", broken.message);
            let found = Finding::new(broken.kind, 1, message);
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
        found.push(Finding::new(Kind::LineLost, *line, message));
    }
    found
}

/// Compares all documents, with what is merged in or without.
fn walked(old: &Stream<'_>, new: &Stream<'_>, merging: bool) -> Vec<Finding> {
    let mut walk = YamlComparison {
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
            None => walk.lost(*root, Kind::Array, format!("document {} is lost", index + 1)),
        }
    }
    walk.found
}

/// A stream of documents as nodes in one row; an alias is the index of what it stands for.
#[derive(Default)]
pub(super) struct Stream<'t> {
    pub(super) nodes: Vec<YamlNode>,
    /// The tags of nodes that have one.
    tags: HashMap<usize, Box<str>>,
    pub(super) documents: Vec<usize>,
    /// Whole-line comments with their line, without the blanks around them.
    pub(super) comments: Vec<(usize, &'t str)>,
    /// Comments after a value, by the node that they belong to.
    pub(super) trailing: HashMap<usize, &'t str>,
    /// Whether any mapping has a merge key.
    pub(super) merges: bool,
}

pub(super) struct YamlNode {
    pub(super) line: u32,
    pub(super) kind: Shape,
}

pub(super) enum Shape {
    Scalar(Scalar),
    Sequence(Vec<u32>),
    /// Sorted by name once the mapping has ended.
    Mapping(Vec<Member>),
}

/// A key as it compares, with its node and the node of its value.
pub(super) struct Member {
    name: Box<str>,
    key: u32,
    value: u32,
}

/// The key that merges another mapping in, as it compares.
const MERGE: &str = "Plain\"<<\"";

/// A scalar as it is written.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Scalar {
    style: ScalarStyle,
    pub(super) text: Box<str>,
}

/// Collections inside of each other beyond this are refused, as parsers of JSON do.
const DEEPEST: usize = 128;

/// A collection that is open: its node, and a key that waits for its value.
struct OpenCollection {
    node: usize,
    key: Option<usize>,
}

fn broken(line: usize, message: &str) -> Broken {
    Broken { kind: Kind::Unparsable, line, message: message.to_owned() }
}

pub(super) fn read(text: &[u8]) -> Result<Stream<'_>, Broken> {
    let text = std::str::from_utf8(text).map_err(|_| broken(1, "it is not UTF-8"))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.contains('\0') {
        return Err(broken(1, "it holds a NUL byte"));
    }
    let mut reader = StreamReader {
        stream: Stream::default(),
        open: Vec::new(),
        anchors: BTreeMap::new(),
        places: NodeEnds::new(text),
        inside: Vec::new(),
    };
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| Broken {
            kind: Kind::Unparsable,
            line: error.marker().line(),
            message: format!("not valid YAML: {}", quoted(error.info())),
        })?;
        if let Some(node) = reader.take(event, &span)? {
            reader.put(node, span.start.line())?;
        }
    }
    let StreamReader { mut stream, mut places, inside, .. } = reader;
    let (whole, trailing) = comments(text, &inside, &mut places);
    (stream.comments, stream.trailing) = (whole, trailing);
    stream.nodes.shrink_to_fit();
    Ok(stream)
}

/// What is known of a stream while its events are read.
struct StreamReader<'t> {
    stream: Stream<'t>,
    open: Vec<OpenCollection>,
    anchors: BTreeMap<usize, usize>,
    places: NodeEnds<'t>,
    /// Lines that are the inside of a scalar: a `#` there begins no comment.
    inside: Vec<(usize, usize)>,
}

impl StreamReader<'_> {
    /// The node that an event completes: a scalar, an alias, or a collection that ends.
    fn take(&mut self, event: Event<'_>, span: &Span) -> Result<Option<usize>, Broken> {
        let line = span.start.line();
        match event {
            Event::Scalar(value, style, anchor, tag) => {
                self.inside.extend(inside_of(span, style));
                let scalar = Shape::Scalar(Scalar { style, text: value.into() });
                let node = self.stream.add(line, tag.as_deref(), scalar);
                self.places.scalar(span, style, node);
                self.anchors.insert(anchor, node);
                Ok(Some(node))
            }
            // Its comment is its own: there is no node for an alias.
            Event::Alias(anchor) => match self.anchors.get(&anchor) {
                Some(node) => Ok(Some(*node)),
                None => Err(broken(line, "an alias has no anchor before it")),
            },
            Event::SequenceStart(anchor, tag) => {
                self.begin(anchor, tag.as_deref(), Shape::Sequence(Vec::new()), span)
            }
            Event::MappingStart(anchor, tag) => {
                self.begin(anchor, tag.as_deref(), Shape::Mapping(Vec::new()), span)
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(closed) = self.open.pop() else { return Ok(None) };
                // A bracket; what ends by indentation ends at no place of its own.
                if span.end.index() > span.start.index() {
                    self.places.end(span.start.line(), span.start.col() + 1, closed.node);
                }
                self.stream.end(closed.node)?;
                Ok(Some(closed.node))
            }
            _ => Ok(None),
        }
    }

    /// A collection begins; its anchor can be referred to from now on.
    fn begin(
        &mut self,
        anchor: usize,
        tag: Option<&Tag>,
        kind: Shape,
        span: &Span,
    ) -> Result<Option<usize>, Broken> {
        let line = span.start.line();
        let node = self.stream.add(line, tag, kind);
        self.places.end(line, span.start.col(), node);
        if anchor > 0 {
            self.anchors.insert(anchor, node);
        }
        self.open.push(OpenCollection { node, key: None });
        if self.open.len() > DEEPEST {
            return Err(broken(line, "it is nested more than 128 levels deep"));
        }
        Ok(None)
    }

    /// Puts a node into the collection that is open: an element, a key, or the value of the key before it.
    fn put(&mut self, node: usize, line: usize) -> Result<(), Broken> {
        if self.open.iter().any(|open| open.node == node) {
            return Err(broken(line, "an alias refers to a value that contains it"));
        }
        let Some(holder) = self.open.last_mut() else {
            self.stream.documents.push(node);
            return Ok(());
        };
        if let Shape::Sequence(elements) = &mut self.stream.nodes[holder.node].kind {
            elements.push(narrow(node));
            return Ok(());
        }
        let Some(key) = holder.key.take() else {
            holder.key = Some(node);
            return Ok(());
        };
        let at = holder.node;
        let name = self.stream.name(key, &mut 0);
        self.stream.merges |= name == MERGE;
        if let Shape::Mapping(members) = &mut self.stream.nodes[at].kind {
            members.push(Member { name: name.into_boxed_str(), key: narrow(key), value: narrow(node) });
        }
        Ok(())
    }
}

/// The lines that belong to a scalar alone: all of a block scalar's, and those of any other after it
/// its first one.
fn inside_of(span: &Span, style: ScalarStyle) -> Option<(usize, usize)> {
    let (first, last) = (span.start.line(), span.end.line());
    match style {
        // Its span ends at the beginning of the line after it.
        ScalarStyle::Literal | ScalarStyle::Folded if span.end.col() == 0 => {
            Some((first, last.saturating_sub(1)))
        }
        ScalarStyle::Literal | ScalarStyle::Folded => Some((first, last)),
        _ => (last > first).then_some((first + 1, last)),
    }
}

/// Where nodes end, and where quotation marks are: a `#` in them begins no comment.
struct NodeEnds<'t> {
    /// A text without a `#` has no comments, and no place is looked for.
    has_comments: bool,
    /// Line, column and node, in the order of the text.
    ends: Vec<(u32, u32, u32)>,
    /// Line, first and last column of a quoted scalar's part on it.
    quoted: Vec<(usize, usize, usize)>,
    /// What is left of the text, and how many characters were passed.
    rest: std::str::Chars<'t>,
    passed: usize,
}

impl<'t> NodeEnds<'t> {
    fn new(text: &'t str) -> NodeEnds<'t> {
        NodeEnds {
            has_comments: text.contains('#'),
            ends: Vec::new(),
            quoted: Vec::new(),
            rest: text.chars(),
            passed: 0,
        }
    }

    fn end(&mut self, line: usize, column: usize, node: usize) {
        if self.has_comments {
            self.ends.push((narrow(line), narrow(column), narrow(node)));
        }
    }

    fn scalar(&mut self, span: &Span, style: ScalarStyle, node: usize) {
        if !self.has_comments {
            return;
        }
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

    /// The place after a scalar's closing quotation mark. The parser's own span goes on to the next token.
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

/// The comments on lines of their own, and those after values.
fn comments<'t>(text: &'t str, inside: &[(usize, usize)], places: &mut NodeEnds<'_>) -> Comments<'t> {
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
                    // A comment after a block scalar's header, or after a value.
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
    fn add(&mut self, line: usize, tag: Option<&Tag>, kind: Shape) -> usize {
        let node = self.nodes.len();
        self.nodes.push(YamlNode { line: narrow(line), kind });
        self.tags.extend(tag.map(|tag| (node, tag.to_string().into_boxed_str())));
        node
    }

    /// A collection has ended: its members are sorted, and no key may occur twice.
    fn end(&mut self, at: usize) -> Result<(), Broken> {
        let twice = match &mut self.nodes[at].kind {
            Shape::Mapping(members) => {
                members.shrink_to_fit();
                members.sort_by(|a, b| a.name.cmp(&b.name));
                members.windows(2).find(|pair| pair[0].name == pair[1].name).map(|pair| {
                    (
                        pair[1].key,
                        format!("the key \"{}\" occurs twice in one mapping", quoted(bare(&pair[1].name))),
                    )
                })
            }
            Shape::Sequence(elements) => {
                elements.shrink_to_fit();
                None
            }
            Shape::Scalar(_) => None,
        };
        match twice {
            None => Ok(()),
            Some((key, message)) => {
                let line = self.nodes[key as usize].line as usize;
                Err(Broken { kind: Kind::DuplicateKey, line, message })
            }
        }
    }

    pub(super) fn tag(&self, at: usize) -> Option<&str> {
        self.tags.get(&at).map(|tag| &**tag)
    }

    /// A key as it compares; a collection as a key, by all it holds, up to a limit.
    fn name(&self, at: usize, effort: &mut usize) -> String {
        *effort += 1;
        let node = &self.nodes[at];
        if *effort > 1_000 {
            return format!("…{at}");
        }
        let name = match &node.kind {
            Shape::Scalar(Scalar { style, text }) => format!("{style:?}{text:?}"),
            Shape::Sequence(elements) => elements
                .iter()
                .map(|element| self.name(*element as usize, effort))
                .collect::<Vec<_>>()
                .join(","),
            Shape::Mapping(members) => {
                let parts = members
                    .iter()
                    .map(|one| format!("{}:{}", one.name, self.name(one.value as usize, effort)));
                format!("{{{}}}", parts.collect::<Vec<_>>().join(","))
            }
        };
        format!("{}{name}", self.tag(at).unwrap_or_default())
    }
}

struct YamlComparison<'a> {
    old: &'a Stream<'a>,
    new: &'a Stream<'a>,
    /// Merge keys are resolved.
    merging: bool,
    found: Vec<Finding>,
    /// Pairs of collections that were compared: aliases bring them up again.
    seen: HashSet<(usize, usize)>,
    /// Pairs compared so far: what is merged in can be more than the texts are long.
    effort: usize,
    most: usize,
}

impl<'a> YamlComparison<'a> {
    fn lost(&mut self, at: usize, code: Kind, message: String) {
        if self.found.len() < super::json::MOST {
            self.found.push(Finding::new(code, self.old.nodes[at].line as usize, message));
        }
    }

    /// The members of a mapping with those that are merged in: its own come first, then earlier sources.
    fn effective(&mut self, stream: &'a Stream<'a>, at: usize) -> BTreeMap<&'a str, (usize, usize)> {
        let (mut found, mut open, mut seen) = (BTreeMap::new(), vec![at], HashSet::new());
        while let Some(at) = open.pop() {
            self.effort += 1;
            match &stream.nodes[at].kind {
                Shape::Mapping(members) if seen.insert(at) && self.effort <= self.most => {
                    self.effort += members.len();
                    for one in members.iter().filter(|one| &*one.name != MERGE) {
                        found.entry(&*one.name).or_insert((one.key as usize, one.value as usize));
                    }
                    open.extend(member(members, MERGE).map(|one| one.value as usize));
                }
                Shape::Sequence(sources) => open.extend(sources.iter().rev().map(|source| *source as usize)),
                Shape::Mapping(_) | Shape::Scalar(_) => {}
            }
        }
        found
    }

    fn value(&mut self, u: usize, v: usize, at: String, depth: usize) {
        self.effort += 1;
        if self.effort > self.most || depth > 2 * DEEPEST {
            if !self.found.iter().any(|found| found.kind == Kind::Unparsable) {
                self.lost(u, Kind::Unparsable, "aliases expand to more than can be compared".to_owned());
            }
            return;
        }
        let (old, new) = (&self.old.nodes[u], &self.new.nodes[v]);
        let collection = !matches!(old.kind, Shape::Scalar(_));
        if collection && !self.seen.insert((u, v)) {
            return;
        }
        let shown = || if at.is_empty() { "the document".to_owned() } else { quoted(&at) };
        if let Some(comment) = self.old.trailing.get(&u).filter(|_| !self.merging)
            && self.new.trailing.get(&v) != Some(comment)
        {
            let message =
                format!("the comment \"{}\" of {} is lost, changed or moved", quoted(comment), shown());
            self.lost(u, Kind::LineLost, message);
        }
        match (&old.kind, &new.kind) {
            _ if self.old.tag(u) != self.new.tag(v) => {
                self.lost(u, Kind::Scalar, format!("the tag of {} changed", shown()))
            }
            (Shape::Scalar(old), Shape::Scalar(new)) if old == new => {}
            (Shape::Sequence(old), Shape::Sequence(new)) => {
                if new.len() < old.len() {
                    self.lost(u, Kind::Array, format!("{} lost elements", shown()));
                }
                for (index, (u, v)) in old.iter().zip(new.iter()).enumerate() {
                    self.value(*u as usize, *v as usize, format!("{at}/{index}"), depth + 1);
                }
            }
            (Shape::Mapping(_), Shape::Mapping(_)) if self.merging => self.merged(u, v, &at, depth),
            (Shape::Mapping(old), Shape::Mapping(new)) => {
                for was in old.iter() {
                    let path = format!("{at}/{}", bare(&was.name));
                    let (key, u) = (was.key as usize, was.value as usize);
                    match member(new, &was.name) {
                        Some(is) => {
                            self.comment_of_key(key, is.key as usize, &path);
                            self.value(u, is.value as usize, path, depth + 1);
                        }
                        None => self.lost(key, Kind::KeyLost, format!("the key {} is lost", quoted(&path))),
                    }
                }
            }
            _ => self.lost(u, Kind::Scalar, format!("the value of {} changed", shown())),
        }
    }

    /// A comment after a key whose value begins on the next line.
    fn comment_of_key(&mut self, old: usize, new: usize, path: &str) {
        if let Some(comment) = self.old.trailing.get(&old)
            && self.new.trailing.get(&new) != Some(comment)
        {
            let message =
                format!("the comment \"{}\" of {} is lost, changed or moved", quoted(comment), quoted(path));
            self.lost(old, Kind::LineLost, message);
        }
    }

    /// Compares what two mappings have in effect.
    fn merged(&mut self, u: usize, v: usize, at: &str, depth: usize) {
        let (old, new) = (self.effective(self.old, u), self.effective(self.new, v));
        for (name, (key, was)) in old {
            let path = format!("{at}/{}", bare(name));
            let before = self.found.len();
            match new.get(name) {
                Some((_, is)) => self.value(was, *is, path.clone(), depth + 1),
                None => self.lost(key, Kind::KeyLost, format!("the key {} is lost", quoted(&path))),
            }
            if let Some(found) = self.found.get_mut(before).filter(|found| found.kind == Kind::Scalar) {
                found.message = format!("{}: a key that is merged in is overridden now", found.message);
            }
        }
    }
}

impl Scalar {
    /// Whether it stands for no value.
    pub(super) fn is_null(&self) -> bool {
        self.style == ScalarStyle::Plain && matches!(&*self.text, "" | "~" | "null" | "Null" | "NULL")
    }

    /// Whether it is a number or a boolean (YAML 1.2, 10.3.2): in quotation marks it is a text.
    pub(super) fn is_typed(&self) -> bool {
        let text = self.text.trim_end();
        let is_boolean = ["true", "True", "TRUE", "false", "False", "FALSE"].contains(&text);
        let has_digit = text.bytes().any(|byte| byte.is_ascii_digit());
        let is_decimal = has_digit && text.replace('_', "").parse::<f64>().is_ok();
        let is_in_base = |prefix: &str| {
            let digits = text.strip_prefix(prefix);
            digits.is_some_and(|digits| {
                !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
            })
        };
        self.style == ScalarStyle::Plain && (is_boolean || is_decimal || is_in_base("0x") || is_in_base("0o"))
    }
}

impl Stream<'_> {
    /// The members of a mapping: name, key and value; with what is merged in or without.
    pub(super) fn members(
        &self,
        at: usize,
        is_merged: bool,
        effort: &mut usize,
    ) -> Vec<(&str, usize, usize)> {
        let Shape::Mapping(members) = &self.nodes[at].kind else { return Vec::new() };
        let own = members.iter().map(|one| (bare(&one.name), one.key as usize, one.value as usize));
        if !is_merged || member(members, MERGE).is_none() {
            return own.collect();
        }
        let mut found: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        let (mut open, mut seen) = (vec![at], HashSet::new());
        while let Some(at) = open.pop() {
            match &self.nodes[at].kind {
                Shape::Mapping(members) if seen.insert(at) => {
                    *effort += members.len();
                    for one in members.iter().filter(|one| &*one.name != MERGE) {
                        found.entry(bare(&one.name)).or_insert((one.key as usize, one.value as usize));
                    }
                    open.extend(member(members, MERGE).map(|one| one.value as usize));
                }
                Shape::Sequence(sources) => open.extend(sources.iter().rev().map(|source| *source as usize)),
                Shape::Mapping(_) | Shape::Scalar(_) => {}
            }
        }
        found.into_iter().map(|(name, (key, value))| (name, key, value)).collect()
    }
}

/// The member of that name, among sorted ones.
fn member<'m>(members: &'m [Member], name: &str) -> Option<&'m Member> {
    members.binary_search_by(|one| (*one.name).cmp(name)).ok().map(|at| &members[at])
}

/// A key as people read it.
fn bare(name: &str) -> &str {
    let text = name.find('"').map_or(name, |at| &name[at..]);
    text.trim_matches('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(before: &str, after: &str) -> Vec<Kind> {
        losses(before.as_bytes(), after.as_bytes()).into_iter().map(|found| found.kind).collect()
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
            ("a: 1\nb: 2\n", "a: 1\n", Kind::KeyLost),
            ("a: true\n", "a: 'true'\n", Kind::Scalar),
            ("a: yes\n", "a: 'yes'\n", Kind::Scalar),
            ("a: 1.10\n", "a: 1.1\n", Kind::Scalar),
            ("a: |\n  x\n", "a: \"x\\n\"\n", Kind::Scalar),
            ("a: 1 # trailing\n", "a: 1\n", Kind::LineLost),
            ("a: 1 # one\nb: 2\n", "a: 1\nb: 2 # one\n", Kind::LineLost),
            ("a: 'x' # one\n", "a: 'x'\nb: '# one'\n", Kind::LineLost),
            ("a: # of a\n  - 1\n", "a:\n  - 1 # of a\n", Kind::LineLost),
            (
                "a: &b {x: 1}\nc: &d {y: 2}\ne: {<<: [*b, *d]}\n",
                "a: &b {x: 1, y: 3}\nc: &d {y: 2}\ne: {<<: [*b, *d]}\n",
                Kind::Scalar,
            ),
            ("a: {<<: {x: 1}}\n", "a: {<<: {x: 1}, x: 2}\n", Kind::Scalar),
            ("a: 1\n", "a: true\n", Kind::Scalar),
            ("a: [1, 2]\n", "a: [0, 1, 2]\n", Kind::Scalar),
            ("a: [1, 2]\n", "a: [1]\n", Kind::Array),
            ("a:\n", "a: 1\n", Kind::Scalar),
            ("a: 1\n", "a: 1\na: 2\n", Kind::DuplicateKey),
            ("a: 1\n", "a: [\n", Kind::Unparsable),
            ("a: [\n", "a: [1]\n", Kind::Unparsable),
            ("# c\na: 1\n", "a: 1\n", Kind::LineLost),
            ("# c\na: 1\n", "b: |\n  # c\na: 1\n", Kind::LineLost),
            ("a: 1\n---\nb: 2\n", "b: 2\n---\na: 1\n", Kind::KeyLost),
            ("a: 1\n---\nb: 2\n", "a: 1\n", Kind::Array),
            ("a: !x 1\n", "a: 1\n", Kind::Scalar),
            ("a: 0.10000000000000000000001\n", "a: 0.1\n", Kind::Scalar),
            ("a: &v 1\nb: *v\n", "a: 1\nb: 2\n", Kind::Scalar),
            ("b: &b {r: user}\na:\n  <<: *b\n", "b: &b {r: user}\na:\n  <<: *b\n  r: admin\n", Kind::Scalar),
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
        assert_eq!(codes("a: &a [*a]\n", "a: &a [*a]\nb: 1\n"), [Kind::Unparsable]);
        // Merges of merges: each level has what all below it have.
        let mut merges = "a0: &a0 {k0: 0}\n".to_owned();
        for level in 1..2_000 {
            merges.push_str(&format!("a{level}: &a{level} {{<<: *a{}, k{level}: 0}}\n", level - 1));
        }
        assert_eq!(codes(&merges, &format!("{merges}z: 1\n")), [Kind::Unparsable]);
        let deep = "[".repeat(100_000);
        assert_eq!(codes("a: 1\n", &deep), [Kind::Unparsable]);
    }
}
