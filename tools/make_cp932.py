#!/usr/bin/env python3
"""Makes src/io/mmd/cp932_table.inc, the double-byte half of CP932, from Python's codec of that name.

Run from anywhere: python3 tools/make_cp932.py. With --check it only compares, exit code 1 when they differ.

The table holds, for each lead byte that has characters (kCp932Leads), the code points of its 188 trail bytes 0x40..0x7e and
0x80..0xfc; 0 where there is none. The private area, leads 0xf0..0xf9, follows a rule and is not in it.
"""

import sys
from pathlib import Path

TARGET = Path(__file__).resolve().parent.parent / "src/io/mmd/cp932_table.inc"
TRAILS = [t for t in range(0x40, 0xFD) if t != 0x7F]
PRIVATE = range(0xF0, 0xFA)


def decode(lead, trail):
    try:
        text = bytes([lead, trail]).decode("cp932")
    except UnicodeDecodeError:
        return 0
    return ord(text) if len(text) == 1 else 0


def make():
    leads = [lead for lead in (*range(0x81, 0xA0), *range(0xE0, 0xFD)) if lead not in PRIVATE]
    rows = {lead: [decode(lead, trail) for trail in TRAILS] for lead in leads}
    rows = {lead: row for lead, row in rows.items() if any(row)}
    for number, (lead, trail) in enumerate((lead, trail) for lead in PRIVATE for trail in TRAILS):
        assert decode(lead, trail) == 0xE000 + number, "the private area no longer follows its rule"

    # Several bytes may mean one character: those that are not written back are listed, and so are characters that
    # are written as bytes which mean another.
    known = {code for row in rows.values() for code in row if code}
    second = []
    for lead, row in rows.items():
        for trail, code in zip(TRAILS, row):
            if code and chr(code).encode("cp932") != bytes([lead, trail]):
                second.append(lead << 8 | trail)
    near = []
    for code in range(0x80, 0x10000):
        try:
            data = chr(code).encode("cp932")
        except UnicodeEncodeError:
            continue
        if code not in known and len(data) == 2 and not 0xE000 <= code < 0xE758:
            near.append((code, data[0] << 8 | data[1]))

    def block(numbers):
        return "".join(
            "    " + " ".join(f"0x{n:04x}," for n in numbers[at : at + 14]) + "\n" for at in range(0, len(numbers), 14)
        )

    flat = [code for row in rows.values() for code in row]
    return (
        "// Made by tools/make_cp932.py; do not edit.\n"
        f"constexpr std::uint8_t kCp932Leads[{len(rows)}] = {{\n{block(list(rows))}}};\n"
        f"constexpr std::uint16_t kCp932[{len(flat)}] = {{\n{block(flat)}}};\n"
        "// Bytes that are never written, because others mean the same.\n"
        f"constexpr std::uint16_t kCp932Second[{len(second)}] = {{\n{block(second)}}};\n"
        "// Characters without bytes of their own, each before the bytes it is written as.\n"
        f"constexpr std::uint16_t kCp932Near[{2 * len(near)}] = {{\n{block([n for pair in near for n in pair])}}};\n"
    )


if __name__ == "__main__":
    text = make()
    if "--check" in sys.argv[1:]:
        same = TARGET.read_text(encoding="ascii") == text
        print("cp932_table.inc: " + ("as the codec says" if same else "differs; run tools/make_cp932.py"))
        sys.exit(0 if same else 1)
    TARGET.write_text(text, encoding="ascii")
