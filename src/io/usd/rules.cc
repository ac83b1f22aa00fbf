// Every diagnostic that reading USD can emit.

#include "io/rules.h"

namespace flexor::io::usd {
namespace {

constexpr Severity E = Severity::kError;
constexpr Severity I = Severity::kInfo;
constexpr Severity W = Severity::kWarning;
constexpr RuleOrigin F = RuleOrigin::kFlexor;

// Sorted by code.
constexpr Rule kRules[] = {
    {"USD_ANIMATION", E, F, "a SkelAnimation cannot be used, or no skeleton plays it"},
    {"USD_ARC_CYCLE", E, F, "an arc leads back to where it comes from; it is left out"},
    {"USD_ARC_TARGET", E, F, "an arc names a prim that is not there; it is left out"},
    {"USD_ASSET_OUTSIDE", E, F,
     "an asset path leads out of the folder of the root layer; what it names is left out",
     "flatten the stage, or allow files outside for stages you trust"},
    {"USD_ASSET_UNSUPPORTED", E, F,
     "an asset path has a form that is not read; what it names is left out",
     "flatten the stage in the program it comes from"},
    {"USD_BIND_ANIMATED", W, F, "a geomBindTransform has time samples; the first moment counts"},
    {"USD_BLEND_SHAPE", E, F, "a blend shape or an in-between does not fit; it is left out"},
    {"USD_CHILDREN_DISAGREE", W, F,
     "a binary layer lists children that it does not have, or has some that it does not list"},
    {"USD_DEFAULT_PRIM", E, F,
     "a reference names no prim, and its target has no usable defaultPrim; it is left out",
     "author defaultPrim in the target, or name the prim"},
    {"USD_EXTENSION_MISLEADS", W, F, "the extension of a layer says text or binary wrongly",
     "name text .usda and binary .usdc, or either .usd"},
    {"USD_FACES", E, F, "the faces of a mesh do not fit its points; the mesh is left out"},
    {"USD_FIELD_IGNORED", E, F,
     "a field of a binary layer has a broken value or one of the wrong type; it is left out"},
    {"USD_JOINT_UNKNOWN", E, F, "a mesh lists a joint that its skeleton does not have"},
    {"USD_LAYER_BROKEN", E, F, "a layer cannot be read; what refers to it is left out"},
    {"USD_LAYER_NOT_FOUND", E, F, "a layer is not there; what refers to it is left out"},
    {"USD_LAYER_UNREADABLE", E, F,
     "a layer's file cannot be opened; what refers to it is left out"},
    {"USD_MATERIAL", W, F, "a material is not there, or is none that pictures can show"},
    {"USD_NORMALS_IGNORED", I, F, "a subdivision surface has authored normals, which do not count"},
    {"USD_NOT_FINITE", E, F, "numbers of a prim are not finite; 0 is used"},
    {"USD_NO_POINTS", W, F, "a prim has no points; it is left out"},
    {"USD_NO_SKEL_ROOT", E, F,
     "a prim is bound to a skeleton without being below a SkelRoot; it is not skinned",
     "make the prim above the skeleton and its meshes a SkelRoot"},
    {"USD_PACKAGE_CHECKSUM", W, F,
     "the checksum of a layer in a package is wrong; the layer may be damaged",
     "write the package anew"},
    {"USD_PACKAGE_MISALIGNED", W, F,
     "entries of a package do not start at multiples of 64 bytes, as they must; they are read all "
     "the same",
     "write the package anew"},
    {"USD_POINTS_ANIMATED", W, F, "points have time samples; those of the first moment count"},
    {"USD_PRIMVAR", E, F, "a primvar does not fit its mesh; it is left out"},
    {"USD_PRIM_IGNORED", I, F, "prims of a type that has no place in a character are left out"},
    {"USD_SCHEMA_MISSING", W, F,
     "a prim uses a schema that is not applied to it; OpenUSD ignores it, flexor does not",
     "apply the schema: prepend apiSchemas = [...]"},
    {"USD_SHADER_IGNORED", I, F, "part of a material is not drawn"},
    {"USD_SKELETON", E, F, "a skeleton is incomplete"},
    {"USD_SKINNED_XFORM", W, F,
     "a skinned prim, or one above it below the SkelRoot, has a transform, which skinning ignores; "
     "some importers apply it all the same",
     "bake the transforms into points and geomBindTransform"},
    {"USD_SKINNING", E, F, "a prim that is bound to a skeleton cannot be skinned"},
    {"USD_SKINNING_METHOD", W, F, "a skinning method is unknown; classicLinear is used"},
    {"USD_SPEC_DROPPED", E, F, "a binary layer has a spec without a parent; it is left out"},
    {"USD_STAGE_METADATA", E, F, "upAxis or metersPerUnit has a value that means nothing"},
    {"USD_SUBLAYER_CYCLE", E, F, "a layer would be its own sublayer; that entry is left out"},
    {"USD_SUBSET", E, F, "a subset of a mesh names faces that are not there or taken already"},
    {"USD_TARGET_OUTSIDE", E, F,
     "a target lies outside of what a reference brings in; it is left out"},
    {"USD_TARGET_SKIPPED", W, F,
     "a target points into the targets of another property, an old form; it is left out"},
    {"USD_TEXTURE", E, F, "a texture is not drawn, or not as it should be"},
    {"USD_TEXT_REPAIRED", W, F, "a text of a binary layer is not UTF-8; bad bytes became U+FFFD"},
    {"USD_TIME_OFFSET", E, F, "a layer offset cannot be used; times are read without it"},
    {"USD_TOPOLOGY_ANIMATED", W, F, "faces have time samples; those of the first moment count"},
    {"USD_VARIANT_REPEATED", W, F,
     "a layer writes a variant twice; both count, the later one where they differ"},
    {"USD_XFORM_IGNORED", W, F, "a prim that has no transform has transform operations"},
    {"USD_XFORM_OP", E, F, "a transform operation cannot be used; it is left out"},
    {"USD_XFORM_SHEARED", W, F,
     "an animated transform is sheared; the nearest one without shear is used"},
};

}  // namespace

std::span<const Rule> Rules() { return kRules; }

}  // namespace flexor::io::usd
