//! Ids that documents refer to each other by: FR-NNN, NFR-NNN, US-NNN. An id is given once and never
//! again; the next one follows the highest that any document of the item has.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::draft::{Draft, Entry, Open};
use crate::analysis::answer_forms::{CLASSES, Fact, Label};
use crate::analysis::depth::before_ours;
use crate::item::Item;
use crate::text::json::Document;

/// Numbers above this one are somebody's joke or another system's.
const FAR: u32 = 9_999;

/// The ids of a kind in a text, in order of their numbers.
pub fn of_text(text: &str, kind: &str) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    let mark = format!("{kind}-");
    for at in memchr::memmem::find_iter(text.as_bytes(), mark.as_bytes()) {
        // `NFR-001` holds no `FR-001`.
        let before = text[..at].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || c == '-') {
            continue;
        }
        let digits: String = text[at + mark.len()..].chars().take_while(char::is_ascii_digit).collect();
        if (3..=6).contains(&digits.len()) {
            found.extend(digits.parse::<u32>());
        }
    }
    found
}

/// The ids of a kind in all documents of an item.
pub fn of_item(item: &Item, kind: &str) -> BTreeSet<u32> {
    item.documents().flat_map(|(_, text)| of_text(text, kind)).collect::<BTreeSet<_>>()
}

/// `FR-001`.
pub fn show(kind: &str, number: u32) -> String {
    format!("{kind}-{number:03}")
}

/// The kind of id that a form's facts get.
const fn kind(label: Label) -> Option<&'static str> {
    match label {
        Label::Requirement => Some("FR"),
        Label::Quality => Some("NFR"),
        Label::Story => Some("US"),
        _ => None,
    }
}

/// What the documents of an item give ids to.
#[derive(Clone, Debug, Default)]
pub struct Defined {
    /// Requirements and quality goals, with what they say.
    texts: BTreeMap<String, String>,
    /// Pairs of a requirement and a story that serves it.
    serving: Vec<(String, String)>,
    /// Stories without a link.
    unlinked: Vec<String>,
    /// Stories with a criterion.
    checked: BTreeSet<String>,
    /// Requirements that a criterion is written below.
    with_criteria: BTreeSet<String>,
    used: BTreeMap<&'static str, BTreeSet<u32>>,
    stories: BTreeSet<String>,
    classes: BTreeMap<String, &'static str>,
}

impl Defined {
    pub fn read(item: &Item) -> Defined {
        let mut found = Defined::default();
        for kind in ["FR", "NFR", "US"] {
            found.used.insert(kind, of_item(item, kind));
        }
        for (name, text) in item.documents() {
            if name.ends_with(".md") {
                found.read_markdown(text);
            } else if name.ends_with(".json") {
                found.read_stories(name, text);
            }
        }
        found
    }

    /// `**FR-001**: text`, `### FR-001: text` and table rows give an id; a mention in an answer gives no id
    /// to anything.
    fn read_markdown(&mut self, text: &str) {
        let (theirs, ours) = before_ours(text);
        let lines = theirs.lines().map(|line| (line, false)).chain(ours.lines().map(|line| (line, true)));
        let mut last = String::new();
        for (line, is_ours) in lines {
            let plain = line.trim().trim_start_matches(['#', '-', '*', '|', ' ']);
            let is_criterion = plain.get(..6).is_some_and(|first| first.eq_ignore_ascii_case("given "));
            if is_criterion && line.starts_with(' ') && !last.is_empty() {
                self.with_criteria.insert(last.clone());
            }
            let is_class =
                |class: &&&str| plain.strip_prefix(**class).is_some_and(|rest| rest.starts_with("**: "));
            if let Some(class) = CLASSES.iter().find(is_class) {
                let list = plain.split_once(": ").map_or("", |(_, rest)| rest).split(" -- ").next();
                for id in list.unwrap_or_default().split(", ") {
                    self.classes.entry(id.to_owned()).or_insert(class);
                }
            }
            for kind in ["FR", "NFR"] {
                let Some(rest) = plain.strip_prefix(kind).and_then(|rest| rest.strip_prefix('-')) else {
                    continue;
                };
                let is_bold = |rest: &str| rest.strip_prefix(kind).is_some_and(|rest| rest.starts_with('-'));
                let marked = line.starts_with(['#', '|']) || line.strip_prefix("- **").is_some_and(is_bold);
                let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
                if !(3..=6).contains(&digits) || !marked && is_ours {
                    continue;
                }
                let id = format!("{kind}-{}", &rest[..digits]);
                let words = rest[digits..].trim_start_matches(['*', ':', '|', ' ', '.', '-']);
                let words = words.split('|').next().unwrap_or_default().trim().replace('\\', "");
                last.clone_from(&id);
                self.texts.entry(id).or_insert(words);
            }
        }
    }

