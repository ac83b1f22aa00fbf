// Surfaces that rays can be shot at. The only file pair that knows Embree.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "flexor/core/result.h"
#include "flexor/math/vec.h"

#include "render/surface.h"

namespace flexor::render {

/// What masks and blended alpha do to the rays from the eye. Light is stopped where a surface is at
/// least half opaque, unless kIgnored.
enum class Cutouts : std::uint8_t {
  kIgnored,  ///< the whole mesh stands
  kHalf,     ///< what is less than half opaque is not there
  kBlended,  ///< only what is invisible is not there
};

/// Owns its surfaces; immutable once built, rays may be shot from many threads at once. Building is
/// serial, so that the same input gives the same tree and the same answer to every ray.
class RayScene {
 public:
  /// Errors  kOutOfMemory · kInternal
  static Result<RayScene> Build(std::vector<Surface> surfaces, Cutouts cutouts);
  ~RayScene();
  RayScene(RayScene&&) noexcept;
  RayScene& operator=(RayScene&&) noexcept;

  const std::vector<Surface>& surfaces() const;

  /// The nearest surface beyond `nearest`.
  std::optional<Hit> Intersect(Vec3f origin, Vec3f direction, float nearest = 0) const;
  /// Whether anything stands within `length` directions. Blended: stands where at least half
  /// opaque.
  bool Occluded(Vec3f origin, Vec3f direction, float length) const;

 private:
  struct Impl;
  explicit RayScene(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace flexor::render
