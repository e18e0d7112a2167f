//! The stories of a maintainer who reads cards and answers them: on an issue, by ticks and comments, with and without a
//! model, against a server that remembers.

use std::collections::BTreeSet;
use std::path::Path;

use roundtable::github::cards::Cards;
use serde_json::{Value, json};

use crate::forge::{EARLY, Forge, comment, forge, fresh, git};
use crate::kit::{Run, Sandbox, sandbox};

const BRANCH: &str = "roundtable/late-fees-for-library-books";
const BODY: &str = "A reader is blocked after the third reminder.\n\nThe letter names the sum.\n\nThe desk writes one letter.";

fn both() -> (Sandbox, Forge) {
    let sandbox = sandbox();
    let forge = forge(&sandbox);
    forge.set(|state| state.issue["body"] = json!(BODY));
    (sandbox, forge)
}

fn again(forge: &Forge, at: &str) -> Value {
    let event = forge.label_again("roundtable:01-03", at);
    forge.run(&fresh(forge), "issues", &event, &["run", "--json"]).json()
}

fn say(forge: &Forge, id: u64, login: &str, body: &str, at: &str) {
    forge.set(|state| state.comments.push(comment(id, login, body, at)));
}

fn last(forge: &Forge) -> String {
    forge.ours().last().unwrap().clone()
}

