//! The offline voice: no key, no network, the same words for the same input.
//!
//! It speaks from evidence. Each persona looks through its own [lens](super::lenses), says what
//! it found and where, whom it answers, and what that asks for. Two differ where the documents hold
//! a line for each of their sides, and nowhere else. A persona with nothing left to point at passes;
//! where a line is owed, the user's own words are what it rests on.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use minijinja::context;
use minijinja::value::Serde;

use super::evidence::{Evidence, snippet};
use super::forms;
use super::heard::{Heard, skeleton};
use super::integrity::{Breach, breaches};
use super::lenses::{Vocabulary, is_of_software, points, share_of};
use super::point::Point;
use super::wording::{self, Speech};
use super::{Speechless, Voice};
use crate::beside::shared;
use crate::discussion::event::{Contribution, Event, Purpose};
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
    heard: Heard,
}

/// What was found: the points of each persona, and where two of them pull in opposite directions.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    points: BTreeMap<String, Vec<Point>>,
    tensions: Vec<Tension>,
}

/// A point of each of two personas, by key and index, that take opposite sides.
#[derive(Clone, Debug)]
pub(super) struct Tension {
    sides: [(String, usize); 2],
}

/// As many points are weighed against what was asked for one line.
pub(super) const CHOICE: usize = 5;
/// A lens of less weight fills a silence, and is no answer.
pub(super) const LIGHT: usize = 17;
/// As many points of a persona that take a side are held against a colleague's.
const SIDES: usize = 60;
/// Positions that are stated in one discussion: what two differ about is put to the user each time.
const POSITIONS: usize = 4;

impl Offline {
    pub fn new(evidence: Evidence, depth: Depth) -> Offline {
        Offline { evidence, depth, points: None, heard: Heard::default() }
    }

    fn found(&mut self, talk: &Discussion<'_>) -> Result<&Found, Speechless> {
        if self.points.is_none() {
            let points = all_points(talk, &self.evidence);
            let tensions = tensions(&points, &talk.lead().key, &self.evidence);
            self.points = Some(Found { points, tensions });
        }
        Ok(self.points.get_or_insert_default())
    }
}

/// The points of each persona, by its key. This is most of what a discussion takes, so two threads do it, and
/// make ready what every message is held against.
fn all_points(talk: &Discussion<'_>, evidence: &Evidence) -> BTreeMap<String, Vec<Point>> {
    let (vocabulary, library) = (Vocabulary::of(evidence), talk.library());
    let keys: Vec<&str> = library.cast.iter().map(|persona| persona.key.as_str()).collect();
    // Halves of what a persona looks for: whole ones are no even shares for two.
    let mut halves = shared(keys.len() * 2 + 1, |at| {
        let Some(key) = keys.get(at / 2) else {
            evidence.prepare();
            return Vec::new();
        };
        let lenses = library.lenses(key);
        let middle = lenses.len() / 2;
        let half = if at % 2 == 0 { 0..middle } else { middle..lenses.len() };
        let mut found = points(&lenses[half.clone()], evidence, &vocabulary, talk.step());
        found.iter_mut().for_each(|point| point.lens = point.lens.map(|lens| half.start + lens));
        found
    })
    .into_iter();
    let mut both = || halves.by_ref().take(2).flatten().collect();
    keys.iter().map(|key| ((*key).to_owned(), both())).collect()
}

