//! The little of HTML that decides what people see of a message: which elements strike out, hide, quote or break.

use std::collections::BTreeMap;
use std::ops::Range;

/// What an element does to the words in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Mark {
    Plain,
    /// Struck out, hidden, or code.
    Unseen,
    Strong,
    Quoted,
    Heading,
    Cell,
}

/// The elements that are open, and how many of them there are of each name and mark.
#[derive(Debug, Default)]
pub(super) struct Elements {
    open: Vec<(String, Mark)>,
    names: BTreeMap<String, usize>,
    marks: BTreeMap<Mark, usize>,
}

impl Elements {
    pub fn has(&self, mark: Mark) -> bool {
        self.marks.get(&mark).is_some_and(|count| *count > 0)
    }

    pub fn is_open(&self, name: &str) -> bool {
        self.names.get(name).is_some_and(|count| *count > 0)
    }

    pub fn open(&mut self, name: String, mark: Mark) {
        *self.names.entry(name.clone()).or_default() += 1;
        *self.marks.entry(mark).or_default() += 1;
        self.open.push((name, mark));
    }

    /// Closes the innermost element of a name, and those in it.
    pub fn close(&mut self, name: &str) {
        while self.is_open(name) {
            let Some((last, mark)) = self.open.pop() else { return };
            let is_found = last == name;
            self.names.entry(last).and_modify(|count| *count -= 1);
            self.marks.entry(mark).and_modify(|count| *count -= 1);
            if is_found {
                return;
            }
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Text(Range<usize>),
    /// The start of an element, and where its tag is in the raw HTML.
    Open {
        name: String,
        mark: Mark,
        tag: Range<usize>,
    },
    Close {
        name: String,
    },
    Break,
}

/// Whether an element is a block of its own.
pub(super) fn is_block(name: &str) -> bool {
    const BLOCKS: [&str; 24] = [
        "address",
        "article",
        "blockquote",
        "dd",
        "details",
        "div",
        "dl",
        "dt",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "li",
        "ol",
        "p",
        "pre",
        "section",
        "summary",
        "td",
        "th",
        "tr",
        "ul",
    ];
    BLOCKS.contains(&name)
}

/// Whether HTML has, or had, an element of this name; `<name>` is a placeholder (HTML Living Standard, 4 and 16).
pub fn is_element(name: &str) -> bool {
    const ELEMENTS: &str = "a abbr address area article aside audio b base bdi bdo big blockquote body br button canvas \
        caption center cite code col colgroup data datalist dd del details dfn dialog dir div dl dt em embed fieldset \
        figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe img \
        input ins kbd label legend li link main map mark menu meta meter nav noscript object ol optgroup option output \
        p param picture pre progress q rp rt ruby s samp script search section select slot small source span strike \
        strong style sub summary sup svg table tbody td template textarea tfoot th thead time title tr track tt u ul \
        var video wbr";
    ELEMENTS.split_ascii_whitespace().any(|element| element == name)
}

/// Whether a tag without an end is words that somebody typed, as in "a <small> step". What was struck out stays so to the
/// end of the text, and some elements need no end (HTML Living Standard, 13.1.2.4).
pub(super) fn needs_end(name: &str) -> bool {
    const OPTIONAL: &str =
        "body colgroup dd del dt head html li optgroup option p rp rt s strike tbody td tfoot th thead tr";
    !OPTIONAL.split_ascii_whitespace().any(|element| element == name)
}

/// Elements without an end.
fn is_void(name: &str) -> bool {
    ["area", "base", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"]
        .contains(&name)
}

fn mark_of(name: &str, is_hidden: bool) -> Mark {
    match name {
        _ if is_hidden => Mark::Unseen,
        "del" | "s" | "strike" => Mark::Unseen,
        "pre" | "script" | "style" | "template" | "textarea" | "title" => Mark::Unseen,
        "b" | "strong" => Mark::Strong,
        "blockquote" => Mark::Quoted,
        "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "summary" => Mark::Heading,
        "td" | "th" => Mark::Cell,
        _ => Mark::Plain,
    }
}

/// The pieces of raw HTML in order. What is no tag is text; a comment that is not closed hides the rest.
pub(super) fn pieces(raw: &str) -> Vec<Piece> {
    let (mut found, mut at, mut text) = (Vec::new(), 0, 0);
    while let Some(next) = raw[at..].find('<').map(|next| at + next) {
        let Some((end, piece)) = tag(raw, next) else {
            at = next + 1;
            continue;
        };
        if text < next {
            found.push(Piece::Text(text..next));
        }
        found.extend(piece);
        (at, text) = (end, end);
    }
    if text < raw.len() {
        found.push(Piece::Text(text..raw.len()));
    }
    found
}

/// The tag, comment or declaration at a place: where it ends, and what it does.
fn tag(raw: &str, at: usize) -> Option<(usize, Option<Piece>)> {
    let rest = &raw[at..];
    for (open, close) in [("<!--", "-->"), ("<!", ">"), ("<?", "?>")] {
        if let Some(inner) = rest.strip_prefix(open) {
            let end = inner.find(close).map_or(raw.len(), |end| at + open.len() + end + close.len());
            return Some((end, None));
        }
    }
    let is_close = rest.starts_with("</");
    let from = at + 1 + usize::from(is_close);
    let is_name = |found: char| found.is_ascii_alphanumeric() || found == '-';
    let length = raw[from..].find(|found: char| !is_name(found)).unwrap_or(raw.len() - from);
    let name = raw[from..from + length].to_ascii_lowercase();
    // What is no element was meant as words: `flux-<name>`.
    if !is_element(&name) {
        return None;
    }
    let (end, is_hidden) = attributes(raw, from + length)?;
    let is_empty = is_void(&name) || raw[..end].ends_with("/>");
    let piece = match name.as_str() {
        "br" => Some(Piece::Break),
        _ if is_close => Some(Piece::Close { name }),
        _ if is_empty => None,
        _ => Some(Piece::Open { mark: mark_of(&name, is_hidden), name, tag: at..end }),
    };
    Some((end, piece))
}

/// Where a tag ends, and whether it has the attribute `hidden`.
fn attributes(raw: &str, from: usize) -> Option<(usize, bool)> {
    let mut is_hidden = false;
    let mut at = from;
    while let Some(next) = raw[at..].chars().next() {
        match next {
            '>' => return Some((at + 1, is_hidden)),
            '"' | '\'' => at += 1 + raw[at + 1..].find(next)? + 1,
            _ if next.is_ascii_alphabetic() => {
                let rest = &raw[at..];
                let is_part = |found: char| found.is_ascii_alphanumeric() || "-_:.".contains(found);
                let length = rest.find(|found: char| !is_part(found)).unwrap_or(rest.len());
                is_hidden |= rest[..length].eq_ignore_ascii_case("hidden");
                at += length;
                // A value without marks is no name.
                if raw[at..].starts_with('=') {
                    at += 1;
                    let value = &raw[at..];
                    let is_end = |found: char| found.is_whitespace() || "\"'>".contains(found);
                    at += value.find(is_end).unwrap_or(value.len());
                }
            }
            '<' => return None,
            _ => at += next.len_utf8(),
        }
    }
    None
}
