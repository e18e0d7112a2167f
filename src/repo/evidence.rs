//! The files that a model's [evidence](crate::model::evidence) is taken from, as a commit has them.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use git2::{ObjectType, Oid};
use globset::GlobSet;

use super::counts::Counts;
use super::{Error, Objects, Repo, There, trailers};
use crate::config;
use crate::discussion::event::Sent;
use crate::item::Item;
use crate::model::evidence::{
    Asked, Evidence, Files, Listed, again, commits, common, gather, is_prose_or_code, is_readable,
};
use crate::plain;
use crate::secrets;
use crate::text::index::Index;
use crate::voice::sources::Excerpt;

/// Larger files are data.
const LARGEST: u64 = 1 << 20;
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
    objects: Objects,
    commit: Oid,
    /// Those that are counted come first.
    listed: Vec<Listed>,
    counted: Vec<(String, Oid)>,
    /// Of the stems that were asked for first.
    counts: OnceCell<Counts>,
}

impl Repo {
    /// The evidence for an item and these messages, as the settings allow it.
    ///
    /// # Errors
    /// A tree that cannot be read.
    pub fn evidence(
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
    pub fn code(&self, commit: Oid, apart: &Apart<'_>) -> Result<Code<'_>, Error> {
        let is_in = |path: &str, folder: &str| {
            path.strip_prefix(folder.trim_end_matches('/')).is_some_and(|rest| rest.starts_with('/'))
        };
        let files = self.tree_files(self.tree_of(commit)?)?.into_iter();
        let files = files.filter(|(path, _)| {
            is_readable(path) && !is_in(path, apart.item) && !apart.exclude.is_match(path)
        });
        let (named, counted): (Vec<_>, Vec<_>) =
            files.partition(|(path, _)| apart.only_named.iter().any(|folder| is_in(path, folder)));
        let listed = |(path, id): &(String, Oid)| Listed { path: path.clone(), blob: id.to_string() };
        let listed: Vec<Listed> = counted.iter().chain(&named).map(listed).collect();
        let objects = self.objects(super::Unwritten::new()).of_history();
        Ok(Code { repo: self, objects, commit, listed, counted, counts: OnceCell::new() })
    }

    /// The evidence of a recording, as its commit has it.
    pub fn sent(&self, commit: Oid, sent: &[Sent]) -> Evidence {
        let objects = self.objects(super::Unwritten::new()).of_history();
        let text = |sent: &Sent| text(&objects, Oid::from_str(&sent.blob).ok()?);
        let excerpts: Vec<Excerpt> = again(sent, &text);
        let (listed, counted, counts) = (Vec::new(), Vec::new(), OnceCell::new());
        let objects_again = self.objects(super::Unwritten::new()).of_history();
        let code = Code { repo: self, objects: objects_again, commit, listed, counted, counts };
        Evidence { excerpts, sent: sent.to_vec(), commits: commits(sent, &code, usize::MAX) }
    }
}

/// The text of a blob that may be sent.
fn text(objects: &Objects, blob: Oid) -> Option<String> {
    let bytes = bytes(objects, blob)?;
    is_prose_or_code(&bytes).then(|| String::from_utf8_lossy(&bytes).into_owned())
}

/// The bytes of a blob that is not too large.
pub(super) fn bytes(objects: &Objects, blob: Oid) -> Option<super::objects::Bytes> {
    objects.read_small(blob, ObjectType::Blob, LARGEST).or_else(|| {
        let repo = objects.repo().ok()?;
        let (size, kind) = repo.git().odb().ok()?.read_header(blob).ok()?;
        (kind == ObjectType::Blob && size as u64 <= LARGEST).then(|| objects.blob(blob).ok()).flatten()
    })
}

impl Code<'_> {
    fn counts(&self, stems: &BTreeSet<String>) -> &Counts {
        let objects = || self.repo.objects(super::Unwritten::new());
        let most = common(self.listed.len());
        self.counts.get_or_init(|| Counts::of(self.repo, &self.counted, stems, most, &objects()))
    }
}

impl Files for Code<'_> {
    fn listed(&self) -> &[Listed] {
        &self.listed
    }

    fn spread(&self, stems: &BTreeSet<String>) -> BTreeMap<String, usize> {
        self.counts(stems).spread(stems)
    }

    fn index(&self, stems: &BTreeSet<String>) -> Index {
        self.counts(stems).index(stems)
    }

    fn text(&self, number: usize) -> Option<String> {
        let blob = Oid::from_str(&self.listed.get(number)?.blob).ok()?;
        text(&self.objects, blob)
    }

    fn touched(&self, paths: &[&str], most: usize) -> Vec<Vec<String>> {
        let mut found: Vec<Vec<String>> = vec![Vec::new(); paths.len()];
        let there = |commit: Oid| -> Vec<Option<There>> {
            paths.iter().map(|path| self.objects.there(commit, path)).collect()
        };
        let (mut at, mut now) = (self.commit, there(self.commit));
        for _ in 0..WALKED {
            // In a shallow clone nobody knows who touched what came before.
            let Some(parents) = parents(&self.objects, at) else { break };
            let before = match parents.first() {
                Some(parent) if self.objects.has(*parent) => there(*parent),
                Some(_) => break,
                None => vec![Some(There::Nothing); paths.len()],
            };
            for (number, (now, before)) in now.iter().zip(&before).enumerate() {
                let is_other = now.is_some() && before.is_some() && now != before;
                if is_other && found[number].len() < most {
                    found[number].extend(described(&self.objects, at));
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

fn parents(objects: &Objects, commit: Oid) -> Option<Vec<Oid>> {
    let bytes = objects.read(commit, ObjectType::Commit).ok()?;
    super::objects::parse(commit, &bytes).map(|(step, _)| step.parents)
}

/// A commit in one line: id, day and subject; those of ours touch no code.
fn described(objects: &Objects, commit: Oid) -> Option<String> {
    let bytes = objects.read(commit, ObjectType::Commit).ok()?;
    let (_, time) = super::objects::parse(commit, &bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    let message = text.split_once("\n\n").map_or("", |(_, message)| message);
    let subject = plain::cut(&plain::shown(message.lines().next().unwrap_or_default()), SUBJECT);
    if trailers(message).contains_key("Item") || secrets::mask(&subject).is_some() {
        return None;
    }
    let day = chrono::DateTime::from_timestamp(time, 0)?.format("%Y-%m-%d");
    Some(format!("{} {day} {subject}", super::short(commit)))
}
