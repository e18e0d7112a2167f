//! Open questions by rule: what was asked and not answered, what two differed about and nobody settled; each
//! with what it is about, why it is open, and who should settle it.

use super::Discussion;
use super::decisions::statements;
use super::event::{Class, Event, NoticeKind, Purpose};
use super::extract::{ENTRY, Said, name};
use super::insights::{is_alike, only_repeats, quotes_a_decision, without_opening};
use super::summary::{Decision, Question, USER};
use super::words::{subjects, words};
use crate::plain::{capital, cut};

/// Questions beyond these are left to the recording.
const MOST: usize = 6;

/// The questions that stayed open: what two differed about, what the user asked, what the personas asked.
pub(super) fn questions(said: &[Said], decisions: &[Decision], talk: &Discussion<'_>) -> Vec<Question> {
    let mut found: Vec<(u32, Question, Vec<String>)> = Vec::new();
    for question in undecided(said, decisions, talk) {
        let about = subjects(&question.text);
        found.push((0, question, about));
    }
    for (at, one) in said.iter().enumerate() {
        let Some(text) = asked(one, said, decisions) else { continue };
        let about = subjects(&text);
        let doubled = found.iter().any(|(.., other)| is_alike(other, &about));
        if words(&text).len() < 3 || doubled || is_settled(one, &text, &said[at + 1..], decisions) {
            continue;
        }
        let question = Question {
            text: cut(&text, ENTRY),
            context: context(one, &said[at + 1..], talk),
            turns: vec![one.turn],
        };
        found.push((if one.by == USER { 1 } else { 2 }, question, about));
    }
    // Stable: of each kind in the order of the discussion.
    found.sort_by_key(|(kind, ..)| *kind);
    found.truncate(MOST);
    found.sort_by_key(|(_, question, _)| question.turns.first().copied());
    found.into_iter().map(|(_, question, _)| question).collect()
}

/// A quotation of fewer bytes is a name.
const SHORT: usize = 25;

/// The question of a contribution, with what it is about.
fn asked(one: &Said, said: &[Said], decisions: &[Decision]) -> Option<String> {
    if !one.is_turn || one.purpose == Some(Purpose::Framing) {
        return None;
    }
    let is_question = |sentence: &&String| sentence.ends_with(['?', '？']);
    if one.by == USER {
        let all = statements(&one.text);
        let last = all.iter().rfind(is_question)?;
        return Some(capital(last));
    }
    let text = bare_question(&without_opening(one.sentences.iter().rfind(is_question)?));
    // Back to an earlier question, or about the user's own: that one is open, not this.
    let quotes = one.sentences.iter().rfind(|sentence| sentence.contains('"'));
    let decided = one.sentences.first().filter(|first| quotes_a_decision(first, decisions));
    let repeats = decided.is_none() && quotes.is_some_and(|sentence| only_repeats(sentence, said));
    if repeats || one.text.contains("question from turn ") {
        return None;
    }
    let subject = decided
        .and_then(|first| first.split('"').nth(1))
        .map(|what| format!("\"{what}\""))
        .or_else(|| subject(one));
    Some(match subject.filter(|_| !text.contains('"')) {
        Some(subject) => format!("{subject}: {text}"),
        None => text,
    })
}

/// What a persona's question is about: the first words that it quotes, with their place.
fn subject(one: &Said) -> Option<String> {
    let statement =
        one.sentences.iter().rfind(|sentence| sentence.contains('"') && !sentence.ends_with('?'))?;
    let mut quotes = statement.split('"').skip(1).step_by(2);
    let first = quotes.next()?;
    // The names of a row and its column belong together.
    let second = quotes.next().filter(|second| first.len() < SHORT && second.len() < SHORT);
    let quoted = second.map_or_else(|| first.to_owned(), |second| format!("{first}\", \"{second}"));
    let place = place_in(statement).map(|place| format!(" ({place})")).unwrap_or_default();
    Some(format!("\"{quoted}\"{place}"))
}

fn place_in(text: &str) -> Option<&str> {
    text.match_indices(" line ").find_map(|(at, found)| {
        let start = text[..at].rfind([' ', '(', '"']).map_or(0, |blank| blank + 1);
        let number = at + found.len();
        let digits = text[number..].find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len() - number);
        (digits > 0 && text[start..at].contains('.')).then(|| &text[start..number + digits])
    })
}

