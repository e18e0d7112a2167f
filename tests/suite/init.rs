//! `roundtable init`, `completions`, `man`: what a repository and a shell are given.

use crate::kit::{Sandbox, sandbox};

const FILES: [&str; 4] = [
    ".github/workflows/roundtable.yml",
    ".github/workflows/roundtable-check.yml",
    ".roundtable.yaml",
    ".githooks/pre-commit",
];
const ACTION: &str = "some/roundtable@0123456789012345678901234567890123456789";

/// `init` with an action and these arguments.
fn init(more: &[&str]) -> Vec<String> {
    let all = ["init", "--action", ACTION].iter().chain(more);
    all.map(|one| (*one).to_owned()).collect()
}

fn run(sandbox: &Sandbox, more: &[&str]) -> crate::kit::Run {
    let args = init(more);
    sandbox.run(&args.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn without_the_address_of_the_action_nothing_is_written() {
    let sandbox = sandbox();
    let run = sandbox.run(&["init"]);
    assert!(run.code == 2 && run.stderr.contains("--action OWNER/REPOSITORY@COMMIT"), "{}", run.stderr);
    assert!(!sandbox.root().join(".github").exists());
}

#[test]
fn what_is_left_to_do_is_printed_as_commands_in_at_most_four_steps() {
    for (voice, steps) in [("reviewer", 3), ("anthropic", 4)] {
        let sandbox = sandbox();
        let said = run(&sandbox, &["--voice", voice]).ok().stdout;
        let numbered = said.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit()));
        assert_eq!(numbered.count(), steps, "{said}");
        for command in [
            "git push",
            "gh label create roundtable --force",
            "can_approve_pull_request_reviews=true",
            "[context]=additive",
        ] {
            assert!(said.contains(command), "{command}: {said}");
        }
        assert_eq!(said.contains("gh secret set ANTHROPIC_API_KEY --env roundtable-model"), steps == 4);
        assert!(!said.contains("…"), "{said}");
    }
}

fn written(sandbox: &Sandbox, path: &str) -> String {
    std::fs::read_to_string(sandbox.root().join(path)).unwrap()
}

#[test]
fn a_dry_run_shows_everything_and_writes_nothing() {
    let sandbox = sandbox();
    let shown = run(&sandbox, &["--dry-run"]).ok();
    for path in FILES {
        assert!(shown.stdout.contains(&format!("{path}: would write")), "{}", shown.stdout);
        assert!(!sandbox.root().join(path).exists(), "{path}");
    }
    assert!(
        shown.stdout.contains("+permissions: {}") && shown.stdout.contains("+exec roundtable check --staged")
    );
}

#[test]
fn the_files_are_written_once_and_never_over_what_stands_there() {
    let sandbox = sandbox();
    std::fs::write(sandbox.root().join(".roundtable.yaml"), "items: specs\n").unwrap();
    let report = run(&sandbox, &["--json"]).json();
    let results: Vec<&str> =
        report["files"].as_array().unwrap().iter().map(|file| file["result"].as_str().unwrap()).collect();
    assert_eq!(results, ["wrote", "wrote", "left as it is", "wrote"]);
    assert_eq!(written(&sandbox, ".roundtable.yaml"), "items: specs\n");
    let again = run(&sandbox, &[]).ok();
    assert!(
        again.stdout.contains("roundtable.yml: exists already") && again.stderr.contains("other content")
    );
}

