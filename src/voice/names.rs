//! Files, functions, settings, commits and addresses that a line names: each exists (V-5).
//!
//! A name is told by its form alone: it is marked as code, spelled as only code is, called, or ends as files do here.
//! What documents, evidence or somebody at the table have named may be named again.
//!
//! ```
//! use roundtable::voice::names::{identifiers, place, tokens};
//!
//! let found: Vec<&str> = tokens("Call flush() in src/queue.js:12.").collect();
//! assert_eq!(found, ["Call", "flush()", "in", "src/queue.js:12"]);
//! assert_eq!(place(found[3]), ("src/queue.js", Some(12)));
//! assert_eq!(identifiers("flush()", false).next(), Some("flush"));
//! ```

use super::rules::{Breach, Rule};
use crate::text::plain;

/// The files of the base commit.
pub trait Codebase {
    /// Whether a file or folder has this path, or ends with it.
    fn has_file(&self, path: &str) -> bool;

    /// Whether a word ends as files do here: `queue.js` where there is JavaScript.
    fn is_file_name(&self, word: &str) -> bool;

    /// The text of the only file that has this path, or ends with it.
    fn text(&self, path: &str) -> Option<String>;

    /// The lines that have a name as a whole word, each with what is indented below it.
    fn blocks_with(&self, name: &str) -> Vec<String>;

    /// Whether there is a commit with this id, or one that it abbreviates.
    fn has_commit(&self, id: &str) -> bool;
}

/// What a line may name.
pub struct Known<'a> {
    pub code: &'a dyn Codebase,
    /// Whether documents, evidence or somebody at the table have a word.
    pub is_said: &'a dyn Fn(&str) -> bool,
}

/// Names of a line that are looked up.
const MOST: usize = 24;
/// The most names that a line may say are nowhere, and the longest, in characters.
const MOST_ABSENT: usize = 12;
const LONGEST_NAME: usize = 200;
/// Shorter words are too often something else.
const SHORTEST_NAME: usize = 4;

/// The names and wordings that a line says are in no document or file, as far as it has them.
pub fn absent_names<'n>(listed: impl Iterator<Item = &'n str>, text: &str) -> Vec<String> {
    let clean = |name: &str| {
        let name = plain::one_line(&plain::clean(name));
        plain::cut(
            name.trim_matches(|mark: char| mark.is_whitespace() || "`\"“”".contains(mark)),
            LONGEST_NAME,
        )
    };
    let is_there = |name: &String| !name.is_empty() && text.contains(name.as_str());
    listed.map(clean).filter(is_there).take(MOST_ABSENT).collect()
}

/// The first name of a text that does not exist, or not where it is said to be.
pub fn unknown_name(text: &str, known: &Known<'_>) -> Option<Breach> {
    let is_code = |at: usize, part: &str| at % 2 == 1 && !part.contains(char::is_whitespace);
    let parts = text.split('`').enumerate();
    let named = parts.flat_map(|(at, part)| tokens(part).map(move |token| (token, is_code(at, part))));
    let named = named.filter(|(token, is_marked)| is_named(token, *is_marked, known.code)).take(MOST);
    let mut unknown = named.filter_map(|(token, is_marked)| known.unknown_in(token, is_marked));
    unknown.next().or_else(|| known.misplaced(text))
}

/// Whether a token may name something.
fn is_named(token: &str, is_marked: bool, code: &dyn Codebase) -> bool {
    token.contains("://")
        || is_commit(token)
        || is_path(place(token).0, is_marked, code)
        || identifiers(token, is_marked).next().is_some()
}

/// Whether a word is a path: it ends as files do here, and is written like none of the products that do so, too.
fn is_path(path: &str, is_marked: bool, code: &dyn Codebase) -> bool {
    let is_written = is_marked || path.contains('/') || !path.starts_with(char::is_uppercase);
    is_written && code.is_file_name(path)
}

impl Known<'_> {
    fn unknown_in(&self, token: &str, is_marked: bool) -> Option<Breach> {
        let (path, line) = place(token);
        if let Some((_, address)) = token.split_once("://") {
            // A scheme alone is a word: `http://`.
            if address.is_empty() {
                return None;
            }
            return self.unless(token, || !self.code.blocks_with(token).is_empty());
        }
        if is_path(path, is_marked, self.code) {
            let found = self.unless(path, || self.code.has_file(path));
            return found.or_else(|| self.beyond(path, line?));
        }
        if is_commit(token) {
            return self.unless(token, || self.code.has_commit(token));
        }
        let exists = |name: &str| self.code.has_file(name) || !self.code.blocks_with(name).is_empty();
        identifiers(token, is_marked).find_map(|name| self.unless(name, || exists(name)))
    }

    fn unless(&self, name: &str, is_there: impl Fn() -> bool) -> Option<Breach> {
        (!(self.is_said)(name) && !is_there()).then(|| Breach::new(Rule::Name, &plain::shown(name)))
    }

    /// A line of a file that is longer than the file.
    fn beyond(&self, path: &str, line: usize) -> Option<Breach> {
        let last = self.code.text(path)?.lines().count();
        (line > last).then(|| Breach::new(Rule::Place, &format!("{path}:{line}")))
    }

    /// `scale in src/queue.js` where that file does not have it.
    fn misplaced(&self, text: &str) -> Option<Breach> {
        let words: Vec<&str> = text.split_whitespace().collect();
        words.windows(3).find_map(|three| {
            let name = identifier_of(three[0]).filter(|_| matches!(three[1], "in" | "of"))?;
            let path = tokens(three[2]).map(|token| place(token).0).find(|path| !path.is_empty())?;
            let text = self.code.text(path)?;
            let has = text.split(|c: char| !is_part(c)).any(|word| word == name);
            (!has).then(|| Breach::new(Rule::Name, &format!("{name} in {path}")))
        })
    }
}

