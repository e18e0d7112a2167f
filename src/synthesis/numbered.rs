//! Decisions in a folder of numbered records: lines at the end of the record that is meant, else one new record.
//!
//! Invariant: a new record has the form of the team's newest one, is proposed, and says only what was decided, why,
//! and what stays open; sections that nothing was said of are left to its author.
//!
//! ```
//! use roundtable::synthesis::numbered::{Draft, new_record};
//!
//! let newest = "# 4. Send letters\n\nDate: 2025-01-07\n\n## Status\n\nAccepted\n\n## Decision\n\nMonthly.\n";
//! let draft = Draft {
//!     number: 5, title: "Stop at 20 euros", date: "2026-02-20", by: "Sam", marker: "",
//!     relations: vec![], reasons: vec![], decisions: vec!["Stop at 20 euros (Sam)".to_owned()], questions: vec![],
//! };
//! assert_eq!(
//!     new_record(newest, &draft),
//!     "# 5. Stop at 20 euros\n\nDate: 2026-02-20\n\n## Status\n\nProposed\n\n## Decision\n\nStop at 20 euros (Sam)\n"
//! );
//! ```

use minijinja::context;

use super::outline::{Outline, fits, insert};
use super::records::{name, unlabelled};
use super::{Placed, Unplaced, below, decider, existing, lists, lists::asked, reason, related};
use crate::discussion::LandingEntries;
use crate::discussion::summary::Decision;
use crate::item::layout::Place;
use crate::item::library::Library;
use crate::item::{self, File};
use crate::text::ids::{Relation, record_numbers, relations};
use crate::text::plain;
use crate::text::sentences::sentences;
use crate::text::template::Failed;

/// The longest title of a record, in characters.
const TITLE: usize = 100;
/// The letters of a record's id: `ADR-0004`.
const RECORD_ID: &str = "ADR";

/// What a new record says.
pub struct Draft<'d> {
    pub number: u32,
    pub title: &'d str,
    pub date: &'d str,
    pub by: &'d str,
    /// The comment that names the discussion.
    pub marker: &'d str,
    /// Lines that say which records it amends or supersedes.
    pub relations: Vec<String>,
    pub reasons: Vec<String>,
    pub decisions: Vec<String>,
    pub questions: Vec<String>,
}

/// A decision as a record has it, in one line.
///
/// # Errors
/// A template that cannot be rendered.
pub fn entry(decision: &Decision, said: LandingEntries<'_>, library: &Library) -> Result<String, Failed> {
    let values = context! {
        question => None::<&str>,
        answer => plain::capital(&decision.text),
        by => decider(decision, said),
        reason => reason(decision),
    };
    let text = library.templates.render("additions/clarification.md", values)?;
    Ok(text.trim().trim_start_matches("- ").to_owned())
}

/// The numbers of the records that a decision is about: those that it names, where it neither amends nor supersedes any.
pub fn named(text: &str) -> Vec<u32> {
    if relations(text).is_empty() { record_numbers(text) } else { Vec::new() }
}

/// The title of the record that a decision gets: its first sentence.
pub fn title(decision: &Decision) -> String {
    plain::capital(&plain::headline(title_of(decision), TITLE))
}

/// Puts the decisions into records, where the layout has them there.
///
/// # Errors
/// A template that cannot be rendered, or a file that must not be written.
pub(super) fn add(
    item: &mut item::Item,
    said: LandingEntries<'_>,
    library: &Library,
    marker: &str,
) -> Result<Vec<Placed>, Unplaced> {
    let layout = library.layout(said.layout);
    let mut placed = Vec::new();
    if layout.decisions != Place::Record {
        return Ok(placed);
    }
    let known: Vec<(u32, String)> = layout
        .records(item.files.keys().map(String::as_str))
        .into_iter()
        .map(|(number, name)| (number, name.to_owned()))
        .collect();
    let mut new = Vec::new();
    for decision in &said.summary.decisions {
        let numbers = named(&decision.text);
        let meant = known.iter().filter(|(known, _)| numbers.contains(known)).map(|(_, name)| name.clone());
        let records: Vec<String> = item.beside.clone().map_or_else(|| meant.collect(), |own| vec![own]);
        if records.is_empty() {
            new.push(decision);
        }
        for name in records {
            placed.extend(add_line(item, &name, decision, said, library)?);
        }
    }
    if let (Some((last, pattern)), Some(first)) = (known.last(), new.first()) {
        let name = format!("{}{}.md", numbered_like(pattern, last + 1), name(title_of(first)));
        let text = draft(item, (last + 1, pattern), &new, said, library, marker)?;
        placed.push(put(item, &name, text, new.len())?);
    }
    Ok(placed)
}

