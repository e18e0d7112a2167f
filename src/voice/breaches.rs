//! Which rules a line breaks (D-11): what a contribution must keep to before it is recorded.
//!
//! Hard rules hold for everybody: no forged prefix, nobody speaks for another or says what another never said
//! ([`attribution`](super::attribution)), no echo, no leaked prompt or reasoning; what a line says of a file is so
//! ([`claims`](super::claims)). Soft rules are a persona's own words to avoid: a voice is asked once more, and then the
//! line is taken and counted. A word of the documents, the user or a colleague breaks none.

use std::collections::BTreeSet;

use super::attribution::Others;
use super::basis::Basis;
use super::claims::unreal_claims;
use super::rules::{Breach, Rule};
use crate::discussion::event::Event;
use crate::discussion::{Discussion, MARKUP, Said, is_speakable};
use crate::item::persona::{Cast, Persona};
use crate::text::echo::Echo;
use crate::text::sentences::sentences;
use crate::text::words::{is_significant, says, unquoted, words};

/// The longest contribution, in characters.
pub const LONGEST: usize = 4_000;

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
pub fn breaches(text: &str, persona: &Persona, talk: &Discussion<'_>, basis: &Basis<'_>) -> Vec<Breach> {
    let mut basis = basis.clone();
    basis.users.insert(talk.opened().user.clone());
    basis.users.extend(talk.log().iter().filter_map(|record| match &record.event {
        Event::User(message) => Some(message.by.clone()),
        _ => None,
    }));
    let step = talk.step();
    let asked_of_all = step.standard.iter().chain(&step.deep).chain(&step.validation);
    basis.asked.extend(asked_of_all.cloned());
    let asked = talk.points().iter();
    basis
        .asked
        .extend(asked.map(|point| format!("{} {} {}", point.question, point.why, point.options.join(". "))));
    judged(text, persona, &talk.library().cast, &talk.said().collect::<Vec<_>>(), &basis)
}

