//! GitHub as the environment names it: server, API, repository, token.

use crate::git::Repo;
use crate::git::remote::Remote;
use crate::github::hub::Hub;
use crate::http::{self, Secret, Url};
use crate::run::Fail;
use crate::run::environment::variable;

/// Where GitHub's own server is.
const SERVER: &str = "https://github.com";

/// The server and its API.
struct Address {
    server: Url,
    api: Url,
}

impl Address {
    fn read() -> Result<Address, Fail> {
        let server = variable("GITHUB_SERVER_URL").unwrap_or_else(|| SERVER.to_owned());
        let server = http::base_url("GITHUB_SERVER_URL", &server)?;
        let api = match variable("GITHUB_API_URL") {
            Some(text) => http::base_url("GITHUB_API_URL", &text)?,
            None if server.as_str().trim_end_matches('/') == SERVER => {
                http::base_url("", "https://api.github.com")?
            }
            None => http::below(&server, "api/v3"),
        };
        Ok(Address { server, api })
    }
}

/// The token of the environment, for GitHub only.
fn token() -> Result<Option<Secret>, Fail> {
    for name in ["GITHUB_TOKEN", "GH_TOKEN"] {
        if let Some(value) = variable(name) {
            return Ok(Some(Secret::new(name, &value)?));
        }
    }
    Ok(None)
}

/// A remote of a repository by its name, with the token where it is on GitHub's server; another host never sees it.
pub fn named_remote(repo: &Repo, name: &str) -> Result<Remote, Fail> {
    let (url, server) = (repo.remote_url(name)?, Address::read()?.server);
    let is_there = Url::parse(&url).is_ok_and(|url| url.origin() == server.origin());
    let token = if is_there { token()?.map(|token| (token, server)) } else { None };
    Ok(Remote { place: name.to_owned(), token })
}

/// The API of the repository that the environment or the remote `origin` names.
pub fn hub(repo: &Repo) -> Result<Hub, Fail> {
    let address = Address::read()?;
    let name = match variable("GITHUB_REPOSITORY") {
        Some(name) => name,
        None => repo.remote_url("origin").ok().and_then(|url| repository_of(&url, &address.server)).ok_or_else(|| {
            Fail::new("it is not said which repository on GitHub is meant: set GITHUB_REPOSITORY to owner/name, or give the repository a remote `origin` there")
        })?,
    };
    Ok(Hub::new(address.api, &name, token()?)?)
}

/// The repository as a remote to push to.
pub fn remote(hub: &Hub) -> Result<Remote, Fail> {
    let server = Address::read()?.server;
    let place = http::below(&server, &format!("{}.git", hub.repository)).to_string();
    Ok(Remote { place, token: token()?.map(|token| (token, server)) })
}

/// A page of the repository, for people.
pub fn page(hub: &Hub, path: &str) -> Result<String, Fail> {
    Ok(http::below(&Address::read()?.server, &format!("{}/{path}", hub.repository)).to_string())
}

/// `owner/name` of a remote's URL on this server, whether by https or ssh.
fn repository_of(remote: &str, server: &Url) -> Option<String> {
    let host = server.host_str()?;
    let path = match Url::parse(remote) {
        Ok(url) if url.host_str() == Some(host) => url.path().to_owned(),
        _ => remote.strip_prefix(&format!("git@{host}:"))?.to_owned(),
    };
    let path = path.trim_matches('/');
    Some(path.strip_suffix(".git").unwrap_or(path).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remote_names_its_repository_on_this_server_only() {
        let server = Url::parse(SERVER).unwrap();
        for remote in [
            "https://github.com/owner/name.git",
            "https://github.com/owner/name",
            "git@github.com:owner/name.git",
            "ssh://git@github.com/owner/name.git",
        ] {
            assert_eq!(repository_of(remote, &server).as_deref(), Some("owner/name"), "{remote}");
        }
        assert_eq!(repository_of("https://example.org/owner/name", &server), None);
        assert_eq!(repository_of("/srv/git/name.git", &server), None);
    }
}
