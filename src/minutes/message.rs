//! What each sentence of a user's message is, by its form and by the label above it.
//!
//! A label gives its role to what is below it. So does a sentence that ends in a colon: "We decided to do the following:"
//! decides what its list says, each item in its words. A sentence that breaks off before a list goes on in it:
//! "Decision: fees are" and "- 5 euros" are one decision.

use std::collections::BTreeSet;

use super::Forms;
use crate::discussion::address::without_vocative;
use crate::text::markdown::{Part, Sentence, VisibleLine, read};
use crate::text::sentence_forms::FormMatch;
use crate::text::words::{unquoted, words};

/// Something that a user said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UserStatement {
    pub text: String,
    pub kind: Kind,
    /// Why, where the sentence says so or the next begins with "Reason".
    pub reason: Option<String>,
    /// A list goes on with it.
    is_continued: bool,
    /// A statement that follows a decision on its line, and is no part of it.
    pub is_left_behind: bool,
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Role {
    #[default]
    Own,
    Decisions,
    Actions,
    Notes,
    Questions,
    /// Why the decision above was made.
    Reasons,
    /// Somebody else's, or only possible.
    Others,
}

/// What a line gives to the lines below it.
#[derive(Clone, Debug, Default)]
struct Label {
    role: Role,
    /// What each of them begins with: "We decided to do the following:", or the id of "Decision FR-002:".
    lead: String,
    owner: Option<String>,
    is_speakers: bool,
    /// What the line itself says, by its place among the entries.
    entry: Option<usize>,
}

/// The sentences of a message that say something, in order.
pub(super) fn entries(text: &str, forms: &Forms, names: &[&str]) -> Vec<UserStatement> {
    let reader = Reader { forms, names };
    let mut labels: Vec<Label> = Vec::new();
    let mut found: Vec<UserStatement> = Vec::new();
    // Leads that are said in the entries below them.
    let mut replaced: BTreeSet<usize> = BTreeSet::new();
    let lines = read(text);
    for (number, line) in lines.iter().enumerate() {
        // "Kim wrote:" is about the quotation below it, and about nothing after that.
        let is_quoted = |lead: usize| lines[lead + 1..number].iter().any(|line| line.part == Part::Quotation);
        let lead = line.lead.filter(|lead| labels[*lead].role != Role::Others || !is_quoted(*lead));
        let above = lead.map_or_else(Label::default, |lead| labels[lead].clone());
        let begun = line.opening.and_then(|opening| labels[opening].entry);
        let before = found.len();
        match begun.filter(|_| reader.is_continuation(line)) {
            Some(begun) => found[begun].go_on(&line.text()),
            None if line.is_said() => reader.read_line(line, &above, &mut found),
            None => {}
        }
        let says_more = found[before..].iter().any(|one| one.kind != Kind::Question);
        replaced.extend(above.entry.filter(|_| says_more && !above.lead.is_empty()));
        let own = found.len().checked_sub(1).filter(|last| *last >= before && found[*last].is_entry());
        labels.push(reader.label_of(line, above.role, own, &found));
    }
    let kept = found.into_iter().enumerate().filter(|(at, _)| !replaced.contains(at));
    kept.map(|(_, entry)| entry).collect()
}

struct Reader<'f> {
    forms: &'f Forms,
    names: &'f [&'f str],
}

