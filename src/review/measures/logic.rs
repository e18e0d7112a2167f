//! The logic of a sentence: several duties in one, "and" and "or" without precedence, a limit with a gap.
//!
//! `above 6 … below 6` leaves exactly 6 to nobody; `a or b and c or d` has more than one reading.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::{Hit, OnPage, hit, hit_on, judged};
use crate::review::demand::{is_duty, label};
use crate::review::page::{Page, Style, Unit, UnitKind};
use crate::review::pattern::{Set, Starts};
use crate::review::rule::Rule;
use crate::review::token::{CAPITAL, Kind, QUOTED, Token};

/// So many duties in one sentence are too many.
const MIN_DUTIES: usize = 3;

/// One sentence has several duties: "shall … and shall … and shall".
pub fn several_duties(on: &OnPage<'_, '_>) -> Vec<Hit> {
    let set = on.rule.set("duty");
    let units = judged(on).filter(|unit| unit.kind != UnitKind::Heading);
    let sentences = units.flat_map(|unit| {
        let sentences = on.page.sentences_of(unit);
        sentences.filter(|sentence| is_duty(on.page, unit, sentence, on.rules))
    });
    let several = sentences.filter(|sentence| {
        let parts = sentence.split(|token| on.page.word(token) == ";");
        let count = |part: &[Token]| (0..part.len()).filter(|at| set.at(part, *at).is_some()).count();
        parts.map(count).max().unwrap_or(0) >= MIN_DUTIES || joined_verbs(on, sentence) >= MIN_DUTIES
    });
    several.filter_map(hit_on).collect()
}

/// Verbs after a comma or "and": "prints the list, ends its loans and orders the van", "shall ring and write the log".
fn joined_verbs(on: &OnPage<'_, '_>, sentence: &[Token]) -> usize {
    let (object, no_verb) = (on.rule.set("object"), on.rule.set("no-verb"));
    let has_duty = on.rule.set("duty").is_in(sentence);
    let joins = |at: &usize| matches!(on.page.word(&sentence[*at]), "," | "and");
    let is_verb = |at: usize| {
        let word = sentence.get(at).filter(|token| token.kind == Kind::Word && !token.has(QUOTED | CAPITAL));
        let has_form = |token: &Token| has_duty || on.page.word(token).ends_with('s');
        word.is_some_and(has_form)
            && no_verb.at(sentence, at).is_none()
            && object.at(sentence, at + 1).is_some()
    };
    (0..sentence.len()).filter(joins).filter(|at| is_verb(at + 1)).count()
}

/// A clause that joins three things with "or", "and", "or" and has no sign that tells what belongs together.
pub fn mixed(on: &OnPage<'_, '_>) -> Vec<Hit> {
    let page = on.page;
    let mut found = Vec::new();
    for unit in judged(on).filter(|unit| unit.kind != UnitKind::Heading) {
        for sentence in page.sentences_of(unit).filter(|sentence| is_duty(page, unit, sentence, on.rules)) {
            let breaks = on.rule.set("break");
            let ends = |token: &Token| {
                token.kind == Kind::Sign || breaks.at(std::slice::from_ref(token), 0).is_some()
            };
            for clause in sentence.split(ends) {
                found.extend(mixed_in(page, clause));
            }
        }
    }
    found
}

fn mixed_in(page: &Page<'_>, clause: &[Token]) -> Option<Hit> {
    let is = |token: &Token, word: &str| !token.has(QUOTED) && page.word(token).eq_ignore_ascii_case(word);
    let ors: Vec<usize> = (0..clause.len()).filter(|at| is(&clause[*at], "or")).collect();
    let ands: Vec<usize> = (0..clause.len()).filter(|at| is(&clause[*at], "and")).collect();
    let (first, last) = (*ors.first()?, *ors.last()?);
    let mixes = ors.len() >= 2 && ands.iter().any(|at| *at > first);
    let either = clause.iter().any(|token| is(token, "either") || is(token, "both") || is(token, "between"));
    if !mixes || either {
        return None;
    }
    let end = last.max(*ands.last()?) + 2;
    hit_on(&clause[first.saturating_sub(1)..end.min(clause.len())])
}

/// A bound: a comparison with a number.
struct Bound {
    value: String,
    unit: String,
    side: Side,
    is_strict: bool,
    range: Range<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Above,
    Below,
}

/// Strict bounds on both sides of one number with nothing for exactly this number.
pub fn boundaries(on: &OnPage<'_, '_>) -> Vec<Hit> {
    let mut found = Vec::new();
    let words = BoundWords::of(on.rule);
    let mut last_section = u32::MAX;
    let mut bounds: Vec<Bound> = Vec::new();
    let mut text: Vec<&Unit> = Vec::new();
    for unit in judged(on) {
        if unit.section != last_section {
            found.extend(gaps(on, &bounds, &text));
            bounds.clear();
            text.clear();
            last_section = unit.section;
        }
        text.push(unit);
        for sentence in on.page.sentences_of(unit) {
            words.read(on.page, sentence, &mut bounds);
        }
    }
    found.extend(gaps(on, &bounds, &text));
    found
}