/// A line at the end of a record.
fn add_line(
    item: &mut item::Item,
    name: &str,
    decision: &Decision,
    said: LandingEntries<'_>,
    library: &Library,
) -> Result<Option<Placed>, Unplaced> {
    let path = item.path_of(name);
    let Some(bytes) = existing(item, name, &path)? else { return Ok(None) };
    let Ok(text) = String::from_utf8(bytes) else { return Ok(None) };
    let line = below::line(decision, said, library)?;
    if text.lines().any(|known| known.trim() == line) {
        return Ok(None);
    }
    below_record(&text, &line).map(|after| put(item, name, after, 1)).transpose()
}

/// A record with a line below it: after the lines of earlier discussions, else in a list of its own.
fn below_record(text: &str, line: &str) -> Option<String> {
    let first_word = |line: &str| line.trim_start_matches(['-', ' ']).split(' ').next().map(str::to_owned);
    let last = text.trim_end().lines().last().unwrap_or_default();
    if first_word(last) != first_word(line) {
        let inserted = insert(text, text.len(), line);
        if fits(text, &inserted) {
            return Some(inserted.text);
        }
    }
    lists::at_end(text, &[line.trim_start_matches("- ")])
}

/// A decision without the reason that its own words end in.
fn title_of(decision: &Decision) -> &str {
    let text = unlabelled(&decision.text);
    let head = text.strip_suffix(&decision.rationale).filter(|_| !decision.rationale.is_empty());
    // What is left ends in the word that leads to the reason.
    let head = head
        .and_then(|head| head.trim_end().rsplit_once(' '))
        .map(|(head, _)| head.trim_end_matches([',', ' ']));
    let text = head.filter(|head| !head.is_empty()).unwrap_or(text);
    let first = sentences(text).into_iter().next().unwrap_or(text);
    without_relation(first.trim_end_matches('.'))
}

/// A decision without the words that say which record it amends or supersedes, at its end.
fn without_relation(text: &str) -> &str {
    let verbs = [Relation::Amends, Relation::Supersedes].map(|relation| relation.verb().to_lowercase());
    let lower = text.to_ascii_lowercase();
    let start =
        verbs.iter().chain([&"replaces".to_owned()]).filter_map(|verb| lower.rfind(verb.as_str())).max();
    let head = start.filter(|at| !relations(&text[*at..]).is_empty()).map(|at| &text[..at]);
    let head = head.map(|head| head.trim_end_matches([' ', ',', ';', ':', '(', '-', '–', '—', '.']));
    head.filter(|head| head.contains(' ')).unwrap_or(text)
}

fn put(item: &mut item::Item, name: &str, after: String, decisions: usize) -> Result<Placed, Unplaced> {
    let path = item.path_of(name);
    let before = existing(item, name, &path)?;
    let lines = |bytes: &[u8]| memchr::memchr_iter(b'\n', bytes).count();
    let placed = Placed {
        path,
        section: before.as_deref().map_or_else(|| decision_heading(&after), last_heading),
        created: before.is_none(),
        added_lines: lines(after.as_bytes()).saturating_sub(before.as_deref().map_or(0, lines)),
        description: plain::count(decisions, "decision"),
    };
    item.files.insert(name.to_owned(), File::Bytes(after.into_bytes()));
    Ok(placed)
}

/// The heading that a new record has its decisions under.
fn decision_heading(record: &str) -> String {
    let headings = Outline::new(record).headings.into_iter();
    let mut names = headings.map(|heading| heading.text);
    names.find(|name| is_of_decisions(name)).unwrap_or_default()
}

fn is_of_decisions(heading: &str) -> bool {
    matches!(heading.to_lowercase().as_str(), "decision" | "decisions" | "decision outcome")
}

/// The heading that the end of a record is below.
fn last_heading(record: &[u8]) -> String {
    let headings = Outline::new(&String::from_utf8_lossy(record)).headings;
    headings.last().map(|heading| heading.text.clone()).unwrap_or_default()
}

