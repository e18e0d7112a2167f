//! Raw HTML in Markdown, as a browser's tokenizer reads it: which elements are open (the *HTML context*
//! of G-S4), and whether new HTML is balanced on its own.
//!
//! Each piece (an HTML block, or an inline tag or comment) is read alone. A piece that ends inside of a
//! tag or comment is *unfinished*: in new text that is a finding, and old text after one stays as it is.

use std::collections::BTreeMap;
use std::convert::Infallible;

use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Error, Span, Tokenizer};
use sha2::{Digest as _, Sha256};

/// The elements that are open at a place, the outermost first.
#[derive(Clone, Debug, Default)]
pub struct Context {
    open: Vec<OpenElement>,
    /// How many of each name are open: most end tags that have no element are known by it.
    counts: BTreeMap<&'static str, usize>,
}

/// An element that is open.
#[derive(Clone, Debug)]
struct OpenElement {
    name: &'static str,
    /// The piece of HTML that opened it: its attributes, and for `<details>` its summary.
    opened: [u8; 16],
    /// It is `<details>` that is not open.
    folds: bool,
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

/// Formatting elements: a browser opens them again after the item or quotation they were left open in
/// (HTML, 13.2.4.3, the list of active formatting elements); sorted.
const FORMATTING: &[&str] =
    &["a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"];

/// Elements whose content is no HTML: everything up to their end tag is text (GFM 6.11's list, and
/// `noscript` where scripts run).
const RAW_TEXT: &[&str] = &[
    "iframe",
    "noembed",
    "noframes",
    "noscript",
    "plaintext",
    "script",
    "style",
    "textarea",
    "title",
    "xmp",
];

/// Elements of a page, which no document may bring in.
const OF_A_PAGE: &[&str] = &["base", "body", "frameset", "head", "html", "link", "meta"];

/// The name of a block-level or formatting element.
fn counted(name: &[u8]) -> Option<&'static str> {
    let at = COUNTED.binary_search_by(|known| known.as_bytes().cmp(name)).ok()?;
    COUNTED.get(at).copied()
}

/// Elements without content (HTML 13.1.2), and those that a browser reads as such.
const VOID: &[&str] = &[
    "area", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img", "input", "keygen", "param",
    "source", "track", "wbr",
];

/// What is in the context for a tag or comment that does not end.
const UNFINISHED: &str = "!--";

impl Context {
    /// How many elements are open.
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    /// Ends every element that was opened since, as the end of a table's cell does.
    pub fn truncate(&mut self, depth: usize) {
        if self.is_unfinished() {
            return;
        }
        while self.open.len() > depth {
            if let Some(count) = self.open.pop().and_then(|open| self.counts.get_mut(open.name)) {
                *count -= 1;
            }
        }
    }

    /// Whether a tag or comment did not end: then nothing that follows is known to be what it seems.
    fn is_unfinished(&self) -> bool {
        self.open.last().is_some_and(|open| open.name == UNFINISHED)
    }

    /// Ends what was opened since, as the end of an item or a quote does: all but formatting.
    pub fn leave(&mut self, depth: usize) {
        if self.is_unfinished() {
            return;
        }
        let inside = self.open.get(depth..).unwrap_or_default();
        let stay: Vec<OpenElement> =
            inside.iter().filter(|open| FORMATTING.binary_search(&open.name).is_ok()).cloned().collect();
        self.truncate(depth);
        stay.into_iter().for_each(|open| self.push(open.name, open.opened, open.folds));
    }

    fn push(&mut self, name: &'static str, opened: [u8; 16], folds: bool) {
        let above = self.open.last().map_or([0; 16], |open| open.all);
        let all = digest(&[&above, name.as_bytes(), b">", &opened]);
        self.open.push(OpenElement { name, opened, folds, all });
        *self.counts.entry(name).or_default() += 1;
    }

    /// Writes what is open: a digest of all, how many of them fold, and the name of the innermost; nothing where
    /// nothing is.
    pub fn write(&self, out: &mut Vec<u8>) {
        if let Some(last) = self.open.last() {
            let folds = self.open.iter().filter(|open| open.folds).count();
            out.extend_from_slice(&last.all);
            out.push(u8::try_from(folds).unwrap_or(u8::MAX));
            out.extend_from_slice(last.name.as_bytes());
        }
    }

    /// The name of the innermost element in what [`Context::write`] wrote.
    pub fn name(written: &[u8]) -> Option<&str> {
        std::str::from_utf8(written.get(17..)?).ok()
    }

