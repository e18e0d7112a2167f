//! What settles the statement before it, or the one that it ends: "That's settled", "…, the board agreed to that".
//! Whoever says so decides by it; what was decided stands before.

use super::decisions::with_reason;
use super::rulings::{Ruling, is_only_leads, without_leads};
use super::words::{is_number, lists, words};
use crate::plain::capital;

/// What closes a matter by itself, whatever is added: "that's settled from my side".
const CLOSES: [&str; 22] = [
    "case closed",
    "decided",
    "done deal",
    "end of discussion",
    "end of story",
    "everybody agrees",
    "everyone agrees",
    "full stop",
    "no discussion",
    "no need to discuss",
    "no need to talk",
    "nobody objects",
    "nothing more to discuss",
    "so we decided",
    "so be it",
    "that closes the point",
    "that's decided",
    "that's final",
    "that's how we do it",
    "that's settled",
    "that's that",
    "we agreed on that",
];
/// What may follow there: whose word it is, and since when.
const ADDED: &str = concat!(
    "about|all|already|and|any|anymore|as|at|day|for|friday|from|further|here|in|it|last|longer|me|meeting|monday|my|now|of|",
    "on|our|part|saturday|side|so|sunday|that|the|then|this|thursday|today|tuesday|us|wednesday|week|yesterday",
);
/// What somebody does who has a say in it.
const SETTLES: [&str; 17] = [
    " accepted ",
    " agreed on ",
    " agreed to ",
    " agreed with ",
    " agrees to ",
    " approved ",
    " decided ",
    " is fine with ",
    " is happy with ",
    " is ok with ",
    " is okay with ",
    " was fine with ",
    " was ok with ",
    " were fine with ",
    " settled ",
    " signed off on ",
    " signed off ",
];
/// How a clause opens that says it of what stood before.
const CLAUSES: [&str; 17] = [
    ", so we do that",
    ", so we'll do that",
    ", we agreed on that",
    ", that's decided",
    ", that is decided",
    ", that's settled",
    ", that is settled",
    ", that's clear",
    ", that is clear",
    ", that's final",
    ", that is final",
    ", and that's final",
    ", and that is final",
    ", and that's that",
    ", full stop",
    ", end of discussion",
    ", end of story",
];
/// How a clause ends that tells who agrees to what stands behind its colon.
const CONSENTS: [&str; 8] = [
    "'s fine with it",
    "'s happy with it",
    "'s ok with it",
    "'s okay with it",
    " agreed",
    " agrees",
    " is fine with it",
    " signed it off",
];
/// What makes of it no word of anybody.
const DENIES: &str = "hardly|has|have|if|is|never|no|nobody|nor|not|unless|until|whether|who|would";

/// What a statement says before it closes with "so we do that" or with who settled it.
pub(super) fn closed(statement: &str) -> Option<Ruling> {
    let lower = statement.to_ascii_lowercase();
    if let Some(at) = CLAUSES.iter().find_map(|end| lower.find(end)) {
        let (rest, _) = without_leads(&lower[..at]);
        return Some(with_reason(&statement[at - rest.len()..at]));
    }
    // "Talked to the mayor, she's fine with it: the boats stay."
    let is_somebody = |who: &str| {
        let (who, _) = without_leads(who);
        words(who).len() > 1
            && !["all ", "i ", "i've ", "we ", "we've "].iter().any(|own| who.starts_with(own))
    };
    if let Some((who, what)) = lower.split_once(": ")
        && CONSENTS.iter().any(|sign| who.ends_with(sign))
        && is_somebody(who)
        && words(what).len() > 3
    {
        let why = &statement[..who.len()];
        return Some((with_reason(&statement[lower.len() - what.len()..]).0, Some(why.trim().to_owned())));
    }
    let (before, clause) = lower.rsplit_once(", ")?;
    let clause = clause.strip_prefix("and ").unwrap_or(clause);
    let bare = clause.trim_end_matches(['.', '!', ' ']);
    let said_yes = [" said yes", " said ok", " said okay"].iter().any(|yes| bare.ends_with(yes));
    let denied = words(clause).iter().any(|word| lists(DENIES, &word.text) && word.text != "has");
    if words(before).len() < 4 || !(said_yes && !denied || is_settled_by_somebody(clause)) {
        return None;
    }
    let (rest, _) = without_leads(before);
    let why = &statement[statement.len() - clause.len()..];
    let (what, _) = with_reason(&statement[before.len() - rest.len()..before.len()]);
    Some((what, Some(why.trim_end_matches(['.', '!', ' ']).to_owned())))
}

