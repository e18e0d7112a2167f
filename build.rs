//! Compiles the review rules and what `--version` says.

// A build script is told where it works through the environment.
#![allow(clippy::disallowed_methods)]

use std::path::{Path, PathBuf};
use std::{env, fmt::Write as _, fs, io};

use serde::de::DeserializeOwned;
use serde_json::Value;

// The build compiles the review rules as a run does.
#[path = "src/review/file.rs"]
#[allow(dead_code)]
mod file;
#[path = "src/review/phrases.rs"]
#[allow(dead_code)]
mod phrases;

use file::{Entry, LISTS, RuleFile};
use phrases::{Compiler, Lists};

fn main() -> io::Result<()> {
    let root = env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?;
    let out = env::var("OUT_DIR").map_err(io::Error::other)?;
    for folder in ["rules", "steps", "templates"] {
        println!("cargo:rerun-if-changed={folder}");
    }
    fs::write(Path::new(&out).join("version.rs"), version(Path::new(&root)))?;
    fs::write(Path::new(&out).join("review.rs"), review_rules(Path::new(&root))?)
}

/// The review rules: as they are, as JSON without their examples and phrases, and the phrases compiled.
fn review_rules(root: &Path) -> io::Result<String> {
    let (folder, mut files) = ("rules/review", Vec::new());
    println!("cargo:rerun-if-changed={folder}");
    walk(&root.join(folder), folder, &mut files)?;
    files.sort();
    let (mut sources, mut rules, mut sets) = (String::new(), String::new(), Vec::new());
    let path = |name: &str| root.join(folder).join(name).to_string_lossy().into_owned();
    let lists: Lists = yaml(&path("words.yaml"))?;
    let mut compiler = Compiler::new(&lists, std::iter::empty());
    let mut keep = |path: &str, texts: &mut Vec<String>| {
        let set = compiler.set(texts).map_err(|error| io::Error::other(format!("{path}: {error}")))?;
        texts.clear();
        sets.push(u16::try_from(set.len()).map_err(io::Error::other)?);
        sets.extend(set);
        io::Result::Ok(())
    };
    let mut scope: Vec<Entry> = yaml(&path("scope.yaml"))?;
    scope.iter_mut().try_for_each(|entry| keep("scope.yaml", &mut entry.headings))?;
    LISTS
        .iter()
        .try_for_each(|name| keep("words.yaml", &mut lists.get(*name).cloned().unwrap_or_default()))?;
    for (name, path) in &files {
        let _ = writeln!(sources, "    ({name:?}, include_str!({path:?})),");
        if name.contains('/') {
            let mut file: RuleFile = yaml(path)?;
            file.phrases().try_for_each(|texts| keep(path, texts))?;
            (file.yes, file.no) = (Vec::new(), Vec::new());
            let _ = writeln!(rules, "    ({name:?}, {:?}),", serde_json::to_string(&file)?);
        }
    }
    let (scope, words) = (serde_json::to_string(&scope)?, compiler.words().join("\n"));
    let lists = path("words.yaml");
    Ok(format!(
        "pub static SOURCES: &[(&str, &str)] = &[\n{sources}];\npub static STORED: Stored = Stored {{\n\
         scope: {scope:?},\nlists: include_str!({lists:?}),\nrules: &[\n{rules}],\nwords: {words:?},\nsets: &{sets:?},\n}};\n"
    ))
}

fn yaml<T: DeserializeOwned>(path: &str) -> io::Result<T> {
    let text = fs::read_to_string(path)?;
    serde_yaml::from_str(&text).map_err(|error| io::Error::other(format!("{path}: {error}")))
}

/// Collects `(path below the folder with forward slashes, absolute path)` of every file.
fn walk(dir: &Path, folder: &str, files: &mut Vec<(String, String)>) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            walk(&path, folder, files)?;
            continue;
        }
        let text = path.to_string_lossy().replace('\\', "/");
        let marker = format!("/{folder}/");
        let name = text.rsplit_once(&marker).map(|(_, name)| name.to_owned()).unwrap_or_default();
        files.push((name, text));
    }
    Ok(())
}

/// What `--version` says: the version, the commit where it is known, the features and the target.
fn version(root: &Path) -> String {
    let of = |name: &str| env::var(name).unwrap_or_default();
    let features = ["git", "net", "cli"].into_iter();
    let on = features.filter(|name| env::var_os(format!("CARGO_FEATURE_{}", name.to_uppercase())).is_some());
    let mut text = of("CARGO_PKG_VERSION");
    if let Some(commit) = commit(root) {
        let _ = write!(text, "\ncommit: {commit}");
    }
    let on: Vec<&str> = on.collect();
    let _ = write!(text, "\nfeatures: {}\ntarget: {}", on.join(", "), of("TARGET"));
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
