//! git's protocol as this crate speaks it: with git's own server, with a folder, and with servers that
//! lie, break off or answer nonsense. Whatever they say, nothing half comes in, and no reference moves.

use std::path::Path;

use git2::Oid;
use roundtable::http::Secret;
use roundtable::repo::Repo;
use roundtable::repo::remote::{Pushed, Remote};

use crate::forge::{Forge, TOKEN, forge, git};
use crate::kit::{BRANCH, Sandbox, empty, sandbox};
use crate::server::{Reply, Server};

const UNKNOWN: &str = "1234567890123456789012345678901234567890";

fn both() -> (Sandbox, Forge) {
    let sandbox = sandbox();
    let forge = forge(&sandbox);
    (sandbox, forge)
}

fn served(forge: &Forge) -> Remote {
    Remote { url: forge.server.url("/owner/name.git"), token: Some(Secret::new("TOKEN", TOKEN).unwrap()) }
}

fn folder(at: &Path) -> Remote {
    Remote { url: at.to_str().unwrap().to_owned(), token: None }
}

fn line(text: &str) -> String {
    format!("{:04x}{text}\n", text.len() + 5)
}

fn banded(bytes: &[u8]) -> Vec<u8> {
    [format!("{:04x}\x01", bytes.len() + 5).as_bytes(), bytes, b"0000"].concat()
}

/// An answer to the service in the request's path.
fn reply(path: &str, body: Vec<u8>) -> Reply {
    let name = if path.contains("upload") { "upload" } else { "receive" };
    let kind = if path.contains("info/refs") { "advertisement" } else { "result" };
    let kind = format!("application/x-git-{name}-pack-{kind}");
    Reply::Whole(200, vec![("content-type".to_owned(), kind)], body)
}

/// A server that names one branch, and answers everything else like this.
fn liar(tip: &str, answer: impl Fn() -> Vec<u8> + Send + 'static) -> Server {
    let tip = tip.to_owned();
    Server::start(move |seen| match seen.path.split_once("/info/refs?service=") {
        Some((_, service)) => {
            let abilities = "side-band-64k report-status ofs-delta";
            let head = format!("{tip} refs/heads/main\0{abilities}");
            let lines = format!("{}0000{}0000", line(&format!("# service={service}")), line(&head));
            reply(&seen.path, lines.into_bytes())
        }
        None => reply(&seen.path, answer()),
    })
}

fn at(server: &Server) -> Remote {
    Remote { url: server.url("/r.git"), token: Some(Secret::new("TOKEN", TOKEN).unwrap()) }
}

/// Every file of the git folder but the lock of ours.
fn files(sandbox: &Sandbox) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![sandbox.root().join(".git")];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if !path.ends_with("roundtable/lock") {
                found.push(path.display().to_string());
            }
        }
    }
    found.sort();
    found
}

#[test]
fn a_fetch_brings_all_that_a_branch_needs_and_moves_nothing() {
    let (sandbox, forge) = both();
    let file_url = format!("file://{}", forge.bare.display());
    let remotes = [served(&forge), folder(&forge.bare), Remote { url: file_url, token: None }];
    for (number, remote) in remotes.iter().enumerate() {
        // Somebody else's commits, on a branch of each way.
        let name = format!("roundtable/item-{number}");
        let theirs = sandbox.commit(&[(&format!("docs/{number}.md"), "New.\n")]);
        git(
            &sandbox.root(),
            &["push", "-q", forge.bare.to_str().unwrap(), &format!("HEAD:refs/heads/{name}")],
        );
        let fresh = empty();
        git(&fresh.root(), &["fetch", "-q", forge.bare.to_str().unwrap(), "main:refs/remotes/origin/main"]);
        let repo = Repo::open(&fresh.root()).unwrap();
        let refs = fresh.refs();
        assert_eq!(repo.fetch(remote, &name).unwrap(), Some(theirs));
        assert_eq!(repo.fetch(remote, "none/such").unwrap(), None);
        assert_eq!(fresh.refs(), refs);
        git(&fresh.root(), &["update-ref", "refs/heads/theirs", &theirs.to_string()]);
        fresh.assert_sound();
        let below = repo.fetch_below(remote, "roundtable").unwrap();
        assert_eq!(below.len(), number + 1);
        assert!(below.contains(&(name, theirs)));
    }
}

