//! What may be recorded: words that forge no speaker, places, names and ids, all in characters that are shown.

use super::event::{Position, Rest};
use crate::item::persona::{Cast, Persona};
use crate::text::plain::{self, folded};

/// Signs that may be put before a name, to make a heading, a quotation or bold type of it.
pub const MARKUP: [char; 9] = [' ', '\t', '\n', '*', '_', '#', '>', '-', '`'];

/// Words a persona may be recorded with: visible, not empty, and no line that could be taken for
/// another speaker's.
pub fn is_speakable(text: &str, cast: &Cast) -> bool {
    let forged = |line: &str| {
        let line = line.trim_start_matches(MARKUP);
        let line = beginning(line);
        let begins = |with: &str| {
            let mut line = folded(line);
            folded(with).all(|wanted| line.next() == Some(wanted))
        };
        let of_log = begins("[turn") || begins("(notice)");
        // Most lines have no bracket, of which the second is written in more bytes than one.
        let mut brackets = memchr::memchr2_iter(b'(', 0xef, line.as_bytes());
        let of_user = brackets.any(|at| {
            let is_before = |found: &str| folded(found).take(80).count() < 80;
            folded(&line[at..]).take(7).eq("(user):".chars()) && is_before(&line[..at])
        });
        let of_persona = |persona: &Persona| begins(&persona.name) && begins(&persona.prefix());
        of_log || of_user || cast.iter().any(of_persona)
    };
    !text.trim().is_empty() && plain::is_clean(text) && !text.lines().any(forged)
}

/// What a line begins with, as far as anybody looks for who speaks.
fn beginning(line: &str) -> &str {
    let mut end = line.len().min(800);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    &line[..end]
}

/// Whether a passage has a place and words, in characters that are shown.
pub(super) fn is_place(rest: &Rest) -> bool {
    is_one_clean_line(&rest.path) && rest.line > 0 && plain::is_clean(&rest.quote)
}

/// Whether a position names what it is on, what it favors and why.
pub(super) fn is_side(position: &Position) -> bool {
    let texts = [&position.on, &position.favors, &position.because];
    texts.into_iter().chain(&position.against).all(|text| is_one_clean_line(text))
}

pub(super) fn is_hex(text: &str, length: usize) -> bool {
    text.len() == length && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

pub(super) fn is_one_clean_line(text: &str) -> bool {
    !text.trim().is_empty() && plain::is_clean(text) && !text.contains(['\n', '\t'])
}
