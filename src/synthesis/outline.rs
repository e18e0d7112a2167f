//! The headings of a Markdown file and where their sections end, as CommonMark reads them, and
//! whether an insertion leaves everything that was there as it was.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use std::ops::Range;

use crate::additive;
use crate::item::MARKERS;
use crate::text::plain::line_end;

/// The Markdown that documents are read as: CommonMark with GFM's tables and strikethrough, and
/// YAML front matter.
pub const MARKDOWN: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_YAML_STYLE_METADATA_BLOCKS);

/// A heading that opens a section: not one inside a quote or a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// From one to six.
    pub level: u8,
    /// The heading's words, without markup.
    pub text: String,
    /// Where its first byte is.
    pub start: usize,
    /// It belongs to what an earlier discussion added.
    pub added: bool,
}

impl Heading {
    /// Whether it has a name; a number before it, and a colon or what is in brackets behind it, are no part of that:
    /// `4. Clarifications (optional)`.
    pub fn is_called(&self, name: &str) -> bool {
        bare(&self.text).eq_ignore_ascii_case(bare(name))
    }
}

fn bare(heading: &str) -> &str {
    let words = unnumbered(heading).trim_end_matches([':', ' ']);
    let before = words.strip_suffix(')').and_then(|rest| rest.rsplit_once(" ("));
    before.map_or(words, |(before, _)| before.trim_end_matches([':', ' ']))
}

/// A heading without the number before it.
pub fn unnumbered(heading: &str) -> &str {
    heading.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ')' | ' '))
}

/// The headings of a text, in order.
#[derive(Clone, Debug)]
pub struct Outline {
    pub headings: Vec<Heading>,
    /// Where the lines begin that begin like a traceability marker: those that are HTML, not inside a quote or a
    /// list.
    pub markers: Vec<usize>,
    length: usize,
}

impl Outline {
    /// What discussions added: from each of these markers to the next one, or to the next
    /// heading that no discussion added.
    pub fn added(&self, markers: &[usize]) -> Vec<Range<usize>> {
        let ends = markers.iter().copied().skip(1).chain([self.length]);
        let range = |(start, next): (usize, usize)| {
            let first = self.headings.partition_point(|heading| heading.start <= start);
            let mut below = self.headings[first..].iter().take_while(|heading| heading.start < next);
            start..below.find(|heading| !heading.added).map_or(next, |heading| heading.start)
        };
        markers.iter().copied().zip(ends).map(range).collect()
    }

    pub fn new(text: &str) -> Outline {
        let skipped = text.len() - text.trim_start_matches('\u{feff}').len();
        let (mut headings, mut markers): (Vec<Heading>, Vec<usize>) = Default::default();
        let (mut depth, mut open, mut html) = (0_usize, None::<Heading>, String::new());
        // The level of the addition we are in, and whether a marker has just been passed.
        let (mut added, mut marked) = (None::<u8>, false);
        for (event, range) in Parser::new_ext(&text[skipped..], MARKDOWN).into_offset_iter() {
            match event {
                Event::Start(Tag::Heading { level, .. }) if depth == 0 => {
                    let level = level as u8;
                    added = within(added, marked, level);
                    marked = false;
                    open = Some(Heading {
                        level,
                        text: String::new(),
                        // The heading's line may begin with blanks.
                        start: line_start(text, range.start + skipped),
                        added: added.is_some(),
                    });
                }
                Event::End(TagEnd::Heading(_)) if depth == 0 => headings.extend(open.take()),
                Event::Text(words) | Event::Code(words) => {
                    if let Some(heading) = &mut open {
                        heading.text.push_str(&words);
                    }
                }
                Event::SoftBreak | Event::HardBreak => {
                    if let Some(heading) = &mut open {
                        heading.text.push(' ');
                    }
                }
                Event::Start(Tag::HtmlBlock) if depth == 0 => html.clear(),
                Event::Html(found) if depth == 0 => {
                    markers.extend(is_marker(&found).then_some(range.start + skipped));
                    html.push_str(&found);
                }
                Event::End(TagEnd::HtmlBlock) if depth == 0 => marked = is_marker(&html),
                Event::Start(Tag::BlockQuote(_) | Tag::List(_) | Tag::Item) => {
                    depth += 1;
                    marked = false;
                }
                Event::End(TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::Item) => depth -= 1,
                Event::Start(_) => marked = false,
                _ => {}
            }
        }
        for heading in &mut headings {
            heading.text = crate::text::plain::one_line(&crate::text::plain::clean(&heading.text));
        }
        Outline { headings, markers, length: text.len() }
    }

