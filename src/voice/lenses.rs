//! What each persona looks for: points that a lens finds in the evidence, each with the place it
//! stands at. A lens that has nothing to point at says nothing.

use std::collections::BTreeMap;

use super::evidence::{Evidence, Line, LineKind, Mentions, snippet};
use crate::discussion::words::{is_significant, subjects, words};
use crate::step::Step;

/// Something a persona can say, grounded in the evidence.
#[derive(Clone, Debug)]
pub struct Point {
    finding: Statement,
    /// What it asks for, if anything.
    pub ask: String,
    /// How much it matters by itself; higher is said earlier.
    pub weight: usize,
    /// The place it points at, with a blank behind it: `requirements-spec.md line 12 `.
    pub place: String,
    /// What it is about, for relevance; a point on a line is about the line and its heading too.
    stems: Vec<String>,
}

/// What was found. Of a hundred findings in a document a discussion says ten: the sentence on a
/// line is written when it is wanted.
#[derive(Clone, Debug)]
enum Statement {
    Written(String),
    /// A word of a line, by its index in the evidence, and the sentence to make of them.
    OnLine {
        at: usize,
        word: String,
        say: fn(&Line, &str) -> String,
    },
}

impl Point {
    fn new(weight: usize, about: &str, statement: String, ask: &str) -> Point {
        let stems = subjects(&format!("{about} {statement}"));
        let place = place_in(&statement).unwrap_or_default().to_owned();
        Point { finding: Statement::Written(statement), ask: ask.to_owned(), weight, place, stems }
    }

    /// A point on a line: it is about what the line and its heading are about.
    fn on(
        weight: usize,
        (at, line): (usize, &Line),
        word: &str,
        say: fn(&Line, &str) -> String,
        ask: &str,
    ) -> Point {
        let place = if line.document.contains(' ') { String::new() } else { format!("{} ", place(line)) };
        let finding = Statement::OnLine { at, word: word.to_owned(), say };
        Point { finding, ask: ask.to_owned(), weight, place, stems: Vec::new() }
    }

    /// How many of some subjects it is about.
    pub fn touches(&self, subjects: &[String], evidence: &Evidence) -> usize {
        let line = match self.finding {
            Statement::OnLine { at, .. } => evidence.lines.get(at),
            Statement::Written(_) => None,
        };
        let about = |word: &&String| match line {
            None => self.stems.contains(word),
            Some(line) => line.stems.contains(word) || line.section_stems.contains(word),
        };
        subjects.iter().filter(about).count()
    }

    /// The same finding without what it asks for.
    pub fn alone(&self) -> Point {
        Point { ask: String::new(), ..self.clone() }
    }

    /// The finding: one sentence that names what it rests on.
    pub fn statement(&self, evidence: &Evidence) -> String {
        match &self.finding {
            Statement::Written(statement) => statement.clone(),
            Statement::OnLine { at, word, say } => {
                evidence.lines.get(*at).map(|line| say(line, word)).unwrap_or_default()
            }
        }
    }

    /// The sentence, and what it asks for.
    pub fn text(&self, evidence: &Evidence) -> String {
        let statement = self.statement(evidence);
        if self.ask.is_empty() { statement } else { format!("{statement} {}", self.ask) }
    }
}

/// The points of a persona's lens, in the order of the evidence. A persona beyond the three has
/// the step's own criteria to speak from.
pub fn points(persona: &str, evidence: &Evidence, step: &Step) -> Vec<Point> {
    let mut found = match persona {
        "business-analyst" => user_needs(evidence),
        "solutions-architect" => architecture(evidence),
        "system-designer" => design(evidence),
        _ => Vec::new(),
    };
    found.extend(criteria(persona, evidence, step));
    let near = subjects(&step.title);
    for point in &mut found {
        point.weight += point.touches(&near, evidence) * 5;
        let says = |output: &str| match &point.finding {
            Statement::Written(statement) => statement.contains(output),
            Statement::OnLine { .. } => point.place.contains(output),
        };
        if step.outputs.iter().any(|output| says(output)) {
            point.weight += 10;
        }
    }
    found
}

