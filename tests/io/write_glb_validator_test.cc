// Characters with everything that is legal for us and awkward for glTF: the Khronos validator must
// find no error in any of them.
#include <functional>
#include <numbers>
#include <set>

#include "flexor/asset/sample.h"

#include "io/write_glb_support.h"

namespace flexor::io {
namespace {

using asset::Channel;
using asset::ChannelPath;
using asset::Character;
using asset::Clip;
using asset::Interpolation;
using asset::kNone;
using test::SkinnedSquare;
using WriteGlbValidatorTest = test::WriteTest;

struct Case {
  std::string name;
  Character character;
};

// The smallest pictures there are: 1 by 1 pixel.
std::vector<std::byte> TinyPng() {
  const std::string bytes = test::Bytes(
      {0x89, 'P',  'N',  'G',  0x0D, 0x0A, 0x1A, 0x0A, 0,   0,    0,    13,   'I',  'H',
       'D',  'R',  0,    0,    0,    1,    0,    0,    0,   1,    8,    2,    0,    0,
       0,    0x90, 0x77, 0x53, 0xDE, 0,    0,    0,    12,  'I',  'D',  'A',  'T',  0x08,
       0xD7, 0x63, 0xF8, 0xCF, 0xC0, 0,    0,    3,    1,   1,    0,    0x18, 0xDD, 0x8D,
       0xB0, 0,    0,    0,    0,    'I',  'E',  'N',  'D', 0xAE, 0x42, 0x60, 0x82});
  const auto view = std::as_bytes(std::span(bytes));
  return {view.begin(), view.end()};
}

Channel MakeChannel(ChannelPath path, std::uint32_t target, Interpolation interpolation,
                    std::vector<double> times, std::vector<float> values,
                    std::uint32_t components) {
  return {path, interpolation, target, components, std::move(times), std::move(values)};
}

Character WithClips() {
  Character c = SkinnedSquare();
  c.meshes[0].morphs.resize(2);
  c.meshes[0].morphs[0].name = "笑い";
  c.meshes[0].morphs[0].vertices = {1, 3};
  c.meshes[0].morphs[0].positions = {{0, 0, 1}, {0, 0, -1}};
  c.meshes[0].morphs[0].normals = {{0.5f, 0, 0}, {0, 0.5f, 0}};
  c.meshes[0].morphs[1].positions.assign(4, {0, 1, 0});
  c.meshes[0].morph_weights = {0.25f, 0};
  c.instances[0].morph_weights = {0, 1};
  Clip clip;
  clip.name = "all kinds";
  using enum ChannelPath;
  using enum Interpolation;
  clip.channels = {
      MakeChannel(kTranslation, 0, kStep, {0, 1}, {0, 0, 0, 1, 2, 3}, 3),
      MakeChannel(kRotation, 1, kLinear, {0, 0.5, 1}, {0, 0, 0, 1, 0, 0, 2, 0, 0, 0, 0, 0}, 4),
      MakeChannel(kScale, 1, kCubicSpline, {0.25, 1},
                  {9, 9, 9, 1, 1, 1, 0, 0, 0, 0, 0, 0, 2, 2, 2, 0, 0, 0}, 3),
      MakeChannel(kRotation, 0, kCubicSpline, {0, 1},
                  {0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 3, 3, 0, 0, 0, 0}, 4),
      MakeChannel(kMorphWeights, 0, kLinear, {0, 2}, {0, 1, 1, 0}, 2),
      MakeChannel(kScale, 0, kCubicSpline, {0.5}, {0, 0, 0, 1, 1, 1, 0, 0, 0}, 3),
      MakeChannel(kScale, 0, kLinear, {0.5}, {2, 2, 2}, 3),  // overrules the one before
      MakeChannel(kTranslation, 1, kLinear, {-1, 1, 1, 1 + 1e-12},
                  {0, 1, 0, 2, 1, 0, 3, 1, 0, 0, 1, 0}, 3),
      MakeChannel(kTranslation, 2, kCubicSpline, {-2, -1},
                  {0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 2, 2, 2, 0, 0, 0}, 3),
  };
  c.clips.push_back(clip);
  c.clips.push_back({"moves nothing", 0, 30, {}});
  return c;
}

Character WithMaterials() {
  Character c = SkinnedSquare();
  c.images = {{"good", "image/jpeg", TinyPng()},  // the name of its type is wrong
              {"lost", "image/png", {}},
              {"cut", "image/png", TinyPng()},
              {"webp", "image/webp", TinyPng()}};
  c.images[2].bytes.resize(30);
  c.images[3].bytes.assign(40, std::byte{'R'});
  for (std::int32_t i = 0; i < 4; ++i) {
    asset::Material material;
    material.name = "m" + std::to_string(i);
    material.base_image = i;
    material.base_color = {2, 0.1f, -1, 0.5f};
    material.alpha_mode = i == 0 ? asset::AlphaMode::kMask : asset::AlphaMode::kBlend;
    material.alpha_cutoff = i == 0 ? 0.25f : -3;
    material.uv_offset = {0.5f, 0.25f};
    material.uv_rotation = 1;
    material.double_sided = true;
    c.materials.push_back(material);
  }
  c.materials.emplace_back();
  // Textured without texture coordinates; an empty subset between two.
  c.meshes[0].subsets = {{0, 3, 0}, {3, 0, 1}, {3, 3, kNone}};
  return c;
}

std::vector<Case> AwkwardCases() {
  std::vector<Case> cases;
  const auto add = [&](std::string name, Character character) {
    cases.push_back({std::move(name), std::move(character)});
  };
  add("nothing at all", {});
  add("skinned square", SkinnedSquare());
  add("300 joints need 16 bits", SkinnedSquare(300));
  {
    Character c = SkinnedSquare();
    c.meshes[0].positions.clear();
    c.meshes[0].normals.clear();
    c.meshes[0].triangles.clear();
    c.meshes[0].influences = {};
    Clip clip;
    c.meshes[0].morphs.resize(1);
    clip.channels = {MakeChannel(ChannelPath::kMorphWeights, 0, Interpolation::kStep, {0}, {1}, 1)};
    c.clips = {clip};
    add("mesh without vertices", std::move(c));
  }
  {
    Character c = SkinnedSquare();
    c.meshes[0].triangles.clear();
    add("mesh without triangles", std::move(c));
  }
  {
    Character c = SkinnedSquare();
    c.meshes[0].triangles = {0, 0, 0, 1, 1, 2};
    add("degenerate triangles", std::move(c));
  }
  {
    Character c = SkinnedSquare();
    c.meshes[0].normals = {{0, 0, 0}, {0, 0, 5}, {1e-30f, 0, 0}, {3e38f, 3e38f, 0}};
    c.meshes[0].tangents = {{0, 0, 0, 0}, {1, 0, 0, 0.5f}, {0, 7, 0, -2}, {1, 0, 0, 1}};
    add("normals and tangents of any length", std::move(c));
  }
  {
    Character c = SkinnedSquare();
    c.meshes[0].normals.clear();
    c.meshes[0].tangents.assign(4, {1, 0, 0, 1});
    c.meshes[0].morphs.resize(3);
    c.meshes[0].morphs[0].normals.assign(4, {0, 0, 1});
    c.meshes[0].morphs[1].tangents.assign(4, {0, 0, 1});
    c.meshes[0].morph_weights = {0, 0, 0};
    add("morphs of normals that are not there, and of nothing", std::move(c));
  }
  {
    Character c = SkinnedSquare(12);
    auto& influences = c.meshes[0].influences;
    influences = {};
    influences.offsets = {0};
    for (std::uint32_t v = 0; v < 4; ++v) {
      for (std::uint32_t j = 0; j < 12; ++j) {
        influences.joints.push_back((j * 5 + v) % 12);
        influences.weights.push_back(0.01f + 0.37f * static_cast<float>(j));
      }
      influences.offsets.push_back(static_cast<std::uint32_t>(influences.joints.size()));
    }
    add("12 influences that do not sum to 1", std::move(c));
  }
  {
    Character c = SkinnedSquare(300);
    auto& influences = c.meshes[0].influences;
    influences = {};
    influences.offsets = {0};
    for (std::uint32_t v = 0; v < 4; ++v) {
      for (std::uint32_t j = 0; j < 75 * v; ++j) {
        influences.joints.push_back(j);
        influences.weights.push_back(1e-3f + 1e-5f * static_cast<float>(j));
      }
      influences.offsets.push_back(static_cast<std::uint32_t>(influences.joints.size()));
    }
    add("0 to 225 influences", std::move(c));
  }
  {
    Character c = SkinnedSquare(3);
    auto& influences = c.meshes[0].influences;
    influences.offsets = {0, 2, 4, 5, 5};
    influences.joints = {2, 2, 1, 0, 1};
    influences.weights = {0.5f, 0.25f, 1.2f, -0.2f, 0};
    add("equal joints, negative weights, no weights", std::move(c));
  }
  {
    // One mesh with a weightless vertex under two skins of different size.
    Character c = SkinnedSquare(2);
    test::AddChain(c, 5);
    c.nodes.emplace_back();
    c.meshes[0].influences.weights[3] = 0;
    c.instances.push_back(c.instances[0]);
    c.instances[1].skin = 1;
    c.instances[1].node = static_cast<std::int32_t>(c.nodes.size() - 1);
    add("a still vertex shared by two skins", std::move(c));
  }
  {
    Character c = SkinnedSquare(2);
    c.meshes[0].influences.weights[3] = 0;
    c.instances[0].skin = kNone;
    add("weights without a skin", std::move(c));
  }
  {
    Character c = SkinnedSquare(4);
    for (asset::Node& node : c.nodes) node.parent = kNone;
    add("every joint a root", std::move(c));
  }
  {
    Character c = SkinnedSquare(2);
    c.skins[0].joints = {0, 0};
    add("the same joint twice", std::move(c));
  }
  {
    Character c = SkinnedSquare(3);
    c.instances[0].node = kNone;
    c.instances.push_back(c.instances[0]);
    c.instances.push_back(c.instances[0]);
    c.instances[1].visible = false;
    c.instances[2].node = 0;
    add("instances without nodes and on joints", std::move(c));
  }
  {
    Character c = SkinnedSquare(3);
    for (int i = 0; i < 4; ++i) {
      c.instances.push_back(c.instances[0]);
      c.instances.back().visible = i % 2 == 0;
      if (i < 2) c.instances.back().skin = kNone;
    }
    add("five instances on one node, some hidden", std::move(c));
  }
  {
    Character c = SkinnedSquare(2);
    c.instances[0].visible = false;
    add("nothing to be seen", std::move(c));
  }
  {
    // The carrier is in the scene of its own, its joints hang in a tree that is all hidden.
    Character c = SkinnedSquare(2);
    c.instances.push_back(c.instances[0]);
    c.instances[1].skin = kNone;
    c.instances[1].node = 0;
    c.instances[1].visible = false;
    add("a hidden rigid mesh on a joint of a visible one", std::move(c));
  }
  {
    Character c = SkinnedSquare(4);
    const double h = std::numbers::sqrt2 / 2;
    c.nodes[0].rest_matrix = Mat34d{{{1, 0, 0}, {0.5, 1, 0}, {0, 0, 1}}, {1, 2, 3}};
    c.nodes[1].rest_matrix = Mat34d{{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, {0, 1, 0}};
    c.nodes[2].rest_matrix = Mat34d{{{h, h, 0}, {-h, h, 0}, {0, 0, -1}}, {0, 1, 0}};
    c.nodes[3].rest_matrix = Mat34d{{{1, 1, 0}, {1, 1, 0}, {0, 0, 2}}, {0, 1, 0}};
    asset::Node far;
    far.rest_matrix = Mat34d{{{5000 * h, 5000 * h, 0}, {-5000 * h, 5000 * h, 0}, {0, 0, 1e-5}},
                             {12345.678, 98765.4321, -5e6}};
    c.nodes.push_back(far);
    asset::Node identity;
    identity.rest_matrix = Mat34d{};
    c.nodes.push_back(identity);
    Clip clip;
    clip.channels = {MakeChannel(ChannelPath::kTranslation, 2, Interpolation::kLinear, {0, 1},
                                 {0, 1, 0, 0, 2, 0}, 3)};
    c.clips = {clip};
    add("matrices: sheared, singular, mirrored, large, animated", std::move(c));
  }
  {
    Character c = SkinnedSquare(2);
    c.skins[0].joint_from_mesh[0] = Mat34d{{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, {1e300, 0, 0}};
    c.skins.push_back(c.skins[0]);  // that nothing uses
    add("singular and huge inverse bind matrices", std::move(c));
  }
  {
    Character c = SkinnedSquare(2);
    c.name = "a \"quoted\" \\ name\n\x01 \xFF\xC3 顔💪";
    c.nodes[0].name = c.name;
    c.nodes[1].name = c.name;
    c.meshes[0].name = "";
    c.source.author = "ねこ";
    c.source.license = "CC0";
    c.meshes[0].skinning = asset::SkinningMethod::kDualQuaternion;
    c.meshes[0].dqs_weights = {0, 0.5f, 1, 1};
    add("names and notes of all kinds", std::move(c));
  }
  {
    Character c = SkinnedSquare(2);
    asset::Mesh& mesh = c.meshes[0];
    mesh.positions.assign(65535, {1, 2, 3});
    mesh.normals.clear();
    mesh.triangles = {65532, 65533, 65534};
    test::BindRoundRobin(mesh, 2);
    add("65535 vertices", c);
    mesh.positions.emplace_back();
    mesh.triangles = {65533, 65534, 65535};
    test::BindRoundRobin(mesh, 2);
    mesh.morphs.resize(1);
    mesh.morphs[0].vertices = {65535};
    mesh.morphs[0].positions = {{1, 1, 1}};
    mesh.morph_weights = {1};
    add("65536 vertices", std::move(c));
  }
  add("clips", WithClips());
  add("materials", WithMaterials());
  return cases;
}

const std::set<std::string>& KnownWarnings() {
  static const std::set<std::string> codes = {
      "ANIMATION_CHANNEL_TARGET_NODE_SKIN", "MESH_PRIMITIVE_TANGENT_WITHOUT_NORMAL",
      "NODE_SKINNED_MESH_LOCAL_TRANSFORMS", "NODE_SKINNED_MESH_NON_ROOT",
      "NODE_SKINNED_MESH_WITHOUT_SKIN",
  };
  return codes;
}

// Writes files, runs the validator over all of them, and wants no error and no unknown warning.
void ExpectValid(const std::vector<std::string>& names, const std::vector<std::string>& paths) {
  const auto report = test::RunValidator(paths);
  ASSERT_EQ(report["files"].size(), paths.size());
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const auto& file = report["files"][i];
    EXPECT_EQ(file["errors"], 0) << names[i] << "\n" << test::Messages(file);
    for (const auto& message : file["messages"]) {
      if (message["severity"] != "warning") continue;
      EXPECT_TRUE(KnownWarnings().contains(message["code"].get<std::string>()))
          << names[i] << ": " << message.dump();
    }
  }
}

void WriteBytes(const std::string& path, std::span<const std::byte> bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

TEST_F(WriteGlbValidatorTest, AwkwardCharactersHaveNoErrors) {
  FLEXOR_REQUIRE_VALIDATOR();
  std::vector<Case> cases = AwkwardCases();
  std::vector<std::string> names, paths;
  for (Case& one : cases) {
    SCOPED_TRACE(one.name);
    names.push_back(one.name);
    paths.push_back(Path(std::to_string(paths.size()) + ".glb"));
    WriteBytes(paths.back(), test::Encoded(one.character));
  }
  ExpectValid(names, paths);
}

// The same characters as they stand: static meshes.
TEST_F(WriteGlbValidatorTest, PosedCharactersHaveNoErrors) {
  FLEXOR_REQUIRE_VALIDATOR();
  std::vector<Case> cases = AwkwardCases();
  std::vector<std::string> names, paths;
  for (Case& one : cases) {
    ASSERT_TRUE(asset::Finalize(one.character).ok());
    std::vector<PosedInstance> posed;
    for (std::uint32_t i = 0; i < one.character.instances.size(); ++i) {
      const asset::Mesh& mesh = one.character.meshes[one.character.instances[i].mesh];
      posed.push_back({i, mesh.positions, mesh.normals, mesh.tangents});
    }
    const auto bytes = EncodePosedGlb(one.character, posed);
    ASSERT_TRUE(bytes.ok()) << one.name << ": " << bytes.error().ToString();
    names.push_back(one.name);
    paths.push_back(Path(std::to_string(paths.size()) + ".glb"));
    WriteBytes(paths.back(), *bytes);
  }
  ExpectValid(names, paths);
}

TEST_F(WriteGlbValidatorTest, TheValidatorIsAwake) {
  FLEXOR_REQUIRE_VALIDATOR();
  Character character = SkinnedSquare();
  auto bytes = test::Encoded(character);
  const test::Glb glb = test::SplitGlb(bytes);
  const auto& weights =
      glb.json["accessors"][glb.json["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"]
                                .get<std::size_t>()];
  const auto& view = glb.json["bufferViews"][weights["bufferView"].get<std::size_t>()];
  const std::size_t binary_at = bytes.size() - glb.binary.size();
  bytes[binary_at + view["byteOffset"].get<std::size_t>() + 2] ^=
      std::byte{0x40};  // 1 becomes 0.75
  WriteBytes(Path("broken.glb"), bytes);
  const auto report = test::RunValidator({Path("broken.glb")});
  EXPECT_NE(test::Messages(report["files"][0]).find("ACCESSOR_WEIGHTS_NON_NORMALIZED"),
            std::string::npos);
}

}  // namespace
}  // namespace flexor::io
