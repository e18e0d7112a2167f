//! A block of visible words, and its lines: people see a line break in a comment, and a label names what is below it.

use std::collections::BTreeMap;
use std::ops::Range;

use super::{Part, Sentence, TableRow, VisibleLine};
use crate::text::ending::only_asks_to_end;
use crate::text::sentences::{is_abbreviated, split_sentences};

/// A line of so many columns, with the next word, was broken because it was full.
const FULL_COLUMNS: usize = 60;

/// Marks that close what was opened before: what they end is no sentence of its own.
const CLOSING_MARKS: [char; 8] = ['"', '”', '“', '’', '»', ')', ']', '}'];

/// A label has at most so many words.
const MAX_LABEL_WORDS: usize = 3;

/// How a line ends that names what is below it.
const LABEL_ENDS: [char; 2] = [':', '：'];

/// Visible words that belong together.
#[derive(Debug)]
pub(super) struct VisibleBlock {
    pub part: Part,
    /// The lists it is in, by their numbers, the innermost last.
    pub lists: Vec<usize>,
    /// Is it the first block of its item?
    pub is_first: bool,
    pub ticked: Option<bool>,
    /// The row that it is a cell of.
    pub row: Option<TableRow>,
    text: String,
    /// Where each stretch of the text begins, and the bytes of the source it is from.
    from: Vec<(usize, Range<usize>)>,
    code: Vec<Range<usize>>,
    strong: Vec<Range<usize>>,
    /// Line breaks that the author wrote as such.
    hard: Vec<usize>,
}

impl Default for VisibleBlock {
    fn default() -> VisibleBlock {
        VisibleBlock {
            part: Part::Paragraph,
            lists: Vec::new(),
            is_first: false,
            ticked: None,
            row: None,
            text: String::new(),
            from: Vec::new(),
            code: Vec::new(),
            strong: Vec::new(),
            hard: Vec::new(),
        }
    }
}

impl VisibleBlock {
    pub fn is_empty(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// Whether the author says it.
    pub fn is_said(&self) -> bool {
        self.part != Part::Quotation && self.ticked != Some(false)
    }

    /// Its words with the line breaks that were typed, code between backticks. What goes on with a line that was
    /// wrapped is indented below it.
    pub fn written(&self) -> String {
        let lines = self.line_ranges().into_iter();
        let lines = lines.map(|range| self.with_code_marks(range).replace('\n', "\n  "));
        lines.collect::<Vec<_>>().join("\n").trim().to_owned()
    }

    pub fn push(&mut self, text: &str, source: Range<usize>, is_code: bool, is_strong: bool) {
        let start = self.text.len();
        self.text.push_str(text);
        self.from.push((start, source));
        let range = start..self.text.len();
        if is_code {
            self.code.push(range.clone());
        }
        if is_strong {
            self.strong.push(range);
        }
    }

    pub fn break_line(&mut self, is_hard: bool) {
        if is_hard {
            self.hard.push(self.text.len());
        }
        let at = self.from.last().map_or(0, |(_, source)| source.end);
        self.from.push((self.text.len(), at..at));
        self.text.push('\n');
    }

    /// Its lines; those without words are none.
    pub fn lines(&self) -> impl Iterator<Item = VisibleLine> + '_ {
        self.line_ranges().into_iter().map(|range| self.line(range)).filter(|line| !line.sentences.is_empty())
    }

    /// The lines as ranges of the text: a break counts unless the line before it was full or the next goes on. A line
    /// that only asks to end the talk goes on with nothing.
    fn line_ranges(&self) -> Vec<Range<usize>> {
        let (mut found, mut start, mut before) = (Vec::new(), 0, 0);
        let mut is_listing = false;
        for (at, _) in self.text.match_indices('\n') {
            let (line, rest) = (&self.text[before..at], &self.text[at + 1..]);
            is_listing |= line.trim_end().ends_with(LABEL_ENDS);
            let is_hard = self.hard.binary_search(&at).is_ok();
            // Below a label each line that its author ended is one of its own.
            let goes_on = if is_hard {
                !is_listing && !is_ended(line) && goes_on(rest)
            } else {
                is_wrapped(line, rest)
            } && !self.is_title(before..at)
                && !(is_request(rest) && (is_ended(line) || !is_full(line, rest)));
            if !goes_on {
                found.push(start..at);
                start = at + 1;
            }
            before = at + 1;
        }
        found.push(start..self.text.len());
        found
    }

