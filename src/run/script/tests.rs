use super::*;

fn texts(name: &str, text: &str) -> Vec<String> {
    let script = Script::read(name, text.as_bytes()).unwrap();
    script.inputs().map(|input| input.map_or("-".to_owned(), |input| input.text.clone())).collect()
}

fn refused(name: &str, text: &str) -> String {
    Script::read(name, text.as_bytes()).unwrap_err().to_string()
}

#[test]
fn a_text_has_one_input_a_line_and_a_blank_line_is_silence() {
    assert_eq!(texts("s.txt", "one\r\n\n  two \n"), ["one", "-", "two"]);
    assert_eq!(texts("-", "just words\n"), ["just words"]);
    assert_eq!(texts("s.txt", "\u{feff}one"), ["one"]);
}

#[test]
fn yaml_and_json_name_who_and_when() {
    let yaml =
        "user: Sam\ninputs:\n  - one\n  - null\n  - {text: \"two\", by: Kim, at: 2026-02-20T14:30:00Z}\n";
    let script = Script::read("s.yaml", yaml.as_bytes()).unwrap();
    assert_eq!(script.user.as_deref(), Some("Sam"));
    let last = script.inputs().last().flatten().cloned().unwrap();
    assert_eq!(
        (last.by.as_deref(), last.at.unwrap().to_string().as_str()),
        (Some("Kim"), "2026-02-20T14:30:00.000Z")
    );
    assert_eq!(texts("-", yaml), ["one", "-", "two"]);
    assert_eq!(texts("s.json", "{\"inputs\": [\"one\", null, {\"text\": \"two\"}]}"), ["one", "-", "two"]);
}

#[test]
fn answers_are_taken_by_step_and_the_list_in_order() {
    let yaml = "inputs: [one, C]\nanswers:\n  \"00-02\": [x, null]\n";
    let mut script = Script::for_analysis("s.yaml", yaml.as_bytes()).unwrap();
    let said = |taken: Taken| match taken {
        Taken::Said(input) => input.text,
        other => format!("{other:?}"),
    };
    let at = |is_menu| if is_menu { AskedAt::Menu } else { AskedAt::Question(1) };
    let mut take = |step, is_menu| said(script.take(step, at(is_menu)));
    assert_eq!([take("00-01", false), take("00-02", false), take("00-02", false)], ["one", "x", "Silence"]);
    assert_eq!([take("00-02", false), take("00-02", true), take("00-02", true)], ["Silence", "C", "Through"]);
    assert_eq!(take("00-03", false), "End");
    assert!(Script::for_analysis("s.yaml", b"answers: {\"00-01\": [x]}\n").is_ok());
    assert!(refused("s.yaml", "answers: {\"00-01\": [x]}\n").contains("no `inputs`"));
    let error = Script::for_analysis("s.yaml", b"answers: {\"1-1\": [x]}\n").unwrap_err().to_string();
    assert!(error.contains("which is not a step"), "{error}");
}

