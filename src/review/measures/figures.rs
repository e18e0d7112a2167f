//! Figures: the same quantity with two values, and numbers without a unit.
//!
//! A figure is a number with its unit and the words around it (in a table: its row and column). Two figures conflict
//! where unit and words agree and values don't: `a snapshot every 200 events`, `with a snapshot every 500 events`.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use foldhash::fast::RandomState;

use super::{Across, Hit, OnPage, clock, hit, hit_on, judged};
use crate::review::demand::{is_demand, is_duty};
use crate::review::page::{Cell, Page, Style, Unit, UnitKind};
use crate::review::pattern::Set;
use crate::review::token::{CAPITAL, Kind, QUOTED, TIGHT, Token, root};
use crate::text::units::{number as number_word, unit as unit_of};

/// A number with its unit, and what it is about.
pub(super) struct Figure<'t> {
    pub(super) page: u32,
    unit: u32,
    section: u32,
    table: Option<u32>,
    /// Its table and row.
    row_number: Option<(u32, u32)>,
    pub(super) range: Range<usize>,
    pub(super) dimension: Root,
    value: f64,
    /// Words of the clause, and of the whole sentence.
    near: Roots,
    wide: Roots,
    ids: BTreeSet<&'t str>,
    /// Code, identifiers and names in the clause: they tell variants of one thing apart.
    names: BTreeSet<&'t str>,
    /// In a table, the words of the row's label.
    row: Roots,
    label: Option<&'t str>,
    /// Of the background: it tells how things are today.
    is_background: bool,
    /// Its sentence demands something, or is an item or a cell.
    is_demanded: bool,
    /// Its unit compares it with another of the same dimension: "from about 60 % to over 80 %".
    is_compared: bool,
    /// "return period" of "the return period is 14 days", the last word of "Kafka retention".
    subject: Option<Pair>,
    head: Option<Root>,
    /// What the words before it say of it ("within", "at most"), as the number of a phrase.
    relation: Option<u16>,
    /// It is the most or the least of something.
    bound: Option<Bound>,
    /// Words next to each other in the sentence.
    pairs: BTreeSet<Pair>,
}

/// The number of a root, or of a dimension.
type Root = u32;
/// The roots of two words next to each other.
type Pair = (Root, Root);
/// Roots, each once, sorted.
type Roots = Vec<Root>;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Bound {
    Most,
    Least,
}

pub fn conflicts(across: &Across<'_, '_>) -> Vec<Hit> {
    let mut folders: BTreeMap<&str, Vec<Figure<'_>>> = BTreeMap::new();
    let mut reader = Reader::new(across, across.rules.scope.bit("background"));
    for (number, page) in (0..).zip(across.pages) {
        let folder = page.folder();
        for (at, unit) in (0..).zip(&page.units) {
            if !unit.is_quotation && unit.kind != UnitKind::Heading && across.rule.is_for(unit.kinds) {
                reader.read(page, number, at, unit, folders.entry(folder).or_default());
            }
        }
    }
    for figures in folders.values_mut() {
        let is_row = |a: &Figure<'_>, b: &Figure<'_>| {
            a.row_number.is_some() && (a.page, a.row_number) == (b.page, b.row_number)
        };
        figures.chunk_by_mut(is_row).filter(|row| row.len() > 1).for_each(mark_compared);
    }
    folders.into_values().flat_map(|mut figures| conflicting(across, &mut figures)).collect()
}

/// Reads the figures of documents. Each word is cut to its root once.
pub(super) struct Reader<'r, 't> {
    across: &'r Across<'r, 't>,
    stop: &'r Set,
    relation: &'r Set,
    most: &'r Set,
    least: &'r Set,
    background: u64,
    words: HashMap<&'t str, Root, RandomState>,
    roots: HashMap<String, Root, RandomState>,
}

