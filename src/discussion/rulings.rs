//! What the user settles without a word that says so: "OK, we'll count working days", "import is out",
//! "option B it is", "the committee voted for the wooden floor".
//!
//! Each rule is a form of English (a few of German), never a sentence. A doubt, a suggestion, hearsay and
//! the past settle nothing, whatever form they have.

use super::choices::chosen;
use super::decisions::{denied, main_clause, reason, with_reason};
use super::norms;
use super::words::{lists, unquoted, words};

/// What is decided, and why.
pub(super) type Ruling = (String, Option<String>);

/// Words that lead in to what is settled; several may follow one another.
const LEADS: [&str; 33] = [
    "after some back and forth",
    "all right",
    "alright",
    "also",
    "and",
    "do that",
    "fair enough",
    "fair point",
    "fine",
    "good",
    "great",
    "gut",
    "let us do it that way",
    "let's do it that way",
    "no",
    "ok",
    "okay",
    "perfect",
    "please",
    "pls",
    "right",
    "settled",
    "settled then",
    "so",
    "so the answer is no",
    "so the answer is yes",
    "that means",
    "the answer is no",
    "the answer is yes",
    "then",
    "well",
    "yeah",
    "yes",
];
/// Those that are an adjective or an adverb in front of anything else: they lead only before a pause.
const PAUSED: [&str; 10] = ["fine", "good", "great", "gut", "no", "perfect", "right", "well", "yeah", "yes"];
/// Those that add to what was said, or tell what comes next, and draw no conclusion.
const WEAK: [&str; 11] =
    ["also", "and", "good", "great", "gut", "no", "perfect", "then", "well", "yeah", "yes"];

/// What leads in to a statement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Lead {
    any: bool,
    /// It draws a conclusion: "right.", "so", "ok".
    concludes: bool,
    /// Something stands before a pause: "Good, …".
    pauses: bool,
    /// "The answer is no, …", "let's do it that way: …": whatever stands behind it is the ruling.
    answers: bool,
}

/// What is left of a statement, in lower case, behind the words that lead in.
fn led_by(lower: &str) -> (&str, Lead) {
    let (mut rest, mut led) = (lower.trim_start(), Lead::default());
    loop {
        let stripped = LEADS.iter().filter_map(|lead| {
            let after = rest.strip_prefix(lead)?;
            let pauses = after.starts_with([',', ':', '.', '!', ';']);
            let ends = after.is_empty() || pauses || after.starts_with(' ') && !PAUSED.contains(lead);
            // "So far", "so what" and "so that" conclude nothing.
            let next = after.trim_start();
            let goes_on =
                next.strip_prefix("that ").is_some_and(|verb| GOES.iter().any(|go| verb.starts_with(go)));
            let other = *lead == "so" && !goes_on && SO.iter().any(|word| next.starts_with(word));
            let left = after.trim_start_matches([' ', ',', ':', '.', '!', ';']);
            (ends && !other).then_some((left, *lead, pauses))
        });
        let Some((shorter, lead, pauses)) = stripped.min_by_key(|(after, ..)| after.len()) else {
            return (rest, led);
        };
        led.any = true;
        led.concludes |= !WEAK.contains(&lead);
        led.pauses |= pauses;
        led.answers |= lead.contains("the answer is") || lead.ends_with("do it that way");
        rest = shorter;
    }
}

/// "So that goes out": the verbs behind which "that" is what was said before.
const GOES: [&str; 5] = ["becomes ", "gets ", "goes ", "moves ", "stays "];

const SO: [&str; 6] = ["far ", "what", "that ", "many ", "much ", "long "];

/// What is left of a statement, in lower case, behind the words that lead in; and whether there were any.
pub(super) fn without_leads(lower: &str) -> (&str, bool) {
    let (rest, led) = led_by(lower);
    (rest, led.any)
}