#[test]
fn what_is_written_works_with_the_program_itself() {
    let sandbox = sandbox();
    run(&sandbox, &["--voice", "anthropic", "--backlog"]).ok();
    for name in ["", "-check", "-backlog"] {
        let path = &format!(".github/workflows/roundtable{name}.yml");
        let text = written(&sandbox, path);
        assert!(text.contains("some/roundtable@0123456789012345678901234567890123456789 # v"), "{text}");
        assert!(!text.contains("__"), "{text}");
        let value: serde_yaml::Value = serde_yaml::from_str(&text).unwrap();
        assert_eq!(value["permissions"], serde_yaml::from_str::<serde_yaml::Value>("{}").unwrap());
        for (name, job) in value["jobs"].as_mapping().unwrap() {
            assert!(job["permissions"].is_mapping() && job["timeout-minutes"].is_number(), "{name:?}");
        }
        for line in text.lines().filter(|line| line.contains("uses:")) {
            let pin = line.split('@').nth(1).unwrap().split(' ').next().unwrap();
            assert!(pin.len() == 40 && pin.bytes().all(|byte| byte.is_ascii_hexdigit()), "{line}");
        }
    }
    let model = written(&sandbox, ".github/workflows/roundtable.yml");
    let record = model.split("\n  discuss:").next().unwrap();
    assert!(
        record.contains("ANTHROPIC_API_KEY") && !record.contains("contents: write"),
        "one job has the key"
    );
    assert!(
        !model.split("\n  discuss:").nth(1).unwrap().contains("API_KEY"),
        "and the other the right to write"
    );
    // The settings are read, with every example in them too.
    let settings = written(&sandbox, ".roundtable.yaml");
    assert!(roundtable::config::Config::read("x", settings.as_bytes()).is_ok());
    let keys = [
        "voice:",
        "model:",
        "max_turns:",
        "steps:",
        "templates:",
        "append_only:",
        "allow_exceptions:",
        "github:",
        "  ",
    ];
    let uncommented = |line: &str| match line.strip_prefix("# ") {
        Some(rest) if keys.iter().any(|key| rest.starts_with(key)) => format!("{rest}\n"),
        _ => format!("{line}\n"),
    };
    let all: String = settings.lines().map(uncommented).collect();
    let config = roundtable::config::Config::read("x", all.as_bytes()).unwrap();
    assert_eq!((config.max_turns, config.allow_exceptions), (Some(20), Some(false)));
    assert_eq!(config.github, Some(roundtable::github::Settings::default()));
    // The hook lets additions through and stops losses.
    let hook = sandbox.root().join(".githooks/pre-commit");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(hook.metadata().unwrap().permissions().mode() & 0o111, 0o111);
        std::fs::write(sandbox.root().join(crate::kit::ITEM).join("requirements-spec.md"), "# Gone\n")
            .unwrap();
        let mut index = sandbox.git.index().unwrap();
        index.add_all(["docs"], git2::IndexAddOption::FORCE, None).unwrap();
        index.write().unwrap();
        let program =
            std::path::Path::new(env!("CARGO_BIN_EXE_roundtable")).parent().unwrap().display().to_string();
        let commit = |path: String| {
            let mut command = std::process::Command::new(&hook);
            command.current_dir(sandbox.root()).env("PATH", path).output().unwrap()
        };
        assert_eq!(commit(format!("{program}:/usr/bin:/bin")).status.code(), Some(1));
        let missing = commit("/usr/bin:/bin".to_owned());
        assert!(!missing.status.success());
        assert!(String::from_utf8_lossy(&missing.stderr).contains("no `roundtable` on the PATH"));
    }
}

#[test]
fn a_live_workflow_listens_to_comments_on_open_discussions_alone() {
    for voice in ["offline", "openai"] {
        let sandbox = sandbox();
        run(&sandbox, &["--live", "--ticks", "--voice", voice]).ok();
        let text = written(&sandbox, ".github/workflows/roundtable.yml");
        let value: serde_yaml::Value = serde_yaml::from_str(&text).unwrap();
        assert_eq!(value["on"]["issue_comment"]["types"][1], "edited");
        let first = if voice == "offline" { "discuss" } else { "record" };
        let begins = value["jobs"][first]["if"].as_str().unwrap();
        assert!(begins.contains("contains(github.event.issue.labels.*.name, 'roundtable:open')"), "{begins}");
        assert!(
            begins.contains("author_association") && begins.contains("startsWith(github.event.comment.body")
        );
        let gate = written(&sandbox, ".github/workflows/roundtable-check.yml");
        assert!(!gate.contains("issue_comment") && gate.contains("merge_group:"), "{gate}");
        let settings = written(&sandbox, ".roundtable.yaml");
        let config = roundtable::config::Config::read("x", settings.as_bytes()).unwrap();
        assert!(config.github.unwrap().live);
    }
}

#[test]
fn where_a_file_cannot_stand_nothing_is_written_at_all() {
    let bare = sandbox();
    let path = bare.outside("bare.git");
    crate::forge::git(&bare.root(), &["clone", "-q", "--bare", ".", path.to_str().unwrap()]);
    let refused = bare.run(&["--repo", path.to_str().unwrap(), "init", "--action", ACTION]);
    assert!(refused.code == 2 && refused.stderr.contains("bare"), "{}", refused.stderr);
    let sandbox = sandbox();
    std::fs::write(sandbox.root().join(".githooks"), "a file").unwrap();
    let refused = run(&sandbox, &[]);
    assert!(refused.code == 2 && refused.stderr.contains(".githooks is a file"), "{}", refused.stderr);
    assert!(!sandbox.root().join(".roundtable.yaml").exists());
    let refused = sandbox.run(&["init", "--action", "$(evil)"]);
    assert!(refused.code == 2 && refused.stderr.contains("OWNER/REPOSITORY@COMMIT"), "{}", refused.stderr);
}

