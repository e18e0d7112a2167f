//! The words a model gets: one head, the talk so far, and last what is wanted now.
//!
//! The head never changes during a discussion and the talk only grows, so every prompt begins
//! with the one before it up to its last part: what a service has cached is read again instead of
//! paid again. Words of users and documents stand between fences longer than any inside them, and
//! without what cannot be seen.

use minijinja::context;
use minijinja::value::Serde;

use crate::additions::Kind;
use crate::discussion::event::{Event, Message, Notice, Record};
use crate::discussion::{Cue, Discussion};
use crate::persona::{Cast, Persona};
use crate::plain;
use crate::template::{Failed, safe};
use crate::voice::integrity::Breach;

/// All documents together are cut to this many characters, the step's outputs first.
pub const DOCUMENTS: usize = 60_000;
/// A breach's words in a prompt, in characters.
const SHOWN: usize = 80;

/// What is asked of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// Rules, cast, step and documents.
    pub head: String,
    /// The discussion so far, an entry an event.
    pub talk: Vec<String>,
    /// What is wanted now, and from whom.
    pub wanted: String,
    pub want: Want,
    /// The persona that is to speak; the lead for a synthesis.
    pub persona: String,
    /// Why, as recordings write it.
    pub purpose: String,
}

/// The kinds of answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    Line,
    Synthesis,
    /// A step's answers, drawn together.
    Draft,
}

impl Want {
    /// The word of the contract's command protocol.
    pub const fn name(self) -> &'static str {
        match self {
            Want::Line => "line",
            // A command knows lines and syntheses: the purpose says which of these.
            Want::Synthesis | Want::Draft => "synthesis",
        }
    }

    /// The most tokens an answer may take.
    pub const fn most_tokens(self) -> u64 {
        match self {
            Want::Line | Want::Draft => 1_024,
            Want::Synthesis => 4_096,
        }
    }
}

impl Prompt {
    /// All of it in one text.
    pub fn text(&self) -> String {
        format!("{}\n\n{}", self.head, self.rest())
    }

    /// The talk and what is wanted, for protocols that know a head and a message.
    pub fn rest(&self) -> String {
        format!("{}{}", self.talk.concat(), self.wanted)
    }

