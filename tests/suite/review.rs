//! `roundtable review` as a whole program: what is read, how it is reported, what silences it, and how much of our own
//! labelled documents it finds.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::process::Stdio;

use roundtable::review::{Document, Options, Rules, review};
use serde_json::Value;

use crate::kit::{ITEM, Run, Sandbox, sandbox};

const VAGUE: &str =
    "# Desk\n\n- **R-1** Errors must be handled appropriately.\n- **R-2** The owner is TBD.\n";

/// Runs `review` with `--json`, whatever the answer is.
fn found(sandbox: &Sandbox, args: &[&str]) -> (i32, Vec<Value>) {
    let run = sandbox.run(&[&["review", "--json"], args].concat());
    let report: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}", run.stderr));
    (run.code, report["findings"].as_array().unwrap().clone())
}

fn rules_of(findings: &[Value]) -> Vec<&str> {
    findings.iter().map(|finding| finding["rule"].as_str().unwrap()).collect()
}

fn on_stdin(sandbox: &Sandbox, text: &str, args: &[&str]) -> Run {
    let mut command = sandbox.command(&[&["review", "-"], args].concat());
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    Run::of(child.wait_with_output().unwrap())
}

fn with_desk() -> Sandbox {
    let sandbox = sandbox();
    sandbox.commit(&[("docs/desk.md", VAGUE)]);
    sandbox
}

#[test]
fn files_folders_items_commits_and_standard_input_are_read() {
    let sandbox = with_desk();
    let expected = ["vague-term", "open-marker"];
    for args in [&["docs/desk.md"][..], &["docs"], &["--rev", "HEAD", "docs/desk.md"]] {
        let (code, findings) = found(&sandbox, args);
        let of_desk: Vec<Value> = findings.into_iter().filter(|one| one["path"] == "docs/desk.md").collect();
        assert_eq!((code, rules_of(&of_desk)), (1, expected.to_vec()), "{args:?}");
    }
    let spec = format!("{ITEM}/requirements-spec.md");
    for args in [&["offline-mode"][..], &[ITEM], &[]] {
        let (_, findings) = found(&sandbox, args);
        assert_eq!(rules_of(&findings), ["unmeasurable-quality"], "{args:?}");
        assert_eq!(findings[0]["path"], spec.as_str());
    }
    let run = on_stdin(&sandbox, VAGUE, &["--format", "json"]);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((run.code, &report["findings"][0]["path"]), (1, &Value::from("<stdin>")));
}

#[test]
fn a_line_that_contradicts_a_recorded_decision_is_named_with_the_recording() {
    let sandbox = sandbox();
    let recording = format!("{ITEM}/elaborations/01-01-20261101.jsonl");
    let decided = "{\"kind\":\"synthesis\",\"at\":\"2026-11-01T10:00:00Z\",\"decisions\":[{\"text\":\"The late fee of a \
                   loan is 10 cents a day.\",\"rationale\":null,\"turns\":[4]}]}\n";
    sandbox.commit(&[
        (&format!("{ITEM}/fees.md"), "# Fees\n\nThe late fee of a loan is 20 cents a day.\n"),
        (&recording, decided),
    ]);
    for args in [&[ITEM][..], &["--rev", "HEAD", ITEM], &[]] {
        let (_, findings) = found(&sandbox, &[args, &["--rule", "contradicted-decision"]].concat());
        assert_eq!(rules_of(&findings), ["contradicted-decision"], "{args:?}");
        assert_eq!(
            (&findings[0]["line"], &findings[0]["quote"]),
            (&Value::from(3), &Value::from("20 cents"))
        );
        let related = &findings[0]["related"][0];
        assert_eq!((&related["path"], &related["line"]), (&Value::from(recording.as_str()), &Value::from(1)));
    }
}

