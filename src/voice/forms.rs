//! The shapes in which each of the three shows a line, says that there is no other, or leaves something out: as data,
//! since the synthesis knows these sentences again.

use std::sync::LazyLock;

use super::wording::Speech;
use crate::lens::filled;

/// What stands before a line of a document that answers the user: how each of the three points at it, in several
/// ways: `{place}` says `{quote}` on `{word}`, and no way says more than that. Where a topic stands between a place
/// and its quotation, it would be taken for it.
const POINTS_AT: [[&str; 8]; 3] = [
    [
        "On \"{word}\", people can read {place}: \"{quote}\".",
        "I would show people who come with \"{word}\" this, {place}: \"{quote}\".",
        "\"{quote}\" ({place}) is what people read on \"{word}\".",
        "People who look for \"{word}\" find {place}: \"{quote}\".",
        "People who look up \"{word}\" read \"{quote}\" ({place}).",
        "Somebody who wants to know about \"{word}\" reads {place}: \"{quote}\".",
        "There is \"{quote}\" ({place}) for people to read on \"{word}\".",
        "People who ask about \"{word}\" come to {place}: \"{quote}\".",
    ],
    [
        "On record for \"{word}\" is {place}, and I weigh it as it stands: \"{quote}\".",
        "I weigh \"{word}\" against the record at {place}: \"{quote}\".",
        "\"{quote}\" ({place}) is on record for \"{word}\" and has to be weighed.",
        "On \"{word}\", I start to weigh from {place}: \"{quote}\".",
        "Before anything is built on \"{word}\", weigh \"{quote}\" ({place}).",
        "My starting point to weigh \"{word}\" is on record, {place}: \"{quote}\".",
        "To weigh \"{word}\", the record has \"{quote}\" ({place}).",
        "As far as \"{word}\" goes, weigh what is on record, \"{quote}\" ({place}).",
    ],
    [
        "The exact wording on \"{word}\", literally: \"{quote}\" ({place}).",
        "On \"{word}\", I take {place} literally, to the letter: \"{quote}\".",
        "\"{quote}\" ({place}) is the exact wording on \"{word}\".",
        "For \"{word}\", the exact and literal text is {place}: \"{quote}\".",
        "Literally, to the letter, there is \"{quote}\" ({place}) on \"{word}\".",
        "To be exact about \"{word}\", {place} literally says \"{quote}\".",
        "Read exactly, to the letter, {place} says \"{quote}\".",
        "The exact wording to check \"{word}\" against is \"{quote}\" ({place}).",
    ],
];

/// The ways to point at a line, filled in: `at` is its place or its spot.
pub fn points_at(speech: Speech, topic: &str, at: &str, said: &str) -> Vec<String> {
    filled_in(speech, &POINTS_AT, at, said, topic)
}

/// What stands before a line that is the nearest to what the user asks, and no answer.
const NEAREST: [[&str; 4]; 3] = [
    [
        "People who look for \"{word}\" get nearest to it at {place}: \"{quote}\".",
        "Nearest to what people ask there on \"{word}\" comes {place}: \"{quote}\".",
        "People who ask that may start from {place}, the nearest on \"{word}\": \"{quote}\".",
        "For people who ask about \"{word}\", the nearest I find is \"{quote}\" ({place}).",
    ],
    [
        "Nearest on record for \"{word}\", and to be weighed with care, is {place}: \"{quote}\".",
        "I would weigh \"{word}\" from here, the nearest on record: \"{quote}\" ({place}).",
        "The nearest that I can weigh on \"{word}\" is on record at {place}: \"{quote}\".",
        "On record, and nearest to \"{word}\", is \"{quote}\" ({place}): weigh whether it answers that.",
    ],
    [
        "Nearest on \"{word}\", to the letter, is {place}: \"{quote}\".",
        "The nearest exact wording on \"{word}\" is {place}: \"{quote}\".",
        "Exact and literal, and the nearest on \"{word}\", is \"{quote}\" ({place}).",
        "Taken to the letter, the nearest on \"{word}\" is {place}: \"{quote}\".",
    ],
];

