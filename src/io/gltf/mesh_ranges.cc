#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "io/gltf/mesh_parts.h"
#include "io/json/parse.h"

namespace flexor::io::gltf {
namespace {

std::string PrimitivePlace(std::uint32_t mesh, std::size_t primitive) {
  return "/meshes/" + std::to_string(mesh) + "/primitives/" + std::to_string(primitive);
}

std::uint32_t CountSets(const RawPrimitive& primitive, std::string_view prefix) {
  return static_cast<std::uint32_t>(std::count_if(
      primitive.attributes.begin(), primitive.attributes.end(), [&](const RawAttribute& attribute) {
        return attribute.name.substr(0, prefix.size()) == prefix;
      }));
}

/// The number of joint sets, when they are numbered from 0 without gaps and each has its weights.
Result<std::uint32_t> JointSets(const RawPrimitive& primitive, const std::string& place) {
  const std::uint32_t joints = CountSets(primitive, "JOINTS_");
  const std::uint32_t weights = CountSets(primitive, "WEIGHTS_");
  if (joints != weights) {
    return Error{ErrorCode::kShapeMismatch,
                 "has " + std::to_string(joints) + " JOINTS sets, but " + std::to_string(weights) +
                     " WEIGHTS sets; each needs the other",
                 {{}, place + "/attributes", std::nullopt}};
  }
  for (std::uint32_t set = 0; set < joints; ++set) {
    for (const std::string prefix : {"JOINTS_", "WEIGHTS_"}) {
      if (primitive.Find(prefix + std::to_string(set)) != kNone) continue;
      return Error{ErrorCode::kInvalidValue,
                   "has " + std::to_string(joints) + " joint sets, but no " + prefix +
                       std::to_string(set) + "; sets must be numbered from 0 without gaps",
                   {{}, place + "/attributes", std::nullopt}};
    }
  }
  return joints;
}

Status CheckCounts(const MeshContext& context, const RawPrimitive& primitive,
                   const std::string& place, std::uint64_t vertices) {
  const auto check = [&](const RawAttribute& attribute, const std::string& where) -> Status {
    const std::uint64_t count = context.accessors.Raw(attribute.accessor).count;
    if (count == vertices) return {};
    return Error{ErrorCode::kShapeMismatch,
                 std::string(attribute.name) + " has " + std::to_string(count) +
                     " elements, but POSITION of this primitive has " + std::to_string(vertices),
                 {{}, json::JoinPointer(where, attribute.name), std::nullopt}};
  };
  for (const RawAttribute& attribute : primitive.attributes) {
    FLEXOR_TRY(check(attribute, place + "/attributes"));
  }
  for (std::size_t t = 0; t < primitive.targets.size(); ++t) {
    for (const RawAttribute& attribute : primitive.targets[t]) {
      FLEXOR_TRY(check(attribute, place + "/targets/" + std::to_string(t)));
    }
  }
  return {};
}

/// Equal for primitives that can share their vertices.
std::string RangeKey(const RawPrimitive& primitive, std::uint32_t texcoord_set) {
  std::string key = std::to_string(texcoord_set);
  const auto append = [&](const std::vector<RawAttribute>& attributes) {
    key += '|';
    for (const RawAttribute& a : attributes)
      key.append(a.name).append("=" + std::to_string(a.accessor) + ",");
  };
  append(primitive.attributes);
  for (const auto& target : primitive.targets) append(target);
  if (primitive.draco) {
    key += "|draco" + std::to_string(primitive.draco->view);
    append(primitive.draco->attributes);
  }
  return key;
}

std::uint32_t TexcoordSet(const RawDocument& document, const RawPrimitive& primitive) {
  if (primitive.material == kNone) return 0;
  const auto& material = document.materials[static_cast<std::size_t>(primitive.material)];
  return material.base_texture.texture == kNone ? 0 : material.base_texture.texcoord;
}

}  // namespace

Result<RangePlan> PlanRanges(const MeshContext& context, std::uint32_t mesh) {
  const RawMesh& raw = context.document.meshes[mesh];
  RangePlan plan;
  plan.range_of_primitive.assign(raw.primitives.size(), kNone);
  std::map<std::string, std::int32_t> known;
  for (std::size_t p = 0; p < raw.primitives.size(); ++p) {
    const RawPrimitive& primitive = raw.primitives[p];
    const std::string place = PrimitivePlace(mesh, p);
    const std::int32_t position = primitive.Find("POSITION");
    if (position == kNone) {
      Report(context.diagnostics, "MESH_PRIMITIVE_NO_POSITION", place + "/attributes",
             "a primitive without POSITION has no shape; it is left out");
      continue;
    }
    const std::uint64_t vertices =
        context.accessors.Raw(static_cast<std::uint32_t>(position)).count;
    FLEXOR_TRY(CheckCounts(context, primitive, place, vertices));
    FLEXOR_ASSIGN(const std::uint32_t sets, JointSets(primitive, place));
    const std::uint32_t texcoord_set = TexcoordSet(context.document, primitive);
    const auto [entry, fresh] = known.emplace(RangeKey(primitive, texcoord_set),
                                              static_cast<std::int32_t>(plan.ranges.size()));
    plan.range_of_primitive[p] = entry->second;
    if (!fresh) continue;
    constexpr std::uint64_t kMost = std::numeric_limits<std::int32_t>::max();
    if (vertices > kMost - plan.vertex_count) {
      return Error{
          ErrorCode::kLimitExceeded,
          "the mesh has more than the " + std::to_string(kMost) + " vertices that can be numbered",
          {{}, place, std::nullopt}};
    }
    plan.ranges.push_back({static_cast<std::uint32_t>(p),
                           static_cast<std::uint32_t>(plan.vertex_count),
                           static_cast<std::uint32_t>(vertices), texcoord_set, sets});
    plan.vertex_count += vertices;
  }
  return plan;
}

}  // namespace flexor::io::gltf
