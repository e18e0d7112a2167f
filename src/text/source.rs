//! The text of an issue as a document: title and body are read like any other draft.
//! They are no message of a user, and nothing in them is a decision.
//!
//! Invariant: the draft holds what a reader of the issue sees. What GitHub does not render (HTML comments, unused
//! link definitions and footnotes, invisible signs) is left out, and counted.
//!
//! ```
//! use roundtable::text::source::Source;
//!
//! let body = "### What happens\n<!-- Describe it. -->\nThe list is empty.\n";
//! let source = Source::new("The list is empty", body).by("sam");
//! assert_eq!(source.hidden, 1);
//! assert!(source.draft().starts_with("# The list is empty\n\nThe text of an issue by sam.\n\n### What happens"));
//! ```

use std::collections::BTreeSet;
use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag};

use crate::text::plain;
use crate::text::secrets::{self, Masked};

/// The title is cut after this many characters, as in `meta.json`.
const LONGEST_TITLE: usize = 120;
/// The body is cut after this many characters; GitHub takes no more.
const LONGEST_BODY: usize = 65_536;

/// The title and the body of an issue.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    pub title: String,
    /// What a reader sees of the body.
    pub body: String,
    /// Who wrote it.
    pub by: Option<String>,
    /// The number of the issue.
    pub number: Option<u64>,
    /// Its page.
    pub link: Option<String>,
    /// The author may not write in the repository: the body is quoted as theirs.
    pub is_outsider: bool,
    /// How many parts were left out because GitHub does not show them.
    pub hidden: usize,
    /// Credentials that were masked, with the part they were in.
    pub masked: Vec<(&'static str, Vec<Masked>)>,
}

impl Source {
    /// Title and body as GitHub gives them.
    pub fn new(title: &str, body: &str) -> Source {
        let mut masked = Vec::new();
        let mut part = |name: &'static str, text: &str, limit: usize| {
            let text = match secrets::mask(text) {
                Some((text, found)) => {
                    masked.push((name, found));
                    text
                }
                None => text.to_owned(),
            };
            plain::cut(text.trim(), limit)
        };
        let title = part("title", &plain::one_line(&plain::clean(title)), LONGEST_TITLE);
        let (body, hidden) = visible(body);
        let body = part("body", &body, LONGEST_BODY);
        Source { title, body, hidden, masked, ..Source::default() }
    }

    #[must_use]
    pub fn by(self, login: &str) -> Source {
        let login = plain::cut(&plain::one_line(&plain::clean(login)), 60);
        Source { by: Some(login).filter(|login| !login.is_empty()), ..self }
    }

    /// The issue's number and page.
    #[must_use]
    pub fn at(self, number: Option<u64>, link: Option<String>) -> Source {
        Source { number, link: link.filter(|link| is_link(link)), ..self }
    }

    pub fn is_empty(&self) -> bool {
        self.title.is_empty() && self.body.is_empty()
    }

    /// The document.
    pub fn draft(&self) -> String {
        let title = if self.title.is_empty() { "Draft" } else { &self.title };
        let by = self.by.as_ref().map_or(String::new(), |by| format!(" by {}", plain::markdown(by)));
        let issue = match (self.number, &self.link) {
            (Some(number), Some(link)) => format!("[issue {number}]({link})"),
            (Some(number), None) => format!("issue {number}"),
            (None, Some(link)) => format!("[an issue]({link})"),
            (None, None) => "an issue".to_owned(),
        };
        let (whose, body) = match self.is_outsider {
            true => (", who may not write in this repository. Quoted as theirs:", quoted(&self.body)),
            false => (".", self.body.clone()),
        };
        let text = format!("# {}\n\nThe text of {issue}{by}{whose}\n\n{body}", plain::markdown(title));
        // Code may show a comment's beginning; none in a document of an item is anybody's but ours.
        format!("{}\n", text.trim_end().replace("<!--", "<! --"))
    }

    /// What was left out, in a sentence.
    pub fn note(&self) -> Option<String> {
        let parts = plain::count(self.hidden, "part");
        (self.hidden > 0).then(|| {
            format!(
                "{parts} of the issue's text that GitHub does not show {} left out of draft.md",
                if self.hidden == 1 { "was" } else { "were" }
            )
        })
    }
}

/// An address that can be written into Markdown as it is.
fn is_link(link: &str) -> bool {
    let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:/?#=&%".contains(&byte);
    (link.starts_with("https://") || link.starts_with("http://"))
        && link.len() <= 500
        && link.bytes().all(is_sign)
}

fn quoted(text: &str) -> String {
    text.lines().map(|line| if line.is_empty() { ">\n".to_owned() } else { format!("> {line}\n") }).collect()
}

