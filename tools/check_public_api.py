#!/usr/bin/env python3
"""Checks two things that every public header has to do for its callers.

1. What is compiled into the library carries FLEXOR_API (core/export.h), or a shared library would hide it: functions at namespace
   scope that are neither inline, constexpr nor templates, and classes with a member function that has no body in the header.
2. Each data member of a public struct has a default, so that `{.palette = p}` draws no warning (-Wmissing-field-initializers).

Usage: tools/check_public_api.py [--fix]   (--fix writes what is missing; run clang-format after it)
Prints path:line: message; exit code 1 when there is a finding.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PUBLIC = ROOT / "include/flexor"
MACRO = "FLEXOR_API"
EXPORT = '#include "flexor/core/export.h"'


def blank(text):
    """Comments, strings and preprocessor lines become spaces; every position stays."""

    def spaces(match):
        return re.sub(r"[^\n]", " ", match.group(0))

    text = re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', spaces, text, flags=re.S)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", spaces, text, flags=re.M)


def flat(text):
    """Without what stands in angle brackets, so that a parenthesis outside them means a function."""
    text = text.replace("operator<=>", "operator_").replace("operator<<", "operator_").replace("operator<", "operator_")
    before = None
    while before != text:
        before = text
        text = re.sub(r"<[^<>]*>", lambda m: "\x01" * len(m.group(0)), text)
    return text


def statements(code, begin, end):
    """Yields (start, stop, body) of each statement; body is (open, close) of its outermost braces, or None."""
    at = begin
    while at < end:
        while at < end and (code[at].isspace() or code[at] == ";"):
            at += 1
        if at >= end:
            return
        label = re.compile(r"(public|private|protected)\s*:(?!:)").match(code, at, end)
        if label:
            yield at, label.end(), None
            at = label.end()
            continue
        start, depth, body = at, 0, None
        while at < end:
            c = code[at]
            if c in "({[":
                if c == "{" and depth == 0 and body is None:
                    body = [at, None]
                depth += 1
            elif c in ")}]":
                depth -= 1
                if c == "}" and depth == 0:
                    body[1] = at
                    head = code[start : body[0]]
                    # A body ends the statement, an initializer of a variable or member does not.
                    ends = re.match(r"\s*(inline\s+)?namespace\b", head) or re.search(r"\)[^=;]*$", flat(head))
                    if ends and not re.match(r"\s*(template\b.*?>\s*)?(class|struct|enum|union)\b[^(]*$", head, re.S):
                        # A constructor's initializer list may hold more than one pair of braces.
                        rest = code[at + 1 : end].lstrip()
                        if not rest.startswith((",", "{")):
                            at += 1
                            break
                        body = None
            elif c == ";" and depth == 0:
                break
            at += 1
        yield start, at, tuple(body) if body and body[1] else None


class Header:
    def __init__(self, path):
        self.path = path
        self.text = path.read_text(encoding="utf-8")
        self.code = blank(self.text)
        self.findings = []  # (position, message)
        self.edits = []  # (position, text to insert)
        self.scope(0, len(self.code))

    def find(self, position, message):
        self.findings.append((position, message))

    def scope(self, begin, end):
        for start, stop, body in statements(self.code, begin, end):
            head = self.code[start : body[0] if body else stop]
            if re.match(r"(inline\s+)?namespace\b", head):
                if body:
                    self.scope(body[0] + 1, body[1])
            elif re.match(r"(class|struct)\b", head):
                if body:
                    self.type(start, head, body, exported=True)
            elif re.match(r"template\b", head):
                kind = re.match(r"template\s*\x01+\s*(class|struct)\b", flat(head))
                if kind and body:
                    self.type(start, head, body, exported=False)
            elif re.match(r"(using|typedef|enum|union|extern|friend|static_assert)\b", head):
                pass
            elif "(" in flat(head) and not body and not re.search(r"\b(inline|constexpr|consteval)\b", head.split("(")[0]):
                if MACRO not in head:
                    name = re.search(r"(\w+)\s*\(", flat(head)).group(1)
                    self.find(start, f"the function {name} without {MACRO}")
                    attribute = re.compile(r"\[\[.*?\]\]\s*").match(self.code, start)
                    self.edits.append((attribute.end() if attribute else start, MACRO + " "))

    def type(self, start, head, body, exported):
        keyword = re.search(r"\b(class|struct)\b", flat(head)).group(1)
        name = re.search(r"\b(?:class|struct)\s+(?:\[\[[^\]]*\]\]\s*)?(?:FLEXOR_API\s+)?(\w+)", head).group(1)
        private = keyword == "class"
        plain, compiled, members = True, False, []
        for at, stop, inner in statements(self.code, body[0] + 1, body[1]):
            text = self.code[at : inner[0] if inner else stop]
            level = flat(text)
            if re.match(r"(public|private|protected)\s*:", text):
                private = not text.startswith("public")
                plain = plain and not private
            elif re.match(r"(using|typedef|enum|union|static_assert|template)\b", text):
                pass
            elif re.match(r"friend\b", text):
                pass
            elif re.match(r"(class|struct)\b[^=(]*$", text) and inner:
                if not private:
                    self.type(at, text, inner, exported)
            elif re.match(r"(class|struct)\s+\w+\s*$", text):
                pass
            elif "(" in re.split(r"[={]", level)[0]:
                whole = self.code[at:stop]
                if re.search(r"\bvirtual\b", text):
                    compiled = True
                if not inner and not re.search(r"=\s*(default|delete|0)\s*$", whole) and not re.search(r"\bconstexpr\b", text):
                    compiled = True
                # A struct with a constructor is no aggregate: nobody lists its members.
                if re.match(rf"(explicit\s+)?{name}\s*\(", text):
                    plain = False
            elif not re.search(r"\bstatic\b", text):
                members.append((at, stop))
        if exported and compiled and MACRO not in head:
            self.find(start, f"{keyword} {name} has parts in the library, without {MACRO}")
            self.edits.append((start + len(keyword), " " + MACRO))
        if plain and keyword == "struct":
            for at, stop in members:
                self.member(name, at, stop)

    def member(self, owner, at, stop):
        code = flat(self.code[at:stop])
        depth, piece, pieces = 0, 0, []
        for i, c in enumerate(code):
            depth += (c in "({[") - (c in ")}]")
            if c == "," and depth == 0:
                pieces.append((piece, i))
                piece = i + 1
        pieces.append((piece, len(code)))
        for first, last in pieces:
            text = code[first:last].rstrip()
            if "=" in text or "{" in text:
                continue
            name = re.search(r"(\w+)\s*(\[[^\]]*\]\s*)?$", text).group(1)
            self.find(at + first, f"{owner}::{name} without a default: write {name}{{}}")
            self.edits.append((at + first + len(text), "{}"))

    def fix(self):
        text = self.text
        for position, insert in sorted(self.edits, reverse=True):
            text = text[:position] + insert + text[position:]
        if re.search(rf"\b{MACRO}\b", blank(text)) and EXPORT not in text and self.path.name != "export.h":
            ours = re.search(r'^#include "flexor/', text, re.M)
            if ours:
                text = text[: ours.start()] + EXPORT + "\n" + text[ours.start() :]
            else:
                last = list(re.finditer(r"^#include <.*$", text, re.M))
                where = last[-1].end() if last else text.index("#pragma once") + len("#pragma once")
                text = text[:where] + "\n\n" + EXPORT + text[where:]
        if text != self.text:
            self.path.write_text(text, encoding="utf-8")


count = 0
for path in sorted(PUBLIC.rglob("*.h")):
    header = Header(path)
    for position, message in header.findings:
        print(f"{path.relative_to(ROOT)}:{header.text.count(chr(10), 0, position) + 1}: {message}")
    count += len(header.findings)
    if "--fix" in sys.argv[1:]:
        header.fix()
if not count:
    print("public headers: exported, with defaults")
sys.exit(1 if count and "--fix" not in sys.argv[1:] else 0)
