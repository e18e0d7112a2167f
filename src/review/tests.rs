//! The rules on their examples, places that fit, the same findings each time, hostile texts.

use super::*;

fn run(rules: &Rules, texts: &[(String, String)], options: &Options) -> Review {
    let documents: Vec<Document<'_>> = texts.iter().map(|(path, text)| Document { path, text }).collect();
    review(&documents, rules, options)
}

/// The findings of one document under the built-in rules: rule, line and quotation.
fn found(path: &str, text: &str) -> Vec<(String, usize, String)> {
    let texts = [(path.to_owned(), text.to_owned())];
    let found = run(ready(), &texts, &Options::default());
    assert_places(&texts, &found);
    found.findings.into_iter().map(|one| (one.rule, one.line, one.quote)).collect()
}

fn ready() -> &'static Rules {
    static RULES: std::sync::OnceLock<Rules> = std::sync::OnceLock::new();
    RULES.get_or_init(|| Rules::built_in().unwrap())
}

#[test]
fn every_pattern_that_is_built_in_is_one() {
    for rule in ready().iter() {
        for pattern in rule.any.iter().chain(&rule.unless).chain(&rule.unless_section) {
            assert!(pattern.regex().is_some(), "{}: {pattern:?}", rule.path);
        }
    }
    ready().set().unwrap();
}

