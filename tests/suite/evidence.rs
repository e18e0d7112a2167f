//! What of the repository a model is sent, and what it may quote of it.

use serde_json::{Value, json};

use crate::kit::{AT, BRANCH, ITEM, Run, Sandbox, sandbox};
use crate::server::{Reply, Seen, Server};

const SECRET: &str = "canary-in-the-mine";

/// A repository with code that speaks of the item, and with files that nobody may be sent.
fn library() -> Sandbox {
    let sandbox = sandbox();
    let sync = "/// Offline answers wait here until the server takes them.\npub struct SyncQueue;\n\nimpl SyncQueue {\n    pub fn retry_limit() -> u32 {\n        3\n    }\n}\n";
    let large: String = (0..6_000).map(|number| format!("let value{number} = {number};\n")).collect();
    sandbox.commit(&[
        (&format!("{ITEM}/requirements-spec.md"), "# Requirements\n\n## 2. User Needs\n\nOffline answers wait in the queue, see `src/sync.rs`, private/offline.md, .env, keys/offline.pem, offline.lock, src/offline_gen.rs and offline.bin.\n\n## 3. User Journeys\n\nThe inspector saves an answer offline. `drawLetter` is not called.\n"),
        ("src/sync.rs", sync),
        ("tests/sync.rs", "#[test]\nfn answers_wait() {}\n"),
        ("src/letters.js", &format!("{large}function drawLetter() {{\n    print();\n}}\n{large}")),
        ("src/window.rs", "pub fn open_window() {}\n"),
        (".env", &format!("OFFLINE_ANSWERS={SECRET}\n")),
        ("keys/offline.pem", &format!("offline answers queue {SECRET}\n")),
        ("offline.lock", &format!("offline answers queue inspector {SECRET}\n")),
        ("src/offline_gen.rs", &format!("// @generated offline answers queue inspector {SECRET}\n")),
        ("offline.bin", "offline answers queue\0inspector\n"),
        ("private/offline.md", "Offline answers of the inspector wait in a queue that nobody sees.\n"),
    ]);
    sandbox
}

/// A model whose first line quotes a file, at a wrong line.
fn quoting(seen: &Seen) -> Reply {
    let body = String::from_utf8_lossy(&seen.body).into_owned();
    let text = match body.contains("The discussion is over.") {
        true => {
            json!({"insights": [], "decisions": [], "open_questions": [], "action_items": [], "proposals": []})
        }
        _ if body.contains("Turn 1 is next") => json!({"lines": [
            {"message": null, "persona": "business-analyst", "pass": false, "text": "The queue gives up after three tries; does the inspector ever learn that an answer was dropped?",
             "rests": [{"path": "src/sync.rs", "line": 40, "quote": "pub fn retry_limit() -> u32"}], "position": null},
            {"persona": "solutions-architect", "pass": true}, {"persona": "system-designer", "pass": true}]}),
        _ => json!({"lines": []}),
    };
    Reply::json(
        &json!({"choices": [{"message": {"role": "assistant", "content": text.to_string()}, "finish_reason": "stop"}]}),
    )
}

fn elaborate(sandbox: &Sandbox, server: &Server, more: &[&str]) -> Run {
    let script =
        sandbox.script("talk.txt", "What does retry_limit in src/sync.rs:5 mean for an answer?\ndone\n");
    let url = server.url("/v1");
    let args = ["elaborate", "offline-mode", "--step", "01-03", "--script", &script, "--at", AT];
    let voice = ["--voice", "openai", "--model", "small", "--base-url", &url];
    sandbox.run(&[&args[..], &voice, more].concat())
}

fn paths(evidence: &Value) -> Vec<&str> {
    evidence.as_array().unwrap().iter().filter_map(|sent| sent["path"].as_str()).collect()
}

