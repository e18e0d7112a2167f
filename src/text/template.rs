//! The texts roundtable writes, as minijinja templates: built in, replaced or added to by the
//! repository's own.
//!
//! A user's or a model's words are only ever *values*. Every value that a `.md` template prints is
//! escaped by [`crate::text::plain::markdown`], in a `.html` template by [`crate::text::plain::html`], and every
//! value of a `.txt` template is cleaned, so that a template cannot forget it; what is ours is passed as a safe string. An
//! undefined name is an error, and a template that runs away runs out of fuel.
//!
//! ```
//! use minijinja::context;
//! use roundtable::text::template::Templates;
//!
//! let templates = Templates::new([("note.md", "- {{ text }}\n")]).unwrap();
//! let note = templates.render("note.md", context! { text => "{{ 7*7 }} <b>" }).unwrap();
//! assert_eq!(note, "- {{ 7\\*7 }} &lt;b>");
//! assert!(templates.render("note.md", context! {}).is_err());
//! ```

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, Output, State, UndefinedBehavior, Value, context};

use crate::text::finding::Finding;
use crate::text::plain;

/// Instructions a template may spend; the built-in ones need a few thousand, a page some hundred for
/// each turn.
const FUEL: u64 = 5_000_000;

/// Templates by name, such as `notices/warning.txt`.
#[derive(Clone)]
pub struct Templates {
    environment: Environment<'static>,
    sources: BTreeMap<String, String>,
    /// What templates without values came to, by their names.
    fixed: Arc<Mutex<BTreeMap<String, Result<String, Failed>>>>,
}

impl std::fmt::Debug for Templates {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.sources.keys()).finish()
    }
}

/// A template that could not be rendered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the template {finding}")]
pub struct Failed {
    #[source]
    finding: Box<Finding>,
}

impl Failed {
    /// The same, with paths below a folder.
    pub(crate) fn below(self, folder: Option<&str>) -> Failed {
        Failed { finding: Box::new(self.finding.below(folder)) }
    }
}

impl Templates {
    /// Templates from `(name, source)`; a later one replaces an earlier one of the same name.
    ///
    /// # Errors
    /// A template that does not parse, with its place.
    pub fn new<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Templates, Failed> {
        Templates::over(&[], files)
    }

    /// The same over built-in ones. Those are read when they are asked for: that they can be is told by the
    /// tests, and a run renders few of them.
    ///
    /// # Errors
    /// A template of `files` that does not parse, with its place.
    pub(crate) fn over<'a>(
        built_in: &'static [(&'static str, &'static str)],
        files: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Templates, Failed> {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_fuel(Some(FUEL));
        let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build();
        environment.set_syntax(syntax.unwrap_or_default());
        environment.set_formatter(format_value);
        environment.add_filter("cell", cell);
        let named = |(name, source): (&str, &str)| (name.to_owned(), source.replace("\r\n", "\n"));
        let own: BTreeMap<String, String> = files.into_iter().map(named).collect();
        let mut findings = Vec::new();
        for (name, source) in &own {
            if let Err(error) = environment.add_template_owned(name.clone(), source.clone()) {
                findings.push(*failed(name, source, &error).finding);
            }
        }
        if let Some(finding) = Finding::all(findings) {
            return Err(Failed { finding: Box::new(finding) });
        }
        let mut sources: BTreeMap<String, String> = built_in.iter().copied().map(named).collect();
        sources.extend(own);
        environment.set_loader(|name| {
            let found = built_in.iter().find(|(known, _)| *known == name);
            Ok(found.map(|(_, source)| source.replace("\r\n", "\n")))
        });
        Ok(Templates { environment, sources, fixed: Arc::default() })
    }

    /// Renders a template. A final line end of the source is not part of the text.
    ///
    /// # Errors
    /// An unknown template, an undefined name, a value of the wrong kind, or no fuel left.
    pub fn render(&self, name: &str, values: Value) -> Result<String, Failed> {
        let source = self.sources.get(name).map_or("", String::as_str);
        let rendered = self.environment.get_template(name).and_then(|template| template.render(values));
        rendered
            .map(|text| text.trim_end_matches('\n').to_owned())
            .map_err(|error| failed(name, source, &error))
    }

    /// Renders a template that gets no values: it always comes to the same, and is rendered once.
    ///
    /// # Errors
    /// As [`Templates::render`].
    pub fn fixed(&self, name: &str) -> Result<String, Failed> {
        // Its last holder only put in whole texts.
        let mut fixed = self.fixed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = fixed.get(name) {
            return found.clone();
        }
        let found = self.render(name, context! {});
        fixed.insert(name.to_owned(), found.clone());
        found
    }

    /// Every template's name and source.
    pub fn sources(&self) -> impl Iterator<Item = (&str, &str)> {
        self.sources.iter().map(|(name, source)| (name.as_str(), source.as_str()))
    }
}

/// A value that is printed as it is: our own markup, never anybody's words.
pub fn safe(text: impl Into<String>) -> Value {
    Value::from_safe_string(text.into())
}

