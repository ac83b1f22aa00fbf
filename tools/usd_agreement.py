#!/usr/bin/env python3
"""Compares what flexor reads from USD layers with what OpenUSD reads from them, spec by spec and value by value.

Takes usda, usdc, usd and usdz files and folders of them. For each layer (in a package: each layer inside) the test program
usd_dump tells what flexor holds, and the package usd-core of PyPI what OpenUSD holds: prims, variants, properties, their
order, list edits, metadata, defaults, all time samples. Numbers must be equal to the bit.

    tools/usd_agreement.py ../shared/corpus/usd
    tools/usd_agreement.py --details FILE

Files that only one of the two reads are listed; those in KNOWN are expected. Exit code 0, 5 when the two disagree, 3 when
nothing was found to compare, 6 without usd-core or usd_dump.
"""

import argparse
import functools
import json
import math
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ENDINGS = {".usda", ".usdc", ".usd", ".usdz"}
BATCH = 40  # files per call of usd_dump

# Layers that only one of the two reads, by the end of their name, and why.
KNOWN = {
    "text/usda/geometryattributes.usda": "its version, 1.0.123123123, is too long for OpenUSD",
}

HANDLED = {
    "specifier", "typeName", "references", "payload", "inheritPaths", "specializes", "variantSetNames", "apiSchemas",
    "variantSelection", "relocates", "layerRelocates", "primOrder", "propertyOrder", "primChildren", "properties",
    "variantSetChildren", "variantChildren", "subLayers", "subLayerOffsets", "custom", "variability", "default",
    "timeSamples", "targetPaths", "targetChildren", "connectionPaths", "connectionChildren", "spline",
}  # fmt: skip


