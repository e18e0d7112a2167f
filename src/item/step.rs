//! A step file: front matter and five sections, read and linted (analysis FR-004, FR-012).
//!
//! [`Step::read`] takes what a step can be used with; [`lint`] finds the rest.
//!
//! ```
//! use roundtable::item::library::Library;
//! use roundtable::item::step::{Depth, is_step_id};
//!
//! let library = Library::built_in().unwrap();
//! let step = library.step("01-03").unwrap();
//! assert!(step.questions(Depth::Deep).len() > step.questions(Depth::Standard).len());
//! assert!(is_step_id("01-03") && !is_step_id("1-3"));
//! ```

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::item::persona::{Cast, PHASES};
use crate::text::finding::{Finding, did_you_mean};
use crate::text::front_matter::{self, Parts};
use crate::text::path::OutputPath;
use crate::text::sections::{list, questions, sections};

/// How thoroughly a step is talked through (analysis FR-006).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Depth {
    Brief,
    Standard,
    Deep,
}

impl Depth {
    /// The depth a word of meta.json's `depth_overrides` stands for.
    pub fn from_word(word: &str) -> Option<Depth> {
        match word {
            "brief" => Some(Depth::Brief),
            "standard" => Some(Depth::Standard),
            "deep" => Some(Depth::Deep),
            _ => None,
        }
    }
}

impl fmt::Display for Depth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Depth::Brief => "brief",
            Depth::Standard => "standard",
            Depth::Deep => "deep",
        })
    }
}

/// The front matter of a step file (analysis AC-012-01, AC-012-02).
/// What the front matter of a step says at least.
const NEEDED: [&str; 5] = ["step_id", "title", "persona", "depth", "outputs"];

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "`key: value` lines")]
struct FrontMatter {
    step_id: String,
    title: String,
    persona: String,
    depth: Depth,
    outputs: Vec<String>,
    #[serde(default)]
    depends_on: Option<Vec<String>>,
    #[serde(default)]
    skip_if: Option<String>,
    #[serde(default)]
    topics: Option<Vec<String>>,
}

/// One analysis step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// `NN-NN`.
    pub id: String,
    pub title: String,
    /// The phase folder the file is in.
    pub phase: String,
    /// The persona that asks the step's questions; who leads a discussion is the phase's matter.
    pub persona: String,
    pub depth: Depth,
    /// Artifacts the step writes, relative to the item folder; a trailing `/` means a folder.
    pub outputs: Vec<String>,
    pub depends_on: Vec<String>,
    /// An expression; empty means never.
    pub skip_if: String,
    /// The line of the file that it is on.
    pub skip_line: usize,
    /// Phrases that mark a text as this step's business, for topic focus (D-8).
    pub topics: Vec<String>,
    pub brief: String,
    /// The form that the brief question asks for.
    pub brief_form: String,
    pub standard: Vec<String>,
    pub deep: Vec<String>,
    /// The two question modes as they are written, with what to probe for below each question.
    modes: [String; 2],
    pub validation: Vec<String>,
    pub artifacts: String,
    /// The file's path below the steps folder: `01-requirements/03-ux-journey.md`.
    pub path: String,
}

/// Something a step asks the user; one answer is expected to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prompt {
    /// Its number among the questions of its depth; none for a prompt that is no numbered question.
    pub number: Option<usize>,
    pub text: String,
    /// Bullets below a question: what to dig into with the same answer.
    pub probes: Vec<String>,
    /// The form that an answer has, where the question asks for one: a bullet that begins with `Form: `.
    pub form: String,
}

/// The sections of a step file's body, in their order (analysis AC-012-03).
const SECTIONS: [&str; 5] = ["Brief Mode", "Standard Mode", "Deep Mode", "Validation", "Artifacts"];

impl Step {
    /// Reads a step file whose path below the steps folder is `path`.
    ///
    /// # Errors
    /// The first thing without which the step cannot be used. [`lint`] finds the rest.
    pub fn read(path: &str, text: &str) -> Result<Step, Finding> {
        let text = &*crate::text::plain::with_line_feeds(text);
        let (front, parts) = front_matter::read(path, text, &NEEDED)?;
        Step::of(path, text, front, &parts)
    }

