//! The items of a commit: which there are, what is in their folders, and which one a name means.
//!
//! Invariant: an item is read from a commit's tree, never from the work tree.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};

use git2::{ObjectType, Oid, Tree};

use super::{
    After, DEPTH, Entry, Error, ItemFolder, ONLY_MARKDOWN, Repo, differing_paths, kind, name_of, short,
};
use crate::item::config::{self, Config};
use crate::item::layout::{Folder, Layout};
use crate::item::library::{built_in_layouts, read_layouts};
use crate::item::{self, Begin, DRAFT, Elsewhere, File, Item, MARKERS, Meta, meta};
use crate::text::finding::{nearest, suggestion};
use crate::text::path;
use crate::text::plain::word;

/// The items of a folder by their paths, each read or why it cannot be.
type ReadItems = Vec<(String, Result<Item, Error>)>;

/// What a name of an argument means.
enum Named {
    /// Items of this slug, or the one at this path; none where there is only a folder without a meta.json.
    Items(Vec<String>),
    Folder(String),
    Nothing,
}

/// The name that an item may get where a document, or a path outside of the repository, was named instead.
fn suggested(name: &str) -> Option<String> {
    let file = name.rsplit('/').next().unwrap_or(name);
    let (stem, is_document) = match file.rsplit_once('.') {
        Some((stem, suffix)) => {
            (stem, suffix.len() <= 4 && suffix.bytes().any(|byte| byte.is_ascii_alphabetic()))
        }
        None => (file, false),
    };
    if path::is_plain(name) && path::is_item_path(name) && !is_document {
        return None;
    }
    let slug = crate::synthesis::records::slug(if is_document { stem } else { file }, MOST_OF_SLUG);
    Some(match slug.as_str() {
        "" => "NAME".to_owned(),
        device if path::is_device(device) => path::beside_device(device),
        _ => slug,
    })
}

/// Items are looked for this many folders deep.
const MAX_DEPTH: usize = 32;
/// The longest slug that is suggested, in characters.
const MOST_OF_SLUG: usize = 48;

fn has_meta(tree: &Tree<'_>) -> bool {
    tree.get_name(meta::FILE).is_some_and(|file| matches!(kind(&file), Entry::File))
}

/// The path whose last name is nearest to that of a misspelt one; of several, the one whose folders are nearest.
fn near_path(wanted: &str, paths: &BTreeSet<String>) -> Option<String> {
    let last = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or_default();
        name.strip_suffix(".md").unwrap_or(name).to_owned()
    };
    let names: BTreeSet<String> = paths.iter().map(|path| last(path)).collect();
    let name = nearest(&last(wanted), &names.iter().map(String::as_str).collect::<Vec<_>>())?;
    let same: Vec<&str> = paths.iter().map(String::as_str).filter(|path| last(path) == name).collect();
    nearest(wanted, &same).or(same.first().copied()).map(str::to_owned)
}

/// The documents that are directly in a folder.
fn names_in(tree: &Tree<'_>) -> Vec<String> {
    let files = tree.iter().filter(|entry| matches!(kind(entry), Entry::File));
    files.map(|entry| name_of(&entry).to_string()).filter(|name| item::is_document(name)).collect()
}

/// The preset of the layout that an item is recognised by, or is said to have, where it can be told by names alone.
fn preset_of(folder: &str, names: &[String], document: Option<&str>, layout: Option<&str>) -> Option<String> {
    let named = document.and_then(|path| path.rsplit('/').next());
    let names = names.iter().map(String::as_str).chain(named).collect();
    let folder = Folder {
        path: folder,
        names,
        named,
        is_one: document.is_some(),
        is_of_issue: false,
        read: &|_| None,
    };
    let is_it = |known: &&Layout| match layout {
        Some(name) => known.name == name,
        None => known.fits(&folder, &BTreeSet::new()),
    };
    built_in_layouts().iter().find(is_it)?.preset.clone()
}

