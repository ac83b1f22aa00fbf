#include "flexor/asset/character.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "asset/validate.h"
#include "core/guard.h"

namespace flexor::asset {
namespace {

// Indices are stored as int32 with kNone = -1 in places, so nothing may count beyond that.
constexpr std::size_t kMaxCount =
    static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max());

Status CheckOptionalIndex(std::int32_t index, std::size_t count, const std::string& place,
                          std::string_view what, std::string_view plural) {
  if (index == kNone) return {};
  if (index < 0) {
    return At(ErrorCode::kIndexOutOfRange, place,
              std::string(what) + " " + std::to_string(index) +
                  " is negative; only -1 may stand for none");
  }
  if (static_cast<std::size_t>(index) >= count) {
    return IndexError(place, what, static_cast<std::uint64_t>(index), count, plural);
  }
  return {};
}

Status CheckCounts(const Character& character) {
  const auto check = [](std::size_t count, std::string_view what) -> Status {
    if (count <= kMaxCount) return {};
    return At(ErrorCode::kLimitExceeded, {},
              std::to_string(count) + " " + std::string(what) + ", but at most " +
                  std::to_string(kMaxCount) + " can be numbered");
  };
  FLEXOR_TRY(check(character.nodes.size(), "nodes"));
  FLEXOR_TRY(check(character.meshes.size(), "meshes"));
  FLEXOR_TRY(check(character.skins.size(), "skins"));
  FLEXOR_TRY(check(character.instances.size(), "mesh instances"));
  FLEXOR_TRY(check(character.clips.size(), "clips"));
  FLEXOR_TRY(check(character.materials.size(), "materials"));
  return check(character.images.size(), "images");
}

Status CheckMaterial(const Material& material, const std::string& place, std::size_t image_count) {
  FLEXOR_TRY(CheckOptionalIndex(material.base_image, image_count, place, "base image", "images"));
  const Vec4f c = material.base_color;
  const float numbers[] = {c.x,
                           c.y,
                           c.z,
                           c.w,
                           material.uv_offset.x,
                           material.uv_offset.y,
                           material.uv_scale.x,
                           material.uv_scale.y,
                           material.uv_rotation,
                           material.alpha_cutoff};
  for (const float number : numbers) {
    if (!std::isfinite(number)) {
      return At(ErrorCode::kInvalidValue, place, "holds a number that is not finite");
    }
  }
  return {};
}

Status CheckSkin(const Skin& skin, const std::string& place, std::size_t node_count) {
  if (skin.joints.empty()) {
    return At(ErrorCode::kInvalidValue, place, "has no joints; a skin needs at least one");
  }
  if (skin.joint_from_mesh.size() != skin.joints.size()) {
    return SizeError(place, "inverse bind matrices", skin.joint_from_mesh.size(),
                     skin.joints.size(), "one for each joint");
  }
  for (std::size_t j = 0; j < skin.joints.size(); ++j) {
    const std::string joint_place = place + " joint " + std::to_string(j);
    if (skin.joints[j] >= node_count) {
      return IndexError(joint_place, "node", skin.joints[j], node_count, "nodes");
    }
    if (!IsFinite(skin.joint_from_mesh[j])) {
      return At(ErrorCode::kInvalidValue, joint_place, "its inverse bind matrix is not finite");
    }
  }
  return {};
}

// Which vertex holds an entry of the influence arrays: for the message only.
std::size_t VertexOfInfluence(const Influences& influences, std::size_t entry) {
  std::size_t v = 0;
  while (influences.offsets[v + 1] <= entry) ++v;
  return v;
}

// The error for a mesh that names a joint which its skin does not have: the first place that does.
Error JointError(const Mesh& mesh, const std::string& mesh_place, const std::string& skin_name,
                 std::size_t joint_count) {
  const auto error = [&](std::uint64_t vertex, std::uint32_t joint) {
    return At(ErrorCode::kIndexOutOfRange, mesh_place + " vertex " + std::to_string(vertex),
              "joint " + std::to_string(joint) + ", but " + skin_name + " has " +
                  std::to_string(joint_count) + " joints");
  };
  const std::vector<std::uint32_t>& joints = mesh.influences.joints;
  for (std::size_t entry = 0; entry < joints.size(); ++entry) {
    if (joints[entry] < joint_count) continue;
    return error(VertexOfInfluence(mesh.influences, entry), joints[entry]);
  }
  std::size_t i = 0;
  while (std::max(mesh.sdef.joints[i][0], mesh.sdef.joints[i][1]) < joint_count) ++i;
  const auto& pair = mesh.sdef.joints[i];
  return error(mesh.sdef.vertices[i], pair[0] < joint_count ? pair[1] : pair[0]);
}

Status CheckInstance(MeshInstance& instance, const std::string& place, const Character& character,
                     const std::vector<std::int64_t>& highest_joint) {
  if (instance.mesh >= character.meshes.size()) {
    return IndexError(place, "mesh", instance.mesh, character.meshes.size(), "meshes");
  }
  FLEXOR_TRY(CheckOptionalIndex(instance.node, character.nodes.size(), place, "node", "nodes"));
  FLEXOR_TRY(CheckOptionalIndex(instance.skin, character.skins.size(), place, "skin", "skins"));
  const Mesh& mesh = character.meshes[instance.mesh];
  if (instance.skin != kNone) {
    const Skin& skin = character.skins[static_cast<std::size_t>(instance.skin)];
    const std::size_t joint_count = skin.joints.size();
    const std::string mesh_place = Named("mesh", instance.mesh, mesh.name);
    if (mesh.influences.empty() && mesh.vertex_count() != 0) {
      return At(ErrorCode::kShapeMismatch, place,
                "is bound to " + Named("skin", static_cast<std::size_t>(instance.skin), skin.name) +
                    ", but " + mesh_place + " has no influences; remove the skin or add weights");
    }
    if (highest_joint[instance.mesh] >= static_cast<std::int64_t>(joint_count)) {
      return JointError(mesh, mesh_place,
                        Named("skin", static_cast<std::size_t>(instance.skin), skin.name),
                        joint_count);
    }
  }
  if (instance.morph_weights.empty()) instance.morph_weights = mesh.morph_weights;
  if (instance.morph_weights.size() != mesh.morphs.size()) {
    return SizeError(place, "morph weights", instance.morph_weights.size(), mesh.morphs.size(),
                     "one for each morph of its mesh");
  }
  for (std::size_t m = 0; m < instance.morph_weights.size(); ++m) {
    if (!std::isfinite(instance.morph_weights[m])) {
      return At(ErrorCode::kInvalidValue, place,
                "weight of morph " + std::to_string(m) + " is not finite");
    }
  }
  return {};
}

// Output files are named after instances, so each needs a name of its own.
void NameInstances(Character& character) {
  std::unordered_set<std::string> given;
  for (const MeshInstance& instance : character.instances) given.insert(instance.name);
  std::unordered_set<std::string> used;
  for (MeshInstance& instance : character.instances) {
    std::string base = instance.name;
    if (base.empty()) base = character.meshes[instance.mesh].name;
    if (base.empty() && instance.node != kNone) {
      base = character.nodes[static_cast<std::size_t>(instance.node)].name;
    }
    if (base.empty()) base = "mesh_" + std::to_string(instance.mesh);
    std::string name = base;
    // A made-up name must not take one that a later instance was given.
    for (int number = 2; used.contains(name) || (name != instance.name && given.contains(name));
         ++number) {
      name = base + "_" + std::to_string(number);
    }
    used.insert(name);
    instance.name = std::move(name);
  }
}

}  // namespace