/// What the user settles behind a "Yes." to what they proposed before: "Yes. A paper list, and Robin closes it in March."
pub(super) fn consented(asked: &str, text: &str) -> Option<Ruling> {
    let proposed = format!(" {} ", asked.to_lowercase());
    let proposes = [" could ", " couldn't ", " should ", " shall we ", " what if ", " how about ", " would "];
    let said = super::decisions::statements(text);
    let [yes, what, ..] = said.as_slice() else { return None };
    let lower = format!(" {} ", unquoted(what).to_lowercase());
    let doubts = DOUBTS.split('|').any(|doubt| lower.contains(doubt));
    let past = [" was ", " were ", " had ", " did ", " yesterday ", " last "]
        .iter()
        .any(|word| lower.contains(word));
    let yes = yes.trim_end_matches(['.', '!']).to_lowercase();
    let agrees = matches!(yes.as_str(), "agreed" | "fine" | "good" | "ok" | "okay" | "yeah" | "yes");
    let whole = words(what).len() >= 4 && !text.contains(['?', '？']);
    (asked.contains('?')
        && proposes.iter().any(|word| proposed.contains(word))
        && agrees
        && whole
        && !doubts
        && !past)
        .then(|| with_reason(what))
}

pub(super) fn is_only_leads(lower: &str) -> bool {
    let (rest, led) = without_leads(lower);
    led && words(rest).is_empty()
}

/// Words with which nothing is decided, wherever they stand in a statement of the user's.
pub(super) const DOUBTS: &str = concat!(
    " ask | asked | back then| claims | could | didn't | either | guess | haven't | heard | hope |",
    " how about | i'd like | i don't know| idea | if we | in 19| in 20| last month| last week| last year|",
    " leaning | maybe | might | my proposal| never settled| not decided| not settled| not sure|",
    " nothing is| or not| perhaps | prefer | probably | proposal | propose | said | says | suggest|",
    " should | so far | somebody | someone | think| thinks| told | is unclear| undecided| unless |",
    " used to | what | whether | wonder| would | hasn't | doubt| open question",
);

/// Verbs behind "we'll" that settle nothing.
const IDLE: &str = concat!(
    "ask|be|check|come|discuss|find|get|go|have|hear|know|let|look|meet|move|need|never|return|see|talk|",
    "think|try|wait|want|all|probably",
);

/// Who decides for others, as the first words of a statement name them.
const BODIES: &str = concat!(
    "administration|board|boss|chair|chairman|chairwoman|club|committee|council|department|director|",
    "foundation|group|head|management|mayor|meeting|members|office|owner|sponsor|team|treasurer|workshop",
);

/// Whether one of some words names who decides for others.
pub(super) fn names_a_body(who: &[super::words::Word<'_>]) -> bool {
    who.iter().any(|word| lists(BODIES, &word.text))
}

/// What the user settles without a word that says so.
pub(super) fn ruled(statement: &str, led_before: bool, after_decision: bool) -> Option<Ruling> {
    if statement.trim_end().ends_with(['?', '？']) {
        return None;
    }
    let lower = unquoted(statement).to_ascii_lowercase();
    let what = reason(&lower).map_or(lower.as_str(), |(at, _)| &lower[..at]);
    // What is doubted in a reason or behind "until" is not what is decided, and MoSCoW's "a Should" is no doubt.
    let mut padded = format!(" {} ", main_clause(&lower));
    for priority in [" a should ", " a could ", " from should ", " from could ", " to should ", " to could "]
    {
        padded = padded.replace(priority, " a want ");
    }
    if DOUBTS.split('|').any(|doubt| padded.contains(doubt)) || lower.starts_with("if ") {
        return None;
    }
    let (rest, mut led) = led_by(&lower);
    led.any |= led_before;
    led.concludes |= led_before;
    // ASCII letters in lower case: every byte keeps its place.
    let said = &statement[statement.len() - rest.len()..];
    let statement =
        Statement { said, rest, what: what.get(lower.len() - rest.len()..).unwrap_or_default(), led };
    let named = statement.named().or_else(|| statement.named_and_why());
    if let Some(chosen) = named.or_else(|| chosen(said, rest, led.any)).or_else(|| norms::set(said, rest)) {
        return Some(chosen);
    }
    if words(&lower).len() < 3 {
        return None;
    }
    let settled = lower.trim_start().starts_with("settled");
    let intended = statement.intended();
    if intended.is_some() || statement.is_idle() {
        return intended;
    }
    let ruling = statement.by_a_body().or_else(|| statement.announced()).or_else(|| statement.follows());
    let ruling = ruling.or_else(|| statement.unwanted()).or_else(|| statement.wanted());
    let ruling = ruling.or_else(|| statement.taken());
    let ruling = ruling.or_else(|| settled.then(|| with_reason(said))).or_else(|| statement.agreed());
    ruling.or_else(|| statement.stated(after_decision).then(|| with_reason(said)))
}

/// Whether some words in lower case may be the name of what is chosen.
fn is_a_name(name: &str) -> bool {
    let pointing =
        ["that", "this", "what", "how", "as", "so", "ok", "well", "now", "why", "who", "whatever", "not"];
    let found = words(name);
    let points = found.first().is_none_or(|first| pointing.contains(&first.text.as_ref()));
    !points && found.len() <= 6 && !name.contains(',')
}

/// Words behind which "it is" goes on with a sentence: "the trouble with it is, …".
const OPEN_ENDS: [&str; 14] = [
    "about", "because", "believe", "for", "hope", "how", "if", "in", "know", "of", "on", "say", "think",
    "with",
];

/// A statement behind the words that lead in to it.
struct Statement<'a> {
    said: &'a str,
    /// The same in lower case, without what it quotes.
    rest: &'a str,
    /// The same up to its reason.
    what: &'a str,
    led: Lead,
}