/// A question without the words that lead in to it: what stands behind the last colon, where that is a
/// question by itself.
fn bare_question(text: &str) -> String {
    let tail = text.rsplit_once(": ").map(|(_, tail)| tail);
    let whole = tail.filter(|tail| tail.starts_with(char::is_uppercase) && words(tail).len() >= 4);
    whole.unwrap_or(text).to_owned()
}

/// Why a question is open, and who should settle it.
fn context(one: &Said, later: &[Said], talk: &Discussion<'_>) -> String {
    let who = capital(&name(&one.by, talk));
    let answer = later.iter().find(|next| next.purpose == Some(Purpose::Answer));
    let why = match (one.class, answer) {
        (Some(Class::OffTopic), _) => "set aside as another step's business; it belongs there".to_owned(),
        (Some(_), Some(answer)) => {
            format!("the documents do not answer it; {} settles it", settler(&answer.by, &answer.text))
        }
        (Some(_), None) => "the discussion ended before an answer; the item's owner settles it".to_owned(),
        (None, _) => format!("no answer in the discussion; {} settles it", settler(&one.by, &one.text)),
    };
    format!("{who} asked in turn {}; {why}", one.turn)
}

/// Who should settle a question of a persona: whom the line names as its owner, else whose side it is.
fn settler(by: &str, text: &str) -> String {
    let owner = text.to_lowercase().find("owner: ").and_then(|at| text.get(at + "owner: ".len()..));
    let owner =
        owner.map(|after| after.split(['.', ',', ';', '"', ')', '…']).next().unwrap_or_default().trim());
    if let Some(owner) = owner.filter(|owner| !owner.is_empty() && words(owner).len() <= 4) {
        return format!("{owner}, whom the line names,");
    }
    match by {
        "business-analyst" => "the item's owner, with those affected,",
        "solutions-architect" => "whoever will run and pay for it",
        "system-designer" => "whoever builds that part",
        _ => "the item's owner",
    }
    .to_owned()
}

/// What two personas differed about, where the user has not settled it: both options, on the turns that
/// state them.
fn undecided(said: &[Said], decisions: &[Decision], talk: &Discussion<'_>) -> Vec<Question> {
    let mut found = Vec::new();
    for (at, record) in talk.log().iter().enumerate() {
        let Event::Notice(notice) = &record.event else { continue };
        if notice.notice != NoticeKind::Disagreement {
            continue;
        }
        let before = talk.log()[..at].iter().rev().filter_map(|record| match &record.event {
            Event::Contribution(said) if super::positions::position(&said.text).is_some() => Some(said.turn),
            _ => None,
        });
        let mut turns: Vec<u32> = before.take(2).collect();
        turns.reverse();
        let last = turns.last().copied().unwrap_or_default();
        let next = said.iter().find(|one| one.by == USER && one.turn > last);
        let settled = next.is_some_and(|next| {
            decisions.iter().any(|one| one.turns.contains(&next.turn)) && !next.decides.is_empty()
        });
        let question = notice.text.rsplit_once(". ").map_or(notice.text.as_str(), |(_, last)| last);
        if turns.len() == 2 && !settled {
            let names: Vec<String> =
                turns.iter().map(|turn| name(talk.speaker(*turn).unwrap_or_default(), talk)).collect();
            let context = format!(
                "{} differ, in turns {} and {}; whoever owns the item settles it",
                names.join(" and "),
                turns[0],
                turns[1]
            );
            found.push(Question { text: cut(question, ENTRY), context, turns });
        }
    }
    found
}

/// Whether something later answers a question: for the user's, an answer that points at a document; for a
/// persona's, a message of the user or a decision about the same.
fn is_settled(one: &Said, question: &str, later: &[Said], decisions: &[Decision]) -> bool {
    if one.class == Some(Class::OffTopic) {
        return false;
    }
    if one.by == USER {
        let answered = later.iter().take_while(|next| next.by != USER);
        let decided = later.iter().find(|next| next.by == USER).is_some_and(|next| !next.decides.is_empty());
        return decided
            || answered
                .filter(|next| next.purpose == Some(Purpose::Answer))
                .any(|next| place_in(&next.text).is_some());
    }
    let asked = subjects(question);
    let about = |text: &str| {
        let said = subjects(text);
        let shared = asked.iter().filter(|word| said.contains(word)).count();
        shared >= 2.min(asked.len().max(1))
    };
    let told = later.iter().filter(|next| next.by == USER && next.class != Some(Class::OffTopic));
    told.into_iter().any(|next| !next.text.trim_end().ends_with('?') && about(&next.text))
        || decisions
            .iter()
            .any(|decision| decision.turns.iter().any(|turn| *turn > one.turn) && about(&decision.text))
}
