//! The stories of an issue over several events: what is heard, once, and what is told, against a server that
//! remembers.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::forge::{EARLY, Fault, Forge, SET, comment, forge, forge_of, fresh, git};
use crate::kit::{Run, Sandbox, sandbox};
use roundtable::github::possible::Listed;

const BRANCH: &str = "roundtable/late-fees-for-library-books";
const ITEM: &str = "docs/requirements/late-fees-for-library-books";

fn both() -> (Sandbox, Forge) {
    let sandbox = sandbox();
    let forge = forge(&sandbox);
    (sandbox, forge)
}

/// The label is set again, and a run on a fresh machine answers it.
fn again(forge: &Forge, at: &str) -> Run {
    let event = forge.label_again("roundtable:01-03", at);
    forge.run(&fresh(forge), "issues", &event, &["run", "--json"])
}

fn say(forge: &Forge, id: u64, login: &str, body: &str, at: &str) {
    forge.set(|state| state.comments.push(comment(id, login, body, at)));
}

/// What users said in all recordings of a branch.
fn heard(forge: &Forge, branch: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let files = git(&forge.bare, &["ls-tree", "-r", "--name-only", branch]);
    for path in files.lines().filter(|path| path.contains("/elaborations/")) {
        let log = git(&forge.bare, &["show", &format!("{branch}:{path}")]);
        for event in log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
            if event["kind"] == "user" || event["kind"] == "unheard" {
                let text = |key: &str| event[key].as_str().unwrap().to_owned();
                found.push((text("by"), text("text")));
            }
        }
    }
    found
}

fn last_comment(forge: &Forge) -> String {
    forge.ours().last().unwrap().clone()
}

#[test]
fn the_body_of_an_issue_is_a_draft_and_no_message() {
    let (sandbox, forge) = both();
    let body = "### What happens\n\n<!-- Describe it. -->\nLet's drop the fees. Who pays?\n\n### Version\n\n_No response_";
    forge.set(|state| {
        state.issue["body"] = json!(body);
        state.issue["html_url"] = json!("https://github.example/owner/name/issues/7");
    });
    let report = forge.label(&sandbox, &["--json"]).json();
    let draft = git(&forge.bare, &["show", &format!("{BRANCH}:{ITEM}/draft.md")]);
    let (text, block) = draft.split_once("\n\n<!-- Elaboration: step ").unwrap();
    assert_eq!(
        text,
        "# Late fees for library books\n\nThe text of [issue 7](https://github.example/owner/name/issues/7) by sam.\n\n### What happens\n\nLet's drop the fees. Who pays?\n\n### Version\n\n_No response_"
    );
    assert!(block.contains("\n- We decided to stop fees at 10 euros"), "{block}");
    // One file for one sentence, beside the record and the recording.
    let made = git(&forge.bare, &["diff", "--name-only", "main", BRANCH]);
    assert_eq!(
        made.lines().filter(|path| path.ends_with(".md")).collect::<Vec<_>>(),
        [format!("{ITEM}/draft.md")]
    );
    assert_eq!(git(&forge.bare, &["rev-list", "--count", &format!("main..{BRANCH}")]), "1");
    let all = heard(&forge, BRANCH);
    assert_eq!(all.len(), 2, "{all:?}");
    assert!(!last_comment(&forge).contains("drop the fees"), "{}", last_comment(&forge));
    let recording = format!("{BRANCH}:{}", report["recording"].as_str().unwrap());
    let replayed = sandbox.run(&["replay", &recording, "--json"]).json();
    assert_eq!(replayed["recordings"][0]["commit"], report["commit"]);
    sandbox.run(&["check", "--base", "main", "--head", BRANCH]).ok();
    sandbox.run(&["replay", "--all", "--rev", BRANCH]).ok();
    // The next run leaves the text as it is, whatever the issue says by then.
    forge.set(|state| state.issue["body"] = json!("Something else."));
    say(&forge, 31, "kim", "Maya, who pays?", "2026-11-20T11:00:00Z");
    again(&forge, "2026-11-20T11:01:00Z").ok();
    let later = git(&forge.bare, &["show", &format!("{BRANCH}:{ITEM}/draft.md")]);
    assert!(later.starts_with(&draft) && later.contains("who pays?"), "{later}");
    // The recordings prove it after a squash, too.
    git(&forge.bare, &["fetch", "--quiet", ".", "+refs/heads/main:refs/heads/squash"]);
    let tree = git(&forge.bare, &["rev-parse", &format!("{BRANCH}^{{tree}}")]);
    let squashed = git(&forge.bare, &["commit-tree", &tree, "-p", "main", "-m", "all of it"]);
    git(&forge.bare, &["update-ref", "refs/heads/squash", &squashed]);
    let bare = forge.bare.to_str().unwrap();
    sandbox.run(&["--repo", bare, "replay", "--all", "--rev", "squash"]).ok();
}

