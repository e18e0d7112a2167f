//! Open questions by rule: what was asked and not answered, what two differed about and nobody settled; each
//! with what it is about, why it is open, and who should settle it.

use super::Discussion;
use super::address::{own_words, unaddressed};
use super::answered::{about, is_answered, is_overtaken, nearest};
use super::decisions::statements;
use super::event::{Class, Event, NoticeKind, Purpose};
use super::extract::{ENTRY, Said, name};
use super::facts::{Told, looked_for, placed};
use super::insights::{is_alike, only_repeats, quotes_a_decision, quotes_one_of, without_opening};
use super::settler::settler;
use super::small_talk::is_in_passing;
use super::summary::{Decision, Question, USER};
use super::views::asks_for_views;
use super::words::{subjects, words};
use crate::persona::Cast;
use crate::plain::{capital, cut};
use crate::voice::probes::is_probe;
use crate::voice::wording::asks_who_tells;

/// Questions of the personas beyond these, with the user's, are left to the recording.
const MOST: usize = 6;

/// Questions of one message beyond these are left to the recording.
const OF_A_MESSAGE: usize = 3;

/// How late a question comes that reads out a criterion of the step.
const CRITERION: u32 = 3;

/// The questions that stayed open: what the user asked, what two differed about, what the personas asked;
/// those that read out a criterion of the step last.
pub(super) fn questions(
    said: &[Said],
    decisions: &[Decision],
    told: &[Told],
    talk: &Discussion<'_>,
) -> Vec<Question> {
    let mut found: Vec<(u32, Question, Vec<String>)> = Vec::new();
    // The places whose figure the user has contradicted.
    let refuted: Vec<&str> = told
        .iter()
        .filter_map(|told| told.beside.as_ref())
        .filter(|line| line.contradicts)
        .map(|line| line.place.as_str())
        .collect();
    let differing = undecided(said, decisions, talk).into_iter().map(|question| (1, question));
    let asked = said.iter().enumerate().flat_map(|(at, one)| of_one(at, one, said, decisions, talk));
    for (kind, question) in differing.chain(asked) {
        let about = subjects(&question.text);
        // The user has told otherwise, and that is an insight.
        let told = kind > 0 && place_in(&question.text).is_some_and(|place| refuted.contains(&place));
        if !told && !found.iter().any(|(.., other)| is_alike(other, &about)) {
            found.push((kind, question, about));
        }
    }
    // Stable: of each kind in the order of the discussion.
    found.sort_by_key(|(kind, ..)| *kind);
    // What the user asked is never left away.
    let users = found.iter().filter(|(kind, ..)| *kind == 0).count();
    found.truncate(MOST.max(users));
    // One criterion at most, and only where little else is open.
    let own = found.iter().filter(|(kind, ..)| *kind < CRITERION).count();
    found.truncate(own + usize::from(own < 3));
    // The user's first, then in the order of the discussion.
    found.sort_by_key(|(kind, question, _)| (*kind > 0, question.turns.first().copied()));
    found.into_iter().map(|(_, question, _)| question).collect()
}

/// The questions of one turn that stayed open, with how late they come.
fn of_one(
    at: usize,
    one: &Said,
    said: &[Said],
    decisions: &[Decision],
    talk: &Discussion<'_>,
) -> Vec<(u32, Question)> {
    let later = &said[at + 1..];
    let by_user = one.by == USER;
    let texts = if by_user {
        asked_by_user(one, said, talk)
    } else {
        asked(one, said, decisions).into_iter().collect()
    };
    let texts = texts.into_iter().filter(|text| !is_settled(one, text, later, decisions));
    let made = texts.map(|text| {
        let step = talk.step();
        let own = step.standard.iter().chain(&step.deep).any(|question| text.ends_with(question.as_str()));
        let criterion = own || quotes_one_of(&text, &step.validation);
        let kind = match (by_user, criterion) {
            (true, _) => 0,
            (false, true) => CRITERION,
            (false, false) => 2,
        };
        let context = context(one, &text, later, talk);
        (kind, Question { text: cut(&text, ENTRY), context, turns: vec![one.turn] })
    });
    made.collect()
}

