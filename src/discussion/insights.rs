//! Key insights by rule: what each contribution says that is more than an occasion, near-duplicates together,
//! the weightiest first.
//!
//! | counts | for |
//! | --- | --- |
//! | 13 | a fact that the user states, with a figure, a rule, what happened or who said it; any other 4 |
//! | 6 | a line that stands against what was just decided or told |
//! | 3 | an answer to what the user asked |
//! | 3 | a place in a document; 1 a quotation; 1 a figure |
//! | 2 | saying what follows; having to do with what the user said anywhere; each further voice that said it |
//!
//! What a colleague found counts where it bears on the talk: it quotes two words of the user's or of a decision,
//! a line that is open, or two lines that clash; the weightiest others only where there are fewer than two.
//! A finding whose contribution only asks what follows is an open question, and no insight beside it.
//! Of equals the earlier one stands first. docs/offline.md has the rule for readers.

use super::Discussion;
use super::answered::{is_overtaken, roots};
use super::event::{Class, Purpose};
use super::extract::{ENTRY, Said};
use super::facts::{Told, is_open, placed};
use super::figures::Stated;
use super::positions::position;
use super::summary::{Decision, Insight, Question, USER};
use super::words::{stems, subjects, words};
use crate::plain::{capital, cut};
use crate::voice::forms::only_shows;

/// Insights beyond these are left to the recording.
const MOST: usize = 8;
/// Where fewer bear on the talk, the weightiest findings beside it fill up to so many.
const FEWEST: usize = 2;

/// An insight that is still weighed.
struct Weighed {
    insight: Insight,
    weight: usize,
    subjects: Vec<String>,
}

/// The insights of what was said, ranked.
pub(super) fn insights(
    said: &[Said],
    decisions: &[Decision],
    told: &[Told],
    open: &[Question],
    talk: &Discussion<'_>,
) -> Vec<Insight> {
    let form = Form { open, criteria: &talk.step().validation, told };
    ranked(said, decisions, &form)
}

/// What is no insight: the step's own criteria, and what stands among the open questions.
struct Form<'a> {
    open: &'a [Question],
    criteria: &'a [String],
    /// What the user states, in order.
    told: &'a [Told],
}

fn ranked(said: &[Said], decisions: &[Decision], form: &Form<'_>) -> Vec<Insight> {
    let (mut found, mut beside) = (Vec::new(), Vec::new());
    for (at, one) in said.iter().enumerate().filter(|(_, one)| speaks(one)) {
        match one.by.as_str() {
            USER => {
                for told in form.told.iter().filter(|told| told.turn == one.turn) {
                    take(&mut found, stated(told), one);
                }
            }
            _ => {
                let Some(finding) = telling(one, said, decisions, form) else { continue };
                // What was open is settled since.
                if is_overtaken(&finding.text, said.get(at + 1..).unwrap_or_default()) {
                    continue;
                }
                let kept = match finding.bears_on(said, decisions) {
                    true => &mut found,
                    // What points at no line says nothing about the documents.
                    false if placed(&finding.text).is_empty() => continue,
                    false => &mut beside,
                };
                take(kept, finding.weighed(one, &said[..at], said), one);
            }
        }
    }
    // Stable: of equals the earlier one stands first.
    found.sort_by_key(|one| std::cmp::Reverse(one.weight));
    beside.sort_by_key(|one: &Weighed| std::cmp::Reverse(one.weight));
    // Who discussed a document wants to know what was found in it, even where nobody asked for that.
    beside.truncate(FEWEST.saturating_sub(found.len()));
    found.append(&mut beside);
    let found = in_different_words(found);
    the_most(found.into_iter().map(|one| one.insight).collect())
}

/// As many as are kept; what the user states is never left away.
fn the_most(found: Vec<Insight>) -> Vec<Insight> {
    let by_user = |one: &Insight| one.by.iter().any(|by| by == USER);
    let users = found.iter().filter(|one| by_user(one)).count();
    let mut left = MOST.saturating_sub(users);
    let keeps = |one: &Insight| {
        let kept = by_user(one) || left > 0;
        left -= usize::from(kept && !by_user(one));
        kept
    };
    let mut found = found;
    found.retain(keeps);
    found
}

