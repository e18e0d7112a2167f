//! Sentences, words, stems, the index and the patterns: what they make of texts.

use std::collections::BTreeSet;
use std::ops::Range;

use proptest::prelude::*;
use roundtable::text::index::Index;
use roundtable::text::pattern::Vocabulary;
use roundtable::text::rules::{Book, check};
use roundtable::text::{Language, Message, Origin, Place};

fn places(source: &str) -> Vec<(Place, &str)> {
    let message = Message::new(source, &Language::new("en"));
    message.sentences.iter().map(|sentence| (sentence.place, sentence.text)).collect()
}

#[test]
fn lines_belong_to_whoever_wrote_them() {
    use Place::{Code, Comment, Heading, Item, Prose, Quote, Table};
    assert_eq!(places("> old\n> text\nmine\ntoo"), [(Quote, "old\n> text"), (Prose, "mine\ntoo")]);
    assert_eq!(places("a\n```rs\nb\n```\nc"), [(Prose, "a"), (Code, "b"), (Prose, "c")]);
    assert_eq!(places("# A\nb\n\nC\n---\nd"), [(Heading, "A"), (Prose, "b"), (Heading, "C"), (Prose, "d")]);
    assert_eq!(places("- a\n  b\n- [x] c\n1. d"), [(Item, "a\n  b"), (Item, "c"), (Item, "d")]);
    assert_eq!(places("a <!-- b\nc --> d"), [(Prose, "a <!-- b"), (Comment, "c -->"), (Prose, "d")]);
    assert_eq!(places("<!-- b --> d"), [(Comment, "<!-- b -->"), (Prose, "d")]);
    assert_eq!(places("| a |\n| b |"), [(Table, "| a |"), (Table, "| b |")]);
    assert_eq!(
        places("a\n\n    log\n\n- b\n\n    c"),
        [(Prose, "a"), (Code, "log"), (Item, "b"), (Item, "c")]
    );
}

#[test]
fn a_task_says_whether_it_is_ticked() {
    let message = Message::new("- [ ] a\n- [x] b\n- c", &Language::new("en"));
    let tasks: Vec<_> = message.sentences.iter().map(|sentence| sentence.task).collect();
    assert_eq!(tasks, [Some(false), Some(true), None]);
}

fn set(stems: &[&str]) -> BTreeSet<String> {
    stems.iter().map(|stem| (*stem).to_owned()).collect()
}

#[test]
fn a_rare_word_counts_more_and_ties_keep_their_order() {
    let language = Language::new("en");
    let index = Index::new(["the boat", "the harbour", "the boat", "the ferries"], &language);
    let passages =
        |stems: &[&str]| index.find(&set(stems), 9).into_iter().map(|hit| hit.passage).collect::<Vec<_>>();
    assert_eq!(passages(&["the", "ferri"]), [3, 0, 1, 2]);
    assert_eq!(passages(&["boat"]), [0, 2]);
    assert_eq!(passages(&["plane"]), [0; 0]);
    assert!(index.weight("boat") > index.weight("the"));
    assert!(Index::new([], &language).find(&set(&["boat"]), 3).is_empty());
}

fn sentences(source: &str) -> Vec<String> {
    let message = Message::new(source, &Language::new("en"));
    message.sentences.iter().map(|sentence| sentence.text.to_owned()).collect()
}

#[test]
fn sentences_end_where_people_end_them() {
    for (source, wanted) in [
        ("One, e.g. Two. three 3.5 is fine! Four?", &["One, e.g. Two.", "three 3.5 is fine!", "Four?"][..]),
        ("A line\nAnother line", &["A line", "Another line"]),
        ("A line that is broken\nin the middle. B", &["A line that is broken\nin the middle.", "B"]),
        ("See `a. B` and http://x.org/a.B here. C", &["See `a. B` and http://x.org/a.B here.", "C"]),
        ("He wrote \"Stop. Now.\" and left. D", &["He wrote \"Stop. Now.\" and left.", "D"]),
        ("Use `a`. `b` is gone.", &["Use `a`.", "`b` is gone."]),
        ("- One\n- Two. Three", &["One", "Two.", "Three"]),
    ] {
        assert_eq!(sentences(source), wanted);
    }
}

