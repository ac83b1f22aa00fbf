#!/usr/bin/env python3
"""Compares what the documents say with what is there, where that is cheap to tell.

Usage: tools/check_docs.py [--command PATH]   (PATH: the flexor command, to compare verbs and options with its help)
Documents are README.md, HACKING.md, CHANGELOG.md, docs/**/*.md and the comments of public headers.
- links lead to a file, and to a heading of it
- paths of the tree, and names in backticks that look like ours (SkinDqsTest.BendBulges, MemoryBudget), are found in the sources
- quoted commands exist: flexor verbs with their options, make targets, presets, FLEXOR_ options of CMake
- docs/dependencies.md names the packages that tools/setup installs and no others, in the versions of this machine, and nothing
  is asked for by CMake that it leaves out
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOP = ("src", "include", "apps", "tests", "bench", "fuzz", "examples", "tools", "cmake", "docs")
# What CMake looks for, as Debian packages it.
PACKAGE_OF = {"hwy": "libhwy-dev", "nlohmann_json": "nlohmann-json3-dev", "TBB": "libtbb-dev", "meshoptimizer": "libmeshoptimizer-dev",
              "draco": "libdraco-dev", "LZ4": "liblz4-dev", "embree": "libembree-dev", "PNG": "libpng-dev", "libjpeg-turbo": "libturbojpeg0-dev",
              "ZLIB": "zlib1g-dev", "CLI11": "libcli11-dev", "Eigen3": "libeigen3-dev", "GTest": "libgtest-dev",
              "BulletDouble": "libbullet-dev"}
PARTS_OF_CMAKE = {"Threads", "Python3", "PkgConfig", "flexor", "GoogleTest"}
# What builds and checks, not what is built upon.
TOOLS = {"g++", "make", "cmake", "ninja-build", "pkg-config", "git", "python3", "python3-venv", "nodejs", "npm"}
NOT_OURS = {"PascalCase", "JavaScript", "CamelCase", "MikuMikuDance"}

findings = []


def finding(path, line, text):
    findings.append(f"{path.relative_to(ROOT)}:{line}: {text}")


def documents():
    named = [ROOT / n for n in ("README.md", "HACKING.md", "CHANGELOG.md")]
    return [p for p in named + sorted((ROOT / "docs").rglob("*.md")) if p.is_file()]


def line_of(text, at):
    return text.count("\n", 0, at) + 1


def anchors_of(path):
    """The anchors of a Markdown file's headings, as GitHub makes them."""
    found = set()
    for heading in re.findall(r"^#+ (.*)$", path.read_text(), re.M):
        plain = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        found.add(re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", plain)))
    return found


def check_links(path, text):
    for match in re.finditer(r"\]\(([^)\s]+)\)", text):
        target, _, anchor = match.group(1).partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        file = (path.parent / target).resolve() if target else path
        if not file.exists():
            finding(path, line_of(text, match.start()), f"the link leads to '{target}', which is not there")
        elif anchor and file.suffix == ".md" and anchor not in anchors_of(file):
            finding(path, line_of(text, match.start()), f"'{file.relative_to(ROOT)}' has no heading for '#{anchor}'")


def check_paths(path, text, pattern):
    for match in re.finditer(pattern, text):
        name = match.group(1).rstrip(".,;:")
        if "<" in name or "{" in name or name.split("/")[0] not in TOP:
            continue
        if "*" in name:
            there = any(ROOT.glob(name))
        else:
            there = (ROOT / name).exists() or any(ROOT.glob(name + ".*"))
        if not there:
            finding(path, line_of(text, match.start()), f"names '{name}', which is not there")


def check_names(path, text, words):
    for match in re.finditer(r"`([A-Z][a-z0-9]+[A-Z][\w:.]*)(?:\(.*?\))?`", text):
        for part in re.split(r"::|\.", match.group(1)):
            if re.match(r"[A-Z][a-z0-9]+[A-Z]", part) and part not in words and part not in NOT_OURS:
                finding(path, line_of(text, match.start()), f"names '{part}', which no source has")


def check_test_names(path, text, words):
    for match in re.finditer(r"\b([A-Z]\w*Test)\.(\w+)", text):
        for part in match.groups():
            if part not in words:
                finding(path, line_of(text, match.start()), f"names the test '{match.group()}', which is not there")


def words_of_sources():
    words = set()
    for top in TOP[:-1]:
        for path in (ROOT / top).rglob("*"):
            if path.suffix in (".cc", ".h", ".py", ".mjs", ".txt", ".cmake", "") and path.is_file():
                words |= set(re.findall(r"\w+", path.read_text(errors="replace")))
    return words


# --- Commands ---------------------------------------------------------------------------------------------------------------


def quoted_code(text):
    """(position, code) of inline code and of each line of code blocks."""
    for match in re.finditer(r"`([^`\n]+)`", text):
        yield match.start(), match.group(1)
    for match in re.finditer(r"^(?: {4}|\t)(.+)$", text, re.M):
        yield match.start(), match.group(1)
    for block in re.finditer(r"^```\w*\n(.*?)^```", text, re.M | re.S):
        for line in re.finditer(r"^(.+)$", block.group(1), re.M):
            yield block.start(1) + line.start(), line.group(1)


def options_in(words):
    return re.findall(r"(?<![\w-])--[a-z][\w-]*|(?<![\w-])-[a-z]\b", words)


def helps_of(command):
    def run(*arguments):
        return subprocess.run([command, *arguments, "--help"], capture_output=True, text=True).stdout
    root = run()
    verbs = re.findall(r"^  ([a-z]+) {2,}\S", root, re.M)
    return {verb: set(options_in(run(verb))) | {"--help"} for verb in verbs}, set(options_in(root))


def check_commands(path, text, helps, root_options, make_targets, presets):
    for at, code in quoted_code(text):
        code = code.split("#")[0]
        for part in re.split(r"[|;&]", code):
            words = part.split()
            while words and re.match(r"(chrt|-f|\d+|[A-Z_]+=\S*|time|sudo)$", words[0]):
                words.pop(0)
            if len(words) < 2:
                continue
            if words[0] == "make" and re.match(r"[a-z]+$", words[1]) and words[1] not in make_targets:
                finding(path, line_of(text, at), f"quotes 'make {words[1]}', which the Makefile lacks")
            if words[0] in ("cmake", "ctest") and words[1] == "--preset" and len(words) > 2 and words[2].islower():
                if words[2] not in presets:
                    finding(path, line_of(text, at), f"names the preset '{words[2]}', which is not there")
            if not helps or words[0] != "flexor" or not re.match(r"[a-z]+$", words[1]):
                continue
            if words[1] not in helps:
                finding(path, line_of(text, at), f"quotes 'flexor {words[1]}', which is no verb")
                continue
            for option in options_in(" ".join(words[2:])):
                if option not in helps[words[1]]:
                    finding(path, line_of(text, at), f"quotes 'flexor {words[1]} {option}', which has no such option")
        if helps and code.startswith("--"):  # an option by itself is one of some verb
            option = options_in(code)[0] if options_in(code) else ""
            known = root_options.union(*helps.values()) | TOOL_OPTIONS
            if option and option not in known:
                finding(path, line_of(text, at), f"names the option '{option}', which no verb has")


TOOL_OPTIONS = {"--no-install-recommends", "--no-tidy", "--all", "--check", "--write", "--gtest_filter", "--recursive", "--libs", "--cflags",
                "--static", "--kebab-case", "--count", "--seed", "--files", "--lines", "--tests", "--only", "--prefix", "--preset"}


# --- Dependencies -----------------------------------------------------------------------------------------------------------


def check_dependencies():
    page = ROOT / "docs" / "dependencies.md"
    text = page.read_text()
    setup = (ROOT / "tools" / "setup").read_text()
    installed = {w for value in re.findall(r'^\s*packages="(.*?)"', setup, re.M | re.S) for w in value.split() if not w.startswith("$")}
    described = {}
    for match in re.finditer(r"^\|([^|]*)\|", text, re.M):
        for package in re.findall(r"`([a-z0-9.+-]+)`", match.group(1)):
            described[package] = (line_of(text, match.start()), match.group(1))
    for package in sorted(installed - TOOLS - set(described)):
        finding(page, 1, f"leaves out '{package}', which tools/setup installs")
    for package, (line, _) in described.items():
        if package not in installed:
            finding(page, line, f"names '{package}', which tools/setup does not install")
    for script in [ROOT / "CMakeLists.txt", *sorted((ROOT / "cmake").glob("*.cmake")),
                   *sorted(p for t in ("src", "apps", "tests", "bench", "fuzz") for p in (ROOT / t).rglob("CMakeLists.txt"))]:
        if "consume" in script.parts:
            continue
        for name in re.findall(r"^\s*(?:find_package\(|flexor_find\(\w+ )(\w[\w-]*)", script.read_text(), re.M):
            if name not in PARTS_OF_CMAKE and PACKAGE_OF.get(name) not in described:
                finding(page, 1, f"leaves out what {script.relative_to(ROOT)} finds as '{name}'")
    if shutil.which("dpkg-query") and "bookworm" in pathlib.Path("/etc/os-release").read_text():
        for package, (line, cell) in described.items():
            version = re.search(rf"(\d+(?:\.\d+)+) \([^)]*`{re.escape(package)}`", cell)
            found = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True).stdout
            upstream = re.sub(r"^\d+:", "", found)
            if version and found and not upstream.startswith(version.group(1)):
                finding(page, line, f"says version {version.group(1)} of '{package}'; Debian's is {upstream}")


