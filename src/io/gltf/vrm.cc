#include "io/gltf/vrm.h"

#include <utility>

#include "io/gltf/document_parts.h"
#include "io/rules.h"

namespace flexor::io::gltf {
namespace {

/// Metadata is for people: a wrong type in it is a diagnostic, and the text stays empty.
std::string Text(const ReadContext& context, const json::Ref& object, std::string_view key) {
  auto text = object.FindString(key);
  if (text.ok()) return *text ? std::move(**text) : std::string();
  context.Say("VRM_META_INVALID", text.error().place.element,
              text.error().message + "; left empty");
  return {};
}

std::optional<json::Ref> Meta(const ReadContext& context, const json::Ref& vrm) {
  auto meta = vrm.FindObject("meta");
  if (meta.ok()) return std::move(*meta);
  context.Say("VRM_META_INVALID", meta.error().place.element,
              meta.error().message + "; title, author and licence are unknown");
  return std::nullopt;
}

std::string Authors(const ReadContext& context, const json::Ref& meta) {
  const auto authors = meta.Member("authors");
  if (!authors || !authors->is_array()) return {};
  std::string text;
  for (std::size_t i = 0; i < authors->size(); ++i) {
    const auto name = authors->At(i).AsString();
    if (!name.ok()) {
      context.Say("VRM_META_INVALID", name.error().place.element, name.error().message);
      continue;
    }
    if (!text.empty()) text += ", ";
    text += *name;
  }
  return text;
}

}  // namespace

void ReadVrm(ReadContext& context) {
  RawVrm& vrm = context.document.vrm;
  // A file may carry both for old readers; the newer one describes what the nodes hold.
  const auto one = context.Extension(context.root, "VRMC_vrm");
  const auto zero = context.Extension(context.root, "VRM");
  if (one) {
    vrm.version = VrmVersion::k1;
    vrm.spec_version = Text(context, *one, "specVersion");
    if (const auto meta = Meta(context, *one)) {
      vrm.title = Text(context, *meta, "name");
      vrm.author = Authors(context, *meta);
      vrm.license = Text(context, *meta, "licenseUrl");
    }
  } else if (zero) {
    vrm.version = VrmVersion::k0;
    vrm.spec_version = Text(context, *zero, "specVersion");
    if (const auto meta = Meta(context, *zero)) {
      vrm.title = Text(context, *meta, "title");
      vrm.author = Text(context, *meta, "author");
      vrm.license = Text(context, *meta, "licenseName");
    }
  }
}

void ApplyVrm(const RawVrm& vrm, asset::Character& character, Diagnostics& diagnostics) {
  if (vrm.version == VrmVersion::kNotVrm) return;
  const bool zero = vrm.version == VrmVersion::k0;
  character.source.format = zero ? "VRM 0.x" : "VRM 1.0";
  if (!vrm.title.empty()) character.source.title = vrm.title;
  if (!vrm.author.empty()) character.source.author = vrm.author;
  if (!vrm.license.empty()) character.source.license = vrm.license;
  if (!vrm.title.empty()) character.name = vrm.title;
  if (!zero) {
    Report(diagnostics, "VRM_FORWARD_AXIS", "/extensions/VRMC_vrm",
           "VRM " + (vrm.spec_version.empty() ? "1.0" : vrm.spec_version) +
               ": the character looks along +Z");
    return;
  }
  asset::Node turn;
  turn.name = "vrm0_half_turn";
  turn.rest.rotation = {0, 1, 0, 0};
  const auto index = static_cast<std::int32_t>(character.nodes.size());
  for (asset::Node& node : character.nodes) {
    if (node.parent == asset::kNone) node.parent = index;
  }
  character.nodes.push_back(std::move(turn));
  Report(diagnostics, "VRM_FORWARD_AXIS", "/extensions/VRM",
         "VRM 0.x: the character looks along -Z in the file and was turned by 180 degrees about +Y "
         "with the added root node " +
             std::to_string(index) + ", so that it looks along +Z");
}

}  // namespace flexor::io::gltf
