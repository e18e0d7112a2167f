//! Messages of the base protocol of LSP: a header with the length, then JSON.
//!
//! The crates for it read ids through untagged enums, which serde_json's exact numbers (this program's
//! recordings need them) make unreadable. Input is a message, a defect of one message, or the
//! end.

use std::io::{self, BufRead, Read as _, Write};

use serde_json::{Value, json};

/// Larger messages are refused (64 MiB).
const LARGEST: usize = 64 << 20;
/// A header has at most so many bytes.
const HEADER: u64 = 4_096;

/// Something that came in.
#[derive(Clone, Debug, PartialEq)]
pub enum Incoming {
    Message(Value),
    /// A body that is no JSON.
    Garbage,
    End,
}

/// Reads the next message.
///
/// # Errors
/// A header without a usable length: what follows cannot be told apart any more.
pub fn read(from: &mut impl BufRead) -> io::Result<Incoming> {
    let mut length = None;
    let mut is_first = true;
    loop {
        let mut line = Vec::new();
        from.by_ref().take(HEADER).read_until(b'\n', &mut line)?;
        if line.is_empty() {
            return if is_first { Ok(Incoming::End) } else { Err(broken("a header is cut off")) };
        }
        is_first = false;
        let text = String::from_utf8_lossy(&line);
        let text = text.trim();
        if text.is_empty() {
            break;
        }
        if let Some((name, value)) = text.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse::<usize>().ok();
        }
    }
    let length =
        length.filter(|length| *length <= LARGEST).ok_or_else(|| broken("no usable Content-Length"))?;
    let mut body = Vec::new();
    from.by_ref().take(length as u64).read_to_end(&mut body)?;
    if body.len() < length {
        return Err(broken("a message is cut off"));
    }
    Ok(serde_json::from_slice(&body).map_or(Incoming::Garbage, Incoming::Message))
}

fn broken(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

/// Writes a message.
///
/// # Errors
/// Nobody reads any more.
pub fn write(to: &mut impl Write, message: &Value) -> io::Result<()> {
    let body = message.to_string();
    write!(to, "Content-Length: {}\r\n\r\n{body}", body.len())?;
    to.flush()
}

/// The answer to a request.
pub fn answer(id: &Value, result: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

/// The answer to a request that cannot be answered.
pub fn failure(id: &Value, code: i32, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
}

pub fn notification(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "method": method, "params": params})
}

/// A request of ours; its answer is not waited for.
pub fn request(id: &str, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_read_as_it_is_written_and_garbage_is_none() {
        let mut bytes = Vec::new();
        write(&mut bytes, &json!({"id": 1, "text": "é"})).unwrap();
        bytes.extend(b"content-length: 3\r\nContent-Type: x\r\n\r\n{{{");
        let mut from = bytes.as_slice();
        assert_eq!(read(&mut from).unwrap(), Incoming::Message(json!({"id": 1, "text": "é"})));
        assert_eq!(read(&mut from).unwrap(), Incoming::Garbage);
        assert_eq!(read(&mut from).unwrap(), Incoming::End);
        for broken in
            ["x\r\n\r\n", "Content-Length: 9\r\n\r\n{}", "Content-Length: -1\r\n\r\n", "Content-Length: 1"]
        {
            assert!(read(&mut broken.as_bytes()).is_err(), "{broken}");
        }
    }
}
