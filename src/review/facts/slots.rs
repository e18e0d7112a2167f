//! Places of a template that nobody filled in: brackets that are all there is in a cell, in a line, after a label or in
//! a heading, `[Name]`, `<name of the owner>`, `\<Term>`.
//!
//! Some forms are clear by themselves: `[e.g., Rust or Go]`, several words after a label, a word of the label itself
//! (`Date: [DATE]`), a date's pattern. Others (`[link]`, `…`) count only in a document that has two of the clear ones or two
//! paragraphs in brackets: it is a template, and its brackets are places. What a document uses elsewhere, in code or in a
//! sentence, is the name of a variable and no place. Links, references, boxes and code are none.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use super::super::Hit;
use super::super::page::{Block, CODE, Kind, Page};
use super::template::is_of_template;
use super::values::{Value, values};

/// So many different places that are clear or described make a document a template.
const MIN_TELLING: usize = 2;
/// So many different places in square brackets make it one, too, in whatever language they are.
const MIN_PLACES: usize = 3;
/// They are of so many sections: the buttons of one page are not.
const MIN_SECTIONS: usize = 2;
/// Words of a description.
const MIN_DESCRIPTION: usize = 4;
/// Bytes of a place.
const MAX_BYTES: usize = 600;
/// Words of a place that one word of its label explains.
const MAX_NAME_WORDS: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Evidence {
    Clear,
    /// A paragraph of several words in brackets: one may be a remark.
    Described,
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
    let read = |(at, block): &(usize, &Block)| {
        !block.is_quoted && block.kind != Kind::Item(Some(true)) && !forms.contains(at)
    };
    let blocks = || page.blocks.iter().enumerate().filter(read).map(|(_, block)| block);
    let mut found: Vec<Slot> = blocks().flat_map(|block| slots_of(page, block)).collect();
    found.extend(repeated_headers(page));
    let mut found = without_variables(page, found);
    let telling = found.iter().filter(|slot| slot.evidence != Evidence::Likely);
    let texts: BTreeSet<&str> = telling.map(|slot| &page.plain[slot.plain.clone()]).collect();
    let has_places = has_places(page, &found);
    let is_template = has_places || texts.len() >= MIN_TELLING;
    let is_open = |slot: &Slot| slot.evidence == Evidence::Clear || is_template;
    if has_places {
        found.sort_by_key(|slot| slot.plain.start);
        let more: Vec<Slot> = blocks().flat_map(|block| within_lines(page, block, &found)).collect();
        found.extend(more);
    }
    found.into_iter().filter(is_open).map(|slot| Hit::at(page.source(slot.plain))).collect()
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

/// Enough different places in square brackets, in several sections.
fn has_places(page: &Page<'_>, found: &[Slot]) -> bool {
    let mut texts = BTreeSet::new();
    let mut sections = BTreeSet::new();
    for slot in found {
        let text = &page.plain[slot.plain.clone()];
        let is_place = inside_brackets(text).is_some_and(|(open, inner)| open == '[' && is_described(inner));
        let at = page.blocks.partition_point(|block| block.plain.start <= slot.plain.start);
        if is_place && texts.insert(text) {
            sections.insert(page.blocks[at.saturating_sub(1)].section);
        }
    }
    texts.len() >= MIN_PLACES && sections.len() >= MIN_SECTIONS
}

/// Words, and no id, citation or sign: `[REQ-3]`, `[Kim2019]`, `[HIGH]`, `[P - parallel]`, `[tool: grep]`.
fn is_described(inner: &str) -> bool {
    let is_sign = inner.chars().nth(1).is_none_or(|sign| sign == ' ');
    !is_sign
        && !inner.contains([':', '_'])
        && inner.contains(|sign: char| sign.is_lowercase() || sign.is_alphabetic() && !sign.is_ascii())
        && (inner.contains(' ') || !inner.contains(|sign: char| sign.is_ascii_digit()))
}

/// The first place within each line that is none as a whole: "As [a reader], I want [a book]".
fn within_lines(page: &Page<'_>, block: &Block, known: &[Slot]) -> Vec<Slot> {
    let is_name = matches!(block.kind, Kind::Value | Kind::Heading)
        || matches!(block.kind, Kind::Cell(cell) if cell.row == 0);
    if is_name || !page.text_of(block).contains('[') {
        return Vec::new();
    }
    let is_known = |line: &Range<usize>| {
        let next = known.partition_point(|slot| slot.plain.start < line.end);
        next > 0 && known[next - 1].plain.end > line.start
    };
    let lines = page.lines_of(block).into_iter().filter(|line| !is_known(line));
    lines
        .filter_map(|line| place_within(page, line))
        .map(|plain| Slot { plain, evidence: Evidence::Likely })
        .collect()
}

fn place_within(page: &Page<'_>, line: Range<usize>) -> Option<Range<usize>> {
    let text = &page.plain[line.clone()];
    let is_place = |(open, _): &(usize, &str)| {
        let (length, _) = text[*open..].char_indices().take(MAX_BYTES).find(|(_, sign)| *sign == ']')?;
        let inner = &text[open + 1..open + length];
        let before = text[..*open].chars().next_back();
        let after = text[open + length + 1..].chars().next();
        let plain = line.start + open..line.start + open + length + 1;
        let is_apart = !before
            .is_some_and(|sign| sign.is_ascii_alphanumeric() || "/_-\"“\\$@".contains(sign))
            && !after.is_some_and(|sign| sign.is_ascii_alphanumeric() || "([:/_-\"”".contains(sign));
        let is_open = is_apart
            && is_described(inner)
            && is_name(inner)
            && !is_answer(inner)
            && !inner.contains([CODE, '"']);
        let value = Value { label: "", text: &page.plain[plain.clone()], plain: plain.clone() };
        (is_open && !is_link(page, &value)).then_some(plain)
    };
    text.match_indices('[').find_map(|at| is_place(&at))
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
    if is_unfinished(block, value.text) || is_range(text) && is_field(block, value) {
        return Some(Evidence::Likely);
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
                || NAMES.contains(&inner) && (is_field(block, value) || block.kind == Kind::Heading)
        }
        '<' => words.len() > 1,
        _ => is_described && words.len() > 2,
    };
    let is_paragraph = block.kind == Kind::Paragraph && is_described && words.len() >= MIN_DESCRIPTION;
    Some(match (is_clear, is_paragraph) {
        (true, _) => Evidence::Clear,
        (false, true) => Evidence::Described,
        (false, false) => Evidence::Likely,
    })
}

