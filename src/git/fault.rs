//! What keeps a repository, its index or one of its objects from being read, and what helps in that very case.
//!
//! libgit2 names the word it cannot read; what the word means is decided by git's own files: `config`, `shallow`,
//! `objects/info/alternates`. Invariant: a hint is a command, or a place, that removes this cause and no other.
//!
//! A clone with references in a reftable says `git refs migrate --ref-format=files`; one that lacks an object because
//! its objects are fetched when they are needed says `git fetch --refetch --no-filter`.

use std::path::{Path, PathBuf};

use git2::{Config, ErrorCode, Index, Repository};

use super::Repo;
use super::truncated::with_alternates;
use crate::text::plain;

/// What gets the rest of a history that ends early.
pub(super) const SHALLOW: &str =
    "this is a shallow clone: git fetch --unshallow gets the rest (in actions/checkout: fetch-depth: 0)";

/// What cannot be read, where, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct Fault {
    pub what: String,
    pub place: Option<PathBuf>,
    pub hint: String,
}

impl Fault {
    pub(crate) fn new(what: impl Into<String>, hint: impl Into<String>) -> Fault {
        Fault { what: what.into(), place: None, hint: hint.into() }
    }

    fn at(mut self, place: &Path) -> Fault {
        self.place = Some(place.to_owned());
        self
    }
}

/// A repository that libgit2 does not open: somebody else's, or of a format that it does not know.
pub(super) fn unopened(path: &Path, error: &git2::Error) -> Fault {
    if error.code() == ErrorCode::Owner {
        return not_owned(path);
    }
    let Some(at) = Repository::discover_path(path, &[] as &[&Path]).ok() else {
        return unknown(path, error);
    };
    let common = common_folder(&at);
    let config = Config::open(&common.join("config"));
    let text = |key: &str| config.as_ref().ok().and_then(|config| config.get_string(key).ok());
    let fault = match (text("extensions.refstorage"), text("extensions.objectformat")) {
        _ if config.is_err() => unreadable_config(&common),
        (_, Some(format)) if !format.eq_ignore_ascii_case("sha1") => other_objects(&format),
        (Some(format), _) if !format.eq_ignore_ascii_case("files") => other_references(&common, &format),
        _ => match config.as_ref().ok().and_then(unknown_extension) {
            Some(name) => extension(&name),
            None => unknown(path, error),
        },
    };
    fault.at(path)
}

/// The folder that all work trees of a repository share.
fn common_folder(at: &Path) -> PathBuf {
    let named = std::fs::read_to_string(at.join("commondir")).unwrap_or_default();
    at.join(named.trim_end())
}

/// Git trusts a repository by the path of its work tree, or of a bare repository's own folder.
fn not_owned(path: &Path) -> Fault {
    let from = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let is_root = |folder: &&Path| folder.join(".git").exists() || folder.join("objects").is_dir();
    let root = from.ancestors().find(is_root).unwrap_or(&from).to_owned();
    let place = plain::shown(&root.display().to_string());
    Fault::new(
        format!("the repository at {place} belongs to another user, and git does not trust it"),
        format!("git config --global --add safe.directory '{place}', if you trust what is in it"),
    )
    .at(&root)
}

fn unreadable_config(common: &Path) -> Fault {
    let place = plain::shown(&common.join("config").display().to_string());
    Fault::new(format!("{place} cannot be read"), "git config --list says which line is wrong")
}

/// Objects of another hash function.
fn other_objects(format: &str) -> Fault {
    Fault::new(
        format!("the repository has {} object ids, and roundtable reads SHA-1 only", plain::shown(format)),
        "git init ../copy && git fast-export --all | git -C ../copy fast-import makes a copy with SHA-1 ids",
    )
}

/// References in another form than files.
fn other_references(common: &Path, format: &str) -> Fault {
    let linked = std::fs::read_dir(common.join("worktrees")).is_ok_and(|mut all| all.next().is_some());
    let hint = match linked {
        false => {
            "git refs migrate --ref-format=files (before git 2.49, which moves reflogs, too: git clone --ref-format=files . ../copy)"
        }
        true => {
            "git clone --ref-format=files . ../copy makes a copy that can be read; git refs migrate refuses a repository with linked work trees"
        }
    };
    Fault::new(
        format!("the repository has its references in the format {}, not as files", plain::shown(format)),
        hint,
    )
}

/// Extensions that libgit2 1.9 reads (`builtin_extensions` in its repository.c).
const READ: [&str; 5] = ["noop", "objectformat", "worktreeconfig", "preciousobjects", "relativeworktrees"];

fn unknown_extension(config: &Config) -> Option<String> {
    let mut found = None;
    let entries = config.entries(Some("^extensions\\.")).ok()?;
    let look = entries.for_each(|entry| {
        let name = entry.name().unwrap_or_default();
        let name = name.strip_prefix("extensions.").unwrap_or(name).to_owned();
        if found.is_none() && !READ.contains(&name.as_str()) {
            found = Some(name);
        }
    });
    look.ok().and(found)
}

