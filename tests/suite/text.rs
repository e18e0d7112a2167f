//! Sentences, words, stems and the index: what they make of texts.

use std::collections::BTreeSet;

use proptest::prelude::*;
use roundtable::text::index::Index;
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
    let index = Index::new(["old boat", "old harbour", "old boat", "old ferries"]);
    let passages =
        |stems: &[&str]| index.find(&set(stems), 9).into_iter().map(|hit| hit.passage).collect::<Vec<_>>();
    assert_eq!(passages(&["old", "ferri"]), [3, 0, 1, 2]);
    assert_eq!(passages(&["boat"]), [0, 2]);
    assert_eq!(passages(&["plane"]), [0; 0]);
    assert!(index.weight("boat") > index.weight("old"));
    assert!(Index::new([]).find(&set(&["boat"]), 3).is_empty());
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
