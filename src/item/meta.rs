//! meta.json: read with the defensive defaults of tests/requirements.md, extended by
//! one record or by a step's progress, and otherwise left to the letter (M-4).

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::item::persona::PHASES;
use crate::item::step::Depth;
use crate::text::finding::Finding;
use crate::text::json::{Document, Kind, Node};
use crate::text::path;
use crate::text::plain;
use crate::text::time::Time;

/// The file that makes a folder an item.
pub const FILE: &str = "meta.json";

/// A discussion that was held, as meta.json keeps it (tests/requirements.md).
#[derive(Clone, Copy, Debug)]
pub struct Elaboration<'a> {
    pub step_id: &'a str,
    pub turn_count: u32,
    /// The keys of the personas.
    pub personas: &'a [String],
    pub at: Time,
    pub summary: &'a str,
}

impl Elaboration<'_> {
    /// Its entry in `elaborations`.
    pub fn record(&self) -> Value {
        json!({
            "step_id": self.step_id,
            "turn_count": self.turn_count,
            "personas_active": self.personas,
            "timestamp": self.at.to_string(),
            "synthesis_summary": plain::without_comments(self.summary),
        })
    }
}

/// How far an analysis has come since meta.json was read.
#[derive(Clone, Debug)]
pub struct Advance<'a> {
    pub steps: &'a [String],
    pub phases: &'a [String],
    pub depths: &'a BTreeMap<String, Depth>,
    /// The commit of the codebase, when a phase is completed (analysis AC-009-03).
    pub codebase: Option<&'a str>,
}

/// A meta.json that could be read.
#[derive(Clone, Debug)]
pub struct Meta {
    document: Document,
    path: String,
}

/// Fields that only the meta.json of an item has.
const OURS: [&str; 4] = ["analysis_status", "steps_completed", "phases_completed", "elaborations"];

/// How far an analysis can be.
const STATUSES: [&str; 3] = ["raw", "partial", "analyzed"];

impl Meta {
    /// Reads meta.json.
    ///
    /// # Errors
    /// Text that is not UTF-8, not JSON, not an object, or has doubled keys.
    pub fn read(path: &str, bytes: &[u8]) -> Result<Meta, Finding> {
        let document = Document::read(path, bytes)?;
        if !matches!(document.root.kind, Kind::Object(_)) {
            return Err(Finding::at(path, &document.text, 1, 1, "meta.json is not an object")
                .hint("it starts with `{` and ends with `}`"));
        }
        Ok(Meta { document, path: path.to_owned() })
    }

    fn get(&self, key: &str) -> &Value {
        let held = self.document.member(key).and_then(|_| self.document.value.get(key));
        held.unwrap_or(&Value::Null)
    }

    /// The id of what the item came from, such as `GH-17`.
    pub fn source_id(&self) -> Option<&str> {
        self.get("source_id").as_str()
    }

    /// The item's name for people, if meta.json has one.
    pub fn name(&self) -> Option<&str> {
        let text = |key: &&str| {
            let node = self.document.member(key)?;
            self.document.plain_text(node).or_else(|| self.get(key).as_str())
        };
        ["name", "title"].iter().find_map(text).filter(|name| !name.trim().is_empty())
    }

    /// The document that the item is about, where one was named.
    pub fn document(&self) -> Option<&str> {
        self.get("document").as_str().filter(|name| path::is_plain(name) && !name.contains('/'))
    }

    /// The layout that people named for the item.
    pub fn layout(&self) -> Option<&str> {
        self.get("layout").as_str()
    }

    /// Whether this program has written it, or somebody for it: a meta.json is not ours by its name alone.
    pub fn is_ours(&self) -> bool {
        OURS.iter().any(|key| self.document.member(key).is_some())
    }

    /// The turn limit of the item; it counts when it is an integer of at least 3.
    pub fn max_turns(&self) -> Option<u32> {
        let turns = self.get("elaboration_config").get("max_turns")?.as_u64()?;
        Some(u32::try_from(turns).unwrap_or(u32::MAX)).filter(|turns| *turns >= crate::item::LEAST_TURNS)
    }

    /// The depth the user has chosen for a phase (analysis AC-006-06).
    pub fn depth(&self, phase: &str) -> Option<Depth> {
        Depth::from_word(self.get("depth_overrides").get(phase)?.as_str()?)
    }

    /// How far the analysis is; `raw` where meta.json does not say.
    pub fn analysis_status(&self) -> String {
        self.get("analysis_status").as_str().unwrap_or("raw").to_owned()
    }

