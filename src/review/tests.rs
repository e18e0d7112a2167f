use super::rule::Example;
use super::*;

fn run(rules: &Rules, documents: &[(String, String)], options: &Options) -> Review {
    let documents: Vec<Document<'_>> = documents.iter().map(|(path, text)| Document { path, text }).collect();
    review(&documents, rules, options)
}

/// The built-in rules with their examples, read from the YAML files.
fn with_examples() -> Rules {
    let files: Vec<(String, String)> =
        rule::sources().iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    Rules::over(&files).unwrap()
}

#[test]
fn every_example_of_every_rule_holds() {
    let rules = with_examples();
    let mut wrong = Vec::new();
    for rule in rules.iter() {
        let name = &rule.file.rule;
        // A comment is in use only where the rule that it names is run.
        let only = if *name == ignore::RULE { BTreeSet::new() } else { BTreeSet::from([name.clone()]) };
        let options = Options { rules: only, ..Options::default() };
        assert!(rule.file.yes.len() >= 3 && rule.file.no.len() >= 3, "{name} has too few examples");
        for (examples, is_yes) in [(&rule.file.yes, true), (&rule.file.no, false)] {
            for example in examples {
                let mut found = run(&rules, &example.documents(), &options).findings;
                found.retain(|finding| finding.rule == *name);
                if found.is_empty() == is_yes {
                    wrong
                        .push(format!("{name} {}: {example:?} {found:?}", if is_yes { "yes" } else { "no" }));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_compiled_rules_are_those_of_the_files() {
    let (files, compiled) = (with_examples(), Rules::built_in().unwrap());
    let names = |rules: &Rules| rules.iter().map(|rule| rule.path.clone()).collect::<Vec<_>>();
    assert_eq!(names(&files), names(&compiled));
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
    let rules = with_examples();
    for rule in rules.iter() {
        for example in rule.file.yes.iter().chain(&rule.file.no) {
            let texts = example.documents();
            assert_places(&texts, &run(&rules, &texts, &Options::default()));
        }
    }
}

#[test]
fn the_same_texts_have_the_same_findings_in_the_same_order() {
    let rules = Rules::built_in().unwrap();
    let text = "# A\n\n1. It must be fast, quickly TBD.\n2. Files etc. must go soon.\n";
    let texts: Vec<(String, String)> =
        (0..40).map(|at| (format!("{at:02}.md"), text.repeat(1 + at % 3 * 600))).collect();
    let first = run(&rules, &texts, &Options::default()).findings;
    assert!(first.len() > 40);
    assert!(first.is_sorted_by(|a, b| (&a.path, a.line, a.column) <= (&b.path, b.line, b.column)));
    assert_eq!(first, run(&rules, &texts, &Options::default()).findings);
}

#[test]
fn a_comment_silences_a_rule_in_its_block_only() {
    let rules = Rules::built_in().unwrap();
    let text =
        "<!-- roundtable-ignore open-marker: agreed in May -->\n- Limit: TBD\n- Owner: TBD\n\nDate: TBD\n";
    let found = run(&rules, &[("a.md".to_owned(), text.to_owned())], &Options::default());
    assert_eq!((found.suppressed, found.findings.len(), found.findings[0].line), (2, 1, 5));
}

#[test]
fn equal_markers_of_a_table_are_one_finding_and_those_beside_it_are_not() {
    let rules = Rules::built_in().unwrap();
    let rows = "| Beans | TBD |\n| Kale | tbd |\n| Leek | TBD |\n";
    let text = format!("Owner: TBD\n\n| Crop | Owner |\n|---|---|\n{rows}\nStart: TBD\n");
    let found = run(&rules, &[("a.md".to_owned(), text)], &Options::default()).findings;
    let places: Vec<(usize, usize)> = found.iter().map(|one| (one.line, one.related.len())).collect();
    assert_eq!(places, [(1, 0), (5, 2), (9, 0)]);
    assert!(found[1].message.contains("open here and at 2 more places:"), "{}", found[1].message);
    assert!(found[0].message.contains("is still open: nobody"), "{}", found[0].message);
}

#[test]
fn a_document_inside_a_code_fence_is_read() {
    let rules = Rules::built_in().unwrap();
    let inner = "# Requirements\n\n- R-1: The page must be fast.\n\n```text\nThe code must be fast.\n```\n\n- R-2: The desk must be easy to use.\n";
    let texts = [("a.md".to_owned(), format!("```markdown\n{inner}```\n"))];
    let found = run(&rules, &texts, &Options::default());
    assert_places(&texts, &found);
    assert_eq!(found.findings.iter().map(|one| one.line).collect::<Vec<_>>(), [4, 10]);
    let code = [("a.md".to_owned(), format!("Text.\n\n```markdown\n{inner}"))];
    assert!(run(&rules, &code, &Options::default()).findings.iter().all(|one| one.line > 9));
}

#[test]
fn an_identifier_is_defined_in_a_heading_or_at_the_start_of_a_line() {
    let rules = Rules::built_in().unwrap();
    let found = |text: &str| {
        let found = run(&rules, &[("a.md".to_owned(), text.to_owned())], &Options::default()).findings;
        let found = found.into_iter().filter(|one| one.rule == "dangling-id");
        found.map(|one| one.quote).collect::<Vec<_>>()
    };
    let known = "# Threats\n\n## T-1: Loss\n\n## T-2: Theft\n\n## T-3 and T-4: Errors\n\nSee T-4. The rest:\nT-6 | a dump of\nT-7 | a table\n\nT-6 and T-7 are rare";
    assert_eq!(found(&format!("{known}.\n")), [""; 0]);
    assert_eq!(found(&format!("{known}, and T-9 too.\n")), ["T-9"]);
    assert_eq!(found(&format!("{known}, as T-11, T-12, T-13 and T-14 of the bank are.\n")), [""; 0]);
}

#[test]
fn data_is_judged_with_places_in_the_file() {
    let rules = Rules::built_in().unwrap();
    let texts = [
        ("s.json", "{\"stories\": [{\"id\": \"US-1\", \"text\": \"The page must be fast.\"}]}"),
        ("t.csv", "id,owner,text\nA-1,Kim,\"Limit is TBD, so far\"\nA-2,,x\nA-3,Lee,y\nA-4,Lee,z\n"),
        ("u.yaml", "rules:\n  - text: The list must be shown quickly\n"),
    ];
    let texts = texts.map(|(path, text)| (path.to_owned(), text.to_owned()));
    let found = run(&rules, &texts, &Options::default());
    assert_places(&texts, &found);
    let names: Vec<(&str, &str)> =
        found.findings.iter().map(|one| (one.path.as_str(), one.rule.as_str())).collect();
    let expected = [
        ("s.json", "unmeasurable-quality"),
        ("t.csv", "open-marker"),
        ("t.csv", "missing-cell"),
        ("u.yaml", "timing-without-deadline"),
    ];
    assert_eq!(names, expected);
    assert_eq!(found.findings[0].heading, "stories[0].text");
}

#[test]
fn a_rule_file_that_is_wrong_is_named_with_its_place() {
    let over = |path: &str, text: &str| Rules::over(&[(path.to_owned(), text.to_owned())]).unwrap_err();
    let error = over("a/b.yaml", "rule: b\ntitel: x\n").to_string();
    assert!(error.contains("a/b.yaml:2:1") && error.contains("titel"), "{error}");
    let rule = "rule: b\ntitle: t\nreference: r\nseverity: minor\npersona: a\nany: [\"@nothing\"]\n\
                message: m\nwhy: w\nsuggest: s\n";
    let error = over("a/b.yaml", rule).to_string();
    assert!(error.contains("a/b.yaml") && error.contains("words.yaml"), "{error}");
    assert!(over("a/c.yaml", rule).to_string().contains("a/b.yaml"));
    assert!(over("scope.yaml", "- kind: x\n  headings: [\"_3 y\"]\n").to_string().contains("scope.yaml"));
}

/// Hostile texts take no more time for their size than others.
#[test]
#[allow(clippy::disallowed_methods)] // A test may look at the clock.
fn hostile_text_is_read_in_linear_time() {
    let rules = Rules::built_in().unwrap();
    let texts = [
        "must be fast or ".repeat(1_200),
        ">".repeat(2_000),
        "- ".repeat(1_000),
        "|".repeat(6_000),
        "[".repeat(4_000),
        "(".repeat(6_000),
        "\"".repeat(6_000),
        "*a ".repeat(4_000),
        "R1 10 ms, ".repeat(1_200),
        "It is above 6 kg or below 6 kg. ".repeat(400),
        "See annex B, SRS-PWR section 4. ".repeat(400),
        "[x](#y) ".repeat(1_500),
        "[x](#y)\n\n".to_owned() + &"# a\n\n".repeat(4_000),
        "# must TBD\n\n".repeat(800),
        "| a | 5 s |\n|---|---|\n".to_owned() + &"| b | 7 s |\n".repeat(800),
        "The snapshot is never deleted. A snapshot is deleted after 5 days.\n\n".repeat(200),
        "<!-- roundtable-ignore x -->\n".repeat(400),
        "ZVD XYZ (ABC) \u{0} \u{202e} \u{1F600}".repeat(600),
    ];
    for text in texts {
        let texts = [("a.md".to_owned(), text)];
        let begun = std::time::Instant::now();
        let found = run(&rules, &texts, &Options::default());
        let spent = begun.elapsed();
        assert_places(
            &texts,
            &Review { findings: found.findings.into_iter().take(50).collect(), ..Review::default() },
        );
        assert!(spent.as_secs() < 10, "{spent:?} for {:?}", &texts[0].1[..20]);
    }
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config { cases: 48, failure_persistence: None, ..Default::default() })]
    #[test]
    fn any_text_is_reviewed_and_quoted(pieces in proptest::collection::vec(0_usize..PIECES.len(), 0..60), end in 0_usize..4) {
        let rules = ready();
        let text: String = pieces.iter().map(|at| PIECES[*at]).collect();
        let path = ["a.md", "a.json", "a.csv", "a.yaml"][end];
        let texts = [(path.to_owned(), text)];
        assert_places(&texts, &run(rules, &texts, &Options::default()));
    }

    #[test]
    fn any_bytes_are_reviewed_and_quoted(
        bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..800),
        cuts in proptest::collection::vec((0_usize..800, 0_usize..PIECES.len()), 0..40),
        ending in 0_usize..ENDINGS.len(),
    ) {
        let mut bytes = bytes;
        for (at, piece) in cuts {
            let at = at.min(bytes.len());
            bytes.splice(at..at, PIECES[piece].bytes());
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let path = format!("a/elaborations/a.{}", ENDINGS[ending]);
        let texts = [(path, text.clone()), ("a/b.md".to_owned(), text)];
        assert_places(&texts, &run(ready(), &texts, &Options::default()));
    }

    #[test]
    fn any_characters_are_no_reason_to_panic(text in "\\PC{0,300}") {
        let texts = [("a.md".to_owned(), text.clone()), ("b.csv".to_owned(), text)];
        assert_places(&texts, &run(ready(), &texts, &Options::default()));
    }
}

fn ready() -> &'static Rules {
    static RULES: std::sync::OnceLock<Rules> = std::sync::OnceLock::new();
    RULES.get_or_init(|| Rules::built_in().unwrap())
}

const ENDINGS: [&str; 5] = ["md", "json", "csv", "yaml", "jsonl"];

const PIECES: [&str; 46] = [
    "{\"kind\":\"synthesis\",\"decisions\":[{\"text\":\"The fee is 10 cents.",
    "\"}]}\n",
    "The fee is 20 cents.",
    "SRS-PWR section 4",
    "two and a half minutes",
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
    "above 6",
    "below 6",
    "section 9",
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

/// `docs/rules.md`, as the rule files have it.
fn rules_page(rules: &Rules) -> String {
    let mut text = "# The review rules\n\nWhat `roundtable review` looks for: a section a rule, made from the files under `rules/review`.\n".to_owned();
    for rule in rules.iter() {
        let file = &rule.file;
        text += &format!("\n## {}\n\n{}.\n\n", file.rule, file.title);
        let in_prose = file.in_prose.map_or(String::new(), |one| format!(" ({} in prose)", one.name()));
        text += &format!("- Severity: {}{in_prose}; persona: {}\n", file.severity.name(), file.persona);
        text += &format!(
            "- Source: {}\n- Why: {}\n- What settles it: {}\n",
            file.reference, file.why, file.suggest
        );
        for (name, examples) in [("Found", &file.yes), ("Not found", &file.no)] {
            let first = examples.first().map(Example::documents).unwrap_or_default();
            let example = first.first().map_or("", |(_, text)| text);
            text += &format!("- {name}: `{}`\n", one_line(&example.replace(['`', '\n'], " "), 200));
        }
    }
    text
}

#[test]
#[allow(clippy::disallowed_methods)] // Writes the page where it is asked to.
fn the_page_of_the_rules_is_that_of_the_files() {
    let page = rules_page(&with_examples());
    if std::env::var_os("DOCUMENTS").is_some_and(|wanted| wanted == "write") {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/rules.md"), &page).unwrap();
        return;
    }
    let hint = "DOCUMENTS=write cargo test --lib the_page_of_the_rules";
    assert!(page == include_str!("../../docs/rules.md"), "docs/rules.md is out of date; `{hint}` writes it");
}

#[test]
fn requirements_are_known_by_title_file_name_and_section() {
    let rules = Rules::built_in().unwrap();
    let talk = "It began in May. Everybody came.\n\n".repeat(30);
    let demand = "The desk is simple.\n";
    let shown = |path: &str, text: String| {
        let found = run(&rules, &[(path.to_owned(), text)], &Options::default()).findings;
        found.iter().filter(|one| !one.is_aside).count()
    };
    assert_eq!(shown("talk.md", format!("# A desk\n\n{talk}- {demand}")), 0);
    assert_eq!(shown("talk.md", format!("# A desk\n\n{talk}## Requirements\n\n- {demand}")), 1);
    let story = "- As a guest, I want a desk, so that I can sit.\n".repeat(4);
    for (path, title) in
        [("user-stories.md", "A desk"), ("talk.md", "Desk: product requirements"), ("SRS.md", "A")]
    {
        assert_eq!(shown(path, format!("# {title}\n\n{talk}{story}- {demand}")), 1, "{path} {title}");
    }
    // The name alone does not make requirements of a talk.
    assert_eq!(shown("SRS.md", format!("# A desk\n\n{talk}- {demand}")), 0);
}

#[test]
fn forms_and_minutes_are_not_judged() {
    let rules = Rules::built_in().unwrap();
    let text = "---\nowner: TBD\n---\n\n# A\n\nLimit: TBD\n\n## Open questions\n\n- Who pays for it?\n\n## B\n\n## C\n\nx\n";
    let count = |path: &str| {
        let found = run(&rules, &[(path.to_owned(), text.to_owned())], &Options::default()).findings;
        found.len()
    };
    assert_eq!(count("docs/desk.md"), 4);
    for path in [
        "docs/0000-template.md",
        "PULL_REQUEST_TEMPLATE/new.md",
        "desk-template.md",
        "meeting-notes.md",
        "2026_05_sync_12.md",
    ] {
        let marked = [(path.to_owned(), "## TODO\n\n> TODO: write\n".to_owned())];
        assert!(run(&rules, &marked, &Options::default()).findings.is_empty());
        assert_eq!(count(path), 0, "{path}");
    }
    // A document about templates is one.
    assert_eq!(count("template-engine/desk.md"), 4);
}
