//! The short way to a yes: most changes add to a few sections and leave the others alone, and a
//! section that is the same byte for byte need not be parsed.
//!
//! A text is cut at its headings: lines that begin with `#` in the first column. Such a line is a
//! heading whatever is before it (it ends a paragraph, a list, a quotation), so each segment
//! parses alone as it does in the whole, as long as nothing reaches across a cut. What could is
//! looked for, and where it is found there is no short way: fences that do not begin in the first
//! column or are not closed, raw HTML other than a comment on a line of its own, other forms of
//! headings, link definitions that are new.
//!
//! Headings of another form count in new text only, where it is not the old one's byte for byte. What they
//! head in an old segment is headed by them in its equal image too, and a new segment that comes between
//! shows in the parents: it has a lower level than what is below it, or changes nothing for it.
//!
//! Old segments are matched with new ones in order; a match is an equal text, or an embedding of the
//! one's tree in the other's. If every old segment has an image whose parent is the image of its
//! parent, these matches together are an embedding of the whole tree. Anything else is left to the
//! whole comparison: only a yes is ever said here.
//!
//! The yes is one for the [line rule](crate::additive::text) too: the lines of equal segments are
//! equal, and the others are compared line by line.

use super::Search;
use super::tree::{self, Tree};
use crate::additive::text::{self, Lines};

/// A heading with what is below it, up to the next heading; the first has no heading.
pub struct Segment<'t> {
    /// Zero for what is before the first heading.
    pub level: u8,
    /// Where it begins.
    pub at: usize,
    pub text: &'t str,
}

/// The segments of a text, where each reads alone as it does in the whole, and every heading outside of
/// lists and quotations begins one.
pub fn segments(text: &str) -> Option<Vec<Segment<'_>>> {
    // Front matter is no Markdown, and the parser takes it anywhere; a definition counts everywhere.
    if text.starts_with("---")
        || may_open_front_matter(text.as_bytes())
        || text.starts_with('\u{feff}')
        || holds_definition(text.as_bytes())
    {
        return None;
    }
    Cutting::of(text, Signs::of(text.as_bytes())?).cut(&|_| None).map(|(found, _)| found)
}

/// How many blocks a change adds, if it can be told without parsing all of it that it only adds,
/// lines and blocks.
pub fn added(before: &str, after: &str) -> Option<usize> {
    // Definitions and footnotes count everywhere, wherever they are.
    if holds_definition(before.as_bytes()) || holds_definition(after.as_bytes()) {
        return None;
    }
    if tree::holds_alert(before.as_bytes()) || tree::holds_alert(after.as_bytes()) {
        return None;
    }
    let alike = Alike::of(before.as_bytes(), after.as_bytes());
    let middle = alike.middle(after.as_bytes(), 1);
    if memchr::memchr(0, middle).is_some() || Lines::of(middle).any(text::is_control) {
        return None;
    }
    let signs = Signs::of(before.as_bytes())?;
    let old = Cutting { any_heading: true, found: Vec::with_capacity(16), ..Cutting::of(before, signs) }
        .cut(&|_| None)?
        .0;
    let Beside { segments: new, first, last } = segments_beside(after, before, &old, signs, &alike)?;
    let is_same = |at: usize, image: usize| {
        at == image && at < first || image >= last.0 && at >= last.1 && image - last.0 == at - last.1
    };
    let (above_old, above_new) = (parents(&old), parents(&new));
    let mut images: Vec<usize> = Vec::with_capacity(old.len());
    // What is new is parsed in one piece: nothing reaches from one segment into the next.
    let (mut cursor, mut added, mut fresh) = (0, 0, String::new());
    let mut keep = |segment: &Segment<'_>| {
        fresh.push_str(segment.text);
        if !segment.text.ends_with('\n') {
            fresh.push('\n');
        }
    };
    for (at, segment) in old.iter().enumerate() {
        let image = loop {
            let candidate = new.get(cursor)?;
            cursor += 1;
            match if is_same(at, cursor - 1) { Some(0) } else { grown(segment, candidate) } {
                Some(more) => {
                    added += more;
                    break cursor - 1;
                }
                None => keep(candidate),
            }
        };
        let same = match (above_old[at], above_new[image]) {
            (Some(old), Some(new)) => images.get(old) == Some(&new),
            (None, None) => true,
            _ => false,
        };
        if !same {
            return None;
        }
        images.push(image);
    }
    new[cursor..].iter().for_each(keep);
    if tree::is_too_deep(&fresh) {
        return None;
    }
    Some(added + tree::count(&fresh))
}

