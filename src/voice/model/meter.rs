//! What requests took, in tokens, and what a request would take before it is sent.
//!
//! An estimate is rather too high than too low, so that a limit is never passed.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::prompt::{Prompt, Want};
use super::{Answer, Model};
use crate::text::plain;
use crate::text::remedy::Problem;
use crate::text::secrets;
use crate::voice::Speechless;

/// Tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// All of the prompt, whether cached or not.
    pub input: u64,
    /// Of these, read from a cache; none where nobody says how many.
    pub cached: Option<u64>,
    /// Of these, written to a cache.
    pub written: u64,
    pub output: u64,
}

/// Nothing was used.
impl Default for Usage {
    fn default() -> Usage {
        Usage { input: 0, cached: Some(0), written: 0, output: 0 }
    }
}

impl Usage {
    pub(super) fn add(&mut self, other: Usage) {
        self.input = self.input.saturating_add(other.input);
        self.cached = self.cached.zip(other.cached).map(|(own, other)| own.saturating_add(other));
        self.written = self.written.saturating_add(other.written);
        self.output = self.output.saturating_add(other.output);
    }

    const fn total(self) -> u64 {
        self.input.saturating_add(self.output)
    }

    fn value(self) -> Value {
        json!({
            "input_tokens": self.input,
            "cached_input_tokens": self.cached,
            "cache_write_input_tokens": self.written,
            "output_tokens": self.output,
        })
    }
}

/// What a request of the discussion took.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    turn: u32,
    by: String,
    purpose: String,
    usage: Usage,
}

/// What a million tokens cost, in dollars: of a prompt, of a prompt read from a cache, of an answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prices {
    input: f64,
    cached: f64,
    output: f64,
}

/// A token that is written to a cache costs so many of one that is only read.
const WRITTEN: f64 = 1.25;

impl Prices {
    /// What a million tokens cost at most, whatever they are.
    pub fn highest(&self) -> f64 {
        (self.input * WRITTEN).max(self.cached).max(self.output)
    }

    /// Reads `IN,CACHED,OUT`.
    ///
    /// # Errors
    /// What is wrong with it, and how it is written.
    pub fn read(text: &str) -> Result<Prices, Problem> {
        let wrong = || {
            let shown = plain::shown(text);
            Problem::new(format!("\"{shown}\" is not a price"))
                .with("write dollars for a million tokens as IN,CACHED,OUT: 3,0.3,15")
        };
        let number = |part: &str| part.trim().parse::<f64>().ok().filter(|price| (0.0..1e6).contains(price));
        let numbers: Option<Vec<f64>> = text.split(',').map(number).collect();
        match numbers.ok_or_else(wrong)?[..] {
            [input, cached, output] => Ok(Prices { input, cached, output }),
            _ => Err(wrong()),
        }
    }

    /// Dollars.
    fn of(self, usage: Usage) -> f64 {
        let cached = usage.cached.unwrap_or_default();
        let read = usage.input.saturating_sub(cached).saturating_sub(usage.written);
        let tokens = |count: u64| count as f64 / 1e6;
        tokens(read) * self.input
            + tokens(usage.written) * self.input * WRITTEN
            + tokens(cached) * self.cached
            + tokens(usage.output) * self.output
    }
}

/// What a discussion took so far.
#[derive(Clone, Debug, Default)]
pub struct Meter {
    requests: u64,
    total: Usage,
    /// What tries without an answer may have taken.
    tries: u64,
    rows: Vec<Row>,
    /// The most bytes of a prompt that were one token, in hundredths; learned from the usage.
    hundredths: u64,
    prices: Option<Prices>,
}

/// Bytes a token, in hundredths, as long as no service has said otherwise: less than English has.
const CAREFUL: u64 = 300;
/// What a protocol adds to a prompt, in tokens.
const FRAME: u64 = 64;

impl Meter {
    /// Tokens that a prompt will take, rather too many than too few. Letters beyond ASCII are a
    /// token a byte at worst, until a service has said what they are.
    pub fn estimate(&self, prompt: &Prompt) -> u64 {
        let bytes = prompt.byte_count() as u64;
        if self.hundredths > 0 {
            return bytes.saturating_mul(110) / self.hundredths.min(CAREFUL) + FRAME;
        }
        let plain = |text: &str| text.bytes().filter(u8::is_ascii).count() as u64;
        let ascii = plain(&prompt.head)
            + prompt.talk.iter().map(|entry| plain(entry)).sum::<u64>()
            + plain(&prompt.wanted);
        ascii.saturating_mul(110) / CAREFUL + bytes.saturating_sub(ascii) + FRAME
    }

