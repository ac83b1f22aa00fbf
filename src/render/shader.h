// From a ray to a colour: what each mode makes of what is met.
#pragma once

#include <optional>

#include "flexor/render/draw.h"

#include "render/camera.h"
#include "render/color.h"
#include "render/light.h"
#include "render/radiance.h"
#include "render/ray_scene.h"

namespace flexor::render {

struct Ground {
  float height = 0;  ///< scene space
  Vec2f middle;      ///< x, z around which the shadow is kept before it fades
};

/// Everything a picture's samples share.
struct Stage {
  const RayScene* body = nullptr;
  const RayScene* bones = nullptr;  ///< kSkeleton only
  View view;
  std::optional<Ground> ground;
  DrawMode mode = DrawMode::kShaded;
  float value_scale = 1;  ///< from a value to 0..1 of the ramp
  int samples_per_axis = 3;
  int width = 1, height = 1;
  bool transparent = false;
};

/// What one sample of a pixel found.
struct Sighting {
  Radiance light;
  // What was met first, to tell which neighbours lie on the same surface; nothing: solid is false.
  bool solid = false;
  Vec3f position, normal;
  float footprint = 0;  ///< side of a pixel there, scene lengths
};

/// Shades one stage. Stateless after construction.
class Shader {
 public:
  explicit Shader(const Stage& stage);

  /// One of the samples_per_axis squared samples of a pixel.
  Sighting Sample(int x, int y, int sample) const;
  int samples() const { return stage_.samples_per_axis * stage_.samples_per_axis; }

 private:
  struct Spot;
  Spot Visit(const Hit& hit, Vec3f direction, Vec2f pixel) const;
  Radiance Lit(const Spot& spot, Vec3f albedo, float gloss, const LightSamples& which) const;
  Radiance Painted(const Spot& spot, const LightSamples& which, float* alpha) const;
  float WireCoverage(const Spot& spot) const;
  Radiance Body(Vec3f direction, Vec2f pixel, const LightSamples& which, Sighting& seen) const;
  Radiance Skeleton(Vec3f direction, Vec2f pixel, const LightSamples& which, Sighting& seen) const;
  Radiance Behind(Vec3f direction, float y, const LightSamples& which, Sighting& seen) const;
  void Remember(const Spot& spot, Sighting& seen) const;

  Stage stage_;
  LightRig lights_;
  Vec3f eye_;
  float pixel_angle_;
  int sky_rays_;
};

}  // namespace flexor::render
