//! Voice integrity (4.4.9, contract 4.11): what a contribution must keep to before it is recorded.
//!
//! Hard rules hold for everybody: no forged prefix, nobody speaks for another or says what a colleague never said,
//! no echo, no leaked prompt or reasoning. Soft rules are a persona's own forbidden patterns: a voice is asked once
//! more, and then the line is taken and counted. A word of the documents, the user or a colleague breaks none.

use crate::discussion::{Discussion, MARKUP, Said, is_speakable};
use crate::persona::{Cast, Persona};
use crate::plain;
use crate::text::echo::Echo;
use crate::text::words::{is_significant, unquoted, words};

/// The longest contribution, in characters.
pub const LONGEST: usize = 4_000;

/// A rule that a contribution breaks, and the words that break it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    pub rule: String,
    pub words: String,
    /// It may never be recorded as said.
    pub is_hard: bool,
}

impl Breach {
    /// A breach of a hard rule.
    pub fn hard(rule: &str, words: &str) -> Breach {
        Breach { is_hard: true, ..Breach::soft(rule, words) }
    }

    fn soft(rule: &str, words: &str) -> Breach {
        let words = plain::cut(&plain::one_line(words), 80);
        Breach { rule: rule.to_owned(), words, is_hard: false }
    }
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

/// Every rule that `text`, spoken by `persona` now, would break. `knows` tells whether the documents say a word.
pub fn breaches(
    text: &str,
    persona: &Persona,
    talk: &Discussion<'_>,
    knows: &dyn Fn(&str) -> bool,
) -> Vec<Breach> {
    judged(text, persona, &talk.library().cast, &talk.said().collect::<Vec<_>>(), knows)
}

/// Every rule that `text`, spoken by `persona` after what was said `earlier`, breaks.
pub fn judged(
    text: &str,
    persona: &Persona,
    cast: &Cast,
    earlier: &[Said<'_>],
    knows: &dyn Fn(&str) -> bool,
) -> Vec<Breach> {
    let said = unquoted(text).to_lowercase();
    let mut found = hard(text, &said, persona, cast, earlier);
    let is_theirs =
        |phrase: &str| knows(phrase) || earlier.iter().any(|one| says(&one.text.to_lowercase(), phrase));
    for rule in &persona.forbidden {
        let broken = rule.phrases.iter().filter(|phrase| says(&said, phrase) && !is_theirs(phrase));
        found.extend(broken.map(|phrase| Breach::soft(&rule.rule, phrase)));
    }
    if only_agrees(&said, cast) {
        found.push(Breach::soft("empty agreement", text));
    }
    found
}

/// The hard rules. `said` is the text in lower case without quotations.
fn hard(text: &str, said: &str, persona: &Persona, cast: &Cast, earlier: &[Said<'_>]) -> Vec<Breach> {
    let mut found = Vec::new();
    if !is_speakable(text, cast) {
        found.push(Breach::hard("prefix", text));
    }
    if text.chars().nth(LONGEST).is_some() {
        found.push(Breach::hard("length", text));
    }
    if let Some(leaked) = LEAKS.iter().find(|leak| said.contains(**leak)) {
        found.push(Breach::hard("leaked reasoning", leaked));
    }
    found.extend(speaks_for(text, persona, cast).map(|line| Breach::hard("speaking for another", line)));
    found.extend(misattributes(said, persona, cast, earlier).map(|words| Breach::hard("never said", &words)));
    if !words(text).iter().any(|word| is_significant(&word.text)) {
        found.push(Breach::hard("nothing said", text));
    }
    // What is beside the quotations must be new.
    let (echo, own) = (Echo::of(text), Echo::of(said));
    let repeated = earlier.iter().find(|one| echo.repeats(one.echo) || own.is_within(one.echo));
    found.extend(repeated.map(|one| Breach::hard("echo", one.text)));
    found
}

/// What models put around text that is not meant to be said.
const LEAKS: [&str; 8] = [
    "<think",
    "</think",
    "<reasoning",
    "</reasoning",
    "<scratchpad",
    "<|im_start|>",
    "<|im_end|>",
    "[/inst]",
];

/// The first line that begins with a colleague's name, as a line of theirs would.
fn speaks_for<'t>(text: &'t str, persona: &Persona, cast: &Cast) -> Option<&'t str> {
    text.lines().find(|line| {
        let line = line.trim_start_matches(MARKUP);
        let begins = |name: &str| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(':'));
        cast.others(&persona.key).any(|other| begins(other.first_name()) || begins(&other.name))
    })
}

/// What says that a colleague has said something.
const SPOKE: [&str; 8] =
    ["said", "says", "mentioned", "pointed out", "argued", "suggested", "proposed", "noted"];

/// "As Alex said", where Alex has not spoken yet.
fn misattributes(said: &str, persona: &Persona, cast: &Cast, earlier: &[Said<'_>]) -> Option<String> {
    let silent = cast.others(&persona.key).filter(|other| !earlier.iter().any(|one| one.by == other.key));
    silent.into_iter().find_map(|other| {
        let name = other.first_name().to_lowercase();
        SPOKE.iter().map(|verb| format!("{name} {verb}")).find(|words| says(said, words))
    })
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

    fn broken(key: &str, text: &str, knows: &dyn Fn(&str) -> bool) -> Vec<(bool, String)> {
        let cast = crate::library::Library::built_in().unwrap().cast;
        let text_before = "The photo queue keeps the order of the day.";
        let echo = Echo::of(text_before);
        let earlier = [Said { by: "business-analyst", text: text_before, echo: &echo }];
        let found = judged(text, cast.get(key).unwrap(), &cast, &earlier, knows);
        found.into_iter().map(|one| (one.is_hard, format!("{}: {}", one.rule, one.words))).collect()
    }

    #[test]
    fn every_rule_has_its_name_and_the_words_that_broke_it() {
        for (key, text, is_hard, wanted) in [
            ("business-analyst", "The coupling is high here.", false, "jargon: coupling"),
            ("business-analyst", "I agree.", false, "empty agreement: I agree."),
            ("solutions-architect", "It must feel light.", false, "feelings: feel"),
            ("system-designer", "It has business value.", false, "business value: business value"),
            ("system-designer", "Maya: I think so too.", true, "speaking for another: Maya: I think so too."),
            (
                "system-designer",
                "The photo queue keeps the order of the day.",
                true,
                "echo: The photo queue keeps the order of the day.",
            ),
            (
                "system-designer",
                "Maya Chen (Business Analyst): hello photos",
                true,
                "prefix: Maya Chen (Business Analyst): hello photos",
            ),
            (
                "system-designer",
                "<think>they want photos</think> Photos wait.",
                true,
                "leaked reasoning: <think",
            ),
            ("system-designer", "As Alex said, photos are large.", true, "never said: alex said"),
            ("system-designer", "…", true, "nothing said: …"),
        ] {
            let found = broken(key, text, &|_| false);
            assert!(found.contains(&(is_hard, wanted.to_owned())), "{text}: {found:?}");
        }
    }

    #[test]
    fn words_of_documents_and_colleagues_break_no_rule() {
        let text = "The endpoint answers after 2 seconds.";
        assert!(!broken("business-analyst", text, &|_| false).is_empty());
        assert_eq!(broken("business-analyst", text, &|word| word == "endpoint"), vec![]);
        assert_eq!(broken("business-analyst", "What is \"coupling\" to the inspector?", &|_| false), vec![]);
        assert_eq!(broken("system-designer", "Maya mentioned the order. It has a gap.", &|_| false), vec![]);
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
