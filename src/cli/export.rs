//! `roundtable export`: who decided what, when, on which words and in which commit, in formats that other
//! programs read.

use clap::{Args, ValueEnum};
use git2::Oid;
use serde_json::{Value, json};

use super::exit::{Code, Fail};
use super::screen::Screen;
use super::{Global, open, table};
use crate::decisions::{self, Entry};
use crate::discussion::summary::Decision;
use crate::item::meta;
use crate::library::sha256;
use crate::plain::{self, count};
use crate::provenance::{Dossier, Talk, items};
use crate::repo::{Repo, short};
use crate::synthesis::data::cell;
use crate::trace::Trace;
use crate::voice::REVIEWER;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples: roundtable export --format markdown > decisions.md\n          roundtable export --format in-toto late-fees --rev main\n\nin-toto and agent-trace print one JSON object a line, or, with --json, one object that holds them all."
)]
pub struct Options {
    /// One item: its folder's path, or its slug [default: every item]
    pub(super) item: Option<String>,
    /// in-toto: an in-toto Statement (v1) a recording; agent-trace: an Agent Trace record a document; markdown: a decision log; csv: a row a decision
    #[arg(long, value_name = "FORMAT")]
    format: Format,
    /// The commit to read
    #[arg(long, value_name = "REV", default_value = "HEAD")]
    rev: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    InToto,
    AgentTrace,
    Markdown,
    Csv,
}

/// What a statement about a recording is called; its fields are those of [`predicate`].
const PREDICATE: &str = "https://roundtable.dev/attestation/discussion/v1";
/// The version of the Agent Trace specification.
const AGENT_TRACE: &str = "0.1.0";

/// Writes the decisions of a revision.
pub fn run(global: &Global, options: &Options, screen: &Screen) -> Result<Code, Fail> {
    let repo = open(global)?;
    let commit = repo.resolve(&options.rev)?;
    let config = table::config(global, &repo, commit)?;
    let paths = match &options.item {
        Some(item) => vec![repo.find_item(commit, &table::forward(item), &config.folders())?],
        None => {
            let mut paths = Vec::new();
            for folder in config.folders() {
                paths.extend(repo.items(commit, folder)?);
            }
            paths
        }
    };
    if paths.is_empty() {
        table::note_nothing(&repo, "item", &options.rev, screen);
    }
    let found = items(&repo, commit, &paths)?;
    for (recording, why) in found.iter().flat_map(|dossier| &dossier.unread) {
        screen.warn(&format!("{} is left out: {why}", plain::shown(recording)));
    }
    let export = Export { repo: &repo, commit, found };
    match options.format {
        Format::InToto => lines("statements", export.statements()?, screen)?,
        Format::AgentTrace => lines("traces", export.traces()?, screen)?,
        Format::Markdown => text(&export.log(), screen)?,
        Format::Csv => text(&export.csv(), screen)?,
    }
    Ok(Code::Yes)
}

/// JSON Lines, or one object.
fn lines(name: &str, all: Vec<Value>, screen: &Screen) -> Result<(), Fail> {
    if screen.is_json() {
        screen.json(&json!({ name: all }));
        return Ok(());
    }
    screen.raw(&all.iter().map(|one| format!("{one}\n")).collect::<String>())
}

fn text(text: &str, screen: &Screen) -> Result<(), Fail> {
    if screen.is_json() {
        screen.json(&json!({ "text": text }));
        return Ok(());
    }
    screen.raw(text)
}

struct Export<'r> {
    repo: &'r Repo,
    commit: Oid,
    found: Vec<Dossier>,
}

/// A decision with the discussion it was made in.
struct Decided<'t> {
    dossier: &'t Dossier,
    talk: &'t Talk,
    decision: &'t Decision,
    entry: &'t Entry,
}

impl Decided<'_> {
    /// Who said the words, each once.
    fn by(&self) -> String {
        let mut names: Vec<String> = Vec::new();
        for message in self.talk.finished.messages(&self.decision.turns) {
            let name = plain::shown(&message.by);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names.join(", ")
    }

    fn words(&self) -> Vec<String> {
        let said = self.talk.finished.messages(&self.decision.turns);
        said.map(|message| plain::one_line(&plain::clean(&message.text))).collect()
    }

    /// When the last of the words was said.
    fn when(&self) -> String {
        decided_at(self.talk, self.decision)
    }
}

fn decided_at(talk: &Talk, decision: &Decision) -> String {
    let last = decision.turns.iter().filter_map(|turn| talk.time_of(*turn)).max();
    last.unwrap_or(talk.finished.at).to_string()
}

