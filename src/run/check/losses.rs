//! Declared losses of a change: read from its trees, held against what was found, and written on demand.

use std::collections::HashMap;

use git2::Oid;

use super::Report;
use crate::additive::Finding;
use crate::additive::declared::{self, Declaration, DeclaredLoss};
use crate::additive::policy::{LOSSES, Policy};
use crate::git::{After, Repo, differing_paths};
use crate::run::clock::fixed_or_now;
use crate::run::files::write_whole;
use crate::run::{Fail, Observer};

const FORBIDDEN: &str = "the base's policy says `losses: none`";

/// A declared loss that covers nothing: the file, and what it names.
pub type Unused = (String, DeclaredLoss);

/// The declarations that a change adds; where a policy forbids them none, and a notice of those that are there.
pub fn declared(
    repo: &Repo,
    policies: &[Policy],
    old: Option<Oid>,
    new: Option<Oid>,
) -> Result<(Vec<Declaration>, Option<String>), Fail> {
    let mut added = Vec::new();
    let folder = LOSSES.as_bytes();
    let is_below = |path: &[u8], above: &[u8]| {
        path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
    };
    let reaches = |path: &[u8]| is_below(path, folder) || is_below(folder, path);
    differing_paths(repo, new, old, &reaches, &mut |one| {
        if one.after == After::Nothing && is_below(&one.path, folder) {
            added.push((String::from_utf8_lossy(&one.path).into_owned(), one.old.id));
        }
    })?;
    let is_file = |path: &str| path.ends_with(".yaml") || path.ends_with(".yml");
    if !policies.iter().all(|policy| policy.allows_losses) {
        let first = added.first().map(|(path, _)| crate::text::plain::shown(path));
        return Ok((Vec::new(), first.map(|path| format!("{path} covers nothing: {FORBIDDEN}"))));
    }
    let mut found = Vec::new();
    for (path, id) in added.into_iter().filter(|(path, _)| is_file(path)) {
        let bytes = repo.bytes(id)?;
        found.push(Declaration::read(&path, &bytes).map_err(|wrong| {
            Fail::new(crate::text::plain::clean(&wrong))
                .with_hint("`roundtable check --declare REASON` writes such a file")
        })?);
    }
    Ok((found, None))
}

/// Marks what is declared, and gives back what covers nothing.
pub fn cover(declarations: &[Declaration], report: &mut Report) -> Vec<Unused> {
    let files = report.files.iter_mut();
    let findings = files.flat_map(|file| {
        let path = file.path.as_str();
        file.compared.findings.iter_mut().map(move |finding| (path, finding))
    });
    declared::cover(declarations, findings)
}

/// Everything that is lost, each loss as often as one comparison has it: of two merge bases both may see the same.
fn lost_in(reports: &[(Report, bool)]) -> Vec<(&str, &Finding)> {
    let mut lost = Vec::new();
    let mut counted = HashMap::new();
    for (report, _) in reports {
        let mut own = HashMap::new();
        for file in &report.files {
            for finding in file.findings().iter().filter(|finding| finding.fails()) {
                let key = (file.path.as_str(), finding.kind.name(), finding.old.as_str(), finding.line);
                let count = own.entry(key).or_insert(0_usize);
                *count += 1;
                if *count > counted.get(&key).copied().unwrap_or_default() {
                    counted.insert(key, *count);
                    lost.push((file.path.as_str(), finding));
                }
            }
        }
    }
    lost
}

/// Writes a declaration of everything that is lost, and tells its path; none where nothing is.
pub fn declare(
    repo: &Repo,
    reports: &[(Report, bool)],
    reason: &str,
    is_staged: bool,
    may: bool,
    observer: &dyn Observer,
) -> Result<Option<String>, Fail> {
    if !may {
        return Err(Fail::new(FORBIDDEN).with_hint("put back what is lost"));
    }
    if reason.trim().is_empty() {
        return Err(
            Fail::new("--declare needs a reason").with_hint("say in a few words why the loss is right")
        );
    }
    let lost = lost_in(reports);
    if lost.is_empty() {
        let other = if is_staged { " in the index; --worktree looks at the files" } else { "" };
        observer.say(&format!("Nothing to declare: nothing is lost{other}."));
        return Ok(None);
    }
    let Some(root) = repo.work_tree() else {
        return Err(
            Fail::new("a bare repository has no folder to write to").with_hint("declare the loss in a clone")
        );
    };
    let now = fixed_or_now()?;
    let mut declaration = Declaration::of(String::new(), reason, &lost);
    declaration.file = format!("{LOSSES}/{}", declaration.name(&now.day()));
    let text = declaration.written();
    let path = root.join(&declaration.file);
    let wrong = |error: std::io::Error| Fail::new(format!("{} cannot be written: {error}", declaration.file));
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(wrong)?;
    }
    write_whole(&path, text.as_bytes()).map_err(wrong)?;
    if is_staged && let Err(error) = repo.stage(&declaration.file) {
        // What could not be staged declares nothing.
        std::fs::remove_file(&path).map_err(wrong)?;
        return Err(error.into());
    }
    observer.say_strong(&declaration.file);
    observer.say(text.trim_end());
    observer.note(if is_staged {
        "it is staged; commit it with the change"
    } else {
        "git add it, and commit it with the change"
    });
    Ok(Some(declaration.file))
}
