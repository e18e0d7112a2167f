//! `show ITEM` and `show --decisions`: what was decided, and where it came from.

use serde_json::{Value, json};

use crate::forge::git;
use crate::kit::{AT, BRANCH, ITEM, Sandbox, sandbox};

const TALK: &str = "Alex, what breaks first?\nWe decided to keep both &lt;b&gt;answers&lt;/b&gt; | because nobody may lose work.\ndone\n";

fn discussed() -> Sandbox {
    let sandbox = sandbox();
    for at in [AT, "2026-02-21T14:30:00Z"] {
        sandbox.elaborate(TALK, &["--at", at]).ok();
    }
    sandbox
}

#[test]
fn decisions_say_who_decided_what_on_which_words() {
    let sandbox = discussed();
    let all = sandbox.run(&["show", "offline-mode", "--decisions", "--json"]).json();
    let [first, second] = all["decisions"].as_array().unwrap().as_slice() else { panic!("{all}") };
    let at = AT.replace('Z', ".000Z");
    assert_eq!(first["item"], ITEM);
    assert_eq!(
        (&first["by"], &first["step_id"], &first["at"]),
        (&json!("User"), &json!("01-03"), &json!(at))
    );
    assert_eq!(first["words"][0]["text"], TALK.lines().nth(1).unwrap());
    assert_eq!(first["words"][0]["turn"], first["turns"][0]);
    assert!(first["rationale"].as_str().unwrap().contains("nobody may lose work"), "{first}");
    let recording = sandbox.file(BRANCH, first["recording"].as_str().unwrap());
    assert!(recording.contains("We decided to keep both"));
    assert_eq!(second["commit"], sandbox.tip(BRANCH).unwrap().to_string());
    assert_eq!((&first["replaces"], &first["replaced_by"]), (&json!([]), &json!([])));
    // Without an item it is the decisions of all of them.
    assert_eq!(sandbox.run(&["show", "--decisions", "--json"]).json(), all);
    let text = sandbox.run(&["show", "offline-mode", "--decisions"]).ok().stdout;
    assert!(text.contains("2 decisions, read at ") && text.contains(first["id"].as_str().unwrap()), "{text}");
}

#[test]
fn logs_keep_hostile_words_harmless() {
    let sandbox = discussed();
    let log = sandbox.run(&["show", "--decisions", "--markdown"]).ok().stdout;
    assert!(log.starts_with("# Decisions\n") && log.matches("\n### D-").count() == 2, "{log}");
    assert!(log.contains("\n\nWe decided to keep both &lt;b") && !log.contains("<b>"), "{log}");
}

#[test]
fn a_decision_without_a_reason_is_shown_without_one() {
    let sandbox = sandbox();
    let script =
        "Decision: photos are kept for 10 days.\nDecision: maps stay because rangers ask for them.\ndone\n";
    sandbox.elaborate(script, &["--at", AT]).ok();
    let all = sandbox.run(&["show", "offline-mode", "--decisions", "--json"]).json();
    let rationales: Vec<&Value> =
        all["decisions"].as_array().unwrap().iter().map(|one| &one["rationale"]).collect();
    assert_eq!(rationales.len(), 2, "{all}");
    assert!(rationales[0] == "" && rationales[1].as_str().unwrap().contains("rangers ask"), "{all}");
}

#[test]
fn decisions_are_of_items_and_decision_records_are_among_them() {
    let sandbox = sandbox();
    let record = format!("{ITEM}/adr/0001-storage.md");
    sandbox.commit(&[(&record, "# ADR 0001: Storage in <b>files</b>\n")]);
    sandbox.elaborate("Decision: SQLite, supersedes ADR-0001.\ndone\n", &["--at", AT]).ok();
    let all = sandbox.run(&["show", "offline-mode", "--decisions", "--json"]).json();
    let (new, old) = (&all["decisions"][0], &all["decision_records"][0]);
    assert_eq!((&old["id"], &old["item"]), (&json!("ADR-0001"), &json!(ITEM)));
    assert_eq!((&new["replaces"], &old["replaced_by"]), (&json!(["ADR-0001"]), &json!([new["id"]])));
    let log = sandbox.run(&["show", "offline-mode", "--decisions", "--markdown"]).ok().stdout;
    assert!(log.contains("### ADR-0001\n\nStorage in &lt;b") && log.contains("adr/0001-storage.md"), "{log}");
    let recording = format!("{BRANCH}:{}", sandbox.recordings()[0]);
    for wrong in [
        &["show", &recording, "--decisions"][..],
        &["show", "--decisions", "--format", "html"],
        &["show", "--decisions", "--markdown", "--json"],
        &["show", "nothing-here", "--decisions"],
    ] {
        assert_eq!(sandbox.run(wrong).code, 2, "{wrong:?}");
    }
    // An item without a decision has none, and a repository without an item neither.
    let none = crate::kit::sandbox();
    assert_eq!(none.run(&["show", "--decisions", "--json"]).json()["decisions"], json!([]));
    let told = none.run(&["show", "offline-mode", "--decisions"]).ok().stdout;
    assert!(told.contains("0 decisions, read at "), "{told}");
}