def plain(value):
    """A value of usd-core as lists, numbers and texts."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, dict):
        return {key: plain(entry) for key, entry in value.items()}
    if isinstance(value, Sdf.ValueBlock):
        return ""
    if isinstance(value, Sdf.AssetPath):
        return value.path
    if isinstance(value, Sdf.TimeCode):
        return value.GetValue()
    if isinstance(value, Sdf.PathExpression):
        return value.GetText()
    if isinstance(value, Sdf.Path):
        return str(value)
    if isinstance(value, Sdf.UnregisteredValue):
        return plain(value.value)
    if isinstance(value, (Sdf.Reference, Sdf.Payload)):
        offset = value.layerOffset
        data = value.customData if isinstance(value, Sdf.Reference) else {}
        return [value.assetPath, str(value.primPath), offset.offset, offset.scale, plain(data)]
    if hasattr(value, "isExplicit"):
        return list_op(value)
    if hasattr(value, "real"):
        return [*value.imaginary, value.real]
    if type(value).__name__.startswith("Matrix"):
        return [list(row) for row in value]
    if value in (Sdf.PermissionPublic, Sdf.PermissionPrivate):
        return "private" if value == Sdf.PermissionPrivate else "public"
    if hasattr(value, "__len__") and hasattr(value, "__getitem__"):
        return [plain(entry) for entry in value]
    return f"{type(value).__name__} {value}"


def list_op(op):
    result = {}
    if op.isExplicit:
        result["explicit"] = [plain(item) for item in op.explicitItems]
        return result
    for name in ("added", "prepended", "appended", "deleted", "ordered"):
        items = [plain(item) for item in getattr(op, name + "Items")]
        if items:
            result[name] = items
    return result


def metadata(spec):
    return {key: plain(spec.GetInfo(key)) for key in spec.ListInfoKeys() if key not in HANDLED}


def prim_spec(prim, is_variant):
    specifiers = {Sdf.SpecifierDef: "def", Sdf.SpecifierOver: "over", Sdf.SpecifierClass: "class"}
    spec = {
        "children": list(prim.nameChildren.keys()),
        "properties": list(prim.properties.keys()),
        "variantSets": {name: list(entry.variants.keys()) for name, entry in prim.variantSets.items()},
        "metadata": metadata(prim),
    }
    if prim.path != Sdf.Path.absoluteRootPath:
        if not is_variant:
            spec["specifier"] = specifiers[prim.specifier]
        spec["typeName"] = prim.typeName
    keys = set(prim.ListInfoKeys())
    for key in ("references", "payload", "inheritPaths", "specializes", "variantSetNames", "apiSchemas"):
        if key in keys:
            spec[key] = list_op(prim.GetInfo(key))
    if "variantSelection" in keys:
        spec["variantSelection"] = dict(prim.GetInfo("variantSelection"))
    for key in ("relocates", "layerRelocates"):
        if key in keys:
            moves = prim.GetInfo(key)
            moves = moves.items() if hasattr(moves, "items") else moves
            spec["relocates"] = [[str(source), str(target)] for source, target in moves]
    for key in ("primOrder", "propertyOrder"):
        if key in keys:
            spec[key] = list(prim.GetInfo(key))
    return spec


def property_spec(layer, prop):
    spec = {
        "custom": bool(prop.custom),
        "uniform": prop.variability == Sdf.VariabilityUniform,
        "metadata": metadata(prop),
    }
    keys = set(prop.ListInfoKeys())
    if isinstance(prop, Sdf.AttributeSpec):
        spec["typeName"] = prop.GetInfo("typeName")
    for key in ("targetPaths", "connectionPaths"):
        if key in keys:
            spec[key] = list_op(prop.GetInfo(key))
    if "default" in keys:
        spec["default"] = plain(prop.GetInfo("default"))
    if "spline" in keys:
        spec["spline"] = True
    times = layer.ListTimeSamplesForPath(prop.path)
    if times:
        spec["timeSamples"] = [[time, plain(layer.QueryTimeSample(prop.path, time))] for time in times]
    return spec


def by_usd(identifier):
    """{path: spec}, sublayers; or None when OpenUSD refuses the layer."""
    try:
        layer = Sdf.Layer.FindOrOpen(identifier)
    except Tf.ErrorException:
        layer = None
    if not layer:
        return None
    specs = {}

    def visit(path):
        if path.IsPrimVariantSelectionPath() and not path.GetVariantSelection()[1]:
            return
        spec = layer.GetObjectAtPath(path)
        if path == Sdf.Path.absoluteRootPath:
            specs["/"] = prim_spec(layer.pseudoRoot, False)
        elif isinstance(spec, Sdf.PropertySpec):
            specs[str(path)] = property_spec(layer, spec)
        elif path.IsPrimPath() or path.IsPrimVariantSelectionPath():
            specs[str(path)] = prim_spec(layer.GetPrimAtPath(path), path.IsPrimVariantSelectionPath())

    layer.Traverse(Sdf.Path.absoluteRootPath, visit)
    offsets = layer.subLayerOffsets
    sublayers = [[str(path), offsets[i].offset, offsets[i].scale] for i, path in enumerate(layer.subLayerPaths)]
    return specs, sublayers


@functools.cache
def declared_keys():
    layer = Sdf.Layer.CreateAnonymous()
    prim = Sdf.CreatePrimInLayer(layer, "/A")
    specs = [layer.pseudoRoot, prim]
    specs += [Sdf.AttributeSpec(prim, "a", Sdf.ValueTypeNames.Float), Sdf.RelationshipSpec(prim, "r")]
    return {"comment"}.union(*(spec.GetMetaDataInfoKeys() for spec in specs))


def squeezed(text):
    return re.sub(r"\s+", "", text).strip('"')


def equal(ours, theirs):
    if isinstance(ours, float) or isinstance(theirs, float):
        if isinstance(ours, (str, list, dict)) or isinstance(theirs, (str, list, dict)):
            return False
        return ours == theirs or (math.isnan(ours) and math.isnan(theirs))
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(equal, ours, theirs))
    if isinstance(ours, dict) and isinstance(theirs, dict):
        if set(ours) == {"type", "value"}:
            ours = ours["value"]
        return ours.keys() == theirs.keys() and all(equal_value(ours[key], theirs[key]) for key in ours)
    return ours == theirs


def equal_value(ours, theirs):
    """`ours` is as usd_dump writes values, or already plain."""
    if isinstance(ours, dict) and set(ours) == {"type", "value"}:
        if ours["type"] == "text of an unknown key":
            # Lists of unknown keys keep their text here and are taken apart there.
            return not isinstance(theirs, str) or squeezed(ours["value"]) == squeezed(theirs)
        if ours["type"] == "a kind that is not read":
            return True
        ours = ours["value"]
    return equal(ours, theirs)


def compare(ours, theirs, say):
    specs, sublayers = theirs
    if not equal(ours["subLayers"], sublayers):
        say("subLayers", ours["subLayers"], sublayers)
    for path in sorted(set(ours["specs"]) | set(specs)):
        mine, other = ours["specs"].get(path), specs.get(path)
        if mine is None or other is None:
            say(path, "a spec" if mine else "nothing", "a spec" if other else "nothing")
            continue
        for key in sorted(set(mine) | set(other)):
            if key not in other and (key in ("specifier", "typeName") or mine[key] in ([], {})):
                continue  # the root and variants have none
            if key == "variantSets":
                other[key] = {name: variants for name, variants in other[key].items() if variants}
            if key == "timeSamples" and key in mine:
                good = key in other and len(mine[key]) == len(other[key])
                good = good and all(a[0] == b[0] and equal_value(a[1], b[1]) for a, b in zip(mine[key], other[key]))
            elif key == "metadata":
                for name in sorted(set(mine[key]) | set(other[key])):
                    a, b = mine[key].get(name), other[key].get(name)
                    if b is None and name not in declared_keys():
                        continue  # usd-core keeps such keys but shows them to nobody
                    if a is None or b is None or not equal_value(a, b):
                        say(f"{path} metadata {name}", a, b)
                continue
            else:
                good = key in mine and key in other and equal_value(mine[key], other[key])
            if not good:
                say(f"{path} {key}", mine.get(key), other.get(key))


def usd_files(paths):
    for path in map(pathlib.Path, paths):
        if path.is_dir():
            yield from sorted(file for file in path.rglob("*") if file.suffix in ENDINGS)
        else:
            yield path


def by_flexor(program, files):
    for start in range(0, len(files), BATCH):
        batch = [str(file) for file in files[start : start + BATCH]]
        done = subprocess.run([program, *batch], capture_output=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{program} ended with {done.returncode}:\n{done.stderr.decode()[-2000:]}")
        for line in done.stdout.decode("utf-8", "surrogateescape").splitlines():
            yield json.loads(line)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", help="files and folders; the corpus when left out")
    parser.add_argument("--usd-dump", default=str(ROOT / "build" / "release" / "tests" / "usd_dump"), help="the program")
    parser.add_argument("--details", action="store_true", help="list every difference, not the first of a layer")
    options = parser.parse_args()

    files = list(usd_files(options.paths or [ROOT.parent / "shared" / "corpus" / "usd"]))
    if not files:
        print("no USD files to compare", file=sys.stderr)
        return 3
    if not pathlib.Path(options.usd_dump).exists():
        print(f"no program at {options.usd_dump}; build usd_dump, or name it with --usd-dump", file=sys.stderr)
        return 6

    counts = {"equal": 0, "different": 0, "refused by both": 0, "known": 0, "read by one": 0}
    specs = 0
    for ours in by_flexor(options.usd_dump, files):
        name = ours["file"]
        theirs = by_usd(name)
        if "error" in ours or theirs is None:
            if "error" in ours and theirs is None:
                counts["refused by both"] += 1
                continue
            reason = next((why for end, why in KNOWN.items() if name.endswith(end)), None)
            counts["known" if reason else "read by one"] += 1
            by = "OpenUSD" if theirs else "flexor"
            print(f"{name}: read by {by} only ({reason or 'unexpected'}): {ours.get('error', '')}")
            continue
        specs += len(theirs[0])
        found = []
        compare(ours, theirs, lambda *difference: found.append(difference))
        counts["different" if found else "equal"] += 1
        for where, mine, other in found if options.details else found[:1]:
            print(f"{name}: {where}\n    flexor  {str(mine)[:300]}\n    OpenUSD {str(other)[:300]}")
    print(f"{sum(counts.values())} layers, {specs} specs: " + ", ".join(f"{n} {what}" for what, n in counts.items()))
    return 5 if counts["different"] or counts["read by one"] else 0


try:
    from pxr import Plug, Sdf, Tf  # noqa: F401
except ImportError:
    print("SKIPPED FOR WANT OF usd-core: pip install -r tools/python/requirements.txt", file=sys.stderr)
    sys.exit(6)

if __name__ == "__main__":
    sys.exit(main())
