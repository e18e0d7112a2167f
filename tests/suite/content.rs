//! The rule `content` against edits that lose, hide, weaken or move something, and edits that do not. What an edit
//! does is known by how it is made. `ROUNDTABLE_CASES=N` runs N random cases of each property.

use proptest::prelude::*;
use roundtable::additive::{Class, Comparison, Demand, Kind, Rule, compare};

use crate::mutations::{self, cases};

/// A specification with something of everything.
const SPEC: &str = "---\ntitle: Fees\nowner: desk\ndue:\n---\n\n# Fees\n\nThe desk sends one letter. Nobody must pay twice.\nReaders see the [price list](prices.md).\n\n## Rules\n\n- FR-1: A swap must be answered within 24 hours.\n- FR-2: Letters are never sent on Sundays.\n  - Cards are an exception.\n- FR-3: The lead sees both names. All names are kept.\n\n1. Offer a shift\n2. Confirm it\n\n- [ ] Ask payroll\n- [x] Ask the ward\n\n## Limits\n\n| Case | Fee | Owner |\n| --- | --- | --- |\n| lost book | 25 euros | Maya |\n| late return | 2 euros | |\n\n> [!WARNING]\n> The limit is checked twice.\n\n```sh\nfees --list\nfees --all\n```\n\n<!-- kept for the release -->\n\nSee the note[^1] and the [site].\n\n![the desk](desk.png)\n\n## Open\n\nWho pays when the desk is closed?\n\n[^1]: Written by the ward in May.\n\n[site]: https://example.org/site\n";

fn by(rule: Rule, before: &str, after: &str) -> Comparison {
    compare("a.md", &Demand::of(rule), before.as_bytes(), after.as_bytes())
}

fn is_kept(before: &str, after: &str) -> bool {
    by(Rule::Content, before, after).findings.is_empty()
}

/// Edits that lose nothing: what is replaced, and by what.
const HARMLESS: &[(&str, &str)] = &[
    ("Nobody must pay twice.\nReaders", "Nobody must\npay twice. Readers"),
    ("one letter. Nobody", "one letter.\n\nNobody"),
    ("one letter.", "one letter. It is free."),
    ("The desk sends", "New words come first. The desk sends"),
    ("- FR-1", "* FR-1"),
    ("- FR-2", "\n- FR-2"),
    ("- FR-1", "- FR-0: Trainees are named.\n- FR-1"),
    ("on Sundays.", "on Sundays. Post is slow."),
    ("on Sundays.\n", "on Sundays.\n  - A bullet below.\n"),
    ("2. Confirm it\n", "2. Confirm it\n3. Remind\n"),
    ("- [ ] Ask payroll", "- [x] Ask payroll"),
    ("| 2 euros | |", "| 2 euros | Tom |"),
    ("| late return | 2 euros | |\n", "| late return | 2 euros | |\n| torn page | 1 euro | |\n"),
    ("| lost book |", "| torn page | 1 euro | |\n| lost book |"),
    (
        "| Case | Fee | Owner |\n| --- | --- | --- |\n| lost book | 25 euros | Maya |\n| late return | 2 euros | |",
        "| Case | Fee | Owner | Since |\n| :-- | --: | --- | --- |\n| lost book | 25 euros | Maya | 2026 |\n| late return | 2 euros | | |",
    ),
    ("```sh\nfees --list\nfees --all\n```", "~~~~bash\nfees --list  \nfees --all\n~~~~"),
    ("due:\n", "due: 2026-03-01\n"),
    ("title: Fees\nowner: desk", "owner: 'desk'\ntitle: \"Fees\"\nnew: 1"),
    ("must pay", "**must** pay"),
    ("The desk", "The [desk](desk.md)"),
    ("is closed?\n", "is closed?\n\nThe deputy.\n"),
    ("## Open", "Open\n----"),
    ("# Fees\n", "# Fees #\n"),
    ("## Open", "## New\n\nNew words.\n\n## Open"),
    ("Ask the ward\n", "Ask the ward\n\n***\n"),
    ("See the note", "<!-- a remark -->\n\nSee the note"),
    ("[site]: https://example.org/site\n", "[site]: <https://example.org/site>\n[new]: /new\n"),
];