/// Every rule that `text`, spoken by `persona` after what was said `earlier`, breaks.
pub fn judged(
    text: &str,
    persona: &Persona,
    cast: &Cast,
    earlier: &[Said<'_>],
    basis: &Basis<'_>,
) -> Vec<Breach> {
    // Nobody reads on.
    if text.chars().nth(LONGEST).is_some() {
        return vec![Breach::new(Rule::Length, text)];
    }
    let said = unquoted(text).to_lowercase();
    let mut found = hard(text, &said, persona, cast, earlier, basis);
    found.extend(unreal_claims(text, earlier, basis));
    let is_theirs = |phrase: &str| {
        let texts = earlier.iter().map(|one| one.text).chain(basis.first);
        basis.sources.is_some_and(|sources| sources.mentions(phrase))
            || texts.into_iter().any(|text| says(&text.to_lowercase(), phrase))
    };
    for rule in &persona.forbidden {
        let broken = rule.phrases.iter().filter(|phrase| says(&said, phrase) && !is_theirs(phrase));
        found.extend(broken.map(|phrase| Breach::new(Rule::Persona(rule.rule.clone()), phrase)));
    }
    found
}

/// The hard rules. `said` is the text in lower case without quotations.
fn hard(
    text: &str,
    said: &str,
    persona: &Persona,
    cast: &Cast,
    earlier: &[Said<'_>],
    basis: &Basis<'_>,
) -> Vec<Breach> {
    let mut found = Vec::new();
    if !is_speakable(text, cast) {
        found.push(Breach::new(Rule::Prefix, text));
    }
    found.extend(leaked(said));
    found.extend(marked_up(text));
    let users = &basis.users;
    found.extend(
        speaks_for(text, persona, cast, users).map(|line| Breach::new(Rule::SpeakingForAnother, line)),
    );
    let others = Others { persona, cast, earlier, basis };
    found.extend(others.never_said(text).map(|words| Breach::new(Rule::NeverSaid, &words)));
    if !words(text).iter().any(|word| is_significant(&word.text)) {
        found.push(Breach::new(Rule::NothingSaid, text));
    }
    // What is beside the quotations must be new.
    let (echo, own) = (Echo::of(text), Echo::of(said));
    let repeated = earlier.iter().find(|one| echo.repeats(one.echo) || own.is_within(one.echo));
    let again = repeated.map(|one| one.text).or_else(|| said_before(text, earlier));
    found.extend(again.map(|words| Breach::new(Rule::Echo, words)));
    found
}

/// What makes a text of a model unfit for any document: another's prefix, leaked reasoning or markup.
pub fn forged(text: &str, cast: &Cast) -> Option<Breach> {
    let prefix = (!is_speakable(text, cast)).then(|| Breach::new(Rule::Prefix, text));
    prefix.or_else(|| leaked(&text.to_lowercase())).or_else(|| marked_up(text))
}

fn leaked(said: &str) -> Option<Breach> {
    LEAKS.iter().find(|leak| said.contains(**leak)).map(|leaked| Breach::new(Rule::LeakedReasoning, leaked))
}

fn marked_up(text: &str) -> Option<Breach> {
    // A tag of a file that is quoted is no tag of the page: what is quoted is shown as it is written.
    let own = unquoted(text);
    let tag = own.lines().find(|line| has_tag(line));
    text.lines().find(|line| forges(line)).or(tag).map(|line| Breach::new(Rule::Markup, line))
}

/// Sentences of fewer bytes may be said twice.
const SHORT: usize = 32;

/// A sentence that the text, or somebody before, has said word for word; a quotation is none.
fn said_before<'t>(text: &'t str, earlier: &[Said<'_>]) -> Option<&'t str> {
    let own = unquoted(text);
    let mut seen = BTreeSet::new();
    sentences(text).into_iter().find(|sentence| {
        let at = sentence.as_ptr() as usize - text.as_ptr() as usize;
        let is_own = own.get(at..at + sentence.len()) == Some(*sentence);
        let is_known = || earlier.iter().any(|one| one.text.contains(*sentence));
        sentence.len() >= SHORT && is_own && (!seen.insert((*sentence).to_owned()) || is_known())
    })
}

/// Tags that a page would show as something else than words.
const TAGS: [&str; 9] =
    ["<details", "</details", "<summary", "<script", "<style", "<iframe", "<img", "<h1", "<h2"];

/// Whether a line would be a heading, a rule, a comment or a command of a log.
fn forges(line: &str) -> bool {
    let bare = line.trim();
    let after = bare.trim_start_matches('#');
    let is_heading =
        bare.starts_with('#') && bare.len() - after.len() <= 6 && after.starts_with([' ', '\t', '[']);
    let is_rule = bare.len() >= 3
        && ["-", "*", "_", "="]
            .iter()
            .any(|mark| bare.replace(' ', "").trim_matches(|c| mark.contains(c)).is_empty());
    is_heading || is_rule || bare.starts_with("::") || bare.contains("<!--")
}

/// Whether a line has a tag that a page would show as something else than words.
fn has_tag(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    TAGS.iter().any(|tag| lower.contains(tag))
}

/// What models put around text that is not meant to be said.
const LEAKS: [&str; 16] = [
    "{\"lines\"",
    "the last try was refused",
    "nothing of the last try could be taken",
    "json alone:",
    "<think",
    "</think",
    "<reasoning",
    "</reasoning",
    "<scratchpad",
    "<|im_start|>",
    "<|im_end|>",
    "[/inst]",
    "<analysis>",
    "<|start",
    "<|eot_id|>",
    "as an ai language model",
];

/// The first line that begins with a colleague's or user's name, as a line of theirs would.
fn speaks_for<'t>(
    text: &'t str,
    persona: &Persona,
    cast: &Cast,
    users: &BTreeSet<String>,
) -> Option<&'t str> {
    text.lines().find(|line| {
        let line = line.trim_start_matches(MARKUP);
        let begins = |name: &str| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(':'));
        let is_user = |user: &String| begins(user) || user.split(' ').next().is_some_and(begins);
        cast.others(&persona.key).any(|other| begins(other.first_name()) || begins(&other.name))
            || users.iter().any(is_user)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::voice::sources::Sources;

    fn broken(key: &str, text: &str, document: &str) -> Vec<(bool, String)> {
        let cast = crate::item::library::Library::built_in().unwrap().cast;
        let text_before = "The photo queue keeps the order of the day.";
        let echo = Echo::of(text_before);
        let earlier = [Said { by: "business-analyst", text: text_before, echo: &echo }];
        let sources = Sources::new([("spec.md", document)].into_iter(), &[]);
        let basis = Basis { sources: Some(&sources), ..Basis::default() };
        let found = judged(text, cast.get(key).unwrap(), &cast, &earlier, &basis);
        found.into_iter().map(|one| (one.is_hard(), format!("{}: {}", one.rule.name(), one.words))).collect()
    }

    #[test]
    fn every_rule_has_its_name_and_the_words_that_broke_it() {
        for (key, text, is_hard, wanted) in [
            ("business-analyst", "The coupling is high here.", false, "jargon: coupling"),
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
            (
                "system-designer",
                "As Alex said, photos are large.",
                true,
                "never said: Alex said, photos are large.",
            ),
            (
                "system-designer",
                "The last try was refused: photos have no line.",
                true,
                "leaked reasoning: the last try was refused",
            ),
            ("system-designer", "…", true, "nothing said: …"),
        ] {
            let found = broken(key, text, "");
            assert!(found.contains(&(is_hard, wanted.to_owned())), "{text}: {found:?}");
        }
    }

    #[test]
    fn words_of_documents_and_colleagues_break_no_rule() {
        let text = "The endpoint answers after 2 seconds.";
        assert!(!broken("business-analyst", text, "").is_empty());
        assert_eq!(broken("business-analyst", text, "Two endpoints answer."), vec![]);
        assert_eq!(broken("business-analyst", "What is \"coupling\" to the inspector?", ""), vec![]);
        assert_eq!(broken("system-designer", "Maya mentioned the order. It has a gap.", ""), vec![]);
    }

    #[test]
    fn an_own_prefix_is_taken_off() {
        let cast = crate::item::library::Library::built_in().unwrap().cast;
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
