//! The rule `strict` by examples: additions, and changes that lose no byte of the old text and yet change what people
//! read.

use roundtable::additive::{Demand, Kind, Rule, compare};

const SPEC: &str = "# Late fees\n\nThe library sends letters.\n\n## Scope\n\n- one letter a month\n- payment at the desk\n\nNothing else is in it.\n\n### Steps\n\n1. Count the days\n2. Write the letter\n\n## Words\n\nSee [fee].\n";
const STORIES: &str =
    "{ \"stories\": [ { \"id\": \"US-001\", \"text\": \"As a reader, I want one letter\" } ] }\n";
const TRACE: &str = "id,story\nFR-001,US-001\n";

/// What is found when a document becomes another one.
fn kinds(path: &str, before: &str, after: &str) -> Vec<Kind> {
    let found = compare(path, &Demand::of(Rule::Strict), before.as_bytes(), after.as_bytes()).findings;
    found.iter().map(|finding| finding.kind).collect()
}

/// The specification after an edit: what is replaced, and by what.
fn edited(old: &str, new: &str) -> String {
    assert_eq!(SPEC.matches(old).count(), 1, "{old}");
    SPEC.replace(old, new)
}

#[test]
fn new_lines_and_blocks_beside_old_ones_are_no_loss() {
    let additions = [
        ("- one letter a month\n", "- one letter a month\n- no letter in the first week\n"),
        ("- payment at the desk\n", "- payment at the desk\n  - in coins, too\n- payment by card\n"),
        ("2. Write the letter\n", "2. Write the letter\n3. Send it\n"),
        ("## Words\n", "## Later\n\n<details>\n\nA reminder by text message.\n\n</details>\n\n## Words\n"),
    ];
    for (old, new) in additions {
        assert_eq!(kinds("spec.md", SPEC, &edited(old, new)), [], "{new}");
    }
}

#[test]
fn an_edit_that_changes_what_is_read_is_found_by_its_kind() {
    let edits = [
        ("one letter a month", "one letter a week", Kind::LineLost),
        ("sends letters.\n", "sends letters.\nIt used to.\n", Kind::ParagraphExtended),
        ("Nothing else", "## Out of scope\n\nNothing else", Kind::SectionMoved),
        ("- payment at the desk\n", "- payment at the desk\n\n- payment by card\n", Kind::ListLoosened),
        ("1. Count", "1. Wait a week\n1. Count", Kind::Renumbered),
        ("See [fee].\n", "See [fee].\n\n[fee]: https://example.org/fees\n", Kind::LinkTarget),
    ];
    for (old, new, kind) in edits {
        assert_eq!(kinds("spec.md", SPEC, &edited(old, new)).first(), Some(&kind), "{new}");
    }
    let folded = edited("## Scope\n", "<details>\n\n## Scope\n") + "\n</details>\n";
    assert_eq!(kinds("spec.md", SPEC, &folded), [Kind::Hidden, Kind::Hidden]);
}

#[test]
fn each_lost_line_is_a_finding_of_its_own() {
    let before = "# Fees\n\nOne.\n\nTwo.\n\nThree.\n";
    let found = compare("a.md", &Demand::of(Rule::Strict), before.as_bytes(), b"# Fees\n\nTwo.\n").findings;
    let lines: Vec<(Kind, usize)> = found.iter().map(|one| (one.kind, one.line)).collect();
    assert_eq!(lines, [(Kind::LineLost, 3), (Kind::LineLost, 7)]);
    // And so is what is changed beside them.
    let hidden = "# Fees\n\n<!--\nTwo.\n\nThree.\n-->\n";
    let found = compare("a.md", &Demand::of(Rule::Strict), before.as_bytes(), hidden.as_bytes()).findings;
    assert!(found[0].kind == Kind::LineLost && found.len() > 1, "{found:#?}");
}

#[test]
fn data_may_grow_where_nothing_that_is_there_moves() {
    let grown = "{\"next\": 2, \"stories\": [{\"text\": \"As a reader, I want one letter\", \"id\": \"US-001\"}, {\"id\": \"US-002\"}]}\n";
    assert_eq!(kinds("stories.json", STORIES, grown), []);
    let pushed = "{\"stories\": [{\"id\": \"US-000\"}, {\"id\": \"US-001\", \"text\": \"As a reader, I want one letter\"}]}\n";
    assert_eq!(kinds("stories.json", STORIES, pushed), [Kind::Scalar, Kind::KeyLost]);
    assert_eq!(kinds("trace.csv", TRACE, &format!("{TRACE}FR-002,US-001\n")), []);
    assert_eq!(kinds("trace.csv", TRACE, "id,story,note\nFR-001,US-001,\n"), [Kind::LineLost; 2]);
}

#[test]
fn two_additions_can_lose_something_together() {
    let words = format!("{SPEC}\nSee [card].\n");
    let definition = edited("Nothing else", "[card]: https://example.org/card\n\nNothing else");
    assert_eq!(kinds("spec.md", SPEC, &words), []);
    assert_eq!(kinds("spec.md", SPEC, &definition), []);
    let both = format!("{definition}\nSee [card].\n");
    assert_eq!(kinds("spec.md", &words, &both), [Kind::LinkTarget]);
}
