//! Every place in which somebody else's words can come out again, and how each is judged: by readers
//! that are not roundtable's own.

use std::collections::BTreeSet;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use serde_json::Value;

use super::entries::Left;
use crate::kit::{ITEM, Run, SPEC, Sandbox};

/// How a text is judged: by a panic where it is more than it should be.
type Judge = fn(&Exit);

/// What came out somewhere.
pub struct Exit {
    /// Where.
    pub place: String,
    pub text: String,
    judge: Judge,
}

impl Exit {
    fn new(place: impl Into<String>, text: impl Into<String>, judge: Judge) -> Exit {
        Exit { place: place.into(), text: text.into(), judge }
    }

    /// Panics where something that was said is more than text there.
    pub fn judge(&self) {
        (self.judge)(self);
    }

    #[track_caller]
    fn wrong(&self, what: &str, found: impl std::fmt::Debug) -> ! {
        panic!("{what} in {}: {found:?}\n{:?}", self.place, self.text)
    }
}

/// A way out: every text that an attack has left there.
type Way = fn(&Left) -> Vec<Exit>;

/// Every way out.
pub const EXITS: &[Way] = &[
    printed,
    branches,
    messages,
    documents,
    shown,
    comments,
    pull_requests,
    labels,
    outputs,
    summary,
    environment,
    prompts,
];

fn printed(left: &Left) -> Vec<Exit> {
    let of = |at: usize, run: &Run| {
        [
            Exit::new(format!("standard output of run {at}"), run.stdout.as_str(), log),
            Exit::new(format!("standard error of run {at}"), run.stderr.as_str(), log),
        ]
    };
    left.runs.iter().enumerate().flat_map(|(at, run)| of(at, run)).collect()
}

/// Branches that roundtable made, with their tips.
fn made(sandbox: &Sandbox) -> Vec<(String, git2::Commit<'_>)> {
    let branches = sandbox.git.branches(Some(git2::BranchType::Local)).unwrap();
    branches
        .map(|branch| branch.unwrap().0.into_reference())
        .map(|branch| (branch.shorthand().unwrap().to_owned(), branch.peel_to_commit().unwrap()))
        .filter(|(name, _)| name != "main")
        .collect()
}

/// The files that a branch has and its base has not as they are.
fn changed(sandbox: &Sandbox, tip: &git2::Commit<'_>) -> Vec<(String, String)> {
    let base = sandbox.git.merge_base(tip.id(), sandbox.tip("main").unwrap()).unwrap();
    let base = sandbox.git.find_commit(base).unwrap().tree().unwrap();
    let diff = sandbox.git.diff_tree_to_tree(Some(&base), Some(&tip.tree().unwrap()), None).unwrap();
    let file = |delta: git2::DiffDelta<'_>| {
        let blob = sandbox.git.find_blob(delta.new_file().id()).unwrap();
        let path = delta.new_file().path().unwrap().to_str().unwrap().to_owned();
        (path, String::from_utf8(blob.content().to_vec()).unwrap())
    };
    diff.deltas().map(file).collect()
}

fn branches(left: &Left) -> Vec<Exit> {
    let mut names = Vec::new();
    for (name, tip) in made(&left.sandbox) {
        names.extend(changed(&left.sandbox, &tip).into_iter().map(|(path, _)| path));
        names.push(name);
    }
    names.into_iter().map(|name| Exit::new("a branch or path", name, plain_name)).collect()
}

/// A name that no shell, file system or URL takes for anything else.
fn plain_name(exit: &Exit) {
    let ok = |part: &str| {
        !part.starts_with(['.', '-'])
            && !part.ends_with('.')
            && !part.is_empty()
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
    };
    if !exit.text.split('/').all(ok) {
        exit.wrong("a name", &exit.text);
    }
}

