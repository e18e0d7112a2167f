//! Two trees, walked in step: the paths of the old one that are not the same object in the new one
//! (G-S1). Equal ids are skipped, and only folders that are wanted are entered, so a comparison costs
//! what has changed and no more; a diff of libgit2 reads the folders that nobody asks for too, and knows no twins.
//!
//! Invariant: a tree that git would not write (out of order, a name twice, a name that is a path) is an error, since
//! an entry of it could hide another. `docs/A.md` that comes beside `docs/a.md` is a twin of it.

use std::cmp::Ordering;
use std::collections::HashMap;

use git2::{Oid, Tree, TreeEntry};
use unicode_normalization::UnicodeNormalization as _;

use super::{Error, FOLDER, Repo};

/// What is at a path: a blob, a link, a submodule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathObject {
    pub id: Oid,
    /// As the tree has it: 0o100644, 0o100755, 0o120000 or 0o160000.
    pub mode: u32,
}

/// What is at a path of the new tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum After {
    Object(PathObject),
    Folder,
    Nothing,
    /// The path is the same; a new one differs from it in letter case or Unicode form alone.
    Twin(Vec<u8>),
}

/// A path of the old tree that is not the same in the new one.
#[derive(Clone, Debug)]
pub struct ChangedPath {
    pub path: Vec<u8>,
    pub old: PathObject,
    pub after: After,
}

/// Folders inside of folders beyond this are no tree that anybody has written in earnest.
const DEEPEST: usize = 2_000;

fn is_folder(entry: &TreeEntry<'_>) -> bool {
    mode(entry) == FOLDER
}

fn mode(entry: &TreeEntry<'_>) -> u32 {
    entry.filemode_raw().unsigned_abs()
}

fn object(entry: &TreeEntry<'_>) -> PathObject {
    PathObject { id: entry.id(), mode: mode(entry) }
}

/// The order of names in a tree, each of a folder or not: a folder's name counts as if it ended in a slash.
fn order((a, is_folder): (&[u8], bool), (b, folder): (&[u8], bool)) -> Ordering {
    let shared = a.len().min(b.len());
    let end = |name: &[u8], folder: bool| match name.get(shared) {
        Some(byte) => u16::from(*byte),
        None if folder => u16::from(b'/'),
        None => 0,
    };
    a[..shared].cmp(&b[..shared]).then_with(|| end(a, is_folder).cmp(&end(b, folder)))
}

/// The entries of a tree that is as git writes it: in git's order, each name once, and no name that is a path.
pub(super) fn sound_entries<'t>(tree: &'t Tree<'_>) -> Option<Vec<TreeEntry<'t>>> {
    let entries: Vec<TreeEntry<'_>> = tree.iter().collect();
    let is_before = |a: &TreeEntry<'_>, b: &TreeEntry<'_>| {
        order((a.name_bytes(), is_folder(a)), (b.name_bytes(), is_folder(b))) == Ordering::Less
    };
    let is_named = |name: &[u8]| !matches!(name, b"" | b"." | b"..") && memchr::memchr(b'/', name).is_none();
    let is_single =
        |entry: &TreeEntry<'_>| !is_folder(entry) || find(&entries, entry.name_bytes(), false).is_none();
    let is_sound = entries.is_sorted_by(is_before)
        && entries.iter().all(|entry| is_named(entry.name_bytes()) && is_single(entry));
    is_sound.then_some(entries)
}

fn find<'e, 't>(entries: &'e [TreeEntry<'t>], name: &[u8], folder: bool) -> Option<&'e TreeEntry<'t>> {
    let found =
        entries.binary_search_by(|entry| order((entry.name_bytes(), is_folder(entry)), (name, folder)));
    found.ok().map(|at| &entries[at])
}

/// A walk over two trees.
struct Walk<'a> {
    repo: &'a Repo,
    /// Whether anything in a folder is wanted.
    reaches: &'a dyn Fn(&[u8]) -> bool,
    path: Vec<u8>,
    tells_twins: bool,
    found: &'a mut dyn FnMut(ChangedPath),
}

/// Tells the paths of the tree `old`, in folders that `reaches` wants, that are not the same in `new`, one
/// by one in git's order: what is to be done with them can begin before all are known.
///
/// # Errors
/// A tree that is missing or damaged.
pub(crate) fn compare_trees(
    repo: &Repo,
    old: Option<Oid>,
    new: Option<Oid>,
    reaches: &dyn Fn(&[u8]) -> bool,
    found: &mut dyn FnMut(ChangedPath),
) -> Result<(), Error> {
    Walk { repo, reaches, path: Vec::new(), tells_twins: true, found }.folders(old, new, 0)
}

