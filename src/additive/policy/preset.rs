//! Layouts that people have, with the life cycle of their records: data, one file each in `presets/`.
//!
//! ```
//! use roundtable::additive::policy::Preset;
//!
//! let adr = Preset::named("adr").unwrap();
//! assert!(adr.places.contains(&"docs/adr".to_owned()));
//! assert_eq!(adr.entries(Some(&["notes".to_owned()])).unwrap().len(), 1);
//! ```

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;

use super::{Entry, Pattern, PolicyError, has_wildcard, kinds};
use crate::additive::content::{StateSource, state_of};
use crate::additive::{Demand, Freedom, Rule};
use crate::text::finding::did_you_mean;

/// The life cycle of the records of a layout.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cycle {
    /// Where a record says which state it is in; the first that is there counts.
    pub sources: Vec<StateSource>,
    /// States in which a record may be rewritten, in lower case.
    pub free: Vec<String>,
    /// Folders that a record may go from, and those that it may go to.
    pub moves: BTreeMap<String, Vec<String>>,
    /// A record whose name begins with `0000-` may get its number.
    pub gets_number: bool,
    /// Where what a document is to become is described.
    pub deltas: Option<Deltas>,
}

/// Descriptions of changes, each beside others in a folder: a document at `specs/PATH` is described by the file at
/// `changes/archive/ANY/specs/PATH`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deltas {
    /// The folder of the documents.
    pub of: String,
    /// The folder of the descriptions, beside it.
    pub below: String,
}

impl Deltas {
    /// Whether a file describes what becomes of a document.
    pub fn describes(&self, document: &str, file: &str) -> bool {
        let parts = || {
            let (above, path) = split_at_folder(document, &self.of)?;
            let (file_above, rest) = split_at_folder(file, &self.below)?;
            let (_, rest) = rest.split_once('/')?;
            let rest = rest.strip_prefix(&self.of)?.strip_prefix('/')?;
            Some(above == file_above && rest == path)
        };
        parts().unwrap_or(false)
    }
}

impl Cycle {
    /// Whether a record may go from one path to another: its name stays, or gains a date in front, and only the
    /// folder changes; or it gets its number.
    pub fn may_move(&self, from: &str, to: &str) -> bool {
        self.gets_number && got_number(from, to)
            || self.moves.iter().any(|(was, targets)| {
                targets.iter().any(|is| {
                    let Some((above, below)) = split_at_folder(from, was) else { return false };
                    let Some((new_above, new_below)) = split_at_folder(to, is) else { return false };
                    above == new_above && (below == new_below || below == without_date(new_below))
                })
            })
    }
}

/// Whether a path is another with a number in the place of zeros.
fn got_number(from: &str, to: &str) -> bool {
    let parts = |path: &str| {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let (number, name) = name.split_once('-')?;
        Some((folder.to_owned(), number.to_owned(), name.to_owned()))
    };
    let (Some((folder, zeros, name)), Some((new_folder, number, new_name))) = (parts(from), parts(to)) else {
        return false;
    };
    let is_open = zeros.len() > 1 && zeros.bytes().all(|byte| byte == b'0');
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    is_open && is_number && (folder, name) == (new_folder, new_name)
}

/// What is above and below a folder in a path.
fn split_at_folder<'p>(path: &'p str, folder: &str) -> Option<(&'p str, &'p str)> {
    let inner = format!("/{folder}/");
    match path.strip_prefix(&inner[1..]) {
        Some(below) => Some(("", below)),
        None => path.split_once(&inner),
    }
}

/// A path without the date that it begins with.
fn without_date(path: &str) -> &str {
    let is_date = path.len() > 11
        && path.bytes().zip(*b"0000-00-00-").all(|(byte, form)| match form {
            b'0' => byte.is_ascii_digit(),
            sign => byte == sign,
        });
    if is_date { &path[11..] } else { path }
}

/// The preset that no file describes: every item, which only the settings know.
pub const ITEMS_PRESET: &str = "items";

/// A layout that people have, as entries of a policy.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Preset {
    #[serde(skip)]
    pub name: &'static str,
    /// What it stops and lets pass, in one line.
    pub about: String,
    /// Folders and files by which it is recognised, and which it protects.
    pub places: Vec<String>,
    /// What a file among them has to say.
    pub says: Option<String>,
    /// Labels of lines and keys of front matter: a document of the layout has one of them, and a number in its name.
    #[serde(default)]
    pub labels: Vec<String>,
    parts: Vec<Part>,
}

