//! What the offline voice speaks from: the item's documents line by line, and where the
//! repository mentions their subject. Nothing is said that does not stand here or in the log.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::discussion::words::{is_significant, stem, subjects, words};
use crate::plain;

/// Lines longer than this are no sentences: minified data, an embedded picture.
const LONGEST_LINE: usize = 2_000;
/// Subjects of a message that lines are looked for by.
const ASKED: usize = 40;
/// Lines of all documents together that are looked at.
const MOST_LINES: usize = 20_000;

/// A line of a document that says something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub document: String,
    /// From one.
    pub number: usize,
    /// The words, without list markers, emphasis and table bars.
    pub text: String,
    /// The heading the line stands under, if any.
    pub section: String,
    /// The subjects of that heading.
    pub section_stems: Rc<[String]>,
    /// The words in lower case.
    pub words: Vec<String>,
    pub stems: Vec<String>,
    pub kind: LineKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    Heading,
    Prose,
    /// A row of a table whose empty cell's column is named, if there is one.
    Row,
    Data,
}

/// Where the repository mentions a word, at the base commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mentions {
    /// Word to the paths that mention it, in path order; none below the item folder.
    pub paths: BTreeMap<String, Vec<String>>,
    /// Not every file was read: the counts are lower bounds.
    pub partial: bool,
}

/// Everything the offline voice may refer to.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    pub lines: Vec<Line>,
    /// Documents with their number of lines, the step's outputs first.
    pub documents: Vec<(String, usize)>,
    /// The step's outputs that do not exist yet.
    pub missing: Vec<String>,
    pub mentions: Mentions,
    /// Empty cells of tables: document, line, column.
    pub gaps: Vec<(String, usize, String, String)>,
    /// Every stem of every line, with the lines that hold it, by their index.
    holds: BTreeMap<String, Vec<usize>>,
}

