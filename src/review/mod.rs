//! What documents leave open: facts that structure and exact marks decide, and a few hints on wording, as findings with
//! a place and a quotation.
//!
//! No I/O, no clock, no model: the same texts and rules give the same findings in the same order, in time linear in the
//! text. A rule is in the built-in set only if it is right nine times of ten on documents that it was not made for.
//! Invariant: `quote` is the text of the document at `line` and `column`.
//!
//! ```
//! use roundtable::review::{Document, Options, Rules, review};
//!
//! let document = Document { path: "a.md", text: "- Retention: TBD\n" };
//! let found = review(&[document], &Rules::built_in().unwrap(), &Options::default());
//! assert_eq!((found.findings[0].line, found.findings[0].quote.as_str()), (1, "TBD"));
//! ```

mod data;
mod facts;
mod ignore;
mod page;
mod patterns;
pub mod rule;
mod settled;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::text::finding::Severity;
use facts::{Check, Pages};
use page::{Kind, Page};

pub use rule::{Rule, Rules};
use serde::Serialize;

/// A document to be reviewed; the ending of the path says what it is (`.json`, `.csv`, `.yaml`, else Markdown).
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
    /// The message without numbers of lines, which change: what a persona says of it.
    #[serde(skip)]
    pub said: String,
    pub why: String,
    pub suggestion: String,
    pub reference: String,
    pub related: Vec<Related>,
    /// A hint on wording that nobody gave a severity: it never makes the answer no.
    #[serde(skip)]
    pub is_hint: bool,
    /// The words around the place, within its line.
    #[serde(skip)]
    pub context: Context,
}

/// A part of a line, and the column in it that a finding is at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    pub text: String,
    /// From one, in characters.
    pub column: usize,
}

/// Which files there are beside the documents, by paths as the documents have them. Without, no link is broken.
#[derive(Clone, Default)]
pub struct Files(Option<Arc<HasFile>>);

type HasFile = dyn Fn(&str) -> bool + Send + Sync;

impl Files {
    pub fn new(has: impl Fn(&str) -> bool + Send + Sync + 'static) -> Files {
        Files(Some(Arc::new(has)))
    }

    /// It is known that there is no such file or folder.
    fn lacks(&self, path: &str) -> bool {
        self.0.as_ref().is_some_and(|has| !has(path))
    }
}

impl fmt::Debug for Files {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Files").field(&self.0.is_some()).finish()
    }
}

/// What is asked of a review.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Rules that are not run.
    pub off: BTreeSet<String>,
    /// Severities that replace those of the rules, and turn on the ones that are off.
    pub severity: BTreeMap<String, Severity>,
    /// Only rules of these personas; all where none is named.
    pub personas: BTreeSet<String>,
    pub files: Files,
}

impl Options {
    fn runs(&self, rule: &Rule) -> bool {
        let is_on = !rule.file.off || self.severity.contains_key(&rule.file.rule);
        is_on
            && !self.off.contains(&rule.file.rule)
            && (self.personas.is_empty() || self.personas.contains(&rule.file.persona))
    }
}

/// All findings, by path and place.
#[derive(Clone, Debug, Default)]
pub struct Review {
    pub findings: Vec<Finding>,
    pub documents: usize,
    pub lines: usize,
    /// The rules that were run.
    pub rules: usize,
    /// Findings that a `roundtable-ignore` comment silenced.
    pub suppressed: usize,
    /// Those of them whose comment gives no reason.
    pub unexplained: usize,
    /// Findings that a decision or a line below settles.
    pub settled: Vec<Settled>,
}

/// A finding that needs nobody any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Settled {
    pub rule: String,
    pub path: String,
    pub line: usize,
    /// The line that settles it.
    pub by: Related,
}

/// A finding before its words are made.
#[derive(Clone, Debug)]
struct Hit {
    rule: usize,
    page: usize,
    range: Range<usize>,
    /// Values for the message, by name.
    values: Vec<(&'static str, String)>,
    related: Vec<(usize, Range<usize>)>,
}

impl Hit {
    /// A hit at a place of a page that is filled in later.
    fn at(range: Range<usize>) -> Hit {
        Hit { rule: 0, page: 0, range, values: Vec::new(), related: Vec::new() }
    }

