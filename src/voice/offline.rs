//! The offline voice: no key, no network, the same words for the same input.
//!
//! It speaks from evidence. Each persona looks through its own [lens](super::lenses), says what
//! it found and where, whom it answers, and what that asks for. Two differ where the documents hold
//! a line for each of their sides, and nowhere else. A persona with nothing left to point at passes;
//! where a line is owed, the user's own words are what it rests on.

use std::collections::{BTreeMap, BTreeSet};

use minijinja::context;
use minijinja::value::Serde;

use super::evidence::{Evidence, Line, snippet, telling, topic, topic_around};
use super::integrity::{Breach, breaches};
use super::lenses::{Point, Vocabulary, points};
use super::wording::{self, Speech};
use super::{Speechless, Voice};
use crate::discussion::decisions::{decisions_in, statements};
use crate::discussion::event::{Contribution, Event, Message, Purpose};
use crate::discussion::positions::position;
use crate::discussion::summary::Summary;
use crate::discussion::words::{subjects, words};
use crate::discussion::{Cue, Discussion, extract};
use crate::persona::Persona;
use crate::plain;
use crate::step::Depth;

/// The name of this voice in recordings.
pub const NAME: &str = "offline";

/// The embedded voice.
#[derive(Clone, Debug)]
pub struct Offline {
    evidence: Evidence,
    depth: Depth,
    /// What each persona's lens has found; looked for once, before the first line.
    points: Option<Found>,
}

/// What was found: the points of each persona, and where two of them pull in opposite directions.
#[derive(Clone, Debug, Default)]
struct Found {
    points: BTreeMap<String, Vec<Point>>,
    tensions: Vec<Tension>,
}

/// A point of each of two personas, by key and index, that take opposite sides.
#[derive(Clone, Debug)]
struct Tension {
    sides: [(String, usize); 2],
}

/// As many points are weighed against what was asked for one line.
const CHOICE: usize = 5;
/// As many points of a persona that take a side are held against a colleague's.
const SIDES: usize = 60;
/// Positions that are stated in one discussion: what two differ about is put to the user each time.
const POSITIONS: usize = 4;

impl Offline {
    pub fn new(evidence: Evidence, depth: Depth) -> Offline {
        Offline { evidence, depth, points: None }
    }

    fn found(&mut self, talk: &Discussion<'_>) -> Result<&Found, Speechless> {
        if self.points.is_none() {
            let points = all_points(talk, &self.evidence);
            let tensions = tensions(&points, &self.evidence);
            self.points = Some(Found { points, tensions });
        }
        Ok(self.points.get_or_insert_default())
    }
}

/// The points of each persona, by its key. They are looked for side by side: this is most of what a
/// discussion takes.
fn all_points(talk: &Discussion<'_>, evidence: &Evidence) -> BTreeMap<String, Vec<Point>> {
    let vocabulary = Vocabulary::of(evidence);
    let of = |persona: &Persona| {
        let lenses = talk.library().lenses(&persona.key);
        (persona.key.clone(), points(&persona.key, lenses, evidence, &vocabulary, talk.step()))
    };
    let (lead, of) = (talk.lead(), &of);
    std::thread::scope(|scope| {
        let others = talk.library().cast.others(&lead.key);
        // Where no thread is to be had, this one does it all.
        let begun: Vec<_> = others
            .map(|other| (other, std::thread::Builder::new().spawn_scoped(scope, move || of(other)).ok()))
            .collect();
        let mut found = BTreeMap::from([of(lead)]);
        found.extend(
            begun
                .into_iter()
                .map(|(other, begun)| begun.and_then(|begun| begun.join().ok()).unwrap_or_else(|| of(other))),
        );
        found
    })
}

/// Where the points of two personas pull in opposite directions.
fn tensions(points: &BTreeMap<String, Vec<Point>>, evidence: &Evidence) -> Vec<Tension> {
    let sided = |list: &'_ [Point]| -> Vec<usize> {
        let sided = list.iter().enumerate().filter(|(_, point)| point.is_sided());
        sided.map(|(at, _)| at).take(SIDES).collect()
    };
    let mut found = Vec::new();
    for (number, (one, mine)) in points.iter().enumerate() {
        for (other, theirs) in points.iter().skip(number + 1) {
            for a in sided(mine) {
                let opposed = sided(theirs).into_iter().filter(|b| mine[a].opposes(&theirs[*b], evidence));
                found.extend(opposed.map(|b| Tension { sides: [(one.clone(), a), (other.clone(), b)] }));
            }
        }
    }
    found
}

