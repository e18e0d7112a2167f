//! What a message asks about, and which lines speak of it: words weigh the more the fewer lines hold them, they
//! are compared by their roots ("encryption" finds "encrypt"), and a line counts with its heading.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ops::Deref;
use std::rc::Rc;

use super::evidence::{Evidence, Line, LineKind};
use super::left_open::is_open;
use super::naming::{is_of_the_calendar, is_preposition, is_weak, names_something};
use super::paragraphs::sentences;
use super::quoting::LEADING;
use super::runs::{has_run, is_label, named_in, roots, runs};
use super::spoken;
use super::wants::{Wants, counts};
use crate::discussion::near::near_to;
use crate::discussion::root::root;
use crate::discussion::words::{VERBS_OF_A_QUESTION, is_number, is_significant, lists, subjects, words};

/// Words of a message that are looked for.
const MOST: usize = 40;
/// What a word weighs that stands nowhere, in a question and in what is told: who asks does not know the words of the
/// documents, and who tells has others to be told by; what a near one does, what one does that a line has from its
/// heading, what one that is near to a word of its heading, what one that tells little, and a span of time that stands nowhere:
/// each in percent of the word itself.
const UNKNOWN: [usize; 2] = [50, 70];
const NEAR: usize = 60;
const HEADED: usize = 40;
const NEARLY_HEADED: usize = 20;
const WEAK: usize = 35;
const EXAMPLE: usize = 20;
/// What part of all that a message names (in percent) a line has to say that is shown, and one that says a name of it.
const OF_ANY: usize = 33;
const OF_NAME: usize = 25;
/// The same of a line that answers: one with the figure or the people that are asked for, any other, and one to a
/// message with a word that stands nowhere; and one to a question for yes or no that leaves a word of it out.
const OF_MET: usize = 38;
const OF_ANSWER: usize = 52;
const OF_KNOWN: usize = 60;
const OF_NEARLY_ALL: usize = 70;
/// A word that stands in no more lines tells one line from another.
const TELLING: usize = 4;
/// A near word that stands in more lines is of the documents' own matter.
const EVERYDAY: usize = 6;

/// What stands before a German verb, and behind its sentence.
const PARTICLES: [&str; 8] = ["ab", "an", "auf", "aus", "ein", "mit", "vor", "zu"];

/// A line of so many subjects weighs half of what a very short one does.
const LENGTH: usize = 56;

/// What a word tells that so many of `all` lines have: the logarithm of how much rarer it is than they are, as in BM25
/// (Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009), in whole numbers, since these are the same on
/// every machine.
fn rarity(all: usize, having: usize) -> usize {
    log2(2 * (all + 1)).saturating_sub(log2(2 * having + 1)).max(1)
}

/// A hundred times the logarithm to the base of two, straight between its whole values.
fn log2(of: usize) -> usize {
    let whole = of.max(1).ilog2() as usize;
    whole * 100 + (of.max(1) - (1 << whole)) * 100 / (1 << whole)
}

/// As many lines that say a word are looked at.
const EVERYWHERE: usize = 1_000;

/// Something a message asks about.
#[derive(Debug)]
pub(super) struct Word {
    pub(super) root: String,
    /// The roots of a figure with what it counts, in their order: "1 GB" is "1" and "gb".
    pub(super) run: Vec<String>,
    pub(super) weight: usize,
    /// How many lines say it.
    count: usize,
    /// The roots of what says nearly the same, its own among them.
    close: Vec<&'static str>,
    /// What a line is worth that says one of them.
    pub(super) near: usize,
    /// Whether a line says it in this form.
    same: bool,
    /// Whether it tells something by itself.
    tells: bool,
}

impl Word {
    /// Whether one of some roots is near to it, and not its own.
    pub(super) fn says_nearly(&self, roots: &[String]) -> bool {
        !self.close.is_empty()
            && roots.iter().any(|root| *root != self.root && self.close.contains(&root.as_str()))
    }
}

/// What a line shares with a message: how many of its words, and their weight.
#[derive(Clone, Copy, Debug, Default)]
struct Share {
    count: usize,
    /// How many of them it says itself, and not in a word that is near.
    exact: usize,
    weight: usize,
    /// How many of them tell something by themselves.
    strong: usize,
    /// One of them is a name.
    named: bool,
    /// What it weighs more that the line begins with them: that is what it speaks of.
    lead: usize,
    /// Of a row: what it is called by, and what one of its columns is called by.
    key: bool,
    column: bool,
}

/// What the line that says most of a message shares with it.
#[derive(Debug)]
struct Measure {
    /// The weight of its best sentence.
    most: usize,
    /// The words of the message that it says, and the rarest of those, by their index.
    said: Vec<usize>,
    rarest: Vec<usize>,
}

/// What a message asks about, held against the documents: made once for a text, however often it is asked for.
#[derive(Debug)]
pub(super) struct Matched {
    pub(super) words: Vec<Word>,
    shares: BTreeMap<usize, Share>,
    /// Made of the best line when a first text is held against it.
    measure: OnceCell<Measure>,
    /// What "which …" asks for, by its root: a row is one of those, and no cell of it is what is asked.
    pub(super) kind: Option<String>,
    /// Whether the best line answers it, and is not only the nearest one.
    answers: bool,
    lines: Vec<usize>,
    /// What a word weighs that stands nowhere.
    unknown: usize,
}

/// What a message asks about, and the documents that it was held against.
pub(super) struct Asked<'a> {
    pub(super) evidence: &'a Evidence,
    matched: Rc<Matched>,
    /// The lines that speak of it, the best first; none where it is chance that they share a word.
    pub lines: Vec<usize>,
}

impl Deref for Asked<'_> {
    type Target = Matched;

    fn deref(&self) -> &Matched {
        &self.matched
    }
}

