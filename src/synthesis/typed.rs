//! Typed additions at their places: a risk below "Risks", a criterion below its story (L-6). Decisions
//! are [`records`](super::records).
//!
//! Invariant: each placement alone only adds, by the rule of every commit; one that has no such place is left out, and
//! the synthesis lists it like all others. In Markdown it has the pattern of its neighbours; ids are the next free
//! ones of the series that the document has.

mod form;
pub mod in_data;
pub mod in_markdown;

use std::collections::{BTreeMap, BTreeSet};

use minijinja::context;
use serde_json::{Map, Value, json};

use super::below::place_of;
use super::outline::Outline;
use super::yaml_list::with_entries;
use super::{Left, Outcome, Placed, Unplaced, data};
use crate::additive::verify;
use crate::discussion::Finished;
use crate::discussion::additions::{Addition, Field, Kind, PROPOSED_BY, snake};
use crate::item::layout::{Layout, Proposal};
use crate::item::library::Library;
use crate::item::{Change, Item};
use crate::text::ids::{family, id_of_entry, leading_id, mentioned_ids};
use crate::text::json::{Document, Kind as Json, Node};
use crate::text::path::suffix;
use crate::text::plain;

/// Puts the additions of a synthesis at their places.
///
/// # Errors
/// A template that cannot be rendered.
pub(super) fn place(
    item: &Item,
    finished: &Finished,
    library: &Library,
    outcome: &mut Outcome,
) -> Result<(), Unplaced> {
    // A decision is a file of its own.
    let additions =
        finished.summary.landing_additions().iter().filter(|one| one.kind != Kind::DecisionRecord);
    let layout = library.layout(&finished.opened.layout);
    for addition in additions {
        let Some(place) = addition.kind.place(layout) else {
            let path = item.path_of(&name_within(&item.path, &addition.path));
            let (kind, layout) = (addition.kind.words(), &layout.name);
            let reason =
                format!("the {kind} is only in the recording: the layout {layout} has no place for one");
            outcome.left.push(Left { path, reason });
            continue;
        };
        let placing = Placing { library, addition, layout, place };
        match placing.put(item, outcome)? {
            Ok(change) => match outcome.changes.iter_mut().find(|known| known.path == change.path) {
                Some(known) => known.after = change.after,
                None => outcome.changes.push(change),
            },
            Err(why) => outcome.left.push(Left {
                path: item.path_of(&placing.name(item)),
                reason: format!("the {} is only in the recording: {why}", addition.kind.words()),
            }),
        }
    }
    Ok(())
}

/// A text with an entry more.
pub(crate) struct PlacedEntry {
    pub text: String,
    /// The heading that it is under.
    pub section: String,
    /// The id that it got.
    pub id: Option<String>,
}

/// A text of a document with an addition in it; none where it has no place there.
///
/// # Errors
/// A template that cannot be rendered.
pub(crate) fn put_entry(
    name: &str,
    text: &str,
    addition: &Addition,
    layout: &Layout,
    library: &Library,
) -> Result<Option<PlacedEntry>, Unplaced> {
    let Some(place) = addition.kind.place(layout) else { return Ok(None) };
    let placing = Placing { library, addition, layout, place };
    let found = placing.added_to(name, text)?;
    let Ok((text, section)) = found else { return Ok(None) };
    let id = in_markdown::entry(&text, addition, library)?.and_then(|entry| entry.id);
    Ok(Some(PlacedEntry { text, section, id }))
}

/// Whether a Markdown document has a section for an addition.
pub fn has_section(text: &str, addition: &Addition, layout: &Layout, library: &Library) -> bool {
    let Some(place) = addition.kind.place(layout) else { return false };
    let placing = Placing { library, addition, layout, place };
    placing.heading(text, &Outline::new(text)).is_ok()
}

/// A synthesis of ours has fewer additions than this; where a recording has more, none of them is looked for.
pub const MOST: usize = 24;
struct Placing<'a> {
    library: &'a Library,
    addition: &'a Addition,
    layout: &'a Layout,
    place: &'a Proposal,
}

/// A section such as "Requirement 2: Send letters", of a number or of any.
struct NumberedSection {
    /// In lower case.
    name: String,
    number: Option<u32>,
}

