#!/usr/bin/env python3
"""Checks that the rooms of docs/architecture.md hold: who includes whom, one stem in all its places, every test built.

Run from anywhere: python3 tools/check_layers.py. Prints each finding as path:line: message; exit code 1 when there is one.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# What each room may include besides itself. The arrows of docs/architecture.md, nothing more.
FOUNDATION = {"core"}
NUMBERS = FOUNDATION | {"math"}
CHARACTER = NUMBERS | {"asset"}
SIBLINGS = {"io", "pose", "deform", "render", "measure"}
MAY_INCLUDE = {
    "core": set(),
    "math": FOUNDATION,
    "asset": NUMBERS,
    **{room: CHARACTER for room in SIBLINGS},
    "bake": CHARACTER | SIBLINGS,
    "apps": CHARACTER | SIBLINGS | {"bake"},
}
# Third-party headers and the only rooms that may see them. A public header may see none.
THIRD_PARTY = {
    "hwy/": {"deform"},
    "tbb/": {"core"},
    "nlohmann/": {"io", "bake", "apps"},
    "draco/": {"io"},
    "meshoptimizer": {"io"},
    "zlib.h": {"io"},
    "lz4.h": {"io"},
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


def room_of(path):
    parts = path.relative_to(ROOT).parts
    if parts[0] == "include":
        return parts[2]
    if parts[0] == "src":
        return parts[1]
    return parts[0]


def check_includes():
    rooms = set(MAY_INCLUDE)
    for path in sorted(
        p for top in ("include", "src", "apps") for p in (ROOT / top).rglob("*") if p.suffix in (".h", ".cc")
    ):
        if path.name == "flexor.h" and path.parent.name == "flexor":
            continue  # includes them all and adds nothing
        room = room_of(path)
        public = path.is_relative_to(ROOT / "include")
        allowed = MAY_INCLUDE.get(room)
        if allowed is None:
            find(path, 1, f"'{room}' is no room; known: {', '.join(sorted(rooms))}")
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
                    elif room not in homes:
                        find(path, number, f"{room} includes {name}, which only {', '.join(sorted(homes))} may")
            parts = name.split("/")
            if parts[0] == "flexor" and len(parts) > 2:
                target = parts[1]
            elif parts[0] in rooms and len(parts) > 1:
                target = parts[0]
                if public:
                    find(path, number, f"a public header includes the private header {name}")
            else:
                continue
            if target != room and target not in allowed:
                find(path, number, f"{room} may not include {target} ({name})")


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


def check_tests():
    cmake = (ROOT / "tests/CMakeLists.txt").read_text(encoding="utf-8")
    built = set(re.findall(r"flexor_test_room\((\w+)\)", cmake))
    for group in re.findall(r"foreach\(room ([^)]*)\)", cmake):
        built |= set(group.split())
    for path in sorted((ROOT / "tests").rglob("*.cc")):
        parts = path.relative_to(ROOT / "tests").parts
        if parts[0] in ("support", "consume", "tools"):
            continue
        if parts[0] not in built:
            find(path, 1, f"the room '{parts[0]}' is not in tests/CMakeLists.txt, so this test never runs")
        if not path.name.endswith("_test.cc"):
            find(path, 1, "not named *_test.cc, so the build leaves it out; helpers belong in tests/support")
        elif not re.search(r"\b(TEST|TEST_F|TEST_P|TYPED_TEST)\(", path.read_text(encoding="utf-8")):
            find(path, 1, "holds no test")
    for room in sorted(set(MAY_INCLUDE) - {"apps"} - built):
        findings.append(f"tests/CMakeLists.txt: the room '{room}' has no tests")


check_includes()
check_stems()
check_tests()
print("\n".join(findings) if findings else "layers, stems and tests: as docs/architecture.md says")
sys.exit(1 if findings else 0)
