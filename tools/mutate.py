#!/usr/bin/env python3
"""Changes one place of a source folder at a time and says which changes no test of that folder notices.

Usage: tools/mutate.py FOLDER [--count N] [--seed N] [--files GLOB] [--lines A-B] [--tests FOLDER,...] [--jobs N] [--json FILE]
FOLDER is a folder of src: math, asset, pose, deform, ... A sample of N mutants is drawn by the seed; the same tree, seed and
count give the same mutants. Works on a copy of the tree in build/mutate, so the checkout stays as it is. Exit status 1 when a
mutant survives, 2 when the tool itself cannot work.

A mutant changes one token or one statement: relational (< to <= and >=), logical, arithmetic, constants (off by one, ten
times, a tenth, true and false), a negated condition, a deleted statement. Only what depends on the changed file and lies in
src/FOLDER or tests/FOLDER is compiled again, without optimisation and for the scalar target, and linked in front of the
unchanged libraries; then the tests of FOLDER run. Comments, strings, preprocessor lines, static_assert and reserve() are left
alone: nothing observable depends on them. docs/testing.md has the scores and explains what survives.
"""
import argparse
import concurrent.futures
import fcntl
import fnmatch
import json
import os
import pathlib
import random
import re
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "mutate"
TREE = WORK / "tree"
BUILD = WORK / "build"
MEMORY_LIMIT = 6 << 30  # a mutant may allocate without end


def fail(text):
    print(f"tools/mutate.py: {text}", file=sys.stderr)
    sys.exit(2)


# --- The copy and its build -------------------------------------------------------------------------------------------------


def sources_of_checkout():
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
                            capture_output=True).stdout
    return {name.decode() for name in listed.split(b"\0") if name and (ROOT / name.decode()).is_file()}


def snapshot():
    """Brings the copy up to date; unchanged files keep their time, so that the build is incremental."""
    wanted = sources_of_checkout()
    TREE.mkdir(parents=True, exist_ok=True)
    for old in [p for p in TREE.rglob("*") if p.is_file() and str(p.relative_to(TREE)) not in wanted]:
        old.unlink()
    for name in wanted:
        target = TREE / name
        data = (ROOT / name).read_bytes()
        if target.exists() and target.read_bytes() == data:
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        shutil.copymode(ROOT / name, target)
    shared = ROOT.parent / "shared"  # tests that use real files look beside the checkout
    if shared.is_dir() and not (WORK / "shared").exists():
        (WORK / "shared").symlink_to(shared.resolve())


def run_or_fail(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, **more)
    if done.returncode != 0:
        fail(f"{shlex.join(command)[:500]} failed:\n{(done.stdout + done.stderr)[-4000:]}")
    return done.stdout


def configure():
    options = {"CMAKE_BUILD_TYPE": "Debug", "CMAKE_CXX_FLAGS_DEBUG": "-O0", "FLEXOR_OUTER_FLAGS": "-O0",
               "CMAKE_CXX_FLAGS": "-DHWY_COMPILE_ONLY_SCALAR -D_GLIBCXX_ASSERTIONS", "CMAKE_EXPORT_COMPILE_COMMANDS": "ON",
               "FLEXOR_BUILD_CLI": "OFF", "FLEXOR_BUILD_BENCH": "OFF", "FLEXOR_BUILD_EXAMPLES": "OFF",
               "FLEXOR_WITH_RENDER": "OFF", "FLEXOR_INSTALL": "OFF"}
    if shutil.which("mold"):
        options["CMAKE_CXX_FLAGS"] += " -fuse-ld=mold"
    if shutil.which("ccache"):
        options["CMAKE_CXX_COMPILER_LAUNCHER"] = "ccache"
    run_or_fail(["cmake", "-G", "Ninja", "-S", str(TREE), "-B", str(BUILD)] + [f"-D{k}={v}" for k, v in options.items()])


INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)


