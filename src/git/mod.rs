//! The repository: reads an item at a commit, writes an [`Additive`](crate::additive::Additive)
//! as a commit. No working tree, no index, no hooks or filters; only fetching and pushing run `git`.
//!
//! What is read is a commit, so a run means the same on every machine:
//!
//! ```no_run
//! use roundtable::git::Repo;
//!
//! let repo = Repo::open(std::path::Path::new(".")).unwrap();
//! let head = repo.resolve("HEAD").unwrap();
//! let item = repo.item(head, "docs/requirements/late-fees").unwrap();
//! println!("{}", item.name());
//! ```

mod codebase;
mod commit;
mod commit_objects;
mod compare;
pub(crate) mod evidence;
mod fault;
mod introductions;
mod items;
mod keywords;
mod pack;
mod pending;
mod range;
#[cfg(feature = "cli")]
pub mod remote;
pub mod truncated;
mod typed;

use std::collections::{BTreeMap, HashMap};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use git2::{Config, ConfigLevel, ErrorCode, ObjectType, Oid, Repository, Tree, TreeEntry};

pub(crate) use self::codebase::trailers;
pub use self::commit::{Committed, Lock, Wanted};
pub use self::compare::{After, ChangedPath, PathObject};
pub(crate) use self::compare::{compare_trees, differing_paths, has_path_where, twin_of};
pub use self::evidence::{Apart, Code};
pub use self::fault::Fault;
pub use self::introductions::Introduction;
pub use self::pending::{Leftover, Pending};
pub use self::range::{Blamed, IndexKind, Step};
pub use self::typed::Typed;
use crate::item::File;
use crate::item::library;
use crate::text::finding::{Finding, nearest, suggestion};
use crate::text::plain::word;
use crate::text::remedy::Remedy;

/// Overlay files over this size are refused (256 KiB).
const LARGEST_OVERLAY: usize = 256 * 1024;
/// Folders of an item are read to this depth.
const DEPTH: usize = 8;
/// What to do where a file is named that nothing can be added to.
const ONLY_MARKDOWN: &str = "name a folder of documents, or a Markdown document in one";
/// Of a repository whose writes stay in memory: above libgit2's own, which write to disk.
const MEMORY_PRIORITY: i32 = 1_000;
/// The mode of a folder in a tree.
const FOLDER: u32 = 0o040_000;

/// A git repository.
pub struct Repo {
    git: Repository,
    flushes: bool,
    /// It was opened from git's own variables.
    from_env: bool,
    /// What can be read here and is not in the repository.
    unwritten: Arc<Unwritten>,
}

/// Objects of the index or of files on disk that are in memory only.
#[derive(Default)]
struct Unwritten {
    trees: Vec<Vec<u8>>,
    files: HashMap<Oid, Vec<u8>>,
}

/// What is at a path of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtPath {
    Nothing,
    File(Oid),
    Folder(Oid),
}

