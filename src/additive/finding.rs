//! What a comparison finds: the class, the kind and the severity of a loss, with the old text beside the new.
//!
//! ```
//! use roundtable::additive::{Class, Kind};
//!
//! assert_eq!(Kind::parse("weakened"), Some(Kind::Weakened));
//! assert_eq!(Kind::KeyLost.class(), Class::Gone);
//! ```

use std::fmt;

/// What became of old content, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// It is there, in its place and order.
    Kept,
    /// Its counterpart differs.
    Changed,
    /// It has no counterpart.
    Gone,
}

impl Class {
    pub const fn name(self) -> &'static str {
        match self {
            Class::Kept => "kept",
            Class::Changed => "changed",
            Class::Gone => "gone",
        }
    }
}

/// Whether a finding fails the check. The stricter one is greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    Warning,
    Violation,
}

impl Severity {
    pub const fn name(self) -> &'static str {
        match self {
            Severity::Warning => "warning",
            Severity::Violation => "violation",
        }
    }
}

macro_rules! kinds {
    ($($kind:ident $class:ident $name:literal: $meaning:literal, $hint:literal;)+) => {
        /// What kind of loss or change it is, the worst first. The first half is what `content` and `living`
        /// tell apart, the second half are the codes of `strict`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Kind { $($kind),+ }

        impl Kind {
            /// Every kind there is.
            pub const ALL: &[Kind] = &[$(Kind::$kind),+];

            /// Its name in reports and policies.
            pub const fn name(self) -> &'static str {
                match self { $(Kind::$kind => $name),+ }
            }

            /// The class that it usually has.
            pub const fn class(self) -> Class {
                match self { $(Kind::$kind => Class::$class),+ }
            }

            /// What happened, in one sentence.
            pub const fn meaning(self) -> &'static str {
                match self { $(Kind::$kind => $meaning),+ }
            }

            /// What to do about it, in one line.
            pub const fn hint(self) -> &'static str {
                match self { $(Kind::$kind => $hint),+ }
            }
        }
    };
}

kinds! {
    PathLost Gone "path-lost": "a protected file is not at its path any more", "put the file back under its old path; a renamed copy may be added";
    Type Changed "type": "a file became a link or a submodule, or the reverse", "restore its old type";
    Mode Changed "mode": "the mode of a protected file changed", "restore the mode with git update-index --chmod";
    Gone Gone "gone": "old text has no counterpart in the new text", "put it back";
    Weakened Changed "weakened": "a demand is softened, lifted or widened by one of its keywords", "put the old words back, and write what is new below them";
    Number Changed "number": "a number changed or was taken out", "put the old number back, and write the new one below it";
    Date Changed "date": "a date changed", "put the old date back, and write the new one below it";
    Name Changed "name": "a name changed", "put the old name back, and write the new one below it";
    Struck Changed "struck": "old text is struck out", "take the strike off, and write below it what replaces it";
    Folded Changed "folded": "old text is folded away, so readers do not see it", "take it out of <details>";
    Moved Changed "moved": "old text is under another heading, or in another item or file", "put it back where it was; a copy may be added";
    Renamed Changed "renamed": "a protected file has another path", "put the file back under its old path; a copy may be added";
    Retargeted Changed "retargeted": "a link or an image has another target", "put the old target back";
    Unticked Changed "unticked": "a task that was done is open again", "tick the box again, and write below it what is left to do";
    Wording Changed "wording": "the words changed", "put the old words back, and write the new ones below them";
    Reordered Changed "reordered": "the order changed", "put it back in its place";
    CodeExtended Changed "code-extended": "the code has more lines than it had", "put new code into a block of its own";
    Opaque Changed "opaque": "a file that cannot be compared by its parts changed", "put the old file back and the new one beside it under another name, or protect it with `rule: none`";
    LineLost Gone "line-lost": "an old line is not there byte for byte, in its order", "put the line back as it was and write the new text below it";
    Hidden Changed "hidden": "old text is in a comment, a code block or other raw HTML now", "close what was opened before the old text, or put it after the old text";
    ParagraphChanged Changed "paragraph-changed": "a line glued to a paragraph changes it", "leave a blank line between the old paragraph and the new text";
    BlockLost Gone "block-lost": "an old block is not under its heading, list or quotation any more, or in another order", "put the block back as it was and write new blocks before or after it";
    SectionMoved Changed "section-moved": "a new heading takes over old text", "put the new heading after the old text and its sub-sections";
    ListSplit Changed "list-split": "an old list became two", "put the new block before or after the list";
    ListLoosened Changed "list-loosened": "a blank line between bullets sets every bullet of the list apart", "take the blank line out again";
    Renumbered Changed "renumbered": "items of a numbered list, which people refer to, have other numbers", "put the new step after the last old one";
    LinkTarget Changed "link-target": "a link has another target, or brackets became a link", "rename or remove the new link definition";
    RawHtml Changed "raw-html": "new raw HTML is not closed or not harmless, so it changes what follows", "close the tag or comment, or write it in backticks";
    FrontMatter Gone "front-matter": "front matter is not the first thing in the file any more", "put the front matter back on line 1";
    KeyLost Gone "key-lost": "an object lost a key", "put the key back";
    Scalar Changed "scalar": "a value changed", "put the old value back, and the new one under a new key";
    Array Changed "array": "a list changed other than by growing at its end", "put new elements after the last old one";
    DuplicateKey Changed "duplicate-key": "of two equal keys a reader sees only one", "give the new key another name";
    CsvHeader Changed "csv-header": "the first record, which names the columns, changed", "put the old header back; new columns need a new file";
    CsvRagged Changed "csv-ragged": "a new record has more or fewer cells than the first one", "give the record a cell for each column, and close its quotation marks";
    Control Changed "control": "a line of control characters is a blank line to one reader and text to another", "remove the control character";
    PathTwin Changed "path-twin": "a new path differs from another one in letter case or Unicode form alone", "give the new file another name";
    ReplaceRef Changed "replace-ref": "a replacement shows other content under an old object's name", "do not push to refs/replace/";
    TaskTicked Changed "task-ticked": "a task that was open is marked as done", "restore the empty box, or put `warn: [task-ticked]` into the policy's entry";
    CommentChanged Changed "comment-changed": "a comment, which is part of the document, changed", "restore the comment, or put `warn: [comment-changed]` into the policy's entry";
    ParagraphExtended Changed "paragraph-extended": "an old paragraph has more text than it had", "put the new text into a paragraph of its own, or put `warn: [paragraph-extended]` into the policy's entry";
    Unparsable Changed "unparsable": "the file cannot be read, so it cannot be compared", "make the file valid again";
}

