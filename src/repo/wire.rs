//! git's protocol with a server over HTTP: where its references are, a pack from it, a pack to it.
//!
//! It follows git's own documents, gitprotocol-pack (version 0), gitprotocol-capabilities and
//! gitprotocol-http. Every exchange is one request and its answer, both held in memory, and goes through
//! [`crate::http`]: the deadline, the bound on the length and the rule that a token is for one host
//! only hold here too. No answer is trusted: each is read to an end it has to have, and is what was
//! asked for or an error. Words of a server stay as they came; the caller makes them harmless before it shows them.

use std::time::Duration;

use git2::Oid;
use gix_packetline::decode::{Stream, streaming};
use gix_packetline::{BandRef, PacketLineRef};

use crate::http::{self, Http, Judged, Method, Request, Secret, Url};

/// How long one exchange may take.
const PATIENCE: Duration = Duration::from_secs(120);
/// The most bytes of an answer, and so of a pack that is fetched (256 MiB).
const LARGEST: usize = 256 << 20;
/// The fewest bytes an object takes in a pack: its header and an empty stream of zlib.
const SMALLEST_OBJECT: usize = 9;

/// What went wrong with a remote.
#[derive(Debug, thiserror::Error)]
pub enum Failed {
    #[error("{0}")]
    Http(#[from] http::Failed),
    #[error("the answer is not git's protocol: {0}")]
    Garbled(&'static str),
    #[error("it says: {0}")]
    Said(String),
    #[error("it does not offer {0}, which this takes")]
    Unable(&'static str),
    /// What was named is nothing to fetch from or to push to.
    #[error("{0}")]
    NoPlace(String),
    #[error("{}", .0.message())]
    Git(#[from] git2::Error),
    #[error("{0}")]
    Here(#[from] super::Error),
}

/// What is asked of a server, by the name of git's program for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Service {
    Fetch,
    Push,
}

impl Service {
    const fn name(self) -> &'static str {
        match self {
            Service::Fetch => "git-upload-pack",
            Service::Push => "git-receive-pack",
        }
    }
}

/// Where the references of a remote are, and what it is able to do.
#[derive(Debug, Default)]
pub struct Advertised {
    pub references: Vec<(String, Oid)>,
    abilities: Vec<String>,
}

impl Advertised {
    /// What the client sends.
    pub fn of(references: Vec<(String, Oid)>) -> Advertised {
        Advertised { references, abilities: Vec::new() }
    }

    /// Where a reference is.
    pub fn tip(&self, name: &str) -> Option<Oid> {
        self.references.iter().find(|(known, _)| known == name).map(|(_, id)| *id)
    }

    /// What to ask for: all of what is needed, and the rest as far as it is offered.
    fn ask_for(&self, needed: &[&'static str], liked: &[&'static str]) -> Result<String, Failed> {
        let offers = |wanted: &str| {
            self.abilities.iter().any(|known| known.split('=').next().is_some_and(|name| name == wanted))
        };
        if let Some(missing) = needed.iter().find(|wanted| !offers(wanted)) {
            return Err(Failed::Unable(missing));
        }
        let mut asked = [needed, liked].concat();
        asked.retain(|wanted| offers(wanted));
        let agent = offers("agent").then_some(concat!("agent=roundtable/", env!("CARGO_PKG_VERSION")));
        Ok(asked.into_iter().chain(agent).collect::<Vec<_>>().join(" "))
    }
}

/// What we have: commits, and those of a shallow clone at which history ends here.
#[derive(Debug, Default)]
pub struct Have {
    pub commits: Vec<Oid>,
    pub ends: Vec<Oid>,
}

/// A reference of the remote that is to move, if it is still at `old`; none where it is new.
#[derive(Debug)]
pub struct Move<'a> {
    pub name: &'a str,
    pub old: Option<Oid>,
    pub new: Oid,
}

/// A server.
pub struct Wire {
    base: Url,
    token: Option<Secret>,
    http: Http,
}

impl Wire {
    /// The repository at a URL.
    ///
    /// # Errors
    /// A machine on which no HTTP client can be made.
    pub fn new(base: Url, token: Option<Secret>) -> Result<Wire, Failed> {
        let http = Http::new(&base)?.reading_at_most(LARGEST);
        Ok(Wire { base, token, http })
    }

    /// Where its references are.
    ///
    /// # Errors
    /// A server that cannot be reached, or where no repository is.
    pub fn references(&mut self, service: Service) -> Result<Advertised, Failed> {
        advertised(&self.exchange(service, None)?, service)
    }

    /// A pack of commits and all that they need beside what we have.
    ///
    /// # Errors
    /// A server that does not answer with a pack.
    pub fn pack(&mut self, there: &Advertised, wants: &[Oid], have: &Have) -> Result<Vec<u8>, Failed> {
        let asked = there.ask_for(&["side-band-64k"], &["ofs-delta", "no-progress"])?;
        pack_of(&self.exchange(Service::Fetch, Some(wanted(wants, have, &asked)))?)
    }

    /// Moves a reference there; the words of a refusal, if it is refused.
    ///
    /// # Errors
    /// A server that does not say what became of it.
    pub fn update(
        &mut self,
        there: &Advertised,
        to: &Move<'_>,
        pack: &[u8],
    ) -> Result<Option<String>, Failed> {
        let asked = there.ask_for(&["report-status", "side-band-64k"], &["ofs-delta", "quiet"])?;
        let old = to.old.unwrap_or(Oid::ZERO_SHA1);
        let mut request = line(&format!("{old} {} {}\0{asked}", to.new, to.name));
        request.extend_from_slice(b"0000");
        request.extend_from_slice(pack);
        verdict(&self.exchange(Service::Push, Some(request))?, to.name)
    }

    /// One request and its answer: without a body the one for the references.
    fn exchange(&mut self, service: Service, body: Option<Vec<u8>>) -> Result<Vec<u8>, http::Failed> {
        let name = service.name();
        let is_list = body.is_none();
        let kind = if is_list { "advertisement" } else { "result" };
        let mut url = http::below(&self.base, if is_list { "info/refs" } else { name });
        let wanted = format!("application/x-{name}-{kind}");
        let mut headers = vec![("accept", wanted.clone())];
        if is_list {
            url.set_query(Some(&format!("service={name}")));
        } else {
            headers.push(("content-type", format!("application/x-{name}-request")));
        }
        let request = Request {
            method: if is_list { Method::GET } else { Method::POST },
            url,
            headers,
            secret: self.token.clone().map(|token| ("authorization", "Basic ", token.as_basic())),
            body,
        };
        let judge = move |answer: &http::Answer| match http::by_status(answer, "") {
            Judged::Good if answer.header("content-type").is_none_or(|found| !found.starts_with(&wanted)) => {
                Judged::Never("there is no git repository".to_owned())
            }
            judged => judged,
        };
        // If the outcome of a push is unknown, the caller looks at the remote again.
        let repeatable = is_list || service == Service::Fetch;
        Ok(self.http.call(&request, PATIENCE, repeatable, &judge)?.body)
    }
}

/// A packet line with a text.
fn line(text: &str) -> Vec<u8> {
    format!("{:04x}{text}\n", text.len() + 5).into_bytes()
}

/// The request for a pack.
fn wanted(wants: &[Oid], have: &Have, asked: &str) -> Vec<u8> {
    let mut request = Vec::new();
    for (number, id) in wants.iter().enumerate() {
        let asked = if number == 0 { format!(" {asked}") } else { String::new() };
        request.extend(line(&format!("want {id}{asked}")));
    }
    request.extend(have.ends.iter().flat_map(|id| line(&format!("shallow {id}"))));
    request.extend_from_slice(b"0000");
    request.extend(have.commits.iter().flat_map(|id| line(&format!("have {id}"))));
    request.extend(line("done"));
    request
}

/// The packet lines of an answer.
struct Lines<'a>(&'a [u8]);

impl<'a> Lines<'a> {
    /// The bytes of the next line, or none where a part of the answer ends.
    fn line(&mut self) -> Result<Option<&'a [u8]>, Failed> {
        match streaming(self.0) {
            Ok(Stream::Complete { line, bytes_consumed }) => {
                self.0 = &self.0[bytes_consumed..];
                match line {
                    PacketLineRef::Data(bytes) => said(bytes).map(Some),
                    PacketLineRef::Flush => Ok(None),
                    _ => Err(Failed::Garbled("a line belongs to another version of it")),
                }
            }
            Ok(Stream::Incomplete { .. }) => Err(Failed::Garbled("it is cut off")),
            Err(_) => Err(Failed::Garbled("a line has no length")),
        }
    }

