//! From the answers to a step to what its artifacts say: the one place where the words of an artifact
//! come from. The user's answers stay in their own words; what was not answered is an open question.
//!
//! A voice that drafts artifacts itself would stand in for [`draft`], and nothing else.

use crate::analysis::Answer;
use crate::plain;
use crate::sections::list;
use crate::step::Step;
use crate::text::sentences;
use crate::text::words::{find_run, subjects};

/// A line of a document, with where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub text: String,
    pub source: String,
}

/// An answer, in lines of the user's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub asked: String,
    /// It answers a numbered question: one that asks for one thing.
    pub is_numbered: bool,
    pub lines: Vec<String>,
    pub by: String,
}

/// What a step came to, before it is given the form of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Draft {
    pub entries: Vec<Entry>,
    /// Lines of the draft that the user confirmed (AC-NFR-006-03).
    pub confirmed: Vec<Line>,
    /// The answers drawn together by a model, and by which.
    pub sums: Vec<String>,
    pub sums_by: String,
    /// What was said at the menu.
    pub feedback: Vec<Entry>,
    /// Questions without an answer.
    pub open: Vec<String>,
    /// The entries of the answer to the first prompt, or the lines confirmed in its place.
    pub first: Vec<String>,
}

impl Draft {
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
            && self.confirmed.is_empty()
            && self.feedback.is_empty()
            && self.open.is_empty()
    }

    /// Adds what another one holds.
    pub fn add(&mut self, other: &Draft) {
        self.entries.extend(other.entries.iter().cloned());
        self.confirmed.extend(other.confirmed.iter().cloned());
        self.feedback.extend(other.feedback.iter().cloned());
        self.open.extend(other.open.iter().cloned());
    }

    /// Everything that was said, a message or line an entry.
    pub fn said(&self) -> impl Iterator<Item = &str> {
        let entries = self.entries.iter().chain(&self.feedback);
        entries.flat_map(|entry| entry.lines.iter().map(String::as_str))
    }
}