/// Of one voice's insights in the same form of words, the first: what it said of another line in the same
/// words adds little.
fn in_different_words(found: Vec<Weighed>) -> Vec<Weighed> {
    let mut kept: Vec<(Vec<String>, Weighed)> = Vec::new();
    for one in found {
        let form = form_of_words(&one.insight.text);
        let by_user = one.insight.by.iter().any(|by| by == USER);
        let is_same = |(other, kept): &(Vec<String>, Weighed)| {
            kept.insight.by.iter().any(|by| one.insight.by.contains(by)) && is_alike(other, &form)
        };
        if by_user || form.len() < 5 || !kept.iter().any(is_same) {
            kept.push((form, one));
        }
    }
    kept.into_iter().map(|(_, one)| one).collect()
}

/// The words of a text outside of what it quotes, without numbers and names of files.
fn form_of_words(text: &str) -> Vec<String> {
    let (_, outside) = quoted_apart(text);
    let own = outside.split_whitespace().filter(|word| {
        !word.trim_end_matches('.').contains('.') && !word.contains(|c: char| c.is_ascii_digit())
    });
    let mut found = stems(&own.collect::<Vec<_>>().join(" "));
    found.sort_unstable();
    found.dedup();
    found
}

/// The roots of a message, without the one word that addresses somebody; "what happens when … comes up?" asks
/// for anything.
fn subjects_of_a_message(text: &str) -> Vec<String> {
    let called = text.split_once(", ").filter(|(whom, _)| words(whom).len() == 1);
    let mut found = roots(called.map_or(text, |(_, said)| said));
    found.retain(|root| !matches!(root.as_str(), "happen" | "come" | "occur"));
    found
}

/// What a text quotes, and what it says itself.
fn quoted_apart(text: &str) -> (String, String) {
    let own: Vec<&str> = text.split('"').step_by(2).collect();
    let quoted: Vec<&str> = text.split('"').skip(1).step_by(2).collect();
    (quoted.join(" "), own.join(" "))
}

/// Adds an insight, or joins it to the one that says the same.
fn take(found: &mut Vec<Weighed>, new: Weighed, one: &Said) {
    let same = |other: &&mut Weighed| {
        is_same(&other.insight.text, &other.subjects, &new.insight.text, &new.subjects)
    };
    match found.iter_mut().find(same) {
        Some(same) => same.join(one, new),
        None => found.push(new),
    }
}

/// A fact of the user's, with the line beside it that a colleague read out.
fn stated(told: &Told) -> Weighed {
    let Told { turn, fact, beside } = told;
    let mut insight = Insight { text: fact.text.clone(), by: vec![USER.to_owned()], turns: vec![*turn] };
    let mut weight = if fact.is_telling { 13 } else { 4 };
    if let Some(line) = beside {
        let says = if line.contradicts { STILL } else { " says \"" };
        let text = format!("{}. {}{says}{}\"", fact.text, line.place, line.quote);
        if text.chars().count() <= ENTRY {
            insight.text = text;
            insight.by.push(line.by.clone());
            insight.turns.push(line.turn);
            insight.turns.sort_unstable();
            weight += if line.contradicts { 6 } else { 3 };
        }
    }
    Weighed { insight, weight, subjects: subjects(&fact.text) }
}

/// What a contribution found, and what follows from it.
struct Finding {
    text: String,
    follows: Option<String>,
}

impl Finding {
    /// Whether it has to do with what the user said or decided, or shows a gap of its own: a line that is open,
    /// an empty cell, two lines that give two figures.
    fn bears_on(&self, said: &[Said], decisions: &[Decision]) -> bool {
        let (quoted, outside) = quoted_apart(&self.text);
        let own = roots(if quoted.is_empty() { &outside } else { &quoted });
        // Two words, or the one that somebody says.
        let shares = |other: &str| {
            let said = subjects_of_a_message(other);
            said.iter().filter(|root| own.contains(root)).count() >= 2.min(said.len()).max(1)
        };
        let lines = placed(&self.text);
        let clash = |(at, (_, line)): (usize, &(String, String))| {
            let stated = Stated::new(line, "");
            lines[at + 1..].iter().any(|(_, other)| stated.clashes(other))
        };
        self.text.contains(STILL)
            || outside.contains(" empty")
            || lines.iter().any(|(_, line)| is_open(line))
            || said.iter().any(|one| one.by == USER && speaks(one) && shares(&one.text))
            || decisions.iter().any(|one| shares(&format!("{} {}", one.text, one.rationale)))
            || lines.iter().enumerate().any(clash)
    }

