//! What the offline voice answers the user: the lines that speak of what was asked, the findings on them, and
//! what a decision means to each of the three.

use std::collections::BTreeSet;

use super::asking::Asked;
use super::evidence::{Line, snippet};
use super::left_open::{OpenQuestion, is_open};
use super::lenses::Point;
use super::naming::telling;
use super::offline::{CHOICE, Candidate, LIGHT, Speaker, quotations};
use super::wording;
use crate::discussion::decisions::statements;
use crate::discussion::event::{Event, Message, Purpose};
use crate::discussion::extract;
use crate::discussion::words::{subjects, words};
use crate::persona::Persona;
use crate::plain;

impl Speaker<'_> {
    /// Lines that answer the user's message.
    pub(super) fn answers(&self) -> Vec<Candidate> {
        let Some(message) = self.talk.last_message() else { return self.additions() };
        let (text, asked) = self.asked_in(&self.without_names(&message.text));
        let first = self.is_first_to_answer();
        let mut found: Vec<Candidate> = self.reactions(message).into_iter().map(Candidate::Written).collect();
        found.extend(self.differing());
        // "Thanks" and "it depends" name nothing: what is open comes back.
        if first && asked.is_empty() {
            found.extend(self.open_again().into_iter().rev());
            found.extend(self.open_lines());
            found.extend(self.step_questions());
        }
        found.extend(self.positions(&text, if first { 2 } else { 1 }));
        found.extend(self.to_the_point(message, &text, &asked, first));
        if (first || self.cue.owed) && !asked.is_empty() {
            found.extend(self.plain_words().into_iter().map(Candidate::Written));
        }
        found.extend(self.open_again());
        found
    }

    /// The lines that speak of what was asked, and the points on them: no finding beside the question.
    pub(super) fn to_the_point(
        &self,
        message: &Message,
        text: &str,
        asked: &Asked<'_>,
        first: bool,
    ) -> Vec<Candidate> {
        let openings = self.openings(message, text, asked, first);
        let mut points = self.points_about(asked);
        // A line that stands in the opening already needs no finding that quotes it again.
        let shown =
            |point: &Point| asked.other().is_some_and(|line| point.place.trim_end() == wording::place(line));
        points.retain(|point| !first || !shown(point));
        let mut found = Vec::new();
        // Two lines that answer between them come before a finding on one.
        if first && asked.other().is_some() {
            found.extend(openings.iter().cloned().map(Candidate::Written));
        }
        for point in points {
            // A point on the very line that opens the answer is the answer's own evidence.
            let same =
                asked.best().is_some_and(|line| point.text(self.evidence).contains(&wording::place(line)));
            match openings.first() {
                _ if !first => found.push(Candidate::Referring(point)),
                Some(_) if !same => {
                    let opened =
                        openings.iter().map(|opening| Candidate::Opened(opening.clone(), point.clone()));
                    found.extend(opened);
                }
                _ => found.push(Candidate::Point(point)),
            }
        }
        let alone = openings.into_iter().filter(|_| first || self.cue.owed);
        found.extend(alone.map(Candidate::Written));
        found
    }

    /// What a message asks about: its questions, where the documents speak of them, else all of it.
    pub(super) fn asked_in(&self, message: &str) -> (String, Asked<'_>) {
        let questions = statements(message).into_iter().filter(|one| one.ends_with(['?', '？']));
        let questions = questions.collect::<Vec<_>>().join(" ");
        let asked = self.asked(&questions);
        match asked.best() {
            Some(_) => (questions, asked),
            None => (message.to_owned(), self.asked(message)),
        }
    }

    /// What a text asks about, held against the documents.
    pub(super) fn asked(&self, text: &str) -> Asked<'_> {
        let step = self.talk.step();
        Asked::of(
            self.evidence,
            text,
            &format!("{} {}", step.title, self.talk.focus_question().unwrap_or_default()),
        )
    }

    /// Points nobody has made yet in sentences that speak of what was asked, the nearest first. What says of the
    /// whole item that something stands nowhere answers only who asked for that.
    pub(super) fn points_about(&self, asked: &Asked<'_>) -> Vec<Point> {
        let lines: BTreeSet<usize> = asked.lines.iter().copied().collect();
        let lenses = self.talk.library().lenses(&self.persona.key);
        let is_about = |point: &Point| {
            let on_line = point.line().is_none_or(|line| lines.contains(&line));
            let lens = point.lens.and_then(|lens| lenses.get(lens));
            let wanted = |lens: &crate::lens::Lens| lens.unless.iter().any(|phrase| asked.names(phrase));
            let of_item = point.of_item && !lens.is_some_and(wanted);
            let light = lens.is_some_and(|lens| lens.weight < LIGHT);
            on_line && !of_item && !light && asked.is_about(&quotations(&point.rests_on(self.evidence)))
        };
        let mut found: Vec<(usize, Point)> = Vec::new();
        for (stale, point) in self.unsaid("").into_iter().filter(|(_, point)| is_about(point)) {
            let share = asked.share(&point.rests_on(self.evidence));
            found.push((share, if stale { point.alone() } else { point.clone() }));
        }
        // Stable: of those that share as much the weightiest first.
        found.sort_by_key(|(share, _)| std::cmp::Reverse(*share));
        found.into_iter().map(|(_, point)| point).take(CHOICE).collect()
    }

    /// What the documents say on the user's words, or that none does, each in several ways; nothing where the
    /// words name nothing, or their line was quoted already.
    pub(super) fn openings(
        &self,
        message: &Message,
        text: &str,
        asked: &Asked<'_>,
        first: bool,
    ) -> Vec<String> {
        if let (Some(taken_up), true) = (self.takes_up(message, text), first) {
            return vec![taken_up];
        }
        let title = |topic: &str| plain::cut(topic, 60).replace('"', "'");
        let asks = message.text.contains(['?', '？']);
        let Some(best) = asked.best() else {
            // An empty item is said to be empty once.
            let empty = self.evidence.documents.is_empty() && self.has_said("there is no document");
            let topic = asked.nowhere(text).filter(|_| asks && first && !empty);
            let say =
                |topic: String| wording::finds_nothing(self.speech, &title(&topic), &self.evidence.documents);
            return topic.map(say).unwrap_or_default();
        };
        if let Some(line) = self.evidence.contradicts(text, "").filter(|_| first && !asks) {
            return vec![wording::tells_otherwise(
                self.speech,
                &wording::place(line),
                &asked.quote(line, 140),
            )];
        }
        let quote = asked.quote(best, 140);
        // Who asks is shown the line again; who tells something has seen it.
        let Some(topic) = asked.topic(text, best).filter(|_| asks || !self.is_quoted(&quote)) else {
            return Vec::new();
        };
        if !first {
            let short = asked.quote(best, 70);
            let mut ways = wording::bears_on(self.speech, &title(&topic), &wording::place(best), &short);
            let start = self.talk.turn_count() as usize % ways.len();
            ways.rotate_left(start);
            return ways;
        }
        let mut ways = wording::points_at(self.speech, &title(&topic), &wording::place(best), &quote);
        let start = self.talk.turn_count() as usize % ways.len();
        ways.rotate_left(start);
        let more = match asked.other() {
            Some(other) => format!(", beside {}: \"{}\".", wording::place(other), asked.quote(other, 90)),
            None if is_open(best) => format!(". {}", wording::is_open_there(self.speech)),
            None => return ways,
        };
        ways.iter().map(|way| format!("{}{more}", way.trim_end_matches('.'))).collect()
    }

    /// Whether a persona has shown some words to the user already.
    pub(super) fn is_quoted(&self, words: &str) -> bool {
        let words = words.trim_matches('…');
        let made = self.talk.contributions().filter(|one| one.purpose == Purpose::Answer);
        made.into_iter().any(|one| one.text.contains(words))
    }

    /// The user's statement on a matter that a question of before left open.
    pub(super) fn takes_up(&self, message: &Message, asked: &str) -> Option<String> {
        if message.text.trim_end().ends_with(['?', '？']) {
            return None;
        }
        let mut said = telling(asked);
        said.retain(|word| self.evidence.is_rare(word));
        let shared =
            |open: &OpenQuestion<'_>| said.iter().filter(|word| open.line.stems.contains(word)).count() >= 2;
        let before = message.turn.unwrap_or_default();
        let open = self.questions_before(before).into_iter().find(shared)?;
        let whose = self.whose(&open);
        let (at, quoted) = (wording::place(open.line), snippet(&open.line.text, 80));
        Some(format!("That speaks to {whose} question from turn {} on \"{quoted}\" ({at}).", open.turn))
    }

    /// What a settled matter means to this persona, each decision in words of its own.
    pub(super) fn reactions(&self, message: &Message) -> Vec<String> {
        let at =
            self.talk.log().iter().rposition(|record| matches!(&record.event, Event::User(_))).unwrap_or(0);
        let decided = extract::decided_by(&message.text, &self.talk.log()[..at]);
        let Some((what, why)) = decided.into_iter().next() else { return Vec::new() };
        let what = snippet(&what, 110);
        let reason = why.map(|why| format!(" (\"{}\")", snippet(&why, 80))).unwrap_or_default();
        let before = self.talk.log().iter().rev().filter_map(|record| match &record.event {
            Event::User(other) if other.turn != message.turn => Some(other.text.as_str()),
            _ => None,
        });
        let before = before.take(1).next();
        let clash = self.evidence.contradicts(&message.text, before.unwrap_or_default());
        let line = clash.or_else(|| self.touched_by(&what, before.unwrap_or_default()));
        let mut ways = wording::settled(self.speech, &what, &reason, line);
        if let (Some(line), true) = (clash, self.is_first_to_answer()) {
            let first = wording::settled(self.speech, &what, &reason, None).remove(0);
            ways.insert(0, format!("{first} {}", wording::still_says(self.speech, line)));
        }
        let start =
            if clash.is_some() { 0 } else { (what.len() + self.talk.turn_count() as usize) % ways.len() };
        ways.rotate_left(start);
        ways
    }

    /// The line that a decision is about: by its object, which stands before the first "for" or "until"; a
    /// short one is of what was said before.
    pub(super) fn touched_by(&self, what: &str, before: &str) -> Option<&Line> {
        let before_any = |text: &str, ends: &[&str]| {
            let end = ends.iter().filter_map(|word| text.find(word)).min().unwrap_or(text.len());
            text[..end].to_owned()
        };
        let main = before_any(what, &[" otherwise ", " because ", " since ", " so that ", ", so "]);
        let object =
            self.asked(&before_any(&main, &[" for ", " from ", " until ", " before ", " after ", " with "]));
        let (whole, with_before) = (self.asked(&main), self.asked(&format!("{main} {before}")));
        // Where one word is all that is shared, what was asked before tells more.
        let told = [&object, &whole, &with_before].into_iter().find(|asked| asked.common() > 1);
        told.and_then(Asked::best).or(whole.best()).or(with_before.best())
    }

    /// Whether nobody has answered the last message yet.
    pub(super) fn is_first_to_answer(&self) -> bool {
        matches!(
            self.talk
                .log()
                .iter()
                .rev()
                .find(|record| !matches!(record.event, Event::Notice(_)))
                .map(|record| &record.event),
            Some(Event::User(_))
        )
    }

    pub(super) fn without_names(&self, text: &str) -> String {
        // Whom a message addresses is not what it is about.
        let groups = [
            "what do you all think about",
            "what do you all think of",
            "what do you all think",
            "what do you think about",
            "what do you think",
            "everyone",
            "everybody",
            "team",
            "you all",
            "all of you",
        ];
        let text = plain::one_line(text);
        let lower = text.to_ascii_lowercase();
        let group = groups.iter().find(|group| lower.starts_with(**group)).map_or(0, |group| group.len());
        let text = text.get(group..).unwrap_or_default().trim_start_matches([',', ':', ' ']);
        let names = self.talk.library().cast.iter().map(Persona::first_name);
        names.fold(text.to_owned(), |text, name| {
            let text = text.replace(&format!("{name}'s"), " ").replace(&format!("{name},"), " ");
            text.strip_prefix(name).map_or(text.clone(), str::to_owned)
        })
    }

    /// What each persona can say of anything: the user's own words through its lens.
    pub(super) fn plain_words(&self) -> Vec<String> {
        let message = self.talk.last_message().map(|message| self.without_names(&message.text));
        let sentences = message.as_deref().map(statements).unwrap_or_default();
        // What is asked, else the sentence that says most.
        let asked = sentences.iter().rfind(|sentence| sentence.ends_with(['?', '？']));
        let telling = sentences.iter().rev().max_by_key(|sentence| subjects(sentence).len());
        let said = asked.or(telling).filter(|sentence| words(sentence).len() >= 3).or(sentences.first());
        let (said, asks) = match said {
            Some(said) => (snippet(said.trim_end_matches('!'), 90), said.ends_with(['?', '？'])),
            None => (self.talk.step().title.clone(), false),
        };
        let mut all = wording::plain_words(self.speech, &said, asks);
        let start = self.talk.turn_count() as usize % all.len();
        all.rotate_left(start);
        all
    }
}