impl Evidence {
    /// Reads documents, given as `(name, text)`; those in `outputs` come first. Mentions are added
    /// when they are known.
    pub fn new<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>, outputs: &[String]) -> Evidence {
        let mut files: Vec<(&str, &str)> =
            files.into_iter().filter(|(name, _)| *name != "meta.json").collect();
        files.sort_by_key(|(name, _)| {
            (outputs.iter().position(|output| output == name).unwrap_or(usize::MAX), *name)
        });
        let missing =
            outputs.iter().filter(|output| !files.iter().any(|(name, _)| *name == output.as_str())).cloned();
        let mut evidence = Evidence { missing: missing.collect(), ..Evidence::default() };
        for (name, text) in files {
            evidence.documents.push((name.to_owned(), text.lines().count()));
            evidence.read(name, text);
        }
        evidence
    }

    fn read(&mut self, name: &str, text: &str) {
        let markdown = name.ends_with(".md");
        let (mut section, mut fence, mut ours) = (String::new(), false, false);
        let mut columns: Vec<String> = Vec::new();
        for (at, raw) in text.lines().enumerate() {
            if self.lines.len() >= MOST_LINES {
                return;
            }
            let trimmed = raw.trim();
            if markdown && (trimmed.starts_with("```") || trimmed.starts_with("~~~")) {
                fence = !fence;
            }
            if trimmed.len() > LONGEST_LINE || (fence && markdown) || trimmed.starts_with("---") {
                continue;
            }
            // What an earlier discussion added is no evidence for the next one.
            if markdown && trimmed.starts_with("<!-- Elaboration: step ") {
                ours = true;
                continue;
            }
            let heading =
                markdown.then(|| trimmed.trim_start_matches('#')).filter(|rest| rest.len() < trimmed.len());
            if let Some(title) = heading {
                let title = plain::one_line(&plain::clean(title));
                let added = title.starts_with("Elaboration Insights")
                    || matches!(
                        title.as_str(),
                        "Key Insights" | "Decisions Made" | "Open Questions" | "Action Items"
                    );
                ours = ours && added;
                if !ours {
                    section = title.clone();
                    self.push(name, at + 1, title, &section, LineKind::Heading);
                }
                continue;
            }
            if ours {
                continue;
            }
            if markdown && trimmed.starts_with('|') {
                self.row(name, at + 1, trimmed, &mut columns, &section);
                continue;
            }
            columns.clear();
            let kind = if markdown { LineKind::Prose } else { LineKind::Data };
            self.push(name, at + 1, said(trimmed, markdown), &section, kind);
        }
    }

    /// A row of a Markdown table: a line, and its empty cells as gaps.
    fn row(&mut self, name: &str, number: usize, raw: &str, columns: &mut Vec<String>, section: &str) {
        let cells: Vec<String> =
            raw.trim_matches('|').split('|').map(|cell| plain::one_line(&plain::clean(cell))).collect();
        if columns.is_empty() {
            *columns = cells;
            return;
        }
        if cells.iter().all(|cell| cell.chars().all(|c| matches!(c, '-' | ':' | ' ')))
            && cells.concat().contains('-')
        {
            return;
        }
        let first = cells.first().cloned().unwrap_or_default();
        for (at, cell) in cells.iter().enumerate().skip(1) {
            let empty = cell.is_empty() || matches!(cell.as_str(), "-" | "--" | "?" | "n/a");
            if let (true, Some(column)) = (empty, columns.get(at)) {
                self.gaps.push((name.to_owned(), number, first.clone(), column.clone()));
            }
        }
        self.push(
            name,
            number,
            cells.iter().filter(|cell| !cell.is_empty()).cloned().collect::<Vec<_>>().join(", "),
            section,
            LineKind::Row,
        );
    }

    fn push(&mut self, document: &str, number: usize, text: String, section: &str, kind: LineKind) {
        let words: Vec<String> = words(&text).into_iter().map(|word| word.text.into_owned()).collect();
        if words.len() < 2 && kind != LineKind::Heading {
            return;
        }
        let parts = words.iter().flat_map(|word| word.split('-'));
        let stems: Vec<String> = parts.map(|part| stem(part).into_owned()).collect();
        let at = self.lines.len();
        for stem in &stems {
            match self.holds.get_mut(stem) {
                Some(lines) if lines.last() == Some(&at) => {}
                Some(lines) => lines.push(at),
                None => drop(self.holds.insert(stem.clone(), vec![at])),
            }
        }
        self.lines.push(Line {
            document: document.to_owned(),
            number,
            text,
            section: section.to_owned(),
            section_stems: self.about_section(section),
            words,
            stems,
            kind,
        });
    }

    /// The subjects of a heading; those of the line before, where it stands under the same one.
    fn about_section(&self, section: &str) -> Rc<[String]> {
        match self.lines.last() {
            Some(last) if last.section == section => last.section_stems.clone(),
            _ => subjects(section).into(),
        }
    }

    /// The line that shares most subjects with a text; rarer subjects count more.
    pub fn about(&self, text: &str) -> Option<&Line> {
        let asked = subjects(text);
        // What each line shares: how many of the words, and their weight.
        let mut shares: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
        for lines in asked.iter().filter_map(|word| self.holds.get(word)).take(ASKED) {
            for at in lines {
                let (count, weight) = shares.entry(*at).or_default();
                *count += 1;
                *weight += 1_000 / (2 + lines.len());
            }
        }
        let lines = shares.into_iter().filter_map(|(at, share)| Some((share, self.lines.get(at)?)));
        let prose = lines.filter(|(_, line)| line.kind != LineKind::Heading && line.stems.len() >= 4);
        // Of equals the first; `max_by_key` gives the last.
        let ((count, best), line) = prose.rev().max_by_key(|((_, weight), _)| *weight)?;
        (count >= 2 || asked.len() == 1 || best >= 250).then_some(line)
    }

    /// Whether any line says a word, given as its stem.
    pub fn is_mentioned(&self, stem: &str) -> bool {
        self.holds.contains_key(stem)
    }

    /// How many of a text's subjects the documents mention, in percent.
    pub fn coverage(&self, text: &str) -> usize {
        let asked = subjects(text);
        let found = asked.iter().filter(|word| self.is_mentioned(word)).count();
        if asked.is_empty() { 100 } else { found * 100 / asked.len() }
    }

    /// The lines of a document under the heading that shares most words with `title`, the heading
    /// first; none where no heading shares one.
    pub fn section(&self, document: &str, title: &str) -> &[Line] {
        let wanted = subjects(title);
        let shared = |line: &Line| {
            let count = wanted.iter().filter(|word| line.stems.contains(word)).count();
            (count, usize::MAX - line.stems.len())
        };
        let headings = self.lines.iter().enumerate().rev();
        let headings =
            headings.filter(|(_, line)| line.kind == LineKind::Heading && line.document == document);
        let best = headings.filter(|(_, line)| shared(line).0 > 0).max_by_key(|(_, line)| shared(line));
        let Some((from, _)) = best else { return &[] };
        let below = self.lines[from + 1..].iter();
        let length =
            below.take_while(|line| line.kind != LineKind::Heading && line.document == document).count();
        &self.lines[from..=from + length]
    }
}