impl Reader<'_> {
    /// What is below a line: what the line says as a label, else what the label itself is below.
    fn label_of(
        &self,
        line: &VisibleLine,
        inherited: Role,
        entry: Option<usize>,
        found: &[UserStatement],
    ) -> Label {
        let text = line.text();
        let text = without_vocative(&text, self.names).trim_end_matches([':', '：']).trim_end();
        let text = if line.part == Part::Heading { without_number(text) } else { text };
        if let Some(hit) = self.forms.find("labels", text) {
            let role = role_named(&hit.form.written.form);
            let lead = subject_of(&hit).map(|id| format!("{id}:")).unwrap_or_default();
            return Label { role, lead, ..Label::default() };
        }
        let own = entry.map(|at| &found[at]).filter(|own| own.text.ends_with([':', '：']));
        match own {
            Some(own) => Label { entry, ..own.as_label() },
            None if is_title(line) => Label { role: inherited, entry, ..Label::default() },
            None => Label { entry, ..Label::default() },
        }
    }

    /// The role that a text gives to what is below it.
    fn role_of(&self, text: &str) -> Role {
        let hit = self.forms.find("labels", text.trim_end_matches([':', '：']).trim_end());
        hit.map_or(Role::Own, |hit| role_named(&hit.form.written.form))
    }

    /// Whether a line below one that broke off goes on with it, and says nothing by itself.
    fn is_continuation(&self, line: &VisibleLine) -> bool {
        let text = line.text();
        line.part == Part::Item
            && line.ticked.is_none()
            && !text.ends_with('?')
            && !["decisions", "actions", "notes"].iter().any(|file| self.forms.fits(file, &text))
    }

    fn read_line(&self, line: &VisibleLine, above: &Label, found: &mut Vec<UserStatement>) {
        let text = line.text();
        let called = without_vocative(&text, self.names);
        if let Some(note) = self.forms.find("notes", called).and_then(|hit| hit.part("what")) {
            found.push(UserStatement::new(note, Kind::Note));
            return;
        }
        if is_title(line) && self.role_of(called) == Role::Reasons {
            return;
        }
        // An item with a label of its own is what that says.
        let decides = self.forms.find("decisions", called).is_some_and(|hit| hit.part("label").is_some());
        let is_labelled = decides || self.is_task(called);
        if above.role == Role::Notes && line.part == Part::Item && line.ticked.is_none() && !is_labelled {
            found.push(UserStatement::new(&above.with_lead(&line.text()), Kind::Note));
            return;
        }
        if above.role != Role::Own && !is_title(line) && line.ticked.is_none() {
            match above.role {
                Role::Decisions | Role::Actions => return self.read_listed(line, above, found),
                Role::Questions if line.part == Part::Item && !self.says_none(&text) => {
                    found.push(UserStatement::new(&text, Kind::Question));
                    return;
                }
                Role::Reasons => return add_reason_below(&text, found),
                _ => {}
            }
        }
        let first = found.len();
        let mut sentences = line.sentences.iter().peekable();
        while let Some(sentence) = sentences.next() {
            if self.add_reason(&sentence.text, found) {
                continue;
            }
            let asked = self.labelled_question(&sentence.text);
            let is_answer = |next: &&Sentence| !is_question(&next.text) && !self.says_reason(&next.text);
            if let Some((asked, answer)) =
                asked.and_then(|asked| Some((asked, sentences.next_if(is_answer)?)))
            {
                found.push(self.decision(&format!("{asked} → {}", answer.text)));
                continue;
            }
            match self.question(line, &sentence.text).filter(|_| !self.is_task(&sentence.text)) {
                Some(question) => found.push(question),
                None => self.read_sentence(&sentence.text, line, above.role, found),
            }
        }
        for at in first + 1..found.len() {
            let before = &found[at - 1];
            let follows = before.kind == Kind::Decision || before.is_left_behind;
            found[at].is_left_behind = follows
                && found[at].kind == Kind::Statement
                && !self.forms.fits("acknowledgements", &found[at].text);
        }
    }

    fn read_sentence(&self, said: &str, line: &VisibleLine, role: Role, found: &mut Vec<UserStatement>) {
        let text = without_vocative(said, self.names);
        if text.ends_with('?') && !self.is_task(said) || role == Role::Others || line.ticked.is_some() {
            return;
        }
        // Whom a sentence with a task begins with is no vocative.
        let Some(entry) = self.action(said).or_else(|| self.entry(text)) else { return };
        // What goes on in lower case after its mark is a question all the same: "who pays? not me."
        if entry.kind == Kind::Statement {
            let asked = questions_in(text).into_iter().filter(|one| !self.only_calls(one));
            found.extend(asked.map(|one| UserStatement::new(one, Kind::Question)));
        }
        found.push(entry);
    }

    /// Whether a sentence has the label of a task: what it asks is to be asked by somebody.
    fn is_task(&self, text: &str) -> bool {
        self.labelled_task(without_vocative(text, self.names)).is_some()
    }

    /// The question of "Decision: Who pays? The branch."
    fn labelled_question<'t>(&self, text: &'t str) -> Option<&'t str> {
        let text = without_vocative(text, self.names);
        let hit = self.forms.find("decisions", text).filter(|hit| hit.part("label").is_some())?;
        hit.part("what").filter(|what| is_question(what))
    }

    /// A line below a label: its sentences together, without questions.
    fn read_listed(&self, line: &VisibleLine, above: &Label, found: &mut Vec<UserStatement>) {
        let mut said: Vec<&str> = Vec::new();
        let (mut questions, mut reasons) = (Vec::new(), Vec::new());
        for sentence in &line.sentences {
            match self.question(line, &sentence.text) {
                Some(question) => questions.push(question),
                None if self.says_reason(&sentence.text) => reasons.push(sentence.text.as_str()),
                None => said.push(sentence.text.as_str()),
            }
        }
        let text = said.join(" ");
        if !said.is_empty() && above.role == Role::Decisions {
            let text = without_vocative(&text, self.names);
            if self.labelled_task(text).is_some() {
                found.extend(self.task(text, &Label::default()));
            } else if !self.says_none(text) {
                let hit = self.forms.find("decisions", text);
                let text = hit.map_or_else(|| text.to_owned(), |hit| decided(&hit, text));
                found.push(self.decision(&above.with_lead(&text)));
            }
        } else if !said.is_empty() {
            found.extend(self.task(&text, above));
        }
        for reason in reasons {
            self.add_reason(reason, found);
        }
        found.extend(questions);
    }

    /// A question of the author's own; a heading asks nobody, and a name alone asks nothing.
    fn question(&self, line: &VisibleLine, text: &str) -> Option<UserStatement> {
        let is_asked = is_question(text) && line.part != Part::Heading && !self.only_calls(text);
        let text = without_vocative(text, self.names);
        let labelled =
            text.split_once([':', '：']).filter(|(label, _)| self.role_of(label) == Role::Questions);
        let asked = labelled.map(|(_, asked)| asked.trim()).filter(|asked| !asked.is_empty());
        is_asked.then(|| UserStatement::new(asked.unwrap_or(text), Kind::Question))
    }

    /// Whether a text is names and nothing else.
    fn only_calls(&self, text: &str) -> bool {
        let is_name = |word: &str| self.names.iter().any(|name| name.eq_ignore_ascii_case(word));
        words(text).iter().all(|word| is_name(&word.text) || &*word.text == "and")
    }

    /// What a sentence says, by its form.
    fn entry(&self, text: &str) -> Option<UserStatement> {
        if let Some(hit) = self.forms.find("decisions", text) {
            let what = hit.part("what").unwrap_or(text);
            let bare = what.trim_matches(['(', ')', '"', '“', '”', '\'']);
            let is_none = self.forms.fits("no-decisions", bare) || !has_words(what);
            return (!is_none).then(|| self.decision(&decided(&hit, text)));
        }
        if let Some(what) = self.labelled_task(text) {
            return self.task(what, &Label::default());
        }
        let other = || UserStatement { kind: Kind::Statement, ..self.decision(text) };
        Some(self.action(text).unwrap_or_else(other))
    }

    fn says_none(&self, text: &str) -> bool {
        !has_words(text) || self.forms.fits("no-decisions", text) || self.forms.fits("acknowledgements", text)
    }

    fn decision(&self, text: &str) -> UserStatement {
        let why = self.forms.file("reasons").iter().filter(|form| form.written.form != REASON);
        let reason = why.filter_map(|form| form.find(text)).find_map(|hit| hit.part("why"));
        let reason = reason.map(|why| within_brackets(text, why).to_owned());
        UserStatement { reason, ..UserStatement::new(text, Kind::Decision) }
    }

    /// What somebody takes on: the speaker, who is mentioned, who is known by name, or anybody by a day.
    fn action(&self, text: &str) -> Option<UserStatement> {
        let forms = self.forms.file("actions").iter().filter(|form| form.written.form != TASK);
        let hit = forms
            .filter_map(|form| form.find(text))
            .find(|hit| hit.part("day").is_some() || hit.part("who").is_none_or(|who| self.is_known(who)))?;
        let owner = hit.part("mention").or(hit.part("who")).map(str::to_owned);
        let is_speakers = hit.form.written.form == SPEAKER;
        Some(UserStatement::new(hit.part("what").unwrap_or(text), Kind::Action { owner, is_speakers }))
    }

    /// Whether somebody of this name is at the table or writes.
    fn is_known(&self, who: &str) -> bool {
        let first = who.split(' ').next().unwrap_or_default();
        self.names.iter().any(|name| name.eq_ignore_ascii_case(first))
    }

    /// What comes after a label such as "Action:".
    fn labelled_task<'t>(&self, text: &'t str) -> Option<&'t str> {
        let mut forms = self.forms.file("actions").iter().filter(|form| form.written.form == TASK);
        forms.find_map(|form| form.find(text)?.part("what"))
    }

    /// What a label says is to be done, with who does it; none of "none".
    fn task(&self, text: &str, above: &Label) -> Option<UserStatement> {
        let text = self.labelled_task(text).unwrap_or(text);
        if self.says_none(text) {
            return None;
        }
        if let Some(taken) = self.action(text) {
            return Some(UserStatement { text: above.with_lead(&taken.text), ..taken });
        }
        let hit = self.forms.find("owners", text);
        let hit = hit.filter(|hit| hit.part("called").is_none_or(|called| self.is_known(called)));
        let owner = hit.as_ref().and_then(|hit| hit.part("who").or(hit.part("called")));
        let what = hit.as_ref().and_then(|hit| hit.part("what")).unwrap_or(text);
        let (owner, is_speakers) = match owner {
            Some(owner) => (Some(owner.to_owned()), false),
            None => (above.owner.clone(), above.is_speakers),
        };
        Some(UserStatement::new(&above.with_lead(what), Kind::Action { owner, is_speakers }))
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

/// The role of a label, by the name of its form.
fn role_named(form: &str) -> Role {
    match form {
        "decisions" => Role::Decisions,
        "actions" => Role::Actions,
        "notes" => Role::Notes,
        "questions" => Role::Questions,
        "reasons" => Role::Reasons,
        _ => Role::Others,
    }
}

/// A heading without its number.
fn without_number(text: &str) -> &str {
    let rest = text.trim_start_matches(|sign: char| sign.is_ascii_digit() || matches!(sign, '.' | ')' | ' '));
    if rest.is_empty() { text } else { rest }
}

/// A part of a text, up to the end of the brackets that it begins in.
fn within_brackets<'t>(text: &str, part: &'t str) -> &'t str {
    let before = &text[..text.len().min(part.as_ptr() as usize - text.as_ptr() as usize)];
    let is_inside = before.rfind('(') > before.rfind(')');
    part.find(')').filter(|_| is_inside).map_or(part, |end| &part[..end])
}