/// The questions of a message, without the name of whom they are put to: each with a subject, and none a
/// request that has nothing to do with the item.
fn asked_by_user(one: &Said, said: &[Said], talk: &Discussion<'_>) -> Vec<String> {
    if !one.is_turn || is_in_passing(one, said) {
        return Vec::new();
    }
    let all = statements(&own_words(&one.text));
    let questions = all.iter().filter(|sentence| sentence.ends_with(['?', '？']));
    let bare = questions.map(|question| unaddressed(question, &talk.library().cast));
    let open = bare.filter(|question| {
        words(question).len() >= 3
            && !about(question).is_empty()
            && !asks_for_views(question)
            && !is_errand(question, one, said, talk)
    });
    let whole = |question: &str| with_its_subject(&capital(question), &all, one, said, &talk.library().cast);
    // "I could not find what happens with the keys" asks what does.
    let cast = &talk.library().cast;
    let missed = all.iter().filter_map(|sentence| looked_for(unaddressed(sentence, cast)));
    let missed =
        missed.filter(|clause| !about(clause).is_empty()).map(|clause| format!("{}?", capital(clause)));
    open.take(OF_A_MESSAGE).map(whole).chain(missed.take(OF_A_MESSAGE)).collect()
}

/// "Who has to know that?" behind the statement that its "that" points back to, in the message or the one before.
fn with_its_subject(question: &str, all: &[String], one: &Said, said: &[Said], cast: &Cast) -> String {
    let points =
        |word: &str| matches!(word, "that" | "this" | "it" | "them" | "those" | "das" | "davon" | "darüber");
    let found = words(question);
    let is_short = about(question).len() <= 1 && found.len() <= 7;
    if !is_short || !found.iter().any(|word| points(&word.text)) {
        return question.to_owned();
    }
    let own = all.iter().take_while(|statement| !statement.eq_ignore_ascii_case(question));
    let own = own.filter(|statement| !statement.ends_with(['?', '？']));
    let before = said.iter().rev().find(|other| other.by == USER && other.turn < one.turn);
    let before = before.and_then(|other| other.sentences.last()).filter(|last| !last.ends_with(['?', '？']));
    let subject = own.last().or(before).map(|text| text.trim_end_matches(['.', '!', ' ']));
    match subject.filter(|text| words(text).len() > 3 && text.chars().count() < SUBJECT) {
        Some(subject) => format!("{}: {question}", capital(unaddressed(subject, cast))),
        None => question.to_owned(),
    }
}

/// Whether a question only asks somebody to do something for the speaker, and shares no subject with the
/// item, the step, a line that was read out or what else the user said: "Can somebody book me a room?"
fn is_errand(question: &str, one: &Said, said: &[Said], talk: &Discussion<'_>) -> bool {
    let lower = format!(" {} ", question.to_lowercase().trim_end_matches(['?', ' ']));
    // News are no matter of the item where nobody had a line on them.
    let answers = said.iter().filter(|other| other.turn > one.turn).take_while(|other| other.by != USER);
    let mut read_out = answers.flat_map(|other| &other.sentences).map(|sentence| placed(sentence).len());
    let news = [" any news ", " did anybody see ", " did anyone see ", " did you see ", " has anybody seen "];
    let asks_for_news = news.iter().any(|begin| lower.starts_with(begin)) && read_out.all(|lines| lines == 0);
    let begins = [" can ", " could ", " would ", " will "].iter().any(|word| lower.starts_with(word));
    let whom = [" somebody ", " someone ", " anybody ", " anyone ", " one of you ", " you "];
    let tells = [" tell ", " explain ", " show ", " say ", " describe ", " sum ", " remind "];
    let is_request = begins
        && whom.iter().any(|word| lower.contains(word))
        && [" me ", " us ", " please "].iter().any(|word| lower.contains(word))
        && !tells.iter().any(|word| lower.contains(word));
    if asks_for_news {
        return true;
    }
    if !is_request {
        return false;
    }
    let step = talk.step();
    let form =
        [&step.title, &step.brief].into_iter().chain(&step.topics).chain(&step.standard).chain(&step.deep);
    let read = said.iter().flat_map(|other| &other.sentences).flat_map(|sentence| placed(sentence));
    let read = read.map(|(_, quote)| quote);
    let users = said.iter().filter(|other| other.by == USER && other.turn != one.turn);
    let mut known: Vec<String> = subjects(&talk.opened().item_name);
    known.extend(form.flat_map(|text| subjects(text)));
    known.extend(read.flat_map(|text| subjects(&text)));
    known.extend(users.flat_map(|other| subjects(&other.text)));
    !about(question).iter().any(|word| known.contains(word))
}

