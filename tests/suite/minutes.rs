//! What is drawn from discussions: the threads in `tests/minutes/` with their labels, and what holds for any text.
//!
//! The figures are a report with a floor, not a target: a thread is written down before it is run, and what is
//! missed stays in it.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;
use std::time::Instant;

use proptest::prelude::*;
use roundtable::library::rule_files;
use roundtable::minutes::{Choice, Forms, Minutes, Speaker, Spoken, draw};
use serde::Deserialize;

/// A thread with what a record-keeper would write down.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Thread {
    messages: Vec<Written>,
    #[serde(default)]
    decisions: Vec<String>,
    #[serde(default)]
    open_questions: Vec<String>,
    #[serde(default)]
    action_items: Vec<String>,
    /// What may be listed or left out.
    #[serde(default)]
    neutral: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    by: String,
    text: String,
}

#[derive(Default)]
struct Figures {
    right: usize,
    wrong: Vec<String>,
    missed: Vec<String>,
}

impl Figures {
    fn count(&mut self, found: &[&str], wanted: &[String], neutral: &[String]) {
        for text in found.iter().filter(|text| !neutral.iter().any(|other| other == *text)) {
            match wanted.iter().any(|other| other == text) {
                true => self.right += 1,
                false => self.wrong.push((*text).to_owned()),
            }
        }
        self.missed.extend(wanted.iter().filter(|text| !found.contains(&text.as_str())).cloned());
    }

    fn precision(&self) -> f64 {
        self.right as f64 / (self.right + self.wrong.len()).max(1) as f64
    }

    fn recall(&self) -> f64 {
        self.right as f64 / (self.right + self.missed.len()).max(1) as f64
    }
}

fn forms() -> &'static Forms {
    static FORMS: LazyLock<Forms> = LazyLock::new(|| Forms::read(rule_files(&[]), "en").unwrap());
    &FORMS
}

fn threads() -> BTreeMap<String, Thread> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/minutes");
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    files
        .map(|path| {
            let thread = serde_yaml::from_str(&std::fs::read_to_string(&path).unwrap());
            (path.display().to_string(), thread.unwrap_or_else(|error| panic!("{}: {error}", path.display())))
        })
        .collect()
}

fn texts<'t, T>(entries: &[T], text: impl Fn(&T) -> &'t str) -> Vec<&'t str> {
    entries.iter().map(text).collect()
}

#[test]
fn decisions_of_threads_are_found_and_little_else() {
    let (forms, threads) = (forms(), threads());
    assert!(threads.len() >= 12);
    let (mut decisions, mut questions, mut actions) =
        (Figures::default(), Figures::default(), Figures::default());
    for thread in threads.values() {
        let said = thread.messages.iter().zip(4..);
        let said: Vec<_> = said.map(|(one, turn)| Spoken::by_user(turn, &one.by, &one.text)).collect();
        let minutes = draw(&said, forms);
        decisions.count(&texts(&minutes.decisions, |one| one.text), &thread.decisions, &thread.neutral);
        questions.count(
            &texts(&minutes.open_questions, |one| one.text),
            &thread.open_questions,
            &thread.neutral,
        );
        actions.count(&texts(&minutes.action_items, |one| one.text), &thread.action_items, &thread.neutral);
    }
    let named = [("decisions", &decisions), ("questions", &questions), ("actions", &actions)];
    let line = |(name, one): (&str, &Figures)| {
        let (precision, recall) = (one.precision(), one.recall());
        format!("{name}: {precision:.2}, {recall:.2}; wrong {:?}; missed {:?}\n", one.wrong, one.missed)
    };
    let report: String = named.into_iter().map(line).collect();
    assert!(decisions.precision() >= 0.9 && decisions.recall() >= 0.7, "{report}");
    assert!(questions.precision() >= 0.7 && actions.precision() >= 0.8, "{report}");
}