impl Matched {
    /// Holds a message against the evidence; of lines that share as much, one that has to do with `step` is first.
    pub(super) fn of(evidence: &Evidence, text: &str, step: &str) -> Matched {
        let text = &spoken::in_plain_words(text);
        let (words, shares, lines) = (Vec::new(), BTreeMap::new(), Vec::new());
        let (measure, kind) = (OnceCell::new(), kind_asked_for(text));
        let unknown = UNKNOWN[usize::from(!text.contains(['?', '？']))];
        let mut matched = Matched { words, shares, measure, kind, answers: false, lines, unknown };
        let names = named_in(text);
        let case = Wants::of(text).case;
        for (run, stem) in runs(text, evidence).into_iter().take(MOST) {
            // "If one of the two instructors is ill" is about any instructor.
            let counted = run.len() == 2 && run[0].bytes().all(|byte| byte.is_ascii_alphabetic());
            let of_them = || text.to_lowercase().contains(&format!(" of the {} ", run[0]));
            let any = case && counted && is_a_figure(&run[0]) && names_something(&stem) && of_them();
            let run = if any { run.into_iter().skip(1).collect() } else { run };
            matched.look_for(evidence, run, &stem, &names);
        }
        matched.pair_up(evidence, text);
        matched.add_numbered(evidence, text);
        let wants = Wants::of(text);
        matched.add_what_is_wanted(evidence, &wants);
        matched.lines = matched.ranked(evidence, &wants, text, &subjects(step));
        matched.answers = matched.answered(evidence, &wants, text);
        matched
    }

    /// Takes a word, or a figure with its unit, and what each line shares of it.
    fn look_for(&mut self, evidence: &Evidence, run: Vec<String>, stem: &str, names: &[String]) {
        // "Two members" is about members, once.
        if self.words.iter().any(|word| word.run == run) {
            return;
        }
        let mut said = evidence.saying(&run);
        // "Fourteen days" are 14 days.
        if said.is_empty()
            && let Some(same) = spoken::in_other_signs(&run)
        {
            let other = evidence.saying(&same);
            if !other.is_empty() {
                return self.look_for(evidence, same, stem, names);
            }
        }
        // "180 MB" stands nowhere, and the limit in MB does; what time is counted in limits nothing.
        let unit = run.last().filter(|_| run.len() > 1 && said.is_empty() && names_something(stem));
        if let Some(unit) = unit.filter(|unit| !evidence.lines_of(unit).is_empty()) {
            self.look_for(evidence, vec![unit.clone()], unit, names);
            // Who names another figure asks for the line that has one.
            let digits = run[0].starts_with(|c: char| c.is_ascii_digit());
            for at in evidence.lines_of(unit).iter().filter(|_| digits) {
                if counts(&evidence.lines[*at], unit)
                    && let Some(share) = self.shares.get_mut(at)
                {
                    share.lead += share.weight / 2;
                }
            }
            return;
        }
        if let (true, [one]) = (said.is_empty(), run.as_slice()) {
            said = Self::separated(evidence, one);
        }
        // "Silent for three hours" is an example: a line with another span of hours is about it.
        let example = run.len() > 1 && said.is_empty() && unit.is_none() && is_a_figure(&run[0]);
        if let (true, Some(unit)) = (example, run.last()) {
            let weight = rarity(evidence.lines.len(), 0) * EXAMPLE / 100;
            for at in evidence.lines_of(unit) {
                if evidence.lines.get(*at).is_some_and(|line| counts(line, unit)) {
                    self.add(*at, Share { count: 1, weight, ..Share::default() });
                }
            }
        }
        // What stands everywhere tells no line from another.
        said.truncate(EVERYWHERE);
        let root = run.join(" ");
        let exact = if run.len() > 1 || root.contains(|c: char| c.is_ascii_digit()) { 2 } else { 1 };
        let weak = run.len() == 1 && is_weak(stem);
        let all = evidence.lines.len();
        let of = |weight: usize| if weak { weight * WEAK / 100 } else { weight };
        // A figure with its unit tells more than a word that is as rare.
        let weight = of(match said.is_empty() {
            true if example => rarity(all, 0) * EXAMPLE / 100,
            true => rarity(all, 0) * self.unknown / 100,
            false => rarity(all, said.len()) * if run.len() > 1 { 2 } else { 1 },
        });
        let named = run.len() > 1 || is_label(&root) || names.contains(&root);
        let same_form = |at: &usize| evidence.lines.get(*at).is_some_and(|line| is_said_as(stem, line));
        let same: Vec<bool> = said.iter().map(same_form).collect();
        let close = near_to(&root);
        // Of the words that are near, a rare one tells more, and none tells as much as the word itself.
        let most = of(rarity(all, said.len().max(1)));
        let mut near: BTreeMap<usize, usize> = BTreeMap::new();
        for lines in close.iter().filter(|other| **other != root).map(|other| evidence.lines_of(other)) {
            for at in lines.iter().filter(|at| said.binary_search(at).is_err()) {
                let weight = near.entry(*at).or_default();
                *weight = (*weight).max(of(rarity(all, lines.len())).min(most) * NEAR / 100);
            }
        }
        let near_weight = near.values().copied().max().unwrap_or_default();
        for (at, same) in said.iter().zip(&same) {
            let of = Share {
                count: exact,
                exact: 1,
                weight: if *same { weight } else { weight * 4 / 5 },
                ..Share::default()
            };
            let leads = evidence.begins_with_one_of(*at, &run);
            let is_row = leads && evidence.lines.get(*at).is_some_and(|line| line.kind == LineKind::Row);
            let lead = if leads && !weak || named { of.weight / 5 } else { 0 };
            self.add(*at, Share { strong: usize::from(!weak), named, lead, key: is_row, ..of });
        }
        // Where no line has the word itself, what is near to it tells as much.
        let strong = usize::from(!weak && (said.is_empty() || near.len() <= TELLING));
        // What is near to a word and stands all over the documents is no word in common.
        let count = usize::from(near.len() <= EVERYDAY);
        for (at, weight) in &near {
            let lead = if named && !weak { weight / 5 } else { 0 };
            self.add(*at, Share { count, weight: *weight, strong, lead, ..Share::default() });
        }
        let is_new = |at: &usize| said.binary_search(at).is_err() && !near.contains_key(at);
        let headed = evidence.below_headings(&said);
        let mut beside = evidence.beside_in_record(&said);
        beside.retain(|at| !headed.contains(at));
        // What a heading or a column says counts less for what stands below it.
        let half = Share {
            count: 1,
            weight: weight * HEADED / 100,
            strong: usize::from(!weak),
            named,
            ..Share::default()
        };
        for at in headed.iter().copied().chain(beside).filter(is_new) {
            self.add(at, half);
        }
        for at in evidence.rows_below(&said).into_iter().filter(is_new) {
            self.add(at, Share { column: true, ..half });
        }
        let others: Vec<usize> = near.keys().copied().collect();
        let weakly = Share { weight: most * NEARLY_HEADED / 100, ..Share::default() };
        for at in evidence.below_headings(&others).into_iter().filter(is_new) {
            if !headed.contains(&at) {
                self.add(at, weakly);
            }
        }
        let same = same.contains(&true);
        self.words.push(Word {
            root,
            run,
            weight,
            count: said.len(),
            close,
            near: near_weight,
            same,
            tells: !weak,
        });
    }

