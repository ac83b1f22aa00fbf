// Meshes and their primitives.

#include <algorithm>
#include <utility>

#include "io/gltf/document_parts.h"
#include "io/gltf/layout.h"

namespace flexor::io::gltf {
namespace {

/// An object of attribute names and indices below `limit`. JSON objects come sorted by name.
Result<std::vector<RawAttribute>> ReadAttributes(const ReadContext& context,
                                                 const json::Ref& object, std::size_t limit,
                                                 std::string_view things) {
  FLEXOR_TRY(context.budget.Charge(object.size(), sizeof(RawAttribute), object.pointer()));
  std::vector<RawAttribute> attributes;
  attributes.reserve(object.size());
  for (const auto& [name, value] : object.value().items()) {
    FLEXOR_ASSIGN(const std::uint32_t index, context.RequireIndex(object, name, limit, things));
    attributes.push_back({name, index});
  }
  return attributes;
}

bool IsKnownAttribute(std::string_view name) {
  if (!name.empty() && name[0] == '_') return true;
  if (name == "POSITION" || name == "NORMAL" || name == "TANGENT") return true;
  for (const std::string_view set : {"TEXCOORD_", "COLOR_", "JOINTS_", "WEIGHTS_"}) {
    if (name.substr(0, set.size()) != set) continue;
    const std::string_view number = name.substr(set.size());
    const bool digits =
        std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; });
    return digits && !number.empty() && (number.size() == 1 || number[0] != '0');
  }
  return false;
}

void ReportUnknown(const ReadContext& context, const std::vector<RawAttribute>& attributes,
                   const std::string& pointer) {
  for (const RawAttribute& attribute : attributes) {
    if (IsKnownAttribute(attribute.name)) continue;
    context.Say("MESH_PRIMITIVE_INVALID_ATTRIBUTE", json::JoinPointer(pointer, attribute.name),
                "no attribute of that name exists, and names of one's own must start with '_'; "
                "ignored");
  }
}

Result<RawDraco> ReadDraco(const ReadContext& context, const json::Ref& object) {
  RawDraco draco;
  FLEXOR_ASSIGN(draco.view,
                context.RequireIndex(object, "bufferView", context.count.views, "buffer views"));
  FLEXOR_ASSIGN(const json::Ref attributes, object.RequireObject("attributes"));
  // These are ids inside the Draco data, which is not open yet.
  FLEXOR_ASSIGN(draco.attributes, ReadAttributes(context, attributes, 0xffffffffu, "attributes"));
  return draco;
}

Result<RawPrimitive> ReadPrimitive(const ReadContext& context, const json::Ref& object) {
  RawPrimitive primitive;
  const std::size_t accessors = context.count.accessors;
  FLEXOR_TRY(object.ExpectObject());
  FLEXOR_ASSIGN(const json::Ref attributes, object.RequireObject("attributes"));
  FLEXOR_ASSIGN(primitive.attributes, ReadAttributes(context, attributes, accessors, "accessors"));
  ReportUnknown(context, primitive.attributes, attributes.pointer());
  FLEXOR_ASSIGN(primitive.indices, context.FindIndex(object, "indices", accessors, "accessors"));
  FLEXOR_ASSIGN(primitive.material,
                context.FindIndex(object, "material", context.count.materials, "materials"));
  FLEXOR_ASSIGN(const auto mode, object.FindUnsigned("mode", 6));
  if (mode) primitive.mode = static_cast<PrimitiveMode>(*mode);
  FLEXOR_ASSIGN(const auto targets, context.FindFilled(object, "targets"));
  if (targets) {
    FLEXOR_TRY(context.budget.Charge(targets->size(), sizeof(primitive.targets[0]),
                                     "the list of morph targets"));
    for (std::size_t i = 0; i < targets->size(); ++i) {
      const json::Ref target = targets->At(i);
      FLEXOR_TRY(target.ExpectObject());
      FLEXOR_ASSIGN(auto list, ReadAttributes(context, target, accessors, "accessors"));
      ReportUnknown(context, list, target.pointer());
      primitive.targets.push_back(std::move(list));
    }
  }
  FLEXOR_ASSIGN(const auto draco, context.FindExtension(object, "KHR_draco_mesh_compression"));
  if (draco) {
    FLEXOR_ASSIGN(primitive.draco, ReadDraco(context, *draco));
  }
  return primitive;
}

Status ReadMesh(const ReadContext& context, const json::Ref& object, RawMesh& mesh) {
  FLEXOR_TRY(object.ExpectObject());
  FLEXOR_ASSIGN(mesh.name, context.Name(object));
  FLEXOR_ASSIGN(const json::Ref primitives, object.RequireArray("primitives"));
  if (primitives.size() == 0) {
    return primitives.Fault("must hold at least one primitive, but is empty");
  }
  FLEXOR_TRY(context.budget.Charge(primitives.size(), sizeof(RawPrimitive), "the primitives"));
  mesh.primitives.reserve(primitives.size());
  for (std::size_t i = 0; i < primitives.size(); ++i) {
    const json::Ref place = primitives.At(i);
    FLEXOR_ASSIGN(RawPrimitive primitive, ReadPrimitive(context, place));
    mesh.primitives.push_back(std::move(primitive));
    const std::size_t first = mesh.primitives.front().targets.size();
    const std::size_t here = mesh.primitives.back().targets.size();
    if (here != first) {
      Error error = place.Fault("has " + std::to_string(here) +
                                " morph targets, but the first primitive of the mesh has " +
                                std::to_string(first) + "; all must have the same");
      error.code = ErrorCode::kShapeMismatch;
      return error;
    }
  }
  const std::size_t targets = mesh.primitives.front().targets.size();
  FLEXOR_ASSIGN(auto weights, object.FindNumbers("weights"));
  if (weights) {
    if (weights->size() != targets) {
      context.Say("MESH_INVALID_WEIGHTS_COUNT", object.pointer() + "/weights",
                  std::to_string(weights->size()) + " weights for " + std::to_string(targets) +
                      " morph targets; missing ones count as 0");
    }
    mesh.weights = std::move(*weights);
  }
  // extras may be anything; names are taken only from the form that exporters agree on.
  if (const auto extras = object.Member("extras")) {
    if (const auto names = extras->Member("targetNames"); names && names->is_array()) {
      for (std::size_t i = 0; i < std::min(names->size(), targets); ++i) {
        const auto name = names->At(i).AsString();
        mesh.target_names.push_back(name.ok() ? *name : std::string());
      }
    }
    if (const auto skinning = extras->Member("skinning")) {
      const auto text = skinning->AsString();
      mesh.dual_quaternions = text.ok() && *text == "dualQuaternion";
    }
  }
  return {};
}

}  // namespace

Status ReadMeshes(ReadContext& context) {
  FLEXOR_ASSIGN(const auto list, context.FindFilled(context.root, "meshes"));
  if (!list) return {};
  FLEXOR_TRY(context.budget.Charge(list->size(), sizeof(RawMesh), "the list of meshes"));
  context.document.meshes.resize(list->size());
  for (std::size_t i = 0; i < list->size(); ++i) {
    FLEXOR_TRY(ReadMesh(context, list->At(i), context.document.meshes[i]));
  }
  return {};
}

}  // namespace flexor::io::gltf