def sources_behind(folder):
    """The tests of a folder and what they use: files of their own support, and every folder of src that is included."""
    queue = sorted((TREE / "tests" / folder).rglob("*_test.cc"))
    sources, seen, folders = list(queue), set(queue), set()
    while queue:
        for name in INCLUDE.findall(queue.pop().read_text()):
            parts = name.removeprefix("flexor/").split("/")
            more = [p for base in ("src", "include", "tests", "") for p in [TREE / base / name] if p.is_file()]
            if parts[0] == "support":
                more += (TREE / "tests" / "support").glob(f"{pathlib.Path(name).stem}*.cc")
            elif (TREE / "src" / parts[0]).is_dir() and parts[0] not in folders:
                folders.add(parts[0])
                more += (TREE / "src" / parts[0]).rglob("*.cc")
            for path in more:
                if path in seen:
                    continue
                seen.add(path)
                queue.append(path)
                if path.suffix == ".cc":
                    sources.append(path)
    return {str(s) for s in sources}


class Program:
    """The tests of a folder as one program: how its objects are compiled and linked, and what each depends on."""

    def __init__(self, folder, mutated, jobs):
        self.name = f"{folder}_test"
        wanted = sources_behind(folder)
        self.compile = {}
        for entry in json.loads((BUILD / "compile_commands.json").read_text()):
            words = [w for w in shlex.split(entry["command"]) if os.path.basename(w) != "ccache"]
            if entry["file"] in wanted:
                self.compile[words[words.index("-o") + 1]] = (words, entry["file"])
        run_or_fail(["ninja", "-C", str(BUILD), f"-j{jobs}"] + sorted(self.compile))

        # What the program is linked with besides objects of this tree.
        linked = run_or_fail(["ninja", "-C", str(BUILD), "-t", "commands", "-s", f"tests/{self.name}"])
        line = next((part for part in linked.split("&&") if f" -o tests/{self.name} " in part + " "), "")
        if not line:
            fail(f"found no command that links tests/{self.name}")
        words = shlex.split(line)
        ours = {w for w in words if w.endswith(".o") or (w.endswith(".a") and not os.path.isabs(w))}
        output = words.index("-o")
        self.link_begin = [w for w in words[:output] if w not in ours]
        self.link_end = [w for w in words[output + 2:] if w not in ours]
        self.tests = sorted(o for o, (_, f) in self.compile.items() if f.endswith("_test.cc"))
        self.archive = f"{self.name}.a"
        (BUILD / self.archive).unlink(missing_ok=True)
        run_or_fail(["ar", "qc", self.archive] + sorted(set(self.compile) - set(self.tests)), cwd=BUILD)
        self.path = BUILD / f"{self.name}_whole"
        run_or_fail(self.link_command({}, self.path), cwd=BUILD)

        self.depends = {}
        target = ""
        for line in run_or_fail(["ninja", "-C", str(BUILD), "-t", "deps"]).splitlines():
            if line.startswith(" "):
                self.depends.setdefault(os.path.normpath(BUILD / line.strip()), set()).add(target)
            else:
                target = line.split(":")[0]
        scopes = [f"{TREE}/src/{mutated}/", f"{TREE}/tests/{folder}/"]
        self.mine = {o for o, (_, f) in self.compile.items() if f.startswith(tuple(scopes))}

    def link_command(self, changed, output):
        """Changed objects come before the archive, which then gives nothing of theirs."""
        tests = [changed.get(o, o) for o in self.tests]
        others = [new for o, new in changed.items() if o not in self.tests]
        return self.link_begin + tests + others + ["-o", str(output), self.archive] + self.link_end

    def affected_by(self, name):
        return sorted(self.depends.get(str(TREE / name), set()) & self.mine)


# --- Mutants ----------------------------------------------------------------------------------------------------------------

RELATIONAL = {"<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"], "==": ["!="], "!=": ["=="]}
LOGICAL = {"&&": ["||"], "||": ["&&"]}
ARITHMETIC = {"+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "%": ["*"], "<<": [">>"], ">>": ["<<"], "&": ["|"], "|": ["&"],
              "^": ["&"], "+=": ["-=", "="], "-=": ["+=", "="], "*=": ["/=", "="], "/=": ["*=", "="], "|=": ["&="], "&=": ["|="]}
