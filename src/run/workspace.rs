//! Where a run works: the repository and the settings that its arguments name, else those of the current folder.

use std::path::{Path, PathBuf};

use clap::Args;
use git2::Oid;

use super::Fail;
use super::environment::current_folder;
use super::files::read_file;
use super::settings::Settings;
use crate::git::Repo;
use crate::item::config::{self, Config};
use crate::text::plain;

/// The heading of what every verb takes, below what is its own.
pub const EVERYWHERE: &str = "Options of every command";

/// Settings over this size are refused (1 MiB).
const MAX_SETTINGS: u64 = 1 << 20;

#[derive(Clone, Debug, Default, Args)]
pub struct Workspace {
    /// The repository, or a folder in it; a bare one works [default: the current folder]
    #[arg(long, global = true, help_heading = EVERYWHERE, value_name = "DIR")]
    pub repo: Option<PathBuf>,
    /// Settings from this file instead of .roundtable.yaml
    #[arg(long, global = true, help_heading = EVERYWHERE, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Is told of every repository that is opened.
    #[arg(skip)]
    pub when_opened: Option<fn(&Repo)>,
}

impl Workspace {
    /// Opens the repository.
    ///
    /// # Errors
    /// There is none, or it cannot be read.
    pub fn open(&self) -> Result<Repo, Fail> {
        let path = match &self.repo {
            Some(path) if !path.exists() => {
                let shown = plain::shown(&path.display().to_string());
                return Err(Fail::new(format!("--repo: {shown} does not exist"))
                    .with_hint("name a folder of a git repository"));
            }
            Some(path) => path.clone(),
            None => current_folder()?,
        };
        Ok(self.opened(Repo::open(&path)?))
    }

    fn opened(&self, repo: Repo) -> Repo {
        if let Some(tell) = self.when_opened {
            tell(&repo);
        }
        repo
    }

    /// The same; in a hook, the repository that git's own variables name. `git commit --all` and `git commit FILE` name
    /// an index of their own, and no folder.
    ///
    /// # Errors
    /// As [`Workspace::open`].
    pub fn open_in_hook(&self) -> Result<Repo, Fail> {
        #[allow(clippy::disallowed_methods)]
        let in_hook = ["GIT_DIR", "GIT_INDEX_FILE"].iter().any(|name| std::env::var_os(name).is_some());
        if self.repo.is_none() && in_hook {
            return Ok(self.opened(Repo::open_from_env(Path::new("GIT_DIR"))?));
        }
        self.open()
    }

    /// The settings of `--config`, which win over a commit's own.
    ///
    /// # Errors
    /// A file that cannot be read, or is no settings.
    pub fn own_settings(&self) -> Result<Option<Config>, Fail> {
        self.config.as_deref().map(read_settings).transpose()
    }

    /// Where this run's settings come from.
    ///
    /// # Errors
    /// As [`Workspace::own_settings`].
    pub fn settings(&self) -> Result<Settings, Fail> {
        Ok(Settings { operators: self.own_settings()? })
    }

    /// The settings at a commit, or those of `--config`.
    ///
    /// # Errors
    /// As [`Settings::at`].
    pub fn settings_at(&self, repo: &Repo, commit: Oid) -> Result<Config, Fail> {
        self.settings()?.at(repo, commit)
    }

    /// The settings on disk: of `--config`, else of a repository's root, else none.
    ///
    /// # Errors
    /// As [`Workspace::own_settings`].
    pub fn settings_on_disk(&self, root: Option<&Path>) -> Result<Config, Fail> {
        let own = root.map(|root| root.join(config::FILE)).filter(|path| path.exists());
        let path = self.config.clone().or(own);
        path.as_deref().map_or(Ok(Config::default()), read_settings)
    }
}

fn read_settings(path: &Path) -> Result<Config, Fail> {
    let name = plain::shown(&path.display().to_string());
    Ok(Config::read_version(&name, &read_file(path, MAX_SETTINGS)?, config::ON_DISK)?)
}
