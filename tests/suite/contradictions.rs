//! A statement held against the documents: a report over cases with and without a contradiction, with a floor.

use std::sync::Arc;

use roundtable::library::Library;
use roundtable::review::Rules;
use roundtable::session::hold;
use roundtable::step::Depth;
use roundtable::voice::REVIEWER;
use roundtable::voice::reviewer::Reviewer;

use crate::machine::{opened, time};

/// A line of the documents, and what the user says.
const CONTRADICTED: [(&str, &str); 36] = [
    ("Photos are kept for 30 days.", "We decided to keep photos for 90 days."),
    ("A reader may borrow 5 books at a time.", "Readers may borrow 8 books at a time."),
    (
        "The session ends after 15 minutes without input.",
        "Let's end the session after 30 minutes without input.",
    ),
    ("Letters are sent every 14 days.", "Letters will be sent every 7 days."),
    ("The sync retries 3 times.", "The sync retries 5 times."),
    ("Uploads are limited to 20 MB.", "Uploads are limited to 50 MB."),
    ("A refund takes at most 10 days.", "A refund takes at most 5 days."),
    ("Accounts of children are never blocked.", "Accounts of children are blocked after 3 reminders."),
    ("Old snapshots are deleted each night.", "Snapshots are never deleted."),
    ("Guests can book a seat.", "Guests cannot book a seat."),
    ("The driver must sign the receipt.", "The driver must not sign the receipt."),
    ("Drafts are shown to reviewers.", "Drafts are not shown to reviewers."),
    ("The fee is 2 euros for each day.", "The fee is 3 euros for each day."),
    ("A locker is held for 48 hours.", "A locker is held for 72 hours."),
    ("The pump stops after 4 alarms.", "The pump stops after 2 alarms."),
    ("Comments are published at once.", "Comments are not published at once."),
    ("The report is sent to the council.", "The report is not sent to the council."),
    ("Members may bring 2 guests.", "Members may bring 4 guests."),
    ("The token expires after 60 minutes.", "The token expires after 20 minutes."),
    ("Tickets can be returned.", "Tickets cannot be returned."),
    ("The cache holds 500 entries.", "The cache holds 2,000 entries."),
    ("A password has at least 8 characters.", "A password has at least 12 characters."),
    ("The archive is encrypted.", "The archive is not encrypted."),
    ("The queue keeps 1,000 messages.", "The queue keeps 5,000 messages."),
    ("Meters are read every 12 months.", "Meters are read every 6 months."),
    ("Names are printed on the badge.", "Names are never printed on the badge."),
    ("The backup runs every 24 hours.", "The backup runs every 4 hours."),
    ("Orders can be changed after payment.", "Orders cannot be changed after payment."),
    ("The alarm sounds for 30 seconds.", "The alarm sounds for 10 seconds."),
    ("The form is saved automatically.", "The form is never saved automatically."),
    ("A team has at most 9 players.", "A team has at most 11 players."),
    ("The invoice is due within 30 days.", "The invoice is due within 14 days."),
    ("An access token lives 24h.", "An access token lives 4 hours."),
    ("Support of the API takes a minimum of three years.", "Support of the API takes two years."),
    ("The list is truncated to 20 maximum options.", "The list has at most 10 options."),
    ("There is deliberately no textual fallback on responses.", "Decision: responses get a text fallback."),
];

