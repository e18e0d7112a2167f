//! Which sentences demand something of the product: the scope of every rule on wording.
//!
//! In a specification each claim demands something, with or without "shall"; what is under "Requirements" is one in any
//! document, and [`style_at`] is the one place that says so. In a document that writes MUST in capitals
//! only sentences with this word do. In running prose (a proposal, a design) "must" also explains and argues, so only what
//! has a label or is under "Requirements", "Decision" and the like is a demand. Descriptions, examples, plans, history
//! and sentences about the document itself demand nothing. Invariant: a heading, a column header, a question or a
//! quotation is never a demand. "F-1. The gate closes." is one; "The gate was closed until May." is none.

use super::page::{Cell, Page, Register, Style, Unit, UnitKind};
use super::pattern::Set;
use super::rule::{Rules, Where};
use super::token::{CAPITAL, Kind, STRONG, Token, split};

/// So many of 100 units demand something in a document that is a specification,
const SPECIFICATION_PERCENT: usize = 30;
/// or in one whose title says so;
const TITLED_PERCENT: usize = 10;
/// so many of 100 have a label or tell a story, unless most sentences say "shall".
const LABELLED_PERCENT: usize = 10;
const BINDING_PERCENT: usize = 60;
/// With a title that says so, fewer labels, binding words or steps are enough; prose about a protocol has none.
const TITLED_LABELLED_PERCENT: usize = 7;
const TITLED_BINDING_PERCENT: usize = 30;
/// Under the title or file name of requirements a few demands are enough.
const NAMED_PERCENT: usize = 5;
/// A text with one heading at most is a fragment, and its list is what it demands.
const MAX_FRAGMENT_SECTIONS: usize = 2;
/// A text with fewer paragraphs, items and rows is a note.
const MIN_PROSE_UNITS: usize = 6;
/// So many keywords in capitals are a habit.
const MIN_CAPITALS: usize = 3;

/// How the document makes demands.
pub(super) fn register(page: &Page<'_>, rules: &Rules) -> Register {
    let is_text = |unit: &&Unit| {
        unit.is_judged && unit.kind != UnitKind::Heading && unit.cell.is_none_or(|cell| cell.column == 0)
    };
    let (mut all, mut labelled, mut binding, mut numbered, mut in_place) = (0, 0, 0, 0, 0);
    for unit in page.units.iter().filter(is_text) {
        let says = |set: &Set| page.sentences_of(unit).any(|sentence| set.is_in(sentence));
        let has_label = has_label(page, unit);
        all += 1;
        in_place += usize::from(unit.kinds & rules.scope.requirements != 0);
        labelled += usize::from(has_label) + usize::from(says(&rules.story));
        binding += usize::from(says(&rules.binding));
        numbered += usize::from(unit.is_numbered && !has_label);
    }
    let reaches = |count: usize, percent: usize| count * 100 >= all * percent;
    // The steps of a list are half a sign: prose has lists too.
    let demands = labelled + binding + numbered.div_ceil(2);
    let is_fragment = page.sections.len() <= MAX_FRAGMENT_SECTIONS;
    let is_written_so = all > 0
        && reaches(demands, SPECIFICATION_PERCENT)
        && (is_fragment || reaches(labelled, LABELLED_PERCENT) || reaches(binding, BINDING_PERCENT));
    let is_titled_so = reaches(demands, TITLED_PERCENT)
        && (reaches(labelled, TITLED_LABELLED_PERCENT)
            || reaches(binding.max(numbered), TITLED_BINDING_PERCENT))
        && is_titled_specification(page, rules);
    let is_named_so = reaches(demands + in_place, NAMED_PERCENT) && is_named_requirements(page, rules);
    let capitals = page.tokens.iter().filter(|token| is_capital_keyword(page, token)).take(MIN_CAPITALS);
    let style = match () {
        () if !page.keys.is_empty() || is_written_so || is_titled_so || is_named_so => Style::Specification,
        () if all < MIN_PROSE_UNITS => Style::Note,
        () => Style::Prose,
    };
    let is_unjudged = file_name_has(page, &rules.unjudged, rules);
    Register { style, has_capitals: capitals.count() == MIN_CAPITALS, is_unjudged }
}

/// The title says so: "Requirements for …", "Runbook: …".
fn is_titled_specification(page: &Page<'_>, rules: &Rules) -> bool {
    title(page).is_some_and(|unit| rules.specification.is_in(page.tokens_of(unit)))
}

fn title<'p>(page: &'p Page<'_>) -> Option<&'p Unit> {
    let section = page.sections.iter().find(|section| section.level == 1)?;
    page.units.get(section.heading? as usize)
}

/// The title or the name of the file or folder is that of requirements: "Software Requirements Specification",
/// `user-stories.md`.
fn is_named_requirements(page: &Page<'_>, rules: &Rules) -> bool {
    let title = title(page).map_or(&[][..], |unit| page.tokens_of(unit));
    rules.requirements.is_in(title) || file_name_has(page, &rules.requirements, rules)
}

fn file_name_has(page: &Page<'_>, set: &Set, rules: &Rules) -> bool {
    let (folder, name) = page.path.rsplit_once('/').unwrap_or(("", page.path));
    has_name(name.rsplit_once('.').map_or(name, |(stem, _)| stem), set, rules)
        || has_name(folder.rsplit('/').next().unwrap_or_default(), set, rules)
}