/// Where the points of two personas pull in opposite directions. The lead puts what two differ about to the
/// user, and takes no side itself.
fn tensions(points: &BTreeMap<String, Vec<Point>>, lead: &str, evidence: &Evidence) -> Vec<Tension> {
    let points: Vec<_> = points.iter().filter(|(key, _)| *key != lead).collect();
    let sided = |list: &'_ [Point]| -> Vec<usize> {
        let sided = list.iter().enumerate().filter(|(_, point)| point.is_sided());
        sided.map(|(at, _)| at).take(SIDES).collect()
    };
    let mut found = Vec::new();
    for (number, (one, mine)) in points.iter().enumerate() {
        for (other, theirs) in &points[number + 1..] {
            for a in sided(mine) {
                let opposed = sided(theirs).into_iter().filter(|b| mine[a].opposes(&theirs[*b], evidence));
                found
                    .extend(opposed.map(|b| Tension { sides: [((*one).clone(), a), ((*other).clone(), b)] }));
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
        self.heard.listen(talk, &self.evidence);
        let heard = &self.heard;
        let speaker =
            Speaker { evidence: &self.evidence, depth, points, found, persona, speech, talk, cue, heard };
        if cue.purpose == Purpose::Framing {
            let framing = speaker.framing(&speaker.landed())?;
            let plain = || speaker.framing(&speaker.landed_plainly());
            return Ok(Some(if breaches(&framing, persona, talk).is_empty() { framing } else { plain()? }));
        }
        let candidates = match cue.purpose {
            Purpose::Answer => speaker.answers(),
            _ => speaker.additions(),
        };
        let mut worn = None;
        for candidate in candidates {
            let whole = matches!(candidate, Candidate::Written(_));
            let written = speaker.written(candidate)?;
            let fits = |line: &str| breaches(line, persona, talk).is_empty() && !talk.would_drift(line);
            let line = speaker.fresh(&written, heard.skeletons());
            // A finding stands without its advice, and words that belong together do not.
            if !line.is_empty() && (!whole || line == written) && fits(&line) {
                return Ok(Some(line));
            }
            // Where a line is owed, a worn sentence on something new is better than none.
            if cue.owed && worn.is_none() {
                let line = speaker.fresh(&written, &BTreeSet::new());
                worn = Some(line).filter(|line| !line.is_empty() && fits(line));
            }
        }
        Ok(worn.or_else(|| cue.owed.then(|| speaker.last_words())))
    }

    fn summary(&mut self, talk: &Discussion<'_>) -> Result<Summary, Speechless> {
        Ok(extract::summary(talk))
    }
}

/// What could be said, the best first. The first that keeps to the rules is taken, so each part is worked out when
/// everything before it was passed over.
pub(super) type Candidates<'a> = Box<dyn Iterator<Item = Candidate> + 'a>;

/// A part of what could be said.
pub(super) fn part<C: IntoIterator<Item = Candidate>>(
    of: impl FnOnce() -> C,
) -> impl Iterator<Item = Candidate> {
    std::iter::once_with(of).flatten()
}

/// The same of whole lines.
pub(super) fn lines<C: IntoIterator<Item = String>>(
    of: impl FnOnce() -> C,
) -> impl Iterator<Item = Candidate> {
    std::iter::once_with(of).flatten().map(Candidate::Written)
}

/// Something that could be said; it is written out when its turn comes.
pub(super) enum Candidate {
    Written(String),
    Point(Point),
    /// A point behind the words that open an answer.
    Opened(String, Point),
    /// A point led in by a reference to the colleague who spoke last.
    Referring(Point),
    /// The side that a point takes, and the point that pulls the other way.
    Position(Box<(Point, Point)>),
    /// The same against the side that a colleague took, by key.
    Differing(String, Point),
}

/// One line that is wanted, and everything it may rest on.
pub(super) struct Speaker<'a> {
    pub evidence: &'a Evidence,
    pub depth: Depth,
    pub points: &'a [Point],
    pub found: &'a Found,
    pub persona: &'a Persona,
    pub speech: Speech,
    pub talk: &'a Discussion<'a>,
    pub cue: &'a Cue,
    pub heard: &'a Heard,
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

    /// A line without the sentences that were said before in this discussion, by anybody: what is
    /// left, or nothing where its first sentence is among them.
    fn fresh(&self, line: &str, skeletons: &BTreeSet<String>) -> String {
        let sentences = extract::sentences(line);
        let worn = |sentence: &str| skeleton(sentence).is_some_and(|one| skeletons.contains(&one));
        let stale =
            |sentence: &String| sentence.split(' ').count() > 4 && self.heard.has(sentence) || worn(sentence);
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
    fn owed_words(&self) -> Vec<String> {
        if !self.cue.owed {
            return Vec::new();
        }
        let Some(message) = self.talk.last_message() else { return self.line_on_the_step() };
        let (text, asked) = self.asked_in(&self.without_names(&message.text));
        self.what_is_left(message, &text, &asked)
    }

    /// Where nobody has asked anything yet and no lens has found anything: the line nearest to the step.
    fn line_on_the_step(&self) -> Vec<String> {
        let title = &self.talk.step().title;
        let asked = self.asked(title);
        let shown: BTreeSet<String> =
            self.talk.contributions().flat_map(|said| places_in(&said.text)).collect();
        let near = asked.close(1).find(|line| !shown.contains(&format!("{} ", wording::place(line))));
        let say =
            |line| forms::points_at(self.speech, title, &wording::place(line), &snippet(&line.text, 140));
        near.map(say).unwrap_or_default()
    }

    fn written(&self, candidate: Candidate) -> Result<String, Speechless> {
        match candidate {
            Candidate::Written(line) => Ok(line),
            Candidate::Point(point) => Ok(point.text(self.evidence)),
            Candidate::Opened(opening, point) => Ok(format!("{opening} {}", point.text(self.evidence))),
            Candidate::Referring(point) => self.referring(&point),
            Candidate::Position(sides) => Ok(self.takes_side(&sides.0, &sides.1).unwrap_or_default()),
            Candidate::Differing(colleague, point) => self.differs(&colleague, &point),
        }
    }

    /// Questions of the step that are this persona's to ask, where the documents give nothing to point at.
    pub(super) fn step_questions(&self) -> Vec<Candidate> {
        let about = snippet(&self.talk.opened().item_name, 60);
        let say =
            |(way, question): (usize, &str)| wording::before_writing(self.speech, way, &about, question);
        self.own_questions().into_iter().enumerate().map(say).map(Candidate::Written).collect()
    }

    /// The questions of the step that fall to this persona, beside the one that opens the discussion.
    pub(super) fn own_questions(&self) -> Vec<&str> {
        let asked = self.talk.focus_question().unwrap_or_default();
        let questions = self.talk.step().questions(self.depth).iter().filter(|question| **question != asked);
        questions.skip(share_of(&self.persona.key)).step_by(3).map(String::as_str).collect()
    }

    /// Lines that add to a round, or to somebody else's answer.
    pub(super) fn additions(&self) -> Candidates<'_> {
        let follows = self.cue.purpose == Purpose::FollowUp;
        let asked = match follows {
            true => self.talk.last_message().map(|message| self.without_names(&message.text)),
            false => self.talk.focus_question(),
        };
        let asked: Rc<str> = asked.unwrap_or_default().into();
        let settled = self.talk.last_message().filter(|_| follows);
        // The second silence in a row: what stayed open comes before anything new.
        let leads = self.persona.key == self.talk.lead().key;
        let silences = if follows { 0 } else { self.talk.silences() };
        let reopens = silences > 1 && leads;
        let near = usize::from(follows || silences == 0);
        let (on_title, on_points) = (Rc::clone(&asked), asked);
        let points = move || match follows {
            true => self.points_beside(&on_points),
            false => self.unsaid_points(&on_points),
        };
        let asks = !follows && (self.cue.owed || silences == 1);
        let owed = !follows && self.cue.owed;
        let opens = silences > 0 && leads;
        let then = |wanted: bool, of: fn(&Self) -> Vec<Candidate>| {
            part(move || if wanted { of(self) } else { Vec::new() })
        };
        let found = part(|| self.differing())
            .chain(lines(move || settled.map(|message| self.reactions(message)).unwrap_or_default()))
            .chain(then(reopens, Self::open_again))
            .chain(then(opens, Self::open_lines))
            .chain(part(move || self.positions(&format!("{on_title} {}", self.talk.step().title), near)))
            .chain(part(move || points().into_iter().map(Candidate::Referring)))
            .chain(then(asks, Self::lines_to_ask_of))
            .chain(then(asks, Self::step_questions))
            .chain(then(owed, Self::open_lines))
            .chain(lines(|| self.owed_words()));
        Box::new(found)
    }

    /// What this persona holds against the side that a colleague has taken in this round.
    pub(super) fn differing(&self) -> Option<Candidate> {
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
    pub(super) fn positions(&self, asked: &str, least: usize) -> Option<Candidate> {
        let stated = self.talk.contributions().filter(|said| position(&said.text).is_some()).count();
        if stated >= POSITIONS || self.round().any(|said| position(&said.text).is_some()) {
            return None;
        }
        let is_settled = |point: &Point| point.line().is_some_and(|line| self.heard.is_settled(line));
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
        best.map(|(_, mine, theirs)| Candidate::Position(Box::new((mine.clone(), theirs.clone()))))
    }

    /// This persona's point of a tension, and the colleague's with its index.
    fn sides<'t>(&self, tension: &'t Tension) -> Option<(&Point, &'t (String, usize))> {
        let [a, b] = &tension.sides;
        let (mine, theirs) = if a.0 == self.persona.key { (a, b) } else { (b, a) };
        (mine.0 == self.persona.key).then(|| self.points.get(mine.1)).flatten().map(|point| (point, theirs))
    }

    pub(super) fn has_said(&self, words: &str) -> bool {
        self.talk.contributions().any(|said| said.text.contains(words))
    }

    /// What was said since the user's last message or silence.
    pub(super) fn round(&self) -> impl Iterator<Item = &Contribution> {
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
        let mine = quotations(&text);
        let mut shared = super::runs::shared_nouns(&theirs, &mine);
        let same_place = !point.place.is_empty() && said.contains(point.place.trim_end());
        shared.retain(|noun| same_place || self.evidence.is_telling(noun));
        // That something is open is no matter that two could have in common.
        shared.retain(|noun| {
            !matches!(noun.as_str(), "decid" | "decision" | "open" | "tbc" | "tbd" | "todo" | "unclear")
        });
        let stands = |part: &str| shared.iter().any(|noun| super::runs::roots(part).contains(noun));
        let found = words(&theirs);
        let first = found.iter().position(|word| stands(&word.text));
        let Some(topic) = first.map(|at| named_run(&theirs, &found, at, &stands)) else { return Ok(text) };
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

    /// Points nobody has made yet, those that touch what was asked first.
    pub(super) fn unsaid_points(&self, asked: &str) -> Vec<Point> {
        // Nobody has asked: what speaks of programs is left to documents on programs.
        let lenses = self.talk.library().lenses(&self.persona.key);
        let is_software = self.evidence.is_of_software();
        let fits = |point: &Point| {
            let lens = || point.lens.and_then(|lens| lenses.get(lens));
            is_software || !lens().is_some_and(is_of_software)
        };
        let chosen = self.unsaid(asked).into_iter().filter(|(_, point)| fits(point)).take(CHOICE);
        chosen.map(|(stale, point)| if stale { point.alone() } else { point.clone() }).collect()
    }

    /// The same by weight, each with whether its advice was heard.
    pub(super) fn unsaid(&self, asked: &str) -> Vec<(bool, &Point)> {
        // A framing shows what there is, and makes no point of it.
        let made = self.talk.contributions().filter(|said| said.purpose != Purpose::Framing);
        let said = made.map(|said| said.text.as_str()).collect::<Vec<_>>().join("\n");
        let places = places_in(&said);
        // What a colleague has just pointed at may be seen otherwise by a second pair of eyes, not a third.
        let last = self.round().next().filter(|said| said.by != self.persona.key);
        let shown = last.map_or(BTreeSet::new(), |last| places_in(&last.text));
        let times = |place: &str| said.matches(place.trim_end()).count();
        let mut second: BTreeSet<String> = shown.into_iter().filter(|place| times(place) == 1).collect();
        // Who is asked may point at what a colleague pointed at.
        if self.cue.purpose == Purpose::Answer {
            let made = self.talk.contributions().filter(|said| said.purpose != Purpose::Framing);
            let mine = made.filter(|said| said.by == self.persona.key);
            let mine: BTreeSet<String> = mine.flat_map(|said| places_in(&said.text)).collect();
            second.extend(places.iter().filter(|place| times(place) == 1 && !mine.contains(*place)).cloned());
        }
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
                    holds(&said, letters.as_str())
                }
                place => places.contains(place) && !second.contains(place),
            };
            // What a decision has closed since is no matter any more.
            if pointed || point.line().is_some_and(|line| self.heard.is_closed(line)) {
                continue;
            }
            // The same advice twice is filler: the finding stands alone, and waits for others.
            let heard = |ask: &str| !ask.is_empty() && holds(&said, ask);
            let stale = *asks.entry(point.ask.as_str()).or_insert_with_key(|ask| heard(ask));
            let near = point.touches(&asked, self.evidence).min(3);
            let joint = if second.contains(&point.place) { 6 } else { 0 };
            let weight = (point.weight + joint + 12 * near).saturating_sub(if stale { 20 } else { 0 });
            found.push((weight, stale, point));
        }
        found.sort_by_key(|(weight, ..)| std::cmp::Reverse(*weight));
        found.into_iter().map(|(_, stale, point)| (stale, point)).collect()
    }

    /// What is left when a line is owed and everything was said: that it was, in words that were not used yet.
    fn last_words(&self) -> String {
        let mine = self.talk.contributions().filter(|said| said.by == self.persona.key);
        let mut ways =
            wording::last_words(self.speech, self.talk.turn_count() + 1, mine.map(|said| said.turn).last());
        let is_new = |way: &String| breaches(way, self.persona, self.talk).is_empty();
        let at = ways.iter().position(is_new).unwrap_or_default();
        ways.swap_remove(at)
    }
}

