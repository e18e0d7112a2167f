//! `roundtable prove` and `roundtable verify`: that a recording belongs to a root hash, and that a release goes
//! on from an earlier one.
//!
//! The leaves of the tree are the recordings of a revision, byte for byte, in the order in which its first-parent
//! history got them; several at once by their time. Where nobody rewrites that history, the list only grows.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use clap::Args;
use clap_complete::engine::ArgValueCandidates;
use git2::Oid;
use serde_json::{Value, json};

use super::exit::{Code, Fail};
use super::screen::Screen;
use super::{Global, complete, open, read_file, recording, table};
use crate::library::hex;
use crate::merkle::{self, Hash, Tree, leaf};
use crate::plain::{self, count};
use crate::repo::{Repo, Unwritten};

#[derive(Debug, Args)]
#[command(
    after_help = "Examples: roundtable prove --rev v1.0\n          roundtable prove docs/requirements/late-fees/elaborations/01-03-20260220T143000000Z.jsonl > proof.json\n          roundtable prove --from v1.0 --rev v1.1 > consistency.json\n\nExit codes: 0 proved; 1 there is no such proof; 2 the repository could not be read."
)]
pub struct Options {
    /// A recording: its path in the repository, a file, or REV:PATH; without one, only the root is printed
    recording: Option<String>,
    /// The revision whose recordings the root is over
    #[arg(long, value_name = "REV", default_value = "HEAD", add = ArgValueCandidates::new(complete::revisions))]
    rev: String,
    /// Prove that the recordings of --rev go on from those of this revision
    #[arg(long, value_name = "REV", conflicts_with = "recording", add = ArgValueCandidates::new(complete::revisions))]
    from: Option<String>,
    /// The root must be this one
    #[arg(long, value_name = "HASH")]
    root: Option<String>,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples: roundtable verify --proof proof.json --root 5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328 talk.jsonl\n          roundtable verify --proof consistency.json --root 5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328\n\nNo repository and no network are needed. Exit codes: 0 it is so; 1 it is not; 2 the proof or the recording could not be read."
)]
pub struct Verify {
    /// The recording, as a file
    recording: Option<PathBuf>,
    /// What `roundtable prove` printed
    #[arg(long, value_name = "FILE")]
    proof: PathBuf,
    /// The root that you trust
    #[arg(long, value_name = "HASH")]
    root: String,
    /// The root of the earlier release that you trust, for a proof made with --from
    #[arg(long, value_name = "HASH")]
    from_root: Option<String>,
}

/// A proof's file may be so large (1 MiB).
const LARGEST_PROOF: u64 = 1 << 20;
/// Recordings over this many bytes are refused (64 MiB).
const LARGEST: u64 = 64 << 20;

/// The recordings of a revision, as leaves.
struct Leaves {
    commit: Oid,
    paths: Vec<String>,
    tree: Tree,
}

/// Prints a root, and a proof.
pub fn run(global: &Global, options: &Options, screen: &Screen) -> Result<Code, Fail> {
    let repo = open(global)?;
    let leaves = Leaves::of(global, &repo, &options.rev)?;
    let root = hex(&leaves.tree.root());
    if let Some(wanted) = &options.root {
        let wanted = hash(wanted, "--root")?;
        if hex(&wanted) != root {
            return no(screen, &format!("the root of {} is {root}", plain::shown(&options.rev)));
        }
    }
    let mut report = json!({
        "format": "RFC 6962, SHA-256", "rev": leaves.commit.to_string(), "size": leaves.tree.len(), "root": root,
    });
    let list = |hashes: Vec<Hash>| hashes.iter().map(|hash| hex(hash)).collect::<Vec<_>>();
    if let Some(from) = &options.from {
        let old = Leaves::of(global, &repo, from)?;
        let size = old.tree.len();
        let is_kept = leaves.tree.root_of(size) == Some(old.tree.root());
        let Some(proof) = leaves.tree.consistency(size).filter(|_| is_kept) else {
            let first = old.paths.iter().zip(&leaves.paths).find(|(old, new)| old != new).map(|(old, _)| old);
            let first = first.or(old.paths.get(leaves.paths.len())).map(|path| plain::shown(path));
            let first = first.map_or_else(String::new, |path| format!(", first {path}"));
            return no(
                screen,
                &format!(
                    "recordings of {} are changed, gone or moved in the order{first}",
                    plain::shown(from)
                ),
            );
        };
        report["from"] = json!({"rev": old.commit.to_string(), "size": size, "root": hex(&old.tree.root())});
        report["proof"] = json!(list(proof));
    } else if let Some(argument) = &options.recording {
        let (path, index) = match leaves.paths.iter().position(|path| path == argument) {
            Some(index) => (argument.clone(), Some(index)),
            None => {
                let found = recording::read(global, argument)?;
                let own = leaf(&found.bytes);
                (found.name, leaves.index_of(&own))
            }
        };
        let Some((index, proof)) = index.and_then(|at| Some((at, leaves.tree.inclusion(at)?))) else {
            return no(
                screen,
                &format!("{path} is not among the recordings of {}", plain::shown(&options.rev)),
            );
        };
        report["recording"] = json!(leaves.paths[index]);
        report["leaf"] = json!(hex(&leaves.hash(index)));
        report["index"] = json!(index);
        report["proof"] = json!(list(proof));
    }
    screen.raw(&format!("{report:#}\n"))?;
    Ok(Code::Yes)
}

fn no(screen: &Screen, why: &str) -> Result<Code, Fail> {
    screen.json(&json!({"proved": false, "reason": why}));
    screen.say(&format!("No proof: {why}."));
    Ok(Code::No)
}