fn has_name(name: &str, set: &Set, rules: &Rules) -> bool {
    let name = name.replace(['-', '_', '.'], " ");
    let mut tokens = Vec::new();
    split(&name, 0..name.len(), 0, &rules.words, &mut tokens);
    set.is_in(&tokens)
}

/// The style of the document at this place: what is under "Requirements" is one in any document, apart from paragraphs
/// that demand nothing.
pub(super) fn style_at(page: &Page<'_>, unit: &Unit, rules: &Rules) -> Style {
    let demands = || page.sentences_of(unit).any(|sentence| rules.binding.is_in(sentence));
    let is_requirement = unit.kinds & rules.scope.requirements != 0
        && (unit.kind != UnitKind::Paragraph || unit.list > 0 || demands());
    if is_requirement { Style::Specification } else { page.register.style }
}

fn is_capital_keyword(page: &Page<'_>, token: &Token) -> bool {
    token.has(CAPITAL) && matches!(page.word(token), "MUST" | "SHALL" | "SHOULD" | "MAY" | "REQUIRED")
}

/// The rules of this place read the sentence.
pub(super) fn reads(page: &Page<'_>, unit: &Unit, sentence: &[Token], place: Where, rules: &Rules) -> bool {
    match place {
        // A quotation that begins with a marker is a note of the authors: "> TODO: …".
        Where::Anywhere => {
            let is_text =
                !unit.is_quotation || unit.kind == UnitKind::Field || rules.note.is_in(page.tokens_of(unit));
            is_text && !page.register.is_unjudged
        }
        Where::Text => is_claim(page, unit, sentence, rules),
        Where::Specification => unit.style != Style::Prose && is_claim(page, unit, sentence, rules),
        Where::Duty => is_demand(page, unit, sentence, rules),
    }
}

/// The sentence demands something; in a specification every claim does.
pub(super) fn is_demand(page: &Page<'_>, unit: &Unit, sentence: &[Token], rules: &Rules) -> bool {
    is_claim(page, unit, sentence, rules)
        && !rules.beside.is_in(sentence)
        && (unit.style == Style::Specification || is_stated(page, unit, sentence, rules))
}

/// The sentence demands something by its own words or place.
pub(super) fn is_duty(page: &Page<'_>, unit: &Unit, sentence: &[Token], rules: &Rules) -> bool {
    is_claim(page, unit, sentence, rules)
        && !rules.beside.is_in(sentence)
        && is_stated(page, unit, sentence, rules)
}

/// The verb of a sentence is among so many tokens.
const MAX_NARRATIVE_TOKENS: usize = 16;

/// Judged text that says how things are to be: no question, and no narration of what was or what somebody believes.
fn is_claim(page: &Page<'_>, unit: &Unit, sentence: &[Token], rules: &Rules) -> bool {
    let is_header = unit.cell.is_some_and(|cell| cell.row == 0);
    let is_question = || sentence.iter().rev().take(3).any(|token| page.word(token) == "?");
    // Far after the verb, in "… the titles that were asked for", the past is that of a clause.
    let is_told = || rules.narrative.find(sentence).is_some_and(|(at, _)| at < MAX_NARRATIVE_TOKENS);
    unit.is_judged
        && unit.kind != UnitKind::Heading
        && !is_header
        && !is_question()
        && (!is_told() || rules.binding.is_in(sentence) || rules.story.is_in(sentence))
}

fn is_stated(page: &Page<'_>, unit: &Unit, sentence: &[Token], rules: &Rules) -> bool {
    let Register { style, has_capitals, .. } = page.register;
    let binds = || rules.binding.is_in(sentence);
    let says_so = || match has_capitals {
        // MAY leaves the choice to the reader on purpose.
        true => sentence.iter().any(|token| is_capital_keyword(page, token) && page.word(token) != "MAY"),
        false => style != Style::Prose && binds(),
    };
    // In running prose the paragraphs of such a section argue, and its items and rows demand.
    let is_in_place = unit.kinds & rules.scope.demanding != 0
        && (style != Style::Prose || unit.kind != UnitKind::Paragraph || binds());
    let is_step = || style == Style::Specification && (unit.is_numbered || rules.story.is_in(sentence));
    is_in_place || has_label(page, unit) || is_step() || says_so()
}

fn has_label(page: &Page<'_>, unit: &Unit) -> bool {
    label(page.tokens_of(unit)).is_some() || unit.cell.is_some_and(|cell| has_row_label(page, cell))
}

/// The label that a unit begins with: `FR-1`, `**D210**`, `4.2`.
pub(super) fn label(tokens: &[Token]) -> Option<&Token> {
    // `[HPC-020]` and `(F-1)` as well.
    let in_brackets = tokens.len() > 2 && tokens[0].kind == Kind::Sign && tokens[1].kind == Kind::Id;
    let tokens = if in_brackets { &tokens[1..] } else { tokens };
    let first = tokens.first()?;
    let next = tokens.get(1);
    let is_number = first.kind == Kind::Number && first.end - first.start > 2 && !first.has(STRONG);
    match first.kind {
        Kind::Id
            if first.has(STRONG) || next.is_none_or(|next| next.kind != Kind::Word || next.has(CAPITAL)) =>
        {
            Some(first)
        }
        Kind::Number if is_number && next.is_some_and(|next| next.has(CAPITAL)) => Some(first),
        _ => None,
    }
}

fn has_row_label(page: &Page<'_>, cell: Cell) -> bool {
    let row = page.row(&page.tables[cell.table as usize], cell.row);
    row.first().is_some_and(|unit| page.tokens_of(unit).first().is_some_and(|token| token.kind == Kind::Id))
}
