//! The person at the keyboard: whole discussions on a terminal that script(1) makes.

#![cfg(target_os = "linux")]

use std::io::{Read as _, Write as _};

use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::kit::{AT, BRANCH, ITEM, Sandbox, sandbox};

const PROGRAM: &str = env!("CARGO_BIN_EXE_roundtable");
const PROMPT: &str = "Sam> ";

/// A terminal with a program on it.
struct Terminal {
    child: Child,
    keys: Option<ChildStdin>,
    printed: Receiver<Vec<u8>>,
    /// All that was printed, and how much of it was looked at.
    seen: Vec<u8>,
    at: usize,
}

impl Terminal {
    fn start(sandbox: &Sandbox, command: &str) -> Terminal {
        let mut script = Command::new("script");
        script.args(["--quiet", "--return", "--echo", "never", "--command", command, "/dev/null"]);
        script.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", sandbox.outside("home"));
        script.env("SHELL", "/bin/sh").env("TERM", "xterm").env("NO_COLOR", "1");
        for (name, value) in [("NAME", "Sam"), ("EMAIL", "sam@example.org")] {
            script.env(format!("GIT_AUTHOR_{name}"), value).env(format!("GIT_COMMITTER_{name}"), value);
        }
        script.current_dir(sandbox.root()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = script.spawn().expect("the tests need script(1)");
        let (send, printed) = channel();
        let mut from = child.stdout.take().unwrap();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = from.read(&mut bytes) {
                if send.send(bytes[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        let keys = child.stdin.take();
        Terminal { child, keys, printed, seen: Vec::new(), at: 0 }
    }

    fn elaborate(sandbox: &Sandbox, more: &str) -> Terminal {
        let command = format!("{PROGRAM} elaborate offline-mode --step 01-03 --at {AT} {more}");
        Terminal::start(sandbox, &command)
    }

    /// Waits until something is printed after what was looked at before.
    fn wait_for(&mut self, text: &str) -> &mut Terminal {
        let until = Instant::now() + Duration::from_secs(20);
        loop {
            let new = String::from_utf8_lossy(&self.seen[self.at..]).into_owned();
            if let Some(found) = new.find(text) {
                self.at += found + text.len();
                return self;
            }
            let left = until.saturating_duration_since(Instant::now());
            match self.printed.recv_timeout(left) {
                Ok(bytes) => self.seen.extend(bytes),
                Err(_) => panic!("{text:?} is not printed: {}", self.all()),
            }
        }
    }

    fn press(&mut self, keys: impl AsRef<[u8]>) -> &mut Terminal {
        let to = self.keys.as_mut().unwrap();
        to.write_all(keys.as_ref()).unwrap();
        to.flush().unwrap();
        self
    }

    /// Types a line at the next prompt.
    fn say(&mut self, line: &str) -> &mut Terminal {
        self.wait_for(PROMPT).press(format!("{line}\r"))
    }

    fn all(&self) -> String {
        String::from_utf8_lossy(&self.seen).into_owned()
    }

    /// The end: the exit code, and all that was printed.
    fn end(mut self) -> (i32, String) {
        while let Ok(bytes) = self.printed.recv_timeout(Duration::from_secs(20)) {
            self.seen.extend(bytes);
        }
        drop(self.keys.take());
        (self.child.wait().unwrap().code().unwrap_or(-1), self.all())
    }
}

/// What the user said, in the only recording.
fn heard(sandbox: &Sandbox) -> Vec<(String, String)> {
    let is_users = |event: &Value| event["kind"] == "user" || event["kind"] == "unheard";
    let text = |event: &Value, key: &str| event[key].as_str().unwrap().to_owned();
    sandbox
        .events()
        .iter()
        .filter(|event| is_users(event))
        .map(|event| (text(event, "kind"), text(event, "text")))
        .collect()
}

fn user(text: &str) -> (String, String) {
    ("user".to_owned(), text.to_owned())
}

#[test]
fn a_discussion_is_held_line_by_line() {
    let sandbox = sandbox();
    let mut terminal = Terminal::elaborate(&sandbox, "");
    terminal.wait_for("Maya Chen (Business Analyst):").wait_for("turn 3 of 60]");
    terminal.say("/help").wait_for("/status ");
    terminal.say("Maya, who is hurt when sync fails?").wait_for("Maya Chen");
    terminal.say("/status").wait_for("Turn 5 of 60; Maya leads step 01-03");
    terminal.say("/bogus").wait_for("There is no /bogus");
    terminal.say("/decide the phone").wait_for("There is no /decide");
    terminal.say("Decision: the phone keeps 500 photos");
    terminal.say("/done");
    let (code, all) = terminal.end();
    assert_eq!(code, 0, "{all}");
    assert!(all.contains("Committed ") && all.contains("the phone keeps 500 photos"), "{all}");
    let said = ["Maya, who is hurt when sync fails?", "Decision: the phone keeps 500 photos", "done"];
    assert_eq!(heard(&sandbox), said.map(user));
    let events = sandbox.events();
    assert_eq!((&events[0]["user"], &events[0]["max_turns"]), (&json!("Sam"), &json!(60)));
    sandbox.run(&["replay", "--all", "--rev", BRANCH]).ok();
}

#[test]
fn ctrl_c_keeps_the_log_and_resume_goes_on() {
    let sandbox = sandbox();
    for (messages, resume) in [(0, ""), (1, "--resume"), (2, "--resume")] {
        let mut terminal = Terminal::elaborate(&sandbox, resume);
        for number in 1..messages {
            terminal.wait_for(&format!("message number {number}"));
        }
        if messages > 0 {
            terminal.wait_for("of 60]");
            terminal.say(&format!("This is message number {messages}."));
        }
        terminal.wait_for("of 60]").wait_for(PROMPT).press("half a line\u{3}");
        let (code, all) = terminal.end();
        assert_eq!(code, 2, "{all}");
        assert!(all.contains("--resume continues it"), "{all}");
    }
    let mut terminal = Terminal::elaborate(&sandbox, "--resume");
    terminal.wait_for("message number 2").say("/done");
    let (code, all) = terminal.end();
    assert_eq!(code, 0, "{all}");
    assert_eq!(heard(&sandbox), ["This is message number 1.", "This is message number 2.", "done"].map(user));
    sandbox.run(&["replay", "--all", "--rev", BRANCH]).ok();
}

#[test]
fn a_paste_is_one_message_and_ctrl_d_ends_by_silence() {
    let sandbox = sandbox();
    let mut terminal = Terminal::elaborate(&sandbox, "");
    let lines: Vec<String> = (1..=200).map(|number| format!("Rule {number} of the depot.")).collect();
    terminal.wait_for(PROMPT).press(format!("\u{1b}[200~{}\u{1b}[201~\r", lines.join("\r")));
    terminal.wait_for("turn 5 of 60]").wait_for(PROMPT).press("\u{4}");
    let (code, all) = terminal.end();
    assert_eq!(code, 0, "{all}");
    assert_eq!(heard(&sandbox), [user(&lines.join("\n"))]);
    assert_eq!(sandbox.events().last().unwrap()["exit"], "inactivity");
}

#[test]
fn other_bytes_and_other_widths_are_no_trouble() {
    let sandbox = sandbox();
    let mut terminal = Terminal::elaborate(&sandbox, "");
    terminal.wait_for(PROMPT).press(b"caf\xe9\r");
    let (code, all) = terminal.end();
    assert_eq!(code, 2, "{all}");
    assert!(all.contains("not UTF-8") && all.contains("--resume"), "{all}");
    let command = format!(
        "stty rows 24 cols 60; (sleep 1; stty cols 100 < /dev/tty) & {PROGRAM} elaborate offline-mode --step 01-03 --at {AT} --resume"
    );
    let mut terminal = Terminal::start(&sandbox, &command);
    terminal
        .wait_for(PROMPT)
        .press("Grüße, 全角 and more words than the line is wide, so that it goes on below");
    std::thread::sleep(Duration::from_millis(1300));
    terminal.press(", ok?\r");
    terminal.say("/done");
    let (code, all) = terminal.end();
    assert_eq!(code, 0, "{all}");
    let first = all.lines().find(|line| line.starts_with("Maya Chen")).unwrap();
    assert!(first.trim_end().chars().count() <= 60, "{all}");
    assert_eq!(
        heard(&sandbox)[0],
        user("Grüße, 全角 and more words than the line is wide, so that it goes on below, ok?")
    );
}

#[test]
fn nobody_is_asked_where_there_is_no_terminal() {
    let sandbox = sandbox();
    for args in [
        &["elaborate", "offline-mode", "--step", "01-03"][..],
        &["analyze", "offline-mode"],
        &["elaborate", "offline-mode", "--step", "01-03", "--json"],
    ] {
        let run = sandbox.run(args);
        assert_eq!(run.code, 2, "{}{}", run.stdout, run.stderr);
        assert!(run.stderr.contains("--script or --issue"), "{}", run.stderr);
    }
    assert_eq!(sandbox.refs().len(), 1);
}

#[test]
fn a_discussion_inside_an_analysis_says_how_far_it_is() {
    let sandbox = sandbox();
    let mut terminal = Terminal::start(&sandbox, &format!("{PROGRAM} analyze offline-mode --at {AT}"));
    for number in 1..=4 {
        terminal.wait_for(&format!("{number}. ")).wait_for("> ").press("\r");
    }
    terminal.wait_for("[E]").wait_for("> ").press("E\r");
    let mut type_at = |after: &str, line: &str| {
        terminal.wait_for(after).wait_for("> ").press(format!("{line}\r"));
    };
    type_at("turn 3 of 60]", "/help");
    type_at("/status ", "Decision: the phone keeps 500 photos");
    type_at("turn 5 of 60]", "/status");
    type_at("- the phone keeps 500 photos", "/bogus");
    type_at("There is no /bogus", "/done");
    type_at("[C] Continue", "\u{4}");
    let (code, all) = terminal.end();
    assert_eq!(code, 0, "{all}");
    assert!(all.contains("Turn 5 of 60; ") && all.contains("Committed "), "{all}");
    let decided = user("Decision: the phone keeps 500 photos");
    assert_eq!(heard(&sandbox), [decided, user("done")]);
    sandbox.run(&["replay", "--all", "--rev", BRANCH]).ok();
    sandbox.run(&["check", "--base", "main", "--head", BRANCH]).ok();
}

#[test]
fn ctrl_c_in_a_discussion_inside_an_analysis_keeps_it_and_both_go_on() {
    let sandbox = sandbox();
    let analyze = |more: &str| Terminal::start(&sandbox, &format!("{PROGRAM} analyze offline-mode {more}"));
    let at = format!("--at {AT}");
    let mut terminal = analyze(&at);
    for number in 1..=4 {
        terminal.wait_for(&format!("{number}. ")).wait_for("> ").press("\r");
    }
    terminal.wait_for("[E]").wait_for("> ").press("E\r");
    let mut type_at = |after: &str, line: &str| {
        terminal.wait_for(after).wait_for("> ").press(line);
    };
    type_at("turn 3 of 60]", "Decision: the phone keeps 500 photos\r");
    type_at("turn 5 of 60]", "half a line\u{3}");
    let (code, all) = terminal.end();
    assert_eq!(code, 2, "{all}");
    let all = all.split_whitespace().collect::<Vec<_>>().join(" ");
    for told in [
        "stopped by Ctrl-C; nothing of the discussion was committed",
        "roundtable elaborate offline-mode --step 00-01 --resume goes on with it",
        "the same command continues after it",
    ] {
        assert!(all.contains(told), "{told}: {all}");
    }
    // The step is committed, and the discussion is not.
    let stopped = sandbox.tip(BRANCH).unwrap();
    assert_eq!(sandbox.git.find_commit(stopped).unwrap().parent_count(), 1);
    assert!(sandbox.meta()["elaborations"].as_array().is_none_or(Vec::is_empty));
    // The analysis goes on with the next step, and commits nothing of the discussion either.
    let mut terminal = analyze("");
    terminal.wait_for("Step 00-02").wait_for("> ").press("\u{4}");
    assert_eq!(terminal.end().0, 0);
    assert_eq!(sandbox.tip(BRANCH).unwrap(), stopped);
    // With the fixed clock the run is the same one: its menu opens the same discussion again.
    let mut terminal = analyze(&at);
    terminal.wait_for("[E]").wait_for("> ").press("E\r");
    terminal
        .wait_for("the phone keeps 500 photos")
        .wait_for("turn 5 of 60]")
        .wait_for("> ")
        .press("/status\r");
    terminal.wait_for("- the phone keeps 500 photos").wait_for("> ").press("\u{3}");
    assert_eq!(terminal.end().0, 2);
    let elaborate = format!("{PROGRAM} elaborate offline-mode --step 00-01 --resume");
    let mut terminal = Terminal::start(&sandbox, &elaborate);
    terminal.wait_for("the phone keeps 500 photos").wait_for("turn 5 of 60]").wait_for("> ").press("/done\r");
    let (code, all) = terminal.end();
    assert_eq!(code, 0, "{all}");
    let decided = user("Decision: the phone keeps 500 photos");
    assert_eq!(heard(&sandbox), [decided, user("done")]);
    assert!(sandbox.run(&["status"]).ok().stdout.contains("offline-mode"));
    sandbox.run(&["replay", "--all", "--rev", BRANCH]).ok();
    // Nothing of it is left to go on with.
    let mut terminal = Terminal::start(&sandbox, &elaborate);
    terminal.wait_for("nothing was cut off here");
    assert_eq!(terminal.end().0, 2);
}

#[test]
fn what_was_typed_in_an_unfinished_step_is_kept_and_gone_on_with() {
    let sandbox = sandbox();
    let start = || Terminal::start(&sandbox, &format!("{PROGRAM} analyze offline-mode --at {AT}"));
    let mut terminal = start();
    terminal.wait_for("1. ").wait_for("> ").press("Sixty inspectors lose answers.\r");
    terminal.wait_for("2. ").wait_for("> ").press("\u{3}");
    let (code, all) = terminal.end();
    assert_eq!(code, 2, "{all}");
    assert!(all.contains("what you typed is kept"), "{all}");
    assert!(sandbox.tip(BRANCH).is_none());
    let mut terminal = start();
    terminal.wait_for("going on with 1 answer that you typed in step 00-01");
    terminal.wait_for("Sixty inspectors lose answers.").wait_for("2. ").wait_for("> ").press("Billing\r");
    terminal.wait_for("3. ").wait_for("> ").press("C\r");
    terminal.wait_for("Step 00-02").wait_for("> ").press("\u{4}");
    let (code, all) = terminal.end();
    assert_eq!(code, 0, "{all}");
    let scan = sandbox.file(BRANCH, &format!("{ITEM}/quick-scan.md"));
    assert!(scan.contains("Sixty inspectors lose answers.") && scan.contains("Billing"), "{scan}");
    // Nothing of a step that has landed is kept.
    let mut terminal = start();
    terminal.wait_for("[C] Continue").wait_for("> ").press("\u{4}");
    assert!(!terminal.end().1.contains("going on with"));
}

#[test]
fn an_analysis_asks_and_listens() {
    let sandbox = sandbox();
    let mut terminal = Terminal::start(&sandbox, &format!("{PROGRAM} analyze offline-mode --at {AT}"));
    terminal.wait_for("> ").press("Inspectors lose answers when the phone is offline.\r");
    terminal.wait_for("> ").press("/help\r").wait_for("C continues");
    terminal.wait_for("> ").press("\u{4}");
    let (code, all) = terminal.end();
    assert_eq!(code, 0, "{all}");
}
