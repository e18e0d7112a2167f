//! JSON, YAML, CSV and plain lines as pieces.

use csv::ReaderBuilder;

use super::embed::{NULL, NUMBER};
use super::fold::folded;
use super::pieces::{Pieces, Sort};
use crate::additive::Kind;
use crate::additive::csv::delimiter;
use crate::additive::text::Lines;
use crate::additive::yaml::{Scalar, Shape, Stream};
use crate::text::json::{Document, Kind as JsonKind, Node};

/// Why a text is no data: what is wrong, and on which line.
pub struct Unreadable {
    pub kind: Kind,
    pub line: usize,
    pub message: String,
}

/// Reads a JSON text.
pub fn json(text: &[u8]) -> Result<Pieces, Unreadable> {
    let text = if text.trim_ascii().is_empty() { b"{}" } else { text };
    let document = Document::read("", text).map_err(|finding| Unreadable {
        kind: Kind::Unparsable,
        line: finding.line,
        message: finding.message,
    })?;
    let mut pieces = Pieces::new();
    let mut lines = LineCount { text: document.text.as_bytes(), at: 0, line: 1 };
    add_json(&mut pieces, 0, &document, &document.root, &mut lines);
    pieces.finish();
    Ok(pieces)
}

/// The lines of places that are asked for in order.
struct LineCount<'t> {
    text: &'t [u8],
    at: usize,
    line: usize,
}

impl LineCount<'_> {
    fn line(&mut self, at: usize) -> usize {
        if let Some(passed) = self.text.get(self.at..at) {
            self.line += memchr::memchr_iter(b'\n', passed).count();
            self.at = at;
        }
        self.line
    }
}

fn add_json(pieces: &mut Pieces, holder: u32, document: &Document, node: &Node, lines: &mut LineCount<'_>) {
    let line = lines.line(node.span.start);
    match &node.kind {
        JsonKind::Object(members) => {
            let names = pieces.add(holder, Sort::Names, "", line);
            for (key, value) in members {
                let line = lines.line(value.span.start);
                let name = pieces.add(names, Sort::Name, key, line);
                add_json(pieces, name, document, value, lines);
            }
        }
        JsonKind::Array(elements) => {
            let array = pieces.add(holder, Sort::Array, "", line);
            for element in elements {
                add_json(pieces, array, document, element, lines);
            }
        }
        JsonKind::Scalar => {
            let written = &document.text[node.span.clone()];
            let (text, tag) = match written.as_bytes().first() {
                Some(b'"') => (serde_json::from_str::<String>(written).unwrap_or_default(), b's'),
                Some(b'n') => (written.to_owned(), NULL),
                Some(b't' | b'f') => (written.to_owned(), b'b'),
                _ => (written.to_owned(), NUMBER),
            };
            let scalar = pieces.add(holder, Sort::Scalar, &text, line);
            pieces.at_mut(scalar).tag = tag;
        }
    }
}

/// Reads a YAML stream; where merge keys are in play, once more with what they merge in.
pub fn yaml(text: &[u8], is_merged: bool) -> Result<(Pieces, bool), Unreadable> {
    let stream = crate::additive::yaml::read(text)?;
    let mut pieces = Pieces::new();
    add_yaml(&mut pieces, 0, &stream, is_merged, 0)?;
    pieces.finish();
    Ok((pieces, stream.merges))
}

/// Adds the documents of a stream below a piece, as many lines further down.
pub(in crate::additive) fn add_yaml(
    pieces: &mut Pieces,
    holder: u32,
    stream: &Stream<'_>,
    is_merged: bool,
    below: usize,
) -> Result<(), Unreadable> {
    let most = 100_000 + 10 * stream.nodes.len();
    let mut walk = YamlWalk { pieces, stream, is_merged, below, effort: 0, most };
    for root in &stream.documents {
        walk.add(holder, *root)?;
    }
    for (line, comment) in &stream.comments {
        pieces.add(holder, Sort::Comment, comment, line + below);
    }
    Ok(())
}

