#!/usr/bin/env python3
"""Checks that public headers say what they promise.

Each header starts with "/// @file MODULE/NAME.h" naming itself; each declaration at namespace scope stands under a
"///" comment (declarations in a row without a blank line share one); and every name that a "Shapes" line speaks of
occurs in what the comment belongs to. Prints path:line: message; exit code 1 when there is a finding.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PUBLIC = ROOT / "include/flexor"

DECLARATION = re.compile(
    r"^(template|class|struct|enum|using|inline|constexpr|bool|int|double|float|void|std::|Result<|Status|[A-Z]\w*[ <&*:])"
)
FORWARD = re.compile(r"^(class|struct|enum class) \w+;")
SHAPE_NAME = re.compile(r"\b([a-z][a-z0-9_]*[a-z0-9])\b(?=[^·]*\()")

findings = []


def find(path, line, message):
    findings.append(f"{path.relative_to(ROOT)}:{line}: {message}")


def extent(lines, start):
    """The text of the declaration that starts at a line: to its ';' or closing brace at column 0."""
    text = []
    for line in lines[start:]:
        text.append(line)
        if line.startswith("}") or (line.rstrip().endswith(";") and not line.startswith(" ") and "{" not in "".join(text)):
            break
        if line.rstrip().endswith(";") and "{" not in "".join(text):
            break
    return "\n".join(text)


def check_shapes(path, number, comment, declaration):
    words = set(re.findall(r"\w+", declaration))
    for offset, line in enumerate(comment):
        match = re.match(r"///\s+Shapes\s+(.*)", line)
        if not match:
            continue
        for group in match.group(1).split("·"):
            names = group.split("(")[0] if "(" in group else ""
            for name in re.findall(r"[a-z][a-z0-9_]*", names):
                generic = {"both", "or", "empty", "the", "of", "and", "in", "every", "index", "is", "to", "resized", "out_"}
                if name not in generic and name not in words:
                    find(path, number + offset, f"Shapes speaks of '{name}', which the declaration does not have")


for path in sorted(PUBLIC.rglob("*.h")):
    lines = path.read_text(encoding="utf-8").splitlines()
    own_name = path.relative_to(PUBLIC).as_posix()
    if not lines or lines[0].strip() != f"/// @file {own_name}":
        find(path, 1, f"the first line must be '/// @file {own_name}'")
    if "#pragma once" not in lines:
        find(path, 1, "no #pragma once")
    in_body = False
    for number, line in enumerate(lines):
        # Bodies are skipped: from a line that opens a brace at column 0 to the one that closes it there.
        if in_body:
            in_body = not line.startswith("}")
            continue
        if not DECLARATION.match(line) or FORWARD.match(line):
            continue
        previous = lines[number - 1] if number else ""
        comment = []
        above = number - 1
        while above >= 0 and lines[above].startswith("///"):
            comment.insert(0, lines[above])
            above -= 1
        follows_declaration = previous.rstrip().endswith((";", "}")) or DECLARATION.match(previous)
        continues = previous and not previous.rstrip().endswith((";", "}", ">")) and not previous.startswith("//")
        documented = comment or (previous and follows_declaration) or "///<" in line
        if not documented and not continues and not previous.startswith("template") and "= default" not in line:
            find(path, number + 1, f"without a /// comment: {line.strip()[:60]}")
        if comment:
            check_shapes(path, above + 2, comment, extent(lines, number))
        if line.rstrip().endswith("{"):
            in_body = True

print("\n".join(findings) if findings else "public headers: documented")
sys.exit(1 if findings else 0)
