//! A machine as a page's reader has it, and the page's commands run on it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::fence::{Fence, Kind};
use super::root;
use crate::kit::{Sandbox, empty};

/// What the tests run instead of cargo: the program that was built, and nothing else.
const CARGO: &str = "#!/bin/sh\ncase \"$1 $2\" in\n'run --release') shift 3; exec roundtable \"$@\" ;;\n\
                     'install --path' | test*) ;;\n*) echo \"cargo $*: not in the tests\"; exit 1 ;;\nesac\n";

/// What stands before the program where its commands are listened to: each is shown as it was typed, with what it
/// prints and a code that is not 0, between two signs.
const OVERHEARD: &str = "#!/bin/sh\nprintf '\\035$ roundtable'\nfor word; do case $word in *' '*) printf ' \"%s\"' \"$word\" ;; *) printf ' %s' \"$word\" ;; esac; done\necho\n\
                         PROGRAM \"$@\" || { code=$?; printf '[exit code %s]\\n' $code; }\nprintf '\\035'\nexit ${code:-0}\n";

/// The pages whose commands stand in a clone of this project, for its example.
const IN_A_CLONE: [&str; 3] = ["README.md", "docs/github.md", "docs/voices.md"];

/// A reader's machine: an empty home, and folders for the page.
pub struct Machine {
    pub sandbox: Sandbox,
}

impl Machine {
    /// The README's reader has told git no name yet; the pages' have.
    pub fn new(page: &str) -> Machine {
        let sandbox = empty();
        for folder in ["home", "bin", "files", "desk"] {
            std::fs::create_dir_all(sandbox.outside(folder)).unwrap();
        }
        let config = "[user]\n\tname = Sam\n\temail = sam@example.org\n[advice]\n\tdetachedHead = false\n";
        if page != "README.md" {
            std::fs::write(sandbox.outside("home/.gitconfig"), config).unwrap();
        }
        let machine = Machine { sandbox };
        machine.program("cargo", CARGO);
        machine
    }

    /// Has every command of the program shown in what is printed.
    pub fn overhear(&self) {
        let text = OVERHEARD.replace("PROGRAM", env!("CARGO_BIN_EXE_roundtable"));
        self.program("roundtable", &text);
    }

    /// Puts a script among the programs.
    fn program(&self, name: &str, text: &str) {
        let path = self.sandbox.outside(&format!("bin/{name}"));
        std::fs::write(&path, text).unwrap();
        assert!(Command::new("chmod").arg("+x").arg(path).status().unwrap().success());
    }

    /// Where a page begins: some of them in a clone of this project.
    pub fn start(&self, page: &str) -> PathBuf {
        if !IN_A_CLONE.contains(&page) {
            return self.sandbox.outside("desk");
        }
        for entry in walkdir::WalkDir::new(root().join("examples")) {
            let entry = entry.unwrap();
            let to = self.sandbox.root().join(entry.path().strip_prefix(root()).unwrap());
            if entry.file_type().is_dir() {
                std::fs::create_dir_all(to).unwrap();
            } else {
                std::fs::copy(entry.path(), to).unwrap();
            }
        }
        self.sandbox.commit_all();
        self.sandbox.root()
    }

    /// Runs a page's blocks in one shell; what each printed, and whether all went well.
    pub fn run(&self, page: &str, fences: &[Fence<'_>]) -> (Vec<String>, Result<(), String>) {
        let mut script = String::from("set -eu\nexec 2>&1\n");
        for (at, fence) in fences.iter().enumerate() {
            match fence.kind() {
                Some(Kind::Run) => write!(script, "printf '\\036%s\\n' {at}\n{}", fence.body).unwrap(),
                Some(Kind::SaysNo) => write!(
                    script,
                    "printf '\\036%s\\n' {at}\nset +e\n{}code=$?\nset -e\n[ $code = 1 ] || exit 3\n",
                    fence.body
                )
                .unwrap(),
                Some(Kind::File(file)) => {
                    let kept = self.sandbox.outside(&format!("files/{at}"));
                    std::fs::write(&kept, &fence.body).unwrap();
                    let folder = Path::new(file).parent().unwrap().join(".");
                    let (kept, folder) = (kept.display(), folder.display());
                    writeln!(script, "mkdir -p '{folder}' && cat '{kept}' > '{file}'").unwrap();
                }
                _ => {}
            }
        }
        let program = Path::new(env!("CARGO_BIN_EXE_roundtable")).parent().unwrap();
        let bin = self.sandbox.outside("bin");
        let path = format!("{}:{}:/usr/local/bin:/usr/bin:/bin", bin.display(), program.display());
        let output = Command::new("sh")
            .arg("-c")
            .arg(script)
            .current_dir(self.start(page))
            .env_clear()
            .env("HOME", self.sandbox.outside("home"))
            .env("PATH", path)
            .env("GIT_PAGER", "cat")
            .env("LC_ALL", "C.UTF-8")
            .env("TZ", "UTC")
            .envs([("GIT_AUTHOR_DATE", BEFORE), ("GIT_COMMITTER_DATE", BEFORE), ("SOURCE_DATE_EPOCH", AT)])
            .output()
            .unwrap();
        let mut printed = vec![String::new(); fences.len()];
        for part in String::from_utf8_lossy(&output.stdout).split('\u{1e}').skip(1) {
            let (at, text) = part.split_once('\n').unwrap();
            printed[at.parse::<usize>().unwrap()] = text.to_owned();
        }
        let reached = printed.iter().rposition(|text| !text.is_empty()).unwrap_or_default();
        let failed = || {
            format!(
                "{page}:{}: this block, or one below it, fails\n{}",
                fences[reached].line, printed[reached]
            )
        };
        let went_well = if output.status.success() { Ok(()) } else { Err(failed()) };
        (printed, went_well)
    }
}

/// When the commits of a page are made by git, and what roundtable's clock says: 2026-02-20T14:30:00Z.
const BEFORE: &str = "2026-02-20T14:00:00+00:00";
const AT: &str = "1771597800";
