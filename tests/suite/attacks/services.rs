//! Events, tokens and workflows as attacks.

#[cfg(target_os = "linux")]
use std::process::Command;

use serde_json::json;

use super::corpus;
use super::entries::named;
use crate::forge::{EARLY, LATE, TOKEN, comment, forge, git};
use crate::kit::{ITEM, Run, SPEC, Sandbox, sandbox};
use crate::server::{Reply, Server};

const BRANCH: &str = "roundtable/late-fees-for-library-books";

/// What a runner of Actions makes of a line that is a command: its name, properties and message, as
/// actions/runner reads them (ActionCommand.cs): `%25`, `%0D`, `%0A`, and in properties `%3A` and `%2C`.
fn command(line: &str) -> (String, Vec<(String, String)>, String) {
    let (head, message) = line.strip_prefix("::").unwrap().split_once("::").unwrap();
    let (name, properties) = head.split_once(' ').unwrap_or((head, ""));
    let text = |text: &str| text.replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%");
    let value = |value: &str| text(&value.replace("%3A", ":").replace("%2C", ","));
    let pair = |pair: &str| pair.split_once('=').map(|(key, found)| (key.to_owned(), value(found)));
    (name.to_owned(), properties.split(',').filter_map(pair).collect(), text(message))
}

/// Also: `annotations_are_escaped_and_keep_to_the_runners_limits`.
#[test]
#[cfg(unix)]
fn a05_an_annotation_is_read_as_it_was_meant() {
    for words in corpus!("log") {
        let name: String = words.chars().filter(|c| *c != '/').take(50).collect();
        let path = format!("{ITEM}/{name}.md");
        let sandbox = sandbox();
        let base = sandbox.commit(&[(&path, &format!("{words}\n\nold\n"))]);
        sandbox.commit(&[(&path, "new\n")]);
        let mut check = sandbox.command(&["check", "--base", &base.to_string()]);
        let run = Run::of(check.env("GITHUB_ACTIONS", "true").output().unwrap());
        assert_eq!(run.code, 1, "{}", run.stderr);
        let found: Vec<_> = run.stdout.lines().filter(|line| line.starts_with("::")).map(command).collect();
        assert!(!found.is_empty(), "{}", run.stdout);
        for (name, properties, message) in found {
            let keys: Vec<&str> = properties.iter().map(|(key, _)| key.as_str()).collect();
            assert_eq!(name, "error", "{}", run.stdout);
            assert!(keys.iter().all(|key| ["file", "line", "endLine", "title"].contains(key)), "{keys:?}");
            assert!(keys.iter().filter(|key| **key == "file").count() <= 1, "{keys:?}");
            let seen = |c: char| c == '\n' || !c.is_control() && !matches!(c, '\u{2028}' | '\u{2029}');
            assert!(message.chars().all(seen), "{message:?}");
        }
    }
}

/// The values come from an API that may say anything. Also `issue_with_label` of A3, whose outputs are judged too.
#[test]
fn a06_outputs_hold_one_value_each_and_the_environment_none() {
    for words in [corpus!("log"), corpus!("github"), corpus!("active")] {
        for name in ["addresses_of_github", "names_of_users_and_labels"] {
            named(name, &words).iter().for_each(|left| super::judged(name, left));
        }
    }
    let words = corpus!("log");
    let left = named("issue_with_label", &words);
    let text = std::fs::read_to_string(left[0].sandbox.outside("output.txt")).unwrap();
    let names: Vec<&str> =
        text.lines().filter_map(|line| line.split_once("<<")).map(|(name, _)| name).collect();
    assert_eq!(names, ["commit", "branch", "pull-request", "comment"]);
}

/// Everything below a folder, objects of git included.
fn everything(sandbox: &Sandbox) -> Vec<Vec<u8>> {
    let mut texts = Vec::new();
    let odb = sandbox.git.odb().unwrap();
    odb.refresh().unwrap();
    odb.foreach(|id| {
        texts.push(odb.read(*id).unwrap().data().to_vec());
        true
    })
    .unwrap();
    let mut folders = vec![sandbox.root(), sandbox.outside("home")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                texts.push(std::fs::read(path).unwrap());
            }
        }
    }
    texts
}

