//! What people see of a text: GitHub Flavored Markdown as lines and blocks, sentences, words, and one index.
//!
//! Nothing here knows a discussion, a document or an item. Every sentence and every word is an exact slice of its
//! source, except those of [`markdown`], which are as a reader sees them.
//!
//! ```
//! use roundtable::text::sentences::sentences;
//!
//! assert_eq!(sentences("- Use the queue, e.g. RabbitMQ.\n- Is it set up?"), ["- Use the queue, e.g. RabbitMQ.", "- Is it set up?"]);
//! ```

pub mod blocks;
pub mod echo;
pub(crate) mod ending;
pub mod finding;
pub mod front_matter;
pub mod ids;
pub mod index;
pub mod json;
pub mod links;
pub mod markdown;
pub mod path;
pub mod pattern;
pub mod plain;
pub mod remedy;
pub mod secrets;
pub(crate) mod sections;
pub mod sentence_forms;
pub mod sentences;
pub mod source;
pub mod template;
pub mod time;
pub(crate) mod wording;
pub mod words;
