// Files that claim more than they hold, and files that end too early. The memory that is really
// taken is counted (support/allocation_count.h).

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flexor/core/file.h"

#include "io/gltf/draco.h"
#include "io/gltf/meshopt.h"
#include "support/allocation_count.h"
#include "support/corpus.h"
#include "support/gltf_builder.h"

namespace flexor::io {
namespace {

using test::CorpusPath;
using test::GltfBuilder;
using test::Json;

constexpr std::uint64_t kBudget = 64ull << 20;
/// What a load may take beyond its budget: strings, maps and messages that are not worth counting.
constexpr std::uint64_t kSlack = 2ull << 20;

/// Loads with the budget and checks that no more than that was taken beside what was there before.
Result<Loaded> Bounded(const std::string& text, const ResourceFn& resources = {}) {
  LoadOptions options;
  options.limits.memory_bytes = kBudget;
  const std::size_t before = test::LiveBytes();
  test::ResetPeakBytes();
  auto loaded = LoadCharacterFromMemory(test::Bytes(text), "hostile", resources, options);
  // The text itself is counted by the budget, but was taken before.
  EXPECT_LE(test::PeakBytes() - before + text.size(), kBudget + kSlack)
      << (loaded.ok() ? "loaded" : loaded.error().ToString());
  return loaded;
}

void ExpectRefused(const std::string& text, ErrorCode code = ErrorCode::kLimitExceeded) {
  const auto loaded = Bounded(text);
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().code, code) << loaded.error().ToString();
  EXPECT_FALSE(loaded.error().place.path.empty());
}

TEST(GltfLimitsTest, TheCounterCounts) {
  test::ResetPeakBytes();
  const std::size_t before = test::LiveBytes();
  {
    std::vector<char> taken(10 << 20);
  }
  EXPECT_GE(test::PeakBytes() - before, std::size_t{10} << 20);
  EXPECT_EQ(test::LiveBytes(), before);
}

Json Zeros(std::uint64_t count, const char* type = "VEC3", int component = 5126) {
  return {{"componentType", component}, {"count", count}, {"type", type}};
}

TEST(GltfLimitsTest, AccessorsOfBillionsOfZeros) {
  GltfBuilder b;
  b.Append("accessors", Zeros(2000000000));
  b.Mesh({{"primitives", {{{"attributes", {{"POSITION", 0}}}}}}});
  ExpectRefused(b.Glb());
  b.json["accessors"][0]["count"] = 9007199254740991;
  ExpectRefused(b.Glb());

  GltfBuilder indices;
  indices.Append("accessors", Zeros(4000000000, "SCALAR", 5125));
  indices.Mesh(
      {{"primitives", {{{"attributes", {{"POSITION", indices.Zigzag(3)}}}, {"indices", 0}}}}});
  ExpectRefused(indices.Glb());

  GltfBuilder matrices;
  matrices.Append("accessors", Zeros(400000000, "MAT4"));
  matrices.json["accessors"][0]["sparse"] = {
      {"count", 1},
      {"indices", {{"bufferView", 0}, {"componentType", 5121}}},
      {"values", {{"bufferView", 1}}}};
  matrices.View(std::vector<std::uint8_t>{0});
  matrices.View(std::vector<float>(16, 1));
  matrices.Node({});
  matrices.Skin({{"joints", {0}}, {"inverseBindMatrices", 0}});
  ExpectRefused(matrices.Glb());

  GltfBuilder keys;
  keys.Append("accessors", Zeros(400000000, "SCALAR"));
  keys.Append("accessors", Zeros(400000000));
  keys.Node({});
  keys.json["animations"] = {
      {{"samplers", {{{"input", 0}, {"output", 1}}}},
       {"channels", {{{"sampler", 0}, {"target", {{"node", 0}, {"path", "scale"}}}}}}}};
  ExpectRefused(keys.Glb());
}

TEST(GltfLimitsTest, ManyThatShareAFewBytes) {
  // Each takes its own copy of one accessor of 1.2 MB of zeros.
  GltfBuilder meshes;
  meshes.Append("accessors", Zeros(100000));
  for (int i = 0; i < 300; ++i) {
    meshes.Mesh({{"primitives", {{{"attributes", {{"POSITION", 0}}}, {"mode", 0}}}}});
  }
  ExpectRefused(meshes.Glb());

  GltfBuilder channels;
  channels.View(std::vector<float>(300000));
  channels.Append(
      "accessors",
      {{"bufferView", 0}, {"componentType", 5126}, {"count", 100000}, {"type", "SCALAR"}});
  channels.Append(
      "accessors",
      {{"bufferView", 0}, {"componentType", 5126}, {"count", 100000}, {"type", "VEC3"}});
  for (int i = 0; i < 200; ++i) {
    channels.Node({});
    channels.json["animations"][i] = {
        {"samplers", {{{"input", 0}, {"output", 1}}}},
        {"channels", {{{"sampler", 0}, {"target", {{"node", i}, {"path", "scale"}}}}}}};
  }
  ExpectRefused(channels.Glb());

  GltfBuilder images;
  images.View(std::vector<char>(1 << 20));
  for (int i = 0; i < 100; ++i) {
    images.Append("images", {{"bufferView", 0}});
    images.Append("textures", {{"source", i}});
    images.Append("materials", {{"pbrMetallicRoughness", {{"baseColorTexture", {{"index", i}}}}}});
  }
  ExpectRefused(images.Glb());
}

TEST(GltfLimitsTest, MorphTargetsByTheThousand) {
  GltfBuilder b;
  b.Append("accessors", Zeros(200000));
  std::vector<float> offsets(600000, 1.0f);
  const std::size_t target = b.Floats("VEC3", offsets);
  Json targets = Json::array();
  for (int i = 0; i < 1000; ++i) targets.push_back({{"POSITION", target}});
  b.Mesh(
      {{"primitives", {{{"attributes", {{"POSITION", 0}}}, {"mode", 0}, {"targets", targets}}}}});
  ExpectRefused(b.Glb());
}

TEST(GltfLimitsTest, BuffersThatClaimMoreThanThereIs) {
  GltfBuilder b;
  b.Mesh({{"primitives", {{{"attributes", {{"POSITION", b.Zigzag(3)}}}}}}});
  Json json = b.json;
  json["buffers"] = {{{"byteLength", 9007199254740991}, {"uri", "data:;base64,AAAA"}}};
  ExpectRefused(json.dump(), ErrorCode::kTruncated);

  json["buffers"] = {{{"byteLength", 100}, {"uri", "large.bin"}}};
  std::uint64_t asked = 0;
  const ResourceFn resources = [&](const std::string&, std::uint64_t max_bytes) {
    asked = max_bytes;
    return Result<std::vector<std::byte>>(Error{ErrorCode::kLimitExceeded, "too large", {}});
  };
  EXPECT_FALSE(Bounded(json.dump(), resources).ok());
  EXPECT_LT(asked, kBudget);
  EXPECT_GT(asked, kBudget / 2);
}

TEST(GltfLimitsTest, LongTextsAndManyValues) {
  const auto with = [](const std::string& member, const std::string& unit, std::size_t bytes,
                       const std::string& end) {
    std::string text = R"({"asset":{"version":"2.0"},")" + member + "\":";
    while (text.size() < bytes) text += unit;
    return text + end + "}";
  };
  ExpectRefused(with("extras", "[", 30000000, ""));
  ExpectRefused(with("extras", "[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0],", 1, "0") + "x",
                ErrorCode::kParse);
  ExpectRefused(with("extras", "", 0, "[" + std::string(2000000, '0') + "]"), ErrorCode::kParse);
  ExpectRefused(with("extras", "", 0, "[" + std::string(20000000, '0') + "]"));
  std::string values = "[0";
  for (int i = 0; i < 5000000; ++i) values += ",0";
  ExpectRefused(with("extras", "", 0, values + "]"));
  std::string nodes = "[{}";
  for (int i = 0; i < 1000000; ++i) nodes += ",{}";
  ExpectRefused(with("nodes", "", 0, nodes + "]"));
  std::string names = "[\"\"";
  for (int i = 0; i < 1000000; ++i) names += ",\"\"";
  ExpectRefused(with("extensionsUsed", "", 0, names + "]"));
  ExpectRefused(with("extras", "", 0, "\"" + std::string(40000000, 'x') + "\""));
}

