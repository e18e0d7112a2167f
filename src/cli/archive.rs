//! `roundtable archive`: moves lines of a living document to its archive, as `rule: kept` asks for.

use std::path::{Component, Path, PathBuf};

use clap::Args;
use serde_json::json;

use super::exit::{Code, Fail};
use super::screen::Screen;
use super::{Global, current_folder, open, read_file, write_whole};
use crate::additive::kept::{self, Archive, Move};
use crate::additive::{self, Rule};
use crate::config::{self, Config};
use crate::plain;
use crate::policy::Entry;

/// Larger documents are not read.
const LARGEST: u64 = 64 << 20;

#[derive(Debug, Args)]
#[command(
    after_help = "Example: roundtable archive docs/specs/fees.md:12-14 --reason \"Replaced by FR-009\"\n\nExit codes: 0 moved; 2 it could not be done, and nothing was changed."
)]
pub struct Options {
    /// The document and the lines that leave it: FILE:LINE or FILE:LINE-LINE
    #[arg(value_name = "FILE:LINE[-LINE]")]
    lines: String,
    /// Why, in one line; it is written into the archive
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// Show what would be moved, and change nothing
    #[arg(long)]
    dry_run: bool,
}

/// What is moved where.
struct Plan {
    document: String,
    archive: String,
    moved: Move,
    /// The archive's new text.
    text: String,
}

/// Moves the lines.
pub fn run(global: &Global, options: &Options, screen: &Screen) -> Result<Code, Fail> {
    let repo = open(global)?;
    let root =
        repo.work_tree().ok_or_else(|| Fail::new("a bare repository has no files to move lines in"))?;
    let (file, from, to) = place(&options.lines)?;
    let document = below(root, Path::new(file))?;
    let plan = plan(global, root, &document, (from, to), options.reason.as_deref())?;
    if plan.moved.archived.trim().is_empty() {
        return Err(Fail::new(format!(
            "{} holds nothing but blank lines; name lines with text",
            plain::shown(&options.lines)
        )));
    }
    if !options.dry_run {
        let write = |path: &str, text: &str| {
            let path = root.join(path);
            let folder = path.parent().unwrap_or(root);
            let written = std::fs::create_dir_all(folder).and_then(|()| write_whole(&path, text.as_bytes()));
            written.map_err(|error| {
                Fail::new(format!("{} cannot be written: {error}", plain::shown(&path.display().to_string())))
            })
        };
        // The archive first: what is written twice is not lost.
        write(&plan.archive, &plan.text)?;
        write(&plan.document, &plan.moved.document)?;
    }
    say(&plan, (from, to), options.dry_run, screen);
    Ok(Code::Yes)
}

fn say(plan: &Plan, (from, to): (usize, usize), dry: bool, screen: &Screen) {
    let (document, archive) = (plain::shown(&plan.document), plain::shown(&plan.archive));
    let lines = if from == to { format!("line {from}") } else { format!("lines {from} to {to}") };
    let verb = if dry { "Would move" } else { "Moved" };
    screen.say(&format!("{verb} {lines} of {document} to {archive}."));
    let (first, last) = plan.moved.lines;
    if (first, last) != (from, to) {
        screen.say(&format!("The archive has lines {first} to {last}: a block is archived as a whole."));
    }
    screen.say_diff(
        &plan.moved.archived.lines().map(|line| format!("+{}\n", plain::clean(line))).collect::<String>(),
    );
    screen.json(&json!({
        "document": plan.document, "archive": plan.archive, "dry_run": dry,
        "from": from, "to": to, "archived": plan.moved.archived,
    }));
}

/// What would be written, once it is sure that the check lets it pass.
fn plan(
    global: &Global,
    root: &Path,
    document: &str,
    (from, to): (usize, usize),
    reason: Option<&str>,
) -> Result<Plan, Fail> {
    let entry = entry(global, root, document)?;
    let before = text(&root.join(document))?;
    let is_markdown = additive::is_markdown(document);
    let moved = kept::take_lines(&before, from, to, is_markdown).ok_or_else(|| {
        let count = before.lines().count();
        Fail::new(format!("{} has {count} lines; name some of them", plain::shown(document)))
    })?;
    let archive = archive_of(&entry, document, is_markdown);
    let old = match root.join(&archive).exists() {
        true => text(&root.join(&archive))?,
        false => String::new(),
    };
    let text = grown(&old, document, (from, to), reason, &moved.archived, is_markdown);
    let mut gained = Archive::default();
    gained.gain(old.as_bytes(), text.as_bytes(), is_markdown);
    let mut lost = additive::compare(&archive, Rule::of(&archive), old.as_bytes(), text.as_bytes()).losses;
    let left = kept::losses(before.as_bytes(), moved.document.as_bytes(), is_markdown, &mut gained);
    lost.extend(left.into_iter().map(|found| found.at(document)));
    match lost.first() {
        None => Ok(Plan { document: document.to_owned(), archive, moved, text }),
        Some(loss) => Err(Fail::new(format!(
            "these lines cannot be moved by themselves: {loss}; name all lines of the list, table or quotation that they are in"
        ))),
    }
}

