//! Ids as people write them in requirements: `FR-001`, `FR-001a`, `AC-008-03`, `A4/1`, `US10`, `T090`.
//!
//! An id has capitals, then a number, then perhaps a letter or more numbers. `US10` may be a name as well, such as that of a product:
//! [`mentioned_ids`] has it, for those who look for what it names; [`ids`] has what cannot be anything else, and
//! [`DefinedIds`] what documents make ids of.

use std::collections::BTreeSet;
use std::ops::Range;

use super::blocks::{Place, blocks};
use super::time::is_day;

/// The ids of a text that are no names: their letters and number are joined, as in `FR-001` or `A4/1`, or the number has
/// zeros before it, as in `T042`.
///
/// ```
/// use roundtable::text::ids::ids;
///
/// let found: Vec<&str> = ids("FR-002a, T042 and A4/1 on S3, UTF8 or US1").collect();
/// assert_eq!(found, ["FR-002a", "T042", "A4/1"]);
/// ```
pub fn ids(text: &str) -> impl Iterator<Item = &str> {
    mentioned_ids(text).filter(|id| is_no_name(id))
}

fn is_no_name(id: &str) -> bool {
    let number = id.trim_start_matches(|sign: char| sign.is_ascii_uppercase());
    number.starts_with('0') || number.contains(['-', '_', '/'])
}

/// The ids that documents define: a heading, an item of a list, a paragraph or a row begins with each. A form such as
/// `B2`, which may be a name, is an id where they define it, or others of its letters.
///
/// ```
/// use roundtable::text::ids::DefinedIds;
///
/// let defined = DefinedIds::new(["# Letters\n\n- B1: white\n- B2: on S3\n"]);
/// let named: Vec<&str> = defined.named("B2, B9 and FR-1, not S3").collect();
/// assert_eq!(named, ["B2", "B9", "FR-1"]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct DefinedIds(BTreeSet<String>);

impl DefinedIds {
    /// Those of Markdown texts.
    pub fn new<'t>(texts: impl IntoIterator<Item = &'t str>) -> DefinedIds {
        let of = |text: &'t str| {
            let leading = move |words: &'t str| Some(&words[leading_id(words)?]);
            let defining = blocks(text, 0).into_iter().filter(|block| block.place != Place::Code);
            defining.filter_map(move |block| leading(&text[block.range]).map(str::to_owned))
        };
        DefinedIds(texts.into_iter().flat_map(of).collect())
    }

    /// Whether they define an id.
    pub fn has(&self, id: &str) -> bool {
        self.0.contains(id)
    }

    /// The ids that a text names.
    pub fn named<'t>(&self, text: &'t str) -> impl Iterator<Item = &'t str> {
        mentioned_ids(text).filter(|id| is_no_name(id) || self.has_series(id))
    }

    /// Whether this id is defined, or two of its letters are: one alone shows no series.
    fn has_series(&self, id: &str) -> bool {
        let of_family = self.0.iter().filter(|known| family(known) == family(id));
        self.has(id) || of_family.count() > 1
    }
}

/// Letters of a prefix.
const MAX_PREFIX: usize = 16;

