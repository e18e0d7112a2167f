//! What a policy may allow: a task that was ticked, a comment that changed, a paragraph that goes on, a
//! list that was loosened. Each has a code of its own, and `warn` can name it.
//!
//! Such a finding is given only where *everything else* holds: the lines and the tree of the old document
//! embed once these four are allowed. So a policy that allows them lets nothing else pass.
//!
//! `- [ ] pay` to `- [x] pay` loses a line to the letter; here it is one finding, `task-ticked`.

use super::explain::Explanation;
use super::html;
use super::tree::{BlockKind, Tree, same};
use super::{Both, Search};
use crate::additive::text::{self, Lines, without_end};
use crate::additive::{Finding, Kind, quoted};

/// What may become of an old line.
#[derive(Clone, Copy, Default)]
struct Allowed {
    ticked: bool,
    extended: bool,
    gone: bool,
}

/// The findings that a policy may allow and the images of the old nodes, or what is lost besides.
pub(super) fn losses(
    both: &Both<'_>,
    before: &[u8],
    after: &[u8],
) -> Result<(Vec<Finding>, Vec<u32>), Vec<Finding>> {
    let comments: Vec<bool> = (0..both.old.nodes.len() as u32).map(|at| is_free(both.old, at)).collect();
    if let Some(lost) = lost_line(&allowed_lines(both, &comments), before, after) {
        return Err(vec![lost]);
    }
    let mut search = Search { soft: true, skipped: &comments, ..Search::new(both.old, both.new) };
    if !search.embeds(0, 0) {
        return Err(Explanation::new(both, &comments).losses());
    }
    let pairs = search.kept.iter().copied().zip(search.images.iter().copied());
    let mut found: Vec<Finding> =
        pairs.filter(|(u, v)| !same(both.old, *u, both.new, *v)).map(|(u, v)| changed(both, u, v)).collect();
    found.extend(changed_comments(both, &comments, found.is_empty()));
    Ok((found, search.images))
}

/// A comment that may change: a block of its own, and none of our markers.
fn is_free(tree: &Tree<'_>, at: u32) -> bool {
    let content = tree.content(at);
    tree.node(at).kind == BlockKind::Html
        && memchr::memmem::find(content, super::MARKER.as_bytes()).is_none()
        && html::is_comment(content)
}

/// Whether a node may be the image of another once the four are allowed.
pub(super) fn fits(old: &Tree<'_>, u: u32, new: &Tree<'_>, v: u32) -> bool {
    if same(old, u, new, v) {
        return true;
    }
    let kind = old.node(u).kind;
    if kind != new.node(v).kind || old.context(u) != new.context(v) || old.region(u) != new.region(v) {
        return false;
    }
    let (was, is) = (old.content(u), new.content(v));
    match kind {
        BlockKind::Item => was == b" " && is == b"x",
        BlockKind::Bullets | BlockKind::Numbers => {
            was.first() == is.first()
                && (was.get(1), is.get(1)) == (Some(&b't'), Some(&b'l'))
                && was.get(2..) == is.get(2..)
        }
        BlockKind::Paragraph => {
            let (source, now) = (old.source(u), new.source(v));
            let rendered = was.get(..was.len().saturating_sub(source.len() + 2)).unwrap_or_default();
            goes_on(source.as_bytes(), now.as_bytes())
                && is.starts_with(rendered)
                && adds_balanced_html(old, u, new, v)
                && !now[source.len()..].lines().any(is_delimiter_row)
        }
        _ => false,
    }
}

/// Whether a line may make a table of the lines above it: readers differ in what they want for one.
fn is_delimiter_row(line: &str) -> bool {
    line.contains('-') && line.bytes().all(|byte| matches!(byte, b'|' | b':' | b'-' | b' ' | b'\t' | b'>'))
}

/// Whether the raw HTML that a paragraph has gained is balanced on its own.
fn adds_balanced_html(old: &Tree<'_>, u: u32, new: &Tree<'_>, v: u32) -> bool {
    let (before, mut balance) = (old.pieces(u).count(), html::Balance::default());
    let wrong = new.pieces(v).skip(before).any(|(place, html)| balance.read(html, place, v).0.is_some());
    !wrong && balance.leave(&|_| true).next().is_none()
}