/// What a reader sees of a text, and how many parts were left out. A run of invisible signs is one part.
pub fn visible(body: &str) -> (String, usize) {
    let body = body.replace("\r\n", "\n");
    let clean = plain::clean(&body);
    let hidden = without_overlaps(hidden_ranges(&clean));
    let count = invisible_runs(&body) + hidden.len();
    (without_ranges(&clean, hidden), count)
}

/// What the author of a text says with it: what a reader sees, without what it quotes and without the footer of an
/// e-mail. Alerts (`> [!NOTE]`) are the author's own.
pub fn own_words(body: &str) -> String {
    let clean = plain::clean(&body.replace("\r\n", "\n"));
    let (mut code, mut quoted) = (Vec::new(), Vec::new());
    for (event, range) in Parser::new_ext(&clean, Options::ENABLE_GFM).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(_)) => code.push(range),
            Event::Start(Tag::BlockQuote(None)) => quoted.push(range),
            _ => {}
        }
    }
    let footer = footer_start(&clean, &code).map(|start| start..clean.len());
    let mut left_out = hidden_ranges(&clean);
    left_out.extend(quoted.into_iter().chain(footer));
    without_ranges(&clean, without_overlaps(left_out)).trim_end().to_owned()
}

/// Where an e-mail's footer begins: at a signature's `-- `, or at the line before the mail that it answers.
fn footer_start(text: &str, code: &[Range<usize>]) -> Option<usize> {
    let is_code = |at: usize| {
        let next = code.partition_point(|block| block.end <= at);
        code.get(next).is_some_and(|block| block.contains(&at))
    };
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        let is_attribution = line.starts_with("On ")
            && line.trim_end().ends_with("wrote:")
            && text[end..].trim_start().starts_with('>');
        let is_footer = is_attribution || line.trim_end_matches('\n') == "-- ";
        if is_footer && !is_code(start) {
            return Some(start);
        }
        start = end;
    }
    None
}

/// The text without these parts, which are in order.
fn without_ranges(text: &str, ranges: Vec<Range<usize>>) -> String {
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    for range in ranges {
        out.push_str(&text[at..range.start]);
        at = range.end;
    }
    out.push_str(&text[at..]);
    without_blank_runs(&out)
}

fn invisible_runs(text: &str) -> usize {
    let (mut runs, mut inside) = (0, false);
    for sign in text.chars() {
        let mut one = [0; 4];
        let is_hidden = !plain::is_clean(sign.encode_utf8(&mut one));
        runs += usize::from(is_hidden && !inside);
        inside = is_hidden;
    }
    runs
}

/// The parts that are not rendered.
fn hidden_ranges(text: &str) -> Vec<Range<usize>> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS;
    let parser = Parser::new_ext(text, options);
    let definitions: Vec<(String, Range<usize>)> = parser
        .reference_definitions()
        .iter()
        .map(|(label, definition)| (label.to_lowercase(), definition.span.clone()))
        .collect();
    let (mut used, mut cited) = (BTreeSet::new(), BTreeSet::new());
    let (mut notes, mut found) = (Vec::new(), Vec::new());
    for (event, range) in parser.into_offset_iter() {
        match event {
            Event::Start(Tag::Link { link_type, id, .. } | Tag::Image { link_type, id, .. }) => {
                if matches!(link_type, LinkType::Reference | LinkType::Collapsed | LinkType::Shortcut) {
                    used.insert(id.to_lowercase());
                }
            }
            Event::FootnoteReference(label) => {
                cited.insert(label.to_string());
            }
            Event::Start(Tag::FootnoteDefinition(label)) => notes.push((label.to_string(), range)),
            Event::InlineHtml(_) | Event::Start(Tag::HtmlBlock) => comments(text, range, &mut found),
            _ => {}
        }
    }
    found.extend(definitions.into_iter().filter(|(label, _)| !used.contains(label)).map(|(_, range)| range));
    found.extend(notes.into_iter().filter(|(label, _)| !cited.contains(label)).map(|(_, range)| range));
    found
}

/// The parts in order; one that is inside another is part of it.
fn without_overlaps(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
    let mut end = 0;
    ranges.retain(|range| {
        let is_new = range.start >= end;
        end = end.max(range.end);
        is_new
    });
    ranges
}

/// The HTML comments of a piece of HTML; one that is not closed there goes on to its end in the text, and
/// one that is never closed hides the rest.
fn comments(text: &str, range: Range<usize>, found: &mut Vec<Range<usize>>) {
    let mut at = found.last().map_or(range.start, |last| range.start.max(last.end));
    while at < range.end {
        let Some(start) = text[at..range.end].find("<!--").map(|start| at + start) else { return };
        let end = text[start + 4..].find("-->").map_or(text.len(), |end| start + 4 + end + 3);
        found.push(start..end);
        at = end;
    }
}