    /// Tokens so far; tries whose answers broke off may have been billed, and count as estimated.
    pub const fn tokens(&self) -> u64 {
        self.total.total().saturating_add(self.tries)
    }

    /// How many requests were sent, tries included.
    pub const fn requests(&self) -> u64 {
        self.requests
    }

    /// What all requests took.
    pub const fn total(&self) -> Usage {
        self.total
    }

    /// Dollars so far, where prices are known.
    pub fn cost(&self) -> Option<f64> {
        self.prices.map(|prices| prices.of(self.total))
    }

    /// Takes in tries that came to no answer.
    fn retried(&mut self, prompt: &Prompt, tries: u64) {
        self.tries = self.tries.saturating_add(tries.saturating_mul(self.estimate(prompt)));
    }

    /// Takes in a prompt that was sent and what came of it.
    pub fn count(&mut self, turn: u32, prompt: &Prompt, answer: &Answer) {
        let bytes = prompt.byte_count();
        // Nothing for a prompt is no answer to what it took.
        let said = answer.usage.filter(|usage| usage.input > 0);
        let usage = said.unwrap_or_else(|| Usage {
            input: self.estimate(prompt),
            cached: None,
            written: 0,
            output: answer.text.len() as u64 / 3 + 1,
        });
        if said.is_some() {
            let rate = (bytes as u64 * 100 / usage.input).max(50);
            self.hundredths = if self.hundredths == 0 { rate } else { self.hundredths.min(rate) };
        }
        self.add(turn, prompt, usage);
    }

    /// Takes in a prompt and what it takes.
    pub fn add(&mut self, turn: u32, prompt: &Prompt, usage: Usage) {
        self.total.add(usage);
        let (by, purpose) = (prompt.want.who(), prompt.want.name().to_owned());
        self.rows.push(Row { turn, by, purpose, usage });
    }

    /// `usage` of `--json`.
    pub fn value(&self) -> Value {
        let mut value = json!({"requests": self.requests});
        if let (Value::Object(all), Value::Object(total)) = (&mut value, self.total.value()) {
            all.extend(total);
        }
        if let Some(cost) = self.cost() {
            // To a hundredth of a cent.
            value["cost"] = json!((cost * 1e4).round() / 1e4);
        }
        value["turns"] = self
            .rows
            .iter()
            .map(|row| {
                let mut one = json!({"turn": row.turn, "by": row.by, "purpose": row.purpose});
                if let (Value::Object(one), Value::Object(usage)) = (&mut one, row.usage.value()) {
                    one.extend(usage);
                }
                one
            })
            .collect();
        value
    }

    /// The same as a table for people.
    pub fn table(&self) -> String {
        let cost = |usage: Usage| {
            self.prices
                .map(|prices| format!("{:>9}", format!("${:.4}", prices.of(usage))))
                .unwrap_or_default()
        };
        let head = if self.prices.is_some() { format!("{:>9}", "cost") } else { String::new() };
        let mut lines =
            vec![format!("{:>4}  {:<20}{:>9}{:>9}{:>9}{head}", "turn", "by", "input", "cached", "output")];
        let known = |cached: Option<u64>| cached.map_or("?".to_owned(), |cached| cached.to_string());
        for row in &self.rows {
            let Usage { input, cached, output, .. } = row.usage;
            let cached = known(cached);
            let by = match row.by.split(", ").count() {
                1 => row.by.clone(),
                count => format!("a round of {count}"),
            };
            let cost = cost(row.usage);
            // A draft is asked for in no turn.
            let turn = if row.turn > 0 { row.turn.to_string() } else { String::new() };
            lines.push(format!("{turn:>4}  {by:<20}{input:>9}{cached:>9}{output:>9}{cost}"));
        }
        let Usage { input, cached, output, .. } = self.total;
        let cached = known(cached);
        let all = format!(
            "{} in all",
            plain::count(usize::try_from(self.requests).unwrap_or(usize::MAX), "request")
        );
        let cost = cost(self.total);
        lines.push(format!("{:>4}  {all:<20}{input:>9}{cached:>9}{output:>9}{cost}", ""));
        lines.join("\n")
    }
}

/// What is told of a request before it is sent: what is asked for, and what was used so far.
pub type Watch<'m> = &'m dyn Fn(&Want, &Meter);

