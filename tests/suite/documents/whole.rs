//! Nothing is missing in the pages, and nothing in them leads nowhere.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::{pages, root};

/// The links of a page, and the anchors of its headings as GitHub makes them.
fn links(page: &str) -> (Vec<String>, BTreeSet<String>) {
    let (mut links, mut anchors) = (Vec::new(), BTreeSet::new());
    let mut heading: Option<String> = None;
    for event in Parser::new_ext(page, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                links.push(dest_url.into_string());
            }
            Event::Html(html) | Event::InlineHtml(html) => links.extend(sources_of(&html)),
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::Text(text) | Event::Code(text) => {
                heading.iter_mut().for_each(|heading| heading.push_str(&text))
            }
            Event::End(TagEnd::Heading(_)) => {
                let kept = |c: &char| c.is_alphanumeric() || matches!(c, '-' | '_' | ' ');
                let text = heading.take().unwrap_or_default().to_lowercase();
                anchors.insert(text.chars().filter(kept).map(|c| if c == ' ' { '-' } else { c }).collect());
            }
            _ => {}
        }
    }
    (links, anchors)
}

/// The files that a piece of HTML shows or links to.
fn sources_of(html: &str) -> Vec<String> {
    let values = |name: &str| -> Vec<String> {
        html.split(name).skip(1).filter_map(|rest| rest.split('"').next()).map(str::to_owned).collect()
    };
    [" src=\"", " srcset=\"", " href=\""].into_iter().flat_map(values).collect()
}

#[test]
fn links_between_pages_lead_somewhere() {
    assert!(links(&pages()["README.md"]).0.contains(&"docs/pictures/discussion-dark.svg".to_owned()));
    for (name, page) in pages() {
        let folder = Path::new(&name).parent().unwrap();
        for link in links(&page).0.iter().filter(|link| !link.contains("://")) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let path = if file.is_empty() { root().join(&name) } else { root().join(folder).join(file) };
            assert!(path.exists(), "{name}: {link} leads nowhere");
            if !anchor.is_empty() {
                let anchors = links_of(&path);
                assert!(anchors.contains(anchor), "{name}: {link}: the anchors are {anchors:?}");
            }
        }
    }
}

fn links_of(path: &Path) -> BTreeSet<String> {
    links(&std::fs::read_to_string(path).unwrap()).1
}

#[test]
fn the_page_of_the_gate_names_every_kind_of_loss() {
    let page = &pages()["docs/gate.md"];
    let section = page.split_once("\n## Kinds of loss\n").unwrap().1;
    for kind in roundtable::additive::Kind::ALL {
        let name = format!("`{}`", kind.name());
        assert!(section.contains(&name), "docs/gate.md does not name {name}");
    }
}

#[test]
fn the_page_on_extending_has_a_row_for_every_template_or_its_folder() {
    let page = &pages()["docs/extending.md"];
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with('|')).collect();
    for (name, _) in roundtable::item::library::Library::built_in().unwrap().templates.sources() {
        let named = name.rsplit_once('/').map_or(name.to_owned(), |(folder, _)| format!("{folder}/"));
        let is_named = rows.iter().any(|row| row.contains(&format!("`{named}`")));
        assert!(is_named, "docs/extending.md has no row with `{named}`");
    }
}

/// Every source file of the project and its tests, one behind the other.
fn sources() -> String {
    let files = ["src", "tests"].into_iter().flat_map(|folder| walkdir::WalkDir::new(root().join(folder)));
    let files = files.flatten().filter(|entry| entry.path().extension().is_some_and(|suffix| suffix == "rs"));
    files.map(|entry| std::fs::read_to_string(entry.path()).unwrap()).collect()
}

#[test]
fn every_test_that_a_page_names_exists() {
    let sources = sources();
    let text = &pages()["SECURITY.md"];
    // A word of four parts or more in backticks is a test's name.
    let names = text.split('`').skip(1).step_by(2).filter(|word| {
        word.matches('_').count() > 3 && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    });
    let names: BTreeSet<&str> = names.collect();
    assert!(names.len() >= 20, "SECURITY.md: {names:?}");
    for name in names {
        assert!(sources.contains(&format!("fn {name}(")), "SECURITY.md: there is no test {name}");
    }
}

/// What `--help` of a verb says, and of the verbs below it.
fn help(verb: &[&str]) -> Vec<String> {
    let program = env!("CARGO_BIN_EXE_roundtable");
    let output = Command::new(program).args(verb).arg("--help").env_clear().output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let lists =
        text.split("\n\n").filter(|part| part.trim_start().lines().next().is_some_and(is_list_of_verbs));
    let lines = lists.flat_map(str::lines);
    let names = lines.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let names = names.filter(|name| !matches!(*name, "" | "help"));
    let mut found: Vec<String> = names.flat_map(|name| help(&[verb, &[name]].concat())).collect();
    found.push(text);
    found
}

fn is_list_of_verbs(heading: &str) -> bool {
    matches!(heading, "Commands:" | "More commands:")
}