impl Export<'_> {
    fn talks(&self) -> impl Iterator<Item = (&Dossier, &Talk)> {
        self.found.iter().flat_map(|dossier| dossier.talks.iter().map(move |talk| (dossier, talk)))
    }

    fn decisions(&self) -> impl Iterator<Item = Decided<'_>> {
        self.found.iter().flat_map(|dossier| {
            let all = dossier.talks.iter().flat_map(|talk| {
                talk.finished.summary.decisions.iter().map(move |decision| (talk, decision))
            });
            let entries = dossier.decisions.of_discussions();
            all.zip(entries).map(move |((talk, decision), entry)| Decided { dossier, talk, decision, entry })
        })
    }

    /// One statement a recording; the recording and the documents as they are now are what it is about.
    fn statements(&self) -> Result<Vec<Value>, Fail> {
        let mut all = Vec::new();
        for (dossier, talk) in self.talks() {
            let mut subjects = vec![json!({"name": talk.recording, "digest": {"sha256": talk.sha256}})];
            for (path, _) in &talk.written {
                if path.ends_with(&format!("/{}", meta::FILE))
                    || subjects.iter().any(|one| one["name"] == **path)
                {
                    continue;
                }
                let bytes = self.repo.file(self.commit, path)?.unwrap_or_default();
                subjects.push(json!({"name": path, "digest": {"sha256": sha256(&bytes)}}));
            }
            all.push(json!({
                "_type": "https://in-toto.io/Statement/v1",
                "subject": subjects,
                "predicateType": PREDICATE,
                "predicate": self.predicate(dossier, talk),
            }));
        }
        Ok(all)
    }

    fn predicate(&self, dossier: &Dossier, talk: &Talk) -> Value {
        let (opened, summary) = (&talk.finished.opened, &talk.finished.summary);
        let decisions: Vec<Value> = summary
            .decisions
            .iter()
            .enumerate()
            .map(|(number, decision)| {
                let words = talk.finished.messages(&decision.turns).map(|message| {
                    json!({"turn": message.turn, "by": message.by, "text": message.text, "comment": message.comment})
                });
                json!({
                    "id": decisions::id(&talk.recording, number), "text": decision.text,
                    "rationale": rationale(decision), "time": decided_at(talk, decision),
                    "words": words.collect::<Vec<_>>(),
                })
            })
            .collect();
        let written = talk
            .written
            .iter()
            .map(|(path, trace)| json!({"path": path, "startLine": trace.line, "endLine": trace.end}));
        json!({
            "item": dossier.item.path,
            "step": {"id": opened.step.id, "title": opened.step.title},
            "closedAt": talk.finished.at.to_string(),
            "exit": talk.finished.closed.exit,
            "run": opened.run,
            "voice": opened.voice,
            "model": opened.model,
            "repository": {"revision": self.commit.to_string(), "commit": talk.commit.map(|id| id.to_string())},
            "materials": opened.read.iter().map(|(name, id)| {
                json!({"name": format!("{}/{name}", opened.item), "digest": {"gitBlob": id}})
            }).collect::<Vec<_>>(),
            "decisions": decisions,
            "openQuestions": summary.open_questions.iter().map(|one| &one.text).collect::<Vec<_>>(),
            "written": written.collect::<Vec<_>>(),
        })
    }

    /// One record a document: the lines that discussions wrote in it.
    fn traces(&self) -> Result<Vec<Value>, Fail> {
        let mut all = Vec::new();
        for dossier in &self.found {
            for name in dossier.item.files.keys().filter(|name| *name != meta::FILE) {
                let path = format!("{}/{name}", dossier.item.path);
                let ours: Vec<(&Talk, Vec<&Trace>)> = dossier
                    .talks
                    .iter()
                    .map(|talk| {
                        let here = talk.written.iter().filter(|(other, _)| *other == path);
                        (talk, here.map(|(_, trace)| trace).collect::<Vec<_>>())
                    })
                    .filter(|(_, traces)| !traces.is_empty())
                    .collect();
                let Some(last) = ours.iter().map(|(talk, _)| talk.finished.at).max() else { continue };
                let bytes = self.repo.file(self.commit, &path)?.unwrap_or_default();
                let text = String::from_utf8_lossy(&bytes);
                let lines: Vec<&str> = text.lines().collect();
                let conversation = |(talk, traces): &(&Talk, Vec<&Trace>)| {
                    let ranges = traces.iter().map(|trace| range(&lines, trace));
                    json!({"contributor": contributor(talk), "ranges": ranges.collect::<Vec<_>>()})
                };
                let conversations: Vec<Value> = ours.iter().map(conversation).collect();
                let recording = |(talk, _): &(&Talk, Vec<&Trace>)| {
                    json!({
                        "path": talk.recording, "sha256": talk.sha256,
                        "commit": talk.commit.map(|id| id.to_string()),
                    })
                };
                let recordings: Vec<Value> = ours.iter().map(recording).collect();
                all.push(json!({
                    "version": AGENT_TRACE,
                    "id": uuid(&format!("{} {path}", self.commit)),
                    "timestamp": last.to_string(),
                    "vcs": {"type": "git", "revision": self.commit.to_string()},
                    "tool": {"name": "roundtable", "version": env!("CARGO_PKG_VERSION")},
                    "files": [{"path": path, "conversations": conversations}],
                    "metadata": {"dev.roundtable": {"recordings": recordings}},
                }));
            }
        }
        Ok(all)
    }

    /// A decision log: an index, and each decision with the words it rests on.
    fn log(&self) -> String {
        let all: Vec<Decided<'_>> = self.decisions().collect();
        let cell = |text: &str| plain::markdown(&plain::one_line(text));
        let mut out =
            format!("# Decision log\n\n{} at {}.\n", count(all.len(), "decision"), short(self.commit));
        if !all.is_empty() {
            out.push_str("\n| No. | Date | Decision | Decided by | Item | Step |\n| --- | --- | --- | --- | --- | --- |\n");
        }
        for (number, one) in (1..).zip(&all) {
            let row = [
                format!("[{number}](#decision-{number})"),
                one.when().chars().take(10).collect(),
                cell(&one.decision.text),
                cell(&one.by()),
                cell(&one.dossier.item.name()),
                cell(&one.talk.finished.opened.step.id),
            ];
            out.push_str(&format!("| {} |\n", row.join(" | ")));
        }
        for (number, one) in (1..).zip(&all) {
            let opened = &one.talk.finished.opened;
            out.push_str(&format!(
                "\n## Decision {number}\n\n{}\n\n",
                plain::markdown(&plain::one_line(&one.decision.text))
            ));
            out.push_str(&format!(
                "- Rationale: {}\n",
                plain::markdown(&plain::one_line(rationale(one.decision)))
            ));
            out.push_str(&format!(
                "- Decided by {} at {}, in step {} ({}) of {}\n",
                plain::markdown(&one.by()),
                one.when(),
                plain::markdown(&opened.step.id),
                plain::markdown(&opened.step.title),
                plain::markdown(&one.dossier.item.path),
            ));
            out.push_str(&format!("- Id: {}\n", one.entry.id));
            if !one.entry.replaced_by.is_empty() {
                out.push_str(&format!("- Replaced by {}\n", one.entry.replaced_by.join(", ")));
            }
            if let Some(commit) = one.talk.commit {
                out.push_str(&format!("- Commit: {commit}\n"));
            }
            out.push_str(&format!(
                "- Recording: `{}` (sha256 {})\n",
                one.talk.recording.replace('`', ""),
                one.talk.sha256
            ));
            for words in one.words() {
                out.push_str(&format!("\n> {}\n", plain::markdown(&words)));
            }
        }
        out
    }

    fn csv(&self) -> String {
        let mut out =
            "item,step,time,decision,rationale,decided_by,turns,words,recording,sha256,commit,id,replaced_by\n".to_owned();
        for one in self.decisions() {
            let turns: Vec<String> = one.decision.turns.iter().map(u32::to_string).collect();
            let row = [
                one.dossier.item.path.clone(),
                one.talk.finished.opened.step.id.clone(),
                one.when(),
                one.decision.text.clone(),
                rationale(one.decision).to_owned(),
                one.by(),
                turns.join(" "),
                one.words().join(" / "),
                one.talk.recording.clone(),
                one.talk.sha256.clone(),
                one.talk.commit.map(|id| id.to_string()).unwrap_or_default(),
                one.entry.id.clone(),
                one.entry.replaced_by.join(" "),
            ];
            out.push_str(&format!("{}\n", row.map(|text| cell(&text)).join(",")));
        }
        out
    }
}