/// The filter of a value in a row of a Markdown table: a bar in its code ends no cell.
fn cell(value: Value) -> Value {
    let is_text = value.as_str().is_some() && !value.is_safe();
    if is_text { safe(plain::cell(&value.to_string())) } else { value }
}

fn format_value(
    out: &mut Output<'_>,
    state: &mut State<'_, '_>,
    value: &Value,
) -> Result<(), minijinja::Error> {
    if value.is_undefined() {
        return Err(minijinja::Error::from(minijinja::ErrorKind::UndefinedError));
    }
    if value.is_safe() || value.is_number() {
        return Ok(write!(out, "{value}")?);
    }
    // A list or a map prints the words in it: they are words of others all the same.
    let text = value.to_string();
    let harmless = match state.name().rsplit('.').next() {
        Some("md") => plain::markdown(&text),
        Some("html") => plain::html(&text),
        _ => plain::clean(&text),
    };
    Ok(out.write_str(&harmless)?)
}

fn failed(name: &str, source: &str, error: &minijinja::Error) -> Failed {
    let name = error.name().unwrap_or(name);
    let mut cause = error;
    while let Some(deeper) = std::error::Error::source(cause).and_then(|found| found.downcast_ref()) {
        cause = deeper;
    }
    let message = match cause.detail() {
        Some(detail) => format!("{}: {detail}", cause.kind()),
        None => cause.kind().to_string(),
    };
    let source = error.template_source().unwrap_or(source);
    let offset = error.range().map_or(0, |range| range.start);
    let column = crate::text::finding::place(source, offset).1;
    let finding = Finding::at(name, source, error.line().unwrap_or(1), column, plain::clean(&message));
    let hint = match error.kind() {
        minijinja::ErrorKind::SyntaxError => {
            "close each `{{`, `{%` and `{% if … %}`, as the built-in templates do"
        }
        minijinja::ErrorKind::OutOfFuel => "take loops away: a template has only so many instructions",
        _ => "built-in templates show the names each of them may use",
    };
    Failed { finding: Box::new(finding.hint(hint)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(name: &str, source: &str) -> Templates {
        Templates::new([(name, source)]).unwrap()
    }

    #[test]
    fn words_of_others_are_values_and_never_evaluated() {
        let templates = one("a.txt", "{{ text }}");
        assert_eq!(
            templates.render("a.txt", context! { text => "{{ 7*7 }}{% include 'x' %}" }).unwrap(),
            "{{ 7*7 }}{% include 'x' %}"
        );
    }

    #[test]
    fn what_gets_no_values_is_rendered_once_and_the_same() {
        let templates = one("a.txt", "{{ 1 + 1 }}\n");
        assert_eq!(templates.fixed("a.txt"), templates.render("a.txt", context! {}));
        assert_eq!(templates.fixed("a.txt").unwrap(), "2");
        assert!(templates.fixed("b.txt").is_err() && templates.fixed("b.txt").is_err());
    }

    #[test]
    fn a_file_of_ones_own_stands_before_the_built_in_one() {
        let built_in = &[("a.txt", "built in"), ("b.txt", "{{ broken")];
        let templates = Templates::over(built_in, [("a.txt", "own")]).unwrap();
        assert_eq!(templates.render("a.txt", context! {}).unwrap(), "own");
        assert!(templates.render("b.txt", context! {}).unwrap_err().to_string().contains("b.txt:1"));
        assert_eq!(templates.sources().count(), 2);
    }

    #[test]
    fn every_value_of_a_markdown_template_is_escaped() {
        let templates = one("a.md", "- {{ text }} {{ ours }} {{ n }}");
        let rendered =
            templates.render("a.md", context! { text => "<!-- x", ours => safe("**b**"), n => 7 }).unwrap();
        assert_eq!(rendered, "- &lt;!-- x **b** 7");
        let row = one("a.md", "| {{ text | cell }} | {{ ours | cell }} | {{ n | cell }} |");
        let rendered =
            row.render("a.md", context! { text => "`a | b` <!--", ours => safe("**b**"), n => 7 }).unwrap();
        assert_eq!(rendered, "| `a \\| b` &lt;!-- | **b** | 7 |");
    }

    #[test]
    fn what_a_template_lacks_or_wastes_is_an_error_with_its_place() {
        let error = one("a.txt", "x\n{{ missing }}").render("a.txt", context! {}).unwrap_err();
        insta::assert_snapshot!(error.to_string(), @r"
        the template a.txt:2:4: undefined value: `missing` is undefined
         2 | {{ missing }}
           |    ^^^^^^^
           = help: built-in templates show the names each of them may use
        ");
        let bomb = "{% for a in range(9999) %}{% for b in range(9999) %}x{% endfor %}{% endfor %}";
        assert!(one("b.txt", bomb).render("b.txt", context! {}).unwrap_err().to_string().contains("fuel"));
        assert!(Templates::new([("c.txt", "{% if %}")]).unwrap_err().to_string().contains("c.txt:1"));
    }
}
