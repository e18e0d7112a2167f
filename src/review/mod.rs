//! What documents leave open: rules and measures over plain texts, as findings with a place and a quotation.
//!
//! No I/O, no clock, no model: the same texts and rules give the same findings in the same order, in time linear
//! in the text. Invariant: `quote` is the text of the document at `line` and `column`.
//!
//! ```
//! use roundtable::review::{Document, Options, Rules, review};
//!
//! let document = Document { path: "a.md", text: "The list must be shown quickly.\n" };
//! let found = review(&[document], &Rules::built_in().unwrap(), &Options::default());
//! assert_eq!((found.findings[0].line, found.findings[0].quote.as_str()), (1, "must be shown quickly"));
//! ```

mod data;
mod demand;
mod file;
mod firsts;
mod ignore;
mod measures;
mod page;
mod pattern;
mod phrases;
pub mod rule;
mod scope;
#[cfg(test)]
mod tests;
mod token;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use demand::{label, reads, register, style_at};
use firsts::Seen;
use page::{Cursor, Page, Style, Unit};
use pattern::Set;
use rule::Where;
pub use rule::{Rule, Rules, Severity};
use serde::Serialize;
use token::{Kind, QUOTED, STRONG, Token};

/// A document to be reviewed; the ending of the path says what it is (`.json`, `.csv`, `.yaml`, else Markdown). A
/// recording of a discussion (`.jsonl`) is not judged: its decisions are what other lines may contradict.
#[derive(Clone, Copy, Debug)]
pub struct Document<'t> {
    pub path: &'t str,
    pub text: &'t str,
}

/// The other place of a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Related {
    pub path: String,
    pub line: usize,
    pub quote: String,
}

/// A rule's result at a place. Lines and columns count from 1, columns in characters; the end is exclusive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    pub rule: String,
    pub severity: Severity,
    pub persona: String,
    pub path: String,
    pub line: usize,
    pub column: usize,
    pub end_line: usize,
    pub end_column: usize,
    /// The exact text at that place.
    pub quote: String,
    /// The heading above it; of data, the path inside (`stories[2].criteria`).
    pub heading: String,
    pub message: String,
    pub why: String,
    pub suggestion: String,
    pub reference: String,
    pub related: Vec<Related>,
    /// Answers to choose from, where the rule offers any.
    pub options: Vec<String>,
    /// A note on the wording of a document that explains and argues: counted, and shown only where it is asked for.
    #[serde(skip)]
    pub is_aside: bool,
}

/// What is asked of a review.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Rules that are not run.
    pub off: BTreeSet<String>,
    /// Severities that replace those of the rules.
    pub severity: BTreeMap<String, Severity>,
    /// Only these rules; all where none is named.
    pub rules: BTreeSet<String>,
    /// Only rules of these personas.
    pub personas: BTreeSet<String>,
    /// The documents are answers of an analysis: what they say holds, in whatever style, and may contradict.
    pub are_answers: bool,
}

impl Options {
    fn runs(&self, rule: &Rule) -> bool {
        let named = |names: &BTreeSet<String>, name: &String| names.is_empty() || names.contains(name);
        !self.off.contains(&rule.file.rule)
            && named(&self.rules, &rule.file.rule)
            && named(&self.personas, &rule.file.persona)
    }
}

/// All findings, by path and place.
#[derive(Clone, Debug, Default)]
pub struct Review {
    pub findings: Vec<Finding>,
    pub documents: usize,
    pub lines: usize,
    /// Findings that a `roundtable-ignore` comment silenced.
    pub suppressed: usize,
    /// Those of them whose comment gives no reason.
    pub unexplained: usize,
}

