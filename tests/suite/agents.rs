//! An agent at the table: `roundtable mcp` spoken to by hand, over pipes.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use crate::kit::{AT, BRANCH, ITEM, Sandbox, sandbox};

/// A client of the Model Context Protocol, with one server.
struct Client {
    server: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
    calls: u64,
}

impl Client {
    fn start(sandbox: &Sandbox) -> Client {
        let mut command = sandbox.command(&["mcp"]);
        let mut server =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (to, from) = (server.stdin.take(), BufReader::new(server.stdout.take().unwrap()));
        let mut client = Client { server, to, from, calls: 0 };
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        let answer = client.request("initialize", hello);
        assert_eq!(answer["result"]["serverInfo"]["name"], "roundtable", "{answer}");
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    fn send(&mut self, message: &Value) {
        self.line(&message.to_string());
    }

    fn line(&mut self, line: &str) {
        writeln!(self.to.as_mut().unwrap(), "{line}").unwrap();
    }

    /// A request and its answer; every line on the way is of the protocol.
    fn request(&mut self, method: &str, params: Value) -> Value {
        self.calls += 1;
        let id = self.calls;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let mut line = String::new();
            assert!(self.from.read_line(&mut line).unwrap() > 0, "the server has gone");
            let answer: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
            assert_eq!(answer["jsonrpc"], "2.0", "{line}");
            if answer["id"] == json!(id) {
                return answer;
            }
        }
    }

    /// The result of a tool, and whether it is an error.
    fn tool(&mut self, name: &str, arguments: Value) -> (Value, bool) {
        let answer = self.request("tools/call", json!({"name": name, "arguments": arguments}));
        let result = &answer["result"];
        let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"));
        let value: Value = serde_json::from_str(text).unwrap();
        assert_eq!(value, result["structuredContent"]);
        (value, result["isError"] == json!(true))
    }

    fn call(&mut self, name: &str, arguments: Value) -> Value {
        let (value, is_error) = self.tool(name, arguments);
        assert!(!is_error, "{name}: {value}");
        value
    }

    fn open(&mut self) -> Value {
        self.call("open", json!({"item": "offline-mode", "step": "01-03", "user": "Sam", "at": AT}))
    }

    /// The lines of all who are due, each with its own words.
    fn round(&mut self, state: &Value) -> Value {
        let lines: Vec<Value> =
            due(state).iter().map(|(key, _)| line(key, state["turn"].as_u64().unwrap())).collect();
        self.call("say", json!({"discussion": state["discussion"], "lines": lines}))
    }

    fn end(mut self) {
        drop(self.to.take());
        assert!(self.server.wait().unwrap().success());
    }
}

/// Who is due, and whether they owe a line.
fn due(state: &Value) -> Vec<(String, bool)> {
    let one = |due: &Value| (due["persona"].as_str().unwrap().to_owned(), due["owed"] == json!(true));
    state["due"].as_array().unwrap().iter().map(one).collect()
}

/// What a persona says: another thing at each turn.
fn line(persona: &str, turn: u64) -> Value {
    let texts = match persona {
        "solutions-architect" => [
            "The upload has no limit of megabytes written down.",
            "Two phones may write to one form, and nothing says which of them wins.",
            "A server that is restarted forgets the logins of the morning.",
        ],
        "system-designer" => [
            "Nothing says in which order failed uploads are repeated.",
            "The screen for a refused photo is missing.",
            "A draft without its number cannot be found again.",
        ],
        _ => [
            "Question: what does the inspector lose when the queue fails?",
            "Who pays for the second visit to a gate that was closed?",
            "The foreman reads the list at noon, and by then half of it is old.",
        ],
    };
    let text = texts[usize::try_from(turn).unwrap() % 3];
    json!({"persona": persona, "text": text, "rests": [{"path": "requirements-spec.md", "line": 1, "quote": "Sync should be fast."}]})
}