    fn line(&self, range: Range<usize>) -> VisibleLine {
        let text = &self.text[range.clone()];
        let code = inside(&self.code, &range);
        let mut sentences = split_sentences(text, &code);
        if let Some(last) = sentences.pop() {
            sentences.extend(split_request(text, &code, last));
        }
        let sentence = |found: Range<usize>| {
            let (start, end) = (range.start + found.start, range.start + found.end);
            let marked = self.with_code_marks(start..end);
            let words: Vec<&str> = marked.split_whitespace().collect();
            Sentence { text: words.join(" "), range: self.source_of(start, end) }
        };
        let has_words = |found: &Range<usize>| text[found.clone()].contains(char::is_alphanumeric);
        VisibleLine {
            part: self.part,
            ticked: self.ticked,
            is_label: self.part == Part::Heading
                || text.trim_end().ends_with(LABEL_ENDS)
                || self.is_strong(&range),
            lead: None,
            opening: None,
            sentences: sentences.into_iter().filter(has_words).map(sentence).collect(),
        }
    }

    /// A range of the text with its code between backticks, as its author wrote it: without them its signs would be
    /// words.
    fn with_code_marks(&self, range: Range<usize>) -> String {
        let (mut marked, mut at) = (String::new(), range.start);
        for code in self.code.iter().filter(|code| range.start <= code.start && code.end <= range.end) {
            let (before, inside) = (&self.text[at..code.start], &self.text[code.clone()]);
            let mark = if inside.contains('`') { "" } else { "`" };
            marked.push_str(&format!("{before}{mark}{inside}{mark}"));
            at = code.end;
        }
        marked.push_str(&self.text[at..range.end]);
        marked
    }

    /// Whether a line is all in bold and the next one is not.
    fn is_title(&self, line: Range<usize>) -> bool {
        let next = line.end + 1
            ..self.text[line.end + 1..].find('\n').map_or(self.text.len(), |end| line.end + 1 + end);
        self.is_strong(&line) && !self.is_strong(&next)
    }

    /// Whether all words of a range are in bold.
    fn is_strong(&self, range: &Range<usize>) -> bool {
        let strong = inside(&self.strong, range);
        let mut next = strong.iter().peekable();
        let is_strong = |at: usize| {
            while next.next_if(|span| span.end <= at).is_some() {}
            next.peek().is_some_and(|span| span.contains(&at))
        };
        let mut letters =
            self.text[range.clone()].char_indices().filter(|(_, letter)| letter.is_alphanumeric());
        !strong.is_empty() && letters.by_ref().map(|(at, _)| at).all(is_strong)
    }

    /// The bytes of the source that a range of the text is from.
    fn source_of(&self, start: usize, end: usize) -> Range<usize> {
        let stretch = |at: usize| {
            let number = self.from.partition_point(|(begin, _)| *begin <= at).saturating_sub(1);
            let (begin, source) = &self.from[number];
            let until = self.from.get(number + 1).map_or(self.text.len(), |(next, _)| *next);
            // Words that are written as they are seen; others count as a whole.
            let is_same = until - begin == source.len();
            (at - begin, source, is_same)
        };
        let (offset, first, is_same) = stretch(start);
        let from = if is_same { first.start + offset } else { first.start };
        let (offset, last, is_same) = stretch(end.saturating_sub(1));
        let to = if is_same { last.start + offset + 1 } else { last.end };
        from..to.max(from)
    }
}

/// The parts of spans that are in a range, counted from its start.
fn inside(spans: &[Range<usize>], range: &Range<usize>) -> Vec<Range<usize>> {
    let first = spans.partition_point(|span| span.end <= range.start);
    let near = spans[first..].iter().take_while(|span| span.start < range.end);
    near.map(|span| span.start.max(range.start) - range.start..span.end.min(range.end) - range.start)
        .collect()
}

/// Was a line broken only because it was full? Otherwise its author ended it there.
fn is_wrapped(line: &str, rest: &str) -> bool {
    let is_ended = is_ended(line) && !is_abbreviated(line.trim_end());
    is_full(line, rest)
        || !is_ended && goes_on(rest)
        || breaks_off_at_a_word(line) && !begins_with_label(rest)
}

/// Whether a line ends with an article, a preposition or a modal, after which every sentence goes on.
fn breaks_off_at_a_word(line: &str) -> bool {
    const OPEN: &str = " a an the our your their its every each of at for from with into onto between within without per than via to by and or nor must shall should will would can could may might is are was were be ";
    let last = line.trim_end().rsplit(' ').next().unwrap_or_default();
    !last.is_empty() && OPEN.contains(&format!(" {last} "))
}