impl Statement<'_> {
    fn behind(&self, openings: &[&str]) -> Option<usize> {
        openings.iter().find_map(|opening| self.rest.strip_prefix(opening)).map(str::len)
    }

    fn from(&self, left: usize) -> Ruling {
        with_reason(&self.said[self.said.len() - left..])
    }

    /// "Option B it is", "Postgres, then": a choice by its name.
    fn named(&self) -> Option<Ruling> {
        let what = self.what.trim_end_matches([' ', ',', '.', '!']);
        let then = what.strip_suffix(", then");
        let name = then.or_else(|| then.unwrap_or(what).strip_suffix(" it is"))?;
        let name = name.strip_suffix(" it is").unwrap_or(name).trim_end_matches(',');
        let (_, why) = with_reason(self.said);
        is_a_name(name).then(|| (crate::plain::capital(self.said[..name.len()].trim()), why))
    }

    /// "Two pumps it is, one always breaks": what stands behind the choice is its reason.
    fn named_and_why(&self) -> Option<Ruling> {
        let (name, _) = self.rest.split_once(" it is, ")?;
        let why = self.said[name.len() + " it is, ".len()..].trim().trim_end_matches(['.', '!', ' ']);
        let follows = ["and ", "but ", "because ", "or ", "since ", "so ", "then"];
        let is_why = words(why).len() >= 3 && !follows.iter().any(|word| why.starts_with(word));
        let ends = words(name).last().is_some_and(|word| OPEN_ENDS.contains(&word.text.as_ref()));
        (is_why && !ends && is_a_name(name))
            .then(|| (crate::plain::capital(self.said[..name.len()].trim()), Some(why.to_owned())))
    }

    /// "We'll count working days": what will be done.
    fn intended(&self) -> Option<Ruling> {
        let left = self.behind(&WILL)?;
        let opening = &self.rest[..self.rest.len() - left];
        let (what, why) = self.from(left);
        // "We won't build it" is not to build it.
        let what = match opening.contains("n't ") || opening.contains(" not ") {
            true => {
                let mut letters = what.chars();
                let first = letters.next().map(|first| first.to_lowercase().to_string()).unwrap_or_default();
                format!("Do not {first}{}", letters.as_str())
            }
            false => what,
        };
        (!self.is_idle()).then(|| denied((what, why)))
    }

    /// "We'll see about that."
    fn is_idle(&self) -> bool {
        let Some(left) = self.behind(&WILL) else { return false };
        let verb = words(&self.rest[self.rest.len() - left..]).first().map(|word| word.text.to_string());
        verb.is_none_or(|verb| lists(IDLE, &verb))
    }

    /// "The committee voted for the wooden floor."
    fn by_a_body(&self) -> Option<Ruling> {
        let verbs = [
            " has decided ",
            " have decided ",
            " decided ",
            " voted for ",
            " has voted for ",
            " signed off on ",
            " has signed off on ",
            " has approved ",
            " approved ",
            " has agreed to ",
            " has chosen ",
            " chose ",
            " ruled that ",
        ];
        let (at, verb) = verbs.iter().filter_map(|verb| Some((self.rest.find(verb)?, *verb))).min()?;
        let who = words(&self.rest[..at]);
        let is_body = who.len() <= 5 && names_a_body(&who);
        let behind = self.rest.len() - at - verb.len();
        let after = &self.rest[self.rest.len() - behind..];
        let told = ["in 1", "in 2", "nothing", "not "].iter().any(|word| after.starts_with(word));
        let small = ["that ", "to ", "on ", "for ", "against "]
            .iter()
            .take(4)
            .find_map(|word| after.strip_prefix(word));
        let waits = ["once", "when", "before", "after", "until", "as", "whatever"];
        let waits = who.first().is_some_and(|word| waits.contains(&word.text.as_ref()));
        (is_body && !told && !waits).then(|| self.from(small.map_or(behind, str::len)))
    }

    /// "The rule is now: …", "yes to …", "I'm ruling out …".
    fn announced(&self) -> Option<Ruling> {
        let after = [
            "the rule is now: ",
            "the rule is: ",
            "new rule: ",
            "the new rule is ",
            "consider it done: ",
            "then we ",
            "wir haben beschlossen, dass ",
            "wir haben beschlossen ",
            "wir haben entschieden, dass ",
        ];
        if let Some(left) = self.behind(&after).or_else(|| self.under_a_heading()) {
            return Some(self.from(left));
        }
        let whole = [
            "yes to ",
            "no to ",
            "i'm ruling out ",
            "i am ruling out ",
            "i rule out ",
            "we rule out ",
            "from today on",
            "from now on",
            "starting today",
        ];
        self.behind(&whole).map(|_| with_reason(self.said))
    }

    /// "Done deal: the school pays half": how much is left behind words that say so and a colon.
    fn under_a_heading(&self) -> Option<usize> {
        let (heading, after) = self.rest.split_once(": ")?;
        let says = [
            "deal",
            "decided",
            "fine with",
            "made up",
            "settled",
            "verdict",
            "outcome",
            "conclusion",
            "final word",
        ];
        let is_heading = words(heading).len() <= 7 && says.iter().any(|word| heading.contains(word));
        let is_denied = [" not ", "n't ", "never "].iter().any(|word| heading.contains(word));
        (is_heading && !is_denied).then_some(after.len())
    }

    /// "Skip the tutorial", "make the second field optional": told to all at the table.
    fn told(&self) -> bool {
        let told = [
            "allow ",
            "cap ",
            "cut ",
            "drop ",
            "forbid ",
            "keep it ",
            "keep the ",
            "leave it ",
            "leave out ",
            "leave the ",
            "limit ",
            "make it ",
            "make the ",
            "postpone ",
            "remove ",
            "replace ",
            "skip ",
            "split ",
        ];
        let other = [
            "make it clear",
            "make the point",
            "keep it in mind",
            "leave it to",
            "leave it at that",
            "drop me",
        ];
        self.behind(&told).is_some() && self.behind(&other).is_none()
    }

    /// "The owner wants it without sound, so we leave the speaker out": what follows, and why.
    fn follows(&self) -> Option<Ruling> {
        let at = self.rest.find(", so we ")?;
        let tail = &self.rest[at + ", so ".len()..];
        let led = Lead { any: true, concludes: true, ..Lead::default() };
        let next = Statement { said: &self.said[at + ", so ".len()..], rest: tail, what: tail, led };
        let (what, why) = next.taken().or_else(|| next.intended())?;
        let cause = crate::plain::capital(self.said[..at].trim());
        Some((what, why.or(Some(cause))))
    }

    /// "We stick with our own script", "we're dropping the maps", "no new database".
    fn taken(&self) -> Option<Ruling> {
        let takes = [
            "we've ruled out ",
            "we have ruled out ",
            "we won't ",
            "we will not ",
            "we stick with ",
            "we drop ",
            "we skip ",
            "we go for ",
            "we begin with ",
            "we start with ",
            "we postpone ",
            "we leave out ",
            "no new ",
            "no more ",
            "wir bleiben bei ",
            "es bleibt bei ",
            "wir nehmen ",
        ];
        let led_takes = [
            "we take ",
            "we keep ",
            "we leave ",
            "we add ",
            "we move ",
            "we split ",
            "we replace ",
            "we stop ",
            "we use ",
            "we make ",
            "we put ",
            "dann lassen wir ",
            "dann nehmen wir ",
            "lassen wir ",
        ];
        let gerund = ["we're ", "we are "].iter().find_map(|we| self.rest.strip_prefix(we));
        let doing = gerund.is_some_and(|after| lists(DOING, after.split(' ').next().unwrap_or_default()));
        let took = self.rest.starts_with("we take ") && self.chooses();
        let chosen = self.rest.starts_with("for ")
            && [" we choose ", " we take ", " we use ", " it's ", " it is "]
                .iter()
                .any(|verb| self.rest.contains(verb));
        let led = self.led.any && self.behind(&led_takes).is_some();
        let taken = self.behind(&takes).is_some() || doing || took || chosen || led || self.refuses();
        (taken || self.told() || self.is_a_figure()).then(|| with_reason(self.said))
    }

    /// "We take labels and not chips, because …": what is taken is set against another, or has a reason; what is
    /// done today as every day is told.
    fn chooses(&self) -> bool {
        let padded = format!(" {} ", self.what.trim_end_matches(['.', '!']));
        let habit =
            [" always ", " at the moment ", " currently ", " every day ", " now ", " today ", " usually "];
        let reason = self.what.len() < self.rest.len();
        (reason || self.sets_against()) && !habit.iter().any(|word| padded.contains(word))
    }

    fn sets_against(&self) -> bool {
        let against = [", not ", " and not ", " instead of ", " rather than "];
        against.iter().any(|word| self.what.contains(word))
    }

    /// "We want to share the costs by hours, not by firings."
    fn wanted(&self) -> Option<Ruling> {
        let left = self.behind(&["we want to "]).filter(|_| self.sets_against())?;
        let learns = ["find ", "hear ", "know ", "learn ", "see ", "understand "];
        let verb = &self.rest[self.rest.len() - left..];
        (!learns.iter().any(|word| verb.starts_with(word))).then(|| self.from(left))
    }

    /// "No, I don't want a public list": a thing is refused; "I don't want to interrupt" refuses none.
    fn unwanted(&self) -> Option<Ruling> {
        let wants = ["i don't want ", "i do not want ", "we don't want ", "we do not want "];
        let left = self.behind(&wants).filter(|_| self.led.any)?;
        let things = [
            ("a ", "no "),
            ("an ", "no "),
            ("any ", "no "),
            ("another ", "no other "),
            ("more ", "no more "),
        ];
        let (thing, no) =
            things.iter().find(|(thing, _)| self.rest[self.rest.len() - left..].starts_with(thing))?;
        let what = &self.said[self.said.len() - left + thing.len()..];
        Some(with_reason(&format!("{no}{what}")))
    }

    /// "No, we don't send it by post any more."
    fn refuses(&self) -> bool {
        let Some(left) = self.behind(&["we don't ", "we do not "]).filter(|_| self.led.any) else {
            return false;
        };
        let verb = words(&self.rest[self.rest.len() - left..]).first().map(|word| word.text.to_string());
        verb.is_some_and(|verb| !lists(IDLE, &verb))
    }

    /// "Good, thirty days and not a day longer", "Right. No photos, ever": a phrase without a verb, behind
    /// words that conclude.
    fn is_a_figure(&self) -> bool {
        let led = self.led.pauses || self.led.concludes;
        let opens = ["no ", "at most ", "at least ", "exactly ", "up to ", "only "];
        let first = words(self.what).first().map(|word| word.text.to_string()).unwrap_or_default();
        let small = [
            "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twelve", "twenty",
            "thirty", "forty", "fifty",
        ];
        let figure = first.bytes().all(|byte| byte.is_ascii_digit()) && !first.is_empty()
            || small.contains(&first.as_str());
        let verbs = [
            " is ", " are ", " was ", " were ", " has ", " have ", " had ", " can ", " do ", " does ",
            " will ",
        ];
        let verbless = !verbs.iter().any(|verb| self.what.contains(verb));
        let single = [
            "one can",
            "one could",
            "one last",
            "one moment",
            "one more",
            "one of",
            "one question",
            "one thing",
        ];
        let one = self.led.pauses && first == "one" && self.behind(&single).is_none();
        // "No photos in the first version" bounds a version.
        let rounds =
            [" first version", " first release", " first round", " first step", " this round", " for now"];
        let bounded = self.rest.starts_with("no ") && rounds.iter().any(|round| self.what.contains(round));
        verbless && (bounded || one)
            || led && verbless && (figure || opens.iter().any(|opening| self.what.starts_with(opening)))
    }

    /// "The director agreed yesterday that the guide will be free."
    fn agreed(&self) -> Option<Ruling> {
        let agreed = [
            "agreed that ",
            "agreed yesterday that ",
            "agreed today that ",
            "agreed now that ",
            "agreed finally that ",
        ];
        let (at, length) = agreed.iter().find_map(|words| Some((self.rest.find(words)?, words.len())))?;
        // With whom is not what.
        let what = &self.said[at + length..];
        (!what.to_ascii_lowercase().starts_with("with ")).then(|| with_reason(what))
    }

    /// "Import is out", "retries stay at two days": a state that is laid down. Behind words that conclude, or
    /// behind another decision, a plain statement goes on with it.
    fn stated(&self, after_decision: bool) -> bool {
        let ends = |at: usize, length: usize| {
            let after = &self.rest[at + length..];
            !after.starts_with(char::is_alphanumeric) && !after.starts_with(" of ")
        };
        let lays_down = LAID_DOWN.split('|').any(|phrase| {
            self.rest.match_indices(phrase).any(|(at, _)| phrase.ends_with(' ') || ends(at, phrase.len()))
        });
        let hearsay = [
            "i ",
            "you ",
            "there ",
            "it ",
            "he ",
            "she ",
            "they ",
            "my ",
            "that is ",
            "that was ",
            "that has ",
            "that's ",
            "this is ",
            "this was ",
            "not ",
            "nobody ",
            "but ",
        ];
        let own = !hearsay.iter().any(|word| self.rest.starts_with(word));
        // What is said in the first clause; a second one may tell what happens then.
        let clause = format!(" {} ", self.what.split(" and ").next().unwrap_or_default());
        let says = |verbs: &[&str]| verbs.iter().any(|verb| clause.contains(verb));
        let states = [
            " is ", " are ", " gets ", " get ", " goes ", " moves ", " move ", " takes ", " take ", " wins",
            " loses ", " can't ", " cannot ", " must ", " stays ", " stay ",
        ];
        let follows = [" are not ", " is not ", " are replaced", " is replaced", " are kept", " is kept"];
        let comes = self.led.pauses && says(&[" come ", " comes "]);
        own && (lays_down
            || self.led.answers
            || self.led.concludes && (comes || says(&states))
            || after_decision && says(&follows))
    }
}

