//! What became of old content that does not embed: every old piece is given a counterpart, or is gone.
//!
//! A counterpart is the same text in the same parent, in another place if need be; else the piece with the same
//! id, key or row header; else the only unpaired one of its sort between the same neighbours; else one that has at
//! least half of its words in order. Only what has no counterpart in its parent is looked for elsewhere.
//!
//! The outcome is a mapping with its deviations. So it is sound whatever a heuristic picks: where nothing is
//! reported, the mapping is an embedding.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use super::change;
use super::embed::{Embedding, is_text, names_of};
use super::fold::{shown, without_targets, words_of};
use super::page::DEFINITIONS;
use super::pieces::{NO_NUMBER, NONE, Order, Pieces, Sort};
use crate::additive::block::html::Context;
use crate::additive::{Class, Freedom, Kind};

/// A deviation: an old piece, what it became, and the kind of the change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deviation {
    pub old: u32,
    pub new: Option<u32>,
    pub class: Class,
    pub kind: Kind,
    /// More than kind and texts say.
    pub note: Option<&'static str>,
}

/// A word on more pieces than this says nothing about which is meant.
const COMMON_WORD: usize = 16;
/// So many candidates are compared word by word.
const CANDIDATES: usize = 4;
/// So many lost texts are looked for in comments and code.
const LOOKED_FOR: usize = 40;

pub struct Pairing<'a> {
    old: &'a Pieces,
    new: &'a Pieces,
    freedom: &'a Freedom,
    pub deviations: Vec<Deviation>,
    /// New pieces that are the counterpart of an old one.
    pub is_taken: Vec<bool>,
    /// Old pieces without a counterpart in their parent.
    unpaired: Vec<u32>,
}

/// Two rows of children that are paired with each other, by their place in the rows.
struct Rows {
    old: Vec<u32>,
    new: Vec<u32>,
    /// The partner of each.
    of_old: Vec<Option<usize>>,
    of_new: Vec<Option<usize>>,
}

impl Rows {
    fn join(&mut self, i: usize, j: usize) {
        (self.of_old[i], self.of_new[j]) = (Some(j), Some(i));
    }

    fn part(&mut self, i: usize) {
        if let Some(j) = self.of_old[i].take() {
            self.of_new[j] = None;
        }
    }
}

