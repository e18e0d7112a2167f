//! What a new decision record says of the earlier ones that it amends or supersedes, in the team's own form.
//!
//! Invariant: only what a user's decision names by its number is said, and only of a record that is there. The form is
//! that of the newest record with such a line; without one, a link with the record's title, as adr-tools writes it.
//!
//! ```
//! use roundtable::synthesis::related::like;
//! use roundtable::text::ids::Relation;
//!
//! let record = (2, "0002-send-letters.md", "2. Send letters");
//! assert_eq!(like("Supersedes 0001", Relation::Amends, record).unwrap(), "Amends 0002");
//! assert_eq!(
//!     like("- Supersedes: [ADR-0001](0001-x.md)", Relation::Supersedes, record).unwrap(),
//!     "- Supersedes: [ADR-0002](0002-send-letters.md)"
//! );
//! assert!(like("The card supersedes the letter of 0001.", Relation::Amends, record).is_none());
//! ```

use crate::discussion::summary::Decision;
use crate::item::layout::Layout;
use crate::item::{File, Item};
use crate::text::ids::{Relation, relations};

/// A record: its number, its file, its title with the number that this begins with.
pub type EarlierRecord<'r> = (u32, &'r str, &'r str);

/// The lines of a new record about the earlier ones that its decisions name.
pub(super) fn lines(item: &Item, layout: &Layout, decisions: &[&Decision]) -> Vec<String> {
    let records = layout.records(item.files.keys().map(String::as_str));
    let named = decisions.iter().flat_map(|decision| relations(&decision.text));
    let mut found: Vec<String> = Vec::new();
    for (relation, number) in named {
        let Some((_, file)) = records.iter().find(|(known, _)| *known == number) else { continue };
        let title = title_of(text_of(item, file)).unwrap_or(file);
        let record = (number, *file, title);
        let texts = records.iter().rev().map(|(_, file)| text_of(item, file));
        let own = texts.flat_map(str::lines).find_map(|line| like(line, relation, record));
        let line = own.unwrap_or_else(|| format!("{} [{title}]({file})", relation.verb()));
        if !found.contains(&line) {
            found.push(line);
        }
    }
    found
}

fn text_of<'i>(item: &'i Item, file: &str) -> &'i str {
    match item.files.get(file) {
        Some(File::Bytes(bytes)) => std::str::from_utf8(bytes).unwrap_or_default(),
        _ => "",
    }
}

fn title_of(text: &str) -> Option<&str> {
    text.lines().find_map(|line| line.strip_prefix("# ")).map(str::trim)
}

/// A line that says what another record goes on with, said of this one; none of any other line.
pub fn like(line: &str, relation: Relation, record: EarlierRecord<'_>) -> Option<String> {
    let bare = line.trim_start_matches(|c: char| !c.is_alphanumeric());
    let (lead, end) = (&line[..line.len() - bare.len()], bare.find(|c: char| !c.is_alphabetic())?);
    let (verb, rest) = bare.split_at(end);
    let is_verb =
        [Relation::Amends, Relation::Supersedes].iter().any(|known| known.verb().eq_ignore_ascii_case(verb));
    if !is_verb || relations(bare.lines().next()?.replace(':', "").as_str()).is_empty() {
        return None;
    }
    let own = match verb.starts_with(char::is_uppercase) {
        true => relation.verb().to_owned(),
        false => relation.verb().to_lowercase(),
    };
    let at = rest.find(|c: char| c == '[' || c.is_alphanumeric())?;
    let reference = reference(&rest[at..], record);
    Some(format!("{lead}{own}{}{reference}", &rest[..at]))
}

/// This record, as another one is named: a link, or the letters and the width of its number.
fn reference(named: &str, (number, file, title): EarlierRecord<'_>) -> String {
    let link = named.strip_prefix('[').and_then(|rest| rest.split_once("]("));
    let (text, is_link) = link.map_or((named, false), |(text, _)| (text, true));
    let start = text.find(|c: char| c.is_ascii_digit()).unwrap_or(text.len());
    let digits = text[start..].bytes().take_while(u8::is_ascii_digit).count();
    let is_number = text[start + digits..].trim_matches([']', ' ', '.', ')']).is_empty();
    let counted = format!("{}{number:0digits$}", &text[..start]);
    match (is_link, is_number) {
        (true, true) => format!("[{counted}]({file})"),
        (true, false) => format!("[{title}]({file})"),
        (false, _) => counted,
    }
}
