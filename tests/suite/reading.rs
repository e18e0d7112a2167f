//! The reading test: discussions on varied items (`tests/reading/`, a folder an item), judged by what
//! makes them worth reading. `cargo test reading -- --nocapture` prints the report.
//!
//! | measure | what it counts |
//! | --- | --- |
//! | distinguishability | contributions of one half of the items whose persona a classifier trained on the other half tells, names and prefixes removed |
//! | specificity | contributions that name words standing in the item or in what the user said |
//! | repetition | sentences said twice in a discussion, contributions said in two |
//! | redirects | of messages marked by hand: redirects that are right, and drifts that are seen |
//! | decisions | marked decisions that the synthesis holds |

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use roundtable::discussion::Discussion;
use roundtable::discussion::event::{Class, Event};
use roundtable::library::Library;
use roundtable::script::Script;
use roundtable::session::hold;
use roundtable::step::Depth;
use roundtable::voice::evidence::Evidence;
use roundtable::voice::offline::Offline;

use crate::machine::{opened_for, time};

#[derive(serde::Deserialize)]
struct Item {
    name: String,
    step: String,
    inputs: Vec<Option<String>>,
    decisions: Vec<Decided>,
    drift: Vec<Drifting>,
    #[serde(skip)]
    slug: String,
    #[serde(skip)]
    documents: Vec<(String, String)>,
}

#[derive(serde::Deserialize)]
struct Decided {
    contains: String,
}

#[derive(serde::Deserialize)]
struct Drifting {
    text: String,
    belongs: Option<String>,
}

fn items() -> Vec<Item> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reading");
    let mut folders: Vec<_> = std::fs::read_dir(root).unwrap().flatten().map(|entry| entry.path()).collect();
    folders.sort();
    let mut found = Vec::new();
    for folder in folders.iter().filter(|folder| folder.is_dir()) {
        let text = std::fs::read_to_string(folder.join("item.yaml")).unwrap();
        let mut item: Item =
            serde_yaml::from_str(&text).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
        item.slug = folder.file_name().unwrap().to_string_lossy().into_owned();
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name != "item.yaml" {
                item.documents.push((name, std::fs::read_to_string(entry.path()).unwrap()));
            }
        }
        item.documents.sort();
        found.push(item);
    }
    found
}

/// The discussion of an item, as the offline voice holds it.
fn held<'l>(library: &'l Library, item: &Item) -> Discussion<'l> {
    let step = library.step(&item.step).unwrap_or_else(|error| panic!("{}: {error}", item.slug));
    let first = opened_for(library, &item.step, 30, "offline", &item.name);
    let mut talk = Discussion::open(library, step, first).unwrap();
    let inputs = serde_json::json!({ "inputs": item.inputs }).to_string();
    let mut script = Script::read("s.json", inputs.as_bytes()).unwrap();
    let documents = item.documents.iter().map(|(name, text)| (name.as_str(), text.as_str()));
    let mut voice = Offline::new(Evidence::new(documents, &step.outputs), Depth::Standard);
    hold(&mut talk, None, &mut voice, &mut script, &time, &mut |_| Ok(())).unwrap();
    talk
}

/// The words of a text in lower case, without the names of the three and without numbers.
fn features(text: &str) -> Vec<String> {
    let text = text.to_lowercase();
    let words = text.split(|c: char| !c.is_alphabetic() && c != '\'').map(|word| word.trim_matches('\''));
    let names = ["maya", "alex", "jordan", "chen", "rivera", "park", "maya's", "alex's", "jordan's"];
    words.filter(|word| word.len() > 1 && !names.contains(word)).map(str::to_owned).collect()
}

/// The words and pairs of words that are a persona's own: what stands in quotation marks, and the names of documents,
/// are the item's.
fn own(text: &str) -> Vec<String> {
    let own = text.split('"').step_by(2).collect::<Vec<_>>().join(" ");
    let is_file = |word: &str| word.contains('.') && !word.ends_with(['.', '?', ':']);
    let own: Vec<&str> = own.split_whitespace().filter(|word| !is_file(word)).collect();
    let mut found = features(&own.join(" "));
    let pairs: Vec<String> = found.windows(2).map(|pair| pair.join(" ")).collect();
    found.extend(pairs);
    found
}

