//! The block in a pull request that implements: which decisions apply to it.
//!
//! Invariant: what people wrote stays byte for byte. The block is between two hidden lines; where one of them is missing,
//! nothing is written.
//!
//! ```
//! use roundtable::github::implementing::with_block;
//!
//! let told = with_block("Closes #7\n", "- D-1: x").unwrap();
//! assert!(told.starts_with("Closes #7\n\n<!-- roundtable decisions -->"));
//! assert_eq!(with_block(&told, "- D-1: x"), None);
//! assert_eq!(with_block(&told, "").unwrap(), "Closes #7\n");
//! ```

use super::event::Event;
use super::hub::LONGEST;
use super::{page, service};
use crate::git::Repo;
use crate::history::provenance::items;
use crate::item::config::Config;
use crate::item::config::github::Permission;
use crate::run::check::decisions::{Implements, implemented, unmentioned};
use crate::run::decided::{Decided, in_force};
use crate::run::settings;
use crate::run::{Fail, Observer};
use crate::text::links::{closed_issues, named_item};
use crate::text::plain::{cut, markdown, one_line};

const BEGIN: &str = "<!-- roundtable decisions -->";
const END: &str = "<!-- end of roundtable decisions -->";
/// Decisions of a block, and what is shown of each, in characters.
const MAX_LISTED: usize = 30;
const SHOWN: usize = 240;
/// Issues that are read at most.
const MAX_ISSUES: usize = 5;

/// A pull request's text with this block in place of an earlier one; an empty one takes it away. None where that
/// changes nothing, would be too long, or where the marks of an earlier one are not whole.
pub fn with_block(body: &str, block: &str) -> Option<String> {
    let marks = (body.matches(BEGIN).count(), body.matches(END).count());
    let new = if block.is_empty() { String::new() } else { format!("{BEGIN}\n{block}\n{END}") };
    let whole = match marks {
        (0, 0) if new.is_empty() => return None,
        (0, 0) => format!(
            "{}{new}\n",
            if body.trim().is_empty() { String::new() } else { format!("{}\n\n", body.trim_end()) }
        ),
        (1, 1) => {
            let (begin, end) = (body.find(BEGIN)?, body.find(END)? + END.len());
            let before = body.get(..begin).filter(|_| begin < end)?;
            let after = &body[end..];
            if new.is_empty() {
                format!("{}\n{}", before.trim_end(), after.trim_start())
            } else {
                format!("{before}{new}{after}")
            }
        }
        _ => return None,
    };
    (whole != body && whole.chars().count() <= LONGEST).then_some(whole)
}

/// The list of decisions.
fn block(decisions: &[Decided]) -> String {
    if decisions.is_empty() {
        return String::new();
    }
    let line = |one: &Decided| {
        let shown = |text: &str| page::inert(&markdown(&cut(&one_line(text), SHOWN)));
        format!("- {}: {} ({})\n", one.id, shown(&one.text), shown(&one.by))
    };
    let listed: String = decisions.iter().take(MAX_LISTED).map(line).collect();
    let more = match decisions.len().saturating_sub(MAX_LISTED) {
        0 => String::new(),
        more => format!("- and {more} more: `roundtable show --decisions`\n"),
    };
    format!(
        "**Decisions that apply here.** Name the id of a decision where it is implemented; `roundtable check --decisions` lists the others.\n\n{listed}{more}"
    )
    .trim_end()
    .to_owned()
}

