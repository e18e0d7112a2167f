//! Whether a line gives another figure for what somebody states.
//!
//! Two figures clash where their own clauses speak of the same thing: "the replenishment takes 25 minutes" is
//! no other figure than "a tour takes 50 minutes". What is denied ("34, not 20") clashes with any line that
//! holds it and shares one word.

use super::answered::roots;
use super::words::{is_number, numbers, phrase, small_number, words};

/// What a text states in figures.
pub struct Stated {
    counts: Vec<(u64, String)>,
    clauses: Vec<Clause>,
    denied: Vec<String>,
    about: Vec<String>,
    text: String,
}

/// A clause with a figure: what it counts, and what it is about.
struct Clause {
    units: Vec<String>,
    about: Vec<String>,
}

impl Stated {
    /// What a text states; `beside` names what it is about where a clause names nothing itself.
    pub fn new(text: &str, beside: &str) -> Stated {
        let mut about = things(text);
        let own = clauses(text);
        about.extend(things(beside));
        let clauses = own.into_iter().map(|mut clause| {
            if clause.about.is_empty() {
                clause.about.clone_from(&about);
            }
            clause
        });
        Stated {
            counts: numbers(text),
            clauses: clauses.collect(),
            denied: denied(text),
            about,
            text: text.to_owned(),
        }
    }

    /// Whether a line gives another figure.
    pub fn clashes(&self, line: &str) -> bool {
        self.counts_otherwise(line) || self.is_denied(line)
    }

    /// Whether a line counts the same thing to another number, and nothing of it to the same.
    fn counts_otherwise(&self, line: &str) -> bool {
        let theirs = numbers(line);
        let of_one = |unit: &String| self.counts.iter().any(|(_, own)| own == unit);
        let same = self.counts.iter().any(|figure| theirs.contains(figure));
        !same && theirs.iter().any(|(_, unit)| of_one(unit)) && !are_apart(&self.text, line) && {
            let theirs = clauses(line);
            self.clauses.iter().any(|own| theirs.iter().any(|other| own.is_about_the_same(other)))
        }
    }

    /// Whether a line holds what is denied, and shares a word.
    pub fn is_denied(&self, line: &str) -> bool {
        let holds = |value: &String| line.contains(value.as_str()) && holds(line, value);
        self.denied.iter().any(holds) && things(line).iter().any(|thing| self.about.contains(thing))
    }
}

/// What a line is of by its own words: "Hotel Adria: 28 rooms".
fn head(text: &str) -> Option<String> {
    let (head, _) = text.split_once(": ")?;
    (1..=4).contains(&words(head).len()).then(|| head.to_lowercase())
}

/// Whether two texts count different things by their own words: a whole and a part of it, things of other names, or
/// other days.
pub fn are_apart(one: &str, other: &str) -> bool {
    let wholes = ["all in all", "altogether", "in total", "overall", "total", "sum", "with everything"];
    let is_whole = |text: &str| {
        let padded = format!(" {} ", phrase(text));
        wholes.iter().any(|whole| padded.contains(&format!(" {whole} ")))
    };
    let days = |text: &str| -> Vec<String> {
        let days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
        let found = words(text);
        let all = found.iter().map(|word| word.text.trim_end_matches('s').to_owned());
        all.filter(|word| days.contains(&word.as_str())).collect()
    };
    let (mine, theirs) = (days(one), days(other));
    let other_days = !mine.is_empty() && !theirs.is_empty() && !mine.iter().any(|day| theirs.contains(day));
    let named = head(one).zip(head(other)).is_some_and(|(one, other)| one != other);
    other_days || named || is_whole(one) != is_whole(other)
}

impl Clause {
    fn is_about_the_same(&self, other: &Clause) -> bool {
        let unit = self.units.iter().any(|unit| other.units.contains(unit));
        unit && self.about.iter().any(|thing| other.about.contains(thing))
    }
}

/// Roots of words that go with any figure, sorted.
const OF_ANY_FIGURE: [&str; 22] = [
    "already", "averag", "come", "cost", "day", "each", "every", "get", "give", "hold", "hour", "last",
    "least", "minut", "month", "most", "need", "stay", "take", "today", "week", "year",
];

/// The roots of the things that a text names.
fn things(text: &str) -> Vec<String> {
    let mut found = roots(text);
    found.retain(|root| OF_ANY_FIGURE.binary_search(&root.as_str()).is_err() && !is_number(root));
    found
}

/// The clauses of a text that hold a figure. One that begins with "it" is about what stands before it.
fn clauses(text: &str) -> Vec<Clause> {
    let mut found = Vec::new();
    let mut before: Vec<String> = Vec::new();
    for clause in cut(text) {
        let counts = numbers(clause);
        let units: Vec<String> = counts.into_iter().map(|(_, unit)| unit).collect();
        let of_units: Vec<String> = units.iter().flat_map(|unit| roots(unit)).collect();
        let mut about = things(clause);
        about.retain(|thing| !of_units.contains(thing));
        let first = words(clause).first().map(|word| word.text.to_string()).unwrap_or_default();
        if matches!(first.as_str(), "it" | "they" | "that" | "this" | "these" | "those") {
            about.append(&mut before);
        }
        before.clone_from(&about);
        if !units.is_empty() {
            found.push(Clause { units, about });
        }
    }
    found
}

