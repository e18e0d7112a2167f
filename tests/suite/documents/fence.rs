//! The fenced blocks of a page, and what each of them is.

use std::fmt::Write as _;

use super::shown::without_ids;

/// A fenced block.
#[derive(Debug)]
pub struct Fence<'p> {
    /// The line of its opening, from one.
    pub line: usize,
    pub info: &'p str,
    pub body: String,
    /// What stands between the block above it and this one.
    pub above: String,
}

/// What a block is, by its info string.
#[derive(Debug, PartialEq, Eq)]
pub enum Kind<'p> {
    Run,
    /// Run, and its last command has to answer no: exit code 1.
    SaysNo,
    Printed,
    File(&'p str),
    Settings,
    Elsewhere,
}

/// Languages of what a command prints.
const PRINTED: [&str; 7] = ["text", "diff", "json", "markdown", "html", "mermaid", "csv"];

impl Fence<'_> {
    pub fn kind(&self) -> Option<Kind<'_>> {
        match self.info.split(' ').collect::<Vec<_>>()[..] {
            ["sh"] => Some(Kind::Run),
            ["sh", "says-no"] => Some(Kind::SaysNo),
            ["diff", "whole"] => Some(Kind::Printed),
            [language] if PRINTED.contains(&language) => Some(Kind::Printed),
            ["yaml", "settings"] => Some(Kind::Settings),
            [_, "elsewhere"] => Some(Kind::Elsewhere),
            [_, file] if file.contains(['.', '/']) => Some(Kind::File(file)),
            _ => None,
        }
    }

    /// Whether anything that was printed is left out, so that a person has to choose what is shown. The
    /// program prints `…` itself where it cuts.
    pub fn leaves_out(&self, printed: &str) -> bool {
        let prints = |line: &str| printed.lines().any(|printed| without_ids(printed) == without_ids(line));
        self.is_shortened() || self.body.lines().any(|line| line.contains('…') && !prints(line))
    }

    /// Whether lines may be left out without a sign. Of a `diff whole` none may.
    pub fn is_shortened(&self) -> bool {
        self.info == "diff" || self.above.contains("shortened")
    }
}

/// The fenced blocks of a page. A fence stands at the beginning of its line.
pub fn fences(page: &str) -> Vec<Fence<'_>> {
    let mut found = Vec::new();
    let mut above = String::new();
    let mut lines = page.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        let info = line.trim_start_matches('`');
        let ticks = &line[..line.len() - info.len()];
        if ticks.len() < 3 {
            writeln!(above, "{line}").unwrap();
            continue;
        }
        let body: Vec<&str> =
            lines.by_ref().map(|(_, line)| line).take_while(|line| *line != ticks).collect();
        let body: String = body.iter().map(|line| format!("{line}\n")).collect();
        // A page's lines are narrower than what somebody says.
        let body = if above.contains("shortened and wrapped") { body.replace("\n  ", " ") } else { body };
        found.push(Fence { line: at + 1, info, body, above: std::mem::take(&mut above) });
    }
    found
}
