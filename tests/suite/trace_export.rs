//! `export`, `prove`, `verify`, `show ITEM` and `why --markdown`: where decisions came from, for others.

use serde_json::Value;

use crate::kit::{AT, BRANCH, ITEM, Run, Sandbox, program, sandbox};

const TALK: &str = "Alex, what breaks first?\nWe decided to keep both <b>answers</b> | because nobody may lose work.\ndone\n";

fn discussed() -> Sandbox {
    let sandbox = sandbox();
    for at in [AT, "2026-02-21T14:30:00Z"] {
        sandbox.elaborate(TALK, &["--at", at]).ok();
    }
    sandbox
}

#[test]
fn in_toto_statements_say_who_decided_what_on_which_words() {
    let sandbox = discussed();
    let text = sandbox.run(&["export", "--format", "in-toto", "--rev", BRANCH]).ok().stdout;
    let all: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(all.len(), 2);
    let one = &all[0];
    assert_eq!(one["_type"], "https://in-toto.io/Statement/v1");
    let recording = sandbox.file(BRANCH, one["subject"][0]["name"].as_str().unwrap());
    let digest = roundtable::library::sha256(recording.as_bytes());
    assert_eq!(one["subject"][0]["digest"]["sha256"], digest);
    assert_eq!(one["subject"][1]["name"], format!("{ITEM}/requirements-spec.md"));
    let decision = &one["predicate"]["decisions"][0];
    assert!(decision["words"][0]["text"].as_str().unwrap().starts_with("We decided to keep both"));
    assert_eq!(decision["words"][0]["by"], "User");
    assert_eq!(all[1]["predicate"]["repository"]["commit"], sandbox.tip(BRANCH).unwrap().to_string());
}

#[test]
fn agent_trace_records_name_the_lines_of_a_document() {
    let sandbox = discussed();
    let all = sandbox.run(&["export", "--format", "agent-trace", "--rev", BRANCH, "--json"]).json();
    let [one] = all["traces"].as_array().unwrap().as_slice() else { panic!("{all}") };
    assert_eq!((one["version"].as_str(), one["vcs"]["type"].as_str()), (Some("0.1.0"), Some("git")));
    assert_eq!(one["id"].as_str().unwrap().len(), 36);
    let conversations = one["files"][0]["conversations"].as_array().unwrap();
    assert_eq!(conversations.len(), 2, "one a discussion");
    let spec = sandbox.spec();
    let first = conversations[0]["ranges"][0]["start_line"].as_u64().unwrap() as usize;
    assert!(spec.lines().nth(first - 1).unwrap().starts_with("<!-- Elaboration"));
}

#[test]
fn logs_and_tables_keep_hostile_words_harmless() {
    let sandbox = discussed();
    let log = sandbox.run(&["export", "--format", "markdown", "--rev", BRANCH]).ok().stdout;
    assert!(log.contains("# Decision log") && log.contains("## Decision 2"), "{log}");
    assert!(!log.contains("<b>"), "{log}");
    let row = log.lines().find(|line| line.starts_with("| [1]")).unwrap();
    assert_eq!(row.replace("\\|", "").matches('|').count(), 7, "{row}");
    let csv = sandbox.run(&["export", "--format", "csv", "--rev", BRANCH]).ok().stdout;
    assert_eq!(csv.lines().count(), 3, "{csv}");
    assert!(csv.starts_with("item,step,time,decision,"));
    let table = sandbox.run(&["why", &format!("{ITEM}/requirements-spec.md"), "--rev", BRANCH, "--markdown"]);
    let table = table.ok().stdout;
    assert!(
        table.contains("| decision | We decided to keep both &lt;b") && table.contains("| User |"),
        "{table}"
    );
    // A row names the lines of its own, and the line names the row.
    let row = table.lines().find(|row| row.contains("| decision |")).unwrap();
    let line = row.split_whitespace().nth(1).unwrap();
    let place = format!("{ITEM}/requirements-spec.md:{line}");
    let why = sandbox.run(&["why", &place, "--rev", BRANCH, "--json"]).json();
    assert_eq!(why["finding"]["kind"], "decision", "{row}");
}

