//! Where the item of an issue is, or will be, and on which branch the next run goes on.
//!
//! A branch that was merged or whose pull request was closed is left as it is: the next run begins at the default
//! branch, under the next free name, and says what it leaves out.

use std::collections::BTreeSet;

use git2::Oid;

use super::Job;
use crate::github::hub::PullState;
use crate::github::service;
use crate::github::thread::Thread;
use crate::item::meta::{Meta, Source};
use crate::run::Fail;
use crate::run::before;
use crate::run::place;
use crate::text::links::{linked_files, named_item};
use crate::text::path;
use crate::text::plain::{self, count};
use path::slug_of;

/// Branches of an item that are looked at, the newest first.
const MAX_BRANCHES: usize = 3;

/// Where the item of an issue is, or will be.
pub(super) struct Target {
    pub(super) item: String,
    pub(super) branch: String,
    /// What is left out of earlier discussions, and why.
    pub(super) leaves: Vec<String>,
    /// The open pull request of the branch.
    pub(super) pull: Option<String>,
    /// Nobody has looked for its pull requests yet.
    pub(super) is_new: bool,
    /// The issue names the item, which is not made of it.
    pub(super) is_named: bool,
}

/// The default branch and the branches of ours, with their tips.
struct Places {
    head: Oid,
    branches: Vec<(String, Oid)>,
}

impl Places {
    fn is_branch(&self, name: &str) -> bool {
        self.branches.iter().any(|(known, _)| known == name)
    }
}

