//! What people say, and how documents write it: "fourteen days" and "14 days", "half past five" and "17:30", "hand it
//! in" and "submission".

use std::borrow::Cow;

use super::evidence::Evidence;
use crate::discussion::root::root;
use crate::discussion::words::{is_significant, words};

/// Numbers that are written out.
const SPOKEN: [(&str, &str); 28] = [
    ("two", "2"),
    ("three", "3"),
    ("four", "4"),
    ("five", "5"),
    ("six", "6"),
    ("seven", "7"),
    ("eight", "8"),
    ("nine", "9"),
    ("ten", "10"),
    ("eleven", "11"),
    ("twelve", "12"),
    ("thirteen", "13"),
    ("fourteen", "14"),
    ("fifteen", "15"),
    ("sixteen", "16"),
    ("seventeen", "17"),
    ("eighteen", "18"),
    ("nineteen", "19"),
    ("twenty", "20"),
    ("thirty", "30"),
    ("forty", "40"),
    ("fifty", "50"),
    ("sixty", "60"),
    ("seventy", "70"),
    ("eighty", "80"),
    ("ninety", "90"),
    ("hundred", "100"),
    ("thousand", "1000"),
];

/// The digits of a number that is written out.
pub(super) fn digits(word: &str) -> Option<&'static str> {
    SPOKEN.iter().find(|(spoken, _)| *spoken == word).map(|(_, digits)| *digits)
}

/// A figure with what it counts, its figure written in the other way; a number alone where it is no small one.
pub(super) fn in_other_signs(run: &[String]) -> Option<Vec<String>> {
    let (first, rest) = run.split_first()?;
    let spoken = || SPOKEN.iter().find(|(_, digits)| digits == first).map(|(spoken, _)| *spoken);
    let other = digits(first).filter(|digits| !rest.is_empty() || digits.len() > 1).or_else(spoken)?;
    Some(std::iter::once(other.to_owned()).chain(rest.iter().cloned()).collect())
}

/// Verbs of two words, with the one that documents have for them.
const PHRASAL: [(&str, &str, &str); 30] = [
    ("back", "out", "cancel"),
    ("call", "off", "cancel"),
    ("come", "along", "travel"),
    ("cut", "down", "reduce"),
    ("drop", "out", "cancel"),
    ("fill", "in", "complete"),
    ("give", "back", "return"),
    ("hand", "in", "submit"),
    ("hand", "out", "give"),
    ("hand", "over", "handover"),
    ("hang", "on", "keep"),
    ("hold", "on", "keep"),
    ("leave", "out", "omit"),
    ("log", "in", "login"),
    ("look", "after", "maintain"),
    ("pick", "up", "collect"),
    ("pull", "out", "cancel"),
    ("put", "off", "postpone"),
    ("run", "out", "expire"),
    ("send", "back", "return"),
    ("send", "out", "send"),
    ("set", "up", "install"),
    ("show", "up", "turn"),
    ("sign", "up", "register"),
    ("throw", "away", "remove"),
    ("turn", "in", "submit"),
    ("turn", "off", "switch"),
    ("turn", "down", "refuse"),
    ("won't", "take", "refuse"),
    ("work", "out", "calculate"),
];

/// The verbs that documents have for verbs of two words, each behind the first of these: "submit" for "hand it in".
pub(super) fn verbs_for(text: &str) -> Vec<(&'static str, &'static str)> {
    // Most texts have no such particle, and nothing is compared then.
    let has = |particle: &str| text.contains(particle);
    if !PHRASAL.iter().any(|(_, particle, _)| has(particle)) {
        return Vec::new();
    }
    let found = words(text);
    let says = |verb: &str, particle: &str| {
        (0..found.len()).any(|at| {
            let next = |back: usize| found.get(at + back).map(|word| word.text.as_ref());
            let object = matches!(next(1), Some("it" | "them" | "this" | "that" | "one"));
            let goes_on = next(1) == Some(particle) || object && next(2) == Some(particle);
            goes_on && root(&found[at].text) == root(verb)
        })
    };
    let said = PHRASAL.iter().filter(|(verb, particle, _)| says(verb, particle));
    said.map(|(verb, _, written)| (*verb, *written)).collect()
}

/// What people say in several words, and documents in one.
const PHRASES: [(&str, &str); 26] = [
    ("are we talking about", "are there"),
    ("at the moment", "now"),
    ("how far in advance", "how long ahead"),
    ("in advance", "ahead"),
    ("right now", "now"),
    ("the whole thing", "it"),
    ("by herself", "alone"),
    ("by himself", "alone"),
    ("by myself", "alone"),
    ("by themselves", "alone"),
    ("by yourself", "alone"),
    ("how's", "how is"),
    ("in charge of", "leading"),
    ("on her own", "alone"),
    ("on his own", "alone"),
    ("on my own", "alone"),
    ("on our own", "alone"),
    ("on their own", "alone"),
    ("on your own", "alone"),
    ("take over into", "carry over to"),
    ("up to date", "current"),
    ("what's", "what is"),
    ("when's", "when is"),
    ("where's", "where is"),
    ("who's", "who is"),
    ("why's", "why is"),
];

