//! `github:` of the configuration, and what somebody may do in a repository.

use serde::Deserialize;

/// `github:` of `.roundtable.yaml`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "`key: value` lines")]
pub struct Settings {
    /// The label that asks for a discussion; with `:NN-NN` after it, of that step; with `:analyze`,
    /// for the analysis.
    pub label: String,
    /// Whose words count: those who may at least do this in the repository.
    pub min_permission: Permission,
    /// The most comments that are used.
    pub comments: usize,
    /// Pull requests begin as drafts.
    pub draft: bool,
    /// A discussion stays open between runs, until its user ends it.
    pub live: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            label: "roundtable".to_owned(),
            min_permission: Permission::Write,
            comments: 1_000,
            draft: true,
            live: false,
        }
    }
}

impl Settings {
    /// The label of an issue whose discussion waits for its user.
    pub fn open_label(&self) -> String {
        format!("{}:open", self.label)
    }
}

/// What somebody may do in a repository, from nothing to everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Permission {
    None,
    Read,
    Triage,
    Write,
    Maintain,
    Admin,
}

impl Permission {
    /// Reads `role_name`, or the coarser `permission`; what is not known is nothing.
    pub fn of(role: &str, permission: &str) -> Permission {
        let of = |word: &str| match word {
            "read" => Some(Permission::Read),
            "triage" => Some(Permission::Triage),
            "write" | "push" => Some(Permission::Write),
            "maintain" => Some(Permission::Maintain),
            "admin" => Some(Permission::Admin),
            "none" => Some(Permission::None),
            _ => None,
        };
        // A role of the organisation's own is as good as the permission it rests on.
        of(role).or_else(|| of(permission)).unwrap_or(Permission::None)
    }

    /// What an association says where nobody can be asked: an outsider may read.
    pub fn of_association(association: &str) -> Permission {
        match association {
            "OWNER" => Permission::Admin,
            "MEMBER" | "COLLABORATOR" => Permission::Write,
            _ => Permission::Read,
        }
    }
}

impl std::fmt::Display for Permission {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Permission::None => "none",
            Permission::Read => "read",
            Permission::Triage => "triage",
            Permission::Write => "write",
            Permission::Maintain => "maintain",
            Permission::Admin => "admin",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_permission_that_is_not_known_is_none() {
        assert_eq!(Permission::of("maintain", "write"), Permission::Maintain);
        assert_eq!(Permission::of("release-managers", "write"), Permission::Write);
        assert_eq!(Permission::of("", "owner"), Permission::None);
        assert_eq!(Permission::of("", ""), Permission::None);
        assert!(Permission::Write > Permission::Triage && Permission::Admin > Permission::Write);
    }
}