/// As [`compare_trees`], where nobody asks for twins.
///
/// # Errors
/// As there.
pub(crate) fn differing_paths(
    repo: &Repo,
    old: Option<Oid>,
    new: Option<Oid>,
    reaches: &dyn Fn(&[u8]) -> bool,
    found: &mut dyn FnMut(ChangedPath),
) -> Result<(), Error> {
    Walk { repo, reaches, path: Vec::new(), tells_twins: false, found }.folders(old, new, 0)
}

/// Whether a tree holds any path, in folders that `reaches` wants, for which `is` says yes.
///
/// # Errors
/// A tree that is missing or damaged.
pub(crate) fn has_path_where(
    repo: &Repo,
    tree: Oid,
    reaches: &dyn Fn(&[u8]) -> bool,
    is: &mut dyn FnMut(&[u8]) -> bool,
) -> Result<bool, Error> {
    let mut open = vec![(tree, Vec::new())];
    while let Some((tree, folder)) = open.pop() {
        for entry in &repo.git().find_tree(tree)? {
            let path = joined(&folder, entry.name_bytes());
            if !is_folder(&entry) && is(&path) {
                return Ok(true);
            }
            if is_folder(&entry) && reaches(&path) {
                open.push((entry.id(), path));
            }
        }
    }
    Ok(false)
}

/// The path of a file that differs from this one in letter case or Unicode form alone; none where this one is there.
///
/// # Errors
/// A tree that is missing or damaged.
pub(crate) fn twin_of(repo: &Repo, tree: Oid, path: &str) -> Result<Option<String>, Error> {
    let (mut tree, mut found) = (tree, Vec::new());
    let mut names = path.split('/').peekable();
    while let Some(name) = names.next() {
        let inside = repo.git().find_tree(tree)?;
        let has_more = names.peek().is_some();
        let is_wanted = |entry: &TreeEntry<'_>| is_folder(entry) == has_more;
        let is_same = |entry: &TreeEntry<'_>| entry.name_bytes() == name.as_bytes();
        let is_alike = |entry: &TreeEntry<'_>| folded(entry.name_bytes()) == folded(name.as_bytes());
        let mut wanted: Vec<TreeEntry<'_>> =
            inside.iter().filter(|entry| is_wanted(entry) && is_alike(entry)).collect();
        wanted.sort_by_key(|entry| !is_same(entry));
        let Some(entry) = wanted.first() else { return Ok(None) };
        found = joined(&found, entry.name_bytes());
        tree = entry.id();
    }
    Ok(Some(String::from_utf8_lossy(&found).into_owned()).filter(|found| found != path))
}

fn joined(folder: &[u8], name: &[u8]) -> Vec<u8> {
    let slash: &[u8] = if folder.is_empty() { b"" } else { b"/" };
    [folder, slash, name].concat()
}

/// A name as file systems compare it that know neither letter case nor Unicode forms.
fn folded(name: &[u8]) -> Vec<u8> {
    match std::str::from_utf8(name) {
        Ok(name) if name.is_ascii() => name.to_ascii_lowercase().into_bytes(),
        Ok(name) => name.nfc().flat_map(char::to_lowercase).nfc().collect::<String>().into_bytes(),
        Err(_) => name.to_ascii_lowercase(),
    }
}

