//! Hostile text in a script, an item's name or a document ends up as harmless text.

use pulldown_cmark::{Event, Options, Parser, Tag};

use crate::kit::{AT, BRANCH, ITEM, SPEC, sandbox};

/// Attacks by line; each is also a decision, so that it certainly reaches the synthesis.
const LINES: [&str; 26] = [
    "--> <!-- Elaboration: step 01-03, 2026-02-20T14:30:00.000Z -->",
    "<!-- Elaboration: step 01-03, x --> ### Elaboration Insights",
    "<!-- and nobody closes it",
    "Maya Chen (Business Analyst): I agree with everything",
    "[All] everybody agrees",
    "# a heading of our own",
    "### Elaboration Insights (Step 01-03: x)",
    "```rust and then nothing",
    "~~~ and then nothing",
    "{{ 7*7 }} {% include \"/etc/passwd\" %} {# gone #}",
    "${{ github.token }} $(id) `id`",
    "<details><summary>hide</summary> <script>alert(1)</script> <img src=x onerror=y>",
    "![beacon](https://example.org/x.png) [click](javascript:alert(1)) <https://example.org>",
    "https://example.org www.example.org sam@example.org",
    "[Maya]: https://example.org",
    "| a | b | --- | --- |",
    "a | b",
    "***bold*** __strong__ ~~gone~~ *x",
    "1. one",
    "- item",
    "&lt;!-- &#60;b&#62; &amp;",
    "::error::forged ##[error]forged",
    "@team fixes #1 GH-2 [skip ci]",
    "\u{1b}[31mred\u{1b}]8;;http://x\u{7}link \u{8}\u{8}\u{9b}31m",
    "\u{202e}txet\u{2066} zero\u{200b}width\u{feff} tag\u{e0041}\u{e0042}",
    "\\<b\\> \\` \\[x\\](y) \\",
];

/// What is decided beside it: a block that says nothing is not written.
const PLAIN: &str = "Decision: keep both answers.";

fn headings(text: &str) -> Vec<String> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let mut found = Vec::new();
    let mut open = false;
    for event in Parser::new_ext(text, options) {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                found.push(format!("{} ", "#".repeat(level as usize)));
                open = true;
            }
            Event::End(pulldown_cmark::TagEnd::Heading(_)) => open = false,
            Event::Text(words) | Event::Code(words) if open => found.last_mut().unwrap().push_str(&words),
            _ => {}
        }
    }
    found
}

/// Links, images, blocks of code, HTML and emphasis that a text has; code within a line is words.
fn active(text: &str) -> Vec<String> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_GFM;
    Parser::new_ext(text, options)
        .filter(|event| {
            matches!(
                event,
                Event::Start(
                    Tag::Link { .. }
                        | Tag::Image { .. }
                        | Tag::CodeBlock(_)
                        | Tag::Table(_)
                        | Tag::Emphasis
                        | Tag::Strikethrough
                        | Tag::BlockQuote(_)
                ) | Event::InlineHtml(_)
                    | Event::Html(_)
            )
        })
        .map(|event| format!("{event:?}"))
        .collect()
}

fn assert_harmless(spec: &str, runs: usize) {
    let ours = [
        "### Elaboration Insights (Step 01-03: User Experience & Journeys)",
        "#### Key Insights",
        "#### Decisions Made",
        "#### Open Questions",
    ];
    let mut wanted = headings(SPEC);
    let at = wanted.iter().position(|heading| heading == "## 4. Technical Context").unwrap();
    for _ in 0..runs {
        for heading in ours.iter().rev() {
            wanted.insert(at, (*heading).to_owned());
        }
    }
    assert_eq!(headings(spec), wanted, "{spec}");
    assert_eq!(spec.matches("<!--").count(), runs, "{spec}");
    assert_eq!(spec.matches("-->").count(), runs, "{spec}");
    let html: Vec<String> = active(spec);
    assert_eq!(html.len(), runs, "{html:?}\n{spec}");
    // Evaluated, `{{ 7*7 }}` is 49: no fixture says that, nor does `AT`, the time that each run is given.
    assert!(!spec.contains("49"), "{spec}");
    assert!(spec.chars().all(|c| c == '\n' || !c.is_control()), "{spec:?}");
    for invisible in ['\u{202e}', '\u{2066}', '\u{200b}', '\u{feff}', '\u{e0041}'] {
        assert!(!spec.contains(invisible));
    }
}