struct YamlWalk<'a, 't> {
    pieces: &'a mut Pieces,
    stream: &'a Stream<'t>,
    is_merged: bool,
    below: usize,
    /// Aliases bring nodes up again: what they expand to has a limit.
    effort: usize,
    most: usize,
}

impl YamlWalk<'_, '_> {
    fn add(&mut self, holder: u32, at: usize) -> Result<(), Unreadable> {
        let node = &self.stream.nodes[at];
        let line = node.line as usize + self.below;
        self.effort += 1;
        if self.effort > self.most {
            let message = "aliases expand to more than can be compared".to_owned();
            return Err(Unreadable { kind: Kind::Unparsable, line, message });
        }
        let tag = self.stream.tag(at).map(|tag| format!("{tag} ")).unwrap_or_default();
        let piece = match &node.kind {
            Shape::Scalar(scalar) => {
                let text = format!("{tag}{}", scalar.text.trim_end());
                let piece = self.pieces.add(holder, Sort::Scalar, &text, line);
                self.pieces.at_mut(piece).tag = type_of(scalar);
                piece
            }
            Shape::Sequence(elements) => {
                let array = self.pieces.add(holder, Sort::Array, &tag, line);
                for element in elements {
                    self.add(array, *element as usize)?;
                }
                array
            }
            Shape::Mapping(_) => {
                let names = self.pieces.add(holder, Sort::Names, &tag, line);
                for (name, key, value) in self.stream.members(at, self.is_merged, &mut self.effort) {
                    let line = self.stream.nodes[key].line as usize + self.below;
                    let piece = self.pieces.add(names, Sort::Name, name, line);
                    self.add(piece, value)?;
                    self.comment(piece, key);
                }
                names
            }
        };
        self.comment(piece, at);
        Ok(())
    }

    /// The comment after a key or a value stays with it.
    fn comment(&mut self, piece: u32, node: usize) {
        if let Some(comment) = self.stream.trailing.get(&node).filter(|_| !self.is_merged) {
            let line = self.stream.nodes[node].line as usize + self.below;
            let is_name = self.pieces.at(piece).sort == Sort::Name;
            let holder = if is_name { piece } else { self.pieces.at(piece).parent };
            self.pieces.add(holder, Sort::Comment, comment, line);
        }
    }
}

/// The type that a value has by its form. Numbers keep their digits: in `1.10` each of them may count.
fn type_of(scalar: &Scalar) -> u8 {
    match () {
        () if scalar.is_null() => NULL,
        () if scalar.is_typed() => b't',
        () => b's',
    }
}

/// Reads a table of records.
pub fn csv(text: &[u8], delimiter: u8) -> Pieces {
    let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
    let mut pieces = Pieces::new();
    let table = pieces.add(0, Sort::Table, "", 1);
    let mut builder = ReaderBuilder::new();
    builder.has_headers(false).flexible(true).delimiter(delimiter);
    // Reading from memory, with any number of cells, has no way to fail.
    for record in builder.from_reader(text).byte_records().map_while(Result::ok) {
        let line = record.position().map_or(1, |place| place.line() as usize);
        let cells: Vec<String> = record.iter().map(|cell| folded(&String::from_utf8_lossy(cell))).collect();
        let row = pieces.add(table, Sort::Row, &cells.join(" | "), line);
        for text in &cells {
            let cell = pieces.add(row, Sort::Cell, "", line);
            if !text.is_empty() {
                pieces.add(cell, Sort::Scalar, text, line);
            }
        }
    }
    pieces.finish();
    pieces
}

/// The sign between the cells of two versions of a table.
pub fn delimiter_of(before: &[u8], after: &[u8]) -> u8 {
    delimiter(if before.trim_ascii().is_empty() { after } else { before })
}

/// Reads plain lines: trimmed, without blank ones.
pub fn lines(text: &[u8], holder: u32, below: usize, pieces: &mut Pieces) {
    for (at, line) in Lines::of(text).enumerate() {
        let line = String::from_utf8_lossy(line);
        let line = line.trim_start_matches('\u{feff}').split_whitespace().collect::<Vec<_>>().join(" ");
        if !line.is_empty() {
            pieces.add(holder, Sort::Line, &line, at + 1 + below);
        }
    }
}
