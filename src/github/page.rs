//! What goes to GitHub: the comment, the pull request, the summary of the job.
//!
//! Markdown is made harmless as everywhere; here names and numbers are, too, because GitHub reads
//! them in plain text: nobody is called, no issue is closed, nothing is linked by words of others.

use minijinja::context;

use super::thread::Unused;
use crate::discussion::Finished;
use crate::discussion::event::Event;
use crate::library::Library;
use crate::page::{self, Format};
use crate::plain;
use crate::template::{Failed, safe};

/// Room for a transcript in a comment, in characters.
const TRANSCRIPT: usize = 40_000;
/// Turns of a summary's table that are shown at most.
const TURNS: usize = 400;

/// What is told of an analysis.
pub struct Walked<'a> {
    pub name: &'a str,
    /// The item's folder.
    pub slug: &'a str,
    pub branch: &'a str,
    pub number: u64,
    pub is_complete: bool,
    pub done: Vec<String>,
    pub next_step: Option<String>,
    pub links: Links,
    pub unused: &'a [Unused],
}

impl Walked<'_> {
    /// The comment.
    ///
    /// # Errors
    /// A template that cannot be rendered.
    pub fn comment(&self, library: &Library, marker: &str) -> Result<String, Failed> {
        let values = context! {
            marker => safe(marker),
            name => safe(inert(&plain::markdown(self.name))),
            complete => self.is_complete,
            done => &self.done,
            next_step => &self.next_step,
            branch => safe(self.branch),
            branch_url => safe(self.links.branch_url.clone()),
            pull_request => safe(self.links.pull_request.clone()),
            unused => unused(self.unused),
        };
        library.templates.render("github/analysis.md", values)
    }

    /// The pull request's title and body.
    pub fn pull_request(&self) -> (String, String) {
        let steps = plain::count(self.done.len(), "step");
        let body = format!(
            "Refs #{}\n\nThe analysis of an item, a commit a step: {steps} done. The change only adds: `roundtable check` compares every file with what stood there.\n",
            self.number
        );
        (format!("docs({}): analysis", self.slug), body)
    }
}

fn unused(all: &[Unused]) -> Vec<minijinja::Value> {
    let one = |one: &Unused| context! { by => safe(inert(&plain::markdown(&one.by))), why => one.why };
    all.iter().map(one).collect()
}

/// Where things stand, for links.
#[derive(Clone, Debug, Default)]
pub struct Links {
    pub branch_url: String,
    pub recording_url: String,
    pub pull_request: String,
}

/// What is told of a discussion.
pub struct Told<'a> {
    pub finished: &'a Finished,
    pub library: &'a Library,
    pub number: u64,
    pub links: Links,
    pub unused: &'a [Unused],
    pub announcements: &'a [String],
    /// `usage` of the report, where a model spoke.
    pub usage: &'a serde_json::Value,
}

/// The comment's first line: what it is found again by.
pub fn marker(number: u64, run: &str) -> String {
    format!("{}{} issue={number} run={run} -->", super::thread::MARKER, env!("CARGO_PKG_VERSION"))
}

/// The run that a comment of ours tells of.
pub fn run_of(body: &str) -> Option<&str> {
    let line = body.lines().next()?.strip_prefix(super::thread::MARKER)?;
    line.split(' ').find_map(|word| word.strip_prefix("run="))
}

/// Text in which GitHub finds nobody to call and nothing to link or close.
pub fn inert(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut chars = text.chars().peekable();
    let mut before = ' ';
    while let Some(c) = chars.next() {
        // A backslash before the sign is Markdown's, and GitHub looks behind Markdown.
        if c == '\\' && chars.peek() == Some(&'@') {
            continue;
        }
        out.push(c);
        let next = chars.peek().copied().unwrap_or(' ');
        let calls = c == '@' && next.is_alphanumeric();
        let refers = c == '#' && next.is_ascii_digit();
        let names = matches!(c, 'H' | 'h') && matches!(before, 'G' | 'g') && next == '-';
        if calls || refers || names {
            out.push('\u{200b}');
        }
        before = c;
    }
    out
}