    fn of(path: &str, text: &str, front: FrontMatter, parts: &Parts<'_>) -> Result<Step, Finding> {
        let phase = path.split_once('/').map_or("", |(phase, _)| phase);
        let mut findings = Vec::new();
        if !is_step_id(&front.step_id) {
            let message = format!("`step_id` is \"{}\"", crate::text::plain::cut(&front.step_id, 40));
            findings.push(
                Finding::near(path, text, "step_id:", message)
                    .hint("write two digits, a hyphen and two digits in quotes, such as \"01-03\""),
            );
        }
        if front.title.trim().is_empty()
            || front.title.contains('\n')
            || !crate::text::plain::is_clean(&front.title)
        {
            let finding = Finding::near(path, text, "title:", "`title` is not one line of text");
            findings.push(finding.hint("write what the step is about in a few words"));
        }
        if let Some(finding) = Finding::all(findings) {
            return Err(finding);
        }
        let mut bodies: BTreeMap<&str, &str> = BTreeMap::new();
        for (title, content) in sections(parts.body) {
            bodies.insert(title, content);
        }
        let body = |title: &str| bodies.get(title).copied().unwrap_or_default();
        Ok(Step {
            standard: questions(body("Standard Mode")),
            deep: questions(body("Deep Mode")),
            modes: ["Standard Mode", "Deep Mode"].map(|title| body(title).to_owned()),
            brief: crate::text::plain::one_line(&unformed(body("Brief Mode"))),
            brief_form: forms(body("Brief Mode")).collect::<Vec<&str>>().join(", "),
            validation: list(body("Validation")),
            artifacts: body("Artifacts").trim().to_owned(),
            id: front.step_id,
            title: front.title.trim().to_owned(),
            phase: phase.to_owned(),
            persona: front.persona,
            depth: front.depth,
            outputs: front.outputs,
            depends_on: front.depends_on.unwrap_or_default(),
            skip_if: front.skip_if.unwrap_or_default().trim().to_owned(),
            skip_line: text.find("\nskip_if:").map_or(1, |at| crate::text::finding::place(text, at + 1).0),
            topics: front.topics.unwrap_or_default(),
            path: path.to_owned(),
        })
    }

    /// The questions of a depth; a brief step has the standard ones to fall back on.
    pub fn questions(&self, depth: Depth) -> &[String] {
        match depth {
            Depth::Deep if !self.deep.is_empty() => &self.deep,
            _ if self.standard.is_empty() => &self.deep,
            _ => &self.standard,
        }
    }

    /// What a depth asks, in order (analysis AC-004-03, AC-004-05, AC-004-06): one prompt in brief, the numbered
    /// questions else. A mode that says nothing falls back on the others; never empty.
    pub fn prompts(&self, depth: Depth) -> Vec<Prompt> {
        let whole = |text: &str| Prompt { number: None, text: text.to_owned(), ..Prompt::default() };
        let form = self.brief_form.clone();
        let brief = (!self.brief.is_empty()).then(|| vec![Prompt { form, ..whole(&self.brief) }]);
        let [standard, deep] =
            self.modes.each_ref().map(|mode| Some(prompts(mode)).filter(|found| !found.is_empty()));
        let found = match depth {
            Depth::Brief => brief.or(standard).or(deep),
            Depth::Standard => standard.or(deep).or(brief),
            Depth::Deep => deep.or(standard).or(brief),
        };
        found.unwrap_or_else(|| vec![whole(&format!("What should be recorded for \"{}\"?", self.title))])
    }
}

/// The step and the words of a question that an analysis lists as open: `- Step 01-05, question 4: Who pays?`.
pub fn listed_as_open(line: &str) -> Option<(&str, &str)> {
    let line = line.strip_prefix("- Step ")?;
    let id = line.get(..5).filter(|id| is_step_id(id))?;
    Some((id, line.split_once(": ")?.1))
}

/// `NN-NN`.
pub fn is_step_id(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() == 5 && bytes[2] == b'-' && [0, 1, 3, 4].iter().all(|&at| bytes[at].is_ascii_digit())
}

/// The forms that the items of a text name: `- Form: …`.
fn forms(content: &str) -> impl Iterator<Item = &str> {
    content.lines().filter_map(|line| line.trim().strip_prefix("- Form: "))
}

