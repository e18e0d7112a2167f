//! A server that behaves like GitHub as far as the program can tell: the REST API of one
//! repository with a memory, and the repository itself over git's protocol.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::kit::{Run, Sandbox, empty};
use crate::server::{Reply, Seen, Server};

pub const TOKEN: &str = "ghs_canary4711TokenAbCdEf";
/// When the label was set.
pub const SET: &str = "2026-11-20T10:00:00Z";
pub const EARLY: &str = "2026-11-20T08:00:00Z";
pub const LATE: &str = "2026-11-20T10:00:05Z";
const NUMBER: u64 = 7;

/// What the server remembers.
#[derive(Clone, Default)]
pub struct State {
    pub issue: Value,
    /// Its number.
    pub number: u64,
    pub comments: Vec<Value>,
    pub events: Vec<Value>,
    /// By login; others are no collaborators.
    pub permissions: BTreeMap<String, String>,
    pub labels: Vec<String>,
    pub reactions: Vec<String>,
    pub pulls: Vec<Value>,
    /// Entries a page.
    pub page: usize,
    /// Who the token's user is.
    pub me: Value,
    /// Answers in place of the usual ones, by method and path; each once.
    pub faults: Vec<(String, String, Fault)>,
    /// What a push is told by the repository's hook.
    pub protects: bool,
    /// When our own writes are made.
    pub now: String,
    /// The versions of each comment that was edited, as GraphQL gives them.
    pub edits: BTreeMap<u64, Vec<Value>>,
    /// GraphQL is refused.
    pub hides_graphql: bool,
    /// Whose branches arrive when a run has begun.
    pub rival: Option<PathBuf>,
    /// The API breaks down after so many more requests.
    pub dies_after: Option<usize>,
}

/// Something else than the usual answer.
#[derive(Clone)]
pub enum Fault {
    Status(u16, Vec<(String, String)>, Value),
    /// It is done, and the answer is lost.
    Lost,
    Reset,
    Garbled,
}

/// The server, and the repository behind it.
pub struct Forge {
    pub server: Server,
    pub state: Arc<Mutex<State>>,
    pub bare: PathBuf,
}

pub fn comment(id: u64, login: &str, body: &str, at: &str) -> Value {
    let kind = if login.ends_with("[bot]") { "Bot" } else { "User" };
    let who = if login == "github-actions[bot]" { 41_898_282 } else { 1_000 + id };
    json!({"id": id, "node_id": format!("IC_{id}"), "user": {"login": login, "id": who, "type": kind}, "body": body, "created_at": at,
           "updated_at": at, "author_association": "NONE", "html_url": format!("https://github.example/c/{id}")})
}

/// A forge whose repository is a bare copy of the sandbox's, with one labelled issue.
pub fn forge(sandbox: &Sandbox) -> Forge {
    forge_of(sandbox, "forge")
}

