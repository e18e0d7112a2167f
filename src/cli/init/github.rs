//! `roundtable init --github`: the workflows, the owners of declared losses, and the commands that are left to do.

use std::path::Path;

use super::{FileState, InitArgs, Only, SetupFile, Voice};
use crate::cli::doctor::NO_ADDRESS_STEP;
use crate::cli::exit::Fail;
use crate::cli::screen::Screen;
use crate::git::Repo;
use crate::text::plain;

/// The action of this build, `OWNER/REPOSITORY@COMMIT`; set in releases.
const ACTION: Option<&str> = option_env!("ROUNDTABLE_ACTION");
/// All workflows that are written here.
pub const WORKFLOWS: [&str; 4] = [DISCUSS, CHECK, REVIEW, BACKLOG];
const DISCUSS: &str = ".github/workflows/roundtable.yml";
const CHECK: &str = ".github/workflows/roundtable-check.yml";
const REVIEW: &str = ".github/workflows/roundtable-review.yml";
const BACKLOG: &str = ".github/workflows/roundtable-backlog.yml";
/// Where GitHub looks for the owners of files; the first one there is counts.
const OWNERS: [&str; 3] = [".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"];
/// Who owns declared losses must approve them.
const LOSSES: &str = "/.roundtable/losses/";

/// What is left to do by hand, as commands in order. What the program does not know comes first.
pub fn next(options: &InitArgs, action: Option<&str>, found: &[(SetupFile, FileState)], screen: &Screen) {
    let paths: Vec<&str> = found.iter().map(|(file, _)| file.path.as_str()).collect();
    let answers_labels = options.only.is_none();
    let mut steps = vec![unknown(action, found), commit(&paths)];
    if answers_labels {
        steps.push(labels(options));
    }
    steps.push(rights(options));
    steps.push(secret(options.voice));
    for (step, number) in steps.iter().filter(|step| !step.is_empty()).zip(1..) {
        let space = if number == 1 { "\n" } else { "" };
        screen.say(&format!("{space}{number}. {}", step.join("\n  ")));
    }
    if options.voice == Voice::Openai {
        screen.note("the voice openai has no default model: name one in .roundtable.yaml");
    }
}

/// A step: a sentence, and the commands or files below it; empty where there is nothing to do.
type NextStep = Vec<String>;

/// What has to be written into the files by hand.
fn unknown(action: Option<&str>, found: &[(SetupFile, FileState)]) -> NextStep {
    let mut missing = Vec::new();
    if action.is_none() {
        missing.push(
            "the address of roundtable's action, with `roundtable init --github --action OWNER/REPOSITORY@COMMIT`; until then the jobs fail and say so"
                .to_owned(),
        );
    }
    let nobody = format!("{LOSSES} @OWNER\n");
    if let Some((file, _)) = found.iter().find(|(file, _)| file.text.ends_with(&nobody)) {
        missing.push(format!("who approves declared losses, in place of @OWNER in {}", file.path));
    }
    match missing.is_empty() {
        true => NextStep::new(),
        false => ["Add what this program does not know:".to_owned()].into_iter().chain(missing).collect(),
    }
}

fn commit(paths: &[&str]) -> NextStep {
    vec![
        "Commit the files:".to_owned(),
        format!("git add {}", paths.join(" ")),
        "git commit -m \"Set up roundtable\"".to_owned(),
        "git push".to_owned(),
    ]
}

fn labels(options: &InitArgs) -> NextStep {
    let used = LABELS.iter().filter(|(label, _)| options.live || !label.ends_with(":close"));
    let made = used.map(|(label, what)| format!("gh label create {label} --force --description \"{what}\""));
    ["Make the labels (a step has one of its own, such as roundtable:01-03):".to_owned()]
        .into_iter()
        .chain(made)
        .collect()
}

/// What the workflows need of the repository's settings.
fn rights(options: &InitArgs) -> NextStep {
    let pulls = "gh api --method PUT repos/{owner}/{repo}/actions/permissions/workflow -f default_workflow_permissions=read -F can_approve_pull_request_reviews=true";
    let check = "gh api --method POST repos/{owner}/{repo}/rulesets -f name=roundtable -f target=branch -f enforcement=active -f \"conditions[ref_name][include][]=~DEFAULT_BRANCH\" -f \"conditions[ref_name][exclude][]\" -f \"rules[][type]=required_status_checks\" -F \"rules[][parameters][strict_required_status_checks_policy]=false\" -f \"rules[][parameters][required_status_checks][][context]=additive\"";
    let all: &[&str] = match options.only {
        None => &["Let Actions open pull requests, and require the check:", pulls, check],
        Some(Only::Check) => &["Require the check:", check],
        Some(Only::Review) => &[],
    };
    all.iter().map(|line| (*line).to_owned()).collect()
}

