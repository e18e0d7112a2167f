//! What somebody has typed in a step of an analysis that is not finished, in `roundtable/typed/` of the git folder: the
//! next run at the keyboard goes on with it. Gone when the step has landed.

use std::fs;
use std::io::{self, Write as _};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::Repo;
use crate::item::library::sha256;

/// The messages of one step, in order; none is silence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Typed {
    pub step: String,
    pub said: Vec<Option<String>>,
}

impl Repo {
    /// Where the messages of an item's step are kept.
    pub(crate) fn typed_path(&self, item: &str) -> PathBuf {
        let name = &sha256(item.as_bytes())[..32];
        self.git().commondir().join("roundtable").join("typed").join(format!("{name}.json"))
    }

    /// Keeps the messages of an item's step, in place of what was kept before.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub(crate) fn keep_typed(&self, item: &str, typed: &Typed) -> io::Result<()> {
        let path = self.typed_path(item);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        // Either the earlier messages are there, or these.
        let new = path.with_extension("new");
        let mut file = fs::File::create(&new)?;
        file.write_all(serde_json::to_string(typed)?.as_bytes())?;
        fs::rename(new, path)
    }

    /// The messages that were kept of an item; none where there are none that can be read.
    pub(crate) fn typed(&self, item: &str) -> Option<Typed> {
        serde_json::from_slice(&fs::read(self.typed_path(item)).ok()?).ok()
    }

    /// The step has landed: nothing of it is kept.
    pub(crate) fn drop_typed(&self, item: &str) {
        let _ = fs::remove_file(self.typed_path(item));
    }
}
