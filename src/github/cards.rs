//! Cards: what is open, for people who decide, each with its place, what hangs on it and the answers to choose from. At most
//! five are at the top of our comment; the others are in a fold, in the same form, and are answered in the same ways.
//!
//! A card keeps its number from run to run, so that an answer never reaches another question. The state of the cards is
//! a hidden line of the comment; what was decided is read from the recordings and asked no more.
//!
//! ```
//! use roundtable::github::cards::{Card, Cards};
//!
//! let asked = Cards::default().next(vec![Card::asks("How long?"), Card::asks("Who pays?")], &[], &|_| false);
//! let left = asked.next(vec![Card::asks("Who pays?")], &[], &|question| question == "How long?");
//! assert_eq!(left.cards[0].number, 2);
//! assert_eq!(Cards::of(&format!("marker\n{}\ntext", left.line())).unwrap(), left);
//! ```

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};

use crate::discussion::event::Rest;
use crate::discussion::points::{Point, Weight};
use crate::item::DRAFT;
use crate::review::Finding;
use crate::text::{markdown, plain};

/// How the hidden line begins.
const BEGIN: &str = "<!-- cards:";
/// Cards at the top of a comment, and in its fold.
pub const MAX_CARDS: usize = 5;
const MAX_FOLDED: usize = 15;
/// Options of a card, and of one that is asked again.
const MAX_OPTIONS: usize = 4;
const MAX_SMALLER: usize = 2;
/// The longest question and the longest option, in characters. A question is recorded with its answer and closed by it,
/// so it is kept as it was asked, and cut only where it is shown.
const MAX_QUESTION: usize = 1_000;
const MAX_OPTION: usize = 120;
const MAX_WHY: usize = 160;
/// Questions that are left open and named at most.
const MAX_LEFT: usize = 20;
/// The one option of a question without any, asked a second time.
const LEFT_OPEN: &str = "leave it open for now";

/// A question with its place and the answers to choose from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Card {
    /// From one; 0 for one that has none yet.
    pub number: u32,
    pub question: String,
    /// Where it comes from: a path and a line; an empty path where it has no place.
    pub path: String,
    pub line: usize,
    /// The other place of a contradiction.
    #[serde(default)]
    pub other: Option<(String, usize)>,
    /// What hangs on it, where a reader has judged it.
    pub weight: Option<Weight>,
    /// Why it matters; empty where nobody says so.
    #[serde(default)]
    pub why: String,
    pub options: Vec<String>,
    /// One of the options; empty where nobody recommends one.
    pub recommended: String,
    /// Somebody was not sure, and this is the smaller question.
    #[serde(default)]
    pub is_smaller: bool,
}

/// The cards of an issue.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cards {
    /// The highest number that was ever given.
    pub last: u32,
    pub cards: Vec<Card>,
    /// The cards in the fold.
    #[serde(default)]
    pub folded: Vec<Card>,
    /// Questions that nobody could answer: they are not asked again.
    pub left: Vec<String>,
    /// How many questions are open besides all these: later comments ask them.
    #[serde(skip)]
    pub waiting: usize,
}

impl Card {
    /// A question without a place.
    pub fn asks(question: &str) -> Card {
        Card { question: shortened(question, MAX_QUESTION), ..Card::default() }
    }

    /// A point that a reader found.
    pub fn of_point(point: &Point) -> Card {
        // Who asks has the issue's own text before their eyes; the code and other documents are news.
        let (news, own): (Vec<&Rest>, Vec<&Rest>) = point.quotes.iter().partition(|rest| rest.path != DRAFT);
        let mut places = news.into_iter().chain(own);
        let place = places.next();
        let recommended = shortened(&point.recommended, MAX_OPTION);
        let mut options: Vec<String> = Vec::new();
        let first = Some(&recommended).filter(|text| !text.is_empty()).cloned();
        for option in first.into_iter().chain(point.options.iter().map(|one| shortened(one, MAX_OPTION))) {
            let is_known = options.iter().any(|known| known.eq_ignore_ascii_case(&option));
            if !is_known && !option.is_empty() && options.len() < MAX_OPTIONS {
                options.push(option);
            }
        }
        Card {
            path: place.map(|place| place.path.clone()).unwrap_or_default(),
            line: place.map_or(0, |place| place.line),
            other: places.next().map(|other| (other.path.clone(), other.line)),
            weight: Some(point.weight),
            why: shortened(&point.why, MAX_WHY),
            options,
            recommended,
            ..Card::asks(&point.question)
        }
    }

    /// A fact that the review found: its question names the passage, because many have the same words for a marker, and
    /// a decision is read without the card.
    pub fn of_finding(finding: &Finding) -> Card {
        let quote = plain::one_line(&plain::clean(&finding.quote));
        let settle =
            || format!("How do we settle \"{}\"?", passage(finding).unwrap_or_else(|| quote.clone()));
        let said = || shortened(&plain::capital(&finding.said), MAX_WHY);
        let (question, why) = own_question(&quote)
            .map_or_else(|| (settle(), said()), |asked| (asked.to_owned(), String::new()));
        Card { path: finding.path.clone(), line: finding.line, why, ..Card::asks(&question) }
    }

