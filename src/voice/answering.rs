//! What the offline voice answers the user: the lines that speak of what was asked, the findings on them, and
//! what a decision means to each of the three.

use std::cell::LazyCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use super::asking::Asked;
use super::evidence::{Line, snippet};
use super::forms;
use super::heard::skeleton;
use super::left_open::{OpenQuestion, is_open};
use super::lenses::{is_of_software, speaks_of_software};
use super::messages::{
    ELLIPTIC, asks, brief, is_elliptic, last_clause, last_sentence, objection, proposes, questions, title,
    without_objecting,
};
use super::naming::{is_weak, telling};
use super::offline::{CHOICE, Candidate, Candidates, LIGHT, Speaker, lines, part, places_in, quotations};
use super::parts::parts_asked_for;
use super::point::Point;
use super::probes;
use super::superlatives::extreme;
use super::wants::{Wants, wants_a_fact};
use super::wording;
use crate::discussion::decisions::statements;
use crate::discussion::event::{Class, Event, Message, Purpose};
use crate::discussion::extract;
use crate::discussion::root::root;
use crate::discussion::views::{Views, views_asked_for};
use crate::discussion::words::{is_significant, stem, subjects, with_its_mark, words};
use crate::discussion::{is_filler, is_of_oneself, small_talk};
use crate::persona::Persona;
use crate::plain;

