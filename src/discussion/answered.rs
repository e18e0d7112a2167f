//! Whether a question of the user's is answered: by a decision about it, or by the lines that an answer reads
//! out. Words count by their roots. In doubt a question stays open: who reads it once too often loses less
//! than who never does.

use super::alternatives::answer_to;
use super::arrangements::asks_of_a_case;
use super::decisions::decisions_in;
use super::extract::Said;
use super::facts::{is_open, placed};
use super::near::near_to;
use super::root::root;
use super::settler::names_people;
use super::summary::{Decision, USER};
use super::words::{is_number, subjects, words};
use crate::discussion::event::Purpose;
use crate::voice::forms::shows_an_answer;

/// Words that any question may have, in English and German, sorted: they are no subject.
const OF_ANY_QUESTION: [&str; 82] = [
    "able", "agree", "alle", "anybody", "anyone", "anything", "auch", "auf", "begin", "bei", "best",
    "bleiben", "bleibt", "braucht", "change", "continue", "darf", "das", "dass", "dem", "den", "der", "des",
    "die", "ein", "eine", "einem", "einen", "einer", "eines", "else", "first", "für", "gibt", "good",
    "haben", "happen", "hat", "help", "idea", "ihr", "ist", "kann", "lange", "many", "mean", "mit", "muss",
    "nach", "need", "next", "nicht", "oder", "oft", "proceed", "question", "really", "sense", "sich", "sind",
    "soll", "somebody", "someone", "start", "started", "thing", "think", "und", "viel", "viele", "von",
    "wann", "war", "was", "wenn", "wer", "werden", "wie", "wird", "work", "zum", "zur",
];

/// What a question is about.
pub(super) fn about(question: &str) -> Vec<String> {
    let mut found = subjects(question);
    found.retain(|word| OF_ANY_QUESTION.binary_search(&word.as_str()).is_err());
    found
}

/// The same by roots: "pricing" and "prices" are one.
pub(super) fn roots(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for word in about(text) {
        let root = root(&word);
        if !found.contains(&root) {
            found.push(root);
        }
    }
    found
}

fn shared(asked: &[String], text: &str) -> usize {
    let said = roots(text);
    let near = |root: &str| near_to(root).into_iter().any(|near| said.iter().any(|one| one == near));
    let says = |root: &&String| said.contains(root) || near(root);
    asked.iter().filter(says).count()
}

/// Whether a question is answered by what was said `later`, or by a decision that came after it.
pub(super) fn is_answered(one: &Said, question: &str, later: &[Said], decisions: &[Decision]) -> bool {
    let asked = roots(question);
    let next = later.iter().find(|next| next.by == USER);
    let after = |decision: &&Decision| decision.turns.iter().any(|turn| *turn > one.turn);
    let about_half = |decision: &Decision| shared(&asked, &whole(decision)) * 2 >= asked.len().max(2);
    is_settled_beside(question, &asked, one)
        || next.is_some_and(|next| is_settled_by(question, &asked, next))
        || is_told(&asked, later)
        || decisions.iter().any(|decision| decision.text.starts_with(question))
        || decisions.iter().filter(after).any(about_half)
        || is_read_out(question, &asked, later)
        || is_shown(later)
        || is_settled_where_it_stands(later)
}

/// Whether a later decision is about the open line that the question was pointed to: its answers name that line.
fn is_settled_where_it_stands(later: &[Said]) -> bool {
    let open: Vec<String> =
        answers(later).into_iter().filter(|(_, line)| is_open(line)).map(|(place, _)| place).collect();
    are_settled(&open, later)
}

/// The lines that are read out before the user speaks again, each with its place.
fn answers(to: &[Said]) -> Vec<(String, String)> {
    let answers = to.iter().take_while(|next| next.by != USER);
    answers.flat_map(|next| &next.sentences).flat_map(|sentence| placed(sentence)).collect()
}

/// Whether a later decision of the user's is answered with one of some places.
fn are_settled(open: &[String], later: &[Said]) -> bool {
    let decisive = |at: &usize| later[*at].by == USER && !later[*at].decides.is_empty();
    !open.is_empty()
        && (0..later.len())
            .filter(decisive)
            .any(|at| answers(&later[at + 1..]).iter().any(|(place, _)| open.contains(place)))
}

/// Whether a text reads out an open line that a later decision of the user's settles.
pub(super) fn is_overtaken(text: &str, later: &[Said]) -> bool {
    let open = placed(text).into_iter().filter(|(_, line)| is_open(line)).map(|(place, _)| place);
    are_settled(&open.collect::<Vec<_>>(), later)
}

