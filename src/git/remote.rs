//! Fetching and pushing one branch with `git`: credential helpers, ssh, proxies and signing work as the user has set
//! them up. Nothing is ever forced.
//!
//! A token goes to the place that it is for, as a header that git sends below that URL alone; it is in no argument
//! and in no message.

use std::process::{Command, Output, Stdio};

use base64::Engine as _;
use git2::Oid;

use super::{Error, Repo};
use crate::http::{Secret, Url};

/// Seconds without a byte after which git gives up on a server.
const PATIENCE_SECONDS: &str = "60";

/// A remote repository and the token to it, if there is one.
#[derive(Clone, Debug)]
pub struct Remote {
    /// A URL, a path, or the name of a remote of the repository.
    pub place: String,
    /// The token, and the URL below which it is sent.
    pub token: Option<(Secret, Url)>,
}

/// How a push ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pushed {
    Done,
    /// The remote's branch has commits that this one lacks.
    Behind,
    /// The remote says no: a protected branch, a hook.
    Refused(String),
}

impl Repo {
    /// The URL of a remote of this repository.
    ///
    /// # Errors
    /// No remote of this name, or one without a URL.
    pub(crate) fn remote_url(&self, name: &str) -> Result<String, Error> {
        let shown = crate::text::plain::shown(name);
        let missing = || Error::NoRemote(shown.clone());
        let remote = self.git().find_remote(name).map_err(|_| missing())?;
        remote.url().ok().filter(|url| !url.is_empty()).map(str::to_owned).ok_or_else(missing)
    }

    /// Where a branch is at a remote, with everything of it fetched; none where there is no such branch. No branch of
    /// this repository changes.
    ///
    /// # Errors
    /// A remote that cannot be read.
    pub fn fetch(&self, remote: &Remote, branch: &str) -> Result<Option<Oid>, Error> {
        let found = self.bring(remote, &format!("refs/heads/{branch}"))?;
        Ok(found.into_iter().find(|(name, _)| name == branch).map(|(_, tip)| tip))
    }

    /// Where the branches below a name are at a remote, with everything of them fetched.
    ///
    /// # Errors
    /// A remote that cannot be read.
    pub fn fetch_below(&self, remote: &Remote, name: &str) -> Result<Vec<(String, Oid)>, Error> {
        self.bring(remote, &format!("refs/heads/{name}/*"))
    }

    /// The branches of a remote that a pattern names, fetched.
    fn bring(&self, remote: &Remote, pattern: &str) -> Result<Vec<(String, Oid)>, Error> {
        let mut listing = self.git_to(remote);
        let listed = remote.run(listing.args(["ls-remote", "--refs", "--", &remote.place, pattern]))?;
        let found: Vec<(String, Oid)> = String::from_utf8_lossy(&listed.stdout)
            .lines()
            .filter_map(|line| branch_at(line, pattern))
            .collect();
        let is_lacking = |(_, tip): &&(String, Oid)| self.git().find_commit(*tip).is_err();
        let names: Vec<String> =
            found.iter().filter(is_lacking).map(|(name, _)| format!("refs/heads/{name}")).collect();
        if !names.is_empty() {
            let quiet = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules"];
            remote.run(self.git_to(remote).args(quiet).args(["--", &remote.place]).args(names))?;
        }
        match found.iter().find(is_lacking) {
            Some((name, _)) => Err(remote.error(&format!("its branch {name} was replaced meanwhile"))),
            None => Ok(found),
        }
    }

    /// Pushes a branch to a remote, forward only.
    ///
    /// # Errors
    /// A remote that cannot be reached or does not answer as one.
    pub fn push(&self, remote: &Remote, branch: &str) -> Result<Pushed, Error> {
        let name = format!("refs/heads/{branch}");
        let mut command = self.git_to(remote);
        command.args(["push", "--porcelain", "--no-follow-tags", "--recurse-submodules=no", "--"]);
        let output = remote.start(command.args([&remote.place, &format!("{name}:{name}")]))?;
        let said = String::from_utf8_lossy(&output.stdout);
        match said.lines().find_map(|line| outcome_of(line, &name)) {
            Some(Ok(())) => Ok(Pushed::Done),
            Some(Err(why)) if is_race(why) => Ok(Pushed::Behind),
            Some(Err(why)) => Ok(Pushed::Refused(remote.harmless(&with_words_of_remote(why, &output)))),
            None => Err(remote.failed(&output)),
        }
    }