/// The ids of the decisions that `show` prints, the oldest first.
fn decisions(sandbox: &Sandbox) -> Vec<Value> {
    let shown = sandbox.run(&["show", "offline-mode", "--json"]).json();
    shown["decisions"].as_array().unwrap().clone()
}

#[test]
fn a_decision_is_replaced_by_a_later_one_that_names_it() {
    let sandbox = sandbox();
    let first = "Decision: photos are kept for 10 days because phones are small.\ndone\n";
    sandbox.elaborate(first, &["--at", AT]).ok();
    let old = decisions(&sandbox)[0]["id"].as_str().unwrap().to_owned();

    let second = format!(
        "Decision: the map is kept.\nDecision: photos are kept for 20 days because rangers ask for them; replaces {old}.\ndone\n"
    );
    let run = sandbox.elaborate(&second, &["--at", "2026-02-21T10:00:00Z"]).ok();
    assert!(run.stdout.contains(&format!("Replaces {old}: ")), "{}", run.stdout);

    let all = decisions(&sandbox);
    let new = all[2]["id"].as_str().unwrap().to_owned();
    assert_eq!(all[0]["replaced_by"], serde_json::json!([new]), "{all:?}");
    assert_eq!(
        (&all[1]["replaces"], &all[1]["replaced_by"]),
        (&serde_json::json!([]), &serde_json::json!([]))
    );
    assert_eq!(all[2]["replaces"], serde_json::json!([old]), "{all:?}");

    let shown = sandbox.run(&["show", "offline-mode"]).ok().stdout;
    assert!(
        shown.contains(&format!("replaced by {new}")) && shown.contains(&format!("replaces {old}")),
        "{shown}"
    );
    let page = sandbox.run(&["show", "offline-mode", "--format", "html"]).ok().stdout;
    let link = format!("replaced by <a href=\"#i1{new}\">{new}</a>");
    assert!(
        page.contains(&link) && page.contains(&format!("<li id=\"i1{old}\" data-find class=\"replaced\">")),
        "{page}"
    );
    let log = sandbox.run(&["show", "offline-mode", "--decisions", "--markdown"]).ok().stdout;
    assert!(
        log.contains(&format!("### {old}\n")) && log.contains(&format!("- Replaced by {new}\n")),
        "{log}"
    );

    // The old line is in the document as it was, and `why` says that it no longer holds.
    let text = git(
        &sandbox.root(),
        &["show", "roundtable/offline-mode:docs/requirements/offline-mode/requirements-spec.md"],
    );
    let line = text.lines().position(|line| line.contains("photos are kept for 10 days")).unwrap() + 1;
    let place = format!("docs/requirements/offline-mode/requirements-spec.md:{line}");
    let why = sandbox.run(&["why", &place, "--rev", "roundtable/offline-mode"]).ok().stdout;
    assert!(why.contains(&old) && why.contains(&format!("by {new}")), "{why}");
}

#[test]
fn an_id_that_no_decision_has_is_told() {
    let sandbox = sandbox();
    let run = sandbox.elaborate("Decision: photos are kept; replaces D-0000000.\ndone\n", &["--at", AT]).ok();
    assert!(run.stderr.contains("D-0000000 is not an earlier decision of this item"), "{}", run.stderr);
    assert!(run.stderr.contains("`roundtable show offline-mode` lists the ids"), "{}", run.stderr);
    assert_eq!(decisions(&sandbox)[0]["replaces"], serde_json::json!([]));
}

#[test]
fn a_line_may_be_named_with_its_column() {
    let sandbox = discussed();
    let place = format!("{ITEM}/requirements-spec.md:5");
    let with = sandbox.run(&["why", &format!("{place}:12"), "--rev", BRANCH, "--json"]).json();
    assert_eq!(with, sandbox.run(&["why", &place, "--rev", BRANCH, "--json"]).json());
    assert_eq!(with["line"], 5);
}

