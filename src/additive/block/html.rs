//! Raw HTML in Markdown, read by its tags: which elements are open (the *HTML context* of S4), and
//! whether a piece of it is unterminated or holds an element that takes over what follows.

use std::collections::BTreeMap;

use sha2::{Digest as _, Sha256};

/// The elements that are open at a place, the outermost first.
#[derive(Clone, Debug, Default)]
pub struct Context {
    open: Vec<Open>,
    /// How many of each name are open: most end tags that have no element are known by it.
    counts: BTreeMap<&'static str, usize>,
}

/// An element that is open.
#[derive(Clone, Debug)]
struct Open {
    name: &'static str,
    /// The piece of HTML that opened it: its attributes, and for `<details>` its summary.
    opened: [u8; 16],
    /// A digest of everything that is open here, this one included.
    all: [u8; 16],
}

/// The first half of a SHA-256: what equal contexts are told by.
fn digest(parts: &[&[u8]]) -> [u8; 16] {
    let mut hash = Sha256::new();
    parts.iter().for_each(|part| hash.update(part));
    let mut half = [0; 16];
    half.copy_from_slice(&hash.finalize()[..16]);
    half
}

/// What was seen in a piece of raw HTML.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// A tag, comment, declaration or raw-text element that does not end in the piece.
    pub unterminated: bool,
    /// An element of GFM's filter list, or one that belongs to the page and not to a document.
    pub banned: bool,
}

impl Seen {
    pub fn and(self, other: Seen) -> Seen {
        Seen { unterminated: self.unterminated || other.unterminated, banned: self.banned || other.banned }
    }
}

/// Block-level and formatting elements, whose state shows in what follows them; sorted.
const COUNTED: &[&str] = &[
    "a",
    "abbr",
    "address",
    "article",
    "aside",
    "audio",
    "b",
    "bdi",
    "bdo",
    "big",
    "blockquote",
    "button",
    "canvas",
    "caption",
    "center",
    "cite",
    "code",
    "colgroup",
    "data",
    "datalist",
    "dd",
    "del",
    "details",
    "dfn",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "em",
    "fieldset",
    "figcaption",
    "figure",
    "font",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hgroup",
    "i",
    "ins",
    "kbd",
    "label",
    "legend",
    "li",
    "listing",
    "main",
    "map",
    "mark",
    "marquee",
    "math",
    "menu",
    "meter",
    "nav",
    "nobr",
    "noscript",
    "object",
    "ol",
    "optgroup",
    "option",
    "output",
    "picture",
    "pre",
    "progress",
    "q",
    "rp",
    "rt",
    "ruby",
    "s",
    "samp",
    "search",
    "section",
    "select",
    "slot",
    "small",
    "span",
    "strike",
    "strong",
    "sub",
    "summary",
    "sup",
    "svg",
    "table",
    "tbody",
    "td",
    "template",
    "tfoot",
    "th",
    "thead",
    "time",
    "tr",
    "tt",
    "u",
    "ul",
    "var",
    "video",
];

/// Formatting elements: a browser opens them again behind the item or quotation they were left open in
/// (HTML, 13.2.4.3, the list of active formatting elements); sorted.
const FORMATTING: &[&str] =
    &["a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"];

/// Elements whose content is no HTML: everything up to their end tag is text (GFM 6.11's list).
const RAW_TEXT: &[&str] =
    &["iframe", "noembed", "noframes", "plaintext", "script", "style", "textarea", "title", "xmp"];

/// Elements of a page, which no document may bring in.
const OF_A_PAGE: &[&str] = &["base", "body", "frameset", "head", "html", "link", "meta"];

impl Context {
    /// How many elements are open.
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    /// Ends every element that was opened since, as the end of a table's cell does.
    pub fn truncate(&mut self, depth: usize) {
        while self.open.len() > depth {
            if let Some(count) = self.open.pop().and_then(|open| self.counts.get_mut(open.name)) {
                *count -= 1;
            }
        }
    }