impl Repo {
    /// Finds the item that `name` means: a folder's path in the repository, a document, or the slug of an item that
    /// is one of these folders or below one.
    ///
    /// # Errors
    /// No such folder (with the nearest slug), a slug that two items have, or a path through a link or submodule.
    pub(crate) fn find_item(&self, commit: Oid, name: &str, items: &[&str]) -> Result<String, Error> {
        let name = name.trim_end_matches('/');
        let is_path = name.contains('/');
        let name = name.trim_start_matches("./");
        self.is_no_folder_of_items(commit, name, items)?;
        match self.named(commit, name, is_path, items)? {
            Named::Items(mut found) if found.len() > 1 => {
                found.sort();
                return Err(Error::TwoItems { slug: crate::text::plain::shown(name), paths: found });
            }
            Named::Items(found) if !found.is_empty() => return Ok(found.concat()),
            Named::Folder(folder) => return Ok(folder),
            Named::Items(_) | Named::Nothing => {}
        }
        if path::is_plain(name) && self.exists(commit, name)? {
            return self.item_of_document(commit, name, items);
        }
        let mut slugs: Vec<String> = Vec::new();
        for items in items {
            let Some(tree) = self.folder(commit, items)? else { continue };
            let folders = tree.iter().filter(|entry| entry.kind() == Some(ObjectType::Tree));
            slugs.extend(folders.map(|entry| name_of(&entry)));
        }
        let mut known: Vec<&str> = slugs.iter().map(String::as_str).collect();
        // A new item is on a branch of its own until that is merged.
        let branches = self.branches("roundtable/").unwrap_or_default();
        known.extend(branches.iter().filter_map(|branch| branch.strip_prefix("roundtable/")));
        // Its own branch has it elsewhere: nobody means another name.
        known.retain(|other| *other != name);
        let near = self.on_own_branch(commit, name, items).or_else(|| suggestion(name, &known));
        let near =
            near.or(self.document_called(commit, name)?.map(|path| format!("did you mean \"{path}\"?")));
        let hint = match near.or(self.hint_for_document(commit, name)?) {
            None => self.hint_for_folder(commit, name)?,
            hint => hint,
        };
        let hint = hint.unwrap_or_else(|| match suggested(name) {
            Some(slug) => {
                format!(
                    "an item is a folder in this repository: `roundtable add {slug} --name NAME` makes one"
                )
            }
            None => {
                let below = items.iter().map(|items| format!("{items}/{name}"));
                let looked: Vec<String> = std::iter::once(name.to_owned()).chain(below).collect();
                let looked = looked.join(" and ");
                format!("`roundtable add {} --name NAME` makes it (looked for {looked})", word(name))
            }
        });
        let item =
            crate::text::plain::cut(&crate::text::plain::one_line(&crate::text::plain::clean(name)), 80);
        Err(Error::NoItem { item, commit: short(commit), hint: crate::text::plain::clean(&hint) })
    }

    /// What makes an item that only its own branch has a part of another commit.
    fn on_own_branch(&self, commit: Oid, name: &str, items: &[&str]) -> Option<String> {
        let branch = format!("roundtable/{}", path::as_branch(name.rsplit('/').next().unwrap_or(name)));
        let tip = self.tip(&branch).ok().flatten().filter(|tip| *tip != commit)?;
        self.find_item(tip, name, items).ok()?;
        Some(format!("the branch {branch} has it: go on there, or merge it first: `git merge {branch}`"))
    }

    /// Refuses the folder that items are in: a discussion of it would write into one of them.
    fn is_no_folder_of_items(&self, commit: Oid, name: &str, items: &[&str]) -> Result<(), Error> {
        let is_of_items = items.iter().any(|folder| folder.trim_end_matches('/') == name);
        let is_above = items.iter().any(|folder| folder.starts_with(&format!("{name}/")));
        if !is_of_items && !is_above {
            return Ok(());
        }
        let Some(tree) = self.folder(commit, name)? else { return Ok(()) };
        if is_above && !names_in(&tree).is_empty() {
            return Ok(());
        }
        let mut inside = tree.iter().filter(|entry| entry.kind() == Some(ObjectType::Tree));
        match inside.next() {
            Some(first) if tree.get_name(meta::FILE).is_none() => Err(Error::NoItem {
                item: crate::text::plain::shown(name),
                commit: short(commit),
                hint: format!("items are in this folder; name one of them: {name}/{}", name_of(&first)),
            }),
            _ => Ok(()),
        }
    }

    /// What helps where a file is named that a commit has not; none where it is no file's name.
    fn hint_for_document(&self, commit: Oid, name: &str) -> Result<Option<String>, Error> {
        let is_on_disk =
            self.work_tree().is_some_and(|root| path::is_plain(name) && root.join(name).is_file());
        match name.ends_with(".md") || name.ends_with(".markdown") {
            false if is_on_disk => return Ok(Some(ONLY_MARKDOWN.to_owned())),
            false => return Ok(None),
            true if is_on_disk => {
                return Ok(Some(self.commit_first(name)));
            }
            true => {}
        }
        let documents = self.documents(commit)?;
        Ok(Some(near_path(name, &documents).map_or_else(
            || "name a document that is committed, or the folder of an item".to_owned(),
            |near| format!("did you mean \"{near}\"?"),
        )))
    }

    /// What makes a file or folder on disk part of a commit.
    fn commit_first(&self, name: &str) -> String {
        let is_ignored = self.git().is_path_ignored(name).unwrap_or_default();
        format!(
            "commit it first: `git add {}{} && git commit`",
            if is_ignored { "-f " } else { "" },
            word(name)
        )
    }

    /// The one document, or the folder of documents, that a name without a path is the name of.
    fn document_called(&self, commit: Oid, name: &str) -> Result<Option<String>, Error> {
        if name.contains('/') {
            return Ok(None);
        }
        let documents = self.documents(commit)?;
        let stem =
            |path: &str| path.rsplit('/').next().is_some_and(|file| file.strip_suffix(".md") == Some(name));
        let folder = |path: &str| {
            let (folder, _) = path.rsplit_once('/')?;
            (folder.rsplit('/').next() == Some(name)).then(|| folder.to_owned())
        };
        let mut found: BTreeSet<String> = documents.iter().filter(|path| stem(path)).cloned().collect();
        found.extend(documents.iter().filter_map(|path| folder(path)));
        Ok(found.pop_first().filter(|_| found.is_empty()))
    }