/// A text without its forms.
fn unformed(content: &str) -> String {
    let lines = content.lines().filter(|line| !line.trim().starts_with("- Form: "));
    lines.collect::<Vec<&str>>().join("\n")
}

/// The prompts of a mode: its numbered questions with the bullets below them, or, where it has none,
/// the whole of it as one.
fn prompts(content: &str) -> Vec<Prompt> {
    let mut found: Vec<Prompt> = Vec::new();
    for (at, text) in questions(content).into_iter().enumerate() {
        found.push(Prompt { number: Some(at + 1), text, ..Prompt::default() });
    }
    let text = crate::text::plain::one_line(content);
    if found.is_empty() {
        return if text.is_empty() {
            found
        } else {
            vec![Prompt { number: None, text, ..Prompt::default() }]
        };
    }
    let mut above = 0;
    for line in content.lines().map(str::trim) {
        let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
        if digits.len() < line.len() && digits.starts_with(['.', ')']) {
            above += 1;
        } else if let (Some(probe), Some(prompt)) = (line.strip_prefix("- "), found.get_mut(above.max(1) - 1))
        {
            match probe.trim().strip_prefix("Form: ") {
                Some(form) if prompt.form.is_empty() => form.clone_into(&mut prompt.form),
                Some(form) => prompt.form.push_str(&format!(", {form}")),
                None => prompt.probes.push(probe.trim().to_owned()),
            }
        }
    }
    found
}

/// Everything that is wrong with a step file: what keeps it from being read, or else each
/// departure from the schema and from open questions (analysis AC-NFR-006-01).
pub fn lint(path: &str, text: &str, cast: &Cast) -> Vec<Finding> {
    let text = &*crate::text::plain::with_line_feeds(text);
    let step = match Step::read(path, text) {
        Ok(step) => step,
        Err(finding) => return finding.apart(),
    };
    let mut findings = Vec::new();
    lint_place(&step, text, &mut findings);
    if cast.get(&step.persona).is_none() {
        let keys = cast.keys();
        let known: Vec<&str> = keys.iter().map(String::as_str).collect();
        let message = format!("unknown persona \"{}\"{}", step.persona, did_you_mean(&step.persona, &known));
        findings.push(
            Finding::near(path, text, "persona:", message).hint(format!("the cast is {}", known.join(", "))),
        );
    }
    lint_outputs(&step, text, &mut findings);
    for id in step.depends_on.iter().filter(|id| !is_step_id(id) || **id == step.id) {
        let finding = Finding::near(path, text, "depends_on:", format!("`depends_on` names \"{id}\""));
        findings.push(finding.hint("name the ids of other steps in quotes, such as \"01-03\""));
    }
    lint_sections(path, text, &mut findings);
    lint_questions(path, text, &mut findings);
    findings.sort_by_key(|finding| (finding.line, finding.column));
    findings
}

/// The file is in its phase's folder and under its number.
fn lint_place(step: &Step, text: &str, findings: &mut Vec<Finding>) {
    let path = &step.path;
    let (phase, file) = path.split_once('/').unwrap_or(("", path));
    if !PHASES.iter().any(|(known, _)| *known == phase) {
        let known: Vec<&str> = PHASES.iter().map(|(known, _)| *known).collect();
        let message = format!("\"{phase}\" is not one of the five phases{}", did_you_mean(phase, &known));
        findings.push(
            Finding::at(path, text, 1, 1, message).hint(format!("the phases are {}", known.join(", "))),
        );
    } else if phase[..2] != step.id[..2] {
        let message = format!("step {} is in the folder of phase {phase}", step.id);
        let finding = Finding::near(path, text, "step_id:", message);
        findings.push(finding.hint("move the file, or change the id"));
    }
    if file.get(..3).is_none_or(|number| number != format!("{}-", &step.id[3..])) {
        let message =
            format!("the file name does not start with \"{}-\", as step {} asks", &step.id[3..], step.id);
        let finding = Finding::near(path, text, "step_id:", message);
        findings.push(finding.hint("rename the file, or change the id"));
    }
}

