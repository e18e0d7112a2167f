//! What a recording says that does not follow from its inputs is refused before anything is committed, whether its
//! closing digest was computed anew or not (P-4).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use roundtable::item::library::sha256;
use serde_json::{Value, json};

use crate::kit::{AT, BRANCH, Run, Sandbox, one_in, program, sandbox};
use crate::live::{KEY, answer, openai};
use crate::server::Server;

const TALK: &str = "\
Alex, what happens when two tablets change one answer?
everyone, how large may a photo be?

We decided to keep both answers, because a lost answer costs a day.
Decision: photos wait at most 30 minutes.
I'll write the migration plan by Friday.
Maya, who reads the report at night?
Alex, what happens when the sync fails?
done
";

/// A recording with one change, and what was changed.
struct Forged {
    what: String,
    events: Vec<Value>,
}

/// What nothing but the recording says: the moment, the run's name, and what is written anew where it lands.
const UNTOLD: [&str; 6] = ["at", "run", "branch", "base", "model", "digest"];

/// Every change of one value in a recording, but for what cannot be told.
fn changes(events: &[Value]) -> Vec<Forged> {
    let mut found = Vec::new();
    for (at, event) in events.iter().enumerate() {
        let mut places = Vec::new();
        collect(event, String::new(), &mut places);
        for place in places {
            for (how, value) in others(event.pointer(&place).unwrap()) {
                let mut events = events.to_vec();
                *events[at].pointer_mut(&place).unwrap() = value;
                let kind = event["kind"].as_str().unwrap();
                found.push(Forged { what: format!("{how} {kind} {}{place}", at + 1), events });
            }
        }
    }
    found
}

/// The places of all values below one.
fn collect(value: &Value, place: String, places: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            let is_long = fields.len() > 20 && place.ends_with("digests");
            for (at, (name, value)) in fields.iter().enumerate() {
                // Of the files' digests two say as much as all.
                if !(UNTOLD.contains(&name.as_str()) && place.is_empty() || is_long && at > 1) {
                    let name = name.replace('~', "~0").replace('/', "~1");
                    collect(value, format!("{place}/{name}"), places);
                }
            }
        }
        Value::Array(list) => {
            places.push(place.clone());
            for (at, value) in list.iter().enumerate() {
                collect(value, format!("{place}/{at}"), places);
            }
        }
        _ => places.push(place),
    }
}

/// A value changed in every way that its kind allows.
fn others(value: &Value) -> Vec<(&'static str, Value)> {
    match value {
        Value::String(text) => {
            let digit = text.find(|c: char| c.is_ascii_digit());
            let figure = digit.map(|at| ("ten times", format!("{}0{}", &text[..=at], &text[at + 1..])));
            let denied = text.split_once(' ').map(|(first, rest)| ("denied", format!("{first} not {rest}")));
            let longer = ("lengthened", format!("{text}x"));
            let all = figure.or(denied).unwrap_or(longer);
            vec![(all.0, json!(all.1))]
        }
        Value::Number(number) => vec![("raised", json!(number.as_u64().unwrap() + 1))],
        Value::Bool(is) => vec![("turned", json!(!is))],
        Value::Array(list) => {
            let without = (0..list.len()).map(|at| {
                let mut list = list.clone();
                list.remove(at);
                ("shortened", json!(list))
            });
            let doubled = list
                .first()
                .map(|first| ("doubled", json!([&list[..], std::slice::from_ref(first)].concat())));
            without.chain(doubled).collect()
        }
        Value::Null => vec![("filled", json!(1))],
        Value::Object(_) => Vec::new(),
    }
}

/// Events as the lines of a file; sealed anew where that is asked for.
fn lines(events: &[Value], is_sealed: bool) -> String {
    let (last, before) = events.split_last().unwrap();
    let text: String = before.iter().map(|event| format!("{event}\n")).collect();
    let mut last = last.clone();
    if is_sealed {
        last["digest"] = json!(sha256(text.as_bytes()));
    }
    format!("{text}{last}\n")
}

