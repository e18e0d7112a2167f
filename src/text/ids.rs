//! Ids as people write them in requirements: `FR-001`, `AC-008-03`.

/// The ids of a text: capitals, a hyphen, digits, as in `FR-001` or `AC-008-03`.
pub fn ids(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    text.split(move |c: char| !is_part(c))
        .map(|token| token.trim_matches(['-', '_']))
        .filter(|token| is_id(token))
}

fn is_id(token: &str) -> bool {
    let is_word = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_uppercase());
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let Some((family, number)) = token.split_once('-') else { return false };
    is_word(family)
        && number.split('-').all(|part| is_word(part) || is_number(part))
        && token.ends_with(|c: char| c.is_ascii_digit())
}

/// The letters that an id begins with.
pub fn family(id: &str) -> &str {
    id.split('-').next().unwrap_or_default()
}

/// How a decision says that a record goes on with another one, and the verb that records write for it.
const RELATIONS: [(&str, Relation); 3] =
    [("amends", Relation::Amends), ("supersedes", Relation::Supersedes), ("replaces", Relation::Supersedes)];

/// What a decision record does to an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    Amends,
    Supersedes,
}

impl Relation {
    /// The verb, as records begin a line with it.
    pub const fn verb(self) -> &'static str {
        match self {
            Relation::Amends => "Amends",
            Relation::Supersedes => "Supersedes",
        }
    }
}

/// The numbers of the decision records that a text names: `ADR-0002`, `ADR 2`, `0002`, `0002-send-letters.md`.
///
/// ```
/// use roundtable::text::ids::record_numbers;
///
/// assert_eq!(record_numbers("ADR 0002 and adr-7 hold, as 0012-use-kafka.md says"), [2, 7, 12]);
/// assert!(record_numbers("2 letters in 2026, 05 ADRs").is_empty());
/// ```
pub fn record_numbers(text: &str) -> Vec<u32> {
    references(text).into_iter().filter_map(|(_, number)| number).collect()
}

/// The records that a text says it amends or supersedes: `amends ADR-0002`, `Supersedes 0003 and 0004`.
///
/// ```
/// use roundtable::text::ids::{Relation, relations};
///
/// assert_eq!(relations("letters are blue, amends ADR 0002"), [(Relation::Amends, 2)]);
/// assert!(relations("the new card replaces the old one of ADR-0002").is_empty());
/// ```
pub fn relations(text: &str) -> Vec<(Relation, u32)> {
    let mut found = Vec::new();
    let mut relation = None;
    for (word, number) in references(text) {
        let verb = RELATIONS.iter().find(|(verb, _)| word.eq_ignore_ascii_case(verb));
        match (verb, number, relation) {
            (Some((_, verb)), ..) => relation = Some(*verb),
            (None, Some(number), Some(relation)) => found.push((relation, number)),
            (None, None, Some(_)) if matches!(word, "and" | "the" | "our" | "record" | "decision") => {}
            (None, ..) => relation = None,
        }
    }
    found
}

/// The words of a text, each with the number of the record that it names; `ADR 2` is one word.
fn references(text: &str) -> Vec<(&str, Option<u32>)> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    let mut words = text.split(move |c: char| !is_part(c)).filter(|word| !word.is_empty()).peekable();
    let mut found = Vec::new();
    while let Some(word) = words.next() {
        let number = match word.eq_ignore_ascii_case("adr") {
            true => words
                .next_if(|next| next.bytes().all(|byte| byte.is_ascii_digit()))
                .and_then(|next| next.parse().ok()),
            false => record_number_in(word),
        };
        found.push((word, number));
    }
    found
}

fn record_number_in(word: &str) -> Option<u32> {
    let prefix = word.get(..3).filter(|prefix| prefix.eq_ignore_ascii_case("adr"));
    let rest = prefix.map_or(word, |prefix| word[prefix.len()..].trim_start_matches(['-', '_']));
    let digits = rest.split(['-', '_']).next().unwrap_or_default();
    // Without its letters a record's number is told from others by its leading zeros.
    let is_number = prefix.is_some() || digits.len() >= 3 && digits.starts_with('0');
    let is_digits = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_number && is_digits { digits.parse().ok() } else { None }
}
