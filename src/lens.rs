//! What a persona looks for, as data: a file beside the persona's own,
//! `personas/lenses/<key>.yaml`, with a list of lenses. A reviewer extends it without touching code.
//!
//! ```yaml
//! - lens: vague-term
//!   from: "ISO/IEC/IEEE 29148:2018, 5.2.7"   # the literature it comes from
//!   weight: 30                               # higher is said earlier
//!   where: line                              # line, section (by its heading) or item
//!   any: [adequate, easy, as soon as possible]
//!   with: []                                 # the same line says one of these, too
//!   everyday: []                             # those of `any` that need one of `with`; the others do not
//!   unless: [at most]                        # near by it is settled: the lens is silent
//!   says: "{place} says \"{quote}\", and \"{word}\" can not be measured."
//!   asks: "What would a person see when it is {word} enough?"
//! ```
//!
//! A lens may take a side (`favors`, `because`) against lenses of colleagues (`against`): where both stand
//! in lines that have to do with each other, the two differ, each with its reason.
//!
//! Instead of `any`, `measure` names something that is found by its form; `load` takes both. A text is filled in by
//! replacing `{place}`, `{quote}` and `{word}`; nothing in it is evaluated.
//!
//! ```
//! use roundtable::lens;
//!
//! let file = "- lens: speed\n  from: a test\n  weight: 10\n  any: [fast]\n  says: \"{place} says {word}\"\n";
//! let lenses = lens::read("personas/lenses/business-analyst.yaml", file).unwrap();
//! let said = lens::filled(&lenses[0].says, "spec.md line 3", "Sync is fast", "fast");
//! assert_eq!(said, "spec.md line 3 says fast");
//! ```

use std::borrow::Cow;

use serde::Deserialize;

use crate::discussion::words::phrase;
use crate::finding::{Finding, did_you_mean};
use crate::front_matter;

/// Where a lens looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Where {
    /// At a line and those below it.
    #[default]
    Line,
    /// At a section whose heading says so, and in which something is missing.
    Section,
    /// At an item in which something is mentioned, and something else nowhere.
    Item,
}

/// What is found by its form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// A line that begins with an id such as FR-001.
    Requirement,
    /// A number with what it counts.
    Number,
    /// The same, where what it counts is one of `with`.
    Load,
    /// A name as code writes it.
    Name,
    /// A sentence of more words than can be held in mind.
    Long,
    /// A table's empty cell, in a column that holds no figures.
    EmptyCell,
    /// The same in a column that holds figures.
    EmptyFigure,
    /// A table's cell that holds a mark instead of a value, such as "?" or "TBD".
    OpenCell,
    /// Where the repository mentions the item's subject.
    Reach,
    /// Two lines that give different numbers for the same. `{word}` is the second with its place.
    Clash,
}

/// A lens as its file has it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a lens with `lens`, `from`, `any` or `measure`, and `says`")]
struct Written {
    lens: String,
    from: String,
    weight: usize,
    #[serde(default, rename = "where")]
    place: Where,
    #[serde(default)]
    any: Vec<String>,
    #[serde(default)]
    with: Vec<String>,
    #[serde(default)]
    everyday: Vec<String>,
    #[serde(default)]
    unless: Vec<String>,
    measure: Option<Measure>,
    says: String,
    #[serde(default)]
    asks: String,
    #[serde(default)]
    favors: String,
    #[serde(default)]
    because: String,
    #[serde(default)]
    against: Vec<String>,
}

/// A text of a lens: one of the program's own, or one that was read from a file.
pub type Text = Cow<'static, str>;

/// Short texts of a lens, one a line. The program's own are thousands: as a table each of them would take more room
/// than its words, and every run would begin with putting its address in place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Texts(Text);

impl Texts {
    /// The program's own, one a line.
    pub const fn built_in(lines: &'static str) -> Texts {
        Texts(Cow::Borrowed(lines))
    }

    /// Thousands are gone through in each run: what looks for line ends is made for long texts, and takes
    /// up where it stopped.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        let ends = memchr::memchr_iter(b'\n', self.0.as_bytes());
        let last = (!self.0.is_empty()).then_some(self.0.len());
        let mut start = 0;
        ends.chain(last).map(move |end| &self.0[std::mem::replace(&mut start, end + 1)..end])
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn contains(&self, text: &str) -> bool {
        self.iter().any(|other| other == text)
    }
}

impl FromIterator<String> for Texts {
    /// Texts of one line each; empty ones are left out.
    fn from_iter<I: IntoIterator<Item = String>>(texts: I) -> Texts {
        let texts: Vec<String> = texts.into_iter().filter(|text| !text.is_empty()).collect();
        Texts(texts.join("\n").into())
    }
}