/// How many blocks a segment has gained, if it embeds.
fn grown(old: &Segment<'_>, new: &Segment<'_>) -> Option<usize> {
    let ends = |text: &'_ str| text.trim_end_matches(['\r', '\n']).len();
    let (length, now) = (ends(old.text), ends(new.text));
    if old.level != new.level || length > now {
        return None;
    }
    // Blank lines at the end of a segment are no part of any block; as lines they stay.
    if old.text[..length] == new.text[..now] {
        return new.text[now..].starts_with(&old.text[length..]).then_some(0);
    }
    let heading = |text: &'_ str| memchr::memchr(b'\n', text.as_bytes()).unwrap_or(text.len());
    if old.level > 0 && old.text[..heading(old.text)] != new.text[..heading(new.text)] {
        return None;
    }
    if !text::losses(old.text.as_bytes(), new.text.as_bytes()).is_empty() || tree::is_too_deep(new.text) {
        return None;
    }
    let (u, v) = (Tree::parse(old.text), Tree::parse(new.text));
    Search::new(&u, &v).embeds(0, 0).then(|| v.nodes.len() - u.nodes.len())
}

/// The segment that each segment is below: the nearest one before it of a lower level.
fn parents(segments: &[Segment<'_>]) -> Vec<Option<usize>> {
    let mut open: Vec<usize> = Vec::with_capacity(6);
    let above = |(at, segment): (usize, &Segment<'_>)| {
        if segment.level == 0 {
            return None;
        }
        while open.last().is_some_and(|last| segments[*last].level >= segment.level) {
            open.pop();
        }
        let above = open.last().copied();
        open.push(at);
        above
    };
    segments.iter().enumerate().map(above).collect()
}

/// Whether a text holds what may be a link definition or a footnote.
fn holds_definition(bytes: &[u8]) -> bool {
    memchr::memchr2_iter(b':', b'^', bytes).any(|at| {
        let before = if bytes[at] == b':' { b']' } else { b'[' };
        at > 0 && bytes[at - 1] == before
    })
}

/// How much two texts have in common at their beginnings and at their ends; the two do not overlap.
struct Alike {
    begin: usize,
    end: usize,
}

impl Alike {
    fn of(before: &[u8], after: &[u8]) -> Alike {
        let begin = text::shared(before, after);
        let rest = before.len().min(after.len()) - begin;
        Alike { begin, end: text::shared_end(before, after).min(rest) }
    }

    /// What is between in one of the two, with so many bytes more on either side.
    fn middle<'t>(&self, text: &'t [u8], more: usize) -> &'t [u8] {
        let mut end = (text.len() - self.end + more).min(text.len());
        // The two bytes of a line's end are told apart from a carriage return alone.
        if end < text.len() && text[..end].ends_with(b"\r") {
            end += 1;
        }
        &text[self.begin.saturating_sub(more)..end]
    }
}

/// The segments of a text beside those of another one.
struct Beside<'t> {
    segments: Vec<Segment<'t>>,
    /// So many at the beginning are the same in both.
    first: usize,
    /// From here on, in the one and in the other, the rest is the same.
    last: (usize, usize),
}

