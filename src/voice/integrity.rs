//! Voice integrity (4.4.9): what a contribution must keep to before it is recorded.

use crate::discussion::words::{Echo, is_significant, unquoted, words};
use crate::discussion::{Discussion, is_speakable};
use crate::persona::{Cast, Persona};
use crate::plain;

/// The longest contribution, in characters.
pub const LONGEST: usize = 4_000;

/// Signs that a voice may put before a prefix, to make a heading, a quotation or bold type of it.
pub const MARKUP: [char; 9] = [' ', '\t', '\n', '*', '_', '#', '>', '-', '`'];

/// A rule that a contribution breaks, and the words that break it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    pub rule: String,
    pub words: String,
}

/// A persona's words without the prefix that a voice may have put before them: the whole one, or
/// the name alone, with the number of the turn or in bold.
pub fn without_prefix<'t>(text: &'t str, persona: &Persona) -> &'t str {
    let text = text.trim();
    let bare = |text: &'t str| text.trim_start_matches(MARKUP);
    let mut rest = bare(text);
    if let Some((turn, said)) = rest.strip_prefix("[turn ").and_then(|rest| rest.split_once(']'))
        && turn.bytes().all(|byte| byte.is_ascii_digit())
    {
        rest = bare(said);
    }
    let whole = format!("{} ({})", persona.name, persona.role);
    let named = [whole.as_str(), persona.name.as_str(), persona.first_name()]
        .iter()
        .find_map(|name| rest.strip_prefix(name)?.trim_start_matches('*').strip_prefix(':'));
    named.map_or(text, |said| said.trim_start_matches('*').trim_start())
}

/// Every rule that `text`, spoken by `persona` now, would break.
pub fn breaches(text: &str, persona: &Persona, talk: &Discussion<'_>) -> Vec<Breach> {
    judged(text, persona, &talk.library().cast, talk.said())
}

/// Every rule that `text`, spoken by `persona` after what was said `earlier`, breaks: the prefix, the
/// length, the persona's forbidden patterns, speaking for another, agreeing without a word more,
/// saying nothing, and echo of what anybody said.
pub fn judged<'t>(
    text: &str,
    persona: &Persona,
    cast: &Cast,
    mut earlier: impl Iterator<Item = (&'t str, &'t Echo)>,
) -> Vec<Breach> {
    let mut found = Vec::new();
    let mut broken = |rule: &str, words: &str| {
        found.push(Breach { rule: rule.to_owned(), words: plain::cut(&plain::one_line(words), 80) });
    };
    if !is_speakable(text, cast) {
        broken("prefix", text);
    }
    if text.chars().nth(LONGEST).is_some() {
        broken("length", text);
    }
    // Quoting a colleague is allowed.
    let said = unquoted(text).to_lowercase();
    for rule in &persona.forbidden {
        for phrase in rule.phrases.iter().filter(|phrase| says(&said, phrase)) {
            broken(&rule.rule, phrase);
        }
    }
    for line in text.lines() {
        let names = cast.others(&persona.key).any(|other| {
            let line = line.trim_start_matches(MARKUP);
            line.starts_with(&format!("{}:", other.first_name()))
                || line.starts_with(&format!("{}:", other.name))
        });
        if names {
            broken("speaking for another", line);
        }
    }
    if only_agrees(&said, cast) {
        broken("empty agreement", text);
    }
    if !words(text).iter().any(|word| is_significant(&word.text)) {
        broken("nothing said", text);
    }
    // What stands beside the quotations must be new.
    let (echo, own) = (Echo::of(text), Echo::of(&said));
    if let Some((echoed, _)) = earlier.find(|(_, earlier)| echo.repeats(earlier) || own.is_within(earlier)) {
        broken("echo", echoed);
    }
    found
}

/// Words that agree, and words around them.
const AGREES: [&str; 24] = [
    "absolutely",
    "agree",
    "agreed",
    "completely",
    "definitely",
    "exactly",
    "excellent",
    "fair",
    "fully",
    "good",
    "great",
    "indeed",
    "okay",
    "perfect",
    "point",
    "right",
    "sense",
    "sounds",
    "sure",
    "thanks",
    "totally",
    "true",
    "yeah",
    "yes",
];

