//! What each of the three says where no lens has the words: of what the documents hold, of what was
//! settled, of what stayed open, of the user's own words. Every sentence names what it rests on.

use super::evidence::{Evidence, Line, LineKind, snippet};
use super::left_open::is_open;
use super::paragraphs::sentences;
use crate::plain;

/// Who speaks. A persona beyond the three takes the plain words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speech {
    Analyst,
    Architect,
    Designer,
    Plain,
}

impl Speech {
    /// The way of the persona with this key.
    pub fn of(key: &str) -> Speech {
        match key {
            "business-analyst" => Speech::Analyst,
            "solutions-architect" => Speech::Architect,
            "system-designer" => Speech::Designer,
            _ => Speech::Plain,
        }
    }

    /// One of three wordings; plain words take the last.
    pub fn one_of<T>(self, analyst: T, architect: T, designer: T) -> T {
        match self {
            Speech::Analyst => analyst,
            Speech::Architect => architect,
            Speech::Designer | Speech::Plain => designer,
        }
    }
}

/// "requirements-spec.md line 12".
pub fn place(line: &Line) -> String {
    format!("{} line {}", line.document, line.number)
}

/// What the documents hold on a step so far, in one clause, as the lead would put it.
pub fn landed(speech: Speech, title: &str, outputs: &[String], evidence: &Evidence) -> String {
    let Some((document, _)) = evidence.documents.first() else {
        return speech.one_of(
            format!("nobody has written a line on {title} that people could read"),
            format!("there is no document for {title} yet, and nothing to build on"),
            format!("{title} has no document, and not one sentence is written yet"),
        );
    };
    if let Some(said) = left_over(speech, evidence) {
        return said;
    }
    let first = first_sentence(evidence);
    if let Some(missing) = evidence.missing.first()
        && evidence.documents.iter().all(|(name, _)| !outputs.contains(name))
    {
        return beginning(speech, missing, document, first);
    }
    let near = evidence.section(document, title);
    let says = |least: usize| near.iter().find(|line| tells(line) && line.words.len() > least);
    let says = says(4).or_else(|| says(0));
    match (near.first(), says) {
        (Some(part), Some(line)) => {
            let (part, said, at) = (snippet(&part.text, 60), snippet(&line.text, 110), line.number);
            speech.one_of(
                format!("people who open \"{part}\" in {document} first read \"{said}\" (line {at})"),
                format!("the plan has \"{said}\" under \"{part}\" so far ({document} line {at})"),
                format!(
                    "the text has a wording that a test could start from, the sentence \"{said}\" under \"{part}\" ({document} line {at})"
                ),
            )
        }
        (Some(part), None) => {
            let (part, at) = (snippet(&part.text, 60), part.number);
            speech.one_of(
                format!(
                    "people reach \"{part}\" in {document} (line {at}) and find no sentence of its own there"
                ),
                format!(
                    "\"{part}\" in {document} (line {at}) is only announced, and there is nothing to build on"
                ),
                format!("\"{part}\" in {document} (line {at}) is a heading with no text below it"),
            )
        }
        (None, _) => elsewhere(speech, document, first),
    }
}

/// What the documents leave open themselves: how many points, and the first of them.
fn left_over(speech: Speech, evidence: &Evidence) -> Option<String> {
    let mut open = evidence.lines.iter().filter(|line| tells(line) && is_open(line));
    let first = open.next()?;
    let others = open.count();
    let (said, at) = (snippet(first.text.trim_end_matches(['.', '?']), 110), place(first));
    let points = plain::count(others + 1, "point");
    let at = if others == 0 { format!("at {at}") } else { format!("the first at {at}") };
    Some(speech.one_of(
        format!("people still wait for an answer to {points}, {at}: \"{said}\""),
        format!("the plan leaves {points} open itself, {at}: \"{said}\""),
        format!("the text has {points} without an answer, {at}: \"{said}\""),
    ))
}

/// Whether a line is more than a name: of what stands below it, of a column, or of who wrote it and when.
pub(super) fn tells(line: &Line) -> bool {
    !matches!(line.kind, LineKind::Heading | LineKind::Columns) && !is_byline(line)
}

/// Who wrote a document, and which version it is.
fn is_byline(line: &Line) -> bool {
    let signs = [
        "author",
        "authors",
        "draft",
        "drafted",
        "edition",
        "organiser",
        "owner",
        "paper",
        "prepared",
        "status",
        "updated",
        "version",
        "written",
    ];
    line.number <= BYLINES && line.words.iter().take(4).any(|word| signs.contains(&word.as_str()))
}

/// A byline stands in one of the first lines of its document.
const BYLINES: usize = 6;

