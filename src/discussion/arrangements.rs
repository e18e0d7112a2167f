//! What the user arranges in plain words: "Then Kim empties the box every evening", "so we round per month, not
//! per row", "from Monday the children choose"; and what they answer their own "what happens when …?" with.
//!
//! No word says that something is decided. What does is who does what: somebody is named, the verb is one that
//! people do on purpose (a server that crashes is arranged by nobody), and it follows from what was said.

use super::decisions::{statements, with_reason};
use super::rulings::{Ruling, without_leads};
use super::settler::names_people;
use super::words::{lists, unquoted, words};
use crate::plain::capital;

/// What people do on purpose, sorted.
const DOES: &str = concat!(
    "add|answer|approve|archive|ask|assign|bake|book|bring|build|buy|call|carry|charge|check|choose|clean|close|",
    "collect|confirm|cook|copy|count|cut|decide|delete|deliver|divide|double|drive|empty|enter|extend|file|fill|",
    "forward|give|guard|halve|hand|handle|hang|hide|increase|invite|keep|label|lead|leave|lend|limit|list|load|lock|",
    "lower|mail|mark|measure|meet|merge|move|note|offer|open|order|organise|organize|pack|pay|pick|plan|post|prepare|",
    "print|publish|put|raise|record|reduce|remove|rename|repair|replace|report|require|return|review|rotate|round|",
    "run|sell|send|set|share|shorten|show|shut|sign|sort|split|stamp|start|store|supply|swap|sweep|switch|take|teach|",
    "test|train|transfer|turn|use|vote|wash|watch|water|weigh|write",
);
/// What a person named does and nobody arranges.
const SUFFERS: &str = concat!(
    "always|arrives|asks|becomes|believes|breaks|comes|complains|cries|dies|does|falls|feels|forgets|gets|goes|",
    "happens|has|hears|hopes|is|knows|leaves|likes|loses|means|misses|needs|never|quits|runs|says|seems|sees|",
    "sometimes|stands|thinks|thus|usually|waits|wants|was|wonders|worries",
);
/// What tells that something is arranged for good, or in which order.
const LASTS: [&str; 16] = [
    " each ",
    " every ",
    " first ",
    " fridays ",
    " instead ",
    " mondays ",
    " only ",
    " per ",
    " saturdays ",
    " sundays ",
    " thursdays ",
    " tuesdays ",
    " twice ",
    " wednesdays ",
    " weekly ",
    " whenever ",
];
/// A story goes on with these.
const STORY: [&str; 2] = [" and then ", " and we "];
/// Who are several without an ending that says so.
const MANY: &str = "children|men|people|staff|women";
/// Where nothing new is arranged: it is so already, or it is doubted.
const IDLE: [&str; 17] = [
    " already ",
    " always ",
    " at the moment ",
    " could ",
    " currently ",
    " maybe ",
    " might ",
    " never ",
    " not sure ",
    " now ",
    " often ",
    " perhaps ",
    " probably ",
    " should ",
    " today ",
    " usually ",
    " would ",
];
/// Days and months that something holds from.
const FROM: &str = concat!(
    "april|august|december|february|friday|january|july|june|march|may|monday|next|november|october|saturday|",
    "september|sunday|then|thursday|tomorrow|tuesday|wednesday",
);
/// Questions after what is to hold in a case.
const CASES: [&str; 6] =
    ["what happens if", "what happens when", "what happens with", "what if ", "what do we do", "what then"];

/// What a statement of the user's arranges, and why.
pub(super) fn arranged(statement: &str) -> Option<Ruling> {
    let lower = unquoted(statement).to_ascii_lowercase();
    let (rest, led) = without_leads(&lower);
    if says_one(&lower, &IDLE) || says_one(&lower, &STORY) {
        return None;
    }
    let said = &statement[statement.len() - rest.len()..];
    if is_given_up(rest) {
        return Some(with_reason(said));
    }
    let opening = &lower[..lower.len() - rest.len()];
    let concludes = led && words(opening).iter().any(|word| matches!(word.text.as_ref(), "so" | "then"));
    // "Ok, then …" concludes; "then …" alone may tell what comes next.
    let ok = words(opening).len() > 1;
    let does = match behind_a_day(rest) {
        Some(behind) => is_done(behind, &said[said.len() - behind.len()..], true, true),
        None => concludes && is_done(rest, said, opening.contains("then"), ok),
    };
    does.then(|| with_reason(said))
}