impl<'r, 't> Reader<'r, 't> {
    /// A reader that takes sections of these kinds for the background.
    pub(super) fn new(across: &'r Across<'r, 't>, background: u64) -> Reader<'r, 't> {
        let [stop, relation, most, least] =
            ["stop", "relation", "most", "least"].map(|name| across.rule.set(name));
        let (words, roots) = Default::default();
        Reader { across, stop, relation, most, least, background, words, roots }
    }

    /// Adds the figures of a unit.
    pub(super) fn read(
        &mut self,
        page: &Page<'t>,
        number: u32,
        at: u32,
        unit: &Unit,
        out: &mut Vec<Figure<'t>>,
    ) {
        if unit.cell.is_some_and(|cell| cell.row == 0) {
            return;
        }
        let mut around = None;
        let begin = out.len();
        let most = out.len() + MAX_FIGURES;
        for sentence in page.sentences_of(unit) {
            for from in 0..sentence.len() {
                if out.len() >= most {
                    return mark_compared(&mut out[begin..]);
                }
                let Some((value, dimension, to)) = self.figure(page, sentence, from) else { continue };
                let Some(range) = Page::span(&sentence[from..to]) else { continue };
                let around: &Around<'t> = around.get_or_insert_with(|| self.around(page, unit));
                let clause = clause(page, sentence, from, to);
                let ids = sentence.iter().filter(|token| token.kind == Kind::Id);
                let (subject, head) = match self.subject(page, clause, &sentence[from]) {
                    Some(found) => found,
                    None => (None, self.row_head(page, unit)),
                };
                let rules = self.across.rules;
                out.push(Figure {
                    page: number,
                    unit: at,
                    section: unit.section,
                    table: unit.cell.map(|cell| cell.table),
                    row_number: unit.cell.map(|cell| (cell.table, cell.row)),
                    range,
                    dimension,
                    value,
                    near: self.words(page, clause, &around.words),
                    wide: self.words(page, sentence, &around.words),
                    ids: ids.map(|token| page.word(token)).collect::<BTreeSet<_>>(),
                    names: names(page, clause),
                    row: around.row.clone(),
                    is_background: unit.kinds & self.background != 0,
                    is_demanded: unit.kind != UnitKind::Paragraph
                        || unit.kinds & rules.scope.demanding != 0
                        || is_demand(page, unit, sentence, rules),
                    is_compared: false,
                    subject,
                    head,
                    relation: self.relation(sentence, from),
                    bound: self.bound(clause, &sentence[from]),
                    pairs: self.pairs(page, sentence),
                    label: around.label,
                });
            }
        }
        mark_compared(&mut out[begin..]);
    }

    /// The root of a word.
    fn root(&mut self, word: &'t str) -> Root {
        if let Some(known) = self.words.get(word) {
            return *known;
        }
        let number = self.number(&root(word));
        self.words.insert(word, number);
        number
    }

    /// The number of a root or dimension.
    fn number(&mut self, root: &str) -> Root {
        self.roots.get(root).copied().unwrap_or_else(|| {
            let next = self.roots.len() as Root;
            self.roots.insert(root.to_owned(), next);
            next
        })
    }