/// Whether the first answer shows a line as the answer: the voice has held the question against all documents.
fn is_shown(later: &[Said]) -> bool {
    let mut answers = later.iter().take_while(|next| next.by != USER);
    let first =
        answers.find(|next| next.purpose == Some(Purpose::Answer)).and_then(|next| next.sentences.first());
    first.is_some_and(|first| shows_an_answer(first) && !is_open(first))
}

/// Whether a later statement of the user's says all that was asked about, in two words at least.
fn is_told(asked: &[String], later: &[Said]) -> bool {
    let users = later.iter().filter(|next| next.by == USER).flat_map(|next| &next.sentences);
    let mut told = users.filter(|sentence| !sentence.ends_with(['?', '？']));
    asked.len() >= 2 && told.any(|sentence| shared(asked, sentence) == asked.len())
}

/// A decision with its reason.
fn whole(decision: &Decision) -> String {
    let why = Some(decision.rationale.as_str()).filter(|why| !why.starts_with("settled by "));
    format!("{} {}", decision.text, why.unwrap_or_default())
}

/// Whether the message that asks decides it itself: "Who opens the gate? I'd say the pilot."
fn is_settled_beside(question: &str, asked: &[String], one: &Said) -> bool {
    let own =
        one.by == USER && decisions_in(&one.text, true).is_empty() && one.text.trim() != question.trim();
    own && one.decides.iter().any(|(what, _)| shared(asked, what) * 2 >= asked.len().max(2))
}

/// Whether the user's next message settles a question: it takes one of its alternatives, names the choice
/// ("the second pump it is"), or decides something with two of its words.
fn is_settled_by(question: &str, asked: &[String], next: &Said) -> bool {
    let names = next.text.to_ascii_lowercase().contains(" it is");
    let near = |(what, why): &(String, Option<String>)| {
        let text = format!("{what} {}", why.as_deref().unwrap_or_default());
        // "The caretaker opens it" is of what was asked right before.
        let points = words(what)
            .iter()
            .any(|word| matches!(word.text.as_ref(), "it" | "that" | "them" | "this" | "both"));
        shared(asked, &text) >= if points { 1 } else { 2.min(asked.len()).max(1) }
    };
    // "Make that one week" behind "for how long do we keep it?"
    let lower = question.to_lowercase();
    let counts = ["how long", "how many", "how much", "how often", "wie lange", "wie viele"].iter();
    let of_count = counts.into_iter().any(|word| lower.contains(word));
    let is_figure = |(what, _): &(String, Option<String>)| {
        let found = words(what);
        of_count && found.len() <= 5 && found.iter().any(|word| is_number(&word.text))
    };
    let decides = !next.decides.is_empty();
    // "Could we take them back at the gate?" – "Then Kim empties the box": it follows from what was asked. What
    // no words of its own decide is an answer, and so is what will be done in the case that was asked about.
    let begins = |all: &[&str]| {
        let lower = next.text.trim_start().to_ascii_lowercase();
        all.iter().any(|opening| lower.starts_with(opening))
    };
    let proposed = [" could we ", " should we ", " shall we ", " can we ", " what if "];
    let proposed = proposed.iter().any(|word| format!(" {lower}").contains(word));
    let follows = proposed && begins(&["then ", "so ", "ok then ", "ok so ", "in that case "])
        || asks_of_a_case(question) && begins(&["we'll ", "we will ", "then ", "after ", "whoever "])
        || decides && decisions_in(&next.text, true).is_empty();
    decides && (follows || names || next.decides.iter().any(|one| near(one) || is_figure(one)))
        || answer_to(question, &next.text).is_some()
}

/// Whether the lines that an answer reads out say three quarters of what is asked, all of them together, or one
/// line gives the figure or the people that are asked for. What is asked of a case ("… when the boat turns
/// back?") is answered by a line that names the case.
fn is_read_out(question: &str, asked: &[String], later: &[Said]) -> bool {
    let answers = later.iter().take_while(|next| next.by != USER);
    let answers = answers.filter(|next| next.purpose == Some(Purpose::Answer));
    let lines = answers.flat_map(|next| &next.sentences).flat_map(|sentence| placed(sentence));
    let lines: Vec<String> = lines.map(|(_, line)| line).filter(|line| !is_open(line)).collect();
    let pooled = lines.join(" ");
    let in_its_case = case(question).is_none_or(|root| roots(&pooled).contains(&root));
    let gives = |line: &String| gives(question, line) && shared(asked, line) * 2 >= asked.len().max(1);
    let figures = figures(question);
    let has_figures = figures.iter().all(|figure| words(&pooled).iter().any(|word| word.text == *figure));
    // What happens "after 90 days" is told by a line that has the figure, and says more than the question.
    let says_more = figures.is_empty() || roots(&pooled).len() >= asked.len() + 3;
    // Who it is, a line tells that names somebody else than the question does.
    let lower = question.to_lowercase();
    let asks_who = ["who ", "whom ", "wer ", "wem "].iter().any(|word| lower.starts_with(word));
    let names = !asks_who || lines.iter().any(|line| names_people(line, question));
    !asked.is_empty()
        && in_its_case
        && has_figures
        && names
        && says_more
        && (shared(asked, &pooled) * 4 >= asked.len() * 3 || lines.iter().any(gives))
}

