/// @file asset/sdef.h
/// Vertices that bend spherically about a centre (PMX weight type SDEF). The kernel that reads
/// them: deform/skin_sdef.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "flexor/math/vec.h"

namespace flexor::asset {

/// Entry i belongs to vertex vertices[i]; every array has A entries. The same vertices also have
/// ordinary influences (weights w and 1 - w), which is how they are skinned where SDEF is off.
struct SdefVertices {
  std::vector<std::uint32_t> vertices{};               ///< ascending, unique
  std::vector<std::array<std::uint32_t, 2>> joints{};  ///< into the joint list of the skin
  std::vector<float> weights{};   ///< of joint 0, as the file has it; joint 1 has 1 - weight
  std::vector<Vec3f> centers{};   ///< C, metres, mesh space
  std::vector<Vec3f> r0{}, r1{};  ///< as the file has them, before the correction about C

  std::size_t size() const { return vertices.size(); }
  bool empty() const { return vertices.empty(); }
  /// Adds entry i of another list behind the last one.
  void Append(const SdefVertices& from, std::size_t i) {
    vertices.push_back(from.vertices[i]);
    joints.push_back(from.joints[i]);
    weights.push_back(from.weights[i]);
    centers.push_back(from.centers[i]);
    r0.push_back(from.r0[i]);
    r1.push_back(from.r1[i]);
  }
};

}  // namespace flexor::asset
