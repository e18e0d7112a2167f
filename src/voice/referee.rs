//! What a line says of files and ids, held against them: quotations, places, ids and figures (V-5).
//!
//! Free prose is never judged: only a quotation with its place, a place, an id, and a figure that is said of one of
//! these. `rests` are judged one by one; a wrong line number is put right.

use std::collections::BTreeSet;

use super::Line;
use super::integrity::{Breach, Rule, forged};
use super::sources::{Folded, Sources, figures};
use crate::discussion::Said;
use crate::discussion::event::Rest;
use crate::discussion::points::{Point, PointKind, Refutation};
use crate::item::config::MOST_READERS;
use crate::item::persona::Cast;
use crate::text::ids::{family, ids};
use crate::text::plain;
use crate::text::sentences::sentences;
use crate::text::words::words;
use crate::voice::model::points::MOST_OF_A_READER;

/// What a line may rest on besides what was said.
#[derive(Clone, Default)]
pub struct Basis<'a> {
    /// None where the files are not at hand: then what a line says of them is not judged.
    pub sources: Option<&'a Sources<'a>>,
    /// The user's first message, which a voice may read before the framing.
    pub first: Option<&'a str>,
    /// What the users are called.
    pub users: BTreeSet<String>,
}

/// A line rests on at most so many passages.
pub const PASSAGES: usize = 12;
/// Quotations of a line that are looked up.
const QUOTATIONS: usize = 24;
/// Quotations of fewer words are names.
const NAME: usize = 3;
/// A bare figure up to this may count what a line itself lists.
const COUNTED: u32 = 12;
/// Families of ids that the documents of every item may have.
const FAMILIES: [&str; 8] = ["AC", "ADR", "BR", "FR", "INT", "NFR", "REQ", "US"];
/// Words that a quotation is announced with.
const SAYS: [&str; 10] =
    ["demands", "mentions", "promises", "reads", "requires", "said", "says", "states", "writes", "wrote"];
/// Words before the number of a place.
const PLACES: [&str; 5] = ["line", "lines", "page", "section", "turn"];

/// The line with its passages as they are in the files, and what is wrong with those that are in none.
pub fn verified(line: Line, sources: &Sources<'_>) -> (Line, Vec<Breach>) {
    let (mut rests, mut breaches): (Vec<Rest>, Vec<Breach>) = (Vec::new(), Vec::new());
    for rest in line.rests.iter().take(PASSAGES) {
        match sources.find(&rest.path, rest.line, &rest.quote) {
            Some(found) if rests.contains(&found) => {}
            Some(found) => rests.push(found),
            None => {
                let rule = if sources.has(&rest.path) { Rule::Quotation } else { Rule::Place };
                let words = format!("{}:{}: {}", rest.path, rest.line, rest.quote);
                let nearest = sources.nearest(&rest.path, &rest.quote);
                breaches.push(Breach { nearest, ..Breach::new(rule, &plain::shown(&words)) });
            }
        }
    }
    (Line { rests, ..line }, breaches)
}

/// The most points of a discussion: those of a voice and its readers.
const POINTS: usize = MOST_OF_A_READER * (MOST_READERS + 1);

/// The points whose quotations are in the files, each at its place and once; a clash quotes both sides.
pub fn real_points(points: Vec<Point>, sources: &Sources<'_>, cast: &Cast) -> Vec<Point> {
    let mut found: Vec<Point> = Vec::new();
    for point in points {
        let Some(quotes) = real_quotes(&point.quotes, sources) else { continue };
        let texts = [&point.question, &point.why, &point.recommended];
        let is_forged = texts.into_iter().chain(&point.options).any(|text| forged(text, cast).is_some());
        let is_known = found.iter().any(|known| known.question == point.question || known.quotes == quotes);
        let needed = if point.kind == PointKind::Clash { 2 } else { 1 };
        if !is_forged && !is_known && quotes.len() >= needed {
            found.push(Point { quotes, ..point });
        }
    }
    found.truncate(POINTS);
    found
}

/// Passages as they are in the files; none where one of them is in none.
fn real_quotes(quotes: &[Rest], sources: &Sources<'_>) -> Option<Vec<Rest>> {
    let mut found: Vec<Rest> = Vec::new();
    for quote in quotes.iter().take(PASSAGES) {
        let real = sources.find(&quote.path, quote.line, &quote.quote)?;
        if !found.contains(&real) {
            found.push(real);
        }
    }
    Some(found)
}

/// Notes what answers a point, where the answer quotes a file, and puts these points after the others. A contradiction
/// has an answer on each side: no answer settles it.
pub fn refute(points: &mut [Point], answers: Vec<(usize, Refutation)>, sources: &Sources<'_>, cast: &Cast) {
    for (on, answer) in answers {
        let Some(point) = points.get_mut(on).filter(|point| point.kind != PointKind::Clash) else { continue };
        let quotes = real_quotes(&answer.quotes, sources).filter(|quotes| !quotes.is_empty());
        if let Some(quotes) = quotes
            && forged(&answer.answer, cast).is_none()
        {
            point.refuted.get_or_insert(Refutation { quotes, ..answer });
        }
    }
    points.sort_by_key(|point| point.refuted.is_some());
}