/// A finding before its words are made.
#[derive(Clone, Debug)]
pub struct Hit {
    rule: u16,
    page: u32,
    range: Range<usize>,
    /// Values for the message, by name.
    values: Vec<(&'static str, String)>,
    related: Vec<(u32, Range<usize>)>,
}

/// Documents of this size together are read side by side: for less, threads take longer to begin than the work.
const PARALLEL_BYTES: usize = 128 * 1024;
/// Larger documents are cut here: places are 32-bit numbers.
const MAX_BYTES: usize = 1 << 30;

/// Reviews documents together.
pub fn review(documents: &[Document<'_>], rules: &Rules, options: &Options) -> Review {
    let bytes: usize = documents.iter().map(|document| document.text.len()).sum();
    let (records, documents): (Vec<_>, Vec<_>) =
        documents.iter().copied().partition(|document| is_recording(document.path));
    let active: Vec<bool> = rules.rules.iter().map(|rule| options.runs(rule)).collect();
    let mut pages = side_by_side(&documents, 0, &|document| document.text.len(), &|_, document| {
        read_page(document, rules)
    });
    let lines = pages.iter().map(Page::line_count).sum();
    pages.extend(records.iter().map(|record| read_page(record, rules)));
    let on_each = |pages: &[Page<'_>]| {
        let judged = |number, page: &Page<'_>| judge(page, number, rules, &active);
        side_by_side(&pages[..documents.len()], 0, &|page| page.text.len(), &judged)
    };
    let together =
        |pages: &[Page<'_>]| judge_together(pages, documents.len(), rules, &active, bytes > PARALLEL_BYTES);
    let (hits, more) = if options.are_answers {
        let hits = on_each(&pages);
        for page in &mut pages[..documents.len()] {
            page.register.style = Style::Specification;
            page.units.iter_mut().for_each(|unit| unit.style = Style::Specification);
        }
        (hits, together(&pages))
    } else if bytes > PARALLEL_BYTES {
        rayon_core::join(|| on_each(&pages), || together(&pages))
    } else {
        (on_each(&pages), together(&pages))
    };
    let hits = hits.into_iter().flatten().chain(more).collect();
    let hits = without_overlaps(hits, rules);
    let (hits, silenced) = ignore::apply(&pages, hits, rules, &active);
    let hits = folded(&pages, hits, rules);
    let mut cursor = Cursor::default();
    let found = hits.iter().map(|hit| finding(hit, &pages, rules, options, &mut cursor));
    let mut findings: Vec<Finding> = found.collect();
    findings.sort_by(|a, b| {
        let place = |one: &Finding| (one.line, one.column, one.severity);
        a.path.cmp(&b.path).then(place(a).cmp(&place(b))).then_with(|| a.rule.cmp(&b.rule))
    });
    let ignore::Silenced { all: suppressed, unexplained } = silenced;
    Review { findings, documents: documents.len(), lines, suppressed, unexplained }
}

fn is_recording(path: &str) -> bool {
    path.ends_with(".jsonl")
}

/// The findings of the rules that need all pages; of much text the rules run side by side.
fn judge_together(
    pages: &[Page<'_>],
    documents: usize,
    rules: &Rules,
    active: &[bool],
    is_parallel: bool,
) -> Vec<Hit> {
    let (pages, records) = pages.split_at(documents);
    let measured = (0_u16..).zip(&rules.rules).filter(|(at, _)| active[usize::from(*at)]);
    let across = measured.filter_map(|(at, rule)| match rule.measure {
        Some(measures::Measure::Across(measure)) => Some((at, rule, measure)),
        _ => None,
    });
    let run = |(at, rule, measure): (u16, _, fn(&measures::Across<'_, '_>) -> Vec<Hit>)| {
        let mut hits = measure(&measures::Across { pages, records, rules, rule });
        hits.iter_mut().for_each(|hit| hit.rule = at);
        hits
    };
    if !is_parallel {
        return across.flat_map(run).collect();
    }
    let mut found: Vec<_> = across.map(|one| (one, Vec::new())).collect();
    rayon_core::scope(|scope| {
        for (one, hits) in &mut found {
            scope.spawn(|_| *hits = run(*one));
        }
    });
    found.into_iter().flat_map(|(_, hits)| hits).collect()
}

/// What is made of each text, in halves side by side where there is much of it.
fn side_by_side<I: Sync, O: Send>(
    all: &[I],
    first: u32,
    bytes: &(impl Fn(&I) -> usize + Sync),
    make: &(impl Fn(u32, &I) -> O + Sync),
) -> Vec<O> {
    if all.len() < 2 || all.iter().map(bytes).sum::<usize>() <= PARALLEL_BYTES {
        return (first..).zip(all).map(|(at, one)| make(at, one)).collect();
    }
    let (left, right) = all.split_at(all.len() / 2);
    let second = first + left.len() as u32;
    let (mut made, more) = rayon_core::join(
        || side_by_side(left, first, bytes, make),
        || side_by_side(right, second, bytes, make),
    );
    made.extend(more);
    made
}

fn read_page<'t>(document: &Document<'t>, rules: &Rules) -> Page<'t> {
    let mut end = document.text.len().min(MAX_BYTES);
    while !document.text.is_char_boundary(end) {
        end -= 1;
    }
    let text = &document.text[..end];
    let ending = document.path.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    let mut page = match ending.as_str() {
        "jsonl" => data::recording(document.path, text, &rules.words, &rules.scope),
        "json" => data::json(document.path, text, &rules.words, &rules.scope),
        "csv" => data::csv(document.path, text, &rules.words, &rules.scope),
        "yaml" | "yml" => data::yaml(document.path, text, &rules.words, &rules.scope),
        _ => Page::markdown(document.path, text, &rules.words, &rules.scope),
    };
    page.register = register(&page, rules);
    if page.register.is_unjudged {
        page.units.iter_mut().for_each(|unit| (unit.is_judged, unit.is_quotation) = (false, true));
    }
    let styles: Vec<Style> = page.units.iter().map(|unit| style_at(&page, unit, rules)).collect();
    page.units.iter_mut().zip(styles).for_each(|(unit, style)| unit.style = style);
    page.terms = terms(&page);
    page
}

/// Words of a defined term, at most.
const MAX_TERM_WORDS: usize = 4;

/// What the document defines, in lower case: the bold or quoted words that begin a unit (`**Fast prime**: …`), and
/// the first cells of rows.
fn terms(page: &Page<'_>) -> BTreeSet<String> {
    let defined = page.units.iter().filter(|unit| !unit.is_quotation).filter_map(|unit| {
        let tokens = page.tokens_of(unit);
        let is_row = unit.cell.is_some_and(|cell| cell.column == 0 && cell.row > 0);
        let skip = usize::from(tokens.first().is_some_and(|first| page.word(first) == "\""));
        let is_named = |token: &&Token| token.has(STRONG) || token.has(QUOTED);
        let words = if is_row {
            tokens
        } else {
            let count = tokens[skip..].iter().take_while(is_named).count();
            &tokens[skip..skip + count]
        };
        let words: Vec<&Token> = words.iter().filter(|token| token.kind == Kind::Word).collect();
        (1..=MAX_TERM_WORDS).contains(&words.len()).then(|| joined(page, words.into_iter()))
    });
    defined.collect()
}

fn joined<'a>(page: &Page<'_>, words: impl Iterator<Item = &'a Token>) -> String {
    let mut text = words.map(|token| page.word(token).to_lowercase()).collect::<Vec<_>>().join(" ");
    // A term is also used in the plural.
    if text.len() > 3 && text.ends_with('s') && !text.ends_with("ss") {
        text.pop();
    }
    text
}

/// A longer match is about more than the term in it: "keeps every loan with the card number".
const MAX_BEFORE_TERM: usize = 2;

/// The match is a term that the document defines, or a part of one.
fn names_term(page: &Page<'_>, sentence: &[Token], at: usize, end: usize) -> bool {
    if page.terms.is_empty() {
        return false;
    }
    let last = end.max(at + 1) - 1;
    (last.saturating_sub(MAX_TERM_WORDS - 1)..=last).any(|from| {
        let limit = (from + MAX_TERM_WORDS).min(sentence.len());
        (last + 1..=limit).any(|to| {
            // A term of one word is the match itself: "fast" does not excuse "must be fast".
            (to - from > 1 || last == at)
                && to - from + MAX_BEFORE_TERM >= end - at
                && page.terms.contains(&joined(page, sentence[from..to].iter()))
        })
    })
}

/// The findings of the rules that need one page only.
fn judge(page: &Page<'_>, number: u32, rules: &Rules, active: &[bool]) -> Vec<Hit> {
    let mut hits = Vec::new();
    let mut seen = Seen::new(rules.words.len());
    for unit in &page.units {
        for sentence in page.sentences_of(unit) {
            let sentence = without_number(page, unit, sentence);
            seen.read(sentence);
            phrases(Read { page, number, unit, sentence, seen: &seen }, rules, active, &mut hits);
        }
    }
    for (at, rule) in (0..).zip(&rules.rules).filter(|(at, _)| active[*at as usize]) {
        if let Some(measures::Measure::Page(measure)) = rule.measure {
            let found = measure(&measures::OnPage { page, rules, rule });
            for mut hit in found {
                hit.related.iter_mut().for_each(|(page, _)| *page = number);
                hits.push(Hit { rule: at, page: number, ..hit });
            }
        }
    }
    hits
}

/// The sentence without the number that labels its unit: `3.4` of "3.4 Fees are rounded." is no figure.
fn without_number<'p>(page: &'p Page<'_>, unit: &Unit, sentence: &'p [Token]) -> &'p [Token] {
    let label = label(page.tokens_of(unit)).filter(|token| token.kind == Kind::Number);
    match (label, sentence) {
        (Some(label), [first, rest @ ..]) if first.start == label.start && !rest.is_empty() => rest,
        _ => sentence,
    }
}

