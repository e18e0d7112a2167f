//! Whom a message addresses, and whether it asks to end the discussion (D-4).
//!
//! A message is looked at in this order: exit, direct address, group address, neither. Addressing
//! follows the letter of the rules. Exit asks what a message is *for*: an exit word counts when
//! its clause says nothing else; it does not when it is negated, put off, quoted, or a part of
//! what is talked about ("exit code", "the back button"); and where it may be either, the answer
//! is [`Address::Unclear`] and the lead asks. A message that says something beside its exit words
//! has content, and is heard before the discussion ends.

use crate::item::persona::Cast;
use crate::text::ending::{Clause, FILLER, JudgedClause, read_clauses, within};
use crate::text::markdown::{Part, VisibleLine, read};
use crate::text::sentences::without_quotations;
use crate::text::words::{Word, words};

/// What a message is, before topic focus is considered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    Exit {
        /// It says something beside the exit words.
        has_content: bool,
    },
    Unclear,
    /// Persona keys, in the order in which the message names them.
    Direct(Vec<String>),
    Group,
    Neither,
}

/// Classifies a message. `asked` says that the lead has just asked whether the user wants to end:
/// then a plain yes is an exit and nothing is unclear any more.
pub fn address(text: &str, cast: &Cast, asked: bool) -> Address {
    let lines: Vec<VisibleLine> = read(text).into_iter().filter(VisibleLine::is_said).collect();
    let said = seen(&lines);
    match intent(&lines, cast) {
        Intent::Exit { has_content } => return Address::Exit { has_content },
        Intent::Unclear { .. } if asked && says_no(&said) => {}
        Intent::Unclear { has_content } if asked => return Address::Exit { has_content },
        Intent::Unclear { .. } => return Address::Unclear,
        Intent::None if asked && is_yes(&said) => return Address::Exit { has_content: false },
        Intent::None => {}
    }
    let named = addressed(&said, cast);
    if !named.is_empty() {
        Address::Direct(named)
    } else if is_group(&said) {
        Address::Group
    } else {
        Address::Neither
    }
}

/// What people see of a message and its author says, a line each.
fn seen(lines: &[VisibleLine]) -> String {
    let lines: Vec<String> = lines.iter().map(VisibleLine::text).collect();
    lines.join("\n")
}

/// The personas a message addresses: by a first name it starts with, or one followed by a comma.
fn addressed(text: &str, cast: &Cast) -> Vec<String> {
    let names: Vec<_> = cast.iter().map(|persona| (persona.first_name().to_lowercase(), persona)).collect();
    let mut keys: Vec<String> = Vec::new();
    for word in words(text) {
        let Some((_, persona)) = names.iter().find(|(name, _)| *name == word.text) else { continue };
        let next = text[word.end..].chars().next();
        let comma = matches!(next, Some(',' | '，' | '、' | '،'));
        let opening = word.start == 0
            && next.is_none_or(|c| c.is_whitespace() || matches!(c, ':' | '?' | '：' | '？' | '؟'));
        if (comma || opening) && !keys.contains(&persona.key) {
            keys.push(persona.key.clone());
        }
    }
    keys
}

/// A sentence without whom it calls at its beginning: "Maya, ", "@sam ", "Maya and Alex: ".
pub fn without_vocative<'t>(text: &'t str, names: &[&str]) -> &'t str {
    let mut rest = text;
    while let Some(after) = after_name(rest, names) {
        rest = after;
    }
    rest
}

/// What comes after a name that is called.
fn after_name<'t>(text: &'t str, names: &[&str]) -> Option<&'t str> {
    let is_mark = |found: char| matches!(found, ',' | ':' | '，' | '：' | '、');
    if let Some(mention) = text.strip_prefix('@') {
        let end = mention.find(|found: char| !(found.is_alphanumeric() || "-_".contains(found)))?;
        let after = mention[end..].trim_start_matches(|found: char| is_mark(found) || found == ' ');
        return (end > 0 && !after.is_empty()).then_some(after);
    }
    let called = |name: &&str| {
        let found = text.get(..name.len()).filter(|found| found.eq_ignore_ascii_case(name))?;
        Some(&text[found.len()..])
    };
    let after = names.iter().find_map(called)?;
    if let Some(next) = after.strip_prefix(" and ").or(after.strip_prefix(" & ")) {
        return after_name(next, names);
    }
    let after = after.strip_prefix(is_mark)?.trim_start();
    (!after.is_empty()).then_some(after)
}

