//! From the answers to a step to what its artifacts say: the one place where the words of an artifact
//! come from. What has a documented form is a fact; everything else stays in the user's own words under its
//! question. What was not answered is an open question.

use std::collections::BTreeSet;

use crate::analysis::Answer;
use crate::analysis::answer_forms::{self, Fact, Label};
use crate::analysis::drafted::Drafted;
use crate::discussion::address::only_ends;
use crate::item::library::Library;
use crate::item::step::Step;
use crate::minutes::{Forms, decisions_in};
use crate::text::markdown;
use crate::text::plain;
use crate::text::sections::list;
use crate::text::sentences::sentences;
use crate::text::words::subjects;

/// What was answered to a question and has no form, in lines of the user's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The question; empty for a remark at the menu.
    pub asked: String,
    pub lines: Vec<String>,
    pub by: String,
    /// What its message decides, each with its reason where one is given.
    pub decisions: Vec<(String, Option<String>)>,
}

impl Entry {
    /// Lines that decide nothing.
    pub fn note(lines: Vec<String>, by: &str) -> Entry {
        Entry { asked: String::new(), lines, by: by.to_owned(), decisions: Vec::new() }
    }

    /// Whether a line is one of its decisions and no more.
    pub fn is_decision(&self, line: &str) -> bool {
        sentences(line).len() == 1 && self.decisions.iter().any(|(text, _)| line.contains(text))
    }
}

/// A question that nobody has answered, and its place among the step's questions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Open {
    pub number: Option<usize>,
    pub text: String,
    /// It is the step's own question, and no user asked it.
    pub is_of_step: bool,
}

impl Open {
    /// A question that came up.
    pub const fn new(number: Option<usize>, text: String) -> Open {
        Open { number, text, is_of_step: false }
    }
}

/// What a step came to, before it is given the form of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Draft {
    pub entries: Vec<Entry>,
    /// What was said in a form, and by whom.
    pub facts: Vec<(Fact, String)>,
    /// What a model has drafted, as text: all of it, or, once it is confirmed, what has no form.
    pub drafted: Vec<String>,
    pub drafted_by: String,
    /// Who has confirmed it; nobody where this is empty.
    pub confirmed_by: String,
    /// What was said at the menu.
    pub feedback: Vec<Entry>,
    pub open: Vec<Open>,
    /// Lines that begin like a form and are none, and why.
    pub problems: Vec<String>,
    /// Every message as it was said.
    pub messages: Vec<String>,
}

