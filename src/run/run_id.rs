//! The id of a run: a digest of everything that it depends on, by which the same run twice is known.

use serde_json::{Value, json};

use super::clock::nanoseconds;
use crate::item::library::sha256;
use crate::run::script::Input;
use crate::text::time::Time;

/// A digest of the parts and the clock. Without a fixed clock every run is its own.
pub fn run_id(parts: Value, fixed: Option<Time>) -> String {
    let clock = match fixed {
        Some(at) => json!(at.to_string()),
        None => json!([nanoseconds().to_string(), std::process::id()]),
    };
    sha256(json!([parts, clock]).to_string().as_bytes())[..32].to_owned()
}

/// A message as a part: its text, writer and time; null for silence.
pub fn message(input: Option<&Input>) -> Value {
    input.map_or(Value::Null, |input| json!([input.text, input.by, input.at.map(|at| at.to_string())]))
}
