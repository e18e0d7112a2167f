//! A small HTTP server on loopback that answers, breaks off or stays silent as it is told.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::Value;

/// A request as it came in.
#[derive(Clone, Debug)]
pub struct Seen {
    pub method: String,
    /// Path and query.
    pub path: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Seen {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

/// What the server does about a request.
pub enum Reply {
    /// Status, headers, body.
    Whole(u16, Vec<(String, String)>, Vec<u8>),
    /// Less of a body than the header promises, and then the end.
    CutOff(Vec<u8>),
    /// The connection is reset without an answer.
    Reset,
    /// Nothing, for as long as the client waits.
    Silence,
    /// A byte now and then, without an end.
    Drip,
    /// Megabytes without an end.
    Flood,
}

impl Reply {
    pub fn json(value: &Value) -> Reply {
        Reply::status(200, value)
    }

    pub fn status(status: u16, value: &Value) -> Reply {
        let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        Reply::Whole(status, headers, value.to_string().into_bytes())
    }

    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Reply {
        if let Reply::Whole(_, headers, _) = &mut self {
            headers.push((name.to_owned(), value.to_owned()));
        }
        self
    }
}

type Behaviour = dyn FnMut(&Seen) -> Reply + Send;

/// A server that ends with its value.
pub struct Server {
    pub port: u16,
    seen: Arc<Mutex<Vec<Seen>>>,
    behaviour: Arc<Mutex<Box<Behaviour>>>,
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    pub fn start(behaviour: impl FnMut(&Seen) -> Reply + Send + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let behaviour: Arc<Mutex<Box<Behaviour>>> = Arc::new(Mutex::new(Box::new(behaviour)));
        let over = Arc::new(AtomicBool::new(false));
        let (log, brain, end) = (Arc::clone(&seen), Arc::clone(&behaviour), Arc::clone(&over));
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if end.load(Ordering::SeqCst) {
                    return;
                }
                let (log, brain, end) = (Arc::clone(&log), Arc::clone(&brain), Arc::clone(&end));
                if let Ok(stream) = stream {
                    std::thread::spawn(move || serve(stream, &log, &brain, &end));
                }
            }
        });
        Server { port, seen, behaviour, over, thread: Some(thread) }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// What came in so far.
    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    /// Forgets what came in, and behaves like this from now on.
    pub fn become_new(&self, behaviour: impl FnMut(&Seen) -> Reply + Send + 'static) {
        *self.behaviour.lock().unwrap() = Box::new(behaviour);
        self.seen.lock().unwrap().clear();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
        // Wakes the thread that waits for connections.
        let _ = TcpStream::connect(("127.0.0.1", self.port));
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A connection serves one request.
fn serve(mut stream: TcpStream, log: &Mutex<Vec<Seen>>, brain: &Mutex<Box<Behaviour>>, over: &AtomicBool) {
    let _ = stream.set_read_timeout(Some(Duration::from_secs(20)));
    let Some(seen) = read(&stream) else { return };
    log.lock().unwrap().push(seen.clone());
    let reply = (brain.lock().unwrap())(&seen);
    // A client that has gone away is its own matter.
    let _ = match reply {
        Reply::Whole(status, headers, body) => whole(&mut stream, status, &headers, &body),
        Reply::CutOff(body) => {
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len() + 100);
            stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body))
        }
        Reply::Reset => Ok(()),
        Reply::Silence => {
            while !over.load(Ordering::SeqCst) && is_open(&stream) {
                std::thread::sleep(Duration::from_millis(20));
            }
            Ok(())
        }
        Reply::Drip => endless(&mut stream, over, b"1\r\n \r\n", Duration::from_millis(50)),
        Reply::Flood => {
            let chunk = format!("10000\r\n{}\r\n", " ".repeat(0x10000));
            endless(&mut stream, over, chunk.as_bytes(), Duration::ZERO)
        }
    };
    let _ = stream.shutdown(Shutdown::Both);
}

fn whole(
    stream: &mut TcpStream,
    status: u16,
    headers: &[(String, String)],
    body: &[u8],
) -> std::io::Result<()> {
    let mut head = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\nconnection: close\r\n", body.len());
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    stream.write_all(format!("{head}\r\n").as_bytes())?;
    stream.write_all(body)
}

fn endless(stream: &mut TcpStream, over: &AtomicBool, chunk: &[u8], pause: Duration) -> std::io::Result<()> {
    stream.write_all(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")?;
    while !over.load(Ordering::SeqCst) {
        stream.write_all(chunk)?;
        std::thread::sleep(pause);
    }
    Ok(())
}

fn is_open(stream: &TcpStream) -> bool {
    let _ = stream.set_read_timeout(Some(Duration::from_millis(20)));
    let mut byte = [0];
    !matches!(stream.peek(&mut byte), Ok(0))
}

fn read(stream: &TcpStream) -> Option<Seen> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split_whitespace();
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length: usize = length.and_then(|(_, value)| value.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Seen { method, path, headers, body })
}