/// The ways to show the nearest line, filled in.
pub fn comes_nearest(speech: Speech, topic: &str, at: &str, said: &str) -> Vec<String> {
    filled_in(speech, &NEAREST, at, said, topic)
}

/// Whether a sentence shows a line as the answer to what was asked. The synthesis knows these sentences again.
pub fn shows_an_answer(sentence: &str) -> bool {
    static FORMS: LazyLock<Vec<Form>> = LazyLock::new(|| forms(&[&POINTS_AT]));
    FORMS.iter().any(|form| form.is_of(sentence))
}

fn filled_in<const N: usize>(
    speech: Speech,
    ways: &[[&str; N]; 3],
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

/// A further line on what a colleague has shown a line on, in several ways.
const READS_BESIDE: [[&str; 4]; 3] = [
    [
        "On \"{word}\", people can also read {place}: \"{quote}\".",
        "\"{quote}\" ({place}) is one more line that people read on \"{word}\".",
        "Somebody who reads on comes to {place}: \"{quote}\".",
        "There is also \"{quote}\" ({place}) for people who ask about \"{word}\".",
    ],
    [
        "Also on record for \"{word}\", and to be weighed, is {place}: \"{quote}\".",
        "I would weigh in, also on record, {place}: \"{quote}\".",
        "\"{quote}\" ({place}) goes on the scales for \"{word}\" too, and I weigh both.",
        "To weigh \"{word}\" as a whole, add to the record {place}: \"{quote}\".",
    ],
    [
        "One more exact wording on \"{word}\" is {place}: \"{quote}\".",
        "Literally, and as exact, there is also \"{quote}\" ({place}) on \"{word}\".",
        "\"{quote}\" ({place}) is to be read exactly, to the letter, as well.",
        "Literally, an exact second line is {place}: \"{quote}\".",
    ],
];

/// The ways to show a further line, filled in.
pub fn reads_beside(speech: Speech, topic: &str, at: &str, said: &str) -> Vec<String> {
    filled_in(speech, &READS_BESIDE, at, said, topic)
}

/// That the documents hold nothing beside a line, in several ways.
const NOTHING_BESIDE: [[&str; 5]; 3] = [
    [
        "On \"{word}\", I have no second line for people beside {place}.",
        "I would send people who ask about \"{word}\" to {place} too.",
        "For people who ask about \"{word}\" I have {place} to show, and no more.",
        "Somebody who asks me about \"{word}\" is sent to {place} as well.",
        "On \"{word}\", people get {place} from me too, and I add nothing to it.",
    ],
    [
        "On \"{word}\", I have nothing to weigh beyond {place}.",
        "I weigh \"{word}\" by the record at {place} too.",
        "The record at {place} is what I would weigh for \"{word}\", and I set nothing against it.",
        "I start to weigh \"{word}\" from {place} on the record as well.",
        "I put nothing of my own on the scales for \"{word}\" beside the record at {place}.",
    ],
    [
        "On \"{word}\", I offer no other exact wording beside {place}.",
        "The exact text that I go by on \"{word}\" is that of {place}, literally.",
        "I add no exact, literal wording on \"{word}\" to {place}.",
        "To the letter, I go by {place} on \"{word}\" too, and by no other exact line.",
        "I would check \"{word}\" literally against {place} too, to the letter.",
    ],
];

/// The ways to say so of the line `at`, filled in.
pub fn nothing_beside(speech: Speech, topic: &str, at: &str) -> Vec<String> {
    filled_in(speech, &NOTHING_BESIDE, at, "", topic)
}

/// What a second voice says where a first one found nothing.
const NONE_EITHER: [[&str; 3]; 3] = [
    [
        "On \"{word}\", I know of no line that people could read either.",
        "Nobody has told me more about \"{word}\" than the documents do.",
        "I have no words of people to go by on \"{word}\" either.",
    ],
    [
        "On \"{word}\", I find nothing on record either.",
        "I have nothing to weigh on \"{word}\" either.",
        "The record has no price and no risk for \"{word}\" either.",
    ],
    [
        "On \"{word}\", I find no exact wording in the documents either.",
        "I have no expected value for \"{word}\" either.",
        "Nothing is written on \"{word}\" that I could take to the letter.",
    ],
];

/// The ways to say so, filled in.
pub fn finds_none_either(speech: Speech, topic: &str) -> Vec<String> {
    filled_in(speech, &NONE_EITHER, "", "", topic)
}

/// The parts that a question asks to choose from, as the documents list them.
const ENUMERATES: [[&str; 3]; 3] = [
    [
        "On \"{word}\", what people can choose from is {quote}.",
        "On \"{word}\", people who look for them find {quote}.",
        "On \"{word}\", people who go through them read of {quote}.",
    ],
    [
        "On \"{word}\", what there is to weigh is {quote}.",
        "On record for \"{word}\" are {quote}.",
        "I weigh {quote}.",
    ],
    [
        "For \"{word}\", the literal text has {quote}.",
        "Word for word, \"{word}\" are {quote}.",
        "As written, \"{word}\" are {quote}.",
    ],
];

/// The ways to tell the parts one by one, filled in.
pub fn enumerates(speech: Speech, topic: &str, listed: &str) -> Vec<String> {
    filled_in(speech, &ENUMERATES, "", listed, topic)
}

/// What is said in passing is nothing for the item.
const LEAVES_OUT: [[&str; 2]; 3] = [
    [
        "\"{}\" is no matter of this item, so I keep it out of what people will read.",
        "I keep \"{}\" between the people at this table.",
    ],
    [
        "\"{}\" is nothing to weigh for this item, so I keep it off the record.",
        "No option hangs on \"{}\" here, so it stays off the record.",
    ],
    [
        "\"{}\" needs no test in this item, so I write nothing of it down.",
        "No exact wording is wanted on \"{}\" here, so I leave it out.",
    ],
];

/// The ways to say so.
pub fn leaves_out(speech: Speech, topic: &str) -> Vec<String> {
    let [analyst, architect, designer] = &LEAVES_OUT;
    let ways = speech.one_of(analyst, architect, designer);
    ways.iter().map(|way| way.replacen("{}", topic, 1)).collect()
}

/// Whether a sentence only shows a line, or says that there is no other: the document's own words are no insight of
/// who reads them out.
pub fn only_shows(sentence: &str) -> bool {
    static FORMS: LazyLock<Vec<Form>> = LazyLock::new(|| {
        let mut all = forms(&[&POINTS_AT]);
        all.extend(forms(&[&READS_BESIDE, &NEAREST]));
        all.extend(forms(&[&NOTHING_BESIDE]));
        all.extend(forms(&[&NONE_EITHER, &ENUMERATES]));
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
            let mut opens = std::collections::BTreeSet::new();
            for one in &said {
                let own = crate::discussion::words::unquoted(one).to_lowercase();
                for role in ["option", "price", "risk", "constraint", "contract", "test", "defined", "rule"] {
                    assert!(!own.contains(role), "{role}: {one}");
                }
                assert!(only_shows(one), "{one}");
                let more = format!("{}, beside spec.md line 9.", one.trim_end_matches('.'));
                assert!(only_shows(&more), "{more}");
                opens.insert(one.split(' ').next().unwrap_or_default().trim_matches('"'));
            }
            assert!(opens.len() >= 6, "{opens:?}");
            let mut none = nothing_beside(speech, "pump", "spec.md line 7");
            none.extend(finds_none_either(speech, "pump"));
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
            assert_eq!(shown(reads_beside(speech, "pump", at, said)), 0);
            assert!(leaves_out(speech, "weather").iter().all(|way| keeps_out(way)));
            assert!(!points_at(speech, "pump", at, said).iter().any(|way| keeps_out(way)));
        }
    }
}
