//! Identifiers and references: what is defined twice, and what is referred to and doesn't exist.
//!
//! A place defines an identifier where it begins a heading, a paragraph, a list item or a row. Invariant: only
//! identifiers of a series (the same prefix, defined twice or more) count, so `UTF-8` refers to nothing.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use super::{Across, Hit, OnPage, hit, hit_on};
use crate::review::demand::{is_duty, label};
use crate::review::introduces;
use crate::review::page::{Anchor, Page, Table, Unit, UnitKind};
use crate::review::token::{CAPITAL, Kind, LINK, QUOTED, STRONG, Token};

/// A place that defines an identifier.
struct Definition<'t> {
    id: &'t str,
    range: Range<usize>,
    /// What the place is: in one group an identifier is defined once.
    group: (UnitKind, u32),
}

fn definitions<'t>(page: &Page<'t>) -> Vec<Definition<'t>> {
    let mut found = Vec::new();
    for unit in page.units.iter().filter(|unit| !unit.is_quotation) {
        let tokens = page.tokens_of(unit);
        let token = match unit.cell {
            Some(cell) if cell.row > 0 && cell.column == 0 => {
                tokens.first().filter(|token| token.kind == Kind::Id && tokens.len() == 1)
            }
            Some(_) => None,
            None => label(tokens).filter(|token| token.kind == Kind::Id),
        };
        let is_name = |token: &&Token| {
            ends_in_digit(page.word(token)) && !is_priority(page.word(token)) && !token.has(LINK)
        };
        let group = match unit.cell {
            Some(cell) => cell.table,
            None if unit.kind == UnitKind::Item => unit.section,
            None => 0,
        };
        let below = lines_below(page, unit, tokens);
        for token in token.into_iter().chain(below).filter(is_name) {
            found.push(Definition { id: page.word(token), range: token.range(), group: (unit.kind, group) });
        }
    }
    found
}

/// The labels `[F-2]` that begin further lines of a paragraph.
fn lines_below<'p>(page: &Page<'_>, unit: &Unit, tokens: &'p [Token]) -> impl Iterator<Item = &'p Token> {
    let is_label = |three: &&[Token]| {
        page.word(&three[1]) == "["
            && three[2].kind == Kind::Id
            && page.text[three[0].end as usize..three[1].start as usize].contains('\n')
    };
    tokens.windows(3).filter(is_label).map(|three| &three[2]).filter(|_| unit.cell.is_none())
}

/// `P0` to `P5` say how urgent something is, `Q1` to `Q4` when it is done.
fn is_priority(id: &str) -> bool {
    matches!(id.as_bytes(), [b'P', b'0'..=b'5'] | [b'Q', b'1'..=b'4'])
}

/// At most so many of 100 identifiers of a group are repeated: where many are, repeating is the form.
const MAX_REPEATED_PERCENT: usize = 25;

pub fn duplicates(on: &OnPage<'_, '_>) -> Vec<Hit> {
    let mut all = definitions(on.page);
    // "FM4: Test the bond" in a list of tasks is about the section FM4.
    let is_heading = |one: &&Definition<'_>| one.group.0 == UnitKind::Heading;
    let headings: BTreeSet<&str> = all.iter().filter(is_heading).map(|one| one.id).collect();
    all.retain(|one| one.group.0 == UnitKind::Heading || !headings.contains(one.id));
    let mut groups: BTreeMap<(u8, u32), Vec<&Definition<'_>>> = BTreeMap::new();
    for one in &all {
        groups.entry((one.group.0 as u8, one.group.1)).or_default().push(one);
    }
    let mut found: Vec<Hit> = groups.values().flat_map(|group| repeated(on, group)).collect();
    let known: BTreeSet<usize> = found.iter().map(|hit| hit.range.start).collect();
    found.extend(restated(on, &all).into_iter().filter(|hit| !known.contains(&hit.range.start)));
    found
}

/// The identifier is defined here for the second time.
fn second(page: &Page<'_>, one: &Definition<'_>, first: &Definition<'_>) -> Hit {
    let line = page.line(first.range.start).to_string();
    Hit { related: vec![(0, first.range.clone())], ..hit(one.range.clone()).with("line", line) }
}

