//! GitHub's REST API, as far as a discussion needs it.
//!
//! Reading is repeated where it fails, writing is not repeated blindly: a POST whose answer was
//! lost may have been done, and the caller looks before it sends it again. The token goes to the
//! API's own host and to no other, whatever a redirect or a `Link` says.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};

use super::thread::Comment;
use super::trigger::Person;
use crate::http::{self, Answer, Failed, Http, Judged, Kind, Method, Request, Secret, Url};
use crate::item::config::github::Permission;
use crate::text::path::percent_encoded;
use crate::text::plain;
use crate::text::time::Time;

/// The version of the API that answers are read by.
const VERSION: &str = "2022-11-28";
/// How long one call may take, tries included.
const PATIENCE: Duration = Duration::from_secs(120);
/// The longest page of a list, in bytes (64 MiB): a hundred comments of the longest kind.
const LARGEST: usize = 64 << 20;
/// Pages of a list that are read at most.
const PAGES: usize = 200;
/// Redirects that are followed at most.
const HOPS: usize = 5;
/// People whose permissions are asked for in one request.
const BATCH: usize = 50;
/// Collaborators of a similar name that are looked through for one person.
const CLOSE_NAMES: usize = 10;
/// People who are asked for one by one at most.
pub const ONE_BY_ONE: usize = 200;
/// A comment is cut at this length: GitHub takes 65,536 characters.
pub const LONGEST: usize = 65_000;

/// The API of one repository.
pub struct Hub {
    http: Http,
    base: Url,
    /// `owner/name`.
    pub repository: String,
    token: Option<Secret>,
    /// What is waited between two writes.
    pause: Duration,
    has_written: bool,
    /// GitHub has asked to wait for longer than a run does.
    is_limited: bool,
}

impl Hub {
    /// The API at `base` for a repository.
    ///
    /// # Errors
    /// A name that is none, or no HTTP client here.
    pub fn new(base: Url, repository: &str, token: Option<Secret>) -> Result<Hub, Failed> {
        let is_name = |part: &str| {
            !part.is_empty()
                && !matches!(part, "." | "..")
                && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
        };
        let parts: Vec<&str> = repository.split('/').collect();
        if parts.len() != 2 || !parts.iter().all(|part| is_name(part)) {
            let shown = plain::shown(repository);
            return Err(Failed::new(Kind::Usage, format!("\"{shown}\" is not a repository"))
                .with("write it like owner/name"));
        }
        // GitHub asks for a second between writes; a server on this machine does not.
        let pause = if http::is_loopback(&base) { Duration::ZERO } else { Duration::from_secs(1) };
        Ok(Hub {
            http: Http::new(&base)?.reading_at_most(LARGEST),
            base,
            repository: repository.to_owned(),
            token,
            pause,
            has_written: false,
            is_limited: false,
        })
    }

    pub fn owner(&self) -> &str {
        self.repository.split('/').next().unwrap_or_default()
    }

    pub const fn has_token(&self) -> bool {
        self.token.is_some()
    }

    /// Whether the last call failed because GitHub asks to wait.
    pub const fn is_limited(&self) -> bool {
        self.is_limited
    }

    fn url(&self, path: &str) -> Url {
        let (path, query) = path.split_once('?').map_or((path, None), |(path, query)| (path, Some(query)));
        let mut url = http::below(&self.base, &format!("repos/{}/{path}", self.repository));
        url.set_query(query);
        url
    }

    /// One call that reads or writes; between two writes there is a pause.
    fn call(&mut self, method: &Method, url: Url, body: Option<&Value>) -> Result<Answer, Failed> {
        let is_read = *method == Method::GET;
        if !is_read && std::mem::replace(&mut self.has_written, true) {
            self.http.rest(self.pause);
        }
        self.send(method, url, body, is_read)
    }

    /// A question that is sent as a POST and changes nothing.
    fn ask(&mut self, url: Url, body: &Value) -> Result<Answer, Failed> {
        self.send(&Method::POST, url, Some(body), true)
    }