/// The figures of a question.
fn figures(question: &str) -> Vec<String> {
    let digits = |word: &&super::words::Word<'_>| word.text.starts_with(|c: char| c.is_ascii_digit());
    words(question).iter().filter(digits).map(|word| word.text.to_string()).collect()
}

/// What tells the case that a question is about: the last root of its "if" or "when".
fn case(question: &str) -> Option<String> {
    let lower = format!(" {}", question.to_lowercase());
    let at = [" if ", " when ", " wenn ", " falls "].iter().filter_map(|word| {
        let at = lower.find(word)?;
        // "When does the ferry leave?" asks for a time.
        (at > 0 || !word.contains('w')).then_some(at + word.len())
    });
    let clause = lower[at.min()?..].split(',').next()?.to_owned();
    roots(&clause).pop()
}

/// Whether a line gives what a question asks for by its first words: a figure, a figure of what is counted,
/// or people whom the question does not name.
fn gives(question: &str, line: &str) -> bool {
    let lower = question.to_lowercase();
    let asks = |openings: &[&str]| {
        openings.iter().find_map(|opening| lower.find(opening).map(|at| at + opening.len()))
    };
    let counted = ["how many ", "how much ", "wie viele ", "wie viel "];
    if let Some(from) = asks(&counted) {
        let of = roots(&lower[from..]);
        return has_figure(line) && of.first().is_some_and(|noun| roots(line).contains(noun));
    }
    if lower.starts_with("when ")
        || asks(&["how long ", "how often ", "wie lange ", "wie oft ", "wann "]).is_some()
    {
        return has_figure(line);
    }
    // A line that is shown says where it stands.
    let where_it_stands = ["where do we say ", "where does it say ", "where is it written ", "wo steht "];
    where_it_stands.iter().any(|opening| lower.starts_with(opening))
        || (lower.starts_with("who ") || lower.starts_with("wer ")) && names_people(line, question)
}

/// Whether a line holds a number; that of a requirement's name is none.
fn has_figure(line: &str) -> bool {
    const GERMAN: [&str; 9] = ["zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn"];
    words(line).iter().any(|word| {
        word.text.starts_with(|c: char| c.is_ascii_digit())
            || is_number(&word.text) && word.text != "one"
            || GERMAN.contains(&word.text.as_ref())
    })
}

