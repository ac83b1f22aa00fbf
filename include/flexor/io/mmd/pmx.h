/// @file io/mmd/pmx.h
/// A PMX model as its file holds it: the file's own numbers, names, order, axes and units (left
/// handed, +Y up, facing -Z, one unit about 8 cm). Nothing is converted here. docs/formats/pmx.md
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "flexor/core/diagnostic.h"
#include "flexor/core/export.h"
#include "flexor/core/memory_budget.h"
#include "flexor/core/result.h"
#include "flexor/math/quat.h"
#include "flexor/math/vec.h"

namespace flexor::io::mmd {

/// What an index holds that refers to no element. Vertex indices cannot: they are unsigned.
inline constexpr std::int32_t kNoIndex = -1;

/// The two versions there are. MikuMikuDance itself reads 2.0 only.
enum class PmxVersion : std::uint8_t { k20, k21 };

/// How the file stores its texts; here they are always UTF-8. The numbers are the file's.
enum class PmxEncoding : std::uint8_t { kUtf16 = 0, kUtf8 = 1 };

/// Bytes that an index of each kind takes in the file: 1, 2 or 4.
struct PmxWidths {
  std::uint8_t vertex = 1, texture = 1, material = 1, bone = 1, morph = 1, body = 1;
  friend bool operator==(const PmxWidths&, const PmxWidths&) = default;
};

/// How a vertex follows its bones. The numbers are the file's. The type is what the file says,
/// never guessed from values.
enum class PmxWeightType : std::uint8_t { kBdef1 = 0, kBdef2, kBdef4, kSdef, kQdef };

/// One vertex. Additional vectors are in PmxModel::additional_uvs.
struct PmxVertex {
  Vec3f position{};
  Vec3f normal{};  ///< as stored, not always of unit length
  Vec2f uv{};      ///< origin at the top left
  PmxWeightType type = PmxWeightType::kBdef1;
  /// BDEF1 uses one, BDEF2 and SDEF two, BDEF4 and QDEF four; the rest are kNoIndex. A used one may
  /// be kNoIndex too.
  std::array<std::int32_t, 4> bones{kNoIndex, kNoIndex, kNoIndex, kNoIndex};
  /// BDEF4, QDEF: the four of the file, whose sum is anything. BDEF2, SDEF: [0] is the file's and
  /// [1] = 1 - [0] is made by the reader and not written. BDEF1: 1, not in the file.
  std::array<float, 4> weights{};
  Vec3f c{}, r0{},
      r1{};  ///< SDEF only: centre and reference points, positions in model space, uncorrected
  float edge_scale = 1;
  friend bool operator==(const PmxVertex&, const PmxVertex&) = default;
};

/// Bits of PmxMaterial::flags. The last three are of 2.1.
enum PmxMaterialFlag : std::uint8_t {
  kMaterialDoubleSided = 0x01,
  kMaterialGroundShadow = 0x02,
  kMaterialCastsShadow = 0x04,
  kMaterialReceivesShadow = 0x08,
  kMaterialEdge = 0x10,
  kMaterialVertexColor = 0x20,
  kMaterialPoints = 0x40,
  kMaterialLines = 0x80,
};

/// Values of PmxMaterial::sphere_mode.
enum PmxSphereMode : std::uint8_t {
  kSphereOff = 0,
  kSphereMultiply,
  kSphereAdd,
  kSphereSubTexture
};

/// The look of a run of triangles: materials cut PmxModel::indices into consecutive runs.
struct PmxMaterial {
  std::string name{}, name_en{};
  Vec4f diffuse{};
  Vec3f specular{};
  float shininess = 0;
  Vec3f ambient{};
  std::uint8_t flags = 0;  ///< PmxMaterialFlag
  Vec4f edge_color{};
  float edge_size = 0;
  std::int32_t texture = kNoIndex;
  std::int32_t sphere = kNoIndex;  ///< index of a texture
  std::uint8_t sphere_mode = kSphereOff;
  bool shared_toon = false;
  std::int32_t toon = kNoIndex;  ///< shared: 0..9 means toon01.bmp..toon10.bmp; else a texture
  std::string memo{};
  std::uint32_t index_count = 0;  ///< a multiple of 3
  friend bool operator==(const PmxMaterial&, const PmxMaterial&) = default;
};

/// Bits of PmxBone::flags.
enum PmxBoneFlag : std::uint16_t {
  kBoneTailIsBone = 0x0001,  ///< tail_bone counts; otherwise tail_offset
  kBoneRotatable = 0x0002,
  kBoneMovable = 0x0004,
  kBoneVisible = 0x0008,
  kBoneOperable = 0x0010,
  kBoneIk = 0x0020,  ///< this bone is the goal of `ik`
  kBoneAppendLocal = 0x0080,
  kBoneAppendRotation = 0x0100,
  kBoneAppendTranslation = 0x0200,
  kBoneFixedAxis = 0x0400,
  kBoneLocalAxes = 0x0800,
  kBoneAfterPhysics = 0x1000,
  kBoneExternalParent = 0x2000,
};

/// One turning bone of an IK chain.
struct PmxIkLink {
  std::int32_t bone = kNoIndex;
  bool has_limit = false;
  Vec3f min{}, max{};  ///< radians, as stored: min may exceed max
  friend bool operator==(const PmxIkLink&, const PmxIkLink&) = default;
};

/// The IK of the bone that is its goal.
struct PmxIk {
  std::int32_t effector = kNoIndex;  ///< the end of the chain, which is to reach the goal
  std::int32_t iterations = 0;
  float limit_angle = 0;           ///< radians of one step
  std::vector<PmxIkLink> links{};  ///< the one nearest to the effector first
  friend bool operator==(const PmxIk&, const PmxIk&) = default;
};

/// One bone. Bones have no rest rotation.
struct PmxBone {
  std::string name{}, name_en{};
  Vec3f position{};  ///< model space
  std::int32_t parent = kNoIndex;
  std::int32_t layer = 0;   ///< order of evaluation: by (after physics, layer, index)
  std::uint16_t flags = 0;  ///< PmxBoneFlag; says which of what follows is there
  std::int32_t tail_bone = kNoIndex;
  Vec3f tail_offset{};
  std::int32_t append_source = kNoIndex;
  float append_ratio = 0;  ///< anything, negative and above 1 included
  Vec3f fixed_axis{};
  Vec3f local_x{}, local_z{};
  std::int32_t external_key = 0;
  PmxIk ik{};

