//! Who watches a run: what people see of it while it goes on.

use crate::discussion::event::Record;
use crate::item::persona::Cast;
use crate::text::plain;

use std::cell::RefCell;

/// Somebody who is told what a run does.
pub trait Observer {
    fn say(&self, text: &str);
    fn say_strong(&self, text: &str);
    fn note(&self, text: &str);
    fn warn(&self, text: &str);
    /// What a user said.
    fn say_user(&self, by: &str, text: &str);
    /// An event of a discussion.
    fn say_record(&self, record: &Record, cast: &Cast);
    /// What is waited for; it is gone with the next line.
    fn waiting(&self, text: &str);
    /// How far a work is that takes long.
    fn progress(&self, done: usize, total: usize);
    /// Whether what was told has arrived.
    ///
    /// # Errors
    /// It has not, as on a full disk: then the run ends before it commits.
    fn check(&self) -> Result<(), String>;
}

/// Who keeps warnings and nothing else, for a program that passes them on.
#[derive(Default)]
pub struct Warnings(RefCell<Vec<String>>);

impl Warnings {
    /// The warnings since the last time.
    pub fn take(&self) -> Vec<String> {
        self.0.take()
    }
}

impl Observer for Warnings {
    fn say(&self, _: &str) {}
    fn say_strong(&self, _: &str) {}
    fn note(&self, _: &str) {}
    fn warn(&self, text: &str) {
        self.0.borrow_mut().push(plain::clean(text));
    }
    fn say_user(&self, _: &str, _: &str) {}
    fn say_record(&self, _: &Record, _: &Cast) {}
    fn waiting(&self, _: &str) {}
    fn progress(&self, _: usize, _: usize) {}
    fn check(&self) -> Result<(), String> {
        Ok(())
    }
}