/// Edits that lose, hide, weaken or move something: the edit, and the class and kind that it has.
const HARMFUL: &[(&str, &str, Class, Kind)] = &[
    ("must be answered", "should be answered", Class::Changed, Kind::Weakened),
    ("are never sent", "are sent", Class::Changed, Kind::Weakened),
    ("All names are kept.", "Names are kept.", Class::Changed, Kind::Weakened),
    ("Nobody must pay", "Nobody must only pay", Class::Changed, Kind::Weakened),
    ("24 hours", "48 hours", Class::Changed, Kind::Number),
    ("25 euros", "30 euros", Class::Changed, Kind::Number),
    ("by the ward in May", "by the ward in June", Class::Changed, Kind::Name),
    ("Letters are", "Cards are", Class::Changed, Kind::Name),
    ("The limit is checked", "The price is checked", Class::Changed, Kind::Wording),
    ("- FR-2: Letters are never sent on Sundays.\n", "- FR-2: TBD\n", Class::Gone, Kind::Gone),
    ("- FR-3: The lead sees both names. All names are kept.\n", "", Class::Gone, Kind::Gone),
    (" All names are kept.", "", Class::Gone, Kind::Gone),
    ("Who pays when the desk is closed?\n", "", Class::Gone, Kind::Gone),
    ("| lost book | 25 euros | Maya |\n", "", Class::Gone, Kind::Gone),
    ("| Maya |", "| |", Class::Gone, Kind::Gone),
    ("owner: desk\n", "", Class::Gone, Kind::Gone),
    ("owner: desk\n", "owner: front desk\n", Class::Changed, Kind::Wording),
    ("<!-- kept for the release -->\n", "", Class::Gone, Kind::Gone),
    ("fees --list\n", "", Class::Changed, Kind::Wording),
    ("fees --all\n", "fees --all\nfees --none\n", Class::Changed, Kind::CodeExtended),
    (
        "- FR-1: A swap must be answered within 24 hours.",
        "- ~~FR-1: A swap must be answered within 24 hours.~~",
        Class::Changed,
        Kind::Struck,
    ),
    ("The desk sends one letter.", "~~The desk sends one letter.~~", Class::Changed, Kind::Struck),
    ("- [x] Ask the ward", "- [ ] Ask the ward", Class::Changed, Kind::Unticked),
    ("2. Confirm it", "2. Remind\n3. Confirm it", Class::Changed, Kind::Renumbered),
    ("1. Offer a shift\n2. Confirm it", "1. Confirm it\n2. Offer a shift", Class::Changed, Kind::Reordered),
    ("prices.md", "other.md", Class::Changed, Kind::Retargeted),
    ("https://example.org/site", "https://example.org/other", Class::Changed, Kind::Retargeted),
    ("(desk.png)", "(gate.png)", Class::Changed, Kind::Retargeted),
    ("(desk.png)", "(desk.png \"open\")", Class::Changed, Kind::Retargeted),
    ("![the desk]", "![the gate]", Class::Changed, Kind::Wording),
    ("![the desk](desk.png)\n\n", "", Class::Gone, Kind::Gone),
    ("## Limits\n", "## Ceilings\n", Class::Gone, Kind::Gone),
    ("Who pays when", "<details>\n\nWho pays when", Class::Changed, Kind::Folded),
    (
        "Who pays when the desk is closed?",
        "<!-- Who pays when the desk is closed? -->",
        Class::Gone,
        Kind::Gone,
    ),
    (
        "Who pays when the desk is closed?",
        "```\nWho pays when the desk is closed?\n```",
        Class::Gone,
        Kind::Gone,
    ),
    ("Who pays when", "<div hidden>\n\nWho pays when", Class::Gone, Kind::Gone),
    ("The desk sends one letter.", "<del>The desk sends one letter.</del>", Class::Changed, Kind::Struck),
    ("The desk sends one letter.", "<S>The desk sends one letter.</S>", Class::Changed, Kind::Struck),
    ("sends one letter.", "sends <strike>one</strike> letter.", Class::Changed, Kind::Struck),
    ("The desk sends one letter.", "<span hidden>The desk sends one letter.</span>", Class::Gone, Kind::Gone),
    (
        "The desk sends one letter.",
        "<span class=x style=\"Display : none\">The <b>desk</b> sends one letter.</span>",
        Class::Gone,
        Kind::Gone,
    ),
    ("> [!WARNING]", "> [!NOTE]", Class::Changed, Kind::Moved),
    ("Who pays when", "## Answered\n\nWho pays when", Class::Changed, Kind::Moved),
    (
        "[!WARNING]\n> The limit",
        "[!WARNING]\n> [site]: /evil\n>\n> The limit",
        Class::Changed,
        Kind::Retargeted,
    ),
    ("title: Fees\n", "title: Fees\ntitle: Fines\n", Class::Changed, Kind::Unparsable),
    ("title: Fees\n", "title: [\n", Class::Changed, Kind::Unparsable),
    ("See the note", "<x-hide>\n\nSee the note", Class::Changed, Kind::RawHtml),
    ("is closed?\n", "is closed?\n\n\u{1b}[8m\n", Class::Changed, Kind::Control),
];