/// The sentence of a line that says a word, cut to what can be quoted.
fn around(line: &Line, word: &str) -> String {
    let sentences = crate::discussion::extract::sentences(&line.text);
    let says = |sentence: &&String| words(sentence).iter().any(|found| found.text == word);
    let sentence = sentences.iter().find(says).map_or(line.text.as_str(), String::as_str);
    let quoted = snippet(sentence, 90);
    if words(&quoted).iter().any(|found| found.text == word) {
        return quoted;
    }
    // The word stands behind the cut: quote from a few words before it.
    let found = words(sentence);
    let Some(at) = found.iter().position(|found| found.text == word) else { return quoted };
    let from = found[at.saturating_sub(6)].start;
    format!("…{}", snippet(&sentence[from..], 90))
}

/// The place that a statement begins with, up to the blank behind its line number.
fn place_in(statement: &str) -> Option<&str> {
    let at = statement.find(" line ")? + " line ".len();
    let digits = statement[at..].find(|c: char| !c.is_ascii_digit())?;
    let document = !statement[..at - " line ".len()].contains(' ');
    if document && digits > 0 { statement.get(..at + digits + 1) } else { None }
}

/// As many findings of one kind are kept: a discussion has room for a few, the first come first.
const OF_A_KIND: usize = 40;

/// How many findings of each kind there are so far.
#[derive(Default)]
struct Quota(BTreeMap<&'static str, usize>);

impl Quota {
    /// The first word of `wanted` that the line says, while findings of this kind are wanted.
    fn says<'w>(&mut self, kind: &'static str, line: &Line, wanted: &[&'w str]) -> Option<&'w str> {
        let count = self.0.entry(kind).or_default();
        let found = if *count < OF_A_KIND { says(line, wanted) } else { None };
        *count += usize::from(found.is_some());
        found
    }
}

/// "requirements-spec.md line 12".
fn place(line: &Line) -> String {
    format!("{} line {}", line.document, line.number)
}

/// The lines that say something, with their index.
fn prose(evidence: &Evidence) -> impl Iterator<Item = (usize, &Line)> {
    let telling = |line: &Line| matches!(line.kind, LineKind::Prose | LineKind::Row) && line.stems.len() >= 3;
    evidence.lines.iter().enumerate().filter(move |(_, line)| telling(line))
}

/// The first of the line's words that begins one of `wanted`, which are sorted.
fn says<'w>(line: &Line, wanted: &[&'w str]) -> Option<&'w str> {
    line.words.iter().enumerate().find_map(|(at, word)| {
        let from = wanted.partition_point(|one| *one < word.as_str());
        let begun = wanted[from..].iter().take_while(|one| one.starts_with(word.as_str()));
        begun.copied().find(|one| {
            let mut following = line.words[at..].iter();
            one.split(' ').all(|part| following.next().is_some_and(|next| next == part))
        })
    })
}

/// Words that cannot be measured (ISO/IEC/IEEE 29148, 5.2.7: vague and general terms).
const VAGUE: [&str; 30] = [
    "adequate",
    "appropriate",
    "appropriately",
    "easily",
    "easy",
    "efficient",
    "efficiently",
    "etc",
    "fast",
    "flexible",
    "gracefully",
    "intuitive",
    "minimal",
    "modern",
    "normally",
    "often",
    "properly",
    "quick",
    "quickly",
    "reasonable",
    "robust",
    "seamless",
    "seamlessly",
    "several",
    "significant",
    "simple",
    "some",
    "soon",
    "user-friendly",
    "usually",
];
const OPEN: [&str; 8] = [
    "fixme",
    "needs clarification",
    "tbc",
    "tbd",
    "to be clarified",
    "to be decided",
    "to be defined",
    "todo",
];
const FAILURE: [&str; 26] = [
    "abort",
    "cancel",
    "cannot",
    "conflict",
    "conflicts",
    "denied",
    "error",
    "errors",
    "expired",
    "fail",
    "failed",
    "fails",
    "failure",
    "interrupted",
    "invalid",
    "lose",
    "lost",
    "missing",
    "offline",
    "reject",
    "rejected",
    "retries",
    "retry",
    "timeout",
    "unavailable",
    "without",
];

