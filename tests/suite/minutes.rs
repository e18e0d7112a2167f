//! What is drawn from discussions: the documented forms and nothing else (L-2 to L-5), and what holds for any text.

use std::sync::LazyLock;
use std::time::Instant;

use proptest::prelude::*;
use roundtable::item::library::Library;
use roundtable::minutes::{Choice, Minutes, Speaker, Spoken, draw};

static LIBRARY: LazyLock<Library> = LazyLock::new(|| Library::built_in().unwrap());

fn minutes(said: &[Spoken<'_>]) -> Minutes {
    draw(said, LIBRARY.forms(), &["Maya", "Alex", "Jordan"])
}

fn by_persona<'t>(turn: u32, key: &'t str, text: &'t str) -> Spoken<'t> {
    Spoken { speaker: Speaker::Persona(key), ..Spoken::by_user(turn, "", text) }
}

fn heard(text: &str) -> Minutes {
    minutes(&[Spoken::by_user(4, "Sam", text)])
}

fn decided(text: &str) -> Vec<String> {
    heard(text).decisions.into_iter().map(|one| one.text).collect()
}

#[test]
fn a_label_decides_wherever_it_is_written() {
    for (text, wanted) in [
        ("Decision: we keep SQLite.", &["we keep SQLite."][..]),
        ("**Decision:** letters are **white**.", &["letters are white."]),
        ("**Decision**: linen", &["linen"]),
        ("- Agreed: linen\n- Resolved: no cotton", &["linen", "no cotton"]),
        ("1. Decision D-3: 20 euros", &["20 euros"]),
        ("Maya, decision: if a plot is empty, it is given away.", &["if a plot is empty, it is given away."]),
        ("> [!IMPORTANT]\n> Decision: linen", &["linen"]),
        (
            "Decisions:\n- Stop at 20 euros.\n  - readers asked\n- Letters go by post.",
            &["Stop at 20 euros.", "Letters go by post."],
        ),
        ("### Decisions\r\n\r\n* Stop at 20 euros. It is enough.\r\n", &["Stop at 20 euros. It is enough."]),
        ("We decided:\n\n1. Stop.\n2. Go.", &["Stop.", "Go."]),
        ("**Agreed**\n\n- Stop", &["Stop"]),
        ("## Decision\n\nStop at 20.\nGo by post.\n\nThat is all of it.", &["Stop at 20.", "Go by post."]),
        ("## Decisions\n\n### Fees\n\n- Stop at 20.", &["Stop at 20."]),
        ("## Decision: keep it", &["keep it"]),
        ("Decisions:\n- Stop\n\n* Go\n\n---\n\n- Wait", &["Stop", "Go", "Wait"]),
        ("## Decisions\n\n> Who pays?\n\n- The branch", &["The branch"]),
        ("## Decisions\n\n**Fees**\n\n- Stop at 20.", &["Stop at 20."]),
        ("**Decision**\nstop at 20", &["stop at 20"]),
        ("Decision:\n<details><summary>more</summary>\n\nStop at 20.\n\n</details>", &["Stop at 20."]),
        ("Decision FR-002: cash only.", &["FR-002: cash only."]),
        ("Decision: Who pays? The branch, because it asked.", &["Who pays? → The branch, because it asked."]),
        ("Decision: Who pays?", &[]),
        ("We decided the following:\n\n- no cash\n- no checks", &["no cash", "no checks"]),
        ("Decision T042: cash. Decision 3: no checks.", &["T042: cash.", "no checks."]),
        ("### Decision FR-002\n\n- cash only\n- no checks", &["FR-002: cash only", "FR-002: no checks"]),
        // A lead is said in what is below it, and one that breaks off goes on there.
        (
            "We decided to do the following:\n\n1. fold letters\n2. stamp letters",
            &[
                "We decided to do the following: fold letters",
                "We decided to do the following: stamp letters",
            ],
        ),
        ("Decision: fees are:\n* 5 euros\n* paid at once", &["fees are: 5 euros", "fees are: paid at once"]),
        (
            "Decision: fees are\n- 5 euros\n- paid at once\n\nThat is it.",
            &["fees are: 5 euros; paid at once"],
        ),
        ("Decision: fees stay.\n- they are low", &["fees stay."]),
        ("We decided to stop:\n\n- why?", &["We decided to stop:"]),
        ("We discussed `retry_limit`. Agreed: `retry_limit` is 3.", &["`retry_limit` is 3."]),
    ] {
        assert_eq!(decided(text), wanted, "{text}");
    }
}

#[test]
fn labels_give_their_role_to_what_is_below_them() {
    let found = heard("Decision: linen.\n\nReason:\n- It lasts.\n- It is cheap.");
    let reasons: Vec<Option<&str>> = found.decisions.iter().map(|one| one.reason.as_deref()).collect();
    assert_eq!(reasons, [Some("It lasts; It is cheap")]);
    for (text, wanted) in [
        ("## 2. Decision\n\nLinen lasts.", &["Linen lasts."][..]),
        ("Decisions:\n- Linen lasts.\n- Action: ask legal.", &["Linen lasts."]),
        ("On Monday Kim wrote:\n> Cotton?\n\nDecision: linen.", &["linen."]),
        ("Kim wrote:\nDecision: cotton.", &[]),
        ("### Notes\n- It rains.\n- Decision: linen.", &["linen."]),
        ("Decision: (none)", &[]),
        ("Decision: it stops at the\nLibrary Club.", &["it stops at the Library Club."]),
    ] {
        assert_eq!(decided(text), wanted, "{text}");
    }
    let open = heard("### Open questions\n- who pays\n- none\n\nOpen question: Who signs?").open_questions;
    let open: Vec<&str> = open.iter().map(|one| one.text.as_str()).collect();
    assert_eq!(open, ["who pays", "Who signs?"]);
    assert_eq!(heard("Action: ask legal who pays?").action_items.len(), 1);
}

#[test]
fn a_decision_goes_on_to_the_end_of_its_sentence() {
    for (text, wanted) in [
        ("say \"Stop!\" to readers who are late.", None),
        ("fees (see sec. 3.2) stay.", None),
        ("load /etc/x ../../lib/y and no other.", None),
        ("use Yahoo! for mail.", None),
        ("letters go out on 20. February.", None),
        ("a name is [a-z]+? only.", None),
        ("we keep the \"?\" key.", None),
        ("the label is \"Who pays?\"", None),
        ("letters have art. 5 on them. Nobody reads it.", Some("letters have art. 5 on them.")),
        ("fees stay. They are low.", Some("fees stay.")),
        ("send it on Monday<br>and by post.", Some("send it on Monday and by post.")),
        ("a one  \nb two.", Some("a one b two.")),
    ] {
        assert_eq!(decided(&format!("Decision: {text}")), [wanted.unwrap_or(text)]);
        assert_eq!(heard(&format!("Decision: {text}")).open_questions, [], "{text}");
    }
}

#[test]
fn a_sentence_that_begins_with_we_decided_decides() {
    for text in [
        "We decided to stop fees at 20 euros.",
        "_We agreed that dogs stay outside._",
        "We have decided against cookies.",
        "We've agreed on two weeks.",
        "we decided not to paint it",
        "We are going with linen.",
        "We'll go with the second layout.",
        "Let’s go with linen.",
    ] {
        assert_eq!(decided(text), [text.trim_matches('_')]);
    }
    assert_eq!(decided("@sam Alex, we decided to keep it. It works."), ["we decided to keep it."]);
    assert_eq!(decided("- [ ] paint it\n\nSam and Maya: let's go with linen."), ["let's go with linen."]);
}

#[test]
fn look_alikes_decide_nothing() {
    for text in [
        // Negation.
        "We haven't decided to drop it.",
        "We never agreed on linen.",
        "Let's not go with linen.",
        "We decided nothing.",
        // Hearsay.
        "They decided to drop it.",
        "Kim says we decided to drop it.",
        "I heard we decided to drop it.",
        "We decided to drop it, Kim said.",
        "Kim said:\n- We decided to drop it.",
        // Past.
        "Originally we decided to drop it.",
        "We had decided to drop it.",
        "Once, we decided to drop it.",
        // Conditions without a label.
        "If nobody objects, we go with linen.",
        "We'll go with linen if nobody objects.",
        "Let's go with linen unless it rains.",
        // Questions.
        "Did we decide to drop it?",
        "We decided to drop it?",
        "Decision: which one?",
        "Let's go with linen?",
        // Quotations, code, what is struck out or hidden.
        "> We decided to drop it.",
        "> We decided to drop it\nand to sell it.",
        "The sign says \"we decided to drop it\".",
        "\"We decided to drop it.\"",
        "Kim wrote \"Hello. We decided to drop it.\" and left.",
        "```\nDecision: drop it\n```",
        "    Decision: drop it",
        "<pre>Decision: drop it</pre>",
        "<!-- Decision: drop it -->",
        "~~Decision: drop it~~",
        "<del>Decision: drop it</del>",
        "![Decision: drop it](a.png)",
        "[^1]: Decision: drop it",
        "<p hidden>Decision: drop it</p>",
        // Boxes of a list of one's own.
        "- [ ] Decision: drop it",
        "- [x] Decision: drop it",
        "Decisions:\n- [ ] drop it",
        "### Decisions\n\n| What | Who |\n|-|-|\n| drop it | Kim |",
        // A label without a decision.
        "Decision: none",
        "Decision: TBD",
        "Decisions: none yet.",
        "Decision: pending legal's answer",
        "## Decisions\n\nNone.",
        "Decisions:\n- open",
        "Agreed.",
        "**Agreed.**\n\nLinen.",
        "Agreed, but who pays?",
        "Decision needed: who pays.",
        // Only possible.
        "We should go with linen.",
        "We will use linen.",
        "We keep linen.",
        "Let's use linen.",
        "Options:\n- We go with linen.\n- We go with cotton.",
        "I'd go with linen.",
    ] {
        assert_eq!(decided(text), [""; 0], "{text}");
    }
}

#[test]
fn a_reason_is_what_is_said_after_because_or_in_the_next_sentence() {
    for (text, wanted) in [
        ("Decision: linen, because it lasts.", Some("it lasts")),
        ("We decided to drop it since nobody reads it.", Some("nobody reads it")),
        ("Decision: linen. Reason: it lasts.", Some("it lasts")),
        ("Decisions:\n- Linen. Reason: it lasts.", Some("it lasts")),
        ("Decision: linen.\nReason: it lasts.", Some("it lasts")),
        ("Decision: linen. It lasts.", None),
    ] {
        assert_eq!(heard(text).decisions[0].reason.as_deref(), wanted, "{text}");
    }
}

#[test]
fn an_answer_decides_where_the_choice_was_put_before() {
    let options = vec!["the queue", "polling every minute", "a file, kept for a day. Then it goes."];
    let choice = |on| Choice { on, options: options.clone(), is_point: false };
    let notice = |turn, on| Spoken { choice: Some(choice(on)), ..by_persona(turn, "architect", "…") };
    let run = |answer: &str, has_seen: bool| {
        let said = [
            notice(5, "Queue or polling?"),
            Spoken { shown: if has_seen { 5 } else { 0 }, ..Spoken::by_user(6, "Sam", answer) },
        ];
        let minutes = minutes(&said);
        let decided: Vec<_> = minutes.decisions.into_iter().map(|one| (one.text, one.turns)).collect();
        (decided, minutes.open_questions.len())
    };
    let answered = |answer: &str| (vec![(format!("Queue or polling? → {answer}"), vec![5, 6])], 0);
    for answer in [
        "The queue, it is simpler.",
        "The second one.",
        "Polling every minute",
        "We take the queue.",
        "option A",
        "A file, kept for a day. Then it goes.",
        "a file kept for a day; then it goes",
    ] {
        assert_eq!(run(answer, true), answered(answer));
        assert_eq!(run(answer, false), (vec![], 1), "{answer}");
    }
    for answer in [
        "The queue was never tested.",
        "Not the queue.",
        "Both, for a start.",
        "Agreed.",
        "Dogs are allowed.",
        "> The queue",
    ] {
        assert_eq!(run(answer, true), (vec![], 1), "{answer}");
    }
    let by_form = (vec![("Let's go with the queue.".to_owned(), vec![5, 6])], 0);
    assert_eq!(run("Let's go with the queue.", false), by_form);
}

#[test]
fn a_decision_for_an_option_of_the_users_own_question_closes_it() {
    let open = |asked: &str, by: &str, decided: &str| {
        let said = [Spoken::by_user(4, "Sam", asked), Spoken::by_user(6, by, decided)];
        minutes(&said).open_questions.len()
    };
    let letters = "Do we send letters weekly or monthly?";
    for (asked, decided) in [
        (letters, "Let's go with monthly."),
        (letters, "We'll go with weekly, because a month is long."),
        (letters, "Decision: weekly."),
        ("Is it a queue or a table in the app?", "Let's go with a table."),
        ("Paper in white, grey, or light green?", "We are going with it.\n\nDecided: Grey"),
        ("Post or e-mail? What does a letter cost?", "Let's go with post."),
    ] {
        let left = usize::from(asked.contains("cost"));
        assert_eq!(open(asked, "Sam", decided), left, "{asked} {decided}");
        assert_eq!(open(asked, "Ada", decided), 1 + left, "another one decided: {decided}");
    }
    for (asked, decided) in [
        (letters, "Let's go with daily."),
        (letters, "Let's go with letters."),
        (letters, "Monthly."),
        (letters, "Decision: not monthly."),
        (letters, "Let's go with weekly or monthly."),
        ("Do we keep it or drop it?", "Let's go with it."),
        ("Who pays or calls", "Let's go with calls."),
    ] {
        let asks = usize::from(asked.ends_with('?'));
        assert_eq!(open(asked, "Sam", decided), asks, "{asked} {decided}");
    }
    // What two questions offer answers neither.
    assert_eq!(open("Post or e-mail? Fax or post?", "Sam", "Let's go with post."), 2);
    let before =
        [Spoken::by_user(4, "Sam", "Let's go with post."), Spoken::by_user(5, "Sam", "Post or e-mail?")];
    assert_eq!(minutes(&before).open_questions.len(), 1, "it was asked afterwards");
}

#[test]
fn a_decision_on_another_amount_settles_a_choice_of_amounts() {
    let choice =
        Choice { on: "10 euros or 20 euros?", options: vec!["10 euros", "20 euros"], is_point: false };
    let notice = Spoken { choice: Some(choice), ..by_persona(5, "architect", "…") };
    let open = |said: &[&str]| {
        let users = said.iter().zip(6..).map(|(text, turn)| Spoken::by_user(turn, "Sam", text));
        let said: Vec<Spoken<'_>> = std::iter::once(notice.clone()).chain(users).collect();
        minutes(&said).open_questions.len()
    };
    assert_eq!(open(&["We decided to block at 15 euros for FR-004."]), 0);
    assert_eq!(open(&["Decision: 20 euros."]), 0);
    for other in [
        "Decision: letters are sent after 15 days.",
        "Decision: 15 euros, or 30 euros for adults.",
        "Decision: 15.",
        "15 euros a day are too much.",
    ] {
        assert_eq!(open(&[other]), 1, "{other}");
    }
    assert_eq!(open(&["Decision: letters are white.", "Decision: a letter costs 2 euros."]), 1);
}

#[test]
fn a_point_is_decided_by_its_answer_or_stays_open() {
    let point = |turn, on, options: &[&'static str]| {
        let choice = Choice { on, options: options.to_vec(), is_point: true };
        Spoken { choice: Some(choice), ..by_persona(turn, "analyst", "…") }
    };
    let run = |answer: &str| {
        let said = [
            point(1, "How many letters when FR-001 is late?", &["five", "six"]),
            point(2, "Who signs?", &["the desk", "nobody"]),
            Spoken { shown: 3, ..Spoken::by_user(4, "Sam", answer) },
        ];
        let minutes = minutes(&said);
        let decided: Vec<_> = minutes.decisions.into_iter().map(|one| one.text).collect();
        (decided, minutes.open_questions.into_iter().map(|one| one.text).collect::<Vec<_>>())
    };
    let (letters, signs) = ("How many letters when FR-001 is late?", "Who signs?");
    let text = |text: &str| text.to_owned();
    assert_eq!(run("six"), (vec![format!("{letters} → six")], vec![text(signs)]));
    assert_eq!(run("Let's go with six."), (vec![text("Let's go with six.")], vec![text(signs)]));
    assert_eq!(run("Decision: FR-001 has seven."), (vec![text("FR-001 has seven.")], vec![text(signs)]));
    // Which of them "the second" is of, nobody knows; and six euros are no answer.
    for (answer, decided) in [("the second", vec![]), ("Decision: six euros.", vec![text("six euros.")])] {
        assert_eq!(run(answer), (decided, vec![text(letters), text(signs)]));
    }
}

#[test]
fn questions_stay_open_until_a_decision_names_their_id() {
    let open = |said: &[Spoken<'_>]| minutes(said).open_questions.len();
    let asked = Spoken::by_user(4, "Sam", "Who signs FR-002?");
    assert_eq!(open(std::slice::from_ref(&asked)), 1);
    assert_eq!(open(&[asked.clone(), Spoken::by_user(5, "Ada", "The owner signs FR-002.")]), 1);
    assert_eq!(open(&[asked.clone(), Spoken::by_user(5, "Ada", "Decision: the owner signs it.")]), 1);
    assert_eq!(open(&[asked.clone(), Spoken::by_user(5, "Ada", "Decision: the owner signs FR-001.")]), 1);
    assert_eq!(open(&[asked.clone(), Spoken::by_user(5, "Ada", "Decision: the owner signs FR-002.")]), 0);
    // An earlier decision answers no later question, and what was redirected stays open.
    assert_eq!(open(&[Spoken::by_user(3, "Ada", "Decision: FR-002 is signed."), asked.clone()]), 1);
    let redirected = Spoken { off_topic: Some("02-01"), ..asked };
    let said = [redirected, Spoken::by_user(5, "Ada", "Decision: the owner signs FR-002.")];
    assert_eq!(minutes(&said).open_questions[0].step.as_deref(), Some("02-01"));
    for (text, count) in [
        ("> Who signs?", 0),
        ("~~Who signs?~~", 0),
        ("### Who signs?", 0),
        ("- Who signs?\n- When?", 2),
        ("Alex? c", 0),
        ("Sam and Alex?", 0),
        ("Who signs? maybe ada.", 1),
        ("Kim asked \"who signs?\" and left.", 0),
    ] {
        assert_eq!(heard(text).open_questions.len(), count, "{text}");
    }
}

#[test]
fn action_items_have_their_owner_and_are_listed_once() {
    for (text, what, owner) in [
        ("I'll draft the letter.", "I'll draft the letter.", Some("Sam")),
        ("Maya, I will ask legal.", "I will ask legal.", Some("Sam")),
        ("Sam will write it by Friday.", "Sam will write it by Friday.", Some("Sam")),
        ("Alex Rivera will write it by Friday.", "Alex Rivera will write it by Friday.", Some("Alex Rivera")),
        ("@kim will write it by Friday.", "@kim will write it by Friday.", Some("kim")),
        ("Action: I will write it by Monday.", "I will write it by Monday.", Some("Sam")),
        ("Action items:\n- @ada writes the letter", "@ada writes the letter", Some("ada")),
        ("Action items:\n- Kim: call the post", "call the post", Some("Kim")),
        ("## TODO\n\n- @kim, please call", "please call", Some("kim")),
        ("Action: Alex, call the post", "call the post", Some("Alex")),
        ("Action: then, call the post", "then, call the post", None),
        ("I will do the following:\n- call", "I will do the following: call", Some("Sam")),
        ("TODO @kim: book the room.", "book the room.", Some("kim")),
        ("Action: ask the vendor.", "ask the vendor.", None),
        ("Action items:\n- ask the vendor\n- @kim", "ask the vendor", None),
        ("Thanks. I'll see. I'll see.", "I'll see.", Some("Sam")),
    ] {
        let minutes = heard(text);
        let first = &minutes.action_items[0];
        assert_eq!((first.text.as_str(), first.owner.as_deref()), (what, owner), "{text}");
        assert!(minutes.decisions.is_empty() && minutes.notes.is_empty(), "{text}");
    }
    assert_eq!(heard("I'll see. I'll see.").action_items.len(), 1);
    for text in [
        "I'll not do it.",
        "I'll do it if nobody else does.",
        "Who will do it by Friday?",
        "> I'll do it.",
        "It will be sent by Friday.",
        "Fees will rise by 5 euros.",
        "Letters will arrive by noon.",
        "Action: none",
        "Action items:\n- none",
    ] {
        assert_eq!(heard(text).action_items, [], "{text}");
    }
}

#[test]
fn a_line_with_a_label_is_a_note_and_nothing_else_is() {
    let notes = |text: &str| heard(text).notes.into_iter().map(|one| one.text).collect::<Vec<_>>();
    assert_eq!(
        notes("Note: the archive is closed in May. It opens in June."),
        ["the archive is closed in May. It opens in June."]
    );
    assert_eq!(notes("- **Fact:** 42 plots"), ["42 plots"]);
    assert_eq!(notes("Note:\n- 42 plots. Are they?\n- 3 gates"), ["42 plots. Are they?", "3 gates"]);
    assert_eq!(notes("### Notes\n\n- 42 plots"), ["42 plots"]);
    for text in
        ["Hi all, let's go through the open points.", "7.", "Agreed.", "The archive is closed.", "> Note: a"]
    {
        assert_eq!(heard(text), Minutes::default(), "{text}");
    }
}

const PIECES: [&str; 18] = [
    "We decided to drop it",
    "Let's go with linen",
    "because it is old",
    "Who signs FR-1?",
    "I'll ask legal by Friday",
    "Agreed:",
    "Decisions:\n",
    "> We keep it",
    "```",
    "\n\n",
    "\n- ",
    ". ",
    "~~",
    "<del>",
    "Note: ",
    "\"",
    "<!--",
    "ß😀",
];

fn message() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        3 => (0..PIECES.len()).prop_map(|at| PIECES[at].to_owned()),
        1 => "\\PC{0,12}",
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.join(" "))
}

