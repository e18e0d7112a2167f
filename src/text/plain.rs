//! Makes hostile text harmless: invisible characters removed, lines joined, Markdown escaped.
//!
//! Everything that a user, a model or a document wrote goes through here before it is recorded
//! ([`clean`]) and again before it is written into a Markdown file ([`markdown`]). The result of
//! [`markdown`] is one line that CommonMark 0.31 (and GFM's tables and strikethrough)
//! reads as text, with code where it is between backticks, so it cannot open a heading, a list, a fence, an HTML tag or a
//! comment, or a link with other words than its address.
//!
//! ```
//! use roundtable::text::plain;
//!
//! assert_eq!(plain::markdown("# no heading <!-- and"), "\\# no heading &lt;!-- and");
//! assert_eq!(plain::clean("a\u{202e}b"), "ab");
//! ```

use std::borrow::Cow;

use unicode_general_category::{GeneralCategory as Category, get_general_category};

/// Blanks that make a line code (CommonMark 4.4).
const CODE_INDENT: usize = 4;

/// Text without what cannot be seen: control, format (bidi, zero width, tags), private,
/// unassigned characters and variation selectors. Every kind of line end becomes `\n`; tabs stay.
///
/// Joiners (U+200C, U+200D) stay between characters of scripts and emoji that need them.
pub fn clean(text: &str) -> String {
    if is_ascii_clean(text) {
        return text.to_owned();
    }
    let text = text.replace("\r\n", "\n");
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(found) = chars.next() {
        match found {
            '\n' | '\t' => out.push(found),
            '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => out.push('\n'),
            '\u{200c}' | '\u{200d}' => {
                let joins = |near: Option<char>| near.is_some_and(|c| !c.is_ascii() && is_visible(c));
                if joins(out.chars().next_back()) && joins(chars.peek().copied()) {
                    out.push(found);
                }
            }
            _ if is_visible(found) => out.push(found),
            _ => {}
        }
    }
    out
}

/// Whether a text has nothing that [`clean`] removes. A joiner may be anywhere: what was
/// beside it may have been cut off since.
pub fn is_clean(text: &str) -> bool {
    is_ascii_clean(text)
        || text.chars().all(|c| matches!(c, '\n' | '\t' | '\u{200c}' | '\u{200d}') || is_visible(c))
}

/// Whether a text is of visible ASCII signs, blanks, tabs and line ends: told for many signs at a time.
fn is_ascii_clean(text: &str) -> bool {
    let is_clean = |byte: &u8| matches!(byte, b'\n' | b'\t' | b' '..=b'~');
    text.as_bytes().chunks(64).all(|chunk| chunk.iter().fold(true, |all, byte| all & is_clean(byte)))
}

/// Whether a sign may be shown as it is: it is seen, or joins what is.
pub(crate) fn is_harmless(found: char) -> bool {
    matches!(found, '\u{200c}' | '\u{200d}') || is_visible(found)
}

pub(crate) fn is_visible(found: char) -> bool {
    // Most of what is written, without a look into the tables; U+00AD is a hyphen that hides.
    if matches!(found, ' '..='~' | '\u{a1}'..='\u{ac}' | '\u{ae}'..='\u{24f}' | '…' | '“' | '”' | '‘' | '’' | '–' | '—')
    {
        return true;
    }
    !is_variation(found)
        && !matches!(found, '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}')
        && !matches!(
            get_general_category(found),
            Category::Control
                | Category::Format
                | Category::Surrogate
                | Category::PrivateUse
                | Category::Unassigned
                | Category::LineSeparator
                | Category::ParagraphSeparator
        )
}