BINARY = re.compile(r"(?<= )(<=|>=|==|!=|&&|\|\||<<|>>|\+=|-=|\*=|/=|\|=|&=|<|>|\+|-|\*|/|%|&|\||\^)(?= |$)", re.M)
UNARY_MINUS = re.compile(r"(?<=[(,=?:] )-(?=[\w(])|(?<=[(\[{])-(?=[\w(])|(?<=return )-(?=[\w(])")
STEP = re.compile(r"\+\+|--")
NEGATION = re.compile(r"(?<![\w)!=<>])!(?=[\w(])")
NUMBER = re.compile(r"(?<![\w.<'])(0x[0-9A-Fa-f]+|\d[\d']*(?:\.\d*)?(?:[eE][-+]?\d+)?)([uUlLfF]*)(?![\w.>])")
BOOLEAN = re.compile(r"\b(true|false)\b")
CONDITION = re.compile(r"\b(if|while) \(")
STATEMENT = re.compile(r"(?<=[;{}])\s*\n(?P<indent> *)(?P<text>(?:\+\+|--|\*)?[A-Za-z_][\w:.\->\[\]()*+ ]*?"
                       r"(?:\(|\[| (?:[-+*/|&]?=) |\+\+;|--;)[^;{}]*;|continue;|break;)")
KEYWORDS = ("return", "using", "namespace", "case", "default", "else", "for", "if", "while", "switch", "template", "static_assert",
            "const", "constexpr", "static", "auto", "friend", "public", "private", "typedef", "struct", "class", "inline", "enum",
            "extern", "do", "explicit", "virtual", "operator", "FLEXOR_", "HWY_")
LEFT_ALONE = re.compile(r"\b(static_assert|reserve|ReserveOnHugePages|shrink_to_fit|assert)\s*\(|^\s*#|^\s*(using|namespace|template)\b")


def blank_out(text):
    """The text with comments, strings and character constants as spaces: same length, same lines."""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|R"\((?:.*?)\)"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\'', re.S)
    return pattern.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def end_of_parenthesis(text, begin):
    depth = 0
    for i in range(begin, len(text)):
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        if depth == 0:
            return i
    return -1


def number_mutants(number, suffix):
    if number.startswith("0x"):
        return [f"{int(number, 16) ^ 1:#x}{suffix}"]
    plain = number.replace("'", "")
    if "e" in plain or "E" in plain:
        return [f"{float(plain) * 10:.6g}{suffix}", f"{float(plain) / 10:.6g}{suffix}"]
    if "." in plain:
        value = float(plain)
        return [f"1.0{suffix}"] if value == 0 else [f"{value * 2!r}{suffix}", f"0.0{suffix}"]
    value = int(plain)
    return [f"1{suffix}"] if value == 0 else [f"{value + 1}{suffix}", f"{value - 1}{suffix}"]


def mutants_of(name):
    """Every mutant of a file: dictionaries with file, line, operator, begin, end and the text put there."""
    source = (TREE / name).read_text()
    text = blank_out(source)
    lines = text.split("\n")
    found = []

    def add(operator, begin, end, replacement):
        line = text.count("\n", 0, begin)
        if LEFT_ALONE.search(lines[line]):
            return
        found.append({"file": name, "line": line + 1, "operator": operator, "begin": begin, "end": end, "text": replacement})

    for m in BINARY.finditer(text):
        for kind, table in (("relational", RELATIONAL), ("logical", LOGICAL), ("arithmetic", ARITHMETIC)):
            for other in table.get(m.group(), []):
                add(kind, m.start(), m.end(), other)
    for m in UNARY_MINUS.finditer(text):
        add("arithmetic", m.start(), m.end(), "")
    for m in STEP.finditer(text):
        add("arithmetic", m.start(), m.end(), "--" if m.group() == "++" else "++")
    for m in NEGATION.finditer(text):
        add("condition", m.start(), m.end(), "")
    for m in NUMBER.finditer(text):
        for other in number_mutants(*m.groups()):
            add("constant", m.start(), m.end(), other)
    for m in BOOLEAN.finditer(text):
        add("constant", m.start(), m.end(), "false" if m.group() == "true" else "true")
    for m in CONDITION.finditer(text):
        close = end_of_parenthesis(text, m.end() - 1)
        inside = source[m.end():close]
        if close > 0 and ";" not in text[m.end():close]:
            add("condition", m.end(), close, f"!({inside})")
    for m in STATEMENT.finditer(text):
        if not m.group("text").startswith(KEYWORDS):
            add("statement", m.start("text"), m.end("text"), ";")
    return found


