//! The finding round over documents that nobody discusses: `review --voice` (V-10).
//!
//! The same two requests as before a discussion, and the same checks: a quotation is where it says, a clash has two,
//! and what documents or code answer goes behind the others, with the answer.

use serde::{Deserialize, Serialize};

use super::evidence::Evidence;
use super::meter::Metered;
use super::points::{REFUTE, read, refutations, unread};
use super::prompt::{self, Prompt, Want};
use super::rounds::need;
use crate::discussion::event::Critique;
use crate::discussion::points::Point;
use crate::item::library::Library;
use crate::text::remedy::Problem;
use crate::voice::Speechless;
use crate::voice::points::{real_points, refute};
use crate::voice::sources::Sources;

/// What a model found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadPoints {
    /// Best first; those that something answers are last.
    pub points: Vec<Point>,
    /// What of its answers is left out, and why.
    pub left_out: Vec<String>,
}

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
    /// The points that a model finds open. `more` answers what it asks for, once.
    ///
    /// # Errors
    /// The model gives no answer, or twice one that cannot be read; or a template fails.
    pub fn points(
        &self,
        model: &mut Metered<'_>,
        more: &dyn Fn(&[String]) -> Evidence,
    ) -> Result<ReadPoints, Speechless> {
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
        let listed = self.readable(model, &asked, answer, &read)?;
        let listed = listed.map_err(|why| unreadable(model, &why))?;
        let (mut points, unreal) = real_points(listed.points, &sources, self.library);
        let mut left_out: Vec<String> = listed.left_out.into_iter().chain(unreal).map(told).collect();
        if !points.is_empty() {
            asked.wanted = prompt::review_refute(self.library, &points)?;
            asked.want = Want::Refute { points: points.clone() };
            let answer = model.ask(0, &asked)?;
            match self.readable(model, &asked, answer, &refutations)? {
                Ok(answers) => refute(&mut points, answers, &sources, &self.library.cast),
                Err(why) => left_out.push(unread(REFUTE, &why).problem),
            }
        }
        Ok(ReadPoints { points, left_out })
    }

    /// What can be read of an answer; what cannot is asked for once more.
    fn readable<T>(
        &self,
        model: &mut Metered<'_>,
        asked: &Prompt,
        answer: String,
        read: &dyn Fn(&str) -> Result<T, String>,
    ) -> Result<Result<T, String>, Speechless> {
        match read(&answer) {
            Ok(found) => Ok(Ok(found)),
            Err(why) => Ok(read(&model.ask(0, &prompt::again(self.library, asked, &why)?)?)),
        }
    }
}

/// That the points of a model cannot be read.
fn unreadable(model: &Metered<'_>, why: &str) -> Speechless {
    let what = format!("the model's answer could not be read, asked for twice: {why}");
    let remedy = "run it again, or name another model; nothing was kept of it";
    Speechless::Unreadable { voice: model.name().to_owned(), why: Problem::new(what).with(remedy) }
}

fn told(critique: Critique) -> String {
    critique.problem
}