    /// The first band of what follows, to the end of it: the second is progress, the third an error.
    fn first_band(&mut self, mut line: Option<&'a [u8]>) -> Result<Vec<u8>, Failed> {
        let mut found = Vec::new();
        while let Some(bytes) = line {
            match PacketLineRef::Data(bytes).decode_band() {
                Ok(BandRef::Data(part)) => found.extend_from_slice(part),
                Ok(BandRef::Progress(_)) => {}
                Ok(BandRef::Error(why)) => return Err(Failed::Said(text(why))),
                Err(_) => return Err(Failed::Garbled("a line is on no band")),
            }
            line = self.line()?;
        }
        Ok(found)
    }
}

/// A line that is no error of the server's own.
fn said(bytes: &[u8]) -> Result<&[u8], Failed> {
    match bytes.strip_prefix(b"ERR ") {
        Some(why) => Err(Failed::Said(text(why))),
        None => Ok(bytes),
    }
}

/// A line as text, without its end.
fn text(line: &[u8]) -> String {
    String::from_utf8_lossy(line.strip_suffix(b"\n").unwrap_or(line)).into_owned()
}

fn id(hex: &str) -> Result<Oid, Failed> {
    let whole = Some(hex).filter(|hex| hex.len() == 40);
    whole.and_then(|hex| Oid::from_str(hex).ok()).ok_or(Failed::Garbled("an object id is none of SHA-1"))
}

