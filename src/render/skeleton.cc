#include "render/skeleton.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "render/color.h"
#include "render/pattern.h"

namespace flexor::render {
namespace {

// What a vertex of the bones belongs to, as its value.
constexpr float kBone = 0, kBall = 1, kGroupBone = 2;

void AddTriangle(Bones& bones, std::array<Vec3f, 3> corners, std::array<Vec3f, 3> normals,
                 float kind) {
  for (std::size_t i = 0; i < 3; ++i) {
    bones.triangles.push_back(static_cast<std::uint32_t>(bones.surface.positions.size()));
    bones.surface.positions.push_back(corners[i]);
    bones.normals.push_back(normals[i]);
    bones.kinds.push_back(kind);
  }
}

// Two pyramids on one square near the parent: which end is which shows at a glance.
void AddBone(Bones& bones, Vec3f from, Vec3f to, float half_width, float kind) {
  const Vec3f along = to - from;
  const Frame frame(Normalized(along, Vec3f{0, 1, 0}));
  const Vec3f waist = from + along * 0.14f;
  std::array<Vec3f, 4> ring;
  for (std::size_t i = 0; i < 4; ++i) {
    const float angle = (static_cast<float>(i) + 0.5f) * std::numbers::pi_v<float> / 2;
    ring[i] = waist + (frame.tangent * std::cos(angle) + frame.bitangent * std::sin(angle)) *
                          (half_width * std::numbers::sqrt2_v<float>);
  }
  for (std::size_t i = 0; i < 4; ++i) {
    for (const Vec3f tip : {from, to}) {
      const Vec3f a = ring[i], b = ring[(i + 1) % 4];
      Vec3f normal = Normalized(Cross(b - a, tip - a), frame.tangent);
      if (Dot(normal, a - waist) < 0) normal = -normal;
      AddTriangle(bones, {a, b, tip}, {normal, normal, normal}, kind);
    }
  }
}

// An octahedron whose edges are halved three times onto the ball.
void AddBall(Bones& bones, Vec3f center, float radius) {
  struct Face {
    Vec3f a, b, c;
  };
  static const std::vector<Face> faces = [] {
    std::vector<Face> list;
    for (int octant = 0; octant < 8; ++octant) {
      const float x = (octant & 1) != 0 ? -1.f : 1.f, y = (octant & 2) != 0 ? -1.f : 1.f,
                  z = (octant & 4) != 0 ? -1.f : 1.f;
      list.push_back({{x, 0, 0}, {0, y, 0}, {0, 0, z}});
    }
    for (int round = 0; round < 3; ++round) {
      std::vector<Face> finer;
      for (const Face& f : list) {
        const Vec3f ab = Normalized(f.a + f.b), bc = Normalized(f.b + f.c),
                    ca = Normalized(f.c + f.a);
        for (const Face& part :
             {Face{f.a, ab, ca}, Face{ab, f.b, bc}, Face{ca, bc, f.c}, Face{ab, bc, ca}}) {
          finer.push_back(part);
        }
      }
      list = std::move(finer);
    }
    return list;
  }();
  for (const Face& f : faces) {
    AddTriangle(bones, {center + f.a * radius, center + f.b * radius, center + f.c * radius},
                {f.a, f.b, f.c}, kBall);
  }
}

}  // namespace

std::vector<BoneRole> BoneRoles(const asset::Character& character,
                                std::span<const DrawMesh> meshes) {
  std::vector<bool> shown(character.skins.size(), meshes.empty());
  for (const DrawMesh& mesh : meshes) {
    if (mesh.instance >= character.instances.size()) continue;
    const std::int32_t skin = character.instances[mesh.instance].skin;
    if (skin >= 0 && static_cast<std::size_t>(skin) < shown.size()) {
      shown[static_cast<std::size_t>(skin)] = true;
    }
  }
  std::vector<BoneRole> roles(character.nodes.size(), BoneRole::kNone);
  for (std::size_t s = 0; s < shown.size(); ++s) {
    if (!shown[s]) continue;
    for (const std::uint32_t joint : character.skins[s].joints) {
      if (joint < roles.size()) roles[joint] = BoneRole::kJoint;
    }
  }
  for (std::size_t node = 0; node < roles.size(); ++node) {
    if (roles[node] != BoneRole::kJoint) continue;
    std::int32_t above = character.nodes[node].parent;
    while (above >= 0 && roles[static_cast<std::size_t>(above)] == BoneRole::kNone) {
      roles[static_cast<std::size_t>(above)] = BoneRole::kGroup;
      above = character.nodes[static_cast<std::size_t>(above)].parent;
    }
  }
  return roles;
}

Status MakeBones(const asset::Character& character, const std::vector<BoneRole>& roles,
                 std::span<const Mat34d> model_from_node, const SceneSpace& space, Bones& out) {
  if (model_from_node.size() != roles.size()) {
    return Error{ErrorCode::kShapeMismatch,
                 "a skeleton picture needs one matrix per node: there are " +
                     std::to_string(model_from_node.size()) + " for " +
                     std::to_string(roles.size()) + " nodes",
                 {}};
  }
  constexpr float kThickest = 0.024f, kThinnest = 0.003f, kOfLength = 0.085f;
  constexpr float kLargestBall = 0.016f, kSmallestBall = 0.004f;
  std::vector<Vec3f> places(roles.size());
  std::vector<float> shortest(roles.size(), std::numeric_limits<float>::infinity());
  for (std::size_t node = 0; node < roles.size(); ++node) {
    if (roles[node] == BoneRole::kNone) continue;
    if (!IsFinite(model_from_node[node].translation)) {
      return Error{ErrorCode::kInvalidValue,
                   "node \"" + character.nodes[node].name + "\" is not at a finite place",
                   {"", "/nodes/" + std::to_string(node), {}}};
    }
    places[node] = space.FromModel(model_from_node[node].translation);
  }
  for (std::size_t node = 0; node < roles.size(); ++node) {
    const std::int32_t above = character.nodes[node].parent;
    if (roles[node] == BoneRole::kNone || above < 0) continue;
    const std::size_t parent = static_cast<std::size_t>(above);
    const float length = Length(places[node] - places[parent]);
    if (!(length > 1e-5f)) continue;
    shortest[node] = std::min(shortest[node], length);
    shortest[parent] = std::min(shortest[parent], length);
    const bool joints = roles[node] == BoneRole::kJoint && roles[parent] == BoneRole::kJoint;
    const float width = std::clamp(length * kOfLength, kThinnest, kThickest);
    AddBone(out, places[parent], places[node], joints ? width : std::min(width, 0.008f),
            joints ? kBone : kGroupBone);
  }
  for (std::size_t node = 0; node < roles.size(); ++node) {
    if (roles[node] != BoneRole::kJoint) continue;
    AddBall(out, places[node], std::clamp(shortest[node] * 0.12f, kSmallestBall, kLargestBall));
  }
  out.surface.normals = out.normals;
  out.surface.values = out.kinds;
  out.surface.triangles = out.triangles;
  out.surface.paints.emplace_back();
  return {};
}

Vec3f BoneColor(const Surface& bones, const Hit& hit, Vec3f direction, const LightRig& lights) {
  static const Vec3f bone_color = LinearFromHex(0xF2A33A), ball_color = LinearFromHex(0x2C6E8F),
                     group_color = LinearFromHex(0x8C949E);
  Vec3f normal;
  const std::array<float, 3> share{1 - hit.u - hit.v, hit.u, hit.v};
  for (int i = 0; i < 3; ++i) {
    normal += bones.normals[bones.corner(hit.triangle, i)] * share[static_cast<std::size_t>(i)];
  }
  normal = Normalized(normal, -direction);
  const float kind = bones.values[bones.corner(hit.triangle, 0)];
  const Vec3f color = kind == kBall ? ball_color : kind == kBone ? bone_color : group_color;
  const Vec3f light = lights.Diffuse(normal).Unobstructed() * 0.75f + Vec3f{0.25f, 0.25f, 0.25f};
  return color * light + lights.Gloss(normal, -direction).Unobstructed();
}

}  // namespace flexor::render
