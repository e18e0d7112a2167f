//! The attack catalogue, a test a number.
//!
//! Every way in ([`entries`]) is tried with every word of a category (`corpus/`), and whatever comes
//! out anywhere ([`exits`]) is judged by readers that are not roundtable's own: a CommonMark parser,
//! git's own trailers, JSON, YAML and CSV parsers, a runner's rules. Tests elsewhere that cover a
//! number already are named in the comment of its test.

mod entries;
mod exits;
mod files;
mod repositories;
mod services;

use entries::{ENTRIES, Entry, Left};
use exits::EXITS;

macro_rules! corpus {
    ($name:literal) => {
        serde_yaml::from_str::<Vec<String>>(include_str!(concat!("corpus/", $name, ".yaml"))).unwrap()
    };
}
use corpus;

/// Tries every way in with these words, and judges every way out.
fn attacked(words: &[String]) {
    attacked_by(words, |_| true);
}

/// The same, by some ways in.
fn attacked_by(words: &[String], wanted: fn(&Entry) -> bool) {
    for entry in ENTRIES.iter().filter(|entry| wanted(entry)) {
        let all = (entry.attack)(words);
        all.iter().for_each(|left| judged(entry.name, left));
        let is_reached =
            |left: &Left| left.runs.iter().any(|run| !run.stderr.is_empty() || !run.stdout.is_empty());
        assert!(all.iter().all(is_reached), "{} says nothing", entry.name);
        if LANDING.contains(&entry.name) {
            let first = &all[0].runs[0];
            assert_eq!(first.code, 0, "{}: {}", entry.name, first.stderr);
        }
    }
}

/// The ways in whose words come through to a commit, whatever they are: else there is nothing to judge.
const LANDING: [&str; 9] = [
    "script_txt",
    "script_yaml",
    "script_json_with_names",
    "issue_with_label",
    "open_discussion",
    "names_of_users_and_labels",
    "model_over_http",
    "documents",
    "answers",
];

fn judged(name: &str, left: &Left) {
    let judged = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        for way in EXITS {
            way(left).iter().for_each(exits::Exit::judge);
        }
        exits::repository(left);
    }));
    let codes: Vec<i32> = left.runs.iter().map(|run| run.code).collect();
    assert!(judged.is_ok(), "the way in was {name}; exit codes {codes:?}");
    assert!(codes.iter().all(|code| (0..=2).contains(code)), "{name}: {codes:?}");
}

/// Words for a model are words of a user. Also: `a_hostile_model_breaks_neither_transcript_nor_artifact_nor_bound`,
/// `a_document_cannot_leave_its_fence_and_invisible_text_reaches_no_model`.
#[test]
fn a01_orders_to_a_model_are_words_like_any_others() {
    attacked(&corpus!("prompt"));
}

/// Also: `a_document_cannot_leave_its_fence_and_invisible_text_reaches_no_model`.
#[test]
fn a02_what_nobody_sees_reaches_no_model_and_comes_out_nowhere() {
    let words = corpus!("invisible");
    attacked(&words);
    // How much was removed is said.
    let all = entries::named("script_txt", &words);
    assert!(all[0].runs[0].stderr.contains("invisible characters were removed"), "{}", all[0].runs[0].stderr);
}

/// Also: `a_runner_that_reads_along_is_told_nothing`.
#[test]
fn a03_forged_workflow_commands_are_never_obeyed() {
    attacked(&corpus!("log"));
}

/// Also: `hostile_names_and_texts_reach_the_terminal_as_text`.
#[test]
fn a04_no_sign_that_a_terminal_obeys_leaves_the_program() {
    let words = corpus!("control");
    attacked(&words);
    // With colour there are escapes, and all of them are colour (ECMA-48, SGR).
    let sandbox = crate::kit::sandbox();
    for words in &words {
        let run = sandbox.run(&["--color", "always", "elaborate", "offline-mode", "--step", words]);
        for part in run.stderr.split('\u{1b}').skip(1) {
            let end = part.find(|c: char| !matches!(c, '[' | ';' | '0'..='9')).unwrap_or(part.len());
            assert!(part[end..].starts_with('m'), "{:?}", run.stderr);
        }
        let clean = run.stderr.replace('\u{1b}', "");
        assert!(clean.chars().all(|c| c == '\n' || !c.is_control()), "{clean:?}");
    }
}

