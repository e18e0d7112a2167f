//! YAML front matter of step and persona files: found, sized, parsed into a typed value, with
//! findings that name line and column of the file.
//!
//! ```
//! use roundtable::text::front_matter;
//!
//! let parts = front_matter::split("step.md", "---\ntitle: Fees\n---\n## Brief Mode\n").unwrap();
//! assert_eq!((parts.yaml, parts.body), ("title: Fees\n", "## Brief Mode\n"));
//! ```

use serde::de::DeserializeOwned;

use crate::text::finding::{Finding, place};
use crate::text::wording;

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
                return Err(Finding::at(path, text, 1, 1, format!("the front matter is over {LIMIT} bytes"))
                    .hint("put long texts below the second `---`"));
            }
            return Ok(Parts { yaml, body: &text[at + found.len()..], body_line: line + 1 });
        }
        at += found.len();
    }
    Err(Finding::at(path, text, 1, 1, "the front matter is not closed")
        .marked(3)
        .hint("end it with a line `---`"))
}

/// Splits a file and parses its front matter, which has at least the keys `needed`.
///
/// # Errors
/// What [`split`] refuses, and YAML that is broken or does not fit `T`.
pub fn read<'a, T: DeserializeOwned>(
    path: &str,
    text: &'a str,
    needed: &[&str],
) -> Result<(T, Parts<'a>), Finding> {
    let parts = split(path, text)?;
    let value = parse(path, text, parts.yaml, 1)
        .map_err(|finding| with_missing(path, text, parts.yaml, needed, finding))?;
    Ok((value, parts))
}

/// A finding together with all keys that are missing: a parser names the first of them only.
fn with_missing(path: &str, text: &str, yaml: &str, needed: &[&str], finding: Finding) -> Finding {
    let stands = |key: &str| {
        yaml.lines().any(|line| line.strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with(':')))
    };
    let missing: Vec<String> =
        needed.iter().filter(|key| !stands(key)).map(|key| format!("`{key}`")).collect();
    if missing.is_empty() || finding.message.starts_with("not valid") {
        return finding;
    }
    let (what, is) = if missing.len() == 1 { ("key", "is") } else { ("keys", "are") };
    let message = format!("the {what} {} {is} missing", missing.join(", "));
    let first = Finding::at(path, text, 1, 1, message).marked(3);
    let first = first.hint(format!("between the two `---` write at least {}", needed.join(", ")));
    let rest = finding.apart().into_iter().filter(|finding| !finding.message.ends_with("` is missing"));
    Finding { more: rest.collect(), ..first }
}

/// Parses `yaml`, which is in `text` after `skipped` lines.
///
/// # Errors
/// YAML that is broken, nested without end, or does not fit `T`: everything at once that can be
/// found in one reading.
pub fn parse<T: DeserializeOwned>(path: &str, text: &str, yaml: &str, skipped: usize) -> Result<T, Finding> {
    if let Some(line) = too_deep(yaml) {
        let message = format!("nested more than {NESTING} levels deep");
        return Err(Finding::at(path, text, line + skipped, 1, message).hint("take levels away"));
    }
    serde_yaml::from_str(yaml).map_err(|error| {
        let (finding, is_misfit) = placed(path, text, skipped, &error);
        let all = if is_misfit { misfits::<T>(path, text, yaml, skipped) } else { Vec::new() };
        Finding::all(all).unwrap_or(finding)
    })
}

/// A parser's finding at its place in the file, and whether the YAML itself is well-formed.
fn placed(path: &str, text: &str, skipped: usize, error: &serde_yaml::Error) -> (Finding, bool) {
    let said = wording::yaml(&error.to_string());
    let (line, column) = error.location().map_or((1, 1), |at| (at.line(), at.column()));
    let finding = Finding::at(path, text, line + skipped, column.max(1), said.message);
    let finding = Finding { hint: said.hint, ..finding };
    (at_key(text, finding), said.is_misfit)
}

/// A finding that names a key, moved to that key where the parser points at what is around it.
pub(crate) fn at_key(text: &str, finding: Finding) -> Finding {
    let rest =
        ["unknown key \"", "unknown word \""].iter().find_map(|head| finding.message.strip_prefix(head));
    let key = rest.and_then(|rest| rest.split('"').next());
    let Some(key) = key.map(str::to_owned) else { return finding };
    let from: usize = text.split_inclusive('\n').take(finding.line - 1).map(str::len).sum();
    let stands = [format!("{key}:"), format!("{key}\"")].iter().find_map(|key| text[from..].find(key));
    let Some(offset) = stands.map(|at| from + at) else { return finding };
    let (line, column) = place(text, offset);
    let Finding { path, message, hint, .. } = finding;
    Finding { hint, ..Finding::at(&path, text, line, column, message) }.marked(key.chars().count())
}