    fn weighed(self, one: &Said, before: &[Said], said: &[Said]) -> Weighed {
        let weight = weight(&self.text, one, before, said) + if self.follows.is_some() { 2 } else { 0 };
        let subjects = subjects(&self.text);
        let whole = self.follows.map(|follows| format!("{}. {follows}", self.text));
        // What follows is said whole, or not at all.
        let text = whole.filter(|whole| whole.chars().count() <= ENTRY).unwrap_or(self.text);
        let insight = Insight { text: cut(&text, ENTRY), by: vec![one.by.clone()], turns: vec![one.turn] };
        Weighed { insight, weight, subjects }
    }
}

impl Weighed {
    /// The same, said again: by one voice more, it weighs more. Of the user's words and a colleague's about
    /// the same the user's stay.
    fn join(&mut self, one: &Said, new: Weighed) {
        self.weight = self.weight.max(new.weight);
        if one.by == USER && !self.insight.by.iter().any(|by| by == USER) {
            self.insight.text = new.insight.text;
            self.subjects = new.subjects;
        }
        let Insight { by, turns, .. } = &mut self.insight;
        turns.extend(new.insight.turns);
        turns.sort_unstable();
        turns.dedup();
        for key in new.insight.by {
            if !by.contains(&key) {
                by.push(key);
                self.weight += 2;
            }
        }
    }
}

fn speaks(one: &Said) -> bool {
    one.is_turn
        && one.purpose != Some(Purpose::Framing)
        && !matches!(one.class, Some(Class::OffTopic | Class::Unclear))
}

/// How much an insight matters, as the table above has it.
fn weight(text: &str, one: &Said, before: &[Said], said: &[Said]) -> usize {
    let place = has_place(text);
    let quoted = text.contains('"');
    let figure = text.contains(|c: char| c.is_ascii_digit());
    let against = text.contains(STILL);
    let asked = before.iter().rev().find(|other| other.by == USER);
    let answers = one.purpose == Some(Purpose::Answer)
        && asked.is_some_and(|asked| asked.text.trim_end().ends_with('?'));
    let about = subjects(text);
    let shared = |other: &Said| subjects(&other.text).iter().filter(|word| about.contains(word)).count() >= 2;
    let near = one.by != USER && said.iter().any(|other| other.by == USER && shared(other));
    let counted = [(against, 6), (answers, 3), (place, 3), (quoted, 1), (figure, 1), (near, 2)];
    counted.iter().filter(|(holds, _)| *holds).map(|(_, weight)| weight).sum()
}

/// "… line 12", as contributions name a place.
fn has_place(text: &str) -> bool {
    text.split(" line ").skip(1).any(|after| after.starts_with(|c: char| c.is_ascii_digit()))
}

/// What stands against a decision says so with these words.
const STILL: &str = " still says \"";

/// Two texts about the same: at least two thirds of their subjects are shared, or they quote the same and
/// point at the same place.
fn is_same(a: &str, of_a: &[String], b: &str, of_b: &[String]) -> bool {
    let quotes = |text: &str| {
        text.split('"').skip(1).step_by(2).map(str::to_lowercase).collect::<std::collections::BTreeSet<_>>()
    };
    let quoted = quotes(a);
    let alike = !quoted.is_empty() && quoted == quotes(b) && places(a) == places(b) && has_place(a);
    alike || is_alike(of_a, of_b)
}

fn places(text: &str) -> Vec<&str> {
    let number = |after: &'_ str| after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
    text.split(" line ").skip(1).map(|after| &after[..number(after)]).collect()
}

