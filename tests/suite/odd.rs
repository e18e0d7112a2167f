//! Odd items, through the whole program: another language, a table alone, an empty file, 5 MB. What is said is
//! sensible: every quotation stands somewhere, every place is there, and the addition lands.

use std::collections::BTreeMap;

use roundtable::discussion::Discussion;
use roundtable::item::library::Library;
use roundtable::item::step::Depth;
use roundtable::run::script::Script;
use roundtable::run::session::hold;
use roundtable::voice::SECRETARY;
use roundtable::voice::secretary::Secretary;

use crate::kit::{BRANCH, ITEM, empty};
use crate::machine::{opened_for, time};

const META: &str = "{\"slug\": \"offline-mode\", \"source_description\": \"odd things\"}\n";

fn flat(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
    text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Holds a discussion on an item of these documents; the log, and what is written.
fn held(step: &str, documents: &[(&str, &str)], said: &[&str]) -> (Vec<serde_json::Value>, String) {
    let sandbox = empty();
    let paths: Vec<String> = documents.iter().map(|(name, _)| format!("{ITEM}/{name}")).collect();
    let mut files: Vec<(&str, &str)> =
        paths.iter().map(String::as_str).zip(documents.iter().map(|(_, text)| *text)).collect();
    let meta = format!("{ITEM}/meta.json");
    files.push((&meta, META));
    sandbox.commit(&files);
    let script = sandbox.script("said.txt", format!("{}\ndone\n", said.join("\n")));
    let run = sandbox
        .run(&[
            "elaborate",
            "offline-mode",
            "--step",
            step,
            "--script",
            &script,
            "--branch",
            BRANCH,
            "--at",
            crate::kit::AT,
            "--max-turns",
            "30",
        ])
        .ok();
    (sandbox.events(), run.stdout)
}

/// Everything that may be quoted: documents, what was said before, and what the step asks.
fn is_grounded(log: &[serde_json::Value], step: &str, documents: &[(&str, &str)]) {
    let library = Library::built_in().unwrap();
    let step = library.step(step).unwrap();
    let asked = [&step.standard, &step.deep, &step.validation]
        .into_iter()
        .flatten()
        .cloned()
        .collect::<Vec<_>>()
        .join("\n");
    let mut known = flat(&format!("{asked} {} {}", step.title, step.brief));
    let lines: BTreeMap<&str, usize> =
        documents.iter().map(|(name, text)| (*name, text.lines().count())).collect();
    documents.iter().for_each(|(_, text)| known.push_str(&format!(" {}", flat(text))));
    for event in log {
        let text = event["text"].as_str().unwrap_or_default();
        if event["kind"] == "contribution" {
            for quoted in text.split('"').skip(1).step_by(2) {
                // A word may be cut, and cells of a row are joined by commas.
                let whole = flat(quoted.trim_matches('…'));
                let known_words = whole.split(' ').filter(|word| known.contains(word)).count();
                let all = whole.split(' ').count();
                assert!(known.contains(&whole) || known_words == all, "not in the item: {quoted} in {text}");
            }
            for (at, found) in text.match_indices(" line ") {
                let number =
                    text[at + found.len()..].chars().take_while(char::is_ascii_digit).collect::<String>();
                let name = text[..at].rsplit([' ', '(', '"']).next().unwrap();
                if let (Some(count), Ok(number)) = (lines.get(name), number.parse::<usize>()) {
                    assert!((1..=*count).contains(&number), "{name} has no line {number}: {text}");
                }
            }
        }
        known.push_str(&format!(" {}", flat(text)));
    }
}

fn contributions(log: &[serde_json::Value]) -> usize {
    log.iter().filter(|event| event["kind"] == "contribution").count()
}

#[test]
fn an_item_in_japanese_is_quoted_in_japanese() {
    let text = "# 要件\n\n検査員は地下室で点検を記録する。通信がなくても保存できること。\n同期は速くなければならない。\n\n| 番号 | 目標 |\n|---|---|\n| NFR-1 | 3 秒以内 |\n";
    let documents = [("requirements-spec.md", text)];
    let (log, told) =
        held("01-03", &documents, &["同期が失敗したらどうなりますか?", "三回まで再試行します。"]);
    is_grounded(&log, "01-03", &documents);
    assert!(contributions(&log) >= 4, "{told}");
    assert!(told.contains("requirements-spec.md"), "{told}");
}

#[test]
fn an_item_in_german_is_quoted_in_german_and_its_decision_is_kept() {
    let text = "# Anforderungen\n\nDie Hausverwaltung vergibt Stellplätze nach Wartezeit. Wer umzieht, verliert den Platz nach\nspätestens vier Wochen.\n\n- Gäste dürfen abends auf freien Plätzen stehen\n";
    let documents = [("requirements-spec.md", text)];
    let (log, told) = held(
        "01-02",
        &documents,
        &[
            "Was passiert mit dem Platz, wenn jemand umzieht?",
            "Wir haben beschlossen, dass Gäste sich anmelden.",
        ],
    );
    is_grounded(&log, "01-02", &documents);
    assert!(told.contains("Gäste sich anmelden"), "{told}");
    // The wrapped sentence is one, at the line where it begins.
    assert!(told.contains("Wer umzieht, verliert den Platz nach"), "{told}");
}

#[test]
fn an_item_that_is_only_a_table_speaks_of_its_rows() {
    let text = "| ID | Quality | Number | Owner |\n|---|---|---|---|\n| NFR-001 | Startup | 3 s | Sam |\n| NFR-002 | Storage | | |\n";
    let documents = [("nfr-matrix.md", text)];
    let (log, told) = held("01-05", &documents, &["What about NFR-002?", "Agreed: NFR-002 is 40 GB."]);
    is_grounded(&log, "01-05", &documents);
    assert!(told.contains("NFR-002") && told.contains("nfr-matrix.md, line 4"), "{told}");
}

#[test]
fn an_empty_document_and_small_talk_invent_nothing() {
    let documents = [("requirements-spec.md", "")];
    let (log, told) = held("01-01", &documents, &["hello", "ok", "thanks"]);
    is_grounded(&log, "01-01", &documents);
    assert!(contributions(&log) >= 3, "{told}");
    assert!(told.contains("#### Decisions Made\n- None"), "{told}");
}

#[test]
fn five_megabytes_are_talked_about_like_anything_else() {
    let line = |n: usize| {
        format!(
            "- FR-{n:05} The system must store record {n} within {} seconds and tell the clerk of office {}.\n",
            n % 50,
            n % 97
        )
    };
    let text: String = (0..60_000).map(line).collect();
    assert!(text.len() > 5_000_000, "{}", text.len());
    // The discussion alone: a debug build takes long to compare 5 MB with themselves.
    let library = Library::built_in().unwrap();
    let step = library.step("01-06").unwrap();
    let mut talk =
        Discussion::open(&library, step, opened_for(&library, "01-06", 20, SECRETARY, "records")).unwrap();
    let said = "Alex, what happens with record 4711 in office 55?\nWe decided to store it within 20 seconds.\ndone\n";
    let mut script = Script::read("s.txt", said.as_bytes()).unwrap();
    let files = [("requirements-spec.md", text.as_str())];
    let mut voice = Secretary::new(
        files.into_iter(),
        &step.outputs,
        std::sync::Arc::new(roundtable::review::Rules::over(&library.own_review_rules()).unwrap()),
        Depth::Standard,
    );
    hold(&mut talk, None, &mut voice, &mut script, &time, &mut |_| Ok(())).unwrap();
    let told: Vec<&str> = talk.contributions().map(|said| said.text.as_str()).collect();
    assert!(told.len() >= 4 && told.join("\n").contains("FR-04711"), "{told:?}");
}
