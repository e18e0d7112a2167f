//! Words of a message, for the rules that look at them: addressing, exit, focus, echo.

use std::borrow::Cow;

/// A word in lower case, with where it stands. Most words are written so already and are borrowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word<'t> {
    pub text: Cow<'t, str>,
    pub start: usize,
    pub end: usize,
}

/// The words of a text: runs of letters and digits, with apostrophes and hyphens inside them, so
/// that `Jordan's` and `back-end` are words of their own.
pub fn words(text: &str) -> Vec<Word<'_>> {
    if text.is_ascii() {
        return ascii_words(text);
    }
    let mut found: Vec<Word<'_>> = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some((start, first)) = chars.next() {
        if !first.is_alphanumeric() {
            continue;
        }
        let mut end = start + first.len_utf8();
        while let Some(&(at, next)) = chars.peek() {
            let inside = matches!(next, '\'' | '’' | '-' | '‑')
                && text[at + next.len_utf8()..].starts_with(char::is_alphanumeric);
            if !next.is_alphanumeric() && !inside {
                break;
            }
            end = at + next.len_utf8();
            chars.next();
        }
        let word = &text[start..end];
        let text = match word.is_ascii() {
            true => lower(word),
            false => Cow::Owned(word.to_lowercase().replace('’', "'").replace('‑', "-")),
        };
        found.push(Word { text, start, end });
    }
    found
}

/// As [`words`], for the texts that most are.
fn ascii_words(text: &str) -> Vec<Word<'_>> {
    let bytes = text.as_bytes();
    // A word and what follows it have six bytes or more, mostly.
    let mut found = Vec::with_capacity(bytes.len() / 6 + 1);
    let mut at = 0;
    while let Some(start) = bytes[at..].iter().position(u8::is_ascii_alphanumeric).map(|gap| at + gap) {
        at = start;
        while let Some(byte) = bytes.get(at) {
            let joins = matches!(byte, b'\'' | b'-');
            let inside = || joins && bytes.get(at + 1).is_some_and(u8::is_ascii_alphanumeric);
            if !byte.is_ascii_alphanumeric() && !inside() {
                break;
            }
            at += 1;
        }
        found.push(Word { text: lower(&text[start..at]), start, end: at });
    }
    found
}

/// An ASCII word in lower case.
fn lower(word: &str) -> Cow<'_, str> {
    match word.as_bytes().iter().any(u8::is_ascii_uppercase) {
        true => Cow::Owned(word.to_ascii_lowercase()),
        false => Cow::Borrowed(word),
    }
}

/// A phrase as its [`words`], with a blank between them.
pub fn phrase(text: &str) -> String {
    words(text).into_iter().map(|word| word.text).collect::<Vec<_>>().join(" ")
}

/// Only the texts of [`words`], hyphens splitting, plural endings taken off: what phrases and
/// overlaps are compared by.
pub fn stems(text: &str) -> Vec<String> {
    stems_of(&words(text)).into_iter().map(Cow::into_owned).collect()
}

/// The same of words that are at hand.
pub fn stems_of<'w>(words: &'w [Word<'_>]) -> Vec<Cow<'w, str>> {
    let mut found = Vec::with_capacity(words.len());
    for word in words {
        found.extend(word.text.split('-').map(stem));
    }
    found
}

/// A word without possessive and plural ending.
pub fn stem(word: &str) -> Cow<'_, str> {
    // Every word of every text comes here, and most end in no "s": bytes are looked at, not texts.
    let word = if word.as_bytes().ends_with(b"'s") { &word[..word.len() - 2] } else { word };
    match word.as_bytes() {
        [head @ .., b'i', b'e', b's'] if head.len() > 2 => Cow::Owned([&word[..head.len()], "y"].concat()),
        [_, _, .., before, b's'] if !matches!(before, b's' | b'u') => Cow::Borrowed(&word[..word.len() - 1]),
        _ => Cow::Borrowed(word),
    }
}

