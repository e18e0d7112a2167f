//! What a run works with: the steps, the cast, the layouts and the templates, built in and laid over by the
//! repository's own files.
//!
//! An overlay changes nothing but what it names: all other files stay the built-in ones.
//!
//! ```
//! use roundtable::item::library::{Library, Overlays};
//!
//! let warning = ("notices/warning.txt".to_owned(), "Two turns are left.\n".to_owned());
//! let library = Library::new(&Overlays { templates: vec![warning], ..Overlays::default() }).unwrap();
//! assert_eq!(library.step("01-03").unwrap().persona, "business-analyst");
//! assert!(library.step("01-99").is_err());
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use sha2::{Digest as _, Sha256};

use crate::item::config::Config;
use crate::item::layout::{Folder, Laid, Layout};
use crate::item::marks::Marks;
use crate::item::persona::{Cast, Persona};
use crate::item::step::Step;
use crate::item::{Item, is_document, meta};
use crate::text::finding::{Finding, suggestion};
use crate::text::path::OutputPath;
use crate::text::remedy::Remedy;
use crate::text::sentence_forms::{self, Forms};
use crate::text::template::{self, Templates};

mod embedded;

/// A file of an overlay: its path below the overlay's root, and its text.
pub type OverlayFile = (String, String);

/// The repository's own files, to be laid over the built-in ones.
#[derive(Clone, Debug, Default)]
pub struct Overlays {
    pub steps: Vec<OverlayFile>,
    pub templates: Vec<OverlayFile>,
    pub rules: Vec<OverlayFile>,
    pub layouts: Vec<OverlayFile>,
}

impl Overlays {
    /// The files of the folders that the settings name.
    ///
    /// # Errors
    /// A folder that cannot be read.
    pub fn read<E>(
        config: &Config,
        read: impl Fn(&str) -> Result<Vec<OverlayFile>, E>,
    ) -> Result<Overlays, E> {
        let files = |folder: &Option<String>| folder.as_deref().map_or(Ok(Vec::new()), &read);
        Ok(Overlays {
            steps: files(&config.steps)?,
            templates: files(&config.templates)?,
            rules: files(&config.rules)?,
            layouts: files(&config.layouts)?,
        })
    }

    pub const fn is_empty(&self) -> bool {
        self.steps.is_empty() && self.templates.is_empty() && self.rules.is_empty() && self.layouts.is_empty()
    }
}

/// Steps in numeric order, personas in table order, templates by name.
#[derive(Clone, Debug)]
pub struct Library {
    pub steps: Vec<Step>,
    pub cast: Cast,
    pub templates: Templates,
    /// In the order in which they are asked.
    pub layouts: Vec<Layout>,
    /// The digest of all layout files.
    layouts_digest: String,
    /// Digests of persona and step files, by their path below the steps folder.
    digests: BTreeMap<String, String>,
    /// Made when a discussion asks for them, once for all.
    marks: OnceLock<Marks>,
    shared: OnceLock<BTreeMap<String, String>>,
    /// The repository's own rule files.
    rules: Vec<OverlayFile>,
    /// How users' words are read.
    forms: Forms,
}