#[test]
fn an_item_that_is_gone_is_not_the_line_below_it_that_stays() {
    let before = "# T\n\n- FR-001: The desk opens at nine.\n  - Decided 2026-03-01 (Kim): FR-001: the desk opens at ten\n- FR-002: Fees end.\n";
    let after = before.replace("- FR-001: The desk opens at nine.\n", "");
    for rule in [Rule::Content, Rule::Living] {
        let found = by(rule, before, &after).findings;
        let kinds: Vec<_> = found.iter().map(|one| (one.kind, one.old.as_str())).collect();
        assert_eq!(kinds[0], (Kind::Gone, "FR-001: The desk opens at nine."), "{found:#?}");
        assert_eq!((kinds.len(), kinds[1].0), (2, Kind::Moved), "{found:#?}");
        assert!(
            found[1]
                .message
                .contains("and was in the list item \"FR-001: The desk opens at nine\" under \"T\""),
            "{found:#?}"
        );
    }
}

/// What is said of an edit, finding by finding.
const SAID: &[(&str, &str, &[&str])] = &[
    ("- [ ] Ask payroll", "- Ask payroll", &["the list item \"[ ] Ask payroll\" has no box any more"]),
    (
        "- [x] Ask the ward",
        "- [ ] Ask the ward",
        &["the list item \"[x] Ask the ward\" is not ticked any more"],
    ),
    (
        "1. Offer a shift\n2. Confirm it\n\n- [ ]",
        "<details>\n\n1. Offer a shift\n2. Confirm it\n\n</details>\n\n- [ ]",
        &[
            "the list item \"Offer a shift\" is folded into <details> now",
            "the list item \"Confirm it\" is folded into <details> now",
        ],
    ),
    (
        "| Case | Fee | Owner |\n| --- | --- | --- |\n| lost book | 25 euros | Maya |\n| late return | 2 euros | |\n\n",
        "<details>\n\n| Case | Fee | Owner |\n| --- | --- | --- |\n| lost book | 25 euros | Maya |\n| late return | 2 euros | |\n\n</details>\n\n",
        &[
            "the row \"Case | Fee | Owner\" is folded into <details> now",
            "the row \"lost book | 25 euros | Maya\" is folded into <details> now",
            "the row \"late return | 2 euros |\" is folded into <details> now",
        ],
    ),
    (
        "Who pays when the desk is closed?",
        "<x-hide>\n\nWho pays when the desk is closed?\n\n</x-hide>",
        &["the new HTML block \"<x-hide>\": <x-hide> is opened above old text and closed below it"],
    ),
    (
        "| 25 euros | Maya |",
        "| 30 euros | Tom |",
        &["the cell \"25 euros\": \"25\" became \"30\"", "the cell \"Maya\" is gone; \"Tom\" is there now"],
    ),
    (
        "| Case | Fee | Owner |\n| --- | --- | --- |\n| lost book | 25 euros | Maya |\n| late return | 2 euros | |\n",
        "| Fee | Case | Owner |\n| --- | --- | --- |\n| 25 euros | lost book | Maya |\n| 2 euros | late return | |\n",
        &["the row \"Case | Fee | Owner\" has its columns in other places now"],
    ),
];

