//! Which text is normative: sections have kinds by their headings, and some kinds are not judged.
//!
//! The kinds are data (`rules/review/scope.yaml`), so that a team can name its own sections. A section has the
//! kind of the section above it unless its own heading has one. "## Prior art" is not judged, and neither is
//! "### Chess servers" below it.

use super::file::Entry;
use super::pattern::Set;
use super::token::Token;

/// The kinds of sections.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    kinds: Vec<(String, Set)>,
    /// Bits of the kinds that are not judged.
    unjudged: u64,
    /// Bits of the kinds whose sentences are demands,
    pub demanding: u64,
    /// and of those that are requirements.
    pub requirements: u64,
}

/// Kinds are bits.
const MAX_KINDS: usize = 64;

impl Scope {
    /// # Errors
    /// A phrase that cannot be compiled, or too many kinds.
    pub fn new(
        entries: &[Entry],
        set: &mut dyn FnMut(&[String]) -> Result<Set, String>,
    ) -> Result<Scope, String> {
        if entries.len() > MAX_KINDS {
            return Err(format!("there are more than {MAX_KINDS} kinds"));
        }
        let mut scope = Scope::default();
        for (bit, entry) in entries.iter().enumerate() {
            scope.kinds.push((entry.kind.clone(), set(&entry.headings)?));
            if !entry.judged {
                scope.unjudged |= 1 << bit;
            }
        }
        scope.requirements = scope.bit("requirements");
        scope.demanding = scope.requirements | scope.bit("decision");
        Ok(scope)
    }

    /// The kinds that a heading gives, as bits.
    pub fn kinds(&self, heading: &[Token]) -> u64 {
        let bits = self.kinds.iter().enumerate().filter(|(_, (_, phrases))| phrases.is_in(heading));
        bits.fold(0, |all, (bit, _)| all | 1 << bit)
    }

    pub fn is_judged(&self, kinds: u64) -> bool {
        kinds & self.unjudged == 0
    }

    /// The bits of named kinds.
    ///
    /// # Errors
    /// The name that no kind has.
    pub fn bits(&self, names: &[String]) -> Result<u64, String> {
        names.iter().try_fold(0, |all, name| {
            let bit = self.kinds.iter().position(|(kind, _)| kind == name);
            bit.map(|bit| all | 1 << bit).ok_or_else(|| format!("scope.yaml has no kind \"{name}\""))
        })
    }

    /// The bits of a kind; none where `scope.yaml` has none of this name.
    pub fn bit(&self, name: &str) -> u64 {
        self.bits(&[name.to_owned()]).unwrap_or(0)
    }
}
