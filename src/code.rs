//! Code as words: identifiers, split where people split them, for the one [index](crate::text::index).
//!
//! `retryLimit`, `RETRY_LIMIT` and `HTTPRetry` speak of a retry. Every identifier counts as a whole and by its parts.
//!
//! ```
//! use roundtable::text::Language;
//! use roundtable::code::{Words, parts};
//!
//! assert_eq!(parts("HTTPRetryLimit_v2"), ["http", "retry", "limit", "v2"]);
//! let mut words = Words::new(Language::english());
//! let counted = words.count(b"fn retry_limit() { retries() }");
//! let stem = |id: u32| words.stems()[id as usize].as_str();
//! assert!(counted.iter().any(|&(id, times)| stem(id) == "retri" && times == 2));
//! ```

pub mod sought;

use std::collections::HashMap;

use crate::text::Language;

/// Longer runs of letters are data, no names.
const LONGEST: usize = 64;

/// The words of many files, each stem numbered once.
pub struct Words<'l> {
    language: &'l Language,
    /// Of each identifier as it is written, the stems of it and of its parts.
    known: HashMap<Vec<u8>, Box<[u32]>, foldhash::fast::FixedState>,
    numbers: HashMap<String, u32, foldhash::fast::FixedState>,
    stems: Vec<String>,
    /// How often each stem is in the file at hand.
    counts: Vec<u32>,
}

impl<'l> Words<'l> {
    pub fn new(language: &'l Language) -> Words<'l> {
        let (known, numbers) = (HashMap::default(), HashMap::default());
        Words { language, known, numbers, stems: Vec::new(), counts: Vec::new() }
    }

    /// The stems seen so far, by their numbers.
    pub fn stems(&self) -> &[String] {
        &self.stems
    }

    /// Which stems a file has, and how often, in the order of their numbers.
    pub fn count(&mut self, bytes: &[u8]) -> Vec<(u32, u32)> {
        let mut found: Vec<u32> = Vec::new();
        for run in identifiers(bytes) {
            if !self.known.contains_key(run) {
                let ids = self.stems_of(run);
                self.known.insert(run.to_vec(), ids);
            }
            for &id in self.known.get(run).into_iter().flatten() {
                let count = &mut self.counts[id as usize];
                if *count == 0 {
                    found.push(id);
                }
                *count += 1;
            }
        }
        found.sort_unstable();
        found.into_iter().map(|id| (id, std::mem::take(&mut self.counts[id as usize]))).collect()
    }

    fn stems_of(&mut self, run: &[u8]) -> Box<[u32]> {
        let Ok(name) = std::str::from_utf8(run) else { return Box::default() };
        let parts = parts(name);
        let whole = (parts.len() > 1).then(|| name.to_lowercase());
        let mut ids: Vec<u32> = Vec::with_capacity(parts.len() + 1);
        for word in whole.into_iter().chain(parts) {
            let stem = self.language.stem(&word).into_owned();
            let id = self.number(stem);
            ids.push(id);
        }
        ids.into()
    }

    fn number(&mut self, stem: String) -> u32 {
        if let Some(id) = self.numbers.get(&stem) {
            return *id;
        }
        let id = u32::try_from(self.stems.len()).unwrap_or(u32::MAX);
        self.stems.push(stem.clone());
        self.counts.push(0);
        self.numbers.insert(stem, id);
        id
    }
}

/// The names of a code: runs of letters, digits and underscores that do not begin with a digit.
pub fn identifiers(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
    let runs = bytes.split(move |byte| !is_part(*byte));
    runs.filter(|run| (2..=LONGEST).contains(&run.len()) && !run[0].is_ascii_digit())
}

/// The parts of a name in lower case: at underscores, and at humps. A plain word is its only part.
pub fn parts(name: &str) -> Vec<String> {
    let bytes = name.as_bytes();
    let mut cuts: Vec<usize> = vec![0];
    for at in 1..bytes.len() {
        if is_hump(bytes, at) {
            cuts.push(at);
        }
    }
    cuts.push(bytes.len());
    let pieces = cuts.windows(2).flat_map(|pair| name[pair[0]..pair[1]].split('_'));
    pieces.filter(|piece| piece.len() > 1).map(str::to_lowercase).collect()
}

/// Whether a name is cut before this place: "retry|Limit", "HTTP|Retry".
fn is_hump(name: &[u8], at: usize) -> bool {
    let (before, here) = (name[at - 1], name[at]);
    let next_is_small = || name.get(at + 1).is_some_and(u8::is_ascii_lowercase);
    here.is_ascii_uppercase()
        && (before.is_ascii_lowercase() || before.is_ascii_uppercase() && next_is_small())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_cut_where_people_cut_it() {
        for (name, wanted) in [
            ("retryLimit", vec!["retry", "limit"]),
            ("RETRY_LIMIT", vec!["retry", "limit"]),
            ("__init__", vec!["init"]),
            ("parseHTTPHeader", vec!["parse", "http", "header"]),
            ("sha256", vec!["sha256"]),
            ("größeMax", vec!["größe", "max"]),
            ("_", vec![]),
        ] {
            assert_eq!(parts(name), wanted, "{name}");
        }
    }

    #[test]
    fn a_file_is_counted_by_stems_of_names_and_of_their_parts() {
        let mut words = Words::new(Language::english());
        for _ in 0..2 {
            let counted = words.count(b"let retryLimit = 3; // retries 0x1f \xff\xfe\n");
            let of = |stem: &str| {
                let id = words.stems().iter().position(|known| known == stem).map(|id| id as u32);
                counted.iter().find(|(known, _)| Some(*known) == id).map_or(0, |(_, times)| *times)
            };
            assert_eq!((of("retrylimit"), of("retri"), of("limit"), of("let")), (1, 2, 1, 1));
        }
    }
}