/// A naive Bayes classifier over words and pairs of them, by persona.
#[derive(Default)]
struct Bayes {
    counts: BTreeMap<String, BTreeMap<String, f64>>,
    totals: BTreeMap<String, f64>,
    words: BTreeSet<String>,
}

impl Bayes {
    fn learn(&mut self, persona: &str, text: &str) {
        for word in own(text) {
            *self.counts.entry(persona.to_owned()).or_default().entry(word.clone()).or_default() += 1.0;
            *self.totals.entry(persona.to_owned()).or_default() += 1.0;
            self.words.insert(word);
        }
    }

    fn tell(&self, text: &str) -> String {
        let score = |persona: &String| -> f64 {
            let all = self.totals[persona] + self.words.len() as f64;
            let known = &self.counts[persona];
            own(text).iter().map(|word| ((known.get(word).unwrap_or(&0.0) + 1.0) / all).ln()).sum()
        };
        self.totals.keys().max_by(|a, b| score(a).total_cmp(&score(b))).unwrap().clone()
    }
}

/// What stands between quotation marks, and names of documents with a line.
fn named(text: &str) -> Vec<String> {
    text.split('"')
        .skip(1)
        .step_by(2)
        .map(|quoted| quoted.trim_matches(['…', '.', '?', '!', ' ']).to_lowercase())
        .collect()
}