fn messages(left: &Left) -> Vec<Exit> {
    let mut found = Vec::new();
    for (_, tip) in made(&left.sandbox) {
        let mut commit = tip;
        while commit.parent_count() > 0 && commit.message().unwrap() != "documents" {
            let who = [commit.author().to_string(), commit.committer().to_string()];
            for who in who {
                found.push(Exit::new("an author", who, |exit| {
                    // Nobody says who they are here, on a machine of one's own or in a job.
                    let bot = "github-actions[bot] <41898282+github-actions[bot]@users.noreply.github.com>";
                    if exit.text != "roundtable <roundtable@localhost>" && exit.text != bot {
                        exit.wrong("an author", &exit.text);
                    }
                }));
            }
            found.push(Exit::new("a commit message", commit.message().unwrap(), message));
            commit = commit.parent(0).unwrap();
        }
    }
    found
}

/// git reads our trailers and no other, and the rest is our templates'.
fn message(exit: &Exit) {
    let mut git = std::process::Command::new("git");
    git.args(["interpret-trailers", "--parse"]).stdin(std::process::Stdio::piped());
    let mut child = git.stdout(std::process::Stdio::piped()).spawn().expect("the tests need git");
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), exit.text.as_bytes()).unwrap();
    let trailers = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    for line in trailers.lines() {
        let (name, value) = line.split_once(": ").unwrap();
        let known = [
            "Item",
            "Step",
            "Turns",
            "Exit",
            "Recording",
            "Run",
            "Analysis",
            "Answers",
            "Phase",
            "Log",
            "Heard",
        ];
        let ours = name.strip_prefix("Roundtable-").is_some_and(|name| known.contains(&name));
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./,: ".contains(&byte);
        if !ours || !value.bytes().all(plain) {
            exit.wrong("a trailer", line);
        }
    }
    let body = exit.text.split("\nRoundtable-").next().unwrap();
    let plain = |c: char| c == '\n' || c.is_ascii_alphanumeric() || " -_.,:;()".contains(c);
    if !body.chars().all(plain) || body.contains("photo number") {
        exit.wrong("words", body);
    }
    clean(exit);
}

fn documents(left: &Left) -> Vec<Exit> {
    let mut found = Vec::new();
    for (_, tip) in made(&left.sandbox) {
        for (path, text) in changed(&left.sandbox, &tip) {
            let judge: Judge = match path.rsplit('.').next().unwrap() {
                "md" if path.ends_with("/draft.md") => draft,
                "md" => artifact,
                "json" => |exit| drop(json(exit)),
                "jsonl" => |exit| {
                    for line in exit.text.lines() {
                        let event: Value =
                            serde_json::from_str(line).unwrap_or_else(|_| exit.wrong("no JSON", line));
                        strings(&event, &mut |text| seen(exit, text));
                    }
                },
                "yaml" => yaml,
                "csv" => csv,
                _ => |exit| exit.wrong("a file", &exit.place),
            };
            found.push(Exit::new(path, text, judge));
        }
    }
    found
}

/// The text of an issue keeps its author's markup, and has no marker and nothing that cannot be seen; below it are the
/// blocks of discussions.
fn draft(exit: &Exit) {
    let is_block = |line: &str| is_marker(&format!("html {line}"));
    let block = exit.text.lines().find(|line| is_block(line)).and_then(|line| exit.text.find(line));
    let (issue, blocks) = exit.text.split_at(block.unwrap_or(exit.text.len()));
    if issue.contains("<!--") {
        exit.wrong("a marker", "");
    }
    clean(exit);
    if !blocks.is_empty() {
        artifact(&Exit::new(&exit.place, blocks, artifact));
    }
}

/// Nothing but text was added to a document: headings are the templates', markers are well formed.
fn artifact(exit: &Exit) {
    let allowed = |node: &str| {
        is_marker(node)
            || node.starts_with("heading ")
                && (SPEC.contains(node.trim_start_matches("heading ")) || is_template(&node[8..]))
    };
    structure(exit, &exit.text, &allowed);
    clean(exit);
    // What HTML does not close swallows the rest of a page, wherever it stands.
    let ours = exit.text.lines().filter(|line| is_marker(&format!("html {line}"))).count();
    if exit.text.matches("<!--").count() != ours || exit.text.matches("-->").count() != ours {
        exit.wrong("a marker", ours);
    }
}

