//! What each of the three says where no lens has the words: of what the documents hold, of what was
//! settled, of what stayed open, of the user's own words. Every sentence names what it rests on.

use super::evidence::{Evidence, Line, LineKind, snippet};

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
            format!("no document bounds {title} yet, so every option is still open"),
            format!("{title} has no document, and so no contract to hold on to"),
        );
    };
    let tells = |line: &Line| !matches!(line.kind, LineKind::Heading | LineKind::Columns);
    let first = evidence.lines.iter().find(|line| tells(line) && line.words.len() > 3);
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
                format!("the part called \"{part}\" in {document} rests on \"{said}\" (line {at}), and every option and its risk hang on that"),
                format!("the defined contract is \"{part}\" in {document}, and the first defined field, value or case for a test is \"{said}\" (line {at})"),
            )
        }
        (Some(part), None) => {
            let (part, at) = (snippet(&part.text, 60), part.number);
            speech.one_of(
                format!("people reach \"{part}\" in {document} (line {at}) and find no sentence of its own there"),
                format!("\"{part}\" in {document} (line {at}) is a part without text, which hides its risks and leaves every option without a price"),
                format!("\"{part}\" in {document} (line {at}) is a heading without one defined field below it, no type, no limit and no named error"),
            )
        }
        (None, _) => elsewhere(speech, document, first),
    }
}

/// The step's own document is not there yet: what there is instead.
fn beginning(speech: Speech, missing: &str, document: &str, first: Option<&Line>) -> String {
    let Some(line) = first else {
        return speech.one_of(
            format!("people who ask for {missing} find nothing yet, and {document} holds no sentence"),
            format!("{missing} is not there yet, and {document} carries no statement to build on"),
            format!(
                "{missing} has to be defined from scratch, with {document} as an input without a sentence"
            ),
        );
    };
    let (said, at) = (snippet(&line.text, 80), place(line));
    speech.one_of(
        format!("people who ask for {missing} find nothing yet. What they can read is \"{said}\" ({at}) and what follows it"),
        format!("{missing} is not there yet, so every option rests on what begins with \"{said}\" ({at}), and that is the first risk"),
        format!("{missing} has to be defined from scratch, with \"{said}\" ({at}) as the first input of its contract"),
    )
}

/// There are documents, and no part of them has the step's name.
fn elsewhere(speech: Speech, document: &str, first: Option<&Line>) -> String {
    let Some(line) = first else {
        return speech.one_of(
            format!("{document} has no sentence that a person could read"),
            format!("{document} carries no statement yet, so every option is still open"),
            format!("{document} defines nothing yet"),
        );
    };
    let (said, at) = (snippet(&line.text, 80), line.number);
    let document = &line.document;
    speech.one_of(
        format!("no part of {document} carries that name, and people who open it start with \"{said}\" (line {at})"),
        format!("no part of {document} carries this yet, and what every option rests on there is \"{said}\" (line {at})"),
        format!("{document} defines no part of that name, and the first fact of its contract is \"{said}\" (line {at})"),
    )
}