    /// Refuses a status that is none of those that an analysis has.
    ///
    /// # Errors
    /// Where it is, and its value.
    pub fn known_status(&self) -> Result<(), Finding> {
        let Some(node) = self.document.member("analysis_status") else { return Ok(()) };
        let value = self.get("analysis_status");
        if value.is_null() || value.as_str().is_some_and(|status| STATUSES.contains(&status)) {
            return Ok(());
        }
        let (line, column) = crate::text::finding::place(&self.document.text, node.span.start);
        let shown = plain::shown(&value.to_string());
        let message = format!("`analysis_status` is {shown}, which no analysis has");
        Err(Finding::at(&self.path, &self.document.text, line, column, message)
            .hint("write \"raw\", \"partial\" or \"analyzed\", or leave it out"))
    }

    /// The steps that are done; `[]` where meta.json does not say.
    pub fn steps_completed(&self) -> Vec<String> {
        self.strings("steps_completed")
    }

    /// The phases that are done. `phase_a_completed: true` of older files stands for all five.
    pub fn phases_completed(&self) -> Vec<String> {
        if self.get("phase_a_completed") == &Value::Bool(true) {
            return PHASES.map(|(phase, _)| phase.to_owned()).to_vec();
        }
        self.strings("phases_completed")
    }

    fn strings(&self, key: &str) -> Vec<String> {
        let list = self.get(key).as_array().map(Vec::as_slice).unwrap_or_default();
        list.iter().filter_map(|one| one.as_str()).map(str::to_owned).collect()
    }

    /// The records of discussions; none where `elaborations` is no list (M-2).
    pub fn elaborations(&self) -> &[Value] {
        self.get("elaborations").as_array().map(Vec::as_slice).unwrap_or_default()
    }

    /// The depths that are stored, by phase; `{}` where meta.json does not say.
    pub fn depth_overrides(&self) -> BTreeMap<String, Depth> {
        let stored = self.get("depth_overrides").as_object();
        let depth =
            |(phase, word): (&String, &Value)| Some((phase.clone(), Depth::from_word(word.as_str()?)?));
        stored.into_iter().flatten().filter_map(depth).collect()
    }

    /// What the older field `phase_a_completed` stands for and is not said by the newer ones yet. The
    /// older field itself stays where it is.
    pub fn owed_by_legacy(&self) -> bool {
        let depths = BTreeMap::new();
        let nothing = Advance { steps: &[], phases: &[], depths: &depths, codebase: None };
        self.get("phase_a_completed") == &Value::Bool(true)
            && self.advanced(&nothing).is_ok_and(|text| text != self.document.text)
    }

    /// The text with an analysis further on; every other field, and whatever these fields hold, stays to
    /// the letter.
    ///
    /// # Errors
    /// A field that cannot take what is to be added without losing what it holds.
    pub fn advanced(&self, advance: &Advance<'_>) -> Result<String, Finding> {
        let mut meta = self.clone();
        let (steps, mut phases) = (meta.strings("steps_completed"), meta.strings("phases_completed"));
        for step in advance.steps.iter().filter(|step| !steps.contains(step)) {
            meta = meta.with_word("steps_completed", step)?;
        }
        let legacy: Vec<String> = match meta.get("phase_a_completed") {
            Value::Bool(true) => PHASES.map(|(phase, _)| phase.to_owned()).to_vec(),
            _ => Vec::new(),
        };
        for phase in legacy.iter().chain(advance.phases) {
            if !phases.contains(phase) {
                meta = meta.with_word("phases_completed", phase)?;
                phases.push(phase.clone());
            }
        }
        let is_done = PHASES.iter().all(|(phase, _)| phases.iter().any(|done| done == phase));
        meta = meta.with_status(if is_done { "analyzed" } else { "partial" })?;
        for (phase, depth) in advance.depths {
            meta = meta.with_depth(phase, *depth)?;
        }
        if let Some(codebase) = advance.codebase {
            meta = meta.with_hash(codebase)?;
        }
        Ok(meta.document.text)
    }

    fn again(&self, text: String) -> Result<Meta, Finding> {
        Meta::read(&self.path, text.as_bytes())
    }

    /// With a word at the end of a list.
    fn with_word(&self, key: &str, word: &str) -> Result<Meta, Finding> {
        let text = match self.document.member(key) {
            None => self.document.with_member(key, &json!([word])),
            Some(node) => match (&node.kind, self.get(key)) {
                (Kind::Array(_), _) => self.document.with_element(node, &json!(word)),
                (_, Value::Null) => self.document.with_value(node, &json!([word])),
                _ => return Err(self.no_list(key, node)),
            },
        };
        self.again(text)
    }

    fn no_list(&self, key: &str, node: &Node) -> Finding {
        let (line, column) = crate::text::finding::place(&self.document.text, node.span.start);
        let message = format!("`{key}` is not a list, and what it holds would be lost");
        Finding::at(&self.path, &self.document.text, line, column, message)
            .hint("move the value to another key, or make it a list")
    }

