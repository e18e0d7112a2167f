//! The files that a model's [evidence](crate::voice::model::evidence) is taken from, as a commit has them.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use git2::Oid;
use globset::GlobSet;

use super::{AtPath, Error, Repo, trailers};
use crate::discussion::event::Sent;
use crate::item::Item;
use crate::item::config;
use crate::text::path;
use crate::text::plain;
use crate::text::secrets;
use crate::voice::model::evidence::{
    Evidence, EvidenceRequest, Files, LISTING_SHARE, Listed, Place, Symbols, again, commits, gather,
    is_prose_or_code, is_readable, listing, more, visible_lines,
};
use crate::voice::names::Codebase;
use crate::voice::own_text;

/// Larger files are data.
const LARGEST: u64 = 1 << 20;
/// Files that a thread searches at a time.
const AT_A_TIME: usize = 256;
/// Files whose lines are read for a name.
const MOST_FILES: usize = 50;
/// Commits that are looked at for those that touched a file.
const WALKED: usize = 400;
/// The longest subject of a commit, in characters.
const SUBJECT: usize = 90;

/// What evidence leaves out, besides what is never sent.
#[derive(Clone, Debug, Default)]
pub struct Apart<'a> {
    /// The item's own documents, from the repository's root: they are sent as such.
    pub own: Vec<String>,
    /// The item's own folder.
    pub item: &'a str,
    /// Folders whose files are sent only where their paths are named: those of other items.
    pub only_named: Vec<&'a str>,
    pub exclude: GlobSet,
}

/// The files of a commit.
pub struct Code<'r> {
    repo: &'r Repo,
    commit: Oid,
    listed: Vec<Listed>,
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
        let code = self.code(commit, &apart(item, settings, items))?;
        let documents = item.documents().map(|(name, text)| (item.path_of(name), text)).collect();
        Ok(gather(&EvidenceRequest { documents, messages, max_chars: settings.max_chars }, &code))
    }

    /// Lists the files of a commit.
    ///
    /// # Errors
    /// A tree that cannot be read.
    pub(crate) fn code(&self, commit: Oid, apart: &Apart<'_>) -> Result<Code<'_>, Error> {
        let is_in = |path: &str, folder: &str| path::is_below(path, folder);
        let is_sent = |(path, _): &(String, Oid)| {
            is_readable(path)
                && !is_in(path, apart.item)
                && !apart.own.contains(path)
                && !apart.exclude.is_match(path)
        };
        let listed = |(path, id): (String, Oid)| Listed {
            is_of_other_item: apart.only_named.iter().any(|folder| is_in(&path, folder)),
            path,
            blob: id.to_string(),
        };
        let files = self.tree_files(self.tree_of(commit)?)?.into_iter();
        Ok(Code { repo: self, commit, listed: files.filter(is_sent).map(listed).collect() })
    }

    /// The evidence of a recording, as its commit has it.
    ///
    /// # Errors
    /// A tree that cannot be read.
    pub(crate) fn sent(
        &self,
        commit: Oid,
        sent: &[Sent],
        item: &Item,
        settings: &config::Evidence,
        items: &[&str],
    ) -> Result<Evidence, Error> {
        if !settings.repository {
            return Ok(self.pieces(sent));
        }
        let code = self.code(commit, &apart(item, settings, items))?;
        let listing = listing(&code.listed, settings.max_chars / LISTING_SHARE);
        Ok(Evidence { commits: commits(sent, &code, usize::MAX), listing, ..self.pieces(sent) })
    }

    /// What a model asks for beyond the evidence that it was given.
    ///
    /// # Errors
    /// A tree that cannot be read.
    pub(crate) fn more_evidence(
        &self,
        commit: Oid,
        item: &Item,
        asked: &[String],
        given: &Evidence,
        settings: &config::Evidence,
        items: &[&str],
    ) -> Result<Evidence, Error> {
        if !settings.repository {
            return Ok(Evidence::default());
        }
        let apart = apart(item, settings, items);
        let code = self.code(commit, &apart)?;
        Ok(more(asked, given, &apart.own, settings.max_chars, &code))
    }

    /// The pieces of files that a recording names.
    pub(crate) fn pieces(&self, sent: &[Sent]) -> Evidence {
        let lines = |sent: &Sent| Some(visible_lines(&text(self, Oid::from_str(&sent.blob).ok()?)?));
        again(sent, &lines)
    }
}