impl NumberedSection {
    fn is_of(&self, heading: &str) -> bool {
        let heading = heading.to_lowercase();
        let Some(rest) = heading.strip_prefix(&self.name).map(str::trim_start) else { return false };
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let is_apart = rest[digits..].chars().next().is_none_or(|next| !next.is_alphanumeric());
        let number = rest[..digits].parse::<u32>().ok();
        is_apart && number.is_some() && (self.number.is_none() || self.number == number)
    }
}

type Found<T> = Result<Result<T, String>, Unplaced>;

impl Placing<'_> {
    /// The document within the item's folder.
    fn name(&self, item: &Item) -> String {
        name_within(&item.path, &self.addition.path)
    }

    /// The text with the addition in it, and where it went; else why it has no place there.
    /// What nobody has accepted is marked there, or has no place.
    fn added_to(&self, name: &str, text: &str) -> Found<(String, String)> {
        let placed = match suffix(name).as_str() {
            "md" | "markdown" => self.markdown(text)?,
            "json" => self.json(name, text),
            "yaml" | "yml" => self.yaml(text),
            "csv" => self.csv(text),
            _ => Err("a file of this kind takes no addition".to_owned()),
        };
        let marks = |text: &str| text.matches(PROPOSED_BY.trim_start()).count();
        Ok(placed.and_then(|(after, section)| {
            match self.addition.is_marked() && marks(&after) <= marks(text) {
                true => Err("nothing there would say who proposed it".to_owned()),
                false => Ok((after, section)),
            }
        }))
    }

    /// The change that the addition comes to, or why there is none.
    fn put(&self, item: &Item, outcome: &mut Outcome) -> Found<Change> {
        let name = self.name(item);
        let Some((_, text)) = item.documents().find(|(known, _)| *known == name) else {
            return Ok(Err("there is no such document".to_owned()));
        };
        let path = item.path_of(&name);
        let known = outcome.changes.iter().find(|change| change.path == path);
        let now = known.map_or(text.to_owned(), |change| String::from_utf8_lossy(&change.after).into_owned());
        let (after, section) = match self.added_to(&name, &now)? {
            Ok(found) => found,
            Err(why) => return Ok(Err(why)),
        };
        let change =
            Change { path: path.clone(), before: Some(now.clone().into_bytes()), after: after.into_bytes() };
        if verify(vec![change.clone()]).is_err() {
            return Ok(Err("its place has no room for it".to_owned()));
        }
        let lines = |bytes: &[u8]| memchr::memchr_iter(b'\n', bytes).count();
        outcome.placed.push(Placed {
            path,
            section,
            created: false,
            added_lines: lines(&change.after).saturating_sub(lines(now.as_bytes())),
            description: format!("1 {}", self.addition.kind.words()),
        });
        Ok(Ok(Change { before: Some(text.as_bytes().to_vec()), ..change }))
    }

    fn no_anchor(&self) -> String {
        match self.addition.anchor.as_str() {
            "" => "it names no heading and no id".to_owned(),
            anchor => format!("\"{}\" is no heading and no id there", plain::shown(anchor)),
        }
    }

    /// The heading that the anchor names, or under which the line with the id is.
    fn anchored(&self, text: &str, outline: &Outline) -> Option<usize> {
        let anchor = plain::one_line(&self.addition.anchor).to_lowercase();
        let anchor = anchor.trim_start_matches('#').trim();
        if anchor.is_empty() {
            return None;
        }
        let own = || outline.headings.iter().enumerate().filter(|(_, heading)| !heading.added);
        let is = |wanted: &dyn Fn(&str) -> bool| {
            own().find(|(_, heading)| wanted(&heading.text.to_lowercase())).map(|(at, _)| at)
        };
        if let Some(section) = self.numbered(anchor) {
            return outline
                .headings
                .iter()
                .position(|heading| !heading.added && section.is_of(&heading.text));
        }
        let id = mentioned_ids(&self.addition.anchor).next();
        // "Requirement 1" is the heading "Requirement 1: Send letters".
        let begins =
            |text: &str| text.strip_prefix(anchor).is_some_and(|rest| rest.starts_with([':', '.', ' ']));
        is(&|text| text == anchor)
            .or_else(|| is(&begins))
            .or_else(|| own().find(|(_, heading)| heading.is_called(anchor)).map(|(at, _)| at))
            .or_else(|| {
                let id = id?;
                own().find(|(_, heading)| mentioned_ids(&heading.text).next() == Some(id)).map(|(at, _)| at)
            })
            .or_else(|| {
                let id = id?;
                let at = place_of(text, id, self.layout)?;
                outline.headings.iter().rposition(|heading| heading.start <= at)
            })
    }

    /// The numbered section that an anchor such as "2.3" or "Requirement 2" names.
    fn numbered(&self, anchor: &str) -> Option<NumberedSection> {
        let name = self.layout.numbers.as_ref()?.section.to_lowercase();
        let number = anchor.strip_prefix(&name).unwrap_or(anchor).trim();
        let mut parts = number.split('.').map(str::parse::<u32>);
        let (section, item) = (parts.next()?.ok()?, parts.next());
        let is_whole = item.is_none_or(|item| item.is_ok()) && parts.next().is_none();
        is_whole.then_some(NumberedSection { name, number: Some(section) })
    }

    /// Why a proposal for a numbered list has no place: it goes below a section with a number, in the form of that list.
    fn misfit(&self, outline: &Outline, anchored: Option<usize>) -> Option<String> {
        if let Some(form) = self.place.form
            && !form.fits(&self.addition.shown())
        {
            return Some(
                "it is not in the form EARS (WHEN …, the … SHALL …), which the entries there have".to_owned(),
            );
        }
        // What a user writes in an analysis names no place.
        if self.addition.turns.is_empty() {
            return None;
        }
        let is_story = |at: usize| begins_with_story(&outline.headings[at].text);
        if self.addition.kind == Kind::UserStory && anchored.is_some_and(is_story) {
            return Some("a user story there is a section of its own".to_owned());
        }
        let numbers = self
            .layout
            .numbers
            .as_ref()
            .filter(|numbers| self.place.heading.as_ref() == Some(&numbers.list))?;
        let section = NumberedSection { name: numbers.section.to_lowercase(), number: None };
        let Some(at) = anchored else {
            return (!self.addition.anchor.is_empty()).then(|| self.no_anchor());
        };
        let is_inside = std::iter::successors(Some(at), |at| outline.parent(*at))
            .any(|at| section.is_of(&outline.headings[at].text));
        let (anchor, name) = (plain::shown(&self.addition.anchor), &numbers.section);
        (!is_inside).then(|| format!("\"{anchor}\" names no {name} with a number, and it goes below one"))
    }

    fn fits_columns(&self, headers: &[String]) -> bool {
        !headers.is_empty() && row(self.addition, None, headers).is_some()
    }

    /// Whether an id is one of the kind's series.
    fn is_own(&self, id: &str) -> bool {
        self.place.ids.iter().any(|known| known == family(id))
    }

    /// The next free id of the series that these texts have, the first that has one.
    fn next_id(&self, texts: &[&str]) -> Option<String> {
        let own = |id: &&str| self.is_own(id);
        // What is only mentioned is no entry of the series, as long as an entry begins with one.
        let leading = texts.iter().find_map(|text| text.lines().filter_map(id_of_entry).rfind(own));
        let mentioned = || texts.iter().find_map(|text| mentioned_ids(text).filter(own).last());
        let used: BTreeSet<&str> = texts.iter().flat_map(|text| mentioned_ids(text)).collect();
        let mut id = leading.or_else(mentioned)?.to_owned();
        while used.contains(id.as_str()) {
            id = counted_on(&id)?;
        }
        Some(id)
    }

    /// In the object that the anchor names by its id, or in the list of the kind.
    fn json(&self, name: &str, text: &str) -> Result<(String, String), String> {
        let document = Document::read(name, text.as_bytes()).map_err(|finding| finding.message.clone())?;
        let anchor = self.addition.anchor.trim();
        if self.addition.kind == Kind::AcceptanceCriterion {
            let object = with_id(&document, &document.root, anchor).ok_or_else(|| self.no_anchor())?;
            let text = json!(data_text(&self.addition.shown()));
            return match criteria(object) {
                Some(list) => {
                    let value = self.criterion(list, &document)?.unwrap_or(text);
                    Ok((document.with_element(list, &value), anchor.to_owned()))
                }
                None => Ok((
                    document.with_member_in(object, "acceptance_criteria", &json!([text])),
                    anchor.to_owned(),
                )),
            };
        }
        let (list, section) = list(self.addition, &document).ok_or_else(|| self.no_anchor())?;
        let Json::Array(elements) = &list.kind else { return Err(self.no_anchor()) };
        if !elements.iter().all(|one| matches!(one.kind, Json::Object(_))) {
            return Err("its list holds no objects".to_owned());
        }
        let first = elements.first().map(|first| &document.text[first.span.clone()]);
        let first: Option<Value> = first.and_then(|first| serde_json::from_str(first).ok());
        let value = object(self.addition, first.as_ref(), self.next_id(&[text]));
        Ok((document.with_element(list, &value), section))
    }

    /// A criterion as an object like those of its list; none where that holds texts.
    fn criterion(&self, list: &Node, document: &Document) -> Result<Option<Value>, String> {
        let Json::Array(elements) = &list.kind else { return Ok(None) };
        let Some(first) = elements.first().filter(|first| matches!(first.kind, Json::Object(_))) else {
            return Ok(None);
        };
        let own = &document.text[list.span.clone()];
        let first: Option<Value> = serde_json::from_str(&document.text[first.span.clone()]).ok();
        let value = object(self.addition, first.as_ref(), self.next_id(&[own, &document.text]));
        let has = |key: &String| first.as_ref().is_some_and(|first| first.get(key).is_some());
        let fits = value.as_object().is_some_and(|fields| fields.keys().all(has));
        if fits { Ok(Some(value)) } else { Err("the criteria there have other fields".to_owned()) }
    }

    fn yaml(&self, text: &str) -> Result<(String, String), String> {
        let keys = keys(self.addition);
        let key =
            text.lines().filter_map(|line| line.strip_suffix(':')).find(|key| keys.contains(&snake(key)));
        let key = key.filter(|key| !key.starts_with(' ')).ok_or_else(|| self.no_anchor())?;
        let parsed: Option<serde_yaml::Value> = serde_yaml::from_str(text).ok();
        let first = parsed.as_ref().and_then(|parsed| parsed.get(key)?.get(0));
        let first = first.and_then(|first| serde_json::to_value(first).ok());
        let value = object(self.addition, first.as_ref(), self.next_id(&[text]));
        let new = with_entries(text, key, &[value]).ok_or("its list has no room at its end")?;
        Ok((new, key.to_owned()))
    }

    fn csv(&self, text: &str) -> Result<(String, String), String> {
        let body = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut reader =
            csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(body.as_bytes());
        let headers = reader.records().next().and_then(Result::ok).ok_or("it has no header")?;
        let headers: Vec<String> = headers.iter().map(str::to_owned).collect();
        let rows: Vec<Vec<String>> = reader
            .records()
            .map_while(Result::ok)
            .map(|row| row.iter().map(str::to_owned).collect())
            .collect();
        let row = row(self.addition, self.next_id(&[body]), &columns(&headers, &rows));
        let row = row.ok_or("its header has no column for what is added")?;
        if body.matches('"').count() % 2 == 1 {
            return Err("a quotation mark in it is not closed".to_owned());
        }
        let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let gap = if text.ends_with('\n') { "" } else { end };
        let row: Vec<String> = row.iter().map(|text| data::cell(text)).collect();
        Ok((format!("{text}{gap}{}{end}", row.join(",")), "rows".to_owned()))
    }
}

