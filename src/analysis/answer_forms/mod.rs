//! The documented forms: what of an answer is a requirement, a story, an error, a risk (docs/analysis.md).
//! One form a line, or a table with a form's columns. Everything else is a note, word for word: nothing is
//! read out of ordinary sentences, because a wrong fact in a document that only grows is worse than none.
//!
//! Every text of a [`Fact`] is a part of what was said, letter by letter.
//!
//! ```
//! use roundtable::analysis::answer_forms::{Label, read};
//!
//! let said = read("NFR: the sum is shown | target: 2 seconds\nThat matters at noon.", &[]);
//! assert_eq!(said.facts[0].label, Label::Quality);
//! assert_eq!(said.facts[0].field("target"), "2 seconds");
//! assert_eq!(said.notes, ["That matters at noon."]);
//! ```

mod line;
mod story;
mod table;

use std::collections::BTreeMap;

use self::line::FormLine;
pub use self::line::{asked_by, without_marker};
use crate::text::plain;

/// The MoSCoW classes, as the traceability matrix writes them.
pub const CLASSES: [&str; 4] = ["Must Have", "Should Have", "Could Have", "Won't Have"];

/// Which form a fact has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Label {
    /// `FR: …`; criteria and links below it.
    Requirement,
    /// `NFR: … | target: … | measure: … | conditions: …`
    Quality,
    /// `As a …, I want …, so that …`; criteria and links below it.
    Story,
    /// `FR-001: Given … when … then …`: a criterion of what has the id.
    Criterion,
    /// `Must: FR-001, FR-002 | why: …`; one of [`CLASSES`].
    Priority(usize),
    /// `MODULE name: …`
    Module,
    /// `OP name(input) -> output | errors: … | limits: … | idempotent: …`
    Operation,
    /// `ERROR CODE: … | action: …`
    Error,
    /// `RISK: … | likelihood: … | impact: … | owner: … | answer: …`
    Risk,
    /// `FLOW: a -> b: data`
    Flow,
    /// `TERM: word = meaning`
    Term,
    /// `Option A: …`; says nothing itself, and lets a question that asks which option be answered by it.
    Decision,
}

/// What was said in one of the forms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    pub label: Label,
    /// The id that it was given by who said it.
    pub id: Option<String>,
    /// What the form is about: the requirement, the module's or the operation's name, the error's code.
    pub text: String,
    /// The form's fields by their names, those that were filled in.
    pub fields: BTreeMap<&'static str, String>,
    pub criteria: Vec<String>,
    /// The ids that it names: of a story the requirements it serves, of a priority those that have it.
    pub links: Vec<String>,
    /// The lines it was said in.
    pub said: String,
}

impl Fact {
    fn new(label: Label, text: &str) -> Fact {
        Fact {
            label,
            id: None,
            text: text.trim().to_owned(),
            fields: BTreeMap::new(),
            criteria: Vec::new(),
            links: Vec::new(),
            said: String::new(),
        }
    }

    /// A field's text; empty where it was not filled in.
    pub fn field(&self, name: &str) -> &str {
        self.fields.get(name).map_or("", String::as_str)
    }

    fn add_said<'t>(&mut self, lines: impl IntoIterator<Item = &'t &'t str>) {
        for line in lines {
            let end = if self.said.is_empty() { "" } else { "\n" };
            self.said = format!("{}{end}{}", self.said, without_marker(line));
        }
    }

    const fn takes_criteria(&self) -> bool {
        matches!(self.label, Label::Requirement | Label::Quality | Label::Story)
    }

    /// The stations of a flow and the data of its last arrow.
    pub fn stations(&self) -> Vec<&str> {
        self.text.split("->").map(str::trim).collect()
    }
}

/// An answer: what of it has a form, and the lines of the rest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    pub facts: Vec<Fact>,
    /// Every other line, without the marker of a list.
    pub notes: Vec<String>,
    /// Lines that begin like a form and are none, and why: they are notes.
    pub problems: Vec<String>,
}