/// What stands before a line of a document that answers the user: how each of the three points at it, in several
/// ways. The synthesis knows these sentences again, since the document's own words are no insight.
pub fn points_at(speech: Speech, topic: &str, at: &str, said: &str) -> Vec<String> {
    match speech {
        Speech::Analyst => vec![
            format!("What people can read on \"{topic}\" is {at}: \"{said}\"."),
            format!("On \"{topic}\", what people are told today is {at}: \"{said}\"."),
            format!("On \"{topic}\", what people who ask can read is {at}: \"{said}\"."),
            format!("What people can read on \"{topic}\" was written for them at {at}: \"{said}\"."),
            format!("On \"{topic}\", what people who need it can read is {at}: \"{said}\"."),
            format!("On \"{topic}\", people who look it up find \"{said}\" ({at})."),
            format!("On \"{topic}\", what people have in writing is {at}: \"{said}\"."),
            format!("On \"{topic}\", the words that reach people stand at {at}: \"{said}\"."),
        ],
        Speech::Architect => vec![
            format!("On \"{topic}\", the options and their risk hang on {at}: \"{said}\"."),
            format!("On \"{topic}\", the constraint on every option is {at}: \"{said}\"."),
            format!("On \"{topic}\", every option has to start from {at}: \"{said}\"."),
            format!("On \"{topic}\", every option so far rests on \"{said}\" ({at})."),
            format!("On \"{topic}\", the price of each option is set by {at}: \"{said}\"."),
            format!("On \"{topic}\", every option has \"{said}\" ({at}) to reckon with."),
            format!("On \"{topic}\", I would hold any option against {at}: \"{said}\"."),
            format!("On \"{topic}\", each option and its risk are bound by {at}: \"{said}\"."),
        ],
        Speech::Designer | Speech::Plain => vec![
            format!("For \"{topic}\", the text to hold on to is {at}: \"{said}\"."),
            format!("On \"{topic}\", the contract as defined so far is {at}: \"{said}\"."),
            format!("On \"{topic}\", the defined contract is {at}: \"{said}\"."),
            format!("On \"{topic}\", one test of the contract would assert {at}: \"{said}\"."),
            format!("For \"{topic}\", the text to hold on to is \"{said}\", a contract defined at {at}."),
            format!("On \"{topic}\", the case that a test starts from is {at}: \"{said}\"."),
            format!("On \"{topic}\", the contract that a test asserts is \"{said}\" ({at})."),
            format!("On \"{topic}\", one test of the contract can check \"{said}\" ({at}) today."),
        ],
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
            "the options and their risk can not be weighed while {} is open:",
            "the risk is that it is still open at {}:",
            "every option waits for what {} leaves open:",
        ],
        [
            "no value is defined yet, and {} leaves it open:",
            "a test has no expected value as long as {} is open:",
            "the contract has a gap that is written at {}:",
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
            "Nearest to that is an open point at {}: \"{said}\". An option may hang on it.",
            "Nearest to that, a risk without an owner stands at {}: \"{said}\".",
        ],
        [
            "Nearest to that is the gap at {}: \"{said}\". No test covers it yet.",
            "Nearest to that, no value is defined at {}: \"{said}\".",
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
            format!("An open point of the documents weighs on every option: \"{said}\" ({at}). Which option falls away once it is answered?"),
            format!("Still a risk without an owner is \"{said}\" ({at}). A date beside it costs nothing."),
        ],
        vec![
            format!("{at} leaves a value open: \"{said}\". What does a test assert there until then?"),
            format!("No contract can be closed around \"{said}\" ({at}). Which of two values would you write down today?"),
        ],
    )
}

/// A further line on what a colleague has shown a line on, in several ways.
pub fn reads_beside(speech: Speech, topic: &str, at: &str, said: &str) -> Vec<String> {
    let ways = speech.one_of(
        [
            "people can also read",
            "there is one more line that people go by,",
            "people who read on meet",
            "what people are told besides stands at",
        ],
        [
            "a second constraint stands at",
            "an option has to be weighed against",
            "the risk of an option is also set by",
            "the options depend on one more line,",
        ],
        [
            "a test has one more line to hold on to,",
            "the contract to test goes on at",
            "one more case to test stands at",
            "what is defined for the contract besides is",
        ],
    );
    ways.iter().map(|way| format!("On \"{topic}\", {way} {at}: \"{said}\".")).collect()
}

/// That the documents hold nothing beside the line `at`, in several ways.
pub fn nothing_beside(speech: Speech, topic: &str, at: &str) -> Vec<String> {
    let ways = speech.one_of(
        [
            "people have {} and no other line.",
            "people can read no more than {}.",
            "I would send people to {} too, and nowhere else.",
        ],
        [
            "an option can rest on {} and on nothing else so far.",
            "no second constraint stands beside {}.",
            "the risk is to be read off {} alone.",
        ],
        [
            "a test has {} to hold on to and no second line.",
            "no other contract is written beside {}.",
            "all that there is to check is defined at {}.",
        ],
    );
    ways.iter().map(|way| format!("On \"{topic}\", {}", way.replacen("{}", at, 1))).collect()
}