    /// Redirects are followed with method and body, and without the token where they lead to another host.
    fn send(
        &mut self,
        method: &Method,
        mut url: Url,
        body: Option<&Value>,
        is_read: bool,
    ) -> Result<Answer, Failed> {
        for _ in 0..HOPS {
            let ours = url.origin() == self.base.origin();
            let request = Request {
                method: method.clone(),
                url: url.clone(),
                headers: vec![
                    ("accept", "application/vnd.github+json".to_owned()),
                    ("x-github-api-version", VERSION.to_owned()),
                    ("content-type", "application/json".to_owned()),
                ],
                secret: self.token.clone().filter(|_| ours).map(|token| ("authorization", "Bearer ", token)),
                body: body.map(|body| body.to_string().into_bytes()),
            };
            let repeatable = is_read || *method != Method::POST;
            let waits = Cell::new(false);
            let judge = |answer: &Answer| {
                let is_refused = matches!(answer.status, 403 | 429);
                waits.set(is_refused && limited(answer, &http::error_message(answer)).is_some());
                judge(answer, is_read, repeatable)
            };
            let answer = self.http.call(&request, PATIENCE, repeatable, &judge);
            self.is_limited = answer.is_err() && waits.get();
            let answer = answer?;
            if !matches!(answer.status, 301 | 302 | 307 | 308) {
                return Ok(answer);
            }
            let to = answer.header("location").and_then(|to| url.join(to).ok());
            let to = to.filter(|to| to.scheme() == "https" || http::is_loopback(to));
            url =
                to.ok_or_else(|| Failed::new(Kind::Status(answer.status), "GitHub redirects to nowhere"))?;
        }
        Err(Failed::new(Kind::Network, "GitHub redirects in circles"))
    }

    fn get(&mut self, path: &str) -> Result<Value, Failed> {
        let url = self.url(path);
        Ok(value(&self.call(&Method::GET, url, None)?))
    }

    /// All entries of a list, page by page, by the links that the answers carry.
    fn list(&mut self, path: &str) -> Result<Vec<Value>, Failed> {
        let mut url = self.url(path);
        let (mut all, mut seen) = (Vec::new(), Vec::new());
        for _ in 0..PAGES {
            let answer = self.call(&Method::GET, url.clone(), None)?;
            match value(&answer) {
                Value::Array(entries) => all.extend(entries),
                _ => return Err(Failed::new(Kind::Network, "GitHub gave no list where one is due")),
            }
            seen.push(url.to_string());
            let next = answer
                .header("link")
                .and_then(|links| linked(links, "next"))
                .and_then(|next| url.join(&next).ok());
            match next {
                None => return Ok(all),
                Some(next) if seen.contains(&next.to_string()) => {
                    return Err(Failed::new(
                        Kind::Network,
                        "GitHub's pages go round in circles, so nothing of them is used",
                    ));
                }
                Some(next) => url = next,
            }
        }
        Err(Failed::new(
            Kind::Network,
            format!("the list has more than {PAGES} pages, so nothing of it is used"),
        ))
    }

    /// An issue.
    ///
    /// # Errors
    /// None of this number, or no answer.
    pub fn issue(&mut self, number: u64) -> Result<Value, Failed> {
        self.get(&format!("issues/{number}"))
    }

    /// All comments of an issue.
    ///
    /// # Errors
    /// A page that cannot be had: part of a list is no list.
    pub fn comments(&mut self, number: u64) -> Result<Vec<Comment>, Failed> {
        let all = self.list(&format!("issues/{number}/comments?per_page=100"))?;
        Ok(all.iter().filter_map(Comment::of).collect())
    }

    /// The newest events of an issue that are `wanted`: the first page, else those before the end.
    ///
    /// # Errors
    /// A page that cannot be had.
    pub fn newest_events(
        &mut self,
        number: u64,
        wanted: &dyn Fn(&Value) -> bool,
    ) -> Result<Vec<Value>, Failed> {
        let mut url = self.url(&format!("issues/{number}/events?per_page=100"));
        let mut found = Vec::new();
        let mut is_first = true;
        for _ in 0..PAGES {
            let answer = self.call(&Method::GET, url.clone(), None)?;
            let Value::Array(mut page) = value(&answer) else {
                return Err(Failed::new(Kind::Network, "GitHub gave no list where one is due"));
            };
            page.retain(wanted);
            let link = |rel| {
                let header = answer.header("link")?;
                url.join(&linked(header, rel)?).ok()
            };
            let next = if is_first { link("last").or_else(|| link("next")) } else { link("prev") };
            let is_done = !is_first && !page.is_empty();
            found.extend(page);
            match next.filter(|next| !is_done && (is_first || *next != url)) {
                Some(next) => url = next,
                None => return Ok(found),
            }
            is_first = false;
        }
        Ok(found)
    }

