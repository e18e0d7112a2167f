//! Voice integrity (D-11): what a contribution must keep to before it is recorded.
//!
//! Hard rules hold for everybody: no forged prefix, nobody speaks for another or says what a colleague never said,
//! no echo, no leaked prompt or reasoning; what a line says of a file is in it ([`referee`](super::referee)). Soft rules
//! are a persona's own forbidden patterns: a voice is asked once more, and then the line is taken and counted. A word of
//! the documents, the user or a colleague breaks none.

use std::collections::BTreeSet;

use super::referee::{Basis, unreal_claims};
use crate::discussion::event::Event;
use crate::discussion::summary::USER;
use crate::discussion::{Discussion, MARKUP, Said, is_speakable};
use crate::item::persona::{Cast, Persona};
use crate::text::echo::Echo;
use crate::text::plain;
use crate::text::sentences::sentences;
use crate::text::words::{Word, is_significant, subjects, unquoted, words};

/// The longest contribution, in characters.
pub const LONGEST: usize = 4_000;

/// A rule that a contribution breaks, and the words that break it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    pub rule: Rule,
    pub words: String,
    /// The line of a file that says something near to it: `spec.md:12: …`.
    pub nearest: Option<String>,
}

/// A rule that a contribution must keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    Prefix,
    Length,
    LeakedReasoning,
    Markup,
    SpeakingForAnother,
    NeverSaid,
    Decides,
    NothingSaid,
    Echo,
    Silence,
    Quotation,
    Place,
    Id,
    Figure,
    /// A persona's own words to avoid, by the name of their list: asked for again once, and then taken.
    Persona(String),
}

impl Rule {
    /// The name that agents, prompts and `show --integrity` have for it.
    pub fn name(&self) -> &str {
        match self {
            Rule::Prefix => "prefix",
            Rule::Length => "length",
            Rule::LeakedReasoning => "leaked reasoning",
            Rule::Markup => "markup",
            Rule::SpeakingForAnother => "speaking for another",
            Rule::NeverSaid => "never said",
            Rule::Decides => "decides",
            Rule::NothingSaid => "nothing said",
            Rule::Echo => "echo",
            Rule::Silence => "silence",
            Rule::Quotation => "quotation",
            Rule::Place => "place",
            Rule::Id => "id",
            Rule::Figure => "figure",
            Rule::Persona(list) => list,
        }
    }

    /// What it asks for.
    pub const fn demand(&self) -> &'static str {
        match self {
            Rule::Prefix => "a line has words, and none of them begins a line as another speaker's",
            Rule::Length => "a line has at most 4,000 characters",
            Rule::LeakedReasoning => "only what is meant to be said is said",
            Rule::Markup => "a line is plain prose: no headings, comments, rules or tags",
            Rule::SpeakingForAnother => "nobody speaks for a colleague",
            Rule::NeverSaid => "nobody is said to have said what they did not say",
            Rule::Decides => "only users decide; a persona proposes or asks",
            Rule::NothingSaid => "a line says something",
            Rule::Echo => "what was said is not said again",
            Rule::Silence => "an answer is due",
            Rule::Quotation => "a quotation is word for word in the file or turn that it names",
            Rule::Place => "a place is a line of a file that was given",
            Rule::Id => "an id is one of the documents'",
            Rule::Figure => {
                "a figure that is said of an id, a section or a file is in the documents or was said"
            }
            Rule::Persona(_) => "these words are a colleague's, unless the documents or the user use them",
        }
    }
}

impl Breach {
    pub fn new(rule: Rule, words: &str) -> Breach {
        Breach { rule, words: plain::cut(&plain::one_line(words), 80), nearest: None }
    }

    /// Whether the line may never be recorded as said.
    pub const fn is_hard(&self) -> bool {
        !matches!(self.rule, Rule::Persona(_))
    }