/// The name that a message calls and nobody at the table has: "Bob, what do you think?". Only a message that asks
/// or says "you" calls somebody.
pub fn stranger<'t>(text: &'t str, cast: &Cast) -> Option<&'t str> {
    let text = text.trim();
    let (name, rest) = text.split_once(',')?;
    let is_name = name.len() > 2
        && name.starts_with(char::is_uppercase)
        && name.chars().skip(1).all(char::is_lowercase)
        && !within(OPENERS, &name.to_lowercase())
        && !cast.iter().any(|persona| persona.first_name() == name);
    let calls = rest.contains(['?', '？']) || words(rest).iter().any(|word| word.text == "you");
    (is_name && calls).then_some(name)
}

/// Words that people put before a comma, and that are no names.
const OPENERS: &str = " actually additionally again agreed all alright also alternatively anyway basically besides but correct everybody everyone finally first firstly folks furthermore great hello hey hmm however ideally instead maybe meanwhile now okay otherwise perhaps personally please right second similarly so sorry specifically sure team thanks then therefore thus today tomorrow well yeah yes yesterday ";

/// Words that address everyone, as whole words.
const GROUP: [&[&str]; 5] =
    [&["you", "all"], &["everyone"], &["all", "of", "you"], &["team"], &["what", "do", "you", "think"]];

fn is_group(text: &str) -> bool {
    let words = words(text);
    // `team_member` and `team@example.org` are names of other things.
    let is_whole = |word: &Word<'_>| {
        let mut behind = text[word.end..].chars();
        let next = behind.next();
        let joins = next == Some('.') && behind.next().is_some_and(char::is_alphanumeric);
        !joins && !matches!(next, Some('_' | '@')) && !text[..word.start].ends_with(['_', '.', '/'])
    };
    let says = |window: &[Word<'_>], phrase: &[&str]| {
        window.iter().zip(phrase).all(|(word, wanted)| word.text == *wanted && is_whole(word))
    };
    GROUP.iter().any(|phrase| words.windows(phrase.len()).any(|window| says(window, phrase)))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Intent {
    Exit { has_content: bool },
    Unclear { has_content: bool },
    None,
}

/// Whether a message that may ask to end says nothing besides: "quit".
pub fn only_ends(text: &str, cast: &Cast) -> bool {
    let lines: Vec<VisibleLine> = read(text).into_iter().filter(VisibleLine::is_said).collect();
    is_farewell(&lines) || pieces_of(&lines, cast).iter().all(|piece| piece.clause != Clause::Content)
}

/// Whether a message is `quit` or `bye` alone (D-4).
fn is_farewell(lines: &[VisibleLine]) -> bool {
    matches!(words(&seen(lines)).as_slice(), [word] if matches!(word.text.as_ref(), "quit" | "bye"))
}

fn pieces_of(lines: &[VisibleLine], cast: &Cast) -> Vec<JudgedClause> {
    let names: Vec<String> = cast.iter().map(|persona| persona.first_name().to_lowercase()).collect();
    pieces(lines, &names)
}

fn intent(lines: &[VisibleLine], cast: &Cast) -> Intent {
    if is_farewell(lines) {
        return Intent::Unclear { has_content: false };
    }
    let pieces = pieces_of(lines, cast);
    let asks = pieces.iter().any(|piece| piece.question && piece.clause == Clause::Content);
    let exit = pieces.iter().position(|piece| matches!(piece.clause, Clause::Exit { .. }));
    if let Some(at) = exit {
        let bare = pieces[at].clause == (Clause::Exit { bare: true });
        let mut further = pieces[at + 1..].iter().filter(|piece| piece.clause == Clause::Content);
        // Something is said about the bare word, or the talk goes on.
        let goes_on = further.any(|piece| bare || piece.goes_on);
        let has_content = pieces.iter().any(|piece| piece.clause == Clause::Content);
        return if asks || goes_on { Intent::Unclear { has_content } } else { Intent::Exit { has_content } };
    }
    let maybe = pieces.iter().any(|piece| piece.clause == Clause::Maybe);
    // "We're done with error handling" may end the talk, and says something else if it does not.
    if maybe && !asks { Intent::Unclear { has_content: false } } else { Intent::None }
}

