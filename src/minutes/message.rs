//! What each sentence of a user's message is, by its form and by the label above it.

use super::Forms;
use crate::discussion::address::without_vocative;
use crate::text::markdown::{Part, VisibleLine, read};

/// Something that a user said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UserStatement {
    pub text: String,
    pub kind: Kind,
    /// Why, where the sentence says so or the next begins with "Reason".
    pub reason: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Decision,
    Question,
    Action {
        owner: Option<String>,
        is_speakers: bool,
    },
    Note,
    /// Anything else; it may answer a choice.
    Statement,
}

/// What the label above a line makes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Own,
    Decisions,
    Actions,
    /// Somebody else's, or only possible.
    Others,
}

/// The sentences of a message that say something, in order.
pub(super) fn entries(text: &str, forms: &Forms, names: &[&str]) -> Vec<UserStatement> {
    let lines: Vec<VisibleLine> = read(text);
    let reader = Reader { forms, names };
    let mut roles: Vec<Role> = Vec::with_capacity(lines.len());
    let mut found: Vec<UserStatement> = Vec::new();
    for line in &lines {
        let role = line.lead.map_or(Role::Own, |lead| reader.role_below(&lines[lead], roles[lead]));
        roles.push(role);
        if line.is_said() {
            reader.read_line(line, role, &mut found);
        }
    }
    found
}

struct Reader<'f> {
    forms: &'f Forms,
    names: &'f [&'f str],
}

impl Reader<'_> {
    /// What is below a label: what the label says, else what the label itself is below.
    fn role_below(&self, label: &VisibleLine, inherited: Role) -> Role {
        let text = label.text();
        let text = without_vocative(&text, self.names).trim_end_matches([':', '：']).trim_end();
        match self.forms.find("labels", text).map(|hit| hit.form.written.form.as_str()) {
            Some("decisions") => Role::Decisions,
            Some("actions") => Role::Actions,
            Some(_) => Role::Others,
            None if is_title(label) => inherited,
            None => Role::Own,
        }
    }

    fn read_line(&self, line: &VisibleLine, role: Role, found: &mut Vec<UserStatement>) {
        if let Some(note) = self.forms.find("notes", &line.text()).and_then(|hit| hit.part("what")) {
            found.push(UserStatement::new(note, Kind::Note));
            return;
        }
        let is_listed = matches!(role, Role::Decisions | Role::Actions);
        if is_listed && !is_title(line) && line.ticked.is_none() {
            return self.read_listed(line, role, found);
        }
        for sentence in &line.sentences {
            if self.add_reason(&sentence.text, found) {
                continue;
            }
            let text = without_vocative(&sentence.text, self.names);
            found.extend(self.question(line, &sentence.text).or_else(|| self.entry(text, line, role)));
        }
    }

    /// A line below a label: its sentences together, without questions.
    fn read_listed(&self, line: &VisibleLine, role: Role, found: &mut Vec<UserStatement>) {
        let mut said: Vec<&str> = Vec::new();
        let (mut questions, mut reasons) = (Vec::new(), Vec::new());
        for sentence in &line.sentences {
            match self.question(line, &sentence.text) {
                Some(question) => questions.push(question),
                None if self.says_reason(&sentence.text) => reasons.push(sentence.text.as_str()),
                None => said.push(without_vocative(&sentence.text, self.names)),
            }
        }
        let text = said.join(" ");
        let is_empty = said.is_empty()
            || self.forms.fits("no-decisions", &text)
            || self.forms.fits("acknowledgements", &text);
        if !is_empty && role == Role::Decisions {
            let text = self.forms.find("decisions", &text).and_then(|hit| hit.part("what")).unwrap_or(&text);
            found.push(self.decision(text));
        } else if !is_empty {
            found.push(self.action(&text).unwrap_or_else(|| {
                UserStatement::new(&text, Kind::Action { owner: None, is_speakers: false })
            }));
        }
        for reason in reasons {
            self.add_reason(reason, found);
        }
        found.extend(questions);
    }

    /// A question of the author's own; a heading asks nobody.
    fn question(&self, line: &VisibleLine, text: &str) -> Option<UserStatement> {
        let is_question = text.trim_end_matches(['"', '”', '\'', ')', '!', ' ']).ends_with(['?', '？', '؟']);
        let asked = || UserStatement::new(without_vocative(text, self.names), Kind::Question);
        (is_question && line.part != Part::Heading).then(asked)
    }

    fn entry(&self, text: &str, line: &VisibleLine, role: Role) -> Option<UserStatement> {
        if text.ends_with('?') {
            return None;
        }
        if role == Role::Others || line.ticked.is_some() {
            return None;
        }
        if let Some(hit) = self.forms.find("decisions", text) {
            let what = hit.part("what").unwrap_or(text);
            return (!self.forms.fits("no-decisions", what)).then(|| self.decision(what));
        }
        Some(
            self.action(text)
                .unwrap_or_else(|| UserStatement { kind: Kind::Statement, ..self.decision(text) }),
        )
    }

    fn decision(&self, text: &str) -> UserStatement {
        let why = self.forms.file("reasons").iter().filter(|form| form.written.form != REASON);
        let reason = why.filter_map(|form| form.find(text)).find_map(|hit| hit.part("why"));
        UserStatement { reason: reason.map(str::to_owned), ..UserStatement::new(text, Kind::Decision) }
    }

    fn action(&self, text: &str) -> Option<UserStatement> {
        let hit = self.forms.find("actions", text)?;
        let owner = hit.part("mention").or(hit.part("who")).map(str::to_owned);
        let is_speakers = hit.form.written.form == SPEAKER;
        Some(UserStatement::new(hit.part("what").unwrap_or(text), Kind::Action { owner, is_speakers }))
    }

    fn says_reason(&self, text: &str) -> bool {
        self.forms.file("reasons").iter().any(|form| form.written.form == REASON && form.fits(text))
    }

    /// Gives the decision before it the reason that a sentence says, if it says one.
    fn add_reason(&self, text: &str, found: &mut [UserStatement]) -> bool {
        let forms = self.forms.file("reasons").iter().filter(|form| form.written.form == REASON);
        let why = forms.filter_map(|form| form.find(text)).find_map(|hit| hit.part("why"));
        let last = found.last_mut().filter(|last| last.kind == Kind::Decision && last.reason.is_none());
        let (Some(why), Some(last)) = (why, last) else { return false };
        last.reason = Some(why.to_owned());
        true
    }
}

/// The form of a sentence that is a reason as a whole.
const REASON: &str = "reason";
/// The form of an action item that the speaker takes on.
const SPEAKER: &str = "i-will";

impl UserStatement {
    fn new(text: &str, kind: Kind) -> UserStatement {
        UserStatement { text: text.to_owned(), kind, reason: None }
    }
}

/// Whether a line only names what is below it.
fn is_title(line: &VisibleLine) -> bool {
    let ends = line.sentences.last().is_some_and(|last| last.text.ends_with([':', '：']));
    line.part == Part::Heading || ends
}