    /// All events of an issue.
    ///
    /// # Errors
    /// A page that cannot be had.
    pub fn events(&mut self, number: u64) -> Result<Vec<Value>, Failed> {
        self.list(&format!("issues/{number}/events?per_page=100"))
    }

    /// All open issues with a label, pull requests left out.
    ///
    /// # Errors
    /// A page that cannot be had.
    pub fn labeled(&mut self, label: &str) -> Result<Vec<Value>, Failed> {
        let label = percent_encoded(label);
        let all = self.list(&format!("issues?state=open&labels={label}&per_page=100"))?;
        Ok(all.into_iter().filter(|issue| issue.get("pull_request").is_none()).collect())
    }

    /// The repository's labels.
    ///
    /// # Errors
    /// A page that cannot be had.
    pub fn labels(&mut self) -> Result<Vec<String>, Failed> {
        let all = self.list("labels?per_page=100")?;
        Ok(all.iter().filter_map(|label| Some(label.get("name")?.as_str()?.to_owned())).collect())
    }

    /// What somebody may do here.
    ///
    /// # Errors
    /// No answer: then nothing is known. Somebody who is no collaborator may do nothing.
    pub fn permission(&mut self, person: &Person) -> Result<Permission, Failed> {
        match self.get(&format!("collaborators/{}/permission", percent_encoded(&person.login))) {
            Ok(value) => {
                let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
                Ok(Permission::of(&text("role_name"), &text("permission")))
            }
            Err(Failed { kind: Kind::Status(404), .. }) => Ok(Permission::None),
            Err(failed) => Err(failed),
        }
    }

    /// What people may do here, by their logins in lower case: in batches, and where that is forbidden one by
    /// one, at most [`ONE_BY_ONE`] of them. Logins that are missing in the answer were not asked for.
    ///
    /// # Errors
    /// No answer: then nothing is known.
    pub fn permissions(&mut self, people: &[Person]) -> Result<BTreeMap<String, Permission>, Failed> {
        let mut known = BTreeMap::new();
        let mut rest: Vec<&Person> = Vec::new();
        let mut is_forbidden = false;
        for batch in people.chunks(BATCH) {
            let asked = if is_forbidden { None } else { self.permissions_of(batch)? };
            is_forbidden = asked.is_none();
            let answers = asked.unwrap_or_default();
            for person in batch {
                match answers.get(&person.login.to_lowercase()) {
                    Some(may) => {
                        known.insert(person.login.to_lowercase(), *may);
                    }
                    None => rest.push(person),
                }
            }
        }
        for person in rest.into_iter().take(ONE_BY_ONE) {
            let may = self.permission(person)?;
            known.insert(person.login.to_lowercase(), may);
        }
        Ok(known)
    }

    /// One batch; none where GitHub forbids the question.
    fn permissions_of(&mut self, people: &[Person]) -> Result<Option<BTreeMap<String, Permission>>, Failed> {
        let mut query = String::from("query($owner: String!, $name: String!");
        (0..people.len()).for_each(|at| query.push_str(&format!(", $p{at}: String!")));
        query.push_str(") { repository(owner: $owner, name: $name) {");
        for at in 0..people.len() {
            query.push_str(&format!(
                " p{at}: collaborators(query: $p{at}, first: {CLOSE_NAMES}) {{ edges {{ permission node {{ login }} }} }}"
            ));
        }
        query.push_str(" } }");
        let (owner, name) = self.repository.split_once('/').unwrap_or_default();
        let mut variables = json!({"owner": owner, "name": name});
        for (at, person) in people.iter().enumerate() {
            variables[format!("p{at}")] = json!(person.login);
        }
        let Some(answer) = self.graphql(&query, &variables)? else { return Ok(None) };
        let mut known = BTreeMap::new();
        for (at, person) in people.iter().enumerate() {
            let edges = answer.pointer(&format!("/repository/p{at}/edges")).and_then(Value::as_array);
            let Some(edges) = edges else { return Ok(None) };
            let is_them = |edge: &&Value| {
                let login = edge.pointer("/node/login").and_then(Value::as_str).unwrap_or_default();
                login.eq_ignore_ascii_case(&person.login)
            };
            let may = match edges.iter().find(is_them) {
                Some(edge) => {
                    let word = edge.get("permission").and_then(Value::as_str).unwrap_or_default();
                    Permission::of(&word.to_lowercase(), "")
                }
                // With so many of a similar name, theirs may not be among the first.
                None if edges.len() >= CLOSE_NAMES => continue,
                None => Permission::None,
            };
            known.insert(person.login.to_lowercase(), may);
        }
        Ok(Some(known))
    }

