//! What the offline voice speaks from: the item's documents line by line, and where the
//! repository mentions their subject. Nothing is said that does not stand here or in the log.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, OnceLock};

use foldhash::fast::RandomState;

use super::paragraphs::Wrapped;
use super::runs::{has_run, roots};
use crate::discussion::figures::Stated;
use crate::discussion::root::root;
use crate::discussion::words::{is_number, is_significant, numbers, stem, subjects, words};
use crate::plain;

/// Lines longer than this are no sentences: minified data, an embedded picture.
pub(super) const LONGEST_LINE: usize = 2_000;
/// Lines of all documents together that are looked at.
const MOST_LINES: usize = 20_000;

/// A subject that stands in no more lines is rare.
const RARE: usize = 6;

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
    pub section_stems: Arc<[String]>,
    /// The words in lower case.
    pub words: Vec<String>,
    pub stems: Vec<String>,
    pub kind: LineKind,
    /// How deep a heading is, from one; a heading owns what stands under deeper ones.
    pub depth: usize,
    /// The cells of a row.
    pub cells: Option<Cells>,
}

/// Which cells of a row stand in its text, and the names of all columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cells {
    columns: Arc<[String]>,
    blank: u64,
}

/// As many words at the beginning of a line tell what it speaks of.
const BEGINS: usize = 3;

/// What stands between the cells of a row.
const BETWEEN: &str = " / ";

impl Line {
    /// The cells of a row, each with its column; blank ones are empty. None where the text has another number
    /// of parts than the row has cells.
    pub fn cells(&self) -> Option<Vec<(&str, &str)>> {
        let row = self.cells.as_ref()?;
        let mut parts = self.text.split(BETWEEN);
        let told = row.columns.iter().enumerate().map(|(at, column)| {
            let is_blank = row.blank & (1 << at) != 0;
            Some((column.as_str(), if is_blank { "" } else { parts.next()? }))
        });
        let told = told.collect::<Option<Vec<_>>>()?;
        parts.next().is_none().then_some(told)
    }

    /// The roots of what it begins with: its first words, or those of the first cell of a row.
    fn begins(&self) -> Vec<String> {
        let of = |words: &mut dyn Iterator<Item = &str>| {
            let begins = words.filter(|word| is_significant(word)).take(BEGINS);
            begins.flat_map(|word| word.split('-').map(root)).collect()
        };
        match self.kind {
            LineKind::Row => {
                let first = words(self.text.split(BETWEEN).next().unwrap_or_default());
                of(&mut first.iter().map(|word| word.text.as_ref()))
            }
            _ => of(&mut self.words.iter().map(String::as_str)),
        }
    }

    /// Whether it stands under a heading of what is left out: "Out of scope", "Non-goals".
    pub fn is_left_out(&self) -> bool {
        let section = self.section.to_lowercase();
        let later = matches!(section.as_str(), "future" | "ideas for later" | "later" | "some day");
        self.kind != LineKind::Heading && (later || LEFT_OUT.iter().any(|words| section.contains(words)))
    }

    /// Whether one of its words is a number.
    pub fn gives_a_number(&self) -> bool {
        self.words.iter().any(|word| is_number(word))
    }
}

/// Headings of what is left out.
const LEFT_OUT: [&str; 15] = [
    "außerhalb",
    "excluded",
    "exclusions",
    "nicht enthalten",
    "nicht-ziele",
    "non-goals",
    "non goals",
    "not covered",
    "not in scope",
    "not included",
    "not part of",
    "not planned",
    "out of scope",
    "outside the scope",
    "won't have",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    Heading,
    Prose,
    /// A row of a table whose empty cell's column is named, if there is one.
    Row,
    /// The names of a table's columns.
    Columns,
    Data,
}

/// A cell of a table that waits for a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    pub document: String,
    /// Of its line, from one.
    pub number: usize,
    /// The first cell of its row.
    pub row: String,
    /// The name of its column.
    pub column: String,
    /// Nothing stands there at all; else a mark such as "?" or "TBD".
    pub is_blank: bool,
    /// Where its row stands among the lines, or would.
    at: usize,
}

const DAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// The days that the first cell of a row is called by: "Sat", and each of "Mon-Thu".
fn days_in(cell: &str) -> Vec<String> {
    let day = |short: &str| {
        let short = short.trim().trim_end_matches('.').to_ascii_lowercase();
        DAYS.iter().position(|day| (3..=4).contains(&short.len()) && day.starts_with(&short))
    };
    let days = |part: &str| match part.split_once(['-', '–']) {
        Some((from, to)) => day(from).zip(day(to)).map(|(from, to)| from..=to),
        None => day(part).map(|at| at..=at),
    };
    let all = cell.split(['/', ',']).map(days).collect::<Option<Vec<_>>>().unwrap_or_default();
    all.into_iter().flatten().filter_map(|at| DAYS.get(at)).map(|day| (*day).to_owned()).collect()
}

/// Words of documents on programs, by their stems; and how many of them tell one.
const OF_SOFTWARE: [&str; 40] = [
    "algorithm",
    "android",
    "api",
    "app",
    "backend",
    "browser",
    "buffer",
    "cache",
    "client",
    "cloud",
    "code",
    "csv",
    "database",
    "deploy",
    "endpoint",
    "firmware",
    "flash",
    "frontend",
    "http",
    "https",
    "interface",
    "ios",
    "json",
    "latency",
    "library",
    "login",
    "module",
    "payload",
    "pod",
    "protocol",
    "query",
    "queue",
    "retry",
    "schema",
    "sdk",
    "server",
    "software",
    "sync",
    "token",
    "url",
];
const SEVERAL: usize = 3;

