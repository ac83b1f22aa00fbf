/// @file tests/io/check_support.h
/// Small glTF files made in memory, to break in one place at a time.
#pragma once

#include <cstring>
#include <map>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include <nlohmann/json.hpp>

#include "flexor/io/check.h"

namespace flexor::test {

using Json = nlohmann::json;

/// A document and its one buffer, written as a GLB.
struct GltfFile {
  Json json;
  std::string data;

  /// Appends values as a new accessor in a view of its own; returns its index.
  template <class T>
  std::size_t Add(const std::vector<T>& values, const char* type, int component_type, int target) {
    const std::size_t components = ComponentsOf(type);
    while (data.size() % 4 != 0) data += '\0';
    Json view{
        {"buffer", 0}, {"byteOffset", data.size()}, {"byteLength", values.size() * sizeof(T)}};
    if (target != 0) view["target"] = target;
    const std::size_t at = data.size();
    data.resize(at + values.size() * sizeof(T));
    std::memcpy(data.data() + at, values.data(), values.size() * sizeof(T));
    json["bufferViews"].push_back(view);
    json["accessors"].push_back({{"bufferView", json["bufferViews"].size() - 1},
                                 {"componentType", component_type},
                                 {"count", values.size() / components},
                                 {"type", type}});
    return json["accessors"].size() - 1;
  }

  /// Sets min and max of an accessor to what they are.
  template <class T>
  void Bound(std::size_t accessor, const std::vector<T>& values) {
    const std::size_t n = ComponentsOf(json["accessors"][accessor]["type"].get<std::string>());
    std::vector<T> least(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n));
    std::vector<T> greatest = least;
    for (std::size_t i = 0; i < values.size(); ++i) {
      least[i % n] = std::min(least[i % n], values[i]);
      greatest[i % n] = std::max(greatest[i % n], values[i]);
    }
    json["accessors"][accessor]["min"] = least;
    json["accessors"][accessor]["max"] = greatest;
  }

  /// Overwrites one value of an accessor.
  template <class T>
  void Set(std::size_t accessor, std::size_t index, T value) {
    const Json& a = json["accessors"][accessor];
    const Json& view = json["bufferViews"][a["bufferView"].get<std::size_t>()];
    std::memcpy(data.data() + view["byteOffset"].get<std::size_t>() + index * sizeof(T), &value,
                sizeof(T));
  }

  std::string Glb() const {
    Json whole = json;
    std::string bin = data;
    while (bin.size() % 4 != 0) bin += '\0';
    if (!data.empty() && !whole.contains("buffers")) {
      whole["buffers"] = {{{"byteLength", data.size()}}};
    }
    std::string text = whole.dump();
    while (text.size() % 4 != 0) text += ' ';
    std::string file = "glTF" + Word(2) +
                       Word(12 + 8 + text.size() + (data.empty() ? 0 : 8 + bin.size())) +
                       Word(text.size()) + "JSON" + text;
    if (!data.empty()) file += Word(bin.size()) + std::string("BIN\0", 4) + bin;
    return file;
  }

  static std::string Word(std::size_t value) {
    std::string bytes;
    for (int i = 0; i < 4; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
    return bytes;
  }
  static std::size_t ComponentsOf(const std::string& type) {
    static const std::map<std::string, std::size_t> kCounts{
        {"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4}, {"MAT4", 16}};
    return kCounts.at(type);
  }
};

/// Accessors of SkinnedFile().
struct SkinnedFileParts {
  std::size_t positions, normals, tangents, joints, weights, indices, inverse_binds, times,
      rotations;
};

/// A square on two joints, with a clip: nothing in it is wrong.
inline GltfFile SkinnedFile(SkinnedFileParts* parts = nullptr) {
  GltfFile file;
  file.json = Json{{"asset", {{"version", "2.0"}}}};
  constexpr int kVertices = 34962, kIndices = 34963;
  SkinnedFileParts p{};
  const std::vector<float> positions{0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
  p.positions = file.Add(positions, "VEC3", 5126, kVertices);
  file.Bound(p.positions, positions);
  p.normals =
      file.Add(std::vector<float>{0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1}, "VEC3", 5126, kVertices);
  p.tangents = file.Add(std::vector<float>{1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, -1, 1, 0, 0, 1}, "VEC4",
                        5126, kVertices);
  p.joints = file.Add(std::vector<std::uint8_t>{0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0},
                      "VEC4", 5121, kVertices);
  p.weights =
      file.Add(std::vector<float>{0.5f, 0.5f, 0, 0, 0.25f, 0.75f, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0},
               "VEC4", 5126, kVertices);
  p.indices = file.Add(std::vector<std::uint16_t>{0, 1, 2, 2, 1, 3}, "SCALAR", 5123, kIndices);
  std::vector<float> matrices(32, 0);
  for (std::size_t i = 0; i < 8; ++i) matrices[16 * (i / 4) + 5 * (i % 4)] = 1;
  p.inverse_binds = file.Add(matrices, "MAT4", 5126, 0);
  const std::vector<float> times{0, 1, 2};
  p.times = file.Add(times, "SCALAR", 5126, 0);
  file.Bound(p.times, times);
  p.rotations = file.Add(std::vector<float>{0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1}, "VEC4", 5126, 0);
  file.json["meshes"] = {{{"primitives",
                           {{{"attributes",
                              {{"POSITION", p.positions},
                               {"NORMAL", p.normals},
                               {"TANGENT", p.tangents},
                               {"JOINTS_0", p.joints},
                               {"WEIGHTS_0", p.weights}}},
                             {"indices", p.indices}}}}}};
  file.json["nodes"] = {
      {{"mesh", 0}, {"skin", 0}}, {{"children", {2}}}, {{"translation", {0, 1, 0}}}};
  file.json["skins"] = {{{"joints", {1, 2}}, {"inverseBindMatrices", p.inverse_binds}}};
  file.json["animations"] = {
      {{"samplers", {{{"input", p.times}, {"output", p.rotations}}}},
       {"channels", {{{"sampler", 0}, {"target", {{"node", 2}, {"path", "rotation"}}}}}}}};
  file.json["scenes"] = {{{"nodes", {0, 1}}}};
  file.json["scene"] = 0;
  if (parts != nullptr) *parts = p;
  return file;
}

inline io::CheckReport Check(std::string_view bytes, const io::LoadOptions& options = {},
                             const io::ResourceFn& resources = {}) {
  return io::CheckMemory(std::as_bytes(std::span(bytes)), "file", resources, options);
}

/// "CODE where" of every finding, for comparison and for messages.
inline std::multiset<std::string> Said(const io::CheckReport& report) {
  std::multiset<std::string> said;
  for (const Diagnostic& finding : report.diagnostics.entries()) {
    said.insert(finding.code + " " + finding.where);
  }
  return said;
}

inline const Diagnostic* Find(const io::CheckReport& report, std::string_view code) {
  for (const Diagnostic& finding : report.diagnostics.entries()) {
    if (finding.code == code) return &finding;
  }
  return nullptr;
}

}  // namespace flexor::test