fn lint_outputs(step: &Step, text: &str, findings: &mut Vec<Finding>) {
    if step.outputs.is_empty() {
        let finding = Finding::near(&step.path, text, "outputs:", "`outputs` is empty");
        findings.push(finding.hint("name at least one artifact, such as requirements-spec.md"));
    }
    for output in &step.outputs {
        if let Err(refused) = OutputPath::parse(output) {
            let finding = Finding::near(
                &step.path,
                text,
                output.lines().next().unwrap_or("outputs:"),
                refused.to_string(),
            );
            findings.push(
                finding.hint("outputs are paths below the item folder, of letters, digits, `.`, `_` and `-`"),
            );
        }
    }
}

/// Each of the five sections occurs once and says something.
fn lint_sections(path: &str, text: &str, findings: &mut Vec<Finding>) {
    let Ok(parts) = front_matter::split(path, text) else { return };
    let found = sections(parts.body);
    for wanted in SECTIONS {
        match found.iter().filter(|(title, _)| *title == wanted).count() {
            0 => findings.push(
                Finding::at(path, text, parts.body_line, 1, format!("the section `## {wanted}` is missing"))
                    .hint(format!("a step has {}", SECTIONS.join(", "))),
            ),
            1 => {}
            _ => findings.push(
                Finding::near(path, text, &format!("## {wanted}"), format!("`## {wanted}` occurs twice"))
                    .hint("put both under one heading"),
            ),
        }
    }
    for (title, content) in found {
        let heading = format!("## {title}");
        if !SECTIONS.contains(&title) {
            let message = format!("unknown section \"{title}\"{}", did_you_mean(title, &SECTIONS));
            let finding = Finding::near(path, text, &heading, message);
            findings.push(finding.hint(format!("a step has {}", SECTIONS.join(", "))));
        } else if content.trim().is_empty() {
            let finding = Finding::near(path, text, &heading, format!("`{heading}` says nothing"));
            findings.push(finding.hint("write at least one line below it"));
        } else if title.ends_with("Mode") && title != "Brief Mode" && questions(content).is_empty() {
            let finding =
                Finding::near(path, text, &heading, format!("`{heading}` has no numbered question"));
            findings.push(finding.hint("number the questions, as in `1. Which rules apply?`"));
        } else if title == "Validation" && list(content).is_empty() {
            let finding = Finding::near(path, text, &heading, format!("`{heading}` has no list of criteria"));
            findings.push(finding.hint("write one criterion per line, each after `- `"));
        }
    }
}

/// Words a yes/no question begins with.
const CLOSED: [&str; 21] = [
    "is", "are", "am", "was", "were", "do", "does", "did", "can", "could", "will", "would", "should",
    "shall", "may", "might", "must", "has", "have", "had", "isn't",
];

