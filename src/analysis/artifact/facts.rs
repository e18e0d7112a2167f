//! What a section holds beside questions and answers: requirements with their ids, quality goals,
//! priorities, the quick scan's counts, the flow as a diagram, the table of errors. Which of them a
//! section gets follows from the artifact and the section's name, so that a step of somebody's own that
//! writes there gets it too.

use minijinja::{Value, context};

use super::draft::{Entry, Named, items};
use super::markdown::squeezed;
use super::{Material, data, ids, priorities};
use crate::analysis::depth::Size;
use crate::analysis::scan::{KINDS, Measure};
use crate::plain;
use crate::synthesis::Unplaced;
use crate::template::safe;
use crate::text::words::words;

/// Places of affected files that are named.
const MOST_FILES: usize = 15;

/// The facts of a section; nothing where it has none.
pub(super) fn facts(material: &Material<'_>, part: &Named, file: &str) -> Result<String, Unplaced> {
    let name = part.name.to_lowercase();
    let (template, values) = match file {
        "quick-scan.md" => match (material.measure, name.as_str()) {
            (Some(measure), "scope") => ("scope", scope(material, measure)),
            (Some(measure), "keywords") => ("keywords", keywords(measure)),
            (Some(measure), "file count") => ("file-count", file_count(measure)),
            _ => return Ok(String::new()),
        },
        "requirements-spec.md" if name.contains("functional requirements") && !name.contains("non-") => {
            ("requirements", requirements(material))
        }
        "requirements-spec.md" if name.contains("quality") => ("quality", quality(material)),
        "requirements-spec.md" if name.contains("prioritization") => ("priorities", by_class(material)),
        "nfr-matrix.md" => ("nfr-rows", rows(material)),
        "impact-analysis.md" if name.contains("blast radius") => match material.measure {
            Some(measure) => ("mentions", file_count(measure)),
            None => return Ok(String::new()),
        },
        "data-flow.md" if name == "flow" => ("flow", flow(material)),
        "error-taxonomy.md" if name == "errors" => ("errors", errors(material)),
        _ => return Ok(String::new()),
    };
    let text = material.library.templates.render(&format!("artifacts/facts/{template}.md"), values)?;
    Ok(squeezed(&text))
}

fn limit(size: Size) -> &'static str {
    match size {
        Size::Small => "fewer than 5 files are small",
        Size::Medium => "5 to 15 files are medium",
        Size::Large => "more than 15 files are large",
    }
}

fn scope(material: &Material<'_>, measure: &Measure) -> Value {
    // What the user calls the size, where one class alone is named.
    let said: Vec<String> =
        material.draft.said().flat_map(words).map(|word| word.text.into_owned()).collect();
    let named: Vec<&str> = ["small", "medium", "large"]
        .into_iter()
        .filter(|size| said.iter().any(|word| word == size))
        .collect();
    let other = match named.as_slice() {
        [one] if *one != measure.size.scope() => *one,
        _ => "",
    };
    context! {
        scope => measure.size.scope(),
        complexity => measure.size.complexity(),
        files => measure.affected.len(),
        looked_at => measure.looked_at,
        words => counted(measure),
        commit => measure.commit.as_str(),
        limit => limit(measure.size),
        partial => measure.partial,
        other,
    }
}

/// The keywords that the count rests on.
fn counted(measure: &Measure) -> String {
    let words = measure.keywords.iter().filter(|keyword| !keyword.is_noise && keyword.files > 0);
    words.map(|keyword| format!("\"{}\"", keyword.word)).collect::<Vec<_>>().join(", ")
}

fn keywords(measure: &Measure) -> Value {
    let rows: Vec<Value> = measure
        .keywords
        .iter()
        .map(|keyword| {
            let rating = match keyword {
                _ if keyword.files == 0 => "no hits",
                _ if keyword.is_noise => "coincidental, left out as noise",
                _ => "direct",
            };
            context! {
                word => keyword.word.as_str(),
                files => keyword.files,
                hits => keyword.hits,
                places => keyword.places.join(", "),
                rating,
            }
        })
        .collect();
    context! {
        rows,
        commit => measure.commit.as_str(),
        looked_at => measure.looked_at,
        left_out => measure.left_out,
        partial => measure.partial,
    }
}