/// Maya: who needs it, how they would notice, what nobody mentioned.
fn user_needs(evidence: &Evidence) -> Vec<Point> {
    let (mut found, mut quota) = (Vec::new(), Quota::default());
    for (at, line) in prose(evidence) {
        if let Some(word) = quota.says("vague", line, &VAGUE) {
            let say = |line: &Line, word: &str| {
                let (place, quoted) = (place(line), around(line, word));
                format!(
                    "{place} says \"{quoted}\", and \"{word}\" leaves nobody a way to tell whether it holds."
                )
            };
            let ask = format!("What would a person see or measure when it is {word} enough?");
            found.push(Point::on(30, (at, line), word, say, &ask));
        }
        if let Some(word) = quota.says("open", line, &OPEN) {
            let say = |line: &Line, _: &str| {
                format!("{} still carries an open marker: \"{}\".", place(line), snippet(&line.text, 90))
            };
            let ask = format!("Who settles that {}, and who waits for it?", word.to_uppercase());
            found.push(Point::on(40, (at, line), word, say, &ask));
        }
    }
    found.extend(happy_sections(evidence));
    for (at, line) in evidence.lines.iter().enumerate() {
        let Some(id) = requirement(line).filter(|_| !has_criterion(&evidence.lines[at..])) else { continue };
        let say = |line: &Line, id: &str| {
            let text = snippet(&line.text, 70);
            format!("{} gives {id} (\"{text}\") no acceptance criterion.", place(line))
        };
        found.push(Point::on(18, (at, line), &id, say, "What would a person check to call it met?"));
    }
    found
}

const TELLS: [&str; 6] = ["flow", "journey", "journeys", "scenario", "story", "use case"];
const CRITERION: [&str; 9] =
    ["accepted", "at least", "at most", "criteria", "criterion", "given", "then", "when", "within"];

/// Sections that tell only the way that works.
fn happy_sections(evidence: &Evidence) -> Vec<Point> {
    let mut found = Vec::new();
    for (at, heading) in evidence.lines.iter().enumerate() {
        if heading.kind != LineKind::Heading || says(heading, &TELLS).is_none() {
            continue;
        }
        let below = evidence.lines[at + 1..]
            .iter()
            .take_while(|line| line.kind != LineKind::Heading && line.document == heading.document);
        let body: Vec<&Line> = below.filter(|line| line.kind == LineKind::Prose).collect();
        if body.len() >= 3 && !body.iter().any(|line| says(line, &FAILURE).is_some()) {
            let statement = format!(
                "\"{}\" in {} tells the way that works and no other.",
                heading.text, heading.document
            );
            let ask = "What if it stops halfway: what does the person see, and what do they do next?";
            found.push(Point::new(45, &heading.text, statement, ask));
        }
    }
    found
}

/// The requirement id a line starts with, such as `FR-001`.
fn requirement(line: &Line) -> Option<String> {
    let first = words(&line.text).into_iter().next()?;
    let (head, tail) = first.text.split_once('-')?;
    let id =
        head.len() >= 2 && head.chars().all(char::is_alphabetic) && tail.chars().all(|c| c.is_ascii_digit());
    (id && !tail.is_empty()).then(|| first.text.to_uppercase())
}

/// A criterion stands in the first line or within the four below it.
fn has_criterion(lines: &[Line]) -> bool {
    let near = lines
        .iter()
        .take(5)
        .filter(|other| other.document == lines[0].document && other.number <= lines[0].number + 4);
    near.into_iter().any(|other| says(other, &CRITERION).is_some())
}