impl Draft {
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
            && self.feedback.is_empty()
            && self.open.is_empty()
            && self.facts.is_empty()
            && self.drafted.is_empty()
    }

    /// Takes in what a model has drafted: as text, and where a user has confirmed it, in its forms.
    pub fn take(&mut self, drafted: &Drafted) {
        self.drafted_by.clone_from(&drafted.voice);
        self.open.extend(drafted.unmet().into_iter().map(|text| Open::new(None, text)));
        let Some(by) = &drafted.confirmed_by else {
            self.drafted = drafted.shown();
            return;
        };
        self.confirmed_by.clone_from(by);
        self.drafted = drafted.notes();
        let facts = answer_forms::read(&drafted.forms(), &[]).facts;
        self.facts.extend(facts.into_iter().map(|fact| (fact, by.clone())));
    }

    /// Adds what another one holds.
    pub fn add(&mut self, other: &Draft) {
        self.entries.extend(other.entries.iter().cloned());
        self.feedback.extend(other.feedback.iter().cloned());
        self.open.extend(other.open.iter().cloned());
        self.drafted.extend(other.drafted.iter().cloned());
        self.drafted_by.clone_from(&other.drafted_by);
        self.confirmed_by.clone_from(&other.confirmed_by);
    }

    /// Everything that was said, a message an entry.
    pub fn said(&self) -> impl Iterator<Item = &str> {
        self.messages.iter().map(String::as_str)
    }

    /// The facts of a form.
    pub fn of(&self, label: Label) -> impl Iterator<Item = &Fact> {
        self.facts.iter().map(|(fact, _)| fact).filter(move |fact| fact.label == label)
    }

    /// Who said anything that is written.
    pub fn speakers(&self) -> Vec<&str> {
        let mut found: Vec<&str> = Vec::new();
        for by in self.entries.iter().chain(&self.feedback).map(|entry| entry.by.as_str()) {
            if !found.contains(&by) {
                found.push(by);
            }
        }
        found
    }

    /// Takes the forms, decisions and notes of a message in: `message` as it was typed, `text` as the page shows it.
    fn hear(
        &mut self,
        asked: &str,
        by: &str,
        (message, text): (&str, &str),
        asks: Option<&[Label]>,
        forms: &Forms,
    ) {
        let said = answer_forms::read(text, asks.unwrap_or_default());
        self.problems.extend(said.problems);
        self.facts.extend(said.facts.into_iter().map(|fact| (fact, by.to_owned())));
        let mut entry = Entry { asked: asked.to_owned(), ..Entry::note(said.notes, by) };
        entry.decisions = decisions_in(message, forms);
        if !entry.decisions.is_empty() {
            // What is below a label is a decision by itself.
            entry.lines.retain(|line| !is_label_of_decisions(line, forms));
        }
        if asks.is_some_and(|asks| asks.contains(&Label::Decision)) {
            let open = entry.lines.iter().filter(|line| !entry.is_decision(line));
            let chosen: Vec<_> = open.filter_map(|line| answer_forms::choice(line)).collect();
            entry.decisions.extend(chosen);
        }
        if !entry.lines.is_empty() || !entry.decisions.is_empty() {
            if asks.is_some() { &mut self.entries } else { &mut self.feedback }.push(entry);
        }
    }
}

/// What the answers come to; `is_drafted` where a yes confirms a draft and so answers the brief question.
pub fn draft(
    answers: &[Answer],
    feedback: &[(String, String)],
    is_drafted: bool,
    library: &Library,
) -> Draft {
    let (cast, forms) = (&library.cast, library.forms());
    let mut draft = Draft::default();
    for answer in answers {
        let asked = asked(answer);
        let open = |text: String| Open { number: answer.question, text, is_of_step: true };
        let seen = answer.said.as_ref().map(|(by, text)| (by, text, markdown::said(text)));
        // "done", with which scripts end, is no answer.
        let says = |text: &str| {
            let ends = only_ends(text, cast) && !answer_forms::acknowledges(text);
            !answer_forms::is_unknown(text) && !ends
        };
        let Some((by, message, text)) = seen.filter(|(.., text)| says(text)) else {
            draft.open.push(open(asked));
            continue;
        };
        let text = text.as_str();
        draft.messages.push(text.to_owned());
        // A yes answers a draft; no question of ours is one that yes answers.
        if answer_forms::acknowledges(text) {
            let is_answered = answer.question.is_none() && is_drafted;
            if !is_answered && !answer_forms::adds_nothing(text) {
                draft.open.push(open(asked));
            }
            continue;
        }
        let questions = answer_forms::questions(text);
        let is_question = is_only(text, &questions);
        draft.hear(&asked, by, (message, text), Some(&answer.asks), forms);
        if is_question {
            draft.open.push(open(asked));
        }
        draft.open.extend(questions.into_iter().map(|text| Open::new(answer.question, text)));
    }
    let seen = feedback.iter().map(|(by, text)| (by, text, markdown::said(text)));
    let says = |text: &str| !answer_forms::acknowledges(text) && !only_ends(text, cast);
    for (by, message, text) in seen.filter(|(.., text)| !text.is_empty() && says(text)) {
        let text = text.as_str();
        draft.messages.push(text.to_owned());
        let questions = answer_forms::questions(text);
        // A question at the menu is answered there, and written nowhere else.
        if !is_only(text, &questions) {
            draft.hear("", by, (message, text), None, forms);
        }
        draft.open.extend(questions.into_iter().map(|text| Open::new(None, text)));
    }
    draft
}