/// The segments of `after`, where those of `before` are known.
///
/// At a heading nothing of what is above it counts for what is below. So what the two begin with
/// alike has the same segments, up to the last heading in it; and from any heading on after which the
/// two are alike to their ends, the rest has the same segments too. Only what is between is looked at.
fn segments_beside<'t>(
    after: &'t str,
    before: &str,
    known: &[Segment<'_>],
    signs: Signs,
    alike: &Alike,
) -> Option<Beside<'t>> {
    let (begin, end) = (alike.begin, alike.end);
    // Three signs make a fence.
    let signs = signs.and(Signs::of(alike.middle(after.as_bytes(), 3))?);
    // Whether a line is a heading shows in its first seven bytes.
    let kept = known[1..].iter().take_while(|segment| segment.at + 7 <= begin).count();
    let moved = |segment: &Segment<'_>, at: usize| Segment {
        level: segment.level,
        at,
        text: &after[at..at + segment.text.len()],
    };
    let mut first = Vec::with_capacity(known.len() + 4);
    first.extend(known[..kept].iter().map(|segment| moved(segment, segment.at)));
    let same = |at: usize| {
        let at = before.len().checked_sub(after.len() - at).filter(|at| before.len() - at <= end)?;
        known.binary_search_by_key(&at, |segment| segment.at).ok().filter(|found| *found > 0)
    };
    let start = &known[kept];
    let cutting = Cutting { found: first, start: start.at, level: start.level, ..Cutting::of(after, signs) };
    let (mut segments, rest) = cutting.cut(&same)?;
    let last = (segments.len(), rest.unwrap_or(known.len()));
    if let Some(rest) = rest {
        let at = |segment: &Segment<'_>| after.len() - (before.len() - segment.at);
        segments.extend(known[rest..].iter().map(|segment| moved(segment, at(segment))));
    }
    Some(Beside { segments, first: kept, last })
}

/// Whether there are fences, or raw HTML, anywhere.
#[derive(Clone, Copy)]
struct Signs {
    fences: bool,
    html: bool,
}

impl Signs {
    /// What a text has; none where a carriage return alone ends a line: it would hide a heading.
    fn of(bytes: &[u8]) -> Option<Signs> {
        let alone = |at: usize| bytes.get(at + 1) != Some(&b'\n');
        if memchr::memchr_iter(b'\r', bytes).any(alone) {
            return None;
        }
        let Some(first) = memchr::memchr3(b'`', b'~', b'<', bytes) else {
            return Some(Signs { fences: false, html: false });
        };
        let rest = &bytes[first..];
        Some(Signs { fences: holds_fence(rest), html: memchr::memchr(b'<', rest).is_some() })
    }

    fn and(self, other: Signs) -> Signs {
        Signs { fences: self.fences || other.fences, html: self.html || other.html }
    }
}

/// A walk over the lines of a text that cuts it at its headings.
struct Cutting<'t> {
    text: &'t str,
    signs: Signs,
    found: Vec<Segment<'t>>,
    /// Where the segment begins that the walk is in, and its level.
    start: usize,
    level: u8,
    /// Whether headings of another form may be in it.
    any_heading: bool,
}