/// "We don't need deposits any more", "we no longer print the list".
fn is_given_up(rest: &str) -> bool {
    let rest = rest.trim_end_matches(['.', '!', ' ']);
    let needs =
        ["we don't need ", "we do not need ", "nobody needs "].iter().any(|words| rest.starts_with(words));
    let ends = [" any more", " anymore", " any longer"].iter().any(|words| rest.contains(words));
    let verb = rest.strip_prefix("we no longer ").map(|left| left.split(' ').next().unwrap_or_default());
    needs && ends || verb.is_some_and(|verb| verb == "need" || lists(DOES, verb))
}

/// What stands behind "from Monday" and the like: "from Monday to Friday" tells when it is so every week.
fn behind_a_day(rest: &str) -> Option<&str> {
    let day = rest.strip_prefix("from ")?;
    let (first, behind) = day.split_once([' ', ','])?;
    let behind = behind.trim_start();
    let named = lists(FROM, first);
    let behind = match first {
        "next" => behind.split_once([' ', ','])?.1.trim_start(),
        _ => behind.strip_prefix("on ").or_else(|| behind.strip_prefix("on, ")).unwrap_or(behind),
    };
    let spans = ["to ", "till ", "until ", "through "].iter().any(|word| behind.starts_with(word));
    (named && !spans).then_some(behind)
}

/// Whether somebody does something: "we swap …", "Kim empties …", and, where a "then" stands before it or a day,
/// "the volunteers check …".
fn is_done(lower: &str, said: &str, others: bool, concludes: bool) -> bool {
    let clause = lower.split([',', ';', ':']).next().unwrap_or_default();
    let found = words(clause);
    let Some(first) = found.first().map(|word| word.text.as_ref()) else { return false };
    let verb = |at: usize| found.get(at).map(|word| word.text.as_ref()).unwrap_or_default();
    if found.len() < 3 {
        return false;
    }
    let is_named = said.starts_with(char::is_uppercase) && first.len() > 1 && first != "i";
    match first {
        "we" | "they" => lists(DOES, verb(1)),
        "the" | "both" | "all" if others && (concludes || says_one(lower, &LASTS)) => {
            (2..=4).any(|at| lists(DOES, verb(at)) || lists(DOES, base(verb(at))) && verb(at).ends_with('s'))
        }
        _ if is_named => {
            let verb = verb(1);
            verb.len() > 3 && verb.ends_with('s') && !verb.ends_with("ss") && !lists(SUFFERS, verb)
        }
        _ if others => (first.ends_with('s') || lists(MANY, first)) && lists(DOES, verb(1)),
        _ => false,
    }
}

/// Whether a text says one of some words, whatever stands behind it.
fn says_one(lower: &str, idle: &[&str]) -> bool {
    let said: Vec<_> = words(lower).into_iter().map(|word| word.text).collect();
    let padded = format!(" {} ", said.join(" "));
    idle.iter().any(|word| padded.contains(word))
}

/// A verb without the ending of "she carries", "he washes", "it writes".
fn base(verb: &str) -> &str {
    let cut = |ending: &str| verb.strip_suffix(ending).filter(|base| lists(DOES, base));
    cut("es").or_else(|| cut("s")).unwrap_or_default()
}

/// Whether a question asks what is to hold in a case.
pub(super) fn asks_of_a_case(asked: &str) -> bool {
    let asked = asked.trim_end().to_ascii_lowercase();
    let last = asked.rsplit(['.', '!']).next().unwrap_or_default().trim_start();
    let begins =
        ["and if ", "and when ", "if ", "what about when "].iter().any(|word| last.starts_with(word));
    asked.ends_with('?') && (begins || CASES.iter().any(|case| asked.contains(case)))
}

/// What the user answers their own question with: what is to hold in a case, or who it is.
pub(super) fn told_oneself(asked: &str, text: &str) -> Option<Ruling> {
    let all = statements(text);
    if all.len() > 3 || all.iter().any(|said| said.ends_with(['?', '？'])) {
        return None;
    }
    if asks_of_a_case(asked) {
        let at = all.iter().position(|said| rules(said))?;
        let (what, why) = with_reason(&all[at]);
        // "A taxi is too slow. The mate drives them."
        let before = at.checked_sub(1).map(|before| all[before].trim_end_matches(['.', '!', ' ']));
        let before = before.filter(|text| text.contains(" too ") && words(text).len() <= 10);
        return Some((what, why.or_else(|| before.map(uncapital))));
    }
    let [said] = all.as_slice() else { return None };
    let said = said.trim_end_matches(['.', '!', ' ']);
    if let Some(what) = what_is_held(asked).filter(|_| is_a_list(said)) {
        return Some((format!("{}: {}", capital(&what), uncapital(said)), None));
    }
    let who = who_is_asked_for(asked)?;
    let lower = unquoted(said).to_ascii_lowercase();
    let named = ["a ", "an ", "my ", "our ", "the "].iter().any(|word| lower.starts_with(word));
    let found = words(&lower);
    // "The teacher was angry" names nobody who does it.
    let tells = found.iter().any(|word| {
        lists("are|had|has|have|is|isn't|knows|was|were|won't", &word.text) || !base(&word.text).is_empty()
    });
    let short = (2..=14).contains(&found.len());
    (named && short && !tells && !says_one(&lower, &IDLE) && names_people(said, asked))
        .then(|| (done_by(said, who), None))
}

