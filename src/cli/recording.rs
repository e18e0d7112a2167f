//! Recordings as arguments name them: a file, or `REV:PATH` in the repository.

use std::path::Path;

use super::exit::Fail;
use super::{Global, open, read_file};
use crate::plain;
use crate::replay::{Place, Recording};

/// Recordings over this many bytes are refused (64 MiB).
const LARGEST: u64 = 64 << 20;

/// Reads a recording. A file of that name wins over a revision.
pub fn read(global: &Global, argument: &str) -> Result<Recording, Fail> {
    let name = plain::shown(argument);
    let path = Path::new(argument);
    if path.exists() {
        return Ok(Recording { name, bytes: read_file(path, LARGEST)?, place: None });
    }
    let Some((revision, inside)) =
        argument.split_once(':').filter(|(revision, inside)| !revision.is_empty() && !inside.is_empty())
    else {
        return Err(Fail::new(format!("{name} does not exist; name a file, or REV:PATH in the repository")));
    };
    let repo = open(global)?;
    let commit = repo.resolve(revision)?;
    let path = inside.trim_start_matches("./").to_owned();
    let bytes = repo.file(commit, &path)?;
    let missing = || Fail::new(format!("no file {} at {}", plain::shown(inside), plain::shown(revision)));
    Ok(Recording { name, bytes: bytes.ok_or_else(missing)?, place: Some(Place { commit, path }) })
}
