//! The finding round over documents that nobody discusses: `review --voice` (V-10).
//!
//! The same two requests as before a discussion, and the same checks: a quotation is where it says, a clash has two,
//! and what documents or code answer goes behind the others, with the answer.

use super::evidence::Evidence;
use super::meter::Metered;
use super::points::{read, refutations};
use super::prompt::{self, Prompt, Want};
use super::rounds::need;
use crate::discussion::points::Point;
use crate::item::library::Library;
use crate::voice::Speechless;
use crate::voice::points::{real_points, refute};
use crate::voice::sources::Sources;

/// What is read.
pub struct Reading<'a> {
    pub library: &'a Library,
    /// Paths and texts.
    pub documents: &'a [(String, String)],
    pub evidence: &'a Evidence,
    /// The beginning of both prompts.
    pub head: String,
}

impl Reading<'_> {
    /// The points that a model finds open, best first; those that something answers are last. `more` answers what it
    /// asks for, once.
    ///
    /// # Errors
    /// The model gives no answer, or a template fails.
    pub fn points(
        &self,
        model: &mut Metered<'_>,
        more: &dyn Fn(&[String]) -> Evidence,
    ) -> Result<Vec<Point>, Speechless> {
        let mut given = self.evidence.excerpts.clone();
        let mut asked =
            Prompt { head: self.head.clone(), talk: Vec::new(), wanted: String::new(), want: Want::Points };
        asked.wanted = prompt::review_points(self.library)?;
        let mut answer = model.ask(0, &asked)?;
        let needed = need(&answer);
        if !needed.is_empty() {
            let found = more(&needed);
            asked.talk.push(prompt::needed(self.library, &needed, &found)?);
            given.extend(found.excerpts);
            answer = model.ask(0, &asked)?;
        }
        let documents = self.documents.iter().map(|(path, text)| (path.as_str(), text.as_str()));
        let sources = Sources::new(documents, &given);
        let mut points = real_points(read(&answer), &sources, &self.library.cast);
        if !points.is_empty() {
            asked.wanted = prompt::review_refute(self.library, &points)?;
            asked.want = Want::Refute { points: points.clone() };
            let answers = refutations(&model.ask(0, &asked)?);
            refute(&mut points, answers, &sources, &self.library.cast);
        }
        Ok(points)
    }
}