    /// The history of comments, by their GraphQL ids: each version with its time and editor, the oldest
    /// first. Empty where GitHub does not tell.
    ///
    /// # Errors
    /// No answer.
    pub fn edits(&mut self, nodes: &[&str]) -> Result<BTreeMap<String, Vec<Edit>>, Failed> {
        let nodes: Vec<&&str> = nodes.iter().filter(|node| !node.is_empty()).take(100).collect();
        if nodes.is_empty() {
            return Ok(BTreeMap::new());
        }
        let query = "query($ids: [ID!]!) { nodes(ids: $ids) { ... on IssueComment { id userContentEdits(first: 100) { nodes { editedAt deletedAt diff editor { login __typename ... on User { databaseId } } } } } } }";
        let Some(answer) = self.graphql(query, &json!({"ids": nodes}))? else { return Ok(BTreeMap::new()) };
        let all = answer.get("nodes").and_then(Value::as_array).into_iter().flatten();
        let of = |node: &Value| {
            let edits = node.pointer("/userContentEdits/nodes")?.as_array()?;
            let mut edits: Vec<Edit> = edits.iter().filter_map(Edit::of).collect();
            edits.sort_by_key(|edit| edit.at);
            Some((node.get("id")?.as_str()?.to_owned(), edits))
        };
        Ok(all.filter_map(of).collect())
    }

    /// A question to the GraphQL API; none where it is refused or fails in part.
    fn graphql(&mut self, query: &str, variables: &Value) -> Result<Option<Value>, Failed> {
        let mut url = self.base.clone();
        let path = url.path().trim_end_matches('/').trim_end_matches("/v3").to_owned();
        url.set_path(&format!("{path}/graphql"));
        match self.ask(url, &json!({"query": query, "variables": variables})) {
            Ok(answer) => {
                let answer = value(&answer);
                let is_whole = answer.get("errors").is_none_or(Value::is_null);
                Ok(answer.get("data").filter(|data| is_whole && data.is_object()).cloned())
            }
            Err(failed) if matches!(failed.kind, Kind::Status(400..=407 | 409..=428)) => Ok(None),
            Err(failed) => Err(failed),
        }
    }

    /// The id of the token's own user; a workflow's token has none that it may ask for.
    pub fn own_id(&mut self) -> Option<u64> {
        let url = http::below(&self.base, "user");
        value(&self.call(&Method::GET, url, None).ok()?).get("id")?.as_u64()
    }

    /// Reacts to an issue; the same reaction twice is one. Gives the id of who reacted.
    ///
    /// # Errors
    /// No right to, or no answer.
    pub fn react(&mut self, number: u64, content: &str) -> Result<Option<u64>, Failed> {
        let url = self.url(&format!("issues/{number}/reactions"));
        let answer = self.call(&Method::POST, url, Some(&json!({"content": content})))?;
        Ok(value(&answer).pointer("/user/id").and_then(Value::as_u64))
    }

    /// When an issue's title or body was last edited: only the GraphQL API says so.
    ///
    /// # Errors
    /// No answer: then it is not known.
    pub fn body_edited(&mut self, number: u64) -> Result<Option<Time>, Failed> {
        let (owner, name) = self.repository.split_once('/').unwrap_or_default();
        let query = "query($owner: String!, $name: String!, $number: Int!) { repository(owner: $owner, name: $name) { issue(number: $number) { lastEditedAt } } }";
        let answer = self.graphql(query, &json!({"owner": owner, "name": name, "number": number}))?;
        let issue = answer.as_ref().and_then(|answer| answer.pointer("/repository/issue"));
        let issue = issue
            .filter(|issue| issue.is_object())
            .ok_or_else(|| Failed::new(Kind::Network, "GitHub does not say when the issue was edited"))?;
        Ok(issue.get("lastEditedAt").and_then(Value::as_str).and_then(|time| Time::parse(time).ok()))
    }

