//! Which item an issue belongs to: one that it names, one whose document it links, else its own.

use serde_json::{Value, json};

use crate::forge::{EARLY, Forge, comment, forge, git};
use crate::kit::{BRANCH, ITEM, Sandbox, sandbox};

const OWN: &str = "docs/requirements/late-fees-for-library-books";

fn both(body: &str) -> (Sandbox, Forge) {
    let sandbox = sandbox();
    let forge = forge(&sandbox);
    forge.set(|state| state.issue["body"] = json!(body));
    (sandbox, forge)
}

fn item(forge: &Forge, sandbox: &Sandbox) -> Value {
    forge.label(sandbox, &["--json"]).json()["item"].clone()
}

#[test]
fn a_line_of_the_issue_or_of_a_writer_names_the_item() {
    let (sandbox, forge) = both(&format!("Sync is slow.\n\nItem: {ITEM}\n"));
    let report = forge.label(&sandbox, &["--json"]).json();
    assert_eq!((&report["item"], &report["branch"]), (&json!(ITEM), &json!(BRANCH)));
    // The issue's text is beside the item's own documents, and nothing is made twice.
    let files = git(&forge.bare, &["diff", "--name-only", "--diff-filter=A", "main", BRANCH]);
    assert!(files.contains("offline-mode/draft.md") && !files.contains("late-fees"), "{files}");
    // The next run goes on there.
    forge.set(|state| state.comments.push(comment(31, "kim", "Maya, who waits?", "2026-11-20T11:00:00Z")));
    let event = forge.label_again("roundtable:01-03", "2026-11-20T11:05:00Z");
    let again = forge.run(&sandbox, "issues", &event, &["run", "--json"]).json();
    assert_eq!((&again["item"], &again["branch"]), (&json!(ITEM), &json!(BRANCH)));

    let (sandbox, forge) = both("Sync is slow.");
    forge.set(|state| state.comments.push(comment(13, "kim", "Item: offline-mode", EARLY)));
    assert_eq!(item(&forge, &sandbox), ITEM);
}

#[test]
fn a_tick_of_a_writer_accepts_what_a_document_has_as_proposed() {
    let sandbox = sandbox();
    let letters = "# Letters\n\n- **FR-050**: Letters are free (proposed by Jordan)\n- **FR-051**: Letters are white (proposed by Maya)\n";
    sandbox.commit(&[(&format!("{ITEM}/letters.md"), letters)]);
    let forge = forge(&sandbox);
    forge.set(|state| state.issue["body"] = json!(format!("Item: {ITEM}")));
    forge.label(&sandbox, &[]).ok();
    let told = forge.ours().last().unwrap().clone();
    assert!(told.contains("- [ ] FR-050: Letters are free (proposed by Jordan) <!-- possible:"), "{told}");
    let text = |forge: &Forge| git(&forge.bare, &["show", &format!("{BRANCH}:{ITEM}/letters.md")]);
    // An outsider cannot edit our comment on GitHub; somebody whose rights are gone might have.
    forge.tick_line("outsider", "2026-11-20T10:30:00Z", "FR-050");
    forge.set(|state| state.comments.push(comment(31, "kim", "Maya, who waits?", "2026-11-20T10:40:00Z")));
    let event = forge.label_again("roundtable:01-03", "2026-11-20T10:41:00Z");
    forge.run(&sandbox, "issues", &event, &["run"]).ok();
    assert!(!text(&forge).contains("Accepted"), "{}", text(&forge));
    let event = forge.tick_line("kim", "2026-11-20T11:00:00Z", "FR-050");
    forge.run(&sandbox, "issue_comment", &event, &["run"]).ok();
    assert!(text(&forge).contains("  - Accepted 2026-11-20 (kim).\n- **FR-051**"), "{}", text(&forge));
    let told = forge.ours().last().unwrap().clone();
    assert!(!told.contains("FR-050:") && told.contains("- [ ] FR-051"), "{told}");
}

#[test]
fn an_outsider_names_none_and_a_name_of_nothing_is_told() {
    let (sandbox, forge) = both(&format!("Item: {ITEM}"));
    forge.set(|state| {
        state.issue["user"] = json!({"login": "outsider", "id": 9, "type": "User"});
        state.comments.push(comment(13, "outsider", &format!("Item: {ITEM}"), EARLY));
    });
    assert_eq!(item(&forge, &sandbox), OWN);
    for path in ["docs/nothing", "../../etc", ".git", "docs//requirements"] {
        let (sandbox, forge) = both(&format!("Item: {path}"));
        let run = forge.label(&sandbox, &[]);
        assert!(run.code == 2 && run.stderr.contains("names no item"), "{path}: {}", run.stderr);
        assert!(forge.ours().last().unwrap().contains("names no item"), "{path}");
    }
}

#[test]
fn a_link_to_documents_of_one_item_is_enough() {
    let (sandbox, forge) = both("");
    let page = forge.server.url("/owner/name");
    let link = |path: &str| format!("{page}/blob/main/{path}#L3");
    forge.set(|state| {
        state.issue["body"] = json!(format!("See [it]({}).", link(&format!("{ITEM}/requirements-spec.md"))))
    });
    assert_eq!(item(&forge, &sandbox), ITEM);
    // Of two items none is meant, and neither is a file of no item.
    let (sandbox, forge) = both("");
    let page = forge.server.url("/owner/name");
    let link = |path: &str| format!("{page}/blob/main/{path}");
    let body = format!("{} {}", link("README.md"), link("../x/../../y.md"));
    forge.set(|state| state.issue["body"] = json!(body));
    assert_eq!(item(&forge, &sandbox), OWN);
}