/// Two texts, given by their subjects, about the same: at least two thirds of them are shared.
pub(super) fn is_alike(a: &[String], b: &[String]) -> bool {
    let shared = a.iter().filter(|word| b.contains(word)).count();
    let all = a.len() + b.len() - shared;
    all > 0 && shared * 3 >= all * 2
}

/// How a sentence begins that only shows what a document says, or comes back to what was asked.
const OCCASIONS: [&str; 9] = [
    "That speaks to ",
    "Nobody has taken up ",
    "Before people leave this table, ",
    "Still without an owner is ",
    "One point stays on my list, ",
    "One sentence is still missing, ",
    "One entry is blank where ",
    "The closest a person gets is ",
    "The nearest thing to build on is ",
];

/// Whether a sentence is only the occasion for what follows it.
fn is_occasion(sentence: &str) -> bool {
    // A reference to a colleague (interface specification 3.3) leads in to what is meant.
    let refers = sentence.starts_with("I agree with ") && sentence.ends_with(" matters here.")
        || sentence.ends_with(" and I see this differently.")
        || sentence.contains(" raises a good point about \"") && sentence.ends_with("\".");
    // "Jordan mentioned "the export"." only leads in to what that means.
    let mentions =
        sentence.contains(" mentioned \"") && sentence.ends_with(['"', '.']) && !has_place(sentence);
    let shows = OCCASIONS.iter().any(|begin| sentence.starts_with(begin));
    refers || mentions || shows || only_shows(sentence) || sentence.contains("\" is not defined ")
}

/// A sentence of fewer subjects only goes on with what stood before it.
const SPEAKS: usize = 3;

/// What a contribution found: the first statement that names a place, a number or somebody's words, asks
/// nothing, and is no occasion, with the statement that follows it. What takes up a decision is one already,
/// and no insight beside it, but for what stands against it; what one favors is for the user to settle.
fn telling(one: &Said, said: &[Said], decisions: &[Decision], form: &Form<'_>) -> Option<Finding> {
    // What only comes back to an earlier question rests on that.
    let comes_back = one.text.contains("question from turn ");
    if comes_back
        || position(&one.text).is_some()
        || one.sentences.iter().any(|sentence| form.is_criterion(sentence))
    {
        return None;
    }
    let takes_up = one.sentences.first().is_some_and(|first| quotes_a_decision(first, decisions));
    let says = |sentence: &String| {
        !is_occasion(sentence)
            && (!takes_up || sentence.contains(STILL))
            && is_statement(sentence, 6)
            && !only_repeats(sentence, said)
    };
    let statements: Vec<(usize, &String)> =
        one.sentences.iter().enumerate().filter(|(_, sentence)| says(sentence)).collect();
    let named = |(_, sentence): &&(usize, &String)| {
        sentence.contains('"') || sentence.contains(|c: char| c.is_ascii_digit())
    };
    let still = statements.iter().find(|(_, sentence)| sentence.contains(STILL));
    // What names nothing at all has to speak of something, at least. `max_by_key` gives the last of equals;
    // the first is wanted.
    let speaks = statements.iter().rev().filter(|(_, sentence)| subjects(sentence).len() >= SPEAKS);
    let most = || speaks.max_by_key(|(_, sentence)| subjects(sentence).len().min(12));
    let (at, best) = still.or_else(|| statements.iter().find(named)).or_else(most)?;
    let next = one.sentences.get(at + 1);
    let follows = next.filter(|next| is_statement(next, 4) && !has_place(next) && !is_occasion(next));
    // What stands at a line stays a finding; a bare question is asked, and not found.
    let is_asked = follows.is_none() && !best.contains(STILL) && !has_place(best) && form.asks(one.turn);
    (!is_asked).then(|| Finding {
        text: without_opening(best),
        follows: follows.map(|next| next.trim_end_matches('.').to_owned()),
    })
}

/// A sentence of so many words or more that asks nothing, opens nothing and decides nothing.
fn is_statement(sentence: &str, least: usize) -> bool {
    !sentence.ends_with(['?', '？', ':'])
        && words(sentence).len() >= least
        && super::decisions::decisions_in(sentence, false).is_empty()
}

