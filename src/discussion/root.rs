//! What the forms of a word have in common, in English and as far as an umlaut tells it in German.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use foldhash::fast::RandomState;

use super::words::stem;

/// Forms that no ending tells, behind the word whose forms they are.
const FORMS: &str = "\
    begin began begun, break broke broken, bring brought, build built, buy bought, catch caught, \
    choose chose chosen, drive drove driven, eat ate eaten, fall fell fallen, feel felt, fly flew flown, \
    forget forgot forgotten, freeze froze frozen, give gave given, grow grew grown, hear heard, hold held, \
    keep kept, know knew known, lend lent, lose lost loss, meet met, pay paid payment, ride rode ridden, \
    ring rang rung, run ran, say said, see saw seen, seek sought, sell sold, send sent, sleep slept, \
    speak spoke spoken, spend spent, stand stood, steal stole stolen, take took taken, teach taught, \
    tell told, think thought, throw threw thrown, wear wore worn, win won, write wrote written";

/// The word whose form a word is, where no ending tells.
fn base(form: &str) -> Option<&'static str> {
    static BASES: LazyLock<HashMap<&str, &str, RandomState>> = LazyLock::new(|| {
        let words = FORMS.split(", ").filter_map(|words| words.split_once(' '));
        words.flat_map(|(base, forms)| forms.split(' ').map(move |form| (form, base))).collect()
    });
    BASES.get(form).copied()
}

/// Endings that are taken off, by their last letter, the longer ones first.
const fn endings(last: u8) -> &'static [&'static str] {
    match last {
        b's' => &["ications", "ations", "ments", "ness"],
        b'n' => &["ication", "ation", "ion"],
        b'y' => &["ically", "ally", "ly"],
        b'l' => &["ical", "al"],
        b't' => &["ment"],
        b'e' => &["able", "ure", "e"],
        b'g' => &["ing"],
        b'd' => &["ed"],
        b'r' => &["er", "or"],
        b'c' => &["ic"],
        _ => &[],
    }
}

/// What the forms of a word have in common, near enough to find one by another: "encryption", "encrypts" and
/// "encrypted" are all found by "encrypt".
pub fn root(word: &str) -> String {
    let word = stem(word);
    if !word.is_ascii() {
        return without_inflection(&word);
    }
    let word = match word {
        Cow::Borrowed(word) => {
            Cow::Borrowed(word.strip_suffix('n').filter(|rest| rest.ends_with("ie")).unwrap_or(word))
        }
        word => word,
    };
    let word = adjective(base(&word).map_or(word, Cow::Borrowed));
    let mut left: &str = &word;
    for _ in 0..2 {
        let ends = endings(left.bytes().last().unwrap_or_default()).iter();
        // Letter by letter from the end: most are told apart by the second.
        let bytes = left.as_bytes();
        let shorter = ends.copied().find_map(|ending| {
            let (rest, ending) = (bytes.len().checked_sub(ending.len())?, ending.as_bytes());
            let ends = rest >= 4 && (rest..bytes.len()).rev().all(|at| bytes[at] == ending[at - rest]);
            ends.then(|| &left[..rest])
        });
        let Some(shorter) = shorter else { break };
        // "Travelling" is "traveling" elsewhere, and "running" is of "run".
        let verb = left.ends_with("ing") || left.ends_with("ed");
        left = match shorter.as_bytes() {
            [.., b'e', b'l', b'l'] if shorter.len() > 5 => &shorter[..shorter.len() - 1],
            [_, _, a, b] if verb && a == b && !matches!(b, b's' | b'l' | b'e' | b'o' | b'z') => &shorter[..3],
            _ => undoubled(shorter),
        };
    }
    match left.strip_suffix('i') {
        Some(rest) => format!("{rest}y"),
        None => left.to_owned(),
    }
}

/// A German word, told by its umlaut, without what it is inflected by: "ändert" and "ändern" are one, and so are
/// "Gebühr" and "Gebühren".
fn without_inflection(word: &str) -> String {
    let ends =
        ["ungen", "ung", "erten", "ern", "ert", "est", "et", "en", "em", "er", "es", "te", "t", "n", "e"];
    let left = ends.iter().find_map(|end| word.strip_suffix(end).filter(|rest| rest.chars().count() > 2));
    left.unwrap_or(word).to_owned()
}

/// "absence" as "absent", "tolerance" as "tolerant": the one names what the other says.
fn adjective(word: Cow<'_, str>) -> Cow<'_, str> {
    match word.as_bytes() {
        [head @ .., vowel @ (b'e' | b'a'), b'n', b'c', b'e' | b'y'] if head.len() > 2 => {
            let ending = if *vowel == b'e' { "ent" } else { "ant" };
            Cow::Owned([&word[..head.len()], ending].concat())
        }
        _ => word,
    }
}

/// "plann" as "plan".
fn undoubled(word: &str) -> &str {
    let bytes = word.as_bytes();
    match bytes {
        [.., a, b] if a == b && !matches!(b, b's' | b'l' | b'e' | b'o') && bytes.len() > 4 => {
            &word[..word.len() - 1]
        }
        _ => word,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_have_one_root() {
        for forms in [
            ["encrypt", "encryption", "encrypted"],
            ["approve", "approving", "approval"],
            ["plan", "planner", "planned"],
            ["travel", "travelling", "travels"],
            ["cancel", "cancelled", "cancellation"],
            ["log", "logging", "logged"],
            ["fail", "failure", "failed"],
            ["pay", "paid", "payment"],
            ["delete", "deletion", "deletes"],
        ] {
            assert!(forms.iter().all(|form| root(form) == root(forms[0])), "{forms:?} {:?}", forms.map(root));
        }
    }

    #[test]
    fn a_form_that_no_ending_tells_has_the_root_of_its_word() {
        for (one, other) in [
            ("sees", "seen"),
            ("absence", "absent"),
            ("tolerances", "tolerant"),
            ("chosen", "choose"),
            ("stolen", "steals"),
            ("frozen", "freezing"),
        ] {
            assert_eq!(root(one), root(other), "{one}, {other}");
        }
    }

    #[test]
    fn forms_of_a_german_word_have_one_root() {
        for (one, other) in
            [("ändern", "ändert"), ("Gebühr", "Gebühren"), ("allergie", "allergien"), ("kinder", "kind")]
        {
            assert_eq!(root(&one.to_lowercase()), root(&other.to_lowercase()), "{one}, {other}");
        }
    }
}
