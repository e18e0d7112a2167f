use super::*;

fn at() -> Time {
    Time::parse("2026-02-20T14:30:00Z").unwrap()
}

fn first(phases: &[&str]) -> Record {
    let opened = Opened {
        format: FORMAT,
        item: "docs/requirements/late-fees".into(),
        item_name: "late fees".into(),
        user: "Sam".into(),
        phases_completed: phases.iter().map(|phase| (*phase).to_owned()).collect(),
        scope: Some("medium".into()),
        ..Opened::default()
    };
    Record { at: at(), event: Event::Opened(Box::new(opened)) }
}

/// The event that answers what is wanted, from these inputs; none at the end.
fn answer(analysis: &Analysis<'_>, inputs: &mut dyn Iterator<Item = Option<&'static str>>) -> Option<Event> {
    let heard = |input: Option<Option<&str>>| match input {
        Some(Some(text)) => analysis.hear("Sam", text),
        Some(None) => analysis.silence(),
        None => Event::Chosen { choice: Choice::Stop },
    };
    Some(match analysis.next().unwrap() {
        Next::Begin(beginning) => analysis.begun(beginning.step, beginning.depth, "base"),
        Next::Ask(_) | Next::Choose(_) => heard(inputs.next()),
        Next::Land(_) => Event::Landed(event::Landed { scope: Some("medium".into()), complexity: None }),
        Next::Discuss { .. } => Event::Elaborated { recording: "r".into() },
        Next::Stop(_) => return None,
    })
}