fn file_count(measure: &Measure) -> Value {
    let kinds: Vec<Value> =
        KINDS.iter().zip(measure.kinds).map(|(name, files)| context! { name => *name, files }).collect();
    let shown: Vec<String> = measure.affected.iter().take(MOST_FILES).cloned().collect();
    context! {
        lowest => measure.direct,
        highest => measure.affected.len(),
        kinds,
        scope => measure.size.scope(),
        complexity => measure.size.complexity(),
        limit => limit(measure.size),
        words => counted(measure),
        files => shown,
        more => measure.affected.len().saturating_sub(MOST_FILES),
        commit => measure.commit.as_str(),
        looked_at => measure.looked_at,
        partial => measure.partial,
    }
}

/// New requirements: the entries of the first answer, each under an id of its own; and whatever else
/// says "FR: …" or "The system must …".
fn requirements(material: &Material<'_>) -> Value {
    let found: Vec<Value> = minted(material)
        .into_iter()
        .map(|(number, text, _)| context! { id => ids::show("FR", number), text })
        .collect();
    context! { requirements => found }
}

/// The requirements of what was said: number, words, and the entry they were said in.
pub(super) fn minted(material: &Material<'_>) -> Vec<(u32, String, String)> {
    let mut found: Vec<String> = material.draft.first.clone();
    for entry in material.draft.said().flat_map(items) {
        let lower = entry.to_lowercase();
        let says = lower.starts_with("fr:")
            || lower.starts_with("the system must ")
            || lower.starts_with("the system shall ")
            || ids::leading(&entry, "FR").is_some();
        let text = if lower.starts_with("fr:") { entry[3..].trim().to_owned() } else { entry };
        if says && !found.contains(&text) {
            found.push(text);
        }
    }
    ids::numbered(material.item, "FR", &found)
}

/// A quality goal: an answer with a number in it.
pub(super) struct Goal {
    pub id: String,
    pub text: String,
    pub number: String,
}

/// The quality goals of what was said: every entry that has a number, risks apart.
pub(super) fn goals(material: &Material<'_>) -> Vec<Goal> {
    let draft = material.draft;
    let mut entries: Vec<String> = Vec::new();
    for entry in draft.entries.iter().chain(&draft.feedback) {
        let is_goal = |text: &String| !is_risk(entry, text) && number_of(words_of(text)).is_some();
        entries.extend(entry.lines.iter().flat_map(|line| items(line)).filter(is_goal));
    }
    let of = |(number, text, _): (u32, String, String)| {
        let limit = number_of(&text)?;
        Some(Goal { id: ids::show("NFR", number), text, number: limit })
    };
    ids::numbered(material.item, "NFR", &entries).into_iter().filter_map(of).collect()
}

/// An entry without the id it begins with.
fn words_of(text: &str) -> &str {
    ids::leading(text, "NFR").map_or(text, |(_, words)| words)
}

/// Whether an answer speaks of a risk: by its question, or, where that asks for several things, by
/// itself.
fn is_risk(entry: &Entry, text: &str) -> bool {
    let text = if entry.is_numbered { entry.asked.to_lowercase() } else { text.to_lowercase() };
    ["risk", "worst", "harm", "wrong"].iter().any(|word| text.contains(word))
}

/// The number of a text with its unit, and the word that makes it a limit: `at most 5 minutes`. Of
/// several, one with a unit before one without.
fn number_of(text: &str) -> Option<String> {
    const NUMBERS: [&str; 14] = [
        "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twelve", "twenty",
        "hundred", "thousand",
    ];
    const UNITS: [&str; 19] = [
        "second", "minute", "hour", "day", "week", "month", "year", "ms", "s", "percent", "mb", "gb", "kb",
        "km", "euro", "user", "request", "call", "record",
    ];
    const LIMITS: [&str; 8] = ["most", "least", "within", "under", "below", "over", "than", "every"];
    let found: Vec<&str> = text.split_whitespace().collect();
    let bare = |at: usize| {
        let word = found.get(at).copied().unwrap_or_default();
        word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
    };
    let has_unit = |at: usize| {
        let next = bare(at + 1);
        found[at].contains('%')
            || UNITS.contains(&next.as_str())
            || UNITS.contains(&next.trim_end_matches('s'))
    };
    let is_number = |at: &usize| {
        let word = bare(*at);
        word.starts_with(|c: char| c.is_ascii_digit()) || NUMBERS.contains(&word.as_str())
    };
    let numbers: Vec<usize> = (0..found.len()).filter(is_number).collect();
    let at = numbers.iter().copied().find(|at| has_unit(*at)).or_else(|| numbers.first().copied())?;
    let start = match at.checked_sub(1).map(bare) {
        Some(word) if LIMITS.contains(&word.as_str()) => {
            // `at most`, `no more than`
            at - 1
                - (1..at)
                    .take_while(|back| {
                        matches!(bare(at - 1 - back).as_str(), "at" | "no" | "more" | "less" | "not")
                    })
                    .count()
        }
        _ => at,
    };
    let mut taken: Vec<&str> = Vec::new();
    for (place, word) in found.iter().enumerate().skip(start) {
        taken.push(word.trim_end_matches([',', ';', '.', ':']));
        if place > at
            || place == at && found[at].contains('%')
            || place >= at && word.ends_with([',', ';', '.'])
        {
            break;
        }
    }
    Some(taken.join(" "))
}

