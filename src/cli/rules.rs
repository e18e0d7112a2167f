//! `roundtable rules list | show | check`: the rules that users' words are read by, and those of `review`.
//!
//! A rule is named `vague-term`, by its file and its id. Other kinds of rules join as more [`Row`]s.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::exit::{Code, Fail};
use super::screen::Screen;
use super::{columns, current_folder};
use crate::files;
use crate::finding::{Finding, did_you_mean};
use crate::library::{File, rule_files};
use crate::review::rule::Example;
use crate::review::{self, Document, Rule, Rules};
use crate::text::forms::{Forms, is_forms};

#[derive(Debug, Args)]
#[command(
    after_help = "Examples: roundtable rules list\n          roundtable rules show vague-term\n          roundtable rules check .roundtable/rules"
)]
pub struct Options {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// The rules, by the files they are in
    #[command(after_help = "Example: roundtable rules list")]
    List,
    /// One rule: its patterns and examples
    #[command(after_help = "Example: roundtable rules show vague-term")]
    Show {
        /// The rule's file and id
        rule: String,
    },
    /// Check rule files and run their examples: exit 1 when there is something to fix
    #[command(after_help = "Example: roundtable rules check .roundtable/rules")]
    Check {
        /// A folder of rules, laid over the built-in ones [default: the built-in rules]
        dir: Option<PathBuf>,
    },
}

pub fn run(options: &Options, screen: &Screen) -> Result<Code, Fail> {
    match &options.verb {
        Verb::List => list(&with_examples(&[])?, screen),
        Verb::Show { rule } => show(rule, screen),
        Verb::Check { dir } => check(dir.as_deref(), screen),
    }
}

/// The folder of the review rules.
const REVIEW: &str = "review/";

/// The review rules with their examples, and files laid over them; paths are below the rules folder.
fn with_examples(own: &[File]) -> Result<Rules, Finding> {
    let built_in =
        review::rule::sources().iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
    let own: Vec<File> = own
        .iter()
        .filter_map(|(path, text)| Some((path.strip_prefix(REVIEW)?.to_owned(), text.clone())))
        .collect();
    let kept = built_in.filter(|(path, _)| own.iter().all(|(other, _)| other != path));
    let files: Vec<File> = kept.chain(own.iter().cloned()).collect();
    Rules::over(&files).map_err(|finding| finding.below(Some(REVIEW)))
}

fn list_review(rules: &Rules, screen: &Screen) {
    let cells = |rule: &Rule| {
        let file = &rule.file;
        vec![format!("  {}", file.rule), file.severity.name().to_owned(), file.title.clone()]
    };
    let table: Vec<Vec<String>> = rules.iter().map(cells).collect();
    let mut persona = "";
    for (rule, line) in rules.iter().zip(columns::lines(&table, screen.width())) {
        if rule.file.persona != persona {
            persona = &rule.file.persona;
            screen.say_strong(&format!("{REVIEW}{persona}"));
        }
        screen.say(&line);
    }
}

fn show_review(rule: &Rule, screen: &Screen) -> Result<Code, Fail> {
    screen.page();
    let file = &rule.file;
    screen.say_strong(&format!("{}: {}", file.rule, file.title));
    screen.say(&format!("{} · {} · {}", file.severity.name(), file.persona, file.reference));
    screen.say(&format!("\n{}\n{}\n{}", file.message, file.why, file.suggest));
    if let Some(measure) = &file.measure {
        screen.say(&format!("\nmeasure: {measure}"));
    }
    for (key, list) in [("any", &file.any), ("unless", &file.unless), ("options", &file.options)] {
        if !list.is_empty() {
            screen.say_strong(&format!("\n{key}"));
            list.iter().for_each(|entry| screen.say(&format!("- {entry}")));
        }
    }
    for (key, examples) in [("yes", &file.yes), ("no", &file.no)] {
        screen.say_strong(&format!("\n{key}"));
        for example in examples {
            let texts: Vec<String> = example.documents().into_iter().map(|(_, text)| text).collect();
            screen.say(&format!("- {}", texts.join("\n\n").replace('\n', "\n  ")));
        }
    }
    screen.json(&review_as_json(rule));
    Ok(Code::Yes)
}

fn review_as_json(rule: &Rule) -> Value {
    let mut value = serde_json::to_value(&rule.file).unwrap_or_default();
    value["path"] = json!(format!("{REVIEW}{}", rule.path));
    value
}

