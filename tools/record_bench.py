#!/usr/bin/env python3
"""Measures everything that the documents quote and writes bench/results.json; then puts the figures into the documents.

Usage: tools/record_bench.py [COMMAND] [--seconds S] [--processor-time] [--only TEXT]
COMMAND is build/release/bin/flexor where not said. --only measures the rows whose kernel/mesh has TEXT anew and keeps the others
(not for the last word: what is quoted side by side should come from one run). --processor-time counts what a busy machine takes
from others out of one-thread rows. Takes about ten minutes on an idle machine; the load at the start is written down with it.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECORD = ROOT / "bench" / "results.json"

# Every row with one thread; what two threads gain; every SIMD target and the candidates that lost, where they are quoted.
RUNS = [
    ["--threads", "1"],
    ["--threads", "2", "--filter", "grid-100k"],
    ["--threads", "2", "--filter", "skin_lbs/grid-1"],
    ["--threads", "1", "--all", "--filter", "skin_lbs/grid-100k"],
    ["--threads", "1", "--all", "--filter", "morph_accumulate_mix8/grid-10k"],
]


def key_of(row):
    return (row["kernel"], row["mesh"], row["threads"], row["backend"], row["target"])


def first_match(pattern, path):
    found = re.search(pattern, pathlib.Path(path).read_text(errors="replace"), re.M)
    return found.group(1).strip() if found else ""


def machine_of(rows, load, options):
    processor = first_match(r"^model name\s*:\s*(.*)$", "/proc/cpuinfo") or os.uname().machine
    compiler = ""
    for version in (ROOT / "build" / "release" / "CMakeFiles").glob("*/CMakeCXXCompiler.cmake"):
        text = version.read_text()
        compiler = " ".join(re.search(rf'CMAKE_CXX_COMPILER_{part} "([^"]*)"', text).group(1) for part in ("ID", "VERSION"))
    best = next(row["target"] for row in rows if row["kernel"] == "skin_lbs")
    busy = f"load {load:.1f} at the start"
    how = "processor time" if options.processor_time else "wall clock"
    return {"words": f"{processor}, {os.cpu_count()} cores, {compiler}, target {best}, {how}, {busy}", "processor": processor,
            "cores": os.cpu_count(), "compiler": compiler, "simd_target": best, "load": round(load, 1)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", nargs="?", default=str(ROOT / "build" / "release" / "bin" / "flexor"))
    parser.add_argument("--seconds", default="1")
    parser.add_argument("--processor-time", action="store_true")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    load = os.getloadavg()[0]
    rows = {}
    if options.only:
        rows = {key_of(row): row for row in json.loads(RECORD.read_text())["rows"]}
    for run in [["--threads", "1", "--filter", options.only]] if options.only else RUNS:
        command = [options.command, "bench", "--json", "--seconds", options.seconds] + run
        if options.processor_time and run[1] == "1":
            command.append("--processor-time")
        print(" ".join(command[1:]), file=sys.stderr)
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
        if done.returncode != 0:
            return done.returncode
        for row in json.loads(done.stdout):
            rows.setdefault(key_of(row), row)  # the first run of a row counts
            if options.only:
                rows[key_of(row)] = row
    commit = subprocess.run(["git", "describe", "--always", "--dirty", "--exclude=*"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    head = {"commit": commit, "machine": machine_of(rows.values(), load, options)}
    lines = ",\n".join("  " + json.dumps(row, ensure_ascii=False) for row in rows.values())
    RECORD.write_text(json.dumps(head, ensure_ascii=False, indent=1)[:-2] + ',\n "rows": [\n' + lines + "\n ]\n}\n")
    return subprocess.run([sys.executable, str(ROOT / "tools" / "check_figures.py"), "--write"]).returncode


if __name__ == "__main__":
    sys.exit(main())