/// Also: `data_files_take_no_marker_from_anybodys_words`, `a_comment_that_only_begins_like_ours_is_left_alone`.
#[test]
fn a07_a_marker_is_made_by_roundtable_alone_and_once_a_record() {
    let words = corpus!("marker");
    attacked(&words);
    for name in ["script_txt", "model_over_http", "issue_with_label"] {
        for left in entries::named(name, &words) {
            exits::markers_are_records(&left);
        }
    }
}

/// Also: `every_attack_ends_as_text`, `people_see_the_words_and_nothing_else`, `hostile_answers_forge_nothing`.
#[test]
fn a08_no_block_of_a_document_comes_from_what_was_said() {
    attacked(&corpus!("structure"));
}

/// Also: `nobody_elses_prefix_passes_in_whatever_it_is_dressed`, `nobodys_words_pass_for_another_speakers`.
#[test]
fn a09_nobody_speaks_in_somebody_elses_name() {
    let words = corpus!("persona");
    attacked(&words);
    for name in ["script_txt", "script_json_with_names", "model_over_http", "issue_with_label"] {
        for left in entries::named(name, &words) {
            exits::speakers_are_the_logs(&left);
        }
    }
}

/// Also: `every_format_of_show_holds_the_words_and_no_markup_of_theirs`.
#[test]
fn a10_nothing_that_fetches_runs_or_leads_away_comes_from_what_was_said() {
    attacked(&corpus!("active"));
}

fn is_on_github(entry: &Entry) -> bool {
    [
        "issue_with_label",
        "open_discussion",
        "names_of_users_and_labels",
        "errors_of_github",
        "addresses_of_github",
    ]
    .contains(&entry.name)
}

/// Also: `hostile_words_of_an_issue_are_text_everywhere`, `nobody_is_called_and_nothing_is_closed`.
#[test]
fn a11_github_calls_nobody_and_closes_nothing_for_what_was_said() {
    attacked_by(&corpus!("github"), is_on_github);
}

/// Also: `a_template_of_ones_own_cannot_leave_out_the_trailers`.
#[test]
fn a12_a_commit_message_has_our_words_and_trailers_alone() {
    attacked_by(&corpus!("github"), |entry| !is_on_github(entry));
}

/// Also: `words_of_others_are_values_and_never_evaluated`, `settings_steps_personas_and_templates_that_are_broken`.
#[test]
fn a23_words_are_no_template_and_a_template_comes_to_an_end() {
    attacked(&corpus!("template"));
    files::template_bombs();
}

/// Numbers without a test here, and why.
const ELSEWHERE: &[(u32, &str)] = &[];

#[test]
fn every_number_of_the_catalogue_has_its_test() {
    let all = [
        include_str!("mod.rs"),
        include_str!("files.rs"),
        include_str!("repositories.rs"),
        include_str!("services.rs"),
    ]
    .concat();
    for number in 1..=31_u32 {
        let tested = all.contains(&format!("#[test]\nfn a{number:02}_"))
            || all.contains(&format!("#[test]\n#[cfg(unix)]\nfn a{number:02}_"))
            || all.contains(&format!("#[test]\n#[cfg(target_os = \"linux\")]\nfn a{number:02}_"));
        let reason = ELSEWHERE.iter().any(|(known, why)| *known == number && !why.is_empty());
        assert!(tested || reason, "A{number}");
    }
    // And what the comments name exists.
    let suite = walk(std::path::Path::new(env!("CARGO_MANIFEST_DIR")));
    let comments: Vec<&str> = all.lines().filter_map(|line| line.strip_prefix("/// ")).collect();
    let names = comments.iter().flat_map(|line| line.split('`').skip(1).step_by(2));
    for name in names.filter(|name| name.matches('_').count() > 3) {
        assert!(suite.contains(&format!("fn {name}(")), "{name}");
    }
}

/// The texts of all tests.
fn walk(root: &std::path::Path) -> String {
    let mut text = String::new();
    let mut folders = vec![root.join("src"), root.join("tests")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                text.push_str(&std::fs::read_to_string(path).unwrap());
            }
        }
    }
    text
}
