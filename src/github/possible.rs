//! Lines of our comment with a box: possible decisions, the options of cards, and what personas proposed. Somebody with
//! the right to write ticks one, and the next run hears it as a decision of theirs, or as their consent.
//!
//! Each line carries what it stands for in an HTML comment, because the visible words are escaped. Who ticked a
//! line is told by the history of the comment's edits: the editor of the first version since which it is ticked.
//!
//! ```
//! use roundtable::github::possible::Listed;
//!
//! let listed = Listed::said("01-03", "sam", "I'd go with SQLite.");
//! let line = format!("- [x] I'd go with SQLite. {}", listed.anchor());
//! assert_eq!(Listed::all(&line), [(true, listed)]);
//! ```

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use super::hub::Edit;
use super::trigger::Person;
use crate::text::plain;
use crate::text::time::Time;

/// How the hidden part of a line begins.
const BEGIN: &str = "<!-- possible:";
/// Lines that are read of a comment at most.
const MAX_LINES: usize = 200;

/// A line with a box in a comment of ours.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Listed {
    pub step: String,
    /// Who said it; empty for an option of a card.
    pub by: String,
    pub text: String,
    /// The question that it answers, where it is an option of a card.
    pub question: Option<String>,
    /// A proposal that a document has: its text is the id, then its words.
    pub is_proposal: bool,
}

/// A line that somebody has ticked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tick {
    pub listed: Listed,
    pub by: Person,
}

impl Listed {
    /// Something that a user said and that may be a decision.
    pub fn said(step: &str, by: &str, text: &str) -> Listed {
        let (step, by, text) = (step.to_owned(), by.to_owned(), text.to_owned());
        Listed { step, by, text, question: None, is_proposal: false }
    }

    /// An option of a card.
    pub fn option(step: &str, question: &str, text: &str) -> Listed {
        Listed { question: Some(question.to_owned()), ..Listed::said(step, "", text) }
    }

    /// What a persona proposed, and nobody has accepted.
    pub fn proposal(step: &str, id: &str, words: &str) -> Listed {
        Listed { is_proposal: true, ..Listed::said(step, "", &format!("{id}: {words}")) }
    }

    /// The hidden part of its line.
    pub fn anchor(&self) -> String {
        let mut value = vec![json!(self.step), json!(self.by), json!(self.text)];
        value.extend(self.question.iter().map(|question| json!(question)));
        if self.is_proposal {
            value.extend([Value::Null, json!(true)]);
        }
        format!("{BEGIN}{} -->", URL_SAFE_NO_PAD.encode(json!(value).to_string()))
    }

    /// Every line of a comment that lists one, and whether it is ticked.
    pub fn all(body: &str) -> Vec<(bool, Listed)> {
        body.lines().filter_map(Listed::of).take(MAX_LINES).collect()
    }

    fn of(line: &str) -> Option<(bool, Listed)> {
        let (is_ticked, rest) = match line.strip_prefix("- [ ] ") {
            Some(rest) => (false, rest),
            None => (true, line.strip_prefix("- [x] ").or_else(|| line.strip_prefix("- [X] "))?),
        };
        let (_, anchor) = rest.rsplit_once(BEGIN)?;
        let bytes = URL_SAFE_NO_PAD.decode(anchor.trim_end().strip_suffix(" -->")?).ok()?;
        let value: Value = serde_json::from_slice(&bytes).ok()?;
        let part = |at: usize| Some(plain::one_line(&plain::clean(value.get(at)?.as_str()?)));
        let (step, by, text) = (part(0)?, part(1)?, part(2)?);
        let is_whole = crate::item::step::is_step_id(&step) && !text.is_empty();
        let is_proposal = value.get(4) == Some(&json!(true));
        is_whole.then_some((is_ticked, Listed { step, by, text, question: part(3), is_proposal }))
    }

