//! "Which of the risk zones …?": the parts that a document lists under a name, so that they can be told one by one.

use super::evidence::{Evidence, LineKind, snippet};
use super::naming::names_something;
use super::runs::roots;
use crate::discussion::root::root;
use crate::discussion::words::{is_number, words};

/// More parts are a table, and no list to tell.
const MOST: usize = 9;
/// A part is shown in so many characters.
const SHOWN: usize = 70;

/// What "which of the …" asks about.
#[derive(Debug, PartialEq, Eq)]
pub struct Parts {
    /// As the question names them.
    pub name: String,
    /// The line of each, as an index of the evidence, in the order of the document.
    pub lines: Vec<usize>,
}

impl Parts {
    /// What the document says of a part: the line, and what a heading owns where it rates nothing itself.
    pub fn said(&self, evidence: &Evidence, at: usize) -> String {
        let line = &evidence.lines[at];
        let rated = line.kind != LineKind::Heading || line.text.contains(['(', ':']);
        let below = evidence.lines.get(at + 1).filter(|_| !rated && evidence.below(at) > 0);
        match below {
            Some(below) => format!("{}: {}", line.text, snippet(&below.text, SHOWN)),
            None => snippet(&line.text, SHOWN),
        }
    }
}

/// The parts that a question asks to choose from, where a document lists them: the subsections or the lines of the
/// heading that has the name, or the lines labelled with it ("Option A: …").
pub fn parts_asked_for(evidence: &Evidence, question: &str) -> Option<Parts> {
    let name = name_asked_for(question)?;
    let wanted = roots(&name);
    let lines = below_heading(evidence, &wanted).or_else(|| labelled(evidence, &wanted))?;
    Some(Parts { name, lines })
}

/// The words behind "which of the".
fn name_asked_for(question: &str) -> Option<String> {
    let found = words(question);
    let at = found.windows(2).position(|pair| pair[0].text == "which" && pair[1].text == "of")? + 2;
    let counts = |word: &str| {
        matches!(word, "the" | "our" | "your" | "these" | "those" | "all" | "both") || is_number(word)
    };
    let from = at + found[at..].iter().take_while(|word| counts(&word.text)).count();
    let long = found[from..].iter().take(3).take_while(|word| names_something(&word.text)).count();
    let last = found.get((from + long).checked_sub(1)?).filter(|_| long > 0)?;
    // Without "the" it asks for one of a kind, and not for one of a list.
    (from > at).then(|| question[found[from].start..last.end].to_owned())
}

fn below_heading(evidence: &Evidence, wanted: &[String]) -> Option<Vec<usize>> {
    let named = |at: &usize| {
        let line = &evidence.lines[*at];
        let own = || roots(&line.text);
        line.kind == LineKind::Heading && line.depth > 1 && has_all(&own(), wanted)
    };
    let heading = (0..evidence.lines.len()).filter(named).min_by_key(|at| evidence.lines[*at].words.len())?;
    let below = heading + 1..=heading + evidence.below(heading);
    let is_heading = |at: &usize| evidence.lines[*at].kind == LineKind::Heading;
    let top = below.clone().filter(is_heading).map(|at| evidence.lines[at].depth).min();
    let parts: Vec<usize> = match top {
        Some(top) => below.filter(|at| is_heading(at) && evidence.lines[*at].depth == top).collect(),
        None => below.filter(|at| evidence.lines[*at].kind != LineKind::Columns).collect(),
    };
    (2..=MOST).contains(&parts.len()).then_some(parts)
}

fn has_all(roots: &[String], wanted: &[String]) -> bool {
    wanted.iter().all(|root| roots.contains(root))
}

fn labelled(evidence: &Evidence, wanted: &[String]) -> Option<Vec<usize>> {
    let is_label = |at: &usize| {
        let own = &evidence.lines[*at].words;
        let sign = own.get(wanted.len()).is_some_and(|sign| sign.len() <= 2);
        sign && own.iter().zip(wanted).all(|(word, wanted)| root(word) == *wanted)
    };
    let parts: Vec<usize> = (0..evidence.lines.len()).filter(is_label).collect();
    (2..=MOST).contains(&parts.len()).then_some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(question: &str) -> Vec<String> {
        let text = "# T\n\n## 2. Danger zones\n\n### Boiler (high)\n\nIt bursts.\n\n### Roof\n\nRain comes in.\n\n## 3. Choices\n\n- Option A: buy it, 40 euros\n- Option B: rent it, 3 euros a day\n";
        let evidence = Evidence::new([("spec.md", text)], &[]);
        let parts = parts_asked_for(&evidence, question);
        parts
            .map(|parts| parts.lines.iter().map(|at| parts.said(&evidence, *at)).collect())
            .unwrap_or_default()
    }

    #[test]
    fn the_parts_of_a_heading_and_the_lines_of_a_label_are_told_one_by_one() {
        assert_eq!(
            told("Which of the danger zones could hurt somebody?"),
            ["Boiler (high)", "Roof: Rain comes in"]
        );
        let options = ["Option A: buy it, 40 euros", "Option B: rent it, 3 euros a day"];
        assert_eq!(told("Which of the two options is cheaper?"), options);
        assert_eq!(told("And which of our choices do you like?"), options);
        for other in ["Which of the pumps leaks?", "Which option is it?", "Who knows the danger zones?"] {
            assert_eq!(told(other), Vec::<String>::new(), "{other}");
        }
    }
}