#[test]
fn a_clone_without_history_fetches_a_branch_of_before() {
    let (sandbox, forge) = both();
    let old = sandbox.tip("main").unwrap();
    let side = sandbox.commit(&[("side.md", "Side.\n")]);
    git(&sandbox.root(), &["push", "-q", forge.bare.to_str().unwrap(), "HEAD:refs/heads/side"]);
    git(&sandbox.root(), &["reset", "-q", "--hard", &old.to_string()]);
    sandbox.commit(&[("side.md", "Side.\n"), ("main.md", "Main.\n")]);
    sandbox.commit(&[("later.md", "Later.\n")]);
    git(&sandbox.root(), &["push", "-q", forge.bare.to_str().unwrap(), "HEAD:refs/heads/main"]);
    for remote in [served(&forge), folder(&forge.bare)] {
        let shallow = empty();
        let url = format!("file://{}", forge.bare.display());
        git(&shallow.root(), &["fetch", "-q", "--depth", "1", &url, "main:refs/remotes/origin/main"]);
        let repo = Repo::open(&shallow.root()).unwrap();
        assert_eq!(repo.fetch(&remote, "side").unwrap(), Some(side));
        git(&shallow.root(), &["update-ref", "refs/heads/side", &side.to_string()]);
        shallow.assert_sound();
        assert!(repo.file(old, "src/sync.rs").unwrap().is_some(), "what it rests on came too");
    }
}

#[test]
fn a_push_goes_forward_and_is_behind_where_somebody_was_first() {
    for is_served in [true, false] {
        let (sandbox, forge) = both();
        let remote = if is_served { served(&forge) } else { folder(&forge.bare) };
        let repo = Repo::open(&sandbox.root()).unwrap();
        let base = sandbox.tip("main").unwrap();
        assert_eq!(repo.push(&remote, "main").unwrap(), Pushed::Done, "nothing to do");
        // A branch whose commit is there already: a pack without objects.
        sandbox.git.branch("same", &sandbox.git.find_commit(base).unwrap(), false).unwrap();
        assert_eq!(repo.push(&remote, "same").unwrap(), Pushed::Done);
        assert_eq!(forge.tip("same"), Some(base.to_string()));
        let ours = sandbox.commit(&[("ours.md", "Ours.\n")]);
        assert_eq!(repo.push(&remote, "main").unwrap(), Pushed::Done);
        assert_eq!(forge.tip("main"), Some(ours.to_string()));
        git(&forge.bare, &["fsck", "--strict", "--full"]);
        // Back here, and on another way: the remote has what this one lacks.
        git(&sandbox.root(), &["reset", "-q", "--hard", &base.to_string()]);
        assert_eq!(repo.push(&remote, "main").unwrap(), Pushed::Behind);
        sandbox.commit(&[("other.md", "Other.\n")]);
        assert_eq!(repo.push(&remote, "main").unwrap(), Pushed::Behind);
        let fresh = empty();
        fresh.commit(&[("alien.md", "Without common history.\n")]);
        assert_eq!(Repo::open(&fresh.root()).unwrap().push(&remote, "main").unwrap(), Pushed::Behind);
        assert_eq!(forge.tip("main"), Some(ours.to_string()));
    }
}

#[test]
fn a_push_names_where_the_branch_stood_and_sends_what_is_lacking_alone() {
    let sandbox = sandbox();
    let old = sandbox.tip("main").unwrap();
    let new = sandbox.commit(&[("new.md", "New.\n")]);
    let report = format!("{}{}0000", line("unpack ok"), line("ok refs/heads/main"));
    let server = liar(&old.to_string(), move || banded(report.as_bytes()));
    assert_eq!(Repo::open(&sandbox.root()).unwrap().push(&at(&server), "main").unwrap(), Pushed::Done);
    let body = server.seen()[1].body.clone();
    let command = format!("{old} {new} refs/heads/main\0report-status side-band-64k");
    assert!(String::from_utf8_lossy(&body[4..]).starts_with(&command));
    // The commit, its tree and the new file.
    let pack = body.windows(4).position(|four| four == b"PACK").unwrap();
    assert_eq!(body[pack + 8..pack + 12], 3_u32.to_be_bytes());
}

