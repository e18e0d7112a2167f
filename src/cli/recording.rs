//! Recordings as arguments name them: a file, or `REV:PATH` in the repository.

use super::exit::Fail;
use super::{Global, open};
use crate::replay::{Place, Recording};
use crate::run::played;

/// Reads a recording. A file of that name wins over a revision.
pub fn read(global: &Global, argument: &str) -> Result<Recording, Fail> {
    let played::Found { name, bytes, place } = played::find(argument, || open(global))?;
    Ok(Recording { name, bytes, place: place.map(|(commit, path)| Place { commit, path }) })
}
