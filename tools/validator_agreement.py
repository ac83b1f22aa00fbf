#!/usr/bin/env python3
"""Compares `flexor check` with the Khronos glTF validator, code by code.

For every glTF file with a FILE.report.json of the validator beside it (its own test files have them), or, with --run, for
every glTF file by running the pinned validator of tools/node: which findings do both have, at the same place and of the
same severity, and which has only one? Codes that only flexor has are left out.

    tools/validator_agreement.py ../shared/corpus/gltf/validator
    tools/validator_agreement.py --run --details ../shared/corpus/gltf

Exit code 0, or with --strict 5 when the two disagree anywhere, 2 on wrong usage, 3 when nothing was found to compare,
6 without the command or the validator.
"""

import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ENDINGS = {".gltf", ".glb", ".vrm", ".vrma"}
SEVERITIES = {"error": 0, "warning": 1, "info": 2, "hint": 2}
BATCH = 50  # files per call of a program

# The validator's main branch after the pinned version made one warning into an info and this new warning.
CHANGED_SEVERITY = {"NODE_SKINNED_MESH_NON_ROOT": 2}
NEWER_CODES = {"NODE_SKINNED_MESH_PARENT_TRANSFORMS"}


def shared_codes():
    """The codes that docs/errors.md marks as those of the validator."""
    page = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    return set(re.findall(r"^\| `([A-Z0-9_]+)` \| \w+ \| K \|", page, re.MULTILINE))


def batches(files):
    for start in range(0, len(files), BATCH):
        yield [str(file) for file in files[start : start + BATCH]]


def by_flexor(command, files):
    """{file: set of (code, place, severity)} for all codes."""
    found = {}
    for batch in batches(files):
        done = subprocess.run([command, "check", "--json", *batch], capture_output=True, text=True, check=False)
        try:
            reports = json.loads(done.stdout)
        except ValueError:
            sys.exit(f"{command} check gave no JSON:\n{done.stdout[:500]}{done.stderr[:2000]}")
        for report in reports if isinstance(reports, list) else [reports]:
            found[report["file"]] = {
                (finding["code"], finding["where"], SEVERITIES[finding["severity"]])
                for finding in report["diagnostics"]
            }
    return found


def finding_of(message):
    """A message of the validator; severities are words or its numbers."""
    severity = message["severity"]
    severity = SEVERITIES[severity] if isinstance(severity, str) else min(severity, 2)
    where = f"byte {message['offset']}" if message.get("offset") is not None else message.get("pointer") or ""
    return message["code"], where, CHANGED_SEVERITY.get(message["code"], severity)


def by_reports(files):
    found = {}
    for file in files:
        report = json.loads(pathlib.Path(f"{file}.report.json").read_text(encoding="utf-8"))
        found[str(file)] = {finding_of(message) for message in report["issues"]["messages"]}
    return found


def by_running(files):
    found = {}
    for batch in batches(files):
        done = subprocess.run(
            ["node", str(ROOT / "tools" / "node" / "validate_gltf.mjs"), *batch],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode == 6:
            print(done.stderr, file=sys.stderr)
            sys.exit(6)
        for entry in json.loads(done.stdout)["files"]:
            # Bytes that the validator does not take for glTF at all have no findings to compare.
            if any(message["code"] == "UNREADABLE" for message in entry["messages"]):
                continue
            found[entry["file"]] = {finding_of(message) for message in entry["messages"]}
    return found


def gltf_files(paths):
    for path in map(pathlib.Path, paths):
        if path.is_dir():
            yield from sorted(file for file in path.rglob("*") if file.suffix in ENDINGS)
        else:
            yield path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", help="files and folders; the corpus of the validator when left out")
    parser.add_argument("--flexor", default=str(ROOT / "build" / "release" / "bin" / "flexor"), help="the command")
    parser.add_argument("--run", action="store_true", help="run the validator instead of reading its reports")
    parser.add_argument("--details", action="store_true", help="list every finding that only one of the two has")
    parser.add_argument("--strict", action="store_true", help="exit code 5 when there are any")
    options = parser.parse_args()

    paths = options.paths or [ROOT.parent / "shared" / "corpus" / "gltf" / "validator"]
    files = list(gltf_files(paths))
    if not options.run:
        files = [file for file in files if pathlib.Path(f"{file}.report.json").exists()]
    if not files:
        print(f"no glTF files to compare in {', '.join(map(str, paths))}", file=sys.stderr)
        return 3
    if not pathlib.Path(options.flexor).exists():
        print(f"no command at {options.flexor}; build it, or name it with --flexor", file=sys.stderr)
        return 6

    shared = shared_codes() - (NEWER_CODES if options.run else set())
    khronos = by_running(files) if options.run else by_reports(files)
    flexor = by_flexor(options.flexor, files)
    counts = collections.defaultdict(collections.Counter)
    details = []
    same_files = 0
    for file, expected in khronos.items():
        got = {finding for finding in flexor[file] if finding[0] in shared}
        same_files += expected == got
        for kind, findings in (
            ("khronos", expected),
            ("flexor", got),
            ("agreed", expected & got),
            ("missing", expected - got),
            ("extra", got - expected),
        ):
            for finding in findings:
                counts[finding[0]][kind] += 1
        details += [("missing", file, *finding) for finding in sorted(expected - got)]
        details += [("extra", file, *finding) for finding in sorted(got - expected)]

    columns = ("khronos", "flexor", "agreed", "missing", "extra")
    width = max(map(len, counts), default=4)
    print(f"{'code':<{width}}  " + "  ".join(f"{column:>7}" for column in columns))
    total = collections.Counter()
    for code in sorted(counts):
        total.update(counts[code])
        print(f"{code:<{width}}  " + "  ".join(f"{counts[code][column] or '.':>7}" for column in columns))
    print(f"{'all':<{width}}  " + "  ".join(f"{total[column]:>7}" for column in columns))
    print(f"\n{len(khronos)} files; the same findings in {same_files} of them")
    if options.details and details:
        print("\nfound by one only:")
        for kind, file, code, where, severity in details:
            print(f"  {kind:<7}  {code}  {where or '(the text)'}  severity {severity}  {file}")
    return 5 if options.strict and details else 0


if __name__ == "__main__":
    sys.exit(main())
