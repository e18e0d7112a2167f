//! Ids that are named and not defined, and requirements that no task names: within a folder and its folders.
//!
//! A family of ids (`FR`, `T`, `US`) belongs to a folder that defines at least [`MIN_DEFINED`] of it: only there a
//! mention of another one is a slip. "User Story 3" defines `US3`. Documents of Kiro number criteria by requirement and
//! place (`2.3`); tasks name them after "Requirements:".
//!
//! Where `spec.md` defines `FR-001` to `FR-003`, "T001 Check the fee (`FR-004`)" in `tasks.md` names one that is defined
//! nowhere.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Range;

use super::super::Hit;
use super::super::page::{Block, Kind, Page};
use super::ids;
use super::naming::{Dangling, SHOWN, folded, folder_of, is_task_list};
use super::{Pages, kiro};

/// Fewer definitions show no scheme of numbers.
const MIN_DEFINED: usize = 3;

/// What the documents of a folder define and name.
#[derive(Default)]
struct Folder {
    /// Whatever a block begins with, by key.
    begun: BTreeSet<String>,
    /// Definitions by family.
    defined: BTreeMap<String, Vec<Definition>>,
    /// Ids of each family that has a scheme, one for each form.
    forms: BTreeMap<String, Vec<String>>,
}

/// An id where it is defined.
struct Definition {
    /// As it is written; "User Story 3" is `US3`.
    id: String,
    key: String,
    page: usize,
    place: Range<usize>,
}

/// The folder around a folder.
fn outer(folder: &str) -> Option<&str> {
    (!folder.is_empty()).then(|| folder_of(folder.trim_end_matches('/')))
}

fn folders<'p>(all: &Pages<'p, '_>) -> BTreeMap<&'p str, Folder> {
    let mut found: BTreeMap<&str, Folder> = BTreeMap::new();
    for (number, page) in all.pages.iter().enumerate() {
        let folder = found.entry(folder_of(page.path)).or_default();
        for block in page.blocks.iter().filter(|block| !block.is_quoted) {
            add_definition(folder, page, number, block);
        }
        folder.begun.extend(line_beginnings(page.text));
    }
    found.values_mut().for_each(add_forms);
    found
}

/// Forms of a family that are told apart.
const MAX_FORMS: usize = 8;

fn add_forms(folder: &mut Folder) {
    for (family, defined) in &folder.defined {
        let different: BTreeSet<&str> = defined.iter().map(|one| one.key.as_str()).collect();
        if different.len() < MIN_DEFINED {
            continue;
        }
        let forms: &mut Vec<String> = folder.forms.entry(family.clone()).or_default();
        for one in defined {
            if forms.len() < MAX_FORMS && !forms.iter().any(|form| ids::is_alike(form, &one.id)) {
                forms.push(one.id.clone());
            }
        }
    }
}

fn add_definition(folder: &mut Folder, page: &Page<'_>, number: usize, block: &Block) {
    let text = page.text_of(block);
    let story = if block.kind == Kind::Heading { story_number(text) } else { None };
    let named = || ids::definition_in(page, block).map(|range| (range.clone(), text[range].to_owned()));
    if let Some((range, id)) = story.or_else(named).filter(|_| !is_title(page, block)) {
        let key = ids::key(&id);
        let place = page.source(block.plain.start + range.start..block.plain.start + range.end);
        folder.begun.insert(key.clone());
        let family = folder.defined.entry(ids::family(&key).to_owned()).or_default();
        family.push(Definition { id, key, page: number, place });
    } else if let Some(id) = ids::loose_id(text) {
        folder.begun.insert(ids::key(&text[id]));
    } else if matches!(block.kind, Kind::Item(Some(_))) {
        // "- [x] SKIP: T039".
        folder.begun.extend(ids::mentioned_ids(text).take(1).map(ids::key));
    }
}

/// A document's own number is one of a series of documents, of which these may be a part.
fn is_title(page: &Page<'_>, block: &Block) -> bool {
    block.kind == Kind::Heading && page.sections[block.section].level == 1
}

