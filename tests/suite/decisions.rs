//! What a message decides, on messages marked by hand (`tests/marked/decisions.yaml`): whatever is
//! decided is found, and nothing else is.

use roundtable::discussion::decisions::decisions_in;
use roundtable::discussion::event::{Class, Event, Message, Record, Time};
use roundtable::discussion::extract::decided_by;

#[derive(serde::Deserialize)]
struct Marked {
    text: String,
    before: Option<String>,
    decides: Vec<String>,
}

fn marked() -> Vec<Marked> {
    serde_yaml::from_str(include_str!("../marked/decisions.yaml")).unwrap()
}

fn found(one: &Marked) -> Vec<String> {
    let asked = |text: &String| Record {
        at: Time::parse("2026-02-20T14:30:00Z").unwrap(),
        event: Event::User(Message {
            turn: Some(4),
            by: "user".to_owned(),
            text: text.clone(),
            class: Class::Default,
            to: Vec::new(),
        }),
    };
    let before: Vec<Record> = one.before.iter().map(asked).collect();
    decided_by(&one.text, &before).into_iter().map(|(what, _)| what).collect()
}

#[test]
fn every_marked_decision_is_found_and_nothing_else() {
    let all = marked();
    let (deciding, others): (Vec<&Marked>, Vec<&Marked>) =
        all.iter().partition(|one| !one.decides.is_empty());
    assert!(deciding.len() >= 25 && others.len() >= 25, "{} and {}", deciding.len(), others.len());
    let lost: Vec<String> = deciding
        .iter()
        .filter(|one| {
            let found = found(one).join("\n").to_lowercase();
            !one.decides.iter().all(|words| found.contains(&words.to_lowercase()))
        })
        .map(|one| format!("lost: {} {:?}", one.text, found(one)))
        .collect();
    let invented: Vec<String> = others
        .iter()
        .filter(|one| !found(one).is_empty())
        .map(|one| format!("invented: {} {:?}", one.text, found(one)))
        .collect();
    assert!(lost.is_empty() && invented.is_empty(), "{}\n{}", lost.join("\n"), invented.join("\n"));
}

#[test]
fn what_a_persona_proposes_decides_nothing() {
    for one in marked().iter().filter(|one| one.text.starts_with("Let")) {
        assert!(decisions_in(&one.text, false).is_empty(), "{}", one.text);
    }
}