    /// "Rule 3" is the third of the rules, where their list has numbers.
    fn add_numbered(&mut self, evidence: &Evidence, text: &str) {
        let found = words(text);
        let all: usize = self.words.iter().map(|word| word.weight).sum();
        for pair in found.windows(2).take(MOST) {
            let number = pair[1].text.parse().ok().filter(|_| is_significant(&pair[0].text));
            let item = number
                .and_then(|number| evidence.item(&crate::discussion::words::stem(&pair[0].text), number));
            if let Some(at) = item {
                let weight = all.max(rarity(evidence.lines.len(), 1));
                self.add(
                    at,
                    Share {
                        count: 2,
                        exact: 2,
                        weight,
                        strong: 2,
                        named: true,
                        lead: weight,
                        ..Share::default()
                    },
                );
            }
        }
    }

    /// Lines that count people share that with "how many of us", and lines with a time of the day that with "at what
    /// time", beside whatever else they share.
    fn add_what_is_wanted(&mut self, evidence: &Evidence, wants: &Wants) {
        if !wants.heads && !wants.clock && !wants.deadline && wants.size.is_empty() {
            return;
        }
        let all: usize = self.words.iter().map(|word| word.weight).sum();
        let lines = evidence.lines.iter().enumerate();
        let has_it = |line: &Line| {
            wants.heads && wants.is_counted(line)
                || wants.clock && wants.is_met(line, "")
                || wants.is_sized(line)
                || wants.is_due(line)
        };
        let found = lines.filter(|(_, line)| has_it(line)).map(|(at, _)| at);
        let found: Vec<usize> = found.take(EVERYWHERE).collect();
        // Of several counts the largest is of all.
        let most = found.iter().copied().rev().max_by_key(|at| largest(&evidence.lines[*at]));
        for at in found {
            // A time needs a word in common; heads are what is asked for.
            if wants.heads || wants.deadline || !wants.size.is_empty() || self.shares.contains_key(&at) {
                let weight = (all * OF_MET / 100).max(rarity(evidence.lines.len(), 1));
                let lead = if wants.heads && most == Some(at) { all } else { 0 };
                self.add(at, Share { count: 1, exact: 1, weight, strong: 1, lead, ..Share::default() });
            }
        }
    }

    /// Two words that stand side by side in a message and in a line are one name: "the second phone".
    fn pair_up(&mut self, evidence: &Evidence, text: &str) {
        let found = words(text);
        let pairs = found.windows(2).filter(|pair| text[pair[0].end..pair[1].start] == *" ").take(MOST);
        let named = |word: &str| is_significant(word) && !is_preposition(word);
        for pair in pairs.filter(|pair| named(&pair[0].text) && names_something(&pair[1].text)) {
            let run = [root(&pair[0].text), root(&pair[1].text)];
            let mut lines = evidence.saying(&run);
            lines.truncate(EVERYWHERE);
            let weight = rarity(evidence.lines.len(), lines.len()) / 2;
            let rows = evidence.rows_below(&lines);
            let all =
                lines.into_iter().map(|at| (at, weight)).chain(rows.into_iter().map(|at| (at, weight / 2)));
            for (at, weight) in all {
                let Some(share) = self.shares.get_mut(&at) else { continue };
                *share = Share { count: share.count + 1, lead: share.lead + weight, named: true, ..*share };
            }
        }
    }

    /// The lines that say a German verb in two parts: "melden … ab" for "abmelden".
    fn separated(evidence: &Evidence, verb: &str) -> Vec<usize> {
        let split = PARTICLES.iter().find_map(|particle| Some((*particle, verb.strip_prefix(particle)?)));
        let Some((particle, rest)) = split.filter(|(_, rest)| rest.len() > 3) else { return Vec::new() };
        let says = |at: &&usize| {
            evidence.lines.get(**at).is_some_and(|line| line.words.iter().any(|word| word == particle))
        };
        evidence.lines_of(rest).iter().filter(says).copied().collect()
    }

    fn add(&mut self, at: usize, more: Share) {
        let share = self.shares.entry(at).or_default();
        share.count += more.count;
        share.exact += more.exact;
        share.weight += more.weight;
        share.strong += more.strong;
        share.named |= more.named;
        share.lead += more.lead;
        share.key |= more.key;
        share.column |= more.column;
    }

    /// Whether it is no chance that a line shares so much, of `all` that the message names.
    fn is_hit(share: &Share, all: usize) -> bool {
        let says = |percent: usize| share.weight * 100 >= all * percent;
        // "Who bring things back late": words that tell little, and a line that says them all.
        let says_all = share.exact >= 2 && says(90);
        says_all || share.strong > 0 && (says(OF_ANY) || share.named && says(OF_NAME))
    }

