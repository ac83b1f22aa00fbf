#include "render/surface.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace flexor::render {
namespace {

std::string Where(const asset::Character& character, const DrawMesh& mesh, std::size_t number) {
  if (mesh.instance < character.instances.size() &&
      !character.instances[mesh.instance].name.empty()) {
    return "instance \"" + character.instances[mesh.instance].name + "\"";
  }
  return "drawn mesh " + std::to_string(number);
}

Status CheckCount(const std::string& where, const char* what, std::size_t got, std::size_t want) {
  if (got == want) return {};
  return Error{ErrorCode::kShapeMismatch,
               where + " has " + std::to_string(got) + " " + what + " for " + std::to_string(want) +
                   " vertices",
               {"", where, {}}};
}

Paint MakePaint(const asset::Character& character, std::int32_t material_index,
                const TextureSet& textures) {
  Paint paint;
  if (material_index < 0 ||
      static_cast<std::size_t>(material_index) >= character.materials.size()) {
    return paint;
  }
  const asset::Material& material = character.materials[static_cast<std::size_t>(material_index)];
  paint.color = {material.base_color.x, material.base_color.y, material.base_color.z};
  paint.alpha = material.base_color.w;
  paint.alpha_mode = material.alpha_mode;
  paint.alpha_cutoff = material.alpha_cutoff;
  const auto& by_image = textures.impl()->by_image;
  if (material.base_image >= 0 && static_cast<std::size_t>(material.base_image) < by_image.size()) {
    paint.texture = by_image[static_cast<std::size_t>(material.base_image)].get();
  }
  // Counter-clockwise for an eye that sees v run downwards.
  const float c = std::cos(material.uv_rotation), s = std::sin(material.uv_rotation);
  paint.offset = material.uv_offset;
  paint.row_u = {c * material.uv_scale.x, s * material.uv_scale.y};
  paint.row_v = {-s * material.uv_scale.x, c * material.uv_scale.y};
  return paint;
}

Vec2f PaintCoordinate(const Surface& surface, const Paint& paint, std::uint32_t triangle, float u,
                      float v) {
  const Vec2f a = surface.texcoords[surface.corner(triangle, 0)];
  const Vec2f b = surface.texcoords[surface.corner(triangle, 1)];
  const Vec2f c = surface.texcoords[surface.corner(triangle, 2)];
  const float w = 1 - u - v;
  const Vec2f uv{w * a.x + u * b.x + v * c.x, w * a.y + u * b.y + v * c.y};
  return {paint.offset.x + paint.row_u.x * uv.x + paint.row_u.y * uv.y,
          paint.offset.y + paint.row_v.x * uv.x + paint.row_v.y * uv.y};
}

// How many halvings of the texture one ray's footprint covers.
float TextureLevel(const Surface& surface, const Paint& paint, std::uint32_t triangle,
                   float footprint) {
  const std::uint32_t i = surface.corner(triangle, 0), j = surface.corner(triangle, 1),
                      k = surface.corner(triangle, 2);
  const float area = Length(Cross(surface.positions[j] - surface.positions[i],
                                  surface.positions[k] - surface.positions[i]));
  const Vec2f a = surface.texcoords[i], b = surface.texcoords[j], c = surface.texcoords[k];
  const float uv_area = std::abs((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x));
  const float turn = std::abs(paint.row_u.x * paint.row_v.y - paint.row_u.y * paint.row_v.x);
  const float texels = uv_area * turn * static_cast<float>(paint.texture->width()) *
                       static_cast<float>(paint.texture->height());
  const float per_ray = texels / area * footprint * footprint;
  return per_ray > 1 && std::isfinite(per_ray) ? 0.5f * std::log2(per_ray) : 0;
}

}  // namespace

const Paint& Surface::paint(std::uint32_t triangle) const {
  const auto subset = std::upper_bound(subset_ends.begin(), subset_ends.end(), triangle);
  return paints[static_cast<std::size_t>(subset - subset_ends.begin())];
}

