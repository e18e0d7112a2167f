//! The first line of a comment of ours: what it is found again by, and how far the thread was heard.
//!
//! A squash, a closed pull request or a deleted branch takes recordings away. The marker stays on the issue, so
//! that no later run hears a comment a second time.
//!
//! ```
//! use roundtable::github::marker::Marker;
//!
//! let marker = Marker { run: "0".repeat(32), heard: 21, waits: vec![17] };
//! let body = format!("{}\nHello.", marker.line(7));
//! let found = Marker::of(&body, 7).unwrap();
//! assert!(found.has_heard(12) && !found.has_heard(17) && !found.has_heard(22));
//! assert_eq!(Marker::of(&body, 8), None);
//! ```

pub use crate::run::script::comments::OUR_MARK as BEGIN;
/// Comments that wait are named up to this many; those after them are not counted as heard.
const MAX_WAITING: usize = 500;

/// What the first line of a comment of ours says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marker {
    /// The run that the comment tells of.
    pub run: String,
    /// The last comment of the thread that was heard; 0 where none was.
    pub heard: u64,
    /// Comments up to that one that were not heard and may be in a later run.
    pub waits: Vec<u64>,
}

impl Marker {
    /// Reads the marker of a comment on the issue of this number; anybody can write one.
    pub fn of(body: &str, number: u64) -> Option<Marker> {
        let line = body.lines().next()?.strip_prefix(BEGIN)?.strip_suffix(" -->")?;
        let mut words = line.split(' ');
        let (_version, issue) = (words.next()?, words.next()?);
        if issue != format!("issue={number}") {
            return None;
        }
        let run = words.next()?.strip_prefix("run=")?;
        if run.len() != 32 || !run.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let mut marker = Marker { run: run.to_owned(), ..Marker::default() };
        for word in words {
            match word.split_once('=')? {
                ("heard", id) => marker.heard = id.parse().ok()?,
                ("waits", ids) => {
                    marker.waits = ids.split(',').map(str::parse).collect::<Result<_, _>>().ok()?
                }
                _ => return None,
            }
        }
        Some(marker)
    }

    /// The marker as a comment's first line.
    pub fn line(&self, number: u64) -> String {
        let mut line = format!("{BEGIN}{} issue={number} run={}", env!("CARGO_PKG_VERSION"), self.run);
        let mut waits = self.waits.clone();
        waits.sort_unstable();
        // A comment that is not named is heard twice rather than never.
        let heard = waits.get(MAX_WAITING).map_or(self.heard, |next| self.heard.min(next - 1));
        waits.truncate(MAX_WAITING);
        if heard > 0 {
            line.push_str(&format!(" heard={heard}"));
        }
        if !waits.is_empty() {
            let ids: Vec<String> = waits.iter().map(u64::to_string).collect();
            line.push_str(&format!(" waits={}", ids.join(",")));
        }
        format!("{line} -->")
    }

    /// Whether a comment was heard by the run of this marker or an earlier one.
    pub fn has_heard(&self, id: u64) -> bool {
        id <= self.heard && !self.waits.contains(&id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_whole_is_no_marker() {
        let run = "0123456789abcdef0123456789abcdef";
        let read = |rest: &str| Marker::of(&format!("<!-- roundtable:0.1.0 issue=7 {rest}"), 7);
        assert!(read(&format!("run={run} -->")).is_some());
        for other in [
            "run=0 -->",
            &format!("run={run}"),
            &format!("run={run} heard=x -->"),
            &format!("run={run} done -->"),
            "-->",
        ] {
            assert_eq!(read(other), None, "{other}");
        }
        let marker = Marker { run: run.to_owned(), heard: 9, waits: vec![3, 4] };
        assert_eq!(Marker::of(&marker.line(7), 7), Some(marker));
    }

    #[test]
    fn of_more_comments_than_are_named_none_is_lost() {
        let waits: Vec<u64> = (1..=900).rev().collect();
        let marker = Marker { run: "0".repeat(32), heard: 1_000, waits };
        let read = Marker::of(&marker.line(7), 7).unwrap();
        assert!((1..=900).all(|id| !read.has_heard(id)), "{read:?}");
    }
}