/// The rule's words for the two sides of a limit.
struct BoundWords<'r> {
    sides: [(&'r Set, Side, bool); 4],
    inclusive: &'r Set,
    /// What words for a side begin with.
    starts: Starts,
}

impl<'r> BoundWords<'r> {
    fn of(rule: &'r Rule) -> BoundWords<'r> {
        let sides = [
            ("above", Side::Above, true),
            ("below", Side::Below, true),
            ("from", Side::Above, false),
            ("to", Side::Below, false),
        ];
        let sides = sides.map(|(name, side, is_strict)| (rule.set(name), side, is_strict));
        let starts = Starts::of_any(sides.iter().map(|(set, _, _)| *set));
        BoundWords { sides, inclusive: rule.set("inclusive"), starts }
    }

    fn read(&self, page: &Page<'_>, sentence: &[Token], out: &mut Vec<Bound>) {
        for at in 0..sentence.len() {
            for (set, side, is_strict) in
                self.sides.iter().filter(|_| self.starts.has(&sentence[at])).copied()
            {
                let Some(end) = set.at(sentence, at) else { continue };
                let Some(number) = sentence.get(end).filter(|token| token.kind == Kind::Number) else {
                    continue;
                };
                let unit = sentence.get(end + 1).map_or("", |token| page.word(token)).to_lowercase();
                let range = sentence[at].start as usize..number.end as usize;
                out.push(Bound { value: page.word(number).to_owned(), unit, side, is_strict, range });
            }
            // "30 days or more", "10 or less"
            let is_inclusive = sentence[at].kind == Kind::Number
                && (1..4).any(|skip| self.inclusive.at(sentence, at + skip).is_some());
            for side in [Side::Above, Side::Below].into_iter().filter(|_| is_inclusive) {
                let value = page.word(&sentence[at]).to_owned();
                let range = sentence[at].range();
                out.push(Bound { value, unit: String::new(), side, is_strict: false, range });
            }
        }
    }
}

fn gaps(on: &OnPage<'_, '_>, bounds: &[Bound], text: &[&Unit]) -> Vec<Hit> {
    let mut found = Vec::new();
    let mut by_value: BTreeMap<&str, Vec<&Bound>> = BTreeMap::new();
    bounds.iter().for_each(|bound| by_value.entry(&bound.value).or_default().push(bound));
    by_value.retain(|_, same| (2..=MAX_BOUNDS).contains(&same.len()));
    let mut exact = None;
    for (value, all) in by_value {
        for (at, high) in all.iter().enumerate().filter(|(_, bound)| bound.is_strict) {
            let same = |other: &&&Bound| other.unit == high.unit || !other.is_strict;
            let opposite =
                all[at + 1..].iter().filter(same).find(|low| low.is_strict && low.side != high.side);
            let is_covered = all.iter().filter(same).any(|other| !other.is_strict);
            let Some(low) = opposite.filter(|_| !is_covered) else { continue };
            if exact.get_or_insert_with(|| exact_values(on, text)).contains(value) {
                continue;
            }
            let mut hit = hit(high.range.clone()).with("value", value);
            hit.values.push(("other", on.page.text[low.range.clone()].to_owned()));
            hit.related.push((0, low.range.clone()));
            found.push(hit);
        }
    }
    found
}

/// A number with more bounds in a section is no single limit.
const MAX_BOUNDS: usize = 32;

/// The numbers of "exactly 6", "equal to 6".
fn exact_values<'t>(on: &OnPage<'_, 't>, text: &[&Unit]) -> BTreeSet<&'t str> {
    let exact = on.rule.set("exact");
    let sentences = text.iter().flat_map(|unit| on.page.sentences_of(unit));
    let values = sentences.flat_map(|sentence| {
        let ends = (0..sentence.len()).filter_map(|at| exact.at(sentence, at));
        ends.filter_map(|end| sentence.get(end)).map(|token| on.page.word(token))
    });
    values.collect()
}

/// More of them are no slip.
const MAX_RARE: usize = 2;

/// Wording that is rare in a document whose requirements say it otherwise: "should" among "shall".
pub fn rare_wording(on: &OnPage<'_, '_>) -> Vec<Hit> {
    let page = on.page;
    if page.register.style != Style::Specification || page.register.has_capitals {
        return Vec::new();
    }
    let (rare, usual) = (on.rule.set("rare"), on.rule.set("usual"));
    let (mut found, mut others) = (Vec::new(), 0);
    for unit in page.units.iter().filter(|unit| unit.kind != UnitKind::Heading && !unit.is_quotation) {
        for sentence in page.sentences_of(unit) {
            let is_labelled = label(page.tokens_of(unit)).is_some() && !rare.is_in(sentence);
            others += usize::from(usual.is_in(sentence) || is_labelled);
            let is_first = found.last().is_none_or(|last: &Hit| last.range.start < unit.start as usize);
            let Some((from, to)) = rare.find(sentence).filter(|_| is_first) else { continue };
            let is_inverted = from == 0 && sentence[0].has(CAPITAL)
                || sentence.last().is_some_and(|last| page.word(last) == "?");
            let reads = unit.is_judged && on.rule.is_for(unit.kinds) && !on.rule.unless.is_in(sentence);
            if !is_inverted && reads {
                found.extend(hit_on(&sentence[from..to]));
            }
        }
    }
    // Where "should" is said more often it is a way of speaking.
    if found.len() > MAX_RARE || found.len() * 4 > others { Vec::new() } else { found }
}
