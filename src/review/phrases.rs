//! Phrases of rules as numbers: what the build makes of the built-in rules, and a run of a repository's own.
//!
//! A phrase is words with white space between them: `word`, `one|two`, `log~` (all forms of a word), `@list` (a
//! list of `words.yaml`), `word?` (may be left out), `_` (any token), `_3` (up to three), `#` (a number), `ID`,
//! `CODE`, `CAP` (a word with a capital), `<` and `>` (start and end of the sentence), `___` (a blank to fill in),
//! `<...>` (a text such as `<name of the owner>`), and signs such as `,`. `(must|shall) _3 soon` matches "must be
//! changed very soon".
//!
//! Invariant: this file uses no other of the program, because the build script is made of it too.

use std::collections::BTreeMap;

/// Lists of words by name, as `words.yaml` has them.
pub type Lists = BTreeMap<String, Vec<String>>;

/// A gap is at most this many tokens.
pub const MAX_GAP: usize = 40;
/// Lists may name lists so deep.
const MAX_DEPTH: usize = 4;

/// Atoms without a body.
pub const NUMBER: u16 = 0;
pub const ID: u16 = 1;
pub const CODE: u16 = 2;
pub const CAPITAL: u16 = 3;
/// Exactly one token.
pub const ANY: u16 = 4;
pub const START: u16 = 5;
pub const END: u16 = 6;
/// Up to so many tokens as are added to it.
pub const GAP: u16 = 64;
/// Atoms with a body; its length is added. Words: their numbers, sorted.
pub const WORDS: u16 = 1 << 14;
/// One of some sequences, each after its length.
pub const ONE_OF: u16 = 2 << 14;
/// A sequence that may be left out.
pub const MAYBE: u16 = 3 << 14;
/// The bits of a body's length.
pub const BODY: u16 = (1 << 14) - 1;

/// Compiles phrases; each list is compiled once.
pub struct Compiler<'l> {
    lists: &'l Lists,
    /// The words that phrases name, numbered from 1.
    words: BTreeMap<String, u16>,
    known: BTreeMap<&'l str, Alternatives>,
}

/// Words, and sequences of more than a word.
#[derive(Clone, Default)]
struct Alternatives {
    single: Vec<u16>,
    longer: Vec<Vec<u16>>,
}

impl<'l> Compiler<'l> {
    /// With words that have numbers already.
    pub fn new<'w>(lists: &'l Lists, words: impl Iterator<Item = &'w str>) -> Compiler<'l> {
        let mut compiler = Compiler { lists, words: BTreeMap::new(), known: BTreeMap::new() };
        compiler.words.extend(words.zip(1..).map(|(word, number)| (word.to_owned(), number)));
        compiler
    }

    /// All words in the order of their numbers.
    pub fn words(self) -> Vec<String> {
        let mut words = vec![String::new(); self.words.len()];
        self.words.into_iter().for_each(|(word, number)| words[usize::from(number) - 1] = word);
        words
    }

    /// Phrases that are looked for together: how many there are, where each ends, and their atoms.
    ///
    /// # Errors
    /// What is wrong with a phrase.
    pub fn set(&mut self, texts: &[String]) -> Result<Vec<u16>, String> {
        let (mut ends, mut code) = (Vec::new(), Vec::new());
        for text in texts {
            code.extend(self.phrase(text)?);
            ends.push(small(code.len())?);
        }
        let mut all = vec![small(ends.len())?];
        all.extend(ends);
        all.extend(code);
        Ok(all)
    }

    fn phrase(&mut self, text: &str) -> Result<Vec<u16>, String> {
        let code = self.sequence(text, 0)?;
        match code.iter().find(|atom| **atom != START) {
            None => Err("the phrase is empty".to_owned()),
            Some(&(ANY | GAP..WORDS)) => Err(format!("the phrase \"{text}\" must begin with a word")),
            Some(_) => Ok(code),
        }
    }

    fn sequence(&mut self, text: &str, depth: usize) -> Result<Vec<u16>, String> {
        if depth > MAX_DEPTH {
            return Err(format!("lists name each other without end at \"{text}\""));
        }
        let mut code = Vec::new();
        for piece in text.split_whitespace() {
            let (piece, may_miss) = match piece.strip_suffix('?') {
                Some(stem) if !stem.is_empty() => (stem, true),
                _ => (piece, false),
            };
            if piece == "___" {
                let blank = self.add("_")?;
                code.extend([WORDS + 1, blank].repeat(3));
                continue;
            }
            let atom = self.atom(piece, depth)?;
            code.extend(if may_miss { with_body(MAYBE, atom)? } else { atom });
        }
        Ok(code)
    }

    fn atom(&mut self, piece: &str, depth: usize) -> Result<Vec<u16>, String> {
        let simple = match piece {
            "#" => NUMBER,
            "ID" => ID,
            "CODE" => CODE,
            "CAP" => CAPITAL,
            "_" => ANY,
            "<" => START,
            ">" => END,
            "..." => GAP + MAX_GAP as u16,
            _ => match piece.strip_prefix('_').map(str::parse::<u16>) {
                Some(Ok(most)) if usize::from(most) <= MAX_GAP => GAP + most,
                Some(_) => return Err(format!("\"{piece}\" is no gap; write _1 to _{MAX_GAP}")),
                None => return self.alternatives(piece, depth),
            },
        };
        Ok(vec![simple])
    }