    /// Ends what was opened since, as the end of an item or a quote does: all but formatting.
    pub fn leave(&mut self, depth: usize) {
        let inside = self.open.get(depth..).unwrap_or_default();
        let stay: Vec<Open> =
            inside.iter().filter(|open| FORMATTING.binary_search(&open.name).is_ok()).cloned().collect();
        self.truncate(depth);
        stay.into_iter().for_each(|open| self.push(open.name, open.opened));
    }

    fn push(&mut self, name: &'static str, opened: [u8; 16]) {
        let above = self.open.last().map_or([0; 16], |open| open.all);
        let all = digest(&[&above, name.as_bytes(), b">", &opened]);
        self.open.push(Open { name, opened, all });
        *self.counts.entry(name).or_default() += 1;
    }

    /// Writes what is open: a digest of all, and the name of the innermost; nothing where nothing is.
    pub fn write(&self, out: &mut Vec<u8>) {
        if let Some(last) = self.open.last() {
            out.extend_from_slice(&last.all);
            out.extend_from_slice(last.name.as_bytes());
        }
    }

    /// The name of the innermost element in what [`Context::write`] wrote.
    pub fn name(written: &[u8]) -> Option<&str> {
        std::str::from_utf8(written.get(16..)?).ok()
    }

    /// Reads a piece of raw HTML: its tags open and close elements.
    pub fn read(&mut self, html: &[u8]) -> Seen {
        let opened = digest(&[html.trim_ascii_end()]);
        let mut seen = Seen::default();
        let mut at = 0;
        while let Some(found) = memchr::memchr(b'<', &html[at..]) {
            let start = at + found;
            let rest = &html[start..];
            let ended = |closing: &[u8], from: usize| {
                memchr::memmem::find(rest.get(from..).unwrap_or_default(), closing)
                    .map(|end| start + from + end + closing.len())
            };
            let next = if rest.starts_with(b"<!--") {
                // `<!-->` and `<!--->` are comments of their own (CommonMark 0.31, 6.6).
                match rest {
                    [_, _, _, _, b'>', ..] => Some(start + 5),
                    [_, _, _, _, b'-', b'>', ..] => Some(start + 6),
                    _ => ended(b"-->", 4),
                }
            } else if rest.starts_with(b"<![CDATA[") {
                ended(b"]]>", 9)
            } else if rest.starts_with(b"<?") {
                ended(b"?>", 2)
            } else if rest.starts_with(b"<!") {
                ended(b">", 2)
            } else {
                match tag(rest) {
                    None => Some(start + 1),
                    Some(tag) => {
                        let raw = self.apply(&tag, opened, &mut seen);
                        match (tag.length, raw) {
                            (None, _) => None,
                            (Some(length), None) => Some(start + length),
                            (Some(length), Some(name)) => raw_end(html, start + length, name),
                        }
                    }
                }
            };
            match next {
                Some(next) => at = next,
                None => {
                    seen.unterminated = true;
                    return seen;
                }
            }
        }
        seen
    }

