//! An analysis whose steps have voices of their own, and its drafts: what each service is asked, what it costs, and
//! what comes of a service that fails.

use serde_json::{Value, json};

use crate::kit::{AT, BRANCH, ITEM, Run, Sandbox, sandbox};
use crate::live::{KEY, anthropic, openai, sensible, texts};
use crate::server::{Reply, Seen, Server};

const OTHER_KEY: &str = "sk-other-0815-GhIjKl";

/// Both steps of the quick scan that have a discussion here, each with a voice of its own.
const SETTINGS: &str = "voice: {default: secretary, 00-01: openai, 00-02: anthropic}\nmodel: {default: small, 00-02: large}\nprice: {00-01: '1,1,1', 00-02: '1000,1000,1000'}\n";
const ANSWERS: &str = "Photos of one day\nE\nAlex, what breaks first?\ndone\nC\nThe queue is called outbox\nE\nAlex, who names it?\ndone\nC\n";

/// A draft of one line that rests on the answer to the question.
const DRAFT: &str = r#"{"lines": [{"kind": "summary", "text": "Photos of one day", "rests": [{"path": "answers/1", "line": 1, "quote": "Photos of one day"}]}]}"#;

/// The command of an analysis that two services could answer.
fn analysis(sandbox: &Sandbox, more: &[&str], first: &Server, second: &Server) -> std::process::Command {
    let script = sandbox.script("answers.txt", ANSWERS);
    let args = ["analyze", "offline-mode", "--script", &script, "--at", AT, "--depth", "brief"];
    let mut command = sandbox.command(&[&args[..], more].concat());
    command.env("OPENAI_API_KEY", KEY).env("OPENAI_BASE_URL", first.url("/v1"));
    command.env("ANTHROPIC_API_KEY", OTHER_KEY).env("ANTHROPIC_BASE_URL", second.url(""));
    command
}

/// A service that drafts, and speaks in discussions.
fn service(wrap: fn(&Seen, &str) -> Reply) -> Server {
    let mut model = sensible();
    Server::start(move |seen| match drafts(seen) {
        true => wrap(seen, DRAFT),
        false => wrap(seen, &model(seen)),
    })
}

fn drafts(seen: &Seen) -> bool {
    texts(seen).concat().contains(" drafts step ")
}

/// The steps that a service was asked about, and whether it was asked for a draft of them.
fn asked(server: &Server) -> Vec<(String, bool)> {
    let step = |seen: &Seen| {
        let all = texts(seen).concat();
        let (_, step) = all.split_once("They work on step ").expect(&all);
        (step[..5].to_owned(), drafts(seen))
    };
    let mut found: Vec<_> = server.seen().iter().map(step).collect();
    found.dedup();
    found
}

#[test]
fn each_step_is_spoken_by_the_voice_that_the_settings_name_for_it() {
    let (first, second) = (service(openai), service(|_, text| anthropic(text)));
    let sandbox = sandbox();
    sandbox.commit(&[(".roundtable.yaml", SETTINGS)]);
    let run = Run::of(analysis(&sandbox, &["--json"], &first, &second).output().unwrap());
    let report = run.json();
    let both = |step: &str| [(step.to_owned(), true), (step.to_owned(), false)];
    assert_eq!((asked(&first), asked(&second)), (both("00-01").to_vec(), both("00-02").to_vec()));
    assert!(first.seen().iter().all(|seen| seen.json()["model"] == "small"));
    assert!(second.seen().iter().all(|seen| seen.json()["model"] == "large"));
    // No key goes to the other service.
    let holds = |server: &Server, key: &str| format!("{:?}", server.seen()).contains(key);
    assert!(holds(&first, KEY) && holds(&second, OTHER_KEY));
    assert!(!holds(&first, OTHER_KEY) && !holds(&second, KEY));
    // Recordings and logs of steps name their voices, and the prices are those of the step.
    let held = report["elaborations"].as_array().unwrap();
    let of = |key: &str| held.iter().map(|one| one[key].clone()).collect::<Vec<_>>();
    assert_eq!(of("voice"), ["openai", "anthropic"]);
    for (one, model) in held.iter().zip(["small", "large"]) {
        let recording = one["recording"].as_str().unwrap();
        let opened: Value =
            serde_json::from_str(sandbox.file(BRANCH, recording).lines().next().unwrap()).unwrap();
        assert_eq!((&opened["voice"], &opened["model"]), (&one["voice"], &json!(model)));
        let replayed = sandbox.run(&["replay", &format!("{BRANCH}:{recording}"), "--json"]).json();
        assert_eq!(replayed["reproduced"], true);
    }
    // Requests of one are not counted for another.
    let drafted = report["drafts"].as_array().unwrap();
    for (at, server) in [&first, &second].into_iter().enumerate() {
        let (of_draft, of_talk): (Vec<Seen>, Vec<Seen>) = server.seen().into_iter().partition(drafts);
        let counted = (&held[at]["usage"]["requests"], &drafted[at]["usage"]["requests"]);
        assert_eq!(counted, (&json!(of_talk.len()), &json!(of_draft.len())));
    }
    let seats: Vec<_> = drafted.iter().map(|one| (&one["step_id"], &one["voice"])).collect();
    assert_eq!(seats, [(&json!("00-01"), &json!("openai")), (&json!("00-02"), &json!("anthropic"))]);
    let cost = |one: &Value| one["usage"]["cost"].as_f64().unwrap();
    assert!(cost(&drafted[0]) < 0.01 && cost(&drafted[1]) > 0.5, "{drafted:?}");
    assert!(cost(&held[1]) > 100.0 * cost(&held[0]), "{held:?}");
    for (step, voice) in [("00-01", "openai"), ("00-02", "anthropic")] {
        let log = sandbox.file(BRANCH, &format!("{ITEM}/analysis/{step}-20260220T143000000Z.jsonl"));
        let begun: Value = serde_json::from_str(log.lines().next().unwrap()).unwrap();
        assert_eq!((&begun["kind"], &begun["voice"]), (&json!("begun"), &json!(voice)));
    }
    sandbox.run(&["replay", "--all", "--rev", BRANCH]).ok();
    sandbox.run(&["check", "--base", "main", "--head", BRANCH]).ok();
    // The same run again asks nobody.
    let requests = first.seen().len() + second.seen().len();
    let again = Run::of(analysis(&sandbox, &["--json"], &first, &second).output().unwrap()).json();
    assert_eq!((&again["commits"], first.seen().len() + second.seen().len()), (&report["commits"], requests));
}

