//! Words that say nearly the same, as far as a document is searched by them: who asks "who rings round at night?"
//! is answered by a line on whom "the manager phones in the evening". Everyday words; what a trade calls its things
//! stands in its own documents.

use std::collections::HashMap;
use std::sync::LazyLock;

use foldhash::fast::RandomState;

use super::root::root;

/// Groups of words, one a line. Of a word in two groups the first counts.
const GROUPS: &str = "\
    down outage unavailable unreachable fail failure crash offline broken break reached
    encrypt cipher tls plaintext
    delete erase remove purge evict discard wipe
    approve accept confirm refuse consent permission
    notify message alert inform alarm notice reminder announce
    pay fee price cost charge money budget invoice
    password login credential
    log audit trail record history
    retry repeat resend twice duplicate again attempt
    slow fast quick speed performance latency
    owner responsible owned
    backup restore recover recovery
    lock block reserve booking
    verify validate check inspect
    risk lose danger harm hazard
    replay stamp nonce
    conflict clash merge overwrite differently
    sick ill illness sickness absence absent
    phone ring telephone
    night evening
    staff employee crew worker colleague personnel
    customer client guest visitor shopper
    child children pupil student kid
    parent mother father
    family household
    teacher tutor trainer
    van car truck lorry vehicle
    picture image photo photograph
    delay late overdue
    begin start launch opening
    expire expiry lapse
    capacity fit fits room space size full
    weight weigh heavy kg
    heat hot warm temperature degree degrees
    voltage volt v
    cold freeze frost cool
    flood water humidity wet damp
    damage tear crack defect fault flaw
    repair mend maintenance fix
    clean wash
    buy purchase procure
    sell sale sold
    rent lease hire
    measure measurement reading meter sensor gauge
    choose select option alternative
    swap exchange replace substitute
    cancel cancellation withdraw revoke
    refund reimburse repay
    lend loan borrow
    submit submission
    print printed printer
    sign signature signed
    send deliver delivery ship dispatch transmit
    fetch pull download retrieve
    store save retain retention archive
    route journey trip transport travel
    location site address
    meeting session appointment
    plan schedule timetable rota calendar
    vacation holiday
    complaint complain grievance
    problem trouble issue
    mistake error bug
    safe safety secure security
    rule policy law regulation
    contract agreement
    insurance insure insurer
    manager supervisor boss
    translate translation translator language
    meal lunch dinner food
    bread loaf loaves
    light lamp brightness
    noise loud sound
    door gate entrance
    private privacy personal confidential
    battery power electricity energy
    grow increase raise rise
    shrink decrease lower reduce
    training train course lesson
    vote ballot poll
    donate donation gift sponsor
    deaf blind wheelchair disabled accessible accessibility
    emergency urgent
    volunteer helper
    neighbour resident tenant
    weather storm wind
    exact precise accurate accuracy
    export import
    website web browser
    app application
    tablet device mobile
    email mail letter post
    queue backlog
    review feedback
    guarantee warranty
    rubbish waste garbage
    thief theft stolen steal
    fire smoke
    medicine drug medication
    allergy allergies allergic
    deposit advance prepay
    visible hidden
    convert conversion format
    salary wage
    proof evidence";

/// The roots that are near to a root, itself among them; none where nothing is.
pub(crate) fn near_to(one: &str) -> &'static [String] {
    static FOUND: LazyLock<Vec<Vec<String>>> =
        LazyLock::new(|| GROUPS.lines().map(|group| group.split_whitespace().map(root).collect()).collect());
    static PLACES: LazyLock<HashMap<&str, usize, RandomState>> = LazyLock::new(|| {
        let mut places = HashMap::default();
        for (at, group) in FOUND.iter().enumerate() {
            for word in group {
                places.entry(word.as_str()).or_insert(at);
            }
        }
        places
    });
    PLACES.get(one).and_then(|at| FOUND.get(*at)).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_near_to_those_of_its_group_in_any_form() {
        assert!(near_to(&root("phones")).contains(&root("rings")));
        assert!(near_to(&root("evenings")).contains(&root("night")));
        assert!(near_to("harbour").is_empty());
    }
}
