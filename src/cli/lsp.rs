//! `roundtable lsp`: what a review finds, in an editor, while the text is written.
//!
//! A language server on standard input and output (LSP 3.17): findings are diagnostics, and each offers to
//! be silenced with a reason or explained. The documents of an item are judged together, as `roundtable
//! review ITEM` does; the others as they are on disk. Nothing is written but the page of a rule, into the
//! system's folder for temporary files.

mod document;
mod wire;

use std::collections::BTreeMap;
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};

use self::document::{Document, position};
use self::wire::Incoming;
use super::exit::{Code, Fail};
use super::review::{self, Settings};
use super::{Global, rules};
use crate::plain;
use crate::review::{Finding, Severity};

/// What is shown as the source of diagnostics.
const SOURCE: &str = "roundtable";
/// The command that opens the page of a rule.
const EXPLAIN: &str = "roundtable.explain";
/// The documents beside one are read if they have no more bytes than this together.
const BESIDE: u64 = 1 << 20;
/// The reason of a new comment, to be replaced.
const REASON: &str = "say why this may stay";
/// The codes of JSON-RPC and LSP.
const PARSE_ERROR: i32 = -32700;
const NO_SUCH_METHOD: i32 = -32601;
const NOT_INITIALIZED: i32 = -32002;

#[derive(Debug, Args)]
#[command(
    after_help = "Example: roundtable lsp\n\nIt is started by an editor; docs/editor.md has the settings."
)]
pub struct Options {}

/// Serves until the editor says `exit`: 0 where it said `shutdown` before, else 2.
pub fn run(global: &Global, _: &Options) -> Result<Code, Fail> {
    let mut server = Server::new(global.clone());
    let mut from = BufReader::new(io::stdin().lock());
    let mut to = io::stdout().lock();
    let gone = |error: io::Error| Fail::new(format!("the editor: {error}"));
    loop {
        match wire::read(&mut from).map_err(gone)? {
            Incoming::Message(message) if message["method"] == json!("exit") => break,
            Incoming::Message(message) => server.take(&message, &mut to).map_err(gone)?,
            Incoming::Garbage => {
                let failure = wire::failure(&Value::Null, PARSE_ERROR, "the message is no JSON");
                wire::write(&mut to, &failure).map_err(gone)?;
            }
            Incoming::End => break,
        }
    }
    if server.is_shut_down { Ok(Code::Yes) } else { Err(Fail::new("the editor left without a shutdown")) }
}

struct Server {
    global: Global,
    settings: Option<Settings>,
    /// By URI.
    open: BTreeMap<String, Document>,
    /// The documents on disk beside an open one, by folder: path and text.
    beside: BTreeMap<PathBuf, Vec<(String, String)>>,
    can_show: bool,
    is_shut_down: bool,
}

impl Server {
    fn new(global: Global) -> Server {
        Server {
            global,
            settings: None,
            open: BTreeMap::new(),
            beside: BTreeMap::new(),
            can_show: false,
            is_shut_down: false,
        }
    }

    fn take(&mut self, message: &Value, to: &mut impl Write) -> io::Result<()> {
        let (method, params) = (message["method"].as_str().unwrap_or_default(), &message["params"]);
        match message.get("id").filter(|_| !method.is_empty()) {
            Some(id) => {
                let (answer, more) = self.answer(id, method, params);
                wire::write(to, &answer)?;
                more.iter().try_for_each(|message| wire::write(to, message))
            }
            None => self.notice(method, params).iter().try_for_each(|message| wire::write(to, message)),
        }
    }

