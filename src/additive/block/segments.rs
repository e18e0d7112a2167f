//! The short way to a yes: most changes add to a few sections and leave the others alone, and a
//! section that is the same byte for byte need not be parsed.
//!
//! A text is cut at its headings: lines that begin with `#` in the first column. Such a line is a
//! heading whatever stands before it (it ends a paragraph, a list, a quotation), so each segment
//! parses alone as it does in the whole, as long as nothing reaches across a cut. What could is
//! looked for, and where it is found there is no short way: fences that do not begin in the first
//! column or are not closed, raw HTML other than a comment on a line of its own, other forms of
//! headings, link definitions that are new.
//!
//! Old segments are matched with new ones in order; a match is an equal text, or an embedding of the
//! one's tree in the other's. If every old segment has an image whose parent is the image of its
//! parent, these matches together are an embedding of the whole tree. Anything else is left to the
//! whole comparison: only a yes is ever said here.
//!
//! The yes is one for the [line rule](crate::additive::text) too: the lines of equal segments are
//! equal, and the others are compared line by line.

use super::Search;
use super::tree::Tree;
use crate::additive::text;

/// A heading with what stands below it, up to the next heading; the first has no heading.
struct Segment<'t> {
    /// Zero for what stands before the first heading.
    level: u8,
    /// Where it begins.
    at: usize,
    text: &'t str,
}

/// How many blocks a change adds, if it can be told without parsing all of it that it only adds,
/// lines and blocks.
pub fn added(before: &str, after: &str) -> Option<usize> {
    // A definition that is new may turn old text into a link.
    if definitions(before) != definitions(after) {
        return None;
    }
    let old = segments(before)?;
    let new = segments_beside(after, before, &old)?;
    let (above_old, above_new) = (parents(&old), parents(&new));
    let mut images: Vec<usize> = Vec::with_capacity(old.len());
    let (mut cursor, mut added) = (0, 0);
    for (at, segment) in old.iter().enumerate() {
        let image = loop {
            let candidate = new.get(cursor)?;
            cursor += 1;
            match grown(segment, candidate) {
                Some(more) => {
                    added += more;
                    break cursor - 1;
                }
                None => added += Tree::parse(candidate.text).nodes.len() - 1,
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
    Some(added + new[cursor..].iter().map(|new| Tree::parse(new.text).nodes.len() - 1).sum::<usize>())
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
    if !text::losses(old.text.as_bytes(), new.text.as_bytes()).is_empty() {
        return None;
    }
    let (u, v) = (Tree::parse(old.text), Tree::parse(new.text));
    Search::new(&u, &v).embeds(0, 0).then(|| v.nodes.len() - u.nodes.len())
}

/// The segment that each segment stands below: the nearest one before it of a lower level.
fn parents(segments: &[Segment<'_>]) -> Vec<Option<usize>> {
    let mut open: Vec<usize> = Vec::new();
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

/// How often something stands that may be a link definition.
fn definitions(text: &str) -> usize {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b':', bytes).filter(|at| bytes[..*at].ends_with(b"]")).count()
}

/// The segments of a text in which nothing reaches across a heading.
fn segments(text: &str) -> Option<Vec<Segment<'_>>> {
    Cutting::of(text, Vec::new(), 0, 0)?.cut(&|_| None).map(|(found, _)| found)
}

/// The segments of `after`, where those of `before` are known.
///
/// At a heading nothing of what stands above it counts for what is below. So what the two begin with
/// alike has the same segments, up to the last heading in it; and from any heading on behind which the
/// two are alike to their ends, the rest has the same segments too. Only what is between is looked at.
fn segments_beside<'t>(after: &'t str, before: &str, known: &[Segment<'_>]) -> Option<Vec<Segment<'t>>> {
    let (old, new) = (before.as_bytes(), after.as_bytes());
    let (begin, end) = (text::shared(old, new), text::shared_end(old, new));
    // Whether a line is a heading shows in its first seven bytes.
    let kept = known[1..].iter().take_while(|segment| segment.at + 7 <= begin).count();
    let moved = |segment: &Segment<'_>, at: usize| Segment {
        level: segment.level,
        at,
        text: &after[at..at + segment.text.len()],
    };
    let first = known[..kept].iter().map(|segment| moved(segment, segment.at)).collect();
    let same = |at: usize| {
        let at = before.len().checked_sub(after.len() - at).filter(|at| before.len() - at <= end)?;
        known.binary_search_by_key(&at, |segment| segment.at).ok().filter(|found| *found > 0)
    };
    let start = &known[kept];
    let (mut found, rest) = Cutting::of(after, first, start.at, start.level)?.cut(&same)?;
    if let Some(rest) = rest {
        let at = |segment: &Segment<'_>| after.len() - (before.len() - segment.at);
        found.extend(known[rest..].iter().map(|segment| moved(segment, at(segment))));
    }
    Some(found)
}

/// A walk over the lines of a text that cuts it at its headings.
struct Cutting<'t> {
    text: &'t str,
    /// Whether there are fences, or raw HTML, anywhere.
    fences: bool,
    html: bool,
    found: Vec<Segment<'t>>,
    /// Where the segment begins that the walk is in, and its level.
    start: usize,
    level: u8,
}

impl<'t> Cutting<'t> {
    /// A walk that begins with the segment at `start`, behind those that were found.
    fn of(text: &'t str, found: Vec<Segment<'t>>, start: usize, level: u8) -> Option<Cutting<'t>> {
        let bytes = text.as_bytes();
        let has = |sign: u8, needle: &[u8]| {
            memchr::memchr(sign, bytes).is_some_and(|at| memchr::memmem::find(&bytes[at..], needle).is_some())
        };
        // A carriage return alone ends a line too, and would hide a heading from this walk.
        let alone = |at: usize| bytes.get(at + 1) != Some(&b'\n');
        if memchr::memchr_iter(b'\r', bytes).any(alone) {
            return None;
        }
        let fences = has(b'`', b"```") || has(b'~', b"~~~");
        Some(Cutting { text, fences, html: memchr::memchr(b'<', bytes).is_some(), found, start, level })
    }

    /// Ends the segment that the walk is in.
    fn end(&mut self, at: usize) {
        self.found.push(Segment { level: self.level, at: self.start, text: &self.text[self.start..at] });
        self.start = at;
    }

    /// Cuts what is left, up to the end or to a heading for which `same` knows the rest: then with what
    /// it said. None where something reaches across a cut.
    fn cut(mut self, same: &dyn Fn(usize) -> Option<usize>) -> Option<(Vec<Segment<'t>>, Option<usize>)> {
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
            if self.fences && holds_fence(line) {
                fence = Some(opened(line)?);
                after_text = false;
            }
            if self.html && line.contains(&b'<') {
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

/// The level of a line that is a heading, if it is one that begins in the first column.
fn level_of(line: &[u8]) -> Option<u8> {
    let signs = line.iter().take_while(|byte| **byte == b'#').count();
    let is = signs <= 6 && matches!(line.get(signs), None | Some(b' ' | b'\t' | b'\n' | b'\r'));
    is.then_some(signs as u8)
}

fn holds_fence(line: &[u8]) -> bool {
    memchr::memmem::find(line, b"```").or_else(|| memchr::memmem::find(line, b"~~~")).is_some()
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

    #[test]
    fn a_text_is_cut_at_headings_only() {
        let cut = |text: &str| {
            segments(text)
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
            if let Some(known) = segments(&before) {
                prop_assert_eq!(plain(segments_beside(&after, &before, &known)), plain(segments(&after)));
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
