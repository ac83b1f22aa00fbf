#include "render/shader.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "render/pattern.h"
#include "render/skeleton.h"

namespace flexor::render {
namespace {

constexpr float kOffSurface = 2e-4f;  // scene lengths that light rays start above a surface
constexpr int kMostLayers = 24;       // of blended surfaces behind each other
constexpr float kShadowFadeFrom = 1.6f, kShadowFadeTo = 3.2f;  // from the middle, scene lengths

const Vec3f kClay = LinearFromHex(0xC9CDD3), kInk = LinearFromHex(0x1E2A38);
const Vec3f kSkin = LinearFromHex(0xB9C4D0), kNoValue = LinearFromHex(0x80848A);
const Vec3f kPaperTop = LinearFromHex(0xF7F8FA), kPaperBottom = LinearFromHex(0xDCE0E6);

float SmoothStep(float from, float to, float x) {
  const float t = std::clamp((x - from) / (to - from), 0.f, 1.f);
  return t * t * (3 - 2 * t);
}

Vec3f Mix(Vec3f a, Vec3f b, float t) { return a * (1 - t) + b * t; }

}  // namespace

// A place on a surface with all that shading asks for.
struct Shader::Spot {
  const Surface* surface = nullptr;
  Hit hit;
  Vec3f position;  // on the triangle
  Vec3f lifted;    // where its light rays start
  Vec3f flat;      // normal of the triangle, towards the eye
  Vec3f normal;    // smooth where the mesh has normals, towards the eye
  Vec3f to_eye;    // unit
  Vec2f pixel;     // where its ray goes through the picture
  float footprint = 0;
};

Shader::Shader(const Stage& stage)
    : stage_(stage),
      lights_(stage.view),
      eye_(Cast<float>(stage.view.eye)),
      pixel_angle_(static_cast<float>(Length(stage.view.across))) {
  const int samples = stage.samples_per_axis * stage.samples_per_axis;
  constexpr int kSkyRaysPerPixel = 9;
  sky_rays_ = std::max(1, (kSkyRaysPerPixel + samples - 1) / samples);
}

Shader::Spot Shader::Visit(const Hit& hit, Vec3f direction, Vec2f pixel) const {
  Spot spot;
  spot.hit = hit;
  spot.pixel = pixel;
  const std::vector<Surface>& surfaces = stage_.body->surfaces();
  spot.surface = &surfaces[hit.surface];
  const Surface& s = *spot.surface;
  const std::array<std::uint32_t, 3> corner{s.corner(hit.triangle, 0), s.corner(hit.triangle, 1),
                                            s.corner(hit.triangle, 2)};
  const std::array<float, 3> share{1 - hit.u - hit.v, hit.u, hit.v};
  Vec3f smooth;
  for (std::size_t i = 0; i < 3; ++i) {
    spot.position += s.positions[corner[i]] * share[i];
    if (!s.normals.empty()) smooth += Normalized(s.normals[corner[i]]) * share[i];
  }
  spot.to_eye = Normalized(-direction, Vec3f{0, 0, 1});
  const Vec3f winding = Cross(s.positions[corner[1]] - s.positions[corner[0]],
                              s.positions[corner[2]] - s.positions[corner[0]]);
  spot.flat = Normalized(winding, spot.to_eye);
  if (Dot(spot.flat, spot.to_eye) < 0) spot.flat = -spot.flat;
  spot.normal = IsFinite(smooth) ? Normalized(smooth, spot.flat) : spot.flat;
  if (Dot(spot.normal, spot.flat) < 0) spot.normal = -spot.normal;

  // Where normals are smooth, light rays start on the round surface that they describe rather than
  // on the flat triangle, which would cut its own light at the edge of the shade [Hanika 2021].
  Vec3f bulge;
  if (!s.normals.empty()) {
    for (std::size_t i = 0; i < 3; ++i) {
      Vec3f n = Normalized(s.normals[corner[i]]);
      if (!IsFinite(n)) continue;
      if (Dot(n, spot.flat) < 0) n = -n;
      const float below = std::min(0.f, Dot(spot.position - s.positions[corner[i]], n));
      bulge += n * (-below * share[i]);
    }
  }
  spot.lifted = spot.position + bulge + spot.flat * kOffSurface;
  const float slant = std::max(0.15f, Dot(spot.flat, spot.to_eye));
  spot.footprint =
      pixel_angle_ * hit.distance / std::sqrt(slant) / static_cast<float>(stage_.samples_per_axis);
  return spot;
}

void Shader::Remember(const Spot& spot, Sighting& seen) const {
  if (seen.solid) return;
  seen.solid = true;
  seen.position = spot.position;
  seen.normal = spot.normal;
  seen.footprint = pixel_angle_ * spot.hit.distance;
}

Radiance Shader::Lit(const Spot& spot, Vec3f albedo, float gloss, const LightSamples& which) const {
  const Light matt = lights_.Diffuse(spot.normal), shine = lights_.Gloss(spot.normal, spot.to_eye);
  return Opaque({}, albedo * matt.by_key + shine.by_key * gloss,
                albedo * matt.by_sky + shine.by_sky * gloss,
                lights_.Probe(*stage_.body, spot.lifted, spot.normal, which));
}

// The distance to an edge in pixels needs no projection: through the picture the barycentric
// products below are linear in x and y, so value over slope is exact, even with a corner behind the
// eye.
float Shader::WireCoverage(const Spot& spot) const {
  const Surface& s = *spot.surface;
  std::array<Vec3d, 3> p;
  for (int i = 0; i < 3; ++i) {
    p[static_cast<std::size_t>(i)] =
        Cast<double>(s.positions[s.corner(spot.hit.triangle, i)]) - stage_.view.eye;
  }
  const View& view = stage_.view;
  const Vec3d direction = view.corner + view.across * spot.pixel.x + view.down * spot.pixel.y;
  const double volume = Dot(p[0], Cross(p[1], p[2]));
  std::array<double, 3> distances{}, heights{};
  double tallest = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec3d normal = Cross(p[(i + 1) % 3], p[(i + 2) % 3]);
    const double slope = std::hypot(Dot(view.across, normal), Dot(view.down, normal));
    if (!(slope > 0)) return 0;
    distances[i] = std::abs(Dot(direction, normal)) / slope;
    // How tall the triangle stands on this edge in the picture, pixels.
    heights[i] = std::abs(volume) / std::max(1e-9, Dot(p[i], view.forward)) / slope;
    tallest = std::max(tallest, heights[i]);
  }
  // Dense meshes fade to grey rather than black: by the size of the triangle, and once more across
  // its narrow way.
  double coverage = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const float size = static_cast<float>(std::min(std::sqrt(heights[i] * tallest), 1e6));
    const float narrow = static_cast<float>(std::min(heights[i], 1e6));
    const float strength = SmoothStep(0.5f, 7.f, size) * SmoothStep(0.4f, 3.f, narrow);
    coverage = std::max(coverage, std::clamp(1.05 - distances[i], 0.0, 1.0) * strength);
  }
  return static_cast<float>(coverage);
}