    /// How many elements that fold are open in what [`Context::write`] wrote.
    pub fn folds(written: &[u8]) -> u8 {
        written.get(16).copied().unwrap_or_default()
    }

    /// Reads a piece of raw HTML: its tags open and close elements. A tag or comment that does not end
    /// in the piece stays open for good, since only what follows it could end it.
    pub fn read(&mut self, html: &[u8]) {
        if self.is_unfinished() {
            return;
        }
        let opened = digest(&[html.trim_ascii_end()]);
        tokens(html, &mut |token| match token {
            Token::Start { name, is_open, .. } => {
                if let Some(known) = counted(name) {
                    self.push(known, opened, known == "details" && !is_open);
                }
            }
            Token::End { name } => self.close(name),
            Token::Unfinished => self.push(UNFINISHED, opened, false),
            Token::Cdata => {}
        });
    }

    /// An end tag closes what was opened inside of its element too; without one it is nothing.
    fn close(&mut self, name: &[u8]) {
        let is_open = |name: &str| self.counts.get(name).is_some_and(|count| *count > 0);
        if std::str::from_utf8(name).is_ok_and(is_open)
            && let Some(at) = self.open.iter().rposition(|open| open.name.as_bytes() == name)
        {
            self.truncate(at);
        }
    }
}

/// What a browser's tokenizer makes of a piece of raw HTML. Names are in lower case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'h> {
    Start {
        name: &'h [u8],
        self_closing: bool,
        /// It has the attribute `open`.
        is_open: bool,
    },
    End {
        name: &'h [u8],
    },
    /// A CDATA section, which is a comment outside of SVG and MathML.
    Cdata,
    /// A tag, comment or declaration that does not end in the piece.
    Unfinished,
}

/// Reads a piece of raw HTML by the tokenizer of the HTML standard (13.2.5). The content of elements such
/// as `<script>` is text.
fn tokens(html: &[u8], take: &mut dyn FnMut(Token<'_>)) {
    let (mut open, mut is_open): (Vec<u8>, bool) = (Vec::new(), false);
    // Text after the piece: where the piece ends inside of a tag or comment, it is no text.
    let text = [html, BEHIND].concat();
    let mut ends = true;
    events(&text, true, &mut |event| {
        ends = false;
        match event {
            CallbackEvent::String { value } => ends = value.ends_with(BEHIND),
            CallbackEvent::OpenStartTag { name } => {
                open.clear();
                open.extend_from_slice(name);
                is_open = false;
            }
            CallbackEvent::AttributeName { name } => is_open |= name == b"open",
            CallbackEvent::CloseStartTag { self_closing } => {
                take(Token::Start { name: &open, self_closing, is_open });
            }
            CallbackEvent::EndTag { name } => take(Token::End { name }),
            CallbackEvent::Error(Error::CdataInHtmlContent) => take(Token::Cdata),
            _ => {}
        }
    });
    if !ends {
        take(Token::Unfinished);
    }
}

/// Runs the tokenizer, with or without its states for the content of `<script>` and its like. The only place
/// that does: each further callback type would compile the tokenizer again.
fn events(html: &[u8], switches_states: bool, take: &mut dyn FnMut(CallbackEvent<'_>)) {
    let mut emitter = CallbackEmitter::new(|event: CallbackEvent<'_>, _: Span<()>| -> Option<Infallible> {
        take(event);
        None
    });
    emitter.naively_switch_states(switches_states);
    // A reader of bytes in memory has no way to fail, and the callback gives nothing back.
    let _ = Tokenizer::new_with_emitter(html, emitter).finish();
}

/// What is put after a piece to see whether it ends.
const BEHIND: &[u8] = b"\nx";

/// Whether a piece of HTML is comments and blanks alone: a reader of the page sees nothing of it.
pub fn is_comment(html: &[u8]) -> bool {
    let html = html.trim_ascii();
    let mut shows = false;
    events(html, false, &mut |event| {
        shows |= match event {
            CallbackEvent::Comment { .. } | CallbackEvent::AttributeName { .. } => false,
            CallbackEvent::String { value } => !value.trim_ascii().is_empty(),
            CallbackEvent::Error(error) => matches!(error, Error::EofInComment),
            _ => true,
        };
    });
    html.starts_with(b"<!--") && html.ends_with(b"-->") && !shows
}

/// What an inline tag does to the text after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InlineTag {
    Opens { name: Vec<u8>, hides: bool },
    Closes { name: Vec<u8> },
}

