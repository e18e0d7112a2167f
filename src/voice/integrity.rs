//! Voice integrity (4.4.9): what a contribution must keep to before it is recorded.

use crate::discussion::words::{Echo, unquoted};
use crate::discussion::{Discussion, is_speakable};
use crate::persona::Persona;
use crate::plain;

/// The longest contribution, in characters.
pub const LONGEST: usize = 4_000;

/// A rule that a contribution breaks, and the words that break it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    pub rule: String,
    pub words: String,
}

/// A persona's words without the prefix that a voice may have put before them.
pub fn without_prefix<'t>(text: &'t str, persona: &Persona) -> &'t str {
    let text = text.trim();
    text.strip_prefix(persona.prefix().as_str()).map_or(text, str::trim_start)
}

/// Every rule that `text`, spoken by `persona` now, would break.
pub fn breaches(text: &str, persona: &Persona, talk: &Discussion<'_>) -> Vec<Breach> {
    let mut found = Vec::new();
    let mut broken = |rule: &str, words: &str| {
        found.push(Breach { rule: rule.to_owned(), words: plain::cut(&plain::one_line(words), 80) });
    };
    if !is_speakable(text, &talk.library().cast) {
        broken("prefix", text);
    }
    if text.chars().nth(LONGEST).is_some() {
        broken("length", text);
    }
    let said = unquoted(text).to_lowercase();
    for rule in &persona.forbidden {
        for phrase in rule.phrases.iter().filter(|phrase| says(&said, phrase)) {
            broken(&rule.rule, phrase);
        }
    }
    for line in text.lines() {
        let names = talk.library().cast.others(&persona.key).any(|other| {
            let line = line.trim_start().trim_start_matches(['*', '_']);
            line.starts_with(&format!("{}:", other.first_name()))
                || line.starts_with(&format!("{}:", other.name))
        });
        if names {
            broken("speaking for another", line);
        }
    }
    let echo = Echo::of(text);
    if let Some(earlier) = talk.contributions().find(|said| echo.repeats(&said.text)) {
        broken("echo", &earlier.text);
    }
    found
}

/// Whether a text in lower case says a phrase as whole words.
fn says(text: &str, phrase: &str) -> bool {
    text.match_indices(phrase).any(|(at, _)| {
        let wordy = phrase.starts_with(char::is_alphanumeric);
        !wordy
            || !text[..at].ends_with(char::is_alphanumeric)
                && !text[at + phrase.len()..].starts_with(char::is_alphanumeric)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phrase_counts_as_whole_words_outside_quotes() {
        assert!(says("the schema is missing", "schema"));
        assert!(!says("the schematic is missing", "schema"));
        assert!(!says(&unquoted("you wrote \"the schema\""), "schema"));
        assert!(says("f(x) -> y", "->"));
    }

    #[test]
    fn an_own_prefix_is_taken_off() {
        let cast = crate::library::Library::built_in().unwrap().cast;
        let maya = cast.get("business-analyst").unwrap();
        assert_eq!(without_prefix("Maya Chen (Business Analyst): why?", maya), "why?");
        assert_eq!(without_prefix(" why? ", maya), "why?");
    }
}
