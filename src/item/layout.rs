//! Layouts: how a kind of item is recognised, and which document takes what, under which heading, in which form.
//!
//! A layout is a file of `layouts/`; a team's own file takes the place of the built-in one with its name. Nothing
//! in the code names a layout.
//!
//! Invariant: recognition is a function of the item's path, names and main document, so that a recording can name
//! what was recognised and replay can ask again.
//!
//! ```
//! use roundtable::item::layout::Layout;
//!
//! let file = "layout: notes\ntitle: Notes\norder: 5\nrecognised: {files: [notes.md]}\ndocument: [notes.md]\n\
//!     block: end\ndecisions: {heading: Decisions}\nquestions: block\nactions: block\ninsights: recording\n";
//! assert_eq!(Layout::read("notes.yaml", file).unwrap().name, "notes");
//! let error = Layout::read("notes.yaml", &file.replace("block: end", "block: top")).unwrap_err();
//! assert_eq!(error.line, 6);
//! ```

use std::collections::BTreeSet;

use globset::{GlobBuilder, GlobMatcher};
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, Visitor};

use super::DRAFT;
use crate::additive::policy::Preset;
use crate::text::finding::Finding;
use crate::text::front_matter;
use crate::text::ids::{family, id_of_entry};
use crate::text::path::is_markdown;

/// A layout as its file has it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "`key: value` lines")]
pub struct Layout {
    #[serde(rename = "layout")]
    pub name: String,
    pub title: String,
    /// Of two layouts that an item has, the one with the lower number.
    order: u32,
    recognised: Recognised,
    /// What the main document may be, the best first: `named`, `issue`, `records`, `outputs`, or a glob.
    document: Vec<String>,
    /// The preset of the gate that holds for its documents where the settings say nothing: they have a life cycle.
    pub preset: Option<String>,
    /// The step that is discussed where no other is named, completed or left open.
    pub step: Option<String>,
    pub block: Block,
    pub decisions: Place,
    pub questions: Place,
    pub actions: Place,
    pub insights: Place,
    #[serde(default)]
    pub proposals: Proposals,
    /// What `2.3` names, where numbers are ids.
    pub numbers: Option<Numbers>,
}

/// How `2.3` is found: the third item of the list in the section with the second heading.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "`section` and `list`")]
pub struct Numbers {
    /// What the section's heading begins with, before its number.
    pub section: String,
    /// The heading of the list in it.
    pub list: String,
}

/// Where the block of a discussion goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Block {
    /// The section that the step names.
    Section,
    /// The end of the main document.
    End,
    None,
}

/// What an item is recognised by: everything that is named.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "`key: value` lines")]
struct Recognised {
    /// Globs of the item's path, one of which it has.
    folders: Vec<String>,
    /// Globs of files, all of which are there.
    files: Vec<String>,
    /// Ids that begin a line of the main document: `FR` of `FR-001`.
    ids: Vec<String>,
    /// Globs of numbered records: two are there, or the item is one.
    records: Vec<String>,
    /// An output of a step is there, or no document.
    outputs: bool,
    /// Every item is one.
    always: bool,
}

/// Where entries of a kind go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    Block,
    /// Nowhere but in the recording.
    Recording,
    /// A new record, or the end of the record that is meant.
    Record,
    List(List),
}

/// A list below a heading of the main document.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "`block`, `recording`, `record`, or a list with its `heading`")]
pub struct List {
    pub heading: String,
    /// Below the heading each day has one of its own: `Session 2026-02-20`.
    #[serde(default)]
    pub session: bool,
    #[serde(default)]
    pub form: Form,
    /// A heading that is not there is made before the first section; else at the end.
    #[serde(default)]
    pub first: bool,
}

/// The form of an entry of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    #[default]
    Sentence,
    /// `Q: … → A: …` where a question was asked.
    QuestionAndAnswer,
}

/// Where what a persona proposes goes, by kind; a kind that is not named has no place.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case", expecting = "kinds of proposals")]
pub struct Proposals {
    pub acceptance_criterion: Option<Proposal>,
    pub user_story: Option<Proposal>,
    pub requirement: Option<Proposal>,
    pub success_criterion: Option<Proposal>,
    pub nfr: Option<Proposal>,
    pub risk: Option<Proposal>,
    pub decision_record: Option<Proposal>,
    pub error: Option<Proposal>,
    pub term: Option<Proposal>,
    pub note: Option<Proposal>,
}