/// The id at a place of a text.
pub fn id_at(text: &str, start: usize) -> Option<Range<usize>> {
    let bytes = &text.as_bytes()[start..];
    let mut prefix = 0;
    while prefix < bytes.len().min(MAX_PREFIX) {
        let next_is_letter = bytes.get(prefix + 1).is_some_and(u8::is_ascii_uppercase);
        let next_is_digit = bytes.get(prefix + 1).is_some_and(u8::is_ascii_digit);
        match bytes[prefix] {
            byte if byte.is_ascii_uppercase() => prefix += 1,
            b'-' | b'_' if next_is_letter || next_is_digit => prefix += 1,
            _ => break,
        }
    }
    let digits = bytes[prefix..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    if prefix == 0 || digits == 0 || digits > 5 {
        return None;
    }
    let mut end = prefix + digits;
    if bytes.get(end).is_some_and(u8::is_ascii_lowercase)
        && !bytes.get(end + 1).is_some_and(u8::is_ascii_alphanumeric)
    {
        end += 1;
    }
    while let [b'.' | b'-' | b'/', digit, ..] = &bytes[end..]
        && digit.is_ascii_digit()
    {
        end += 1 + bytes[end + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    }
    let after = &text[start + end..];
    let mut next = after.chars();
    let is_joined = match next.next() {
        // `FR-001/FR-002` are two.
        Some('/') if next.as_str().starts_with(&text[start..start + prefix]) => false,
        Some('.' | ':' | '-' | '/') => next.next().is_some_and(char::is_alphanumeric),
        Some(sign) => sign.is_alphanumeric() || sign == '_' || sign == '=',
        None => false,
    };
    (!is_joined).then_some(start..start + end)
}

/// The id that a text begins with, behind marks such as `[P]` and quotation marks.
pub fn leading_id(text: &str) -> Option<Range<usize>> {
    let start = text.len() - text.trim_start_matches(|sign: char| !sign.is_alphanumeric()).len();
    id_at(text, start).filter(|_| text.as_bytes().get(start).is_some_and(u8::is_ascii_uppercase))
}

/// The id that a line begins with, behind the marks of a heading, an item with a number or a box, or a row.
///
/// ```
/// use roundtable::text::ids::id_of_entry;
///
/// for line in ["- **FR-1**: x", "2. FR-1 x", "- [x] FR-1: x", "| FR-1 | x |", "### 3.1 FR-1"] {
///     assert_eq!(id_of_entry(line), Some("FR-1"), "{line}");
/// }
/// assert_eq!(id_of_entry("As FR-1 has it"), None);
/// ```
pub fn id_of_entry(line: &str) -> Option<&str> {
    let words =
        |text: &'_ str| text.len() - text.trim_start_matches(|sign: char| !sign.is_alphanumeric()).len();
    let mut rest = &line[words(line)..];
    let number = rest.trim_start_matches(|sign: char| sign.is_ascii_digit() || matches!(sign, '.' | ')'));
    if number.len() < rest.len() {
        rest = &number[words(number)..];
    }
    if let Some(boxed) = rest.strip_prefix("x] ").or(rest.strip_prefix("X] ")) {
        rest = &boxed[words(boxed)..];
    }
    Some(&rest[leading_id(rest)?])
}

/// The ids that a text names.
pub fn mentioned_ids(text: &str) -> impl Iterator<Item = &str> {
    let mut next = 0;
    std::iter::from_fn(move || {
        while next < text.len() {
            let at = next + text[next..].find(|sign: char| sign.is_ascii_uppercase())?;
            let is_inside = text[..at].ends_with(|sign: char| sign.is_alphanumeric() || "-_".contains(sign));
            let id = id_at(text, at).filter(|_| !is_inside);
            next = id.as_ref().map_or(at + 1, |id| id.end);
            if let Some(id) = id {
                return Some(&text[id]);
            }
        }
        None
    })
}

/// The letters that an id begins with.
pub fn family(id: &str) -> &str {
    id.split(|sign: char| !sign.is_ascii_uppercase()).next().unwrap_or_default()
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

/// Whether a line is one that a discussion leaves below an id: `- Decided 2026-02-20 (Sam): …`,
/// `- Accepted 2026-02-20 (Sam).`
///
/// ```
/// use roundtable::text::ids::is_line_below;
///
/// assert!(is_line_below("- Decided 2026-02-20 (Sam): white letters"));
/// assert!(!is_line_below("- Decided by the desk"));
/// ```
pub fn is_line_below(line: &str) -> bool {
    let text = line.trim_start_matches(['-', '*', '+', ' ']);
    let rest = text.strip_prefix("Decided ").or(text.strip_prefix("Accepted "));
    rest.and_then(|rest| rest.split_once(" (")).is_some_and(|(day, _)| is_day(day))
}