/// One thing that a persona looks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lens {
    pub name: Text,
    /// The literature it comes from.
    pub source: Text,
    pub weight: usize,
    pub place: Where,
    pub measure: Option<Measure>,
    /// The sentence that says what was found, with its placeholders.
    pub says: Text,
    /// What follows from it, with its placeholders.
    pub asks: Text,
    /// A line must say one of these, as words in lower case with a blank between them …
    pub any: Texts,
    /// … and one of these, where there are any …
    pub with: Texts,
    /// … which only those of `any` need that stand here, where some do: words with an everyday sense …
    pub everyday: Texts,
    /// … and none of these.
    pub unless: Texts,
    /// What the persona speaks for where a colleague's lens pulls the other way.
    pub stance: Option<Stance>,
}

impl Lens {
    /// Whether a word that a line says counts only beside one of `with`.
    pub fn is_narrowed(&self, word: &str) -> bool {
        !self.with.is_empty() && (self.everyday.is_empty() || self.everyday.contains(word))
    }
}

/// A side that a lens takes. Two personas differ only where both their sides stand in the documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stance {
    /// The name of the lens.
    pub lens: Text,
    /// "I favor … because …", each with the placeholder `{word}`.
    pub favors: Text,
    pub because: Text,
    /// The lenses of colleagues that pull the other way.
    pub against: Texts,
}

impl Stance {
    /// Whether one of two sides names the other.
    pub fn opposes(&self, other: &Stance) -> bool {
        self.against.contains(&other.lens) || other.against.contains(&self.lens)
    }
}

const PLACEHOLDERS: [&str; 3] = ["place", "quote", "word"];

/// Reads the lenses of a persona.
///
/// # Errors
/// A file that is no list of lenses, and a lens that could never or always speak, with its place.
pub fn read(path: &str, text: &str) -> Result<Vec<Lens>, Finding> {
    let written: Vec<Written> = front_matter::parse(path, text, text, 0)?;
    let (mut found, mut findings): (Vec<Lens>, Vec<Finding>) = (Vec::new(), Vec::new());
    for one in written {
        if let Some(message) = wrong(&one, &found) {
            let needle = format!("lens: {}", one.lens);
            let finding = Finding::near(path, text, &needle, message);
            findings.push(finding.hint("src/lens.rs shows a lens; `roundtable steps check` reads them"));
            continue;
        }
        found.push(Lens {
            stance: stance(&one),
            source: one.from.into(),
            weight: one.weight,
            place: one.place,
            measure: one.measure,
            any: phrases(&one.any),
            with: phrases(&one.with),
            everyday: phrases(&one.everyday),
            unless: phrases(&one.unless),
            name: one.lens.into(),
            says: one.says.into(),
            asks: one.asks.into(),
        });
    }
    Finding::all(findings).map_or(Ok(found), Err)
}

fn stance(one: &Written) -> Option<Stance> {
    let stance = Stance {
        lens: one.lens.clone().into(),
        favors: one.favors.clone().into(),
        because: one.because.clone().into(),
        against: one.against.iter().map(|name| crate::plain::one_line(name)).collect(),
    };
    (!one.favors.is_empty()).then_some(stance)
}

/// Why the side that a lens takes cannot be told as "I favor … because …", if it cannot.
fn wrong_side(one: &Written) -> Option<String> {
    let sides = [&one.favors, &one.because];
    let none = sides.iter().all(|text| text.is_empty()) && one.against.is_empty();
    let all = sides.iter().all(|text| !text.is_empty()) && !one.against.is_empty();
    if !none && !all {
        return Some(format!(
            "the lens {} takes a side: it needs `favors`, `because` and `against`",
            one.lens
        ));
    }
    let ends = sides.iter().any(|text| text.contains(['.', ';', '?', '!']));
    if ends || one.favors.contains(" because ") {
        let why = "are parts of one sentence: no `.`, `;`, `?`, `!`, and `because` only between them";
        return Some(format!("`favors` and `because` of the lens {} {why}", one.lens));
    }
    (all && (one.place != Where::Line || one.measure.is_some()))
        .then(|| format!("the lens {} takes a side, so it looks at a line for `any` words", one.lens))
}

fn phrases(list: &[String]) -> Texts {
    list.iter().map(|text| phrase(text)).collect()
}

