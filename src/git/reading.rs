//! Commits, items and recordings read through [`Objects`], many times faster than through libgit2.
//!
//! Only plain objects are read here. Missing, foreign, large or damaged ones are asked of
//! [`Repo`](super::Repo), whose answer it is then, or whose complaint: so there is one place that says what is wrong.

use std::cmp::Ordering;
use std::collections::HashSet;

use git2::{ObjectType, Oid};

use super::compare::{Entries, FOLDER, order};
use super::objects::Bytes;
use super::objects::parse;
use super::{DEPTH, Entry, Error, ItemFolder, Objects, kind_of};
use crate::item::{self, Begin, File, Item, Meta, meta};

/// What is at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum There {
    Nothing,
    File(Oid),
    Folder(Oid),
}

impl Objects {
    /// Whether there is a commit of this id.
    pub fn has(&self, commit: Oid) -> bool {
        self.root(commit).is_some() || self.repo().is_ok_and(|repo| repo.has(commit))
    }

    /// What is at a path of a commit; none where that takes more than a look.
    pub fn there(&self, commit: Oid, path: &str) -> Option<There> {
        let mut found = There::Folder(self.root(commit)?);
        for name in path.split('/') {
            found = match found {
                There::Folder(tree) => entry(&self.read(tree, ObjectType::Tree).ok()?, name.as_bytes())?,
                There::File(_) | There::Nothing => return Some(There::Nothing),
            };
        }
        Some(found)
    }

    /// The bytes of a blob.
    ///
    /// # Errors
    /// An object that is missing, or no blob.
    pub fn blob(&self, id: Oid) -> Result<Bytes, Error> {
        self.read(id, ObjectType::Blob)
    }