/// Documents of a layout that are judged alike.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Part {
    /// Globs below each place; the place itself where there is none.
    below: Vec<String>,
    except: Vec<String>,
    rule: String,
    warn: Vec<String>,
    deny: Vec<String>,
    state: Vec<Source>,
    free: Vec<String>,
    moves: BTreeMap<String, Vec<String>>,
    gets_number: bool,
    deltas: Option<Deltas>,
    fields: Vec<String>,
    passing: Vec<String>,
    sections: Vec<String>,
    drafts: Vec<String>,
    links: Vec<String>,
    suffixes: Vec<String>,
    comments: bool,
    contents: bool,
}

impl Default for Part {
    fn default() -> Part {
        Part {
            below: Vec::new(),
            except: Vec::new(),
            rule: Rule::Content.name().to_owned(),
            warn: Vec::new(),
            deny: Vec::new(),
            state: Vec::new(),
            free: Vec::new(),
            moves: BTreeMap::new(),
            gets_number: false,
            deltas: None,
            fields: Vec::new(),
            passing: Vec::new(),
            sections: Vec::new(),
            drafts: Vec::new(),
            links: Vec::new(),
            suffixes: Vec::new(),
            comments: false,
            contents: false,
        }
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Source {
    front: Option<String>,
    line: Option<String>,
    section: Option<String>,
    /// The file beside the document that has the key.
    file: Option<String>,
    key: Option<String>,
}

macro_rules! presets {
    ($($name:literal)+) => {
        /// The presets and their files.
        const FILES: &[(&str, &str)] = &[$(($name, include_str!(concat!("presets/", $name, ".yaml")))),+];
    };
}

presets! { "adr" "madr" "rfc" "kep" "openspec" "speckit" "kiro" "keepachangelog" }

impl Preset {
    /// Every preset there is.
    pub fn all() -> Vec<Preset> {
        FILES.iter().filter_map(|(name, file)| Preset::read(name, file).ok()).collect()
    }

    fn read(name: &'static str, file: &str) -> Result<Preset, PolicyError> {
        let preset: Preset =
            serde_yaml::from_str(file).map_err(|error| PolicyError::new(format!("{name}: {error}")))?;
        Ok(Preset { name, ..preset })
    }

    /// The preset with a name.
    ///
    /// # Errors
    /// A name that is none, with the nearest one.
    pub fn named(name: &str) -> Result<Preset, PolicyError> {
        let names: Vec<&str> = FILES.iter().map(|(name, _)| *name).chain([ITEMS_PRESET]).collect();
        match FILES.iter().find(|(known, _)| *known == name) {
            Some((name, file)) => Preset::read(name, file),
            None => {
                let meant = did_you_mean(name, &names);
                let what = format!("\"{name}\" is not a preset{meant}");
                Err(PolicyError::new(what).with(format!("the presets are {}", names.join(", "))).at(name))
            }
        }
    }

    /// Whether a document has the form of this layout's, where they have one.
    pub fn has_form(&self, path: &str, text: &[u8]) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let sources: Vec<StateSource> = self
            .labels
            .iter()
            .flat_map(|label| [StateSource::Front(label.clone()), StateSource::Line(label.clone())])
            .collect();
        let has_number = name.contains(|sign: char| sign.is_ascii_digit());
        sources.is_empty() || has_number && state_of(text, &sources, &|_| None).is_some()
    }

    /// The entries that it stands for, in its own places or in others.
    ///
    /// # Errors
    /// A place that is no path.
    pub fn entries(&self, places: Option<&[String]>) -> Result<Vec<Entry>, PolicyError> {
        let places = places.unwrap_or(&self.places);
        self.parts.iter().map(|part| part.entry(places)).collect()
    }
}

impl Part {
    fn entry(&self, places: &[String]) -> Result<Entry, PolicyError> {
        let globs = self.below_each(places, &self.below);
        let rule = Rule::parse(&self.rule)
            .ok_or_else(|| PolicyError::new(format!("\"{}\" is not a rule", self.rule)))?;
        let globs: Vec<&str> = globs.iter().map(String::as_str).collect();
        let mut entry = Entry::of(&globs, rule)?.implied();
        let except = self.except.iter().map(|glob| format!("**/{glob}"));
        entry.except = except.map(|glob| Pattern::of(&glob)).collect::<Result<_, _>>()?;
        let list = |names: &[String]| {
            let names = names.iter().map(|name| serde_yaml::Value::from(name.as_str())).collect();
            kinds("warn", Some(&serde_yaml::Value::Sequence(names)))
        };
        entry.demand = Demand {
            rule,
            warn: list(&self.warn)?,
            deny: list(&self.deny)?,
            freedom: Freedom {
                fields: self.fields.clone(),
                sections: self.sections.clone(),
                drafts: self.drafts.clone(),
                links: self.links.clone(),
                suffixes: self.suffixes.clone(),
                passing: self.passing.clone(),
                comments: self.comments,
                contents: self.contents,
            },
        };
        entry.cycle = Some(Arc::new(self.cycle()));
        Ok(entry)
    }

