//! The files that a model's [evidence](crate::voice::model::evidence) is taken from, as a commit has them.

use std::collections::BTreeSet;

use git2::Oid;
use globset::GlobSet;

use super::{AtPath, Error, Repo, trailers};
use crate::discussion::event::Sent;
use crate::item::Item;
use crate::item::config;
use crate::text::index::Index;
use crate::text::plain;
use crate::text::secrets;
use crate::voice::model::evidence::{
    Asked, Evidence, Files, Listed, again, commits, gather, is_prose_or_code, is_readable,
};
use crate::voice::sources::Excerpt;

/// Larger files are data.
const LARGEST: u64 = 1 << 20;
/// Of a file so many bytes are searched: what it is about is said by then.
const SEARCHED: usize = 48 << 10;
/// Files that a thread searches at a time.
const AT_A_TIME: usize = 256;
/// Commits that are looked at for those that touched a file.
const WALKED: usize = 400;
/// The longest subject of a commit, in characters.
const SUBJECT: usize = 90;

/// What evidence leaves out, besides what is never sent.
#[derive(Clone, Debug, Default)]
pub struct Apart<'a> {
    /// The item's own folder: its documents are sent as such.
    pub item: &'a str,
    /// Folders whose files are sent only where they are named: those of other items.
    pub only_named: Vec<&'a str>,
    pub exclude: GlobSet,
}

/// The files of a commit.
pub struct Code<'r> {
    repo: &'r Repo,
    commit: Oid,
    /// Those that are searched come first.
    listed: Vec<Listed>,
    searched: Vec<(String, Oid)>,
}

impl Repo {
    /// The evidence for an item and these messages, as the settings allow it.
    ///
    /// # Errors
    /// A tree that cannot be read.
    pub(crate) fn evidence(
        &self,
        commit: Oid,
        item: &Item,
        messages: Vec<&str>,
        settings: &config::Evidence,
        items: &[&str],
    ) -> Result<Evidence, Error> {
        if !settings.repository || settings.max_chars == 0 {
            return Ok(Evidence::default());
        }
        // The settings were read before: their globs are some.
        let exclude = settings.excluded().unwrap_or_default();
        let code = self.code(commit, &Apart { item: &item.path, only_named: items.to_vec(), exclude })?;
        let (subject, documents) = (item.name(), item.documents().collect());
        Ok(gather(&Asked { subject: &subject, documents, messages, max_chars: settings.max_chars }, &code))
    }

    /// Lists the files of a commit.
    ///
    /// # Errors
    /// A tree that cannot be read.
    pub(crate) fn code(&self, commit: Oid, apart: &Apart<'_>) -> Result<Code<'_>, Error> {
        let is_in = |path: &str, folder: &str| {
            path.strip_prefix(folder.trim_end_matches('/')).is_some_and(|rest| rest.starts_with('/'))
        };
        let files = self.tree_files(self.tree_of(commit)?)?.into_iter();
        let files = files.filter(|(path, _)| {
            is_readable(path) && !is_in(path, apart.item) && !apart.exclude.is_match(path)
        });
        let (named, searched): (Vec<_>, Vec<_>) =
            files.partition(|(path, _)| apart.only_named.iter().any(|folder| is_in(path, folder)));
        let listed = |(path, id): &(String, Oid)| Listed { path: path.clone(), blob: id.to_string() };
        let listed: Vec<Listed> = searched.iter().chain(&named).map(listed).collect();
        Ok(Code { repo: self, commit, listed, searched })
    }

    /// The evidence of a recording, as its commit has it.
    pub(crate) fn sent(&self, commit: Oid, sent: &[Sent]) -> Evidence {
        let text = |sent: &Sent| text(self, Oid::from_str(&sent.blob).ok()?);
        let excerpts: Vec<Excerpt> = again(sent, &text);
        let code = Code { repo: self, commit, listed: Vec::new(), searched: Vec::new() };
        Evidence { excerpts, sent: sent.to_vec(), commits: commits(sent, &code, usize::MAX) }
    }
}

/// The text of a blob that may be sent.
fn text(repo: &Repo, blob: Oid) -> Option<String> {
    let bytes = repo.small_bytes(blob, LARGEST)?;
    is_prose_or_code(&bytes).then(|| String::from_utf8_lossy(&bytes).into_owned())
}

/// An index of these terms in some files.
fn index(files: &[(String, Oid)], terms: &BTreeSet<String>, repo: &Repo) -> Index {
    let searched = |(path, id): &(String, Oid)| {
        let bytes = repo.small_bytes(*id, LARGEST).filter(|bytes| memchr::memchr(0, bytes).is_none());
        // The beginning may end within a letter.
        let beginning = bytes.as_ref().map_or(&[][..], |bytes| &bytes[..bytes.len().min(SEARCHED)]);
        format!("{path}\n{}", String::from_utf8_lossy(beginning))
    };
    let texts: Vec<String> = files.iter().map(searched).collect();
    Index::counting(texts.iter().map(String::as_str), |term| terms.contains(term))
}

impl Files for Code<'_> {
    fn listed(&self) -> &[Listed] {
        &self.listed
    }