/// Tells a pull request which decisions apply to it, and gives a sentence for each that nothing of it mentions. Without a
/// token, or with one that may not write there, nothing is written, and that is said.
///
/// # Errors
/// An event or a commit that cannot be read.
pub fn tell(
    repo: &Repo,
    config: &Config,
    event: &Event,
    observer: &dyn Observer,
) -> Result<Vec<String>, Fail> {
    let payload = event.payload();
    let text = |pointer: &str| payload.pointer(pointer).and_then(|value| value.as_str()).unwrap_or_default();
    let number = payload.pointer("/pull_request/number").and_then(serde_json::Value::as_u64);
    let (Some(number), (Some(base), Some(head), _)) = (number, event.range(repo)?) else {
        return Ok(Vec::new());
    };
    // Our own pull requests bring decisions, and implement none.
    if text("/pull_request/head/ref").starts_with("roundtable/") {
        return Ok(Vec::new());
    }
    let begin = repo.merge_base(base, head)?;
    let written = text("/pull_request/body");
    let change = Implements { base: begin, head, decided_at: base, item: None, text: written };
    let mut paths = implemented(repo, config, &change)?;
    if paths.is_empty() {
        paths = named_by_issues(repo, config, &change, observer)?;
    }
    if paths.is_empty() && !written.contains(BEGIN) {
        return Ok(Vec::new());
    }
    let library = settings::library(repo, base, config)?;
    let dossiers = items(repo, base, &paths, library.forms())?;
    let decisions: Vec<Decided> = dossiers.iter().flat_map(in_force).collect();
    write(repo, number, &block(&decisions), observer)?;
    // The list of the block itself mentions them all.
    let own = without_block(written);
    unmentioned(repo, config, &Implements { text: &own, ..change }, &paths)
}

/// The items that issues name which the pull request closes: by a line `Item: PATH` in their text. Only people who may
/// write name one.
fn named_by_issues(
    repo: &Repo,
    config: &Config,
    change: &Implements<'_>,
    observer: &dyn Observer,
) -> Result<Vec<String>, Fail> {
    let mut found = Vec::new();
    let issues = closed_issues(change.text);
    if issues.is_empty() {
        return Ok(found);
    }
    let mut hub = service::hub(repo)?;
    for number in issues.into_iter().take(MAX_ISSUES) {
        let issue = match hub.issue(number) {
            Ok(issue) => issue,
            Err(failed) => {
                observer.warn(&format!("the issue {number} cannot be read: {failed}"));
                continue;
            }
        };
        let text = |key: &str| issue.get(key).and_then(serde_json::Value::as_str).unwrap_or_default();
        let may_name = Permission::of_association(text("author_association")) >= Permission::Write;
        let named = named_item(text("body")).filter(|_| may_name);
        found.extend(named.and_then(|path| repo.find_item(change.decided_at, &path, &config.folders()).ok()));
    }
    found.sort();
    found.dedup();
    Ok(found)
}

/// Writes the block into the pull request's text as it is now: the event may be old, and what people wrote since stays.
fn write(repo: &Repo, number: u64, block: &str, observer: &dyn Observer) -> Result<(), Fail> {
    let mut hub = service::hub(repo)?;
    if !hub.has_token() {
        return Ok(());
    }
    let told = hub.pull_text(number).and_then(|now| match with_block(&now, block) {
        Some(text) => hub.write_pull_text(number, &text),
        None => Ok(()),
    });
    if let Err(failed) = told {
        observer.warn(&format!("the pull request is not told which decisions apply to it: {failed}"));
    }
    Ok(())
}

/// What people wrote of a pull request's text.
pub fn without_block(body: &str) -> String {
    with_block(body, "").unwrap_or_else(|| body.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_wrote_stays() {
        let body = "Closes #7.\r\n\r\nText  \n<!-- roundtable decisions -->\nold\n<!-- end of roundtable decisions -->\nMore.";
        let told = with_block(body, "- D-1: new").unwrap();
        assert_eq!(told, body.replace("old", "- D-1: new"));
        assert_eq!(with_block(body, "").unwrap(), "Closes #7.\r\n\r\nText\nMore.");
        assert_eq!(with_block("", "x").unwrap(), format!("{BEGIN}\nx\n{END}\n"));
    }

    #[test]
    fn marks_that_are_not_whole_are_left_alone() {
        for body in [
            "a <!-- roundtable decisions -->".to_owned(),
            format!("{END} b {BEGIN}"),
            format!("{BEGIN}{END}{BEGIN}{END}"),
            format!("{BEGIN} {BEGIN} {END}"),
        ] {
            assert_eq!(with_block(&body, "x"), None, "{body}");
        }
        assert_eq!(with_block(&"y".repeat(65_000), "x"), None);
    }
}
