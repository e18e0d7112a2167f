//! The texts that a line may quote: the item's documents, and what else a voice was given to read.
//!
//! A quotation is found with white space, letter case and emphasis left aside, and its place is the one it really has:
//! what is recorded is always a slice of the source.
//!
//! ```
//! use roundtable::voice::sources::Sources;
//!
//! let sources = Sources::new([("spec.md", "# Fees\n\nFees stop at\n10 euros.\n")].into_iter(), &[]);
//! let found = sources.find("spec.md", 9, "fees stop at 10 euros").unwrap();
//! assert_eq!((found.line, found.quote.as_str()), (3, "Fees stop at\n10 euros"));
//! assert!(sources.find("spec.md", 3, "Fees stop at 20 euros").is_none());
//! assert_eq!(sources.nearest("spec.md", "Fees stop at 20 euros").unwrap(), "spec.md:3: Fees stop at");
//! ```

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::ops::{Deref, Range};

use super::names::Codebase;
use super::own_text::{self, is_one_block};
use crate::discussion::event::Rest;
use crate::text::ids::{DefinedIds, mentioned_ids};
use crate::text::path::is_markdown;
use crate::text::plain;
use crate::text::words::{says, subjects};

/// A piece of a file that a voice was given to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// From the repository's root.
    pub path: String,
    /// The line it begins on, from one.
    pub line: usize,
    pub text: String,
}

/// The longest line that is shown as the nearest one, in characters.
const SHOWN: usize = 160;

/// All that a line may quote from files.
pub struct Sources<'t> {
    texts: Vec<(Text<'t>, OnceCell<Folded>)>,
    later: Option<&'t Later>,
    /// All files of the base commit: what is word for word in one that nobody was given is quoted all the same.
    code: Option<&'t dyn Codebase>,
    ids: OnceCell<BTreeSet<String>>,
    defined: OnceCell<DefinedIds>,
}

/// Pieces of files that a voice is given once, in the middle of a discussion.
#[derive(Default)]
pub struct Later(OnceCell<Vec<(Excerpt, OnceCell<Folded>)>>);

impl Later {
    /// Gives them; what was given before stays.
    pub fn give(&self, pieces: Vec<Excerpt>) {
        self.0.get_or_init(|| pieces.into_iter().map(|piece| (piece, OnceCell::new())).collect());
    }
}

/// A text and where it begins.
#[derive(Clone, Copy)]
struct Text<'t> {
    path: &'t str,
    first: usize,
    text: &'t str,
}

impl<'t> Text<'t> {
    fn new(piece: &'t Excerpt) -> Text<'t> {
        Text { path: &piece.path, first: piece.line, text: &piece.text }
    }
}

/// A text with the form in which quotations are compared.
#[derive(Clone, Copy)]
struct Compared<'t> {
    text: Text<'t>,
    folded: &'t OnceCell<Folded>,
}

impl<'t> Deref for Compared<'t> {
    type Target = Text<'t>;

    fn deref(&self) -> &Text<'t> {
        &self.text
    }
}

impl<'t> Sources<'t> {
    /// Documents by their path within the item folder, and pieces of other files.
    pub fn new<'d: 't>(
        documents: impl Iterator<Item = (&'d str, &'d str)>,
        others: &'t [Excerpt],
    ) -> Sources<'t> {
        let texts = documents
            .map(|(path, text): (&'d str, &'d str)| -> Text<'t> { Text { path, first: 1, text } })
            .chain(others.iter().map(Text::new));
        let texts = texts.map(|text| (text, OnceCell::new())).collect();
        Sources { texts, later: None, code: None, ids: OnceCell::new(), defined: OnceCell::new() }
    }

