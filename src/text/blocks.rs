//! The blocks of a Markdown document as ranges of it: what a passage of it may be.
//!
//! ```
//! use roundtable::text::blocks::{Place, blocks};
//!
//! let text = "# Fees\n\n- Fees stop.\n  - At 10 euros.\n";
//! let found: Vec<_> = blocks(text, 0).into_iter().map(|block| (block.place, &text[block.range])).collect();
//! assert_eq!(found[0], (Place::Heading(1), "Fees"));
//! assert_eq!(found[2], (Place::Item(2), "At 10 euros."));
//! ```

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// What a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// With its level, from 1.
    Heading(usize),
    Paragraph,
    /// With its depth, from 1.
    Item(usize),
    TableHead,
    TableRow,
    Code,
}

/// A block, without its marker and the white space around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    pub place: Place,
    pub range: Range<usize>,
}

/// The blocks of a text from a byte on, in order. They don't overlap. What is quoted or a comment is none of them.
pub fn blocks(text: &str, from: usize) -> Vec<Block> {
    let mut reader = BlockReader { text, found: Vec::new(), open: None, items: 0, quotes: 0 };
    let options = Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS | Options::ENABLE_STRIKETHROUGH;
    for (event, range) in Parser::new_ext(&text[from..], options).into_offset_iter() {
        reader.take(&event, range.start + from..range.end + from);
    }
    reader.found
}

struct BlockReader<'t> {
    text: &'t str,
    found: Vec<Block>,
    /// The block whose words are read.
    open: Option<Block>,
    /// How many list items, and how many quotations, are open.
    items: usize,
    quotes: usize,
}

impl BlockReader<'_> {
    fn take(&mut self, event: &Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(Tag::BlockQuote(_)) => self.quotes += 1,
            Event::End(TagEnd::BlockQuote(_)) => self.quotes -= 1,
            _ if self.quotes > 0 => {}
            Event::Start(Tag::Heading { level, .. }) => self.begin(Place::Heading(*level as usize)),
            Event::Start(Tag::Paragraph | Tag::HtmlBlock) if self.items == 0 => self.begin(Place::Paragraph),
            Event::Start(Tag::Item) => {
                self.items += 1;
                self.begin(Place::Item(self.items));
            }
            Event::Start(Tag::Paragraph | Tag::HtmlBlock) => self.begin(Place::Item(self.items)),
            Event::Start(Tag::CodeBlock(_)) => self.begin(Place::Code),
            Event::Start(Tag::TableHead) => self.push(Place::TableHead, range),
            Event::Start(Tag::TableRow) => self.push(Place::TableRow, range),
            Event::End(TagEnd::Item) => {
                self.flush();
                self.items -= 1;
            }
            Event::Start(Tag::List(_) | Tag::Table(_))
            | Event::End(
                TagEnd::Heading(_)
                | TagEnd::Paragraph
                | TagEnd::HtmlBlock
                | TagEnd::CodeBlock
                | TagEnd::List(_),
            ) => self.flush(),
            Event::TaskListMarker(_) | Event::Rule => {}
            _ => self.extend(&range),
        }
    }

    fn begin(&mut self, place: Place) {
        self.flush();
        self.open = Some(Block { place, range: 0..0 });
    }

    /// The open block goes on to the end of a piece of it.
    fn extend(&mut self, range: &Range<usize>) {
        let Some(Block { range: open, .. }) = &mut self.open else { return };
        if open.start == open.end {
            open.start = range.start;
        }
        open.end = open.end.max(range.end);
    }

    fn flush(&mut self) {
        if let Some(Block { place, range }) = self.open.take() {
            self.push(place, range);
        }
    }

    fn push(&mut self, place: Place, range: Range<usize>) {
        let piece = &self.text[range.clone()];
        let start = range.start + (piece.len() - piece.trim_start().len());
        let piece = piece.trim();
        if !piece.is_empty() && !piece.starts_with("<!--") {
            self.found.push(Block { place, range: start..start + piece.len() });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_what_is_read_as_one_piece() {
        let text = concat!(
            "# A *b*\n\nOne\ntwo.\n\n1. [ ] **Three** goes\n   on\n\n   And on.\n   - four\n\n",
            "> five\n\n<!-- six -->\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```\nx\n\ny\n```\n",
        );
        let found: Vec<_> =
            blocks(text, 0).into_iter().map(|block| (block.place, &text[block.range])).collect();
        let wanted = [
            (Place::Heading(1), "A *b*"),
            (Place::Paragraph, "One\ntwo."),
            (Place::Item(1), "**Three** goes\n   on"),
            (Place::Item(1), "And on."),
            (Place::Item(2), "four"),
            (Place::TableHead, "| a | b |"),
            (Place::TableRow, "| 1 | 2 |"),
            (Place::Code, "x\n\ny"),
        ];
        assert_eq!(found, wanted);
    }

    #[test]
    fn hostile_nesting_comes_to_an_end() {
        let text = format!("{}x\n", "- ".repeat(20_000));
        assert_eq!(blocks(&text, 0).len(), 1);
        assert!(blocks(&"> ".repeat(20_000), 0).is_empty());
    }
}