const KEYS: [(&str, &str); 4] = [
    ("ANTHROPIC_API_KEY", "sk-ant-canary-0815-QqWwEeRr"),
    ("OPENAI_API_KEY", "sk-canary-4711-AbCdEfGhIjKl"),
    ("GH_TOKEN", "ghp_canary1234567890abcdefghij"),
    ("ACTIONS_RUNTIME_TOKEN", "eyJcanary.9876543210.zyxwvuts"),
];

/// Also: `the_token_goes_to_its_own_host_only_and_into_no_file`, `a_key_that_a_model_says_is_neither_shown_nor_kept`,
/// `a_key_in_script_or_item_is_refused_before_anything_is_asked_or_written`, `a_long_key_is_gone_before_a_message_is_cut`.
#[test]
fn a26_no_secret_of_the_environment_is_written_or_printed() {
    let sandbox = sandbox();
    let forge = forge(&sandbox);
    let words =
        "We decided to print ${OPENAI_API_KEY} %OPENAI_API_KEY% {{ env.GH_TOKEN }} $ACTIONS_RUNTIME_TOKEN.";
    forge.set(|state| state.comments.insert(0, comment(10, "sam", words, EARLY)));
    let event = sandbox.script("event.json", forge.labeled("roundtable:01-03").to_string());
    let mut command = sandbox.command(&["github", "run"]);
    command
        .envs(KEYS)
        .env("GITHUB_ACTIONS", "true")
        .env("GITHUB_EVENT_NAME", "issues")
        .env("GITHUB_EVENT_PATH", event)
        .env("GITHUB_REPOSITORY", "owner/name")
        .env("GITHUB_SERVER_URL", forge.server.url(""))
        .env("GITHUB_API_URL", forge.server.url("/api/v3"))
        .env("GITHUB_TOKEN", TOKEN)
        .env("GITHUB_STEP_SUMMARY", sandbox.outside("summary.md"));
    let run = Run::of(command.output().unwrap()).ok();
    let mut texts = everything(&sandbox);
    assert!(texts.len() > 20);
    texts.extend([run.stdout.into_bytes(), run.stderr.into_bytes()]);
    texts.push(std::fs::read(sandbox.outside("summary.md")).unwrap());
    texts.extend(forge.server.seen().into_iter().map(|seen| [seen.path.into_bytes(), seen.body].concat()));
    let secrets = KEYS.iter().map(|(_, value)| *value).chain([TOKEN]);
    for secret in secrets {
        for text in &texts {
            assert!(
                !String::from_utf8_lossy(text).contains(secret),
                "{secret}: {}",
                String::from_utf8_lossy(text)
            );
        }
    }
}

/// Also: `a_redirect_is_not_followed_and_the_key_stays_here`, `gits_configuration_cannot_send_the_token_elsewhere`,
/// `what_a_voice_lacks_is_said_before_anything_begins`.
#[test]
fn a27_no_proxy_of_the_environment_sees_a_key() {
    let stranger = Server::start(|_| Reply::Whole(502, Vec::new(), Vec::new()));
    let model = Server::start(|_| Reply::Whole(400, Vec::new(), b"{}".to_vec()));
    let sandbox = sandbox();
    let forge = forge(&sandbox);
    let script = sandbox.script("s.txt", "done\n");
    let url = model.url("/v1");
    let args = [
        "elaborate",
        "offline-mode",
        "--step",
        "01-03",
        "--script",
        &script,
        "--voice",
        "openai",
        "--model",
        "m",
        "--base-url",
        &url,
    ];
    let event = sandbox.script("event.json", forge.labeled("roundtable:01-03").to_string());
    for args in [&args[..], &["github", "run"]] {
        let mut command = sandbox.command(args);
        for name in [
            "HTTP_PROXY",
            "HTTPS_PROXY",
            "ALL_PROXY",
            "http_proxy",
            "https_proxy",
            "all_proxy",
            "SOCKS_PROXY",
        ] {
            command.env(name, stranger.url(""));
        }
        command
            .env("OPENAI_API_KEY", KEYS[1].1)
            .env("GITHUB_TOKEN", TOKEN)
            .env("GITHUB_ACTIONS", "true")
            .env("GITHUB_EVENT_NAME", "issues")
            .env("GITHUB_EVENT_PATH", &event)
            .env("GITHUB_REPOSITORY", "owner/name")
            .env("GITHUB_SERVER_URL", forge.server.url(""))
            .env("GITHUB_API_URL", forge.server.url("/api/v3"));
        Run::of(command.output().unwrap());
    }
    assert!(!model.seen().is_empty() && forge.api_requests() > 3);
    assert!(stranger.seen().is_empty(), "{:?}", stranger.seen());
}

