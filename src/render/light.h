// The one set of lamps that every picture is lit by.
#pragma once

#include "flexor/math/vec.h"

#include "render/camera.h"
#include "render/radiance.h"
#include "render/ray_scene.h"

namespace flexor::render {

/// Which share of the light rays of a pixel one sample shoots, and their pattern.
struct LightSamples {
  int sample = 0;  ///< of `samples` in the pixel
  int samples = 1;
  int sky_rays = 1;  ///< per sample
  Vec2f shift;       ///< of the pattern in the unit square, per pixel
};

/// Light by where it comes from.
struct Light {
  Vec3f by_key, by_sky;
  Vec3f Unobstructed() const { return by_key + by_sky; }
};

/// How much of what a patch of ground receives comes from the key lamp; the rest is the sky's.
inline constexpr float kGroundKeyShare = 0.34f;

/// Fixed to the camera, so that a character is lit alike from every side: key from the upper left,
/// fill from the right, rim from behind, sky above and warm ground below.
class LightRig {
 public:
  explicit LightRig(const View& view);

  /// Light that arrives on a matt surface with that normal where nothing stands in its way; white
  /// in full light comes to about 1.
  Light Diffuse(Vec3f normal) const;
  /// A faint gloss that shows form. `to_eye` unit.
  Light Gloss(Vec3f normal, Vec3f to_eye) const;
  /// Shoots the light rays of one sample from a spot just off the surface.
  Openness Probe(const RayScene& scene, Vec3f spot, Vec3f normal, const LightSamples& which) const;

 private:
  Vec3f key_, fill_, rim_;
};

/// Bends what is brighter than paper white softly below it.
Vec3f ToneMap(Vec3f color);

}  // namespace flexor::render