impl Speaker<'_> {
    /// Lines that answer the user's message.
    pub(super) fn answers(&self) -> Candidates<'_> {
        let Some(message) = self.talk.last_message() else { return self.additions() };
        if let Some(topic) = self.said_in_passing(&message.text) {
            return Box::new(lines(move || self.in_turn(forms::leaves_out(self.speech, &topic))));
        }
        let first = self.is_first_to_answer();
        let about = || self.asked_in(&self.following(&self.without_names(&message.text)));
        let about = Rc::new(LazyCell::new(about));
        // "Thanks" and "it depends" name nothing: what is open comes back.
        let of = Rc::clone(&about);
        let open = move || match first && of.1.is_empty() {
            true => {
                let mut open = self.open_again();
                open.reverse();
                open.extend(self.open_lines());
                open.extend(self.step_questions());
                open
            }
            false => Vec::new(),
        };
        let of = Rc::clone(&about);
        let own = move || self.own_findings(&message.text, &of.1);
        let of = Rc::clone(&about);
        let extreme = move || {
            if first { self.most_of_a_column(&self.without_names(&message.text)) } else { Vec::new() }
        };
        let enumerated = move || self.enumerated(message, &of.0).unwrap_or_default();
        let of = Rc::clone(&about);
        // Who wants to know a figure, a person or a time is given that, and no dispute.
        let positions = move || {
            let (text, asked) = &**of;
            let fact = asks(&message.text) && (asked.is_answered() || wants_a_fact(text));
            if fact { None } else { self.positions(text, if first { 2 } else { 1 }) }
        };
        let of = Rc::clone(&about);
        let to_the_point = move || {
            let (text, asked) = &**of;
            self.to_the_point(message, text, asked, first)
        };
        let left = move || {
            let (text, asked) = &**about;
            let wanted = (first || self.cue.owed) && !asked.is_empty();
            if wanted { self.what_is_left(message, text, asked) } else { Vec::new() }
        };
        let errand = move || if first { self.errand_in(&message.text) } else { Vec::new() };
        let found = lines(|| self.reactions(message))
            .chain(lines(errand))
            .chain(part(|| self.differing()))
            .chain(part(own))
            .chain(part(open))
            .chain(lines(extreme))
            .chain(lines(enumerated))
            .chain(part(positions))
            .chain(part(to_the_point))
            .chain(lines(left))
            .chain(part(|| self.open_again()));
        Box::new(found)
    }

    /// That what the user gives somebody to do is noted, where a message does only that.
    fn errand_in(&self, message: &str) -> Vec<String> {
        let said = statements(&self.without_names(message));
        let [one] = said.as_slice() else { return Vec::new() };
        let errand = extract::errand(one, true).map(|errand| brief(errand.trim_end_matches(['.', '!', ' '])));
        errand.map_or(Vec::new(), |errand| {
            self.in_turn(forms::notes_errand(self.speech, &plain::capital(&errand)))
        })
    }

    /// What this persona has found, where the user asks for just that: "What is the biggest problem here?", "Did we
    /// forget something?".
    fn own_findings(&self, message: &str, asked: &Asked<'_>) -> Vec<Candidate> {
        let Views { missing, weighed } = views_asked_for(&self.without_names(message));
        if !(missing || weighed) || !asks(message) || asked.is_answered() {
            return Vec::new();
        }
        let mut found = if missing { self.open_lines() } else { Vec::new() };
        let points = self.points_about(asked).into_iter().chain(self.unsaid_points(""));
        found.extend(points.map(Candidate::Referring));
        if weighed {
            found.extend(self.open_lines());
        }
        found.extend(self.step_questions());
        found
    }

    /// What a message speaks of that is no matter of the item, told by the documents, which do not have it.
    fn said_in_passing(&self, message: &str) -> Option<String> {
        let said = statements(&self.without_names(message));
        let mut topics = said.iter().filter(|one| !is_filler(one)).map(|one| small_talk(one));
        let strange = |word: &str| self.evidence.lines_of(&root(word)).is_empty();
        if let Some(Some(first)) = topics.next()
            && topics.all(|topic| topic.is_some())
        {
            // Who speaks of two things that the documents know says more.
            let known = telling(message).iter().filter(|word| !is_weak(word) && !strange(word)).count();
            return (strange(first) && known < 2).then(|| first.to_owned());
        }
        // Who tells of themselves, in words that no document has.
        let of_oneself = said.iter().all(|one| is_of_oneself(one) || is_filler(one)) && !said.is_empty();
        let names = telling(message);
        let nowhere = names.len() >= 2 && names.iter().all(|word| strange(word));
        let last =
            words(message).into_iter().rev().find(|word| names.contains(&stem(&word.text).into_owned()));
        last.filter(|_| of_oneself && nowhere).map(|word| word.text.into_owned())
    }

    /// A message that only goes on with the one before it, behind that: "And the pump?"
    fn following(&self, message: &str) -> String {
        let message = message.trim_start_matches([' ', ',']);
        let lower = message.to_lowercase();
        let opens =
            ["and ", "what about ", "how about ", "or ", "und "].iter().any(|word| lower.starts_with(word));
        let found = words(message);
        let pronouns = ["it", "that", "them", "then", "this"];
        let points = found.iter().any(|word| pronouns.contains(&word.text.as_ref()));
        let longest = if points { 10 } else { 6 };
        let short =
            message.ends_with(['?', '？']) && telling(message).len() <= ELLIPTIC && found.len() <= longest;
        let mut users = self.talk.log().iter().rev().filter_map(|record| match &record.event {
            Event::User(other) => Some(other.text.as_str()),
            _ => None,
        });
        // "Who may turn it off?" finds its line by itself.
        // Of what stands nowhere, nothing is said by what was asked before.
        let own = || self.asked(message);
        let strange = own().names_a_strange_thing();
        // "And if it rains?" asks something of its own.
        let begins = ["how ", "if ", "what ", "when ", "where ", "which ", "who ", "why "];
        let whole =
            lower.strip_prefix("and ").is_some_and(|rest| begins.iter().any(|word| rest.starts_with(word)));
        let alone = strange || (points || whole) && own().best().is_some();
        match users.nth(1).filter(|before| opens && short && !alone && asks(before)) {
            Some(before) => format!("{message} {}", self.without_names(before)),
            None => message.to_owned(),
        }
    }

    /// What this persona asks next of a text, in words that were not used yet.
    pub(super) fn probe(&self, ways: Vec<String>) -> Option<String> {
        let is_new = |way: &String| {
            extract::sentences(way).iter().all(|sentence| {
                !self.heard.has(sentence)
                    && skeleton(sentence).is_none_or(|one| !self.heard.skeletons().contains(&one))
            })
        };
        ways.into_iter().find(is_new)
    }

    /// Ways to say something, each with what is asked next behind it; then as they are.
    pub(super) fn with_a_probe(&self, ways: Vec<String>, probe: Option<String>) -> Vec<String> {
        let mut found: Vec<String> =
            probe.iter().flat_map(|probe| ways.iter().map(move |way| format!("{way} {probe}"))).collect();
        found.extend(ways);
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
        let (openings, next) = self.openings(message, text, asked, first);
        let probe = self.probe(next);
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
                // Who asks gets the line before what is to be said of it, with the question that it raises.
                opening => {
                    let ways = opening.map_or(&[][..], |_| &openings).iter().filter(|_| asks(&message.text));
                    let asking = Some(&point.ask).filter(|ask| ask.ends_with('?'));
                    for way in ways {
                        found.extend(asking.map(|ask| Candidate::Written(format!("{way} {ask}"))));
                        found.push(Candidate::Written(way.clone()));
                    }
                    found.push(Candidate::Point(point));
                }
            }
        }
        if first || self.cue.owed {
            found.extend(self.with_a_probe(openings, probe).into_iter().map(Candidate::Written));
        }
        found
    }

    /// What a message asks about: its questions, or what it objects to, where the documents speak of them, else all
    /// of it.
    pub(super) fn asked_in(&self, message: &str) -> (String, Asked<'_>) {
        let said = statements(message);
        let objected = said.iter().find_map(|one| objection(one)).map(str::to_owned);
        for part in [Some(questions(&said)), objected].into_iter().flatten() {
            let asked = self.asked(&part);
            if asked.best().is_some() && (asked.common() > 1 || !proposes(message)) {
                return (part, asked);
            }
        }
        let asked = self.asked(message);
        // Of two questions in one, the last may be found by itself.
        let last = last_clause(message);
        if asked.best().is_none() && last.len() < message.trim().len() && !last.contains('…') {
            let last = if message.trim_end().ends_with('?') { format!("{last}?") } else { last };
            let alone = self.asked(&last);
            if alone.best().is_some() {
                return (last, alone);
            }
        }
        // What somebody wants to talk about, or tells, is no line that has one word of it.
        let open = asked.best().is_some_and(is_open) && asked.common() < 2;
        let is_chance =
            proposes(message) && asked.common() < 2 || !asks(message) && (open || asked.is_by_chance());
        (message.to_owned(), if is_chance { asked.without_lines() } else { asked })
    }

    /// What a text asks about, held against the documents.
    pub(super) fn asked(&self, text: &str) -> Asked<'_> {
        self.heard.asked(self.evidence, self.talk, text)
    }

    /// What a colleague's answer leaves to be said: of a figure or a person that was asked for, only what is to be said
    /// of their line.
    pub(super) fn points_beside(&self, message: &str) -> Vec<Point> {
        let (text, asked) = self.asked_in(message);
        let mut points = self.points_about(&asked);
        let best = asked.lines.first().copied();
        // What is open was read out as that.
        let was_open = |point: &Point| {
            let line = point.line().and_then(|at| self.evidence.lines.get(at)).filter(|line| is_open(line));
            line.is_some_and(|line| {
                self.shown_in_this_round().contains(&format!("{} ", wording::place(line)))
            })
        };
        points.retain(|point| {
            let wanted = !wants_a_fact(&text) || point.line().is_some() && point.line() == best;
            wanted && !was_open(point)
        });
        points
    }

    /// Points nobody has made yet in sentences that speak of what was asked, the nearest first. What says of the
    /// whole item that something stands nowhere answers only who asked for that.
    pub(super) fn points_about(&self, asked: &Asked<'_>) -> Vec<Point> {
        let lines: BTreeSet<usize> = asked.lines.iter().copied().collect();
        let lenses = self.talk.library().lenses(&self.persona.key);
        let is_software = self.evidence.is_of_software();
        let is_about = |point: &Point| {
            let on_line = point.line().is_none_or(|line| lines.contains(&line));
            let lens = point.lens.and_then(|lens| lenses.get(lens));
            let wanted = |lens: &crate::lens::Lens| lens.unless.iter().any(|phrase| asked.names(phrase));
            let of_item = point.of_item && !lens.is_some_and(wanted);
            let light = lens.is_some_and(|lens| lens.weight < LIGHT);
            // Of a school's kitchen nothing is asked that only a program has, whatever word it shares.
            let line = || point.line().and_then(|line| self.evidence.lines.get(line));
            let fits = is_software
                || !lens.is_some_and(is_of_software)
                || line().is_some_and(|line| speaks_of_software(&line.text));
            on_line
                && !of_item
                && !light
                && fits
                && asked.is_about(&quotations(&point.rests_on(self.evidence)))
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

    /// What the documents say on the user's words, or that none does, each in several ways, and what could be asked next;
    /// nothing where the words name nothing, or their line was quoted already.
    pub(super) fn openings(
        &self,
        message: &Message,
        text: &str,
        asked: &Asked<'_>,
        first: bool,
    ) -> (Vec<String>, Vec<String>) {
        let alone = |ways: Vec<String>| (ways, Vec::new());
        if let (Some(taken_up), true) = (self.takes_up(message, text), first) {
            return alone(vec![taken_up]);
        }
        if !first {
            return alone(self.beside(text, asked, &self.shown_in_this_round(), 2));
        }
        let asks = asks(&message.text);
        let Some(best) = asked.best() else {
            // An empty item is said to be empty once.
            let empty = self.evidence.documents.is_empty() && self.has_said("there is no document");
            let question = questions(&statements(&self.without_names(&message.text)));
            let topic = asked.nowhere(&question).filter(|_| asks && !empty);
            return topic.map(|topic| self.finds_nothing(&title(&topic))).unwrap_or_default();
        };
        let against = || self.evidence.contradicts(text, "");
        if let Some(line) = (!asks).then(against).flatten() {
            return alone(vec![wording::tells_otherwise(
                self.speech,
                &wording::place(line),
                &asked.quote(line, 140),
            )]);
        }
        let quote = asked.quote(best, 160);
        // One word in common with what is left out is chance.
        let few = || best.stems.iter().filter(|stem| is_significant(stem)).count() <= 2;
        let whole = || asked.says_half() && few();
        if best.is_left_out() && (asked.is_answered() || asked.common() > 1 || whole()) {
            let heading = title(&best.section);
            let ways = forms::is_left_out(self.speech, &heading, &wording::place(best), &quote);
            return alone(self.in_turn(ways));
        }
        if is_open(best) && !asks {
            return alone(self.in_turn(forms::speaks_to_open(self.speech, &wording::place(best), &quote)));
        }
        // Who asks is shown the line again; who tells something has seen it.
        if !asks {
            let ways = self.in_turn(forms::touches(self.speech, &wording::spot(best), &quote));
            let mut next = probes::of_message(self.speech, &message.text);
            next.extend(probes::of_line(self.speech, &quote, self.turn()));
            return if self.is_quoted(&quote) { Default::default() } else { (ways, next) };
        }
        // A line that only says nearly the same has no word of the question.
        let topic = asked.topic(text, best).unwrap_or_else(|| self.in_short(text));
        let said_of = title(&topic);
        let (at, turn) = (wording::place(best), self.turn());
        let missing = || asked.missing(text).map(|missing| title(&missing));
        let missing = (!asked.is_answered()).then(missing).flatten();
        // Of a thing that stands nowhere, a line that only has a near word says nothing.
        let in_its_case = || Wants::of(text).case && Wants::is_case(best);
        if let Some(missing) =
            missing.as_ref().filter(|_| (asked.is_only_near() || asked.is_by_chance()) && !in_its_case())
        {
            return self.finds_nothing(missing);
        }
        let (ways, next) = match (is_open(best), asked.is_answered()) {
            (true, _) if missing.is_none() => {
                (forms::asks_the_same(self.speech, &at, &quote), probes::of_open(self.speech))
            }
            (false, true) => (
                forms::points_at(self.speech, &said_of, &wording::spot(best), &quote),
                probes::of_line(self.speech, &quote, turn),
            ),
            _ => {
                let ways = match missing {
                    Some(missing) => forms::lacks(self.speech, &missing, &at, &quote),
                    None => forms::comes_nearest(self.speech, &said_of, &at, &quote),
                };
                (ways, probes::of_nearest(self.speech, turn))
            }
        };
        let ways = self.in_turn(ways);
        // What is no answer may be the next line's.
        let nearest = !asked.is_answered() && !is_open(best);
        let next_best = || asked.runner_up().filter(|line| nearest && !is_open(line));
        let more = match asked.other().or_else(next_best) {
            Some(other) => Some((other, asked.quote(other, 90))),
            None => self.told_beside(asked, best),
        };
        match more {
            Some((other, quote)) => {
                let other = wording::place(other);
                alone(ways.iter().map(|way| forms::and_see(way, &other, &quote)).collect())
            }
            None => (ways, next),
        }
    }

    /// Lines that nobody has shown and that have something to be asked of, each with that.
    pub(super) fn lines_to_ask_of(&self) -> Vec<Candidate> {
        let shown: BTreeSet<String> =
            self.talk.contributions().flat_map(|said| places_in(&said.text)).collect();
        let is_new = |line: &&Line| !shown.contains(&format!("{} ", wording::place(line)));
        let lines = self.evidence.lines.iter().filter(|line| wording::tells(line) && !is_open(line));
        let asked = lines.filter(is_new).filter_map(|line| {
            let quote = snippet(&line.text, 140);
            let probe = self.probe(probes::of_its_own(self.speech, &quote))?;
            let ways = self.in_turn(forms::takes_up(self.speech, &wording::place(line), &quote));
            Some(Candidate::Written(format!("{} {probe}", ways.first()?)))
        });
        asked.take(CHOICE).collect()
    }

    /// The turn that is to be spoken.
    pub(super) fn turn(&self) -> u32 {
        self.talk.turn_count()
    }

    /// That no document has a word of a topic, with what is asked then; an empty item has no documents at all.
    fn finds_nothing(&self, topic: &str) -> (Vec<String>, Vec<String>) {
        if self.evidence.documents.is_empty() {
            return (vec![wording::no_document(self.speech, topic)], Vec::new());
        }
        let ways = self.in_turn(forms::not_found(self.speech, topic));
        (ways, probes::of_nothing(self.speech, self.turn()))
    }

    /// The row with the most or the least, where that is asked for.
    fn most_of_a_column(&self, question: &str) -> Vec<String> {
        let Some((row, column)) = extreme(self.evidence, question) else { return Vec::new() };
        let (place, column) = (wording::spot(row), title(&column));
        // "Night, Patients per nurse: 27" says it of the row by its first cell.
        let cells = row.cells().unwrap_or_default();
        let told = cells.iter().find(|(name, _)| title(name) == column);
        let told =
            told.zip(cells.first()).map(|((name, cell), (_, first))| format!("{first}, {name}: {cell}"));
        let told = told.unwrap_or_else(|| row.text.clone());
        let ways = forms::points_at(self.speech, &column, &place, &snippet(&told, 160));
        // Which column tells it is said first.
        let named = |way: &String| way.contains(&format!("\"{column}\""));
        let (mut ways, others): (Vec<String>, Vec<String>) = self.in_turn(ways).into_iter().partition(named);
        ways.extend(others);
        ways
    }

    /// This voice's share of the parts that "which of the …" asks about, in the order of the document.
    fn enumerated(&self, message: &Message, question: &str) -> Option<Vec<String>> {
        let parts = parts_asked_for(self.evidence, question)?;
        let shown: Vec<&str> = self.round().map(|said| said.text.as_str()).collect();
        let places = parts.lines.iter().map(|at| (*at, wording::place(&self.evidence.lines[*at])));
        let new: Vec<(usize, String)> = places
            .filter(|(_, place)| !shown.iter().any(|said| said.contains(&format!("({place})"))))
            .collect();
        let others =
            self.talk.waiting().filter(|key| *key != self.persona.key && message.class == Class::Group);
        let voices = 1 + others.count();
        let mine = new.len().div_ceil(voices);
        let listed = new
            .iter()
            .take(mine)
            .map(|(at, place)| format!("\"{}\" ({place})", parts.said(self.evidence, *at)));
        let listed = listed.collect::<Vec<_>>().join(", ");
        let ways = forms::enumerates(self.speech, &title(&parts.name), &listed);
        let more = self.beside_the_parts(question, &parts.name, &listed).unwrap_or_default();
        let ways = ways.iter().map(|way| format!("{}{more}.", way.trim_end_matches('.'))).collect();
        (!listed.is_empty()).then(|| self.in_turn(ways))
    }

    /// The line on what is asked of the parts, which the first voice shows beside them: "… when a school starts?"
    fn beside_the_parts(&self, question: &str, name: &str, listed: &str) -> Option<String> {
        let (_, of_parts) = question.split_once(name)?;
        let asked = self.asked(of_parts);
        let line = asked.best().filter(|_| self.is_first_to_answer() && asked.common() > 1)?;
        let at = wording::place(line);
        let new = !listed.contains(&format!("({at})"));
        new.then(|| format!(", beside {at}: \"{}\"", asked.quote(line, 110)))
    }

    /// Ways to say something, another one first in each turn.
    pub(super) fn in_turn(&self, mut ways: Vec<String>) -> Vec<String> {
        let start = self.talk.turn_count() as usize % ways.len().max(1);
        ways.rotate_left(start);
        ways
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
        let text = with_its_mark(&text).replace('@', "");
        let lower = text.to_ascii_lowercase();
        let group = groups.iter().find(|group| lower.starts_with(**group)).map_or(0, |group| group.len());
        let text = text.get(group..).unwrap_or_default().trim_start_matches([',', ':', ' ']);
        let names = self.talk.library().cast.iter().map(Persona::first_name);
        names.fold(text.to_owned(), |text, name| {
            let ends = |text: String, mark: &str| text.replace(&format!(", {name}{mark}"), mark);
            let text = ["?", ".", "!"].iter().fold(text, |text, mark| ends(text, mark));
            let text = text.replace(&format!("{name}'s"), " ").replace(&format!("{name},"), " ");
            text.strip_prefix(name).map_or(text.clone(), str::to_owned)
        })
    }

    /// What is left to say of a message: of a line that was shown what stands beside it, of a fact that no document
    /// has it, and of a question what the step asks for instead.
    pub(super) fn what_is_left(&self, message: &Message, text: &str, asked: &Asked<'_>) -> Vec<String> {
        let asks = asks(&message.text);
        if let Some(best) = asked.best() {
            // A line that nobody has shown is shown, in whatever words are left.
            if self.is_first_to_answer() && !self.is_quoted(&asked.quote(best, 160)) {
                return Vec::new();
            }
            let shown = self.talk.contributions().flat_map(|said| places_in(&said.text)).collect();
            if asks || !self.is_first_to_answer() {
                return self.beside(text, asked, &shown, if asks { 1 } else { 2 });
            }
            // Who tells something is not asked about a line that everybody has seen.
            let mut ways = self.lines_beside(text, asked, &shown, 2);
            ways.extend(self.takes_note(message));
            ways.extend(self.asked_beside(text, asked, best, &shown));
            return ways;
        }
        let said = self.in_short(&self.without_names(&message.text));
        // "Who has to know that?" asks nothing of the documents but what it points back to; "Can he?" asks it.
        let of_people = last_sentence(&message.text).to_lowercase().starts_with("who");
        let points_back = of_people
            && said.split_whitespace().count() > 3
            && self.told().is_some_and(|told| told.contains(said.trim_end_matches('…')));
        if !asks || points_back || probes::suggests(&said) {
            return self.takes_note(message);
        }
        let clause = last_clause(&said);
        if !self.is_first_to_answer() {
            return self.in_turn(forms::puts_it(self.speech, &clause));
        }
        let ways = self.in_turn(forms::no_answer(self.speech, &clause));
        self.with_a_probe(ways, self.probe(probes::of_nothing(self.speech, self.turn())))
    }

    /// That what the user tells is new.
    fn takes_note(&self, message: &Message) -> Vec<String> {
        let said = self.in_short(&self.without_names(&message.text));
        let said = without_objecting(&said);
        let ways = self.in_turn(forms::is_new(self.speech, &brief(&said)));
        self.with_a_probe(ways, self.probe(probes::of_message(self.speech, &message.text)))
    }

    /// The sentence of a message that is asked, else the one that says most, short enough to be quoted.
    fn in_short(&self, text: &str) -> String {
        let sentences = statements(text);
        let asked = sentences.iter().rposition(|sentence| sentence.ends_with(['?', '？']));
        let asked = asked.map(|at| match at.checked_sub(1).filter(|_| is_elliptic(&sentences[at])) {
            Some(before) => &sentences[before],
            None => &sentences[at],
        });
        let telling = sentences.iter().rev().max_by_key(|sentence| subjects(sentence).len());
        let said = asked.or(telling).filter(|sentence| words(sentence).len() >= 3).or(sentences.first());
        let said = said.map(|said| said.trim_end_matches(['!', '?', '？']));
        said.map_or_else(|| self.talk.step().title.clone(), |said| snippet(said, 90))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discussion::Discussion;
    use crate::discussion::event::{Author, Opened, Record, StepRef, Time};
    use crate::library::Library;
    use crate::script::Script;
    use crate::step::Depth;
    use crate::voice::evidence::Evidence;
    use crate::voice::offline::Offline;

    /// What is answered to each message of a discussion on one document.
    fn answers_to(spec: &str, said: &[&str]) -> Vec<Vec<String>> {
        let library = Library::built_in().unwrap();
        let step = library.step("01-03").unwrap();
        let at = Time::parse("2026-02-20T14:30:00Z").unwrap();
        let (id, title, phase, outputs) =
            (step.id.clone(), step.title.clone(), step.phase.clone(), step.outputs.clone());
        let opened = Opened {
            format: 1,
            item: "docs/requirements/pump".into(),
            item_name: "pump".into(),
            step: StepRef { id, title, phase, outputs },
            lead: library.cast.lead(&step.phase).0.key.clone(),
            max_turns: 30,
            base: "0".repeat(40),
            branch: "roundtable/pump".into(),
            voice: "offline".into(),
            model: None,
            user: "Sam".into(),
            digests: library.digests(step),
            author: Author { name: "Sam".into(), email: "sam@localhost".into(), signed_off: false },
            run: "0".repeat(32),
            new_meta: None,
            comments: None,
        };
        let first = Record { at, event: Event::Opened(Box::new(opened)) };
        let mut talk = Discussion::open(&library, step, first).unwrap();
        let mut voice = Offline::new(Evidence::new([("spec.md", spec)], &step.outputs), Depth::Standard);
        let mut script = Script::read("talk.txt", format!("{}\ndone\n", said.join("\n")).as_bytes()).unwrap();
        crate::session::hold(&mut talk, None, &mut voice, &mut script, &|| at, &mut |_| Ok(())).unwrap();
        let mut found: Vec<Vec<String>> = Vec::new();
        for record in talk.log() {
            match &record.event {
                Event::User(_) => found.push(Vec::new()),
                Event::Contribution(made) => {
                    found.last_mut().into_iter().for_each(|round| round.push(made.text.clone()))
                }
                _ => {}
            }
        }
        found.truncate(said.len());
        found
    }

    #[test]
    fn a_first_voice_shows_the_next_line_too_and_the_others_ask_of_the_first() {
        let spec = "# Pump\n\nThe valve of the boiler opens at noon.\n\nA guard looks at the boiler and its valve.\n\nThe roof is flat.\n";
        let said =
            ["Everyone, who opens the valve of the boiler?", "Team, and who closes the valve of the boiler?"];
        let rounds = answers_to(spec, &said);
        let first = &rounds[0];
        assert!(first[0].contains("spec.md line 3"), "{first:?}");
        assert!(first[0].contains("spec.md line 5") && first[0].contains("\"A guard"), "{first:?}");
        // What was read out once is not read out again, by nobody.
        for other in first[1..].iter().chain(&rounds[1]) {
            assert!(other.contains("spec.md line") && !other.contains("noon"), "{rounds:?}");
        }
        assert_eq!((first.len(), rounds[1].len()), (3, 3), "{rounds:?}");
    }

    #[test]
    fn which_of_several_is_told_by_one_voice_or_by_all_in_turn() {
        let spec = "# Pump\n\n## 2. Danger zones\n\n### Boiler (high)\n\nIt bursts.\n\n### Roof (low)\n\nRain comes in.\n\n### Gate (low)\n\nIt squeaks.\n";
        let said = [
            "Alex, which of the danger zones could hurt somebody?",
            "Everyone, which of the danger zones comes first?",
        ];
        let rounds = answers_to(spec, &said);
        for part in ["Boiler (high)", "Roof (low)", "Gate (low)"] {
            assert!(rounds[0][0].contains(&format!("\"{part}\"")), "{rounds:?}");
            assert_eq!(
                rounds[1].iter().filter(|one| one.contains(&format!("\"{part}\""))).count(),
                1,
                "{rounds:?}"
            );
        }
    }

    #[test]
    fn what_no_document_has_is_said_so_and_asked_of() {
        let spec = "# Pump\n\nThe valve of the boiler opens at noon.\n";
        let said = [
            "Maya, do crocodiles like rhubarb?",
            "We get 300 calls a month.",
            "Let's talk about the colours of the valve.",
        ];
        let rounds = answers_to(spec, &said);
        assert!(rounds[0][0].ends_with('?') && rounds[0][0].contains("crocodiles"), "{rounds:?}");
        assert!(rounds[1][0].contains("\"We get 300 calls a month\""), "{rounds:?}");
        // What is told is asked of what it counts.
        assert!(rounds[1][0].contains("\"300 calls\""), "{rounds:?}");
        assert!(rounds[2][0].contains("\"colours\"") && !rounds[2][0].contains("noon"), "{rounds:?}");
    }

    #[test]
    fn a_figure_that_one_line_holds_and_a_fact_that_none_has_are_told() {
        let spec = "# Pump\n\nThe meter wakes up at 02:00 in the cellar.\n\nThe estimator starts at 06:00.\n";
        let said = [
            "You all: the files come at 04:30 and not at 02:00. Is the estimator early enough?",
            "Nine ropes went lost on Sunday. Who has to know that?",
            "Two divers lost a rope.",
        ];
        let rounds = answers_to(spec, &said);
        assert!(rounds[0][1].contains("02:00") && rounds[0][1].contains("spec.md line 3"), "{rounds:?}");
        assert!(rounds[1][0].contains("\"Nine ropes went lost") && !rounds[1][0].contains('?'), "{rounds:?}");
        assert!(rounds[2][0].contains("\"Two divers lost a rope\""), "{rounds:?}");
    }

    #[test]
    fn a_decision_is_about_its_own_words_and_a_short_one_about_what_was_asked() {
        let spec = "# Pump\n\nThe valve of the boiler opens at noon.\n\nA guard holds the key of the gate.\n";
        let said = [
            "Who opens the valve of the boiler?",
            "We decided that the gate gets a new key, because the old one is lost.",
            "We decided that nobody paints the fence of the garden.",
        ];
        let rounds = answers_to(spec, &said);
        assert!(rounds[1][0].contains("spec.md line 5"), "{rounds:?}");
        assert!(!rounds[2][0].contains("spec.md line"), "{rounds:?}");
    }
}
