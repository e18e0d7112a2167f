//! A step's words in a Markdown artifact: each section that the step names takes an addition at its
//! end, and is opened in its place where it is missing.

use minijinja::{Value, context};

use super::draft::{self, Draft, Entry, Named, Open};
use super::{Material, Part, Written, description};
use crate::item::library::Library;
use crate::item::meta;
use crate::item::persona::Persona;
use crate::synthesis::Unplaced;
use crate::synthesis::outline::{Outline, fits, insert};
use crate::synthesis::records::squeezed;
use crate::text::plain;
use crate::text::template::{Failed, safe};

/// The section at a document's end that lists what is open.
pub(super) const OPEN: &str = "Open Questions";

/// What a section says beside the answers: our own markup, made from a part's name.
pub(super) type SectionFacts<'f> = dyn Fn(&Material<'_>, &Named, &str) -> Result<String, Unplaced> + 'f;

/// Adds the step to the text of a file; an empty text is a file that is to be made.
pub(super) fn write(
    material: &Material<'_>,
    name: &str,
    text: &str,
    parts: &[Part],
    facts: &SectionFacts<'_>,
) -> Result<Written, Unplaced> {
    if text.replace("\r\n", "").contains('\r') {
        return Ok(Written::Left("its lines end in a carriage return alone".to_owned()));
    }
    let mut new = if text.is_empty() { head(material, name)? } else { text.to_owned() };
    let (mut sections, mut written) = (Vec::new(), Draft::default());
    for Part { named, share } in parts {
        let fact = facts(material, named, name)?;
        let has_words = !share.entries.is_empty() || !share.feedback.is_empty() || !share.drafted.is_empty();
        written.add(share);
        if !has_words && fact.is_empty() {
            continue;
        }
        let body = body(material, share, &fact)?;
        new = place(material, name, &new, named, &body)?;
        sections.push(named.name.clone());
    }
    if !written.open.is_empty() {
        new = place(material, name, &new, &Named::section(name, OPEN), &open(material, &written.open)?)?;
        sections.push(OPEN.to_owned());
    }
    let first = || parts.first().map(|part| part.named.name.clone());
    let sections = if sections.is_empty() { first().into_iter().collect() } else { sections };
    Ok(Written::Into { text: new, section: sections.join("\", \""), what: description(&written) })
}

/// What nobody has answered yet, each with its place among the step's questions.
fn open(material: &Material<'_>, open: &[Open]) -> Result<String, Failed> {
    let place = |open: &Open| match open.number {
        Some(number) => format!("Step {}, question {number}", material.step.id),
        None => format!("Step {}", material.step.id),
    };
    let shown: Vec<Value> =
        open.iter().map(|one| context! { place => place(one), text => one.text.as_str() }).collect();
    let values = context! { marker => safe(marker(material)), open => shown };
    material.library.templates.render("artifacts/open.md", values).map(|text| squeezed(&text))
}

/// The head of a new file: its own template, or the one for any document.
fn head(material: &Material<'_>, name: &str) -> Result<String, Failed> {
    let own = format!("artifacts/{name}");
    let is_known = material.library.templates.sources().any(|(known, _)| known == own);
    let stem = name.rsplit('/').next().unwrap_or(name).split('.').next().unwrap_or(name);
    let words: Vec<String> = stem.split(['-', '_']).map(plain::capital).collect();
    let values = context! { item => material.item.name(), title => words.join(" ") };
    let template = if is_known { own.as_str() } else { "artifacts/document.md" };
    Ok(material.library.templates.render(template, values)? + "\n")
}

/// The marker that is before everything a step adds.
pub(super) fn marker(material: &Material<'_>) -> String {
    format!("<!-- Analysis: step {}, {} -->", material.step.id, material.at)
}