    fn cycle(&self) -> Cycle {
        let sources = self.state.iter().filter_map(|source| match source {
            Source { front: Some(key), .. } => Some(StateSource::Front(key.clone())),
            Source { line: Some(label), .. } => Some(StateSource::Line(label.clone())),
            Source { file: Some(file), key: Some(key), .. } => {
                Some(StateSource::Beside { file: file.clone(), key: key.clone() })
            }
            Source { section, .. } => section.clone().map(StateSource::Section),
        });
        Cycle {
            sources: sources.collect(),
            free: self.free.clone(),
            moves: self.moves.clone(),
            gets_number: self.gets_number,
            deltas: self.deltas.clone(),
        }
    }

    fn below_each(&self, places: &[String], below: &[String]) -> Vec<String> {
        let mut globs = Vec::new();
        for place in places {
            let place = place.trim_end_matches('/').trim_end_matches("/**");
            let is_whole = below.is_empty() || has_wildcard(place) || place.ends_with(".md");
            match is_whole {
                true => globs.push(place.to_owned()),
                false => globs.extend(below.iter().map(|glob| format!("{place}/{glob}"))),
            }
        }
        globs
    }
}

#[cfg(test)]
mod tests {
    use super::super::Policy;
    use super::*;

    #[test]
    fn every_preset_can_be_read() {
        for (name, file) in FILES {
            let preset = Preset::read(name, file).unwrap();
            assert!(!preset.places.is_empty() && !preset.entries(None).unwrap().is_empty(), "{name}");
        }
        assert_eq!(Preset::all().len(), FILES.len());
        let adr = Policy::new(Preset::named("adr").unwrap().entries(None).unwrap(), true);
        let protects = |path: &str| adr.protects(path.as_bytes());
        assert!(protects("docs/adr/0001-use-git.md") && !protects("docs/adr/README.md"));
    }

    #[test]
    fn a_record_moves_between_folders_of_its_life_cycle_only() {
        let moves = BTreeMap::from([
            ("accepted".to_owned(), vec!["implemented".to_owned()]),
            ("changes".to_owned(), vec!["changes/archive".to_owned()]),
        ]);
        let cycle = Cycle { moves, ..Cycle::default() };
        for (from, to, may) in [
            ("rfcs/accepted/1.md", "rfcs/implemented/1.md", true),
            ("rfcs/accepted/1.md", "rfcs/implemented/2.md", false),
            ("rfcs/implemented/1.md", "rfcs/accepted/1.md", false),
            ("rfcs/accepted/1.md", "docs/implemented/1.md", false),
            ("openspec/changes/add/spec.md", "openspec/changes/archive/2026-02-20-add/spec.md", true),
            ("openspec/changes/add/spec.md", "openspec/changes/archive/add/spec.md", true),
        ] {
            assert_eq!(cycle.may_move(from, to), may, "{from} {to}");
        }
    }

    #[test]
    fn a_record_gets_its_number_once() {
        let cycle = Cycle { gets_number: true, ..Cycle::default() };
        for (from, to, may) in [
            ("text/0000-traits.md", "text/0048-traits.md", true),
            ("0000-traits.md", "48-traits.md", true),
            ("text/0048-traits.md", "text/0049-traits.md", false),
            ("text/0000-traits.md", "text/0048-types.md", false),
            ("text/0000-traits.md", "other/0048-traits.md", false),
            ("text/traits.md", "text/0048-traits.md", false),
        ] {
            assert_eq!(cycle.may_move(from, to), may, "{from} {to}");
        }
    }

    #[test]
    fn a_description_is_of_the_document_at_the_same_path() {
        let deltas = Preset::named("openspec").unwrap().parts[0].deltas.clone().unwrap();
        let document = "openspec/specs/fees/spec.md";
        for (file, describes) in [
            ("openspec/changes/archive/2026-02-20-late/specs/fees/spec.md", true),
            ("openspec/changes/archive/2026-02-20-late/specs/swaps/spec.md", false),
            ("openspec/changes/late/specs/fees/spec.md", false),
            ("other/changes/archive/2026-02-20-late/specs/fees/spec.md", false),
        ] {
            assert_eq!(deltas.describes(document, file), describes, "{file}");
        }
    }
}