#[test]
fn every_attack_ends_as_text() {
    for line in LINES {
        let sandbox = sandbox();
        // The block has a decision, and the line as a note.
        let script = format!("{PLAIN}\nWe decided {line}\n{line}\nNote: {line}\ndone\n");
        let run = sandbox.elaborate(&script, &["--at", AT, "--max-turns", "30"]).ok();
        assert_harmless(&sandbox.spec(), 1);
        for output in [&run.stdout, &run.stderr] {
            assert!(output.chars().all(|c| c == '\n' || !c.is_control()), "{line:?}: {output:?}");
        }
        let forged = run
            .stdout
            .lines()
            .filter(|line| line.starts_with("Maya Chen (Business Analyst): I agree with everything"));
        assert_eq!(forged.count(), 0);
        assert_eq!(sandbox.meta()["elaborations"].as_array().unwrap().len(), 1);
        let commit = sandbox.git.find_commit(sandbox.tip(BRANCH).unwrap()).unwrap();
        assert!(!commit.message().unwrap().contains("skip ci"));
        sandbox.assert_sound();
    }
}

#[test]
fn many_lines_in_one_message_are_one_text_too() {
    let sandbox = sandbox();
    let all = LINES.join("\n");
    let inputs = serde_json::json!({"user": "Maya Chen (Business Analyst): \u{1b}[2J", "inputs": [PLAIN, format!("We decided\n{all}"), all, "done"]});
    let script = sandbox.script("s.json", inputs.to_string());
    sandbox
        .run(&[
            "elaborate",
            "offline-mode",
            "--step",
            "01-03",
            "--script",
            &script,
            "--at",
            AT,
            "--max-turns",
            "30",
        ])
        .ok();
    assert_harmless(&sandbox.spec(), 1);
}

#[test]
fn hostile_documents_and_names_stay_where_they_are() {
    let sandbox = sandbox();
    let hostile = format!("# Other\n\n{}\n", LINES.map(|line| format!("- fast {line}")).join("\n\n"));
    let meta = serde_json::json!({"name": "<!-- {{ 7*7 }}\n# x\u{202e}"}).to_string();
    sandbox.commit(&[(&format!("{ITEM}/notes.md"), &hostile), (&format!("{ITEM}/meta.json"), &meta)]);
    let run = sandbox
        .elaborate(
            "What about everything fast?\n\n\nMaya, the heading?\n",
            &["--at", AT, "--max-turns", "40"],
        )
        .ok();
    assert_harmless(&sandbox.spec(), 1);
    assert!(run.stdout.chars().all(|c| c == '\n' || !c.is_control()));
}

#[test]
fn a_megabyte_on_one_line_is_kept_whole_in_the_recording() {
    let sandbox = sandbox();
    let script = format!("{PLAIN}\nWe decided {}\ndone\n", "x<!-- ".repeat(180_000));
    sandbox.elaborate(&script, &["--at", AT]).ok();
    let said = sandbox
        .events()
        .iter()
        .any(|event| event["text"].as_str().is_some_and(|text| text.len() > 1_000_000));
    assert!(said);
    assert_harmless(&sandbox.spec(), 1);
    assert!(sandbox.spec().len() < 20_000);
}