impl Form<'_> {
    /// Whether an open question rests on a turn alone.
    fn asks(&self, turn: u32) -> bool {
        self.open.iter().any(|question| question.turns == [turn])
    }

    /// Whether a sentence reads out a criterion of the step: what follows is about the form, not the item.
    fn is_criterion(&self, sentence: &str) -> bool {
        quotes_one_of(sentence, self.criteria)
    }
}

/// Whether a sentence quotes one of some texts.
pub(super) fn quotes_one_of(sentence: &str, texts: &[String]) -> bool {
    let bare = |text: &str| text.trim_matches(['…', '.', '"', '\'', ' ']).replace('"', "'").to_lowercase();
    let mut quotes = sentence.split('"').skip(1).step_by(2).map(bare).filter(|quote| quote.len() > 20);
    quotes.any(|quote| texts.iter().any(|text| bare(text).starts_with(&quote)))
}

/// Whether a sentence quotes the beginning of a decision.
pub(super) fn quotes_a_decision(sentence: &str, decisions: &[Decision]) -> bool {
    let lower = sentence.to_lowercase();
    let begins = |text: &str| text.chars().take(24).collect::<String>().to_lowercase().replace('"', "'");
    // "How should people hear of it? By a letter" is quoted by its answer.
    let answer = |text: &str| text.rsplit_once("? ").map(|(_, answer)| begins(answer));
    let quotes = |text: String| lower.contains(&format!("\"{text}"));
    decisions.iter().any(|one| quotes(begins(&one.text)) || answer(&one.text).is_some_and(quotes))
}

/// Whether a persona's sentence rests on the user's own words alone, which stand for themselves.
pub(super) fn only_repeats(sentence: &str, said: &[Said]) -> bool {
    let quoted: Vec<&str> =
        sentence.split('"').skip(1).step_by(2).map(|quoted| quoted.trim_end_matches(['…', ' '])).collect();
    let of_user = |quoted: &&str| {
        said.iter().any(|one| one.by == USER && crate::plain::one_line(&one.text).contains(*quoted))
    };
    !quoted.is_empty() && !has_place(sentence) && quoted.iter().all(of_user)
}

