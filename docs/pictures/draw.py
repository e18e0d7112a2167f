#!/usr/bin/env python3
"""Draws the pictures of the page of a discussion and of the first comment on an issue, light and dark.

usage: draw.py ROUNDTABLE [FILE.md]

ROUNDTABLE is the program. It shows `examples/late-fees.jsonl` as a page; `cards.md` beside this file is a comment as the
program writes it, which a test keeps so. With FILE.md that comment is drawn instead, into the current folder, at the width
of a page and of a telephone. Needs cmarkgfm, which is GitHub's own Markdown, and a headless Chromium.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import cmarkgfm
from cmarkgfm.cmark import Options

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# The number that Chromium gives each scheme.
SCHEMES = {"light": 1, "dark": 0}
STYLE = """
:root { --bg: #fff; --ink: #1f2328; --soft: #59636e; --line: #d1d9e0; --link: #0969da; --code: #818b981f; }
@media (prefers-color-scheme: dark) {
  :root { --bg: #0d1117; --ink: #f0f6fc; --soft: #9198a1; --line: #3d444d; --link: #4493f8; --code: #656c7633; }
}
html { color-scheme: light dark; }
body { margin: 0; padding: 16px; background: var(--bg); color: var(--ink);
  font: 14px/1.5 -apple-system, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif; }
a { color: var(--link); text-decoration: none; }
p, ul, details { margin: 0 0 16px; }
ul { padding-left: 2em; }
h3 { font-size: 1.25em; margin: 0 0 16px; }
code { background: var(--code); border-radius: 6px; padding: .2em .4em; font-size: 85%; }
blockquote { margin: 0 0 16px; padding: 0 1em; color: var(--soft); border-left: .25em solid var(--line); }
li:has(> input), li:has(> p > input) { list-style: none; }
li > input, li > p > input { margin: 0 .4em .25em -1.6em; vertical-align: middle; }
hr { border: 0; border-top: 1px solid var(--line); margin: 24px 0; }
"""


def browser():
    for name in ("chromium-headless-shell", "chromium", "google-chrome"):
        if shutil.which(name):
            return name
    sys.exit("no Chromium on PATH")


def shoot(page, picture, scheme, width, height):
    """A picture of the upper part of a page."""
    command = [browser(), "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
               f"--window-size={width},{height}", f"--blink-settings=preferredColorScheme={SCHEMES[scheme]}",
               f"--screenshot={picture}", page.as_uri()]
    subprocess.run(command, check=True, capture_output=True)


def comment(markdown):
    """A comment as GitHub shows it, as a page."""
    # In a comment every line end is one.
    options = Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_HARDBREAKS
    body = cmarkgfm.github_flavored_markdown_to_html(markdown, options=options)
    return f'<!doctype html><meta charset="utf-8"><style>{STYLE}</style>{body}'


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        if len(sys.argv) == 3:
            page = folder / "comment.html"
            page.write_text(comment(pathlib.Path(sys.argv[2]).read_text("utf-8")), "utf-8")
            for name, width in (("page", 830), ("telephone", 390)):
                shoot(page, pathlib.Path(os.getcwd(), f"{name}.png"), "light", width, 2400)
            return
        shown = subprocess.run([sys.argv[1], "--repo", ROOT, "show", ROOT / "examples/late-fees.jsonl", "--format", "html"],
                               check=True, capture_output=True, text=True).stdout
        pages = {"page": (shown, 760, 1500), "cards": (comment((HERE / "cards.md").read_text("utf-8")), 830, 460)}
        for name, (text, width, height) in pages.items():
            page = folder / f"{name}.html"
            page.write_text(text, "utf-8")
            for scheme in SCHEMES:
                shoot(page, HERE / f"{name}-{scheme}.png", scheme, width, height)


if __name__ == "__main__":
    main()
