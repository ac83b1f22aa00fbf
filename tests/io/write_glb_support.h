/// @file tests/io/write_glb_support.h
/// GLB files taken apart by other means than flexor's reader, characters to write, and the Khronos
/// validator as a witness.
#pragma once

#include <cmath>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "flexor/asset/character.h"
#include "flexor/io/write_glb.h"

#include "io/write_support.h"
#include "support/paths.h"

namespace flexor::test {

/// The two chunks of a GLB.
struct Glb {
  nlohmann::json json;
  std::string binary;
};

inline std::uint32_t Word(std::span<const std::byte> bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 4; i-- > 0;)
    value = (value << 8) | static_cast<std::uint32_t>(bytes[at + i]);
  return value;
}

/// Splits a GLB and checks its frame.
inline Glb SplitGlb(std::span<const std::byte> bytes) {
  Glb glb;
  EXPECT_EQ(Word(bytes, 0), 0x46546C67u);
  EXPECT_EQ(Word(bytes, 4), 2u);
  EXPECT_EQ(Word(bytes, 8), bytes.size());
  const std::size_t json_size = Word(bytes, 12);
  EXPECT_EQ(json_size % 4, 0u);
  const auto* text = reinterpret_cast<const char*>(bytes.data()) + 20;
  glb.json = nlohmann::json::parse(text, text + json_size);
  const std::size_t binary_at = 20 + json_size;
  if (binary_at == bytes.size()) return glb;
  EXPECT_EQ(Word(bytes, binary_at) % 4, 0u);
  EXPECT_EQ(Word(bytes, binary_at + 4), 0x004E4942u);
  EXPECT_EQ(binary_at + 8 + Word(bytes, binary_at), bytes.size());
  glb.binary.assign(reinterpret_cast<const char*>(bytes.data()) + binary_at + 8,
                    Word(bytes, binary_at));
  return glb;
}

/// The numbers of an accessor (dense, tight), as doubles.
inline std::vector<double> AccessorValues(const Glb& glb, std::size_t index) {
  const auto& accessor = glb.json["accessors"][index];
  const std::string type = accessor["type"];
  const std::size_t components = type == "SCALAR" ? 1
                                 : type == "MAT4" ? 16
                                                  : static_cast<std::size_t>(type[3] - '0');
  const std::size_t count = accessor["count"].get<std::size_t>() * components;
  const int component = accessor["componentType"];
  std::vector<double> values(count, 0.0);
  if (!accessor.contains("bufferView")) return values;
  const auto& view = glb.json["bufferViews"][accessor["bufferView"].get<std::size_t>()];
  std::size_t at =
      view.value("byteOffset", std::size_t{0}) + accessor.value("byteOffset", std::size_t{0});
  for (double& value : values) {
    const auto read = [&]<class T>(T number) {
      EXPECT_LE(at + sizeof(T), glb.binary.size());
      std::memcpy(&number, glb.binary.data() + at, sizeof(T));
      at += sizeof(T);
      return static_cast<double>(number);
    };
    value = component == 5126   ? read(0.0f)
            : component == 5121 ? read(std::uint8_t{0})
            : component == 5123 ? read(std::uint16_t{0})
                                : read(std::uint32_t{0});
  }
  return values;
}

/// A square of two triangles in the plane z = 0, with normals.
inline asset::Mesh Square() {
  asset::Mesh mesh;
  mesh.name = "square";
  mesh.positions = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  mesh.normals.assign(4, {0, 0, 1});
  mesh.triangles = {0, 1, 2, 0, 2, 3};
  return mesh;
}

/// One influence of weight 1 for every vertex, on joint v % joints.
inline void BindRoundRobin(asset::Mesh& mesh, std::uint32_t joints) {
  mesh.influences = {};
  mesh.influences.offsets.push_back(0);
  for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) {
    mesh.influences.joints.push_back(v % joints);
    mesh.influences.weights.push_back(1);
    mesh.influences.offsets.push_back(v + 1);
  }
}

/// A chain of nodes, each one unit above its parent, and the skin of all of them.
inline void AddChain(asset::Character& character, std::uint32_t joints) {
  asset::Skin skin;
  skin.name = "chain";
  for (std::uint32_t j = 0; j < joints; ++j) {
    asset::Node node;
    node.name = "joint" + std::to_string(j);
    node.parent = j == 0 ? asset::kNone : static_cast<std::int32_t>(character.nodes.size() - 1);
    node.rest.translation = {0, j == 0 ? 0.0 : 1.0, 0};
    skin.joints.push_back(static_cast<std::uint32_t>(character.nodes.size()));
    Mat34d joint_from_mesh;
    joint_from_mesh.translation = {0, -static_cast<double>(j), 0};
    skin.joint_from_mesh.push_back(joint_from_mesh);
    character.nodes.push_back(node);
  }
  character.skins.push_back(skin);
}

/// A square on a chain of joints, carried by a node of its own.
inline asset::Character SkinnedSquare(std::uint32_t joints = 2) {
  asset::Character character;
  character.name = "skinned square";
  AddChain(character, joints);
  asset::Node carrier;
  carrier.name = "carrier";
  character.nodes.push_back(carrier);
  character.meshes.push_back(Square());
  BindRoundRobin(character.meshes[0], joints);
  asset::MeshInstance instance;
  instance.name = "carrier";
  instance.node = static_cast<std::int32_t>(joints);
  instance.skin = 0;
  character.instances.push_back(instance);
  return character;
}

/// Finalises and encodes; a failure of either fails the test.
inline std::vector<std::byte> Encoded(asset::Character& character, Diagnostics* notes = nullptr) {
  const Status status = asset::Finalize(character);
  EXPECT_TRUE(status.ok()) << status.error().ToString();
  auto bytes = io::EncodeGlb(character, notes);
  EXPECT_TRUE(bytes.ok()) << bytes.error().ToString();
  return bytes.ok() ? std::move(bytes).value() : std::vector<std::byte>();
}

inline bool HasValidator() {
  static const bool has =
      RunCommand("cd '" FLEXOR_SOURCE_DIR "/tools/node' && node -e \"import('gltf-validator')\"")
          .status == 0;
  return has;
}

/// The report of tools/node/validate_gltf.mjs.
inline nlohmann::json RunValidator(const std::vector<std::string>& paths) {
  std::string command = "node '" FLEXOR_SOURCE_DIR "/tools/node/validate_gltf.mjs'";
  for (const std::string& path : paths) command += " '" + path + "'";
  const CommandResult result = RunCommand(command);
  auto report = nlohmann::json::parse(result.output, nullptr, false);
  EXPECT_FALSE(report.is_discarded()) << result.output;
  return report;
}

/// The codes of a file's messages at and above a severity, sorted, for messages of tests.
inline std::string Messages(const nlohmann::json& file, bool warnings_too = false) {
  std::string text;
  for (const auto& message : file["messages"]) {
    if (message["severity"] != "error" && !(warnings_too && message["severity"] == "warning")) {
      continue;
    }
    text += message["code"].get<std::string>() + " at " + message["pointer"].get<std::string>() +
            ": " + message["message"].get<std::string>() + "\n";
  }
  return text;
}

}  // namespace flexor::test

/// Skips the test, saying so, when the Khronos validator is not installed.
#define FLEXOR_REQUIRE_VALIDATOR()   \
  if (!flexor::test::HasValidator()) \
  GTEST_SKIP() << "SKIPPED FOR WANT OF THE KHRONOS VALIDATOR: run tools/node/setup"