/// What a second voice says where a first one found nothing.
pub fn finds_none_either(speech: Speech, topic: &str) -> Vec<String> {
    let ways = speech.one_of(
        [
            "I know of no line that people could read either.",
            "people have told me no more than the documents, which is nothing.",
            "I have no words of people to go by either.",
        ],
        [
            "no price, no risk and no option is on record either.",
            "I have no option to weigh either, as nothing is on record.",
            "the documents give me no price and no risk either.",
        ],
        [
            "I find no field and no case to test in the documents either.",
            "I have no expected value for a test either.",
            "there is no contract that I could define more closely.",
        ],
    );
    ways.iter().map(|way| format!("On \"{topic}\", {way}")).collect()
}

/// The parts that a question asks to choose from, as the documents list them.
pub fn enumerates(speech: Speech, topic: &str, listed: &str) -> Vec<String> {
    let ways = speech.one_of(
        [
            "what people can choose from is",
            "people who look for them find",
            "people who go through them read of",
        ],
        [
            "what there is to weigh is",
            "the risk and the price of each stand at",
            "an option on record is each of",
        ],
        ["what is defined for a test is", "each of these needs a test of its own:", "the contract lists"],
    );
    ways.iter().map(|way| format!("On \"{topic}\", {way} {listed}.")).collect()
}

/// A line that has another figure for what the user tells.
pub fn tells_otherwise(speech: Speech, at: &str, said: &str) -> String {
    speech.one_of(
        format!("People are promised something else at {at} (\"{said}\"), and what you tell is what they live with. Who should hear of the difference?"),
        format!("What you tell is another figure than {at} has (\"{said}\"). An option that was chosen by the old one carries that risk."),
        format!("The contract at {at} has another value (\"{said}\") than the one you tell. A test asserts one of the two, and the other is an error case."),
    )
}

/// The same as [`points_at`] where no document says anything.
pub fn finds_nothing(speech: Speech, topic: &str, documents: &[(String, usize)]) -> Vec<String> {
    let nowhere = match documents {
        [] => "there is no document".to_owned(),
        [(one, _)] => format!("{one} says nothing"),
        many => format!("none of the item's {} documents says anything", many.len()),
    };
    let where_not = match documents {
        [] => "anywhere".to_owned(),
        [(one, _)] => format!("in {one}"),
        many => format!("in any of the item's {} documents", many.len()),
    };
    match speech {
        Speech::Analyst => vec![
            format!("Whoever looks for \"{topic}\" finds that {nowhere} about it that people could read."),
            format!("Whoever looks for \"{topic}\" is a person without an answer, for {nowhere} of it."),
            format!("On \"{topic}\", {nowhere} that people could go by."),
        ],
        Speech::Architect => vec![
            format!("On \"{topic}\", {nowhere} yet, and no option or risk here hangs on it."),
            format!("On \"{topic}\", {nowhere} that an option could rest on."),
            format!("On \"{topic}\", {nowhere}, so any option is a guess, and that is a risk."),
        ],
        Speech::Designer | Speech::Plain => vec![
            format!("\"{topic}\" is not defined {where_not} yet, neither as a field nor as a case to test."),
            format!("On \"{topic}\", {nowhere} that could be tested."),
            format!(
                "\"{topic}\" is not defined {where_not}, so no contract can name it and no test assert it."
            ),
        ],
    }
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
                "\"{what}\"{reason} is an architectural decision, and \"{said}\" ({at}) is what it touches first. Record the tradeoff and its price beside it, with the risk that would make us turn back."
            ),
            format!(
                "The price of \"{what}\"{reason} falls on \"{said}\" first ({at}). Record it with the option that lost, so that a later change starts from the tradeoff and not from memory."
            ),
            format!(
                "\"{what}\"{reason} closes one option and opens a dependency on \"{said}\" ({at}). The risk is whoever still relies on the old way. A list of those callers is the mitigation."
            ),
            format!(
                "After \"{what}\"{reason} one option is off the table, and \"{said}\" ({at}) has to be read again. Whoever owns that line should know before the first build."
            ),
        ],
        Speech::Designer => vec![
            format!(
                "\"{what}\"{reason} fixes the contract. Beside \"{said}\" ({at}) the refused case still needs a name."
            ),
            format!(
                "To write \"{what}\"{reason} down as a contract, {at} needs one precondition, one result and one named error beside \"{said}\"."
            ),
            format!(
                "\"{what}\"{reason} becomes checkable with two cases at {at} (\"{said}\"): one that it covers, and one just outside of it that is refused by name."
            ),
            format!(
                "\"{what}\"{reason} changes what {at} means (\"{said}\"). A test that passed yesterday needs another expected value, and its error case with it."
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
            "{what} is a decision to record beside what is open at {at} (\"{said}\"), with the option that lost.",
            "After {what} one option is off the table, and the open point at {at} (\"{said}\") has to be read again.",
        ],
        [
            "{what} fixes the contract at {at} (\"{said}\"), and a test needs its refused case by name.",
            "With {what} a test has a value, and the gap at {at} (\"{said}\") is the place to write it.",
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
                "To write \"{what}\"{reason} down as a contract it needs one precondition, one result and one named error."
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
            format!("The contract at {at} names both, and a test can assert only one of them."),
        );
    }
    speech.one_of(
        format!("That is what a person reads at {at}, and {there} asks for the opposite: \"{said}\"."),
        format!("{at} carries that, while the other end of the tradeoff is {there}: \"{said}\"."),
        format!("That is the contract at {at}, and its counterpart is {there} (\"{said}\")."),
    )
}

