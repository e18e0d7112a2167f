//! Declared losses: a change says itself what it loses and why, in a file below `.roundtable/losses`.
//!
//! A declaration covers exactly the text that it names, one occurrence for each entry. One that is already in the
//! base covers nothing any more: its loss has happened.
//!
//! ```
//! use roundtable::additive::declared::Declaration;
//!
//! let file = "reason: the desk has no till\nlosses:\n  - path: docs/a.md\n    kind: gone\n    text: payment at the desk\n";
//! let read = Declaration::read(".roundtable/losses/a.yaml", file.as_bytes()).unwrap();
//! assert_eq!(read.reason, "the desk has no till");
//! assert_eq!(Declaration::read("a.yaml", read.written().as_bytes()).unwrap().losses, read.losses);
//! ```

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::content::fold::folded;
use super::{Declared, Finding, Kind};

/// Longer texts are named by their beginning, their end and their digest.
const LONGEST: usize = 300;
/// So many characters of each end.
const ENDS: usize = 60;

/// A file of declared losses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// Its path.
    pub file: String,
    pub reason: String,
    pub losses: Vec<DeclaredLoss>,
}

/// One loss that is declared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeclaredLoss {
    pub path: String,
    pub kind: String,
    /// The old text word for word; nothing for a whole file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The digest of a long text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// The loss of the file itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub file: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    reason: String,
    losses: Vec<DeclaredLoss>,
}

impl Declaration {
    /// Reads a declaration.
    ///
    /// # Errors
    /// What is wrong with it, in one sentence.
    pub fn read(file: &str, bytes: &[u8]) -> Result<Declaration, String> {
        let wrong = |error: String| format!("{file} is not a declaration of losses: {error}");
        let text = std::str::from_utf8(bytes).map_err(|_| wrong("it is not UTF-8".to_owned()))?;
        let read: Written = serde_yaml::from_str(text).map_err(|error| wrong(error.to_string()))?;
        if read.reason.trim().is_empty() {
            return Err(wrong("it gives no `reason`".to_owned()));
        }
        for loss in &read.losses {
            if Kind::parse(&loss.kind).is_none() {
                return Err(wrong(format!("\"{}\" is not a kind of change", loss.kind)));
            }
            if loss.file == loss.text.is_some() {
                return Err(wrong(format!("a loss of {} needs either `text` or `file: true`", loss.path)));
            }
        }
        Ok(Declaration { file: file.to_owned(), reason: read.reason.trim().to_owned(), losses: read.losses })
    }

    /// The declaration of some findings, with the paths of their files.
    pub fn of(file: String, reason: &str, findings: &[(&str, &Finding)]) -> Declaration {
        let losses = findings.iter().map(|(path, finding)| DeclaredLoss::of(path, finding)).collect();
        Declaration { file, reason: reason.trim().to_owned(), losses }
    }

    /// The text of its file.
    pub fn written(&self) -> String {
        let written = Written { reason: self.reason.clone(), losses: self.losses.clone() };
        // Texts and truth values can always be written.
        serde_yaml::to_string(&written).unwrap_or_default()
    }

    /// Its name among all: the date, the reason and a digest of what it declares.
    pub fn name(&self, date: &str) -> String {
        let slug: String =
            self.reason.chars().map(|sign| if sign.is_ascii_alphanumeric() { sign } else { '-' }).collect();
        let words: Vec<&str> = slug.split('-').filter(|word| !word.is_empty()).take(6).collect();
        let slug = if words.is_empty() { "loss".to_owned() } else { words.join("-").to_ascii_lowercase() };
        let digest = digest(&self.written());
        format!("{date}-{}-{}.yaml", &slug[..slug.len().min(48)], &digest[..8])
    }
}

impl DeclaredLoss {
    fn of(path: &str, finding: &Finding) -> DeclaredLoss {
        let (path, kind) = (path.to_owned(), finding.kind.name().to_owned());
        if is_of_file(finding) {
            return DeclaredLoss { path, kind, text: None, sha256: None, file: true };
        }
        let (text, sha256) = named(text_of(finding));
        DeclaredLoss { path, kind, text: Some(text), sha256, file: false }
    }

    /// Whether it names this finding.
    fn names(&self, path: &str, finding: &Finding) -> bool {
        let kind = finding.kind.name();
        // Whether something protects the file's new path is told by policies, and those of a commit are read of more trees.
        let leaves = |kind: &str| LEAVES.iter().any(|known| known.name() == kind);
        let is_same = self.kind == kind || self.file && leaves(&self.kind) && leaves(kind);
        if self.path != path || !is_same || self.file != is_of_file(finding) {
            return false;
        }
        let Some(text) = &self.text else { return self.file };
        let (wanted, sha256) = named(text_of(finding));
        folded(text) == folded(&wanted) && self.sha256 == sha256
    }
}

/// The kinds of a file that is not at its path any more.
const LEAVES: [Kind; 3] = [Kind::Gone, Kind::Renamed, Kind::PathLost];

/// Whether a finding is about a file as such.
fn is_of_file(finding: &Finding) -> bool {
    matches!(
        finding.kind,
        Kind::PathLost
            | Kind::Renamed
            | Kind::Type
            | Kind::Mode
            | Kind::PathTwin
            | Kind::Opaque
            | Kind::Unparsable
    ) || finding.is_of_file
}