    /// The answer to a request, and what is sent after it.
    fn answer(&mut self, id: &Value, method: &str, params: &Value) -> (Value, Vec<Value>) {
        let result = match method {
            "initialize" => match self.begin(params) {
                Ok(result) => result,
                Err(fail) => return (wire::failure(id, NOT_INITIALIZED, &fail.message), Vec::new()),
            },
            _ if self.settings.is_none() => {
                return (wire::failure(id, NOT_INITIALIZED, "send initialize first"), Vec::new());
            }
            "shutdown" => {
                self.is_shut_down = true;
                Value::Null
            }
            "textDocument/codeAction" => json!(self.actions(params)),
            "workspace/executeCommand" => {
                let shown = self.explain(params["arguments"][0].as_str().unwrap_or_default());
                return (wire::answer(id, Value::Null), vec![shown]);
            }
            _ => {
                let shown = plain::cut(&plain::shown(method), 80);
                return (wire::failure(id, NO_SUCH_METHOD, &format!("{shown} is not served")), Vec::new());
            }
        };
        (wire::answer(id, result), Vec::new())
    }

    /// Reads the settings of the folder that is open in the editor.
    fn begin(&mut self, params: &Value) -> Result<Value, Fail> {
        let folder = [&params["workspaceFolders"][0]["uri"], &params["rootUri"]];
        let folder = folder.into_iter().find_map(|uri| path_of(uri.as_str()?));
        if self.global.repo.is_none() {
            self.global.repo = folder.filter(|folder| folder.is_dir());
        }
        self.settings = Some(review::settings(&self.global)?);
        self.can_show = params["capabilities"]["window"]["showDocument"]["support"] == json!(true);
        Ok(json!({
            "serverInfo": {"name": SOURCE, "version": env!("CARGO_PKG_VERSION")},
            "capabilities": {
                "positionEncoding": "utf-16",
                "textDocumentSync": {"openClose": true, "change": 2, "save": true},
                "codeActionProvider": {"codeActionKinds": ["quickfix"]},
                "executeCommandProvider": {"commands": [EXPLAIN]},
            },
        }))
    }