def shown(mutant):
    """The changed lines, before and after."""
    source = (TREE / mutant["file"]).read_text()
    changed = source[:mutant["begin"]] + mutant["text"] + source[mutant["end"]:]
    begin = source.rfind("\n", 0, mutant["begin"]) + 1
    end = source.find("\n", mutant["end"])
    return source[begin:end], changed[begin:len(changed) - (len(source) - end)]


# --- One mutant -------------------------------------------------------------------------------------------------------------


def limited():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run_tests(path, seconds, folder, arguments=()):
    """What noticed the mutant, or an empty text."""
    try:
        done = subprocess.run([str(path), "--gtest_fail_fast", "--gtest_brief=1", *arguments], capture_output=True, text=True,
                              timeout=seconds, cwd=folder, preexec_fn=limited, errors="replace")
    except subprocess.TimeoutExpired:
        return "timeout"
    if done.returncode == 0:
        return ""
    failed = re.search(r"^\[  FAILED  \] ([^\s,]+)", done.stdout, re.M)
    return failed.group(1) if failed else f"exit status {done.returncode}"


def rounds_of(path):
    """(arguments, seconds allowed) of each round of tests: the quick ones first, because most mutants fall to them."""
    report = WORK / "times.json"
    noticed = run_tests(path, 1800, WORK, [f"--gtest_output=json:{report}"])
    if noticed:
        fail(f"{path.name} fails without a mutant: {noticed}")
    times = {f"{suite['name']}.{test['name']}": float(test["time"].rstrip("s"))
             for suite in json.loads(report.read_text())["testsuites"] for test in suite["testsuite"]}
    slow = [name for name, seconds in times.items() if seconds > 0.3]
    quick = sum(seconds for name, seconds in times.items() if name not in slow)
    rounds = [([f"--gtest_filter=*-{':'.join(slow)}"], 20 + 8 * quick)]
    if slow:
        rounds.append(([f"--gtest_filter={':'.join(slow)}"], 20 + 8 * (sum(times.values()) - quick)))
    return rounds


