/// @file pose/resolved_overrides.h
/// Overrides whose targets have been found, to be laid over many frames.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "flexor/pose/pose.h"

namespace flexor::pose {

/// Overrides of one character. Applying them allocates nothing.
class ResolvedOverrides {
 public:
  /// Overrides nothing.
  ResolvedOverrides() = default;

  /// Errors  those of ApplyOverrides
  static Result<ResolvedOverrides> Resolve(const asset::Character& character,
                                           std::span<const Override> overrides);

  /// Lays them over a pose of that character, in order.
  void Apply(Pose& pose) const;

  /// Equal for overrides that do the same.
  std::uint64_t digest() const;

 private:
  struct Item {
    Override::Kind kind = Override::Kind::kRotate;
    Vec4d value;
    std::uint32_t node = 0;
    std::optional<std::size_t> mmd_morph;
    std::vector<std::pair<std::size_t, std::size_t>> morphs;  // instance, morph of its mesh
  };

  static Result<Item> ResolveItem(const asset::Character& character, const Override& item);
  static Status ResolveMorph(const asset::Character& character, const std::string& target,
                             Item& item);

  std::vector<Item> items_;
};

}  // namespace flexor::pose
