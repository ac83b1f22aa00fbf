#include "io/rules.h"

namespace flexor::io::mmd {
namespace {

constexpr Severity E = Severity::kError;
constexpr Severity W = Severity::kWarning;
constexpr Severity I = Severity::kInfo;
constexpr RuleOrigin F = RuleOrigin::kFlexor;

// Sorted by code: FindRule searches by halves, and a test holds the order.
constexpr Rule kRules[] = {
    {"MMD_APPEND_CYCLE", E, F,
     "bones append to each other in a circle; the last of them lost its append",
     "let each append come from a bone that does not depend on it"},
    {"MMD_BODY_DROPPED", E, F, "a rigid body with a broken value or bone is left out",
     "correct the body in a PMX editor"},
    {"MMD_BONE_NAME_TWICE", W, F,
     "bones have one name, or one in the 15 bytes of a motion, which moves only the first of them",
     "give the bones names of their own"},
    {"MMD_BONE_VALUE_REPAIRED", W, F,
     "a tail or append that names no bone, or an axis that is not finite, was cleared"},
    {"MMD_EXTRA_GLOBALS", I, F, "the header has more bytes than are known; they are kept unread"},
    {"MMD_FEATURE_OF_21", W, F,
     "a file of version 2.0 uses what only 2.1 has; it was read all the same",
     "save the model as PMX 2.1"},
    {"MMD_FIXED_AXIS_ZERO", W, F, "a fixed axis has no direction; the bone turns freely"},
    {"MMD_FRAME_ENTRY_DROPPED", E, F,
     "a line of a display frame refers to an element that does not exist; it is left out"},
    {"MMD_GROUP_MORPH_CYCLE", E, F,
     "morphs drive each other in a circle; the entry that closed it is left out",
     "take the morph out of its own group"},
    {"MMD_IK_EMPTY", E, F,
     "an IK has no bone to bring to its goal or none to turn; it does nothing"},
    {"MMD_IK_LINK_DROPPED", E, F,
     "a link of an IK is its own goal, or names no bone, and is left out"},
    {"MMD_IK_SPLIT", I, F,
     "a bone with several IK chains got a further bone for each but the first"},
    {"MMD_JOINT_DROPPED", E, F, "a joint with a broken value or body is left out",
     "correct the joint in a PMX editor"},
    {"MMD_JOINT_LIMITS_REVERSED", W, F, "a joint has a minimum above its maximum; both are kept"},
    {"MMD_JOINT_LOOSE", W, F, "a joint holds one body only; it is left out"},
    {"MMD_MATERIALS_LEAVE_FACES", W, F, "the last triangles belong to no material"},
    {"MMD_MATERIAL_TEXTURE_OOB", E, F, "a material names a texture that is not there; it has none"},
    {"MMD_MATERIAL_VALUE_REPAIRED", W, F, "a number of a material is not finite; 0 was used"},
    {"MMD_MORPH_ENTRY_DROPPED", E, F,
     "an entry of a morph refers to an element that does not exist, or is not finite; it is left "
     "out"},
    {"MMD_MORPH_LOOK_ONLY", I, F,
     "a morph changes materials or texture coordinates, which pictures do not follow"},
    {"MMD_SDEF_WITHOUT_BONE", W, F,
     "an SDEF vertex names fewer than two bones; it is blended linearly"},
    {"MMD_SOFT_BODIES_IGNORED", W, F, "soft bodies are not simulated; their vertices follow bones"},
    {"MMD_SOFT_BODY_DROPPED", E, F, "a soft body with a broken value or index is left out"},
    {"MMD_TEXT_REPAIRED", W, F,
     "a text has bytes that mean nothing in its encoding; they became U+FFFD"},
    {"MMD_TRAILING_BYTES", W, F,
     "the file goes on after its last section; the rest means nothing here"},
    {"MMD_UNKNOWN_VALUE", W, F,
     "a value that the format does not define; it is kept, and a flag taken as 1"},
    {"MMD_VERTEX_VALUE_REPAIRED", W, F,
     "a normal, texture coordinate or edge scale is not finite; 0 was used"},
    {"MMD_VERTEX_WITHOUT_BONE", W, F,
     "a vertex has no weight on any bone; it follows the first bone"},
    {"MMD_WEIGHT_WITHOUT_BONE", W, F, "a weight is on no bone; it is left out"},
    {"MMD_WRITE_NEEDS_21", W, F,
     "on writing: the model uses what only version 2.1 has, but 2.0 is written",
     "write version 2.1"},
    {"MMD_WRITE_SOFT_BODIES_LEFT_OUT", W, F,
     "on writing: version 2.0 has no soft bodies; they are left out", "write version 2.1"},
    {"MMD_WRITE_TEXT_REPAIRED", W, F,
     "on writing: a text is not UTF-8; its bad bytes became U+FFFD"},
    {"MOTION_BONE_UNMATCHED", W, F, "a motion moves bones that the model lacks",
     "use a motion made for this model, or rename the bones"},
    {"MOTION_IK_UNMATCHED", I, F, "a motion switches IK that the model lacks"},
    {"MOTION_MORPH_UNMATCHED", W, F, "a motion uses morphs that the model lacks"},
    {"MOTION_SCENE_KEYS_IGNORED", I, F,
     "a motion has keys of camera, light or shadow, which move no character"},
    {"PLAIN_MORPH_SPREAD", W, F,
     "on writing: morphs of groups, bones, looks or impulses are no sliders; clips hold their "
     "work"},
    {"PLAIN_PHYSICS_LEFT_OUT", W, F,
     "on writing: rigid bodies and joints are left out; clips hold what they did, unless they were "
     "off"},
    {"PLAIN_SDEF_LINEAR", W, F, "on writing: spherical vertices will be blended linearly"},
    {"PMD_NO_BASE_MORPH", E, F, "morphs without a base morph move nothing"},
    {"PMD_WEIGHT_OUT_OF_RANGE", W, F, "a weight is above 100 percent; it is kept"},
    {"PMX_BIND_POSE", W, F,
     "on writing: joints are not at rest as they were bound; the model stands as bound, and "
     "motions "
     "begin with the rest pose"},
    {"PMX_FILES_STAY", W, F, "on writing: textures and motions of a model stay where they are"},
    {"PMX_INFLUENCES_LIMITED", W, F,
     "on writing: vertices keep the strongest 4 of their influences"},
    {"PMX_MORPH_NORMALS_LEFT_OUT", W, F, "on writing: the normals of morphs are left out"},
    {"PMX_NAME_MADE", W, F,
     "on writing: bones or morphs whose names a motion could not tell apart got names of their "
     "own"},
    {"PMX_SCALE_LEFT_OUT", W, F, "on writing: scale at rest went into the vertices"},
    {"VMD_KEY_DROPPED", E, F, "a key with a number that is not finite is left out"},
    {"VMD_NAME_LOST", W, F, "on writing: names have characters that CP932 lacks"},
    {"VMD_SCALE_LEFT_OUT", W, F, "on writing: scaling is left out"},
    {"VMD_SECTIONS_MISSING", I, F, "the file ends before its last lists, as old ones do"},
    {"VMD_TRAILING_BYTES", W, F, "the file goes on after its last list; the rest is ignored"},
    {"VPD_COUNT_MISMATCH", W, F, "the file says another number of bones than it has; all are read",
     "correct the number: other programs stop there"},
    {"VPD_TEXT_IGNORED", W, F, "text between the blocks of a pose means nothing and is ignored"},
    {"VPD_UTF8", I, F, "the pose is in UTF-8, not in CP932"},
};

}  // namespace

std::span<const Rule> Rules() { return kRules; }

}  // namespace flexor::io::mmd