impl Told<'_> {
    fn counts(&self) -> String {
        self.finished.summary.description()
    }

    fn unused(&self) -> Vec<minijinja::Value> {
        unused(self.unused)
    }

    fn step(&self) -> minijinja::Value {
        let step = &self.finished.opened.step;
        context! { id => step.id.as_str(), title => safe(inert(&plain::markdown(&step.title))) }
    }

    fn summary(&self) -> minijinja::Value {
        safe(inert(&plain::markdown(&self.finished.summary.summary)))
    }

    /// The comment, whole or without its transcript where that is too long.
    ///
    /// # Errors
    /// A template that cannot be rendered.
    pub fn comment(&self, marker: &str) -> Result<String, Failed> {
        let finished = self.finished;
        let synthesis = inert(&crate::synthesis::summary_text(finished, self.library)?);
        let transcript = page::render(&finished.log, &finished.opened, self.library, Format::Markdown)?;
        // The page's own head and summary stand above already.
        let begin = transcript.find("## Discussion").map_or(0, |at| at + "## Discussion".len());
        let end = transcript.rfind("\n## Summary").unwrap_or(transcript.len());
        let transcript = inert(transcript.get(begin..end).unwrap_or_default().trim());
        let short = transcript.chars().count() <= TRANSCRIPT;
        let values = context! {
            marker => safe(marker),
            step => self.step(),
            summary => self.summary(),
            counts => self.counts(),
            branch => safe(finished.opened.branch.clone()),
            branch_url => safe(self.links.branch_url.clone()),
            recording_url => safe(self.links.recording_url.clone()),
            pull_request => safe(self.links.pull_request.clone()),
            synthesis => safe(synthesis),
            unused => self.unused(),
            turn_count => finished.closed.turn_count,
            transcript => if short { safe(transcript) } else { safe("") },
        };
        let whole = self.library.templates.render("github/comment.md", values)?;
        Ok(cut(&whole, super::hub::LONGEST, &self.links.recording_url))
    }

    /// The pull request's title and body; no word of the title is anybody's.
    ///
    /// # Errors
    /// A template that cannot be rendered.
    pub fn pull_request(&self) -> Result<(String, String), Failed> {
        let opened = &self.finished.opened;
        let slug = opened.item.rsplit('/').next().unwrap_or_default();
        let title = format!("docs({slug}): elaborate step {}", opened.step.id);
        let values = context! {
            number => self.number,
            step => self.step(),
            summary => self.summary(),
            counts => plain::capital(&self.counts()),
            turn_count => self.finished.closed.turn_count,
        };
        Ok((title, self.library.templates.render("github/pull-request.md", values)?))
    }

    /// The job's summary: a table of turns, what was added, a diagram.
    ///
    /// # Errors
    /// A template that cannot be rendered.
    pub fn job_summary(&self) -> Result<String, Failed> {
        let finished = self.finished;
        let diagram = page::render(&finished.log, &finished.opened, self.library, Format::Mermaid)?;
        let turns: Vec<_> =
            finished.log.iter().filter_map(|record| self.turn(&record.event)).take(TURNS).collect();
        let announcements: Vec<_> =
            self.announcements.iter().map(|line| safe(inert(&plain::markdown(line)))).collect();
        let values = context! {
            step => self.step(),
            summary => self.summary(),
            turns,
            announcements,
            unused => self.unused(),
            usage => self.usage(),
            diagram => safe(diagram),
        };
        self.library.templates.render("github/summary.md", values)
    }

    /// What each request took, in numbers; nothing where no model was asked.
    fn usage(&self) -> Vec<minijinja::Value> {
        let rows = self.usage.get("turns").and_then(serde_json::Value::as_array);
        let number = |row: &serde_json::Value, key: &str| row.get(key).and_then(serde_json::Value::as_u64);
        let row = |row: &serde_json::Value| {
            let key = row.get("by").and_then(serde_json::Value::as_str).unwrap_or_default();
            let name = self.library.cast.get(key).map_or_else(String::new, |one| one.name.clone());
            Some(context! {
                turn => number(row, "turn")?,
                by => safe(inert(&plain::markdown(&name))),
                input => number(row, "input_tokens")?,
                cached => number(row, "cached_input_tokens")?,
                output => number(row, "output_tokens")?,
            })
        };
        rows.into_iter().flatten().filter_map(row).take(TURNS).collect()
    }

    fn turn(&self, event: &Event) -> Option<minijinja::Value> {
        let name =
            |key: &str| self.library.cast.get(key).map_or_else(|| key.to_owned(), |one| one.name.clone());
        let (number, by, text) = match event {
            Event::Contribution(said) => (said.turn, name(&said.by), &said.text),
            Event::User(message) => (message.turn?, message.by.clone(), &message.text),
            _ => return None,
        };
        let text = plain::cut(&plain::one_line(text), 200);
        let harmless = |text: &str| safe(inert(&plain::markdown(text)));
        Some(context! { number, by => harmless(&by), text => harmless(&text) })
    }
}

/// Text of at most so many characters, cut at a line, with where the rest stands.
fn cut(text: &str, limit: usize, rest: &str) -> String {
    let Some((end, _)) = text.char_indices().nth(limit) else { return text.to_owned() };
    let head = &text[..end];
    let head = head.rfind('\n').map_or(head, |at| &head[..at]);
    format!("{head}\n\n… full text: {rest}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_called_and_nothing_is_closed() {
        let text = inert("\\@sam and @team/x fixes #12, GH-3, a/b#4; mail a\\@b.c, 5 # 6, #x");
        for live in ["@s", "@t", "#1", "GH-", "#4", "@b"] {
            assert!(!text.contains(live), "{live}: {text}");
        }
        assert!(text.contains("# 6") && text.contains("#x"));
        assert_eq!(
            text.replace('\u{200b}', ""),
            "@sam and @team/x fixes #12, GH-3, a/b#4; mail a@b.c, 5 # 6, #x"
        );
    }

    #[test]
    fn a_comment_names_its_run() {
        let marker = marker(7, "abc");
        assert_eq!(run_of(&format!("{marker}\ntext")), Some("abc"));
        assert_eq!(run_of("text\n<!-- roundtable:0.1.0 issue=7 run=abc -->"), None);
    }

    #[test]
    fn what_is_too_long_is_cut_at_a_line_and_says_where_the_rest_is() {
        assert_eq!(cut("one\ntwo\nthree", 9, "there"), "one\ntwo\n\n… full text: there\n");
        assert_eq!(cut("one", 9, "there"), "one");
    }
}