fn is_marker(node: &str) -> bool {
    let inner = |rest: &str| rest.strip_suffix(" -->").map(str::to_owned);
    let mark = |what: &str| node.strip_prefix(&format!("html <!-- {what}: step ")).and_then(inner);
    mark("Elaboration").or_else(|| mark("Analysis")).is_some_and(|inner| {
        let (step, at) = inner.split_once(", ").unwrap_or_default();
        step.len() == 5 && at.len() == 24 && at.starts_with("20") && at.ends_with('Z')
    })
}

/// Headings that templates write, in documents, comments and pages.
fn is_template(heading: &str) -> bool {
    let whole = [
        "Key Insights",
        "Decisions Made",
        "Open Questions",
        "Action Items",
        "Additional Insights from Elaboration",
        "Discussion",
        "Summary",
        "At the table",
        "roundtable did nothing",
        "Photos",
    ];
    whole.contains(&heading)
        || heading.starts_with("Elaboration Insights (Step 01-0")
        || heading.starts_with("01-09: ")
        || heading.starts_with("Photos: ")
        || heading.ends_with(": offline mode")
        || !heading.to_lowercase().contains("photo") && !heading.contains("evil")
}

/// Every node of a text that is more than words, as one text each.
fn nodes(text: &str) -> (Vec<String>, String) {
    let (mut found, mut words, mut heading) = (Vec::new(), String::new(), None::<String>);
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_GFM
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES;
    let mut code = false;
    for event in Parser::new_ext(text, options) {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => found.push(format!("heading {}", heading.take().unwrap())),
            Event::Start(Tag::Link { dest_url, .. }) => found.push(format!("link {dest_url}")),
            Event::Start(Tag::Image { dest_url, .. }) => found.push(format!("image {dest_url}")),
            Event::Start(Tag::CodeBlock(kind)) => {
                code = true;
                found.push(format!("code block {kind:?}"));
            }
            Event::End(TagEnd::CodeBlock) => code = false,
            Event::Start(Tag::Table(_)) => found.push("table".to_owned()),
            Event::Start(Tag::Strikethrough) => found.push("strikethrough".to_owned()),
            Event::Start(Tag::FootnoteDefinition(_)) | Event::FootnoteReference(_) => {
                found.push("footnote".to_owned())
            }
            Event::TaskListMarker(_) => found.push("task".to_owned()),
            Event::Rule => found.push("rule".to_owned()),
            // Code between backticks is words in another type: it does nothing, and is judged as words are.
            Event::Code(text) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&text);
                }
                words.push_str(&text);
            }
            Event::Html(text) | Event::InlineHtml(text) => found.push(format!("html {}", text.trim_end())),
            Event::Text(text) if !code => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&text);
                }
                words.push_str(&text);
            }
            Event::SoftBreak | Event::HardBreak | Event::End(_) => words.push('\n'),
            _ => {}
        }
    }
    (found, words)
}

/// A text has no node but those that are allowed; returns its words as a reader of the page sees them.
fn structure(exit: &Exit, text: &str, allowed: &dyn Fn(&str) -> bool) -> String {
    let (nodes, words) = nodes(text);
    if let Some(node) = nodes.iter().find(|node| !allowed(node)) {
        exit.wrong("a node", node);
    }
    words
}

fn json(exit: &Exit) -> Value {
    let value: Value = serde_json::from_str(&exit.text).unwrap_or_else(|error| exit.wrong("no JSON", error));
    if !exit.place.ends_with("offline-mode/meta.json")
        && (exit.text.contains("<!--") || exit.text.contains("-->"))
    {
        exit.wrong("a marker", "");
    }
    value
}

fn yaml(exit: &Exit) {
    // Everything that was said stands in comments.
    let value: serde_yaml::Value =
        serde_yaml::from_str(&exit.text).unwrap_or_else(|error| exit.wrong("no YAML", error.to_string()));
    let interface = exit.place.ends_with("c.yaml");
    if interface && !value.is_null() {
        exit.wrong("a value", value);
    }
    clean(exit);
}