    /// The same with fewer answers to choose from.
    fn smaller(&self) -> Card {
        let mut options = self.options.clone();
        options.truncate(MAX_SMALLER);
        if options.is_empty() {
            options.push(LEFT_OPEN.to_owned());
        }
        Card { options, is_smaller: true, ..self.clone() }
    }

    /// Whether two cards have the same place in a document.
    fn is_about(&self, other: &Card) -> bool {
        !self.path.is_empty() && (&self.path, self.line) == (&other.path, other.line)
    }
}

/// The question that a quotation is, without what is in brackets after it: who asked, or the options.
fn own_question(quote: &str) -> Option<&str> {
    let end = quote.find("? (").filter(|_| quote.ends_with(')')).map(|at| at + 1);
    quote.get(..end.unwrap_or(quote.len())).filter(|asked| asked.ends_with('?'))
}

/// The sentence of a finding, as people see it.
pub(super) fn passage(finding: &Finding) -> Option<String> {
    let wanted = markdown::read(&finding.quote).first().map(markdown::VisibleLine::text)?;
    let lines = markdown::read(&finding.context.text);
    let mut sentences = lines.iter().flat_map(|line| &line.sentences);
    let found = sentences.find(|sentence| sentence.text.contains(&wanted))?;
    Some(plain::one_line(found.text.trim_matches(['|', ' '])))
}

fn shortened(text: &str, limit: usize) -> String {
    plain::cut(&plain::one_line(&plain::clean(text)), limit)
}