/// Whether a heading is that of one user story: `US-001: Letters`, `User Story 1 - Letters`.
fn begins_with_story(heading: &str) -> bool {
    let is_story = |id: &str| family(id) == "US";
    let number = heading.strip_prefix("User Story ").unwrap_or_default();
    id_of_entry(heading).is_some_and(is_story) || number.starts_with(|sign: char| sign.is_ascii_digit())
}

/// The list of a document that takes an addition, and its name.
fn list<'d>(addition: &Addition, document: &'d Document) -> Option<(&'d Node, String)> {
    match &document.root.kind {
        Json::Array(_) => Some((&document.root, "the list".to_owned())),
        Json::Object(members) => {
            let keys = keys(addition);
            let is_it = |(key, node): &&(String, Node)| {
                matches!(node.kind, Json::Array(_)) && keys.contains(&snake(key))
            };
            members.iter().find(is_it).map(|(key, node)| (node, key.clone()))
        }
        _ => None,
    }
}

/// The names of a list that takes the addition: the anchor's, or the kind's.
fn keys(addition: &Addition) -> Vec<String> {
    let kind = snake(addition.kind.name());
    let plural = match kind.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None if kind == "acceptance_criterion" => "acceptance_criteria".to_owned(),
        None => format!("{kind}s"),
    };
    let short = plural.strip_prefix("user_").map(str::to_owned);
    [snake(&addition.anchor), plural].into_iter().chain(short).filter(|key| !key.is_empty()).collect()
}

