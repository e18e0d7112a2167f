//! Files as attacks: scripts, settings, steps, templates, data and names of a shape that no reader
//! takes for granted.

use std::time::{Duration, Instant};

use super::corpus;
use super::entries::named;
use crate::forge::git;
use crate::kit::{AT, BRANCH, ITEM, META, Sandbox, sandbox};

/// What a debug build on a busy machine may take over a small file.
const SOON: Duration = Duration::from_secs(20);

fn step(outputs: &str) -> String {
    format!(
        "---\nstep_id: \"01-09\"\ntitle: X\npersona: business-analyst\ndepth: brief\noutputs: [{outputs}]\n---\n## Brief Mode\nx\n## Standard Mode\n1. Why?\n"
    )
}

/// A repository with these files beside its item.
fn with(files: &[(&str, &str)]) -> Sandbox {
    let sandbox = sandbox();
    let own = [(".roundtable.yaml", "steps: own\ntemplates: own\n"), ("own/README.md", "x\n")];
    sandbox.commit(&[&own, files].concat());
    sandbox
}

/// Refused in time, with nothing done.
#[track_caller]
fn refused(sandbox: &Sandbox, args: &[&str], what: &str) {
    let (before, start) = (sandbox.refs(), Instant::now());
    let run = sandbox.run(args);
    assert_eq!(run.code, 2, "{what}: {}{}", run.stdout, run.stderr);
    assert!(start.elapsed() < SOON, "{what}: {:?}", start.elapsed());
    assert!(run.stderr.len() < 10_000, "{what}: {}", run.stderr.len());
    assert_eq!(sandbox.refs(), before, "{what}");
}

/// Also: `outputs_that_must_not_be_written`.
#[test]
fn a16_no_output_leaves_its_item_or_has_a_name_that_means_something() {
    let hostile = [
        "..",
        "../x.md",
        "a/../../x.md",
        "/etc/x.md",
        ".git/x.md",
        ".GIT/x.md",
        "git~1/x.md",
        ".g\u{200c}it/x.md",
        "a\\..\\b.md",
        "C:x.md",
        "x:s.md",
        "CON",
        "con.md",
        "NUL.json",
        "aux.md",
        "trail.",
        "trail ",
        "a b.md",
        "a\nb.md",
        "a\u{202e}b.md",
        ".gitattributes",
        ".gitmodules",
        ".github/workflows/x.yaml",
        "-x.md",
        "~/x.md",
        "meta.json",
        "elaborations/x.jsonl",
        "$(id).md",
        "`id`.md",
        "a;b.md",
        "a//b.md",
        "./a.md",
    ];
    for output in hostile {
        let yaml: String = serde_json::json!(output).to_string();
        let sandbox = with(&[("own/01-requirements/09-x.md", &step(&yaml))]);
        let script = sandbox.script("s.txt", "done\n");
        refused(&sandbox, &["elaborate", "offline-mode", "--step", "01-09", "--script", &script], output);
    }
    // An item's own name, too.
    let sandbox = sandbox();
    for slug in ["..", "../x", ".git", "git~1", "a:b", " a", "con", "a\u{202e}b", "-x", "a\\b", "x."] {
        let run = sandbox.run(&["add", "--name", "x", "--", slug]);
        assert_eq!(run.code, 2, "{slug:?}: {}", run.stdout);
    }
}

/// Also: `branches_that_must_not_be_moved`.
#[test]
fn a17_no_branch_has_a_name_that_means_something_else() {
    let sandbox = sandbox();
    let script = sandbox.script("s.txt", "done\n");
    for name in [
        "-x",
        "HEAD",
        "refs/heads/HEAD",
        "refs/heads/x",
        "@",
        "a\u{202e}b",
        "a\u{200b}b",
        "x.lock",
        "a..b",
        "a:b",
        "a?b",
        "a*b",
        "[a]",
        "a\u{7f}b",
        "a\nb",
        "x/.y",
        "$(id)",
        "`id`",
        "a;b",
        "a|b",
        "é\u{301}",
        "origin/HEAD~1",
        "stash@{0}",
    ] {
        let branch = format!("--branch={name}");
        refused(
            &sandbox,
            &["elaborate", "offline-mode", "--step", "01-03", "--script", &script, "--base", "main", &branch],
            name,
        );
    }
}