impl<'a> Pairing<'a> {
    pub fn new(old: &'a Pieces, new: &'a Pieces, freedom: &'a Freedom) -> Pairing<'a> {
        let is_taken = vec![false; new.count()];
        Pairing { old, new, freedom, deviations: Vec::new(), is_taken, unpaired: Vec::new() }
    }

    /// Pairs everything, from the roots down.
    pub fn run(&mut self) {
        self.is_taken[0] = true;
        self.children(0, 0);
        self.find_elsewhere();
    }

    /// Pairs what has these counterparts, and looks elsewhere for what has none.
    pub fn run_with(&mut self, counterparts: &[(u32, Option<u32>)]) {
        for (old, new) in counterparts {
            match new {
                Some(new) => self.pair(*old, *new),
                None => self.unpaired.push(*old),
            }
        }
        self.find_elsewhere();
    }

    fn embeds(&mut self, u: u32, v: u32) -> bool {
        let mut search = Embedding::new(self.old, self.new, self.freedom);
        let is_embedded = search.embeds(u, v);
        for (_, image) in search.pairs {
            self.is_taken[image as usize] = true;
        }
        is_embedded
    }

    fn deviate(&mut self, old: u32, new: Option<u32>, class: Class, kind: Kind) {
        self.deviations.push(Deviation { old, new, class, kind, note: None });
    }

    /// Two pieces are counterparts: what differs is told.
    fn pair(&mut self, u: u32, v: u32) {
        if self.embeds(u, v) {
            return;
        }
        self.is_taken[v as usize] = true;
        self.labels(u, v);
        if self.old.at(u).sort == self.new.at(v).sort {
            self.children(u, v);
        } else {
            self.unpaired.extend(self.old.children(u));
        }
    }

    /// What differs in the labels of two counterparts.
    fn labels(&mut self, u: u32, v: u32) {
        let look = Embedding::new(self.old, self.new, self.freedom);
        let (a, b) = (self.old.at(u), self.new.at(v));
        if a.sort != b.sort || !look.fits_text(u, v) {
            return self.texts(u, v);
        }
        if a.number != NO_NUMBER && a.sort == Sort::Item && a.number != b.number {
            self.deviate(u, Some(v), Class::Changed, Kind::Renumbered);
        }
        let look = Embedding::new(self.old, self.new, self.freedom);
        if !look.fits_context(u, v) && !self.is_told_of_others(u, v) {
            self.contexts(u, v);
        } else if !look.fits_tag(u, v) {
            let (kind, note) = match a.sort {
                Sort::Item => (Kind::Unticked, None),
                Sort::Scalar => (Kind::Wording, None),
                Sort::Section | Sort::Heading => (Kind::Wording, Some("is a heading of another level now")),
                _ => (Kind::Moved, None),
            };
            self.deviations.push(Deviation { old: u, new: Some(v), class: Class::Changed, kind, note });
        } else if !look.fits_links(u, v) {
            self.deviate(u, Some(v), Class::Changed, Kind::Retargeted);
        }
    }

    /// Whether it is what a piece holds, or what holds it, that is told to be inside of other raw HTML.
    fn is_told_of_others(&self, u: u32, v: u32) -> bool {
        let (sort, above) = (self.old.at(u).sort, |pieces: &Pieces, at: u32| pieces.at(at).parent);
        let text = self.old.text(u);
        let is_end_tag =
            sort == Sort::Html && text.starts_with("</") && text.find('>') == Some(text.len() - 1);
        if is_end_tag || matches!(sort, Sort::Item | Sort::Quote | Sort::Table | Sort::Cell) {
            return true;
        }
        if !self.is_in_cell(u) {
            return false;
        }
        let (row, new_row) = (above(self.old, above(self.old, u)), above(self.new, above(self.new, v)));
        self.old.at(u).context == self.old.at(row).context
            && self.new.at(v).context == self.new.at(new_row).context
    }

    /// Two counterparts inside of different raw HTML. What is inside of none any more is shown to everybody.
    fn contexts(&mut self, u: u32, v: u32) {
        let (was, is) = (self.old.context_of(u), self.new.context_of(v));
        let was_struck = Context::name(was).is_some_and(|name| ["del", "s", "strike"].contains(&name));
        let is_folded = Context::folds(is) > Context::folds(was);
        let (class, kind, note) = match (is.is_empty(), Context::name(is)) {
            (true, _) if was_struck => (Class::Changed, Kind::Struck, None),
            (true, _) => (Class::Changed, Kind::Wording, Some("is not inside of raw HTML any more")),
            (false, _) if is_folded => (Class::Changed, Kind::Folded, None),
            (false, Some("details")) => {
                (Class::Changed, Kind::Moved, Some("is inside of another <details> now"))
            }
            (false, _) => (Class::Gone, Kind::Gone, Some("is inside of other raw HTML now")),
        };
        self.deviations.push(Deviation { old: u, new: Some(v), class, kind, note });
    }

    /// Two counterparts with different texts.
    fn texts(&mut self, u: u32, v: u32) {
        let (was, is) = (self.old.compared_text(u), self.new.compared_text(v));
        if self.old.at(u).sort == Sort::Code && is_subsequence(was.lines(), is.lines()) {
            return self.deviate(u, Some(v), Class::Changed, Kind::CodeExtended);
        }
        let is_page = self.old.at(u).sort != Sort::Scalar;
        let has_other_image = is_page && was != is && without_targets(was) == without_targets(is);
        if self.is_definition(u) || has_other_image {
            return self.deviate(u, Some(v), Class::Changed, Kind::Retargeted);
        }
        if is_page && words_of(was) == words_of(is) {
            return self.deviate(u, Some(v), Class::Changed, Kind::Struck);
        }
        if self.old.at(u).sort == Sort::Code {
            return self.code(u, v);
        }
        let kind = change::kind(&without_targets(was), &without_targets(is));
        let (kept, words) = change::kept_words(was, is);
        let is_value = self.old.at(u).sort == Sort::Scalar && self.new.at(v).sort == Sort::Scalar;
        let is_told_by_place = is_value || matches!(kind, Kind::Number | Kind::Date) && self.is_in_cell(u);
        match 5 * kept < words && (is.is_empty() || !is_told_by_place) {
            true => self.deviate(u, Some(v), Class::Gone, Kind::Gone),
            false => self.deviate(u, Some(v), Class::Changed, kind),
        }
    }

    /// Two blocks of code that differ.
    fn code(&mut self, u: u32, v: u32) {
        let (was, is) = (self.old.text(u), self.new.text(v));
        let (kind, kept_lines) = change::code_kind(was, is);
        let (kept, words) = change::kept_words(was, is);
        match 5 * kept < words && 5 * kept_lines < was.lines().count() {
            true => self.deviate(u, Some(v), Class::Gone, Kind::Gone),
            false => self.deviate(u, Some(v), Class::Changed, kind),
        }
    }

    /// Whether a value is the target of a link definition.
    fn is_definition(&self, u: u32) -> bool {
        let above = |at: u32| if at == NONE { NONE } else { self.old.at(at).parent };
        let holder = above(above(u));
        self.old.at(u).sort == Sort::Scalar
            && holder != NONE
            && self.old.at(holder).sort == Sort::Names
            && self.old.at(holder).tag == DEFINITIONS
    }

    fn is_in_cell(&self, u: u32) -> bool {
        let parent = self.old.at(u).parent;
        parent != NONE && self.old.at(parent).sort == Sort::Cell
    }

    fn children(&mut self, u: u32, v: u32) {
        match self.old.at(u).sort.order() {
            Order::Named => self.by_name(u, v),
            Order::Positions => self.by_position(u, v, None),
            Order::Sequence if self.old.at(u).sort == Sort::Table => self.table(u, v),
            Order::Sequence => self.in_sequence(u, v),
        }
    }

    fn by_name(&mut self, u: u32, v: u32) {
        let (old, new) = (self.old, self.new);
        let names = names_of(new, v);
        let look = Embedding::new(old, new, self.freedom);
        for child in old.children(u) {
            match names.get(old.text(child)) {
                Some(image) if old.at(child).is_free => {
                    if !look.keeps_a_value(child, *image) {
                        self.deviate(old.at(child).first, None, Class::Gone, Kind::Gone);
                    }
                }
                Some(image) => self.pair(child, *image),
                None if old.at(child).may_go => {}
                None => self.unpaired.push(child),
            }
        }
    }

    /// Pairs cells by their number, or by where their column is now.
    fn by_position(&mut self, u: u32, v: u32, columns: Option<&[usize]>) {
        let new: Vec<u32> = self.new.children(v).collect();
        for (at, cell) in self.old.children(u).enumerate() {
            let at = columns.map_or(Some(at), |columns| columns.get(at).copied());
            match at.and_then(|at| new.get(at)) {
                Some(image) => self.pair(cell, *image),
                None => self.unpaired.extend(self.old.children(cell)),
            }
        }
    }

    /// A table: its header first, and its rows by the order that the columns have now.
    fn table(&mut self, u: u32, v: u32) {
        let (a, b) = (self.old.at(u).first, self.new.at(v).first);
        if a == NONE || b == NONE {
            return self.in_sequence(u, v);
        }
        let columns = self.columns(a, b).filter(|columns| !columns.iter().copied().eq(0..columns.len()));
        let Some(columns) = columns else { return self.in_sequence(u, v) };
        let (class, kind, note) =
            (Class::Changed, Kind::Reordered, Some("has its columns in other places now"));
        self.deviations.push(Deviation { old: a, new: Some(b), class, kind, note });
        self.is_taken[b as usize] = true;
        let mut rows = self.rows(u, v);
        self.join_alike(&mut rows, &|pairing, pieces, at| pairing.header_of_row(pieces, at, &columns));
        for i in 0..rows.old.len() {
            match rows.of_old[i] {
                Some(j) => {
                    self.is_taken[rows.new[j] as usize] = true;
                    self.by_position(rows.old[i], rows.new[j], Some(&columns));
                }
                None => self.unpaired.push(rows.old[i]),
            }
        }
    }

    /// The first cell of an old row, or what is in its column of a new one.
    fn header_of_row(&self, pieces: &Pieces, at: u32, columns: &[usize]) -> Option<String> {
        let column = if std::ptr::eq(pieces, self.new) { columns.first().copied()? } else { 0 };
        let cell = pieces.children(at).nth(column)?;
        let text: Vec<&str> = pieces.children(cell).map(|child| pieces.compared_text(child)).collect();
        Some(text.join(" "))
    }

    /// Where the columns of an old header are in a new one, if all of them are there.
    fn columns(&self, a: u32, b: u32) -> Option<Vec<usize>> {
        let names = |pieces: &Pieces, row: u32| -> Vec<String> {
            let text = |cell: u32| {
                pieces.children(cell).map(|child| pieces.compared_text(child)).collect::<Vec<_>>()
            };
            pieces.children(row).map(|cell| text(cell).join(" ")).collect()
        };
        let (old, new) = (names(self.old, a), names(self.new, b));
        let mut places: HashMap<&str, VecDeque<usize>> = HashMap::new();
        new.iter().enumerate().for_each(|(at, name)| places.entry(name).or_default().push_back(at));
        old.iter().map(|name| places.get_mut(name.as_str())?.pop_front()).collect()
    }

    fn rows(&self, u: u32, v: u32) -> Rows {
        let old: Vec<u32> = self.old.children(u).filter(|child| !self.old.at(*child).is_free).collect();
        // What is free and the same is paired with itself.
        let free = self.old.children(u).filter(|child| self.old.at(*child).is_free);
        let mut free: Vec<u64> = free.map(|child| self.old.at(child).whole).collect();
        let is_open = |child: &u32| {
            let same = free.iter().position(|whole| *whole == self.new.at(*child).whole);
            same.map(|at| free.swap_remove(at)).is_none()
        };
        let new: Vec<u32> = self.new.children(v).filter(is_open).collect();
        let (of_old, of_new) = (vec![None; old.len()], vec![None; new.len()]);
        Rows { old, new, of_old, of_new }
    }

    fn in_sequence(&mut self, u: u32, v: u32) {
        let mut rows = self.rows(u, v);
        self.join_ends(&mut rows);
        self.join_alike(&mut rows, &|_, pieces, at| Some(pieces.at(at).whole.to_string()));
        self.join_alike(&mut rows, &|_, pieces, at| opening(pieces, at));
        self.join_alike(&mut rows, &|_, pieces, at| id(pieces, at));
        let moved = self.out_of_order(&mut rows);
        self.join_neighbours(&mut rows);
        self.join_similar(&mut rows);
        self.values(u, v, &rows);
        for i in 0..rows.old.len() {
            let child = rows.old[i];
            match rows.of_old[i] {
                Some(j) => {
                    if moved.contains(&i) {
                        self.deviate(child, Some(rows.new[j]), Class::Changed, Kind::Reordered);
                    }
                    self.pair(child, rows.new[j]);
                }
                None => self.unpaired.push(child),
            }
        }
    }

    /// A text that may become another one is gone where no new text is left for it.
    fn values(&mut self, u: u32, v: u32, rows: &Rows) {
        let is_value =
            |at: &u32| self.old.at(*at).is_free && !self.old.at(*at).may_go && is_text(self.old, at);
        let values: Vec<u32> = self.old.children(u).filter(is_value).collect();
        if values.is_empty() {
            return;
        }
        let is_left = |at: u32| match rows.new.iter().position(|new| *new == at) {
            Some(j) => rows.of_new[j].is_none(),
            None => true,
        };
        let has_room = self.new.children(v).any(|at| is_text(self.new, &at) && is_left(at));
        let look = Embedding::new(self.old, self.new, self.freedom);
        for value in values.into_iter().filter(|value| !look.keeps_labels(*value, v, has_room)) {
            self.deviate(value, None, Class::Gone, Kind::Gone);
        }
    }

    /// Pairs what both rows begin and end with alike.
    fn join_ends(&mut self, rows: &mut Rows) {
        let (mut start, mut end) = (0, 0);
        let shorter = rows.old.len().min(rows.new.len());
        while start < shorter && self.embeds(rows.old[start], rows.new[start]) {
            rows.join(start, start);
            start += 1;
        }
        while start + end < shorter {
            let (i, j) = (rows.old.len() - 1 - end, rows.new.len() - 1 - end);
            if !self.embeds(rows.old[i], rows.new[j]) {
                break;
            }
            rows.join(i, j);
            end += 1;
        }
    }

    /// Pairs the unpaired with the same sort and key, the first with the first.
    fn join_alike(&self, rows: &mut Rows, key: &dyn Fn(&Self, &Pieces, u32) -> Option<String>) {
        let mut places: HashMap<(Sort, String), VecDeque<usize>> = HashMap::new();
        for (j, at) in rows.new.iter().enumerate().filter(|(j, _)| rows.of_new[*j].is_none()) {
            if let Some(key) = key(self, self.new, *at) {
                places.entry((self.new.at(*at).sort, key)).or_default().push_back(j);
            }
        }
        if places.is_empty() {
            return;
        }
        for i in 0..rows.old.len() {
            if rows.of_old[i].is_some() {
                continue;
            }
            let found = key(self, self.old, rows.old[i])
                .and_then(|key| places.get_mut(&(self.old.at(rows.old[i]).sort, key))?.pop_front());
            if let Some(j) = found {
                rows.join(i, j);
            }
        }
    }

    /// The pairs that are not in order, all others being the most that are. One for which there is an equal
    /// unpaired piece in its place is paired with that.
    fn out_of_order(&self, rows: &mut Rows) -> HashSet<usize> {
        let in_order = longest_in_order(&rows.of_old);
        let mut moved: HashSet<usize> = HashSet::new();
        let mut open: HashMap<u64, Vec<usize>> = HashMap::new();
        for (j, at) in rows.new.iter().enumerate().filter(|(j, _)| rows.of_new[*j].is_none()) {
            open.entry(self.new.at(*at).whole).or_default().push(j);
        }
        let mut after = rows.new.len();
        let mut ends = vec![after; rows.old.len()];
        for i in (0..rows.old.len()).rev() {
            ends[i] = after;
            if in_order[i] {
                after = rows.of_old[i].unwrap_or(after);
            }
        }
        let mut start = 0;
        for i in 0..rows.old.len() {
            let Some(j) = rows.of_old[i] else { continue };
            if in_order[i] {
                start = j + 1;
                continue;
            }
            let here = open.get(&self.old.at(rows.old[i]).whole).and_then(|places| {
                let first = places.partition_point(|place| *place < start);
                places.get(first).copied().filter(|place| *place < ends[i] && rows.of_new[*place].is_none())
            });
            match here {
                Some(place) => {
                    rows.part(i);
                    rows.join(i, place);
                    start = place + 1;
                }
                None => {
                    moved.insert(i);
                }
            }
        }
        moved
    }

    /// Pairs the only unpaired piece of its sort between two neighbours.
    fn join_neighbours(&self, rows: &mut Rows) {
        let in_order = longest_in_order(&rows.of_old);
        let mut gaps: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let (mut start, mut anchors) = (0, vec![0]);
        for (i, place) in rows.of_old.iter().enumerate() {
            match place {
                Some(j) if in_order[i] => {
                    start = j + 1;
                    anchors.push(start);
                }
                Some(_) => {}
                None => gaps.entry(start).or_default().push(i),
            }
        }
        for (start, olds) in gaps {
            let next = anchors.partition_point(|anchor| *anchor <= start);
            let end = anchors.get(next).map_or(rows.new.len(), |anchor| anchor - 1);
            let news: Vec<usize> = (start..end).filter(|j| rows.of_new[*j].is_none()).collect();
            let mut sorts: HashMap<Sort, (Vec<usize>, Vec<usize>)> = HashMap::new();
            for i in olds {
                sorts.entry(self.old.at(rows.old[i]).sort).or_default().0.push(i);
            }
            for j in news {
                sorts.entry(self.new.at(rows.new[j]).sort).or_default().1.push(j);
            }
            for (olds, news) in sorts.into_values() {
                if let ([i], [j]) = (&olds[..], &news[..])
                    && !self.was_inside(rows.old[*i], rows.new[*j])
                {
                    rows.join(*i, *j);
                }
            }
        }
    }

    /// Whether a new piece is what was inside of an old one, such as the sub-item of an item that is gone.
    fn was_inside(&self, u: u32, v: u32) -> bool {
        let (sort, Some(text)) = (self.new.at(v).sort, opening(self.new, v)) else { return false };
        let is_it =
            |child: u32| self.old.at(child).sort == sort && opening(self.old, child).as_ref() == Some(&text);
        self.old.children(u).any(is_it)
    }

    /// Pairs pieces of which at least half of the words are in order in another.
    fn join_similar(&self, rows: &mut Rows) {
        let mut places: HashMap<(Sort, String), Vec<usize>> = HashMap::new();
        for (j, at) in rows.new.iter().enumerate().filter(|(j, _)| rows.of_new[*j].is_none()) {
            let words: HashSet<String> =
                spoken(self.new, *at).split_whitespace().map(str::to_owned).collect();
            for word in words {
                places.entry((self.new.at(*at).sort, word)).or_default().push(j);
            }
        }
        if places.is_empty() {
            return;
        }
        for i in 0..rows.old.len() {
            if rows.of_old[i].is_some() {
                continue;
            }
            let (sort, text) = (self.old.at(rows.old[i]).sort, spoken(self.old, rows.old[i]));
            let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
            for word in text.split_whitespace().collect::<HashSet<_>>() {
                let found = places.get(&(sort, word.to_owned())).filter(|found| found.len() <= COMMON_WORD);
                found.into_iter().flatten().for_each(|j| *counts.entry(*j).or_default() += 1);
            }
            let mut best: Vec<(usize, usize)> = counts.into_iter().map(|(j, count)| (count, j)).collect();
            best.sort_by_key(|(count, j)| (usize::MAX - count, *j));
            let is_alike = |j: &usize| {
                let (kept, words) = change::kept_words(&text, &spoken(self.new, rows.new[*j]));
                let is_open = rows.of_new[*j].is_none() && !self.was_inside(rows.old[i], rows.new[*j]);
                is_open && 2 * kept >= words
            };
            let found = best.into_iter().take(CANDIDATES).map(|(_, j)| j).find(is_alike);
            if let Some(j) = found {
                rows.join(i, j);
            }
        }
    }

    /// Looks for what has no counterpart in its parent: elsewhere in the document, or hidden in it.
    fn find_elsewhere(&mut self) {
        let mut open: HashMap<(Sort, String), VecDeque<u32>> = HashMap::new();
        let mut hidden = String::new();
        for at in 1..self.new.count() as u32 {
            if self.is_taken[at as usize] {
                continue;
            }
            if let Some(key) = opening(self.new, at) {
                open.entry((self.new.at(at).sort, key)).or_default().push_back(at);
            }
            if matches!(self.new.at(at).sort, Sort::Code | Sort::Html | Sort::Comment) {
                hidden.push_str(self.new.text(at));
                hidden.push('\n');
            }
        }
        let hidden = super::fold::folded(&hidden);
        let mut looked_for = 0;
        let mut queue: VecDeque<u32> = std::mem::take(&mut self.unpaired).into();
        while let Some(u) = queue.pop_front() {
            let sort = self.old.at(u).sort;
            let found = opening(self.old, u).and_then(|key| {
                let places = open.get_mut(&(sort, key))?;
                while let Some(place) = places.pop_front() {
                    if !self.is_taken[place as usize] {
                        return Some(place);
                    }
                }
                None
            });
            if let Some(v) = found.filter(|_| sort != Sort::Cell) {
                self.deviate(u, Some(v), Class::Changed, Kind::Moved);
                let so_far = self.deviations.len();
                self.pair(u, v);
                // A heading that moved may have another level there: that is one change.
                let is_same = |one: &Deviation| one.old == u && one.kind == Kind::Wording;
                if self.deviations.get(so_far).is_some_and(is_same) {
                    self.deviations.remove(so_far);
                }
            } else {
                let is_text = matches!(sort, Sort::Sentence | Sort::Section | Sort::Heading | Sort::Line);
                let text = self.old.compared_text(u);
                let is_hidden =
                    is_text && looked_for < LOOKED_FOR && !text.is_empty() && hidden.contains(&shown(text));
                looked_for += usize::from(is_text);
                self.lose(u, is_hidden);
            }
            queue.extend(std::mem::take(&mut self.unpaired));
        }
    }

    /// An old piece is gone; what it holds may be elsewhere.
    fn lose(&mut self, u: u32, is_hidden: bool) {
        let sort = self.old.at(u).sort;
        let note = is_hidden.then_some("is inside of a comment, raw HTML or code now");
        let is_own = sort.is_leaf() || matches!(sort, Sort::Section | Sort::Row);
        let is_bare = self.old.at(u).first == NONE;
        if is_own
            || is_bare && matches!(sort, Sort::Name | Sort::Quote | Sort::Item | Sort::Names | Sort::Array)
        {
            self.deviations.push(Deviation { old: u, new: None, class: Class::Gone, kind: Kind::Gone, note });
        }
        if sort != Sort::Row {
            self.unpaired.extend(self.old.children(u));
        }
    }
}

/// Whether some lines are among others, in order.
fn is_subsequence<'t>(
    mut old: impl Iterator<Item = &'t str>,
    mut new: impl Iterator<Item = &'t str>,
) -> bool {
    old.all(|line| new.any(|other| other == line))
}