/// A question that yes or no would answer gets yes or no for an answer.
fn lint_questions(path: &str, text: &str, findings: &mut Vec<Finding>) {
    let body_line = front_matter::split(path, text).map_or(1, |parts| parts.body_line);
    let mut mode = false;
    for (number, line) in text.lines().enumerate().skip(body_line - 1) {
        if let Some(title) = line.strip_prefix("## ") {
            mode = matches!(title.trim(), "Standard Mode" | "Deep Mode");
        }
        let item = line
            .trim_start()
            .trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ')' | '-' | ' '));
        let first = item.split([' ', ',']).next().unwrap_or_default().to_lowercase();
        if mode && item.trim_end().ends_with('?') && CLOSED.contains(&first.as_str()) {
            let column = line.chars().count() - item.chars().count() + 1;
            let message = "yes or no would answer this question";
            let finding = Finding::at(path, text, number + 1, column, message);
            findings.push(finding.hint("ask what, which, who, when, where, why or how"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::item::library::Library;

    const GOOD: &str = "---\nstep_id: \"01-09\"\ntitle: Compliance\npersona: business-analyst\ndepth: brief\noutputs: [requirements-spec.md]\nskip_if: \"\"\ndepends_on: []\n---\n## Brief Mode\nA draft.\n## Standard Mode\n1. Which rules apply?\n   - Who checks them?\n## Deep Mode\n1. Which rules?\n2. Which dates?\n## Validation\n- Each rule is named.\n## Artifacts\n- x\n";

    fn findings(path: &str, text: &str) -> Vec<String> {
        let cast = Library::built_in().unwrap().cast;
        lint(path, text, &cast)
            .iter()
            .map(|finding| format!("{}: {}", finding.line, finding.message))
            .collect()
    }

    #[test]
    fn a_step_is_read_with_its_questions_by_depth() {
        let step = Step::read("01-requirements/09-compliance.md", GOOD).unwrap();
        assert_eq!((step.phase.as_str(), step.skip_if.as_str()), ("01-requirements", ""));
        assert_eq!(step.questions(Depth::Brief), ["Which rules apply?"]);
        assert_eq!(step.questions(Depth::Deep), ["Which rules?", "Which dates?"]);
        let asked = |depth| {
            step.prompts(depth)
                .into_iter()
                .map(|prompt| (prompt.number, prompt.text, prompt.probes.len()))
                .collect::<Vec<_>>()
        };
        assert_eq!(asked(Depth::Brief), [(None, "A draft.".to_owned(), 0)]);
        assert_eq!(asked(Depth::Standard), [(Some(1), "Which rules apply?".to_owned(), 1)]);
        assert_eq!(asked(Depth::Deep).len(), 2);
        assert!(findings("01-requirements/09-compliance.md", GOOD).is_empty());
    }

    #[test]
    fn a_mode_without_numbers_is_one_prompt_and_an_empty_one_falls_back() {
        let prose =
            GOOD.replace("1. Which rules apply?\n   - Who checks them?", "Talk about the rules.\n- Who?");
        let step = Step::read("01-requirements/09-x.md", &prose).unwrap();
        let asked = step.prompts(Depth::Standard);
        assert_eq!(
            (asked.len(), asked[0].number, asked[0].text.as_str()),
            (1, None, "Talk about the rules. - Who?")
        );
        let bare = Step::read("01-requirements/09-x.md", &GOOD[..GOOD.find("## Brief").unwrap()]).unwrap();
        assert_eq!(bare.prompts(Depth::Deep)[0].text, "What should be recorded for \"Compliance\"?");
    }

    #[test]
    fn line_ends_of_windows_change_nothing() {
        for (path, text) in crate::item::library::embedded_steps() {
            let there = text.replace('\n', "\r\n");
            assert_eq!(Step::read(path, &there).unwrap(), Step::read(path, text).unwrap());
            assert!(lint(path, &there, &Library::built_in().unwrap().cast).is_empty(), "{path}");
        }
    }

    #[test]
    fn every_departure_from_the_schema_is_found() {
        let bad = GOOD
            .replace("business-analyst", "busines-analyst")
            .replace("requirements-spec.md", "../x.md")
            .replace("Which rules apply?", "Does a rule apply?")
            .replace("## Validation\n- Each rule is named.\n", "## Validation\n");
        insta::assert_snapshot!(findings("02-impact-analysis/08-compliance.md", &bad).join("\n"), @r#"
        2: step 01-09 is in the folder of phase 02-impact-analysis
        2: the file name does not start with "09-", as step 01-09 asks
        4: unknown persona "busines-analyst"; did you mean "business-analyst"?
        6: the output "../x.md" climbs out of the item folder
        13: yes or no would answer this question
        18: `## Validation` says nothing
        "#);
        assert_eq!(findings("05-build/09-x.md", GOOD)[0], "1: \"05-build\" is not one of the five phases");
        assert!(
            findings("01-requirements/09-x.md", &GOOD.replace("## Artifacts", "## Artefacts"))[0]
                .contains("missing")
        );
        assert!(findings("01-requirements/09-x.md", "no").join("").contains("no front matter"));
    }

    #[test]
    fn every_built_in_step_is_clean_and_the_inventory_is_complete() {
        let library = Library::built_in().unwrap();
        assert_eq!(library.steps.len(), 24);
        let counts = PHASES.map(|(phase, _)| library.steps.iter().filter(|step| step.phase == phase).count());
        assert_eq!(counts, [3, 8, 4, 4, 5]);
        let mut all = Vec::new();
        for (path, text) in crate::item::library::embedded_steps() {
            all.extend(lint(path, text, &library.cast));
        }
        assert!(all.is_empty(), "{}", all.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"));
        for step in &library.steps {
            assert!(step.standard.len() >= 3 && step.deep.len() >= step.standard.len(), "{}", step.path);
            for id in &step.depends_on {
                assert!(library.steps.iter().any(|other| other.id == *id), "{} depends on {id}", step.path);
            }
        }
    }
}