impl Voice for Offline {
    fn name(&self) -> &str {
        NAME
    }

    fn line(
        &mut self,
        cue: &Cue,
        talk: &Discussion<'_>,
        _broken: &[Breach],
    ) -> Result<Option<String>, Speechless> {
        let Some(persona) = talk.library().cast.get(&cue.persona) else { return Ok(None) };
        let depth = self.depth;
        self.found(talk)?;
        let Some(found) = &self.points else { return Ok(None) };
        let points = found.points.get(&persona.key).map_or(&[][..], Vec::as_slice);
        let speech = Speech::of(&persona.key);
        let speaker = Speaker { evidence: &self.evidence, depth, points, found, persona, speech, talk, cue };
        if cue.purpose == Purpose::Framing {
            let framing = speaker.framing(&speaker.landed())?;
            let plain = || speaker.framing(&speaker.landed_plainly());
            return Ok(Some(if breaches(&framing, persona, talk).is_empty() { framing } else { plain()? }));
        }
        let candidates = match cue.purpose {
            Purpose::Answer => speaker.answers(),
            _ => speaker.additions(),
        };
        for candidate in candidates {
            let line = speaker.fresh(&speaker.written(candidate)?);
            if line.is_empty() {
                continue;
            }
            if breaches(&line, persona, talk).is_empty() && !talk.would_drift(&line) {
                return Ok(Some(line));
            }
        }
        Ok(cue.owed.then(|| speaker.last_words()))
    }

    fn summary(&mut self, talk: &Discussion<'_>) -> Result<Summary, Speechless> {
        Ok(extract::summary(talk))
    }
}

/// Something that could be said; it is written out when its turn comes, since the first that
/// keeps to the rules is taken.
enum Candidate {
    Written(String),
    Point(Point),
    /// A point behind the words that open an answer.
    Opened(String, Point),
    /// A point led in by a reference to the colleague who spoke last.
    Referring(Point),
    /// The side that a point takes, and the point that pulls the other way.
    Position(Point, Point),
    /// The same against the side that a colleague took, by key.
    Differing(String, Point),
}

/// One line that is wanted, and everything it may rest on.
struct Speaker<'a> {
    evidence: &'a Evidence,
    depth: Depth,
    points: &'a [Point],
    found: &'a Found,
    persona: &'a Persona,
    speech: Speech,
    talk: &'a Discussion<'a>,
    cue: &'a Cue,
}

/// A question that a persona asked and nobody has taken up.
struct OpenQuestion<'a> {
    by: &'a str,
    turn: u32,
    line: &'a Line,
    asked: String,
}