#[test]
fn every_rule_finds_what_its_examples_say() {
    let broken: Vec<String> = ready()
        .iter()
        .flat_map(|rule| {
            let broken = rule.broken_examples(ready()).into_iter();
            broken.map(|(example, is_yes)| format!("{} {is_yes}: {example:?}", rule.file.rule))
        })
        .collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn at_most_ten_rules_are_for_wording_and_each_has_examples() {
    let hints: Vec<&Rule> = ready().iter().filter(|rule| rule.is_wording()).collect();
    assert!(hints.len() <= 10 && hints.iter().all(|rule| rule.file.severity == Severity::Minor));
    assert!(ready().iter().all(|rule| !rule.file.yes.is_empty() && !rule.file.no.is_empty()));
}

/// Lines get other numbers: what a persona says of a finding, and documents keep, has none.
#[test]
fn no_rule_says_the_number_of_a_line() {
    for rule in ready().iter() {
        let said = rule.file.said.as_ref().unwrap_or(&rule.file.message);
        assert!(!said.contains("{line}"), "{}", rule.file.rule);
    }
}

/// The text from a place of a finding to its end.
fn text_at(text: &str, finding: &Finding) -> String {
    let starts: Vec<usize> =
        std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let byte = |line: usize, column: usize| {
        let rest = &text[starts[line - 1]..];
        starts[line - 1] + rest.char_indices().nth(column - 1).map_or(rest.len(), |(at, _)| at)
    };
    text[byte(finding.line, finding.column)..byte(finding.end_line, finding.end_column)].to_owned()
}

/// Every finding quotes exactly what is at its place.
fn assert_places(texts: &[(String, String)], found: &Review) {
    for finding in &found.findings {
        let (_, text) = texts.iter().find(|(path, _)| *path == finding.path).unwrap();
        assert_eq!(text_at(text, finding), finding.quote, "{finding:?}");
        // The quotation may hold brackets of its own; a place for it that nobody filled may not be left.
        let is_filled = !finding.message.replace(&one_line(&finding.quote, 90), "").contains("{quote}");
        assert!(!finding.quote.is_empty() && !finding.message.contains('\n') && is_filled, "{finding:?}");
        for other in &finding.related {
            let (_, text) = texts.iter().find(|(path, _)| *path == other.path).unwrap();
            assert!(text.contains(&other.quote), "{other:?}");
        }
    }
}

#[test]
fn every_finding_is_at_its_quotation() {
    for rule in ready().iter() {
        for example in rule.file.yes.iter().chain(&rule.file.no) {
            let texts = example.documents();
            assert_places(&texts, &run(ready(), &texts, &Options::default()));
        }
    }
}

#[test]
fn quotations_reach_over_markup_code_and_line_ends() {
    let text = "- Owner (to be **confirmed** by\n  `kim`): none\n- A > B\u{e4}\u{1f642}: TBD\n";
    let quotes: Vec<String> = found("a.md", text).into_iter().map(|(.., quote)| quote).collect();
    assert_eq!(quotes, ["to be **confirmed** by\n  `kim`", "TBD"]);
    assert_eq!(found("a.md", "> He wrote TBD\n\nIt says `TBD`\n\n~~TBD~~\n\n<!-- say TBD -->\n"), []);
}

#[test]
fn the_same_texts_have_the_same_findings_in_the_same_order() {
    let text = "# A\n\n1. It must close: TBD.\n2. Files etc. must go soon, says TBD.\n";
    let texts: Vec<(String, String)> =
        (0..40).map(|at| (format!("{at:02}.md"), text.repeat(1 + at % 3 * 600))).collect();
    let first = run(ready(), &texts, &Options::default()).findings;
    assert!(first.len() > 40);
    assert!(first.is_sorted_by(|a, b| (&a.path, a.line, a.column) <= (&b.path, b.line, b.column)));
    assert_eq!(first, run(ready(), &texts, &Options::default()).findings);
}

#[test]
fn a_comment_silences_a_rule_in_its_block_only() {
    let text =
        "<!-- roundtable-ignore open-marker: agreed in May -->\n- Limit: TBD\n- Owner: TBD\n\nDate: TBD\n";
    let found = run(ready(), &[("a.md".to_owned(), text.to_owned())], &Options::default());
    assert_eq!((found.suppressed, found.findings.len(), found.findings[0].line), (2, 1, 5));
    // Below front matter it is for that, too; one with a block between is not.
    let comment = "<!-- roundtable-ignore open-marker: agreed in May -->";
    for (body, suppressed) in [
        (format!("{comment}\n\n# Desk\n\nDate: TBD\n"), 1),
        (format!("# Desk\n\n{comment}\n\nDate: TBD\n"), 1),
        (format!("{comment}\n\nDate: TBD\n"), 2),
    ] {
        let text = format!("---\nowner: TBD\n---\n\n{body}");
        let found = run(ready(), &[("a.md".to_owned(), text)], &Options::default());
        assert_eq!((found.suppressed, found.findings.len()), (suppressed, 2 - suppressed), "{body}");
    }
}

#[test]
fn equal_markers_of_a_table_and_equal_hints_of_a_file_are_one_finding() {
    let rows = "| Beans | TBD |\n| Kale | tbd |\n| Leek | TBD |\n";
    let text = format!(
        "Owner: TBD\n\n| Crop | Owner |\n|---|---|\n{rows}\n- R-1: It must close gracefully.\n- R-2: A desk must open gracefully.\n"
    );
    let found = run(ready(), &[("a.md".to_owned(), text)], &Options::default()).findings;
    let places: Vec<(usize, usize)> = found.iter().map(|one| (one.line, one.related.len())).collect();
    assert_eq!(places, [(1, 0), (5, 2), (9, 1)]);
    assert!(found[1].message.ends_with(" (and on 2 more lines)"), "{}", found[1].message);
    assert!(found[2].message.ends_with(" (and on 1 more line)") && found[2].is_hint, "{}", found[2].message);
}

#[test]
fn data_is_judged_with_places_in_the_file() {
    let texts = [
        ("s.json", "{\"stories\": [{\"id\": \"US-1\", \"text\": \"Limit: TBD\"}]}"),
        ("t.csv", "id,owner,text\nA-1,Kim,\"Limit is TBD, so far\"\nA-2,,x\nA-3,Lee,y\nA-4,Lee,z\n"),
        ("u.yaml", "rules:\n  - text: to be decided\n"),
    ];
    let texts = texts.map(|(path, text)| (path.to_owned(), text.to_owned()));
    let found = run(ready(), &texts, &Options::default());
    assert_places(&texts, &found);
    let names: Vec<(&str, &str, &str)> = found
        .findings
        .iter()
        .map(|one| (one.path.as_str(), one.rule.as_str(), one.heading.as_str()))
        .collect();
    let expected = [
        ("s.json", "open-marker", "stories[0].text"),
        ("t.csv", "open-marker", "[0].text"),
        ("t.csv", "empty-cell", "[1].id"),
        ("u.yaml", "open-marker", "rules[0].text"),
    ];
    assert_eq!(names, expected);
}

#[test]
fn a_rule_file_that_is_wrong_is_named_with_its_place() {
    let over = |path: &str, text: &str| Rules::over(&[(path.to_owned(), text.to_owned())]).unwrap_err();
    let error = over("b.yaml", "rule: b\ntitel: x\n").to_string();
    assert!(error.contains("b.yaml:2:1") && error.contains("titel"), "{error}");
    let rule = "rule: b\ntitle: t\nreference: r\nseverity: minor\npersona: a\nmessage: m\nwhy: w\nhelp: s\n";
    let error = over("b.yaml", &format!("{rule}any: ['(x']\n")).to_string();
    assert!(error.contains("b.yaml:9:") && error.contains("unclosed group"), "{error}");
    assert!(over("b.yaml", rule).to_string().contains("`any`, `check` or both"));
    assert!(over("b.yaml", &format!("{rule}check: duplicate-id\n")).to_string().contains("duplicate-ids"));
    assert!(over("a/c.yaml", &format!("{rule}any: [x]\n")).to_string().contains("b.yaml"));
    // Both files that are wrong are named.
    let two = [("a.yaml".to_owned(), "x".to_owned()), ("b.yaml".to_owned(), rule.to_owned())];
    let told: Vec<String> = Rules::over(&two).unwrap_err().apart().into_iter().map(|one| one.path).collect();
    assert_eq!(told, ["a.yaml", "b.yaml"]);
}

#[test]
fn own_rules_replace_and_add() {
    let rule = "rule: open-marker\ntitle: t\nreference: r\nseverity: note\npersona: a\nmessage: m\nwhy: w\nhelp: s\n\
                any: ['desk']\n";
    let own = [("mine/open-marker.yaml".to_owned(), rule.to_owned())];
    let rules = Rules::over(&own).unwrap();
    assert_eq!(rules.iter().count(), ready().iter().count());
    let texts = [("a.md".to_owned(), "The desk is TBD.\n".to_owned())];
    let found = run(&rules, &texts, &Options::default()).findings;
    assert_eq!((found.len(), found[0].quote.as_str(), found[0].severity), (1, "desk", Severity::Note));
}

#[test]
fn forms_are_not_judged_by_their_names() {
    let text = "# A\n\nLimit: TBD\n";
    for path in
        ["docs/0000-template.md", "PULL_REQUEST_TEMPLATE/new.md", "desk-template.md", "templates/a.md"]
    {
        assert_eq!(found(path, text), [], "{path}");
    }
    assert_eq!(found("template-engine/desk.md", text).len(), 1);
}

/// Hostile texts take no more time for their size than others: twice the text, about twice the time.
#[test]
#[allow(clippy::disallowed_methods)] // A test may look at the clock.
fn hostile_text_is_read_in_linear_time() {
    let texts = [
        "must be fast or ",
        ">",
        "- ",
        "|",
        "[",
        "[[",
        "(",
        "`",
        "``` ",
        "*a ",
        "R1 ",
        "R1.1-1/1",
        "TBD ",
        "TBD, ",
        "{#a ",
        "{{a ",
        "{a b c ",
        "<a b ",
        "[TBD ",
        "to be decided ",
        "[x](#y) ",
        "[x](y.md) ",
        "# a\n\n",
        "## must TBD\n\n",
        "## Open questions\n\n- Who?\n",
        "- R-1: TBD\n",
        "| R-1 | |\n",
        "~~a~~ ",
        "<!-- roundtable-ignore x -->\n",
        "\u{0} \u{202e} \u{1F600}",
    ];
    for piece in texts {
        let text = piece.repeat(60_000 / piece.len());
        let texts = [("a.md".to_owned(), format!("| a | b |\n|---|---|\n{text}"))];
        let begun = std::time::Instant::now();
        let found = run(ready(), &texts, &Options::default());
        let spent = begun.elapsed();
        let findings = found.findings.into_iter().take(50).collect();
        assert_places(&texts, &Review { findings, ..Review::default() });
        assert!(spent.as_secs() < 10, "{spent:?} for {piece:?}");
    }
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config { cases: 96, failure_persistence: None, ..Default::default() })]
    #[test]
    fn any_text_is_reviewed_and_quoted(pieces in proptest::collection::vec(0_usize..PIECES.len(), 0..60), end in 0_usize..4) {
        let text: String = pieces.iter().map(|at| PIECES[*at]).collect();
        let path = ["a.md", "a.json", "a.csv", "a.yaml"][end];
        let texts = [(path.to_owned(), text)];
        assert_places(&texts, &run(ready(), &texts, &Options::default()));
    }

    #[test]
    fn any_bytes_are_reviewed_and_quoted(
        bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..800),
        cuts in proptest::collection::vec((0_usize..800, 0_usize..PIECES.len()), 0..40),
        ending in 0_usize..4,
    ) {
        let mut bytes = bytes;
        for (at, piece) in cuts {
            let at = at.min(bytes.len());
            bytes.splice(at..at, PIECES[piece].bytes());
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let path = format!("a/a.{}", ["md", "json", "csv", "yaml"][ending]);
        let texts = [(path, text.clone()), ("a/b.md".to_owned(), text)];
        assert_places(&texts, &run(ready(), &texts, &Options::default()));
    }
}

