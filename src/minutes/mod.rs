//! What a discussion comes to: decisions, statements, open questions and action items, drawn from what was said.
//!
//! Only users decide, and every entry is a user's sentence, word for word. Which sentences decide is told by the forms
//! of `rules/<language>/decisions.yaml`; a form that is not sure makes a possible decision, which somebody has to
//! confirm. No sentence is judged by anything else, and none is lost: a user's sentence that is no question and no
//! small talk is a decision or a statement.
//!
//! ```
//! use roundtable::library::rule_files;
//! use roundtable::minutes::{self, Forms, Speaker, Spoken};
//!
//! let forms = Forms::read(rule_files(&[]), "en").unwrap();
//! let said = [
//!     Spoken::by_user(4, "Sam", "We'll keep SQLite because one file is easy to back up."),
//!     Spoken::by_user(5, "Ada", "Who writes the migration?"),
//! ];
//! let minutes = minutes::draw(&said, &forms);
//! assert_eq!(minutes.decisions[0].text, "We'll keep SQLite because one file is easy to back up.");
//! assert_eq!(minutes.decisions[0].reason, Some("one file is easy to back up"));
//! assert_eq!((minutes.open_questions[0].text, minutes.open_questions[0].by), ("Who writes the migration?", Some("Ada")));
//! ```

use std::collections::BTreeSet;

use std::sync::Arc;

use crate::finding::Finding;
use crate::library::Library;
use crate::text::index::stems;
use crate::text::pattern::{Match, Tokens};
use crate::text::rules::Book;
use crate::text::{Kind, Message, Sentence};

mod questions;
mod summary;

pub use summary::{Possible, decisions_in, possible_decisions, says_nothing, summary};

/// The files of `rules/<language>/` that minutes are drawn with.
pub const FILES: &[&str] =
    &["decisions", "choices", "reasons", "questions", "actions", "small-talk", "about-the-talk", "exit"];

/// The rule whose decisions end a matter.
const CLOSING: &str = "closing";
/// A decision of at most so many words is quoted with a sentence next to it.
const MAX_BARE_WORDS: usize = 2;

/// The forms of a language.
#[derive(Clone)]
pub struct Forms(Arc<Book>);

/// One contribution, input or notice, in the order of the discussion.
#[derive(Clone, Debug)]
pub struct Spoken<'t> {
    pub turn: u32,
    pub speaker: Speaker<'t>,
    pub text: &'t str,
    /// A persona's line that quotes a passage or a finding.
    pub rests: bool,
    /// The choice that this line puts to the user.
    pub choice: Option<Choice<'t>>,
    /// The step that this message was redirected to.
    pub off_topic: Option<&'t str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaker<'t> {
    /// By the name a script or GitHub gives.
    User(&'t str),
    /// By its key. A notice of the lead counts as the lead's.
    Persona(&'t str),
}

/// A choice that is put to the user: by a disagreement, or by a finding with options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice<'t> {
    /// The question, as it is listed where nobody answers it.
    pub on: &'t str,
    pub options: Vec<&'t str>,
}

/// What was said, sorted. Every `text` is a slice of what was said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Minutes<'t> {
    pub decisions: Vec<Decision<'t>>,
    /// By a form that is not sure: somebody has to confirm them.
    pub possible_decisions: Vec<Decision<'t>>,
    /// Every other sentence of a user that is no question and no small talk; possible decisions among them.
    pub statements: Vec<Statement<'t>>,
    pub open_questions: Vec<OpenQuestion<'t>>,
    pub action_items: Vec<ActionItem<'t>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision<'t> {
    pub text: &'t str,
    /// What was said after "because" and its like. Where nothing was, the record names `by` and the turn.
    pub reason: Option<&'t str>,
    pub by: &'t str,
    /// The user's turn, and before it that of the choice which it answers.
    pub turns: Vec<u32>,
    /// The rule that found it; none for the answer to a choice.
    pub rule: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement<'t> {
    pub text: &'t str,
    pub by: &'t str,
    pub turns: Vec<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenQuestion<'t> {
    pub text: &'t str,
    /// None for a choice that nobody made.
    pub by: Option<&'t str>,
    /// The step it was redirected to.
    pub step: Option<&'t str>,
    pub turns: Vec<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionItem<'t> {
    pub text: &'t str,
    /// Who does it, as they are named; none where nobody is.
    pub owner: Option<&'t str>,
    pub turns: Vec<u32>,
}

/// Something said, tokenised.
struct Heard<'s, 't> {
    spoken: &'s Spoken<'t>,
    /// The user who said it.
    user: Option<&'t str>,
    message: Message<'t>,
    /// What each sentence is.
    roles: Vec<Role>,
}

/// What a sentence of a user is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// Not the speaker's own prose, or small talk.
    Nothing,
    Question,
    Statement,
}