/// Whether a text begins with another and goes on after a word's end.
fn goes_on(was: &[u8], is: &[u8]) -> bool {
    let next = is.strip_prefix(was).and_then(|rest| std::str::from_utf8(rest).ok()?.chars().next());
    next.is_some_and(|next| !next.is_alphanumeric() && next != '_')
}

/// The finding for an old node whose image is not the same.
fn changed(both: &Both<'_>, u: u32, v: u32) -> Finding {
    let shown = quoted(both.old.source(u));
    let (code, now) = match both.old.node(u).kind {
        BlockKind::Item => (Kind::TaskTicked, "is marked as done"),
        BlockKind::Paragraph => (Kind::ParagraphExtended, "goes on now"),
        _ => (Kind::ListLoosened, "is set apart by a blank line now: every item becomes a paragraph"),
    };
    let (line, head) = super::explain::first_difference(both, u, v);
    let message = format!("the {} \"{shown}\" {now}", both.old.node(u).kind.name());
    Finding::new(code, line, message).head(head)
}

/// Old comments that are not in the new text, in their order; at least one where nothing else differs.
fn changed_comments(both: &Both<'_>, comments: &[bool], any: bool) -> Vec<Finding> {
    let old = (0..both.old.nodes.len() as u32).filter(|at| comments[*at as usize]);
    let new: Vec<u32> =
        (0..both.new.nodes.len() as u32).filter(|at| both.new.node(*at).kind == BlockKind::Html).collect();
    let mut kept = new.iter();
    let (mut found, mut first) = (Vec::new(), None);
    let told = |at: u32| {
        let message = format!("the comment \"{}\" is changed, moved or removed", quoted(both.old.source(at)));
        Finding::new(Kind::CommentChanged, both.old_line(at), message)
    };
    for at in old {
        first.get_or_insert(at);
        let rest = kept.clone();
        if !kept.any(|new| both.new.content(*new) == both.old.content(at)) {
            kept = rest;
            found.push(told(at));
        }
    }
    if found.is_empty() && any {
        found.extend(first.map(told));
    }
    found
}

/// What may become of each line of the old document.
fn allowed_lines(both: &Both<'_>, comments: &[bool]) -> Vec<Allowed> {
    let (tree, text) = (both.old, both.places.old.body);
    let ends: Vec<usize> = memchr::memchr_iter(b'\n', text.as_bytes()).collect();
    let above = both.places.old.line(0) - 1;
    let line = |at: usize| above + ends.partition_point(|end| *end < at);
    let mut allowed = vec![Allowed::default(); above + ends.len() + 1];
    for at in 1..tree.nodes.len() as u32 {
        let (node, length) = (tree.node(at), tree.source(at).len());
        let last = line(node.start() + length.saturating_sub(1));
        match node.kind {
            BlockKind::Paragraph => allowed[last].extended = true,
            BlockKind::Item if tree.content(at) == b" " => allowed[line(node.start())].ticked = true,
            BlockKind::Html if comments[at as usize] => {
                allowed[line(node.start())..=last].iter_mut().for_each(|line| line.gone = true);
            }
            _ => {}
        }
    }
    allowed
}

/// The first old line that has no place in the new text, once what is allowed is allowed. The leftmost match
/// is complete here too: whether two lines fit depends on these two alone.
fn lost_line(may: &[Allowed], before: &[u8], after: &[u8]) -> Option<Finding> {
    let mut new = Lines::of(after);
    let mut old = Lines::of(before).enumerate().peekable();
    while let Some((at, line)) = old.next() {
        let allowed = may.get(at).copied().unwrap_or_default();
        let last = old.peek().is_none() && !line.ends_with(b"\n");
        if !allowed.gone && !new.any(|new| keeps(line, new, allowed, last)) {
            let may_change = |at: usize, line: &[u8]| {
                let is = may.get(at).copied().unwrap_or_default();
                is.gone || Lines::of(after).any(|new| new != line && keeps(line, new, is, false))
            };
            return Some(text::first_lost(before, after, at + 1, &may_change));
        }
    }
    None
}

