//! YAML front matter of step and persona files: found, sized, parsed into a typed value, with
//! findings that name line and column of the file.
//!
//! ```
//! use roundtable::front_matter;
//!
//! let parts = front_matter::split("step.md", "---\ntitle: Fees\n---\n## Brief Mode\n").unwrap();
//! assert_eq!((parts.yaml, parts.body), ("title: Fees\n", "## Brief Mode\n"));
//! ```

use serde::de::DeserializeOwned;

use crate::finding::Finding;

/// Front matter over this many bytes is refused before it is parsed.
pub const LIMIT: usize = 64 * 1024;
/// Brackets and indentation deeper than this are refused before parsing: a parser would spend
/// seconds on a hundred thousand of them.
const NESTING: usize = 64;

/// A file split at its front matter.
pub struct Parts<'a> {
    pub yaml: &'a str,
    pub body: &'a str,
    /// The line of the file on which the body starts.
    pub body_line: usize,
}

/// Splits a file that starts with `---` on line 1.
///
/// # Errors
/// When the front matter is missing, not closed, or larger than [`LIMIT`].
pub fn split<'a>(path: &str, text: &'a str) -> Result<Parts<'a>, Finding> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let Some(rest) = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n")) else {
        return Err(Finding::at(path, text, 1, 1, "no front matter")
            .hint("start the file with a line `---`, then `key: value` lines, then `---`"));
    };
    let start = text.len() - rest.len();
    let mut at = start;
    for (line, found) in (2..).zip(rest.split_inclusive('\n')) {
        if matches!(found.trim_end(), "---" | "...") {
            let yaml = &text[start..at];
            if yaml.len() > LIMIT {
                return Err(Finding::at(path, text, 1, 1, format!("the front matter is over {LIMIT} bytes")));
            }
            return Ok(Parts { yaml, body: &text[at + found.len()..], body_line: line + 1 });
        }
        at += found.len();
    }
    Err(Finding::at(path, text, 1, 1, "the front matter is not closed").hint("end it with a line `---`"))
}

/// Splits a file and parses its front matter.
///
/// # Errors
/// What [`split`] refuses, and YAML that is broken or does not fit `T`.
pub fn read<'a, T: DeserializeOwned>(path: &str, text: &'a str) -> Result<(T, Parts<'a>), Finding> {
    let parts = split(path, text)?;
    let value = parse(path, text, parts.yaml, 1)?;
    Ok((value, parts))
}

/// Parses `yaml`, which stands in `text` after `skipped` lines.
///
/// # Errors
/// YAML that is broken, nested without end, or does not fit `T`.
pub fn parse<T: DeserializeOwned>(path: &str, text: &str, yaml: &str, skipped: usize) -> Result<T, Finding> {
    if let Some(line) = too_deep(yaml) {
        let message = format!("nested more than {NESTING} levels deep");
        return Err(Finding::at(path, text, line + skipped, 1, message));
    }
    serde_yaml::from_str(yaml).map_err(|error| {
        let (line, column) = error.location().map_or((1, 1), |at| (at.line(), at.column()));
        Finding::at(path, text, line + skipped, column.max(1), reason(&error.to_string()))
    })
}

/// The parser's message without its own ` at line …`, which counts from the front matter's start.
fn reason(message: &str) -> String {
    let end = message.find(" at line ").unwrap_or(message.len());
    // The words of a parser are not those of a user.
    let words = [
        ("expected u32", "expected a whole number"),
        ("expected usize", "expected a whole number"),
        ("sequence", "list"),
        ("struct ", ""),
    ];
    let message = words.iter().fold(message[..end].to_owned(), |text, (from, to)| text.replace(from, to));
    message
        .split_once(": ")
        .filter(|(head, _)| !head.contains(' '))
        .map_or(message.as_str(), |(_, tail)| tail)
        .to_owned()
}

/// The line on which flow brackets or block indicators nest deeper than [`NESTING`].
pub(crate) fn too_deep(yaml: &str) -> Option<usize> {
    let mut open = 0_usize;
    for (number, line) in yaml.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with('#')) {
        // `- - - x`: each indicator has a blank behind it.
        let dashes = line
            .split(' ')
            .take_while(|word| matches!(*word, "" | "-" | "?"))
            .filter(|word| !word.is_empty());
        if dashes.count() > NESTING {
            return Some(number + 1);
        }
        for found in line.chars() {
            match found {
                '[' | '{' => open += 1,
                ']' | '}' => open = open.saturating_sub(1),
                _ => {}
            }
            if open > NESTING {
                return Some(number + 1);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code)]
    struct Small {
        title: String,
    }

    fn refused(text: &str) -> String {
        read::<Small>("s.md", text).map(|_| ()).unwrap_err().to_string()
    }

    #[test]
    fn a_file_is_split_at_its_front_matter() {
        let (small, parts) = read::<Small>("s.md", "---\ntitle: x\n---\nbody\n").unwrap();
        assert_eq!((small.title.as_str(), parts.body, parts.body_line), ("x", "body\n", 4));
    }

    #[test]
    fn broken_front_matter_is_refused_with_its_place() {
        insta::assert_snapshot!(refused("# x\n"), @r"
        s.md:1:1: no front matter
         1 | # x
           | ^
           = start the file with a line `---`, then `key: value` lines, then `---`
        ");
        insta::assert_snapshot!(refused("---\ntitle: [\n---\n"), @r"
        s.md:2:8: invalid type: list, expected a string
         2 | title: [
           |        ^
        ");
        assert!(refused("---\ntitle: x\n").contains("not closed"));
        assert!(refused("---\nname: x\n---\n").contains("unknown field `name`"));
    }

    #[test]
    fn yaml_bombs_are_refused_at_once() {
        let deep = format!("---\ntitle: {}\n---\n", "[".repeat(50_000));
        assert!(refused(&deep).contains("levels deep"));
        let mut bomb = String::from("---\na: &a [x,x,x,x,x,x,x,x,x]\n");
        for (name, from) in ["b", "c", "d", "e", "f", "g", "h", "i"].into_iter().zip("abcdefgh".chars()) {
            let aliases = vec![format!("*{from}"); 9].join(",");
            bomb.push_str(&format!("{name}: &{name} [{aliases}]\n"));
        }
        bomb.push_str("title: *i\n---\n");
        assert!(!refused(&bomb).is_empty());
    }
}