/// Why a library cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Unusable {
    #[error("{0}")]
    File(#[from] Finding),
    #[error("{0}")]
    Layout(Finding),
    #[error("{0}")]
    Template(#[from] template::Failed),
    #[error("the personas cannot sit down: {0}")]
    Cast(#[from] crate::item::persona::Unseated),
    #[error("no step {id}")]
    NoStep { id: String, near: Option<String> },
    #[error("there is no layout \"{name}\"")]
    NoLayout { name: String, help: String },
    #[error("two step files have the id {id}: {first} and {second}")]
    Twins { id: String, first: String, second: String },
}

impl Remedy for Unusable {
    fn remedy(&self) -> Option<String> {
        if let Unusable::NoLayout { help, .. } = self {
            return Some(help.clone());
        }
        let Unusable::NoStep { near, .. } = self else { return None };
        let near = near.as_ref().map(|near| format!("{near} ")).unwrap_or_default();
        Some(format!("{near}`roundtable steps list` shows the steps there are"))
    }
}

impl Library {
    /// The built-in files alone.
    ///
    /// # Errors
    /// Never, as long as the tests of this module pass.
    pub fn built_in() -> Result<Library, Unusable> {
        Library::new(&Overlays::default())
    }

    /// The built-in files with overlays: a file with the same path replaces, a new one adds.
    ///
    /// # Errors
    /// A file that cannot be read as what its place says it is.
    pub fn new(overlays: &Overlays) -> Result<Library, Unusable> {
        let Overlays { steps, templates, rules, layouts } = overlays;
        let mut files: BTreeMap<&str, &str> = embedded::steps().iter().copied().collect();
        files.extend(steps.iter().map(|(path, text)| (path.as_str(), text.as_str())));
        let (mut found, mut personas, mut digests) = (Vec::new(), Vec::new(), BTreeMap::new());
        let mut findings = Vec::new();
        for (path, text) in files {
            match kind(path) {
                Kind::Persona => keep(Persona::read(path, text), &mut personas, &mut findings),
                Kind::Step => keep(Step::read(path, text), &mut found, &mut findings),
                Kind::Other => continue,
            }
            digests.insert(path.to_owned(), sha256(text.as_bytes()));
        }
        if let Some(finding) = Finding::all(findings) {
            return Err(finding.into());
        }
        // In numeric order, whatever number of digits a file's name begins with.
        let number = |step: &Step| {
            let name = step.path.rsplit('/').next().unwrap_or_default();
            let digits: String = name.chars().take_while(char::is_ascii_digit).collect();
            digits.parse::<u64>().unwrap_or(u64::MAX)
        };
        found.sort_by(|a, b| (&a.phase, number(a), &a.path).cmp(&(&b.phase, number(b), &b.path)));
        let overlay = templates.iter().map(|(name, source)| (name.as_str(), source.as_str()));
        let templates = Templates::over(embedded::templates(), overlay)?;
        let cast = Cast::new(personas)?;
        Ok(Library {
            steps: found,
            cast,
            templates,
            layouts: read_layouts(layouts).map_err(Unusable::Layout)?,
            layouts_digest: digest_of_all(layout_files(layouts)),
            digests,
            marks: OnceLock::new(),
            rules: rules.clone(),
            forms: forms_of(rules)?,
            shared: OnceLock::new(),
        })
    }

    /// The step with an id.
    ///
    /// # Errors
    /// None, or two of them.
    pub fn step(&self, id: &str) -> Result<&Step, Unusable> {
        let mut found = self.steps.iter().filter(|step| step.id == id);
        match (found.next(), found.next()) {
            (Some(step), None) => Ok(step),
            (Some(first), Some(second)) => Err(Unusable::Twins {
                id: id.to_owned(),
                first: first.path.clone(),
                second: second.path.clone(),
            }),
            (None, _) => {
                let known: Vec<&str> = self.steps.iter().map(|step| step.id.as_str()).collect();
                let shown = crate::text::plain::cut(
                    &crate::text::plain::one_line(&crate::text::plain::clean(id)),
                    40,
                );
                Err(Unusable::NoStep { near: suggestion(&shown, &known), id: shown })
            }
        }
    }

    /// The layout of a folder: the one that is named for it, else the first that fits.
    ///
    /// # Errors
    /// A name that no layout has.
    pub fn laid(&self, folder: &Folder<'_>, chosen: Option<&str>) -> Result<Laid<'_>, Unusable> {
        let layout = match chosen {
            Some(name) => self.layouts.iter().find(|layout| layout.name == name),
            None => {
                let outputs = || self.steps.iter().flat_map(|step| &step.outputs);
                let files = outputs().filter_map(|output| Some(OutputPath::parse(output).ok()?.file()));
                let folders = outputs().filter(|output| output.ends_with('/')).cloned();
                let outputs: BTreeSet<String> = files.chain(folders).collect();
                self.layouts.iter().find(|layout| layout.fits(folder, &outputs))
            }
        };
        let layout = layout.ok_or_else(|| self.no_layout(chosen.unwrap_or_default()))?;
        Ok(Laid { layout, document: layout.main_document(folder) })
    }

    /// The layout of an item; `chosen` is the name that the settings give it, where its meta.json gives none.
    ///
    /// # Errors
    /// A name that no layout has.
    pub fn laid_item(&self, item: &Item, chosen: Option<&str>) -> Result<Laid<'_>, Unusable> {
        let read = |name: &str| match item.files.get(name) {
            Some(super::File::Bytes(bytes)) => Some(String::from_utf8_lossy(bytes).into_owned()),
            _ => None,
        };
        let is_below = |name: &&String| is_document(name) && *name != meta::FILE;
        let folder = Folder {
            path: &item.path,
            names: item.files.keys().filter(is_below).map(String::as_str).collect(),
            named: item.meta.document().filter(|name| item.files.contains_key(*name)),
            is_one: item.beside.is_some(),
            is_of_issue: item.meta.source_id().is_some_and(|id| id.starts_with("GH-")),
            read: &read,
        };
        self.laid(&folder, item.meta.layout().or(chosen))
    }

    /// The layout with a name; one that is gone is read as the last, which fits every item.
    pub fn layout(&self, name: &str) -> &Layout {
        let found = self.layouts.iter().find(|layout| layout.name == name);
        found.unwrap_or_else(|| &self.layouts[self.layouts.len() - 1])
    }

    /// Refuses settings that give items a layout which is none.
    ///
    /// # Errors
    /// The first name that no layout has.
    pub fn check_layouts(&self, config: &Config) -> Result<(), Unusable> {
        let mut named = config.layout.iter().flatten().map(|(_, name)| name);
        let is_known = |name: &&String| self.layouts.iter().any(|layout| layout.name == **name);
        named.find(|name| !is_known(name)).map_or(Ok(()), |name| Err(self.no_layout(name)))
    }

    fn no_layout(&self, name: &str) -> Unusable {
        let known: Vec<&str> = self.layouts.iter().map(|layout| layout.name.as_str()).collect();
        let near = suggestion(name, &known).map(|near| format!("{near} ")).unwrap_or_default();
        let name = crate::text::plain::cut(&crate::text::plain::shown(name), 40);
        Unusable::NoLayout { name, help: format!("{near}the layouts are {}", known.join(", ")) }
    }

    /// The repository's own review rules, by their path below `rules/review/`.
    pub fn own_review_rules(&self) -> Vec<OverlayFile> {
        let below =
            |(path, text): &OverlayFile| Some((path.strip_prefix("review/")?.to_owned(), text.clone()));
        self.rules.iter().filter_map(below).collect()
    }

    /// How users' words are read: what decides, what is to be done, what is thanks.
    pub const fn forms(&self) -> &Forms {
        &self.forms
    }

    /// The phrases that name steps, for the rule of topic focus.
    pub fn marks(&self) -> &Marks {
        self.marks.get_or_init(|| Marks::new(&self.steps))
    }

    /// Digests of everything a discussion of `step` is made from: the step's file, the personas, the rules, the
    /// templates, all steps in one (they decide what is off topic), and all review rules in one.
    pub fn digests(&self, step: &Step) -> BTreeMap<String, String> {
        let mut digests = self.shared.get_or_init(|| self.shared_digests()).clone();
        if let Some(own) = self.digests.get(&step.path) {
            digests.insert(format!("steps/{}", step.path), own.clone());
        }
        digests
    }

    /// The digests that discussions of all steps have in common.
    fn shared_digests(&self) -> BTreeMap<String, String> {
        let mut digests = BTreeMap::new();
        let mut all = Sha256::new();
        for (path, digest) in &self.digests {
            if path.starts_with("personas/") {
                digests.insert(format!("steps/{path}"), digest.clone());
            }
            all.update(format!("{path} {digest}\n"));
        }
        digests.insert("steps/".to_owned(), hex(&all.finalize()));
        digests.insert("layouts/".to_owned(), self.layouts_digest.clone());
        digests.extend(rule_digests(&self.rules, sentence_forms::FOLDER.trim_end_matches('/')));
        digests.insert("rules/review/".to_owned(), review_digest(&self.rules));
        // How a page or a comment looks decides nothing, what a model was asked shows in what it said, and a
        // discussion has no texts of an analysis.
        let apart = ["pages/", "github/", "prompts/", "analysis/", "artifacts/"];
        let ours = |name: &str| !apart.iter().any(|folder| name.starts_with(folder));
        for (name, source) in self.templates.sources().filter(|(name, _)| ours(name)) {
            digests.insert(format!("templates/{name}"), sha256(source.as_bytes()));
        }
        digests
    }
}

impl Unusable {
    /// The same, with the paths as the repository has them: below the folders that its settings name.
    pub fn below(self, config: &Config) -> Unusable {
        match self {
            Unusable::File(finding) => Unusable::File(finding.below(config.steps.as_deref())),
            Unusable::Layout(finding) => Unusable::Layout(finding.below(config.layouts.as_deref())),
            Unusable::Template(failed) => Unusable::Template(failed.below(config.templates.as_deref())),
            other => other,
        }
    }
}

/// Keeps what could be read, or what is wrong with it.
fn keep<T>(read: Result<T, Finding>, found: &mut Vec<T>, findings: &mut Vec<Finding>) {
    match read {
        Ok(read) => found.push(read),
        Err(finding) => findings.push(finding),
    }
}

/// The forms; the built-in ones are read once for all.
fn forms_of(own: &[OverlayFile]) -> Result<Forms, Finding> {
    static BUILT_IN: OnceLock<Result<Forms, Finding>> = OnceLock::new();
    let has_own = own.iter().any(|(path, _)| sentence_forms::is_forms(path));
    if has_own {
        Forms::read(rule_files(own))
    } else {
        BUILT_IN.get_or_init(|| Forms::read_built_in(rule_files(&[]))).clone()
    }
}

enum Kind {
    Persona,
    Step,
    Other,
}

/// What a file below the steps folder is, by its place.
fn kind(path: &str) -> Kind {
    match path.split_once('/') {
        Some(("personas", name)) if name.ends_with(".md") => Kind::Persona,
        Some((_, name)) if name.ends_with(".md") && name.starts_with(|c: char| c.is_ascii_digit()) => {
            Kind::Step
        }
        _ => Kind::Other,
    }
}

/// Whether a file below the steps folder is a step.
pub fn is_step(path: &str) -> bool {
    matches!(kind(path), Kind::Step)
}

/// Whether a file below the steps folder is a persona.
pub fn is_persona(path: &str) -> bool {
    matches!(kind(path), Kind::Persona)
}

/// The built-in files of rules, with their paths below `rules/`, and a repository's own laid over them.
pub fn rule_files(own: &[OverlayFile]) -> impl Iterator<Item = (&str, &str)> {
    let own = own.iter().map(|(path, text)| (path.as_str(), text.as_str()));
    embedded::rules().iter().copied().chain(own)
}

/// The layout files: the built-in ones, and a repository's own laid over them.
pub fn layout_files(own: &[OverlayFile]) -> impl Iterator<Item = (&str, &str)> {
    let mut files: BTreeMap<&str, &str> = embedded::layouts().iter().copied().collect();
    files.extend(own.iter().map(|(path, text)| (path.as_str(), text.as_str())));
    files.into_iter().filter(|(path, _)| path.ends_with(".yaml"))
}

/// The built-in layouts.
pub fn built_in_layouts() -> &'static [Layout] {
    static LAYOUTS: OnceLock<Vec<Layout>> = OnceLock::new();
    LAYOUTS.get_or_init(|| read_layouts(&[]).unwrap_or_default())
}

/// The layouts, a repository's own among them.
///
/// # Errors
/// A file that is no layout, with its line.
pub fn read_layouts(own: &[OverlayFile]) -> Result<Vec<Layout>, Finding> {
    let (mut found, mut findings) = (Vec::new(), Vec::new());
    for (path, text) in layout_files(own) {
        keep(Layout::read(path, text), &mut found, &mut findings);
    }
    found.sort_by(|a, b| a.rank().cmp(&b.rank()));
    Finding::all(findings).map_or(Ok(found), Err)
}

/// One digest of several files.
fn digest_of_all<'f>(files: impl Iterator<Item = (&'f str, &'f str)>) -> String {
    let mut all = Sha256::new();
    for (path, text) in files {
        all.update(format!("{path} {}\n", sha256(text.as_bytes())));
    }
    hex(&all.finalize())
}

