/// @file io/gltf/write_glb_document.h
/// The parts of a document that whole characters and posed ones share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "flexor/asset/character.h"

#include "io/gltf/write_glb_builder.h"
#include "io/gltf/write_glb_mesh.h"
#include "io/gltf/write_glb_scene.h"

namespace flexor::io::gltf {

/// "asset", with what the file must keep saying about its author and licence.
Json StartDocument(const asset::Character& character);

/// The only scene, which may be empty.
void AddScene(Json& document, const std::string& name, const std::vector<std::uint32_t>& roots);

/// Name and transform; what is default is left out.
Json EncodeNode(const SceneNode& node);

/// A mesh at rest, without influences.
MeshInput InputOf(const asset::Mesh& mesh, std::size_t index);

}  // namespace flexor::io::gltf
