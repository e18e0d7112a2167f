//! The one HTTP client: every wait bounded, every answer capped, nothing followed, and no secret in
//! any message.
//!
//! A call ends at its deadline, whatever the server does: the time limit holds for all tries
//! together, reading the body included. Redirects are not followed, so that a key never reaches
//! another host. What may be asked again is asked again at most [`TRIES`] times, after a pause
//! that grows and varies, or the one the server names (`retry-after`, RFC 9110 section 10.2.3).
//!
//! ```
//! use roundtable::http::base_url;
//!
//! assert!(base_url("--base-url", "http://127.0.0.1:8080/v1").is_ok());
//! // A key is sent over https, or to this machine.
//! assert!(base_url("--base-url", "http://example.org/v1").is_err());
//! ```

use std::hash::{BuildHasher as _, RandomState};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
pub use reqwest::{Method, Url};

use crate::text::path::percent_encoded;
use crate::text::plain;
use crate::text::remedy::{Problem, Remedy};

/// How often a request is sent at most.
pub const TRIES: u32 = 4;
/// The longest answer that is read, in bytes (4 MiB).
const LARGEST: usize = 4 << 20;
/// How long connecting may take.
const CONNECT: Duration = Duration::from_secs(10);
/// The pause before the second try; it doubles with each.
const PAUSE: Duration = Duration::from_millis(400);

/// A key or token: shown to one host, and nowhere else.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret {
    name: String,
    value: String,
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Secret({})", self.name)
    }
}

impl Secret {
    /// A secret and the name it goes by, such as the variable it came from. White space around
    /// it is taken off.
    ///
    /// # Errors
    /// Text that cannot be in a header.
    pub fn new(name: &str, value: &str) -> Result<Secret, Failed> {
        let value = value.trim();
        if value.is_empty() || !value.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(Failed::new(
                Kind::Usage,
                format!("{name} holds no key: a key is one word of visible ASCII characters"),
            ));
        }
        Ok(Secret { name: name.to_owned(), value: value.to_owned() })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// The value itself, for a header.
    pub fn expose(&self) -> &str {
        &self.value
    }

    /// The forms a secret is written in: as it is, in base64, in a URL.
    fn forms(&self) -> Vec<String> {
        // A short word says nothing and would be found everywhere.
        if self.value.len() < 8 {
            return vec![self.value.clone()];
        }
        let token = format!("x-access-token:{}", self.value);
        vec![
            self.value.clone(),
            STANDARD.encode(&self.value),
            URL_SAFE.encode(&self.value),
            STANDARD.encode(token),
            percent_encoded(&self.value),
        ]
    }

    /// Whether a text holds the secret in any of its forms.
    pub fn is_in(&self, text: &str) -> bool {
        self.forms().iter().any(|form| text.contains(form.trim_end_matches('=')))
    }

    /// The text without the secret.
    pub fn redact(&self, text: &str) -> String {
        let hide = |text: String, form: String| text.replace(form.trim_end_matches('='), "[removed]");
        self.forms().into_iter().fold(text.to_owned(), hide)
    }
}

/// A request, ready to be sent more than once.
#[derive(Clone, Debug)]
pub struct Request {
    pub method: Method,
    pub url: Url,
    /// Headers beside those of the client itself.
    pub headers: Vec<(&'static str, String)>,
    /// A header that holds the secret: its name, and what is before the secret in it.
    pub secret: Option<(&'static str, &'static str, Secret)>,
    pub body: Option<Vec<u8>>,
}

/// What a server answered.
#[derive(Clone, Debug)]
pub struct Answer {
    pub status: u16,
    /// Header names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The body as text; bytes that are no UTF-8 are shown as U+FFFD.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// What to do about an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judged {
    Good,
    /// Ask again, after this pause if one is named.
    Again(String, Option<Duration>),
    /// Asking again would not help.
    Never(String),
}

/// A call that did not come to a good answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Failed {
    pub kind: Kind,
    message: String,
    remedy: Option<String>,
}