/// The built-in review rules, by their path below `rules/review/`.
pub fn review_files() -> impl Iterator<Item = (&'static str, &'static str)> {
    let below = |(path, text): &(&'static str, &'static str)| Some((path.strip_prefix("review/")?, *text));
    embedded::rules().iter().filter_map(below)
}

/// The digests of the rules of a folder below `rules/`: a language, or `review`.
pub fn rule_digests(own: &[OverlayFile], folder: &str) -> BTreeMap<String, String> {
    let files: BTreeMap<&str, &str> = rule_files(own).collect();
    let ours = files.into_iter().filter(|(path, _)| path.split('/').next() == Some(folder));
    ours.map(|(path, text)| (format!("rules/{path}"), sha256(text.as_bytes()))).collect::<BTreeMap<_, _>>()
}

/// The digest of all review rules.
fn review_digest(own: &[OverlayFile]) -> String {
    let mut all = Sha256::new();
    for (path, digest) in rule_digests(own, "review") {
        all.update(format!("{path} {digest}\n"));
    }
    hex(&all.finalize())
}

/// The built-in step files with their paths.
pub fn embedded_steps() -> impl Iterator<Item = (&'static str, &'static str)> {
    embedded::steps().iter().copied().filter(|(path, _)| is_step(path))
}