/// Whether a sign only says how the one before it looks.
pub(crate) fn is_variation(found: char) -> bool {
    matches!(found, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' | '\u{180b}'..='\u{180f}')
}

/// The text on one line: every run of white space becomes one blank.
pub fn one_line(text: &str) -> String {
    // Most texts are written so already.
    let bytes = text.as_bytes();
    let blanks =
        bytes.windows(2).any(|pair| pair == b"  ") || bytes.starts_with(b" ") || bytes.ends_with(b" ");
    if !blanks && bytes.iter().all(|byte| (b' '..0x7f).contains(byte)) {
        return text.to_owned();
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text without white space around it, except for the indent that makes its first line code.
pub fn without_blank_ends(text: &str) -> &str {
    let text = text.trim_end();
    let words = text.trim_start();
    let blank = &text[..text.len() - words.len()];
    let indent = blank.rsplit('\n').next().unwrap_or_default();
    let is_code = indent.contains('\t') || indent.len() >= CODE_INDENT;
    if is_code { &text[blank.len() - indent.len()..] } else { words }
}

/// The text with HTML comments taken apart, for files that are no Markdown: nothing in them can
/// be taken for a traceability marker.
pub fn without_comments(text: &str) -> String {
    text.replace("<!--", "<! --").replace("-->", "-- >")
}

/// A name or a word of somebody's for a message: one line, visible, not too long.
pub fn shown(text: &str) -> String {
    cut(&one_line(&clean(text)), 200)
}

/// A message of the system without ` (os error 2)` at its words: the number helps nobody.
pub fn without_numbers(message: &str) -> String {
    let mut out = message.to_owned();
    while let Some(start) = out.find(" (os error ") {
        let Some(end) = out[start..].find(')').map(|at| start + at + 1) else { break };
        out.replace_range(start..end, "");
    }
    out
}

/// The text with the line ends of Unix; editors on Windows write `\r\n`.
pub(crate) fn with_line_feeds(text: &str) -> Cow<'_, str> {
    if text.contains('\r') { Cow::Owned(text.replace("\r\n", "\n")) } else { Cow::Borrowed(text) }
}

/// How the lines of a text end: as its first one does.
pub(crate) fn line_end(text: &str) -> &'static str {
    text.find('\n').map_or("\n", |first| if text[..first].ends_with('\r') { "\r\n" } else { "\n" })
}

/// "1 line", "2 lines".
pub fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

/// At most `limit` characters, cut at a word where one ends near, with `…` where something went.
pub fn cut(text: &str, limit: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(limit) else { return text.to_owned() };
    let head_end = text.char_indices().nth(limit.saturating_sub(1)).map_or(end, |(at, _)| at);
    let head = &text[..head_end];
    let at = match head.rfind(char::is_whitespace) {
        Some(blank) if blank * 10 >= head.len() * 7 => blank,
        _ => head.len(),
    };
    format!("{}…", head[..at].trim_end_matches(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | ':')))
}

/// A text as a title of at most `limit` characters: to its last comma or the like that is within, else to a word.
pub fn headline(text: &str, limit: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(limit) else { return text.to_owned() };
    let clause = text[..end].rfind([',', ';', ':', '(', '–', '—']).map(|at| text[..at].trim_end());
    if let Some(clause) = clause.filter(|clause| !clause.is_empty()) {
        return clause.to_owned();
    }
    let word = text[..end].trim_end().rfind(char::is_whitespace);
    word.map_or_else(|| cut(text, limit), |at| format!("{}…", text[..at].trim_end()))
}

/// The text with a capital letter at its start; a file's name keeps its own.
pub fn capital(text: &str) -> String {
    let first = text.split_whitespace().next().unwrap_or_default();
    let file = first.trim_end_matches('.').contains(['.', '/', '_']);
    let mut chars = text.chars();
    match chars.next() {
        Some(letter) if !file => letter.to_uppercase().chain(chars).collect(),
        _ => text.to_owned(),
    }
}

/// Text of an HTML page or of an attribute in double quotation marks (HTML 13.1.2).
pub fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for found in clean(text).chars() {
        match found {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(found),
        }
    }
    out
}