impl Speaker<'_> {
    /// The lead's framing (4.4.2): what the step came to, the focus question, the first colleague.
    fn framing(&self, landed: &str) -> Result<String, Speechless> {
        let Some(next) = self.talk.library().cast.others(&self.persona.key).next() else {
            return Ok(String::new());
        };
        let values = context! {
            step => Serde(&self.talk.opened().step),
            summary => landed,
            question => self.question(),
            addressee => next.first_name(),
            lens => next.lens.as_str(),
            article => article(&next.lens),
        };
        Ok(self.talk.library().templates.render("framing.txt", values)?)
    }

    /// What the documents hold on the step so far, in one clause, as the lead would put it.
    fn landed(&self) -> String {
        let step = self.talk.step();
        wording::landed(self.speech, &step.title, &step.outputs, self.evidence)
    }

    /// The same without a word of the documents, which may hold words the lead does not use.
    fn landed_plainly(&self) -> String {
        format!("the item has {}", plain::count(self.evidence.documents.len(), "document"))
    }

    /// The question of the step that the documents answer least.
    fn question(&self) -> String {
        let step = self.talk.step();
        let open = |question: &&String| (self.evidence.coverage(question), subjects(question).len() < 3);
        let question = step.questions(self.depth).iter().min_by_key(open);
        question.map_or_else(|| format!("What is still missing from {}?", step.title), Clone::clone)
    }

    /// Lines that answer the user's message.
    fn answers(&self) -> Vec<Candidate> {
        let Some(message) = self.talk.last_message() else { return self.additions() };
        let asked = self.without_names(&message.text);
        let first = self.is_first_to_answer();
        let mut found: Vec<Candidate> = self.reactions(message).into_iter().map(Candidate::Written).collect();
        found.extend(self.differing());
        let line = self.evidence.about(&asked);
        let opening = first.then(|| self.opening(message, &asked, line)).flatten();
        // "Thanks" asks nothing: what stayed open comes back.
        let asks = message.text.trim_end().ends_with(['?', '？']);
        if first && !asks && opening.is_none() && topic(&asked).is_none() {
            found.extend(self.open_again());
        }
        found.extend(self.positions(&asked, if first { 2 } else { 1 }));
        let (near, far): (Vec<Point>, Vec<Point>) =
            self.unsaid_points(&asked).into_iter().partition(|point| self.is_near(point, &asked, line));
        for point in near {
            // A point on the very line that opens the answer is the answer's own evidence.
            let same = line.is_some_and(|line| point.text(self.evidence).contains(&wording::place(line)));
            found.push(match &opening {
                Some(opening) if !same => Candidate::Opened(opening.clone(), point),
                _ if first => Candidate::Point(point),
                _ => Candidate::Referring(point),
            });
        }
        if first {
            let opening = opening.map_or(String::new(), |opening| format!("{opening} "));
            let plain = self.plain_words().into_iter().map(|words| format!("{opening}{words}"));
            found.extend(plain.map(Candidate::Written));
        }
        found.extend(far.into_iter().map(Candidate::Referring));
        found.extend(self.open_again());
        found.extend(self.owed_words());
        found
    }

    /// Whether a point has to do with what was asked, or with the line that speaks of it.
    fn is_near(&self, point: &Point, asked: &str, line: Option<&Line>) -> bool {
        let is_there = |line: &Line| {
            let at = self.evidence.index_of(line);
            point.line().zip(at).is_some_and(|(a, b)| self.evidence.are_related(a, b))
        };
        point.touches(&telling(asked), self.evidence) > 0 || line.is_some_and(is_there)
    }

    /// A line without the sentences that were said before in this discussion, by anybody: what is
    /// left, or nothing where its first sentence is among them.
    fn fresh(&self, line: &str) -> String {
        let said: BTreeSet<String> =
            self.talk.contributions().flat_map(|said| extract::sentences(&said.text)).collect();
        let sentences = extract::sentences(line);
        let stale = |sentence: &String| sentence.split(' ').count() > 4 && said.contains(sentence);
        if sentences.first().is_none_or(stale) {
            return String::new();
        }
        if !sentences.iter().any(stale) {
            return line.to_owned();
        }
        let left = sentences.into_iter().filter(|sentence| !stale(sentence)).collect::<Vec<_>>().join(" ");
        // A reference to a colleague with nothing behind it is no contribution.
        if left.split(' ').count() < 8 { String::new() } else { left }
    }

    /// What is left to say where a line is owed.
    fn owed_words(&self) -> impl Iterator<Item = Candidate> {
        let plain = if self.cue.owed { self.plain_words() } else { Vec::new() };
        plain.into_iter().map(Candidate::Written)
    }

    fn written(&self, candidate: Candidate) -> Result<String, Speechless> {
        match candidate {
            Candidate::Written(line) => Ok(line),
            Candidate::Point(point) => Ok(point.text(self.evidence)),
            Candidate::Opened(opening, point) => Ok(format!("{opening} {}", point.text(self.evidence))),
            Candidate::Referring(point) => self.referring(&point),
            Candidate::Position(mine, theirs) => Ok(self.takes_side(&mine, &theirs).unwrap_or_default()),
            Candidate::Differing(colleague, point) => self.differs(&colleague, &point),
        }
    }

    /// The user's words and what the documents say on them, or that nothing does; none where the words
    /// name nothing, or their line was quoted already.
    fn opening(&self, message: &Message, asked: &str, line: Option<&Line>) -> Option<String> {
        if let Some(taken_up) = self.takes_up(message, asked) {
            return Some(taken_up);
        }
        match line {
            Some(line) => {
                let said = snippet(&line.text, 60);
                let made = self.talk.contributions().filter(|one| one.purpose != Purpose::Framing);
                let quoted = made.into_iter().any(|one| one.text.contains(said.trim_end_matches('…')));
                let topic = topic_around(asked, &line.stems).filter(|_| !quoted)?;
                Some(wording::points_at(self.speech, &plain::cut(&topic, 60).replace('"', "'"), line))
            }
            None => {
                let topic = self.topic_of(asked)?;
                // What is told somewhere, only not of this, is no gap.
                if telling(&topic).iter().any(|word| self.evidence.is_mentioned(word)) {
                    return None;
                }
                Some(wording::finds_nothing(self.speech, &topic, &self.evidence.documents))
            }
        }
    }

    /// The user's statement on a matter that a question of before left open.
    fn takes_up(&self, message: &Message, asked: &str) -> Option<String> {
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

    fn whose(&self, open: &OpenQuestion<'_>) -> String {
        if open.by == self.persona.key {
            return "my".to_owned();
        }
        let name = self.talk.library().cast.get(open.by).map_or(open.by, Persona::first_name);
        format!("{name}'s")
    }

    /// What a settled matter means to this persona, each decision in words of its own.
    fn reactions(&self, message: &Message) -> Vec<String> {
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
        let with_before = || format!("{} {}", message.text, before.unwrap_or_default());
        let line = clash
            .or_else(|| self.evidence.about(&message.text))
            .or_else(|| self.evidence.about(&with_before()));
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

    /// Lines that add to a round, or to somebody else's answer.
    fn additions(&self) -> Vec<Candidate> {
        let follows = self.cue.purpose == Purpose::FollowUp;
        let asked = match follows {
            true => self.talk.last_message().map(|message| self.without_names(&message.text)),
            false => self.talk.focus_question(),
        };
        let asked = asked.unwrap_or_default();
        let mut found: Vec<Candidate> = self.differing().into_iter().collect();
        let settled = self.talk.last_message().filter(|_| follows);
        found.extend(settled.into_iter().flat_map(|message| self.reactions(message)).map(Candidate::Written));
        // The second silence in a row: what stayed open comes before anything new.
        if !follows && self.talk.silences() > 1 && self.persona.key == self.talk.lead().key {
            found.extend(self.open_again());
        }
        let near = usize::from(follows || self.talk.silences() == 0);
        let title = &self.talk.step().title;
        found.extend(self.positions(&format!("{asked} {title}"), near));
        let about = subjects(&asked);
        let points = self.unsaid_points(&asked).into_iter();
        let points = points.filter(|point| !follows || point.touches(&about, self.evidence) > 0);
        found.extend(points.map(Candidate::Referring));
        found.extend(self.owed_words());
        found
    }

    /// What this persona holds against the side that a colleague has taken in this round.
    fn differing(&self) -> Option<Candidate> {
        let cast = &self.talk.library().cast;
        let round: Vec<&Contribution> = self.round().collect();
        self.found.tensions.iter().find_map(|tension| {
            let (point, (key, theirs)) = self.sides(tension)?;
            let side = self.found.points.get(key)?.get(*theirs)?.side(self.evidence)?;
            let stated = round.iter().any(|said| said.by == *key && said.text.contains(&side.sentence()));
            let new = !self.has_said(&point.side(self.evidence)?.favors);
            (stated && new && cast.get(key).is_some())
                .then(|| Candidate::Differing(key.clone(), point.clone()))
        })
    }

    /// Points that take a side, where a colleague who is still to speak has one on the other; those that
    /// touch what was asked first, at least in `least` of its words.
    fn positions(&self, asked: &str, least: usize) -> Option<Candidate> {
        let stated = self.talk.contributions().filter(|said| position(&said.text).is_some()).count();
        if stated >= POSITIONS || self.round().any(|said| position(&said.text).is_some()) {
            return None;
        }
        let settled = self.settled_lines();
        let is_settled = |point: &Point| point.line().is_some_and(|line| settled.contains(&line));
        let waiting: Vec<&str> = self.talk.waiting().filter(|key| *key != self.persona.key).collect();
        let asked = subjects(asked);
        let tensions = self.found.tensions.iter().filter_map(|tension| {
            let (point, (key, theirs)) = self.sides(tension)?;
            let other = self.found.points.get(key)?.get(*theirs)?;
            let new = !self.has_said(&point.side(self.evidence)?.favors)
                && !self.has_said(&other.side(self.evidence)?.favors);
            let new = new && !is_settled(point) && !is_settled(other);
            let near = point.touches(&asked, self.evidence) + other.touches(&asked, self.evidence);
            (waiting.contains(&key.as_str()) && new && near >= least).then_some((near, point, other))
        });
        // Of equals the first; `max_by_key` gives the last.
        let best = tensions.collect::<Vec<_>>().into_iter().rev().max_by_key(|(near, ..)| *near);
        best.map(|(_, mine, theirs)| Candidate::Position(mine.clone(), theirs.clone()))
    }

    /// The lines that decisions of the user's speak of: what is settled is no matter to differ about.
    fn settled_lines(&self) -> Vec<usize> {
        let messages = self.talk.log().iter().filter_map(|record| match &record.event {
            Event::User(message) if !decisions_in(&message.text, true).is_empty() => Some(&message.text),
            _ => None,
        });
        let lines = messages.filter_map(|text| self.evidence.about(text));
        lines.filter_map(|line| self.evidence.index_of(line)).collect()
    }

    /// This persona's point of a tension, and the colleague's with its index.
    fn sides<'t>(&self, tension: &'t Tension) -> Option<(&Point, &'t (String, usize))> {
        let [a, b] = &tension.sides;
        let (mine, theirs) = if a.0 == self.persona.key { (a, b) } else { (b, a) };
        (mine.0 == self.persona.key).then(|| self.points.get(mine.1)).flatten().map(|point| (point, theirs))
    }

    fn has_said(&self, words: &str) -> bool {
        self.talk.contributions().any(|said| said.text.contains(words))
    }

    /// What was said since the user's last message or silence.
    fn round(&self) -> impl Iterator<Item = &Contribution> {
        let log = self.talk.log().iter().rev();
        let since = log.take_while(|record| !matches!(record.event, Event::User(_) | Event::Silence {}));
        since.filter_map(|record| match &record.event {
            Event::Contribution(said) => Some(said),
            _ => None,
        })
    }

    /// The side a point takes, where it stands, and what pulls the other way.
    fn takes_side(&self, mine: &Point, theirs: &Point) -> Option<String> {
        let lines = &self.evidence.lines;
        let (line, other) = (lines.get(mine.line()?)?, lines.get(theirs.line()?)?);
        let pull = wording::pulls(self.speech, line, other);
        Some(format!("{} {pull}", mine.side(self.evidence)?.sentence()))
    }

    fn differs(&self, colleague: &str, point: &Point) -> Result<String, Speechless> {
        let name = self.talk.library().cast.get(colleague).map_or(colleague, Persona::first_name);
        let side = point.side(self.evidence).map_or(String::new(), |side| side.sentence());
        let line = point.line().and_then(|at| self.evidence.lines.get(at));
        let ground = line.map_or(String::new(), |line| wording::ground(self.speech, line));
        let then = format!("{side} {ground}");
        Ok(self.talk.library().templates.render("cross-talk/differ.txt", context! { name, then })?)
    }

    /// A point, led in by a reference to the colleague who spoke last, where the two have something in
    /// common (interface specification 3.3); else by itself.
    fn referring(&self, point: &Point) -> Result<String, Speechless> {
        let text = point.text(self.evidence);
        let Some((colleague, said)) = self.colleague() else { return Ok(text) };
        // What a lens says of a line is its own; in common is what both found there.
        let theirs = quotations(&said);
        let about = telling(&theirs);
        let shared: Vec<String> = about
            .into_iter()
            .filter(|word| point.touches(std::slice::from_ref(word), self.evidence) > 0)
            .collect();
        let same_place = !point.place.is_empty() && said.contains(point.place.trim_end());
        let topic = topic_around(&theirs, &shared).filter(|topic| {
            let mine = telling(&text);
            telling(topic).iter().any(|word| mine.contains(word))
        });
        let Some(topic) = topic else { return Ok(text) };
        let odd = self.talk.turn_count() % 2 == 1;
        let pattern = match (same_place, shared.len(), odd) {
            (true, _, true) => "agree",
            (true, _, false) | (false, 2.., false) => "building-on",
            (false, 2.., true) => "mentioned",
            _ if self.is_against(point, colleague, &said) => "however",
            _ => "add-to",
        };
        let values = context! {
            name => colleague.first_name(),
            topic => format!("\"{}\"", plain::cut(&topic, 60).replace('"', "'")),
            lens => self.persona.lens.as_str(),
            article => article(&self.persona.lens),
            // Most templates lead in to it, in the middle of a sentence.
            then => if pattern == "agree" { text } else { in_a_sentence(&text) },
        };
        Ok(self.talk.library().templates.render(&format!("cross-talk/{pattern}.txt"), values)?)
    }

    /// Whether a point takes the other side of one that a colleague has just made.
    fn is_against(&self, point: &Point, colleague: &Persona, said: &str) -> bool {
        let theirs = self.found.points.get(&colleague.key).map_or(&[][..], Vec::as_slice);
        let made =
            theirs.iter().filter(|other| !other.place.is_empty() && said.contains(other.place.trim_end()));
        made.into_iter().any(|other| point.opposes(other, self.evidence))
    }

    /// The colleague who spoke last since the user did, and the words.
    fn colleague(&self) -> Option<(&Persona, String)> {
        let said = self.round().find(|said| said.by != self.persona.key)?;
        let colleague = self.talk.library().cast.get(&said.by)?;
        let text = match said.purpose {
            Purpose::Framing => self.talk.focus_question()?,
            _ => said.text.clone(),
        };
        Some((colleague, without_reference(&text).to_owned()))
    }

    /// Questions of the personas that no message of the user's has taken up, asked before a turn.
    fn questions_before(&self, turn: u32) -> Vec<OpenQuestion<'_>> {
        let mut found: Vec<OpenQuestion<'_>> = Vec::new();
        // What a colleague asks of a decision is asked of everybody.
        let mut decided = false;
        for record in self.talk.log() {
            match &record.event {
                Event::Contribution(said)
                    if said.turn < turn && said.purpose != Purpose::Framing && !decided =>
                {
                    let asked =
                        extract::sentences(&said.text).pop().filter(|last| last.ends_with(['?', '？']));
                    let place = places_in(&said.text)
                        .into_iter()
                        .find_map(|place| self.evidence.line_at(place.trim_end()));
                    if let (Some(asked), Some(line)) = (asked, place) {
                        found.push(OpenQuestion { by: &said.by, turn: said.turn, line, asked });
                    }
                }
                Event::Silence {} => decided = false,
                Event::User(message) if message.turn.is_some_and(|at| at < turn) => {
                    decided = !decisions_in(&message.text, true).is_empty();
                    let said = telling(&message.text);
                    let about =
                        |line: &Line| said.iter().filter(|word| line.stems.contains(word)).count() >= 2;
                    found.retain(|open| !about(open.line));
                }
                _ => {}
            }
        }
        found
    }

    /// Back to the first question that stayed open, which nobody has come back to yet.
    fn open_again(&self) -> Vec<Candidate> {
        let open = self.questions_before(self.talk.turn_count() + 1);
        let mut found = Vec::new();
        for open in &open {
            let whose = self.whose(open);
            if self.has_said(&format!("question from turn {}", open.turn)) {
                continue;
            }
            let name = (open.by != self.persona.key).then(|| whose.trim_end_matches("'s").to_owned());
            let at = wording::place(open.line);
            let what = format!(
                "\"{}\" on \"{}\" ({at})",
                plain::cut(&open.asked, 120),
                snippet(&open.line.text, 70)
            );
            let ways = wording::left_open(self.speech, name.as_deref(), open.turn, &what);
            found.extend(ways.into_iter().map(Candidate::Written));
        }
        found.truncate(CHOICE);
        found
    }

    /// Points nobody has made yet, those that touch what was asked first.
    fn unsaid_points(&self, asked: &str) -> Vec<Point> {
        // A framing shows what there is, and makes no point of it.
        let made = self.talk.contributions().filter(|said| said.purpose != Purpose::Framing);
        let said = made.map(|said| said.text.as_str()).collect::<Vec<_>>().join("\n");
        let places = places_in(&said);
        // What a colleague has just pointed at may be seen otherwise by a second pair of eyes, not a third.
        let last = self.round().next().filter(|said| said.by != self.persona.key);
        let shown = last.map_or(BTreeSet::new(), |last| places_in(&last.text));
        let times = |place: &str| said.matches(place.trim_end()).count();
        let second: BTreeSet<String> = shown.into_iter().filter(|place| times(place) == 1).collect();
        let mut asks: BTreeMap<&str, bool> = BTreeMap::new();
        let asked = subjects(asked);
        let mut found: Vec<(usize, bool, &Point)> = Vec::new();
        for point in self.points {
            let pointed = match point.place.as_str() {
                // Behind words that lead in, its first letter is a small one.
                "" => {
                    let statement = point.statement(self.evidence);
                    let mut letters = statement.chars();
                    letters.next();
                    said.contains(letters.as_str())
                }
                place => places.contains(place) && !second.contains(place),
            };
            if pointed {
                continue;
            }
            // The same advice twice is filler: the finding stands alone, and waits for others.
            let heard = |ask: &str| !ask.is_empty() && said.contains(ask);
            let stale = *asks.entry(point.ask.as_str()).or_insert_with_key(|ask| heard(ask));
            let near = point.touches(&asked, self.evidence).min(3);
            let joint = if second.contains(&point.place) { 6 } else { 0 };
            let weight = (point.weight + joint + 12 * near).saturating_sub(if stale { 20 } else { 0 });
            found.push((weight, stale, point));
        }
        found.sort_by_key(|(weight, ..)| std::cmp::Reverse(*weight));
        let chosen = found.into_iter().take(CHOICE);
        chosen.map(|(_, stale, point)| if stale { point.alone() } else { point.clone() }).collect()
    }

    /// Whether nobody has answered the last message yet.
    fn is_first_to_answer(&self) -> bool {
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

    fn without_names(&self, text: &str) -> String {
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

    fn topic_of(&self, text: &str) -> Option<String> {
        topic(text).map(|topic| plain::cut(&topic, 60).replace('"', "'"))
    }

    /// What each persona can say of anything: the user's own words through its lens.
    fn plain_words(&self) -> Vec<String> {
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

    /// What is left when a line is owed and everything was said: that it was.
    fn last_words(&self) -> String {
        let mine = self.talk.contributions().filter(|said| said.by == self.persona.key);
        wording::last_words(self.talk.turn_count() + 1, mine.map(|said| said.turn).last())
    }
}

/// The places that a text points at, as [`Point::place`] writes them, whatever stands around them.
fn places_in(text: &str) -> BTreeSet<String> {
    let line = |(at, found): (usize, &str)| {
        let start = text[..at].rfind([' ', '\n', '(', '"']).map_or(0, |blank| blank + 1);
        let number = at + found.len();
        let digits = text[number..].find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len() - number);
        Some(format!("{} ", text.get(start..number + digits)?))
    };
    text.match_indices(" line ").filter_map(line).collect()
}

/// What a text quotes; where it quotes nothing, all of it.
fn quotations(text: &str) -> String {
    let quoted: Vec<&str> = text.split('"').skip(1).step_by(2).collect();
    if quoted.is_empty() { text.to_owned() } else { quoted.join(". ") }
}

/// A contribution without the reference to a colleague or to the user that it opens with.
fn without_reference(text: &str) -> &str {
    let opens =
        ["Building on", "To add to what", "On \"", "mentioned ", "raises a good point", "I agree with"];
    let mut end = text.len().min(80);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let opened = opens.iter().any(|opening| text[..end].contains(opening));
    let ends = [": ", "However, ", " matters here. "];
    let tail = opened.then(|| ends.iter().find_map(|end| text.find(end).map(|at| at + end.len()))).flatten();
    tail.map_or(text, |at| &text[at..])
}

/// A sentence as it goes on behind words that lead in to it: its first word in lower case, unless
/// that is a name.
fn in_a_sentence(text: &str) -> String {
    let first = text.split([' ', ',']).next().unwrap_or_default();
    let mut letters = first.chars();
    let head = letters.next().filter(|letter| letter.is_uppercase());
    let plain = letters.clone().next().is_some() && letters.all(|c| c.is_lowercase() || c == '\'');
    let article = matches!(first, "A");
    match head {
        Some(head) if plain || article => format!("{}{}", head.to_lowercase(), &text[head.len_utf8()..]),
        _ => text.to_owned(),
    }
}

fn article(noun: &str) -> &'static str {
    let sounds = noun.starts_with(['a', 'e', 'i', 'o', 'A', 'E', 'I', 'O']) || noun.starts_with("un");
    if sounds { "an" } else { "a" }
}