impl Remedy for Failed {
    fn remedy(&self) -> Option<String> {
        self.remedy.clone()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The request could not be made of what was given.
    Usage,
    /// The server said no, with this status.
    Status(u16),
    /// Nobody could be reached, or the answer broke off.
    Network,
    /// The time was over.
    Late,
}

impl Failed {
    pub fn new(kind: Kind, message: impl Into<String>) -> Failed {
        Failed { kind, message: message.into(), remedy: None }
    }

    /// The same with what to do about it.
    #[must_use]
    pub fn with(self, remedy: impl Into<String>) -> Failed {
        Failed { remedy: Some(remedy.into()), ..self }
    }

    /// What is wrong, and what to do about it.
    pub fn into_problem(self) -> Problem {
        Problem { what: self.message, remedy: self.remedy }
    }

    /// The same failure with what to do about it, for a service that takes its key from the
    /// variable `key`.
    #[must_use]
    pub fn explained(self, key: &str, model: &str) -> Failed {
        let model = plain::shown(model);
        let hint = match self.kind {
            Kind::Status(401) => format!("set {key} to a key that is valid there"),
            Kind::Status(403) => format!("the key in {key} needs the right to use {model}"),
            Kind::Status(404) => format!("check --model (it is {model}) and --base-url"),
            Kind::Status(410) => "choose another --model or --base-url".to_owned(),
            Kind::Status(400 | 413 | 422) => {
                format!("check --model (it is {model}); a smaller item takes a smaller prompt")
            }
            Kind::Status(300..=399) => {
                "give the address it sends to as --base-url, if you trust it".to_owned()
            }
            Kind::Late => "give it more time with --timeout SECONDS".to_owned(),
            Kind::Network => "check --base-url and the network".to_owned(),
            Kind::Status(_) => "try again later".to_owned(),
            Kind::Usage => return self,
        };
        self.with(hint)
    }
}

/// A client for one service.
#[derive(Debug)]
pub struct Http {
    runtime: tokio::runtime::Runtime,
    client: reqwest::Client,
    /// How often something was sent.
    sent: u64,
    /// The longest answer that is read, in bytes.
    largest: usize,
}

impl Http {
    /// A client for the service at `base`. What is on this machine is reached without a
    /// proxy; for anything else the environment's proxy is used.
    ///
    /// # Errors
    /// A machine without trusted certificates or without file descriptors.
    pub fn new(base: &Url) -> Result<Http, Failed> {
        // Another part of the process may have set one: then that one is used.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let made = |error: &dyn std::fmt::Display| {
            Failed::new(Kind::Usage, format!("no HTTP client can be made here: {error}"))
        };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| made(&error))?;
        let builder = reqwest::Client::builder()
            .user_agent(concat!("roundtable/", env!("CARGO_PKG_VERSION")))
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            .connect_timeout(CONNECT);
        let builder = if is_loopback(base) { builder.no_proxy() } else { builder };
        let client = builder.build().map_err(|error| made(&error))?;
        Ok(Http { runtime, client, sent: 0, largest: LARGEST })
    }

    /// The same client for answers of at most so many bytes.
    #[must_use]
    pub const fn reading_at_most(mut self, largest: usize) -> Http {
        self.largest = largest;
        self
    }

    /// How often something was sent so far.
    pub const fn sent(&self) -> u64 {
        self.sent
    }

    /// Sends a request until `judge` is content, at most [`TRIES`] times and not beyond `limit`.
    /// Where `repeatable` is not given, a request with an unknown outcome is not sent again.
    ///
    /// # Errors
    /// The last failure, with the number of tries.
    pub fn call(
        &mut self,
        request: &Request,
        limit: Duration,
        repeatable: bool,
        judge: &dyn Fn(&Answer) -> Judged,
    ) -> Result<Answer, Failed> {
        let deadline = deadline(limit);
        let mut tried = 0;
        loop {
            tried += 1;
            let (kind, why, wait) = match self.send(request, deadline) {
                Ok(answer) => match judge(&answer) {
                    Judged::Good => return Ok(answer),
                    Judged::Never(why) => {
                        return Err(self.failed(request, Kind::Status(answer.status), &why, tried));
                    }
                    Judged::Again(why, wait) => (Kind::Status(answer.status), why, wait),
                },
                Err((Kind::Late, why)) => return Err(self.failed(request, Kind::Late, &why, tried)),
                Err((kind, why)) if !repeatable => return Err(self.failed(request, kind, &why, tried)),
                Err((kind, why)) => (kind, why, None),
            };
            if tried >= TRIES {
                return Err(self.failed(request, kind, &why, tried));
            }
            let pause = wait.unwrap_or_else(|| varied(PAUSE * 2u32.pow(tried - 1), tried));
            if pause >= left(deadline) {
                let why = match wait {
                    Some(wait) => {
                        format!("{why}; it can be asked again in {} seconds", wait.as_secs().max(1))
                    }
                    None => why,
                };
                return Err(self.failed(request, kind, &why, tried));
            }
            self.rest(pause);
        }
    }

    /// Waits.
    pub fn rest(&self, pause: Duration) {
        self.runtime.block_on(async { tokio::time::sleep(pause).await });
    }

    /// One try, to the end of the body.
    fn send(&mut self, request: &Request, deadline: Instant) -> Result<Answer, (Kind, String)> {
        let mut headers = reqwest::header::HeaderMap::new();
        let mut put = |name: &'static str, value: &str, secret: bool| {
            if let Ok(mut value) = reqwest::header::HeaderValue::from_str(value) {
                value.set_sensitive(secret);
                headers.insert(name, value);
            }
        };
        for (name, value) in &request.headers {
            put(name, value, false);
        }
        if let Some((name, before, secret)) = &request.secret {
            put(name, &format!("{before}{}", secret.expose()), true);
        }
        let mut sending = self.client.request(request.method.clone(), request.url.clone()).headers(headers);
        if let Some(body) = &request.body {
            sending = sending.body(body.clone());
        }
        self.sent += 1;
        let left = left(deadline);
        let largest = self.largest;
        let whole = async {
            let mut response = sending.send().await.map_err(|error| network(&error))?;
            let status = response.status().as_u16();
            let text =
                |value: &reqwest::header::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
            let headers =
                response.headers().iter().map(|(name, value)| (name.as_str().to_owned(), text(value)));
            let headers = headers.collect();
            let mut body = Vec::new();
            while let Some(chunk) = response.chunk().await.map_err(|error| network(&error))? {
                if body.len() + chunk.len() > largest {
                    let why = format!("the answer is longer than {} MiB", largest >> 20);
                    return Err((Kind::Network, why));
                }
                body.extend_from_slice(&chunk);
            }
            // What is cut for a message later could not be found any more.
            if let Some((_, _, secret)) = request.secret.as_ref().filter(|_| status >= 300) {
                body = secret.redact(&String::from_utf8_lossy(&body)).into_bytes();
            }
            Ok(Answer { status, headers, body })
        };
        let done = self.runtime.block_on(async { tokio::time::timeout(left, whole).await });
        done.unwrap_or_else(|_| Err((Kind::Late, "no whole answer came in time".to_owned())))
    }

    fn failed(&self, request: &Request, kind: Kind, why: &str, tried: u32) -> Failed {
        let tries = if tried > 1 { format!(" after {tried} tries") } else { String::new() };
        let why = plain::shown(why);
        let place = origin(&request.url);
        let message = format!("{place} gave no usable answer{tries}: {why}");
        let message = match &request.secret {
            Some((_, _, secret)) => secret.redact(&message),
            None => message,
        };
        Failed::new(kind, message)
    }
}