// The light from an opaque spot in the current mode, and how opaque it really is.
Radiance Shader::Painted(const Spot& spot, const LightSamples& which, float* alpha) const {
  const Surface& s = *spot.surface;
  *alpha = 1;
  switch (stage_.mode) {
    case DrawMode::kShaded: {
      const Vec4f paint = s.Color(spot.hit, spot.footprint);
      *alpha = std::clamp(paint.w, 0.f, 1.f);
      return Lit(spot, {paint.x, paint.y, paint.z}, 1, which);
    }
    case DrawMode::kWire: {
      const float ink = 0.85f * WireCoverage(spot);
      return Lit(spot, kClay, 0.6f, which) * (1 - ink) + Radiance::Plain(kInk * ink, ink);
    }
    case DrawMode::kWeights:
    case DrawMode::kHeat: {
      float value = 0;
      if (!s.values.empty()) {
        value = s.values[s.corner(spot.hit.triangle, 0)] * (1 - spot.hit.u - spot.hit.v) +
                s.values[s.corner(spot.hit.triangle, 1)] * spot.hit.u +
                s.values[s.corner(spot.hit.triangle, 2)] * spot.hit.v;
      }
      const ColorRamp& ramp = stage_.mode == DrawMode::kHeat ? HeatRamp() : WeightRamp();
      const Vec3f color = std::isfinite(value) ? ramp.At(value * stage_.value_scale) : kNoValue;
      // Much of the light is even, so that a colour can be found again on the scale.
      constexpr float kEven = 0.38f;
      return Radiance::Plain(color * kEven, kEven) + Lit(spot, color, 0.4f, which) * (1 - kEven);
    }
    case DrawMode::kSkeleton:
      break;
  }
  return Lit(spot, kSkin, 0.5f, which);
}

