//! Every way in which somebody else's words reach the program.

use serde_json::{Value, json};

use crate::forge::{EARLY, Fault, Forge, comment, forge};
use crate::kit::{AT, ITEM, META, Run, SPEC, Sandbox, empty};
use crate::server::{Reply, Server};

/// A step that writes a file of every kind, so that every kind is an exit.
const STEP: &str = "---\nstep_id: \"01-09\"\ntitle: Photos\npersona: business-analyst\ndepth: standard\noutputs: [requirements-spec.md, a.json, b.csv, c.yaml]\n---\n## Brief Mode\nPhotos.\n## Standard Mode\n1. Why photos?\n";
const SETTINGS: &str = "steps: own\ntemplates: templates\nmax_turns: 60\n";

/// What is left behind by an attack: where to look for its traces.
pub struct Left {
    pub sandbox: Sandbox,
    pub forge: Option<Forge>,
    pub runs: Vec<Run>,
    /// What the model was asked.
    pub prompts: Vec<String>,
}

/// A way in: what it is called, and how it is attacked with all of these words at once.
pub struct Entry {
    pub name: &'static str,
    pub attack: fn(&[String]) -> Vec<Left>,
}

macro_rules! entries {
    ($($(#[$when:meta])* $name:ident),* $(,)?) => {
        &[$($(#[$when])* Entry { name: stringify!($name), attack: $name }),*]
    };
}

/// Every way in.
pub const ENTRIES: &[Entry] = entries![
    script_txt,
    script_yaml,
    script_json_with_names,
    issue_as_script,
    issue_with_label,
    open_discussion,
    names_of_users_and_labels,
    model_over_http,
    errors_of_a_model,
    errors_of_github,
    addresses_of_github,
    documents,
    step_files,
    personas,
    templates,
    settings,
    arguments,
    recordings,
    answers,
    #[cfg(unix)]
    model_as_a_command,
    #[cfg(unix)]
    names_of_files,
];

/// The files of the repository under attack.
fn files(more: &[(&str, &str)]) -> Sandbox {
    let sandbox = empty();
    let (meta, spec) = (format!("{ITEM}/meta.json"), format!("{ITEM}/requirements-spec.md"));
    let own = [
        (meta.as_str(), META),
        (spec.as_str(), SPEC),
        (".roundtable.yaml", SETTINGS),
        ("own/01-requirements/09-photos.md", STEP),
        ("templates/README.md", "Texts of our own.\n"),
        ("src/sync.rs", "// offline photos\n"),
    ];
    sandbox.commit(&[&own, more].concat());
    sandbox
}

fn left(sandbox: Sandbox, runs: Vec<Run>) -> Vec<Left> {
    vec![Left { sandbox, forge: None, runs, prompts: Vec::new() }]
}

/// The words as a user says them: as they are, and as a decision, so that they reach the synthesis.
fn said(words: &[String]) -> Vec<String> {
    words.iter().flat_map(|words| [words.clone(), format!("We decided {words}")]).collect()
}

/// A run as Actions has it.
fn run(sandbox: &Sandbox, args: &[&str]) -> Run {
    let mut command = sandbox.command(args);
    command.env("GITHUB_ACTIONS", "true");
    for (name, file) in [
        ("GITHUB_OUTPUT", "output.txt"),
        ("GITHUB_STEP_SUMMARY", "summary.md"),
        ("GITHUB_ENV", "env.txt"),
        ("GITHUB_PATH", "env.txt"),
    ] {
        command.env(name, sandbox.outside(file));
    }
    Run::of(command.output().unwrap())
}

fn elaborate(sandbox: &Sandbox, script: &str, more: &[&str]) -> Run {
    let args = ["elaborate", "offline-mode", "--step", "01-09", "--script", script, "--at", AT];
    run(sandbox, &[&args, more].concat())
}

fn script_txt(words: &[String]) -> Vec<Left> {
    let sandbox = files(&[]);
    let script = sandbox.script("s.txt", format!("{}\n", said(words).join("\n")));
    let done = elaborate(&sandbox, &script, &[]);
    left(sandbox, vec![done])
}

fn script_yaml(words: &[String]) -> Vec<Left> {
    let sandbox = files(&[]);
    // JSON is YAML, but for the signs that YAML wants escaped.
    let text = json!({"user": words[0], "inputs": said(words)}).to_string();
    let text: String = text.chars().map(yaml_sign).collect();
    let script = sandbox.script("s.yaml", text);
    let runs = vec![elaborate(&sandbox, &script, &["--json"])];
    left(sandbox, runs)
}

fn yaml_sign(c: char) -> String {
    if c.is_ascii() && !c.is_ascii_control() || c.is_alphabetic() {
        c.to_string()
    } else {
        format!("\\U{:08X}", u32::from(c))
    }
}

fn script_json_with_names(words: &[String]) -> Vec<Left> {
    let sandbox = files(&[]);
    let inputs: Vec<Value> = said(words).iter().map(|said| json!({"text": said, "by": said})).collect();
    let script = sandbox.script("s.json", json!({"user": words[0], "inputs": inputs}).to_string());
    let rehearsed = elaborate(&sandbox, &script, &["--dry-run"]);
    let done = elaborate(&sandbox, &script, &[]);
    left(sandbox, vec![rehearsed, done])
}

/// An issue whose every word is hostile.
fn hostile(forge: &Forge, words: &[String]) {
    forge.set(|state| {
        state.issue["title"] = json!(words.concat());
        state.issue["body"] = json!(words.join("\n\n"));
        state.comments = said(words)
            .iter()
            .zip(100..)
            .map(|(said, id)| comment(id, "sam", said, EARLY))
            .chain([comment(99, "outsider", &words.concat(), EARLY)])
            .collect();
    });
}

fn issue_as_script(words: &[String]) -> Vec<Left> {
    let sandbox = files(&[]);
    let forge = forge(&sandbox);
    hostile(&forge, words);
    forge.set(|state| state.comments.iter_mut().for_each(|one| one["author_association"] = json!("OWNER")));
    let runs = ["add", "elaborate"].map(|verb| {
        let args: &[&str] = match verb {
            "add" => &["add", "--issue", "7"],
            _ => &["elaborate", "offline-mode", "--step", "01-09", "--issue", "7", "--at", AT],
        };
        let mut command = sandbox.command(args);
        command.env("GITHUB_ACTIONS", "true").env("GITHUB_REPOSITORY", "owner/name");
        Run::of(command.env("GITHUB_API_URL", forge.server.url("/api/v3")).output().unwrap())
    });
    left(sandbox, runs.into())
}

fn issue_with_label(words: &[String]) -> Vec<Left> {
    let sandbox = files(&[]);
    let forge = forge(&sandbox);
    hostile(&forge, words);
    let done = forge.run(&sandbox, "issues", &forge.labeled("roundtable:01-09"), &["run"]);
    vec![Left { sandbox, forge: Some(forge), runs: vec![done], prompts: Vec::new() }]
}

/// A discussion that stays open: one comment a run, and the last one ends it.
fn open_discussion(words: &[String]) -> Vec<Left> {
    let sandbox = files(&[(".roundtable.yaml", &format!("{SETTINGS}github:\n  live: true\n"))]);
    let forge = forge(&sandbox);
    hostile(&forge, words);
    let mut runs = vec![forge.run(&sandbox, "issues", &forge.labeled("roundtable:01-09"), &["run"])];
    let late = "2026-11-20T11:00:00Z";
    forge.set(|state| state.comments.push(comment(400, "sam", "done", late)));
    let mut event = forge.labeled("roundtable:01-09");
    event["action"] = json!("created");
    event["issue"]["labels"] = json!([{"name": "roundtable:open"}]);
    event["comment"] = json!({"body": words.concat(), "created_at": late, "user": {"login": words[0]}});
    runs.push(forge.run(&sandbox, "issue_comment", &event, &["run"]));
    vec![Left { sandbox, forge: Some(forge), runs, prompts: Vec::new() }]
}

/// Logins and labels as nobody can have them on GitHub, in case somebody has.
fn names_of_users_and_labels(words: &[String]) -> Vec<Left> {
    let sandbox = files(&[]);
    let forge = forge(&sandbox);
    forge.set(|state| {
        state.comments.extend(
            words.iter().zip(100..).map(|(login, id)| comment(id, login, "Photos are large.", EARLY)),
        );
        state.labels.extend(words.iter().map(|words| format!("roundtable:{words}")));
    });
    let mut runs = vec![forge.run(&sandbox, "issues", &forge.labeled("roundtable:01-09"), &["run"])];
    let word = words.concat();
    let mut event = forge.labeled("roundtable");
    event["sender"] = json!({"login": word, "id": 5, "type": "User"});
    event["repository"]["default_branch"] = json!(word);
    runs.push(forge.run(&sandbox, "issues", &event, &["run"]));
    runs.push(forge.run(&sandbox, "issues", &forge.labeled(&word), &["run"]));
    runs.push(forge.run(&sandbox, &word, &event, &["run"]));
    let pull = json!({"pull_request": {"base": {"sha": word, "ref": word}, "head": {"sha": word}}});
    runs.push(forge.run(&sandbox, "pull_request", &pull, &["run"]));
    runs.push(forge.run(&sandbox, "workflow_dispatch", &json!({}), &["plan"]));
    vec![Left { sandbox, forge: Some(forge), runs, prompts: Vec::new() }]
}

/// What a hostile model says: a line that is in character, and the words in it; everywhere in the synthesis.
fn spoken(words: &[String]) -> impl FnMut(&str) -> String + Send + use<> {
    let words = words.to_vec();
    let mut next = 0;
    move |prompt| {
        let of = |at: usize| words[at % words.len()].as_str();
        if prompt.contains("The discussion is over. Sum it up") {
            let one = |at: usize| json!({"text": format!("The photo number {at} waits: {}", of(at)), "by": ["Maya Chen", of(at)], "turns": [1, 2, at], "context": of(at), "turn": 4, "rests": [{"path": of(at), "line": 1, "quote": of(at)}]});
            let all: Vec<Value> = (0..words.len()).map(one).collect();
            let turns: Vec<usize> = (1..30).collect();
            return json!({"insights": all, "decisions": all, "open_questions": all, "action_items": all, "proposals": turns}).to_string();
        }
        if prompt.contains("Nobody has spoken yet.") {
            let one = |at: usize| json!({"question": of(at), "why": of(at + 1), "options": [of(at), of(at + 1)], "recommended": of(at), "kind": "value", "quotes": [{"path": "notes.md", "line": 1, "quote": of(at)}]});
            return json!({"points": (0..9).map(one).collect::<Vec<_>>()}).to_string();
        }
        next += 1;
        let text =
            |at: usize| format!("The photo number {} waits on row {next}: {}", next * 7 + at, of(next + at));
        if prompt.contains("Answer these in their order;") {
            let personas = ["business-analyst", "solutions-architect", "system-designer"];
            let messages = [None, Some(0), Some(1), Some(2), Some(3)];
            let said = |(at, (message, persona)): (usize, (Option<usize>, &str))| {
                let proposal = json!({"document": "requirements-spec.md", "anchor": if at % 2 == 0 { "3. User Journeys" } else { of(at) }, "kind": "requirement", "text": of(at)});
                json!({"message": message, "persona": persona, "text": text(at), "proposal": proposal})
            };
            let all = messages.into_iter().flat_map(|message| personas.map(|persona| (message, persona)));
            return json!({"lines": all.enumerate().map(said).collect::<Vec<_>>()}).to_string();
        }
        if next % 2 == 0 { text(0) } else { json!({"pass": false, "text": text(0)}).to_string() }
    }
}

fn model_over_http(words: &[String]) -> Vec<Left> {
    let mut model = spoken(words);
    let server = Server::start(move |seen| {
        let text = model(&String::from_utf8_lossy(&seen.body));
        Reply::json(&json!({"choices": [{"message": {"content": text}}], "usage": {"prompt_tokens": 9}}))
    });
    let sandbox = files(&[(&format!("{ITEM}/notes.md"), &words.join("\n\n"))]);
    let script = sandbox.script("s.json", json!({"inputs": words}).to_string());
    let url = server.url("/v1");
    let done = elaborate(&sandbox, &script, &["--voice", "openai", "--model", "small", "--base-url", &url]);
    let prompts = server.seen().iter().map(|seen| seen.json().to_string()).collect();
    vec![Left { sandbox, forge: None, runs: vec![done], prompts }]
}

/// A program that answers what a model would, from a file that has its answers.
#[cfg(unix)]
fn model_as_a_command(words: &[String]) -> Vec<Left> {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = files(&[]);
    let mut model = spoken(words);
    sandbox.script("synthesis", model("The discussion is over. Sum it up"));
    sandbox.script("round", model("Answer these in their order;"));
    sandbox.script("points", model("Nobody has spoken yet."));
    (1..=80).for_each(|at| drop(sandbox.script(&format!("line{at}"), model(""))));
    let program = sandbox.script(
        "model.sh",
        "#!/bin/sh\ncd \"$(dirname \"$0\")\"\ninput=$(cat)\necho x >> asked\ncat words >&2\ncase \"$input\" in\n*'\"want\":\"synthesis\"'*) cat synthesis;;\n*'\"want\":\"round\"'*) cat round;;\n*'\"want\":\"points\"'*) cat points;;\n*) cat line$(wc -l < asked | tr -d ' ');;\nesac\n",
    );
    sandbox.script("words", words.join("\n"));
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let script = sandbox.script("s.txt", "Alex, what of the photo?\ndone\n");
    let mut runs = Vec::new();
    for ends in ["", "exit 3\n"] {
        let text = std::fs::read_to_string(&program).unwrap();
        std::fs::write(&program, text + ends).unwrap();
        let voice = format!("command:{program}");
        let args = ["elaborate", "offline-mode", "--step", "01-09", "--script", &script, "--voice", &voice];
        let mut command = sandbox.command(&args);
        command.env("GITHUB_ACTIONS", "true").env("PATH", "/usr/bin:/bin");
        runs.push(Run::of(command.output().unwrap()));
    }
    left(sandbox, runs)
}

fn errors_of_a_model(words: &[String]) -> Vec<Left> {
    let sandbox = files(&[]);
    let script = sandbox.script("s.txt", "done\n");
    let mut runs = Vec::new();
    let words = words.join("\n");
    for is_json in [true, false] {
        let body = json!({"error": {"message": words, "type": words, "code": words}, "message": words});
        let body = if is_json { body.to_string() } else { words.clone() };
        let server = Server::start(move |_| Reply::Whole(400, Vec::new(), body.clone().into_bytes()));
        let url = server.url("/v1");
        let voice = ["--voice", "openai", "--model", &words, "--base-url", &url, "--timeout", "5"];
        runs.push(elaborate(&sandbox, &script, &voice));
    }
    left(sandbox, runs)
}

fn errors_of_github(words: &[String]) -> Vec<Left> {
    let sandbox = files(&[]);
    let forge = forge(&sandbox);
    let message = json!({"message": words.concat(), "documentation_url": words.concat()});
    forge.set(|state| {
        for part in ["/issues/7/comments", "/pulls", "/reactions", "/labels"] {
            let header = ("x-accepted-github-permissions".to_owned(), "a=b ::error::x ##[x".to_owned());
            let fault = Fault::Status(403, vec![header], message.clone());
            state.faults.push(("POST".into(), part.into(), fault));
        }
    });
    let event = forge.labeled("roundtable:01-09");
    let mut runs = vec![forge.run(&sandbox, "issues", &event, &["run"])];
    forge.set(|state| {
        state.faults.push(("GET".into(), "/permission".into(), Fault::Status(403, Vec::new(), message)))
    });
    runs.push(forge.run(&sandbox, "issues", &forge.labeled("roundtable:01-01"), &["run"]));
    vec![Left { sandbox, forge: Some(forge), runs, prompts: Vec::new() }]
}

/// Addresses that come from the API, and are put into comments and outputs.
fn addresses_of_github(words: &[String]) -> Vec<Left> {
    let sandbox = files(&[]);
    let forge = forge(&sandbox);
    forge.set(|state| {
        for part in ["/pulls", "/issues/7/comments"] {
            let answer = json!({"id": 77, "html_url": format!("https://github.example/owner/name/pull/1{}", words.concat())});
            state.faults.push(("POST".into(), part.into(), Fault::Status(201, Vec::new(), answer)));
        }
    });
    let runs = vec![forge.run(&sandbox, "issues", &forge.labeled("roundtable:01-09"), &["run"])];
    vec![Left { sandbox, forge: Some(forge), runs, prompts: Vec::new() }]
}

/// Documents and names in the item, and elsewhere in the repository.
fn documents(words: &[String]) -> Vec<Left> {
    let notes: String =
        words.iter().map(|words| format!("- The photo should be fast: {words}\n\n")).collect();
    let meta = json!({"name": words.concat(), "slug": words[0], "source_id": words[0], "analysis_status": "partial"});
    let sandbox = files(&[
        (&format!("{ITEM}/notes.md"), &format!("# Photos\n\n{notes}")),
        (&format!("{ITEM}/data.json"), &json!(words).to_string()),
        (&format!("{ITEM}/meta.json"), &meta.to_string()),
        ("src/photos.rs", &notes.replace('\n', "\n// ")),
    ]);
    let script =
        sandbox.script("s.txt", "everyone, what of the photo?\n\n\nMaya, is the photo fast?\ndone\n");
    let mut runs = vec![
        elaborate(&sandbox, &script, &[]),
        run(&sandbox, &["status"]),
        run(&sandbox, &["status", "offline-mode"]),
        run(&sandbox, &["replay", "--all", "--rev", "main"]),
    ];
    runs.extend(gated(&sandbox, &[(&format!("{ITEM}/notes.md"), "# Photos\n")]));
    left(sandbox, runs)
}

/// The gate over a change, in every form of its report.
fn gated(sandbox: &Sandbox, files: &[(&str, &str)]) -> Vec<Run> {
    let base = sandbox.tip("main").unwrap().to_string();
    sandbox.commit(files);
    let report = |format: &str| run(sandbox, &["check", "--base", &base, "--format", format]);
    ["human", "github", "sarif", "json"].map(report).into()
}

/// Runs with the words in a file of the repository.
fn with_file(path: &str, text: &str) -> Vec<Left> {
    let sandbox = files(&[(path, text)]);
    let script = sandbox.script("s.txt", "Maya, is the photo fast?\ndone\n");
    let runs = vec![
        elaborate(&sandbox, &script, &[]),
        run(&sandbox, &["steps", "list"]),
        run(&sandbox, &["steps", "show", "01-09"]),
        run(&sandbox, &["steps", "check"]),
    ];
    left(sandbox, runs)
}

/// All of the words as one value of a YAML file.
fn quoted(words: &[String]) -> String {
    let line: String = words.concat().replace('\n', " ").chars().take(180).collect();
    json!(line).to_string().chars().map(yaml_sign).collect()
}

fn step_files(words: &[String]) -> Vec<Left> {
    let quoted = quoted(words);
    let step = STEP.replace("title: Photos", &format!("title: {quoted}\ntopics: [{quoted}]"));
    let questions: String = words
        .iter()
        .zip(2..)
        .map(|(words, at)| format!("{at}. Which {}?\n", words.replace('\n', " ")))
        .collect();
    let rest = words.join("\n- ");
    let text = format!("{step}{questions}## Validation\n- {rest}\n## Artifacts\n- {rest}\n");
    with_file("own/01-requirements/09-photos.md", &text)
}

fn personas(words: &[String]) -> Vec<Left> {
    let mut text = include_str!("../../../steps/personas/business-analyst.md").to_owned();
    for (key, value) in [("role", "Business Analyst"), ("short_role", "BA"), ("lens", "user needs")] {
        text = text.replace(&format!("{key}: {value}"), &format!("{key}: {}", quoted(words)));
    }
    with_file("own/personas/business-analyst.md", &text)
}

/// A template is the repository's own text; what is wrong with one is said like anything else.
fn templates(words: &[String]) -> Vec<Left> {
    let broken = with_file("templates/notices/closing.txt", &format!("{{% if {}\n", words.join("\n")));
    let text: String = words.concat().replace(['{', '}', '#'], "");
    let said = with_file("templates/notices/closing.txt", &format!("{text}\n"));
    broken.into_iter().chain(said).collect()
}

fn settings(words: &[String]) -> Vec<Left> {
    let quoted = quoted(words);
    let of = |more: String| with_file(".roundtable.yaml", &format!("{SETTINGS}{more}\n"));
    [format!("voice: {quoted}"), format!("{quoted}: x"), format!("items: {quoted}")]
        .into_iter()
        .flat_map(of)
        .collect()
}

/// Arguments, which a workflow may take from an event.
fn arguments(words: &[String]) -> Vec<Left> {
    let sandbox = files(&[]);
    let script = sandbox.script("s.txt", "done\n");
    let mut runs = Vec::new();
    // Each of the words in other places than the one before it.
    for (at, words) in words.iter().enumerate() {
        let words = words.as_str();
        let all = [
            vec![words],
            vec!["elaborate", words, "--step", words, "--script", &script],
            vec!["elaborate", "offline-mode", "--step", "01-09", "--script", words],
            vec!["elaborate", "offline-mode", "--step", "01-09", "--script", &script, "--branch", words],
            vec!["elaborate", "offline-mode", "--step", "01-09", "--script", &script, "--max-turns", words],
            vec!["elaborate", "offline-mode", "--step", "01-09", "--script", &script, "--voice", words],
            vec!["check", "--base", words, "--head", "main"],
            vec!["check", "--base", "main", "--head", "main", words],
            vec!["check", "--format", words],
            vec!["show", words],
            vec!["why", words],
            vec!["replay", words],
            vec!["status", words],
            vec!["steps", "show", words],
            vec!["steps", "check", words],
            vec!["github", "run", "--issue", words],
            vec!["init", "--dry-run", "--action", words],
            vec!["--repo", words, "status"],
            vec!["--json", words],
            vec!["--json", "steps", "list", words],
        ];
        runs.extend(all.iter().skip(at % 4).step_by(4).map(|args| run(&sandbox, args)));
    }
    left(sandbox, runs)
}

/// A recording that somebody hands in, closed again over what was changed in it.
fn recordings(words: &[String]) -> Vec<Left> {
    let sandbox = files(&[]);
    let script = sandbox.script("s.txt", "Maya, WORDS?\nWe decided WORDS.\ndone\n");
    let out = sandbox.outside("talk.jsonl");
    elaborate(&sandbox, &script, &["--out", out.to_str().unwrap()]).ok();
    let log = std::fs::read_to_string(&out).unwrap();
    let words = words.join("\n");
    let forged: Vec<String> = log.lines().map(|line| forged(line, &words)).collect();
    let path = sandbox.script("forged.jsonl", forged.join("\n") + "\n");
    let shown = ["text", "markdown", "html"].map(|format| ["show", &path, "--format", format]);
    let mut runs: Vec<Run> = shown.iter().map(|args| run(&sandbox, args)).collect();
    for args in [["show", &path, "--json"], ["show", &path, "--integrity"], ["replay", &path, "--json"]] {
        runs.push(run(&sandbox, &args));
    }
    runs.push(run(&sandbox, &["replay", &path, "--onto", "main"]));
    left(sandbox, runs)
}

/// An event with every word in it changed.
fn forged(line: &str, words: &str) -> String {
    let mut event: Value = serde_json::from_str(line).unwrap();
    for (key, value) in event.as_object_mut().unwrap() {
        let is_word = matches!(key.as_str(), "text" | "item_name" | "user" | "summary" | "model" | "voice");
        if is_word || key == "by" && value == "User" {
            *value = json!(words);
        }
    }
    event.to_string()
}

/// The answers of an analysis.
fn answers(words: &[String]) -> Vec<Left> {
    let sandbox = files(&[]);
    let answers: serde_json::Map<String, Value> =
        ["00-01", "01-01", "01-02", "01-03"].iter().map(|step| ((*step).to_owned(), json!(words))).collect();
    let script = json!({"user": words[0], "answers": answers}).to_string();
    let script = sandbox.script("s.json", script);
    let done = run(&sandbox, &["analyze", "offline-mode", "--script", &script, "--at", AT]);
    let status = run(&sandbox, &["status", "offline-mode"]);
    left(sandbox, vec![done, status])
}

/// Files and folders whose names are hostile.
#[cfg(unix)]
fn names_of_files(words: &[String]) -> Vec<Left> {
    let name = |words: &String| {
        let name: String = words.chars().filter(|c| !matches!(c, '/' | '\0')).collect();
        name.chars().take(60).collect::<String>()
    };
    let paths: Vec<String> = words
        .iter()
        .map(name)
        .flat_map(|name| {
            [
                format!("{ITEM}/{name}.md"),
                format!("src/{name}/photo.rs"),
                format!("docs/requirements/{name}/meta.json"),
            ]
        })
        .collect();
    let texts: Vec<(&str, &str)> = paths
        .iter()
        .map(|path| {
            (path.as_str(), if path.ends_with(".json") { META } else { "- The photo should be fast.\n" })
        })
        .collect();
    let sandbox = files(&texts);
    let script = sandbox.script("s.txt", "everyone, what of the photo?\nMaya, is the photo fast?\ndone\n");
    let mut runs = vec![elaborate(&sandbox, &script, &[]), run(&sandbox, &["status"])];
    runs.push(run(&sandbox, &["replay", "--all", "--rev", "main"]));
    // And the gate over what becomes of them.
    let gone: Vec<(&str, &str)> = texts.iter().map(|(path, _)| (*path, "gone\n")).collect();
    runs.extend(gated(&sandbox, &gone));
    runs.extend(paths.iter().take(4).map(|path| run(&sandbox, &["why", path])));
    left(sandbox, runs)
}

/// What one way in leaves.
pub fn named(name: &str, words: &[String]) -> Vec<Left> {
    (ENTRIES.iter().find(|entry| entry.name == name).unwrap().attack)(words)
}