    /// The lines that are no chance hits, the best first.
    fn ranked(&self, evidence: &Evidence, wants: &Wants, text: &str, step: &[String]) -> Vec<usize> {
        let all: usize = self.words.iter().map(|word| word.weight).sum();
        let mut found: Vec<(usize, (usize, bool), usize)> = Vec::new();
        for (at, share) in &self.shares {
            let Some(line) = evidence.lines.get(*at) else { continue };
            // The very count that is asked for needs no second word.
            let says = |percent: usize| share.strong > 0 && share.weight * 100 >= all * percent;
            let met = || says(OF_NAME) && (wants.figure || wants.money) && wants.is_met(line, text);
            let counted = || wants.is_counted(line) && share.exact > 0;
            let done = || wants.is_doer(line) && share.exact > 0 && !line.text.contains('?');
            let case = || wants.case && Wants::is_case(line) && share.exact > 0 && says(OF_NAME);
            // "How long does a call take?": words that tell little, and the one line with a span that says them all.
            let span = || wants.is_span(line) && share.exact > 0 && share.weight * 100 >= all * 90;
            let has_it = || counted() || done() || case() || span() || met();
            if !Self::is_hit(share, all) && !has_it() {
                continue;
            }
            // What only says something near to a price tells none.
            if wants.money && share.exact == 0 && !wants.is_met(line, text) {
                continue;
            }
            // The names of columns tell who asks what there is, and nobody who tells something.
            let names = line.kind == LineKind::Heading || line.kind == LineKind::Columns && wants.open;
            if names || line.stems.len() < 3 {
                continue;
            }
            let near = step
                .iter()
                .filter(|word| line.stems.contains(word) || line.section_stems.contains(word))
                .count();
            let times = match line.kind {
                LineKind::Columns => 2,
                // The cell that is asked for.
                _ if share.key && share.column => 10,
                _ if wants.is_counted(line) || wants.is_span(line) || wants.is_done(line) => 8,
                _ if wants.is_doer(line) || wants.is_sized(line) || wants.is_due(line) => 8,
                _ if wants.place && Wants::is_placed(line) => 7,
                _ if !wants.is_done_there(line) => 3,
                // "May people cancel?" is the question itself.
                _ if is_yes_or_no(text) && is_open(line) && is_yes_or_no(&line.text) => 4,
                _ if share.column && share.count > 1 => 6,
                _ if wants.case && Wants::is_case(line) => 8,
                _ if wants.open && share.count > 1 && is_open(line) => 8,
                // A question is no answer, where another line is as near.
                _ if !wants.open && line.text.ends_with('?') => 3,
                _ if (wants.span || wants.money) && !wants.is_met(line, text) => 3,
                // Why it is so, a line says that gives a reason.
                _ if wants.why && Wants::is_reason(line) => 6,
                _ if (wants.open || !line.text.contains('?')) && wants.is_met(line, text) => 6,
                _ => 4,
            };
            // What a long line says beside is no match for what a short one is about.
            let weight = (share.weight + share.lead) * times * LENGTH / (LENGTH + line.stems.len());
            // A rule with the figure comes before what only tells one.
            let is_rule = wants.figure && line.words.first().is_some_and(|first| is_label(first));
            found.push((weight, (near, is_rule), *at));
        }
        // Stable: of equals the first.
        found.sort_by_key(|(weight, near, _)| std::cmp::Reverse((*weight, *near)));
        found.into_iter().map(|(.., at)| at).collect()
    }

    /// Whether the best line has what is asked for, beside enough of its words: a figure, people, a span; else most of
    /// all its words, and no open point.
    fn answered(&self, evidence: &Evidence, wants: &Wants, text: &str) -> bool {
        let Some((at, line)) = self.lines.first().and_then(|at| Some((at, evidence.lines.get(*at)?))) else {
            return false;
        };
        let Some(share) = self.shares.get(at).filter(|_| !is_open(line) && !line.text.contains('?')) else {
            return false;
        };
        // Which requirement has no test is answered by none that has one.
        if denies(text) && !denies(&line.text) {
            return false;
        }
        // Why it is so is told by a line with a reason.
        if wants.why && !Wants::is_reason(line) {
            return false;
        }
        // What shares no word of the question is near to it at best.
        let all: usize = self.words.iter().map(|word| word.weight).sum();
        let says = |percent: usize| share.weight * 100 >= all * percent;
        let nearly_all = share.exact >= 2 && says(OF_NEARLY_ALL);
        if share.exact == 0 || is_yes_or_no(text) && !nearly_all && self.leaves_out(line) {
            return false;
        }
        // Of what is asked of a thing that no document knows, the thing it is asked of is no answer.
        let unknown = |word: &Word| word.tells && word.count == 0 && word.near == 0;
        if self.words.iter().any(unknown) && !says(OF_KNOWN) {
            return false;
        }
        // Who does it is told by a line that says what is done.
        if !wants.is_done_there(line) {
            return false;
        }
        let is_met = || {
            let cell = share.key && share.column && !wants.money;
            if wants.counted.is_some() {
                return cell || wants.is_counted(line) || wants.is_span(line);
            }
            cell || wants.is_met(line, text)
                || wants.is_counted(line)
                || wants.is_span(line)
                || wants.is_doer(line)
        };
        if !wants.size.is_empty() || wants.deadline {
            return wants.is_sized(line) || wants.is_due(line);
        }
        // "Who does the music?" is told by a row that has a column for it.
        let named = |column: &str| words(column).iter().any(|word| lists(WHO, &word.text));
        let has_who =
            || line.cells().into_iter().flatten().any(|(column, cell)| named(column) && !cell.is_empty());
        if wants.people && share.key && line.kind == LineKind::Row && has_who() {
            return true;
        }
        // "Who is Kim?" is answered by whatever is said of Kim.
        if share.named && asks_who_somebody_is(text) {
            return true;
        }
        match wants.figure || wants.people || wants.span || wants.money {
            // "Cost" alone is the question, and no thing that costs.
            true => is_met() && says(OF_MET) && (share.count >= 2 || !wants.money),
            false => share.count >= 2 && says(OF_ANSWER),
        }
    }