fn repeated(on: &OnPage<'_, '_>, group: &[&Definition<'_>]) -> Vec<Hit> {
    let mut first: HashMap<&str, &Definition<'_>> = HashMap::new();
    let mut found = Vec::new();
    for one in group {
        match first.get(one.id) {
            None => {
                first.insert(one.id, one);
            }
            Some(other) => found.push(second(on.page, one, other)),
        }
    }
    // Rows of a table may repeat what they belong to; a single slip in a list is no form.
    let demands = || group.iter().all(|one| demand_of(on, one, false).is_some());
    let is_slip = found.len() == 1
        && group.first().is_some_and(|one| one.group.0 != UnitKind::Cell)
        && (first.len() >= 2 || demands());
    let is_form = found.len() * 100 > first.len() * MAX_REPEATED_PERCENT;
    if is_form && !is_slip { Vec::new() } else { found }
}

/// Two items or paragraphs that both begin with the identifier, say "shall" and say different things. What tests,
/// tells or lists requirements repeats many of their identifiers, and demands nothing with them.
fn restated(on: &OnPage<'_, '_>, all: &[Definition<'_>]) -> Vec<Hit> {
    let mut first: HashMap<&str, (&Definition<'_>, Vec<&str>)> = HashMap::new();
    let mut found = Vec::new();
    let referring = referring_groups(all);
    for one in all.iter().filter(|one| matches!(one.group.0, UnitKind::Item | UnitKind::Paragraph)) {
        let words =
            demand_of(on, one, true).filter(|_| !referring.contains(&(one.group.0 as u8, one.group.1)));
        let Some(words) = words else { continue };
        match first.get(one.id) {
            None => {
                first.insert(one.id, (one, words));
            }
            Some((other, before)) if *before != words => found.push(second(on.page, one, other)),
            Some(_) => {}
        }
    }
    found
}

/// The lists most of whose identifiers are defined above already.
fn referring_groups(all: &[Definition<'_>]) -> BTreeSet<(u8, u32)> {
    let mut known: HashMap<&str, (UnitKind, u32)> = HashMap::new();
    let mut counts: BTreeMap<(u8, u32), (usize, usize)> = BTreeMap::new();
    for one in all {
        let is_above = *known.entry(one.id).or_insert(one.group) != one.group;
        let (all, above) = counts.entry((one.group.0 as u8, one.group.1)).or_default();
        (*all, *above) = (*all + 1, *above + usize::from(is_above));
    }
    let is_referring = |(all, above): &(usize, usize)| *above >= 2 && above * 2 >= *all;
    counts.into_iter().filter(|(_, count)| is_referring(count)).map(|(group, _)| group).collect()
}

/// The words of the demand that begins with this identifier; none where it demands nothing, or has no "shall" where
/// one is needed.
fn demand_of<'t>(on: &OnPage<'_, 't>, one: &Definition<'_>, needs_shall: bool) -> Option<Vec<&'t str>> {
    let page = on.page;
    let at = page.units.partition_point(|unit| unit.start as usize <= one.range.start).checked_sub(1)?;
    let unit = &page.units[at];
    let has_id = |sentence: &&[Token]| {
        Page::span(sentence).is_some_and(|span| span.start <= one.range.start && span.end > one.range.end)
    };
    let sentence = page.sentences_of(unit).find(has_id)?;
    let demands = on.rule.is_for(unit.kinds)
        && !introduces(page, sentence)
        && (!needs_shall || on.rules.binding.is_in(sentence))
        && is_duty(page, unit, sentence, on.rules);
    let after = sentence.iter().filter(|token| token.start as usize >= one.range.end);
    demands.then(|| after.filter(|token| token.kind != Kind::Sign).map(|token| page.word(token)).collect())
}

/// `RET` of `RET-21`, `D` of `D213`.
fn prefix(id: &str) -> &str {
    id.trim_end_matches(|found: char| found.is_ascii_digit() || found == '.').trim_end_matches('-')
}

/// So many identifiers with a prefix are a series; with a dot fewer may be versions of a product (`OCP-4.2`).
const MIN_SERIES: usize = 2;
const MIN_DOTTED: usize = 4;

pub fn dangling(across: &Across<'_, '_>) -> Vec<Hit> {
    let mut known: BTreeSet<&str> = BTreeSet::new();
    let mut series: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut referring: BTreeSet<(u32, u32)> = BTreeSet::new();
    let defined: Vec<Vec<Definition<'_>>> = across.pages.iter().map(definitions).collect();
    let is_cell = |one: &&Definition<'_>| one.group.0 == UnitKind::Cell;
    let labels: BTreeSet<&str> =
        defined.iter().flatten().filter(|one| !is_cell(one)).map(|one| one.id).collect();
    for (number, page) in (0..).zip(across.pages) {
        referring.extend(referring_tables(page, &labels).map(|table| (number, table)));
    }
    for (number, (page, defined)) in (0..).zip(across.pages.iter().zip(&defined)) {
        let title = page.sections.iter().find(|section| section.level == 1).and_then(|one| one.heading);
        let title = title.map_or(0..0, |unit| page.units[unit as usize].start..page.units[unit as usize].end);
        for one in defined.iter().filter(|one| !is_cell(one) || !referring.contains(&(number, one.group.1))) {
            known.insert(one.id);
            // A document's own number, in its title, makes no series: others of its kind are elsewhere.
            if !title.contains(&(one.range.start as u32)) {
                series.entry(prefix(one.id)).or_default().insert(one.id);
            }
        }
    }
    known.extend(across.pages.iter().flat_map(in_front_matter));
    known.extend(across.pages.iter().flat_map(named));
    // `[GH-239](https://…)` and `review-of-L08.md`: these are numbers of another place.
    let names = across.pages.iter().flat_map(|page| page.path.split(['/', '.', '_', '-', ' ']));
    let names = names.filter(|name| ends_in_digit(name) && !prefix(name).is_empty());
    across.pages.iter().flat_map(linked).chain(names).for_each(|id| drop(series.remove(prefix(id))));
    let mut found = Vec::new();
    for (number, page) in (0..).zip(across.pages) {
        let units = page.units.iter().filter(|unit| !unit.is_quotation && across.rule.is_for(unit.kinds));
        for unit in units {
            let is_referring = unit.cell.is_some_and(|cell| referring.contains(&(number, cell.table)));
            let label = label(page.tokens_of(unit)).filter(|_| !is_referring).map(|token| token.start);
            let is_known =
                |token: &Token| across.rule.set("known").at(std::slice::from_ref(token), 0).is_some();
            for token in page.tokens_of(unit) {
                let id = page.word(token);
                let is_reference = token.kind == Kind::Id
                    && token.flags & (QUOTED | LINK) == 0
                    && Some(token.start) != label;
                let least = if id.contains('.') { MIN_DOTTED } else { MIN_SERIES };
                let is_series =
                    || series.get(prefix(id)).is_some_and(|all| all.len() >= least && fits(all, id));
                let is_open = is_reference && !known.contains(id) && !is_priority(id) && ends_in_digit(id);
                if is_open && is_series() && !is_known(token) {
                    found.push(Hit { page: number, ..hit(token.range()).with("series", prefix(id)) });
                }
            }
        }
    }
    without_foreign(across, &series, found)
}

/// A series is another document's where the ids that are not defined are more than a third of those that are.
fn without_foreign(
    across: &Across<'_, '_>,
    series: &BTreeMap<&str, BTreeSet<&str>>,
    mut found: Vec<Hit>,
) -> Vec<Hit> {
    let id = |hit: &Hit| &across.pages[hit.page as usize].text[hit.range.clone()];
    let mut missing: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for hit in &found {
        missing.entry(prefix(id(hit))).or_default().insert(id(hit));
    }
    let count = |all: Option<&BTreeSet<&str>>| all.map_or(0, BTreeSet::len);
    found.retain(|hit| {
        let series_of = prefix(id(hit));
        count(missing.get(series_of)) <= (count(series.get(series_of)) / 3).max(1)
    });
    found
}

/// The identifiers of a heading ("T-5 and T-6: errors"), and those that begin a line.
fn named<'t>(page: &Page<'t>) -> impl Iterator<Item = &'t str> {
    let ids = |unit| page.tokens_of(unit).iter().filter(|token| token.kind == Kind::Id);
    let is_name =
        |unit: &Unit, token: &Token| unit.kind == UnitKind::Heading || is_first_of_line(page, token);
    let all = page.units.iter().flat_map(move |unit| ids(unit).filter(move |token| is_name(unit, token)));
    all.map(|token| page.word(token))
}