fn extension(name: &str) -> Fault {
    let name = plain::shown(name);
    let hint = match name.as_str() {
        // The default, written out.
        "refstorage" => "git config --unset extensions.refstorage: files are the default".to_owned(),
        // Its older name; git reads both.
        "partialclone" => {
            "git config remote.origin.promisor true && git config --unset extensions.partialclone".to_owned()
        }
        _ => "clone the repository anew: a clone does not take the extension over".to_owned(),
    };
    Fault::new(format!("the repository uses extensions.{name}, which roundtable does not read"), hint)
}

fn unknown(path: &Path, error: &git2::Error) -> Fault {
    let place = plain::shown(&path.display().to_string());
    let reason = plain::shown(error.message());
    Fault::new(
        format!("cannot open the repository at {place}: {reason}"),
        "git status says whether git reads it",
    )
}

/// An index that libgit2 does not read. Its extensions have names of four letters; those that begin with a small one
/// must be understood (gitformat-index).
pub(super) fn unread_index(error: &git2::Error) -> Fault {
    let message = error.message();
    if message.contains("'link'") {
        return Fault::new(
            "the index is split into two files, and roundtable reads one",
            "git config core.splitIndex false && git update-index --no-split-index",
        );
    }
    if message.contains("'sdir'") {
        return Fault::new(
            "the index is sparse: it names folders without their files",
            "git sparse-checkout reapply --no-sparse-index writes it whole and leaves the checkout sparse",
        );
    }
    if message.contains("mandatory extension") {
        return Fault::new(
            format!("the index has a part that roundtable does not read: {}", plain::shown(message)),
            "rm .git/index && git reset writes it anew; what is staged has to be staged again",
        );
    }
    Fault::new(
        format!("the index is damaged: {}", plain::shown(message)),
        "rm \"$(git rev-parse --git-path index)\" && git reset writes it anew; what is staged has to be staged again",
    )
}

/// A file of the work tree that cannot be read: the first of the index that cannot, else the last that was looked at.
pub(super) fn unread_file(root: Option<&Path>, index: &Index, last: &Path, error: &git2::Error) -> Fault {
    let is_unread = |path: &PathBuf| {
        let opened = root.map(|root| std::fs::File::open(root.join(path)));
        matches!(opened, Some(Err(error)) if error.kind() != std::io::ErrorKind::NotFound)
    };
    let mut paths = index.iter().map(|entry| PathBuf::from(String::from_utf8_lossy(&entry.path).as_ref()));
    let path = paths.find(is_unread).unwrap_or_else(|| last.to_owned());
    let opened = root.map(|root| std::fs::File::open(root.join(&path)));
    let reason = opened.and_then(Result::err).map_or_else(|| error.message().to_owned(), |it| it.to_string());
    Fault::new(
        format!("{} cannot be read: {}", plain::shown(&path.display().to_string()), plain::shown(&reason)),
        "make the file readable, or compare what is staged with --staged",
    )
}

/// An index with paths that a merge left open.
pub(super) fn unmerged_index() -> Fault {
    Fault::new(
        "a merge has left conflicts in the index",
        "resolve them and `git add` the files, or `git merge --abort`",
    )
}

impl Repo {
    /// What brings back objects that this repository should have and has not.
    pub(crate) fn hint_for_lost_objects(&self) -> String {
        let git = self.git();
        let folder = git.commondir();
        if let Some(gone) = lost_alternate(folder) {
            let gone = plain::shown(&gone.display().to_string());
            return format!(
                "objects are borrowed from {gone}, which is not there: put it back, or clone this repository anew from its remote"
            );
        }
        if is_partial(git) {
            return "this is a partial clone, whose files are fetched when git needs them: git fetch --refetch --no-filter gets all of them".to_owned();
        }
        if git.is_shallow() {
            return SHALLOW.to_owned();
        }
        "git fsck says more".to_owned()
    }
}

/// A folder of objects that this one borrows from and that does not exist.
fn lost_alternate(folder: &Path) -> Option<PathBuf> {
    let mut found = Vec::new();
    with_alternates(folder.join("objects"), 0, &mut found);
    found.into_iter().find(|folder| !folder.is_dir())
}

/// Whether a remote has promised to give objects later (`git clone --filter`).
fn is_partial(git: &Repository) -> bool {
    let Ok(config) = git.config() else { return false };
    let is_set = |glob: &str| {
        let mut any = false;
        let looked = config.entries(Some(glob)).and_then(|entries| entries.for_each(|_| any = true));
        looked.is_ok() && any
    };
    is_set("^extensions\\.partialclone$") || is_set("^remote\\..*\\.promisor$")
}