    /// Whether a line has nothing of a word that tells what is asked.
    fn leaves_out(&self, line: &Line) -> bool {
        let mut own = roots(&line.text);
        own.extend(roots(&line.section));
        own.extend(line.cells().into_iter().flatten().flat_map(|(column, _)| roots(column)));
        let missing = |word: &Word| word.tells && !has_run(&own, &word.run) && !word.says_nearly(&own);
        self.words.iter().any(missing)
    }
}

impl<'a> Asked<'a> {
    /// As [`Matched::of`].
    pub fn of(evidence: &'a Evidence, text: &str, step: &str) -> Asked<'a> {
        Asked::again(evidence, Rc::new(Matched::of(evidence, text, step)))
    }

    /// What was held against the same documents before.
    pub(super) fn again(evidence: &'a Evidence, matched: Rc<Matched>) -> Asked<'a> {
        Asked { evidence, lines: matched.lines.clone(), matched }
    }

    /// Whether the best line answers it, and is not only the nearest one.
    pub fn is_answered(&self) -> bool {
        self.answers
    }

    /// The same, as if no line spoke of it.
    pub fn without_lines(mut self) -> Asked<'a> {
        self.lines.clear();
        self
    }

    /// The line that says most of it.
    pub fn best(&self) -> Option<&'a Line> {
        self.lines.first().and_then(|at| self.evidence.lines.get(*at))
    }