impl Leaves {
    fn of(global: &Global, repo: &Repo, revision: &str) -> Result<Leaves, Fail> {
        let commit = repo.resolve(revision)?;
        if repo.is_shallow() {
            return Err(Fail::new(
                "this is a shallow clone, and the order of the recordings is in the history; fetch all of it (git fetch --unshallow, in actions/checkout `fetch-depth: 0`)",
            ));
        }
        let config = table::config(global, repo, commit)?;
        let objects = repo.objects(Unwritten::new()).of_history();
        let mut wanted = Vec::new();
        for folder in config.folders() {
            objects.recordings(commit, folder, &mut |_, path, blob| {
                wanted.push((path.to_owned(), blob));
                true
            })?;
        }
        let brought = objects.brought(commit, &wanted)?;
        let arrived = arrivals(repo, commit, &brought.values().map(|brought| brought.commit).collect())?;
        let place = |path: &String| {
            let came = brought.get(path).and_then(|brought| arrived.get(&brought.commit));
            // `01-03-20260220T143000000Z.jsonl`: the time is what recordings of one commit are ordered by.
            let name = path.rsplit('/').next().unwrap_or_default();
            (
                came.copied().unwrap_or(usize::MAX),
                name.get(6..).unwrap_or_default().to_owned(),
                name.to_owned(),
            )
        };
        let mut ordered = Vec::new();
        for (path, blob) in wanted {
            ordered.push((place(&path), leaf(&objects.blob(blob)?), path));
        }
        ordered.sort();
        let (hashes, paths) = ordered.into_iter().map(|(_, hash, path)| (hash, path)).unzip();
        Ok(Leaves { commit, paths, tree: Tree::new(hashes) })
    }

    fn hash(&self, index: usize) -> Hash {
        self.tree.leaf(index).unwrap_or_default()
    }

    fn index_of(&self, own: &Hash) -> Option<usize> {
        (0..self.tree.len()).find(|at| self.tree.leaf(*at).as_ref() == Some(own))
    }
}

/// For each commit, which step of the first-parent history brought it: the first is 0.
fn arrivals(repo: &Repo, tip: Oid, wanted: &HashSet<Oid>) -> Result<HashMap<Oid, usize>, Fail> {
    let mut line = vec![tip];
    while let Some(parent) = repo.parents_of(line[line.len() - 1])?.first() {
        line.push(*parent);
    }
    line.reverse();
    let on_line: HashSet<Oid> = line.iter().copied().collect();
    let (mut found, mut seen) = (HashMap::new(), HashSet::new());
    for (number, commit) in line.iter().enumerate() {
        let mut open = vec![*commit];
        while let Some(next) = open.pop() {
            if !seen.insert(next) {
                continue;
            }
            if wanted.contains(&next) {
                found.insert(next, number);
            }
            open.extend(repo.parents_of(next)?.into_iter().filter(|parent| !on_line.contains(parent)));
        }
    }
    Ok(found)
}

fn hash(digits: &str, what: &str) -> Result<Hash, Fail> {
    let wrong = || {
        Fail::new(format!(
            "{what}: \"{}\" is no SHA-256; it has 64 hexadecimal digits",
            plain::cut(&plain::shown(digits), 80)
        ))
    };
    merkle::parse(digits).ok_or_else(wrong)
}

/// Checks a proof against a root that is trusted.
pub fn verify(options: &Verify, screen: &Screen) -> Result<Code, Fail> {
    let name = plain::shown(&options.proof.display().to_string());
    let bytes = read_file(&options.proof, LARGEST_PROOF)?;
    let proof: Value = serde_json::from_slice(&bytes)
        .map_err(|error| Fail::new(format!("{name} is not what `roundtable prove` prints: {error}")))?;
    let missing =
        |what: &str| Fail::new(format!("{name} has no `{what}`; it is not what `roundtable prove` prints"));
    let size = |value: &Value, what: &str| {
        value.as_u64().and_then(|size| usize::try_from(size).ok()).ok_or_else(|| missing(what))
    };
    let text = |value: &Value, what: &str| value.as_str().map(str::to_owned).ok_or_else(|| missing(what));
    let root = hash(&options.root, "--root")?;
    let steps = proof["proof"].as_array().ok_or_else(|| missing("proof"))?;
    let steps =
        steps.iter().map(|step| hash(&text(step, "proof")?, &name)).collect::<Result<Vec<_>, Fail>>()?;
    let total = size(&proof["size"], "size")?;
    let (is_so, what) = if proof["from"].is_object() {
        let old = hash(&text(&proof["from"]["root"], "from.root")?, &name)?;
        let before = size(&proof["from"]["size"], "from.size")?;
        let trusted = options.from_root.as_deref().map(|digits| hash(digits, "--from-root")).transpose()?;
        let is_so = trusted.is_none_or(|trusted| trusted == old)
            && merkle::continues((&old, before), (&root, total), &steps);
        (is_so, format!("{} go on from {} of root {}", count(total, "recording"), before, hex(&old)))
    } else {
        let path =
            options.recording.as_ref().ok_or_else(|| Fail::new("name the recording that the proof is of"))?;
        let index = size(&proof["index"], "index")?;
        let own = leaf(&read_file(path, LARGEST)?);
        let shown = plain::shown(&path.display().to_string());
        (
            merkle::includes(&root, total, index, &own, &steps),
            format!("{shown} is one of {} of this root", count(total, "recording")),
        )
    };
    screen.json(&json!({"verified": is_so, "root": hex(&root), "size": total}));
    screen.say(&format!("{}: {what}", if is_so { "Verified" } else { "Not so" }));
    Ok(if is_so { Code::Yes } else { Code::No })
}