// They fit as text, but not as text and bytes.
TEST(GltfLimitsTest, DataUrisThatFitOnlyUntilTheyAreDecoded) {
  GltfBuilder b;
  const std::string data = "data:;base64," + std::string(2200000, 'A');
  for (int i = 0; i < 12; ++i) {
    b.Append("buffers", {{"byteLength", 12}, {"uri", data}});
    b.Append("bufferViews", {{"buffer", i}, {"byteLength", 12}});
    b.Append("accessors",
             {{"bufferView", i}, {"componentType", 5126}, {"count", 1}, {"type", "VEC3"}});
    b.Mesh({{"primitives", {{{"attributes", {{"POSITION", i}}}, {"mode", 0}}}}});
  }
  const auto loaded = Bounded(b.json.dump());
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().code, ErrorCode::kLimitExceeded);
  EXPECT_EQ(loaded.error().place.element, "/buffers/8/uri");
}

TEST(GltfLimitsTest, DiagnosticsAreBounded) {
  GltfBuilder b;
  for (int i = 0; i < 5000; ++i) b.Node({{"rotation", {0, 0, 0, 2}}});
  const auto loaded = Bounded(b.Glb());
  ASSERT_TRUE(loaded.ok()) << loaded.error().ToString();
  EXPECT_LE(loaded->diagnostics.entries().size(), Diagnostics::kMaxEntries + 1);
  EXPECT_TRUE(loaded->diagnostics.Contains("TOO_MANY_DIAGNOSTICS"));
}

