//! What a line is held against: files, turns, questions and the code of the base commit are grounds alike.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::names::Codebase;
use super::sources::Sources;
use crate::discussion::event::Rest;

/// What a line may rest on besides what was said.
#[derive(Clone, Default)]
pub struct Basis<'a> {
    /// None where the files are not at hand: then what a line says of them is not judged.
    pub sources: Option<&'a Sources<'a>>,
    /// The user's first message, which a voice may read before the framing.
    pub first: Option<&'a str>,
    /// What the users are called.
    pub users: BTreeSet<String>,
    /// The files of the base commit, where they are at hand.
    pub code: Option<Rc<dyn Codebase + 'a>>,
    /// What a reader asked.
    pub asked: Vec<String>,
    /// The passages that the line itself quotes, which are there.
    pub cited: Vec<Rest>,
    /// Names and wordings of the line that no file has, as the line says itself.
    pub absent: Vec<String>,
}