    fn around(&mut self, page: &Page<'t>, unit: &Unit) -> Around<'t> {
        let first = unit.cell.and_then(|cell| page.row(&page.tables[cell.table as usize], cell.row).first());
        let label = crate::review::demand::label(page.tokens_of(unit));
        let row_label = first.and_then(|first| page.tokens_of(first).first());
        let is_id = |token: &&Token| token.kind == Kind::Id;
        let label = label.filter(is_id).or(row_label.filter(is_id));
        Around {
            words: unit.cell.map(|cell| self.around_cell(page, cell)).unwrap_or_default(),
            row: first.map(|first| self.words(page, page.tokens_of(first), &[])).unwrap_or_default(),
            label: label.map(|token| page.word(token)),
        }
    }

    /// The words of a cell's row label and column header.
    fn around_cell(&mut self, page: &Page<'t>, cell: Cell) -> Roots {
        let table = &page.tables[cell.table as usize];
        let first = page.row(table, cell.row).first().filter(|_| cell.column > 0);
        let head = page.row(table, 0).get(cell.column as usize).filter(|_| cell.row > 0);
        let label = first.map(|unit| self.words(page, page.tokens_of(unit), &[])).unwrap_or_default();
        head.map(|unit| self.words(page, page.tokens_of(unit), &label)).unwrap_or(label)
    }

    /// The roots of the words that say what a text is about, and more.
    fn words(&mut self, page: &Page<'t>, tokens: &[Token], more: &[Root]) -> Roots {
        let stop = self.stop;
        let is_content = |token: &&Token| {
            matches!(token.kind, Kind::Word | Kind::Code)
                && page.word(token).len() > 2
                && unit_of(page.word(token)).is_none()
                && stop.at(std::slice::from_ref(*token), 0).is_none()
                && number_word(page.word(token)).is_none()
        };
        let own = tokens.iter().filter(is_content).map(|token| match token.kind {
            Kind::Code => self.number(&page.word(token).trim_matches('`').to_lowercase()),
            _ => self.root(page.word(token)),
        });
        let mut all: Roots = own.chain(more.iter().copied()).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// What a clause of the form "the return period (of …) is 14 days" speaks of: its last two words, and the last.
    fn subject(
        &mut self,
        page: &Page<'t>,
        clause: &[Token],
        number: &Token,
    ) -> Option<(Option<Pair>, Option<Root>)> {
        let is_copula = |token: &Token| matches!(page.word(token), "is" | "are" | "=" | "lasts" | "takes");
        let copula = clause.iter().position(is_copula)?;
        if clause[copula].start > number.start {
            return None;
        }
        let before = &clause[..copula];
        if before.iter().any(|token| matches!(page.word(token), "whose" | "that" | "which" | "who")) {
            return None;
        }
        let is_end = |token: &Token| matches!(page.word(token), "of" | "for" | "in" | "to");
        let end = before.iter().position(is_end).unwrap_or(copula);
        let is_word = |token: &&Token| token.kind == Kind::Word && page.word(token).len() > 3;
        let mut words = before[..end].iter().filter(is_word).rev();
        let (head, before) = (words.next()?, words.next());
        let pair = before.map(|before| (self.root(page.word(before)), self.root(page.word(head))));
        Some((pair, self.head(page.word(head))))
    }

    /// The root of a word that a figure is about; a short one may be about anything.
    fn head(&mut self, word: &'t str) -> Option<Root> {
        (root(word).len() > 4).then(|| self.root(word))
    }

    /// The last word of the label of a row.
    fn row_head(&mut self, page: &Page<'t>, unit: &Unit) -> Option<Root> {
        let cell = unit.cell.filter(|cell| cell.column > 0)?;
        let first = page.row(&page.tables[cell.table as usize], cell.row).first()?;
        let last = page.tokens_of(first).last().filter(|token| token.kind == Kind::Word)?;
        self.head(page.word(last))
    }

    /// The phrase of `relation:` that ends in front of the figure.
    fn relation(&self, sentence: &[Token], from: usize) -> Option<u16> {
        let ends_here = |at: usize| self.relation.longest(sentence, at).filter(|(end, _)| *end == from);
        (from.saturating_sub(2)..from).find_map(ends_here).map(|(_, phrase)| phrase)
    }

    /// What the clause says of the figure before it comes: "at most", "the maximum grant is", "up to".
    fn bound(&self, clause: &[Token], number: &Token) -> Option<Bound> {
        let before = &clause[..clause.partition_point(|token| token.start < number.start)];
        match (self.most.is_in(before), self.least.is_in(before)) {
            (true, false) => Some(Bound::Most),
            (false, true) => Some(Bound::Least),
            _ => None,
        }
    }

    fn pairs(&mut self, page: &Page<'t>, sentence: &[Token]) -> BTreeSet<Pair> {
        let is_word = |token: &Token| token.kind == Kind::Word && page.word(token).len() > 3;
        let both = sentence.windows(2).filter(|two| two.iter().all(is_word));
        both.map(|two| (self.root(page.word(&two[0])), self.root(page.word(&two[1]))))
            .collect::<BTreeSet<_>>()
    }

    /// The number and unit at `from`: value, dimension and end.
    fn figure(&mut self, page: &Page<'t>, sentence: &[Token], from: usize) -> Option<(f64, Root, usize)> {
        let begins = match sentence[from].kind {
            Kind::Number => true,
            Kind::Word => may_count(page.word(&sentence[from])),
            _ => false,
        };
        if !begins {
            return None;
        }
        if let Some((hours, end)) = clock::at(page, sentence, from, number_word) {
            let is_told = !sentence[from].has(QUOTED) && !is_change(page, sentence, from);
            return is_told.then(|| (hours, self.number("clock"), end));
        }
        let token = &sentence[from];
        if token.has(QUOTED) || is_part_of_name(page, sentence, from) {
            return None;
        }
        let word = page.word(token);
        let (value, to) = counted(page, sentence, from)?;
        // "The 7th minute" is no span of time.
        let is_ordinal = sentence
            .get(to)
            .is_some_and(|next| next.has(TIGHT) && matches!(page.word(next), "st" | "nd" | "rd" | "th"));
        if is_ordinal || is_rate(page, sentence, from) || is_change(page, sentence, from) {
            return None;
        }
        for skip in 0..2 {
            let next = sentence.get(to + skip)?;
            let name = page.word(next);
            if let Some((dimension, size)) = unit_of(name) {
                let (dimension, end) = self.rate(page, sentence, to + skip + 1, dimension);
                return Some((value * size, dimension, end));
            }
            if is_article(word) && skip == 0 && next.kind == Kind::Word {
                return None;
            }
            if matches!(next.kind, Kind::Sign) && name != "-" {
                break;
            }
            if skip == 1 || next.kind != Kind::Word {
                break;
            }
        }
        let next = sentence.get(to).filter(|next| {
            next.kind == Kind::Word && page.word(next).len() > 3 && page.word(next).ends_with('s')
        })?;
        let is_one = is_article(word) || word.eq_ignore_ascii_case("one");
        // "A day of four inspections": the figure tells days apart.
        let is_attribute = word_before(page, sentence, from) == "of" && !is_bound(page, sentence, from);
        (!is_one && !is_attribute).then(|| (value, self.root(page.word(next)), to + 1))
    }

    /// The dimension with what it is counted by: "0.29 euros per minute", "1.6 m/s"; and where the figure ends.
    fn rate(&mut self, page: &Page<'_>, sentence: &[Token], at: usize, dimension: &str) -> (Root, usize) {
        let is_rate = sentence.get(at).is_some_and(|next| matches!(page.word(next), "/" | "per"));
        match sentence.get(at + 1).filter(|by| is_rate && by.kind == Kind::Word) {
            Some(by) => (self.number(&format!("{dimension}/{}", root(page.word(by)))), at + 2),
            None => (self.number(dimension), at),
        }
    }
}

fn mark_compared(figures: &mut [Figure<'_>]) {
    let other =
        |one: &Figure<'_>| figures.iter().any(|two| two.dimension == one.dimension && differ(one, two));
    let compared: Vec<bool> = figures.iter().map(other).collect();
    figures.iter_mut().zip(compared).for_each(|(figure, is)| figure.is_compared |= is);
}

/// What a unit says of all figures in it.
struct Around<'t> {
    /// Words of the label of its row and the header of its column.
    words: Roots,
    row: Roots,
    label: Option<&'t str>,
}

/// A paragraph with more figures is a listing.
const MAX_FIGURES: usize = 40;

/// Code, identifiers and names after the first word.
fn names<'t>(page: &Page<'t>, clause: &[Token]) -> BTreeSet<&'t str> {
    let is_name = |(at, token): &(usize, &Token)| match token.kind {
        Kind::Code | Kind::Id => true,
        Kind::Word => *at > 0 && token.has(CAPITAL),
        _ => false,
    };
    clause.iter().enumerate().filter(is_name).map(|(_, token)| page.word(token)).collect::<BTreeSet<_>>()
}

