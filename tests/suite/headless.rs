//! Presets: `--voice claude`, `codex`, `gemini` with a stand-in of each program on the PATH, and `ollama` with a server
//! in its place. The stand-ins take the arguments that the programs take, and answer in their forms.

use serde_json::{Value, json};

use crate::kit::{AT, BRANCH, Run, Sandbox, sandbox};
use crate::live::{KEY, answer, openai, sensible};
use crate::server::{Reply, Seen, Server};

const TALK: &str = "Alex, what happens when two tablets change one answer?\nWe decided to keep both answers, because a lost answer costs a day.\ndone\n";

/// A folder for the PATH with a stand-in: it keeps its arguments, its folder's files and what it reads, and prints what
/// the body makes of a pass in `$answer`.
#[cfg(unix)]
fn stand_in(sandbox: &Sandbox, name: &str, body: &str) -> String {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = sandbox.outside("bin");
    std::fs::create_dir_all(&folder).unwrap();
    let kept = sandbox.outside("kept");
    std::fs::create_dir_all(&kept).unwrap();
    let kept = kept.display();
    let text = format!(
        "#!/bin/sh\nprintf '%s\\n' \"$@\" > {kept}/arguments\ncat >> {kept}/prompts\nls -a > {kept}/files\npwd > {kept}/folder\nenv > {kept}/env\nanswer='{{\\\"pass\\\": true}}'\n{body}\n"
    );
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    format!("{}:/usr/bin:/bin", folder.display())
}

#[cfg(unix)]
fn kept(sandbox: &Sandbox, name: &str) -> String {
    std::fs::read_to_string(sandbox.outside("kept").join(name)).unwrap()
}

fn with_path(sandbox: &Sandbox, path: &str, more: &[&str]) -> Run {
    let mut command = sandbox.elaborate_command(TALK, &[&["--at", AT], more].concat());
    command.env("PATH", path).env("GITHUB_TOKEN", "ghs_withheld_token");
    Run::of(command.output().unwrap())
}

const CLAUDE: &str = r#"printf '{"type":"result","subtype":"success","is_error":false,"result":"%s","usage":{"input_tokens":4000,"cache_creation_input_tokens":0,"cache_read_input_tokens":12000,"output_tokens":9},"modelUsage":{"big":{"contextWindow":200000}}}' "$answer""#;
const CODEX: &str = r#"echo '{"type":"thread.started","thread_id":"1"}'
printf '{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"%s"}}\n' "$answer"
echo '{"type":"turn.completed","usage":{"input_tokens":16000,"cached_input_tokens":12000,"output_tokens":9}}'"#;
const GEMINI: &str = r#"printf '{"session_id":"1","response":"%s","stats":{"models":{"pro":{"tokens":{"prompt":16000,"candidates":9,"cached":12000,"thoughts":0}}}}}' "$answer""#;

#[test]
#[cfg(unix)]
fn a_stand_in_of_each_program_holds_a_discussion_to_its_end() {
    for (name, body, flags) in [
        ("claude", CLAUDE, &["--print", "--tools", "--safe-mode", "--no-session-persistence"][..]),
        ("codex", CODEX, &["exec", "--ephemeral", "read-only", "features.shell_tool=false", "-"]),
        ("gemini", GEMINI, &["--admin-policy", "no-tools.toml", "--extensions", "none"]),
    ] {
        let sandbox = sandbox();
        let path = stand_in(&sandbox, name, body);
        let report = with_path(&sandbox, &path, &["--voice", name, "--model", "big", "--json"]).json();
        assert_eq!((&report["voice"], &report["model"]), (&json!(name), &json!("big")));
        let usage = &report["usage"];
        let requests = usage["requests"].as_u64().unwrap();
        assert_eq!(usage["input_tokens"], 16_000 * requests, "{name}");
        assert_eq!(usage["cached_input_tokens"], 12_000 * requests, "{name}");
        let arguments = kept(&sandbox, "arguments");
        let arguments: Vec<&str> = arguments.lines().collect();
        for flag in flags {
            assert!(arguments.contains(flag), "{name} {flag}: {arguments:?}");
        }
        assert!(arguments.windows(2).any(|pair| pair == ["--model", "big"]), "{arguments:?}");
        // The prompt is text, the folder is none of the repository's, and tokens of a job stay here.
        let prompts = kept(&sandbox, "prompts");
        assert!(prompts.contains("Sync should be fast.") && !prompts.starts_with('{'), "{prompts}");
        let files = kept(&sandbox, "files");
        let expected = if name == "gemini" { ".\n..\nno-tools.toml\n" } else { ".\n..\n" };
        assert_eq!(files, expected);
        assert!(!std::path::Path::new(kept(&sandbox, "folder").trim()).exists(), "it is left behind");
        assert!(!kept(&sandbox, "env").contains("ghs_withheld_token"));
        sandbox.run(&["replay", "--all", "--rev", BRANCH]).ok();
    }
}