TEST(GltfLimitsTest, MeshoptThatClaimsBillions) {
  if (!gltf::HasMeshopt()) GTEST_SKIP() << "SKIPPED: a build without meshoptimizer";
  GltfBuilder b;
  b.View(std::vector<std::uint8_t>{0xa0, 0, 0, 0});
  const std::uint64_t count = 500000000;
  for (const char* mode : {"ATTRIBUTES", "TRIANGLES", "INDICES"}) {
    const std::uint64_t stride = std::string(mode) == "ATTRIBUTES" ? 8 : 4;
    GltfBuilder file = b;
    const std::uint64_t length = (count / 3 * 3) * stride;
    file.bin[0] = std::byte(std::string(mode) == "ATTRIBUTES"  ? 0xa0
                            : std::string(mode) == "TRIANGLES" ? 0xe1
                                                               : 0xd1);
    file.json["buffers"] = {{{"byteLength", 4}},
                            {{"byteLength", length},
                             {"extensions", {{"EXT_meshopt_compression", {{"fallback", true}}}}}}};
    file.json["bufferViews"] = {{{"buffer", 1},
                                 {"byteLength", length},
                                 {"extensions",
                                  {{"EXT_meshopt_compression",
                                    {{"buffer", 0},
                                     {"byteLength", 4},
                                     {"byteStride", stride},
                                     {"count", count / 3 * 3},
                                     {"mode", mode}}}}}}};
    file.Append("accessors",
                {{"bufferView", 0}, {"componentType", 5126}, {"count", 1}, {"type", "SCALAR"}});
    file.Node({});
    file.json["animations"] = {
        {{"samplers", {{{"input", 0}, {"output", 0}}}},
         {"channels", {{{"sampler", 0}, {"target", {{"node", 0}, {"path", "scale"}}}}}}}};
    ExpectRefused(file.Glb());
  }
}

/// An unsigned number as Draco writes it: seven bits at a time.
std::string Varint(std::uint64_t value) {
  std::string bytes;
  while (value >= 0x80) {
    bytes += static_cast<char>((value & 0x7f) | 0x80);
    value >>= 7;
  }
  return bytes + static_cast<char>(value);
}

TEST(GltfLimitsTest, DracoThatClaimsBillions) {
  if (!gltf::HasDraco()) GTEST_SKIP() << "SKIPPED: a build without Draco";
  const std::string sequential = std::string("DRACO\x02\x02\x01\x00\x00\x00", 11);
  const std::string edgebreaker = std::string("DRACO\x02\x02\x01\x01\x00\x00", 11) + '\0';
  const std::string padding(200, '\x01');
  const std::pair<std::string, ErrorCode> streams[] = {
      // faces, points
      {sequential + Varint(1000000000) + Varint(1000000000) + padding, ErrorCode::kLimitExceeded},
      {sequential + Varint(1) + Varint(4000000000) + padding, ErrorCode::kLimitExceeded},
      // vertices, faces
      {edgebreaker + Varint(1000000000) + Varint(1000000000) + padding, ErrorCode::kLimitExceeded},
      {edgebreaker + Varint(4) + Varint(1400000000) + padding, ErrorCode::kLimitExceeded},
      // 100 points, but 255 attributes of 255 components of 8 bytes each
      {sequential + Varint(0) + Varint(100000) + std::string("\x01\x01", 2) + padding,
       ErrorCode::kParse},
  };
  for (const auto& [stream, code] : streams) {
    GltfBuilder b;
    const std::size_t view = b.View(std::vector<char>(stream.begin(), stream.end()));
    b.Append("accessors", Zeros(3));
    b.Mesh({{"primitives",
             {{{"attributes", {{"POSITION", 0}}},
               {"extensions",
                {{"KHR_draco_mesh_compression",
                  {{"bufferView", view}, {"attributes", {{"POSITION", 0}}}}}}}}}}});
    ExpectRefused(b.Glb(), code);
  }
}

