//! Whole analyses in three domains, with natural, sloppy, contradictory, German and one-word answers among the forms:
//! what the artifacts state comes word for word from a form, and every answer is somewhere word for word.

use std::path::Path;

use serde_json::{Value, json};

use crate::analyze::{begun, report, repository, schema, valid};
use crate::kit::{AT, BRANCH, ITEM, Sandbox};

/// What people answer in a domain: ordinary lines, and lines in a form, by the steps that ask for them.
struct Domain {
    ordinary: [&'static str; 8],
    forms: &'static [(&'static str, &'static str)],
}

const DOMAINS: [Domain; 3] = [
    Domain {
        ordinary: [
            "Readers complain about several letters a week, and the desk adds up slips by hand.",
            "dunno, prob. the nightly job?? ask kim -> she knows",
            "The reminder letters are printed at six o'clock.",
            "Reminder letters are printed at 19:00, never earlier.",
            "Es muss immer klappen; weniger als 3 Sekunden wären schön.",
            "Cards",
            "We decided nothing yet, though FR-009 could wait until May.",
            "It should be fast and the risk is high that nobody reads it.",
        ],
        forms: &[
            ("01-05", "NFR: the sum is shown | target: 2 seconds | measure: load test | conditions: at noon"),
            (
                "01-05",
                "RISK: the print shop changes its format | likelihood: medium | impact: high | owner: Kim",
            ),
            ("01-06", "FR: The system sums all open fees of a reader\nFR: A librarian can waive a fee"),
            ("01-06", "FR-001: Given two fees, when the sum is shown, then it is their total"),
            (
                "01-07",
                "As a reader, I want one letter, so that I pay once.\nGiven two books, when the job runs, then one letter is sent\nLinks: FR-001",
            ),
            ("01-08", "Must: FR-001 | why: pointless without\nWon't: FR-002"),
            ("01-02", "TERM: waiver = a fee that nobody collects"),
        ],
    },
    Domain {
        ordinary: [
            "Patients phone three times before they get an appointment.",
            "ok so basically reception does it w/ paper, lol",
            "A slot is held for 15 minutes.",
            "A slot is held for 20 minutes.",
            "Die Praxis schließt mittwochs um zwölf.",
            "Reception",
            "As far as I know, every doctor must confirm within a day.",
            "OP theatre bookings are something else entirely.",
        ],
        forms: &[
            ("01-06", "- FR: A patient books a free slot\n- FR: A slot that nobody confirms is free again"),
            ("04-01", "MODULE calendar: knows every slot\nMODULE reminder: writes to patients a day before"),
            (
                "04-02",
                "OP calendar.book(patient: Id, slot: Id) -> Receipt | errors: SLOT_TAKEN | limits: 20 a minute",
            ),
            ("04-03", "FLOW: reception -> calendar: the booking"),
            ("04-04", "ERROR SLOT_TAKEN: somebody was faster | action: offer the next free slot"),
            (
                "03-02",
                "Decision: keep the practice's own server because patient data may not leave the house.",
            ),
            (
                "01-05",
                "| ID | Requirement | Target | Measure |\n| -- | -- | -- | -- |\n| NFR-004 | booking answers | 1 second | a probe every minute |",
            ),
        ],
    },
    Domain {
        ordinary: [
            "Die Werkstatt verliert jede Woche einen Auftragszettel.",
            "k.A., frag den Meister",
            "Ein Rad steht höchstens 5 Tage in der Werkstatt.",
            "Ein Rad steht höchstens 7 Tage in der Werkstatt.",
            "The mechanics write on paper, and the office types it in twice.",
            "Vielleicht",
            "Als Kunde möchte ich wissen, wann mein Rad fertig ist, damit ich nicht umsonst komme.",
            "Module, Fehler und Risiken kennt keiner so genau.",
        ],
        forms: &[
            ("01-06", "FR: Das System nennt dem Kunden den Tag der Abholung"),
            (
                "01-06",
                "FR-001: Given ein fertiges Rad, when der Auftrag schließt, then geht eine Nachricht hinaus",
            ),
            (
                "01-07",
                "As a Kunde, I want den Tag der Abholung, so that ich nicht umsonst komme.\nLinks: FR-001",
            ),
            ("01-08", "Must: FR-001"),
            ("02-03", "RISK: der Drucker steht still | likelihood: low | impact: low"),
        ],
    },
];

/// Every question of the standard depth, with one answer each; a form where its step has one left.
fn answers(domain: &Domain) -> Answers {
    let library = roundtable::item::library::Library::built_in().unwrap();
    let mut count = 0;
    let steps = library.steps.iter().map(|step| {
        let mut forms = domain.forms.iter().filter(|(id, _)| *id == step.id).map(|(_, form)| *form);
        let said = step.prompts(roundtable::item::step::Depth::Standard).into_iter().map(|_| {
            count += 1;
            forms.next().unwrap_or(domain.ordinary[count % domain.ordinary.len()]).to_owned()
        });
        (step.id.clone(), said.collect::<Vec<String>>())
    });
    steps.collect()
}

fn script(answers: &[(String, Vec<String>)]) -> String {
    let steps = answers.iter().map(|(id, said)| {
        let lines = (1..).zip(said).map(|(number, text)| format!("    {number}: {}\n", json!(text)));
        format!("  \"{id}\":\n{}", lines.collect::<String>())
    });
    format!("user: Sam\ndepth: standard\nanswers:\n{}", steps.collect::<String>())
}

/// The item's artifacts on the branch: documents and data, no logs.
fn artifacts(sandbox: &Sandbox) -> Artifacts {
    let tree = sandbox.git.find_commit(sandbox.tip(BRANCH).unwrap()).unwrap().tree().unwrap();
    let item = tree.get_path(Path::new(ITEM)).unwrap();
    let mut names = Vec::new();
    let folder = sandbox.git.find_tree(item.id()).unwrap();
    folder
        .walk(git2::TreeWalkMode::PreOrder, |below, entry| {
            let name = format!("{below}{}", entry.name().unwrap());
            let is_artifact = !name.starts_with("analysis/") && name != "meta.json";
            if is_artifact && entry.kind() == Some(git2::ObjectType::Blob) {
                names.push(name);
            }
            0
        })
        .unwrap();
    names.into_iter().map(|name| (name.clone(), sandbox.file(BRANCH, &format!("{ITEM}/{name}")))).collect()
}

/// A document's text as it reads: without the signs that only Markdown, JSON and YAML need.
fn read(name: &str, text: &str) -> String {
    let value: Option<Value> = match name.rsplit('.').next() {
        Some("json") => Some(serde_json::from_str(text).unwrap()),
        Some("yaml") => Some(serde_yaml::from_str(text).unwrap()),
        _ => None,
    };
    let mut words = String::new();
    match &value {
        Some(value) => strings(value, &mut words),
        None => words = text.replace('\\', ""),
    }
    words
}

fn strings(value: &Value, words: &mut String) {
    match value {
        Value::String(text) => words.push_str(&format!("{text}\n")),
        Value::Array(all) => all.iter().for_each(|one| strings(one, words)),
        Value::Object(all) => all.values().for_each(|one| strings(one, words)),
        _ => {}
    }
}

/// The parts of a line that stand by themselves in an artifact: the fields of a form, or all of it.
fn parts(line: &str) -> Vec<String> {
    const LABELS: [&str; 13] = [
        "FR:", "NFR:", "RISK:", "TERM:", "MODULE ", "OP ", "FLOW:", "ERROR ", "Must:", "Won't:", "Links:",
        "FR-001:", "| ",
    ];
    let bare = line.trim_start_matches("- ");
    let is_form = LABELS.iter().any(|label| bare.starts_with(label)) || bare.starts_with("As a ");
    if !is_form || bare.starts_with("OP theatre") {
        return vec![bare.to_owned()];
    }
    let fields =
        bare.split(['|', ':', '=', ',', '>', '(', ')']).map(|part| part.trim().trim_end_matches(['.', '-']));
    let words = fields.map(|field| {
        let field = LABELS.iter().fold(field, |field, label| field.strip_prefix(label).unwrap_or(field));
        ["As a ", "I want ", "so that "]
            .iter()
            .fold(field, |field, lead| field.strip_prefix(lead).unwrap_or(field))
    });
    let known = [
        "FR",
        "NFR",
        "RISK",
        "TERM",
        "FLOW",
        "OP",
        "Must",
        "Won't",
        "Links",
        "target",
        "measure",
        "conditions",
        "likelihood",
        "impact",
        "owner",
        "why",
        "errors",
        "limits",
        "action",
        "ID",
        "Requirement",
        "Target",
        "Measure",
    ];
    words.map(str::trim).filter(|part| part.len() > 2 && !known.contains(part)).map(str::to_owned).collect()
}

/// What the artifacts state, as (place, statement): rows, requirements, stories, operations, modules.
fn stated(name: &str, text: &str) -> Vec<String> {
    let cells = |line: &str| -> Vec<String> {
        line.trim_matches('|').split('|').map(|cell| cell.trim().replace('\\', "")).collect()
    };
    let mut found = Vec::new();
    match name {
        "user-stories.json" => {
            let value: Value = serde_json::from_str(text).unwrap();
            for story in value["stories"].as_array().unwrap() {
                let mut words = String::new();
                let told = ["as_a", "i_want", "so_that", "acceptance_criteria"];
                told.iter().for_each(|key| strings(&story[*key], &mut words));
                found.extend(words.lines().map(str::to_owned));
            }
        }
        "interface-spec.yaml" => {
            let value: Value = serde_yaml::from_str(text).unwrap();
            let mut words = String::new();
            strings(&value["operations"], &mut words);
            found.extend(words.lines().filter(|line| !line.starts_with("Step ")).map(str::to_owned));
        }
        _ if name.starts_with("quick-scan") || name.starts_with("impact") => {}
        _ if name.ends_with(".md") => {
            let mut is_body = false;
            for line in text.lines() {
                if line.starts_with('|') {
                    if is_body {
                        found.extend(cells(line));
                    }
                    is_body |= line.starts_with("|-") || line.starts_with("| -");
                } else {
                    is_body = false;
                }
                let id = line.strip_prefix("- **").and_then(|rest| rest.split_once("**: "));
                found.extend(id.map(|(_, text)| text.split(" -- ").next().unwrap().replace('\\', "")));
            }
        }
        _ => {}
    }
    let is_mark = |cell: &String| cell.chars().all(|c| c == '-' || c == ' ');
    let is_id = |cell: &str| {
        cell.split(", ").all(|id| ["FR-", "NFR-", "US-"].iter().any(|kind| id.starts_with(kind)))
    };
    found.retain(|cell| !is_mark(cell) && !is_id(cell));
    found
}

/// What was answered, by step; and the artifacts, by name.
type Answers = Vec<(String, Vec<String>)>;
type Artifacts = Vec<(String, String)>;

fn run(domain: &Domain) -> (Sandbox, Answers, Artifacts) {
    let sandbox = repository(7, &begun(&[]));
    let answers = answers(domain);
    let found = report(&sandbox, &script(&answers), &[]);
    assert_eq!(found["stopped"], "complete", "{found}");
    let artifacts = artifacts(&sandbox);
    (sandbox, answers, artifacts)
}

#[test]
fn in_every_domain_statements_come_from_forms_and_every_answer_is_kept() {
    for domain in &DOMAINS {
        let (sandbox, answers, artifacts) = run(domain);
        let said: Vec<&str> =
            answers.iter().flat_map(|(_, said)| said).flat_map(|text| text.lines()).collect();
        let forms: Vec<&str> = domain.forms.iter().flat_map(|(_, form)| form.lines()).collect();
        let all: String = artifacts.iter().map(|(name, text)| read(name, text)).collect();
        for line in &said {
            for part in parts(line) {
                assert!(all.contains(&part), "\"{part}\" of \"{line}\" is nowhere");
            }
        }
        for (name, text) in &artifacts {
            for statement in stated(name, text) {
                let is_from_form = forms.iter().any(|form| form.contains(statement.trim_end_matches('.')));
                assert!(is_from_form, "{name}: \"{statement}\" is from no form\n{text}");
            }
        }
        both_sides(&artifacts);
        sandbox.run(&["check", "--base", "main", "--head", BRANCH]).ok();
        sandbox.run(&["replay", "--all", "--rev", BRANCH]).ok();
    }
}

/// Data validates by its schema, and every id of the matrix is defined where it should be.
fn both_sides(artifacts: &[(String, String)]) {
    let text = |name: &str| {
        artifacts.iter().find(|(own, _)| own == name).map_or("", |(_, text)| text.as_str()).to_owned()
    };
    let stories: Value = serde_json::from_str(&text("user-stories.json")).unwrap();
    valid(&stories, &schema("user-stories"));
    valid(&serde_yaml::from_str(&text("interface-spec.yaml")).unwrap(), &schema("interface-spec"));
    let spec = text("requirements-spec.md");
    let matrix = text("traceability-matrix.csv");
    for row in csv::Reader::from_reader(matrix.as_bytes()).records().map(Result::unwrap) {
        assert!(spec.contains(&format!("**{}**", &row[0])), "{row:?}");
        let own = |id: &str| stories["stories"].as_array().unwrap().iter().any(|story| story["id"] == id);
        assert!(row[1].split(' ').all(|id| id == "--" || own(id.trim_matches([',', ';']))), "{row:?}");
    }
    for (name, text) in artifacts.iter().filter(|(name, _)| name.ends_with(".md")) {
        let links = text.match_indices("](").map(|(at, _)| text[at + 2..].split(')').next().unwrap());
        for link in links.filter(|link| !link.contains("://")) {
            let target = link.split('#').next().unwrap();
            let is_there = artifacts.iter().any(|(own, _)| own.ends_with(target.trim_start_matches("../")));
            assert!(is_there, "{name}: {link}");
        }
    }
}

#[test]
fn sm_002_all_questions_answered_in_form_leave_nothing_open() {
    let full = include_str!("analyze.yaml");
    let script = full
        .replace("null", "\"Nobody knows it better than the desk\"")
        .replace("\"unknown\"", "\"The desk's own screen\"")
        .replace("Could: NFR-001", "Could: NFR-001, NFR-002")
        .replace("\"E\", \"Alex, what breaks first in option A?\", \"We decided to sum at night because the desk must stay fast.\", \"done\"", "\"C\"");
    let sandbox = repository(7, &begun(&[]));
    assert_eq!(report(&sandbox, &script, &[])["stopped"], "complete");
    let status = sandbox.run(&["status", "offline-mode", "--json"]).json();
    assert_eq!(status["items"][0]["open_questions"], 0, "{status}");
    for (name, text) in artifacts(&sandbox) {
        for marker in ["TODO", "TBD", "TBC", "Open Questions", "\"open\": true", "open: true"] {
            assert!(!text.contains(marker), "{name}: {marker}\n{text}");
        }
    }
}

#[test]
fn sm_004_a_small_item_takes_under_half_of_the_inputs() {
    let asked = |files: usize| {
        let sandbox = repository(files, &begun(&[]));
        let library = roundtable::item::library::Library::built_in().unwrap();
        let steps = library.steps.iter().map(|step| format!("  \"{}\": [null]\n", step.id));
        let script = format!("answers:\n{}", steps.collect::<String>());
        let path = sandbox.script("answers.yaml", script);
        let stdout = sandbox.run(&["analyze", "offline-mode", "--script", &path, "--at", AT]).ok().stdout;
        assert!(stdout.contains("The analysis is complete"), "{stdout}");
        stdout.matches("(no answer; it stays open)").count()
    };
    let (small, full) = (asked(2), asked(20));
    assert!(small * 2 < full, "{small} of {full}");
}

#[test]
fn twice_the_answers_take_twice_the_time() {
    let millis = |count: usize| {
        let sandbox = repository(7, &begun(&[]));
        let mut answers = answers(&DOMAINS[0]);
        let more = count - answers.iter().map(|(_, said)| said.len()).sum::<usize>();
        let steps = answers.len();
        for (at, (_, said)) in answers.iter_mut().enumerate() {
            let own = more / steps + usize::from(at < more % steps);
            said.extend(
                (0..own).map(|number| format!("The desk keeps slip {number} of step {at} in a drawer.")),
            );
        }
        assert_eq!(answers.iter().map(|(_, said)| said.len()).sum::<usize>(), count);
        let path = sandbox.script("answers.yaml", script(&answers));
        let begun = std::time::Instant::now();
        sandbox.run(&["analyze", "offline-mode", "--script", &path, "--at", AT, "--json"]).ok();
        begun.elapsed().as_millis()
    };
    let (half, whole) = (millis(500), millis(1_000));
    assert!(whole < half * 2 + half / 2 + 1_000, "{half} ms for 500 answers, {whole} ms for 1,000");
}
