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
const CONTRADICTED: [(&str, &str); 74] = [
    (
        "The system sends each patient a text message 24 hours before the visit.",
        "We decided to send the reminder 48 hours before the visit because a day is too short to fill the slot.",
    ),
    (
        "The host gets a list 2 days after the event.",
        "The organiser receives it 5 days after the event since the hall has to be cleaned.",
    ),
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
    ("Remove the endpoint `/status`.", "We keep the endpoint /status."),
    ("- Delete the old export job.", "We decided to keep the old export job."),
    (
        "The paper form is kept for members without a phone.",
        "Let's drop the paper form for members without a phone.",
    ),
    ("Anonymous comments are disabled.", "We'll enable anonymous comments."),
    ("Guests are not allowed to print.", "Guests are allowed to print."),
    ("The weekly newsletter will be removed.", "We keep the weekly newsletter."),
    (
        "We will drop support for printers with serial ports.",
        "We'll keep support for printers with serial ports.",
    ),
    ("The tutorial is hidden for returning visitors.", "The tutorial is shown for returning visitors."),
    ("Requests from outside the network are blocked.", "Requests from outside the network are allowed."),
    ("The invoice number must be entered manually.", "The invoice number is not entered manually."),
    ("The client must not retry the request.", "The client must retry the request."),
    ("ember-cli will not support daily builds as they make little sense.", "We will support daily builds."),
    ("The lift never stops between floors.", "The lift stops between floors."),
    ("The change must have two reviews from people of the team.", "One review is enough for a change."),
    ("A parcel holds up to 12 bottles.", "A parcel holds 18 bottles."),
    ("Each nurse looks after at most 6 patients.", "Each nurse looks after 8 patients."),
    ("The deposit is 50 euros.", "We decided to raise the deposit to 80 euros."),
    ("Uploads are limited to 20 MB.", "Let's raise the limit of uploads to 100 MB."),
    ("The warranty lasts two years.", "Agreed: the warranty lasts 1 year."),
    ("The board meets every 6 weeks.", "The board should meet every 2 weeks."),
    ("The heating starts below 18 degrees.", "The heating starts below 15 degrees."),
    ("| Session timeout | 15 minutes |", "The session timeout is 30 minutes."),
    ("**Password length**: at least 12 characters", "A password has a length of 8 characters."),
    ("- FR-003: A draft is deleted after 90 days.", "FR-003: a draft is deleted after 30 days."),
    ("Photos of children are not published.", "Photos of children are published."),
    ("Currently, we do NOT plan to translate the manual.", "We'll translate the manual."),
    ("The app works without an account.", "The app does not work without an account."),
    (
        "Members cannot change their plot during the season.",
        "Members can change their plot during the season.",
    ),
    ("The rules apply to all buildings.", "The rules do not apply to all buildings."),
    ("The report has no page numbers.", "The report has page numbers."),
    ("Orders over 500 euros need two signatures.", "Orders over 500 euros need one signature."),
    ("The gate opens automatically.", "The gate does not open automatically."),
    ("A ticket is valid for 90 minutes.", "A ticket is valid for 2 hours."),
    ("The minimum age is 16 years.", "The minimum age is 14 years."),
    ("The server sends at most 3 reminders.", "The server sends 5 reminders."),
    (
        "We keep the legacy importer until the end of the year.",
        "We remove the legacy importer until the end of the year.",
    ),
];

/// The same without a contradiction: other things, other figures, the same figure.
const AGREED: [(&str, &str); 82] = [
    ("Visitors can cancel by replying NO to the message.", "Visitors get the message in the morning."),
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
    ("Remove the endpoint `/status`.", "We keep the endpoint /metrics."),
    ("- Delete the old export job.", "We decided to keep the old import job."),
    (
        "The paper form is kept for members without a phone.",
        "Let's drop the web form for members without a phone.",
    ),
    ("Anonymous comments are disabled.", "We'll enable anonymous downloads."),
    ("Guests are not allowed to print.", "Guests are allowed to scan."),
    ("The weekly newsletter will be removed.", "We keep the monthly newsletter."),
    ("Old drafts are removed after 30 days.", "We keep published drafts."),
    ("The queue removes messages older than a week.", "We keep the queue for messages."),
    ("Requests from outside the network are blocked.", "Requests from inside the network are allowed."),
    ("Drafts that are not final are shown to reviewers.", "Drafts are shown to reviewers."),
    ("The client must not retry the request.", "The client must retry the upload."),
    ("Guests can book a seat without paying.", "Guests can book a seat."),
    ("The lift never stops between floors.", "The lift stops at each floor."),
    ("The change must have two reviews from people of the team.", "One person approves a release."),
    ("A parcel holds up to 12 bottles.", "A parcel holds 6 bottles."),
    ("Each nurse looks after at most 6 patients.", "Each nurse looks after 4 patients."),
    ("A password has at least 8 characters.", "A password has 12 characters."),
    ("The deposit is 50 euros.", "The late fee is 80 euros."),
    ("The warranty lasts two years.", "The contract lasts 1 year."),
    ("The board meets every 6 weeks.", "The committee meets every 2 weeks."),
    ("The banner is hidden after 10 seconds.", "The cache entry lives 60 seconds."),
    ("| Session timeout | 15 minutes |", "The lock timeout is 30 minutes."),
    ("- FR-003: A draft is deleted after 90 days.", "FR-004: a comment is deleted after 30 days."),
    ("Photos of children are not published.", "Photos of plots are published."),
    ("Names are shown next to photos.", "Photos are never shown to guests."),
    ("The app works without an account.", "The app works with an account."),
    (
        "Members cannot change their plot during the season.",
        "Members can change their plot after the season.",
    ),
    ("The report has no page numbers.", "The report has a cover page."),
    ("If the payment fails, the order is removed.", "We keep the order if the payment is late."),
    ("Orders over 500 euros need two signatures.", "Orders over 500 euros need one invoice."),
    ("The gate opens automatically.", "The gate does not close automatically."),
    ("A ticket is valid for 90 minutes.", "A day pass is valid for 24 hours."),
    ("The minimum age is 16 years.", "The minimum age of a helper's dog is 2 years."),
    ("The server sends at most 3 reminders.", "The server sends 2 reminders."),
    ("The list shows 20 entries on a page.", "The list shows 3 columns on a page."),
    ("Accounts are blocked after 5 failed logins.", "Accounts are not blocked when the password is right."),
    ("Not only members can book, but also guests.", "Members can book."),
    ("The driver can't see the price, only the address.", "The driver can see the address."),
    (
        "Payments are not refunded unless the course is cancelled.",
        "Payments are refunded when the course is cancelled.",
    ),
    ("Only admins can delete a room.", "Guests cannot delete a room."),
    ("A backup is kept for 30 days.", "A backup is kept for 30 days in two places."),
    ("The test takes 10 minutes and costs 5 euros.", "The test costs 5 euros."),
    ("Remove the batteries before shipping.", "We keep spare batteries in the warehouse."),
    ("Notes are hidden from parents.", "Notes are shown to teachers."),
    (
        "Members that should not have a key of the shed are asked to return the key.",
        "Members have a key of the shed.",
    ),
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
    ["you say", "says the opposite", "leaves this out"].iter().any(|told| answer.contains(told))
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
    let report =
        format!("{} of {} told; missed {missed:#?}; wrong {wrong:#?}", right.len(), CONTRADICTED.len());
    assert!(right.len() >= 64 && wrong.is_empty(), "{report}");
}
