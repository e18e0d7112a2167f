//! `roundtable analyze` on real repositories: a test an acceptance criterion of the analysis
//! (tests/requirements.md), named after it; that page says which have no meaning without a keyboard.

use std::path::Path;

use serde_json::{Value, json};

use crate::kit::{AT, BRANCH, ITEM, Run, Sandbox, empty};

const LATER: &str = "2026-02-21T09:00:00Z";

/// A repository with the item `offline-mode`, whose subject so many files mention.
pub fn repository(files: usize, meta: &str) -> Sandbox {
    let sandbox = empty();
    let meta_path = format!("{ITEM}/meta.json");
    let sources: Vec<(String, String)> =
        (0..files).map(|n| (format!("src/part{n}.rs"), "// keeps working offline\n".to_owned())).collect();
    let mut all: Vec<(&str, &str)> =
        sources.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    all.push((&meta_path, meta));
    all.push(("README.md", "# A tablet app\n"));
    sandbox.commit(&all);
    sandbox
}

const RAW: &str = "{\n  \"slug\": \"offline-mode\",\n  \"name\": \"offline mode\"\n}\n";

/// An item that has the phases before this one behind it, whose steps have documents of their own.
pub fn begun(phases: &[&str]) -> String {
    let (slug, name, layout) = ("offline-mode", "offline mode", "isdlc");
    let meta = json!({"slug": slug, "name": name, "layout": layout, "phases_completed": phases});
    format!("{meta:#}\n")
}

fn analyze(sandbox: &Sandbox, script: &str, more: &[&str]) -> Run {
    let suffix =
        if script.starts_with("answers:") || script.starts_with("user:") || script.starts_with("inputs:") {
            "yaml"
        } else {
            "txt"
        };
    let path = sandbox.script(&format!("answers.{suffix}"), script);
    sandbox.run(&[&["analyze", "offline-mode", "--script", &path], more].concat())
}

/// With a fixed clock, for people.
fn told(sandbox: &Sandbox, script: &str) -> String {
    analyze(sandbox, script, &["--at", AT]).ok().stdout
}

pub fn report(sandbox: &Sandbox, script: &str, more: &[&str]) -> Value {
    analyze(sandbox, script, &[&["--at", AT, "--json"], more].concat()).json()
}

/// Every step of the analysis with one answer and [C]; the rest of its questions stays open.
fn each(answer: &str, steps: usize) -> String {
    format!("{answer}\nC\n").repeat(steps)
}

fn artifact(sandbox: &Sandbox, name: &str) -> String {
    sandbox.file(BRANCH, &format!("{ITEM}/{name}"))
}

fn has(sandbox: &Sandbox, name: &str) -> bool {
    let tree = sandbox.git.find_commit(sandbox.tip(BRANCH).unwrap()).unwrap().tree().unwrap();
    tree.get_path(Path::new(&format!("{ITEM}/{name}"))).is_ok()
}

/// The steps whose header was shown, in order.
fn headers(stdout: &str) -> Vec<&str> {
    let of =
        |line: &'_ str| line.split(" -- Step ").nth(1).and_then(|rest| rest.split(':').next()).map(str::len);
    stdout
        .lines()
        .filter(|line| line.contains(") -- Step ") && of(line) == Some(5))
        .map(|line| &line[line.find(" -- Step ").unwrap() + 9..][..5])
        .collect()
}

const STEP: &str = "---\nstep_id: \"01-09\"\ntitle: \"Compliance Check\"\npersona: business-analyst\ndepth: brief\noutputs:\n  - rules.md\ndepends_on: []\nskip_if: \"\"\n---\n\n## Brief Mode\n\nA draft of the rules. Which rule is missing?\n\n## Standard Mode\n\n1. Which rules apply?\n2. Who checks them?\n\n## Deep Mode\n\n1. Which rules apply?\n   - Since when?\n2. Who checks them?\n3. What happens when nobody does?\n\n## Validation\n\n- Each rule is named.\n\n## Artifacts\n\n- `rules.md`, section \"Rules\": each rule and who checks it.\n";

/// A repository whose overlay holds these steps, and whose item has phase 00 behind it.
fn overlaid(steps: &[(&str, &str)]) -> Sandbox {
    let sandbox = repository(1, &begun(&["00-quick-scan"]));
    let mut files = vec![(".roundtable.yaml".to_owned(), "steps: own\n".to_owned())];
    files.extend(steps.iter().map(|(path, text)| (format!("own/{path}"), (*text).to_owned())));
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    sandbox.commit(&files);
    sandbox
}

// analysis FR-001, FR-002, FR-003: who speaks

#[test]
fn ac_001_02_ac_002_04_the_persona_of_the_phase_speaks_and_stands_in_the_header() {
    for (phases, header) in [
        (&[][..], "Maya Chen (Business Analyst) -- Step 00-01: Scope Estimation"),
        (&["00-quick-scan"][..], "Maya Chen (Business Analyst) -- Step 01-01: Business Context Discovery"),
    ] {
        let found = told(&repository(1, &begun(phases)), "one\n");
        assert!(found.contains(header), "{found}");
    }
}

#[test]
fn ac_001_03_ac_004_04_the_steps_of_a_phase_are_walked_in_ascending_order() {
    let found = told(&repository(1, RAW), &each("x", 24));
    let steps = headers(&found);
    assert_eq!(steps[..4], ["00-01", "00-02", "00-03", "01-01"]);
    assert!(steps.is_sorted() && steps.last() == Some(&"04-05"), "{steps:?}");
}

#[test]
fn ac_002_01_02_03_each_persona_has_name_identity_style_and_three_principles() {
    let library = roundtable::item::library::Library::built_in().unwrap();
    for key in ["business-analyst", "solutions-architect", "system-designer"] {
        let persona = library.cast.get(key).unwrap();
        assert!(!persona.name.is_empty() && !persona.identity.is_empty() && !persona.style.is_empty());
        assert!(persona.principles.len() >= 3, "{key}");
    }
}

#[test]
fn ac_003_01_to_05_each_phase_is_led_by_its_persona() {
    let phases = ["00-quick-scan", "01-requirements", "02-impact-analysis", "03-architecture", "04-design"];
    let leads = ["Maya Chen", "Maya Chen", "Alex Rivera", "Alex Rivera", "Jordan Park"];
    for (at, lead) in leads.iter().enumerate() {
        let found = told(&repository(1, &begun(&phases[..at])), "one\n");
        let header = found.lines().find(|line| line.contains(" -- Step ")).unwrap();
        assert!(header.starts_with(lead), "{header}");
    }
}

#[test]
fn ac_003_06_an_unknown_phase_falls_to_the_business_analyst_with_a_warning() {
    let step = STEP.replace("01-09", "05-01").replace("business-analyst", "nobody");
    let all = ["00-quick-scan", "01-requirements", "02-impact-analysis", "03-architecture", "04-design"];
    let sandbox = repository(1, &begun(&all));
    sandbox.commit(&[(".roundtable.yaml", "steps: own\n"), ("own/05-build/01-rules.md", &step)]);
    let run = analyze(&sandbox, "ours\nC\n", &["--at", AT]).ok();
    assert!(run.stderr.contains("nobody leads the phase \"05-build\"; Maya Chen leads it"), "{}", run.stderr);
    assert!(run.stderr.contains("names the persona \"nobody\""), "{}", run.stderr);
    assert!(run.stdout.contains("Maya Chen (Business Analyst) -- Step 05-01"), "{}", run.stdout);
    assert!(artifact(&sandbox, "rules.md").contains("ours"));
}

// Issue 35: what a phase leaves open

#[test]
fn a_discussion_opens_on_what_the_step_has_left_open() {
    let sandbox = repository(3, RAW);
    let found = told(&sandbox, "Inspectors lose answers\n\n\n\nE\ndone\nC\n");
    let scan = artifact(&sandbox, "quick-scan.md");
    let open = scan.lines().find_map(|line| line.strip_prefix("- Step 00-01, question 2: ")).unwrap();
    let framing = found.lines().find(|line| line.contains("on this specific question")).unwrap();
    assert!(framing.contains(&format!("\"{open}\"")), "{open}\n{found}");
}

#[test]
fn a_decision_of_an_architecture_discussion_becomes_a_record() {
    let sandbox = repository(3, RAW);
    let script = sandbox.script(
        "talk.txt",
        "Note: The reports need joins.\nDecision: keep the answers in SQLite because the team knows it.\ndone\n",
    );
    let elaborate = |step: &str, at: &str| {
        sandbox.run(&["elaborate", "offline-mode", "--step", step, "--script", &script, "--at", at]).ok()
    };
    let name = "adr/0001-keep-the-answers-in-sqlite-because-the-team.md";
    elaborate("01-03", "2026-02-20T14:00:00Z");
    assert!(!has(&sandbox, name));
    let run = elaborate("03-01", AT);
    assert!(run.stdout.contains(&format!("Updated {name}")), "{}", run.stdout);
    let record = artifact(&sandbox, name);
    for wanted in [
        "## Decision\n\nkeep the answers in SQLite because the team knows it\n",
        "Rationale: the team knows it\n",
        "- User: The reports need joins.\n",
        "(step 03-01)",
        "<!-- Elaboration: step 03-01, 2026-02-20T14:30:00.000Z -->",
    ] {
        assert!(record.contains(wanted), "{wanted}\n{record}");
    }
    // Said again, it is the same decision.
    elaborate("03-02", LATER);
    assert!(!has(&sandbox, "adr/0002-keep-the-answers-in-sqlite-because-the-team-know.md"));
    sandbox.run(&["replay", "--all", "--rev", BRANCH]).ok();
    let line = record.lines().position(|line| line.starts_with("keep the answers")).unwrap() + 1;
    let why = sandbox.run(&["why", &format!("{ITEM}/{name}:{line}"), "--rev", BRANCH]).ok();
    assert!(why.stdout.contains("keep the answers in SQLite"), "{}", why.stdout);
}