impl Job<'_> {
    /// The item of the issue: the one that says so, on the default branch or on one of ours, else
    /// one that is named by the title.
    pub(super) fn find_target(&mut self, thread: &Thread) -> Result<Target, Fail> {
        let places = self.places()?;
        if let Some(item) = self.named_item(thread, &places)? {
            return self.target_of_named(item, &places);
        }
        let on_default = self.item_at(places.head, thread.number)?;
        let mut carriers = Vec::new();
        for (branch, tip) in &places.branches {
            if let Some(path) = self.item_at(*tip, thread.number)? {
                carriers.push((branch.clone(), *tip, path));
            }
        }
        // The highest number of a name is the newest branch.
        carriers.sort_by(|(a, ..), (b, ..)| (b.len(), b).cmp(&(a.len(), a)));
        let found = on_default.or_else(|| carriers.first().map(|(.., path)| path.clone()));
        let item = match (found, self.linked_item(thread, &places)?) {
            (Some(item), _) => item,
            (None, Some(linked)) => return self.target_of_named(linked, &places),
            (None, None) => return self.new_target(thread, &places),
        };
        self.on_branch(item, carriers, &places)
    }

    /// The item goes on on the newest branch that carries it, else on a new one.
    fn on_branch(
        &mut self,
        item: String,
        carriers: Vec<(String, Oid, String)>,
        places: &Places,
    ) -> Result<Target, Fail> {
        let (branch, leaves) = (String::new(), Vec::new());
        let mut target = Target { item, branch, leaves, pull: None, is_new: false, is_named: false };
        for (branch, tip, path) in carriers.into_iter().take(MAX_BRANCHES) {
            match self.left(&branch, tip, &path, places.head)? {
                Ok(pull) => return Ok(Target { branch, pull, ..target }),
                Err(why) => target.leaves.extend(why),
            }
        }
        let name = format!("roundtable/{}", place::slug(&target.item));
        let numbered = (2..1_000).map(|number| format!("{name}-{number}"));
        let mut names = std::iter::once(name.clone()).chain(numbered);
        target.branch = names.find(|name| !places.is_branch(name)).unwrap_or(name);
        Ok(target)
    }

    /// The item of the default branch that the last line `Item: PATH` of the issue names.
    fn named_item(&self, thread: &Thread, places: &Places) -> Result<Option<String>, Fail> {
        let texts = texts(thread);
        let Some(path) = texts.iter().rev().find_map(|text| named_item(text)) else { return Ok(None) };
        let is_plain = path.split('/').all(|part| !part.is_empty() && part != "..");
        let folders = self.config.folders();
        let found = if is_plain { self.repo.find_item(places.head, &path, &folders).ok() } else { None };
        found.map(Some).ok_or_else(|| {
            let shown = plain::shown(&path);
            Fail::new(format!("the line \"Item: {shown}\" names no item of the default branch"))
                .with_hint("name a folder with documents in a new comment, and set the label again")
        })
    }

    /// The item of the default branch whose documents the issue links, where it links those of no other.
    fn linked_item(&self, thread: &Thread, places: &Places) -> Result<Option<String>, Fail> {
        let page = service::page(&self.hub, "")?;
        let mut linked = BTreeSet::new();
        for path in texts(thread).into_iter().flat_map(|text| linked_files(text, &page)) {
            // A path that is nowhere, or leads through a link, is of no item.
            let found = self.repo.item_and_name(places.head, &path).ok().flatten().map(|(item, _)| item);
            linked.extend(found.or_else(|| self.repo.laid_out_above(places.head, &path).ok().flatten()));
        }
        Ok(linked.pop_first().filter(|_| linked.is_empty()))
    }

    /// Where an item goes on that an issue names: on its own branches.
    fn target_of_named(&mut self, item: String, places: &Places) -> Result<Target, Fail> {
        let name = format!("roundtable/{}", place::slug(&item));
        let is_own = |branch: &str| {
            let number = branch.strip_prefix(name.as_str()).and_then(|rest| rest.strip_prefix('-'));
            branch == name || number.is_some_and(|number| number.parse::<u32>().is_ok())
        };
        let own = places.branches.iter().filter(|(branch, _)| is_own(branch));
        let mut carriers = Vec::new();
        for (branch, tip) in own {
            if self.repo.exists(*tip, &item)? {
                carriers.push((branch.clone(), *tip, item.clone()));
            }
        }
        carriers.sort_by(|(a, ..), (b, ..)| (b.len(), b).cmp(&(a.len(), a)));
        let target = self.on_branch(item, carriers, places)?;
        Ok(Target { is_named: true, ..target })
    }

    /// The remote knows of branches that this clone has never seen.
    fn places(&self) -> Result<Places, Fail> {
        let mut branches = self.repo.fetch_below(&service::remote(&self.hub)?, "roundtable")?;
        for (name, tip) in self.repo.branches_below("roundtable")? {
            if !branches.iter().any(|(known, _)| *known == name) {
                branches.push((name, tip));
            }
        }
        Ok(Places { head: self.repo.resolve("HEAD")?, branches })
    }

    /// The path of the item at a commit.
    fn item_at(&self, commit: Oid, number: u64) -> Result<Option<String>, Fail> {
        for folder in self.config.folders() {
            for path in self.repo.items(commit, folder)? {
                if self.is_of(commit, &path, number)? {
                    return Ok(Some(path));
                }
            }
        }
        Ok(None)
    }

    /// A place for an issue that has no item yet.
    fn new_target(&self, thread: &Thread, places: &Places) -> Result<Target, Fail> {
        let plain = slug_of(&thread.title, thread.number);
        let numbered = std::iter::successors(Some(format!("{plain}-{}", thread.number)), |last| {
            Some(format!("{last}-{}", thread.number))
        });
        for slug in std::iter::once(plain.clone()).chain(numbered).take(20) {
            let (branch, item) = (format!("roundtable/{slug}"), format!("{}/{slug}", self.config.items()));
            let mut is_taken = places.is_branch(&branch) || self.repo.exists(places.head, &item)?;
            for (_, tip) in &places.branches {
                is_taken |= self.repo.exists(*tip, &item)?;
            }
            if !is_taken {
                return Ok(Target {
                    item,
                    branch,
                    leaves: Vec::new(),
                    pull: None,
                    is_new: true,
                    is_named: false,
                });
            }
        }
        Err(Fail::new(format!("no name is free for an item of the issue {}", thread.number))
            .with_hint(format!("add one by hand with roundtable add ITEM --issue {}", thread.number)))
    }

    /// The open pull request of a branch that goes on; or why the branch is left, in a sentence where that
    /// leaves something out.
    fn left(
        &mut self,
        branch: &str,
        tip: Oid,
        item: &str,
        head: Oid,
    ) -> Result<Result<Option<String>, Option<String>>, Fail> {
        let pulls = self.hub.pulls(branch);
        let pulls = self.warn("the pull requests cannot be read", pulls).unwrap_or_default();
        if let Some(open) = pulls.iter().find(|pull| pull.state == PullState::Open) {
            return Ok(Ok(Some(open.address.clone())));
        }
        let (how, address) = match pulls.first() {
            None if before::is_merged(&self.repo, tip, head)? => ("was merged", String::new()),
            None => return Ok(Ok(None)),
            Some(pull) => {
                let how = if pull.state == PullState::Merged { "was merged" } else { "was closed" };
                (how, format!(" ({})", pull.address))
            }
        };
        let merged = self.repo.logs(head, item)?;
        let logs = self.repo.logs(tip, item)?;
        let missing = logs.iter().filter(|log| !merged.contains(log)).count();
        let why = format!(
            "`{branch}` {how}{address}, and this run begins at the default branch. It leaves out {} that only `{branch}` has.",
            count(missing, "recording")
        );
        Ok(Err((missing > 0).then_some(why)))
    }

    /// Whether the item at a path is the one of an issue.
    pub(super) fn is_of(&self, commit: Oid, path: &str, number: u64) -> Result<bool, Fail> {
        let file = format!("{path}/{}", crate::item::meta::FILE);
        let bytes = self.repo.file(commit, &file)?.unwrap_or_default();
        let id = Source::GitHub(number).id();
        Ok(Meta::read(&file, &bytes).is_ok_and(|meta| meta.source_id() == id.as_deref()))
    }

    /// Refuses a commit on which another issue has taken the item meanwhile.
    pub(super) fn still_ours(&self, commit: Oid, target: &Target, number: u64) -> Result<(), Fail> {
        if !target.is_named
            && self.repo.exists(commit, &target.item)?
            && !self.is_of(commit, &target.item, number)?
        {
            self.is_overtaken.set(true);
            return Err(Fail::new(format!("{} has become another issue's item meanwhile", target.item))
                .with_hint("set the label again"));
        }
        Ok(())
    }

    /// Refuses a branch that brings templates of its own: those of the default branch say what is written.
    pub(super) fn has_no_own_templates(&self, target: &Target) -> Result<(), Fail> {
        let Some(tip) = self.repo.tip(&target.branch)? else { return Ok(()) };
        let base = self.repo.merge_base(self.repo.resolve("HEAD")?, tip)?;
        let templates = |commit: Oid| -> Result<_, Fail> {
            let folder = self.own.at(&self.repo, commit)?.templates;
            folder.map_or(Ok(Vec::new()), |folder| Ok(self.repo.overlay(commit, &folder)?))
        };
        if templates(tip)? != templates(base)? {
            return Err(Fail::new(format!("{} changes the templates", target.branch))
                .with_hint("merge that into the default branch first, and set the label again"));
        }
        Ok(())
    }

    /// The commit that the next run starts from.
    pub(super) fn start(&self, target: &Target) -> Result<Oid, Fail> {
        match self.repo.tip(&target.branch)? {
            Some(tip) => Ok(tip),
            None => Ok(self.repo.resolve("HEAD")?),
        }
    }

    /// The last of the item's completed steps, else the first of all.
    pub(super) fn current_step(&self, target: &Target) -> Result<String, Fail> {
        let commit = self.start(target)?;
        let file = format!("{}/{}", target.item, crate::item::meta::FILE);
        let steps = match self.repo.file(commit, &file)? {
            Some(bytes) => Meta::read(&file, &bytes)?.steps_completed(),
            None => Vec::new(),
        };
        Ok(steps
            .last()
            .filter(|step| crate::item::step::is_step_id(step))
            .cloned()
            .unwrap_or_else(|| "00-01".to_owned()))
    }

    /// Brings the branch to where the remote has it.
    pub(super) fn follow(&self, target: &Target) -> Result<(), Fail> {
        let remote = service::remote(&self.hub)?;
        if let Some(tip) = self.repo.fetch(&remote, &target.branch)? {
            self.repo.follow(&target.branch, tip, None)?;
        }
        Ok(())
    }
}

/// The texts by people with the right to write: only they say what an issue belongs to.
fn texts(thread: &Thread) -> Vec<&str> {
    let body = Some(thread.source.body.as_str()).filter(|_| !thread.source.is_outsider);
    body.into_iter().chain(thread.texts()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_is_made_of_plain_words() {
        for (title, slug) in [
            ("Late fees for library books", "late-fees-for-library-books"),
            ("../../.git/config", "git-config"),
            ("Überfällige Bücher", "berf-llige-b-cher"),
            ("延滞料金", "issue-7"),
            ("CON", "con-7"),
            ("Aux.", "aux-7"),
            ("-x --upload-pack=evil", "x-upload-pack-evil"),
            ("one two three four five six seven", "one-two-three-four-five-six"),
        ] {
            assert_eq!(slug_of(title, 7), slug, "{title}");
        }
        assert!(slug_of(&"word".repeat(100), 7) == "issue-7");
    }
}
