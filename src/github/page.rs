//! What goes to GitHub: the comment, the pull request, the summary of the job.
//!
//! Markdown is made harmless as everywhere; here names and numbers are, too, because GitHub reads
//! them in plain text: nobody is called, no issue is closed, nothing is linked by words of others.

use minijinja::context;

use super::thread::Unused;
use crate::discussion::event::{Event, Opened, Record};
use crate::discussion::{Finished, finished, open};
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

/// The second line of a comment that is part of a conversation, and is never written over by another
/// run.
const PART: &str = "<!-- a run of an open discussion -->";

/// Whether a comment is part of a conversation.
pub fn is_part(body: &str) -> bool {
    body.lines().nth(1) == Some(PART)
}

/// What one run of a discussion that stays open says on the issue.
pub struct Part<'a> {
    /// The log to the end of this run.
    pub log: &'a [Record],
    pub opened: &'a Opened,
    pub library: &'a Library,
    /// The label that goes on; none where a comment alone does.
    pub label: Option<&'a str>,
    pub links: &'a Links,
    pub unused: &'a [Unused],
}

impl Part<'_> {
    /// The comment: what was said since the last one, as people talk.
    ///
    /// # Errors
    /// A template that cannot be rendered.
    pub fn comment(&self, marker: &str) -> Result<String, Failed> {
        let added = open::added(self.log);
        let begins = open::before(self.log).is_none();
        let heard: Vec<_> = added.iter().filter(|record| matches!(record.event, Event::User(_))).collect();
        // One message above is what the answer is to; of several each answer says which.
        let quotes = heard.len() > 1;
        let lines: Vec<_> = added.iter().filter_map(|record| self.line(&record.event, quotes)).collect();
        let end = finished(self.log.to_vec());
        let synthesis = match &end {
            Some(end) => inert(&crate::synthesis::summary_text(end, self.library)?),
            None => String::new(),
        };
        let turns = self.log.iter().filter_map(|record| turn_of(&record.event)).max();
        let values = context! {
            marker => safe(format!("{marker}\n{PART}")),
            begins,
            step => step(self.opened),
            lines,
            closed => end.is_some(),
            synthesis => safe(synthesis),
            turn_count => turns.unwrap_or(0),
            max_turns => self.opened.max_turns,
            label => self.label.map(|label| safe(inert(&plain::markdown(label)))),
            branch => safe(self.opened.branch.clone()),
            branch_url => safe(self.links.branch_url.clone()),
            recording_url => safe(self.links.recording_url.clone()),
            pull_request => safe(self.links.pull_request.clone()),
            unused => unused(self.unused),
        };
        let whole = self.library.templates.render("github/open.md", values)?;
        Ok(cut(&whole, super::hub::LONGEST, &self.links.recording_url))
    }

    fn line(&self, event: &Event, quotes: bool) -> Option<minijinja::Value> {
        let cast = &self.library.cast;
        let name = |key: &str| cast.get(key).map_or_else(|| key.to_owned(), |one| one.name.clone());
        let role = |key: &str| cast.get(key).map_or_else(String::new, |one| one.role.clone());
        let harmless = |text: &str| safe(inert(&plain::markdown(text)));
        let lines = |text: &str| -> Vec<minijinja::Value> {
            text.lines().filter(|line| !line.trim().is_empty()).map(harmless).collect()
        };
        Some(match event {
            Event::Contribution(said) => context! {
                kind => "line",
                by => harmless(&name(&said.by)),
                role => harmless(&role(&said.by)),
                lines => lines(&said.text),
            },
            Event::Notice(notice) => {
                context! { kind => "notice", by => harmless(&name(&notice.by)), lines => lines(&notice.text) }
            }
            Event::User(message) if quotes => {
                let words = plain::cut(&plain::one_line(&message.text), QUOTED);
                context! { kind => "user", by => harmless(&message.by), lines => vec![harmless(&words)] }
            }
            _ => return None,
        })
    }
}

/// What is quoted at most of a message that is answered, in characters.
const QUOTED: usize = 160;

fn turn_of(event: &Event) -> Option<u32> {
    match event {
        Event::Contribution(said) => Some(said.turn),
        Event::User(message) => message.turn,
        _ => None,
    }
}

fn step(opened: &Opened) -> minijinja::Value {
    let step = &opened.step;
    context! { id => step.id.as_str(), title => safe(inert(&plain::markdown(&step.title))) }
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

/// Text in which GitHub finds nobody to call and nothing to link or close, and an app that reads along no
/// command (`/close` at a line's beginning).
pub fn inert(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut chars = text.chars().peekable();
    let (mut before, mut begins) = (' ', true);
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
        let leads = c == ':' && next == '/';
        let commands = c == '/' && begins;
        if calls || refers || names || leads || commands {
            out.push('\u{200b}');
        }
        begins = c == '\n' || begins && c.is_whitespace();
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
        step(&self.finished.opened)
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
            let name = |key| self.library.cast.get(key).map_or(key, |one| one.name.as_str());
            let name = key.split(", ").map(name).collect::<Vec<_>>().join(", ");
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
        let text = inert("/close\n  /merge a/b fixes https\\://github.com/a/b/issues/1");
        assert_eq!(
            text,
            "/\u{200b}close\n  /\u{200b}merge a/b fixes https\\:\u{200b}//github.com/a/b/issues/1"
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