/// The addition as an entry beside `first`: lists that the others have are there, and empty.
fn object(addition: &Addition, first: Option<&Value>, id: Option<String>) -> Value {
    let mut fields = Map::new();
    fields.extend(id.map(|id| ("id".to_owned(), json!(id))));
    // In the order that the others have.
    let order = |key: &str| first.and_then(Value::as_object)?.keys().position(|known| known == key);
    let mut own: Vec<(&String, &Field)> = addition.fields.iter().filter(|(key, _)| *key != "id").collect();
    own.sort_by_key(|(key, _)| order(key).unwrap_or(usize::MAX));
    for (key, field) in own {
        let value = match field {
            Field::Text(text) => json!(data_text(text)),
            Field::List(list) => json!(list.iter().map(|text| data_text(text)).collect::<Vec<_>>()),
        };
        fields.insert(key.clone(), value);
    }
    if let Some(text) = &addition.text {
        fields.entry("text").or_insert(json!(data_text(text)));
    }
    for (key, value) in first.and_then(Value::as_object).into_iter().flatten() {
        if value.is_array() && !fields.contains_key(key) {
            fields.insert(key.clone(), json!([]));
        }
    }
    Value::Object(fields)
}

/// The documents that additions name, within the item's folder.
pub fn files(item: &str, additions: &[Addition]) -> Vec<String> {
    additions.iter().map(|addition| name_within(item, &addition.path)).collect()
}

