//! What a configuration protects, and what each of its rules stops: one line an entry.
//!
//! ```text
//! docs/requirements/**: content: stops what is removed, changed, hidden or moved; …
//! items elsewhere, each with its meta.json: content
//! preset adr: stops changes to a record that is no draft; its status and dates move on
//! ```

use std::path::Path;

use serde_yaml::Value;

use crate::additive::Rule;
use crate::additive::policy::{Entry, Policy, Preset};
use crate::cli::screen::Screen;
use crate::item::config::{Config, FILE, is_preset_of_items};
use crate::text::plain;

/// At most so many files of a layout's folder are looked at.
const MOST_FILES: usize = 10_000;

/// What a rule stops, in one line.
const fn stops(rule: Rule) -> &'static str {
    match rule {
        Rule::Content => {
            "stops what is removed, changed, hidden or moved; additions, reflowed text and ticked boxes pass"
        }
        Rule::Living => {
            "stops what is removed, weakened, hidden, moved or changed in a number; other wording may change"
        }
        Rule::Strict => "append-only: stops every change to a line that was there; new lines pass",
        Rule::Written => "stops what is removed or changed of what roundtable wrote",
        Rule::None => "stops nothing",
    }
}

/// Says what the configuration on disk protects, or the one that would be written.
pub fn tell(root: &Path, wanted: &str, screen: &Screen) {
    let text = std::fs::read(root.join(FILE)).unwrap_or_else(|_| wanted.as_bytes().to_vec());
    // `doctor` says what is wrong with a file that cannot be read.
    let Ok(config) = Config::read(FILE, &text) else { return };
    let lines: Vec<String> = match &config.protect {
        Some(entries) => entries.iter().flat_map(|entry| lines_of(entry, &config)).collect(),
        None => lines_of_items(&config),
    };
    for line in lines {
        screen.say(&format!("  {}", plain::shown(&line)));
    }
    if let Some(day) = &config.report_until {
        screen.say(&format!("  Until {day} all of this is reported only."));
    }
}

fn lines_of_items(config: &Config) -> Vec<String> {
    vec![
        format!("{}/**: content: {}", config.items(), stops(Rule::Content)),
        "items elsewhere, each with its meta.json: content".to_owned(),
    ]
}

fn lines_of(entry: &Value, config: &Config) -> Vec<String> {
    match is_preset_of_items(entry) {
        true => lines_of_items(config),
        false => line_of(entry).into_iter().collect(),
    }
}

fn line_of(entry: &Value) -> Option<String> {
    if let Some(name) = entry.get("preset").and_then(Value::as_str) {
        return Some(format!("preset {name}: {}", Preset::named(name).ok()?.about));
    }
    let entries = Entry::read_all(entry).ok()?;
    let entry = entries.first()?;
    let globs: Vec<&str> = entry.globs().collect();
    Some(format!("{}: {}: {}", globs.join(", "), entry.rule().name(), stops(entry.rule())))
}

/// Whether a folder of a layout holds a document that the layout protects.
pub fn holds_a_document(root: &Path, preset: &Preset, place: &str) -> bool {
    let Ok(entries) = preset.entries(Some(&[place.to_owned()])) else { return false };
    let policy = Policy::new(entries, true);
    let files = walkdir::WalkDir::new(root.join(place)).into_iter().flatten().take(MOST_FILES);
    let mut paths = files.filter(|file| file.file_type().is_file()).filter_map(|file| {
        let path = file.path().strip_prefix(root).ok()?.to_str()?;
        Some(path.replace(std::path::MAIN_SEPARATOR, "/"))
    });
    let has_form = |path: &str| {
        let text = std::fs::read(root.join(path)).unwrap_or_default();
        preset.has_form(path, &text)
    };
    paths.any(|path| policy.protects(path.as_bytes()) && has_form(&path))
}
