//! A text as sentences, words and stems; an index over passages; the pattern engine of `rules/`.
//!
//! A text is tokenised once, as a [`Message`], and passed on. Every sentence and every word is an exact slice of its
//! source. Nothing here knows a discussion, a document or a rule of English: abbreviations, word families and forms
//! are data.
//!
//! ```
//! use roundtable::text::{Kind, Language, Message, Place};
//!
//! let message = Message::new("> Which one?\n\nUse the queue, e.g. RabbitMQ. Is it set up?", &Language::new("en"));
//! let places: Vec<_> = message.sentences.iter().map(|sentence| (sentence.text, sentence.place)).collect();
//! assert_eq!(places[0], ("Which one?", Place::Quote));
//! assert_eq!(places[1], ("Use the queue, e.g. RabbitMQ.", Place::Prose));
//! assert_eq!(message.sentences[2].kind, Kind::Question);
//! ```

use std::borrow::Cow;
use std::sync::OnceLock;

use snowball_stemmers_rs::{Algorithm, Stemmer};

mod blocks;

pub mod alike;
pub mod echo;
pub mod forms;
pub mod index;
pub mod markdown;
mod message;
pub mod sentences;
pub mod units;
pub mod words;

pub use blocks::{Block, Place, blocks};
pub use message::{Kind, Message, Origin, Sentence, Word};

/// The sentences of an English text, each an exact slice of it.
pub fn sentences(text: &str) -> Vec<&str> {
    message::ranges(text, Language::english()).into_iter().map(|range| &text[range]).collect()
}

/// How words of a language are cut to stems, and which of its abbreviations end with a full stop.
pub struct Language {
    stemmer: Option<Stemmer>,
    abbreviations: &'static str,
}

impl Language {
    /// English, made once.
    pub fn english() -> &'static Language {
        static ENGLISH: OnceLock<Language> = OnceLock::new();
        ENGLISH.get_or_init(|| Language::new("en"))
    }

    /// The language with this code. One that is not known has no stems and no abbreviations.
    pub fn new(code: &str) -> Language {
        let (stemmer, abbreviations) = match code {
            "en" => {
                (Some(Stemmer::create(Algorithm::English)), include_str!("../../rules/en/abbreviations.txt"))
            }
            _ => (None, ""),
        };
        Language { stemmer, abbreviations }
    }

    /// The stem of a lower-case word.
    pub fn stem<'w>(&self, word: &'w str) -> Cow<'w, str> {
        // A stemmer takes time in the square of a word's length; no word of a language is this long.
        match &self.stemmer {
            Some(stemmer) if word.len() <= 64 => stemmer.stem(word),
            _ => Cow::Borrowed(word),
        }
    }

    /// Is this word, in lower case and without its last full stop, an abbreviation?
    fn is_abbreviation(&self, word: &str) -> bool {
        self.abbreviations.lines().any(|line| line == word)
    }
}