fn without_blank_runs(text: &str) -> String {
    let (mut out, mut blank, mut fence) = (String::with_capacity(text.len()), 0, false);
    for line in text.lines() {
        let trimmed = line.trim_start();
        fence ^= trimmed.starts_with("```") || trimmed.starts_with("~~~");
        blank = if line.trim().is_empty() && !fence { blank + 1 } else { 0 };
        if blank < 2 {
            out.push_str(line.trim_end_matches(['\t', '\r']));
            out.push('\n');
        }
    }
    out.trim_matches('\n').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_github_does_not_show_is_left_out_and_counted() {
        for (body, shown, hidden) in [
            ("a <!-- b --> c", "a  c", 1),
            ("<!--\nfill in\n\nhere -->\n### Steps\n\n_No response_", "### Steps\n\n_No response_", 1),
            ("text\n\n[//]: # (a secret order)\n\nmore", "text\n\nmore", 1),
            ("see [docs]\n\n[docs]: https://example.org", "see [docs]\n\n[docs]: https://example.org", 0),
            ("a\n\n[^1]: never cited", "a", 1),
            ("a[^1]\n\n[^1]: cited", "a[^1]\n\n[^1]: cited", 0),
            ("`<!-- code -->` stays", "`<!-- code -->` stays", 0),
            ("```\n<!-- code -->\n```", "```\n<!-- code -->\n```", 0),
            ("pay\u{200b}\u{200b} 5\u{202e}0", "pay 50", 2),
            ("shown\n\n<!-- never closed\n\nrest", "shown", 1),
            ("> kept as a quotation\r\n\r\nanswer", "> kept as a quotation\n\nanswer", 0),
            (
                "<details><summary>Log</summary>\n\nline\n\n</details>",
                "<details><summary>Log</summary>\n\nline\n\n</details>",
                0,
            ),
        ] {
            let (text, count) = visible(body);
            assert_eq!((text.as_str(), count), (shown, hidden), "{body}");
        }
    }

    #[test]
    fn a_body_is_read_without_quotations_comments_and_footers() {
        assert_eq!(own_words("> you said\n\nI say\n> again\nthis"), "I say");
        assert_eq!(
            own_words("kept\n\nOn Fri, 20 Nov 2026 at 10:00, Kim <k@example.org> wrote:\n> x\n> y"),
            "kept"
        );
        assert_eq!(own_words("Use `<!--` to hide. We decided."), "Use `<!--` to hide. We decided.");
        assert_eq!(own_words("```html\n<!-- a\n```\nkept"), "```html\n<!-- a\n```\nkept");
        assert_eq!(
            own_words("On the other hand, here is what the auditor wrote:\nkept"),
            "On the other hand, here is what the auditor wrote:\nkept"
        );
        assert_eq!(own_words("Summary\n--\nkept"), "Summary\n--\nkept");
        assert_eq!(own_words("```inline``` code\n> quoted\nlazy\n\nmine"), "```inline``` code\n\nmine");
        assert_eq!(own_words("kept\n-- \nKim\nExample Ltd"), "kept");
        assert_eq!(
            own_words("a <!-- hidden\nover lines --> b <!-- open\nnever shown"),
            "a  b <!-- open\nnever shown"
        );
        assert_eq!(
            own_words("```sh\n> not a quotation\n--\n```\nafter"),
            "```sh\n> not a quotation\n--\n```\nafter"
        );
        assert_eq!(own_words("a\u{200b}b\r\n\r\n\r\n\r\nc"), "ab\n\nc");
    }

    #[test]
    fn a_draft_names_its_author_and_quotes_an_outsider() {
        let link = Some("https://github.com/o/n/issues/7".to_owned());
        let source = Source::new("Late *fees*", "Who pays?\n\nThey do.").by("sam").at(Some(7), link);
        assert_eq!(
            source.draft(),
            "# Late \\*fees\\*\n\nThe text of [issue 7](https://github.com/o/n/issues/7) by sam.\n\nWho pays?\n\nThey do.\n"
        );
        let outsider = Source { is_outsider: true, ..source };
        assert!(
            outsider.draft().ends_with("Quoted as theirs:\n\n> Who pays?\n>\n> They do.\n"),
            "{}",
            outsider.draft()
        );
        assert_eq!(
            Source::new("", "x").at(None, Some("javascript:x".to_owned())).draft(),
            "# Draft\n\nThe text of an issue.\n\nx\n"
        );
    }
}