/// Also: `the_thread_is_read_as_it_stood_when_the_label_was_set`, `what_was_edited_after_the_label_is_not_read_in_a_backlog_run_either`,
/// `an_unreadable_permission_stops_everything_and_the_labels_say_so`.
#[test]
fn a28_what_was_edited_after_it_was_asked_for_is_not_read_in_an_open_discussion() {
    let sandbox = sandbox();
    sandbox.commit(&[(".roundtable.yaml", "github:\n  live: true\n")]);
    let forge = forge(&sandbox);
    let mut edited = comment(30, "sam", "Exchanged words of a photo.", EARLY);
    edited["updated_at"] = json!(LATE);
    forge.set(|state| state.comments = vec![edited, comment(31, "outsider", "Words of a stranger.", EARLY)]);
    forge.label(&sandbox, &[]).ok();
    let log = git(&forge.bare, &["log", "-p", "--format=%B", BRANCH]);
    assert!(!log.contains("Exchanged words") && !log.contains("of a stranger"), "{log}");
    // A comment that was heard is not heard again in another form.
    let mut event = forge.labeled("roundtable:01-03");
    event["action"] = json!("created");
    event["issue"]["labels"] = json!([{"name": "roundtable:open"}]);
    let late = "2026-11-20T11:00:00Z";
    let mut again = comment(32, "sam", "Exchanged before it was read.", late);
    again["updated_at"] = json!("2026-11-20T11:00:01Z");
    event["comment"] = json!({"body": "What was asked.", "created_at": late, "user": {"login": "sam"}});
    forge.set(|state| state.comments.push(again));
    forge.run(&sandbox, "issue_comment", &event, &["run"]).ok();
    let log = git(&forge.bare, &["log", "-p", "--format=%B", BRANCH]);
    assert!(!log.contains("Exchanged before"), "{log}");
}

/// Also: `a_comment_goes_on_with_an_open_discussion_and_begins_none`, `who_may_not_write_asks_in_vain_without_painting_ci_red`.
#[test]
fn a29_nothing_of_our_own_begins_a_run() {
    let sandbox = sandbox();
    sandbox.commit(&[(".roundtable.yaml", "github:\n  live: true\n")]);
    let forge = forge(&sandbox);
    forge.set(|state| state.comments.clear());
    forge.label(&sandbox, &[]).ok();
    let ours = forge.state().comments.last().unwrap().clone();
    let tip = forge.tip(BRANCH);
    let writes = forge.writes().len();
    let mut event = forge.labeled("roundtable:01-03");
    event["action"] = json!("created");
    event["issue"]["labels"] = json!([{"name": "roundtable:open"}]);
    event["comment"] = ours.clone();
    for sender in [ours["user"].clone(), json!({"login": "sam", "id": 1, "type": "User"})] {
        event["sender"] = sender;
        forge.run(&sandbox, "issue_comment", &event, &["run"]).ok();
    }
    // An app's comment without our marker.
    event["comment"]["body"] = json!("done");
    event["sender"] = ours["user"].clone();
    forge.run(&sandbox, "issue_comment", &event, &["run"]).ok();
    assert_eq!((forge.tip(BRANCH), forge.writes().len()), (tip, writes));
    // The label that a run sets asks for nothing.
    for label in ["roundtable:open", "roundtable:done", "roundtable:failed"] {
        let run = forge.run(&sandbox, "issues", &forge.labeled(label), &["run"]).ok();
        assert!(run.stdout.contains("Nothing to do"), "{}", run.stdout);
    }
    // A job waits for the one before it on the same issue, and none is thrown away.
    for (_, workflow) in workflows() {
        let group = &workflow["concurrency"];
        if group["group"].as_str().is_some_and(|name| name.contains("issue")) {
            assert_eq!(group["cancel-in-progress"], serde_yaml::Value::Bool(false));
        }
    }
}

