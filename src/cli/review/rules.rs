//! `roundtable review --rules [RULE]`: the rules with the repository's own, and whether the examples of those hold.

use serde_json::{Value, json};

use crate::cli::exit::{Code, Fail};
use crate::cli::screen::Screen;
use crate::cli::{Global, columns};
use crate::review::rule::Example;
use crate::review::{Rule, Rules};
use crate::run::documents;
use crate::text::finding::Finding;
use crate::text::plain;

/// Lists the rules, or shows one. The answer is no where an example of the repository's own rules does not hold.
pub fn run(global: &Global, name: Option<&str>, screen: &Screen) -> Result<Code, Fail> {
    let (config, own) = documents::on_disk(&global.workspace)?;
    let folder = config.rules.as_deref().unwrap_or("rules");
    let rules = documents::rules_over(&config, &own)?;
    match name {
        Some(name) => {
            let rule =
                rules.find(name).map_err(|error| Fail::new(format!("--rules: {}", plain::clean(&error))))?;
            show(rule, screen);
            screen.json(&as_json(rule));
        }
        None => {
            list(&rules, screen);
            screen.json(&json!({ "rules": rules.iter().map(as_json).collect::<Vec<_>>() }));
        }
    }
    let broken = broken_examples(&rules, folder);
    broken.iter().for_each(|finding| screen.warn(&finding.to_string()));
    Ok(if broken.is_empty() { Code::Yes } else { Code::No })
}

fn list(rules: &Rules, screen: &Screen) {
    let cells = |rule: &Rule| {
        let file = &rule.file;
        let own = if rule.is_own { " (own)" } else { "" };
        let off = if file.off { " (off)" } else { "" };
        vec![file.rule.clone(), file.severity.name().to_owned(), format!("{}{own}{off}", file.title)]
    };
    let table: Vec<Vec<String>> = rules.iter().map(cells).collect();
    columns::lines(&table).iter().for_each(|line| screen.say(line));
}

fn show(rule: &Rule, screen: &Screen) {
    let file = &rule.file;
    screen.say_strong(&format!("{}: {}", file.rule, file.title));
    let hint = if rule.is_wording() { ", a hint: it fails nothing" } else { "" };
    screen.say(&format!("{}{hint}; {}; {}", file.severity.name(), file.persona, file.reference));
    screen.say(&format!("\nmessage: {}\nwhy: {}\nhelp: {}", file.message, file.why, file.help));
    if let Some(check) = &file.check {
        screen.say(&format!("check: {check}"));
    }
    for (key, list) in
        [("any", &file.any), ("unless", &file.unless), ("unless_section", &file.unless_section)]
    {
        say_list(key, list, screen);
    }
    let text = |example: &Example| {
        let texts: Vec<String> = example.documents().into_iter().map(|(_, text)| text).collect();
        texts.join("\n\n").replace('\n', "\n  ")
    };
    for (key, examples) in [("yes", &file.yes), ("no", &file.no)] {
        say_list(key, &examples.iter().map(text).collect::<Vec<_>>(), screen);
    }
}

fn say_list(key: &str, list: &[String], screen: &Screen) {
    if !list.is_empty() {
        screen.say_strong(&format!("\n{key}"));
        list.iter().for_each(|entry| screen.say(&format!("- {entry}")));
    }
}

/// Every field of the file, and its path.
fn as_json(rule: &Rule) -> Value {
    let mut value = serde_json::to_value(&rule.file).unwrap_or_default();
    value["path"] = json!(format!("review/{}", rule.path));
    value
}

/// What is wrong with the examples of the repository's own rules.
fn broken_examples(rules: &Rules, folder: &str) -> Vec<Finding> {
    let mut found = Vec::new();
    for rule in rules.iter().filter(|rule| rule.is_own) {
        for (example, is_yes) in rule.broken_examples(rules) {
            let text = example.documents().into_iter().next().map(|(_, text)| text).unwrap_or_default();
            let shown = plain::cut(&plain::one_line(&plain::clean(&text)), 80);
            let message = match is_yes {
                true => format!("the example \"{shown}\" of `yes` has no finding"),
                false => format!("the example \"{shown}\" of `no` has a finding"),
            };
            let path = format!("{folder}/review/{}", rule.path);
            found.push(Finding::at(&path, "", 1, 1, message).hint("change the patterns, or the example"));
        }
    }
    found
}