/// Where proposals of a kind go.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "`ids`, `heading` and `form`")]
pub struct Proposal {
    /// The letters of the ids that they are counted by.
    pub ids: Vec<String>,
    /// The heading of their list: below what they name, else in the document.
    pub heading: Option<String>,
    /// The form that its words have to have.
    pub form: Option<SentenceForm>,
}

/// A documented form of sentences.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SentenceForm {
    /// Easy Approach to Requirements Syntax: a keyword, then what SHALL be done.
    Ears,
}

impl SentenceForm {
    /// Whether words have the form.
    ///
    /// ```
    /// use roundtable::item::layout::SentenceForm;
    ///
    /// assert!(SentenceForm::Ears.fits("WHEN a letter is lost THEN the desk SHALL print it"));
    /// assert!(!SentenceForm::Ears.fits("Oranges are nice"));
    /// ```
    pub fn fits(self, words: &str) -> bool {
        let SentenceForm::Ears = self;
        let mut words = words.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let begins = ["WHEN", "IF", "WHILE", "WHERE", "THE"];
        let is_begun =
            words.next().is_some_and(|first| begins.iter().any(|one| first.eq_ignore_ascii_case(one)));
        is_begun && words.any(|word| word.eq_ignore_ascii_case("SHALL"))
    }
}

/// The names of a folder's documents, as a layout looks at them.
pub struct Folder<'f> {
    pub path: &'f str,
    pub names: Vec<&'f str>,
    /// The document that was named.
    pub named: Option<&'f str>,
    /// That document is the item: it lies beside its folder.
    pub is_one: bool,
    /// The item comes from an issue.
    pub is_of_issue: bool,
    pub read: &'f dyn Fn(&str) -> Option<String>,
}

/// The layout of an item, and its main document where it has one of its own.
#[derive(Clone, Debug)]
pub struct Laid<'l> {
    pub layout: &'l Layout,
    pub document: Option<String>,
}

impl Layout {
    /// Reads a layout.
    ///
    /// # Errors
    /// A key or a value that is not one, with its line.
    pub fn read(path: &str, text: &str) -> Result<Layout, Finding> {
        let layout: Layout = front_matter::parse(path, text, text, 0)?;
        let Recognised { folders, files, records, .. } = &layout.recognised;
        let words = |name: &&String| !matches!(name.as_str(), NAMED | ISSUE | RECORDS | OUTPUTS);
        let globs = folders.iter().chain(files).chain(records).chain(layout.document.iter().filter(words));
        for glob in globs {
            if let Err(error) = GlobBuilder::new(glob).literal_separator(true).build() {
                let message = format!("\"{glob}\" is not a glob: {}", error.kind());
                return Err(Finding::near(path, text, glob, message).hint("write it like spec.md or '*.md'"));
            }
        }
        if let Some(Err(error)) = layout.preset.as_deref().map(Preset::named) {
            return Err(Finding::near(path, text, "preset:", error.what).hint(error.hint.unwrap_or_default()));
        }
        let stem = path.rsplit('/').next().unwrap_or(path).trim_end_matches(".yaml");
        if layout.name != stem {
            let message = format!("`layout` is \"{}\", and the file is called {stem}.yaml", layout.name);
            return Err(Finding::near(path, text, "layout:", message).hint("give both one name"));
        }
        Ok(layout)
    }

    /// The number that layouts are asked by, and the name.
    pub fn rank(&self) -> (u32, &str) {
        (self.order, &self.name)
    }

    /// Whether a folder has this layout; `outputs` are the files and the folders, with a `/`, that steps write.
    pub fn fits(&self, folder: &Folder<'_>, outputs: &BTreeSet<String>) -> bool {
        let Recognised { folders, files, ids, records, outputs: is_output, always } = &self.recognised;
        let is_there = |glob: &String| folder.names.iter().any(|name| is_match(glob, name));
        (folders.is_empty() || folders.iter().any(|glob| is_match(glob, folder.path)))
            && files.iter().all(is_there)
            && (ids.is_empty() || self.has_ids(folder, ids))
            && (records.is_empty() || has_records(folder, records))
            && (!is_output || is_of_steps(folder, outputs))
            && (*always || *is_output || [folders, files, records].iter().any(|globs| !globs.is_empty()))
    }

