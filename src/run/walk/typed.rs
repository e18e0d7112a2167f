//! What somebody types in a step that is not finished: it is kept at once, and the next run at the keyboard goes on
//! with it. Nothing that was typed is lost.

use super::{Mode, Walk, WalkSetup};
use crate::git::Typed;
use crate::run::Observer;
use crate::text::plain;

/// Takes what was typed in the next step before, as if it were typed again.
pub(super) fn go_on(setup: &mut WalkSetup<'_>, next: Option<&str>, observer: &dyn Observer) {
    let Some(typed) = setup.repo.typed(&setup.item.path) else { return };
    let count = plain::count(typed.said.len(), "answer");
    if Some(typed.step.as_str()) == next {
        observer.note(&format!("going on with {count} that you typed in step {next}", next = typed.step));
        for text in typed.said {
            setup.script.add(text).iter().for_each(|warning| observer.warn(warning));
        }
    } else {
        let path = setup.repo.typed_path(&setup.item.path);
        let step = plain::shown(&typed.step);
        observer.note(&format!("{count} typed in step {step} and not committed: {}", path.display()));
    }
}

impl Walk<'_> {
    /// Keeps what was typed in the step under way.
    pub(super) fn keep_typed(&self, observer: &dyn Observer) {
        let Some(step) = self.step().filter(|_| self.setup.script.is_live() && self.setup.mode != Mode::Dry)
        else {
            return;
        };
        let typed = Typed { step: step.id.clone(), said: self.analysis.said_so_far() };
        if let Err(error) = self.setup.repo.keep_typed(&self.item.path, &typed) {
            observer.note(&format!("what you type is not kept until the step is committed: {error}"));
        }
    }

    /// The step has landed.
    pub(super) fn drop_typed(&self) {
        if self.setup.script.is_live() && self.setup.mode != Mode::Dry {
            self.setup.repo.drop_typed(&self.item.path);
        }
    }

    /// The answers end before the step does.
    pub(super) fn say_kept(&self, observer: &dyn Observer) {
        let is_kept = self.setup.repo.typed(&self.item.path).is_some_and(|typed| {
            self.step().is_some_and(|step| step.id == typed.step) && !typed.said.is_empty()
        });
        observer.say(match is_kept {
            true => "(the answers end here; what you typed is kept, and the same command goes on with it)",
            false => "(the answers end here)",
        });
        let count = self.analysis.said_so_far().iter().flatten().count();
        if let Some(step) = self.step().filter(|_| !is_kept && count > 0) {
            let answers =
                if count == 1 { "1 answer was".to_owned() } else { format!("{count} answers were") };
            observer.warn(&format!(
                "{answers} not written, because step {} is written after its last question; `null`, in a text \
                 a blank line, leaves a question open",
                step.id
            ));
        }
    }
}
