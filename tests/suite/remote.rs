//! Fetching and pushing by git: with git's own server, with a folder, and with servers that refuse, break off or
//! answer nonsense. Whatever they say, no branch moves here, and no token is shown.

use std::path::Path;

use roundtable::git::Repo;
use roundtable::git::remote::{Pushed, Remote};
use roundtable::http::{Secret, Url};

use crate::forge::{Forge, TOKEN, forge, git};
use crate::kit::{BRANCH, Sandbox, empty, sandbox};
use crate::server::{Reply, Server};

fn both() -> (Sandbox, Forge) {
    let sandbox = sandbox();
    let forge = forge(&sandbox);
    (sandbox, forge)
}

fn with_token(server: &Server, path: &str) -> Remote {
    let below = Url::parse(&server.url("")).unwrap();
    Remote { place: server.url(path), token: Some((Secret::new("TOKEN", TOKEN).unwrap(), below)) }
}

fn served(forge: &Forge) -> Remote {
    with_token(&forge.server, "/owner/name.git")
}

fn folder(at: &Path) -> Remote {
    Remote { place: at.to_str().unwrap().to_owned(), token: None }
}

fn line(text: &str) -> String {
    format!("{:04x}{text}\n", text.len() + 5)
}

fn at(server: &Server) -> Remote {
    with_token(server, "/r.git")
}