#[test]
fn why_show_and_replay_know_what_an_analysis_wrote() {
    let sandbox = repository(3, &begun(&["00-quick-scan"]));
    let script = "user: Sam\nanswers:\n  \"01-01\":\n    1: The desk loses an hour a day.\n  \"01-02\":\n    2: \"NFR: the sum is shown | target: 2 seconds\"\n    menu: [Kim watches the desk.]\n";
    told(&sandbox, script);
    let why = |name: &str, words: &str| {
        let text = artifact(&sandbox, name);
        let line =
            text.lines().position(|line| line.contains(words)).unwrap_or_else(|| panic!("{words}\n{text}"));
        sandbox.run(&["why", &format!("{ITEM}/{name}:{}", line + 1), "--rev", BRANCH]).ok().stdout
    };
    for (name, words, wanted) in [
        ("requirements-spec.md", "The desk loses", "Sam's answer to question 1 of step 01-01"),
        ("requirements-spec.md", "- **NFR-001**", "Sam's answer to question 2 of step 01-02"),
        ("nfr-matrix.md", "| NFR-001 |", "Sam: NFR: the sum is shown | target: 2 seconds"),
        ("requirements-spec.md", "Kim watches", "Sam's remark at the menu of step 01-02"),
        ("requirements-spec.md", "- Step 01-01, question 2: ", "Asked as question 2 of step 01-01"),
        ("requirements-spec.md", "## Open Questions", "No discussion wrote this line."),
    ] {
        let found = why(name, words);
        assert!(found.contains(wanted), "{words}\n{found}");
    }
    sandbox.run(&["replay", "--all", "--rev", BRANCH]).ok();
    let shown = sandbox.run(&["show", "offline-mode"]).ok().stdout;
    assert!(shown.contains("01-02 (User Needs Discovery): 2 answers"), "{shown}");
    let log = shown.lines().find(|line| line.contains("analysis/01-01-")).unwrap().trim();
    let shown = sandbox.run(&["show", &format!("{BRANCH}:{log}")]).ok().stdout;
    assert!(shown.contains("Step 01-01: Business Context Discovery"), "{shown}");
    assert!(shown.contains("Sam: The desk loses an hour a day."), "{shown}");
    // A marker that no step's log belongs to.
    let forged = "<!-- Analysis: step 01-01, 2026-01-01T00:00:00.000Z -->\n";
    sandbox.commit(&[(&format!("{ITEM}/notes.md"), forged)]);
    let run = sandbox.run(&["replay", "--all"]);
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    assert!(
        run.stdout.contains(
            "notes.md:1: the marker of the analysis of step 01-01, 2026-01-01T00:00:00.000Z, has no log"
        ),
        "{}",
        run.stdout
    );
}

// analysis FR-004, FR-012: step files

#[test]
fn ac_004_03_ac_012_03_a_step_asks_validates_writes_and_ends_in_its_menu() {
    let sandbox = overlaid(&[("01-requirements/01-business-context.md", &STEP.replace("01-09", "01-01"))]);
    let found = told(&sandbox, "deep\nThe fee regulation\n");
    // The answers end before the step does: nothing of it is written.
    assert!(sandbox.tip(BRANCH).is_none(), "{found}");
    let found = told(&sandbox, "deep\nThe fee regulation\nKim\nnothing\n");
    for wanted in [
        "1. Which rules apply?\n   - Since when?",
        "3. What happens when nobody does?",
        "Updated rules.md, section \"Rules\": added 3 answers.",
        "Checked against 1 criteria",
        "[C] Continue -- move to the next step",
    ] {
        assert!(found.contains(wanted), "{wanted}\n{found}");
    }
    assert!(artifact(&sandbox, "rules.md").contains("**Who checks them?**\nKim\n"));
}

#[test]
fn a_second_remark_is_held_against_no_criteria() {
    let sandbox = overlaid(&[("01-requirements/01-business-context.md", &STEP.replace("01-09", "01-01"))]);
    let found = told(&sandbox, "deep\nThe fee regulation\nKim\nnothing\nbanana\nbanana again\n");
    assert_eq!(found.matches("Checked against").count(), 1, "{found}");
}

#[test]
fn ac_004_05_in_brief_depth_a_step_asks_one_thing_once() {
    let sandbox = overlaid(&[("01-requirements/01-business-context.md", &STEP.replace("01-09", "01-01"))]);
    let found = told(&sandbox, "brief\nnone is missing\nC\n");
    assert!(found.contains("A draft of the rules. Which rule is missing?"), "{found}");
    assert!(!found.contains("Who checks them?"), "{found}");
}

#[test]
fn ac_004_06_in_deep_depth_every_question_is_asked_with_its_probes() {
    let found = told(&repository(20, &begun(&["00-quick-scan"])), "deep\nx\n");
    assert!(found.contains("1. Which event, complaint or missed deal put this problem on the business agenda?\n   - Why did the same problem get no attention a year earlier?"), "{found}");
}

#[test]
fn ac_012_01_02_step_files_of_the_original_form_are_read() {
    // As the original project writes them: empty optional fields, prose in place of questions.
    let prose = STEP
        .replace(
            "1. Which rules apply?\n2. Who checks them?\n\n## Deep",
            "Ask about the rules that apply.\n\n## Deep",
        )
        .replace(
            "- `rules.md`, section \"Rules\": each rule and who checks it.",
            "Update rules.md with the answers.",
        );
    let sandbox = overlaid(&[("01-requirements/09-compliance-check.md", &prose)]);
    let meta = json!({"name": "offline mode", "phases_completed": ["00-quick-scan"],
        "steps_completed": ["01-01", "01-02", "01-03", "01-04", "01-05", "01-06", "01-07", "01-08"],
        "depth_overrides": {"01-requirements": "standard"}});
    sandbox.commit(&[(&format!("{ITEM}/meta.json"), &format!("{meta:#}\n"))]);
    let found = told(&sandbox, "The house rules\nC\n");
    assert!(found.contains("\nAsk about the rules that apply.\n"), "{found}");
    let rules = artifact(&sandbox, "rules.md");
    assert!(
        rules.contains("# Rules: offline mode\n\n## Compliance Check\n") && rules.contains("The house rules"),
        "{rules}"
    );
}

#[test]
fn ac_012_02_depends_on_and_skip_if_leave_steps_out_with_a_warning() {
    let skipped =
        STEP.replace("skip_if: \"\"", "skip_if: \"scope !== 'huge' && phase === '01-requirements'\"");
    let missing = STEP.replace("01-09", "01-10").replace("depends_on: []", "depends_on: [\"07-07\"]");
    let sandbox = overlaid(&[("01-requirements/09-a.md", &skipped), ("01-requirements/10-b.md", &missing)]);
    let run = analyze(&sandbox, &each("x", 9), &["--at", AT]).ok();
    assert!(run.stderr.contains("step 01-09 is left out: its `skip_if` holds"), "{}", run.stderr);
    assert!(run.stderr.contains("step 01-10 is left out: it depends on step 07-07"), "{}", run.stderr);
    assert_eq!(run.stderr.matches("01-10 is left out").count(), 1);
    let meta = sandbox.meta();
    assert_eq!(meta["phases_completed"], json!(["00-quick-scan", "01-requirements"]));
    assert!(!meta["steps_completed"].to_string().contains("01-09"));
}

#[test]
fn a_circle_of_dependencies_and_a_broken_skip_if_are_errors_before_anything_is_done() {
    let one = STEP.replace("depends_on: []", "depends_on: [\"01-10\"]");
    let two = STEP.replace("01-09", "01-10").replace("depends_on: []", "depends_on: [\"01-09\"]");
    let sandbox = overlaid(&[("01-requirements/09-a.md", &one), ("01-requirements/10-b.md", &two)]);
    let run = analyze(&sandbox, "x\n", &[]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("01-09 -> 01-10 -> 01-09"), "{}", run.stderr);
    let check = sandbox.run(&["steps", "check"]);
    assert_eq!(check.code, 1, "{}", check.stdout);
    assert!(check.stdout.contains("steps depend on each other: 01-09 -> 01-10 -> 01-09"), "{}", check.stdout);
    let broken = STEP.replace("skip_if: \"\"", "skip_if: \"scope ==\"");
    let sandbox = overlaid(&[("01-requirements/09-a.md", &broken)]);
    let run = analyze(&sandbox, "x\n", &[]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("01-requirements/09-a.md:9:1"), "{}", run.stderr);
    let check = sandbox.run(&["steps", "check"]);
    assert!(check.code == 1 && check.stdout.contains("01-requirements/09-a.md:9:1"), "{}", check.stdout);
    assert!(sandbox.tip(BRANCH).is_none());
}

#[test]
fn ac_012_04_every_output_of_a_step_is_made_or_added_to() {
    let sandbox = repository(1, RAW);
    told(&sandbox, &each("x", 24));
    let library = roundtable::item::library::Library::built_in().unwrap();
    let done = sandbox.meta()["steps_completed"].to_string();
    for step in library.steps.iter().filter(|step| done.contains(&step.id)) {
        for output in &step.outputs {
            // Nobody decided anything, so there is no record of a decision.
            let is_made = output != "adr/";
            assert_eq!(has(&sandbox, output.trim_end_matches('/')), is_made, "{} {output}", step.id);
        }
    }
}

// analysis FR-005: progress in meta.json

#[test]
fn ac_005_01_04_each_finished_step_is_one_commit_and_stands_in_meta_json() {
    let sandbox = repository(1, RAW);
    let found = report(&sandbox, &each("x", 3), &[]);
    assert_eq!(found["steps_completed"], json!(["00-01", "00-02", "00-03"]));
    assert_eq!(sandbox.meta()["steps_completed"], found["steps_completed"]);
    assert_eq!(found["commits"].as_array().unwrap().len(), 3);
    assert_eq!(found["commit"], found["commits"][2]);
    assert_eq!(found["commit"], json!(sandbox.tip(BRANCH).unwrap().to_string()));
    for id in ["00-01", "00-02", "00-03"] {
        assert!(has(&sandbox, &format!("analysis/{id}-20260220T143000000Z.jsonl")), "{id}");
    }
    sandbox.assert_sound();
    assert_eq!(sandbox.run(&["check", "--base", "main", "--head", BRANCH]).code, 0);
}

#[test]
fn ac_005_02_a_resumed_analysis_begins_at_the_first_incomplete_step() {
    let meta =
        "{\"name\": \"offline mode\", \"steps_completed\": [\"00-01\", \"00-02\", \"01-01\", \"01-02\"]}\n";
    assert_eq!(headers(&told(&repository(1, meta), "x\n")), ["00-03"]);
}