    /// As [`Repo::item_or_new`](super::Repo::item_or_new), where only the files that are `wanted`, and
    /// meta.json, are read; the others are files that nothing is read from.
    ///
    /// # Errors
    /// As there.
    pub fn item_or_new(
        &self,
        commit: Oid,
        path: &str,
        begin: Begin<'_>,
        wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Item, Error> {
        let wanted = |name: &str| name == meta::FILE || wanted(name);
        match self.plain_item(commit, path, &wanted) {
            Some(item) => Ok(item.with_draft(begin.draft)),
            None => self.repo()?.item_or_new(commit, path, begin),
        }
    }

    fn plain_item(&self, commit: Oid, path: &str, wanted: &dyn Fn(&str) -> bool) -> Option<Item> {
        let There::Folder(tree) = self.there(commit, path)? else { return None };
        let mut read = ItemFolder::default();
        self.read_folder(tree, "", 0, wanted, &mut read)?;
        let ItemFolder { files, recordings, ids } = read;
        let Some(File::Bytes(bytes)) = files.get(meta::FILE) else { return None };
        let meta = Meta::read(&format!("{path}/{}", meta::FILE), bytes).ok()?;
        // A document that lies beside the folder is read there.
        let is_beside = meta.document().is_some_and(|name| !files.contains_key(name));
        (!is_beside).then(|| Item { path: path.to_owned(), meta, files, recordings, ids, beside: None })
    }

    fn read_folder(
        &self,
        tree: Oid,
        prefix: &str,
        depth: usize,
        wanted: &dyn Fn(&str) -> bool,
        read: &mut ItemFolder,
    ) -> Option<()> {
        let bytes = self.read(tree, ObjectType::Tree).ok()?;
        let mut before: Option<(&[u8], bool)> = None;
        for entry in Entries(&bytes) {
            let entry = entry?;
            let this = (entry.name, entry.mode == FOLDER);
            // libgit2 says what it makes of a tree that is out of order, or names something twice.
            if before.is_some_and(|before| order(before, this) != Ordering::Less) {
                return None;
            }
            before = Some(this);
            let entry = entry.entry()?;
            let name = format!("{prefix}{}", String::from_utf8_lossy(entry.name));
            let is_ours = prefix.is_empty() && name.eq_ignore_ascii_case("elaborations");
            match kind_of(entry.object.mode) {
                Entry::Folder if is_ours && name == "elaborations" => {
                    let bytes = self.read(entry.object.id, ObjectType::Tree).ok()?;
                    for entry in Entries(&bytes) {
                        read.recordings.push(String::from_utf8_lossy(entry?.name).into_owned());
                    }
                }
                _ if is_ours => return None,
                Entry::Folder if depth < DEPTH => {
                    let prefix = format!("{name}/");
                    self.read_folder(entry.object.id, &prefix, depth + 1, wanted, read)?;
                }
                Entry::File if !item::is_document(&name) || !wanted(&name) => {
                    read.ids.insert(name.clone(), entry.object.id.to_string());
                    read.files.insert(name, File::Opaque);
                }
                Entry::File => {
                    let bytes = self.read_small(entry.object.id, ObjectType::Blob, item::LARGEST)?;
                    let pointer = item::is_pointer(&bytes);
                    read.ids.insert(name.clone(), entry.object.id.to_string());
                    read.files.insert(name, if pointer { File::Opaque } else { File::Bytes(bytes.to_vec()) });
                }
                Entry::Folder => return None,
                Entry::Foreign(what) => {
                    read.files.insert(name, File::Foreign(what));
                }
            }
        }
        Some(())
    }

    /// As [`Repo::recordings`](super::Repo::recordings).
    ///
    /// # Errors
    /// As there.
    pub fn recordings(
        &self,
        commit: Oid,
        items: &str,
        each: &mut dyn FnMut(&str, &str, Oid) -> bool,
    ) -> Result<usize, Error> {
        match self.there(commit, items) {
            Some(There::Folder(tree)) => {
                let mut count = 0;
                self.list(tree, items, 0, &mut count, each)?;
                Ok(count)
            }
            _ => self.repo()?.recordings(commit, items, each),
        }
    }

    /// Lists the recordings of the item that a folder is, else those below it; whether more are wanted.
    fn list(
        &self,
        tree: Oid,
        at: &str,
        depth: usize,
        count: &mut usize,
        each: &mut dyn FnMut(&str, &str, Oid) -> bool,
    ) -> Result<bool, Error> {
        let damaged = || Error::Damaged(format!("the tree {tree} cannot be read"));
        let bytes = self.tree(tree)?;
        let found = super::compare::entries(&bytes).ok_or_else(damaged)?;
        let named = |name: &str| found.iter().find(|entry| entry.name == name.as_bytes());
        if named(meta::FILE).is_none_or(|entry| !matches!(kind_of(entry.object.mode), Entry::File)) {
            for entry in found.iter().filter(|entry| entry.is_folder() && depth < DEPTH) {
                let below = format!("{at}/{}", String::from_utf8_lossy(entry.name));
                if !self.list(entry.object.id, &below, depth + 1, count, each)? {
                    return Ok(false);
                }
            }
            return Ok(true);
        }
        let Some(folder) = named("elaborations") else { return Ok(true) };
        let path = format!("{at}/elaborations");
        match kind_of(folder.object.mode) {
            Entry::Folder => {}
            Entry::File => return Ok(true),
            Entry::Foreign(what) => return Err(Error::Foreign { path, what }),
        }
        let bytes = self.tree(folder.object.id)?;
        for entry in Entries(&bytes) {
            let entry = entry.and_then(|entry| entry.entry()).ok_or_else(damaged)?;
            let name = String::from_utf8_lossy(entry.name);
            if matches!(kind_of(entry.object.mode), Entry::File) && name.ends_with(".jsonl") {
                *count += 1;
                if !each(at, &format!("{path}/{name}"), entry.object.id) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// As [`Repo::history`](super::Repo::history).
    ///
    /// # Errors
    /// A commit that is missing.
    pub fn history(&self, tip: Oid) -> Result<HashSet<Oid>, Error> {
        let (mut found, mut open) = (HashSet::new(), vec![tip]);
        while let Some(commit) = open.pop() {
            if !found.insert(commit) {
                continue;
            }
            let step = self.read(commit, ObjectType::Commit).ok().and_then(|bytes| parse(commit, &bytes));
            // In a shallow clone a parent may be missing by rights.
            let Some((step, _)) = step else { return self.repo()?.history(tip) };
            open.extend(step.parents);
        }
        Ok(found)
    }
}

/// The entry of a name; none where the tree cannot be read, or it is neither a file nor a folder.
fn entry(tree: &[u8], name: &[u8]) -> Option<There> {
    for entry in Entries(tree) {
        let entry = entry?;
        if entry.is_named(name) {
            return match kind_of(entry.mode) {
                Entry::File => entry.id().map(There::File),
                Entry::Folder => entry.id().map(There::Folder),
                Entry::Foreign(_) => None,
            };
        }
    }
    Some(There::Nothing)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::{Repo, Unwritten};
    use git2::{Repository, Signature, Time};

    /// A repository with one commit of these files; a path that ends in `@` is a symbolic link.
    fn repository(files: &[(&str, &str)]) -> (tempfile::TempDir, Repo, Oid) {
        let dir = tempfile::tempdir().unwrap();
        let git = Repository::init_bare(dir.path()).unwrap();
        let mut builder = git2::build::TreeUpdateBuilder::new();
        for (path, text) in files {
            let mode = if path.ends_with('@') { git2::FileMode::Link } else { git2::FileMode::Blob };
            builder.upsert(path.trim_end_matches('@'), git.blob(text.as_bytes()).unwrap(), mode);
        }
        let empty = git.find_tree(git.treebuilder(None).unwrap().write().unwrap()).unwrap();
        let tree = git.find_tree(builder.create_updated(&git, &empty).unwrap()).unwrap();
        let who = Signature::new("Sam", "sam@example.org", &Time::new(1_771_000_000, 0)).unwrap();
        let first = git.commit(None, &who, &who, "first", &empty, &[]).unwrap();
        let first = git.find_commit(first).unwrap();
        let commit = git.commit(None, &who, &who, "second", &tree, &[&first]).unwrap();
        let repo = Repo::open(dir.path()).unwrap();
        (dir, repo, commit)
    }

    const FILES: [(&str, &str); 8] = [
        ("items/a/meta.json", "{\"name\": \"A\"}"),
        ("items/a/spec.md", "# A\n"),
        ("items/a/parts/other.md", "# B\n"),
        ("items/a/photo.png", "x"),
        ("items/a/elaborations/01-03-x.jsonl", "{}\n"),
        ("items/a/elaborations/notes.txt", ""),
        ("items/deep/er/b/meta.json", "{}"),
        ("items/deep/er/b/elaborations/01-03-y.jsonl", ""),
    ];

    #[test]
    fn what_is_read_is_what_libgit2_reads() {
        let (_dir, repo, commit) = repository(&FILES);
        let objects = repo.objects(Unwritten::new());
        assert!(objects.has(commit) && !objects.has(Oid::from_bytes(&[7; 20]).unwrap()));
        assert_eq!(objects.history(commit).unwrap(), repo.history(commit).unwrap());
        let all = objects.item_or_new(commit, "items/a", Begin::default(), &|_| true).unwrap();
        let theirs = repo.item(commit, "items/a").unwrap();
        assert_eq!((&all.files, &all.recordings), (&theirs.files, &theirs.recordings));
        let few =
            objects.item_or_new(commit, "items/a", Begin::default(), &|name| name == "spec.md").unwrap();
        assert_eq!(few.files.get("spec.md"), theirs.files.get("spec.md"));
        assert_eq!(few.files.get("parts/other.md"), Some(&File::Opaque));
        assert_eq!(few.name(), "A");
        let (mut ours, mut others) = (Vec::new(), Vec::new());
        let mut each = |item: &str, path: &str, blob: Oid| {
            ours.push((item.to_owned(), path.to_owned(), blob));
            true
        };
        assert_eq!(objects.recordings(commit, "items", &mut each).unwrap(), 2);
        let mut each = |item: &str, path: &str, blob: Oid| {
            others.push((item.to_owned(), path.to_owned(), blob));
            true
        };
        assert_eq!(repo.recordings(commit, "items", &mut each).unwrap(), 2);
        assert_eq!(ours, others);
        assert_eq!(objects.recordings(commit, "items", &mut |_, _, _| false).unwrap_or(1), 1);
    }

    #[test]
    fn what_is_not_plain_is_told_as_libgit2_tells_it() {
        let mut files = FILES.to_vec();
        files.extend([
            ("items/a/link.md@", "spec.md"),
            ("items/c/Elaborations", ""),
            ("items/c/meta.json", "{}"),
        ]);
        files.extend([
            ("items/d/meta.json", "[]"),
            ("items/e/meta.json", "{}"),
            ("items/e/elaborations@", "x"),
        ]);
        let (_dir, repo, commit) = repository(&files);
        let objects = repo.objects(Unwritten::new());
        let linked = objects.item_or_new(commit, "items/a", Begin::default(), &|_| false).unwrap();
        assert_eq!(linked.files.get("link.md"), Some(&File::Foreign("a symbolic link")));
        for path in ["items/c", "items/d", "items/e", "items/none", "items/a/spec.md", "items/a/link.md/x"] {
            let ours =
                objects.item_or_new(commit, path, Begin::default(), &|_| true).unwrap_err().to_string();
            assert_eq!(ours, repo.item(commit, path).unwrap_err().to_string());
        }
        assert_eq!(objects.there(commit, "items/a/link.md"), None);
        assert_eq!(objects.there(commit, "items/a/spec.md/x"), Some(There::Nothing));
        assert_eq!(objects.there(commit, "nothing"), Some(There::Nothing));
        let ours = objects.recordings(commit, "items", &mut |_, _, _| true).unwrap_err().to_string();
        assert_eq!(ours, repo.recordings(commit, "items", &mut |_, _, _| true).unwrap_err().to_string());
    }
}
