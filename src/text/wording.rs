//! What the parsers of YAML and JSON say, in this program's words: a reader of a message knows keys
//! and lists, not the types that a file is read into.

use crate::text::finding::did_you_mean;
use crate::text::plain;

/// A message, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    pub message: String,
    pub hint: Option<String>,
    /// The text is well-formed, and says something else than is wanted.
    pub is_misfit: bool,
}

/// What a parser of YAML says.
pub fn yaml(message: &str) -> Said {
    let message = without_place(message);
    misfit(message, "`key: value` lines").unwrap_or_else(|| Said {
        message: format!("not valid YAML: {}", plain::shown(message)),
        hint: Some(
            "indent with blanks, close what is open, and put a text with `: ` or ` #` in quotes".to_owned(),
        ),
        is_misfit: false,
    })
}

/// What a parser of JSON says.
pub fn json(message: &str) -> Said {
    let message = without_place(message);
    misfit(message, "an object").unwrap_or_else(|| {
        let (message, hint) = syntax(message);
        Said { message: format!("not valid JSON: {message}"), hint: Some(hint), is_misfit: false }
    })
}

/// The message without ` at line … column …` at its end.
fn without_place(message: &str) -> &str {
    message.find(" at line ").map_or(message, |end| &message[..end])
}

/// The message without `inputs[0]: ` before it: the place says so already.
fn without_path(message: &str) -> &str {
    match message.split_once(": ") {
        Some((head, tail)) if !head.contains(' ') => without_path(tail),
        _ => message,
    }
}

/// What is wrong with a JSON text, and how to fix it.
fn syntax(message: &str) -> (String, String) {
    let (message, hint) = match message {
        "trailing comma" => ("there is a comma before the closing bracket", "take the comma away"),
        "trailing characters" => (
            "there is more after the end of the first value",
            "a file holds one value; `gh api --paginate --slurp` makes one of several pages",
        ),
        "expected value" => ("a value is missing", "texts are in double quotes; comments are not allowed"),
        "expected ident" => {
            ("this word is not a value", "write true, false, null, or a text in double quotes")
        }
        "key must be a string" => ("a key is not in double quotes", "write it like \"key\": value"),
        "recursion limit exceeded" => ("it is nested too deeply", "take levels away"),
        "invalid escape" => ("this escape is unknown", "a backslash itself is written \\\\"),
        _ if message.starts_with("EOF while parsing") => {
            ("the file ends before everything is closed", "close what is open with `}`, `]` or `\"`")
        }
        _ if message.starts_with("control character") => {
            ("a text in quotes has a line end or a control character in it", "write \\n for a line end")
        }
        _ => return (plain::shown(message), "see json.org for the form".to_owned()),
    };
    (message.to_owned(), hint.to_owned())
}

/// What a text says that is well-formed and does not fit.
fn misfit(message: &str, mapping: &str) -> Option<Said> {
    let message = without_path(message);
    let (message, hint) = unknown(message).or_else(|| key(message)).or_else(|| mismatch(message, mapping))?;
    Some(Said { message, hint, is_misfit: true })
}

/// A key or a word that is not among the known ones.
fn unknown(message: &str) -> Option<(String, Option<String>)> {
    let (what, several, rest) = match message.strip_prefix("unknown field `") {
        Some(rest) => ("unknown key", "the keys are", rest),
        None => ("unknown word", "the words are", message.strip_prefix("unknown variant `")?),
    };
    let (word, rest) = rest.split_once('`')?;
    let known: Vec<&str> = rest.split('`').skip(1).step_by(2).collect();
    let near = did_you_mean(word, &known);
    let hint = if known.is_empty() {
        "nothing is allowed here".to_owned()
    } else {
        format!("{several} {}", known.join(", "))
    };
    Some((format!("{what} \"{}\"{near}", plain::cut(&plain::shown(word), 60)), Some(hint)))
}

/// A key that is missing or occurs twice.
fn key(message: &str) -> Option<(String, Option<String>)> {
    if let Some(rest) = message.strip_prefix("missing field `") {
        let name = rest.split('`').next()?;
        return Some((format!("the key `{name}` is missing"), Some(format!("add `{name}: …`"))));
    }
    let name = message
        .strip_prefix("duplicate field ")
        .or_else(|| message.strip_prefix("duplicate entry with key "))?;
    let name = plain::cut(&plain::shown(name.trim_matches(['`', '"'])), 60);
    Some((format!("the key `{name}` appears twice"), Some("remove one of the two".to_owned())))
}