/// Reads an inline tag; none where it is something else, or an element without content.
pub fn inline_tag(html: &[u8]) -> Option<InlineTag> {
    let (mut name, mut attribute, mut hides, mut found) = (Vec::new(), Vec::new(), false, None);
    events(html, false, &mut |event| match event {
        CallbackEvent::OpenStartTag { name: opened } => opened.clone_into(&mut name),
        CallbackEvent::AttributeName { name } => {
            hides |= name == b"hidden";
            name.clone_into(&mut attribute);
        }
        CallbackEvent::AttributeValue { value } if attribute == b"style" => {
            let style: Vec<u8> = value.iter().filter(|byte| !byte.is_ascii_whitespace()).copied().collect();
            let style = String::from_utf8_lossy(&style).to_ascii_lowercase();
            hides |= ["display:none", "visibility:hidden"].iter().any(|hidden| style.contains(hidden));
        }
        CallbackEvent::CloseStartTag { .. } if !VOID.iter().any(|void| void.as_bytes() == name) => {
            found = Some(InlineTag::Opens { name: name.clone(), hides });
        }
        CallbackEvent::EndTag { name } => found = Some(InlineTag::Closes { name: name.to_owned() }),
        _ => {}
    });
    found
}

/// A place that elements end with: an item, a quotation or a cell, by its node and the number of the cell.
pub type Place = (u32, u32);

/// A start tag that no end tag has come for.
#[derive(Clone, Debug)]
pub struct OpenTag {
    name: Vec<u8>,
    place: Place,
    /// The node that it is in.
    pub node: u32,
}

impl OpenTag {
    pub fn name(&self) -> String {
        String::from_utf8_lossy(&self.name).into_owned()
    }

    /// Whether it is part of the context of what it holds.
    pub fn is_context(&self) -> bool {
        counted(&self.name).is_some()
    }
}

/// Whether new raw HTML is balanced on its own: within one run of new blocks it closes what it opens, in
/// order and in the same place, and nothing else.
#[derive(Debug, Default)]
pub struct Balance {
    open: Vec<OpenTag>,
    /// What was open where old text came.
    around: Vec<OpenTag>,
}

impl Balance {
    /// Takes what cannot be closed any more where these places were left: of each run the innermost element.
    pub fn leave(&mut self, is_left: &dyn Fn(Place) -> bool) -> impl Iterator<Item = OpenTag> + use<> {
        let mut left = Vec::new();
        if self.open.last().is_some_and(|open| is_left(open.place)) {
            left.extend(self.open.pop());
            self.open.clear();
        }
        let (gone, stay) = std::mem::take(&mut self.around).into_iter().partition(|open| is_left(open.place));
        self.around = stay;
        left.extend::<Vec<OpenTag>>(gone);
        left.into_iter()
    }

    /// Old text comes: what is open now is around it.
    pub fn go_around(&mut self) {
        self.around.append(&mut self.open);
    }

    /// A new run begins.
    pub fn begin_anew(&mut self) {
        self.open.clear();
    }

    /// Reads a piece that is new; says what is wrong with it, and which elements around old text it closes.
    pub fn read(&mut self, html: &[u8], place: Place, node: u32) -> (Option<String>, Vec<OpenTag>) {
        let (mut wrong, mut around) = (None, Vec::new());
        tokens(html, &mut |token| {
            if let Token::End { name } = token
                && self.open.is_empty()
                && let Some(open) = self.around.pop_if(|open| open.name == name && open.place == place)
            {
                return around.push(open);
            }
            let found = self.take(token, place, node);
            wrong = wrong.take().or(found);
        });
        (wrong, around)
    }