    /// The paths of all Markdown files of a commit, in their order.
    fn documents(&self, commit: Oid) -> Result<BTreeSet<String>, Error> {
        let mut found = BTreeSet::new();
        super::has_path_where(self, self.tree(commit)?.id(), &|_| true, &mut |path| {
            let path = String::from_utf8_lossy(path);
            if path.ends_with(".md") {
                found.insert(path.into_owned());
            }
            false
        })?;
        Ok(found)
    }

    /// The folder of documents that a name is near to; one on disk that a commit has not is to be committed first.
    fn hint_for_folder(&self, commit: Oid, name: &str) -> Result<Option<String>, Error> {
        if self.work_tree().is_some_and(|root| path::is_plain(name) && root.join(name).is_dir()) {
            return Ok(Some(self.commit_first(name)));
        }
        let documents = self.documents(commit)?;
        let folders =
            documents.iter().filter_map(|path| path.rsplit_once('/')).map(|(folder, _)| folder.to_owned());
        Ok(near_path(name, &folders.collect()).map(|folder| format!("did you mean \"{folder}\"?")))
    }

    fn named(&self, commit: Oid, name: &str, is_path: bool, items: &[&str]) -> Result<Named, Error> {
        let below = items.iter().map(|items| format!("{items}/{name}"));
        let paths: Vec<String> = std::iter::once(name.to_owned()).chain(below).collect();
        let (mut found, mut bare) = (Vec::new(), None);
        for path in paths.into_iter().filter(|path| path::is_plain(path)) {
            let Some(folder) = self.folder(commit, &path)? else { continue };
            // In a folder of items documents make one.
            let is_new = || path != name && !names_in(&folder).is_empty();
            match has_meta(&folder) {
                // A path is one folder.
                true if is_path => return Ok(Named::Items(vec![path])),
                true => found.push(path),
                false if !is_path && is_new() => found.push(path),
                false => bare = bare.or(Some(path)),
            }
        }
        if !is_path {
            for folder in items {
                let all = self.items(commit, folder)?.into_iter();
                found.extend(all.filter(|path| path.rsplit('/').next() == Some(name)));
            }
            found.sort();
            found.dedup();
        }
        Ok(match bare {
            // A slug may be the name of a folder of code too: an item has its meta.json.
            _ if !found.is_empty() => Named::Items(found),
            Some(bare) => Named::Folder(bare),
            None => Named::Nothing,
        })
    }

