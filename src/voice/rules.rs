//! The rules of a line (D-11, V-5), and what breaks one.
//!
//! A line that breaks a hard rule is asked for again and never recorded. A persona's own words to avoid are asked for
//! again once, and then taken and counted. What each rule looks at is in [`breaches`](super::breaches),
//! [`attribution`](super::attribution), [`claims`](super::claims) and [`quotations`](super::quotations).
//!
//! ```
//! use roundtable::voice::rules::{Breach, Rule};
//!
//! let breach = Breach::new(Rule::Name, "src/nowhere.rs");
//! assert!(breach.is_hard() && breach.reason().ends_with(": \"src/nowhere.rs\""));
//! ```

use crate::text::plain;

/// A rule that a contribution must keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// A line has words of its own, and begins no line as another speaker's.
    Prefix,
    Length,
    LeakedReasoning,
    Markup,
    SpeakingForAnother,
    /// What somebody is said to have said or decided is in their turns.
    NeverSaid,
    Decides,
    NothingSaid,
    Echo,
    Silence,
    Quotation,
    Place,
    Id,
    Figure,
    Name,
    /// A persona's own words to avoid, by the name of their list: soft.
    Persona(String),
}

impl Rule {
    /// The name that agents, prompts and `show --integrity` have for it.
    pub fn name(&self) -> &str {
        match self {
            Rule::Prefix => "prefix",
            Rule::Length => "length",
            Rule::LeakedReasoning => "leaked reasoning",
            Rule::Markup => "markup",
            Rule::SpeakingForAnother => "speaking for another",
            Rule::NeverSaid => "never said",
            Rule::Decides => "decides",
            Rule::NothingSaid => "nothing said",
            Rule::Echo => "echo",
            Rule::Silence => "silence",
            Rule::Quotation => "quotation",
            Rule::Place => "place",
            Rule::Id => "id",
            Rule::Figure => "figure",
            Rule::Name => "name",
            Rule::Persona(list) => list,
        }
    }

    /// What it asks for, in words that a model can act on.
    pub const fn demand(&self) -> &'static str {
        match self {
            Rule::Prefix => "a line has words, and none of them begins a line as another speaker's",
            Rule::Length => "a line has at most 4,000 characters",
            Rule::LeakedReasoning => "only what is meant to be said is said",
            Rule::Markup => "a line is plain prose: no headings, comments, rules or tags",
            Rule::SpeakingForAnother => "nobody speaks for somebody else",
            Rule::NeverSaid => {
                "what somebody is said to have said or decided is in their turns, in their words"
            }
            Rule::Decides => "only users decide; a persona proposes or asks",
            Rule::NothingSaid => "a line says something",
            Rule::Echo => "what was said is not said again",
            Rule::Silence => "an answer is due",
            Rule::Quotation => {
                "what is between quotation marks is word for word in the file or turn that it is said of, or is \
                 listed in \"absent\" where it is a wording that the line proposes"
            }
            Rule::Place => "a line, section or turn that is named exists",
            Rule::Id => "an id is one of the documents'",
            Rule::Figure => {
                "a figure that is said of an id, a setting, a function, a file, a section or a turn is in its own \
                 text, in a passage that the line quotes in \"rests\", or listed in \"absent\" where the line proposes it"
            }
            Rule::Name => {
                "a file, function or setting that is named exists, or is listed in \"absent\" where the line proposes \
                 it or a library has it"
            }
            Rule::Persona(_) => "these words are a colleague's, unless the documents or the user use them",
        }
    }
}

/// A rule that a contribution breaks, and the words that break it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    pub rule: Rule,
    pub words: String,
    /// The line of a file that says something near to it: `spec.md:12: …`.
    pub nearest: Option<String>,
}

impl Breach {
    pub fn new(rule: Rule, words: &str) -> Breach {
        Breach { rule, words: plain::cut(&plain::one_line(words), 80), nearest: None }
    }

    /// Whether the line may never be recorded as said.
    pub const fn is_hard(&self) -> bool {
        !matches!(self.rule, Rule::Persona(_))
    }

    /// What the rule asks for, and the words that break it.
    pub fn reason(&self) -> String {
        let demand = self.rule.demand();
        if self.words.is_empty() { demand.to_owned() } else { format!("{demand}: \"{}\"", self.words) }
    }
}