    /// The same with pieces of files that may be given later.
    #[must_use]
    pub fn and_later(self, later: &'t Later) -> Sources<'t> {
        Sources { later: Some(later), ..self }
    }

    /// The same with all files of the base commit.
    #[must_use]
    pub fn and_code(self, code: Option<&'t dyn Codebase>) -> Sources<'t> {
        Sources { code, ..self }
    }

    fn texts(&self) -> impl Iterator<Item = Compared<'_>> {
        let later = self.later.and_then(|later| later.0.get());
        let later =
            later.into_iter().flatten().map(|(piece, folded)| Compared { text: Text::new(piece), folded });
        self.texts.iter().map(|(text, folded)| Compared { text: *text, folded }).chain(later)
    }

    /// The texts of a path; it may be written from the repository's root, too.
    fn at<'s>(&'s self, path: &'s str) -> impl Iterator<Item = Compared<'s>> {
        let path = path.trim().trim_start_matches("./");
        let is_it = move |known: &str| {
            path == known || path.strip_suffix(known).is_some_and(|folder| folder.ends_with('/'))
        };
        self.texts().filter(move |text| is_it(text.path))
    }

    /// Whether there is such a file among them.
    pub fn has(&self, path: &str) -> bool {
        self.at(path).next().is_some()
    }

    /// Where a quotation of a file really is: the place nearest to the line that was named.
    pub fn find(&self, path: &str, line: usize, quote: &str) -> Option<Rest> {
        let nearest = |rest: &Rest| (rest.line.abs_diff(line), rest.line);
        let found = self.at(path).flat_map(|text| text.find(quote)).min_by_key(nearest);
        found.or_else(|| {
            let text = self.code?.text(path.trim().trim_start_matches("./"))?;
            let folded = OnceCell::new();
            let text = Text { path, first: 1, text: &text };
            Compared { text, folded: &folded }.find(quote).into_iter().min_by_key(nearest)
        })
    }

    /// Whether any of the files has these words.
    pub fn quotes(&self, words: &str) -> bool {
        self.texts().any(|text| text.has(words))
    }

    /// Whether any of the files has a folded word or phrase.
    pub fn says(&self, folded: &str) -> bool {
        self.texts().any(|text| says(&text.folded().text, folded))
    }

    /// Whether any of the files says a word or phrase in lower case, in the singular or plural.
    pub fn mentions(&self, phrase: &str) -> bool {
        let forms = [phrase.to_owned(), format!("{phrase}s"), format!("{phrase}es")];
        self.texts().any(|text| forms.iter().any(|form| says(&text.folded().text, form)))
    }

    /// The line that has the most words of a quotation, of the file that it names or else of all.
    pub fn nearest(&self, path: &str, quote: &str) -> Option<String> {
        let wanted: BTreeSet<String> = subjects(quote).into_iter().collect();
        let of = |texts: &mut dyn Iterator<Item = Compared<'_>>| -> Option<String> {
            let lines = texts.flat_map(|text| {
                let Text { path, first, text } = text.text;
                text.lines().enumerate().map(move |(at, line)| (path, first + at, line))
            });
            let shares = |line: &str| subjects(line).iter().filter(|word| wanted.contains(*word)).count();
            let scored = lines.map(|(path, number, line)| (shares(line), path, number, line));
            // A line that has less than half of the words is not near.
            let near = scored.filter(|(shares, ..)| *shares > 0 && shares * 2 >= wanted.len());
            let best = near.reduce(|best, one| if one.0 > best.0 { one } else { best });
            let (_, path, number, line) = best?;
            Some(format!("{path}:{number}: {}", plain::cut(&plain::shown(line), SHOWN)))
        };
        of(&mut self.at(path)).or_else(|| of(&mut self.texts()))
    }

    /// The line that a quotation names, where it has a word of it.
    pub fn line_near(&self, rest: &Rest) -> Option<String> {
        let wanted = subjects(&rest.quote);
        let line = self.line(&rest.path, rest.line)?;
        let shares = subjects(line).iter().any(|word| wanted.contains(word));
        shares.then(|| format!("{}:{}: {}", rest.path, rest.line, plain::cut(&plain::shown(line), SHOWN)))
    }

    /// A line of a file.
    pub fn line<'s>(&'s self, path: &'s str, line: usize) -> Option<&'s str> {
        self.at(path).find_map(|text| text.text.text.lines().nth(line.checked_sub(text.first)?))
    }

    /// The lines around a passage, up to blank ones.
    pub fn around<'s>(&'s self, rest: &'s Rest) -> Option<&'s str> {
        let last = rest.line + rest.quote.lines().count().saturating_sub(1);
        self.at(&rest.path).find_map(|compared| {
            let text = compared.text;
            let first = rest.line.checked_sub(text.first)?;
            let mut starts = vec![0];
            starts.extend(memchr::memchr_iter(b'\n', text.text.as_bytes()).map(|at| at + 1));
            let end = |line: usize| starts.get(line + 1).copied().unwrap_or(text.text.len());
            let is_blank = |line: usize| text.text[starts[line]..end(line)].trim().is_empty();
            starts.get(first)?;
            let top = (0..first).rev().find(|line| is_blank(*line)).map_or(0, |line| line + 1);
            let bottom = (last - text.first..starts.len()).find(|line| is_blank(*line));
            Some(&text.text[starts[top]..bottom.map_or(text.text.len(), |line| starts[line])])
        })
    }

    /// The blocks that have an id.
    pub fn blocks_with(&self, id: &str) -> Vec<&str> {
        self.texts().flat_map(|one| own_text::of_id(one.text.text, id)).collect()
    }