/// Whether a line begins with a label, as in "Decision: …".
fn begins_with_label(rest: &str) -> bool {
    let line = rest.lines().next().unwrap_or_default();
    let label = line.split_once([':', '：']).map(|(label, _)| label);
    label.is_some_and(|label| label.split_whitespace().count() <= MAX_LABEL_WORDS)
}

/// Whether a line had no room for the next word.
fn is_full(line: &str, rest: &str) -> bool {
    let word = rest.split_whitespace().next().unwrap_or_default();
    line.len() + word.len() >= FULL_COLUMNS
}

/// Whether the next line only asks to end the talk.
fn is_request(rest: &str) -> bool {
    only_asks_to_end(rest.lines().next().unwrap_or_default())
}

/// A sentence of a text, and apart from it the request to end the talk that follows its full stop in lower case: "Ten
/// euros. done".
fn split_request(text: &str, code: &[Range<usize>], sentence: Range<usize>) -> Vec<Range<usize>> {
    let words = &text[sentence.clone()];
    let ends = |(at, mark): (usize, &str)| {
        let end = at + mark.len();
        let is_mark = words[end..].starts_with(' ') && !is_abbreviated(&words[..end]);
        is_mark.then_some(sentence.start + end)
    };
    let last = words.rmatch_indices(['.', '!', '?', '…']).find_map(ends);
    let is_apart = |at: &usize| {
        let request = &text[*at..sentence.end];
        let is_open = !request.contains(|mark| CLOSING_MARKS.contains(&mark))
            && !code.iter().any(|code| code.contains(at) || code.start > *at);
        is_open && only_asks_to_end(request)
    };
    match last.filter(is_apart) {
        Some(at) => vec![sentence.start..at, at + 1..sentence.end],
        None => vec![sentence],
    }
}

/// Whether what comes after a line goes on with it.
fn goes_on(rest: &str) -> bool {
    let next = rest.trim_start_matches([' ', '\t']);
    next.starts_with(|first: char| first.is_lowercase() || "(,;".contains(first))
}

/// Whether a line ends with the mark of an end.
fn is_ended(line: &str) -> bool {
    line.trim_end().ends_with(['.', '!', '?', '…', '。', '！', '？'])
}

/// Gives each line the label above it: the line before it in its paragraph, or the last line of the block before its
/// paragraph or list; and each item of a list the line above the list, if that breaks off. Words of somebody else stand
/// between nothing, and a table is no list. `ends` has, for each block, the number of lines up to its end.
pub(super) fn link_leads(blocks: &[VisibleBlock], ends: &[usize], lines: &mut [VisibleLine]) {
    let mut lists: BTreeMap<usize, Above> = BTreeMap::new();
    // The last line that is the author's.
    let mut last: Option<usize> = None;
    for (at, block) in blocks.iter().enumerate() {
        let start = if at == 0 { 0 } else { ends[at - 1] };
        let is_label = |line: &usize| lines[*line].is_label && lines[*line].part != Part::Cell;
        let mut above =
            Above { lead: last.filter(is_label), opening: last.filter(|line| breaks_off(&lines[*line])) };
        match block.lists.last().filter(|_| block.is_first) {
            // All items of a list are below what its first is below, and so are those of a list right after it.
            Some(list) => {
                let before = at.checked_sub(1).and_then(|at| blocks[at].lists.get(block.lists.len() - 1));
                let first = before.and_then(|before| lists.get(before).copied()).unwrap_or(above);
                above = *lists.entry(*list).or_insert(first);
            }
            None => above.opening = None,
        }
        if block.row.is_some() {
            above.lead = None;
        }
        for (number, line) in lines.iter_mut().enumerate().take(ends[at]).skip(start) {
            (line.lead, line.opening) = (above.lead, above.opening);
            if line.is_label {
                above.lead = Some(number);
            }
            if line.part != Part::Quotation {
                last = Some(number);
            }
        }
    }
}

/// What a block is below, by its place among the lines.
#[derive(Clone, Copy)]
struct Above {
    lead: Option<usize>,
    /// The line that breaks off there.
    opening: Option<usize>,
}

/// Whether a line is an author's own sentence without an end.
fn breaks_off(line: &VisibleLine) -> bool {
    let is_ended = line.sentences.last().is_none_or(|last| is_ended(&last.text));
    matches!(line.part, Part::Paragraph | Part::Item) && !line.is_label && !is_ended
}