fn quality(material: &Material<'_>) -> Value {
    let goals: Vec<Value> =
        goals(material).into_iter().map(|goal| context! { id => goal.id, text => goal.text }).collect();
    context! { goals }
}

fn rows(material: &Material<'_>) -> Value {
    let rows: Vec<Value> = goals(material)
        .into_iter()
        .map(|goal| context! { id => goal.id, text => goal.text, number => goal.number })
        .collect();
    context! { rows }
}

fn by_class(material: &Material<'_>) -> Value {
    let given = priorities::given(material.draft.said());
    let all = data::requirements(material.item);
    let of = |class: &str| -> Vec<String> {
        all.iter().filter(|id| given.get(*id).is_some_and(|found| *found == class)).cloned().collect()
    };
    let classes: Vec<Value> = priorities::CLASSES
        .iter()
        .map(|class| context! { name => *class, ids => of(class).join(", ") })
        .collect();
    let open: Vec<String> = all.iter().filter(|id| !given.contains_key(*id)).cloned().collect();
    let says = !all.is_empty() && (!material.again || !given.is_empty());
    context! { classes, open => open.join(", "), any => says }
}

/// A path in an answer (`a -> b -> c`) as a diagram.
fn flow(material: &Material<'_>) -> Value {
    let draft = material.draft;
    let path = draft.said().find(|text| text.contains("->") || text.contains('→'));
    let stations: Vec<Value> = path
        .map(|text| text.replace('→', "->"))
        .unwrap_or_default()
        .split("->")
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .map(|part| {
            safe(plain::mermaid(&plain::cut(part.trim_end_matches(['.', ';']), 80)).replace("<br/>", " "))
        })
        .collect();
    context! { stations }
}

/// Rows of the table of errors: answers of the form `CODE: cause -> action`.
fn errors(material: &Material<'_>) -> Value {
    let row = |text: &str| {
        let (code, rest) = text.split_once([':', ' '])?;
        let is_code = code.len() >= 3
            && code.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || matches!(c, '_' | '-'))
            && code.starts_with(|c: char| c.is_ascii_uppercase());
        let rest = rest.trim().trim_start_matches([':', '-', ' ']).replace('→', "->");
        let (cause, action) = rest.split_once("->").map_or((rest.as_str(), ""), |(a, b)| (a, b));
        let action = if action.trim().is_empty() { "open" } else { action.trim() };
        is_code.then(|| context! { code => code.to_owned(), cause => cause.trim().to_owned(), action => action.to_owned() })
    };
    let said = material.draft.said().flat_map(items);
    context! { rows => said.filter_map(|text| row(&text)).collect::<Vec<Value>>() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_read_with_its_unit_and_its_limit() {
        for (text, wanted) in [
            ("At the Monday rush a sync of four inspections takes at most 5 minutes", "at most 5 minutes"),
            ("The sum is shown within 2 seconds at noon on Mondays", "within 2 seconds"),
            ("99.5 % of all calls, measured monthly", "99.5 %"),
            ("No more than two hours of lost work.", "No more than two hours"),
            ("At most one answer, 0 photos", "At most one answer"),
            ("It holds 12000 books", "12000 books"),
        ] {
            assert_eq!(number_of(text).as_deref(), Some(wanted), "{text}");
        }
        assert_eq!(number_of("fast enough for everyone"), None);
    }
}