    /// The sections with this number: none where no heading is numbered.
    pub fn sections(&self, number: &str) -> Option<Vec<&str>> {
        let all: Vec<_> = self.texts().flat_map(|one| own_text::numbered_sections(one.text.text)).collect();
        let found = all.iter().filter(|(own, _)| *own == number).map(|(_, section)| *section).collect();
        (!all.is_empty()).then_some(found)
    }

    /// Whether a line begins with this number, which has parts: "6.5" of "- [ ] 6.5 Add a test", "3.1" of "## Case 3.1".
    pub fn numbers_item(&self, number: &str) -> bool {
        let begins = |line: &str| {
            let line = line.trim_start_matches([' ', '\t', '-', '*', '#', '[', ']', 'x', '~']);
            let named = line.trim_start_matches(char::is_alphabetic).trim_start();
            let ends = |rest: &str| rest.is_empty() || rest.starts_with([' ', '.', ')', ':', '*']);
            [line, named].iter().any(|line| line.strip_prefix(number).is_some_and(ends))
        };
        number.contains('.') && self.texts().any(|one| one.text.text.lines().any(begins))
    }

    /// The lines of code and data that have a name, each with what is indented below it.
    pub fn blocks_naming(&self, name: &str) -> Vec<&str> {
        self.texts().flat_map(|one| own_text::of_name(one.text.text, name)).collect()
    }

    /// What there is of a file.
    pub fn of_file<'s>(&'s self, path: &'s str) -> Vec<&'s str> {
        self.at(path).map(|one| one.text.text).collect()
    }

    /// All texts.
    pub fn all(&self) -> impl Iterator<Item = &str> {
        self.texts().map(|one| one.text.text)
    }

    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.texts().map(|text| text.text.path)
    }

    /// The first line that has an id, with its place.
    pub fn line_of(&self, id: &str) -> Option<String> {
        self.texts().find_map(|text| {
            let (at, line) = text
                .text
                .text
                .lines()
                .enumerate()
                .find(|(_, line)| mentioned_ids(line).any(|one| one == id))?;
            Some(format!("{}:{}: {}", text.path, text.first + at, plain::cut(&plain::shown(line), SHOWN)))
        })
    }

    /// The longest file's last line: no place is after it.
    pub fn last_line(&self) -> usize {
        self.texts().map(|text| text.first + text.text.text.lines().count()).max().unwrap_or_default()
    }

    /// Every id in the files.
    pub fn ids(&self) -> &BTreeSet<String> {
        let of = |text: Compared<'_>| self.named(text.text.text).map(str::to_owned).collect::<Vec<_>>();
        self.ids.get_or_init(|| self.texts().flat_map(of).collect())
    }

    /// The ids that a text names: what cannot be anything else, and what the documents make ids of.
    pub fn named<'s>(&self, text: &'s str) -> impl Iterator<Item = &'s str> {
        self.defined().named(text)
    }

    /// Whether a document defines an id.
    pub fn defines(&self, id: &str) -> bool {
        self.defined().has(id)
    }

    fn defined(&self) -> &DefinedIds {
        let documents = || self.texts().map(|one| one.text).filter(|text| is_markdown(text.path));
        self.defined.get_or_init(|| DefinedIds::new(documents().map(|text| text.text)))
    }
}

impl Compared<'_> {
    fn folded(&self) -> &Folded {
        self.folded.get_or_init(|| Folded::new(self.text.text))
    }

    /// Every place of a quotation; what it leaves out ("…") is left out.
    fn find(&self, quote: &str) -> Vec<Rest> {
        let folded = self.folded();
        let wanted = Folded::query(quote);
        let mut parts = wanted.split('…').map(str::trim).filter(|part| !part.is_empty());
        let Some(first) = parts.next() else { return Vec::new() };
        let rest: Vec<&str> = parts.collect();
        let places = memchr::memmem::find_iter(folded.text.as_bytes(), first).filter_map(|at| {
            let mut end = at + first.len();
            for part in &rest {
                end += folded.text.get(end..)?.find(part)? + part.len();
            }
            let (from, last) = (*folded.from.get(at)?, *folded.from.get(end - 1)?);
            let to = last + self.text.text.get(last..)?.chars().next()?.len_utf8();
            let (from, to) = with_edges(self.text.text, from..to, quote.trim());
            // What a quotation leaves out is in the same block.
            let whole = self.text.text.get(from..to)?;
            if !rest.is_empty() && !is_one_block(whole) {
                return None;
            }
            let quote = plain::clean(whole);
            let line =
                self.first + memchr::memchr_iter(b'\n', self.text.text.get(..from)?.as_bytes()).count();
            Some(Rest { path: self.path.to_owned(), line, quote })
        });
        places.take(64).collect()
    }

    fn has(&self, words: &str) -> bool {
        let wanted = Folded::query(words);
        let mut parts = wanted.split('…').map(str::trim).filter(|part| !part.is_empty());
        parts.all(|part| memchr::memmem::find(self.folded().text.as_bytes(), part.as_bytes()).is_some())
    }
}

