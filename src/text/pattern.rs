//! Patterns over the words of a sentence: the forms that rules are written in.
//!
//! | written | matches |
//! | --- | --- |
//! | `keep` | the word "keep", in any case |
//! | `keep~` | every word with its stem: "keep", "keeps", "keeping" |
//! | `*ing` | every word that ends so |
//! | `<decide>` | an entry of the family `decide` (each entry is a pattern itself) |
//! | `(a\|b c)` | one of the alternatives |
//! | `x?` `x*` | x, or nothing; x any number of times |
//! | `_` | any one word |
//! | `!even` | any one word or mark but this |
//! | `..3` | up to three words, no mark between them |
//! | `{what}` `{what:4}` | the rest of the sentence; one to four words; both are captured |
//! | `^` `$` | the sentence's start, before or after mentions (`@sam`); its end, marks aside |
//! | `,` `:` `;` `.` `?` `!` `-` | this mark |
//!
//! Words in quotation marks and code match `_`, `..N` and captures only: they are not the writer's.
//! A pattern is compiled once to a small program; matching takes time in the product of its length and the
//! sentence's, whatever the text is.
//!
//! ```
//! use roundtable::text::{Language, Message, pattern::Vocabulary};
//!
//! let language = Language::new("en");
//! let mut words = Vocabulary::new();
//! words.family("drop", &["drop~".into(), "get~ rid of".into()], &language).unwrap();
//! let pattern = words.compile("^ we <drop> {what}", &language).unwrap();
//! let message = Message::new("We got rid of X.", &language);
//! assert!(pattern.find(&words.tokens(&message.sentences[0])).is_none());
//! let message = Message::new("We dropped the old parser.", &language);
//! let found = pattern.find(&words.tokens(&message.sentences[0])).unwrap();
//! assert_eq!(found.captures, [("what".to_owned(), 2..6)]);
//! ```

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;

use super::{Language, Origin, Sentence};
use crate::finding::did_you_mean;

/// A pattern may compile to so many steps.
const MAX_STEPS: usize = 4096;
/// Brackets, and families that use each other, may be nested this deep.
const MAX_DEPTH: usize = 32;

/// The words that patterns name, as numbers, and the families.
#[derive(Default)]
pub struct Vocabulary {
    words: Numbers,
    stems: Numbers,
    suffixes: Vec<String>,
    families: BTreeMap<String, Arc<Family>>,
}

type Numbers = HashMap<String, u32, foldhash::fast::RandomState>;

/// A family's entries, measured once for all patterns that use it.
#[derive(Debug)]
struct Family {
    node: Node,
    size: usize,
    depth: usize,
}

/// A sentence as the numbers of its words.
#[derive(Clone)]
pub struct Tokens {
    tokens: Vec<Token>,
    /// The first that is no mark and no mention ("@sam").
    start: usize,
    /// From here on there are only marks.
    end: usize,
}

#[derive(Clone, Copy)]
struct Token {
    word: u32,
    stem: u32,
    /// A bit for each of the vocabulary's suffixes.
    suffixes: u64,
    is_mark: bool,
    is_own: bool,
}

/// A compiled pattern.
#[derive(Clone, Debug)]
pub struct Pattern {
    steps: Vec<Step>,
    captures: Vec<String>,
    /// The words and stems a match can begin with; none where it can be any.
    first: Option<Set>,
}

/// What a pattern has found, as ranges of the sentence's `words`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    pub range: Range<usize>,
    pub captures: Vec<(String, Range<usize>)>,
}

/// Why a pattern cannot be compiled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Wrong {
    pub message: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Set {
    words: Vec<u32>,
    stems: Vec<u32>,
    suffixes: u64,
}

/// One word, stem or ending.
#[derive(Clone, Copy, Debug)]
enum Form {
    Word(u32),
    Stem(u32),
    /// The bit of a suffix.
    Suffix(u64),
}

#[derive(Clone, Debug)]
enum Node {
    One(Form),
    Set(Arc<Set>),
    Not(Form),
    Family(Arc<Family>),
    AnyWord,
    UpTo(usize),
    Capture(String, Option<usize>),
    Start,
    End,
    Sequence(Vec<Node>),
    Either(Vec<Node>),
    Optional(Box<Node>),
    Repeated(Box<Node>),
}

