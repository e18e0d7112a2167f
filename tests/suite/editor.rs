//! `roundtable lsp`, spoken to by hand: what an editor sends and gets.

use std::io::{BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::kit::{ITEM, Sandbox, sandbox};

struct Editor {
    server: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    requests: u64,
}

impl Editor {
    fn start(sandbox: &Sandbox) -> Editor {
        let mut command = sandbox.command(&["lsp"]);
        let mut server = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (to, from) = (server.stdin.take().unwrap(), BufReader::new(server.stdout.take().unwrap()));
        let mut editor = Editor { server, to, from, requests: 0 };
        let root = format!("file://{}", sandbox.root().display());
        let show = json!({"window": {"showDocument": {"support": true}}});
        let answer = editor.request("initialize", json!({"rootUri": root, "capabilities": show}));
        assert_eq!(answer["result"]["capabilities"]["textDocumentSync"]["change"], 2, "{answer}");
        editor.notify("initialized", json!({}));
        editor
    }

    fn raw(&mut self, body: &str) {
        write!(self.to, "Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
        self.to.flush().unwrap();
    }

    fn notify(&mut self, method: &str, params: Value) {
        self.raw(&json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string());
    }

    fn request(&mut self, method: &str, params: Value) -> Value {
        self.requests += 1;
        let id = self.requests;
        self.raw(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string());
        let answer = self.next();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    fn next(&mut self) -> Value {
        let mut header = Vec::new();
        while !header.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            self.from.read_exact(&mut byte).unwrap();
            header.push(byte[0]);
        }
        let header = String::from_utf8(header).unwrap();
        let length = header.strip_prefix("Content-Length: ").unwrap().trim().parse().unwrap();
        let mut body = vec![0; length];
        self.from.read_exact(&mut body).unwrap();
        serde_json::from_slice(&body).unwrap()
    }

    /// The diagnostics that were published.
    fn diagnostics(&mut self) -> Vec<Value> {
        let published = self.next();
        assert_eq!(published["method"], "textDocument/publishDiagnostics", "{published}");
        published["params"]["diagnostics"].as_array().unwrap().clone()
    }

    fn open(&mut self, uri: &str, text: &str) -> Vec<Value> {
        let document = json!({"uri": uri, "languageId": "markdown", "version": 1, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": document}));
        self.diagnostics()
    }

    fn change(&mut self, uri: &str, version: i64, changes: Value) -> Vec<Value> {
        let document = json!({"uri": uri, "version": version});
        self.notify("textDocument/didChange", json!({"textDocument": document, "contentChanges": changes}));
        self.diagnostics()
    }

    fn end(mut self) {
        assert_eq!(self.request("shutdown", Value::Null)["result"], Value::Null);
        self.notify("exit", Value::Null);
        assert!(self.server.wait().unwrap().success());
    }
}

fn uri(sandbox: &Sandbox, path: &str) -> String {
    format!("file://{}", sandbox.root().join(path).display())
}

fn place(diagnostic: &Value) -> (u64, u64) {
    let start = &diagnostic["range"]["start"];
    (start["line"].as_u64().unwrap(), start["character"].as_u64().unwrap())
}

fn range(from: (u64, u64), to: (u64, u64)) -> Value {
    json!({"start": {"line": from.0, "character": from.1}, "end": {"line": to.0, "character": to.1}})
}

#[test]
fn findings_follow_the_text_that_is_written() {
    let sandbox = sandbox();
    let mut editor = Editor::start(&sandbox);
    let uri = uri(&sandbox, &format!("{ITEM}/plan.md"));
    let found = editor.open(&uri, "# Plan\n\n😀 The list must be shown quickly.\n");
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        (&found[0]["source"], &found[0]["code"]),
        (&json!("roundtable"), &json!("timing-without-deadline"))
    );
    // Columns count in UTF-16: the sign before them takes two.
    let list = "😀 The list ".encode_utf16().count() as u64;
    assert_eq!(place(&found[0]), (2, list), "{found:?}");
    let quickly = "😀 The list must be shown ".encode_utf16().count() as u64;
    let change = json!([{"range": range((2, quickly), (2, quickly + 7)), "text": "within 2 seconds"}]);
    assert_eq!(editor.change(&uri, 2, change), Vec::<Value>::new());
    assert_eq!(editor.change(&uri, 3, json!([{"text": "The list must be shown quickly.\n"}])).len(), 1);
    editor.notify("textDocument/didClose", json!({"textDocument": {"uri": uri}}));
    assert_eq!(editor.diagnostics(), Vec::<Value>::new());
    editor.end();
}

#[test]
fn a_finding_is_silenced_with_a_reason_or_explained() {
    let sandbox = sandbox();
    let mut editor = Editor::start(&sandbox);
    let uri = uri(&sandbox, "plan.md");
    for text in [
        "# Plan\n\nEverything is kept.\nThe list must be shown quickly.\n",
        "- The list must be shown quickly.\n- The form is short.\n",
        "| Rule |\n| --- |\n| The list must be shown quickly. |\n",
    ] {
        let before = editor.open(&uri, text);
        let found = before.iter().find(|one| one["code"] == "timing-without-deadline").unwrap().clone();
        let params = json!({"textDocument": {"uri": uri}, "range": found["range"], "context": {"diagnostics": [found]}});
        let actions = editor.request("textDocument/codeAction", params)["result"].clone();
        let titled = |title: &str| {
            let all = actions.as_array().unwrap();
            all.iter()
                .find(|one| one["title"] == title)
                .unwrap_or_else(|| panic!("{title}: {actions}"))
                .clone()
        };
        let edit =
            titled("Silence timing-without-deadline here, with a reason")["edit"]["changes"][&uri][0].clone();
        assert!(
            edit["newText"].as_str().unwrap().contains("<!-- roundtable-ignore timing-without-deadline: "),
            "{edit}"
        );
        let change = json!([{"range": edit["range"], "text": edit["newText"]}]);
        let after = editor.change(&uri, 2, change);
        assert_eq!(after.len() + 1, before.len(), "{text}: {after:?}");
        let explain = titled("Explain timing-without-deadline")["command"].clone();
        editor.request(
            "workspace/executeCommand",
            json!({"command": explain["command"], "arguments": explain["arguments"]}),
        );
        let shown = editor.next();
        assert_eq!(shown["method"], "window/showDocument");
        let page = shown["params"]["uri"].as_str().unwrap().strip_prefix("file://").unwrap().to_owned();
        assert!(std::fs::read_to_string(page).unwrap().starts_with("# timing-without-deadline\n"));
        // The editor's answer to that is no request.
        editor.raw(&json!({"jsonrpc": "2.0", "id": shown["id"], "result": {"success": true}}).to_string());
    }
    editor.end();
}

#[test]
fn settings_and_the_documents_of_the_item_count() {
    let sandbox = sandbox();
    sandbox.commit(&[
        (".roundtable.yaml", "review:\n  severity:\n    timing-without-deadline: note\n"),
        (&format!("{ITEM}/limits.md"), "# Limits\n\n- The phone keeps 400 photos.\n"),
    ]);
    let mut editor = Editor::start(&sandbox);
    let text = "# More\n\nThe phone keeps 300 photos. It is sent quickly.\n";
    let found = editor.open(&uri(&sandbox, &format!("{ITEM}/more.md")), text);
    let alone = editor.open(&uri(&sandbox, "more.md"), text);
    let of = |code: &str, all: &[Value]| all.iter().find(|one| one["code"] == code).cloned();
    assert!(found.len() >= alone.len());
    if let Some(conflict) = of("conflicting-figures", &found) {
        let other = conflict["relatedInformation"][0]["location"]["uri"].as_str().unwrap();
        assert!(other.ends_with("limits.md"), "{conflict}");
    }
    assert!(of("conflicting-figures", &alone).is_none());
    editor.end();
}

#[test]
fn whatever_is_sent_the_server_answers_or_ends_in_order() {
    let sandbox = sandbox();
    let mut editor = Editor::start(&sandbox);
    assert_eq!(editor.request("textDocument/hover", json!({}))["error"]["code"], -32601);
    editor.raw("{ no JSON");
    assert_eq!(editor.next()["error"]["code"], -32700);
    for params in [Value::Null, json!([]), json!({"textDocument": 7}), json!({"textDocument": {"uri": "x"}})]
    {
        for method in ["textDocument/didChange", "textDocument/didSave", "$/cancelRequest", "workspace/x"] {
            if method != "textDocument/didSave" || params["textDocument"]["uri"].is_null() {
                editor.notify(method, params.clone());
            }
        }
        assert_eq!(editor.request("textDocument/codeAction", params)["result"], json!([]));
    }
    let odd = json!({"textDocument": {"uri": "untitled:1"}, "range": {"start": {"line": u64::MAX}}});
    editor.open("untitled:1", "The list must be shown quickly.\n");
    assert_eq!(editor.request("textDocument/codeAction", odd)["result"], json!([]));
    let changes = json!([{"range": range((7, 9), (u64::MAX, 0)), "text": "x"}, {"range": 1}, 3]);
    editor.change("untitled:1", 9, changes);
    editor.end();

    let mut editor = Editor::start(&sandbox);
    editor.to.write_all(b"Content-Length: x\r\n\r\n").unwrap();
    assert_eq!(editor.server.wait().unwrap().code(), Some(2));
}

#[test]
fn a_change_in_a_long_document_is_answered_at_once() {
    let sandbox = sandbox();
    let mut editor = Editor::start(&sandbox);
    let uri = uri(&sandbox, "long.md");
    let lines = (1..=300)
        .map(|n| format!("- R-{n}: The depot {n} keeps {n} parts, and the clerk counts them quickly.\n"));
    editor.open(&uri, &lines.collect::<String>());
    let best = (2..8).map(|version| {
        let begun = Instant::now();
        editor.change(&uri, version, json!([{"range": range((150, 0), (150, 0)), "text": "x"}]));
        begun.elapsed()
    });
    // A debug build on a busy machine; a release build is ten times as fast.
    let best = best.min().unwrap();
    assert!(best < Duration::from_millis(1500), "{best:?}");
    editor.end();
}
