//! How what was asked is quoted: the sentence of a line that speaks of it, the cells of a row, and what to call it by
//! in its own words.

use super::asking::{Asked, Word};
use super::evidence::{Line, LineKind, snippet};
use super::naming::names_something;
use super::paragraphs::sentences;
use super::runs::{begins_with, has_run, roots};
use crate::discussion::root::root;
use crate::discussion::words::words;

/// A row of so many cells behind its name is quoted by those that are asked about.
const WIDE: usize = 5;

impl Asked<'_> {
    /// A line in the sentence that speaks of it, at most `limit` characters.
    pub fn quote(&self, line: &Line, limit: usize) -> String {
        if let Some(told) = self.told_cells(line).or_else(|| self.with_what_follows(line, limit)) {
            return snippet(&told, limit);
        }
        let all = sentences(&line.text);
        // Of equals the first; `max_by_key` gives the last.
        let best = (0..all.len()).rev().max_by_key(|at| self.share(&all[*at]));
        let Some(at) = best else { return snippet(&line.text, limit) };
        let mut said = all[at].clone();
        for next in &all[at + 1..] {
            if said.chars().count() + next.chars().count() >= limit {
                break;
            }
            said = format!("{said} {next}");
        }
        match said.chars().count() > limit {
            true => self.window(&said, limit),
            false => snippet(&said, limit),
        }
    }

    /// Of a row what it is called by and the cells that are asked about, each behind the name of its column.
    fn told_cells(&self, line: &Line) -> Option<String> {
        let cells = line.cells()?;
        let ((_, name), cells) = cells.split_first()?;
        let is_asked = |text: &str| {
            let own = roots(text);
            self.words.iter().any(|word| has_run(&own, &word.run))
        };
        // The columns that are named best; else the cells that are.
        let named = |text: &str| {
            let own = roots(text);
            let asked = self.words.iter().filter(|word| self.kind.as_ref() != Some(&word.root));
            asked.filter(|word| has_run(&own, &word.run)).count()
        };
        let most = cells.iter().map(|(column, _)| named(column)).max().unwrap_or_default();
        let is_picked = |column: &str, cell: &str| match most {
            0 => is_asked(cell),
            most => named(column) == most,
        };
        let picked: Vec<String> = cells
            .iter()
            .filter(|(column, cell)| is_picked(column, cell))
            .map(|(column, cell)| format!("{column}: {}", if cell.is_empty() { "(blank)" } else { cell }))
            .collect();
        // A narrow row is read as it stands, unless a column is asked for, or a blank.
        let asks = most > 0 && cells.len() > 1 || picked.iter().any(|cell| cell.ends_with("(blank)"));
        let few = (1..=2).contains(&picked.len()) && (asks || cells.len() >= WIDE) && !name.is_empty();
        few.then(|| format!("{name}, {}", picked.join(", ")))
    }

    /// A field of a record that is little but its label, with the fields that follow it.
    fn with_what_follows(&self, line: &Line, limit: usize) -> Option<String> {
        if line.kind != LineKind::Data || line.words.len() > 3 {
            return None;
        }
        let key = |line: &Line| line.text.split(':').next().unwrap_or_default().to_owned();
        let at = self.evidence.lines.iter().position(|one| std::ptr::eq(one, line))?;
        let mut keys = vec![key(line)];
        let mut told = line.text.clone();
        for next in &self.evidence.lines[at + 1..] {
            let same =
                next.document == line.document && next.kind == LineKind::Data && next.text.contains(": ");
            if !same || keys.contains(&key(next)) || told.chars().count() + next.text.chars().count() > limit
            {
                break;
            }
            keys.push(key(next));
            told = format!("{told}, {}", next.text);
        }
        (keys.len() > 1).then_some(told)
    }

    /// The part of a long sentence in which most is shared.
    fn window(&self, sentence: &str, limit: usize) -> String {
        let cut = snippet(sentence, limit);
        if self.share(&cut) == self.share(sentence) {
            return cut;
        }
        let found = words(sentence);
        let is_asked =
            |text: &str| self.words.iter().any(|word| word.run.len() == 1 && word.root == root(text));
        let Some(first) = found.iter().position(|word| is_asked(&word.text)) else { return cut };
        let from = found[first.saturating_sub(4)].start;
        let from = if from == 0 { return cut } else { from };
        format!("…{}", snippet(&sentence[from..], limit))
    }

    /// What to call it by, in its own words: the run of words around the rarest that `line` shares.
    pub fn topic(&self, text: &str, line: &Line) -> Option<String> {
        let found = words(text);
        let mut in_line = roots(&line.text);
        in_line.extend(roots(&line.section));
        in_line.extend(line.cells().into_iter().flatten().flat_map(|(column, _)| roots(column)));
        in_line.extend(line.words.iter().map(|word| root(word)));
        // The roots of each word, once: every place is held against every word that was asked.
        let parts: Vec<Vec<String>> = found.iter().map(|word| roots(&word.text)).collect();
        let stands = |at: usize| parts.get(at).and_then(|_| self.stands(&parts[at..], &in_line));
        // What is asked at a place of the text, with how many words it is long.
        let at = |at: usize| -> Option<(usize, usize)> {
            let (weight, length) = stands(at)?;
            // A thing is named behind an article, "risk" and not "low" in "a low risk".
            let leads = |at: Option<usize>| at.is_some_and(|at| LEADING.contains(&found[at].text.as_ref()));
            let names = |at: usize| found.get(at).is_some_and(|word| names_something(&word.text));
            let next = at + length;
            let goes_on = names(next) && text[found[next - 1].end..found[next].start] == *" ";
            let before = at.checked_sub(1);
            if is_verb(text, &found, at) {
                return Some((weight / 4, length));
            }
            let named = leads(before) || before.is_some_and(names) && leads(at.checked_sub(2));
            let weight = match (goes_on, named) {
                (true, _) if stands(next).is_none() => weight / 4,
                (false, true) => weight * 2,
                _ => weight,
            };
            Some((weight, length))
        };
        let best = (0..found.len()).rev().filter_map(|place| Some((at(place)?, place)));
        let ((_, length), rarest) = best.max_by_key(|((weight, _), _)| *weight)?;
        let joined = |a: usize, b: usize| text[found[a].end..found[b].start].trim().is_empty();
        let (mut from, mut to) = (rarest, rarest + length - 1);
        while from > 0 && rarest - from < 2 && joined(from - 1, from) && at(from - 1).is_some() {
            from -= 1;
        }
        let goes_on = |to: usize| at(to + 1).is_some() && !is_verb(text, &found, to + 1);
        while to + 1 < found.len() && to - rarest < 2 && joined(to, to + 1) && goes_on(to) {
            to += 1;
        }
        Some(text[found[from].start..found[to].end].to_owned())
    }

    /// What the first of some words, given by their roots, is worth that a line shares, and of how many words it is.
    fn stands(&self, found: &[Vec<String>], line: &[String]) -> Option<(usize, usize)> {
        let begins = |word: &Word| {
            let first = found.first()?;
            // The letter alone is short for "Option B".
            let is_letter = word.run.len() == 2 && word.run[1].len() == 1;
            let short = (is_letter && matches!(&first[..], [one] if *one == word.run[1])).then_some(1);
            // Most words begin with another root.
            if first.first() != word.run.first() {
                return short;
            }
            let parts = found.iter().take(word.run.len() + 1).enumerate();
            let parts = parts.flat_map(|(at, roots)| roots.iter().map(move |root| (at, root.clone())));
            let (places, own): (Vec<usize>, Vec<String>) = parts.unzip();
            begins_with(&own, &word.run).map(|length| places[length - 1] + 1).or(short)
        };
        let (word, length) = self.words.iter().find_map(|word| Some((word, begins(word)?)))?;
        let near = || word.says_nearly(line).then_some(word.near);
        let weight = if has_run(line, &word.run) { word.weight } else { near()? };
        // A figure alone names nothing.
        let figure = word.run.iter().all(|part| part.bytes().all(|byte| byte.is_ascii_digit()));
        Some((weight / if figure { 4 } else { 1 }, length))
    }
}

