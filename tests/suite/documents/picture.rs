//! The README's pictures of a terminal, drawn from what the program prints for the README's own document.
//!
//! `DOCUMENTS=write cargo test --test suite documents::` draws them again.

use std::fmt::Write as _;

use super::root;
use crate::kit::empty;

const COLUMNS: usize = 92;
const COLUMN: f64 = 8.4;
const LINE: usize = 20;
const MARGIN: usize = 18;

/// The colours of one picture; red, yellow and cyan are those of the terminal's numbers 31, 33 and 36.
struct Palette {
    name: &'static str,
    ground: &'static str,
    border: &'static str,
    text: &'static str,
    red: &'static str,
    yellow: &'static str,
    cyan: &'static str,
}

const PALETTES: [Palette; 2] = [
    Palette {
        name: "light",
        ground: "#ffffff",
        border: "#d0d7de",
        text: "#1f2328",
        red: "#b3261e",
        yellow: "#7d4e00",
        cyan: "#0550ae",
    },
    Palette {
        name: "dark",
        ground: "#0d1117",
        border: "#3d444d",
        text: "#e6edf3",
        red: "#ff7b72",
        yellow: "#e3b341",
        cyan: "#79c0ff",
    },
];

/// Text of one look.
#[derive(Clone, Default)]
struct Span {
    text: String,
    is_bold: bool,
    /// The terminal's number of the colour; 0 is the usual one.
    colour: u8,
}

/// The spans of a line with the terminal's codes for bold (1), colours (30 to 37) and none (0).
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
                31 => palette.red,
                33 => palette.yellow,
                36 => palette.cyan,
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

/// The README's document, as its commands write it.
fn document(readme: &str) -> &str {
    readme.split_once("<<'SPEC'\n").unwrap().1.split_once("\nSPEC\n").unwrap().0
}

#[test]
fn the_pictures_of_the_readme_show_what_is_printed() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let sandbox = empty();
    let path = "docs/requirements/late-fees/requirements-spec.md";
    sandbox.commit(&[(path, &format!("{}\n", document(&readme)))]);
    let run = sandbox.run(&["review", "docs", "--color", "always"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let shown = format!("\u{1b}[1m$ roundtable review docs\u{1b}[0m\n{}", run.stdout);
    let lines: Vec<Vec<Span>> = shown.trim_end().lines().flat_map(|line| wrap(spans(line))).collect();
    for palette in &PALETTES {
        let file = root().join(format!("docs/pictures/review-{}.svg", palette.name));
        let drawn = draw(&lines, palette);
        if std::env::var_os("DOCUMENTS").is_some_and(|how| how == "write") {
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(&file, &drawn).unwrap();
        }
        let kept = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(kept == drawn, "{}: draw it again with DOCUMENTS=write", file.display());
        assert!(readme.contains(&format!("docs/pictures/review-{}.svg", palette.name)));
    }
}