/// Which of some places are in a longest row of rising ones.
fn longest_in_order(places: &[Option<usize>]) -> Vec<bool> {
    // The ends of the rows so far, by their length, and what is before each.
    let (mut ends, mut before) = (Vec::<usize>::new(), vec![None; places.len()]);
    for (i, place) in places.iter().enumerate() {
        let Some(place) = place else { continue };
        let length = ends.partition_point(|end| places[*end].is_some_and(|end| end < *place));
        before[i] = length.checked_sub(1).map(|above| ends[above]);
        match ends.get_mut(length) {
            Some(end) => *end = i,
            None => ends.push(i),
        }
    }
    let mut found = vec![false; places.len()];
    let mut at = ends.last().copied();
    while let Some(i) = at {
        found[i] = true;
        at = before[i];
    }
    found
}

/// What a piece is known by besides its id: its text, or what it begins with.
pub fn opening(pieces: &Pieces, at: u32) -> Option<String> {
    let text = pieces.compared_text(at);
    let found = match pieces.at(at).sort {
        Sort::Section | Sort::Heading | Sort::Sentence | Sort::Line | Sort::Html | Sort::Comment => {
            words_of(text)
        }
        Sort::Row => text.to_owned(),
        Sort::Code => text.lines().next().unwrap_or_default().to_owned(),
        Sort::Scalar => text.to_owned(),
        Sort::Item | Sort::Quote | Sort::Table => {
            let first = pieces.children(at).next()?;
            return opening(pieces, first);
        }
        Sort::Names | Sort::Array | Sort::Name | Sort::Cell | Sort::Root => return None,
    };
    (!found.is_empty()).then_some(found)
}