/// `invalid type: string "two", expected u32` and its like.
fn mismatch(message: &str, mapping: &str) -> Option<(String, Option<String>)> {
    let heads = ["invalid type: ", "invalid value: ", "invalid length "];
    let rest = heads.iter().find_map(|head| message.strip_prefix(head))?;
    let (found, wanted) = rest.rsplit_once(", expected ")?;
    let wanted = wanted_as(wanted, mapping);
    let hint = match wanted.as_str() {
        "a text" => "put a text in quotes",
        "a list" => "write it like [one, two]",
        "a whole number" => "write it in digits, without quotes",
        "true or false" => "write true or false, without quotes",
        _ if wanted == mapping => "write it like key: value",
        _ => "change the value",
    };
    Some((format!("expected {wanted}, found {}", found_as(found, mapping)), Some(hint.to_owned())))
}

fn wanted_as(wanted: &str, mapping: &str) -> String {
    match wanted {
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number".to_owned(),
        "i32" | "i64" => "a number".to_owned(),
        "a sequence" => "a list".to_owned(),
        "a string" | "string" => "a text".to_owned(),
        "a boolean" => "true or false".to_owned(),
        "a map" => mapping.to_owned(),
        _ if ["struct ", "enum ", "tuple ", "internally ", "variant "]
            .iter()
            .any(|rust| wanted.starts_with(rust)) =>
        {
            mapping.to_owned()
        }
        _ => wanted.to_owned(),
    }
}

fn found_as(found: &str, mapping: &str) -> String {
    let said = |word: &str| plain::cut(&plain::shown(word.trim_matches(['`', '"'])), 60);
    let number = |word: &str| format!("the number {}", said(word));
    match found.split_once(' ') {
        Some(("string", text)) => format!("the text \"{}\"", said(text)),
        Some(("integer" | "number", word)) => number(word),
        Some(("floating", word)) => number(word.trim_start_matches("point ")),
        Some(("boolean", word)) => said(word),
        Some(("unit", _)) => "nothing".to_owned(),
        _ => match found {
            "sequence" => "a list".to_owned(),
            "map" => mapping.to_owned(),
            "null" => "nothing".to_owned(),
            _ => plain::shown(found),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_of_a_parser_reaches_a_user() {
        let shown = |said: Said| format!("{} | {}", said.message, said.hint.unwrap_or_default());
        let cases = [
            "unknown field `itms`, expected one of `items`, `voice` at line 1 column 1",
            "unknown variant `brif`, expected one of `brief`, `deep`",
            "missing field `title`",
            "max_turns: invalid type: string \"two\", expected u32 at line 1 column 12",
            "invalid value: integer `-5`, expected u32",
            "inputs[0]: invalid type: sequence, expected a string",
            "duplicate entry with key \"items\"",
            "invalid type: map, expected a sequence",
            "invalid type: unit value, expected struct Opened",
            "did not find expected ',' or ']' at line 3 column 1, while parsing a flow sequence",
        ];
        insta::assert_snapshot!(cases.map(|case| shown(yaml(case))).join("\n"), @r#"
        unknown key "itms"; did you mean "items"? | the keys are items, voice
        unknown word "brif"; did you mean "brief"? | the words are brief, deep
        the key `title` is missing | add `title: …`
        expected a whole number, found the text "two" | write it in digits, without quotes
        expected a whole number, found the number -5 | write it in digits, without quotes
        expected a text, found a list | put a text in quotes
        the key `items` appears twice | remove one of the two
        expected a list, found `key: value` lines | write it like [one, two]
        expected `key: value` lines, found nothing | write it like key: value
        not valid YAML: did not find expected ',' or ']' | indent with blanks, close what is open, and put a text with `: ` or ` #` in quotes
        "#);
        let cases = [
            "EOF while parsing a list at line 1 column 3",
            "trailing comma",
            "expected value",
            "invalid type: floating point `1.5`, expected usize",
        ];
        insta::assert_snapshot!(cases.map(|case| shown(json(case))).join("\n"), @r#"
        not valid JSON: the file ends before everything is closed | close what is open with `}`, `]` or `"`
        not valid JSON: there is a comma before the closing bracket | take the comma away
        not valid JSON: a value is missing | texts are in double quotes; comments are not allowed
        expected a whole number, found the number 1.5 | write it in digits, without quotes
        "#);
    }
}