/// The place of an answer that shares most with a question.
pub(super) fn nearest(question: &str, answer: &Said) -> Option<String> {
    let asked = roots(question);
    let placed = answer.sentences.iter().flat_map(|sentence| placed(sentence));
    let best = placed.map(|(place, line)| (shared(&asked, &line), place)).filter(|(shared, _)| *shared > 0);
    // `max_by_key` gives the last of equals; the first is wanted.
    best.collect::<Vec<_>>().into_iter().rev().max_by_key(|(shared, _)| *shared).map(|(_, place)| place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discussion::decisions::decisions_in;
    use crate::discussion::event::Class;

    fn said(turn: u32, by: &str, text: &str) -> Said {
        Said {
            turn,
            by: by.to_owned(),
            text: text.to_owned(),
            sentences: crate::discussion::extract::sentences(text),
            is_turn: true,
            class: (by == USER).then_some(Class::Default),
            purpose: (by != USER).then_some(Purpose::Answer),
            decides: decisions_in(text, by == USER),
        }
    }

    /// Whether a question is answered by some lines, and what the user says next.
    fn is(question: &str, lines: &[&str], next: &str) -> bool {
        let asked = said(4, USER, question);
        let line = |(at, line): (usize, &&str)| {
            said(5 + at as u32, "business-analyst", &format!("spec.md line {} says \"{line}\".", at + 8))
        };
        let mut later: Vec<Said> = lines.iter().enumerate().map(line).collect();
        later.push(said(9, USER, next));
        is_answered(&asked, question, &later, &[])
    }

    #[test]
    fn a_question_is_answered_by_lines_about_nearly_all_of_it() {
        let asked = said(4, USER, "Who pays the pilot when the boat turns back?");
        let answer = |text: &str| [said(5, "business-analyst", text)];
        let full = answer(
            "spec.md line 8 says \"The owner pays the pilot, and half of it when the boat turns back\".",
        );
        assert!(is_answered(&asked, &asked.text, &full, &[]));
        let near = answer("spec.md line 9 says \"The boat has a number on its bow\".");
        assert!(!is_answered(&asked, &asked.text, &near, &[]));
        assert_eq!(nearest(&asked.text, &near[0]).as_deref(), Some("spec.md line 9"));
        let both = ["Rope or chain, for the buoy", "A chain holds 40 tons; the harbour office wants 30"];
        assert!(is("Rope or chain, which one holds for the harbour office?", &both, "Next."));
        // The case is not named, and a line that is open itself answers nothing.
        let price = ["The skipper sees the tariff by 10:00", "The tariff job runs at night"];
        assert!(!is("What does the skipper see if the tariff job has failed?", &price, "Next."));
        let open = ["What happens to a lost buoy is not settled"];
        assert!(!is("What happens to a lost buoy?", &open, "Next."));
    }

    #[test]
    fn a_figure_or_a_person_answers_who_asks_for_one() {
        let removed = "The harbour tows boats away that nobody has moved for 90 days";
        assert!(is("What happens to a boat after 90 days?", &[removed], "Next."));
        assert!(!is("What happens to a boat after 30 days?", &[removed], "Next."));
        assert!(!is("What happens to a boat after 90 days?", &["A boat may stay for 90 days"], "Next."));
        let hold = "H-2 A request holds the berth for 48 hours";
        assert!(is("How long is a berth kept for a request?", &[hold], "Next."));
        assert!(is(
            "Wie lange bleiben die Daten erhalten?",
            &["Daten werden nach zwei Jahren gelöscht"],
            "Gut."
        ));
        assert!(!is("How long is a berth kept for a request?", &["H-2 A request holds the berth"], "Next."));
        assert!(!is("How many crews share a berth at night?", &[hold], "Next."));
        assert!(is("How many crews wait at night?", &["At night 12 crews stay outside"], "Next."));
        assert!(is(
            "Where do we say what a blind skipper gets?",
            &["A blind skipper: a berth of his own"],
            "Next."
        ));
        assert!(is("Who may close the sluice?", &[], "Only the pilot may close the sluice."));
        assert!(!is("Who may close the sluice?", &[], "The sluice is old."));
        let fence = "The technician mends the fence";
        assert!(is("Who repairs the fence?", &[fence], "Next."));
        assert!(!is("Who pays the technician for the fence?", &["The technician mends it"], "Next."));
    }

    #[test]
    fn a_decision_about_the_open_line_settles_the_question_that_was_pointed_to_it() {
        let asked = said(4, USER, "What happens with two skippers at one berth?");
        let talk = |place: &str| {
            [
                said(
                    5,
                    "business-analyst",
                    "Open is spec.md line 7: \"Two skippers at one berth: who decides?\".",
                ),
                said(6, USER, "Let's go with the harbour master."),
                said(
                    7,
                    "business-analyst",
                    &format!(
                        "People find it where {place} still asks \"Two skippers at one berth: who decides?\"."
                    ),
                ),
            ]
        };
        assert!(is_answered(&asked, &asked.text, &talk("spec.md line 7"), &[]));
        assert!(!is_answered(&asked, &asked.text, &talk("spec.md line 9"), &[]));
    }

    #[test]
    fn only_a_decision_about_the_same_settles_a_question() {
        let asked = "What does the skipper see at noon if the tariff job has failed?";
        assert!(!is(asked, &[], "Let's refund the lock fee, because a letter costs us 11 euros."));
        assert!(is(asked, &[], "We'll show the skipper the tariff of yesterday."));
        assert!(is(
            "How should the pumps be bought?",
            &[],
            "Two at once it is, since the truck comes anyway."
        ));
        assert!(is("Do we paint it red or green?", &[], "Green, because of the fog."));
        assert!(is("Who opens the sluice on Sundays?", &[], "ok so the mate opens it then"));
        assert!(!is("Who opens the sluice on Sundays?", &[], "ok so the mate paints it then"));
        assert!(is("For how long do we keep the list?", &[], "Make that one week."));
        assert!(!is("Who keeps the list?", &[], "Make that one week."));
    }

    #[test]
    fn a_question_needs_a_subject() {
        for text in ["where should we start?", "What do you think?", "How do we proceed?"] {
            assert!(about(text).is_empty(), "{text}: {:?}", about(text));
        }
        assert_eq!(about("What about guests?"), ["guest"]);
        assert!(OF_ANY_QUESTION.is_sorted());
    }
}
