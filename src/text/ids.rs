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
