//! `roundtable steps list | show | check`.

use crate::kit::{empty, program, sandbox};

#[test]
fn the_built_in_steps_are_listed_in_order() {
    let sandbox = empty();
    let home = sandbox.outside("home");
    std::fs::create_dir_all(&home).unwrap();
    let run = crate::kit::Run::of(program(&home, &home).args(["steps", "list", "--json"]).output().unwrap());
    let steps = run.json()["steps"].as_array().unwrap().clone();
    let ids: Vec<&str> = steps.iter().map(|step| step["step_id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), 24);
    assert!(ids.is_sorted());
    let keys: Vec<&String> = steps[0].as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        ["step_id", "title", "phase", "persona", "depth", "outputs", "depends_on", "skip_if", "path"]
    );
    let told = crate::kit::Run::of(program(&home, &home).args(["steps", "list"]).output().unwrap()).ok();
    assert!(
        told.stdout.contains("01-requirements  Requirements -- Maya Chen (Business Analyst)"),
        "{}",
        told.stdout
    );
}

#[test]
fn a_step_is_shown_with_its_questions() {
    let sandbox = sandbox();
    let told = sandbox.run(&["steps", "show", "01-03"]).ok();
    for wanted in [
        "Step 01-03: User Experience & Journeys",
        "Brief Mode",
        "Standard Mode",
        "Deep Mode",
        "Validation",
        "Artifacts",
    ] {
        assert!(told.stdout.contains(wanted), "{}", told.stdout);
    }
    let missing = sandbox.run(&["steps", "show", "1-3"]);
    assert_eq!(missing.code, 2);
    assert!(missing.stderr.contains("did you mean"), "{}", missing.stderr);
}

const STEP: &str = "---\nstep_id: \"01-09\"\ntitle: Compliance Check\npersona: business-analyst\ndepth: brief\noutputs:\n  - rules.md\n---\n\n## Brief Mode\n\nA draft.\n\n## Standard Mode\n\n1. Which rules apply?\n\n## Deep Mode\n\n1. Which rules apply?\n\n## Validation\n\n- Each rule is named.\n\n## Artifacts\n\n- `rules.md`\n";

#[test]
fn a_step_dropped_into_a_phase_folder_is_found_without_a_commit() {
    let sandbox = sandbox();
    sandbox.commit(&[(".roundtable.yaml", "steps: own\n")]);
    std::fs::create_dir_all(sandbox.root().join("own/01-requirements")).unwrap();
    std::fs::write(sandbox.root().join("own/01-requirements/09-compliance.md"), STEP).unwrap();
    let steps = sandbox.run(&["steps", "list", "--json"]).json()["steps"].clone();
    let ids: Vec<&str> =
        steps.as_array().unwrap().iter().map(|step| step["step_id"].as_str().unwrap()).collect();
    assert_eq!(ids[11..13], ["01-09", "02-01"]);
}

#[test]
fn check_is_clean_or_names_file_line_and_column() {
    let sandbox = sandbox();
    let clean = sandbox.run(&["steps", "check"]).ok();
    assert_eq!(clean.stdout, "24 built-in step files, nothing to fix.\n");
    let own = sandbox.outside("own");
    std::fs::create_dir_all(own.join("01-requirements")).unwrap();
    let bad = STEP
        .replace("business-analyst", "analyst")
        .replace("1. Which rules apply?\n\n## Deep", "1. Do rules apply?\n\n## Deep");
    std::fs::write(own.join("01-requirements/09-compliance.md"), bad).unwrap();
    std::fs::write(own.join("01-requirements/10-twin.md"), STEP.replace("01-09", "01-03")).unwrap();
    let run = sandbox.run(&["steps", "check", own.to_str().unwrap()]);
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    insta::assert_snapshot!(run.stdout);
    let json = sandbox.run(&["steps", "check", own.to_str().unwrap(), "--json"]);
    assert_eq!(json.code, 1);
    let value: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!((value["checked"].as_u64(), value["findings"][0]["line"].as_u64()), (Some(2), Some(4)));
    assert_eq!(sandbox.run(&["steps", "check", "nowhere"]).code, 2);
}

#[test]
fn integrity_scores_each_persona_and_names_the_words() {
    let sandbox = sandbox();
    let out = sandbox.outside("talk.jsonl");
    sandbox
        .elaborate(
            "Alex, what breaks first?\ndone\n",
            &["--at", crate::kit::AT, "--out", out.to_str().unwrap()],
        )
        .ok();
    let whole = sandbox.run(&["show", out.to_str().unwrap(), "--integrity", "--json"]).json();
    let scores: Vec<u64> =
        whole["integrity"].as_array().unwrap().iter().map(|one| one["score"].as_u64().unwrap()).collect();
    assert_eq!(scores, [100, 100, 100]);
    let text = std::fs::read_to_string(&out).unwrap();
    let at = text.find("Our step is").unwrap();
    let broken = format!("{}The coupling and the schema. {}", &text[..at], &text[at..]);
    let broken = sandbox.script("broken.jsonl", broken);
    let run = sandbox.run(&["show", &broken, "--integrity"]);
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("turn 1: jargon: \"coupling\""), "{}", run.stdout);
    assert!(run.stdout.contains("Alex Rivera: 2 of 2 in character (100 %)"), "{}", run.stdout);
}

#[test]
fn who_has_nothing_left_to_say_says_so_without_an_echo() {
    let sandbox = sandbox();
    let out = sandbox.outside("talk.jsonl");
    let talk = "everyone?\n".repeat(12);
    sandbox
        .elaborate(&talk, &["--at", crate::kit::AT, "--max-turns", "60", "--out", out.to_str().unwrap()])
        .ok();
    let run = sandbox.run(&["show", out.to_str().unwrap(), "--integrity"]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
}

#[test]
fn every_format_of_show_holds_the_words_and_no_markup_of_theirs() {
    let sandbox = sandbox();
    let talk = "everyone, <script>alert(1)</script> %%{init: {}}%% # [x](javascript:1)\ndone\n";
    let out = sandbox.outside("talk.jsonl");
    sandbox.elaborate(talk, &["--at", crate::kit::AT, "--out", out.to_str().unwrap()]).ok();
    let shown = |format: &str| sandbox.run(&["show", out.to_str().unwrap(), "--format", format]).ok().stdout;
    let html = shown("html");
    assert!(html.contains("&lt;script&gt;alert(1)&lt;/script&gt;") && !html.contains("<script"), "{html}");
    assert!(html.starts_with("<!doctype html>") && html.contains("default-src 'none'"));
    assert!(html.contains("id=\"turn-4\"") && !html.contains("://"), "{html}");
    let markdown = shown("markdown");
    assert!(markdown.contains("&lt;script>") && markdown.contains("\\[x\\](javascript"), "{markdown}");
    // A recording that is cut off after its synthesis is shown with it.
    let text = std::fs::read_to_string(&out).unwrap();
    let cut: String = text.split_inclusive('\n').take(text.lines().count() - 1).collect();
    let cut = sandbox.script("cut.jsonl", cut);
    for (format, words) in
        [("html", "ends after its summary, without a close"), ("markdown", "this recording has no end")]
    {
        let run = sandbox.run(&["show", &cut, "--format", format]).ok();
        assert!(run.stdout.contains(words), "{format}: {}", run.stdout);
        assert!(!run.stdout.contains("No summary was recorded"), "{format}");
    }
}