    fn with(mut self, name: &'static str, value: String) -> Hit {
        self.values.push((name, value));
        self
    }
}

/// Reviews documents together.
pub fn review(documents: &[Document<'_>], rules: &Rules, options: &Options) -> Review {
    let pages: Vec<Page<'_>> = documents.iter().map(read_page).collect();
    let active: Vec<bool> = rules.rules.iter().map(|rule| options.runs(rule)).collect();
    let mut hits = Vec::new();
    for (number, page) in pages.iter().enumerate().filter(|(_, page)| !is_form(page.path)) {
        let on_page = hits.len();
        if !facts::leaves_nothing_open(page) {
            patterns::find(page, rules, &active, &mut hits);
        }
        run_checks(page, rules, &active, &mut hits);
        for hit in &mut hits[on_page..] {
            hit.page = number;
            hit.related.iter_mut().for_each(|(page, _)| *page = number);
        }
    }
    run_common_checks(&Pages { pages: &pages, options }, rules, &active, &mut hits);
    let hits = without_overlaps(hits, rules);
    let (hits, silenced) = ignore::apply(&pages, hits, rules, &active);
    let (hits, settled) = settled::apply(&pages, hits, rules);
    let settled = settled.iter().map(|(hit, place)| settled_finding(hit, *place, &pages, rules)).collect();
    let hits = fold(&pages, hits, rules);
    let mut findings: Vec<Finding> = hits.iter().map(|hit| finding(hit, &pages, rules, options)).collect();
    findings.sort_by(|a, b| {
        let place = |one: &Finding| (one.line, one.column, one.severity);
        a.path.cmp(&b.path).then(place(a).cmp(&place(b))).then_with(|| a.rule.cmp(&b.rule))
    });
    let ignore::Silenced { all: suppressed, unexplained } = silenced;
    let lines = pages.iter().map(Page::line_count).sum();
    let rules = active.iter().filter(|active| **active).count();
    Review { findings, documents: documents.len(), lines, rules, suppressed, unexplained, settled }
}

fn read_page<'t>(document: &Document<'t>) -> Page<'t> {
    let (path, text) = (document.path, document.text);
    match path.rsplit('.').next().unwrap_or_default().to_ascii_lowercase().as_str() {
        "json" => data::json(path, text),
        "csv" => data::csv(path, text),
        "yaml" | "yml" => data::yaml(path, text),
        _ => Page::markdown(path, text),
    }
}

/// A form to be filled in, by its name or its folder's: what it leaves open is what it is for.
fn is_form(path: &str) -> bool {
    let last_word = |name: &str| {
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        let word = stem.rsplit(|sign: char| !sign.is_alphanumeric()).next().unwrap_or_default();
        word.eq_ignore_ascii_case("template") || word.eq_ignore_ascii_case("templates")
    };
    path.split(['/', '\\']).any(last_word)
}

fn run_checks(page: &Page<'_>, rules: &Rules, active: &[bool], hits: &mut Vec<Hit>) {
    for (at, rule) in rules.rules.iter().enumerate().filter(|(at, _)| active[*at]) {
        if let Some(Check::Page(check)) = rule.check {
            hits.extend(check(page).into_iter().map(|hit| Hit { rule: at, ..hit }));
        }
    }
}

fn run_common_checks(all: &Pages<'_, '_>, rules: &Rules, active: &[bool], hits: &mut Vec<Hit>) {
    for (at, rule) in rules.rules.iter().enumerate().filter(|(at, _)| active[*at]) {
        if let Some(Check::Pages(check)) = rule.check {
            let found = check(all).into_iter().filter(|hit| !is_form(all.pages[hit.page].path));
            hits.extend(found.map(|hit| Hit { rule: at, ..hit }));
        }
    }
}