/// The clauses of a message, judged each by itself and by its neighbours in the sentence.
fn pieces(lines: &[VisibleLine], names: &[String]) -> Vec<JudgedClause> {
    let mut found: Vec<JudgedClause> = Vec::new();
    // A message that is one quotation means what it quotes.
    let is_quotation =
        lines.iter().all(|line| line.sentences.iter().all(|one| unquoted(&one.text).is_none()));
    for line in lines {
        // An item of a list or a heading among other lines names something.
        let listed = lines.len() > 1 && line.part != Part::Paragraph;
        for sentence in &line.sentences {
            let own = if is_quotation { Some(sentence.text.clone()) } else { unquoted(&sentence.text) };
            for part in own.iter().flat_map(|own| own.split([';', '…'])) {
                read_clauses(part, listed, names, &mut found);
            }
        }
    }
    found
}

/// A sentence without what is between quotation marks; none where nothing is left.
fn unquoted(text: &str) -> Option<String> {
    Some(without_quotations(text)).filter(|own| own.contains(char::is_alphanumeric))
}

/// Whether the answer to "did you want to end?" holds back: then it settles that nobody ends.
fn says_no(text: &str) -> bool {
    const NO: &str = " no not nope continue keep go only though topic meant isn't don't aren't ";
    words(text).iter().any(|word| within(NO, &word.text))
}