    /// Opens or closes an element. Gives the name of one whose content is text.
    fn apply(&mut self, tag: &Tag<'_>, opened: [u8; 16], seen: &mut Seen) -> Option<&'static str> {
        let mut lower = [0_u8; 16];
        let name = lower.get_mut(..tag.name.len())?;
        name.copy_from_slice(tag.name);
        name.make_ascii_lowercase();
        let name = std::str::from_utf8(name).ok()?;
        let known = |list: &[&'static str]| list.binary_search(&name).ok().map(|at| list[at]);
        if tag.closes {
            // An end tag closes what was opened inside of its element too; without one it is nothing.
            if self.counts.get(name).is_some_and(|count| *count > 0)
                && let Some(at) = self.open.iter().rposition(|open| open.name == name)
            {
                self.truncate(at);
            }
            return None;
        }
        seen.banned |= known(RAW_TEXT).is_some() || known(OF_A_PAGE).is_some();
        if let Some(name) = known(COUNTED) {
            self.push(name, opened);
        }
        known(RAW_TEXT)
    }
}

/// The end of a raw-text element whose start tag ends at `from`; none where it does not end.
fn raw_end(html: &[u8], from: usize, name: &str) -> Option<usize> {
    let mut at = from;
    while let Some(found) = memchr::memmem::find(&html[at..], b"</") {
        let start = at + found + 2;
        let end = start + name.len();
        if html.get(start..end).is_some_and(|found| found.eq_ignore_ascii_case(name.as_bytes())) {
            return memchr::memchr(b'>', &html[end..]).map(|close| end + close + 1);
        }
        at = start;
    }
    None
}

struct Tag<'h> {
    name: &'h [u8],
    closes: bool,
    /// Its length in bytes; none where it does not end.
    length: Option<usize>,
}

/// The tag that a text starting with `<` begins with, if it begins with one.
fn tag(text: &[u8]) -> Option<Tag<'_>> {
    let closes = text.get(1) == Some(&b'/');
    let start = if closes { 2 } else { 1 };
    if !text.get(start)?.is_ascii_alphabetic() {
        return None;
    }
    let named = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-';
    let end = start + text[start..].iter().take_while(|byte| named(byte)).count();
    let (mut at, mut quote) = (end, None::<u8>);
    while let Some(byte) = text.get(at).copied() {
        match quote {
            Some(open) => quote = Some(open).filter(|open| *open != byte),
            // A quotation mark opens a value only behind an equals sign.
            None if matches!(byte, b'"' | b'\'') && text[end..at].trim_ascii_end().ends_with(b"=") => {
                quote = Some(byte);
            }
            None if byte == b'>' => {
                return Some(Tag { name: &text[start..end], closes, length: Some(at + 1) });
            }
            None => {}
        }
        at += 1;
    }
    Some(Tag { name: &text[start..end], closes, length: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(html: &str) -> (String, Seen) {
        let mut context = Context::default();
        let seen = context.read(html.as_bytes());
        (context.open.iter().map(|open| open.name).collect::<Vec<_>>().join(" "), seen)
    }

    #[test]
    fn the_lists_are_sorted() {
        assert!(
            FORMATTING.is_sorted() && COUNTED.is_sorted() && RAW_TEXT.is_sorted() && OF_A_PAGE.is_sorted()
        );
        assert!(COUNTED.iter().chain(RAW_TEXT).chain(OF_A_PAGE).all(|name| name.len() <= 16));
    }

    #[test]
    fn tags_open_and_close_elements() {
        for (html, open) in [
            ("<details><summary>x</summary>", "details"),
            ("<DIV class=\"a>b\"><b>", "div b"),
            ("<div></details></div>", ""),
            ("<ul><li>a<li>b</ul>", ""),
            ("<br><img src=x><p><unknown-thing>", ""),
            ("<!-- <div> --><?x <div> ?><![CDATA[<div>]]><!X <div>", ""),
            ("a < b <div/>", "div"),
            ("<script><div></script><em>", "em"),
            ("<!--><div>", "div"),
        ] {
            assert_eq!(read(html).0, open, "{html}");
        }
    }

    #[test]
    fn what_does_not_end_is_seen() {
        for html in ["<div", "<!-- x", "<a href=\"x>", "<![CDATA[", "<? x", "<script> x", "<!x", "</div"] {
            assert!(read(html).1.unterminated, "{html}");
        }
        for html in ["<div>", "a < b", "<1", "<!-- x -->", "<a title=it's>", "<!--->"] {
            assert!(!read(html).1.unterminated, "{html}");
        }
    }

    #[test]
    fn what_takes_over_the_page_is_seen() {
        for html in ["<title>", "<META x>", "<style></style>", "<plaintext>"] {
            assert!(read(html).1.banned, "{html}");
        }
        assert!(!read("<titles><em></script>").1.banned);
    }
}