#[test]
fn ac_005_03_with_all_steps_of_two_phases_done_the_architect_begins_phase_02() {
    let steps =
        ["00-01", "00-02", "00-03", "01-01", "01-02", "01-03", "01-04", "01-05", "01-06", "01-07", "01-08"];
    let meta = json!({"name": "offline mode", "steps_completed": steps});
    let found = told(&repository(1, &format!("{meta}\n")), "x\n");
    assert!(found.contains("Alex Rivera (Solutions Architect) -- Step 02-01"), "{found}");
}

#[test]
fn ac_005_05_ac_nfr_005_03_every_other_field_stays_to_the_letter() {
    let meta = "{\r\n\t\"x\": 1e400,\r\n\t\"source_id\": \"GH-7\",\r\n\t\"name\": \"offline mode\",\r\n\t\"steps_completed\": [],\r\n\t\"odd\": {\"a\": [1, 2.50]}\r\n}";
    let sandbox = repository(1, meta);
    told(&sandbox, "x\nC\n");
    let after = artifact(&sandbox, "meta.json");
    for kept in ["\t\"x\": 1e400,\r\n\t\"source_id\": \"GH-7\",\r\n", "\t\"odd\": {\"a\": [1, 2.50]}"] {
        assert!(after.contains(kept), "{after}");
    }
    assert!(
        !after.ends_with('\n') && after.contains("\t\"steps_completed\": [\r\n\t\t\"00-01\"\r\n\t]"),
        "{after}"
    );
}

#[test]
fn meta_json_of_many_shapes_is_walked_or_refused_with_its_place() {
    for meta in [
        "{}",
        "{\"steps_completed\": null, \"phases_completed\": null, \"depth_overrides\": null}",
        "{\"steps_completed\": [7, {}], \"depth_overrides\": [], \"codebase_hash\": 7}",
        "{\"analysis_status\": \"partial\", \"elaborations\": \"none\"}",
        "{\"depth_overrides\": {\"00-quick-scan\": 3}, \"phase_a_completed\": false}",
    ] {
        let sandbox = repository(1, meta);
        let found = report(&sandbox, "x\nC\n", &[]);
        assert!(found["steps_completed"].to_string().contains("00-01"), "{meta}: {found}");
    }
    for meta in [
        "",
        "[]",
        "{\"a\": }",
        "{\"a\": 1, \"a\": 2}",
        "{\"steps_completed\": \"00-01\"}",
        "{\"analysis_status\": \"in-progress\"}",
    ] {
        let sandbox = repository(1, meta);
        let run = analyze(&sandbox, "x\nC\n", &[]);
        assert_eq!(run.code, 2, "{meta}: {}", run.stdout);
        assert!(run.stderr.contains("meta.json:"), "{}", run.stderr);
        assert!(sandbox.tip(BRANCH).is_none());
    }
}

#[test]
fn the_older_field_stays_and_the_fields_it_stands_for_are_added() {
    let sandbox =
        repository(1, "{\n  \"name\": \"offline mode\",\n  \"phase_a_completed\": true,\n  \"x\": 1\n}\n");
    let found = report(&sandbox, "x\n", &[]);
    assert_eq!((found["stopped"].as_str(), found["next_step"].is_null()), (Some("complete"), true));
    let after = artifact(&sandbox, "meta.json");
    assert!(
        after.starts_with("{\n  \"name\": \"offline mode\",\n  \"phase_a_completed\": true,\n  \"x\": 1,\n"),
        "{after}"
    );
    let meta = sandbox.meta();
    assert_eq!(
        (meta["phases_completed"].as_array().unwrap().len(), meta["analysis_status"].as_str()),
        (5, Some("analyzed"))
    );
    let tip = sandbox.tip(BRANCH);
    analyze(&sandbox, "x\n", &["--at", LATER]).ok();
    assert_eq!(sandbox.tip(BRANCH), tip);
}

// analysis FR-006: depth

#[test]
fn ac_006_01_a_small_scope_makes_the_requirements_brief_and_says_so() {
    let sandbox = repository(3, RAW);
    let found = told(&sandbox, &each("x", 4));
    assert!(artifact(&sandbox, "quick-scan.md").contains("- **Scope**: small\n- **Complexity**: low\n"));
    let said = "This looks straightforward. I'll keep the analysis brief -- say 'deep' if you want the full treatment.";
    assert!(found.split_once(said).unwrap().1.contains("Step 01-01"), "{found}");
    assert!(found.contains("(Say \"deep\" to be asked more.)"), "{found}");
}

#[test]
fn ac_006_02_a_medium_scope_is_standard() {
    let sandbox = repository(7, RAW);
    let found = told(&sandbox, &each("x", 4));
    assert!(artifact(&sandbox, "quick-scan.md").contains("- **Scope**: medium\n- **Complexity**: medium\n"));
    assert!(found.contains("1. What problem does the business have today"), "{found}");
    assert_eq!(sandbox.meta()["depth_overrides"], json!({"01-requirements": "standard"}));
}

#[test]
fn ac_006_03_a_large_scope_is_deep_and_says_so() {
    let sandbox = repository(16, RAW);
    let found = told(&sandbox, &each("x", 4));
    assert!(artifact(&sandbox, "quick-scan.md").contains("- **Scope**: large\n- **Complexity**: high\n"));
    assert!(found.contains("This is a substantial change. I'll do a thorough analysis."), "{found}");
    assert!(found.contains("1. Which event, complaint or missed deal"), "{found}");
}

#[test]
fn ac_006_04_05_06_the_user_changes_the_depth_for_this_and_later_steps_of_the_phase() {
    let sandbox = repository(7, &begun(&["00-quick-scan"]));
    let found = told(&sandbox, "x\nkeep it short\ny\nC\nz\nC\n");
    assert!(
        found.contains("The business context names the problem")
            && found.contains("Each kind of user is recorded with a goal"),
        "{found}"
    );
    assert_eq!(sandbox.meta()["depth_overrides"], json!({"01-requirements": "brief"}));
    // The answer given before stays, and a later run goes on with the stored depth.
    assert!(artifact(&sandbox, "requirements-spec.md").contains("\nx\n"));
    let again = told(&sandbox, "w\nC\nmore detail\nv\nC\n");
    assert!(again.contains("The main journey is recorded from its trigger to its end"), "{again}");
    assert!(again.contains("\n1. What does a drawing of the existing systems"), "{again}");
    assert_eq!(sandbox.meta()["depth_overrides"], json!({"01-requirements": "deep"}));
    assert_eq!(sandbox.run(&["check", "--base", "main", "--head", BRANCH]).code, 0);
}

#[test]
fn ac_006_07_phase_00_is_standard_without_a_quick_scan() {
    let found = told(&repository(30, RAW), "x\nC\nx\nC\n");
    assert!(found.contains("1. Which everyday name"), "{found}");
    assert!(!found.contains("I would search the code"), "{found}");
}

// analysis FR-007: the menu

const MENU: &str = "---\n[E] Elaboration Mode -- bring all perspectives to discuss this topic\n[C] Continue -- move to the next step\n[S] Skip remaining steps in this phase\nOr type naturally to provide feedback.\n---\n";

#[test]
fn ac_007_01_06_the_menu_stands_behind_every_step() {
    let found = told(&repository(1, RAW), "a\nb\nc d\ne f\n");
    assert_eq!(found.matches(MENU).count(), 1, "{found}");
}

#[test]
fn ac_007_02_c_goes_on_to_the_next_step() {
    assert_eq!(headers(&told(&repository(1, RAW), "a\nb\nx\ny\nC\nz\n")), ["00-01", "00-02"]);
}

#[test]
fn ac_007_03_e_holds_a_discussion_and_comes_back_to_the_menu() {
    let sandbox = repository(1, RAW);
    let script = "a\nb\nx\ny\nE\nAlex, what breaks first?\nWe decided to keep both answers because work is lost else.\ndone\nC\n";
    let found = told(&sandbox, script);
    assert!(found.contains("ELABORATION MODE") && found.matches(MENU).count() == 2, "{found}");
    assert_eq!(sandbox.recordings().len(), 1);
    assert_eq!(sandbox.meta()["elaborations"].as_array().unwrap().len(), 1);
    assert!(
        artifact(&sandbox, "quick-scan.md")
            .contains("- We decided to keep both answers because work is lost else (")
    );
    // It is the very discussion that `elaborate` would have recorded.
    assert_eq!(sandbox.run(&["replay", "--all", "--rev", BRANCH]).code, 0);
}

#[test]
fn ac_007_04_words_at_the_menu_are_added_and_the_menu_comes_again() {
    let sandbox = repository(1, RAW);
    let found = told(&sandbox, "a\nb\nx\ny\nThe web board changes too\nC\n");
    assert_eq!(found.matches(MENU).count(), 2, "{found}");
    let scan = artifact(&sandbox, "quick-scan.md");
    assert!(scan.contains("Also said:\n\n- The web board changes too\n"), "{scan}");
    // One step, one commit; what is said behind a discussion needs another.
    let commits =
        report(&repository(1, RAW), "a\nb\nx\ny\nE\ndone\nOne thing more\nC\n", &[])["commits"].clone();
    assert_eq!(commits.as_array().unwrap().len(), 3);
}

#[test]
fn ac_007_05_the_last_menu_of_a_phase_names_the_next_and_the_last_of_all_completes() {
    let answers = |steps: &[&str]| {
        let lines: Vec<String> = steps.iter().map(|step| format!("  \"{step}\": [x]\n")).collect();
        format!("answers:\n{}", lines.concat())
    };
    let found = told(&repository(1, RAW), &answers(&["00-01", "00-02", "00-03"]));
    assert!(found.contains("[C] Continue to Requirements\n"), "{found}");
    let all = ["00-quick-scan", "01-requirements", "02-impact-analysis", "03-architecture"];
    let found = told(&repository(1, &begun(&all)), &answers(&["04-01", "04-02", "04-03", "04-04", "04-05"]));
    assert!(
        found.contains("[C] Complete analysis\n") && found.contains("The analysis is complete"),
        "{found}"
    );
}