#[test]
fn an_answer_to_a_choice_is_a_decision_and_an_unmade_choice_is_open() {
    let choice = |on| Choice { on, options: vec!["the queue", "polling every minute"] };
    let notice =
        |turn, on| Spoken { choice: Some(choice(on)), ..Spoken::by_persona(turn, "system-architect", "…") };
    let run = |answer: &str| {
        let said = [notice(5, "Queue or polling?"), Spoken::by_user(6, "Sam", answer)];
        let minutes = draw(&said, forms());
        let turns: Vec<Vec<u32>> = minutes.decisions.iter().map(|one| one.turns.clone()).collect();
        (turns, minutes.open_questions.len(), minutes.statements.len())
    };
    assert_eq!(run("The queue, it is simpler."), (vec![vec![5, 6]], 0, 0));
    assert_eq!(run("The second one."), (vec![vec![5, 6]], 0, 0));
    assert_eq!(run("Let's go with polling."), (vec![vec![5, 6]], 0, 0));
    assert_eq!(run("I don't know, the queue was never tested."), (vec![], 1, 1));
    assert_eq!(run("Both, for a start."), (vec![vec![5, 6]], 0, 0));
    assert_eq!(run("Both the queue and polling exist today."), (vec![], 1, 1));
    assert_eq!(run("Dogs are allowed."), (vec![], 1, 1));
}

#[test]
fn a_question_is_open_until_somebody_takes_it_up() {
    let open = |said: &[Spoken<'_>]| draw(said, forms()).open_questions.len();
    let asked = Spoken::by_user(4, "Sam", "Who signs the form?");
    assert_eq!(open(std::slice::from_ref(&asked)), 1);
    assert_eq!(open(&[asked.clone(), Spoken::by_user(5, "Ada", "The owner signs it.")]), 0);
    assert_eq!(open(&[asked.clone(), Spoken::by_user(5, "Ada", "When is it due?")]), 2);
    assert_eq!(open(&[asked.clone(), Spoken::by_user(5, "Ada", "Thanks!")]), 1);
    assert_eq!(open(&[asked.clone(), Spoken::by_user(5, "Sam", "It has two pages.")]), 1);
    let later = Spoken::by_user(6, "Kim", "> Who signs\n> the form?\n\nThe owner.");
    assert_eq!(open(&[asked.clone(), Spoken::by_user(5, "Ada", "When is it due?"), later]), 0);
    // Closing the matter answers what it speaks of.
    assert_eq!(open(&[asked.clone(), Spoken::by_user(5, "Ada", "Closing. Nobody comes here any more.")]), 1);
    assert_eq!(open(&[asked.clone(), Spoken::by_user(5, "Ada", "Closing. The form is gone.")]), 0);
    // A passage answers, a persona's own words do not.
    assert_eq!(open(&[asked.clone(), Spoken::by_persona(5, "architect", "It matters.")]), 1);
    let shown = Spoken { rests: true, ..Spoken::by_persona(5, "architect", "spec.md says …") };
    assert_eq!(open(&[asked.clone(), shown]), 0);
    // What was redirected stays open, whoever spoke next.
    let redirected = Spoken { off_topic: Some("02-01"), ..asked };
    let minutes = draw(&[redirected, Spoken::by_user(5, "Ada", "The owner signs it.")], forms());
    assert_eq!(minutes.open_questions[0].step, Some("02-01"));
}

#[test]
fn only_the_writers_own_words_decide() {
    for text in [
        "> We decided to drop it.",
        "```\nDecision: drop it\n```",
        "    Decision: drop it",
        "# Decision: drop it",
        "<!-- Decision: drop it -->",
        "The sign says \"we decided to drop it\".",
        "Write `we decided to drop it` there.",
        "Did we decide to drop it?",
    ] {
        let minutes = draw(&[Spoken::by_user(4, "Sam", text)], forms());
        assert_eq!((minutes.decisions.len(), minutes.possible_decisions.len()), (0, 0), "{text}");
    }
    let text = "Thanks for the report.\n\n* We decided to drop it, because it is old.\n* It was never used.";
    let minutes = draw(&[Spoken::by_user(4, "Sam", text)], forms());
    assert_eq!(minutes.decisions[0].text, "We decided to drop it, because it is old.");
    assert_eq!(minutes.decisions[0].reason, Some("it is old"));
    assert_eq!(texts(&minutes.statements, |one| one.text), ["It was never used."]);
}

/// Whatever is listed, with the turn it names last.
fn entries<'t>(minutes: &Minutes<'t>) -> Vec<(&'t str, u32)> {
    let last = |turns: &[u32]| turns.last().copied().unwrap_or_default();
    let decisions = minutes.decisions.iter().chain(&minutes.possible_decisions);
    let decisions = decisions.map(|one| (one.text, last(&one.turns)));
    let statements = minutes.statements.iter().map(|one| (one.text, last(&one.turns)));
    let questions = minutes.open_questions.iter().map(|one| (one.text, last(&one.turns)));
    let actions = minutes.action_items.iter().map(|one| (one.text, last(&one.turns)));
    decisions.chain(statements).chain(questions).chain(actions).collect()
}