#[test]
fn a_voice_that_a_later_step_lacks_is_said_before_anything_begins() {
    let (first, second) = (service(openai), service(|_, text| anthropic(text)));
    let cases: [(&str, &[&str], &str); 6] = [
        ("voice: {default: secretary, 03-architecture: nobody}", &[], "there is no voice \"nobody\""),
        ("voice: {default: secretary, 03-01: openai}", &[], "--voice openai needs a model"),
        (
            "price: {03-01: 'dear'}",
            &["--voice", "anthropic"],
            "`price` in the settings: \"dear\" is not a price",
        ),
        (
            SETTINGS,
            &["--model", "one"],
            "--model is for one voice, and the settings name anthropic and openai",
        ),
        (SETTINGS, &["--base-url", "http://127.0.0.1:9"], "--base-url is for one voice"),
        ("voice: secretary", &["--price", "1,1,1"], "--price needs a voice with a model"),
    ];
    for (settings, flags, wanted) in cases {
        let sandbox = sandbox();
        sandbox.commit(&[(".roundtable.yaml", settings)]);
        let run = Run::of(analysis(&sandbox, flags, &first, &second).output().unwrap());
        assert_eq!(run.code, 2, "{settings}: {}{}", run.stdout, run.stderr);
        assert!(run.stderr.contains(wanted), "{settings}: {}", run.stderr);
        assert!(sandbox.tip(BRANCH).is_none());
    }
    assert!(first.seen().is_empty() && second.seen().is_empty());
}

#[test]
fn a_flag_is_for_every_step_and_a_flag_for_a_model_for_those_that_have_one() {
    let (first, second) = (service(openai), service(|_, text| anthropic(text)));
    let sandbox = sandbox();
    sandbox.commit(&[(".roundtable.yaml", "voice: {00-02: anthropic}\nprice: '1,1,1'\n")]);
    // The settings' one model takes the flags; the secretary's steps need none.
    let flags = ["--model", "named", "--max-tokens-total", "100000", "--json"];
    let report = Run::of(analysis(&sandbox, &flags, &first, &second).output().unwrap()).json();
    let voices: Vec<&Value> =
        report["elaborations"].as_array().unwrap().iter().map(|one| &one["voice"]).collect();
    assert_eq!(voices, ["secretary", "anthropic"]);
    assert!(first.seen().is_empty() && second.seen().iter().all(|seen| seen.json()["model"] == "named"));
    // `--voice` overrides all of the settings.
    let sandbox = sandbox_with(SETTINGS);
    let flags = ["--voice", "openai", "--model", "one", "--base-url", &first.url("/v1"), "--json"];
    let before = second.seen().len();
    let report = Run::of(analysis(&sandbox, &flags, &first, &second).output().unwrap()).json();
    assert_eq!(report["elaborations"][1]["voice"], "openai");
    assert_eq!(second.seen().len(), before);
}

#[test]
fn doctor_looks_at_the_voices_of_all_steps() {
    let sandbox = sandbox_with("voice: {default: secretary, 03-01: anthropic}\n");
    let run = sandbox.run(&["doctor", "--offline"]);
    assert_eq!(run.code, 1, "{}", run.stdout);
    assert!(run.stdout.contains("fix  voice: ANTHROPIC_API_KEY is not set"), "{}", run.stdout);
    let mut command = sandbox.command(&["doctor", "--offline"]);
    let run = Run::of(command.env("ANTHROPIC_API_KEY", KEY).output().unwrap());
    assert!(run.stdout.contains("ok   voice: secretary, anthropic\n"), "{}", run.stdout);
}