/// A choice that was put and not answered yet.
struct Pending<'s, 't> {
    turn: u32,
    choice: &'s Choice<'t>,
    /// For each option the stems that no other has.
    names: Vec<BTreeSet<String>>,
    /// Has no user spoken since?
    is_fresh: bool,
}

impl Forms {
    /// Reads the forms of a language from rule files, the last of a path before those before it.
    ///
    /// # Errors
    /// A file that cannot be read as rules.
    pub fn read<'f>(
        files: impl IntoIterator<Item = (&'f str, &'f str)>,
        language: &str,
    ) -> Result<Forms, Finding> {
        Book::read(files, language, FILES).map(|book| Forms(Arc::new(book)))
    }

    /// The forms of a library.
    ///
    /// # Errors
    /// A file of the repository's own that cannot be read as rules.
    pub fn of(library: &Library) -> Result<Forms, Finding> {
        library.book().map(Forms)
    }

    fn hear<'s, 't>(&self, spoken: &'s Spoken<'t>) -> Heard<'s, 't> {
        // Of a persona's line only what it carries counts.
        let (user, message) = match spoken.speaker {
            Speaker::User(name) => (Some(name), Message::new(spoken.text, &self.0.language)),
            Speaker::Persona(_) => (None, Message { source: spoken.text, sentences: Vec::new() }),
        };
        let roles = message.sentences.iter().map(|sentence| self.role(sentence)).collect();
        Heard { spoken, user, message, roles }
    }

    fn role(&self, sentence: &Sentence<'_>) -> Role {
        let tokens = self.0.tokens(sentence);
        let has = |file: &str| !self.0.hits(file, &tokens).is_empty();
        if !sentence.is_own() || !sentence.has_words() || has("small-talk") || has("exit") {
            Role::Nothing
        } else if sentence.kind == Kind::Question || has("questions") {
            Role::Question
        } else {
            Role::Statement
        }
    }

    /// Whether every sentence of a text is about the talk and not about its subject.
    fn is_about_the_talk(&self, text: &str) -> bool {
        let message = Message::new(text, &self.0.language);
        let is_aside = |sentence: &Sentence<'_>| {
            let tokens = self.0.tokens(sentence);
            !sentence.has_words() || !self.0.hits("about-the-talk", &tokens).is_empty()
        };
        message.sentences.iter().all(is_aside)
    }

    /// What a sentence says after "because" and its like.
    fn reason<'t>(&self, sentence: &Sentence<'t>, tokens: &Tokens) -> Option<&'t str> {
        let mut captures = self.0.hits("reasons", tokens).into_iter().flat_map(|hit| hit.found.captures);
        captures.find(|(name, _)| name == "why").map(|(_, range)| sentence.slice(range))
    }
}

impl<'t> Spoken<'t> {
    /// A user's message.
    pub fn by_user(turn: u32, name: &'t str, text: &'t str) -> Spoken<'t> {
        let speaker = Speaker::User(name);
        Spoken { turn, speaker, text, rests: false, choice: None, off_topic: None }
    }

    /// A persona's line.
    pub fn by_persona(turn: u32, key: &'t str, text: &'t str) -> Spoken<'t> {
        Spoken { speaker: Speaker::Persona(key), ..Spoken::by_user(turn, "", text) }
    }
}

/// Draws up the minutes of what was said.
pub fn draw<'t>(said: &[Spoken<'t>], forms: &Forms) -> Minutes<'t> {
    let heard: Vec<Heard<'_, 't>> = said.iter().map(|spoken| forms.hear(spoken)).collect();
    let mut minutes = Minutes::default();
    let mut pending = Vec::new();
    for one in &heard {
        if let Some(by) = one.user {
            minutes.hear(one, by, forms, &mut pending);
        }
        pending.extend(one.spoken.choice.as_ref().map(|choice| Pending::new(one.spoken.turn, choice, forms)));
    }
    minutes.open_questions = questions::open(&heard, forms);
    minutes.open_questions.extend(pending.into_iter().map(|put| OpenQuestion {
        text: put.choice.on,
        by: None,
        step: None,
        turns: vec![put.turn],
    }));
    minutes
}