    /// What is sent after a notification.
    fn notice(&mut self, method: &str, params: &Value) -> Vec<Value> {
        let Some(uri) = params["textDocument"]["uri"].as_str().map(str::to_owned) else { return Vec::new() };
        let version = params["textDocument"]["version"].as_i64();
        match method {
            "textDocument/didOpen" => {
                let text = params["textDocument"]["text"].as_str().unwrap_or_default().to_owned();
                self.open.insert(uri.clone(), Document { text, version });
                self.beside.clear();
            }
            "textDocument/didChange" => {
                let Some(document) = self.open.get_mut(&uri) else { return Vec::new() };
                params["contentChanges"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .for_each(|one| document.change(one));
                document.version = version;
            }
            "textDocument/didSave" => self.beside.clear(),
            "textDocument/didClose" => {
                self.open.remove(&uri);
                self.beside.clear();
                return vec![published(&uri, None, Vec::new())];
            }
            _ => return Vec::new(),
        }
        self.diagnosed(&uri).into_iter().collect()
    }

    /// The diagnostics of an open document.
    fn diagnosed(&mut self, uri: &str) -> Option<Value> {
        let found = self.findings(uri);
        let document = self.open.get(uri)?;
        let lines: Vec<&str> = document.text.lines().collect();
        let all = found.iter().map(|finding| self.diagnostic(finding, uri, &lines)).collect();
        Some(published(uri, document.version, all))
    }

    /// What a review finds in an open document, judged with those beside it.
    fn findings(&mut self, uri: &str) -> Vec<Finding> {
        let text = self.open.get(uri).map(|document| document.text.clone()).unwrap_or_default();
        self.findings_of(uri, &text)
    }

    /// The same if the document had this text.
    fn findings_of(&mut self, uri: &str, text: &str) -> Vec<Finding> {
        let path = name_of(uri);
        let mut texts = self.texts_beside(uri);
        texts.retain(|(other, _)| *other != path);
        for (other, document) in self.open.iter().filter(|(other, _)| *other != uri) {
            if let Some(known) = texts.iter_mut().find(|(name, _)| *name == name_of(other)) {
                known.1.clone_from(&document.text);
            }
        }
        let Some(settings) = &self.settings else { return Vec::new() };
        let mut found = settings.review(
            texts.iter().map(|(path, text)| (path.as_str(), text.as_str())).chain([(path.as_str(), text)]),
        );
        found.retain(|finding| finding.path == path);
        found
    }

    /// The documents of the same item, as they are on disk.
    fn texts_beside(&mut self, uri: &str) -> Vec<(String, String)> {
        let Some(folder) = path_of(uri).and_then(|path| path.parent().map(Path::to_owned)) else {
            return Vec::new();
        };
        self.beside.entry(folder).or_insert_with_key(|folder| read_beside(folder)).clone()
    }

    fn diagnostic(&self, finding: &Finding, uri: &str, lines: &[&str]) -> Value {
        let severity = match finding.severity {
            Severity::Major => 1,
            Severity::Minor => 2,
            Severity::Note => 3,
        };
        let here = name_of(uri);
        let related = finding.related.iter().map(|other| {
            let place = |column| match other.path == here {
                true => position(lines, other.line, column),
                false => json!({"line": other.line.saturating_sub(1), "character": 0}),
            };
            let range = json!({"start": place(1), "end": place(usize::MAX)});
            let location = json!({"uri": uri_of(&other.path), "range": range});
            json!({"location": location, "message": plain::one_line(&other.quote)})
        });
        let mut diagnostic = json!({
            "range": range(finding, lines),
            "severity": severity,
            "code": finding.rule,
            "source": SOURCE,
            "message": format!("{}\n{} {}", finding.message, finding.why, finding.suggestion),
        });
        let related: Vec<Value> = related.collect();
        if !related.is_empty() {
            diagnostic["relatedInformation"] = json!(related);
        }
        diagnostic
    }

    /// What can be done about the findings on some lines.
    fn actions(&mut self, params: &Value) -> Vec<Value> {
        let Some(uri) = params["textDocument"]["uri"].as_str() else { return Vec::new() };
        let Some(document) = self.open.get(uri) else { return Vec::new() };
        let text = document.text.clone();
        let lines: Vec<&str> = text.lines().collect();
        let line = |key: &str| {
            params["range"][key]["line"].as_u64().map_or(1, |line| (line as usize).saturating_add(1))
        };
        let (first, last) = (line("start"), line("end"));
        let mut actions = Vec::new();
        for finding in self.findings(uri) {
            if finding.line > last || finding.end_line < first {
                continue;
            }
            let diagnostic = self.diagnostic(&finding, uri, &lines);
            if let Some(edit) = self.silenced(uri, &text, &finding) {
                actions.push(json!({
                    "title": format!("Silence {} here, with a reason", finding.rule),
                    "kind": "quickfix",
                    "diagnostics": [diagnostic],
                    "edit": {"changes": {uri: [edit]}},
                }));
            }
            let title = format!("Explain {}", finding.rule);
            actions.push(json!({
                "title": title,
                "kind": "quickfix",
                "diagnostics": [diagnostic],
                "command": {"title": title, "command": EXPLAIN, "arguments": [finding.rule]},
            }));
        }
        actions
    }

    /// A comment that silences a finding: above its block, else within its line; none where neither does.
    fn silenced(&mut self, uri: &str, text: &str, finding: &Finding) -> Option<Value> {
        let is_of_rule = |one: &&Finding| one.rule == finding.rule;
        let before = self.findings_of(uri, text);
        let counted = before.iter().filter(is_of_rule).count();
        let comment = format!("<!-- roundtable-ignore {}: {REASON} -->", finding.rule);
        let lines: Vec<&str> = text.lines().collect();
        let above =
            lines[..(finding.line - 1).min(lines.len())].iter().rposition(|line| line.trim().is_empty());
        let first = above.map_or(1, |blank| blank + 2);
        let is_plain = lines.get(first - 1).is_some_and(|line| line.starts_with(char::is_alphanumeric));
        let places = [
            (is_plain, first, 1, format!("{comment}\n")),
            (true, finding.end_line, usize::MAX, format!(" {comment}")),
            (true, finding.end_line, finding.end_column, format!(" {comment}")),
        ];
        places.into_iter().filter(|(may, ..)| *may).find_map(|(_, line, column, new)| {
            let at = position(&lines, line, column);
            let edit = json!({"range": {"start": at, "end": at}, "newText": new});
            let mut edited = Document { text: text.to_owned(), version: None };
            edited.change(&json!({"range": edit["range"], "text": new}));
            let after = self.findings_of(uri, &edited.text);
            let is_silent = after.iter().filter(is_of_rule).count() < counted && after.len() < before.len();
            is_silent.then_some(edit)
        })
    }

    /// Shows the page of a rule: as a document where the editor can, else as a message.
    fn explain(&self, rule: &str) -> Value {
        let Some(page) = self.settings.as_ref().and_then(|settings| rules::page(settings.rules(), rule))
        else {
            let message = format!("there is no rule {}", plain::cut(&plain::shown(rule), 80));
            return wire::notification("window/showMessage", json!({"type": 2, "message": message}));
        };
        let folder = std::env::temp_dir().join("roundtable-rules");
        let path = folder.join(format!("{rule}.md"));
        let is_written = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&path, &page)).is_ok();
        if self.can_show && is_written {
            let params = json!({"uri": uri_of(&path.to_string_lossy()), "takeFocus": true});
            return wire::request(&format!("show {rule}"), "window/showDocument", params);
        }
        wire::notification("window/showMessage", json!({"type": 3, "message": page}))
    }
}

