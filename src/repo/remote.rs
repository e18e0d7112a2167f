//! Fetching and pushing one branch, over our own HTTP client.
//!
//! libgit2 speaks git's protocol; what goes over the wire goes through [`crate::http`], so that
//! deadlines, certificates and the rule that a token is for one host only hold here too, and no
//! system TLS library is needed. Nothing is ever forced, and no helper or hook of the machine is run.

use std::cell::RefCell;
use std::io::{Cursor, Read, Write};
use std::sync::Once;
use std::time::Duration;

use git2::transport::{Service, SmartSubtransport, SmartSubtransportStream, Transport};
use git2::{Direction, ErrorCode, Oid, PushOptions, RemoteCallbacks};

use super::{Error, Repo};
use crate::http::{self, Http, Judged, Method, Request, Secret, Url};

/// How long one exchange with a remote may take.
const PATIENCE: Duration = Duration::from_secs(120);
/// The most bytes of a pack that is fetched (256 MiB).
const LARGEST: usize = 256 << 20;

/// A remote repository and the token to it, if there is one.
#[derive(Clone, Debug)]
pub struct Remote {
    pub url: String,
    pub token: Option<Secret>,
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

thread_local! {
    /// The token that requests on this thread may carry, and to where.
    static TOKEN: RefCell<Option<(String, Secret)>> = const { RefCell::new(None) };
}

impl Repo {
    /// The URL of a remote of this repository.
    ///
    /// # Errors
    /// No remote of this name, or one without a URL.
    pub fn remote_url(&self, name: &str) -> Result<String, Error> {
        let shown = crate::plain::shown(name);
        let missing = || Error::NoRemote(shown.clone());
        let remote = self.git().find_remote(name).map_err(|_| missing())?;
        remote.url().ok().filter(|url| !url.is_empty()).map(str::to_owned).ok_or_else(missing)
    }

    /// Where a branch stands at a remote, with everything of it fetched; none where there is no
    /// such branch. No reference of this repository changes.
    ///
    /// # Errors
    /// A remote that cannot be read.
    pub fn fetch(&self, remote: &Remote, branch: &str) -> Result<Option<Oid>, Error> {
        with_token(remote, || {
            let mut found = self.git().remote_anonymous(&remote.url)?;
            let name = format!("refs/heads/{branch}");
            let tip = {
                let connection = found.connect_auth(Direction::Fetch, None, None)?;
                connection.list()?.iter().find(|head| head.name() == name).map(git2::RemoteHead::oid)
            };
            if let Some(tip) = tip.filter(|tip| self.git().find_commit(*tip).is_err()) {
                found.download(&[&name], None)?;
                self.git().find_commit(tip)?;
            }
            Ok(tip)
        })
    }

    /// Where the branches below a name stand at a remote, with everything of them fetched.
    ///
    /// # Errors
    /// A remote that cannot be read.
    pub fn fetch_below(&self, remote: &Remote, name: &str) -> Result<Vec<(String, Oid)>, Error> {
        with_token(remote, || {
            let mut found = self.git().remote_anonymous(&remote.url)?;
            let below = format!("refs/heads/{name}/");
            let heads: Vec<(String, Oid)> = {
                let connection = found.connect_auth(Direction::Fetch, None, None)?;
                let heads = connection.list()?.iter().filter(|head| head.name().starts_with(&below));
                heads.map(|head| (head.name()["refs/heads/".len()..].to_owned(), head.oid())).collect()
            };
            let lacking = heads.iter().filter(|(_, tip)| self.git().find_commit(*tip).is_err());
            let wanted: Vec<String> = lacking.map(|(name, _)| format!("refs/heads/{name}")).collect();
            if !wanted.is_empty() {
                found.download(&wanted, None)?;
            }
            Ok(heads)
        })
    }