/// The references, each once, and the abilities after the first of them.
fn advertised(answer: &[u8], service: Service) -> Result<Advertised, Failed> {
    let mut lines = Lines(answer);
    let title = lines.line()?.map(text);
    if title.is_none_or(|title| title != format!("# service={}", service.name())) || lines.line()?.is_some() {
        return Err(Failed::Garbled("it does not begin with the service that was asked for"));
    }
    let mut found = Advertised::default();
    while let Some(line) = lines.line()? {
        let line = text(line);
        let (reference, abilities) = line.split_once('\0').unwrap_or((&line, ""));
        found.abilities.extend(abilities.split_whitespace().map(str::to_owned));
        if reference.starts_with("shallow ") {
            continue;
        }
        let (hex, name) = reference.split_once(' ').ok_or(Failed::Garbled("a line names no reference"))?;
        let id = id(hex)?;
        // An empty repository has only its abilities to tell.
        if name != "capabilities^{}" {
            found.references.push((name.to_owned(), id));
        }
    }
    Ok(found)
}

/// The pack in an answer, after the lines on what both sides have.
fn pack_of(answer: &[u8]) -> Result<Vec<u8>, Failed> {
    let mut lines = Lines(answer);
    let mut line = lines.line()?;
    while line.is_some_and(|line| line.starts_with(b"NAK") || line.starts_with(b"ACK ")) {
        line = lines.line()?;
    }
    let pack = lines.first_band(line)?;
    let count = pack.strip_prefix(b"PACK").and_then(|rest| rest.get(4..8)?.try_into().ok());
    let count = count.map(u32::from_be_bytes).ok_or(Failed::Garbled("there is no pack in it"))?;
    if count as usize > pack.len() / SMALLEST_OBJECT {
        return Err(Failed::Garbled("its pack names more objects than it can hold"));
    }
    Ok(pack)
}