fn events(path: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Every file of the object database.
fn objects(root: &Path) -> BTreeSet<PathBuf> {
    let (mut files, mut folders) = (Vec::new(), vec![root.join(".git/objects")]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let is_folder = entry.file_type().unwrap().is_dir();
            if is_folder { &mut folders } else { &mut files }.push(entry.path());
        }
    }
    files.into_iter().collect()
}

/// Runs `replay --onto` on each, sealed anew, and on some as they are: all are refused, and nothing is written.
fn refused(sandbox: &Sandbox, forged: &[Forged], more: &[&str]) {
    let (root, home) = (sandbox.root(), sandbox.outside("home"));
    let (refs, before) = (sandbox.refs(), objects(&root));
    let write = |at: usize, is_sealed: bool| {
        let text = lines(&forged[at].events, is_sealed);
        (at, sandbox.script(&format!("{at}-{is_sealed}.jsonl"), text))
    };
    let unsealed = one_in(10, 0..forged.len()).map(|at| write(at, false));
    let paths: Vec<(usize, String)> = (0..forged.len()).map(|at| write(at, true)).chain(unsealed).collect();
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some((at, path)) = paths.get(next.fetch_add(1, Ordering::SeqCst)) {
                    let mut command = program(&root, &home);
                    command.args(["replay", path, "--onto", "main"]).args(more);
                    let run = Run::of(command.output().unwrap());
                    let is_told = run.code == 2 && !run.stderr.contains("panicked");
                    if !is_told {
                        let what = &forged[*at].what;
                        let told = format!("{what} ({path}): {} {}{}", run.code, run.stdout, run.stderr);
                        wrong.lock().unwrap().push(told);
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), paths.len(), wrong.join("\n"));
    assert_eq!(sandbox.refs(), refs);
    let after = objects(&root);
    assert!(after.is_subset(&before), "{:?}", after.difference(&before).collect::<Vec<_>>());
}

#[test]
fn no_change_of_the_secretarys_recording_is_committed() {
    let sandbox = sandbox();
    let out = sandbox.outside("talk.jsonl");
    let out = out.to_str().unwrap();
    sandbox.elaborate(TALK, &["--at", AT, "--out", out]).ok();
    let script = sandbox.outside("script.txt");
    let script = ["--script", script.to_str().unwrap()];
    let forged = changes(&events(out));
    assert!(forged.len() >= 200, "{}", forged.len());
    // Only what the users said needs the script.
    let (said, made): (Vec<_>, Vec<_>) = forged.into_iter().partition(|one| one.what.contains("user"));
    refused(&sandbox, &made, &[]);
    refused(&sandbox, &said, &script);
    // The honest one lands, as if it had been held here.
    let args = ["replay", out, "--onto", "main", "--json"];
    let landed = sandbox.run(&[&args[..], &script].concat()).json();
    assert_eq!(landed["recordings"][0]["branch"], BRANCH);
    assert_eq!(landed["recordings"][0]["commit"], sandbox.tip(BRANCH).unwrap().to_string());
    assert_eq!(sandbox.run(&["replay", "--all", "--rev", BRANCH]).code, 0);
    sandbox.assert_sound();
}

/// A recording of a model's discussion: one line quotes the specification, and its synthesis has an entry of its own.
fn by_a_model(sandbox: &Sandbox, out: &str) {
    let mut next = 0;
    let server = Server::start(move |seen| {
        let said = answer(seen, &mut |_| {
            next += 1;
            let mut line = json!({"pass": false, "text": LINES[(next - 1) % LINES.len()]});
            if next == 2 {
                let quote = "The server keeps 500 photos.";
                line["rests"] = json!([{"path": "requirements-spec.md", "line": 13, "quote": quote}]);
            }
            line
        });
        openai(seen, &said)
    });
    let url = server.url("/v1");
    let voice = ["--voice", "openai", "--model", "small", "--base-url", &url, "--max-turns", "40"];
    let mut command = sandbox.elaborate_command(TALK, &[&["--at", AT, "--out", out], &voice[..]].concat());
    Run::of(command.env("OPENAI_API_KEY", KEY).output().unwrap()).ok();
}

