//! `<!-- roundtable-ignore RULE: reason -->` silences a rule in the next block, or in its own where it is inside one.
//!
//! Invariant: a comment that silences nothing is itself a finding (`unused-ignore`), so stale ones don't stay.

use std::ops::Range;

use super::facts::Check;
use super::page::{Kind, Page, front_matter};
use super::{Hit, Rules};

/// A comment with what it silences.
struct Ignore {
    page: usize,
    comment: Range<usize>,
    block: Range<usize>,
    rules: Vec<String>,
    has_reason: bool,
    used: Vec<bool>,
}

const MARK: &str = "roundtable-ignore";
/// So many comments may be for one block.
const MAX_COMMENTS: usize = 16;
/// A comment is at most so long.
const MAX_BYTES: usize = 4096;

/// How many hits comments have silenced, and how many of them without a reason.
#[derive(Clone, Copy, Default)]
pub struct Silenced {
    pub all: usize,
    pub unexplained: usize,
}

/// Takes silenced hits away, and adds hits for the comments that silence nothing.
pub fn apply(pages: &[Page<'_>], hits: Vec<Hit>, rules: &Rules, active: &[bool]) -> (Vec<Hit>, Silenced) {
    let mut all: Vec<Ignore> = pages.iter().enumerate().flat_map(|(at, page)| comments(page, at)).collect();
    let mut silenced = Silenced::default();
    if all.is_empty() {
        return (hits, silenced);
    }
    all.sort_by_key(|ignore| (ignore.page, ignore.block.start, ignore.comment.start));
    let mut kept: Vec<Hit> = Vec::with_capacity(hits.len());
    for hit in hits {
        match reason_to_silence(&hit, &mut all, rules) {
            None => kept.push(hit),
            Some(has_reason) => {
                silenced.all += 1;
                silenced.unexplained += usize::from(!has_reason);
            }
        }
    }
    let own = rules.rules.iter().position(|rule| matches!(rule.check, Some(Check::Ignores)));
    if let Some(own) = own.filter(|own| active[*own]) {
        kept.extend(all.iter().filter_map(|ignore| unused(ignore, own, rules, active)));
    }
    (kept, silenced)
}

/// Whether a comment that silences the hit gives a reason; none where no comment does.
fn reason_to_silence(hit: &Hit, all: &mut [Ignore], rules: &Rules) -> Option<bool> {
    let name = &rules.rules[hit.rule].file.rule;
    let after =
        all.partition_point(|ignore| (ignore.page, ignore.block.start) <= (hit.page, hit.range.start));
    let mut found = None;
    for ignore in all[..after].iter_mut().rev().take(MAX_COMMENTS) {
        if ignore.page != hit.page || !ignore.block.contains(&hit.range.start) {
            continue;
        }
        for (rule, used) in ignore.rules.iter().zip(&mut ignore.used) {
            if rule == name {
                *used = true;
                found = Some(found == Some(true) || ignore.has_reason);
            }
        }
    }
    found
}

/// What is wrong with a comment, in one hit.
fn unused(ignore: &Ignore, own: usize, rules: &Rules, active: &[bool]) -> Option<Hit> {
    let mut problems = Vec::new();
    for (rule, used) in ignore.rules.iter().zip(&ignore.used) {
        match rules.rules.iter().position(|known| known.file.rule == *rule) {
            None => problems.push(rules.find(rule).err().unwrap_or_default()),
            Some(at) if active[at] && !used => problems.push(format!("nothing here breaks {rule}")),
            Some(_) => {}
        }
    }
    if ignore.rules.is_empty() {
        problems.push("it names no rule".to_owned());
    } else if !ignore.has_reason {
        problems.push("it gives no reason".to_owned());
    }
    (!problems.is_empty()).then(|| Hit {
        rule: own,
        page: ignore.page,
        range: ignore.comment.clone(),
        values: vec![("problem", problems.join(", and "))],
        related: Vec::new(),
    })
}

fn comments(page: &Page<'_>, number: usize) -> Vec<Ignore> {
    let mut found = Vec::new();
    let mut from = 0;
    for range in &page.html {
        if range.start < from || !page.text[range.clone()].contains(MARK) {
            continue;
        }
        let begin = page.text[range.clone()].find("<!--").map_or(range.start, |at| range.start + at);
        let close = memchr::memmem::find(
            &page.text.as_bytes()[begin..(begin + MAX_BYTES).min(page.text.len())],
            b"-->",
        );
        let end = close.map_or(range.end, |at| begin + at + 3);
        from = end;
        let inner = page.text[begin..end].trim_start_matches("<!--").trim_end_matches("-->").trim();
        let Some(rest) = inner.strip_prefix(MARK) else { continue };
        let (names, reason) = rest.split_once(':').unwrap_or((rest, ""));
        let rules: Vec<String> =
            names.split([',', ' ', '\n']).filter(|name| !name.is_empty()).map(str::to_owned).collect();
        found.push(Ignore {
            page: number,
            comment: begin..end,
            block: block(page, begin, end),
            used: vec![false; rules.len()],
            has_reason: !reason.trim().is_empty(),
            rules,
        });
    }
    found
}

/// The block that a comment is in, else the one after it: a heading, a paragraph, a whole list or table; directly below
/// front matter, where no comment has a place, that too.
fn block(page: &Page<'_>, begin: usize, end: usize) -> Range<usize> {
    let own = page.block_before(begin).map(|at| &page.blocks[at]);
    if let Some(block) = own.filter(|block| block.range.end > end) {
        return block.range.clone();
    }
    let next = page.blocks.partition_point(|block| block.range.start < end);
    let front = front_matter(page.text).end;
    let is_first = next == 0 || page.blocks[next - 1].range.start < front;
    if front > 0 && is_first {
        return 0..below(page, next, end).end;
    }
    below(page, next, end)
}

/// The block after a comment that ends here.
fn below(page: &Page<'_>, next: usize, end: usize) -> Range<usize> {
    let Some(block) = page.blocks.get(next) else { return end..end };
    let same = |other: &&super::page::Block| match (block.kind, other.kind) {
        (Kind::Cell(cell), Kind::Cell(other)) => cell.table == other.table,
        (Kind::Cell(_), _) | (_, Kind::Cell(_)) => false,
        _ => block.depth > 0 && other.depth >= block.depth && other.section == block.section,
    };
    let last = page.blocks[next + 1..].iter().take_while(same).last().unwrap_or(block);
    block.range.start..last.range.end.max(block.range.end)
}