const PIECES: [&str; 16] = [
    "We decided to drop it",
    "Let's go with linen",
    "because it is old",
    "Who signs?",
    "I'll ask legal by Friday",
    "Agreed:",
    "> We keep it",
    "```",
    "\n\n",
    "\n- ",
    ". ",
    " if ",
    "Thanks!",
    "\"",
    "<!--",
    "ß😀",
];

fn message() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        3 => (0..PIECES.len()).prop_map(|at| PIECES[at].to_owned()),
        1 => "\\PC{0,12}",
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.join(" "))
}

proptest! {
    #[test]
    fn every_entry_is_word_for_word_what_a_user_said(texts in prop::collection::vec((any::<bool>(), message()), 0..6)) {
        let said: Vec<_> = texts.iter().zip(1..).map(|((is_user, text), turn)| match is_user {
            true => Spoken::by_user(turn, "Sam", text),
            false => Spoken::by_persona(turn, "architect", text),
        }).collect();
        let forms = forms();
        for (text, turn) in entries(&draw(&said, forms)) {
            let spoken = said.iter().find(|one| one.turn == turn).unwrap();
            prop_assert_eq!(spoken.speaker, Speaker::User("Sam"));
            prop_assert!(spoken.text.contains(text));
        }
    }

    #[test]
    fn no_persona_decides(text in message()) {
        let minutes = draw(&[Spoken::by_persona(2, "architect", &text)], forms());
        prop_assert_eq!(minutes, Minutes::default());
    }

    #[test]
    fn no_statement_is_lost(text in "[A-Z][a-z]{2,8}( [a-z]{2,8}){2,6}\\.") {
        let minutes = draw(&[Spoken::by_user(4, "Sam", &text)], forms());
        prop_assert!(!entries(&minutes).is_empty(), "{}", text);
    }
}

#[test]
fn time_grows_with_the_length() {
    let forms = forms();
    for text in [
        "We keep it because it is old. Who signs? ",
        "we will keep it and then ",
        "\" <!-- ` ( . ",
        "> a\n- b\n\n",
    ] {
        let time = |bytes: usize| {
            let text = text.repeat(bytes / text.len());
            let start = Instant::now();
            draw(&[Spoken::by_user(4, "Sam", &text)], forms);
            start.elapsed().as_secs_f64()
        };
        let (short, long) = (time(30_000), time(300_000));
        assert!(long < 60.0 * short.max(0.01), "{text:?}: {short} s, {long} s");
    }
}

#[test]
fn the_page_names_every_form_with_its_first_example() {
    let page =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/minutes.md")).unwrap();
    let book = roundtable::text::rules::Book::read(rule_files(&[]), "en", &["decisions", "actions"]).unwrap();
    for rule in book.rules("decisions").chain(book.rules("actions")) {
        let row = format!("| `{}` | {} | {} |", rule.id, rule.written.title, rule.written.yes[0]);
        assert!(page.contains(&row), "docs/minutes.md has no row {row}");
    }
}
