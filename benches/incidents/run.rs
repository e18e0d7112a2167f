//! Runs every case through `roundtable check` and three guards that teams write themselves.

// It measures time, and what it cannot set up ends it.
#![allow(clippy::disallowed_methods, clippy::expect_used)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use serde::Deserialize;

#[derive(Deserialize)]
struct Cases {
    documents: BTreeMap<String, Document>,
    harms: Vec<Case>,
    harmless: Vec<Case>,
}

#[derive(Deserialize)]
struct Document {
    path: String,
    text: String,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Case {
    name: String,
    document: String,
    replace: Vec<(String, String)>,
    after: Option<String>,
    rename: Option<String>,
    delete: bool,
    cut: bool,
    latin1: bool,
    crlf: bool,
    /// A warning is enough.
    told: bool,
}

impl Case {
    /// The bytes of the document after the edit.
    fn edited(&self, before: &str) -> Vec<u8> {
        let mut text = self.after.clone().unwrap_or_else(|| before.to_owned());
        for (old, new) in &self.replace {
            assert!(text.contains(old), "{}: no \"{old}\"", self.name);
            text = text.replacen(old, new, 1);
        }
        if self.cut {
            text.truncate(text.len() / 2);
        }
        match (self.latin1, self.crlf) {
            (true, _) => text.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?')).collect(),
            (_, true) => text.replace('\n', "\r\n").into_bytes(),
            _ => text.into_bytes(),
        }
    }
}

/// A guard, and what it said.
#[derive(Default)]
pub struct Tally {
    pub missed: Vec<String>,
    pub false_alarms: Vec<String>,
    pub time: Duration,
}

pub struct Outcome {
    pub harms: usize,
    pub harmless: usize,
    pub guards: Vec<(&'static str, Tally)>,
}

const GUARDS: [&str; 4] = ["roundtable check", "git diff --numstat", "line count", "hash"];

/// Runs all cases with this program.
pub fn run(program: &Path) -> Outcome {
    let cases: Cases = serde_yaml::from_str(include_str!("cases.yaml")).expect("the cases can be read");
    let mut guards: Vec<(&'static str, Tally)> =
        GUARDS.iter().map(|name| (*name, Tally::default())).collect();
    let all =
        cases.harms.iter().map(|case| (case, true)).chain(cases.harmless.iter().map(|case| (case, false)));
    for (case, is_harm) in all {
        let place = Place::new(&cases.documents, case);
        for (at, (_, tally)) in guards.iter_mut().enumerate() {
            let begun = Instant::now();
            let alarms = place.alarms(at, program, case.told);
            tally.time += begun.elapsed();
            match (is_harm, alarms) {
                (true, false) => tally.missed.push(case.name.clone()),
                (false, true) => tally.false_alarms.push(case.name.clone()),
                _ => {}
            }
        }
    }
    Outcome { harms: cases.harms.len(), harmless: cases.harmless.len(), guards }
}

/// A repository with the documents in one commit and the edit in the next.
struct Place {
    folder: tempfile::TempDir,
    before: String,
    after: Option<Vec<u8>>,
}

impl Place {
    fn new(documents: &BTreeMap<String, Document>, case: &Case) -> Place {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let at = |path: &str| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
            path
        };
        let write = |path: &str, bytes: &[u8]| std::fs::write(at(path), bytes).expect("it can be written");
        for document in documents.values() {
            write(&document.path, document.text.as_bytes());
        }
        write(
            "docs/requirements/late-fees/meta.json",
            b"{\"slug\": \"late-fees\", \"name\": \"late fees\"}\n",
        );
        let document = &documents[&case.document];
        let after = (!case.delete && case.rename.is_none()).then(|| case.edited(&document.text));
        let place = Place { folder, before: document.text.clone(), after };
        place.git(&["init", "--quiet"]);
        place.commit();
        let path = place.folder.path().join(&document.path);
        match (&place.after, &case.rename) {
            (Some(after), _) => std::fs::write(&path, after).expect("it can be written"),
            (None, Some(to)) => {
                let to = place.folder.path().join(to);
                std::fs::create_dir_all(to.parent().expect("a folder")).expect("it can be made");
                std::fs::rename(&path, to).expect("it can be moved");
            }
            (None, None) => std::fs::remove_file(&path).expect("it can be removed"),
        }
        place.commit();
        place
    }

    fn git(&self, args: &[&str]) -> Output {
        let mut command = Command::new("git");
        command
            .current_dir(self.folder.path())
            .env("HOME", self.folder.path())
            .env("GIT_CONFIG_NOSYSTEM", "1");
        command.args([
            "-c",
            "user.name=Sam",
            "-c",
            "user.email=sam@example.org",
            "-c",
            "core.autocrlf=false",
        ]);
        command.args(args).output().expect("this needs git")
    }

    fn commit(&self) {
        self.git(&["add", "--all"]);
        let done = self.git(&["commit", "--quiet", "--message", "documents"]);
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }

    /// Whether a guard says no.
    fn alarms(&self, guard: usize, program: &Path, told: bool) -> bool {
        match guard {
            0 => self.check(program, told),
            1 => {
                let told = self.git(&["diff", "--numstat", "HEAD~1", "HEAD"]).stdout;
                let text = String::from_utf8_lossy(&told).into_owned();
                text.lines().any(|line| line.split('\t').nth(1).is_some_and(|deleted| deleted != "0"))
            }
            2 => self.after.as_deref().is_none_or(|after| lines(after) < lines(self.before.as_bytes())),
            _ => self.after.as_deref() != Some(self.before.as_bytes()),
        }
    }

    fn check(&self, program: &Path, told: bool) -> bool {
        let mut command = Command::new(program);
        command.current_dir(self.folder.path()).env_clear().env("HOME", self.folder.path());
        let done = command.args(["check", "--base", "HEAD~1", "--json"]).output().expect("the program runs");
        assert_ne!(done.status.code(), Some(2), "{}", String::from_utf8_lossy(&done.stderr));
        let is_told = || {
            let value: serde_json::Value = serde_json::from_slice(&done.stdout).expect("it prints JSON");
            let files = value["files"].as_array().cloned().unwrap_or_default();
            files.iter().any(|file| file["findings"].as_array().is_some_and(|found| !found.is_empty()))
        };
        done.status.code() == Some(1) || told && is_told()
    }
}

fn lines(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte == b'\n').count()
}

impl Outcome {
    /// The table that people read.
    pub fn table(&self) -> String {
        let mut text =
            "| guard | losses found | false alarms | time a case |\n| --- | --- | --- | --- |\n".to_owned();
        let cases = u32::try_from(self.harms + self.harmless).unwrap_or(1);
        for (name, tally) in &self.guards {
            let found = self.harms - tally.missed.len();
            let _ = writeln!(
                text,
                "| {name} | {found} of {} | {} of {} | {:.1?} |",
                self.harms,
                tally.false_alarms.len(),
                self.harmless,
                tally.time / cases
            );
        }
        text
    }
}
