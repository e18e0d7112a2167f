//! What each of the three says where no lens has the words: of what the documents hold, of what was
//! settled, of what stayed open, of the user's own words. Every sentence names what it rests on.

use super::evidence::{Evidence, Line, LineKind, snippet};
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
            format!("nobody has written a line on {title} that a person could read"),
            format!("there is no document on record for {title} yet, and nothing to weigh"),
            format!("{title} has no document, and nothing exact is written yet"),
        );
    };
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
                format!("somebody who opens \"{part}\" in {document} first meets \"{said}\" (line {at})"),
                format!("what is on record under \"{part}\" in {document}, and what I would weigh first, is \"{said}\" (line {at})"),
                format!("the exact wording that a contract or a test could take literally, to the letter, from \"{part}\" of {document} is \"{said}\" (line {at})"),
            )
        }
        (Some(part), None) => {
            let (part, at) = (snippet(&part.text, 60), part.number);
            speech.one_of(
                format!(
                    "people reach \"{part}\" in {document} (line {at}) and find no sentence of its own there"
                ),
                format!(
                    "\"{part}\" in {document} (line {at}) has no text on record, so there is nothing to weigh"
                ),
                format!(
                    "\"{part}\" in {document} (line {at}) is a heading, and nothing exact is written below it"
                ),
            )
        }
        (None, _) => elsewhere(speech, document, first),
    }
}

/// Whether a line is more than a name: of what stands below it, or of a column.
fn tells(line: &Line) -> bool {
    !matches!(line.kind, LineKind::Heading | LineKind::Columns)
}

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
            format!("{missing} is not there yet, and {document} has no sentence on record to weigh"),
            format!("{missing} is still to be written, and {document} has no sentence to start from"),
        );
    };
    let (said, at) = (snippet(&line.text, 80), place(line));
    speech.one_of(
        format!("people who ask for {missing} find nothing yet. What they can read is \"{said}\" ({at}) and what follows it"),
        format!("{missing} is not there yet. What is on record to weigh starts from \"{said}\" ({at})"),
        format!("{missing} is still to be written. To be exact, a contract or a test has this to the letter so far: \"{said}\" ({at})"),
    )
}

