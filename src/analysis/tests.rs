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
fn a_phase_of_somebodys_own_has_a_name() {
    assert_eq!(
        (phase_name("02-impact-analysis"), phase_name("05-build-plan")),
        ("Impact Analysis".into(), "Build Plan".into())
    );
}
