//! The sections of a step or persona file, and their lists. The build reads the steps with it, too.

/// The `## ` sections of a text, with their titles, in order. A `##` inside a fence is none.
pub(crate) fn sections(body: &str) -> Vec<(&str, &str)> {
    let mut found: Vec<(&str, usize, usize)> = Vec::new();
    let mut fence: Option<&str> = None;
    let mut at = 0;
    for line in body.split_inclusive('\n') {
        let start = at;
        at += line.len();
        // Most lines are neither a heading nor a fence.
        if !line.bytes().find(|byte| !byte.is_ascii_whitespace()).is_some_and(|first| b"#`~".contains(&first))
        {
            continue;
        }
        let trimmed = line.trim_start();
        if let Some(open) = fence {
            if trimmed.starts_with(open) {
                fence = None;
            }
        } else if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            fence = Some(&trimmed[..3]);
        } else if let Some(title) = line.strip_prefix("## ") {
            found.push((title.trim(), start, at));
        }
    }
    let ends = found.iter().skip(1).map(|&(_, start, _)| start).chain([body.len()]).collect::<Vec<_>>();
    found.iter().zip(ends).map(|(&(title, _, from), to)| (title, &body[from..to])).collect()
}

/// The items of the bullet or numbered list of a section, continuation lines joined.
pub(crate) fn list(content: &str) -> Vec<String> {
    items(content.lines())
}

fn items<'c>(lines: impl Iterator<Item = &'c str>) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    for line in lines {
        let trimmed = line.trim();
        let number = trimmed.trim_start_matches(|c: char| c.is_ascii_digit());
        let item = trimmed.strip_prefix("- ").or_else(|| trimmed.strip_prefix("* ")).or_else(|| {
            (number.len() < trimmed.len())
                .then(|| number.strip_prefix(". ").or_else(|| number.strip_prefix(") ")))?
        });
        match (item, items.last_mut()) {
            (Some(text), _) => items.push(text.trim().to_owned()),
            (None, Some(last)) if !trimmed.is_empty() => {
                last.push(' ');
                last.push_str(trimmed);
            }
            _ => {}
        }
    }
    items
}

/// Numbered questions only: a bullet below one is a probe that belongs to it.
pub(crate) fn questions(content: &str) -> Vec<String> {
    items(content.lines().filter(|line| !line.trim_start().starts_with("- ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_sections_are_read_as_written() {
        let body = "## A\n- x\n  y\n- z\n\n```\n## no\n```\n## B\n1. q?\n2) r?\n";
        let found = sections(body);
        assert_eq!(found.iter().map(|s| s.0).collect::<Vec<_>>(), ["A", "B"]);
        assert_eq!(list(found[1].1), ["q?", "r?"]);
        assert_eq!(list("- x\n  y\n- z\n"), ["x y", "z"]);
    }
}
