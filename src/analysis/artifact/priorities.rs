//! MoSCoW priorities out of what was said: `Must: FR-001, FR-002; FR-003 could wait`.

use std::collections::BTreeMap;

use super::ids;

/// The four classes, as the traceability matrix writes them.
pub const CLASSES: [&str; 4] = ["Must Have", "Should Have", "Could Have", "Won't Have"];

/// The class that each id was given, the last word counting.
pub fn given<'a>(said: impl IntoIterator<Item = &'a str>) -> BTreeMap<String, &'static str> {
    let mut found = BTreeMap::new();
    for text in said {
        for clause in text.split([';', '\n']).flat_map(|part| part.split(". ")) {
            clause_of(clause, &mut found);
        }
    }
    found
}

/// Ids belong to the class before them where a clause begins with one, else to the class behind them.
fn clause_of(clause: &str, found: &mut BTreeMap<String, &'static str>) {
    let spaced = clause.replace([',', '(', ')', ':', '='], " ").replace('’', "'");
    let (mut class, mut waiting): (Option<&'static str>, Vec<String>) = (None, Vec::new());
    let mut leads = None;
    for (at, word) in spaced.split_whitespace().enumerate() {
        let lower = word.trim_end_matches('.').to_lowercase();
        if let Some(named) = class_of(&lower) {
            // "We must talk about FR-001" gives nothing a class.
            if *leads.get_or_insert(waiting.is_empty()) {
                class = class.map_or((at < 1).then_some(named), |_| Some(named));
            } else {
                found.extend(waiting.drain(..).map(|id| (id, named)));
            }
        }
        for id in ids::all(word) {
            match class {
                Some(class) => drop(found.insert(id, class)),
                None => waiting.push(id),
            }
        }
    }
}

fn class_of(word: &str) -> Option<&'static str> {
    match word {
        "must" | "musts" | "must-have" => Some(CLASSES[0]),
        "should" | "shoulds" | "should-have" => Some(CLASSES[1]),
        "could" | "coulds" | "could-have" => Some(CLASSES[2]),
        "won't" | "wont" | "won'ts" | "won't-have" => Some(CLASSES[3]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_takes_the_ids_behind_it_or_before_it() {
        let shown = |text: &str| {
            given([text]).into_iter().map(|(id, class)| format!("{id}={class}")).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(shown("Must: FR-001, FR-002"), "FR-001=Must Have FR-002=Must Have");
        assert_eq!(shown("FR-001 is a must, FR-002 could wait"), "FR-001=Must Have FR-002=Could Have");
        assert_eq!(
            shown("Must FR-001; Won't: FR-003, NFR-001."),
            "FR-001=Must Have FR-003=Won't Have NFR-001=Won't Have"
        );
        assert_eq!(shown("We must talk about FR-001"), "");
        assert_eq!(shown("nothing here"), "");
        assert_eq!(given(["FR-001 must", "FR-001 should"])["FR-001"], "Should Have");
    }
}
