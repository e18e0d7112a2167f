//! The files below `steps/`, `templates/`, `rules/` and `layouts/`, as they are in the program: a file that is dropped into one of
//! the folders is found without a change to the code.

use std::sync::LazyLock;

use include_dir::{Dir, include_dir};

/// A path below its folder, with forward slashes, and the file's text.
type Embedded = (&'static str, &'static str);

static STEPS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/steps");
static TEMPLATES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/templates");
static RULES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/rules");
static LAYOUTS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/layouts");

/// The files below `steps/`, by path.
pub fn steps() -> &'static [Embedded] {
    static FILES: LazyLock<Vec<Embedded>> = LazyLock::new(|| list_files(&STEPS));
    &FILES
}

/// The files below `templates/`, by path.
pub fn templates() -> &'static [Embedded] {
    static FILES: LazyLock<Vec<Embedded>> = LazyLock::new(|| list_files(&TEMPLATES));
    &FILES
}

/// The files below `rules/`, by path.
pub fn rules() -> &'static [Embedded] {
    static FILES: LazyLock<Vec<Embedded>> = LazyLock::new(|| list_files(&RULES));
    &FILES
}

/// The files below `layouts/`, by path.
pub fn layouts() -> &'static [Embedded] {
    static FILES: LazyLock<Vec<Embedded>> = LazyLock::new(|| list_files(&LAYOUTS));
    &FILES
}

fn list_files(folder: &'static Dir<'static>) -> Vec<Embedded> {
    let mut found = Vec::new();
    collect_files(folder, &mut found);
    found.sort_unstable();
    found
}

fn collect_files(folder: &'static Dir<'static>, found: &mut Vec<Embedded>) {
    found.extend(folder.files().filter_map(|file| Some((file.path().to_str()?, file.contents_utf8()?))));
    folder.dirs().for_each(|inner| collect_files(inner, found));
}