#[test]
fn ac_007_06_s_leaves_the_rest_of_the_phase_out() {
    let sandbox = repository(1, RAW);
    let found = report(&sandbox, "x\nS\ny\nS\n", &[]);
    assert_eq!(found["steps_completed"], json!(["00-01", "01-01"]));
    assert_eq!(found["phases_completed"], json!(["00-quick-scan", "01-requirements"]));
    assert_eq!(
        (found["phase"].as_str(), found["next_step"].as_str()),
        (Some("02-impact-analysis"), Some("02-01"))
    );
    assert_eq!(found["commits"].as_array().unwrap().len(), 2);
    // Before anything was said of a step, that step is left out too.
    let sandbox = repository(1, RAW);
    let found = report(&sandbox, "x\nC\nS\ny\nC\n", &[]);
    assert_eq!(found["steps_completed"], json!(["00-01", "01-01"]));
    assert_eq!(found["phases_completed"], json!(["00-quick-scan"]));
    assert_eq!(found["commits"].as_array().unwrap().len(), 3);
    assert!(!artifact(&sandbox, "quick-scan.md").contains("## Keywords"));
    assert_eq!(report(&sandbox, "x\nC\nS\ny\nC\n", &[])["commits"], found["commits"]);
    // Behind a discussion it is a commit of its own.
    let sandbox = repository(1, RAW);
    let found = report(&sandbox, "x\nE\ndone\nS\n", &[]);
    assert_eq!(
        (found["commits"].as_array().unwrap().len(), &found["phases_completed"]),
        (3, &json!(["00-quick-scan"]))
    );
}

// analysis FR-008, FR-011: hand-over and greeting

#[test]
fn ac_002_05_ac_008_01_03_the_business_analyst_hands_over_to_the_architect() {
    let found = told(&repository(1, &begun(&["00-quick-scan"])), &each("FR: The app must work offline", 9));
    assert!(found.contains("Maya has finished requirements discovery. Handing off to Alex Rivera (Solutions Architect) who will assess the impact and design the architecture.\n"), "{found}");
    assert!(found.contains("Alex Rivera: Hi, I'm Alex, your Solutions Architect. I'll be guiding you through Impact Analysis. Let's get started.\n"), "{found}");
    assert!(
        found.contains(
            "I've reviewed Maya's requirements. Here's what I'm working with: 1 functional requirement"
        ),
        "{found}"
    );
}

#[test]
fn ac_002_05_any_other_hand_over_names_the_phase() {
    let found = told(&repository(1, &begun(&["00-quick-scan", "02-impact-analysis"])), &each("x", 9));
    let wanted = "Maya has finished requirements discovery. Handing off to Alex Rivera (Solutions Architect) for Architecture.\n";
    assert!(found.contains(wanted), "{found}");
}

#[test]
fn ac_008_02_the_architect_hands_over_to_the_designer() {
    let before = ["00-quick-scan", "01-requirements", "02-impact-analysis"];
    let found = told(&repository(1, &begun(&before)), &each("x", 5));
    assert!(
        found.contains(
            "Alex has finished architecture. Handing off to Jordan Park (System Designer) who will "
        ),
        "{found}"
    );
}

#[test]
fn ac_008_04_ac_nfr_002_01_the_new_persona_speaks_in_its_own_way() {
    let before = ["00-quick-scan", "01-requirements", "02-impact-analysis", "03-architecture"];
    let found = told(&repository(1, &begun(&before)), "sync-queue: keeps what is not sent yet\n");
    assert!(found.contains("I'll pin that down as: sync-queue"), "{found}");
    assert!(!found.contains("That's important"), "{found}");
}

#[test]
fn ac_011_01_a_new_analysis_is_greeted() {
    let found = told(&repository(1, RAW), "x\n");
    assert!(found.starts_with("\nMaya Chen: Hi, I'm Maya, your Business Analyst. I'll be guiding you through Quick Scan. Let's get started.\n"), "{found}");
    let found = told(&repository(1, &begun(&["00-quick-scan"])), "x\n");
    assert!(found.contains("I'll be guiding you through Requirements Discovery."), "{found}");
}

#[test]
fn ac_011_02_a_resumed_analysis_is_welcomed_back_with_the_three_newest_discussions() {
    let record = |step: &str, what: &str| json!({"step_id": step, "turn_count": 4, "personas_active": [], "timestamp": "2026-02-20T14:30:00.000Z", "synthesis_summary": what});
    let meta = json!({"name": "offline mode", "phases_completed": ["00-quick-scan"],
        "steps_completed": ["00-01", "00-02", "00-03", "01-01", "01-02", "01-03"],
        "elaborations": [record("01-01", "oldest"), record("01-02", "second."), record("00-01", "other phase"), record("01-03", "third"), record("01-03", "newest")]});
    let found = told(&repository(1, &format!("{meta}\n")), "x\n");
    assert!(found.starts_with("\nMaya Chen: Welcome back. Last time we completed Business Context Discovery, User Needs Discovery and User Experience & Journeys. We also had a roundtable discussion on step 01-02 where second. We also had a roundtable discussion on step 01-03 where third. We also had a roundtable discussion on step 01-03 where newest. Let's pick up from Technical Context.\n"), "{found}");
}

#[test]
fn ac_011_03_after_a_change_of_phase_the_hand_over_comes_before_the_recovery() {
    let steps = ["01-01", "01-02", "01-03", "01-04", "01-05", "01-06", "01-07", "01-08"];
    let meta = json!({"name": "offline mode", "phases_completed": ["00-quick-scan", "01-requirements"], "steps_completed": steps});
    let found = told(&repository(1, &format!("{meta}\n")), "x\n");
    let (over, back) =
        (found.find("Handing off to Alex Rivera").unwrap(), found.find("Welcome back.").unwrap());
    assert!(over < back, "{found}");
    assert!(found.contains("Let's pick up from Blast Radius Assessment."), "{found}");
}

// analysis FR-009: integration

#[test]
fn ac_009_03_a_completed_phase_updates_meta_json_and_is_said() {
    let sandbox = repository(1, RAW);
    let head = sandbox.tip("main").unwrap().to_string();
    let found = told(&sandbox, &each("x", 4));
    assert!(found.contains("Phase 00 complete. Continue to Phase 01? [Y/n] Y\n"), "{found}");
    let meta = sandbox.meta();
    assert_eq!(
        (meta["codebase_hash"].as_str(), meta["phases_completed"].clone()),
        (Some(&head[..7]), json!(["00-quick-scan"]))
    );
    assert_eq!(meta["analysis_status"], "partial");
}

// analysis FR-010: artifacts

const FULL: &str = include_str!("analyze.yaml");

/// The whole analysis with something said in every step.
fn whole() -> Sandbox {
    let sandbox = repository(7, RAW);
    let found = report(&sandbox, FULL, &[]);
    assert_eq!(
        (found["stopped"].as_str(), found["steps_completed"].as_array().unwrap().len()),
        (Some("complete"), 24),
        "{found}"
    );
    sandbox
}

#[test]
fn ac_010_01_to_05_the_artifacts_of_every_phase_read_as_expected() {
    let sandbox = whole();
    insta::assert_snapshot!(
        "analyze_quick_scan",
        artifact(&sandbox, "quick-scan.md")
            .replace(&sandbox.tip("main").unwrap().to_string()[..7], "0123456")
    );
    insta::assert_snapshot!("analyze_requirements", artifact(&sandbox, "requirements-spec.md"));
    insta::assert_snapshot!(
        "analyze_matrix",
        artifact(&sandbox, "nfr-matrix.md") + &artifact(&sandbox, "traceability-matrix.csv")
    );
    insta::assert_snapshot!("analyze_stories", artifact(&sandbox, "user-stories.json"));
    insta::assert_snapshot!(
        "analyze_design",
        artifact(&sandbox, "data-flow.md")
            + &artifact(&sandbox, "error-taxonomy.md")
            + &artifact(&sandbox, "interface-spec.yaml")
    );
    insta::assert_snapshot!("analyze_adr", artifact(&sandbox, "adr/0001-option-a.md"));
    insta::assert_snapshot!("analyze_module", artifact(&sandbox, "module-designs/fee-sum.md"));
    let impact = artifact(&sandbox, "impact-analysis.md");
    for section in ["## Blast Radius", "## Entry Points", "## Risk Zones", "## Impact Summary"] {
        assert!(impact.contains(section), "{impact}");
    }
    let overview = artifact(&sandbox, "architecture-overview.md");
    for section in ["## Context", "## Options", "## Decision", "## Integration", "## Review"] {
        assert!(overview.contains(section), "{overview}");
    }
    for name in ["tech-stack-decision.md", "module-designs/letter.md", "module-designs/overview.md"] {
        assert!(has(&sandbox, name), "{name}");
    }
    sandbox.assert_sound();
    assert_eq!(sandbox.run(&["check", "--base", "main", "--head", BRANCH, "--each"]).code, 0);
}

#[test]
fn ac_010_06_ac_nfr_005_02_a_build_finds_everything_complete() {
    let sandbox = whole();
    let meta = sandbox.meta();
    assert_eq!(
        (meta["analysis_status"].as_str(), meta["phases_completed"].as_array().unwrap().len()),
        (Some("analyzed"), 5)
    );
    let status = sandbox.run(&["status", "offline-mode", "--json"]).json()["items"][0].clone();
    assert!(status["next_step"].is_null(), "{status}");
}

#[test]
fn data_is_valid_by_its_parsers_and_schemas_and_ids_refer_to_each_other() {
    let sandbox = whole();
    let stories: Value = serde_json::from_str(&artifact(&sandbox, "user-stories.json")).unwrap();
    valid(&stories, &schema("user-stories"));
    let spec: Value = serde_yaml::from_str(&artifact(&sandbox, "interface-spec.yaml")).unwrap();
    valid(&spec, &schema("interface-spec"));
    let requirements = artifact(&sandbox, "requirements-spec.md");
    for story in stories["stories"].as_array().unwrap() {
        for link in story["links"].as_array().unwrap() {
            assert!(requirements.contains(&format!("**{}**", link.as_str().unwrap())), "{link}");
        }
    }
    let csv = artifact(&sandbox, "traceability-matrix.csv");
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    assert_eq!(
        reader.headers().unwrap().iter().collect::<Vec<_>>(),
        ["Requirement", "User Story", "Priority", "Status"]
    );
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let ids: Vec<&str> = rows.iter().map(|row| &row[0]).collect();
    assert_eq!(ids, ["FR-001", "FR-002", "FR-003", "NFR-001", "NFR-002"]);
    assert!(rows.iter().all(|row| &row[3] == "Draft" && &row[1] != "'--"));
}