impl<'t> Cutting<'t> {
    /// A walk over all of a text.
    fn of(text: &'t str, signs: Signs) -> Cutting<'t> {
        Cutting { text, signs, found: Vec::new(), start: 0, level: 0, any_heading: false }
    }

    /// Ends the segment that the walk is in.
    fn end(&mut self, at: usize) {
        self.found.push(Segment { level: self.level, at: self.start, text: &self.text[self.start..at] });
        self.start = at;
    }

    /// Cuts what is left, up to the end or to a heading for which `same` knows the rest: then with what
    /// it said. None where something reaches across a cut.
    fn cut(self, same: &dyn Fn(usize) -> Option<usize>) -> Option<(Vec<Segment<'t>>, Option<usize>)> {
        match self.signs.fences || self.signs.html {
            true => self.cut_by_lines(same),
            false => self.cut_at_signs(same),
        }
    }

    /// As [`cut`](Self::cut), where nothing but headings counts: only the signs that can make one are
    /// looked at.
    fn cut_at_signs(
        mut self,
        same: &dyn Fn(usize) -> Option<usize>,
    ) -> Option<(Vec<Segment<'t>>, Option<usize>)> {
        let bytes = self.text.as_bytes();
        let first = self.start;
        for at in memchr::memchr_iter(b'#', &bytes[first..]).map(|at| first + at) {
            let start = behind_blanks(&bytes[first..at]) + first;
            let indented = start < at && bytes[start] == b' ' && begins_line(bytes, first, start);
            if indented && !self.any_heading {
                return None;
            }
            let level = || level_of(&bytes[at..]);
            let Some(level) = begins_line(bytes, first, at).then(level).flatten() else { continue };
            // The segment that the walk began with has its heading already.
            if at > first || self.found.is_empty() {
                self.end(at);
            }
            if let Some(rest) = same(at) {
                let plain = self.any_heading || !is_underlined(&bytes[first..at]);
                return plain.then_some((self.found, Some(rest)));
            }
            self.level = level;
        }
        if !self.any_heading && is_underlined(&bytes[first..]) {
            return None;
        }
        self.end(bytes.len());
        Some((self.found, None))
    }

    fn cut_by_lines(
        mut self,
        same: &dyn Fn(usize) -> Option<usize>,
    ) -> Option<(Vec<Segment<'t>>, Option<usize>)> {
        let bytes = self.text.as_bytes();
        let (first, mut at) = (self.start, self.start);
        let (mut fence, mut after_text) = (None::<(u8, usize)>, false);
        let mut ends = memchr::memchr_iter(b'\n', &bytes[first..]).map(|end| first + end + 1);
        while at < bytes.len() {
            let end = ends.next().unwrap_or(bytes.len());
            let line = &bytes[at..end];
            let begin = at;
            at = end;
            if let Some((sign, length)) = fence {
                let run = line.iter().take_while(|byte| **byte == sign).count();
                if run >= length && line[run..].trim_ascii().is_empty() {
                    fence = None;
                } else if line.trim_ascii_start().starts_with(&[sign; 3]) {
                    // It may close the fence, indented: let the parser say.
                    return None;
                }
                continue;
            }
            let was_text = std::mem::replace(&mut after_text, true);
            match line[0] {
                b'#' => {
                    if let Some(level) = level_of(line) {
                        // The segment that the walk began with has its heading already.
                        if begin > first || self.found.is_empty() {
                            self.end(begin);
                        }
                        if let Some(rest) = same(begin) {
                            return Some((self.found, Some(rest)));
                        }
                        self.level = level;
                        after_text = false;
                    }
                }
                b'\n' | b'\r' => after_text = false,
                b'=' | b'-' | b' ' | b'\t' => {
                    let bare = line.trim_ascii();
                    let all = |sign: u8| bare.iter().all(|byte| *byte == sign);
                    if bare.is_empty() {
                        after_text = false;
                    } else if was_text && (all(b'=') || all(b'-')) || (line[0] != b'\t' && bare[0] == b'#') {
                        return None;
                    }
                }
                _ => {}
            }
            if self.signs.fences && holds_fence(line) {
                fence = Some(opened(line)?);
                after_text = false;
            }
            if self.signs.html && line.contains(&b'<') {
                is_comment(line).then_some(())?;
                after_text = false;
            }
        }
        if fence.is_some() {
            return None;
        }
        self.end(bytes.len());
        Some((self.found, None))
    }
}

/// Whether a line of dashes may open front matter: one with a blank line below it is a rule.
fn may_open_front_matter(bytes: &[u8]) -> bool {
    let mut opens = memchr::memmem::find_iter(bytes, b"\n---").map(|at| &bytes[at + 4..]);
    opens.any(|rest| {
        let mut lines = rest.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
        let (line, below) = (lines.next(), lines.next());
        line.is_none_or(|line| !line.is_empty()) || below.is_some_and(|below| !below.is_empty())
    })
}

/// Whether a line begins at a place, where one does at `first`.
fn begins_line(bytes: &[u8], first: usize, at: usize) -> bool {
    at == first || bytes[at - 1] == b'\n'
}

/// Where the blanks begin that a piece of text ends with; they do not reach over a line's end.
fn behind_blanks(bytes: &[u8]) -> usize {
    let is_blank = |byte: &u8| byte.is_ascii_whitespace() && *byte != b'\n';
    bytes.iter().rposition(|byte| !is_blank(byte)).map_or(0, |at| at + 1)
}

/// Whether a text that begins with a line's beginning may have a heading of the other form: a line of
/// nothing but `=` or `-` below a line of text.
fn is_underlined(bytes: &[u8]) -> bool {
    let mut ends = memchr::memchr_iter(b'\n', bytes).chain([bytes.len()]);
    ends.any(|end| {
        let behind = behind_blanks(&bytes[..end]);
        let Some(last) = behind.checked_sub(1).filter(|at| matches!(bytes[*at], b'=' | b'-')) else {
            return false;
        };
        let run = bytes[..last].iter().rposition(|byte| *byte != bytes[last]).map_or(0, |before| before + 1);
        let start = behind_blanks(&bytes[..run]);
        let by_sign = matches!(bytes[start], b'=' | b'-' | b' ' | b'\t');
        by_sign && begins_line(bytes, 0, start) && is_text_above(bytes, start)
    })
}

/// Whether the line above the one that begins at `start` is text.
fn is_text_above(bytes: &[u8], start: usize) -> bool {
    let Some(end) = start.checked_sub(1) else { return false };
    let line = &bytes[memchr::memrchr(b'\n', &bytes[..end]).map_or(0, |before| before + 1)..start];
    match line[0] {
        b'\n' | b'\r' => false,
        b'#' => level_of(line).is_none(),
        b'=' | b'-' | b' ' | b'\t' => !line.trim_ascii().is_empty(),
        _ => true,
    }
}

/// The level of a line that is a heading, if it is one that begins in the first column.
fn level_of(line: &[u8]) -> Option<u8> {
    let signs = line.iter().take_while(|byte| **byte == b'#').count();
    let is = signs <= 6 && matches!(line.get(signs), None | Some(b' ' | b'\t' | b'\n' | b'\r'));
    is.then_some(signs as u8)
}

fn holds_fence(bytes: &[u8]) -> bool {
    memchr::memchr2_iter(b'`', b'~', bytes).any(|at| bytes[at..].starts_with(&[bytes[at]; 3]))
}

/// The sign and length of a fence that a line opens; none where the line is anything else too.
fn opened(line: &[u8]) -> Option<(u8, usize)> {
    let sign = line[0];
    let run = line.iter().take_while(|byte| **byte == sign).count();
    let rest = &line[run..];
    let more = |needle: &[u8]| memchr::memmem::find(rest, needle).is_some();
    let alone = matches!(sign, b'`' | b'~') && run >= 3 && !rest.contains(&b'`') && !more(b"~~~");
    alone.then_some((sign, run))
}

/// Whether a line is one whole HTML comment.
fn is_comment(line: &[u8]) -> bool {
    let inner = line.trim_ascii_end().strip_prefix(b"<!--").and_then(|rest| rest.strip_suffix(b"-->"));
    inner.is_some_and(|inner| {
        !inner.iter().any(|byte| matches!(byte, b'<' | b'>')) && !inner.starts_with(b"-")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Cut<'t> =
        fn(Cutting<'t>, &dyn Fn(usize) -> Option<usize>) -> Option<(Vec<Segment<'t>>, Option<usize>)>;

    /// The segments of a text in which no other headings count, cut one way or the other.
    fn cut_by<'t>(text: &'t str, cut: Cut<'t>) -> Option<Vec<Segment<'t>>> {
        cut(Cutting::of(text, Signs::of(text.as_bytes())?), &|_| None).map(|(found, _)| found)
    }

    #[test]
    fn a_text_is_cut_at_headings_only() {
        let cut = |text: &str| {
            cut_by(text, Cutting::cut)
                .map(|found| found.iter().map(|one| (one.level, one.text.to_owned())).collect::<Vec<_>>())
        };
        assert_eq!(
            cut("a\n# B\nc\n### D\n"),
            Some(vec![(0, "a\n".into()), (1, "# B\nc\n".into()), (3, "### D\n".into())])
        );
        assert_eq!(cut("```\n# no\n```\n").map(|found| found.len()), Some(1));
        assert_eq!(cut("<!-- Elaboration: step 01-03, x -->\n### H\n").map(|found| found.len()), Some(2));
        for text in [
            "a\n---\n",
            "a\n  ===\n",
            " # B\n",
            "- ```\n",
            "```\nopen\n",
            "<div>\n",
            "x <b>\n",
            "```\n ```\n# x\n",
        ] {
            assert!(cut(text).is_none(), "{text}");
        }
    }

    proptest! {
        /// What the neighbour tells is what a walk of its own finds.
        #[test]
        fn the_segments_beside_are_those_of_the_text_itself(
            lines in proptest::collection::vec(0..PIECES.len(), 0..12),
            more in proptest::collection::vec(0..PIECES.len(), 0..4),
            from in any::<prop::sample::Index>(),
            gone in 0..3_usize,
        ) {
            let text = |lines: &[usize]| lines.iter().map(|at| PIECES[*at]).collect::<String>();
            let from = from.index(lines.len() + 1);
            let mut edited = lines.clone();
            edited.splice(from..(from + gone).min(lines.len()), more);
            let (before, after) = (text(&lines), text(&edited));
            let plain = |found: Option<Vec<Segment<'_>>>| {
                found.map(|found| {
                    found.iter().map(|one| (one.level, one.at, one.text.to_owned())).collect::<Vec<_>>()
                })
            };
            let (old, new) = (before.as_bytes(), after.as_bytes());
            if let (Some(known), Some(signs)) = (cut_by(&before, Cutting::cut), Signs::of(old)) {
                let beside = segments_beside(&after, &before, &known, signs, &Alike::of(old, new));
                if let Some(Beside { segments, first, last }) = &beside {
                    let texts = |all: &[Segment<'_>]| all.iter().map(|one| one.text.to_owned()).collect::<Vec<_>>();
                    prop_assert_eq!(texts(&segments[..*first]), texts(&known[..*first]));
                    prop_assert_eq!(texts(&segments[last.0..]), texts(&known[last.1..]));
                }
                prop_assert_eq!(plain(beside.map(|beside| beside.segments)), plain(cut_by(&after, Cutting::cut)));
            }
        }

        /// Looking at signs finds what looking at every line finds.
        #[test]
        fn a_text_without_fences_is_cut_alike_either_way(
            lines in proptest::collection::vec(0..PIECES.len(), 0..12),
            noise in "[-=# a\t\r\n]{0,40}",
        ) {
            let text = lines.iter().map(|at| PIECES[*at]).collect::<String>() + &noise;
            let plain = |found: Option<Vec<Segment<'_>>>| {
                found.map(|found| found.iter().map(|one| (one.level, one.at)).collect::<Vec<_>>())
            };
            if Signs::of(text.as_bytes()).is_some_and(|signs| !signs.fences && !signs.html) {
                let by_lines = plain(cut_by(&text, Cutting::cut_by_lines));
                prop_assert_eq!(plain(cut_by(&text, Cutting::cut_at_signs)), by_lines, "{:?}", text);
            }
        }
    }

    /// Lines, and pieces of lines, that begin and end what reaches across others.
    const PIECES: [&str; 16] = [
        "# A\n",
        "## B\n",
        "###",
        " C\n",
        "#",
        "\n",
        "text\n",
        "---\n",
        "```\n",
        "~~~\n",
        "  # D\n",
        "<!-- c -->\n",
        "<b>\n",
        "word",
        "####### E\n",
        "é\r\n",
    ];

    #[test]
    fn only_growth_is_told() {
        assert_eq!(added("# A\n\nx\n\n# B\n\ny\n", "# A\n\nx\n\nnew\n\n# N\n\nz\n\n# B\n\ny\n"), Some(3));
        assert_eq!(added("# A\n\nx\n", "# A\n\nx\n\n## C\n"), Some(1));
        assert_eq!(added("# A\n\n### C\n", "# A\n\n## N\n\n### C\n"), None);
        assert_eq!(added("# A\n\nx\n", "# A\n\nx\nmore\n"), None);
        assert_eq!(added("# A\n\n\n# B\n", "# A\n\n# B\n"), None);
        assert_eq!(added("# A\nx", "# A\nx\n\n# B\n"), Some(1));
        assert_eq!(added("# A\n\n- a\n", "# A\n\n- a\n- b\n"), Some(2));
        assert_eq!(added("a [l]\n", "a [l]\n\n[l]: u\n"), None);
    }
}