fn in_front_matter<'t>(page: &Page<'t>) -> impl Iterator<Item = &'t str> {
    let fields = page.units.iter().filter(|unit| unit.kind == UnitKind::Field);
    let ids = fields.flat_map(|unit| page.tokens_of(unit)).filter(|token| token.kind == Kind::Id);
    ids.map(|token| page.word(token))
}

/// The identifiers in the texts of links that leave the document.
fn linked<'t>(page: &Page<'t>) -> impl Iterator<Item = &'t str> {
    let mut anchors = page.anchors.iter().peekable();
    let links = page.tokens.iter().filter(move |token| {
        while anchors.next_if(|anchor| anchor.range.end <= token.start as usize).is_some() {}
        let is_inside = anchors.peek().is_some_and(|anchor| anchor.range.start <= token.start as usize);
        token.kind == Kind::Id && token.has(LINK) && !is_inside
    });
    links.map(|token| page.word(token))
}

/// Tables whose rows begin with identifiers that are mostly defined elsewhere, as those of tests and traces do.
fn referring_tables(page: &Page<'_>, labels: &BTreeSet<&str>) -> impl Iterator<Item = u32> {
    let is_referring = |table: &Table| {
        let cells = &page.units[table.units.start as usize..table.units.end as usize];
        let first =
            cells.iter().filter(|unit| unit.cell.is_some_and(|cell| cell.row > 0 && cell.column == 0));
        let ids =
            first.filter_map(|unit| page.tokens_of(unit).first().filter(|token| token.kind == Kind::Id));
        let (all, elsewhere) = ids.fold((0, 0), |(all, elsewhere), token| {
            (all + 1, elsewhere + usize::from(labels.contains(page.word(token))))
        });
        elsewhere >= 2 && elsewhere * 2 >= all
    };
    let tables: Vec<u32> =
        (0..).zip(&page.tables).filter(|(_, one)| is_referring(one)).map(|(at, _)| at).collect();
    tables.into_iter()
}