#[derive(Clone, Debug)]
enum Step {
    One(Form),
    Set(Arc<Set>),
    Not(Form),
    AnyWord,
    /// The rest of the sentence, at least one word.
    Rest,
    Start,
    End,
    Mark(usize),
    /// First the one, then the other.
    Split(usize, usize),
    Jump(usize),
    Done,
}

impl Vocabulary {
    pub fn new() -> Vocabulary {
        Vocabulary::default()
    }

    /// Adds a family, or replaces it. The families it names must be there.
    ///
    /// # Errors
    /// An entry that is no pattern.
    pub fn family(&mut self, name: &str, entries: &[String], language: &Language) -> Result<(), Wrong> {
        let nodes = entries.iter().map(|entry| self.node(entry, language)).collect::<Result<Vec<_>, _>>()?;
        if nodes.is_empty() {
            return Err(Wrong::new("an empty family"));
        }
        let node = either(nodes);
        let (size, depth) = node.measure();
        self.families.insert(name.to_owned(), Arc::new(Family { node, size, depth }));
        Ok(())
    }

    /// Compiles a pattern.
    ///
    /// # Errors
    /// A family that is not there, a bracket that is not closed, a number that is none.
    pub fn compile(&mut self, pattern: &str, language: &Language) -> Result<Pattern, Wrong> {
        let node = self.node(pattern, language)?;
        let mut program = Pattern { steps: Vec::new(), captures: Vec::new(), first: None };
        program.emit(&node);
        program.steps.push(Step::Done);
        let mut first = Set::default();
        program.first = node.first(&mut first).is_some_and(|is_empty| !is_empty).then(|| first.sorted());
        Ok(program)
    }

    /// The numbers of a sentence's words.
    pub fn tokens(&self, sentence: &Sentence<'_>) -> Tokens {
        let number = |known: &Numbers, word: &str| known.get(word).copied().unwrap_or(0);
        let token = |word: &super::Word<'_>| Token {
            word: number(&self.words, &word.lower),
            stem: number(&self.stems, &word.stem),
            suffixes: self.suffixes_of(&word.lower),
            is_mark: word.is_mark,
            is_own: word.origin == Origin::Own,
        };
        let is_word = |word: &super::Word<'_>| !word.is_mark;
        let is_first = |word: &super::Word<'_>| !word.is_mark && !word.lower.starts_with('@');
        let start = sentence.words.iter().position(is_first).unwrap_or(sentence.words.len());
        let end = sentence.words.iter().rposition(is_word).map_or(0, |last| last + 1);
        Tokens { tokens: sentence.words.iter().map(token).collect(), start, end }
    }

    fn node(&mut self, pattern: &str, language: &Language) -> Result<Node, Wrong> {
        let pieces = pieces(pattern);
        if pieces.is_empty() {
            return Err(Wrong::new("an empty pattern"));
        }
        let mut parser = Parser { vocabulary: self, language, pieces: &pieces, at: 0, depth: 0 };
        let node = parser.alternatives()?;
        if let Some(piece) = parser.pieces.get(parser.at) {
            return Err(Wrong::new(format!("\"{piece}\" closes nothing")));
        }
        let (size, depth) = node.measure();
        if size > MAX_STEPS || depth > 2 * MAX_DEPTH {
            return Err(Wrong::new("too large a pattern: its families hold too many forms"));
        }
        Ok(node)
    }
}

impl Wrong {
    fn new(message: impl Into<String>) -> Wrong {
        Wrong { message: message.into() }
    }
}