fn sandbox_with(settings: &str) -> Sandbox {
    let sandbox = sandbox();
    sandbox.commit(&[(".roundtable.yaml", settings)]);
    sandbox
}

/// An analysis of one step by Anthropic's protocol, without a discussion.
fn drafted(server: &Server) -> (Sandbox, Run) {
    let sandbox = sandbox();
    let answers = "Photos of one day\nThe archive\nOne tablet\nThe queue\nC\n";
    let script = sandbox.script("answers.txt", answers);
    let args = ["analyze", "offline-mode", "--script", &script, "--at", AT, "--depth", "standard"];
    let url = server.url("");
    let mut command =
        sandbox.command(&[&args[..], &["--voice", "anthropic", "--price", "3,0.3,15"]].concat());
    command.env("ANTHROPIC_API_KEY", KEY).env("ANTHROPIC_BASE_URL", &url);
    let run = Run::of(command.output().unwrap());
    assert!(!run.stdout.contains(KEY) && !run.stderr.contains(KEY), "{}{}", run.stdout, run.stderr);
    (sandbox, run)
}

fn scan(sandbox: &Sandbox) -> String {
    sandbox.file(BRANCH, &format!("{ITEM}/quick-scan.md"))
}

#[test]
fn a_draft_over_anthropics_protocol_shows_what_it_took_and_survives_faults_that_pass() {
    let server = Server::start(|_| anthropic(DRAFT));
    let (sandbox, run) = drafted(&server);
    let run = run.ok();
    assert!(
        scan(&sandbox).contains("Drafted by anthropic, not confirmed:\n\n- Photos of one day (answer 1)")
    );
    // One request, with its tokens and what they cost.
    assert_eq!(server.seen().len(), 1);
    let body = server.seen()[0].json();
    assert_eq!(body["output_config"]["format"]["type"], "json_schema");
    let table = "turn  by                      input   cached   output     cost\n";
    assert!(run.stdout.contains(table), "{}", run.stdout);
    let row = run.stdout.lines().find(|line| line.contains("draft  ")).expect(&run.stdout);
    assert_eq!(row.split_whitespace().collect::<Vec<_>>(), ["draft", "960", "800", "50", "$0.0015"]);
    assert!(run.stdout.contains("1 request in all"), "{}", run.stdout);
    let tip = sandbox.tip(BRANCH);
    let again = || json!({"error": {"message": "try again"}});
    for fault in 0..4 {
        let mut count = 0;
        server.become_new(move |_| {
            count += 1;
            match (count, fault) {
                (1, 0) => Reply::status(500, &again()).with("retry-after", "0"),
                (1, 1) => Reply::status(529, &again()).with("retry-after", "0"),
                (1, 2) => Reply::CutOff(br#"{"content": [{"type": "text", "te"#.to_vec()),
                (1, _) => Reply::Reset,
                _ => anthropic(DRAFT),
            }
        });
        let (sandbox, run) = drafted(&server);
        run.ok();
        assert_eq!((server.seen().len(), sandbox.tip(BRANCH)), (2, tip), "fault {fault}");
    }
}

#[test]
fn a_draft_that_never_comes_keeps_the_answers_or_changes_nothing() {
    // Words without a draft in them: the step goes on without one.
    let half = &DRAFT[..DRAFT.len() / 2];
    for said in ["I cannot draft this.", half, "{\"lines\": 7}", "", "[]"] {
        let server = Server::start(move |_| anthropic(said));
        let (sandbox, run) = drafted(&server);
        let run = run.ok();
        assert!(run.stderr.contains("has drafted nothing of step 00-01"), "{said}: {}", run.stderr);
        let texts: Vec<String> = server.seen().iter().map(|seen| texts(seen).concat()).collect();
        assert_eq!(texts.len(), 2, "{said}: asked once more, and not again");
        assert!(texts[1].contains("Nothing of the last try could be taken"), "{said}");
        let scan = scan(&sandbox);
        assert!(scan.contains("Photos of one day") && !scan.contains("Drafted by"), "{said}: {scan}");
    }
    // A service that stays down: exit 2, and the branch is not there.
    for (status, tries) in [(401, 1), (500, 4)] {
        let error = json!({"error": {"message": format!("no: {KEY}")}});
        let server = Server::start(move |_| Reply::status(status, &error).with("retry-after", "0"));
        let (sandbox, run) = drafted(&server);
        assert_eq!(run.code, 2, "{}{}", run.stdout, run.stderr);
        assert!(run.stderr.contains(&status.to_string()), "{}", run.stderr);
        assert_eq!((server.seen().len(), sandbox.tip(BRANCH)), (tries, None));
    }
}