/// Also: `items_steps_and_settings_behind_links_are_refused`, `the_tree_is_judged_before_what_files_hold`.
#[test]
fn a18_no_link_submodule_pointer_or_giant_is_taken_for_a_document() {
    let spec = format!("{ITEM}/requirements-spec.md");
    // A pointer to a large file is no document to add to: what stands in it is not the document.
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n";
    let sandbox = sandbox();
    let base = sandbox.commit(&[(&spec, pointer)]);
    let run = sandbox.elaborate("We decided to keep the photo.\ndone\n", &[]);
    if run.code == 0 {
        assert!(run.stderr.contains("Left requirements-spec.md as it is"), "{}", run.stderr);
        assert_eq!(sandbox.spec(), pointer);
    }
    assert_eq!(sandbox.tip("main"), Some(base));
    let giant = format!("# Requirements\n\n{}", "A line of a giant.\n".repeat(500_000));
    let sandbox = crate::kit::sandbox();
    sandbox.commit(&[(&spec, &giant)]);
    let run = sandbox.elaborate("We decided to keep the photo.\ndone\n", &[]);
    assert!(run.code == 2 && run.stderr.contains("requirements-spec.md"), "{}", run.stderr);
    assert_eq!(sandbox.tip(BRANCH), None);
    // A submodule where the document should stand.
    let sandbox = crate::kit::sandbox();
    let entry = format!("160000,{},{spec}", sandbox.tip("main").unwrap());
    git(&sandbox.root(), &["reset", "-q"]);
    git(&sandbox.root(), &["update-index", "--cacheinfo", &entry]);
    git(
        &sandbox.root(),
        &["-c", "user.name=Sam", "-c", "user.email=sam@example.org", "commit", "-q", "-m", "x"],
    );
    let script = sandbox.script("s.txt", "We decided to keep the photo.\ndone\n");
    let args = ["elaborate", "offline-mode", "--step", "01-03", "--script", &script];
    refused(&sandbox, &args, "a submodule");
}

#[test]
fn a19_two_outputs_that_are_one_file_elsewhere_are_refused() {
    for (output, stands) in [
        ("a.md, A.md", None),
        ("Requirements-Spec.md", None),
        ("notes.md", Some("Notes.md")),
        ("sub/x.md", Some("SUB/y.md")),
        ("requirements-spec.md, requirements-spec.md/x.md", None),
    ] {
        let more = stands.map(|name| (format!("{ITEM}/{name}"), "x\n"));
        let mut files = vec![("own/01-requirements/09-x.md", step(output))];
        if let Some((path, text)) = &more {
            files.push((path, (*text).to_owned()));
        }
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
        let sandbox = with(&files);
        let script = sandbox.script("s.txt", "We decided to keep the photo.\ndone\n");
        refused(&sandbox, &["elaborate", "offline-mode", "--step", "01-09", "--script", &script], output);
    }
}

/// Nine aliases nine levels deep; deep nesting; keys twice; tags; merge keys.
fn yaml_bombs() -> Vec<(&'static str, String)> {
    let bomb: String = std::iter::once("a: &a [x,x,x,x,x,x,x,x,x]\n".to_owned())
        .chain(
            "bcdefghi"
                .chars()
                .zip("abcdefgh".chars())
                .map(|(name, from)| format!("{name}: &{name} [{}]\n", vec![format!("*{from}"); 9].join(","))),
        )
        .collect();
    vec![
        ("aliases", bomb),
        ("nesting", format!("inputs: {}\n", "[".repeat(100_000))),
        ("maps", format!("inputs: {}\n", "{a: ".repeat(100_000))),
        ("a key twice", "inputs: [a]\ninputs: [b]\n".to_owned()),
        ("a merge key", "x: &x {inputs: [a]}\n<<: *x\n".to_owned()),
        ("a list of lists", "inputs: [[a]]\n".to_owned()),
    ]
}