#[test]
fn an_outsiders_body_is_quoted_as_theirs() {
    let (sandbox, forge) = both();
    forge.set(|state| {
        state.issue["body"] = json!("We decided to drop the fees.\n\nDecision: no fees.");
        state.issue["user"] = json!({"login": "outsider", "id": 9, "type": "User"});
    });
    forge.label(&sandbox, &[]).ok();
    let draft = git(&forge.bare, &["show", &format!("{BRANCH}:{ITEM}/draft.md")]);
    assert!(draft.contains("by outsider, who may not write in this repository. Quoted as theirs:\n\n> We decided to drop the fees.\n>\n> Decision: no fees."), "{draft}");
    assert!(!last_comment(&forge).contains("drop the fees") && !last_comment(&forge).contains("no fees"));
}

#[test]
fn a_script_of_an_issue_makes_a_draft_too() {
    let sandbox = sandbox();
    let view = r#"{"title": "Late fees", "body": "They must be shown quickly.", "comments": [{"author": {"login": "sam"}, "body": "Let's use SQLite."}]}"#;
    let path = sandbox.script("issue.json", view);
    let args = ["elaborate", crate::kit::ITEM, "--step", "01-03", "--script", &path];
    let run = sandbox.run(&args).ok();
    assert!(run.stderr.contains("draft.md"), "{}", run.stderr);
    let branch = format!("roundtable/{}", crate::kit::ITEM.rsplit('/').next().unwrap());
    let draft = sandbox.file(&branch, &format!("{}/draft.md", crate::kit::ITEM));
    assert!(draft.ends_with("The text of an issue.\n\nThey must be shown quickly.\n"), "{draft}");
}

#[test]
fn each_comment_is_heard_once_and_a_label_without_news_says_so() {
    let (sandbox, forge) = both();
    let report = forge.label(&sandbox, &["--json"]).json();
    let recording =
        git(&forge.bare, &["show", &format!("{BRANCH}:{}", report["recording"].as_str().unwrap())]);
    assert!(
        recording.contains("\"comments\":[11,12]") && recording.contains("\"comment\":11"),
        "{recording}"
    );
    assert!(
        last_comment(&forge).lines().next().unwrap().contains(" heard=12 -->"),
        "{}",
        last_comment(&forge)
    );
    say(&forge, 31, "kim", "Maya, who may waive a fee?", "2026-11-20T11:00:00Z");
    say(&forge, 32, "sam", "Second thoughts on the 10 euros.", "2026-11-20T11:01:00Z");
    // Edited after the label was set: heard as it was then.
    let event = forge.label_again("roundtable:01-03", "2026-11-20T11:05:00Z");
    forge.edit(32, "sam", "Never mind.", "2026-11-20T11:06:00Z");
    forge.run(&fresh(&forge), "issues", &event, &["run"]).ok();
    let all = heard(&forge, BRANCH);
    let texts: Vec<&str> = all.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(texts[2..], ["Maya, who may waive a fee?", "Second thoughts on the 10 euros."]);
    assert!(last_comment(&forge).contains("A comment by sam was edited after this run was asked for"));
    // Nothing new.
    let (tip, before) = (forge.tip(BRANCH), forge.ours());
    let quiet = again(&forge, "2026-11-20T12:00:00Z").json();
    assert_eq!((&quiet["nothing_new"], forge.tip(BRANCH)), (&json!(true), tip));
    assert_eq!(forge.ours().len(), before.len());
    assert!(last_comment(&forge).contains("> Nothing is new since"), "{}", last_comment(&forge));
    assert_eq!(forge.state().labels, ["roundtable:open"], "the questions wait for answers");
    // Another step was never discussed.
    let event = forge.label_again("roundtable:01-01", "2026-11-20T12:30:00Z");
    let other = forge.run(&fresh(&forge), "issues", &event, &["run", "--json"]).json();
    assert_eq!((&other["step_id"], heard(&forge, BRANCH).len()), (&json!("01-01"), 4));
}