/// An answer to the service in the request's path.
fn reply(path: &str, body: Vec<u8>) -> Reply {
    let name = if path.contains("upload") { "upload" } else { "receive" };
    let kind = if path.contains("info/refs") { "advertisement" } else { "result" };
    let kind = format!("application/x-git-{name}-pack-{kind}");
    Reply::Whole(200, vec![("content-type".to_owned(), kind)], body)
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
    let remotes = [served(&forge), folder(&forge.bare), Remote { place: file_url, token: None }];
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
fn a_checked_out_branch_is_not_pushed_to_and_what_is_no_place_is_an_error() {
    let (sandbox, other) = (sandbox(), empty());
    let repo = Repo::open(&sandbox.root()).unwrap();
    let refused = repo.push(&folder(&other.root()), "main").unwrap();
    assert!(matches!(&refused, Pushed::Refused(why) if why.contains("checked out")), "{refused:?}");
    assert!(other.tip("main").is_none());
    for place in ["", "/no/such/folder", "file:///no/such/folder", "-x", "ext::sh -c true"] {
        let failed = repo.fetch(&folder(Path::new(place)), "main").unwrap_err().to_string();
        assert!(!failed.contains("panicked") && failed.chars().count() < 400, "{place}: {failed}");
    }
    let place = "http://sam:secret@127.0.0.1:9/a".to_owned();
    let failed = repo.fetch(&Remote { place, token: None }, "main").unwrap_err().to_string();
    assert!(failed.contains("127.0.0.1:9/a") && !failed.contains("secret"), "{failed}");
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
    let service = line("# service=git-upload-pack");
    for body in [
        String::new(),
        "<html>".to_owned(),
        service.clone(),
        format!("{service}0000{}0000", line(&format!("ERR \u{1b}[2Jgone {TOKEN}"))),
        format!("{service}0000{}0000", line("deadbeef main")),
        format!("{service}0000fff0"),
    ] {
        let server = Server::start(move |seen| reply(&seen.path, body.clone().into_bytes()));
        let failed = repo.fetch(&at(&server), "main").unwrap_err().to_string();
        assert!(!failed.contains('\u{1b}') && !failed.contains(TOKEN), "{failed}");
    }
    for status in [401, 403, 404, 500] {
        let server = Server::start(move |_| Reply::Whole(status, Vec::new(), b"no".to_vec()));
        let failed = repo.fetch(&at(&server), "main").unwrap_err().to_string();
        assert!(!failed.contains(TOKEN) && failed.contains("/r.git"), "{failed}");
        let failed = repo.push(&at(&server), "main").unwrap_err().to_string();
        assert!(!failed.contains(TOKEN), "{failed}");
    }
    assert_eq!(files(&sandbox), before);
}

#[test]
fn a_token_goes_to_its_own_place_only_and_once() {
    let sandbox = sandbox();
    let repo = Repo::open(&sandbox.root()).unwrap();
    let (ours, theirs) = (at_nothing(), at_nothing());
    // What another tool has left in the settings is not sent beside it.
    let key = format!("http.{}/.extraheader", ours.url(""));
    git(&sandbox.root(), &["config", &key, "Authorization: Basic old"]);
    let token =
        |place: &Server| Some((Secret::new("TOKEN", TOKEN).unwrap(), Url::parse(&place.url("")).unwrap()));
    repo.fetch(&Remote { place: ours.url("/r.git"), token: token(&ours) }, "main").unwrap_err();
    repo.fetch(&Remote { place: theirs.url("/r.git"), token: token(&ours) }, "main").unwrap_err();
    let logins = |server: &Server| -> Vec<String> {
        let seen = server.seen();
        let headers = seen.iter().flat_map(|one| &one.headers);
        headers.filter(|(name, _)| name == "authorization").map(|(_, value)| value.clone()).collect()
    };
    assert_eq!(logins(&ours).len(), ours.seen().len());
    assert!(logins(&ours).iter().all(|login| !login.contains("old")), "{:?}", logins(&ours));
    assert!(!theirs.seen().is_empty() && logins(&theirs).is_empty(), "{:?}", logins(&theirs));
}

fn at_nothing() -> Server {
    Server::start(|_| Reply::Whole(404, Vec::new(), Vec::new()))
}

#[test]
fn what_a_remote_says_of_a_push_is_shown_without_harm() {
    let (sandbox, forge) = both();
    let hook = forge.bare.join("hooks/pre-receive");
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    let said = format!("printf '\\033]0;x\\007no {TOKEN} \u{202e}here {}\\n' >&2", "x".repeat(5_000));
    std::fs::write(&hook, format!("#!/bin/sh\n{said}\nexit 1\n")).unwrap();
    #[cfg(unix)]
    std::fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    sandbox.commit(&[("new.md", "New.\n")]);
    let repo = Repo::open(&sandbox.root()).unwrap();
    let Pushed::Refused(why) = repo.push(&served(&forge), "main").unwrap() else { panic!("it was refused") };
    assert!(why.contains("hook declined") && why.contains("no [removed]"), "{why}");
    assert!(
        why.chars().count() <= 200 && !why.contains(|c: char| c.is_control() || c == '\u{202e}'),
        "{why:?}"
    );
}

/// A repository, its remote `origin`, and another clone of that.
fn with_origin() -> (Sandbox, std::path::PathBuf, Sandbox) {
    let (sandbox, kim) = (sandbox(), empty());
    let bare = sandbox.outside("origin.git");
    let place = bare.to_str().unwrap().to_owned();
    git(&sandbox.root(), &["clone", "-q", "--bare", ".", &place]);
    git(&sandbox.root(), &["remote", "add", "origin", &place]);
    git(&kim.root(), &["remote", "add", "origin", &place]);
    git(&kim.root(), &["pull", "-q", "origin", "main"]);
    (sandbox, bare, kim)
}

#[test]
fn a_push_moves_no_branch_away_from_commits_that_the_remote_lacks() {
    let (sandbox, bare, kim) = with_origin();
    kim.elaborate("Decision: The letter is blue.\ndone\n", &["--push"]).ok();
    let theirs = kim.tip(BRANCH).unwrap();
    sandbox.elaborate("Decision: The letter is one page.\ndone\n", &[]).ok();
    let first = sandbox.tip(BRANCH).unwrap();
    let run = sandbox.elaborate("Decision: The letter has two stamps.\ndone\n", &["--push", "-q"]);
    assert_eq!(run.code, 2, "{}", run.stderr);
    let here = sandbox.tip(BRANCH).unwrap();
    let parent = sandbox.git.find_commit(here).unwrap().parent_id(0).unwrap();
    assert_eq!(parent, first, "both discussions are on the branch here");
    assert_eq!(git(&bare, &["rev-parse", BRANCH]), theirs.to_string());
    for named in [&first.to_string()[..10], &theirs.to_string()[..10], &here.to_string()[..10]] {
        assert!(run.stderr.contains(named), "{named}: {}", run.stderr);
    }
    // The command that the help prints puts both after the remote's.
    let commands = run.stderr.split('`').nth(1).expect("a command in the help");
    for command in commands.split(" && ") {
        let words: Vec<&str> = command.split(' ').collect();
        match words[0] {
            "git" => drop(git(&sandbox.root(), &words[1..])),
            _ => drop(sandbox.run(&words[1..]).ok()),
        }
    }
    git(&sandbox.root(), &["push", "-q", "origin", BRANCH]);
    let spec = sandbox.spec();
    for words in ["blue", "one page", "two stamps"] {
        assert!(spec.contains(words), "{words}: {spec}");
    }
}

#[test]
fn a_run_that_cannot_be_placed_after_the_remote_stays_on_the_branch_here() {
    let (sandbox, bare, kim) = with_origin();
    // Somebody has put something else on the branch, without the item.
    kim.commit_all_removed(&format!("{}/meta.json", crate::kit::ITEM));
    git(&kim.root(), &["push", "-q", "origin", &format!("HEAD:refs/heads/{BRANCH}")]);
    let theirs = kim.tip("main").unwrap();
    let run = sandbox.elaborate("Decision: The letter is one page.\ndone\n", &["--push"]);
    let is_placed = run.code == 0;
    assert!(sandbox.spec().contains("one page"), "{}", run.stderr);
    assert!(is_placed || git(&bare, &["rev-parse", BRANCH]) == theirs.to_string());
    let run = sandbox.run(&["analyze", "offline-mode", "--script", &sandbox.script("a", "\n"), "--push"]);
    assert!(sandbox.spec().contains("one page"), "{}", run.stderr);
}
