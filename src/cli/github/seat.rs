//! Where the item of an issue stands, or will stand.

use git2::Oid;

use super::super::exit::Fail;
use super::super::{service, table};
use super::Job;
use crate::github::thread::Thread;
use crate::item::meta::{Meta, Source};

/// Where the item of an issue stands, or will.
pub(super) struct Seat {
    pub(super) item: String,
    pub(super) branch: String,
}

impl Job<'_> {
    /// The item of the issue: the one that says so, on the default branch or on one of ours, else
    /// one that is named by the title.
    pub(super) fn seat(&self, thread: &Thread) -> Result<Seat, Fail> {
        let items = self.config.items();
        let of_path = |path: String| {
            let branch = format!("roundtable/{}", table::slug(&path));
            Seat { item: path, branch }
        };
        // The remote knows of branches that this clone has never seen.
        let mut places: Vec<(Option<String>, Oid)> = vec![(None, self.repo.resolve("HEAD")?)];
        let remote = self.repo.fetch_below(&service::remote(&self.hub)?, "roundtable")?;
        places.extend(remote.into_iter().map(|(name, tip)| (Some(name), tip)));
        places
            .extend(self.repo.branches_below("roundtable")?.into_iter().map(|(name, tip)| (Some(name), tip)));
        for (branch, commit) in &places {
            for folder in self.config.folders() {
                for path in self.repo.items(*commit, folder)? {
                    if self.is_of(*commit, &path, thread.number)? {
                        let seat = of_path(path);
                        return Ok(Seat { branch: branch.clone().unwrap_or(seat.branch), ..seat });
                    }
                }
            }
        }
        let plain = slug_of(&thread.title, thread.number);
        let numbered = std::iter::successors(Some(format!("{plain}-{}", thread.number)), |last| {
            Some(format!("{last}-{}", thread.number))
        });
        for slug in std::iter::once(plain.clone()).chain(numbered).take(20) {
            let (name, path) = (format!("roundtable/{slug}"), format!("{items}/{slug}"));
            let mut is_taken = false;
            for (branch, commit) in &places {
                is_taken |= branch.as_deref() == Some(name.as_str()) || self.repo.exists(*commit, &path)?;
            }
            if !is_taken {
                return Ok(of_path(path));
            }
        }
        Err(Fail::new(format!(
            "no name is free for an item of the issue {}; add one by hand with roundtable add ITEM --issue {}",
            thread.number, thread.number
        )))
    }

    /// Whether the item at a path is the one of an issue.
    pub(super) fn is_of(&self, commit: Oid, path: &str, number: u64) -> Result<bool, Fail> {
        let file = format!("{path}/{}", crate::item::meta::FILE);
        let bytes = self.repo.file(commit, &file)?.unwrap_or_default();
        let id = Source::GitHub(number).id();
        Ok(Meta::read(&file, &bytes).is_ok_and(|meta| meta.source_id() == id.as_deref()))
    }

    /// Refuses a commit on which another issue has taken the item meanwhile.
    pub(super) fn still_ours(&self, commit: Oid, seat: &Seat, number: u64) -> Result<(), Fail> {
        if self.repo.exists(commit, &seat.item)? && !self.is_of(commit, &seat.item, number)? {
            return Err(Fail::new(format!(
                "{} has become another issue's item meanwhile; set the label again",
                seat.item
            )));
        }
        Ok(())
    }

    /// The last of the item's completed steps, else the first of all.
    pub(super) fn current_step(&self, seat: &Seat) -> Result<String, Fail> {
        let commit = match self.repo.tip(&seat.branch)? {
            Some(tip) => tip,
            None => self.repo.resolve("HEAD")?,
        };
        let file = format!("{}/{}", seat.item, crate::item::meta::FILE);
        let steps = match self.repo.file(commit, &file)? {
            Some(bytes) => Meta::read(&file, &bytes)?.steps_completed(),
            None => Vec::new(),
        };
        Ok(steps
            .last()
            .filter(|step| crate::step::is_step_id(step))
            .cloned()
            .unwrap_or_else(|| "00-01".to_owned()))
    }

    /// Brings the branch to where the remote has it.
    pub(super) fn follow(&self, seat: &Seat) -> Result<(), Fail> {
        let remote = service::remote(&self.hub)?;
        if let Some(tip) = self.repo.fetch(&remote, &seat.branch)? {
            self.repo.follow(&seat.branch, tip, None)?;
        }
        Ok(())
    }
}

/// A slug of an issue's title: letters, digits and hyphens, at most six words.
pub fn slug_of(title: &str, number: u64) -> String {
    let lower = title.to_ascii_lowercase();
    let words = lower.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let mut slug = String::new();
    for word in words.take(6) {
        if slug.len() + word.len() > 48 {
            break;
        }
        if !slug.is_empty() {
            slug.push('-');
        }
        slug.push_str(word);
    }
    if slug.is_empty() { format!("issue-{number}") } else { slug }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_is_made_of_plain_words() {
        for (title, slug) in [
            ("Late fees for library books", "late-fees-for-library-books"),
            ("../../.git/config", "git-config"),
            ("Überfällige Bücher", "berf-llige-b-cher"),
            ("延滞料金", "issue-7"),
            ("-x --upload-pack=evil", "x-upload-pack-evil"),
            ("one two three four five six seven", "one-two-three-four-five-six"),
        ] {
            assert_eq!(slug_of(title, 7), slug, "{title}");
        }
        assert!(slug_of(&"word".repeat(100), 7) == "issue-7");
    }
}