/// The code beside documents, whichever items they belong to.
pub(crate) struct Beside<'r> {
    code: Code<'r>,
    /// By their paths from the repository's root.
    documents: Vec<(String, &'r str)>,
}

impl<'r> Beside<'r> {
    /// The files of a commit but these documents; those of items only where their paths are named.
    ///
    /// # Errors
    /// A tree that cannot be read.
    pub(crate) fn new(
        repo: &'r Repo,
        commit: Oid,
        documents: Vec<(String, &'r str)>,
        items: Vec<&str>,
        settings: &config::Evidence,
    ) -> Result<Beside<'r>, Error> {
        let own = documents.iter().map(|(path, _)| path.clone()).collect();
        let exclude = settings.excluded().unwrap_or_default();
        let apart = Apart { own, item: "", only_named: items, exclude };
        Ok(Beside { code: repo.code(commit, &apart)?, documents })
    }

    /// What is sent with the documents.
    pub(crate) fn gather(&self, max_chars: usize) -> Evidence {
        let documents = self.documents.clone();
        gather(&EvidenceRequest { documents, messages: Vec::new(), max_chars }, &self.code)
    }

    /// What a model asks for beyond that.
    pub(crate) fn more(&self, asked: &[String], given: &Evidence, max_chars: usize) -> Evidence {
        let own: Vec<String> = self.documents.iter().map(|(path, _)| path.clone()).collect();
        more(asked, given, &own, max_chars, &self.code)
    }
}

/// The names in a commit's files; each is looked for once.
pub struct NamesOf<'r> {
    repo: &'r Repo,
    commit: Oid,
    /// All paths, read when the first name is asked about.
    paths: OnceCell<Vec<String>>,
    endings: OnceCell<BTreeSet<String>>,
    /// The files that may be sent, read when the first name in a file is.
    code: OnceCell<Option<Code<'r>>>,
    known: RefCell<BTreeMap<String, Vec<String>>>,
}

impl Repo {
    /// What the files of a commit are called, and what is called something in them.
    pub(crate) fn names(&self, commit: Oid) -> NamesOf<'_> {
        let (paths, endings, code) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        NamesOf { repo: self, commit, paths, endings, code, known: RefCell::default() }
    }
}

impl NamesOf<'_> {
    /// Every path; none where the tree cannot be read: then nothing is known, as nothing is there.
    fn paths(&self) -> &[String] {
        let read = || self.repo.tree_files(self.repo.tree_of(self.commit)?);
        let paths = || read().into_iter().flatten().map(|(path, _)| path).collect::<Vec<_>>();
        self.paths.get_or_init(paths)
    }

    fn code(&self) -> Option<&Code<'_>> {
        self.code.get_or_init(|| self.repo.code(self.commit, &Apart::default()).ok()).as_ref()
    }

    fn search(&self, name: &str) -> Option<Vec<String>> {
        let code = self.code()?;
        let places = code.find(&Symbols::new(&[name.to_owned()]));
        let files = places.into_iter().flatten().take(MOST_FILES);
        let texts = files.filter_map(|(file, _)| code.text(file));
        let blocks =
            |text: String| own_text::of_name(&text, name).into_iter().map(str::to_owned).collect::<Vec<_>>();
        Some(texts.flat_map(blocks).collect())
    }
}

