//! The one place where quotations are checked: of lines and their `rests`, of points, entries and an agent's lines (V-5).
//!
//! A quotation is where it says it is, in a file or in a turn (`turn 4`). White space, letter case and a wrong line
//! number do not matter: the number is corrected. Words that are not there are a breach, which names the nearest line.
//!
//! ```
//! use roundtable::discussion::event::Rest;
//! use roundtable::voice::quotations::real_quotes;
//! use roundtable::voice::sources::Sources;
//!
//! let sources = Sources::new([("spec.md", "# Fees\n\nFees stop at 10 euros.\n")].into_iter(), &[]);
//! let rest = |quote: &str| Rest { path: "spec.md".into(), line: 9, quote: quote.into() };
//! assert_eq!(real_quotes(&[rest("fees stop")], &sources).unwrap()[0].line, 3);
//! assert!(real_quotes(&[rest("fees stop"), rest("fees rise")], &sources).is_none());
//! ```

use super::Line;
use super::rules::{Breach, Rule};
use super::sources::{Folded, Sources};
use super::verbs::{is_past, is_saying};
use crate::discussion::Said;
use crate::discussion::event::Rest;
use crate::text::plain;
use crate::text::words::words;

/// A line rests on at most so many passages.
pub const PASSAGES: usize = 12;
/// The longest quotation, in characters.
const LONGEST: usize = 2_000;
/// Quotations of a text that are looked up.
const QUOTATIONS: usize = 24;
/// Words between quotation marks that are no more than this are a name or a term, unless somebody is said to have used
/// them.
const MAX_TERM: usize = 3;

/// The line with its passages as they are in the files, and what is wrong with those that are nowhere. What a turn has
/// is real, and no passage of a file.
pub fn verified(line: Line, sources: &Sources<'_>, earlier: &[Said<'_>]) -> (Line, Vec<Breach>) {
    let (mut rests, mut breaches) = (Vec::new(), Vec::new());
    for rest in line.rests.iter().take(PASSAGES) {
        let rest = Rest { quote: plain::cut(rest.quote.trim(), LONGEST), ..rest.clone() };
        let turn = turn_at(&rest.path, earlier);
        match sources.find(&rest.path, rest.line, &rest.quote) {
            Some(found) if rests.contains(&found) => {}
            Some(found) => rests.push(found),
            None if turn.is_some_and(|said| has_words(said, &rest.quote)) => {}
            None => breaches.push(unreal(&rest, sources, turn.is_some())),
        }
    }
    (Line { rests, ..line }, breaches)
}

/// What is wrong with a passage that is nowhere.
fn unreal(rest: &Rest, sources: &Sources<'_>, is_turn: bool) -> Breach {
    let rule = if is_turn || sources.has(&rest.path) { Rule::Quotation } else { Rule::Place };
    let words = plain::shown(&format!("{}:{}: {}", rest.path, rest.line, rest.quote));
    let nearest = sources.nearest(&rest.path, &rest.quote).or_else(|| sources.line_near(rest));
    Breach { nearest, ..Breach::new(rule, &words) }
}

/// The words of a turn that is named like a path.
fn turn_at<'t>(path: &str, earlier: &[Said<'t>]) -> Option<&'t str> {
    let number: usize = path.trim().to_lowercase().strip_prefix("turn")?.trim().parse().ok()?;
    earlier.get(number.checked_sub(1)?).map(|one| one.text)
}

/// Whether somebody's words have a quotation; one without words is in none.
pub fn has_words(said: &str, quote: &str) -> bool {
    let wanted = Folded::query(quote);
    let mut parts = wanted.split('…').map(str::trim).filter(|part| !part.is_empty()).peekable();
    let said = Folded::new(said).text;
    parts.peek().is_some() && parts.all(|part| said.contains(part))
}

/// Passages as they are in the files; none where one of them is in none.
pub fn real_quotes(quotes: &[Rest], sources: &Sources<'_>) -> Option<Vec<Rest>> {
    let mut found: Vec<Rest> = Vec::new();
    for quote in quotes.iter().take(PASSAGES) {
        let real = sources.find(&quote.path, quote.line, &quote.quote)?;
        if !found.contains(&real) {
            found.push(real);
        }
    }
    Some(found)
}