/// `Decisions:`, `We decided`: a line that only gives its role to what is below it.
fn is_label_of_decisions(line: &str, forms: &Forms) -> bool {
    let label = line.trim_end_matches([':', '：']).trim_end();
    forms.find("labels", label).is_some_and(|hit| hit.form.written.form == "decisions")
}

/// Whether a text is nothing but these questions.
fn is_only(text: &str, questions: &[String]) -> bool {
    let signs = |text: &str| text.chars().filter(|c| !c.is_whitespace()).count();
    let all: usize = questions.iter().map(|question| signs(question)).sum();
    !questions.is_empty() && all >= signs(answer_forms::without_marker(&plain::clean(text)))
}

/// A question as a heading has it; of a prompt without a number, the question it ends with.
fn asked(answer: &Answer) -> String {
    let text = plain::one_line(&answer.asked);
    if answer.question.is_some() {
        return text;
    }
    let last = sentences(&text).into_iter().rfind(|sentence| sentence.ends_with('?'));
    last.map_or_else(|| plain::cut(&text, 140), str::to_owned)
}

/// A part of an artifact that a step's Artifacts section names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The file or folder, as in `outputs`, without a trailing slash.
    pub file: String,
    /// `section`, `key`, `array`, `table` or `header`.
    pub kind: String,
    pub name: String,
    /// What belongs there.
    pub about: String,
}

impl Named {
    pub fn section(file: &str, name: &str) -> Named {
        Named {
            file: file.to_owned(),
            kind: "section".to_owned(),
            name: name.to_owned(),
            about: String::new(),
        }
    }
}

/// The parts of artifacts that a step names: a list item a part, `` `file`, section "Name": what ``.
pub fn named(step: &Step) -> Vec<Named> {
    list(&step.artifacts).iter().filter_map(|item| named_in(item)).collect()
}

fn named_in(item: &str) -> Option<Named> {
    let (file, rest) = item.strip_prefix('`')?.split_once('`')?;
    let (head, about) = rest.split_once(": ").unwrap_or((rest, ""));
    let head = head.trim_start_matches([',', ' ']);
    let (kind, name) = head.split_once(['"', '`']).unwrap_or(("section", ""));
    let name = name.split(['"', '`']).next().unwrap_or_default();
    if name.is_empty() {
        return None;
    }
    Some(Named {
        file: file.trim_end_matches('/').to_owned(),
        kind: kind.trim().to_owned(),
        name: plain::one_line(&plain::clean(name)),
        about: plain::one_line(&plain::clean(about)),
    })
}

/// Which of some parts a text belongs to: the one it shares most subjects with, else the first.
pub fn belongs(text: &str, parts: &[Named]) -> usize {
    let said = subjects(text);
    let mut best = (0, 0);
    for (at, part) in parts.iter().enumerate() {
        let about = subjects(&format!("{} {}", part.name, part.about));
        let shared = said.iter().filter(|word| about.contains(word)).count();
        if shared > best.0 {
            best = (shared, at);
        }
    }
    best.1
}

