/// @file deform/cpu/joint_sets.h
/// The different sets of joints that the vertices of a plan use, each kept once. Private to the
/// deform module.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace flexor::deform {

/// Gives every set of joints a number, in order of first appearance.
class JointSets {
 public:
  JointSets();
  /// The number of a set; `joints` ascending.
  std::uint32_t NumberOf(std::span<const std::uint32_t> joints);

  std::size_t size() const { return offsets_.size() - 1; }
  std::span<const std::uint32_t> Joints(std::uint32_t set) const {
    return std::span(joints_).subspan(offsets_[set], offsets_[set + 1] - offsets_[set]);
  }
  /// One bit for each joint, joints 64 apart sharing one: for guesses about likeness only.
  std::uint64_t Bits(std::uint32_t set) const { return bits_[set]; }

 private:
  void Grow();

  std::vector<std::uint32_t> offsets_{0};
  std::vector<std::uint32_t> joints_;
  std::vector<std::uint64_t> bits_;
  std::vector<std::uint64_t> hashes_;
  std::vector<std::uint32_t> table_;  ///< set + 1, or 0; open addressing, a power of two long
  std::uint32_t last_ = 0;            ///< neighbours in a mesh mostly share their set
};

}  // namespace flexor::deform