fn published(uri: &str, version: Option<i64>, diagnostics: Vec<Value>) -> Value {
    let mut params = json!({"uri": uri, "diagnostics": diagnostics});
    if let Some(version) = version {
        params["version"] = json!(version);
    }
    wire::notification("textDocument/publishDiagnostics", params)
}

fn range(finding: &Finding, lines: &[&str]) -> Value {
    json!({
        "start": position(lines, finding.line, finding.column),
        "end": position(lines, finding.end_line, finding.end_column),
    })
}

/// The documents on disk of a folder that is an item.
fn read_beside(folder: &Path) -> Vec<(String, String)> {
    if !folder.join("meta.json").is_file() {
        return Vec::new();
    }
    let mut left = BESIDE;
    let mut texts = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let size =
            entry.metadata().ok().filter(std::fs::Metadata::is_file).map_or(u64::MAX, |file| file.len());
        if size > left || !review::is_document(&path.to_string_lossy(), true) {
            continue;
        }
        left -= size;
        texts.extend(
            std::fs::read_to_string(&path).ok().map(|text| (path.to_string_lossy().into_owned(), text)),
        );
    }
    texts.sort();
    texts
}

/// The path that a URI names, if it names a file.
fn path_of(uri: &str) -> Option<PathBuf> {
    let path = uri.strip_prefix("file://")?;
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let [first, more @ ..] = rest {
        let escaped = more.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let escaped =
            escaped.filter(|_| *first == b'%').and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() { &more[2..] } else { more };
    }
    let path = String::from_utf8(bytes).ok()?;
    // A drive letter has a slash before it.
    let is_drive = cfg!(windows) && path.get(2..3) == Some(":");
    Some(PathBuf::from(if is_drive { &path[1..] } else { &path }))
}

/// What a document is called in findings: its path, else its URI.
fn name_of(uri: &str) -> String {
    path_of(uri).map_or_else(|| uri.to_owned(), |path| path.to_string_lossy().into_owned())
}

/// The URI of a path; what is a URI stays one.
fn uri_of(path: &str) -> String {
    if path.contains("://") {
        return path.to_owned();
    }
    let path = path.replace('\\', "/");
    let mut uri = String::from(if path.starts_with('/') { "file://" } else { "file:///" });
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'-' | b'_' | b'~') {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_and_its_uri() {
        for path in ["/a b/ü.md", "/x/100%.md", "/x/a#b?.md"] {
            assert_eq!(path_of(&uri_of(path)), Some(PathBuf::from(path)));
        }
        assert_eq!(uri_of("/a b"), "file:///a%20b");
        assert_eq!((path_of("untitled:1"), name_of("untitled:1")), (None, "untitled:1".to_owned()));
        assert_eq!(path_of("file:///a%2"), Some(PathBuf::from("/a%2")));
    }
}