/// What became of a reference: the words of a refusal, or none where it moved.
fn verdict(answer: &[u8], name: &str) -> Result<Option<String>, Failed> {
    let mut lines = Lines(answer);
    let first = lines.line()?;
    let report = lines.first_band(first)?;
    let mut lines = Lines(&report);
    let unpacked = lines.line()?.map(text).unwrap_or_default();
    if unpacked != "unpack ok" {
        return Err(Failed::Said(unpacked));
    }
    while let Some(line) = lines.line()?.map(text) {
        let (verdict, rest) = line.split_once(' ').unwrap_or((&line, ""));
        let (about, why) = rest.split_once(' ').unwrap_or((rest, ""));
        match verdict {
            "ok" if about == name => return Ok(None),
            "ng" if about == name => return Ok(Some(why.to_owned())),
            _ => {}
        }
    }
    Err(Failed::Garbled("it does not say what became of the branch"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ONE: &str = "1111111111111111111111111111111111111111";
    const TWO: &str = "2222222222222222222222222222222222222222";

    /// An answer of these lines; an empty one ends a part of it.
    fn answer(lines: &[&str]) -> Vec<u8> {
        lines.iter().flat_map(|text| if text.is_empty() { b"0000".to_vec() } else { line(text) }).collect()
    }

    fn banded(band: u8, bytes: &[u8]) -> Vec<u8> {
        let mut out = format!("{:04x}", bytes.len() + 5).into_bytes();
        out.push(band);
        out.extend_from_slice(bytes);
        out
    }

    fn no_objects() -> Vec<u8> {
        crate::repo::pack::pack(Vec::new()).unwrap().pack
    }

    #[test]
    fn a_packet_line_has_a_length_and_all_its_bytes() {
        let mut lines = Lines(b"0006a\n0005b0000");
        assert_eq!(lines.line().unwrap(), Some(&b"a\n"[..]));
        assert_eq!(lines.line().unwrap(), Some(&b"b"[..]));
        assert_eq!(lines.line().unwrap(), None);
        for (bytes, why) in [
            (&b""[..], "cut off"),
            (b"00", "cut off"),
            (b"0010abc", "cut off"),
            (b"fff0abc", "cut off"),
            (b"ffffabc", "no length"),
            (b"0003", "no length"),
            (b"zzzz", "no length"),
            (b"\xff\xfe\xfd\xfc", "no length"),
            (b"0001", "another version"),
            (b"000cERR gone", "it says: gone"),
        ] {
            let failed = Lines(bytes).line().unwrap_err().to_string();
            assert!(failed.contains(why), "{bytes:?}: {failed}");
        }
    }

    #[test]
    fn references_come_with_what_the_server_is_able_to_do() {
        let first = format!("{ONE} HEAD\0side-band-64k agent=git/2 symref=HEAD:refs/heads/main");
        let lines = [
            "# service=git-upload-pack",
            "",
            &first,
            &format!("{TWO} refs/heads/main"),
            &format!("shallow {ONE}"),
            "",
        ];
        let found = advertised(&answer(&lines), Service::Fetch).unwrap();
        assert_eq!(found.tip("refs/heads/main").map(|id| id.to_string()).as_deref(), Some(TWO));
        assert_eq!((found.tip("refs/heads/mai"), found.references.len()), (None, 2));
        let asked = found.ask_for(&["side-band-64k"], &["ofs-delta"]).unwrap();
        assert_eq!(asked, concat!("side-band-64k agent=roundtable/", env!("CARGO_PKG_VERSION")));
        let failed = found.ask_for(&["report-status"], &[]).unwrap_err().to_string();
        assert!(failed.contains("does not offer report-status"), "{failed}");
    }

    #[test]
    fn an_empty_repository_has_no_references() {
        let abilities = format!("{} capabilities^{{}}\0report-status", "0".repeat(40));
        let found =
            advertised(&answer(&["# service=git-receive-pack", "", &abilities, ""]), Service::Push).unwrap();
        assert!(found.references.is_empty() && found.ask_for(&["report-status"], &[]).is_ok());
    }

    #[test]
    fn references_that_are_none_are_refused() {
        let title = "# service=git-upload-pack";
        for (lines, why) in [
            (vec![title, "", "ERR no such repository", ""], "it says: no such repository"),
            (vec!["# service=git-receive-pack", "", ""], "does not begin"),
            (vec!["version 1", "", ""], "does not begin"),
            (vec![title, title, ""], "does not begin"),
            (vec![title, "", ONE, ""], "names no reference"),
            (vec![title, "", "1111 refs/heads/main", ""], "none of SHA-1"),
            (vec![title, "", &format!("{ONE}{} refs/heads/main", &TWO[..24]), ""], "none of SHA-1"),
            (vec![title, "", &format!("{} refs/heads/main", "g".repeat(40)), ""], "none of SHA-1"),
            (vec![title, "", &format!("{ONE} refs/heads/main")], "cut off"),
            (vec![], "cut off"),
        ] {
            let failed = advertised(&answer(&lines), Service::Fetch).unwrap_err().to_string();
            assert!(failed.contains(why), "{lines:?}: {failed}");
        }
    }

    #[test]
    fn a_request_names_what_is_wanted_and_what_is_here() {
        let [one, two] = [ONE, TWO].map(|hex| Oid::from_str(hex).unwrap());
        let have = Have { commits: vec![two], ends: vec![one] };
        let request = String::from_utf8(wanted(&[one, two], &have, "side-band-64k")).unwrap();
        let want = format!("0040want {ONE} side-band-64k\n0032want {TWO}\n");
        assert_eq!(request, format!("{want}0035shallow {ONE}\n00000032have {TWO}\n0009done\n"));
    }

    #[test]
    fn a_pack_is_the_first_band() {
        let pack = no_objects();
        let (head, tail) = pack.split_at(7);
        for before in [vec!["NAK"], vec!["ACK 1111", "NAK"], vec![]] {
            let parts =
                [answer(&before), banded(2, b"counting"), banded(1, head), banded(1, b""), banded(1, tail)];
            assert_eq!(pack_of(&[&parts.concat()[..], b"0000"].concat()).unwrap(), pack);
            assert!(pack_of(&parts.concat()).unwrap_err().to_string().contains("cut off"));
        }
    }

    #[test]
    fn an_answer_without_a_pack_is_refused() {
        let end = b"0000".to_vec();
        let huge = [&b"PACK\0\0\0\x02"[..], &u32::MAX.to_be_bytes(), &[0; 60]].concat();
        for (bytes, why) in [
            ([answer(&["NAK"]), banded(3, b"out of memory"), end.clone()].concat(), "it says: out of memory"),
            ([answer(&["NAK"]), banded(9, b"?"), end.clone()].concat(), "on no band"),
            ([answer(&["NAK"]), banded(1, b"PICK\0\0\0\x02\0\0\0\0"), end.clone()].concat(), "no pack"),
            ([answer(&["NAK"]), banded(1, b"PACK\0\0"), end.clone()].concat(), "no pack"),
            ([answer(&["NAK"]), banded(1, &huge), end.clone()].concat(), "more objects than it can hold"),
            (answer(&["NAK", ""]), "no pack"),
            (answer(&["ERR upload-pack: not our ref"]), "it says: upload-pack: not our ref"),
        ] {
            let failed = pack_of(&bytes).unwrap_err().to_string();
            assert!(failed.contains(why), "{bytes:?}: {failed}");
        }
    }

    #[test]
    fn a_push_ends_with_what_the_server_says_of_the_branch() {
        let told = |lines: &[&str]| {
            let report = [banded(1, &answer(lines)), b"0000".to_vec()].concat();
            verdict(&report, "refs/heads/main").map_err(|failed| failed.to_string())
        };
        let other = "ok refs/heads/other";
        assert_eq!(told(&["unpack ok", other, "ok refs/heads/main", ""]), Ok(None));
        let no = ["unpack ok", "ng refs/heads/main hook declined", ""];
        assert_eq!(told(&no), Ok(Some("hook declined".to_owned())));
        assert_eq!(told(&["unpack ok", "ng refs/heads/main", ""]), Ok(Some(String::new())));
        for (lines, why) in [
            (
                vec!["unpack index-pack abnormal exit", "ng refs/heads/main unpacker error", ""],
                "abnormal exit",
            ),
            (vec!["unpack ok", other, ""], "does not say"),
            (vec!["unpack ok", ""], "does not say"),
            (vec!["unpack ok", other], "cut off"),
            (vec![""], "it says: "),
        ] {
            assert!(told(&lines).unwrap_err().contains(why), "{lines:?}");
        }
    }

    proptest! {
        #[test]
        fn no_answer_ends_in_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), lines in any::<bool>()) {
            let bytes = if lines { [answer(&["NAK"]), banded(1, &bytes), b"0000".to_vec()].concat() } else { bytes };
            let _ = advertised(&bytes, Service::Fetch);
            let _ = pack_of(&bytes);
            let _ = verdict(&bytes, "refs/heads/main");
        }
    }
}