    /// Whether files of such a folder belong to one item, whichever of them is named.
    pub fn is_folder(&self) -> bool {
        let Recognised { folders, files, .. } = &self.recognised;
        !folders.is_empty() || !files.is_empty()
    }

    fn has_ids(&self, folder: &Folder<'_>, families: &[String]) -> bool {
        let text = self.main_document(folder).and_then(|name| (folder.read)(&name)).unwrap_or_default();
        let is_known = |id: &str| families.iter().any(|known| known == family(id));
        text.lines().filter_map(id_of_entry).any(is_known)
    }

    /// Whether a document of an item may be the main one because somebody named it: the block goes to its end.
    pub fn may_be_main(&self, name: &str) -> bool {
        let takes_named = self.block == Block::End && self.document.iter().any(|choice| choice == NAMED);
        takes_named && is_markdown(name) && name != DRAFT && !name.contains('/')
    }

    /// The main document; none where each step has its own.
    pub fn main_document(&self, folder: &Folder<'_>) -> Option<String> {
        for choice in &self.document {
            match choice.as_str() {
                NAMED => {
                    if let Some(named) = folder.named {
                        return Some(named.to_owned());
                    }
                }
                RECORDS => {
                    if let Some((_, last)) = self.records(folder.names.iter().copied()).pop() {
                        return Some(last.to_owned());
                    }
                }
                ISSUE => {
                    if folder.is_of_issue && folder.names == [DRAFT] {
                        return Some(DRAFT.to_owned());
                    }
                }
                OUTPUTS => return None,
                glob => {
                    let is_it = |name: &&&str| **name != DRAFT && is_match(glob, name);
                    if let Some(name) = folder.names.iter().filter(is_it).min() {
                        return Some((*name).to_owned());
                    }
                }
            }
        }
        // What a layout always has is made where it is missing.
        let first =
            self.document.first().filter(|name| !matches!(name.as_str(), NAMED | ISSUE | RECORDS | OUTPUTS));
        first.filter(|name| !name.contains(['*', '?', '[', '{'])).cloned()
    }

    /// The numbered records among some names, in the order of their numbers.
    pub fn records<'n>(&self, names: impl Iterator<Item = &'n str>) -> Vec<(u32, &'n str)> {
        let is_record = |name: &&str| self.recognised.records.iter().any(|glob| is_match(glob, name));
        let numbered = |name: &'n str| Some((record_number(name)?, name));
        let mut found: Vec<(u32, &str)> = names.filter(is_record).filter_map(numbered).collect();
        found.sort_unstable();
        found
    }
}

/// The number in a record's name: 4 of `0004-use-kafka.md` and `adr-004-use-kafka.md`.
pub fn record_number(name: &str) -> Option<u32> {
    let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    digits[..end].parse().ok()
}

/// The document that was named.
const NAMED: &str = "named";
/// The text of the issue that the item is made of, where it has no other document.
const ISSUE: &str = "issue";
/// The last of the numbered records.
const RECORDS: &str = "records";
/// The outputs of the step.
const OUTPUTS: &str = "outputs";
/// So many records make a folder of them.
const LEAST_RECORDS: usize = 2;

/// Whether a folder has a document that steps write, or none but what is in their folders.
fn is_of_steps(folder: &Folder<'_>, outputs: &BTreeSet<String>) -> bool {
    let mut documents = folder.names.iter().filter(|name| **name != DRAFT);
    let is_within = |name: &str| {
        let mut ends = name.match_indices('/').map(|(at, _)| &name[..=at]);
        ends.any(|folder| outputs.contains(folder))
    };
    folder.names.iter().any(|name| outputs.contains(*name)) || documents.all(|name| is_within(name))
}

fn has_records(folder: &Folder<'_>, globs: &[String]) -> bool {
    let is_record = |name: &&&str| globs.iter().any(|glob| is_match(glob, name));
    let count = folder.names.iter().filter(is_record).count();
    count >= LEAST_RECORDS || folder.is_one && folder.named.as_ref().is_some_and(|name| is_record(&name))
}

fn is_match(glob: &str, path: &str) -> bool {
    let built = GlobBuilder::new(glob).literal_separator(true).build();
    built.is_ok_and(|glob| GlobMatcher::is_match(&glob.compile_matcher(), path))
}

