/// @file io/gltf/document_parts.h
/// The pieces of ReadDocument, one per corner of the format, and the helpers they share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flexor/core/diagnostic.h"
#include "flexor/core/memory_budget.h"
#include "flexor/core/result.h"

#include "io/gltf/raw.h"
#include "io/json/access.h"
#include "io/rules.h"

namespace flexor::io::gltf {

/// What every piece needs: the numbers of things (known before they are read, so that references
/// forward can be checked), the budget, and where to complain.
struct ReadContext {
  json::Ref root;
  MemoryBudget& budget;
  Diagnostics& diagnostics;
  RawDocument& document;
  struct {
    std::size_t buffers = 0, views = 0, accessors = 0, meshes = 0, nodes = 0, skins = 0;
    std::size_t materials = 0, textures = 0, images = 0, samplers = 0, cameras = 0, scenes = 0;
  } count;

  /// A finding about what can be lived with.
  void Say(std::string_view code, std::string_view where, std::string message) const {
    Report(diagnostics, code, where, std::move(message));
  }

  /// The array `key` of `object`, when it is there and not empty; an empty one is reported.
  Result<std::optional<json::Ref>> FindFilled(const json::Ref& object, std::string_view key) const;

  /// An index that must be below `limit`; `things` is the plural of what it names.
  Result<std::uint32_t> RequireIndex(const json::Ref& object, std::string_view key,
                                     std::size_t limit, std::string_view things) const;
  /// The same, or kNone when it is absent.
  Result<std::int32_t> FindIndex(const json::Ref& object, std::string_view key, std::size_t limit,
                                 std::string_view things) const;
  /// Elements of an array of indices.
  Result<std::vector<std::uint32_t>> Indices(const json::Ref& array, std::size_t limit,
                                             std::string_view things) const;

  /// The optional member "name".
  Result<std::string> Name(const json::Ref& object) const;
  /// The member `name` of the optional member "extensions".
  Result<std::optional<json::Ref>> FindExtension(const json::Ref& object,
                                                 std::string_view name) const;
};

/// A string member without copying it; it lives as long as the JSON document.
Result<std::optional<std::string_view>> FindText(const json::Ref& object, std::string_view key);

Status ReadExtensionLists(ReadContext& context);   // document_extensions.cc
Status ReadBuffersAndViews(ReadContext& context);  // document_data.cc
Status ReadAccessors(ReadContext& context);        // document_accessors.cc
Status ReadMeshes(ReadContext& context);           // document_meshes.cc
Status ReadNodesAndScenes(ReadContext& context);   // document_nodes.cc
Status ReadSkins(ReadContext& context);            // document_nodes.cc
Status ReadAnimations(ReadContext& context);       // document_animations.cc
Status ReadMaterials(ReadContext& context);        // document_materials.cc
Status ReadVrm(ReadContext& context);              // vrm.cc

}  // namespace flexor::io::gltf
