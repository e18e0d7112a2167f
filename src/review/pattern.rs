//! Phrases of rules, matched against the tokens of a sentence.
//!
//! A phrase is words with white space between them: `word`, `one|two`, `log~` (all forms of a word), `@list` (a
//! list of `words.yaml`), `word?` (may be left out), `_` (any token), `_3` (up to three), `#` (a number), `ID`,
//! `CODE`, `CAP` (a word with a capital), `<` and `>` (start and end of the sentence), `___` (a blank to fill in),
//! `<...>` (a text such as `<name of the owner>`), and signs such as `,`.
//!
//! Invariant: matching reads a bounded number of tokens for each start, so a page takes linear time.
//! `(must|shall) _3 soon` matches "must be changed very soon".

use std::collections::BTreeMap;

use super::token::{CAPITAL, Kind, QUOTED, Token, Vocabulary};

/// A compiled phrase.
#[derive(Clone, Debug)]
pub struct Phrase {
    atoms: Vec<Atom>,
}

#[derive(Clone, Debug)]
enum Atom {
    /// Any of these words, sorted.
    Words(Vec<u32>),
    Number,
    Id,
    Code,
    Capital,
    /// Up to so many tokens.
    Gap(usize),
    /// Exactly one token.
    Any,
    /// One of these sequences.
    OneOf(Vec<Vec<Atom>>),
    Maybe(Vec<Atom>),
    Start,
    End,
}

/// Where a phrase may begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum First {
    Words(Vec<u32>),
    Number,
    Id,
    Code,
    /// Anything, as `CAP`.
    Any,
}

/// Lists of words by name, as `words.yaml` has them.
pub type Lists = BTreeMap<String, Vec<String>>;

/// A gap is at most this many tokens.
const MAX_GAP: usize = 40;
/// Lists may name lists so deep.
const MAX_DEPTH: usize = 4;

impl Phrase {
    /// Compiles a phrase.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    fn compile(text: &str, compiler: &mut Compiler<'_>) -> Result<Phrase, String> {
        let atoms = compiler.sequence(text, 0)?;
        match atoms.iter().find(|atom| !matches!(atom, Atom::Start)) {
            None => Err("the phrase is empty".to_owned()),
            Some(Atom::Gap(_) | Atom::Any) => Err(format!("the phrase \"{text}\" must begin with a word")),
            Some(_) => Ok(Phrase { atoms }),
        }
    }

    /// What a match begins with.
    fn first(&self) -> First {
        let (mut words, mut kinds) = (Vec::new(), Vec::new());
        for atom in self.atoms.iter().filter(|atom| !matches!(atom, Atom::Start)) {
            firsts(atom, &mut words, &mut kinds);
            if !matches!(atom, Atom::Maybe(_)) {
                break;
            }
        }
        match kinds.first() {
            Some(kind) if words.is_empty() && kinds.len() == 1 => kind.clone(),
            Some(_) => First::Any,
            None => First::Words(words),
        }
    }

    /// The end of a match in `tokens`, a whole sentence, that begins at `at`.
    pub fn matches(&self, tokens: &[Token], at: usize) -> Option<usize> {
        walk(&self.atoms, None, tokens, at)
    }
}

/// A match may begin at this token.
fn begins(first: &First, token: &Token) -> bool {
    match first {
        First::Words(words) => words.binary_search(&token.word).is_ok(),
        First::Number => token.kind == Kind::Number,
        First::Id => token.kind == Kind::Id,
        First::Code => token.kind == Kind::Code,
        First::Any => true,
    }
}

fn firsts(atom: &Atom, words: &mut Vec<u32>, kinds: &mut Vec<First>) {
    match atom {
        Atom::Words(found) => {
            words.extend(found);
            words.sort_unstable();
        }
        Atom::Number => kinds.push(First::Number),
        Atom::Id => kinds.push(First::Id),
        Atom::Code => kinds.push(First::Code),
        Atom::Maybe(atoms) => atoms.iter().take(1).for_each(|atom| firsts(atom, words, kinds)),
        Atom::OneOf(all) => {
            all.iter().filter_map(|atoms| atoms.first()).for_each(|atom| firsts(atom, words, kinds))
        }
        _ => kinds.push(First::Any),
    }
}

/// What is to be matched after a sequence.
struct Rest<'a> {
    atoms: &'a [Atom],
    next: Option<&'a Rest<'a>>,
}