/// Numbers of a registry elsewhere (RFC 2119, RFC 8174) lie far apart: so many times as far as there are identifiers.
const MAX_SPREAD: u64 = 20;

/// The identifier is one of this document's series: no shorter than all of them (`HPC-2` beside `HPC-020` is the name
/// of something else), and the series is no registry.
fn fits(series: &BTreeSet<&str>, id: &str) -> bool {
    let digits = |id: &str| id.len() - prefix(id).len();
    let number = |id: &&str| id[prefix(id).len()..].trim_start_matches('-').parse::<u64>().ok();
    let numbers: Vec<u64> = series.iter().filter_map(number).chain(number(&id)).collect();
    let spread = numbers.iter().max().zip(numbers.iter().min()).map_or(0, |(most, least)| most - least);
    let is_registry = digits(id) >= 4 && spread > MAX_SPREAD * series.len() as u64;
    // `OCP-4.2` is a version of something, where the others are `OCP-1`, `OCP-2`.
    let is_alike = |one: &&str| digits(one) <= digits(id) && one.contains('.') == id.contains('.');
    !is_registry && series.iter().any(is_alike)
}

fn ends_in_digit(id: &str) -> bool {
    id.ends_with(|last: char| last.is_ascii_digit())
}

/// What can be referred to by "section 4", "Annex B", "option D".
struct Parts {
    sections: BTreeSet<String>,
    annexes: BTreeSet<String>,
    options: BTreeSet<String>,
    /// Headings below the title: a larger number is the number of no section, even where they are not written.
    count: usize,
    /// The headings, in lower case.
    headings: BTreeSet<String>,
}

