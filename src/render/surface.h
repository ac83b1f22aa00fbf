// What a ray can meet: one mesh instance in scene space with all that gives it its look.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "flexor/asset/character.h"
#include "flexor/core/result.h"
#include "flexor/render/draw.h"

#include "render/camera.h"
#include "render/texture.h"

namespace flexor::render {

/// Where a ray met a surface: (1 - u - v) * first corner + u * second + v * third.
struct Hit {
  float distance = 0;  ///< in lengths of the ray's direction
  std::uint32_t surface = 0;
  std::uint32_t triangle = 0;
  float u = 0, v = 0;
};

/// A material ready to be evaluated.
struct Paint {
  Vec3f color{0.8f, 0.8f, 0.8f};  ///< linear
  float alpha = 1;
  const Texture* texture = nullptr;
  Vec2f offset, row_u{1, 0},
      row_v{0, 1};  ///< texture coordinate = offset + (row_u . uv, row_v . uv)
  asset::AlphaMode alpha_mode = asset::AlphaMode::kOpaque;
  float alpha_cutoff = 0.5f;
};

/// Spans point into the character and the DrawMesh, which outlive the picture.
struct Surface {
  std::vector<Vec3f> positions;  ///< scene space
  std::span<const Vec3f> normals;
  std::span<const Vec2f> texcoords;
  std::span<const float> values;
  std::span<const std::uint32_t> triangles;
  std::vector<std::uint32_t> subset_ends;  ///< in triangles, ascending
  std::vector<Paint> paints;               ///< one per subset, and one more for the rest
  bool has_cutouts = false;                ///< some paint is not opaque: rays must ask Opacity()

  std::uint32_t corner(std::uint32_t triangle, int i) const {
    return triangles[std::size_t{3} * triangle + static_cast<std::size_t>(i)];
  }
  const Paint& paint(std::uint32_t triangle) const;
  /// Linear RGBA of the paint; `texel_footprint` is the side, in scene lengths, of what one ray
  /// stands for.
  Vec4f Color(const Hit& hit, float footprint) const;
  /// 0 where a mask cuts the surface away, 1 where nothing shows through.
  float Opacity(std::uint32_t triangle, float u, float v) const;
};

/// Checks one instance against the character and prepares it.
/// Errors  those of Draw
Result<Surface> MakeSurface(const asset::Character& character, const DrawMesh& mesh,
                            std::size_t mesh_number, const SceneSpace& space,
                            const TextureSet& textures);

}  // namespace flexor::render