const PARTS: [&str; 17] = [
    "api",
    "backend",
    "broker",
    "bucket",
    "cache",
    "cluster",
    "database",
    "gateway",
    "import",
    "network",
    "queue",
    "scheduler",
    "server",
    "service",
    "storage",
    "upload",
    "webhook",
];
const PRIVATE: [&str; 14] = [
    "address",
    "credential",
    "credentials",
    "email",
    "health",
    "location",
    "password",
    "payment",
    "personal",
    "photo",
    "photos",
    "secret",
    "signature",
    "token",
];
const FINAL: [&str; 12] = [
    "delete",
    "deleted",
    "deletes",
    "discard",
    "migrate",
    "migration",
    "overwrite",
    "overwrites",
    "overwritten",
    "remove",
    "removes",
    "replace",
];

/// Alex: what breaks, how far it reaches, what it costs to turn back.
fn architecture(evidence: &Evidence) -> Vec<Point> {
    let (mut found, mut quota) = (reach(&evidence.mentions), Quota::default());
    for (at, line) in prose(evidence) {
        if let Some(part) = quota.says("parts", line, &PARTS) {
            let say = |line: &Line, part: &str| {
                format!("{} rests on the {part}: \"{}\".", place(line), around(line, part))
            };
            let ask = format!(
                "The risk with this is a {part} that is slow, stale or gone; we can mitigate it by saying what still works then."
            );
            found.push(Point::on(20, (at, line), part, say, &ask));
        }
        if let Some(word) = quota.says("private", line, &PRIVATE) {
            let say = |line: &Line, word: &str| {
                format!("{} touches {word}: \"{}\".", place(line), around(line, word))
            };
            let ask =
                "Who may read it, where it rests and when it goes is a decision to record before the design.";
            found.push(Point::on(22, (at, line), word, say, ask));
        }
        if let Some(word) = quota.says("final", line, &FINAL) {
            let say = |line: &Line, word: &str| {
                let (place, quoted) = (place(line), around(line, word));
                format!(
                    "{place} speaks of \"{word}\" (\"{quoted}\"), which is the step that cannot be undone."
                )
            };
            let ask = "I see two approaches: keep the old state until somebody confirms, which costs storage; or act at once, which costs a way back.";
            found.push(Point::on(32, (at, line), word, say, ask));
        }
        if let Some(number) = number_with_unit(&line.text) {
            let say = |line: &Line, number: &str| {
                format!("{} fixes a size: \"{}\".", place(line), around(line, number))
            };
            let ask = format!(
                "At ten times {number} something else gives way first; which part that is decides how far this approach carries."
            );
            found.push(Point::on(16, (at, line), &number, say, &ask));
        }
    }
    for (document, line, row, column) in &evidence.gaps {
        let statement = format!("{document} line {line} leaves \"{column}\" empty for {row}.");
        let ask = "Without a figure there, no option can be ruled out.";
        found.push(Point::new(38, column, statement, ask));
    }
    found
}

/// How far the subject reaches in the repository.
fn reach(mentions: &Mentions) -> Vec<Point> {
    let mut found = Vec::new();
    for (word, paths) in &mentions.paths {
        if paths.is_empty() {
            continue;
        }
        let mut folders: Vec<&str> =
            paths.iter().map(|path| path.rsplit_once('/').map_or(".", |(folder, _)| folder)).collect();
        folders.sort_unstable();
        let most =
            folders.chunk_by(|a, b| a == b).map(|same| (same.len(), same[0])).rev().max().unwrap_or((0, "."));
        let count = folders.chunk_by(|a, b| a == b).count();
        let least = if mentions.partial { "at least " } else { "" };
        let files = plural(paths.len(), "file", "files");
        let folders = plural(count, "folder", "folders");
        let statement = format!(
            "\"{word}\" stands in {least}{files} in {folders} of this repository, {} of them in {}.",
            most.0, most.1
        );
        let ask =
            format!("That is the blast radius to keep small; {} is the first place I would open.", paths[0]);
        found.push(Point::new(28, word, statement, &ask));
    }
    found
}