/// A line of fewer words is a label or a field.
const SENTENCE: usize = 4;

/// The first line that says something in words, else the first that says anything.
fn first_sentence(evidence: &Evidence) -> Option<&Line> {
    let says = |line: &&Line| tells(line) && line.words.len() >= SENTENCE;
    let is_word = |word: &&String| word.chars().all(char::is_alphabetic);
    let in_words = |line: &&Line| says(line) && line.words.iter().filter(is_word).count() >= SENTENCE;
    evidence.lines.iter().find(in_words).or_else(|| evidence.lines.iter().find(says))
}

/// The step's own document is not there yet: what there is instead.
fn beginning(speech: Speech, missing: &str, document: &str, first: Option<&Line>) -> String {
    let Some(line) = first else {
        return speech.one_of(
            format!("people who ask for {missing} find nothing yet, and {document} holds no sentence"),
            format!("{missing} is not there yet, and {document} has no sentence to build on"),
            format!("{missing} is still to be written, and {document} has no sentence to start from"),
        );
    };
    let (said, at) = (snippet(&line.text, 110), place(line));
    speech.one_of(
        format!("{missing} is not there yet, and what people can read so far is \"{said}\" ({at})"),
        format!("{missing} is not there yet, so we build on \"{said}\" ({at})"),
        format!(
            "{missing} is still to be written, and the wording that a test could start from is the sentence \"{said}\" ({at})"
        ),
    )
}

/// There are documents, and no part of them has the step's name.
fn elsewhere(speech: Speech, document: &str, first: Option<&Line>) -> String {
    let Some(line) = first else {
        return speech.one_of(
            format!("{document} has no sentence that people could read"),
            format!("{document} has no sentence that we could build on"),
            format!("{document} has no sentence written down"),
        );
    };
    let (said, at) = (snippet(&line.text, 110), place(line));
    speech.one_of(
        format!("nobody has written a part on it yet, and what people read is \"{said}\" ({at})"),
        format!("the plan has no part on it yet, and starts from \"{said}\" ({at})"),
        format!("the text has no part on it yet, and the wording that a test could start from is the sentence \"{said}\" ({at})"),
    )
}

/// A line with what it is by its own words, where they say so: "the risk at requirements-spec.md line 149".
pub fn spot(line: &Line) -> String {
    let at = place(line);
    role(line).map_or_else(|| at.clone(), |role| format!("the {role} at {at}"))
}

/// Labels with which a line says what it is.
const LABELS: [&str; 12] = [
    "assumption",
    "budget",
    "constraint",
    "cost",
    "example",
    "goal",
    "mitigation",
    "option",
    "price",
    "problem",
    "risk",
    "rule",
];

/// What a line is: a question, or what its label or its form says. Of several sentences each may be something else.
fn role(line: &Line) -> Option<&str> {
    if sentences(&line.text).len() > 1 {
        return None;
    }
    if line.text.ends_with('?') {
        return Some("question");
    }
    let first = line.words.first().map(String::as_str)?;
    let labelled = line.text.get(first.len()..).is_some_and(|rest| rest.starts_with(':'));
    let has = |word: &str| line.words.iter().any(|other| other == word);
    match first {
        _ if labelled && LABELS.binary_search(&first).is_ok() => Some(first),
        "given" if has("when") && has("then") => Some("case"),
        _ if has("shall") || has("must") => Some("rule"),
        _ => None,
    }
}

/// What the documents themselves leave open.
pub fn stands_open(speech: Speech, at: &str, said: &str) -> Vec<String> {
    speech.one_of(
        vec![
            format!("There is something that people are still waiting for: \"{said}\" ({at}). Who could tell them?"),
            format!("{at} has been asking \"{said}\", and nobody at this table has answered. Whom do we ask first?"),
        ],
        vec![
            format!("The plan still has an open point: \"{said}\" ({at}). What has to wait for it, and what would that cost?"),
            format!("Nobody here has settled \"{said}\" ({at}) yet. A date beside it costs nothing."),
        ],
        vec![
            format!("No sentence of the text settles this yet at {at}: \"{said}\". Which value should a test expect there until one does?"),
            format!("There is no sentence yet for \"{said}\" ({at}). Which of two answers would you write down today?"),
        ],
    )
}

/// A line that has another figure for what the user tells.
pub fn tells_otherwise(speech: Speech, at: &str, said: &str) -> String {
    speech.one_of(
        format!("People are promised something else at {at} (\"{said}\"), and what you tell is what they live with. Who should hear of the difference?"),
        format!("That is another figure than {at} has (\"{said}\"). Whatever was planned by the old one has to be looked at again."),
        format!("The text has another value at {at}: \"{said}\". A test can expect only one of the two."),
    )
}

