//! The README and the pages of `docs/` are run as they stand: a reader's copy is what is tested.
//!
//! | fenced block | what becomes of it |
//! | --- | --- |
//! | `sh` | run; all blocks of a page in order, in one shell that stops at the first failure |
//! | `text`, `diff`, `json`, … | what the `sh` block above it prints, both streams together |
//! | `yaml talk.yaml` (a language and a file) | written to the file, where the shell stands; the text above names it |
//! | `yaml settings`, `yaml lens` | read as settings, as lenses |
//! | `sh elsewhere` | not run: it needs what is not here; [`ELSEWHERE`] counts them and says why |
//!
//! In what is printed `…` stands for anything on a line, and alone on a line for any lines; where the
//! sentence above says that it is shortened, and in a `diff`, any lines may be left out. Ids (seven
//! or more hexadecimal digits) only have to be ids: they differ from reader to reader.
//!
//! `DOCUMENTS=write cargo test --test suite documents::` writes what is printed now into the pages.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::kit::{Sandbox, empty};

/// Pages that nothing of is run here, with what they need.
const APART: [(&str, &str); 3] = [
    ("docs/github.md", "an issue on GitHub; tests/suite/github.rs has a service of its own"),
    ("docs/voices.md", "a model; tests/suite/live.rs has one"),
    ("docs/packages.md", "a registry, an installer, another system"),
];

/// How many blocks a page shows that are not run here, with what they need.
const ELSEWHERE: [(&str, usize, &str); 3] = [
    ("CONTRIBUTING.md", 1, "the tests themselves"),
    ("docs/gate.md", 2, "GitHub Actions"),
    ("docs/hooks.md", 2, "pre-commit, and a server's shell"),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The README and every page of `docs/`, by their paths.
fn pages() -> BTreeMap<String, String> {
    let folder = std::fs::read_dir(root().join("docs")).unwrap();
    let names = folder.map(|entry| format!("docs/{}", entry.unwrap().file_name().to_str().unwrap()));
    let top = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"].map(str::to_owned);
    let names = names.filter(|name| name.ends_with(".md")).chain(top);
    names.map(|name| (name.clone(), std::fs::read_to_string(root().join(name)).unwrap())).collect()
}

/// A fenced block.
#[derive(Debug)]
struct Fence<'p> {
    /// The line of its opening, from one.
    line: usize,
    info: &'p str,
    body: String,
    /// What stands between the block above it and this one.
    above: String,
}

/// What a block is, by its info string.
#[derive(Debug, PartialEq, Eq)]
enum Kind<'p> {
    Run,
    Printed,
    File(&'p str),
    Settings,
    Lens,
    Elsewhere,
}

/// Languages of what a command prints.
const PRINTED: [&str; 7] = ["text", "diff", "json", "markdown", "html", "mermaid", "csv"];

impl Fence<'_> {
    fn kind(&self) -> Option<Kind<'_>> {
        match self.info.split(' ').collect::<Vec<_>>()[..] {
            ["sh"] => Some(Kind::Run),
            [language] if PRINTED.contains(&language) => Some(Kind::Printed),
            ["yaml", "settings"] => Some(Kind::Settings),
            ["yaml", "lens"] => Some(Kind::Lens),
            [_, "elsewhere"] => Some(Kind::Elsewhere),
            [_, file] if file.contains(['.', '/']) => Some(Kind::File(file)),
            _ => None,
        }
    }

    /// Whether anything that was printed is left out, so that a person has to choose what is shown. The
    /// program prints `…` itself where it cuts.
    fn leaves_out(&self, printed: &str) -> bool {
        let prints = |line: &str| printed.lines().any(|printed| without_ids(printed) == without_ids(line));
        self.is_shortened() || self.body.lines().any(|line| line.contains('…') && !prints(line))
    }

    /// Whether lines may be left out without a sign.
    fn is_shortened(&self) -> bool {
        self.info == "diff" || self.above.contains("shortened")
    }
}

/// The fenced blocks of a page. A fence stands at the beginning of its line.
fn fences(page: &str) -> Vec<Fence<'_>> {
    let mut found = Vec::new();
    let mut above = String::new();
    let mut lines = page.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        let info = line.trim_start_matches('`');
        let ticks = &line[..line.len() - info.len()];
        if ticks.len() < 3 {
            writeln!(above, "{line}").unwrap();
            continue;
        }
        let body: Vec<&str> =
            lines.by_ref().map(|(_, line)| line).take_while(|line| *line != ticks).collect();
        let body = body.iter().map(|line| format!("{line}\n")).collect();
        found.push(Fence { line: at + 1, info, body, above: std::mem::take(&mut above) });
    }
    found
}

