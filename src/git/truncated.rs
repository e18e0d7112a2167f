//! Loose objects that are truncated: they end before their data do, as a full disk or a power failure leaves them.
//!
//! libgit2 1.9 never comes back from such an object: it asks zlib for more for ever, at full speed. So a caller that
//! waits too long looks for one, and ends the run with the error that it is
//! (`gate::a_loose_object_that_is_cut_off_ends_every_run_with_2`).

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};

use flate2::{Decompress, FlushDecompress, Status};

use super::{Error, Repo};

/// Alternates of alternates are followed this far, as git does.
const DEEPEST: usize = 5;

impl Repo {
    /// The folders of objects of this repository, with those that it borrows from.
    pub(crate) fn object_folders(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        with_alternates(self.git().commondir().join("objects"), 0, &mut found);
        found
    }
}

/// The folders of objects that are to be looked into.
pub(super) fn with_alternates(folder: PathBuf, depth: usize, found: &mut Vec<PathBuf>) {
    if depth > DEEPEST || found.contains(&folder) {
        return;
    }
    let alternates = fs::read_to_string(folder.join("info/alternates")).unwrap_or_default();
    let own = folder.clone();
    found.push(folder);
    for line in alternates.lines().filter(|line| !line.is_empty() && !line.starts_with(['#', '"'])) {
        with_alternates(own.join(line), depth + 1, found);
    }
}

/// The first loose object of some folders that is cut off, as the error that it is.
pub(crate) fn first_truncated(folders: &[PathBuf]) -> Option<Error> {
    let is_hex =
        |name: &str, length: usize| name.len() == length && name.bytes().all(|c| c.is_ascii_hexdigit());
    let named = |folder: &Path, length: usize| {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut names: Vec<_> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.retain(|name| is_hex(name, length));
        names.sort();
        names
    };
    folders.iter().find_map(|folder| {
        named(folder, 2).into_iter().find_map(|begin| {
            let below = folder.join(&begin);
            named(&below, 38).into_iter().find_map(|rest| truncated(&below.join(rest)))
        })
    })
}

/// The error that a loose object's file is, where it is cut off; none where it is whole, missing or spoilt in a way
/// that libgit2 tells itself.
fn truncated(path: &Path) -> Option<Error> {
    // A piece at a time: nobody knows how large an object is.
    let mut file = BufReader::new(File::open(path).ok()?);
    let (mut data, mut room) = (Decompress::new(true), vec![0; 1 << 16]);
    loop {
        let bytes = file.fill_buf().ok()?;
        let (read, written) = (data.total_in(), data.total_out());
        if data.decompress(bytes, &mut room, FlushDecompress::None).ok()? == Status::StreamEnd {
            return None;
        }
        let taken = usize::try_from(data.total_in() - read).ok()?;
        if taken == 0 && data.total_out() == written {
            // There is nothing left to read, and it goes on.
            if bytes.is_empty() {
                break;
            }
            return None;
        }
        file.consume(taken);
    }
    let (size, shown) = (data.total_in(), crate::text::plain::shown(&path.display().to_string()));
    // An empty file libgit2 tells itself.
    (size > 0).then(|| Error::Damaged(format!("the object at {shown} is cut off after {size} bytes")))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn an_object_that_ends_too_early_is_found_and_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let mut data = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
        let body: Vec<u8> = (0..200_000_u32).flat_map(u32::to_le_bytes).collect();
        data.write_all(b"blob 800000\0").unwrap();
        data.write_all(&body).unwrap();
        let whole = data.finish().unwrap();
        let below = folder.path().join("ab");
        fs::create_dir(&below).unwrap();
        let at = below.join("c".repeat(38));
        fs::write(below.join("tmp_obj_x"), &whole[..40]).unwrap();
        let found = |bytes: &[u8]| {
            fs::write(&at, bytes).unwrap();
            first_truncated(&[folder.path().to_owned()]).map(|error| error.to_string())
        };
        assert_eq!((found(&whole), found(b""), found(b"no object at all")), (None, None, None));
        for size in [1, 5, 100, whole.len() / 2, whole.len() - 1] {
            let error = found(&whole[..size]).unwrap_or_default();
            assert!(error.contains(&format!("is cut off after {size} bytes")), "{size}: {error}");
        }
    }
}
