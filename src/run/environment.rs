//! What the environment says: read here and nowhere else.

/// A variable that is set to something.
#[allow(clippy::disallowed_methods)]
pub fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.trim().is_empty())
}
