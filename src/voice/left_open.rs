//! What stayed open: lines of the documents that leave something open, and questions of the personas that nobody
//! has taken up.

use super::evidence::{Line, LineKind, snippet};
use super::naming::telling;
use super::offline::{CHOICE, Candidate, Speaker, places_in};
use super::wording;
use crate::discussion::event::{Contribution, Event, Purpose};
use crate::discussion::extract;
use crate::discussion::words::words;
use crate::persona::Persona;
use crate::plain;

/// A question that a persona asked and nobody has taken up.
pub(super) struct OpenQuestion<'a> {
    pub by: &'a str,
    pub turn: u32,
    pub line: &'a Line,
    pub asked: String,
}

impl Speaker<'_> {
    /// What the documents themselves leave open, and nobody has spoken of.
    pub(super) fn open_lines(&self) -> Vec<Candidate> {
        let lines = self.evidence.lines.iter().enumerate();
        let lines = lines.filter(|(at, line)| is_open(line) && !self.heard.is_closed(*at));
        let new = lines
            .map(|(_, line)| line)
            .filter(|line| !self.has_said(snippet(&line.text, 60).trim_matches('…')))
            .take(CHOICE);
        let say =
            |line: &Line| wording::stands_open(self.speech, &wording::place(line), &snippet(&line.text, 90));
        new.flat_map(say).map(Candidate::Written).collect()
    }

    pub(super) fn whose(&self, open: &OpenQuestion<'_>) -> String {
        if open.by == self.persona.key {
            return "my".to_owned();
        }
        let name = self.talk.library().cast.get(open.by).map_or(open.by, Persona::first_name);
        format!("{name}'s")
    }

    /// Questions of the personas that no message of the user's has taken up, asked before a turn.
    pub(super) fn questions_before(&self, turn: u32) -> Vec<OpenQuestion<'_>> {
        let mut found: Vec<OpenQuestion<'_>> = Vec::new();
        // What a colleague asks of a decision is asked of everybody.
        let mut decided = false;
        for (at, record) in self.talk.log().iter().enumerate() {
            match &record.event {
                Event::Contribution(said)
                    if said.turn < turn && said.purpose != Purpose::Framing && !decided =>
                {
                    found.extend(self.asked_by(said));
                }
                Event::Silence {} => decided = false,
                Event::User(message) if message.turn.is_some_and(|at| at < turn) => {
                    decided = self.heard.decides(at);
                    let said = telling(&message.text);
                    let about =
                        |line: &Line| said.iter().filter(|word| line.stems.contains(word)).count() >= 2;
                    found.retain(|open| !about(open.line));
                }
                _ => {}
            }
        }
        found
    }

    /// What a contribution asks at its end, of a line that it points at.
    fn asked_by<'t>(&'t self, said: &'t Contribution) -> Option<OpenQuestion<'t>> {
        let ends = ['?', '？'];
        said.text.contains(ends).then_some(())?;
        let asked = extract::sentences(&said.text).pop().filter(|last| last.ends_with(ends))?;
        // What the user was asked of their own words does not come back.
        (!words(&asked).iter().any(|word| word.text == "you")).then_some(())?;
        let places = places_in(&said.text);
        let line = places.into_iter().find_map(|place| self.evidence.line_at(place.trim_end()))?;
        Some(OpenQuestion { by: &said.by, turn: said.turn, line, asked })
    }

    /// Back to the first question that stayed open, which nobody has come back to yet.
    pub(super) fn open_again(&self) -> Vec<Candidate> {
        let open = self.questions_before(self.talk.turn_count() + 1);
        let mut found = Vec::new();
        for open in &open {
            let whose = self.whose(open);
            if self.has_said(&format!("question from turn {}", open.turn)) {
                continue;
            }
            let name = (open.by != self.persona.key).then(|| whose.trim_end_matches("'s").to_owned());
            let at = wording::place(open.line);
            let what = format!(
                "\"{}\" on \"{}\" ({at})",
                plain::cut(&open.asked, 120),
                snippet(&open.line.text, 70)
            );
            let ways = wording::left_open(self.speech, name.as_deref(), open.turn, &what);
            found.extend(ways.into_iter().map(Candidate::Written));
        }
        found.truncate(CHOICE);
        found
    }
}

/// How a line begins that nobody has settled, and what it says then.
const UNSETTLED: [&str; 13] = [
    "it is not clear",
    "it is open ",
    "it is unclear",
    "nobody has decided",
    "open question",
    "open:",
    "still open",
    "to be agreed",
    "to be clarified",
    "to be confirmed",
    "to be decided",
    "to be defined",
    "unclear",
];

/// How it ends then.
const ENDS_OPEN: [&str; 7] = [
    " are open",
    " are unclear",
    " is open",
    " is still open",
    " is unclear",
    " is undecided",
    " remains open",
];

/// What documents call a matter that nobody has settled.
const SET_ASIDE: [&str; 8] = [
    "not agreed",
    "not decided",
    "not looked at",
    "not settled",
    "to be clarified",
    "to be decided",
    "to be settled",
    "undecided",
];

/// Whether a line of a document says that something is open.
pub(super) fn is_open(line: &Line) -> bool {
    let open = ["tbd", "tbc", "todo"];
    let headed =
        line.section_stems.iter().any(|stem| matches!(stem.as_str(), "open" | "question" | "undecided"));
    let asks = line.text.ends_with('?') || line.words.iter().any(|word| open.contains(&word.as_str()));
    let says = |text: &str| {
        let lower = text.to_lowercase();
        SET_ASIDE.iter().any(|says| lower.contains(says))
    };
    let begins = || {
        let lower = line.text.to_lowercase();
        UNSETTLED.iter().any(|begin| lower.starts_with(begin))
            || ENDS_OPEN.iter().any(|end| lower.trim_end_matches('.').ends_with(end))
    };
    let set_aside = || says(&line.section) || line.text.contains(" not ") && says(&line.text) || begins();
    matches!(line.kind, LineKind::Prose | LineKind::Row)
        && (line.stems.len() >= 4 && (asks || headed && line.text.contains('?')) || set_aside())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::voice::evidence::Evidence;

    #[test]
    fn a_line_is_open_by_its_words_or_its_section() {
        let text = "# T\n\nThe gate is open at six in the morning.\n\nHow long that takes is not agreed.\n\n## Not looked at yet\n\n- The old boats\n\n## Open points\n\n- Who paints the old boats?\n- A boat is painted in May\n";
        let evidence = Evidence::new([("spec.md", text)], &[]);
        let open: Vec<usize> =
            evidence.lines.iter().filter(|line| is_open(line)).map(|line| line.number).collect();
        assert_eq!(open, [5, 9, 13]);
    }
}