/// The id of an item or heading, the header of a row, the name of an object.
fn id(pieces: &Pieces, at: u32) -> Option<String> {
    match pieces.at(at).sort {
        Sort::Item => pieces.children(at).next().and_then(|first| id_of(pieces.text(first))),
        Sort::Sentence | Sort::Section => id_of(pieces.text(at)),
        Sort::Row => {
            let cell = pieces.children(at).next()?;
            let text: Vec<&str> = pieces.children(cell).map(|child| pieces.compared_text(child)).collect();
            (!text.is_empty()).then(|| text.join(" "))
        }
        Sort::Names => {
            let names = names_of(pieces, at);
            let key = ["id", "key", "name", "slug"].iter().find_map(|key| names.get(key))?;
            let value = pieces.children(*key).next()?;
            Some(pieces.text(value).to_owned())
        }
        _ => None,
    }
}

/// The id that a text begins with: a word of letters and digits, such as `FR-1:`.
fn id_of(text: &str) -> Option<String> {
    let word = text.split_whitespace().next()?.trim_matches(|sign: char| !sign.is_alphanumeric());
    let is_id = word.len() <= 24
        && word.starts_with(|sign: char| sign.is_alphabetic())
        && word.contains(|sign: char| sign.is_ascii_digit());
    is_id.then(|| word.to_owned())
}

/// The words of a piece, by which it is found again.
fn spoken(pieces: &Pieces, at: u32) -> String {
    match pieces.at(at).sort {
        Sort::Item | Sort::Quote => {
            let texts = pieces.children(at).filter(|child| pieces.at(*child).sort == Sort::Sentence);
            texts.map(|child| pieces.text(child)).collect::<Vec<_>>().join(" ")
        }
        Sort::Names | Sort::Array => {
            let values = pieces.children(at).take(20).flat_map(|child| pieces.children(child).take(1));
            values.map(|value| pieces.text(value)).collect::<Vec<_>>().join(" ")
        }
        _ => pieces.text(at).to_owned(),
    }
}