/// There are documents, and no part of them has the step's name.
fn elsewhere(speech: Speech, document: &str, first: Option<&Line>) -> String {
    let Some(line) = first else {
        return speech.one_of(
            format!("{document} has no sentence that a person could read"),
            format!("{document} has no sentence on record that could be weighed"),
            format!("{document} has no sentence written down"),
        );
    };
    let (said, at) = (snippet(&line.text, 80), line.number);
    let document = &line.document;
    speech.one_of(
        format!("no part of {document} carries that name, and people who open it first read \"{said}\" (line {at})"),
        format!("no part of {document} carries that name, and what is on record to weigh there starts from \"{said}\" (line {at})"),
        format!("no part of {document} has that name. To be exact, a contract or a test first has this to the letter there: \"{said}\" (line {at})"),
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

/// The same before a line that is a question itself, or stands among what is open.
pub fn points_at_open(speech: Speech, topic: &str, at: &str, said: &str) -> Vec<String> {
    let ways = speech.one_of(
        [
            "people have no answer yet, and {} asks the same:",
            "people who look it up meet a question at {}:",
            "somebody has asked the same for people at {}:",
        ],
        [
            "I cannot weigh it while the record is open at {}:",
            "what is on record to weigh is an open point, {}:",
            "before I weigh a price or a risk, the record needs an answer at {}:",
        ],
        [
            "no exact value is written yet, and {} leaves it open, to the letter:",
            "a test has nothing exact to assert as long as {} is open:",
            "the exact wording has a gap, literally, at {}:",
        ],
    );
    ways.iter().map(|way| format!("On \"{topic}\", {} \"{said}\".", way.replacen("{}", at, 1))).collect()
}

/// The open line nearest to what the user tells. The synthesis knows these sentences again.
pub fn speaks_to_open(speech: Speech, at: &str, said: &str) -> Vec<String> {
    let ways = speech.one_of(
        [
            "Nearest to that, people still ask at {}: \"{said}\".",
            "Nearest to that is what people wait to hear at {}: \"{said}\".",
        ],
        [
            "Nearest to that is an open point on record at {}: \"{said}\". Weigh it before an option hangs on it.",
            "Nearest to that, and on record without an owner to weigh it, is {}: \"{said}\".",
        ],
        [
            "Nearest to that is a gap in the exact wording at {}: \"{said}\". No test covers it to the letter.",
            "Nearest to that, {} leaves the exact value open, literally: \"{said}\".",
        ],
    );
    ways.iter().map(|way| way.replacen("{}", at, 1).replacen("{said}", said, 1)).collect()
}

/// What the documents themselves leave open.
pub fn stands_open(speech: Speech, at: &str, said: &str) -> Vec<String> {
    speech.one_of(
        vec![
            format!("There is something that people are still waiting for: \"{said}\" ({at}). Who could tell them?"),
            format!("{at} has been asking \"{said}\", and no person at this table has answered. Whom do we ask first?"),
        ],
        vec![
            format!("Still open on record is \"{said}\" ({at}). What has to wait for it, and what would that cost?"),
            format!("Nobody here has weighed \"{said}\" ({at}) yet. A date beside it costs nothing."),
        ],
        vec![
            format!("Literally, {at} leaves this open: \"{said}\". What exact value does a test assert there until then?"),
            format!("Nothing exact can be written to the letter for \"{said}\" ({at}) yet. Which of two exact answers would you write down today?"),
        ],
    )
}

/// A line on the same thing as what the user tells, who has asked nothing. The synthesis knows these sentences again.
pub fn touches(speech: Speech, at: &str, said: &str) -> Vec<String> {
    let ways = speech.one_of(
        [
            "That touches what people read at {}: \"{said}\".",
            "Beside that, people read {}: \"{said}\".",
            "Whoever reads {} should know that too: \"{said}\". People go by what stands there.",
        ],
        [
            "That touches what is on record at {}: \"{said}\". Weigh the two together.",
            "Beside that, weigh what is on record at {}: \"{said}\".",
            "Weigh that against the record at {}: \"{said}\".",
        ],
        [
            "That touches the exact wording at {}: \"{said}\".",
            "Beside that, to the letter, stands {}: \"{said}\".",
            "Hold that literally against {}: \"{said}\".",
        ],
    );
    ways.iter().map(|way| way.replacen("{}", at, 1).replacen("{said}", said, 1)).collect()
}

/// A line that has another figure for what the user tells.
pub fn tells_otherwise(speech: Speech, at: &str, said: &str) -> String {
    speech.one_of(
        format!("People are promised something else at {at} (\"{said}\"), and what you tell is what they live with. Who should hear of the difference?"),
        format!("What you tell is another figure than {at} has (\"{said}\"). Whatever was weighed by the old one has to be weighed again."),
        format!("Literally, {at} has another value (\"{said}\") than the one you tell. A test can assert only one of the two."),
    )
}

/// What stands before nothing: no document says anything of what the user asks.
pub fn finds_nothing(speech: Speech, topic: &str, documents: &[(String, usize)]) -> Vec<String> {
    let none = match documents {
        [] => {
            let then = speech.one_of("people could go by", "I could weigh", "a test could hold");
            return vec![format!("On \"{topic}\", there is no document yet that {then}.")];
        }
        [(one, _)] => format!("no line of {one}"),
        many => format!("no line of the item's {} documents", many.len()),
    };
    let ways = speech.one_of(
        [
            "Whoever looks for the word \"{word}\" finds that {none} has it for people to read.",
            "{None} has the word \"{word}\", so I have nothing to tell people who ask.",
            "On \"{word}\", {none} has that word for people to go by.",
        ],
        [
            "On \"{word}\", {none} has that word on record yet, so I cannot weigh it.",
            "{None} has the word \"{word}\" on record, and what is built there is a guess and a risk.",
            "To weigh \"{word}\" I would need it on record, and {none} has that word.",
        ],
        [
            "{None} has the word \"{word}\", so no test can hold it to the letter.",
            "On \"{word}\", {none} has that exact word for a test.",
            "The exact word \"{word}\" stands nowhere: {none} has it.",
        ],
    );
    let filled = |way: &&str| {
        let way = way.replace("{None}", &plain::capital(&none)).replace("{none}", &none);
        way.replacen("{word}", topic, 1)
    };
    ways.iter().map(filled).collect()
}

/// What a settled matter means to a persona, in several ways: `what` and its `reason` (ready to stand
/// behind it) as they were said, the `line` that it touches, if there is one.
pub fn settled(speech: Speech, what: &str, reason: &str, line: Option<&Line>) -> Vec<String> {
    let Some(line) = line else { return settled_apart(speech, what, reason) };
    let (at, said) = (place(line), snippet(&line.text, 90));
    match speech {
        Speech::Analyst => vec![
            format!(
                "So we agree on \"{what}\"{reason}. People will look for it beside \"{said}\" ({at}), and there it should stand for whoever was not in this room."
            ),
            format!("So what changes for people is \"{what}\"{reason}. {at} tells them \"{said}\" today."),
            format!(
                "So if somebody is used to the old way, \"{what}\"{reason} is what people trip over first. What they know today is \"{said}\" ({at})."
            ),
            format!(
                "So from now on people can rely on \"{what}\"{reason}. Whoever hoped for something else will read \"{said}\" ({at}) and ask why."
            ),
        ],
        Speech::Architect => vec![
            format!(
                "\"{what}\"{reason} is decided. Record it beside {at} (\"{said}\"), with its price, its risk and what would make us turn back."
            ),
            format!(
                "The price of \"{what}\"{reason} is not on record yet. I would weigh it, and its risk, at {at}: \"{said}\"."
            ),
            format!(
                "\"{what}\"{reason} takes one option off the table. Weigh {at} again in that light: \"{said}\"."
            ),
            format!(
                "After \"{what}\"{reason}, whoever owns {at} (\"{said}\") should know before the first build. Record the option that lost, so that a later change does not start from memory."
            ),
        ],
        Speech::Designer => vec![
            format!(
                "To be exact, \"{what}\"{reason} and {at} (\"{said}\") need a word on which of the two holds where they meet."
            ),
            format!(
                "\"{what}\"{reason} needs one exact wording. {at} reads \"{said}\" today, and a test can assert only what stands there."
            ),
            format!(
                "\"{what}\"{reason} becomes checkable at {at} (\"{said}\") with two cases: one that it covers, and one just outside of it."
            ),
            format!(
                "Literally, to the letter, {at} is \"{said}\". With \"{what}\"{reason} beside it, a test has to know which exact wording holds."
            ),
        ],
        Speech::Plain => {
            vec![format!("\"{what}\"{reason} is settled, and {at} (\"{said}\") is where it has to stand.")]
        }
    }
}

/// The same where the line that it touches is open itself.
pub fn settles_open(speech: Speech, what: &str, reason: &str, line: &Line) -> Vec<String> {
    let (at, said) = (place(line), snippet(&line.text, 110));
    let ways = speech.one_of(
        [
            "So we agree on {what}. People should find that where {at} still asks \"{said}\".",
            "So what changes for people is {what}. The question nearest to it is {at}: \"{said}\".",
        ],
        [
            "{what} is a decision to record beside what is open at {at} (\"{said}\"), with the price of the option that lost.",
            "After {what} one option is off the table. Weigh the open point on record at {at} (\"{said}\") again.",
        ],
        [
            "{what} needs one exact wording where {at} still asks \"{said}\", and a test its refused case by name.",
            "With {what} a test has an exact value to assert, and the gap at {at} (\"{said}\") is the place to write it to the letter.",
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
            format!("So we agree on \"{what}\"{reason}, and no document tells people yet."),
            format!("So what changes for people is \"{what}\"{reason}, and they read it nowhere so far."),
        ],
        Speech::Architect => vec![
            format!(
                "\"{what}\"{reason} is a decision to record with the option that lost and with what would make us turn back."
            ),
            format!(
                "The risk of \"{what}\"{reason} is whoever still relies on the old way. A list of those callers is the mitigation."
            ),
        ],
        Speech::Designer => vec![
            format!(
                "\"{what}\"{reason} needs one exact wording, to the letter, and a place in a document where a test can find it."
            ),
            format!(
                "\"{what}\"{reason} becomes checkable with one case for the value that holds and one for the value that is refused."
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
        "whoever reads that first goes by it",
        "two rules in force are a risk that costs one line to remove",
        "a test needs one of the two as its expected value",
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
        format!("That is what a person reads at {at}, and {there} asks for the opposite: \"{said}\"."),
        format!("{at} carries that, while the other end of the tradeoff is {there}: \"{said}\"."),
        format!("That is {at} to the letter, and its counterpart is {there} (\"{said}\")."),
    )
}

/// Where a side stands that a persona takes against a colleague.
pub fn ground(speech: Speech, line: &Line) -> String {
    let at = place(line);
    speech.one_of(
        format!("Whoever lives with {at} would tell us the same."),
        format!("The other option has {at} against it, and somebody has to carry that risk."),
        format!("That is how I read {at}, to the letter."),
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
            format!("Nobody has taken up {asked} yet: {what}, which would be the first thing a newcomer asks people here."),
            format!("Before people leave this table, {asked} wants an answer: {what}. Who could give it, if none of us can?"),
        ],
        vec![
            format!("Still without an owner is {asked}: {what}, a risk that whoever builds first carries alone, at a price nobody has weighed."),
            format!("One risk stays on the list, {asked}: {what}, and an owner with a date is the cheapest mitigation."),
        ],
        vec![
            format!("One entry has no value yet, {asked}: {what}, and until it has one, no test can be written for it."),
            format!("One entry is blank where {asked} stands: {what}, and even \"unknown\" would be a value there."),
        ],
    )
}

/// What the user tells and no document has, in several ways.
pub fn written_nowhere(speech: Speech, said: &str) -> Vec<String> {
    let ways = speech.one_of(
        [
            "I find no line that tells people \"{}\".",
            "As far as I see, people do not read of \"{}\" anywhere yet.",
            "I have no line to show people on \"{}\", so somebody has to tell them.",
            "As far as I see, only somebody at this table knows \"{}\".",
        ],
        [
            "I find \"{}\" on record nowhere, so I cannot weigh it yet.",
            "I have nothing on record for \"{}\": weigh it, and record it with its source.",
            "The risk with \"{}\" is that I find it on record nowhere.",
            "I would put \"{}\" on record, with its risk, before it is weighed.",
        ],
        [
            "In no exact words do I find \"{}\", so a test has nothing to hold.",
            "Literally, to the letter, \"{}\" is written nowhere that I know of, nor in other words to test.",
            "I would write \"{}\" down exactly and literally, since no test finds it.",
            "A test finds nothing exact to assert \"{}\" by.",
        ],
    );
    ways.iter().map(|way| way.replacen("{}", said, 1)).collect()
}

/// What stands before what a voice asks next of a line that a colleague has shown.
pub fn before_a_probe(speech: Speech, at: &str) -> [String; 2] {
    speech.one_of(
        [
            format!("One more thing that people will want to know about {at}:"),
            format!("Beside what {at} tells people:"),
        ],
        [
            format!("What I would weigh at {at}:"),
            format!("Before {at} goes on record as settled, weigh this:"),
        ],
        [format!("To make {at} exact:"), format!("Before a test can hold {at} to the letter:")],
    )
}

/// That the documents hold nothing on what the user asks, in several ways.
pub fn holds_nothing(speech: Speech, said: &str) -> Vec<String> {
    let ways = speech.one_of(
        [
            "I find no line with those words that people could read.",
            "people who look for those words find no line.",
            "I know of no line with those words that I could show somebody.",
        ],
        [
            "I find no line with those words to weigh.",
            "I find nothing on record with those words.",
            "no line on record has those words, so I cannot weigh it.",
        ],
        [
            "I find no line with that exact wording.",
            "no line has those words, to the letter.",
            "I find no sentence with those exact words that a test could check.",
        ],
    );
    ways.iter().map(|way| format!("On \"{said}\", {way}")).collect()
}

/// What stands before a question of the step that is asked instead.
pub const STEP_ASKS: &str = "What this step asks for first";

/// What is left when a line is owed and everything was said: that it was.
pub fn last_words(speech: Speech, turn: u32, before: Option<u32>) -> String {
    let (said, nothing) = speech.one_of(
        ("what I said for people", "no line that people could read"),
        ("what I put on record to weigh", "nothing on record to weigh"),
        ("what I said of the exact wording", "no exact wording to test"),
    );
    match before {
        Some(before) => format!("Nothing new from me in turn {turn}: {said} in turn {before} stands."),
        None => format!("Nothing from me in turn {turn}: the documents give me {nothing}."),
    }
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
            "I would weigh no price and no risk on {} before this has an answer",
            "The price of guessing on {} is rework, so answer this early",
            "The risk on {} is that whoever builds first answers this alone, at a price",
        ],
        [
            "I cannot write one exact contract or test on {} without this",
            "A contract on {} starts where this has one written answer",
            "One exact answer on {} comes first, and a test after it",
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
