//! A step's answers, drawn together by a model: what a reader should know of them first.
//!
//! Every line names the answers it rests on and is in words near to theirs; what is not is dropped, as
//! in a [synthesis](super::grounding). The answers themselves stay in the document, word for word.

use std::collections::BTreeSet;

use minijinja::context;
use serde_json::Value;

use super::Model;
use super::prompt::{Prompt, Want, fenced};
use super::rounds::object;
use crate::library::Library;
use crate::plain;
use crate::step::{Depth, Step};
use crate::text::words::subjects;
use crate::voice::Speechless;

/// The longest line, in characters.
const LINE: usize = 300;
/// The most lines of a step.
const MOST: usize = 7;
/// Of a hundred words of a line, so many are words of the answers it names.
const NEAR: usize = 50;

/// A question and what was answered.
pub struct Answered<'a> {
    pub asked: &'a str,
    pub said: &'a str,
}

/// The lines that a model makes of a step's answers; none where it gives nothing that rests on
/// them.
///
/// # Errors
/// The model does not answer, or a template cannot be rendered.
pub fn lines(
    model: &mut dyn Model,
    library: &Library,
    step: &Step,
    depth: Depth,
    answers: &[Answered<'_>],
) -> Result<Vec<String>, Speechless> {
    if answers.is_empty() {
        return Ok(Vec::new());
    }
    let shown: Vec<_> = answers
        .iter()
        .enumerate()
        .map(|(at, answer)| {
            let words = minijinja::Value::from_safe_string(fenced("answer", &plain::clean(answer.said)));
            context! { number => at + 1, asked => answer.asked, words }
        })
        .collect();
    let values = context! { title => step.title.as_str(), goals => &step.validation, answers => shown };
    let wanted = library.templates.render("prompts/draft.txt", values)?;
    let prompt = Prompt {
        head: String::new(),
        talk: Vec::new(),
        wanted,
        want: Want::Draft { step: step.id.clone(), depth },
    };
    Ok(grounded(&model.ask(&prompt)?.text, answers))
}

/// The lines of an answer that rest on what was said.
fn grounded(answer: &str, answers: &[Answered<'_>]) -> Vec<String> {
    let Some(object) = object(answer) else { return Vec::new() };
    let words: Vec<BTreeSet<String>> =
        answers.iter().map(|answer| subjects(answer.said).into_iter().collect()).collect();
    let mut found: Vec<String> = Vec::new();
    for line in object.get("lines").and_then(Value::as_array).into_iter().flatten() {
        let text = line.get("text").and_then(Value::as_str).unwrap_or_default();
        let text = plain::cut(&plain::one_line(&plain::clean(text)), LINE);
        let numbers = line.get("answers").and_then(Value::as_array).into_iter().flatten();
        let named: Vec<&BTreeSet<String>> = numbers
            .filter_map(|number| words.get(usize::try_from(number.as_u64()?).ok()?.checked_sub(1)?))
            .collect();
        let said = subjects(&text);
        let near = said.iter().filter(|word| named.iter().any(|words| words.contains(*word))).count();
        let stands = !said.is_empty() && near * 100 >= said.len() * NEAR;
        if stands && !found.contains(&text) && found.len() < MOST {
            found.push(text);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_stands_only_on_answers_that_say_it() {
        let answers = [
            Answered { asked: "Who pays?", said: "Readers pay late fees at the desk." },
            Answered { asked: "How much?", said: "At most 10 euros a month." },
        ];
        let said = r#"{"lines": [
            {"text": "Readers pay late fees", "answers": [1]},
            {"text": "Readers pay late fees", "answers": [1]},
            {"text": "Fees stop at 10 euros a month", "answers": [2, 9]},
            {"text": "Blockchain ledgers replace the desk", "answers": [1]},
            {"text": "Nobody named an answer for readers", "answers": []},
            {"text": 7}]}"#;
        assert_eq!(grounded(said, &answers), ["Readers pay late fees", "Fees stop at 10 euros a month"]);
        for nothing in ["", "no JSON", "{}", r#"{"lines": "x"}"#] {
            assert!(grounded(nothing, &answers).is_empty(), "{nothing}");
        }
    }
}
