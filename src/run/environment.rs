//! What the environment says: read here and nowhere else.

use std::path::PathBuf;

use super::Fail;

/// A variable that is set to something.
#[allow(clippy::disallowed_methods)]
pub fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.trim().is_empty())
}

/// The folder that the program was started in.
///
/// # Errors
/// It cannot be read.
#[allow(clippy::disallowed_methods)]
pub fn current_folder() -> Result<PathBuf, Fail> {
    std::env::current_dir().map_err(|error| Fail::new(format!("the current folder cannot be read: {error}")))
}