/// Changes of what a model said that its referee knows.
fn wrong_lines(events: &[Value]) -> Vec<Forged> {
    let mut found = Vec::new();
    let mut change = |what: &str, change: &dyn Fn(&mut Vec<Value>)| {
        let mut events = events.to_vec();
        change(&mut events);
        found.push(Forged { what: what.to_owned(), events });
    };
    let lines: Vec<usize> = (0..events.len()).filter(|at| events[*at]["kind"] == "contribution").collect();
    let synthesis = events.len() - 2;
    for at in &lines {
        let first = events[lines[0]]["text"].clone();
        let colleague = if events[*at]["by"] == "system-designer" { "Alex" } else { "Jordan" };
        for (what, text) in [
            ("another's prefix", "Maya Chen (Business Analyst): it waits for photos.".to_owned()),
            ("a decision", "We decided to delete every photo of the warehouse on Mondays.".to_owned()),
            ("an unknown id", "FR-999 has no limit for the tablets of a warehouse.".to_owned()),
            ("a false figure", "requirements-spec.md says that the server keeps 300 photos.".to_owned()),
            (
                "a false quotation",
                "requirements-spec.md, line 13 has \"the server keeps 300 photos\".".to_owned(),
            ),
            ("markup", "# Decisions\n\n- We go.".to_owned()),
            ("leaked reasoning", "<think>they want photos</think> Photos wait.".to_owned()),
            ("words of nobody", format!("As {colleague} said, pigeons bring herring to the harbour.")),
        ] {
            change(&format!("{what} in {at}"), &|events| events[*at]["text"] = json!(text));
        }
        if *at != lines[0] {
            change(&format!("an echo in {at}"), &|events| events[*at]["text"] = first.clone());
        }
        for (what, rest) in [
            (
                "300 for 500",
                json!({"path": "requirements-spec.md", "line": 13, "quote": "The server keeps 300 photos."}),
            ),
            (
                "another line",
                json!({"path": "requirements-spec.md", "line": 12, "quote": "The server keeps 500 photos."}),
            ),
            (
                "another file",
                json!({"path": "src/sync.rs", "line": 1, "quote": "The server keeps 500 photos."}),
            ),
        ] {
            change(&format!("{what} in {at}"), &|events| events[*at]["rests"] = json!([rest]));
        }
        change(&format!("a rule in {at}"), &|events| events[*at]["rule"] = json!("vague-term"));
    }
    for (what, entry) in [
        (
            "what nobody said",
            json!({"text": "Pigeons carry the letters to the harbour", "by": ["business-analyst"], "turns": [1]}),
        ),
        (
            "another speaker",
            json!({"text": "The inspector saves an answer and nobody says what shows on the screen", "by": ["system-designer"], "turns": [1]}),
        ),
        (
            "a later turn",
            json!({"text": "The inspector saves an answer and nobody says what shows on the screen", "by": ["business-analyst"], "turns": [1, 2]}),
        ),
        (
            "a false figure",
            json!({"text": "Five photos on 300 servers tie every tablet", "by": ["solutions-architect"], "turns": [2]}),
        ),
        (
            "a decision",
            json!({"text": "We decided to delete every photo", "by": ["business-analyst"], "turns": [1]}),
        ),
    ] {
        change(&format!("insight: {what}"), &|events| events[synthesis]["insights"][0] = entry.clone());
        change(&format!("action: {what}"), &|events| {
            events[synthesis]["action_items"].as_array_mut().unwrap().push(entry.clone());
        });
    }
    change("a summary of nobody", &|events| events[synthesis]["summary"] = json!("Pigeons carry letters."));
    change("the secretary's synthesis", &|events| events[synthesis]["voice"] = json!("secretary"));
    found
}

