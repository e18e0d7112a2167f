//! Steps, cast, templates, rules and layouts, with the overlays of a commit.

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};

use git2::Oid;

use super::Fail;
use crate::git::Repo;
use crate::item::config::Config;
use crate::item::library::{Library, Overlays, Unusable};
use crate::review::Rules;

/// The built-in steps, cast and templates, read beside the repository: most runs need no others.
pub struct BuiltIn(Receiver<Result<Arc<Library>, Unusable>>);

impl BuiltIn {
    /// Begins to read.
    pub fn begin() -> BuiltIn {
        BuiltIn::and_then(|_| {})
    }

    /// The same for a discussion: its rules are read as soon as the library is.
    pub fn for_a_discussion() -> BuiltIn {
        BuiltIn::and_then(|_| {
            // In the order they are needed; what is wrong with them is told where they are asked for.
            let _ = Rules::of(&[]).is_ok();
        })
    }

    fn and_then(then: fn(&Library)) -> BuiltIn {
        let (tell, told) = mpsc::channel();
        let read = move || {
            let library = Library::built_in().map(Arc::new);
            let own = library.as_ref().ok().map(Arc::clone);
            // Nobody waits for it where the repository could not be read.
            let _ = tell.send(library);
            own.as_deref().into_iter().for_each(then);
        };
        // Where there is no second thread, the library is read when it is asked for.
        let _ = std::thread::Builder::new().spawn(read);
        BuiltIn(told)
    }

    /// Steps, cast and templates, with the overlays of a commit.
    pub fn library(self, repo: &Repo, commit: Oid, config: &Config) -> Result<Arc<Library>, Fail> {
        let overlays = Overlays::read(config, |folder| repo.overlay(commit, folder))?;
        match self.0.recv() {
            Ok(library) if overlays.is_empty() => Ok(library?),
            _ => Ok(Arc::new(Library::new(&overlays).map_err(|error| error.below(config))?)),
        }
    }
}
