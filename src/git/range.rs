//! What a check compares: commits between two revisions, their trees, the index, and what a hook's
//! environment says about where objects are.

use std::cell::RefCell;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use git2::{ErrorCode, ObjectType, Oid, Repository, Sort};

use super::{Error, Repo, Unwritten, fault, short};

/// A commit of a range.
pub struct Step {
    pub commit: Oid,
    pub tree: Oid,
    pub parents: Vec<Oid>,
}

/// Whose index it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexKind {
    Own,
    /// Made by `git commit --all` for its commit alone.
    OfAllFiles,
    /// Made by `git commit FILE`.
    OfNamedFiles,
}

/// Where a line comes from.
pub struct Blamed {
    pub commit: Oid,
    pub author: String,
    /// When it was written, in seconds since the epoch.
    pub seconds: i64,
    pub subject: String,
}

/// The entry of a path in the index as it is on disk.
fn index_entry(repo: &Repo, path: &Path) -> Option<git2::IndexEntry> {
    repo.git.index().ok()?.get_path(path, 0)
}

impl Repo {
    /// Opens the repository that git's own variables name (`GIT_DIR` and its kin), as they do in a
    /// hook: an index of its own, objects that are in quarantine.
    ///
    /// # Errors
    /// No repository there, or one that libgit2 cannot read.
    pub(crate) fn open_from_env(path: &Path) -> Result<Repo, Error> {
        let git = Repository::open_from_env().map_err(|error| fault::unopened(path, &error))?;
        Ok(Repo { git, flushes: true, from_env: true, unwritten: Arc::default() })
    }

    /// Reads objects without computing their hashes again, as git itself does: they were computed
    /// when the objects came in. For programs that only read; it holds for the whole process.
    pub fn trust_objects(&self) {
        git2::opts::strict_hash_verification(false);
    }

    /// Keeps nothing in memory of what was read, so that reading much of a repository takes no more
    /// memory than reading little. It holds for the whole process.
    pub fn forget_objects(&self) {
        git2::opts::enable_caching(false);
    }

    /// The tree of a commit.
    ///
    /// # Errors
    /// No such commit, or one without its tree.
    pub fn tree_of(&self, commit: Oid) -> Result<Oid, Error> {
        Ok(self.git.find_commit(commit)?.tree_id())
    }

    /// The best common ancestors of two commits: several where branches were merged both ways.
    ///
    /// # Errors
    /// None; in a shallow clone the message says so.
    pub(crate) fn merge_bases(&self, base: Oid, head: Oid) -> Result<Vec<Oid>, Error> {
        let none = || Error::NoMergeBase {
            base: short(base),
            head: short(head),
            hint: if self.git.is_shallow() {
                fault::SHALLOW
            } else {
                "compare two commits as they are with --direct"
            },
        };
        match self.git.merge_bases(base, head) {
            Ok(bases) if bases.is_empty() => Err(none()),
            Ok(bases) => Ok(bases.iter().copied().collect()),
            Err(error) if error.code() == ErrorCode::NotFound => Err(none()),
            Err(error) => Err(error.into()),
        }
    }

    /// The best common ancestor of two commits, the first of several.
    ///
    /// # Errors
    /// As [`merge_bases`](Repo::merge_bases).
    pub(crate) fn merge_base(&self, base: Oid, head: Oid) -> Result<Oid, Error> {
        let bases = self.merge_bases(base, head)?;
        bases.first().copied().ok_or_else(|| Error::Damaged("two commits have no common one".to_owned()))
    }

