//! The cast: who sits at the table, how they speak, and who leads which phase (analysis FR-002, FR-003).
//!
//! A persona is a file of front matter and text below `personas/` in the steps folder, so a
//! fourth persona is a fourth file.
//!
//! Two at the table never share a key or a first name, so that an address has one meaning.
//!
//! ```
//! use roundtable::item::library::Library;
//!
//! let cast = Library::built_in().unwrap().cast;
//! let (lead, is_known) = cast.lead("03-architecture");
//! assert_eq!((lead.prefix().as_str(), is_known), ("Alex Rivera (Solutions Architect):", true));
//! ```

use serde::Deserialize;

use crate::text::finding::{Finding, did_you_mean};
use crate::text::front_matter;
use crate::text::sections::{list, sections};

/// The five phases, in their order, and what a persona calls them.
pub const PHASES: [(&str, &str); 5] = [
    ("00-quick-scan", "Quick Scan"),
    ("01-requirements", "Requirements"),
    ("02-impact-analysis", "Impact Analysis"),
    ("03-architecture", "Architecture"),
    ("04-design", "Design"),
];

/// Words or phrases that a persona leaves to a colleague (D-11).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Forbidden {
    /// The rule's name, shown when it is broken.
    pub rule: String,
    /// Lower-case words or phrases; each counts as whole words, and not inside quotation marks.
    pub phrases: Vec<String>,
}

/// The kinds of points that a reader finds.
const POINT_KINDS: [&str; 5] = ["value", "ambiguity", "clash", "code", "risk"];

/// What the front matter of a persona says.
const NEEDED: [&str; 8] = ["key", "name", "role", "short_role", "order", "lens", "phases", "forbidden"];
const SECTIONS: [&str; 4] = ["Identity", "Style", "Principles", "Elaboration"];

/// One participant.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Persona {
    /// The key that steps, records and recordings use, such as `business-analyst`.
    pub key: String,
    pub name: String,
    pub role: String,
    /// The role as the list of participants has it: `BA`.
    pub short_role: String,
    /// Where the persona is in the order at the table, from one.
    pub order: u32,
    /// `what is your take from a … perspective?`
    pub lens: String,
    /// The phases this persona leads.
    pub phases: Vec<String>,
    /// The kinds of open points that this persona speaks for.
    #[serde(default)]
    pub takes: Vec<String>,
    pub forbidden: Vec<Forbidden>,
    #[serde(skip)]
    pub identity: String,
    #[serde(skip)]
    pub style: String,
    #[serde(skip)]
    pub principles: Vec<String>,
    #[serde(skip)]
    pub elaboration: String,
}

impl Persona {
    /// Reads a persona file.
    ///
    /// # Errors
    /// The first thing that is wrong with the file, with its place.
    pub fn read(path: &str, text: &str) -> Result<Persona, Finding> {
        let text = &*crate::text::plain::with_line_feeds(text);
        let (persona, parts) = front_matter::read(path, text, &NEEDED)?;
        Persona::of(path, text, persona, &parts)
    }

    fn of(
        path: &str,
        text: &str,
        mut persona: Persona,
        parts: &front_matter::Parts<'_>,
    ) -> Result<Persona, Finding> {
        let mut findings = persona.misnamed(path, text);
        for (title, content) in sections(parts.body) {
            match title {
                "Identity" => persona.identity = content.trim().to_owned(),
                "Style" => persona.style = content.trim().to_owned(),
                "Principles" => persona.principles = list(content),
                "Elaboration" => persona.elaboration = content.trim().to_owned(),
                other => {
                    let message = format!("unknown section \"{other}\"{}", did_you_mean(other, &SECTIONS));
                    findings.push(
                        Finding::near(path, text, &format!("## {other}"), message)
                            .hint(format!("a persona has {}", SECTIONS.join(", "))),
                    );
                }
            }
        }
        if persona.identity.is_empty() || persona.style.is_empty() || persona.principles.len() < 3 {
            let message = "identity, style or principles are missing";
            findings.push(
                Finding::at(path, text, parts.body_line, 1, message).hint(
                    "write `## Identity`, `## Style` and `## Principles` with at least three principles",
                ),
            );
        }
        Finding::all(findings).map_or(Ok(persona), Err)
    }