/// Gives the last decision a reason that is below a label.
fn add_reason_below(text: &str, found: &mut [UserStatement]) {
    let Some(last) = found.iter_mut().rfind(|one| one.kind == Kind::Decision) else { return };
    let why = text.trim_end_matches(['.', '!']);
    match &mut last.reason {
        Some(reason) => reason.push_str(&format!("; {why}")),
        None => last.reason = Some(why.to_owned()),
    }
}

/// Whether a text is more than punctuation.
fn has_words(text: &str) -> bool {
    !text.chars().all(|c| c.is_whitespace() || c.is_ascii_punctuation())
}

/// The form of a sentence that is a reason as a whole.
const REASON: &str = "reason";
/// The form of an action item that the speaker takes on.
const SPEAKER: &str = "i-will";
/// The form of an action item that only a label tells.
const TASK: &str = "label";

impl Label {
    /// Words with those that the label begins them with.
    fn with_lead(&self, text: &str) -> String {
        if self.lead.is_empty() { text.to_owned() } else { format!("{} {text}", self.lead) }
    }
}

impl UserStatement {
    fn new(text: &str, kind: Kind) -> UserStatement {
        UserStatement {
            text: text.to_owned(),
            kind,
            reason: None,
            is_continued: false,
            is_left_behind: false,
        }
    }

