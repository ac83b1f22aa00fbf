/// @file deform/cpu/job.h
/// What the kernels of the CPU backend are handed: plain pointers to one frame. Private to the
/// deform module.
#pragma once

#include <cstddef>
#include <cstdint>

#include "deform/cpu/layout.h"

namespace flexor::deform {

// Parts below which floats cannot tell on which side of the rules of skin_lbs.h (which act at 1e-6)
// a vertex is.
inline constexpr float kDoubtfulNormal = 1e-5f;   // of |C n| / |B|^2
inline constexpr float kDoubtfulImage = 1e-5f;    // of |det B| / |B|^3
inline constexpr float kDoubtfulTangent = 1e-5f;  // of |B t| / |B|

/// A joint for linear blending, and for vertices that one joint moves alone whatever the method.
struct alignas(64) LinearJoint {
  /// Columns x, y, z, translation; translations are counted from the output origin and act on
  /// points counted from the layout's centre. The fourth number of the first column is the squared
  /// size of the 3x3, or infinity where floats cannot hold what follows from it.
  float matrix[16];
  /// For vertices that follow it alone: columns of the cofactor matrix over the squared size,
  /// turned inside out where the joint mirrors. It takes rest normals to model space, up to length.
  float cofactor[9];
  float handedness;    ///< -1 where the joint mirrors, else 1
  float least_normal;  ///< squared lengths below which the double path takes over
  float least_tangent;
  float padding[4];
};
static_assert(sizeof(LinearJoint) == 128);

/// A joint for blending dual quaternions. The dual part holds the translation as LinearJoint does.
struct alignas(64) DualJoint {
  /// Real part x y z w, its sign chosen to agree with most neighbours, then dual part x y z w.
  float motion[8];
  /// kVertex: three columns 1/2 (0, residual e) real. kOrigin, kUsd: columns x, y, z, constant of
  /// the residual acting on points counted from the layout's centre, three numbers each.
  float residual[12];
  float sign;           ///< the stored quaternion is `sign` times the split's
  float residual_size;  ///< squared size of the residual's 3x3, or infinity as above
  float padding[10];
};
static_assert(sizeof(DualJoint) == 128);

/// A joint for the centres of spherical vertices, without what it leaves in place: columns x, y, z
/// of the 3x3 less the identity, and the translation as LinearJoint has it; four numbers each.
struct alignas(64) CenterJoint {
  float matrix[16];
};

/// Two joints of spherical vertices. The rotation at weight w of the second is
///     slerp  cos(y) middle + sin(y) across,  y = (w - 1/2) angle       unit
///     nlerp  middle + (w - 1/2) across                                 up to length
struct alignas(64) PairMotion {
  float middle[4];  ///< x y z w
  float across[4];
  float angle;  ///< between the rotations, as vectors of four
  std::uint32_t joints[2];
  float padding[5];
};
static_assert(sizeof(PairMotion) == 64);

/// What a joint asks of the blocks that it is in.
enum JointFlag : std::uint8_t {
  kJointHasResidual = 1,
  kJointSignsDisagree = 2,  ///< no sign of it agrees with every joint that it meets
  kJointLeftOut = 4,        ///< it has no quaternion and leads no vertex
};

/// Lanes that the double path must redo, by what is in doubt.
struct Suspects {
  std::uint32_t block = 0;
  std::uint16_t everything = 0;
  std::uint16_t normals = 0;
  std::uint16_t tangents = 0;
};

/// Where one stream of results goes.
struct SkinStream {
  float* numbers = nullptr;  ///< of the first vertex, or null: not wanted
  std::size_t stride = 0;    ///< floats from one vertex to the next
};

struct SkinJob {
  const CpuBlock* blocks = nullptr;
  const float* data = nullptr;
  const float* tangent_data = nullptr;
  const std::uint32_t* joints = nullptr;
  const std::uint16_t* dst = nullptr;
  const std::uint32_t* pivots = nullptr;
  std::size_t geometry_rows = 6;
  std::uint32_t window_vertices = 0;
  std::uint32_t vertex_count = 0;
  bool raw_weights = false;
  bool prefetch = false;  ///< the frame is larger than the caches near a core

  /// Morphed rest shape of the blocks from `morphed_first` on whose bits are set in `touched`: rows
  /// as in data and tangent_data, `morphed_rows` a block, tangents after geometry.
  const float* morphed = nullptr;
  std::uint32_t touched = 0;
  std::size_t morphed_rows = 0;
  std::size_t morphed_first = 0;
  std::size_t blocks_done = 0;  ///< of the window, when it is done in stretches

  const LinearJoint* linear = nullptr;   ///< (J+1)
  const LinearJoint* alone = nullptr;    ///< (J+1) of dual quaternions
  const DualJoint* dual = nullptr;       ///< (J+1)
  const CenterJoint* centers = nullptr;  ///< (J), those of SphericalPayload::joints
  const PairMotion* pairs = nullptr;     ///< of SphericalPayload::pairs
  const std::uint8_t* joint_flags = nullptr;
  std::uint8_t frame_flags = 0;  ///< all joint_flags together
  /// Squared size that stands for every joint when they are alike, else negative: then blocks look
  /// at their own joints.
  float uniform_size = -1;
  float max_weight_sum_squared = 1;
  float origin[3] = {};       ///< the output origin, for weights that do not sum to 1
  bool about_origin = false;  ///< kOrigin, kUsd

  SkinStream positions, normals, tangents;
  bool packed = true;  ///< positions and normals are
};

/// Skins `blocks`, which lie in one window and are of one method. Writes at most one entry per
/// block to `suspects` and returns how many.
using SkinKernel = std::size_t (*)(const SkinJob& job, const CpuWindow& window, BlockRange blocks,
                                   Suspects* suspects);

/// One morph whose weight is not 0.
struct ActiveMorph {
  const MorphRows* rows = nullptr;
  const MorphStart* starts = nullptr;  ///< of every stretch, and one more
  float weight = 0;
};

struct MorphJob {
  const CpuLayout* layout = nullptr;
  const ActiveMorph* active = nullptr;  ///< in the order of the mesh
  std::size_t active_count = 0;
  std::size_t morphed_rows = 0;
  bool normals = false, tangents = false;  ///< what is wanted besides positions
  bool prefetch = false;                   ///< as in SkinJob
};

/// Morphs the blocks of one stretch into `morphed`, morphed_rows a block, and returns a bit for
/// each that differs from the rest shape; the rows of others are left alone.
using MorphKernel = std::uint32_t (*)(const MorphJob& job, std::size_t stretch, float* morphed);

}  // namespace flexor::deform