/// What is said on a topic of an item that has no document at all.
pub fn no_document(speech: Speech, topic: &str) -> String {
    let then = speech.one_of("people could go by", "we could build on", "a test could hold");
    format!("On \"{topic}\", there is no document yet that {then}.")
}

/// What a settled matter means to a persona, in several ways: `what` and its `reason` (ready to stand
/// behind it) as they were said, the `line` that it touches, if there is one.
pub fn settled(speech: Speech, what: &str, reason: &str, line: Option<&Line>) -> Vec<String> {
    let Some(line) = line else { return settled_apart(speech, what, reason) };
    let (at, said) = (place(line), snippet(&line.text, 110));
    match speech {
        Speech::Analyst => vec![
            format!("Agreed: \"{what}\"{reason}. People who read {at} know only \"{said}\" so far."),
            format!(
                "So people can rely on \"{what}\"{reason} from now on. Who tells those who still go by \"{said}\" ({at})?"
            ),
            format!(
                "Then \"{what}\"{reason} is what people should hear. What they know today is \"{said}\" ({at})."
            ),
            format!(
                "Good, \"{what}\"{reason}. Whoever was not in this room will read \"{said}\" ({at}) and should find it there."
            ),
        ],
        Speech::Architect => vec![
            format!(
                "\"{what}\"{reason} is decided, then. It bears on {at} (\"{said}\"), and on whatever was built on that."
            ),
            format!(
                "With \"{what}\"{reason}, the other way is off the table. I would go through {at} again: \"{said}\"."
            ),
            format!(
                "\"{what}\"{reason} has its price too. Note what would make us turn back, next to {at}: \"{said}\"."
            ),
            format!(
                "After \"{what}\"{reason}, whoever builds what {at} asks for (\"{said}\") should know before they start."
            ),
        ],
        Speech::Designer => vec![
            format!("\"{what}\"{reason} needs its sentence next to {at}, which reads \"{said}\" so far."),
            format!(
                "For \"{what}\"{reason} I would write two cases below {at} (\"{said}\"): one that it covers, and one just outside of it."
            ),
            format!(
                "{at} reads \"{said}\". With \"{what}\"{reason} beside it, the text has to say which of the two holds where they meet."
            ),
            format!("\"{what}\"{reason} can be tested now. The line to hold it against is {at}: \"{said}\"."),
        ],
        Speech::Plain => {
            vec![format!("\"{what}\"{reason} is settled, and {at} (\"{said}\") is where it has to stand.")]
        }
    }
}

/// Whether a question is what the analyst asks of a decision: who tells the others is something to do, and no point of
/// the documents.
pub(crate) fn asks_who_tells(question: &str) -> bool {
    question.starts_with("Who tells those who still go by ")
}

/// The same where the line that it touches is open itself.
pub fn settles_open(speech: Speech, what: &str, reason: &str, line: &Line) -> Vec<String> {
    let (at, said) = (place(line), snippet(&line.text, 110));
    let ways = speech.one_of(
        [
            "Agreed: {what}. People should find that at {at}, which still asks \"{said}\".",
            "So {what} is what people should hear who wait for an answer at {at}: \"{said}\".",
            "{what} it is, and nobody has to wait at {at} any more: \"{said}\".",
            "Then I would tell people {what}, who have been asking since {at} was written: \"{said}\".",
        ],
        [
            "{what} is decided, then. The plan has an open point on it at {at} (\"{said}\"), which can be closed with it or asked again.",
            "With {what}, the other way is off the table. The open point at {at} is to be looked at again: \"{said}\".",
            "{what} closes the open point of the plan at {at}, at the cost of the other option: \"{said}\".",
            "The plan can go on with {what}, since that was open at {at}: \"{said}\".",
        ],
        [
            "{what} needs its sentence where {at} still asks \"{said}\".",
            "{what} can be tested now, and the gap at {at} is the place to write it: \"{said}\".",
            "One sentence with {what} replaces the question at {at}: \"{said}\".",
            "The text gets an exact answer at {at} with {what}; until now it reads \"{said}\".",
        ],
    );
    let what = format!("\"{what}\"{reason}");
    let fill = |way: &str| {
        let (before, after) = way.split_once("{said}").unwrap_or((way, ""));
        let set = |part: &str| part.replace("{at}", &at).replace("{what}", &what);
        format!("{}{said}{}", set(before), set(after))
    };
    ways.iter().map(|way| fill(way)).collect()
}