/// Whether the answer to "did you want to end?" is yes and nothing else, in the words of the question too.
fn is_yes(text: &str) -> bool {
    const YES: &str =
        " yes yeah yep yup sure ok okay end ending finish stop quit close correct exactly please right ";
    const ENDS: &str = " end ending finish stop quit close ";
    const MORE: &str = " no continue go going keep on ";
    const UNLESS_ENDED: &str = " talk discussion conversation let's ";
    let words = words(text);
    let words: Vec<&str> = words.iter().map(|word| word.text.as_ref()).collect();
    words.iter().any(|word| within(YES, word))
        && words.iter().all(|word| within(YES, word) || within(FILLER, word))
        && !words.iter().any(|word| within(MORE, word))
        && (words.iter().any(|word| within(ENDS, word))
            || !words.iter().any(|word| within(UNLESS_ENDED, word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_nobody_has_is_noticed() {
        let cast = crate::item::library::Library::built_in().unwrap().cast;
        assert_eq!(stranger("Bob, what do you think?", &cast), Some("Bob"));
        assert_eq!(stranger("Priya, can you check the limit?", &cast), Some("Priya"));
        for text in [
            "Maya, what do you see?",
            "However, what is the limit?",
            "Berlin, Paris and Rome are open.",
            "Bob",
        ] {
            assert_eq!(stranger(text, &cast), None, "{text}");
        }
    }

    fn class(text: &str, asked: bool) -> String {
        let cast = crate::item::library::Library::built_in().unwrap().cast;
        match address(text, &cast, asked) {
            Address::Exit { .. } => "exit".to_owned(),
            Address::Unclear => "unclear".to_owned(),
            Address::Group => "group".to_owned(),
            Address::Neither => "default".to_owned(),
            Address::Direct(keys) => {
                let names: Vec<&str> = keys.iter().map(|key| cast.get(key).unwrap().first_name()).collect();
                names.join("+")
            }
        }
    }

    #[test]
    #[allow(clippy::too_many_lines)] // A table.
    fn input_classes() {
        let cases = [
            // exit: the word is what the message is for
            ("done", "exit"),
            ("DONE", "exit"),
            ("Done.", "exit"),
            ("  done!!! ", "exit"),
            ("ok, done", "exit"),
            ("Okay, I think we're done here.", "exit"),
            ("I'm done", "exit"),
            ("I’m done, thanks everyone", "exit"),
            ("we are done with this discussion", "exit"),
            ("all done", "exit"),
            ("That settles it for me. Done.", "exit"),
            ("Let's go with option A. Done.", "exit"),
            ("Decision: ten euros.\ndone", "exit"),
            ("Decision: ten euros.\r\ndone.", "exit"),
            ("Decision: ten euros\nok, done", "exit"),
            ("Decision: ten euros. done", "exit"),
            ("The letter is sent on the first day of the month after this one.\nwrap up", "exit"),
            ("nothing more to add, done", "exit"),
            ("no, I'm done", "exit"),
            ("Nope, done", "exit"),
            ("nothing more, done", "exit"),
            ("Nice work, done", "exit"),
            ("exit", "exit"),
            ("Exit please", "exit"),
            ("I want to exit", "exit"),
            ("let's exit the discussion", "exit"),
            ("wrap up", "exit"),
            ("Let's wrap up", "exit"),
            ("let's wrap up our discussion of error handling", "exit"),
            ("Can we wrap up now?", "exit"),
            ("I think we should wrap up", "exit"),
            ("let's wrap this up", "exit"),
            ("Let's wrap up, I think we have enough", "exit"),
            ("back", "exit"),
            ("Back to the menu", "exit"),
            ("please go back", "exit"),
            ("\"done\"", "exit"),
            ("`exit`", "exit"),
            ("> are you still there?\n\ndone", "exit"),
            // not an exit: negated, put off, talked about
            ("I'm not done yet", "default"),
            ("I have done that", "default"),
            ("We've done that already", "default"),
            ("I did that, done that", "default"),
            ("we aren't done", "default"),
            ("don't exit", "default"),
            ("let's not wrap up", "default"),
            ("almost done", "default"),
            ("Before we wrap up, the retries", "default"),
            ("once we're done, the report is sent", "default"),
            ("let's go back to discussing the API", "default"),
            ("Let's go back to the sync journey", "default"),
            ("what exit code should it return?", "default"),
            ("Exit code 2 means refused", "default"),
            ("the back button loses the draft", "default"),
            ("How does the user exit the wizard?", "default"),
            ("Is the export done?", "default"),
            ("The migration is done by the nightly job", "default"),
            ("well done!", "default"),
            ("I'm back", "default"),
            ("roll back the transaction", "default"),
            ("wrap up the response in an envelope", "default"),
            ("the wrap-up email is late", "default"),
            ("the dialog says \"exit\" and nobody sees it", "default"),
            ("> done\n\nNo, the sync still worries me", "default"),
            ("The letters that the library sends are written, printed and\ndone", "default"),
            ("They say \"we stop. done\"", "default"),
            ("It prints `ok. done`", "default"),
            ("undone work blocks the backend", "default"),
            ("what is the definition of done?", "default"),
            ("We're done with error handling, what about caching?", "default"),
            // may be either
            ("are we done?", "unclear"),
            ("done?", "unclear"),
            ("Should we wrap up?", "unclear"),
            ("maybe we should wrap up", "unclear"),
            ("we're done with error handling", "unclear"),
            ("let's go back", "unclear"),
            ("Done. But what about retries?", "unclear"),
            ("that's done", "unclear"),
            ("Let's call it done", "unclear"),
            ("I might be done.", "unclear"),
            ("We may be done here", "unclear"),
            ("I think I could be done now", "unclear"),
            ("I might exit", "unclear"),
            ("done, exit and back are the keywords", "unclear"),
            // the last of a list, what a colon introduces, a line among others
            ("The toolbar shows three buttons: Save, Cancel, Done.", "default"),
            ("The item has three states: open, in progress, done.", "default"),
            ("Navigation is home, list, detail, back", "default"),
            ("First sync, then exit.", "default"),
            ("The label reads: Done", "default"),
            ("The progress bar shows 100 % (done)", "default"),
            ("1. Open\n2. Save\n3. Done", "default"),
            ("Offline mode\n\n### Back\nThe back button loses the draft.", "default"),
            ("- login: done\n- sync: open", "default"),
            // somebody goes on
            ("Done with that. Next: error handling", "unclear"),
            ("Done. Please continue with error handling.", "unclear"),
            ("I'm done, but please continue", "unclear"),
            ("Let's wrap up, but first the retries", "unclear"),
            ("should we continue or wrap up?", "unclear"),
            ("We're done, aren't we?", "unclear"),
            ("let's wrap up this topic", "unclear"),
            // what somebody does or has, some day
            ("I take it back", "default"),
            ("call me back", "default"),
            ("I need it back.", "default"),
            ("I want it done right", "default"),
            ("that can be done", "default"),
            ("The migration might be done by then", "default"),
            ("We might be done with the migration by Friday", "default"),
            ("it should all be done by the nightly job", "default"),
            ("I might be wrong", "default"),
            ("To wrap up: sync first, report later.", "default"),
            // an exit in more words
            ("done done", "exit"),
            ("exit elaboration mode", "exit"),
            ("let's wrap up the error handling discussion", "exit"),
            ("let's wrap the error handling discussion up", "exit"),
            ("Let's use SQLite and wrap up", "exit"),
            ("I must exit now", "exit"),
            // direct
            ("Alex, how does this affect scalability?", "Alex"),
            ("alex: thoughts on it", "Alex"),
            ("MAYA?", "Maya"),
            ("Jordan what breaks", "Jordan"),
            ("Jordan", "Jordan"),
            ("Thanks. Maya, who benefits?", "Maya"),
            ("I agree with Maya, though not with the rest", "Maya"),
            ("Maya, Alex, what about the sync?", "Maya+Alex"),
            ("Alex and Maya, what about the sync?", "Alex+Maya"),
            ("**Jordan**, the signature please", "Jordan"),
            ("Alex，这会影响性能吗？", "Alex"),
            ("Alex, what do you think?", "Alex"),
            ("Jordan Park, what breaks?", "Jordan"),
            // names that address nobody
            ("Jordan's earlier point about limits is good", "default"),
            ("On Jordan's earlier point about limits", "default"),
            ("as Alex said the cache is risky", "default"),
            ("Alexander, what do you see", "default"),
            ("Chen, what do you see", "default"),
            ("the architect, the designer and the analyst", "default"),
            ("a mayan calendar", "default"),
            ("> Alex, how?\n\nthe load is what worries me", "default"),
            ("Мая, что дальше", "default"),
            // group
            ("What do you all think about caching?", "group"),
            ("everyone: risks", "group"),
            ("I want to hear all of you", "group"),
            ("Team, next subject", "group"),
            ("what do you think about it", "group"),
            ("WHAT DO YOU THINK", "group"),
            // words that only contain a group word
            ("teamwork matters", "default"),
            ("the team's velocity", "default"),
            ("team_member is a column", "default"),
            ("write to team@example.org", "default"),
            ("docs/team.md is old", "default"),
            ("@team what now", "group"),
            ("Teams and Slack are both used", "default"),
            ("steam powers it", "default"),
            // neither
            ("What about error handling?", "default"),
            ("それで、同期はどうしますか", "default"),
            ("{{ 7*7 }}", "default"),
            ("...", "default"),
        ];
        assert!(cases.len() >= 80);
        let wrong: Vec<String> = cases
            .iter()
            .filter(|(text, wanted)| class(text, false) != *wanted)
            .map(|(text, wanted)| format!("{text:?}: wanted {wanted}, got {}", class(text, false)))
            .collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn what_is_said_beside_exit_words_is_content() {
        let cast = crate::item::library::Library::built_in().unwrap().cast;
        for (text, has_content) in [
            ("I'll ask legal by Friday. That's all, done.", true),
            ("Let's go with option A. Done.", true),
            ("Let's use SQLite and wrap up", true),
            ("The limit is 10 euros, thanks, done", true),
            ("done", false),
            ("Okay, I think we're done here.", false),
            ("nothing more to add, done", false),
            ("Thanks everyone, that's all. Done.", false),
            ("let's wrap up our talk about sync conflicts", false),
        ] {
            assert_eq!(address(text, &cast, false), Address::Exit { has_content }, "{text}");
        }
    }

    #[test]
    fn the_answer_to_the_question_settles_it() {
        for (text, wanted) in [
            ("yes", "exit"),
            ("Yes please.", "exit"),
            ("end it", "exit"),
            ("end the discussion", "exit"),
            ("Yes, please end the discussion.", "exit"),
            ("I want to end the discussion", "exit"),
            ("let's end", "exit"),
            ("No, we're done", "exit"),
            ("stop talking? no, keep going", "default"),
            ("done?", "exit"),
            ("are we done?", "exit"),
            ("no, let's continue", "default"),
            ("keep going", "default"),
            ("yes but what about retries", "default"),
            ("Alex, go on", "Alex"),
            ("No, I'm done with error handling only", "default"),
            ("Continue. We are done with error handling though", "default"),
            ("No, let's go back", "default"),
            ("Let's talk, please", "default"),
        ] {
            assert_eq!(class(text, true), wanted, "{text}");
        }
    }
}