#[test]
fn words_know_whose_they_are() {
    let message = Message::new("We’ll keep \"old names\" and `x y`, @Sam re-opens", &Language::new("en"));
    let words = &message.sentences[0].words;
    let of = |origin| {
        let found = words.iter().filter(|word| word.origin == origin && !word.is_mark);
        found.map(|word| word.lower.as_ref()).collect::<Vec<_>>()
    };
    assert_eq!(of(Origin::Own), ["we'll", "keep", "and", "@sam", "re", "opens"]);
    assert_eq!(of(Origin::Quoted), ["old", "names"]);
    assert_eq!(of(Origin::Code), ["x", "y"]);
    assert_eq!(words.last().map(|word| word.stem.as_ref()), Some("open"));
}

proptest! {
    #[test]
    fn everything_is_a_slice_of_the_source(source in "(\\PC|[-#>*`\"<!. \n\ta1A(@?]){0,200}") {
        let message = Message::new(&source, &Language::new("en"));
        let mut end = 0;
        for sentence in &message.sentences {
            prop_assert_eq!(&source[sentence.range.clone()], sentence.text);
            prop_assert!(sentence.range.start >= end);
            end = sentence.range.end;
            for word in &sentence.words {
                prop_assert!(source.get(word.range.clone()).is_some_and(|text| !text.is_empty()));
            }
        }
        let kept: String = message.sentences.iter().map(|sentence| sentence.text).collect();
        let letters = |text: &str| text.chars().filter(|found| found.is_alphabetic()).count();
        // Only the name of a fenced block's language is no sentence.
        prop_assert!(source.contains("```") || source.contains("~~~") || letters(&kept) == letters(&source));
    }
}

fn words() -> (Vocabulary, Language) {
    let (mut words, language) = (Vocabulary::new(), Language::new("en"));
    words.family("we", &["we".into(), "the (team|board)".into()], &language).unwrap();
    words.family("will", &["will".into(), "be~ going to".into()], &language).unwrap();
    (words, language)
}

/// The words of the match, and of its captures.
fn found(pattern: &str, text: &str) -> Option<(String, Vec<String>)> {
    let (mut words, language) = words();
    let pattern = words.compile(pattern, &language).unwrap();
    let message = Message::new(text, &language);
    let sentence = &message.sentences[0];
    let joined = |range: Range<usize>| {
        sentence.words[range].iter().map(|word| word.lower.as_ref()).collect::<Vec<_>>().join(" ")
    };
    let hit = pattern.find(&words.tokens(sentence))?;
    Some((joined(hit.range), hit.captures.into_iter().map(|(_, range)| joined(range)).collect()))
}

#[test]
fn every_form_matches_what_its_table_says() {
    for (pattern, text, wanted) in [
        ("keep", "We Keep it", Some("keep")),
        ("keep~", "We are keeping it", Some("keeping")),
        ("keep", "We are keeping it", None),
        ("keep *ing", "We keep asking", Some("keep asking")),
        ("keep !*ing", "We keep asking", None),
        ("<we> <will> drop~", "So the team will drop it", Some("the team will drop")),
        ("we (really|just do)? mean", "we just do mean it", Some("we just do mean")),
        ("no* way", "no no way", Some("no no way")),
        ("take _ out", "take this out", Some("take this out")),
        ("not ..2 sure", "not so very sure", Some("not so very sure")),
        ("not ..2 sure", "not, as I said, sure", None),
        ("not ..1 sure", "not so very sure", None),
        ("^ closing", "Closing this", Some("closing")),
        ("^ closing", "I am closing this", None),
        ("done $", "It is done.", Some("done")),
        ("done $", "It is done now.", None),
        ("decision : ", "Decision: drop it", Some("decision :")),
        ("keep", "He said \"keep it\" and `keep`", None),
        ("? $", "Is it so?", Some("?")),
        ("!even if", "even if so", None),
        ("!even if", "but if so", Some("but if")),
    ] {
        assert_eq!(found(pattern, text).map(|found| found.0).as_deref(), wanted, "{pattern} in {text}");
    }
}

#[test]
fn captures_hold_the_rest_or_a_few_words() {
    let found =
        found("let's use {what:3} because {why}", "OK, let's use one queue because it is, well, simple.");
    assert_eq!(found.unwrap().1, ["one queue", "it is , well , simple ."]);
}