    /// `one|two~|@list`.
    fn alternatives(&mut self, piece: &str, depth: usize) -> Result<Vec<u16>, String> {
        let mut all = Alternatives::default();
        let parts: Vec<&str> = if piece == "|" { vec![piece] } else { piece.split('|').collect() };
        for part in parts {
            if matches!(part, "<" | ">") {
                return Err(format!("\"{piece}\": an end of the sentence is no word; write a phrase for it"));
            }
            if let Some(name) = part.strip_prefix('@') {
                let list = self.list(name, depth)?;
                all.single.extend(&list.single);
                all.longer.extend_from_slice(&list.longer);
            } else if matches!(part, "#" | "ID" | "CODE" | "CAP") {
                all.longer.push(self.atom(part, depth)?);
            } else {
                self.forms(part, &mut all.single)?;
            }
        }
        let Alternatives { single, longer } = all;
        let mut words: Vec<u32> = single.into_iter().map(u32::from).collect();
        words.sort_unstable();
        words.dedup();
        let words = with_body(WORDS, words.into_iter().map(|word| word as u16).collect())?;
        if longer.is_empty() {
            return Ok(words);
        }
        let words = (words.len() > 1).then_some(words);
        let mut code = Vec::new();
        for sequence in longer.into_iter().chain(words) {
            code.push(small(sequence.len())?);
            code.extend(sequence);
        }
        with_body(ONE_OF, code)
    }

    fn list(&mut self, name: &str, depth: usize) -> Result<&Alternatives, String> {
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
    fn forms(&mut self, word: &str, out: &mut Vec<u16>) -> Result<(), String> {
        if word.is_empty() {
            return Err("a word is missing beside \"|\"".to_owned());
        }
        let lower = word.to_lowercase();
        match lower.strip_suffix('~') {
            None => out.push(self.add(&lower)?),
            Some(base) => {
                for form in inflected(base) {
                    out.push(self.add(&form)?);
                }
            }
        }
        Ok(())
    }

    /// The number of a word, which is added where it is new.
    fn add(&mut self, word: &str) -> Result<u16, String> {
        if let Some(number) = self.words.get(word) {
            return Ok(*number);
        }
        let next = small(self.words.len() + 1)?;
        self.words.insert(word.to_owned(), next);
        Ok(next)
    }
}

/// # Errors
/// The number is too large.
fn small(number: usize) -> Result<u16, String> {
    u16::try_from(number).map_err(|_| "the phrases have too many words; take some out".to_owned())
}

fn with_body(kind: u16, body: Vec<u16>) -> Result<Vec<u16>, String> {
    let length = small(body.len())?;
    if length > BODY {
        return small(usize::MAX).map(|_| Vec::new());
    }
    let mut code = Vec::with_capacity(body.len() + 1);
    code.push(kind + length);
    code.extend(body);
    Ok(code)
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

/// An atom with its body, and what follows it.
#[inline]
pub fn next_atom(code: &[u16]) -> Option<(u16, &[u16], &[u16])> {
    let (&head, rest) = code.split_first()?;
    if head < WORDS {
        return Some((head, &[], rest));
    }
    let (body, rest) = rest.split_at_checked(usize::from(head & BODY))?;
    Some((head & !BODY, body, rest))
}

/// The sequences of [`ONE_OF`].
#[inline]
pub fn sequences(mut body: &[u16]) -> impl Iterator<Item = &[u16]> {
    std::iter::from_fn(move || {
        let (length, rest) = body.split_first()?;
        let (sequence, rest) = rest.split_at_checked(usize::from(*length))?;
        body = rest;
        Some(sequence)
    })
}

/// Adds the words that a phrase may begin with; where it may begin with something else, the kind of that, or [`ANY`].
pub fn first(mut code: &[u16], words: &mut Vec<u16>) -> Option<u16> {
    let mut kinds = Vec::new();
    while let Some((kind, body, rest)) = next_atom(code) {
        if kind != START {
            firsts(kind, body, words, &mut kinds);
            if kind != MAYBE {
                break;
            }
        }
        code = rest;
    }
    match kinds.as_slice() {
        [] => None,
        [kind] if words.is_empty() => Some(*kind),
        _ => Some(ANY),
    }
}

fn firsts(kind: u16, body: &[u16], words: &mut Vec<u16>, kinds: &mut Vec<u16>) {
    match kind {
        WORDS => words.extend(body),
        NUMBER | ID | CODE => kinds.push(kind),
        MAYBE => {
            if let Some((kind, body, _)) = next_atom(body) {
                firsts(kind, body, words, kinds);
            }
        }
        ONE_OF => {
            for (kind, body, _) in sequences(body).filter_map(next_atom) {
                firsts(kind, body, words, kinds);
            }
        }
        _ => kinds.push(ANY),
    }
}