/// The part of a sentence between signs that has the tokens `from..to`.
fn clause<'a>(page: &Page<'_>, sentence: &'a [Token], from: usize, to: usize) -> &'a [Token] {
    let is_end = |token: &Token| matches!(page.word(token), "," | ";" | ":" | "(" | ")");
    let begin = sentence[..from].iter().rposition(is_end).map_or(0, |at| at + 1);
    let end = sentence[to..].iter().position(is_end).map_or(sentence.len(), |at| to + at);
    &sentence[begin..end]
}

/// The number at `from` and where it ends: "1 000", "two and a half".
fn counted(page: &Page<'_>, sentence: &[Token], from: usize) -> Option<(f64, usize)> {
    let word = page.word(&sentence[from]);
    let mut to = from + 1;
    if sentence[from].kind == Kind::Number {
        let mut digits = word.to_owned();
        let goes_on = |next: &&Token, digits: &str, to: usize| {
            next.kind == Kind::Number && next.end - next.start == 3 && digits.len() <= 3 * to
        };
        while let Some(next) = sentence.get(to).filter(|next| goes_on(next, &digits, to)) {
            digits.push_str(page.word(next));
            to += 1;
        }
        return Some((number(&digits)?, to));
    }
    let value = if is_article(word) { 1.0 } else { number_word(word)? };
    let is_half = phrase_is(page, &sentence[to..], &["and", "a", "half"]);
    Some(if is_half { (value + 0.5, to + 3) } else { (value, to) })
}