#[test]
#[cfg(unix)]
fn a_link_is_not_followed() {
    let sandbox = sandbox();
    let elsewhere = sandbox.outside("elsewhere");
    std::fs::create_dir_all(&elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, sandbox.root().join(".github")).unwrap();
    let run = run(&sandbox, &[]);
    assert!(run.code == 2 && run.stderr.contains("symbolic link"), "{}", run.stderr);
    assert_eq!(std::fs::read_dir(&elsewhere).unwrap().count(), 0);
}

#[test]
fn every_variant_of_the_workflows_is_yaml_with_pinned_actions() {
    for voice in ["reviewer", "anthropic", "openai"] {
        for more in [
            &["--live"][..],
            &["--ticks"],
            &["--reusable"],
            &["--live", "--ticks", "--reusable", "--backlog"],
            &[],
        ] {
            let sandbox = sandbox();
            run(&sandbox, &[&["--voice", voice], more].concat()).ok();
            for entry in std::fs::read_dir(sandbox.root().join(".github/workflows")).unwrap() {
                let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
                let value: serde_yaml::Value = serde_yaml::from_str(&text).unwrap();
                assert!(value["jobs"].is_mapping() && !text.contains("__"), "{text}");
                if more.contains(&"--reusable") && text.contains("name: roundtable\n") {
                    assert!(value["on"].get("workflow_call").is_some(), "{text}");
                }
            }
        }
    }
}

#[test]
fn shells_and_man_get_theirs() {
    let sandbox = sandbox();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let run = sandbox.run(&["completions", shell]).ok();
        let verbs = ["elaborate", "check", "replay", "--script"];
        assert!(verbs.iter().all(|verb| run.stdout.contains(verb)), "{shell}: {}", run.stdout);
    }
    let page = sandbox.run(&["man"]).ok().stdout;
    assert!(page.contains(".TH roundtable 1") && page.contains("ROUNDTABLE CHECK"), "{page}");
}

#[test]
fn an_agent_gets_its_server_and_skill_and_nothing_is_written_over() {
    let sandbox = sandbox();
    for (agent, server, skill) in [
        ("claude", ".mcp.json", ".claude/skills/roundtable/SKILL.md"),
        ("copilot", ".vscode/mcp.json", ".github/skills/roundtable/SKILL.md"),
        ("cursor", ".cursor/mcp.json", ".cursor/skills/roundtable/SKILL.md"),
        ("codex", ".codex/config.toml", ".agents/skills/roundtable/SKILL.md"),
    ] {
        sandbox.run(&["init", "--agent", agent, "--dry-run"]).ok();
        assert!(!sandbox.root().join(server).exists());
        let report = sandbox.run(&["init", "--agent", agent, "--json"]).json();
        assert_eq!(report["files"][0]["path"], server);
        assert!(written(&sandbox, server).contains("mcp"), "{}", written(&sandbox, server));
        let skill = written(&sandbox, skill);
        assert!(skill.starts_with("---\nname: roundtable\ndescription: ") && skill.len() < 4_000);
    }
    assert!(!sandbox.root().join("AGENTS.md").exists() && !sandbox.root().join(".roundtable.yaml").exists());
    std::fs::write(sandbox.root().join(".mcp.json"), "{}\n").unwrap();
    std::fs::write(sandbox.root().join("AGENTS.md"), "# Rules\n\nBe brief.").unwrap();
    let run = sandbox.run(&["init", "--agent", "claude", "--agents-md"]).ok();
    assert!(run.stdout.contains(".mcp.json: left as it is") && run.stdout.contains("+  \"mcpServers\""));
    assert_eq!(written(&sandbox, ".mcp.json"), "{}\n");
    let once = written(&sandbox, "AGENTS.md");
    assert!(once.starts_with("# Rules\n\nBe brief.\n\n<!-- roundtable:begin -->\n"), "{once}");
    let again = sandbox.run(&["init", "--agent", "claude", "--agents-md"]).ok();
    assert!(again.stdout.contains("AGENTS.md: exists already"), "{}", again.stdout);
    assert_eq!(written(&sandbox, "AGENTS.md"), once);
}
