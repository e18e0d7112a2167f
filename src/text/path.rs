//! Paths inside a repository that roundtable is willing to write.
//!
//! An own allow-list, because libgit2 lets names through that other systems read differently
//! (`.g<U+200C>it`, `CON`, `a\..\b`, names with line ends or bidi marks).

use std::fmt;

/// A text as a part of a URL (RFC 3986, section 2): all but unreserved characters escaped.
pub fn percent_encoded(text: &str) -> String {
    let sign = |byte| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(sign).collect()
}

/// A path as a relative reference: its slashes are kept.
pub fn encoded_path(path: &str) -> String {
    path.split('/').map(percent_encoded).collect::<Vec<_>>().join("/")
}

/// Whether a path is below a folder; `.` is the repository's root.
///
/// ```
/// use roundtable::text::path::is_below;
///
/// assert!(is_below("docs/a.md", "docs/") && is_below("a.md", "."));
/// assert!(!is_below("docs", "docs") && !is_below("docs-old/a.md", "docs"));
/// ```
pub fn is_below(path: &str, folder: &str) -> bool {
    let folder = folder.trim_end_matches('/');
    folder == "." || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// A step's output below the item folder; checked, with forward slashes, without a trailing one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OutputPath {
    path: String,
    folder: bool,
}

/// Why a path is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("the output is empty")]
    Empty,
    #[error("the output \"{0}\" is absolute, and must be below the item folder")]
    Absolute(String),
    #[error("the output \"{0}\" climbs out of the item folder")]
    Climbs(String),
    #[error("the output \"{0}\" has a name that not every system can hold")]
    Name(String),
    #[error("the output \"{0}\" is roundtable's own file")]
    Own(String),
}

impl OutputPath {
    /// Checks an entry of a step's `outputs`. A trailing `/`, or a last name without a suffix,
    /// means a folder.
    ///
    /// # Errors
    /// A path that is no plain path below the item folder.
    pub fn parse(text: &str) -> Result<OutputPath, Refused> {
        let shown =
            crate::text::plain::cut(&crate::text::plain::one_line(&crate::text::plain::clean(text)), 80);
        if text.is_empty() {
            return Err(Refused::Empty);
        }
        let drive = text.as_bytes().get(1) == Some(&b':');
        if text.starts_with(['/', '\\']) || drive {
            return Err(Refused::Absolute(shown));
        }
        let trimmed = text.strip_suffix('/').unwrap_or(text);
        let parts: Vec<&str> = trimmed.split('/').collect();
        if parts.iter().any(|part| matches!(*part, ".." | ".")) {
            return Err(Refused::Climbs(shown));
        }
        if !parts.iter().all(|part| is_safe_name(part)) || trimmed.len() > 200 {
            return Err(Refused::Name(shown));
        }
        if parts[0].eq_ignore_ascii_case("elaborations") || trimmed.eq_ignore_ascii_case("meta.json") {
            return Err(Refused::Own(shown));
        }
        let folder = text.ends_with('/') || !parts[parts.len() - 1].contains('.');
        Ok(OutputPath { path: trimmed.to_owned(), folder })
    }

    /// The file that takes the addition; a folder has its own.
    pub fn file(&self) -> String {
        if self.folder { format!("{}/elaboration-insights.md", self.path) } else { self.path.clone() }
    }
}

impl fmt::Display for OutputPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)
    }
}

/// Whether a file's name is that of a Markdown document.
pub fn is_markdown(name: &str) -> bool {
    matches!(suffix(name).as_str(), "md" | "markdown")
}

/// What a file's name ends in, in lower case, without the dot.
pub fn suffix(name: &str) -> String {
    name.rsplit_once('.').map_or(String::new(), |(_, suffix)| suffix.to_ascii_lowercase())
}

