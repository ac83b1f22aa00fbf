// Real files made by others: valid ones load, broken ones say what is broken and where, and the
// forms of one model agree.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flexor/math/aabb.h"

#include "io/gltf/draco.h"
#include "io/gltf/meshopt.h"
#include "support/corpus.h"
#include "support/gltf_builder.h"

namespace flexor::io {
namespace {

namespace fs = std::filesystem;
using test::CorpusPath;
using test::Json;
using test::RestPoints;

std::vector<std::string> GltfFiles() {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(CorpusPath("gltf"))) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".gltf" || extension == ".glb" || extension == ".vrm" ||
        extension == ".vrma") {
      files.push_back(fs::relative(entry.path(), CorpusPath("gltf")).string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// Files that cannot be read, and why.
const std::map<std::string, ErrorCode> kUnreadable = {
    {"cgltf/data/BadBasisU.gltf", ErrorCode::kParse},           // not JSON
    {"cgltf/data/WaterBottle.gltf", ErrorCode::kFileNotFound},  // came without its buffer
    {"fastgltf/empty_json.gltf", ErrorCode::kInvalidValue},     // {} has no asset
    {"tinygltf/models/BoundsChecking/integer-out-of-bounds.gltf", ErrorCode::kInvalidValue},
    {"tinygltf/models/BoundsChecking/invalid-buffer-index.gltf", ErrorCode::kIndexOutOfRange},
    {"tinygltf/models/BoundsChecking/invalid-buffer-view-index.gltf", ErrorCode::kIndexOutOfRange},
    {"tinygltf/models/BoundsChecking/invalid-primitive-indices.gltf", ErrorCode::kIndexOutOfRange},
    {"tinygltf/models/regression/unassigned-skeleton.gltf",
     ErrorCode::kInvalidValue},  // its first inverse bind matrix is stray memory
    {"tinygltf/tests/issue-416.gltf", ErrorCode::kUnsupportedFeature},  // version ""
    {"vrm/usd-vrm/fixtures/invalid.vrm", ErrorCode::kUnknownFormat},
};

bool NeedsMissingCodec(const std::string& file) {
  return (!gltf::HasDraco() && file.find("-Draco/") != std::string::npos) ||
         (!gltf::HasMeshopt() &&
          (file.find("meshopt-no-fallback") != std::string::npos ||
           file.find("BoxMeshopt") != std::string::npos || file == "meshopt/fuzz.glb"));
}

// Files of the validator are the next test's, primitive restart the one after.
TEST(GltfCorpusTest, EveryValidFileLoadsAndEveryOtherIsNamed) {
  FLEXOR_REQUIRE_CORPUS();
  std::size_t loaded_count = 0;
  std::set<std::string> refused;
  for (const std::string& file : GltfFiles()) {
    if (file.starts_with("validator/") || file.find("PrimitiveRestart") != std::string::npos)
      continue;
    const auto loaded = LoadCharacter(CorpusPath("gltf/" + file));
    const auto known = kUnreadable.find(file);
    if (NeedsMissingCodec(file)) {
      ASSERT_FALSE(loaded.ok()) << file;
      EXPECT_EQ(loaded.error().code, ErrorCode::kUnsupportedFeature) << file;
    } else if (known == kUnreadable.end()) {
      EXPECT_TRUE(loaded.ok()) << loaded.error().ToString();
      ++loaded_count;
    } else {
      ASSERT_FALSE(loaded.ok()) << file;
      EXPECT_EQ(loaded.error().code, known->second) << loaded.error().ToString();
      EXPECT_FALSE(loaded.error().message.empty());
      EXPECT_NE(loaded.error().place.path.find(file), std::string::npos);
      refused.insert(file);
    }
  }
  EXPECT_GE(loaded_count, 110u);
  EXPECT_EQ(refused.size(), kUnreadable.size());
}

/// Rules of the validator that do not bear on what is read; `flexor check` knows them.
const std::set<std::string> kOnlyForTheCheck = {
    "mesh/accessor_attribute_uint32",  // the type of an attribute with a name of one's own
    "mesh/accessor_unaligned",         // alignment of COLOR_0, which is not read
    "skin/no_common_root",             // separate roots are read all the same
    "skin/no_joints_in_scene",         // joints outside the scene move their mesh all the same
    "skin/skeleton_invalid",           // `skeleton` has no part in the maths
};
TEST(GltfCorpusTest, FilesOfTheValidator) {
  FLEXOR_REQUIRE_CORPUS();
  std::size_t valid = 0, broken = 0;
  for (const std::string& file : GltfFiles()) {
    if (!file.starts_with("validator/")) continue;
    const std::string path = CorpusPath("gltf/" + file);
    std::ifstream report_file(path + ".report.json");
    const Json report = Json::parse(report_file);
    const bool has_errors = report["issues"]["numErrors"] != 0;
    const auto loaded = LoadCharacter(path);
    const std::string name = file.substr(10, file.size() - 10 - 5);
    if (!has_errors) {
      ++valid;
      ASSERT_TRUE(loaded.ok()) << loaded.error().ToString();
      EXPECT_EQ(loaded->diagnostics.Count(Severity::kError), 0u) << file;
      continue;
    }
    ++broken;
    if (!loaded.ok()) {
      EXPECT_FALSE(loaded.error().place.element.empty()) << file;
      EXPECT_FALSE(kOnlyForTheCheck.contains(name)) << file << " needs no exception";
      continue;
    }
    bool named = false;
    for (const Diagnostic& entry : loaded->diagnostics.entries()) {
      named = named || (entry.severity == Severity::kError && !entry.where.empty());
    }
    EXPECT_NE(named, kOnlyForTheCheck.contains(name)) << file;
  }
  EXPECT_EQ(valid, 22u);
  EXPECT_EQ(broken, 79u);
}

TEST(GltfCorpusTest, PrimitiveRestartIsRefused) {
  FLEXOR_REQUIRE_CORPUS();
  std::size_t count = 0;
  for (const std::string& file : GltfFiles()) {
    if (file.find("PrimitiveRestart") == std::string::npos) continue;
    const auto loaded = LoadCharacter(CorpusPath("gltf/" + file));
    const Json json = Json::parse(std::ifstream(CorpusPath("gltf/" + file)));
    // Indices of points and lines are not read.
    bool triangles = false;
    for (const Json& primitive : json["meshes"][0]["primitives"]) {
      triangles = triangles || primitive.value("mode", 4) >= 4;
    }
    EXPECT_NE(loaded.ok(), triangles) << file;
    if (!loaded.ok()) {
      EXPECT_THAT(loaded.error().message, ::testing::HasSubstr("restart"));
    }
    ++count;
  }
  EXPECT_EQ(count, 7u);
}

asset::Character Load(const std::string& file) {
  auto loaded = LoadCharacter(CorpusPath("gltf/" + file));
  EXPECT_TRUE(loaded.ok()) << loaded.error().ToString();
  return loaded.ok() ? std::move(loaded->character) : asset::Character();
}

void ExpectSamePoints(const asset::Character& a, std::size_t instance_a, const asset::Character& b,
                      std::size_t instance_b, double tolerance = 3e-6) {
  const auto p = RestPoints(a, instance_a), q = RestPoints(b, instance_b);
  ASSERT_EQ(p.size(), q.size());
  for (std::size_t v = 0; v < p.size(); ++v) EXPECT_LE(Length(p[v] - q[v]), tolerance) << v;
}

/// The largest distance from a point of one set to the nearest of the other, both ways.
double Hausdorff(const std::vector<Vec3d>& a, const std::vector<Vec3d>& b) {
  const auto one_way = [](const std::vector<Vec3d>& from, const std::vector<Vec3d>& to) {
    double farthest = 0;
    for (const Vec3d& p : from) {
      double nearest = std::numeric_limits<double>::infinity();
      for (const Vec3d& q : to) nearest = std::min(nearest, Length(p - q));
      farthest = std::max(farthest, nearest);
    }
    return farthest;
  };
  return std::max(one_way(a, b), one_way(b, a));
}

double Extent(const std::vector<Vec3d>& points) {
  Aabbd box;
  for (const Vec3d& p : points) box.Add(p);
  return box.Extent();
}

TEST(GltfCorpusTest, PlainFormsOfOneSampleAreIdentical) {
  FLEXOR_REQUIRE_CORPUS();
  const std::pair<const char*, const char*> forms[] = {
      {"AnimatedMorphCube/glTF/AnimatedMorphCube.gltf",
       "AnimatedMorphCube/glTF-Binary/AnimatedMorphCube.glb"},
      {"AnimatedTriangle/glTF/AnimatedTriangle.gltf",
       "AnimatedTriangle/glTF-Embedded/AnimatedTriangle.gltf"},
      {"BoxAnimated/glTF/BoxAnimated.gltf", "BoxAnimated/glTF-Binary/BoxAnimated.glb"},
      {"BoxAnimated/glTF/BoxAnimated.gltf", "BoxAnimated/glTF-Embedded/BoxAnimated.gltf"},
      {"CesiumMan/glTF/CesiumMan.gltf", "CesiumMan/glTF-Binary/CesiumMan.glb"},
      {"Fox/glTF/Fox.gltf", "Fox/glTF-Binary/Fox.glb"},
      {"InterpolationTest/glTF/InterpolationTest.gltf",
       "InterpolationTest/glTF-Binary/InterpolationTest.glb"},
      {"MorphPrimitivesTest/glTF/MorphPrimitivesTest.gltf",
       "MorphPrimitivesTest/glTF-Binary/MorphPrimitivesTest.glb"},
      {"RiggedFigure/glTF/RiggedFigure.gltf", "RiggedFigure/glTF-Binary/RiggedFigure.glb"},
      {"RiggedFigure/glTF/RiggedFigure.gltf", "RiggedFigure/glTF-Embedded/RiggedFigure.gltf"},
      {"RiggedSimple/glTF/RiggedSimple.gltf", "RiggedSimple/glTF-Binary/RiggedSimple.glb"},
      {"RiggedSimple/glTF/RiggedSimple.gltf", "RiggedSimple/glTF-Embedded/RiggedSimple.gltf"},
      {"SimpleMorph/glTF/SimpleMorph.gltf", "SimpleMorph/glTF-Embedded/SimpleMorph.gltf"},
      {"SimpleSkin/glTF/SimpleSkin.gltf", "SimpleSkin/glTF-Embedded/SimpleSkin.gltf"},
      {"SimpleSparseAccessor/glTF/SimpleSparseAccessor.gltf",
       "SimpleSparseAccessor/glTF-Embedded/SimpleSparseAccessor.gltf"},
  };
  for (const auto& [first, second] : forms) {
    const asset::Character a = Load(std::string("khronos-sample/") + first);
    const asset::Character b = Load(std::string("khronos-sample/") + second);
    ASSERT_EQ(a.meshes.size(), b.meshes.size()) << first;
    ASSERT_FALSE(a.meshes.empty());
    for (std::size_t m = 0; m < a.meshes.size(); ++m) {
      EXPECT_EQ(a.meshes[m].positions, b.meshes[m].positions) << first;
      EXPECT_EQ(a.meshes[m].normals, b.meshes[m].normals);
      EXPECT_EQ(a.meshes[m].texcoords, b.meshes[m].texcoords);
      EXPECT_EQ(a.meshes[m].triangles, b.meshes[m].triangles);
      EXPECT_EQ(a.meshes[m].influences.joints, b.meshes[m].influences.joints);
      EXPECT_EQ(a.meshes[m].influences.weights, b.meshes[m].influences.weights);
      ASSERT_EQ(a.meshes[m].morphs.size(), b.meshes[m].morphs.size());
      for (std::size_t t = 0; t < a.meshes[m].morphs.size(); ++t) {
        EXPECT_EQ(a.meshes[m].morphs[t].positions, b.meshes[m].morphs[t].positions);
      }
    }
    ASSERT_EQ(a.clips.size(), b.clips.size());
    for (std::size_t c = 0; c < a.clips.size(); ++c) {
      ASSERT_EQ(a.clips[c].channels.size(), b.clips[c].channels.size());
      for (std::size_t k = 0; k < a.clips[c].channels.size(); ++k) {
        EXPECT_EQ(a.clips[c].channels[k].times, b.clips[c].channels[k].times);
        EXPECT_EQ(a.clips[c].channels[k].values, b.clips[c].channels[k].values);
      }
    }
    for (std::size_t i = 0; i < a.instances.size(); ++i) ExpectSamePoints(a, i, b, i, 1e-12);
  }
}

TEST(GltfCorpusTest, DracoFormsAreTheSameShape) {
  FLEXOR_REQUIRE_CORPUS();
  if (!gltf::HasDraco()) GTEST_SKIP() << "SKIPPED: a build without Draco";
  for (const std::string name :
       {"CesiumMan", "MorphPrimitivesTest", "RiggedFigure", "RiggedSimple"}) {
    const std::string folder = "khronos-sample/" + name;
    const asset::Character plain = Load(folder + "/glTF/" + name + ".gltf");
    const asset::Character draco = Load(folder + "/glTF-Draco/" + name + ".gltf");
    const auto p = RestPoints(plain, 0), q = RestPoints(draco, 0);
    // 11 bits along the longest side, half a step in each of three directions.
    EXPECT_LE(Hausdorff(p, q), Extent(p) / 2047 * 0.87) << name;
    EXPECT_EQ(plain.meshes[0].triangles.size(), draco.meshes[0].triangles.size());
    EXPECT_EQ(plain.skins.size(), draco.skins.size());
    EXPECT_EQ(plain.meshes[0].morphs.size(), draco.meshes[0].morphs.size());
  }
}

TEST(GltfCorpusTest, QuantizedFormIsTheSameShapeAndMorph) {
  FLEXOR_REQUIRE_CORPUS();
  const std::string folder = "khronos-sample/AnimatedMorphCube/";
  const asset::Character plain = Load(folder + "glTF/AnimatedMorphCube.gltf");
  const asset::Character quantized = Load(folder + "glTF-Quantized/AnimatedMorphCube.gltf");
  const auto p = RestPoints(plain, 0), q = RestPoints(quantized, 0);
  EXPECT_LE(Hausdorff(p, q), Extent(p) * 1e-4);
  EXPECT_EQ(quantized.meshes[0].morphs.size(), plain.meshes[0].morphs.size());
  EXPECT_NEAR(quantized.clips[0].end_time, plain.clips[0].end_time, 1e-5);
}

std::string Generated(const std::string& group, int number) {
  return "asset-generator/Positive/" + group + "/" + group + (number < 10 ? "_0" : "_") +
         std::to_string(number) + ".gltf";
}

TEST(GltfCorpusTest, GeneratedSkinsReachThePosesTheyDescribe) {
  FLEXOR_REQUIRE_CORPUS();
  const asset::Character a = Load(Generated("Animation_Skin", 0));
  const double c = std::sqrt(0.75) * 0.2;
  const std::vector<Vec3d> skin_a = {{-0.25, -0.2, 0}, {0.25, -0.2, 0},  {-0.25, 0, 0},
                                     {0.25, 0, 0},     {-0.25, c, -0.1}, {0.25, c, -0.1}};
  const auto points = RestPoints(a, 0);
  ASSERT_EQ(points.size(), skin_a.size());
  for (std::size_t v = 0; v < 6; ++v) EXPECT_LE(Length(points[v] - skin_a[v]), 1e-6) << v;
  // The same pose: animated only (01), under transforms to be ignored (02), with a triangle on a
  // joint (04), twice (05), with separate roots (06), on separate skins (11).
  for (const int same : {1, 2, 4, 5, 6, 11}) {
    ExpectSamePoints(a, 0, Load(Generated("Animation_Skin", same)), 0);
  }
  const asset::Character two = Load(Generated("Animation_Skin", 11));
  EXPECT_EQ(two.meshes.size(), 1u);
  ASSERT_EQ(two.instances.size(), 2u);
  EXPECT_NE(two.instances[0].skin, two.instances[1].skin);
  // Without inverse bind matrices the lower row follows its joint twice.
  const auto unbound = RestPoints(Load(Generated("Animation_Skin", 3)), 0);
  EXPECT_LE(Length(unbound[0] - Vec3d{-0.25, -0.4, 0}), 1e-6);
  EXPECT_LE(Length(unbound[2] - Vec3d{-0.25, 0, 0}), 1e-6);
  // A joint shared by two skins, and a plain node between joints.
  const asset::Character shared = Load(Generated("Animation_Skin", 7));
  ASSERT_EQ(shared.skins.size(), 2u);
  std::vector<std::uint32_t> common;
  auto first = shared.skins[0].joints, second = shared.skins[1].joints;
  std::sort(first.begin(), first.end());
  std::sort(second.begin(), second.end());
  std::set_intersection(first.begin(), first.end(), second.begin(), second.end(),
                        std::back_inserter(common));
  EXPECT_EQ(common.size(), 2u);
  const asset::Character plain_node = Load(Generated("Animation_Skin", 9));
  EXPECT_EQ(plain_node.skins[0].joints.size(), 4u);
  EXPECT_LE(Length(RestPoints(plain_node, 1)[2] - Vec3d{0, 0.1, 0}), 1e-6);
  for (int type = 0; type < 4; ++type) {
    ExpectSamePoints(a, 0, Load(Generated("Animation_SkinType", type)), 0);
  }
}

TEST(GltfCorpusTest, GeneratedNodesReachOnePoseInDifferentWays) {
  FLEXOR_REQUIRE_CORPUS();
  const auto scale = [](int number) { return Load(Generated("Node_NegativeScale", number)); };
  // Matrix (01-03), scale (04-06), with normals (07-09), with tangents (10-12).
  for (int axis = 0; axis < 3; ++axis) {
    const asset::Character matrix = scale(1 + axis);
    for (const int same : {4, 7, 10}) ExpectSamePoints(matrix, 1, scale(same + axis), 1);
    EXPECT_FALSE(scale(7 + axis).meshes[1].normals.empty());
    EXPECT_FALSE(scale(10 + axis).meshes[1].tangents.empty());
  }
  EXPECT_EQ(RestPoints(scale(3), 1)[0], (Vec3d{-2.5, -0.5, -2.5}));
  ExpectSamePoints(Load(Generated("Node_Attribute", 7)), 1, Load(Generated("Node_Attribute", 8)),
                   1);
  const auto transformed = RestPoints(Load(Generated("Node_Attribute", 8)), 1);
  EXPECT_LE(Length(transformed[0] - Vec3d{-5, 5, -5}), 1e-6);
}

TEST(GltfCorpusTest, GeneratedBuffersAndSamplers) {
  FLEXOR_REQUIRE_CORPUS();
  const asset::Character first = Load(Generated("Buffer_Interleaved", 0));
  // Numbers 1 and 2 have buffers that do not keep to their own stride after the first vertex.
  for (int other = 3; other < 5; ++other) {
    const asset::Character b = Load(Generated("Buffer_Interleaved", other));
    EXPECT_EQ(first.meshes[0].positions, b.meshes[0].positions);
    ASSERT_EQ(first.meshes[0].texcoords.size(), b.meshes[0].texcoords.size());
    for (std::size_t v = 0; v < b.meshes[0].texcoords.size(); ++v) {
      EXPECT_NEAR(first.meshes[0].texcoords[v].x, b.meshes[0].texcoords[v].x, 1 / 255.0);
      EXPECT_NEAR(first.meshes[0].texcoords[v].y, b.meshes[0].texcoords[v].y, 1 / 255.0);
    }
  }
  const auto rotation = [](int number) {
    return Load(Generated("Animation_SamplerType", number)).clips.at(0).channels.at(0);
  };
  const asset::Channel floats = rotation(0);
  for (int other = 1; other < 3; ++other) {
    const asset::Channel b = rotation(other);
    EXPECT_EQ(b.times, floats.times);
    ASSERT_EQ(b.values.size(), floats.values.size());
    for (std::size_t i = 0; i < b.values.size(); ++i) {
      EXPECT_NEAR(b.values[i], floats.values[i], 1 / 127.0);
    }
  }
}

TEST(GltfCorpusTest, FactsOfTheSampleCharacters) {
  FLEXOR_REQUIRE_CORPUS();
  const asset::Character man = Load("khronos-sample/CesiumMan/glTF-Binary/CesiumMan.glb");
  EXPECT_EQ(man.meshes[0].vertex_count(), 3273u);
  EXPECT_EQ(man.skins[0].joints.size(), 19u);
  ASSERT_EQ(man.clips.size(), 1u);
  EXPECT_EQ(man.clips[0].channels.size(), 57u);
  EXPECT_EQ(man.clips[0].frames_per_second, 24);
  ASSERT_EQ(man.images.size(), 1u);
  EXPECT_EQ(man.images[0].media_type, "image/jpeg");
  EXPECT_EQ(man.materials[0].base_image, 0);

  const asset::Character fox = Load("khronos-sample/Fox/glTF-Binary/Fox.glb");
  EXPECT_EQ(fox.meshes[0].vertex_count(), 1728u);
  EXPECT_TRUE(fox.meshes[0].normals.empty());
  EXPECT_EQ(fox.meshes[0].triangles.size(), 1728u);
  EXPECT_EQ(fox.skins[0].joints.size(), 24u);
  ASSERT_EQ(fox.clips.size(), 3u);
  EXPECT_EQ(fox.clips[0].name, "Survey");
  EXPECT_EQ(fox.clips[2].name, "Run");
  for (const asset::Clip& clip : fox.clips) EXPECT_EQ(clip.frames_per_second, 24);

  const asset::Character figure = Load("vrm/usd-vrm/fixtures/vrm0_frontbake.vrm");
  EXPECT_EQ(figure.source.format, "VRM 0.x");
  EXPECT_EQ(figure.source.license, "Redistribution_Prohibited");
  // The front is at z = +1 in the file's vertices; turned it is at -1.
  EXPECT_NEAR(RestPoints(figure, 0)[0].z, -1, 1e-6);
}

}  // namespace
}  // namespace flexor::io