/// Whether a word may begin a figure.
fn may_count(word: &str) -> bool {
    is_article(word) || number_word(word).is_some()
}

fn is_article(word: &str) -> bool {
    word.eq_ignore_ascii_case("a") || word.eq_ignore_ascii_case("an")
}

fn word_before<'t>(page: &Page<'t>, sentence: &[Token], at: usize) -> &'t str {
    at.checked_sub(1).map_or("", |at| page.word(&sentence[at]))
}

/// "A maximum of six attempts".
fn is_bound(page: &Page<'_>, sentence: &[Token], at: usize) -> bool {
    at.checked_sub(2).is_some_and(|at| {
        matches!(page.word(&sentence[at]), "maximum" | "minimum" | "total" | "limit" | "number")
    })
}

/// The words that begin a text are these.
fn phrase_is(page: &Page<'_>, tokens: &[Token], words: &[&str]) -> bool {
    tokens.len() >= words.len() && words.iter().zip(tokens).all(|(word, token)| page.word(token) == *word)
}

/// "five nodes an hour": the hour is no duration.
fn is_rate(page: &Page<'_>, sentence: &[Token], from: usize) -> bool {
    is_article(page.word(&sentence[from]))
        && !matches!(
            word_before(page, sentence, from),
            "after" | "within" | "for" | "until" | "is" | "takes" | "lasts" | "than" | "every"
        )
}

/// "falls from 141 GB to 24 GB": a change, whose first figure no longer holds.
fn is_change(page: &Page<'_>, sentence: &[Token], from: usize) -> bool {
    let before = word_before(page, sentence, from);
    let has = |word: &str| sentence.iter().any(|token| page.word(token).eq_ignore_ascii_case(word));
    matches!(before, "from" | "to") && has("from") && has("to")
}