    /// The length in bytes.
    pub fn len(&self) -> usize {
        self.head.len() + self.talk.iter().map(String::len).sum::<usize>() + self.wanted.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The head of every prompt of a discussion, and the names of documents that were cut.
///
/// # Errors
/// The template cannot be rendered.
pub fn head<'d>(
    talk: &Discussion<'_>,
    documents: impl Iterator<Item = (&'d str, &'d str)>,
) -> Result<(String, Vec<String>), Failed> {
    let step = talk.step();
    let mut documents: Vec<(&str, &str)> = documents.collect();
    documents.sort_by_key(|(name, _)| {
        (step.outputs.iter().position(|output| output == name).unwrap_or(usize::MAX), *name)
    });
    let (mut left, mut cut, mut shown) = (DOCUMENTS, Vec::new(), Vec::new());
    for (name, text) in documents {
        let text = plain::clean(text);
        let kept = beginning(&text, left);
        left -= kept.chars().count().min(left);
        if kept.len() < text.len() {
            cut.push(plain::shown(name));
        }
        if !kept.trim().is_empty() {
            let rest = if kept.len() < text.len() { "\n(the document goes on)" } else { "" };
            shown.push(safe(format!("{}{rest}", fenced(&plain::shown(name), kept))));
        }
    }
    let cast: Vec<_> = talk.library().cast.iter().map(of_persona).collect();
    let values = context! {
        cast,
        step => Serde(&talk.opened().step),
        goals => &step.validation,
        item_name => safe(fenced("item", &talk.opened().item_name)),
        documents => shown,
    };
    Ok((talk.library().templates.render("prompts/head.txt", values)?, cut))
}

fn of_persona(persona: &Persona) -> minijinja::Value {
    let rules: Vec<String> = persona.forbidden.iter().map(|rule| rule.rule.clone()).collect();
    context! {
        name => persona.name.as_str(),
        role => persona.role.as_str(),
        lens => persona.lens.as_str(),
        style => plain::one_line(&persona.style),
        rules,
    }
}

/// The talk so far, an entry an event that was seen; an entry never changes.
pub fn talk(talk: &Discussion<'_>) -> Vec<String> {
    talk.log().iter().filter_map(|record| entry(record, &talk.library().cast)).collect()
}

fn entry(record: &Record, cast: &Cast) -> Option<String> {
    let prefix = |key: &str| cast.get(key).map_or_else(|| format!("{key}: "), Persona::prefix);
    Some(match &record.event {
        Event::Contribution(said) => format!("[turn {}] {}{}\n\n", said.turn, prefix(&said.by), said.text),
        Event::User(Message { turn, by, text, .. }) => {
            let turn = turn.map_or_else(|| "no turn".to_owned(), |turn| format!("turn {turn}"));
            format!("[{turn}] The user:\n{}\n\n", fenced(&plain::shown(by), text))
        }
        Event::Silence {} => "The user says nothing.\n\n".to_owned(),
        Event::Notice(Notice { by, text, .. }) => format!("(notice) {}{text}\n\n", prefix(by)),
        _ => return None,
    })
}

/// The prompt for a line; `broken` says what was wrong with the last try.
///
/// # Errors
/// The template cannot be rendered.
pub fn line(head: &str, cue: &Cue, talk_now: &Discussion<'_>, broken: &[Breach]) -> Result<Prompt, Failed> {
    let cast = &talk_now.library().cast;
    let persona = cast.get(&cue.persona).unwrap_or_else(|| talk_now.lead());
    let purpose = purpose(cue);
    let broken: Vec<_> = broken
        .iter()
        .map(|breach| context! { rule => breach.rule.as_str(), words => plain::cut(&breach.words, SHOWN) })
        .collect();
    let next = cast.others(&persona.key).next().map_or("", Persona::first_name);
    let values = context! {
        name => persona.name.as_str(),
        first_name => persona.first_name(),
        role => persona.role.as_str(),
        lens => persona.lens.as_str(),
        purpose => purpose.as_str(),
        owed => cue.owed,
        next,
        turn => talk_now.turn_count() + 1,
        broken,
    };
    let wanted = talk_now.library().templates.render("prompts/line.txt", values)?;
    Ok(Prompt {
        head: head.to_owned(),
        talk: talk(talk_now),
        wanted,
        want: Want::Line,
        persona: persona.key.clone(),
        purpose,
    })
}

/// The purpose as recordings write it.
fn purpose(cue: &Cue) -> String {
    serde_json::to_value(cue.purpose)
        .ok()
        .and_then(|value| value.as_str().map(str::to_owned))
        .unwrap_or_default()
}

/// The prompt for the synthesis; `wrong` says what was wrong with the last try.
///
/// # Errors
/// The template cannot be rendered.
pub fn synthesis(head: &str, talk_now: &Discussion<'_>, wrong: &str) -> Result<Prompt, Failed> {
    let keys: Vec<String> = talk_now.library().cast.iter().map(|persona| persona.key.clone()).collect();
    let kinds: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
    let values = context! { keys, kinds, wrong };
    let wanted = talk_now.library().templates.render("prompts/synthesis.txt", values)?;
    Ok(Prompt {
        head: head.to_owned(),
        talk: talk(talk_now),
        wanted,
        want: Want::Synthesis,
        persona: talk_now.lead().key.clone(),
        purpose: Want::Synthesis.name().to_owned(),
    })
}

/// A text between fences that nothing in it can close.
pub fn fenced(name: &str, text: &str) -> String {
    let (mut longest, mut run) = (2, 0);
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat(longest + 1);
    format!("{fence}{}\n{}\n{fence}", name.replace('`', "'"), text.trim_end())
}

/// At most `limit` characters from the beginning, in whole lines.
fn beginning(text: &str, limit: usize) -> &str {
    let Some((end, _)) = text.char_indices().nth(limit) else { return text };
    let head = &text[..end];
    head.rfind('\n').map_or(head, |at| &head[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_inside_closes_the_fence() {
        assert_eq!(fenced("a.md", "text\n"), "```a.md\ntext\n```");
        assert_eq!(fenced("a`b", "````x"), "`````a'b\n````x\n`````");
    }

    #[test]
    fn a_long_document_is_cut_at_a_line() {
        assert_eq!(beginning("one\ntwo\nthree", 6), "one");
        assert_eq!(beginning("one\ntwo", 7), "one\ntwo");
        assert_eq!(beginning("onetwo", 3), "one");
        assert_eq!(beginning("x", 0), "");
    }
}