/// Reads an answer. `asked` are the forms that its question asks for: there an item of a list needs no
/// label.
pub fn read(text: &str, asked: &[Label]) -> Said {
    let text = plain::clean(text);
    let typed: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let lines: Vec<&str> = typed.iter().map(|line| line.trim()).collect();
    let mut said = Said::default();
    // A note goes on in the indented lines below it.
    let mut is_note = false;
    // What the next criterion or link belongs to.
    let mut open: Option<usize> = None;
    let mut at = 0;
    while at < lines.len() {
        let goes_on = std::mem::take(&mut is_note) && typed[at].starts_with("  ");
        if let Some((facts, taken)) = table::read(&lines[at..]) {
            said.add_rows(facts, &lines[at..at + taken]);
            (open, at) = (None, at + taken);
            continue;
        }
        if let Some((criterion, taken)) = story::criterion(&lines[at..]) {
            said.add_criterion(criterion, open, &lines[at..at + taken]);
            at += taken;
            continue;
        }
        if let Some((mut fact, taken)) = story::story(&lines[at..]) {
            fact.add_said(&lines[at..at + taken]);
            open = Some(said.facts.len());
            said.facts.push(fact);
            at += taken;
            continue;
        }
        match line::read(lines[at], asked) {
            FormLine::Links(ids) if open.is_some_and(|owner| said.facts[owner].label == Label::Story) => {
                if let Some(fact) = open.and_then(|owner| said.facts.get_mut(owner)) {
                    fact.links.extend(ids);
                    fact.add_said(&lines[at..=at]);
                }
            }
            FormLine::Facts(mut facts) => {
                facts.iter_mut().for_each(|fact| fact.add_said(&lines[at..=at]));
                let first = said.facts.len();
                said.facts.extend(facts);
                let last = said.facts.len() - 1;
                open = (last == first && said.facts[last].takes_criteria()).then_some(last);
            }
            FormLine::Problem(why) => {
                said.problems.push(why);
                said.notes.extend(own_lines(&lines[at..=at]));
                open = None;
            }
            FormLine::Links(_) | FormLine::Note => {
                match said.notes.last_mut().filter(|_| goes_on) {
                    Some(note) => *note = format!("{note} {}", lines[at]),
                    None => said.notes.extend(own_lines(&lines[at..=at])),
                }
                (open, is_note) = (None, true);
            }
        }
        at += 1;
    }
    said
}

impl Said {
    /// The facts of a table's rows, each said in its header and its row.
    fn add_rows(&mut self, rows: Vec<Vec<Fact>>, lines: &[&str]) {
        let (header, below) = lines.split_at(2);
        for (row, facts) in below.iter().zip(rows) {
            for mut fact in facts {
                fact.add_said(header.iter().chain([row]));
                self.facts.push(fact);
            }
        }
    }

    /// A criterion goes to the id that it names, else to the fact above it; without either it is a note.
    fn add_criterion(&mut self, criterion: story::Criterion, above: Option<usize>, lines: &[&str]) {
        match (criterion.owner, above) {
            (Some(id), _) => {
                let mut fact = Fact { id: Some(id), ..Fact::new(Label::Criterion, &criterion.text) };
                fact.add_said(lines);
                self.facts.push(fact);
            }
            (None, Some(owner)) => {
                self.facts[owner].criteria.push(criterion.text);
                self.facts[owner].add_said(lines);
            }
            (None, None) => self.notes.extend(own_lines(lines)),
        }
    }
}

