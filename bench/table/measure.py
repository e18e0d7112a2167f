#!/usr/bin/env python3
"""What does a voice find in documents whose gaps are known?

    bench/table/measure.py play --voice VOICE [--reader VOICE]… --keep DIR
    bench/table/measure.py score DIR [DIR…] [--labels labels.tsv]
    bench/table/measure.py table DIR > labels.tsv

A case is a folder of `cases` with its documents, a `script.yaml` and a `blockers.yaml` of questions that have to be
answered before somebody builds from the documents, each with the words that it is about. `play` holds the discussion of
each case in a repository of its own and keeps the recording and the usage as `DIR/CASE.jsonl` and `DIR/CASE.json`.
With `--voice recorded` the recordings of `--from DIR` are played instead of a model.

`score` counts, for each folder of recordings, the blockers among the first five, six and nine points: of the list as the
reader ranked it, and with those behind that a refuter answers. A point is about a blocker if both quote the same
line; a table of labels, written by `table` and corrected by a reader, decides instead: a blocker's id, `y` for another
question that is open and matters, `n` for one that is answered or does not matter. Several folders are also
counted together: what only one voice found.
"""

import argparse
import csv
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import yaml

HERE = pathlib.Path(__file__).parent
FIRST = (5, 6, 9)
COLUMNS = ["label", "case", "place", "question", "recommended", "quotes", "refuted"]


def cases(folder):
    return sorted(path.parent for path in folder.glob("*/blockers.yaml"))


def run(command, folder):
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def repository(case, folder):
    """A repository with the files of a case, without what names its gaps."""
    item = folder / "docs" / case.name
    shutil.copytree(case, item, ignore=shutil.ignore_patterns("blockers.yaml", "script.yaml"))
    for command in (
        ["init", "--quiet", "--initial-branch", "main"],
        ["add", "."],
        ["-c", "user.name=Sam", "-c", "user.email=sam@example.org", "commit", "--quiet", "--message", "Begin"],
    ):
        subprocess.run(["git", *command], cwd=folder, check=True)
    return item


def play(arguments):
    arguments.keep.mkdir(parents=True, exist_ok=True)
    keep = arguments.keep.resolve()
    for case in cases(arguments.cases):
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place)
            item = repository(case, folder)
            document = next(item.glob("*.md"))
            voice = arguments.voice
            if voice == "recorded":
                voice = f"recorded:{(arguments.recordings / case.name).resolve()}.jsonl"
            command = [arguments.program, "elaborate", str(document.relative_to(folder)), "--step", "01-03", "--json"]
            command += ["--script", str(case.resolve() / "script.yaml"), "--voice", voice]
            command += ["--out", str(keep / f"{case.name}.jsonl")]
            if arguments.readers:
                (folder / ".roundtable.yaml").write_text(yaml.safe_dump({"readers": arguments.readers}))
                run(["git", "add", "."], folder)
                run(["git", "-c", "user.name=Sam", "-c", "user.email=sam@example.org", "commit", "-qm", "Readers"], folder)
            done = run(command, folder)
            if done.returncode != 0:
                print(f"{case.name}: {done.stdout}{done.stderr}", file=sys.stderr)
                continue
            (keep / f"{case.name}.json").write_text(done.stdout)
            print(f"{case.name}: {json.loads(done.stdout)['usage']}", file=sys.stderr)


def line_of(case, quote):
    """The file and line in which a quotation of a label is, to the letter."""
    for path in sorted(case.rglob("*")):
        if path.is_file() and path.name not in ("blockers.yaml", "script.yaml"):
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if quote in line:
                    return str(path.relative_to(case)), number
    raise SystemExit(f"{case.name}: no line has {quote!r}")


def blockers(case):
    """The places of each blocker of a case."""
    labels = yaml.safe_load((case / "blockers.yaml").read_text())["blockers"]
    return {one["id"]: {line_of(case, quote) for quote in one["quotes"]} for one in labels}


def events(recording):
    return [json.loads(line) for line in recording.read_text().splitlines()]


def points(recording):
    """The points of a recording, best first, as the recording has them."""
    return [point for event in events(recording) if event["kind"] == "points" for point in event["points"]]


def places(case, point):
    """Where a point's quotations are, by paths within the case."""
    inside = f"docs/{case.name}/"
    return {(quote["path"].removeprefix(inside), quote["line"]) for quote in point["quotes"]}


def labels_of(case, found, labels):
    """The label of each point: a reader's, else the blocker with whose place it shares a line, else nothing."""
    wanted = blockers(case)
    answer = []
    for point in found:
        by_place = next((name for name, lines in wanted.items() if lines & places(case, point)), "")
        answer.append(labels.get((case.name, point["question"]), by_place))
    return answer


def in_front(found, labels):
    """Points and labels with those behind that a refuter answers."""
    order = sorted(range(len(found)), key=lambda at: found[at].get("refuted") is not None)
    return [labels[at] for at in order]