/// What is read before the first fold, without what is hidden.
fn head(comment: &str) -> String {
    let open = comment.split("<details>").next().unwrap();
    let hidden = |line: &str| line.split("<!--").next().unwrap().trim_end().to_owned();
    open.lines().map(hidden).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

/// The words of that, without boxes and bullets.
fn word_count(comment: &str) -> usize {
    head(comment).split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count()
}

fn cards(comment: &str) -> Vec<(u32, String)> {
    let cards = Cards::of(comment).unwrap().cards;
    cards.into_iter().map(|card| (card.number, card.question)).collect()
}

/// The decisions on a branch, with who made them.
fn decided(branch: &str, forge: &Forge) -> Vec<(String, String)> {
    let other = fresh(forge);
    let shown = other.run(&["show", "--decisions", "--rev", &format!("origin/{branch}"), "--json"]).json();
    let all = shown["decisions"].as_array().unwrap().clone();
    let pair =
        |one: &Value| (one["by"].as_str().unwrap().to_owned(), one["text"].as_str().unwrap().to_owned());
    all.iter().map(pair).collect()
}

#[test]
fn without_a_model_facts_come_first_and_then_the_questions_of_the_step() {
    let (sandbox, forge) = both();
    forge.set(|state| {
        state.issue["body"] = json!("The fee is [X] days late.\n\nThe sum: TBD.");
        state.comments = vec![comment(11, "sam", "Keep it simple.", EARLY)];
    });
    forge.label(&sandbox, &[]).ok();
    let told = last(&forge);
    let asked = cards(&told);
    assert_eq!(asked.len(), 5, "{told}");
    assert_eq!(asked[1].1, "How do we settle \"The sum: TBD.\"?", "{asked:?}");
    assert!(asked[4].1.ends_with('?'), "{asked:?}");
    let head = head(&told);
    assert!(word_count(&told) <= 150, "{head}");
    assert!(head.contains("draft.md:") && head.contains("\nComment `1: your answer`; with"), "{head}");
    for judged in ["changes what gets built", "settles a detail", "(recommended)"] {
        assert!(!told.contains(judged), "nobody judged anything: {told}");
    }
    let above = told.split("<details><summary>The discussion").next().unwrap();
    for (_, question) in &asked {
        assert_eq!(
            above.matches(&roundtable::text::plain::markdown(question)).count(),
            1,
            "{question}: {above}"
        );
    }
}

#[test]
fn answers_by_number_and_quotation_decide_and_are_asked_no_more() {
    let (sandbox, forge) = both();
    forge.label(&sandbox, &[]).ok();
    let asked = cards(&last(&forge));
    let quoted = format!(
        "Thanks!\n\n> **2. {}**\n\nThree: search, borrow, return.\n\nWho tells the desk?",
        asked[1].1
    );
    say(
        &forge,
        31,
        "kim",
        "1: At home, because the letter came\n3: what do you mean?",
        "2026-11-20T11:00:00Z",
    );
    say(&forge, 32, "sam", &quoted, "2026-11-20T11:01:00Z");
    say(&forge, 33, "outsider", "4: drop it", "2026-11-20T11:02:00Z");
    let report = again(&forge, "2026-11-20T11:05:00Z");
    assert_eq!(report["decisions"], 2, "{report}");
    let all = decided(BRANCH, &forge);
    let wanted = [
        ("kim", format!("{} → At home, because the letter came", asked[0].1)),
        ("sam", format!("{} → Three: search, borrow, return", asked[1].1)),
    ];
    for (by, text) in wanted {
        assert!(all.contains(&(by.to_owned(), text.clone())), "{text}: {all:?}");
    }
    let told = last(&forge);
    let numbers: Vec<u32> = Cards::of(&told).unwrap().all().map(|card| card.number).collect();
    // The two questions of the comments are in the document now, and open there.
    assert_eq!(numbers, [6, 7, 3, 4, 5], "a question is no answer, an outsider's is none either: {told}");
    assert!(told.matches("Who tells the desk?").count() == 2, "on a card and in the discussion: {told}");
    assert!(told.contains("**Decisions**") && told.contains("(kim, [comment]("), "{told}");
    assert!(
        told.contains("\nRecorded: 2 decisions.\n") && !told.contains("a decision and a statement;"),
        "{told}"
    );
    assert!(told.contains("- [a comment](") && told.contains(") by outsider: "), "{told}");
    // The text of the pull request is of this discussion, too.
    let body = forge.state().pulls[0]["body"].as_str().unwrap().to_owned();
    assert!(body.contains("- Which steps does") && body.contains("2 decisions, 5 open questions;"), "{body}");
    let recording =
        git(&forge.bare, &["show", &format!("{BRANCH}:{}", report["recording"].as_str().unwrap())]);
    assert!(recording.contains("Who tells the desk?") && recording.contains("Thanks!"), "{recording}");
    // The recording says the same as the comments, whoever checks it.
    fresh(&forge).run(&["replay", "--all", "--rev", &format!("origin/{BRANCH}")]).ok();
}

/// Every marker is asked about by its own passage, and nothing is done before the last is settled.
#[test]
fn equal_markers_are_different_questions_and_the_last_one_ends_it() {
    let (sandbox, forge) = both();
    let line = |number: usize| format!("- **FR-00{number}**: Rule {number} of the desk is at most TBD days.");
    let body: Vec<String> = (1..=7).map(line).collect();
    forge.set(|state| {
        state.issue["body"] = json!(body.join("\n"));
        state.comments = vec![comment(11, "sam", "Keep it simple.", EARLY)];
    });
    forge.label(&sandbox, &[]).ok();
    let told = last(&forge);
    let asked = Cards::of(&told).unwrap();
    let wanted = "How do we settle \"FR-001: Rule 1 of the desk is at most TBD days.\"?";
    assert_eq!(asked.card(1).unwrap().question, wanted, "{told}");
    assert!(told.contains("(2)</summary>\n\n- [draft.md:10]("), "two wait in the fold: {told}");
    for round in 1..4 {
        let asked = Cards::of(&last(&forge)).unwrap();
        let answers: String =
            asked.all().map(|card| format!("{}: {} days\n", card.number, card.number)).collect();
        assert_eq!(forge.state().labels, ["roundtable:open"], "{}", last(&forge));
        say(&forge, 30 + round, "kim", &answers, &format!("2026-11-20T1{round}:00:00Z"));
        again(&forge, &format!("2026-11-20T1{round}:05:00Z"));
        if forge.state().labels == ["roundtable:done"] {
            break;
        }
    }
    let all = decided(BRANCH, &forge);
    assert!(all.contains(&("kim".to_owned(), format!("{wanted} → 1 days"))), "{all:?}");
    let markers = all.iter().filter(|(_, text)| text.contains("TBD days.\"? → ")).count();
    assert_eq!((markers, forge.state().labels), (7, vec!["roundtable:done".to_owned()]), "{}", last(&forge));
}

#[test]
fn what_only_looks_like_an_answer_decides_nothing_and_is_told() {
    let (sandbox, forge) = both();
    forge.label(&sandbox, &[]).ok();
    let said = "1: not sure yet\n9: whatever\n\n2: TBD\n3. 12 hours\n\nyes to all except 4";
    say(&forge, 31, "kim", said, "2026-11-20T11:00:00Z");
    let report = again(&forge, "2026-11-20T11:05:00Z");
    assert_eq!(report["decisions"], 0, "{report}");
    let told = last(&forge);
    for note in [
        "kim is not sure about 1, so it is asked once more.",
        "9 by kim answers no card that is asked.",
        "`2: TBD` by kim decides nothing.",
        "`yes to all except 4` (and 1 other line) by kim looks like an answer and is none: write `yes to all`.",
    ] {
        assert!(told.contains(note), "{note}: {told}");
    }
    // A correction with a question below it is one all the same.
    say(&forge, 32, "kim", "4: yes", "2026-11-20T12:00:00Z");
    say(&forge, 33, "kim", "4: 20 minutes\nand what about people with a baby?", "2026-11-20T12:01:00Z");
    again(&forge, "2026-11-20T12:05:00Z");
    let all = decided(BRANCH, &forge);
    let own: Vec<&String> = all.iter().filter(|(by, _)| by == "kim").map(|(_, text)| text).collect();
    assert!(own.len() == 1 && own[0].ends_with("→ 20 minutes"), "{all:?}");
    assert!(last(&forge).contains("and what about people with a baby?"), "{}", last(&forge));
}

#[test]
fn the_items_own_document_is_asked_about() {
    let sandbox = sandbox();
    sandbox.commit(&[("docs/quota/plan.md", "# Quota\n\nA member has at most TBD slots.\n")]);
    let forge = forge(&sandbox);
    forge.set(|state| {
        state.issue["body"] = json!("Item: docs/quota");
        state.comments = vec![comment(11, "sam", "Keep it simple.", EARLY)];
    });
    forge.label(&sandbox, &[]).ok();
    let told = last(&forge);
    assert_eq!(cards(&told)[0].1, "How do we settle \"A member has at most TBD slots.\"?", "{told}");
}

#[test]
fn the_label_open_goes_when_nothing_is_open() {
    let (sandbox, forge) = both();
    forge.label(&sandbox, &[]).ok();
    assert_eq!(forge.state().labels, ["roundtable:open"]);
    let all: String =
        cards(&last(&forge)).iter().map(|(number, _)| format!("{number}: Answer {number}.\n")).collect();
    say(&forge, 31, "kim", &all, "2026-11-20T11:00:00Z");
    again(&forge, "2026-11-20T11:05:00Z");
    let told = last(&forge);
    assert!(told.contains("No open point is left to ask.") && cards(&told).is_empty(), "{told}");
    assert_eq!(forge.state().labels, ["roundtable:done"]);
}

#[test]
fn who_is_not_sure_is_asked_once_more() {
    let (sandbox, forge) = both();
    forge.label(&sandbox, &[]).ok();
    say(&forge, 31, "kim", "2: not sure", "2026-11-20T11:00:00Z");
    again(&forge, "2026-11-20T11:05:00Z");
    let told = last(&forge);
    assert!(
        told.contains("kim is not sure about 2, so it is asked once more.")
            && told.contains("- [ ] leave it open for now"),
        "{told}"
    );
    say(&forge, 32, "kim", "2: not sure", "2026-11-20T12:00:00Z");
    again(&forge, "2026-11-20T12:05:00Z");
    let numbers: Vec<u32> = cards(&last(&forge)).iter().map(|(number, _)| *number).collect();
    assert_eq!(numbers, [1, 3, 4, 5], "it is left open");
    assert!(last(&forge).contains("kim is not sure about 2, so it is left open."), "{}", last(&forge));
}

#[test]
fn of_two_people_who_differ_neither_has_decided() {
    let (sandbox, forge) = both();
    forge.label(&sandbox, &[]).ok();
    say(&forge, 31, "kim", "1: at home", "2026-11-20T11:00:00Z");
    say(&forge, 32, "sam", "1: at the desk", "2026-11-20T11:01:00Z");
    let report = again(&forge, "2026-11-20T11:05:00Z");
    assert_eq!(report["decisions"], 0, "{report}");
    let told = last(&forge);
    assert!(told.contains("1 has different answers, so it is not decided."), "{told}");
    assert_eq!(cards(&told)[0].0, 1);
}

#[test]
fn a_list_from_before_the_cards_answers_none() {
    let (sandbox, forge) = both();
    // Written while the first run was under way: its author has seen no card.
    let event = forge.labeled("roundtable:01-03");
    say(&forge, 31, "kim", "1: letters\n2: dates", "2026-11-20T10:00:01Z");
    forge.run(&sandbox, "issues", &event, &["run"]).ok();
    assert_eq!(cards(&last(&forge)).len(), 5);
    let report = again(&forge, "2026-11-20T11:05:00Z");
    assert_eq!((&report["decisions"], cards(&last(&forge)).len()), (&json!(0), 5));
}

fn point(question: &str, line: usize, quote: &str, weight: &str) -> Value {
    json!({
        "question": question, "quotes": [{"path": "draft.md", "line": line, "quote": quote}],
        "why": "Two people build it differently.", "options": ["10 days", "30 days", "until paid"],
        "recommended": "30 days", "weight": weight, "kind": "value",
    })
}

/// A program that finds points and answers one of them, and passes else.
fn model(sandbox: &Sandbox, points: &[Value], refuted: &Value) -> String {
    let points = json!({ "points": points }).to_string();
    let refuted = refuted.to_string();
    let body = format!(
        "#!/bin/sh\nread -r asked\ncase \"$asked\" in\n*'\"want\":\"points\"'*) cat <<'E'\n{points}\nE\n;;\n*'\"want\":\"refute\"'*) cat <<'E'\n{refuted}\nE\n;;\n*'\"want\":\"synthesis\"'*) echo '{{\"insights\": [], \"decisions\": [], \"open_questions\": [], \"action_items\": [], \"proposals\": []}}';;\n*) echo '{{\"pass\": true}}';;\nesac\n"
    );
    format!("command:/bin/sh {}", sandbox.script("model.sh", body))
}

/// The label's event in two jobs, of which the first has the model.
fn in_two_jobs(forge: &Forge, event: &Value, voice: &str) -> Run {
    let (first, second) = (fresh(forge), fresh(forge));
    let folder = first.outside("handed");
    let folder = folder.to_str().unwrap();
    let args = ["run", "--voice", voice, "--out", folder, "--json"];
    let digest = forge.run(&first, "issues", event, &args).json()["digest"].as_str().unwrap().to_owned();
    let args = ["run", "--recording", folder, "--digest", &digest, "--json"];
    forge.run(&second, "issues", event, &args).ok()
}

fn with_points() -> (Sandbox, Forge, String) {
    let (sandbox, forge) = both();
    forge.set(|state| state.comments = vec![comment(11, "sam", "The desk has no computer.", EARLY)]);
    let built = "changes what gets built";
    // Its reader recommends no answer.
    let mut signs = point("Who signs the letter?", 9, "The desk writes one letter.", "detail");
    signs["recommended"] = json!("");
    let points = [
        point("How long is a reader blocked?", 5, "A reader is blocked after the third reminder.", built),
        point("Which sum does the letter name?", 7, "The letter names the sum.", "detail"),
        signs,
    ];
    let refuted = json!([{"on": 2, "answer": "The desk does.", "quotes": [{"path": "draft.md", "line": 9, "quote": "The desk writes one letter."}]}]);
    let voice = model(&sandbox, &points, &refuted);
    (sandbox, forge, voice)
}

#[cfg(unix)]
#[test]
fn a_models_points_are_cards_and_what_the_issue_answers_is_behind_the_fold() {
    let (_sandbox, forge, voice) = with_points();
    in_two_jobs(&forge, &forge.labeled("roundtable:01-03"), &voice);
    let told = last(&forge);
    let asked: Vec<String> = cards(&told).into_iter().map(|(_, question)| question).collect();
    assert_eq!(asked, ["How long is a reader blocked?", "Which sum does the letter name?"], "{told}");
    let head = head(&told);
    for text in [
        "**1. How long is a reader blocked?** ([draft.md:5](",
        "\n*changes what gets built*: Two people build it differently.",
        "*settles a detail*",
        "- [ ] 30 days (recommended)\n- [ ] 10 days\n- [ ] until paid\n",
        "Tick a box, or comment `1: your answer`; with `1: not sure` it is asked once more, then left open;",
    ] {
        assert!(head.contains(text), "{text}: {head}");
    }
    assert!(word_count(&told) <= 150 && !head.contains("Who signs"), "{head}");
    let folded = &told[told.find("Answered already (1)").unwrap()..];
    assert!(folded.contains("Who signs the letter? The desk does. ([draft.md:9]("), "{folded}");
}

#[cfg(unix)]
#[test]
fn a_tick_and_yes_to_all_take_options_and_say_so() {
    let (_sandbox, forge, voice) = with_points();
    in_two_jobs(&forge, &forge.labeled("roundtable:01-03"), &voice);
    // The first box is the recommended one of card 1.
    forge.tick("kim", "2026-11-20T10:30:00Z");
    say(&forge, 31, "sam", "Yes to all.", "2026-11-20T11:00:00Z");
    let event = forge.label_again("roundtable:01-03", "2026-11-20T11:05:00Z");
    in_two_jobs(&forge, &event, &voice);
    let all = decided(BRANCH, &forge);
    for (by, text) in [
        ("kim", "How long is a reader blocked? → 30 days"),
        ("sam", "How long is a reader blocked? → 30 days"),
        ("sam", "Which sum does the letter name? → 30 days"),
    ] {
        assert!(all.contains(&(by.to_owned(), text.to_owned())), "{by} {text}: {all:?}");
    }
    let told = last(&forge);
    assert!(told.contains("`yes to all` by sam took the recommended answers of cards 1 and 2."), "{told}");
    assert!(cards(&told).is_empty() && forge.state().labels == ["roundtable:done"], "{told}");
}

#[cfg(unix)]
#[test]
fn what_does_not_fit_a_minute_is_asked_in_the_fold_and_answered_in_the_same_ways() {
    let (sandbox, forge) = both();
    forge.set(|state| state.comments = vec![comment(11, "sam", "The desk has no computer.", EARLY)]);
    let quotes: Vec<String> = (0..7).map(|at| format!("Rule {at} of the desk is short.")).collect();
    forge.set(|state| state.issue["body"] = json!(quotes.join("\n\n")));
    let why = "Whoever builds it from these words alone has to choose one, and the other half of the readers notices.";
    let points: Vec<Value> = (0..7)
        .map(|at| {
            let weight = if at < 2 { "detail" } else { "changes what gets built" };
            let question = format!("Which of the rules holds in case {at}?");
            let mut one = point(&question, 5 + at * 2, &quotes[at], weight);
            one["why"] = json!(why);
            if at == 0 {
                one["options"] = json!(["90 days", "never"]);
                one["recommended"] = json!("90 days");
            }
            one
        })
        .collect();
    let voice = model(&sandbox, &points, &json!([]));
    in_two_jobs(&forge, &forge.labeled("roundtable:01-03"), &voice);
    let told = last(&forge);
    assert!(
        told.lines().nth(1) == Some("### Roundtable: 7 open questions") && word_count(&told) <= 150,
        "{}",
        head(&told)
    );
    let asked = Cards::of(&told).unwrap();
    assert!(!asked.cards.is_empty() && asked.folded.len() >= 2 && asked.all().count() == 7, "{told}");
    let last_two: Vec<&str> = asked.folded.iter().rev().take(2).map(|card| card.question.as_str()).collect();
    assert_eq!(
        last_two,
        ["Which of the rules holds in case 1?", "Which of the rules holds in case 0?"],
        "details last"
    );
    let fold =
        told.split(&format!("<summary>More questions ({})</summary>", asked.folded.len())).nth(1).unwrap();
    let fold = fold.split("</details>").next().unwrap();
    assert!(fold.contains("**7. Which of the rules holds in case 1?** ([draft.md:7]("), "{fold}");
    assert!(
        fold.contains(why) && fold.matches(" days (recommended)").count() == asked.folded.len(),
        "{fold}"
    );
    // A number and a tick reach the fold; "yes to all" takes what is read with it.
    let first: Vec<String> = asked.cards.iter().map(|card| card.question.clone()).collect();
    assert!(told.contains("`yes to all` takes the "), "{told}");
    forge.tick_line("kim", "2026-11-20T10:30:00Z", "90 days");
    say(&forge, 31, "sam", "7: until paid\nyes to all", "2026-11-20T11:00:00Z");
    let event = forge.label_again("roundtable:01-03", "2026-11-20T11:05:00Z");
    in_two_jobs(&forge, &event, &voice);
    let all = decided(BRANCH, &forge);
    let taken = first.iter().map(|question| ("sam", format!("{question} → 30 days")));
    let own = [("kim", "case 0? → 90 days"), ("sam", "case 1? → until paid")];
    let own = own.into_iter().map(|(by, text)| (by, format!("Which of the rules holds in {text}")));
    let wanted: BTreeSet<(String, String)> =
        taken.chain(own).map(|(by, text)| (by.to_owned(), text)).collect();
    assert_eq!(all.into_iter().collect::<BTreeSet<_>>(), wanted);
    let told = last(&forge);
    assert!(
        told.contains("`yes to all` by sam took the recommended answer")
            && told.contains("none in the fold."),
        "{told}"
    );
    assert_eq!(Cards::of(&told).unwrap().all().count(), 7 - wanted.len(), "{told}");
}

#[cfg(unix)]
#[test]
fn with_a_model_who_is_not_sure_is_asked_the_next_point_about_the_same_place() {
    let (sandbox, forge) = both();
    forge.set(|state| state.comments = vec![comment(11, "sam", "The desk has no computer.", EARLY)]);
    let (quote, detail) = ("A reader is blocked after the third reminder.", "detail");
    let one = |question: &str, quote: &str| point(question, 5, quote, detail);
    let (long, day) =
        (one("How long is a reader blocked?", quote), one("From which day on?", "after the third reminder"));
    let voice = model(&sandbox, std::slice::from_ref(&long), &json!([]));
    in_two_jobs(&forge, &forge.labeled("roundtable:01-03"), &voice);
    say(&forge, 31, "kim", "> **How long is a reader blocked?**\n\nNot sure.", "2026-11-20T11:00:00Z");
    let event = forge.label_again("roundtable:01-03", "2026-11-20T11:05:00Z");
    let voice = model(&sandbox, &[long, day], &json!([]));
    in_two_jobs(&forge, &event, &voice);
    let told = last(&forge);
    assert_eq!(cards(&told), [(2, "From which day on?".to_owned())], "{told}");
    assert!(told.contains("kim is not sure about 1, so it is asked once more."), "{told}");
}

/// A question that is longer than a card shows is recorded whole, and closed by its answer.
#[cfg(unix)]
#[test]
fn a_long_question_is_cut_only_where_it_is_shown() {
    let (sandbox, forge) = both();
    forge.set(|state| state.comments = vec![comment(11, "sam", "Maya, which reader is it?", EARLY)]);
    let long =
        format!("Is a reader blocked {}or first without a letter?", "after the third reminder ".repeat(12));
    let point = point(&long, 5, "A reader is blocked after the third reminder.", "detail");
    let voice = model(&sandbox, &[point], &json!([]));
    in_two_jobs(&forge, &forge.labeled("roundtable:01-03"), &voice);
    let told = last(&forge);
    assert!(cards(&told)[0].1 == long && !head(&told).contains(&long) && told.contains("…"), "{told}");
    assert!(!told.contains("The question stays open."), "the model's list says what is open: {told}");
    say(&forge, 31, "sam", "1: All of them", "2026-11-20T11:00:00Z");
    let event = forge.label_again("roundtable:01-03", "2026-11-20T11:05:00Z");
    in_two_jobs(&forge, &event, &voice);
    assert_eq!(decided(BRANCH, &forge), [("sam".to_owned(), format!("{long} → All of them"))]);
    let told = last(&forge);
    assert!(!told.contains("<summary>Open questions"), "{told}");
}

#[cfg(unix)]
#[test]
fn a_tick_of_somebody_who_may_not_write_and_two_ticks_decide_nothing() {
    let (_sandbox, forge, voice) = with_points();
    in_two_jobs(&forge, &forge.labeled("roundtable:01-03"), &voice);
    forge.tick("kim", "2026-11-20T10:30:00Z");
    forge.tick("kim", "2026-11-20T10:31:00Z");
    say(&forge, 31, "sam", "The letters are blue.", "2026-11-20T11:00:00Z");
    let event = forge.label_again("roundtable:01-03", "2026-11-20T11:05:00Z");
    in_two_jobs(&forge, &event, &voice);
    assert_eq!(decided(BRANCH, &forge), []);
    let told = last(&forge);
    assert!(told.contains("1 has different answers") && !told.contains("- [x]"), "{told}");
    forge.tick("outsider", "2026-11-20T11:30:00Z");
    say(&forge, 32, "sam", "The letters are green.", "2026-11-20T12:00:00Z");
    let event = forge.label_again("roundtable:01-03", "2026-11-20T12:05:00Z");
    in_two_jobs(&forge, &event, &voice);
    assert_eq!((decided(BRANCH, &forge).len(), cards(&last(&forge)).len()), (0, 2));
}

#[cfg(unix)]
#[test]
fn two_ticks_on_one_card_are_told_where_nobody_wrote_anything() {
    let (_sandbox, forge, voice) = with_points();
    in_two_jobs(&forge, &forge.labeled("roundtable:01-03"), &voice);
    forge.tick("kim", "2026-11-20T10:30:00Z");
    forge.tick("sam", "2026-11-20T10:31:00Z");
    let event = forge.label_again("roundtable:01-03", "2026-11-20T11:05:00Z");
    in_two_jobs(&forge, &event, &voice);
    assert_eq!(decided(BRANCH, &forge), []);
    let told = last(&forge);
    assert!(told.contains("1 has different answers, so it is not decided."), "{told}");
    assert!(!told.contains("Nothing is new since") && cards(&told)[0].0 == 1, "{told}");
}

#[cfg(unix)]
#[test]
fn a_hostile_model_shows_text_and_stays_within_a_minute() {
    let (sandbox, forge) = both();
    forge.set(|state| state.comments = vec![comment(11, "sam", "The desk has no computer.", EARLY)]);
    let words = "@team fixes #1 ![x](https://evil.example/x.png) ~~gone~~ `a [b ".repeat(40);
    let hostile = |line: usize, quote: &str| {
        let mut point = point(&format!("{line} {words}"), line, quote, "detail");
        point["options"] = json!([format!("a {words}"), "b ~~possible:W10", words, "`c`", "d"]);
        point["recommended"] = json!("b ~~possible:W10");
        point
    };
    let points = [
        hostile(5, "A reader is blocked after the third reminder."),
        hostile(7, "The letter names the sum."),
        hostile(9, "The desk writes one letter."),
    ];
    let voice = model(&sandbox, &points, &json!([]));
    in_two_jobs(&forge, &forge.labeled("roundtable:01-03"), &voice);
    let told = last(&forge);
    assert!(word_count(&told) <= 350, "{}", head(&told));
    for live in ["@team", "#1", "![x]("] {
        assert!(!told.contains(live), "{live}: {told}");
    }
    assert!(!cards(&told).is_empty(), "{told}");
    say(&forge, 31, "sam", "1: yes", "2026-11-20T11:00:00Z");
    let event = forge.label_again("roundtable:01-03", "2026-11-20T11:05:00Z");
    in_two_jobs(&forge, &event, &voice);
    assert_eq!(decided(BRANCH, &forge).len(), 1, "{}", last(&forge));
}

/// The comment that the pictures of `docs/pictures` show, without what is hidden and what is different in each run.
#[cfg(unix)]
#[test]
fn the_picture_of_a_comment_shows_what_is_written() {
    let sandbox = sandbox();
    let forge = forge(&sandbox);
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let spec = std::fs::read_to_string(root.join("examples/late-fees/requirements-spec.md")).unwrap();
    let body: String = spec.lines().filter(|line| line.starts_with("- FR-00")).collect::<Vec<_>>().join("\n");
    forge.set(|state| {
        state.issue["body"] = json!(body);
        state.comments = vec![comment(11, "kim", "The desk has no computer.", EARLY)];
    });
    let (built, detail) = ("changes what gets built", "detail");
    let drawn = |id: &str, question: &str, why: &str, options: &[&str], weight: &str| {
        let line = body.lines().position(|line| line.contains(id)).unwrap();
        json!({
            "question": question, "why": why, "options": options, "recommended": options[0], "weight": weight,
            "quotes": [{"path": "draft.md", "line": line + 5, "quote": body.lines().nth(line).unwrap()}],
            "kind": "value",
        })
    };
    let points = [
        drawn(
            "FR-004",
            "From which amount of open fees can a reader no longer borrow?",
            "\"A lot\" is a number in code, and the desk has to name it.",
            &["15 euros", "10 euros"],
            built,
        ),
        drawn(
            "FR-002",
            "Are the 3 free days calendar days or open days?",
            "A book due on Friday costs money on Monday by one count only.",
            &["Open days", "Calendar days"],
            built,
        ),
        drawn(
            "FR-006",
            "Who sees that a fee was taken back?",
            "Nothing else shows a reader why the sum has changed.",
            &["The reader and the desk", "The desk"],
            detail,
        ),
    ];
    let voice = model(&sandbox, &points, &json!([]));
    in_two_jobs(&forge, &forge.labeled("roundtable:01-03"), &voice);
    let told = last(&forge);
    let mut lines: Vec<String> =
        told.lines().map(|line| line.split("<!--").next().unwrap().trim_end().to_owned()).collect();
    lines.dedup_by(|next, line| next.is_empty() && line.is_empty());
    let masks = [(r"http://127\.0\.0\.1:\d+", "https://example.org"), (r"\b[0-9a-f]{40}\b", "main")];
    let shown =
        masks.into_iter().fold(lines.join("\n").trim_start().to_owned() + "\n", |text, (pattern, with)| {
            regex::Regex::new(pattern).unwrap().replace_all(&text, with).into_owned()
        });
    let file = root.join("docs/pictures/cards.md");
    if std::env::var_os("DOCUMENTS").is_some_and(|how| how == "write") {
        std::fs::write(&file, &shown).unwrap();
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        kept == shown,
        "{}: write it again with DOCUMENTS=write, and draw it with draw.py: {shown}",
        file.display()
    );
}