impl Parts {
    fn of_page(page: &Page<'_>) -> Parts {
        let mut parts = Parts {
            sections: BTreeSet::new(),
            annexes: BTreeSet::new(),
            options: BTreeSet::new(),
            count: page.sections.len().saturating_sub(1),
            headings: BTreeSet::new(),
        };
        for unit in &page.units {
            let tokens = page.tokens_of(unit);
            let word = |at: usize| tokens.get(at).map(|token| page.word(token).to_lowercase());
            if unit.kind == UnitKind::Heading {
                parts.headings.insert(one_line(page.unit_text(unit)));
                // "V3.4 Cookies" is referred to as section 3.4.
                let number = word(0).unwrap_or_default();
                let number =
                    number.trim_start_matches(|sign: char| sign.is_ascii_alphabetic() || sign == '-');
                if number.starts_with(|sign: char| sign.is_ascii_digit()) {
                    parts.sections.insert(number.to_owned());
                }
                match word(0).as_deref() {
                    Some("annex" | "appendix") => parts.annexes.extend(word(1)),
                    Some("section" | "chapter") => parts.sections.extend(word(1)),
                    Some("option" | "alternative" | "variant") => parts.options.extend(word(1)),
                    _ => parts.options.extend(lettered(page, tokens)),
                }
            }
            // "4.2 When nobody is found" is referred to as section 4.2, "**A. Keep it.**" as option A.
            if let Some(first) = tokens.first().filter(|_| unit.kind != UnitKind::Heading) {
                if first.kind == Kind::Number && page.word(first).contains('.') {
                    parts.sections.insert(page.word(first).to_owned());
                }
                // "**1.** Intake" is referred to as section 1.
                if first.kind == Kind::Number && first.has(STRONG) {
                    parts.sections.insert(page.word(first).trim_end_matches('.').to_owned());
                }
                // Plain text numbers its headings without marking them: "4.1	Search" on a line of its own.
                let begins_line =
                    |token: &&Token| token.kind == Kind::Number && is_first_of_line(page, token);
                parts.sections.extend(tokens.iter().filter(begins_line).map(|one| page.word(one).to_owned()));
                let is_letter =
                    first.end - first.start == 1 && first.has(STRONG) && word(1).as_deref() == Some(".");
                if is_letter {
                    parts.options.extend(word(0));
                }
                if matches!(word(0).as_deref(), Some("option" | "alternative" | "variant")) {
                    parts.options.extend(word(1));
                }
            }
        }
        parts
    }
}

/// The letter of "C: Add a list" and "(Optional) C. Add a list".
fn lettered(page: &Page<'_>, heading: &[Token]) -> Option<String> {
    let is_sign = |token: &Token, signs: &[&str]| signs.contains(&page.word(token));
    let in_brackets = heading.first().is_some_and(|first| is_sign(first, &["(", "["]));
    let end = heading.iter().position(|token| is_sign(token, &[")", "]"])).filter(|_| in_brackets);
    let [letter, sign, ..] = heading.get(end.map_or(0, |end| end + 1)..)? else { return None };
    let is_letter = letter.has(CAPITAL) && letter.end - letter.start == 1;
    (is_letter && is_sign(sign, &[":", ".", ")", "-", "\u{2014}"])).then(|| page.word(letter).to_lowercase())
}

/// In lower case, with one blank between words.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

fn is_first_of_line(page: &Page<'_>, token: &Token) -> bool {
    let start = token.start as usize;
    let line = &page.text[page.lines[page.line(start) - 1] as usize..start];
    line.trim_start().is_empty()
}

pub fn sections(across: &Across<'_, '_>) -> Vec<Hit> {
    let mut found = Vec::new();
    let pages = (0..).zip(across.pages).filter(|(_, page)| !page.register.is_unjudged);
    for (number, page) in pages {
        let on = OnPage { page, rules: across.rules, rule: across.rule };
        found.extend(in_page(across, &on).into_iter().map(|hit| Hit { page: number, ..hit }));
    }
    found
}

