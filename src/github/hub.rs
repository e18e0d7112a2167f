//! GitHub's REST API, as far as a discussion needs it.
//!
//! Reading is repeated where it fails, writing is not repeated blindly: a POST whose answer was
//! lost may have been done, and whoever sent it looks before sending it again. The token goes to the
//! API's own host and to no other, whatever a redirect or a `Link` says.

use std::time::Duration;

use serde_json::{Value, json};

use super::Permission;
use super::thread::Comment;
use super::trigger::Person;
use crate::discussion::event::Time;
use crate::http::{self, Answer, Failed, Http, Judged, Kind, Method, Request, Secret, Url};
use crate::plain;

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
            return Err(Failed::new(
                Kind::Usage,
                format!("\"{shown}\" is no repository; write it like owner/name"),
            ));
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
        })
    }

    pub fn owner(&self) -> &str {
        self.repository.split('/').next().unwrap_or_default()
    }

    pub const fn has_token(&self) -> bool {
        self.token.is_some()
    }

    /// How many requests were sent.
    pub const fn sent(&self) -> u64 {
        self.http.sent()
    }

    fn url(&self, path: &str) -> Url {
        let (path, query) = path.split_once('?').map_or((path, None), |(path, query)| (path, Some(query)));
        let mut url = http::below(&self.base, &format!("repos/{}/{path}", self.repository));
        url.set_query(query);
        url
    }

    /// One call; redirects are followed with method and body, and without the token where they lead
    /// to another host.
    fn call(&mut self, method: &Method, mut url: Url, body: Option<&Value>) -> Result<Answer, Failed> {
        let is_read = *method == Method::GET;
        if !is_read && std::mem::replace(&mut self.has_written, true) {
            self.http.rest(self.pause);
        }
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
            let repeatable = *method != Method::POST;
            let judge = move |answer: &Answer| judge(answer, is_read, repeatable);
            let answer = self.http.call(&request, PATIENCE, repeatable, &judge)?;
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
            let next = answer.header("link").and_then(next_link).and_then(|next| url.join(&next).ok());
            match next {
                None => return Ok(all),
                Some(next) if seen.contains(&next.to_string()) => {
                    return Err(Failed::new(
                        Kind::Network,
                        "GitHub's pages go round in circles; nothing of them is used",
                    ));
                }
                Some(next) => url = next,
            }
        }
        Err(Failed::new(
            Kind::Network,
            format!("the list has more than {PAGES} pages; nothing of it is used"),
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

    /// All events of an issue: when which label was set.
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
        let label = escaped(label);
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
        match self.get(&format!("collaborators/{}/permission", escaped(&person.login))) {
            Ok(value) => {
                let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
                Ok(Permission::of(&text("role_name"), &text("permission")))
            }
            Err(Failed { kind: Kind::Status(404), .. }) => Ok(Permission::None),
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
        let mut url = self.base.clone();
        let path = url.path().trim_end_matches('/').trim_end_matches("/v3").to_owned();
        url.set_path(&format!("{path}/graphql"));
        let (owner, name) = self.repository.split_once('/').unwrap_or_default();
        let query = "query($owner: String!, $name: String!, $number: Int!) { repository(owner: $owner, name: $name) { issue(number: $number) { lastEditedAt } } }";
        let body = json!({"query": query, "variables": {"owner": owner, "name": name, "number": number}});
        let answer = value(&self.call(&Method::POST, url, Some(&body))?);
        let issue = answer.pointer("/data/repository/issue").filter(|issue| issue.is_object());
        let issue = issue
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
        let url = self.url(&format!("issues/{number}/labels/{}", escaped(label)));
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
            // It may stand there all the same: look before writing it a second time.
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

    /// The open pull request of a branch, or a new one. Its address.
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
        if let Some(found) = self.open_pull_request(branch)? {
            return Ok(found);
        }
        let url = self.url("pulls");
        let whole = json!({"title": title, "head": branch, "base": base, "body": body, "draft": draft});
        match self.call(&Method::POST, url, Some(&whole)) {
            Ok(answer) => Ok(address(&answer)),
            // A plan without drafts takes an ordinary one; one that is there already is found.
            Err(failed) if is_unknown(&failed) || failed.kind == Kind::Status(422) => {
                if let Some(found) = self.open_pull_request(branch)? {
                    return Ok(found);
                }
                let again = draft && failed.to_string().to_lowercase().contains("draft");
                if again { self.pull_request(branch, base, title, body, false) } else { Err(failed) }
            }
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

    /// The open pull request of a branch, if there is one. Its address.
    ///
    /// # Errors
    /// No right to, no answer.
    pub fn open_pull_request(&mut self, branch: &str) -> Result<Option<String>, Failed> {
        let head = escaped(&format!("{}:{branch}", self.owner()));
        let found = self.get(&format!("pulls?state=open&head={head}"))?;
        let first = found.as_array().and_then(|all| all.first());
        Ok(first.filter(|one| one.get("html_url").is_some()).map(page_of))
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

/// A word of others as a part of a path or query.
fn escaped(text: &str) -> String {
    text.bytes().map(http::percent).collect()
}

/// `rel="next"` of a `Link` header (RFC 8288).
fn next_link(header: &str) -> Option<String> {
    header.split(',').find_map(|part| {
        let (target, rest) = part.trim().strip_prefix('<')?.split_once('>')?;
        rest.split(';').any(|one| one.trim() == "rel=\"next\"").then(|| target.to_owned())
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
        assert_eq!(next_link(header).as_deref(), Some("https://api.github.com/repositories/1/issues?page=3"));
        assert_eq!(next_link(r#"<https://x/>; rel="last""#), None);
        assert_eq!(next_link("garbage"), None);
    }

    #[test]
    fn a_repository_is_two_plain_names() {
        let base = || Url::parse("http://127.0.0.1:1/").unwrap();
        assert!(Hub::new(base(), "owner/name.rs", None).is_ok());
        for bad in ["owner", "a/b/c", "a/../b", "../x", "a/b c", "/", "a/", "a/b?x"] {
            assert!(Hub::new(base(), bad, None).is_err(), "{bad}");
        }
        assert_eq!(escaped("roundtable:01-03 ü"), "roundtable%3A01-03%20%C3%BC");
    }
}