    /// The status only goes forward, and one that we do not know is not ours to change.
    fn with_status(&self, status: &str) -> Result<Meta, Finding> {
        let text = match self.document.member("analysis_status") {
            None => self.document.with_member("analysis_status", &json!(status)),
            Some(node) => match (self.get("analysis_status").as_str(), status) {
                (Some("raw"), _) | (Some("partial"), "analyzed") => {
                    self.document.with_value(node, &json!(status))
                }
                _ => return Ok(self.clone()),
            },
        };
        self.again(text)
    }

    /// A depth that has no place (`depth_overrides` is no object) is not stored: readers take `{}` for it.
    fn with_depth(&self, phase: &str, depth: Depth) -> Result<Meta, Finding> {
        let depth = json!(depth.to_string());
        let Some(node) = self.document.member("depth_overrides") else {
            return self.again(self.document.with_member("depth_overrides", &json!({ phase: depth })));
        };
        let Kind::Object(members) = &node.kind else { return Ok(self.clone()) };
        let text = match members.iter().find(|(known, _)| known == phase) {
            None => self.document.with_member_in(node, phase, &depth),
            Some((_, stands)) if self.depth(phase).is_some() => self.document.with_value(stands, &depth),
            Some(_) => return Ok(self.clone()),
        };
        self.again(text)
    }

    fn with_hash(&self, codebase: &str) -> Result<Meta, Finding> {
        let text = match self.document.member("codebase_hash") {
            None => self.document.with_member("codebase_hash", &json!(codebase)),
            Some(node) if matches!(node.kind, Kind::Scalar) && self.get("codebase_hash") != codebase => {
                self.document.with_value(node, &json!(codebase))
            }
            Some(_) => return Ok(self.clone()),
        };
        self.again(text)
    }

    /// The text with one record more at the end of `elaborations`; nothing else changes.
    ///
    /// # Errors
    /// `elaborations` is something that a record cannot be added to without losing it.
    pub fn with_elaboration(&self, held: &Elaboration<'_>) -> Result<String, Finding> {
        let record = held.record();
        let Some(node) = self.document.member("elaborations") else {
            return Ok(self.document.with_member("elaborations", &json!([record])));
        };
        match &node.kind {
            Kind::Array(_) => Ok(self.document.with_element(node, &record)),
            _ if self.get("elaborations").is_null() => Ok(self.document.with_value(node, &json!([record]))),
            _ => Err(self.no_list("elaborations", node)),
        }
    }
}

/// Where a new item comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Somebody made it by hand.
    Manual,
    /// An issue, by its number.
    GitHub(u64),
}

impl Source {
    /// `source_id` of meta.json: `GH-17`.
    pub fn id(self) -> Option<String> {
        match self {
            Source::Manual => None,
            Source::GitHub(number) => Some(format!("GH-{number}")),
        }
    }
}

/// The meta.json of a new item.
pub fn new_item(source: Source, slug: &str, name: &str, created_at: Time, base: &str) -> String {
    new_item_about(source, slug, name, created_at, base, None)
}

