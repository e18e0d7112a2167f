//! What a line says of ids, places, names and figures, held against the files (V-5).
//!
//! Free prose is never judged: only a quotation, a place, an id, a name in code, and a figure in a clause that speaks of
//! one of these. Such a figure is in the own text of what the clause speaks of, in a passage that the line quotes, or a
//! sum of these.
//!
//! Where a requirement says "Photos wait at most 30 seconds", a line that names its id may say 30 seconds of it, and is
//! refused where it says 45.

use super::amounts::{Amount, amounts};
use super::basis::Basis;
use super::names::{self, Known};
use super::own_text::has_name;
use super::quotations::unreal_quotation;
use super::rules::{Breach, Rule};
use super::sources::{Folded, Sources};
use crate::discussion::Said;
use crate::discussion::summary::USER;
use crate::text::ids::{family, mentioned_ids};
use crate::text::sentences::sentences;
use crate::text::words::{says, words};

/// Families of ids that the documents of every item may have.
const FAMILIES: [&str; 8] = ["AC", "ADR", "BR", "FR", "INT", "NFR", "REQ", "US"];
/// Words before the number of a place.
const PLACES: [&str; 5] = ["line", "lines", "page", "section", "turn"];
/// Words that go on with the clause before them.
const RELATIVE: [&str; 5] = ["that", "which", "where", "who", "whose"];
/// Names whose own text is looked at for figures, in a clause.
const NAMES: usize = 6;

/// What a line says of files and ids that is not so.
pub fn unreal_claims(text: &str, earlier: &[Said<'_>], basis: &Basis<'_>) -> Vec<Breach> {
    let Some(sources) = basis.sources else { return Vec::new() };
    let heard = Heard { earlier, basis, sources };
    let mut found: Vec<Breach> = Vec::new();
    found.extend(heard.unknown_id(text));
    found.extend(heard.unknown_name(text));
    for sentence in sentences(text) {
        let breach = heard.unreal_quotation(sentence);
        let breach = breach.or_else(|| heard.unreal_place(sentence));
        found.extend(breach.or_else(|| heard.unsupported_figure(sentence)));
    }
    found
}

/// All that a line may rest on.
struct Heard<'a> {
    earlier: &'a [Said<'a>],
    basis: &'a Basis<'a>,
    sources: &'a Sources<'a>,
}

/// Something that a clause speaks of, and its own text.
struct Topic {
    text: String,
    /// It is a name in code: where its text has no figure at all, it is not a setting, and nothing is judged.
    is_name: bool,
    /// It is a setting: a figure beside it is its value, however small.
    is_value: bool,
}