#[test]
fn old_text_is_quoted_as_it_is_written() {
    let before = "# Fees \u{2013} “all”\n\n- Fees are due - always.\n- It’s the “desk” — no gate.\n\n| a | b |\n|---|---|\n| “x” | 1–2 |\n";
    let after = before.replace("- Fees are due - always.\n", "").replace("“x” | 1", "“y” | 3");
    let after = after.replace("“desk” — no", "\"desk\" -- one");
    let found = by(Rule::Content, before, &after).findings;
    let old: Vec<&str> = found.iter().map(|one| one.old.as_str()).collect();
    assert_eq!(old, ["Fees are due - always.", "It’s the “desk” — no gate.", "“x”", "1–2"], "{found:#?}");
    // Another style is no difference.
    assert!(found[1].message.ends_with(": \"no\" became \"one\""), "{}", found[1].message);
    let found = by(Rule::Content, before, "").findings;
    assert!(found.iter().any(|one| one.old == "Fees – “all”"), "{found:#?}");
    assert!(found.iter().any(|one| one.old == "“x” | 1–2"), "{found:#?}");
}

#[test]
fn every_change_is_said_once_and_truly() {
    for (was, is, wanted) in SAID {
        assert!(SPEC.contains(was), "{was}");
        let found = by(Rule::Content, SPEC, &SPEC.replacen(was, is, 1)).findings;
        let said: Vec<&str> = found.iter().map(|one| one.message.as_str()).collect();
        assert_eq!(said, *wanted, "{was:?} -> {is:?}");
    }
    let before = "# T\n\nOne is here.\n\n<details>\n\nIn it.\n\n</details>\n";
    let after = "# T\n\n<details>\n\nOne is here.\n\nIn it.\n\n</details>\n";
    assert_eq!(by(Rule::Content, before, after).findings[0].old, "One is here.");
    let folded = "# T\n\n<details>\n\nOld text is here.\n\n</details>\n";
    let opened = folded.replace("<details>", "<details open>");
    let kinds = |before: &str, after: &str| {
        by(Rule::Content, before, after).findings.iter().map(|one| one.kind).collect::<Vec<_>>()
    };
    assert_eq!(kinds(folded, &opened), [Kind::Wording, Kind::Moved]);
    assert_eq!(kinds(&opened, folded), [Kind::Wording, Kind::Folded]);
}

#[test]
fn what_raw_html_strikes_out_or_hides_fails_the_rule_living_too() {
    for (was, is, kind) in [
        ("The desk sends one letter.", "<del>The desk sends one letter.</del>", Kind::Struck),
        ("The desk sends one letter.", "The desk <s>sends one</s> letter.", Kind::Struck),
        ("The desk sends one letter.", "<span hidden>The desk sends one letter.</span>", Kind::Gone),
        (
            "The desk sends one letter.",
            "<i style=\"display:none\">The desk sends one letter.</i>",
            Kind::Gone,
        ),
    ] {
        let found = by(Rule::Living, SPEC, &SPEC.replacen(was, is, 1)).findings;
        assert!(found.iter().any(|one| one.fails() && one.kind == kind), "{is}: {found:#?}");
    }
    // What is as it was is kept, however it is shown.
    let both = "# T\n\nOld <del>price</del> words, <span hidden>a note</span> and <u>more</u>.\n";
    assert!(is_kept(both, &both.replace(".\n", ". New words.\n")), "{both}");
}

