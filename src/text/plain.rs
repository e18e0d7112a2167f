//! Makes hostile text harmless: invisible characters removed, lines joined, Markdown escaped.
//!
//! Everything that a user, a model or a document wrote goes through here before it is recorded
//! ([`clean`]) and again before it is written into a Markdown file ([`markdown`]). The result of
//! [`markdown`] is one line that CommonMark 0.31 (and GFM's tables, strikethrough and autolinks)
//! reads as text and nothing else, so it cannot open a heading, a list, a fence, a link, an HTML
//! tag or a comment.
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
    let mut out = String::with_capacity(text.len());
    if text.is_ascii() {
        // Of the signs that are no white space, one takes one byte here.
        for word in text.split(|c: char| matches!(c, '\t'..='\r' | ' ')).filter(|word| !word.is_empty()) {
            out.push_str(if out.is_empty() { "" } else { " " });
            out.push_str(word);
        }
        return out;
    }
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
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

/// One line of Markdown source that renders as the text and nothing else.
pub fn markdown(text: &str) -> String {
    if is_prose(text) {
        return text.to_owned();
    }
    let text = one_line(&clean(text));
    let mut out = String::with_capacity(text.len() + 8);
    let chars: Vec<char> = text.chars().collect();
    for (at, &found) in chars.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| chars[at]);
        let after = chars.get(at + 1).copied();
        match found {
            '<' => out.push_str("&lt;"),
            '>' if is_arrow_or_more(&chars[..at], after) => out.push('>'),
            '>' => out.push_str("&gt;"),
            '&' if after.is_some_and(|c| c == '#' || c.is_ascii_alphabetic()) => out.push_str("&amp;"),
            '\\' | '`' | '*' | '[' | ']' | '|' | '~' => {
                out.push('\\');
                out.push(found);
            }
            // Inside a word an underscore is only an underscore (CommonMark 6.2).
            '_' if before.is_some_and(char::is_alphanumeric) && after.is_some_and(char::is_alphanumeric) => {
                out.push(found);
            }
            '_' => out.push_str("\\_"),
            // GFM makes links of bare `scheme://`, `www.` and addresses.
            ':' if after == Some('/') => out.push_str("\\:"),
            '.' if ends_with_www(&chars[..at]) => out.push_str("\\."),
            '@' => out.push_str("\\@"),
            // A heading loses the number signs at its end.
            '#' if at + 1 == chars.len() => out.push_str("\\#"),
            '#' | '+' | '-' | '=' if at == 0 => {
                out.push('\\');
                out.push(found);
            }
            '.' | ')'
                if after.is_none_or(|c| c == ' ')
                    && chars[..at].iter().all(char::is_ascii_digit)
                    && at > 0 =>
            {
                out.push('\\');
                out.push(found);
            }
            _ => out.push(found),
        }
    }
    out
}

/// Whether a text is one line of letters, digits and marks that mean nothing in Markdown: most are.
fn is_prose(text: &str) -> bool {
    let mut before = b' ';
    let plain = |byte: &u8| {
        let joined = match byte {
            b' ' => before != b' ',
            b'/' => before != b':',
            b'w' | b'W' => !before.eq_ignore_ascii_case(&b'w'),
            _ => true,
        };
        before = *byte;
        joined && PROSE[usize::from(*byte)]
    };
    let bytes = text.as_bytes();
    bytes.first().is_some_and(u8::is_ascii_alphabetic) && bytes.iter().all(plain) && !text.ends_with(' ')
}

/// The signs of ASCII that are seen and never escaped, except for the first of a line and beside some others.
const PROSE: [bool; 256] = {
    let mut prose = [false; 256];
    let (mut byte, escaped) = (b' ', b"<>&\\`*[]|~_@#");
    while byte <= b'~' {
        prose[byte as usize] = true;
        byte += 1;
    }
    let mut at = 0;
    while at < escaped.len() {
        prose[escaped[at] as usize] = false;
        at += 1;
    }
    prose
};

/// Whether `>` after some text is the end of an arrow (`->`, `=>`) or is between blanks: inside a line that
/// opens no quotation, and with no `<` left no tag can end there. The end of a comment (`-->`) stays escaped.
fn is_arrow_or_more(before: &[char], after: Option<char>) -> bool {
    match before {
        [.., '-' | '!', '-'] => false,
        [.., _, '-' | '='] => true,
        [.., _, ' '] => after == Some(' '),
        _ => false,
    }
}

fn ends_with_www(before: &[char]) -> bool {
    let [.., a, b, c] = before else { return false };
    let start = before.len() == 3 || !before[before.len() - 4].is_alphanumeric();
    start && [a, b, c].into_iter().all(|c| c.eq_ignore_ascii_case(&'w'))
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
    use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

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
    fn prose_is_what_nothing_is_escaped_in() {
        for text in ["It is 3.5 (or so): yes, \"really\"!", "a - b + c = d; 50% /x", "a"] {
            assert!(is_prose(text) && markdown(text) == text, "{text}");
        }
        for text in [
            "", " a", "a ", "a  b", "a\nb", "1. x", "- x", "www.x", "xWw", "http://x", "a_b", "a#", "ü",
            "a\tb", "x@y", "R&D",
        ] {
            assert!(!is_prose(text), "{text}");
        }
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
    fn an_arrow_is_written_as_it_is_and_the_end_of_a_comment_is_not() {
        for text in ["find(key) -> Answer", "x => y, and 5 > 3"] {
            assert_eq!(markdown(text), text);
            assert!(is_one_text(text), "{text}");
        }
        for (text, wanted) in [
            ("a --> b", "a --&gt; b"),
            ("a --!> b", "a --!&gt; b"),
            ("!-> b", "!-&gt; b"),
            ("> b", "&gt; b"),
            ("-> b", "\\-&gt; b"),
            ("<b> ?> ]]>", "&lt;b&gt; ?&gt; \\]\\]&gt;"),
        ] {
            assert_eq!(markdown(text), wanted);
        }
    }

    /// The events of a list item that holds nothing but the text.
    fn is_one_text(source: &str) -> bool {
        let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_GFM;
        let document = format!("- [Maya] {source}\n");
        let mut depth = Vec::new();
        for event in Parser::new_ext(&document, options) {
            match event {
                Event::Start(Tag::List(None) | Tag::Item) => depth.push(()),
                Event::End(TagEnd::List(_) | TagEnd::Item) => {}
                Event::Text(_) => {}
                _ => return false,
            }
        }
        depth.len() == 2
    }

    #[test]
    fn hostile_text_is_one_text_node() {
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
            assert!(is_one_text(&markdown(text)), "{text:?} became {:?}", markdown(text));
        }
    }

    proptest! {
        #[test]
        fn any_text_is_one_text_node(text in "\\PC{0,60}|[-#*_`~<>|!\\[\\]()&:;.\\\\ a1\n]{0,40}") {
            let source = markdown(&text);
            prop_assume!(!source.is_empty());
            prop_assert!(is_one_text(&source), "{:?} became {:?}", text, source);
        }

        #[test]
        fn cleaning_twice_is_cleaning_once(text in any::<String>()) {
            let once = clean(&text);
            prop_assert_eq!(clean(&once), once);
        }
    }
}