/// A sentence without the reference to a colleague that leads into it.
pub(super) fn without_opening(sentence: &str) -> String {
    let openings = ["Building on ", "To add to what ", "On \"", "From a ", "From an "];
    let opened = openings.iter().any(|opening| sentence.starts_with(opening));
    let sentence = sentence.strip_prefix("However, ").unwrap_or(sentence);
    let tail = opened.then(|| sentence.split_once(": ")).flatten().map(|(_, tail)| tail);
    capital(tail.unwrap_or(sentence).trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(turn: u32, by: &str, text: &str) -> Said {
        Said {
            turn,
            by: by.to_owned(),
            text: text.to_owned(),
            sentences: crate::discussion::extract::sentences(text),
            is_turn: true,
            class: None,
            purpose: (by != USER).then_some(Purpose::Answer),
            decides: Vec::new(),
        }
    }

    #[test]
    fn a_place_is_read_with_the_quotation_that_a_voice_shows_there() {
        use crate::voice::forms::{points_at, reads_beside};
        use crate::voice::wording::Speech;
        for speech in [Speech::Analyst, Speech::Architect, Speech::Designer] {
            let (topic, at, line) = ("the old pump house", "spec.md line 7", "Marketing wants January");
            let ways = [
                points_at(speech, topic, "the rule at spec.md line 7", line),
                reads_beside(speech, topic, at, line),
            ];
            for one in ways.iter().flatten() {
                assert_eq!(placed(one), [(at.to_owned(), line.to_owned())], "{one}");
            }
        }
    }

    fn of(talk: &[Said], decisions: &[Decision]) -> Vec<Insight> {
        let cast = crate::library::Library::built_in().unwrap().cast;
        let criteria = ["Every berth has a number and an owner".to_owned()];
        let told = crate::discussion::facts::told(talk, decisions, &cast);
        ranked(talk, decisions, &Form { open: &[], criteria: &criteria, told: &told })
    }

    #[test]
    fn a_fact_of_the_users_comes_before_what_was_found() {
        let talk = [
            said(1, USER, "The pilot told me the buoy was lost twice last year. That must not happen again."),
            said(
                2,
                "system-designer",
                "spec.md line 3 has \"buoy is lost\" and no error case beside it. A caller waits for ever.",
            ),
            said(3, "business-analyst", "spec.md line 8 says \"The pilot reports a lost buoy by radio\"."),
        ];
        let found = of(&talk, &[]);
        assert!(found[0].text.starts_with("The pilot told me"), "{found:?}");
        assert!(
            found[0].text.ends_with("again. spec.md line 8 says \"The pilot reports a lost buoy by radio\""),
            "{found:?}"
        );
        assert_eq!(
            (found[0].by.as_slice(), found[0].turns.as_slice()),
            (&["user".to_owned(), "business-analyst".to_owned()][..], &[1, 3][..])
        );
        assert!(found[1].text.ends_with("no error case beside it. A caller waits for ever"), "{found:?}");
    }

    #[test]
    fn a_position_a_reference_and_a_criterion_are_no_insight() {
        let talk = [
            said(
                1,
                "solutions-architect",
                "I favor one berth because \"the quay is short\" holds. Line by line, spec.md line 4 says \"the quay is short\".",
            ),
            said(2, "solutions-architect", "Jordan mentioned \"the berth can be booked\"."),
            said(
                3,
                "solutions-architect",
                "Two options remain while spec.md omits \"Every berth has a number and an owner\": settle it now.",
            ),
        ];
        assert_eq!(of(&talk, &[]), []);
    }

    #[test]
    fn a_form_of_words_stands_once_for_each_voice() {
        let size = |turn, by: &str, line: u32, what: &str| {
            said(
                turn,
                by,
                &format!(
                    "spec.md line {line} fixes a size: \"{what}\". At ten times that some part gives way first."
                ),
            )
        };
        let talk = [
            said(
                1,
                USER,
                "How many berths has the harbour, what does a crane lift, and a letter of 3 pages?",
            ),
            size(1, "solutions-architect", 4, "The harbour has 40 berths"),
            size(2, "solutions-architect", 9, "A crane lifts 12 tons"),
            size(3, "system-designer", 12, "A letter has 3 pages"),
        ];
        let found = of(&talk, &[]).into_iter().filter(|one| !one.by.contains(&USER.to_owned()));
        let places: Vec<String> = found.map(|one| one.text[..14].to_owned()).collect();
        assert_eq!(places, ["spec.md line 4", "spec.md line 1"]);
    }

    #[test]
    fn what_a_colleague_found_counts_where_it_bears_on_the_talk() {
        let found = |asked: &str, text: &str| {
            // Two others bear on it already: where there are fewer, any finding is better than none.
            let talk = [
                said(1, USER, asked),
                said(2, "system-designer", text),
                said(
                    3,
                    "solutions-architect",
                    "A question lives at spec.md line 20: \"Masts of oak: not decided\".",
                ),
                said(
                    4,
                    "business-analyst",
                    "A question lives at spec.md line 21: \"Sails of linen: not decided\".",
                ),
            ];
            of(&talk, &[]).len() - 2
        };
        let vague =
            "spec.md line 5 says \"Storms are handled somehow\", and nobody can tell whether it holds.";
        assert_eq!(found("Maya, what happens when storms come up?", vague), 1);
        assert_eq!(found("What happens when two storms meet at the berth?", vague), 0);
        for (text, count) in [
            ("spec.md line 3 counts on a quiet hour: \"Tickets are printed at night\".", 0),
            ("spec.md line 3 leaves the skipper alone: \"The skipper calls by radio\".", 1),
            ("A question lives at spec.md line 3: \"Tickets for dogs: not decided\".", 1),
            ("With \"Price\" left empty for \"Tickets\" at spec.md line 3, nobody can pay.", 1),
            (
                "spec.md line 3 says \"A ticket holds 3 trips\" and spec.md line 9 says \"A ticket holds 5 trips\".",
                1,
            ),
        ] {
            let asked = "What does the skipper do when the radio of the berth is dead?";
            assert_eq!(found(asked, text), count, "{text}");
        }
    }

    #[test]
    fn the_weightiest_two_stand_where_nothing_bears_on_the_talk() {
        let finding = |turn, line: u32, what: &str| {
            let text = format!("spec.md line {line} counts on a quiet hour: \"{what}\".");
            said(
                turn,
                ["system-designer", "solutions-architect", "business-analyst"][turn as usize % 3],
                &text,
            )
        };
        let asked = said(1, USER, "What does the skipper do when the radio of the berth is dead?");
        let talk = [
            asked,
            finding(2, 3, "Tickets are printed at night"),
            finding(3, 9, "The crane is oiled on Sundays"),
            finding(4, 12, "Letters leave with the first train"),
        ];
        assert_eq!(of(&talk, &[]).len(), FEWEST);
        assert_eq!(of(&talk[..2], &[]).len(), 1);
    }

    #[test]
    fn what_the_user_states_is_never_left_away() {
        let insight = |by: &str| Insight { text: "x".into(), by: vec![by.to_owned()], turns: vec![1] };
        let mut all = vec![insight("system-designer"); 9];
        all.extend(vec![insight(USER); 5]);
        let kept = the_most(all);
        assert_eq!(kept.len(), MOST);
        assert_eq!(kept.iter().filter(|one| one.by == [USER]).count(), 5);
    }

    #[test]
    fn a_finding_that_only_asks_stands_among_the_open_questions() {
        let talk = [
            said(1, USER, "Do boats ever wait at the sluice?"),
            said(
                1,
                "business-analyst",
                "Life finds the exception to \"all boats wait\", as it does each summer. Which boat breaks it?",
            ),
        ];
        let asked = Question { text: "Which boat breaks it?".into(), context: "x".into(), turns: vec![1] };
        let found = |open: &[Question]| ranked(&talk, &[], &Form { open, criteria: &[], told: &[] });
        assert_eq!(found(&[asked]), []);
        assert_eq!(found(&[]).len(), 1);
    }

    #[test]
    fn a_sentence_that_only_goes_on_is_no_finding() {
        let found = |text: &str| {
            let form = Form { open: &[], criteria: &[], told: &[] };
            let asked = said(1, USER, "Do readers who move house hear of it?");
            ranked(&[asked, said(1, "business-analyst", text)], &[], &form).len()
        };
        assert_eq!(found("It is open there as well. Who could tell us?"), 0);
        assert_eq!(found("Readers who move house never hear of their fees. Who could tell us?"), 1);
    }

    #[test]
    fn what_stands_against_a_decision_comes_first_and_the_same_gap_is_named_together() {
        let talk = [
            said(
                1,
                "solutions-architect",
                "With \"Number\" left empty for \"NFR-7\" at nfr.md line 9, no option can be ruled out.",
            ),
            said(
                2,
                "system-designer",
                "\"NFR-7\" has an empty \"Number\" cell in nfr.md line 9, and no test asserts a blank.",
            ),
            said(3, USER, "We take two minutes, not ten."),
            said(
                4,
                "business-analyst",
                "So we agree on \"We take two minutes, not ten\". nfr.md line 11 still says \"at most 10 minutes\", and whoever reads that goes by it.",
            ),
        ];
        let decided =
            Decision { text: "We take two minutes, not ten".into(), rationale: "x".into(), turns: vec![3] };
        let found = of(&talk, &[decided]);
        assert!(found[0].text.starts_with("nfr.md line 11 still says"), "{found:?}");
        assert_eq!(found[1].by, ["solutions-architect", "system-designer"]);
        assert_eq!(found[1].turns, [1, 2]);
        assert_eq!(found.len(), 2, "{found:?}");
    }

    #[test]
    fn an_occasion_and_the_users_own_words_are_no_insight() {
        let talk = [
            said(1, USER, "The returns desk uses the old numbers."),
            said(
                2,
                "business-analyst",
                "You say \"The returns desk uses the old numbers\". How often does that happen?",
            ),
            said(
                3,
                "solutions-architect",
                "On \"returns desk\", the plan has \"the desk is closed at night\" (spec.md line 4).",
            ),
        ];
        let found = of(&talk, &[]);
        assert_eq!(found.iter().map(|one| one.by.join("/")).collect::<Vec<_>>(), [USER]);
    }
}