Radiance Shader::Body(Vec3f direction, Vec2f pixel, const LightSamples& which,
                      Sighting& seen) const {
  Radiance light;
  float passing = 1;
  auto hit = stage_.body->Intersect(eye_, direction);
  for (int layer = 0; hit && layer < kMostLayers; ++layer) {
    const Spot spot = Visit(*hit, direction, pixel);
    float alpha = 1;
    const Radiance painted = Painted(spot, which, &alpha);
    Remember(spot, seen);
    light = light + painted * (alpha * passing);
    passing *= 1 - alpha;
    if (passing <= 0.004f) return light;
    hit = stage_.body->Intersect(eye_, direction, hit->distance * (1 + 1e-5f) + 1e-5f);
  }
  // Light rays for what lies behind are worth shooting only where something shows through.
  return light + Behind(direction, pixel.y, which, seen) * passing;
}

Radiance Shader::Skeleton(Vec3f direction, Vec2f pixel, const LightSamples& which,
                          Sighting& seen) const {
  const auto body = stage_.body->Intersect(eye_, direction);
  const auto bone = stage_.bones->Intersect(eye_, direction);
  Radiance skin;
  float veil = 0;
  if (body) {
    const Spot spot = Visit(*body, direction, pixel);
    float alpha = 1;
    skin = Painted(spot, which, &alpha);
    Remember(spot, seen);
    const float rim = 1 - std::abs(Dot(spot.normal, spot.to_eye));
    veil = 0.34f + 0.5f * rim * rim;
  }
  if (!bone) return skin * veil + Behind(direction, pixel.y, which, seen) * (1 - veil);
  const Vec3f color = BoneColor(stage_.bones->surfaces()[bone->surface], *bone,
                                Normalized(direction, Vec3f{0, 0, -1}), lights_);
  // Bones inside the body are drawn over it, only a little paler.
  const float over = body && body->distance < bone->distance ? 0.86f : 1.f;
  return Radiance::Plain(color * over, over) + skin * (1 - over);
}

Radiance Shader::Behind(Vec3f direction, float y, const LightSamples& which, Sighting& seen) const {
  const Vec3f paper = stage_.transparent
                          ? Vec3f{}
                          : Mix(kPaperTop, kPaperBottom, y / static_cast<float>(stage_.height));
  const Radiance bright = Radiance::Plain(paper, stage_.transparent ? 0.f : 1.f);
  if (!stage_.ground || eye_.y <= stage_.ground->height || !(direction.y < -1e-6f)) return bright;
  const float distance = (stage_.ground->height - eye_.y) / direction.y;
  const Vec3f spot = eye_ + direction * distance;
  const float from_middle =
      std::hypot(spot.x - stage_.ground->middle.x, spot.z - stage_.ground->middle.y);
  const float fade = 1 - SmoothStep(kShadowFadeFrom, kShadowFadeTo, from_middle);
  if (!(fade > 0)) return bright;

  const Vec3f up{0, 1, 0};
  const Openness open = lights_.Probe(*stage_.body, spot + up * kOffSurface, up, which);
  if (!seen.solid) {
    seen.solid = true;
    seen.position = spot;
    seen.normal = up;
    seen.footprint = pixel_angle_ * distance;
  }
  // The ground takes its colour from the paper behind it, so that it has no edge; on a transparent
  // one the shadow is black of some opacity.
  const float key = fade * kGroundKeyShare, sky = fade * (1 - kGroundKeyShare);
  if (!stage_.transparent) {
    return Opaque(paper * (1 - fade), paper * key, paper * sky, open);
  }
  constexpr float kDarkest = 0.8f;
  Radiance shadow = Radiance::Plain({}, kDarkest * fade);
  shadow.by_key.w = -kDarkest * key;
  shadow.by_sky.w = -kDarkest * sky;
  shadow.key_weight = key;
  shadow.sky_weight = sky;
  shadow.key_seen = key * open.key;
  shadow.sky_seen = sky * open.sky;
  return shadow;
}

Sighting Shader::Sample(int x, int y, int sample) const {
  const Vec2f offset = SubPixel(sample, stage_.samples_per_axis);
  const Vec2f pixel{static_cast<float>(x) + offset.x, static_cast<float>(y) + offset.y};
  const View& view = stage_.view;
  const Vec3f direction =
      Cast<float>(view.corner + view.across * double{pixel.x} + view.down * double{pixel.y});
  LightSamples which;
  which.sample = sample;
  which.samples = samples();
  which.sky_rays = sky_rays_;
  which.shift = PixelShift(x, y);
  Sighting seen;
  seen.light = stage_.mode == DrawMode::kSkeleton ? Skeleton(direction, pixel, which, seen)
                                                  : Body(direction, pixel, which, seen);
  return seen;
}

}  // namespace flexor::render