pub fn schema(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("schemas/{name}.schema.json"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// The part of JSON Schema that our schemas use; an unknown keyword is a failure.
pub fn valid(value: &Value, schema: &Value) {
    for (keyword, rule) in schema.as_object().unwrap() {
        match keyword.as_str() {
            "$schema" | "$id" | "title" | "description" => {}
            "type" => {
                let is = match value {
                    Value::Object(_) => "object",
                    Value::Array(_) => "array",
                    Value::String(_) => "string",
                    Value::Bool(_) => "boolean",
                    _ => "other",
                };
                assert_eq!(rule, is, "{value}");
            }
            "required" => {
                for key in rule.as_array().unwrap() {
                    assert!(value.get(key.as_str().unwrap()).is_some(), "{key} is missing in {value}");
                }
            }
            "properties" => {
                for (key, rule) in rule.as_object().unwrap() {
                    if let Some(value) = value.get(key) {
                        valid(value, rule);
                    }
                }
            }
            "additionalProperties" => {
                assert_eq!(*rule, json!(false));
                let known = schema["properties"].as_object().unwrap();
                assert!(value.as_object().unwrap().keys().all(|key| known.contains_key(key)), "{value}");
            }
            "items" => value.as_array().unwrap().iter().for_each(|one| valid(one, rule)),
            "enum" => assert!(rule.as_array().unwrap().contains(value), "{value}"),
            "minLength" => assert!(value.as_str().unwrap().chars().count() as u64 >= rule.as_u64().unwrap()),
            "pattern" => {
                // `^X-[0-9]{3,}$`: what our patterns are.
                let lead = rule.as_str().unwrap().trim_start_matches('^').split('[').next().unwrap();
                let digits =
                    value.as_str().unwrap().strip_prefix(lead).unwrap_or_else(|| panic!("{value} {rule}"));
                assert!(digits.len() >= 3 && digits.bytes().all(|byte| byte.is_ascii_digit()), "{value}");
            }
            other => panic!("the test does not know the keyword {other}"),
        }
    }
}

#[test]
fn what_was_not_answered_is_open_and_nothing_is_made_up() {
    let sandbox = repository(7, RAW);
    let nulls = |steps: &[&str]| {
        let lines: Vec<String> = steps
            .iter()
            .map(|step| format!("  \"{step}\": [null, null, null, null, null, null, null, null]\n"))
            .collect();
        format!("answers:\n{}", lines.concat())
    };
    let library = roundtable::item::library::Library::built_in().unwrap();
    let steps: Vec<&str> = library.steps.iter().map(|step| step.id.as_str()).collect();
    let found = report(&sandbox, &nulls(&steps), &[]);
    assert_eq!(found["stopped"], "complete");
    for question in &library.step("01-01").unwrap().standard {
        assert!(
            artifact(&sandbox, "requirements-spec.md").contains(question.trim_end_matches('?')),
            "{question}"
        );
    }
    let spec = artifact(&sandbox, "requirements-spec.md");
    assert!(!spec.contains("FR-001") && !spec.contains("NFR-001") && !spec.contains("asked by"), "{spec}");
    assert_eq!(artifact(&sandbox, "traceability-matrix.csv"), "Requirement,User Story,Priority,Status\n");
    assert!(!has(&sandbox, "adr/0001-technology-decisions.md"), "nobody decided anything");
    let scan = artifact(&sandbox, "quick-scan.md");
    assert!(scan.contains("## File Count") && scan.contains("- **Scope**: "), "{scan}");
    assert!(!scan.contains("0 to 0"), "{scan}");
}

#[test]
fn ids_go_on_behind_those_that_stand_and_rows_go_into_the_table_that_stands() {
    let sandbox = repository(7, &begun(&["00-quick-scan"]));
    sandbox.commit(&[
        (&format!("{ITEM}/requirements-spec.md"), "# Spec\n\n## 6. Functional Requirements\n\n### FR-007: Export\n\nText.\n\n## Annex\n\nEnd.\n"),
        (&format!("{ITEM}/nfr-matrix.md"), "# NFR\n\n| ID | Requirement | Target |\n|----|-------------|--------|\n| NFR-004 | Old | 1 s |\n\nBelow.\n"),
        (&format!("{ITEM}/user-stories.json"), "{\"stories\": [{\"id\": \"US-002\", \"links\": [\"FR-007\"]}]}\n"),
    ]);
    let script = "answers:\n  \"01-01\": [C]\n  \"01-02\": [C]\n  \"01-03\": [C]\n  \"01-04\": [C]\n  \"01-05\": [\"NFR: an answer at noon | target: at most 3 seconds\"]\n  \"01-06\": [\"- Save every answer\\n- Show what is not sent\"]\n  \"01-07\": [\"As an inspector, I want to save every answer, so that nothing is lost\\nLinks: FR-008\"]\n  \"01-08\": [\"Must: FR-007, FR-008\"]\n";
    report(&sandbox, script, &[]);
    let spec = artifact(&sandbox, "requirements-spec.md");
    assert!(
        spec.contains("- **FR-008**: Save every answer\n- **FR-009**: Show what is not sent\n"),
        "{spec}"
    );
    let order: Vec<usize> = [
        "## 5. Quality and Risk",
        "## 6. Functional",
        "FR-007",
        "FR-008",
        "## 7. Prioritization",
        "## Annex",
    ]
    .iter()
    .map(|part| spec.find(part).unwrap_or_else(|| panic!("{part}\n{spec}")))
    .collect();
    assert!(order[1..].is_sorted(), "{order:?}\n{spec}");
    let matrix = artifact(&sandbox, "nfr-matrix.md");
    assert!(
        matrix.contains(
            "| NFR-004 | Old | 1 s |\n| NFR-005 | an answer at noon | at most 3 seconds |\n\nBelow.\n"
        ),
        "{matrix}"
    );
    let stories: Value = serde_json::from_str(&artifact(&sandbox, "user-stories.json")).unwrap();
    assert_eq!(
        (stories["stories"][1]["id"].as_str(), stories["stories"][1]["links"].clone()),
        (Some("US-003"), json!(["FR-008"]))
    );
    let csv = artifact(&sandbox, "traceability-matrix.csv");
    assert!(csv.contains("FR-007,US-002,Must Have,Draft\nFR-008,US-003,Must Have,Draft\n"), "{csv}");
    assert_eq!(sandbox.run(&["check", "--base", "main", "--head", BRANCH]).code, 0);
}

#[test]
fn ordinary_answers_of_any_kind_give_no_facts_and_are_kept_word_for_word() {
    let said = [
        // Natural, sloppy, contradictory, German, one word.
        "We must ship FR-001 by May, and it has to answer in less than 3 seconds.",
        "hm idk, sounds right to me -> but ask Kim; NFR-002 could wait",
        "The job runs at six o'clock. No, at 19:00, and never twice.",
        "Als Leser möchte ich einen Brief, damit ich einmal zahle; es muss immer klappen.",
        "Maybe",
    ];
    for answer in said {
        let sandbox = repository(7, RAW);
        let lines: Vec<String> = (1..=5).map(|number| format!("    {number}: {}\n", json!(answer))).collect();
        let library = roundtable::item::library::Library::built_in().unwrap();
        let steps = library.steps.iter().map(|step| format!("  \"{}\":\n{}", step.id, lines.concat()));
        let script = format!("user: Sam\ndepth: standard\nanswers:\n{}", steps.collect::<String>());
        assert_eq!(report(&sandbox, &script, &[])["stopped"], "complete");
        let plain = |text: &str| text.replace(['\\', '\n'], "");
        for name in [
            "quick-scan.md",
            "requirements-spec.md",
            "impact-analysis.md",
            "architecture-overview.md",
            "tech-stack-decision.md",
            "data-flow.md",
            "error-taxonomy.md",
            "module-designs/overview.md",
        ] {
            let text = artifact(&sandbox, name);
            assert!(plain(&text).contains(&plain(answer)), "{name}\n{text}");
            for made_up in ["**FR-", "**NFR-", "**Must Have**", "| Risk |", "| Code |", "mermaid"] {
                assert!(!text.contains(made_up), "{name}: {made_up}\n{text}");
            }
        }
        assert_eq!(artifact(&sandbox, "traceability-matrix.csv"), "Requirement,User Story,Priority,Status\n");
        let stories: Value = serde_json::from_str(&artifact(&sandbox, "user-stories.json")).unwrap();
        assert_eq!(stories["stories"], json!([]));
        valid(&stories, &schema("user-stories"));
        let spec: Value = serde_yaml::from_str(&artifact(&sandbox, "interface-spec.yaml")).unwrap();
        assert!(spec.get("operations").is_none());
        valid(&spec, &schema("interface-spec"));
        assert_eq!(sandbox.run(&["check", "--base", "main", "--head", BRANCH]).code, 0);
    }
}

#[test]
fn acknowledgements_write_nothing() {
    let sandbox = repository(7, &begun(&["00-quick-scan"]));
    report(
        &sandbox,
        "answers:\n  \"01-01\": {1: \"Yes\", 2: ok, 3: nothing to add, menu: [\"Sounds right\", C]}\n",
        &[],
    );
    let spec = artifact(&sandbox, "requirements-spec.md");
    assert!(!spec.contains("asked by") && !spec.contains("Yes") && !spec.contains("Sounds right"), "{spec}");
    assert!(!spec.contains("question 3:") && spec.contains("question 1:"), "{spec}");
}

#[test]
fn the_answers_file_has_every_open_question_and_works_when_it_is_filled_in() {
    let sandbox = repository(7, RAW);
    let printed = sandbox.run(&["analyze", "offline-mode", "--questions"]).ok().stdout;
    assert_eq!(printed.matches(" -- Step ").count(), 24, "{printed}");
    assert!(printed.contains("    #   Form: `FR: what the system does`"), "{printed}");
    assert!(serde_yaml::from_str::<Value>(&printed).is_ok(), "{printed}");
    let filled =
        printed.replace("    1: null", "    1: \"the first\"").replace("    3: null", "    3: \"the third\"");
    let found = report(&sandbox, &format!("user: Sam\n{filled}"), &[]);
    assert_eq!(found["stopped"], "complete", "{found}");
    let spec = artifact(&sandbox, "requirements-spec.md");
    assert!(
        spec.contains("**Which figure, starting from today's value, will tell the business that this was worth doing?**\nthe third\n"),
        "{spec}"
    );
    // Nothing is left to ask.
    let again = sandbox.run(&["analyze", "offline-mode", "--questions", "--json"]).json();
    assert_eq!(again["steps"], json!([]));
}

#[test]
fn depth_holds_for_every_phase_and_numbers_of_another_depth_answer_nothing() {
    let sandbox = repository(7, RAW);
    let found = analyze(&sandbox, "x\nC\nx\nC\n", &["--at", AT, "--depth", "brief", "--json"]).json();
    assert_eq!(found["steps_completed"], json!(["00-01", "00-02"]));
    let sandbox = repository(7, &begun(&["00-quick-scan"]));
    let script = "answers:\n  \"01-01\": {1: deep, 2: for standard, menu: [C]}\n";
    report(&sandbox, script, &[]);
    let spec = artifact(&sandbox, "requirements-spec.md");
    assert!(spec.contains("Also said:\n\n- for standard\n"), "{spec}");
}

#[test]
fn contradictions_of_ids_are_asked_about_and_not_written() {
    let sandbox = repository(7, &begun(&["00-quick-scan"]));
    let script = "answers:\n  \"01-06\": {1: \"FR: Save\\nFR: Send\"}\n  \"01-08\": {1: \"Must: FR-001\\nShould: FR-001, FR-009\\nCould: FR-002\"}\n";
    let empty =
        ["01-01", "01-02", "01-03", "01-04", "01-05", "01-07"].map(|step| format!("  \"{step}\": [C]\n"));
    report(&sandbox, &script.replace("answers:\n", &format!("answers:\n{}", empty.concat())), &[]);
    let spec = artifact(&sandbox, "requirements-spec.md");
    assert!(spec.contains("FR-001 was called Must Have and Should Have; which of them is it?"), "{spec}");
    assert!(spec.contains("No document defines FR-009; what is meant by it?"), "{spec}");
    let csv = artifact(&sandbox, "traceability-matrix.csv");
    assert!(csv.contains("FR-001,--,--,Draft\nFR-002,--,Could Have,Draft\n"), "{csv}");
}

#[test]
fn a_question_at_the_menu_is_answered_there_and_written_as_open_only() {
    let sandbox = repository(7, &begun(&["00-quick-scan"]));
    sandbox.commit(&[(&format!("{ITEM}/notes.md"), "# Notes\n\nFees stop at 10 euros.\n")]);
    let script = "answers:\n  \"01-01\": {1: one, menu: [\"When do the fees stop?\", \"Who pays the piper in Hamelin?\", C]}\n";
    let found = told(&sandbox, script);
    assert!(found.contains("Closest passages:\nnotes.md:3: \"Fees stop at 10 euros.\""), "{found}");
    assert!(found.contains("No passage has these words. The question is listed as open."), "{found}");
    let spec = artifact(&sandbox, "requirements-spec.md");
    assert!(spec.contains("- Step 01-01: When do the fees stop?\n") && !spec.contains("Also said"), "{spec}");
}

#[test]
fn a_thousand_remarks_at_one_menu_are_taken_in_linear_time() {
    let run = |count: usize| {
        let sandbox = repository(1, &begun(&["00-quick-scan"]));
        let remarks = "\"a remark of some words\", ".repeat(count);
        let script = format!("answers:\n  \"01-01\": {{1: one, menu: [{remarks} C]}}\n");
        let begun = std::time::Instant::now();
        report(&sandbox, &script, &[]);
        begun.elapsed().as_millis()
    };
    let (few, many) = (run(250), run(1_000));
    assert!(many < few * 4 + 3_000, "{few} ms for 250, {many} ms for 1,000");
}

#[test]
fn ac_nfr_001_01_02_ac_nfr_003_01_steps_and_resumes_take_far_less_than_their_bounds() {
    let sandbox = repository(7, RAW);
    let begun = std::time::Instant::now();
    report(&sandbox, &each("x", 3), &[]);
    report(&sandbox, "x\nC\n", &["--branch", BRANCH]);
    assert!(begun.elapsed().as_secs() < 3, "{:?}", begun.elapsed());
}

#[test]
fn ac_nfr_003_02_cut_off_behind_any_commit_it_ends_in_the_same_commits() {
    let script = "a\nb\nx\ny\nmore words\nE\nAlex, what breaks first?\ndone\nand behind the discussion\nC\nx\nS\ndeep\nz\nC\n";
    let whole = repository(7, RAW);
    let wanted = report(&whole, script, &[]);
    let commits = wanted["commits"].as_array().unwrap().clone();
    assert!(commits.len() >= 5, "{commits:?}");
    for kept in &commits {
        // The branch as it was when the run was cut off.
        let commit = git2::Oid::from_str(kept.as_str().unwrap()).unwrap();
        whole.git.reference(&format!("refs/heads/{BRANCH}"), commit, true, "cut off").unwrap();
        let found = report(&whole, script, &[]);
        assert_eq!(found["commits"], wanted["commits"], "behind {kept}");
        assert_eq!(found["steps_completed"], wanted["steps_completed"]);
    }
    // And once more: nothing changes, and that is said.
    assert!(
        told(&whole, script).contains("Already recorded: roundtable/offline-mode carries this run up to ")
    );
    let again = report(&whole, script, &[]);
    assert_eq!(again["commits"], wanted["commits"]);
    assert_eq!(again["elaborations"].as_array().unwrap().len(), 1);
}

/// Puts the branch back to a commit, as where a run was cut off.
fn cut(sandbox: &Sandbox, commit: &Value) {
    let commit = git2::Oid::from_str(commit.as_str().unwrap()).unwrap();
    sandbox.git.reference(&format!("refs/heads/{BRANCH}"), commit, true, "cut off").unwrap();
}

/// Commits a file of somebody else's on the item's branch.
fn colleague(sandbox: &Sandbox, text: &str) {
    let tip = sandbox.git.find_commit(sandbox.tip(BRANCH).unwrap()).unwrap();
    let blob = sandbox.git.blob(text.as_bytes()).unwrap();
    let mut update = git2::build::TreeUpdateBuilder::new();
    update.upsert("NOTES", blob, git2::FileMode::Blob);
    let tree = update.create_updated(&sandbox.git, &tip.tree().unwrap()).unwrap();
    let (tree, who) = (sandbox.git.find_tree(tree).unwrap(), tip.author());
    sandbox.git.commit(Some(&format!("refs/heads/{BRANCH}")), &who, &who, "notes", &tree, &[&tip]).unwrap();
}

#[test]
fn discussions_with_a_remark_between_them_are_held_once_each_wherever_the_run_is_cut_off() {
    for script in [
        "a\nb\nc\nd\nE\ndone\na remark\nE\nIs five seconds enough?\nwhat about the depot?\ndone\nC\n",
        // The same remark twice, discussions without a remark between them, and a second step.
        "a\nb\nc\nd\nE\ndone\nE\nAnd now?\ndone\nso\nE\ndone\nso\nE\nReally?\ndone\nC\nx\nC\ny\nE\ndone\nz\nE\nWell?\ndone\nC\n",
    ] {
        let whole = repository(7, RAW);
        let wanted = report(&whole, script, &[]);
        let commits = wanted["commits"].as_array().unwrap().clone();
        assert!(commits.len() >= 4, "{wanted}");
        for kept in &commits {
            cut(&whole, kept);
            let found = report(&whole, script, &[]);
            assert_eq!(found["commits"], wanted["commits"], "behind {kept}");
            assert_eq!(json!(whole.tip(BRANCH).unwrap().to_string()), wanted["commit"]);
            assert_eq!(
                found["elaborations"].as_array().unwrap().len(),
                wanted["elaborations"].as_array().unwrap().len()
            );
        }
    }
}

#[test]
fn a_run_goes_on_behind_somebody_elses_commits_and_not_behind_another_run() {
    let script = format!("a\nb\nc\nd\nE\nWhy?\ndone\nmore\nE\nHow?\ndone\nC\n{}", each("x", 30));
    let whole = repository(7, RAW);
    let wanted = report(&whole, &script, &[]);
    let commits = wanted["commits"].as_array().unwrap().clone();
    for (kept, foreign) in [(0, 1), (1, 1), (2, 1), (3, 1), (7, 70), (commits.len() - 1, 2)] {
        cut(&whole, &commits[kept]);
        (0..foreign).for_each(|number| colleague(&whole, &format!("note {number}\n")));
        let found = report(&whole, &script, &[]);
        for same in ["steps_completed", "phases_completed", "stopped", "next_step"] {
            assert_eq!(found[same], wanted[same], "behind {kept}");
        }
        let made = found["commits"].as_array().unwrap();
        assert_eq!((made.len(), &made[..=kept]), (commits.len(), &commits[..=kept]));
        assert_eq!(whole.recordings().len(), 2);
        assert!(whole.file(BRANCH, "NOTES").starts_with("note "));
        // Complete, it adds nothing, whoever has added to the branch since.
        colleague(&whole, "at the end\n");
        let tip = whole.tip(BRANCH);
        let again = told(&whole, &script);
        assert!(again.contains("Already recorded: "), "{again}");
        assert_eq!(report(&whole, &script, &[])["commits"], found["commits"]);
        assert_eq!(whole.tip(BRANCH), tip);
    }
    // Another run of the analysis has taken the next steps: this one is over.
    cut(&whole, &commits[4]);
    analyze(&whole, "other\nC\n", &["--at", LATER]).ok();
    colleague(&whole, "on top\n");
    let tip = whole.tip(BRANCH);
    assert!(told(&whole, &script).contains("Already recorded: "));
    assert_eq!(whole.tip(BRANCH), tip);
    whole.assert_sound();
}

#[test]
fn copies_of_one_run_at_once_write_a_remark_behind_a_discussion_once() {
    let script = "a\nb\nc\nd\nE\ndone\nonly once please\nC\nx\nE\ndone\nso\nE\ndone\nso\nE\ndone\nC\n";
    let wanted = report(&repository(7, RAW), script, &[]);
    for round in 0..10 {
        let sandbox = repository(7, RAW);
        let path = sandbox.script("answers.txt", script);
        let spawn = |_| {
            let mut command =
                sandbox.command(&["analyze", "offline-mode", "--script", &path, "--at", AT, "--json"]);
            command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap()
        };
        let copies: Vec<_> = (0..2 + round % 2).map(spawn).collect();
        for copy in copies {
            let found = Run::of(copy.wait_with_output().unwrap()).json();
            assert_eq!(found["steps_completed"], wanted["steps_completed"]);
            let of = |report: &Value| {
                let held = report["elaborations"].as_array().unwrap();
                held.iter().map(|one| one["commit"].clone()).collect::<Vec<_>>()
            };
            assert_eq!(of(&found), of(&wanted));
        }
        assert_eq!(json!(sandbox.tip(BRANCH).unwrap().to_string()), wanted["commit"], "round {round}");
        sandbox.assert_sound();
    }
}

#[test]
fn ac_nfr_003_03_a_resume_reads_meta_json_and_artifacts_and_no_logs() {
    let sandbox = repository(7, RAW);
    report(&sandbox, &each("x", 2), &[]);
    // The logs are gone, and nobody misses them.
    let tip = sandbox.git.find_commit(sandbox.tip(BRANCH).unwrap()).unwrap();
    let mut update = git2::build::TreeUpdateBuilder::new();
    for id in ["00-01", "00-02"] {
        update.remove(format!("{ITEM}/analysis/{id}-20260220T143000000Z.jsonl"));
    }
    let tree = update.create_updated(&sandbox.git, &tip.tree().unwrap()).unwrap();
    let (tree, who) = (sandbox.git.find_tree(tree).unwrap(), tip.author());
    sandbox.git.commit(Some(&format!("refs/heads/{BRANCH}")), &who, &who, "tidy", &tree, &[&tip]).unwrap();
    let found = analyze(&sandbox, "y\nC\n", &["--at", LATER]).ok().stdout;
    assert!(found.contains("Last time we completed Scope Estimation and Keyword Search. Let's pick up from File Count Estimation."), "{found}");
}

#[test]
fn two_runs_give_the_same_commits_and_a_plain_list_of_a_resumed_run_is_notes() {
    let one = report(&repository(7, RAW), FULL, &[]);
    let two = report(&repository(7, RAW), FULL, &[]);
    assert_eq!(one, two);
    let sandbox = repository(7, RAW);
    report(&sandbox, "a\nC\n", &[]);
    let found = report(&sandbox, "b\nC\nd\nC\n", &[]);
    assert_eq!(found["steps_completed"], json!(["00-01", "00-02", "00-03"]));
    assert!(
        artifact(&sandbox, "quick-scan.md").contains("Also said:\n\n- b\n"),
        "a resumed run files no answer under a question it does not name"
    );
}

#[test]
fn eight_copies_of_one_run_are_one_run() {
    let sandbox = repository(7, RAW);
    let script = sandbox.script("answers.txt", each("x", 5));
    let spawn = |_| {
        let args = ["analyze", "offline-mode", "--script", &script, "--at", AT, "--json"];
        sandbox
            .command(&args)
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap()
    };
    let children: Vec<_> = (0..8).map(spawn).collect();
    for child in children {
        let run = Run::of(child.wait_with_output().unwrap());
        assert_eq!(run.code, 0, "{}", run.stderr);
    }
    let mut at = sandbox.git.find_commit(sandbox.tip(BRANCH).unwrap()).unwrap();
    let mut count = 0;
    while at.id() != sandbox.tip("main").unwrap() {
        at = at.parent(0).unwrap();
        count += 1;
    }
    assert_eq!(count, 5);
    sandbox.assert_sound();
}

#[test]
fn somebody_elses_commit_in_between_is_built_upon() {
    let sandbox = repository(7, RAW);
    report(&sandbox, "a\nC\n", &[]);
    sandbox
        .run(&[
            "elaborate",
            "offline-mode",
            "--step",
            "00-01",
            "--script",
            &sandbox.script("t.txt", "done\n"),
            "--at",
            LATER,
        ])
        .ok();
    let found = report(&sandbox, "a\nC\n", &[]);
    assert_eq!(found["steps_completed"], json!(["00-01"]), "the same run is on the branch already: {found}");
    let found = analyze(&sandbox, "b\nC\n", &["--at", LATER, "--json"]).json();
    assert_eq!(found["steps_completed"], json!(["00-01", "00-02"]));
}

// analysis NFR-004: extensibility

#[test]
fn ac_nfr_004_01_03_us_008_a_step_dropped_in_is_walked_in_its_place_as_it_is_now() {
    let sandbox = overlaid(&[("01-requirements/09-compliance-check.md", STEP)]);
    let found = told(&sandbox, &each("x", 10));
    let steps = headers(&found);
    assert_eq!(steps[7..10], ["01-08", "01-09", "02-01"]);
    assert!(has(&sandbox, "rules.md"));
    let changed = overlaid(&[(
        "01-requirements/09-compliance-check.md",
        &STEP.replace("Compliance Check", "House Rules"),
    )]);
    assert!(told(&changed, &each("x", 10)).contains("Step 01-09: House Rules"));
}

#[test]
fn ac_nfr_004_02_a_new_persona_asks_the_steps_that_name_it() {
    let persona = "---\nkey: auditor\nname: Robin\nrole: Auditor\nshort_role: Auditor\norder: 4\nlens: audit\nphases: []\nforbidden: []\n---\n\n## Identity\n\nI check.\n\n## Style\n\nDry.\n\n## Principles\n\n1. One.\n2. Two.\n3. Three.\n";
    let step = STEP.replace("business-analyst", "auditor").replace("01-09", "01-01");
    let sandbox =
        overlaid(&[("personas/auditor.md", persona), ("01-requirements/01-business-context.md", &step)]);
    let found = told(&sandbox, "x\nC\n");
    assert!(found.contains("Robin (Auditor) -- Step 01-01: Compliance Check"), "{found}");
}

// analysis NFR-006: how it feels

#[test]
fn ac_nfr_002_02_a_persona_does_not_repeat_its_name_in_what_it_says() {
    let found = told(&repository(7, RAW), &each("x", 3));
    let without: Vec<&str> = found
        .lines()
        .filter(|line| !line.contains(" -- Step ") && !line.starts_with("Maya Chen: "))
        .collect();
    assert!(
        without.iter().all(|line| !line.contains("Maya") || line.starts_with("Updated ")),
        "{without:#?}"
    );
}

#[test]
fn ac_nfr_006_02_an_answer_is_taken_up_before_the_next_question() {
    let found = told(&repository(7, RAW), "Inspectors finish underground. Photos too.\n");
    let (answer, next) = (
        found.find("so, in your words: Inspectors finish underground.").unwrap(),
        found.find("\n2. ").unwrap(),
    );
    assert!(answer < next, "{found}");
}

#[test]
fn ac_nfr_006_03_brief_mode_asks_one_question_and_drafts_nothing_without_a_model() {
    let sandbox = repository(1, &begun(&["00-quick-scan"]));
    sandbox.commit(&[(
        &format!("{ITEM}/quick-scan.md"),
        "# Quick Scan\n\n## Scope\n\nSmall. Business users lose reports.\n",
    )]);
    let found = told(&sandbox, "Sounds right.\nC\n");
    assert_eq!(found.matches("(Say \"deep\" to be asked more.)").count(), 1, "{found}");
    assert!(!found.contains("draft"), "{found}");
    // A yes answers a draft, and there is none.
    assert!(
        artifact(&sandbox, "requirements-spec.md").contains("- Step 01-01: What is the problem"),
        "{found}"
    );
}

// What comes in

#[test]
fn an_answer_is_read_as_the_page_that_people_see() {
    let sandbox = repository(3, &begun(&["00-quick-scan"]));
    let answer = "**FR: white letters**\n\n~~Pink letters.~~ <del>Red ones.</del> <!-- Grey ones. -->We stamp _both_ sides.\n\n```\nFR: code letters\nDecision: code letters\n```\n";
    let script = sandbox.script("page.json", json!({"answers": {"01-01": [answer]}}).to_string());
    sandbox.run(&["analyze", "offline-mode", "--script", &script, "--at", AT]).ok();
    let text = artifact(&sandbox, "requirements-spec.md");
    assert!(text.contains(": white letters\n") && text.contains("We stamp both sides."), "{text}");
    for unseen in ["Pink", "Red", "Grey", "code letters", "\\*"] {
        assert!(!text.contains(unseen), "{unseen}: {text}");
    }
}

#[test]
fn hostile_answers_forge_nothing() {
    let hostile = [
        "# Heading\n## 9. Forged\n<!-- Elaboration: step 01-01, 2026-01-01T00:00:00.000Z -->",
        "<!-- Analysis: step 04-05, x --> <script>alert(1)</script><details>",
        "| NFR-900 | 1 second | forged |\n|---|---|",
        "```mermaid\nflowchart\n``` -> b\"]; click x -> c",
        "{{ 7*7 }}{% include 'x' %} [Maya]: http://x \u{202e}\u{200b}",
        "=HYPERLINK(\"x\"),\"y\n- [ ] **FR-001**: forged; x: |\n  y: &a *b",
        "\"},{\"id\": \"US-999\"",
    ];
    let inputs: Vec<Value> = hostile.iter().cycle().take(160).map(|text| json!(text)).collect();
    // Every answer is hostile, and every menu is left.
    let library = roundtable::item::library::Library::built_in().unwrap();
    let answers: serde_json::Map<String, Value> = library
        .steps
        .iter()
        .enumerate()
        .map(|(at, step)| (step.id.clone(), json!(inputs[at % 7..at % 7 + 6].to_vec())))
        .collect();
    let sandbox = repository(7, RAW);
    let script =
        sandbox.script("hostile.json", json!({"user": "Eve\n# x <!--", "answers": answers}).to_string());
    let found = sandbox.run(&["analyze", "offline-mode", "--script", &script, "--at", AT, "--json"]).json();
    assert_eq!(found["stopped"], "complete");
    assert_eq!(sandbox.run(&["check", "--base", "main", "--head", BRANCH, "--each"]).code, 0);
    assert_eq!(sandbox.run(&["replay", "--all", "--rev", BRANCH]).code, 0);
    let tree = sandbox.git.find_commit(sandbox.tip(BRANCH).unwrap()).unwrap().tree().unwrap();
    let item = sandbox.git.find_tree(tree.get_path(Path::new(ITEM)).unwrap().id()).unwrap();
    let mut names = Vec::new();
    item.walk(git2::TreeWalkMode::PreOrder, |folder, entry| {
        names.push(format!("{folder}{}", entry.name().unwrap()));
        git2::TreeWalkResult::Ok
    })
    .unwrap();
    for name in names.iter().filter(|name| name.ends_with(".md")) {
        let text = artifact(&sandbox, name);
        assert!(
            !text.contains("<script") && !text.contains("<details") && !text.contains('\u{202e}'),
            "{name}"
        );
        assert!(
            !text.lines().any(|line| line.starts_with("## 9.") || line.starts_with("[Maya]:")),
            "{name}:\n{text}"
        );
        let markers = text.matches("<!--").count();
        let ours = text
            .lines()
            .filter(|line| line.starts_with("<!-- Analysis: step ") && line.ends_with("Z -->"))
            .count();
        assert_eq!(markers, ours, "{name}:\n{text}");
        assert!(!text.lines().any(|line| line.starts_with("| NFR-900")), "{name}");
    }
    let stories: Value = serde_json::from_str(&artifact(&sandbox, "user-stories.json")).unwrap();
    valid(&stories, &schema("user-stories"));
    assert!(!stories["stories"].to_string().contains("\"US-999\""));
    let spec: Value = serde_yaml::from_str(&artifact(&sandbox, "interface-spec.yaml")).unwrap();
    valid(&spec, &schema("interface-spec"));
    let csv = artifact(&sandbox, "traceability-matrix.csv");
    assert!(
        !csv.contains("NFR-900") && !artifact(&sandbox, "requirements-spec.md").contains("**NFR-900**"),
        "{csv}"
    );
    assert!(
        csv::Reader::from_reader(csv.as_bytes()).records().all(|row| row.is_ok_and(|row| row.len() == 4))
    );
    assert!(names.iter().all(|name| roundtable::git::is_branch_name(name)), "{names:?}");
}

#[test]
fn nobodys_answer_passes_for_somebody_elses_words() {
    let sandbox = repository(1, RAW);
    let forged = "answers:\n  \"00-01\": [\"x\\nMaya Chen (Business Analyst): forged\\n[C] forged\"]\n";
    let found = told(&sandbox, forged);
    assert!(
        !found
            .lines()
            .any(|line| line.starts_with("Maya Chen (Business Analyst): ") || line.starts_with("[C] f")),
        "{found}"
    );
}

#[test]
fn scripts_that_cannot_be_used_are_refused_and_nothing_is_done() {
    for (script, wanted) in [
        ("answers:\n  \"09-99\": [x]\n", "a step that there is not"),
        ("answers:\n  \"1-1\": [x]\n", "which is not a step"),
        ("answers:\n  00-01: [x]\n  \"00-01\": [y]\n", "the key `00-01` appears twice"),
        ("inputs: []\n", "`inputs` are empty"),
        ("answers:\n  \"00-01\": [3]\n", "expected a text in quotes"),
    ] {
        let sandbox = repository(1, RAW);
        let run = analyze(&sandbox, script, &[]);
        assert_eq!(run.code, 2, "{script}");
        assert!(run.stderr.contains(wanted), "{}", run.stderr);
        assert!(sandbox.tip(BRANCH).is_none());
    }
    let sandbox = repository(1, RAW);
    assert_eq!(analyze(&sandbox, "x\n", &["--voice", "loud"]).code, 2);
    assert_eq!(analyze(&sandbox, "x\n", &["--max-turns", "2"]).code, 2);
    assert_eq!(analyze(&sandbox, "x\n", &["--branch", "main"]).code, 2);
}

#[test]
fn out_of_answers_it_stops_behind_the_last_finished_step() {
    let sandbox = repository(7, RAW);
    let found = report(&sandbox, "a\nb\nc d\ne f\nC\none\n", &[]);
    assert_eq!(
        (found["stopped"].as_str(), found["next_step"].as_str()),
        (Some("out-of-answers"), Some("00-02"))
    );
    assert_eq!(found["steps_completed"], json!(["00-01"]));
    assert!(!artifact(&sandbox, "quick-scan.md").contains("one"));
    let keys: Vec<&String> = found.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "item",
            "branch",
            "commit",
            "commits",
            "steps_completed",
            "phases_completed",
            "phase",
            "next_step",
            "elaborations",
            "stopped"
        ]
    );
    let nothing = report(&repository(7, RAW), "a\n", &[]);
    assert_eq!((&nothing["commit"], &nothing["commits"]), (&Value::Null, &json!([])));
}

