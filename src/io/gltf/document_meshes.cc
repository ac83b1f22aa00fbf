// Meshes and their primitives.

#include <algorithm>
#include <utility>

#include "io/gltf/attribute_names.h"
#include "io/gltf/document_parts.h"

namespace flexor::io::gltf {
namespace {

/// An object of attribute names and indices below `limit`. JSON objects come sorted by name.
std::vector<RawAttribute> ReadAttributes(ReadContext& context, const json::Ref& object,
                                         std::size_t limit, std::string_view things) {
  std::vector<RawAttribute> attributes;
  context.Check(context.budget.Charge(object.size(), sizeof(RawAttribute), object.pointer()));
  if (context.stopped()) return attributes;
  attributes.reserve(object.size());
  for (const auto& [name, value] : object.value().get_ref<const json::Value::object_t&>()) {
    attributes.push_back({name, context.RequireIndex(object, name, limit, things)});
  }
  return attributes;
}

/// Attributes of a primitive or a morph target; names that mean nothing are reported.
std::vector<RawAttribute> ReadVertexAttributes(ReadContext& context, const json::Ref& object) {
  auto attributes = ReadAttributes(context, object, context.count.accessors, "accessors");
  for (const RawAttribute& attribute : attributes) {
    if (IsAttribute(attribute.name)) continue;
    context.Say(
        "MESH_PRIMITIVE_INVALID_ATTRIBUTE", json::JoinPointer(object.pointer(), attribute.name),
        "no attribute of that name exists, and names of one's own must start with '_'; ignored");
  }
  return attributes;
}

RawDraco ReadDraco(ReadContext& context, const json::Ref& object) {
  RawDraco draco;
  draco.view = context.RequireIndex(object, "bufferView", context.count.views, "buffer views");
  // These are ids inside the Draco data, which is not open yet.
  if (const auto attributes = context.RequireObject(object, "attributes")) {
    draco.attributes = ReadAttributes(context, *attributes, kFarIndex, "attributes");
  }
  return draco;
}

void ReadPrimitive(ReadContext& context, const json::Ref& object, RawPrimitive& primitive) {
  if (const auto attributes = context.RequireObject(object, "attributes")) {
    primitive.attributes = ReadVertexAttributes(context, *attributes);
  }
  primitive.indices = context.FindIndex(object, "indices", context.count.accessors, "accessors");
  primitive.material = context.FindIndex(object, "material", context.count.materials, "materials");
  constexpr auto kTriangles = static_cast<std::uint64_t>(PrimitiveMode::kTriangles);
  const std::uint64_t mode = context.Unsigned(object, "mode", kTriangles, 6);
  primitive.mode = static_cast<PrimitiveMode>(
      std::min(mode, static_cast<std::uint64_t>(PrimitiveMode::kUnknown)));
  if (context.stopped()) return;
  if (const auto targets = context.FilledArray(object, "targets")) {
    context.Elements(
        *targets, "the list of morph targets", primitive.targets,
        [](ReadContext& c, const json::Ref& target, std::vector<RawAttribute>& attributes) {
          attributes = ReadVertexAttributes(c, target);
        });
  }
  if (const auto draco = context.Extension(object, "KHR_draco_mesh_compression")) {
    primitive.draco = ReadDraco(context, *draco);
  }
}

/// That all primitives have as many morph targets as the first.
void CheckTargetCounts(ReadContext& context, const json::Ref& primitives, const RawMesh& mesh) {
  if (context.judged()) return;
  const std::size_t first = mesh.primitives.front().targets.size();
  for (std::size_t i = 0; i < mesh.primitives.size(); ++i) {
    const std::size_t here = mesh.primitives[i].targets.size();
    if (here == first) continue;
    Error error = primitives.At(i).Fault(
        "has " + std::to_string(here) + " morph targets, but the first primitive of the mesh has " +
        std::to_string(first) + "; all must have the same");
    error.code = ErrorCode::kShapeMismatch;
    return context.Fail(std::move(error));
  }
}

/// extras may be anything; names and method are taken only from the form that exporters agree on.
void ReadExtras(const json::Ref& object, std::size_t targets, RawMesh& mesh) {
  const json::Value* extras = object.Find("extras");
  if (extras == nullptr || !extras->is_object()) return;
  const auto skinning = extras->find("skinning");
  mesh.dual_quaternions = skinning != extras->end() && *skinning == "dualQuaternion";
  const auto names = extras->find("targetNames");
  if (names == extras->end() || !names->is_array()) return;
  for (std::size_t i = 0; i < std::min(names->size(), targets); ++i) {
    const json::Value& name = (*names)[i];
    mesh.target_names.push_back(name.is_string()
                                    ? std::string_view(name.get_ref<const std::string&>())
                                    : std::string_view());
  }
}

void ReadMesh(ReadContext& context, const json::Ref& object, RawMesh& mesh) {
  mesh.name = context.Name(object);
  if (const auto primitives = context.RequireArray(object, "primitives", "primitive")) {
    context.Elements(*primitives, "the primitives", mesh.primitives, ReadPrimitive);
    if (context.stopped()) return;
    CheckTargetCounts(context, *primitives, mesh);
  }
  if (context.stopped()) return;
  const std::size_t targets = mesh.primitives.empty() ? 0 : mesh.primitives.front().targets.size();
  if (auto weights = context.Numbers(object, "weights")) {
    if (weights->size() != targets) {
      context.Say("MESH_INVALID_WEIGHTS_COUNT", object.pointer() + "/weights",
                  std::to_string(weights->size()) + " weights for " + std::to_string(targets) +
                      " morph targets; missing ones count as 0");
    }
    mesh.weights = std::move(*weights);
  }
  ReadExtras(object, targets, mesh);
}

}  // namespace

void ReadMeshes(ReadContext& context) {
  context.Collection("meshes", context.document.meshes, ReadMesh);
}

}  // namespace flexor::io::gltf