/// A section's addition.
fn body(material: &Material<'_>, share: &Draft, facts: &str) -> Result<String, Failed> {
    let entry = |entry: &Entry| context! { asked => entry.asked.as_str(), lines => entry.lines.clone(), by => entry.by.as_str() };
    let values = context! {
        marker => safe(marker(material)),
        facts => safe(facts),
        by => share.speakers().join(", "),
        persona => asker(material.persona),
        entries => share.entries.iter().map(entry).collect::<Vec<Value>>(),
        drafted => share.drafted.clone(),
        drafted_by => share.drafted_by.as_str(),
        confirmed_by => share.confirmed_by.as_str(),
        feedback => share.feedback.iter().map(entry).collect::<Vec<Value>>(),
    };
    let text = material.library.templates.render("artifacts/section.md", values)?;
    Ok(squeezed(&text))
}

pub(super) fn asker(persona: &Persona) -> String {
    format!("{} ({})", persona.name, persona.role)
}

/// A title as a heading has it: a number at its start is no list there.
fn heading(title: &str) -> String {
    let digits = title.bytes().take_while(u8::is_ascii_digit).count();
    match title.get(digits..).and_then(|rest| rest.strip_prefix(". ")) {
        Some(rest) if digits > 0 => format!("{}. {}", &title[..digits], plain::markdown(rest)),
        _ => plain::markdown(title),
    }
}

/// The section's title without its number, in lower case.
fn bare(title: &str) -> String {
    let title = title.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ' '));
    title.trim().to_lowercase()
}

fn section_of(outline: &Outline, name: &str) -> Option<usize> {
    let headings = || outline.headings.iter().enumerate().filter(|(_, heading)| !heading.added);
    let exact = headings().find(|(_, heading)| heading.text == name);
    let alike = || headings().find(|(_, heading)| heading.level > 1 && bare(&heading.text) == bare(name));
    exact.or_else(alike).map(|(at, _)| at)
}

/// Puts an addition at the end of its section; where there is none the section is opened: after the
/// one that comes before it in the steps' own order, else before the one after it, else at the end.
fn place(
    material: &Material<'_>,
    name: &str,
    text: &str,
    part: &Named,
    body: &str,
) -> Result<String, Unplaced> {
    let outline = Outline::new(text);
    if let Some(section) = section_of(&outline, &part.name) {
        let mut at = Some(section);
        while let Some(heading) = at {
            let inserted = insert(text, outline.end(heading), body);
            if fits(text, &inserted) {
                return Ok(inserted.text);
            }
            at = outline.parent(heading);
        }
    }
    let body = format!("## {}\n\n{body}", heading(&part.name));
    let order = order(material.library, name);
    let own = order.iter().position(|known| known == &part.name).unwrap_or(order.len());
    // What is open is listed at the very end.
    let is_last = part.name == OPEN;
    let before = order[..own].iter().rev().filter(|_| !is_last).find_map(|known| section_of(&outline, known));
    let after = order.iter().skip(own + 1).find_map(|known| section_of(&outline, known));
    let spots = [
        before.map(|heading| outline.end(heading)),
        after.map(|heading| outline.headings[heading].start),
        Some(text.len()),
    ];
    for at in spots.into_iter().flatten() {
        let inserted = insert(text, at, &body);
        if fits(text, &inserted) {
            return Ok(inserted.text);
        }
    }
    let why = "it ends in an open fence, comment or HTML block, or defines a link of a word we write; close or rename it";
    Err(Unplaced::NoPlace { path: format!("{}/{name}", material.item.path), why })
}

/// The sections of a file in the order in which the steps name them; in a file that none of them names they are called
/// as the steps.
fn order(library: &Library, name: &str) -> Vec<String> {
    let parts = library.steps.iter().flat_map(draft::named);
    let named = parts.filter(|part| part.file == name && part.file != meta::FILE).map(|part| part.name);
    let mut own: Vec<String> = named.collect();
    if own.is_empty() {
        own.extend(library.steps.iter().map(|step| step.title.clone()));
    }
    own.into_iter().chain(["Glossary".to_owned(), OPEN.to_owned()]).collect()
}