#[test]
fn a_folder_with_a_work_tree_is_not_pushed_to_and_what_is_no_place_is_an_error() {
    let (sandbox, other) = (sandbox(), empty());
    let repo = Repo::open(&sandbox.root()).unwrap();
    let failed = repo.push(&folder(&other.root()), "main").unwrap_err().to_string();
    assert!(failed.contains("push to a bare repository"), "{failed}");
    assert!(other.tip("main").is_none());
    for url in
        ["git@example.org:a/b.git", "ssh://example.org/a", "git://127.0.0.1/a", "/no/such/folder", "x:y"]
    {
        let failed = repo.fetch(&Remote { url: url.into(), token: None }, "main").unwrap_err().to_string();
        assert!(failed.contains("neither reached over https nor a folder here"), "{url}: {failed}");
    }
    for (url, is_place) in [("", false), ("file:///no/such/folder", true)] {
        let failed = repo.fetch(&Remote { url: url.into(), token: None }, "main").unwrap_err().to_string();
        assert_eq!(failed.contains("/no/such/folder"), is_place, "{failed}");
    }
    let remote = Remote { url: "https://sam:secret@example.org/a".into(), token: None };
    let failed = repo.fetch(&remote, "main").unwrap_err().to_string();
    assert!(failed.contains("name or a password") && !failed.contains("secret"), "{failed}");
}

/// A repository may hold folders of any name: the place that is named is where a push goes.
#[test]
fn a_folder_that_is_called_like_a_server_is_not_taken_for_it() {
    let (sandbox, forge) = both();
    let url = forge.server.url("/owner/name.git");
    let like = sandbox.root().join(&url);
    std::fs::create_dir_all(&like).unwrap();
    git(&like, &["init", "-q", "--bare"]);
    let script = sandbox.script("s.txt", "done\n");
    let args = ["elaborate", "offline-mode", "--step", "01-03", "--script", &script, "--push"];
    git(&sandbox.root(), &["config", "remote.origin.url", &url]);
    let mut command = sandbox.command(&args);
    command.env("GITHUB_SERVER_URL", forge.server.url("")).env("GITHUB_TOKEN", TOKEN);
    crate::kit::Run::of(command.output().unwrap()).ok();
    assert_eq!(forge.tip(BRANCH), sandbox.tip(BRANCH).map(|tip| tip.to_string()));
    assert!(git(&like, &["for-each-ref"]).is_empty());
}

#[test]
fn answers_that_are_no_references_are_errors() {
    let sandbox = sandbox();
    let repo = Repo::open(&sandbox.root()).unwrap();
    let before = files(&sandbox);
    for (body, why) in [
        (String::new(), "cut off"),
        ("<html>".to_owned(), "no length"),
        (line("# service=git-upload-pack"), "cut off"),
        (format!("{}0000{}0000", line("# service=git-upload-pack"), line("ERR \u{1b}[2Jgone")), "it says: "),
        (format!("{}0000{}0000", line("# service=git-upload-pack"), line("deadbeef main")), "none of SHA-1"),
        (format!("{}0000fff0", line("# service=git-upload-pack")), "cut off"),
    ] {
        let server = Server::start(move |seen| reply(&seen.path, body.clone().into_bytes()));
        let failed = repo.fetch(&at(&server), "main").unwrap_err().to_string();
        assert!(failed.contains(why) && !failed.contains('\u{1b}'), "{failed}");
    }
    let server = Server::start(|_| Reply::Whole(200, Vec::new(), b"hello".to_vec()));
    let failed = repo.fetch(&at(&server), "main").unwrap_err().to_string();
    assert!(failed.contains("there is no git repository"), "{failed}");
    assert_eq!(files(&sandbox), before);
}