/// Words that say what will be done.
const WILL: [&str; 9] = [
    "we'll ",
    "we will ",
    "we shall ",
    "we are going to ",
    "we're going to ",
    "then we'll ",
    "we won't ",
    "we're not going to ",
    "we are not going to ",
];

/// What people say they are doing when they have decided to.
const DOING: &str = concat!(
    "cutting|dropping|splitting|keeping|leaving|limiting|moving|postponing|replacing|skipping|sticking|",
    "switching|adding|removing",
);

/// States that somebody lays down.
const LAID_DOWN: &str = concat!(
    " is out of scope| are out of scope| are frozen| is frozen| from now on| from today on| is out|",
    " are out| is off the table| are off the table| stay at | stays at | stay as | stays as |",
    " stays untouched| stay untouched| become a | becomes a | becomes the | become the | remains as |",
    " stays off | come in version | comes in version | come in phase | comes in phase | come in release |",
    " comes in release | moves to phase | move to phase | moves to the next | move to the next ",
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_yes_to_an_own_proposal_settles_what_follows() {
        let asked = "Jordan, could you imagine a simple list on paper?";
        let text = "Yes. Paper list, it hangs at the quay from 1 March.";
        assert_eq!(
            consented(asked, text).map(|(what, _)| what),
            Some("Paper list, it hangs at the quay from 1 March".to_owned())
        );
        for (asked, text) in [
            ("Is the pump old?", "Yes. It stands there since the flood of the year."),
            ("Could the pump be older?", "Yes. It was built before the quay."),
            ("Could we ask them?", "Yes. Maybe somebody knows the number."),
            ("Could we ask them?", "No. Nobody knows the number there."),
        ] {
            assert_eq!(consented(asked, text), None, "{text}");
        }
    }
}