    /// Whether it is listed by itself.
    fn is_entry(&self) -> bool {
        !matches!(self.kind, Kind::Question | Kind::Statement)
    }

    /// Takes an item of the list that goes on with it.
    fn go_on(&mut self, item: &str) {
        let joint = match self.text.ends_with(['.', '!', ':', '：']) {
            true => " ",
            false if self.is_continued => "; ",
            false => ": ",
        };
        self.text.push_str(joint);
        self.text.push_str(item);
        self.is_continued = true;
    }

    /// What it makes of the list below it.
    fn as_label(&self) -> Label {
        let lead = self.text.clone();
        match &self.kind {
            Kind::Decision => Label { role: Role::Decisions, lead, ..Label::default() },
            Kind::Note => Label { role: Role::Notes, lead, ..Label::default() },
            Kind::Action { owner, is_speakers } => Label {
                role: Role::Actions,
                lead,
                owner: owner.clone(),
                is_speakers: *is_speakers,
                entry: None,
            },
            Kind::Question | Kind::Statement => Label::default(),
        }
    }
}

/// The words of a decision without its label, with the id that it is about.
fn decided(hit: &FormMatch<'_, '_>, text: &str) -> String {
    let what = hit.part("what").unwrap_or(text);
    subject_of(hit).map_or_else(|| what.to_owned(), |id| format!("{id}: {what}"))
}