/// Words behind which a thing is named.
pub(super) const LEADING: [&str; 22] = [
    "a", "an", "the", "in", "of", "for", "about", "which", "with", "without", "by", "our", "any", "your",
    "my", "no", "on", "another", "want", "use", "what", "their",
];

/// Whether a word is what a noun right before it does to the thing behind it: "repeat" in "the picker repeat the
/// batch".
fn is_verb(text: &str, found: &[crate::discussion::words::Word<'_>], at: usize) -> bool {
    let (Some(before), Some(next)) = (at.checked_sub(1), found.get(at + 1)) else { return false };
    let joined = |a: usize, b: usize| text[found[a].end..found[b].start] == *" ";
    let opens = ["a", "an", "the", "his", "her", "its", "their", "our", "this", "each", "every"];
    joined(before, at)
        && joined(at, at + 1)
        && names_something(&found[before].text)
        && opens.contains(&next.text.as_ref())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::voice::evidence::Evidence;

    #[test]
    fn a_row_is_quoted_by_the_cells_that_are_asked_about() {
        let text = "| Boat | Length | Width | Flag | Paint | Checked by |\n|---|---|---|---|---|---|\n| The grey gull of the north | 12 meters | 4 meters | green with a star | no | |\n";
        let evidence = Evidence::new([("spec.md", text)], &[]);
        let of = |text: &str| {
            let asked = Asked::of(&evidence, text, "");
            asked.best().map(|line| asked.quote(line, 140))
        };
        assert_eq!(
            of("Who checked the gull?").as_deref(),
            Some("The grey gull of the north, Checked by: (blank)")
        );
        assert_eq!(
            of("Has the gull a star?").as_deref(),
            Some("The grey gull of the north, Flag: green with a star")
        );
        assert!(of("Which boats are there?").is_some());
        assert_eq!(
            Asked::of(&evidence, "Which boats are there?", "").nowhere("Which boats are there?"),
            None
        );
    }

    #[test]
    fn a_label_is_a_name_and_an_adjective_is_no_topic() {
        let text = "# T\n\nD-1 The gate opens at six.\n\nD-2 The boat leaves at noon.\n\nThe rope is a small danger.\n";
        let evidence = Evidence::new([("spec.md", text)], &[]);
        let of = |text: &str| {
            let asked = Asked::of(&evidence, text, "");
            asked.best().map(|line| (line.number, asked.topic(text, line).unwrap()))
        };
        assert_eq!(of("I disagree with D-2."), Some((5, "D-2".to_owned())));
        assert_eq!(of("Is the rope a low danger?"), Some((7, "rope".to_owned())));
        assert_eq!(of("Should the gate open the rope?").unwrap().1, "gate");
    }
}