fn keeps(old: &[u8], new: &[u8], allowed: Allowed, last: bool) -> bool {
    let (was, is) = (without_end(old), without_end(new));
    let continues = |was: &[u8]| {
        // Blanks at the end are no text.
        allowed.extended && is.trim_ascii_end().len() > was.len() && goes_on(was.trim_ascii_end(), is)
    };
    if old == new || last && was == is || continues(was) {
        return true;
    }
    allowed.ticked
        && memchr::memmem::find(was, b"[ ]").is_some_and(|at| {
            let ticked = |sign: &[u8]| [&was[..at], sign, &was[at + 3..]].concat();
            [ticked(b"[x]"), ticked(b"[X]")].iter().any(|ticked| ticked == is || continues(ticked))
        })
}

#[cfg(test)]
mod tests {
    use crate::additive::{Kind, block};

    fn codes(before: &str, after: &str) -> Vec<Kind> {
        let found = block::compare(before.as_bytes(), after.as_bytes());
        found.into_iter().map(|found| found.kind).collect()
    }

    #[test]
    fn what_a_policy_may_allow_has_a_code_of_its_own() {
        use Kind::*;
        for (before, after, code) in [
            ("- [ ] pay\n- [ ] sign\n", "- [x] pay\n- [ ] sign\n", TaskTicked),
            ("- [ ] pay\n\n- [ ] sign\n", "- [X] pay\n\n- [ ] sign\n", TaskTicked),
            ("a\n\n<!-- old -->\n\nb\n", "a\n\n<!-- new -->\n\nb\n", CommentChanged),
            ("a\n\n<!-- old -->\n\nb\n", "a\n\n\nb\n", CommentChanged),
            ("<!-- old -->\n\na\n\nb\n", "\na\n\n<!-- old -->\n\nb\n", CommentChanged),
            ("a\n", "a\nmore\n", ParagraphExtended),
            ("a.\n", "a. And more.\n", ParagraphExtended),
            ("- a\n- b\n", "- a\n  more\n- b\n", ParagraphExtended),
            ("- a\n- b\n", "- a, and more\n- b\n", ParagraphExtended),
            ("- a\n- b\n", "- a\n\n- b\n", ListLoosened),
        ] {
            assert_eq!(codes(before, after), [code], "{before:?} -> {after:?}");
        }
        assert_eq!(codes("- [ ] pay\n- a\n", "- [x] pay\n- a\n  more\n"), [TaskTicked, ParagraphExtended]);
    }

    #[test]
    fn nothing_else_hides_behind_it() {
        use Kind::*;
        for (before, after, code) in [
            ("- [x] pay\n", "- [ ] pay\n", LineLost),
            ("- [ ] pay\n", "- [x] pay more\n", TaskTicked),
            ("- [ ] pay\n", "- [x] play\n", LineLost),
            ("- [ ] pay\n\nx\n", "- [x] pay\n\ny\n", LineLost),
            ("pay\n", "payment\n", LineLost),
            ("a [b]\n", "a [b]\n[b]: /u\n", ParagraphExtended),
            ("pay\n", "pay \n", LineLost),
            ("pay\n\nx\n", "pay \n\nx and\n", LineLost),
            ("a *b\n", "a *b c*\n", ParagraphChanged),
            ("# a\n", "# a b\n", LineLost),
            ("a\n\nb\n", "a\n<div>\n\nb\n", Hidden),
            ("a\n", "a\nand <b>more\n", ParagraphChanged),
            ("- a\n- b\n", "- a\n\n- c\n", LineLost),
            ("- a\n- b\n", "- a\n<!-- c -->\n- b\n", ListSplit),
            ("<!-- Elaboration: step 1, x -->\n", "<!-- Elaboration: step 2, x -->\n", Hidden),
            ("a\n\n<!-- x --> b\n", "a\n\n<!-- y --> b\n", LineLost),
        ] {
            let found = codes(before, after);
            assert_eq!(found.first(), Some(&code), "{before:?} -> {after:?}: {found:?}");
        }
    }
}