    /// The references that a short name may stand for, where that is more than one: `main` as a tag and as a
    /// branch.
    pub(crate) fn meanings(&self, revision: &str) -> Vec<String> {
        let name = revision.split(['~', '^', '@', ':']).next().unwrap_or_default();
        if name.is_empty() || name == "HEAD" {
            return Vec::new();
        }
        let all =
            ["", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/"].map(|kind| format!("{kind}{name}"));
        let is_there = |name: &String| name.starts_with("refs/") && self.git.find_reference(name).is_ok();
        let found: Vec<String> = all.into_iter().filter(is_there).collect();
        if found.len() > 1 { found } else { Vec::new() }
    }

    /// The commits that references point at, tags included, each once.
    ///
    /// # Errors
    /// References that cannot be listed.
    pub(crate) fn tips(&self) -> Result<Vec<Oid>, Error> {
        let mut found = Vec::new();
        for reference in self.git.references()? {
            if let Ok(commit) = reference?.peel_to_commit()
                && !found.contains(&commit.id())
            {
                found.push(commit.id());
            }
        }
        Ok(found)
    }

    /// The commits that `head` has and `base` does not, the oldest first.
    ///
    /// # Errors
    /// A commit that is missing.
    pub(crate) fn commits_between(&self, base: Oid, head: Oid) -> Result<Vec<Step>, Error> {
        let mut walk = self.git.revwalk()?;
        walk.set_sorting(Sort::TOPOLOGICAL | Sort::REVERSE)?;
        walk.push(head)?;
        walk.hide(base)?;
        let mut found = Vec::new();
        for id in walk {
            let commit = self.git.find_commit(id?)?;
            let parents = commit.parent_ids().collect();
            found.push(Step { commit: commit.id(), tree: commit.tree_id(), parents });
        }
        Ok(found)
    }

    /// Every commit that another one is made from, itself included.
    ///
    /// # Errors
    /// A commit that is missing.
    pub fn history(&self, tip: Oid) -> Result<HashSet<Oid>, Error> {
        let mut walk = self.git.revwalk()?;
        walk.push(tip)?;
        Ok(walk.collect::<Result<_, _>>()?)
    }

    /// Whether a commit is another one or made from it.
    ///
    /// # Errors
    /// A commit that is missing.
    pub(crate) fn is_ancestor(&self, of: Oid, tip: Oid) -> Result<bool, Error> {
        Ok(of == tip || self.git.graph_descendant_of(tip, of)?)
    }

    /// The commit that a line (from one) of a file comes from, as `git blame` finds it.
    ///
    /// # Errors
    /// A file that is not there, or a history that cannot be read.
    pub(crate) fn blame(&self, commit: Oid, path: &str, line: usize) -> Result<Blamed, Error> {
        let mut options = git2::BlameOptions::new();
        options.newest_commit(commit).min_line(line).max_line(line);
        let blame = self.git.blame_file(Path::new(path), Some(&mut options))?;
        let hunk =
            blame.get_line(line).ok_or_else(|| Error::Damaged(format!("{path} has no line {line}")))?;
        let found = self.git.find_commit(hunk.final_commit_id())?;
        let author = found.author();
        Ok(Blamed {
            commit: found.id(),
            author: String::from_utf8_lossy(author.name_bytes()).into_owned(),
            seconds: author.when().seconds(),
            subject: self.subject_of(found.id())?,
        })
    }

    /// The first line of a commit's message.
    ///
    /// # Errors
    /// No such commit.
    pub(crate) fn subject_of(&self, commit: Oid) -> Result<String, Error> {
        Ok(self.message_of(commit)?.trim_start().lines().next().unwrap_or_default().to_owned())
    }

    /// The branches whose names begin so, in order.
    ///
    /// # Errors
    /// References that cannot be listed.
    pub(crate) fn branches(&self, prefix: &str) -> Result<Vec<String>, Error> {
        let mut found = Vec::new();
        for reference in self.git.references_glob(&format!("refs/heads/{prefix}*"))? {
            let name = String::from_utf8_lossy(reference?.name_bytes()).into_owned();
            found.extend(super::branch_of(&name).map(str::to_owned));
        }
        found.sort();
        Ok(found)
    }

    /// Whether a branch has commits that another commit is not made from.
    pub(crate) fn is_ahead(&self, branch: &str, of: Oid) -> bool {
        let tip = self.git.refname_to_id(&format!("refs/heads/{branch}"));
        tip.is_ok_and(|tip| !self.is_ancestor(tip, of).unwrap_or(false))
    }

    /// The parents of a commit.
    ///
    /// # Errors
    /// No such commit.
    pub(crate) fn parents_of(&self, commit: Oid) -> Result<Vec<Oid>, Error> {
        Ok(self.git.find_commit(commit)?.parent_ids().collect())
    }

    /// Whether history ends early here.
    pub(crate) fn is_shallow(&self) -> bool {
        self.git.is_shallow()
    }

    /// The message of a commit.
    ///
    /// # Errors
    /// No such commit.
    pub(crate) fn message_of(&self, commit: Oid) -> Result<String, Error> {
        Ok(String::from_utf8_lossy(self.git.find_commit(commit)?.message_bytes()).into_owned())
    }

    /// The tree that a commit of the index would have, and the repository to read it in: nothing is written.
    ///
    /// # Errors
    /// An index that is unmerged or that libgit2 cannot read.
    pub(crate) fn index_tree(&self) -> Result<(Oid, Repo), Error> {
        self.tree_in_memory(false)
    }

    /// Which index [`index_tree`](Self::index_tree) reads.
    ///
    /// # Errors
    /// An index that libgit2 cannot read.
    pub(crate) fn index_kind(&self) -> Result<IndexKind, Error> {
        let index = self.git.index().map_err(|error| fault::unread_index(&error))?;
        let name = index.path().and_then(Path::file_name).map(std::ffi::OsStr::to_string_lossy);
        Ok(match name.as_deref().and_then(|name| name.strip_suffix(".lock")) {
            Some(name) if name.starts_with("next-index-") => IndexKind::OfNamedFiles,
            Some(_) => IndexKind::OfAllFiles,
            None => IndexKind::Own,
        })
    }

    /// As [`index_tree`](Self::index_tree), of the files as they are on disk, also untracked ones that git does
    /// not ignore. The index stays as it is.
    ///
    /// # Errors
    /// An index that libgit2 cannot read, or a file that cannot be read.
    pub(crate) fn disk_tree(&self) -> Result<(Oid, Repo), Error> {
        self.tree_in_memory(true)
    }

    fn tree_in_memory(&self, is_on_disk: bool) -> Result<(Oid, Repo), Error> {
        let refused = |error: git2::Error| fault::unread_index(&error);
        let aside = self.in_memory()?;
        let mut index = aside.git.index().map_err(refused)?;
        if index.has_conflicts() {
            return Err(fault::unmerged_index().into());
        }
        if is_on_disk {
            // Of a sparse checkout only what is checked out is on disk.
            let is_skipped = |path: &Path| {
                let flag = git2::IndexEntryExtendedFlag::SKIP_WORKTREE.bits();
                index_entry(&aside, path).is_some_and(|entry| entry.flags_extended & flag != 0)
            };
            let last = RefCell::new(PathBuf::new());
            let mut keep = |path: &Path, _: &[u8]| {
                last.replace(path.to_owned());
                i32::from(is_skipped(path))
            };
            let read = index
                .update_all(["*"], Some(&mut keep))
                .and_then(|()| index.add_all(["*"], git2::IndexAddOption::DEFAULT, Some(&mut keep)));
            read.map_err(|error| fault::unread_file(self.work_tree(), &index, &last.borrow(), &error))?;
        }
        let root = index.write_tree_to(&aside.git).map_err(refused)?;
        let unwritten = self.unwritten_below(&aside, root)?;
        Ok((root, self.with_unwritten(Arc::new(unwritten))?))
    }

    /// The objects of a tree that another handle has in memory and this repository has not.
    fn unwritten_below(&self, aside: &Repo, root: Oid) -> Result<Unwritten, Error> {
        let (here, there) = (self.git.odb()?, aside.git.odb()?);
        let (mut found, mut seen, mut open) = (Unwritten::default(), HashSet::new(), vec![root]);
        while let Some(id) = open.pop() {
            if here.exists(id) || !seen.insert(id) {
                continue;
            }
            let object = there.read(id)?;
            if object.kind() != ObjectType::Tree {
                found.files.insert(id, object.data().to_vec());
                continue;
            }
            let tree = aside.git.find_tree(id)?;
            let below = tree.iter().filter(|entry| entry.kind() != Some(ObjectType::Commit));
            open.extend(below.map(|entry| entry.id()));
            found.trees.push(object.data().to_vec());
        }
        Ok(found)
    }

    /// Puts a file of the work tree into the index.
    ///
    /// # Errors
    /// A file that is not there, or an index that cannot be written.
    pub(crate) fn stage(&self, path: &str) -> Result<(), Error> {
        let mut index = self.git.index()?;
        index.add_path(Path::new(path))?;
        Ok(index.write()?)
    }

    /// The regular files of the index, by path.
    ///
    /// # Errors
    /// An index that is unmerged or that libgit2 cannot read.
    pub(crate) fn staged_files(&self) -> Result<Vec<(String, Oid)>, Error> {
        let aside = self.again()?;
        let index = aside.git.index().map_err(|error| fault::unread_index(&error))?;
        if index.has_conflicts() {
            return Err(fault::unmerged_index().into());
        }
        let files = index.iter().filter(|entry| entry.mode & 0o170_000 == 0o100_000);
        Ok(files.map(|entry| (String::from_utf8_lossy(&entry.path).into_owned(), entry.id)).collect())
    }

    /// The regular files of a tree, by path.
    ///
    /// # Errors
    /// An object that cannot be read.
    pub fn tree_files(&self, tree: Oid) -> Result<Vec<(String, Oid)>, Error> {
        let mut found = Vec::new();
        let mut open = vec![(String::new(), tree)];
        while let Some((prefix, id)) = open.pop() {
            for entry in &self.git.find_tree(id)? {
                let path = format!("{prefix}{}", String::from_utf8_lossy(entry.name_bytes()));
                match (entry.kind(), entry.filemode() & 0o170_000) {
                    (Some(ObjectType::Tree), _) => open.push((format!("{path}/"), entry.id())),
                    (Some(ObjectType::Blob), 0o100_000) => found.push((path, entry.id())),
                    _ => {}
                }
            }
        }
        found.sort();
        Ok(found)
    }

    /// The bytes at a path of a tree, if a file is there.
    ///
    /// # Errors
    /// An object that cannot be read.
    pub(crate) fn blob_at(&self, tree: Oid, path: &str) -> Result<Option<Vec<u8>>, Error> {
        let entry = match self.git.find_tree(tree)?.get_path(Path::new(path)) {
            Ok(entry) => entry,
            Err(error) if error.code() == ErrorCode::NotFound => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        match entry.kind() {
            Some(ObjectType::Blob) => self.bytes(entry.id()).map(Some),
            _ => Ok(None),
        }
    }

    /// Whether anything is at a path of a tree.
    ///
    /// # Errors
    /// A tree that cannot be read.
    pub(crate) fn has_path(&self, tree: Oid, path: &Path) -> Result<bool, Error> {
        match self.git.find_tree(tree)?.get_path(path) {
            Ok(_) => Ok(true),
            Err(error) if error.code() == ErrorCode::NotFound => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether a revision names a branch, and which: `main`, `origin/main`, `refs/heads/main`.
    pub(crate) fn branch_named(&self, revision: &str) -> Option<String> {
        let reference = self.git.resolve_reference_from_short_name(revision).ok()?;
        let name = reference.name().ok()?.to_owned();
        match name.strip_prefix("refs/remotes/") {
            Some(remote) => remote.split_once('/').map(|(_, branch)| branch.to_owned()),
            None => name.strip_prefix("refs/heads/").map(str::to_owned),
        }
    }

    /// The branch that HEAD is on, if it is on one.
    pub(crate) fn current_branch(&self) -> Option<String> {
        let head = self.git.find_reference("HEAD").ok()?;
        let target = head.symbolic_target().ok()??;
        target.strip_prefix("refs/heads/").map(str::to_owned)
    }

    /// What the current branch is to be merged into: its upstream, else the remote's main branch.
    pub(crate) fn upstream(&self) -> Option<String> {
        let names = ["@{upstream}", "origin/HEAD", "origin/main", "origin/master"];
        names.into_iter().find(|name| self.git.revparse_single(name).is_ok()).map(str::to_owned)
    }

    /// The commit that a full id names, if it is here.
    pub(crate) fn has(&self, commit: Oid) -> bool {
        self.git.find_commit(commit).is_ok()
    }

    /// Whether HEAD has a commit.
    pub(crate) fn head(&self) -> Result<Option<Oid>, Error> {
        match self.git.head() {
            Ok(head) => Ok(Some(head.peel_to_commit()?.id())),
            Err(error) if matches!(error.code(), ErrorCode::UnbornBranch | ErrorCode::NotFound) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}
