#!/usr/bin/env python3
"""Compares how flexor and OpenUSD compose USD files: prims, who speaks about each, values, targets.

For every file given, or every stage below a folder, both say which prims there are and in which order, the layers with
an opinion about each (strongest first), specifier, type, applied schemas, and of every authored property its type,
its default, its sample times, values at and between them, and its targets or connections.

    tools/usd_stage_agreement.py ../shared/corpus/usd
    tools/usd_stage_agreement.py --details ../shared/corpus/usd/aousd/composition/BasicReference_root

A folder of composition scenes has one stage in each folder: root.usd, entry.usd, or the name of the folder. Elsewhere
every .usd, .usda, .usdc and .usdz file is a stage. What flexor refuses by name (relocates, value clips) is listed as
refused; a file that neither opens agrees.

Exit code 0, 5 when the two disagree anywhere, 2 on wrong usage, 3 when nothing was found to compare, 6 without
usd-core (tools/setup test) or the program that prints flexor's stage.
"""

import argparse
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
ENDINGS = {".usd", ".usda", ".usdc", ".usdz"}
REFUSED = re.compile(r"relocates|value clips")
ROUNDING = 1e-6  # of interpolated values, relative

try:
    from pxr import Gf, Sdf, Usd, Vt
except ImportError:
    sys.exit("usd-core is missing: run tools/setup test, then build/venv/bin/python " + sys.argv[0])


def stages_below(path):
    """The files to open for one argument."""
    if path.is_file():
        return [path]
    names = {p.name for p in path.iterdir()}
    if "pcp.txt" in names or "entry.usd" in names:  # one scene
        for name in (path.name.split("_", 1)[-1] + ".usd", "root.usd", "entry.usd"):
            if name in names:
                return [path / name]
        return []
    found = []
    for child in sorted(path.iterdir()):
        if child.is_dir():
            found += stages_below(child)
        elif child.suffix in ENDINGS:
            found.append(child)
    return found