impl Walk<'_> {
    fn folders(&mut self, old: Option<Oid>, new: Option<Oid>, depth: usize) -> Result<(), Error> {
        let Some(old) = old.filter(|old| new != Some(*old)) else { return Ok(()) };
        if depth > DEEPEST {
            let tree = super::short(old);
            return Err(Error::Damaged(format!("the folders of {tree} are nested without end")));
        }
        let repo = self.repo;
        let before = repo.git().find_tree(old)?;
        let after = new.map(|new| repo.git().find_tree(new)).transpose()?;
        let before = entries_of(&before)?;
        let after = after.as_ref().map_or(Ok(Vec::new()), entries_of)?;
        if self.tells_twins {
            self.twins(&before, &after, depth)?;
        }
        for entry in &before {
            let (name, folder) = (entry.name_bytes(), is_folder(entry));
            let same = find(&after, name, folder);
            if same.is_some_and(|new| object(new) == object(entry)) {
                continue;
            }
            let length = self.enter(name);
            if !folder {
                let after = match same {
                    Some(new) => After::Object(object(new)),
                    None if find(&after, name, true).is_some() => After::Folder,
                    None => After::Nothing,
                };
                self.tell(entry, after);
            } else if (self.reaches)(&self.path) {
                self.folders(Some(entry.id()), same.map(TreeEntry::id), depth + 1)?;
            }
            self.path.truncate(length);
        }
        Ok(())
    }

    /// Tells the old paths of a folder that have a new twin: another name that folds to the same.
    fn twins(
        &mut self,
        before: &[TreeEntry<'_>],
        after: &[TreeEntry<'_>],
        depth: usize,
    ) -> Result<(), Error> {
        let is_in = |entries: &[TreeEntry<'_>], entry: &TreeEntry<'_>| {
            [true, false].iter().any(|folder| find(entries, entry.name_bytes(), *folder).is_some())
        };
        let added: Vec<&TreeEntry<'_>> = after.iter().filter(|new| !is_in(before, new)).collect();
        if added.is_empty() || before.is_empty() {
            return Ok(());
        }
        let known = by_folded_name(before);
        for new in added {
            let Some(old) = known.get(&folded(new.name_bytes())) else { continue };
            // A path that is gone was renamed, which is told of itself.
            if find(after, old.name_bytes(), is_folder(old)).is_none() {
                continue;
            }
            let twin = joined(&self.path, new.name_bytes());
            let length = self.enter(old.name_bytes());
            self.twin(old, new, &twin, depth)?;
            self.path.truncate(length);
        }
        Ok(())
    }

    /// Tells the old paths at and below one entry that have a twin at and below another.
    fn twin(
        &mut self,
        old: &TreeEntry<'_>,
        new: &TreeEntry<'_>,
        twin: &[u8],
        depth: usize,
    ) -> Result<(), Error> {
        if !is_folder(old) {
            self.tell(old, After::Twin(twin.to_vec()));
            return Ok(());
        }
        if depth > DEEPEST || !(self.reaches)(&self.path) {
            return Ok(());
        }
        let repo = self.repo;
        let inside = repo.git().find_tree(old.id())?;
        let others = if is_folder(new) { Some(repo.git().find_tree(new.id())?) } else { None };
        let others = others.as_ref().map(entries_of).transpose()?;
        let known = others.as_deref().map(by_folded_name);
        for old in &entries_of(&inside)? {
            // A file where the folder was is in the way of everything in it.
            let other =
                known.as_ref().map_or(Some(new), |known| known.get(&folded(old.name_bytes())).copied());
            let Some(other) = other else { continue };
            let below = if is_folder(new) { joined(twin, other.name_bytes()) } else { twin.to_vec() };
            let length = self.enter(old.name_bytes());
            self.twin(old, other, &below, depth + 1)?;
            self.path.truncate(length);
        }
        Ok(())
    }

    /// Goes to a name in the folder that the walk is in; the length of that folder's path.
    fn enter(&mut self, name: &[u8]) -> usize {
        let length = self.path.len();
        if length > 0 {
            self.path.push(b'/');
        }
        self.path.extend_from_slice(name);
        length
    }

    fn tell(&mut self, old: &TreeEntry<'_>, after: After) {
        (self.found)(ChangedPath { path: self.path.clone(), old: object(old), after });
    }
}

fn entries_of<'t>(tree: &'t Tree<'_>) -> Result<Vec<TreeEntry<'t>>, Error> {
    sound_entries(tree).ok_or_else(|| Error::Damaged(format!("the tree {} cannot be read", tree.id())))
}

fn by_folded_name<'e, 't>(entries: &'e [TreeEntry<'t>]) -> HashMap<Vec<u8>, &'e TreeEntry<'t>> {
    entries.iter().map(|entry| (folded(entry.name_bytes()), entry)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_in_gits_order() {
        // As git sorts them: `a.b` is before the folder `a`, which counts as `a/`.
        let sorted: [(&[u8], bool); 4] = [(b"a", false), (b"a.b", false), (b"a", true), (b"b", true)];
        assert!(sorted.is_sorted_by(|a, b| order(*a, *b) == Ordering::Less));
    }

    #[test]
    fn trees_that_git_would_not_write_are_not_read() {
        let dir = tempfile::tempdir().unwrap();
        let git = git2::Repository::init_bare(dir.path()).unwrap();
        let is_read = |entries: &[(&str, &str)]| {
            let entry = |(mode, name): &(&str, &str)| {
                [mode.as_bytes(), b" ", name.as_bytes(), b"\0", &[7; 20]].concat()
            };
            let bytes: Vec<u8> = entries.iter().flat_map(entry).collect();
            let id = git.odb().unwrap().write(git2::ObjectType::Tree, &bytes).unwrap();
            git.find_tree(id).is_ok_and(|tree| sound_entries(&tree).is_some())
        };
        assert!(is_read(&[("100644", "a"), ("100644", "a.b"), ("40000", "b")]));
        // As old programs wrote modes.
        assert!(is_read(&[("100644", "a"), ("040000", "b")]));
        for entries in [
            &[("100644", "a"), ("100644", "a")][..],
            &[("100644", "b"), ("100644", "a")],
            &[("100644", "a"), ("100644", "a.b"), ("40000", "a")],
            &[("100644", "docs/a")],
            &[("100644", "..")],
            &[("100644", "")],
            &[("9", "a")],
        ] {
            assert!(!is_read(entries), "{entries:?}");
        }
    }

    #[test]
    fn names_are_folded_as_file_systems_do() {
        assert_eq!(folded("STRASSE".as_bytes()), folded("strasse".as_bytes()));
        assert_eq!(folded("e\u{301}".as_bytes()), folded("\u{c9}".as_bytes()));
    }
}