/// The same, about a document that is named.
pub fn new_item_about(
    source: Source,
    slug: &str,
    name: &str,
    created_at: Time,
    base: &str,
    document: Option<&str>,
) -> String {
    let mut meta = json!({"source": "manual"});
    if let Some(id) = source.id() {
        meta = json!({"source": "github", "source_id": id});
    }
    let rest = json!({
        "slug": slug,
        "name": plain::without_comments(name),
        "created_at": created_at.to_string(),
        "analysis_status": "raw",
        "phases_completed": [],
        "codebase_hash": base.get(..7).unwrap_or(base),
        "steps_completed": [],
        "depth_overrides": {},
    });
    if let (Some(meta), Value::Object(rest)) = (meta.as_object_mut(), rest) {
        meta.extend(rest);
        meta.extend(document.map(|document| ("document".to_owned(), json!(document))));
    }
    format!("{meta:#}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meta(text: &str) -> Meta {
        Meta::read("meta.json", text.as_bytes()).unwrap()
    }

    #[test]
    fn max_turns_counts_when_it_is_an_integer_of_at_least_3() {
        for (value, wanted) in [
            ("3", Some(3)),
            ("12", Some(12)),
            ("2", None),
            ("-5", None),
            ("4.5", None),
            ("\"7\"", None),
            ("null", None),
            ("true", None),
            ("99999999999", Some(u32::MAX)),
        ] {
            let text = format!("{{\"elaboration_config\": {{\"max_turns\": {value}}}}}");
            assert_eq!(meta(&text).max_turns(), wanted, "{value}");
        }
        assert_eq!(meta("{\"elaboration_config\": []}").max_turns(), None);
    }

    #[test]
    fn wrong_shapes_fall_back_to_the_defaults() {
        let odd = meta("{\"name\": 7, \"depth_overrides\": [], \"elaborations\": null}");
        assert_eq!((odd.name(), odd.depth("01-requirements")), (None, None));
        assert_eq!(
            meta("{\"depth_overrides\": {\"01-requirements\": \"deep\"}}").depth("01-requirements"),
            Some(Depth::Deep)
        );
        assert!(Meta::read("meta.json", b"[]").unwrap_err().message.contains("not an object"));
    }

    #[test]
    fn an_analysis_advances_meta_json_and_leaves_everything_else() {
        let advance = |text: &str, steps: &[&str], phases: &[&str], depths: &[(&str, Depth)], codebase| {
            let own = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
            let (steps, phases) = (own(steps), own(phases));
            let depths = depths.iter().map(|(phase, depth)| ((*phase).to_owned(), *depth)).collect();
            let advance = Advance { steps: &steps, phases: &phases, depths: &depths, codebase };
            let found = meta(text).advanced(&advance).unwrap();
            let lost = crate::additive::json::meta_losses(text.as_bytes(), found.as_bytes());
            assert!(lost.is_empty(), "{lost:?}\n{found}");
            found
        };
        let found = advance(
            "{\n  \"x\": 1e400,\n  \"analysis_status\": \"raw\",\n  \"depth_overrides\": {},\n  \"codebase_hash\": null\n}\n",
            &["00-01"],
            &["00-quick-scan"],
            &[("01-requirements", Depth::Deep)],
            Some("abc1234"),
        );
        insta::assert_snapshot!(found, @r#"
        {
          "x": 1e400,
          "analysis_status": "partial",
          "depth_overrides": {
            "01-requirements": "deep"
          },
          "codebase_hash": "abc1234",
          "steps_completed": [
            "00-01"
          ],
          "phases_completed": [
            "00-quick-scan"
          ]
        }
        "#);
        let all = PHASES.map(|(phase, _)| phase);
        let legacy = advance(
            "{\"phase_a_completed\":true,\"phases_completed\":[\"00-quick-scan\"]}",
            &[],
            &[],
            &[],
            None,
        );
        assert_eq!(meta(&legacy).strings("phases_completed"), all);
        assert!(
            legacy.starts_with("{\"phase_a_completed\":true,") && !meta(&legacy).owed_by_legacy(),
            "{legacy}"
        );
        assert_eq!(meta(&legacy).analysis_status(), "analyzed");
        for odd in [
            "{\"depth_overrides\": []}",
            "{\"depth_overrides\": null, \"steps_completed\": null}",
            "{\"analysis_status\": \"other\", \"codebase_hash\": {}}",
        ] {
            advance(odd, &["00-01"], &[], &[("01-requirements", Depth::Brief)], Some("abc1234"));
        }
        let kept = "{\"depth_overrides\": {\"01-requirements\": \"brief\"}, \"steps_completed\": [\"00-01\"], \"analysis_status\": \"partial\"}";
        assert_eq!(advance(kept, &["00-01"], &[], &[("01-requirements", Depth::Brief)], None), kept);
        let refused = meta("{\"steps_completed\": \"x\"}").with_word("steps_completed", "00-01").unwrap_err();
        assert!(refused.message.contains("not a list"));
    }

    #[test]
    fn a_new_item_has_every_field_readers_expect() {
        let text = new_item(
            Source::Manual,
            "offline-mode",
            "offline mode",
            Time::parse("2026-02-20T14:30:00Z").unwrap(),
            "c02145b9d1",
        );
        insta::assert_snapshot!(text, @r#"
        {
          "source": "manual",
          "slug": "offline-mode",
          "name": "offline mode",
          "created_at": "2026-02-20T14:30:00.000Z",
          "analysis_status": "raw",
          "phases_completed": [],
          "codebase_hash": "c02145b",
          "steps_completed": [],
          "depth_overrides": {}
        }
        "#);
    }

    #[test]
    fn an_unknown_status_is_refused_with_its_value() {
        for known in ["{}", "{\"analysis_status\": \"partial\"}", "{\"analysis_status\": null}"] {
            assert!(meta(known).known_status().is_ok(), "{known}");
        }
        for (odd, value) in [("\"weird\"", "\"weird\""), ("7", "7")] {
            let refused = meta(&format!("{{\"analysis_status\": {odd}}}")).known_status().unwrap_err();
            assert!(refused.message.contains(value) && refused.line == 1, "{refused:?}");
        }
    }
}
