//! Work done beside other work, on one thread that is kept for it.
//!
//! What is to be done here takes a millisecond or two. A thread that is made for it often begins on the
//! processor of the one that made it, and so only when that one waits; one that is there already is found
//! a processor that has nothing to do. Where there is none, everything is done one after the other.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
#[cfg(feature = "cli")]
use std::sync::mpsc::{Receiver, channel};

use rayon_core::ThreadPool;
#[cfg(feature = "cli")]
use rayon_core::ThreadPoolBuilder;

/// The thread, as a pool of one: there once it was asked for, and where one was to be had.
static SECOND: OnceLock<Option<ThreadPool>> = OnceLock::new();

fn second() -> Option<&'static ThreadPool> {
    SECOND.get()?.as_ref()
}

/// Has the thread there. Who judges many recordings on all processors asks for none: each of them
/// would wait for the same one.
#[cfg(feature = "cli")]
pub fn ready() {
    SECOND.get_or_init(|| {
        let second = ThreadPoolBuilder::new().num_threads(1).build().ok()?;
        second.install(|| ());
        Some(second)
    });
}

/// What was begun, and is wanted later.
#[cfg(feature = "cli")]
#[derive(Debug)]
pub struct Begun<T>(Receiver<T>);

#[cfg(feature = "cli")]
impl<T> Begun<T> {
    /// Waits for what came of it; none where the work was lost.
    pub fn end(self) -> Option<T> {
        self.0.recv().ok()
    }
}

/// Begins something whose result is wanted later.
#[cfg(feature = "cli")]
pub fn begin<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Begun<T> {
    let (tell, told) = channel();
    let work = move || {
        // Nobody waits for it where something else went wrong.
        let _ = tell.send(work());
    };
    match second() {
        Some(second) => second.spawn(work),
        None => work(),
    }
    Begun(told)
}

/// Does two things side by side.
pub fn both<A, B: Send>(one: impl FnOnce() -> A, other: impl Fn() -> B + Sync) -> (A, B) {
    let mut found = None;
    let one = match second() {
        Some(second) => second.in_place_scope(|scope| {
            scope.spawn(|_| found = Some(other()));
            one()
        }),
        None => one(),
    };
    (one, found.unwrap_or_else(other))
}

/// Does the parts of a whole on both threads, each taking the next one; what came of them, in order.
pub fn shared<T: Send + Sync>(parts: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let done: Vec<OnceLock<T>> = (0..parts).map(|_| OnceLock::new()).collect();
    let take = || {
        let taken = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|at| *at < parts);
        while let Some(at) = taken() {
            done[at].get_or_init(|| work(at));
        }
    };
    both(take, take);
    done.into_iter().filter_map(OnceLock::into_inner).collect()
}

#[cfg(all(test, feature = "cli"))]
mod tests {
    use super::*;

    #[test]
    fn what_is_begun_is_there_when_it_is_wanted() {
        ready();
        let text = String::from("each sees what the other does");
        let begun = begin(move || text.len());
        assert_eq!(begun.end(), Some(29));
    }

    #[test]
    fn every_part_is_done_once_and_stands_in_its_place() {
        ready();
        for parts in [0, 1, 2, 7, 400] {
            let count = AtomicUsize::new(0);
            let found = shared(parts, |at| {
                count.fetch_add(1, Ordering::Relaxed);
                at * 2
            });
            assert_eq!(found, (0..parts).map(|at| at * 2).collect::<Vec<_>>());
            assert_eq!(count.into_inner(), parts);
        }
    }

    #[test]
    fn what_is_done_beside_other_work_may_be_shared_itself() {
        ready();
        let ((one, two), three) = both(|| both(|| 1, || 2), || both(|| 3, || shared(2, |at| at)));
        assert_eq!((one, two, three), (1, 2, (3, vec![0, 1])));
    }
}
