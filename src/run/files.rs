//! Steps and templates from a folder on disk: what somebody is editing, before it is committed.
//!
//! ```no_run
//! use roundtable::item::library::Library;
//!
//! let own = roundtable::run::files::read(std::path::Path::new(".roundtable/steps")).unwrap();
//! let library = Library::new(&own, &[], &[]).unwrap();
//! ```

use std::path::Path;

use crate::item::library::File;
use crate::text::finding::Finding;

/// Files over this size are refused (256 KiB).
const LARGEST: u64 = 256 * 1024;

/// The files below a folder, by their path below it with forward slashes. Links are not followed.
///
/// # Errors
/// A folder or file that cannot be read, with its path.
pub fn read(folder: &Path) -> Result<Vec<File>, Finding> {
    let mut found = Vec::new();
    let shown = |path: &Path| crate::text::plain::shown(&path.display().to_string());
    let refused = |path: &Path, why: String| Finding::at(&shown(path), "", 1, 1, why);
    if !folder.is_dir() {
        let finding = refused(folder, "the folder does not exist".to_owned());
        return Err(finding.hint("make the folder, or correct its name in the settings"));
    }
    for entry in walkdir::WalkDir::new(folder).sort_by_file_name().max_depth(8) {
        let entry = entry.map_err(|error| {
            let why = error
                .io_error()
                .map_or("cannot be read".to_owned(), |error| format!("cannot be read: {error}"));
            refused(error.path().unwrap_or(folder), why)
        })?;
        let path = entry.path();
        let name: Vec<String> = path
            .strip_prefix(folder)
            .unwrap_or(path)
            .components()
            .map(|part| part.as_os_str().to_string_lossy().into_owned())
            .collect();
        let name = name.join("/");
        if !entry.file_type().is_file() || name.starts_with(".git/") {
            continue;
        }
        let size = entry.metadata().map_or(0, |metadata| metadata.len());
        if size > LARGEST {
            let finding = refused(path, format!("larger than {LARGEST} bytes"));
            return Err(
                finding.hint("steps and templates are short texts; take what is long out of the folder")
            );
        }
        let bytes = std::fs::read(path).map_err(|error| refused(path, format!("cannot be read: {error}")))?;
        if [".md", ".txt", ".yaml", ".html"].iter().any(|suffix| name.ends_with(suffix)) {
            found.push((name, crate::text::json::utf8(&shown(path), &bytes)?.to_owned()));
        }
    }
    Ok(found)
}
/// Writes a file whole or not at all.
pub fn write_whole(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    use std::io::Write as _;
    if path.is_dir() {
        return Err(std::io::Error::other("it is a folder"));
    }
    // A device or a pipe takes the bytes as they are: there is nothing to put in its place.
    if path.exists() && !path.metadata()?.is_file() {
        return std::fs::OpenOptions::new().write(true).open(path)?.write_all(bytes);
    }
    let mut name = path.file_name().ok_or_else(|| std::io::Error::other("it names no file"))?.to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let beside = path.with_file_name(name);
    let written = std::fs::File::create(&beside).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    let moved = written.and_then(|()| std::fs::rename(&beside, path));
    if moved.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
    moved
}