/// Whether a statement closes what stood before it: "That's decided.", "The treasurer has agreed to that."
pub(super) fn closes(statement: &str) -> bool {
    let lower = statement.to_ascii_lowercase().replace("that is ", "that's ");
    let (rest, _) = without_leads(&lower);
    let rest = rest.trim_end_matches(['.', '!', ' ']);
    // Somebody who has to be asked has been asked.
    let approved = [" said yes", " has approved it", " approved it"].iter().any(|end| rest.ends_with(end))
        && !rest.contains(", ");
    let behind = CLOSES.iter().find_map(|words| rest.strip_prefix(words));
    let only_added = |rest: &str| {
        let found = words(rest);
        let denies = found.iter().any(|word| lists(DENIES, &word.text));
        let whose = [" with ", " from the "].iter().any(|with| rest.starts_with(with));
        let added = found.iter().all(|word| lists(ADDED, &word.text));
        !rest.starts_with(char::is_alphanumeric) && (whose && found.len() <= TAIL && !denies || added)
    };
    // What leads in elsewhere closes here: "Settled with the harbour office."
    let with_whom =
        ["settled with ", "agreed with ", "cleared with "].iter().any(|begins| lower.starts_with(begins))
            && words(&lower).len() <= TAIL
            && !words(&lower).iter().any(|word| lists(DENIES, &word.text));
    approved || with_whom || behind.is_some_and(only_added) || is_settled_by_somebody(rest)
}

/// "The board settled that on Tuesday", "Kim has agreed to that as well": who has a say in it has said so.
fn is_settled_by_somebody(clause: &str) -> bool {
    let clause = clause.trim_end_matches(['.', '!', ' ']);
    let padded = format!(" {clause} ").replace(" has ", " ").replace(" have ", " ");
    let settles = SETTLES.iter().filter_map(|verb| padded.split_once(verb));
    settles.into_iter().any(|(who, what)| {
        let (who, what) = (words(who), words(what));
        let of_before = what.first().is_some_and(|word| matches!(word.text.as_ref(), "that" | "it" | "this"));
        let added = what.len() <= TAIL && !what.iter().any(|word| lists(DENIES, &word.text));
        let somebody = (1..=4).contains(&who.len()) && !who.iter().any(|word| lists(DENIES, &word.text));
        somebody && of_before && added
    })
}

/// Words behind "that" that say when and where somebody settled it.
const TAIL: usize = 6;

/// "So six.", "…, sixty it is": a figure that follows from what was said, with that as its reason.
pub(super) fn figures_out(statement: &str, before: Option<&str>) -> Option<Ruling> {
    let bare = statement.trim_end_matches(['.', '!', ' ']);
    let lower = bare.to_ascii_lowercase();
    let is_figure = |text: &str| {
        let found = words(text);
        (1..=3).contains(&found.len()) && found.iter().any(|word| is_number(&word.text))
    };
    if let Some(figure) = lower.strip_prefix("so ").filter(|figure| is_figure(figure)) {
        let why = before.map(|before| before.trim_end_matches(['.', '!', ' ']).to_owned());
        return Some((capital(&bare[bare.len() - figure.len()..]), why));
    }
    let (said, clause) = lower.rsplit_once(", ")?;
    let figure = clause.strip_suffix(" it is").map(|figure| figure.strip_prefix("so ").unwrap_or(figure))?;
    let from = lower.len() - " it is".len() - figure.len();
    // "Refused photos: ninety here, sixty there. …, sixty it is" is of the photos.
    let of = before.and_then(|before| before.split_once(": ")).map(|(of, _)| of);
    let what = &bare[from..from + figure.len()];
    let what =
        of.filter(|of| words(of).len() < 6).map_or_else(|| capital(what), |of| format!("{of}: {what}"));
    (is_figure(figure) && !is_only_leads(said)).then(|| (what, Some(bare[..said.len()].to_owned())))
}