/// What a line of a document says, without its markup.
fn said(line: &str, markdown: bool) -> String {
    let text = plain::clean(line);
    let text = if markdown {
        let text = text.trim_start_matches(['-', '*', '+', '>', ' ']);
        let number = text.trim_start_matches(|c: char| c.is_ascii_digit());
        let text = if number.len() < text.len() { number.strip_prefix(". ").unwrap_or(text) } else { text };
        text.replace("**", "").replace('`', "")
    } else {
        text.trim_matches([',', '{', '}', '[', ']', ' ']).replace("\": \"", ": ").replace("\": ", ": ")
    };
    plain::one_line(&text.replace('"', if markdown { "'" } else { "" }))
}

/// A few words of a line, for quoting: at most `limit` characters, without quotation marks.
pub fn snippet(text: &str, limit: usize) -> String {
    plain::cut(text.trim_end_matches(['.', ',', ';', ':']), limit).replace('"', "'")
}

/// The words a subject is looked for by in the repository: the significant words of the item's
/// name and the step's section, the rarest first in no particular weight.
pub fn search_words(item_name: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for word in words(item_name) {
        let word = stem(&word.text).into_owned();
        if is_significant(&word) && word.chars().count() > 3 && !found.contains(&word) && found.len() < 4 {
            found.push(word);
        }
    }
    found
}

/// What a text is about, to name it by: the first few words it quotes, else its longest run of
/// significant words, at most four.
pub fn topic(text: &str) -> Option<String> {
    let mut quoted = text.split('"').skip(1).step_by(2).filter(|quoted| !words(quoted).is_empty());
    if let Some(found) = quoted.clone().find(|quoted| words(quoted).len() <= 6) {
        return Some(found.trim_end_matches(['.', '?', '!']).to_owned());
    }
    let text = quoted.next().unwrap_or(text);
    let mut runs: Vec<Vec<&str>> = vec![Vec::new()];
    let mut end = 0;
    let found = words(text);
    for word in &found {
        let joined = text[end..word.start].trim().is_empty();
        end = word.end;
        if !joined || !is_significant(&word.text) {
            runs.push(Vec::new());
        }
        if is_significant(&word.text)
            && let Some(run) = runs.last_mut()
            && run.len() < 4
        {
            run.push(&text[word.start..word.end]);
        }
    }
    let best = runs.iter().rev().max_by_key(|run| run.len())?;
    (!best.is_empty()).then(|| best.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEC: &str = "# Spec\n\n## 3. User Journeys\n\n- **Sync** should be \"fast\".\n\n| id | target |\n|---|---|\n| NFR-1 | |\n\n<!-- Elaboration: step 01-03, x -->\n### Elaboration Insights (Step 01-03: x)\n\n#### Key Insights\n- [Maya] ours\n\n## 4. Technical Context\n\nThe queue holds 500 photos.\n";

    fn evidence() -> Evidence {
        Evidence::new([("spec.md", SPEC), ("meta.json", "{}")], &["spec.md".into(), "new.md".into()])
    }

    #[test]
    fn documents_become_lines_with_their_place() {
        let evidence = evidence();
        let lines: Vec<String> = evidence
            .lines
            .iter()
            .map(|line| format!("{} [{}] {}", line.number, line.section, line.text))
            .collect();
        assert_eq!(
            lines,
            [
                "1 [Spec] Spec",
                "3 [3. User Journeys] 3. User Journeys",
                "5 [3. User Journeys] Sync should be 'fast'.",
                "17 [4. Technical Context] 4. Technical Context",
                "19 [4. Technical Context] The queue holds 500 photos.",
            ]
        );
        assert_eq!(evidence.gaps, [("spec.md".to_owned(), 9, "NFR-1".to_owned(), "target".to_owned())]);
        assert_eq!(evidence.missing, ["new.md"]);
    }

    #[test]
    fn the_nearest_line_is_found_and_nothing_is_invented() {
        let evidence = evidence();
        assert_eq!(evidence.about("How many photos does the queue take?").map(|line| line.number), Some(19));
        assert_eq!(evidence.about("What about the weather forecast?"), None);
    }

    #[test]
    fn a_topic_is_a_run_of_words_or_a_quotation() {
        assert_eq!(topic("How should the data conflicts be shown?").as_deref(), Some("data conflicts"));
        assert_eq!(topic("it says \"sync should be fast\" there").as_deref(), Some("sync should be fast"));
        assert_eq!(topic("and so on"), None);
    }
}
