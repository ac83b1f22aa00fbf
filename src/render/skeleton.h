// Bones and joints as shapes.
#pragma once

#include <span>
#include <vector>

#include "flexor/asset/character.h"
#include "flexor/core/result.h"
#include "flexor/render/draw.h"

#include "render/light.h"
#include "render/surface.h"

namespace flexor::render {

/// Which nodes a skeleton picture shows: (nodes) kJoint for the joints of the skins that the drawn
/// instances are skinned to (of all skins when nothing is drawn), kGroup for the nodes above them.
enum class BoneRole : std::uint8_t { kNone, kGroup, kJoint };
std::vector<BoneRole> BoneRoles(const asset::Character& character,
                                std::span<const DrawMesh> meshes);

/// The triangles of all bones and balls; a Surface whose values say what each vertex belongs to.
struct Bones {
  std::vector<Vec3f> normals;
  std::vector<std::uint32_t> triangles;
  std::vector<float> kinds;
  Surface surface;  ///< its spans point into the arrays above
};

/// Errors  kShapeMismatch · kInvalidValue (a drawn node is not at a finite place)
Status MakeBones(const asset::Character& character, const std::vector<BoneRole>& roles,
                 std::span<const Mat34d> model_from_node, const SceneSpace& space, Bones& out);

/// The colour of a place on the bones.
Vec3f BoneColor(const Surface& bones, const Hit& hit, Vec3f direction, const LightRig& lights);

}  // namespace flexor::render