#[test]
fn only_changed_lines_count_with_a_base_or_the_index() {
    let sandbox = with_desk();
    let more = format!("{VAGUE}- **R-3** The page must be fast.\n");
    std::fs::write(sandbox.root().join("docs/desk.md"), &more).unwrap();
    let (code, findings) = found(&sandbox, &["--base", "HEAD", "docs"]);
    assert_eq!((code, findings.len(), findings[0]["line"].as_u64()), (1, 1, Some(5)));
    let (code, findings) = found(&sandbox, &["--staged", "docs"]);
    assert_eq!((code, findings.len()), (0, 0), "nothing is staged");
    let mut index = sandbox.git.index().unwrap();
    index.add_path(std::path::Path::new("docs/desk.md")).unwrap();
    index.write().unwrap();
    assert_eq!(rules_of(&found(&sandbox, &["--staged", "docs"]).1), ["unmeasurable-quality"]);
}

#[test]
fn rules_personas_and_steps_choose_and_the_limit_decides_the_answer() {
    let sandbox = with_desk();
    let desk = "docs/desk.md";
    assert_eq!(rules_of(&found(&sandbox, &["--rule", "open-marker", desk]).1), ["open-marker"]);
    assert!(found(&sandbox, &["--persona", "system-designer", desk]).1.is_empty());
    let step = found(&sandbox, &["--step", "01-01", desk]).1;
    assert!(step.iter().all(|finding| finding["persona"] == "business-analyst"), "{step:?}");
    for (limit, code) in [("none", 0), ("major", 1), ("minor", 1), ("note", 1)] {
        assert_eq!(found(&sandbox, &["--fail-on", limit, desk]).0, code, "{limit}");
    }
    assert_eq!(found(&sandbox, &["--rule", "vague-term", desk]).0, 0, "minor is below the limit");
    for wrong in [
        &["--rule", "open-markr", desk][..],
        &["docs/absent.md"],
        &["--step", "99-99", desk],
        &["--persona", "x"],
    ] {
        let run = sandbox.run(&[&["review"], wrong].concat());
        assert!(run.code == 2 && run.stderr.contains("error:"), "{wrong:?} {}", run.stderr);
    }
    assert!(sandbox.run(&["review", "--rule", "open-markr", desk]).stderr.contains("open-marker"));
}

#[test]
fn people_programs_annotations_and_sarif_get_their_form() {
    let sandbox = with_desk();
    let formatted = |format: &str| sandbox.run(&["review", "docs/desk.md", "--format", format]).stdout;
    let human = formatted("human");
    assert!(
        human.contains("docs/desk.md:4:") && human.contains("TBD") && human.contains("open-marker"),
        "{human}"
    );
    let github = formatted("github");
    assert!(github.contains("::error ") && github.contains("file=docs/desk.md,line=4"), "{github}");
    let sarif: Value = serde_json::from_str(&formatted("sarif")).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    assert_eq!((results.len(), &results[0]["ruleId"]), (2, &Value::from("vague-term")));
    let region = &results[1]["locations"][0]["physicalLocation"]["region"];
    assert_eq!(region["startLine"], 4);
    let report: Value = serde_json::from_str(&formatted("json")).unwrap();
    let keys = [
        "rule",
        "severity",
        "path",
        "line",
        "column",
        "end_line",
        "end_column",
        "quote",
        "message",
        "why",
        "suggestion",
        "reference",
        "persona",
        "related",
    ];
    assert!(keys.iter().all(|key| report["findings"][0].get(key).is_some()), "{report}");
    assert_eq!(
        (&report["documents"], &report["lines"], &report["suppressed"]),
        (&1.into(), &4.into(), &0.into())
    );
}