/// "User Story 3" at the beginning of a heading: its place and id.
fn story_number(text: &str) -> Option<(Range<usize>, String)> {
    let rest = text.strip_prefix("User Story ")?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let number: u32 = rest[..digits].parse().ok()?;
    Some((0..text.len() - rest.len() + digits, format!("US{number}")))
}

/// The ids that lines begin with, code and comments included: what is defined there is defined for people.
fn line_beginnings(text: &str) -> impl Iterator<Item = String> {
    text.lines().filter_map(|line| ids::loose_id(line).map(|id| ids::key(&line[id])))
}

/// Ids that their folder defines nowhere although it defines others of the family; and criteria of Kiro.
pub fn dangling_ids(all: &Pages<'_, '_>) -> Vec<Hit> {
    let folders = folders(all);
    let begun_below = begun_below(&folders);
    let mut found = Vec::new();
    for (number, page) in all.pages.iter().enumerate() {
        let scopes = scopes_of(page.path, &folders, &begun_below);
        let mut seen = HashSet::new();
        for block in page.blocks.iter().filter(|block| is_open(block) && !names_file(page, block)) {
            let text = page.text_of(block);
            for mention in ids::mentions(text).filter(|mention| mention.is_written && !mention.is_list) {
                let id = &text[mention.range.clone()];
                let scope = scopes.iter().find(|scope| has_scheme(scope.folder, id, &mention.key));
                let is_known = scope.is_none_or(|scope| scope.is_begun(&mention.key));
                if !is_known && seen.insert(mention.key.clone()) {
                    let plain =
                        block.plain.start + mention.range.start..block.plain.start + mention.range.end;
                    let place = page.source(plain);
                    found.push(Dangling {
                        page: number,
                        family: ids::family(&mention.key).to_owned(),
                        place,
                    });
                }
            }
        }
    }
    found.extend(kiro::dangling_criteria(all));
    fold_families(all, found)
}

/// So many ids of one family are one finding of their document.
const MIN_FOLDED: usize = 3;

fn fold_families(all: &Pages<'_, '_>, found: Vec<Dangling>) -> Vec<Hit> {
    let mut families: BTreeMap<(usize, String), Vec<Range<usize>>> = BTreeMap::new();
    for one in found {
        families.entry((one.page, one.family)).or_default().push(one.place);
    }
    let mut hits = Vec::new();
    for ((page, _), mut places) in families {
        let mut more = String::new();
        let mut related = Vec::new();
        if places.len() >= MIN_FOLDED {
            related = places.split_off(1);
            let names = related.iter().map(|place| &all.pages[page].text[place.clone()]);
            let names: Vec<&str> = names.take(SHOWN).collect();
            let left = related.len() - names.len();
            let left = if left > 0 { format!(" and {left} more") } else { String::new() };
            more = format!(", nor are {}{left}", names.join(", "));
        }
        let related: Vec<_> = related.into_iter().map(|place| (page, place)).collect();
        hits.extend(places.into_iter().map(|place| Hit {
            page,
            related: related.clone(),
            ..Hit::at(place).with("others", more.clone())
        }));
    }
    hits
}

/// What is done is history: it may name what is gone.
fn is_open(block: &Block) -> bool {
    !block.is_quoted && block.kind != Kind::Item(Some(true))
}

/// The ids that blocks of a folder and of those in it begin with.
fn begun_below<'p>(folders: &'p BTreeMap<&'p str, Folder>) -> HashMap<&'p str, BTreeSet<&'p str>> {
    let mut below: HashMap<&str, BTreeSet<&str>> = HashMap::new();
    for (path, folder) in folders {
        let around = std::iter::successors(Some(*path), |path| outer(path)).take(MAX_DEPTH);
        for outer in around {
            below.entry(outer).or_default().extend(folder.begun.iter().map(String::as_str));
        }
    }
    below
}

/// Folders around one that can be its item's.
const MAX_DEPTH: usize = 4;

