//! The rules of a line, held against planted breaches and against lines that an honest voice might say.
//!
//! The lines are data (`guards/*.yaml`); how many breaches pass and how many honest lines are taken is counted, and has a
//! floor; a failure shows those on the wrong side.

use std::collections::BTreeMap;
use std::rc::Rc;

use roundtable::discussion::Discussion;
use roundtable::discussion::event::{Contribution, Event, Record, Rest};
use roundtable::item::library::Library;
use roundtable::run::session::Judge;
use roundtable::voice::Line;
use roundtable::voice::basis::Basis;
use roundtable::voice::names::Codebase;
use roundtable::voice::own_text;
use roundtable::voice::rules::Breach;
use roundtable::voice::sources::{Excerpt, Sources};
use serde::Deserialize;

use crate::machine::{opened, time};

/// Of a hundred planted breaches so many may pass, and of a hundred honest lines so many must be taken at the first try.
const MAX_PASSED_PERCENT: usize = 5;
const MIN_TAKEN_PERCENT: usize = 95;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Guards {
    documents: BTreeMap<String, String>,
    /// Files of the repository that the voice was given to read.
    evidence: BTreeMap<String, String>,
    /// Files of the repository that it was not given.
    files: BTreeMap<String, String>,
    said: Vec<Said>,
    breaches: Vec<Said>,
    honest: Vec<Said>,
}

/// The files of a repository, in memory.
#[derive(Clone)]
struct Shelf(BTreeMap<String, String>);

impl Codebase for Shelf {
    fn has_file(&self, path: &str) -> bool {
        self.0.keys().any(|known| known.ends_with(path))
    }

    fn is_file_name(&self, word: &str) -> bool {
        let ending = |name: &str| name.rsplit_once('.').map(|(_, ending)| ending.to_owned());
        ending(word).is_some_and(|own| self.0.keys().any(|known| ending(known).as_ref() == Some(&own)))
    }

    fn text(&self, path: &str) -> Option<String> {
        self.0.iter().find(|(known, _)| known.ends_with(path)).map(|(_, text)| text.clone())
    }

    fn blocks_with(&self, name: &str) -> Vec<String> {
        self.0.values().flat_map(|text| own_text::of_name(text, name)).map(str::to_owned).collect()
    }

    fn has_commit(&self, _: &str) -> bool {
        false
    }
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Said {
    by: String,
    text: String,
    #[serde(default)]
    rests: Vec<Rest>,
}

/// The discussion in which the lines are said.
fn talk<'l>(library: &'l Library, said: &[Said]) -> Discussion<'l> {
    let step = library.step("01-03").unwrap();
    let mut talk = Discussion::open(library, step, opened(library, "01-03", 40, "told")).unwrap();
    for one in said {
        let event = match one.by.as_str() {
            "user" => Event::User(talk.hear("Sam", &one.text)),
            _ => {
                let cue = talk.waiting().find(|cue| cue.persona == one.by).unwrap().clone();
                Event::Contribution(Contribution {
                    turn: talk.turn_count() + 1,
                    by: cue.persona,
                    voice: None,
                    purpose: cue.purpose,
                    text: one.text.clone(),
                    rests: Vec::new(),
                    is_closest: false,
                    rule: None,
                    position: None,
                    points: Vec::new(),
                    proposal: None,
                    absent: Vec::new(),
                })
            }
        };
        talk.record(Record { at: time(), event }).unwrap();
    }
    talk
}

/// Of each line what it breaks: hard rules alone.
fn judged(guards: &Guards, lines: &[Said]) -> Vec<Vec<Breach>> {
    let library = Library::built_in().unwrap();
    let talk = talk(&library, &guards.said);
    let forms = library.forms();
    let piece =
        |(path, text): (&String, &String)| Excerpt { path: path.clone(), line: 1, text: text.clone() };
    let evidence: Vec<Excerpt> = guards.evidence.iter().map(piece).collect();
    let documents = guards.documents.iter().map(|(path, text)| (path.as_str(), text.as_str()));
    let sources = Sources::new(documents, &evidence);
    let mut files = guards.files.clone();
    files.extend(guards.evidence.clone());
    files.extend(guards.documents.iter().map(|(name, text)| (format!("docs/item/{name}"), text.clone())));
    let basis = Basis { sources: Some(&sources), code: Some(Rc::new(Shelf(files))), ..Basis::default() };
    let judge = Judge { basis, forms };
    let judged = |one: &Said| {
        let line = Line { rests: one.rests.clone(), ..Line::plain(one.text.clone()) };
        let persona = library.cast.get(&one.by).unwrap();
        let (_, breaches) = judge.judge(line, persona, &talk, &[]);
        breaches.into_iter().filter(Breach::is_hard).collect()
    };
    lines.iter().map(judged).collect()
}

/// How many breaches and honest lines a file has; those on the wrong side are few.
fn counted(name: &str, text: &str) -> (usize, usize) {
    let guards: Guards = serde_yaml::from_str(text).unwrap();
    let (breaches, honest) = (guards.breaches.len(), guards.honest.len());
    let judged_breaches = judged(&guards, &guards.breaches);
    let of_breaches = guards.breaches.iter().zip(judged_breaches);
    let passed: Vec<&str> =
        of_breaches.filter(|(_, found)| found.is_empty()).map(|(one, _)| one.text.as_str()).collect();
    let judged_honest = judged(&guards, &guards.honest);
    let refused: Vec<String> = judged_honest.iter().flatten().map(|breach| breach.reason()).collect();
    let taken = judged_honest.iter().filter(|found| found.is_empty()).count();
    assert!(passed.len() * 100 <= breaches * MAX_PASSED_PERCENT, "{name}: passed: {passed:#?}");
    assert!(taken * 100 >= honest * MIN_TAKEN_PERCENT, "{name}: refused: {refused:#?}");
    (breaches, honest)
}

#[test]
fn planted_breaches_are_refused_and_honest_lines_are_taken() {
    assert_eq!(counted("tablets", include_str!("guards/tablets.yaml")), (60, 60));
    assert_eq!(counted("lending", include_str!("guards/lending.yaml")), (30, 30));
}
