//! The README's pictures of a terminal: a part of what its first command prints.
//!
//! `DOCUMENTS=write cargo test --test suite documents::` draws them again.

use std::fmt::Write as _;

use super::machine::Machine;
use super::root;

const COLUMNS: usize = 92;
const COLUMN: f64 = 8.4;
const LINE: usize = 20;
const MARGIN: usize = 18;

/// The part of the discussion that is shown: from the line that begins like this to the one before the other.
const FIRST: &str = "Sam (user): Alex, does the code count";
const END: &str = "Jordan Park (System Designer): One path nobody named";

/// The colours of one picture, by the terminal's names for the numbers 32, 33, 35 and 36.
struct Palette {
    name: &'static str,
    ground: &'static str,
    border: &'static str,
    text: &'static str,
    dim: &'static str,
    green: &'static str,
    yellow: &'static str,
    magenta: &'static str,
    cyan: &'static str,
}

const PALETTES: [Palette; 2] = [
    Palette {
        name: "light",
        ground: "#ffffff",
        border: "#d0d7de",
        text: "#1f2328",
        dim: "#59636e",
        green: "#1a7f37",
        yellow: "#7d4e00",
        magenta: "#8250df",
        cyan: "#0550ae",
    },
    Palette {
        name: "dark",
        ground: "#0d1117",
        border: "#3d444d",
        text: "#e6edf3",
        dim: "#9198a1",
        green: "#7ee787",
        yellow: "#e3b341",
        magenta: "#d2a8ff",
        cyan: "#79c0ff",
    },
];

/// Text of one look.
#[derive(Clone, Default)]
struct Span {
    text: String,
    is_bold: bool,
    is_dim: bool,
    /// The terminal's number of the colour; 0 is the usual one.
    colour: u8,
}

/// The spans of a line with the terminal's codes for bold (1), dim (2), colours (30 to 37) and none (0).
fn spans(line: &str) -> Vec<Span> {
    let mut look = Span::default();
    let mut found = Vec::new();
    for (at, part) in line.split("\u{1b}[").enumerate() {
        let mut text = part;
        if at > 0 {
            let (code, rest) = part.split_once('m').unwrap();
            match code.parse().unwrap() {
                0 => look = Span::default(),
                1 => look.is_bold = true,
                2 => look.is_dim = true,
                colour @ 30..=37 => look.colour = colour,
                code => panic!("the picture does not know the code {code}"),
            }
            text = rest;
        }
        if !text.is_empty() {
            found.push(Span { text: text.to_owned(), ..look.clone() });
        }
    }
    found
}

/// Breaks a line between words where the terminal ends; the rest is indented like its text.
fn wrap(spans: Vec<Span>) -> Vec<Vec<Span>> {
    let mut lines = vec![Vec::new()];
    let mut used = 0;
    for span in spans {
        let mut kept = Span { text: String::new(), ..span.clone() };
        for word in span.text.split_inclusive(' ') {
            let width = word.trim_end().chars().count();
            if used + width > COLUMNS && used > 0 {
                lines.last_mut().unwrap().push(std::mem::take(&mut kept));
                lines.push(Vec::new());
                kept = Span { text: "    ".to_owned(), ..span.clone() };
                used = 4;
            }
            kept.text.push_str(word);
            used += word.chars().count();
        }
        lines.last_mut().unwrap().push(kept);
    }
    lines
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The picture of lines on a terminal.
fn draw(lines: &[Vec<Span>], palette: &Palette) -> String {
    let width = COLUMNS as f64 * COLUMN + 2.0 * MARGIN as f64;
    let height = lines.len() * LINE + 2 * MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height}\" width=\"{width:.0}\" height=\"{height}\" \
         font-family=\"ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" font-size=\"14\">\n\
         <rect x=\"0.5\" y=\"0.5\" width=\"{:.0}\" height=\"{}\" rx=\"8\" fill=\"{}\" stroke=\"{}\"/>\n",
        width - 1.0,
        height - 1,
        palette.ground,
        palette.border,
    );
    for (row, line) in lines.iter().enumerate() {
        let mut column = 0;
        for span in line {
            let count = span.text.chars().count();
            let fill = match span.colour {
                32 => palette.green,
                33 => palette.yellow,
                35 => palette.magenta,
                36 => palette.cyan,
                _ if span.is_dim => palette.dim,
                _ => palette.text,
            };
            let weight = if span.is_bold { " font-weight=\"bold\"" } else { "" };
            // The length makes a column as wide in any font.
            if !span.text.trim().is_empty() {
                writeln!(
                    svg,
                    "<text xml:space=\"preserve\" x=\"{:.1}\" y=\"{}\" textLength=\"{:.1}\" fill=\"{fill}\"{weight}>{}</text>",
                    MARGIN as f64 + column as f64 * COLUMN,
                    MARGIN + row * LINE + 14,
                    count as f64 * COLUMN,
                    escaped(&span.text),
                )
                .unwrap();
            }
            column += count;
        }
    }
    svg + "</svg>\n"
}

/// The first command of the README, its words without cargo's.
fn first_command(readme: &str) -> Vec<&str> {
    let line = readme.lines().find_map(|line| line.strip_prefix("cargo run --release -- "));
    line.expect("the README begins with a discussion").split(' ').collect()
}

/// The lines of a discussion that are shown, without the blank ones at their ends.
fn shown(printed: &str) -> Vec<Vec<Span>> {
    let text = |line: &[Span]| line.iter().map(|span| span.text.as_str()).collect::<String>();
    let lines = printed.lines().map(spans);
    let lines = lines.skip_while(|line| !text(line).starts_with(FIRST));
    let mut lines: Vec<Vec<Span>> = lines.take_while(|line| !text(line).starts_with(END)).collect();
    while lines.last().is_some_and(|line| text(line).trim().is_empty()) {
        lines.pop();
    }
    lines.into_iter().flat_map(wrap).collect()
}

#[test]
fn the_pictures_of_the_readme_show_what_is_printed() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let machine = Machine::new("README.md");
    machine.start("README.md");
    let run = machine.sandbox.run(&[&first_command(&readme)[..], &["--color", "always"]].concat()).ok();
    let lines = shown(&run.stdout);
    assert!(lines.len() > 10, "{}", run.stdout);
    for palette in &PALETTES {
        let file = root().join(format!("docs/pictures/discussion-{}.svg", palette.name));
        let drawn = draw(&lines, palette);
        if std::env::var_os("DOCUMENTS").is_some_and(|how| how == "write") {
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(&file, &drawn).unwrap();
        }
        let kept = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(kept == drawn, "{}: draw it again with DOCUMENTS=write", file.display());
        assert!(readme.contains(&format!("docs/pictures/discussion-{}.svg", palette.name)));
    }
}
