#!/usr/bin/env python3
"""How often is each rule of `roundtable review` right on documents that it was not made for?

    bench/review/measure.py find LIST --repositories DIR > findings.tsv
    bench/review/measure.py score findings.tsv

LIST has a line for each repository: `owner/name commit`. DIR holds the repositories as `owner+name/repo` or
`owner/name`, bare or not; nothing is checked out. `find` reviews the requirement, design, decision and task documents
of each commit together and writes a table with an empty column `label`. A person reads each finding at its place
and writes `y` where it is right, `n` where it is wrong. `score` counts the labels by rule. No document is kept.
"""

import argparse
import collections
import csv
import hashlib
import json
import pathlib
import re
import subprocess
import sys

FOLDERS = re.compile(r"^(specs|openspec|\.kiro/specs|\.specify/specs)/|(^|/)(adrs?|decisions|rfcs?|requirements)/", re.I)
NAMES = re.compile(
    r"(^|[-_./])(prd|srs|specs?|specification|requirements?|user-?stories|stories|design|architecture|"
    r"tasks|plan|roadmap|proposal|adr|rfc|scope|vision)(?![a-z])[^/]*\.md$",
    re.I,
)
# Folders of tools, dependencies and sites.
PASSED_OVER = re.compile(
    r"(^|/)(node_modules|vendor|\.github|\.claude|\.cursor|\.specify/(templates|memory)|templates?|\.venv|"
    r"site-packages|archive)/",
    re.I,
)
COLUMNS = ["label", "rule", "severity", "repository", "path", "line", "quote", "message", "related"]


def git(folder, *arguments):
    done = subprocess.run(["git", "-C", folder, *arguments], capture_output=True, check=True)
    return done.stdout.decode("utf-8", "replace")


def documents(folder, commit, most):
    """The documents of a commit: whole folders, chosen by the hash of their paths, until there are enough."""
    paths = git(folder, "ls-tree", "-r", "-z", "--name-only", commit).split("\0")
    chosen = [
        path
        for path in paths
        if path.lower().endswith(".md")
        and not PASSED_OVER.search(path)
        and (FOLDERS.search(path) or NAMES.search(path))
    ]
    groups = collections.defaultdict(list)
    for path in chosen:
        parts = path.split("/")
        depth = 3 if parts[0] in ("openspec", ".kiro", ".specify") else 2
        groups["/".join(parts[: min(depth, len(parts) - 1)])].append(path)
    found = []
    for name in sorted(groups, key=lambda name: hashlib.sha256(name.encode()).hexdigest()):
        found += groups[name]
        if len(found) >= most:
            break
    return sorted(found)


def review(program, folder, commit, paths):
    command = [program, "--repo", folder, "review", "--rev", commit, "--json", "--fail-on", "none", *paths]
    done = subprocess.run(command, capture_output=True, check=False)
    answer = json.loads(done.stdout)
    if done.returncode != 2:
        return answer
    # A document that is not text is left out; anything else is a mistake.
    message = answer["error"]["message"]
    left = [path for path in paths if not message.startswith(f"{path} is ")]
    print(f"{folder}: {message}", file=sys.stderr)
    if len(left) in (0, len(paths)):
        return {"findings": [], "documents": 0, "lines": 0}
    return review(program, folder, commit, left)


def short(text, most):
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"


def find(arguments):
    out = csv.writer(sys.stdout, delimiter="\t", lineterminator="\n")
    out.writerow(COLUMNS)
    repositories = documents_read = lines = 0
    for entry in pathlib.Path(arguments.list).read_text().splitlines():
        if not entry.strip() or entry.startswith("#"):
            continue
        name, commit = entry.split()[:2]
        places = [name.replace("/", "+") + "/repo", name]
        folder = next((place for place in places if (arguments.repositories / place).is_dir()), None)
        if folder is None:
            print(f"{name} is not below {arguments.repositories}", file=sys.stderr)
            continue
        folder = str(arguments.repositories / folder)
        paths = documents(folder, commit, arguments.documents)
        if not paths:
            continue
        found = review(arguments.program, folder, commit, paths)
        repositories, documents_read, lines = (
            repositories + 1,
            documents_read + found["documents"],
            lines + found["lines"],
        )
        for one in found["findings"]:
            related = "; ".join(f"{other['path']}:{other['line']} {short(other['quote'], 60)}" for other in one["related"][:3])
            row = [one["rule"], one["severity"], name, one["path"], one["line"], short(one["quote"], 100)]
            out.writerow(["", *row, short(one["message"], 160), related])
    print(f"{repositories} repositories, {documents_read} documents, {lines} lines", file=sys.stderr)


def score(arguments):
    counts = collections.defaultdict(collections.Counter)
    with open(arguments.table, newline="") as table:
        for row in csv.DictReader(table, delimiter="\t"):
            counts[row["rule"]][row["label"] or "unlabelled"] += 1
    print("rule\tfound\tright\tunlabelled")
    for rule, labels in sorted(counts.items()):
        print(f"{rule}\t{labels['y'] + labels['n']}\t{labels['y']}\t{labels['unlabelled']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(required=True)
    finder = verbs.add_parser("find", help="review the documents of a list of repositories and commits")
    finder.add_argument("list")
    finder.add_argument("--repositories", type=pathlib.Path, required=True)
    finder.add_argument("--program", default="roundtable")
    finder.add_argument("--documents", type=int, default=12, help="read whole folders until there are so many")
    finder.set_defaults(run=find)
    scorer = verbs.add_parser("score", help="count the labels by rule")
    scorer.add_argument("table")
    scorer.set_defaults(run=score)
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
