//! `roundtable init`, `completions`, `man`: what a repository and a shell are given.

use crate::kit::{Sandbox, sandbox};

const FILES: [&str; 7] = [
    ".roundtable.yaml",
    ".github/workflows/roundtable.yml",
    ".github/workflows/roundtable-check.yml",
    ".github/workflows/roundtable-review.yml",
    ".github/actionlint.yaml",
    ".github/CODEOWNERS",
    HOOK,
];
const HOOK: &str = ".git/hooks/pre-commit";
const ACTION: &str = "some/roundtable@0123456789012345678901234567890123456789";

/// `init` with an action and these arguments.
fn init(more: &[&str]) -> Vec<String> {
    let all = ["init", "--github", "--hook", "--action", ACTION].iter().chain(more);
    all.map(|one| (*one).to_owned()).collect()
}

fn run(sandbox: &Sandbox, more: &[&str]) -> crate::kit::Run {
    let args = init(more);
    sandbox.run(&args.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn without_the_address_of_the_action_a_job_fails_with_one_sentence() {
    for voice in ["secretary", "openai"] {
        let sandbox = sandbox();
        let said = sandbox.run(&["init", "--github", "--voice", voice, "--backlog"]).ok();
        let first =
            said.stdout.split("\n1. ").nth(1).unwrap().split("\n2. Commit the files:").next().unwrap();
        assert!(first.contains("OWNER/REPOSITORY@COMMIT") && first.contains("in place of @OWNER"), "{first}");
        for name in ["", "-check", "-review", "-backlog"] {
            let path = &format!(".github/workflows/roundtable{name}.yml");
            let text = written(&sandbox, path);
            let value: serde_yaml::Value = serde_yaml::from_str(&text).unwrap();
            let steps = value["jobs"]
                .as_mapping()
                .unwrap()
                .values()
                .flat_map(|job| job["steps"].as_sequence().unwrap());
            let missing: Vec<_> =
                steps.filter(|step| step["name"] == "the address of the action is missing").collect();
            assert!(!missing.is_empty() && !text.contains("__"), "{text}");
            for step in missing {
                let script = step["run"].as_str().unwrap();
                let run = std::process::Command::new("sh").args(["-c", script]).output().unwrap();
                let told = String::from_utf8(run.stdout).unwrap();
                assert!(run.status.code() == Some(1) && told.starts_with("::error::"), "{told}");
                assert!(told.lines().count() == 1 && told.contains("init --github --action OWNER"), "{told}");
            }
        }
        let doctor = sandbox.run(&["doctor", "--offline"]);
        assert!(doctor.stdout.contains("names no repository for the action"), "{}", doctor.stdout);
    }
}

#[test]
fn the_address_is_written_into_the_workflows_by_the_command_that_they_name() {
    for more in [&["--backlog"][..], &["--voice", "anthropic", "--live", "--ticks", "--backlog"]] {
        let wanted = sandbox();
        wanted.run(&[&["init", "--github", "--action", ACTION], more].concat()).ok();
        let sandbox = sandbox();
        sandbox.run(&[&["init", "--github"], more].concat()).ok();
        // What a team has changed around the steps is kept.
        let changed = ".github/workflows/roundtable-check.yml";
        let text = format!("# Ours.\n{}", written(&sandbox, changed));
        std::fs::write(sandbox.root().join(changed), text).unwrap();
        let said = sandbox.run(&["init", "--github", "--action", ACTION]).ok().stdout;
        for name in ["", "-check", "-review", "-backlog"] {
            let path = &format!(".github/workflows/roundtable{name}.yml");
            assert!(said.contains(&format!("{path}: wrote the address")), "{said}");
            let first = if path == changed { "# Ours.\n" } else { "" };
            assert_eq!(written(&sandbox, path), format!("{first}{}", written(&wanted, path)), "{path}");
        }
    }
}

#[test]
fn what_is_left_to_do_is_printed_as_commands_in_at_most_four_steps() {
    for (voice, steps) in [("secretary", 3), ("anthropic", 4)] {
        let sandbox = sandbox();
        git(&sandbox, "git remote add origin git@github.com:library/books.git");
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

#[test]
fn the_check_alone_is_one_workflow_and_needs_no_label_and_no_right_to_write() {
    let sandbox = sandbox();
    git(&sandbox, "git remote add origin git@github.com:library/books.git");
    let report = sandbox.run(&["init", "--github", "--only", "check", "--action", ACTION, "--json"]).json();
    let files: Vec<&str> =
        report["files"].as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap()).collect();
    assert_eq!(files, [".roundtable.yaml", ".github/workflows/roundtable-check.yml", ".github/CODEOWNERS"]);
    let said = sandbox.run(&["init", "--github", "--only", "check", "--action", ACTION]).ok().stdout;
    assert!(
        said.contains("\n1. Commit the files:\n  git add")
            && said.contains("\n2. Require the check:\n  gh api"),
        "{said}"
    );
    assert!(!said.contains("gh label") && !said.contains("can_approve"), "{said}");
    let refused = sandbox.run(&["init", "--github", "--only", "check", "--voice", "openai"]);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
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
    assert_eq!(results, ["left as it is", "wrote", "wrote", "wrote", "wrote", "wrote", "wrote"]);
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
    for name in ["", "-check", "-review", "-backlog"] {
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
    assert!(roundtable::item::config::Config::read("x", settings.as_bytes()).is_ok());
    let keys = [
        "items:",
        "voice:",
        "model:",
        "max_turns:",
        "steps:",
        "templates:",
        "protect:",
        "losses:",
        "github:",
        "  ",
    ];
    let uncommented = |line: &str| match line.strip_prefix("# ") {
        Some(rest) if keys.iter().any(|key| rest.starts_with(key)) => format!("{rest}\n"),
        _ => format!("{line}\n"),
    };
    let all: String = settings.lines().map(uncommented).collect();
    let config = roundtable::item::config::Config::read("x", all.as_bytes()).unwrap();
    assert_eq!(
        (config.max_turns, config.protect.is_some(), config.losses),
        (Some(20), true, Some(roundtable::item::config::Losses::Declared))
    );
    assert_eq!(config.github, Some(roundtable::item::config::github::Settings::default()));
    // The hook lets additions through and stops losses.
    let hook = sandbox.root().join(HOOK);
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
fn the_review_of_pull_requests_is_beside_the_gate_and_fails_nothing() {
    let sandbox = sandbox();
    sandbox.run(&["init", "--github", "--report-only", "--action", ACTION]).ok();
    assert!(written(&sandbox, ".roundtable.yaml").contains("\nreport_until: 2"));
    let review = written(&sandbox, ".github/workflows/roundtable-review.yml");
    let gate = written(&sandbox, ".github/workflows/roundtable-check.yml");
    assert!(review.contains("command: github run --review") && gate.contains("command: check"), "{review}");
    assert!(!gate.contains(": write"), "the gate may write nothing: {gate}");
    assert_eq!(review.matches(": write").count(), 1, "{review}");
}

/// Our own workflows are what `init --github` writes, with this repository as the action.
#[test]
fn this_repository_uses_what_init_writes() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let sandbox = sandbox();
    sandbox.run(&["init", "--github", "--action", ACTION]).ok();
    for name in ["roundtable.yml", "roundtable-check.yml"] {
        let path = format!(".github/workflows/{name}");
        let version = concat!(" # v", env!("CARGO_PKG_VERSION"));
        let wanted = written(&sandbox, &path).replace(&format!("{ACTION}{version}"), "./");
        assert_eq!(std::fs::read_to_string(root.join(&path)).unwrap(), wanted, "{path}");
    }
    let path = ".github/actionlint.yaml";
    assert_eq!(std::fs::read_to_string(root.join(path)).unwrap(), written(&sandbox, path));
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
        let config = roundtable::item::config::Config::read("x", settings.as_bytes()).unwrap();
        assert!(config.github.unwrap().live);
    }
}

#[test]
fn where_a_file_cannot_stand_nothing_is_written_at_all() {
    let bare = sandbox();
    let path = bare.outside("bare.git");
    crate::forge::git(&bare.root(), &["clone", "-q", "--bare", ".", path.to_str().unwrap()]);
    let refused = bare.run(&["--repo", path.to_str().unwrap(), "init"]);
    assert!(refused.code == 2 && refused.stderr.contains("bare"), "{}", refused.stderr);
    let sandbox = sandbox();
    std::fs::write(sandbox.root().join(".github"), "a file").unwrap();
    let refused = run(&sandbox, &[]);
    assert!(refused.code == 2 && refused.stderr.contains(".github is a file"), "{}", refused.stderr);
    assert!(!sandbox.root().join(HOOK).exists());
    assert!(!sandbox.root().join(".roundtable.yaml").exists());
    let refused = sandbox.run(&["init", "--github", "--action", "$(evil)"]);
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
    for voice in ["secretary", "anthropic", "openai"] {
        for more in [&["--live"][..], &["--ticks"], &["--live", "--ticks", "--backlog"], &[]] {
            let sandbox = sandbox();
            run(&sandbox, &[&["--voice", voice], more].concat()).ok();
            for entry in std::fs::read_dir(sandbox.root().join(".github/workflows")).unwrap() {
                let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
                let value: serde_yaml::Value = serde_yaml::from_str(&text).unwrap();
                assert!(value["jobs"].is_mapping() && !text.contains("__"), "{text}");
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
    let run = sandbox.run(&["init", "--agent", "claude"]).ok();
    assert!(run.stdout.contains(".mcp.json: left as it is") && run.stdout.contains("+  \"mcpServers\""));
    assert_eq!(written(&sandbox, ".mcp.json"), "{}\n");
}

/// Runs git in the sandbox with the program on the PATH.
fn git(sandbox: &Sandbox, line: &str) -> std::process::Output {
    let program =
        std::path::Path::new(env!("CARGO_BIN_EXE_roundtable")).parent().unwrap().display().to_string();
    let mut command = std::process::Command::new("sh");
    command.current_dir(sandbox.root()).args(["-c", line]).env_clear().env("HOME", sandbox.outside("home"));
    command.env("PATH", format!("{program}:/usr/local/bin:/usr/bin:/bin"));
    command.output().unwrap()
}

/// What `doctor` says of the hook, with the program on the PATH.
#[cfg(unix)]
fn doctor_on_hook(sandbox: &Sandbox) -> String {
    let output = git(sandbox, "roundtable doctor --offline");
    let said = String::from_utf8(output.stdout).unwrap();
    let mut lines = said.lines().skip_while(|line| !line.contains(" hook: "));
    let first = lines.next().unwrap();
    [first]
        .into_iter()
        .chain(lines.take_while(|line| line.starts_with("     ")))
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
#[cfg(unix)]
fn the_doctor_says_what_git_would_do_with_the_hook() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = sandbox();
    let path = sandbox.root().join(HOOK);
    let mode = |mode| std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
    assert!(doctor_on_hook(&sandbox).starts_with("note hook: there is no hook"));
    sandbox.run(&["init", "--hook"]).ok();
    assert!(!sandbox.root().join(".roundtable.yaml").exists(), "the hook alone was asked for");
    assert_eq!(
        doctor_on_hook(&sandbox),
        "ok   hook: .git/hooks/pre-commit refuses a commit that loses a line"
    );
    // Without the program on the PATH it refuses everything.
    let told = sandbox.run(&["doctor", "--offline"]);
    assert!(
        told.code == 1 && told.stdout.contains("refuses every commit: The commit was not checked"),
        "{}",
        told.stdout
    );
    mode(0o644);
    let told = doctor_on_hook(&sandbox);
    assert!(
        told.starts_with("fix  hook: git ignores") && told.contains("chmod +x .git/hooks/pre-commit"),
        "{told}"
    );
    let again = sandbox.run(&["init", "--hook"]).ok().stdout;
    assert!(again.contains("chmod +x .git/hooks/pre-commit"), "{again}");
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o111, 0, "init changes no hook");
    // Another hook, then one that calls the check.
    std::fs::write(&path, "#!/bin/sh\n# roundtable check --staged\nexit 0\n").unwrap();
    mode(0o755);
    let told = doctor_on_hook(&sandbox);
    assert!(told.starts_with("note hook: .git/hooks/pre-commit is another hook"), "{told}");
    std::fs::write(&path, "#!/bin/sh\nmake lint\nroundtable check --staged || exit\n").unwrap();
    mode(0o755);
    let told = doctor_on_hook(&sandbox);
    assert!(
        told.starts_with("ok   hook: .git/hooks/pre-commit refuses a commit that loses a line"),
        "{told}"
    );
    // It calls the check, and what comes of that is lost; or git cannot run it.
    for (text, wanted) in [
        ("#!/bin/sh\nroundtable check --staged\ntrue\n", "a commit that loses a line went through"),
        ("#!/bin/sh\nroundtable check --staged || true\n", "a commit that loses a line went through"),
        ("#!/bin/sh\nexit 0\nroundtable check --staged\n", "a commit that loses a line went through"),
        ("#!/bin/sh\necho \"roundtable check --staged\"\n", "a commit that loses a line went through"),
        ("#!/bin/sh\r\nroundtable check --staged\r\n", "git cannot run .git/hooks/pre-commit"),
        ("#!/nowhere/sh\nroundtable check --staged\n", "git cannot run .git/hooks/pre-commit"),
    ] {
        std::fs::write(&path, text).unwrap();
        let told = doctor_on_hook(&sandbox);
        assert!(told.starts_with("fix  hook: ") && told.contains(wanted), "{text:?}: {told}");
    }
    std::fs::write(&path, "#!/bin/sh\nnode_modules/lint || exit 1\nroundtable check --staged\n").unwrap();
    let told = doctor_on_hook(&sandbox);
    assert!(told.starts_with("note hook: whether .git/hooks/pre-commit refuses a loss"), "{told}");
    // A folder that somebody chose wins over ours.
    std::fs::remove_file(&path).unwrap();
    sandbox.run(&["init", "--hook"]).ok();
    git(&sandbox, "git config core.hooksPath team");
    let told = doctor_on_hook(&sandbox);
    assert!(
        told.starts_with(
            "note hook: git looks for hooks where core.hooksPath says, and there is no team/pre-commit"
        ),
        "{told}"
    );
}

#[test]
#[cfg(unix)]
fn hooks_of_other_tools_stay_and_what_to_add_to_them_works() {
    for (name, setup, hook, place, add) in [
        (
            "husky's",
            "git config core.hooksPath .husky/_",
            ".husky/_/pre-commit",
            ".husky/pre-commit",
            "roundtable check --staged\n",
        ),
        (
            "there, and stay",
            "git config core.hooksPath hooks",
            "hooks/pre-commit",
            "hooks/pre-commit",
            "roundtable check --staged || exit\n",
        ),
        ("it stays as it is", "true", HOOK, HOOK, "roundtable check --staged || exit\n"),
    ] {
        let sandbox = sandbox();
        git(&sandbox, setup);
        let path = sandbox.root().join(hook);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let runs = if place == hook { String::new() } else { format!("sh -e {place}\n") };
        let text = format!("#!/bin/sh\necho team ran >&2\n{runs}");
        std::fs::write(&path, &text).unwrap();
        git(&sandbox, &format!("chmod +x {hook}"));
        let said = sandbox.run(&["init", "--hook"]).ok().stdout;
        assert!(said.contains(name) && said.contains(add.trim_end()) && said.contains(place), "{said}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "the team's hook is not touched");
        let before = std::fs::read_to_string(sandbox.root().join(place)).unwrap_or_default();
        std::fs::write(sandbox.root().join(place), format!("{before}{add}")).unwrap();
        let told = doctor_on_hook(&sandbox);
        let wanted = match place == hook {
            true => format!("ok   hook: {place} refuses a commit that loses a line"),
            false => format!("note hook: whether {hook} refuses a loss is not known"),
        };
        assert!(told.starts_with(&wanted), "{told}");
        let spec = format!("{}/requirements-spec.md", crate::kit::ITEM);
        let done = git(
            &sandbox,
            &format!(
                "printf '# Gone\\n' > {spec} && git add {spec} && git -c user.name=Sam -c user.email=s@example.org commit -m x"
            ),
        );
        let said =
            String::from_utf8_lossy(&done.stderr).into_owned() + &String::from_utf8_lossy(&done.stdout);
        assert!(
            !done.status.success() && said.contains("team ran") && said.contains("Requirements"),
            "{said}"
        );
    }
    for (text, file, wanted) in [
        ("#!/bin/sh\ncall_lefthook run pre-commit\n", "lefthook.yml", "run: roundtable check --staged"),
        (
            "#!/bin/sh\n# File generated by pre-commit: https://pre-commit.com\n",
            ".pre-commit-config.yaml",
            "entry: roundtable check --staged",
        ),
    ] {
        let sandbox = sandbox();
        std::fs::create_dir_all(sandbox.root().join(".git/hooks")).unwrap();
        std::fs::write(sandbox.root().join(HOOK), text).unwrap();
        std::fs::write(sandbox.root().join(file), "").unwrap();
        git(&sandbox, &format!("chmod +x {HOOK}"));
        let said = sandbox.run(&["init", "--hook"]).ok().stdout;
        assert!(said.contains(file) && said.contains(wanted), "{said}");
        assert_eq!(written(&sandbox, HOOK), text);
        let advice: String = said
            .lines()
            .skip_while(|line| !line.contains(" in ") && !line.ends_with(&format!("{file}:")))
            .skip(1)
            .map(|line| format!("{line}\n"))
            .collect();
        let advice = if file == "lefthook.yml" { advice } else { format!("repos:\n{advice}") };
        let value: serde_yaml::Value =
            serde_yaml::from_str(&advice).unwrap_or_else(|error| panic!("{error}: {advice}"));
        assert!(value.is_mapping(), "{advice}");
        std::fs::write(sandbox.root().join(file), &advice).unwrap();
        assert!(doctor_on_hook(&sandbox).starts_with(&format!("note hook: {file} calls the check")));
    }
}

#[test]
#[cfg(unix)]
fn a_linked_work_tree_has_the_hook_of_its_repository() {
    let sandbox = sandbox();
    sandbox.run(&["init", "--hook"]).ok();
    git(&sandbox, "git worktree add --quiet ../linked");
    let output = git(&sandbox, "cd ../linked && roundtable doctor --offline");
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("refuses a commit that loses a line"), "{said}");
}

#[test]
fn what_each_rule_stops_is_said_and_layouts_are_recognised_by_their_documents() {
    let plain = sandbox();
    let said = plain.run(&["init"]).ok().stdout;
    assert!(said.contains("docs/requirements/**: content: stops what is removed"), "{said}");
    assert!(said.contains("report_until"), "{said}");
    let sandbox = sandbox();
    sandbox.commit(&[
        ("docs/adr/0001-use-git.md", "# 1. Use git\n"),
        ("CHANGELOG.md", "# Changelog\n\nSee keepachangelog.com.\n"),
        ("specs/openapi.yaml", "openapi: 3.1.0\n"),
        ("text/01-greetings.md", "# Greetings\n\nHello.\n"),
    ]);
    let said = sandbox.run(&["init", "--report-only"]).ok().stdout;
    assert!(said.contains("preset adr: stops changes to an accepted record"), "{said}");
    assert!(said.contains("preset keepachangelog:") && !said.contains("speckit"), "{said}");
    assert!(!said.contains("preset rfc"), "{said}");
    let settings = written(&sandbox, ".roundtable.yaml");
    let config = roundtable::item::config::Config::read("x", settings.as_bytes()).unwrap();
    let day = config.report_until.unwrap();
    assert!(said.contains(&format!("Until {day} all of this is reported only.")), "{said}");
    assert_eq!(config.protect.unwrap().len(), 3, "{settings}");
}

#[test]
fn beside_a_layout_every_item_stays_protected_wherever_it_is() {
    let sandbox = sandbox();
    let meta = r#"{"slug": "fees", "name": "Fees", "analysis_status": "raw"}"#;
    sandbox.commit(&[
        ("docs/adr/0001-use-git.md", "# 1. Use git\n"),
        ("notes/fees/meta.json", meta),
        ("notes/fees/spec.md", "# Fees\n\nA fee is due after 14 days.\n"),
    ]);
    let said = sandbox.run(&["init"]).ok().stdout;
    assert!(said.contains("items elsewhere, each with its meta.json: content"), "{said}");
    let settings = written(&sandbox, ".roundtable.yaml");
    assert!(settings.contains("  - { preset: items }\n  - { preset: adr }\n"), "{settings}");
    sandbox.commit(&[(".roundtable.yaml", settings.as_str())]);
    sandbox.commit(&[("notes/fees/spec.md", "# Fees\n\nA fee is due after 30 days.\n")]);
    let run = sandbox.run(&["check", "--base", "HEAD~1"]);
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("\"14\" became \"30\""), "{}", run.stdout);
}

#[test]
fn a_folder_is_one_of_rfcs_by_its_documents() {
    let sandbox = sandbox();
    sandbox.commit(&[
        ("text/01-greetings.md", "# Greetings\n\nHello.\n"),
        ("text/0012-late-fees.md", "- Feature Name: late fees\n- Start Date: 2026-01-05\n\n# Summary\n"),
    ]);
    let said = sandbox.run(&["init", "--dry-run"]).ok().stdout;
    assert!(said.contains("preset: rfc"), "{said}");
}

#[test]
fn owners_of_declared_losses_are_added_once_and_never_over_what_is_there() {
    let owned = sandbox();
    git(&owned, "git remote add origin git@github.com:library/books.git");
    owned.run(&["init", "--github"]).ok();
    assert!(written(&owned, ".github/CODEOWNERS").ends_with("\n/.roundtable/losses/ @library\n"));
    let sandbox = sandbox();
    std::fs::write(sandbox.root().join("CODEOWNERS"), "* @team\n").unwrap();
    let said = sandbox.run(&["init", "--github"]).ok().stdout;
    assert!(
        said.contains("CODEOWNERS: left as it is") && said.contains("/.roundtable/losses/ @OWNER"),
        "{said}"
    );
    assert_eq!(written(&sandbox, "CODEOWNERS"), "* @team\n");
    assert!(!sandbox.root().join(".github/CODEOWNERS").exists());
}