Vec4f Surface::Color(const Hit& hit, float footprint) const {
  const Paint& p = paint(hit.triangle);
  Vec4f color{p.color.x, p.color.y, p.color.z, p.alpha};
  if (p.texture != nullptr && !texcoords.empty()) {
    const Vec4f texel = p.texture->Sample(PaintCoordinate(*this, p, hit.triangle, hit.u, hit.v),
                                          TextureLevel(*this, p, hit.triangle, footprint));
    color = {color.x * texel.x, color.y * texel.y, color.z * texel.z, color.w * texel.w};
  }
  if (p.alpha_mode != asset::AlphaMode::kBlend) color.w = 1;
  return color;
}

float Surface::Opacity(std::uint32_t triangle, float u, float v) const {
  const Paint& p = paint(triangle);
  if (p.alpha_mode == asset::AlphaMode::kOpaque) return 1;
  float alpha = p.alpha;
  if (p.texture != nullptr && !texcoords.empty()) {
    alpha *= p.texture->Sample(PaintCoordinate(*this, p, triangle, u, v), 0).w;
  }
  if (p.alpha_mode == asset::AlphaMode::kBlend) return alpha;
  return alpha >= p.alpha_cutoff ? 1.f : 0.f;
}

Result<Surface> MakeSurface(const asset::Character& character, const DrawMesh& mesh,
                            std::size_t mesh_number, const SceneSpace& space,
                            const TextureSet& textures) {
  const std::string where = Where(character, mesh, mesh_number);
  if (mesh.instance >= character.instances.size()) {
    return Error{ErrorCode::kIndexOutOfRange,
                 where + " refers to instance " + std::to_string(mesh.instance) +
                     "; the character has " + std::to_string(character.instances.size()),
                 {"", where, {}}};
  }
  const asset::Mesh& source = character.meshes[character.instances[mesh.instance].mesh];
  const std::size_t count = source.vertex_count();
  FLEXOR_TRY(CheckCount(where, "positions", mesh.positions.size(), count));
  if (!mesh.normals.empty()) FLEXOR_TRY(CheckCount(where, "normals", mesh.normals.size(), count));
  if (!mesh.values.empty()) FLEXOR_TRY(CheckCount(where, "values", mesh.values.size(), count));

  Surface surface;
  surface.positions.reserve(count);
  for (std::size_t v = 0; v < count; ++v) {
    if (!IsFinite(mesh.positions[v])) {
      return Error{ErrorCode::kInvalidValue,
                   "vertex " + std::to_string(v) + " of " + where +
                       " is not at a finite position, so no picture can be drawn",
                   {"", where + ", vertex " + std::to_string(v), {}}};
    }
    surface.positions.push_back(space.FromModel(Cast<double>(mesh.positions[v])));
  }
  surface.normals = mesh.normals;
  surface.values = mesh.values;
  if (source.texcoords.size() == count) surface.texcoords = source.texcoords;
  surface.triangles = std::span(source.triangles).first(source.triangles.size() / 3 * 3);
  for (std::size_t i = 0; i < surface.triangles.size(); ++i) {
    if (surface.triangles[i] < count) continue;
    return Error{ErrorCode::kIndexOutOfRange,
                 "triangle " + std::to_string(i / 3) + " of " + where + " names vertex " +
                     std::to_string(surface.triangles[i]) + "; there are " + std::to_string(count),
                 {"", where, {}}};
  }
  for (const asset::Subset& subset : source.subsets) {
    surface.subset_ends.push_back((subset.first_index + subset.index_count) / 3);
    surface.paints.push_back(MakePaint(character, subset.material, textures));
    surface.has_cutouts =
        surface.has_cutouts || surface.paints.back().alpha_mode != asset::AlphaMode::kOpaque;
  }
  surface.paints.push_back(Paint{});
  return surface;
}

}  // namespace flexor::render