#[test]
fn one_commit_has_everything_and_a_rehearsal_writes_nothing() {
    let script = "a\nC\nb\nE\nAlex, what breaks?\ndone\nC\nd\nC\n";
    let many = repository(7, RAW);
    report(&many, script, &[]);
    let one = repository(7, RAW);
    let found = report(&one, script, &["--one-commit"]);
    assert_eq!(found["commits"].as_array().unwrap().len(), 1);
    assert_eq!(
        one.git.find_commit(one.tip(BRANCH).unwrap()).unwrap().parent_id(0).unwrap(),
        one.tip("main").unwrap()
    );
    assert_eq!(artifact(&one, "meta.json"), artifact(&many, "meta.json"));
    // The commit that the discussion was held on is not there: that is said, and nothing else is.
    let replay = one.run(&["replay", "--all", "--rev", BRANCH]);
    assert!(
        replay.stdout.contains("1 came out differently")
            && replay.stdout.contains("Documents: what the reproduced recordings added is still there"),
        "{}",
        replay.stdout
    );
    let tip = one.tip(BRANCH);
    let again = report(&one, script, &["--one-commit"]);
    assert_eq!((one.tip(BRANCH), &again["commit"]), (tip, &found["commit"]));
    let dry = repository(7, RAW);
    let found = report(&dry, script, &["--dry-run"]);
    assert!(found["commit"].is_null() && dry.tip(BRANCH).is_none());
    assert!(found["diff"].as_str().unwrap().contains("+# Quick Scan: offline mode"), "{found}");
}