/// A sentence that is read.
#[derive(Clone, Copy)]
struct Read<'p, 't> {
    page: &'p Page<'t>,
    number: u32,
    unit: &'p Unit,
    sentence: &'p [Token],
    seen: &'p Seen,
}

/// The pattern rules on one sentence; a rule finds one place in it.
fn phrases(read: Read<'_, '_>, rules: &Rules, active: &[bool], hits: &mut Vec<Hit>) {
    let Read { page, number, unit, sentence, seen } = read;
    let first = hits.len();
    let mut gates = [None; 4];
    for (at, token) in sentence.iter().enumerate().filter(|(_, token)| !token.has(QUOTED)) {
        for (rule, phrase) in rules.firsts.at(token, seen) {
            let known = &rules.rules[rule as usize];
            let place = known.file.place;
            if !active[rule as usize]
                || !known.is_for(unit.kinds)
                || hits[first..].iter().any(|hit| hit.rule == rule)
                || !*gates[place as usize].get_or_insert_with(|| reads(page, unit, sentence, place, rules))
            {
                continue;
            }
            let Some(end) = known.any.matches(phrase, sentence, at) else { continue };
            let range = Page::span(without_signs(page, &sentence[at..end.max(at + 1)]));
            if let Some(range) = range.filter(|_| is_finding(page, unit, sentence, known, at..end)) {
                hits.push(Hit { rule, page: number, range, values: Vec::new(), related: Vec::new() });
            }
        }
    }
}

