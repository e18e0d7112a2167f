//! Places of a template that nobody filled in: brackets that are all there is in a cell, in a line, after a label or in
//! a heading, `[Name]`, `<name of the owner>`, `\<Term>`.
//!
//! Some forms are clear by themselves: `[e.g., Rust or Go]`, several words after a label, a word of the label itself
//! (`Date: [DATE]`), a date's pattern. Others (`[link]`, `…`) count only in a document that has one of the clear ones: it is
//! a template, and its brackets are places. What a document uses elsewhere, in code or in a sentence, is the name of a
//! variable and no place. Links, references, boxes and code are none.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use super::super::Hit;
use super::super::page::{Block, CODE, Kind, Page};
use super::template::is_of_template;
use super::values::{Value, values};

/// Bytes of a place.
const MAX_BYTES: usize = 600;
/// Words of a place that one word of its label explains.
const MAX_NAME_WORDS: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Evidence {
    Clear,
    /// In a document that has such places.
    Likely,
}

struct Slot {
    plain: Range<usize>,
    evidence: Evidence,
}

/// The places of a document's template that are still open.
pub fn slots(page: &Page<'_>) -> Vec<Hit> {
    if !page.keys.is_empty() {
        return Vec::new();
    }
    let forms = forms_of_files(page);
    let is_read = |(at, block): &(usize, &Block)| {
        !block.is_quoted && block.kind != Kind::Item(Some(true)) && !forms.contains(at)
    };
    let blocks = page.blocks.iter().enumerate().filter(is_read);
    let found = blocks.flat_map(|(_, block)| slots_of(page, block)).collect();
    let found = without_variables(page, found);
    let is_template = found.iter().any(|slot| slot.evidence == Evidence::Clear);
    let open = found.into_iter().filter(|slot| is_template || slot.evidence == Evidence::Clear);
    open.map(|slot| Hit::at(page.source(slot.plain))).collect()
}

/// The items of lists that say what another file looks like: those below an item that names it in code and ends in a
/// colon.
fn forms_of_files(page: &Page<'_>) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    // The items that are open, each with whether it leads such a list.
    let mut open: Vec<(usize, bool)> = Vec::new();
    for (at, block) in page.blocks.iter().enumerate() {
        while open.last().is_some_and(|(depth, _)| *depth >= block.depth) {
            open.pop();
        }
        if block.depth == 0 {
            continue;
        }
        if open.iter().any(|(_, leads)| *leads) {
            found.insert(at);
        }
        let text = page.text_of(block);
        open.push((block.depth, text.contains(CODE) && text.trim_end().ends_with(':')));
    }
    found
}

fn slots_of(page: &Page<'_>, block: &Block) -> Vec<Slot> {
    let place = |value: Value<'_>| {
        let evidence = evidence(page, block, &value).filter(|_| !is_link(page, &value))?;
        Some(Slot { plain: value.plain, evidence })
    };
    let mut found: Vec<Slot> = values(page, block).into_iter().filter_map(place).collect();
    if found.is_empty() {
        found.extend(example_at_end(page, block));
    }
    if found.is_empty() && is_of_template(page, block) {
        found.push(Slot { plain: block.plain.clone(), evidence: Evidence::Likely });
    }
    found
}

fn evidence(page: &Page<'_>, block: &Block, value: &Value<'_>) -> Option<Evidence> {
    let text = value.text.trim_end_matches([',', ';']).trim_matches(['"', '“', '”']);
    let text = if text == "..." { text } else { text.trim_end_matches('.') };
    // Of several lines only brackets are one value.
    let line = || Some(&page.text[page.source(value.plain.clone())]).filter(|source| !source.contains('\n'));
    if text == "$ARGUMENTS" || text.ends_with("\"$ARGUMENTS") {
        return line().filter(|_| is_field(block, value)).map(|_| Evidence::Clear);
    }
    // A log has `## 2026-05-01 - [What was learnt]`.
    if block.kind == Kind::Heading
        && value.label.starts_with(|sign: char| sign.is_ascii_digit())
        && value.label.contains('-')
    {
        return None;
    }
    if is_date_pattern(text) {
        return (is_field(block, value) && !speaks_of_form(value.label)).then_some(Evidence::Clear);
    }
    if matches!(text, "[…]" | "[...]" | "<…>" | "<...>") {
        let is_alone = text.starts_with('<') && matches!(block.kind, Kind::Item(_));
        return (is_alone || is_field(block, value)).then_some(Evidence::Likely);
    }
    if matches!(text, "…" | "...") {
        let is_alone = matches!(block.kind, Kind::Paragraph | Kind::Heading);
        return (is_alone || is_field(block, value)).then_some(Evidence::Likely);
    }
    if text.contains(CODE) {
        let branch = line().filter(|source| is_field(block, value) && source.contains("[###-"));
        return branch.map(|_| Evidence::Clear);
    }
    of_brackets(block, value, text)
}

