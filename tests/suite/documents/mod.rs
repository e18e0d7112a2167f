//! The README and the pages of `docs/` are run as they stand: a reader's copy is what is tested.
//!
//! | fenced block | what becomes of it |
//! | --- | --- |
//! | `sh` | run; all blocks of a page in order, in one shell that stops at the first failure |
//! | `sh says-no` | run; its last command has to end with exit code 1 |
//! | `text`, `diff`, `json`, … | what the `sh` block above it prints, both streams together; two in a row, where the first is shortened |
//! | `yaml talk.yaml` (a language and a file) | written to the file, where the shell stands; the text above names it |
//! | `yaml settings` | read as settings |
//! | `sh elsewhere` | not run: it needs what is not here; [`ELSEWHERE`] counts them and says why |
//!
//! In what is printed `…` stands for anything on a line, and alone on a line for any lines; where the
//! sentence above says that it is shortened, and in a `diff` (not in a `diff whole`), any lines may be left out. Where it says
//! that it is shortened and wrapped, a line that begins with two blanks goes on with the one above. Ids
//! (seven or more hexadecimal digits) only have to be ids: they differ from reader to reader.
//!
//! `DOCUMENTS=write cargo test --test suite documents::` writes what is printed now into the pages.

mod fence;
mod machine;
mod picture;
mod shown;
mod whole;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use self::fence::{Fence, Kind, fences};
use self::machine::Machine;
use self::shown::{is_shown, lines};

/// How many blocks a page shows that are not run here, with what they need.
const ELSEWHERE: [(&str, usize, &str); 6] = [
    ("README.md", 1, "a model; tests/suite/headless.rs has one"),
    ("CONTRIBUTING.md", 2, "the tests themselves"),
    ("docs/gate.md", 1, "other CI systems"),
    ("docs/github.md", 2, "an issue on GitHub; tests/suite/github.rs has a service of its own"),
    ("docs/review.md", 1, "a model; tests/suite/review.rs has one"),
    ("docs/voices.md", 1, "a model; tests/suite/live.rs has one"),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The README and every page of `docs/`, by their paths.
fn pages() -> BTreeMap<String, String> {
    let entries = std::fs::read_dir(root().join("docs")).unwrap();
    let names = entries.map(|entry| format!("docs/{}", entry.unwrap().file_name().to_str().unwrap()));
    let top = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"].map(str::to_owned);
    let names = names.filter(|name| name.ends_with(".md")).chain(top);
    names.map(|name| (name.clone(), std::fs::read_to_string(root().join(name)).unwrap())).collect()
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
        last = match fence.kind() {
            Some(Kind::Run | Kind::SaysNo) => Some(&printed[at]),
            Some(Kind::Printed) => last,
            _ => None,
        };
        if let Some(printed) = last.filter(|_| fence.kind() == Some(Kind::Printed)) {
            let gaps = fence.is_shortened();
            if !is_shown(&lines(&fence.body, gaps), &lines(printed, gaps), gaps) {
                let lines: Vec<&str> = printed.trim_matches('\n').lines().map(str::trim_end).collect();
                found.push(Stale { fence, printed: lines.join("\n") });
            }
            // What was left out may be shown by the block below.
            last = last.filter(|_| gaps);
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

/// What somebody sees who follows a page: each command of the program with what it prints.
#[cfg(unix)]
pub fn session(name: &str) -> Vec<String> {
    let machine = Machine::new(name);
    machine.overhear();
    let page = &pages()[name];
    let (printed, went_well) = machine.run(name, &fences(page));
    went_well.unwrap();
    printed.concat().split('\u{1d}').skip(1).step_by(2).map(str::to_owned).collect()
}

#[cfg(unix)]
#[test]
fn every_page_prints_what_it_shows() {
    let pages = pages();
    // PAGE=hooks runs one of them.
    let only = std::env::var("PAGE").unwrap_or_default();
    let wrong = std::thread::scope(|scope| {
        let mut threads = Vec::new();
        for (name, page) in pages.iter().filter(|(name, _)| name.contains(&only)) {
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
fn what_is_shown_as_settings_is_read_as_such() {
    for (name, page) in pages() {
        for fence in fences(&page) {
            let place = format!("{name}:{}", fence.line);
            if fence.kind() == Some(Kind::Settings) {
                roundtable::item::config::Config::read(&place, fence.body.as_bytes()).map(drop).unwrap();
            }
        }
    }
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
