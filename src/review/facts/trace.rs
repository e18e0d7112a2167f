//! Requirements that nothing names which builds or tests them, although it names others of their document.
//!
//! What names them is a list of tasks, a story or a plan of tests, by its path. A name belongs to the nearest folder around
//! it that defines ids of the family (`FR`, `US`): `FR-001` of two features are two. Documents of Kiro number criteria
//! by requirement and place (`2.3`); tasks name them after "Requirements:".
//!
//! Where `spec.md` defines `FR-001` to `FR-003`, and `tasks.md` names the first two, nobody is told to build the third.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Range;

use super::super::Hit;
use super::super::page::{Block, Kind, Page};
use super::ids;
use super::naming::{folded, folder_of};
use super::{Pages, kiro};

/// Fewer definitions show no scheme of numbers.
const MIN_DEFINED: usize = 3;
/// Folders around one that can be its item's.
const MAX_DEPTH: usize = 3;

/// An id where it is defined.
struct Definition {
    /// As it is written; "User Story 3" is `US3`.
    id: String,
    key: String,
    page: usize,
    place: Range<usize>,
}

impl Definition {
    /// The id is named, one of its parts, or what it is a part of: `FR-1`, `FR-1a` and `FR-1.2`.
    fn is_named(&self, keys: &BTreeSet<String>) -> bool {
        let from = keys.range(self.key.clone()..).map_while(|key| key.strip_prefix(&self.key));
        let is_part = |rest: &str| rest.is_empty() || rest.starts_with(|sign: char| !sign.is_ascii_digit());
        let mut wholes = self.key.match_indices('.').map(|(at, _)| &self.key[..at]);
        from.into_iter().any(is_part) || wholes.any(|whole| keys.contains(whole))
    }
}

/// The definitions of requirements, by folder and family.
type Defined<'p> = BTreeMap<&'p str, BTreeMap<String, Vec<Definition>>>;

/// What names ids of a folder's family: the documents, and the keys in them.
#[derive(Default)]
struct Named {
    pages: BTreeSet<usize>,
    keys: BTreeSet<String>,
}

/// Requirements and stories that no task, story or test names, where at least half are named; one finding for each family
/// of a document.
pub fn untraced_ids(all: &Pages<'_, '_>) -> Vec<Hit> {
    let defined = definitions(all);
    let named = names(all, &defined);
    let mut found = Vec::new();
    for (folder, families) in &defined {
        for (family, defined) in families {
            let named = named.get(&(*folder, family.as_str()));
            found.extend(named.and_then(|named| untraced(all, defined, named)));
        }
    }
    found.extend(kiro::untraced_criteria(all));
    found
}

fn definitions<'p>(all: &Pages<'p, '_>) -> Defined<'p> {
    let mut found = Defined::new();
    for (number, page) in all.pages.iter().enumerate().filter(|(_, page)| holds_requirements(page.path)) {
        for block in page.blocks.iter().filter(|block| !block.is_quoted) {
            if let Some(definition) = definition(page, number, block) {
                let families = found.entry(folder_of(page.path)).or_default();
                families.entry(ids::family(&definition.key).to_owned()).or_default().push(definition);
            }
        }
    }
    found
}

fn definition(page: &Page<'_>, number: usize, block: &Block) -> Option<Definition> {
    let text = page.text_of(block);
    let story = if block.kind == Kind::Heading { story_number(text) } else { None };
    let named = || ids::definition_in(page, block).map(|range| (range.clone(), text[range].to_owned()));
    let (range, id) = story.or_else(named).filter(|_| !is_title(page, block))?;
    let place = page.source(block.plain.start + range.start..block.plain.start + range.end);
    Some(Definition { key: ids::key(&id), id, page: number, place })
}

/// A document's own number is one of a series of documents, of which these may be a part.
fn is_title(page: &Page<'_>, block: &Block) -> bool {
    block.kind == Kind::Heading && page.sections[block.section].level == 1
}

const STORY: &str = "User Story ";

