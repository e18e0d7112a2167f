//! Talking to the runner of GitHub Actions: outputs and the summary of the job.

use std::io::Write as _;
use std::path::Path;

use crate::item::library::sha256;
use crate::run::Fail;
use crate::run::clock::nanoseconds;
use crate::run::environment::variable;

/// Bytes of a summary; the runner refuses all of one that is over 1 MiB.
const SUMMARY: usize = 900 * 1024;

/// Sets outputs of the step, where there is a runner that takes them. The delimiter is random, so
/// that no value can end its own output and begin another.
pub fn outputs(values: &[(&str, &str)]) -> Result<(), Fail> {
    let Some(path) = variable("GITHUB_OUTPUT") else { return Ok(()) };
    let mut text = String::new();
    for (name, value) in values {
        let seed = format!("{} {} {name}", nanoseconds(), std::process::id());
        let delimiter = format!("roundtable_{}", &sha256(seed.as_bytes())[..32]);
        if value.contains(&delimiter) {
            return Err(Fail::new(format!("the output {name} holds its own delimiter")));
        }
        text.push_str(&format!("{name}<<{delimiter}\n{value}\n{delimiter}\n"));
    }
    append(Path::new(&path), &text)
}

/// The page of the run that this job belongs to, below the repository's.
pub fn run_of_job() -> Option<String> {
    let id = variable("GITHUB_RUN_ID").filter(|id| id.bytes().all(|byte| byte.is_ascii_digit()))?;
    Some(format!("actions/runs/{id}"))
}

/// Adds to the summary of the job, where there is one; what is too long for it is cut.
pub fn summary(text: &str) -> Result<(), Fail> {
    let Some(path) = variable("GITHUB_STEP_SUMMARY") else { return Ok(()) };
    let mut end = text.len().min(SUMMARY);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let cut = if end < text.len() { "\n\n… cut: the whole discussion is in the commit" } else { "" };
    // A blank line: the next text of the job is not part of an HTML block that ends this one.
    append(Path::new(&path), &format!("{}{cut}\n\n", &text[..end]))
}

fn append(path: &Path, text: &str) -> Result<(), Fail> {
    let file = std::fs::OpenOptions::new().append(true).create(true).open(path);
    let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| {
        Fail::new(format!(
            "{} cannot be written: {error}",
            crate::text::plain::shown(&path.display().to_string())
        ))
    })
}

/// The value of a workflow command.
pub fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property of a workflow command.
pub fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_escaped_as_the_runner_reads_them() {
        assert_eq!(data("50%\r\n::error::x"), "50%25%0D%0A::error::x");
        assert_eq!(property("a:b,c%\n"), "a%3Ab%2Cc%25%0A");
    }
}