    /// A second line that says a telling part of it which the best one leaves out.
    pub fn other(&self) -> Option<&'a Line> {
        let best = self.best()?;
        // A row says what its columns are called by.
        let columns = best.cells().into_iter().flatten().map(|(column, _)| column).collect::<Vec<_>>();
        let shown = format!("{} {}", best.text, columns.join(" "));
        let least = self.shares.get(self.lines.first()?)?.weight / 2;
        let new = |at: &&usize| {
            let Some(line) = self.evidence.lines.get(**at) else { return false };
            let enough = self.shares.get(*at).is_some_and(|share| share.weight > least && share.count >= 2);
            let adds =
                |word: &Word| is_telling(word) && says(&line.text, &word.run) && !says(&shown, &word.run);
            enough && self.words.iter().any(adds)
        };
        self.lines.iter().skip(1).find(new).and_then(|at| self.evidence.lines.get(*at))
    }

    /// The line that comes nearest behind the best one, where it is nearly as near.
    pub fn runner_up(&self) -> Option<&'a Line> {
        let weight = |at: &usize| self.shares.get(at).map_or(0, |share| share.weight + share.lead);
        let [first, second, ..] = self.lines.as_slice() else { return None };
        (weight(second) * 10 >= weight(first) * 7).then(|| self.evidence.lines.get(*second)).flatten()
    }

    /// The lines that say at least half as much of it as the best one, that first, in at least so many words.
    pub fn close(&self, least: usize) -> impl Iterator<Item = &'a Line> {
        let weight = |at: &usize| self.shares.get(at).map_or(0, |share| share.weight);
        let most = self.lines.first().map_or(0, weight);
        let close = self.lines.iter().take_while(move |at| weight(at) * 2 >= most);
        let many = close.filter(move |at| self.shares.get(at).is_some_and(|share| share.count >= least));
        many.filter_map(|at| self.evidence.lines.get(*at))
    }

    /// The first open line, by its index, that says at least half as much of it as the best one, in two words or as the
    /// best of all.
    pub fn close_open(&self) -> Option<usize> {
        let share = |at: usize| self.shares.get(&at).copied().unwrap_or_default();
        let most = self.lines.first().map_or(0, |at| share(*at).weight);
        let mut lines = self.lines.iter().copied().enumerate();
        let near = |(rank, at): &(usize, usize)| {
            *rank == 0 || share(*at).weight * 2 >= most && share(*at).count >= 2
        };
        lines.find(|one| near(one) && self.evidence.lines.get(one.1).is_some_and(is_open)).map(|(_, at)| at)
    }

    /// The open lines that share any of it, the nearest first, by their index.
    pub fn near_open(&self) -> Vec<usize> {
        let open = |at: &usize| self.evidence.lines.get(*at).is_some_and(is_open);
        let mut found: Vec<(usize, usize)> =
            self.shares.iter().filter(|(at, _)| open(at)).map(|(at, share)| (share.weight, *at)).collect();
        found.sort_by_key(|(weight, at)| (std::cmp::Reverse(*weight), *at));
        found.into_iter().map(|(_, at)| at).take(3).collect()
    }

    /// Whether it names anything that could be looked for.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Whether some document says a word of it, or one that is near to it.
    pub fn is_mentioned(&self) -> bool {
        !self.shares.is_empty()
    }

    /// A thing it names, as it stands in `text`, of which no document has a word in any form, nor one that is
    /// near to it.
    pub fn nowhere(&self, text: &str) -> Option<String> {
        let found = words(text);
        let of = |at: usize| {
            let word = found.get(at)?;
            let names = names_something(&word.text) && !is_of_the_calendar(&word.text);
            let word =
                Some(word).filter(|word| names && !is_weak(&word.text) && !word.text.ends_with("est"))?;
            let root = root(&word.text);
            self.words.iter().find(|one| one.root == root)
        };
        let joined = |at: usize| at + 1 < found.len() && text[found[at].end..found[at + 1].start] == *" ";
        let leads = |at: usize| {
            let named = text[found[at].start..].starts_with(char::is_uppercase) && at > 0;
            let before = at.checked_sub(1).map(|before| found[before].text.as_ref());
            named || before.is_some_and(|before| LEADING.contains(&before))
        };
        (0..found.len()).filter(|at| of(*at).is_some() && leads(*at)).find_map(|at| {
            let mut to = at;
            while to - at < 2 && joined(to) && of(to + 1).is_some() {
                to += 1;
            }
            let last = of(to)?;
            let strange = (at..=to).filter_map(of).all(|word| !word.same && word.near == 0);
            (last.count == 0 && strange).then(|| text[found[at].start..found[to].end].to_owned())
        })
    }

    /// The thing that a question asks about and the best line leaves out, as it stands there, where no document has it
    /// in any form: the last that is led to or ends a sentence, and is no verb. Whose it is ("my scarf") tells a story.
    pub fn missing(&self, text: &str) -> Option<String> {
        let own = roots(&self.best()?.text);
        let text = text.trim_end_matches([' ', '?', '？']);
        let text = text.rsplit(['.', '!', '?', ':', '？']).next()?;
        let found = words(text);
        let word = |at: usize| found.get(at).map(|word| word.text.as_ref());
        let joined =
            |at: usize| found.get(at + 1).is_some_and(|next| text[found[at].end..next.start] == *" ");
        let ends_with = |at: usize, ends: &[&str]| {
            word(at).is_some_and(|word| ends.iter().any(|end| word.ends_with(end)))
        };
        let lacks = |at: usize| {
            let known = word(at).and_then(|word| self.words.iter().find(|one| one.root == root(word)));
            let is_nowhere = |one: &Word| one.tells && one.count == 0 && !one.says_nearly(&own);
            word(at).is_some_and(names_something) && known.is_some_and(is_nowhere)
        };
        let is_noun = |at: usize| {
            let before = at.checked_sub(1).and_then(word);
            let led = before.is_some_and(|before| LEADS_TO_A_THING.contains(&before));
            // "The recipient types" does something, and "is the meat halal" asks it.
            let ends = !joined(at) && before.is_some_and(is_significant) && !ends_with(at, &["s"]);
            // "Which pool lane do we get?": the second of two nouns.
            let verb = |at: usize| word(at).is_some_and(|word| lists(VERBS_OF_A_QUESTION, word));
            let compound = before.is_some_and(names_something) && at > 0 && joined(at - 1) && verb(at + 1);
            !ends_with(at, &["ing", "ed"]) && (led || ends || compound)
        };
        let last = (0..found.len()).rev().find(|at| lacks(*at) && is_noun(*at))?;
        let from = last.checked_sub(1).filter(|at| lacks(*at) && joined(*at)).unwrap_or(last);
        // "A cubic metre" is one thing.
        let goes_on = joined(last) && word(last + 1).is_some_and(names_something);
        let to = if goes_on && !ends_with(last + 1, &["ing", "ed"]) { last + 1 } else { last };
        Some(text[found[from].start..found[to].end].to_owned())
    }

    /// Whether the best line shares one word only, and others have that word too: chance.
    pub fn is_by_chance(&self) -> bool {
        let Some(best) = self.best() else { return false };
        let own = roots(&best.text);
        let said: Vec<&Word> = self.words.iter().filter(|word| has_run(&own, &word.run)).collect();
        self.common() < 2 && said.iter().all(|word| word.run.len() == 1 && word.count > 1)
    }

    /// Whether the best line says only words that are near to its own.
    pub fn is_only_near(&self) -> bool {
        self.lines.first().and_then(|at| self.shares.get(at)).is_some_and(|share| share.exact == 0)
    }

    /// Whether it names a thing of which no document has a word, nor one that is near to it.
    pub fn names_a_strange_thing(&self) -> bool {
        self.words.iter().any(|word| word.tells && word.count == 0 && word.near == 0)
    }

    /// Whether the best line says half of what it names, by weight.
    pub fn says_half(&self) -> bool {
        let all: usize = self.words.iter().map(|word| word.weight).sum();
        self.lines.first().and_then(|at| self.shares.get(at)).is_some_and(|share| share.weight * 2 >= all)
    }

    /// How many of its words a line shares.
    pub fn shared(&self, line: &Line) -> usize {
        let at = self
            .shares
            .iter()
            .find(|(at, _)| self.evidence.lines.get(**at).is_some_and(|one| std::ptr::eq(one, line)));
        at.map_or(0, |(_, share)| share.count)
    }

    /// How many of its words the best line says.
    pub fn common(&self) -> usize {
        self.lines.first().and_then(|at| self.shares.get(at)).map_or(0, |share| share.count)
    }

    /// Whether one of its words stands in a phrase.
    pub fn names(&self, phrase: &str) -> bool {
        let roots = roots(phrase);
        self.words.iter().any(|word| has_run(&roots, &word.run))
    }

    /// What a text shares with it, by weight.
    pub fn share(&self, text: &str) -> usize {
        self.share_of(&roots(text))
    }

    /// The same of a text's roots.
    fn share_of(&self, roots: &[String]) -> usize {
        let weigh = |word: &Word| match () {
            () if has_run(roots, &word.run) => word.weight,
            () if word.near > 0 && word.says_nearly(roots) => word.near,
            () => 0,
        };
        self.words.iter().filter(|word| word.count > 0 || word.near > 0).map(weigh).sum()
    }

    /// Whether a text speaks of what was asked: it shares two of its words or the one that tells best, and
    /// more than half as much as the best line does.
    pub fn is_about(&self, text: &str) -> bool {
        let Some(line) = self.best() else { return false };
        let best = self.measure.get_or_init(|| self.measured(line));
        let roots = roots(text);
        let shared = self.share_of(&roots);
        if shared == 0 || shared * 5 < best.most * 3 {
            return false;
        }
        let mine = self.said(&roots);
        let tells = |word: &usize| best.said.is_empty() || best.rarest.contains(word);
        mine.len() >= 2 || mine.iter().any(tells)
    }

    /// What others are held against of the best line.
    fn measured(&self, line: &Line) -> Measure {
        let sentences = sentences(&line.text);
        let most = sentences.iter().map(|sentence| self.share(sentence)).max().unwrap_or_default();
        let said = self.said(&roots(&line.text));
        let count = |at: &usize| self.words.get(*at).map(|word| word.count);
        let least = said.iter().filter_map(count).min();
        let rarest = said.iter().copied().filter(|at| count(at) == least).collect();
        Measure { most, said, rarest }
    }

    /// The words that some roots say and that some line holds, by their index.
    fn said(&self, roots: &[String]) -> Vec<usize> {
        let all = self.words.iter().enumerate();
        all.filter(|(_, word)| word.count > 0 && has_run(roots, &word.run)).map(|(at, _)| at).collect()
    }
}