fn csv(exit: &Exit) {
    let mut reader = csv::Reader::from_reader(exit.text.as_bytes());
    for row in reader.records() {
        let row = row.unwrap_or_else(|error| exit.wrong("no CSV", error.to_string()));
        if let Some(cell) = row.iter().find(|cell| cell.starts_with(['=', '+', '-', '@', '\t', '\r'])) {
            exit.wrong("a formula", cell);
        }
    }
    clean(exit);
}

/// What `show` makes of each recording.
fn shown(left: &Left) -> Vec<Exit> {
    let mut found = Vec::new();
    for (name, tip) in made(&left.sandbox) {
        for (path, _) in changed(&left.sandbox, &tip).into_iter().filter(|(path, _)| path.ends_with("jsonl"))
        {
            let ways: [(&str, Judge); 4] =
                [("text", log), ("markdown", page), ("html", html), ("--json", log)];
            for (format, judge) in ways {
                let recording = format!("{name}:{path}");
                let how = if format == "--json" { vec![format] } else { vec!["--format", format] };
                let mut command = left.sandbox.command(&[&["show", &recording][..], &how].concat());
                let run = Run::of(command.env("GITHUB_ACTIONS", "true").output().unwrap());
                let run = if path.contains("elaborations/") { run.ok() } else { run };
                found.push(Exit::new(format!("show {format}"), run.stdout.as_str(), judge));
                found.push(Exit::new(format!("show {format}"), run.stdout, log));
            }
            for verb in [
                vec!["why", path.as_str(), "--rev", &name],
                vec!["replay", "--all", "--rev", &name],
                vec!["status"],
            ] {
                let mut command = left.sandbox.command(&verb);
                let run = Run::of(command.env("GITHUB_ACTIONS", "true").output().unwrap());
                found.push(Exit::new(verb.join(" "), run.stdout, log));
                found.push(Exit::new(verb.join(" "), run.stderr, log));
            }
        }
    }
    found
}

fn page(exit: &Exit) {
    structure(exit, &exit.text, &|node| node.starts_with("heading ") && is_template(&node[8..]));
}

/// The page has the tags and attributes of its template, and no address but its own places.
fn html(exit: &Exit) {
    let template = include_str!("../../../templates/pages/discussion.html");
    let known: BTreeSet<String> = tags(template).into_iter().flat_map(|tag| names(&tag)).collect();
    for tag in tags(&exit.text) {
        if let Some(name) = names(&tag).iter().find(|name| !known.contains(*name)) {
            exit.wrong("a tag or attribute", format!("{name} of {tag}"));
        }
        if tag.contains("href=") && !tag.contains("href=\"#")
            || tag.contains("script")
            || tag.contains("src=")
        {
            exit.wrong("an address", tag);
        }
    }
}

/// What stands between `<` and `>`.
fn tags(text: &str) -> Vec<String> {
    text.split('<').skip(1).filter_map(|rest| rest.split_once('>')).map(|(tag, _)| tag.to_owned()).collect()
}

/// The name of a tag, and of its attributes, without what stands in quotation marks.
fn names(tag: &str) -> Vec<String> {
    let bare: String = tag.split('"').step_by(2).collect::<Vec<_>>().join(" ");
    bare.split([' ', '=', '{', '}', '%', '\n'])
        .map(str::to_lowercase)
        .filter(|name| !name.is_empty())
        .collect()
}

fn comments(left: &Left) -> Vec<Exit> {
    let Some(forge) = &left.forge else { return Vec::new() };
    let ours = forge.state().comments.into_iter().filter(|one| one["user"]["login"] == "github-actions[bot]");
    let mut found: Vec<Exit> =
        ours.map(|one| Exit::new("a comment", one["body"].as_str().unwrap(), comment)).collect();
    // One comment a run at most.
    if found.len() > left.runs.len() {
        found.push(Exit::new("the issue", "", |exit| exit.wrong("comments", "too many")));
    }
    found
}

