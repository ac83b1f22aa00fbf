#!/usr/bin/env python3
"""Holds the measured figures in the documents to the one recorded benchmark, bench/results.json.

Usage: tools/check_figures.py [--write]   (--write puts the recorded values into the documents)
tools/record_bench makes bench/results.json. In a document a figure stands between two comments, the first of which says what it is:

  <!--= ns skin_lbs/grid-100k -->2.7<!--/-->                        a field of a row
  <!--= ratio_plain skin_lbs/figure skin_lbs/Fox -->4.7 to 5.1<!--/-->  its range over several rows
  <!--= ns skin_lbs/grid-100k / ns skin_lbs/grid-100k@2 -->1.8<!--/-->  one figure divided by another
  <!--= machine -->...<!--/-->                                      what was measured on
  <!--= target -->AVX3<!--/-->                                      the best SIMD target there
  <!--= table                                                        a table; % in a column stands for what a row is of
  column: ns/vertex = ns %
  column: gain by two threads = ns % / ns %@2
  row: linear blending = skin_lbs/grid-100k
  -->...<!--/-->
  <!--= once -->65 ns<!--/-->                                       a goal, or measured once and not recorded: the text says so

A row is named KERNEL/MESH, with @N for N threads and :NAME for another SIMD target than the best, or another backend than cpu.
Fields: vertices, joints, influences, ns (a vertex), us (a whole frame),
ratio_plain, ratio_eigen, ratio_ceiling, ratio_lbs. Fails where a document differs from the record, where a mark asks for what the
record lacks, where a time stands in a document without a mark, and where one stands in a public header at all.
"""
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECORD = ROOT / "bench" / "results.json"
MARK = re.compile(r"<!--=(?P<spec>.*?)-->(?P<text>.*?)<!--/-->", re.S)
TIME = re.compile(r"\d ?(ns|us|µs)\b")


class Fault(Exception):
    """A mark that cannot be answered."""


class Missing(Fault):
    """A field that a row does not have."""


def digits(value, field):
    """Counts as they are, times and ratios to two significant digits, from ten on to whole numbers."""
    if field in ("vertices", "joints"):
        return f"{value:,.0f}"
    if field == "influences":
        return f"{value:.2f}"
    if value >= 9.95:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 0.95 else f"{value:.2f}"


class Record:
    def __init__(self, data):
        self.machine = data["machine"]
        self.rows = {}
        best = self.machine["simd_target"]
        for row in data["rows"]:
            key = f"{row['kernel']}/{row['mesh']}"
            if row["threads"] != 1:
                key += f"@{row['threads']}"
            if row["target"] not in ("", best):
                key += f":{row['target']}"
            elif row["backend"] not in ("", "cpu", "losing"):
                key += f":{row['backend']}"
            self.rows[key] = row

    def value(self, field, key):
        if key not in self.rows:
            raise Fault(f"the record has no row '{key}'")
        row = self.rows[key]
        value = (row["ns_per_vertex"] if field == "ns" else row["ns_per_vertex"] * row["vertices"] / 1000 if field == "us"
                 else row.get(field))
        if value is None:
            raise Missing(f"the row '{key}' has no '{field}'")
        return value

    def figure(self, spec):
        """The text of a mark on a line: FIELD KEY ..., with a second after ' / ' that it is divided by."""
        parts = [part.split() for part in spec.split(" / ")]
        if any(len(part) < 2 for part in parts) or len(parts) > 2:
            raise Fault(f"'{spec}' is not FIELD ROW ... or FIELD ROW / FIELD ROW")
        if len(parts) == 2:
            (field, key), (by_field, by_key) = parts[0], parts[1]
            return digits(self.value(field, key) / self.value(by_field, by_key), "ratio")
        field, *keys = parts[0]
        low, high = (digits(pick(self.value(field, key) for key in keys), field) for pick in (min, max))
        return low if low == high else f"{low} to {high}"

    def cell(self, spec):
        """A figure, or nothing where a row that is there has no such peer."""
        try:
            return self.figure(spec)
        except Missing:
            return ""

    def table(self, lines):
        columns, rows = [], []
        for line in lines:
            kind, _, rest = line.partition(":")
            title, _, spec = (part.strip() for part in rest.partition(" = "))
            if kind not in ("column", "row") or not spec:
                raise Fault(f"'{line}' is neither 'column: TITLE = FIGURE' nor 'row: LABEL = ROW'")
            (columns if kind == "column" else rows).append((title, spec))
        out = ["| | " + " | ".join(title for title, _ in columns) + " |", "|---" * (len(columns) + 1) + "|"]
        for label, key in rows:
            cells = [self.cell(spec.replace("%", key)) for _, spec in columns]
            out.append(f"| {label} | " + " | ".join(cells) + " |")
        return "\n" + "\n".join(out) + "\n"

    def text(self, spec):
        spec = spec.strip()
        first, *lines = spec.split("\n")
        if first == "table":
            return self.table([line.strip() for line in lines if line.strip()])
        if first == "machine":
            return self.machine["words"]
        if first == "target":
            return self.machine["simd_target"]
        return self.figure(spec)


def documents():
    names = [ROOT / "README.md", ROOT / "HACKING.md"]
    return [n for n in names + sorted((ROOT / "docs").rglob("*.md")) if n.is_file()]


def main():
    write = sys.argv[1:] == ["--write"]
    if sys.argv[1:] and not write:
        print(__doc__, file=sys.stderr)
        return 2
    record = Record(json.loads(RECORD.read_text()))
    findings, marks = [], 0
    for path in documents():
        name = path.relative_to(ROOT)
        text = path.read_text()

        def answer(match):
            nonlocal marks
            line = text.count("\n", 0, match.start()) + 1
            if match["spec"].strip() == "once":
                return match.group()
            marks += 1
            try:
                wanted = record.text(match["spec"])
            except Fault as fault:
                findings.append(f"{name}:{line}: {fault}")
                return match.group()
            if wanted != match["text"] and not write:
                findings.append(f"{name}:{line}: says '{match['text'].strip()}', the record '{wanted.strip()}'")
            return f"<!--={match['spec']}-->{wanted}<!--/-->"

        changed = MARK.sub(answer, text)
        if write and changed != text:
            path.write_text(changed)
        unmarked = MARK.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), changed)
        for number, line in enumerate(unmarked.split("\n"), 1):
            for found in TIME.finditer(line):
                findings.append(f"{name}:{number}: a time without a mark: '{line[max(0, found.start() - 30):found.end()].strip()}'")
    for path in sorted((ROOT / "include").rglob("*.h")):
        for number, line in enumerate(path.read_text().split("\n"), 1):
            if TIME.search(line):
                findings.append(f"{path.relative_to(ROOT)}:{number}: a measured time; name the page that has it instead")
    for finding in findings:
        print(finding)
    if findings:
        print(f"{len(findings)} findings; tools/check_figures.py --write puts recorded values in")
        return 1
    print(f"{marks} figures are those of {RECORD.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
