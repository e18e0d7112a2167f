//! A text, tokenised once: its sentences with their place, and their words with lower-case form and stem.

use std::borrow::Cow;
use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation as _;

use super::Language;
use super::blocks::{Block, Place, blocks};

/// A text as sentences.
pub struct Message<'t> {
    pub source: &'t str,
    pub sentences: Vec<Sentence<'t>>,
}

/// A sentence, or a line of a list, a table or code.
#[derive(Clone, Debug)]
pub struct Sentence<'t> {
    /// Bytes of the source.
    pub range: Range<usize>,
    pub text: &'t str,
    pub kind: Kind,
    pub place: Place,
    /// Which paragraph or list item of the message it is in, from 0.
    pub block: usize,
    /// Of a task list's item: is it ticked?
    pub task: Option<bool>,
    pub words: Vec<Word<'t>>,
}

/// What a sentence's last mark says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Question,
    Statement,
}

/// A word, or one of the marks `, : ; . ? ! ( ) -`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word<'t> {
    /// Bytes of the source.
    pub range: Range<usize>,
    /// In lower case, with a straight apostrophe; dashes are `-`.
    pub lower: Cow<'t, str>,
    pub stem: Cow<'t, str>,
    pub is_mark: bool,
    pub origin: Origin,
}

/// Whose a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The writer's own.
    Own,
    /// Between quotation marks.
    Quoted,
    /// Inline code, a link's address or a tag.
    Code,
}

/// The sentences of a text as ranges of it.
pub(super) fn ranges(source: &str, language: &Language) -> Vec<Range<usize>> {
    let of = |block: &Block| split(source, block, &spans_of(source, block), language);
    blocks(source).iter().flat_map(of).collect()
}

/// The spans of a block of prose.
fn spans_of(source: &str, block: &Block) -> Vec<(Range<usize>, Origin)> {
    match block.place {
        Place::Code | Place::Comment => Vec::new(),
        _ => spans(source, block.range.clone()),
    }
}

impl<'t> Message<'t> {
    pub fn new(source: &'t str, language: &Language) -> Message<'t> {
        let mut sentences = Vec::new();
        for (number, block) in blocks(source).iter().enumerate() {
            let spans = spans_of(source, block);
            for range in split(source, block, &spans, language) {
                let text = &source[range.clone()];
                sentences.push(Sentence {
                    kind: kind(text),
                    place: block.place,
                    block: number,
                    task: block.task,
                    words: words(source, range.clone(), &spans, language),
                    text,
                    range,
                });
            }
        }
        Message { source, sentences }
    }
}

impl<'t> Sentence<'t> {
    /// The text from the first to the last of some of its words, without marks at the end.
    pub fn slice(&self, words: Range<usize>) -> &'t str {
        let words = self.words.get(words).unwrap_or_default();
        let last = words.iter().rfind(|word| !word.is_mark);
        let (Some(first), Some(last)) = (words.first(), last) else { return "" };
        let start = self.range.start;
        self.text.get(first.range.start - start..last.range.end - start).unwrap_or_default()
    }

    /// Does it say anything at all?
    pub fn has_words(&self) -> bool {
        self.words.iter().any(|word| !word.is_mark)
    }

    /// Is it the writer's own prose: no quotation, code, comment, heading or table?
    pub fn is_own(&self) -> bool {
        matches!(self.place, Place::Prose | Place::Item)
    }
}

fn kind(text: &str) -> Kind {
    let end = text.trim_end_matches(|found: char| "\"”')*_!".contains(found) || found.is_whitespace());
    if end.ends_with('?') { Kind::Question } else { Kind::Statement }
}