/// Rows above and below a cell that show what its column holds.
const AROUND: usize = 6;

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
    /// Cells of tables that wait for a value.
    pub gaps: Vec<Gap>,
    /// The numbers of what stands in numbered lists, by document and line.
    numbered: BTreeMap<(String, usize), u32>,
    /// Every stem of every line, with the lines that hold it, by their index.
    holds: HashMap<String, Vec<usize>, RandomState>,
    /// The roots of what each line begins with, and of all of it, made when they are first asked for.
    begins: OnceLock<Vec<Vec<String>>>,
    all_roots: OnceLock<Vec<OnceLock<Vec<String>>>>,
    /// The same by root, made when a message is first held against it.
    roots: OnceLock<HashMap<String, Vec<usize>, RandomState>>,
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
        let mut columns: Arc<[String]> = Arc::default();
        let mut wrapped = Wrapped::default();
        for (at, raw) in text.lines().enumerate() {
            if self.lines.len() >= MOST_LINES {
                return;
            }
            let trimmed = raw.trim();
            let number = trimmed.split_once(['.', ')']).filter(|(_, rest)| markdown && rest.starts_with(' '));
            if let Some(number) = number.and_then(|(number, _)| number.parse().ok()) {
                self.numbered.insert((name.to_owned(), at + 1), number);
            }
            if markdown && wrapped.goes_on(at + 1, raw) {
                wrapped.take(at + 1, raw, said(trimmed, markdown));
                continue;
            }
            self.unwrap(name, &mut wrapped, &section);
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
                    let depth = trimmed.len() - trimmed.trim_start_matches('#').len();
                    self.lines.last_mut().into_iter().for_each(|line| line.depth = depth);
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
            columns = Arc::default();
            match markdown {
                true => wrapped.take(at + 1, raw, said(trimmed, markdown)),
                false => self.push(name, at + 1, said(trimmed, markdown), &section, LineKind::Data),
            }
        }
        self.unwrap(name, &mut wrapped, &section);
    }

    /// What a wrapped paragraph says: each sentence whole, at the line on which it begins.
    fn unwrap(&mut self, name: &str, wrapped: &mut Wrapped, section: &str) {
        for (number, text) in wrapped.sentences() {
            self.push(name, number, text, section, LineKind::Prose);
        }
    }

    /// A row of a Markdown table: a line, and its empty cells as gaps.
    fn row(&mut self, name: &str, number: usize, raw: &str, columns: &mut Arc<[String]>, section: &str) {
        let cells: Vec<String> =
            raw.trim_matches('|').split('|').map(|cell| plain::one_line(&plain::clean(cell))).collect();
        if columns.is_empty() {
            self.push(name, number, cells.join(BETWEEN), section, LineKind::Columns);
            *columns = cells.into();
            return;
        }
        if cells.iter().all(|cell| cell.chars().all(|c| matches!(c, '-' | ':' | ' ')))
            && cells.concat().contains('-')
        {
            return;
        }
        let first = cells.first().cloned().unwrap_or_default();
        for (at, cell) in cells.iter().enumerate().skip(1) {
            if let (true, Some(column)) = (is_gap(cell), columns.get(at)) {
                self.gaps.push(Gap {
                    document: name.to_owned(),
                    number,
                    row: first.clone(),
                    column: column.clone(),
                    is_blank: cell.is_empty(),
                    at: self.lines.len(),
                });
            }
        }
        let told = cells.iter().filter(|cell| !cell.is_empty()).map(String::as_str).collect::<Vec<_>>();
        let before = self.lines.len();
        self.push(name, number, told.join(BETWEEN), section, LineKind::Row);
        let blank = |at: &usize| cells.get(*at).is_none_or(String::is_empty);
        if columns.len() <= 64 && cells.len() <= columns.len() {
            let blank = (0..columns.len()).filter(blank).fold(0, |mask, at| mask | 1 << at);
            let cells = Some(Cells { columns: Arc::clone(columns), blank });
            self.lines[before..].iter_mut().for_each(|line| line.cells.clone_from(&cells));
        }
    }

    fn push(&mut self, document: &str, number: usize, text: String, section: &str, kind: LineKind) {
        let mut words: Vec<String> = words(&text).into_iter().map(|word| word.text.into_owned()).collect();
        if kind == LineKind::Row {
            words.extend(days_in(text.split(BETWEEN).next().unwrap_or_default()));
        }
        // The sign is the word.
        if text.contains('%') && !words.iter().any(|word| word == "percent") {
            words.push("percent".to_owned());
        }
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
            depth: 0,
            cells: None,
        });
    }

    /// The subjects of a heading; those of the line before, where it stands under the same one.
    fn about_section(&self, section: &str) -> Arc<[String]> {
        match self.lines.last() {
            Some(last) if last.section == section => last.section_stems.clone(),
            _ => subjects(section).into(),
        }
    }

    /// Makes what every message is held against: another thread may do so before the first is heard.
    pub fn prepare(&self) {
        self.by_root();
        self.all_begin();
    }

    /// The lines that hold a word, given as its root, in their order.
    pub fn lines_of(&self, root: &str) -> &[usize] {
        self.by_root().get(root).map_or(&[], Vec::as_slice)
    }

    fn by_root(&self) -> &HashMap<String, Vec<usize>, RandomState> {
        self.roots.get_or_init(|| {
            let mut found: HashMap<String, Vec<usize>, RandomState> = HashMap::default();
            for (stem, lines) in &self.holds {
                found.entry(root(stem)).or_default().extend(lines);
            }
            for lines in found.values_mut() {
                lines.sort_unstable();
                lines.dedup();
            }
            found
        })
    }

    /// Whether a line, given by its index, begins with one of some roots.
    pub fn begins_with_one_of(&self, at: usize, roots: &[String]) -> bool {
        self.all_begin().get(at).is_some_and(|first| first.iter().any(|root| roots.contains(root)))
    }

    /// The roots of what each line begins with.
    fn all_begin(&self) -> &[Vec<String>] {
        self.begins.get_or_init(|| self.lines.iter().map(Line::begins).collect())
    }

    /// The roots of all words of a line, given by its index, in order.
    pub fn roots_of(&self, at: usize) -> &[String] {
        let all = self.all_roots.get_or_init(|| self.lines.iter().map(|_| OnceLock::new()).collect());
        let line = all.get(at).zip(self.lines.get(at));
        line.map_or(&[], |(one, line)| one.get_or_init(|| roots(&line.text)).as_slice())
    }

    /// What a numbered list below a heading has under a number: "rule 3" is the third below "Rules".
    pub fn item(&self, of: &str, number: u32) -> Option<usize> {
        let named = |line: &Line| line.section_stems.iter().any(|stem| stem == of);
        let is_it = |line: &Line| self.numbered.get(&(line.document.clone(), line.number)) == Some(&number);
        self.lines.iter().position(|line| named(line) && is_it(line))
    }

    /// The lines that say a run of roots, in their order.
    pub fn saying(&self, run: &[String]) -> Vec<usize> {
        match run {
            [one] => self.lines_of(one).to_vec(),
            [first, rest @ ..] => {
                let all = |at: &&usize| {
                    rest.iter().all(|root| self.lines_of(root).binary_search(at).is_ok())
                        && has_run(self.roots_of(**at), run)
                };
                self.lines_of(first).iter().filter(all).copied().collect()
            }
            [] => Vec::new(),
        }
    }

    /// The lines that stand below those of some lines that are headings.
    pub fn below_headings(&self, lines: &[usize]) -> BTreeSet<usize> {
        let headings = lines.iter().filter(|at| self.lines[**at].kind == LineKind::Heading);
        // A title owns all there is, and tells no line from another.
        let parts = headings.filter(|at| self.lines[**at].depth > 1);
        parts.flat_map(|at| at + 1..=at + self.below(*at)).collect()
    }

    /// The rows of the tables whose columns some lines name.
    pub fn rows_below(&self, lines: &[usize]) -> BTreeSet<usize> {
        let columns = lines.iter().filter(|at| self.lines[**at].kind == LineKind::Columns);
        let is_row = |at: &usize| self.lines.get(*at).is_some_and(|line| line.kind == LineKind::Row);
        columns.flat_map(|at| (at + 1..).take_while(is_row)).collect()
    }

    /// The other fields of the records that some lines are fields of: the lines around each up to one whose key has
    /// been there.
    pub fn beside_in_record(&self, lines: &[usize]) -> BTreeSet<usize> {
        let data = lines.iter().filter(|at| self.lines[**at].kind == LineKind::Data).take(RARE);
        data.flat_map(|at| self.record_of(*at)).collect()
    }

    fn record_of(&self, at: usize) -> Vec<usize> {
        let key = |at: &usize| self.lines[*at].text.split(':').next().unwrap_or_default();
        let same = |other: &usize| {
            self.lines[*other].document == self.lines[at].document && self.lines[*other].text.contains(": ")
        };
        let mut keys = vec![key(&at)];
        let mut found = Vec::new();
        let behind = (at + 1..self.lines.len()).take_while(same);
        let before = (0..at).rev().take_while(same);
        for run in [behind.take(RARE).collect::<Vec<_>>(), before.take(RARE).collect()] {
            for other in run {
                if keys.contains(&key(&other)) {
                    break;
                }
                keys.push(key(&other));
                found.push(other);
            }
        }
        found
    }

    /// How many lines a heading owns, those of its subsections with them.
    pub fn below(&self, heading: usize) -> usize {
        let Some(own) = self.lines.get(heading) else { return 0 };
        let is_below = |line: &&Line| {
            line.document == own.document && (line.kind != LineKind::Heading || line.depth > own.depth)
        };
        self.lines[heading + 1..].iter().take_while(is_below).count()
    }

    /// Whether the documents speak of a program: several words of that trade stand in them.
    pub fn is_of_software(&self) -> bool {
        OF_SOFTWARE.iter().filter(|word| self.holds.contains_key(**word)).count() >= SEVERAL
    }

    /// Whether some line says a word of a text in any form, or one that is near to it.
    pub fn speaks_of(&self, text: &str) -> bool {
        super::asking::Asked::of(self, text, "").is_mentioned()
    }

    /// Whether the column of a cell holds figures in the rows around it.
    pub fn is_figure(&self, gap: &Gap) -> bool {
        let from = gap.at.saturating_sub(AROUND);
        let near = self.lines.iter().skip(from).take(2 * AROUND);
        let rows = near.filter(|line| line.document == gap.document).filter_map(Line::cells);
        let cells = rows.filter_map(|row| Some(row.iter().find(|(name, _)| *name == gap.column)?.1));
        let (figures, others): (Vec<&str>, Vec<&str>) =
            cells.filter(|cell| !is_gap(cell)).partition(|cell| is_figure(cell));
        figures.len() > others.len()
    }

    /// What the documents call the parts that a letter tells apart ("Option A", "Option B"), by its root.
    pub fn label(&self) -> Option<String> {
        let lettered = |line: &&Line| {
            line.words.len() > 2
                && line.words[1].len() == 1
                && line.words[1].starts_with(|c: char| c.is_ascii_lowercase())
        };
        let mut labels = self.lines.iter().filter(lettered).filter(|line| {
            let sign = line.text.split_whitespace().nth(1).unwrap_or_default();
            sign.starts_with(|c: char| c.is_ascii_uppercase())
                && (line.kind == LineKind::Heading || sign.ends_with(':'))
        });
        let first = labels.next()?;
        labels.any(|line| line.words[0] == first.words[0]).then(|| root(&first.words[0]))
    }

    /// Whether a root stands in few lines: what everything speaks of tells no matter from another.
    pub fn is_telling(&self, root: &str) -> bool {
        let lines = self.lines_of(root).len();
        (1..=RARE.max(self.lines.len() / 12)).contains(&lines)
    }

    /// A line that gives another number for what a clause of a text counts, and has subjects in common with it
    /// or with what the talk is `about`; or one that holds the number which the text denies.
    pub fn contradicts(&self, text: &str, about: &str) -> Option<&Line> {
        let stated = numbers(text);
        let near = subjects(&format!("{text} {about}"));
        let figures = Stated::new(text, about);
        let mut lines = self.lines.iter().filter(|line| line.kind != LineKind::Heading);
        // Most texts state no figure, and most lines give none.
        let mut figured = lines.clone().filter(|line| !stated.is_empty() && line.gives_a_number());
        let other = figured.find(|line| {
            let theirs = numbers(&line.text);
            let unit = stated.iter().find(|(_, unit)| theirs.iter().any(|(_, other)| other == unit));
            unit.is_some_and(|(_, unit)| {
                let of = |all: &[(u64, String)], value: u64| {
                    all.iter().any(|(n, other)| *n == value && other == unit)
                };
                let differ = !stated.iter().any(|(n, other)| other == unit && of(&theirs, *n));
                let shared = near.iter().filter(|word| *word != unit && line.stems.contains(word)).count();
                differ && shared >= 2 && figures.clashes(&line.text)
            })
        });
        other.or_else(|| lines.find(|line| figures.is_denied(&line.text)))
    }

    /// Whether hardly any line says a word, given as its stem.
    pub fn is_rare(&self, stem: &str) -> bool {
        self.holds.get(stem).is_some_and(|lines| lines.len() <= 2)
    }

    /// The line at a place such as `requirements-spec.md line 12`.
    pub fn line_at(&self, place: &str) -> Option<&Line> {
        let (document, number) = place.rsplit_once(" line ")?;
        let number: usize = number.parse().ok()?;
        self.lines.iter().find(|line| line.number == number && line.document == document)
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
        &self.lines[from..=from + self.below(from)]
    }
}