/// A text with such phrases in one word, and short forms written out.
pub(super) fn in_plain_words(text: &str) -> Cow<'_, str> {
    let lower = text.replace('’', "'").to_ascii_lowercase();
    if lower.len() != text.len() || !PHRASES.iter().any(|(said, _)| lower.contains(said)) {
        return Cow::Borrowed(text);
    }
    let mut told = text.to_owned();
    for (said, written) in PHRASES {
        let lower = told.to_ascii_lowercase();
        let whole = |at: &usize| {
            let letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
            !letter(lower[..*at].chars().next_back()) && !letter(lower[at + said.len()..].chars().next())
        };
        if let Some(at) = lower.match_indices(said).map(|(at, _)| at).find(whole) {
            told.replace_range(at..at + said.len(), written);
        }
    }
    Cow::Owned(told)
}

/// A text with its times of the day as the documents write them: "half past five" as "17:30" where a line has that.
pub(super) fn with_times(text: &str, evidence: &Evidence) -> String {
    let mut said = text.to_owned();
    for (words, minutes, back) in [("half past ", 30, 0), ("quarter past ", 15, 0), ("quarter to ", 45, 1)] {
        let lower = said.to_ascii_lowercase();
        let Some(at) = lower.find(words) else { continue };
        let from = at + words.len();
        let hour = lower[from..].split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        let Some(value) =
            digits(hour).unwrap_or(hour).parse::<u32>().ok().filter(|hour| (1..=12).contains(hour))
        else {
            continue;
        };
        let of = |hour: u32| [format!("{hour:02}"), format!("{minutes:02}")];
        let hours = [value + 12 - back, value - back];
        let written = hours.into_iter().find(|hour| !evidence.saying(&of(*hour)).is_empty());
        if let Some(written) = written {
            said.replace_range(at..from + hour.len(), &of(written).join(":"));
        }
    }
    with_thousands(with_days(said, evidence))
}

/// The months, by their names.
pub(super) const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// "The 12th" as "12 July", where the documents have one day of that number.
fn with_days(mut said: String, evidence: &Evidence) -> String {
    let ordinal = |word: &str| {
        let lower = word.to_ascii_lowercase();
        let number = ["st", "nd", "rd", "th"].iter().find_map(|end| lower.strip_suffix(end))?;
        number.parse::<u32>().ok().filter(|day| (1..=31).contains(day))
    };
    let found = words(&said);
    let day = found.iter().enumerate().find_map(|(at, word)| Some((at, ordinal(&word.text)?)));
    let Some((at, day)) = day else { return said };
    let is_month = |at: usize| found.get(at).is_some_and(|word| MONTHS.contains(&word.text.as_ref()));
    // "12th of July", "July 12th" and "the 12th": "the 12th century" is no day.
    let named = [at + 1, at + 2, at.wrapping_sub(1)].into_iter().find(|at| is_month(*at));
    let behind = found.get(at + 1).filter(|next| said[found[at].end..next.start] == *" ");
    if named.is_none() && behind.is_some_and(|next| is_significant(&next.text)) {
        return said;
    }
    let month = match named {
        Some(at) => Some(found[at].text.to_string()),
        None => {
            let day = day.to_string();
            let written = |month: &&&str| !evidence.saying(&[day.clone(), root(month)]).is_empty();
            let mut months = MONTHS.iter().filter(written);
            months.next().filter(|_| months.next().is_none()).map(|month| (*month).to_owned())
        }
    };
    let (start, end) = (found[at].start, found[at].end);
    drop(found);
    if let Some(month) = month {
        said.replace_range(start..end, &format!("{day} {month}"));
    }
    said
}

/// "Ten thousand" as "10,000".
fn with_thousands(mut said: String) -> String {
    let lower = said.to_ascii_lowercase();
    if let Some(at) = lower.find(" thousand") {
        let start = lower[..at].rfind(' ').map_or(0, |blank| blank + 1);
        let number = digits(&lower[start..at]).unwrap_or(&lower[start..at]);
        if number.parse::<u32>().is_ok() {
            let written = format!("{number},000");
            said.replace_range(start..at + " thousand".len(), &written);
        }
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_is_found_as_it_is_written() {
        let of =
            |run: &[&str]| in_other_signs(&run.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
        assert_eq!(of(&["fourteen", "day"]).as_deref(), Some(&["14".to_owned(), "day".to_owned()][..]));
        assert_eq!(of(&["2", "boat"]).as_deref(), Some(&["two".to_owned(), "boat".to_owned()][..]));
        assert_eq!(of(&["five"]), None);
        let evidence = Evidence::new([("spec.md", "# T\n\nThe ferry leaves the quay at 17:30.\n")], &[]);
        assert_eq!(with_times("We stay at half past five.", &evidence), "We stay at 17:30.");
        assert_eq!(with_times("We stay at half past six.", &evidence), "We stay at half past six.");
        assert_eq!(with_times("The ten thousand are there.", &evidence), "The 10,000 are there.");
        assert_eq!(verbs_for("By when do we hand it in?"), [("hand", "submit")]);
        assert_eq!(verbs_for("Who runs in the yard?"), []);
    }
}
