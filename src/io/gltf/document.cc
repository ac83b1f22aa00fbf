#include "io/gltf/document.h"

#include <utility>

#include "io/gltf/document_parts.h"

namespace flexor::io::gltf {
namespace {

Error Unsupported(const json::Ref& asset, std::string_view key, std::string message) {
  Error error = asset.MemberFault(key, std::move(message));
  error.code = ErrorCode::kUnsupportedFeature;
  return error;
}

void ReadAsset(ReadContext& context) {
  const auto asset = context.RequireObject(context.root, "asset");
  if (!asset) return;
  const auto version = context.RequireText(*asset, "version");
  if (!version) return;
  if (!version->starts_with("2.")) {
    return context.Fail(Unsupported(
        *asset, "version",
        "the file is glTF version '" + std::string(*version) + "'; flexor reads version 2.x"));
  }
  const auto minimum = context.Text(*asset, "minVersion");
  if (minimum && *minimum != "2.0") {
    return context.Fail(Unsupported(
        *asset, "minVersion",
        "the file needs a reader of glTF '" + std::string(*minimum) + "'; flexor reads 2.0"));
  }
  context.document.generator = context.Text(*asset, "generator").value_or("");
  // extras may be anything; only text of these names is taken.
  if (const auto extras = asset->Member("extras")) {
    const auto text = [&](std::string_view key) {
      const json::Value* value = extras->Find(key);
      return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
    };
    RawAbout& about = context.document.about;
    about.title = text("title");
    about.author = text("author");
    about.license = text("license");
    about.dual_quaternions = text("skinning") == "dualQuaternion";
  }
}

void CountThings(ReadContext& context) {
  auto& count = context.count;
  const std::pair<std::string_view, std::size_t*> lists[] = {
      {"buffers", &count.buffers},     {"bufferViews", &count.views},
      {"accessors", &count.accessors}, {"meshes", &count.meshes},
      {"nodes", &count.nodes},         {"skins", &count.skins},
      {"materials", &count.materials}, {"textures", &count.textures},
      {"images", &count.images},       {"samplers", &count.samplers},
      {"cameras", &count.cameras},     {"scenes", &count.scenes},
  };
  for (const auto& [key, size] : lists) {
    const json::Value* list = context.Find(context.root, key);
    if (list == nullptr) continue;
    if (list->is_array()) {
      *size = list->size();
    } else if (!context.judged()) {
      context.Fail(context.root.FindArray(key).error());
    }
  }
}

void ReadCollections(ReadContext& context) {
  CountThings(context);
  ReadBuffersAndViews(context);
  ReadAccessors(context);
  ReadMaterials(context);
  ReadMeshes(context);
  ReadNodesAndScenes(context);
  ReadSkins(context);
  ReadAnimations(context);
}

}  // namespace

Result<RawDocument> ReadDocument(const json::Document& json, MemoryBudget& budget,
                                 Diagnostics& diagnostics) {
  RawDocument document;
  ReadContext context(json.root, nullptr, budget, &diagnostics, document);
  context.Check(context.root.ExpectObject());
  if (!context.stopped()) ReadAsset(context);
  if (!context.stopped()) ReadExtensionLists(context);
  if (!context.stopped()) ReadCollections(context);
  if (!context.stopped()) ReadVrm(context);
  if (!context.stopped()) return document;
  Error error = *context.fault();
  // The pointer of the whole document is the empty one; say so in a way that can be seen.
  if (error.place.element.empty()) error.place.element = "/";
  return error;
}

Result<RawDocument> ReadJudgedDocument(const json::Value& root, const InvalidValues& invalid,
                                       MemoryBudget& budget) {
  RawDocument document;
  ReadContext context(root, &invalid, budget, nullptr, document);
  ReadCollections(context);
  if (context.stopped()) return *context.fault();
  return document;
}

}  // namespace flexor::io::gltf