/// All built-in files below the steps folder with their paths.
pub fn embedded_files() -> impl Iterator<Item = (&'static str, &'static str)> {
    embedded::steps().iter().copied()
}

/// The SHA-256 of some bytes, in lower-case hexadecimal digits.
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Bytes in lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from(b"0123456789abcdef"[usize::from(nibble)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(id: &str, title: &str) -> String {
        format!(
            "---\nstep_id: \"{id}\"\ntitle: {title}\npersona: business-analyst\ndepth: brief\noutputs: [a.md]\n---\n## Brief Mode\nx\n"
        )
    }

    #[test]
    fn every_built_in_step_and_persona_can_be_used() {
        let library = Library::built_in().unwrap();
        for (path, text) in embedded_files().filter(|(path, _)| is_step(path)) {
            let read = Step::read(path, text).unwrap();
            assert_eq!(library.step(&read.id).unwrap(), &read, "{path}");
        }
        for (path, text) in embedded_files().filter(|(path, _)| is_persona(path)) {
            let read = Persona::read(path, text).unwrap();
            assert_eq!(library.cast.get(&read.key).unwrap(), &read, "{path}");
        }
    }

    #[test]
    fn every_built_in_template_can_be_used() {
        Templates::new(embedded::templates().iter().copied()).unwrap();
    }

    #[test]
    fn a_dropped_in_step_is_found_in_numeric_order() {
        let file = ("01-requirements/09-compliance-check.md".to_owned(), step("01-09", "Compliance"));
        let library = Library::new(&Overlays { steps: vec![file], ..Overlays::default() }).unwrap();
        let ids: Vec<&str> = library.steps.iter().map(|step| step.id.as_str()).collect();
        let at = ids.iter().position(|id| *id == "01-09").unwrap();
        assert_eq!((ids.len(), ids[at - 1], ids[at + 1]), (25, "01-08", "02-01"));
    }

    #[test]
    fn an_overlay_with_the_same_path_replaces() {
        let file = ("01-requirements/03-ux-journey.md".to_owned(), step("01-03", "Ours"));
        let warning = ("notices/warning.txt".into(), "Soon over.\n".into());
        let library =
            Library::new(&Overlays { steps: vec![file], templates: vec![warning], ..Overlays::default() })
                .unwrap();
        assert_eq!((library.steps.len(), library.step("01-03").unwrap().title.as_str()), (24, "Ours"));
        assert_eq!(
            library.templates.render("notices/warning.txt", minijinja::context! {}).unwrap(),
            "Soon over."
        );
    }

    #[test]
    fn a_missing_step_names_the_nearest_and_twins_are_named() {
        let library = Library::built_in().unwrap();
        assert!(library.step("01-9").unwrap_err().remedy().unwrap().contains("did you mean"));
        let twin = ("01-requirements/10-x.md".to_owned(), step("01-03", "Twin"));
        let twins = Library::new(&Overlays { steps: vec![twin], ..Overlays::default() }).unwrap();
        assert!(twins.step("01-03").unwrap_err().to_string().contains("10-x.md"));
    }
}
