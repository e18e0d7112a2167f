//! What takes long to make, kept in `roundtable/` of the git folder under the id of what it was made from.
//!
//! It is no record: a reader checks it and makes it anew where it is not whole, and a folder that cannot
//! be written to only costs time. The newest of a kind stay.

use std::path::{Path, PathBuf};
use std::{fs, io};

use super::Repo;

impl Repo {
    /// What was kept of this kind under an id, as the file has it.
    pub fn kept(&self, kind: &str, id: &str) -> Option<Vec<u8>> {
        fs::read(self.kept_in().join(format!("{kind}-{id}"))).ok()
    }

    /// Keeps bytes under an id, beside at most so many others of their kind.
    pub fn keep(&self, kind: &str, id: &str, most: usize, bytes: &[u8]) {
        // Without it, the next run makes it again.
        let _ = write(&self.kept_in(), &format!("{kind}-"), id, most, bytes);
    }

    fn kept_in(&self) -> PathBuf {
        self.git().commondir().join("roundtable")
    }
}

fn write(folder: &Path, kind: &str, id: &str, most: usize, bytes: &[u8]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let path = folder.join(format!("{kind}{id}"));
    let begun = path.with_extension(format!("{}.begun", std::process::id()));
    fs::write(&begun, bytes)?;
    fs::rename(&begun, &path)?;
    let is_of_kind = |entry: &fs::DirEntry| entry.file_name().to_string_lossy().starts_with(kind);
    let mut all: Vec<(std::time::SystemTime, PathBuf)> = fs::read_dir(folder)?
        .flatten()
        .filter(is_of_kind)
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    all.sort();
    let old = all.len().saturating_sub(most);
    all.iter().take(old).filter(|(_, one)| *one != path).for_each(|(_, one)| drop(fs::remove_file(one)));
    Ok(())
}