    fn read_stories(&mut self, name: &str, text: &str) {
        let Ok(document) = Document::read(name, text.as_bytes()) else { return };
        let list = document.value.get("stories").unwrap_or(&document.value);
        for story in list.as_array().into_iter().flatten() {
            let Some(id) = story.get("id").and_then(Value::as_str) else { continue };
            let links = story.get("links").and_then(Value::as_array).into_iter().flatten();
            let links: Vec<String> = links.filter_map(Value::as_str).map(str::to_owned).collect();
            if links.is_empty() {
                self.unlinked.push(id.to_owned());
            }
            self.stories.insert(id.to_owned());
            let criteria = story.get("acceptance_criteria").and_then(Value::as_array);
            if criteria.is_some_and(|criteria| !criteria.is_empty()) {
                self.checked.insert(id.to_owned());
            }
            self.serving.extend(links.into_iter().map(|link| (link, id.to_owned())));
        }
    }

    /// The requirements and then the quality goals, in order.
    pub fn requirements(&self) -> impl Iterator<Item = &str> {
        let of =
            |kind: &'static str| self.texts.keys().map(String::as_str).filter(move |id| id.starts_with(kind));
        of("FR-").chain(of("NFR-"))
    }

    pub fn count(&self, kind: &str) -> usize {
        self.texts.keys().filter(|id| id.split('-').next() == Some(kind)).count()
    }

    pub fn stories(&self) -> usize {
        self.stories.len()
    }

    /// The stories that serve a requirement.
    pub fn serving(&self, id: &str) -> Vec<&str> {
        self.serving.iter().filter(|(own, _)| own == id).map(|(_, story)| story.as_str()).collect()
    }

    pub fn class(&self, id: &str) -> Option<&'static str> {
        self.classes.get(id).copied()
    }

    fn is_used(&self, id: &str) -> bool {
        let (kind, digits) = id.split_once('-').unwrap_or_default();
        digits.parse().is_ok_and(|number| self.used.get(kind).is_some_and(|used| used.contains(&number)))
    }

    fn states(&self, kind: &str, text: &str) -> bool {
        self.texts.iter().any(|(id, said)| id.split('-').next() == Some(kind) && said == text)
    }

    /// The ids that new facts of a form get: their own, or the next that are free.
    pub fn minted<'f>(&self, label: Label, facts: impl Iterator<Item = &'f Fact>) -> Vec<(String, &'f Fact)> {
        let Some(kind) = kind(label) else { return Vec::new() };
        let facts: Vec<&Fact> = facts.filter(|fact| fact.label == label).collect();
        let number = |id: &str| id.split_once('-').and_then(|(_, digits)| digits.parse::<u32>().ok());
        let own = facts.iter().filter_map(|fact| number(fact.id.as_deref()?));
        let used = self.used.get(kind).into_iter().flatten().copied();
        let last = used.chain(own).filter(|number| *number <= FAR).max().unwrap_or(0);
        let mut free = last + 1..;
        let id = |fact: &Fact| match &fact.id {
            Some(id) => id.clone(),
            None => show(kind, free.next().unwrap_or(FAR)),
        };
        let ids: Vec<String> = facts.iter().copied().map(id).collect();
        ids.into_iter().zip(facts).collect()
    }

    /// What ids alone tell to be missing, as questions: a priority, a story's requirement, a criterion.
    pub fn gaps(&self, classes: &BTreeMap<String, Vec<&'static str>>) -> Vec<String> {
        let listed = |ids: Vec<&str>| {
            crate::analysis::greeting::listed(&ids.into_iter().map(str::to_owned).collect::<Vec<_>>())
        };
        let has_priority = |id: &str| classes.contains_key(id) || self.classes.contains_key(id);
        let is_checked = |id: &str| {
            self.with_criteria.contains(id)
                || self.serving(id).iter().any(|story| self.checked.contains(*story))
        };
        let open: Vec<&str> = self.requirements().filter(|id| !has_priority(id)).collect();
        let bare: Vec<&str> =
            self.requirements().filter(|id| id.starts_with("FR-") && !is_checked(id)).collect();
        let loose: Vec<&str> = self.unlinked.iter().map(String::as_str).collect();
        [
            ("Which priority does each of these have", open),
            ("Which acceptance criterion does each of these have", bare),
            ("Which requirement does each of these serve", loose),
        ]
        .into_iter()
        .filter(|(_, ids)| !ids.is_empty())
        .map(|(asks, ids)| format!("{asks}: {}?", listed(ids)))
        .collect()
    }
}