    /// Adds a label; GitHub makes it where there is none.
    ///
    /// # Errors
    /// No right to, or no answer.
    pub fn add_label(&mut self, number: u64, label: &str) -> Result<(), Failed> {
        let url = self.url(&format!("issues/{number}/labels"));
        self.call(&Method::POST, url, Some(&json!({"labels": [label]}))).map(drop)
    }

    /// Takes a label off; one that is not there is off already.
    ///
    /// # Errors
    /// No right to, or no answer.
    pub fn remove_label(&mut self, number: u64, label: &str) -> Result<(), Failed> {
        let url = self.url(&format!("issues/{number}/labels/{}", percent_encoded(label)));
        match self.call(&Method::DELETE, url, None) {
            Err(Failed { kind: Kind::Status(404), .. }) => Ok(()),
            done => done.map(drop),
        }
    }

    /// Writes our one comment: over the one that is there, else a new one. Its address.
    ///
    /// # Errors
    /// A locked or deleted issue, no right to, no answer.
    pub fn comment(
        &mut self,
        number: u64,
        known: Option<u64>,
        marker: &str,
        own: &[u64],
        body: &str,
    ) -> Result<String, Failed> {
        let body = json!({"body": body});
        if let Some(id) = known {
            let url = self.url(&format!("issues/comments/{id}"));
            match self.call(&Method::PATCH, url, Some(&body)) {
                // Somebody has deleted it since: then it is written anew.
                Err(Failed { kind: Kind::Status(404), .. }) => {}
                done => return done.map(|answer| address(&answer)),
            }
        }
        let url = self.url(&format!("issues/{number}/comments"));
        match self.call(&Method::POST, url.clone(), Some(&body)) {
            Ok(answer) => Ok(address(&answer)),
            // It may be there all the same: look before writing it a second time.
            Err(failed) if is_unknown(&failed) => {
                let all = self.comments(number)?;
                let there = all.iter().find(|one| one.is_ours(number, own) && one.body.starts_with(marker));
                match there {
                    Some(there) => Ok(format!("issuecomment-{}", there.id)),
                    None => self.call(&Method::POST, url, Some(&body)).map(|answer| address(&answer)),
                }
            }
            Err(failed) => Err(failed),
        }
    }

    /// A new pull request of a branch; one that is there already is found. Its address.
    ///
    /// # Errors
    /// A setting that forbids it, no right to, no answer.
    pub fn pull_request(
        &mut self,
        branch: &str,
        base: &str,
        title: &str,
        body: &str,
        draft: bool,
    ) -> Result<String, Failed> {
        let url = self.url("pulls");
        let whole = json!({"title": title, "head": branch, "base": base, "body": body, "draft": draft});
        match self.call(&Method::POST, url, Some(&whole)) {
            Ok(answer) => Ok(address(&answer)),
            // A plan without drafts takes an ordinary one; one that is there already is found.
            Err(failed) if is_unknown(&failed) || failed.kind == Kind::Status(422) => {
                let found = self.pulls(branch)?.into_iter().find(|pull| pull.state == PullState::Open);
                if let Some(found) = found {
                    return Ok(found.address);
                }
                let again = draft && failed.to_string().to_lowercase().contains("draft");
                if again { self.pull_request(branch, base, title, body, false) } else { Err(failed) }
            }
            Err(failed) => Err(failed),
        }
    }

    /// The text of a comment, and its address; none where it was deleted.
    ///
    /// # Errors
    /// No right to, no answer.
    pub fn comment_now(&mut self, id: u64) -> Result<Option<Comment>, Failed> {
        match self.get(&format!("issues/comments/{id}")) {
            Ok(value) => Ok(Comment::of(&value)),
            Err(Failed { kind: Kind::Status(404 | 410), .. }) => Ok(None),
            Err(failed) => Err(failed),
        }
    }

    /// The address of a comment.
    ///
    /// # Errors
    /// A comment that was deleted since, no right to, no answer.
    pub fn comment_at(&mut self, id: u64) -> Result<String, Failed> {
        Ok(page_of(&self.get(&format!("issues/comments/{id}"))?))
    }

    /// The text of a pull request, as it is now.
    ///
    /// # Errors
    /// None of this number, no right to, no answer.
    pub fn pull_text(&mut self, number: u64) -> Result<String, Failed> {
        let found = self.get(&format!("pulls/{number}"))?;
        Ok(found.get("body").and_then(Value::as_str).unwrap_or_default().to_owned())
    }