/// Words that say nothing about a subject, sorted.
const STOP: &[&str] = &[
    "a", "about", "after", "again", "all", "already", "also", "am", "an", "and", "any", "are", "as", "at",
    "be", "been", "before", "being", "between", "both", "but", "by", "can", "could", "did", "do", "does",
    "doing", "done", "each", "even", "every", "for", "from", "get", "go", "going", "had", "has", "have",
    "having", "he", "her", "here", "him", "his", "how", "i", "i'd", "i'll", "i'm", "i've", "if", "in",
    "into", "is", "isn't", "it", "it's", "its", "just", "let", "let's", "like", "make", "me", "might",
    "more", "most", "much", "must", "my", "name", "named", "names", "need", "no", "nor", "not", "now", "of",
    "off", "on", "once", "one", "only", "or", "other", "our", "out", "over", "own", "rather", "same", "say",
    "see", "she", "should", "so", "some", "still", "such", "than", "that", "that's", "the", "their", "them",
    "then", "there", "these", "they", "thing", "think", "this", "those", "through", "to", "too", "under",
    "until", "up", "us", "use", "very", "want", "was", "way", "we", "we'd", "we'll", "we're", "we've",
    "well", "were", "what", "what's", "when", "where", "which", "while", "who", "whose", "why", "will",
    "with", "without", "would", "yet", "you", "your",
];

/// The small words as numbers: every word of every text is looked for among them, and numbers are held against each
/// other faster than texts.
const STOPS: [u64; STOP.len()] = {
    let (mut all, mut at) = ([0; STOP.len()], 0);
    while at < STOP.len() {
        all[at] = as_number(STOP[at].as_bytes());
        at += 1;
    }
    all
};

/// The bytes of a short word as one number, in the order of the words; zero for one of more than eight bytes.
const fn as_number(word: &[u8]) -> u64 {
    let (mut number, mut at) = (0, 0);
    while at < 8 && word.len() <= 8 {
        number = number << 8 | if at < word.len() { word[at] as u64 } else { 0 };
        at += 1;
    }
    number
}

/// Whether a word carries a subject: long enough, and none of the small words of English.
pub fn is_significant(word: &str) -> bool {
    word.chars().nth(2).is_some() && STOPS.binary_search(&as_number(word.as_bytes())).is_err()
}

/// The significant stems of a text, in order, without doubles.
pub fn subjects(text: &str) -> Vec<String> {
    let words = words(text);
    let significant = words.iter().filter(|word| is_significant(&word.text));
    let mut seen = std::collections::BTreeSet::new();
    significant
        .map(|word| stem(&word.text))
        .filter(|stem| seen.insert(stem.clone()))
        .map(Cow::into_owned)
        .collect()
}

/// Whether a list of words and phrases, with a bar between them, holds one. A text takes less room in the program
/// than a table of texts.
pub fn lists(list: &str, word: &str) -> bool {
    // Asked thousands of times in a discussion: most words are told apart by where the next bar stands.
    let (mut rest, word) = (list.as_bytes(), word.as_bytes());
    loop {
        if rest.get(word.len()).is_none_or(|next| *next == b'|') && rest.starts_with(word) {
            return true;
        }
        let Some(bar) = rest.iter().position(|byte| *byte == b'|') else { return false };
        rest = &rest[bar + 1..];
    }
}

/// A text with the question mark that its last sentence lacks: typed in a hurry, "who opens the gate on sundays" asks.
pub fn with_its_mark(text: &str) -> Cow<'_, str> {
    let bare = text.trim_end();
    let last = bare.rsplit(['.', '!', '?', ':', ';', '\n']).next().unwrap_or_default();
    let ends = !bare.ends_with(|c: char| c.is_alphanumeric() || matches!(c, ')' | '"' | '%' | '€'));
    if ends || !asks_by_form(last) { Cow::Borrowed(text) } else { Cow::Owned(format!("{bare}?")) }
}