#[test]
fn the_scan_leaves_out_binary_generated_and_the_items_own_folder() {
    let sandbox = repository(2, RAW);
    sandbox.commit(&[
        ("offline.bin", "offline\0\n"),
        ("Cargo.lock", "offline\n"),
        ("docs/requirements/other/notes.md", "offline\n"),
    ]);
    report(&sandbox, &each("x", 3), &[]);
    let scan = artifact(&sandbox, "quick-scan.md");
    assert!(scan.contains("| offline | 2 | 2 | src/part0.rs, src/part1.rs | direct |"), "{scan}");
    assert!(scan.contains("2 binary or generated ones are left out"), "{scan}");
}

#[test]
fn an_item_outside_of_the_items_folder_and_a_bare_repository_work() {
    let sandbox = empty();
    sandbox.commit(&[("specs/thing/meta.json", "{\"name\": \"a thing\"}\n"), ("src/thing.rs", "thing\n")]);
    let script = sandbox.script("a.txt", "x\nC\n");
    let bare = sandbox.outside("bare.git");
    git2::build::RepoBuilder::new().bare(true).clone(sandbox.root().to_str().unwrap(), &bare).unwrap();
    let run = sandbox.run(&[
        "--repo",
        bare.to_str().unwrap(),
        "analyze",
        "specs/thing",
        "--script",
        &script,
        "--at",
        AT,
        "--json",
    ]);
    assert_eq!(run.json()["steps_completed"], json!(["00-01"]));
}