/// Whether a text is a path from the repository's root as git writes it: names between slashes,
/// none of them empty or a step up.
pub fn is_plain(path: &str) -> bool {
    !path.is_empty() && path.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

/// The path of a file that lies beside a folder.
pub fn beside(folder: &str, name: &str) -> String {
    match folder.rsplit_once('/') {
        Some((above, _)) => format!("{above}/{name}"),
        None => name.to_owned(),
    }
}

/// Whether Windows keeps a name for a device, with any ending: `con`, `COM1.md`.
pub fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let is_port = |stem: &str| {
        stem.strip_prefix("com")
            .or_else(|| stem.strip_prefix("lpt"))
            .is_some_and(|rest| rest.len() == 1 && rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    matches!(stem.as_str(), "con" | "prn" | "aux" | "nul") || is_port(&stem)
}

/// A name near that of a device which Windows keeps for none: `con-item.md`.
pub fn beside_device(name: &str) -> String {
    let (stem, ending) = name.split_at(name.find('.').unwrap_or(name.len()));
    format!("{stem}-item{ending}")
}

/// One component of `[A-Za-z0-9._-]`, without a leading or trailing dot, a leading hyphen, or a
/// device's name.
pub fn is_safe_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(['.', '-'])
        && !name.ends_with('.')
        && !is_device(name)
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
}

/// The name of a folder that a user may give an item: as [`is_safe_name`], of the letters and digits of any language,
/// with blanks between words, and of at most 120 bytes, so that files with longer names fit in.
pub fn is_item_name(name: &str) -> bool {
    const LONGEST: usize = 120;
    let ascii: String = name.chars().map(|sign| if is_letter(sign) { 'a' } else { sign }).collect();
    name.len() <= LONGEST
        && !is_device(name)
        && name.trim() == name
        && ascii.split(' ').all(|word| word.is_empty() || is_safe_name(word))
        && !name.is_empty()
}

/// The path of a folder that a user may give an item: of such names; folders above it may be hidden as `.kiro` is, but
/// none of git's.
///
/// ```
/// use roundtable::text::path::is_item_path;
///
/// assert!(is_item_path(".kiro/specs/late-fees") && !is_item_path(".git/x") && !is_item_path("docs/.x"));
/// ```
pub fn is_item_path(path: &str) -> bool {
    let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_folder = |name: &str| {
        let shown = name.strip_prefix('.').filter(|shown| !shown.to_ascii_lowercase().starts_with("git"));
        is_item_name(shown.unwrap_or(name))
    };
    is_item_name(name) && (above.is_empty() || above.split('/').all(is_folder))
}

/// A letter or digit beyond ASCII, or a sign that combines with one; a blank parts words.
fn is_letter(sign: char) -> bool {
    !sign.is_ascii() && (sign.is_alphanumeric() || unicode_normalization::char::is_combining_mark(sign))
}

/// A path as one part of a branch's name: what git has no place for there is a hyphen.
pub fn as_branch(path: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '+' | '#');
    let name: String = path.chars().map(|c| if plain(c) { c } else { '-' }).collect();
    let name = name.replace("..", "-");
    let name = name.trim_matches(['-', '.']);
    if name.is_empty() { "item".to_owned() } else { name.to_owned() }
}

/// A slug of an issue's title: letters, digits and hyphens, at most six words.
pub fn slug_of(title: &str, number: u64) -> String {
    let lower = title.to_ascii_lowercase();
    let words = lower.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let mut slug = String::new();
    for word in words.take(6) {
        if slug.len() + word.len() > 48 {
            break;
        }
        if !slug.is_empty() {
            slug.push('-');
        }
        slug.push_str(word);
    }
    match slug.as_str() {
        "" => format!("issue-{number}"),
        // A device of Windows is no name for a folder.
        reserved if !is_safe_name(reserved) => format!("{reserved}-{number}"),
        _ => slug,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_paths_below_the_item_are_accepted() {
        for (text, file) in [
            ("requirements-spec.md", "requirements-spec.md"),
            ("adr/", "adr/elaboration-insights.md"),
            ("ADRs", "ADRs/elaboration-insights.md"),
            ("design/data_flow.v2.md", "design/data_flow.v2.md"),
        ] {
            assert_eq!(OutputPath::parse(text).unwrap().file(), file);
        }
    }

    #[test]
    fn paths_that_climb_or_lie_are_refused() {
        let refused = [
            "",
            "/etc/passwd",
            "\\\\host\\x",
            "C:x.md",
            "..",
            "../x.md",
            "a/../x.md",
            "./x.md",
            ".git/config",
            ".GIT/config",
            "git~1/config",
            ".g\u{200c}it/x.md",
            "a\\..\\b.md",
            "CON",
            "con.md",
            "nul.md",
            "COM1.md",
            "lpt9",
            "x:s.md",
            "trail.",
            "trail./x.md",
            "x .md",
            "a//b.md",
            ".gitmodules",
            ".gitattributes",
            ".github/workflows/x.yml",
            "x\n.md",
            "\u{202e}dm.x",
            "-x.md",
            "meta.json",
            "META.json",
            "elaborations/x.md",
            "Elaborations/",
            "data-flow diagrams",
        ];
        for text in refused {
            assert!(OutputPath::parse(text).is_err(), "{text:?} was accepted");
        }
    }
}