/// The words between brackets, and what follows a colon or a dash.
fn without_signs<'p>(page: &Page<'_>, mut tokens: &'p [Token]) -> &'p [Token] {
    let is_one = |token: &Token, signs: &str| token.kind == Kind::Sign && signs.contains(page.word(token));
    while let [first, rest @ ..] = tokens
        && !rest.is_empty()
        && is_one(first, "([:=-\u{2013}\u{2014}\u{2192}")
    {
        tokens = rest;
    }
    while let [rest @ .., last] = tokens
        && !rest.is_empty()
        && is_one(last, ")],")
    {
        tokens = rest;
    }
    tokens
}

/// Nothing in or around the sentence makes the match harmless.
fn is_finding(page: &Page<'_>, unit: &Unit, sentence: &[Token], rule: &Rule, found: Range<usize>) -> bool {
    let is_wording = rule.file.place != Where::Anywhere;
    // The text of a link is the name of something elsewhere.
    let is_harmless = sentence[found.start].has(token::LINK)
        || is_wording && (is_aside(page, sentence, found.start) || introduces(page, sentence));
    !is_harmless
        && !rule.unless.is_in(sentence)
        && rule.all.iter().all(|group| group.is_in(sentence))
        && !rule.unless_before.is_in(&sentence[..found.start])
        && !names_term(page, sentence, found.start, found.end)
        && rule.file.max_sentences.is_none_or(|most| unit.sentences.len() <= most)
        && (rule.unless_near.is_empty() || !is_near(page, unit, rule))
        && (rule.unless_section.is_empty() || !is_in_section(page, unit, &rule.unless_section))
}