    /// What the rule asks for, and the words that break it.
    pub fn reason(&self) -> String {
        let demand = self.rule.demand();
        if self.words.is_empty() { demand.to_owned() } else { format!("{demand}: \"{}\"", self.words) }
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

/// Every rule that `text`, spoken by `persona` now, would break.
pub fn breaches(text: &str, persona: &Persona, talk: &Discussion<'_>, basis: &Basis<'_>) -> Vec<Breach> {
    let mut basis = basis.clone();
    basis.users.insert(talk.opened().user.clone());
    basis.users.extend(talk.log().iter().filter_map(|record| match &record.event {
        Event::User(message) => Some(message.by.clone()),
        _ => None,
    }));
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
    found.extend(speaks_for(text, persona, cast).map(|line| Breach::new(Rule::SpeakingForAnother, line)));
    let others = Others { persona, cast, earlier, basis };
    found.extend(others.misquoted(text).map(|words| Breach::new(Rule::NeverSaid, &words)));
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
    text.lines().find(|line| forges(line)).map(|line| Breach::new(Rule::Markup, line))
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

/// Whether a line would be a heading, a rule, a comment, a tag or a command of a log.
fn forges(line: &str) -> bool {
    let bare = line.trim();
    let after = bare.trim_start_matches('#');
    let is_heading =
        bare.starts_with('#') && bare.len() - after.len() <= 6 && after.starts_with([' ', '\t', '[']);
    let is_rule = bare.len() >= 3
        && ["-", "*", "_", "="]
            .iter()
            .any(|mark| bare.replace(' ', "").trim_matches(|c| mark.contains(c)).is_empty());
    let lower = bare.to_ascii_lowercase();
    is_heading
        || is_rule
        || bare.starts_with("::")
        || lower.contains("<!--")
        || TAGS.iter().any(|tag| lower.contains(tag))
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

/// The first line that begins with a colleague's name, as a line of theirs would.
fn speaks_for<'t>(text: &'t str, persona: &Persona, cast: &Cast) -> Option<&'t str> {
    text.lines().find(|line| {
        let line = line.trim_start_matches(MARKUP);
        let begins = |name: &str| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(':'));
        cast.others(&persona.key).any(|other| begins(other.first_name()) || begins(&other.name))
    })
}

/// What says that somebody has said something.
const SPOKE: [&str; 16] = [
    "agreed",
    "argued",
    "asked",
    "asks",
    "confirmed",
    "explained",
    "mentioned",
    "noted",
    "pointed",
    "promised",
    "proposed",
    "said",
    "says",
    "stated",
    "suggested",
    "wrote",
];
/// What says that a body, or the user, has decided.
const DECIDED: [&str; 7] = ["agreed", "approved", "chose", "decided", "rejected", "resolved", "settled"];
/// Words between a subject and its verb.
const FILLERS: [&str; 9] = ["already", "also", "have", "has", "had", "just", "rightly", "then", "together"];

/// Who has spoken before a line, and who is there.
struct Others<'a> {
    persona: &'a Persona,
    cast: &'a Cast,
    earlier: &'a [Said<'a>],
    basis: &'a Basis<'a>,
}

impl Others<'_> {
    /// "As Alex said, …", "we decided to …": where the one who is named has not said so.
    fn misquoted(&self, text: &str) -> Option<String> {
        // What is quoted is held against its source.
        sentences(&unquoted(text)).into_iter().find_map(|sentence| {
            let words = words(sentence);
            (0..words.len()).find_map(|at| {
                let (who, verb) = self.attributes(&words, at)?;
                let verb = words.get(verb)?;
                (!self.has_said(who, &sentence[verb.end..])).then(|| {
                    let shown = &sentence[words[at].start..];
                    plain::cut(shown, 80)
                })
            })
        })
    }

    /// The key of whom the words at `at` say that they spoke, and the verb's place.
    fn attributes(&self, words: &[Word<'_>], at: usize) -> Option<(&str, usize)> {
        let word = words[at].text.as_ref();
        let is = |place: usize, wanted: &str| words.get(place).is_some_and(|word| word.text == wanted);
        let other =
            self.cast.others(&self.persona.key).find(|one| one.first_name().eq_ignore_ascii_case(word));
        let is_user = self.basis.users.iter().any(|user| {
            user.split(' ')
                .next()
                .is_some_and(|first| first.chars().count() > 1 && first.to_lowercase() == word)
        });
        let is_body = matches!(word, "we" | "we've" | "team" | "everyone");
        let is_the_user = word == "user" && at > 0 && is(at - 1, "the");
        let who = match other {
            Some(other) => other.key.as_str(),
            None if is_user || is_body || is_the_user => USER,
            None => return None,
        };
        if at >= 2 && is(at - 2, "according") && is(at - 1, "to") && !is_body {
            return Some((who, at));
        }
        let verb = (at + 1..words.len()).find(|at| !FILLERS.contains(&words[*at].text.as_ref()))?;
        let verbs: &[&str] = if is_body || is_the_user { &DECIDED } else { &SPOKE };
        let found = words[verb].text.as_ref();
        (verbs.contains(&found) || DECIDED.contains(&found)).then_some((who, verb))
    }

    /// Whether somebody's words have half of those of a claim, up to its first mark.
    fn has_said(&self, who: &str, claim: &str) -> bool {
        let said = self.earlier.iter().filter(|one| one.by == who).map(|one| one.text);
        let said: Vec<&str> = said.chain(self.basis.first.filter(|_| who == USER)).collect();
        if said.is_empty() {
            return false;
        }
        let mut wanted: Vec<String> = Vec::new();
        for part in claim.split([',', ';', ':', '.', '(', ')']) {
            wanted.extend(subjects(part));
            if wanted.len() >= 2 {
                break;
            }
        }
        let known: BTreeSet<String> = said.into_iter().flat_map(subjects).collect();
        wanted.iter().filter(|word| known.contains(*word)).count() * 2 >= wanted.len()
    }
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
    use crate::voice::sources::Sources;

    #[test]
    fn a_phrase_counts_as_whole_words_outside_quotes() {
        assert!(says("the schema is missing", "schema"));
        assert!(!says("the schematic is missing", "schema"));
        assert!(!says(&unquoted("you wrote \"the schema\""), "schema"));
        assert!(says("f(x) -> y", "->"));
    }

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