/// A pattern cut at blanks, brackets and bars; `?` and `*` stay with what is before them.
fn pieces(pattern: &str) -> Vec<&str> {
    let (mut found, mut from, mut in_braces) = (Vec::new(), 0, false);
    let mut chars = pattern.char_indices().peekable();
    while let Some((at, next)) = chars.next() {
        in_braces = if next == '{' { true } else { in_braces && next != '}' };
        let is_end = next.is_whitespace() || matches!(next, '(' | ')' | '|');
        if !is_end || in_braces {
            continue;
        }
        found.extend((from < at).then(|| &pattern[from..at]));
        from = at + next.len_utf8();
        if !next.is_whitespace() {
            let is_quantified = next == ')' && chars.next_if(|(_, next)| matches!(next, '?' | '*')).is_some();
            from += usize::from(is_quantified);
            found.push(&pattern[at..from]);
        }
    }
    found.extend((from < pattern.len()).then(|| &pattern[from..]));
    found
}

struct Parser<'v> {
    vocabulary: &'v mut Vocabulary,
    language: &'v Language,
    pieces: &'v [&'v str],
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn alternatives(&mut self) -> Result<Node, Wrong> {
        let mut all = vec![self.sequence()?];
        while self.pieces.get(self.at).is_some_and(|piece| *piece == "|") {
            self.at += 1;
            all.push(self.sequence()?);
        }
        Ok(alone(all, either))
    }

    fn sequence(&mut self) -> Result<Node, Wrong> {
        let mut nodes = Vec::new();
        while let Some(&piece) = self.pieces.get(self.at) {
            if piece == "|" || piece.starts_with(')') {
                break;
            }
            self.at += 1;
            nodes.push(if piece == "(" { self.group()? } else { self.piece(piece)? });
        }
        if nodes.is_empty() {
            return Err(Wrong::new("an empty alternative; write `x?` for a part that may be missing"));
        }
        Ok(alone(nodes, Node::Sequence))
    }

    fn group(&mut self) -> Result<Node, Wrong> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Wrong::new(format!("brackets are nested more than {MAX_DEPTH} deep")));
        }
        let node = self.alternatives()?;
        self.depth -= 1;
        let end = self.pieces.get(self.at).ok_or_else(|| Wrong::new("a bracket is not closed"))?;
        self.at += 1;
        Ok(quantified(node, end.chars().nth(1)))
    }

    fn piece(&mut self, piece: &str) -> Result<Node, Wrong> {
        let quantifier = piece.chars().last().filter(|last| matches!(last, '?' | '*') && piece.len() > 1);
        let name = &piece[..piece.len() - quantifier.map_or(0, char::len_utf8)];
        Ok(quantified(self.atom(name)?, quantifier))
    }

    fn atom(&mut self, piece: &str) -> Result<Node, Wrong> {
        if let Some(name) = piece.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')) {
            return self.family(name);
        }
        if let Some(name) = piece.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
            let (name, limit) =
                name.split_once(':').map_or((name, None), |(name, limit)| (name, Some(limit)));
            return Ok(Node::Capture(name.trim().to_owned(), limit.map(count).transpose()?));
        }
        if let Some(limit) = piece.strip_prefix("..").filter(|limit| !limit.is_empty()) {
            return Ok(Node::UpTo(count(limit)?));
        }
        if let Some(word) = piece.strip_prefix('!').filter(|word| !word.is_empty()) {
            return Ok(Node::Not(self.vocabulary.form(word, self.language)?));
        }
        Ok(match piece {
            "^" => Node::Start,
            "$" => Node::End,
            "_" => Node::AnyWord,
            _ => Node::One(self.vocabulary.form(piece, self.language)?),
        })
    }

    fn family(&self, name: &str) -> Result<Node, Wrong> {
        let families = &self.vocabulary.families;
        let found = families.get(name).map(|node| Node::Family(Arc::clone(node)));
        found.ok_or_else(|| {
            let known: Vec<&str> = families.keys().map(String::as_str).collect();
            Wrong::new(format!("no family <{name}>{}", did_you_mean(name, &known)))
        })
    }
}

impl Vocabulary {
    fn suffixes_of(&self, word: &str) -> u64 {
        let ends = |suffix: &String| word.len() > suffix.len() && word.ends_with(suffix.as_str());
        let bits = self.suffixes.iter().enumerate().filter(|(_, suffix)| ends(suffix));
        bits.fold(0, |bits, (at, _)| bits | 1 << at)
    }