#[test]
fn every_verb_and_flag_stands_in_a_page() {
    let pages: String = pages().into_values().collect();
    let texts = help(&[]);
    assert!(texts.len() > 15, "{texts:?}");
    let lines = texts.iter().flat_map(|text| text.lines()).map(str::trim_start);
    let flags =
        lines.filter(|line| line.starts_with('-')).flat_map(|line| line.split(['"', ' ', ',', '[', '=']));
    for flag in flags.filter(|flag| flag.starts_with("--") && flag.len() > 3).collect::<BTreeSet<_>>() {
        assert!(pages.contains(flag), "no page speaks of {flag}");
    }
    let verbs = texts.iter().filter_map(|text| text.split_once("Usage: roundtable ")?.1.split(' ').next());
    for verb in verbs.filter(|verb| verb.starts_with(|c: char| c.is_ascii_lowercase())) {
        assert!(pages.contains(&format!("roundtable {verb}")), "no page speaks of {verb}");
    }
}

#[test]
fn the_page_on_settings_shows_every_key_that_init_writes() {
    let page = &pages()["docs/settings.md"];
    let file = std::fs::read_to_string(root().join("src/cli/init/roundtable.yaml")).unwrap();
    let keys = file.lines().filter_map(|line| {
        let key = line.trim_start_matches(['#', ' ']).split_once(':')?.0;
        key.bytes().all(|b| b.is_ascii_lowercase() || b == b'_').then_some(key)
    });
    let keys: BTreeSet<&str> = keys.collect();
    assert!(keys.len() > 12, "{keys:?}");
    for key in keys {
        assert!(
            page.lines().any(|line| line.trim_start().starts_with(&format!("{key}:"))),
            "docs/settings.md does not show {key}"
        );
    }
}

#[test]
fn the_page_on_the_check_has_a_row_for_each_preset() {
    let page = &pages()["docs/gate.md"];
    for preset in roundtable::additive::policy::Preset::all() {
        assert!(
            page.contains(&format!("\n| `{}` | ", preset.name)),
            "docs/gate.md has no row for {}",
            preset.name
        );
    }
}

#[test]
fn every_page_stands_in_the_index() {
    let pages = pages();
    let index = links(&pages["docs/README.md"]).0;
    for name in pages.keys().filter_map(|name| name.strip_prefix("docs/")) {
        let is_listed = matches!(name, "README.md" | "SUMMARY.md") || index.iter().any(|link| link == name);
        assert!(is_listed, "docs/README.md has no link to {name}");
    }
}

#[test]
fn the_book_has_every_page_once() {
    let book = std::fs::read_to_string(root().join("book.toml")).unwrap();
    assert!(book.contains("src = \"docs\""), "{book}");
    let pages = pages();
    let mut chapters = links(&pages["docs/SUMMARY.md"]).0;
    chapters.sort();
    let names = pages.keys().filter_map(|name| name.strip_prefix("docs/"));
    let names: Vec<&str> = names.filter(|name| *name != "SUMMARY.md").collect();
    assert_eq!(chapters, names);
}

/// Words that style forbids, and words that may follow them all the same ("stands for" is plain English).
const AVOIDED: [(&str, &[&str]); 6] = [
    ("stands", &["for", "out"]),
    ("stood", &[]),
    ("mend", &[]),
    ("mends", &[]),
    ("mended", &[]),
    ("whoever", &[]),
];
const AVOIDED_PHRASES: [&str; 6] =
    ["but for the", "but for what", "lays down", "house of its own", "room of its own", "how to mend"];

/// What users read besides `--help`: pages, templates, steps, rules, workflows that `init` writes.
fn texts_for_users() -> BTreeMap<String, String> {
    let folders = ["docs", "templates", "steps", "rules/review", "skills", "src/cli/init"];
    let files = folders.into_iter().flat_map(|folder| walkdir::WalkDir::new(root().join(folder))).flatten();
    let is_text = |path: &Path| {
        path.extension()
            .is_some_and(|suffix| ["md", "txt", "yaml", "yml", "html"].iter().any(|known| suffix == *known))
    };
    let files = files.filter(|entry| is_text(entry.path())).map(|entry| entry.into_path());
    let top = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "action.yml"];
    let paths = files.chain(top.map(|name| root().join(name)));
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        // Of a rule people read a few keys; its patterns are data.
        let is_read =
            |line: &&str| ["title:", "message:", "why:", "suggest:"].iter().any(|key| line.starts_with(key));
        let is_rule = path.starts_with(root().join("rules"));
        let text = if is_rule { text.lines().filter(is_read).collect::<Vec<_>>().join("\n") } else { text };
        (path.display().to_string(), text)
    };
    paths.map(read).collect()
}

#[test]
fn no_text_for_users_has_the_words_that_style_avoids() {
    let mut texts = texts_for_users();
    texts.extend(help(&[]).into_iter().enumerate().map(|(number, text)| (format!("--help {number}"), text)));
    assert!(texts.len() > 150, "{}", texts.len());
    let mut found = Vec::new();
    for (name, text) in &texts {
        let lower = text.to_lowercase();
        let words: Vec<&str> =
            lower.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()).collect();
        for (at, word) in words.iter().enumerate() {
            let next = words.get(at + 1).copied().unwrap_or_default();
            let is_avoided = AVOIDED.iter().any(|(avoided, may)| word == avoided && !may.contains(&next));
            found.extend(is_avoided.then(|| format!("{name}: {word} {next}")));
        }
        let phrases = AVOIDED_PHRASES.iter().filter(|phrase| lower.contains(*phrase));
        found.extend(phrases.map(|phrase| format!("{name}: {phrase}")));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