#[test]
fn harmless_edits_are_kept() {
    for (was, is) in HARMLESS {
        assert!(SPEC.contains(was), "{was}");
        let after = SPEC.replacen(was, is, 1);
        let found = by(Rule::Content, SPEC, &after).findings;
        assert!(found.is_empty(), "{was:?} -> {is:?}: {found:#?}");
    }
}

#[test]
fn harmful_edits_have_their_class_and_kind() {
    for (was, is, class, kind) in HARMFUL {
        assert!(SPEC.contains(was), "{was}");
        let after = SPEC.replacen(was, is, 1);
        for rule in [Rule::Content, Rule::Living] {
            let found = by(rule, SPEC, &after);
            let is_told = found.findings.iter().any(|one| (one.class, one.kind) == (*class, *kind));
            assert!(is_told, "{rule:?}: {was:?} -> {is:?}: {:#?}", found.findings);
        }
        // Together with edits that lose nothing it is the same.
        let mixed = HARMLESS.iter().step_by(7).fold(after, |text, (was, is)| text.replacen(was, is, 1));
        assert!(!is_kept(SPEC, &mixed), "hidden by harmless edits: {was:?} -> {is:?}");
    }
}

#[test]
fn lines_of_a_script_without_blanks_are_joined_and_wrapped_freely() {
    let before = "# 費用\n\n每位讀者每月只收到\n一封信，並且必須付款。\n\n- 文章は改行で\n  区切られます。\n";
    for after in [
        before.replace("收到\n一", "收到一"),
        before.replace("並且必須", "並且\n必須"),
        before.replace("改行で\n  区", "改行で区"),
    ] {
        assert!(is_kept(before, &after), "{after}");
    }
    assert!(!is_kept(before, &before.replace("一封信", "兩封信")));
}

/// What people do to documents every day, and which of it `content` stops.
const EVERYDAY: &[(&str, &str, &str, Option<Kind>)] = &[
    ("fix a typo", "Nobody must pay", "Noboddy must pay", Some(Kind::Wording)),
    ("reflow", "Nobody must pay twice.\nReaders", "Nobody must pay\ntwice. Readers", None),
    ("tick a task", "- [ ] Ask payroll", "- [x] Ask payroll", None),
    ("set a status", "owner: desk", "owner: lead", Some(Kind::Wording)),
    ("fill a cell", "| 2 euros | |", "| 2 euros | Tom |", None),
    ("answer a question", "desk is closed?\n", "desk is closed?\n\nThe deputy pays.\n", None),
    ("add a sentence", "one letter.", "one letter. It is free.", None),
    (
        "reorder a list",
        "- FR-1: A swap must be answered within 24 hours.\n- FR-2: Letters are never sent on Sundays.\n  - Cards are an exception.\n",
        "- FR-2: Letters are never sent on Sundays.\n  - Cards are an exception.\n- FR-1: A swap must be answered within 24 hours.\n",
        None,
    ),
    ("change the marker", "- FR-1: A", "+ FR-1: A", None),
    (
        "add a column",
        "| Case | Fee | Owner |\n| --- | --- | --- |\n| lost book | 25 euros | Maya |\n",
        "| Case | Fee | Owner | Since |\n| --- | --- | --- | --- |\n| lost book | 25 euros | Maya | May |\n",
        None,
    ),
    ("escape a sign", "FR-3: The", "FR\\-3: The", None),
    ("add a link", "The desk sends", "The [desk](desk.md) sends", None),
    ("make a word bold", "never sent", "**never** sent", None),
    ("split a paragraph", "one letter. Nobody", "one letter.\n\nNobody", None),
    ("add an item in the middle", "- FR-2: Letters", "- FR-4: Trainees are named.\n- FR-2: Letters", None),
    ("put a heading above text", "The desk sends", "## Letters\n\nThe desk sends", Some(Kind::Moved)),
    ("normalise line ends", "\n", "\r\n", None),
    ("take blanks from a line's end", "Confirm it\n", "Confirm it  \n", None),
    ("add a full stop", "2. Confirm it\n", "2. Confirm it.\n", None),
    ("renumber", "1. Offer a shift\n2. Confirm it", "1. Offer a shift\n1. Confirm it", None),
    ("insert a line of code", "fees --list\n", "fees --list\nfees --new\n", None),
    ("correct a date", "due: 2026-03-01", "due: 2026-04-01", Some(Kind::Date)),
];