fn number(text: &str) -> Option<f64> {
    let thousands = text.rsplit_once(',').is_some_and(|(_, last)| last.len() == 3 || last.contains('.'));
    let plain = if thousands { text.replace(',', "") } else { text.replace(',', ".") };
    plain.parse().ok()
}

/// `version 2`, `section 3`, `18:00`, `9 January`: no quantity.
fn is_part_of_name(page: &Page<'_>, sentence: &[Token], at: usize) -> bool {
    let before = at.checked_sub(1).map(|at| &sentence[at]);
    let joined = |token: Option<&Token>, next: Option<&Token>| {
        token.is_some_and(|token| matches!(page.word(token), ":" | "-" | "." | "/" | "\u{2013}"))
            && next.is_some_and(|next| next.has(TIGHT))
    };
    // "2 minutes 3 seconds", "30M-gas"
    let goes_on =
        before.is_some_and(|before| unit_of(page.word(before)).is_some() && before.kind == Kind::Word);
    goes_on
        || joined(before, sentence.get(at))
        || joined(sentence.get(at + 1), sentence.get(at + 2)) && page.word(&sentence[at + 1]) == ":"
        || before.is_some_and(|before| {
            let name = page.word(before).to_lowercase();
            [
                "version", "section", "step", "level", "table", "figure", "phase", "tier", "point", "page",
                "rfc", "no",
            ]
            .contains(&name.as_str())
        })
}

/// Words that two figures share, of 100 of the fewer.
const MIN_NEAR_PERCENT: usize = 60;
const MIN_COMPARED_PERCENT: usize = 75;
const MIN_WIDE_PERCENT: usize = 70;
const MIN_RELATED_PERCENT: usize = 60;
/// So many figures with one word are compared.
const MAX_COMPARED: usize = 32;
/// Agreements that differ less are equally good.
const SAME_RATE: usize = 5;
/// Where a thing has more values, they are variants.
const MAX_VALUES: usize = 2;