/// What the tests run instead of cargo: the program that was built, and nothing else.
const CARGO: &str = "#!/bin/sh\ncase \"$1 $2\" in\n'run --release') shift 3; exec roundtable \"$@\" ;;\n\
                     'install --path' | test*) ;;\n*) echo \"cargo $*: not in the tests\"; exit 1 ;;\nesac\n";

/// A reader's machine: an empty home, and folders for the page.
struct Machine {
    sandbox: Sandbox,
}

impl Machine {
    /// The README's reader has told git no name yet; the pages' have.
    fn new(page: &str) -> Machine {
        let sandbox = empty();
        for folder in ["home", "bin", "files", "desk"] {
            std::fs::create_dir_all(sandbox.outside(folder)).unwrap();
        }
        let config = "[user]\n\tname = Sam\n\temail = sam@example.org\n[advice]\n\tdetachedHead = false\n";
        if page != "README.md" {
            std::fs::write(sandbox.outside("home/.gitconfig"), config).unwrap();
        }
        std::fs::write(sandbox.outside("bin/cargo"), CARGO).unwrap();
        let made = Command::new("chmod").arg("+x").arg(sandbox.outside("bin/cargo")).status().unwrap();
        assert!(made.success());
        Machine { sandbox }
    }

    /// Where a page begins: the README's first command stands in a clone of this project.
    fn start(&self, page: &str) -> PathBuf {
        if page != "README.md" {
            return self.sandbox.outside("desk");
        }
        for entry in walkdir::WalkDir::new(root().join("examples")) {
            let entry = entry.unwrap();
            let to = self.sandbox.root().join(entry.path().strip_prefix(root()).unwrap());
            if entry.file_type().is_dir() {
                std::fs::create_dir_all(to).unwrap();
            } else {
                std::fs::copy(entry.path(), to).unwrap();
            }
        }
        self.sandbox.commit_all();
        self.sandbox.root()
    }