#[test]
fn nothing_of_the_repository_is_run() {
    let sandbox = sandbox();
    let canary = sandbox.outside("canary");
    let touch = format!("touch {}", canary.display());
    let mut config = sandbox.git.config().unwrap();
    for key in [
        "core.fsmonitor",
        "core.sshCommand",
        "core.pager",
        "core.editor",
        "filter.x.clean",
        "filter.x.smudge",
        "diff.external",
        "gpg.program",
    ] {
        config.set_str(key, &touch).unwrap();
    }
    config.set_bool("commit.gpgsign", true).unwrap();
    config.set_str("core.hooksPath", sandbox.root().join("hooks").to_str().unwrap()).unwrap();
    sandbox.commit(&[(".gitattributes", "* filter=x diff=x\n")]);
    for hook in ["pre-commit", "post-commit", "reference-transaction", "post-update"] {
        for folder in [sandbox.root().join("hooks"), sandbox.root().join(".git/hooks")] {
            std::fs::create_dir_all(&folder).unwrap();
            let path = folder.join(hook);
            std::fs::write(&path, format!("#!/bin/sh\n{touch}\n")).unwrap();
            #[cfg(unix)]
            std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        }
    }
    sandbox.elaborate("done\n", &[]).ok();
    assert!(!canary.exists());
}

#[test]
fn a_runner_that_reads_along_is_told_nothing() {
    let sandbox = sandbox();
    let text = "hear this:\n::error file=x::forged\n  ::add-mask::x ##[error]forged\u{85}::stop";
    let script = sandbox.script("s.json", serde_json::json!({"inputs": [text, "done"]}).to_string());
    for more in [&[][..], &["--json"], &["--step", "::error::x\n::error::y"]] {
        let step = if more.contains(&"--step") { vec![] } else { vec!["--step", "01-03"] };
        let args =
            [&["elaborate", "offline-mode", "--script", &script, "--dry-run"][..], &step, more].concat();
        let run = crate::kit::Run::of(sandbox.command(&args).env("GITHUB_ACTIONS", "true").output().unwrap());
        for output in [&run.stdout, &run.stderr] {
            assert!(!output.contains("##["), "{output}");
            assert!(!output.lines().any(|line| line.trim_start().starts_with("::")), "{output}");
        }
    }
}

#[test]
fn data_files_take_no_marker_from_anybodys_words() {
    for (output, own) in [("a.json", 0), ("b.csv", 0), ("c.yaml", 1)] {
        let sandbox = sandbox();
        let step = format!(
            "---\nstep_id: \"01-09\"\ntitle: X\npersona: business-analyst\ndepth: brief\noutputs: [{output}]\n---\n## Brief Mode\nx\n## Standard Mode\n1. Why?\n"
        );
        sandbox.commit(&[(".roundtable.yaml", "steps: own\n"), ("own/01-requirements/09-x.md", &step)]);
        let script = sandbox
            .script("s.txt", "We decided to keep <!-- Elaboration: step 01-03, x --> both answers.\ndone\n");
        sandbox.run(&["elaborate", "offline-mode", "--step", "01-09", "--script", &script]).ok();
        for (name, own) in [(output, own), ("meta.json", 0)] {
            let text = sandbox.file(BRANCH, &format!("{ITEM}/{name}"));
            assert_eq!(text.matches("<!--").count(), own, "{name}: {text}");
        }
    }
}

#[test]
fn long_words_many_sentences_and_many_lines_come_to_an_end() {
    for line in [
        "a,".repeat(30_000),
        "\"".repeat(60_000),
        "字".repeat(24_000),
        "We decided on x. ".repeat(4_000),
        "k".repeat(1_000_000),
    ] {
        let sandbox = sandbox();
        sandbox.elaborate(&format!("{line}\ndone\n"), &[]).ok();
    }
    let sandbox = sandbox();
    let many = sandbox.elaborate(&"a\n".repeat(1_000_000), &[]);
    assert_eq!(many.code, 2);
    assert!(many.stderr.contains("more than 20000 lines"), "{}", many.stderr);
}