/// "What should a loan record contain?": a loan record should contain.
fn what_is_held(asked: &str) -> Option<String> {
    let question = asked.trim_end().strip_suffix('?')?;
    let lower = question.to_ascii_lowercase();
    let (at, modal) = ["what should ", "what must "]
        .iter()
        .find_map(|begin| Some((lower.rfind(begin)? + begin.len(), *begin)))?;
    let (thing, verb) = question.get(at..)?.rsplit_once(' ')?;
    let holds = matches!(verb, "contain" | "have" | "hold" | "include" | "list" | "say" | "show");
    let modal = modal.trim_start_matches("what ");
    (holds && words(thing).len() <= 6).then(|| format!("{thing} {modal}{verb}"))
}

/// Whether a text only lists things: "Member, tool, date out, and a note on damage".
fn is_a_list(said: &str) -> bool {
    let parts: Vec<&str> = said.split(", ").collect();
    let short = parts.iter().all(|part| (1..=6).contains(&words(part).len()));
    let first = words(parts[0]).first().map(|word| word.text.to_string()).unwrap_or_default();
    parts.len() >= 3
        && short
        && !matches!(first.as_str(), "i" | "no" | "well" | "it" | "that" | "maybe" | "sorry")
}

/// The last question of a text from its "who" on.
fn who_is_asked_for(asked: &str) -> Option<&str> {
    let question = asked.trim_end().strip_suffix('?')?;
    let last = question.rsplit(['.', '!', '?']).next()?.trim_start();
    // Whom it is put to stands before.
    let last =
        last.split_once(", ").map_or(last, |(before, rest)| if before.contains(' ') { last } else { rest });
    let lower = last.to_ascii_lowercase();
    (lower.starts_with("who ") && words(last).len() > 2).then_some(last)
}

/// "Who tells the kitchen" and "the class teacher, by mail": the class teacher tells the kitchen, by mail.
pub(super) fn done_by(said: &str, who: &str) -> String {
    let (name, how) = said.split_once(',').map_or((said, ""), |(name, _)| (name, &said[name.len()..]));
    let several = name.ends_with('s') || name.contains(" and ") || name.contains(" or ");
    match who.split_once(' ') {
        Some((_, does)) if !several && words(name).len() <= 5 => format!("{} {does}{how}", capital(name)),
        _ => format!("{}: {}", capital(who), uncapital(said)),
    }
}

fn uncapital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| format!("{}{}", first.to_lowercase(), letters.as_str()))
}