impl Cards {
    /// The cards of a comment of ours.
    pub fn of(body: &str) -> Option<Cards> {
        let line = body.lines().find_map(|line| line.strip_prefix(BEGIN)?.strip_suffix(" -->"))?;
        let mut found: Cards = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(line).ok()?).ok()?;
        found.cards.truncate(MAX_CARDS);
        found.folded.truncate(MAX_CARDS + MAX_FOLDED);
        for card in found.cards.iter_mut().chain(&mut found.folded) {
            card.question = shortened(&card.question, MAX_QUESTION);
            card.options.iter_mut().for_each(|one| *one = shortened(one, MAX_OPTION));
            card.recommended = shortened(&card.recommended, MAX_OPTION);
            card.why = shortened(&card.why, MAX_WHY);
        }
        Some(found)
    }

    /// The hidden line.
    pub fn line(&self) -> String {
        let value = serde_json::to_vec(self).unwrap_or_default();
        format!("{BEGIN}{} -->", URL_SAFE_NO_PAD.encode(value))
    }

    pub fn card(&self, number: u32) -> Option<&Card> {
        self.all().find(|card| card.number == number)
    }

    /// The cards at the top, then those in the fold.
    pub fn all(&self) -> impl Iterator<Item = &Card> {
        self.cards.iter().chain(&self.folded)
    }

    /// The cards after these: `found` is what is open now, the best first, `unsure` the numbers of the cards that
    /// somebody could not answer. Each of them is asked once more: another question about the same place, else the
    /// same one with fewer answers. What is decided is asked no more. What changes what gets built comes before details.
    pub fn next(&self, mut found: Vec<Card>, unsure: &[u32], is_decided: &dyn Fn(&str) -> bool) -> Cards {
        found.sort_by_key(|card| card.weight);
        let mut left = self.left.clone();
        let mut chosen: Vec<Card> = Vec::new();
        for card in unsure.iter().filter_map(|number| self.card(*number)) {
            let other = found.iter().find(|other| other.is_about(card) && other.question != card.question);
            match other {
                _ if is_decided(&card.question) => {}
                _ if card.is_smaller => left.push(card.question.clone()),
                Some(other) => {
                    left.push(card.question.clone());
                    chosen.push(Card { is_smaller: true, ..other.clone() });
                }
                None => chosen.push(card.smaller()),
            }
        }
        for card in found {
            let known = self.all().find(|known| known.question == card.question);
            // Who was not sure is not asked the longer question again.
            let card = known.filter(|known| known.is_smaller).cloned().unwrap_or(card);
            let is_there = chosen.iter().any(|other| other.question == card.question);
            if !is_there && !left.contains(&card.question) && !is_decided(&card.question) {
                chosen.push(card);
            }
        }
        let skipped = left.len().saturating_sub(MAX_LEFT);
        left.drain(..skipped);
        let waiting = chosen.len().saturating_sub(MAX_CARDS + MAX_FOLDED);
        chosen.truncate(MAX_CARDS + MAX_FOLDED);
        let mut next = Cards { last: self.last, left, waiting, ..Cards::default() };
        for mut card in chosen {
            let known = self.all().find(|known| known.question == card.question);
            card.number = known.map_or(next.last + 1, |known| known.number);
            next.last = next.last.max(card.number);
            next.cards.push(card);
        }
        next.folded = next.cards.split_off(next.cards.len().min(MAX_CARDS));
        next
    }

    /// Moves the last card of those at the top to the fold.
    pub fn fold_one(&mut self) {
        let last = self.cards.pop();
        self.folded.splice(0..0, last);
    }

    /// Leaves the last card of the fold for a later comment; whether there was one.
    pub fn put_off_one(&mut self) -> bool {
        let is_there = self.folded.pop().is_some();
        self.waiting += usize::from(is_there);
        is_there
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discussion::points::PointKind;

    fn point(question: &str, line: usize) -> Point {
        let quote = Rest { path: "spec.md".into(), line, quote: "x".into() };
        Point {
            question: question.into(),
            quotes: vec![quote],
            options: vec!["10 days".into(), "30 days".into(), "never".into()],
            recommended: "30 days".into(),
            ..Point::new(PointKind::Value)
        }
    }

    fn numbers(cards: &Cards) -> Vec<(u32, &str)> {
        cards.cards.iter().map(|card| (card.number, card.question.as_str())).collect()
    }

    #[test]
    fn the_recommended_answer_comes_first_and_once() {
        let card = Card::of_point(&point("How long?", 3));
        assert_eq!(
            (card.options, card.recommended),
            (["30 days", "10 days", "never"].map(String::from).into(), "30 days".into())
        );
    }

    #[test]
    fn code_comes_before_the_issues_own_text() {
        let mut clash = point("How long?", 3);
        clash.quotes[0].path = DRAFT.into();
        clash.quotes.push(Rest { path: "src/wait.py".into(), line: 9, quote: "days = 20".into() });
        let card = Card::of_point(&clash);
        assert_eq!((card.path.as_str(), card.line), ("src/wait.py", 9));
        assert_eq!(card.other, Some((DRAFT.to_owned(), 3)));
    }

    #[test]
    fn a_number_is_never_given_twice_and_the_rest_is_folded() {
        let ask = |names: &[&str]| -> Vec<Card> { names.iter().map(|name| Card::asks(name)).collect() };
        let first = Cards::default().next(ask(&["a", "b", "c", "d", "e", "f"]), &[], &|_| false);
        assert_eq!(first.cards.len(), 5);
        assert_eq!(first.card(6).unwrap().question, "f");
        assert_eq!(Cards::of(&first.line()).unwrap(), first, "the fold is read again");
        let second = first.next(ask(&["g", "a", "f"]), &[], &|question| question == "a");
        assert_eq!(numbers(&second), [(7, "g"), (6, "f")]);
    }

    #[test]
    fn what_changes_what_gets_built_comes_first_and_what_has_no_room_is_counted() {
        let detail = Point { weight: Weight::Detail, ..point("Which blue?", 3) };
        let found =
            [&detail, &point("How long?", 4), &point("If 30 days: of which month?", 4)].map(Card::of_point);
        let asked = Cards::default().next(found.into(), &[], &|_| false);
        let wanted = [(1, "How long?"), (2, "If 30 days: of which month?"), (3, "Which blue?")];
        assert_eq!(numbers(&asked), wanted);
        let many: Vec<Card> = (0..30).map(|one| Card::asks(&format!("Question {one}?"))).collect();
        let mut many = Cards::default().next(many, &[], &|_| false);
        assert_eq!((many.all().count(), many.waiting), (20, 10));
        assert!(many.put_off_one() && (many.all().count(), many.waiting) == (19, 11));
    }

    #[test]
    fn who_is_not_sure_is_asked_something_smaller_once() {
        let of = |all: &[(&str, usize)]| -> Vec<Card> {
            all.iter().map(|(question, line)| Card::of_point(&point(question, *line))).collect()
        };
        let all = of(&[("How long?", 3), ("Who pays?", 9)]);
        let first = Cards::default().next(all.clone(), &[], &|_| false);
        let second = first.next(all.clone(), &[1], &|_| false);
        assert_eq!(numbers(&second), [(1, "How long?"), (2, "Who pays?")]);
        assert_eq!((second.cards[0].options.len(), second.cards[0].is_smaller), (2, true));
        // It stays the smaller one, and the second time it is left open.
        let third = second.next(all.clone(), &[], &|_| false);
        assert!(third.cards[0].is_smaller);
        assert_eq!(numbers(&third.next(all, &[1], &|_| false)), [(2, "Who pays?")]);
        // A reader's other point about the same place is the smaller question.
        let other = of(&[("Who pays?", 9), ("From which day on?", 3)]);
        assert_eq!(
            numbers(&first.next(other, &[1], &|_| false)),
            [(3, "From which day on?"), (2, "Who pays?")]
        );
        // Without options: whether it may stay open.
        let bare = Cards::default().next(vec![Card::asks("Why?")], &[], &|_| false);
        assert_eq!(bare.next(vec![Card::asks("Why?")], &[1], &|_| false).cards[0].options, [LEFT_OPEN]);
    }

    #[test]
    fn a_line_that_is_not_whole_has_no_cards() {
        for body in ["", "<!-- cards:!! -->", "<!-- cards:e30 -->"] {
            assert_eq!(Cards::of(body), None, "{body}");
        }
    }
}