/// Inline code, addresses, tags and quotations of a block, in order, without overlap.
fn spans(source: &str, block: Range<usize>) -> Vec<(Range<usize>, Origin)> {
    let text = &source[block.clone()];
    let mut found: Vec<(Range<usize>, Origin)> = Vec::new();
    let mut at = 0;
    // Where a kind of span was looked for and is not closed in the rest of the block.
    let mut unclosed: Vec<&str> = Vec::new();
    while let Some(next) = text[at..].find(['`', '<', '"', '“', 'h', '(']).map(|next| at + next) {
        let rest = &text[next..];
        let mut closed = |open: usize, close: &'static str| {
            let length = if unclosed.contains(&close) { None } else { rest[open..].find(close) };
            if length.is_none() {
                unclosed.push(close);
            }
            length.map(|length| open + length + close.len())
        };
        let starts_word = !text[..next].ends_with(char::is_alphanumeric);
        let span = match rest.as_bytes() {
            [b'`', b'`', ..] => closed(2, "``").map(|length| (length, Origin::Code)),
            [b'`', ..] => closed(1, "`").map(|length| (length, Origin::Code)),
            [b'<', b'!', b'-', b'-', ..] => Some((closed(4, "-->").unwrap_or(rest.len()), Origin::Code)),
            [b'<', b'a'..=b'z' | b'A'..=b'Z' | b'/', ..] => {
                closed(1, ">").map(|length| (length, Origin::Code))
            }
            [b'"', after, ..] if starts_word && !after.is_ascii_whitespace() => {
                closed(1, "\"").map(|length| (length, Origin::Quoted))
            }
            _ if rest.starts_with('“') => closed(3, "”").map(|length| (length, Origin::Quoted)),
            _ if starts_word && (rest.starts_with("http://") || rest.starts_with("https://")) => {
                Some((address(rest), Origin::Code))
            }
            // The target of a Markdown link.
            [b'(', ..] if text[..next].ends_with(']') => Some((1 + address(&rest[1..]), Origin::Code)),
            _ => None,
        };
        let length =
            span.as_ref().map_or_else(|| rest.chars().next().map_or(1, char::len_utf8), |span| span.0);
        if let Some((length, origin)) = span {
            found.push((block.start + next..block.start + next + length, origin));
        }
        at = next + length;
    }
    found
}

/// The length of an address.
fn address(text: &str) -> usize {
    let end = text.find(|found: char| found.is_whitespace() || "<>)\"".contains(found)).unwrap_or(text.len());
    text[..end].trim_end_matches(['.', ',', ';', ':', '!', '?']).len()
}

/// The sentences of a block as ranges of the source.
fn split(
    source: &str,
    block: &Block,
    spans: &[(Range<usize>, Origin)],
    language: &Language,
) -> Vec<Range<usize>> {
    let start = block.range.start;
    let text = &source[block.range.clone()];
    if matches!(block.place, Place::Code | Place::Comment | Place::Heading | Place::Table) {
        return lines(text).map(|range| start + range.start..start + range.end).collect();
    }
    let masked = masked(text, start, spans, language);
    let mut found = Vec::new();
    for (at, piece) in masked.split_sentence_bound_indices() {
        let piece = &text[at..at + piece.len()];
        let trimmed = piece.trim();
        let from = start + at + (piece.len() - piece.trim_start().len());
        if !trimmed.is_empty() {
            found.push(from..from + trimmed.len());
        }
    }
    found
}

/// The lines of a text as ranges, without white space around them.
fn lines(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        let from = start + (line.len() - line.trim_start().len());
        start += line.len();
        (!line.trim().is_empty()).then(|| from..from + line.trim().len())
    })
}

