/// @file tests/support/gltf_builder.h
/// Small glTF files made in memory: JSON written as nlohmann literals, numbers packed into one
/// buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <nlohmann/json.hpp>

#include "flexor/io/load.h"

namespace flexor::test {

using Json = nlohmann::json;

template <class T>
constexpr int ComponentCode() {
  if constexpr (std::is_same_v<T, std::int8_t>) return 5120;
  if constexpr (std::is_same_v<T, std::uint8_t>) return 5121;
  if constexpr (std::is_same_v<T, std::int16_t>) return 5122;
  if constexpr (std::is_same_v<T, std::uint16_t>) return 5123;
  if constexpr (std::is_same_v<T, std::uint32_t>) return 5125;
  if constexpr (std::is_same_v<T, float>) return 5126;
  return 0;
}

inline int ComponentsOf(const std::string& type) {
  if (type == "SCALAR") return 1;
  if (type == "MAT2") return 4;
  if (type == "MAT3") return 9;
  if (type == "MAT4") return 16;
  return type.back() - '0';
}

inline std::span<const std::byte> Bytes(const std::string& text) {
  return std::as_bytes(std::span(text));
}

/// One file under construction. Members that return an index append to the array of that name.
struct GltfBuilder {
  Json json = {{"asset", {{"version", "2.0"}}}};
  std::vector<std::byte> bin;  ///< buffer 0
  std::string path = "test.glb";

  std::size_t Append(const char* array, Json element) {
    if (element.is_null()) element = Json::object();
    json[array].push_back(std::move(element));
    return json[array].size() - 1;
  }
  std::size_t Node(Json node) { return Append("nodes", std::move(node)); }
  std::size_t Mesh(Json mesh) { return Append("meshes", std::move(mesh)); }
  std::size_t Skin(Json skin) { return Append("skins", std::move(skin)); }

  /// A view of raw bytes, aligned to 4.
  template <class T>
  std::size_t View(const std::vector<T>& values, std::size_t stride = 0) {
    while (bin.size() % 4 != 0) bin.push_back(std::byte{0});
    const std::size_t offset = bin.size();
    const std::size_t length = values.size() * sizeof(T);
    bin.resize(offset + length);
    if (length != 0) std::memcpy(bin.data() + offset, values.data(), length);
    Json view = {{"buffer", 0}, {"byteOffset", offset}, {"byteLength", length}};
    if (stride != 0) view["byteStride"] = stride;
    return Append("bufferViews", std::move(view));
  }

  /// A tightly packed accessor.
  template <class T>
  std::size_t Accessor(const std::string& type, const std::vector<T>& values,
                       bool normalized = false) {
    Json accessor = {{"bufferView", View(values)},
                     {"componentType", ComponentCode<T>()},
                     {"count", values.size() / static_cast<std::size_t>(ComponentsOf(type))},
                     {"type", type},
                     {"min", Json::array()},
                     {"max", Json::array()}};
    if (normalized) accessor["normalized"] = true;
    return Append("accessors", std::move(accessor));
  }
  std::size_t Floats(const std::string& type, const std::vector<float>& values) {
    return Accessor<float>(type, values);
  }

  /// Vertices (0,0,0), (1,0,0), (0,1,0) and so on along a zigzag, as a POSITION accessor.
  std::size_t Zigzag(std::size_t vertices) {
    std::vector<float> values;
    for (std::size_t v = 0; v < vertices; ++v) {
      values.insert(values.end(), {static_cast<float>((v + 1) / 2),
                                   static_cast<float>(v % 2 == 0 ? v / 2 : 0), 0});
    }
    return Floats("VEC3", values);
  }

  /// The JSON text with buffer 0 in a data URI, unless `uri` names it otherwise.
  std::string Gltf(const std::string& uri = {}) const {
    Json out = json;
    if (!bin.empty()) {
      out["buffers"][0]["byteLength"] = bin.size();
      out["buffers"][0]["uri"] =
          uri.empty() ? "data:application/octet-stream;base64," + Base64(bin) : uri;
    }
    return out.dump();
  }

  /// The same as binary glTF.
  std::string Glb() const {
    Json out = json;
    if (!bin.empty()) out["buffers"][0]["byteLength"] = bin.size();
    std::string text = out.dump();
    while (text.size() % 4 != 0) text += ' ';
    std::string body(reinterpret_cast<const char*>(bin.data()), bin.size());
    while (body.size() % 4 != 0) body += '\0';
    const std::size_t total = 12 + 8 + text.size() + (body.empty() ? 0 : 8 + body.size());
    std::string glb = "glTF" + Number(2) + Number(total) + Number(text.size()) + "JSON" + text;
    if (!body.empty()) glb += Number(body.size()) + std::string("BIN\0", 4) + body;
    return glb;
  }

  Result<io::Loaded> Load(const io::LoadOptions& options = {}) const {
    return io::LoadCharacterFromMemory(Bytes(Glb()), path, {}, options);
  }

  static std::string Number(std::size_t value) {
    std::string bytes;
    for (int i = 0; i < 4; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
    return bytes;
  }

  static std::string Base64(std::span<const std::byte> bytes) {
    constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
      std::uint32_t group = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        group = group << 8 | (i + k < bytes.size() ? static_cast<std::uint32_t>(bytes[i + k]) : 0u);
      }
      for (std::size_t k = 0; k < 4; ++k) {
        text += i + k > bytes.size() ? '=' : kDigits[group >> (18 - 6 * k) & 63];
      }
    }
    return text;
  }
};

/// Where the vertices of an instance are when nothing animates, by the plainest linear blending:
/// weights divided by their sum, no repair of anything else. Vertices without weight stay.
std::vector<Vec3d> RestPoints(const asset::Character& character, std::size_t instance);

/// model_from_node of every node at rest.
std::vector<Mat34d> RestWorld(const asset::Character& character);

/// The first diagnostic with that code, or one with an empty code.
Diagnostic FindDiagnostic(const Diagnostics& diagnostics, std::string_view code);

}  // namespace flexor::test