/// A place of a text with the marks around it that a quotation has, too: those do not tell where it is.
fn with_edges(text: &str, place: Range<usize>, quote: &str) -> (usize, usize) {
    let is_mark = |c: char| c.is_whitespace() || EDGES.contains(c) || "*`“”„‘’".contains(c);
    let before = &quote[..quote.len() - quote.trim_start_matches(is_mark).len()];
    let after = &quote[quote.trim_end_matches(is_mark).len()..];
    let starts = before.char_indices().map(|(at, mark)| &before[..at + mark.len_utf8()]);
    let more = starts.rev().find(|marks| text[..place.start].ends_with(marks)).map_or(0, str::len);
    let mut ends = after.char_indices().map(|(at, _)| &after[at..]);
    let rest = ends.find(|marks| text[place.end..].starts_with(marks)).map_or(0, str::len);
    (place.start - more, place.end + rest)
}

/// Marks at the edges of a quotation that do not tell where it is.
const EDGES: &str = "\"'.,;:…";

/// A text as quotations are compared: in lower case, blanks for white space, without emphasis.
pub struct Folded {
    pub text: String,
    /// Of each byte of `text`, the byte of the source it comes from.
    from: Vec<usize>,
}

impl Folded {
    pub fn new(source: &str) -> Folded {
        let mut folded = Folded { text: String::with_capacity(source.len()), from: Vec::new() };
        for (at, c) in source.char_indices() {
            match c {
                '*' | '`' => {}
                c if c.is_whitespace() => {
                    if !folded.text.ends_with(' ') {
                        folded.push(' ', at);
                    }
                }
                '’' | '‘' => folded.push('\'', at),
                '“' | '”' | '„' => folded.push('"', at),
                '–' | '—' | '‑' => folded.push('-', at),
                // What is not shown to a model is not in its quotation: a variation selector.
                c if !c.is_ascii() && !plain::is_visible(c) => {}
                c => c.to_lowercase().for_each(|c| folded.push(c, at)),
            }
        }
        folded
    }

    fn push(&mut self, c: char, at: usize) {
        self.text.push(c);
        self.from.resize(self.text.len(), at);
    }

    /// A quotation to look for: without the marks around it.
    pub fn query(quote: &str) -> String {
        let quote = quote.replace("[...]", "…").replace("[…]", "…").replace("...", "…");
        let folded = Folded::new(&quote).text;
        folded.trim_matches(|c: char| c.is_whitespace() || EDGES.contains(c)).to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quotation_is_found_where_it_is_and_kept_as_it_is_written() {
        let text = "# A\n\n- **Sync** runs  at\n  night; no photo waits.\n\nSync runs.\n";
        let others = [Excerpt {
            path: "src/sync.rs".into(),
            line: 40,
            text: "fn sync() {\n    // retry twice\n    read(file.path());\n}".into(),
        }];
        let sources = Sources::new([("spec.md", text)].into_iter(), &others);
        for (path, line, quote, wanted) in [
            ("spec.md", 1, "sync runs at night", Some((3, "Sync** runs  at\n  night"))),
            ("spec.md", 6, "Sync runs.", Some((6, "Sync runs."))),
            ("spec.md", 1, "- **Sync** runs at", Some((3, "- **Sync** runs  at"))),
            (
                "docs/x/spec.md",
                3,
                "\"Sync runs … no photo waits.\"",
                Some((3, "Sync** runs  at\n  night; no photo waits")),
            ),
            ("./src/sync.rs", 1, "retry twice", Some((41, "retry twice"))),
            ("src/sync.rs", 1, "retry thrice", None),
            ("src/sync.rs", 42, "file.path()", Some((42, "file.path()"))),
            ("src/sync.rs", 42, "`file.path())`;", Some((42, "file.path());"))),
            ("other.md", 1, "Sync runs", None),
            ("spec.md", 1, " … ", None),
        ] {
            let found = sources.find(path, line, quote);
            if let Some(rest) = &found {
                // A recorded quotation is found again as it is.
                assert_eq!(sources.find(path, rest.line, &rest.quote), found);
            }
            let found = found.map(|rest| (rest.line, rest.quote));
            assert_eq!(found, wanted.map(|(line, quote)| (line, quote.to_owned())), "{quote}");
        }
        assert!(sources.quotes("no photo  WAITS") && !sources.quotes("a photo waits"));
    }
}
