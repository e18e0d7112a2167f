//! Markdown as far as it matters for who says what: which lines are a quotation, code, a list item, a heading, a
//! comment. One pass over the lines; every block is a range of the source.
//!
//! Stricter than CommonMark in one place: a line without `>` after a quotation is the writer's own (CommonMark calls
//! it a lazy continuation), because people answer there.

use std::ops::Range;

/// Where a sentence is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Prose,
    Item,
    Heading,
    Quote,
    Code,
    Comment,
    Table,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    pub place: Place,
    /// Without list markers and the white space around it.
    pub range: Range<usize>,
    /// Of a task list's item: is it ticked?
    pub task: Option<bool>,
}

/// What the lines so far have opened.
enum Open {
    None,
    Fence(u8, usize),
    Comment,
}

struct Scanner<'t> {
    source: &'t str,
    blocks: Vec<Block>,
    open: Open,
    /// Does the next line of text continue the last block?
    continues: bool,
    in_list: bool,
}

/// The blocks of a text, in order. They do not overlap.
pub fn blocks(source: &str) -> Vec<Block> {
    let mut scanner =
        Scanner { source, blocks: Vec::new(), open: Open::None, continues: false, in_list: false };
    let mut start = 0;
    for line in source.split_inclusive('\n') {
        let end = start + line.len();
        while let Some(rest) = scanner.line(start, &source[start..end]) {
            start = rest;
        }
        start = end;
    }
    scanner.blocks
}

impl Scanner<'_> {
    /// Takes a line, or the part of it before or after a comment; then where the rest of it starts.
    fn line(&mut self, start: usize, line: &str) -> Option<usize> {
        let text = line.trim();
        let indent = line.len() - line.trim_start().len();
        let range = start + indent..start + indent + text.len();
        match self.open {
            Open::Fence(mark, length) => {
                let closes = fence(text).is_some_and(|(m, l)| m == mark && l >= length && l == text.len());
                if closes {
                    self.close()
                } else {
                    self.push(Place::Code, range, None)
                }
                return None;
            }
            Open::Comment => {
                let end = text.find("-->").map(|end| range.start + end + 3);
                self.push(Place::Comment, range.start..end.unwrap_or(range.end), None);
                if end.is_some() {
                    self.close();
                }
                return end;
            }
            Open::None => {}
        }
        if text.is_empty() {
            self.continues = false;
        } else if let Some((mark, length)) = fence(text) {
            self.close();
            self.open = Open::Fence(mark, length);
        } else if !self.continues && !self.in_list && (indent >= 4 || line.starts_with('\t')) {
            self.alone(Place::Code, range);
        } else if text.starts_with("<!--") {
            self.continues = false;
            self.open = Open::Comment;
            return Some(range.start);
        } else {
            self.text(range, indent);
        }
        None
    }

    /// A line that is neither blank nor code.
    fn text(&mut self, range: Range<usize>, indent: usize) {
        let text = &self.source[range.clone()];
        if let Some(rest) = text.strip_prefix('>') {
            let inner = rest.trim_start_matches(['>', ' ', '\t']);
            self.continues &= self.last() == Some(Place::Quote) && !inner.is_empty();
            return self.push(Place::Quote, range.end - inner.len()..range.end, None);
        }
        if self.last() == Some(Place::Quote) {
            self.continues = false;
        }
        if let Some(marker) = marker(text) {
            let (boxed, task) = task(&text[marker..]);
            self.continues = false;
            self.push(Place::Item, range.start + marker + boxed..range.end, task);
            self.in_list = true;
        } else if let Some(heading) = heading(text) {
            self.close();
            self.alone(Place::Heading, range.start + heading..range.end);
        } else if text.starts_with('|') {
            self.alone(Place::Table, range);
        } else if is_rule(text) {
            self.underline();
        } else {
            self.in_list &= self.continues || indent > 1;
            self.push(if self.in_list { Place::Item } else { Place::Prose }, range, None);
            if text.rfind("<!--").is_some_and(|at| !text[at..].contains("-->")) {
                self.open = Open::Comment;
                self.continues = false;
            }
        }
    }

    /// A line that is a block by itself.
    fn alone(&mut self, place: Place, range: Range<usize>) {
        self.continues = false;
        self.push(place, range, None);
        self.continues = false;
    }

    /// A line of `=` or `-`: the line above is a heading, or the block ends.
    fn underline(&mut self) {
        if let (true, Some(block)) = (self.continues, self.blocks.last_mut())
            && block.place == Place::Prose
            && !self.source[block.range.clone()].contains('\n')
        {
            block.place = Place::Heading;
        }
        self.close();
    }

    fn last(&self) -> Option<Place> {
        self.blocks.last().filter(|_| self.continues).map(|block| block.place)
    }

    fn close(&mut self) {
        (self.open, self.continues, self.in_list) = (Open::None, false, false);
    }

    /// Adds a line to the last block, or begins a new one.
    fn push(&mut self, place: Place, range: Range<usize>, task: Option<bool>) {
        if range.is_empty() {
            return;
        }
        match self.blocks.last_mut() {
            Some(block) if self.continues && block.place == place => block.range.end = range.end,
            _ => self.blocks.push(Block { place, range, task }),
        }
        self.continues = true;
    }
}

/// The mark and the length of a code fence.
fn fence(text: &str) -> Option<(u8, usize)> {
    let mark = *text.as_bytes().first().filter(|mark| b"`~".contains(mark))?;
    let length = text.bytes().take_while(|&found| found == mark).count();
    // "```code```" on one line is inline code.
    let is_inline = mark == b'`' && text[length..].contains('`');
    (length >= 3 && !is_inline).then_some((mark, length))
}

/// The length of a list marker with the blanks after it.
fn marker(text: &str) -> Option<usize> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = match (digits, text[digits..].chars().next()?) {
        (0, '-' | '*' | '+') => &text[1..],
        (0, '•') => &text['•'.len_utf8()..],
        (1..=9, '.' | ')') => &text[digits + 1..],
        _ => return None,
    };
    let blank = rest.len() - rest.trim_start().len();
    (blank > 0 && !rest.trim_start().is_empty()).then_some(text.len() - rest.len() + blank)
}

/// The length of a task's box with the blanks after it, and whether it is ticked.
fn task(text: &str) -> (usize, Option<bool>) {
    let ticked = match text.get(..4) {
        Some("[ ] ") => false,
        Some("[x] " | "[X] ") => true,
        _ => return (0, None),
    };
    (text.len() - text[4..].trim_start().len(), Some(ticked))
}

/// The length of a heading's marks with the blanks after them.
fn heading(text: &str) -> Option<usize> {
    let marks = text.bytes().take_while(|&found| found == b'#').count();
    let rest = &text[marks..];
    let is_heading = (1..=6).contains(&marks) && rest.starts_with([' ', '\t']);
    is_heading.then(|| text.len() - rest.trim_start().len())
}

fn is_rule(text: &str) -> bool {
    let mark = text.as_bytes().first().copied().filter(|mark| b"=-*_".contains(mark));
    text.len() >= 3 && mark.is_some_and(|mark| text.bytes().all(|found| found == mark || found == b' '))
}