/// "User Story 3" at the beginning of a heading: its place and id.
fn story_number(text: &str) -> Option<(Range<usize>, String)> {
    let rest = text.strip_prefix(STORY)?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let number: u32 = rest[..digits].parse().ok()?;
    Some((0..STORY.len() + digits, format!("US{number}")))
}

fn mentioned_stories(text: &str) -> impl Iterator<Item = String> {
    text.match_indices(STORY).filter_map(|(at, _)| story_number(&text[at..])).map(|(_, id)| id)
}

/// What tasks, stories and tests name, by folder and family.
fn names<'d>(all: &Pages<'_, '_>, defined: &'d Defined<'_>) -> HashMap<(&'d str, &'d str), Named> {
    let mut found: HashMap<(&str, &str), Named> = HashMap::new();
    for (number, page) in all.pages.iter().enumerate().filter(|(_, page)| is_work(page.path)) {
        let texts = page.blocks.iter().map(|block| page.text_of(block));
        for key in texts.flat_map(|text| ids::mentioned_keys(text).chain(mentioned_stories(text))) {
            let owner = owner(page.path, ids::family(&key), defined);
            let Some(owner) = owner.filter(|owner| !defines(number, *owner, defined)) else { continue };
            let named = found.entry(owner).or_default();
            named.pages.insert(number);
            named.keys.insert(key);
        }
    }
    found
}

/// The nearest folder around a document that defines a family, with the family.
fn owner<'d>(path: &str, family: &str, defined: &'d Defined<'_>) -> Option<(&'d str, &'d str)> {
    let around = std::iter::successors(Some(folder_of(path)), |folder| outer(folder)).take(MAX_DEPTH);
    let (folder, families) = around
        .filter_map(|folder| defined.get_key_value(folder))
        .find(|(_, families)| families.contains_key(family))?;
    families.get_key_value(family).map(|(family, _)| (*folder, family.as_str()))
}

/// The document defines ids of the family itself: it names them without building them.
fn defines(page: usize, (folder, family): (&str, &str), defined: &Defined<'_>) -> bool {
    let all = defined.get(folder).and_then(|families| families.get(family));
    // The definitions are in the order of their documents.
    all.is_some_and(|all| all.binary_search_by_key(&page, |one| one.page).is_ok())
}

/// The folder around a folder.
fn outer(folder: &str) -> Option<&str> {
    (!folder.is_empty()).then(|| folder_of(folder.trim_end_matches('/')))
}

/// Tasks, a story or a plan of tests, by the name of the document or of its folder.
fn is_work(path: &str) -> bool {
    let names = path.rsplit('/').take(2).flat_map(|name| name.split(|sign: char| !sign.is_alphanumeric()));
    names.into_iter().any(|word| {
        ["task", "tasks", "story", "stories", "test", "tests"]
            .iter()
            .any(|known| word.eq_ignore_ascii_case(known))
    })
}

/// A document of requirements, by its name.
fn holds_requirements(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default().to_lowercase();
    ["spec", "requirements", "prd", "srs", "stories"].iter().any(|word| name.contains(word))
}

/// The definitions of a family that nothing names but the documents that hold them.
fn untraced(all: &Pages<'_, '_>, defined: &[Definition], named: &Named) -> Option<Hit> {
    let mut seen = HashSet::new();
    let own: Vec<&Definition> = defined.iter().filter(|one| seen.insert(one.key.as_str())).collect();
    let missing: Vec<&&Definition> = own.iter().filter(|one| !one.is_named(&named.keys)).collect();
    let first = missing.first()?;
    let is_custom = own.len() >= MIN_DEFINED && missing.len() * 2 <= own.len();
    let names: Vec<String> = missing.iter().map(|one| one.id.clone()).collect();
    let mut paths = named.pages.iter().map(|page| all.pages[*page].path);
    let path = paths.next()?;
    let path = match paths.count() {
        0 => path.to_owned(),
        more => format!("{path} and {more} more"),
    };
    let hit = || folded(first.place.clone(), &names, own.len(), &path);
    is_custom.then(|| Hit { page: first.page, ..hit() })
}
