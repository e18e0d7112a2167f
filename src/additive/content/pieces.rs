//! A text as the tree that `content` compares: sections, sentences, rows, keys, lines. Every format makes the
//! same tree, so one comparison serves all of them.
//!
//! All texts are in one string, and the nodes in one row; a node is a few numbers.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Range;

/// No piece.
pub const NONE: u32 = u32::MAX;

/// Pieces inside of each other beyond this are not compared.
pub const DEEPEST: usize = 600;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sort {
    Root,
    /// A heading with everything below it; the heading's words are its text.
    Section,
    /// A heading inside of a quotation or an item.
    Heading,
    Sentence,
    /// An item of a list, whatever its marker.
    Item,
    Quote,
    Table,
    /// A row; the first of a table is its header.
    Row,
    Cell,
    /// Lines of code without blank ones.
    Code,
    Html,
    Comment,
    /// What has names and no order: definitions, footnotes, front matter, an object.
    Names,
    /// A name with what it names.
    Name,
    Array,
    Scalar,
    Line,
}

impl Sort {
    /// What people call it.
    pub const fn name(self) -> &'static str {
        match self {
            Sort::Root => "document",
            Sort::Section => "section",
            Sort::Heading => "heading",
            Sort::Sentence => "text",
            Sort::Item => "list item",
            Sort::Quote => "quotation",
            Sort::Table => "table",
            Sort::Row => "row",
            Sort::Cell => "cell",
            Sort::Code => "code block",
            Sort::Html => "HTML block",
            Sort::Comment => "comment",
            Sort::Names => "mapping",
            Sort::Name => "key",
            Sort::Array => "list",
            Sort::Scalar => "value",
            Sort::Line => "line",
        }
    }

    /// How the children are compared.
    pub const fn order(self) -> Order {
        match self {
            Sort::Names => Order::Named,
            Sort::Row => Order::Positions,
            _ => Order::Sequence,
        }
    }

    /// Whether it is text that people read, and no container.
    pub const fn is_leaf(self) -> bool {
        matches!(
            self,
            Sort::Heading
                | Sort::Sentence
                | Sort::Code
                | Sort::Html
                | Sort::Comment
                | Sort::Scalar
                | Sort::Line
        )
    }
}

/// How old children are found among new ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// In order, with new ones between them.
    Sequence,
    /// By their number.
    Positions,
    /// By their text.
    Named,
}

#[derive(Clone, Debug)]
pub struct Piece {
    pub sort: Sort,
    /// What its text does not say: a heading's level, the box of a task, an alert's kind, a value's type.
    pub tag: u8,
    /// Its visible number, where it is an item of a numbered list.
    pub number: u32,
    /// The raw HTML that is open where it starts.
    pub context: u32,
    /// The block it belongs to: findings of one block are one finding.
    pub block: u32,
    text: (u32, u32),
    /// Its lines, from one.
    pub line: u32,
    pub last_line: u32,
    pub parent: u32,
    pub first: u32,
    pub next: u32,
    /// Of its text and everything below it.
    pub whole: u64,
    /// It may change: a life cycle says so.
    pub is_free: bool,
    /// It may be taken out: a life cycle says so.
    pub may_go: bool,
}

/// Marks the number of a block that is no node of a Markdown tree.
pub const OF_ITS_OWN: u32 = 1 << 31;
/// No number.
pub const NO_NUMBER: u32 = u32::MAX;

/// A link in the text of a piece.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Link {
    pub span: Range<u32>,
    pub target: String,
}

/// A text as pieces.
#[derive(Default)]
pub struct Pieces {
    all: Vec<Piece>,
    text: String,
    /// The links of each piece that has some, in the order of the pieces.
    links: Vec<(u32, Link)>,
    /// The texts of pieces that are written in other styles than they are compared in.
    verbatim: HashMap<u32, String>,
    /// Raw HTML contexts by their number; the first is that of nothing.
    contexts: Vec<Vec<u8>>,
    known: HashMap<Vec<u8>, u32>,
    /// The last child of each piece so far.
    lasts: Vec<u32>,
    depths: Vec<u16>,
    /// The place of each piece among its parent's children, once it is asked for.
    places: OnceCell<Vec<u32>>,
    /// Something was nested too deep to be compared.
    pub is_too_deep: bool,
}

impl Pieces {
    pub fn new() -> Pieces {
        let mut pieces = Pieces { contexts: vec![Vec::new()], ..Pieces::default() };
        pieces.add(NONE, Sort::Root, "", 1);
        pieces
    }