fn walked<'l>(library: &'l Library, phases: &[&str], inputs: &[Option<&'static str>]) -> Analysis<'l> {
    let mut analysis = Analysis::open(library, first(phases)).unwrap();
    let mut inputs = inputs.iter().copied();
    while let Some(event) = answer(&analysis, &mut inputs) {
        analysis.record(Record { at: at(), event }).unwrap();
    }
    analysis
}

const INPUTS: [Option<&str>; 19] = [
    Some("a"),
    None,
    Some("x"),
    Some("y"),
    Some("more words"),
    None,
    Some("E"),
    Some("behind it"),
    Some("C"),
    Some("b"),
    Some("deep"),
    Some("z"),
    Some("C"),
    Some("d"),
    Some("S"),
    Some("brief"),
    Some("fine"),
    Some("C"),
    Some("half"),
];

#[test]
fn the_state_is_a_fold_of_the_log_behind_any_event() {
    let library = Library::built_in().unwrap();
    let whole = walked(&library, &[], &INPUTS);
    assert!(whole.log().len() > 25, "{}", whole.log().len());
    let mut folded = Analysis::open(&library, whole.log()[0].clone()).unwrap();
    for (number, record) in whole.log().iter().enumerate().skip(1) {
        let mut again = Analysis::open(&library, whole.log()[0].clone()).unwrap();
        for record in &whole.log()[1..number] {
            again.record(record.clone()).unwrap();
        }
        assert_eq!(again.stage, folded.stage, "behind event {number}");
        assert_eq!(again.next().unwrap(), folded.next().unwrap());
        folded.record(record.clone()).unwrap();
    }
    assert_eq!((folded.stage, folded.steps), (whole.stage.clone(), whole.steps.clone()));
    assert_eq!(whole.steps, ["00-01", "00-02", "00-03", "01-01", "01-02"]);
}

#[test]
fn what_nobody_waits_for_is_refused_and_changes_nothing() {
    let library = Library::built_in().unwrap();
    let whole = walked(&library, &[], &INPUTS);
    let others = [
        Event::Landed(event::Landed::default()),
        Event::Elaborated { recording: "r".into() },
        Event::Feedback { by: "Sam".into(), text: "x".into() },
        Event::Waited {},
        whole.log()[0].event.clone(),
        whole.log()[1].event.clone(),
    ];
    let mut analysis = Analysis::open(&library, whole.log()[0].clone()).unwrap();
    for record in &whole.log()[1..] {
        for other in &others {
            let wanted = analysis.next().unwrap();
            let fits = matches!(
                (&wanted, other),
                (Next::Land(_), Event::Landed(_))
                    | (Next::Discuss { .. }, Event::Elaborated { .. })
                    | (Next::Choose(_), Event::Feedback { .. } | Event::Waited {})
                    | (Next::Begin(_), Event::Begun(_))
            );
            if !fits {
                let (stage, length) = (analysis.stage.clone(), analysis.log.len());
                assert!(
                    analysis.record(Record { at: at(), event: other.clone() }).is_err(),
                    "{wanted:?} {other:?}"
                );
                assert_eq!((&analysis.stage, analysis.log.len()), (&stage, length));
            }
        }
        analysis.record(record.clone()).unwrap();
    }
}

#[test]
fn answers_stay_when_the_depth_changes_and_a_step_that_is_not_finished_does_not_count() {
    let library = Library::built_in().unwrap();
    let mut analysis = Analysis::open(&library, first(&["00-quick-scan"])).unwrap();
    let mut inputs = [Some("one"), None, Some("deep"), Some("two")].into_iter();
    for _ in 0..5 {
        let event = answer(&analysis, &mut inputs).unwrap();
        analysis.record(Record { at: at(), event }).unwrap();
    }
    let talk = analysis.current().unwrap();
    let said: Vec<&str> =
        talk.answers.iter().filter_map(|one| one.said.as_ref()).map(|(_, text)| text.as_str()).collect();
    assert_eq!((said, talk.depth), (vec!["one", "two"], Depth::Deep));
    let ended = walked(&library, &["00-quick-scan"], &[Some("one"), Some("two")]);
    assert!(ended.progress().0.is_empty());
    assert_eq!(ended.next().unwrap(), Next::Stop(Stopped::OutOfAnswers));
}

#[test]
fn what_is_taken_back_leaves_the_state_of_before_and_stays_in_the_log() {
    let library = Library::built_in().unwrap();
    let mut analysis = Analysis::open(&library, first(&["00-quick-scan"])).unwrap();
    let record = |analysis: &mut Analysis<'_>, event| analysis.record(Record { at: at(), event });
    let begun = answer(&analysis, &mut [].into_iter()).unwrap();
    record(&mut analysis, begun).unwrap();
    assert_eq!(analysis.last_message(), None);
    assert!(record(&mut analysis, Event::TakenBack {}).is_err());
    let mut stages = vec![analysis.stage.clone()];
    for input in [Some("one"), None, Some("deep"), Some("two"), Some("three"), Some("four"), Some("five")] {
        let event = input.map_or_else(|| analysis.silence(), |text| analysis.hear("Sam", text));
        record(&mut analysis, event).unwrap();
        stages.push(analysis.stage.clone());
    }
    let length = analysis.log.len();
    stages.pop();
    for stage in stages.iter().rev() {
        assert!(analysis.last_message().is_some());
        record(&mut analysis, Event::TakenBack {}).unwrap();
        assert_eq!(&analysis.stage, stage);
    }
    assert_eq!((analysis.last_message(), analysis.log.len()), (None, length + stages.len()));
    // The first answer after them is the step's own.
    let event = analysis.hear("Sam", "one, again");
    record(&mut analysis, event).unwrap();
    let said = analysis.current().unwrap().answers.last().unwrap().said.clone();
    assert_eq!(said.unwrap().1, "one, again");
    assert_eq!(analysis.step_log("base", at()).len(), length + stages.len());
}

#[test]
fn what_has_landed_is_not_taken_back() {
    let library = Library::built_in().unwrap();
    let mut analysis = Analysis::open(&library, first(&["00-quick-scan"])).unwrap();
    let mut inputs = [Some("one"), Some("E"), Some("more")].into_iter();
    for _ in 0..4 {
        let event = answer(&analysis, &mut inputs).unwrap();
        analysis.record(Record { at: at(), event }).unwrap();
    }
    assert!(matches!(analysis.stage, Stage::Discussing(_)), "{:?}", analysis.stage);
    let take_back = |analysis: &mut Analysis<'_>| {
        analysis.record(Record { at: at(), event: Event::TakenBack {} }).is_ok()
    };
    assert!(!take_back(&mut analysis));
    for _ in 0..2 {
        let event = answer(&analysis, &mut inputs).unwrap();
        analysis.record(Record { at: at(), event }).unwrap();
    }
    assert_eq!(analysis.last_message(), Some("more"));
    assert!(take_back(&mut analysis) && !take_back(&mut analysis));
    assert!(analysis.current().unwrap().feedback.is_empty());
}

#[test]
fn a_phase_of_somebodys_own_has_a_name() {
    assert_eq!(
        (phase_name("02-impact-analysis"), phase_name("05-build-plan")),
        ("Impact Analysis".into(), "Build Plan".into())
    );
}