/// Every workflow that is written for others, and our own.
fn workflows() -> Vec<(String, serde_yaml::Value)> {
    let mut texts = Vec::new();
    for args in
        [&[][..], &["--live"], &["--voice", "anthropic"], &["--voice", "openai", "--live", "--backlog"]]
    {
        let sandbox = sandbox();
        let action = "some/roundtable@0123456789012345678901234567890123456789";
        sandbox.run(&[&["init", "--github", "--action", action], args].concat()).ok();
        for entry in std::fs::read_dir(sandbox.root().join(".github/workflows")).unwrap() {
            texts.push((format!("init {args:?}"), std::fs::read_to_string(entry.unwrap().path()).unwrap()));
        }
    }
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    texts.push(("action.yml".to_owned(), std::fs::read_to_string(root.join("action.yml")).unwrap()));
    for entry in std::fs::read_dir(root.join(".github/workflows")).into_iter().flatten() {
        let path = entry.unwrap().path();
        texts.push((path.display().to_string(), std::fs::read_to_string(path).unwrap()));
    }
    texts.into_iter().map(|(name, text)| (name, serde_yaml::from_str(&text).unwrap())).collect()
}

/// Every value below a key of this name.
fn below(value: &serde_yaml::Value, key: &str, found: &mut Vec<serde_yaml::Value>) {
    match value {
        serde_yaml::Value::Mapping(all) => {
            for (name, value) in all {
                if name.as_str() == Some(key) {
                    found.push(value.clone());
                }
                below(value, key, found);
            }
        }
        serde_yaml::Value::Sequence(all) => all.iter().for_each(|one| below(one, key, found)),
        _ => {}
    }
}

/// zizmor and actionlint say more, and are no part of the tests; this is what must never come back.
#[test]
fn a30_no_workflow_runs_what_somebody_wrote_or_has_rights_it_does_not_need() {
    for (name, workflow) in workflows() {
        let all = |key: &str| {
            let mut found = Vec::new();
            below(&workflow, key, &mut found);
            found
        };
        for script in all("run").iter().filter_map(|run| run.as_str()) {
            assert!(!script.contains("${{"), "{name}: {script}");
        }
        for action in all("uses").iter().filter_map(|action| action.as_str()) {
            let pinned = action
                .split_once('@')
                .is_some_and(|(_, at)| at.len() == 40 && at.bytes().all(|byte| byte.is_ascii_hexdigit()));
            assert!(pinned || action.starts_with("./"), "{name}: {action}");
        }
        let triggers = serde_yaml::to_string(&workflow["on"]).unwrap();
        assert!(!triggers.contains("pull_request_target") && !triggers.contains("workflow_run"), "{name}");
        for kept in all("persist-credentials") {
            assert_eq!(kept, serde_yaml::Value::Bool(false), "{name}");
        }
        if workflow.get("jobs").is_some() {
            let rights = serde_yaml::to_string(&workflow["permissions"]).unwrap();
            assert!(!rights.contains("write"), "{name}: {rights}");
            for job in workflow["jobs"].as_mapping().unwrap().values() {
                let text = serde_yaml::to_string(job).unwrap();
                let has_key = text.contains("secrets.") && text.contains("API_KEY");
                assert!(
                    !has_key || !serde_yaml::to_string(&job["permissions"]).unwrap().contains("write"),
                    "{name}"
                );
            }
        }
    }
}