fn is_specific(text: &str, item: &Item, said: &str) -> bool {
    let documents: String =
        item.documents.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join("\n");
    let flat = |text: &str| -> String {
        let text: String =
            text.to_lowercase().chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let (documents, said) = (flat(&documents), flat(said));
    let stands = |words: &str| {
        let words = flat(words);
        !words.is_empty() && (documents.contains(&words) || said.contains(&words))
    };
    let at_line = item.documents.iter().any(|(name, _)| text.contains(&format!("{name} line ")));
    at_line || named(text).iter().any(|quoted| stands(quoted))
}

fn percent(part: usize, whole: usize) -> usize {
    (part * 100).checked_div(whole).unwrap_or(100)
}

#[test]
#[allow(clippy::print_stdout)]
fn discussions_are_worth_reading() {
    let library = Library::built_in().unwrap();
    let items = items();
    assert!(items.len() >= 20, "{} items", items.len());
    let talks: Vec<Discussion<'_>> = items.iter().map(|item| held(&library, item)).collect();
    let (mut wrong, mut told, mut all) = (Vec::new(), 0, 0);
    for half in [0, 1] {
        let mut bayes = Bayes::default();
        for (_, talk) in talks.iter().enumerate().filter(|(at, _)| at % 2 == half) {
            talk.contributions().for_each(|said| bayes.learn(&said.by, &said.text));
        }
        for (at, talk) in talks.iter().enumerate().filter(|(at, _)| at % 2 != half) {
            for said in talk.contributions() {
                all += 1;
                let guess = bayes.tell(&said.text);
                if guess == said.by {
                    told += 1;
                } else {
                    wrong.push(format!("{}: {} taken for {guess}: {}", items[at].slug, said.by, said.text));
                }
            }
        }
    }
    let (mut specific, mut vague) = (0, Vec::new());
    let (mut repeated, mut elsewhere) = (Vec::new(), BTreeMap::<String, Vec<&str>>::new());
    let mut lost = Vec::new();
    let mut decisions = 0;
    for (item, talk) in items.iter().zip(&talks) {
        let mut said = String::new();
        let mut sentences: BTreeSet<String> = BTreeSet::new();
        for record in talk.log() {
            match &record.event {
                Event::User(message) => said.push_str(&format!("{}\n", message.text)),
                Event::Contribution(line) => {
                    if is_specific(&line.text, item, &said) {
                        specific += 1;
                    } else {
                        vague.push(format!("{}: {}: {}", item.slug, line.by, line.text));
                    }
                    for sentence in roundtable::discussion::extract::sentences(&line.text) {
                        if sentence.split(' ').count() > 4 && !sentences.insert(sentence.clone()) {
                            repeated.push(format!("{}: {sentence}", item.slug));
                        }
                    }
                    elsewhere.entry(line.text.clone()).or_default().push(&item.slug);
                }
                _ => {}
            }
        }
        let summary = talk.log().iter().find_map(|record| match &record.event {
            Event::Synthesis(summary) => Some(summary),
            _ => None,
        });
        let held: String = summary.map_or(String::new(), |summary| {
            summary.decisions.iter().map(|one| format!("{} {}\n", one.text, one.rationale)).collect()
        });
        for marked in &item.decisions {
            decisions += 1;
            // The words that decide may be taken off: what is decided counts.
            let verbs = ["decided", "agreed", "settled", "choose", "against"];
            let held = held.to_lowercase();
            let wanted: Vec<String> = features(&marked.contains)
                .into_iter()
                .filter(|word| word.len() > 3 && !verbs.contains(&word.as_str()))
                .collect();
            let one = held.lines().any(|line| wanted.iter().all(|word| line.contains(word.as_str())));
            if !one {
                lost.push(format!("{}: \"{}\" is not in: {held}", item.slug, marked.contains));
            }
        }
    }
    let (mut right, mut redirected, mut drifts, mut mistaken, mut missed) = (0, 0, 0, Vec::new(), Vec::new());
    for item in &items {
        for message in &item.drift {
            let talk = held_open(&library, item);
            let heard = talk.hear("Sam", &message.text);
            let is_redirected = heard.class == Class::OffTopic;
            drifts += usize::from(message.belongs.is_some());
            redirected += usize::from(is_redirected);
            let where_to = is_redirected.then(|| talk.drift_of(&message.text)).flatten();
            match (&message.belongs, where_to) {
                (Some(wanted), Some(found)) if *wanted == found => right += 1,
                (_, Some(found)) => {
                    mistaken.push(format!(
                        "{} ({}): to {found}, not {:?}: {}",
                        item.slug, item.step, message.belongs, message.text
                    ));
                }
                (Some(wanted), None) => {
                    missed.push(format!("{} ({}): {wanted}: {}", item.slug, item.step, message.text))
                }
                (None, None) => {}
            }
        }
    }
    let contributions: usize = talks.iter().map(|talk| talk.contributions().count()).sum();
    let twice: Vec<_> = elsewhere.iter().filter(|(_, slugs)| slugs.len() > 1).collect();
    println!("{} items, {contributions} contributions", items.len());
    println!("distinguishability  {} % ({told} of {all})", percent(told, all));
    println!("specificity         {} %", percent(specific, contributions));
    println!(
        "repetition          {} sentences said twice in a discussion, {} contributions in two",
        repeated.len(),
        twice.len()
    );
    println!(
        "redirects           precision {} % ({right} of {redirected}), recall {} % (of {drifts})",
        percent(right, redirected),
        percent(right, drifts)
    );
    println!("decisions           {} % of {decisions}", percent(decisions - lost.len(), decisions));
    for (what, list) in [
        ("taken for another", &wrong),
        ("vague", &vague),
        ("said twice", &repeated),
        ("lost", &lost),
        ("redirected wrongly", &mistaken),
        ("missed", &missed),
    ] {
        for one in list {
            println!("{what}: {one}");
        }
    }
    for (text, slugs) in &twice {
        println!("in {slugs:?}: {text}");
    }
    assert!(told * 100 >= all * 95, "distinguishability {} %", percent(told, all));
    assert!(specific * 100 >= contributions * 90, "specificity {} %", percent(specific, contributions));
    assert_eq!(repeated, Vec::<String>::new());
    assert_eq!(twice.len(), 0);
    assert_eq!(lost, Vec::<String>::new());
    assert!(right * 100 >= redirected * 95, "redirect precision {} %", percent(right, redirected));
}

/// An item's discussion at its beginning.
fn held_open<'l>(library: &'l Library, item: &Item) -> Discussion<'l> {
    let step = library.step(&item.step).unwrap();
    Discussion::open(library, step, opened_for(library, &item.step, 30, "offline", &item.name)).unwrap()
}