Error At(ErrorCode code, std::string place, std::string message) {
  return {code, std::move(message), {{}, std::move(place), {}}};
}

std::string Named(std::string_view kind, std::size_t index, std::string_view name) {
  std::string text(kind);
  if (name.empty()) return text + " " + std::to_string(index);
  return text + " '" + std::string(name) + "'";
}

Error IndexError(std::string place, std::string_view what, std::uint64_t index, std::uint64_t count,
                 std::string_view plural) {
  return At(ErrorCode::kIndexOutOfRange, std::move(place),
            std::string(what) + " " + std::to_string(index) + ", but there are " +
                std::to_string(count) + " " + std::string(plural));
}

Error SizeError(std::string place, std::string_view what, std::size_t have, std::size_t want,
                std::string_view reason) {
  return At(ErrorCode::kShapeMismatch, std::move(place),
            std::to_string(have) + " " + std::string(what) + ", but " + std::to_string(want) +
                " are needed: " + std::string(reason));
}

Status Finalize(Character& character) {
  return GuardAllocations("a character was checked", [&]() -> Status {
    FLEXOR_TRY(CheckCounts(character));
    FLEXOR_TRY(FinalizeNodes(character));
    for (std::size_t i = 0; i < character.materials.size(); ++i) {
      FLEXOR_TRY(CheckMaterial(character.materials[i],
                               Named("material", i, character.materials[i].name),
                               character.images.size()));
    }
    std::vector<std::int64_t> highest_joint(character.meshes.size(), -1);
    for (std::size_t i = 0; i < character.meshes.size(); ++i) {
      Mesh& mesh = character.meshes[i];
      FLEXOR_TRY(FinalizeMesh(mesh, Named("mesh", i, mesh.name), character.materials.size()));
      for (const std::uint32_t joint : mesh.influences.joints) {
        highest_joint[i] = std::max(highest_joint[i], static_cast<std::int64_t>(joint));
      }
      for (const auto& [joint0, joint1] : mesh.sdef.joints) {
        highest_joint[i] =
            std::max(highest_joint[i], static_cast<std::int64_t>(std::max(joint0, joint1)));
      }
    }
    for (std::size_t i = 0; i < character.skins.size(); ++i) {
      FLEXOR_TRY(CheckSkin(character.skins[i], Named("skin", i, character.skins[i].name),
                           character.nodes.size()));
    }
    for (std::size_t i = 0; i < character.instances.size(); ++i) {
      MeshInstance& instance = character.instances[i];
      FLEXOR_TRY(CheckInstance(instance, Named("mesh instance", i, instance.name), character,
                               highest_joint));
    }
    NameInstances(character);
    FLEXOR_TRY(FinalizeMmd(character));
    for (std::size_t i = 0; i < character.clips.size(); ++i) {
      FLEXOR_TRY(
          FinalizeClip(character.clips[i], Named("clip", i, character.clips[i].name), character));
    }
    return {};
  });
}

}  // namespace flexor::asset