/// The places that a text points at, as [`Point::place`] writes them, whatever stands around them.
pub(super) fn places_in(text: &str) -> BTreeSet<String> {
    let line = |(at, found): (usize, &str)| {
        let start = text[..at].rfind([' ', '\n', '(', '"']).map_or(0, |blank| blank + 1);
        let number = at + found.len();
        let digits = text[number..].find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len() - number);
        Some(format!("{} ", text.get(start..number + digits)?))
    };
    text.match_indices(" line ").filter_map(line).collect()
}

/// Whether a text has a sentence in it. Hundreds are looked for in a turn, and nearly all are not
/// there: the standard library compares up to 32 bytes side by side, and makes ready for more.
fn holds(text: &str, sentence: &str) -> bool {
    let beginning = sentence.get(..32).unwrap_or(sentence);
    text.contains(beginning) && (beginning.len() == sentence.len() || text.contains(sentence))
}

/// What a text quotes; where it quotes nothing, all of it.
pub(super) fn quotations(text: &str) -> String {
    let quoted: Vec<&str> = text.split('"').skip(1).step_by(2).collect();
    if quoted.is_empty() { text.to_owned() } else { quoted.join(". ") }
}

/// The words from `at` on that stand side by side and are all shared.
fn named_run(
    text: &str,
    found: &[crate::discussion::words::Word<'_>],
    at: usize,
    stands: &dyn Fn(&str) -> bool,
) -> String {
    let joined = |to: usize| text[found[to].end..found[to + 1].start] == *" ";
    let mut to = at;
    while to + 1 < found.len() && to - at < 3 && joined(to) && stands(&found[to + 1].text) {
        to += 1;
    }
    text[found[at].start..found[to].end].to_owned()
}

/// A contribution without the reference to a colleague or to the user that it opens with.
pub(super) fn without_reference(text: &str) -> &str {
    let opens =
        ["Building on", "To add to what", "On \"", "mentioned ", "raises a good point", "I agree with"];
    let mut end = text.len().min(80);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let opened = opens.iter().any(|opening| text[..end].contains(opening));
    let ends = [": ", "However, ", " matters here. "];
    // A colon inside of a quotation ends no reference.
    let outside = |at: &usize| text[..*at].matches('"').count().is_multiple_of(2);
    let tail_of =
        |end: &&str| text.match_indices(*end).map(|(at, _)| at).find(outside).map(|at| at + end.len());
    let tail = opened.then(|| ends.iter().find_map(tail_of)).flatten();
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