    /// Names and keys that others could not be told by.
    fn misnamed(&self, path: &str, text: &str) -> Vec<Finding> {
        let mut findings = Vec::new();
        let name_is_plain = !self.name.is_empty()
            && self.name.split(' ').all(|word| !word.is_empty() && word.chars().all(char::is_alphabetic));
        if !name_is_plain {
            let finding = Finding::near(path, text, "name:", "a name is one or more words of letters");
            findings.push(finding.hint("write it like Maya Chen"));
        }
        for (key, value) in [("key", &self.key), ("role", &self.role), ("short_role", &self.short_role)] {
            if value.is_empty() || value.contains(['(', ')', ':', '\n']) {
                let message = format!("`{key}` is empty or has a bracket, a colon or a line end");
                let finding = Finding::near(path, text, &format!("{key}:"), message);
                findings.push(finding.hint("write it in plain words"));
            }
        }
        if let Some(kind) = self.takes.iter().find(|kind| !POINT_KINDS.contains(&kind.as_str())) {
            let message = format!("\"{kind}\" is not a kind of point{}", did_you_mean(kind, &POINT_KINDS));
            let finding = Finding::near(path, text, "takes:", message);
            findings.push(finding.hint(format!("the kinds are {}", POINT_KINDS.join(", "))));
        }
        if self.key == "user" {
            let finding = Finding::near(path, text, "key:", "the key \"user\" is reserved for the user");
            findings.push(finding.hint("give the persona another key"));
        }
        findings
    }

    /// The name people are addressed by.
    pub fn first_name(&self) -> &str {
        self.name.split(' ').next().unwrap_or(&self.name)
    }

    /// What is before every contribution (discussion AC-002-04), without the blank after it.
    pub fn prefix(&self) -> String {
        format!("{} ({}):", self.name, self.role)
    }
}

/// The participants, in the order they are at the table.
#[derive(Clone, Debug)]
pub struct Cast {
    personas: Vec<Persona>,
}

/// Why a cast cannot sit down.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum Unseated {
    #[error("a discussion needs at least two personas, and there are {0}")]
    TooFew(usize),
    #[error("two personas share the {what} \"{value}\", and each needs its own")]
    Twins { what: &'static str, value: String },
}

impl Cast {
    /// Seats the personas by `order`, then by key.
    ///
    /// # Errors
    /// Fewer than two personas, or two with one key, one first name or one phase to lead.
    pub fn new(mut personas: Vec<Persona>) -> Result<Cast, Unseated> {
        personas.sort_by(|a, b| (a.order, &a.key).cmp(&(b.order, &b.key)));
        if personas.len() < 2 {
            return Err(Unseated::TooFew(personas.len()));
        }
        for (at, persona) in personas.iter().enumerate() {
            for other in &personas[..at] {
                if other.key == persona.key {
                    return Err(Unseated::Twins { what: "key", value: persona.key.clone() });
                }
                if let Some(phase) = persona.phases.iter().find(|phase| other.phases.contains(phase)) {
                    return Err(Unseated::Twins { what: "phase", value: phase.clone() });
                }
                if other.first_name().eq_ignore_ascii_case(persona.first_name()) {
                    return Err(Unseated::Twins {
                        what: "first name",
                        value: persona.first_name().to_owned(),
                    });
                }
            }
        }
        Ok(Cast { personas })
    }