fn name_within(item: &str, path: &str) -> String {
    let path = plain::shown(path.trim_start_matches("./"));
    path.strip_prefix(&format!("{item}/")).unwrap_or(&path).to_owned()
}

/// The values of a block: the words that lead, and the fields that are left.
fn block(addition: &Addition) -> minijinja::Value {
    let kind = snake(addition.kind.name());
    let leads = ["title", "name", "term", "code"];
    let title = leads.iter().find_map(|name| addition.fields.get(*name)).map(Field::text);
    let texts = [kind.as_str(), "text", "description", "meaning"]
        .map(|name| if leads.contains(&name) { "text" } else { name });
    let told = texts.iter().find_map(|name| addition.fields.get(*name)).map(Field::text);
    let is_left = |name: &str| {
        !(leads.contains(&name) || name == "id" || texts.contains(&name) && addition.text.is_none())
    };
    let text = addition.text.clone().or(told).unwrap_or_default();
    let fields = addition.fields.iter().filter(|(name, _)| is_left(name));
    let fields: Vec<minijinja::Value> = fields
        .map(|(name, field)| context! { name => name.replace('_', " "), text => field.text() })
        .collect();
    let by = |name: &str| addition.fields.get(name).map(Field::text).unwrap_or_default();
    context! {
        title => title.unwrap_or_default(),
        text,
        fields,
        by => context! { as_a => by("as_a"), i_want => by("i_want"), so_that => by("so_that") },
    }
}

/// The cells of an addition that was written as a line of a table.
fn written_row(addition: &Addition) -> Option<Vec<String>> {
    let text = addition.text.as_deref().filter(|text| text.starts_with('|') && addition.fields.is_empty())?;
    Some(written_cells(text)).filter(|cells| cells.len() > 1)
}

/// The cells of a written line under these headers, with the id that it gets.
fn fitted(mut cells: Vec<String>, id: Option<String>, headers: &[String]) -> Option<Vec<String>> {
    let id_column = headers.iter().position(|header| snake(header) == "id");
    match id_column {
        Some(at) if cells.len() + 1 == headers.len() => cells.insert(at, id.unwrap_or_default()),
        Some(at) if cells.len() == headers.len() => cells[at] = id.unwrap_or_else(|| cells[at].clone()),
        _ => {}
    }
    (cells.len() == headers.len()).then_some(cells)
}

