//! Logs of discussions under way, in `roundtable/` of the git folder: what `--resume` goes on from when
//! a run was cut off. One file a run, its events as they come; gone when the discussion has landed.
//!
//! They are a convenience and no record: nothing of one is believed before the rules have run over
//! it again, and a last line that was half written is no event.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::PathBuf;

use super::Repo;
use crate::discussion::event::{Event, Opened, Record, from_lines};

/// Larger files are none of ours (64 MiB).
const LARGEST: u64 = 64 << 20;

/// The log of a run that is going on: the kernel's lock on its file, held until this is dropped.
pub struct Pending {
    file: File,
    path: PathBuf,
}

/// A log that nobody writes any more.
pub struct Leftover {
    pub run: String,
    pub path: PathBuf,
    /// Its whole events; the first is the opening.
    pub log: Vec<Record>,
}

impl Leftover {
    pub(crate) fn opened(&self) -> Option<&Opened> {
        match self.log.first().map(|first| &first.event) {
            Some(Event::Opened(opened)) => Some(opened),
            _ => None,
        }
    }
}

impl Repo {
    fn pending_path(&self, run: &str) -> PathBuf {
        self.git().commondir().join("roundtable").join(format!("{run}.jsonl"))
    }

    /// Begins the log of a run with the events it has, or goes on with one. None where another
    /// process writes it.
    ///
    /// # Errors
    /// A file that cannot be made or written.
    pub(crate) fn write_pending(&self, run: &str, log: &[Record]) -> std::io::Result<Option<Pending>> {
        let path = self.pending_path(run);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        let mut pending = Pending { file, path };
        pending.begin_again(log)?;
        Ok(Some(pending))
    }

    /// Every log that nobody writes any more, the oldest first. What cannot be read as one is left
    /// out.
    pub(crate) fn leftovers(&self) -> Vec<Leftover> {
        let folder = self.git().commondir().join("roundtable");
        let mut found: Vec<Leftover> = fs::read_dir(folder)
            .into_iter()
            .flatten()
            .flatten()
            .filter_map(|entry| {
                let path = entry.path();
                let run = path.file_name()?.to_str()?.strip_suffix(".jsonl")?.to_owned();
                let file = File::open(&path).ok()?;
                // The process that holds the lock is alive.
                file.try_lock().ok()?;
                if file.metadata().ok()?.len() > LARGEST {
                    return None;
                }
                let log = whole_events(&fs::read(&path).ok()?);
                Some(Leftover { run, path, log })
            })
            .collect();
        found.sort_by_key(|left| (left.log.first().map(|first| first.at), left.run.clone()));
        found
    }

    /// Removes the log of a run, if there is one and nobody writes it.
    ///
    /// # Errors
    /// A file that cannot be removed.
    pub(crate) fn drop_pending(&self, run: &str) -> std::io::Result<()> {
        let path = self.pending_path(run);
        match File::open(&path) {
            Ok(file) if file.try_lock().is_ok() => fs::remove_file(path),
            _ => Ok(()),
        }
    }
}

/// The events of a log up to the first that is none.
fn whole_events(bytes: &[u8]) -> Vec<Record> {
    let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    std::str::from_utf8(&bytes[..end]).ok().and_then(|text| from_lines("", text).ok()).unwrap_or_default()
}

impl Pending {
    /// Adds an event.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub(crate) fn append(&mut self, record: &Record) -> std::io::Result<()> {
        self.file.write_all(format!("{}\n", record.to_line()).as_bytes())
    }

    /// Writes these events in the place of those it has.
    ///
    /// # Errors
    /// A file that cannot be written.
    fn begin_again(&mut self, log: &[Record]) -> std::io::Result<()> {
        self.file.set_len(0)?;
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(crate::discussion::event::to_lines(log).as_bytes())
    }

    /// The discussion has landed: nothing is left to go on from.
    pub(crate) fn finish(self) {
        // A log that stays is listed as a leftover, and can be dropped.
        let _ = fs::remove_file(&self.path);
    }
}
