//! The offline voice: no key, no network, the same words for the same input.
//!
//! It speaks from evidence. Each persona looks through its own [lens](super::lenses), says what
//! it found and where, whom it answers, and what that asks for. A persona with nothing left to
//! point at passes; where a line is owed, the user's own words are what it rests on.

use std::collections::{BTreeMap, BTreeSet};

use minijinja::context;
use minijinja::value::Serde;

use super::evidence::{Evidence, LineKind, snippet, topic};
use super::integrity::{Breach, breaches};
use super::lenses::{Point, points};
use super::{Speechless, Voice};
use crate::discussion::decisions::decisions_in;
use crate::discussion::event::{Contribution, Event, Message, Purpose};
use crate::discussion::summary::Summary;
use crate::discussion::words::subjects;
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
    /// What each persona's lens has found; looked for once.
    points: BTreeMap<String, Vec<Point>>,
}

/// As many points are weighed against what was asked for one line.
const CHOICE: usize = 5;

impl Offline {
    pub fn new(evidence: Evidence, depth: Depth) -> Offline {
        Offline { evidence, depth, points: BTreeMap::new() }
    }
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
        if !self.points.contains_key(&persona.key) {
            let lenses = talk.library().lenses(&persona.key)?;
            let found = points(&persona.key, lenses, &self.evidence, talk.step());
            self.points.insert(persona.key.clone(), found);
        }
        let points = self.points.get(&persona.key).map_or(&[][..], Vec::as_slice);
        let speaker = Speaker { evidence: &self.evidence, depth: self.depth, points, persona, talk, cue };
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
}