impl<'de> Deserialize<'de> for Place {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Place, D::Error> {
        struct WordOrList;
        impl<'de> Visitor<'de> for WordOrList {
            type Value = Place;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("`block`, `recording`, `record`, or a list with its `heading`")
            }
            fn visit_str<E: serde::de::Error>(self, word: &str) -> Result<Place, E> {
                match word {
                    "block" => Ok(Place::Block),
                    "recording" => Ok(Place::Recording),
                    "record" => Ok(Place::Record),
                    other => Err(E::unknown_variant(other, &["block", "recording", "record"])),
                }
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Place, A::Error> {
                List::deserialize(MapAccessDeserializer::new(map)).map(Place::List)
            }
        }
        deserializer.deserialize_any(WordOrList)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::item::library::Library;

    fn recognised(path: &str, files: &[(&str, &str)], named: Option<&str>, is_one: bool) -> (String, String) {
        let library = Library::built_in().unwrap();
        let read =
            |name: &str| files.iter().find(|(own, _)| *own == name).map(|(_, text)| (*text).to_owned());
        let names = files.iter().map(|(name, _)| *name).collect();
        let folder = Folder { path, names, named, is_one, is_of_issue: path.ends_with("issue"), read: &read };
        let laid = library.laid(&folder, None).unwrap();
        (laid.layout.name.clone(), laid.document.unwrap_or_default())
    }

    #[test]
    fn the_first_layout_that_fits_is_it() {
        let spec = ("spec.md", "# F\n\n- **FR-001**: x\n");
        for (path, files, wanted) in [
            ("a/.kiro/specs/x", vec![("requirements.md", ""), spec], ["kiro", "requirements.md"]),
            ("openspec/changes/add-x", vec![("proposal.md", "")], ["openspec", "design.md"]),
            ("docs/adr", vec![("0002-b.md", ""), ("0010-a.md", ""), ("README.md", "")], ["adr", "0010-a.md"]),
            ("docs/adr", vec![("adr-001-a.md", ""), ("adr-002-b.md", "")], ["adr", "adr-002-b.md"]),
            ("docs/adr", vec![("0001-a.md", "")], ["document", "0001-a.md"]),
            ("specs/001-x", vec![spec, ("plan.md", "")], ["speckit", "spec.md"]),
            ("specs/001-x", vec![("spec.md", "See FR-001.\n")], ["document", "spec.md"]),
            ("docs/x", vec![("requirements-spec.md", ""), ("x.md", "")], ["isdlc", ""]),
            ("docs/x", vec![], ["isdlc", ""]),
            ("docs/x", vec![("adr/0001-a.md", "")], ["isdlc", ""]),
            ("docs/x", vec![("adr/0001-a.md", ""), ("design.md", "")], ["document", "design.md"]),
            ("docs/x", vec![("draft.md", "")], ["isdlc", ""]),
            ("docs/issue", vec![("draft.md", "")], ["isdlc", "draft.md"]),
            ("docs/issue", vec![("draft.md", ""), ("quick-scan.md", "")], ["isdlc", ""]),
            ("docs/x", vec![("draft.md", ""), ("notes.md", "")], ["document", "notes.md"]),
        ] {
            let found = recognised(path, &files, None, false);
            assert_eq!([found.0.as_str(), found.1.as_str()], wanted, "{path} {files:?}");
        }
        let record = [("0004-x.md", "")];
        assert_eq!(recognised("docs/adr/0004-x", &record, Some("0004-x.md"), true).0, "adr");
    }

    #[test]
    fn what_a_file_gets_wrong_has_its_line() {
        let (_, text) =
            crate::item::library::layout_files(&[]).find(|(path, _)| *path == "adr.yaml").unwrap();
        for (right, wrong, line) in [
            ("insights: recording", "insight: recording", 13),
            ("insights: recording", "insights: bloc", 13),
            ("preset: adr", "preset: adrs", 7),
            ("'adr-*.md'", "'adr-[.md'", 5),
            ("layout: adr", "layout: madr", 1),
        ] {
            let found = Layout::read("adr.yaml", &text.replace(right, wrong)).unwrap_err();
            assert_eq!(found.line, line, "{wrong}: {found}");
        }
    }
}