    /// Where the section of a heading ends, its sub-sections included.
    pub fn end(&self, heading: usize) -> usize {
        let level = self.headings[heading].level;
        let next = (heading + 1..self.headings.len()).find(|next| self.headings[*next].level <= level);
        next.map_or(self.length, |next| self.begin(next))
    }

    /// Where the section of a heading ends, without its sub-sections.
    pub fn own_end(&self, heading: usize) -> usize {
        if heading + 1 < self.headings.len() { self.begin(heading + 1) } else { self.length }
    }

    /// Where a heading begins, with the marker above it that says which discussion added it.
    fn begin(&self, heading: usize) -> usize {
        let own = &self.headings[heading];
        let above = heading.checked_sub(1).map_or(0, |above| self.headings[above].start);
        let before = self.markers.partition_point(|marker| *marker < own.start);
        let marker = before.checked_sub(1).map(|at| self.markers[at]);
        marker.filter(|marker| own.added && *marker >= above).unwrap_or(own.start)
    }

    /// The heading under which a heading is, if any.
    pub fn parent(&self, heading: usize) -> Option<usize> {
        let level = self.headings[heading].level;
        self.headings[..heading].iter().rposition(|above| above.level < level)
    }
}

/// The level of the addition that a heading belongs to, if it does: the last one's, or its own.
fn within(added: Option<u8>, marked: bool, level: u8) -> Option<u8> {
    if marked { Some(level) } else { added.filter(|ours| level > *ours) }
}

/// Where the line begins that a byte is on.
fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |end| end + 1)
}

/// What a traceability marker begins with.
pub const MARKER: &[u8] = MARKERS[0].as_bytes();

/// Whether an HTML block is a traceability marker.
fn is_marker(html: &str) -> bool {
    html.trim_start().as_bytes().starts_with(MARKER)
}

/// A text with an insertion, as [`insert`] made it.
pub struct Inserted {
    pub text: String,
    /// Where the insertion is in the new text.
    range: Range<usize>,
    /// The addition itself, without the blank lines around it.
    body: String,
}

/// Puts a block of its own into a text at a line's beginning or at the end: a blank line before
/// and after it, in the text's own line ends. A last line without an end gets one.
pub fn insert(text: &str, at: usize, body: &str) -> Inserted {
    let end = line_end(text);
    let body = body.replace('\n', end);
    let before = &text[..at];
    let gap = match before.trim_end_matches(['\r', '\n', ' ', '\t', '\u{feff}']).len() {
        0 if before.is_empty() => String::new(),
        _ if !before.ends_with('\n') => format!("{end}{end}"),
        _ if is_blank_line(before) => String::new(),
        _ => end.to_owned(),
    };
    let tail = if at < text.len() { format!("{end}{end}") } else { end.to_owned() };
    let inserted = format!("{gap}{body}{tail}");
    let range = at..at + inserted.len();
    Inserted { text: format!("{before}{inserted}{}", &text[at..]), range, body }
}

/// Where the words of a text end: at its end, or before the link reference definitions that it ends in (CommonMark 4.7).
pub fn end_of_words(text: &str) -> usize {
    let parser = Parser::new_ext(text, MARKDOWN);
    // `[^1]: a.md` is a footnote to who reads those.
    let links = parser.reference_definitions().iter().filter(|(label, _)| !label.starts_with('^'));
    let mut definitions: Vec<_> = links.map(|(_, found)| found.span.clone()).collect();
    definitions.sort_by_key(|span| std::cmp::Reverse(span.start));
    let mut end = text.len();
    for span in definitions {
        let begins_line = span.start == 0 || text[..span.start].ends_with('\n');
        if !text[span.end..end].trim().is_empty() || !begins_line {
            break;
        }
        end = span.start;
    }
    end
}

/// Whether the last complete line is blank.
fn is_blank_line(before: &str) -> bool {
    let line = before.strip_suffix('\n').unwrap_or(before);
    line[line.rfind('\n').map_or(0, |at| at + 1)..].trim().is_empty()
}

