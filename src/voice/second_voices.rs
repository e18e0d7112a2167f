//! What a second voice shows beside a colleague's answer: the next of the lines on it, one that tells otherwise, or what
//! is asked of the line that was shown.

use std::collections::BTreeSet;

use super::asking::Asked;
use super::evidence::{Line, snippet};
use super::forms;
use super::left_open::is_open;
use super::messages::title;
use super::offline::{Speaker, places_in};
use super::probes;
use super::wording;
use crate::discussion::decisions::statements;

impl Speaker<'_> {
    /// What a second voice shows: the next of the lines on it that are not among those `shown` so far, or that there
    /// is none that shares at least so many of its words.
    pub(super) fn beside(
        &self,
        text: &str,
        asked: &Asked<'_>,
        shown: &BTreeSet<String>,
        least: usize,
    ) -> Vec<String> {
        let Some(best) = asked.best() else {
            let topic = asked.nowhere(text).map(|topic| title(&topic));
            return topic
                .map(|topic| self.in_turn(forms::then_asks(self.speech, &topic)))
                .unwrap_or_default();
        };
        let mut ways = self.lines_beside(text, asked, shown, least);
        ways.extend(self.asked_beside(text, asked, best, shown));
        ways
    }

    /// The next of the lines on it, or those that tell otherwise.
    pub(super) fn lines_beside(
        &self,
        text: &str,
        asked: &Asked<'_>,
        shown: &BTreeSet<String>,
        least: usize,
    ) -> Vec<String> {
        let is_shown = |line: &&Line| shown.contains(&format!("{} ", wording::place(line)));
        let next = asked.close(least).find(|line| !is_shown(line));
        let other = self.told_otherwise(text).filter(|line| !is_shown(line));
        let next = next.and_then(|line| Some((line, title(&asked.topic(text, line)?))));
        let say = |(line, topic): &(&Line, String)| {
            forms::reads_beside(self.speech, topic, &wording::place(line), &asked.quote(line, 110))
        };
        let otherwise = other.map(|line| {
            wording::tells_otherwise(self.speech, &wording::place(line), &snippet(&line.text, 110))
        });
        let mut ways: Vec<String> = otherwise.into_iter().collect();
        let next_ways = self.in_turn(next.as_ref().map(say).unwrap_or_default());
        let probe = next.and_then(|(line, _)| {
            self.probe(probes::of_line(self.speech, &asked.quote(line, 110), self.turn()))
        });
        ways.extend(self.with_a_probe(next_ways, probe));
        let figure = self.line_with_a_figure(&is_shown);
        ways.extend(self.in_turn(figure.unwrap_or_default()));
        let nowhere = asked.nowhere(text).filter(|_| !self.is_first_to_answer()).map(|topic| title(&topic));
        ways.extend(
            nowhere.map(|topic| self.in_turn(forms::then_asks(self.speech, &topic))).unwrap_or_default(),
        );
        ways
    }

    /// What is asked of the line that was shown, or that there is no other.
    pub(super) fn asked_beside(
        &self,
        text: &str,
        asked: &Asked<'_>,
        best: &Line,
        shown: &BTreeSet<String>,
    ) -> Vec<String> {
        let is_shown = |line: &&Line| shown.contains(&format!("{} ", wording::place(line)));
        let mut ways = Vec::new();
        let mut known: Vec<String> = asked.close(1).filter(is_shown).take(3).map(wording::place).collect();
        if known.is_empty() {
            known.push(wording::place(best));
        }
        let topic = title(&asked.topic(text, best).unwrap_or_else(|| snippet(text, 60)));
        let open = is_open(best) || crate::discussion::is_left_open(&best.text);
        let probe = self.probe(match open {
            true => probes::of_open(self.speech),
            false => probes::of_line(self.speech, &asked.quote(best, 160), self.turn()),
        });
        let leads = self.in_turn(wording::before_a_probe(self.speech, &wording::place(best)));
        ways.extend(probe.iter().flat_map(|probe| leads.iter().map(move |lead| format!("{lead} {probe}"))));
        // What is open itself defines nothing.
        ways.extend(self.in_turn(match is_open(best) {
            true => forms::then_asks(self.speech, &topic),
            false => forms::nothing_beside(self.speech, &topic, &known.join(" and ")),
        }));
        ways
    }

    /// The line on what a message tells beside its question, where the two share words enough.
    pub(super) fn told_beside(&self, asked: &Asked<'_>, shown: &Line) -> Option<(&Line, String)> {
        let told = self.asked(&self.told()?);
        let line = told.best().filter(|line| *line != shown)?;
        let enough = told.common() > 2 || told.common() > 1 && asked.shared(line) > 0;
        enough.then(|| (line, told.quote(line, 110)))
    }

    /// What the user's last message tells beside what it asks.
    pub(super) fn told(&self) -> Option<String> {
        let message = self.talk.last_message()?;
        let told = statements(&self.without_names(&message.text));
        let asks = told.iter().any(|one| one.ends_with(['?', '？']));
        let told = told.into_iter().filter(|one| !one.ends_with(['?', '？'])).collect::<Vec<_>>().join(" ");
        (asks && !told.is_empty()).then_some(told)
    }

    /// The one line that holds a time or a long figure of the user's last message: "02:00".
    pub(super) fn line_with_a_figure(&self, is_shown: &dyn Fn(&&Line) -> bool) -> Option<Vec<String>> {
        let told = self.told()?;
        let figures = told.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_ascii_digit()));
        let exact = figures.filter(|figure| figure.len() > 3 && figure.contains([':', ',', '.']));
        exact.into_iter().find_map(|figure| {
            let mut lines = self.evidence.lines.iter().filter(|line| line.text.contains(figure));
            let line = lines.next().filter(|line| !is_shown(line))?;
            let say =
                || forms::reads_beside(self.speech, figure, &wording::place(line), &snippet(&line.text, 110));
            lines.next().is_none().then(say)
        })
    }

    /// The line that has another figure than the user's last message tells beside what it asks.
    pub(super) fn told_otherwise(&self, asked: &str) -> Option<&Line> {
        self.evidence.contradicts(&self.told()?, asked)
    }

    /// The lines that this round has shown, by their places.
    pub(super) fn shown_in_this_round(&self) -> BTreeSet<String> {
        self.round().flat_map(|said| places_in(&said.text)).collect()
    }
}