/// Why a lens cannot be used, if it cannot.
fn wrong(one: &Written, before: &[Lens]) -> Option<String> {
    if before.iter().any(|other| other.name == one.lens) {
        return Some(format!("the lens {} stands twice", one.lens));
    }
    if one.from.trim().is_empty() {
        return Some(format!("the lens {} does not say where it comes from", one.lens));
    }
    // A load may have to be said with one of `any`: a mean is a load "a day".
    let both = one.measure == Some(Measure::Load) && !one.any.is_empty();
    if one.any.is_empty() == one.measure.is_none() && !both {
        return Some(format!("the lens {} needs either `any` or `measure`", one.lens));
    }
    if one.everyday.iter().any(|word| !one.any.contains(word))
        || one.with.is_empty() && !one.everyday.is_empty()
    {
        let why = "names words of `any` that need one of `with`";
        return Some(format!("`everyday` of the lens {} {why}", one.lens));
    }
    if one.place != Where::Line && (one.unless.is_empty() || one.measure.is_some()) {
        let why = "looks for what is missing: it needs `any` and `unless`";
        return Some(format!("the lens {} {why}", one.lens));
    }
    if !one.says.contains("{place}") {
        return Some(format!("the lens {} says no {{place}}", one.lens));
    }
    if let Some(message) = wrong_side(one) {
        return Some(message);
    }
    let unknown = [&one.says, &one.asks, &one.favors, &one.because].into_iter().find_map(|text| {
        let names = text.split('{').skip(1).filter_map(|part| part.split_once('}')).map(|(name, _)| name);
        names.into_iter().find(|name| !PLACEHOLDERS.contains(name)).map(str::to_owned)
    });
    unknown.map(|name| {
        format!("the lens {} has the placeholder {{{name}}}{}", one.lens, did_you_mean(&name, &PLACEHOLDERS))
    })
}

/// A text with its placeholders replaced, each once read from left to right: what is filled in is
/// never read again.
pub fn filled(text: &str, place: &str, quote: &str, word: &str) -> String {
    let mut out = String::with_capacity(text.len() + place.len() + quote.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let Some((name, behind)) = after.split_once('}') else {
            out.push('{');
            rest = after;
            continue;
        };
        match name {
            "place" => out.push_str(place),
            "quote" => out.push_str(quote),
            "word" => out.push_str(word),
            _ => out.push_str(&format!("{{{name}}}")),
        }
        rest = behind;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str =
        "- lens: a\n  from: x\n  weight: 10\n  any: [Not yet, fast]\n  says: \"{place} says {word}\"\n";

    #[test]
    fn a_lens_is_read_with_its_words_in_lower_case() {
        let lenses = read("l.yaml", GOOD).unwrap();
        assert_eq!((lenses[0].place, lenses[0].any.clone()), (Where::Line, Texts::built_in("not yet\nfast")));
    }

    #[test]
    fn a_lens_that_cannot_be_used_is_refused_with_its_place() {
        let refused = |text: &str| read("l.yaml", text).unwrap_err().to_string();
        insta::assert_snapshot!(refused(&GOOD.replace("{word}", "{wrod}")), @r#"
        l.yaml:1:3: the lens a has the placeholder {wrod}; did you mean "word"?
         1 | - lens: a
           |   ^^^^^^^
           = help: src/lens.rs shows a lens; `roundtable steps check` reads them
        "#);
        assert!(refused(&format!("{GOOD}{GOOD}")).contains("stands twice"));
        assert!(refused(&GOOD.replace("from: x", "from: ''")).contains("where it comes from"));
        assert!(
            refused(&GOOD.replace("any: [Not yet, fast]", "any: []")).contains("either `any` or `measure`")
        );
        assert!(refused(&GOOD.replace("weight: 10", "weight: 10\n  where: section")).contains("`unless`"));
        let everyday = |words: &str| GOOD.replace("any: [", &format!("{words}\n  any: ["));
        assert!(refused(&everyday("everyday: [fast]")).contains("one of `with`"));
        assert!(refused(&everyday("everyday: [slow]\n  with: [x]")).contains("one of `with`"));
        assert!(read("l.yaml", &everyday("everyday: [fast]\n  with: [x]")).is_ok());
        assert!(refused(&GOOD.replace("{place}", "it")).contains("says no {place}"));
        assert!(refused("- 1\n").contains("l.yaml:1"));
        let side = |text: &str| format!("{GOOD}{text}");
        assert!(refused(&side("  favors: more\n")).contains("takes a side"));
        let dotted = "  favors: more\n  because: it is. So\n  against: [b]\n";
        assert!(refused(&side(dotted)).contains("parts of one sentence"));
        assert!(read("l.yaml", &side(&dotted.replace(". So", " so"))).unwrap()[0].stance.is_some());
    }

    #[test]
    fn what_is_filled_in_is_not_read_again() {
        assert_eq!(
            filled("{place}: {quote} {x} {word", "{word}", "{place}", "w"),
            "{word}: {place} {x} {word"
        );
    }
}
