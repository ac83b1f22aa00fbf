#include "render/film.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "render/color.h"
#include "render/pattern.h"

namespace flexor::render {
namespace {

constexpr int kTile = 64;  // pixels a side
constexpr int kReach = 2;  // how far the smoothing of light looks, pixels
constexpr int kWithRim = kTile + 2 * kReach;

// Where the pixel (x, y) of a tile is kept, from -kReach to kTile + kReach.
std::size_t Slot(int x, int y) {
  return static_cast<std::size_t>(y + kReach) * kWithRim + static_cast<std::size_t>(x + kReach);
}

// How much a neighbour's light is like that of a pixel: on the same plane, turned the same way.
float Kinship(const Sighting& a, const Sighting& b) {
  if (!a.solid || !b.solid) return 0;
  const float off_plane = Dot(a.normal, b.position - a.position) / std::max(a.footprint, 1e-12f);
  const float turned = Dot(a.normal, b.normal);
  if (!(turned > 0)) return 0;
  const float alike = turned * turned * turned * turned;
  return alike * alike * std::exp(-0.5f * off_plane * off_plane);
}

// What the samples of a pixel add up to: on an outline they meet two surfaces that share no light,
// and one openness could not speak for both. A third is counted with the second.
struct Pixel {
  std::array<Sighting, 2> parts;  // the light of each is its share of the pixel's
  int count = 0;
};

Pixel Gather(const Shader& shader, int x, int y) {
  const float share = 1 / static_cast<float>(shader.samples());
  Pixel pixel;
  for (int s = 0; s < shader.samples(); ++s) {
    const Sighting one = shader.Sample(x, y, s);
    const Sighting& first = pixel.parts[0];
    const bool alike =
        pixel.count > 0 && one.solid == first.solid && (!one.solid || Kinship(first, one) > 0.4f);
    const std::size_t part = pixel.count == 0 || alike ? 0 : 1;
    Sighting& mine = pixel.parts[part];
    const Radiance light = mine.light + one.light * share;
    if (static_cast<int>(part) == pixel.count) {
      mine = one;
      ++pixel.count;
    }
    mine.light = light;
  }
  return pixel;
}

// The openness that a part of a pixel shares with its kin around it.
Openness Smoothed(const std::vector<Pixel>& pixels, int x, int y, const Sighting& part) {
  Radiance sum;
  for (int dy = -kReach; dy <= kReach; ++dy) {
    for (int dx = -kReach; dx <= kReach; ++dx) {
      const Pixel& pixel = pixels[Slot(x + dx, y + dy)];
      const float near = std::exp(-0.04f * static_cast<float>(dx * dx + dy * dy));
      for (int i = 0; i < pixel.count; ++i) {
        const Sighting& other = pixel.parts[static_cast<std::size_t>(i)];
        const float weight = &other == &part ? 1 : near * Kinship(part, other);
        sum.key_seen += weight * other.light.key_seen;
        sum.key_weight += weight * other.light.key_weight;
        sum.sky_seen += weight * other.light.sky_seen;
        sum.sky_weight += weight * other.light.sky_weight;
      }
    }
  }
  return {sum.key_weight > 0 ? sum.key_seen / sum.key_weight : 1,
          sum.sky_weight > 0 ? sum.sky_seen / sum.sky_weight : 1};
}

void Develop(Vec4f light, std::uint8_t* pixel) {
  const float alpha = std::clamp(light.w, 0.f, 1.f);
  // Straight alpha: the colour of what is there, not darkened by what is not.
  const Vec3f color = alpha > 0 ? ToneMap(Vec3f{light.x, light.y, light.z} / alpha) : Vec3f{};
  pixel[0] = Srgb8FromLinear(color.x);
  pixel[1] = Srgb8FromLinear(color.y);
  pixel[2] = Srgb8FromLinear(color.z);
  pixel[3] = static_cast<std::uint8_t>(std::lround(alpha * 255));
}

void ExposeTile(const Shader& shader, int left, int top, Image& image) {
  const int width = std::min(kTile, image.width - left);
  const int height = std::min(kTile, image.height - top);
  std::vector<Pixel> pixels(std::size_t{kWithRim} * kWithRim);
  for (int y = -kReach; y < height + kReach; ++y) {
    for (int x = -kReach; x < width + kReach; ++x) {
      const int px = left + x, py = top + y;
      // Beyond the picture there is nothing to be kin to.
      if (px < 0 || py < 0 || px >= image.width || py >= image.height) continue;
      pixels[Slot(x, y)] = Gather(shader, px, py);
    }
  }
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const Pixel& pixel = pixels[Slot(x, y)];
      Vec4f light;
      for (int i = 0; i < pixel.count; ++i) {
        const Sighting& part = pixel.parts[static_cast<std::size_t>(i)];
        light = Sum(light, Resolve(part.light, Smoothed(pixels, x, y, part)));
      }
      Develop(light,
              image.rgba.data() + (static_cast<std::size_t>(top + y) * image.width + left + x) * 4);
    }
  }
}

}  // namespace

void Expose(const Shader& shader, const ThreadTeam& team, Image& image) {
  const int columns = (image.width + kTile - 1) / kTile, rows = (image.height + kTile - 1) / kTile;
  const std::size_t across = static_cast<std::size_t>(columns);
  const std::size_t down = static_cast<std::size_t>(rows);
  team.Run(across * down, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t tile = begin; tile < end; ++tile) {
      ExposeTile(shader, static_cast<int>(tile % across) * kTile,
                 static_cast<int>(tile / across) * kTile, image);
    }
  });
}

}  // namespace flexor::render