#[test]
fn a_model_reads_what_is_named_whole_and_may_quote_it() {
    let (sandbox, server) = (library(), Server::start(quoting));
    let report = elaborate(&sandbox, &server, &["--json"]).json();
    let prompt = String::from_utf8_lossy(&server.seen()[0].body).into_owned();
    assert!(prompt.contains("src/sync.rs:1-8") && prompt.contains("5|     pub fn retry_limit() -> u32 {"));
    assert!(
        prompt.contains("function drawLetter()") && prompt.contains("of src/letters.js are left out here.)")
    );
    assert!(prompt.contains("2026-02-02 documents"), "the last commits");
    assert!(!prompt.contains(SECRET) && !prompt.contains("open_window"));
    assert!(
        prompt.contains("src/window.rs") && !prompt.contains("keys/offline.pem\\n"),
        "the names of files"
    );
    // The recording says what was sent, and the words that were quoted are at their real line.
    let events = sandbox.events();
    let sent = paths(&events[0]["evidence"]);
    assert_eq!(sent, ["src/sync.rs", "src/letters.js", "private/offline.md", "tests/sync.rs"]);
    for evidence in events[0]["evidence"].as_array().unwrap() {
        let id = git2::Oid::from_str(evidence["blob"].as_str().unwrap()).unwrap();
        let text = String::from_utf8(sandbox.git.find_blob(id).unwrap().content().to_vec()).unwrap();
        let last = evidence["lines"].as_array().unwrap().last().unwrap()[1].as_u64().unwrap() as usize;
        assert!(last <= text.lines().count());
    }
    let first = events.iter().find(|event| event["kind"] == "contribution").unwrap();
    let rests = &first["rests"][0];
    assert_eq!((&rests["path"], &rests["line"]), (&json!("src/sync.rs"), &json!(5)));
    assert_eq!(first.get("voice"), None, "{first}");
    // A replay needs no evidence.
    sandbox.commit(&[("src/sync.rs", "// gone\n")]);
    let replayed =
        sandbox.run(&["replay", &format!("{BRANCH}:{}", report["recording"].as_str().unwrap()), "--json"]);
    assert_eq!(replayed.json()["reproduced"], true);
}

#[test]
fn the_settings_leave_files_out_or_send_none() {
    let server = Server::start(quoting);
    let plan = |settings: &str| -> Value {
        let sandbox = library();
        sandbox.commit(&[(".roundtable.yaml", settings)]);
        elaborate(&sandbox, &server, &["--plan", "--json"]).json()["evidence"].clone()
    };
    let all = plan("items: docs/requirements\n");
    assert!(paths(&all).contains(&"private/offline.md"));
    let some = plan("evidence: {exclude: [private, '**/*.js']}\n");
    assert!(paths(&some).contains(&"src/sync.rs") && paths(&some).len() == paths(&all).len() - 2, "{some}");
    let few = plan("evidence: {max_chars: 800}\n");
    assert!(paths(&few)[0] == "src/sync.rs" && paths(&few).len() < paths(&all).len(), "{few}");
    assert_eq!(plan("evidence: {repository: false}\n"), json!([]));
    for (settings, wanted) in [
        ("evidence: {max_char: 5}\n", "did you mean \"max_chars\""),
        ("evidence: {exclude: ['a[']}\n", "\"a[\" is not a glob"),
        ("evidence: {max_chars: 99000000}\n", "at most 1000000"),
        ("evidence: no\n", ".roundtable.yaml:1"),
    ] {
        let sandbox = library();
        sandbox.commit(&[(".roundtable.yaml", settings)]);
        let run = elaborate(&sandbox, &server, &["--plan"]);
        assert!(run.code == 2 && run.stderr.contains(wanted), "{settings}: {}", run.stderr);
    }
    assert!(server.seen().is_empty());
}