impl Kind {
    /// The kind with a name.
    pub fn parse(name: &str) -> Option<Kind> {
        Kind::ALL.iter().copied().find(|kind| kind.name() == name)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The declaration that covers a finding: the file and its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    pub file: String,
    pub reason: String,
}

/// Something that a change loses or alters, in a file that is known from elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub class: Class,
    pub kind: Kind,
    pub severity: Severity,
    /// The line in the old text, from one.
    pub line: usize,
    /// The last line of the old text that it is about.
    pub last_line: usize,
    /// The line in the new text where it shows, if there is one.
    pub head_line: Option<usize>,
    /// The line in the new text that is nearest to it, where it does not show.
    pub near_line: Option<usize>,
    /// The old text as people see it.
    pub old: String,
    /// What is there now, where something is.
    pub new: Option<String>,
    pub message: String,
    /// What to do about it.
    pub hint: String,
    /// The declaration that covers it.
    pub declared: Option<Declared>,
    /// It is about the file as such, and its old text is the path.
    pub is_of_file: bool,
}

impl Finding {
    pub fn new(kind: Kind, line: usize, message: String) -> Finding {
        Finding {
            class: kind.class(),
            kind,
            severity: Severity::Violation,
            line,
            last_line: line,
            head_line: None,
            near_line: None,
            old: String::new(),
            new: None,
            message,
            hint: kind.hint().to_owned(),
            declared: None,
            is_of_file: false,
        }
    }

    /// With the line of the new text where it shows.
    pub fn head(self, line: usize) -> Finding {
        Finding { head_line: Some(line), ..self }
    }

    /// As many lines further down: for a part of a file.
    pub fn below(self, lines: usize) -> Finding {
        Finding {
            line: self.line + lines,
            last_line: self.last_line + lines,
            head_line: self.head_line.map(|line| line + lines),
            ..self
        }
    }

    /// Whether it fails the check.
    pub fn fails(&self) -> bool {
        self.severity == Severity::Violation && self.declared.is_none()
    }
}

/// A finding with the path of its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    pub path: String,
    pub finding: Finding,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Finding { line, message, kind, .. } = &self.finding;
        write!(f, "{}:{line}: {message} ({kind})", self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_names_of_their_own() {
        for kind in Kind::ALL {
            assert_eq!(Kind::parse(kind.name()), Some(*kind));
        }
        assert_eq!(Kind::ALL.len(), 42);
    }
}
