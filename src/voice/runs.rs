//! What a text names, as runs of roots: a word, a figure with what it counts, a name in quotation marks.

use std::collections::BTreeSet;

use super::evidence::Evidence;
use super::naming::{is_unit, names_something};
use super::spoken::{verbs_for, with_times};
use crate::discussion::root::root;
use crate::discussion::words::{Word, is_number, is_significant, stem, words};

/// The roots of all words of a text, in order.
pub fn roots(text: &str) -> Vec<String> {
    let words = words(text);
    let mut found = Vec::with_capacity(words.len());
    for word in &words {
        found.extend(word.text.split('-').map(root));
    }
    found
}

/// How many of some roots a run of them takes that begins with the first: one more than its own, where a word
/// stands between a figure and what it counts ("3 working days").
pub(super) fn begins_with(roots: &[String], run: &[String]) -> Option<usize> {
    if roots.starts_with(run) {
        return Some(run.len());
    }
    let (unit, figure) = run.split_last().filter(|_| is_counted(run))?;
    let skipped = roots.starts_with(figure)
        && roots.get(run.len()) == Some(unit)
        && roots.get(figure.len()).is_some_and(|between| is_unit(between));
    skipped.then_some(run.len() + 1)
}

/// Whether roots have a run in them.
pub(super) fn has_run(roots: &[String], run: &[String]) -> bool {
    match run {
        [one] => roots.contains(one),
        _ => (0..roots.len()).any(|at| begins_with(&roots[at..], run).is_some()),
    }
}

/// Whether a run is a figure with what it counts.
pub(super) fn is_counted(run: &[String]) -> bool {
    let digits = |word: &String| word.bytes().all(|byte| byte.is_ascii_digit());
    run.len() > 1 && run.first().is_some_and(digits) && !run.last().is_some_and(digits)
}

/// What a text names: each telling word by its root, and each figure with the word behind it.
pub(super) fn runs(text: &str, evidence: &Evidence) -> Vec<(Vec<String>, String)> {
    let text = &with_times(text, evidence);
    let found = words(text);
    let counts = |at: usize| {
        let word = |back: usize| at.checked_sub(back).map(|at| found[at].text.as_ref());
        word(2) == Some("how") && matches!(word(1), Some("many" | "much"))
    };
    let label = (0..found.len()).any(|at| is_letter(text, &found[at])).then(|| evidence.label()).flatten();
    let digits =
        |at: usize| found.get(at).is_some_and(|word| word.text.bytes().all(|byte| byte.is_ascii_digit()));
    let mut all = quoted(text);
    let mut at = 0;
    while at < found.len() {
        if digits(at) {
            let from = at;
            while digits(at + 1) && found[at + 1].start - found[at].end <= 1 {
                at += 1;
            }
            // "60 movers", "1 GB", and a figure by itself where it is a long one or has parts.
            let unit = unit_at(text, &found, at).filter(|_| from != at || !is_year(&found[at].text));
            let mut run: Vec<String> = found[from..=at].iter().map(|word| word.text.to_string()).collect();
            run.extend(unit.map(root));
            if run.len() > 1 || run[0].len() > 2 {
                all.push((run, unit.map(|unit| stem(unit).into_owned()).unwrap_or_default()));
            }
        } else if let Some((figure, unit)) = found[at].text.split_once('-').filter(|(one, _)| is_number(one))
        {
            // "a 25-minute tour"
            all.push((vec![figure.to_owned(), root(unit)], stem(unit).into_owned()));
        } else if is_count(&found[at].text)
            && let Some(unit) = unit_at(text, &found, at)
        {
            // "two inspectors" are more than inspectors.
            all.push((vec![found[at].text.to_string(), root(unit)], stem(unit).into_owned()));
        } else if found[at].text == "second" && found.get(at + 1).is_some_and(|next| next.text == "time") {
            all.push((vec![root("repeat")], "repeat".to_owned()));
            at += 1;
        } else if is_letter(text, &found[at]) {
            // "Why not B?" is about Option B, where the documents have one.
            all.extend(
                label.iter().map(|label| (vec![label.clone(), found[at].text.to_string()], String::new())),
            );
        } else if let Some(letter) = found.get(at + 1).filter(|next| {
            is_letter(text, next)
                && names_something(&found[at].text)
                && label.as_ref().is_none_or(|label| *label == root(&found[at].text))
        }) {
            // "Option B" is one name.
            all.push((vec![root(&found[at].text), letter.text.to_string()], String::new()));
            at += 1;
        } else if let Some(number) = found.get(at + 1).filter(|next| {
            let short = next.text.len() <= 3 && next.text.bytes().all(|byte| byte.is_ascii_digit());
            short && text[found[at].end..next.start] == *" " && is_significant(&found[at].text)
        }) && !evidence.saying(&[root(&found[at].text), number.text.to_string()]).is_empty()
        {
            // "Site 9" is one of the sites.
            all.push((vec![root(&found[at].text), number.text.to_string()], String::new()));
            at += 1;
        } else if is_label(&found[at].text) {
            all.push((roots(&found[at].text), String::new()));
        } else if is_named(text, &found[at]) && !evidence.lines_of(&root(&found[at].text)).is_empty() {
            // "Go" is a name where it is written as one.
            all.push((vec![root(&found[at].text)], stem(&found[at].text).into_owned()));
        } else if names_something(&found[at].text) || counts(at) && is_significant(&found[at].text) {
            // "How many stops" counts stops, whatever else the word may be.
            let parts = found[at].text.split('-').filter(|part| names_something(part) || counts(at));
            all.extend(parts.map(|part| (vec![root(part)], stem(part).into_owned())));
        }
        at += 1;
    }
    for (first, verb) in verbs_for(text) {
        // "Logging in" logs nothing.
        let first = root(first);
        all.retain(|(run, _)| *run != [first.as_str()] || !evidence.lines_of(&first).is_empty());
        all.push((vec![root(verb)], verb.to_owned()));
    }
    let mut seen = BTreeSet::new();
    all.retain(|(run, _)| seen.insert(run.clone()));
    all
}