/// Where a side stands that a persona takes against a colleague.
pub fn ground(speech: Speech, line: &Line) -> String {
    let at = place(line);
    speech.one_of(
        format!("Whoever lives with {at} would tell us the same."),
        format!("The risk of the other option is written at {at}, and somebody has to carry it."),
        format!("A test for {at} needs exactly that, with one expected value."),
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
            format!("Still without an owner is {asked}: {what}, a risk whose options are weighed by nobody but whoever builds first."),
            format!("One risk stays on the list, {asked}: {what}, and an owner with a date is the cheapest mitigation."),
        ],
        vec![
            format!("One entry has no value yet, {asked}: {what}, and until it has one, no test can be written for it."),
            format!("The contract has a hole where {asked} stands: {what}, and even \"unknown\" would be a value there."),
        ],
    )
}

/// What the user tells and no document has, in several ways.
pub fn written_nowhere(speech: Speech, said: &str) -> Vec<String> {
    let ways = speech.one_of(
        [
            "\"{}\" stands in no document that people could read.",
            "People who read the documents do not learn of \"{}\" yet.",
            "No line tells people \"{}\" so far, and somebody has to hear of it.",
            "Only somebody at this table knows \"{}\" until it is written down.",
        ],
        [
            "\"{}\" is on record nowhere yet, a risk for every option that rests on it.",
            "No option rests on \"{}\" yet, a constraint to record with its risk and its source.",
            "The risk with \"{}\" is that it stands in no document so far.",
            "As a constraint on every option, \"{}\" is on record nowhere.",
        ],
        [
            "\"{}\" is defined in no document yet, so no test holds it.",
            "No field, limit or case of the documents carries \"{}\" yet.",
            "For a contract, \"{}\" has to be written down first, and no document has it.",
            "A test cannot assert \"{}\" before some document says it.",
        ],
    );
    ways.iter().map(|way| way.replacen("{}", said, 1)).collect()
}

/// That the documents hold nothing on what the user asks, in several ways.
pub fn holds_nothing(speech: Speech, said: &str) -> Vec<String> {
    let ways = speech.one_of(
        [
            "the documents hold nothing that people could read.",
            "people have no line to read yet.",
            "I find no words in the documents that I could give to somebody.",
        ],
        [
            "the documents hold no constraint and no option.",
            "nothing is on record that an option could be weighed by.",
            "I find no price and no risk in the documents.",
        ],
        [
            "the documents define nothing that a test could check.",
            "no contract, field or case is defined yet.",
            "I find no expected value for a test in the documents.",
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
        ("what I said of options and risk", "no option and no risk to weigh"),
        ("what I said of contract and test", "no case to test"),
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
            "No option on {} has a price or a risk that we could weigh before this is settled",
            "The price of guessing on {} is rework, so answer this early",
            "One risk on {} has no owner as long as this is open",
        ],
        [
            "The first field of a contract on {}, and its first test, is the answer to this",
            "A contract on {} starts where this has one written answer",
            "No test on {} can name its expected value before this is defined",
        ],
    );
    format!("{}: {question}", leads[way % leads.len()].replacen("{}", about, 1))
}