#[test]
fn of_everyday_edits_few_are_stopped() {
    let spec = SPEC.replace("due:\n", "due: 2026-03-01\n");
    let mut stopped = 0;
    for (what, was, is, wanted) in EVERYDAY {
        assert!(spec.contains(was), "{what}");
        let after = if *was == "\n" { spec.replace(was, is) } else { spec.replacen(was, is, 1) };
        let found = by(Rule::Content, &spec, &after);
        let failing: Vec<Kind> =
            found.findings.iter().filter(|one| one.fails()).map(|one| one.kind).collect();
        assert_eq!(failing.first(), wanted.as_ref(), "{what}: {:?}", found.findings);
        stopped += usize::from(!failing.is_empty());
    }
    assert_eq!((EVERYDAY.len(), stopped), (22, 4));
}

#[test]
fn living_stops_what_harms_and_warns_of_the_rest() {
    for (was, is, class, kind) in HARMFUL {
        let found = by(Rule::Living, SPEC, &SPEC.replacen(was, is, 1)).findings;
        let fails = found.iter().any(|one| one.fails());
        let is_mild = matches!(
            kind,
            Kind::Wording
                | Kind::Name
                | Kind::Date
                | Kind::Retargeted
                | Kind::Reordered
                | Kind::Renumbered
                | Kind::CodeExtended
                | Kind::Unticked
        );
        assert_eq!(fails, *class == Class::Gone || !is_mild, "{was:?} -> {is:?}: {found:#?}");
    }
}

