//! Which lines of a file are sent: all of them where there is room, else whole functions or whole sections.
//!
//! A page is cut where its own form says that a part begins: Markdown at headings, everything else at the lines of its
//! lowest indentation where no bracket is open. A part that is too large is cut again inside, its first line kept.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::text::plain;

/// Parts within parts that are looked into.
const DEEPEST: usize = 24;

/// A file as lines, each with what it takes in a prompt.
pub struct Page<'p> {
    lines: &'p [String],
    /// Characters of all lines before each, and of all.
    before: Vec<usize>,
    /// What a piece takes besides its lines: its place and its fences.
    frame: usize,
    is_markdown: bool,
}

impl<'p> Page<'p> {
    pub fn new(path: &str, lines: &'p [String]) -> Page<'p> {
        let digits = lines.len().to_string().len();
        let mut before = vec![0];
        for line in lines {
            let number = if line.trim().is_empty() { 1 } else { digits + 3 };
            before.push(before.last().unwrap_or(&0) + line.chars().count() + number);
        }
        // Two fences, two line numbers, and the note about what is left out.
        let frame = path.chars().count() * 2 + digits * 6 + 64;
        let lower = path.to_lowercase();
        let is_markdown = [".md", ".markdown", ".mdx"].iter().any(|ending| lower.ends_with(ending));
        Page { lines, before, frame, is_markdown }
    }

    /// The characters that a piece takes.
    pub fn cost(&self, piece: &Range<usize>) -> usize {
        self.frame + self.before[piece.end] - self.before[piece.start]
    }

    /// What all of it takes.
    pub fn whole(&self) -> usize {
        self.cost(&(0..self.lines.len()))
    }

    /// The pieces that fit into so many characters, in order: those with a wanted line (from zero) first; where no line
    /// is wanted, as much as fits from the top.
    pub fn pieces(&self, wanted: &BTreeSet<usize>, room: usize) -> Vec<Range<usize>> {
        let mut taken = self.pick(0..self.lines.len(), wanted, room, 0);
        taken.sort_by_key(|piece| piece.start);
        let mut joined: Vec<Range<usize>> = Vec::new();
        for piece in taken {
            match joined.last_mut() {
                Some(last) if self.is_blank(last.end..piece.start) => last.end = piece.end,
                _ => joined.push(piece),
            }
        }
        joined
    }

    fn pick(
        &self,
        part: Range<usize>,
        wanted: &BTreeSet<usize>,
        room: usize,
        depth: usize,
    ) -> Vec<Range<usize>> {
        if self.cost(&part) <= room {
            return vec![part];
        }
        let parts = if depth < DEEPEST { self.parts(part.clone()) } else { Vec::new() };
        if parts.len() < 2 {
            return Vec::new();
        }
        // What an inner part belongs to is in the first line of the outer one.
        let has = |inner: &Range<usize>| {
            depth > 0 && inner.start == part.start || wanted.range(inner.clone()).next().is_some()
        };
        let (first, others): (Vec<_>, Vec<_>) = parts.into_iter().partition(has);
        let (mut left, mut taken) = (room, Vec::new());
        for (at, inner) in first.iter().chain(&others).enumerate() {
            let follows = taken.last().is_some_and(|last: &Range<usize>| last.end == inner.start);
            let cost = self.cost(inner) - if follows { self.frame } else { 0 };
            let pieces = match cost <= left {
                true => {
                    left -= cost;
                    taken.push(inner.clone());
                    continue;
                }
                // What could never fit is cut inside.
                false if at < first.len() || wanted.is_empty() && self.cost(inner) > room => {
                    self.pick(inner.clone(), wanted, left, depth + 1)
                }
                false => continue,
            };
            left = left.saturating_sub(pieces.iter().map(|piece| self.cost(piece)).sum());
            taken.extend(pieces);
        }
        taken
    }

    pub fn is_blank(&self, mut lines: Range<usize>) -> bool {
        lines.all(|line| self.lines[line].trim().is_empty())
    }

    /// The parts that a part is made of; one that has a single beginning is its first line, and what is below it.
    fn parts(&self, part: Range<usize>) -> Vec<Range<usize>> {
        let starts = match self.is_markdown {
            true => self.headings(part.clone()),
            false => self.units(part.clone()),
        };
        if starts.iter().any(|start| *start > part.start) {
            return between(&part, &starts);
        }
        let below = part.start + 1..part.end;
        if self.is_markdown || below.is_empty() {
            return self.paragraphs(part);
        }
        let mut parts = between(&below, &self.units(below.clone()));
        parts.insert(0, part.start..below.start);
        parts
    }

    /// Where a text without headings can be cut: after blank lines.
    fn paragraphs(&self, part: Range<usize>) -> Vec<Range<usize>> {
        let is_start =
            |at: &usize| *at > part.start && self.is_blank(*at - 1..*at) && !self.is_blank(*at..*at + 1);
        between(&part, &part.clone().filter(is_start).collect::<Vec<_>>())
    }

    /// The headings of the highest level below a part's own.
    fn headings(&self, part: Range<usize>) -> Vec<usize> {
        let mut is_fenced = false;
        let mut found: Vec<(usize, usize)> = Vec::new();
        for at in part.clone() {
            let line = self.lines[at].trim_start();
            is_fenced ^= line.starts_with("```") || line.starts_with("~~~");
            let level = line.bytes().take_while(|byte| *byte == b'#').count();
            if !is_fenced && (1..=6).contains(&level) && line[level..].starts_with(' ') && at > part.start {
                found.push((level, at));
            }
        }
        let highest = found.iter().map(|(level, _)| *level).min();
        found.into_iter().filter(|(level, _)| Some(*level) == highest).map(|(_, at)| at).collect()
    }

    /// The lines at which functions, types and other units of a part begin, comments before them included.
    fn units(&self, part: Range<usize>) -> Vec<usize> {
        let begins = |at: &usize| {
            let line = self.lines[*at].trim_start();
            !line.is_empty() && !line.starts_with(['{', '}', ')', ']'])
        };
        let Some(lowest) = part.clone().filter(begins).map(|at| indent(&self.lines[at])).min() else {
            return Vec::new();
        };
        let depths = self.depths(part.clone());
        let mut found: Vec<usize> = Vec::new();
        let mut is_led = false;
        for at in part.clone().filter(begins).filter(|at| indent(&self.lines[*at]) == lowest) {
            if depths.get(at - part.start).is_some_and(|depth| *depth > 0) {
                continue;
            }
            if !is_led {
                found.push(at);
            }
            is_led = leads(self.lines[at].trim_start());
        }
        found
    }

    /// How many brackets are open before each line; none where they do not close, as in a text that quotes them.
    fn depths(&self, part: Range<usize>) -> Vec<i32> {
        let (mut depth, mut found) = (0, Vec::new());
        for at in part {
            found.push(depth);
            depth += brackets(&self.lines[at]);
            if depth < 0 {
                return Vec::new();
            }
        }
        if depth == 0 { found } else { Vec::new() }
    }
}

/// A part cut where others begin in it.
fn between(part: &Range<usize>, starts: &[usize]) -> Vec<Range<usize>> {
    let inner = || starts.iter().copied().filter(|start| *start > part.start);
    let firsts = [part.start].into_iter().chain(inner());
    firsts.zip(inner().chain([part.end])).map(|(first, end)| first..end).collect()
}

/// The blanks before a line.
fn indent(line: &str) -> usize {
    line.chars().take_while(|c| matches!(c, ' ' | '\t')).count()
}

/// Whether a line belongs to the one after it: a comment, an attribute, a decorator.
fn leads(line: &str) -> bool {
    ["//", "/*", "*", "#[", "@", "--", "# "].iter().any(|mark| line.starts_with(mark))
}

/// Brackets that a line opens, less those that it closes; those in quotation marks are none.
fn brackets(line: &str) -> i32 {
    let (mut depth, mut is_quoted, mut before) = (0, false, ' ');
    for c in line.chars() {
        match c {
            '"' if before != '\\' => is_quoted = !is_quoted,
            '/' if before == '/' && !is_quoted => break,
            '(' | '[' | '{' if !is_quoted => depth += 1,
            ')' | ']' | '}' if !is_quoted => depth -= 1,
            _ => {}
        }
        before = c;
    }
    depth
}

/// The lines of a file without what cannot be seen: as many as the file has.
pub fn visible_lines(text: &str) -> Vec<String> {
    text.lines().map(|line| plain::clean(line).replace('\n', " ")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(path: &str, text: &str, wanted: usize, room: usize) -> Vec<Range<usize>> {
        let lines = visible_lines(text);
        Page::new(path, &lines).pieces(&BTreeSet::from([wanted]), room)
    }

    const CODE: &str = "use std::fs;\n\n/// Opens.\n#[must_use]\npub fn open(\n    path: &str,\n) -> u8 {\n    fs::read(path);\n    1\n}\n\nimpl Desk {\n    fn first(&self) {\n        draw(\"{\");\n        draw();\n        draw();\n    }\n\n    fn second(&self) {\n        close();\n    }\n}\n";

    #[test]
    fn code_is_cut_at_functions() {
        let lines = visible_lines(CODE);
        let page = Page::new("a.rs", &lines);
        assert_eq!(page.parts(0..lines.len()), [0..2, 2..11, 11..22]);
        assert_eq!(page.parts(11..22), [11..12, 12..18, 18..22]);
        assert_eq!(page.pieces(&BTreeSet::new(), page.whole()), vec![0..22]);
        // The second function, with the line that says whose it is.
        let room = page.cost(&(11..12)) + page.cost(&(18..22));
        assert_eq!(page.pieces(&BTreeSet::from([19]), room), [11..12, 18..22]);
        assert_eq!(page.pieces(&BTreeSet::from([19]), 20), Vec::<Range<usize>>::new());
    }

    #[test]
    fn a_type_that_never_fits_is_shown_from_its_top() {
        let method = |at: usize| format!("    fn f{at}() {{\n        draw({at});\n    }}\n\n");
        let text = format!("use a;\n\nclass Desk {{\n{}}}\n", (0..50).map(method).collect::<String>());
        let lines = visible_lines(&text);
        let page = Page::new("Desk.kt", &lines);
        let found = page.pieces(&BTreeSet::new(), page.cost(&(0..20)) + 40);
        assert_eq!(found[0].start, 0);
        assert!(found.last().unwrap().end >= 15, "{found:?}");
    }

    #[test]
    fn indentation_alone_tells_python_apart() {
        let text = "import os\n\nclass Queue:\n    def push(self):\n        self.all.append(1)\n        self.all.append(2)\n\n    def pop(self):\n        return 1\n\ndef last():\n    return 2\n";
        let lines = visible_lines(text);
        let page = Page::new("a.py", &lines);
        assert_eq!(page.parts(0..lines.len()), [0..2, 2..10, 10..12]);
        assert_eq!(page.parts(2..10), [2..3, 3..7, 7..10]);
    }

    #[test]
    fn markdown_is_cut_at_headings() {
        let text = format!(
            "# A\n\nIntro.\n\n## One\n\n{}\n## Two\n\n```\n# no heading\n```\nEnd.\n",
            "word word word\n".repeat(30)
        );
        let lines = visible_lines(&text);
        let page = Page::new("a.md", &lines);
        let two = lines.iter().position(|line| line == "## Two").unwrap();
        assert_eq!(page.parts(0..lines.len()), [0..4, 4..two, two..lines.len()]);
        let found = pieces("a.md", &text, two + 5, 400);
        assert_eq!(found, [0..4, two..lines.len()]);
    }

    #[test]
    fn hostile_nesting_ends() {
        let deep: String = (0..800).map(|at| format!("{}x {{\n", " ".repeat(at))).collect();
        assert!(pieces("a.js", &deep, 799, 300).len() < 50);
        assert!(pieces("a.js", &"x".repeat(9_000), 0, 300).is_empty());
    }
}