fn of_brackets(block: &Block, value: &Value<'_>, text: &str) -> Option<Evidence> {
    let (open, inner) = inside_brackets(text)?;
    // `[a, b]` is a list in front matter.
    if !is_name(inner) || is_answer(inner) || block.kind == Kind::Value && open != '<' {
        return None;
    }
    let words: Vec<&str> = inner.split_whitespace().collect();
    let is_described = words.len() > 1
        && words[0].contains(char::is_lowercase)
        && !inner.contains(':')
        && !words.iter().any(|word| is_identifier(word));
    let is_clear = match open {
        '[' => {
            inner.contains("e.g.")
                || inner.starts_with("###-")
                || words.len() <= MAX_NAME_WORDS && shares_word(value.label, inner)
                || is_described && is_field(block, value)
        }
        '<' => words.len() > 1,
        _ => is_described && words.len() > 2,
    };
    Some(if is_clear { Evidence::Clear } else { Evidence::Likely })
}

/// Something with a name has this value.
fn is_field(block: &Block, value: &Value<'_>) -> bool {
    !value.label.is_empty() && block.kind != Kind::Heading
}

/// `[N/A]`, `[None]`, `[No violations]` say that there is nothing.
fn is_answer(inner: &str) -> bool {
    let first = inner.split(|sign: char| !sign.is_alphabetic() && sign != '/').next().unwrap_or_default();
    ["n/a", "no", "none", "not"].iter().any(|known| first.eq_ignore_ascii_case(known))
}

/// `MarketAgent`, `plan.md`: a capital letter or a dot within the word.
fn is_identifier(word: &str) -> bool {
    let word = word.trim_end_matches(|sign: char| !sign.is_alphanumeric());
    let mut signs = word.chars().skip_while(|sign| !sign.is_lowercase());
    signs.any(|sign| sign.is_uppercase() || sign == '.' || sign == '_')
}

/// The first bracket and what is in it, where it closes at the end.
fn inside_brackets(text: &str) -> Option<(char, &str)> {
    let open = text.chars().next()?;
    let close = closing(open);
    let inner = text.strip_prefix(['[', '<', '{'])?.strip_suffix(close)?;
    let mut depth = 1;
    let is_one = inner.chars().all(|sign| {
        depth += i32::from(sign == open) - i32::from(sign == close);
        depth > 0
    });
    (is_one && text.len() <= MAX_BYTES).then_some((open, inner.trim()))
}

fn closing(open: char) -> char {
    match open {
        '[' => ']',
        '<' => '>',
        _ => '}',
    }
}

/// Words that can name what belongs here: no box, no footnote, no number, no choice of a command line.
fn is_name(inner: &str) -> bool {
    let has_word = inner.split(|sign: char| !sign.is_alphabetic()).any(|word| word.chars().count() > 1);
    let is_other = inner.starts_with(['!', '^', '[', '<', '{', '@', '/', '-', '%', '$'])
        || inner.contains(['|', '=', '`', '\\'])
        || inner.contains("://");
    // The rule for markers finds these.
    let is_mark =
        ["FIXME", "TBC", "TBD", "TO BE", "TODO", "To be", "to be"].iter().any(|mark| inner.starts_with(mark))
            || inner.contains("NEEDS CLARIFICATION");
    // A path is the value itself.
    let is_path = !inner.contains(' ') && inner.contains(['/', '.']);
    has_word && !is_other && !is_mark && !is_path
}

