//! `roundtable prove` and `roundtable verify`: that a recording belongs to a root hash, and that a release goes
//! on from an earlier one.
//!
//! The leaves of the tree are the recordings of a revision, in the order in which its history got them ([`leaves`]).
//! Where nobody rewrites that history, the list only grows.

mod leaves;

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use self::leaves::Leaves;
use super::exit::{Code, Fail};
use super::screen::Screen;
use super::{Global, open, read_file, recording};
use crate::library::hex;
use crate::merkle::{self, Hash, Tree, leaf};
use crate::plain::{self, count};

#[derive(Debug, Args)]
#[command(
    after_help = "Examples: roundtable prove --rev v1.0\n          roundtable prove docs/requirements/late-fees/elaborations/01-03-20260220T143000000Z.jsonl > proof.json\n          roundtable prove --from v1.0 --rev v1.1 > consistency.json\n\nExit codes: 0 proved; 1 there is no such proof; 2 the repository could not be read."
)]
pub struct Options {
    /// A recording: its path in the repository, a file, or REV:PATH; without one, only the root is printed
    recording: Option<String>,
    /// The revision whose recordings the root is over
    #[arg(long, value_name = "REV", default_value = "HEAD")]
    rev: String,
    /// Prove that the recordings of --rev go on from those of this revision
    #[arg(long, value_name = "REV", conflicts_with = "recording")]
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

/// Prints a root, and a proof.
pub fn run(global: &Global, options: &Options, screen: &Screen) -> Result<Code, Fail> {
    let repo = open(global)?;
    let leaves = Leaves::of(global, &repo, &options.rev)?;
    let tree = Tree::new(leaves.hashes.clone());
    let root = hex(&tree.root());
    if let Some(wanted) = &options.root {
        let wanted = hash(wanted, "--root")?;
        if hex(&wanted) != root {
            return no(screen, &format!("the root of {} is {root}", plain::shown(&options.rev)));
        }
    }
    let mut report = json!({
        "format": "RFC 6962, SHA-256", "rev": leaves.commit.to_string(), "size": tree.len(), "root": root,
    });
    let list = |hashes: Vec<Hash>| hashes.iter().map(|hash| hex(hash)).collect::<Vec<_>>();
    if let Some(from) = &options.from {
        let old = Leaves::of(global, &repo, from)?;
        let size = old.hashes.len();
        let is_kept = leaves.hashes.starts_with(&old.hashes);
        let Some(proof) = tree.consistency(size).filter(|_| is_kept) else {
            let first = old.first_that_differs(&leaves).map(|path| format!(", first {}", plain::shown(path)));
            return no(
                screen,
                &format!(
                    "recordings of {} are changed, gone or moved in the order{}",
                    plain::shown(from),
                    first.unwrap_or_default()
                ),
            );
        };
        let root = tree.root_of(size).unwrap_or_default();
        report["from"] = json!({"rev": old.commit.to_string(), "size": size, "root": hex(&root)});
        report["proof"] = json!(list(proof));
    } else if let Some(argument) = &options.recording {
        let (path, index) = match leaves.paths().position(|path| path == argument) {
            Some(index) => (argument.clone(), Some(index)),
            None => {
                let found = recording::read(global, argument)?;
                let own = leaf(&found.bytes);
                (found.name, leaves.hashes.iter().position(|hash| *hash == own))
            }
        };
        let Some((index, proof)) = index.and_then(|at| Some((at, tree.inclusion(at)?))) else {
            return no(
                screen,
                &format!("{path} is not among the recordings of {}", plain::shown(&options.rev)),
            );
        };
        report["recording"] = json!(leaves.paths().nth(index));
        report["leaf"] = json!(hex(&leaves.hashes[index]));
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