/// Headers as a row is made for them: the column of ids is called `ID`, whatever the team calls it.
fn columns(headers: &[String], rows: &[Vec<String>]) -> Vec<String> {
    let mut columns = headers.to_vec();
    let is_id = |cell: &str| leading_id(cell).is_some_and(|id| id == (0..cell.len()));
    let holds_ids =
        |at: usize| !rows.is_empty() && rows.iter().all(|row| row.get(at).is_some_and(|cell| is_id(cell)));
    let named = headers.iter().position(|header| snake(header) == "id");
    let Some(at) = named.or_else(|| (0..headers.len()).find(|at| holds_ids(*at))) else { return columns };
    "ID".clone_into(&mut columns[at]);
    columns
}

/// The cells of an addition under these headers; none where a part of it has no column.
fn row(addition: &Addition, id: Option<String>, headers: &[String]) -> Option<Vec<String>> {
    if let Some(cells) = written_row(addition) {
        return fitted(cells, id, headers);
    }
    let mut left: BTreeMap<String, String> =
        addition.fields.iter().map(|(name, field)| (name.clone(), field.text())).collect::<BTreeMap<_, _>>();
    left.remove("id");
    let kind = snake(addition.kind.name());
    if let Some(text) = &addition.text {
        let meaning = if addition.kind == Kind::Term { "meaning" } else { "text" };
        let names = [kind.as_str(), "text", "description", meaning];
        let short = kind.rsplit('_').next().unwrap_or_default();
        let mut all = headers.iter().map(|header| snake(header));
        let named = all.clone().find(|one| names.contains(&one.as_str()) || one == short);
        // Beside the ids there is one column, which takes the words.
        let beside =
            || all.clone().find(|one| one != "id").filter(|_| all.len() == 2 && all.any(|one| one == "id"));
        let column = named.or_else(beside)?;
        if left.contains_key(&column) {
            return None;
        }
        left.insert(column, text.clone());
    }
    let cells: Vec<String> = headers
        .iter()
        .map(|header| match snake(header).as_str() {
            "id" => id.clone().unwrap_or_default(),
            name => left.remove(name).unwrap_or_default(),
        })
        .collect();
    (left.is_empty() && !headers.is_empty()).then_some(cells)
}

/// The cells of a table's line, without marks.
pub fn cells(line: &str) -> Vec<String> {
    written_cells(line).into_iter().map(|cell| cell.replace(['*', '`', '_', '\\'], "")).collect()
}

/// The cells of a table's line as they are written.
fn written_cells(line: &str) -> Vec<String> {
    let inside = line.trim().trim_start_matches('|');
    let inside = inside.strip_suffix('|').unwrap_or(inside).replace("\\|", "\u{0}");
    inside.split('|').map(|cell| plain::clean(&cell.replace('\u{0}', "|")).trim().to_owned()).collect()
}

/// One block: no blank line parts it.
fn one_block(text: &str) -> String {
    text.lines().filter(|line| !line.trim().is_empty()).collect::<Vec<_>>().join("\n")
}

/// Whether an id is one that an addition of this kind got in a text: it follows another one of its series there.
pub fn follows(id: &str, kind: Kind, layout: &Layout, text: &str) -> bool {
    kind.is_counted_by(family(id), layout)
        && mentioned_ids(text).any(|other| counted_on(other).as_deref() == Some(id))
}

/// The id after this one, without its letter: its last number and one more, as wide.
fn counted_on(id: &str) -> Option<String> {
    let id = id.trim_end_matches(|sign: char| sign.is_ascii_lowercase());
    let head = id.trim_end_matches(|sign: char| sign.is_ascii_digit());
    let number = &id[head.len()..];
    let next = number.parse::<u32>().ok()?.checked_add(1)?;
    Some(format!("{head}{next:0width$}", width = number.len()))
}

/// A text as data holds it.
fn data_text(text: &str) -> String {
    plain::without_comments(&plain::clean(text))
}

/// The object with this id, wherever it is.
fn with_id<'d>(document: &'d Document, node: &'d Node, id: &str) -> Option<&'d Node> {
    match &node.kind {
        Json::Object(members) => {
            let own =
                members.iter().find(|(key, _)| key == "id").and_then(|(_, node)| document.plain_text(node));
            if own == Some(id) {
                return Some(node);
            }
            members.iter().find_map(|(_, member)| with_id(document, member, id))
        }
        Json::Array(elements) => elements.iter().find_map(|element| with_id(document, element, id)),
        _ => None,
    }
}