/// Matches a sequence and what comes after it; the end of the match.
fn walk(atoms: &[Atom], rest: Option<&Rest<'_>>, tokens: &[Token], at: usize) -> Option<usize> {
    let Some((atom, atoms)) = atoms.split_first() else {
        return match rest {
            None => Some(at),
            Some(rest) => walk(rest.atoms, rest.next, tokens, at),
        };
    };
    let after = Rest { atoms, next: rest };
    let goes_on = |is: bool, next: usize| if is { walk(atoms, rest, tokens, next) } else { None };
    match atom {
        Atom::OneOf(all) => all.iter().find_map(|one| walk(one, Some(&after), tokens, at)),
        Atom::Maybe(one) => walk(one, Some(&after), tokens, at).or_else(|| goes_on(true, at)),
        Atom::Gap(most) => (0..=*most)
            .take_while(|skipped| at + skipped <= tokens.len())
            .find_map(|skipped| goes_on(true, at + skipped)),
        Atom::Start => goes_on(is_start(tokens, at), at),
        Atom::End => goes_on(is_end(tokens, at), at),
        single => goes_on(tokens.get(at).is_some_and(|token| is_one(single, token)), at + 1),
    }
}

/// The atom is this token.
fn is_one(atom: &Atom, token: &Token) -> bool {
    match atom {
        Atom::Words(words) => words.binary_search(&token.word).is_ok(),
        Atom::Number => token.kind == Kind::Number,
        Atom::Id => token.kind == Kind::Id,
        Atom::Code => token.kind == Kind::Code,
        Atom::Capital => token.has(CAPITAL),
        Atom::Any => true,
        Atom::Gap(_) | Atom::OneOf(_) | Atom::Maybe(_) | Atom::Start | Atom::End => false,
    }
}

/// Nothing but a label and signs is before this place: `**F-01.** The …`.
fn is_start(tokens: &[Token], at: usize) -> bool {
    at <= 4 && tokens[..at].iter().all(|token| matches!(token.kind, Kind::Sign | Kind::Id | Kind::Number))
}

/// Nothing but signs is after this place.
fn is_end(tokens: &[Token], at: usize) -> bool {
    tokens.get(at..).is_some_and(|rest| rest.iter().take(4).all(|token| token.kind == Kind::Sign))
        && tokens.len() <= at + 4
}

/// Compiles phrases; each list is compiled once.
pub struct Compiler<'l> {
    lists: &'l Lists,
    pub words: Vocabulary,
    known: BTreeMap<&'l str, Alternatives>,
}

/// Words, and sequences of more than a word.
#[derive(Clone, Default)]
struct Alternatives {
    single: Vec<u32>,
    longer: Vec<Vec<Atom>>,
}