impl Heard<'_> {
    /// What was said and asked.
    fn texts(&self) -> impl Iterator<Item = &str> {
        let asked = self.basis.asked.iter().map(String::as_str);
        self.earlier.iter().map(|one| one.text).chain(self.basis.first).chain(asked)
    }

    /// What users said and a reader asked.
    fn given(&self) -> impl Iterator<Item = &str> {
        let asked = self.basis.asked.iter().map(String::as_str);
        let users = self.earlier.iter().filter(|one| one.by == USER).map(|one| one.text);
        users.chain(self.basis.first).chain(asked)
    }

    /// Whether an id is one that the documents define, or of a family that they number: not `SHA-256`.
    fn is_numbered(&self, id: &str) -> bool {
        let is_of_family = |other: &&String| family(other) == family(id);
        FAMILIES.contains(&family(id))
            || self.sources.defines(id)
            || self.sources.ids().iter().filter(is_of_family).count() >= 2
    }

    /// An id of a family that the documents number, and that none of them has.
    fn unknown_id(&self, text: &str) -> Option<Breach> {
        let known = self.sources.ids();
        let is_said = |id: &str| self.texts().any(|text| mentioned_ids(text).any(|one| one == id));
        let is_unknown = |id: &&str| !known.contains(*id) && self.is_numbered(id) && !is_said(id);
        let unknown = self.sources.named(text).find(is_unknown)?;
        let near = |id: &&String| family(id) == family(unknown);
        let apart = |id: &&String| (strsim::levenshtein(id, unknown), number(id).abs_diff(number(unknown)));
        let other = known.iter().filter(near).min_by_key(apart);
        let nearest = other.and_then(|id| self.sources.line_of(id));
        Some(Breach { nearest, ..Breach::new(Rule::Id, unknown) })
    }

    /// A file, function or setting that does not exist.
    fn unknown_name(&self, text: &str) -> Option<Breach> {
        let code = self.basis.code.as_deref()?;
        let is_said = |name: &str| {
            let folded = Folded::new(name).text;
            let is_in = |text: &str| says(&Folded::new(text).text, &folded);
            let is_absent = self.basis.absent.iter().any(|absent| is_in(absent));
            is_absent || self.sources.has(name) || self.sources.says(&folded) || self.texts().any(is_in)
        };
        names::unknown_name(text, &Known { code, is_said: &is_said })
    }

    /// A quotation that nobody and no file has.
    fn unreal_quotation(&self, sentence: &str) -> Option<Breach> {
        let has_place = names_place(sentence) || self.sources.paths().any(|path| sentence.contains(path));
        let cited = self.basis.cited.iter().map(|rest| rest.quote.as_str());
        let texts: Vec<&str> = self.texts().chain(cited).collect();
        let quote = unreal_quotation(sentence, has_place, self.sources, &texts, &self.basis.absent)?;
        Some(Breach { nearest: self.sources.nearest("", quote), ..Breach::new(Rule::Quotation, quote) })
    }

    /// A line that no file has, a turn that was not yet, a section that no document has.
    fn unreal_place(&self, sentence: &str) -> Option<Breach> {
        let words = words(sentence);
        let last = self.sources.last_line();
        words.windows(2).find_map(|pair| {
            let (what, number) = (pair[0].text.as_ref(), pair[1].text.parse::<usize>().ok()?);
            let is_unreal = match what {
                "line" => number == 0 || number > last,
                "turn" => number == 0 || number > self.earlier.len(),
                "section" => self.sources.sections(&number.to_string()).is_some_and(|found| found.is_empty()),
                _ => false,
            };
            is_unreal.then(|| Breach::new(Rule::Place, &format!("{what} {number}")))
        })
    }

    /// A figure that a clause says of something, and that nothing supports.
    fn unsupported_figure(&self, sentence: &str) -> Option<Breach> {
        clauses(sentence).into_iter().find_map(|clause| {
            let topics = self.topics(clause);
            let is_value = topics.iter().any(|one| one.is_value);
            let own: Vec<Amount> = topics.iter().flat_map(|one| amounts(&one.text)).collect();
            if topics.is_empty() || own.is_empty() && topics.iter().all(|one| one.is_name) {
                return None;
            }
            let is_of_names = topics.iter().all(|one| one.is_name);
            let unknown = self.unknown_amount(sentence, clause, (&own, is_value), is_of_names)?;
            let nearest = self.sources.named(clause).find_map(|id| self.sources.line_of(id));
            let words = format!("{} in {}", unknown.figure, clause.trim());
            let nearest = nearest.or_else(|| self.sources.nearest("", clause));
            Some(Breach { nearest, ..Breach::new(Rule::Figure, &words) })
        })
    }

    /// An amount of a clause that is neither in the text of what it speaks of (`own`; `is_value` where that has a value),
    /// nor quoted, nor a sum.
    fn unknown_amount(
        &self,
        sentence: &str,
        clause: &str,
        (own, is_value): (&[Amount], bool),
        is_of_names: bool,
    ) -> Option<Amount> {
        let cited = self.basis.cited.iter().flat_map(|rest| amounts(&rest.quote));
        let proposed = self.basis.absent.iter().flat_map(|text| amounts(text));
        // Users may give any value to a name; an id has its own text.
        let users = self.earlier.iter().filter(|one| one.by == USER && is_of_names).map(|one| one.text);
        let given = users.chain(self.basis.first.filter(|_| is_of_names)).flat_map(amounts);
        let known: Vec<Amount> = own.iter().cloned().chain(cited).chain(proposed).chain(given).collect();
        let is_known = |one: &Amount| known.iter().any(|other| one.is_same(other));
        let said = amounts(&without_places(clause));
        // Who asks for another value beside the real one, or for a value where there is none, claims nothing.
        if sentence.trim_end().ends_with('?') && (own.is_empty() || said.iter().any(is_known)) {
            return None;
        }
        let parts: Vec<Amount> = amounts(sentence).into_iter().filter(is_known).collect();
        let is_count = |one: &Amount| {
            one.is_count()
                && !(is_value && one.counts_nothing())
                && !known.iter().any(|other| one.contradicts(other))
        };
        let is_claimed = |one: &Amount| !is_known(one) && !is_count(one) && !one.is_sum_of(&parts);
        // "Task 6.5" names an item of a list.
        said.into_iter().find(|one| is_claimed(one) && !self.sources.numbers_item(&one.figure))
    }

    /// What a clause speaks of that has a text of its own.
    fn topics(&self, clause: &str) -> Vec<Topic> {
        let named = self.sources.named(clause);
        let ids = named.filter(|id| self.is_numbered(id)).map(|id| self.of_id(id));
        let mut found: Vec<Topic> = ids.collect();
        found.extend(self.of_places(clause));
        for token in names::tokens(clause) {
            match self.of_file(names::place(token).0, clause) {
                Some(file) => found.push(file),
                None => {
                    let is_marked = clause.contains(&format!("`{token}`"));
                    let names = names::identifiers(token, is_marked).take(NAMES);
                    found.extend(names.map(|name| self.of_name(name)));
                }
            }
        }
        found
    }

    fn of_id(&self, id: &str) -> Topic {
        // What personas say of an id has its figures from the same places.
        let said = self.given().filter(|text| mentioned_ids(text).any(|one| one == id));
        let texts: Vec<&str> = self.sources.blocks_with(id).into_iter().chain(said).collect();
        Topic { text: texts.join("\n"), is_name: false, is_value: false }
    }

    /// A file that is at hand; the number of its lines is said of it, too.
    fn of_file(&self, path: &str, clause: &str) -> Option<Topic> {
        if !path.contains('.') {
            return None;
        }
        let whole = self.basis.code.as_ref().and_then(|code| code.text(path));
        let mut texts: Vec<String> = self.sources.of_file(path).into_iter().map(str::to_owned).collect();
        let counts_lines = words(clause).iter().any(|word| word.text == "lines");
        let count = |text: &String| format!("{} lines", text.lines().count());
        texts.extend(whole.as_ref().filter(|_| counts_lines).map(count));
        texts.extend(whole);
        (!texts.is_empty()).then(|| Topic { text: texts.join("\n"), is_name: false, is_value: false })
    }

    fn of_name(&self, name: &str) -> Topic {
        let mut texts: Vec<String> =
            self.sources.blocks_naming(name).into_iter().map(str::to_owned).collect();
        texts.extend(self.basis.code.iter().flat_map(|code| code.blocks_with(name)));
        texts.extend(self.given().filter(|text| has_name(text, name)).map(str::to_owned));
        let is_value = texts.iter().any(|text| gives_value(text, name));
        Topic { text: texts.join("\n"), is_name: true, is_value }
    }

    /// The turns, sections and lines that a clause names.
    fn of_places(&self, clause: &str) -> Vec<Topic> {
        let words = words(clause);
        let place = |(what, number): (&str, &str)| -> Option<String> {
            let turn =
                || number.parse::<usize>().ok().and_then(|turn| self.earlier.get(turn.checked_sub(1)?));
            let section = || self.sources.sections(number).filter(|found| !found.is_empty());
            match what {
                "turn" => turn().map(|one| one.text.to_owned()),
                "section" => section().map(|found| found.join("\n")),
                // Of which file it is a line is not always said.
                what => is_place(what, number)
                    .then(|| self.sources.all().chain(self.texts()).collect::<Vec<_>>().join("\n")),
            }
        };
        let pairs = words.windows(2).map(|pair| (pair[0].text.as_ref(), pair[1].text.as_ref()));
        pairs.filter_map(place).map(|text| Topic { text, is_name: false, is_value: false }).collect()
    }
}

