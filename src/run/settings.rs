//! The settings of a run (those of the operator, else those of a commit), and the library that they lead to.

use std::collections::BTreeSet;
use std::sync::Arc;

use git2::Oid;

use super::Fail;
use super::place::Place;
use crate::git::{Repo, short};
use crate::item::config::{self, Config};
use crate::item::library::{Library, Overlays};
use crate::review;

/// Where settings come from.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Those of `--config`, which win over a commit's own.
    pub operators: Option<Config>,
}

impl Settings {
    /// The settings at a commit, or the operator's.
    ///
    /// # Errors
    /// A file that cannot be read, or is no settings.
    pub fn at(&self, repo: &Repo, commit: Oid) -> Result<Config, Fail> {
        if let Some(config) = &self.operators {
            return Ok(repo.with_items(commit, config.clone())?);
        }
        let config = match repo.file(commit, config::FILE)? {
            Some(bytes) => Config::read_version(config::FILE, &bytes, &format!("commit {}", short(commit)))?,
            None => Config::default(),
        };
        Ok(repo.with_items(commit, config)?)
    }

    /// The settings that say who speaks: the operator's or those of HEAD. What is on an item's branch was written by
    /// a run or by anybody who may push there, and starts no program.
    ///
    /// `based` are the settings at the place's base.
    ///
    /// # Errors
    /// As [`Settings::at`].
    pub fn trusted(&self, repo: &Repo, place: &Place, based: &Config) -> Result<Config, Fail> {
        match repo.resolve("HEAD") {
            Ok(head) if head == place.base => Ok(based.clone()),
            Ok(head) => self.at(repo, head),
            Err(_) if place.exists => Ok(self.operators.clone().unwrap_or_default()),
            Err(_) => self.at(repo, place.base),
        }
    }
}

/// Steps, cast, templates, rules and layouts, with the overlays of a commit.
///
/// # Errors
/// A file of an overlay that cannot be read as what its place says it is, or a layout of an item that there is none of.
pub fn library(repo: &Repo, commit: Oid, config: &Config) -> Result<Arc<Library>, Fail> {
    let overlays = Overlays::read(config, |folder| repo.overlay(commit, folder))?;
    let library = Library::new(&overlays).map_err(|error| error.below(config))?;
    library.check_layouts(config)?;
    Ok(Arc::new(library))
}

/// The review rules of a library.
///
/// # Errors
/// A rule that cannot be used, with its path as the repository has it.
pub fn review_rules(library: &Library, config: &Config) -> Result<Arc<review::Rules>, Fail> {
    let rules = review::Rules::of(&library.own_review_rules());
    Ok(rules.map_err(|finding| finding.below(rules_folder(config).as_deref()))?)
}

/// The folder of a repository's own review rules.
pub fn rules_folder(config: &Config) -> Option<String> {
    config.rules.as_deref().map(|folder| format!("{}/review", folder.trim_end_matches('/')))
}

/// What the settings ask of a review.
pub fn review_options(config: &Config) -> review::Options {
    let mut wanted = review::Options::default();
    if let Some(settings) = &config.review {
        wanted.off = settings.off.iter().cloned().collect::<BTreeSet<_>>();
        wanted.severity = settings.severity.clone();
    }
    wanted
}
