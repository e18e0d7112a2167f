//! Texts that are looked things up in: a line a key, in the order of the keys, written as the program is built.

/// What the line of a key says behind it, by halving.
pub(crate) fn line_of<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let (mut from, mut to) = (0, text.len());
    while from < to {
        let middle = (from + to) / 2;
        let before = text.as_bytes()[..middle].iter().rposition(|byte| *byte == b'\n');
        let start = before.map_or(0, |end| end + 1).max(from);
        let (line, rest) = text[start..].split_once('\n')?;
        let (found, says) = line.split_once(' ')?;
        match key.cmp(found) {
            std::cmp::Ordering::Equal => return Some(says),
            std::cmp::Ordering::Less => to = start,
            std::cmp::Ordering::Greater => from = text.len() - rest.len(),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::line_of;

    #[test]
    fn each_key_is_found_and_no_other() {
        let text = "a 1\nab 2 3\nb 4\nbc 5\n";
        for (key, says) in [("a", "1"), ("ab", "2 3"), ("b", "4"), ("bc", "5")] {
            assert_eq!(line_of(text, key), Some(says));
        }
        for key in ["", "aa", "abc", "bb", "c", "1"] {
            assert_eq!(line_of(text, key), None, "{key}");
        }
        assert_eq!(line_of("", "a"), None);
    }
}
