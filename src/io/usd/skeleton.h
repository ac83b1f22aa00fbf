/// @file io/usd/skeleton.h
/// Skeletons and the animations that move them, as UsdSkel reads them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "flexor/core/diagnostic.h"
#include "flexor/core/memory_budget.h"
#include "flexor/math/mat.h"

#include "io/usd/stage.h"

namespace flexor::io::usd {

/// A Skeleton prim. Shapes  joints, parents (J) · bind, rest (J) or empty
struct Skeleton {
  const StagePrim* prim = nullptr;
  std::vector<Token> joints;          ///< paths: "Root/Hips/Spine"
  std::vector<std::int32_t> parents;  ///< the nearest path above that is in the list, or -1
  std::vector<Mat34d> bind;           ///< skeleton_from_joint when meshes were bound
  std::vector<Mat34d> rest;           ///< parent_from_joint when nothing animates

  /// -1 when there is no such joint.
  std::int32_t Find(Token joint) const;
};

/// Reads a Skeleton. Matrices in the wrong number are a diagnostic and left empty; without joints,
/// or with a joint before its parent, there is no skeleton, with a diagnostic.
Result<std::optional<Skeleton>> ReadSkeleton(const Stage& stage, const StagePrim& prim,
                                             MemoryBudget& budget, Diagnostics& diagnostics);

/// The values of one kind of an animation: of every joint, or every shape, at each time.
template <class T>
struct Track {
  std::vector<double> times;  ///< time codes of the stage, ascending; one, 0, when constant
  std::vector<std::vector<T>> values;  ///< per time
};

/// A SkelAnimation prim.
struct SkelAnimation {
  const StagePrim* prim = nullptr;
  std::vector<Token> joints;  ///< its own order
  bool moves_joints = false;  ///< translations, rotations and scales are all there and fit
  std::string fault;          ///< why not, when it has joints
  Track<Vec3f> translations, scales;
  Track<Quatf> rotations;  ///< as authored, not made unit
  std::vector<Token> blend_shapes;
  Track<float> weights;  ///< of `blend_shapes`; no times when they do not fit
};

/// Reads a SkelAnimation with all its samples. Errors  kLimitExceeded and those of ValueAt
Result<SkelAnimation> ReadAnimation(const Stage& stage, const StagePrim& prim, MemoryBudget& budget,
                                    Diagnostics& diagnostics);

/// The prim that animates a skeleton: of the relationship skel:animationSource of the Skeleton or
/// the nearest prim above it that has one. Null when there is none, or it is no SkelAnimation.
const StagePrim* AnimationOf(Stage& stage, const StagePrim& skeleton, Diagnostics& diagnostics);

/// Whether the properties of the binding schema count on that prim. They are used without the
/// schema too, with a diagnostic.
bool HasBinding(const Stage& stage, const StagePrim& prim, Diagnostics& diagnostics);

}  // namespace flexor::io::usd