#[test]
fn an_item_is_shown_with_all_that_its_discussions_came_to() {
    let sandbox = discussed();
    let found = sandbox.run(&["show", "offline-mode", "--json"]).json();
    assert_eq!(found["discussions"].as_array().unwrap().len(), 2);
    assert_eq!(found["decisions"].as_array().unwrap().len(), 2, "{found}");
    assert_eq!(found["decisions"][0]["by"], "User");
    assert_eq!(found["documents"][0], "requirements-spec.md");
    let told = sandbox.run(&["show", "offline-mode"]).ok().stdout;
    assert!(told.contains("2 decisions") && told.contains("Discussions"), "{told}");
    let page = sandbox.run(&["show", "--format", "html"]).ok().stdout;
    assert!(page.contains("keep both &lt;b&gt;answers") && !page.contains("<b>"), "{page}");
    // The page's own script is the only one that may run.
    let script = page.split("<script>").nth(1).unwrap().split("</script>").next().unwrap();
    let digest = roundtable::item::library::sha256(script.as_bytes());
    let bytes: Vec<u8> =
        (0..32).map(|at| u8::from_str_radix(&digest[at * 2..at * 2 + 2], 16).unwrap()).collect();
    let policy = page.split("script-src 'sha256-").nth(1).unwrap().split('\'').next().unwrap();
    assert_eq!(policy, base64(&bytes));
    assert_eq!(sandbox.run(&["show", "nothing-here"]).code, 2);
}

/// Base64 (RFC 4648) of 32 bytes.
fn base64(bytes: &[u8]) -> String {
    const SIGNS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for three in bytes.chunks(3) {
        let number =
            three.iter().fold(0_u32, |sum, byte| sum << 8 | u32::from(*byte)) << (8 * (3 - three.len()));
        for at in 0..4 {
            let is_there = at <= three.len();
            let sign = SIGNS[(number >> (18 - 6 * at)) as usize & 63] as char;
            out.push(if is_there { sign } else { '=' });
        }
    }
    out
}

#[test]
fn an_item_is_shown_as_markdown_and_no_word_of_it_is_markup() {
    let sandbox = sandbox();
    let script = "Decision: no <!-- cards --> because # is taken.\nWho pays for `paper`?\ndone\n";
    sandbox.elaborate(script, &["--at", AT]).ok();
    let shown = sandbox.run(&["show", "offline-mode", "--markdown", "--rev", BRANCH]).ok().stdout;
    for line in [
        "# offline mode\n",
        "### Decisions\n\n- ",
        "### Open questions\n\n- Who pays for ",
        "### Discussions\n\n- ",
    ] {
        assert!(shown.contains(line), "{line:?}: {shown}");
    }
    assert!(!shown.contains("<!--"), "{shown}");
    assert_eq!(shown, sandbox.run(&["show", "--format", "markdown", "--rev", BRANCH]).ok().stdout);
}

#[test]
fn an_item_is_shown_by_a_document_in_it() {
    let sandbox = discussed();
    let by_document = sandbox.run(&["show", &format!("{ITEM}/requirements-spec.md"), "--json"]).json();
    assert_eq!(by_document, sandbox.run(&["show", "offline-mode", "--json"]).json());
    let absent = sandbox.run(&["show", &format!("{ITEM}/nothing.md")]);
    assert!(absent.code == 2 && absent.stdout.is_empty(), "{}", absent.stdout);
}

#[test]
fn what_a_step_of_the_analysis_decides_is_among_the_decisions() {
    let sandbox = sandbox();
    let answers =
        "answers:\n  \"00-01\": [\"Decision: no cards because nobody carries one.\", null, null, null]\n";
    let script = sandbox.script("answers.yaml", answers);
    sandbox.run(&["analyze", "offline-mode", "--script", &script, "--user", "Kim", "--at", AT]).ok();
    let branch = ["--rev", BRANCH];
    let all = sandbox.run(&[&["show", "offline-mode", "--decisions", "--json"], &branch[..]].concat()).json();
    let one = &all["decisions"][0];
    assert_eq!((one["by"].as_str(), one["step_id"].as_str()), (Some("Kim"), Some("00-01")), "{all}");
    assert_eq!(
        (one["text"].as_str(), one["rationale"].as_str()),
        (Some("no cards because nobody carries one"), Some("nobody carries one"))
    );
    assert!(one["recording"].as_str().unwrap().contains("/analysis/00-01-"), "{all}");
    for format in ["text", "markdown", "html"] {
        let shown = sandbox.run(&["show", "offline-mode", "--format", format, "--rev", BRANCH]).ok().stdout;
        assert!(shown.contains("1 decision,") && shown.contains("no cards"), "{shown}");
    }
}