/// The end of a time limit that begins now.
#[allow(clippy::disallowed_methods)] // A deadline is no time that anything records.
pub fn deadline(limit: Duration) -> Instant {
    Instant::now() + limit
}

/// What is left until a deadline.
#[allow(clippy::disallowed_methods)]
pub fn left(deadline: Instant) -> Duration {
    deadline.saturating_duration_since(Instant::now())
}

/// How models are judged by status: what passes by itself is asked again.
pub fn by_status(answer: &Answer, said: &str) -> Judged {
    match answer.status {
        200..=299 => Judged::Good,
        408 | 409 | 425 | 429 | 500..=599 => Judged::Again(status(answer.status, said), retry_after(answer)),
        300..=399 => Judged::Never(format!(
            "it sends elsewhere (status {}), which is not followed: a key is for one host only",
            answer.status
        )),
        _ => Judged::Never(status(answer.status, said)),
    }
}

/// A status and what the server said about it.
pub fn status(status: u16, said: &str) -> String {
    let meaning = match status {
        400 => "it does not understand the request",
        401 => "the key is not accepted",
        403 => "the key may not do this",
        404 => "there is nothing of this name",
        408 | 504 => "it took too long",
        410 => "this is no longer offered",
        413 => "the request is too large",
        429 => "too many requests",
        529 => "it is overloaded",
        500..=599 => "it has a fault",
        _ => "it says no",
    };
    match said.trim() {
        "" => format!("{meaning} (status {status})"),
        said => format!("{meaning} (status {status}: {})", plain::cut(&plain::shown(said), 160)),
    }
}