/// The first quotation of a sentence that nobody and no file has, or not the file that is named before it. `texts` is
/// what was said, asked and cited; `has_place` tells that the sentence names a place. A line may make words up that it says
/// are nowhere (`absent`), and so may who asks, unless somebody is said to have used them.
pub fn unreal_quotation<'q>(
    sentence: &'q str,
    has_place: bool,
    sources: &Sources<'_>,
    texts: &[&str],
    absent: &[String],
) -> Option<&'q str> {
    let asks = sentence.trim_end().ends_with('?');
    let judged = quoted(sentence).take(QUOTATIONS);
    judged.map(|(before, quote)| (before, quote, words(quote).len())).find_map(|(before, quote, count)| {
        let is_term = count < MAX_TERM || count == MAX_TERM && !has_place && !is_announced(before);
        let is_proposed = absent.iter().any(|wording| has_words(wording, quote));
        let is_made_up = is_proposed || asks && !has_place && !is_announced(before);
        let is_said = || texts.iter().any(|text| has_words(text, quote));
        let named: Vec<&str> = sources.paths().filter(|path| before.contains(*path)).collect();
        let is_there = || match named.as_slice() {
            [] => sources.quotes(quote),
            named => named.iter().any(|path| sources.find(path, 0, quote).is_some()),
        };
        (!is_term && !is_made_up && !is_there() && !is_said()).then_some(quote)
    })
}

/// The first quotation after a verb that tells whose words it is, where no file has it.
pub fn misquoted<'q>(text: &'q str, sources: &Sources<'_>) -> Option<&'q str> {
    let said = quoted(text).take(QUOTATIONS).filter(|(before, _)| is_announced(before));
    said.map(|(_, quote)| quote).find(|quote| !sources.quotes(quote))
}

/// Whether a quotation follows a verb that tells whose words it is: "wrote", "says".
fn is_announced(before: &str) -> bool {
    words(before).pop().is_some_and(|word| is_past(&word.text) || is_saying(&word.text))
}

/// What is between quotation marks, each with what is before it.
pub fn quoted(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let open = at + text.get(at..)?.find(['"', '“'])?;
            let mark = text[open..].chars().next()?;
            let start = open + mark.len_utf8();
            let close = start + text[start..].find(if mark == '“' { '”' } else { '"' })?;
            at = close + text[close..].chars().next().map_or(1, char::len_utf8);
            if start < close {
                return Some((&text[..open], &text[start..close]));
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::echo::Echo;

    const SPEC: &str =
        "# Spec\n\nFR-001: Photos wait at most 30 seconds.\nFR-002: The queue keeps 64 items.\n";

    #[test]
    fn passages_get_their_real_place() {
        let sources = Sources::new([("spec.md", SPEC)].into_iter(), &[]);
        let rest = |path: &str, line, quote: &str| Rest { path: path.into(), line, quote: quote.into() };
        let rests = vec![
            rest("spec.md", 90, "photos wait at most 30 seconds"),
            rest("spec.md", 3, "photos wait for ever"),
            rest("turn 1", 0, "nights are  free"),
            rest("turn 1", 0, "days are free"),
            rest("turn 2", 0, "nights are free"),
        ];
        let echo = Echo::of("");
        let earlier = [Said { by: "user", text: "Nights are free, days are not.", echo: &echo }];
        let (line, breaches) = verified(Line { rests, ..Line::plain("x") }, &sources, &earlier);
        assert_eq!(line.rests, [rest("spec.md", 3, "Photos wait at most 30 seconds")]);
        let rules: Vec<&str> = breaches.iter().map(|one| one.rule.name()).collect();
        assert_eq!(rules, ["quotation", "quotation", "place"]);
        assert!(breaches[0].nearest.as_deref().unwrap().starts_with("spec.md:3:"));
    }

    #[test]
    fn a_quotation_in_a_sentence_is_real_and_a_term_is_not_judged() {
        let others = [crate::voice::sources::Excerpt {
            path: "a.js".into(),
            line: 1,
            text: "// keep one copy".into(),
        }];
        let sources = Sources::new([("spec.md", SPEC)].into_iter(), &others);
        let texts = ["We keep no photo of anybody."];
        let absent = ["Three of five photos are here".to_owned()];
        let found =
            |text: &'static str| unreal_quotation(text, text.contains("line"), &sources, &texts, &absent);
        for text in [
            "It says \"photos wait at most … seconds\".",
            "Sam's \"no photo of anybody\" holds.",
            "The state \"nothing was kept\" is new.",
            "a.js has “keep one copy”, spec.md not.",
            "A stray \" mark, and \"\".",
            "What if the screen showed somebody \"nothing was kept tonight\"?",
            "The screen could show \"three of five photos are here\".",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
        for (text, wanted) in [
            ("It says \"photos wait for an hour\".", "photos wait for an hour"),
            ("In line 3: \"photos never wait\".", "photos never wait"),
            ("The document says \"payment by card\".", "payment by card"),
            ("Why has Sam said \"photos wait for ever\"?", "photos wait for ever"),
            ("By spec.md \"keep one copy\" is meant, in line 3.", "keep one copy"),
        ] {
            assert_eq!(found(text), Some(wanted), "{text}");
        }
    }
}