/// What a text names in quotation marks, each name as one run: "Receipt now".
fn quoted(text: &str) -> Vec<(Vec<String>, String)> {
    let marks = text.matches('"').count();
    let names = text.split('"').skip(1).step_by(2).take(marks / 2).map(roots);
    names.filter(|name| (2..=4).contains(&name.len())).map(|name| (name, String::new())).collect()
}

/// Whether a word is written as a name: with a capital that opens no sentence.
fn is_named(text: &str, word: &Word<'_>) -> bool {
    let before = text[..word.start].trim_end_matches([' ', '"', '“', '(']);
    let opens = before.is_empty() || before.ends_with(['.', '!', '?', ':', ';', '\n']);
    let own = text[word.start..].starts_with(char::is_uppercase);
    own && !opens && word.text != "i" && !word.text.starts_with("i'")
}

/// What a text writes as names, by their roots.
pub(super) fn named_in(text: &str) -> Vec<String> {
    words(text).iter().filter(|word| is_named(text, word)).map(|word| root(&word.text)).collect()
}

/// Whether a word is a small number, written out.
fn is_count(word: &str) -> bool {
    word != "one" && word != "zero" && !word.starts_with(|c: char| c.is_ascii_digit()) && is_number(word)
}

/// Whether a word is a capital letter that tells one of several: "B", and not "A" or "I".
fn is_letter(text: &str, word: &Word<'_>) -> bool {
    word.text.len() == 1
        && text[word.start..].starts_with(|c: char| c.is_ascii_uppercase() && c != 'A' && c != 'I')
}

/// What the figure at a place counts: the next word, or the one behind it where that is the plural ("3 working
/// days").
fn unit_at<'w>(text: &str, found: &'w [Word<'_>], at: usize) -> Option<&'w str> {
    let next = |at: usize| {
        let next = found.get(at + 1).filter(|next| &text[found[at].end..next.start] == " ")?;
        is_unit(&next.text).then_some(next.text.as_ref())
    };
    let first = next(at)?;
    let plural = |word: &&str| stem(word).len() < word.len();
    let second = next(at + 1).filter(|second| !plural(&first) && plural(second));
    Some(second.unwrap_or(first))
}

/// Whether a word is the name of one of several: "PL-06", "R1", "G3".
pub(super) fn is_label(word: &str) -> bool {
    let digits = word.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let (letters, digits) = (word.len() - digits.len(), digits.trim_start_matches('-'));
    (1..=4).contains(&letters) && !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_year(word: &str) -> bool {
    word.len() == 4 && (word.starts_with("19") || word.starts_with("20"))
}

/// The telling words that two texts share, by their roots; numbers are none.
pub fn shared_nouns(a: &str, b: &str) -> Vec<String> {
    let of = |text: &str| -> BTreeSet<String> {
        let words = words(text);
        let telling = words.iter().filter(|word| is_significant(&word.text) && names_something(&word.text));
        telling.map(|word| root(&word.text)).collect()
    };
    of(a).intersection(&of(b)).cloned().collect()
}
