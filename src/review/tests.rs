use super::*;

fn run(rules: &Rules, documents: &[(String, String)], options: &Options) -> Review {
    let documents: Vec<Document<'_>> = documents.iter().map(|(path, text)| Document { path, text }).collect();
    review(&documents, rules, options)
}

/// The built-in rules with their examples, read from the YAML files.
fn with_examples() -> Rules {
    let files: Vec<(String, String)> =
        rule::sources().iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    Rules::over(&files).unwrap()
}

#[test]
fn every_example_of_every_rule_holds() {
    let rules = with_examples();
    let mut wrong = Vec::new();
    for rule in rules.iter() {
        let name = &rule.file.rule;
        // A comment is in use only where the rule that it names is run.
        let only = if *name == ignore::RULE { BTreeSet::new() } else { BTreeSet::from([name.clone()]) };
        let options = Options { rules: only, ..Options::default() };
        assert!(rule.file.yes.len() >= 3 && rule.file.no.len() >= 3, "{name} has too few examples");
        for (examples, is_yes) in [(&rule.file.yes, true), (&rule.file.no, false)] {
            for example in examples {
                let mut found = run(&rules, &example.documents(), &options).findings;
                found.retain(|finding| finding.rule == *name);
                if found.is_empty() == is_yes {
                    wrong
                        .push(format!("{name} {}: {example:?} {found:?}", if is_yes { "yes" } else { "no" }));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_compiled_rules_are_those_of_the_files() {
    let (files, compiled) = (with_examples(), Rules::built_in().unwrap());
    let names = |rules: &Rules| rules.iter().map(|rule| rule.path.clone()).collect::<Vec<_>>();
    assert_eq!(names(&files), names(&compiled));
}
