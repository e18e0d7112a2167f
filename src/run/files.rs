//! Steps and templates from a folder on disk: what somebody is editing, before it is committed.
//!
//! ```no_run
//! use roundtable::item::library::{Library, Overlays};
//!
//! let own = roundtable::run::files::read(std::path::Path::new(".roundtable/steps")).unwrap();
//! let library = Library::new(&Overlays { steps: own, ..Overlays::default() }).unwrap();
//! ```

use std::path::{Path, PathBuf};

use super::Fail;
use super::environment::current_folder;
use crate::item::library::OverlayFile;
use crate::text::finding::{Finding, nearest};

/// Files over this size are refused (256 KiB).
const LARGEST: u64 = 256 * 1024;

/// The files below a folder, by their path below it with forward slashes. Links are not followed.
///
/// # Errors
/// A folder or file that cannot be read, with its path.
pub fn read(folder: &Path) -> Result<Vec<OverlayFile>, Finding> {
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

/// The bytes of a script, with its name; `-` is standard input.
///
/// # Errors
/// A file that cannot be read.
pub fn read_script(path: &Path) -> Result<(String, Vec<u8>), Fail> {
    use std::io::Read as _;
    let limit = super::script::LARGEST as u64;
    if path != Path::new("-") {
        // A pipe has no name that says anything: `--script <(…)`.
        let is_named = std::fs::metadata(path).map_or(true, |file| file.is_file() || file.is_dir());
        let name =
            if is_named { crate::text::plain::shown(&path.display().to_string()) } else { "-".to_owned() };
        return Ok((name, read_file(path, limit)?));
    }
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().take(limit + 1).read_to_end(&mut bytes);
    read.map_err(|error| Fail::new(format!("standard input cannot be read: {error}")))?;
    Ok(("-".to_owned(), bytes))
}

/// Reads a file of at most so many bytes that an argument names.
///
/// # Errors
/// A file that is missing, is a folder or is larger.
pub fn read_file(path: &Path, limit: u64) -> Result<Vec<u8>, Fail> {
    use std::io::Read as _;
    let shown = crate::text::plain::shown(&path.display().to_string());
    let refused = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => missing(path),
        _ => Fail::new(format!("{shown} cannot be read: {error}")).with_hint("see whether you may read it"),
    };
    let file = std::fs::File::open(path).map_err(refused)?;
    if file.metadata().map_err(refused)?.is_dir() {
        return Err(Fail::new(format!("{shown} is a folder")).with_hint("name a file"));
    }
    let mut bytes = Vec::new();
    file.take(limit + 1).read_to_end(&mut bytes).map_err(refused)?;
    if bytes.len() as u64 > limit {
        return Err(
            Fail::new(format!("{shown} is larger than {} MiB", limit >> 20)).with_hint("make it smaller")
        );
    }
    Ok(bytes)
}

/// A file that is not there, with the nearest name in its folder.
pub fn missing(path: &Path) -> Fail {
    let shown = crate::text::plain::shown(&path.display().to_string());
    if path.is_symlink() {
        return Fail::new(format!("{shown} is a link to a file that is not there"))
            .with_hint("name a file, or put back the one that the link names");
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names: Vec<String> = files.map(|file| file.file_name().to_string_lossy().into_owned()).collect();
    let known: Vec<&str> = names.iter().map(String::as_str).collect();
    let near = elsewhere(path).or_else(|| nearest(&name, &known).map(|near| path.with_file_name(near)));
    let near = near.map(|near| format!("did you mean \"{}\"?", near.display()));
    let hint = near.unwrap_or_else(|| "name a file from the current folder".to_owned());
    Fail::new(format!("there is no file {shown}")).with_hint(crate::text::plain::clean(&hint))
}

/// The file of this name in the current folder or in one above it, as it is named from here.
fn elsewhere(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?;
    let depth = current_folder().ok()?.components().count();
    let folders = (0..depth).map(|steps| (0..steps).map(|_| "..").collect::<PathBuf>());
    folders.map(|folder| folder.join(name)).find(|near| near != path && near.is_file())
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
