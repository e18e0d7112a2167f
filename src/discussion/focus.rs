//! Topic focus: whether a text belongs to another step (4.4.5, contract 4.8).
//!
//! Precision first, since a wrong redirect is worse than a missed one: a text drifts only when it
//! uses a phrase that marks another step unmistakably (a step file's `topics`, or its whole
//! title), none that marks this step, and none that the item itself is about. Two steps marked
//! equally often leave the text where it is.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;

use foldhash::fast::RandomState;

use super::ranking::Ranking;
use super::words::{Word, is_significant, stem, stems, stems_of, subjects, unquoted, words};
use crate::step::Step;

/// The phrases that mark steps: the same for every discussion of a library.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    /// The phrases of all steps, by their first stem: most words of a text begin none.
    phrases: HashMap<String, Vec<Phrase>, RandomState>,
    /// The steps' texts; counted when a message is first held against them.
    ranking: OnceLock<Ranking>,
}

#[derive(Clone, Debug)]
struct Phrase {
    stems: Vec<String>,
    topic: String,
    /// The step it marks, as an index.
    step: usize,
}

/// What one discussion is about: a step among others, for an item.
#[derive(Clone, Debug)]
pub struct Focus<'l> {
    marks: &'l Marks,
    steps: &'l [Step],
    /// The id of the step under discussion.
    id: &'l str,
    /// What the item itself is about, as stems.
    subject: Vec<String>,
    item_name: String,
}

/// Where a text belongs instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drift {
    /// The phrase that gave it away.
    pub subject: String,
    /// The step it belongs to, as the redirect names it.
    pub belongs: String,
    pub step_id: String,
}

impl Marks {
    /// A step's topics mark it, and its title where that is telling.
    pub fn new(steps: &[Step]) -> Marks {
        let mut marks = Marks::default();
        for (number, step) in steps.iter().enumerate() {
            let title = stems(&step.title);
            let telling = title.iter().filter(|word| is_significant(word)).count() >= 3;
            let title = telling.then(|| (title, step.title.clone()));
            for (stems, topic) in step.topics.iter().map(|topic| (stems(topic), topic.clone())).chain(title) {
                let Some(first) = stems.first().cloned() else { continue };
                marks.phrases.entry(first).or_default().push(Phrase { stems, topic, step: number });
            }
        }
        marks
    }

    /// The same of steps whose texts were counted before.
    pub(crate) fn with_ranking(steps: &[Step], ranking: Ranking) -> Marks {
        Marks { ranking: OnceLock::from(ranking), ..Marks::new(steps) }
    }

    /// The texts of the same steps, counted.
    pub(crate) fn ranking(&self, steps: &[Step]) -> &Ranking {
        self.ranking.get_or_init(|| Ranking::new(steps))
    }
}