/// The classes that each id is called, each once.
pub fn classes<'f>(facts: impl Iterator<Item = &'f Fact>) -> BTreeMap<String, Vec<&'static str>> {
    let mut found: BTreeMap<String, Vec<&'static str>> = BTreeMap::new();
    for fact in facts {
        let Label::Priority(class) = fact.label else { continue };
        for id in &fact.links {
            let own = found.entry(id.clone()).or_default();
            if !own.contains(&CLASSES[class]) {
                own.push(CLASSES[class]);
            }
        }
    }
    found
}

/// Moves what cannot be written in its form to the notes, word for word, and asks about it: an id that is
/// given to something else already, a link or a priority of an id that no document has, an id with two
/// priorities. What a document states already is not written again.
pub fn settle(draft: &mut Draft, defined: &Defined) {
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let mut said: BTreeSet<(Label, String)> = BTreeSet::new();
    let mut kept = Vec::new();
    for (fact, by) in std::mem::take(&mut draft.facts) {
        let Some(kind) = kind(fact.label) else {
            kept.push((fact, by));
            continue;
        };
        let is_story = fact.label == Label::Story;
        if !is_story && (defined.states(kind, &fact.text) || !said.insert((fact.label, fact.text.clone()))) {
            // Said once is enough; what is new below it is kept.
            if !fact.criteria.is_empty() {
                note(draft, &fact, &by);
            }
        } else if let Some(id) = fact.id.clone().filter(|id| defined.is_used(id) || !taken.insert(id.clone()))
        {
            note(draft, &fact, &by);
            ask(draft, format!("{id} is given to something else already; which id does this get?"));
        } else {
            kept.push((fact, by));
        }
    }
    let facts = || kept.iter().map(|(fact, _)| fact);
    let labels = [Label::Requirement, Label::Quality, Label::Story];
    let new: BTreeSet<String> = labels
        .iter()
        .flat_map(|label| defined.minted(*label, facts()))
        .map(|(id, _)| id)
        .collect::<BTreeSet<_>>();
    let known = |id: &String| new.contains(id) || defined.texts.contains_key(id);
    let classes = classes(facts());
    for (mut fact, by) in std::mem::take(&mut kept) {
        if fact.label == Label::Criterion {
            let id = fact.id.clone().unwrap_or_default();
            if known(&id) {
                draft.facts.push((fact, by));
                continue;
            }
            // A story that is committed takes nothing more: its criterion stays a note.
            note(draft, &fact, &by);
            if !defined.stories.contains(&id) {
                ask(draft, format!("No document defines {id}; what is this a criterion of?"));
            }
            continue;
        }
        let is_good = |id: &String| known(id) && classes.get(id).is_none_or(|found| found.len() < 2);
        let bad: Vec<String> = fact.links.iter().filter(|id| !is_good(id)).cloned().collect();
        if bad.is_empty() {
            draft.facts.push((fact, by));
            continue;
        }
        note(draft, &fact, &by);
        for id in &bad {
            let several = classes.get(id).filter(|found| known(id) && found.len() > 1);
            ask(draft, unclear(id, several.map(Vec::as_slice)));
        }
        fact.links.retain(is_good);
        if fact.label == Label::Story || !fact.links.is_empty() {
            draft.facts.push((fact, by));
        }
    }
}

fn unclear(id: &str, classes: Option<&[&str]>) -> String {
    match classes {
        Some(found) => format!("{id} was called {}; which of them is it?", found.join(" and ")),
        None => format!("No document defines {id}; what is meant by it?"),
    }
}

fn note(draft: &mut Draft, fact: &Fact, by: &str) {
    let lines = fact.said.lines().map(str::to_owned).collect();
    draft.feedback.push(Entry::note(lines, by));
}

