//! `roundtable rules list | show | check`: the rules that users' words are read by.
//!
//! A rule is named `decisions/label`, by its file and its id. Other kinds of rules join as more [`Row`]s.

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
use crate::minutes::FILES;
use crate::text::rules::{Book, Written, check as check_language, is_rules};

/// The language whose rules are listed.
const LANGUAGE: &str = "en";

#[derive(Debug, Args)]
#[command(
    after_help = "Examples: roundtable rules list\n          roundtable rules show decisions/label\n          roundtable rules check .roundtable/rules"
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
    #[command(after_help = "Example: roundtable rules show decisions/label")]
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

/// A rule as it is listed.
struct Row {
    name: String,
    path: String,
    written: Written,
}

pub fn run(options: &Options, screen: &Screen) -> Result<Code, Fail> {
    match &options.verb {
        Verb::List => list(&rows()?, screen),
        Verb::Show { rule } => show(&rows()?, rule, screen),
        Verb::Check { dir } => check(dir.as_deref(), screen),
    }
}

fn rows() -> Result<Vec<Row>, Fail> {
    let book = Book::read(rule_files(&[]), LANGUAGE, FILES)?;
    let rows = FILES.iter().flat_map(|file| {
        book.rules(file).map(move |rule| Row {
            name: format!("{file}/{}", rule.id),
            path: rule.path.clone(),
            written: rule.written.clone(),
        })
    });
    Ok(rows.collect())
}

fn list(rows: &[Row], screen: &Screen) -> Result<Code, Fail> {
    screen.page();
    let cells = |row: &Row| {
        let sure = if row.written.sure { "" } else { " (not sure)" };
        vec![format!("  {}", row.name), format!("{}{sure}", row.written.title)]
    };
    let table: Vec<Vec<String>> = rows.iter().map(cells).collect();
    let mut path = "";
    for (row, line) in rows.iter().zip(columns::lines(&table, screen.width())) {
        if row.path != path {
            path = &row.path;
            screen.say_strong(path);
        }
        screen.say(&line);
    }
    screen.json(&json!({ "rules": rows.iter().map(as_json).collect::<Vec<_>>() }));
    Ok(Code::Yes)
}

fn as_json(row: &Row) -> Value {
    let Written { title, sure, any, all, unless, yes, no, .. } = &row.written;
    json!({
        "rule": row.name, "title": title, "sure": sure, "any": any, "all": all, "unless": unless,
        "yes": yes, "no": no, "path": row.path,
    })
}

fn show(rows: &[Row], name: &str, screen: &Screen) -> Result<Code, Fail> {
    let Some(row) = rows.iter().find(|row| row.name == name) else {
        let known: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
        let hint = did_you_mean(name, &known);
        let hint = if hint.is_empty() { "; `roundtable rules list` shows them".to_owned() } else { hint };
        return Err(Fail::new(format!("no rule \"{}\"{hint}", crate::plain::shown(name))));
    };
    screen.page();
    let Written { title, sure, any, all, unless, yes, no, .. } = &row.written;
    screen.say_strong(&format!("{}: {title}", row.name));
    screen.say(if *sure { &row.path } else { "not sure: somebody has to confirm what it finds" });
    let lists = [("any", any), ("all", all), ("unless", unless), ("yes", yes), ("no", no)];
    for (key, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
        screen.say_strong(&format!("\n{key}"));
        list.iter().for_each(|entry| screen.say(&format!("- {entry}")));
    }
    screen.json(&as_json(row));
    Ok(Code::Yes)
}

fn check(dir: Option<&Path>, screen: &Screen) -> Result<Code, Fail> {
    let own = own(dir)?;
    let files: Vec<(&str, &str)> = rule_files(&own).collect();
    let is_checked = |path: &str| dir.is_none() || own.iter().any(|(other, _)| other == path);
    let folders = own.iter().filter_map(|(path, _)| path.split_once('/').map(|(folder, _)| folder));
    let languages: BTreeSet<&str> = folders.chain([LANGUAGE]).collect();
    let mut findings: Vec<Finding> =
        languages.iter().flat_map(|language| check_language(files.iter().copied(), language)).collect();
    // A family of the folder may break a built-in rule: that is told, too.
    findings.sort_by_key(|finding| !is_checked(&finding.path));
    let is_language = |path: &str| languages.iter().any(|language| is_rules(path, language));
    let checked: BTreeSet<&str> =
        files.iter().map(|(path, _)| *path).filter(|path| is_checked(path) && is_language(path)).collect();
    for (at, finding) in findings.iter().enumerate() {
        if at > 0 {
            screen.say("");
        }
        screen.say_place(finding);
    }
    let counted =
        crate::plain::count(checked.len(), if dir.is_some() { "rule file" } else { "built-in rule file" });
    match findings.len() {
        0 => screen.say(&format!("{counted}, nothing to fix.")),
        found => screen.say(&format!("\n{counted}, {found} to fix.")),
    }
    let listed: Vec<Value> = findings
        .iter()
        .map(|finding| {
            json!({"path": finding.path, "line": finding.line, "column": finding.column,
                   "message": finding.message, "hint": finding.hint})
        })
        .collect();
    screen.json(&json!({ "checked": checked.len(), "findings": listed }));
    Ok(if findings.is_empty() { Code::Yes } else { Code::No })
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
