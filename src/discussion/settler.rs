//! Who should settle an open question, as far as what was said tells.

use super::answered::nearest;
use super::extract::Said;
use super::facts::placed;
use super::questions::{SHORT, place_in};
use super::rulings::names_a_body;
use super::words::{Word, is_significant, lists, stem, stems, words};

/// Who should settle a question: whom the line names as its owner, or behind itself in brackets; who answers for
/// the requirement or set the figure that it names; whose work it is. None where nothing says so.
pub(super) fn settler(one: &Said, question: &str) -> Option<String> {
    if let Some(owner) = owner(&one.text).or_else(|| named_behind(&one.text)) {
        return Some(format!("{owner}, whom the line names,"));
    }
    if let Some(id) = question.split('"').nth(1).and_then(requirement) {
        return Some(format!("whoever answers for {id}"));
    }
    // Nobody set "2 January".
    let dated = |quote: &str| words(quote).iter().any(|word| lists(MONTHS, &word.text));
    let figure = |quote: &&str| {
        quote.len() < SHORT && quote.starts_with(|c: char| c.is_ascii_digit()) && !dated(quote)
    };
    if let Some(figure) = question.split('"').skip(1).step_by(2).take(2).find(figure) {
        return Some(format!("whoever set \"{figure}\""));
    }
    let whose = |role: String| match role.ends_with('s') {
        true => format!("one of the {role}, whom the line names,"),
        false => format!("the {role}, whom the line names,"),
    };
    role(one, question).map(whose)
}

const MONTHS: &str = concat!(
    "january|february|march|april|may|june|july|august|september|october|november|december|januar|februar|märz|",
    "mai|juni|juli|oktober|dezember",
);

/// Whom a line names behind its question: "… is damaged? (Ms. Okafor, quality)".
fn named_behind(text: &str) -> Option<&str> {
    let (_, behind) = text.split_once("? (")?;
    let name = behind.split([')', ',']).next()?.trim();
    let titled =
        ["Mr. ", "Mrs. ", "Ms. ", "Dr. ", "Frau ", "Herr "].iter().any(|title| name.starts_with(title));
    (titled && words(name).len() <= 4).then_some(name)
}

/// People as documents name them, by the last word of the name.
const ROLES: &str = concat!(
    "accountant|administrator|applicant|board|buyer|chair|clerk|client|coach|conductor|courier|",
    "customer|director|doctor|driver|editor|employee|inspector|lead|leader|librarian|manager|nurse|",
    "office|officer|operator|owner|patient|pharmacist|pupil|secretary|supervisor|supplier|teacher|",
    "technician|tenant|treasurer|vendor|volunteer",
);

/// Whether a line names people, as their role or with "Mrs.", whom a text does not.
pub(crate) fn names_people(line: &str, text: &str) -> bool {
    let known = stems(text);
    let is_new = |word: &Word<'_>| !known.contains(&stem(&word.text).into_owned());
    let of = words(line);
    let people = |word: &Word<'_>| {
        lists(ROLES, &stem(&word.text))
            || names_a_body(std::slice::from_ref(word))
            || matches!(word.text.as_ref(), "mr" | "mrs" | "ms" | "frau" | "herr")
    };
    of.iter().any(|word| people(word) && is_new(word))
}

/// The first people that the line names which a business analyst's question is about: they know the work.
fn role(one: &Said, question: &str) -> Option<String> {
    if one.by != "business-analyst" {
        return None;
    }
    let place = place_in(question).map(str::to_owned).or_else(|| nearest(question, one))?;
    let lines = one.sentences.iter().flat_map(|sentence| placed(sentence));
    let quote = lines.into_iter().find(|(other, _)| *other == place).map(|(_, quote)| quote)?;
    let found = words(&quote);
    let at = found.iter().position(|word| lists(ROLES, &stem(&word.text)))?;
    // "The ward manager": the word before it says which one.
    let which = at.checked_sub(1).map(|before| &found[before]);
    let which = which.filter(|word| is_significant(&word.text) && quote[word.end..found[at].start] == *" ");
    let which =
        which.filter(|word| !word.text.starts_with(|c: char| c.is_ascii_digit()) && word.text != "every");
    let name = which.map_or(found[at].text.to_string(), |which| format!("{} {}", which.text, found[at].text));
    Some(name)
}

/// Whom a line names as its owner.
fn owner(text: &str) -> Option<&str> {
    let at = text.to_lowercase().find("owner: ")?;
    let after = text.get(at + "owner: ".len()..)?;
    let owner = after.split(['.', ',', ';', '"', ')', '…']).next().unwrap_or_default().trim();
    (!owner.is_empty() && words(owner).len() <= 4).then_some(owner)
}

/// The id of a requirement that a text begins with: "FR-004", "NFR-7", "R8".
fn requirement(text: &str) -> Option<&str> {
    let first = text.split([' ', ',', ':']).next()?;
    let letters = first.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_id = letters.len() < first.len()
        && !letters.is_empty()
        && letters.len() <= 5
        && letters.chars().all(|c| c.is_ascii_uppercase() || c == '-')
        && letters.starts_with(|c: char| c.is_ascii_uppercase());
    is_id.then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(by: &str, text: &str) -> Said {
        let sentences = crate::discussion::extract::sentences(text);
        let (by, text) = (by.to_owned(), text.to_owned());
        Said { turn: 5, by, text, sentences, is_turn: true, class: None, purpose: None, decides: Vec::new() }
    }

    #[test]
    fn whoever_can_tell_is_named_by_the_line() {
        let by = |text: &str, question: &str| settler(&said("business-analyst", text), question);
        let line = "Life finds the exception at spec.md line 4 (\"The harbour office files every form\").";
        for (text, question, who) in [
            (line, "\"every form\" (spec.md line 4): Which one?", "the harbour office, whom the line names,"),
            ("x", "\"FR-004 A boat waits\" (spec.md line 4): Until when?", "whoever answers for FR-004"),
            ("x", "\"Boats\", \"90 seconds\" (spec.md line 4): Who says so?", "whoever set \"90 seconds\""),
            ("The line has owner: Port authority.", "Who?", "Port authority, whom the line names,"),
            ("It has \"Who pays? (Ms. Hale, harbour)\".", "Who?", "Ms. Hale, whom the line names,"),
        ] {
            assert_eq!(by(text, question).as_deref(), Some(who));
        }
        assert_eq!(by("x", "Who?"), None);
        assert_eq!(by("x", "\"2 January\" (spec.md line 4): Who is out?"), None);
    }
}