    /// The bit of a suffix.
    fn suffix(&mut self, suffix: &str) -> Result<u64, Wrong> {
        let known = self.suffixes.iter().position(|known| known == suffix);
        let at = known.unwrap_or(self.suffixes.len());
        if at >= 64 || !suffix.chars().all(char::is_alphabetic) {
            return Err(Wrong::new(format!("\"*{suffix}\" is no ending, or one of more than 64")));
        }
        if known.is_none() {
            self.suffixes.push(suffix.to_owned());
        }
        Ok(1 << at)
    }

    fn form(&mut self, piece: &str, language: &Language) -> Result<Form, Wrong> {
        if let Some(suffix) = piece.strip_prefix('*').filter(|suffix| !suffix.is_empty()) {
            return self.suffix(suffix).map(Form::Suffix);
        }
        let word = piece.strip_suffix('~').unwrap_or(piece);
        let is_word = word.chars().all(|found| found.is_alphanumeric() || "'@._".contains(found));
        let is_mark = [",", ":", ";", ".", "?", "!", "-"].contains(&word);
        if word.is_empty() || !(is_word || is_mark) {
            return Err(Wrong::new(format!("\"{piece}\" is no word, mark or form; write `x-y` as `x y`")));
        }
        let word = word.to_lowercase();
        Ok(match piece.ends_with('~') {
            true => Form::Stem(number(&mut self.stems, &language.stem(&word))),
            false => Form::Word(number(&mut self.words, &word)),
        })
    }
}

/// The number of a word, which is added where it is new. 0 is a word that no pattern names.
fn number(known: &mut Numbers, word: &str) -> u32 {
    known.get(word).copied().unwrap_or_else(|| {
        let next = u32::try_from(known.len() + 1).unwrap_or(u32::MAX);
        known.insert(word.to_owned(), next);
        next
    })
}

fn count(text: &str) -> Result<usize, Wrong> {
    let number = text.trim().parse().ok().filter(|number| (1..=20).contains(number));
    number.ok_or_else(|| Wrong::new(format!("\"{text}\" is no number of words from 1 to 20")))
}

fn quantified(node: Node, quantifier: Option<char>) -> Node {
    match quantifier {
        Some('?') => Node::Optional(Box::new(node)),
        Some('*') => Node::Repeated(Box::new(node)),
        _ => node,
    }
}

/// One of the nodes; single words become one set, the others keep their order before it.
fn either(nodes: Vec<Node>) -> Node {
    let (mut set, mut others) = (Set::default(), Vec::new());
    for node in nodes {
        match node {
            Node::One(form) => set.add(form),
            Node::Set(found) => set.extend(&found),
            other => others.push(other),
        }
    }
    if set != Set::default() {
        others.push(Node::Set(Arc::new(set.sorted())));
    }
    alone(others, Node::Either)
}

/// The only one of some nodes, else what all of them make.
fn alone(mut nodes: Vec<Node>, all: fn(Vec<Node>) -> Node) -> Node {
    match nodes.pop() {
        Some(only) if nodes.is_empty() => only,
        last => {
            nodes.extend(last);
            all(nodes)
        }
    }
}

impl Set {
    fn add(&mut self, form: Form) {
        match form {
            Form::Word(word) => self.words.push(word),
            Form::Stem(stem) => self.stems.push(stem),
            Form::Suffix(bit) => self.suffixes |= bit,
        }
    }

    fn extend(&mut self, other: &Set) {
        self.words.extend(&other.words);
        self.stems.extend(&other.stems);
        self.suffixes |= other.suffixes;
    }

    fn sorted(mut self) -> Set {
        for numbers in [&mut self.words, &mut self.stems] {
            numbers.sort_unstable();
            numbers.dedup();
        }
        self
    }

    fn has(&self, token: Token) -> bool {
        let known = |numbers: &[u32], number| number != 0 && numbers.binary_search(&number).is_ok();
        let is_known = known(&self.words, token.word) || known(&self.stems, token.stem);
        token.is_own && (is_known || self.suffixes & token.suffixes != 0)
    }
}