#[test]
fn a_decision_without_a_reason_is_exported_without_one() {
    let sandbox = sandbox();
    let script =
        "Decision: photos are kept for 10 days.\nDecision: maps stay because rangers ask for them.\ndone\n";
    sandbox.elaborate(script, &["--at", AT]).ok();
    let csv = sandbox.run(&["export", "--format", "csv", "--rev", BRANCH]).ok().stdout;
    let rationales: Vec<&str> = csv.lines().skip(1).map(|line| line.split(',').nth(4).unwrap()).collect();
    assert_eq!(rationales.len(), 2, "{csv}");
    assert!(rationales[0].is_empty() && rationales[1].contains("rangers ask"), "{csv}");
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
fn a_recording_belongs_to_a_root_and_a_release_to_the_one_before() {
    let sandbox = discussed();
    let before = sandbox.tip(BRANCH).unwrap().to_string();
    for at in ["2026-02-22T14:30:00Z", "2026-02-23T14:30:00Z"] {
        sandbox.elaborate(TALK, &["--at", at]).ok();
    }
    let path = sandbox.recordings()[2].clone();
    let proof = sandbox.run(&["prove", &path, "--rev", BRANCH]).ok().stdout;
    let read: Value = serde_json::from_str(&proof).unwrap();
    let root = read["root"].as_str().unwrap().to_owned();
    assert_eq!((read["size"].as_u64(), read["index"].as_u64()), (Some(4), Some(2)));
    let (proof, talk) = (sandbox.script("proof.json", &proof), sandbox.file(BRANCH, &path));
    let own = sandbox.script("talk.jsonl", &talk);
    let other = sandbox.script("other.jsonl", talk.replace("nobody", "somebody"));
    // No repository is needed.
    let verify = |more: &[&str]| {
        let mut command = program(&sandbox.outside(""), &sandbox.outside("home"));
        command.args(["verify", "--proof"]).args(more);
        Run::of(command.output().unwrap())
    };
    assert_eq!(verify(&[&proof, "--root", &root, &own]).code, 0);
    assert_eq!(verify(&[&proof, "--root", &root, &other]).code, 1);
    assert_eq!(verify(&[&proof, "--root", &"0".repeat(64), &own]).code, 1);
    assert_eq!(verify(&[&proof, "--root", "abc", &own]).code, 2);
    let grown = sandbox.run(&["prove", "--from", &before, "--rev", BRANCH]).ok().stdout;
    let read: Value = serde_json::from_str(&grown).unwrap();
    assert_eq!(read["from"]["size"], 2);
    let grown = sandbox.script("grown.json", &grown);
    assert_eq!(
        verify(&[&grown, "--root", &root, "--from-root", read["from"]["root"].as_str().unwrap()]).code,
        0
    );
    assert_eq!(verify(&[&grown, "--root", &root, "--from-root", &root]).code, 1);
    assert_eq!(sandbox.run(&["prove", "--from", BRANCH, "--rev", &before]).code, 1);
    assert_eq!(sandbox.run(&["prove", &other, "--rev", BRANCH]).code, 1);
    assert_eq!(sandbox.run(&["prove", "--rev", BRANCH, "--root", &root]).code, 0);
}

#[test]
fn kept_leaves_never_change_a_root() {
    let sandbox = discussed();
    let prove = || sandbox.run(&["prove", "--rev", BRANCH]).ok().stdout;
    let made = prove();
    let kept = || -> Vec<std::path::PathBuf> {
        let all = std::fs::read_dir(sandbox.git.path().join("roundtable")).unwrap();
        let paths = all.map(|entry| entry.unwrap().path());
        paths.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("leaves-")).collect()
    };
    let [path] = &kept()[..] else { panic!("{:?}", kept()) };
    let bytes = std::fs::read(path).unwrap();
    assert_eq!(prove(), made);
    let mut changed = bytes.clone();
    changed[200] ^= 1;
    for other in [&changed[..], &bytes[..300], b""] {
        std::fs::write(path, other).unwrap();
        assert_eq!(prove(), made);
        assert_eq!(std::fs::read(path).unwrap(), bytes, "they are kept anew");
    }
    // Another revision has its own, and where they cannot be kept, nothing is missing.
    sandbox.elaborate(TALK, &["--at", "2026-02-22T14:30:00Z"]).ok();
    std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path.parent().unwrap(), "a file").unwrap();
    let grown: Value = serde_json::from_str(&prove()).unwrap();
    assert_eq!(grown["size"], 3);
    assert_ne!(grown["root"], serde_json::from_str::<Value>(&made).unwrap()["root"]);
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
    let digest = roundtable::library::sha256(script.as_bytes());
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