/// Everything in a well-formed text that does not fit `T`: each key, and each element of a list, is
/// read with the others blanked out, so that it is wrong or right by itself.
fn misfits<T: DeserializeOwned>(path: &str, text: &str, yaml: &str, skipped: usize) -> Vec<Finding> {
    let mut found = Vec::new();
    if yaml.len() > LIMIT {
        return found;
    }
    for piece in pieces(yaml).take(PIECES) {
        let Err(error) = serde_yaml::from_str::<T>(&piece) else { continue };
        let (finding, is_misfit) = placed(path, text, skipped, &error);
        // A key that is missing here is in another piece; so is an alias's anchor.
        let is_elsewhere = finding.message.ends_with("` is missing") || !is_misfit;
        if !is_elsewhere && !found.contains(&finding) {
            found.push(finding);
        }
    }
    found
}

/// As many keys and elements are looked at alone: each is read with the whole text around it blanked out.
const PIECES: usize = 256;

/// The text once for each of its keys, or elements of a list, with all other lines blank.
fn pieces(yaml: &str) -> impl Iterator<Item = String> {
    let lines: Vec<&str> = yaml.lines().collect();
    let is_top = |line: &str| {
        let first = line.chars().next().unwrap_or(' ');
        !first.is_whitespace() && !matches!(first, '#' | ']' | '}') && !matches!(line, "---" | "...")
    };
    let is_list = lines.iter().find(|line| is_top(line)).is_some_and(|line| line.starts_with("- "));
    let begins = |line: &str| is_top(line) && line.starts_with('-') == is_list;
    let mut found = Vec::new();
    for (from, to) in ranges(0, lines.len(), |at| begins(lines[at])) {
        match items(&lines, from + 1, to).as_slice() {
            items @ [_, _, ..] if !is_list => {
                found.extend(items.iter().map(|&item| [(from, from + 1), item]))
            }
            _ => found.push([(from, to), (to, to)]),
        }
    }
    found.into_iter().map(move |ranges| kept(&lines, &ranges))
}

/// The elements of a list between two lines, as far as they are at one indentation.
fn items(lines: &[&str], from: usize, to: usize) -> Vec<(usize, usize)> {
    let indent = |line: &str| line.find("- ").filter(|&at| line[..at].trim().is_empty());
    let Some(first) = lines[from..to].iter().find_map(|line| indent(line)) else { return Vec::new() };
    ranges(from, to, |at| indent(lines[at]) == Some(first))
}

/// From each line between two at which something begins to the next such line.
fn ranges(from: usize, to: usize, begins: impl Fn(usize) -> bool) -> Vec<(usize, usize)> {
    let starts: Vec<usize> = (from..to).filter(|&at| begins(at)).collect();
    let ends = starts.iter().skip(1).copied().chain([to]).collect::<Vec<_>>();
    starts.into_iter().zip(ends).collect()
}

/// The lines of some ranges; all others are blank, so that places stay.
fn kept(lines: &[&str], ranges: &[(usize, usize)]) -> String {
    let stays = |at: usize| ranges.iter().any(|&(from, to)| (from..to).contains(&at));
    lines.iter().enumerate().map(|(at, line)| format!("{}\n", if stays(at) { line } else { "" })).collect()
}

/// The line on which flow brackets or block indicators nest deeper than [`NESTING`].
pub(crate) fn too_deep(yaml: &str) -> Option<usize> {
    let mut open = 0_usize;
    for (number, line) in yaml.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with('#')) {
        // `- - - x`: each indicator has a blank after it.
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
        read::<Small>("s.md", text, &["title"]).map(|_| ()).unwrap_err().to_string()
    }

    #[test]
    fn a_file_is_split_at_its_front_matter() {
        let (small, parts) = read::<Small>("s.md", "---\ntitle: x\n---\nbody\n", &["title"]).unwrap();
        assert_eq!((small.title.as_str(), parts.body, parts.body_line), ("x", "body\n", 4));
    }

    #[test]
    fn broken_front_matter_is_refused_with_its_place() {
        insta::assert_snapshot!(refused("# x\n"), @r"
        s.md:1:1: no front matter
         1 | # x
           | ^
           = help: start the file with a line `---`, then `key: value` lines, then `---`
        ");
        insta::assert_snapshot!(refused("---\ntitle: [\n---\n"), @r"
        s.md:2:8: expected a text, found a list
         2 | title: [
           |        ^
           = help: put a text in quotes
        ");
        insta::assert_snapshot!(refused("---\nname: x\nsub: {titel: y}\n---\n"), @r#"
        s.md:1:1: the key `title` is missing
         1 | ---
           | ^^^
           = help: between the two `---` write at least title

        s.md:2:1: unknown key "name"
         2 | name: x
           | ^^^^
           = help: the keys are title

        s.md:3:1: unknown key "sub"
         3 | sub: {titel: y}
           | ^^^
           = help: the keys are title

        3 findings
        "#);
        assert!(refused("---\ntitle: x\n").contains("not closed"));
        assert!(refused("---\nname: x\n---\n").contains("unknown key \"name\""));
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