/// The same without a contradiction: other things, other figures, the same figure.
const AGREED: [(&str, &str); 36] = [
    ("Photos are kept for 30 days.", "We decided to keep photos for 30 days."),
    ("A reader may borrow 5 books at a time.", "A reader may keep a book for 28 days."),
    (
        "The session ends after 15 minutes without input.",
        "A warning is shown after 10 minutes without input.",
    ),
    ("Letters are sent every 14 days.", "Letters go to the address in the account."),
    ("The sync retries 3 times.", "The export runs 5 times a day."),
    ("Uploads are limited to 20 MB.", "A folder holds 50 files."),
    ("A refund takes at most 10 days.", "A complaint takes at most 5 days."),
    ("Accounts of children are never blocked.", "Accounts of adults are blocked after 3 reminders."),
    ("Old snapshots are deleted each night.", "Temporary files are deleted each hour."),
    ("Guests can book a seat.", "Guests cannot open the gate."),
    ("The driver must sign the receipt.", "The driver must not leave the van open."),
    ("Drafts are shown to reviewers.", "Final versions are shown to everyone."),
    ("The fee is 2 euros for each day.", "The deposit is 20 euros."),
    ("A locker is held for 48 hours.", "A parcel is returned after 7 days."),
    ("The pump stops after 4 alarms.", "The nurse is called after 2 alarms."),
    ("Comments are published at once.", "Comments are ordered by date."),
    ("The report is sent to the council.", "The council answers within 3 weeks."),
    ("Members may bring 2 guests.", "Members pay 4 euros."),
    ("The token expires after 60 minutes.", "The page reloads after 20 minutes."),
    ("Tickets can be returned.", "Vouchers cannot be returned."),
    ("The cache holds 500 entries.", "The log holds 2,000 entries."),
    ("A password has at least 8 characters.", "A user name has at least 3 characters."),
    ("The archive is encrypted.", "The archive is kept in two places."),
    ("The queue keeps 1,000 messages.", "The queue keeps the order of the day."),
    ("Meters are read every 12 months.", "Meters are replaced every 6 years."),
    ("Names are printed on the badge.", "Photos are never printed on the badge."),
    ("The backup runs every 24 hours.", "The backup is tested every 4 weeks."),
    ("Orders can be changed after payment.", "Prices cannot be changed after payment."),
    ("The alarm sounds for 30 seconds.", "The light blinks for 10 seconds."),
    ("The form is saved automatically.", "The form is sent by hand."),
    ("A team has at most 9 players.", "A match has 2 referees."),
    ("The invoice is due within 30 days.", "I like the new invoice."),
    ("An access token lives 24h.", "An access token lives 1 day."),
    ("Support of the API takes a minimum of three years.", "Support of the API takes three people."),
    ("The list is truncated to 20 maximum options.", "The list has 20 options."),
    ("There is deliberately no textual fallback on responses.", "Responses have no text fallback."),
];

/// Whether the lead holds the line of the documents against the statement.
fn is_contradicted(library: &Library, rules: &Arc<Rules>, line: &str, said: &str) -> bool {
    let spec =
        format!("# Specification\n\n## Rules\n\nThe house has rules.\n\n{line}\n\nEverybody reads them.\n");
    let step = library.step("01-06").unwrap();
    let mut voice = Reviewer::new(
        [("spec.md", spec.as_str())].into_iter(),
        &step.outputs,
        Arc::clone(rules),
        Depth::Standard,
    );
    let mut talk =
        roundtable::discussion::Discussion::open(library, step, opened(library, "01-06", 20, REVIEWER))
            .unwrap();
    let mut script = roundtable::script::Script::read("s.txt", format!("{said}\ndone\n").as_bytes()).unwrap();
    hold(&mut talk, None, &mut voice, &mut script, &time, &mut |_| Ok(())).unwrap();
    let answer =
        talk.contributions().find(|one| one.turn > 4).map(|one| one.text.clone()).unwrap_or_default();
    answer.contains("says otherwise")
}

#[test]
fn statements_that_contradict_the_documents_are_told() {
    let library = Library::built_in().unwrap();
    let rules = Arc::new(Rules::built_in().unwrap());
    let told = |cases: &[(&'static str, &'static str)]| -> Vec<&'static str> {
        let is_told =
            |case: &&(&'static str, &'static str)| is_contradicted(&library, &rules, case.0, case.1);
        cases.iter().filter(is_told).map(|(_, said)| *said).collect()
    };
    let (right, wrong) = (told(&CONTRADICTED), told(&AGREED));
    let missed: Vec<&str> =
        CONTRADICTED.iter().map(|(_, said)| *said).filter(|said| !right.contains(said)).collect();
    let report = format!("{} of 36 told; missed {missed:?}; wrong {wrong:?}", right.len());
    assert!(right.len() >= 20 && wrong.len() <= 1, "{report}");
}