/// Also: `settings_steps_personas_and_templates_that_are_broken`.
#[test]
fn a21_hostile_yaml_is_refused_in_time() {
    for (what, text) in yaml_bombs() {
        let sandbox = sandbox();
        let script = sandbox.script("s.yaml", &text);
        refused(&sandbox, &["elaborate", "offline-mode", "--step", "01-03", "--script", &script], what);
        let script = sandbox.script("s.txt", "done\n");
        let args = ["elaborate", "offline-mode", "--step", "01-03", "--script", &script];
        sandbox.commit(&[(".roundtable.yaml", &text)]);
        refused(&sandbox, &args, what);
        sandbox.commit(&[
            (".roundtable.yaml", "steps: own\n"),
            ("own/01-requirements/09-x.md", &format!("---\n{text}---\nx\n")),
        ]);
        refused(&sandbox, &args, what);
    }
    // A tag makes nothing but the value that stands behind it.
    let sandbox = sandbox();
    let script = sandbox.script("s.yaml", "inputs: !!python/object/apply:os.system [touch canary, done]\n");
    sandbox.run(&["elaborate", "offline-mode", "--step", "01-03", "--script", &script]).ok();
    assert!(!sandbox.root().join("canary").exists());
    // Words that old parsers take for others stay words.
    let sandbox = crate::kit::sandbox();
    let script =
        sandbox.script("s.yaml", "user: \"no\"\ninputs:\n  - \"1_000\"\n  - \"012\"\n  - \"no\"\n  - done\n");
    sandbox.run(&["elaborate", "offline-mode", "--step", "01-03", "--script", &script, "--at", AT]).ok();
    let said: Vec<String> = sandbox
        .events()
        .iter()
        .filter(|event| event["kind"] == "user")
        .map(|event| event["text"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(said, ["1_000", "012", "no", "done"]);
}

/// Also: `meta_json_that_cannot_be_read`, `scripts_that_cannot_be_used`.
#[test]
fn a22_hostile_json_is_refused_in_time() {
    let deep = |what: &str| format!("{{\"inputs\": {}", what.repeat(100_000));
    let hostile: Vec<(&str, Vec<u8>)> = vec![
        ("nesting", deep("[").into_bytes()),
        ("objects", deep("{\"a\":").into_bytes()),
        ("a key twice", b"{\"inputs\": [\"a\"], \"inputs\": [\"b\"]}".to_vec()),
        ("a surrogate alone", br#"{"inputs": ["\ud800"]}"#.to_vec()),
        ("NUL", b"{\"inputs\": [\"a\0b\"]}".to_vec()),
        ("no number", b"{\"inputs\": [1e400]}".to_vec()),
        ("no UTF-8", b"{\"inputs\": [\"\xff\"]}".to_vec()),
        ("rubbish behind", b"{\"inputs\": [\"a\"]} x".to_vec()),
    ];
    for (what, bytes) in hostile {
        let sandbox = sandbox();
        let script = sandbox.script("s.json", &bytes);
        refused(&sandbox, &["elaborate", "offline-mode", "--step", "01-03", "--script", &script], what);
        let recording = sandbox.script("r.jsonl", [&bytes[..], b"\n"].concat());
        refused(&sandbox, &["show", &recording], what);
        refused(&sandbox, &["replay", &recording], what);
        if what == "no number" {
            continue;
        }
        std::fs::write(sandbox.root().join(ITEM).join("meta.json"), &bytes).unwrap();
        sandbox.commit_all();
        let script = sandbox.script("s.txt", "done\n");
        refused(&sandbox, &["elaborate", "offline-mode", "--step", "01-03", "--script", &script], what);
    }
    // Numbers stay to the letter, however large.
    let sandbox = sandbox();
    let meta = META.replace("\"partial\"", "\"partial\",\n  \"big\": 123456789012345678901234567890.10");
    sandbox.commit(&[(&format!("{ITEM}/meta.json"), &meta)]);
    sandbox.elaborate("done\n", &[]).ok();
    assert!(
        sandbox
            .file(BRANCH, &format!("{ITEM}/meta.json"))
            .contains("\"big\": 123456789012345678901234567890.10")
    );
}

/// A template of the repository's own that does not come to an end is refused.
pub fn template_bombs() {
    for bomb in [
        "{% for a in range(99999) %}{% for b in range(99999) %}x{% endfor %}{% endfor %}",
        "{{ 'x' * 999999999 }}",
        "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
        "{% include \"synthesis.md\" %}{% include \"addition.md\" %}",
        "{% include \"../../../../etc/passwd\" %}",
        "{% include \"/etc/passwd\" %}",
        "{% set x = 'x' %}{% for i in range(60) %}{% set x = x ~ x %}{% endfor %}{{ nothing }}",
        "{% extends \"addition.md\" %}",
    ] {
        let sandbox = with(&[("own/addition.md", bomb)]);
        let script = sandbox.script("s.txt", "We decided to keep the photo.\ndone\n");
        refused(&sandbox, &["elaborate", "offline-mode", "--step", "01-03", "--script", &script], bomb);
    }
    let parens = format!("{}1{}", "(".repeat(20_000), ")".repeat(20_000));
    let sandbox = with(&[("own/addition.md", &format!("{{{{ {parens} }}}}"))]);
    let script = sandbox.script("s.txt", "We decided to keep the photo.\ndone\n");
    refused(&sandbox, &["elaborate", "offline-mode", "--step", "01-03", "--script", &script], "parentheses");
}

/// No engine for regular expressions that goes back is linked: patterns of a repository's own rules take linear time.
#[test]
fn a24_no_pattern_of_somebody_elses_is_run() {
    let lock = include_str!("../../../Cargo.lock");
    for engine in ["fancy-regex", "pcre2", "onig", "onig_sys", "regress"] {
        assert!(!lock.contains(&format!("name = \"{engine}\"\n")), "{engine}");
    }
    // A hostile glob of the settings takes no time.
    let glob = format!("protect:\n  - {{ paths: \"{}x\", rule: content }}\n", "**/*a*".repeat(200));
    let sandbox = sandbox();
    let base = sandbox.commit(&[(".roundtable.yaml", &glob), (&format!("{}/b.md", "a".repeat(200)), "x\n")]);
    sandbox.commit(&[(&format!("{}/b.md", "a".repeat(200)), "y\n")]);
    let start = Instant::now();
    let run = sandbox.run(&["check", "--base", &base.to_string()]);
    assert!((0..=2).contains(&run.code) && start.elapsed() < SOON, "{:?}", start.elapsed());
}

/// Runs a command and says its exit code, how much memory it held at its peak (`VmHWM`, in KiB), and how
/// long it took.
#[cfg(target_os = "linux")]
pub fn measured(command: &mut std::process::Command) -> (i32, u64, Duration) {
    let start = Instant::now();
    let quiet = std::process::Stdio::null;
    let mut child = command.stdout(quiet()).stderr(quiet()).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    loop {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let now = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
        peak = peak.max(now.unwrap_or(0));
        if let Some(status) = child.try_wait().unwrap() {
            return (status.code().unwrap_or(-1), peak, start.elapsed());
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Also: `a_megabyte_on_one_line_is_kept_whole_in_the_recording`, `long_words_many_sentences_and_many_lines_come_to_an_end`,
/// `a_hundred_of_the_longest_comments_block_nobody`, `a_thousand_comments_are_read_page_by_page_and_doubles_count_once`.
#[test]
#[cfg(target_os = "linux")]
fn a25_large_input_takes_little_time_and_memory() {
    let words = corpus!("size");
    for name in ["script_txt", "issue_with_label", "documents"] {
        named(name, &words).iter().for_each(|left| super::judged(name, left));
    }
    let sandbox = sandbox();
    let comment = 262_144;
    for (what, text) in [
        ("one line of 10 MB", "x".repeat(10_000_000)),
        ("10 MB of words", "photo ".repeat(1_700_000)),
        ("marks on marks", format!("Z{}", "\u{351}\u{34b}".repeat(comment / 4))),
        ("brackets", "[".repeat(comment)),
        ("blanks", format!("a{}b", " ".repeat(comment))),
        ("quotation marks", "\"".repeat(comment)),
        ("stars", "*a ".repeat(comment / 3)),
    ] {
        let script = sandbox.script("s.json", serde_json::json!({"inputs": [text, "done"]}).to_string());
        let args = ["elaborate", "offline-mode", "--step", "01-03", "--script", &script, "--dry-run"];
        let (code, peak, took) = measured(&mut sandbox.command(&args));
        assert!((code == 0 || code == 2) && took < SOON, "{what}: {code} after {took:?}");
        // A script may have 16 MiB, and is held as it is read and as it is cleaned.
        assert!(peak < 160 * 1024, "{what}: {peak} KiB");
    }
    let many = "Maya, why?\n".repeat(60_000);
    let script = sandbox.script("s.txt", many);
    let args = ["elaborate", "offline-mode", "--step", "01-03", "--script", &script];
    let (code, _, took) = measured(&mut sandbox.command(&args));
    assert!(code == 2 && took < SOON, "{code} after {took:?}");
}