fn own_lines<'t>(lines: &'t [&'t str]) -> impl Iterator<Item = String> + 't {
    lines.iter().map(|line| without_marker(line).to_owned()).filter(|line| !line.is_empty())
}

/// The ids of requirements and quality goals in a text that is nothing but a list of them; else none.
fn id_list(text: &str) -> Option<Vec<String>> {
    let parts = text.split([',', ' ']).map(str::trim).filter(|part| !part.is_empty() && *part != "and");
    let ids: Option<Vec<String>> = parts.map(|part| is_id(part).then(|| part.to_owned())).collect();
    ids.filter(|ids| !ids.is_empty())
}

/// `FR-001`, `NFR-012`.
pub fn is_id(text: &str) -> bool {
    let digits = text.strip_prefix("NFR-").or_else(|| text.strip_prefix("FR-")).unwrap_or_default();
    (3..=6).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a message says no more than that it was read: it writes nothing.
pub fn acknowledges(text: &str) -> bool {
    const WORDS: [&str; 23] = [
        "yes",
        "y",
        "yep",
        "yeah",
        "ok",
        "okay",
        "right",
        "correct",
        "confirmed",
        "agreed",
        "approved",
        "fine",
        "good",
        "great",
        "thanks",
        "sounds right",
        "sounds good",
        "looks good",
        "looks right",
        "that's right",
        "that is right",
        "got it",
        "sure",
    ];
    let text = bare(text);
    let rest = ["yes ", "ok ", "okay "].iter().find_map(|lead| text.strip_prefix(lead)).unwrap_or(&text);
    WORDS.contains(&text.as_str()) || WORDS.contains(&rest) || adds_nothing(&text)
}

/// Whether a message takes over what was drafted: a yes, and no thanks or "nothing to add".
pub fn confirms(text: &str) -> bool {
    const READ: [&str; 3] = ["thanks", "got it", "sure"];
    acknowledges(text) && !adds_nothing(text) && !READ.contains(&bare(text).as_str())
}

/// Whether a message says that there is nothing to say: it writes nothing, and its question is settled.
pub fn adds_nothing(text: &str) -> bool {
    let text = bare(text);
    let text = ["no ", "yes ", "ok "].iter().find_map(|lead| text.strip_prefix(lead)).unwrap_or(&text);
    matches!(
        text,
        "nothing to add"
            | "nothing to change"
            | "nothing more"
            | "nothing else"
            | "no changes"
            | "no change"
            | "that's all"
            | "that is all"
            | "that's it"
            | "i have nothing to add"
    )
}

/// Whether a message says that the answer is not known: its question stays open.
pub fn is_unknown(text: &str) -> bool {
    matches!(
        bare(text).as_str(),
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

/// The questions of a text that ends with one: a question is no answer.
pub fn questions(text: &str) -> Vec<String> {
    let text = plain::one_line(&plain::clean(text));
    let found =
        crate::text::sentences::sentences(&text).into_iter().filter(|sentence| sentence.ends_with('?'));
    if text.ends_with('?') {
        found.map(|found| without_marker(found).to_owned()).collect()
    } else {
        Vec::new()
    }
}

/// The option that an answer to "which option?" chooses, and the reason it gives: `Option B because …`.
pub fn choice(line: &str) -> Option<(String, Option<String>)> {
    let line = line.trim();
    let lower = line.to_ascii_lowercase();
    let start =
        ["we choose ", "we take ", "we pick ", ""].iter().find(|lead| lower.starts_with(**lead))?.len();
    let rest = lower[start..].strip_prefix("option ")?;
    let name: usize = rest.chars().take_while(|c| c.is_alphanumeric()).map(char::len_utf8).sum();
    let end = start + "option ".len() + name;
    let after = line.get(end..)?.trim_start_matches([',', '.', ' ']);
    let reason = ["because ", "since "].iter().find_map(|word| {
        after
            .get(..word.len())
            .filter(|lead| lead.eq_ignore_ascii_case(word))
            .map(|_| after[word.len()..].trim())
    });
    (name > 0 && (after.is_empty() || reason.is_some()))
        .then(|| (line[start..end].to_owned(), reason.map(|reason| reason.trim_end_matches('.').to_owned())))
}

fn bare(text: &str) -> String {
    let text = text.trim().trim_end_matches(['.', '!']).to_lowercase();
    text.replace(',', "").replace('’', "'")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, asked: &[Label]) -> String {
        let said = read(text, asked);
        let fact = |fact: &Fact| {
            let fields: Vec<String> =
                fact.fields.iter().map(|(key, value)| format!("{key}={value}")).collect();
            let id = fact.id.as_deref().unwrap_or("-");
            format!(
                "{:?} {id} [{}] {} {:?} {:?}",
                fact.label,
                fact.text,
                fields.join(";"),
                fact.criteria,
                fact.links
            )
        };
        let notes = said.notes.iter().map(|note| format!("note [{note}]"));
        let problems = said.problems.iter().map(|problem| format!("problem {problem}"));
        said.facts.iter().map(fact).chain(notes).chain(problems).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn each_form_is_read_with_its_fields() {
        insta::assert_snapshot!(shown(
            "FR: The system sums all open fees\n\
             - FR-012: A librarian waives a fee\n\
             **FR-013**: Bold is fine\n\
             NFR: the sum is shown | target: 2 seconds | measure: load test | conditions: at noon\n\
             Must: FR-001, NFR-001 | why: pointless without\n\
             Should have: FR-002 and FR-003\n\
             Won't: card payment\n\
             MODULE fee-sum: adds the open fees of a reader\n\
             OP sum(reader: Id) -> Cents | errors: NO_READER, NO_FEE | limits: 1000 a minute\n\
             ERROR NO_READER: the id is unknown | action: ask for the card\n\
             RISK: wrong letters | likelihood: low | impact: high | owner: Kim\n\
             FLOW: lending -> fee-sum -> letter: the open fees\n\
             TERM: waiver = a fee that nobody collects",
            &[]
        ), @r#"
        Requirement - [The system sums all open fees]  [] []
        Requirement FR-012 [A librarian waives a fee]  [] []
        Requirement FR-013 [Bold is fine]  [] []
        Quality - [the sum is shown] conditions=at noon;measure=load test;target=2 seconds [] []
        Priority(0) - [] why=pointless without [] ["FR-001", "NFR-001"]
        Priority(1) - []  [] ["FR-002", "FR-003"]
        Priority(3) - [card payment]  [] []
        Module - [fee-sum] duty=adds the open fees of a reader [] []
        Operation - [sum] errors=NO_READER, NO_FEE;input=reader: Id;limits=1000 a minute;output=Cents [] []
        Error - [NO_READER] action=ask for the card;cause=the id is unknown [] []
        Risk - [wrong letters] impact=high;likelihood=low;owner=Kim [] []
        Flow - [lending -> fee-sum -> letter] data=the open fees [] []
        Term - [waiver] meaning=a fee that nobody collects [] []
        "#);
    }

    #[test]
    fn stories_take_the_criteria_and_links_below_them() {
        insta::assert_snapshot!(shown(
            "As a reader, I want one letter, so that I pay once.\n\
             Given two overdue books, when the job runs, then one letter is sent\n\
             Given a waived fee\nWhen the job runs\nThen the letter leaves it out\n\
             Links: FR-001, FR-002\n\
             US-004: As a librarian\nI want to waive a fee\nso that readers come back\n\
             That is all.\n\
             Given nothing above, when read, then a note\n\
             FR-002: Given a limit, when it is met, then the fee stops",
            &[]
        ), @r#"
        Story - [] as_a=reader;i_want=one letter;so_that=I pay once ["Given two overdue books, when the job runs, then one letter is sent", "Given a waived fee When the job runs Then the letter leaves it out"] ["FR-001", "FR-002"]
        Story US-004 [] as_a=librarian;i_want=to waive a fee;so_that=readers come back [] []
        Criterion FR-002 [Given a limit, when it is met, then the fee stops]  [] []
        note [That is all.]
        note [Given nothing above, when read, then a note]
        "#);
    }

    #[test]
    fn ordinary_sentences_are_notes_in_any_language() {
        for text in [
            "The system must sum all fees within 2 seconds.",
            "FR-001 is a must, FR-002 could wait",
            "As a rule, I want to keep it simple.",
            "Sounds right",
            "Es muss immer mindestens 99 % der Briefe ankommen; FR-003 ist wichtig.",
            "Als Leser möchte ich einen Brief, damit ich einmal zahle.",
            "Module boundaries: nobody knows them",
            "We ship it (probably) -> next month",
            "Option A is too expensive",
            "risks are everywhere",
            "Must we do this at all?",
            "Given the circumstances, we wait.",
        ] {
            for asked in [&[][..], &[Label::Requirement, Label::Decision, Label::Operation]] {
                let said = read(text, asked);
                assert!(said.facts.is_empty(), "{text}: {said:?}");
                assert_eq!(said.notes, [text]);
            }
        }
    }

    #[test]
    fn a_question_that_asks_for_a_form_takes_the_items_of_a_list_without_its_label() {
        let asked = [Label::Requirement];
        assert_eq!(read("- sums all fees\n2. stops at 10 euros\nthat is it", &asked).facts.len(), 2);
        assert_eq!(read("sums all fees", &asked).facts.len(), 0);
        assert_eq!(read("- yes\n- nothing to add\n- ok.", &asked).facts.len(), 0);
        assert_eq!(read("sum(reader) -> Cents", &[Label::Operation]).facts[0].text, "sum");
        assert_eq!(read("NO_FEE: gone | action: show", &[Label::Error]).facts[0].field("action"), "show");
        assert_eq!(
            read("- letter: writes letters", &[Label::Module]).facts[0].field("duty"),
            "writes letters"
        );
        assert_eq!(read("TODO: look at it", &[]).facts.len(), 0);
    }

    #[test]
    fn tables_with_a_forms_columns_are_rows_of_it() {
        insta::assert_snapshot!(shown(
            "| ID | Requirement | Target | Measure |\n|---|---|---|---|\n| NFR-003 | sum | 2 s | log |\n| | letters | 1 h | |\n\
             | Risk | Likelihood | Impact | Owner |\n|--|--|--|--|\n| wrong sum | low | high | Kim |\n\
             | Requirement | Priority |\n|--|--|\n| FR-001 | Must |\n| FR-002 | later |\n\
             | Who | What |\n|--|--|\n| Kim | the format |\n\
             | ID | Requirement | Priority |\n|--|--|--|\n| FR-007 | letters \\| cards | Must |\n\
             | Error | Cause | Action |\n|--|--|--|\n| NO_READER | unknown | ask |\n\
             | From | To | Data |\n|--|--|--|\n| desk | post | letters |",
            &[]
        ), @r#"
        Quality NFR-003 [sum] measure=log;target=2 s [] []
        Quality - [letters] target=1 h [] []
        Risk - [wrong sum] impact=high;likelihood=low;owner=Kim [] []
        Requirement FR-007 [letters | cards]  [] []
        Priority(0) - []  [] ["FR-007"]
        Error - [NO_READER] action=ask;cause=unknown [] []
        Flow - [desk -> post] data=letters [] []
        note [| Requirement | Priority |]
        note [|--|--|]
        note [| FR-001 | Must |]
        note [| FR-002 | later |]
        note [| Who | What |]
        note [|--|--|]
        note [| Kim | the format |]
        "#);
        assert_eq!(
            read("| ID | Priority |\n|--|--|\n| FR-001 | Won't have |", &[]).facts[0].label,
            Label::Priority(3)
        );
    }

    #[test]
    fn a_line_that_is_nearly_a_form_is_a_note_and_says_why() {
        let said = read(
            "NFR: fast | mesure: log\nOP sum: reader -> Cents\nERROR: something\nFR:\nLinks: FR-001",
            &[],
        );
        assert!(said.facts.is_empty(), "{said:?}");
        assert_eq!((said.notes.len(), said.problems.len()), (5, 2), "{said:?}");
        assert!(said.problems[0].contains("mesure") && said.problems[0].contains("measure"), "{said:?}");
    }

    #[test]
    fn acknowledgements_unknowns_and_questions_are_told_apart() {
        for text in [
            "Yes",
            "ok.",
            "Approved.",
            "Sounds right!",
            "Yes, that's right.",
            "nothing to add",
            "No, nothing to add.",
        ] {
            assert!(acknowledges(text), "{text}");
        }
        for text in ["No", "None", "Yes, the readers", "right after noon", ""] {
            assert!(!acknowledges(text), "{text}");
        }
        assert!(adds_nothing("Nothing to add.") && !adds_nothing("Yes"));
        assert!(is_unknown("I don’t know.") && !is_unknown("nobody knows"));
        assert_eq!(questions("We think so. But who pays? And when?"), ["But who pays?", "And when?"]);
        assert!(questions("Who pays? The readers.").is_empty());
        let chosen =
            |text: &str| choice(text).map(|(option, why)| format!("{option}|{}", why.unwrap_or_default()));
        assert_eq!(
            chosen("Option B, because the desk stays fast.").as_deref(),
            Some("Option B|the desk stays fast")
        );
        assert_eq!(chosen("We choose option 2").as_deref(), Some("option 2|"));
        for text in
            ["Option A is too expensive", "Option A, B and C are all bad", "we don't know", "Options because"]
        {
            assert_eq!(chosen(text), None, "{text}");
        }
    }
}