#[test]
fn a_pack_that_is_none_or_not_whole_leaves_nothing_behind() {
    let (sandbox, other) = (sandbox(), empty());
    let theirs = other.commit(&[("theirs.md", "Theirs.\n")]);
    let packed = |ids: &[Oid]| {
        let mut builder = other.git.packbuilder().unwrap();
        ids.iter().for_each(|id| builder.insert_object(*id, None).unwrap());
        let mut buffer = git2::Buf::new();
        builder.write_buf(&mut buffer).unwrap();
        buffer.to_vec()
    };
    let tree = other.git.find_commit(theirs).unwrap().tree().unwrap();
    let blob = tree.get(0).unwrap().id();
    let whole = packed(&[theirs, tree.id(), blob]);
    let mut turned = whole.clone();
    turned[20] ^= 0x55;
    let nak = line("NAK").into_bytes();
    let with = |pack: &[u8]| [nak.clone(), banded(pack)].concat();
    let mut sidebanded = nak.clone();
    sidebanded.extend(format!("{:04x}\x03disk is \x1b[31mfull {TOKEN}", 5 + 13 + 5 + TOKEN.len()).bytes());
    let before = files(&sandbox);
    let repo = Repo::open(&sandbox.root()).unwrap();
    for (tip, body, what) in [
        (theirs, with(&whole[..whole.len() - 30]), "cut off inside"),
        (theirs, with(&turned), "bits turned"),
        (theirs, with(b"PACK\0\0\0\x02\0\0\0\0nonsense"), "no checksum"),
        (theirs, with(b"GIF89a"), "no pack"),
        (theirs, with(&packed(&[theirs])), "the tree is missing"),
        (theirs, with(&packed(&[theirs, tree.id()])), "the file is missing"),
        (theirs, [nak.clone(), banded(&whole)[..90].to_vec()].concat(), "a line cut off"),
        (theirs, nak.clone(), "nothing behind"),
        (theirs, sidebanded, "an error of its own"),
        (Oid::from_str(UNKNOWN).unwrap(), with(&packed(&[blob])), "another object"),
        (blob, with(&packed(&[blob])), "no commit"),
    ] {
        let server = liar(&tip.to_string(), move || body.clone());
        let failed = repo.fetch(&at(&server), "main").unwrap_err().to_string();
        assert!(!failed.contains(TOKEN) && !failed.contains('\u{1b}'), "{what}: {failed}");
        assert!(failed.len() < 400, "{what}: {failed}");
        if !matches!(what, "another object" | "no commit") {
            assert_eq!(files(&sandbox), before, "{what}: {failed}");
        }
    }
    // The same way, and honest.
    let honest = with(&whole);
    let server = liar(&theirs.to_string(), move || honest.clone());
    assert_eq!(repo.fetch(&at(&server), "main").unwrap(), Some(theirs));
    sandbox.assert_sound();
}

#[test]
fn what_a_server_says_of_a_push_is_shown_without_harm() {
    let sandbox = sandbox();
    let old = sandbox.tip("main").unwrap().to_string();
    sandbox.commit(&[("new.md", "New.\n")]);
    let repo = Repo::open(&sandbox.root()).unwrap();
    let pushed = |lines: &[String]| {
        let report = format!("{}0000", lines.iter().map(|text| line(text)).collect::<String>());
        let server = liar(&old, move || banded(report.as_bytes()));
        repo.push(&at(&server), "main").map_err(|error| error.to_string())
    };
    let ok = "unpack ok".to_owned();
    let no = format!("ng refs/heads/main \u{1b}]0;x\u{7}no {TOKEN} \u{202e}here {}", "x".repeat(5_000));
    let Ok(Pushed::Refused(why)) = pushed(&[ok.clone(), no]) else { panic!("it was refused") };
    assert!(why.contains("no [removed]") && why.chars().count() <= 200, "{why}");
    assert!(!why.contains(|c: char| c.is_control() || c == '\u{202e}'), "{why:?}");
    assert_eq!(pushed(&[ok.clone(), "ng refs/heads/main fetch first".into()]), Ok(Pushed::Behind));
    for (lines, why) in [
        (vec![ok, "ok refs/heads/other".to_owned()], "does not say what became"),
        (vec![format!("unpack disk full {TOKEN}")], "disk full [removed]"),
    ] {
        let failed = pushed(&lines).unwrap_err();
        assert!(failed.contains(why), "{failed}");
    }
}

#[test]
fn a_server_that_breaks_off_or_cannot_do_it_is_an_error() {
    let sandbox = sandbox();
    sandbox.commit(&[("new.md", "New.\n")]);
    let repo = Repo::open(&sandbox.root()).unwrap();
    let before = files(&sandbox);
    let server = Server::start(|seen| match seen.path.contains("info/refs") {
        true => {
            let head = format!("{UNKNOWN} refs/heads/main\0ofs-delta");
            let lines = format!("{}0000{}0000", line("# service=git-upload-pack"), line(&head));
            reply(&seen.path, lines.into_bytes())
        }
        false => Reply::Reset,
    });
    let failed = repo.fetch(&at(&server), "main").unwrap_err().to_string();
    assert!(failed.contains("does not offer side-band-64k"), "{failed}");
    let server = Server::start(|_| Reply::CutOff(b"0000".to_vec()));
    let failed = repo.push(&at(&server), "main").unwrap_err().to_string();
    assert!(failed.contains("broke off"), "{failed}");
    assert_eq!(files(&sandbox), before);
}