fn ask(draft: &mut Draft, text: String) {
    if !draft.open.iter().any(|open| open.text == text) {
        draft.open.push(Open::new(None, text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::answer_forms::read;
    use crate::item::File;

    fn item(spec: &str, stories: &str) -> Item {
        let mut item = Item::new("x", "{}").unwrap();
        item.files.insert("requirements-spec.md".into(), File::Bytes(spec.as_bytes().to_vec()));
        item.files.insert("user-stories.json".into(), File::Bytes(stories.as_bytes().to_vec()));
        item
    }

    fn settled(text: &str, item: &Item) -> (Draft, Defined) {
        let facts = read(text, &[]).facts.into_iter().map(|fact| (fact, "Sam".to_owned())).collect();
        let (mut draft, defined) = (Draft { facts, ..Draft::default() }, Defined::read(item));
        settle(&mut draft, &defined);
        (draft, defined)
    }

    #[test]
    fn an_id_is_kept_where_nobody_uses_it_and_else_asked_about() {
        let item = item("- **FR-001**: Save\n\nDrafts replace FR-012.\n", "{}");
        let (draft, defined) =
            settled("FR-007: print\nFR: send\nFR: Save\nFR-012: other\nFR-007: twice", &item);
        let minted: Vec<(String, &str)> = defined
            .minted(Label::Requirement, draft.facts.iter().map(|(fact, _)| fact))
            .into_iter()
            .map(|(id, fact)| (id, fact.text.as_str()))
            .collect();
        assert_eq!(minted, [("FR-007".into(), "print"), ("FR-013".into(), "send")]);
        let notes: Vec<&String> = draft.feedback.iter().flat_map(|entry| &entry.lines).collect();
        assert_eq!(notes, ["FR-012: other", "FR-007: twice"]);
        assert_eq!(draft.open.len(), 2);
    }

    #[test]
    fn contradictions_and_unknown_ids_are_asked_about_and_not_written() {
        let item = item("- **FR-001**: Save\n- **FR-002**: Send\n", "{}");
        let (draft, _) = settled(
            "Must: FR-001, FR-002\nShould: FR-001\nCould: FR-009\nAs a x, I want y, so that z\nLinks: FR-002, FR-010",
            &item,
        );
        let facts: Vec<(Label, &Vec<String>)> =
            draft.facts.iter().map(|(fact, _)| (fact.label, &fact.links)).collect();
        assert_eq!(
            facts,
            [(Label::Priority(0), &vec!["FR-002".to_owned()]), (Label::Story, &vec!["FR-002".to_owned()])]
        );
        let asks: Vec<&str> = draft.open.iter().map(|open| open.text.as_str()).collect();
        assert_eq!(
            asks,
            [
                "FR-001 was called Must Have and Should Have; which of them is it?",
                "No document defines FR-009; what is meant by it?",
                "No document defines FR-010; what is meant by it?",
            ]
        );
    }

    #[test]
    fn ids_alone_tell_what_is_missing() {
        let spec = "- **FR-001**: Save\n  - Given a, when b, then c\n- **FR-002**: Send\n- **FR-003**: Print\n\n- **Must Have**: FR-001, FR-002 -- pointless without\n";
        let stories = "{\"stories\": [{\"id\": \"US-001\", \"links\": [\"FR-002\"], \"acceptance_criteria\": [\"x\"]}, {\"id\": \"US-002\", \"links\": []}]}";
        let defined = Defined::read(&item(spec, stories));
        assert_eq!(
            defined.gaps(&BTreeMap::new()),
            [
                "Which priority does each of these have: FR-003?",
                "Which acceptance criterion does each of these have: FR-003?",
                "Which requirement does each of these serve: US-002?",
            ]
        );
        assert_eq!((defined.class("FR-002"), defined.serving("FR-002")), (Some("Must Have"), vec!["US-001"]));
    }

    #[test]
    fn ids_are_whole_words_of_three_digits_and_more() {
        let text = "FR-001, NFR-002 (FR-010), AC-FR-003, FR-12, FR-0004";
        assert_eq!(of_text(text, "FR").into_iter().collect::<Vec<_>>(), [1, 4, 10]);
        assert_eq!(of_text(text, "NFR").into_iter().collect::<Vec<_>>(), [2]);
        assert_eq!(show("US", 7), "US-007");
    }
}