#[test]
#[cfg(unix)]
fn claude_is_given_no_tools_as_an_empty_list() {
    let sandbox = sandbox();
    let path = stand_in(&sandbox, "claude", CLAUDE);
    with_path(&sandbox, &path, &["--voice", "claude"]).ok();
    let arguments = kept(&sandbox, "arguments");
    assert!(arguments.contains("\n--tools\n\n--strict-mcp-config\n"), "{arguments}");
    assert!(!arguments.contains("--model"), "{arguments}");
}

#[test]
#[cfg(unix)]
fn a_program_that_is_missing_or_fails_says_what_to_do() {
    for (name, others) in [("claude", "codex, gemini, ollama"), ("codex", "claude, gemini, ollama")] {
        let run = with_path(&sandbox(), "/usr/bin:/bin", &["--voice", name]);
        assert_eq!(run.code, 2);
        for words in [&format!("there is no program {name} on the PATH"), "npm install -g", "log", others] {
            assert!(run.stderr.contains(words), "{words}: {}", run.stderr);
        }
    }
    let logged_out = r#"echo '{"type":"result","is_error":true,"result":"Not logged in"}'; exit 1"#;
    for (name, body, wanted) in [
        ("claude", logged_out, &["Not logged in", "run `claude` once and log in"][..]),
        (
            "codex",
            r#"echo '{"type":"turn.failed","error":{"message":"No quota"}}'; exit 1"#,
            &["No quota", "codex login"],
        ),
        ("gemini", "echo 'Invalid auth method' >&2; exit 41", &["Invalid auth method", "41"]),
        ("claude", "echo hello", &["has no answer"]),
        ("gemini", r#"echo '{"error": {"message": "No quota"}}'"#, &["No quota"]),
    ] {
        let sandbox = sandbox();
        let path = stand_in(&sandbox, name, body);
        let run = with_path(&sandbox, &path, &["--voice", name]);
        assert_eq!(run.code, 2, "{name}");
        for words in wanted {
            assert!(run.stderr.contains(words), "{words}: {}", run.stderr);
        }
        assert_eq!(sandbox.tip(BRANCH), None);
    }
}

#[test]
fn an_unknown_voice_names_the_presets() {
    let run = sandbox().elaborate(TALK, &["--voice", "claud"]);
    assert_eq!(run.code, 2);
    for words in ["did you mean", "claude, codex, gemini", "ollama", "recorded:FILE", "command:PROG"] {
        assert!(run.stderr.contains(words), "{words}: {}", run.stderr);
    }
}

/// An Ollama server with a model of this context, that answers like a sensible model and counts the prompt so.
fn ollama(context: u64, count: impl Fn(&Seen) -> u64 + Send + 'static) -> Server {
    let mut model = sensible();
    Server::start(move |seen| match seen.path.as_str() {
        "/api/generate" if seen.json()["model"] != "small" => {
            Reply::status(404, &json!({"error": "model 'other' not found"}))
        }
        "/api/generate" => Reply::json(&json!({"model": "small", "done": true})),
        "/api/ps" => Reply::json(&json!({"models": [{"name": "small:latest", "context_length": context}]})),
        _ => {
            let tokens = count(seen);
            Reply::json(&json!({
                "choices": [{"message": {"content": model(seen)}, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": tokens, "completion_tokens": 20},
            }))
        }
    })
}

fn with_ollama(sandbox: &Sandbox, server: &Server, model: &str, more: &[&str]) -> Run {
    let url = server.url("");
    let voice = ["--voice", "ollama", "--model", model, "--base-url", &url, "--at", AT];
    sandbox.elaborate(TALK, &[&voice[..], more].concat())
}

#[test]
fn ollama_is_asked_what_its_context_is_before_it_is_asked_anything() {
    let (sandbox, server) = (sandbox(), ollama(32_768, |seen| seen.body.len() as u64 / 4));
    let report = with_ollama(&sandbox, &server, "small", &["--json"]).json();
    assert_eq!((&report["voice"], &report["model"]), (&json!("ollama"), &json!("small")));
    // Its server does not say what it read from a cache.
    assert_eq!(report["usage"]["cached_input_tokens"], Value::Null);
    let paths: Vec<String> = server.seen().into_iter().map(|seen| seen.path).collect();
    assert_eq!(paths[..3], ["/api/generate", "/api/ps", "/v1/chat/completions"]);
    assert!(paths[3..].iter().all(|path| path == "/v1/chat/completions"), "{paths:?}");
    sandbox.run(&["replay", "--all", "--rev", BRANCH]).ok();
}

#[test]
fn a_context_that_is_too_small_is_named_with_its_remedy() {
    // It cannot hold the prompt at all, or the count says that it was cut.
    for (context, sent) in [(512, 0), (4096, 1)] {
        let (sandbox, server) = (sandbox(), ollama(context, move |_| context));
        let run = with_ollama(&sandbox, &server, "small", &[]);
        assert_eq!(run.code, 2, "{}", run.stdout);
        for words in [format!("a context of {context}"), "OLLAMA_CONTEXT_LENGTH=".to_owned()] {
            assert!(run.stderr.contains(&words), "{words}: {}", run.stderr);
        }
        let chats = server.seen().iter().filter(|seen| seen.path == "/v1/chat/completions").count();
        assert_eq!(chats, sent);
        assert_eq!(sandbox.tip(BRANCH), None);
    }
}

#[test]
fn ollama_without_server_or_model_says_what_to_do() {
    let run = sandbox().elaborate(TALK, &["--voice", "ollama"]);
    assert!(run.code == 2 && run.stderr.contains("`ollama list`"), "{}", run.stderr);
    let server = ollama(32_768, |_| 1000);
    let run = with_ollama(&sandbox(), &server, "other", &[]);
    assert!(run.code == 2 && run.stderr.contains("ollama pull other"), "{}", run.stderr);
    let url = server.url("");
    drop(server);
    let voice = ["--voice", "ollama", "--model", "small", "--base-url", &url, "--timeout", "5"];
    let run = sandbox().elaborate(TALK, &voice);
    assert!(run.code == 2 && run.stderr.contains("ollama serve"), "{}", run.stderr);
}

/// `doctor` with a voice of OpenAI's protocol at a server.
fn doctor(server: &Server, more: &[&str]) -> Run {
    let (sandbox, url) = (sandbox(), server.url("/v1"));
    let voice = ["doctor", "--voice", "openai", "--model", "small", "--base-url", &url];
    let mut command = sandbox.command(&[&voice[..], more].concat());
    Run::of(command.env("OPENAI_API_KEY", KEY).output().unwrap())
}

#[test]
fn the_doctor_asks_a_voice_one_question_and_tells_time_context_and_price() {
    let server = Server::start(|seen| match seen.path.as_str() {
        "/v1/models" => Reply::json(&json!({"data": [{"id": "small", "max_model_len": 40_960}]})),
        _ => openai(seen, "{\"text\": \"Here.\"}"),
    });
    let run = doctor(&server, &["--price", "3,0.3,15"]).ok();
    let line = run.stdout.lines().find(|line| line.contains("voice: ")).unwrap();
    for words in ["openai (small) answered in ", " s, ", "50 out", "context 40960", "$0.00"] {
        assert!(line.contains(words), "{words}: {line}");
    }
    let paths: Vec<String> = server.seen().into_iter().map(|seen| seen.path).collect();
    assert_eq!(paths, ["/v1/chat/completions", "/v1/models"]);
    let asked = doctor(&server, &["--json"]).json()["asked"].clone();
    assert_eq!((&asked["context"], &asked["output_tokens"]), (&json!(40_960), &json!(50)));
    assert_eq!(asked["cost"], Value::Null);
    let refused = Server::start(|_| Reply::status(401, &json!({"error": {"message": "no such key"}})));
    let run = doctor(&refused, &[]);
    assert_eq!(run.code, 1);
    assert!(run.stdout.contains("set OPENAI_API_KEY to a key that is valid there"), "{}", run.stdout);
    let chatty = Server::start(|seen| openai(seen, "I am here, and glad to help."));
    let run = doctor(&chatty, &[]).ok();
    assert!(run.stdout.contains("it is not the JSON that was asked for"), "{}", run.stdout);
    let silent = Server::start(|seen| openai(seen, " "));
    let run = doctor(&silent, &[]);
    assert!(run.code == 1 && run.stdout.contains("without a word"), "{}", run.stdout);
}

#[test]
#[cfg(unix)]
fn the_doctor_asks_a_program_too() {
    let sandbox = sandbox();
    let path = stand_in(&sandbox, "claude", CLAUDE);
    let told = |path: &str| {
        let mut command = sandbox.command(&["doctor", "--voice", "claude"]);
        Run::of(command.env("PATH", path).output().unwrap()).stdout
    };
    assert!(told(&path).contains("claude answered in "), "{}", told(&path));
    assert!(told(&path).contains("context 200000; no price is set"), "{}", told(&path));
    let missing = told("/usr/bin:/bin");
    assert!(
        missing.contains("fix  voice: the voice claude cannot speak: there is no program claude"),
        "{missing}"
    );
    assert!(missing.contains("npm install -g @anthropic-ai/claude-code"), "{missing}");
    assert!(sandbox.run(&["doctor", "--voice", "secretary"]).ok().stdout.contains("secretary asks no model"));
}

fn with_server(sandbox: &Sandbox, server: &Server, more: &[&str]) -> Run {
    let url = server.url("/v1");
    let voice = ["--voice", "openai", "--model", "small", "--base-url", &url, "--at", AT];
    let mut command = sandbox.elaborate_command(TALK, &[&voice[..], more].concat());
    Run::of(command.env("OPENAI_API_KEY", KEY).output().unwrap())
}

#[test]
fn a_server_that_cuts_prompts_silently_is_found_by_its_count() {
    let mut model = sensible();
    let server = Server::start(move |seen| {
        Reply::json(&json!({
            "choices": [{"message": {"content": model(seen)}}],
            "usage": {"prompt_tokens": (seen.body.len() / 4).min(1_000), "completion_tokens": 20},
        }))
    });
    let sandbox = sandbox();
    let run = with_server(&sandbox, &server, &[]);
    assert_eq!(run.code, 2, "{}", run.stdout);
    for words in ["it has read a part of it only", "--ctx-size", "evidence: {max_chars:"] {
        assert!(run.stderr.contains(words), "{words}: {}", run.stderr);
    }
    assert_eq!((server.seen().len(), sandbox.tip(BRANCH)), (1, None));
}

/// The answer limits that a server was sent.
fn limits(server: &Server) -> Vec<u64> {
    server.seen().iter().map(|seen| seen.json()["max_tokens"].as_u64().unwrap()).collect()
}

#[test]
fn an_answer_has_room_for_reasoning_unless_the_server_or_the_budget_has_none() {
    let serving = || {
        let mut model = sensible();
        Server::start(move |seen| openai(seen, &model(seen)))
    };
    let server = serving();
    with_server(&sandbox(), &server, &[]).ok();
    assert!(limits(&server).iter().all(|limit| *limit > 16_384), "{:?}", limits(&server));
    let server = serving();
    with_server(&sandbox(), &server, &["--max-answer-tokens", "3000"]).ok();
    assert!(limits(&server).iter().all(|limit| *limit == 3_000), "{:?}", limits(&server));
    let server = serving();
    with_server(&sandbox(), &server, &["--max-tokens-total", "900000"]).ok();
    assert!(limits(&server).iter().all(|limit| *limit < 16_384), "{:?}", limits(&server));
    let mut model = sensible();
    let small = Server::start(move |seen| match seen.json()["max_tokens"].as_u64() {
        Some(tokens) if tokens > 16_384 => Reply::status(
            400,
            &json!({"error": {"message": "max_tokens is too large: the maximum is 16384"}}),
        ),
        _ => openai(seen, &model(seen)),
    });
    with_server(&sandbox(), &small, &[]).ok();
    let refused = limits(&small).iter().filter(|limit| **limit > 16_384).count();
    assert_eq!(refused, 1, "{:?}", limits(&small));
}

#[test]
fn an_answer_of_reasoning_alone_says_how_to_give_it_more() {
    let server = Server::start(|_| {
        Reply::json(
            &json!({"choices": [{"message": {"content": "", "reasoning_content": "hm"}, "finish_reason": "length"}]}),
        )
    });
    let run = with_server(&sandbox(), &server, &["--max-answer-tokens", "3000"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("--max-answer-tokens 6000"), "{}", run.stderr);
}

#[test]
fn usage_is_told_by_request_and_what_nobody_says_is_unknown() {
    let mut model = sensible();
    let server = Server::start(move |seen| {
        Reply::json(&json!({
            "choices": [{"message": {"content": model(seen)}}],
            "usage": {"prompt_tokens": seen.body.len() / 4, "completion_tokens": 20},
        }))
    });
    let report = with_server(&sandbox(), &server, &["--json"]).json();
    let usage = &report["usage"];
    assert_eq!(usage["cached_input_tokens"], Value::Null);
    let rows = usage["turns"].as_array().unwrap();
    assert_eq!(rows.len() as u64, usage["requests"].as_u64().unwrap());
    assert!(
        rows.iter().all(|row| row["cached_input_tokens"].is_null() && row["input_tokens"].as_u64() > Some(0))
    );
    let told = with_server(&sandbox(), &server, &[]).ok().stdout;
    assert!(told.contains(" ?       20"), "{told}");
    drop(server);
    let mut next = 0;
    let counted = Server::start(move |seen| {
        openai(
            seen,
            &answer(seen, &mut |_| {
                next += 1;
                json!({"pass": false, "text": crate::live::LINES[(next - 1) % 24]})
            }),
        )
    });
    let report = with_server(&sandbox(), &counted, &["--json"]).json();
    assert_eq!(report["usage"]["cached_input_tokens"], 800 * report["usage"]["requests"].as_u64().unwrap());
}
