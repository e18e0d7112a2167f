//! Questions for the most or the least of a table's column: "Which of the places holds the most people?" is the row
//! with the largest figure under "Seats".

use super::evidence::{Evidence, Line, LineKind};
use super::runs::roots;
use crate::discussion::near::near_to;
use crate::discussion::words::{lists, words};

/// What is looked for: the largest figure or the smallest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extreme {
    Most,
    Least,
}

const MOST: &str = "biggest|busiest|dearest|farthest|greatest|heaviest|highest|largest|latest|likeliest|longest|maximum|most|riskiest|slowest|worst";
const LEAST: &str = "cheapest|earliest|fastest|fewest|least|lowest|minimum|shortest|smallest|soonest";
/// What a superlative measures, where it says so: words that a column may be called by.
const MEASURES: [(&str, &str); 12] = [
    ("carry", "capacity|kg|load|payload|weight"),
    ("heaviest", "kg|load|payload|weight"),
    ("likeliest", "chance|likelihood|probability"),
    ("likely", "chance|likelihood|probability"),
    ("cheapest", "amount|cost|costs|eur|fee|fees|price|prices|rate|usd"),
    ("dearest", "amount|cost|costs|eur|fee|fees|price|prices|rate|usd"),
    ("expensive", "amount|cost|costs|eur|fee|fees|price|prices|rate|usd"),
    ("fastest", "duration|hours|latency|minutes|seconds|time"),
    ("longest", "days|distance|duration|hours|km|length|minutes|time|weeks"),
    ("shortest", "days|distance|duration|hours|km|length|minutes|time|weeks"),
    ("slowest", "duration|hours|latency|minutes|seconds|time"),
    ("people", "capacity|heads|members|participants|places|seats|staff"),
];

/// The row that a question asks for, with the name of its column.
pub(super) fn extreme<'e>(evidence: &'e Evidence, question: &str) -> Option<(&'e Line, String)> {
    let found = words(question);
    let says = |all: &str| found.iter().any(|word| lists(all, &word.text));
    let looked_for = match (says(MOST), says(LEAST)) {
        (true, false) => Extreme::Most,
        (false, true) => Extreme::Least,
        _ => return None,
    };
    // "At least", "at most" and "most of the time" are no superlatives of a column.
    let asks = found
        .iter()
        .any(|word| matches!(word.text.as_ref(), "which" | "what" | "what's" | "who" | "who's" | "where"));
    let lower = question.to_lowercase();
    let bound = ["at least", "at most", "most of", "at the latest", "most important"];
    if !asks || bound.iter().any(|words| lower.contains(words)) {
        return None;
    }
    let asked =
        Question { roots: roots(question), words: found.iter().map(|word| word.text.to_string()).collect() };
    let best = tables(evidence).into_iter().flat_map(|rows| columns(&rows, &asked));
    // Stable: of equals the first.
    let best = best.collect::<Vec<_>>().into_iter().rev().max_by_key(|column| column.share)?;
    let figured = best.cells.iter().filter_map(|(line, cell)| Some((*line, figure(cell)?)));
    let figured: Vec<(&Line, f64)> = figured.collect();
    let row = figured.iter().copied().reduce(|best, next| {
        let further = match looked_for {
            Extreme::Most => next.1 > best.1,
            Extreme::Least => next.1 < best.1,
        };
        if further { next } else { best }
    })?;
    // Where two have it, none is the one.
    let alone = figured.iter().filter(|(_, value)| *value == row.1).count() == 1;
    alone.then_some((row.0, best.name))
}

struct Question {
    roots: Vec<String>,
    words: Vec<String>,
}

impl Question {
    /// How many words of a text it says, those that are near with them.
    fn share(&self, text: &str) -> usize {
        let says = |root: &String| {
            self.roots.contains(root)
                || near_to(root).into_iter().any(|near| self.roots.iter().any(|one| one == near))
        };
        roots(text).iter().filter(|root| root.len() > 1 && says(root)).count()
    }

    /// Whether one of its words measures what a column holds.
    fn measures(&self, column: &str) -> bool {
        let named = words(column);
        let of = |measure: &str| named.iter().any(|word| lists(measure, &word.text));
        MEASURES.iter().any(|(word, measure)| self.words.iter().any(|one| one == word) && of(measure))
    }
}

struct Column<'e> {
    name: String,
    cells: Vec<(&'e Line, &'e str)>,
    share: usize,
}