#[test]
fn wording_in_a_document_that_argues_is_counted_and_shown_on_request() {
    let paragraphs =
        ["slow it is", "many work there", "much it cost", "it was tried", "others do it", "it ends"];
    let argued: String =
        paragraphs.iter().map(|one| format!("This part explains how {one} in some words.\n\n")).collect();
    let proposal = format!(
        "# A new desk\n\n{argued}## Decision\n\n- Errors must be handled appropriately.\n\n## Open Questions\n\n\
         - Who pays for the desk?\n"
    );
    let sandbox = sandbox();
    sandbox.commit(&[("docs/proposal.md", &proposal)]);
    let (code, findings) = found(&sandbox, &["docs/proposal.md"]);
    let vague = findings.iter().find(|one| one["rule"] == "vague-term").unwrap();
    assert_eq!((code, vague["severity"].as_str()), (0, Some("note")), "{findings:#?}");
    let run = sandbox.run(&["review", "docs/proposal.md"]);
    assert!(
        run.stdout.contains("--notes shows them") && !run.stdout.contains("vague-term"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("minor[unresolved-question]"), "{}", run.stdout);
    for shown in [&["--notes"][..], &["--fail-on", "note"], &["--rule", "vague-term"]] {
        let run = sandbox.run(&[&["review", "docs/proposal.md"], shown].concat());
        assert!(run.stdout.contains("note[vague-term]"), "{shown:?}: {}", run.stdout);
    }
}

#[test]
fn a_comment_silences_the_next_block_and_an_idle_one_is_a_finding() {
    let sandbox = sandbox();
    let text = "<!-- roundtable-ignore open-marker: decided in May -->\nThe owner is TBD.\n\n\
                <!-- roundtable-ignore vague-term: none here -->\nThe desk opens at nine.\n";
    sandbox.commit(&[("a.md", text)]);
    let report: Value = serde_json::from_str(&sandbox.run(&["review", "a.md", "--json"]).stdout).unwrap();
    assert_eq!(report["suppressed"], 1);
    let findings = report["findings"].as_array().unwrap();
    assert_eq!((rules_of(findings), findings[0]["line"].as_u64()), (vec!["unused-ignore"], Some(4)));
}

#[test]
fn the_settings_switch_rules_off_and_change_paths_severity_and_limit() {
    let sandbox = with_desk();
    let set = |text: &str| std::fs::write(sandbox.root().join(".roundtable.yaml"), text).unwrap();
    set("review:\n  off: [open-marker]\n  severity: {vague-term: major}\n  paths: [\"docs/*.md\"]\n");
    let (code, findings) = found(&sandbox, &[]);
    assert_eq!((code, rules_of(&findings)), (1, vec!["vague-term"]));
    assert_eq!(findings[0]["severity"], "major");
    set("review:\n  fail_on: none\n");
    assert_eq!(found(&sandbox, &["docs/desk.md"]).0, 0);
    set("review:\n  off: [open-markr]\n");
    let run = sandbox.run(&["review", "docs/desk.md"]);
    assert!(run.code == 2 && run.stderr.contains("open-marker"), "{}", run.stderr);
}

#[test]
fn a_rule_file_that_is_wrong_is_named_with_line_and_column() {
    let sandbox = with_desk();
    let folder = sandbox.root().join("own/review/business-analyst");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(sandbox.root().join(".roundtable.yaml"), "rules: own\n").unwrap();
    std::fs::write(folder.join("house.yaml"), "rule: house\ntitle: t\nseverity: enormous\n").unwrap();
    let run = sandbox.run(&["review", "docs/desk.md"]);
    assert!(run.code == 2 && run.stderr.contains("house.yaml:3:"), "{}", run.stderr);
    let rule = "rule: house\ntitle: A desk\nreference: our own\nseverity: note\npersona: business-analyst\n\
                any: [desk]\nmessage: \"“{quote}”\"\nwhy: w\nsuggest: s\nwhere: anywhere\n";
    std::fs::write(folder.join("house.yaml"), rule).unwrap();
    assert!(rules_of(&found(&sandbox, &["docs/desk.md"]).1).contains(&"house"));
}

#[test]
fn findings_in_data_have_their_line_and_their_path_inside() {
    let sandbox = sandbox();
    let json = "{\n  \"stories\": [\n    {\"id\": \"US-1\", \"text\": \"The page must be fast.\"}\n  ]\n}\n";
    let csv = "id,owner,text\nA-1,Kim,\"Limit is TBD, so far\"\nA-2,Lee,y\n";
    let yaml = "rules:\n  - id: R-1\n    text: The list must be shown promptly\n";
    let paths = ["user-stories.json", "list.csv", "rules.yaml"].map(|name| format!("{ITEM}/{name}"));
    sandbox.commit(&[(&paths[0], json), (&paths[1], csv), (&paths[2], yaml)]);
    let (_, findings) = found(&sandbox, &["offline-mode"]);
    let place = |name: &str| {
        let one = findings.iter().find(|one| one["path"].as_str().unwrap().ends_with(name)).unwrap();
        (one["rule"].as_str().unwrap(), one["line"].as_u64().unwrap(), one["heading"].as_str().unwrap())
    };
    assert_eq!(place(".json"), ("unmeasurable-quality", 3, "stories[0].text"));
    assert_eq!(place(".csv"), ("open-marker", 2, "[0].text"));
    assert_eq!(place(".yaml"), ("timing-without-deadline", 3, "rules[0].text"));
}

#[test]
fn a_pull_request_gets_notices_on_its_changed_lines() {
    let sandbox = sandbox();
    let forge = crate::forge::forge(&sandbox);
    let base = sandbox.tip("main").unwrap();
    let text = format!("{}\n## 5. Limits\n\n- **R-9** The limit is TBD.\n", crate::kit::SPEC);
    let head = sandbox.commit(&[(&format!("{ITEM}/requirements-spec.md"), &text)]);
    let event = serde_json::json!({"pull_request": {
        "base": {"sha": base.to_string(), "ref": "main"}, "head": {"sha": head.to_string()}}});
    let run = forge.run(&sandbox, "pull_request", &event, &["run"]);
    let notices: Vec<&str> = run.stdout.lines().filter(|line| line.starts_with("::notice ")).collect();
    assert!(run.code == 0 && notices.len() == 1 && notices[0].contains("line=17"), "{}", run.stdout);
}

/// What the marks of a document say by line; the second part of `@@class=name` joins the places of one defect.
type Marks<'t> = Vec<Option<(&'t str, &'t str)>>;

/// A document of `tests/review` without its marks, and the marks.
fn labelled(text: &str) -> (String, Marks<'_>) {
    let lines = text.lines().map(|line| match line.split_once("@@") {
        Some((line, mark)) => (line.trim_end(), Some(mark.split_once('=').unwrap_or((mark.trim(), "")))),
        None => (line, None),
    });
    let (lines, marks): (Vec<&str>, Marks<'_>) = lines.unzip();
    (lines.join("\n") + "\n", marks)
}

/// How many of how many.
type Share = (usize, usize);

/// What is found of the labelled documents.
#[derive(Default)]
struct Counts {
    /// Defects that are hit, by class.
    recall: BTreeMap<String, Share>,
    /// Findings on a defect, by rule.
    precision: BTreeMap<String, Share>,
    decoys: Share,
}

fn count_in(share: &mut Share, is_in: bool) {
    *share = (share.0 + usize::from(is_in), share.1 + 1);
}

fn sum(shares: &BTreeMap<String, Share>) -> Share {
    shares.values().fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1))
}