def plain(value):
    """A value of OpenUSD as the dump writes it."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    if isinstance(value, Sdf.AssetPath):
        return value.path
    if isinstance(value, Sdf.TimeCode):
        return plain(value.GetValue())
    if isinstance(value, (Gf.Quatd, Gf.Quatf, Gf.Quath)):
        return [plain(float(x)) for x in (*value.GetImaginary(), value.GetReal())]
    if isinstance(value, dict):
        return {key: plain(entry) for key, entry in value.items()}
    if isinstance(value, Sdf.PathExpression):
        return str(value)
    try:
        return [plain(element) for element in value]
    except TypeError:
        return str(value)


def equal(ours, theirs, tolerance=0.0):
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(equal(a, b, tolerance) for a, b in zip(ours, theirs))
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return ours.keys() == theirs.keys() and all(equal(ours[k], theirs[k], tolerance) for k in ours)
    numbers = (int, float)
    if isinstance(ours, numbers) and isinstance(theirs, numbers):
        return abs(ours - theirs) <= tolerance * max(1.0, abs(theirs))
    return ours == theirs


class Witness:
    """What OpenUSD says about one stage."""

    def __init__(self, file):
        self.folder = file.parent.resolve()
        self.stage = Usd.Stage.Open(str(file))

    def name(self, layer):
        identifier = layer.identifier
        return os.path.relpath(identifier, self.folder) if os.path.isabs(identifier) else identifier

    def stack(self, specs):
        return [[self.name(spec.layer), str(spec.path)] for spec in specs]

    def prims(self):
        every = Usd.TraverseInstanceProxies(Usd.PrimAllPrimsPredicate)
        return [p for p in Usd.PrimRange(self.stage.GetPseudoRoot(), every) if not p.IsPseudoRoot()]

    def authored(self, attribute, time):
        """Whether layers, rather than a schema, say what the value is; and the value."""
        info = attribute.GetResolveInfo(time)
        if info.GetSource() not in (Usd.ResolveInfoSourceDefault, Usd.ResolveInfoSourceTimeSamples):
            return None
        if info.ValueIsBlocked():
            return None
        value = attribute.Get(time)
        # A schema's fallback stands in for a blocked sample.
        if info.GetSource() == Usd.ResolveInfoSourceTimeSamples and value is not None:
            samples = attribute.GetTimeSamples()
            below = [t for t in samples if t <= time.GetValue() + 1e-9] or samples[:1]
            if self.is_blocked(attribute, below[-1]):
                return None
        return value

    def is_blocked(self, attribute, time):
        for spec in attribute.GetPropertyStack(Usd.TimeCode(time)):
            if spec.layer.GetNumTimeSamplesForPath(spec.path):
                inner = [
                    spec.layer.QueryTimeSample(spec.path, t) for t in spec.layer.ListTimeSamplesForPath(spec.path)
                ]
                return any(isinstance(v, Sdf.ValueBlock) for v in inner) and attribute.Get(time) is None
        return False


def compare_property(witness, ours, name, prim, say):
    property_ = prim.GetProperty(name)
    is_relationship = isinstance(property_, Usd.Relationship)
    if ours["relationship"] != is_relationship:
        say("kind", name, ours["relationship"], is_relationship)
        return
    theirs = property_.GetTargets() if is_relationship else property_.GetConnections()
    if ours["targets"] != [str(path) for path in theirs]:
        say("targets", name, ours["targets"], [str(path) for path in theirs])
    if is_relationship:
        return
    attribute = property_
    declared, wanted = Sdf.ValueTypeNames.Find(ours["type"]), attribute.GetTypeName()
    if declared != wanted:
        say("types", name, ours["type"], str(wanted))
    value = plain(witness.authored(attribute, Usd.TimeCode.Default()))
    if not equal(ours["default"], value):
        say("values", name + " default", ours["default"], value)
    times = list(attribute.GetTimeSamples())
    if not equal(ours["times"], times, 1e-12):
        say("times", name, ours["times"], times)
        return
    for time, mine in ours["values"]:
        value = plain(witness.authored(attribute, Usd.TimeCode(time)))
        if not equal(mine, value, ROUNDING):
            say("values", f"{name} at {time}", mine, value)


def compare(file, ours, details):
    """{kind of difference: count} between flexor's dump and OpenUSD."""
    found = {}

    def say(kind, where, mine, theirs):
        found[kind] = found.get(kind, 0) + 1
        if details:
            print(f"    {kind}: {where}\n      flexor  {str(mine)[:300]}\n      OpenUSD {str(theirs)[:300]}")

    try:
        witness = Witness(file)
    except Exception as error:  # pxr raises its own types
        if "error" not in ours:
            say("opens", file.name, "a stage", str(error).splitlines()[-1][:200])
        return found
    if "error" in ours:
        say("opens", file.name, ours["error"], "a stage")
        return found
    theirs = {str(prim.GetPath()): prim for prim in witness.prims()}
    mine = {prim["path"]: prim for prim in ours["prims"]}
    if list(mine) != list(theirs):
        say("prims", "all", [p for p in mine if p not in theirs], [p for p in theirs if p not in mine])
    for path, prim in theirs.items():
        dump = mine.get(path)
        if dump is None:
            continue
        spoken = prim.GetPrimInPrototype() if prim.IsInstanceProxy() else prim
        stack = witness.stack(spoken.GetPrimStack())
        if dump["stack"] != stack:
            say("stacks", path, dump["stack"], stack)
        flags = {
            "specifier": str(prim.GetSpecifier()).rsplit("Specifier", 1)[-1].lower(),
            "type": str(prim.GetTypeName()),
            "active": prim.IsActive(),
            "defined": prim.IsDefined(),
            "abstract": prim.IsAbstract(),
            "instance": prim.IsInstance(),
        }
        for flag, value in flags.items():
            if dump[flag] != value:
                say("flags", f"{path} {flag}", dump[flag], value)
        names = sorted(prim.GetAuthoredPropertyNames())
        if sorted(dump["properties"]) != names:
            say("properties", path, sorted(dump["properties"]), names)
        for name in names:
            if name in dump["properties"]:
                compare_property(
                    witness, dump["properties"][name], name, prim, lambda k, w, a, b, p=path: say(k, f"{p}.{w}", a, b)
                )
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=pathlib.Path)
    parser.add_argument("--dump", default=str(ROOT / "build/release/bin/usd_stage_dump"), help="the program")
    parser.add_argument("--details", action="store_true", help="print every difference")
    parser.add_argument("--only-different", action="store_true", help="leave out what agrees")
    arguments = parser.parse_args()
    if not os.access(arguments.dump, os.X_OK):
        print(f"no program {arguments.dump}: build the target usd_stage_dump", file=sys.stderr)
        return 6
    files = [file for path in arguments.paths for file in stages_below(path)]
    if not files:
        print("no USD files there", file=sys.stderr)
        return 3
    agreed = refused = 0
    prims = 0
    for file in files:
        with tempfile.TemporaryFile() as quiet:
            done = subprocess.run([arguments.dump, str(file)], stdout=subprocess.PIPE, stderr=quiet, check=False)
        name = os.path.relpath(file)
        try:
            ours = json.loads(done.stdout)
        except ValueError:
            print(f"{name}: the program gave no JSON (exit code {done.returncode})")
            continue
        if "error" in ours and REFUSED.search(ours["error"]):
            refused += 1
            print(f"{name}: refused: {ours['error'][:160]}")
            continue
        found = compare(file, ours, arguments.details)
        prims += len(ours.get("prims", []))
        if not found:
            agreed += 1
        if found or not arguments.only_different:
            words = ", ".join(f"{count} {kind}" for kind, count in sorted(found.items()))
            print(f"{name}: {'differs: ' + words if found else 'agrees'}")
    print(f"\n{len(files)} stages, {prims} prims: {agreed} agree, {refused} refused by name, "
          f"{len(files) - agreed - refused} differ")
    return 0 if agreed + refused == len(files) else 5


if __name__ == "__main__":
    sys.exit(main())