/// One line that is wanted, and everything it may rest on.
struct Speaker<'a> {
    evidence: &'a Evidence,
    depth: Depth,
    points: &'a [Point],
    persona: &'a Persona,
    talk: &'a Discussion<'a>,
    cue: &'a Cue,
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
        let Some((document, lines)) = self.evidence.documents.first() else {
            return self.in_voice(
                &format!("nobody has written a line on {} that a person could read", step.title),
                &format!("no document bounds {} yet, so every option is still open", step.title),
                &format!("{} has no document, and so no contract to hold on to", step.title),
            );
        };
        let lines = plain::count(*lines, "line");
        // The first line that says something shows what there is.
        let first = self.evidence.lines.iter().find(|line| line.kind != LineKind::Heading);
        let shows = first.map_or(String::new(), |line| {
            format!(", from \"{}\" ({} line {})", snippet(&line.text, 80), line.document, line.number)
        });
        if let Some(missing) = self.evidence.missing.first()
            && self.evidence.documents.iter().all(|(name, _)| !step.outputs.contains(name))
        {
            return self.in_voice(
                &format!(
                    "people who ask for {missing} find nothing yet, only {document} with its {lines}{shows}"
                ),
                &format!("{missing} is not there yet, so {document} with {lines} carries the weight{shows}"),
                &format!(
                    "{missing} has to be defined from scratch. Its only input is {document}, {lines}{shows}"
                ),
            );
        }
        let near = self.evidence.section(document, &step.title);
        let says = near.iter().find(|line| line.kind == LineKind::Prose);
        match (near.first(), says) {
            (Some(part), Some(line)) => {
                let (part, said) = (snippet(&part.text, 60), snippet(&line.text, 110));
                let at = line.number;
                self.in_voice(
                    &format!("somebody who opens \"{part}\" in {document} first meets \"{said}\" (line {at})"),
                    &format!("the part called \"{part}\" in {document} rests on \"{said}\" (line {at})"),
                    &format!("the stated contract is \"{part}\" in {document}, which opens with \"{said}\" (line {at})"),
                )
            }
            (Some(part), None) => {
                let (part, at) = (snippet(&part.text, 60), part.number);
                self.in_voice(
                    &format!("people reach \"{part}\" in {document} (line {at}) and find no sentence of its own there"),
                    &format!("\"{part}\" in {document} (line {at}) is a part without text, which hides its risks"),
                    &format!("\"{part}\" in {document} (line {at}) is a heading without one defined field below it"),
                )
            }
            (None, _) => self.in_voice(
                &format!("{document} tells people something in {lines}, and nothing under that name{shows}"),
                &format!("{document} has {lines} and no part that carries this{shows}"),
                &format!("{document} defines no section of that name in its {lines}{shows}"),
            ),
        }
    }

    /// One of three wordings, by who speaks; a persona beyond the three takes the last.
    fn in_voice(&self, analyst: &str, architect: &str, designer: &str) -> String {
        match self.persona.key.as_str() {
            "business-analyst" => analyst,
            "solutions-architect" => architect,
            _ => designer,
        }
        .to_owned()
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
        let mut found = Vec::new();
        if let Some(reaction) = self.reaction(message) {
            found.push(Candidate::Written(reaction));
        }
        let opening = self.opening(&asked);
        let (first, about) = (self.is_first_to_answer(), subjects(&asked));
        let quoted =
            self.evidence.about(&asked).map(|line| format!("{} line {} ", line.document, line.number));
        for point in self.unsaid_points(&asked) {
            let near = point.touches(&about, self.evidence) > 0;
            // A point on the very line that opens the answer is the answer's own evidence.
            let same = quoted.as_ref() == Some(&point.place);
            found.push(match (&opening, first) {
                (_, true) if same => Candidate::Point(point),
                (Some(opening), true) => Candidate::Opened(opening.clone(), point),
                _ if near || !first => Candidate::Referring(point),
                _ => Candidate::Point(point),
            });
        }
        if let Some(opening) = opening {
            let plain = self.plain_words().into_iter().map(|words| format!("{opening} {words}"));
            found.extend(plain.map(Candidate::Written));
        }
        found.extend(self.owed_words());
        found
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
        }
    }

    /// What stands in the documents on the user's words, or that nothing does.
    fn opening(&self, asked: &str) -> Option<String> {
        let topic = self.topic_of(asked)?;
        Some(match self.evidence.about(asked) {
            Some(line) => format!(
                "On \"{topic}\": {} line {} says \"{}\".",
                line.document,
                line.number,
                snippet(&line.text, 120)
            ),
            None => {
                let documents = match self.evidence.documents.len() {
                    0 => "there is no document yet that could say anything.".to_owned(),
                    1 => format!("{} says nothing yet.", self.evidence.documents[0].0),
                    many => format!("none of the item's {many} documents says anything yet."),
                };
                format!("On \"{topic}\": {documents}")
            }
        })
    }

    /// What a settled matter means to this persona.
    fn reaction(&self, message: &Message) -> Option<String> {
        let (what, why) = decisions_in(&message.text, true).into_iter().next()?;
        let what = snippet(&what, 100);
        let reason = why.map(|why| format!(" (\"{}\")", snippet(&why, 80))).unwrap_or_default();
        let line =
            self.evidence.about(&message.text).map(|line| format!("{} line {}", line.document, line.number));
        let at = line.clone().unwrap_or_else(|| "the document".to_owned());
        let place = line.unwrap_or_else(|| "The document".to_owned());
        // Each decision is taken up in other words.
        let way = self.talk.contributions().filter(|said| said.by == self.persona.key).count() % 3;
        Some(match self.persona.key.as_str() {
            "business-analyst" => match way {
                0 => format!(
                    "So we agree on \"{what}\"{reason}. {place} has to say it in the user's words now. The acceptance criterion here would be one scenario in which a person can tell that it happened."
                ),
                1 => format!(
                    "So what changes for people is \"{what}\"{reason}. Whoever reads {place} tomorrow should find it there without asking. Who has to be told before they run into it?"
                ),
                _ => format!(
                    "So if somebody is used to the old way, \"{what}\"{reason} is what they trip over first. {place} is where a reader would look for it. What do they see on the day it starts?"
                ),
            },
            "solutions-architect" => match way {
                0 => format!(
                    "\"{what}\"{reason} is an architectural decision, and {at} is what it touches first. We should document the tradeoff beside it: what it costs, and what would make us turn back."
                ),
                1 => format!(
                    "The price of \"{what}\"{reason} falls on {at} first. Record it with the option that lost, so that a later change starts from the tradeoff and not from memory."
                ),
                _ => format!(
                    "\"{what}\"{reason} closes one option and opens a dependency at {at}. The risk is whoever still relies on the old way. A list of those callers is the mitigation."
                ),
            },
            "system-designer" => match way {
                0 => format!(
                    "\"{what}\"{reason} fixes the contract. What {at} still lacks is the input, the result and the named error that follow from it."
                ),
                1 => format!(
                    "To write \"{what}\"{reason} down as a contract, {at} needs one precondition, one result and the refused case by name."
                ),
                _ => format!(
                    "\"{what}\"{reason} becomes checkable with one case: Given the state in {at}, When it applies, Then the old value is still readable."
                ),
            },
            _ => format!("\"{what}\"{reason} is settled, and {at} is where it has to stand."),
        })
    }

    /// Lines that add to a round, or to somebody else's answer.
    fn additions(&self) -> Vec<Candidate> {
        let asked = match self.cue.purpose {
            Purpose::FollowUp => self.talk.last_message().map(|message| self.without_names(&message.text)),
            _ => self.talk.focus_question(),
        };
        let asked = asked.unwrap_or_default();
        let follows = self.cue.purpose == Purpose::FollowUp;
        let settled = self.talk.last_message().filter(|_| follows).and_then(|message| self.reaction(message));
        let mut found: Vec<Candidate> = settled.into_iter().map(Candidate::Written).collect();
        let points = self.unsaid_points(&asked).into_iter();
        let about = subjects(&asked);
        let points = points.filter(|point| !follows || point.touches(&about, self.evidence) > 0);
        found.extend(points.map(Candidate::Referring));
        found.extend(self.owed_words());
        found
    }

    /// A point, led in by a reference to the colleague who spoke last (interface specification 3.3).
    fn referring(&self, point: &Point) -> Result<String, Speechless> {
        let Some((colleague, topic, said)) = self.colleague() else { return Ok(point.text(self.evidence)) };
        let related = point.touches(&subjects(&said), self.evidence) >= 2;
        let odd = self.talk.turn_count() % 2 == 1;
        let pattern = match (related, odd) {
            (true, false) => "building-on",
            (true, true) => "mentioned",
            (false, false) => "add-to",
            (false, true) => "however",
        };
        let text = point.text(self.evidence);
        let values = context! {
            name => colleague.first_name(),
            topic => format!("\"{topic}\""),
            lens => self.persona.lens.as_str(),
            article => article(&self.persona.lens),
            // A template leads in to it, in the middle of a sentence.
            then => in_a_sentence(&text),
        };
        Ok(self.talk.library().templates.render(&format!("cross-talk/{pattern}.txt"), values)?)
    }

    /// The colleague who spoke last since the user did, what about, and the words.
    fn colleague(&self) -> Option<(&Persona, String, String)> {
        let since = self
            .talk
            .log()
            .iter()
            .rev()
            .take_while(|record| !matches!(record.event, Event::User(_) | Event::Silence {}));
        let said: &Contribution = since.into_iter().find_map(|record| match &record.event {
            Event::Contribution(said) if said.by != self.persona.key => Some(said),
            _ => None,
        })?;
        let colleague = self.talk.library().cast.get(&said.by)?;
        let text = match said.purpose {
            Purpose::Framing => self.talk.focus_question()?,
            _ => said.text.clone(),
        };
        let topic = topic(without_reference(&self.without_names(&text)))?;
        Some((colleague, plain::cut(&topic, 60), text))
    }

    /// Points nobody has made yet, those that touch what was asked first.
    fn unsaid_points(&self, asked: &str) -> Vec<Point> {
        // A framing shows what there is, and makes no point of it.
        let made = self.talk.contributions().filter(|said| said.purpose != Purpose::Framing);
        let said = made.map(|said| said.text.as_str()).collect::<Vec<_>>().join("\n");
        let places = places_in(&said);
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
                place => places.contains(place),
            };
            if pointed {
                continue;
            }
            // The same advice twice is filler: the finding stands alone, and waits for others.
            let heard = |ask: &str| !ask.is_empty() && said.contains(ask);
            let stale = *asks.entry(point.ask.as_str()).or_insert_with_key(|ask| heard(ask));
            let near = point.touches(&asked, self.evidence).min(3);
            let weight = (point.weight + 12 * near).saturating_sub(if stale { 20 } else { 0 });
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
        let groups = ["everyone", "everybody", "team", "you all", "all of you"];
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
        let asked = self.talk.last_message().map(|message| self.without_names(&message.text));
        let topic = asked
            .as_deref()
            .and_then(|asked| self.topic_of(asked))
            .unwrap_or_else(|| self.talk.step().title.clone());
        let all: [String; 3] = match self.persona.key.as_str() {
            "business-analyst" => [
                format!(
                    "So if somebody meets \"{topic}\" in the middle of their work, what do they see first, and what do they do?"
                ),
                format!(
                    "Why does \"{topic}\" matter to the person at the screen, and what happens if we leave it out?"
                ),
                format!(
                    "\"{topic}\" needs one scenario with a person, a place and an end before we call it understood."
                ),
            ],
            "solutions-architect" => [
                format!(
                    "I see two approaches to \"{topic}\": settle it now at the price of a guess, or settle it at the first build at the price of rework."
                ),
                format!(
                    "The risk with \"{topic}\" is that it spreads before anyone has bounded it; we can mitigate it by naming the one part that owns it."
                ),
                format!(
                    "\"{topic}\" is a decision to record with its price and with what would make us turn back."
                ),
            ],
            "system-designer" => [
                format!(
                    "To make \"{topic}\" concrete: the contract needs an input, a result and one named error, and none of the three is written down."
                ),
                format!(
                    "\"{topic}\" has no limit yet: the smallest case, the largest case and the refused case each need a line."
                ),
                format!(
                    "A test for \"{topic}\" reads Given a state, When the call comes twice, Then the second result equals the first."
                ),
            ],
            _ => [
                format!("\"{topic}\" is worth a sentence in the document."),
                format!("Nothing in the documents bounds \"{topic}\" yet."),
                format!("\"{topic}\" stays open until somebody writes it down."),
            ],
        };
        let start = self.talk.turn_count() as usize % all.len();
        (0..all.len()).map(|at| all[(start + at) % all.len()].clone()).collect()
    }

    /// What is left when a line is owed and everything was said: that it was.
    fn last_words(&self) -> String {
        let turn = self.talk.turn_count() + 1;
        let before =
            self.talk.contributions().filter(|said| said.by == self.persona.key).map(|said| said.turn).last();
        match before {
            Some(before) => format!(
                "Nothing new from me in turn {turn}: what I said in turn {before} stands, and the documents add nothing to it."
            ),
            None => format!("Nothing from me in turn {turn}: the documents give me no line to point at."),
        }
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

/// A contribution without the reference to a colleague or to the user that it opens with.
fn without_reference(text: &str) -> &str {
    let opens = ["Building on", "To add to what", "On \"", "mentioned ", "raises a good point"];
    let head = text.get(..80).unwrap_or(text);
    let opened = opens.iter().any(|opening| head.contains(opening));
    let tail = opened.then(|| text.find(": ").or_else(|| text.find("However, "))).flatten();
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