#[test]
fn an_agent_that_implements_gets_the_decisions_of_an_item_and_of_a_file() {
    let sandbox = sandbox();
    let words = "Decision: src/photos.js keeps photos for 10 days.\nDecision: maps stay.\ndone\n";
    sandbox.elaborate(words, &["--at", AT]).ok();
    let mut client = Client::start(&sandbox);
    let shown = sandbox.run(&["show", "offline-mode", "--decisions", "--json"]).json();
    assert_eq!(client.call("decisions", json!({"item": "offline-mode"})), shown);
    assert_eq!(client.call("decisions", json!({}))["decisions"], shown["decisions"]);
    let about = client.call("decisions", json!({"path": "src/photos.js"}));
    assert_eq!(about["decisions"], json!([shown["decisions"][0]]));
    let path = format!("{ITEM}/requirements-spec.md");
    assert_eq!(client.call("decisions", json!({"path": path}))["decisions"], shown["decisions"]);
    assert_eq!(client.call("decisions", json!({"path": "src/maps.js"}))["decisions"], json!([]));
    let (refused, is_error) = client.tool("decisions", json!({"item": "nothing"}));
    assert!(is_error, "{refused}");
}

#[test]
fn an_agent_holds_a_discussion_and_it_replays_without_the_agent() {
    let sandbox = sandbox();
    let mut client = Client::start(&sandbox);
    let state = client.open();
    assert_eq!(
        (&state["stage"], &state["turn"], &state["max_turns"]),
        (&json!("round"), &json!(0), &json!(60))
    );
    assert_eq!(due(&state).len(), 3);
    assert_eq!(state["due"][0], json!({"persona": "business-analyst", "purpose": "framing", "owed": true}));
    let state = client.round(&state);
    assert_eq!((&state["stage"], &state["turn"]), (&json!("user"), &json!(3)), "{state}");
    let id = &state["discussion"];
    let hear = |text: &str| json!({"discussion": id, "text": text});
    let state =
        client.call("hear", hear("Decision: the queue keeps 500 photos, because the phones are small."));
    assert_eq!(due(&state)[0], ("business-analyst".to_owned(), true));
    let mut lines: Vec<Value> =
        due(&state).iter().map(|(key, _)| json!({"persona": key, "pass": true})).collect();
    lines[0] = line("Maya", 4);
    let state = client.call("say", json!({"discussion": id, "lines": lines}));
    assert_eq!(state["stage"], "user", "{state}");
    let state = client.call("hear", hear("done"));
    assert_eq!((&state["stage"], &state["due"]), (&json!("closing"), &json!([])));
    assert!(state["show"][0].as_str().unwrap().contains("Maya Chen"), "{state}");
    let synthesis = json!({
        "insights": [{"text": "Nothing says in which order failed uploads are repeated", "by": ["system-designer"], "turns": [3]}],
    });
    let state = client.call("close", json!({"discussion": id, "synthesis": synthesis}));
    assert_eq!((&state["stage"], &state["branch"]), (&json!("closed"), &json!(BRANCH)), "{state}");
    assert_eq!(state["commit"], sandbox.tip(BRANCH).unwrap().to_string());
    // Asked again it says where it is.
    assert_eq!(client.call("close", json!({"discussion": id}))["commit"], state["commit"]);
    client.end();

    let events = sandbox.events();
    assert_eq!((&events[0]["voice"], &events[0]["user"]), (&json!("agent"), &json!("Sam")));
    assert_eq!(
        events[1]["rests"][0],
        json!({"path": "requirements-spec.md", "line": 5, "quote": "Sync should be fast."})
    );
    let summary = events.iter().find(|event| event["kind"] == "synthesis").unwrap();
    assert_eq!(summary["decisions"].as_array().unwrap().len(), 1, "{summary}");
    sandbox.run(&["replay", &format!("{BRANCH}:{}", sandbox.recordings()[0])]).ok();
    sandbox.run(&["check", "--base", "main", "--head", BRANCH]).ok();
    sandbox.run(&["replay", "--all", "--rev", BRANCH]).ok();
    assert!(
        std::fs::read_dir(sandbox.git.path().join("roundtable"))
            .unwrap()
            .all(|entry| { !entry.unwrap().file_name().to_string_lossy().ends_with(".jsonl") })
    );
    sandbox.assert_sound();
}