def main():
    arguments = sys.argv[1:]
    command = arguments[1] if len(arguments) == 2 and arguments[0] == "--command" else ""
    if arguments and not command:
        print(__doc__, file=sys.stderr)
        return 2
    helps, root_options = helps_of(command) if command else ({}, set())
    if command and not helps:
        print(f"'{command}' lists no verbs", file=sys.stderr)
        return 2
    words = words_of_sources()
    make_targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.M))
    presets = {p["name"] for p in json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]}
    cmake = "\n".join(p.read_text() for p in [ROOT / "CMakeLists.txt", *ROOT.glob("cmake/*"), *ROOT.glob("*/**/CMakeLists.txt")]
                      if "build" not in p.parts)
    environment = {"FLEXOR_THREADS"}
    for path in documents():
        text = path.read_text()
        check_links(path, text)
        if path.name != "CHANGELOG.md":  # tells of what is gone, too
            check_paths(path, text, r"`([\w.]+/[\w./*<>{}-]*)")
            check_names(path, text, words)
            check_test_names(path, text, words)
            for match in re.finditer(r"`(FLEXOR_\w+)", text):
                if match.group(1) not in cmake and match.group(1) not in words and match.group(1) not in environment:
                    finding(path, line_of(text, match.start()), f"names '{match.group(1)}', which is not there")
        check_commands(path, text, helps, root_options, make_targets, presets)
    for path in sorted((ROOT / "include").rglob("*.h")):
        text = path.read_text()
        check_paths(path, text, r"\b((?:docs|tests|src|tools|examples|bench)/[\w./-]+)")
        check_test_names(path, text, words)
    check_dependencies()
    for line in findings:
        print(line)
    print(f"{len(findings)} findings" if findings else "the documents agree with the tree")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