/// "Done in version ..."
fn is_unfinished(block: &Block, text: &str) -> bool {
    let before = text.strip_suffix(" ...").or_else(|| text.strip_suffix(" …"));
    matches!(block.kind, Kind::Item(_)) && before.is_some_and(|before| before.ends_with(char::is_alphabetic))
}

/// `[1-13]`: a choice that nobody made.
fn is_range(text: &str) -> bool {
    let Some((lowest, highest)) = inside_brackets(text).and_then(|(_, inner)| inner.split_once(['-', '–']))
    else {
        return false;
    };
    [lowest, highest].iter().all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Something with a name has this value.
fn is_field(block: &Block, value: &Value<'_>) -> bool {
    !value.label.is_empty() && block.kind != Kind::Heading
}

/// Names of places that templates have without more words.
const NAMES: [&str; 16] = [
    "Address",
    "Amount",
    "Company",
    "Date",
    "Description",
    "Email",
    "Link",
    "Location",
    "Name",
    "Number",
    "Phone",
    "Role",
    "Team",
    "Time",
    "Title",
    "URL",
];

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

/// Cells that repeat their column's header in small letters, in a row with a lone `?`: `| name | date | ? |`.
fn repeated_headers(page: &Page<'_>) -> Vec<Slot> {
    let mut found = Vec::new();
    for (number, table) in page.tables.iter().enumerate() {
        let headers: Vec<&str> = page.row(number, 0).iter().map(|cell| page.text_of(cell).trim()).collect();
        let cells = &page.blocks[table.blocks.clone()];
        let row_of = |block: &Block| if let Kind::Cell(cell) = block.kind { cell.row } else { 0 };
        let is_left =
            |row: &&[Block]| !row[0].is_quoted && row.iter().any(|cell| page.text_of(cell).trim() == "?");
        for row in cells.chunk_by(|a, b| row_of(a) == row_of(b)).skip(1).filter(is_left) {
            let repeats = |(cell, header): &(&Block, &&str)| {
                let text = page.text_of(cell).trim();
                text != **header && text.eq_ignore_ascii_case(header)
            };
            let repeated = row.iter().zip(&headers).filter(repeats);
            found.extend(
                repeated.map(|(cell, _)| Slot { plain: cell.plain.clone(), evidence: Evidence::Clear }),
            );
        }
    }
    found
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