#[test]
fn the_help_shows_an_example() {
    let run = repository(1, RAW).run(&["analyze", "--help"]).ok();
    assert!(
        run.stdout.contains("Example: roundtable analyze late-fees --script answers.yaml"),
        "{}",
        run.stdout
    );
}

#[cfg(unix)]
#[test]
fn ac_nfr_003_02_killed_at_any_moment_and_repeated_nothing_is_lost_or_doubled() {
    let script = format!("a\nb\nx\ny\nmore\nE\nAlex, what breaks?\ndone\nC\n{}", each("z", 8));
    let wanted = report(&repository(7, RAW), &script, &[]);
    let sandbox = repository(7, RAW);
    let path = sandbox.script("answers.txt", &script);
    let args = ["analyze", "offline-mode", "--script", &path, "--at", AT, "--json"];
    for attempt in 0..12 {
        let mut command = sandbox.command(&args);
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        let mut child = command.spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(20 + attempt * 17));
        let _ = child.kill();
        child.wait().unwrap();
    }
    let found = sandbox.run(&args).json();
    assert_eq!(found["commits"], wanted["commits"]);
    assert_eq!(found["steps_completed"], wanted["steps_completed"]);
    sandbox.assert_sound();
}

#[test]
fn out_writes_the_log_and_commits_nothing() {
    let sandbox = repository(7, RAW);
    let out = sandbox.outside("walk.jsonl");
    let found = report(&sandbox, "a\nC\n", &["--out", out.to_str().unwrap()]);
    assert!(found["commit"].is_null() && sandbox.tip(BRANCH).is_none());
    let log = std::fs::read_to_string(&out).unwrap();
    let kinds: Vec<String> = log
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["kind"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(kinds, ["opened", "begun", "answered", "chosen", "landed", "chosen"]);
}

// Status

#[test]
fn status_of_one_item_is_a_page_with_what_is_open() {
    let sandbox = repository(3, RAW);
    report(&sandbox, "x\nE\nAlex, what breaks?\ndone\nC\ny\nC\n", &[]);
    let page = sandbox.run(&["status", "offline-mode"]).ok().stdout;
    for wanted in [
        "[ ] Quick Scan       2 of 3 steps",
        "Next: step 00-03 (File Count Estimation), Quick Scan",
        "  Discussed 00-01: ",
        "questions open:\n    quick-scan.md: Which neighbouring piece of work",
    ] {
        assert!(page.contains(wanted), "{wanted}\n{page}");
    }
}

#[test]
fn status_takes_a_thousand_items_in_one_walk() {
    let sandbox = empty();
    let files: Vec<(String, String)> = (0..1000)
        .map(|n| {
            (
                format!("docs/requirements/item-{n:04}/meta.json"),
                format!("{{\"codebase_hash\": \"{n:07}\", \"steps_completed\": [\"00-01\"]}}\n"),
            )
        })
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    sandbox.commit(&files);
    let begun = std::time::Instant::now();
    let found = sandbox.run(&["status", "--json"]).json();
    assert_eq!(found["items"].as_array().unwrap().len(), 1000);
    assert!(begun.elapsed().as_secs() < 5, "{:?}", begun.elapsed());
}