/// A text at the ends of its clauses.
fn cut(text: &str) -> Vec<&str> {
    let ends =
        [". ", "; ", ": ", ", and ", ", but ", ", so ", ", because ", " because ", " it is, ", ", the "];
    let mut parts = vec![text];
    for end in ends {
        parts = parts.into_iter().flat_map(|part| part.split(end)).collect();
    }
    parts
}

/// What a text says that a figure is not: "34 workers, not 20", "at 04:30 and not at 02:00"; a small number in
/// words and in digits.
fn denied(text: &str) -> Vec<String> {
    let small =
        ["a", "after", "at", "before", "by", "for", "in", "nach", "on", "only", "the", "um", "within"];
    let mut found = Vec::new();
    for opening in [", not ", " and not ", " instead of ", ", nicht ", " und nicht ", " statt "] {
        for (at, _) in text.match_indices(opening) {
            let mut next =
                tokens(&text[at + opening.len()..]).skip_while(|token| small.contains(&token.as_str()));
            let Some(value) = next.next() else { continue };
            let in_digits = small_number(&value).map(|number| number.to_string());
            if value.starts_with(|c: char| c.is_ascii_digit()) || in_digits.is_some() {
                found.push(value);
                found.extend(in_digits);
            }
        }
    }
    found
}

/// Whether a line holds a value by itself: the ten of "10 000" is none.
fn holds(line: &str, value: &str) -> bool {
    let digits = |token: &String| token.bytes().all(|byte| byte.is_ascii_digit());
    let all: Vec<String> = tokens(line).collect();
    let grouped =
        |at: usize| digits(&all[at]) && all.get(at + 1).is_some_and(|next| next.len() == 3 && digits(next));
    (0..all.len()).any(|at| all[at] == value && !grouped(at))
}

/// The words of a text as they stand, without the signs around them: "02:00", "2,800".
fn tokens(text: &str) -> impl Iterator<Item = String> + '_ {
    let parts = text.split_whitespace().map(|part| part.trim_matches(|c: char| !c.is_alphanumeric()));
    parts.filter(|part| !part.is_empty()).map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_and_other_days_are_no_other_figure() {
        assert!(are_apart(
            "The hall costs 45 pounds an afternoon",
            "An afternoon costs 160 pounds with everything"
        ));
        assert!(are_apart("On Wednesdays every 40 minutes", "Every 20 minutes on Saturdays"));
        assert!(are_apart("Quay north: 28 rings", "Quay south: 26 rings"));
        assert!(!are_apart("Forms wait 3 days", "Forms wait 5 days"));
        assert!(
            !Stated::new("The shuttle runs every 40 minutes on Wednesdays", "")
                .clashes("The shuttle runs every 20 minutes on Saturdays")
        );
        assert!(
            Stated::new("The shuttle runs every 40 minutes", "").clashes("The shuttle runs every 20 minutes")
        );
    }

    #[test]
    fn figures_clash_where_their_clauses_speak_of_the_same() {
        let clash = |text: &str, line: &str| Stated::new(text, "").clashes(line);
        assert!(clash(
            "The harbour master answers after 6 hours.",
            "The harbour master answers within 2 hours"
        ));
        assert!(!clash(
            "The lock can't wait until the end of a passage. The refill takes 25 minutes, so it stays shut.",
            "A passage has 35 boats on average and takes about 50 minutes"
        ));
        assert!(!clash(
            "A diver's visit costs 180 euros.",
            "A buoy costs at most 2,800 euros, and 15 euros a month"
        ));
        // "It" is what stands before it.
        assert!(clash("We timed a passage. It takes 25 minutes.", "A passage takes about 50 minutes"));
        assert!(!clash("A passage takes 50 minutes.", "A passage takes about 50 minutes"));
    }

    #[test]
    fn what_is_denied_is_looked_for_as_it_stands() {
        let denies = |text: &str, line: &str| Stated::new(text, "").clashes(line);
        assert!(denies(
            "In June we really have 34 berths, not 20.",
            "Guests / up to 20 in June / Pay at once"
        ));
        assert!(denies(
            "The mail boat now comes at 04:30 and not at 02:00.",
            "The mail boat leaves at 02:00 each night"
        ));
        assert!(denies("The pilot takes two crews, not ten.", "At most 10 crews for each pilot"));
        assert!(!denies("The pilot takes two crews, not ten.", "One in 10 000 for each pilot"));
        assert!(!denies("The mail boat comes at 04:30 and not at 02:00.", "The lamp is lit at 02:00"));
        assert!(!denies("The mail boat comes at 04:30 and not at 02:00.", "The mail boat is blue"));
        assert!(OF_ANY_FIGURE.is_sorted());
        // A clause that names nothing is about what the talk is about.
        let passage =
            |beside: &str| Stated::new("We take two minutes.", beside).clashes("A passage takes 10 minutes");
        assert!(passage("How long is a passage?") && !passage("How high is the lamp?"));
    }
}
