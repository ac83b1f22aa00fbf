#include "io/gltf/document.h"

#include <utility>

#include "io/gltf/document_parts.h"

namespace flexor::io::gltf {
namespace {

Result<std::size_t> CountOf(const json::Ref& root, std::string_view key) {
  FLEXOR_ASSIGN(const auto array, root.FindArray(key));
  return array ? array->size() : std::size_t{0};
}

Status ReadAsset(ReadContext& context) {
  FLEXOR_ASSIGN(const json::Ref asset, context.root.RequireObject("asset"));
  FLEXOR_ASSIGN(const std::string version, asset.RequireString("version"));
  const auto is_two = [](const std::string& text) { return text.rfind("2.", 0) == 0; };
  if (!is_two(version)) {
    Error error = asset.MemberFault(
        "version", "the file is glTF version '" + version + "'; flexor reads version 2.x");
    error.code = ErrorCode::kUnsupportedFeature;
    return error;
  }
  FLEXOR_ASSIGN(const auto minimum, asset.FindString("minVersion"));
  if (minimum && *minimum != "2.0") {
    Error error = asset.MemberFault(
        "minVersion", "the file needs a reader of glTF '" + *minimum + "'; flexor reads 2.0");
    error.code = ErrorCode::kUnsupportedFeature;
    return error;
  }
  FLEXOR_ASSIGN(auto generator, asset.FindString("generator"));
  if (generator) context.document.generator = std::move(*generator);
  // extras may be anything; only text of these names is taken.
  if (const auto extras = asset.Member("extras")) {
    const auto text = [&](std::string_view key) {
      const auto member = extras->Member(key);
      auto value = member ? member->AsString() : Result<std::string>(std::string());
      return value.ok() ? std::move(value).value() : std::string();
    };
    RawAbout& about = context.document.about;
    about.title = text("title");
    about.author = text("author");
    about.license = text("license");
    about.dual_quaternions = text("skinning") == "dualQuaternion";
  }
  return {};
}

}  // namespace

Result<std::optional<json::Ref>> ReadContext::FindFilled(const json::Ref& object,
                                                         std::string_view key) const {
  FLEXOR_ASSIGN(auto array, object.FindArray(key));
  if (array && array->size() == 0) {
    Say("EMPTY_ENTITY", array->pointer(), "an empty array; the member must be left out then");
    return std::optional<json::Ref>();
  }
  return array;
}

namespace {

Error OutOfRange(std::string pointer, std::uint64_t index, std::size_t limit,
                 std::string_view things) {
  return {ErrorCode::kIndexOutOfRange,
          "names number " + std::to_string(index) + ", but there are only " +
              std::to_string(limit) + " " + std::string(things),
          {{}, std::move(pointer), std::nullopt}};
}

}  // namespace

Result<std::int32_t> ReadContext::FindIndex(const json::Ref& object, std::string_view key,
                                            std::size_t limit, std::string_view things) const {
  FLEXOR_ASSIGN(const auto index, object.FindUnsigned(key));
  if (!index) return kNone;
  if (*index >= limit) {
    return OutOfRange(json::JoinPointer(object.pointer(), key), *index, limit, things);
  }
  return static_cast<std::int32_t>(*index);
}

Result<std::uint32_t> ReadContext::RequireIndex(const json::Ref& object, std::string_view key,
                                                std::size_t limit, std::string_view things) const {
  FLEXOR_ASSIGN(const std::uint64_t index, object.RequireUnsigned(key));
  if (index >= limit) {
    return OutOfRange(json::JoinPointer(object.pointer(), key), index, limit, things);
  }
  return static_cast<std::uint32_t>(index);
}

Result<std::vector<std::uint32_t>> ReadContext::Indices(const json::Ref& array, std::size_t limit,
                                                        std::string_view things) const {
  FLEXOR_TRY(budget.Charge(array.size(), sizeof(std::uint32_t), array.pointer()));
  std::vector<std::uint32_t> indices;
  indices.reserve(array.size());
  for (std::size_t i = 0; i < array.size(); ++i) {
    const json::Ref element = array.At(i);
    FLEXOR_ASSIGN(const std::uint64_t index, element.AsUnsigned());
    if (index >= limit) return OutOfRange(element.pointer(), index, limit, things);
    indices.push_back(static_cast<std::uint32_t>(index));
  }
  return indices;
}

Result<std::string> ReadContext::Name(const json::Ref& object) const {
  FLEXOR_ASSIGN(auto name, object.FindString("name"));
  return name ? std::move(*name) : std::string();
}

Result<std::optional<json::Ref>> ReadContext::FindExtension(const json::Ref& object,
                                                            std::string_view name) const {
  FLEXOR_ASSIGN(const auto extensions, object.FindObject("extensions"));
  if (!extensions) return std::optional<json::Ref>();
  return extensions->FindObject(name);
}

Result<std::optional<std::string_view>> FindText(const json::Ref& object, std::string_view key) {
  const auto member = object.Member(key);
  if (!member) return std::optional<std::string_view>();
  if (!member->value().is_string()) {
    return member->Fault("must be a string, but is " + json::Describe(member->value()));
  }
  return std::optional<std::string_view>(member->value().get_ref<const std::string&>());
}

namespace {

Status ReadParts(ReadContext& context) {
  FLEXOR_TRY(context.root.ExpectObject());
  FLEXOR_TRY(ReadAsset(context));
  FLEXOR_TRY(ReadExtensionLists(context));
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
    FLEXOR_ASSIGN(*size, CountOf(context.root, key));
  }
  FLEXOR_TRY(ReadBuffersAndViews(context));
  FLEXOR_TRY(ReadAccessors(context));
  FLEXOR_TRY(ReadMaterials(context));
  FLEXOR_TRY(ReadMeshes(context));
  FLEXOR_TRY(ReadNodesAndScenes(context));
  FLEXOR_TRY(ReadSkins(context));
  FLEXOR_TRY(ReadAnimations(context));
  return ReadVrm(context);
}

}  // namespace

Result<RawDocument> ReadDocument(const json::Document& json, MemoryBudget& budget,
                                 Diagnostics& diagnostics) {
  RawDocument document;
  ReadContext context{json::Ref(json.root, ""), budget, diagnostics, document, {}};
  Status status = ReadParts(context);
  if (status.ok()) return document;
  Error error = std::move(status).error();
  // The pointer of the whole document is the empty one; say so in a way that can be seen.
  if (error.place.element.empty()) error.place.element = "/";
  return error;
}

}  // namespace flexor::io::gltf