    /// Files are searched on all threads, some at a time.
    fn index(&self, terms: &BTreeSet<String>) -> Index {
        let chunks: Vec<_> = self.searched.chunks(AT_A_TIME).collect();
        let mut parts: Vec<Index> = Vec::new();
        parts.resize_with(chunks.len(), Index::default);
        rayon_core::in_place_scope(|scope| {
            for (chunk, part) in chunks.into_iter().zip(&mut parts) {
                match self.repo.again() {
                    Ok(repo) => scope.spawn(move |_| *part = index(chunk, terms, &repo)),
                    // Here, where there is no other way to read them.
                    Err(_) => *part = index(chunk, terms, self.repo),
                }
            }
        });
        parts.into_iter().fold(Index::default(), Index::followed_by)
    }

    fn text(&self, number: usize) -> Option<String> {
        let blob = Oid::from_str(&self.listed.get(number)?.blob).ok()?;
        text(self.repo, blob)
    }

    fn touched(&self, paths: &[&str], most: usize) -> Vec<Vec<String>> {
        let mut found: Vec<Vec<String>> = vec![Vec::new(); paths.len()];
        let there = |commit: Oid| -> Vec<Option<AtPath>> {
            paths.iter().map(|path| self.repo.look_up(commit, path)).collect()
        };
        let (mut at, mut now) = (self.commit, there(self.commit));
        for _ in 0..WALKED {
            // In a shallow clone nobody knows who touched what came before.
            let Ok(parents) = self.repo.parents_of(at) else { break };
            let before = match parents.first() {
                Some(parent) if self.repo.has(*parent) => there(*parent),
                Some(_) => break,
                None => vec![Some(AtPath::Nothing); paths.len()],
            };
            for (number, (now, before)) in now.iter().zip(&before).enumerate() {
                let is_other = now.is_some() && before.is_some() && now != before;
                if is_other && found[number].len() < most {
                    found[number].extend(described(self.repo, at));
                }
            }
            let Some(parent) = parents.first() else { break };
            if found.iter().all(|lines| lines.len() >= most) {
                break;
            }
            (at, now) = (*parent, before);
        }
        found
    }
}

/// A commit in one line: id, day and subject; those of ours touch no code.
fn described(repo: &Repo, commit: Oid) -> Option<String> {
    let found = repo.git().find_commit(commit).ok()?;
    let message = String::from_utf8_lossy(found.message_bytes());
    let subject = plain::cut(&plain::shown(message.lines().next().unwrap_or_default()), SUBJECT);
    if trailers(&message).contains_key("Item") || secrets::mask(&subject).is_some() {
        return None;
    }
    let day = chrono::DateTime::from_timestamp(found.time().seconds(), 0)?.format("%Y-%m-%d");
    Some(format!("{} {day} {subject}", super::short(commit)))
}