    /// git, for this repository and a remote; it asks nobody and tidies nothing up.
    fn git_to(&self, remote: &Remote) -> Command {
        let mut command = Command::new("git");
        command.arg("--git-dir").arg(self.git().path()).stdin(Stdio::null());
        command.env("LC_ALL", "C").env("GIT_TERMINAL_PROMPT", "0");
        let mut settings = vec![
            ("gc.auto".to_owned(), "0".to_owned()),
            ("maintenance.auto".to_owned(), "false".to_owned()),
            ("http.lowSpeedLimit".to_owned(), "1".to_owned()),
            ("http.lowSpeedTime".to_owned(), PATIENCE_SECONDS.to_owned()),
        ];
        if let Some((token, place)) = &remote.token {
            let login = base64::engine::general_purpose::STANDARD
                .encode(format!("x-access-token:{}", token.expose()));
            let key = format!("http.{place}.extraHeader");
            // The empty value takes back what another tool has set for the same place: two logins are refused.
            settings.push((key.clone(), String::new()));
            settings.push((key, format!("Authorization: Basic {login}")));
            settings.push(("http.followRedirects".to_owned(), "false".to_owned()));
            // A proxy sees all of what is not encrypted.
            if place.scheme() == "http" {
                settings.push((format!("http.{place}.proxy"), String::new()));
            }
        }
        command.env("GIT_CONFIG_COUNT", settings.len().to_string());
        for (at, (key, value)) in settings.into_iter().enumerate() {
            command.env(format!("GIT_CONFIG_KEY_{at}"), key).env(format!("GIT_CONFIG_VALUE_{at}"), value);
        }
        command
    }

    /// Puts a branch of ours back to where it was before, if it is still at `now`: for commits
    /// that are not to stay here.
    ///
    /// # Errors
    /// A branch that somebody moves meanwhile.
    pub(crate) fn put_back(&self, branch: &str, now: Oid, before: Option<Oid>) -> Result<(), Error> {
        if before == Some(now) {
            return Ok(());
        }
        let name = format!("refs/heads/{branch}");
        let mut lock = self.lock()?;
        let fresh = lock.open_anew(self)?;
        let mut reference = fresh.find_reference(&name)?;
        let log = "roundtable: put back";
        let put = lock.moving(self, &name, before.unwrap_or(now), || match before {
            None if reference.target() == Some(now) => Ok(reference.delete()),
            None => Err(Error::Diverged(branch.to_owned())),
            Some(before) => Ok(fresh.point(&name, before, now, log)),
        })??;
        put.map_err(|error| moved_meanwhile(branch, &error))
    }

    /// Moves a branch to where it is at a remote, if nothing of it is lost by that; `instead_of`
    /// is a commit of ours that the remote has not taken and that may go.
    ///
    /// # Errors
    /// A branch with commits of its own, or that somebody moves meanwhile.
    pub(crate) fn follow(&self, branch: &str, to: Oid, instead_of: Option<Oid>) -> Result<(), Error> {
        let name = format!("refs/heads/{branch}");
        let tip = self.tip(branch)?;
        if tip == Some(to) {
            return Ok(());
        }
        if let Some(tip) = tip.filter(|tip| instead_of != Some(*tip))
            && !self.git().graph_descendant_of(to, tip)?
        {
            // Ahead of the remote: what is here is pushed later.
            let is_ahead = self.git().graph_descendant_of(tip, to)?;
            return if is_ahead { Ok(()) } else { Err(Error::Diverged(branch.to_owned())) };
        }
        let mut lock = self.lock()?;
        let fresh = lock.open_anew(self)?;
        if tip.is_none() {
            self.make_folders(branch)?;
        }
        let old = tip.unwrap_or(Oid::ZERO_SHA1);
        let log = "roundtable: fetched";
        let moved = lock.moving(self, &name, to, || fresh.point(&name, to, old, log))?;
        moved.map_err(|error| moved_meanwhile(branch, &error))
    }
}