/// The text at the same length, with blanks for line breaks inside of sentences, and nothing that looks like an end of
/// a sentence and is none: in abbreviations, code, addresses and quotations.
fn masked(text: &str, start: usize, spans: &[(Range<usize>, Origin)], language: &Language) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for (range, origin) in spans {
        let range = range.start - start..range.end - start;
        let last = range.end.saturating_sub(2);
        for (at, byte) in
            bytes[range.clone()].iter_mut().enumerate().map(|(at, byte)| (range.start + at, byte))
        {
            match origin {
                Origin::Code => *byte = b'X',
                _ if at < last && b".!?".contains(byte) => *byte = b',',
                _ => {}
            }
        }
    }
    let mut before = 0;
    for (at, _) in text.match_indices('\n') {
        if !is_wrapped(&text[before..at], &text[at + 1..]) {
            before = at + 1;
            continue;
        }
        before = at + 1;
        bytes[at] = b' ';
    }
    for (at, _) in text.match_indices('.') {
        let head = &text[boundary(text, at.saturating_sub(8))..at];
        let word = head.rsplit(|found: char| found.is_whitespace() || found == '(').next().unwrap_or(head);
        if bytes[at] != b'.' {
            continue;
        } else if word.len() < 8 && language.is_abbreviation(&word.to_lowercase()) {
            bytes[at] = b',';
        } else if head.ends_with(|last: char| last.is_alphanumeric() || last == ')')
            && text[at + 1..].starts_with([' ', '\n'])
        {
            // People begin sentences with a small letter, too.
            bytes[at] = b'!';
        }
    }
    bytes.iter_mut().filter(|byte| **byte == b'\r').for_each(|byte| *byte = b' ');
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

/// The next character boundary at or after a byte.
fn boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

/// Was a line broken only because it was full? Otherwise its writer ended it there.
fn is_wrapped(line: &str, rest: &str) -> bool {
    const FULL_COLUMNS: usize = 60;
    let next = rest.trim_start_matches(['>', ' ', '\t']);
    let word = next.split_whitespace().next().unwrap_or_default();
    let goes_on = next.starts_with(|first: char| first.is_lowercase() || "(,;".contains(first));
    goes_on || line.len() + word.len() >= FULL_COLUMNS
}

/// The words and marks between two bytes.
fn words<'t>(
    source: &'t str,
    range: Range<usize>,
    spans: &[(Range<usize>, Origin)],
    language: &Language,
) -> Vec<Word<'t>> {
    let mut found: Vec<Word<'t>> = Vec::new();
    let mut next = spans.partition_point(|(span, _)| span.end <= range.start);
    let text = &source[range.clone()];
    for (at, piece) in text.split_word_bound_indices() {
        let from = range.start + at;
        while spans.get(next).is_some_and(|(span, _)| span.end <= from) {
            next += 1;
        }
        let inside = spans.get(next).filter(|(span, _)| span.start <= from);
        let origin = inside.map_or(Origin::Own, |(_, origin)| *origin);
        let is_word = piece.contains(char::is_alphanumeric);
        if is_word {
            let mention = usize::from(text[..at].ends_with('@'));
            let piece = &text[at - mention..at + piece.len()];
            let lower = lower(piece.trim_matches('_'));
            let stem = match &lower {
                Cow::Borrowed(word) => language.stem(word),
                Cow::Owned(word) => Cow::Owned(language.stem(word).into_owned()),
            };
            let range = from - mention..from - mention + piece.len();
            found.push(Word { range, lower, stem, is_mark: false, origin });
        } else if let Some(mark) = mark(piece, &text[..at], &text[at + piece.len()..]) {
            let range = from..from + piece.len();
            let (lower, stem) = (Cow::Borrowed(mark), Cow::Borrowed(mark));
            found.push(Word { range, lower, stem, is_mark: true, origin });
        }
    }
    found
}

fn lower(word: &str) -> Cow<'_, str> {
    let is_plain = word.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
    if is_plain { Cow::Borrowed(word) } else { Cow::Owned(word.to_lowercase().replace('’', "'")) }
}

/// A mark that patterns can name. A hyphen inside of a word is none.
fn mark(piece: &str, before: &str, after: &str) -> Option<&'static str> {
    let marks = [",", ":", ";", ".", "?", "!", "(", ")"];
    if let Some(mark) = marks.into_iter().find(|mark| piece.starts_with(mark)) {
        return Some(mark);
    }
    let is_dash = piece.starts_with(['-', '–', '—']);
    let joins = before.ends_with(char::is_alphanumeric) && after.starts_with(char::is_alphanumeric);
    (is_dash && !(joins && piece == "-")).then_some("-")
}