fn plural(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// "200 MB", "30 seconds": a number with what it counts.
fn number_with_unit(text: &str) -> Option<String> {
    if !text.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let found = words(text);
    found.windows(2).find_map(|pair| {
        let [number, unit] = pair else { return None };
        let counts = number.text.chars().all(|c| c.is_ascii_digit())
            && number.text.len() < 10
            && unit.text.chars().all(char::is_alphabetic)
            && text[number.end..unit.start] == *" "
            && is_significant(&unit.text);
        let before = text[..number.start].trim_end().to_lowercase();
        (counts && !before.ends_with("line") && !before.ends_with("step"))
            .then(|| text[number.start..unit.end].to_owned())
    })
}

const ACTIONS: [&str; 19] = [
    "import", "load", "loads", "merge", "merged", "open", "opens", "save", "saved", "saves", "send", "sends",
    "sent", "submit", "submits", "syncs", "upload", "uploaded", "uploads",
];
const MANY: [&str; 8] = ["all", "any", "every", "list of", "many", "multiple", "several", "unlimited"];
const TWICE: [&str; 9] =
    ["again", "both", "concurrent", "conflict", "conflicts", "duplicate", "duplicates", "same", "twice"];

/// Jordan: inputs, outputs, limits, the error path, the second call.
fn design(evidence: &Evidence) -> Vec<Point> {
    let (mut found, mut quota) = (Vec::new(), Quota::default());
    for (at, line) in prose(evidence) {
        if let Some(verb) = quota.says("actions", line, &ACTIONS)
            && says(line, &FAILURE).is_none()
        {
            let say = |line: &Line, verb: &str| {
                let (place, quoted) = (place(line), around(line, verb));
                format!("{place} has \"{verb}\" (\"{quoted}\") and no error case beside it.")
            };
            let ask = "The contract needs the result and one named error that the caller can act on.";
            found.push(Point::on(26, (at, line), verb, say, ask));
        }
        if let Some(word) = quota.says("many", line, &MANY) {
            let say = |line: &Line, word: &str| {
                let (place, quoted) = (place(line), around(line, word));
                format!(
                    "{place} says \"{word}\" (\"{quoted}\"): the contract lacks a largest number and an order."
                )
            };
            let ask = "Zero, one and one too many are the three cases to write down.";
            found.push(Point::on(20, (at, line), word, say, ask));
        }
        if let Some(word) = quota.says("twice", line, &TWICE) {
            let say = |line: &Line, word: &str| {
                let (place, quoted) = (place(line), around(line, word));
                format!(
                    "{place} brings up \"{word}\" (\"{quoted}\") without the key by which two are the same."
                )
            };
            let ask = "What happens when the second one arrives? We need to handle that: equal key and equal content returns the first result, equal key and other content returns a conflict.";
            found.push(Point::on(34, (at, line), word, say, ask));
        }
        if let Some(name) = identifier(&line.text) {
            let say = |line: &Line, name: &str| {
                format!(
                    "{} names {name} and no types: what goes in, what comes out, what it raises.",
                    place(line)
                )
            };
            let ask = "To make this concrete, the contract is one line a case.";
            found.push(Point::on(24, (at, line), &name, say, ask));
        }
    }
    for (document, line, row, column) in &evidence.gaps {
        let statement = format!(
            "{row} in {document} line {line} has no value in \"{column}\", so no test can be written from it."
        );
        found.push(Point::new(
            30,
            column,
            statement,
            "Given the row, When the test runs, Then it has to compare with a number.",
        ));
    }
    found
}

/// A name as code writes it: `syncState`, `sync_state`, `sync()`.
fn identifier(text: &str) -> Option<String> {
    text.split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_' && c != '(' && c != ')'))
        .find_map(|word| {
            let plain = word.trim_end_matches("()");
            let called = plain.len() < word.len();
            let snake = plain.contains('_') && !plain.starts_with('_');
            let camel =
                plain.chars().next().is_some_and(char::is_lowercase) && plain.chars().any(char::is_uppercase);
            let named = plain.len() > 3 && plain.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            (named && (called || snake || camel)).then(|| plain.to_owned())
        })
}

/// Criteria of the step that the documents do not speak to. Each persona takes every n-th, so
/// that no two bring up the same one.
fn criteria(persona: &str, evidence: &Evidence, step: &Step) -> Vec<Point> {
    let (share, ask) = match persona {
        "business-analyst" => (0, "Who would miss it first?"),
        "solutions-architect" => (1, "Leaving it out moves the risk into the build."),
        "system-designer" => (2, "Until it is written, there is nothing to test against."),
        _ => (0, "It is worth a sentence."),
    };
    let output = step.outputs.first().map_or("the artifact", String::as_str);
    let own = step.validation.iter().enumerate().filter(|(at, _)| at % 3 == share);
    own.filter(|(_, criterion)| evidence.coverage(criterion) < 60)
        .map(|(_, criterion)| {
            let missing: Vec<String> = subjects(criterion)
                .into_iter()
                .filter(|word| !evidence.is_mentioned(word))
                .take(3)
                .map(|word| format!("\"{word}\""))
                .collect();
            let statement = format!(
                "The step asks that \"{}\", and {output} has nothing on {}.",
                snippet(criterion, 120),
                missing.join(", ")
            );
            Point::new(4, criterion, statement, ask)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(persona: &str, text: &str) -> Vec<String> {
        let library = crate::library::Library::built_in().unwrap();
        let mut step = library.step("01-03").unwrap().clone();
        step.validation.clear();
        let evidence = Evidence::new([("spec.md", text)], &["spec.md".into()]);
        points(persona, &evidence, &step).iter().map(|point| point.text(&evidence)).collect()
    }

    #[test]
    fn a_lens_names_the_line_and_the_words() {
        assert!(
            found("business-analyst", "The sync should be fast.")[0]
                .starts_with("spec.md line 1 says \"The sync should be fast\"")
        );
        assert!(
            found("solutions-architect", "Old drafts are deleted at night.")[0].contains("cannot be undone")
        );
        assert!(found("system-designer", "The tablet uploads what was saved.")[0].contains("no error case"));
    }

    #[test]
    fn a_lens_without_anything_to_point_at_says_nothing() {
        for persona in ["business-analyst", "solutions-architect", "system-designer"] {
            assert_eq!(found(persona, "# Title\n\nLorem ipsum dolor sit amet.\n"), Vec::<String>::new());
            assert_eq!(found(persona, ""), Vec::<String>::new());
        }
    }

    #[test]
    fn a_quotation_holds_the_word_that_it_is_about() {
        let text = format!("The {} list is loaded fast.", "very ".repeat(40).trim());
        let said = found("business-analyst", &text);
        assert!(said[0].contains("says \"…very very very list is loaded fast\""), "{}", said[0]);
    }

    #[test]
    fn the_words_of_a_lens_are_sorted() {
        let lists: [&[&str]; 11] =
            [&VAGUE, &OPEN, &FAILURE, &TELLS, &CRITERION, &PARTS, &PRIVATE, &FINAL, &ACTIONS, &MANY, &TWICE];
        for list in lists {
            assert!(list.is_sorted(), "{list:?}");
        }
    }

    #[test]
    fn numbers_and_names_are_recognised() {
        assert_eq!(number_with_unit("holds 500 photos at once").as_deref(), Some("500 photos"));
        assert_eq!(number_with_unit("see line 12 there"), None);
        assert_eq!(identifier("then `syncState()` runs"), Some("syncState".to_owned()));
        assert_eq!(identifier("then it runs"), None);
    }
}
