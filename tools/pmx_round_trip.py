#!/usr/bin/env python3
"""Characters written as PMX and VMD, played, and compared with the source.

Usage: tools/pmx_round_trip.py COMMAND FILE|FOLDER ...

Every glTF, GLB and VRM file with a clip (folders are searched) is written as a PMX model and its first
clip as a VMD motion; both are baked, merged, at the same moments, which are frames of both, and the farthest vertex is
printed in parts of the character's size. Influences are limited to four on both sides, as PMX holds no more.
Exit code 1 where one is more than 1e-5 apart and no limit of the format says why: a bone of VMD cannot be
scaled or sheared (VMD_SCALE_LEFT_OUT). A file without a mesh or that cannot be read is passed over.
"""
import array
import ast
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import zipfile

TOLERANCE = 1e-5
SCALED = {"VMD_SCALE_LEFT_OUT"}


def points(command, arguments, at, folder, name):
    out = folder / f"{name}.npz"
    run = subprocess.run([command, "bake", *arguments, "--merge", "--fps", "30", "--frames", f"{at}:{at}",
                          "--physics", "off", "--quiet", "-o", str(out)], capture_output=True, text=True)
    if run.returncode != 0:
        raise RuntimeError(run.stderr.strip().splitlines()[0] if run.stderr else f"exit {run.returncode}")
    with zipfile.ZipFile(out) as arrays:
        name = next(n for n in arrays.namelist() if n == "points.npy")
        data = arrays.read(name)
    # Version 1 of the format: magic, version, two bytes of length, a dictionary, the numbers.
    start = 10 + int.from_bytes(data[8:10], "little")
    header = ast.literal_eval(data[10:start].decode())
    if header["descr"] != "<f4":
        raise RuntimeError("positions are " + header["descr"])
    numbers = array.array("f", data[start:])
    return [numbers[i:i + 3] for i in range(0, len(numbers), 3)]


def compare(command, file, folder):
    info = subprocess.run([command, "info", str(file), "--json"], capture_output=True, text=True)
    if info.returncode != 0:
        return None
    clips = json.loads(info.stdout).get("clips", [])
    if not clips:
        return None
    model = folder / "model.pmx"
    made = subprocess.run([command, "convert", str(file), "-o", str(model), "--json"], capture_output=True, text=True)
    if made.returncode != 0:
        return "-", "not written: " + (made.stderr.strip().splitlines() or [""])[-1]
    codes = {code for code in SCALED if code in made.stdout + made.stderr}
    motion = next(iter(sorted(folder.glob("model*.vmd"))))
    last = int(clips[0]["seconds"] * 30) if "seconds" in clips[0] else 30
    worst = 0.0
    for at in sorted({0, last // 3, last}):
        before = points(command, [str(file), "--clip", "0", "--max-influences", "4"], at, folder, "before")
        after = points(command, [str(model), "--motion", str(motion)], at, folder, "after")
        if len(before) != len(after):
            return "-", f"{len(before)} points became {len(after)}"
        size = max(max(p[k] for p in before) - min(p[k] for p in before) for k in range(3)) or 1.0
        worst = max([worst] + [math.dist(p, q) / size for p, q in zip(before, after)])
    return worst, ", ".join(sorted(codes))


def main():
    if len(sys.argv) < 3:
        print(__doc__)
        return 2
    command, *paths = sys.argv[1:]
    files = []
    for path in map(pathlib.Path, paths):
        found = sorted(p for p in path.rglob("*") if p.suffix.lower() in (".gltf", ".glb", ".vrm")) if path.is_dir() else [path]
        files += found
    bad = compared = 0
    print("| file | of the size | notes |\n|---|---|---|")
    for file in files:
        with tempfile.TemporaryDirectory() as name:
            try:
                result = compare(command, file, pathlib.Path(name))
            except RuntimeError as error:
                result = None if "shows no mesh" in str(error) else ("-", str(error))
        if result is None:
            continue
        worst, notes = result
        compared += 1
        fails = not isinstance(worst, float) or (not worst <= TOLERANCE and not notes)
        bad += fails
        print(f"| {file.name} | {worst if isinstance(worst, str) else f'{worst:.1e}'} | {notes} |", flush=True)
    print(f"{compared} characters with a clip, {bad} apart by more than {TOLERANCE:g} without a reason")
    return 1 if bad else 0


sys.exit(main())