def landed(recording, found, labels):
    """The labels of the points that a persona spoke of, and of those that stand open in the synthesis."""
    said, written = set(), set()
    for event in events(recording):
        if event["kind"] == "contribution":
            said.update(labels[at] for at in event.get("points", []) if at < len(labels))
        if event["kind"] == "synthesis":
            open_now = " ".join(one["text"] for one in event["open_questions"])
            written.update(label for point, label in zip(found, labels) if point["question"] in open_now)
    return said, written


def score(arguments):
    labels = read_labels(arguments.labels)
    known = {case.name: blockers(case) for case in cases(arguments.cases)}
    total = sum(len(one) for one in known.values())
    everything = {}
    print("recordings\tlist\t" + "\t".join(f"recall of {most}" for most in FIRST) + "\tprecision of 5\trefuted")
    for folder in arguments.recordings:
        rows = {"as ranked": [], "refuted behind": []}
        refuted = requests = tokens = 0
        said_all, written_all = 0, 0
        for case in cases(arguments.cases):
            recording = folder / f"{case.name}.jsonl"
            if not recording.exists():
                print(f"{recording} is missing", file=sys.stderr)
                continue
            found = points(recording)
            names = labels_of(case, found, labels)
            refuted += sum(point.get("refuted") is not None for point in found)
            rows["as ranked"].append((case.name, names))
            rows["refuted behind"].append((case.name, in_front(found, names)))
            everything.setdefault(folder, set()).update((case.name, name) for name in names)
            said, written = landed(recording, found, names)
            said_all += len(said & known[case.name].keys())
            written_all += len((said | written) & known[case.name].keys())
            usage_file = folder / f"{case.name}.json"
            if usage_file.exists():
                usage = json.loads(usage_file.read_text()).get("usage") or {}
                requests += usage.get("requests") or 0
                tokens += (usage.get("input_tokens") or 0) + (usage.get("output_tokens") or 0)
        for name, lists in rows.items():
            shares = []
            for most in FIRST:
                hit = sum(len(set(names[:most]) & known[case].keys()) for case, names in lists)
                shares.append(f"{hit}/{total} {hit / total:.2f}")
            first = [label for _, names in lists for label in names[:5]]
            right = sum(label not in ("", "n") for label in first)
            print(f"{folder}\t{name}\t" + "\t".join(shares) + f"\t{right}/{len(first)}\t{refuted}")
        print(f"{folder}\tthe discussion: {said_all} spoken of, {written_all} spoken of or left as open questions;")
        print(f"{folder}\t{requests} requests, {tokens} tokens")
    if len(arguments.recordings) > 1:
        together(everything, known, total)


def together(everything, known, total):
    """What several voices found between them, and what only one of them did."""
    wanted = {(case, name) for case, names in known.items() for name in names}
    union = set().union(*everything.values()) & wanted
    print(f"together\t{len(union)}/{total}")
    for folder, found in everything.items():
        others = set().union(*(other for name, other in everything.items() if name != folder))
        print(f"only {folder}\t{len((found - others) & wanted)}")


def read_labels(path):
    if path is None:
        return {}
    with open(path, newline="") as table:
        return {
            (row["case"], row["question"]): row["label"]
            for row in csv.DictReader(table, delimiter="\t")
            if row["label"]
        }


def table(arguments):
    out = csv.writer(sys.stdout, delimiter="\t", lineterminator="\n")
    out.writerow(COLUMNS)
    for case in cases(arguments.cases):
        recording = arguments.recordings[0] / f"{case.name}.jsonl"
        found = points(recording) if recording.exists() else []
        for place, (point, label) in enumerate(zip(found, labels_of(case, found, {})), 1):
            quotes = "; ".join(f"{quote['path']}:{quote['line']} {quote['quote']}" for quote in point["quotes"])
            refuted = (point.get("refuted") or {}).get("answer", "")
            out.writerow([label, case.name, place, point["question"], point["recommended"], quotes, refuted])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(required=True)
    player = verbs.add_parser("play", help="hold the discussion of each case")
    player.add_argument("--voice", required=True)
    player.add_argument("--reader", dest="readers", action="append", default=[])
    player.add_argument("--keep", type=pathlib.Path, required=True)
    player.add_argument("--from", dest="recordings", type=pathlib.Path)
    player.add_argument("--program", default="roundtable")
    player.set_defaults(run=play)
    scorer = verbs.add_parser("score", help="count what was found")
    scorer.add_argument("recordings", type=pathlib.Path, nargs="+")
    scorer.add_argument("--labels", type=pathlib.Path)
    scorer.set_defaults(run=score)
    tabler = verbs.add_parser("table", help="write the points for a reader to label")
    tabler.add_argument("recordings", type=pathlib.Path, nargs=1)
    tabler.set_defaults(run=table)
    for verb in (player, scorer, tabler):
        verb.add_argument("--cases", type=pathlib.Path, default=HERE / "cases")
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