/// Whether a statement says what is to be done: somebody does something on purpose, has to, or it goes somewhere.
fn rules(said: &str) -> bool {
    let lower = unquoted(said).to_ascii_lowercase();
    let found = words(&lower);
    let first = found.first().map(|word| word.text.as_ref()).unwrap_or_default();
    let tells = matches!(first, "i" | "it" | "that" | "this" | "there" | "he" | "she" | "you");
    let past = [" was ", " were ", " had ", " did ", " last ", " once ", " ago "];
    let idle = says_one(&lower, &IDLE) || says_one(&lower, &past);
    let goes =
        [" goes to ", " go to ", " goes back ", " gets a ", " has to ", " have to ", " must ", " may "];
    let does = found.iter().skip(1).any(|word| lists(DOES, base(&word.text)))
        || found.windows(2).any(|pair| {
            matches!(pair[0].text.as_ref(), "we" | "they" | "members" | "users" | "people" | "somebody")
                && lists(DOES, &pair[1].text)
        });
    !tells && !idle && found.len() > 4 && (does || says_one(&lower, &goes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discussion::decisions::decisions_in;

    #[test]
    fn who_does_what_from_now_on_is_decided() {
        for (text, what) in [
            (
                "Then Kim empties the box every evening and checks what is in it.",
                "Kim empties the box every evening and checks what is in it",
            ),
            ("So we round per month, not per row.", "We round per month, not per row"),
            ("ok then the volunteers check every oar", "The volunteers check every oar"),
            ("Then the repair group meets on Fridays.", "The repair group meets on Fridays"),
            ("So finance swaps with the harbour desk.", ""),
            ("Then Sam does it whenever the ferry is late.", ""),
            ("From Monday children choose their boats.", "From Monday children choose their boats"),
            ("From next week we lend oars for ten days.", "From next week we lend oars for ten days"),
            ("So we swap shifts with the harbour desk.", "We swap shifts with the harbour desk"),
            ("We don't need deposits from guests any more.", "We don't need deposits from guests any more"),
            ("We no longer print the list.", "We no longer print the list"),
        ] {
            let found: Vec<String> = decisions_in(text, true).into_iter().map(|(what, _)| what).collect();
            match what {
                "" => assert!(found.len() <= 1, "{text}: {found:?}"),
                _ => assert_eq!(found, [what], "{text}"),
            }
        }
    }

    #[test]
    fn what_happens_anyway_or_is_doubted_is_arranged_by_nobody() {
        for text in [
            "So we lose the photos.",
            "So we have sixty loans a month.",
            "Then Kim waits for an hour.",
            "Then Kim is ill.",
            "So we use the ferry now.",
            "So we count them by hand today.",
            "Then the server crashes.",
            "Then the boat came back.",
            "So we could send two copies.",
            "Then Kim thinks it is lost.",
            "We send two copies.",
            "From Monday to Friday the shed takes parcels.",
            "So Kim empties the box already.",
            "Then we all laughed.",
            "Then the guard opens the gate.",
            "Then Kim opens the gate and we go in.",
        ] {
            assert_eq!(arranged(text), None, "{text}");
        }
    }

    #[test]
    fn the_users_answer_to_their_own_case_is_decided() {
        let asked = "What happens when the mail bounces?";
        let told = told_oneself(asked, "After three failed tries the job goes to support, with a ticket.");
        assert_eq!(told.unwrap().0, "After three failed tries the job goes to support, with a ticket");
        assert!(told_oneself(asked, "The desk calls the customer on the next day.").is_some());
        for text in [
            "It bounced twice last year.",
            "That is what I fear.",
            "The desk would call the customer.",
            "The mail server answers with a code, what does that mean?",
            "Oh. That was a long day for all of us.",
            "Nobody knows that here.",
        ] {
            assert_eq!(told_oneself(asked, text), None, "{text}");
        }
        let drives = told_oneself(
            "Kim, what do we do if the van stops?",
            "A taxi is too slow. The mate drives them in the bus.",
        );
        let told = ("The mate drives them in the bus".to_owned(), Some("a taxi is too slow".to_owned()));
        assert_eq!(drives, Some(told));
        let read =
            told_oneself("And if it goes to the wrong boat?", "Whoever hands it out reads the name aloud.");
        assert!(read.is_some());
        assert_eq!(told_oneself("Who may export?", "The desk calls the customer on the next day."), None);
    }

    #[test]
    fn what_a_thing_holds_the_user_lists() {
        let asked = "Jordan, what should a loan record contain?";
        let told = told_oneself(asked, "Member, tool, date out, and a note on damage.");
        let what = "A loan record should contain: member, tool, date out, and a note on damage";
        assert_eq!(told, Some((what.to_owned(), None)));
        for text in ["The member.", "I think, well, that is hard, isn't it.", "Maybe this, that, and more."] {
            assert_eq!(told_oneself(asked, text), None, "{text}");
        }
        assert_eq!(told_oneself("What should we do?", "Wait, watch, and see."), None);
    }

    #[test]
    fn who_it_is_the_user_says_in_a_few_words() {
        let asked = "Maya, who tells the kitchen about trips?";
        let told = |asked: &str, text: &str| told_oneself(asked, text).map(|(what, _)| what);
        assert_eq!(
            told(asked, "The class teacher, a week ahead, by mail.").as_deref(),
            Some("The class teacher tells the kitchen about trips, a week ahead, by mail")
        );
        assert_eq!(
            told("Who carries the oars?", "The volunteers and a teacher.").as_deref(),
            Some("Who carries the oars: the volunteers and a teacher")
        );
        for text in
            ["The teacher was angry.", "Nobody.", "I don't know.", "The list.", "The teacher? Or the office?"]
        {
            assert_eq!(told_oneself(asked, text), None, "{text}");
        }
    }
}