/// The details follow: "must fail clearly:" with a list of messages.
fn introduces(page: &Page<'_>, sentence: &[Token]) -> bool {
    sentence.last().is_some_and(|last| page.word(last) == ":")
}

/// Inside of round brackets, a label in italics, or a name with a capital: no demand, unless the whole sentence is.
fn is_aside(page: &Page<'_>, sentence: &[Token], at: usize) -> bool {
    if sentence[at].has(token::EMPHASIS) && !sentence[0].has(token::EMPHASIS) {
        return true;
    }
    let is_name = sentence[at].kind == Kind::Word
        && sentence[at].has(token::CAPITAL)
        && sentence[..at].iter().any(|token| token.kind == Kind::Word)
        && page.word(&sentence[at]).chars().any(char::is_lowercase);
    if is_name {
        return true;
    }
    let opens = sentence[..at].iter().filter(|token| page.word(token) == "(").count();
    let closes = sentence[..at].iter().filter(|token| page.word(token) == ")").count();
    opens > closes && page.word(&sentence[0]) != "("
}

/// In longer paragraphs and rows nothing is near.
const MAX_NEAR_TOKENS: usize = 1_000;
const MAX_NEAR_CELLS: usize = 64;

/// A phrase is in the section of the unit.
fn is_in_section(page: &Page<'_>, unit: &Unit, set: &Set) -> bool {
    let units = page.units_below(unit.section).iter().take_while(|other| other.section == unit.section);
    units.take(MAX_NEAR_CELLS).flat_map(|unit| page.sentences_of(unit)).any(|sentence| set.is_in(sentence))
}

/// A phrase of `unless_near` is in the unit, or in the row of the table.
fn is_near(page: &Page<'_>, unit: &Unit, rule: &Rule) -> bool {
    let row = unit.cell.map(|cell| page.row(&page.tables[cell.table as usize], cell.row));
    let units = row.unwrap_or(std::slice::from_ref(unit));
    let is_long = |unit: &Unit| unit.tokens.len() > MAX_NEAR_TOKENS;
    if units.len() > MAX_NEAR_CELLS || units.iter().any(is_long) {
        return false;
    }
    units.iter().flat_map(|unit| page.sentences_of(unit)).any(|sentence| rule.unless_near.is_in(sentence))
}

/// Of findings on the same words the most severe is kept, then the longest.
fn without_overlaps(mut hits: Vec<Hit>, rules: &Rules) -> Vec<Hit> {
    let rank = |hit: &Hit| {
        let file = &rules.rules[hit.rule as usize].file;
        (file.severity, usize::MAX - hit.range.len(), hit.rule)
    };
    hits.sort_by(|a, b| {
        (a.page, a.range.start, rank(a), a.range.end).cmp(&(b.page, b.range.start, rank(b), b.range.end))
    });
    let mut kept: Vec<Hit> = Vec::with_capacity(hits.len());
    for hit in hits {
        match kept.last_mut() {
            Some(last) if last.page == hit.page && hit.range.start < last.range.end => {
                if rank(&hit) < rank(last) {
                    *last = hit;
                }
            }
            _ => kept.push(hit),
        }
    }
    kept
}