    /// A new piece at the end of what its parent holds so far.
    pub fn add(&mut self, parent: u32, sort: Sort, text: &str, line: usize) -> u32 {
        let at = self.all.len() as u32;
        let start = self.text.len() as u32;
        self.text.push_str(text);
        let depth = if parent == NONE { 0 } else { self.depths[parent as usize] + 1 };
        self.is_too_deep |= usize::from(depth) > DEEPEST;
        self.all.push(Piece {
            sort,
            tag: 0,
            number: NO_NUMBER,
            context: 0,
            block: at | OF_ITS_OWN,
            text: (start, self.text.len() as u32),
            line: line as u32,
            last_line: line as u32,
            parent,
            first: NONE,
            next: NONE,
            whole: 0,
            is_free: false,
            may_go: false,
        });
        self.depths.push(depth.min(u16::MAX - 1));
        self.lasts.push(NONE);
        if parent != NONE {
            match self.lasts[parent as usize] {
                NONE => self.all[parent as usize].first = at,
                last => self.all[last as usize].next = at,
            }
            self.lasts[parent as usize] = at;
        }
        at
    }

    /// Sets the text of a piece that has none yet.
    pub fn set_text(&mut self, at: u32, text: &str) {
        let start = self.text.len() as u32;
        self.text.push_str(text);
        self.all[at as usize].text = (start, self.text.len() as u32);
    }

    pub fn add_link(&mut self, at: u32, link: Link) {
        self.links.push((at, link));
    }

    /// The number of a context, which is none where nothing is open.
    pub fn context(&mut self, written: Vec<u8>) -> u32 {
        if written.is_empty() {
            return 0;
        }
        let next = self.contexts.len() as u32;
        let number = *self.known.entry(written.clone()).or_insert(next);
        if number == next {
            self.contexts.push(written);
        }
        number
    }

    pub fn context_of(&self, at: u32) -> &[u8] {
        &self.contexts[self.at(at).context as usize]
    }

    pub fn count(&self) -> usize {
        self.all.len()
    }

    pub fn at(&self, at: u32) -> &Piece {
        &self.all[at as usize]
    }

    pub fn at_mut(&mut self, at: u32) -> &mut Piece {
        &mut self.all[at as usize]
    }

    pub fn text(&self, at: u32) -> &str {
        let (start, end) = self.at(at).text;
        self.text.get(start as usize..end as usize).unwrap_or_default()
    }

    /// Says how a text is written.
    pub fn set_verbatim(&mut self, at: u32, text: String) {
        self.verbatim.insert(at, text);
    }

    /// The text as it is written: with its own quotation marks and dashes.
    pub fn verbatim(&self, at: u32) -> &str {
        self.verbatim.get(&at).map_or_else(|| self.text(at), String::as_str)
    }

    /// The text as it is compared: a full stop at its end is nothing.
    pub fn compared_text(&self, at: u32) -> &str {
        let text = self.text(at);
        match self.at(at).sort {
            Sort::Sentence => text.strip_suffix('.').map_or(text, str::trim_end),
            _ => text,
        }
    }

    pub fn links(&self, at: u32) -> impl Iterator<Item = &Link> {
        let first = self.links.partition_point(|(piece, _)| *piece < at);
        self.links[first..].iter().take_while(move |(piece, _)| *piece == at).map(|(_, link)| link)
    }

    pub fn children(&self, of: u32) -> impl Iterator<Item = u32> + '_ {
        let mut next = self.at(of).first;
        std::iter::from_fn(move || {
            let found = (next != NONE).then_some(next)?;
            next = self.at(found).next;
            Some(found)
        })
    }

    /// The place of a piece among its parent's children; of all pieces at once, so that no list is counted twice.
    pub fn place_of(&self, at: u32) -> usize {
        let places = self.places.get_or_init(|| {
            let mut counts = vec![0; self.all.len()];
            let place = |piece: &Piece| match counts.get_mut(piece.parent as usize) {
                Some(count) => {
                    *count += 1;
                    *count - 1
                }
                None => 0,
            };
            self.all.iter().map(place).collect()
        });
        places[at as usize] as usize
    }

    /// Hashes every subtree: called once, when all pieces are there.
    pub fn finish(&mut self) {
        self.links.sort_by_key(|(piece, link)| (*piece, link.span.start));
        for at in (0..self.all.len() as u32).rev() {
            let mut hash = DefaultHasher::new();
            let piece = self.at(at);
            (piece.sort, piece.tag, piece.number, self.compared_text(at)).hash(&mut hash);
            self.context_of(at).hash(&mut hash);
            self.links(at).for_each(|link| link.hash(&mut hash));
            for child in self.children(at) {
                self.at(child).whole.hash(&mut hash);
            }
            self.all[at as usize].whole = hash.finish();
        }
        self.known = HashMap::new();
    }

    /// Whether front matter was read as lines.
    pub fn has_front_lines(&self) -> bool {
        let front = self.children(0).next().filter(|first| self.at(*first).sort == Sort::Array);
        let first = front.map_or(NONE, |front| self.at(front).first);
        first != NONE && self.at(first).sort == Sort::Line
    }

    /// The nearest section that a piece is in; the root where it is in none.
    pub fn section_of(&self, at: u32) -> u32 {
        let mut at = self.at(at).parent;
        while at != NONE && !matches!(self.at(at).sort, Sort::Section | Sort::Root) {
            at = self.at(at).parent;
        }
        if at == NONE { 0 } else { at }
    }
}
