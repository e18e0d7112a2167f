//! Where names are defined: found in any language by how definitions are written, never by a list of what exists.
//!
//! A line defines a name that follows a defining keyword, that begins the line and gets a value, or that has parameters
//! and a body. Everything else only uses it.

use std::ops::Range;

use regex::Regex;

/// Words that definitions begin with, in most languages.
const DEFINING: [&str; 27] = [
    "class",
    "const",
    "def",
    "define",
    "defn",
    "enum",
    "fn",
    "fun",
    "func",
    "function",
    "interface",
    "let",
    "macro",
    "message",
    "module",
    "object",
    "proc",
    "procedure",
    "protocol",
    "record",
    "service",
    "struct",
    "sub",
    "trait",
    "type",
    "val",
    "var",
];

/// Words that a field may have before its name.
const OF_FIELDS: [&str; 8] = ["export", "final", "open", "private", "protected", "pub", "public", "readonly"];

/// Names that are looked for.
pub struct Symbols {
    names: Vec<String>,
    any: Option<Regex>,
}

/// A name in a text, and the line (from zero) that defines it; none where the text only has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub name: usize,
    pub defined: Option<usize>,
}

impl Symbols {
    pub fn new(names: &[String]) -> Symbols {
        // The longest first: it is the name where another one begins it.
        let mut longest: Vec<String> = names.iter().map(|name| regex::escape(name)).collect();
        longest.sort_by_key(|name| std::cmp::Reverse(name.len()));
        let any = if names.is_empty() { None } else { Regex::new(&longest.join("|")).ok() };
        Symbols { names: names.to_vec(), any }
    }

    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The names that a text has as whole words, each once.
    pub fn places(&self, text: &str) -> Vec<Place> {
        let mut found: Vec<Place> = Vec::new();
        for hit in
            self.any.iter().flat_map(|any| any.find_iter(text)).filter(|hit| is_whole(text, hit.range()))
        {
            let Some(name) = self.names.iter().position(|name| name == hit.as_str()) else { continue };
            let known = found.iter().position(|place| place.name == name);
            if known.is_some_and(|at| found[at].defined.is_some()) {
                continue;
            }
            let is_defined = defines(text, hit.range());
            let line = || memchr::memchr_iter(b'\n', &text.as_bytes()[..hit.start()]).count();
            let place = Place { name, defined: is_defined.then(line) };
            match known {
                Some(at) => found[at] = place,
                None => found.push(place),
            }
        }
        found
    }
}

/// Whether a character is part of a name.
pub fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn is_whole(text: &str, name: Range<usize>) -> bool {
    !text[..name.start].ends_with(is_part) && !text[name.end..].starts_with(is_part)
}

/// Whether the name at this place of a text is defined there.
pub fn defines(text: &str, name: Range<usize>) -> bool {
    let start = text[..name.start].rfind('\n').map_or(0, |at| at + 1);
    let before = text[start..name.start].trim_end();
    let rest = &text[name.end..];
    let line = rest.lines().next().unwrap_or_default();
    let last = before.rsplit(|c: char| !is_part(c)).next().unwrap_or_default();
    let follows_keyword = DEFINING.contains(&last) && before.ends_with(last);
    // `key: value`, `"key": value`, `name = value`.
    let bare = before.trim_start_matches([' ', '\t', '-', '"', '\'', '$']);
    let after = line.trim_start_matches(['"', '\'', ' ', '?']);
    let is_assigned = bare.split_whitespace().all(|word| OF_FIELDS.contains(&word))
        && (after.starts_with(':') && !after.starts_with("::")
            || after.starts_with('=') && !after.starts_with("==")
            || after.starts_with(":="));
    follows_keyword || is_assigned || line.starts_with(['(', '<']) && has_body(before, rest)
}

/// Parameters and a body, with nothing but words before them: `int open(char *path) {`.
fn has_body(before: &str, rest: &str) -> bool {
    let is_word = |c: char| is_part(c) || " \t:*&<>,[]".contains(c);
    // A statement returns, throws or waits for what it calls; a definition has no such word before its name.
    let last = before.split_whitespace().next_back().unwrap_or_default();
    if !before.chars().all(is_word)
        || ["return", "await", "throw", "new", "else", "case", "yield"].contains(&last)
    {
        return false;
    }
    let mut depth = 0;
    let end = rest.char_indices().take(2_000).find(|(_, c)| {
        depth += i32::from(*c == '(') - i32::from(*c == ')');
        depth == 0 && *c == ')'
    });
    let Some((end, _)) = end else { return false };
    let tail = rest[end + 1..].trim_start();
    // What a function returns, and what it throws, comes before its body.
    let body = tail.find(['{', ';', '=', '\n']).map(|at| tail[at..].trim_start());
    body.is_some_and(|body| body.starts_with('{') || body.starts_with("=>"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_is_told_from_a_use() {
        for (text, wanted) in [
            ("pub fn openDesk() {}", true),
            ("  async openDesk(a, b) {", true),
            ("public static List<Desk> openDesk(int a)\n{", true),
            ("    def openDesk(self):", true),
            ("class openDesk:", true),
            ("export const openDesk = () => 1;", true),
            ("openDesk: 5", true),
            ("  \"openDesk\": true,", true),
            ("openDesk = 3", true),
            ("func openDesk(a int) error {", true),
            ("sub openDesk {", true),
            ("    pub openDesk: bool,", true),
            ("    where openDesk: bool", false),
            ("openDesk();", false),
            ("return openDesk(a) {", false),
            ("if (openDesk(a)) {", false),
            ("x = openDesk(a)", false),
            ("let x = openDesk;", false),
            ("a.openDesk(1);", false),
            ("openDesk == 3", false),
            ("use openDesk::all;", false),
        ] {
            let at = text.find("openDesk").unwrap();
            assert_eq!(defines(text, at..at + 8), wanted, "{text}");
        }
    }

    #[test]
    fn a_name_has_its_first_definition() {
        let symbols = Symbols::new(&["open".to_owned(), "openDesk".to_owned(), "shut".to_owned()]);
        let found = symbols.places("openDesk();\nreopen();\nfn openDesk() {}\nfn openDesk() {}\nshut();\n");
        assert_eq!(found, [Place { name: 1, defined: Some(2) }, Place { name: 2, defined: None }]);
        assert!(Symbols::new(&[]).places("x").is_empty());
    }
}