fn draft(
    item: &item::Item,
    (number, pattern): (u32, &str),
    decisions: &[&Decision],
    said: LandingEntries<'_>,
    library: &Library,
    marker: &str,
) -> Result<String, Failed> {
    let newest = match item.files.get(pattern) {
        Some(File::Bytes(bytes)) => String::from_utf8_lossy(bytes).into_owned(),
        _ => String::new(),
    };
    let title = title(decisions[0]);
    let mut by: Vec<&str> = decisions.iter().map(|one| decider(one, said)).collect();
    by.dedup();
    let entries: Result<Vec<String>, Failed> =
        decisions.iter().map(|one| entry(one, said, library)).collect();
    let questions: Result<Vec<String>, Failed> =
        said.summary.landing_questions().iter().map(|one| asked(one, said, library)).collect();
    let reasons = decisions.iter().map(|one| without_relation(&one.rationale));
    let reasons = reasons.filter(|reason| !reason.is_empty());
    let draft = Draft {
        number,
        title: &plain::markdown(&title),
        date: &said.at.day(),
        by: &by.join(", "),
        marker,
        relations: related::lines(item, library.layout(said.layout), decisions),
        reasons: reasons.map(|reason| plain::markdown(&plain::capital(reason))).collect(),
        decisions: entries?,
        questions: questions?,
    };
    Ok(new_record(&newest, &draft))
}

/// The name of a record up to its title, with another number: `adr-005-` after `adr-004-use-kafka.md`.
fn numbered_like(name: &str, number: u32) -> String {
    let start = name.find(|c: char| c.is_ascii_digit()).unwrap_or(0);
    let width = name[start..].bytes().take_while(u8::is_ascii_digit).count();
    format!("{}{number:0width$}-", &name[..start])
}

/// A new record in the form of the newest one.
pub fn new_record(newest: &str, draft: &Draft<'_>) -> String {
    let (front, body) = front_matter(newest);
    let outline = Outline::new(body);
    let title = outline.headings.iter().find(|heading| heading.level == 1);
    let sections: Vec<_> = outline.headings.iter().filter(|heading| heading.level == 2).collect();
    let head_end = sections.first().map_or(body.len(), |first| first.start);
    let above = title.map_or("", |title| &body[title.start..head_end]);
    let mut parts = Vec::new();
    let fields: Vec<String> = front.lines().filter_map(|line| field(line, draft)).collect();
    if !fields.is_empty() {
        parts.push(format!("---\n{}\n---", fields.join("\n")));
    }
    let text = title.map_or("", |title| title.text.as_str());
    parts.push(format!("# {}{}", number_like(text, draft.number), draft.title));
    parts.extend(Some(draft.marker.to_owned()).filter(|marker| !marker.is_empty()));
    let lines: Vec<String> = above.lines().skip(1).filter_map(|line| field(line, draft)).collect();
    let has_status = |lines: &[String]| lines.iter().any(|line| line.to_lowercase().contains("status"));
    let is_said = has_status(&fields) || has_status(&lines);
    parts.extend(Some(lines.join("\n")).filter(|lines| !lines.is_empty()));
    if is_said {
        parts.extend(draft.relations.iter().cloned());
    }
    let names: Vec<&str> = sections.iter().map(|section| section.text.as_str()).collect();
    parts.extend(written(&names, is_said, draft));
    parts.join("\n\n") + "\n"
}

/// The sections of a new record: those of the newest one that something was said of.
fn written(names: &[&str], has_status: bool, draft: &Draft<'_>) -> Vec<String> {
    let is_named = |wanted: &dyn Fn(&str) -> bool| names.iter().find(|name| wanted(&name.to_lowercase()));
    let status = is_named(&|name| name == "status").copied().or((!has_status).then_some("Status"));
    let context = is_named(&|name| name.starts_with("context")).copied().unwrap_or("Context");
    let decision = is_named(&is_of_decisions);
    let decision = decision.copied().unwrap_or("Decision");
    let section = |name: &str, body: String| format!("## {name}\n\n{body}");
    let listed = |entries: &[String]| match entries {
        [one] => one.clone(),
        entries => entries.iter().map(|entry| format!("- {entry}")).collect::<Vec<_>>().join("\n"),
    };
    let proposed = std::iter::once("Proposed").chain(draft.relations.iter().map(String::as_str));
    let proposed = proposed.collect::<Vec<_>>().join("\n\n");
    // Where the status is a line, what the record goes on with is below it.
    let mut parts: Vec<String> = match status {
        Some(name) if !has_status => vec![section(name, proposed)],
        Some(name) => vec![section(name, "Proposed".to_owned())],
        None => Vec::new(),
    };
    if !draft.reasons.is_empty() {
        parts.push(section(context, listed(&draft.reasons)));
    }
    parts.push(section(decision, listed(&draft.decisions)));
    if !draft.questions.is_empty() {
        let questions: Vec<String> = draft.questions.iter().map(|one| format!("- {one}")).collect();
        parts.push(section("Open Questions", questions.join("\n")));
    }
    parts
}

