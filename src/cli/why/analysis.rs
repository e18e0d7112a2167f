//! From a line that an analysis wrote to the answer it rests on.

use serde_json::json;

use super::super::exit::Fail;
use super::super::screen::Screen;
use super::Subject;
use crate::analysis::provenance::{Kind, Log, Origin, marker_above, origin};
use crate::text::plain;

/// The folder of an item's step logs.
const FOLDER: &str = "analysis/";

impl Subject<'_> {
    /// The step logs of the file's item.
    fn logs(&self) -> Result<Vec<Log>, Fail> {
        let Some((_, item)) = &self.item else { return Ok(Vec::new()) };
        let item = self.repo.item(self.commit, item)?;
        let names = item.files.keys().filter(|name| name.starts_with(FOLDER) && name.ends_with(".jsonl"));
        let mut logs = Vec::new();
        for name in names {
            let path = format!("{}/{name}", item.path);
            let bytes = self.repo.file(self.commit, &path)?.unwrap_or_default();
            logs.push(Log::read(&path, &String::from_utf8_lossy(&bytes)));
        }
        Ok(logs)
    }

    /// Explains a line by an answer, if an analysis wrote it.
    pub(super) fn say_answer(&self, line: usize, screen: &Screen) -> Result<bool, Fail> {
        let logs = self.logs()?;
        let said = self.text.lines().nth(line - 1).unwrap_or_default();
        let marker = marker_above(&self.text, line);
        match origin(said, marker.map(|(_, step, _)| step), &logs) {
            Some(found) => self.say_origin(line, &found, screen)?,
            None => return Ok(false),
        }
        Ok(true)
    }

    fn say_origin(&self, line: usize, found: &Origin<'_>, screen: &Screen) -> Result<(), Fail> {
        let by = plain::shown(found.by);
        let of =
            format!("step {} ({}), {}", plain::shown(found.step_id), plain::shown(found.title), found.at);
        let question =
            found.question.map_or("the question".to_owned(), |number| format!("question {number}"));
        screen.say_strong(&match found.kind {
            Kind::Answer => format!("{by}'s answer to {question} of {of}."),
            Kind::Remark => format!("{by}'s remark at the menu of {of}."),
            Kind::Open => format!("Asked as {question} of {of}, and not answered."),
            Kind::Draft => format!("Drafted by {by} in {of}."),
        });
        if !found.asked.is_empty() {
            screen.say(&format!("  question   {}", plain::one_line(&plain::clean(found.asked))));
        }
        screen.say(&format!("  log        {}, line {}", found.log, found.line));
        let commit = self.repo.introducing_commit(self.commit, found.log)?;
        screen.say(&format!("  commit     {}", self.named(commit)?));
        if !found.by.is_empty() {
            screen.say(&format!("\n{by}: {}", plain::clean(&found.text)));
        }
        screen.json(&json!({
            "path": self.path, "line": line, "rev": self.commit.to_string(), "by": "analysis",
            "kind": match found.kind {
                Kind::Answer => "answer",
                Kind::Remark => "remark",
                Kind::Open => "open question",
                Kind::Draft => "draft",
            },
            "step_id": found.step_id, "timestamp": found.at.to_string(), "question": found.question,
            "asked": found.asked, "user": found.by, "text": found.text,
            "log": found.log, "log_line": found.line, "commit": commit.to_string(),
        }));
        Ok(())
    }
}