/// The letters and digits of a text, in order.
fn letters(text: &str) -> Vec<char> {
    text.chars().filter(|found| found.is_alphanumeric()).collect()
}

proptest! {
    #[test]
    fn every_entry_is_in_the_words_of_a_user(text in message()) {
        let minutes = heard(&text);
        let decisions = minutes.decisions.iter().map(|one| &one.text);
        let questions = minutes.open_questions.iter().map(|one| &one.text);
        let actions = minutes.action_items.iter().map(|one| &one.text);
        let notes = minutes.notes.iter().map(|one| &one.text);
        for entry in decisions.chain(questions).chain(actions).chain(notes) {
            // What people see is in the source in the same order; marks and hidden words are between.
            let mut source = letters(&text).into_iter();
            let is_said = text.contains('&') || letters(entry).iter().all(|letter| source.any(|said| said == *letter));
            prop_assert!(is_said, "{} in {}", entry, text);
        }
    }

    #[test]
    fn no_persona_decides(text in message()) {
        prop_assert_eq!(minutes(&[by_persona(2, "architect", &text)]), Minutes::default());
    }
}

#[test]
fn time_grows_with_the_length() {
    for text in [
        "We decided to keep it because it is old. Who signs? ",
        "\" <!-- ` ( . ",
        "> a\n- b\n\n",
        "<b><del>a",
        "Decisions:\n- a\n\n",
        "a:\n",
    ] {
        let time = |bytes: usize| {
            let text = text.repeat(bytes / text.len());
            let start = Instant::now();
            heard(&text);
            start.elapsed().as_secs_f64()
        };
        let (short, long) = (time(6_000), time(60_000));
        assert!(long < 60.0 * short.max(0.01), "{text:?}: {short} s, {long} s");
    }
}

#[test]
fn the_page_names_every_form_with_its_first_example() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/scripts.md")).unwrap();
    for form in LIBRARY.forms().file("decisions").iter().chain(LIBRARY.forms().file("actions")) {
        let row = format!("| `{}` | {} | {} |", form.written.form, form.written.title, form.written.yes[0]);
        assert!(page.contains(&row), "docs/scripts.md has no row {row}");
    }
}
