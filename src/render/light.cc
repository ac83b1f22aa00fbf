#include "render/light.h"

#include <algorithm>
#include <cmath>

#include "render/pattern.h"

namespace flexor::render {
namespace {

constexpr Vec3f kKeyColor{0.93f, 0.895f, 0.84f};
constexpr Vec3f kFillColor{0.115f, 0.125f, 0.14f};
constexpr Vec3f kRimColor{0.16f, 0.17f, 0.18f};
constexpr Vec3f kSkyColor{0.34f, 0.36f, 0.39f};
constexpr Vec3f kGroundColor{0.20f, 0.19f, 0.18f};
constexpr float kKeyRadius = 0.14f;  // of the lamp at distance 1: how soft its shadows are
constexpr float kSkyReach = 0.9f;    // scene lengths: what is further away does not darken
constexpr float kGlossPower = 28;
constexpr float kGlossStrength = 0.07f;

float Facing(Vec3f a, Vec3f b) { return std::max(0.f, Dot(a, b)); }

Vec3f Towards(const View& view, double right, double up, double back) {
  // Up is the world's, so that looking down from above does not carry the lamps below the ground.
  const Vec3d level_right = Normalized(Vec3d{view.right.x, 0, view.right.z}, view.right);
  const Vec3d level_back = Cross(level_right, Vec3d{0, 1, 0});
  return Normalized(Cast<float>(level_right * right + Vec3d{0, 1, 0} * up + level_back * back));
}

}  // namespace

LightRig::LightRig(const View& view)
    : key_(Towards(view, -0.55, 0.85, 0.75)),
      fill_(Towards(view, 0.9, 0.25, 0.6)),
      rim_(Towards(view, 0.55, 0.5, -0.9)) {}

Light LightRig::Diffuse(Vec3f normal) const {
  const float above = 0.5f + 0.5f * normal.y;
  return {kKeyColor * Facing(normal, key_), kGroundColor * (1 - above) + kSkyColor * above +
                                                kFillColor * Facing(normal, fill_) +
                                                kRimColor * Facing(normal, rim_)};
}

Light LightRig::Gloss(Vec3f normal, Vec3f to_eye) const {
  const float lobe = std::pow(Facing(normal, Normalized(key_ + to_eye)), kGlossPower);
  const float edge = std::pow(1 - std::min(1.f, Facing(normal, to_eye)), 4.f);
  const Vec3f white{1, 1, 1};
  return {white * (kGlossStrength * lobe), white * (kGlossStrength * 0.5f * edge)};
}

Openness LightRig::Probe(const RayScene& scene, Vec3f spot, Vec3f normal,
                         const LightSamples& which) const {
  Openness open;
  const float count = static_cast<float>(which.samples);
  if (Dot(normal, key_) > 0) {
    const float a = Fraction((static_cast<float>(which.sample) + 0.5f) / count + which.shift.x);
    const float b =
        Fraction(MirroredBits(static_cast<std::uint32_t>(which.sample)) + which.shift.y);
    const Vec2f disc = OnDisc(a, b);
    const Vec3f towards = Frame(key_).FromLocal({disc.x * kKeyRadius, disc.y * kKeyRadius, 1});
    open.key = scene.Occluded(spot, towards, 10) ? 0.f : 1.f;
  }
  const Frame frame(normal);
  const float all = count * static_cast<float>(which.sky_rays);
  int unobstructed = 0;
  for (int ray = 0; ray < which.sky_rays; ++ray) {
    const int index = which.sample * which.sky_rays + ray;
    const float a = Fraction((static_cast<float>(index) + 0.5f) / all + which.shift.y);
    const float b = Fraction(MirroredBits(static_cast<std::uint32_t>(index)) + which.shift.x);
    const Vec3f towards = frame.FromLocal(OnHemisphere(a, b));
    if (!scene.Occluded(spot, towards, kSkyReach)) ++unobstructed;
  }
  open.sky = static_cast<float>(unobstructed) / static_cast<float>(std::max(1, which.sky_rays));
  return open;
}

Vec3f ToneMap(Vec3f color) {
  const auto bend = [](float x) {
    constexpr float kKnee = 0.75f;
    return x <= kKnee ? x : kKnee + (1 - kKnee) * (1 - std::exp((kKnee - x) / (1 - kKnee)));
  };
  return {bend(color.x), bend(color.y), bend(color.z)};
}

}  // namespace flexor::render