impl Counts {
    fn add(&mut self, rules: &Rules, text: &str) {
        let (text, marks) = labelled(text);
        let found = review(&[Document { path: "a.md", text: &text }], rules, &Options::default()).findings;
        let hit: BTreeSet<usize> = found.iter().map(|one| one.line - 1).collect();
        let mut defects: BTreeMap<(&str, String), Vec<usize>> = BTreeMap::new();
        for (at, (class, name)) in marks.iter().enumerate().filter_map(|(at, mark)| Some((at, (*mark)?))) {
            if class == "d" {
                count_in(&mut self.decoys, hit.contains(&at));
                continue;
            }
            let name = if name.is_empty() { at.to_string() } else { name.to_owned() };
            defects.entry((class, name)).or_default().push(at);
        }
        for ((class, _), lines) in defects {
            let is_hit = lines.iter().any(|line| hit.contains(line));
            count_in(self.recall.entry(class.to_owned()).or_default(), is_hit);
        }
        for one in found {
            let is_good = marks[one.line - 1].is_some_and(|(class, _)| class != "d");
            count_in(self.precision.entry(one.rule).or_default(), is_good);
        }
    }
}

/// The least recall of a class in percent, where it has enough defects to tell.
const CLASS_RECALL: usize = 50;
const CLASS_DEFECTS: usize = 4;
/// Classes of which words find only a part: two sentences about the same need not share any.
const BY_MEANING: [&str; 2] = ["contradicting-rules", "missing-actor"];