/// What a model's service says in an error: `error.message` or `error`, as both protocols have it.
pub fn error_message(answer: &Answer) -> String {
    if (200..300).contains(&answer.status) {
        return String::new();
    }
    let value: serde_json::Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    let error = value.get("error").unwrap_or(&value);
    let said = error.get("message").or(Some(error)).and_then(serde_json::Value::as_str);
    said.unwrap_or_default().to_owned()
}

/// The pause a server asks for, in `retry-after-ms` or in `retry-after` (seconds or a date).
pub fn retry_after(answer: &Answer) -> Option<Duration> {
    if let Some(pause) = answer.header("retry-after-ms").and_then(|text| text.trim().parse().ok()) {
        return Some(Duration::from_millis(pause));
    }
    let text = answer.header("retry-after")?.trim();
    if let Ok(seconds) = text.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let moment = chrono::DateTime::parse_from_rfc2822(text).ok()?;
    // Against the server's own clock: nobody says that both agree.
    let now = chrono::DateTime::parse_from_rfc2822(answer.header("date")?).ok()?;
    (moment - now).max(chrono::TimeDelta::zero()).to_std().ok()
}

/// The address of a service: https, or http on this machine; no name, no query.
///
/// # Errors
/// What is wrong with it, and how it is written.
pub fn base_url(name: &str, text: &str) -> Result<Url, Failed> {
    let shown = plain::shown(text);
    let wrong = |why: &str| Failed::new(Kind::Usage, format!("{name} is \"{shown}\": {why}"));
    let example = "write it like https://example.org/v1";
    let url = Url::parse(text.trim()).map_err(|_| wrong("that is not a URL").with(example))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(Failed::new(Kind::Usage, format!("{name} holds a name or a password"))
            .with("keys come from the environment only"));
    }
    if url.host_str().is_none() || url.query().is_some() || url.fragment().is_some() {
        return Err(wrong("it must name a host and a path, and nothing after it").with(example));
    }
    match url.scheme() {
        "https" => Ok(url),
        "http" if is_loopback(&url) => Ok(url),
        _ => {
            Err(wrong("only https keeps a key from others")
                .with("http is for this machine alone (127.0.0.1)"))
        }
    }
}

/// A path below a base.
pub fn below(base: &Url, path: &str) -> Url {
    let mut url = base.clone();
    let whole = format!("{}/{path}", base.path().trim_end_matches('/'));
    url.set_path(&whole);
    url
}