/// Of findings on the same words the most severe is kept, then the longest.
fn without_overlaps(mut hits: Vec<Hit>, rules: &Rules) -> Vec<Hit> {
    let rank = |hit: &Hit| (rules.rules[hit.rule].file.severity, usize::MAX - hit.range.len(), hit.rule);
    hits.sort_by_key(|hit| (hit.page, hit.range.start, rank(hit), hit.range.end));
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

/// So many equal findings of a table are one.
const MIN_FOLDED: usize = 3;

/// Makes one finding of equal ones: of a rule for wording in a document, of another rule in a table.
fn fold(pages: &[Page<'_>], hits: Vec<Hit>, rules: &Rules) -> Vec<Hit> {
    let mut groups: BTreeMap<_, Vec<Hit>> = BTreeMap::new();
    let mut kept = Vec::new();
    for hit in hits {
        let page = &pages[hit.page];
        let is_wording = rules.rules[hit.rule].is_wording();
        let kind = page.block_before(hit.range.start).map(|at| page.blocks[at].kind);
        let table = if let Some(Kind::Cell(cell)) = kind { Some(cell.table) } else { None };
        if !is_wording && table.is_none() {
            kept.push(hit.with("more", String::new()));
            continue;
        }
        let quote = page.text[hit.range.clone()].to_lowercase();
        groups.entry((hit.rule, hit.page, table.filter(|_| !is_wording), quote)).or_default().push(hit);
    }
    for mut group in groups.into_values() {
        let is_wording = rules.rules[group[0].rule].is_wording();
        let mut more = String::new();
        if group.len() >= MIN_FOLDED || is_wording && group.len() > 1 {
            let plural = if group.len() == 2 { "" } else { "s" };
            more = format!(" (and on {} more line{plural})", group.len() - 1);
            let others = group.drain(1..).map(|hit| (hit.page, hit.range)).collect();
            group[0].related = others;
        }
        kept.extend(group.into_iter().map(|hit| hit.with("more", more.clone())));
    }
    kept
}

fn settled_finding(hit: &Hit, (at, block): settled::Place, pages: &[Page<'_>], rules: &Rules) -> Settled {
    let (page, other) = (&pages[hit.page], &pages[at]);
    let block = &other.blocks[block];
    Settled {
        rule: rules.rules[hit.rule].file.rule.clone(),
        path: page.path.to_owned(),
        line: page.place(hit.range.start).0,
        by: Related {
            path: other.path.to_owned(),
            line: other.place(block.range.start).0,
            quote: one_line(other.text_of(block), SHOWN),
        },
    }
}

/// The finding with its words.
fn finding(hit: &Hit, pages: &[Page<'_>], rules: &Rules, options: &Options) -> Finding {
    let (page, rule) = (&pages[hit.page], &rules.rules[hit.rule]);
    let file = &rule.file;
    let (line, column) = page.place(hit.range.start);
    let (end_line, end_column) = page.place(hit.range.end);
    let quote = page.text[hit.range.clone()].to_owned();
    let block = page.block_before(hit.range.start).map(|at| &page.blocks[at]);
    let heading = block.map_or("", |block| page.heading(block.section));
    let key = page.keys.partition_point(|(start, _)| *start <= hit.range.start);
    let heading = key.checked_sub(1).map_or(heading, |at| &page.keys[at].1);
    let related = hit.related.iter().map(|(at, range)| {
        let other = &pages[*at];
        let line = other.place(range.start).0;
        Related { path: other.path.to_owned(), line, quote: other.text[range.clone()].to_owned() }
    });
    let set = options.severity.get(&file.rule).copied();
    Finding {
        rule: file.rule.clone(),
        severity: set.unwrap_or(file.severity),
        is_hint: set.is_none() && rule.is_wording(),
        persona: file.persona.clone(),
        path: page.path.to_owned(),
        line,
        column,
        end_line,
        end_column,
        heading: one_line(heading, usize::MAX),
        message: filled(&file.message, &quote, &hit.values),
        said: filled(file.said.as_ref().unwrap_or(&file.message), &quote, &hit.values),
        why: file.why.clone(),
        suggestion: filled(&file.help, &quote, &hit.values),
        reference: file.reference.clone(),
        related: related.collect(),
        context: context(page, hit.range.start),
        quote,
    }
}

/// Characters on each side of a place that a report can show of its line.
const CONTEXT: usize = 400;

/// The part of a place's line that a report shows: a line can be as long as its document.
fn context(page: &Page<'_>, at: usize) -> Context {
    let (before, after) = page.text.split_at(at);
    let in_line = |(_, sign): &(usize, char)| *sign != '\n';
    let start = before.char_indices().rev().take(CONTEXT).take_while(in_line).last();
    let before = before[start.map_or(at, |(start, _)| start)..].trim_start();
    let after: String = after.chars().take(CONTEXT).take_while(|sign| *sign != '\n').collect();
    Context { column: before.chars().count() + 1, text: format!("{before}{}", after.trim_end()) }
}

/// Characters of a quotation in a message.
const SHOWN: usize = 90;

/// A message with its values.
fn filled(template: &str, quote: &str, values: &[(&'static str, String)]) -> String {
    let mut text = String::with_capacity(template.len() + quote.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, after) = after.split_once('}').unwrap_or((after, ""));
        text.push_str(before);
        match values.iter().find(|(known, _)| *known == name) {
            _ if name == "quote" => text.push_str(&one_line(quote, SHOWN)),
            // " and 2 more" keeps its blank.
            Some((_, value)) if value.starts_with(' ') => {
                text.push_str(&format!(" {}", one_line(value, SHOWN)))
            }
            Some((_, value)) => text.push_str(&one_line(value, SHOWN)),
            None => {}
        }
        rest = after;
    }
    text + rest
}

/// A text in one line, cut after so many characters.
fn one_line(text: &str, most: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ").replace(page::CODE, "…");
    if line.chars().count() <= most {
        return line;
    }
    let cut: String = line.chars().take(most).collect();
    format!("{}…", cut.trim_end())
}