/// Whether a cell waits for a value: "-", "n/a" and "none" are values.
fn is_gap(cell: &str) -> bool {
    let marks = ["tbd", "tbc", "tba", "todo"];
    cell.chars().all(|sign| sign == '?')
        || marks.contains(&cell.trim_end_matches('.').to_lowercase().as_str())
}

/// Whether a cell holds a figure; a date counts nothing.
fn is_figure(cell: &str) -> bool {
    let number = cell.trim_start_matches(|c: char| !c.is_alphanumeric());
    let groups = number.split(|c: char| !c.is_ascii_digit()).filter(|group| !group.is_empty()).count();
    let is_date = groups > 2 && !number.contains(' ');
    number.starts_with(|c: char| c.is_ascii_digit()) && !is_date
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::voice::asking::Asked;
    use crate::voice::paragraphs::sentences;

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
                "7 [3. User Journeys] id / target",
                "17 [4. Technical Context] 4. Technical Context",
                "19 [4. Technical Context] The queue holds 500 photos.",
            ]
        );
        let gaps: Vec<_> =
            evidence.gaps.iter().map(|gap| (gap.number, gap.row.as_str(), gap.column.as_str())).collect();
        assert_eq!(gaps, [(9, "NFR-1", "target")]);
        assert_eq!(evidence.missing, ["new.md"]);
    }

    #[test]
    fn a_sign_in_a_cell_is_a_value_and_a_question_mark_is_none() {
        let table = "| state | next |\n|---|---|\n| open | |\n| sent | ? |\n| paid | - |\n| lost | n/a |\n| billed | — |\n| late | TBD |\n| gone | none |\n";
        let gaps = Evidence::new([("spec.md", table)], &[]).gaps;
        assert_eq!(gaps.iter().map(|gap| gap.row.as_str()).collect::<Vec<_>>(), ["open", "sent", "late"]);
        assert_eq!(gaps.iter().map(|gap| gap.is_blank).collect::<Vec<_>>(), [true, false, false]);
    }

    #[test]
    fn a_column_of_figures_is_told_from_one_of_words_and_one_of_dates() {
        let table = "| dish | price | checked by | on |\n|---|---|---|---|\n| dal | 4.20 | Sam | 2025-03-14 |\n| tofu | 5 EUR | Kim | 2025-10-27 |\n| soup | | | |\n";
        let evidence = Evidence::new([("spec.md", table)], &[]);
        let of: Vec<bool> = evidence.gaps.iter().map(|gap| evidence.is_figure(gap)).collect();
        assert_eq!(of, [true, false, false]);
    }

    #[test]
    fn a_row_knows_the_columns_of_its_cells() {
        let table = "| boat | berth | owner |\n|---|---|---|\n| Gull | | Sam |\n| Tern | 4 |\n";
        let evidence = Evidence::new([("spec.md", table)], &[]);
        let cells = |at: usize| evidence.lines[at].cells();
        assert_eq!(cells(0), None);
        assert_eq!(cells(1).unwrap(), [("boat", "Gull"), ("berth", ""), ("owner", "Sam")]);
        assert_eq!(cells(2).unwrap(), [("boat", "Tern"), ("berth", "4"), ("owner", "")]);
    }

    #[test]
    fn two_figures_clash_where_they_count_the_same_thing() {
        let text = "# T\n\nA trip has 35 stops on average and takes about 50 minutes.\n\nThe cleaning of the line takes 10 minutes.\n";
        let evidence = Evidence::new([("spec.md", text)], &[]);
        let clash =
            |text: &str| evidence.contradicts(text, "the cleaning of the line").map(|line| line.number);
        assert_eq!(
            clash("A trip may well stop. The cleaning of the line takes 25 minutes, so a stop is skipped."),
            Some(5)
        );
        assert_eq!(clash("A trip stops, the filling takes 25 minutes."), None);
        assert_eq!(clash("We take two minutes, not ten."), Some(5));
        assert_eq!(clash("A trip with its stops takes 60 minutes."), Some(3));
    }

    #[test]
    fn a_wrapped_sentence_is_one_at_the_line_where_it_begins() {
        let text = "# T\n\nThe reader pays a fee for every day on which a book is late. There\nis a limit that nobody knows, and the poster says something\nelse. Who asks?\n\n- an item that goes on\n  in the next line\n- **Owner**: Sam\n- another\nStatus: open\nOwner: nobody yet\n";
        let evidence = Evidence::new([("spec.md", text)], &[]);
        let lines: Vec<String> =
            evidence.lines.iter().map(|line| format!("{} {}", line.number, line.text)).collect();
        assert_eq!(
            lines,
            [
                "1 T",
                "3 The reader pays a fee for every day on which a book is late. There is a limit that nobody knows, and the poster says something else.",
                "5 Who asks?",
                "7 an item that goes on in the next line",
                "9 Owner: Sam",
                "11 Status: open",
                "12 Owner: nobody yet",
            ]
        );
    }

    #[test]
    fn the_nearest_line_is_found_and_nothing_is_invented() {
        let evidence = evidence();
        let best = |text: &str| Asked::of(&evidence, text, "").best().map(|line| line.number);
        assert_eq!(best("How many photos does the queue take?"), Some(19));
        assert_eq!(best("What about the weather forecast?"), None);
        assert!(evidence.speaks_of("synchronise or syncing") && !evidence.speaks_of("the weather forecast"));
    }

    #[test]
    fn a_heading_owns_its_subsections_and_an_abbreviation_ends_no_sentence() {
        let text = "# T\n\n## 3. Options\n\n### A\n\nOne planner for all.\n\n## 4. End\n\nThe sheet that Mr. Sam keeps, e.g. on Mondays. Then\nnothing.\n";
        let evidence = Evidence::new([("spec.md", text)], &[]);
        let part = evidence.section("spec.md", "Options");
        assert_eq!(
            part.iter().map(|line| line.text.as_str()).collect::<Vec<_>>(),
            ["3. Options", "A", "One planner for all."]
        );
        assert_eq!(
            sentences("The sheet that Mr. Sam keeps. It is one."),
            ["The sheet that Mr. Sam keeps.", "It is one."]
        );
    }
}
