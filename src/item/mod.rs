//! An item: the files of an item folder as values, and the changes meant for some of them.
//!
//! What is not a plain file stays what it is: a link is a value of its own and never followed.
//!
//! ```
//! use roundtable::item::Item;
//!
//! let item = Item::new("docs/requirements/late-fees", r#"{"slug": "late-fees"}"#).unwrap();
//! assert_eq!((item.slug(), item.name().as_str()), ("late-fees", "late fees"));
//! assert!(Item::new("docs/requirements/late-fees", "no JSON").is_err());
//! ```

pub mod config;
pub mod layout;
pub mod library;
pub mod marks;
pub mod meta;
pub mod persona;
pub mod step;

use std::collections::BTreeMap;

pub use self::meta::Meta;
use serde::{Deserialize, Serialize};

use crate::text::path;
use crate::text::plain;

/// Who the commit is by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Author {
    pub name: String,
    pub email: String,
    /// The commit message ends in a `Signed-off-by` trailer of theirs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub signed_off: bool,
}

impl Author {
    /// Whether git has a form for the name and the address: one line each, without `<` and `>`.
    pub fn is_plain(&self) -> bool {
        let is_plain = |part: &str| {
            !part.trim().is_empty() && !part.contains(['<', '>']) && !part.chars().any(char::is_control)
        };
        is_plain(&self.name) && is_plain(&self.email)
    }
}

/// The fewest turns that a discussion can be limited to: each persona speaks once.
pub const LEAST_TURNS: u32 = 3;

/// The document that the text of an issue becomes.
pub const DRAFT: &str = "draft.md";

/// What the lines begin with that mark where a discussion or a step has written.
pub const MARKERS: [&str; 2] = ["<!-- Elaboration: step ", "<!-- Analysis: step "];

/// The folder of an item's recordings.
pub const RECORDINGS: &str = "elaborations";

/// What is made in the commit of an item's first discussion, where it is not there yet.
#[derive(Clone, Copy, Debug, Default)]
pub struct Begin<'a> {
    /// The text of meta.json.
    pub meta: Option<&'a str>,
    /// The text of draft.md.
    pub draft: Option<&'a str>,
}

/// An item that is in none of the folders of items: it was named by its path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elsewhere {
    pub folder: String,
    /// The path of the document that lies beside the folder.
    pub document: Option<String>,
    /// The preset of its layout.
    pub preset: Option<String>,
}

/// Files larger than this are not read (8 MiB).
pub const LARGEST: u64 = 8 * 1024 * 1024;

/// Whether a file is a pointer of Git LFS (its specification, version 1): the document itself is
/// elsewhere, and another line would make it unreadable.
pub fn is_pointer(bytes: &[u8]) -> bool {
    bytes.len() < 1024 && bytes.starts_with(b"version https://git-lfs.github.com/spec/")
}

/// What is at a path of an item folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum File {
    /// An ordinary file and its bytes.
    Bytes(Vec<u8>),
    /// An ordinary file of this many bytes that is larger than [`LARGEST`].
    Large(u64),
    /// An ordinary file of a kind that nothing is read from or added to.
    Opaque,
    /// A symbolic link or a submodule: never followed, never replaced.
    Foreign(&'static str),
}

/// An item folder at a commit.
#[derive(Clone, Debug)]
pub struct Item {
    /// The folder's path in the repository.
    pub path: String,
    pub meta: Meta,
    /// Files by their path below the folder, recordings left out.
    pub files: BTreeMap<String, File>,
    /// The names of the recordings in `elaborations/`.
    pub recordings: Vec<String>,
    /// The blob id of each ordinary file, by its path below the folder, recordings left out.
    pub ids: BTreeMap<String, String>,
    /// The document that the item is about lies beside the folder, under this name: `design/x.md` of `design/x`.
    pub beside: Option<String>,
}

