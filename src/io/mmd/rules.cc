#include "io/mmd/rules.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace flexor::io::mmd {
namespace {

constexpr Severity E = Severity::kError;
constexpr Severity W = Severity::kWarning;
constexpr Severity I = Severity::kInfo;

// Sorted by code: Report searches by halves, and a test holds the order.
constexpr Rule kRules[] = {
    {"MMD_APPEND_CYCLE", E,
     "bones append to each other in a circle; the last of them lost its append",
     "let each append come from a bone that does not depend on it"},
    {"MMD_BODY_DROPPED", E, "a rigid body with a broken value or bone is left out",
     "correct the body in a PMX editor"},
    {"MMD_BONE_VALUE_REPAIRED", W,
     "a tail or append that names no bone, or an axis that is not finite, was cleared"},
    {"MMD_EXTRA_GLOBALS", I, "the header has more bytes than are known; they are kept unread"},
    {"MMD_FEATURE_OF_21", W,
     "a file of version 2.0 uses what only 2.1 has; it was read all the same",
     "save the model as PMX 2.1"},
    {"MMD_FIXED_AXIS_ZERO", W, "a fixed axis has no direction; the bone turns freely"},
    {"MMD_FRAME_ENTRY_DROPPED", E,
     "a line of a display frame refers to an element that does not exist; it is left out"},
    {"MMD_GROUP_MORPH_CYCLE", E,
     "morphs drive each other in a circle; the entry that closed it is left out",
     "take the morph out of its own group"},
    {"MMD_IK_EMPTY", E, "an IK has no bone to bring to its goal or none to turn; it does nothing"},
    {"MMD_IK_LINK_DROPPED", E,
     "a link of an IK is its own goal, or names no bone, and is left out"},
    {"MMD_IK_SPLIT", I, "a bone with several IK chains got a further bone for each but the first"},
    {"MMD_JOINT_DROPPED", E, "a joint with a broken value or body is left out",
     "correct the joint in a PMX editor"},
    {"MMD_JOINT_LIMITS_REVERSED", W, "a joint has a minimum above its maximum; both are kept"},
    {"MMD_JOINT_LOOSE", W, "a joint holds one body only; it is left out"},
    {"MMD_MATERIALS_LEAVE_FACES", W, "the last triangles belong to no material"},
    {"MMD_MATERIAL_TEXTURE_OOB", E, "a material names a texture that is not there; it has none"},
    {"MMD_MATERIAL_VALUE_REPAIRED", W, "a number of a material is not finite; 0 was used"},
    {"MMD_MORPH_ENTRY_DROPPED", E,
     "an entry of a morph refers to an element that does not exist, or is not finite; it is left "
     "out"},
    {"MMD_MORPH_LOOK_ONLY", I,
     "a morph changes materials or texture coordinates, which pictures do not follow"},
    {"MMD_SDEF_WITHOUT_BONE", W,
     "an SDEF vertex names fewer than two bones; it is blended linearly"},
    {"MMD_SOFT_BODIES_IGNORED", W, "soft bodies are not simulated; their vertices follow bones"},
    {"MMD_SOFT_BODY_DROPPED", E, "a soft body with a broken value or index is left out"},
    {"MMD_TEXT_REPAIRED", W,
     "a text has bytes that mean nothing in its encoding; they became U+FFFD"},
    {"MMD_TRAILING_BYTES", W,
     "the file goes on after its last section; the rest means nothing here"},
    {"MMD_UNKNOWN_VALUE", W,
     "a value that the format does not define; it is kept, and a flag taken as 1"},
    {"MMD_VERTEX_VALUE_REPAIRED", W,
     "a normal, texture coordinate or edge scale is not finite; 0 was used"},
    {"MMD_VERTEX_WITHOUT_BONE", W, "a vertex has no weight on any bone; it follows the first bone"},
    {"MMD_WEIGHT_WITHOUT_BONE", W, "a weight is on no bone; it is left out"},
    {"MMD_WRITE_NEEDS_21", W,
     "on writing: the model uses what only version 2.1 has, but 2.0 is written",
     "write version 2.1"},
    {"MMD_WRITE_SOFT_BODIES_LEFT_OUT", W,
     "on writing: version 2.0 has no soft bodies; they are left out", "write version 2.1"},
    {"MMD_WRITE_TEXT_REPAIRED", W, "on writing: a text is not UTF-8; its bad bytes became U+FFFD"},
    {"MOTION_BONE_UNMATCHED", W, "a motion moves bones that the model lacks",
     "use a motion made for this model, or rename the bones"},
    {"MOTION_IK_UNMATCHED", I, "a motion switches IK that the model lacks"},
    {"MOTION_MORPH_UNMATCHED", W, "a motion uses morphs that the model lacks"},
    {"MOTION_SCENE_KEYS_IGNORED", I,
     "a motion has keys of camera, light or shadow, which move no character"},
    {"PLAIN_MORPH_SPREAD", W,
     "on writing: morphs of groups, bones, looks or impulses are no sliders; clips hold their "
     "work"},
    {"PLAIN_PHYSICS_LEFT_OUT", W,
     "on writing: rigid bodies and joints are left out; clips hold what they did, unless they were "
     "off"},
    {"PLAIN_SDEF_LINEAR", W, "on writing: spherical vertices will be blended linearly"},
    {"PMD_NO_BASE_MORPH", E, "morphs without a base morph move nothing"},
    {"PMD_WEIGHT_OUT_OF_RANGE", W, "a weight is above 100 percent; it is kept"},
    {"PMX_FILES_STAY", W, "on writing: textures and motions of a model stay where they are"},
    {"PMX_INFLUENCES_LIMITED", W, "on writing: vertices keep the strongest 4 of their influences"},
    {"PMX_MORPH_NORMALS_LEFT_OUT", W, "on writing: the normals of morphs are left out"},
    {"PMX_NAME_MADE", W, "on writing: bones without a name got one"},
    {"PMX_SCALE_LEFT_OUT", W, "on writing: scale at rest went into the vertices"},
    {"VMD_KEY_DROPPED", E, "a key with a number that is not finite is left out"},
    {"VMD_NAME_LOST", W, "on writing: names have characters that CP932 lacks"},
    {"VMD_SCALE_LEFT_OUT", W, "on writing: scaling is left out"},
    {"VMD_SECTIONS_MISSING", I, "the file ends before its last lists, as old ones do"},
    {"VMD_TRAILING_BYTES", W, "the file goes on after its last list; the rest is ignored"},
    {"VPD_COUNT_MISMATCH", W, "the file says another number of bones than it has; all are read",
     "correct the number: other programs stop there"},
    {"VPD_TEXT_IGNORED", W, "text between the blocks of a pose means nothing and is ignored"},
    {"VPD_UTF8", I, "the pose is in UTF-8, not in CP932"},
};

}  // namespace

std::span<const Rule> Rules() { return kRules; }

void Report(Diagnostics& diagnostics, std::string_view code, std::string_view where,
            std::string message, std::uint64_t count) {
  const auto* rule =
      std::lower_bound(std::begin(kRules), std::end(kRules), code,
                       [](const Rule& one, std::string_view sought) { return one.code < sought; });
  const bool known = rule != std::end(kRules) && rule->code == code;
  diagnostics.Add({.code = std::string(code),
                   .severity = known ? rule->severity : Severity::kError,
                   .where = std::string(where),
                   .message = std::move(message),
                   .remedy = known ? std::string(rule->remedy) : std::string(),
                   .count = count});
}

}  // namespace flexor::io::mmd