/// Whether a sentence begins as a question does, behind the name that it calls.
fn asks_by_form(sentence: &str) -> bool {
    let found = words(sentence);
    let called = sentence.trim_start().starts_with('@')
        || found.first().is_some_and(|first| sentence[first.end..].starts_with([',', ':']));
    if is_reported(&found) {
        return true;
    }
    let mut found = found.iter().skip(usize::from(called));
    let (Some(first), Some(second)) = (found.next(), found.next()) else { return false };
    let verb = |word: &str| lists(VERBS_OF_A_QUESTION, word);
    // "Who opens …" has any verb, and "when we open …" is a clause.
    match first.text.as_ref() {
        "who" | "whose" | "whom" | "what" | "which" | "why" => found.next().is_some(),
        "how" => verb(&second.text) || found.any(|word| verb(&word.text)),
        "when" | "where" => verb(&second.text),
        first if verb(first) => lists(SUBJECTS_OF_A_QUESTION, &second.text),
        _ => false,
    }
}

/// Whether a sentence says what somebody asks: "the admin asks how much memory it takes", "wondering who pays".
fn is_reported(found: &[Word<'_>]) -> bool {
    let word = |at: usize| found.get(at).map(|word| word.text.as_ref());
    let asks = |at: usize| match word(at) {
        Some("asks" | "wonder" | "wonders" | "wondering") => true,
        // "Nobody could tell me who reads it" tells something.
        Some("remind" | "tell") => {
            let asked = at.checked_sub(1).is_none_or(|at| matches!(word(at), Some("please" | "you")));
            asked && word(at + 1) == Some("me")
        }
        Some("know") => {
            let before = |back: usize| at.checked_sub(back).and_then(word);
            before(1) == Some("to") && matches!(before(2), Some("like" | "want" | "wants"))
        }
        _ => false,
    };
    let whom = |at: usize| matches!(word(at), Some("her" | "him" | "me" | "them" | "us"));
    let what = |at: usize| word(at).is_some_and(|word| lists(OPENS_A_QUESTION, word));
    (0..found.len()).any(|at| asks(at) && what(at + 1 + usize::from(whom(at + 1))))
}

/// How what is asked begins.
const OPENS_A_QUESTION: &str = "how|if|what|when|where|whether|which|who|whom|whose|why";

/// Verbs with which a question begins, or which stand behind its first word.
pub const VERBS_OF_A_QUESTION: &str =
    "are|can|could|did|do|does|has|have|is|may|might|must|shall|should|was|were|will|would";
/// What follows such a verb in a question.
const SUBJECTS_OF_A_QUESTION: &str = concat!(
    "a|an|any|anybody|anyone|everybody|everyone|he|i|it|my|our|people|she|somebody|someone|that|the|their|there|",
    "these|they|this|those|we|you|your",
);

/// Numbers as people write them out: the small ones from zero on, and the tens from twenty on.
const SMALL_NUMBERS: [u64; 21] = {
    let small = [
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
        "twelve", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
    ];
    let (mut all, mut at) = ([0; 21], 0);
    while at < small.len() {
        all[at] = as_number(small[at].as_bytes());
        at += 1;
    }
    all
};

/// What a word in lower case counts.
pub(super) fn small_number(word: &str) -> Option<u64> {
    let number = as_number(word.as_bytes());
    let at = SMALL_NUMBERS.iter().position(|small| *small == number)? as u64;
    Some(if at > 12 { 10 * (at - 11) } else { at })
}

/// Whether a word in lower case is a number, in digits or written out.
pub fn is_number(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit()) && word.parse::<u64>().is_ok()
        || small_number(word).is_some()
}

/// The numbers of a text with the stem of what each counts: "18 400 data sets" are 18,400 data, and "two
/// minutes" 2 minutes.
pub fn numbers(text: &str) -> Vec<(u64, String)> {
    let found = words(text);
    let value = |word: &Word<'_>| match word.text.parse::<u64>() {
        Ok(number) => Some(number),
        Err(_) => small_number(&word.text),
    };
    let joined = |at: usize| found.get(at + 1).is_some_and(|next| &text[found[at].end..next.start] == " ");
    let digits = |at: usize| found[at].text.bytes().all(|byte| byte.is_ascii_digit());
    let mut numbers = Vec::new();
    let mut at = 0;
    while at < found.len() {
        let Some(mut number) = value(&found[at]) else {
            at += 1;
            continue;
        };
        while joined(at) && digits(at) && digits(at + 1) && found[at + 1].text.len() == 3 {
            at += 1;
            number = number.saturating_mul(1_000).saturating_add(value(&found[at]).unwrap_or_default());
        }
        let unit = found
            .get(at + 1)
            .filter(|unit| joined(at) && is_significant(&unit.text) && value(unit).is_none());
        numbers.extend(unit.map(|unit| (number, stem(&unit.text).into_owned())));
        at += 1;
    }
    numbers
}