impl Item {
    /// An item that is in no commit yet: nothing but the text of its meta.json.
    ///
    /// # Errors
    /// Text that is no meta.json.
    pub fn new(path: &str, meta: &str) -> Result<Item, crate::text::finding::Finding> {
        let meta = Meta::read(&format!("{path}/{}", meta::FILE), meta.as_bytes())?;
        Ok(Item {
            path: path.to_owned(),
            meta,
            files: BTreeMap::new(),
            recordings: Vec::new(),
            ids: BTreeMap::new(),
            beside: None,
        })
    }

    /// The path in the repository of a file of the item.
    pub fn path_of(&self, name: &str) -> String {
        match self.beside.as_deref() == Some(name) {
            true => path::beside(&self.path, name),
            false => format!("{}/{name}", self.path),
        }
    }

    /// The name within the item of a path in the repository.
    pub fn name_of<'p>(&self, path: &'p str) -> &'p str {
        let beside = self.beside.as_deref().is_some_and(|name| path::beside(&self.path, name) == path);
        match path.strip_prefix(&self.path).and_then(|rest| rest.strip_prefix('/')) {
            Some(name) => name,
            None if beside => path.rsplit('/').next().unwrap_or(path),
            None => path,
        }
    }

    /// Whether it has a draft.md, in whatever case the name is written.
    pub fn has_draft(&self) -> bool {
        self.files.keys().any(|name| name.eq_ignore_ascii_case(DRAFT))
    }

    /// The item with this draft.md, where it has none.
    #[must_use]
    pub fn with_draft(mut self, draft: Option<&str>) -> Item {
        if let Some(draft) = draft.filter(|_| !self.has_draft()) {
            self.files.insert(DRAFT.to_owned(), File::Bytes(draft.as_bytes().to_vec()));
        }
        self
    }

    /// Whether it is in no commit yet.
    pub fn is_new(&self) -> bool {
        !self.files.contains_key(meta::FILE)
    }

    /// What a discussion makes of it that was begun with this: meta.json and draft.md, where they are new.
    pub fn begun(&self, begin: Begin<'_>) -> Vec<Change> {
        let is_drafted =
            begin.draft.is_some() && !self.ids.keys().any(|name| name.eq_ignore_ascii_case(DRAFT));
        let files =
            [(meta::FILE, begin.meta.filter(|_| self.is_new())), (DRAFT, begin.draft.filter(|_| is_drafted))];
        let change = |(name, text): (&str, Option<&str>)| {
            Some(Change {
                path: format!("{}/{name}", self.path),
                before: None,
                after: text?.as_bytes().to_vec(),
            })
        };
        files.into_iter().filter_map(change).collect()
    }

    /// The last name of the item's path.
    pub fn slug(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// The item's name for people: meta.json's, or the slug with blanks.
    pub fn name(&self) -> String {
        let name =
            self.meta.name().map(|name| plain::one_line(&plain::clean(name))).filter(|name| !name.is_empty());
        name.map_or_else(|| self.slug().replace(['-', '_'], " "), |name| plain::cut(&name, 120))
    }

    /// The item's documents as text, with their names; meta.json is none.
    pub fn documents(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().filter_map(|(name, file)| match file {
            File::Bytes(bytes) if is_document(name) && name != meta::FILE => {
                Some((name.as_str(), std::str::from_utf8(bytes).ok()?))
            }
            _ => None,
        })
    }

    /// Whether one of its documents is Markdown.
    pub fn has_markdown(&self) -> bool {
        self.documents().any(|(name, _)| path::is_markdown(name))
    }
}

/// Whether a file is one that people write requirements in.
pub fn is_document(name: &str) -> bool {
    let suffix = name.rsplit_once('.').map_or("", |(_, suffix)| suffix).to_ascii_lowercase();
    matches!(suffix.as_str(), "md" | "markdown" | "json" | "csv" | "yaml" | "yml" | "txt")
}

pub use crate::additive::Change;