fn in_page(across: &Across<'_, '_>, on: &OnPage<'_, '_>) -> Vec<Hit> {
    let page = on.page;
    let mut found = Vec::new();
    let (mut parts, mut uses) = (None, None);
    let units = page.units.iter().filter(|unit| !unit.is_quotation && unit.kind != UnitKind::Heading);
    for unit in units.filter(|unit| on.rule.is_for(unit.kinds)) {
        for sentence in page.sentences_of(unit) {
            for at in (0..sentence.len()).filter(|at| part_name(page, &sentence[*at]).is_some()) {
                let parts = parts.get_or_insert_with(|| Parts::of_page(page));
                let is_annex = part_name(page, &sentence[at]).is_some_and(|name| name.starts_with('a'));
                if is_annex && parts.annexes.is_empty() && has_annexes(across, page) {
                    continue;
                }
                found.extend(numbered(on, parts, sentence, at));
                found.extend(titled(on, parts, sentence, at));
                found.extend(unknown_document(on, &mut uses, sentence, at));
            }
        }
    }
    anchors(page, &mut found);
    found
}

/// Another document of the folder is an annex.
fn has_annexes(across: &Across<'_, '_>, page: &Page<'_>) -> bool {
    let names = |other: &&Page<'_>| {
        let path = other.path.to_ascii_lowercase();
        other.folder() == page.folder() && (path.contains("appendix") || path.contains("annex"))
    };
    across.pages.iter().take(MAX_PAGES).any(|other| names(&other))
}

/// So many documents are looked at for annexes.
const MAX_PAGES: usize = 1_000;

/// The kind of part that this word names, in lower case.
fn part_name(page: &Page<'_>, token: &Token) -> Option<&'static str> {
    const NAMES: [&str; 6] = ["section", "sections", "chapter", "annex", "appendix", "option"];
    let word = page.word(token);
    let is_name = token.kind == Kind::Word && !token.has(QUOTED) && (5..=8).contains(&word.len());
    is_name.then(|| NAMES.into_iter().find(|name| word.eq_ignore_ascii_case(name)))?
}

/// No document has so many sections.
const MIN_LAW_SECTION: usize = 100;

/// "section 9", where there is none.
fn numbered(on: &OnPage<'_, '_>, parts: &Parts, sentence: &[Token], at: usize) -> Option<Hit> {
    let page = on.page;
    let (name, next) = (part_name(page, &sentence[at])?, sentence.get(at + 1)?);
    let target = page.word(next);
    let there = match name {
        "annex" | "appendix" => &parts.annexes,
        "option" => &parts.options,
        _ => &parts.sections,
    };
    let is_letter = next.kind == Kind::Word && target.len() == 1 && target.as_bytes()[0].is_ascii_uppercase();
    let is_label = next.kind == Kind::Number && name != "option" || is_letter;
    // "Section 3.0" is section 3.
    let is_missing =
        !there.contains(&target.to_lowercase()) && !there.contains(target.trim_end_matches(".0"));
    // A document without numbered sections counts them, or means those of another one.
    let nth = target.split('.').next().and_then(|first| first.parse::<usize>().ok());
    let is_beyond = name == "section" && nth.is_some_and(|nth| nth > parts.count && nth < 100);
    let has_kind = !there.is_empty() || name.starts_with('a') || is_beyond;
    // "Section 508" is one of a law, and "- Section 5.4 Design: …" begins a list of what another document has.
    // The text of a link names what is elsewhere.
    let is_of_law = sentence[at].has(LINK) || nth.is_some_and(|nth| nth >= MIN_LAW_SECTION);
    let names_it = sentence.get(at + 2).is_some_and(|next| {
        next.has(CAPITAL) || matches!(page.word(next), "(" | "-" | ":" | "\u{2013}" | "\u{2014}")
    });
    if is_of_law
        || at == 0 && names_it
        || !is_label
        || !is_missing
        || !has_kind
        || is_elsewhere(on, sentence, at)
    {
        return None;
    }
    let known: Vec<&str> = there.iter().map(String::as_str).collect();
    let known = if known.is_empty() { "none".to_owned() } else { known.join(", ").to_uppercase() };
    Some(hit(sentence[at].start as usize..next.end as usize).with("known", known))
}

/// `section "Signing keys"` and "in the appendix" where no heading says so.
fn titled(on: &OnPage<'_, '_>, parts: &Parts, sentence: &[Token], at: usize) -> Option<Hit> {
    let page = on.page;
    let word = |at: usize| sentence.get(at).map_or("", |token| page.word(token));
    let name = part_name(page, &sentence[at])?;
    let is_quoted = matches!(name, "section" | "chapter") && matches!(word(at + 1), "\"" | "\u{201c}");
    let is_annex = matches!(name, "appendix" | "annex")
        && at > 1
        && word(at - 1) == "the"
        && word(at - 2) == "in"
        && matches!(word(at + 1), "" | "." | "," | ";" | ")");
    let (wanted, end) = if is_annex {
        (name.to_owned(), at + 1)
    } else if is_quoted {
        let end = at + 2 + sentence[at + 2..].iter().take_while(|token| token.has(QUOTED)).count();
        let title = sentence.get(at + 2..end)?;
        if !title.first()?.has(CAPITAL) {
            return None;
        }
        (one_line(&page.text[Page::span(title)?]), end)
    } else {
        return None;
    };
    let is_here = parts.headings.iter().any(|heading| heading.contains(&wanted));
    let is_gone = on.rule.set("gone").is_in(&sentence[at.saturating_sub(2)..at]);
    if is_here || is_gone || is_quoted && is_elsewhere_after(on, &sentence[end..]) {
        return None;
    }
    hit_on(&sentence[at..end]).map(|hit| hit.with("known", NO_HEADING))
}

/// "as SRS-PWR section 4 details", where nothing else in the document says what SRS-PWR is.
fn unknown_document<'t>(
    on: &OnPage<'_, 't>,
    uses: &mut Option<HashMap<&'t str, usize>>,
    sentence: &[Token],
    at: usize,
) -> Option<Hit> {
    let page = on.page;
    let (name, number) = (sentence.get(at.checked_sub(1)?)?, sentence.get(at + 1)?);
    let is_name = name.kind == Kind::Id && !ends_in_digit(page.word(name)) && !name.has(LINK);
    if !is_name || number.kind != Kind::Number {
        return None;
    }
    let uses = uses.get_or_insert_with(|| {
        let mut uses = HashMap::new();
        let ids = page.tokens.iter().filter(|token| token.kind == Kind::Id);
        ids.for_each(|token| *uses.entry(page.word(token)).or_default() += 1);
        uses
    });
    let is_only = uses.get(page.word(name)) == Some(&1);
    is_only.then(|| hit(name.start as usize..number.end as usize).with("known", "no such document is named"))
}