/// Where `phrase` first stands in `stems`, as a run.
pub fn find_run(stems: &[String], phrase: &[String]) -> Option<usize> {
    if phrase.is_empty() {
        return None;
    }
    stems.windows(phrase.len()).position(|window| window == phrase)
}

/// The text with what stands in double quotation marks or backticks taken out; quoted lines of a
/// reply (`> …`) and fenced code too. The bytes taken out become blanks, so that offsets hold.
pub fn unquoted(text: &str) -> Cow<'_, str> {
    // Most of what is said quotes nothing; the last two are what the marks that are no ASCII begin with.
    let may_quote = text.bytes().any(|byte| matches!(byte, b'"' | b'`' | b'>' | b'~' | 0xe2 | 0xc2));
    if !may_quote || !text.contains(['"', '`', '>', '~', '“', '„', '«']) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut fenced = false;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim_start();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            fenced = !fenced;
            blank(&mut out, line);
        } else if fenced || trimmed.starts_with('>') {
            blank(&mut out, line);
        } else {
            out.push_str(line);
        }
    }
    for (open, close) in [("\"", "\""), ("“", "”"), ("„", "“"), ("«", "»"), ("`", "`")] {
        if out.contains(open) {
            out = without_pairs(&out, open, close);
        }
    }
    Cow::Owned(out)
}