/// The same where no line of a document has to do with it.
fn settled_apart(speech: Speech, what: &str, reason: &str) -> Vec<String> {
    match speech {
        Speech::Analyst => vec![
            format!(
                "Agreed: \"{what}\"{reason}. People cannot read it anywhere yet, so somebody has to tell them."
            ),
            format!("So people can rely on \"{what}\"{reason} from now on. Whom does it surprise?"),
        ],
        Speech::Architect => vec![
            format!(
                "\"{what}\"{reason} is decided, then. I would note beside it what would make us turn back."
            ),
            format!(
                "With \"{what}\"{reason}, the other way is off the table. Who still builds on that should hear of it first."
            ),
        ],
        Speech::Designer => vec![
            format!(
                "\"{what}\"{reason} needs a sentence of its own, and a place in the text where it is found again."
            ),
            format!(
                "\"{what}\"{reason} can be tested now, with one case that it covers and one that it does not."
            ),
        ],
        Speech::Plain => vec![format!("\"{what}\"{reason} is settled and has to be written down.")],
    }
}

/// The words that say of a document's line that it stands against what was just settled.
pub const STILL: &str = " still says \"";

/// A line that names another number than the one that was settled.
pub fn still_says(speech: Speech, line: &Line) -> String {
    let (at, said) = (place(line), snippet(&line.text, 110));
    let then = speech.one_of(
        "people who read that first go by it",
        "two rules in force cost more than the line that it takes to remove one",
        "a test can expect only one of the two",
    );
    format!("{at}{STILL}{said}\", and {then}.")
}

/// Where a side stands that a persona has taken, and the line that pulls the other way.
pub fn pulls(speech: Speech, line: &Line, other: &Line) -> String {
    let (at, there, said) = (place(line), place(other), snippet(&other.text, 90));
    if at == there {
        return speech.one_of(
            format!("People read both wishes at {at}, and they can not have both in full."),
            format!("The tradeoff stands at {at} itself, and it wants a decision, not an average."),
            format!("{at} names both, and a test can assert only one of them."),
        );
    }
    speech.one_of(
        format!("That is what people read at {at}, and {there} asks for the opposite: \"{said}\"."),
        format!("{at} carries that, while the other end of the tradeoff is {there}: \"{said}\"."),
        format!("That is how {at} reads, and its counterpart is {there} (\"{said}\")."),
    )
}

/// Where a side stands that a persona takes against a colleague.
pub fn ground(speech: Speech, line: &Line) -> String {
    let at = place(line);
    speech.one_of(
        format!("Whoever lives with {at} would tell us the same."),
        format!("The other option has {at} against it, and somebody has to carry that risk."),
        format!("That is how I read the sentence at {at}."),
    )
}

/// Back to a question that nobody has answered, asked by `name` (none: by the one who speaks) in a turn,
/// about `what`.
pub fn left_open(speech: Speech, name: Option<&str>, turn: u32, what: &str) -> Vec<String> {
    let asked = match name {
        Some(name) => format!("{name}'s question from turn {turn}"),
        None => format!("my question from turn {turn}"),
    };
    speech.one_of(
        vec![
            format!("Nobody has taken up {asked} yet: {what}. It would be the first thing that a newcomer asks people here."),
            format!("Before people leave this table, {asked} wants an answer: {what}. Who could give it, if none of us can?"),
        ],
        vec![
            format!("Still without an owner is {asked}: {what}. Whoever builds first answers it alone."),
            format!("One point stays on my list, {asked}: {what}. An owner with a date is the cheapest way out."),
        ],
        vec![
            format!("One sentence is still missing, {asked}: {what}. Until it is written, no test can hold it."),
            format!("One entry is blank where {asked} stands: {what}. Even \"unknown\" would be a value there."),
        ],
    )
}

/// What stands before what a voice asks next of a line that a colleague has shown.
pub fn before_a_probe(speech: Speech, at: &str) -> Vec<String> {
    let ways = speech.one_of(
        [
            "What people will want to know about {}:",
            "For the people who rely on {}:",
            "People will ask about {}:",
            "I would ask somebody about {}:",
        ],
        [
            "About {}, the plan has to answer this:",
            "Before we build on {}:",
            "With the rest of the plan in mind, about {}:",
            "I would not build on {} without this:",
        ],
        ["About the sentence at {}:", "Reading {} again:", "One detail at {}:", "To make {} testable:"],
    );
    ways.iter().map(|way| way.replacen("{}", at, 1)).collect()
}