def try_mutant(mutant, programs):
    before = (TREE / mutant["file"]).read_text()
    with tempfile.TemporaryDirectory(prefix="mutant-", dir=WORK) as scratch:
        overlay = pathlib.Path(scratch) / "tree"
        changed = overlay / mutant["file"]
        changed.parent.mkdir(parents=True)
        changed.write_text(before[:mutant["begin"]] + mutant["text"] + before[mutant["end"]:])
        for program in programs:
            objects = {}
            for target in program.affected_by(mutant["file"]):
                words, source = program.compile[target]
                out = os.path.join(scratch, target.replace("/", "_"))
                command = list(words)
                command[command.index("-o") + 1] = out
                if source == str(TREE / mutant["file"]):
                    command[command.index("-c") + 1] = str(changed)
                ours = [f"-I{overlay}/{f}" for f in ("src", "include", "tests") if (overlay / f).is_dir()]
                command[1:1] = ours + ["-w"]
                command = [w for w in command if w != "-Werror"]
                done = subprocess.run(command, cwd=BUILD, capture_output=True, text=True)
                if done.returncode != 0:
                    return "invalid", ""
                objects[target] = out
            if not objects:
                continue
            binary = os.path.join(scratch, program.name)
            done = subprocess.run(program.link_command(objects, binary), cwd=BUILD, capture_output=True, text=True)
            if done.returncode != 0:
                return "invalid", ""
            for arguments, seconds in program.rounds:
                by = run_tests(binary, seconds, scratch, arguments)
                if by:
                    return "killed", by
    return "survived", ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--count", type=int, default=80, help="mutants to try; 0 = all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--files", default="*", help="only files whose path matches this pattern")
    parser.add_argument("--lines", default="", help="only lines A-B (with --files)")
    parser.add_argument("--tests", default="", help="folders of tests to run, comma-separated; the folder's own by default")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--json", default="", help="writes the results there")
    options = parser.parse_args()
    if not (ROOT / "src" / options.folder).is_dir() or not (ROOT / "tests" / options.folder).is_dir():
        fail(f"'{options.folder}' is no folder of both src and tests")

    WORK.mkdir(parents=True, exist_ok=True)
    lock = open(WORK / "lock", "w")
    fcntl.flock(lock, fcntl.LOCK_EX)  # one run at a time has the copy
    snapshot()
    names = sorted(str(p.relative_to(TREE)) for base in (TREE / "src", TREE / "include" / "flexor")
                   for p in (base / options.folder).rglob("*") if p.suffix in (".cc", ".h"))
    names = [n for n in names if fnmatch.fnmatch(n, options.files)]
    mutants = [m for name in names for m in mutants_of(name)]
    if options.lines:
        first, _, last = options.lines.partition("-")
        mutants = [m for m in mutants if int(first) <= m["line"] <= int(last or first)]
    candidates = len(mutants)
    random.Random(options.seed).shuffle(mutants)

    configure()
    folders = options.tests.split(",") if options.tests else [options.folder]
    programs = []
    for folder in folders:
        programs.append(Program(folder, options.folder, options.jobs))
        programs[-1].rounds = rounds_of(programs[-1].path)

    wanted = options.count or candidates
    results, queue = [], list(reversed(mutants))
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        running = {}
        while queue or running:
            # One that does not compile is no mutant: the next of the list takes its place.
            counted = sum(r["outcome"] != "invalid" for r in results)
            while queue and len(running) < options.jobs and counted + len(running) < wanted:
                mutant = queue.pop()
                running[pool.submit(try_mutant, mutant, programs)] = mutant
            if not running:
                break
            for future in concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED).done:
                mutant = running.pop(future)
                outcome, by = future.result()
                old, new = shown(mutant)
                results.append({"file": mutant["file"], "line": mutant["line"], "operator": mutant["operator"], "outcome": outcome,
                                "killed_by": by, "before": old, "after": new})
                if outcome != "invalid":
                    print(f"{outcome} {mutant['file']}:{mutant['line']} {mutant['operator']}" + (f" by {by}" if by else ""), flush=True)
                if outcome == "survived":
                    print("".join(f"  - {line.strip()}\n" for line in old.split("\n")) +
                          "".join(f"  + {line.strip()}\n" for line in new.split("\n")), end="", flush=True)

    counts = {o: sum(r["outcome"] == o for r in results) for o in ("killed", "survived", "invalid")}
    tried = counts["killed"] + counts["survived"]
    score = counts["killed"] / tried if tried else 1.0
    print(f"{options.folder}: {counts['killed']} of {tried} mutants killed ({score:.0%}), {counts['survived']} survived; "
          f"sampled of {candidates} places and changes, seed {options.seed}; {counts['invalid']} more did not compile")
    if options.json:
        commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
        results.sort(key=lambda r: (r["file"], r["line"], r["operator"], r["after"]))
        pathlib.Path(options.json).write_text(json.dumps(
            {"folder": options.folder, "tests": folders, "seed": options.seed, "commit": commit, "candidates": candidates,
             "score": round(score, 4), **counts, "mutants": results}, indent=1, ensure_ascii=False) + "\n")
    sys.exit(1 if counts["survived"] else 0)


if __name__ == "__main__":
    main()