/// A word of the label, `Date: [DATE]`, `Owner: [Owner's name]`.
fn shares_word(label: &str, inner: &str) -> bool {
    let split = |text: &str| -> BTreeSet<String> {
        let words = text.split(|sign: char| !sign.is_alphabetic());
        words.filter(|word| word.chars().count() > 2).map(str::to_lowercase).collect()
    };
    !split(label).is_disjoint(&split(inner))
}

/// `YYYY-MM-DD`, `[yyyy-mm-dd]`, `DD.MM.YYYY`, `2026-XX-XX`.
fn is_date_pattern(text: &str) -> bool {
    let text = inside_brackets(text).map_or(text, |(_, inner)| inner);
    if text.len() != "yyyy-mm-dd".len() {
        return false;
    }
    let text = text.to_ascii_lowercase();
    let parts: Vec<&str> = text.split(['-', '/', '.']).collect();
    let has_lengths =
        [[4, 2, 2], [2, 2, 4]].iter().any(|lengths| parts.iter().map(|part| part.len()).eq(*lengths));
    let is_part = |part: &&str| {
        ["yyyy", "mm", "dd"].contains(part) || part.bytes().all(|byte| byte == b'x' || byte.is_ascii_digit())
    };
    has_lengths && parts.iter().all(is_part) && text.contains(['x', 'y', 'm', 'd'])
}

/// A label that asks for a form and not for a value: "Date format".
fn speaks_of_form(label: &str) -> bool {
    let label = label.to_lowercase();
    ["format", "pattern", "example", "syntax", "convention", "type"].iter().any(|word| label.contains(word))
}

/// `System MUST [capability, e.g., "create accounts"]`.
fn example_at_end(page: &Page<'_>, block: &Block) -> Option<Slot> {
    let text = page.text_of(block).trim_end();
    let text = text.strip_suffix('.').unwrap_or(text);
    let start = text.rfind('[').filter(|_| text.ends_with(']'))?;
    let inner = &text[start + 1..text.len() - 1];
    let is_example = inner.contains("e.g.") && inner.len() <= MAX_BYTES && !inner.contains([']', CODE]);
    let plain = block.plain.start + start..block.plain.start + text.len();
    is_example.then_some(Slot { plain, evidence: Evidence::Clear })
}

fn is_link(page: &Page<'_>, value: &Value<'_>) -> bool {
    let place = page.source(value.plain.clone());
    let next = page.links.partition_point(|link| link.range.end <= place.start);
    page.links.get(next).is_some_and(|link| link.range.start < place.end)
}

/// Without those that the document has in other places, too: `<host>` in a command is the name of a variable.
fn without_variables(page: &Page<'_>, slots: Vec<Slot>) -> Vec<Slot> {
    let mut alone: HashMap<&str, usize> = HashMap::new();
    for slot in &slots {
        *alone.entry(&page.plain[slot.plain.clone()]).or_default() += 1;
    }
    if alone.is_empty() {
        return slots;
    }
    let mut all: HashMap<&str, usize> = HashMap::new();
    for (at, sign) in page.text.char_indices().filter(|(_, sign)| matches!(sign, '<' | '[' | '{')) {
        let close = closing(sign);
        let part = page.text[at..].char_indices().take(MAX_NAME).find(|(_, sign)| *sign == close);
        if let Some((end, _)) = part {
            let name = &page.text[at..=at + end];
            if alone.contains_key(name) {
                *all.entry(name).or_default() += 1;
            }
        }
    }
    let is_variable = |slot: &Slot| {
        let name = &page.plain[slot.plain.clone()];
        all.get(name).is_some_and(|count| *count > alone[name])
    };
    let variables: Vec<bool> = slots.iter().map(is_variable).collect();
    slots.into_iter().zip(variables).filter(|(_, is_variable)| !is_variable).map(|(slot, _)| slot).collect()
}

/// Characters of a variable's name with its brackets.
const MAX_NAME: usize = 60;
