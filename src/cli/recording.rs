//! Recordings as arguments name them: a file, or `REV:PATH` in the repository.

use std::path::Path;

use super::exit::Fail;
use super::{Global, open};
use crate::replay::{Place, Recording};
use crate::run::files::read_file;
use crate::text::plain;

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
        return Err(Fail::new(format!("{name} does not exist"))
            .with_hint("name a file, or REV:PATH in the repository"));
    };
    let repo = open(global)?;
    let commit = repo.resolve(revision)?;
    let path = super::table::forward(inside.trim_start_matches("./"));
    let bytes = repo.file(commit, &path)?;
    let missing = || {
        let (near, revision) = (repo.near_file(commit, &path), plain::shown(revision));
        let listed = || format!("`git ls-tree -r --name-only {revision}` lists the files there");
        Fail::new(format!("no file {} at {revision}", plain::shown(inside)))
            .with_hint(near.unwrap_or_else(listed))
    };
    let bytes = bytes.ok_or_else(missing)?;
    Ok(Recording { name, bytes, place: Some(Place { commit, path }) })
}