#[test]
fn tasks_that_are_all_done_settle_what_their_folder_leaves_open() {
    let spec = "# Gate\n\nLimit: TBD\n\nSee [it](#none).\n\n## Open questions\n\n- Who pays for the tiles?\n";
    let rules = |tasks: &str| {
        let texts = [("g/spec.md".to_owned(), spec.to_owned()), ("g/tasks.md".to_owned(), tasks.to_owned())];
        let found = run(ready(), &texts, &Options::default());
        let by: Vec<(String, usize)> =
            found.settled.into_iter().map(|one| (one.by.path, one.by.line)).collect();
        (found.findings.into_iter().map(|one| one.rule).collect::<Vec<_>>(), by)
    };
    let done = ("g/tasks.md".to_owned(), 2);
    let (left, by) = rules("- [x] T001 Lock it\n- [X] T002 Ring it\n");
    assert_eq!((left, by), (vec!["broken-anchor".to_owned()], vec![done.clone(), done]));
    let all = ["open-marker", "broken-anchor", "unresolved-question"];
    for tasks in ["- [x] T001 Lock it\n- [ ] T002 Ring it\n", "- T001 Lock it\n"] {
        let (left, by) = rules(tasks);
        assert_eq!((left.iter().map(String::as_str).collect::<Vec<_>>(), by.len()), (all.to_vec(), 0));
    }
}