/// Whether a block begins with a name and its figure: `limit = 3`, `"limit": 3`.
fn gives_value(block: &str, name: &str) -> bool {
    let line = block.lines().next().unwrap_or_default();
    let after = line.split_once(name).map_or("", |(_, after)| after);
    let value = after.trim_start_matches(|c: char| !c.is_alphanumeric());
    value.len() < after.len() && value.starts_with(|c: char| c.is_ascii_digit())
}

/// The number that an id ends with, 0 where there is none.
fn number(id: &str) -> u64 {
    let digits = id.trim_start_matches(|c: char| !c.is_ascii_digit());
    digits.parse().unwrap_or_default()
}

/// Whether a text has `line 12`, `section 3` or `turn 4`.
fn names_place(text: &str) -> bool {
    words(text).windows(2).any(|pair| is_place(&pair[0].text, &pair[1].text))
}

fn is_place(word: &str, number: &str) -> bool {
    PLACES.contains(&word) && number.starts_with(|c: char| c.is_ascii_digit())
}

/// A text without the numbers of its places.
fn without_places(text: &str) -> String {
    let found = words(text);
    let mut out = text.as_bytes().to_vec();
    for pair in found.windows(2).filter(|pair| is_place(&pair[0].text, &pair[1].text)) {
        out[pair[1].start..pair[1].end].fill(b' ');
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// The parts of a sentence between marks. A mark inside a figure is none; what is in brackets, after the colon of a
/// name alone, or begins with a relative pronoun belongs to what it follows.
fn clauses(sentence: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    for (at, mark) in sentence.char_indices() {
        let rest = &sentence[at + mark.len_utf8()..];
        let first = words(rest).into_iter().next().map(|word| word.text.into_owned());
        let goes_on = first.is_some_and(|word| RELATIVE.contains(&word.as_str()));
        let is_end = match mark {
            ',' | ';' | '–' | '—' => !goes_on,
            ':' => words(&sentence[start..at]).len() > 1,
            _ => false,
        };
        if is_end && rest.starts_with(char::is_whitespace) {
            found.push(&sentence[start..at]);
            start = at + mark.len_utf8();
        }
    }
    found.push(&sentence[start..]);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEC: &str = "# Spec\n\n- FR-001: Photos wait at most 30 seconds.\n- FR-002: The queue keeps 64 items, in 3 attempts.\n\n## 3. Sync\n\nNothing is lost \"by accident\".\n";

    fn found(text: &str) -> Vec<(String, String)> {
        let sources = Sources::new([("spec.md", SPEC)].into_iter(), &[]);
        let basis = Basis {
            sources: Some(&sources),
            first: Some("Is 90 seconds too long for FR-009?"),
            ..Basis::default()
        };
        unreal_claims(text, &[], &basis)
            .into_iter()
            .map(|one| (one.rule.name().to_owned(), one.nearest.unwrap_or_default()))
            .collect()
    }

    #[test]
    fn a_figure_may_be_proposed_and_a_number_may_be_of_an_item() {
        let plan = "# Plan\n\n- [ ] 6.5 FR-001: Test the wait.\n- [ ] 6.6 Send it.\n";
        let sources = Sources::new([("spec.md", SPEC), ("plan.md", plan)].into_iter(), &[]);
        let basis = |absent: &[&str]| Basis {
            sources: Some(&sources),
            absent: absent.iter().map(|one| (*one).to_owned()).collect(),
            ..Basis::default()
        };
        let is_refused = |text: &str, absent: &[&str]| !unreal_claims(text, &[], &basis(absent)).is_empty();
        assert!(is_refused("FR-001 should allow 45 seconds.", &[]));
        assert!(!is_refused("FR-001 should allow 45 seconds.", &["45 seconds"]));
        assert!(is_refused("FR-001 should allow 45 seconds.", &["50 seconds"]));
        assert!(!is_refused("FR-001 is tested by task 6.5.", &[]));
        assert!(is_refused("FR-001 is tested by task 6.7.", &[]));
    }

    #[test]
    fn documents_make_ids_of_what_may_be_a_name() {
        let spec = "# Bills\n\n- B1: A bill waits 30 days on S3.\n- **B2**: It is sent once.\n- SC-001: One letter within 3 days.\n";
        let sources = Sources::new([("spec.md", spec)].into_iter(), &[]);
        let basis = Basis { sources: Some(&sources), ..Basis::default() };
        for (text, wanted) in [
            ("B1 allows 45 days.", Some("figure")),
            ("B2 allows 30 days.", Some("figure")),
            ("B1 allows 30 days.", None),
            ("B7 is missing a limit.", Some("id")),
            ("SC-001 wants letters within 9 days.", Some("figure")),
            ("SC-001 wants two letters.", Some("figure")),
            ("SC-001 wants one letter within 3 days.", None),
            ("S3 keeps 90 objects, and EC2 runs for 45 days.", None),
        ] {
            let found = unreal_claims(text, &[], &basis);
            assert_eq!(found.first().map(|one| one.rule.name()), wanted, "{text}");
        }
    }

    #[test]
    fn what_is_said_of_a_file_is_in_it() {
        let (first, second) = (
            "spec.md:3: - FR-001: Photos wait at most 30 seconds.",
            "spec.md:4: - FR-002: The queue keeps 64 items, in 3 attempts.",
        );
        for (text, rule, nearest) in [
            ("FR-003 is missing a limit.", "id", second),
            ("spec.md, line 3 has \"photos wait at most 40 seconds\".", "quotation", first),
            ("The document says \"nobody ever drops reports\".", "quotation", ""),
            ("See line 41 for more.", "place", ""),
            ("FR-001 allows 45 seconds.", "figure", first),
            ("FR-001 (45 seconds) is long.", "figure", first),
            ("FR-001, which allows 45 seconds, is long.", "figure", first),
            ("FR-001: 45 seconds.", "figure", first),
            ("FR-001 keeps 64 items.", "figure", first),
            ("FR-002 is tried in 5 attempts.", "figure", second),
            ("Section 3 promises 5 s.", "figure", ""),
            ("Section 7 has nothing.", "place", ""),
        ] {
            assert_eq!(found(text), [(rule.to_owned(), nearest.to_owned())], "{text}");
        }
    }

    #[test]
    fn prose_without_a_place_is_not_judged() {
        for text in [
            "FR-001 allows 30 seconds, so 45 photos wait after it.",
            "spec.md, line 3: \"photos  wait at most 30 SECONDS\".",
            "FR-009 and 90 seconds were asked for.",
            "What if FR-002 had a state \"nothing was kept\"?",
            "FR-002 has 3 gaps and UTF-8 text.",
            "A queue of 900 items fits SHA-256 and RFC-2119.",
            "Section 3 says \"by accident\".",
            "Should FR-001 allow 45 seconds instead of 30?",
            "FR-001 and FR-002 together: 30 seconds for 64 items.",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
    }
}