/// The same in a folder of this name.
pub fn forge_of(sandbox: &Sandbox, name: &str) -> Forge {
    let bare = sandbox.outside(&format!("{name}/owner/name.git"));
    std::fs::create_dir_all(bare.parent().unwrap()).unwrap();
    git(&sandbox.root(), &["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    git(&bare, &["config", "http.receivepack", "true"]);
    git(&sandbox.root(), &["config", "remote.origin.url", "https://github.example/owner/name.git"]);
    let state = State {
        issue: json!({
            "number": NUMBER, "title": "Late fees for library books", "body": "Alex, who computes the fee?",
            "user": {"login": "sam", "id": 1, "type": "User"}, "created_at": EARLY, "updated_at": EARLY,
            "labels": [{"name": "roundtable:01-03"}], "state": "open",
        }),
        comments: vec![
            comment(11, "sam", "We decided to stop fees at 10 euros because more keeps people away.", EARLY),
            comment(12, "sam", "done", "2026-11-20T09:00:00Z"),
        ],
        events: vec![json!({"event": "labeled", "label": {"name": "roundtable:01-03"}, "created_at": SET,
                            "actor": {"login": "sam", "id": 1, "type": "User"}})],
        permissions: [("sam", "admin"), ("kim", "write"), ("outsider", "read")]
            .map(|(login, may)| (login.to_owned(), may.to_owned()))
            .into(),
        labels: vec!["roundtable:01-03".to_owned()],
        page: 100,
        number: NUMBER,
        now: LATE.to_owned(),
        ..State::default()
    };
    let state = Arc::new(Mutex::new(state));
    let (memory, repository) = (Arc::clone(&state), bare.clone());
    let server = Server::start(move |seen| answer(seen, &mut memory.lock().unwrap(), &repository));
    Forge { server, state, bare }
}

/// Another machine's clone, as actions/checkout leaves it.
pub fn fresh(forge: &Forge) -> Sandbox {
    let other = empty();
    git(&other.root(), &["fetch", "-q", forge.bare.to_str().unwrap(), "refs/heads/*:refs/remotes/origin/*"]);
    git(&other.root(), &["reset", "-q", "--hard", "refs/remotes/origin/main"]);
    other
}

pub fn git(at: &Path, args: &[&str]) -> String {
    let output = Command::new("git").arg("-C").arg(at).args(args).output().expect("the tests need git");
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

impl Forge {
    pub fn set(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state.lock().unwrap());
    }

    pub fn state(&self) -> State {
        self.state.lock().unwrap().clone()
    }

    /// The event of the label, as Actions writes it.
    pub fn labeled(&self, label: &str) -> Value {
        let mut state = self.state();
        state.issue["labels"] = state.labels.iter().map(|name| json!({"name": name})).collect();
        json!({
            "action": "labeled", "label": {"name": label}, "issue": state.issue,
            "sender": {"login": "sam", "id": 1, "type": "User"},
            "repository": {"full_name": "owner/name", "default_branch": "main"},
        })
    }

    /// `github …` in Actions, with this event.
    pub fn run(&self, sandbox: &Sandbox, name: &str, event: &Value, args: &[&str]) -> Run {
        let path = sandbox.script("event.json", event.to_string());
        let mut command = sandbox.command(&[&["github"], args].concat());
        command
            .env("GITHUB_ACTIONS", "true")
            .env("GITHUB_EVENT_NAME", name)
            .env("GITHUB_EVENT_PATH", path)
            .env("GITHUB_REPOSITORY", "owner/name")
            .env("GITHUB_SERVER_URL", self.server.url(""))
            .env("GITHUB_API_URL", self.server.url("/api/v3"))
            .env("GITHUB_TOKEN", TOKEN)
            .env("GITHUB_OUTPUT", sandbox.outside("output.txt"))
            .env("GITHUB_ENV", sandbox.outside("env.txt"))
            .env("GITHUB_STEP_SUMMARY", sandbox.outside("summary.md"));
        let run = Run::of(command.output().unwrap());
        assert!(!run.stdout.contains(TOKEN) && !run.stderr.contains(TOKEN), "{}{}", run.stdout, run.stderr);
        run
    }

    /// The label's event, answered.
    pub fn label(&self, sandbox: &Sandbox, args: &[&str]) -> Run {
        self.run(sandbox, "issues", &self.labeled("roundtable:01-03"), &[&["run"], args].concat())
    }

    /// A person edits a comment.
    pub fn edit(&self, id: u64, login: &str, body: &str, at: &str) {
        self.set(|state| edit(state, id, login, body, at));
    }

    /// A person ticks the first open line of our last comment; the event of it.
    pub fn tick(&self, login: &str, at: &str) -> Value {
        self.tick_line(login, at, "")
    }

    /// The same of the first line that begins with these words.
    pub fn tick_line(&self, login: &str, at: &str, words: &str) -> Value {
        let (open, ticked) = (format!("- [ ] {words}"), format!("- [x] {words}"));
        let state = self.state();
        let ours = state.comments.iter().rfind(|one| {
            let body = one["body"].as_str().unwrap_or_default();
            body.starts_with("<!-- roundtable:") && body.contains(&open)
        });
        let ours = ours.expect("a comment with an open line");
        let (id, before) = (ours["id"].as_u64().unwrap(), ours["body"].as_str().unwrap());
        let after = before.replacen(&open, &ticked, 1);
        self.edit(id, login, &after, at);
        json!({
            "action": "edited", "issue": state.issue,
            "comment": {"id": id, "body": after, "created_at": LATE, "updated_at": at},
            "changes": {"body": {"from": before}},
            "sender": {"login": login, "id": 1, "type": "User"},
            "repository": {"full_name": "owner/name", "default_branch": "main"},
        })
    }

    /// The label is set again; the event of it.
    pub fn label_again(&self, label: &str, at: &str) -> Value {
        self.set(|state| {
            state.labels.push(label.to_owned());
            state.now = at.replace("00Z", "09Z");
            state.events.push(json!({"event": "labeled", "label": {"name": label}, "created_at": at,
                                     "actor": {"login": "sam", "id": 1, "type": "User"}}));
        });
        self.labeled(label)
    }

    /// The last pull request is merged into main by a way of GitHub's, or closed.
    pub fn end_pull(&self, way: &str) {
        let head = self.state().pulls.last().unwrap()["head"].as_str().unwrap().to_owned();
        let other = self.bare.with_file_name("merger");
        let _ = std::fs::remove_dir_all(&other);
        let bare = self.bare.to_str().unwrap();
        git(self.bare.parent().unwrap(), &["clone", "-q", bare, other.to_str().unwrap()]);
        let who = ["-c", "user.name=Kim", "-c", "user.email=kim@example.org"];
        let does = |args: &[&str]| git(&other, &[&who[..], args].concat());
        let branch = format!("origin/{head}");
        match way {
            "merge" => drop(does(&["merge", "-q", "--no-ff", "-m", "Merge it", &branch])),
            "squash" => {
                does(&["merge", "-q", "--squash", &branch]);
                does(&["commit", "-q", "-m", "Squash it"]);
            }
            "rebase" => {
                does(&["commit", "-q", "--allow-empty", "-m", "Something else"]);
                does(&["cherry-pick", "--allow-empty", &format!("origin/main..{branch}")]);
            }
            _ => {}
        }
        does(&["push", "-q", bare, "HEAD:main"]);
        let is_merged = way != "close";
        self.set(|state| {
            let last = state.pulls.last_mut().unwrap();
            last["state"] = json!("closed");
            last["merged_at"] = if is_merged { json!("2026-11-21T10:00:00Z") } else { Value::Null };
        });
    }

    /// What was written through the API: method and path.
    pub fn writes(&self) -> Vec<String> {
        let api = |seen: &Seen| seen.path.starts_with("/api/v3") && seen.method != "GET";
        let shown = |seen: Seen| {
            format!("{} {}", seen.method, seen.path.trim_start_matches("/api/v3/repos/owner/name/"))
        };
        self.server.seen().into_iter().filter(api).map(shown).collect()
    }

    pub fn api_requests(&self) -> usize {
        self.server.seen().iter().filter(|seen| seen.path.starts_with("/api/")).count()
    }

    /// Our comments.
    pub fn ours(&self) -> Vec<String> {
        let all = self.state().comments;
        let body = |comment: &Value| comment["body"].as_str().unwrap_or_default().to_owned();
        all.iter().map(body).filter(|body| body.starts_with("<!-- roundtable:")).collect()
    }

    pub fn tip(&self, branch: &str) -> Option<String> {
        let repository = git2::Repository::open(&self.bare).unwrap();
        repository.refname_to_id(&format!("refs/heads/{branch}")).ok().map(|id| id.to_string())
    }
}

fn answer(seen: &Seen, state: &mut State, bare: &Path) -> Reply {
    let path = seen.path.split('?').next().unwrap_or_default().to_owned();
    if path.starts_with("/api/")
        && let Some(left) = state.dies_after
    {
        if left == 0 {
            return Reply::status(401, &json!({"message": "dead"}));
        }
        state.dies_after = Some(left - 1);
    }
    let fault = state
        .faults
        .iter()
        .position(|(method, part, _)| *method == seen.method && path.contains(part.as_str()));
    let fault = fault.map(|at| state.faults.remove(at).2);
    match fault {
        Some(Fault::Status(status, headers, body)) => {
            let reply = Reply::status(status, &body);
            return headers.iter().fold(reply, |reply, (name, value)| reply.with(name, value));
        }
        Some(Fault::Reset) => return Reply::Reset,
        Some(Fault::Garbled) => return Reply::Whole(200, Vec::new(), b"[{\"id\": 1".to_vec()),
        _ => {}
    }
    let reply = if let Some(rest) = path.strip_prefix("/owner/name.git/") {
        repository(seen, rest, bare, state.protects)
    } else if seen.header("authorization").is_some_and(|value| value != format!("Bearer {TOKEN}")) {
        Reply::status(401, &json!({"message": "Bad credentials"}))
    } else {
        if path.ends_with("/reactions")
            && let Some(rival) = state.rival.take()
        {
            git(
                bare,
                &["fetch", "-q", rival.to_str().unwrap(), "refs/heads/roundtable/*:refs/heads/roundtable/*"],
            );
        }
        api(seen, &path, state)
    };
    if matches!(fault, Some(Fault::Lost)) { Reply::Reset } else { reply }
}

fn api(seen: &Seen, path: &str, state: &mut State) -> Reply {
    if path == "/api/graphql" {
        return graphql(&seen.json(), state);
    }
    let Some(path) = path.strip_prefix("/api/v3/") else { return missing() };
    if path == "user" {
        return if state.me.is_null() {
            Reply::status(403, &json!({"message": "Resource not accessible by integration"}))
        } else {
            Reply::json(&state.me)
        };
    }
    let Some(path) = path.strip_prefix("repos/owner/name/") else { return missing() };
    let parts: Vec<&str> = path.split('/').collect();
    let body = seen.json();
    let number = state.number.to_string();
    match (seen.method.as_str(), parts.as_slice()) {
        ("GET", ["issues", n]) if *n == number => Reply::json(&state.issue),
        ("GET", ["issues", n, "comments"]) if *n == number => paged(seen, &state.comments, state.page),
        ("GET", ["issues", n, "events"]) if *n == number => paged(seen, &state.events, state.page),
        ("GET", ["labels"]) => paged(
            seen,
            &state.labels.iter().map(|name| json!({"name": name})).collect::<Vec<_>>(),
            state.page,
        ),
        ("GET", ["issues"]) => paged(seen, std::slice::from_ref(&state.issue), state.page),
        ("GET", ["collaborators", login, "permission"]) => match state.permissions.get(*login) {
            Some(may) => Reply::json(&json!({"permission": may, "role_name": may})),
            None => missing(),
        },
        ("POST", ["issues", n, "reactions"]) if *n == number => {
            let content = body["content"].as_str().unwrap_or_default().to_owned();
            let known = state.reactions.contains(&content);
            state.reactions.push(content);
            Reply::status(if known { 200 } else { 201 }, &json!({"id": 1, "user": {"id": 41_898_282}}))
        }
        ("POST", ["issues", n, "labels"]) if *n == number => {
            for name in body["labels"].as_array().into_iter().flatten().filter_map(Value::as_str) {
                if !state.labels.iter().any(|known| known == name) {
                    state.labels.push(name.to_owned());
                }
            }
            Reply::json(&json!([]))
        }
        ("DELETE", ["issues", n, "labels", label]) if *n == number => {
            let label = label.replace("%3A", ":");
            match state.labels.iter().position(|known| *known == label) {
                Some(at) => {
                    state.labels.remove(at);
                    Reply::json(&json!([]))
                }
                None => Reply::status(404, &json!({"message": "Label does not exist"})),
            }
        }
        ("POST", ["issues", n, "comments"]) if *n == number => {
            let text = body["body"].as_str().unwrap_or_default();
            if text.chars().count() > 65_536 {
                return Reply::status(422, &json!({"message": "Body is too long"}));
            }
            let made = comment(900 + state.comments.len() as u64, "github-actions[bot]", text, &state.now);
            state.comments.push(made.clone());
            Reply::status(201, &made)
        }
        ("GET", ["issues", "comments", id]) => {
            let known = state.comments.iter().find(|one| one["id"].as_u64() == id.parse().ok());
            known.map_or_else(missing, Reply::json)
        }
        ("PATCH", ["issues", "comments", id]) => {
            let id = id.parse().unwrap_or_default();
            edit(
                state,
                id,
                "github-actions[bot]",
                body["body"].as_str().unwrap_or_default(),
                &state.now.clone(),
            );
            let known = state.comments.iter().find(|one| one["id"].as_u64() == Some(id));
            known.map_or_else(missing, Reply::json)
        }
        ("GET", ["pulls"]) => {
            let is_of = |pull: &&Value| {
                let head = format!("%3A{}", pull["head"].as_str().unwrap_or_default().replace('/', "%2F"));
                seen.path.split('&').any(|part| part.ends_with(&head))
            };
            let found: Vec<Value> = state.pulls.iter().rev().filter(is_of).cloned().collect();
            Reply::json(&json!(found))
        }
        ("GET", ["pulls", n]) => {
            let known = state.pulls.iter().find(|one| one["number"].as_u64() == n.parse().ok());
            known.map_or_else(missing, Reply::json)
        }
        ("PATCH", ["pulls", n]) => {
            match state.pulls.iter_mut().find(|one| one["number"].as_u64() == n.parse().ok()) {
                Some(known) => {
                    known["body"] = body["body"].clone();
                    Reply::json(known)
                }
                None => missing(),
            }
        }
        ("POST", ["pulls"]) => {
            let mut made = body.clone();
            let number = 20 + state.pulls.len();
            made["number"] = json!(number);
            made["state"] = json!("open");
            made["html_url"] = json!(format!("https://github.example/owner/name/pull/{number}"));
            state.pulls.push(made.clone());
            Reply::status(201, &made)
        }
        _ => missing(),
    }
}

/// The three questions that the program asks.
fn graphql(asked: &Value, state: &State) -> Reply {
    if state.hides_graphql {
        let message = "Resource not accessible by integration";
        return Reply::json(&json!({"data": null, "errors": [{"type": "FORBIDDEN", "message": message}]}));
    }
    let (query, values) = (asked["query"].as_str().unwrap_or_default(), &asked["variables"]);
    if query.contains("collaborators") {
        let mut found = json!({});
        for (name, login) in
            values.as_object().into_iter().flatten().filter(|(name, _)| name.starts_with('p'))
        {
            let login = login.as_str().unwrap_or_default();
            let near = state.permissions.iter().filter(|(known, _)| known.contains(login));
            let edge = |(known, may): (&String, &String)| json!({"permission": may.to_uppercase(), "node": {"login": known}});
            found[name] = json!({"edges": near.map(edge).collect::<Vec<_>>()});
        }
        return Reply::json(&json!({"data": {"repository": found}}));
    }
    if query.contains("userContentEdits") {
        let of = |node: &Value| {
            let id = node.as_str()?.strip_prefix("IC_")?.parse().ok()?;
            let edits = state.edits.get(&id).cloned().unwrap_or_default();
            // The newest first, as GitHub has them.
            let nodes: Vec<Value> = edits.into_iter().rev().collect();
            Some(json!({"id": node, "userContentEdits": {"nodes": nodes}}))
        };
        let nodes: Vec<Value> = values["ids"].as_array().into_iter().flatten().filter_map(of).collect();
        return Reply::json(&json!({"data": {"nodes": nodes}}));
    }
    let edited = state.issue.get("lastEditedAt").cloned().unwrap_or_default();
    Reply::json(&json!({"data": {"repository": {"issue": {"lastEditedAt": edited}}}}))
}

/// A new version of a comment, kept with its editor.
fn edit(state: &mut State, id: u64, login: &str, body: &str, at: &str) {
    let Some(known) = state.comments.iter_mut().find(|one| one["id"] == json!(id)) else { return };
    let version = |login: &str, body: &str, at: &str| {
        let kind = if login.ends_with("[bot]") { "Bot" } else { "User" };
        json!({"editedAt": at, "deletedAt": null, "diff": body, "editor": {"login": login, "__typename": kind, "databaseId": 1}})
    };
    let (author, text, made) = (
        known["user"]["login"].as_str().unwrap_or_default().to_owned(),
        known["body"].as_str().unwrap_or_default().to_owned(),
        known["created_at"].as_str().unwrap_or_default().to_owned(),
    );
    known["body"] = json!(body);
    known["updated_at"] = json!(at);
    let versions = state.edits.entry(id).or_default();
    if versions.is_empty() {
        versions.push(version(&author, &text, &made));
    }
    versions.push(version(login, body, at));
}

fn missing() -> Reply {
    Reply::status(404, &json!({"message": "Not Found"}))
}

/// A page of a list, with the link to the next one as GitHub writes it: by the repository's id.
fn paged(seen: &Seen, all: &[Value], page: usize) -> Reply {
    let query = seen.path.split_once('?').map_or("", |(_, query)| query);
    let number: usize =
        query.split('&').find_map(|part| part.strip_prefix("page=")?.parse().ok()).unwrap_or(1);
    let from = (number - 1) * page;
    let part: Vec<&Value> = all.iter().skip(from).take(page).collect();
    let reply = Reply::json(&json!(part));
    if from + page >= all.len() {
        return reply;
    }
    let path = seen.path.split('?').next().unwrap_or_default();
    let host = seen.header("host").unwrap_or_default();
    let next = format!(
        "<http://{host}{path}?per_page=100&page={}>; rel=\"next\", <http://{host}{path}?page=99>; rel=\"last\"",
        number + 1
    );
    reply.with("link", &next)
}

/// git's own server for a repository (`git http-backend`), behind GitHub's kind of authentication.
fn repository(seen: &Seen, rest: &str, bare: &Path, protects: bool) -> Reply {
    let wanted = format!("Basic {}", base64(format!("x-access-token:{TOKEN}").as_bytes()));
    if seen.header("authorization") != Some(wanted.as_str()) {
        return Reply::Whole(
            401,
            vec![("www-authenticate".to_owned(), "Basic realm=\"GitHub\"".to_owned())],
            Vec::new(),
        );
    }
    let hook = bare.join("hooks/update");
    if protects {
        std::fs::create_dir_all(bare.join("hooks")).unwrap();
        std::fs::write(&hook, "#!/bin/sh\necho 'protected branch' >&2\nexit 1\n").unwrap();
        let _ = Command::new("chmod").arg("+x").arg(&hook).status();
    } else {
        let _ = std::fs::remove_file(&hook);
    }
    let query = seen.path.split_once('?').map_or("", |(_, query)| query);
    let mut child = Command::new("git")
        .arg("http-backend")
        .env("GIT_PROJECT_ROOT", bare)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("PATH_INFO", format!("/{rest}"))
        .env("QUERY_STRING", query)
        .env("REQUEST_METHOD", &seen.method)
        .env("REMOTE_USER", "sam")
        .env("CONTENT_TYPE", seen.header("content-type").unwrap_or_default())
        .env("CONTENT_LENGTH", seen.body.len().to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the tests need git http-backend");
    let mut stdin = child.stdin.take().unwrap();
    let body = seen.body.clone();
    let writer = std::thread::spawn(move || {
        let _ = stdin.write_all(&body);
    });
    let out = child.wait_with_output().unwrap().stdout;
    let _ = writer.join();
    let split = out.windows(4).position(|four| four == b"\r\n\r\n").unwrap_or(0);
    let (head, body) = out.split_at(split);
    let head = String::from_utf8_lossy(head).into_owned();
    let headers: Vec<(String, String)> = head
        .lines()
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.trim().to_owned()))
        .collect();
    let status = headers
        .iter()
        .find(|(name, _)| name == "status")
        .and_then(|(_, value)| value.split(' ').next()?.parse().ok());
    Reply::Whole(status.unwrap_or(200), headers, body.get(4..).unwrap_or_default().to_vec())
}

fn base64(bytes: &[u8]) -> String {
    const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for three in bytes.chunks(3) {
        let whole =
            three.iter().fold(0_u32, |all, byte| all << 8 | u32::from(*byte)) << (8 * (3 - three.len()));
        for at in 0..4 {
            let sign = SIGNS[(whole >> (18 - 6 * at) & 63) as usize];
            out.push(if at <= three.len() { char::from(sign) } else { '=' });
        }
    }
    out
}