/// The rows of each table, in order.
fn tables(evidence: &Evidence) -> Vec<Vec<&Line>> {
    let mut found: Vec<Vec<&Line>> = Vec::new();
    let mut before: Option<&Line> = None;
    for line in &evidence.lines {
        if line.kind == LineKind::Row && line.cells().is_some() {
            let goes_on =
                before.is_some_and(|before| before.kind == LineKind::Row && before.document == line.document);
            match found.last_mut().filter(|_| goes_on) {
                Some(rows) => rows.push(line),
                None => found.push(vec![line]),
            }
        }
        before = Some(line);
    }
    found.retain(|rows| rows.len() > 1);
    found
}

/// The columns of figures that a question is about.
fn columns<'e>(rows: &[&'e Line], asked: &Question) -> Vec<Column<'e>> {
    let cells: Vec<(&Line, Vec<(&str, &str)>)> =
        rows.iter().filter_map(|line| Some((*line, line.cells()?))).collect();
    let Some((first, names)) = cells.first() else { return Vec::new() };
    // What the table is about counts once, beside its column's name.
    let of_table =
        names.iter().map(|(name, _)| asked.share(name)).sum::<usize>() + asked.share(&first.section);
    let made = names.iter().enumerate().skip(1).filter_map(|(at, (name, _))| {
        let own: Vec<(&Line, &str)> =
            cells.iter().filter_map(|(line, cells)| Some((*line, cells.get(at)?.1))).collect();
        let figured = own.iter().filter(|(_, cell)| figure(cell).is_some()).count();
        let share = asked.share(name) * 2 + if asked.measures(name) { 3 } else { 0 };
        let is_about = share > 0 && figured * 2 > own.len() && figured > 1;
        is_about.then(|| Column { name: (*name).to_owned(), cells: own, share: share * 4 + of_table.min(3) })
    });
    made.collect()
}

/// What a cell of a scale comes to: "low", "medium", "high".
fn on_a_scale(cell: &str) -> Option<f64> {
    let steps = ["none", "very low", "low", "medium", "high", "very high", "critical"];
    let cell = cell.trim().to_lowercase();
    steps.iter().position(|step| *step == cell).map(|at| at as f64)
}

/// The figure that a cell begins with, behind a sign of money: "1,500 EUR", "€ 3.50", "05:30".
fn figure(cell: &str) -> Option<f64> {
    if let Some(step) = on_a_scale(cell) {
        return Some(step);
    }
    let cell = cell.trim_start_matches(|c: char| !c.is_alphanumeric());
    let end =
        cell.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',' | ':'))).unwrap_or(cell.len());
    let digits = cell[..end].trim_end_matches(['.', ',', ':']);
    // A date or a version is no figure.
    let rest = cell[end..].chars().next();
    if digits.is_empty() || matches!(rest, Some('-' | '/')) || digits.matches('.').count() > 1 {
        return None;
    }
    if let Some((hours, minutes)) = digits.split_once(':') {
        return Some(hours.parse::<f64>().ok()? * 60.0 + minutes.parse::<f64>().ok()?);
    }
    digits.replace(',', "").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PORTS: &str = "# Ports\n\n## Stops\n\n| Day | Port | Berths | Fee | Opens |\n|---|---|---|---|---|\n| Mon | Alba | 280 | € 1,190 | 05:30 |\n| Tue | Bora | 190 | € 350 | 09:00 |\n| Wed | Cala | 350 | € 350 | 08:15 |\n\nA pilot waits.\n\n| Rule | Limit |\n|---|---|\n| A | 4 |\n| B | 9 |\n";

    fn of(question: &str) -> Option<(usize, String)> {
        let evidence = Evidence::new([("spec.md", PORTS)], &[]);
        extreme(&evidence, question).map(|(line, column)| (line.number, column))
    }

    #[test]
    fn the_most_and_the_least_of_a_column_are_a_row() {
        assert_eq!(of("Which port has the most berths?"), Some((9, "Berths".to_owned())));
        assert_eq!(of("Which port has the fewest berths?"), Some((8, "Berths".to_owned())));
        assert_eq!(of("What is the highest fee of the ports?"), Some((7, "Fee".to_owned())));
        assert_eq!(of("Which of the ports opens earliest?"), Some((7, "Opens".to_owned())));
        assert_eq!(of("Which rule has the highest limit?"), Some((16, "Limit".to_owned())));
    }

    #[test]
    fn what_no_column_measures_or_two_rows_have_is_no_row() {
        assert_eq!(of("Which port is the cheapest?"), None);
        assert_eq!(of("Which port has the oldest pilot?"), None);
        assert_eq!(of("Which port needs at least four berths?"), None);
        assert_eq!(of("The most berths are in Cala."), None);
        assert!(figure("high") > figure("medium") && figure("high and dry").is_none());
        assert_eq!(figure("2026-03-01"), None);
        assert_eq!(figure("1.2.3"), None);
    }
}