#[test]
fn every_edit_that_loses_something_is_found() {
    let (mut wrong, mut count) = (Vec::new(), 0);
    for (name, text) in documents() {
        for (edit, all) in mutations::losing(&text) {
            let is_content = !NO_CONTENT.contains(&edit);
            let changes = |after: &&String| match edit {
                "two lines swapped" | "a line deleted" => mutations::changes_order(&text, after),
                _ => mutations::changes_page(&text, after),
            };
            for after in crate::kit::one_in(3, &all).filter(|after| is_content && changes(after)) {
                count += 1;
                if is_kept(&text, after) {
                    wrong.push(format!("{name}: \"{edit}\" passes:\n{}", mutations::diff(&text, after)));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count}\n{}", wrong.len(), wrong[..wrong.len().min(8)].join("\n"));
    assert!(count > 150, "{count}");
}

/// The made-up documents and the shorter ones of the project.
fn documents() -> impl Iterator<Item = (String, String)> {
    mutations::documents().into_iter().filter(|(_, text)| text.len() < 2_500)
}

/// Edits of the byte rule that change no content, or add to it as `content` allows.
const NO_CONTENT: &[&str] = &[
    "a blank at a line's end",
    "line ends changed",
    "the last line end removed",
    "a list loosened",
    "a task ticked",
    "a line indented",
    "a new column",
    "a row of dashes above, and a table",
    "an item that takes indented code",
    "a list cut by a comment",
    "a list cut by a paragraph",
    "a line glued below a paragraph's first",
];

#[test]
fn what_only_adds_byte_for_byte_is_kept() {
    for (name, text) in documents() {
        for (edit, all) in mutations::adding(&text) {
            for after in all {
                let found = by(Rule::Content, &text, &after).findings;
                assert!(
                    found.is_empty(),
                    "{name}: \"{edit}\": {found:#?}\n{}",
                    mutations::diff(&text, &after)
                );
            }
        }
    }
}

#[test]
fn data_is_compared_as_data() {
    let found = |path: &str, before: &str, after: &str| {
        let outcome = compare(path, &Demand::of(Rule::Content), before.as_bytes(), after.as_bytes());
        outcome.findings.iter().map(|one| one.kind).collect::<Vec<_>>()
    };
    for (path, before, after) in [
        ("a.json", "{\"a\": [1, 2], \"b\": null}", "{\"b\": \"x\", \"a\": [0, 1, 3, 2.0]}"),
        ("a.json", "{\"a\": {\"id\": 1}}", "{\"a\": {\"n\": [], \"id\": 1}}"),
        ("a.yaml", "a: yes\nb:\n- x\n", "# new\nb: ['y', 'x']\na: 'yes'\n"),
        ("a.yaml", "a: ~\n", "a: [1]\n"),
        ("a.csv", "id,x\n1,a\n2,\n", "id,x,y\n3,c,d\n1,a,\n2,b,c\n"),
        ("a.txt", "a\n\nb\n", "  a\r\nnew\n\n\nb"),
        ("a.rst", "a\n", "a\n"),
    ] {
        assert_eq!(found(path, before, after), [], "{path} {before:?} {after:?}");
    }
    for (path, before, after, kind) in [
        ("a.json", "{\"a\": 24}", "{\"a\": 48}", Kind::Number),
        ("a.json", "{\"a\": \"it must be\"}", "{\"a\": \"it may be\"}", Kind::Weakened),
        ("a.json", "{\"a\": 1}", "{\"a\": \"1\"}", Kind::Wording),
        ("a.json", "{\"a\": 1, \"b\": 2}", "{\"a\": 1}", Kind::Gone),
        ("a.yaml", "a: \"5\"\n", "a: 5\n", Kind::Wording),
        ("a.yaml", "a: true\n", "a: 'true'\n", Kind::Wording),
        ("a.yaml", "a: 0x1F\n", "a: \"0x1F\"\n", Kind::Wording),
        ("a.yaml", "a: 1\n", "a: 1\na: 2\n", Kind::Unparsable),
        ("a.json", "[\"a\", \"b\"]", "[\"b\", \"a\"]", Kind::Reordered),
        ("a.json", "[\"a\", \"b\"]", "[\"b\"]", Kind::Gone),
        ("a.json", "{}", "{", Kind::Unparsable),
        ("a.json", "{\"a\": 1}", "{\"a\": 1, \"a\": 1}", Kind::Unparsable),
        ("a.yaml", "a: 1 # why\n", "a: 1\n", Kind::Gone),
        ("a.yaml", "a: x\n", "b: x\n", Kind::Moved),
        ("a.yaml", "a: {<<: {x: 1}}\n", "a: {<<: {x: 1}, x: 2}\n", Kind::Number),
        ("a.csv", "id,x\n1,a\n2,b\n", "id,x\n2,b\n1,a\n", Kind::Reordered),
        ("a.csv", "id,x\n1,a\n", "x,id\na,1\n", Kind::Reordered),
        ("a.csv", "id,x\n1,a\n", "id,x\n", Kind::Gone),
        ("a.csv", "id,x\n", "id,x\n1\n", Kind::CsvRagged),
        ("a.txt", "one line\nb\n", "b\n", Kind::Gone),
        ("a.txt", "one line\nb\n", "b\none line\n", Kind::Reordered),
        ("a.png", "a", "ab", Kind::Opaque),
    ] {
        assert_eq!(found(path, before, after).first(), Some(&kind), "{path} {before:?} {after:?}");
    }
    let latin = compare("a.txt", &Demand::of(Rule::Content), b"caf\xe9\n", b"caf\xe9\nb\n").findings;
    assert!(latin[0].message.starts_with("the old text is not UTF-8"), "{latin:?}");
}

#[test]
fn the_cost_is_linear() {
    let spec = |count: usize| {
        (0..count).map(|at| format!("## S {at}\n\nWords of {at}. More words.\n\n- FR-{at}: must be {at}\n- x\n\n| k | v |\n|--|--|\n| {at} | a |\n\n")).collect::<String>()
    };
    let other = |text: &str| {
        text.replace("must be 1", "may be 1").replace("Words of 2", "Sentences for 2").replace("- x\n", "")
    };
    let time = |count: usize| {
        let (before, start) = (spec(count), std::time::Instant::now());
        let after = other(&before);
        assert!(by(Rule::Content, &before, &after).findings.len() >= count);
        start.elapsed().as_secs_f64()
    };
    let (small, large) = (time(500), time(4_000));
    // Eight times as much may take a little more than eight times as long on a machine that does other things.
    assert!(large < 30.0 * small.max(0.02), "{small} {large}");
}

#[test]
fn the_cost_of_many_changed_values_is_linear() {
    let list = |count: usize, word: &str| {
        let all: Vec<String> =
            (0..count).map(|at| format!("{{\"id\": {at}, \"text\": \"{word} {at}\"}}")).collect();
        format!("{{\"stories\": [{}]}}", all.join(",\n"))
    };
    let time = |count: usize| {
        let (before, after) = (list(count, "letter"), list(count, "card"));
        let start = std::time::Instant::now();
        let found = compare("a.json", &Demand::of(Rule::Content), before.as_bytes(), after.as_bytes());
        assert_eq!(found.findings.len(), count);
        assert!(found.findings[count - 1].message.contains(&format!("stories[{}].text", count - 1)));
        start.elapsed().as_secs_f64()
    };
    let (small, large) = (time(1_000), time(8_000));
    assert!(large < 30.0 * small.max(0.02), "{small} {large}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(1_000)))]

    /// What is kept twice is kept at once.
    #[test]
    fn keeping_is_transitive((first, more) in mutations::grown()) {
        let (second, third) = (&more[0], &more[1]);
        if is_kept(&first, second) && is_kept(second, third) {
            let found = by(Rule::Content, &first, third).findings;
            prop_assert!(found.is_empty(), "{found:?}\n{}\n{}", mutations::diff(&first, second), mutations::diff(second, third));
        }
    }

    /// What is kept shows every old sentence, whoever renders the page.
    #[test]
    fn what_is_kept_is_shown((first, more) in mutations::grown()) {
        for after in &more {
            if is_kept(&first, after) && mutations::renderers_agree(&first, after) {
                for (renderer, shown) in mutations::pages() {
                    let (old, new) = (shown(&first), shown(after));
                    let lost = lost_words(&old, &new);
                    prop_assert!(lost.is_none(), "{renderer}: {lost:?}\n{old:#?}\n{new:#?}\n{}", mutations::diff(&first, after));
                }
            }
        }
    }

    /// Words that are taken out, changed or moved to another block are found.
    #[test]
    fn a_lost_or_changed_block_is_found(
        blocks in proptest::collection::vec(mutations::block(), 2..9),
        at in any::<prop::sample::Index>(),
    ) {
        let at = at.index(blocks.len());
        let before = mutations::joined(&blocks);
        let without: Vec<String> = blocks.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, block)| block.clone()).collect();
        // The same block elsewhere may be meant.
        prop_assume!(!without.contains(&blocks[at]));
        let after = mutations::joined(&without);
        prop_assert!(!is_kept(&before, &after), "deleted {at}: {before}");
        let mut changed = blocks.clone();
        changed[at] = changed[at].replacen(|c: char| c.is_ascii_lowercase(), "Q", 1);
        prop_assert!(!is_kept(&before, &mutations::joined(&changed)), "changed {at}: {before}");
        let outcome = by(Rule::Content, &before, &after);
        prop_assert!(outcome.class > Class::Kept && outcome.kept_lines <= outcome.lines);
    }
}

/// The first old block whose words are in no new block.
fn lost_words(old: &[String], new: &[String]) -> Option<String> {
    let all: Vec<String> = mutations::spoken(new);
    mutations::spoken(old)
        .into_iter()
        .find(|words| !words.is_empty() && !all.iter().any(|other| other.contains(words)))
}