    /// Writes the text of a pull request.
    ///
    /// # Errors
    /// No right to, no answer.
    pub fn write_pull_text(&mut self, number: u64, text: &str) -> Result<(), Failed> {
        let url = self.url(&format!("pulls/{number}"));
        self.call(&Method::PATCH, url, Some(&json!({"body": text}))).map(drop)
    }

    /// The pull requests of a branch, the newest first.
    ///
    /// # Errors
    /// No right to, no answer.
    pub fn pulls(&mut self, branch: &str) -> Result<Vec<Pull>, Failed> {
        let head = percent_encoded(&format!("{}:{branch}", self.owner()));
        let found = self.get(&format!("pulls?state=all&sort=created&direction=desc&head={head}"))?;
        Ok(found.as_array().into_iter().flatten().filter_map(Pull::of).collect())
    }
}

/// A pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pull {
    pub number: u64,
    pub state: PullState,
    pub address: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PullState {
    Open,
    Merged,
    Closed,
}

impl Pull {
    fn of(value: &Value) -> Option<Pull> {
        let text = |key: &str| value.get(key).and_then(Value::as_str);
        let state = match (text("state"), text("merged_at")) {
            (_, Some(_)) => PullState::Merged,
            (Some("closed"), None) => PullState::Closed,
            _ => PullState::Open,
        };
        value.get("html_url")?;
        let number = value.get("number").and_then(Value::as_u64).unwrap_or_default();
        Some(Pull { number, state, address: page_of(value) })
    }
}

/// A version of a comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    pub at: Time,
    /// Who wrote it; none where GitHub does not say.
    pub by: Option<Person>,
    /// The whole text of this version; none where it was deleted.
    pub text: Option<String>,
}

impl Edit {
    fn of(value: &Value) -> Option<Edit> {
        let editor = value.get("editor").filter(|editor| editor.is_object());
        let by = editor.and_then(|editor| {
            let login = editor.get("login")?.as_str()?;
            Some(Person {
                id: editor.get("databaseId").and_then(Value::as_u64).unwrap_or_default(),
                login: plain::shown(login),
                is_bot: editor.get("__typename").and_then(Value::as_str) != Some("User"),
            })
        });
        let is_deleted = value.get("deletedAt").is_some_and(|deleted| !deleted.is_null());
        let text = value.get("diff").and_then(Value::as_str).filter(|_| !is_deleted);
        let at = Time::parse(value.get("editedAt")?.as_str()?).ok()?;
        Some(Edit { at, by, text: text.map(str::to_owned) })
    }
}

/// Whether nobody knows if a write was done.
const fn is_unknown(failed: &Failed) -> bool {
    matches!(failed.kind, Kind::Network | Kind::Late | Kind::Status(408 | 500..=599))
}

fn value(answer: &Answer) -> Value {
    serde_json::from_slice(&answer.body).unwrap_or_default()
}

fn address(answer: &Answer) -> String {
    page_of(&value(answer))
}

/// The address of something's page; none where it is more than an address. It is written into comments
/// and outputs as it is.
fn page_of(value: &Value) -> String {
    let text = value.get("html_url").and_then(Value::as_str).unwrap_or_default();
    let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:/?#=&%".contains(&byte);
    let is_address = (text.starts_with("https://") || text.starts_with("http://"))
        && text.len() <= 500
        && text.bytes().all(is_sign);
    if is_address { text.to_owned() } else { String::new() }
}

/// The target of a relation in a `Link` header (RFC 8288).
fn linked(header: &str, rel: &str) -> Option<String> {
    let wanted = format!("rel=\"{rel}\"");
    header.split(',').find_map(|part| {
        let (target, rest) = part.trim().strip_prefix('<')?.split_once('>')?;
        rest.split(';').any(|one| one.trim() == wanted).then(|| target.to_owned())
    })
}