/// What a column is called that says who does something, sorted.
const WHO: &str = "assigned|assignee|contact|lead|name|owner|person|responsible|who";

/// Whether a text asks only who somebody is.
fn asks_who_somebody_is(text: &str) -> bool {
    let found = words(text);
    let asks = found
        .windows(2)
        .take(3)
        .any(|pair| pair[0].text == "who" && matches!(pair[1].text.as_ref(), "is" | "are"));
    asks && found.len() <= 5
}

/// Whether a word is a figure.
fn is_a_figure(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit()) || is_number(word)
}

/// The largest number in a line.
fn largest(line: &Line) -> u32 {
    line.words.iter().filter_map(|word| word.parse().ok()).max().unwrap_or_default()
}

/// Whether a text says that something is not so.
fn denies(text: &str) -> bool {
    let none = [
        "lacks", "missing", "never", "no", "nobody", "none", "not", "nothing", "without", "kein", "keine",
        "nicht",
    ];
    words(text).iter().any(|word| none.contains(&word.text.as_ref()) || word.text.ends_with("n't"))
}

/// What stands before a thing that is asked about.
const LEADS_TO_A_THING: [&str; 24] = [
    "a", "about", "an", "and", "another", "any", "at", "by", "for", "from", "how", "in", "no", "of", "on",
    "or", "per", "some", "the", "via", "what", "which", "with", "without",
];

/// Whether a question wants to hear yes or no: what it says has to stand there, and no line that shares its subject
/// is enough.
fn is_yes_or_no(text: &str) -> bool {
    let last = text.trim_end().trim_end_matches(['?', '？']);
    let last = last.rsplit(['.', '!', '?', ':', ',', '？']).next().unwrap_or_default();
    words(last).first().is_some_and(|first| lists(VERBS_OF_A_QUESTION, &first.text))
}

/// The word behind "which", by its root.
fn kind_asked_for(text: &str) -> Option<String> {
    let found = words(text);
    let at = found
        .iter()
        .position(|word| matches!(word.text.as_ref(), "which" | "welche" | "welcher" | "welches"))?;
    found.get(at + 1).map(|word| root(&word.text))
}

fn is_telling(word: &Word) -> bool {
    word.count > 0 && word.count <= TELLING
}

/// Words behind which a verb stands as it is in the dictionary.
const BEFORE_A_VERB: [&str; 23] = [
    "can", "cannot", "could", "did", "do", "does", "he", "it", "may", "might", "must", "not", "shall", "she",
    "should", "that", "they", "to", "we", "which", "who", "will", "would",
];

/// Whether a line says a word as the question does: who meets is at no meeting, and what is stored is no store.
fn is_said_as(stem: &str, line: &Line) -> bool {
    if stem.ends_with("ing") {
        return line.stems.iter().any(|other| other == stem);
    }
    if !stem.ends_with("ed") || line.stems.iter().any(|other| other == stem) {
        return true;
    }
    let root = root(stem);
    let verb = |at: usize, word: &String| {
        let before = at.checked_sub(1).and_then(|before| line.words.get(before));
        let is_form = word.ends_with("ed") || word.ends_with("ing") || word.ends_with('s');
        let behind = || before.is_some_and(|before| BEFORE_A_VERB.contains(&before.as_str()));
        (is_form || behind()) && self::root(word) == root
    };
    line.words.iter().enumerate().any(|(at, word)| verb(at, word))
}

