// The data behind a document: each rule broken once, in a file in which nothing else is wrong.
#include <functional>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/check_support.h"

namespace flexor::io {
namespace {

using test::Check;
using test::Find;
using test::GltfFile;
using test::Json;
using test::Said;
using test::SkinnedFile;
using test::SkinnedFileParts;
using ::testing::Contains;
using ::testing::HasSubstr;

constexpr const char* kAttributes = "/meshes/0/primitives/0/attributes/";

TEST(CheckData, TheFileToBreakIsWhole) {
  const CheckReport report = Check(SkinnedFile().Glb());
  EXPECT_EQ(report.format, "GLB 2.0");
  EXPECT_EQ(Said(report), (std::multiset<std::string>{"UNUSED_MESH_TANGENT " +
                                                      std::string(kAttributes) + "TANGENT"}));
}

struct Break {
  const char* name;
  std::function<void(GltfFile&, const SkinnedFileParts&)> apply;
  std::vector<std::string> expected;  ///< "CODE where", each of which must be said
  std::vector<std::string> words;     ///< in the message of the first
  std::uint64_t count = 1;            ///< of the first
};

class CheckDataBreak : public ::testing::TestWithParam<Break> {};

TEST_P(CheckDataBreak, IsFound) {
  const Break& broken = GetParam();
  SkinnedFileParts parts{};
  GltfFile file = SkinnedFile(&parts);
  broken.apply(file, parts);
  const CheckReport report = Check(file.Glb());
  for (const std::string& expected : broken.expected) {
    EXPECT_THAT(Said(report), Contains(expected));
  }
  const std::string code = broken.expected[0].substr(0, broken.expected[0].find(' '));
  const Diagnostic* finding = Find(report, code);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->count, broken.count);
  for (const std::string& word : broken.words) EXPECT_THAT(finding->message, HasSubstr(word));
}

std::string At(const char* code, const char* attribute) {
  return std::string(code) + " " + kAttributes + attribute;
}

const Break kBreaks[] = {
    {"NotFinite",
     [](GltfFile& f, const SkinnedFileParts& p) {
       f.Set(p.normals, 4, std::numeric_limits<float>::quiet_NaN());
       f.Set(p.normals, 5, std::numeric_limits<float>::infinity());
     },
     {"ACCESSOR_INVALID_FLOAT /accessors/1"},
     {"component 4", "not a number"},
     2},
    {"MaxTooSmall",
     [](GltfFile& f, const SkinnedFileParts& p) { f.Set(p.positions, 3, 5.0f); },
     {"ACCESSOR_MAX_MISMATCH /accessors/0/max/0",
      "ACCESSOR_ELEMENT_OUT_OF_MAX_BOUND /accessors/0/max/0"},
     {"1", "5"}},
    {"MinTooLow",
     [](GltfFile& f, const SkinnedFileParts& p) {
       f.json["accessors"][p.positions]["min"][1] = -3;
     },
     {"ACCESSOR_MIN_MISMATCH /accessors/0/min/1"},
     {"-3", "0"}},
    {"NormalNotUnit",
     [](GltfFile& f, const SkinnedFileParts& p) { f.Set(p.normals, 2, 0.9f); },
     {At("ACCESSOR_VECTOR3_NON_UNIT", "NORMAL")},
     {"vector 0", "0.9"}},
    {"TangentSign",
     [](GltfFile& f, const SkinnedFileParts& p) { f.Set(p.tangents, 7, 0.5f); },
     {At("ACCESSOR_INVALID_SIGN", "TANGENT")},
     {"tangent 1", "0.5"}},
    {"TangentNotUnit",
     [](GltfFile& f, const SkinnedFileParts& p) { f.Set(p.tangents, 8, 2.0f); },
     {At("ACCESSOR_VECTOR3_NON_UNIT", "TANGENT")},
     {"vector 2"}},
    {"JointOutside",
     [](GltfFile& f, const SkinnedFileParts& p) {
       f.Set(p.joints, 1, std::uint8_t{2});
       f.Set(p.joints, 5, std::uint8_t{200});
     },
     {At("ACCESSOR_JOINTS_INDEX_OOB", "JOINTS_0")},
     {"vertex 0", "joint 2", "only 2", "skin 0"},
     2},
    {"JointTwice",
     [](GltfFile& f, const SkinnedFileParts& p) { f.Set(p.joints, 1, std::uint8_t{0}); },
     {At("ACCESSOR_JOINTS_INDEX_DUPLICATE", "JOINTS_0")},
     {"vertex 0, component 1", "joint 0"}},
    {"JointWithoutWeight",
     [](GltfFile& f, const SkinnedFileParts& p) { f.Set(p.joints, 11, std::uint8_t{1}); },
     {At("ACCESSOR_JOINTS_USED_ZERO_WEIGHT", "JOINTS_0")},
     {"vertex 2, component 3"}},
    {"WeightNegative",
     [](GltfFile& f, const SkinnedFileParts& p) {
       f.Set(p.weights, 0, 1.5f);
       f.Set(p.weights, 1, -0.5f);
     },
     {At("ACCESSOR_WEIGHTS_NEGATIVE", "WEIGHTS_0"),
      At("ACCESSOR_WEIGHTS_NON_NORMALIZED", "WEIGHTS_0")},
     {"vertex 0, component 1", "-0.5"}},
    {"WeightsDoNotSum",
     [](GltfFile& f, const SkinnedFileParts& p) {
       f.Set(p.weights, 0, 0.25f);
       f.Set(p.weights, 8, 0.999f);
     },
     {At("ACCESSOR_WEIGHTS_NON_NORMALIZED", "WEIGHTS_0")},
     {"vertex 0", "0.75"},
     2},
    {"IndexOutside",
     [](GltfFile& f, const SkinnedFileParts& p) { f.Set(p.indices, 5, std::uint16_t{4}); },
     {"ACCESSOR_INDEX_OOB /meshes/0/primitives/0/indices"},
     {"index 5", "vertex 4 of only 4"}},
    {"IndexRestart",
     [](GltfFile& f, const SkinnedFileParts& p) { f.Set(p.indices, 0, std::uint16_t{65535}); },
     {"ACCESSOR_INDEX_PRIMITIVE_RESTART /meshes/0/primitives/0/indices"},
     {"65535"}},
    {"TriangleDegenerate",
     [](GltfFile& f, const SkinnedFileParts& p) { f.Set(p.indices, 0, std::uint16_t{1}); },
     {"ACCESSOR_INDEX_TRIANGLE_DEGENERATE /meshes/0/primitives/0/indices"},
     {"1 of 2"}},
    {"InverseBindTransposed",
     [](GltfFile& f, const SkinnedFileParts& p) {
       f.Set(p.inverse_binds, 3, 2.0f);
       f.Set(p.inverse_binds, 15, 0.5f);
     },
     {"ACCESSOR_INVALID_IBM /skins/0/inverseBindMatrices"},
     {"matrix 0", "0 0 0 1", "transposed"},
     2},
    {"KeyTimesBackwards",
     [](GltfFile& f, const SkinnedFileParts& p) { f.Set(p.times, 1, 2.0f); },
     {"ACCESSOR_ANIMATION_INPUT_NON_INCREASING /animations/0/samplers/0/input"},
     {"key 2", "2"}},
    {"KeyTimeNegative",
     [](GltfFile& f, const SkinnedFileParts& p) { f.Set(p.times, 0, -1.0f); },
     {"ACCESSOR_ANIMATION_INPUT_NEGATIVE /animations/0/samplers/0/input",
      "ACCESSOR_MIN_MISMATCH /accessors/7/min/0"},
     {"key 0", "-1"}},
    {"RotationNotUnit",
     [](GltfFile& f, const SkinnedFileParts& p) { f.Set(p.rotations, 3, 2.0f); },
     {"ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION "
      "/animations/0/channels/0/sampler"},
     {"rotation 0", "length 2"}},
    {"BinTooShort",
     [](GltfFile& f, const SkinnedFileParts&) {
       f.json["buffers"] = {{{"byteLength", f.data.size() + 100}}};
     },
     {"BUFFER_BYTE_LENGTH_MISMATCH /buffers/0"},
     {}},
    {"BinTooLong",
     [](GltfFile& f, const SkinnedFileParts&) {
       f.json["buffers"] = {{{"byteLength", f.data.size()}}};
       f.data += std::string(8, '\0');
     },
     {"BUFFER_GLB_CHUNK_TOO_BIG /buffers/0"},
     {}},
    {"ColourOutside",
     [](GltfFile& f, const SkinnedFileParts&) {
       const auto colors =
           f.Add(std::vector<float>{0, 0, 0, 1, 1, 1, 0, 2, 0, 0, -1, 0}, "VEC3", 5126, 34962);
       f.json["meshes"][0]["primitives"][0]["attributes"]["COLOR_0"] = colors;
     },
     {At("ACCESSOR_NON_CLAMPED", "COLOR_0")},
     {"component 7", "2"},
     2},
};

INSTANTIATE_TEST_SUITE_P(All, CheckDataBreak, ::testing::ValuesIn(kBreaks),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(CheckData, OneSumRunsOverAllSets) {
  // Eight weights of 1/8 in two sets are whole; each set alone would be half.
  GltfFile file = SkinnedFile();
  const std::vector<float> eighths(16, 0.125f);
  std::vector<std::uint8_t> first, second, all;
  for (int v = 0; v < 4; ++v) {
    for (int j = 0; j < 4; ++j) first.push_back(static_cast<std::uint8_t>(j));
    for (int j = 4; j < 8; ++j) second.push_back(static_cast<std::uint8_t>(j));
  }
  Json& attributes = file.json["meshes"][0]["primitives"][0]["attributes"];
  attributes["JOINTS_0"] = file.Add(first, "VEC4", 5121, 34962);
  attributes["WEIGHTS_0"] = file.Add(eighths, "VEC4", 5126, 34962);
  attributes["JOINTS_1"] = file.Add(second, "VEC4", 5121, 34962);
  attributes["WEIGHTS_1"] = file.Add(eighths, "VEC4", 5126, 34962);
  file.json["nodes"] = {{{"mesh", 0}, {"skin", 0}}};
  Json joints = Json::array();
  Json children = Json::array();
  for (int j = 1; j <= 8; ++j) {
    if (j > 1) children.push_back(j);
    joints.push_back(j);
    file.json["nodes"].push_back({{"name", std::to_string(j)}});
  }
  file.json["nodes"][1]["children"] = children;
  file.json["skins"] = {{{"joints", joints}}};
  EXPECT_EQ(Find(Check(file.Glb()), "ACCESSOR_WEIGHTS_NON_NORMALIZED"), nullptr);
  file.json["meshes"][0]["primitives"][0]["attributes"].erase("JOINTS_1");
  file.json["meshes"][0]["primitives"][0]["attributes"].erase("WEIGHTS_1");
  EXPECT_NE(Find(Check(file.Glb()), "ACCESSOR_WEIGHTS_NON_NORMALIZED"), nullptr);
}

TEST(CheckData, QuantisedWeightsMustSumExactly) {
  for (const int last : {85, 84}) {
    GltfFile file = SkinnedFile();
    std::vector<std::uint8_t> weights;
    for (int v = 0; v < 4; ++v) {
      for (const int w : {170, last, 0, 0}) weights.push_back(static_cast<std::uint8_t>(w));
    }
    const auto accessor = file.Add(weights, "VEC4", 5121, 34962);
    file.json["accessors"][accessor]["normalized"] = true;
    const auto joints =
        file.Add(std::vector<std::uint8_t>{0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0}, "VEC4",
                 5121, 34962);
    Json& attributes = file.json["meshes"][0]["primitives"][0]["attributes"];
    attributes["WEIGHTS_0"] = accessor;
    attributes["JOINTS_0"] = joints;
    const CheckReport report = Check(file.Glb());
    EXPECT_EQ(Find(report, "ACCESSOR_WEIGHTS_NON_NORMALIZED") != nullptr, last == 84) << last;
  }
}

TEST(CheckData, SparseIndicesMustGrowAndExist) {
  SkinnedFileParts parts{};
  GltfFile file = SkinnedFile(&parts);
  const auto indices = file.Add(std::vector<std::uint16_t>{2, 1, 9}, "SCALAR", 5123, 0);
  const auto values = file.Add(std::vector<float>(9, 0.5f), "VEC3", 5126, 0);
  file.json["accessors"][parts.normals]["sparse"] = {
      {"count", 3},
      {"indices", {{"bufferView", indices}, {"componentType", 5123}}},
      {"values", {{"bufferView", values}}}};
  const CheckReport report = Check(file.Glb());
  EXPECT_THAT(Said(report), Contains("ACCESSOR_SPARSE_INDICES_NON_INCREASING /accessors/1/sparse"));
  EXPECT_THAT(Said(report), Contains("ACCESSOR_SPARSE_INDEX_OOB /accessors/1/sparse"));
  EXPECT_THAT(Find(report, "ACCESSOR_SPARSE_INDEX_OOB")->message, HasSubstr("element 9 of only 4"));
}

TEST(CheckData, ValuesOfSparseAccessorsAreJudgedAfterReplacement) {
  SkinnedFileParts parts{};
  GltfFile file = SkinnedFile(&parts);
  const auto indices = file.Add(std::vector<std::uint8_t>{1, 3}, "SCALAR", 5121, 0);
  const auto values = file.Add(std::vector<float>{0, 0, 3, 0, 1, 0}, "VEC3", 5126, 0);
  file.json["accessors"][parts.normals]["sparse"] = {
      {"count", 2},
      {"indices", {{"bufferView", indices}, {"componentType", 5121}}},
      {"values", {{"bufferView", values}}}};
  const CheckReport report = Check(file.Glb());
  const Diagnostic* finding = Find(report, "ACCESSOR_VECTOR3_NON_UNIT");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->count, 1u);
  EXPECT_THAT(finding->message, HasSubstr("vector 1 is of length 3"));
}

TEST(CheckData, OnlyTheMiddleOfACubicKeyIsARotation) {
  SkinnedFileParts parts{};
  GltfFile file = SkinnedFile(&parts);
  std::vector<float> keys(36, 0);
  for (std::size_t k = 0; k < 3; ++k) keys[12 * k + 7] = 1;
  const auto cubic = file.Add(keys, "VEC4", 5126, 0);
  file.json["animations"][0]["samplers"][0]["output"] = cubic;
  file.json["animations"][0]["samplers"][0]["interpolation"] = "CUBICSPLINE";
  constexpr const char* kCode = "ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION";
  EXPECT_EQ(Find(Check(file.Glb()), kCode), nullptr);
  file.Set(cubic, 19, 0.0f);
  const CheckReport report = Check(file.Glb());
  ASSERT_NE(Find(report, kCode), nullptr);
  EXPECT_THAT(Find(report, kCode)->message, HasSubstr("rotation 4"));
}

TEST(CheckData, NormalizedIntegersAreFractions) {
  SkinnedFileParts parts{};
  GltfFile file = SkinnedFile(&parts);
  file.json["extensionsUsed"] = {"KHR_mesh_quantization"};
  file.json["extensionsRequired"] = {"KHR_mesh_quantization"};
  std::vector<std::int8_t> normals;
  for (int v = 0; v < 4; ++v) {
    for (const int n : {0, 0, 127, 0}) normals.push_back(static_cast<std::int8_t>(n));
  }
  const auto accessor = file.Add(normals, "VEC4", 5120, 34962);
  Json& entry = file.json["accessors"][accessor];
  entry["type"] = "VEC3";
  entry["normalized"] = true;
  file.json["bufferViews"][entry["bufferView"].get<std::size_t>()]["byteStride"] = 4;
  file.json["meshes"][0]["primitives"][0]["attributes"]["NORMAL"] = accessor;
  EXPECT_EQ(Find(Check(file.Glb()), "ACCESSOR_VECTOR3_NON_UNIT"), nullptr);
  file.Set(accessor, 6, std::int8_t{100});
  EXPECT_NE(Find(Check(file.Glb()), "ACCESSOR_VECTOR3_NON_UNIT"), nullptr);
}

TEST(CheckData, ExternalFilesAreFetchedOnceAndMissedAloud) {
  GltfFile file = SkinnedFile();
  file.json["buffers"] = {{{"byteLength", file.data.size()}, {"uri", "a%20b.bin"}}};
  const std::string text = file.json.dump();
  std::vector<std::string> asked;
  const ResourceFn give = [&](const std::string& name,
                              std::uint64_t) -> Result<std::vector<std::byte>> {
    asked.push_back(name);
    const auto bytes = std::as_bytes(std::span(file.data));
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  };
  EXPECT_EQ(Said(Check(text, {}, give)).size(), 1u);
  // Once by the check, once by the load after it.
  EXPECT_EQ(asked, (std::vector<std::string>{"a b.bin", "a b.bin"}));

  const ResourceFn refuse = [](const std::string& name,
                               std::uint64_t) -> Result<std::vector<std::byte>> {
    return Error{ErrorCode::kFileNotFound, "no such file", {name, {}, {}}};
  };
  for (const ResourceFn& resources : {refuse, ResourceFn()}) {
    const CheckReport report = Check(text, {}, resources);
    EXPECT_THAT(Said(report), Contains("IO_ERROR /buffers/0/uri"));
    EXPECT_THAT(Find(report, "IO_ERROR")->message, HasSubstr("a b.bin"));
    EXPECT_NE(Find(report, "LOAD_REFUSED"), nullptr);
  }
}

TEST(CheckData, ReferencesOutOfTheFolderAreNotFollowed) {
  for (const char* uri :
       {"../secret.bin", "/etc/passwd", "file:///etc/passwd", "a/../../b", "%2e%2e/x"}) {
    GltfFile file = SkinnedFile();
    file.json["buffers"] = {{{"byteLength", file.data.size()}, {"uri", uri}}};
    bool asked = false;
    const ResourceFn spy = [&](const std::string&,
                               std::uint64_t) -> Result<std::vector<std::byte>> {
      asked = true;
      return std::vector<std::byte>(4096);
    };
    const CheckReport report = Check(file.json.dump(), {}, spy);
    EXPECT_FALSE(asked) << uri;
    EXPECT_THAT(Said(report), Contains("IO_ERROR /buffers/0/uri")) << uri;
  }
}

TEST(CheckData, DataUrisAreJudgedToo) {
  const auto check = [](const char* uri, std::size_t length) {
    const Json json{{"asset", {{"version", "2.0"}}},
                    {"buffers", {{{"byteLength", length}, {"uri", uri}}}}};
    return Check(json.dump());
  };
  EXPECT_EQ(Said(check("data:application/octet-stream;base64,AAAA", 3)),
            (std::multiset<std::string>{"UNUSED_OBJECT /buffers/0"}));
  EXPECT_THAT(Said(check("data:application/octet-stream;base64,AAAA", 4)),
              Contains("BUFFER_BYTE_LENGTH_MISMATCH /buffers/0"));
  EXPECT_THAT(Said(check("data:text/plain;base64,AAAA", 3)),
              Contains("BUFFER_DATA_URI_MIME_TYPE_INVALID /buffers/0/uri"));
  EXPECT_THAT(Said(check("data:application/octet-stream;base64,A%%A", 3)),
              Contains("INVALID_URI /buffers/0/uri"));
}

}  // namespace
}  // namespace flexor::io