  bool has(PmxBoneFlag flag) const { return (flags & flag) != 0; }
  bool appends() const { return (flags & (kBoneAppendRotation | kBoneAppendTranslation)) != 0; }
  friend bool operator==(const PmxBone&, const PmxBone&) = default;
};

/// What a morph changes. The numbers are the file's; the last two are of 2.1.
enum class PmxMorphType : std::uint8_t {
  kGroup = 0,
  kVertex,
  kBone,
  kUv,
  kUv1,
  kUv2,
  kUv3,
  kUv4,
  kMaterial,
  kFlip,
  kImpulse,
};

/// Entries of the kinds of morph.
struct PmxGroupEntry {
  std::int32_t morph = kNoIndex;
  float rate = 0;
  friend bool operator==(const PmxGroupEntry&, const PmxGroupEntry&) = default;
};
struct PmxVertexEntry {
  std::uint32_t vertex = 0;
  Vec3f offset{};
  friend bool operator==(const PmxVertexEntry&, const PmxVertexEntry&) = default;
};
struct PmxBoneEntry {
  std::int32_t bone = kNoIndex;
  Vec3f translation{};
  Quatf rotation{};  ///< as stored, not always of unit length
  friend bool operator==(const PmxBoneEntry&, const PmxBoneEntry&) = default;
};
struct PmxUvEntry {
  std::uint32_t vertex = 0;
  Vec4f offset{};
  friend bool operator==(const PmxUvEntry&, const PmxUvEntry&) = default;
};
struct PmxMaterialEntry {
  std::int32_t material = kNoIndex;  ///< kNoIndex: all of them
  std::uint8_t operation = 0;        ///< 0 multiplies, 1 adds
  Vec4f diffuse{};
  Vec3f specular{};
  float shininess = 0;
  Vec3f ambient{};
  Vec4f edge_color{};
  float edge_size = 0;
  Vec4f texture{}, sphere{}, toon{};
  friend bool operator==(const PmxMaterialEntry&, const PmxMaterialEntry&) = default;
};
struct PmxImpulseEntry {
  std::int32_t body = kNoIndex;
  bool local = false;
  Vec3f velocity{}, torque{};
  friend bool operator==(const PmxImpulseEntry&, const PmxImpulseEntry&) = default;
};

/// One morph; only the list of its type is filled.
struct PmxMorph {
  std::string name{}, name_en{};
  std::uint8_t panel = 0;  ///< 0 hidden, 1 brow, 2 eye, 3 mouth, 4 other
  PmxMorphType type = PmxMorphType::kVertex;
  std::vector<PmxGroupEntry> group{};  ///< kGroup, kFlip
  std::vector<PmxVertexEntry> vertex{};
  std::vector<PmxBoneEntry> bone{};
  std::vector<PmxUvEntry> uv{};  ///< kUv, kUv1..kUv4
  std::vector<PmxMaterialEntry> material{};
  std::vector<PmxImpulseEntry> impulse{};
  friend bool operator==(const PmxMorph&, const PmxMorph&) = default;
};

/// A line of a display frame.
struct PmxFrameEntry {
  bool is_morph = false;  ///< what `index` counts: morphs, otherwise bones
  std::int32_t index = kNoIndex;
  friend bool operator==(const PmxFrameEntry&, const PmxFrameEntry&) = default;
};

/// A group of the editing panel.
struct PmxDisplayFrame {
  std::string name{}, name_en{};
  bool special = false;
  std::vector<PmxFrameEntry> entries{};
  friend bool operator==(const PmxDisplayFrame&, const PmxDisplayFrame&) = default;
};

/// Shape and driver of a rigid body. The numbers are the file's.
enum class PmxShape : std::uint8_t { kSphere = 0, kBox, kCapsule };
enum class PmxBodyMode : std::uint8_t { kFollowsBone = 0, kPhysics, kPhysicsAtBone };

/// One rigid body.
struct PmxRigidBody {
  std::string name{}, name_en{};
  std::int32_t bone = kNoIndex;
  std::uint8_t group = 0;           ///< 0..15
  std::uint16_t collides_with = 0;  ///< a bit for each group
  PmxShape shape = PmxShape::kSphere;
  Vec3f size{};      ///< sphere: radius · box: half extents · capsule: radius, length without caps
  Vec3f position{};  ///< model space
  Vec3f rotation{};  ///< radians; the matrix is Ry * Rx * Rz
  float mass = 0, linear_damping = 0, angular_damping = 0, restitution = 0, friction = 0;
  PmxBodyMode mode = PmxBodyMode::kFollowsBone;
  friend bool operator==(const PmxRigidBody&, const PmxRigidBody&) = default;
};

/// Kinds of joint; all but the first are of 2.1. The numbers are the file's.
enum class PmxJointType : std::uint8_t {
  kSpring6Dof = 0,
  k6Dof,
  kPoint,
  kConeTwist,
  kSlider,
  kHinge
};

/// One joint. A minimum may exceed its maximum.
struct PmxJoint {
  std::string name{}, name_en{};
  PmxJointType type = PmxJointType::kSpring6Dof;
  std::int32_t body_a = kNoIndex, body_b = kNoIndex;
  Vec3f position{};  ///< model space
  Vec3f rotation{};  ///< radians
  Vec3f translation_min{}, translation_max{};
  Vec3f rotation_min{}, rotation_max{};  ///< radians
  Vec3f spring_translation{}, spring_rotation{};
  friend bool operator==(const PmxJoint&, const PmxJoint&) = default;
};

/// Ties a soft body to a rigid one.
struct PmxAnchor {
  std::int32_t body = kNoIndex;
  std::uint32_t vertex = 0;
  std::uint8_t near_mode = 0;
  friend bool operator==(const PmxAnchor&, const PmxAnchor&) = default;
};

/// One soft body (2.1). Readers disagree whether `stiffness` is float or integer: its bits are
/// kept.
struct PmxSoftBody {
  std::string name{}, name_en{};
  std::uint8_t shape = 0;  ///< 0 triangles, 1 rope
  std::int32_t material = kNoIndex;
  std::uint8_t group = 0;
  std::uint16_t collides_with = 0;
  std::uint8_t flags = 0;  ///< 1 B-links, 2 clusters, 4 link crossing
  std::int32_t b_link_distance = 0, cluster_count = 0;
  float total_mass = 0, collision_margin = 0;
  std::int32_t aero_model = 0;
  std::array<float, 12> config{};            ///< VCF DP DG LF PR VC DF MT CHR KHR SHR AHR
  std::array<float, 6> cluster{};            ///< SRHR SKHR SSHR SR_SPLT SK_SPLT SS_SPLT
  std::array<std::int32_t, 4> iterations{};  ///< V P D C
  std::array<std::uint32_t, 3> stiffness{};  ///< LST AST VST: the file's 32 bits, float or integer
  std::vector<PmxAnchor> anchors{};
  std::vector<std::uint32_t> pins{};  ///< vertices
  friend bool operator==(const PmxSoftBody&, const PmxSoftBody&) = default;
};

/// The original bytes of names that came from a PMD file, for comparing with motions.
struct PmdNames {
  std::vector<std::string> bones{}, morphs{};  ///< CP932, cut at NUL; as many as the model has
  friend bool operator==(const PmdNames&, const PmdNames&) = default;
};

/// A whole model. After a successful read every float is finite and every index is kNoIndex or
/// names an element of its table; bone parents form a forest; appends and group morphs are without
/// cycles.
struct PmxModel {
  PmxVersion version = PmxVersion::k20;
  PmxEncoding encoding = PmxEncoding::kUtf16;
  PmxWidths widths{};
  std::vector<std::uint8_t> extra_globals{};  ///< header bytes beyond the eight known ones
  std::string name{}, name_en{}, comment{}, comment_en{};
  std::vector<PmxVertex> vertices{};     ///< (V)
  std::uint8_t additional_uv_count = 0;  ///< A, 0..4
  std::vector<Vec4f> additional_uvs{};   ///< (V * A), those of one vertex together
  std::vector<std::uint32_t> indices{};  ///< (3T), clockwise seen from outside
  std::vector<std::string> textures{};   ///< file names as written, slashes of either kind
  std::vector<PmxMaterial> materials{};  ///< their index_count sums to at most 3T
  std::vector<PmxBone> bones{};
  std::vector<PmxMorph> morphs{};
  std::vector<PmxDisplayFrame> frames{};
  std::vector<PmxRigidBody> bodies{};
  std::vector<PmxJoint> joints{};
  std::vector<PmxSoftBody> soft_bodies{};
  std::vector<std::byte> trailing{};  ///< what follows the last section: kept, not understood
  PmdNames pmd_names{};               ///< empty unless the model came from a PMD file
  friend bool operator==(const PmxModel&, const PmxModel&) = default;
};

/// Reads PMX 2.0 and 2.1. What can be lived with is dropped or repaired with a diagnostic whose
/// `where` is the section: docs/formats/pmx.md lists which.
/// Errors  kUnknownFormat (no PMX) · kUnsupportedFeature (another version) · kTruncated ·
/// kInvalidValue (an unknown type, a number that is not finite where none can be made up, a bone
/// that is its own ancestor) · kIndexOutOfRange · kShapeMismatch · kLimitExceeded (budget). Each
/// has the byte offset, and the section and element in `place.element`.
FLEXOR_API Result<PmxModel> ParsePmx(std::span<const std::byte> bytes, MemoryBudget& budget,
                                     Diagnostics& diagnostics);

/// How a model is written. What is not set is as the model says.
struct PmxWriteOptions {
  std::optional<PmxVersion> version{};
  std::optional<PmxEncoding> encoding{};
  /// 0 means the smallest width that can name all elements. Not set: the model's own, each widened
  /// when it does not hold the indices that occur.
  std::optional<PmxWidths> widths{};
};

/// Writes a model. What it writes, ParsePmx reads back with every field equal; a file that was read
/// without diagnostics and written unchanged has the same bytes, but for the cases in
/// docs/formats/pmx.md. Parts of 2.1 in a file of 2.0 are written as they are, soft bodies left
/// out, each with a diagnostic in `notes` when given. Errors  kIndexOutOfRange · kInvalidValue (not
/// finite, text over 2 GiB) · kShapeMismatch (additional_uvs, index counts) · kLimitExceeded (a
/// width given in the options is too small)
FLEXOR_API Result<std::vector<std::byte>> WritePmx(const PmxModel& model,
                                                   const PmxWriteOptions& options = {},
                                                   Diagnostics* notes = nullptr);

}  // namespace flexor::io::mmd
