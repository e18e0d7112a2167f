//! Who watches a run: what people see of it while it goes on.

use crate::discussion::Discussion;
use crate::discussion::event::Record;
use crate::item::persona::Cast;
use crate::run::script::Script;

use super::Fail;

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
    /// Waits for the next message of somebody who types, and adds it to the script.
    ///
    /// # Errors
    /// Nobody types, or they stopped.
    fn listen(&self, talk: &Discussion<'_>, script: &mut Script) -> Result<(), Fail>;
    /// Whether what was told has arrived.
    ///
    /// # Errors
    /// It has not, as on a full disk: then the run ends before it commits.
    fn check(&self) -> Result<(), String>;
}
