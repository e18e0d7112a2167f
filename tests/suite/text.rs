//! Sentences, words, blocks and the index: what they make of texts.

use std::collections::BTreeSet;

use proptest::prelude::*;
use roundtable::text::blocks::blocks;
use roundtable::text::index::Index;
use roundtable::text::sentences::sentences;
use roundtable::text::words::words;

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

#[test]
fn sentences_end_where_people_end_them() {
    for (source, wanted) in [
        ("One, e.g. Two. Three 3.5 is fine! Four?", &["One, e.g. Two.", "Three 3.5 is fine!", "Four?"][..]),
        ("A line\nAnother line", &["A line", "Another line"]),
        ("See http://x.org/a.B here. C", &["See http://x.org/a.B here.", "C"]),
        ("He wrote \"Stop. Now.\" and left. D", &["He wrote \"Stop. Now.\" and left.", "D"]),
    ] {
        assert_eq!(sentences(source), wanted);
    }
}

proptest! {
    #[test]
    fn everything_is_a_slice_of_the_source(source in "(\\PC|[-#>*`\"<!. \n\ta1A(@?]){0,200}") {
        let place = |slice: &str| slice.as_ptr() as usize - source.as_ptr() as usize;
        let mut end = 0;
        for sentence in sentences(&source) {
            prop_assert!(!sentence.is_empty() && place(sentence) >= end);
            end = place(sentence) + sentence.len();
        }
        let letters = |text: &str| text.chars().filter(|found| found.is_alphabetic()).count();
        prop_assert_eq!(sentences(&source).into_iter().map(letters).sum::<usize>(), letters(&source));
        for word in words(&source) {
            prop_assert!(source.get(word.start..word.end).is_some_and(|text| !text.is_empty()));
        }
        let mut end = 0;
        for block in blocks(&source, 0) {
            prop_assert!(block.range.start >= end && !source[block.range.clone()].is_empty());
            end = block.range.end;
        }
    }
}
