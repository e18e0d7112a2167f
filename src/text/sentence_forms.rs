//! The forms of `rules/<language>/`: how people write down a decision, a reason, something to do, and thanks.
//!
//! A file holds forms of one kind; each is a regular expression with examples that test it:
//!
//! ```yaml
//! forms:
//!   - form: todo
//!     title: A label says who does it
//!     pattern: '(?i)^todo:? @(?P<who>[\w-]+)[:,]? (?P<what>.+)'
//!     unless: '\?$'                     # may be left out
//!     yes: ["TODO @sam: write the tests."]
//!     no: ["A list of TODOs."]
//! ```
//!
//! A file of a repository takes the place of the built-in file with its path.
//!
//! ```
//! use roundtable::text::sentence_forms::Forms;
//!
//! let file = "forms:\n  - {form: note, title: A note, pattern: '^Note: (?P<what>.+)', yes: ['Note: a.'], no: [a]}\n";
//! let forms = Forms::read([("en/notes.yaml", file)]).unwrap();
//! assert_eq!(forms.find("notes", "Note: letters.").unwrap().part("what"), Some("letters."));
//! ```

use std::collections::BTreeMap;
use std::ops::Range;

use regex::Captures;
use serde::Deserialize;

use crate::text::finding::Finding;
use crate::text::front_matter;
use crate::text::pattern::Pattern;

/// The folder of the forms, below `rules/`.
pub const FOLDER: &str = "en/";

/// All forms, by the name of their file.
#[derive(Clone, Debug, Default)]
pub struct Forms {
    files: BTreeMap<String, Vec<Form>>,
}

/// A form of a file.
#[derive(Clone, Debug)]
pub struct Form {
    pub written: Written,
    pattern: Pattern,
    unless: Option<Pattern>,
}

/// A form as its file has it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a form with `form`, `title`, `pattern`, `yes` and `no`")]
pub struct Written {
    pub form: String,
    pub title: String,
    pub pattern: String,
    pub unless: Option<String>,
    pub yes: Vec<String>,
    pub no: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a list `forms`")]
struct File {
    forms: Vec<Written>,
}

/// A form that fits a text.
pub struct FormMatch<'f, 't> {
    pub form: &'f Form,
    captures: Captures<'t>,
}

impl Forms {
    /// Reads the forms among rule files; a later file takes the place of one with the same path.
    ///
    /// # Errors
    /// A file that cannot be read as forms, or a pattern that is no regular expression.
    pub fn read<'f>(files: impl IntoIterator<Item = (&'f str, &'f str)>) -> Result<Forms, Finding> {
        Forms::read_with(files, Pattern::now)
    }

    /// Reads the forms that are built in, whose patterns the tests check.
    ///
    /// # Errors
    /// Never, as long as the tests pass.
    pub fn read_built_in<'f>(files: impl IntoIterator<Item = (&'f str, &'f str)>) -> Result<Forms, Finding> {
        Forms::read_with(files, |text| Ok(Pattern::later(text)))
    }

    fn read_with<'f>(
        files: impl IntoIterator<Item = (&'f str, &'f str)>,
        pattern: impl Fn(&str) -> Result<Pattern, String> + Copy,
    ) -> Result<Forms, Finding> {
        let last: BTreeMap<&str, &str> = files.into_iter().filter(|(path, _)| is_forms(path)).collect();
        let mut forms = Forms::default();
        for (path, text) in last {
            let file: File = front_matter::parse(path, text, text, 0)?;
            let read = file.forms.into_iter().map(|written| Form::new(written, pattern, path, text));
            forms.files.insert(name_of(path).to_owned(), read.collect::<Result<_, _>>()?);
        }
        Ok(forms)
    }

    /// The forms of a file.
    pub fn file(&self, file: &str) -> &[Form] {
        self.files.get(file).map_or(&[], Vec::as_slice)
    }

    /// The first form of a file that fits a text.
    pub fn find<'t>(&self, file: &str, text: &'t str) -> Option<FormMatch<'_, 't>> {
        self.file(file).iter().find_map(|form| form.find(text))
    }

    /// Whether a form of a file fits a text.
    pub fn fits(&self, file: &str, text: &str) -> bool {
        self.file(file).iter().any(|form| form.fits(text))
    }
}

impl Form {
    fn new(
        written: Written,
        pattern: impl Fn(&str) -> Result<Pattern, String>,
        path: &str,
        text: &str,
    ) -> Result<Form, Finding> {
        let read = |words: &str| {
            pattern(words).map_err(|reason| {
                let message =
                    format!("the form \"{}\" has a pattern that cannot be read: {reason}", written.form);
                Finding::near(path, text, &written.form, &message)
                    .hint("a pattern is a regular expression of the Rust crate regex")
            })
        };
        let pattern = read(&written.pattern)?;
        let unless = written.unless.as_deref().map(read).transpose()?;
        Ok(Form { written, pattern, unless })
    }

    /// How it fits a text, if it does.
    pub fn find<'t>(&self, text: &'t str) -> Option<FormMatch<'_, 't>> {
        let captures = self.pattern.regex()?.captures(text)?;
        let is_excepted = self.unless.as_ref().is_some_and(|unless| unless.is_match(text));
        (!is_excepted).then_some(FormMatch { form: self, captures })
    }

    pub fn fits(&self, text: &str) -> bool {
        self.find(text).is_some()
    }
}

impl<'t> FormMatch<'_, 't> {
    /// A named part of the text.
    pub fn part(&self, name: &str) -> Option<&'t str> {
        Some(self.captures.name(name)?.as_str())
    }

    /// Where the form fits, in bytes.
    pub fn range(&self) -> Range<usize> {
        self.captures.get(0).map_or(0..0, |found| found.range())
    }
}

/// Whether a rule file holds forms, by its path below `rules/`.
pub fn is_forms(path: &str) -> bool {
    path.strip_prefix(FOLDER).is_some_and(|name| name.ends_with(".yaml"))
}

fn name_of(path: &str) -> &str {
    path.trim_start_matches(FOLDER).trim_end_matches(".yaml")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::item::library::rule_files;

    #[test]
    fn every_form_fits_its_examples() {
        let forms = Forms::read(rule_files(&[])).unwrap();
        assert!(forms.files.len() >= 6);
        for form in forms.files.values().flatten() {
            let name = &form.written.form;
            assert!(
                form.written.yes.len() >= 2 && !form.written.no.is_empty(),
                "{name} has too few examples"
            );
            for (examples, wanted) in [(&form.written.yes, true), (&form.written.no, false)] {
                for text in examples {
                    assert_eq!(form.fits(text), wanted, "{name}: {text}");
                }
            }
        }
    }

    #[test]
    fn what_is_wrong_with_a_file_has_its_place() {
        let read = |text: &str| Forms::read([("en/notes.yaml", text)]).map(|_| ()).unwrap_err();
        let broken = "forms:\n  - {form: note, title: A, pattern: '(a', yes: [a], no: [b]}\n";
        let found = read(broken);
        assert_eq!((found.path.as_str(), found.line), ("en/notes.yaml", 2));
        assert!(
            found.message.contains("\"note\" has a pattern that cannot be read: unclosed group"),
            "{found}"
        );
        assert!(read("form: []\n").to_string().contains("unknown key \"form\""));
    }

    #[test]
    fn a_repositorys_file_takes_the_place_of_ours() {
        let own = [("en/notes.yaml".to_owned(), "forms: []\n".to_owned())];
        let forms = Forms::read(rule_files(&own)).unwrap();
        assert!(forms.file("notes").is_empty() && !forms.file("decisions").is_empty());
    }
}