/// A statement of more characters is no subject of a question.
const SUBJECT: usize = 160;

/// A quotation of fewer bytes is a name.
pub(super) const SHORT: usize = 25;

/// The question of a persona's contribution, with what it is about.
fn asked(one: &Said, said: &[Said], decisions: &[Decision]) -> Option<String> {
    if !one.is_turn || one.purpose == Some(Purpose::Framing) {
        return None;
    }
    let is_question = |sentence: &&String| sentence.ends_with(['?', '？']);
    let text = bare_question(&without_opening(one.sentences.iter().rfind(is_question)?));
    // Back to an earlier question, or about the user's own: that one is open, not this.
    let quotes = one.sentences.iter().rfind(|sentence| sentence.contains('"'));
    let decided = one.sentences.first().filter(|first| quotes_a_decision(first, decisions));
    let repeats = decided.is_none() && quotes.is_some_and(|sentence| only_repeats(sentence, said));
    // What the user is asked of their own words is theirs to answer here, and nobody's later.
    let of_user =
        words(&text).iter().any(|word| word.text == "you") || is_probe(&text) || asks_who_tells(&text);
    if repeats || of_user || one.text.contains("question from turn ") || words(&text).len() < 3 {
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

pub(super) fn place_in(text: &str) -> Option<&str> {
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
fn context(one: &Said, question: &str, later: &[Said], talk: &Discussion<'_>) -> String {
    let who = capital(&name(&one.by, talk));
    let answer = later.iter().take_while(|next| next.by != USER);
    let answer = answer.into_iter().find(|next| next.purpose == Some(Purpose::Answer));
    let why = match (one.class, answer) {
        (Some(Class::OffTopic), _) => match talk.focus.belongs(&one.text) {
            Some(drift) => format!("set aside, it belongs to {}", drift.belongs),
            None => "set aside as another step's business; it belongs there".to_owned(),
        },
        (Some(_), Some(answer)) => {
            let near = nearest(question, answer);
            let near = near.map(|place| format!(", the nearest line is {place}")).unwrap_or_default();
            format!("no answer in the discussion{near}{}", settled_by(settler(answer, "")))
        }
        (Some(_), None) => format!("the discussion ended before an answer{}", settled_by(None)),
        (None, _) => format!("no answer in the discussion{}", settled_by(settler(one, question))),
    };
    format!("{who} asked in turn {}; {why}", one.turn)
}

/// Who settles it: whom something names, else whoever owns the item.
fn settled_by(who: Option<String>) -> String {
    format!("; {} settles it", who.as_deref().unwrap_or("the item's owner"))
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

/// Whether something later answers a question: for a persona's, a message of the user or a decision about the
/// same.
fn is_settled(one: &Said, question: &str, later: &[Said], decisions: &[Decision]) -> bool {
    if one.class == Some(Class::OffTopic) {
        return false;
    }
    if one.by == USER {
        return is_answered(one, question, later, decisions);
    }
    if is_overtaken(&one.text, later) {
        return true;
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