#[test]
fn what_a_models_recording_may_not_say_is_not_committed() {
    let sandbox = sandbox();
    let out = sandbox.outside("talk.jsonl");
    let out = out.to_str().unwrap();
    by_a_model(&sandbox, out);
    let honest = events(out);
    assert_eq!(honest[honest.len() - 2]["insights"][0]["turns"], json!([1]), "{}", honest[honest.len() - 2]);
    let script = sandbox.outside("script.txt");
    let script = ["--script", script.to_str().unwrap(), "--max-turns", "40"];
    // What a model said, which one, and which lines of a file it was sent, is known from the recording alone.
    let is_models = |what: &str| {
        what.contains(" contribution ") && what.ends_with("/text")
            || what.contains("/insights/0")
            || what.contains("/open_questions/0")
            || what.contains("/possible_decisions/0/text")
            || what.ends_with("/insights") && !what.starts_with("doubled")
            || what.ends_with("/open_questions") && !what.starts_with("doubled")
            || what.ends_with("/rests") && !what.starts_with("doubled")
            || what.contains("summary")
            || what.contains("/voice")
            || what.contains(" critique ")
            || what.ends_with("/lines")
            || what.contains("/lines/")
    };
    let mut forged = changes(&honest);
    forged.retain(|one| !is_models(&one.what));
    forged.extend(wrong_lines(&honest));
    refused(&sandbox, &forged, &script);
    let args = ["replay", out, "--onto", "main", "--json"];
    let landed = sandbox.run(&[&args[..], &script].concat()).json();
    assert_eq!(landed["recordings"][0]["branch"], BRANCH);
    assert_eq!(sandbox.run(&["replay", "--all", "--rev", BRANCH]).code, 0);
    sandbox.assert_sound();
}

#[test]
fn a_refusal_names_the_event_and_what_differs() {
    let sandbox = sandbox();
    let out = sandbox.outside("talk.jsonl");
    let out = out.to_str().unwrap();
    sandbox.elaborate(TALK, &["--at", AT, "--out", out]).ok();
    let honest = events(out);
    let synthesis = honest.len() - 2;
    let told = |change: &dyn Fn(&mut Vec<Value>)| {
        let mut events = honest.clone();
        change(&mut events);
        let path = sandbox.script("told.jsonl", lines(&events, true));
        let run = sandbox.run(&["replay", &path, "--onto", "main"]);
        assert_eq!(run.code, 2, "{}{}", run.stdout, run.stderr);
        assert!(run.stderr.contains("nothing was committed"), "{}", run.stderr);
        run.stderr
    };
    let decision =
        told(&|events| events[synthesis]["decisions"][0]["text"] = json!("We decided to keep one answer"));
    assert!(decision.contains(&format!("event {}, decisions/0/text", synthesis + 1)), "{decision}");
    assert!(decision.contains("keep both answers") && decision.contains("keep one answer"), "{decision}");
    let gone = told(&|events| drop(events[synthesis]["action_items"].as_array_mut().unwrap().pop()));
    assert!(gone.contains("action_items/0") && gone.contains("found nothing"), "{gone}");
    let file = told(&|events| events[0]["digests"]["templates/notices/closing.txt"] = json!("0".repeat(64)));
    assert!(file.contains("event 1") && file.contains("templates/notices/closing.txt has changed"), "{file}");
    let author = told(&|events| events[0]["author"]["name"] = json!("Kim"));
    assert!(author.contains("event 1, author") && author.contains("user.name"), "{author}");
    let turns = told(&|events| events[0]["max_turns"] = json!(99));
    assert!(turns.contains("--max-turns"), "{turns}");
    let later = told(&|events| {
        let said = events.iter_mut().find(|one| one["kind"] == "user").unwrap();
        said["at"] = json!("2090-01-01T00:00:00.000Z");
    });
    assert!(later.contains("a time before the end of the discussion"), "{later}");
    // A plain replay tells of the same entries with exit 1.
    let mut events = honest.clone();
    events[synthesis]["decisions"][0]["text"] = json!("We decided to keep one answer");
    let path = sandbox.script("told.jsonl", lines(&events, true));
    let run = sandbox.run(&["replay", &path]);
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("keep one answer"), "{}", run.stdout);
}

/// Lines that keep every persona's rules.
const LINES: [&str; 8] = [
    "The inspector saves an answer and nobody says what shows on the screen then; where do people look first?",
    "Five hundred photos on one server tie every tablet to that single box during an outage.",
    "A photo that arrives twice has to be stored once, so each upload carries its own number.",
    "A warehouse without reception keeps its tablet dark for a whole shift, and the journey ends there.",
    "Two branches of one history meet at the server, and whichever comes second decides what survives.",
    "Somebody who trains new colleagues needs to show what a saved answer looks like.",
    "Moving the merge to the tablet costs storage there but keeps the server simple.",
    "Visitors of the site would notice the missing photo long before the office does.",
];