/// Whether an insertion leaves everything that was there as it was, by the rule of every commit
/// ([`additive`]), and reads as it would alone.
pub fn fits(before: &str, inserted: &Inserted) -> bool {
    let text = inserted.text.trim_start_matches('\u{feff}');
    let skipped = inserted.text.len() - text.len();
    let (start, end) =
        (inserted.range.start.saturating_sub(skipped), inserted.range.end.saturating_sub(skipped));
    // Events come in the order of the text: after the insertion there are no more of it, and what is not closed by then
    // goes on in what was there. The range of a list has the link definitions after it, too.
    let ours = Parser::new_ext(text, MARKDOWN).into_offset_iter().take_while(|(_, range)| range.start < end);
    let ours = ours.filter(|(_, range)| start <= range.start && !range.is_empty()).map(|(event, _)| event);
    let alone = format!("{}\n", inserted.body);
    let reads_alike = ours.eq(Parser::new_ext(&alone, MARKDOWN));
    reads_alike && additive::block::compare(before.as_bytes(), inserted.text.as_bytes()).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "---\nx: 1\n---\n# T\n\n## 1. A\n\na\n\n```\n# no\n```\n\n### A.1\n\n> # quoted\n\n## B\nb";

    #[test]
    fn words_end_before_the_link_definitions_that_end_a_text() {
        let ends = |text: &str| end_of_words(text);
        assert_eq!(ends("A [b].\n\n[b]: c.md\n[d]: <e.md>\n\n"), 8);
        assert_eq!(ends("[b]: c.md\n\nA [b].\n"), 18);
        assert_eq!(ends("A[^1].\n\n[^1]: c.md\n"), 19);
        assert_eq!(ends("A\n\n- b\n\n  [c]: d.md\n"), 20);
        assert_eq!((ends(""), ends("A"), ends("A\n\n> [c]: d.md\n")), (0, 1, 15));
    }

    #[test]
    fn a_section_ends_before_the_marker_of_a_block() {
        let marker = "<!-- Elaboration: step 01-03, 2026-02-20T14:30:00.000Z -->";
        let text = format!("# T\n\n## A\n\n- a\n\n{marker}\n## Block\n\n### Decisions\n\n- b\n\n## C\n");
        let outline = Outline::new(&text);
        for end in [outline.end(1), outline.own_end(1)] {
            assert!(text[end..].starts_with(marker), "{}", &text[end..]);
        }
        assert_eq!((&text[outline.end(2)..], &text[outline.own_end(2)..][..13]), ("## C\n", "### Decisions"));
    }

    #[test]
    fn headings_are_those_commonmark_sees() {
        let outline = Outline::new(TEXT);
        let seen: Vec<(u8, &str)> = outline.headings.iter().map(|h| (h.level, h.text.as_str())).collect();
        assert_eq!(seen, [(1, "T"), (2, "1. A"), (3, "A.1"), (2, "B")]);
        assert_eq!(&TEXT[outline.end(1)..], "## B\nb");
        assert_eq!((outline.end(0), outline.parent(2), outline.parent(0)), (TEXT.len(), Some(1), None));
    }

    #[test]
    fn a_heading_is_called_by_its_words() {
        for (text, is_it) in [
            ("Clarifications", true),
            ("4. clarifications", true),
            ("2.1) Clarifications:", true),
            ("Clarifications (optional)", true),
            ("Clarifications and more", false),
            ("(optional)", false),
        ] {
            let heading = Heading { level: 2, text: text.to_owned(), start: 0, added: false };
            assert_eq!(heading.is_called("Clarifications"), is_it, "{text}");
        }
    }

    #[test]
    fn what_a_discussion_added_is_told_apart() {
        let text = "## A\n\n<!-- Elaboration: step 01-03, x -->\n### Ours\n\n#### Key\n\n## B\n\n### C\n";
        let added: Vec<bool> = Outline::new(text).headings.iter().map(|heading| heading.added).collect();
        assert_eq!(added, [false, true, true, false, false]);
    }

    #[test]
    fn an_insertion_stands_between_blank_lines() {
        let at = Outline::new("# A\nx\n# B\n").end(0);
        assert_eq!(insert("# A\nx\n# B\n", at, "new").text, "# A\nx\n\nnew\n\n# B\n");
        assert_eq!(insert("a\r\n\r\nb", 6, "x\ny").text, "a\r\n\r\nb\r\n\r\nx\r\ny\r\n");
        assert_eq!(insert("", 0, "new").text, "new\n");
    }

    #[test]
    fn an_insertion_that_changes_what_stands_does_not_fit() {
        let block = "<!-- Elaboration: step 01-03, x -->\n### H\n\n- [Maya] x";
        let at = |text: &str, at: usize| fits(text, &insert(text, at, block));
        let check = |text: &str| at(text, text.len());
        assert!(check("# A\n\ntext\n"));
        assert!(check("# A\n\ntext"));
        assert!(check("# A\n\n- one\n- two"));
        assert!(check("# A\n\n    code"));
        assert!(check(""));
        let ends = "# T\n\nSee [a] and [b].\n\n[a]: https://example.org/a\n[b]: https://example.org/b\n";
        assert!(at(ends, end_of_words(ends)));
        assert!(!at("A\n\n- b\n", 3));
        assert!(!check("# A\n\n```\nopen fence\n"));
        assert!(!check("# A\n\n<!-- open\n"));
        assert!(!check("# A\n\n[maya]: http://x\n"));
        assert!(!at("- a\n\n  b\n", 4));
    }
}