    /// Pushes a branch to a remote, forward only.
    ///
    /// # Errors
    /// A remote that cannot be reached or does not answer as one.
    pub fn push(&self, remote: &Remote, branch: &str) -> Result<Pushed, Error> {
        with_token(remote, || {
            let mut found = self.git().remote_anonymous(&remote.url)?;
            let refused = RefCell::new(None);
            let mut callbacks = RemoteCallbacks::new();
            callbacks.push_update_reference(|_, status| {
                let redacted = |status: &str| match &remote.token {
                    Some(token) => token.redact(status),
                    None => status.to_owned(),
                };
                *refused.borrow_mut() = status.map(|status| crate::plain::shown(&redacted(status)));
                Ok(())
            });
            let mut options = PushOptions::new();
            options.remote_callbacks(callbacks);
            let name = format!("refs/heads/{branch}");
            let pushed = found.push(&[format!("{name}:{name}")], Some(&mut options));
            drop(options);
            match (pushed, refused.into_inner()) {
                (Err(error), _) if error.code() == ErrorCode::NotFastForward => Ok(Pushed::Behind),
                (Err(error), _) => Err(error.into()),
                (Ok(()), Some(why)) if is_race(&why) => Ok(Pushed::Behind),
                (Ok(()), Some(why)) => Ok(Pushed::Refused(why)),
                (Ok(()), None) => Ok(Pushed::Done),
            }
        })
    }

    /// Puts a branch of ours back to where it stood before, if it still stands at `now`: for commits
    /// that are not to stay here.
    ///
    /// # Errors
    /// A branch that somebody moves meanwhile.
    pub fn put_back(&self, branch: &str, now: Oid, before: Option<Oid>) -> Result<(), Error> {
        if before == Some(now) {
            return Ok(());
        }
        let name = format!("refs/heads/{branch}");
        let mut reference = self.git().find_reference(&name)?;
        let moved = |error: git2::Error| Error::Moved {
            branch: branch.to_owned(),
            reason: error.message().to_owned(),
        };
        match before {
            None if reference.target() == Some(now) => reference.delete().map_err(moved),
            None => Err(Error::Diverged(branch.to_owned())),
            Some(before) => {
                let log = "roundtable: put back";
                self.git().reference_matching(&name, before, true, now, log).map(drop).map_err(moved)
            }
        }
    }

    /// Moves a branch to where it stands at a remote, if nothing of it is lost by that; `instead_of`
    /// is a commit of ours that the remote has not taken and that may go.
    ///
    /// # Errors
    /// A branch with commits of its own, or that somebody moves meanwhile.
    pub fn follow(&self, branch: &str, to: Oid, instead_of: Option<Oid>) -> Result<(), Error> {
        let name = format!("refs/heads/{branch}");
        let tip = self.tip(branch)?;
        if tip == Some(to) {
            return Ok(());
        }
        let moved = |error: git2::Error| Error::Moved {
            branch: branch.to_owned(),
            reason: error.message().to_owned(),
        };
        match tip {
            None => self.git().reference(&name, to, false, "roundtable: fetched").map(drop).map_err(moved),
            Some(tip) => {
                let known = tip == to || self.git().graph_descendant_of(to, tip)?;
                if !known && instead_of != Some(tip) {
                    // Ahead of the remote: what is here is pushed later.
                    if self.git().graph_descendant_of(tip, to)? {
                        return Ok(());
                    }
                    return Err(Error::Diverged(branch.to_owned()));
                }
                let log = "roundtable: fetched";
                self.git().reference_matching(&name, to, true, tip, log).map(drop).map_err(moved)
            }
        }
    }
}

/// Words of a remote that only say that somebody else was first.
fn is_race(why: &str) -> bool {
    ["fetch first", "non-fast-forward", "stale info", "failed to update ref", "cannot lock ref"]
        .iter()
        .any(|words| why.contains(words))
}

/// Does something with a remote while its token is at hand, and takes the token out of any error.
fn with_token<T>(remote: &Remote, act: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    register();
    // git's configuration may rewrite the URL behind our back: the token is for this place only.
    let place = Url::parse(&remote.url).map(|url| url.origin().ascii_serialization()).unwrap_or_default();
    TOKEN.with(|token| *token.borrow_mut() = remote.token.clone().map(|secret| (place, secret)));
    let done = act();
    TOKEN.with(|token| token.borrow_mut().take());
    done.map_err(|error| {
        let message = crate::plain::shown(&match &error {
            Error::Git(error) => error.message().to_owned(),
            other => other.to_string(),
        });
        let redacted = remote.token.as_ref().map_or(message.clone(), |token| token.redact(&message));
        Error::Remote { url: crate::plain::shown(&without_credentials(&remote.url)), reason: redacted }
    })
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

/// Takes over http and https from libgit2, once a process.
fn register() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        for scheme in ["http", "https"] {
            // SAFETY: `Once` keeps two registrations apart, and nothing else makes transports: every
            // remote of this program goes through `with_token`, which registers first.
            #[allow(unsafe_code)]
            let _ =
                unsafe { git2::transport::register(scheme, |remote| Transport::smart(remote, true, Wire)) };
        }
    });
}