impl<'l> Compiler<'l> {
    pub fn new(lists: &'l Lists) -> Compiler<'l> {
        Compiler { lists, words: Vocabulary::default(), known: BTreeMap::new() }
    }

    /// The set of a list; an empty one where there is none of this name.
    ///
    /// # Errors
    /// What is wrong with a phrase.
    pub fn list(&mut self, name: &str) -> Result<Set, String> {
        let texts: &'l [String] = self.lists.get(name).map_or(&[], Vec::as_slice);
        self.set(texts)
    }

    /// # Errors
    /// What is wrong with a phrase.
    pub fn set(&mut self, texts: &[String]) -> Result<Set, String> {
        let phrases = texts.iter().map(|text| Phrase::compile(text, self));
        Ok(Set::of(phrases.collect::<Result<_, _>>()?))
    }

    fn sequence(&mut self, text: &str, depth: usize) -> Result<Vec<Atom>, String> {
        if depth > MAX_DEPTH {
            return Err(format!("lists name each other without end at \"{text}\""));
        }
        let mut atoms = Vec::new();
        for piece in text.split_whitespace() {
            let (piece, may_miss) = match piece.strip_suffix('?') {
                Some(stem) if !stem.is_empty() => (stem, true),
                _ => (piece, false),
            };
            if piece == "___" {
                let blank = Atom::Words(vec![self.words.add("_")]);
                atoms.extend([blank.clone(), blank.clone(), blank]);
                continue;
            }
            let atom = self.atom(piece, depth)?;
            atoms.push(if may_miss { Atom::Maybe(vec![atom]) } else { atom });
        }
        Ok(atoms)
    }

    fn atom(&mut self, piece: &str, depth: usize) -> Result<Atom, String> {
        Ok(match piece {
            "#" => Atom::Number,
            "ID" => Atom::Id,
            "CODE" => Atom::Code,
            "CAP" => Atom::Capital,
            "_" => Atom::Any,
            "<" => Atom::Start,
            ">" => Atom::End,
            "..." => Atom::Gap(MAX_GAP),
            _ => match piece.strip_prefix('_').map(str::parse) {
                Some(Ok(most)) if most <= MAX_GAP => Atom::Gap(most),
                Some(_) => return Err(format!("\"{piece}\" is no gap; write _1 to _{MAX_GAP}")),
                None => self.alternatives(piece, depth)?,
            },
        })
    }

    /// `one|two~|@list`.
    fn alternatives(&mut self, piece: &str, depth: usize) -> Result<Atom, String> {
        let mut all = Alternatives::default();
        let parts: Vec<&str> = if piece == "|" { vec![piece] } else { piece.split('|').collect() };
        for part in parts {
            if matches!(part, "<" | ">") {
                return Err(format!("\"{piece}\": an end of the sentence is no word; write a phrase for it"));
            }
            if let Some(name) = part.strip_prefix('@') {
                all.extend(self.known_list(name, depth)?);
            } else if matches!(part, "#" | "ID" | "CODE" | "CAP") {
                all.longer.push(vec![self.atom(part, depth)?]);
            } else {
                self.forms(part, &mut all.single)?;
            }
        }
        let Alternatives { mut single, mut longer } = all;
        single.sort_unstable();
        single.dedup();
        if longer.is_empty() {
            return Ok(Atom::Words(single));
        }
        if !single.is_empty() {
            longer.push(vec![Atom::Words(single)]);
        }
        Ok(Atom::OneOf(longer))
    }

    fn known_list(&mut self, name: &str, depth: usize) -> Result<&Alternatives, String> {
        let found = self.lists.get_key_value(name);
        let (name, list) = found.ok_or_else(|| format!("there is no list \"{name}\" in words.yaml"))?;
        if !self.known.contains_key(name.as_str()) {
            let mut all = Alternatives::default();
            for entry in list {
                if entry.chars().all(|found| found.is_lowercase() || "-'~".contains(found)) {
                    self.forms(entry, &mut all.single)?;
                } else {
                    all.longer.push(self.sequence(entry, depth + 1)?);
                }
            }
            self.known.insert(name, all);
        }
        Ok(&self.known[name.as_str()])
    }

    /// The numbers of a word, or of all forms of `word~`.
    fn forms(&mut self, word: &str, out: &mut Vec<u32>) -> Result<(), String> {
        if word.is_empty() {
            return Err("a word is missing beside \"|\"".to_owned());
        }
        let lower = word.to_lowercase();
        match lower.strip_suffix('~') {
            None => out.push(self.words.add(&lower)),
            Some(base) => out.extend(inflected(base).iter().map(|form| self.words.add(form))),
        }
        Ok(())
    }
}

impl Alternatives {
    fn extend(&mut self, other: &Alternatives) {
        self.single.extend(&other.single);
        self.longer.extend_from_slice(&other.longer);
    }
}

/// The forms of a regular verb or noun; some that nobody writes do no harm.
fn inflected(base: &str) -> Vec<String> {
    let mut all = vec![base.to_owned(), format!("{base}s")];
    if let Some(stem) = base.strip_suffix('e') {
        all.extend([format!("{base}d"), format!("{stem}ing")]);
    } else if let Some(stem) = base.strip_suffix('y') {
        all.extend([format!("{stem}ies"), format!("{stem}ied"), format!("{base}ed"), format!("{base}ing")]);
    } else {
        let last = base.chars().last().unwrap_or('x');
        all.extend([format!("{base}es"), format!("{base}ed"), format!("{base}ing")]);
        all.extend([format!("{base}{last}ed"), format!("{base}{last}ing")]);
    }
    all
}

/// Phrases that are looked for together.
#[derive(Clone, Debug, Default)]
pub struct Set {
    phrases: Vec<Phrase>,
    /// First word and phrase, sorted.
    by_word: Vec<(u32, u32)>,
    /// A bit for each word that a phrase begins with: most words begin none.
    starts: Vec<u64>,
    /// Phrases that begin with no word.
    others: Vec<(First, u32)>,
}

impl Set {
    fn of(phrases: Vec<Phrase>) -> Set {
        let mut set = Set { phrases, ..Set::default() };
        for (at, phrase) in (0..).zip(&set.phrases) {
            match phrase.first() {
                First::Words(found) => set.by_word.extend(found.iter().map(|word| (*word, at))),
                other => set.others.push((other, at)),
            }
        }
        set.by_word.sort_unstable();
        let last = set.by_word.last().map_or(0, |(word, _)| *word as usize);
        set.starts = vec![0; last / 64 + 1];
        set.by_word.iter().for_each(|(word, _)| set.starts[*word as usize / 64] |= 1 << (word % 64));
        set
    }