/// `" of the handbook`.
fn is_elsewhere_after(on: &OnPage<'_, '_>, after: &[Token]) -> bool {
    let names = after.iter().take(2).any(|token| matches!(on.page.word(token), "of" | "in"));
    names && !on.rule.set("here").is_in(&after[..after.len().min(8)])
}

/// So many tokens before a part may name its document.
const NEAR: usize = 40;

/// "section 257 of the Budget Code", "the logging standard, section 3", "RFC 2119 section 6", "[section 3](url)".
fn is_elsewhere(on: &OnPage<'_, '_>, sentence: &[Token], at: usize) -> bool {
    let page = on.page;
    let after = &sentence[at + 2..];
    let before = &sentence[..at];
    let of =
        after.iter().take(1).any(|token| matches!(page.word(token), "of" | "in" | "to" | "from" | "under"))
            && !on.rule.set("here").is_in(&after[..after.len().min(8)]);
    let last = before.last();
    let named = last.is_some_and(|last| {
        matches!(last.kind, Kind::Id | Kind::Number | Kind::Code)
            || matches!(page.word(last), "'s" | "s")
            || {
                page.word(last) == ","
                    && before.len() >= 2
                    && before[before.len() - 2].kind != Kind::Sign
                    && before.len() <= 200
            }
    });
    // "EMA (Annex 11)", "GCP E6(R2) section 8"
    let outside = before.iter().rev().find(|token| !matches!(page.word(token), "(" | ")"));
    let is_name = |token: &Token| token.has(CAPITAL) && before.len() > 1 || token.kind == Kind::Id;
    let capital = outside.is_some_and(is_name);
    // "See <https://…>, sections 5.1 and Appendix A"
    of || named || capital || before.iter().rev().take(NEAR).any(|token| token.has(LINK))
}

