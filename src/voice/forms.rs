//! The shapes in which each of the three shows a line, says that there is no other, or leaves something out: as data,
//! since the synthesis knows these sentences again.

use std::sync::LazyLock;

use super::wording::Speech;
use crate::lens::filled;

/// Ways to say one thing, of each of the three: `{place}` is where a line stands, `{quote}` what it says, `{word}` what
/// it is about. Where a topic stands between a place and its quotation, it would be taken for it.
type Ways<const N: usize> = [[&'static str; N]; 3];

/// A line that answers the user, and no way says more than that line.
const ANSWERS: Ways<8> = [
    [
        "On \"{word}\", this is what people are told: \"{quote}\" ({place}).",
        "Everybody here goes by {place}: \"{quote}\".",
        "I would point people to {place}: \"{quote}\".",
        "What people can count on is \"{quote}\" ({place}).",
        "For \"{word}\", people have {place}: \"{quote}\".",
        "Whoever asks us that gets {place} as an answer: \"{quote}\".",
        "So that nobody has to ask twice, it stands at {place}: \"{quote}\".",
        "As people know it, \"{quote}\" ({place}).",
    ],
    [
        "As the plan stands, \"{quote}\" ({place}).",
        "What we build has to fit around {place}: \"{quote}\".",
        "On \"{word}\", the plan has \"{quote}\" ({place}).",
        "What we would build on is \"{quote}\" ({place}).",
        "For \"{word}\", what we build hangs on {place}: \"{quote}\".",
        "The plan starts from {place}: \"{quote}\".",
        "So far the plan lays it out at {place}: \"{quote}\".",
        "Until the plan changes, \"{quote}\" ({place}).",
    ],
    [
        "The wording is \"{quote}\" ({place}).",
        "Word for word, {place} has it: \"{quote}\".",
        "On \"{word}\", the text reads \"{quote}\" ({place}).",
        "The text spells it out at {place}: \"{quote}\".",
        "The sentence on \"{word}\" is \"{quote}\" ({place}).",
        "In the text it is \"{quote}\" ({place}).",
        "The text has it written down at {place}: \"{quote}\".",
        "The sentence that says it is {place}: \"{quote}\".",
    ],
];

/// The ways to show a line that answers, filled in: `at` is its place or its spot.
pub fn points_at(speech: Speech, topic: &str, at: &str, said: &str) -> Vec<String> {
    filled_in(speech, &ANSWERS, at, said, topic)
}

/// The line nearest to what the user asks, which is no answer.
const NEAREST: Ways<5> = [
    [
        "The nearest I have for people is {place}: \"{quote}\".",
        "I am not sure that people mean this, but I find \"{quote}\" ({place}).",
        "All I can show people on \"{word}\" is \"{quote}\" ({place}).",
        "Somebody who asks that would be sent to {place}: \"{quote}\".",
        "What people get to read that comes close is \"{quote}\" ({place}).",
    ],
    [
        "What we build there probably hangs on {place}: \"{quote}\".",
        "The closest thing to build on is \"{quote}\" ({place}).",
        "If anything in the plan bears on \"{word}\", it is \"{quote}\" ({place}).",
        "I would build on {place}, which is close but not the same: \"{quote}\".",
        "The plan only comes near it, at {place}: \"{quote}\".",
    ],
    [
        "Not in so many words; the sentence closest to it is {place}: \"{quote}\".",
        "The closest wording in the text is \"{quote}\" ({place}).",
        "On \"{word}\", the text comes closest with \"{quote}\" ({place}).",
        "The text does not say it outright, and {place} comes closest: \"{quote}\".",
        "A sentence that may be meant is {place}: \"{quote}\".",
    ],
];

/// The ways to show the nearest line, filled in.
pub fn comes_nearest(speech: Speech, topic: &str, at: &str, said: &str) -> Vec<String> {
    filled_in(speech, &NEAREST, at, said, topic)
}

/// A line that the documents list as left out; `{word}` is its heading.
const LEFT_OUT: Ways<4> = [
    [
        "That is meant to stay out for people: {place} lists \"{quote}\" under \"{word}\".",
        "People were told that it is not part of this: \"{quote}\" ({place}) stands under \"{word}\".",
        "Whoever hopes for it is told no so far, \"{quote}\" ({place}) being listed under \"{word}\".",
        "Somebody has ruled that out for people: \"{quote}\" ({place}), under \"{word}\".",
    ],
    [
        "The plan keeps that out: \"{quote}\" ({place}), under \"{word}\".",
        "We do not build that, as {place} puts \"{quote}\" under \"{word}\".",
        "By the plan it is no part of what we build: \"{quote}\" ({place}), listed under \"{word}\".",
        "\"{word}\" in the plan covers it: \"{quote}\" ({place}).",
    ],
    [
        "The text excludes it: \"{quote}\" ({place}) is listed under \"{word}\".",
        "Under \"{word}\", the text lists \"{quote}\" ({place}).",
        "The heading above it settles that: \"{quote}\" ({place}) is listed under \"{word}\".",
        "It is written down as left out: \"{quote}\" ({place}), under \"{word}\".",
    ],
];

/// The ways to show a line that stands under a heading of what is left out, filled in.
pub fn is_left_out(speech: Speech, heading: &str, at: &str, said: &str) -> Vec<String> {
    filled_in(speech, &LEFT_OUT, at, said, heading)
}

/// The nearest line, where no document has the word that was asked for.
const LACKS: Ways<5> = [
    [
        "I find no \"{word}\" that people could read, only {place}: \"{quote}\".",
        "Nobody has written \"{word}\" down for people; the nearest is \"{quote}\" ({place}).",
        "People who look for \"{word}\" get no further than {place}: \"{quote}\".",
        "Nobody here says \"{word}\"; what people get instead is \"{quote}\" ({place}).",
        "Whoever asks for \"{word}\" finds only {place}: \"{quote}\".",
    ],
    [
        "The plan has no \"{word}\"; the nearest in it is {place}: \"{quote}\".",
        "Without \"{word}\", the plan goes only as far as \"{quote}\" ({place}).",
        "\"{word}\" is not in the plan; what there is to build on is \"{quote}\" ({place}).",
        "The plan leaves \"{word}\" out, and next to it has {place}: \"{quote}\".",
        "There is no \"{word}\" to build on; the closest is {place}: \"{quote}\".",
    ],
    [
        "No sentence says \"{word}\"; the closest is {place}: \"{quote}\".",
        "The word \"{word}\" is missing, and the nearest wording is \"{quote}\" ({place}).",
        "\"{word}\" does not occur; the text only gets to \"{quote}\" ({place}).",
        "The text never says \"{word}\"; at its nearest it has {place}: \"{quote}\".",
        "There is no wording with \"{word}\"; what stands beside it is \"{quote}\" ({place}).",
    ],
];

/// The ways to show the nearest line where `missing` stands nowhere, filled in.
pub fn lacks(speech: Speech, missing: &str, at: &str, said: &str) -> Vec<String> {
    filled_in(speech, &LACKS, at, said, missing)
}

/// A line that is open itself: it asks what the user asks.
const ASKS_THE_SAME: Ways<3> = [
    [
        "People are still waiting to hear that themselves, at {place}: \"{quote}\".",
        "Somebody has asked people something close to that at {place}: \"{quote}\".",
        "Nobody has answered people on that yet, {place}: \"{quote}\".",
    ],
    [
        "There is an open point of the plan near that, {place}: \"{quote}\".",
        "The plan leaves that open at {place}: \"{quote}\".",
        "Nothing is settled there; the plan has an open point at {place}: \"{quote}\".",
    ],
    [
        "The text leaves something open near that at {place}: \"{quote}\".",
        "There is no wording for it yet, only the question at {place}: \"{quote}\".",
        "One sentence asks about that and none answers it, {place}: \"{quote}\".",
    ],
];

/// The ways to show a line that asks the same.
pub fn asks_the_same(speech: Speech, at: &str, said: &str) -> Vec<String> {
    filled_in(speech, &ASKS_THE_SAME, at, said, "")
}

/// A line on the same thing as what the user tells, who has asked nothing.
const TOUCHES: Ways<5> = [
    [
        "People go by {place} there so far: \"{quote}\".",
        "That concerns everybody who reads {place}: \"{quote}\".",
        "What people know of that today is \"{quote}\" ({place}).",
        "Somebody should tell the people who go by \"{quote}\" ({place}).",
        "Whoever asks people about that hears of {place} today: \"{quote}\".",
    ],
    [
        "In the plan, that bears on {place}: \"{quote}\".",
        "The plan has something on that at {place}: \"{quote}\".",
        "The plan has to be looked at again in that light, {place}: \"{quote}\".",
        "What we build depends on that, as in \"{quote}\" ({place}).",
        "So far the plan goes from \"{quote}\" ({place}).",
    ],
    [
        "The sentence that it touches is \"{quote}\" ({place}).",
        "Compare that with the wording at {place}: \"{quote}\".",
        "The text has a line on that, {place}: \"{quote}\".",
        "In the text, that belongs to \"{quote}\" ({place}).",
        "Next to that, the sentence at {place} reads \"{quote}\".",
    ],
];

/// The ways to show it.
pub fn touches(speech: Speech, at: &str, said: &str) -> Vec<String> {
    filled_in(speech, &TOUCHES, at, said, "")
}

/// The open line nearest to what the user tells.
const SPEAKS_TO_OPEN: Ways<2> = [
    [
        "People are waiting for an answer there, and that may be one: \"{quote}\" ({place}).",
        "That may be what people want to know at {place}: \"{quote}\".",
    ],
    [
        "An open point of the plan may be waiting for that, {place}: \"{quote}\".",
        "That comes close to an open point of the plan at {place}: \"{quote}\".",
    ],
    [
        "The text has a gap there that it may fill, {place}: \"{quote}\".",
        "One sentence of the text asks for that, {place}: \"{quote}\".",
    ],
];

/// The ways to show it.
pub fn speaks_to_open(speech: Speech, at: &str, said: &str) -> Vec<String> {
    filled_in(speech, &SPEAKS_TO_OPEN, at, said, "")
}

/// Whether a sentence shows a line as the answer to what was asked. The synthesis knows these sentences again.
pub fn shows_an_answer(sentence: &str) -> bool {
    static FORMS: LazyLock<Vec<Form>> = LazyLock::new(|| {
        let mut all = forms(&[&ANSWERS]);
        all.extend(forms(&[&LEFT_OUT]));
        all
    });
    FORMS.iter().any(|form| form.is_of(sentence))
}

fn filled_in<const N: usize>(
    speech: Speech,
    ways: &Ways<N>,
    at: &str,
    said: &str,
    topic: &str,
) -> Vec<String> {
    let [analyst, architect, designer] = ways;
    let ways = speech.one_of(analyst, architect, designer);
    // In brackets behind a quotation there is room for its place alone.
    let bare = at.rsplit_once(" at ").map_or(at, |(_, place)| place);
    let at = |way: &str| if way.contains("({place})") { bare } else { at };
    ways.iter().map(|way| filled(way, at(way), said, topic)).collect()
}

/// A further line on what a colleague has shown a line on.
const READS_BESIDE: Ways<5> = [
    [
        "People also come across {place}: \"{quote}\".",
        "On \"{word}\", people should see \"{quote}\" ({place}) as well.",
        "I would show people one more line, {place}: \"{quote}\".",
        "The same people will read \"{quote}\" ({place}).",
        "For people, it does not end there, see {place}: \"{quote}\".",
    ],
    [
        "What we build there hangs together with {place}: \"{quote}\".",
        "On \"{word}\", the plan also has \"{quote}\" ({place}).",
        "I would build it with {place} in view: \"{quote}\".",
        "The plan connects it with \"{quote}\" ({place}).",
        "Whoever builds it meets {place} next: \"{quote}\".",
    ],
    [
        "A second sentence on it is {place}: \"{quote}\".",
        "On \"{word}\", read it together with \"{quote}\" ({place}).",
        "The text comes back to it at {place}: \"{quote}\".",
        "Beside that wording the text has \"{quote}\" ({place}).",
        "Another sentence to read with it is {place}: \"{quote}\".",
    ],
];

/// The ways to show a further line, filled in.
pub fn reads_beside(speech: Speech, topic: &str, at: &str, said: &str) -> Vec<String> {
    filled_in(speech, &READS_BESIDE, at, said, topic)
}

/// That the documents hold nothing beside a line.
const NOTHING_BESIDE: Ways<3> = [
    [
        "For people, {place} says it all on \"{word}\".",
        "I would send people to {place} too.",
        "People who ask me about \"{word}\" hear of {place} as well.",
    ],
    [
        "I would build on {place} too.",
        "For \"{word}\" the plan has nothing beyond {place}.",
        "The plan gives me nothing to set against {place}.",
    ],
    [
        "I read the sentence at {place} the same way.",
        "On \"{word}\", the text has no second sentence beside {place}.",
        "The wording at {place} is what I would use, too.",
    ],
];

/// The ways to say so of the line `at`, filled in.
pub fn nothing_beside(speech: Speech, topic: &str, at: &str) -> Vec<String> {
    filled_in(speech, &NOTHING_BESIDE, at, "", topic)
}

/// What no document has a word of.
const NOT_FOUND: Ways<5> = [
    [
        "I find nothing on \"{word}\" that people could read.",
        "I looked for \"{word}\" as people would, and found nothing.",
        "As far as I see, people get to read nothing about \"{word}\".",
        "On \"{word}\", people have only what we say here.",
        "Somebody will ask us about \"{word}\", and I have nothing to show.",
    ],
    [
        "As far as I see, the plan does not mention \"{word}\".",
        "I see nothing on \"{word}\" to build on.",
        "\"{word}\" is not part of the plan so far.",
        "For \"{word}\" the plan is still blank.",
        "Nothing in the plan depends on \"{word}\" yet.",
    ],
    [
        "As far as I see, \"{word}\" does not occur in the text.",
        "There is no wording for \"{word}\" yet.",
        "I find no sentence on \"{word}\".",
        "The text has no line on \"{word}\".",
        "On \"{word}\", no sentence is written down.",
    ],
];

/// The ways to say so.
pub fn not_found(speech: Speech, topic: &str) -> Vec<String> {
    filled_in(speech, &NOT_FOUND, "", "", topic)
}

/// What a second voice adds where a first one found nothing.
const THEN_ASKS: Ways<5> = [
    [
        "For \"{word}\" I would first hear the people who live with it.",
        "Before we write anything on \"{word}\", whose trouble is it today?",
        "Whom would \"{word}\" please, and who would have to put up with it?",
        "Somebody deals with \"{word}\" every day; I would ask that person.",
        "What do people do about \"{word}\" today, without us?",
    ],
    [
        "As long as \"{word}\" is undecided, I would build nothing that depends on it.",
        "What is the price of \"{word}\", and could we take it back later?",
        "I would decide \"{word}\" late, and keep what hangs on it easy to change.",
        "Which option would have to be given up for \"{word}\", and at what cost?",
        "If we leave \"{word}\" as it is, which risk do we carry?",
    ],
    [
        "To write \"{word}\" down I need one example that is in, and one that is out.",
        "The text needs a sentence on \"{word}\": which case, which value, and what happens otherwise.",
        "Until \"{word}\" is written down, two of us will do it in two ways.",
        "Which line would \"{word}\" go under, and which words would it change there?",
        "How would we notice that \"{word}\" works as it is meant to?",
    ],
];

/// The ways to say so, filled in.
pub fn then_asks(speech: Speech, topic: &str) -> Vec<String> {
    filled_in(speech, &THEN_ASKS, "", "", topic)
}

/// What a second voice does with a question that no line answers.
const PUTS_IT: Ways<3> = [
    [
        "I would put \"{word}\" to the people who see it every day.",
        "People will go on asking \"{word}\" until somebody tells them.",
        "Somebody has to go and ask people \"{word}\".",
    ],
    [
        "As long as \"{word}\" has no answer, I would build nothing that depends on it.",
        "I would plan for both answers to \"{word}\", and build the cheaper one first.",
        "Until we know \"{word}\", the plan should stay easy to change there.",
    ],
    [
        "The text needs two possible sentences for \"{word}\", and a test for each.",
        "The text needs a sentence for \"{word}\", even if it only says who answers it.",
        "No test can be written for \"{word}\" until a sentence answers it.",
    ],
];

/// The ways to say so.
pub fn puts_it(speech: Speech, asked: &str) -> Vec<String> {
    filled_in(speech, &PUTS_IT, "", "", asked)
}

/// A question that no line answers, by its own words.
const NO_ANSWER: Ways<5> = [
    [
        "I find no answer for people to \"{word}\".",
        "As far as I see, nobody has told people \"{word}\" so far.",
        "People will ask \"{word}\", and I could not tell them.",
        "I looked for \"{word}\" and found nothing that would help people.",
        "As to \"{word}\", somebody has to tell us first.",
    ],
    [
        "The plan has no answer to \"{word}\".",
        "\"{word}\" is undecided as far as the plan goes.",
        "I see nothing in the plan on \"{word}\".",
        "As to \"{word}\", nothing has been laid out yet.",
        "Without an answer to \"{word}\", I would leave that part for later.",
    ],
    [
        "No line of the text answers \"{word}\".",
        "\"{word}\" is not written down anywhere that I can find.",
        "As far as I see, the text is silent on \"{word}\".",
        "As to \"{word}\", a sentence is missing.",
        "I went through the text for \"{word}\" and found no sentence.",
    ],
];

/// The ways to say so.
pub fn no_answer(speech: Speech, asked: &str) -> Vec<String> {
    filled_in(speech, &NO_ANSWER, "", "", asked)
}

/// What the user tells and no document has.
const IS_NEW: Ways<5> = [
    [
        "\"{word}\": nobody could have read that in the documents.",
        "So far only the people at this table know of \"{word}\".",
        "People should hear that: \"{word}\".",
        "I did not know that, and nor do people who only read: \"{word}\".",
        "Somebody had to say it: \"{word}\".",
    ],
    [
        "\"{word}\" is not in the plan yet.",
        "The plan was made without knowing \"{word}\".",
        "Before we build on it I would note \"{word}\" in the plan.",
        "That may change what we build: \"{word}\".",
        "Nothing in the plan allows for \"{word}\" so far.",
    ],
    [
        "\"{word}\" needs a sentence in the text.",
        "The text does not have that yet: \"{word}\".",
        "If that is so, the text has to say it: \"{word}\".",
        "I find no sentence that says \"{word}\".",
        "For the text, I take it as said: \"{word}\".",
    ],
];

/// The ways to say so.
pub fn is_new(speech: Speech, said: &str) -> Vec<String> {
    filled_in(speech, &IS_NEW, "", "", said)
}

/// What somebody takes on, or is given to do.
const IS_AN_ERRAND: Ways<3> = [
    [
        "Good, somebody has taken it on: \"{word}\".",
        "Then people know who sees to it: \"{word}\".",
        "I put that on the list of who does what: \"{word}\".",
    ],
    [
        "That goes on the list of what is still to do before the plan holds: \"{word}\".",
        "The plan can wait for that: \"{word}\".",
        "One risk less once that is done: \"{word}\".",
    ],
    [
        "I write that down as a thing to do: \"{word}\".",
        "On the list, word for word: \"{word}\".",
        "That is to be done, and the text waits for the result: \"{word}\".",
    ],
];

/// The ways to note it.
pub fn notes_errand(speech: Speech, said: &str) -> Vec<String> {
    filled_in(speech, &IS_AN_ERRAND, "", "", said)
}

/// The parts that a question asks to choose from, as the documents list them.
const ENUMERATES: Ways<3> = [
    [
        "On \"{word}\", what people can choose from is {quote}.",
        "On \"{word}\", people who look for them find {quote}.",
        "On \"{word}\", people who go through them read of {quote}.",
    ],
    [
        "On \"{word}\", the plan has {quote}.",
        "As the plan stands, \"{word}\" are {quote}.",
        "The plan lists {quote}.",
    ],
    [
        "For \"{word}\", the text has {quote}.",
        "Word for word, \"{word}\" are {quote}.",
        "As the text has them, \"{word}\" are {quote}.",
    ],
];

/// The ways to tell the parts one by one, filled in.
pub fn enumerates(speech: Speech, topic: &str, listed: &str) -> Vec<String> {
    filled_in(speech, &ENUMERATES, "", listed, topic)
}

/// A line that nobody has asked about, before what is asked of it.
const TAKES_UP: Ways<3> = [
    [
        "One line that people will ask us about is {place}: \"{quote}\".",
        "What people will hold us to is \"{quote}\" ({place}).",
        "People will come back to {place}: \"{quote}\".",
    ],
    [
        "What the plan depends on early is {place}: \"{quote}\".",
        "Much of what we build hangs on \"{quote}\" ({place}).",
        "The plan takes something for granted at {place}: \"{quote}\".",
    ],
    [
        "One sentence that I would test first is {place}: \"{quote}\".",
        "The text commits itself with \"{quote}\" ({place}).",
        "A sentence with an edge to it is {place}: \"{quote}\".",
    ],
];

/// The ways to take it up.
pub fn takes_up(speech: Speech, at: &str, said: &str) -> Vec<String> {
    filled_in(speech, &TAKES_UP, at, said, "")
}

/// A second line behind the first, by whoever shows them.
const SEE_TOO: &str = "See {place} too: \"{quote}\".";

/// A line with a second one behind it.
pub fn and_see(shown: &str, at: &str, said: &str) -> String {
    format!("{shown} {}", filled(SEE_TOO, at, said, ""))
}

/// What is said in passing is nothing for the item.
const LEAVES_OUT: Ways<2> = [
    [
        "Let us keep \"{word}\" for the break, people are waiting for the rest.",
        "\"{word}\" stays between the people at this table.",
    ],
    [
        "\"{word}\" is not part of the plan, so I leave it out.",
        "We can come to \"{word}\" later, over coffee.",
    ],
    ["I leave \"{word}\" out of the notes.", "\"{word}\" needs no sentence in the text."],
];

/// The ways to say so.
pub fn leaves_out(speech: Speech, topic: &str) -> Vec<String> {
    filled_in(speech, &LEAVES_OUT, "", "", topic)
}

/// Whether a sentence only shows a line, or says that there is none: the document's own words are no insight of
/// who reads them out.
pub fn only_shows(sentence: &str) -> bool {
    static FORMS: LazyLock<Vec<Form>> = LazyLock::new(|| {
        let mut all = forms(&[&ANSWERS]);
        all.extend(forms(&[&LEFT_OUT]));
        all.extend(forms(&[&NEAREST, &LACKS, &TOUCHES, &READS_BESIDE]));
        all.extend(forms(&[&NOT_FOUND, &THEN_ASKS, &NO_ANSWER, &IS_NEW]));
        all.extend(forms(&[&ASKS_THE_SAME, &NOTHING_BESIDE, &ENUMERATES, &PUTS_IT, &TAKES_UP]));
        all.extend(forms(&[&SPEAKS_TO_OPEN]));
        all.extend(forms(&[&IS_AN_ERRAND]));
        all.push(Form::new(SEE_TOO));
        all
    });
    FORMS.iter().any(|form| form.is_of(sentence))
}

/// Whether a sentence says that something is nothing for the item. The synthesis knows these sentences again.
pub fn keeps_out(sentence: &str) -> bool {
    static FORMS: LazyLock<Vec<Form>> = LazyLock::new(|| forms(&[&LEAVES_OUT]));
    FORMS.iter().any(|form| form.is_of(sentence))
}

/// A way to say something without what stands in its places.
pub(super) struct Form(Vec<&'static str>);

impl Form {
    pub fn new(way: &'static str) -> Form {
        // More may follow before its end.
        Form(way.trim_end_matches('.').split(['{', '}']).step_by(2).collect())
    }

    /// Whether a sentence begins as this does, whatever stands in its places.
    pub fn is_of(&self, sentence: &str) -> bool {
        let Some((first, parts)) = self.0.split_first() else { return false };
        let begins = sentence.strip_prefix(first);
        begins.is_some_and(|rest| {
            parts.iter().try_fold(rest, |rest, part| Some(rest.split_once(part)?.1)).is_some()
        })
    }
}

pub(super) fn forms<const N: usize>(of: &[&'static [[&'static str; N]; 3]]) -> Vec<Form> {
    of.iter().flat_map(|ways| ways.iter().flatten()).map(|way| Form::new(way)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_points_at_a_line_claims_nothing_that_it_does_not_say() {
        for speech in [Speech::Analyst, Speech::Architect, Speech::Designer] {
            let mut said = points_at(speech, "pump", "spec.md line 7", "Marketing wants January");
            said.extend(reads_beside(speech, "pump", "spec.md line 7", "Marketing wants January"));
            said.extend(lacks(speech, "pump", "spec.md line 7", "Marketing wants January"));
            let mut opens = std::collections::BTreeSet::new();
            for one in &said {
                let own = crate::discussion::words::unquoted(one).to_lowercase();
                for role in ["option", "price", "risk", "constraint", "contract", "test", "defined", "rule"] {
                    assert!(!own.contains(role), "{role}: {one}");
                }
                assert!(only_shows(one), "{one}");
                let more = and_see(one, "spec.md line 9", "Marketing wants July");
                assert!(
                    crate::discussion::extract::sentences(&more).iter().all(|one| only_shows(one)),
                    "{more}"
                );
                opens.insert(one.split(' ').next().unwrap_or_default().trim_matches('"'));
            }
            assert!(opens.len() >= 6, "{opens:?}");
            let mut none = nothing_beside(speech, "pump", "spec.md line 7");
            none.extend(then_asks(speech, "pump"));
            none.extend(enumerates(speech, "pumps", "\"one\" (spec.md line 3)"));
            assert!(none.iter().all(|one| only_shows(one)), "{none:?}");
        }
        assert!(!only_shows("Nobody acts at spec.md line 7, since \"is sent\" hides the person."));
    }

    #[test]
    fn the_synthesis_knows_an_answer_from_the_nearest_line_and_from_what_is_left_out() {
        for speech in [Speech::Analyst, Speech::Architect, Speech::Designer] {
            let shown = |ways: Vec<String>| ways.iter().filter(|way| shows_an_answer(way)).count();
            let (at, said) = ("spec.md line 7", "Marketing wants January");
            assert_eq!(shown(points_at(speech, "pump", at, said)), 8);
            assert_eq!(shown(comes_nearest(speech, "pump", at, said)), 0);
            assert_eq!(shown(lacks(speech, "pump", at, said)), 0);
            assert_eq!(shown(reads_beside(speech, "pump", at, said)), 0);
            assert!(leaves_out(speech, "weather").iter().all(|way| keeps_out(way)));
            assert!(!points_at(speech, "pump", at, said).iter().any(|way| keeps_out(way)));
        }
    }
}
