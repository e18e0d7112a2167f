//! One short question to a voice: whether it answers, how long that takes, and what it costs.
//!
//! ```no_run
//! use roundtable::run::probe::probe;
//! use roundtable::run::voices::Choice;
//!
//! fn is_quick(choice: &Choice) -> bool {
//!     probe(choice, None).is_ok_and(|probe| probe.seconds < 5.0)
//! }
//! ```

use serde_json::Value;

use super::Fail;
use super::clock;
use super::voices::Choice;
use crate::text::plain;
use crate::voice::model::meter::Metered;
use crate::voice::model::prompt::{Prompt, Seat, Want};
use crate::voice::model::{Prices, Usage, rounds};

/// What came of the question.
#[derive(Clone, Copy, Debug)]
pub struct Probe {
    pub seconds: f64,
    /// The answer was the JSON that was asked for.
    pub is_in_form: bool,
    pub usage: Usage,
    /// The tokens of prompt and answer together, where somebody says it.
    pub context: Option<u64>,
    /// Dollars, where a price is set.
    pub cost: Option<f64>,
}

impl Probe {
    /// All of it in words.
    pub fn told(&self) -> String {
        let context =
            self.context.map_or("context size not told".to_owned(), |size| format!("context {size}"));
        let cost = self.cost.map_or("no price is set".to_owned(), |cost| format!("${cost:.4}"));
        let Usage { input, output, .. } = self.usage;
        format!("answered in {:.1} s, {input} tokens in, {output} out; {context}; {cost}", self.seconds)
    }
}

/// Asks.
///
/// # Errors
/// The voice asks nobody, or gives no answer.
pub fn probe(choice: &Choice, prices: Option<Prices>) -> Result<Probe, Fail> {
    let mut model = choice.begin()?.ok_or_else(|| {
        Fail::new(format!("{} asks no model", choice.name())).with_hint("name one that does")
    })?;
    let begun = clock::moment();
    let mut metered = Metered::new(model.as_mut(), None).priced(prices);
    let answer = metered.ask(0, &question())?;
    if plain::clean(&answer).trim().is_empty() {
        return Err(Fail::new(format!("{} answered without a word", choice.name()))
            .with_hint("try another --model, or --max-answer-tokens 4096 for one that reasons at length"));
    }
    let (usage, cost) = (metered.meter().total(), metered.meter().cost());
    let seconds = begun.elapsed().as_secs_f64();
    let context = model.context().or_else(|| choice.listed_context());
    // A voice may pass.
    let is_in_form = rounds::object(&answer)
        .is_some_and(|said| said.get("text").is_some_and(Value::is_string) || said.contains_key("pass"));
    Ok(Probe { seconds, is_in_form, usage, context, cost })
}

fn question() -> Prompt {
    let seat = Seat { persona: "business-analyst".to_owned(), purpose: "answer".to_owned(), owed: true };
    Prompt {
        head: "You answer a test of the connection.".to_owned(),
        talk: Vec::new(),
        wanted: "Answer with this JSON alone: {\"text\": \"Here.\"}".to_owned(),
        want: Want::Line { seat, rejected: None },
    }
}