/// What a declaration of a finding names: the old text, or the new one where that alone is what is found.
fn text_of(finding: &Finding) -> &str {
    let new = finding.new.as_deref().filter(|_| finding.old.is_empty());
    new.unwrap_or(&finding.old)
}

/// How a text is named: whole, or by its ends and the digest of its normal form.
fn named(text: &str) -> (String, Option<String>) {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let count = text.chars().count();
    if count <= LONGEST {
        return (text, None);
    }
    let start: String = text.chars().take(ENDS).collect();
    let end: String = text.chars().skip(count - ENDS).collect();
    (format!("{start} … {end}"), Some(digest(&folded(&text))))
}

fn digest(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Marks the findings that declarations cover, and gives back what covers nothing: the file and the loss.
pub fn cover<'f>(
    declarations: &[Declaration],
    findings: impl Iterator<Item = (&'f str, &'f mut Finding)>,
) -> Vec<(String, DeclaredLoss)> {
    let all = declarations.iter().flat_map(|one| one.losses.iter().map(move |loss| (one, loss)));
    let mut open: Vec<Option<(&Declaration, &DeclaredLoss)>> = all.map(Some).collect();
    let mut by_path: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, (_, loss)) in open.iter().enumerate().filter_map(|(at, one)| Some((at, (*one)?))) {
        by_path.entry(&loss.path).or_default().push(at);
    }
    for (path, finding) in findings {
        let places = by_path.get(path).map_or(&[][..], Vec::as_slice);
        let found = places.iter().find(|at| open[**at].is_some_and(|(_, loss)| loss.names(path, finding)));
        if let Some((declaration, _)) = found.and_then(|at| open[*at].take()) {
            let (file, reason) = (declaration.file.clone(), declaration.reason.clone());
            finding.declared = Some(Declared { file, reason });
        }
    }
    open.into_iter().flatten().map(|(declaration, loss)| (declaration.file.clone(), loss.clone())).collect()
}

/// The texts that declarations name, by path: for who asks whether a loss was ever declared, whatever its kind was.
pub struct DeclaredTexts(HashMap<(String, String), Declared>);

impl DeclaredTexts {
    pub fn of(declarations: &[Declaration]) -> DeclaredTexts {
        let mut found = HashMap::new();
        for declaration in declarations {
            let declared = Declared { file: declaration.file.clone(), reason: declaration.reason.clone() };
            for loss in &declaration.losses {
                let text = loss.text.as_deref().map(bare).unwrap_or_default();
                found.entry((loss.path.clone(), text)).or_insert_with(|| declared.clone());
            }
        }
        DeclaredTexts(found)
    }

    /// The declaration that names the old text of a finding, or its whole file.
    pub fn find(&self, path: &str, finding: &Finding) -> Option<Declared> {
        let text = if is_of_file(finding) { String::new() } else { bare(&named(text_of(finding)).0) };
        self.0.get(&(path.to_owned(), text)).cloned()
    }
}

/// A text without the marker of its list or heading: the rule `strict` names whole lines.
fn bare(text: &str) -> String {
    folded(text.trim_start().trim_start_matches(['-', '*', '+', '#', '>', ' ']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gone(text: &str) -> Finding {
        Finding { old: text.to_owned(), ..Finding::new(Kind::Gone, 1, String::new()) }
    }

    #[test]
    fn a_declaration_covers_one_occurrence_of_exactly_its_text() {
        let long = "word ".repeat(100);
        for text in ["pay at the desk", long.as_str(), "a: \"b\" # c", "ünï"] {
            let finding = gone(text);
            let declared = Declaration::of("f.yaml".to_owned(), "why", &[("a.md", &finding)]);
            let declared = Declaration::read("f.yaml", declared.written().as_bytes()).unwrap();
            let mut found = [gone(text), gone(text), gone(&format!("{text} too"))];
            let paths = ["a.md", "a.md", "a.md"];
            let left = cover(std::slice::from_ref(&declared), paths.into_iter().zip(found.iter_mut()));
            assert_eq!(found.each_ref().map(|one| one.declared.is_some()), [true, false, false], "{text}");
            assert!(left.is_empty());
            let mut other = [gone(text)];
            assert_eq!(cover(&[declared], ["b.md"].into_iter().zip(other.iter_mut())).len(), 1);
        }
    }

    #[test]
    fn what_is_found_in_new_text_alone_is_named_by_that() {
        let found =
            Finding { new: Some("<x-hide>".to_owned()), ..Finding::new(Kind::RawHtml, 1, String::new()) };
        let declared = Declaration::of("f.yaml".to_owned(), "why", &[("a.md", &found)]);
        assert_eq!(declared.losses[0].text.as_deref(), Some("<x-hide>"));
        assert!(cover(&[declared], [("a.md", &mut found.clone())].into_iter()).is_empty());
    }

    #[test]
    fn what_is_no_declaration_is_said() {
        for (file, message) in [
            ("losses: []\n", "reason"),
            ("reason: ' '\nlosses: []\n", "no `reason`"),
            ("reason: x\nlosses: [{path: a, kind: lost, text: b}]\n", "not a kind"),
            ("reason: x\nlosses: [{path: a, kind: gone}]\n", "either `text` or `file: true`"),
            ("reason: x\nlosses: [{path: a, kind: gone, text: b, more: 1}]\n", "more"),
        ] {
            let error = Declaration::read("f.yaml", file.as_bytes()).unwrap_err();
            assert!(error.contains(message), "{error}");
        }
    }
}