/// Links to headings of the document that don't exist.
fn anchors(page: &Page<'_>, found: &mut Vec<Hit>) {
    if page.anchors.is_empty() {
        return;
    }
    let mut slugs: BTreeSet<String> = BTreeSet::new();
    let mut counts: HashMap<String, usize> = HashMap::new();
    for section in &page.sections {
        let Some(unit) = section.heading.map(|unit| &page.units[unit as usize]) else { continue };
        let text = page.text[unit.start as usize..unit.end as usize].trim_start_matches('#').trim();
        let base = slug(&without_tags(text));
        // Of `__bold__` words the signs are no part of the anchor.
        let plain: Vec<&str> = base.split('-').map(|word| word.trim_matches('_')).collect();
        slugs.insert(plain.join("-"));
        let before = counts.entry(base.clone()).or_insert(0_usize);
        slugs.insert(if *before == 0 { base } else { format!("{base}-{before}") });
        *before += 1;
    }
    // Documents with anchors of their own (`<a name=…>`, `{#id}`) have more targets than headings.
    let names = |range: &Range<usize>| {
        let html = &page.text[range.clone()];
        html.contains("name=") || html.contains("id=")
    };
    let has_own = page.html.iter().any(names) || page.text.contains("{#");
    let is_heading = |anchor: &&Anchor| !anchor.target.is_empty() && !anchor.target.contains('=');
    let anchors: Vec<&Anchor> = page.anchors.iter().filter(|anchor| !has_own && is_heading(anchor)).collect();
    let is_known = |target: &String| slugs.contains(target) || slugs.contains(&slug(target));
    let missing: Vec<&&Anchor> = anchors.iter().filter(|anchor| !is_known(&anchor.target)).collect();
    // A table of contents without its chapters is one finding.
    let (shown, more) = if missing.len() > MAX_MISSING { (1, missing.len() - 1) } else { (missing.len(), 0) };
    for anchor in &missing[..shown] {
        let known = nearest(&slugs, &anchor.target);
        let known = if more > 0 { format!("{known}; {more} more links lead nowhere") } else { known };
        found.push(hit(anchor.range.clone()).with("known", known));
    }
}

/// Of more links to no heading only the first is a finding, which counts the others.
const MAX_MISSING: usize = 5;
const NO_HEADING: &str = "none with a name like it";

fn nearest(slugs: &BTreeSet<String>, target: &str) -> String {
    let known: Vec<&str> = slugs.iter().map(String::as_str).collect();
    crate::finding::nearest(target, &known).map_or(NO_HEADING.to_owned(), |near| format!("#{near}"))
}

/// A heading without `<code>` and other tags, signs such as `&lt;`, and the targets of its links.
fn without_tags(heading: &str) -> String {
    let heading = ["&lt;", "&gt;", "&amp;", "&quot;"]
        .iter()
        .fold(heading.to_owned(), |text, sign| text.replace(sign, ""));
    let (mut end, mut before) = (None, ' ');
    let mut signs = heading.chars().peekable();
    let mut kept = String::with_capacity(heading.len());
    while let Some(found) = signs.next() {
        let mut is_tag = || signs.peek().is_some_and(|next| next.is_alphabetic() || *next == '/');
        end = match (end, found) {
            (None, '<') if is_tag() => Some('>'),
            (None, '(') if before == ']' => Some(')'),
            (Some(end), found) if end == found => None,
            (end, _) => end,
        };
        kept.extend((end.is_none() && found != '>').then_some(found));
        before = found;
    }
    kept
}

/// The anchor that GitHub gives a heading.
fn slug(heading: &str) -> String {
    let text: String = match heading.rfind("{#") {
        Some(at) => heading[..at].trim_end().to_owned(),
        None => heading.to_owned(),
    };
    text.trim()
        .chars()
        .filter_map(|found| match found {
            ' ' => Some('-'),
            '-' | '_' => Some(found),
            _ if found.is_alphanumeric() => found.to_lowercase().next(),
            _ => None,
        })
        .collect()
}