/// What is wrong with the examples of the review rules.
fn broken_examples(rules: &Rules, is_checked: &dyn Fn(&str) -> bool) -> Vec<Finding> {
    let mut found = Vec::new();
    for rule in rules.iter() {
        let path = format!("{REVIEW}{}", rule.path);
        if !is_checked(&path) {
            continue;
        }
        let mut options = review::Options::default();
        // A comment is in use only where the rule that it names is run.
        if rule.file.measure.as_deref() != Some("ignores") {
            options.rules.insert(rule.file.rule.clone());
        }
        for (examples, wanted) in [(&rule.file.yes, true), (&rule.file.no, false)] {
            let wrong = examples.iter().filter(|example| is_found(rules, rule, example, &options) != wanted);
            for example in wrong {
                let text = example.documents().into_iter().next().map(|(_, text)| text).unwrap_or_default();
                let shown = crate::plain::cut(&crate::plain::one_line(&text), 80);
                let message = match wanted {
                    true => format!("the example \"{shown}\" of `yes` has no finding"),
                    false => format!("the example \"{shown}\" of `no` has a finding"),
                };
                found.push(Finding::at(&path, "", 1, 1, message).hint("change the phrases, or the example"));
            }
        }
    }
    found
}

fn is_found(rules: &Rules, rule: &Rule, example: &Example, options: &review::Options) -> bool {
    let texts = example.documents();
    let documents: Vec<Document<'_>> = texts.iter().map(|(path, text)| Document { path, text }).collect();
    let found = review::review(&documents, rules, options).findings;
    found.iter().any(|finding| finding.rule == rule.file.rule)
}

fn list(review: &Rules, screen: &Screen) -> Result<Code, Fail> {
    screen.page();
    list_review(review, screen);
    screen.json(&json!({ "rules": review.iter().map(review_as_json).collect::<Vec<_>>() }));
    Ok(Code::Yes)
}

fn show(name: &str, screen: &Screen) -> Result<Code, Fail> {
    let review = with_examples(&[])?;
    if let Ok(rule) = review.find(name) {
        return show_review(rule, screen);
    }
    let known: Vec<&str> = review.iter().map(|rule| rule.file.rule.as_str()).collect();
    let hint = did_you_mean(name, &known);
    let hint = if hint.is_empty() { "; `roundtable rules list` shows them".to_owned() } else { hint };
    Err(Fail::new(format!("no rule \"{}\"{hint}", crate::plain::shown(name))))
}

/// What a review rule looks for, why, and what settles it, as Markdown.
pub fn page(rules: &Rules, name: &str) -> Option<String> {
    let file = &rules.find(name).ok()?.file;
    Some(format!(
        "# {}\n\n{}.\n\n- Severity: {}\n- Why: {}\n- What settles it: {}\n- Source: {}\n",
        file.rule,
        file.title,
        file.severity.name(),
        file.why,
        file.suggest,
        file.reference
    ))
}

fn check(dir: Option<&Path>, screen: &Screen) -> Result<Code, Fail> {
    let own = own(dir)?;
    let files: Vec<(&str, &str)> = rule_files(&own).collect();
    let is_checked = |path: &str| dir.is_none() || own.iter().any(|(other, _)| other == path);
    let mut findings: Vec<Finding> = Forms::read(files.iter().copied()).err().into_iter().collect();
    match with_examples(&own) {
        Ok(rules) => findings.extend(broken_examples(&rules, &is_checked)),
        Err(finding) => findings.push(finding),
    }
    let is_rule = |path: &str| is_forms(path) || path.starts_with(REVIEW);
    let checked: BTreeSet<&str> =
        files.iter().map(|(path, _)| *path).filter(|path| is_checked(path) && is_rule(path)).collect();
    let what = if dir.is_some() { "rule file" } else { "built-in rule file" };
    Ok(super::checked::say(&findings, checked.len(), what, screen))
}

/// The files of a folder of rules.
fn own(dir: Option<&Path>) -> Result<Vec<File>, Fail> {
    let Some(dir) = dir else { return Ok(Vec::new()) };
    let at = if dir.is_absolute() { dir.to_owned() } else { current_folder()?.join(dir) };
    if !at.is_dir() {
        let shown = crate::plain::shown(&dir.display().to_string());
        return Err(Fail::new(format!(
            "{shown} is no folder; name the root of the rules, such as .roundtable/rules"
        )));
    }
    Ok(files::read(&at)?)
}