/// What is left when a line is owed and everything was said: that it was, in as many words as a long discussion needs.
/// No two share more than one of their halves: else the second would be an echo. They claim nothing of what was said in
/// the turn `before`, since nobody knows that here.
pub fn last_words(speech: Speech, turn: u32, before: Option<u32>) -> Vec<String> {
    let Some(before) = before else {
        let nothing =
            speech.one_of("nothing that people could read", "nothing to build on", "no sentence to test");
        return vec![format!("Nothing from me in turn {turn}: the documents give me {nothing}.")];
    };
    let [begins, ends] = speech.one_of(
        [
            [
                "Nothing new from me in turn {}",
                "Whoever reads turn {} misses no word of mine",
                "I would only say the same to people once more",
                "My side of it is told",
                "Somebody else may have more to say in turn {}",
                "People learn nothing further from me here",
                "I leave turn {} to others",
                "I have no further line for people in turn {}",
            ],
            [
                "what I said for people in turn {} stands",
                "whoever comes later should read turn {}",
                "I keep to what I said to people in turn {}",
                "see turn {} for what people have from me",
                "I would say turn {} again and nothing more",
                "it takes somebody who knows more than I did in turn {}",
                "a new line in the documents would take us past turn {}",
                "only you can add to turn {} from here",
            ],
        ],
        [
            [
                "Nothing new from me in turn {}",
                "The plan gives me nothing further for turn {}",
                "I would be going round in a circle here",
                "My part of the plan is told",
                "Turn {} changes nothing in what I would build",
                "Another sentence of mine would only cost time",
                "I pass in turn {}",
                "I have no further option for turn {}",
            ],
            [
                "what I said about the plan in turn {} stands",
                "nothing that I read takes me past turn {}",
                "whoever plans on should read turn {}",
                "I would still say what I said in turn {}",
                "until something changes, go by turn {}",
                "see turn {} for my part of the plan",
                "the documents do not take me further than turn {}",
                "a figure from you would take us past turn {}",
            ],
        ],
        [
            [
                "Nothing new from me in turn {}",
                "I have no further sentence for turn {}",
                "I could only word it once more",
                "My notes on the text end here",
                "Turn {} brings no word that I would write differently",
                "I add no example here",
                "Leave turn {} blank for me",
                "I have no other wording in turn {}",
            ],
            [
                "what I said about the wording in turn {} stands",
                "I stay with the words of turn {}",
                "read turn {} for my part of the text",
                "the text takes me no further than turn {}",
                "whoever writes it down should read turn {}",
                "compare turn {} before anything is written",
                "my part ends where turn {} did",
                "a new line from you would go below turn {}",
            ],
        ],
    );
    let say = |begin: &str, end: &str| {
        let begin = begin.replacen("{}", &turn.to_string(), 1);
        format!("{begin}: {}.", end.replacen("{}", &before.to_string(), 1))
    };
    // Each beginning with each end, another pair at every step.
    let pairs = (0..begins.len() * ends.len()).map(|at| (at % begins.len(), at + at / begins.len()));
    pairs.map(|(begin, end)| say(begins[begin], ends[end % ends.len()])).collect()
}

/// A question of the step where there is nothing to point at, in one of several ways, for the item `about`.
pub fn before_writing(speech: Speech, way: usize, about: &str, question: &str) -> String {
    let leads = speech.one_of(
        [
            "Before people are promised anything on {}, somebody who is affected should be asked",
            "On {}, the people who live with it still have to tell us",
            "I would promise nobody anything on {} without having heard an answer to this",
        ],
        [
            "I would build nothing on {} before this has an answer",
            "A wrong guess on {} is paid for later, so answer this early",
            "The risk on {} is that whoever builds first answers this alone",
        ],
        [
            "I cannot write one sentence of a contract on {} without this",
            "A test on {} starts where this has one written answer",
            "One written answer on {} comes first, and a test after it",
        ],
    );
    format!("{}: {question}", leads[way % leads.len()].replacen("{}", about, 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEC: &str = "# Pump\n\n- The pump shall stop at noon.\n- Risk: the valve sticks in frost.\n- Which valve is it?\n- Given a full tank, when it rains, then the lid closes.\n- Marketing wants January.\n- Risk: it leaks. Tests: none.\n";

    fn lines() -> Vec<Line> {
        Evidence::new([("spec.md", SPEC)], &[]).lines
    }

    #[test]
    fn a_line_is_called_what_its_own_words_say() {
        let spots: Vec<String> = lines().iter().skip(1).map(spot).collect();
        let wanted = [
            "the rule at spec.md line 3",
            "the risk at spec.md line 4",
            "the question at spec.md line 5",
            "the case at spec.md line 6",
            "spec.md line 7",
            "spec.md line 8",
        ];
        assert_eq!(spots, wanted);
        assert!(LABELS.is_sorted());
    }
}