/// A comment, body or summary on GitHub: our marker, our links, and words that call nobody.
fn comment(exit: &Exit) {
    let mut lines = exit.text.lines();
    let marker = lines.next().unwrap_or_default();
    if !marker.starts_with("<!-- roundtable:") || marker.matches("-->").count() != 1 {
        exit.wrong("a marker", marker);
    }
    let text: String = lines.map(|line| format!("{line}\n")).collect();
    on_github(exit, text.strip_prefix("<!-- a run of an open discussion -->\n").unwrap_or(&text));
}

/// The folds of a comment, before how many entries each has.
const FOLDS: [&str; 9] = [
    "Decisions",
    "More decisions",
    "More questions",
    "How answers were understood",
    "Possible decisions",
    "Answered already",
    "Open questions",
    "Action items",
    "What the rules also find",
];

fn on_github(exit: &Exit, text: &str) {
    let allowed = |node: &str| {
        node.strip_prefix("heading ").is_some_and(is_template)
            || node.strip_prefix("link ").is_some_and(is_ours)
            || ["html <!-- possible:", "html <!-- cards:", "html <!-- note -->", "html <!-- end of note -->"]
                .iter()
                .any(|ours| node.starts_with(ours))
            || node == "task"
            || node == "rule"
            || node == "table"
            || node.starts_with("html <details><summary>Comments that were not used (")
            || node.starts_with("html <details><summary>The discussion, ")
            || FOLDS.iter().any(|fold| node.starts_with(&format!("html <details><summary>{fold} (")))
            || node == "html </details>"
    };
    let words = structure(exit, text, &allowed);
    let plain: Vec<char> = words.chars().collect();
    for (at, four) in plain.windows(4).enumerate() {
        let near: String = plain[at.saturating_sub(8)..(at + 12).min(plain.len())].iter().collect();
        let calls = four[0] == '@' && four[1].is_alphanumeric();
        let refers = four[0] == '#' && four[1].is_ascii_digit() && !near.contains("Refs #7");
        let names =
            four[..3].iter().collect::<String>().eq_ignore_ascii_case("GH-") && four[3].is_ascii_digit();
        let leads = four[..3] == [':', '/', '/'] && !words.contains("https://github.example/owner/name/pull");
        if calls || refers || names || leads {
            exit.wrong("a reference", near);
        }
    }
    for line in text.lines() {
        if line.replace("\\\\\\|", "").contains("\\\\|") {
            exit.wrong("a cell that ends where it should not", line);
        }
        // Our blank of no width takes the command away.
        if line.trim_start().starts_with('/') && !line.trim_start().starts_with("/\u{2060}") {
            exit.wrong("a command", line);
        }
    }
}

/// A link to the repository that the fake GitHub has.
fn is_ours(link: &str) -> bool {
    link.starts_with("http://127.0.0.1:") && link.contains("/owner/name/")
        || link.starts_with("https://github.example/owner/name/")
}

fn pull_requests(left: &Left) -> Vec<Exit> {
    let Some(forge) = &left.forge else { return Vec::new() };
    let mut found = Vec::new();
    for pull in forge.state().pulls {
        found.push(Exit::new("a pull request's title", pull["title"].as_str().unwrap(), |exit| {
            let plain = |c: char| c.is_ascii_alphanumeric() || " -:()".contains(c);
            if !exit.text.chars().all(plain) {
                exit.wrong("words", &exit.text);
            }
        }));
        found.push(Exit::new("a pull request", pull["body"].as_str().unwrap(), |exit| {
            // Our part has a sign at its beginning and its end, once each, whatever was said.
            let signs = ["<!-- roundtable -->", "<!-- end of roundtable -->"];
            if signs.iter().any(|sign| exit.text.matches(sign).count() != 1) {
                exit.wrong("signs", &exit.text);
            }
            on_github(exit, &signs.iter().fold(exit.text.clone(), |text, sign| text.replace(sign, "")))
        }));
        found.push(Exit::new("a pull request's branch", pull["head"].as_str().unwrap(), plain_name));
    }
    found
}