/// A folder whose ids a document may name, with all that is begun there.
struct Scope<'p> {
    folder: &'p Folder,
    begun: Vec<&'p BTreeSet<&'p str>>,
    /// The folder around it, without its other folders.
    around: Option<&'p Folder>,
}

impl Scope<'_> {
    /// The id is begun here, or its parts are: `FR-002a` and `FR-002b` are what `FR-002` was.
    fn is_begun(&self, key: &str) -> bool {
        let forms = [key.to_owned(), format!("{key}a"), format!("{key}.1")];
        let is_here = |form: &str| self.begun.iter().any(|begun| begun.contains(form));
        let is_around = |form: &str| self.around.is_some_and(|around| around.begun.contains(form));
        forms.iter().any(|form| is_here(form) || is_around(form))
    }
}

/// The document's own folder, then the one around it.
fn scopes_of<'p>(
    path: &str,
    folders: &'p BTreeMap<&'p str, Folder>,
    below: &'p HashMap<&'p str, BTreeSet<&'p str>>,
) -> Vec<Scope<'p>> {
    let here = folder_of(path);
    let paths = std::iter::once(here).chain(outer(here));
    let scope = |path: &str| {
        let begun = below.get(path).into_iter().chain(below.get(here)).collect();
        let around = outer(path).and_then(|outer| folders.get(outer));
        folders.get(path).map(|folder| Scope { folder, begun, around })
    };
    paths.filter_map(scope).collect()
}

/// The folder defines enough of the id's family, and others in its form.
fn has_scheme(folder: &Folder, id: &str, key: &str) -> bool {
    let forms = folder.forms.get(ids::family(key));
    forms.is_some_and(|forms| forms.iter().any(|form| ids::is_alike(form, id)))
}

/// The block names another document, which may define what it speaks of.
fn names_file(page: &Page<'_>, block: &Block) -> bool {
    let source = &page.text[block.range.clone()];
    source.contains(".md") || source.contains("://")
}

/// Requirements and stories that no task of their folder names, where at least half are named; one finding for each
/// family of a document.
pub fn untraced_ids(all: &Pages<'_, '_>) -> Vec<Hit> {
    let mut named: HashMap<&str, (usize, HashSet<String>)> = HashMap::new();
    for (number, page) in all.pages.iter().enumerate().filter(|(_, page)| is_task_list(page.path)) {
        let (_, keys) = named.entry(folder_of(page.path)).or_insert((number, HashSet::new()));
        for block in &page.blocks {
            keys.extend(ids::mentions(page.text_of(block)).map(|mention| mention.key));
        }
    }
    let mut found = Vec::new();
    for (folder, content) in &folders(all) {
        let Some((tasks, keys)) = named.get(folder) else { continue };
        for defined in content.defined.values() {
            found.extend(untraced(all, defined, *tasks, keys));
        }
    }
    found.extend(kiro::untraced_criteria(all));
    found
}

/// A document of requirements, by its name.
fn holds_requirements(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default().to_lowercase();
    ["spec", "requirements", "prd", "srs", "stories"].iter().any(|word| name.contains(word))
}

fn untraced(
    all: &Pages<'_, '_>,
    defined: &[Definition],
    tasks: usize,
    named: &HashSet<String>,
) -> Option<Hit> {
    let mut seen = HashSet::new();
    let is_demand = |one: &&Definition| one.page != tasks && holds_requirements(all.pages[one.page].path);
    let own: Vec<&Definition> =
        defined.iter().filter(is_demand).filter(|one| seen.insert(one.key.as_str())).collect();
    let missing: Vec<&&Definition> = own.iter().filter(|one| !named.contains(&one.key)).collect();
    let first = missing.first()?;
    let names: Vec<String> = missing.iter().map(|one| one.id.clone()).collect();
    let is_custom = own.len() >= MIN_DEFINED && missing.len() * 2 <= own.len();
    let hit = || folded(first.place.clone(), &names, own.len(), all.pages[tasks].path);
    is_custom.then(|| Hit { page: first.page, ..hit() })
}