fn conflicting(across: &Across<'_, '_>, figures: &mut [Figure<'_>]) -> Vec<Hit> {
    without_common_words(figures);
    let figures: &[Figure<'_>] = figures;
    let mut by_word: HashMap<(Root, Root), Vec<usize>, RandomState> = HashMap::default();
    for (at, figure) in figures.iter().enumerate() {
        for word in &figure.wide {
            by_word.entry((figure.dimension, *word)).or_default().push(at);
        }
    }
    let mut found: Vec<Hit> = Vec::new();
    // The last figure that each one was held against.
    let mut seen = vec![usize::MAX; figures.len()];
    for (at, figure) in figures.iter().enumerate() {
        let same = figure.wide.iter().filter_map(|word| by_word.get(&(figure.dimension, *word)));
        let others = same.flat_map(|same| same.iter().filter(|other| **other != at).take(MAX_COMPARED));
        let new = others.filter(|other| std::mem::replace(&mut seen[**other], at) != at);
        let rated: Vec<(usize, usize)> =
            new.filter_map(|other| Some((agreement(figure, &figures[*other])?, *other))).collect();
        let best = rated.iter().max_by_key(|(rate, other)| (*rate, usize::MAX - *other));
        // Running prose tells of figures that it does not demand.
        let is_told = |other: usize| {
            let is_prose = |one: &Figure<'_>| across.pages[one.page as usize].register.style == Style::Prose;
            let both = [figure, &figures[other]];
            both.iter().all(|one| is_prose(one) && !one.is_demanded)
        };
        // As good as the best one: of more than two values each is the value of a case.
        let is_of_few = |most: usize| {
            let near = rated.iter().filter(|(rate, _)| rate + SAME_RATE >= most);
            let values = near.map(|(_, other)| figures[*other].value.to_bits());
            values.chain([figure.value.to_bits()]).collect::<BTreeSet<_>>().len() <= MAX_VALUES
        };
        if let Some((_, other)) = best.filter(|(most, other)| {
            *other < at && !is_told(*other) && differ(figure, &figures[*other]) && is_of_few(*most)
        }) {
            found.push(conflict(across, figure, &figures[*other]));
        }
    }
    without_variants(found, figures)
}

/// A document with more conflicts than these, and in more than one of so many of its figures, compares variants.
const MAX_CONFLICTS: usize = 3;
const CONFLICT_SHARE: usize = 4;

fn without_variants(found: Vec<Hit>, figures: &[Figure<'_>]) -> Vec<Hit> {
    let counted = |pages: &mut dyn Iterator<Item = u32>| {
        let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
        pages.for_each(|page| *counts.entry(page).or_default() += 1);
        counts
    };
    let all = counted(&mut figures.iter().map(|figure| figure.page));
    let mut conflicts = counted(&mut found.iter().map(|hit| hit.page));
    conflicts.retain(|page, count| *count <= MAX_CONFLICTS.max(all[page] / CONFLICT_SHARE));
    found.into_iter().filter(|hit| conflicts.contains_key(&hit.page)).collect()
}

/// A word beside figures in more than so many units is what the document is about, and tells nothing apart.
const MAX_COMMON: usize = 5;
/// and in more than one of so many.
const COMMON_SHARE: usize = 5;

fn without_common_words(figures: &mut [Figure<'_>]) {
    let mut counts: HashMap<(u32, Root), usize, RandomState> = HashMap::default();
    let (mut seen, mut units) = (None, HashMap::<u32, usize>::new());
    for figure in figures.iter() {
        if seen.replace((figure.page, figure.unit)) == Some((figure.page, figure.unit)) {
            continue;
        }
        *units.entry(figure.page).or_default() += 1;
        for word in &figure.wide {
            *counts.entry((figure.page, *word)).or_default() += 1;
        }
    }
    for figure in figures {
        let page = figure.page;
        let most = MAX_COMMON.max(units[&page] / COMMON_SHARE);
        let is_rare = |word: &Root| counts.get(&(page, *word)).is_none_or(|count| *count <= most);
        figure.near.retain(is_rare);
        figure.wide.retain(is_rare);
    }
}

pub(super) fn differ(a: &Figure<'_>, b: &Figure<'_>) -> bool {
    (a.value - b.value).abs() > 1e-6 * a.value.abs().max(b.value.abs())
}

/// How well two figures agree on what they are about, in percent; none where they are about different things.
pub(super) fn agreement(a: &Figure<'_>, b: &Figure<'_>) -> Option<usize> {
    let is_same_place =
        a.page == b.page && (a.unit == b.unit || a.section == b.section && a.table == b.table);
    // "At least 5" and "at most 9" go together.
    let are_two_bounds = a.bound.is_some() && b.bound.is_some() && a.bound != b.bound;
    let are_variants = !a.names.is_empty() && !b.names.is_empty() && a.names.is_disjoint(&b.names);
    // The rows of a list of requirements are sentences of their own, whatever their first cell says.
    let are_requirements = a.label.is_some() && b.label.is_some();
    let are_rows = a.table.is_some() && b.table.is_some() && !are_requirements;
    let are_rows = are_rows && (a.row.is_empty() || shared(&a.row, &b.row) == 0);
    // Rows of one table, items of one section: variants, and not the same thing twice.
    if is_same_place || are_variants || are_rows || are_two_bounds {
        return None;
    }
    let share = |a: &[Root], b: &[Root]| {
        let shared = shared(a, b);
        (shared, shared * 100 / a.len().min(b.len()).max(1))
    };
    let (near, near_percent) = share(&a.near, &b.near);
    let (wide, wide_percent) = share(&a.wide, &b.wide);
    let refers = a.label.is_some_and(|label| b.ids.contains(label))
        || b.label.is_some_and(|label| a.ids.contains(label));
    if a.is_background || b.is_background {
        return (wide >= 3 && wide_percent >= MIN_WIDE_PERCENT).then_some(wide_percent);
    }
    let speaks =
        |a: &Figure<'_>, b: &Figure<'_>| a.subject.as_ref().is_some_and(|pair| b.pairs.contains(pair));
    let same_head = a.head.is_some() && a.head == b.head && a.table.is_some() != b.table.is_some();
    if speaks(a, b) || speaks(b, a) || same_head {
        return Some(200 + near);
    }
    let is_compared = a.is_compared || b.is_compared;
    let least = if is_compared { MIN_COMPARED_PERCENT } else { MIN_NEAR_PERCENT };
    if near >= 2 && near_percent >= least {
        return Some(100 + near_percent + near);
    }
    if !is_compared && wide >= 3 && wide_percent >= MIN_WIDE_PERCENT {
        return Some(wide_percent + wide);
    }
    // "within 15 minutes" and "within an hour" limit the same.
    let is_same_relation = a.relation.is_some() && a.relation == b.relation;
    if is_same_relation && !is_compared && wide >= 2 && wide_percent >= MIN_RELATED_PERCENT {
        return Some(wide_percent + wide);
    }
    (refers && wide >= 2).then_some(70)
}

/// How many roots are in both.
fn shared(a: &[Root], b: &[Root]) -> usize {
    let (fewer, more) = if a.len() < b.len() { (a, b) } else { (b, a) };
    fewer.iter().filter(|root| more.binary_search(root).is_ok()).count()
}

fn conflict(across: &Across<'_, '_>, figure: &Figure<'_>, other: &Figure<'_>) -> Hit {
    let page = &across.pages[other.page as usize];
    let text = page.text[other.range.clone()].to_owned();
    let line = page.line(other.range.start).to_string();
    let hit = hit(figure.range.clone()).with("other", text).with("line", line);
    Hit { page: figure.page, related: vec![(other.page, other.range.clone())], ..hit }
}

/// Bounds without a unit: "falls below 10,".
pub fn bare_numbers(on: &OnPage<'_, '_>) -> Vec<Hit> {
    let bound = on.rule.set("bound");
    let mut found = Vec::new();
    for unit in judged(on).filter(|unit| unit.kind != UnitKind::Heading) {
        for sentence in on.page.sentences_of(unit) {
            for at in 0..sentence.len() {
                let end = bound.at(sentence, at);
                found.extend(end.and_then(|end| bare_number(on, unit, sentence, at..end)));
            }
        }
    }
    found
}

/// A cell with fewer words is a value, whose unit is in the header.
const MIN_CELL_WORDS: usize = 6;

fn bare_number(on: &OnPage<'_, '_>, unit: &Unit, sentence: &[Token], bound: Range<usize>) -> Option<Hit> {
    let Range { start: at, end } = bound;
    let number = sentence.get(end).filter(|token| token.kind == Kind::Number)?;
    let next = sentence.get(end + 1);
    let ends = next.is_none_or(|next| matches!(on.page.word(next), "," | "." | ";" | ")"))
        || on.rule.set("follow").at(sentence, end + 1).is_some();
    let is_plain = !on.page.word(number).contains('.')
        && next.is_none_or(|next| !next.has(TIGHT) || next.kind == Kind::Sign);
    let words = sentence.iter().filter(|token| token.kind == Kind::Word).count();
    let is_value = unit.cell.is_some() && words < MIN_CELL_WORDS;
    // "within 30 and 90 days"
    let is_pair = next.is_some_and(|next| matches!(on.page.word(next), "and" | "or" | "to" | ","))
        && sentence.get(end + 2).is_some_and(|token| token.kind == Kind::Number);
    let counts = is_pair || on.rule.unless.is_in(sentence) || is_value;
    (ends && is_plain && !counts && is_duty(on.page, unit, sentence, on.rules))
        .then(|| hit_on(&sentence[at..=end]))
        .flatten()
}
