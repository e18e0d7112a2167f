//! What a discussion came to: insights, decisions, open questions, action items, each with the
//! turns it rests on (discussion FR-008).

use serde::{Deserialize, Serialize};

use super::event::Rest;
use crate::discussion::additions::Addition;
use crate::item::persona::Cast;
use crate::text::plain;

/// The key that stands for the user among `by`.
pub const USER: &str = "user";
/// A synthesis summary is at most this many characters long (M-1).
pub const ONE_LINE: usize = 100;

/// The synthesis of a discussion.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Summary {
    pub insights: Vec<Insight>,
    pub decisions: Vec<Decision>,
    pub open_questions: Vec<Question>,
    pub action_items: Vec<Insight>,
    /// What goes to places of its own in the documents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub additions: Vec<Addition>,
    /// The words by which users accepted proposals, where a model named them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accepted: Vec<Acceptance>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub possible_decisions: Vec<Possible>,
    /// What users asked and a model does not list as open: perhaps it was answered. Shown, and in no document.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unlisted_questions: Vec<Question>,
    /// How many entries of a kind go to documents, the first ones; all where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lands: Option<Lands>,
    /// One sentence of at most [`ONE_LINE`] characters.
    pub summary: String,
    /// The voice that summed up, where it is not the discussion's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub voice: Option<String>,
}

/// How many entries of a summary go to documents: the others stay in the recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lands {
    pub open_questions: usize,
    pub additions: usize,
}

/// Something somebody contributed: an insight, or something to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Insight {
    pub text: String,
    /// Persona keys and [`USER`]; only who said it in one of `turns`.
    pub by: Vec<String>,
    pub turns: Vec<u32>,
    /// The passages that it rests on; an action item has none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rests: Vec<Rest>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decision {
    pub text: String,
    /// The reason that was given; empty where there is none.
    pub rationale: String,
    pub turns: Vec<u32>,
    /// Who decided.
    #[serde(default)]
    pub by: String,
    /// The words of the user that say it, as they were written.
    #[serde(default)]
    pub span: String,
    #[serde(default)]
    pub recognised: Recognised,
}

impl Decision {
    /// A decision in a turn: its words without the mark at their end, for a reason follows them.
    pub fn new(
        span: &str,
        reason: Option<&str>,
        by: &str,
        turns: Vec<u32>,
        recognised: Recognised,
    ) -> Decision {
        let span = plain::one_line(span);
        Decision {
            text: without_end(&span).to_owned(),
            rationale: reason.map(plain::one_line).unwrap_or_default(),
            turns,
            by: by.to_owned(),
            span,
            recognised,
        }
    }
}

/// The words of a decision without the full stop.
pub fn without_end(text: &str) -> &str {
    text.trim_end_matches(['.', '!'])
}

/// How a decision was told from other words of a user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Recognised {
    /// By a form that says so.
    #[default]
    Form,
    /// By a model, which named the words.
    Model,
}

/// What a model took for a decision, and no user said so: shown, and in no document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Possible {
    pub text: String,
    pub turn: u32,
}

/// Words of a user that accept a proposal: a model named them, and they were found in the turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Acceptance {
    pub of: Proposed,
    pub turn: u32,
    pub span: String,
}

/// What was proposed: in a turn of this discussion, or earlier, as an entry of a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Proposed {
    Turn(u32),
    Id(String),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    pub text: String,
    /// Why it is open and who should settle it.
    pub context: String,
    pub turns: Vec<u32>,
}

impl Summary {
    /// Whether there is no entry of any kind.
    pub const fn is_empty(&self) -> bool {
        self.insights.is_empty()
            && self.decisions.is_empty()
            && self.open_questions.is_empty()
            && self.action_items.is_empty()
            && self.additions.is_empty()
    }

    /// What people are told of the users' questions that a model does not list as open, a line each.
    pub fn unlisted(&self) -> impl Iterator<Item = String> {
        let told = |one: &Question| {
            let text = plain::cut(&plain::shown(&one.text), 120);
            format!("{}, and not listed as open by the model: \"{text}\"", one.context)
        };
        self.unlisted_questions.iter().map(told)
    }

    /// The open questions that go to documents.
    pub fn landing_questions(&self) -> &[Question] {
        first(&self.open_questions, self.lands.map(|lands| lands.open_questions))
    }

    /// The additions that go to documents.
    pub fn landing_additions(&self) -> &[Addition] {
        first(&self.additions, self.lands.map(|lands| lands.additions))
    }

    /// `3 insights, 1 decision`, as announcements and `--json` describe what goes to documents.
    pub fn description(&self) -> String {
        self.described(self.landing_additions().len())
    }

    /// The same of a document whose proposed additions are told one by one, where they are written.
    pub fn description_without_additions(&self) -> String {
        self.described(0)
    }

    fn described(&self, additions: usize) -> String {
        let counted = [
            (self.insights.len(), "insight", "insights"),
            (self.decisions.len(), "decision", "decisions"),
            (self.landing_questions().len(), "open question", "open questions"),
            (self.action_items.len(), "action item", "action items"),
            (additions, "proposed addition", "proposed additions"),
        ];
        let parts: Vec<String> = counted
            .iter()
            .filter(|(count, ..)| *count > 0)
            .map(|(count, one, many)| format!("{count} {}", if *count == 1 { one } else { many }))
            .collect();
        if parts.is_empty() { "a discussion without findings".to_owned() } else { parts.join(", ") }
    }
}

/// The first entries of a list, all where no number is given.
fn first<T>(list: &[T], number: Option<usize>) -> &[T] {
    &list[..number.unwrap_or(list.len()).min(list.len())]
}

/// Who an insight is by, as the synthesis writes it (discussion AC-008-05): first names in
/// persona order, the user first, `All` for the whole cast.
pub fn attribution(by: &[String], cast: &Cast) -> String {
    let names: Vec<&str> =
        cast.iter().filter(|persona| by.contains(&persona.key)).map(|persona| persona.first_name()).collect();
    if names.len() == cast.iter().count() {
        return "All".to_owned();
    }
    let user = by.iter().any(|key| key == USER).then_some("User");
    user.into_iter().chain(names).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attribution_names_in_persona_order_with_the_user_first() {
        let cast = crate::item::library::Library::built_in().unwrap().cast;
        let of =
            |keys: &[&str]| attribution(&keys.iter().map(|key| (*key).to_owned()).collect::<Vec<_>>(), &cast);
        assert_eq!(of(&["business-analyst"]), "Maya");
        assert_eq!(of(&["solutions-architect", "business-analyst"]), "Maya/Alex");
        assert_eq!(of(&["user"]), "User");
        assert_eq!(of(&["system-designer", "user"]), "User/Jordan");
        assert_eq!(of(&["system-designer", "solutions-architect", "business-analyst"]), "All");
    }

    #[test]
    fn an_addition_is_described_by_its_counts() {
        let insight = Insight { text: "x".into(), by: vec![], turns: vec![1], rests: vec![] };
        let decision = Decision::new("x", Some("y"), "Sam", vec![1], Recognised::Form);
        let summary = Summary { insights: vec![insight; 3], decisions: vec![decision], ..Summary::default() };
        assert_eq!(summary.description(), "3 insights, 1 decision");
        assert_eq!(Summary::default().description(), "a discussion without findings");
    }
}