/// What a line says of files and ids that is not so.
pub fn unreal_claims(text: &str, earlier: &[Said<'_>], basis: &Basis<'_>) -> Vec<Breach> {
    let Some(sources) = basis.sources else { return Vec::new() };
    let heard = Heard { earlier, first: basis.first, sources };
    let mut found: Vec<Breach> = Vec::new();
    found.extend(heard.unknown_id(text));
    for sentence in sentences(text) {
        let breach = heard.unreal_quotation(sentence);
        let breach = breach.or_else(|| heard.unreal_place(sentence));
        found.extend(breach.or_else(|| heard.unsupported_figure(sentence)));
    }
    found
}

/// All that a line may rest on.
struct Heard<'a> {
    earlier: &'a [Said<'a>],
    first: Option<&'a str>,
    sources: &'a Sources<'a>,
}

impl Heard<'_> {
    fn texts(&self) -> impl Iterator<Item = &str> {
        self.earlier.iter().map(|one| one.text).chain(self.first)
    }

    fn nearest(&self, rule: Rule, words: &str) -> Breach {
        Breach { nearest: self.sources.nearest("", words), ..Breach::new(rule, words) }
    }

    /// Whether an id is of a family that the documents number: not `SHA-256`.
    fn is_numbered(&self, id: &str) -> bool {
        let of_family = |other: &&String| family(other) == family(id);
        FAMILIES.contains(&family(id)) || self.sources.ids().iter().filter(of_family).count() >= 2
    }

    /// An id of a family that the documents number, and that none of them has.
    fn unknown_id(&self, text: &str) -> Option<Breach> {
        let known = self.sources.ids();
        let is_said = |id: &str| self.texts().any(|text| ids(text).any(|one| one == id));
        let unknown = ids(text).find(|id| !known.contains(*id) && self.is_numbered(id) && !is_said(id))?;
        let near = |id: &&String| family(id) == family(unknown);
        let apart = |id: &&String| (strsim::levenshtein(id, unknown), number(id).abs_diff(number(unknown)));
        let other = known.iter().filter(near).min_by_key(apart);
        let nearest = other.and_then(|id| self.sources.line_of(id));
        Some(Breach { nearest, ..Breach::new(Rule::Id, unknown) })
    }

    /// A quotation with its place, or announced by a verb of saying, that nobody and no file has.
    fn unreal_quotation(&self, sentence: &str) -> Option<Breach> {
        let has_place = names_place(sentence) || self.sources.paths().any(|path| sentence.contains(path));
        quotations(sentence).take(QUOTATIONS).find_map(|(before, quote)| {
            let count = words(quote).len();
            let is_announced = words(before).pop().is_some_and(|word| SAYS.contains(&word.text.as_ref()));
            let wanted = Folded::query(quote);
            let is_said = || self.texts().any(|text| Folded::new(text).text.contains(&wanted));
            let is_judged = has_place && count >= NAME || is_announced && count > NAME;
            let is_real = !is_judged || self.sources.quotes(quote) || is_said();
            (!is_real).then(|| self.nearest(Rule::Quotation, quote))
        })
    }

    /// `line 900` where no file has so many.
    fn unreal_place(&self, sentence: &str) -> Option<Breach> {
        let words = words(sentence);
        let last = self.sources.last_line();
        let number = words.windows(2).find_map(|pair| {
            let number = pair[1].text.parse::<usize>().ok().filter(|_| pair[0].text == "line")?;
            (number == 0 || number > last).then_some(number)
        })?;
        Some(Breach::new(Rule::Place, &format!("line {number}")))
    }

    /// A figure that a clause says of an id, a section or a file, and that nobody and no file has.
    fn unsupported_figure(&self, sentence: &str) -> Option<Breach> {
        clauses(sentence).find_map(|clause| {
            let is_of_place = ids(clause).any(|id| self.is_numbered(id))
                || names_place(clause)
                || self.sources.paths().any(|path| clause.contains(path));
            let bare = without_places(clause);
            let unknown = figures(&bare).into_iter().filter(|_| is_of_place).find(|figure| {
                let is_counted =
                    figure.parse::<u32>().is_ok_and(|number| number <= COUNTED) && !has_unit(&bare, figure);
                !is_counted
                    && !self.sources.figures().contains(figure)
                    && !self.texts().any(|text| figures(text).contains(figure))
            })?;
            Some(Breach {
                nearest: self.sources.nearest("", clause),
                ..Breach::new(Rule::Figure, &format!("{unknown} in {}", clause.trim()))
            })
        })
    }
}

/// The number that an id ends with, 0 where there is none.
fn number(id: &str) -> u64 {
    let digits = id.trim_start_matches(|c: char| !c.is_ascii_digit());
    digits.parse().unwrap_or_default()
}