impl<'t> Minutes<'t> {
    /// Sorts the statements of a user's message.
    fn hear(&mut self, one: &Heard<'_, 't>, by: &'t str, forms: &Forms, pending: &mut Vec<Pending<'_, 't>>) {
        for (at, (sentence, _)) in
            one.sentences().enumerate().filter(|(_, (_, role))| *role == Role::Statement)
        {
            let (text, mut turns) = (sentence.text, vec![one.spoken.turn]);
            let tokens = forms.0.tokens(sentence);
            let hits = forms.0.hits("decisions", &tokens);
            let hit = hits.iter().find(|hit| hit.rule.sure).or(hits.first());
            let is_sure = hit.is_some_and(|hit| hit.rule.sure);
            let answered = pending.iter().position(|put| put.is_answered_by(sentence, is_sure, forms));
            if let Some(at) = answered {
                turns.insert(0, pending.remove(at).turn);
            }
            let rule = hit.map(|hit| hit.rule.id.clone());
            let reason = forms.reason(sentence, &tokens);
            let decision = Decision { text: one.with_context(at), reason, by, turns: turns.clone(), rule };
            if is_sure || answered.is_some() {
                self.decisions.push(decision);
                continue;
            }
            self.possible_decisions.extend(hit.is_some().then_some(decision));
            if let Some(hit) = forms.0.hits("actions", &tokens).first() {
                let owner = owner(sentence, &hit.found, by);
                self.action_items.push(ActionItem { text, owner, turns: turns.clone() });
            }
            self.statements.push(Statement { text, by, turns });
        }
        pending.iter_mut().for_each(|put| put.is_fresh = false);
    }
}

/// Who does what an action item says: who is named in {who}, nobody where there is only {what}, else the speaker.
fn owner<'t>(sentence: &Sentence<'t>, found: &Match, by: &'t str) -> Option<&'t str> {
    match found.captures.iter().find(|(name, _)| name == "who") {
        Some((_, range)) => Some(sentence.slice(range.clone()).trim_start_matches('@')),
        None => found.captures.is_empty().then_some(by),
    }
}

impl<'t> Heard<'_, 't> {
    /// A sentence; one of a word or two ("Closing.") with the sentence after or before it, or nobody could read it alone.
    fn with_context(&self, at: usize) -> &'t str {
        let sentence = &self.message.sentences[at];
        let is_near =
            |other: &usize| self.message.sentences.get(*other).is_some_and(|one| one.block == sentence.block);
        let near = [at + 1, at.wrapping_sub(1)].into_iter().find(is_near);
        let Some(near) =
            near.filter(|_| sentence.words.iter().filter(|word| !word.is_mark).count() <= MAX_BARE_WORDS)
        else {
            return sentence.text;
        };
        let near = &self.message.sentences[near];
        let (start, end) =
            (sentence.range.start.min(near.range.start), sentence.range.end.max(near.range.end));
        self.message.source.get(start..end).unwrap_or(sentence.text)
    }

    /// Does one of its statements close the matter?
    fn closes(&self, forms: &Forms) -> bool {
        let is_closing = |sentence| {
            let hits = forms.0.hits("decisions", &forms.0.tokens(sentence));
            hits.iter().any(|hit| hit.rule.id == CLOSING)
        };
        self.sentences().any(|(sentence, role)| role == Role::Statement && is_closing(sentence))
    }

    fn sentences(&self) -> impl Iterator<Item = (&Sentence<'t>, Role)> {
        self.message.sentences.iter().zip(self.roles.iter().copied())
    }
}

impl<'s, 't> Pending<'s, 't> {
    fn new(turn: u32, choice: &'s Choice<'t>, forms: &Forms) -> Pending<'s, 't> {
        let stems = |option: &&str| stems(option, &forms.0.language).into_iter().collect::<BTreeSet<_>>();
        let all: Vec<BTreeSet<String>> = choice.options.iter().map(stems).collect();
        let only_in = |at: usize| {
            let others = |stem: &&String| {
                all.iter().enumerate().any(|(other, stems)| other != at && stems.contains(*stem))
            };
            all[at].iter().filter(|stem| !others(stem)).cloned().collect()
        };
        Pending { turn, choice, names: (0..all.len()).map(only_in).collect(), is_fresh: true }
    }

    /// Does a statement take one of the options? The first message after the choice does so in any form that names one
    /// of them, or says which ("the first"); a later one has to decide.
    fn is_answered_by(&self, sentence: &Sentence<'_>, decides: bool, forms: &Forms) -> bool {
        let tokens = forms.0.tokens(sentence);
        let has = |sure| forms.0.hits("choices", &tokens).iter().any(|hit| hit.rule.sure == sure);
        if has(false) || !(self.is_fresh || decides) {
            return false;
        }
        let is_named =
            |names: &&BTreeSet<String>| sentence.words.iter().any(|word| names.contains(word.stem.as_ref()));
        self.names.iter().filter(is_named).count() == 1 || (self.is_fresh && has(true))
    }
}