fn moved_meanwhile(branch: &str, error: &git2::Error) -> Error {
    Error::Moved { branch: branch.to_owned(), reason: error.message().to_owned() }
}

impl Remote {
    /// Runs git to its end.
    fn start(&self, command: &mut Command) -> Result<Output, Error> {
        command.output().map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => self.error("`git` is not installed, or not in PATH"),
            _ => self.error(&format!("git cannot be started: {error}")),
        })
    }

    /// Runs git, which has to succeed.
    fn run(&self, command: &mut Command) -> Result<Output, Error> {
        let output = self.start(command)?;
        if output.status.success() { Ok(output) } else { Err(self.failed(&output)) }
    }

    /// What git said when it failed.
    fn failed(&self, output: &Output) -> Error {
        let said = String::from_utf8_lossy(&output.stderr);
        let lines: Vec<&str> = said.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let asks_for_login = ["could not read Username", "could not read Password", "Authentication failed"];
        if asks_for_login.iter().any(|words| said.contains(words)) {
            return self.error(match &self.token {
                Some(_) => "the token is not accepted there; check that it is still valid and may write here",
                None => "it asks for a login; set up a credential helper for git, or try `git fetch` by hand",
            });
        }
        match lines.is_empty() {
            true => self.error(&format!("git ended with {}", output.status)),
            false => self.error(&lines.join("; ")),
        }
    }

    fn error(&self, reason: &str) -> Error {
        let url = crate::text::plain::shown(&without_credentials(&self.place));
        Error::Remote { url, reason: self.harmless(reason) }
    }

    /// Words of this remote or about it, without its token, harmless and short.
    fn harmless(&self, words: &str) -> String {
        let words = words.replace(&self.place, &without_credentials(&self.place));
        let clean = crate::text::plain::one_line(&crate::text::plain::clean(&words));
        crate::text::plain::shown(
            &self.token.as_ref().map_or(clean.clone(), |(token, _)| token.redact(&clean)),
        )
    }
}

/// A branch in a line of `git ls-remote`, if the pattern names it.
fn branch_at(line: &str, pattern: &str) -> Option<(String, Oid)> {
    let (id, name) = line.split_once('\t')?;
    let is_named = match pattern.strip_suffix('*') {
        Some(folder) => name.starts_with(folder),
        None => name == pattern,
    };
    let branch =
        name.strip_prefix("refs/heads/").filter(|_| is_named && git2::Reference::is_valid_name(name))?;
    Some((branch.to_owned(), Oid::from_str(id).ok()?))
}

/// What a line of `git push --porcelain` says of a reference: that it is there, or why it is not.
fn outcome_of<'l>(line: &'l str, name: &str) -> Option<Result<(), &'l str>> {
    let mut parts = line.splitn(3, '\t');
    let (flag, references, summary) = (parts.next()?, parts.next()?, parts.next()?);
    (references.rsplit(':').next() == Some(name)).then_some(())?;
    if flag != "!" {
        return Some(Ok(()));
    }
    let why = summary.split_once('(').map_or(summary, |(_, why)| why.trim_end_matches(')'));
    Some(Err(why))
}

/// Words of git that only say that somebody else was first.
fn is_race(why: &str) -> bool {
    ["fetch first", "non-fast-forward", "stale info", "failed to update ref", "cannot lock ref"]
        .iter()
        .any(|words| why.contains(words))
}

/// A refusal with what the remote's hooks say of it.
fn with_words_of_remote(why: &str, output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    let remote = said.lines().filter_map(|line| line.strip_prefix("remote:")).map(str::trim);
    // git's own error says once more why.
    let more = remote.filter(|words| !words.is_empty() && !words.contains(why));
    std::iter::once(why).chain(more).collect::<Vec<_>>().join("; ")
}

/// A URL without a name and password in it.
fn without_credentials(url: &str) -> String {
    match Url::parse(url) {
        Ok(mut url) => {
            let _ = url.set_username("");
            let _ = url.set_password(None);
            url.to_string()
        }
        Err(_) => url.to_owned(),
    }
}