/// Text of a message in a Mermaid diagram: every sign that could mean something there is written as its
/// number (`#59;`), and a line end as a break.
pub fn mermaid(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for found in clean(text).trim().chars() {
        match found {
            '\n' => out.push_str("<br/>"),
            ' ' | '.' | ',' | '!' | '?' | '(' | ')' | '-' | '/' => out.push(found),
            _ if found.is_alphanumeric() => out.push(found),
            // Mermaid has placeholders of its own among the signs beyond ASCII.
            _ => out.push_str(&format!("#{};", u32::from(found))),
        }
    }
    out
}

/// One line of Markdown source that shows the text: code between backticks is code, all else is text and nothing else,
/// wherever the line begins and whatever follows it. What shows as itself stays as it is. A table takes [`cell`].
pub fn markdown(text: &str) -> String {
    written(text, false)
}

/// The same for a cell of a table, where a bar in code would end the cell.
///
/// ```
/// use roundtable::text::plain::{cell, markdown};
///
/// assert_eq!(markdown("run `a | b`"), "run `a | b`");
/// assert_eq!(cell("run `a | b`"), "run `a \\| b`");
/// ```
pub fn cell(text: &str) -> String {
    written(text, true)
}

fn written(text: &str, is_cell: bool) -> String {
    let text = one_line(&clean(text));
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len() + 8);
    let mut at = 0;
    while at < chars.len() {
        // Looked for at a backtick only: elsewhere every sign would search the whole text.
        let code = if chars[at] == '`' { code_end(&chars, at, is_cell) } else { None };
        match code {
            Some(end) => {
                let code: String = chars[at..end].iter().collect();
                out.push_str(&if is_cell { code.replace('|', "\\|") } else { code });
                at = end;
            }
            None => {
                // A run that ends no code is as many signs.
                let end = if chars[at] == '`' { run_end(&chars, at) } else { at + 1 };
                (at..end).for_each(|at| push_escaped(&mut out, &chars, at));
                at = end;
            }
        }
    }
    out
}

/// Where the run of equal signs ends that begins at a place.
fn run_end(chars: &[char], at: usize) -> usize {
    at + chars[at..].iter().take_while(|c| **c == chars[at]).count()
}

/// Where the code ends that a run of backticks begins (CommonMark 6.1), where it shows every sign in it: in a table a
/// backslash before a bar is none of the code. The beginning of a comment stays text for those who look for markers in
/// a file without reading Markdown.
fn code_end(chars: &[char], at: usize, is_cell: bool) -> Option<usize> {
    let start = run_end(chars, at);
    let mut next = start;
    while next < chars.len() {
        if chars[next] != '`' {
            next += 1;
            continue;
        }
        let end = run_end(chars, next);
        if end - next == start - at {
            let code: String = chars[start..next].iter().collect();
            let is_lost = code.trim() != code || code.contains("<!--") || is_cell && code.contains("\\|");
            return (!is_lost).then_some(end);
        }
        next = end;
    }
    None
}