    /// What the user says who ticks it.
    pub fn decision(&self) -> String {
        match &self.question {
            Some(question) => answers_text(&[(question, &self.text)]),
            None if self.is_proposal => {
                format!("Accepted: {}", self.text.split(':').next().unwrap_or_default())
            }
            None => format!("Decision: {}", self.text),
        }
    }
}

/// Answers to questions as a message that decides them: each is one line below the label, whatever its sentences are.
pub fn answers_text(answers: &[(&str, &str)]) -> String {
    let line = |(question, answer): &(&str, &str)| format!("{}{answer}", answered(question));
    format!("Decision:\n{}", answers.iter().map(line).collect::<String>())
}

/// Whether a message of this form answers a question.
pub fn decides(message: &str, question: &str) -> bool {
    message.contains(&answered(question))
}

/// The beginning of a line that answers a question. What opens hidden or struck-out text would take the answer with it.
fn answered(question: &str) -> String {
    let escaped = question.chars().flat_map(|c| "<[~`\\&".contains(c).then_some('\\').into_iter().chain([c]));
    format!("\n- {} → ", escaped.collect::<String>())
}

/// The ticked lines of a comment, each with who ticked it by then; none where the history does not tell.
pub fn ticks(body: &str, edits: &[Edit], until: Option<Time>) -> Vec<(Listed, Option<Person>)> {
    let edits: Vec<&Edit> = edits.iter().filter(|edit| until.is_none_or(|until| edit.at <= until)).collect();
    // The comment as it was then; without a history, as it is.
    let then = edits.last().and_then(|edit| edit.text.as_deref()).unwrap_or(body);
    let ticked = Listed::all(then).into_iter().filter(|(is_ticked, _)| *is_ticked);
    let who = |listed: &Listed| {
        let holds = |edit: &&&Edit| {
            edit.text.as_deref().is_some_and(|text| Listed::all(text).contains(&(true, listed.clone())))
        };
        let first = edits.iter().rev().take_while(holds).last()?;
        first.by.clone().filter(|editor| !editor.is_bot)
    };
    ticked.map(|(_, listed)| (listed.clone(), who(&listed))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_version_that_is_ticked_says_who() {
        let listed = Listed::said("01-03", "kim", "I'd keep it -->.");
        let line = |tick: char| format!("<!-- marker -->\n- [{tick}] text {}", listed.anchor());
        let person = |login: &str| Some(Person { id: 1, login: login.into(), is_bot: login.ends_with(']') });
        let edit = |minute: u32, login: &str, tick: char| Edit {
            at: Time::parse(&format!("2026-11-20T10:{minute:02}:00Z")).unwrap(),
            by: person(login),
            text: Some(line(tick)),
        };
        let edits = [
            edit(1, "x[bot]", ' '),
            edit(2, "eve", 'x'),
            edit(3, "eve", ' '),
            edit(4, "kim", 'x'),
            edit(5, "x[bot]", 'x'),
        ];
        assert_eq!(ticks(&line('x'), &edits, None), [(listed.clone(), person("kim"))]);
        assert_eq!(ticks(&line('x'), &edits[..2], None), [(listed.clone(), person("eve"))]);
        assert_eq!(ticks(&line('x'), &edits, Some(edits[2].at)), []);
        assert_eq!(ticks(&line('x'), &edits[4..], None), [(listed.clone(), None)]);
        assert_eq!(ticks(&line('x'), &[], None), [(listed, None)]);
    }

    #[test]
    fn a_tick_of_a_proposal_is_consent_to_its_id() {
        let listed = Listed::proposal("01-03", "FR-012", "Letters are free: always");
        let line = format!("- [x] {} {}", listed.text, listed.anchor());
        assert_eq!(Listed::all(&line), [(true, listed.clone())]);
        assert_eq!(listed.decision(), "Accepted: FR-012");
    }

    #[test]
    fn a_line_without_its_hidden_part_lists_nothing() {
        for line in
            ["- [x] text", "- [x] a <!-- possible:!!! -->", "* [x] a", "- [x] a <!-- possible:W10 -->"]
        {
            assert_eq!(Listed::all(line), [], "{line}");
        }
    }
}
