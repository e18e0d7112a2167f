//! The layout of an item: which document takes what a discussion came to, told by the files that were read.
//!
//! Invariant: a function of the item's path, the files read and the step, so that replay comes to the same place.
//!
//! | layout | recognised by | block |
//! | --- | --- | --- |
//! | `kiro` | `.kiro/specs/*/requirements.md` | at the end of `requirements.md` |
//! | `speckit` | `spec.md` in a folder `NNN-name`, or beside `plan.md` or `tasks.md` | at the end of `spec.md` |
//! | `isdlc` | everything else | in the step's first output, by heading |

use crate::discussion::event::Opened;
use crate::item::Item;
use crate::item::step::Step;
use crate::text::path;
use path::OutputPath;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    Isdlc,
    Kiro,
    Speckit,
}

impl Layout {
    /// The layout of a discussion's item, by what it read.
    pub fn recognise(opened: &Opened) -> Layout {
        Layout::by_files(&opened.item, &opened.step.outputs, &|name| opened.read.contains_key(name))
    }

    /// The layout that a discussion of an item as it is now will have.
    pub fn of_item(item: &Item, step: &Step) -> Layout {
        Layout::by_files(&item.path, &step.outputs, &|name| item.files.contains_key(name))
    }

    fn by_files(item: &str, outputs: &[String], is_read: &dyn Fn(&str) -> bool) -> Layout {
        let is_output = |name: &str| {
            let outputs = outputs.iter().filter_map(|output| OutputPath::parse(output).ok());
            outputs.map(|output| output.file()).any(|output| output == name)
        };
        let folder = item.rsplit('/').next().unwrap_or_default();
        let is_kiro = format!("/{item}").ends_with(&format!("/.kiro/specs/{folder}"));
        let digits = folder.split('-').next().unwrap_or_default();
        let is_numbered = digits.len() >= 3 && digits.bytes().all(|byte| byte.is_ascii_digit());
        let is_beside = is_read("plan.md") || is_read("tasks.md");
        if is_kiro && is_read("requirements.md") {
            Layout::Kiro
        } else if is_read("spec.md") && !is_output("spec.md") && (is_numbered || is_beside) {
            Layout::Speckit
        } else {
            Layout::Isdlc
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Layout::Isdlc => "isdlc",
            Layout::Kiro => "kiro",
            Layout::Speckit => "speckit",
        }
    }

    /// The document that takes the block at its end.
    pub fn main_document(self) -> Option<&'static str> {
        match self {
            Layout::Isdlc => None,
            Layout::Kiro => Some("requirements.md"),
            Layout::Speckit => Some("spec.md"),
        }
    }
}