#[test]
fn what_github_prints_is_a_script() {
    let view = r#"{"title": "T", "body": "B\r\nC", "comments": [{"id": "x", "author": {"login": "sam"}, "body": "hi", "createdAt": "2026-02-20T14:30:00Z"}, {"body": ""}]}"#;
    assert_eq!(texts("s.json", view), ["hi"]);
    let script = Script::read("s.json", view.as_bytes()).unwrap();
    let source = script.source.unwrap();
    assert_eq!((source.title.as_str(), source.body.as_str(), script.notes.len()), ("T", "B\nC", 0));
    // Nobody has commented on it yet.
    assert!(Script::read("s.json", br#"{"title": "T", "body": "", "comments": []}"#).is_ok());
    assert!(refused("s.json", r#"{"title": "", "comments": []}"#).contains("`inputs` are empty"));
    let rest = r#"[{"id": 1, "user": {"login": "sam"}, "body": "hi", "created_at": "2026-02-20T14:30:00Z"}]"#;
    let script = Script::read("-", rest.as_bytes()).unwrap();
    assert_eq!(script.inputs().next().flatten().unwrap().by.as_deref(), Some("sam"));
}

#[test]
fn what_is_removed_is_said_and_nothing_is_cut() {
    let script = Script::read("s.txt", "a\u{202e}b\n".as_bytes()).unwrap();
    assert_eq!(script.notes, ["input 1: 1 invisible characters were removed"]);
    let long = format!("a\n{}\n", "x".repeat(2_100_000));
    assert!(
        refused("s.txt", &long).contains("input 2 has 2100000 characters, and a message at most 2097152")
    );
}

#[test]
fn credentials_are_masked_and_named_by_their_kind_only() {
    let token = format!("{}{}", "glpat-", "a1B2c3D4e5F6g7H8i9J0k");
    let key = format!("-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----", "aB3".repeat(20));
    let text = format!("one\n{key}\nuse {token} and {token}\ndone\n");
    let script = Script::read("s.txt", text.as_bytes()).unwrap();
    let said: Vec<&str> = script.inputs().flatten().map(|input| input.text.as_str()).collect();
    let masked = "use [masked: GitLab token] and [masked: GitLab token]";
    assert_eq!(said, ["one", "[masked: private key]", masked, "done"]);
    assert_eq!(script.warnings.len(), 2);
    assert!(script.warnings[1].starts_with("message 3 holds 2 GitLab tokens, masked"));
    let yaml = format!("inputs: [one, \"{token} {token}\"]\n");
    let script = Script::read("s.yaml", yaml.as_bytes()).unwrap();
    assert!(script.warnings[0].starts_with("message 2 holds 2 GitLab tokens, masked"));
    let input = Input { text: key, by: None, at: None, comment: None };
    let script = Script::of(None, vec![None, Some(input)]);
    assert_eq!(script.inputs().flatten().next().unwrap().text, "[masked: private key]");
    assert!(script.warnings[0].starts_with("message 2 holds a private key, masked"));
}

#[test]
fn scripts_that_cannot_be_used_are_refused_with_their_place() {
    assert!(refused("s.txt", "").contains("empty"));
    assert!(refused("s.yaml", "\n").contains("empty"));
    assert!(refused("s.yaml", "inputs: []\n").contains("`inputs` are empty"));
    assert!(refused("s.txt", "a\n\0").contains("binary"));
    for name in ["s.md", "s", "s.docx", "a.txt/s", ".txt.bak"] {
        assert!(refused(name, "a").contains("ends in .txt, .yaml or .json"), "{name}");
    }
    assert!(Script::read("S.TXT", b"a").is_ok() && Script::read("s.yml", b"inputs: [a]").is_ok());
    for bytes in [&b"\xff\xfea\0b\0"[..], b"\xfe\xff\0a\0b", b"a\0b\0", b"\0a\0b"] {
        assert!(Script::read("s.txt", bytes).unwrap_err().message.contains("UTF-16"));
    }
    assert!(Script::read("s.txt", b"a\xff").unwrap_err().message.contains("UTF-8"));
    insta::assert_snapshot!(refused("s.yaml", "user: Sam\nimputs:\n  - one\n"), @r#"
    s.yaml:2:1: unknown key "imputs"; did you mean "inputs"?
     2 | imputs:
       | ^^^^^^
       = help: the keys are user, inputs, answers, depth
    "#);
    assert!(refused("s.yaml", "inputs:\n  - {text: a, bye: b}\n").contains("unknown key \"bye\""));
    assert!(refused("s.yaml", "inputs:\n  - 42\n").contains("expected a text in quotes"));
    assert!(refused("s.yaml", "inputs:\n  - {text: a, at: yesterday}\n").contains("s.yaml:2:"));
    assert!(refused("s.json", "{\"inputs\": [1]}").contains("expected a text"));
    assert!(refused("s.json", "{").contains("not valid JSON"));
}