fn labels(left: &Left) -> Vec<Exit> {
    let Some(forge) = &left.forge else { return Vec::new() };
    let written = forge
        .server
        .seen()
        .into_iter()
        .filter(|seen| seen.method == "POST" && seen.path.ends_with("/labels"));
    let name = |seen: crate::server::Seen| seen.json()["labels"].to_string();
    written
        .map(|seen| {
            Exit::new("a label", name(seen), |exit| {
                if !["[\"roundtable:done\"]", "[\"roundtable:open\"]", "[\"roundtable:failed\"]"]
                    .contains(&exit.text.as_str())
                {
                    exit.wrong("a label", &exit.text);
                }
            })
        })
        .collect()
}

fn written(left: &Left, name: &str) -> Option<String> {
    std::fs::read_to_string(left.sandbox.outside(name)).ok()
}

/// What a runner reads from GITHUB_OUTPUT: our names, each value on a line.
fn outputs(left: &Left) -> Vec<Exit> {
    written(left, "output.txt")
        .into_iter()
        .map(|text| {
            Exit::new("GITHUB_OUTPUT", text, |exit| {
                let mut lines = exit.text.lines();
                while let Some(line) = lines.next() {
                    let Some((name, delimiter)) = line.split_once("<<") else { exit.wrong("a line", line) };
                    let value: Vec<&str> = lines.by_ref().take_while(|line| *line != delimiter).collect();
                    let known =
                        ["commit", "branch", "pull-request", "comment", "digest", "matrix"].contains(&name);
                    let plain = |c: char| c.is_ascii_alphanumeric() || "/:._-{}[]\", ".contains(c);
                    if !known || value.len() != 1 || name != "matrix" && !value[0].chars().all(plain) {
                        exit.wrong("an output", (name, value));
                    }
                }
            })
        })
        .collect()
}

fn summary(left: &Left) -> Vec<Exit> {
    let judge: Judge = |exit| {
        on_github(exit, &exit.text);
        if exit.text.len() > 1 << 20 {
            exit.wrong("a length", exit.text.len());
        }
    };
    written(left, "summary.md").into_iter().map(|text| Exit::new("the step summary", text, judge)).collect()
}

/// GITHUB_ENV, GITHUB_PATH and GITHUB_STATE take nothing at all.
fn environment(left: &Left) -> Vec<Exit> {
    let judge: Judge = |exit| exit.wrong("a value", &exit.text);
    written(left, "env.txt").into_iter().map(|text| Exit::new("GITHUB_ENV", text, judge)).collect()
}

/// What a model is asked has nothing that people do not see.
fn prompts(left: &Left) -> Vec<Exit> {
    let judge: Judge =
        |exit| strings(&serde_json::from_str(&exit.text).unwrap(), &mut |text| seen(exit, text));
    left.prompts.iter().map(|text| Exit::new("a prompt", text.as_str(), judge)).collect()
}

/// A log that a runner of Actions and a terminal read along.
fn log(exit: &Exit) {
    if exit.text.contains("##[") {
        exit.wrong("a command", "##[");
    }
    for line in exit.text.split(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}', '\u{b}', '\u{c}']) {
        let ours = [
            "::error file=",
            "::warning file=",
            "::notice title=roundtable check::",
            "::error title=",
            "::warning title=",
        ];
        if line.trim_start().starts_with("::") && !ours.iter().any(|begin| line.starts_with(begin)) {
            exit.wrong("a command", line);
        }
    }
    clean(exit);
}

/// The signs that stand there can be seen; a blank of no width is what [`roundtable`] itself puts
/// between `@` and a name on GitHub, and nowhere else.
fn clean(exit: &Exit) {
    seen(exit, &exit.text);
}

fn seen(exit: &Exit, text: &str) {
    if let Some(sign) = text.chars().find(|c| is_unseen(*c)) {
        exit.wrong("a sign", format!("U+{:04X}", u32::from(sign)));
    }
}

/// Controls, directions, blanks without width, tags, variations, private signs (written here by
/// hand, so that it is not the program's own table that says what is clean).
fn is_unseen(c: char) -> bool {
    matches!(u32::from(c),
        0..=8 | 0xb..=0x1f | 0x7f..=0x9f | 0xad | 0x61c | 0x180b..=0x180f | 0x200b | 0x200e | 0x200f
        | 0x2028..=0x202e | 0x2060..=0x206f | 0x3164 | 0xe000..=0xf8ff | 0xfe00..=0xfe0f | 0xfeff
        | 0xfff9..=0xfffb | 0xe0000..=0xe0fff)
}