fn secret(voice: Voice) -> NextStep {
    let Some(secret) = voice.secret() else { return NextStep::new() };
    vec![
        "Make the environment of the model's key, for the default branch only, and put the key there:".to_owned(),
        "gh api --method PUT repos/{owner}/{repo}/environments/roundtable-model -F \"deployment_branch_policy[protected_branches]=false\" -F \"deployment_branch_policy[custom_branch_policies]=true\"".to_owned(),
        "gh api --method POST repos/{owner}/{repo}/environments/roundtable-model/deployment-branch-policies -f name=\"$(gh repo view --json defaultBranchRef --jq .defaultBranchRef.name)\"".to_owned(),
        format!("gh secret set {secret} --env roundtable-model"),
    ]
}

/// The labels that are made by hand; the program makes those of the results.
const LABELS: [(&str, &str); 3] = [
    ("roundtable", "Discuss this issue"),
    ("roundtable:analyze", "Go on with the analysis of this issue"),
    ("roundtable:close", "End the open discussion"),
];

/// The action that workflows are to use; none where nobody has told its address.
///
/// # Errors
/// An address in another form.
pub fn action(options: &InitArgs) -> Result<Option<String>, Fail> {
    let Some(named) = options.action.as_deref().or(ACTION) else { return Ok(None) };
    let is_word = |text: &str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./".contains(&byte))
    };
    let parts = named.split_once('@').filter(|(name, at)| {
        is_word(name)
            && name.matches('/').count() == 1
            && !named.contains("..")
            && at.len() == 40
            && at.bytes().all(|byte| byte.is_ascii_hexdigit())
    });
    match parts {
        Some(_) => Ok(Some(named.to_owned())),
        None => Err(Fail::new(format!("--action is \"{}\"", plain::shown(named)))
            .with_hint("write it like OWNER/REPOSITORY@COMMIT, with the commit's 40 digits")),
    }
}

/// The workflows, as this repository is to have them.
pub fn workflows(options: &InitArgs, action: Option<&str>) -> Vec<SetupFile> {
    let filled = |text: &str| {
        let text = listening(text, options);
        let text = match action {
            Some(action) => {
                let version = concat!("v", env!("CARGO_PKG_VERSION"));
                text.replace("__ACTION__", action).replace("__VERSION__", version)
            }
            None => without_address(&text),
        };
        match options.voice {
            Voice::Openai => text
                .replace("voice: anthropic", "voice: openai")
                .replace("anthropic-api-key", "openai-api-key")
                .replace("ANTHROPIC_API_KEY", "OPENAI_API_KEY"),
            Voice::Secretary | Voice::Anthropic => text,
        }
    };
    let workflow = match options.voice {
        Voice::Secretary => include_str!("roundtable.yml"),
        Voice::Anthropic | Voice::Openai => include_str!("roundtable-model.yml"),
    };
    let mut all = vec![
        (DISCUSS, workflow),
        (CHECK, include_str!("roundtable-check.yml")),
        (REVIEW, include_str!("roundtable-review.yml")),
    ];
    if options.backlog {
        all.push((BACKLOG, include_str!("roundtable-backlog.yml")));
    }
    let is_wanted = |path: &str| match options.only {
        None => true,
        Some(Only::Check) => path == CHECK,
        Some(Only::Review) => path == REVIEW,
    };
    let wanted = all.into_iter().filter(|(path, _)| is_wanted(path));
    wanted.map(|(path, text)| SetupFile::text(path, filled(text))).collect()
}

const NO_ADDRESS: &str = "OWNER/REPOSITORY@COMMIT";

/// A workflow whose steps with the action are comments, since nobody has told its address: the job fails with one
/// sentence that says what to do. [`with_address`] is the way back.
fn without_address(workflow: &str) -> String {
    let lines: Vec<&str> = workflow.lines().collect();
    let mut text = String::new();
    let mut at = 0;
    while at < lines.len() {
        let begin = indent(lines[at]);
        let is_step = lines[at].trim_start().starts_with("- ");
        let more = lines[at + 1..].iter().take_while(|line| !line.trim().is_empty() && indent(line) > begin);
        let step = &lines[at..=at + more.count()];
        if !is_step || !step.iter().any(|line| line.contains("uses: __ACTION__")) {
            text.push_str(&format!("{}\n", lines[at]));
            at += 1;
            continue;
        }
        let blank = &lines[at][..begin];
        let id = step.iter().find_map(|line| line.trim_start_matches(['-', ' ']).strip_prefix("id: "));
        let id = id.map(|id| format!("  id: {id}"));
        let fails = [
            "  run: |".to_owned(),
            format!(
                "    echo \"::error::The address of roundtable's action is missing: run 'roundtable init --github --action {NO_ADDRESS}' and commit what it changes\""
            ),
            "    exit 1".to_owned(),
        ];
        for line in [NO_ADDRESS_STEP.to_owned()].into_iter().chain(id).chain(fails) {
            text.push_str(&format!("{blank}{line}\n"));
        }
        for line in step {
            let line = line.replace("__ACTION__ # __VERSION__", NO_ADDRESS);
            text.push_str(&format!("{blank}# {}\n", &line[begin..]));
        }
        at += step.len();
    }
    text
}