#[test]
fn a_document_that_is_over_leaves_nothing_open() {
    let text = |status: &str| format!("# Gate\n\nStatus: {status}\n\nLimit: TBD\n\n## Lock\n\nIt locks.\n");
    for status in ["Superseded by ADR-0002", "Implemented", "✅ Done"] {
        assert_eq!(found("a.md", &text(status)), [], "{status}");
    }
    for status in ["Draft", "Accepted", "Partially implemented"] {
        assert_eq!(found("a.md", &text(status)).len(), 1, "{status}");
    }
    assert_eq!(found("docs/archive/a.md", &text("Draft")), []);
}

const PIECES: [&str; 46] = [
    "[NEEDS CLARIFICATION: who?]",
    "## Open questions\n\n- Who pays for it?\n",
    "{{name of it}}",
    "<name of the owner>",
    "~~R3~~",
    "___",
    "must be fast",
    "TBD",
    "\n\n",
    "\n- ",
    "# ",
    "| a | b |\n|---|---|\n",
    "| R1 | 5 s |\n",
    "**R2** ",
    "\"",
    "etc.",
    " ",
    "ü🙂",
    "never deleted",
    "is deleted",
    "[a](b.md#c)",
    "[^1]",
    "---\nowner: TBD\n---\n",
    "`code`",
    "<!-- ",
    "-->",
    "roundtable-ignore open-marker: x",
    "As a user, I want x.",
    "Given a, when b, then c",
    "10 days",
    "\u{201c}",
    "\u{201d}",
    "(",
    ")",
    "\\",
    "&amp;",
    "[x](#y)",
    "\r\n",
    "\t",
    "1. ",
    "> ",
    "```\n",
    "?",
    "{\"a\": \"",
    "\"}",
    ",",
];

const RULES_INTRO: &str = "# The review rules