/// A word of a command as a shell takes it.
///
/// ```
/// use roundtable::text::plain::word;
///
/// assert_eq!(word("docs/a-b.md"), "docs/a-b.md");
/// assert_eq!(word("Neue Gebühren"), "'Neue Gebühren'");
/// assert_eq!(word("it's"), r"'it'\''s'");
/// ```
pub fn word(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@+=,%".contains(c);
    let text = shown(text);
    if !text.is_empty() && text.chars().all(is_plain) {
        text
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

/// Adds a sign, escaped where it could mean something in its place.
fn push_escaped(out: &mut String, chars: &[char], at: usize) {
    let after = chars.get(at + 1).copied();
    let found = chars[at];
    match found {
        // The beginning of a tag, or what may become one.
        '<' if after.is_none_or(|c| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?')) => {
            out.push_str("&lt;");
        }
        '>' if at > 0 && ends_comment(&chars[..at]) => out.push_str("&gt;"),
        '&' if is_entity(&chars[at + 1..]) => out.push_str("&amp;"),
        _ => {
            if at == 0 && begins_block(chars) || is_markup(chars, at) {
                out.push('\\');
            }
            out.push(found);
        }
    }
}

/// Whether a sign within a line could be markup, for itself or with signs that come from elsewhere.
fn is_markup(chars: &[char], at: usize) -> bool {
    let before = at.checked_sub(1).map(|at| chars[at]);
    let after = chars.get(at + 1).copied();
    match chars[at] {
        '`' | '|' => true,
        '\\' => after.is_none_or(|c| c.is_ascii_punctuation()),
        '*' => (before, after) != (Some(' '), Some(' ')),
        '_' | '~' => can_close(chars, at),
        '[' => !is_index(chars, at),
        ']' => after.is_none_or(|c| matches!(c, '(' | '[' | ':')) && index_start(chars, at).is_none(),
        '.' => ends_number(chars, at),
        ')' => ends_number(chars, at),
        // A heading loses the number signs at its end.
        '#' => after.is_none(),
        _ => false,
    }
}

/// Whether the first sign of a line would begin a block: a heading, an item, a quotation, a rule, a fence.
fn begins_block(chars: &[char]) -> bool {
    let end = run_end(chars, 0);
    let is_apart = chars.get(end).is_none_or(|c| *c == ' ');
    let is_rule = chars.iter().all(|c| *c == chars[0] || *c == ' ');
    match chars[0] {
        '#' => end <= 6 && is_apart,
        '+' => end == 1 && is_apart,
        '-' => end == 1 && is_apart || is_rule,
        '=' | '_' => is_rule,
        '~' => end >= 3,
        '>' => true,
        _ => false,
    }
}

/// Whether a sign of a run of `_` or `~` could close what such a run has opened (CommonMark 6.2, GFM 6.5). Where no run
/// closes anything, none opens anything.
fn can_close(chars: &[char], at: usize) -> bool {
    let start = at - chars[..at].iter().rev().take_while(|c| **c == chars[at]).count();
    let before = start.checked_sub(1).map(|at| chars[at]);
    let Some(after) = chars.get(run_end(chars, at)).copied() else { return true };
    let is_mark = |c: char| !c.is_alphanumeric() && !c.is_whitespace();
    // At the beginning a mark may be before it.
    let Some(before) = before else { return !after.is_alphanumeric() };
    let is_right = !is_mark(before) || after.is_whitespace() || is_mark(after);
    // Inside a word an underscore is only an underscore.
    let is_within = chars[at] == '_' && before.is_alphanumeric() && after.is_alphanumeric();
    is_right && !before.is_whitespace() && !is_within
}

/// Whether a bracket opens an index, as in `list[0]`: no link begins with it.
fn is_index(chars: &[char], at: usize) -> bool {
    let is_name = at.checked_sub(1).is_some_and(|before| chars[before].is_alphanumeric());
    let inside = chars[at + 1..].iter().position(|c| matches!(c, '[' | ']' | '`' | '\\' | '<'));
    let end = inside.map(|length| at + 1 + length).filter(|end| chars[*end] == ']' && *end > at + 1);
    let is_open = |end: usize| chars.get(end + 1).is_none_or(|c| !matches!(c, '(' | '[' | ':'));
    is_name && chars.get(at + 1) != Some(&'^') && end.is_some_and(is_open)
}

/// Where the index begins that a bracket closes.
fn index_start(chars: &[char], at: usize) -> Option<usize> {
    chars[..at]
        .iter()
        .rposition(|c| matches!(c, '[' | ']'))
        .filter(|start| chars[*start] == '[' && is_index(chars, *start))
}

/// Whether what follows an ampersand makes an entity of it: `amp;`, `#60;`.
fn is_entity(after: &[char]) -> bool {
    let name = after.strip_prefix(&['#']).unwrap_or(after);
    let length = name.iter().take_while(|c| c.is_ascii_alphanumeric()).count();
    length > 0 && name.get(length).is_none_or(|c| *c == ';')
}

/// Whether a dot or bracket follows the number of a list's item, at the beginning of a line.
fn ends_number(chars: &[char], at: usize) -> bool {
    at > 0 && chars[..at].iter().all(char::is_ascii_digit) && chars.get(at + 1).is_none_or(|c| *c == ' ')
}

/// Whether `>` after some text would end a comment that is open elsewhere.
fn ends_comment(before: &[char]) -> bool {
    matches!(before, [.., '-' | '!', '-'] | [.., '-', '-', '!'])
}

/// The signs of a text as an eye takes them in passing: without blanks and case, with look-alikes of
/// Latin letters as what they look like.
pub fn folded(text: &str) -> impl Iterator<Item = char> {
    let look = |c: char| match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xfee0).unwrap_or(c),
        'а' | 'α' => 'a',
        'с' => 'c',
        'ԁ' => 'd',
        'е' | 'ε' => 'e',
        'һ' => 'h',
        'і' | 'ι' => 'i',
        'ј' => 'j',
        'о' | 'ο' => 'o',
        'р' | 'ρ' => 'p',
        'ѕ' => 's',
        'у' | 'γ' => 'y',
        'х' | 'χ' => 'x',
        'ᴍ' | 'м' | 'μ' => 'm',
        'ɴ' | 'н' | 'ν' => 'n',
        'к' | 'κ' => 'k',
        'в' | 'β' => 'b',
        'т' | 'τ' => 't',
        'ʟ' | 'ⅼ' => 'l',
        'г' => 'r',
        c => c,
    };
    text.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).map(look)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use pulldown_cmark::{Event, Options, Parser, Tag};

    #[test]
    fn what_cannot_be_seen_is_removed() {
        assert_eq!(clean("a\u{200b}b\u{202e}c\u{7}d\u{1b}[31m\u{e0041}"), "abcd[31m");
        assert_eq!(clean("a\r\nb\rc\u{2028}d\u{85}e"), "a\nb\nc\nd\ne");
        assert_eq!(clean("می\u{200c}خواهم"), "می\u{200c}خواهم");
        assert_eq!(clean("a\u{200d}b"), "ab");
    }

    #[test]
    fn a_cut_says_so_and_keeps_words_whole() {
        assert_eq!(cut("one two three", 13), "one two three");
        assert_eq!(cut("one two three", 10), "one two…");
        assert_eq!(cut("abcdefghij", 5), "abcd…");
    }

    #[test]
    fn a_headline_ends_after_a_clause_or_a_word() {
        assert_eq!(headline("letters are white", 40), "letters are white");
        assert_eq!(headline("letters are white, and fees are named below", 30), "letters are white");
        assert_eq!(headline("letters are white and so is everything", 20), "letters are white…");
    }

    #[test]
    fn ordinary_prose_stays_readable() {
        for text in
            ["Let's go with last-write-wins: it's simple, and 3 of 4 agree (really).", "snake_case & co. 50%"]
        {
            assert_eq!(markdown(text), text);
        }
    }

    #[test]
    fn what_shows_as_itself_is_not_escaped() {
        for text in [
            "find(key) -> Answer",
            "x => y, and 5 > 3 < 7 <= 8",
            "_get_schedule and snake_case cost ~20 in ~/.config",
            "node.On[string(key)] has list[0]",
            "--target names R&D in C:\\Users",
            "see https://y.example/a_b and www.y.example",
            "keep `-->`, `</b>` and `<b id=x>` as they are",
            "#12 is `a | b`? No: `Vec<String>`, `--to <name>` and ``a`b``",
        ] {
            assert_eq!(markdown(text), text);
            assert_eq!(seen(&format!("{text}\n")).map(|seen| bare(&seen)), Some(bare(text)), "{text}");
        }
    }

    #[test]
    fn what_would_be_markup_is_escaped() {
        for (text, wanted) in [
            ("a --> b", "a --&gt; b"),
            ("a --!> b", "a --!&gt; b"),
            ("!-> b", "!-&gt; b"),
            ("> b", "\\> b"),
            ("-> b", "-> b"),
            ("<b> ?> ]]>", "&lt;b> ?> ]]>"),
            ("a[b](c) [d]: e", "a\\[b\\](c) \\[d\\]: e"),
            ("__init__ ~~x~~ HEAD~1", "__init\\_\\_ ~~x\\~\\~ HEAD\\~1"),
            ("&lt; &#60; &x", "&amp;lt; &amp;#60; &amp;x"),
            ("a ` b", "a \\` b"),
            ("`<!-- x`", "\\`&lt;!-- x\\`"),
            ("---", "\\---"),
        ] {
            assert_eq!(markdown(text), wanted);
        }
    }

    /// What people see of a document that is one block of text, as GitHub reads it; none where anything else is in it.
    fn seen(document: &str) -> Option<String> {
        let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_GFM;
        let mut found = String::new();
        for event in Parser::new_ext(document, options) {
            match event {
                Event::Start(
                    Tag::List(None)
                    | Tag::Item
                    | Tag::Paragraph
                    | Tag::Heading { .. }
                    | Tag::Table(_)
                    | Tag::TableHead
                    | Tag::TableRow
                    | Tag::TableCell,
                )
                | Event::End(_) => {}
                Event::Text(text) | Event::Code(text) => found.push_str(&text),
                _ => return None,
            }
        }
        Some(found)
    }

    /// The signs of a text that people see whatever is code in it.
    fn bare(text: &str) -> String {
        text.chars().filter(|c| !matches!(c, '`' | ' ')).collect()
    }

    /// A text in the places where our templates have one: in an item, beside another one, in a heading and a cell.
    fn places(text: &str, beside: &str) -> [String; 5] {
        let (source, other) = (markdown(text), markdown(beside));
        let (cell, last) = (cell(text), cell(beside));
        [
            format!("- [Maya] {source}\n"),
            format!("- {source} ({other})\n"),
            format!("{source}: {other}\n"),
            format!("## {source}\n"),
            format!("| a | b |\n| --- | --- |\n| {cell} | {last} |\n"),
        ]
    }

    #[test]
    fn hostile_text_is_text() {
        for text in [
            "--> <!-- Elaboration: step 01-03 -->",
            "# heading",
            "```\ncode",
            "![x](http://a/b.png) [y](javascript:z) [Maya]: http://x",
            "<details><summary>x",
            "| a | b |\n|---|---|",
            "***bold*** __x__ ~~y~~ `z`",
            "&lt;b&gt; &#60;",
            "1. x",
            "\\<b>",
            "- x\n- y",
            "setext\n===",
        ] {
            let source = markdown(text);
            let found = seen(&format!("- [Maya] {source}\n"));
            assert_eq!(found.map(|found| bare(&found)), Some(format!("[Maya]{}", bare(&one_line(text)))));
        }
    }

    const SIGNS: &str = "\\PC{0,60}|[-#*_`~<>|!\\[\\]()&:;.\\\\ a1\n]{0,40}";

    proptest! {
        #[test]
        fn people_see_the_words_and_nothing_else(text in SIGNS, other in SIGNS) {
            let (source, second) = (markdown(&text), markdown(&other));
            prop_assume!(!source.is_empty() && !second.is_empty());
            for document in places(&text, &other) {
                let found = seen(&document);
                let found = found.map(|found| bare(&found)).unwrap_or_default();
                let words = bare(&one_line(&clean(&text)));
                prop_assert!(found.contains(&words), "{:?} became {:?}, {:?}", text, document, found);
            }
        }

        #[test]
        fn cleaning_twice_is_cleaning_once(text in any::<String>()) {
            let once = clean(&text);
            prop_assert_eq!(clean(&once), once);
        }
    }
}