/// What went wrong with a repository.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{} is not in a git repository", path.display())]
    None { path: PathBuf },
    #[error("{0}")]
    Unreadable(#[from] Fault),
    #[error("HEAD has no commit yet")]
    Unborn,
    #[error("no commit \"{revision}\" in this repository")]
    NoCommit { revision: String, hint: String },
    #[error("\"{0}\" is not a branch name")]
    BranchName(String),
    #[error("the branch {branch} is checked out in {}", at.display())]
    CheckedOut { branch: String, at: PathBuf },
    #[error("the branch {branch} cannot be made beside the branch {other}")]
    BranchTaken { branch: String, other: String },
    #[error("the branch {branch} is locked by {}", path.display())]
    Locked { branch: String, path: PathBuf },
    #[error("no item {item} at commit {commit}")]
    NoItem { item: String, commit: String, hint: String },
    #[error("{path} has no meta.json, which makes a folder an item")]
    NoMeta { path: String },
    #[error("{} items are called {slug}: {}", paths.len(), paths.join(", "))]
    TwoItems { slug: String, paths: Vec<String> },
    #[error("{item} is about {path}, and there is no such file")]
    NoDocument { path: String, item: String },
    #[error("{item} is an item with documents of its own, and {path} is not one of them")]
    ItemBeside { path: String, item: String },
    #[error("{path} is not an item")]
    IsFile { path: String },
    #[error("{path} is {what}")]
    Foreign { path: String, what: &'static str },
    #[error("the item's {path} is in the way of recordings")]
    NotOurs { path: String },
    #[error("{path} already exists on the branch")]
    Exists { path: String },
    #[error("{path} is larger than {limit} bytes")]
    Large { path: String, limit: usize },
    #[error("{0}")]
    File(#[from] Finding),
    #[error("cannot {what} {}: {error}", path.display())]
    Io { what: &'static str, path: PathBuf, error: std::io::Error },
    #[error("\"{0}\" is not an item")]
    ItemName(String),
    #[error("git has no form for the author \"{0}\"")]
    Author(String),
    #[error("{0} was not written as it should have been, so the branch was not moved")]
    NotWritten(String),
    #[error("the repository is damaged: {0}")]
    Damaged(String),
    #[error("{base} and {head} have no common history")]
    NoMergeBase { base: String, head: String, hint: &'static str },
    #[error("there is no remote \"{0}\" here")]
    NoRemote(String),
    #[error("{url}: {reason}")]
    Remote { url: String, reason: String },
    #[error("the branch {0} has commits that its remote lacks, and lacks some that the remote has")]
    Diverged(String),
    #[error("the branch {branch} was moved by somebody else meanwhile ({reason})")]
    Moved { branch: String, reason: String },
    #[error("git: {}", .0.message())]
    Git(#[from] git2::Error),
}

/// A path that nobody takes for a slug.
fn path_of_item(path: &str) -> String {
    if path.contains('/') { path.to_owned() } else { format!("./{path}") }
}

impl Error {
    /// Whether an object is missing or cannot be read: what helps is [`Repo::hint_for_lost_objects`].
    pub(crate) fn lacks_object(&self) -> bool {
        use git2::ErrorClass::{Indexer, Invalid, Object, Odb, Reference, Sha1, Tree, Zlib};
        match self {
            Error::Damaged(_) => true,
            // A reference that cannot be followed to a commit.
            Error::Git(error) if matches!(error.class(), Reference | Invalid) => {
                matches!(error.code(), ErrorCode::Peel | ErrorCode::NotFound)
            }
            Error::Git(error) => matches!(error.class(), Indexer | Object | Odb | Sha1 | Tree | Zlib),
            _ => false,
        }
    }
}

impl Remedy for Error {
    fn remedy(&self) -> Option<String> {
        let fixed = match self {
            Error::Unreadable(fault) => return Some(fault.hint.clone()),
            Error::NoMeta { path } => {
                return Some(format!(
                    "put a Markdown document into it, as UTF-8 text, and commit it: {path}/requirements.md"
                ));
            }
            Error::TwoItems { paths, .. } => {
                return Some(format!("name one by its path, as in {}", path_of_item(&paths[0])));
            }
            Error::Exists { path } => {
                return Some(format!("go on with `roundtable elaborate {path}`, or take another name"));
            }
            Error::ItemBeside { path, item } => {
                return Some(format!("move it there, or rename it: git mv {} {}/", word(path), word(item)));
            }
            Error::NoCommit { hint, .. } | Error::NoItem { hint, .. } => {
                return Some(hint.clone()).filter(|hint| !hint.is_empty());
            }
            Error::NoMergeBase { hint, .. } => hint,
            Error::None { .. } => "run `git init`, or name one with --repo",
            Error::Unborn => "make a first commit: `git add . && git commit`",
            Error::BranchName(_) => {
                "name one with --branch, of letters, digits, `.`, `_`, `-` and `/`, as in roundtable/offline-mode"
            }
            Error::CheckedOut { .. } => "name another with --branch, or switch that work tree away from it",
            Error::BranchTaken { .. } => "name another with --branch",
            Error::Locked { .. } => "if no other git process runs, delete that file",
            Error::NoDocument { .. } => {
                "put it back; or write its new name into `document` of its meta.json, and declare that: roundtable check --staged --declare REASON"
            }
            Error::IsFile { .. } => ONLY_MARKDOWN,
            Error::Foreign { .. } => "items, steps and templates are ordinary files and folders",
            Error::NotOurs { .. } => "rename it, so that there can be a folder `elaborations`",
            Error::Large { .. } => "make it smaller",
            Error::ItemName(_) => "use letters, digits, blanks, `.`, `_` and `-`, as in offline-mode",
            Error::Author(_) => "a name and an address are one line each, without < and >",
            Error::NoRemote(_) => "`git remote -v` lists them",
            Error::Diverged(_) => "bring them together first",
            Error::Moved { .. } => "try again",
            Error::File(_)
            | Error::Io { .. }
            | Error::NotWritten(_)
            | Error::Damaged(_)
            | Error::Remote { .. }
            | Error::Git(_) => return None,
        };
        Some(fixed.to_owned())
    }
}

/// What is read of an item folder.
#[derive(Default)]
struct ItemFolder {
    files: BTreeMap<String, File>,
    recordings: Vec<String>,
    ids: BTreeMap<String, String>,
}

impl Repo {
    /// Opens the repository that `path` is in; a bare one too.
    ///
    /// # Errors
    /// No repository, or one that libgit2 cannot read (SHA-256, reftable), with the reason.
    pub fn open(path: &Path) -> Result<Repo, Error> {
        let git = Repository::discover(path).map_err(|error| match error.code() {
            ErrorCode::NotFound => Error::None { path: path.to_owned() },
            _ => fault::unopened(path, &error).into(),
        })?;
        // git's own setting for those who would rather not wait for the disk.
        let setting = git.config().and_then(|config| config.get_string("core.fsync"));
        let flushes = !setting.is_ok_and(|value| value.split(',').any(|part| part.trim() == "none"));
        Ok(Repo { git, flushes, from_env: false, unwritten: Arc::default() })
    }

    /// The same repository, opened again: for another thread.
    ///
    /// # Errors
    /// A repository that cannot be opened once more.
    pub fn again(&self) -> Result<Repo, Error> {
        self.with_unwritten(Arc::clone(&self.unwritten))
    }

    fn with_unwritten(&self, unwritten: Arc<Unwritten>) -> Result<Repo, Error> {
        let git = match self.from_env {
            // Objects in quarantine are known to the environment alone.
            true => Repository::open_from_env()?,
            false => Repository::open(self.git.path())?,
        };
        if !unwritten.trees.is_empty() {
            let odb = git.odb()?;
            odb.add_new_mempack_backend(MEMORY_PRIORITY)?;
            for tree in &unwritten.trees {
                odb.write(ObjectType::Tree, tree)?;
            }
        }
        Ok(Repo { git, flushes: self.flushes, from_env: self.from_env, unwritten })
    }

    /// The same repository, opened again so that whatever is written to it stays in memory.
    fn in_memory(&self) -> Result<Repo, Error> {
        let repo = self.again()?;
        repo.git.odb()?.add_new_mempack_backend(MEMORY_PRIORITY)?;
        Ok(repo)
    }

    pub(crate) fn git(&self) -> &Repository {
        &self.git
    }

    /// A value of git's configuration: the repository's, else the user's, else the system's.
    pub(crate) fn setting(&self, name: &str) -> Option<String> {
        let config = self.git.config().ok()?;
        config.get_string(name).ok().filter(|value| !value.trim().is_empty())
    }

    /// The same, where a file stands for the user's own settings (`GIT_CONFIG_GLOBAL` of git-config(1)).
    pub(crate) fn setting_beside(&self, global: &Path, name: &str) -> Option<String> {
        let config = self.git.config().ok()?;
        let own = |level| config.open_level(level).ok()?.get_string(name).ok();
        let own = own(ConfigLevel::Worktree).or_else(|| own(ConfigLevel::Local));
        let found = own.or_else(|| Config::open(global).ok()?.get_string(name).ok());
        found.filter(|value| !value.trim().is_empty())
    }

    /// Whether a switch of git's settings is on.
    pub(crate) fn is_set(&self, name: &str) -> bool {
        self.git.config().and_then(|config| config.get_bool(name)).unwrap_or(false)
    }

    /// Whether writes wait for the disk.
    fn flushes(&self) -> bool {
        self.flushes
    }

    /// The git folder: what [`Repo::open`] opens again.
    pub(crate) fn path(&self) -> &Path {
        self.git.path()
    }

    /// The folder with the files people edit, if there is one.
    pub(crate) fn work_tree(&self) -> Option<&Path> {
        self.git.workdir()
    }

    /// Where an absolute path is in the work tree: its path from the root, which is empty for the root itself. None where
    /// it is outside, or where there is no work tree.
    ///
    /// Its folder may be reached through a link. The last name is taken as it is, and need not be there yet.
    pub(crate) fn path_within(&self, path: &Path) -> Option<String> {
        let root = self.work_tree()?;
        let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        let mut plain = PathBuf::new();
        for part in path.components() {
            match part {
                Component::ParentDir => drop(plain.pop()),
                other => plain.push(other),
            }
        }
        let folder = plain.ancestors().skip(1).find_map(|above| Some((above, above.canonicalize().ok()?)));
        let real = folder.and_then(|(above, real)| Some(real.join(plain.strip_prefix(above).ok()?)));
        let inside = real.as_ref().unwrap_or(&plain).strip_prefix(root).ok()?.to_str()?;
        Some(inside.replace(std::path::MAIN_SEPARATOR, "/"))
    }

    /// The folder in which git looks for hooks, and `core.hooksPath` where that is set: a relative one begins at the
    /// work tree, or in a bare repository at its own folder. All work trees share the other one.
    pub(crate) fn hooks_folder(&self) -> (PathBuf, Option<String>) {
        let set = self.setting("core.hooksPath");
        let path = self.git.config().and_then(|config| config.get_path("core.hooksPath"));
        match (set, path) {
            (Some(set), Ok(path)) => (self.work_tree().unwrap_or(self.git.path()).join(path), Some(set)),
            _ => (self.git.commondir().join("hooks"), None),
        }
    }

    /// Whether git ignores this path of the work tree.
    pub(crate) fn is_ignored(&self, path: &str) -> bool {
        self.git.is_path_ignored(path).unwrap_or(false)
    }

    /// The commit that a revision names.
    ///
    /// # Errors
    /// No such revision, or one that is no commit; an unborn HEAD by its name.
    pub fn resolve(&self, revision: &str) -> Result<Oid, Error> {
        let shown = || {
            crate::text::plain::cut(&crate::text::plain::one_line(&crate::text::plain::clean(revision)), 80)
        };
        let found = self.git.revparse_single(revision).and_then(|object| object.peel_to_commit());
        let lost = || {
            let named =
                self.git.resolve_reference_from_short_name(revision).and_then(|named| named.resolve());
            let at = named.ok()?.target()?;
            let is_here = self.git.odb().is_ok_and(|odb| odb.exists(at));
            (!is_here || revision == "HEAD").then_some(at)
        };
        found.map(|commit| commit.id()).map_err(|_| match (lost(), revision) {
            (Some(at), _) => {
                Error::Damaged(format!("{} is at {}, and that commit cannot be read", shown(), short(at)))
            }
            (None, "HEAD") => Error::Unborn,
            (None, _) => Error::NoCommit { hint: self.commit_hint(&shown()), revision: shown() },
        })
    }

    /// The nearest branch to a name that is none; else how to see which there are.
    fn commit_hint(&self, name: &str) -> String {
        let known = self.branches("").unwrap_or_default();
        let near = suggestion(name, &known.iter().map(String::as_str).collect::<Vec<_>>());
        let listed = || match self.git.is_shallow() {
            true => fault::SHALLOW.to_owned(),
            false => "`git branch --all` lists the branches, `git fetch` gets those of a remote".to_owned(),
        };
        near.unwrap_or_else(listed)
    }

    /// What a branch points at, if it exists.
    ///
    /// # Errors
    /// A name that git or we refuse, or a branch that is no commit.
    pub(crate) fn tip(&self, branch: &str) -> Result<Option<Oid>, Error> {
        if !is_branch_name(branch) {
            return Err(Error::BranchName(crate::text::plain::cut(
                &crate::text::plain::one_line(&crate::text::plain::clean(branch)),
                80,
            )));
        }
        match self.git.find_reference(&format!("refs/heads/{branch}")) {
            Ok(found) => Ok(Some(found.peel_to_commit()?.id())),
            Err(error) if error.code() == ErrorCode::NotFound => self.refuse_taken(branch).map(|()| None),
            Err(error) => Err(error.into()),
        }
    }

    /// Refuses a new branch whose name is a folder of branches, or needs a branch for a folder.
    fn refuse_taken(&self, branch: &str) -> Result<(), Error> {
        let taken = |other: &str| Error::BranchTaken { branch: branch.to_owned(), other: other.to_owned() };
        for (at, _) in branch.match_indices('/') {
            if self.git.find_reference(&format!("refs/heads/{}", &branch[..at])).is_ok() {
                return Err(taken(&branch[..at]));
            }
        }
        // A name of ours holds no sign that a glob reads as another: only what is below it is looked at.
        let below = self.git.references_glob(&format!("refs/heads/{branch}/*"))?.flatten().next();
        match below {
            Some(reference) => {
                let name = String::from_utf8_lossy(reference.name_bytes()).into_owned();
                Err(taken(name.strip_prefix("refs/heads/").unwrap_or(&name)))
            }
            None => Ok(()),
        }
    }

    /// Refuses a branch that a work tree has checked out: its files would no longer fit it.
    ///
    /// # Errors
    /// [`Error::CheckedOut`], with the work tree.
    pub(crate) fn refuse_checked_out(&self, branch: &str) -> Result<(), Error> {
        let common = self.git.commondir();
        let mut homes: Vec<(PathBuf, PathBuf)> = Vec::new();
        if !self.git.is_bare() || self.git.is_worktree() {
            homes.push((common.to_owned(), common.parent().unwrap_or(common).to_owned()));
        }
        // Read as files, since a work tree of somebody else cannot be opened and counts all the same.
        let linked = common.join("worktrees");
        if linked.is_dir() {
            let unread = |error| Error::Io { what: "read", path: linked.clone(), error };
            for entry in std::fs::read_dir(&linked).map_err(unread)? {
                let home = entry.map_err(unread)?.path();
                let at = std::fs::read_to_string(home.join("gitdir")).unwrap_or_default();
                let at = Path::new(at.trim_end()).parent().map_or_else(|| home.clone(), Path::to_owned);
                homes.push((home, at));
            }
        }
        for (home, at) in homes {
            let heads = ["HEAD", "rebase-merge/head-name", "rebase-apply/head-name"];
            let held = heads.iter().filter_map(|file| std::fs::read_to_string(home.join(file)).ok());
            for head in held {
                let name = head.trim_end().trim_start_matches("ref:").trim_start();
                // On a file system without case two spellings are one branch.
                if name.strip_prefix("refs/heads/").is_some_and(|held| held.eq_ignore_ascii_case(branch)) {
                    return Err(Error::CheckedOut { branch: branch.to_owned(), at });
                }
            }
        }
        Ok(())
    }

    fn tree(&self, commit: Oid) -> Result<Tree<'_>, Error> {
        Ok(self.git.find_commit(commit).and_then(|commit| commit.tree())?)
    }

    /// The entry at a path. Links and submodules on the way are refused: what follows them
    /// is not in this tree.
    fn entry(&self, root: &Tree<'_>, path: &str) -> Result<Option<TreeEntry<'static>>, Error> {
        let (first, rest) = path.split_once('/').unwrap_or((path, ""));
        let Some(mut entry) = root.get_name(first).map(|entry| entry.to_owned()) else { return Ok(None) };
        let mut at = first.len();
        for part in rest.split('/').filter(|part| !part.is_empty()) {
            match kind(&entry) {
                Entry::Folder => {}
                Entry::File => return Ok(None),
                Entry::Foreign(what) => return Err(Error::Foreign { path: path[..at].to_owned(), what }),
            }
            let next = self.git.find_tree(entry.id())?.get_name(part).map(|entry| entry.to_owned());
            let Some(next) = next else { return Ok(None) };
            entry = next;
            at += 1 + part.len();
        }
        Ok(Some(entry))
    }

    /// The bytes of an ordinary file at a commit, if it exists.
    ///
    /// # Errors
    /// A path that is a link, a folder or a submodule, or leads through one.
    pub fn file(&self, commit: Oid, path: &str) -> Result<Option<Vec<u8>>, Error> {
        let tree = self.tree(commit)?;
        let Some(entry) = self.entry(&tree, path)? else { return Ok(None) };
        match kind(&entry) {
            Entry::File => Ok(Some(self.git.find_blob(entry.id())?.content().to_vec())),
            Entry::Folder => Err(Error::Foreign { path: path.to_owned(), what: "a folder" }),
            Entry::Foreign(what) => Err(Error::Foreign { path: path.to_owned(), what }),
        }
    }

    /// `did you mean …?` for a file that is not there: the nearest name in its folder, if one is near.
    pub(crate) fn near_file(&self, commit: Oid, path: &str) -> Option<String> {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let tree = if folder.is_empty() {
            self.tree(commit).ok()
        } else {
            self.folder(commit, folder).ok().flatten()
        };
        let names: Vec<String> =
            tree.map_or(Vec::new(), |tree| tree.iter().map(|entry| name_of(&entry)).collect());
        let near = nearest(name, &names.iter().map(String::as_str).collect::<Vec<_>>())?;
        let near = if folder.is_empty() { near.to_owned() } else { format!("{folder}/{near}") };
        Some(crate::text::plain::clean(&format!("did you mean \"{near}\"?")))
    }

    /// The folder at a path, if there is one.
    fn folder(&self, commit: Oid, path: &str) -> Result<Option<Tree<'_>>, Error> {
        let tree = self.tree(commit)?;
        let Some(entry) = self.entry(&tree, path)? else { return Ok(None) };
        match kind(&entry) {
            Entry::Folder => Ok(Some(self.git.find_tree(entry.id())?)),
            Entry::File => Ok(None),
            Entry::Foreign(what) => Err(Error::Foreign { path: path.to_owned(), what }),
        }
    }

    /// The branches below a name, here and as remotes were last seen, with where they are; a
    /// branch of this repository wins.
    ///
    /// # Errors
    /// References that cannot be read.
    pub(crate) fn branches_below(&self, name: &str) -> Result<Vec<(String, Oid)>, Error> {
        let mut found: BTreeMap<String, Oid> = BTreeMap::new();
        for glob in [format!("refs/heads/{name}/*"), format!("refs/remotes/*/{name}/*")] {
            for reference in self.git.references_glob(&glob)? {
                let reference = reference?;
                let (Ok(full), Some(tip)) = (reference.name(), reference.target()) else { continue };
                let Some(at) = full.find(&format!("/{name}/")) else { continue };
                found.entry(full[at + 1..].to_owned()).or_insert(tip);
            }
        }
        Ok(found.into_iter().collect())
    }

    /// What is at a path of a commit; none where that is a link or a submodule, is behind one, or cannot be read.
    pub fn look_up(&self, commit: Oid, path: &str) -> Option<AtPath> {
        let Some(entry) = self.entry(&self.tree(commit).ok()?, path).ok()? else {
            return Some(AtPath::Nothing);
        };
        match kind(&entry) {
            Entry::File => Some(AtPath::File(entry.id())),
            Entry::Folder => Some(AtPath::Folder(entry.id())),
            Entry::Foreign(_) => None,
        }
    }

    /// The bytes of a file by its id.
    ///
    /// # Errors
    /// An object that is missing, or is no file.
    pub fn bytes(&self, id: Oid) -> Result<Vec<u8>, Error> {
        match self.unwritten.files.get(&id) {
            Some(bytes) => Ok(bytes.clone()),
            None => Ok(self.git.find_blob(id)?.content().to_vec()),
        }
    }

    /// The bytes of a file of no more than so many bytes; none where it is larger, no file, or cannot be read.
    fn small_bytes(&self, id: Oid, limit: u64) -> Option<Vec<u8>> {
        let (size, kind) = self.git.odb().ok()?.read_header(id).ok()?;
        (kind == ObjectType::Blob && size as u64 <= limit).then(|| self.bytes(id).ok())?
    }

    /// Whether anything is at a path.
    ///
    /// # Errors
    /// A path that leads through a link or a submodule.
    pub(crate) fn exists(&self, commit: Oid, path: &str) -> Result<bool, Error> {
        if self.entry(&self.tree(commit)?, path)?.is_some() {
            return Ok(true);
        }
        // The same name in another case would be the same folder on other systems.
        let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
        let folder = if above.is_empty() { Some(self.tree(commit)?) } else { self.folder(commit, above)? };
        Ok(folder.is_some_and(|folder| folder.iter().any(|entry| name_of(&entry).eq_ignore_ascii_case(name))))
    }

    /// The files below a folder, with their paths below it: an overlay of steps or templates.
    ///
    /// # Errors
    /// A folder that is none, links, and files that are too large or not UTF-8.
    pub(crate) fn overlay(&self, commit: Oid, folder: &str) -> Result<Vec<library::OverlayFile>, Error> {
        let folder = folder.trim_end_matches('/');
        let tree = self.folder(commit, folder)?.ok_or_else(|| {
            let message = format!("the folder {folder} does not exist at commit {}", short(commit));
            Error::File(
                Finding::at(crate::item::config::FILE, "", 1, 1, message)
                    .hint("commit the folder, or correct its name in the settings"),
            )
        })?;
        let mut found = Vec::new();
        self.read_overlay(&tree, folder, "", &mut found)?;
        Ok(found)
    }

    fn read_overlay(
        &self,
        tree: &Tree<'_>,
        root: &str,
        prefix: &str,
        found: &mut Vec<library::OverlayFile>,
    ) -> Result<(), Error> {
        for entry in tree {
            let name = format!("{prefix}{}", name_of(&entry));
            let path = format!("{root}/{name}");
            match kind(&entry) {
                Entry::Folder if prefix.matches('/').count() < DEPTH => {
                    self.read_overlay(&self.git.find_tree(entry.id())?, root, &format!("{name}/"), found)?;
                }
                Entry::Folder => return Err(Error::Foreign { path, what: "a folder too deep to read" }),
                Entry::Foreign(what) => return Err(Error::Foreign { path, what }),
                Entry::File => {
                    let blob = self.git.find_blob(entry.id())?;
                    if blob.size() > LARGEST_OVERLAY {
                        return Err(Error::Large { path, limit: LARGEST_OVERLAY });
                    }
                    found.push((name, crate::text::json::utf8(&path, blob.content())?.to_owned()));
                }
            }
        }
        Ok(())
    }
}

/// What a tree entry is.
enum Entry {
    File,
    Folder,
    Foreign(&'static str),
}

fn kind(entry: &TreeEntry<'_>) -> Entry {
    match entry.filemode().unsigned_abs() {
        FOLDER => Entry::Folder,
        0o100_644 | 0o100_664 | 0o100_755 => Entry::File,
        0o120_000 => Entry::Foreign("a symbolic link"),
        0o160_000 => Entry::Foreign("a submodule"),
        _ => Entry::Foreign("of an unknown kind"),
    }
}

/// The folder that a file is in.
fn name_of(entry: &TreeEntry<'_>) -> String {
    String::from_utf8_lossy(entry.name_bytes()).into_owned()
}

/// The first digits of an object id.
pub(crate) fn short(id: Oid) -> String {
    id.to_string()[..10].to_owned()
}

/// Whether we write to a branch of this name: git's rules, and no sign that a shell, a terminal
/// or another system could read as something else.
pub fn is_branch_name(name: &str) -> bool {
    let plain = |c: char| {
        c.is_ascii_alphanumeric()
            || matches!(c, '.' | '_' | '-' | '/' | '+' | '#')
            || (!c.is_ascii() && c.is_alphanumeric())
    };
    name.len() <= 200
        && !name.starts_with(['-', '/', '.'])
        && !name.eq_ignore_ascii_case("HEAD")
        && !name.starts_with("refs/")
        && crate::text::plain::is_clean(name)
        && name.chars().all(plain)
        && git2::Reference::is_valid_name(&format!("refs/heads/{name}"))
}

/// The branch of a full reference name that we could have written.
fn branch_of(reference: &str) -> Option<&str> {
    reference.strip_prefix("refs/heads/").filter(|name| is_branch_name(name))
}