/// A model whose requests are counted, and end before a limit.
pub struct Metered<'m> {
    model: &'m mut dyn Model,
    /// What it was asked before, by others.
    before: u64,
    /// What others were asked beside it.
    others: u64,
    meter: Meter,
    /// The most tokens that all requests may take.
    limit: Option<u64>,
    /// What people should know of the answers.
    pub notes: Vec<String>,
    /// Who is told what is asked for, before it is.
    watch: Option<Watch<'m>>,
}

impl<'m> Metered<'m> {
    pub fn new(model: &'m mut dyn Model, limit: Option<u64>) -> Metered<'m> {
        let before = model.requests();
        Metered { model, before, others: 0, meter: Meter::default(), limit, notes: Vec::new(), watch: None }
    }

    /// The same with prices.
    #[must_use]
    pub fn priced(mut self, prices: Option<Prices>) -> Metered<'m> {
        self.meter.prices = prices;
        self
    }

    /// The same, and somebody is told what is asked for.
    #[must_use]
    pub fn watched(self, watch: Watch<'m>) -> Metered<'m> {
        Metered { watch: Some(watch), ..self }
    }

    /// The model's name, as recordings carry it.
    pub fn name(&self) -> &str {
        self.model.name()
    }

    pub const fn meter(&self) -> &Meter {
        &self.meter
    }

    /// Whether a prompt, the longest answer to it, and so much more stay within the limit.
    pub fn affords(&self, prompt: &Prompt, more: u64) -> bool {
        let wanted = self.meter.estimate(prompt) + self.model.most_tokens(&prompt.want) + more;
        self.limit.is_none_or(|limit| self.meter.tokens().saturating_add(wanted) <= limit)
    }

    /// The answer to a prompt, with what looks like a secret masked. `turn` is the turn that it is asked for.
    ///
    /// # Errors
    /// The model gives none.
    pub fn ask(&mut self, turn: u32, prompt: &Prompt) -> Result<String, Speechless> {
        if let Some(watch) = self.watch {
            watch(&prompt.want, &self.meter);
        }
        let before = self.model.requests();
        let asked = self.model.ask(prompt);
        self.meter.requests = self.model.requests().saturating_sub(self.before) + self.others;
        self.meter.retried(prompt, self.model.requests().saturating_sub(before).saturating_sub(1));
        let answer = asked?;
        self.meter.count(turn, prompt, &answer);
        let Some((text, masked)) = secrets::mask(&answer.text) else { return Ok(answer.text) };
        self.notes.push(format!("the model's answer held {}; it is masked", secrets::named(&masked)));
        Ok(text)
    }

    /// Takes in what another model answered to the same prompt.
    pub fn count_other(&mut self, prompt: &Prompt, answer: &Answer) {
        self.others += 1;
        self.meter.requests += 1;
        self.meter.count(0, prompt, answer);
    }

    /// That the limit leaves nothing for a request.
    pub fn spent(&self) -> Speechless {
        Speechless::Spent(self.limit.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt(head: usize) -> Prompt {
        Prompt { head: "h".repeat(head), talk: Vec::new(), wanted: "w".repeat(100), want: Want::Synthesis }
    }

    #[test]
    fn the_estimate_learns_from_the_dearest_answer_and_never_gets_cheaper_than_careful() {
        let mut meter = Meter::default();
        assert_eq!(meter.estimate(&prompt(2900)), 1100 + FRAME);
        let usage = |input| Answer { usage: Some(Usage { input, ..Usage::default() }), ..Answer::default() };
        meter.count(1, &prompt(800), &usage(100));
        assert_eq!(meter.estimate(&prompt(2900)), 1100 + FRAME);
        meter.count(2, &prompt(800), &usage(600));
        assert_eq!(meter.estimate(&prompt(2900)), 2200 + FRAME);
    }
    #[test]
    fn a_price_is_three_numbers_and_counts_what_was_cached() {
        let prices = Prices::read("3, 0.3,15").unwrap();
        let usage = Usage { input: 1_000_000, cached: Some(500_000), written: 100_000, output: 10_000 };
        assert!((prices.of(usage) - (1.2 + 0.375 + 0.15 + 0.15)).abs() < 1e-9);
        for wrong in ["", "3", "3,0.3", "a,b,c", "3,-1,2", "1,2,3,4", "NaN,1,1", "inf,1,1"] {
            assert!(Prices::read(wrong).unwrap_err().to_line().contains("IN,CACHED,OUT"), "{wrong}");
        }
    }
}