/// A statement behind the words that everybody agrees to it: "nobody objects, so make it five".
pub(super) fn behind_consent(statement: &str) -> &str {
    let rest = led(statement);
    let signs = [
        "nobody objects",
        "no objections",
        "no objection",
        "everybody agrees",
        "everyone agrees",
        "we all agree",
    ];
    let lower = rest.to_ascii_lowercase();
    let behind = signs.iter().find_map(|sign| lower.strip_prefix(sign));
    match behind.and_then(|behind| behind.strip_prefix(", ").or_else(|| behind.strip_prefix(": "))) {
        Some(behind) => {
            let behind = behind.strip_prefix("so ").unwrap_or(behind);
            &rest[rest.len() - behind.len()..]
        }
        None => statement,
    }
}

/// A statement, in its own letters, behind the words that lead in to it.
fn led(statement: &str) -> &str {
    let lower = statement.to_ascii_lowercase();
    let (rest, _) = without_leads(&lower);
    &statement[statement.len() - rest.len()..]
}

/// Whether a statement turns something down or affirms it, so that the next one says what holds: "That won't do.",
/// "They have to."
pub(super) fn turns_down(statement: &str) -> bool {
    let lower = statement.to_ascii_lowercase().replace('’', "'");
    let (rest, _) = without_leads(&lower);
    let signs = [
        "forget it",
        "forget that",
        "not good enough",
        "that is not on",
        "that will not do",
        "that won't do",
        "that's no good",
        "that's not on",
    ];
    let affirms =
        ["it has to", "it must", "that has to be so", "they have to", "they must", "we have to", "we must"];
    let only = rest.trim_end_matches(['.', '!', ' ']);
    signs.iter().any(|sign| rest.starts_with(sign)) || affirms.contains(&only)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_closes_a_matter_is_of_the_statement_before() {
        for yes in [
            "That's settled from my side.",
            "That is final.",
            "No need to discuss that any further.",
            "The committee settled that on Monday.",
            "Kim has agreed to that as well.",
            "Nobody objects.",
            "Settled with the harbour office yesterday.",
        ] {
            assert!(closes(yes), "{yes}");
        }
        for no in [
            "That's settled only if the roof holds.",
            "Nobody has agreed to that.",
            "The committee settled the bill.",
            "No discussion has been held.",
            "Whether the board settled that is unclear.",
        ] {
            assert!(!closes(no), "{no}");
        }
    }

    #[test]
    fn who_settled_it_is_its_reason() {
        let (what, why) =
            closed("Boats from abroad pay the same, the board settled that on Friday.").unwrap();
        assert_eq!(
            (what.as_str(), why.as_deref()),
            ("Boats from abroad pay the same", Some("the board settled that on Friday"))
        );
        assert_eq!(closed("The crew left early, the board settled the bill."), None);
        let (what, why) =
            closed("Talked to the pilot and she's fine with it: two lines stay slack.").unwrap();
        assert_eq!(what, "Two lines stay slack");
        assert_eq!(why.as_deref(), Some("Talked to the pilot and she's fine with it"));
    }

    #[test]
    fn a_figure_follows_from_what_was_said() {
        let so = |text: &str, before: Option<&str>| figures_out(text, before).map(|(what, _)| what);
        assert_eq!(so("So nine.", Some("He can promise nine")).as_deref(), Some("Nine"));
        assert_eq!(so("I asked the pilot, nine it is.", None).as_deref(), Some("Nine"));
        assert_eq!(
            so("I asked the pilot, nine it is.", Some("Mooring lines: nine here, ten there.")).as_deref(),
            Some("Mooring lines: nine")
        );
        assert_eq!(so("So nine boats left the harbour at once.", None), None);
        assert_eq!(behind_consent("OK, nobody objects, so make it nine."), "make it nine.");
    }
}
