//! What a text claims: its words, figures and ids. A text is supported by others that have them.

use std::collections::BTreeSet;

use crate::text::ids::mentioned_ids;
use crate::text::words::subjects;
use crate::voice::amounts::{Amount, amounts};

/// What a text claims.
pub struct Claimed {
    pub words: BTreeSet<String>,
    amounts: Vec<Amount>,
    ids: BTreeSet<String>,
}

impl Claimed {
    pub fn new(text: &str) -> Claimed {
        Claimed {
            words: subjects(text).into_iter().collect::<BTreeSet<_>>(),
            amounts: amounts(text),
            ids: mentioned_ids(text).map(str::to_owned).collect::<BTreeSet<_>>(),
        }
    }
}

/// What a text has that its grounds do not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lack {
    /// Most of its words.
    Words,
    /// A figure or an id.
    Unsaid(String),
}

impl Lack {
    /// The same for people; `grounds` is what the text names: "the turns it names".
    pub fn told(&self, grounds: &str) -> String {
        match self {
            Lack::Words => format!("it is in none of {grounds}"),
            Lack::Unsaid(what) => format!("{grounds} do not have \"{what}\""),
        }
    }
}

/// Whether these grounds say a text with these subjects: so many of a hundred of its words, its figures and its ids.
///
/// # Errors
/// What they lack.
pub fn supports(text: &str, words: &[String], grounds: &[&Claimed], near: usize) -> Result<(), Lack> {
    let shared = words.iter().filter(|word| grounds.iter().any(|one| one.words.contains(*word))).count();
    if shared * 100 < words.len() * near {
        return Err(Lack::Words);
    }
    let is_known =
        |one: &Amount| grounds.iter().any(|ground| ground.amounts.iter().any(|known| one.is_same(known)));
    let unknown = amounts(text).into_iter().find(|one| !one.is_spelled_count() && !is_known(one));
    let figure = unknown.map(|one| one.figure);
    let id = || mentioned_ids(text).find(|one| !grounds.iter().any(|ground| ground.ids.contains(*one)));
    if let Some(unsaid) = figure.or_else(|| id().map(str::to_owned)) {
        return Err(Lack::Unsaid(unsaid));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_figures_and_ids_are_those_of_the_grounds() {
        let said = Claimed::new("FR-001: Reports wait for the night. The queue keeps 64 items.");
        let lacks = |text: &str| supports(text, &subjects(text), &[&said], 50).err();
        assert_eq!(lacks("FR-001 lets reports wait"), None);
        assert_eq!(lacks("The queue keeps 65 items"), Some(Lack::Unsaid("65".to_owned())));
        assert_eq!(lacks("FR-002 lets reports wait"), Some(Lack::Unsaid("FR-002".to_owned())));
        assert_eq!(lacks("Satellites replace the warehouse"), Some(Lack::Words));
    }
}
