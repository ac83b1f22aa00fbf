#!/usr/bin/env python3
"""Checks that the modules of docs/architecture.md hold: who includes whom, one stem in all its places, every test built.

Run from anywhere: python3 tools/check_layers.py. Prints each finding as path:line: message; exit code 1 when there is one.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# What each module may include besides itself. The arrows of docs/architecture.md, nothing more.
FOUNDATION = {"core"}
NUMBERS = FOUNDATION | {"math"}
CHARACTER = NUMBERS | {"asset"}
SIBLINGS = {"io", "pose", "deform", "render", "measure"}
MAY_INCLUDE = {
    "core": set(),
    "math": FOUNDATION,
    "asset": NUMBERS,
    **{module: CHARACTER for module in SIBLINGS},
    "bake": CHARACTER | SIBLINGS,
    "apps": CHARACTER | SIBLINGS | {"bake"},
}
# Third-party headers and the only modules that may see them. A public header may see none.
THIRD_PARTY = {
    "hwy/": {"deform"},
    "tbb/": {"core"},
    "nlohmann/": {"io", "bake", "apps"},
    "draco/": {"io"},
    "meshoptimizer": {"io"},
    "zlib.h": {"io"},
    "embree3/": {"render"},
    "png.h": {"render"},
    "turbojpeg.h": {"render"},
    "stb/": {"render"},
    "stb_": {"render"},
    "CLI/": {"apps"},
    "Eigen/": {"bench"},
    "btBullet": {"pose"},
    "bullet/": {"pose"},
}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')

findings = []


def find(path, line, message):
    findings.append(f"{path.relative_to(ROOT)}:{line}: {message}")


def module_of(path):
    parts = path.relative_to(ROOT).parts
    if parts[0] == "include":
        return parts[2]
    if parts[0] == "src":
        return parts[1]
    return parts[0]


def check_includes():
    modules = set(MAY_INCLUDE)
    for path in sorted(
        p for top in ("include", "src", "apps") for p in (ROOT / top).rglob("*") if p.suffix in (".h", ".cc")
    ):
        if path.name == "flexor.h" and path.parent.name == "flexor":
            continue  # includes them all and adds nothing
        module = module_of(path)
        public = path.is_relative_to(ROOT / "include")
        allowed = MAY_INCLUDE.get(module)
        if allowed is None:
            find(path, 1, f"'{module}' is no module; known: {', '.join(sorted(modules))}")
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            name = match.group(1)
            for prefix, homes in THIRD_PARTY.items():
                if name.startswith(prefix) or f"/{prefix}" in name:
                    if public:
                        find(path, number, f"a public header includes the third-party header {name}")
                    elif module not in homes:
                        find(path, number, f"{module} includes {name}, which only {', '.join(sorted(homes))} may")
            parts = name.split("/")
            if parts[0] == "flexor" and len(parts) > 2:
                target = parts[1]
            elif parts[0] in modules and len(parts) > 1:
                target = parts[0]
                if public:
                    find(path, number, f"a public header includes the private header {name}")
            else:
                continue
            if target != module and target not in allowed:
                find(path, number, f"{module} may not include {target} ({name})")


def check_stems():
    """One stem, seven places: the kernels are the files of the reference."""
    reference = ROOT / "src/deform/reference"
    stems = sorted(p.stem for p in reference.glob("*.cc") if not p.stem.endswith("_backend"))
    places = [
        ("the contract", "include/flexor/deform/{}.h"),
        ("the CPU kernel", "src/deform/cpu/kernels/{}.cc"),
        ("the test", "tests/deform/{}_test.cc"),
        ("the benchmark", "bench/{}_bench.cc"),
        ("the page", "docs/methods/{}.md"),
    ]
    if (ROOT / "src/deform/vulkan").is_dir():
        places.append(("the shader", "src/deform/vulkan/shaders/{}.comp"))
    if not stems:
        findings.append("src/deform/reference: no kernels found")
    for stem in stems:
        for what, pattern in places:
            if not (ROOT / pattern.format(stem)).is_file():
                findings.append(f"{pattern.format(stem)}: missing: {what} of the kernel {stem}")
    kernels = ROOT / "src/deform/cpu/kernels"
    for path in kernels.glob("*.cc"):
        if path.stem not in stems:
            find(path, 1, f"a CPU kernel without a reference src/deform/reference/{path.stem}.cc")


# Where a skinning method may be asked for by name: its row, what files and users wish for, its own reference and kernel, and
# the functions of one method for arrays at hand. Everything else asks the table.
MAY_NAME_METHODS = (
    "method_table.cc",
    "method_name.cc",
    "vertex_methods.h",
    "vertex_methods.cc",
    "one_call.cc",
)


def check_methods():
    """One method, one row: the table against the values of asset::SkinningMethod and against the stems."""
    header = ROOT / "include/flexor/asset/skinning_method.h"
    values = re.findall(r"^\s*(k\w+) = \d+,", header.read_text(encoding="utf-8"), re.M)
    table = ROOT / "src/deform/method_table.cc"
    text = table.read_text(encoding="utf-8")
    rows = re.findall(r"\.method = SkinningMethod::(k\w+)", text)
    if rows != values:
        find(table, 1, f"the rows are {', '.join(rows)}, but the methods are {', '.join(values)}")
    reference = ROOT / "src/deform/reference"
    for stem in re.findall(r'\.stem = "(\w+)"', text):
        if not (reference / f"{stem}.cc").is_file():
            find(table, 1, f"a row names the stem {stem}, but there is no src/deform/reference/{stem}.cc")
    if len(re.findall(r"\.stem = ", text)) != len(rows):
        find(table, 1, "a row has no stem")
    for path in sorted((ROOT / "src/deform").rglob("*")):
        if path.suffix not in (".h", ".cc") or path.name in MAY_NAME_METHODS:
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if re.search(r"SkinningMethod::k[A-Z]", line):
                find(path, number, "asks for a method by name; what differs between methods belongs in method_table.cc")


def check_tests():
    cmake = (ROOT / "tests/CMakeLists.txt").read_text(encoding="utf-8")
    built = set(re.findall(r"flexor_test_module\((\w+)\)", cmake))
    for group in re.findall(r"foreach\(module ([^)]*)\)", cmake):
        built |= set(group.split())
    for path in sorted((ROOT / "tests").rglob("*.cc")):
        parts = path.relative_to(ROOT / "tests").parts
        if parts[0] in ("support", "consume"):
            continue
        if parts[0] not in built:
            find(path, 1, f"the module '{parts[0]}' is not in tests/CMakeLists.txt, so this test never runs")
        if not path.name.endswith("_test.cc"):
            find(path, 1, "not named *_test.cc, so the build leaves it out; helpers belong in tests/support")
        elif not re.search(r"\b(TEST|TEST_F|TEST_P|TYPED_TEST)\(", path.read_text(encoding="utf-8")):
            find(path, 1, "holds no test")
    for module in sorted(set(MAY_INCLUDE) - {"apps"} - built):
        findings.append(f"tests/CMakeLists.txt: the module '{module}' has no tests")


check_includes()
check_stems()
check_methods()
check_tests()
print("\n".join(findings) if findings else "layers, stems, methods and tests: as docs/architecture.md says")
sys.exit(1 if findings else 0)