    fn take(&mut self, token: Token<'_>, place: Place, node: u32) -> Option<String> {
        let shown = |name: &[u8]| String::from_utf8_lossy(&name[..name.len().min(40)]).into_owned();
        let is = |name: &[u8], list: &[&str]| list.iter().any(|known| known.as_bytes() == name);
        let foreign = || self.open.iter().any(|open| is(&open.name, &["svg", "math"]));
        match token {
            Token::Unfinished => Some("a tag or comment does not end".to_owned()),
            // There it is no comment, and may hold what looks like the end of one.
            Token::Cdata => foreign().then(|| "CDATA is inside SVG or MathML".to_owned()),
            Token::Start { name, .. } if is(name, RAW_TEXT) || is(name, OF_A_PAGE) => {
                Some(format!("<{}> takes over what follows it", shown(name)))
            }
            Token::Start { name, self_closing, .. } => {
                if !(is(name, VOID) || self_closing && foreign()) {
                    self.open.push(OpenTag { name: name.to_vec(), place, node });
                }
                None
            }
            Token::End { name } => match self.open.last() {
                Some(open) if open.name == name && open.place == place => {
                    self.open.pop();
                    None
                }
                _ => Some(format!("</{}> closes what this text did not open", shown(name))),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(html: &str) -> String {
        let mut context = Context::default();
        context.read(html.as_bytes());
        context.open.iter().map(|open| open.name).collect::<Vec<_>>().join(" ")
    }

    fn wrong(html: &str) -> Option<String> {
        let mut balance = Balance::default();
        let wrong = balance.read(html.as_bytes(), (0, 0), 0).0;
        wrong.or_else(|| Some(balance.leave(&|_| true).next()?.name()))
    }

    #[test]
    fn the_lists_are_sorted() {
        assert!(FORMATTING.is_sorted() && COUNTED.is_sorted());
    }

    #[test]
    fn tags_open_and_close_elements() {
        for (html, context) in [
            ("<details><summary>x</summary>", "details"),
            ("<DIV class=\"a>b\"><b>", "div b"),
            ("<div></details></div>", ""),
            ("<ul><li>a<li>b</ul>", ""),
            ("<br><img src=x><p><unknown-thing>", ""),
            ("<!-- <div> --><!X <div>", ""),
            ("<?x <div> ?><em>", "em"),
            ("a < b <div/>", "div"),
            ("<script><div></script><em>", "em"),
            ("<!--><div>", "div"),
            ("<!-- a --!><div> -->", "div"),
            ("<![CDATA[><div>]]>", "div"),
        ] {
            assert_eq!(open(html), context, "{html}");
        }
    }

    #[test]
    fn what_does_not_end_stays_open() {
        for html in [
            "<div",
            "<!-- x",
            "<a href=\"x>",
            "<![CDATA[",
            "<? x",
            "<!x",
            "</div",
            "</",
            "<div <!-- -->x\"\n<b \"",
        ] {
            assert!(open(html).ends_with(UNFINISHED), "{html}: {}", open(html));
            assert!(wrong(html).is_some(), "{html}");
        }
    }

    #[test]
    fn new_html_closes_what_it_opens_and_nothing_else() {
        for html in [
            "<details><summary>x</summary></details>",
            "<br><IMG src=x><p></p><x-y></X-Y>",
            "<!-- <div> --><!doctype html>",
            "<svg><path/></svg>",
            "a < b",
            "<!-- a --!>",
        ] {
            assert_eq!(wrong(html), None, "{html}");
        }
        for html in [
            "<div>",
            "</div>",
            "<b><i></b></i>",
            "<ul><li>a</ul>",
            "<p>",
            "<name>",
            "<div/>",
            "<title>x</title>",
            "<META x>",
            "<noscript></noscript>",
            "<!-- a --!><div> -->",
            "<?x ><div> ?>",
            "<svg><![CDATA[><!-- ]]></svg><div> --></svg>",
            "</br>",
        ] {
            assert!(wrong(html).is_some(), "{html}");
        }
        let mut balance = Balance::default();
        assert!(balance.read(b"<b>", (1, 1), 1).0.is_none() && balance.read(b"</b>", (1, 2), 1).0.is_some());
    }

    #[test]
    fn a_tag_hides_by_its_attributes() {
        for (html, wanted) in [
            ("<span hidden>", true),
            ("<SPAN class=x style='Color: red; Display : none'>", true),
            ("<b style=\"visibility:hidden\">", true),
            ("<span title=\"hidden\" style=\"color:red\">", false),
        ] {
            let tag = inline_tag(html.as_bytes());
            assert!(
                matches!(tag, Some(InlineTag::Opens { hides, .. }) if hides == wanted),
                "{html}: {tag:?}"
            );
        }
        assert_eq!(inline_tag(b"</DEL>"), Some(InlineTag::Closes { name: b"del".to_vec() }));
        assert_eq!((inline_tag(b"<img hidden>"), inline_tag(b"<!-- a -->")), (None, None));
    }

    #[test]
    fn a_comment_is_nothing_to_a_reader() {
        for (html, is) in [
            ("<!-- a -->\n", true),
            ("<!-- a\n\n<b> --> <!-- b -->", true),
            ("<!-- a --> b", false),
            ("<!-- a --!> b -->", false),
            ("<b>", false),
            ("<!-- a", false),
            ("<? a ?>", false),
        ] {
            assert_eq!(is_comment(html.as_bytes()), is, "{html}");
        }
    }
}
