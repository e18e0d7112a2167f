//! Whether a quotation is where it says it is: in a document, a file of the repository, or a turn.
//!
//! White space and a wrong line number do not matter: the number is corrected. Words that are not there are
//! a breach, which shows the nearest line that is.

use std::collections::BTreeSet;

use crate::discussion::Discussion;
use crate::discussion::event::{Event, Rest};
use crate::text::plain;
use crate::text::words::words;
use crate::voice::integrity::{Breach, Rule};

/// The most passages that a line rests on.
const MOST: usize = 12;
/// The longest quotation, in characters.
const LONGEST: usize = 2_000;

/// Texts that can be quoted.
pub trait Sources {
    /// The text at a path within the item's folder, else from the repository's root.
    fn text(&self, path: &str) -> Option<String>;
}

/// The passages with the lines they are on, and what is wrong with the others. A turn may be quoted, as
/// `turn 4`; it is no passage.
pub fn checked(rests: &[Rest], talk: &Discussion<'_>, sources: &dyn Sources) -> (Vec<Rest>, Vec<Breach>) {
    let (mut found, mut wrong) = (Vec::new(), Vec::new());
    for rest in rests.iter().take(MOST) {
        match located(rest, talk, sources) {
            Ok(rest) => found.extend(rest),
            Err(why) => wrong.push(Breach { words: why, ..Breach::new(Rule::Quotation, "") }),
        }
    }
    (found, wrong)
}

/// A passage where it really is, or why it is nowhere.
fn located(rest: &Rest, talk: &Discussion<'_>, sources: &dyn Sources) -> Result<Option<Rest>, String> {
    let quote = plain::cut(plain::clean(&rest.quote).trim(), LONGEST);
    let path = plain::one_line(&plain::clean(&rest.path));
    if quote.is_empty() || path.is_empty() {
        return Err("a passage needs its path and its words".to_owned());
    }
    let shown = plain::cut(&path, 120);
    let turn = turn(&path, talk);
    let text = sources.text(&path).or_else(|| turn.map(str::to_owned));
    let text = text.ok_or_else(|| format!("there is no document {shown}"))?;
    match passage(&text, &quote, rest.line) {
        Some(_) if turn.is_some() => Ok(None),
        Some((line, words)) => Ok(Some(Rest { path, line, quote: words.to_owned() })),
        None => {
            let near = nearest(&text, &quote);
            let near = near.map_or(String::new(), |(line, words)| format!("; line {line} says: {words}"));
            Err(format!("{shown} does not say \"{}\"{near}", plain::cut(&plain::one_line(&quote), 80)))
        }
    }
}

/// The words of a turn that is named like a path.
fn turn<'t>(path: &str, talk: &'t Discussion<'_>) -> Option<&'t str> {
    let wanted: u32 = path.strip_prefix("turn")?.trim().parse().ok()?;
    talk.log().iter().find_map(|record| match &record.event {
        Event::Contribution(said) if said.turn == wanted => Some(said.text.as_str()),
        Event::User(message) if message.turn == Some(wanted) => Some(message.text.as_str()),
        _ => None,
    })
}

/// Where a quotation is, and its exact words there: the place nearest to the line `wanted`.
fn passage<'t>(text: &'t str, quote: &str, wanted: usize) -> Option<(usize, &'t str)> {
    let (squeezed, places) = squeezed(text);
    let (quote, _) = self::squeezed(quote);
    let quote = quote.trim_end();
    let starts: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
    let found = squeezed.match_indices(quote).filter_map(|(at, _)| {
        let start = *places.get(at)?;
        let words = text.get(start..places.get(at + quote.len() - 1)? + 1)?;
        Some((starts.partition_point(|line| *line <= start) + 1, words))
    });
    found.min_by_key(|(line, _)| line.abs_diff(wanted))
}

/// A text with single blanks, and of each of its bytes where it is in the text.
fn squeezed(text: &str) -> (String, Vec<usize>) {
    let (mut squeezed, mut places) = (String::with_capacity(text.len()), Vec::with_capacity(text.len()));
    for (at, sign) in text.char_indices() {
        let is_blank = sign.is_whitespace();
        if is_blank && (squeezed.is_empty() || squeezed.ends_with(' ')) {
            continue;
        }
        squeezed.push(if is_blank { ' ' } else { sign });
        let length = if is_blank { 1 } else { sign.len_utf8() };
        places.extend(at..at + length);
    }
    (squeezed, places)
}

/// The line that shares the most words with a quotation.
fn nearest(text: &str, quote: &str) -> Option<(usize, String)> {
    let of = |text: &str| -> BTreeSet<String> {
        words(text).into_iter().map(|word| word.text.to_lowercase()).collect::<BTreeSet<_>>()
    };
    let wanted = of(quote);
    let shared = |line: &str| of(line).intersection(&wanted).count();
    let lines = (1..).zip(text.lines()).map(|(number, line)| (shared(line), number, line));
    let (count, number, line) = lines.max_by_key(|(count, number, _)| (*count, usize::MAX - number))?;
    (count > 0).then(|| (number, format!("\"{}\"", plain::cut(&plain::one_line(&plain::clean(line)), 160))))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "# Loans\n\nA loan lasts 21 days.\nIt can be\n  renewed twice.\n\nA loan lasts 21 days.\n";

    #[test]
    fn a_quotation_is_found_across_white_space_and_next_to_its_line() {
        assert_eq!(passage(TEXT, "A loan  lasts 21 days.", 1), Some((3, "A loan lasts 21 days.")));
        assert_eq!(passage(TEXT, "A loan lasts 21 days.", 9).map(|(line, _)| line), Some(7));
        assert_eq!(passage(TEXT, "be renewed", 1), Some((4, "be\n  renewed")));
        assert_eq!(passage(TEXT, "A loan lasts 14 days.", 3), None);
        assert_eq!(passage("\u{a0}Zahl: 3\u{a0}€", "Zahl: 3 €", 1), Some((1, "Zahl: 3\u{a0}€")));
        assert_eq!(passage("", "x", 1), None);
    }

    #[test]
    fn the_nearest_line_is_shown() {
        assert_eq!(nearest(TEXT, "a loan lasts 14 days"), Some((3, "\"A loan lasts 21 days.\"".to_owned())));
        assert_eq!(nearest(TEXT, "photos"), None);
    }
}
