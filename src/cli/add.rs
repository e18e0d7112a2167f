//! `roundtable add`: a new item folder with its meta.json.

use std::path::Path;

use clap::Args;
use git2::Oid;
use serde_json::json;

use super::exit::{Code, Fail};
use super::screen::Screen;
use super::{CommitOptions, Global, open};
use crate::git::{Repo, short};
use crate::github::job;
use crate::item::{is_document, meta};
use crate::run::clock::now;
use crate::run::identity;
use crate::run::landing;
use crate::run::place;
use crate::run::settings;
use crate::text::path;
use crate::text::plain;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples: roundtable add offline-mode --name \"offline mode\"\n          roundtable add --issue 17"
)]
pub struct AddArgs {
    /// The new item: a slug, or a folder's path in the repository [default with --issue: from its title]
    #[arg(required_unless_present = "issue")]
    pub(super) item: Option<String>,
    /// The name that people use for it
    #[arg(long, value_name = "TEXT", required_unless_present = "issue")]
    name: Option<String>,
    /// Take name and source from an issue on GitHub
    #[arg(long, value_name = "N")]
    issue: Option<u64>,
    #[command(flatten)]
    commit: CommitOptions,
}

/// What is to be added.
struct AddedItem {
    item: String,
    name: String,
    source: meta::Source,
    /// The text of an issue, as draft.md.
    draft: Option<String>,
}

/// The item, its name and where it comes from: the arguments', or an issue's.
fn wanted(global: &Global, options: &AddArgs) -> Result<AddedItem, Fail> {
    let Some(number) = options.issue else {
        let (item, name) = (options.item.as_deref().map(place::forward), options.name.clone());
        let (item, name) = (item.unwrap_or_default(), name.unwrap_or_default());
        return Ok(AddedItem { item, name, source: meta::Source::Manual, draft: None });
    };
    let text = job::text(&open(global)?, &global.workspace.settings()?, number)?;
    let item = options.item.clone().unwrap_or_else(|| path::slug_of(&text.title, number));
    let name = options.name.clone().unwrap_or_else(|| text.title.clone());
    Ok(AddedItem { item, name, source: meta::Source::GitHub(number), draft: Some(text.draft()) })
}

/// How many documents are in the folder of an item where people edit, and not in its commit.
fn uncommitted(repo: &Repo, commit: Oid, path: &str) -> Result<usize, Fail> {
    let Some(root) = repo.work_tree() else { return Ok(0) };
    let entries = std::fs::read_dir(root.join(path)).into_iter().flatten().flatten();
    let names = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    let names = names.filter_map(|entry| entry.file_name().into_string().ok());
    let mut left = 0;
    for name in names.filter(|name| name != meta::FILE && is_document(name)) {
        left += usize::from(repo.file(commit, &format!("{path}/{name}"))?.is_none());
    }
    Ok(left)
}

/// Makes the item on its branch, of documents that are there already or of none.
pub fn run(global: &Global, options: &AddArgs, screen: &Screen) -> Result<Code, Fail> {
    let AddedItem { item, name, source, draft } = wanted(global, options)?;
    let repo = open(global)?;
    // Refused before anything is read: the name alone says so.
    place::new_path(&item, "")?;
    if repo.work_tree().is_some_and(|root| root.join(&item).is_file()) {
        let folder = Path::new(&item).parent().and_then(Path::to_str).filter(|folder| !folder.is_empty());
        return Err(Fail::new(format!("{} is a file, and an item is a folder", plain::shown(&item)))
            .with_hint(format!("name {}", plain::shown(folder.unwrap_or("a folder, such as late-fees")))));
    }
    let name = plain::cut(&plain::shown(&name), 120);
    if name.is_empty() {
        return Err(Fail::new("--name is empty").with_hint("say what people call the item"));
    }
    let settings = global.workspace.settings()?;
    let place = place::place(
        &settings,
        &repo,
        &item,
        options.commit.branch.as_deref(),
        options.commit.base.as_deref(),
    )?;
    let config = global.workspace.settings_at(&repo, place.base)?;
    let library = settings::library(&repo, place.base, &config)?;
    let path = place::new_path(&item, config.items())?;
    let at = options.commit.fixed()?.unwrap_or_else(now);
    let text = meta::new_item(source, place::slug(&path), &name, at, &place.base.to_string());
    let trusted = settings.trusted(&repo, &place, &config)?;
    let author = identity::author(&repo, &trusted, options.commit.signoff);
    let new = landing::NewItem {
        path: &path,
        meta: &text,
        draft: draft.as_deref(),
        branch: &place.branch,
        start: place.base,
        author: &author,
        time: at.seconds(),
    };
    let commit = landing::add(&repo, &library, &new)?;
    screen.say_strong(&format!("Added {path} on {}, commit {}.", place.branch, short(commit)));
    identity::note_commit(&repo, &author, screen);
    let left = uncommitted(&repo, commit, &path)?;
    if left > 0 {
        screen.note(&format!(
            "{} in {path} {} not committed, and so no part of the item; commit {} on {}, or before `roundtable add`",
            plain::count(left, "document"),
            if left == 1 { "is" } else { "are" },
            if left == 1 { "it" } else { "them" },
            place.branch
        ));
    }
    let slug = place::slug(&path);
    // A slug alone is looked for below the items folder.
    let name = if path == format!("{}/{slug}", config.items()) { slug } else { &path };
    let name = plain::word(name);
    screen.say(&format!("Next: roundtable analyze {name} --script FILE"));
    screen.say(&format!("or:   roundtable elaborate {name} --step 00-01 --script FILE"));
    screen.json(&json!({
        "item": path, "branch": place.branch, "base": place.base.to_string(), "commit": commit.to_string(),
    }));
    Ok(Code::Yes)
}