/// The criteria of a step's validation that nothing of what was said speaks of.
pub fn uncovered(step: &Step, draft: &Draft) -> Vec<String> {
    let mut said: BTreeSet<String> = draft.said().flat_map(subjects).collect();
    said.extend(draft.entries.iter().flat_map(|entry| subjects(&entry.asked)));
    let touched = |criterion: &&String| {
        let asked = subjects(criterion);
        let found = asked.iter().filter(|word| said.contains(*word));
        !asked.is_empty() && found.count() * 3 < asked.len()
    };
    step.validation.iter().filter(touched).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(question: Option<usize>, asked: &str, said: Option<&str>) -> Answer {
        let said = said.map(|text| ("Sam".to_owned(), text.to_owned()));
        Answer { question, asked: asked.into(), asks: Vec::new(), said }
    }

    fn library() -> Library {
        Library::built_in().unwrap()
    }

    fn open(draft: &Draft) -> Vec<&str> {
        draft.open.iter().map(|open| open.text.as_str()).collect()
    }

    #[test]
    fn answers_stay_in_their_own_words_and_what_is_missing_is_open() {
        let answers = [
            answer(Some(1), "Who?", Some("- readers\n- librarians\nFR: one letter")),
            answer(Some(2), "Why?", None),
            answer(Some(3), "When?", Some("I don't know.")),
            answer(Some(4), "Where?", Some("Yes")),
            answer(Some(5), "What else?", Some("Nothing to add.")),
            answer(Some(6), "How long?", Some("done")),
        ];
        let found = draft(&answers, &[("Kim".into(), "Add the branch managers".into())], false, &library());
        assert_eq!(
            (found.entries.len(), found.entries[0].lines.clone()),
            (1, vec!["readers".to_owned(), "librarians".to_owned()])
        );
        assert_eq!((found.facts.len(), open(&found)), (1, vec!["Why?", "When?", "Where?", "How long?"]));
        assert_eq!((found.feedback[0].by.as_str(), found.speakers()), ("Kim", vec!["Sam", "Kim"]));
    }

    #[test]
    fn a_label_gives_its_role_to_the_list_below_it() {
        for (text, decisions, lines) in [
            (
                "Decisions:\n- use paper because it is cheap\n- no cards",
                vec!["use paper because it is cheap", "no cards"],
                2,
            ),
            ("## Decision\n\nWe keep the desk.", vec!["We keep the desk"], 1),
            ("We decided:\n1. log at noon", vec!["log at noon"], 1),
            ("Options:\n- use paper", vec![], 2),
            ("The desk is open on weekdays and\nalso on Sunday.\n\nDecision: no cards", vec!["no cards"], 2),
            ("Decision: use paper\nIt is cheap.", vec!["use paper"], 2),
        ] {
            let found = draft(&[answer(Some(1), "Why?", Some(text))], &[], false, &library());
            let decided: Vec<&str> =
                found.entries[0].decisions.iter().map(|(text, _)| text.as_str()).collect();
            assert_eq!((decided, found.entries[0].lines.len()), (decisions, lines), "{text}");
        }
    }

    #[test]
    fn a_question_given_as_an_answer_is_a_note_and_an_open_question() {
        let answers = [
            answer(Some(1), "Who?", Some("Who pays for it?")),
            answer(Some(2), "Why?", Some("Because of the desk. Or what did you mean?")),
        ];
        let found = draft(
            &answers,
            &[("Kim".into(), "What about the branches?".into()), ("Kim".into(), "ok".into())],
            false,
            &library(),
        );
        assert_eq!(
            open(&found),
            ["Who?", "Who pays for it?", "Or what did you mean?", "What about the branches?"]
        );
        assert_eq!((found.entries.len(), found.feedback.len()), (2, 0));
    }

    #[test]
    fn the_parts_that_a_step_names_are_found() {
        let library = Library::built_in().unwrap();
        for step in &library.steps {
            let parts = named(step);
            assert!(!parts.is_empty(), "{}", step.path);
            for part in &parts {
                assert!(
                    step.outputs.iter().any(|output| output.trim_end_matches('/') == part.file),
                    "{part:?}"
                );
            }
        }
        let parts = named(library.step("03-01").unwrap());
        let names: Vec<&str> = parts.iter().map(|part| part.name.as_str()).collect();
        assert_eq!(names, ["Context", "Options", "Decision"]);
        assert_eq!(belongs("How much risk appetite is there?", &parts), 0);
        assert_eq!(belongs("What price does each option carry?", &parts), 1);
        let matrix = &named(library.step("01-08").unwrap())[1];
        assert_eq!(
            (matrix.kind.as_str(), matrix.name.as_str()),
            ("header", "Requirement,User Story,Priority,Status")
        );
    }
}