What `roundtable review` looks for. `roundtable review --rules RULE` prints a rule with its source, why it matters, what helps,
and its examples. A *hint* is about wording and fails nothing. A rule that is *off* runs only where the
[settings](review.md#settings) give it a severity. On documents that no rule was made on, readers found 75 of 80 findings right
([each rule](../bench/review/precision.md)).

| rule | what it finds | severity |
| --- | --- | --- |
";

/// `docs/rules.md`, as the rule files have it.
fn rules_page(rules: &Rules) -> String {
    let mut text = RULES_INTRO.to_owned();
    for rule in rules.iter() {
        let file = &rule.file;
        let hint = if rule.is_wording() { ", hint" } else { "" };
        let off = if file.off { ", off" } else { "" };
        text += &format!("| `{}` | {} | {}{hint}{off} |\n", file.rule, file.title, file.severity.name());
    }
    text
}

#[test]
#[allow(clippy::disallowed_methods)] // Writes the page where it is asked to.
fn the_page_of_the_rules_is_that_of_the_files() {
    let page = rules_page(ready());
    if std::env::var_os("DOCUMENTS").is_some_and(|wanted| wanted == "write") {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/rules.md"), &page).unwrap();
        return;
    }
    let hint = "DOCUMENTS=write cargo test --lib the_page_of_the_rules";
    assert!(page == include_str!("../../docs/rules.md"), "docs/rules.md is out of date; `{hint}` writes it");
}

#[test]
fn a_decision_or_a_line_below_with_the_same_id_settles_a_finding() {
    let spec = "# Swap\n\n## Requirements\n\n- FR-1: A swap is answered within TBD hours.\n";
    let settled = |rest: &str| {
        let texts = [("s.md".to_owned(), format!("{spec}{rest}"))];
        let found = run(ready(), &texts, &Options::default());
        let markers = found.findings.iter().filter(|one| one.rule == "open-marker" && one.line == 5).count();
        assert_eq!(markers + found.settled.len(), 1, "{rest}");
        found.settled.first().map(|one| one.by.line)
    };
    for (rest, line) in [
        ("  - Decided 2026-02-20 (Sam): FR-1: within 24 hours.\n", Some(6)),
        ("  - FR-1: 24 hours, as the ward has it.\n", Some(6)),
        ("- FR-2: Names are shown.\n\nDecision: FR-1 takes 24 hours.\n", Some(8)),
        ("\n#### Decisions Made\n- FR-1: 24 hours\n", Some(8)),
        ("\nFR-1: within 24 hours.\n", Some(7)),
        ("\n## Answers\n\n**FR-1**: within 24 hours.\n", Some(9)),
        ("\n> FR-1: within 24 hours.\n", None),
        ("\nFR-10: within 24 hours.\n", None),
        ("\nFR-1: TBD as well.\n", None),
        // Another id, a quotation, a mention, a sibling, a line that is open itself.
        ("  - Decided 2026-02-20 (Sam): FR-10: within 24 hours.\n", None),
        ("\n> Decision: FR-1 takes 24 hours.\n", None),
        ("\nSee FR-1 for the time.\n", None),
        ("- FR-2: as FR-1, but shorter.\n", None),
        ("  - Decided: FR-1: TBD\n", None),
    ] {
        assert_eq!(settled(rest), line, "{rest}");
    }
}

#[test]
fn an_insight_of_an_earlier_discussion_quotes_and_leaves_nothing_open() {
    let block = |marker: &str| {
        format!(
            "# Berths\n\nBerths are booked for a day.\n\n{marker}\n\n## Elaboration Insights (Step 01-03)\n\n### Key Insights\n\n- [Maya] FR-002: \"[NEEDS CLARIFICATION: how long?]\" is left where content belongs\n\n### Open Questions\n\n- [NEEDS CLARIFICATION: who pays?]\n"
        )
    };
    let lines = |text: &str| {
        let found = found("spec.md", text);
        found.iter().filter(|(rule, ..)| rule == "open-marker").map(|(_, line, _)| *line).collect::<Vec<_>>()
    };
    assert_eq!(lines(&block("<!-- Elaboration: step 01-03, 2026-02-20T14:30:00Z -->")), [15]);
    // Somebody else's list has the same words.
    assert_eq!(lines(&block("One line.")), [11, 15]);
}
