//! What the text of an issue, a pull request or a commit belongs to: the issues that it closes, by GitHub's own words, and
//! the item that a line `Item: PATH` names.
//!
//! ```
//! use roundtable::text::links::{closed_issues, named_item};
//!
//! assert_eq!(closed_issues("Closes #12, fixes: GH-3 and resolved https://github.com/a/b/issues/7."), [12, 3, 7]);
//! assert!(closed_issues("See #12; it closes the door on 3 rooms.").is_empty());
//! assert_eq!(named_item("Hello.\n\nItem: docs/requirements/late-fees/\n").as_deref(), Some("docs/requirements/late-fees"));
//! ```

use super::markdown::said;

/// The words that close an issue (GitHub, "Linking a pull request to an issue").
const KEYWORDS: [&str; 9] =
    ["close", "closes", "closed", "fix", "fixes", "fixed", "resolve", "resolves", "resolved"];
/// Issues that are read of a text at most.
const MAX_ISSUES: usize = 50;

/// The numbers of the issues that a text closes, in its order.
pub fn closed_issues(text: &str) -> Vec<u64> {
    let mut found = Vec::new();
    let mut words = text.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let word = word.trim_end_matches(':').to_ascii_lowercase();
        if !KEYWORDS.contains(&word.as_str()) {
            continue;
        }
        let number = words.peek().and_then(|next| issue(next));
        found.extend(number.filter(|number| !found.contains(number)));
        if found.len() >= MAX_ISSUES {
            break;
        }
    }
    found
}

/// `#12`, `GH-12`, `owner/name#12` or the address of an issue.
fn issue(word: &str) -> Option<u64> {
    let word = word.trim_end_matches(['.', ',', ';', ')', '!']);
    let digits = match word.rsplit_once('#') {
        Some((before, digits)) => {
            let is_repository =
                before.is_empty() || before.split('/').filter(|part| !part.is_empty()).count() == 2;
            is_repository.then_some(digits)?
        }
        None => word.strip_prefix("GH-").or_else(|| {
            word.starts_with("https://").then(|| word.rsplit_once("/issues/")).flatten().map(|(_, rest)| rest)
        })?,
    };
    digits.parse().ok()
}

/// The item that the last line `Item: PATH` of a text names, as people see it: in bold or as an item of a list too, not
/// in code, quoted or struck out.
pub fn named_item(text: &str) -> Option<String> {
    let label = "Item:";
    said(text).lines().rev().find_map(|line| {
        let line = line.trim().trim_start_matches("- ");
        let is_named = line.get(..label.len())?.eq_ignore_ascii_case(label);
        let path = line[label.len()..].trim().trim_matches('`');
        let path = path.trim_start_matches("./").trim_end_matches('/');
        (is_named && !path.is_empty()).then(|| path.to_owned())
    })
}

/// The paths of files that a text links in a repository whose pages are below `page`: `…/blob/REVISION/PATH`.
pub fn linked_files(text: &str, page: &str) -> Vec<String> {
    let begin = format!("{}/blob/", page.trim_end_matches('/'));
    let mut found = Vec::new();
    for (at, _) in text.match_indices(&begin) {
        let rest = &text[at + begin.len()..];
        let end = rest.find(|c: char| c.is_whitespace() || "#?)>\"'`".contains(c)).unwrap_or(rest.len());
        let path = rest[..end].split_once('/').map(|(_, path)| path.trim_end_matches(['.', ',']));
        found.extend(path.filter(|path| !path.is_empty()).map(str::to_owned));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_in_code_names_no_item_and_the_last_one_counts() {
        assert_eq!(named_item("```\nItem: a\n```\nThe Item: b"), None);
        assert_eq!(named_item("Item: a\nItem: `./b c/`\nItem:"), Some("b c".to_owned()));
        assert_eq!(named_item("> Item: a\n\n~~Item: b~~ <!-- Item: c -->"), None);
        for text in [
            "**Item:** docs/a_b_c\nwith words",
            "**Item**: docs/a_b_c",
            "item: docs/a_b_c\r\n",
            "- Item: docs/a_b_c",
        ] {
            assert_eq!(named_item(text).as_deref(), Some("docs/a_b_c"), "{text}");
        }
    }

    #[test]
    fn links_are_those_of_the_repository_alone() {
        let text = "See https://h/o/n/blob/main/docs/a.md#l, (https://h/o/n/blob/abc/b/c.md?plain=1) and https://evil/o/n/blob/main/x.md.";
        assert_eq!(linked_files(text, "https://h/o/n"), ["docs/a.md", "b/c.md"]);
    }

    #[test]
    fn a_closing_word_needs_its_issue() {
        for text in [
            "fixes it",
            "closes #x",
            "fix a/b/c#4",
            "prefix #4",
            "closes http://h/issues/4",
            "closes #99999999999999999999",
        ] {
            assert!(closed_issues(text).is_empty(), "{text}");
        }
        assert_eq!(closed_issues("FIXES a/b#4"), [4]);
    }
}