/// Pieces between quotation marks, each with what is before it.
fn quotations(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let open = at + text.get(at..)?.find(['"', '“'])?;
            let mark = text[open..].chars().next()?;
            let start = open + mark.len_utf8();
            let close = start + text[start..].find(if mark == '“' { '”' } else { '"' })?;
            at = close + text[close..].chars().next().map_or(1, char::len_utf8);
            if start < close {
                return Some((&text[..open], &text[start..close]));
            }
        }
    })
}

/// Whether a text has `line 12`, `section 3` or `turn 4`.
fn names_place(text: &str) -> bool {
    words(text).windows(2).any(|pair| is_place(&pair[0].text, &pair[1].text))
}

fn is_place(word: &str, number: &str) -> bool {
    PLACES.contains(&word) && number.starts_with(|c: char| c.is_ascii_digit())
}

/// A text without the numbers of its places.
fn without_places(text: &str) -> String {
    let found = words(text);
    let mut out = text.as_bytes().to_vec();
    for pair in found.windows(2).filter(|pair| is_place(&pair[0].text, &pair[1].text)) {
        out[pair[1].start..pair[1].end].fill(b' ');
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Whether a figure is followed by a sign or a short name of a unit.
fn has_unit(text: &str, figure: &str) -> bool {
    text.match_indices(figure).any(|(at, _)| {
        let rest = text[at + figure.len()..].trim_start();
        let unit = rest.split(|c: char| c.is_whitespace() || ".,;:)".contains(c)).next().unwrap_or_default();
        rest.starts_with(['%', '€', '$', '£'])
            || ["ms", "s", "min", "h", "kb", "mb", "gb", "seconds", "minutes", "hours", "days", "weeks"]
                .contains(&unit.to_lowercase().as_str())
    })
}

/// The parts of a sentence between marks; a mark inside a figure is none.
fn clauses(sentence: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(sentence);
    std::iter::from_fn(move || {
        let text = rest?;
        let end = text.char_indices().find(|(at, c)| {
            let follows = text[at + c.len_utf8()..].chars().next();
            matches!(c, ',' | ';' | ':' | '(' | ')' | '–' | '—')
                && follows.is_none_or(|next| !next.is_ascii_digit())
        });
        rest = end.map(|(at, c)| &text[at + c.len_utf8()..]);
        Some(end.map_or(text, |(at, _)| &text[..at]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEC: &str = "# Spec\n\nFR-001: Photos wait at most 30 seconds.\nFR-002: The queue keeps 64 items.\n\n## 3. Sync\n\nNothing is lost \"by accident\".\n";

    fn found(text: &str) -> Vec<(String, String)> {
        let sources = Sources::new([("spec.md", SPEC)].into_iter(), &[]);
        let basis = Basis {
            sources: Some(&sources),
            first: Some("Is 90 seconds too long for FR-009?"),
            ..Basis::default()
        };
        unreal_claims(text, &[], &basis)
            .into_iter()
            .map(|one| (one.rule.name().to_owned(), one.nearest.unwrap_or_default()))
            .collect()
    }

    #[test]
    fn what_is_said_of_a_file_is_in_it() {
        for (text, rule, nearest) in [
            ("FR-003 is missing a limit.", "id", "spec.md:4: FR-002: The queue keeps 64 items."),
            (
                "spec.md, line 3 has \"photos wait at most 40 seconds\".",
                "quotation",
                "spec.md:3: FR-001: Photos wait at most 30 seconds.",
            ),
            (
                "The document says \"the queue drops every item\".",
                "quotation",
                "spec.md:4: FR-002: The queue keeps 64 items.",
            ),
            ("See line 41 for more.", "place", ""),
            ("FR-001 allows 45 seconds.", "figure", "spec.md:3: FR-001: Photos wait at most 30 seconds."),
            ("Section 3 promises 5 s.", "figure", ""),
        ] {
            assert_eq!(found(text), [(rule.to_owned(), nearest.to_owned())], "{text}");
        }
    }

    #[test]
    fn prose_without_a_place_is_not_judged() {
        for text in [
            "FR-001 allows 30 seconds, so 45 photos wait behind it.",
            "spec.md, line 3: \"photos  wait at most 30 SECONDS\".",
            "FR-009 and 90 seconds were asked for.",
            "What if FR-002 had a state \"nothing was kept\"?",
            "FR-002 has 3 gaps and UTF-8 text.",
            "A queue of 900 items fits SHA-256 and RFC-2119.",
            "Section 3 says \"by accident\".",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
    }

    #[test]
    fn passages_get_their_real_place() {
        let sources = Sources::new([("spec.md", SPEC)].into_iter(), &[]);
        let rest = |line, quote: &str| Rest { path: "spec.md".into(), line, quote: quote.into() };
        let line = Line {
            rests: vec![rest(90, "photos wait at most 30 seconds"), rest(3, "photos wait for ever")],
            ..Line::plain("x")
        };
        let (line, breaches) = verified(line, &sources);
        assert_eq!(line.rests, [rest(3, "Photos wait at most 30 seconds")]);
        assert_eq!((breaches.len(), breaches[0].rule.name()), (1, "quotation"));
        assert!(breaches[0].nearest.as_deref().unwrap().starts_with("spec.md:3:"));
    }
}
