/// @file pose/mmd_ik.h
/// The IK chains of an MMD character: cyclic coordinate descent in the ways of three programs.
#pragma once

#include <cstdint>
#include <vector>

#include "flexor/asset/mmd_rig.h"

#include "pose/mmd_bones.h"
#include "pose/mmd_rotation.h"

namespace flexor::pose {

/// What a link may turn about.
enum class LinkAxis : std::uint8_t { kAny, kX, kY, kZ, kNone };

/// One link, with what follows from its limits.
struct LinkPlan {
  std::uint32_t bone = 0;
  std::size_t at = 0;      ///< where the bone stands in ChainPlan::path
  std::size_t number = 0;  ///< in MmdIk::links: later links may take longer steps
  bool limited = false;
  Vec3d min, max;
  LinkAxis axis = LinkAxis::kAny;
  EulerOrder umt_order = EulerOrder::kYzx, babylon_order = EulerOrder::kXzy;
};

/// One chain.
struct ChainPlan {
  std::uint32_t goal = 0, effector = 0, iterations = 0;
  double step_limit = 0;
  std::vector<LinkPlan> links;           ///< those that carry the effector, nearest to it first
  std::vector<std::uint32_t> path;       ///< from the link nearest the root down to the effector
  std::vector<std::uint32_t> followers;  ///< what else follows the path, parents first
  bool all_driven = false;               ///< every link has a body that drives it
};

/// Scratch of one link during one run.
struct LinkFrame {
  Vec3d angles;            ///< saba: the last accepted Euler angles
  double plane_angle = 0;  ///< saba: the angle of a link with one axis
  Quatd best;              ///< saba: ik at the smallest distance so far
};

/// All chains of a rig.
class MmdIkSolver {
 public:
  MmdIkSolver(const asset::MmdRig& rig, const MmdBones& bones);

  /// Turns the links of a chain; bones below them follow. `physics`: bodies are at work.
  void Run(std::size_t chain, bool physics, MmdBones& bones);

  /// Evaluates the bones of a chain; whether they stand as at rest towards its goal, IK left out.
  bool AtRest(std::size_t chain, MmdBones& bones) const;

 private:
  void Descend(const ChainPlan& chain, MmdBones& bones) const;
  void RunSaba(const ChainPlan& chain, MmdBones& bones);

  std::vector<ChainPlan> chains_;
  std::vector<LinkFrame> scratch_;
  double metres_per_unit_;
};

/// Composes the bones of the path from a link on down, after it has turned.
void FollowPath(const ChainPlan& chain, std::size_t from, MmdBones& bones);

/// saba's way of one link: the plane solver where it has one axis, else Euler angles that stay near
/// the last ones.
void StepSaba(const ChainPlan& chain, const LinkPlan& link, LinkFrame& frame, bool first,
              MmdBones& bones);

}  // namespace flexor::pose
