//! Entries at the end of a list of a YAML file. What the file holds stays, and its comments keep their places.

use serde_json::Value;

use crate::text::front_matter::too_deep;

/// A YAML text with entries at the end of the block list under a top-level key; none where what was
/// there would not stay, or the list is written in another form.
pub fn with_entries(text: &str, key: &str, values: &[Value]) -> Option<String> {
    if too_deep(text).is_some() {
        return None;
    }
    let before: serde_yaml::Value = serde_yaml::from_str(text).ok()?;
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let is_key = |line: &&str| line.trim_end() == format!("{key}:");
    let own = lines.iter().position(is_key);
    let entries = |indent: &str| -> String {
        // JSON is YAML: one line an entry keeps words of others inside their quotation marks.
        values.iter().map(|value| block(value, indent, end)).collect()
    };
    let mut new = String::new();
    match own {
        None if before.get(key).is_some() => return None,
        None => {
            new.push_str(text);
            if !text.is_empty() && !text.ends_with('\n') {
                new.push_str(end);
            }
            new.push_str(&format!("{key}:{end}{}", entries("  ")));
        }
        Some(own) => {
            // Comments between entries belong to the list; those after its last line do not.
            let belongs = |line: &&&str| {
                let bare = line.trim_start();
                line.starts_with([' ', '\t'])
                    || bare.starts_with("- ")
                    || bare.starts_with('#')
                    || bare.trim().is_empty()
            };
            let mut at = own + 1 + lines[own + 1..].iter().take_while(belongs).count();
            let is_nothing = |line: &str| line.trim().is_empty() || line.starts_with('#');
            while at > own + 1 && is_nothing(lines[at - 1]) {
                at -= 1;
            }
            let first = lines[own + 1..at].iter().find(|line| line.trim_start().starts_with("- "))?;
            let indent = &first[..first.len() - first.trim_start().len()];
            new.push_str(&lines[..at].concat());
            if !new.ends_with('\n') {
                new.push_str(end);
            }
            new.push_str(&entries(indent));
            new.push_str(&lines[at..].concat());
        }
    }
    let after: serde_yaml::Value = serde_yaml::from_str(&new).ok()?;
    let list = |value: &serde_yaml::Value| {
        value.get(key).and_then(serde_yaml::Value::as_sequence).cloned().unwrap_or_default()
    };
    let (was, is) = (list(&before), list(&after));
    (is.len() == was.len() + values.len() && is.starts_with(&was)).then_some(new)
}

/// An entry of a block list: a field a line, each value as JSON.
fn block(value: &Value, indent: &str, end: &str) -> String {
    let Some(fields) = value.as_object() else { return format!("{indent}- {value}{end}") };
    let mut out = String::new();
    for (at, (key, value)) in fields.iter().enumerate() {
        let lead = if at == 0 { "- " } else { "  " };
        out.push_str(&format!("{indent}{lead}{key}: {value}{end}"));
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn yaml_lists_grow_at_their_end_and_nothing_else_moves() {
        let entry = [json!({"name": "x: [", "open": ["a"]})];
        for (before, after) in [
            ("a: 1\n", "a: 1\noperations:\n  - name: \"x: [\"\n    open: [\"a\"]\n"),
            (
                "operations:\n- name: y\n\n# end\nnotes: 1\n",
                "operations:\n- name: y\n- name: \"x: [\"\n  open: [\"a\"]\n\n# end\nnotes: 1\n",
            ),
        ] {
            let found = with_entries(before, "operations", &entry).unwrap();
            assert_eq!(found, after);
            assert!(crate::additive::yaml::losses(before.as_bytes(), found.as_bytes()).is_empty());
        }
        assert!(with_entries("operations: []\n", "operations", &entry).is_none());
        assert!(with_entries("operations: [\n", "operations", &entry).is_none());
    }
}
