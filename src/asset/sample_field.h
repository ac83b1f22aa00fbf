/// @file asset/sample_field.h
/// Bodies described as a blend of tapered, flattened capsules: what the organic samples are cut
/// from.
#pragma once

#include <cstdint>
#include <vector>

#include "flexor/math/aabb.h"
#include "flexor/math/vec.h"

namespace flexor::asset::sample {

/// A capsule from a to b whose radius runs from radius_a to radius_b, `flat` times as thick along
/// `flat_axis` as across it.
struct Blob {
  Vec3d a, b;
  double radius_a = 0.1, radius_b = 0.1;
  double blend = 0.02;       ///< width of the seam with what came before in its part, metres
  std::uint32_t bone = 0;    ///< whose skin this is
  Vec3d flat_axis{0, 0, 1};  ///< unit
  double flat = 1;           ///< in (0, 1]
  bool carve = false;        ///< taken away instead of added
};

/// A blob between two balls, the rest as it is by itself.
Blob MakeBlob(Vec3d a, Vec3d b, double radius_a, double radius_b, double blend);

/// A limb: its blobs blended in order, then the whole blended with the parts before it.
struct Part {
  std::vector<Blob> blobs;
  double blend = 0.02;  ///< width of the seam with the parts before, metres
};

/// A signed distance of sorts: negative inside, zero on the skin, and nowhere steeper than
/// `kSteepest`. Far outside a part its true value may be replaced by a smaller positive one.
class Field {
 public:
  static constexpr double kSteepest = 2.2;

  explicit Field(std::vector<Part> parts);

  double Value(Vec3d p) const;
  /// The bone of the blob whose skin is nearest.
  std::uint32_t Bone(Vec3d p) const;
  /// The value at p and its slope there.
  struct Sample {
    double value;
    Vec3d gradient;
  };
  Sample At(Vec3d p) const;

  const Aabbd& bounds() const { return bounds_; }

 private:
  std::vector<Part> parts_;
  std::vector<Aabbd> boxes_;  // around each part with its seam
  double widest_seam_ = 0;
  Aabbd bounds_;
};

}  // namespace flexor::asset::sample
