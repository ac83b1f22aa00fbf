#include "io/gltf/write_glb_document.h"

#include <utility>

#include "flexor/core/version.h"

namespace flexor::io::gltf {

Json StartDocument(const asset::Character& character) {
  const asset::SourceInfo& source = character.source;
  Json about = {{"version", "2.0"}, {"generator", WriterName()}};
  if (!source.author.empty()) about["copyright"] = source.author;
  Json extras = Json::object();
  if (!source.title.empty()) extras["title"] = source.title;
  if (!source.author.empty()) extras["author"] = source.author;
  if (!source.license.empty()) extras["license"] = source.license;
  if (!extras.empty()) about["extras"] = std::move(extras);
  return {{"asset", std::move(about)}};
}

void AddScene(Json& document, const std::string& name, const std::vector<std::uint32_t>& roots) {
  Json scene = Json::object();
  if (!name.empty()) scene["name"] = name;
  if (!roots.empty()) scene["nodes"] = roots;
  document["scene"] = 0;
  document["scenes"] = Json::array({std::move(scene)});
}

Json EncodeNode(const SceneNode& node) {
  Json encoded = Json::object();
  if (!node.name.empty()) encoded["name"] = node.name;
  if (node.matrix) {
    const Mat34d& m = *node.matrix;
    if (m == Mat34d{}) return encoded;
    encoded["matrix"] = {m.linear.x.x,    m.linear.x.y,    m.linear.x.z,    0.0,
                         m.linear.y.x,    m.linear.y.y,    m.linear.y.z,    0.0,
                         m.linear.z.x,    m.linear.z.y,    m.linear.z.z,    0.0,
                         m.translation.x, m.translation.y, m.translation.z, 1.0};
    return encoded;
  }
  const auto& [translation, rotation, scale] = node.rest;
  if (!(translation == Vec3d{})) {
    encoded["translation"] = {translation.x, translation.y, translation.z};
  }
  if (!(rotation == Quatd{}))
    encoded["rotation"] = {rotation.x, rotation.y, rotation.z, rotation.w};
  if (!(scale == Vec3d{1, 1, 1})) encoded["scale"] = {scale.x, scale.y, scale.z};
  return encoded;
}

MeshInput InputOf(const asset::Mesh& mesh, std::size_t index) {
  MeshInput input;
  input.place = Place("mesh", index, mesh.name);
  input.name = mesh.name;
  input.positions = mesh.positions;
  input.normals = mesh.normals;
  input.tangents = mesh.tangents;
  input.texcoords = mesh.texcoords;
  input.triangles = mesh.triangles;
  input.subsets = mesh.subsets;
  input.morphs = mesh.morphs;
  input.morph_weights = mesh.morph_weights;
  input.skinning = mesh.skinning;
  input.dqs_weights = mesh.dqs_weights;
  return input;
}

}  // namespace flexor::io::gltf