TEST(GltfLimitsTest, DracoAttributesAreAskedForBeforeTheyAreMade) {
  if (!gltf::HasDraco()) GTEST_SKIP() << "SKIPPED: a build without Draco";
  // Sequential, 22000 faces on 65000 points, plain 16-bit indices; one decoder of 20 attributes,
  // each generic, of 8-byte floats and 200 components: 65000 * 20 * 1600 bytes.
  std::string stream = std::string("DRACO\x02\x02\x01\x00\x00\x00", 11) + Varint(22000) +
                       Varint(65000) + '\x01' + std::string(22000 * 6, '\0');
  stream += std::string("\x01", 1) + Varint(20);
  for (char id = 0; id < 20; ++id) {
    stream += std::string("\x04\x0a", 2) + '\xc8' + '\0' + id;  // type, data type, components, ...
  }
  stream += std::string(20, '\0') + std::string(400, '\x01');
  MemoryBudget budget(kBudget);
  test::ResetPeakBytes();
  const std::size_t before = test::LiveBytes();
  const auto decoded = gltf::DracoMesh::Decode(test::Bytes(stream), budget);
  ASSERT_FALSE(decoded.ok());
  EXPECT_EQ(decoded.error().code, ErrorCode::kLimitExceeded) << decoded.error().ToString();
  EXPECT_LE(test::PeakBytes() - before, kBudget);
  EXPECT_EQ(budget.used(), 0u);
}

std::string ReadText(const std::string& relative) {
  const auto bytes = ReadFile(CorpusPath(relative), 1 << 24);
  EXPECT_TRUE(bytes.ok()) << bytes.error().ToString();
  return bytes.ok() ? std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size())
                    : std::string();
}

TEST(GltfTruncationTest, EveryTruncationIsAnErrorWithAPlace) {
  FLEXOR_REQUIRE_CORPUS();
  for (const char* file : {"gltf/khronos-sample/RiggedSimple/glTF-Binary/RiggedSimple.glb",
                           "gltf/khronos-sample/SimpleSkin/glTF-Embedded/SimpleSkin.gltf",
                           "gltf/vrm/usd-vrm/fixtures/vrm0_expressions.vrm"}) {
    const std::string text = ReadText(file);
    ASSERT_TRUE(LoadCharacterFromMemory(test::Bytes(text), file, {}, {}).ok());
    for (std::size_t length = 0; length < text.size(); ++length) {
      const std::string cut = text.substr(0, length);
      const auto loaded = LoadCharacterFromMemory(test::Bytes(cut), file, {}, {});
      ASSERT_FALSE(loaded.ok()) << file << " cut to " << length;
      EXPECT_EQ(loaded.error().place.path, file);
    }
  }
}

/// A GLB whose BIN chunk was cut and whose lengths agree with that.
TEST(GltfTruncationTest, EveryShorterBinaryChunkIsAnError) {
  FLEXOR_REQUIRE_CORPUS();
  const std::string glb = ReadText("gltf/vrm/usd-vrm/fixtures/minimal.vrm");
  const auto number = [](const std::string& bytes, std::size_t at) {
    std::size_t value = 0;
    for (std::size_t i = 4; i-- > 0;) {
      value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    }
    return value;
  };
  const std::size_t bin_header = 20 + number(glb, 12);
  const std::size_t bin_length = number(glb, bin_header);
  ASSERT_EQ(bin_header + 8 + bin_length, glb.size());
  for (std::size_t length = 0; length + 4 <= bin_length; ++length) {
    std::string cut = glb.substr(0, bin_header + 8 + length);
    cut.replace(8, 4, GltfBuilder::Number(cut.size()));
    cut.replace(bin_header, 4, GltfBuilder::Number(length));
    const auto loaded = LoadCharacterFromMemory(test::Bytes(cut), "cut.vrm", {}, {});
    ASSERT_FALSE(loaded.ok()) << length;
    EXPECT_EQ(loaded.error().code, ErrorCode::kTruncated);
    EXPECT_EQ(loaded.error().place.element, "/buffers/0");
  }
}

TEST(GltfTruncationTest, EveryShorterNeighbourIsAnError) {
  FLEXOR_REQUIRE_CORPUS();
  const std::string folder = "gltf/khronos-sample/RiggedSimple/glTF-Draco/";
  const std::string text = ReadText(folder + "RiggedSimple.gltf");
  const std::string bin = ReadText(folder + "RiggedSimple0.bin");
  for (std::size_t length = 0; length <= bin.size(); length += length + 7 < bin.size() ? 7 : 1) {
    const ResourceFn resources = [&](const std::string&, std::uint64_t) {
      const auto bytes = test::Bytes(bin).first(length);
      return Result<std::vector<std::byte>>(std::vector<std::byte>(bytes.begin(), bytes.end()));
    };
    const auto loaded =
        LoadCharacterFromMemory(test::Bytes(text), "RiggedSimple.gltf", resources, {});
    if (length == bin.size()) {
      EXPECT_EQ(loaded.ok(), gltf::HasDraco());
    } else {
      ASSERT_FALSE(loaded.ok()) << length;
      EXPECT_EQ(loaded.error().code, ErrorCode::kTruncated);
    }
  }
}

}  // namespace
}  // namespace flexor::io