    pub fn is_empty(&self) -> bool {
        self.phrases.is_empty()
    }

    /// What the phrases begin with, each with its number.
    pub fn firsts(&self) -> impl Iterator<Item = (First, u32)> {
        let words = self.by_word.iter().map(|(word, at)| (First::Words(vec![*word]), *at));
        words.chain(self.others.iter().cloned())
    }

    /// The end of a match of one phrase that begins at `at`.
    pub fn matches(&self, phrase: u32, tokens: &[Token], at: usize) -> Option<usize> {
        self.phrases[phrase as usize].matches(tokens, at)
    }

    /// Whether a phrase can begin at this token; one in quotation marks begins none.
    fn may_begin(&self, token: &Token) -> bool {
        let word = token.word as usize;
        let is_start = self.starts.get(word / 64).is_some_and(|bits| bits >> (word % 64) & 1 == 1);
        (is_start || !self.others.is_empty()) && !token.has(QUOTED)
    }

    /// The longest match that begins at `at`.
    pub fn at(&self, tokens: &[Token], at: usize) -> Option<usize> {
        self.longest(tokens, at).map(|(end, _)| end)
    }

    /// The end of the longest match that begins at `at`, and the number of its phrase.
    pub fn longest(&self, tokens: &[Token], at: usize) -> Option<(usize, u32)> {
        let token = tokens.get(at).filter(|token| self.may_begin(token))?;
        let from = self.by_word.partition_point(|(word, _)| *word < token.word);
        let words = self.by_word[from..].iter().take_while(|(word, _)| *word == token.word && *word > 0);
        let others = self.others.iter().filter(|(first, _)| begins(first, token));
        let all = words.map(|(_, phrase)| phrase).chain(others.map(|(_, phrase)| phrase));
        all.filter_map(|phrase| Some((self.matches(*phrase, tokens, at)?, *phrase))).max()
    }

    /// The first match outside of quotation marks.
    pub fn find(&self, tokens: &[Token]) -> Option<(usize, usize)> {
        (0..tokens.len()).find_map(|at| self.at(tokens, at).map(|end| (at, end)))
    }

    pub fn is_in(&self, tokens: &[Token]) -> bool {
        self.find(tokens).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::token::split;

    fn found(phrase: &str, text: &str) -> Option<String> {
        let lists = Lists::from([("modal".to_owned(), vec!["must".to_owned(), "has to".to_owned()])]);
        let mut compiler = Compiler::new(&lists);
        let phrase = compiler.set(&[phrase.to_owned()]).unwrap();
        let mut tokens = Vec::new();
        split(text, 0..text.len(), 0, &compiler.words, &mut tokens);
        let (from, to) = phrase.find(&tokens)?;
        Some(text[tokens[from].start as usize..tokens[to - 1].end as usize].to_owned())
    }

    #[test]
    fn phrases_match_words_lists_gaps_and_ends() {
        let text = "F-01. It has to be changed within 30 days, or stop.";
        assert_eq!(found("@modal _3 changed", text).as_deref(), Some("has to be changed"));
        assert_eq!(found("change~", text).as_deref(), Some("changed"));
        assert_eq!(found("within # day|days ,", text).as_deref(), Some("within 30 days,"));
        assert_eq!(found("< it has", text).as_deref(), Some("It has"));
        assert_eq!(found("stop >", text).as_deref(), Some("stop"));
        assert_eq!(found("days >", text), None);
        assert_eq!(found("be really? changed", text).as_deref(), Some("be changed"));
        assert_eq!(found("ID", text).as_deref(), Some("F-01"));
    }

    #[test]
    fn a_phrase_that_cannot_match_is_refused() {
        for text in ["", "_3 word", "@nothing", "_99 x", "a| b", "a ,|>"] {
            assert!(Compiler::new(&Lists::new()).set(&[text.to_owned()]).is_err(), "{text}");
        }
    }
}