/// Why it was decided; empty where only who settled it is known, which has a field of its own.
fn rationale(decision: &Decision) -> &str {
    if decision.rationale.starts_with("settled by ") { "" } else { &decision.rationale }
}

/// Lines that a discussion wrote, with a hash by which they are found where they have moved to.
fn range(lines: &[&str], trace: &Trace) -> Value {
    let ours = lines.get(trace.line - 1..trace.end.min(lines.len())).unwrap_or_default();
    let hash = format!("sha256:{}", sha256(ours.join("\n").as_bytes()));
    json!({"start_line": trace.line, "end_line": trace.end, "content_hash": hash})
}

/// Who wrote what a discussion added: people and rules, or people and a model.
fn contributor(talk: &Talk) -> Value {
    let opened = &talk.finished.opened;
    match &opened.model {
        Some(model) if opened.voice != REVIEWER => {
            let id = format!("{}/{model}", opened.voice);
            json!({"type": "mixed", "model_id": plain::cut(&plain::shown(&id), 250)})
        }
        _ => json!({"type": "human"}),
    }
}

/// A UUID made of a text, so that the same revision gives the same one (RFC 9562, version 8).
fn uuid(text: &str) -> String {
    let hex = sha256(text.as_bytes());
    format!("{}-{}-8{}-8{}-{}", &hex[..8], &hex[8..12], &hex[13..16], &hex[17..20], &hex[20..32])
}