impl Codebase for NamesOf<'_> {
    fn has_file(&self, path: &str) -> bool {
        let path = path.trim_start_matches("./").trim_matches('/');
        let is_it = |known: &str| ends_with(known, path) || is_folder_of(known, path);
        !path.is_empty() && self.paths().iter().any(|known| is_it(known))
    }

    fn is_file_name(&self, word: &str) -> bool {
        let ending = |name: &str| {
            let (stem, ending) = name.rsplit('/').next()?.rsplit_once('.')?;
            (!stem.is_empty()).then(|| ending.to_owned())
        };
        let endings = || self.paths().iter().filter_map(|path| ending(path)).collect();
        ending(word).is_some_and(|ending| self.endings.get_or_init(endings).contains(&ending))
    }

    fn text(&self, path: &str) -> Option<String> {
        let mut found = self.code()?.listed.iter().filter(|listed| ends_with(&listed.path, path));
        match (found.next(), found.next()) {
            (Some(only), None) => text(self.repo, Oid::from_str(&only.blob).ok()?),
            _ => None,
        }
    }

    fn blocks_with(&self, name: &str) -> Vec<String> {
        if let Some(known) = self.known.borrow().get(name) {
            return known.clone();
        }
        let blocks = self.search(name).unwrap_or_default();
        self.known.borrow_mut().insert(name.to_owned(), blocks.clone());
        blocks
    }

    fn has_commit(&self, id: &str) -> bool {
        self.repo.resolve(id).is_ok()
    }
}

fn ends_with(known: &str, path: &str) -> bool {
    let path = path.trim_start_matches("./");
    known.strip_suffix(path).is_some_and(|rest| !path.is_empty() && (rest.is_empty() || rest.ends_with('/')))
}

/// Whether a file is below a folder that is named in full or by its end: `src/voice`.
fn is_folder_of(known: &str, folder: &str) -> bool {
    known
        .match_indices(folder)
        .any(|(at, _)| (at == 0 || known[..at].ends_with('/')) && known[at + folder.len()..].starts_with('/'))
}

/// What is no evidence for an item: its own documents, and those beside its folder unless they are named.
fn apart<'a>(item: &'a Item, settings: &config::Evidence, items: &[&'a str]) -> Apart<'a> {
    let beside = item.path.rsplit_once('/').map(|(above, _)| above);
    Apart {
        own: item.documents().map(|(name, _)| item.path_of(name)).collect(),
        item: &item.path,
        only_named: items.iter().copied().chain(beside).collect(),
        // The settings were read before: their globs are some.
        exclude: settings.excluded().unwrap_or_default(),
    }
}

/// The text of a blob that may be sent.
fn text(repo: &Repo, blob: Oid) -> Option<String> {
    let bytes = repo.small_bytes(blob, LARGEST)?;
    is_prose_or_code(&bytes).then(|| String::from_utf8_lossy(&bytes).into_owned())
}

/// Where names are in a part of the list.
type Found = Vec<(usize, Place)>;

/// Where names are in some files of the list, `first` and those after it.
fn search(files: &[Listed], first: usize, symbols: &Symbols, repo: &Repo) -> Found {
    let places = |(at, file): (usize, &Listed)| {
        let text = Oid::from_str(&file.blob).ok().and_then(|blob| text(repo, blob));
        let places = text.map(|text| symbols.places(&text)).unwrap_or_default();
        places.into_iter().map(move |place| (first + at, place))
    };
    files.iter().enumerate().filter(|(_, file)| !file.is_of_other_item).flat_map(places).collect()
}

impl Files for Code<'_> {
    fn listed(&self) -> &[Listed] {
        &self.listed
    }

    /// Files are searched on all threads, some at a time.
    fn find(&self, symbols: &Symbols) -> Vec<Vec<(usize, Option<usize>)>> {
        let mut found = vec![Vec::new(); symbols.names().len()];
        if found.is_empty() {
            return found;
        }
        let chunks: Vec<&[Listed]> = self.listed.chunks(AT_A_TIME).collect();
        let mut parts: Vec<Found> = vec![Vec::new(); chunks.len()];
        rayon_core::in_place_scope(|scope| {
            for ((at, chunk), part) in chunks.into_iter().enumerate().zip(&mut parts) {
                let first = at * AT_A_TIME;
                match self.repo.again() {
                    Ok(repo) => scope.spawn(move |_| *part = search(chunk, first, symbols, &repo)),
                    // Here, where there is no other way to read them.
                    Err(_) => *part = search(chunk, first, symbols, self.repo),
                }
            }
        });
        for (file, place) in parts.into_iter().flatten() {
            found[place.name].push((file, place.defined));
        }
        found
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
