//! Stories ("As a …, I want …, so that …") and criteria ("Given … when … then …"): on one line, or with
//! each part on a line of its own.

use super::{Fact, Label, is_id, without_marker};

/// A criterion, and the id it names where it does.
pub(super) struct Criterion {
    pub(super) owner: Option<String>,
    pub(super) text: String,
}

/// The criterion that some lines begin with, and how many of them it takes.
pub(super) fn criterion(lines: &[&str]) -> Option<(Criterion, usize)> {
    let (owner, first) = owned(without_marker(lines.first()?));
    if !leads(first, "given") {
        return None;
    }
    let mut text = first.to_owned();
    let mut taken = 1;
    for line in &lines[1..] {
        let line = without_marker(line);
        if !["when", "then", "and", "but"].iter().any(|word| leads(line, word)) {
            break;
        }
        text.push(' ');
        text.push_str(line);
        taken += 1;
    }
    let lower = text.to_ascii_lowercase();
    let when = part(&lower, "when")?;
    part(&lower[when..], "then")?;
    Some((Criterion { owner: owner.map(str::to_owned), text }, taken))
}

/// `FR-001: …` and `US-001: …`, the id and the rest; a text without an id is the rest.
fn owned(text: &str) -> (Option<&str>, &str) {
    match text.split_once(':') {
        Some((id, rest)) if is_id(id.trim()) || is_story_id(id.trim()) => (Some(id.trim()), rest.trim()),
        _ => (None, text),
    }
}

/// `US-001`.
pub(super) fn is_story_id(text: &str) -> bool {
    text.strip_prefix("US-")
        .is_some_and(|digits| digits.len() >= 3 && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether a text begins with a word, whatever its case.
fn leads(text: &str, word: &str) -> bool {
    text.get(..word.len()).is_some_and(|lead| lead.eq_ignore_ascii_case(word))
        && text[word.len()..].starts_with([' ', '\t'])
}

/// Where a word begins inside of a text.
fn part(lower: &str, word: &str) -> Option<usize> {
    lower.match_indices(word).map(|(at, _)| at).find(|at| {
        let before = lower[..*at].chars().next_back();
        let after = lower[at + word.len()..].chars().next();
        before.is_some_and(|c| !c.is_alphanumeric()) && after.is_some_and(char::is_whitespace)
    })
}

/// The story that some lines begin with, and how many of them it takes.
pub(super) fn story(lines: &[&str]) -> Option<(Fact, usize)> {
    let (id, first) = owned(without_marker(lines.first()?));
    if !["as a", "as an", "as the"].iter().any(|lead| leads(first, lead)) {
        return None;
    }
    let mut text = first.to_owned();
    for taken in 1..=3 {
        if let Some(fact) = told(&text) {
            return Some((Fact { id: id.map(str::to_owned), ..fact }, taken));
        }
        let next = without_marker(lines.get(taken)?);
        if !leads(next, "i want") && !leads(next, "so that") {
            return None;
        }
        text.push(' ');
        text.push_str(next);
    }
    None
}

/// Reads "As a ROLE, I want GOAL, so that BENEFIT".
fn told(text: &str) -> Option<Fact> {
    let lower = text.to_ascii_lowercase();
    let lead = ["as an ", "as the ", "as a "].iter().find(|lead| lower.starts_with(**lead))?.len();
    let want = part(&lower, "i want")?;
    let benefit = want + part(&lower[want..], "so that")?;
    let clause = |text: &str| text.trim().trim_end_matches([',', '.']).trim().to_owned();
    let mut fact = Fact::new(Label::Story, "");
    for (key, value) in [
        ("as_a", text.get(lead..want)?),
        ("i_want", text.get(want + "i want".len()..benefit)?),
        ("so_that", text.get(benefit + "so that".len()..)?),
    ] {
        fact.fields.insert(key, clause(value));
    }
    fact.fields.values().all(|value| !value.is_empty()).then_some(fact)
}