/// The entry of the policy that lets text leave a document.
fn entry(global: &Global, root: &Path, document: &str) -> Result<Entry, Fail> {
    let path = global.config.clone().unwrap_or_else(|| root.join(config::FILE));
    let name = plain::shown(&path.display().to_string());
    let config = match path.exists() || global.config.is_some() {
        true => Config::read(&name, &read_file(&path, 1 << 20)?)?,
        false => Config::default(),
    };
    let policy = config.policy().map_err(Fail::new)?;
    let applying = policy.applying(document.as_bytes(), None, &mut Vec::new);
    applying.into_iter().find(|entry| entry.archive.is_some()).cloned().ok_or_else(|| {
        Fail::new(format!(
            "{} is under no entry with `rule: kept`; add one to `append_only`, like {{path: {}, rule: kept, archive: docs/archive/}}",
            plain::shown(document),
            plain::shown(document)
        ))
    })
}

/// The archive of a document: the same path below the archive's folder, counted from the folder of the entry.
fn archive_of(entry: &Entry, document: &str, is_markdown: bool) -> String {
    let inside = document.strip_prefix(entry.folder()).map_or(document, |rest| rest.trim_start_matches('/'));
    let inside = if inside.is_empty() { document.rsplit('/').next().unwrap_or(document) } else { inside };
    // A text of another kind may not grow; a log may.
    let suffix = if is_markdown { "" } else { ".log" };
    format!("{}/{inside}{suffix}", entry.archive.as_deref().unwrap_or_default())
}

/// The archive with what it gains.
fn grown(
    old: &str,
    document: &str,
    (from, to): (usize, usize),
    reason: Option<&str>,
    archived: &str,
    is_markdown: bool,
) -> String {
    let day: String = super::now().to_string().chars().take(10).collect();
    let lines = if from == to { format!("line {from}") } else { format!("lines {from} to {to}") };
    let reason = reason.map(|reason| format!("Reason: {}\n\n", plain::one_line(&plain::clean(reason))));
    let reason = reason.unwrap_or_default();
    let name = plain::shown(document);
    if !is_markdown {
        return format!(
            "{old}{}{day}, {lines} of {name}\n{reason}{archived}",
            if old.is_empty() || old.ends_with('\n') { "" } else { "\n" }
        );
    }
    let start = match old {
        "" => format!("# Archive of {}\n\n", plain::markdown(&name)),
        old if old.ends_with("\n\n") => old.to_owned(),
        old if old.ends_with('\n') => format!("{old}\n"),
        old => format!("{old}\n\n"),
    };
    let reason =
        if reason.is_empty() { reason } else { format!("{}\n\n", plain::markdown(reason.trim_end())) };
    format!("{start}## {day}, {lines}\n\n{reason}{archived}")
}

/// The file and lines of the argument.
fn place(argument: &str) -> Result<(&str, usize, usize), Fail> {
    let wrong = || {
        Fail::new(format!(
            "\"{}\" names no lines; write it like docs/specs/fees.md:12-14",
            plain::shown(argument)
        ))
    };
    let (file, lines) = argument.rsplit_once(':').ok_or_else(wrong)?;
    let (from, to) = lines.split_once('-').unwrap_or((lines, lines));
    let number = |text: &str| text.parse::<usize>().ok().filter(|number| *number > 0).ok_or_else(wrong);
    let (from, to) = (number(from)?, number(to)?);
    if file.is_empty() || from > to { Err(wrong()) } else { Ok((file, from, to)) }
}

/// A path of the arguments, from the repository's root; links are not followed.
fn below(root: &Path, path: &Path) -> Result<String, Fail> {
    let refused = || {
        let shown = plain::shown(&path.display().to_string());
        Fail::new(format!("{shown} is no file of this repository; name one from the current folder"))
    };
    let root = root.canonicalize().map_err(|_| refused())?;
    let mut whole = PathBuf::new();
    for part in current_folder()?.canonicalize().map_err(|_| refused())?.join(path).components() {
        match part {
            Component::ParentDir => {
                whole.pop();
            }
            Component::CurDir => {}
            other => whole.push(other),
        }
    }
    let inside = whole.strip_prefix(&root).map_err(|_| refused())?;
    let is_file = std::fs::symlink_metadata(&whole).is_ok_and(|found| found.is_file());
    let names: Option<Vec<&str>> = inside.components().map(|part| part.as_os_str().to_str()).collect();
    names.filter(|_| is_file).map(|names| names.join("/")).ok_or_else(refused)
}

fn text(path: &Path) -> Result<String, Fail> {
    let shown = plain::shown(&path.display().to_string());
    String::from_utf8(read_file(path, LARGEST)?).map_err(|_| Fail::new(format!("{shown} is not UTF-8")))
}