/// Whether a text in lower case agrees, and says nothing else: the "so what" is missing.
fn only_agrees(said: &str, cast: &Cast) -> bool {
    let words = words(said);
    let is_name = |word: &str| cast.iter().any(|persona| persona.first_name().eq_ignore_ascii_case(word));
    let mut agrees = false;
    let more = words.iter().filter(|word| {
        let word = word.text.strip_suffix("'s").unwrap_or(&word.text);
        let is_agreement = AGREES.binary_search(&word).is_ok();
        agrees |= is_agreement;
        !is_agreement && !is_name(word) && is_significant(word)
    });
    more.count() <= 1 && agrees
}

/// Whether a text in lower case says a phrase as whole words.
pub fn says(text: &str, phrase: &str) -> bool {
    // That a phrase is nowhere is found out much faster than where it is.
    text.contains(phrase)
        && text.match_indices(phrase).any(|(at, _)| {
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
    fn agreeing_without_a_word_more_is_a_breach() {
        let cast = crate::library::Library::built_in().unwrap().cast;
        assert!(AGREES.is_sorted());
        for text in
            ["I agree with Alex.", "Good point, Jordan!", "Yes, exactly.", "That makes sense, Maya's right."]
        {
            assert!(only_agrees(&text.to_lowercase(), &cast), "{text}");
        }
        for text in [
            "I agree, so the inspector sees which answer won.",
            "What does the person see?",
            "The queue loses order.",
        ] {
            assert!(!only_agrees(&text.to_lowercase(), &cast), "{text}");
        }
    }

    #[test]
    fn every_rule_has_its_name_and_the_words_that_broke_it() {
        let cast = crate::library::Library::built_in().unwrap().cast;
        let earlier = "The photo queue keeps the order of the day.";
        let echo = Echo::of(earlier);
        let broken = |key: &str, text: &str| {
            let found = judged(text, cast.get(key).unwrap(), &cast, [(earlier, &echo)].into_iter());
            found.into_iter().map(|breach| format!("{}: {}", breach.rule, breach.words)).collect::<Vec<_>>()
        };
        for (key, text, wanted) in [
            ("business-analyst", "The coupling is high here.", "jargon: coupling"),
            ("business-analyst", "Then use a queue for the photos.", "implementation: use a queue"),
            ("business-analyst", "I agree.", "empty agreement: I agree."),
            ("solutions-architect", "It must feel light.", "feelings: feel"),
            (
                "solutions-architect",
                "The acceptance criterion is one second.",
                "acceptance criteria: acceptance criterion",
            ),
            ("solutions-architect", "send(photo) -> receipt", "signatures: ->"),
            ("system-designer", "Who benefits from the photo?", "discovery questions: who benefits"),
            ("system-designer", "The tradeoff is storage.", "system-wide tradeoffs: tradeoff"),
            ("system-designer", "It has business value.", "business value: business value"),
            ("system-designer", "Maya: I think so too.", "speaking for another: Maya: I think so too."),
            (
                "system-designer",
                "The photo queue keeps the order of the day.",
                "echo: The photo queue keeps the order of the day.",
            ),
            (
                "system-designer",
                "Maya Chen (Business Analyst): hello photos",
                "prefix: Maya Chen (Business Analyst): hello photos",
            ),
        ] {
            assert!(broken(key, text).contains(&wanted.to_owned()), "{text}: {:?}", broken(key, text));
        }
        assert_eq!(
            broken("business-analyst", "What is \"coupling\" to the inspector?"),
            Vec::<String>::new()
        );
    }

    #[test]
    fn an_own_prefix_is_taken_off() {
        let cast = crate::library::Library::built_in().unwrap().cast;
        let maya = cast.get("business-analyst").unwrap();
        for text in [
            "Maya Chen (Business Analyst): why?",
            " why? ",
            "**Maya Chen (Business Analyst):** why?",
            "[turn 7] Maya Chen (Business Analyst): why?",
            "**Maya**: why?",
            "### Maya Chen (Business Analyst): why?",
            "> **Maya Chen:** why?",
            "Maya Chen: why?",
        ] {
            assert_eq!(without_prefix(text, maya), "why?", "{text}");
        }
        for text in ["Alex: why?", "[turn x] why?", "Maya's point: why?", "**why?**"] {
            assert_eq!(without_prefix(text, maya), text);
        }
    }
}