/// Fewer equal findings are shown one by one.
const MIN_FOLDED: usize = 3;

/// Makes one finding of the equal ones of a table, or of the text outside of tables, where their rule says so: a list
/// of owners that are all "TBD".
fn folded(pages: &[Page<'_>], hits: Vec<Hit>, rules: &Rules) -> Vec<Hit> {
    let (equal, mut kept): (Vec<Hit>, Vec<Hit>) =
        hits.into_iter().partition(|hit| rules.rules[hit.rule as usize].file.fold);
    let mut groups: BTreeMap<_, Vec<Hit>> = BTreeMap::new();
    for hit in equal {
        let page = &pages[hit.page as usize];
        let table = page.unit_at(hit.range.start).and_then(|unit| Some(unit.cell?.table));
        let quote = page.text[hit.range.clone()].to_lowercase();
        groups.entry((hit.rule, hit.page, table, quote)).or_default().push(hit);
    }
    for mut group in groups.into_values() {
        let mut more = String::new();
        if group.len() >= MIN_FOLDED {
            more = format!(" here and at {} more places", group.len() - 1);
            let others = group.drain(1..).map(|hit| (hit.page, hit.range)).collect();
            group[0].related = others;
        }
        kept.extend(group.into_iter().map(|hit| hit.with("more", more.clone())));
    }
    kept
}

/// The finding with its words.
fn finding(hit: &Hit, pages: &[Page<'_>], rules: &Rules, options: &Options, cursor: &mut Cursor) -> Finding {
    let (page, file) = (&pages[hit.page as usize], &rules.rules[hit.rule as usize].file);
    let (line, column) = cursor.place(page, hit.page, hit.range.start);
    let (end_line, end_column) = cursor.place(page, hit.page, hit.range.end);
    let quote = page.text[hit.range.clone()].to_owned();
    let unit = page.unit_at(hit.range.start);
    let heading = unit.map_or("", |unit| page.heading(unit.section));
    let key = page.keys.partition_point(|(start, _)| *start as usize <= hit.range.start);
    let heading = key.checked_sub(1).map_or(heading, |at| &page.keys[at].1);
    let related = hit.related.iter().map(|(at, range)| {
        let other = &pages[*at as usize];
        let line = other.line(range.start);
        Related { path: other.path.to_owned(), line, quote: other.text[range.clone()].to_owned() }
    });
    let fill = |template: &str| filled(template, &quote, &hit.values);
    let set = options.severity.get(&file.rule).copied();
    let style = unit.map_or(page.register.style, |unit| unit.style);
    let in_prose = file.in_prose.filter(|_| style == Style::Prose && set.is_none());
    Finding {
        rule: file.rule.clone(),
        severity: set.or(in_prose).unwrap_or(file.severity),
        is_aside: in_prose == Some(Severity::Note),
        persona: file.persona.clone(),
        path: page.path.to_owned(),
        line,
        column,
        end_line,
        end_column,
        heading: one_line(heading, usize::MAX),
        message: fill(&file.message),
        why: fill(&file.why),
        suggestion: fill(&file.suggest),
        reference: file.reference.clone(),
        related: related.collect(),
        options: file.options.iter().map(|option| fill(option)).collect(),
        quote,
    }
}

/// Characters of a quotation in a message.
const SHOWN: usize = 90;

/// A message with its values.
fn filled(template: &str, quote: &str, values: &[(&'static str, String)]) -> String {
    let mut text = template.replace("{quote}", &one_line(quote, SHOWN));
    for (name, value) in values {
        // " and 2 more" keeps its blank.
        let blank = if value.starts_with(' ') { " " } else { "" };
        text = text.replace(&format!("{{{name}}}"), &format!("{blank}{}", one_line(value, SHOWN)));
    }
    text
}

/// A text in one line, cut after so many characters.
fn one_line(text: &str, most: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    if line.chars().count() <= most {
        return line;
    }
    let cut: String = line.chars().take(most).collect();
    format!("{}…", cut.trim_end())
}
