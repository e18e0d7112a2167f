//! A server that reads only a part of a prompt, and does not say so, is found by what it counts.
//!
//! A prompt begins with the one before it, and a token has a bounded number of characters. So a count that is too small
//! for all of a prompt, or that stays while prompts grow, is one of a prompt that was cut.
//!
//! ```
//! use roundtable::voice::model::truncation::Counts;
//!
//! let mut counts = Counts::default();
//! assert!(counts.is_whole(9_000, 1_000, 2_600));
//! // Twice as long, and no token more.
//! assert!(!counts.is_whole(20_000, 1_000, 2_600));
//! ```

/// The most characters of a token, on average over a prompt.
pub const MOST_CHARACTERS: u64 = 6;
/// The least.
const LEAST_CHARACTERS: u64 = 2;

/// Servers have no smaller context, in tokens (512 was the default of llama.cpp, later ones are larger): a smaller count
/// is that of a part of the prompt that was not cached, or of nothing.
const SMALLEST_CONTEXT: u64 = 512;

/// What a server counted of the last prompt.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    last: Option<Count>,
    /// It counts only what it has not in its cache, or prompts were shorter: nothing can be said.
    is_open: bool,
}

#[derive(Clone, Copy, Debug)]
struct Count {
    /// Characters that the next prompt begins with, and those of what was wanted.
    front: u64,
    wanted: u64,
    tokens: u64,
}

impl Counts {
    /// Whether a count can be one of a whole prompt; it is remembered. `front` is what the next prompt begins with, too.
    ///
    /// A server that counts only what it has not in its cache says less from the second prompt on: that is no cut.
    pub fn is_whole(&mut self, front: u64, wanted: u64, tokens: u64) -> bool {
        if tokens < SMALLEST_CONTEXT {
            return true;
        }
        let last = self.last.replace(Count { front, wanted, tokens });
        let Some(last) = last else { return tokens * MOST_CHARACTERS >= front + wanted };
        self.is_open |= tokens * 10 < last.tokens * 9;
        let grown = (front + wanted).saturating_sub(last.front);
        self.is_open || tokens + last.wanted / LEAST_CHARACTERS >= last.tokens + grown / MOST_CHARACTERS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Prompts of a discussion: what they begin with, and what is wanted.
    const PROMPTS: [(u64, u64); 4] = [(24_000, 3_000), (25_000, 1_200), (27_500, 4_000), (33_000, 2_500)];

    fn is_found(count: impl Fn(u64) -> u64) -> bool {
        let mut counts = Counts::default();
        !PROMPTS.iter().all(|(front, wanted)| counts.is_whole(*front, *wanted, count(front + wanted)))
    }

    #[test]
    fn whole_prompts_of_any_language_pass_and_cut_ones_do_not() {
        for characters in [2, 3, 4, 5] {
            assert!(!is_found(|all| all / characters), "{characters} characters a token");
            // A context that holds half of the first prompt, the first one and no more, or a tenth of it and more.
            for cut in [13_500, 27_200, 3_000] {
                let found = is_found(|all| (all / characters).min(cut / characters));
                // A little that is missing may be a matter of the words.
                let is_little = cut == 27_200 && characters == 2;
                assert!(found || is_little, "{cut} of {characters} characters a token");
            }
        }
        // Only what is new is counted.
        assert!(!is_found(|all| if all == 27_000 { 6_000 } else { 700 }));
    }
}