#[test]
fn a_plan_lists_what_would_be_sent() {
    let (sandbox, server) = (library(), Server::start(quoting));
    let plan = elaborate(&sandbox, &server, &["--plan"]).ok().stdout;
    for line in [
        &format!("    {ITEM}/requirements-spec.md\n"),
        "    src/sync.rs, lines 1-8, 194 characters\n",
        "    src/letters.js, lines 1-",
        "characters in all, with a list of ",
    ] {
        assert!(plan.contains(line), "{line}: {plan}");
    }
    assert!(!plan.contains("meta.json") && server.seen().is_empty());
}

/// A model that asks for a file and a function in its first round, and quotes what it was given. It asks again later.
fn asking(seen: &Seen) -> Reply {
    let body = String::from_utf8_lossy(&seen.body).into_owned();
    let text = match body.contains("The discussion is over.") {
        true => {
            json!({"insights": [], "decisions": [], "open_questions": [], "action_items": [], "proposals": [],
            "need": ["src/other.rs"]})
        }
        _ if body.contains("Turn 1 is next") && !body.contains("pub fn open_window() {}") => {
            json!({"lines": [], "need": ["src/window.rs", "drawLetter", "no_such_name"]})
        }
        _ if body.contains("Turn 1 is next") => json!({"lines": [
            {"message": null, "persona": "business-analyst", "pass": false, "text": "The window opens without a word about answers that wait; who tells the inspector?",
             "rests": [{"path": "src/window.rs", "line": 9, "quote": "pub fn open_window() {}"}], "position": null}]}),
        _ => json!({"lines": [], "need": ["src/other.rs"]}),
    };
    Reply::json(
        &json!({"choices": [{"message": {"role": "assistant", "content": text.to_string()}, "finish_reason": "stop"}]}),
    )
}

#[test]
fn a_model_asks_once_for_more_and_may_quote_it() {
    let sandbox = library();
    sandbox.commit(&[
        (".roundtable.yaml", "evidence: {max_chars: 60000}\n"),
        ("src/other.rs", "pub fn other() {}\n"),
    ]);
    let server = Server::start(|seen| {
        // A list of points has no lines: nothing is asked for there.
        let body = String::from_utf8_lossy(&seen.body).into_owned();
        let is_points = body.contains("List up to nine points");
        if is_points { quoting(seen) } else { asking(seen) }
    });
    let report = elaborate(&sandbox, &server, &["--json"]).json();
    let events = sandbox.events();
    let needs: Vec<&Value> = events.iter().filter(|event| event["need"].is_object()).collect();
    assert_eq!(needs.len(), 1, "{events:?}");
    assert_eq!(needs[0]["kind"], "points");
    assert_eq!(needs[0]["need"]["asked"], json!(["src/window.rs", "drawLetter", "no_such_name"]));
    assert_eq!(paths(&needs[0]["need"]["given"]), ["src/window.rs", "src/letters.js"]);
    let first = events.iter().find(|event| event["kind"] == "contribution").unwrap();
    let rests = &first["rests"][0];
    assert_eq!((&rests["path"], &rests["line"]), (&json!("src/window.rs"), &json!(1)), "{first}");
    assert_eq!(first.get("voice"), None, "{first}");
    // Each prompt begins with the one before it, and nothing is given twice.
    let bodies: Vec<Value> =
        server.seen().iter().map(|seen| serde_json::from_slice(&seen.body).unwrap()).collect();
    let talk = |body: &Value| body["messages"].as_array().unwrap().last().unwrap()["content"].to_string();
    assert!(bodies.iter().all(|body| talk(body).matches("What was asked for").count() <= 1));
    assert!(!bodies.iter().any(|body| body.to_string().contains("pub fn other()")));
    // It replays without the model, also onto another commit.
    let recording = format!("{BRANCH}:{}", report["recording"].as_str().unwrap());
    assert_eq!(sandbox.run(&["replay", &recording, "--json"]).json()["reproduced"], true);
    sandbox.commit(&[("README.md", "Another.\n")]);
    sandbox.run(&["replay", &recording, "--onto", "main", "--branch", "again"]).ok();
}
