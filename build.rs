//! Compiles the files under `steps/` and `templates/` into the program: a file that is dropped
//! into one of the folders is found without a change to the code.

// A build script is told where it works through the environment.
#![allow(clippy::disallowed_methods)]

use std::{env, fmt::Write as _, fs, io, path::Path};

fn main() -> io::Result<()> {
    let root = env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?;
    let out = env::var("OUT_DIR").map_err(io::Error::other)?;
    let mut code = String::new();
    for folder in ["steps", "templates"] {
        println!("cargo:rerun-if-changed={folder}");
        let mut files = Vec::new();
        walk(&Path::new(&root).join(folder), folder, &mut files)?;
        files.sort();
        let _ = writeln!(code, "pub const {}: &[(&str, &str)] = &[", folder.to_uppercase());
        for (name, path) in files {
            let _ = writeln!(code, "    ({name:?}, include_str!({path:?})),");
        }
        code.push_str("];\n");
    }
    lenses(&Path::new(&root).join("steps/personas/lenses"), &mut code)?;
    fs::write(Path::new(&out).join("embedded.rs"), code)
}

/// The lenses as JSON beside their YAML: it is read many times faster, and every run reads it.
fn lenses(folder: &Path, code: &mut String) -> io::Result<()> {
    let mut files: Vec<_> = fs::read_dir(folder)?.collect::<Result<_, _>>()?;
    files.sort_by_key(fs::DirEntry::file_name);
    code.push_str("pub const LENSES: &[(&str, &str)] = &[\n");
    for file in files {
        let yaml = fs::read_to_string(file.path())?;
        let value: serde_json::Value = serde_yaml::from_str(&yaml)
            .map_err(|error| io::Error::other(format!("{}: {error}", file.path().display())))?;
        let name = format!("personas/lenses/{}", file.file_name().to_string_lossy());
        let _ = writeln!(code, "    ({name:?}, {:?}),", value.to_string());
    }
    code.push_str("];\n");
    Ok(())
}

/// Collects `(path below the folder with forward slashes, absolute path)` of every file.
fn walk(dir: &Path, folder: &str, files: &mut Vec<(String, String)>) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            walk(&path, folder, files)?;
            continue;
        }
        let text = path.to_string_lossy().replace('\\', "/");
        let marker = format!("/{folder}/");
        let name = text.rsplit_once(&marker).map(|(_, name)| name.to_owned()).unwrap_or_default();
        files.push((name, text));
    }
    Ok(())
}
