/// @file pose/mmd_rigs.h
/// Small MMD characters for tests, built bone by bone.
#pragma once

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "flexor/pose/mmd_solver.h"

namespace flexor::pose {

inline constexpr double kDegree = std::numbers::pi / 180;
inline constexpr MmdDialect kAllDialects[] = {MmdDialect::kUmt, MmdDialect::kBabylon,
                                              MmdDialect::kSaba};

/// A character whose bones are nodes 0, 1, 2 ...
class MmdRigBuilder {
 public:
  MmdRigBuilder() { character_.mmd.emplace(); }

  /// Adds a bone at a place in model space; returns its index.
  std::uint32_t Bone(std::int32_t parent, Vec3d position, std::int32_t layer = 0) {
    asset::Node node;
    node.name = "bone" + std::to_string(positions_.size());
    node.parent = parent;
    node.rest.translation =
        parent == asset::kNone ? position : position - positions_[static_cast<std::size_t>(parent)];
    character_.nodes.push_back(node);
    positions_.push_back(position);
    rig().bones.emplace_back();
    rig().bones.back().layer = layer;
    return static_cast<std::uint32_t>(positions_.size() - 1);
  }

  /// Makes a bone append from another.
  asset::MmdAppend& Append(std::uint32_t bone, std::uint32_t source, double ratio,
                           bool rotation = true, bool translation = false, bool local = false) {
    return rig().bones[bone].append.emplace(
        asset::MmdAppend{source, ratio, rotation, translation, local});
  }

  /// Makes a bone the goal of a chain.
  asset::MmdIk& Ik(std::uint32_t goal, std::uint32_t effector, std::vector<std::uint32_t> links,
                   std::uint32_t iterations = 40, double step_limit = 2) {
    rig().bones[goal].ik = static_cast<std::int32_t>(rig().ik.size());
    asset::MmdIk& ik = rig().ik.emplace_back();
    ik.goal = goal;
    ik.effector = effector;
    ik.iterations = iterations;
    ik.step_limit = step_limit;
    for (const std::uint32_t link : links) ik.links.push_back({link, false, {}, {}});
    return ik;
  }

  asset::MmdRig& rig() { return *character_.mmd; }
  asset::Character& character() { return character_; }

  asset::Character Build() {
    asset::Character built = character_;
    const Status status = asset::Finalize(built);
    EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().ToString());
    return built;
  }

 private:
  asset::Character character_;
  std::vector<Vec3d> positions_;
};

/// Everything that solving one pose gives.
struct Solved {
  std::vector<Mat34d> world;
  MmdStages stages;
  Pose pose;

  Vec3d position(std::uint32_t node) const { return world[node].translation; }
  Quatd rotation(std::uint32_t node) const { return ToQuat(world[node].linear); }
};

inline Solved Solve(const asset::Character& character, Pose pose, const MmdSettings& settings = {},
                    MmdPhysicsFn physics = {}) {
  Solved solved;
  solved.pose = std::move(pose);
  SolveMmd(character, settings, solved.pose, physics, solved.world, &solved.stages);
  return solved;
}

inline Solved Solve(const asset::Character& character, Pose pose, MmdDialect dialect) {
  MmdSettings settings;
  settings.dialect = dialect;
  return Solve(character, std::move(pose), settings);
}

/// The rotation of a node relative to its parent, from the solved matrices.
inline Quatd LocalRotation(const asset::Character& character, const Solved& solved,
                           std::uint32_t node) {
  const std::int32_t parent = character.nodes[node].parent;
  if (parent == asset::kNone) return solved.rotation(node);
  return Conjugate(solved.rotation(static_cast<std::uint32_t>(parent))) * solved.rotation(node);
}

/// The angle between two rotations in radians, whatever their signs.
inline double AngleBetween(Quatd a, Quatd b) {
  const Quatd between = Conjugate(a) * b;
  return 2 * std::atan2(
                 std::sqrt(between.x * between.x + between.y * between.y + between.z * between.z),
                 std::abs(between.w));
}

inline double Distance(Vec3d a, Vec3d b) { return Length(a - b); }

/// The largest difference between two sets of matrices, entry by entry.
inline double LargestDifference(const std::vector<Mat34d>& a, const std::vector<Mat34d>& b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    for (const auto& [x, y] :
         {std::pair{a[i].linear.x, b[i].linear.x}, std::pair{a[i].linear.y, b[i].linear.y},
          std::pair{a[i].linear.z, b[i].linear.z}, std::pair{a[i].translation, b[i].translation}}) {
      largest = std::max(largest, Distance(x, y));
    }
  }
  return largest;
}

inline Quatd AboutX(double degrees) { return FromAxisAngle(Vec3d{1, 0, 0}, degrees * kDegree); }
inline Quatd AboutY(double degrees) { return FromAxisAngle(Vec3d{0, 1, 0}, degrees * kDegree); }
inline Quatd AboutZ(double degrees) { return FromAxisAngle(Vec3d{0, 0, 1}, degrees * kDegree); }

/// A leg as characters have it, hanging down, facing +Z: 0 root at the origin, 1 thigh, 2 knee,
/// 3 ankle, 4 toe, 5 thigh copy (append of 1, ratio 1, layer 1), 6 knee copy, 7 IK goal at the
/// ankle. The knee bends 0.5 to 180 degrees about +X.
inline MmdRigBuilder LegRig(bool limited = true) {
  MmdRigBuilder rig;
  rig.Bone(asset::kNone, {0, 0, 0});
  rig.Bone(0, {0.1, 0.9, 0});
  rig.Bone(1, {0.1, 0.5, 0.01});
  rig.Bone(2, {0.1, 0.1, 0});
  rig.Bone(3, {0.1, 0.02, 0.1});
  rig.Bone(0, {0.1, 0.9, 0}, 1);
  rig.Bone(5, {0.1, 0.5, 0.01}, 1);
  rig.Bone(0, {0.1, 0.1, 0});
  rig.Append(5, 1, 1);
  rig.Append(6, 2, 1);
  asset::MmdIk& ik = rig.Ik(7, 3, {2, 1});
  if (limited) {
    ik.links[0].limited = true;
    ik.links[0].min = {0.5 * kDegree, 0, 0};
    ik.links[0].max = {180 * kDegree, 0, 0};
  }
  return rig;
}

}  // namespace flexor::pose