/// A workflow of [`without_address`] with this address in the steps that lack one; none where no step does.
pub fn with_address(workflow: &str, action: &str) -> Option<String> {
    let address = format!("{action} # v{}", env!("CARGO_PKG_VERSION"));
    let mut text = String::new();
    let mut lines = workflow.split_inclusive('\n').peekable();
    let mut is_changed = false;
    while let Some(line) = lines.next() {
        if line.trim() != NO_ADDRESS_STEP {
            text.push_str(line);
            continue;
        }
        is_changed = true;
        let begin = indent(line);
        while lines.next_if(|line| indent(line) > begin).is_some() {}
        let is_first = |line: &str| indent(line) == begin && line.trim_start().starts_with("# - ");
        let is_more = |line: &str| indent(line) == begin && line.trim_start().starts_with("#   ");
        let first = lines.next_if(|line| is_first(line));
        let more = std::iter::from_fn(|| lines.next_if(|line| is_more(line)));
        for line in first.into_iter().chain(more) {
            text.push_str(&format!("{}{}", &line[..begin], &line[begin + 2..]).replace(NO_ADDRESS, &address));
        }
    }
    is_changed.then_some(text)
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// A workflow that listens to comments, too, where that is asked for. A stranger's comment starts no job.
fn listening(workflow: &str, options: &InitArgs) -> String {
    let types = match (options.live, options.ticks) {
        (true, true) => "created, edited",
        (true, false) => "created",
        (false, true) => "edited",
        (false, false) => return workflow.to_owned(),
    };
    let comments = format!(
        "  # A comment goes on with a discussion that is open, and begins none; a tick in a comment of roundtable is a\n  # decision. The program asks whose it is before it reads a word.\n  issue_comment: # zizmor: ignore[dangerous-triggers] its words are data in `env`, in no script\n    types: [{types}]\n"
    );
    let open = "      (github.event_name == 'issue_comment' && github.event.action == 'created' && !github.event.issue.pull_request &&\n      contains(github.event.issue.labels.*.name, 'roundtable:open') && github.event.sender.type == 'User' &&\n      !contains(fromJSON('[\"NONE\", \"FIRST_TIMER\", \"FIRST_TIME_CONTRIBUTOR\", \"MANNEQUIN\"]'), github.event.comment.author_association)) ||\n";
    let tick = "      (github.event_name == 'issue_comment' && github.event.action == 'edited' && !github.event.issue.pull_request &&\n      startsWith(github.event.comment.body, '<!-- roundtable:') && github.event.comment.user.type == 'Bot' &&\n      github.event.sender.type == 'User') ||\n";
    let begins = format!("{}{}", if options.live { open } else { "" }, if options.ticks { tick } else { "" });
    let after = |text: &str, line: &str, more: &str| text.replacen(line, &format!("{line}{more}"), 1);
    let text = after(workflow, "    types: [labeled]\n", &comments);
    after(&text, "      github.event_name == 'workflow_dispatch' ||\n", &begins)
}

/// The settings with which actionlint knows the workflow that answers labels, where the repository has none.
pub fn actionlint(root: &Path, options: &InitArgs) -> Option<SetupFile> {
    let is_needed = options.only.is_none() && !root.join(".github/actionlint.yml").exists();
    is_needed.then(|| SetupFile::text(".github/actionlint.yaml", include_str!("actionlint.yaml")))
}

/// The owners of declared losses, where the repository names no owners yet.
pub fn owners(root: &Path, repo: &Repo) -> Option<SetupFile> {
    if OWNERS.iter().any(|path| root.join(path).exists()) {
        return None;
    }
    let owner = repo.setting("remote.origin.url").and_then(|url| owner_of(&url));
    let text = format!(
        "# A pull request that declares a loss needs the approval of these people (require reviews by code owners).\n# An organisation is not an owner: name a team of it, such as @ORGANISATION/TEAM.\n{LOSSES} @{}\n",
        owner.as_deref().unwrap_or("OWNER")
    );
    Some(SetupFile::text(OWNERS[0], text))
}

/// Says what an existing file of owners lacks.
pub fn tell_owners(root: &Path, found: &[(SetupFile, FileState)], screen: &Screen) {
    if found.iter().any(|(file, _)| file.path == OWNERS[0]) {
        return;
    }
    let Some(path) = OWNERS.iter().find(|path| root.join(path).exists()) else { return };
    let text = std::fs::read_to_string(root.join(path)).unwrap_or_default();
    match text.lines().any(|line| !line.starts_with('#') && line.contains(".roundtable/losses")) {
        true => screen.say(&format!("{path}: {}", FileState::Same.name(false))),
        false => {
            screen.say(&format!("{path}: {}", FileState::Other.name(false)));
            screen.say(&format!(
                "  add this line at its end, with the owners of your documents: {LOSSES} @OWNER"
            ));
        }
    }
}

/// The owner in the address of a repository on GitHub.
fn owner_of(url: &str) -> Option<String> {
    let rest = url.split_once("github.com").map(|(_, rest)| rest.trim_start_matches([':', '/']))?;
    let owner = rest.split('/').next()?;
    let is_name = !owner.is_empty() && owner.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    is_name.then(|| owner.to_owned())
}