/// The id that a labelled decision is about; one that only numbers decisions, as in "Decision 2" or "Decision D-3", has no
/// letters or those that the label begins with.
fn subject_of<'t>(hit: &FormMatch<'_, 't>) -> Option<&'t str> {
    let (label, id) = (hit.part("label")?, hit.part("id")?);
    let letters = id.trim_end_matches(|found: char| !found.is_alphabetic());
    let letters = letters.split(|found: char| !found.is_alphabetic()).next().unwrap_or_default();
    let begins =
        |word: &str| word.get(..letters.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(letters));
    (!label.split(' ').any(begins)).then_some(id)
}

/// Whether a sentence asks: its last mark is a question mark, which is in no quotation.
fn is_question(text: &str) -> bool {
    let bare = text.trim_end_matches(['!', ' ']);
    let whole = bare.strip_prefix('(').and_then(|bare| bare.strip_suffix(')'));
    whole.unwrap_or(bare).ends_with(['?', '？', '؟'])
}

/// The questions in a sentence that goes on after them.
fn questions_in(text: &str) -> Vec<&str> {
    let bare = unquoted(text);
    let (mut found, mut start) = (Vec::new(), 0);
    for (at, _) in bare.match_indices("? ") {
        if bare[..at].ends_with(char::is_alphanumeric) {
            found.push(text[start..=at].trim());
        }
        start = at + 1;
    }
    found
}

/// Whether a line only names what is below it.
fn is_title(line: &VisibleLine) -> bool {
    let ends = line.sentences.last().is_some_and(|last| last.text.ends_with([':', '：']));
    line.part == Part::Heading || ends || line.is_label && line.part == Part::Paragraph
}