/// git's protocol over HTTP (gitprotocol-http), without a state of its own.
struct Wire;

impl SmartSubtransport for Wire {
    fn action(&self, url: &str, action: Service) -> Result<Box<dyn SmartSubtransportStream>, git2::Error> {
        let base =
            http::base_url("the remote", url).map_err(|failed| git2::Error::from_str(&failed.to_string()))?;
        let (service, is_list) = match action {
            Service::UploadPackLs => ("git-upload-pack", true),
            Service::UploadPack => ("git-upload-pack", false),
            Service::ReceivePackLs => ("git-receive-pack", true),
            Service::ReceivePack => ("git-receive-pack", false),
        };
        let token = TOKEN.with(|token| token.borrow().clone());
        let there = base.origin().ascii_serialization();
        if let Some((place, _)) = token.as_ref().filter(|(place, _)| *place != there) {
            let why = format!(
                "git's configuration sends {place} to {there} (insteadOf); the token is for {place} only"
            );
            return Err(git2::Error::from_str(&why));
        }
        let token = token.map(|(_, secret)| secret);
        Ok(Box::new(Exchange { base, service, is_list, token, sent: Vec::new(), answer: None }))
    }

    fn close(&self) -> Result<(), git2::Error> {
        Ok(())
    }
}

/// One request and its answer: written first, read then.
struct Exchange {
    base: Url,
    service: &'static str,
    is_list: bool,
    token: Option<Secret>,
    sent: Vec<u8>,
    answer: Option<Cursor<Vec<u8>>>,
}

impl Exchange {
    fn answer(&mut self) -> Result<Vec<u8>, http::Failed> {
        let (url, kind) = if self.is_list {
            let mut url = http::below(&self.base, "info/refs");
            url.set_query(Some(&format!("service={}", self.service)));
            (url, "advertisement")
        } else {
            (http::below(&self.base, self.service), "result")
        };
        let mut headers = vec![("accept", format!("application/x-{}-{kind}", self.service))];
        if !self.is_list {
            headers.push(("content-type", format!("application/x-{}-request", self.service)));
        }
        let request = Request {
            method: if self.is_list { Method::GET } else { Method::POST },
            url,
            headers,
            secret: self.token.clone().map(|token| ("authorization", "Basic ", token.as_basic())),
            body: (!self.is_list).then(|| std::mem::take(&mut self.sent)),
        };
        let wanted = format!("application/x-{}-{kind}", self.service);
        let judge = move |answer: &http::Answer| {
            let judged = http::by_status(answer, "");
            let is_git = answer.header("content-type").is_some_and(|found| found.starts_with(&wanted));
            match judged {
                Judged::Good if !is_git => Judged::Never("there is no git repository".to_owned()),
                judged => judged,
            }
        };
        // A push whose fate is unknown is looked at again by whoever pushes.
        let repeatable = self.is_list || self.service == "git-upload-pack";
        let mut http = Http::new(&self.base)?.reading_at_most(LARGEST);
        Ok(http.call(&request, PATIENCE, repeatable, &judge)?.body)
    }
}

impl Read for Exchange {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.answer.is_none() {
            let answer = self.answer().map_err(|failed| std::io::Error::other(failed.to_string()))?;
            self.answer = Some(Cursor::new(answer));
        }
        self.answer.as_mut().map_or(Ok(0), |answer| answer.read(buffer))
    }
}

impl Write for Exchange {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.sent.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
