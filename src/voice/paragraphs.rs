//! Sentences that Markdown breaks over several lines, put together again, and where each of them ends.

use super::evidence::LONGEST_LINE;
use crate::discussion::extract;

/// The lines of one paragraph or item of Markdown, while it is read: people wrap what they write, and
/// a sentence is quoted whole.
#[derive(Default)]
pub(super) struct Wrapped {
    lines: Vec<(usize, String)>,
    /// The last line as it stands in the file.
    last: String,
}

/// A line that is as long was broken by its writer's editor; a shorter one may be a line of its own.
const WRAPPED: usize = 55;
/// As many lines are one paragraph at most: a file without blank lines is none.
const PARAGRAPH: usize = 40;

impl Wrapped {
    /// Whether a line goes on with the sentence that the last one left open.
    pub fn goes_on(&self, number: usize, raw: &str) -> bool {
        let Some((last, text)) = self.lines.last() else { return false };
        let next = raw.trim_start();
        let broken = self.last.ends_with("  ") || self.last.ends_with('\\');
        let open = !broken && !text.is_empty() && !text.ends_with(['.', '!', '?', ':', '。', '？']);
        let long = self.last.trim_end().chars().count() >= WRAPPED;
        last + 1 == number
            && open
            && self.lines.len() < PARAGRAPH
            && next.len() <= LONGEST_LINE
            && !next.is_empty()
            && !begins_a_block(next)
            && (next.starts_with(char::is_lowercase) || long)
    }

    pub fn take(&mut self, number: usize, raw: &str, text: String) {
        self.lines.push((number, text));
        raw.clone_into(&mut self.last);
    }

    /// The sentences, those that begin on one line together; the paragraph is over.
    pub fn sentences(&mut self) -> Vec<(usize, String)> {
        let lines = std::mem::take(&mut self.lines);
        if lines.len() < 2 {
            return lines;
        }
        let (mut whole, mut begins) = (String::new(), Vec::new());
        for (number, text) in &lines {
            begins.push((whole.len(), *number));
            whole.push_str(text);
            whole.push(' ');
        }
        let (mut found, mut from) = (Vec::<(usize, String)>::new(), 0);
        for sentence in sentences(&whole) {
            let at = whole[from..].find(&sentence).map_or(from, |at| from + at);
            from = at + sentence.len();
            let number =
                begins[..begins.partition_point(|(start, _)| *start <= at)].last().map_or(0, |one| one.1);
            match found.last_mut().filter(|(same, _)| *same == number) {
                Some((_, text)) => text.extend([" ", &sentence]),
                None => found.push((number, sentence)),
            }
        }
        found
    }
}

/// Whether a line of Markdown opens something of its own: a heading, an item, a table, a fence, a quotation,
/// a comment, a rule, or a label such as `**Owner**:`.
fn begins_a_block(line: &str) -> bool {
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = digits.len() < line.len() && (digits.starts_with(". ") || digits.starts_with(") "));
    let label = line.starts_with("**") && line.contains(':') || line.starts_with("__") && line.contains(':');
    numbered
        || label
        || ["- ", "* ", "+ ", "#", "|", "```", "~~~", ">", "<", "---", "===", "***", "["]
            .iter()
            .any(|sign| line.starts_with(sign))
}

/// Abbreviations behind whose full stop a sentence goes on.
const ABBREVIATIONS: [&str; 22] = [
    "mr.", "mrs.", "ms.", "dr.", "prof.", "st.", "no.", "nr.", "e.g.", "i.e.", "vs.", "approx.", "fig.",
    "ca.", "cf.", "incl.", "min.", "max.", "art.", "sec.", "z.b.", "bzw.",
];

/// The sentences of a document's line: as [`extract::sentences`] has them, but for the full stop of an
/// abbreviation or an initial, which ends none.
pub fn sentences(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for sentence in extract::sentences(text) {
        match found.last_mut().filter(|last| goes_on(last)) {
            Some(last) => last.extend([" ", sentence.as_str()]),
            None => found.push(sentence),
        }
    }
    // A document is quoted to the letter, without the mark that its question lacks.
    if !text.trim_end().ends_with('?') {
        found.last_mut().into_iter().for_each(|last| last.truncate(last.trim_end_matches('?').len()));
    }
    found
}

fn goes_on(sentence: &str) -> bool {
    let last = sentence.rsplit([' ', '(']).next().unwrap_or_default();
    let initial = last.len() == 2 && last.starts_with(char::is_uppercase) && last.ends_with('.');
    initial || ABBREVIATIONS.contains(&last.to_lowercase().as_str())
}