/// What the answers come to.
pub fn draft(answers: &[Answer], feedback: &[(String, String)], drafted: &[Line]) -> Draft {
    let mut draft = Draft::default();
    for (at, answer) in answers.iter().enumerate() {
        let asked = asked(answer);
        match &answer.said {
            Some((_, text)) if answer.question.is_none() && confirms(text) && !drafted.is_empty() => {
                draft.confirmed = drafted.to_vec();
                if at == 0 {
                    draft.first = drafted.iter().map(|line| line.text.clone()).collect();
                }
            }
            Some((by, text)) if !is_unknown(text) => {
                let lines = lines(text);
                if at == 0 {
                    draft.first = items(text);
                }
                let is_numbered = answer.question.is_some();
                draft.entries.push(Entry { asked, is_numbered, lines, by: by.clone() });
            }
            _ => draft.open.push(asked),
        }
    }
    for (by, text) in feedback {
        let (asked, lines) = (String::new(), lines(text));
        draft.feedback.push(Entry { asked, is_numbered: false, lines, by: by.clone() });
    }
    draft
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

/// Whether a message says no more than that the draft is right.
pub fn confirms(text: &str) -> bool {
    let text = text.trim().trim_end_matches(['.', '!']).to_lowercase().replace(',', "");
    matches!(
        text.as_str(),
        "yes"
            | "y"
            | "ok"
            | "okay"
            | "right"
            | "correct"
            | "confirmed"
            | "agreed"
            | "fine"
            | "sounds right"
            | "sounds good"
            | "looks good"
            | "looks right"
            | "that's right"
            | "that is right"
            | "yes sounds right"
            | "yes that's right"
            | "yes correct"
            | "nothing to change"
    )
}

/// Whether a message says that the answer is not known.
fn is_unknown(text: &str) -> bool {
    let text = text.trim().trim_end_matches(['.', '!']).to_lowercase().replace('’', "'");
    matches!(
        text.as_str(),
        "" | "?"
            | "-"
            | "n/a"
            | "tbd"
            | "unknown"
            | "skip"
            | "pass"
            | "open"
            | "no idea"
            | "not sure"
            | "i don't know"
            | "don't know"
            | "we don't know"
    )
}

/// The lines or list items of an answer.
fn lines(text: &str) -> Vec<String> {
    let text = plain::clean(text);
    text.lines().map(|line| without_marker(line).to_owned()).filter(|line| !line.is_empty()).collect()
}

/// The entries of an answer that lists things: its lines or list items, what semicolons part, or the
/// whole.
pub fn items(text: &str) -> Vec<String> {
    let lines = lines(text);
    if lines.len() > 1 {
        return lines;
    }
    let whole = lines.into_iter().next().unwrap_or_default();
    let parts: Vec<String> = whole
        .split(';')
        .map(|part| without_marker(part).to_owned())
        .filter(|part| !part.is_empty())
        .collect();
    if parts.len() > 1 { parts } else { vec![whole] }
}

/// A line without the marker of a list.
fn without_marker(line: &str) -> &str {
    let line = line.trim();
    let bare =
        line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")).or_else(|| line.strip_prefix("• "));
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = (number.len() < line.len())
        .then(|| number.strip_prefix(". ").or_else(|| number.strip_prefix(") ")))
        .flatten();
    bare.or(numbered).unwrap_or(line).trim()
}

/// A document with what we wrote ourselves blanked, line by line, and the answers in it left: our
/// questions, counts and quotations are nobody's word, and no evidence of anything.
pub fn statements(text: &str) -> String {
    let (mut is_ours, mut is_answer) = (false, false);
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let bare = line.trim_end();
        if bare.starts_with('#') {
            is_ours = false;
        } else if bare.starts_with("<!-- Analysis: step ") {
            (is_ours, is_answer) = (true, false);
        } else if bare.starts_with("<!-- Elaboration: step ") {
            is_ours = false;
        }
        let is_label =
            bare.starts_with("**") && bare.ends_with("**") || bare.ends_with(':') && !bare.starts_with("- ");
        if is_ours && is_label {
            is_answer = !bare.starts_with(super::OPEN) && !bare.starts_with("Confirmed as it stands");
        }
        let has_id = bare.starts_with("- **FR-") || bare.starts_with("- **NFR-");
        let stays = !is_ours || has_id || is_answer && !is_label && !bare.contains(", asked by ");
        if stays {
            out.push_str(bare);
        }
        out.push_str(&line[bare.len()..]);
    }
    out
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
    let mut said: Vec<String> = draft.said().flat_map(subjects).collect();
    said.extend(draft.entries.iter().flat_map(|entry| subjects(&entry.asked)));
    said.extend(draft.confirmed.iter().flat_map(|line| subjects(&line.text)));
    let touched = |criterion: &&String| {
        let asked = subjects(criterion);
        let found = asked.iter().filter(|word| find_run(&said, std::slice::from_ref(word)).is_some());
        !asked.is_empty() && found.count() * 3 < asked.len()
    };
    step.validation.iter().filter(touched).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(question: Option<usize>, asked: &str, said: Option<&str>) -> Answer {
        let said = said.map(|text| ("Sam".to_owned(), text.to_owned()));
        Answer { question, asked: asked.into(), said }
    }

    #[test]
    fn answers_stay_in_their_own_words_and_what_is_missing_is_open() {
        let answers = [
            answer(Some(1), "Who?", Some("- readers\n- librarians")),
            answer(Some(2), "Why?", None),
            answer(Some(3), "When?", Some("I don't know.")),
        ];
        let found = draft(&answers, &[("Kim".into(), "Add the branch managers".into())], &[]);
        assert_eq!(found.entries.len(), 1);
        assert_eq!(
            (found.first.clone(), found.open),
            (
                vec!["readers".to_owned(), "librarians".to_owned()],
                vec!["Why?".to_owned(), "When?".to_owned()]
            )
        );
        assert_eq!(found.feedback[0].by, "Kim");
    }

    #[test]
    fn a_draft_is_confirmed_only_when_there_is_one() {
        let asked = "My draft names the problem. What have I misread?";
        let line = Line { text: "Fees are wrong".into(), source: "a.md line 3".into() };
        let found = draft(&[answer(None, asked, Some("Sounds right."))], &[], std::slice::from_ref(&line));
        assert_eq!(
            (found.confirmed.len(), found.first, found.open.len()),
            (1, vec!["Fees are wrong".to_owned()], 0)
        );
        let found = draft(&[answer(None, asked, None)], &[], &[line]);
        assert_eq!(found.open, ["What have I misread?"]);
        let found = draft(&[answer(None, asked, Some("yes"))], &[], &[]);
        assert_eq!(found.entries[0].lines, ["yes"]);
    }

    #[test]
    fn of_what_we_wrote_only_answers_are_statements() {
        let text = "# T\n\nTheirs.\n\n<!-- Analysis: step 01-01, x -->\n\n- **FR-001**: Kept\n- **Scope**: small\n\n**Why?**\nAn answer\n\n**Who?**\n\n- one\n\nConfirmed as it stands:\n\n- Quoted (a.md line 3)\n\nAdded at the menu:\n\n- a remark\n\nOpen after step 01-01:\n\n- What?\n\n*Sam, asked by Maya Chen (Business Analyst)*\n\n## Next\n\nTheirs too.\n";
        let found = statements(text);
        assert_eq!(found.lines().count(), text.lines().count());
        let kept: Vec<&str> = found.lines().filter(|line| !line.is_empty()).collect();
        assert_eq!(
            kept,
            [
                "# T",
                "Theirs.",
                "- **FR-001**: Kept",
                "An answer",
                "- one",
                "- a remark",
                "## Next",
                "Theirs too."
            ]
        );
    }

    #[test]
    fn an_answer_is_parted_at_lines_list_items_and_semicolons() {
        assert_eq!(items("1. one\n2) two\n* three\n"), ["one", "two", "three"]);
        assert_eq!(items("one; two ;three;"), ["one", "two", "three"]);
        assert_eq!(items("One thing, and another. Both."), ["One thing, and another. Both."]);
        assert_eq!(items("10 minutes"), ["10 minutes"]);
    }

    #[test]
    fn the_parts_that_a_step_names_are_found() {
        let library = crate::library::Library::built_in().unwrap();
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