impl Form {
    fn is(self, token: Token) -> bool {
        let is = match self {
            Form::Word(word) => word == token.word,
            Form::Stem(stem) => stem == token.stem,
            Form::Suffix(bit) => bit & token.suffixes != 0,
        };
        is && token.is_own
    }
}

impl Node {
    /// How many nodes it is made of, and how deep they are nested.
    fn measure(&self) -> (usize, usize) {
        let (size, depth) = match self {
            Node::Sequence(nodes) | Node::Either(nodes) => {
                nodes.iter().map(Node::measure).fold((0, 0), |sum, one| (sum.0 + one.0, sum.1.max(one.1)))
            }
            Node::Optional(node) | Node::Repeated(node) => node.measure(),
            Node::Family(family) => (family.size, family.depth),
            _ => (0, 0),
        };
        (size + 1, depth + 1)
    }

    /// Collects what a match can begin with; then whether it can be empty. None: anything.
    fn first(&self, set: &mut Set) -> Option<bool> {
        match self {
            Node::One(form) => {
                set.add(*form);
                Some(false)
            }
            Node::Set(own) => {
                set.extend(own);
                Some(false)
            }
            Node::Start | Node::End => Some(true),
            Node::Not(_) | Node::AnyWord | Node::UpTo(_) | Node::Capture(..) => None,
            Node::Optional(node) | Node::Repeated(node) => node.first(set).map(|_| true),
            Node::Family(family) => family.node.first(set),
            Node::Either(nodes) => {
                let mut can_be_empty = false;
                for node in nodes {
                    can_be_empty |= node.first(set)?;
                }
                Some(can_be_empty)
            }
            Node::Sequence(nodes) => {
                for node in nodes {
                    if !node.first(set)? {
                        return Some(false);
                    }
                }
                Some(true)
            }
        }
    }
}

impl Pattern {
    fn emit(&mut self, node: &Node) {
        match node {
            Node::One(form) => self.steps.push(Step::One(*form)),
            Node::Set(set) => self.steps.push(Step::Set(Arc::clone(set))),
            Node::Not(form) => self.steps.push(Step::Not(*form)),
            Node::Family(family) => self.emit(&family.node),
            Node::AnyWord => self.steps.push(Step::AnyWord),
            Node::Start => self.steps.push(Step::Start),
            Node::End => self.steps.push(Step::End),
            Node::UpTo(limit) => self.up_to(*limit),
            Node::Capture(name, limit) => self.capture(name, *limit),
            Node::Sequence(nodes) => nodes.iter().for_each(|node| self.emit(node)),
            Node::Either(nodes) => self.either(nodes),
            Node::Optional(node) => {
                let split = self.split();
                self.emit(node);
                self.steps[split] = Step::Split(split + 1, self.steps.len());
            }
            Node::Repeated(node) => {
                let split = self.split();
                self.emit(node);
                self.steps.push(Step::Jump(split));
                self.steps[split] = Step::Split(split + 1, self.steps.len());
            }
        }
    }

    /// A split whose ways are filled in later.
    fn split(&mut self) -> usize {
        self.steps.push(Step::Split(0, 0));
        self.steps.len() - 1
    }

    fn either(&mut self, nodes: &[Node]) {
        let mut ends = Vec::new();
        for (at, node) in nodes.iter().enumerate() {
            let split = (at + 1 < nodes.len()).then(|| self.split());
            self.emit(node);
            if let Some(split) = split {
                ends.push(self.steps.len());
                self.steps.push(Step::Jump(0));
                self.steps[split] = Step::Split(split + 1, self.steps.len());
            }
        }
        let end = self.steps.len();
        ends.into_iter().for_each(|at| self.steps[at] = Step::Jump(end));
    }

    /// As few words as will do, up to a limit.
    fn up_to(&mut self, limit: usize) {
        let end = self.steps.len() + 2 * limit;
        for _ in 0..limit {
            self.steps.push(Step::Split(end, self.steps.len() + 1));
            self.steps.push(Step::AnyWord);
        }
    }