fn criteria(object: &Node) -> Option<&Node> {
    let Json::Object(members) = &object.kind else { return None };
    let is_list = |(key, node): &&(String, Node)| {
        ["acceptance_criteria", "criteria"].contains(&key.as_str()) && matches!(node.kind, Json::Array(_))
    };
    members.iter().find(is_list).map(|(_, node)| node)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_count_on_as_wide_as_they_are() {
        assert_eq!(counted_on("AC-008-03").unwrap(), "AC-008-04");
        assert_eq!(counted_on("FR-099").unwrap(), "FR-100");
        assert_eq!(counted_on("FR"), None);
    }

    #[test]
    fn a_row_has_a_column_for_everything_or_is_none() {
        let value = json!({"kind": "risk", "text": "Photos are lost", "fields": {"likelihood": "high"}});
        let risk = Addition::read(&value).unwrap();
        let headers = |list: &[&str]| list.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>();
        assert_eq!(
            row(&risk, None, &headers(&["ID", "Risk", "Likelihood", "Owner"])).unwrap(),
            ["", "Photos are lost", "high", ""]
        );
        assert_eq!(row(&risk, None, &headers(&["Risk", "Owner"])), None);
        assert_eq!(row(&risk, None, &headers(&["Likelihood"])), None);
        assert_eq!(row(&risk, None, &[]), None);
    }

    #[test]
    fn cells_are_told_apart() {
        assert_eq!(cells("| **ID** | a \\| b |"), ["ID", "a | b"]);
    }

    /// Documents of every form, each with a place for additions of every kind.
    const DOCUMENTS: [(&str, &str); 8] = [
        ("a.md", "# A\n\n## Place\n\n- **FR-001**: one letter\n"),
        (
            "b.md",
            "# A\n\n## Place\n\n| ID | Text | Code | Cause |\n| --- | --- | --- | --- |\n| FR-001 | a | b | c |\n",
        ),
        ("c.md", "# A\n\n## Place\n\nSome prose.\n"),
        ("d.md", "# A\n\n## Place\n\n| ID | Requirement | Risk |\n|---|---|---|\n| R-1 | a | b |\n"),
        ("e.csv", "id,text,code,cause\nFR-001,a,b,c\n"),
        ("f.json", "{\"place\": [{\"id\": \"FR-001\", \"text\": \"a\"}]}\n"),
        ("g.yaml", "place:\n  - id: FR-001\n    text: a\n"),
        ("h.json", "[{\"code\": \"E-1\", \"cause\": \"a\"}]\n"),
    ];

    proptest::proptest! {
        #[test]
        fn nothing_that_nobody_accepted_lands_without_its_mark(
            kind in 0..Kind::ALL.len(),
            document in 0..DOCUMENTS.len(),
            text in proptest::option::of("[a-z]{3,8}( [a-z|*_(]{1,8}){0,4}"),
            fields in proptest::collection::btree_map(
                "id|code|text|cause|risk|requirement|description|title|so_that|as_a|i_want|owner|given",
                "[a-zA-Z0-9-]{1,8}( [a-z|*_(]{1,8}){0,3}", 0..5
            ),
        ) {
            let library = Library::built_in().unwrap();
            let layout = library.layout("isdlc");
            let said = json!({
                "document": "x", "anchor": "Place", "kind": Kind::ALL[kind].name(), "text": text, "fields": fields,
            });
            let Some(proposal) = crate::discussion::additions::Proposal::read(&said) else { return Ok(()) };
            let addition = proposal.addition("x", 4, Some("Jordan"));
            // A record is a file of its own.
            let own = Some(addition.kind.place(layout)).filter(|_| addition.kind != Kind::DecisionRecord);
            let Some(place) = own.flatten() else { return Ok(()) };
            let placing = Placing { library: &library, addition: &addition, layout, place };
            let (name, before) = DOCUMENTS[document];
            if let Ok((after, _)) = placing.added_to(name, before).unwrap() {
                proptest::prop_assert!(after.contains("(proposed by Jordan)"), "{}", after);
                for name in ["FR-002 (proposed", "E-2 (proposed", "code: x (proposed"] {
                    proptest::prop_assert!(!after.contains(name), "{}", after);
                }
            }
        }
    }
}