    /// The folder of the item that a document belongs to: the one of its name beside it, where that is its item; the
    /// item above it, unless that is about another document; else its own folder, where it is alone there, or the
    /// folder of its name beside it.
    ///
    /// # Errors
    /// A file that is no document.
    fn item_of_document(&self, commit: Oid, path: &str, items: &[&str]) -> Result<String, Error> {
        let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
        let is_prose = matches!(name.rsplit_once('.').map(|(_, end)| end), Some("md" | "markdown"));
        let known = self.item_and_name(commit, path)?.map(|(item, _)| item);
        let known = match known {
            // In a folder of items any meta.json makes one.
            Some(item)
                if items.iter().any(|folder| path::is_below(&item, folder))
                    || self.is_ours(commit, &item)? =>
            {
                Some(item)
            }
            _ => None,
        };
        if let Some(item) = &known
            && (!is_prose || self.takes(commit, item, path)?)
        {
            return Ok(item.clone());
        }
        if !is_prose {
            return Err(Error::IsFile { path: path.to_owned() });
        }
        if let Some(folder) = self.laid_out_above(commit, path)? {
            return Ok(folder);
        }
        let beside = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
        let has_own = self.exists(commit, &format!("{beside}/{}", meta::FILE))?;
        let folder = if above.is_empty() { None } else { self.folder(commit, above)? };
        let is_document = |entry: &git2::TreeEntry<'_>| {
            matches!(kind(entry), Entry::File) && item::is_document(&name_of(entry)) && name_of(entry) != name
        };
        let is_alone = folder.is_some_and(|folder| !folder.iter().any(|entry| is_document(&entry)));
        if is_alone && !has_own && known.is_none() {
            return Ok(above.to_owned());
        }
        if has_own && self.has_other_documents(commit, beside, name)? {
            return Err(Error::ItemBeside { path: path.to_owned(), item: beside.to_owned() });
        }
        Ok(beside.to_owned())
    }

    /// Whether an item is about other documents than the one of this name beside it.
    fn has_other_documents(&self, commit: Oid, item: &str, name: &str) -> Result<bool, Error> {
        let item = self.item(commit, item)?;
        let is_its_own = item.meta.document() == Some(name);
        Ok(!is_its_own && item.documents().any(|(other, _)| other != DRAFT))
    }

    /// The Markdown documents in an item's folder, and in the folder above, that are not the item's: paths and texts.
    pub(crate) fn documents_near(&self, commit: Oid, item: &Item) -> Result<Vec<(String, String)>, Error> {
        let own: BTreeSet<String> = item.files.keys().map(|name| item.path_of(name)).collect();
        let above = item.path.rsplit_once('/').map_or("", |(above, _)| above);
        let mut found = Vec::new();
        for folder in [item.path.as_str(), above] {
            let tree =
                if folder.is_empty() { Some(self.tree(commit)?) } else { self.folder(commit, folder)? };
            let Some(tree) = tree else { continue };
            for entry in tree.iter().filter(|entry| matches!(kind(entry), Entry::File)) {
                let name = name_of(&entry);
                let path = if folder.is_empty() { name.to_string() } else { format!("{folder}/{name}") };
                if path::is_markdown(&name)
                    && !own.contains(&path)
                    && let File::Bytes(bytes) = self.read_document(entry.id())?
                {
                    found.push((path, String::from_utf8_lossy(&bytes).into_owned()));
                }
            }
        }
        Ok(found)
    }

    /// Whether a document above or beside which an item is belongs to it: not where the item is about another document
    /// that lies in its folder, and this one is somebody else's: no layout takes both, and no run has written it.
    ///
    /// # Errors
    /// A path that leads through a link or a submodule.
    fn takes(&self, commit: Oid, item: &str, path: &str) -> Result<bool, Error> {
        let meta = self.file(commit, &format!("{item}/{}", meta::FILE))?.unwrap_or_default();
        let meta = Meta::read(item, &meta).ok();
        let Some(document) = meta.as_ref().and_then(Meta::document) else { return Ok(true) };
        let document = format!("{item}/{document}");
        if path == document || path == format!("{item}/{DRAFT}") || !self.exists(commit, &document)? {
            return Ok(true);
        }
        let text = self.file(commit, path)?.unwrap_or_default();
        let is_written =
            MARKERS.iter().any(|marker| memchr::memmem::find(&text, marker.as_bytes()).is_some());
        Ok(is_written || self.laid_out_above(commit, path)?.as_deref() == Some(item))
    }

    /// The nearest folder above a path that a layout takes as one item with all its documents, if there is one.
    ///
    /// # Errors
    /// A path that leads through a link or a submodule.
    pub(crate) fn laid_out_above(&self, commit: Oid, path: &str) -> Result<Option<String>, Error> {
        let mut below = path;
        let layouts = self.layouts_at(commit)?;
        while let Some((above, _)) = below.rsplit_once('/') {
            if self.is_laid_out(commit, above, &layouts)? {
                return Ok(Some(above.to_owned()));
            }
            below = above;
        }
        Ok(None)
    }

    fn is_laid_out(&self, commit: Oid, path: &str, layouts: &[Layout]) -> Result<bool, Error> {
        let Some(tree) = self.folder(commit, path)? else { return Ok(false) };
        let files = tree.iter().filter(|entry| matches!(kind(entry), Entry::File));
        let names: Vec<String> = files.map(|entry| name_of(&entry).to_string()).collect();
        let read = |name: &str| {
            let bytes = self.file(commit, &format!("{path}/{name}")).ok().flatten()?;
            String::from_utf8(bytes).ok()
        };
        let names = names.iter().map(String::as_str).filter(|name| item::is_document(name)).collect();
        let folder = Folder { path, names, named: None, is_one: false, is_of_issue: false, read: &read };
        let is_it = |layout: &&Layout| layout.is_folder() && layout.fits(&folder, &BTreeSet::new());
        Ok(layouts.iter().any(|layout| is_it(&layout)))
    }

    /// The layouts of a commit, the team's own among them; what is wrong with these is told where they are used.
    fn layouts_at(&self, commit: Oid) -> Result<Cow<'static, [Layout]>, Error> {
        let settings = self.file(commit, config::FILE)?;
        let settings = settings.and_then(|bytes| Config::read(config::FILE, &bytes).ok());
        let own =
            settings.and_then(|settings| settings.layouts).and_then(|at| self.overlay(commit, &at).ok());
        let layouts = own.and_then(|own| read_layouts(&own).ok());
        Ok(layouts.map_or(Cow::Borrowed(built_in_layouts()), Cow::Owned))
    }

    /// Whether an ordinary file is at a path.
    pub(crate) fn is_file(&self, commit: Oid, path: &str) -> bool {
        path::is_plain(path) && self.file(commit, path).is_ok_and(|file| file.is_some())
    }

    /// Whether the meta.json of a folder has a field of ours.
    fn is_ours(&self, commit: Oid, folder: &str) -> Result<bool, Error> {
        let at = format!("{folder}/{}", meta::FILE);
        let bytes = self.file(commit, &at)?.unwrap_or_default();
        Ok(Meta::read(&at, &bytes).is_ok_and(|meta| meta.is_ours()))
    }

    /// Settings that know of every item of a commit.
    ///
    /// # Errors
    /// A tree that cannot be read.
    pub(crate) fn with_items(&self, commit: Oid, config: Config) -> Result<Config, Error> {
        self.with_items_of(self.tree(commit)?.id(), config)
    }

    /// The same, of a tree.
    ///
    /// # Errors
    /// As [`Repo::with_items`].
    pub(crate) fn with_items_of(&self, tree: Oid, config: Config) -> Result<Config, Error> {
        let elsewhere = self.items_elsewhere(tree, &config.roots())?;
        Ok(Config { elsewhere, ..config })
    }

    /// The items that a tree has and another has not, in none of these folders.
    ///
    /// # Errors
    /// A tree or a meta.json that cannot be read.
    pub(crate) fn new_items(
        &self,
        old: Option<Oid>,
        new: Oid,
        roots: &[&str],
    ) -> Result<Vec<Elsewhere>, Error> {
        let (mut metas, mut paths) = (Vec::new(), HashSet::new());
        differing_paths(self, Some(new), old, &|_| true, &mut |one| {
            let path = String::from_utf8_lossy(&one.path).into_owned();
            let folder = path.strip_suffix(meta::FILE).and_then(|path| path.strip_suffix('/'));
            if let Some(folder) = folder.filter(|_| one.after == After::Nothing) {
                metas.push((folder.to_owned(), one.old.id));
            }
            paths.insert(path);
        })?;
        let is_in = |folder: &str, root: &str| folder == root || path::is_below(folder, root);
        let mut found = Vec::new();
        for (folder, id) in
            metas.into_iter().filter(|(folder, _)| !roots.iter().any(|root| is_in(folder, root)))
        {
            let Ok(meta) = Meta::read(&folder, &self.bytes(id)?) else { continue };
            if meta.is_ours() {
                let beside = meta.document().filter(|name| !paths.contains(&format!("{folder}/{name}")));
                let document = beside.map(|name| path::beside(&folder, name));
                let preset = self.preset_at(new, &folder, document.as_deref(), meta.layout())?;
                found.push(Elsewhere { folder, document, preset });
            }
        }
        Ok(found)
    }

    /// The preset of an item's layout, of a tree.
    fn preset_at(
        &self,
        tree: Oid,
        folder: &str,
        document: Option<&str>,
        layout: Option<&str>,
    ) -> Result<Option<String>, Error> {
        let entry = self.git.find_tree(tree)?.get_path(std::path::Path::new(folder)).ok();
        let tree = entry.and_then(|entry| self.git.find_tree(entry.id()).ok());
        let names = tree.map(|tree| names_in(&tree)).unwrap_or_default();
        Ok(preset_of(folder, &names, document, layout))
    }

    /// The items that are in none of these folders, by their meta.json: one walk over the folders of a tree.
    ///
    /// # Errors
    /// A tree that cannot be read.
    fn items_elsewhere(&self, tree: Oid, items: &[&str]) -> Result<Vec<Elsewhere>, Error> {
        let (mut found, mut open) = (Vec::new(), vec![(String::new(), tree)]);
        while let Some((at, tree)) = open.pop() {
            let tree = self.git.find_tree(tree)?;
            let meta = tree.get_name(meta::FILE).filter(|file| matches!(kind(file), Entry::File));
            if let Some(meta) = meta.filter(|_| !at.is_empty()) {
                let meta = Meta::read(&at, self.git.find_blob(meta.id())?.content());
                // With recordings it is an item whatever its meta.json has become: what reads it says what is wrong.
                if meta.as_ref().is_ok_and(Meta::is_ours) || self.has_recordings(&tree)? {
                    let is_beside = |name: &&str| tree.get_name(name).is_none();
                    let meta = meta.ok();
                    let named = meta.as_ref().and_then(Meta::document).filter(is_beside);
                    let document = named.map(|name| path::beside(&at, name));
                    let names = names_in(&tree);
                    let layout = meta.as_ref().and_then(Meta::layout);
                    let preset = preset_of(&at, &names, document.as_deref(), layout);
                    found.push(Elsewhere { folder: at.clone(), document, preset });
                }
            }
            for entry in tree.iter().filter(|entry| entry.kind() == Some(ObjectType::Tree)) {
                let name = name_of(&entry);
                let path = if at.is_empty() { name.to_string() } else { format!("{at}/{name}") };
                if !items.contains(&path.as_str()) && path.matches('/').count() < MAX_DEPTH {
                    open.push((path, entry.id()));
                }
            }
        }
        found.sort_by(|a, b| a.folder.cmp(&b.folder));
        Ok(found)
    }

    /// Whether a folder holds recordings.
    fn has_recordings(&self, tree: &Tree<'_>) -> Result<bool, Error> {
        let folder = tree.get_name("elaborations").filter(|entry| entry.kind() == Some(ObjectType::Tree));
        let Some(folder) = folder else { return Ok(false) };
        Ok(self.git.find_tree(folder.id())?.iter().any(|file| name_of(&file).ends_with(".jsonl")))
    }

    /// Reads an item folder.
    ///
    /// # Errors
    /// No folder, no meta.json, or one that cannot be read.
    pub fn item(&self, commit: Oid, path: &str) -> Result<Item, Error> {
        self.item_with(commit, path, None, &|_| true)
    }

    /// Reads an item folder, or a folder of Markdown documents that its first discussion will make one.
    ///
    /// # Errors
    /// As [`Repo::item`].
    pub fn item_or_documents(&self, commit: Oid, path: &str) -> Result<Item, Error> {
        let missing = match self.item(commit, path) {
            Err(missing @ Error::NoMeta { .. }) => missing,
            read => return read,
        };
        let item = self.item_with(commit, path, Some("{}"), &|_| true)?;
        if item.has_markdown() { Ok(item) } else { Err(missing) }
    }

    /// Reads an item folder, of its documents those that are wanted; where it has no meta.json, this text is its.
    fn item_with(
        &self,
        commit: Oid,
        path: &str,
        text: Option<&str>,
        is_wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Item, Error> {
        let missing = || Error::NoItem { item: path.to_owned(), commit: short(commit), hint: String::new() };
        match (self.folder(commit, path)?, text) {
            (None, None) => Err(missing()),
            (tree, _) => self.item_in(commit, path, tree.as_ref(), text, is_wanted),
        }
    }

    fn item_in(
        &self,
        commit: Oid,
        path: &str,
        tree: Option<&Tree<'_>>,
        text: Option<&str>,
        is_wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Item, Error> {
        let mut read = ItemFolder::default();
        if let Some(tree) = tree {
            self.read_folder(tree, "", 0, is_wanted, &mut read)?;
        }
        let ItemFolder { mut files, recordings, mut ids } = read;
        let at = format!("{path}/{}", meta::FILE);
        let meta = match (files.get(meta::FILE), text) {
            (Some(File::Bytes(bytes)), _) => Meta::read(&at, bytes)?,
            (Some(File::Large(_)), _) => {
                return Err(Error::Large { path: at, limit: item::LARGEST as usize });
            }
            (Some(File::Foreign(what)), _) => return Err(Error::Foreign { path: at, what }),
            (None, Some(text)) => Meta::read(&at, text.as_bytes())?,
            (Some(File::Opaque) | None, _) => return Err(Error::NoMeta { path: path.to_owned() }),
        };
        let beside = meta.document().filter(|name| !files.contains_key(*name)).map(str::to_owned);
        if let Some(name) = &beside {
            let (file, id) = self.document_beside(commit, path, name)?;
            files.insert(name.clone(), file);
            ids.insert(name.clone(), id);
        }
        Ok(Item { path: path.to_owned(), meta, files, recordings, ids, beside })
    }

    /// The document that an item is about, where it lies beside the folder.
    fn document_beside(&self, commit: Oid, item: &str, name: &str) -> Result<(File, String), Error> {
        let path = path::beside(item, name);
        let entry = self.entry(&self.tree(commit)?, &path)?;
        let entry = entry.filter(|entry| matches!(kind(entry), Entry::File));
        let Some(entry) = entry else {
            return Err(Error::NoDocument { path, item: item.to_owned() });
        };
        Ok((self.read_document(entry.id())?, entry.id().to_string()))
    }

    /// Whether a commit has the document beside an item that this meta.json names.
    fn has_document_beside(&self, commit: Oid, item: &str, text: &str) -> Result<bool, Error> {
        let meta = Meta::read(&format!("{item}/{}", meta::FILE), text.as_bytes())?;
        let path = meta.document().map(|name| path::beside(item, name));
        path.map_or(Ok(false), |path| Ok(self.entry(&self.tree(commit)?, &path)?.is_some()))
    }

    /// The recordings and logs of an item at a commit, each with its blob.
    ///
    /// # Errors
    /// A path that leads through a link or a submodule.
    pub(crate) fn logs(&self, commit: Oid, item: &str) -> Result<Vec<(String, Oid)>, Error> {
        let mut found = Vec::new();
        for folder in ["elaborations", "analysis"] {
            let Some(tree) = self.folder(commit, &format!("{item}/{folder}"))? else { continue };
            let logs = tree.iter().filter(|entry| name_of(entry).ends_with(".jsonl"));
            found.extend(logs.map(|entry| (format!("{folder}/{}", name_of(&entry)), entry.id())));
        }
        Ok(found)
    }

    /// Reads an item folder, or begins one with this meta.json where there is none; a draft.md is added in
    /// memory where it is missing.
    ///
    /// # Errors
    /// As [`Repo::item`], and a folder that is there without being an item.
    pub(crate) fn item_or_new(&self, commit: Oid, path: &str, begin: Begin<'_>) -> Result<Item, Error> {
        self.item_with_files(commit, path, begin, &|_| true)
    }

    /// As [`item_or_new`](Self::item_or_new), where of the documents only meta.json and those that are wanted are
    /// read.
    ///
    /// # Errors
    /// As there.
    pub(crate) fn item_with_files(
        &self,
        commit: Oid,
        path: &str,
        begin: Begin<'_>,
        is_wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Item, Error> {
        let has_meta = self.exists(commit, &format!("{path}/{}", meta::FILE))?;
        let item = match begin.meta.filter(|_| !has_meta) {
            Some(text) => {
                // A recording says where: it may be anybody's. A folder or document that people have made has their name.
                let is_there = path::is_plain(path)
                    && (self.folder(commit, path)?.is_some()
                        || self.has_document_beside(commit, path, text)?);
                if !is_there && !path::is_item_path(path) {
                    return Err(Error::ItemName(crate::text::plain::shown(path)));
                }
                self.item_with(commit, path, Some(text), is_wanted)?
            }
            None => self.item_with(commit, path, None, is_wanted)?,
        };
        Ok(item.with_draft(begin.draft))
    }

    /// The item folders below a folder of items, in order.
    ///
    /// # Errors
    /// A tree that cannot be read, or links on the way.
    pub(crate) fn items(&self, commit: Oid, items: &str) -> Result<Vec<String>, Error> {
        let mut found = Vec::new();
        self.walk_items(commit, items, &mut |_, path| found.push(path.to_owned()))?;
        Ok(found)
    }

    /// The items below a folder of items, in order, each read or why it cannot be: one walk over the trees,
    /// whatever their number.
    ///
    /// # Errors
    /// A tree that cannot be read, or links on the way.
    pub(crate) fn read_items(&self, commit: Oid, items: &str) -> Result<ReadItems, Error> {
        let mut found = Vec::new();
        self.walk_items(commit, items, &mut |tree, path| {
            found.push((path.to_owned(), self.item_in(commit, path, Some(tree), None, &|_| true)));
        })?;
        Ok(found)
    }

    /// Visits the items below a folder, in order: each folder with a meta.json, and in such a folder those whose
    /// meta.json has a field of ours.
    fn walk_items(
        &self,
        commit: Oid,
        items: &str,
        visit: &mut dyn FnMut(&Tree<'_>, &str),
    ) -> Result<(), Error> {
        let mut outer: Option<String> = None;
        self.walk_folders(commit, items, &mut |tree, path| {
            let is_inside = outer.as_ref().is_some_and(|outer| path::is_below(path, outer));
            if is_inside && self.own_meta(tree)?.is_some() || !is_inside && has_meta(tree) {
                visit(tree, path);
                if !is_inside {
                    outer = Some(path.to_owned());
                }
            }
            Ok(true)
        })
    }

    /// The meta.json of a folder, where it has a field of ours.
    fn own_meta(&self, tree: &Tree<'_>) -> Result<Option<Meta>, Error> {
        let Some(file) = tree.get_name(meta::FILE).filter(|file| matches!(kind(file), Entry::File)) else {
            return Ok(None);
        };
        Ok(Meta::read(meta::FILE, &self.bytes(file.id())?).ok().filter(Meta::is_ours))
    }

    /// Visits a folder and those below it, in order; `visit` says whether a folder is entered.
    fn walk_folders(
        &self,
        commit: Oid,
        path: &str,
        visit: &mut dyn FnMut(&Tree<'_>, &str) -> Result<bool, Error>,
    ) -> Result<(), Error> {
        let mut open: Vec<(Tree<'_>, String, usize)> = Vec::new();
        open.extend(self.folder(commit, path)?.map(|tree| (tree, path.to_owned(), 0)));
        while let Some((tree, path, depth)) = open.pop() {
            if !visit(&tree, &path)? || depth == DEPTH {
                continue;
            }
            // The last is visited first.
            for entry in tree.iter().rev().filter(|entry| entry.kind() == Some(ObjectType::Tree)) {
                let below = format!("{path}/{}", name_of(&entry));
                open.push((self.git.find_tree(entry.id())?, below, depth + 1));
            }
        }
        Ok(())
    }

    /// Folders below a folder of items that hold recordings and have no meta.json: items that lost it.
    ///
    /// # Errors
    /// A tree that cannot be read, or links on the way.
    pub(crate) fn recordings_without_item(&self, commit: Oid, items: &str) -> Result<Vec<String>, Error> {
        let mut found: Vec<String> = Vec::new();
        let mut known = HashSet::new();
        self.walk_folders(commit, items, &mut |tree, path| {
            let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
            if has_meta(tree) {
                known.insert(path.to_owned());
            }
            if !matches!(name, "elaborations" | "analysis") || path == items || known.contains(above) {
                return Ok(true);
            }
            let has_recordings = tree.iter().any(|file| name_of(&file).ends_with(".jsonl"));
            found.extend(has_recordings.then(|| above.to_owned()));
            Ok(false)
        })?;
        Ok(found)
    }

    /// The item that a path is in: the nearest folder above it that has a meta.json.
    ///
    /// # Errors
    /// A path that leads through a link or a submodule.
    pub(crate) fn item_of(&self, commit: Oid, path: &str) -> Result<Option<String>, Error> {
        let mut folder = path;
        while let Some((above, _)) = folder.rsplit_once('/') {
            if self.file(commit, &format!("{above}/{}", meta::FILE)).is_ok_and(|file| file.is_some()) {
                return Ok(Some(above.to_owned()));
            }
            folder = above;
        }
        Ok(None)
    }

    /// The item of a document and the name that it has there: of an item whose folder is beside it, or above it.
    ///
    /// # Errors
    /// A path that leads through a link or a submodule.
    pub(crate) fn item_and_name(&self, commit: Oid, path: &str) -> Result<Option<(String, String)>, Error> {
        let (above, file) = path.rsplit_once('/').unwrap_or(("", path));
        if let Some(folder) = self.folder_of(commit, above, file)? {
            let folder = if above.is_empty() { folder } else { format!("{above}/{folder}") };
            return Ok(Some((folder, file.to_owned())));
        }
        let item = self.item_of(commit, path)?;
        Ok(item.map(|item| (item.clone(), path[item.len() + 1..].to_owned())))
    }

    /// The folder in a folder that is an item about a document beside it: the one of its name, if that is one.
    fn folder_of(&self, commit: Oid, above: &str, document: &str) -> Result<Option<String>, Error> {
        let tree = if above.is_empty() { Some(self.tree(commit)?) } else { self.folder(commit, above)? };
        let Some(tree) = tree else { return Ok(None) };
        let mut found = Vec::new();
        for entry in tree.iter().filter(|entry| entry.kind() == Some(ObjectType::Tree)) {
            let meta = self.own_meta(&self.git.find_tree(entry.id())?)?;
            if meta.is_some_and(|meta| meta.document() == Some(document)) {
                found.push(name_of(&entry).to_string());
            }
        }
        let stem = document.rsplit_once('.').map_or(document, |(stem, _)| stem);
        let own = found.iter().position(|folder| folder == stem).unwrap_or_default();
        Ok((!found.is_empty()).then(|| found.swap_remove(own)))
    }

    /// Every recording of the items below a folder: the item, the recording's path, its blob. Stops
    /// when `each` says no; counts what it has shown.
    ///
    /// # Errors
    /// A tree that cannot be read, or links on the way.
    pub fn recordings(
        &self,
        commit: Oid,
        items: &str,
        each: &mut dyn FnMut(&str, &str, Oid) -> bool,
    ) -> Result<usize, Error> {
        let mut count = 0;
        for item in self.items(commit, items)? {
            let Some(folder) = self.folder(commit, &format!("{item}/elaborations"))? else { continue };
            for file in folder.iter().filter(|file| matches!(kind(file), Entry::File)) {
                let name = name_of(&file);
                if name.ends_with(".jsonl") {
                    count += 1;
                    if !each(&item, &format!("{item}/elaborations/{name}"), file.id()) {
                        return Ok(count);
                    }
                }
            }
        }
        Ok(count)
    }

    fn read_folder(
        &self,
        tree: &Tree<'_>,
        prefix: &str,
        depth: usize,
        is_wanted: &dyn Fn(&str) -> bool,
        read: &mut ItemFolder,
    ) -> Result<(), Error> {
        // Documents of items that have their folders in this one.
        let mut others = Vec::new();
        for entry in tree {
            let name = format!("{prefix}{}", name_of(&entry));
            let is_ours = prefix.is_empty() && name.eq_ignore_ascii_case("elaborations");
            match kind(&entry) {
                Entry::Folder if is_ours && name == "elaborations" => {
                    let recordings = self.git.find_tree(entry.id())?;
                    read.recordings.extend(recordings.iter().map(|entry| name_of(&entry)));
                }
                _ if is_ours => return Err(Error::NotOurs { path: name }),
                Entry::Folder if depth < DEPTH => {
                    let tree = self.git.find_tree(entry.id())?;
                    if let Some(meta) = self.own_meta(&tree)? {
                        others.extend(meta.document().map(|document| format!("{prefix}{document}")));
                        continue;
                    }
                    self.read_folder(&tree, &format!("{name}/"), depth + 1, is_wanted, read)?;
                }
                Entry::Folder => {
                    read.files.insert(name, File::Foreign("a folder too deep to read"));
                }
                Entry::Foreign(what) => {
                    read.files.insert(name, File::Foreign(what));
                }
                Entry::File => {
                    let is_read = item::is_document(&name) && (name == meta::FILE || is_wanted(&name));
                    let file = if is_read { self.read_document(entry.id())? } else { File::Opaque };
                    read.ids.insert(name.clone(), entry.id().to_string());
                    read.files.insert(name, file);
                }
            }
        }
        for name in others {
            read.files.remove(&name);
            read.ids.remove(&name);
        }
        Ok(())
    }

    /// A document by its blob.
    ///
    /// # Errors
    /// A blob that is not here or cannot be read.
    pub(crate) fn read_document(&self, id: Oid) -> Result<File, Error> {
        let size = self.git.odb()?.read_header(id)?.0 as u64;
        if size > item::LARGEST {
            return Ok(File::Large(size));
        }
        let bytes = self.bytes(id)?;
        Ok(if item::is_pointer(&bytes) { File::Opaque } else { File::Bytes(bytes) })
    }
}
