//! `review --voice`: what a model finds open in documents, kept by content so that nothing is asked twice.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::documents::ReviewInput;
use super::fail::Fail;
use super::observer::Observer;
use super::voices::{self, Choice, Wanted};
use super::workspace::Workspace;
use crate::discussion::points::Point;
use crate::git::Repo;
use crate::git::evidence::Beside;
use crate::item::config;
use crate::item::library::{Library, sha256};
use crate::voice::model::reading::{ReadPoints, Reading};
use crate::voice::model::{Meter, Metered, prompt};

/// What a model found open in documents.
pub struct OpenPoints {
    pub voice: String,
    pub model: Option<String>,
    /// Best first; those that something answers are last.
    pub points: Vec<Point>,
    /// What of its answers is left out, and why.
    pub left_out: Vec<String>,
    /// What it took; none where it was asked before.
    pub usage: Option<Value>,
}

/// Asks a model what documents leave open; only points about changed lines where these are asked for.
///
/// # Errors
/// A voice without a model, or one that gives no answer.
pub fn find_open_points(
    source: &ReviewInput,
    wanted: &Wanted,
    workspace: &Workspace,
    observer: &dyn Observer,
) -> Result<OpenPoints, Fail> {
    let choice = Choice::at(wanted, &source.config, "", "")?;
    if !choice.asks_a_model() {
        let what = format!("review --voice {} has no model to ask", choice.name());
        return Err(Fail::new(what).with_hint("leave --voice out, or name a voice with a model"));
    }
    let repo = workspace.open().ok();
    let settings = source.config.evidence();
    let beside = repo.as_ref().map(|repo| beside(repo, source)).transpose()?.flatten();
    let evidence = beside.as_ref().map(|beside| beside.gather(settings.max_chars)).unwrap_or_default();
    let library = Library::built_in()?;
    let documents = source.texts.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let (head, cut) = prompt::review_head(&library, documents, &evidence, settings.max_chars)?;
    for name in cut {
        observer.note(&format!("{name}: the model gets only its beginning"));
    }
    voices::refuse_secrets("what the model would read", &head)?;
    let kept = repo.as_ref().map(|repo| kept_at(repo, &choice, &head));
    let (found, usage) = match kept.as_deref().and_then(read_kept) {
        Some(found) => (found, None),
        None => {
            let reading = Reading { library: &library, documents: &source.texts, evidence: &evidence, head };
            let (found, meter) = ask(&choice, wanted, &source.config, &reading, beside.as_ref(), observer)?;
            // What could not be used may be usable the next time.
            let is_usable = !found.points.is_empty() || found.left_out.is_empty();
            kept.iter().filter(|_| is_usable).for_each(|path| keep(path, &found));
            (found, Some(meter.value()))
        }
    };
    let ReadPoints { points, left_out } = found;
    let points = points.into_iter().filter(|point| is_on_changed_lines(point, source)).collect();
    Ok(OpenPoints { voice: choice.name(), model: choice.model(), points, left_out, usage })
}

fn ask(
    choice: &Choice,
    wanted: &Wanted,
    config: &config::Config,
    reading: &Reading<'_>,
    beside: Option<&Beside<'_>>,
    observer: &dyn Observer,
) -> Result<(ReadPoints, Meter), Fail> {
    let mut model = choice.begin()?.ok_or_else(|| Fail::new("there is no model to ask"))?;
    let cast = &reading.library.cast;
    let watch = |want: &prompt::Want, meter: &Meter| observer.waiting(&voices::thinking(want, meter, cast));
    let mut metered = Metered::new(model.as_mut(), wanted.max_tokens_total)
        .priced(voices::prices(wanted, config, "", "")?)
        .watched(&watch);
    let max_chars = config.evidence().max_chars;
    let more = |asked: &[String]| {
        beside.map(|beside| beside.more(asked, reading.evidence, max_chars)).unwrap_or_default()
    };
    let found = reading.points(&mut metered, &more)?;
    metered.notes.iter().for_each(|note| observer.note(note));
    Ok((found, metered.meter().clone()))
}

/// The code beside the documents, as HEAD has it; none before the first commit.
fn beside<'r>(repo: &'r Repo, source: &'r ReviewInput) -> Result<Option<Beside<'r>>, Fail> {
    let settings = source.config.evidence();
    let Some(head) = repo.head()?.filter(|_| settings.repository && settings.max_chars > 0) else {
        return Ok(None);
    };
    let items = source.config.folders();
    let from_root = |shown: &String| {
        let full = Path::new(shown).canonicalize().ok();
        full.and_then(|full| repo.path_within(&full)).unwrap_or_else(|| shown.clone())
    };
    let documents: Vec<(String, &str)> =
        source.texts.iter().map(|(path, text)| (from_root(path), text.as_str())).collect();
    Ok(Some(Beside::new(repo, head, documents, items, &settings)?))
}

fn is_on_changed_lines(point: &Point, source: &ReviewInput) -> bool {
    let Some(changed) = &source.changed else { return true };
    let is_in = |path: &str, line: usize| {
        changed.get(path).is_some_and(|lines| lines.iter().any(|range| range.contains(&line)))
    };
    point.quotes.iter().any(|quote| is_in(&quote.path, quote.line))
}

/// Where the points of this model on these words are kept.
fn kept_at(repo: &Repo, choice: &Choice, head: &str) -> PathBuf {
    let key = sha256(format!("{}\n{head}", choice.identity()).as_bytes());
    repo.git().commondir().join("roundtable/points").join(format!("{key}.json"))
}

/// What was kept; what cannot be read is asked again.
fn read_kept(path: &Path) -> Option<ReadPoints> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

/// Keeps points; where that is not possible they are asked for again the next time.
fn keep(path: &Path, found: &ReadPoints) {
    let write = || {
        let folder = path.parent()?;
        fs::create_dir_all(folder).ok()?;
        let part = path.with_extension(format!("{}.part", std::process::id()));
        fs::write(&part, serde_json::to_vec(found).ok()?).ok()?;
        fs::rename(part, path).ok()
    };
    write();
}
