//! Whether what is printed reads as a page shows it.

/// A line with `<id>` for every word of seven or more hexadecimal digits.
pub fn without_ids(line: &str) -> String {
    let mut found = String::new();
    let mut rest = line.trim_end();
    while let Some(start) = rest.find(|c: char| c.is_ascii_alphanumeric()) {
        let word =
            rest[start..].find(|c: char| !c.is_ascii_alphanumeric()).map_or(rest.len(), |end| start + end);
        let is_id =
            word - start >= 7 && rest[start..word].bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        found.push_str(if is_id { &rest[..start] } else { &rest[..word] });
        found.push_str(if is_id { "<id>" } else { "" });
        rest = &rest[word..];
    }
    found + rest
}

/// Whether a line reads as it is shown; `…` is anything.
fn is_line(shown: &str, printed: &str) -> bool {
    let (shown, printed) = (without_ids(shown), without_ids(printed));
    let mut parts = shown.split('…');
    let Some(mut rest) = printed.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut parts = parts.peekable();
    while let Some(part) = parts.next() {
        let at = if parts.peek().is_none() {
            rest.ends_with(part).then(|| rest.len() - part.len())
        } else {
            rest.find(part)
        };
        let Some(at) = at else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.is_empty()
}

/// Whether lines read as they are shown. `gaps` says that any may be left out.
pub fn is_shown(shown: &[&str], printed: &[&str], gaps: bool) -> bool {
    // For each number of shown lines, whether they can end right before the printed line that is next.
    let mut can = vec![false; shown.len() + 1];
    can[0] = true;
    let pass = |can: &mut Vec<bool>| {
        for at in 0..shown.len() {
            can[at + 1] |= can[at] && shown[at] == "…";
        }
    };
    pass(&mut can);
    for line in printed {
        let mut next = vec![false; shown.len() + 1];
        for at in 0..=shown.len() {
            let stays = gaps || at > 0 && shown[at - 1] == "…";
            next[at] = can[at] && stays
                || at > 0 && can[at - 1] && shown[at - 1] != "…" && is_line(shown[at - 1], line);
        }
        pass(&mut next);
        can = next;
    }
    can[shown.len()]
}

/// The lines of a text; without the blank ones where lines may be left out anyhow, and without
/// those at its ends.
pub fn lines(text: &str, gaps: bool) -> Vec<&str> {
    let text = text.trim_matches('\n');
    text.lines().map(str::trim_end).filter(|line| !gaps || !line.is_empty()).collect()
}

#[test]
fn a_block_is_compared_by_its_lines() {
    let shown = |shown: &str, printed: &str, gaps| is_shown(&lines(shown, gaps), &lines(printed, gaps), gaps);
    assert!(shown("a\nb\n", "a\nb\n", false));
    assert!(!shown("a\n", "a\nb\n", false));
    assert!(!shown("a\nb\n", "a\n", false));
    assert!(shown("a\n…\nd\n", "a\nb\nc\nd\n", false));
    assert!(shown("a\n…\nd\n", "a\nd\n", false));
    assert!(!shown("a\n…\nd\n", "a\nd\ne\n", false));
    assert!(shown("a\nc\n", "a\nb\nc\nd\n", true));
    assert!(!shown("c\na\n", "a\nb\nc\n", true));
    assert!(shown("at 0123456 of x", "at fedcba987 of x", false));
    assert!(!shown("at 0123456 of x", "at fedcba987 of y", false));
    assert!(shown("from … to … end", "from a to b to c end", false));
    assert!(!shown("from … end", "from a end of it", false));
}