fn says(text: &str, run: &[String]) -> bool {
    has_run(&roots(text), run)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTE: &str = "# Note\n\n## 1. Store\n\nThe bucket is not encrypted at the moment; files go after 400 days. The firms' SFTP\npasswords are stored in the settings table.\n\nA month takes 2 GB of storage, or what was set.\n\n## 2. Swaps\n\n- The manager shall approve every swap, except where both nurses have the same band.\n- TBD: does the union agree with automatic approval?\n- Where the roster cannot be reached, the swap waits.\n\n## 3. Risks\n\n- A meter has to be dug out.\n";

    fn evidence() -> Evidence {
        Evidence::new([("note.md", NOTE)], &["note.md".into()])
    }

    fn best(text: &str) -> Option<String> {
        let evidence = evidence();
        let asked = Asked::of(&evidence, text, "");
        asked.best().map(|line| asked.quote(line, 90))
    }

    #[test]
    fn a_figure_is_found_with_what_it_counts() {
        let text = "# T\n\nSomebody takes the gloves off at noon.\n\nA person works for 90 minutes at most.\n\nAn answer takes 3 working days.\n\nA 25-minute walk follows.\n\nPower fails twice a year.\n";
        let evidence = Evidence::new([("spec.md", text)], &[]);
        let line = |text: &str| Asked::of(&evidence, text, "").best().map(|line| line.number);
        assert_eq!(line("What happens when somebody's 90 minutes are over?"), Some(5));
        assert_eq!(line("Are 3 days enough?"), Some(7));
        assert_eq!(line("Do we answer in 3 working days?"), Some(7));
        assert_eq!(line("Is a walk of 25 minutes too long?"), Some(9));
        assert_eq!(line("What happens after 7 minutes?"), None);
        assert_eq!(Asked::of(&evidence, "Since 2022 nobody knows.", "").best(), None);
    }

    #[test]
    fn a_line_that_says_all_of_what_tells_little_is_no_chance() {
        let text = "# T\n\nWhoever brings an oar back late pays two euros.\n\nThe ferry comes late on Sundays.\n\nA mate brings the post.\n";
        let evidence = Evidence::new([("spec.md", text)], &[]);
        let found = |text: &str| Asked::of(&evidence, text, "").best().map(|line| line.number);
        assert_eq!(found("What about people who bring things back late?"), Some(3));
        assert_eq!(found("Do we bring cake and start late?"), None);
    }

    #[test]
    fn who_may_do_something_a_line_says_that_lets_somebody_do_it() {
        let text = "# T\n\nAn export of two million rows takes ten minutes.\n\nA person with the role \"pilot\" can export a month.\n\nExports are deleted after 30 days.\n\nThe harbour has three cranes, and the mate has to oil them.\n";
        let evidence = Evidence::new([("spec.md", text)], &[]);
        let found = |text: &str| {
            let asked = Asked::of(&evidence, text, "");
            (asked.best().map(|line| line.number), asked.is_answered())
        };
        assert_eq!(found("Who may export?"), (Some(5), true));
        assert_eq!(found("Who has to oil the cranes?"), (Some(9), true));
        assert!(!found("Who may delete an export?").1);
    }

    #[test]
    fn a_line_that_has_what_is_wanted_comes_first() {
        let text = "# T\n\nThe pilot and the buoy are old friends.\n\nIf the buoy drifts, a diver looks for it.\n\nA berth is kept for a guest.\n\nA berth costs 9 euros a night.\n\n## Open questions\n\n- Does the crane have a brake at all?\n";
        let evidence = Evidence::new([("spec.md", text)], &[]);
        let of = |text: &str| Asked::of(&evidence, text, "").best().map(|line| line.number);
        assert_eq!(of("What happens if a buoy drifts and the old pilot is alone?"), Some(5));
        assert_eq!(of("What does the pilot do with the buoy?"), Some(3));
        assert_eq!(of("How much is a berth for a night?"), Some(9));
        assert_eq!(of("The crane has no brake at all."), Some(13));
        let quoted = Asked::of(&evidence, "Who tells \"old friends\" from the berth?", "");
        assert_eq!(quoted.best().map(|line| line.number), Some(3));
    }

    #[test]
    fn a_verb_in_two_parts_and_a_record_of_fields_are_found() {
        let text =
            "# T\n\nDie Eltern melden ein Kind bis 8:00 Uhr ab.\n\nDer Koch sieht ein Kind am Fenster.\n";
        let evidence = Evidence::new([("spec.md", text)], &[]);
        let asked = Asked::of(&evidence, "Bis wann kann ich mein Kind abmelden?", "");
        assert_eq!(asked.best().map(|line| line.number), Some(3));
        let text = "[\n {\"id\": \"A\",\n  \"who\": \"the pilot of a raft\",\n  \"wants\": \"one key for all\"},\n {\"id\": \"B\",\n  \"who\": \"the harbour master\",\n  \"wants\": \"a key that fits\"}\n]\n";
        let evidence = Evidence::new([("a.json", text)], &[]);
        let asked = Asked::of(&evidence, "Which key has the pilot?", "");
        assert!(matches!(asked.best().map(|line| line.number), Some(3 | 4)));
    }

    #[test]
    fn a_letter_alone_is_one_of_the_lettered_parts() {
        let text = "# T\n\n## Option A: rope\n\nIt is cheap to buy.\n\n## Option B: chain\n\nIt rusts in salt water.\n";
        let evidence = Evidence::new([("spec.md", text)], &[]);
        let asked = Asked::of(&evidence, "Why not B?", "");
        let line = asked.best().unwrap();
        assert_eq!((line.number, asked.topic("Why not B?", line).as_deref()), (9, Some("B")));
        let other = Evidence::new([("spec.md", "# T\n\nThe vitamin helps the crew.\n")], &[]);
        assert_eq!(Asked::of(&other, "What do we lose with B?", "").best(), None);
    }

    #[test]
    fn a_verb_is_told_from_the_noun_that_is_written_like_it() {
        let text = "# T\n\nThe firm runs a cold store in the north.\n\nWe must store every tour there.\n";
        let evidence = Evidence::new([("spec.md", text)], &[]);
        let line = |at: usize| &evidence.lines[at];
        assert!(
            !is_said_as("stored", line(1)) && is_said_as("stored", line(2)) && is_said_as("store", line(1))
        );
        assert_eq!(Asked::of(&evidence, "What is stored?", "").best().map(|line| line.number), Some(5));
    }

    #[test]
    fn the_sentence_that_answers_is_quoted_and_not_the_first_of_its_line() {
        assert_eq!(
            best("I worry about the SFTP passwords in the settings table.").as_deref(),
            Some("The firms' SFTP passwords are stored in the settings table")
        );
        assert_eq!(
            best("does anyone really want encryption?").as_deref(),
            Some("The bucket is not encrypted at the moment; files go after 400 days")
        );
        assert_eq!(
            best("Is it 1 GB or 2 GB?").as_deref(),
            Some("A month takes 2 GB of storage, or what was set")
        );
        assert_eq!(
            best("what if the roster is down?").as_deref(),
            Some("Where the roster cannot be reached, the swap waits")
        );
        assert_eq!(
            best("Which of the risks would you tackle first?").as_deref(),
            Some("A meter has to be dug out")
        );
        assert_eq!(best("Can somebody book me a room for Thursday?"), None);
        assert_eq!(best("Hm, depends really."), None);
    }

    #[test]
    fn a_second_line_says_what_the_first_leaves_out() {
        let evidence = evidence();
        let asked = Asked::of(&evidence, "What about approving same-band swaps automatically?", "");
        assert!(asked.best().unwrap().text.starts_with("The manager shall approve"));
        assert!(asked.other().unwrap().text.starts_with("TBD"));
        assert!(
            asked.is_about("the same band approves a swap") && !asked.is_about("A meter has to be dug out")
        );
    }
}