/// The only identifier that a word is, whatever marks are around it.
fn identifier_of(word: &str) -> Option<&str> {
    let (is_marked, is_called) = (word.contains('`'), word.contains("()"));
    let bare = word.trim_matches(|c: char| !is_part(c));
    is_identifier(bare, is_marked, is_called).then_some(bare).filter(|name| name.chars().all(is_part))
}

/// The words of a text with what paths, calls and addresses have within.
pub fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || "_-./+@#:()=?&%~".contains(c);
    text.split(move |c: char| !is_part(c)).map(bare_token).filter(|token| !token.is_empty())
}

/// A token without the marks of the sentence around it; a call keeps its brackets.
fn bare_token(token: &str) -> &str {
    let token = token.trim_start_matches(['(', ':']).trim_end_matches(['.', ':', '?', '-', '#', '@', '=']);
    let bare = token.trim_end_matches([')', '(', '.']);
    if token[bare.len()..].starts_with("()") { &token[..bare.len() + 2] } else { bare }
}

/// A path, and the line of it that is named.
pub fn place(token: &str) -> (&str, Option<usize>) {
    let (path, rest) = token.split_once("#L").or_else(|| token.split_once(':')).unwrap_or((token, ""));
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    (path, digits.parse().ok())
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Names of functions, types and settings in a token.
pub fn identifiers(token: &str, is_marked: bool) -> impl Iterator<Item = &str> {
    let is_called = token.ends_with("()");
    token.split(|c: char| !is_part(c)).filter(move |name| is_identifier(name, is_marked, is_called))
}

/// Whether a word has the form of a name in code: marked, called, joined by underscores, or humped like `retryLimit`.
fn is_identifier(word: &str, is_marked: bool, is_called: bool) -> bool {
    let bytes = word.as_bytes();
    let is_joint = |three: &[u8]| {
        three[1] == b'_' && three[0].is_ascii_alphanumeric() && three[2].is_ascii_alphanumeric()
    };
    let is_hump = |four: &[u8]| {
        four[..2].iter().all(u8::is_ascii_lowercase)
            && four[2].is_ascii_uppercase()
            && four[3].is_ascii_lowercase()
    };
    // Products are written with a capital (`GitHub`), or have one letter before it (`iPhone`).
    let is_humped = word.starts_with(|c: char| c.is_ascii_lowercase()) && bytes.windows(4).any(is_hump);
    let is_spelled = is_humped || bytes.windows(3).any(is_joint);
    word.len() >= SHORTEST_NAME
        && !word.starts_with(|c: char| c.is_ascii_digit())
        && (is_marked || is_called || is_spelled)
}

/// Whether a word can only be the id of a commit.
fn is_commit(token: &str) -> bool {
    let is_hex = token.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    (7..=40).contains(&token.len())
        && is_hex
        && token.bytes().any(|byte| byte.is_ascii_digit())
        && token.bytes().any(|byte| byte.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_from_words_by_their_form() {
        let names = |text: &str, is_marked| -> Vec<String> {
            tokens(text).flat_map(|token| identifiers(token, is_marked)).map(str::to_owned).collect()
        };
        let text =
            "Call pushAnswer, flush() and RETRY_LIMIT; not GitHub, iPhone, macOS, photo(s) or SHA-256.";
        assert_eq!(names(text, false), ["pushAnswer", "flush", "RETRY_LIMIT"]);
        assert_eq!(names("Queue.open", true), ["Queue", "open"]);
        assert!(is_commit("4f2a91c") && !is_commit("defaced") && !is_commit("20260101"));
    }

    #[test]
    fn a_token_has_no_marks_of_its_sentence() {
        let found: Vec<&str> = tokens("(see src/a.rs:3), open() or open(x)? #L4- 80%.").collect();
        assert_eq!(found, ["see", "src/a.rs:3", "open()", "or", "open(x", "#L4", "80%"]);
    }
}