    fn capture(&mut self, name: &str, limit: Option<usize>) {
        let slot = 2 * self.captures.len();
        self.captures.push(name.to_owned());
        self.steps.push(Step::Mark(slot));
        match limit {
            None => self.steps.push(Step::Rest),
            Some(limit) => {
                self.steps.push(Step::AnyWord);
                self.up_to(limit - 1);
            }
        }
        self.steps.push(Step::Mark(slot + 1));
    }

    /// The first match in a sentence.
    pub fn find(&self, tokens: &Tokens) -> Option<Match> {
        let places = tokens.tokens.len() + 1;
        let mut starts = (0..places).filter(|&at| match (&self.first, tokens.tokens.get(at)) {
            (Some(first), Some(token)) => first.has(*token),
            (Some(_), None) => false,
            (None, _) => true,
        });
        let first = starts.next()?;
        // A state that failed once fails from every start.
        let mut failed = Failed::new(self.steps.len(), places);
        std::iter::once(first).chain(starts).find_map(|start| self.run(tokens, start, &mut failed))
    }

    fn run(&self, tokens: &Tokens, start: usize, failed: &mut Failed) -> Option<Match> {
        let mut slots = vec![0; 2 * self.captures.len()];
        // Ways not tried yet: where to go on, or a slot to set back.
        let mut ways = vec![Way::Go(0, start)];
        while let Some(way) = ways.pop() {
            let (mut step, mut at) = match way {
                Way::Go(step, at) => (step, at),
                Way::Reset(slot, value) => {
                    slots[slot] = value;
                    continue;
                }
            };
            while failed.insert(step, at) {
                let token = tokens.tokens.get(at).copied();
                let passes = match &self.steps[step] {
                    Step::One(form) => token.is_some_and(|token| form.is(token)),
                    Step::Set(set) => token.is_some_and(|token| set.has(token)),
                    Step::Not(form) => token.is_some_and(|token| !form.is(token)),
                    Step::AnyWord => token.is_some_and(|token| !token.is_mark),
                    Step::Rest => token.is_some(),
                    Step::Start => at <= tokens.start,
                    Step::End => at >= tokens.end,
                    _ => true,
                };
                if !passes {
                    break;
                }
                (step, at) = match self.steps[step] {
                    Step::One(_) | Step::Set(_) | Step::Not(_) | Step::AnyWord => (step + 1, at + 1),
                    Step::Rest => (step + 1, tokens.tokens.len()),
                    Step::Split(first, second) => {
                        ways.push(Way::Go(second, at));
                        (first, at)
                    }
                    Step::Mark(slot) => {
                        ways.push(Way::Reset(slot, slots[slot]));
                        slots[slot] = at;
                        (step + 1, at)
                    }
                    Step::Jump(to) => (to, at),
                    Step::Start | Step::End => (step + 1, at),
                    Step::Done => return Some(self.found(start..at, &slots)),
                };
            }
        }
        None
    }

    fn found(&self, range: Range<usize>, slots: &[usize]) -> Match {
        let spans = slots.chunks(2).map(|pair| pair[0]..pair[1]);
        let captures = self.captures.iter().cloned().zip(spans).filter(|(_, span)| !span.is_empty());
        Match { range, captures: captures.collect() }
    }
}

enum Way {
    Go(usize, usize),
    Reset(usize, usize),
}

impl Tokens {
    /// The same, with some words no longer the writer's: they match slots and captures only.
    pub fn without(mut self, range: Range<usize>) -> Tokens {
        self.tokens.get_mut(range).into_iter().flatten().for_each(|token| token.is_own = false);
        self
    }
}

/// Which pairs of a step and a place were tried: a bit each.
struct Failed {
    bits: Vec<u64>,
    places: usize,
}

impl Failed {
    fn new(steps: usize, places: usize) -> Failed {
        Failed { bits: vec![0; (steps * places).div_ceil(64)], places }
    }

    /// Notes a pair; was it new?
    fn insert(&mut self, step: usize, at: usize) -> bool {
        let number = step * self.places + at;
        let (word, bit) = (&mut self.bits[number / 64], 1 << (number % 64));
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }
}