/// Also: `the_policy_is_the_bases_and_a_change_cannot_lift_it`, `a_declared_loss_counts_only_where_the_base_allows_it`.
#[test]
fn a31_a_pull_request_cannot_lift_the_check_that_judges_it() {
    let lost = format!("{ITEM}/requirements-spec.md");
    let shorter = SPEC.replace("Sync should be fast.\n", "");
    for (what, files) in [
        ("settings", vec![(".roundtable.yaml", "protect: []\n")]),
        ("rules", vec![(".roundtable.yaml", "protect: [{paths: docs/**, rule: none}]\n")]),
        ("other items", vec![(".roundtable.yaml", "items: elsewhere\n")]),
        ("broken settings", vec![(".roundtable.yaml", "{{{\n")]),
        ("attributes", vec![(".gitattributes", "* binary -diff linguist-generated\n")]),
    ] {
        let sandbox = sandbox();
        let forge = forge(&sandbox);
        let base = sandbox.tip("main").unwrap().to_string();
        let head = sandbox.commit(&[&files[..], &[(lost.as_str(), shorter.as_str())]].concat()).to_string();
        let event = json!({"pull_request": {"base": {"sha": base, "ref": "main"}, "head": {"sha": head, "repo": {"fork": true}}}});
        let run = forge.run(&sandbox, "pull_request", &event, &["run"]);
        // Settings that cannot be read block, too.
        let blocks = if what == "broken settings" { 2 } else { 1 };
        assert_eq!(run.code, blocks, "{what}: {}{}", run.stdout, run.stderr);
        assert!(blocks == 2 || run.stdout.contains("::error "), "{what}: {}", run.stdout);
        assert!(forge.server.seen().is_empty(), "{what}: a fork's run asks nobody");
    }
}

/// How many requests an answer to a label took, and how much memory; of another build where `ROUNDTABLE`
/// names one.
#[test]
#[cfg(target_os = "linux")]
#[allow(clippy::print_stderr)]
fn a_thousand_comments_take_few_requests_and_little_memory() {
    let program = std::env::var("ROUNDTABLE").unwrap_or_else(|_| env!("CARGO_BIN_EXE_roundtable").to_owned());
    let sandbox = sandbox();
    let forge = forge(&sandbox);
    let text =
        |id: u64| format!("Remark {id} on fees: {}", "a reader pays by the day and asks why. ".repeat(5));
    forge.set(|state| {
        state.comments = (0..1_000).map(|id| comment(100 + id, "sam", &text(id), EARLY)).collect()
    });
    let event = sandbox.script("event.json", forge.labeled("roundtable:01-03").to_string());
    let mut command = Command::new(&program);
    command
        .args(["github", "run"])
        .current_dir(sandbox.root())
        .env_clear()
        .env("HOME", sandbox.root())
        .env("GITHUB_ACTIONS", "true")
        .env("GITHUB_EVENT_NAME", "issues")
        .env("GITHUB_EVENT_PATH", event)
        .env("GITHUB_REPOSITORY", "owner/name")
        .env("GITHUB_SERVER_URL", forge.server.url(""))
        .env("GITHUB_API_URL", forge.server.url("/api/v3"))
        .env("GITHUB_TOKEN", TOKEN);
    let (code, peak, _) = super::files::measured(&mut command);
    assert_eq!(code, 0);
    let requests = forge.api_requests();
    eprintln!("{program}: {requests} requests, {peak} KiB at the peak");
    // A page holds a hundred.
    assert!(requests <= 10 + 12, "{requests}");
    // The debug build is larger than the one that people have, which takes half of it: 34 MiB are its own pages.
    assert!(peak < 72 * 1024, "{peak} KiB");
}