fn strings(value: &Value, look: &mut dyn FnMut(&str)) {
    match value {
        Value::String(text) => look(text),
        Value::Array(all) => all.iter().for_each(|one| strings(one, look)),
        Value::Object(all) => all.values().for_each(|one| strings(one, look)),
        _ => {}
    }
}

/// What an attack left in its repository: sound objects, a base that did not move, and no canary.
pub fn repository(left: &Left) {
    left.sandbox.assert_sound();
    let refs = left.sandbox.refs();
    assert!(
        refs.iter().all(|name| name.starts_with("\"refs/heads/")
            || name.starts_with("\"refs/remotes/")
            || name.starts_with("\"refs/roundtable/")),
        "{refs:?}"
    );
    for folder in [left.sandbox.root(), left.sandbox.root().join(ITEM), left.sandbox.outside("home")] {
        assert!(!folder.join("canary").exists());
    }
}

/// The recordings on a branch and the documents beside them.
fn landed(left: &Left) -> Vec<(String, Vec<(String, String)>)> {
    made(&left.sandbox).iter().map(|(name, tip)| (name.clone(), changed(&left.sandbox, tip))).collect()
}

/// A block has a marker, and a record of `meta.json` at most one block.
pub fn markers_are_records(left: &Left) {
    for (_, files) in landed(left) {
        let of =
            |end: &str| files.iter().find(|(path, _)| path.ends_with(end)).map(|(_, text)| text.as_str());
        let meta: Value = serde_json::from_str(of("meta.json").unwrap()).unwrap();
        let records = meta["elaborations"].as_array().map_or(0, Vec::len);
        // One artifact takes the addition.
        let markers = |end: &str| of(end).map_or(0, |text| text.matches("<!-- Elaboration:").count());
        assert!(markers("requirements-spec.md") + markers("c.yaml") <= records);
        let is_block = |line: &&str| {
            let heading = line.trim_start_matches('#');
            heading != *line && heading.starts_with(" Elaboration Insights (")
        };
        let blocks = of("requirements-spec.md").map_or(0, |text| text.lines().filter(is_block).count());
        assert_eq!(markers("requirements-spec.md"), blocks);
    }
}

/// Read as a transcript, a discussion has the speakers of its log.
pub fn speakers_are_the_logs(left: &Left) {
    for (branch, files) in landed(left) {
        for (path, log) in files.iter().filter(|(path, _)| path.ends_with(".jsonl")) {
            let mut said = [0; 4];
            for event in log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
                let is_words = event["kind"] == "contribution" || event["kind"] == "notice";
                match event["by"].as_str().filter(|_| is_words) {
                    Some("business-analyst") => said[0] += 1,
                    Some("solutions-architect") => said[1] += 1,
                    Some("system-designer") => said[2] += 1,
                    _ => said[3] += usize::from(event["kind"] == "user"),
                }
            }
            let text = left.sandbox.run(&["show", &format!("{branch}:{path}")]).ok().stdout;
            let talk = text.split("\n### ").next().unwrap();
            let begins = |name: &str| talk.lines().filter(|line| line.starts_with(name)).count();
            // A persona may quote a document that looks like a user's line.
            let personas = ["Maya Chen (", "Alex Rivera (", "Jordan Park ("];
            let users = |line: &&str| {
                // A critique quotes what was dropped, and begins as none of the speakers does.
                !line.starts_with([' ', '('])
                    && !personas.iter().any(|persona| line.starts_with(persona))
                    && (line.contains(" (user): ") || line.starts_with("User: "))
            };
            let shown = [
                begins("Maya Chen (Business Analyst):"),
                begins("Alex Rivera (Solutions Architect):"),
                begins("Jordan Park (System Designer):"),
                talk.lines().filter(users).count(),
            ];
            assert_eq!(shown, said, "{talk}");
        }
    }
}