#[test]
fn what_the_history_does_not_tell_waits_for_the_next_run() {
    let (sandbox, forge) = both();
    forge.set(|state| state.hides_graphql = true);
    let event = forge.labeled("roundtable:01-03");
    forge.set(|state| {
        state.comments[0]["body"] = json!("We decided to stop at 20 euros.");
        state.comments[0]["updated_at"] = json!("2026-11-20T10:30:00Z");
    });
    forge.run(&sandbox, "issues", &event, &["run"]).ok();
    assert_eq!(heard(&forge, BRANCH), [("sam".to_owned(), "done".to_owned())]);
    assert!(last_comment(&forge).contains("the next run hears it"), "{}", last_comment(&forge));
    assert!(last_comment(&forge).lines().next().unwrap().contains(" heard=12 waits=11 -->"));
    again(&forge, "2026-11-20T11:00:00Z").ok();
    assert_eq!(heard(&forge, BRANCH)[1].1, "We decided to stop at 20 euros.");
}

#[test]
fn a_tick_of_a_writer_decides_and_others_do_not() {
    let (sandbox, forge) = both();
    forge.set(|state| {
        state.comments = vec![comment(11, "sam", "I'd go with one price for all books.", EARLY)];
    });
    forge.label(&sandbox, &[]).ok();
    let listed = Listed::said("01-03", "sam", "I'd go with one price for all books.");
    let line = format!("\n- [ ] {} (sam) {}\n", listed.text, listed.anchor());
    forge.set(|state| {
        let ours = state.comments.last_mut().unwrap();
        ours["body"] = json!(format!("{}{line}", ours["body"].as_str().unwrap()));
    });
    // An outsider cannot edit our comment on GitHub; somebody whose rights are gone might have.
    forge.tick("outsider", "2026-11-20T10:30:00Z");
    say(&forge, 31, "kim", "Maya, who pays?", "2026-11-20T10:40:00Z");
    again(&forge, "2026-11-20T10:41:00Z").ok();
    assert!(!heard(&forge, BRANCH).iter().any(|(_, text)| text.starts_with("Decision:")));
    assert!(last_comment(&forge).contains("- [ ] I'd go with"), "{}", last_comment(&forge));
    // The opt-in workflow's event.
    let event = forge.tick("kim", "2026-11-20T11:00:00Z");
    let report = forge.run(&fresh(&forge), "issue_comment", &event, &["run", "--json"]).json();
    assert_eq!((&report["step_id"], &report["decisions"]), (&json!("01-03"), &json!(1)));
    let decided = ("kim".to_owned(), "Decision: I'd go with one price for all books.".to_owned());
    assert!(heard(&forge, BRANCH).contains(&decided));
    let told = last_comment(&forge);
    assert!(
        told.contains("**Decisions**") && told.contains("(kim)") && !told.contains("possible:"),
        "{told}"
    );
    // It is heard once.
    let quiet = again(&forge, "2026-11-20T12:00:00Z").json();
    assert_eq!(quiet["nothing_new"], true);
}

