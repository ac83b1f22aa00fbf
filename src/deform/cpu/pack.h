/// @file deform/cpu/pack.h
/// Which 16 vertices of a window share a block. Private to the deform module.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "flexor/asset/skinning_method.h"

#include "deform/cpu/joint_sets.h"

namespace flexor::deform {

/// A vertex of a window with what decides where it goes.
struct PackVertex {
  asset::SkinningMethod method;
  std::uint32_t set;    ///< of JointSets
  std::uint32_t local;  ///< index in the window, below 65536
};

/// Packs windows, one after another; keeps its memory between them.
class Packer {
 public:
  /// Up to 16 vertices of one method; indices into the window.
  struct Draft {
    asset::SkinningMethod method;
    std::uint8_t count;
    std::uint16_t local[16];
  };

  explicit Packer(const JointSets& sets) : sets_(sets) {}

  /// Every vertex of the window in exactly one block. Vertices of equal sets fill blocks of their
  /// own, neighbours together; what is left over is packed with the sets that add fewest joints.
  /// Vertices of a single joint never share a block with others.
  std::span<const Draft> Pack(std::span<const PackVertex> vertices);

 private:
  struct Group {  ///< leftover vertices of one set: [begin, end) of pending_
    std::uint64_t bits;
    std::uint32_t begin, end;
    std::uint32_t joints;
  };

  void PackSet(std::uint32_t set, asset::SkinningMethod method,
               std::span<const std::uint64_t> keys);
  void PackLeftovers(asset::SkinningMethod method, std::size_t window_vertices);
  void Emit(asset::SkinningMethod method, std::span<const std::uint16_t> locals);
  void EmitFull(asset::SkinningMethod method, std::vector<std::uint16_t>& locals);

  const JointSets& sets_;

  std::vector<std::uint64_t> keys_;
  std::vector<std::uint16_t> quads_, singles_, pending_;
  std::vector<Group> groups_;
  std::vector<std::uint32_t> live_;
  std::vector<Draft> drafts_;
};

}  // namespace flexor::deform