impl<'l> Focus<'l> {
    pub fn new(marks: &'l Marks, step: &'l Step, steps: &'l [Step], item_name: &str) -> Focus<'l> {
        Focus { marks, steps, id: &step.id, subject: subjects(item_name), item_name: item_name.to_owned() }
    }

    /// Where a user's message belongs, if it is not here: by a phrase, or by the words of all steps
    /// together. A contribution rests on documents, whose words are anybody's; it is held against
    /// phrases only.
    ///
    /// A message that asks nothing and tells when something was or will be ("the design review is next week")
    /// mentions a phrase, and wants nothing of that step. What decides something is heard where it is said.
    pub fn belongs(&self, message: &str) -> Option<Drift> {
        let drift = self.drift(message).filter(|_| !only_mentions(message));
        let found = drift
            .or_else(|| self.opened_by_title(message))
            .or_else(|| self.between_products(message))
            .or_else(|| self.nearest(message));
        // Last, since it takes longest, and most messages are at home.
        found.filter(|_| !decides(message))
    }

    /// "Rust or Python?" asks for a programming language or a product without the word.
    fn between_products(&self, message: &str) -> Option<Drift> {
        let text = unquoted(message);
        // What asks nothing chooses nothing.
        let asks = text.contains(['?', '？'])
            && crate::discussion::decisions::statements(&text).iter().any(|sentence| chooses(sentence));
        // The item's own name is no choice.
        let own = self.subject.iter().any(|word| PRODUCTS.binary_search(&word.as_str()).is_ok());
        (asks && !own).then(|| self.drift(CHOICE)).flatten()
    }

    /// "Let's move on to interface contracts": who opens a step by its title wants that step, whatever its words mean
    /// elsewhere.
    fn opened_by_title(&self, message: &str) -> Option<Drift> {
        let stems_of = |text: &str| -> Vec<String> {
            let text = text.replace('&', " ");
            let found = words(&text).into_iter().map(|word| word.text.into_owned());
            found
                .filter(|word| !matches!(word.as_str(), "and" | "the" | "our"))
                .map(|word| stem(&word).into_owned())
                .collect()
        };
        let text = unquoted(message).replace('’', "'");
        let lower = text.to_lowercase();
        let (at, opens) =
            OPENS_A_SUBJECT.iter().filter_map(|opens| Some((lower.find(opens)?, opens))).min()?;
        // A name and a small word may stand before it.
        if words(&lower[..at]).len() > 3 {
            return None;
        }
        let rest = &lower[at + opens.len()..];
        let rest = rest.split(['.', '?', '!', ',', ';', ':']).next()?.trim();
        let ends = [" now", " next", " instead", " then", " first", " for a moment", " please"];
        let rest = ends.iter().find_map(|end| rest.strip_suffix(end)).unwrap_or(rest);
        let named = stems_of(rest);
        let by_title = |step: &&Step| {
            let title = stems_of(&step.title);
            title.len() > 1 && title == named
        };
        let place = self.steps.iter().find(by_title).filter(|place| place.id != self.id)?;
        let own = named.iter().all(|word| self.subject.contains(word));
        let belongs = format!("{} (step {})", place.title, place.id);
        (!own).then(|| Drift { subject: place.title.to_lowercase(), belongs, step_id: place.id.clone() })
    }

    fn nearest(&self, message: &str) -> Option<Drift> {
        let text = unquoted(message);
        let text = without_files(&text);
        // A few words that ask nothing are an answer, and no other subject.
        if !text.contains(['?', '？']) && words(&text).len() < FEW {
            return None;
        }
        let here = self.steps.iter().position(|step| step.id == self.id)?;
        let ranking = self.marks.ranking(self.steps);
        let nearest = ranking.elsewhere(&text, here, &self.item_name)?;
        let place = self.steps.get(nearest.step)?;
        let belongs = format!("{} (step {})", place.title, place.id);
        Some(Drift { subject: nearest.word, belongs, step_id: place.id.clone() })
    }

    /// Where the text belongs, if it is not here.
    pub fn drift(&self, text: &str) -> Option<Drift> {
        let text = unquoted(text);
        let text = without_files(&text);
        let words = words(&text);
        let said = stems_of(&words);
        // Every phrase that is said, once, with the step it marks.
        let mut marks: BTreeMap<usize, BTreeMap<&str, usize>> = BTreeMap::new();
        for (at, first) in said.iter().enumerate() {
            for phrase in self.marks.phrases.get(first.as_ref()).into_iter().flatten() {
                // A name with capitals inside counts as it is written: MoSCoW is no city.
                let topic = phrase.topic.as_str();
                let capitals = topic.chars().skip(1).any(char::is_uppercase) && !topic.contains(' ');
                let begins = said.len() - at >= phrase.stems.len()
                    && phrase.stems.iter().zip(&said[at..]).all(|(stem, said)| stem == said);
                if !begins || capitals && !text.contains(topic) {
                    continue;
                }
                if self.steps.get(phrase.step)?.id == self.id {
                    return None;
                }
                // What the item itself is about marks no other step.
                if phrase.stems.iter().all(|word| self.subject.contains(word)) {
                    continue;
                }
                marks.entry(phrase.step).or_default().insert(topic, phrase.stems.len());
            }
        }
        let weight = |said: &BTreeMap<&str, usize>| said.values().sum::<usize>();
        let most = marks.values().map(weight).max()?;
        let mut nearest = marks.iter().filter(|(_, said)| weight(said) == most);
        let (Some((step, said)), None) = (nearest.next(), nearest.next()) else { return None };
        let place = self.steps.get(*step)?;
        let (subject, _) = said.iter().max_by_key(|(_, length)| **length)?;
        let belongs = format!("{} (step {})", place.title, place.id);
        Some(Drift { subject: (*subject).to_owned(), belongs, step_id: place.id.clone() })
    }
}

/// How somebody opens a subject.
const OPENS_A_SUBJECT: [&str; 12] = [
    "can we discuss ",
    "can we move on to ",
    "can we talk about ",
    "i'd like to discuss ",
    "i'd like to talk about ",
    "i want to talk about ",
    "let us discuss ",
    "let us talk about ",
    "let's discuss ",
    "let's move on to ",
    "let's talk about ",
    "let's turn to ",
];

/// What a choice between products asks, in the words of the steps' topics.
const CHOICE: &str = "which technology should we use";

/// Programming languages, databases, frameworks and brokers, in lower case, sorted. Names that are words of
/// English too (go, swift, oracle, express) are none.
const PRODUCTS: [&str; 36] = [
    "angular",
    "cassandra",
    "django",
    "elasticsearch",
    "elixir",
    "fastapi",
    "golang",
    "java",
    "javascript",
    "kafka",
    "kotlin",
    "kubernetes",
    "laravel",
    "mariadb",
    "mongodb",
    "mysql",
    "native",
    "nats",
    "nextjs",
    "nodejs",
    "php",
    "postgres",
    "postgresql",
    "python",
    "rabbitmq",
    "rails",
    "react",
    "redis",
    "ruby",
    "rust",
    "scala",
    "sqlite",
    "svelte",
    "typescript",
    "vue",
    "website",
];

/// Kinds of products, each with verbs that choose one. A language is also spoken, so it has verbs of its own.
const KINDS: [(&str, &[&str]); 5] = [
    (" which database ", &PICKS),
    (" which framework ", &PICKS),
    (" which search engine ", &PICKS),
    (" which message broker ", &PICKS),
    (" which language ", &[" write ", " program ", " code ", " implement "]),
];
const PICKS: [&str; 7] = [" choose ", " go with ", " pick ", " run ", " take ", " use ", " write "];

/// Who chooses at the table.
const OURS: [&str; 7] = [
    " should we ",
    " shall we ",
    " do we ",
    " would we ",
    " would you ",
    " should it be ",
    " should the app be ",
];

/// Whether a question puts a product up for choice: "Should we write it in Rust or in Python?", "Which
/// database should we choose?"
fn chooses(sentence: &str) -> bool {
    if !sentence.ends_with(['?', '？']) {
        return false;
    }
    let lower = format!(" {} ", sentence.to_lowercase().trim_end_matches(['?', '？']));
    let ours = OURS.iter().any(|word| lower.contains(word));
    let says = |verbs: &[&str]| verbs.iter().any(|verb| lower.contains(verb));
    let kind = || KINDS.iter().any(|(kind, verbs)| lower.contains(kind) && says(verbs));
    let product = |word: &Word<'_>| PRODUCTS.binary_search(&word.text.as_ref()).is_ok();
    let names = |text: &str| words(text).iter().any(product);
    let between = |(one, other): (&str, &str)| names(one) && names(other);
    ours && kind() || (ours || words(sentence).len() <= 5) && lower.split_once(" or ").is_some_and(between)
}

/// Whether a message decides something and asks nothing.
fn decides(message: &str) -> bool {
    !message.contains(['?', '？']) && !super::decisions::decisions_in(message, true).is_empty()
}

/// Words that put something into the past or on the calendar.
const DATED: [&str; 14] = [
    " was ",
    " were ",
    " has been ",
    " have been ",
    " had ",
    " did ",
    " done in ",
    " last ",
    " next week",
    " next month",
    " next year",
    " tomorrow",
    " yesterday",
    " ago",
];

/// Whether a message asks nothing and only tells when something was or will be.
fn only_mentions(message: &str) -> bool {
    let lower = format!(" {} ", message.to_lowercase());
    !lower.contains(['?', '？']) && DATED.iter().any(|word| lower.contains(word))
}

/// What tells something in fewer words is about what was said before.
const FEW: usize = 8;

/// The text without names of files: naming a document is no talk about its subject.
fn without_files(text: &str) -> Cow<'_, str> {
    let begins = |at: usize| text.as_bytes().get(at + 1).is_some_and(|next| b"mjcyMJCY".contains(next));
    if !memchr::memchr_iter(b'.', text.as_bytes()).any(begins) {
        return Cow::Borrowed(text);
    }
    let suffixes = [".md", ".json", ".csv", ".yaml", ".yml"];
    let is_file = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let end = |suffix: &str| word.len().checked_sub(suffix.len()).and_then(|at| word.get(at..));
        word.contains('.')
            && suffixes.iter().any(|suffix| end(suffix).is_some_and(|end| end.eq_ignore_ascii_case(suffix)))
    };
    if !text.split_whitespace().any(is_file) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.split_whitespace().filter(|word| !is_file(word)).collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::Library;

    fn drift(step: &str, item: &str, text: &str) -> Option<String> {
        let library = Library::built_in().unwrap();
        let focus = Focus::new(library.marks(), library.step(step).unwrap(), &library.steps, item);
        focus.drift(text).map(|drift| drift.step_id)
    }

    #[test]
    fn a_text_that_belongs_to_another_step_drifts() {
        for (text, wanted) in [
            ("Which of these would you put first in the MoSCoW prioritization?", "01-08"),
            ("Alex, how should we prioritize these journeys?", "01-08"),
            ("Is this a must have or a should have?", "01-08"),
            ("Let's talk about Technology Decisions for a moment", "03-02"),
            ("Which tech stack would we use?", "03-02"),
        ] {
            assert_eq!(drift("01-03", "offline mode", text).as_deref(), Some(wanted), "{text}");
        }
    }

    #[test]
    fn who_opens_a_step_by_its_title_wants_that_step() {
        let library = Library::built_in().unwrap();
        let focus =
            Focus::new(library.marks(), library.step("01-03").unwrap(), &library.steps, "offline mode");
        let belongs = |text: &str| focus.belongs(text).map(|drift| drift.step_id);
        for (text, wanted) in [
            ("Let's move on to interface contracts.", "04-02"),
            ("Maya, let’s talk about keyword search now", "00-02"),
            ("Let's discuss quality and risk assessment", "01-05"),
            ("Can we move on to Module Design & Boundaries?", "04-01"),
        ] {
            assert_eq!(belongs(text).as_deref(), Some(wanted), "{text}");
        }
        for text in ["Let's talk about user experience and journeys.", "Let's talk about contracts."] {
            assert_eq!(belongs(text), None, "{text}");
        }
    }

    #[test]
    fn ordinary_talk_stays() {
        for text in [
            "What about error handling?",
            "Alex, how does this affect scalability?",
            "What do you all think about caching?",
            "the sync must have a timeout",
            "Let's wrap up our discussion of error handling",
            "Which risk do you see, and what does the user see?",
            "I agree with Maya, the acceptance criteria come first",
            "The function signature would be sync(local, remote)",
            "Our users are in Moscow.",
            "The queue should prioritize small uploads over photos.",
            "The journey shows an unmet need: the photo is lost.",
            "nfr-matrix.md line 5 names no figure, and tech-stack-decision.md is empty.",
            "he wrote \"MoSCoW prioritization\" on the board",
        ] {
            assert_eq!(drift("01-03", "offline mode", text), None, "{text}");
        }
    }

    #[test]
    fn a_choice_between_products_belongs_to_the_technology_decisions() {
        let library = Library::built_in().unwrap();
        let belongs = |step: &str, text: &str| {
            let focus =
                Focus::new(library.marks(), library.step(step).unwrap(), &library.steps, "tide clock");
            focus.belongs(text).map(|drift| drift.step_id)
        };
        for text in [
            "Should we write it in Rust or in Python?",
            "Postgres or SQLite?",
            "By the way, which database should we choose for this?",
            "Which language do we write the app in?",
        ] {
            assert_eq!(belongs("01-03", text).as_deref(), Some("03-02"), "{text}");
            assert_eq!(belongs("03-02", text), None, "{text}");
        }
        for text in [
            "Does the person on the quay use Rust or Python words for that?",
            "The import is a Python script or a Ruby one, nobody knows.",
            "Which database holds the tides today?",
            "Should people read it in French or in Greek?",
            "Does the python escape or does it rust?",
            "Which language do the fishermen speak?",
            "Which language should we offer the guests?",
            "Which database should we ask for the tides?",
            "Shall the tides sit in the same database as the names, or in a second one?",
        ] {
            assert_eq!(belongs("01-03", text), None, "{text}");
        }
        assert!(PRODUCTS.is_sorted());
    }

    #[test]
    fn a_way_to_build_is_a_choice_and_what_decides_is_heard_where_it_is_said() {
        let library = Library::built_in().unwrap();
        let belongs = |item: &str, text: &str| {
            let focus = Focus::new(library.marks(), library.step("01-07").unwrap(), &library.steps, item);
            focus.belongs(text).map(|drift| drift.step_id)
        };
        let choice = "Should the app be native or a website?";
        assert_eq!(belongs("tide clock", choice).as_deref(), Some("03-02"));
        assert_eq!(belongs("website of the tide clock", choice), None);
        assert_eq!(belongs("tide clock", "Do native speakers or visitors of the website ask for it?"), None);
        let asked = "How would you prioritize these in the MoSCoW prioritization?";
        assert_eq!(belongs("tide clock", asked).as_deref(), Some("01-08"));
        for text in [
            "Let's keep the e-mail address out of it; people came to see ships, not to get a newsletter.",
            "We decided that the MoSCoW prioritization stays as it is.",
        ] {
            assert_eq!(belongs("tide clock", text), None, "{text}");
        }
    }

    #[test]
    fn a_phrase_that_is_only_mentioned_redirects_nobody() {
        for text in
            ["The final design review of the app is next week.", "User research was done in 2019 as well."]
        {
            assert!(only_mentions(text), "{text}");
        }
        for text in
            ["Was the design review done?", "Let's talk about the tech stack.", "Which tech stack was it?"]
        {
            assert!(!only_mentions(text), "{text}");
        }
    }

    #[test]
    fn what_the_step_or_the_item_is_about_is_no_drift() {
        assert_eq!(drift("01-08", "offline mode", "MoSCoW prioritization then"), None);
        assert_eq!(drift("01-04", "offline mode", "the tech stack today is Rails"), None);
        assert_eq!(drift("01-03", "prioritization of jobs", "the prioritization of jobs"), None);
    }
}
