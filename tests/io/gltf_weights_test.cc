// Influences: sums, integer weights, any number of sets, damaged arrays.

#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flexor/asset/weights.h"

#include "support/gltf_builder.h"

namespace flexor::io {
namespace {

using test::FindDiagnostic;
using test::GltfBuilder;
using test::Json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A file with `joints` joints (nodes 1, 2, ...), joint j at (j, 0, 0), one skinned primitive with
/// the given attributes, and points in a zigzag.
GltfBuilder Rig(std::size_t vertices, std::size_t joints) {
  GltfBuilder b;
  const std::size_t position = b.Zigzag(vertices);
  b.Mesh({{"primitives", {{{"attributes", {{"POSITION", position}}}}}}});
  b.Node({{"mesh", 0}, {"skin", 0}});
  Json list = Json::array();
  for (std::size_t j = 0; j < joints; ++j) list.push_back(b.Node({{"translation", {j, 0, 0}}}));
  b.Skin({{"joints", list}});
  return b;
}

Json& Attributes(GltfBuilder& b, std::size_t primitive = 0) {
  return b.json["meshes"][0]["primitives"][primitive]["attributes"];
}

template <class J, class W>
void Bind(GltfBuilder& b, int set, const std::vector<J>& joints, const std::vector<W>& weights) {
  const std::string number = std::to_string(set);
  Attributes(b)["JOINTS_" + number] = b.Accessor("VEC4", joints);
  Attributes(b)["WEIGHTS_" + number] = b.Accessor("VEC4", weights, !std::is_same_v<W, float>);
}

using Bytes8 = std::vector<std::uint8_t>;
using Floats = std::vector<float>;

// Weights that sum to less than 1 are normalised.
TEST(GltfWeightsTest, SumsBelowOneAreKeptAndCounted) {
  GltfBuilder b = Rig(1, 2);
  Bind(b, 0, Bytes8{0, 1, 0, 0}, Floats{0.4f, 0.173f, 0, 0});
  const auto loaded = b.Load();
  ASSERT_TRUE(loaded.ok()) << loaded.error().ToString();
  EXPECT_THAT(loaded->character.meshes[0].influences.weights, ElementsAre(0.4f, 0.173f));
  EXPECT_EQ(FindDiagnostic(loaded->diagnostics, "WEIGHTS_NOT_NORMALIZED").count, 1u);
  const asset::Influences repaired =
      asset::RepairWeights(loaded->character.meshes[0].influences, asset::WeightPolicy(), nullptr);
  EXPECT_NEAR(repaired.weights[0] + repaired.weights[1], 1, 1e-6);
}

// The sum runs over all influence sets.
TEST(GltfWeightsTest, OneSumOverAllSets) {
  GltfBuilder b = Rig(1, 8);
  Bind(b, 0, Bytes8{0, 1, 2, 3}, Floats(4, 0.125f));
  Bind(b, 1, Bytes8{4, 5, 6, 7}, Floats(4, 0.125f));
  const auto loaded = b.Load();
  ASSERT_TRUE(loaded.ok()) << loaded.error().ToString();
  const auto& influences = loaded->character.meshes[0].influences;
  EXPECT_THAT(influences.joints, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_FALSE(loaded->diagnostics.Contains("WEIGHTS_NOT_NORMALIZED"));
}

// Integer weights become fractions once, and only once.
TEST(GltfWeightsTest, IntegerWeightsAreFractions) {
  GltfBuilder b = Rig(2, 4);
  Bind(b, 0, Bytes8{0, 1, 2, 0, 0, 0, 0, 0}, Bytes8{85, 85, 84, 0, 255, 0, 0, 0});
  const auto bytes = b.Load();
  ASSERT_TRUE(bytes.ok()) << bytes.error().ToString();
  EXPECT_THAT(bytes->character.meshes[0].influences.weights,
              ElementsAre(85 / 255.0f, 85 / 255.0f, 84 / 255.0f, 1.0f));
  EXPECT_THAT(bytes->character.meshes[0].influences.offsets, ElementsAre(0, 3, 4));
  // 254 / 255: the point moves by the whole of what its joints move.
  GltfBuilder moved = b;
  for (int node : {1, 2, 3, 4}) moved.json["nodes"][node]["translation"] = {100, 0, 0};
  const auto character = moved.Load();
  ASSERT_TRUE(character.ok());
  EXPECT_NEAR(test::RestPoints(character->character, 0)[0].x, 100, 1e-5);

  GltfBuilder shorts = Rig(1, 1);
  Bind(shorts, 0, std::vector<std::uint16_t>{0, 0, 0, 0},
       std::vector<std::uint16_t>{65535, 0, 0, 0});
  const auto loaded = shorts.Load();
  ASSERT_TRUE(loaded.ok());
  EXPECT_THAT(loaded->character.meshes[0].influences.weights, ElementsAre(1.0f));
}

TEST(GltfWeightsTest, IntegerWeightsWithoutTheFlagAreFractionsToo) {
  GltfBuilder b = Rig(1, 1);
  Attributes(b)["JOINTS_0"] = b.Accessor("VEC4", Bytes8{0, 0, 0, 0});
  Attributes(b)["WEIGHTS_0"] = b.Accessor("VEC4", Bytes8{255, 0, 0, 0}, false);
  const auto loaded = b.Load();
  ASSERT_TRUE(loaded.ok()) << loaded.error().ToString();
  EXPECT_THAT(loaded->character.meshes[0].influences.weights, ElementsAre(1.0f));
  EXPECT_TRUE(loaded->diagnostics.Contains("MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_INVALID_FORMAT"));
}

// Vertices whose weights are all zero follow the policy.
TEST(GltfWeightsTest, VerticesWithoutWeightHaveNoInfluences) {
  GltfBuilder b = Rig(4, 3);
  Bind(b, 0, Bytes8{0, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0},
       Floats{1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0});
  const auto loaded = b.Load();
  ASSERT_TRUE(loaded.ok());
  EXPECT_THAT(loaded->character.meshes[0].influences.offsets, ElementsAre(0, 1, 1, 2, 3));
  const Diagnostic zero = FindDiagnostic(loaded->diagnostics, "WEIGHTS_ZERO_SUM");
  EXPECT_EQ(zero.count, 1u);
  EXPECT_EQ(zero.where, "/meshes/0");
}

// Negative weights are clamped, then the rest is normalised.
TEST(GltfWeightsTest, NegativeWeightsAreKeptAndReported) {
  GltfBuilder b = Rig(1, 2);
  Bind(b, 0, Bytes8{0, 1, 0, 0}, Floats{1.2f, -0.2f, 0, 0});
  const auto loaded = b.Load();
  ASSERT_TRUE(loaded.ok());
  EXPECT_THAT(loaded->character.meshes[0].influences.weights, ElementsAre(1.2f, -0.2f));
  EXPECT_TRUE(loaded->diagnostics.Contains("WEIGHTS_NEGATIVE"));
}

// The same joint numbers in every component type and stride.
TEST(GltfWeightsTest, SameRigInEveryWayToStoreJoints) {
  const auto influences = [](auto store, std::size_t joints) {
    GltfBuilder b = Rig(2, joints);
    store(b);
    auto loaded = b.Load();
    EXPECT_TRUE(loaded.ok()) << loaded.error().ToString();
    return loaded.ok() ? loaded->character.meshes[0].influences : asset::Influences();
  };
  const Floats weights = {0.5f, 0.5f, 0, 0, 1, 0, 0, 0};
  const auto tight =
      influences([&](GltfBuilder& b) { Bind(b, 0, Bytes8{0, 1, 0, 0, 2, 0, 0, 0}, weights); }, 3);
  EXPECT_THAT(tight.joints, ElementsAre(0, 1, 2));
  const auto shorts = influences(
      [&](GltfBuilder& b) {
        Bind(b, 0, std::vector<std::uint16_t>{0, 1, 0, 0, 2, 0, 0, 0}, weights);
      },
      3);
  const auto interleaved = influences(
      [&](GltfBuilder& b) {
        Bytes8 bytes(40, 0x77);
        const Bytes8 first = {0, 1, 0, 0}, second = {2, 0, 0, 0};
        std::copy(first.begin(), first.end(), bytes.begin() + 16);
        std::copy(second.begin(), second.end(), bytes.begin() + 36);
        const std::size_t view = b.View(bytes, 20);
        Attributes(b)["JOINTS_0"] = b.Append("accessors", {{"bufferView", view},
                                                           {"byteOffset", 16},
                                                           {"componentType", 5121},
                                                           {"count", 2},
                                                           {"type", "VEC4"}});
        Attributes(b)["WEIGHTS_0"] = b.Floats("VEC4", weights);
      },
      3);
  for (const auto* other : {&shorts, &interleaved}) {
    EXPECT_EQ(other->joints, tight.joints);
    EXPECT_EQ(other->weights, tight.weights);
    EXPECT_EQ(other->offsets, tight.offsets);
  }
  const auto many = influences(
      [&](GltfBuilder& b) {
        Bind(b, 0, std::vector<std::uint16_t>{0, 300, 0, 0, 2, 0, 0, 0}, weights);
      },
      301);
  EXPECT_THAT(many.joints, ElementsAre(0, 300, 2));
}

// Sparse accessors.
TEST(GltfWeightsTest, SparseWeightsOverZeros) {
  GltfBuilder b = Rig(4, 1);
  const std::size_t indices = b.View(Bytes8{1, 3});
  const std::size_t values = b.View(Floats{1, 0, 0, 0, 0.5f, 0, 0, 0});
  Attributes(b)["JOINTS_0"] = b.Accessor("VEC4", Bytes8(16, 0));
  Attributes(b)["WEIGHTS_0"] =
      b.Append("accessors", {{"componentType", 5126},
                             {"count", 4},
                             {"type", "VEC4"},
                             {"sparse",
                              {{"count", 2},
                               {"indices", {{"bufferView", indices}, {"componentType", 5121}}},
                               {"values", {{"bufferView", values}}}}}});
  const auto loaded = b.Load();
  ASSERT_TRUE(loaded.ok()) << loaded.error().ToString();
  EXPECT_THAT(loaded->character.meshes[0].influences.offsets, ElementsAre(0, 0, 1, 1, 2));
  EXPECT_THAT(loaded->character.meshes[0].influences.weights, ElementsAre(1.0f, 0.5f));
}

// Any number of sets.
TEST(GltfWeightsTest, TwentyInfluencesInFiveSets) {
  GltfBuilder b = Rig(3, 20);
  for (std::uint8_t set = 0; set < 5; ++set) {
    Bytes8 joints;
    for (int v = 0; v < 3; ++v) {
      for (std::uint8_t k = 0; k < 4; ++k) {
        joints.push_back(static_cast<std::uint8_t>(set * 4 + k));
      }
    }
    Bind(b, set, joints, Floats(12, 0.05f));
  }
  const auto loaded = b.Load();
  ASSERT_TRUE(loaded.ok()) << loaded.error().ToString();
  const auto& influences = loaded->character.meshes[0].influences;
  EXPECT_THAT(influences.offsets, ElementsAre(0, 20, 40, 60));
  for (std::uint32_t i = 0; i < 60; ++i) EXPECT_EQ(influences.joints[i], i % 20);
}

Error LoadError(const GltfBuilder& b) {
  const auto loaded = b.Load();
  EXPECT_FALSE(loaded.ok());
  return loaded.ok() ? Error{} : loaded.error();
}

// JOINTS and WEIGHTS must be as long as POSITION.
TEST(GltfWeightsTest, CountsThatDifferAndSetsThatMiss) {
  GltfBuilder counts = Rig(10, 1);
  Attributes(counts)["JOINTS_0"] = counts.Accessor("VEC4", Bytes8(16, 0));
  Attributes(counts)["WEIGHTS_0"] = counts.Floats("VEC4", Floats(40, 0.25f));
  const Error four = LoadError(counts);
  EXPECT_EQ(four.code, ErrorCode::kShapeMismatch);
  EXPECT_EQ(four.place.element, "/meshes/0/primitives/0/attributes/JOINTS_0");
  EXPECT_THAT(four.message, HasSubstr("4 elements"));
  EXPECT_THAT(four.message, HasSubstr("has 10"));

  GltfBuilder missing = Rig(2, 1);
  Attributes(missing)["JOINTS_0"] = missing.Accessor("VEC4", Bytes8(8, 0));
  const Error weights = LoadError(missing);
  EXPECT_EQ(weights.place.element, "/meshes/0/primitives/0/attributes");
  EXPECT_THAT(weights.message, HasSubstr("1 JOINTS sets, but 0 WEIGHTS sets"));

  GltfBuilder gap = Rig(1, 1);
  Bind(gap, 0, Bytes8(4, 0), Floats(4, 0.125f));
  Bind(gap, 2, Bytes8(4, 0), Floats(4, 0.125f));
  EXPECT_THAT(LoadError(gap).message, HasSubstr("no JOINTS_1"));
}

TEST(GltfWeightsTest, WrongTypes) {
  GltfBuilder floats = Rig(1, 1);
  Attributes(floats)["JOINTS_0"] = floats.Floats("VEC4", Floats(4, 0));
  Attributes(floats)["WEIGHTS_0"] = floats.Floats("VEC4", Floats(4, 0.25f));
  EXPECT_EQ(LoadError(floats).place.element, "/meshes/0/primitives/0/attributes/JOINTS_0");
  GltfBuilder three = Rig(1, 1);
  Attributes(three)["JOINTS_0"] = three.Accessor("VEC4", Bytes8(4, 0));
  Attributes(three)["WEIGHTS_0"] = three.Floats("VEC3", Floats(3, 0.25f));
  EXPECT_THAT(LoadError(three).message, HasSubstr("VEC3, but must be VEC4"));
}

// Numbers that are not finite.
TEST(GltfWeightsTest, NanWeight) {
  GltfBuilder b = Rig(2, 1);
  Floats weights(8, 0.25f);
  weights[6] = std::numeric_limits<float>::quiet_NaN();
  Bind(b, 0, Bytes8(8, 0), weights);
  const Error error = LoadError(b);
  EXPECT_EQ(error.code, ErrorCode::kInvalidValue);
  EXPECT_EQ(error.place.element, "/meshes/0/primitives/0/attributes/WEIGHTS_0");
  EXPECT_THAT(error.message, HasSubstr("element 1, component 2"));
}

TEST(GltfWeightsTest, PrimitiveWithoutJointsBesideOneWithThem) {
  GltfBuilder b = Rig(2, 1);
  Bind(b, 0, Bytes8(8, 0), Floats{1, 0, 0, 0, 1, 0, 0, 0});
  b.json["meshes"][0]["primitives"].push_back({{"attributes", {{"POSITION", b.Zigzag(3)}}}});
  const auto loaded = b.Load();
  ASSERT_TRUE(loaded.ok()) << loaded.error().ToString();
  EXPECT_THAT(loaded->character.meshes[0].influences.offsets, ElementsAre(0, 1, 2, 2, 2, 2));
  EXPECT_EQ(FindDiagnostic(loaded->diagnostics, "MESH_PRIMITIVE_WITHOUT_JOINTS").where,
            "/meshes/0/primitives/1/attributes");
}

}  // namespace
}  // namespace flexor::io