    /// Runs a page's blocks in one shell; what each printed, and whether all went well.
    fn run(&self, page: &str, fences: &[Fence<'_>]) -> (Vec<String>, Result<(), String>) {
        let mut script = String::from("set -eu\nexec 2>&1\n");
        for (at, fence) in fences.iter().enumerate() {
            match fence.kind() {
                Some(Kind::Run) => write!(script, "printf '\\036%s\\n' {at}\n{}", fence.body).unwrap(),
                Some(Kind::File(file)) => {
                    let kept = self.sandbox.outside(&format!("files/{at}"));
                    std::fs::write(&kept, &fence.body).unwrap();
                    let folder = Path::new(file).parent().unwrap().join(".");
                    let (kept, folder) = (kept.display(), folder.display());
                    writeln!(script, "mkdir -p '{folder}' && cat '{kept}' > '{file}'").unwrap();
                }
                _ => {}
            }
        }
        let program = Path::new(env!("CARGO_BIN_EXE_roundtable")).parent().unwrap();
        let bin = self.sandbox.outside("bin");
        let path = format!("{}:{}:/usr/local/bin:/usr/bin:/bin", bin.display(), program.display());
        let output = Command::new("sh")
            .arg("-c")
            .arg(script)
            .current_dir(self.start(page))
            .env_clear()
            .env("HOME", self.sandbox.outside("home"))
            .env("PATH", path)
            .env("GIT_PAGER", "cat")
            .env("LC_ALL", "C.UTF-8")
            .env("TZ", "UTC")
            .envs([("GIT_AUTHOR_DATE", BEFORE), ("GIT_COMMITTER_DATE", BEFORE), ("SOURCE_DATE_EPOCH", AT)])
            .output()
            .unwrap();
        let mut printed = vec![String::new(); fences.len()];
        for part in String::from_utf8_lossy(&output.stdout).split('\u{1e}').skip(1) {
            let (at, text) = part.split_once('\n').unwrap();
            printed[at.parse::<usize>().unwrap()] = text.to_owned();
        }
        let reached = printed.iter().rposition(|text| !text.is_empty()).unwrap_or_default();
        let failed = || {
            format!(
                "{page}:{}: this block, or one below it, fails\n{}",
                fences[reached].line, printed[reached]
            )
        };
        let went_well = if output.status.success() { Ok(()) } else { Err(failed()) };
        (printed, went_well)
    }
}

/// When the commits of a page are made by git, and what roundtable's clock says: 2026-02-20T14:30:00Z.
const BEFORE: &str = "2026-02-20T14:00:00+00:00";
const AT: &str = "1771597800";

/// A line with `<id>` for every word of seven or more hexadecimal digits.
fn without_ids(line: &str) -> String {
    let mut found = String::new();
    let mut rest = line.trim_end();
    while let Some(start) = rest.find(|c: char| c.is_ascii_alphanumeric()) {
        let word =
            rest[start..].find(|c: char| !c.is_ascii_alphanumeric()).map_or(rest.len(), |end| start + end);
        let is_id =
            word - start >= 7 && rest[start..word].bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        found.push_str(if is_id { &rest[..start] } else { &rest[..word] });
        found.push_str(if is_id { "<id>" } else { "" });
        rest = &rest[word..];
    }
    found + rest
}

/// Whether a line reads as it is shown; `…` is anything.
fn is_line(shown: &str, printed: &str) -> bool {
    let (shown, printed) = (without_ids(shown), without_ids(printed));
    let mut parts = shown.split('…');
    let Some(mut rest) = printed.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut parts = parts.peekable();
    while let Some(part) = parts.next() {
        let at = if parts.peek().is_none() {
            rest.ends_with(part).then(|| rest.len() - part.len())
        } else {
            rest.find(part)
        };
        let Some(at) = at else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.is_empty()
}

/// Whether lines read as they are shown. `gaps` says that any may be left out.
fn is_shown(shown: &[&str], printed: &[&str], gaps: bool) -> bool {
    // For each number of shown lines, whether they can end right before the printed line that is next.
    let mut can = vec![false; shown.len() + 1];
    can[0] = true;
    let pass = |can: &mut Vec<bool>| {
        for at in 0..shown.len() {
            can[at + 1] |= can[at] && shown[at] == "…";
        }
    };
    pass(&mut can);
    for line in printed {
        let mut next = vec![false; shown.len() + 1];
        for at in 0..=shown.len() {
            let stays = gaps || at > 0 && shown[at - 1] == "…";
            next[at] = can[at] && stays
                || at > 0 && can[at - 1] && shown[at - 1] != "…" && is_line(shown[at - 1], line);
        }
        pass(&mut next);
        can = next;
    }
    can[shown.len()]
}

/// The lines of a text; without the blank ones where lines may be left out anyhow, and without
/// those at its ends.
fn lines(text: &str, gaps: bool) -> Vec<&str> {
    let text = text.trim_matches('\n');
    text.lines().map(str::trim_end).filter(|line| !gaps || !line.is_empty()).collect()
}

/// A block that shows something else than what is printed now.
struct Stale<'p> {
    fence: &'p Fence<'p>,
    printed: String,
}

/// The blocks of a page that show something else than what is printed.
fn stale<'p>(fences: &'p [Fence<'p>], printed: &[String]) -> Vec<Stale<'p>> {
    let mut found = Vec::new();
    let mut last = None;
    for (at, fence) in fences.iter().enumerate() {
        if fence.kind() == Some(Kind::Run) {
            last = Some(&printed[at]);
        }
        let shows = fence.kind() == Some(Kind::Printed);
        if let Some(printed) = last.take_if(|_| shows) {
            let gaps = fence.is_shortened();
            if !is_shown(&lines(&fence.body, gaps), &lines(printed, gaps), gaps) {
                let lines: Vec<&str> = printed.trim_matches('\n').lines().map(str::trim_end).collect();
                found.push(Stale { fence, printed: lines.join("\n") });
            }
        }
    }
    found
}

/// The first line of a block that is not printed in its place.
fn first_missing<'f>(fence: &'f Fence<'_>, printed: &str) -> &'f str {
    let gaps = fence.is_shortened();
    let (shown, printed) = (lines(&fence.body, gaps), lines(printed, gaps));
    let begins = |end: usize| is_shown(&[&shown[..end], &["…"]].concat(), &printed, gaps);
    (1..=shown.len()).find(|end| !begins(*end)).map_or("its end", |end| shown[end - 1])
}

/// Puts what is printed now into a page; where a block leaves something out, a person has to choose.
fn mend(name: &str, page: &str, stale: &[Stale<'_>]) {
    let mut lines: Vec<&str> = page.lines().collect();
    for Stale { fence, printed } in stale.iter().rev() {
        if !fence.leaves_out(printed) {
            lines.splice(fence.line..fence.line + fence.body.lines().count(), printed.lines());
        }
    }
    std::fs::write(root().join(name), lines.join("\n") + "\n").unwrap();
}

/// Runs a page and compares what it shows.
fn prove(name: &str, page: &str) -> Result<(), String> {
    let fences = fences(page);
    let (printed, went_well) = Machine::new(name).run(name, &fences);
    let stale = stale(&fences, &printed);
    if std::env::var_os("DOCUMENTS").is_some_and(|how| how == "write") {
        mend(name, page, &stale);
    }
    let mut wrong = went_well.err().unwrap_or_default();
    for Stale { fence, printed } in &stale {
        let first = first_missing(fence, printed);
        writeln!(
            wrong,
            "{name}:{}: not printed: {first}\nshown\n{}\nprinted\n{printed}\n",
            fence.line, fence.body
        )
        .unwrap();
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong) }
}

#[cfg(unix)]
#[test]
fn every_page_prints_what_it_shows() {
    let pages = pages();
    let is_run = |name: &str| APART.iter().all(|(apart, _)| *apart != name);
    // PAGE=hooks runs one of them.
    let only = std::env::var("PAGE").unwrap_or_default();
    let wrong = std::thread::scope(|scope| {
        let mut threads = Vec::new();
        for (name, page) in pages.iter().filter(|(name, _)| is_run(name) && name.contains(&only)) {
            threads.push(scope.spawn(move || prove(name, page)));
        }
        threads.into_iter().filter_map(|thread| thread.join().unwrap().err()).collect::<Vec<_>>()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_block_is_of_a_known_kind_says_its_file_and_is_counted_where_it_is_not_run() {
    for (name, page) in pages() {
        let fences = fences(&page);
        for fence in &fences {
            let place = format!("{name}:{}", fence.line);
            assert!(fence.kind().is_some(), "{place}: no block is called \"{}\"", fence.info);
            // A rendered page does not show the name behind the language.
            if let Some(Kind::File(file)) = fence.kind() {
                assert!(fence.above.contains(&format!("`{file}`")), "{place}: say above that it is `{file}`");
            }
        }
        let apart = fences.iter().filter(|fence| fence.kind() == Some(Kind::Elsewhere)).count();
        let named = ELSEWHERE.iter().find(|(page, ..)| *page == name).map_or(0, |(_, number, _)| *number);
        assert_eq!(apart, named, "{name}: blocks that are not run");
    }
}

#[test]
fn what_is_shown_as_settings_or_lenses_is_read_as_such() {
    for (name, page) in pages() {
        for fence in fences(&page) {
            let place = format!("{name}:{}", fence.line);
            match fence.kind() {
                Some(Kind::Settings) => {
                    roundtable::config::Config::read(&place, fence.body.as_bytes()).map(drop).unwrap();
                }
                Some(Kind::Lens) => drop(roundtable::lens::read(&place, &fence.body).unwrap()),
                _ => {}
            }
        }
    }
}

/// The links of a page, and the anchors of its headings as GitHub makes them.
fn links(page: &str) -> (Vec<String>, BTreeSet<String>) {
    let (mut links, mut anchors) = (Vec::new(), BTreeSet::new());
    let mut heading: Option<String> = None;
    for event in Parser::new_ext(page, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Link { dest_url, .. }) => links.push(dest_url.into_string()),
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

#[test]
fn links_between_pages_lead_somewhere() {
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
fn the_page_on_additions_explains_every_code() {
    let page = &pages()["docs/additive.md"];
    for code in roundtable::additive::Code::ALL {
        let row = format!("| `{}` | {} | {} |", code.name(), code.why(), code.hint());
        assert!(page.contains(&row), "docs/additive.md has no row\n{row}");
    }
}

#[test]
fn the_page_on_templates_names_every_template_and_what_it_uses() {
    let page = &pages()["docs/templates.md"];
    let environment = minijinja::Environment::new();
    for (name, source) in roundtable::library::Library::built_in().unwrap().templates.sources() {
        let row = page.lines().find(|line| line.starts_with('|') && line.contains(&format!("`{name}`")));
        let row = row.unwrap_or_else(|| panic!("docs/templates.md has no row for {name}"));
        for used in environment.template_from_str(source).unwrap().undeclared_variables(false) {
            assert!(row.contains(&format!("`{used}`")), "docs/templates.md: the row of {name} has no {used}");
        }
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
    for (page, least) in [("SECURITY.md", 20), ("docs/analysis.md", 30)] {
        let text = &pages()[page];
        // A word of four parts or more in backticks is a test's name.
        let names = text.split('`').skip(1).step_by(2).filter(|word| {
            word.matches('_').count() > 3 && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        });
        let names: BTreeSet<&str> = names.collect();
        assert!(names.len() >= least, "{page}: {names:?}");
        for name in names {
            assert!(sources.contains(&format!("fn {name}(")), "{page}: there is no test {name}");
        }
    }
}

/// What `--help` of a verb says, and of the verbs below it.
fn help(verb: &[&str]) -> Vec<String> {
    let program = env!("CARGO_BIN_EXE_roundtable");
    let output = Command::new(program).args(verb).arg("--help").env_clear().output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let below = text.split_once("\nCommands:\n").map_or("", |(_, rest)| rest);
    let below = below.split("\n\n").next().unwrap_or_default();
    let names = below.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let names = names.filter(|name| !matches!(*name, "" | "help"));
    let mut found: Vec<String> = names.flat_map(|name| help(&[verb, &[name]].concat())).collect();
    found.push(text);
    found
}

#[test]
fn every_flag_stands_in_a_page() {
    let pages: String = pages().into_values().collect();
    let texts = help(&[]);
    assert!(texts.len() > 15, "{texts:?}");
    let lines = texts.iter().flat_map(|text| text.lines()).map(str::trim_start);
    let flags =
        lines.filter(|line| line.starts_with('-')).flat_map(|line| line.split(['"', ' ', ',', '[', '=']));
    for flag in flags.filter(|flag| flag.starts_with("--") && flag.len() > 3).collect::<BTreeSet<_>>() {
        assert!(pages.contains(flag), "no page speaks of {flag}");
    }
}

#[test]
fn every_page_stands_in_the_index() {
    let pages = pages();
    let index = links(&pages["docs/README.md"]).0;
    for name in pages.keys().filter_map(|name| name.strip_prefix("docs/")) {
        assert!(
            name == "README.md" || index.iter().any(|link| link == name),
            "docs/README.md has no link to {name}"
        );
    }
}

#[test]
fn a_block_is_compared_by_its_lines() {
    let shown = |shown: &str, printed: &str, gaps| is_shown(&lines(shown, gaps), &lines(printed, gaps), gaps);
    assert!(shown("a\nb\n", "a\nb\n", false));
    assert!(!shown("a\n", "a\nb\n", false));
    assert!(!shown("a\nb\n", "a\n", false));
    assert!(shown("a\n…\nd\n", "a\nb\nc\nd\n", false));
    assert!(shown("a\n…\nd\n", "a\nd\n", false));
    assert!(!shown("a\n…\nd\n", "a\nd\ne\n", false));
    assert!(shown("a\nc\n", "a\nb\nc\nd\n", true));
    assert!(!shown("c\na\n", "a\nb\nc\n", true));
    assert!(shown("at 0123456 of x", "at fedcba987 of x", false));
    assert!(!shown("at 0123456 of x", "at fedcba987 of y", false));
    assert!(shown("from … to … end", "from a to b to c end", false));
    assert!(!shown("from … end", "from a end of it", false));
}

#[test]
fn the_example_of_the_readme_shows_every_kind_of_input() {
    let machine = Machine::new("README.md");
    machine.start("README.md");
    let item = ["elaborate", "examples/offline-mode", "--step", "01-03"];
    let script = ["--script", "examples/offline-mode.yaml", "--json"];
    let report = machine.sandbox.run(&[item.as_slice(), &script].concat()).json();
    assert_eq!(report["exit"], "user-initiated");
    let log = machine.sandbox.file("roundtable/offline-mode", report["recording"].as_str().unwrap());
    for class in ["direct", "group", "default", "off-topic", "exit"] {
        assert!(log.contains(&format!("\"class\":\"{class}\"")), "{class}");
    }
}