#[test]
fn words_that_an_agent_names_accept_what_an_earlier_discussion_proposed() {
    let sandbox = sandbox();
    let path = format!("{ITEM}/a-notes.md");
    let notes = "# Notes\n\n- **FR-002**: the fee is named (proposed by Jordan)\n- FR-003: an answer\n";
    sandbox.commit(&[(&path, notes)]);
    let mut client = Client::start(&sandbox);
    let opened = client.open();
    let talk = opened["discussion"].clone();
    client.round(&opened);
    let heard = "Thanks, all. Let us take the fee as it is proposed.";
    let state = client.call("hear", json!({"discussion": talk, "text": heard}));
    client.round(&state);
    client.call("hear", json!({"discussion": talk, "text": "done"}));
    let accepts =
        |id: &str| json!({"turn": 4, "text": "Let us take the fee as it is proposed", "accepts": id});
    let synthesis = json!({"decisions": [accepts("FR-002"), accepts("FR-003")]});
    let state = client.call("close", json!({"discussion": talk, "synthesis": synthesis}));
    assert_eq!(state["stage"], "closed", "{state}");
    client.end();
    let after = sandbox.file(BRANCH, &path);
    assert_eq!(after, notes.replace("Jordan)\n", "Jordan)\n  - Accepted 2026-02-20 (Sam).\n"));
    sandbox.run(&["replay", "--all", "--rev", BRANCH]).ok();
    let recording = format!("{BRANCH}:{}", state["recording"].as_str().unwrap());
    sandbox.run(&["replay", &recording, "--onto", "main", "--branch", "again"]).ok();
    assert_eq!(sandbox.file("again", &path), after);
}

#[test]
fn the_same_moves_give_the_same_commit() {
    let commit = || {
        let sandbox = sandbox();
        let mut client = Client::start(&sandbox);
        let state = client.open();
        let state = client.round(&state);
        let id = state["discussion"].clone();
        client.call("hear", json!({"discussion": id, "text": "Photos wait a day. That's all, done."}));
        client.call("close", json!({"discussion": id}))["commit"].clone()
    };
    assert_eq!(commit(), commit());
}