fn blank(out: &mut String, text: &str) {
    out.extend(text.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
}

fn without_pairs(text: &str, open: &str, close: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(open) {
        let after = &rest[at + open.len()..];
        let Some(end) = after.find(close) else { break };
        out.push_str(&rest[..at]);
        let to = at + open.len() + end + close.len();
        blank(&mut out, &rest[at..to]);
        rest = &rest[to..];
    }
    out.push_str(rest);
    out
}

/// A text that others are compared with: does it say the same as an earlier one?
#[derive(Clone, Debug)]
pub struct Echo {
    length: usize,
    pairs: Vec<u64>,
}

impl Echo {
    pub fn of(text: &str) -> Echo {
        Echo { length: text.len(), pairs: pairs(text) }
    }

    /// Whether an earlier text says the same: nearly all of the words are shared, in pairs that
    /// follow one another, and neither text is half as long again as the other.
    pub fn repeats(&self, earlier: &Echo) -> bool {
        let (short, long) = (self.length.min(earlier.length), self.length.max(earlier.length));
        if long * 2 > short * 3 {
            return false;
        }
        let shared = self.shared(earlier);
        let all = self.pairs.len() + earlier.pairs.len() - shared;
        all > 0 && shared * 100 >= all * 80
    }

    /// Whether the text is little but a part of another: three in four of its pairs stand there.
    pub fn is_within(&self, other: &Echo) -> bool {
        self.pairs.len() >= PART && self.shared(other) * 100 >= self.pairs.len() * 75
    }

    fn shared(&self, other: &Echo) -> usize {
        self.pairs.iter().filter(|pair| other.pairs.binary_search(pair).is_ok()).count()
    }
}

/// Texts of fewer pairs of words are no part of anything: everybody uses some words.
const PART: usize = 6;

/// The pairs of words that follow one another, each as a hash (FNV-1a): equal pairs are meant,
/// and of the few hundred of a text no two others share one in practice.
fn pairs(text: &str) -> Vec<u64> {
    let mut found = Pairs::default();
    if text.is_ascii() {
        for byte in text.bytes() {
            match byte.is_ascii_alphanumeric() {
                true => found.letter(u32::from(byte.to_ascii_lowercase())),
                false => found.end_word(),
            }
        }
    } else {
        for letter in text.chars() {
            match letter.is_alphanumeric() {
                true => letter.to_lowercase().for_each(|lower| found.letter(u32::from(lower))),
                false => found.end_word(),
            }
        }
    }
    found.all()
}

/// The pairs of a text that is read letter by letter.
#[derive(Default)]
struct Pairs {
    found: Vec<u64>,
    last: Option<u64>,
    /// The hash of the word that is being read; zero between words.
    word: u64,
}

impl Pairs {
    fn letter(&mut self, letter: u32) {
        let start = if self.word == 0 { 0xcbf2_9ce4_8422_2325 } else { self.word };
        self.word = (start ^ u64::from(letter)).wrapping_mul(0x0100_0000_01b3);
    }

    fn end_word(&mut self) {
        if self.word == 0 {
            return;
        }
        self.found.extend(self.last.map(|last| last.rotate_left(32) ^ self.word));
        self.last = Some(std::mem::take(&mut self.word));
    }

    /// All of them, sorted; a word that stands alone is one.
    fn all(mut self) -> Vec<u64> {
        self.end_word();
        if self.found.is_empty() {
            self.found.extend(self.last);
        }
        self.found.sort_unstable();
        self.found.dedup();
        self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        words(text).into_iter().map(|word| word.text.into_owned()).collect()
    }

    #[test]
    fn small_words_and_small_numbers_are_known_and_no_others() {
        assert!(STOP.iter().all(|word| word.len() <= 8 && !is_significant(word)) && STOPS.is_sorted());
        for word in ["offline", "befores", "thee", "übers", "inspections", "çab"] {
            assert!(is_significant(word), "{word}");
        }
        assert!(!is_significant("") && !is_significant("ab") && !is_significant("éé"));
        let counts = [("zero", 0), ("nine", 9), ("twelve", 12), ("twenty", 20), ("ninety", 90)];
        assert!(counts.iter().all(|(word, count)| small_number(word) == Some(*count)));
        assert!(
            ["", "on", "thirteen", "ninetyninety", "zer"].iter().all(|word| small_number(word).is_none())
        );
    }

    #[test]
    fn possessives_and_compounds_are_words_of_their_own() {
        assert_eq!(texts("Jordan’s back-end, isn't it? -x-"), ["jordan's", "back-end", "isn't", "it", "x"]);
        assert_eq!(texts("«Что» 42"), ["что", "42"]);
    }

    #[test]
    fn plain_text_has_the_same_words_either_way() {
        for text in ["", "It's a back-end -- isn't it? 'quoted' x-", "a1-2b 3.4", "--a''b"] {
            let widened = format!("{text} é");
            let mut other = words(&widened);
            other.pop();
            assert_eq!(words(text), other, "{text}");
        }
    }

    #[test]
    fn stems_lose_plural_and_possessive() {
        assert_eq!(
            stems("Journeys, stories and Maya's class-status"),
            ["journey", "story", "and", "maya", "class", "status"]
        );
        assert_eq!(subjects("How should the sync handle the syncs?"), ["sync", "handle"]);
    }

    #[test]
    fn numbers_are_told_with_what_they_count() {
        let of =
            |text: &str| numbers(text).into_iter().map(|(n, unit)| format!("{n} {unit}")).collect::<Vec<_>>();
        assert_eq!(of("We take two minutes, not ten, for 18 400 data sets"), ["2 minute", "18400 data"]);
        assert_eq!(of("from 2 to 5 files at 07:30, v2"), ["5 file"]);
        assert_eq!(of(""), Vec::<String>::new());
    }

    #[test]
    fn quoted_words_become_blanks() {
        assert_eq!(unquoted("it says \"exit\" here").trim_end(), "it says        here");
        assert_eq!(unquoted("> done\nno").trim(), "no");
        assert_eq!(unquoted("a `b` c").len(), 7);
    }

    fn repeats(a: &str, b: &str) -> bool {
        Echo::of(a).repeats(&Echo::of(b))
    }

    #[test]
    fn an_echo_is_recognised_and_a_variation_is_not() {
        assert!(repeats("The sync has no error path.", "the SYNC has no error path"));
        assert!(!repeats("The sync has no error path.", "The export has no owner."));
        assert!(!repeats("", ""));
    }
}
