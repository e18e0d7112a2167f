//! Writes what `--version` says.

// A build script is told where it works through the environment.
#![allow(clippy::disallowed_methods)]

use std::path::{Path, PathBuf};
use std::{env, fmt::Write as _, fs, io};

use serde_json::Value;

fn main() -> io::Result<()> {
    let root = env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?;
    let out = env::var("OUT_DIR").map_err(io::Error::other)?;
    for folder in ["layouts", "rules", "steps", "templates"] {
        println!("cargo:rerun-if-changed={folder}");
    }
    fs::write(Path::new(&out).join("version.rs"), version(Path::new(&root)))
}

/// What `--version` says: the version, the commit where it is known, and the target.
fn version(root: &Path) -> String {
    let of = |name: &str| env::var(name).unwrap_or_default();
    let mut text = of("CARGO_PKG_VERSION");
    if let Some(commit) = commit(root) {
        let _ = write!(text, "\ncommit: {commit}");
    }
    let _ = write!(text, "\ntarget: {}", of("TARGET"));
    format!("/// What `--version` says.\nconst LONG_VERSION: &str = {text:?};\n")
}

/// The commit that is built: as ROUNDTABLE_COMMIT says, as cargo has written it into a package, or, in a
/// release build, as the repository says. A debug build does not ask: each commit would build it anew.
fn commit(root: &Path) -> Option<String> {
    println!("cargo:rerun-if-env-changed=ROUNDTABLE_COMMIT");
    if let Ok(commit) = env::var("ROUNDTABLE_COMMIT") {
        return is_id(&commit).then_some(commit);
    }
    if let Ok(text) = fs::read_to_string(root.join(".cargo_vcs_info.json")) {
        let info: Value = serde_json::from_str(&text).ok()?;
        return info["git"]["sha1"].as_str().filter(|id| is_id(id)).map(str::to_owned);
    }
    if env::var("PROFILE").is_ok_and(|profile| profile == "release") { head(root) } else { None }
}

fn is_id(text: &str) -> bool {
    text.len() == 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// What HEAD of the repository at the package's root points at.
fn head(root: &Path) -> Option<String> {
    let git = root.join(".git");
    let git = match fs::read_to_string(&git) {
        // A linked work tree.
        Ok(text) => root.join(text.strip_prefix("gitdir: ")?.trim_end()),
        Err(_) => git,
    };
    let common =
        fs::read_to_string(git.join("commondir")).map_or(git.clone(), |text| git.join(text.trim_end()));
    let head = watched(git.join("HEAD"))?;
    let Some(name) = head.trim_end().strip_prefix("ref: ") else {
        return is_id(head.trim_end()).then(|| head.trim_end().to_owned());
    };
    let loose = watched(common.join(name)).map(|text| text.trim_end().to_owned());
    let packed = || {
        let text = watched(common.join("packed-refs"))?;
        let line = text.lines().find(|line| line.ends_with(&format!(" {name}")))?;
        line.split(' ').next().map(str::to_owned)
    };
    loose.or_else(packed).filter(|id| is_id(id))
}

/// A file's text; when it changes, the build looks again.
fn watched(path: PathBuf) -> Option<String> {
    let text = fs::read_to_string(&path).ok()?;
    println!("cargo:rerun-if-changed={}", path.display());
    Some(text)
}