#[test]
fn our_labelled_documents_keep_a_floor_of_recall_and_precision() {
    let rules = Rules::built_in().unwrap();
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/review");
    let mut counts = Counts::default();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if !path.ends_with("README.md") {
            counts.add(&rules, &std::fs::read_to_string(path).unwrap());
        }
    }
    let (recall, precision, decoys) = (sum(&counts.recall), sum(&counts.precision), counts.decoys);
    let table = |shares: &BTreeMap<String, Share>| -> String {
        shares.iter().map(|(name, (part, all))| format!("  {name:<30} {part:>3} of {all}\n")).collect()
    };
    let report = format!(
        "recall by class\n{}precision by rule\n{}recall {recall:?}, precision {precision:?}, decoys {decoys:?}",
        table(&counts.recall),
        table(&counts.precision),
    );
    #[allow(clippy::print_stdout)] // The report.
    {
        println!("{report}");
    }
    let is_low = |(class, (hit, all)): &(&String, &Share)| {
        *all >= CLASS_DEFECTS && hit * 100 < all * CLASS_RECALL && !BY_MEANING.contains(&class.as_str())
    };
    let low: Vec<&String> = counts.recall.iter().filter(is_low).map(|(class, _)| class).collect();
    assert!(low.is_empty(), "{low:?}\n{report}");
    assert!(recall.0 * 100 >= recall.1 * 75, "{report}");
    assert!(precision.0 * 100 >= precision.1 * 95, "{report}");
    assert!(decoys.0 * 100 <= decoys.1 * 3, "{report}");
}

#[test]
fn utf_16_is_read_and_another_language_is_said() {
    let sandbox = sandbox();
    let text = "\u{feff}# Desk\n\n- FR-001: The letter must arrive quickly.\n";
    for little in [true, false] {
        let bytes: Vec<u8> = text
            .encode_utf16()
            .flat_map(|unit| if little { unit.to_le_bytes() } else { unit.to_be_bytes() })
            .collect();
        std::fs::write(sandbox.root().join("a.md"), bytes).unwrap();
        let run = sandbox.run(&["review", "a.md", "--json"]);
        let report: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!((run.code, report["findings"][0]["line"].as_u64()), (1, Some(3)), "{report}");
        assert_eq!(run.stderr, "");
    }
    let german =
        "Die Gebühr beträgt fünf Euro im Monat. Wer nicht zahlt, bekommt nach drei Wochen eine Mahnung.\n";
    std::fs::write(sandbox.root().join("a.md"), german).unwrap();
    let run = sandbox.run(&["review", "a.md"]);
    assert_eq!(
        (run.code, run.stderr.as_str()),
        (0, "warning: the rules read English, which a.md does not seem to be in\n")
    );
}

#[test]
fn what_the_rules_do_not_read_is_said() {
    let sandbox = sandbox();
    let warned = |name: &str, text: &str| {
        std::fs::write(sandbox.root().join(name), text).unwrap();
        let run = sandbox.run(&["review", name]);
        (run.stdout, run.stderr)
    };
    let (_, short) = warned("b.md", "Die Seite muss schnell sein.\n");
    assert_eq!(short, "warning: the rules read English, which b.md does not seem to be in\n");
    let (_, markdown) = warned("c.yml", "# Rules\n\n- The door: closes\nIt is shut: [ never\n");
    let no_yaml = "warning: c.yml is no YAML (line 4), so headings and lists in it are not read; if it is text, rename it \
                   to c.md\n";
    assert_eq!(markdown, no_yaml);
    assert_eq!(warned("d.yaml", "rules:\n  - The door closes.\n").1, "");
    let ignored = "<!-- roundtable-ignore open-marker -->\n\nThe limit is TBD.\n";
    let (silenced, _) = warned("e.md", ignored);
    assert!(silenced.ends_with("; 1 finding silenced, 1 without a reason.\n"), "{silenced}");
    let (_, set) = warned(".roundtable.yaml", "language: de\n");
    assert!(set.contains("the review rules read English"), "{set}");
}