/// Whether a URL names this machine.
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(url::Host::Domain(name)) => name.eq_ignore_ascii_case("localhost"),
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// Scheme, host and port: what messages name a service by.
fn origin(url: &Url) -> String {
    plain::shown(&url.origin().ascii_serialization())
}

/// A failure of the connection, in words, without the URL.
fn network(error: &reqwest::Error) -> (Kind, String) {
    let mut cause: &dyn std::error::Error = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    let what = match (error.is_timeout(), error.is_connect()) {
        (true, true) => "no connection could be made in time",
        (_, true) => "it cannot be reached",
        _ => "the connection broke off",
    };
    (Kind::Network, format!("{what} ({cause})"))
}

/// A pause between half of it and the whole, another for every process and try, so that many
/// who were turned away together do not come back together.
fn varied(pause: Duration, tried: u32) -> Duration {
    let part = RandomState::new().hash_one(tried) % 1000;
    pause / 2 + (pause / 2).mul_f64(part as f64 / 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(headers: &[(&str, &str)]) -> Answer {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Answer { status: 429, headers, body: Vec::new() }
    }

    #[test]
    fn an_address_is_https_or_on_this_machine() {
        for good in
            ["https://api.example.org/v1", "http://127.0.0.1:8080/v1", "http://localhost/", "http://[::1]:1"]
        {
            assert!(base_url("--base-url", good).is_ok(), "{good}");
        }
        for bad in [
            "api.example.org",
            "http://example.org",
            "http://127.0.0.1.example.org",
            "http://localhost.example.org",
            "ftp://127.0.0.1",
            "https://x@example.org",
            "https://x:secret@example.org",
            "https://example.org/?key=1",
            "file:///etc/passwd",
            "",
        ] {
            let error = base_url("--base-url", bad).unwrap_err().to_string();
            assert!(error.contains("--base-url") && !error.contains("secret"), "{bad}: {error}");
        }
    }

    #[test]
    fn a_path_goes_below_the_base() {
        for base in ["https://example.org/v1", "https://example.org/v1/"] {
            assert_eq!(below(&Url::parse(base).unwrap(), "models").as_str(), "https://example.org/v1/models");
        }
    }

    #[test]
    fn a_secret_shows_in_no_form() {
        let secret = Secret::new("KEY", " sk-ab/cd+ef==12 \n").unwrap();
        let base64 = STANDARD.encode(secret.expose());
        let token = STANDARD.encode(format!("x-access-token:{}", secret.expose()));
        for form in [secret.expose(), &base64, &token, "sk-ab%2Fcd%2Bef%3D%3D12"] {
            let text = format!("before {form} behind");
            assert!(secret.is_in(&text), "{form}");
            assert!(!secret.redact(&text).contains(form.trim_end_matches('=')), "{form}");
        }
        assert_eq!(format!("{secret:?}"), "Secret(KEY)");
        assert!(!secret.is_in("nothing of the kind"));
        for bad in ["", "  ", "two words", "line\nbreak", "ключ"] {
            assert!(Secret::new("KEY", bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_server_names_its_pause_in_seconds_or_as_a_date() {
        assert_eq!(retry_after(&answer(&[("retry-after", "3")])), Some(Duration::from_secs(3)));
        assert_eq!(retry_after(&answer(&[("retry-after-ms", "250")])), Some(Duration::from_millis(250)));
        let dates =
            [("date", "Sun, 22 Nov 2026 08:00:00 GMT"), ("retry-after", "Sun, 22 Nov 2026 08:00:07 GMT")];
        assert_eq!(retry_after(&answer(&dates)), Some(Duration::from_secs(7)));
        for nonsense in ["soon", "-1", "NaN", "1e400"] {
            assert_eq!(retry_after(&answer(&[("retry-after", nonsense)])), None, "{nonsense}");
        }
    }

    #[test]
    fn pauses_vary_within_their_bounds() {
        for tried in 1..50 {
            let pause = varied(PAUSE, tried);
            assert!(pause >= PAUSE / 2 && pause <= PAUSE, "{pause:?}");
        }
    }
}
