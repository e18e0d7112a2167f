//! Sorts, and sorted collections, for lists that are not hot.
//!
//! The standard library compiles its sort anew for each type and comparison: 5 KB each, 600 KB of the program.
//! Here one sort of places serves all of them; it is as stable as the standard one.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// A list that can be sorted.
pub trait Order<T> {
    /// Sorts as `sort_by` does.
    fn order_by(&mut self, compare: impl FnMut(&T, &T) -> Ordering);
    /// Sorts as `sort_by_key` does.
    fn order_by_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K);
    /// Sorts as `sort` does.
    fn order(&mut self)
    where
        T: Ord;
}

impl<T> Order<T> for [T] {
    fn order_by(&mut self, mut compare: impl FnMut(&T, &T) -> Ordering) {
        let mut to = places(self.len(), &mut |a, b| compare(&self[a], &self[b]));
        for at in 0..to.len() {
            while to[at] != at {
                let other = to[at];
                self.swap(at, other);
                to.swap(at, other);
            }
        }
    }

    fn order_by_key<K: Ord>(&mut self, mut key: impl FnMut(&T) -> K) {
        self.order_by(|a, b| key(a).cmp(&key(b)));
    }

    fn order(&mut self)
    where
        T: Ord,
    {
        self.order_by(T::cmp);
    }
}

/// Where each of so many elements belongs.
fn places(count: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut sorted: Vec<usize> = (0..count).collect();
    sorted.sort_by(|a, b| compare(*a, *b));
    let mut to = vec![0; count];
    for (place, element) in sorted.into_iter().enumerate() {
        to[element] = place;
    }
    to
}

/// What can be collected in order. `collect` sorts before it builds a tree; these insert one by one.
pub trait IntoOrder: Iterator + Sized {
    /// The elements, each once.
    fn into_set(self) -> BTreeSet<Self::Item>
    where
        Self::Item: Ord,
    {
        let mut set = BTreeSet::new();
        set.extend(self);
        set
    }

    /// The last value of each key.
    fn into_map<K: Ord, V>(self) -> BTreeMap<K, V>
    where
        Self: Iterator<Item = (K, V)>,
    {
        let mut map = BTreeMap::new();
        map.extend(self);
        map
    }
}

impl<I: Iterator> IntoOrder for I {}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn lists_are_ordered_as_the_standard_library_does(list in vec((0u8..6, any::<u16>()), 0..80)) {
            let (mut ours, mut theirs) = (list.clone(), list.clone());
            ours.order_by_key(|one| one.0);
            theirs.sort_by_key(|one| one.0);
            prop_assert_eq!(&ours, &theirs);
            ours.order_by(|a, b| b.1.cmp(&a.1));
            theirs.sort_by_key(|one| std::cmp::Reverse(one.1));
            prop_assert_eq!(&ours, &theirs);
            ours.order();
            theirs.sort();
            prop_assert_eq!(ours, theirs);
            prop_assert_eq!(list.iter().into_set(), list.iter().collect());
            prop_assert_eq!(list.iter().copied().into_map(), list.into_iter().collect());
        }
    }
}