#[test]
fn what_is_wrong_with_a_pattern_is_said() {
    let (mut words, language) = words();
    for (pattern, wanted) in [
        ("a)", "\")\" closes nothing"),
        ("(a|b c", "a bracket is not closed"),
        ("<wee>", "no family <wee>; did you mean \"we\"?"),
        ("..99", "\"99\" is no number of words from 1 to 20"),
        ("a-b", "\"a-b\" is no word, mark or form; write `x-y` as `x y`"),
        (" ", "an empty pattern"),
        ("(a|)", "an empty alternative; write `x?` for a part that may be missing"),
    ] {
        assert_eq!(words.compile(pattern, &language).unwrap_err().message, wanted);
    }
    let mut last = "a b".to_owned();
    let refused = (0..40).find(|number| {
        let name = format!("f{number}");
        let entry = std::mem::replace(&mut last, format!("<{name}> <{name}>"));
        words.family(&name, &[entry], &language).is_err()
    });
    assert!(refused.is_some());
}

proptest! {
    #[test]
    fn no_pattern_and_no_text_panics(pattern in "([a-c?*()|<>{}:.~^$_ 0-9]|<we>|\\.\\.3 ){0,30}", text in "[a-c ,.?]{1,60}") {
        let (mut words, language) = words();
        if let Ok(pattern) = words.compile(&pattern, &language) {
            for sentence in Message::new(&text, &language).sentences {
                pattern.find(&words.tokens(&sentence));
            }
        }
    }
}

const FAMILIES: &str = "families:\n  us: [<we>, one]\n  we: [we, \"the team\"]\n";
const RULES: &str = "unless: ['? $']\nrules:\n  - rule: drop\n    title: Something is dropped\n    \
     any: ['<us> drop~ {what}']\n    yes: [We drop it., The team dropped it., One drops it.]\n    no: [Do we drop it?]\n";

fn files<'f>(families: &'f str, rules: &'f str) -> [(&'f str, &'f str); 2] {
    [("en/families.yaml", families), ("en/decisions.yaml", rules)]
}

#[test]
fn rules_of_a_file_are_found_in_a_sentence() {
    assert_eq!(check(files(FAMILIES, RULES), "en"), []);
    let book = Book::read(files(FAMILIES, RULES), "en", &["decisions"]).unwrap();
    let message = Message::new("We dropped the parser. Did we drop it?", &book.language);
    let hits = |at: usize| {
        let tokens = book.tokens(&message.sentences[at]);
        book.hits("decisions", &tokens).iter().map(|hit| hit.found.captures.len()).collect::<Vec<_>>()
    };
    assert_eq!((hits(0), hits(1)), (vec![1], vec![]));
    assert_eq!(book.rules("questions").count(), 0);
}

#[test]
fn a_file_adds_to_another() {
    let own = RULES.replace("rule: drop", "rule: sell").replace("drop", "sell").replace("dropp", "sell");
    let own = own
        .replace("sellped", "sold")
        .replace("The team sold it.", "One is selling it.")
        .replace("sell~", "(is)? sell~");
    let all = files(FAMILIES, RULES).into_iter().chain([("en/decisions-ours.yaml", own.as_str())]);
    assert_eq!(check(all.clone(), "en"), []);
    let book = Book::read(all, "en", &["decisions"]).unwrap();
    let ids: Vec<&str> = book.rules("decisions").map(|rule| rule.id.as_str()).collect();
    assert_eq!(ids, ["sell", "drop"]);
}

#[test]
fn what_is_wrong_has_its_place() {
    for (families, rules, wanted) in [
        (
            FAMILIES,
            RULES.replace("<us> d", "<uss> d"),
            "en/decisions.yaml:5:12: no family <uss>; did you mean \"us\"?",
        ),
        (FAMILIES, RULES.replace("any:", "anny:"), "en/decisions.yaml:5:5: unknown key \"anny\""),
        (
            FAMILIES,
            RULES.replace("One drops", "One drips"),
            "en/decisions.yaml:6:46: the rule \"drop\" does not match",
        ),
        (
            FAMILIES,
            RULES.replace("Do we", "So we").replace("it?]", "it]"),
            "the rule \"drop\" matches this example",
        ),
        (
            FAMILIES,
            RULES.replace(", One drops it.", ""),
            "en/decisions.yaml:3:11: a rule has at least 3 examples",
        ),
        ("families:\n  we: [<us>]\n", RULES.to_owned(), "en/families.yaml:2:3: <we>: no family <us>"),
    ] {
        let found = check(files(families, &rules), "en");
        let shown = found
            .iter()
            .map(|found| format!("{}:{}:{}: {}", found.path, found.line, found.column, found.message));
        assert!(shown.clone().any(|shown| shown.contains(wanted)), "{:?}", shown.collect::<Vec<_>>());
    }
}