/// GitHub's answers: limits are waited for, faults are tried again where that is safe, everything
/// else is final.
fn judge(answer: &Answer, is_read: bool, repeatable: bool) -> Judged {
    let message = http::error_message(answer);
    let why = || match (answer.status, answer.header("x-accepted-github-permissions")) {
        (403, Some(needed)) => {
            format!("{}; the token needs {}", http::status(403, &message), plain::shown(needed))
        }
        (410, _) => "the issue is deleted, or issues are disabled (status 410)".to_owned(),
        (status, _) => http::status(status, &message),
    };
    match answer.status {
        200..=299 if is_read && serde_json::from_slice::<Value>(&answer.body).is_err() => {
            Judged::Again("the answer broke off".to_owned(), None)
        }
        200..=299 | 301 | 302 | 307 | 308 => Judged::Good,
        403 | 429 => match limited(answer, &message) {
            // Nothing was done: that is safe to send again whatever it is.
            Some(pause) => Judged::Again(why(), Some(pause)),
            None => Judged::Never(why()),
        },
        408 | 500..=599 if repeatable => Judged::Again(why(), http::retry_after(answer)),
        _ => Judged::Never(why()),
    }
}

/// How long a limit asks to wait; none where it is no limit but a refusal.
fn limited(answer: &Answer, message: &str) -> Option<Duration> {
    if let Some(pause) = http::retry_after(answer) {
        return Some(pause);
    }
    let number = |name: &str| answer.header(name).and_then(|text| text.trim().parse::<i64>().ok());
    if number("x-ratelimit-remaining") == Some(0) {
        let now = answer.header("date").and_then(|date| chrono::DateTime::parse_from_rfc2822(date).ok())?;
        let wait = number("x-ratelimit-reset")? - now.timestamp();
        return Some(Duration::from_secs(u64::try_from(wait).unwrap_or(0).max(1)));
    }
    let secondary = answer.status == 429 || message.to_lowercase().contains("rate limit");
    secondary.then_some(Duration::from_secs(60))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, headers: &[(&str, &str)], body: &str) -> Answer {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Answer { status, headers, body: body.as_bytes().to_vec() }
    }

    #[test]
    fn limits_are_waited_for_and_refusals_are_not() {
        let judged = |answer: &Answer| judge(answer, true, true);
        let pause = |answer: &Answer| match judged(answer) {
            Judged::Again(_, pause) => pause.map(|pause| pause.as_secs()),
            other => panic!("{other:?}"),
        };
        assert_eq!(pause(&answer(403, &[("retry-after", "7")], "")), Some(7));
        let date = ("date", "Sun, 22 Nov 2026 08:00:00 GMT");
        let reset =
            answer(403, &[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1795334430"), date], "");
        assert_eq!(pause(&reset), Some(30));
        assert_eq!(pause(&answer(429, &[], "")), Some(60));
        let secondary = r#"{"message": "You have exceeded a secondary rate limit."}"#;
        assert_eq!(pause(&answer(403, &[], secondary)), Some(60));
        let refusal = r#"{"message": "Resource not accessible by integration"}"#;
        let needs = [("x-accepted-github-permissions", "issues=write")];
        match judged(&answer(403, &needs, refusal)) {
            Judged::Never(why) => {
                assert!(why.contains("issues=write") && why.contains("not accessible"), "{why}")
            }
            other => panic!("{other:?}"),
        }
        for status in [401, 404, 410, 422] {
            assert!(matches!(judged(&answer(status, &[], "")), Judged::Never(_)), "{status}");
        }
        assert!(matches!(judged(&answer(200, &[], "[{")), Judged::Again(..)));
        assert!(
            matches!(judge(&answer(502, &[], ""), false, false), Judged::Never(_)),
            "a POST is not repeated"
        );
    }

    #[test]
    fn the_next_page_is_what_the_link_says() {
        let header = r#"<https://api.github.com/repositories/1/issues?page=1>; rel="prev", <https://api.github.com/repositories/1/issues?page=3>; rel="next""#;
        assert_eq!(
            linked(header, "next").as_deref(),
            Some("https://api.github.com/repositories/1/issues?page=3")
        );
        assert_eq!(linked(r#"<https://x/>; rel="last""#, "next"), None);
        assert_eq!(linked("garbage", "next"), None);
    }

    #[test]
    fn a_repository_is_two_plain_names() {
        let base = || Url::parse("http://127.0.0.1:1/").unwrap();
        assert!(Hub::new(base(), "owner/name.rs", None).is_ok());
        for bad in ["owner", "a/b/c", "a/../b", "../x", "a/b c", "/", "a/", "a/b?x"] {
            assert!(Hub::new(base(), bad, None).is_err(), "{bad}");
        }
        assert_eq!(percent_encoded("roundtable:01-03 ü"), "roundtable%3A01-03%20%C3%BC");
    }
}