/// What a move is refused for.
fn rules(state: &Value) -> Vec<String> {
    let refused = state["refused"].as_array().into_iter().flatten();
    refused.map(|one| one["rule"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_wrong_move_is_refused_with_a_reason_and_changes_nothing() {
    let sandbox = sandbox();
    let mut client = Client::start(&sandbox);
    let opened = client.open();
    let id = opened["discussion"].clone();
    let log = || {
        let folder = sandbox.git.path().join("roundtable");
        let mut logs = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let log = logs.find(|path| path.extension().is_some_and(|suffix| suffix == "jsonl"));
        std::fs::read_to_string(log.unwrap()).unwrap()
    };
    let before = log();
    let maya = "business-analyst";
    let quoted = |quote: &str| json!([{"path": "requirements-spec.md", "line": 5, "quote": quote}]);
    for (line, rule, reason) in [
        (json!({"persona": "alex", "text": "The server has no limit."}), "out-of-turn", "business-analyst"),
        (json!({"persona": "Bob", "text": "The server has no limit."}), "unknown-persona", "system-designer"),
        (json!({"persona": maya, "text": "Alex: the server has no limit."}), "speaking for another", "Alex"),
        (
            json!({"persona": maya, "text": "Alex Rivera (Solutions Architect): no limit."}),
            "prefix",
            "begins",
        ),
    ] {
        let state = client.call("say", json!({"discussion": id, "lines": [line]}));
        assert!(rules(&state).contains(&rule.to_owned()), "{line}: {state}");
        assert!(state["refused"].to_string().contains(reason), "{state}");
        assert_eq!((&state["turn"], log() == before), (&json!(0), true), "{line}");
    }
    let line =
        json!({"persona": maya, "text": "How fast is it?", "rests": quoted("Sync should take seconds.")});
    let state = client.call("say", json!({"discussion": id, "lines": [line]}));
    // The third try is the last: the secretary frames.
    assert_eq!((rules(&state), &state["turn"]), (vec!["quotation".to_owned()], &json!(1)), "{state}");
    let reason = state["refused"][0]["reason"].as_str().unwrap();
    assert!(reason.ends_with("the nearest line is requirements-spec.md:5: Sync should be fast."), "{reason}");
    let first = state["show"][0].as_str().unwrap().to_owned();
    assert!(first.starts_with("Maya Chen (Business Analyst):"), "{state}");

    let before = log();
    let moves = [
        ("hear", json!({"discussion": id, "text": "Wait."}), "out-of-turn"),
        ("close", json!({"discussion": id}), "out-of-turn"),
        ("say", json!({"discussion": id, "lines": [line_of(maya)]}), "out-of-turn"),
        (
            "say",
            json!({"discussion": id, "lines": [{"persona": "solutions-architect", "pass": true}]}),
            "silence",
        ),
    ];
    for (tool, arguments, rule) in moves {
        let state = client.call(tool, arguments);
        assert_eq!((rules(&state), log() == before), (vec![rule.to_owned()], true), "{tool}: {state}");
    }
    // A good line stays while the one before it is said again.
    let echo = json!({"persona": "solutions-architect", "text": first.split_once(": ").unwrap().1});
    let state = client.call("say", json!({"discussion": id, "lines": [echo, line_of("system-designer")]}));
    assert_eq!((rules(&state), due(&state).len()), (vec!["echo".to_owned()], 1), "{state}");
    let state = client.call("say", json!({"discussion": id, "lines": [line_of("solutions-architect")]}));
    assert_eq!((&state["stage"], &state["turn"]), (&json!("user"), &json!(3)), "{state}");
    let state = client.call("say", json!({"discussion": id, "lines": [line_of(maya)]}));
    assert_eq!(rules(&state), ["out-of-turn"]);

    client.call("hear", json!({"discussion": id, "text": "done"}));
    let before = log();
    let decided = json!({
        "decisions": [{"text": "Two phones may write to one form", "turn": 2}],
        "insights": [{"text": "Cats are fine", "by": ["user"], "turns": [2]}],
    });
    let state = client.call("close", json!({"discussion": id, "synthesis": decided}));
    let mut found = rules(&state);
    found.sort();
    assert_eq!(
        (found, log() == before),
        (vec!["decision".to_owned(), "grounding".to_owned()], true),
        "{state}"
    );
    let state = client.call("close", json!({"discussion": id}));
    assert_eq!(state["stage"], "closed");
    for (tool, arguments) in [
        ("say", json!({"discussion": id, "lines": [line_of(maya)]})),
        ("hear", json!({"discussion": id, "text": "One more."})),
    ] {
        let state = client.call(tool, arguments);
        assert_eq!((rules(&state), &state["stage"]), (vec!["closed".to_owned()], &json!("closed")));
    }
    assert_eq!(sandbox.events().iter().filter(|event| event["kind"] == "user").count(), 1);
    client.end();
}

fn line_of(persona: &str) -> Value {
    line(persona, 1)
}

#[test]
fn what_is_outside_is_refused() {
    let sandbox = sandbox();
    std::fs::write(sandbox.outside("secret.md"), "The key should be fast.\n").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(sandbox.outside("secret.md"), sandbox.root().join("link.md")).unwrap();
    let outside = sandbox.outside("secret.md").to_str().unwrap().to_owned();
    let mut client = Client::start(&sandbox);
    for (tool, arguments) in [
        ("open", json!({"item": "../offline-mode", "step": "01-03"})),
        ("open", json!({"item": "src", "step": "01-03"})),
        ("open", json!({"item": "offline-mode", "step": "09-99"})),
        ("open", json!({"item": "offline-mode", "step": "01-03", "max_turns": 2})),
        ("open", json!({"item": "offline-mode", "step": "01-03", "at": "yesterday"})),
        ("read", json!({"item": outside})),
        ("read", json!({"item": ".git"})),
        ("review", json!({"paths": [outside]})),
        ("review", json!({"paths": ["../secret.md"]})),
        ("review", json!({"paths": ["link.md"]})),
        ("review", json!({"paths": ["-"]})),
        ("hear", json!({"discussion": "0123456789ab", "text": "hello"})),
        ("say", json!({"discussion": "", "lines": []})),
        ("close", json!({"discussion": "../../x"})),
        ("shout", json!({})),
        ("say", json!({"lines": 7})),
    ] {
        let (value, is_error) = client.tool(tool, arguments.clone());
        assert!(is_error && value["error"]["message"].is_string(), "{tool} {arguments}: {value}");
        assert!(!value.to_string().contains("The key"), "{value}");
    }
    assert_eq!(sandbox.refs().len(), 1);
    client.end();
}

#[test]
fn a_discussion_outlives_the_server_and_several_go_on_at_once() {
    let sandbox = sandbox();
    let mut client = Client::start(&sandbox);
    let state = client.open();
    let first = client.round(&state);
    let other = client.call("open", json!({"item": ITEM, "step": "01-01"}));
    assert_ne!(first["discussion"], other["discussion"]);
    // The same item and step is the same discussion, with what was said.
    let again = client.open();
    assert_eq!((&again["discussion"], &again["turn"]), (&first["discussion"], &json!(3)));
    assert_eq!(again["show"].as_array().unwrap().len(), 4, "{again}");
    client.server.kill().unwrap();
    client.server.wait().unwrap();

    let mut client = Client::start(&sandbox);
    let id = &first["discussion"];
    let heard = client.call("hear", json!({"discussion": id, "text": "Photos wait a day."}));
    assert_eq!(heard["turn"], 4, "{heard}");
    let reopened = client.call("open", json!({"item": "offline-mode", "step": "01-03"}));
    assert_eq!((&reopened["discussion"], &reopened["turn"]), (id, &json!(4)));
    let resumed = client.call("open", json!({"item": "offline-mode", "step": "01-01"}));
    assert_eq!(resumed["discussion"], other["discussion"]);
    let mut states = BTreeMap::from([("01-03", heard), ("01-01", resumed)]);
    for state in states.values_mut() {
        *state = client.round(state);
        let id = state["discussion"].clone();
        client.call("hear", json!({"discussion": id, "text": "done"}));
        *state = client.call("close", json!({"discussion": id}));
    }
    client.end();
    assert_eq!(sandbox.recordings().len(), 2, "{states:?}");
    sandbox.run(&["replay", "--all", "--rev", BRANCH]).ok();
}

#[test]
fn silence_and_late_words_are_kept() {
    let sandbox = sandbox();
    let mut client = Client::start(&sandbox);
    let state = client.call("open", json!({"item": "offline-mode", "step": "01-03", "max_turns": 5}));
    let id = state["discussion"].clone();
    client.round(&state);
    let hear = |text: &str| json!({"discussion": id, "text": text});
    let state = client.call("hear", hear("  "));
    assert!(due(&state).iter().all(|(_, owed)| !owed), "{state}");
    // Who owes nothing has passed when the user speaks.
    let state =
        client.call("hear", hear("Photos wait a day. My token is ghp_0123456789abcdefghijABCDEFGHIJ012345."));
    assert!(state["warnings"][0].as_str().unwrap().contains("masked"), "{state}");
    let state = client.round(&state);
    assert_eq!((&state["stage"], &state["turn"]), (&json!("closing"), &json!(5)), "{state}");
    client.call("hear", hear("Keep the photos for ever."));
    let state = client.call("close", json!({"discussion": id}));
    assert!(state["show"][0].as_str().unwrap().contains("Keep the photos for ever."), "{state}");
    client.end();
    let kinds: Vec<Value> = sandbox.events().iter().map(|event| event["kind"].clone()).collect();
    assert!(kinds.contains(&json!("unheard")) && kinds.contains(&json!("silence")), "{kinds:?}");
    assert!(!sandbox.file(BRANCH, &sandbox.recordings()[0]).contains("ghp_0123"));
}

#[test]
fn an_agents_first_finding_takes_one_call() {
    let sandbox = sandbox();
    let text = format!("{}\n## 5. Limits\n\n- **R-9** The limit is TBD.\n", crate::kit::SPEC);
    sandbox.commit(&[(&format!("{ITEM}/requirements-spec.md"), &text)]);
    let mut client = Client::start(&sandbox);
    let listed = client.request("tools/list", json!({}))["result"]["tools"].clone();
    assert_eq!(listed.as_array().unwrap().len(), 7);
    for arguments in [
        json!({}),
        json!({"item": "offline-mode"}),
        json!({"paths": [format!("{ITEM}/requirements-spec.md")]}),
    ] {
        let found = client.call("review", arguments);
        assert_eq!(found["findings"][0]["path"], format!("{ITEM}/requirements-spec.md"), "{found}");
        assert_eq!(found["findings"][0]["line"], 17);
    }
    let read = client.call("read", json!({"item": "offline-mode", "step": "01-03"}));
    assert!(read["documents"][0]["text"].as_str().unwrap().contains("Sync should be fast."), "{read}");
    assert!(read["evidence"].is_array() && read["personas"].as_array().unwrap().len() == 3);
    client.end();
}

/// Values that a hostile client may send.
fn anything() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "(offline-mode|01-03|Maya|\\.\\./x|[\\PC\n\t]{0,12})".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        let keys = "(item|step|discussion|lines|persona|text|rests|synthesis|paths|at|user|[a-z]{0,4})";
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(keys, inner, 0..5)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

#[test]
fn hostile_calls_get_an_answer_of_the_protocol() {
    let sandbox = sandbox();
    let mut client = Client::start(&sandbox);
    let opened = client.open();
    let id = opened["discussion"].clone();
    let tools = prop::sample::select(vec!["review", "open", "say", "hear", "close", "read", ""]);
    let mut runner = TestRunner::new(Config { cases: 400, failure_persistence: None, ..Config::default() });
    let client = std::cell::RefCell::new(client);
    let sent = (tools, anything(), any::<bool>());
    runner
        .run(&sent, |(tool, mut arguments, at_table)| {
            if let (true, Value::Object(fields)) = (at_table && tool != "close", &mut arguments) {
                fields.insert("discussion".to_owned(), id.clone());
            }
            let mut client = client.borrow_mut();
            client.line(&arguments.to_string());
            let answer = client.request("tools/call", json!({"name": tool, "arguments": arguments}));
            prop_assert!(answer["result"].is_object() || answer["error"].is_object(), "{}", answer);
            Ok(())
        })
        .unwrap();
    let mut client = client.into_inner();
    for line in ["", "{", "\u{0}", "[[[[", "{\"jsonrpc\": \"2.0\"}", "nonsense", "\"x\"", "{\"id\": 1e999}"] {
        client.line(line);
    }
    assert!(client.request("ping", json!({}))["result"].is_object());
    client.end();
    assert_eq!(sandbox.refs().len(), 1);
}

#[test]
fn a_line_that_is_not_json_is_answered() {
    let sandbox = sandbox();
    let mut client = Client::start(&sandbox);
    client.line("");
    client.line("{nonsense");
    let mut line = String::new();
    client.from.read_line(&mut line).unwrap();
    let answer: Value = serde_json::from_str(&line).unwrap();
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&Value::Null, &json!(-32700)), "{line}");
    assert!(client.request("ping", json!({}))["result"].is_object());
    client.end();
}

#[test]
fn it_starts_at_once() {
    let sandbox = sandbox();
    let best = (0..5).map(|_| {
        let begun = Instant::now();
        let client = Client::start(&sandbox);
        let took = begun.elapsed();
        client.end();
        took
    });
    // A debug build on a busy machine; a release build takes 2 ms.
    assert!(best.min().unwrap() < Duration::from_millis(400));
}