/// The front matter of a text, and the rest.
fn front_matter(text: &str) -> (&str, &str) {
    let split = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n"));
    split.unwrap_or(("", text))
}

/// A line that names the status, the day or who decided, with what holds for the new record; none of another line.
fn field(line: &str, draft: &Draft<'_>) -> Option<String> {
    let (lead, value) = line.split_once(':')?;
    let key = lead.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let own = match key.as_str() {
        "status" => Some(if value.trim().starts_with(char::is_uppercase) { "Proposed" } else { "proposed" }),
        "date" => Some(draft.date),
        "deciders" | "decision-makers" | "decision makers" | "author" | "authors" => Some(draft.by),
        _ => None,
    }?;
    let marks = value.len() - value.trim_start_matches(['*', '_']).len();
    let blank = if value[marks..].starts_with(' ') || value.trim().is_empty() { " " } else { "" };
    Some(format!("{lead}:{}{blank}{own}", &value[..marks]))
}

/// The number that a title begins with, counted on: `5. ` after `4. Send letters`, `ADR-0005: ` after `ADR-0004: …`.
fn number_like(title: &str, number: u32) -> String {
    let rest = title.strip_prefix(RECORD_ID).unwrap_or(title);
    let rest = rest.trim_start_matches(['-', ' ', '#']);
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let after = &rest[digits..];
    let after = &after[..after.find(char::is_alphanumeric).unwrap_or(after.len())];
    if digits == 0 || after.is_empty() {
        return String::new();
    }
    format!("{}{number:0digits$}{after}", &title[..title.len() - rest.len()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_called_like_the_first_sentence_of_its_decision() {
        let title = |text: &str| {
            let by = crate::discussion::summary::Recognised::Form;
            title(&Decision::new(text, None, "Sam", vec![1], by))
        };
        assert_eq!(title("in rain, we close. On a wet day nobody comes."), "In rain, we close");
        assert_eq!(title("no letters"), "No letters");
    }

    #[test]
    fn names_and_titles_are_counted_on() {
        assert_eq!(numbered_like("0004-use-kafka.md", 5), "0005-");
        assert_eq!(numbered_like("adr-099-x.md", 100), "adr-100-");
        for (title, wanted) in [
            ("4. Send letters", "5. "),
            ("ADR-0004: Send letters", "ADR-0005: "),
            ("ADR 4 - Send letters", "ADR 5 - "),
            ("Send 4 letters", ""),
            ("ADR guidelines", ""),
        ] {
            assert_eq!(number_like(title, 5), wanted, "{title}");
        }
    }

    #[test]
    fn a_madr_is_the_pattern_of_the_next_one() {
        let newest = "---\nstatus: accepted\ndate: 2025-01-01\ndecision-makers: Ann\nconsulted: Bo\n---\n\n# Use MADR\n\n## Context and Problem Statement\n\nx\n\n## Considered Options\n\n* a\n\n## Decision Outcome\n\nChosen option: a\n";
        let draft = Draft {
            number: 5,
            title: "Stop at 20",
            date: "2026-02-20",
            by: "Sam",
            marker: "<!-- m -->",
            relations: vec![],
            reasons: vec!["letters take days".into()],
            decisions: vec!["Stop at 20 (Sam)".into(), "No calls (Sam)".into()],
            questions: vec!["Who pays?".into()],
        };
        insta::assert_snapshot!(new_record(newest, &draft), @r"
        ---
        status: proposed
        date: 2026-02-20
        decision-makers: Sam
        ---

        # Stop at 20

        <!-- m -->

        ## Context and Problem Statement

        letters take days

        ## Decision Outcome

        - Stop at 20 (Sam)
        - No calls (Sam)

        ## Open Questions

        - Who pays?
        ");
    }
}