#[test]
fn after_a_merge_the_next_run_begins_at_the_default_branch() {
    for way in ["squash", "merge", "rebase", "close"] {
        let (sandbox, forge) = both();
        forge.label(&sandbox, &[]).ok();
        forge.end_pull(way);
        say(&forge, 31, "kim", "Maya, who may waive a fee?", "2026-11-21T11:00:00Z");
        let report = again(&forge, "2026-11-21T11:05:00Z").json();
        let branch = report["branch"].as_str().unwrap();
        assert_eq!(branch, format!("{BRANCH}-2"), "{way}");
        let main = git(&forge.bare, &["rev-parse", "main"]);
        assert_eq!(git(&forge.bare, &["rev-parse", &format!("{branch}^")]), main, "{way}");
        let new = git(&forge.bare, &["diff", "--name-only", "main", branch, "--", "*.jsonl"]);
        let log = git(&forge.bare, &["show", &format!("{branch}:{new}")]);
        let said: String = log.lines().filter(|line| line.contains(r#""kind":"user""#)).collect();
        assert!(said.contains("waive a fee") && !said.contains("10 euros"), "{way}: {said}");
        assert_eq!(forge.state().pulls.len(), 2, "{way}");
        let says_so = last_comment(&forge).contains("leaves out 1 recording");
        assert_eq!(says_so, way == "close", "{way}: {}", last_comment(&forge));
    }
}

#[test]
fn a_deleted_branch_repeats_no_comment() {
    let (sandbox, forge) = both();
    forge.label(&sandbox, &[]).ok();
    git(&forge.bare, &["branch", "-D", BRANCH]);
    forge.set(|state| state.pulls[0]["state"] = json!("closed"));
    say(&forge, 31, "kim", "Maya, who may waive a fee?", "2026-11-21T11:00:00Z");
    again(&forge, "2026-11-21T11:05:00Z").ok();
    let texts: Vec<String> = heard(&forge, BRANCH).into_iter().map(|(_, text)| text).collect();
    assert_eq!(texts, ["Maya, who may waive a fee?"]);
    assert!(last_comment(&forge).contains("2 comments heard by a run whose recording is on no branch"));
}

#[test]
fn a_failure_is_told_on_the_issue_and_in_the_summary() {
    let (sandbox, forge) = both();
    forge.set(|state| state.protects = true);
    let run = forge.label(&sandbox, &[]);
    assert_eq!(run.code, 2);
    assert_eq!(forge.state().labels, ["roundtable:failed"]);
    let summary = std::fs::read_to_string(sandbox.outside("summary.md")).unwrap();
    assert!(summary.contains("## roundtable failed") && summary.contains("refuses"), "{summary}");
    let told = last_comment(&forge);
    let why = "> [!WARNING]\n> **The last run failed.** Nothing was pushed: the remote refuses";
    assert!(told.contains(why) && told.contains("set the label `roundtable:01-03` again"), "{told}");
    assert!(!told.contains("the commit"), "the runner is gone: {told}");
    // The next run writes over it, and hears everything.
    forge.set(|state| state.protects = false);
    again(&forge, "2026-11-20T11:00:00Z").ok();
    assert_eq!((forge.ours().len(), heard(&forge, BRANCH).len()), (1, 2));
    assert!(!last_comment(&forge).contains("failed"));
}

#[test]
fn a_branch_with_templates_of_its_own_is_refused() {
    let (sandbox, forge) = both();
    forge.label(&sandbox, &[]).ok();
    let other = fresh(&forge);
    git(&other.root(), &["checkout", "-q", "-b", "work", &format!("refs/remotes/origin/{BRANCH}")]);
    other.commit(&[
        (".roundtable.yaml", "templates: words\n"),
        ("words/github/comment.md", "{{ marker }}\nAll is decided.\n"),
    ]);
    git(&other.root(), &["push", "-q", forge.bare.to_str().unwrap(), &format!("HEAD:refs/heads/{BRANCH}")]);
    say(&forge, 31, "kim", "Maya, who pays?", "2026-11-20T11:00:00Z");
    let run = again(&forge, "2026-11-20T11:01:00Z");
    assert!(run.code == 2 && run.stderr.contains("changes the templates"), "{}", run.stderr);
    assert!(last_comment(&forge).contains("changes the templates"), "{}", last_comment(&forge));
    assert!(!last_comment(&forge).contains("All is decided"));
}

#[test]
fn nothing_is_written_while_github_asks_to_wait() {
    let (sandbox, forge) = both();
    let limit = || Fault::Status(403, vec![("retry-after".into(), "9000".into())], json!({}));
    forge.set(|state| state.faults.push(("GET".into(), "/comments".into(), limit())));
    let run = forge.label(&sandbox, &[]);
    assert!(run.code == 2 && run.stderr.contains("asks to wait"), "{}", run.stderr);
    assert!(forge.writes().is_empty(), "{:?}", forge.writes());
}

#[test]
fn a_label_that_a_form_has_set_is_taken_off_with_a_reason() {
    let (sandbox, forge) = both();
    forge.set(|state| state.issue["user"] = json!({"login": "outsider", "id": 9, "type": "User"}));
    let mut event = forge.labeled("roundtable:01-03");
    event["sender"] = json!({"login": "outsider", "id": 9, "type": "User"});
    forge.run(&sandbox, "issues", &event, &["run"]).ok();
    assert_eq!(forge.writes(), ["DELETE issues/7/labels/roundtable%3A01-03"]);
    let summary = std::fs::read_to_string(sandbox.outside("summary.md")).unwrap();
    assert!(summary.contains("issue form") && summary.contains("was taken off"), "{summary}");
}

#[test]
fn two_issues_of_one_title_get_an_item_each_even_at_the_same_time() {
    let (sandbox, forge) = both();
    let other = forge_of(&sandbox, "rival");
    other.set(|state| {
        state.number = 8;
        state.issue["number"] = json!(8);
    });
    other.label(&fresh(&other), &[]).ok();
    // The rival's branch arrives when this run has begun.
    forge.set(|state| state.rival = Some(other.bare.clone()));
    let report = forge.label(&fresh(&forge), &["--json"]).json();
    assert_eq!(report["item"], format!("{ITEM}-7"));
    let meta = |branch: &str, item: &str| git(&forge.bare, &["show", &format!("{branch}:{item}/meta.json")]);
    assert!(meta(BRANCH, ITEM).contains("GH-8"));
    assert!(meta(&format!("{BRANCH}-7"), &format!("{ITEM}-7")).contains("GH-7"));
}

#[test]
fn a_conversation_of_many_comments_ends_by_a_label() {
    let sandbox = sandbox();
    sandbox.commit(&[(".roundtable.yaml", "github:\n  live: true\n")]);
    let forge = forge(&sandbox);
    forge.set(|state| state.comments.clear());
    forge.label(&sandbox, &[]).ok();
    for number in 1..=10_u64 {
        let at = format!("2026-11-20T11:{number:02}:00Z");
        let body = format!("Remark {number}: the desk closes at {} on Mondays.", number + 8);
        say(&forge, 30 + number, "sam", &body, &at);
        let mut issue = forge.state().issue;
        issue["labels"] = forge.state().labels.iter().map(|name| json!({"name": name})).collect();
        let event = json!({
            "action": "created", "issue": issue,
            "comment": {"id": 30 + number, "body": body, "created_at": at},
            "sender": {"login": "sam", "id": 1, "type": "User"},
            "repository": {"full_name": "owner/name", "default_branch": "main"},
        });
        forge.run(&fresh(&forge), "issue_comment", &event, &["run"]).ok();
        assert_eq!(forge.ours().len() as u64, 1 + number, "one comment a run");
        assert_eq!(forge.state().labels, ["roundtable:open"], "after remark {number}");
    }
    let event = forge.label_again("roundtable:close", "2026-11-20T12:00:00Z");
    let report = forge.run(&fresh(&forge), "issues", &event, &["run", "--json"]).json();
    assert_eq!((&report["exit"], &report["unheard"]), (&json!("user-initiated"), &json!(0)));
    assert_eq!((forge.state().labels, forge.state().pulls.len()), (vec!["roundtable:open".to_owned()], 1));
    for number in 1..=10 {
        let remark = format!("Remark {number}:");
        let count = heard(&forge, BRANCH).iter().filter(|(_, text)| text.starts_with(&remark)).count();
        assert_eq!(count, 1, "{remark}");
    }
}

#[test]
fn permissions_are_asked_in_batches_and_otherwise_one_by_one_up_to_a_limit() {
    for (hides_graphql, most) in [(false, 10 + 12 + 5), (true, 10 + 12 + 5 + 200)] {
        let (sandbox, forge) = both();
        forge.set(|state| {
            state.hides_graphql = hides_graphql;
            state.comments = (0..1_000)
                .map(|id| {
                    comment(100 + id, &format!("writer{}", id % 250), &format!("Remark {id} on fees."), EARLY)
                })
                .collect();
            (0..250).for_each(|id| drop(state.permissions.insert(format!("writer{id}"), "write".to_owned())));
        });
        let report = forge.label(&sandbox, &["--json"]).json();
        assert!(forge.api_requests() <= most, "{} of {most}", forge.api_requests());
        let left = report["left_out"].as_array().unwrap().len();
        // The opener of the issue is asked, too, and was: they set the label.
        assert_eq!(left, if hides_graphql { 4 * 50 } else { 0 });
    }
}

/// What happens to an issue.
#[derive(Clone, Copy, Debug)]
enum Happens {
    Comment(bool),
    Edit(u8),
    Label(Option<u8>),
    Squash,
}

fn happens() -> impl Strategy<Value = Happens> {
    prop_oneof![
        3 => any::<bool>().prop_map(Happens::Comment),
        1 => any::<u8>().prop_map(Happens::Edit),
        2 => proptest::option::of(0..14_u8).prop_map(Happens::Label),
        1 => Just(Happens::Squash),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 5, failure_persistence: None, max_shrink_iters: 0, ..ProptestConfig::default() })]

    #[test]
    fn no_comment_of_a_writer_is_ever_lost(story in proptest::collection::vec(happens(), 4..9)) {
        let (_sandbox, forge) = both();
        forge.set(|state| state.comments.clear());
        let mut words = Vec::new();
        for (minute, step) in (10..).zip(&story) {
            let at = format!("2026-11-20T11:{minute}:00Z");
            match step {
                Happens::Comment(writes) => {
                    let (id, login) = (100 + minute, if *writes { "sam" } else { "outsider" });
                    let word = format!("Word{minute} matters to the desk.");
                    say(&forge, id, login, &word, &at);
                    words.extend(writes.then_some(word));
                }
                Happens::Edit(which) => {
                    let all = forge.state().comments;
                    let theirs: Vec<&Value> = all.iter().filter(|one| one["user"]["login"] == "sam").collect();
                    if let Some(one) = theirs.get(usize::from(*which) % theirs.len().max(1)) {
                        let text = format!("{} (edited)", one["body"].as_str().unwrap());
                        forge.edit(one["id"].as_u64().unwrap(), "sam", &text, &at);
                    }
                }
                Happens::Label(dies_after) => {
                    let event = forge.label_again("roundtable:01-03", &at);
                    forge.set(|state| state.dies_after = dies_after.map(usize::from));
                    let run = forge.run(&fresh(&forge), "issues", &event, &["run"]);
                    prop_assert!(dies_after.is_some() || run.code == 0, "{}", run.stderr);
                    forge.set(|state| state.dies_after = None);
                }
                Happens::Squash if forge.state().pulls.last().is_some_and(|pull| pull["state"] == "open") => {
                    forge.end_pull("squash");
                }
                Happens::Squash => {}
            }
        }
        let event = forge.label_again("roundtable:01-03", "2026-11-20T12:00:00Z");
        let run = forge.run(&fresh(&forge), "issues", &event, &["run"]);
        prop_assert_eq!(run.code, 0, "{}", run.stderr);
        let branches = git(&forge.bare, &["for-each-ref", "--format=%(refname)"]);
        let all: Vec<String> =
            branches.lines().flat_map(|branch| heard(&forge, branch)).map(|(_, text)| text).collect();
        for word in words {
            prop_assert!(all.iter().any(|text| text.starts_with(&word)), "{} is lost in {:?}", word, story);
        }
        prop_assert!(forge.ours().len() <= 2 && SET < "2026-11-20T11:00:00Z");
    }
}

#[test]
fn what_is_merged_and_told_again_gets_no_pull_request() {
    let (_sandbox, forge) = both();
    forge.set(|state| state.comments.clear());
    let label = |requests: usize, at: &str| {
        let event = forge.label_again("roundtable:01-03", at);
        forge.set(|state| state.dies_after = Some(requests));
        let run = forge.run(&fresh(&forge), "issues", &event, &["run"]);
        forge.set(|state| state.dies_after = None);
        assert_eq!(run.code, 0, "{}", run.stderr);
    };
    // The pull request is there, and the comment that tells of it is not.
    label(6, "2026-11-20T11:11:00Z");
    forge.end_pull("squash");
    label(5, "2026-11-20T11:13:00Z");
    let heads: Vec<Value> = forge.state().pulls.iter().map(|pull| pull["head"].clone()).collect();
    assert_eq!(heads, ["roundtable/late-fees-for-library-books"]);
}