    pub fn iter(&self) -> std::slice::Iter<'_, Persona> {
        self.personas.iter()
    }

    pub fn get(&self, key: &str) -> Option<&Persona> {
        self.personas.iter().find(|persona| persona.key == key)
    }

    pub fn keys(&self) -> Vec<String> {
        self.personas.iter().map(|persona| persona.key.clone()).collect()
    }

    /// Who leads a phase; an unknown phase falls to the first persona (analysis AC-003-06), and the
    /// second value is then false.
    pub fn lead(&self, phase: &str) -> (&Persona, bool) {
        let owner = self.personas.iter().find(|persona| persona.phases.iter().any(|owned| owned == phase));
        owner.map_or((&self.personas[0], false), |persona| (persona, true))
    }

    /// Everyone but the lead, in their order.
    pub fn others<'a>(&'a self, lead: &'a str) -> impl Iterator<Item = &'a Persona> {
        self.personas.iter().filter(move |persona| persona.key != lead)
    }

    /// The lead first, then the others in their order.
    pub fn lead_first<'a>(&'a self, lead: &'a str) -> Vec<&'a Persona> {
        self.get(lead).into_iter().chain(self.others(lead)).collect()
    }

    /// The lead first, then the others by first name (D-5).
    pub fn lead_then_alphabetical<'a>(&'a self, lead: &'a str) -> Vec<&'a Persona> {
        let mut others: Vec<&Persona> = self.others(lead).collect();
        others.sort_by_key(|persona| persona.first_name());
        self.get(lead).into_iter().chain(others).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maya_alex_and_jordan_stand_in_this_order_and_lead_their_phases() {
        let cast = crate::item::library::Library::built_in().unwrap().cast;
        let names: Vec<&str> = cast.iter().map(|persona| persona.name.as_str()).collect();
        assert_eq!(names, ["Maya Chen", "Alex Rivera", "Jordan Park"]);
        let leads: Vec<&str> = PHASES.iter().map(|(phase, _)| cast.lead(phase).0.first_name()).collect();
        assert_eq!(leads, ["Maya", "Maya", "Alex", "Alex", "Jordan"]);
        assert_eq!((cast.lead("09-other").0.first_name(), cast.lead("09-other").1), ("Maya", false));
    }

    #[test]
    fn a_group_is_answered_by_the_lead_then_alphabetically() {
        let cast = crate::item::library::Library::built_in().unwrap().cast;
        let order =
            |lead| cast.lead_then_alphabetical(lead).iter().map(|p| p.first_name()).collect::<Vec<_>>();
        assert_eq!(order("business-analyst"), ["Maya", "Alex", "Jordan"]);
        assert_eq!(order("system-designer"), ["Jordan", "Alex", "Maya"]);
    }

    #[test]
    fn nobody_shares_a_key_a_first_name_or_a_phase() {
        let cast = crate::item::library::Library::built_in().unwrap().cast;
        let with = |change: fn(&mut Persona)| {
            let mut newcomer = cast.personas[0].clone();
            (newcomer.key, newcomer.name) = ("tester".to_owned(), "Sam Lee".to_owned());
            newcomer.phases.clear();
            change(&mut newcomer);
            Cast::new(cast.iter().cloned().chain([newcomer]).collect()).map_err(|twins| twins.to_string())
        };
        assert!(with(|_| ()).is_ok());
        for (change, what) in [
            ((|newcomer| newcomer.key = "business-analyst".to_owned()) as fn(&mut Persona), "key"),
            (|newcomer| newcomer.name = "maya Lee".to_owned(), "first name"),
            (|newcomer| newcomer.phases = Vec::from(["03-architecture".to_owned()]), "phase"),
        ] {
            assert!(with(change).unwrap_err().contains(what), "{what}");
        }
    }

    #[test]
    fn line_ends_of_windows_change_nothing() {
        let personas =
            crate::item::library::embedded_files().filter(|(path, _)| crate::item::library::is_persona(path));
        for (path, text) in personas {
            let there = text.replace('\n', "\r\n");
            assert_eq!(Persona::read(path, &there).unwrap(), Persona::read(path, text).unwrap());
        }
    }
}
