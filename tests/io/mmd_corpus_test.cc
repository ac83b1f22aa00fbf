// Files that others made: all of them load, come back byte for byte, and hold what other readers
// found in them.

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "flexor/core/file.h"
#include "flexor/io/mmd/pmx.h"
#include "flexor/io/mmd/text_cp932.h"
#include "flexor/io/mmd/vmd.h"

#include "support/corpus.h"

namespace flexor::io::mmd {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::CorpusPath;

constexpr std::uint64_t kBudget = 256ull << 20;

std::vector<std::byte> Bytes(const std::string& path) {
  auto bytes = ReadFile(path, kBudget);
  EXPECT_TRUE(bytes.ok()) << path;
  return bytes.ok() ? *std::move(bytes) : std::vector<std::byte>();
}

json Json(const std::string& relative) {
  const auto bytes = Bytes(CorpusPath(relative));
  return json::parse(reinterpret_cast<const char*>(bytes.data()),
                     reinterpret_cast<const char*>(bytes.data()) + bytes.size());
}

std::vector<std::string> Files(const std::string& extension) {
  std::vector<std::string> files;
  for (const char* folder : {"pmx", "vmd"}) {
    for (const auto& entry : fs::recursive_directory_iterator(CorpusPath(folder))) {
      if (entry.path().extension() == extension) files.push_back(entry.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

PmxModel Model(const std::string& relative) {
  const auto bytes = Bytes(CorpusPath(relative));
  MemoryBudget budget(kBudget);
  Diagnostics diagnostics;
  auto model = ParsePmx(bytes, budget, diagnostics);
  EXPECT_TRUE(model.ok()) << relative << ": " << model.error().ToString();
  return model.ok() ? *std::move(model) : PmxModel();
}

VmdMotion Motion(const std::string& relative) {
  const auto bytes = Bytes(CorpusPath(relative));
  MemoryBudget budget(kBudget);
  Diagnostics diagnostics;
  auto motion = ParseVmd(bytes, budget, diagnostics);
  EXPECT_TRUE(motion.ok()) << relative << ": " << motion.error().ToString();
  return motion.ok() ? *std::move(motion) : VmdMotion();
}

TEST(MmdCorpus, EveryPmxComesBackByteForByte) {
  FLEXOR_REQUIRE_CORPUS();
  const auto files = Files(".pmx");
  EXPECT_GE(files.size(), 40u);
  std::set<std::string> found;
  for (const std::string& file : files) {
    SCOPED_TRACE(file);
    const auto bytes = Bytes(file);
    MemoryBudget budget(kBudget);
    Diagnostics diagnostics;
    const auto model = ParsePmx(bytes, budget, diagnostics);
    ASSERT_TRUE(model.ok()) << model.error().ToString();
    for (const Diagnostic& d : diagnostics.entries()) found.insert(d.code);
    const auto written = WritePmx(*model);
    ASSERT_TRUE(written.ok()) << written.error().ToString();
    EXPECT_TRUE(*written == bytes);
    // And the fixed point in every other storage.
    for (const PmxEncoding encoding : {PmxEncoding::kUtf16, PmxEncoding::kUtf8}) {
      PmxWriteOptions options;
      options.encoding = encoding;
      options.widths = PmxWidths{4, 4, 4, 4, 4, 4};
      const auto other = WritePmx(*model, options);
      ASSERT_TRUE(other.ok());
      auto again = ParsePmx(*other, budget, diagnostics);
      ASSERT_TRUE(again.ok());
      again->encoding = model->encoding;
      again->widths = model->widths;
      EXPECT_EQ(*again, *model);
    }
  }
  // QDEF in version 2.0, and an empty list of soft bodies there; nothing is broken.
  EXPECT_THAT(found, ::testing::ElementsAre("MMD_FEATURE_OF_21", "MMD_TRAILING_BYTES"));
}

TEST(MmdCorpus, EveryVmdComesBackByteForByte) {
  FLEXOR_REQUIRE_CORPUS();
  const auto files = Files(".vmd");
  EXPECT_GE(files.size(), 25u);
  for (const std::string& file : files) {
    SCOPED_TRACE(file);
    const auto bytes = Bytes(file);
    MemoryBudget budget(kBudget);
    Diagnostics diagnostics;
    const auto motion = ParseVmd(bytes, budget, diagnostics);
    ASSERT_TRUE(motion.ok()) << motion.error().ToString();
    EXPECT_TRUE(diagnostics.entries().empty());
    const auto written = WriteVmd(*motion);
    ASSERT_TRUE(written.ok());
    EXPECT_TRUE(*written == bytes);
  }
}

TEST(MmdCorpus, EveryTruncationOfARealFileIsAnError) {
  FLEXOR_REQUIRE_CORPUS();
  for (const char* file : {"pmx/unity-mmd-loader/Assets/GeneratedPmx/sdef-two-bone-elbow.pmx",
                           "pmx/unity-mmd-loader/Assets/test_semi_basic_bone.pmx"}) {
    const auto bytes = Bytes(CorpusPath(file));
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      MemoryBudget budget(kBudget);
      Diagnostics diagnostics;
      const auto model = ParsePmx(std::span(bytes).first(length), budget, diagnostics);
      ASSERT_FALSE(model.ok()) << file << " " << length;
      ASSERT_EQ(model.error().code, ErrorCode::kTruncated) << model.error().ToString();
      ASSERT_TRUE(model.error().place.byte_offset.has_value());
      ASSERT_FALSE(model.error().place.element.empty());
    }
  }
  for (const char* file : {"vmd/vmd_sizing/morph_sample_a.vmd", "vmd/mc-mmd/walk.vmd"}) {
    const auto bytes = Bytes(CorpusPath(file));
    std::size_t whole = 0;
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      MemoryBudget budget(kBudget);
      Diagnostics diagnostics;
      const auto motion = ParseVmd(std::span(bytes).first(length), budget, diagnostics);
      if (motion.ok()) {
        ++whole;
        EXPECT_TRUE(diagnostics.Contains("VMD_SECTIONS_MISSING")) << length;
        continue;
      }
      ASSERT_EQ(motion.error().code, ErrorCode::kTruncated) << motion.error().ToString();
      ASSERT_TRUE(motion.error().place.byte_offset.has_value());
      ASSERT_FALSE(motion.error().place.element.empty());
    }
    EXPECT_EQ(whole, 4u) << "the clean ends of old files";
  }
}

// What follows compares with the complete results of other programs. Every key of their JSON is
// looked at: one that is not known here fails the test.

Vec3f V3(const json& j) {
  return {j.at(0).get<float>(), j.at(1).get<float>(), j.at(2).get<float>()};
}
Vec4f V4(const json& j) { return {j.at(0), j.at(1), j.at(2), j.at(3)}; }

void ExpectVertex(const json& golden, const PmxModel& model) {
  const PmxVertex& v = model.vertices.at(golden.at("index").get<std::size_t>());
  for (const auto& [key, value] : golden.items()) {
    if (key == "index") continue;
    if (key == "position") {
      EXPECT_EQ(v.position, V3(value));
    } else if (key == "normal") {
      EXPECT_EQ(v.normal, V3(value));
    } else if (key == "uv") {
      EXPECT_EQ(v.uv, (Vec2f{value.at(0), value.at(1)}));
    } else if (key == "boneIndices") {
      for (std::size_t i = 0; i < value.size(); ++i) EXPECT_EQ(v.bones[i], value[i].get<int>());
    } else if (key == "boneWeights") {
      for (std::size_t i = 0; i < value.size(); ++i) EXPECT_EQ(v.weights[i], value[i].get<float>());
    } else {
      ADD_FAILURE() << "unknown key " << key;
    }
  }
}

void ExpectBone(const json& golden, const PmxModel& model) {
  const PmxBone& b = model.bones.at(golden.at("index").get<std::size_t>());
  for (const auto& [key, value] : golden.items()) {
    SCOPED_TRACE(key);
    if (key == "index") continue;
    if (key == "name") {
      EXPECT_EQ(b.name, value.get<std::string>());
    } else if (key == "parentIndex") {
      EXPECT_EQ(b.parent, value.get<int>());
    } else if (key == "transformOrder") {
      EXPECT_EQ(b.layer, value.get<int>());
    } else if (key == "origin") {
      EXPECT_EQ(b.position, V3(value));
    } else if (key == "isMovable") {
      EXPECT_EQ(b.has(kBoneMovable), value.get<bool>());
    } else if (key == "isRotatable") {
      EXPECT_EQ(b.has(kBoneRotatable), value.get<bool>());
    } else if (key == "appendParentIndex") {
      EXPECT_EQ(b.append_source, value.get<int>());
    } else if (key == "appendRatio") {
      if (b.appends()) {
        EXPECT_EQ(b.append_ratio, value.get<float>());
      }
    } else if (key == "appendRotation") {
      EXPECT_EQ(b.has(kBoneAppendRotation), value.get<bool>());
    } else if (key == "appendTranslation") {
      EXPECT_EQ(b.has(kBoneAppendTranslation), value.get<bool>());
    } else if (key == "appendLocal") {
      EXPECT_EQ(b.has(kBoneAppendLocal), value.get<bool>());
    } else if (key == "fixedAxis") {
      EXPECT_EQ(b.has(kBoneFixedAxis), value.get<bool>());
    } else if (key == "fixedAxisVector") {
      EXPECT_EQ(b.fixed_axis, V3(value));
    } else if (key == "localAxes") {
      EXPECT_EQ(b.has(kBoneLocalAxes), value.get<bool>());
    } else if (key == "localXAxis") {
      if (b.has(kBoneLocalAxes)) {
        EXPECT_EQ(b.local_x, V3(value));
      }
    } else if (key == "localZAxis") {
      if (b.has(kBoneLocalAxes)) {
        EXPECT_EQ(b.local_z, V3(value));
      }
    } else if (key == "externalParentTransform") {
      EXPECT_EQ(b.has(kBoneExternalParent), value.get<bool>());
    } else if (key == "deformAfterPhysics") {
      EXPECT_EQ(b.has(kBoneAfterPhysics), value.get<bool>());
    } else {
      ADD_FAILURE() << "unknown key";
    }
  }
}

void ExpectIk(const json& golden, const PmxModel& model) {
  const PmxBone& bone = model.bones.at(golden.at("boneIndex").get<std::size_t>());
  ASSERT_TRUE(bone.has(kBoneIk));
  EXPECT_EQ(golden.size(), 5u);
  EXPECT_EQ(bone.ik.effector, golden.at("targetBoneIndex").get<int>());
  EXPECT_EQ(bone.ik.iterations, golden.at("iterationCount").get<int>());
  EXPECT_EQ(bone.ik.limit_angle, golden.at("angleLimit").get<float>());
  ASSERT_EQ(bone.ik.links.size(), golden.at("links").size());
  for (std::size_t i = 0; i < bone.ik.links.size(); ++i) {
    const json& link = golden.at("links")[i];
    EXPECT_EQ(link.size(), 4u);
    EXPECT_EQ(bone.ik.links[i].bone, link.at("boneIndex").get<int>());
    EXPECT_EQ(bone.ik.links[i].has_limit, link.at("hasLimit").get<bool>());
    EXPECT_EQ(bone.ik.links[i].min, V3(link.at("minimumAngle")));
    EXPECT_EQ(bone.ik.links[i].max, V3(link.at("maximumAngle")));
  }
}

TEST(MmdCorpus, ModelsHoldWhatAnotherReaderFound) {
  FLEXOR_REQUIRE_CORPUS();
  std::size_t bones = 0, iks = 0;
  for (const char* name :
       {"test_1bone_cube", "test_append_bone", "test_basic_bone", "test_fix_axis",
        "test_given_bone_comprehensive", "test_semi_basic_bone"}) {
    SCOPED_TRACE(name);
    const json golden = Json("pmx/unity-mmd-loader/Golden/" + std::string(name) + "_model.json");
    const PmxModel model = Model("pmx/unity-mmd-loader/Assets/" + std::string(name) + ".pmx");
    for (const auto& [key, value] : golden.items()) {
      SCOPED_TRACE(key);
      if (key == "name") {
        EXPECT_EQ(model.name, value.get<std::string>());
      } else if (key == "vertices") {
        EXPECT_EQ(model.vertices.size(), value.size());
        for (const json& vertex : value) ExpectVertex(vertex, model);
      } else if (key == "indices") {
        EXPECT_EQ(model.indices, value.get<std::vector<std::uint32_t>>());
      } else if (key == "bones") {
        EXPECT_EQ(model.bones.size(), value.size());
        for (const json& bone : value) ExpectBone(bone, model);
        bones += value.size();
      } else if (key == "morphs") {
        EXPECT_EQ(model.morphs.size(), value.size());
        EXPECT_TRUE(value.empty()) << "nothing compares the morphs of these files";
      } else if (key == "materials") {
        ASSERT_EQ(model.materials.size(), value.size());
        for (const json& m : value) {
          EXPECT_EQ(m.size(), 6u);
          const PmxMaterial& material = model.materials.at(m.at("index").get<std::size_t>());
          EXPECT_EQ(material.name, m.at("name").get<std::string>());
          EXPECT_EQ(material.index_count, m.at("vertexCount").get<std::uint32_t>());
          const std::pair<std::int32_t, const char*> textures[] = {
              {material.texture, "texture"}, {material.sphere, "sphereTexture"}};
          for (const auto& [texture, field] : textures) {
            const std::string file =
                texture == kNoIndex ? "" : model.textures.at(static_cast<std::size_t>(texture));
            EXPECT_EQ(file, m.at(field).get<std::string>());
          }
        }
      } else if (key == "ik") {
        const auto has_ik = [](const PmxBone& bone) { return bone.has(kBoneIk); };
        EXPECT_EQ(
            static_cast<std::size_t>(std::count_if(model.bones.begin(), model.bones.end(), has_ik)),
            value.size());
        for (const json& ik : value) ExpectIk(ik, model);
        iks += value.size();
      } else if (key == "physics") {
        EXPECT_EQ(model.bodies.size(), value.at("rigidbodies").size());
        EXPECT_EQ(model.joints.size(), value.at("joints").size());
      } else {
        ADD_FAILURE() << "unknown key";
      }
    }
  }
  EXPECT_EQ(bones, 1u + 9 + 79 + 5 + 23 + 100);
  EXPECT_EQ(iks, 8u);
}

/// By frame, then in the order in which the bones come up first, as that reader lists them.
std::vector<VmdBoneKey> Sorted(std::vector<VmdBoneKey> keys) {
  std::map<std::string, std::size_t> rank;
  for (const VmdBoneKey& key : keys) rank.emplace(key.name.view(), rank.size());
  std::stable_sort(keys.begin(), keys.end(), [&](const VmdBoneKey& a, const VmdBoneKey& b) {
    return std::pair(a.frame, rank.at(std::string(a.name.view()))) <
           std::pair(b.frame, rank.at(std::string(b.name.view())));
  });
  return keys;
}

TEST(MmdCorpus, MotionsHoldWhatAnotherReaderFound) {
  FLEXOR_REQUIRE_CORPUS();
  for (const char* name : {"test_1bone_cube_motion", "test_append_bone"}) {
    SCOPED_TRACE(name);
    const std::string stem = name;
    const json golden = Json("pmx/unity-mmd-loader/Golden/" + stem +
                             (stem.ends_with("motion") ? ".json" : "_motion.json"));
    const VmdMotion motion = Motion("pmx/unity-mmd-loader/Assets/" + stem + ".vmd");
    for (const auto& [key, value] : golden.items()) {
      SCOPED_TRACE(key);
      if (key == "targetModelName") {
        EXPECT_EQ(DecodeCp932(motion.model_name.view()).text, value.get<std::string>());
      } else if (key == "maxFrame") {
        EXPECT_EQ(LastFrame(motion), value.get<std::uint32_t>());
      } else if (key == "morphKeyframes") {
        EXPECT_EQ(motion.morphs.size(), value.size());
      } else if (key == "modelKeyframes") {
        ASSERT_EQ(motion.properties.size(), value.size());
        for (std::size_t i = 0; i < value.size(); ++i) {
          EXPECT_EQ(motion.properties[i].frame, value[i].at("frame").get<std::uint32_t>());
          EXPECT_EQ(motion.properties[i].visible != 0, value[i].at("visible").get<bool>());
          EXPECT_EQ(motion.properties[i].iks.size(), value[i].at("constraintStates").size());
        }
      } else if (key == "boneKeyframes") {
        ASSERT_EQ(motion.bones.size(), value.size());
        const std::vector<VmdBoneKey> keys = Sorted(motion.bones);
        for (std::size_t i = 0; i < value.size(); ++i) {
          const VmdBoneKey& k = keys[i];
          const json& g = value[i];
          EXPECT_EQ(g.size(), 6u);
          EXPECT_EQ(DecodeCp932(k.name.view()).text, g.at("boneName").get<std::string>());
          EXPECT_EQ(k.frame, g.at("frame").get<std::uint32_t>());
          EXPECT_EQ(k.translation, V3(g.at("translation")));
          const Vec4f r = V4(g.at("rotation"));
          EXPECT_EQ(k.rotation, (Quatf{r.x, r.y, r.z, r.w}));
          EXPECT_EQ(k.physics() != VmdPhysics::kOff, g.at("physicsEnabled").get<bool>());
          // That reader takes all four curves from the first row, where the physics switch lies
          // over the first value of Z and R: those two are compared as bytes, the rest as curves.
          const json& c = g.at("interpolation");
          const VmdBoneCurves curves = k.curves();
          const auto same = [&](const VmdCurve& curve, const char* channel, std::uint8_t x1) {
            EXPECT_EQ(x1, c.at(channel)[0].get<int>()) << channel;
            EXPECT_EQ(curve.y1, c.at(channel)[1].get<int>()) << channel;
            EXPECT_EQ(curve.x2, c.at(channel)[2].get<int>()) << channel;
            EXPECT_EQ(curve.y2, c.at(channel)[3].get<int>()) << channel;
          };
          EXPECT_EQ(c.size(), 4u);
          same(curves.x, "translationX", curves.x.x1);
          same(curves.y, "translationY", curves.y.x1);
          same(curves.z, "translationZ", k.interpolation[2]);
          same(curves.rotation, "rotation", k.interpolation[3]);
          EXPECT_EQ(k.interpolation[3], 0) << "the switch";
        }
      } else {
        ADD_FAILURE() << "unknown key";
      }
    }
  }
}

TEST(MmdCorpus, TheMultiAxisFixtureHoldsWhatItsJsonSays) {
  FLEXOR_REQUIRE_CORPUS();
  const json golden = Json("pmx/mmd-anim/ik_multi_axis_limit.pmx.json");
  const PmxModel model = Model("pmx/mmd-anim/ik_multi_axis_limit.pmx");
  const json& meta = golden.at("metadata");
  EXPECT_EQ(model.version, PmxVersion::k20);
  EXPECT_EQ(model.encoding, PmxEncoding::kUtf8);
  EXPECT_EQ(model.name, meta.at("name").get<std::string>());
  EXPECT_EQ(model.name_en, meta.at("englishName").get<std::string>());
  EXPECT_EQ(model.comment, meta.at("comment").get<std::string>());
  EXPECT_EQ(model.comment_en, meta.at("englishComment").get<std::string>());
  const json& sizes = meta.at("indexSizes");
  EXPECT_EQ(model.widths, (PmxWidths{sizes.at("vertex"), sizes.at("texture"), sizes.at("material"),
                                     sizes.at("bone"), sizes.at("morph"), sizes.at("rigidBody")}));
  EXPECT_EQ(model.additional_uv_count, meta.at("additionalUvCount").get<int>());
  const json& counts = meta.at("counts");
  EXPECT_EQ(model.vertices.size(), counts.at("vertices").get<std::size_t>());
  EXPECT_EQ(model.indices.size() / 3, counts.at("faces").get<std::size_t>());
  EXPECT_EQ(model.materials.size(), counts.at("materials").get<std::size_t>());
  EXPECT_EQ(model.bones.size(), counts.at("bones").get<std::size_t>());
  EXPECT_EQ(model.morphs.size(), counts.at("morphs").get<std::size_t>());
  EXPECT_EQ(model.frames.size(), counts.at("displayFrames").get<std::size_t>());
  EXPECT_EQ(model.bodies.size(), counts.at("rigidBodies").get<std::size_t>());
  EXPECT_EQ(model.joints.size(), counts.at("joints").get<std::size_t>());
  const json& geometry = golden.at("geometry");
  for (std::size_t i = 0; i < model.vertices.size(); ++i) {
    const PmxVertex& v = model.vertices[i];
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_EQ(v.position[k], geometry.at("positions")[3 * i + k].get<float>());
      EXPECT_EQ(v.normal[k], geometry.at("normals")[3 * i + k].get<float>());
    }
    EXPECT_EQ(v.uv, (Vec2f{geometry.at("uvs")[2 * i], geometry.at("uvs")[2 * i + 1]}));
    for (std::size_t k = 0; k < 4; ++k) {
      EXPECT_EQ(std::max(v.bones[k], 0), geometry.at("skinIndices")[4 * i + k].get<int>());
      EXPECT_EQ(v.weights[k], geometry.at("skinWeights")[4 * i + k].get<float>());
    }
    EXPECT_EQ(v.edge_scale, geometry.at("edgeScale")[i].get<float>());
    EXPECT_EQ(v.type == PmxWeightType::kSdef,
              geometry.at("sdef").at("enabled")[i].get<float>() != 0);
    EXPECT_EQ(v.type == PmxWeightType::kQdef,
              geometry.at("qdef").at("enabled")[i].get<float>() != 0);
  }
  EXPECT_EQ(model.indices, geometry.at("indices").get<std::vector<std::uint32_t>>());
  const json& g = golden.at("materials").at(0);
  const PmxMaterial& m = model.materials.at(0);
  EXPECT_EQ(m.name, g.at("name").get<std::string>());
  EXPECT_EQ(m.diffuse, V4(g.at("diffuse")));
  EXPECT_EQ(m.specular, V3(g.at("specular")));
  EXPECT_EQ(m.shininess, g.at("specularPower").get<float>());
  EXPECT_EQ(m.ambient, V3(g.at("ambient")));
  EXPECT_EQ(m.edge_color, V4(g.at("edgeColor")));
  EXPECT_EQ(m.edge_size, g.at("edgeSize").get<float>());
  EXPECT_EQ(m.flags, kMaterialDoubleSided);
  EXPECT_EQ(m.index_count / 3, g.at("faceCount").get<std::uint32_t>());
  EXPECT_EQ(m.texture, kNoIndex);
  for (std::size_t i = 0; i < model.bones.size(); ++i) {
    const PmxBone& b = model.bones[i];
    const json& gb = golden.at("skeleton").at("bones").at(i);
    EXPECT_EQ(b.name, gb.at("name").get<std::string>());
    EXPECT_EQ(b.name_en, gb.at("englishName").get<std::string>());
    EXPECT_EQ(b.parent, gb.at("parentIndex").get<int>());
    EXPECT_EQ(b.layer, gb.at("layer").get<int>());
    EXPECT_EQ(b.position, V3(gb.at("position")));
    EXPECT_EQ(b.tail_bone, gb.at("tailIndex").get<int>());
    if (!gb.at("tailPosition").is_null()) {
      EXPECT_EQ(b.tail_offset, V3(gb.at("tailPosition")));
    }
    const std::pair<const char*, PmxBoneFlag> flags[] = {
        {"indexedTail", kBoneTailIsBone},
        {"rotatable", kBoneRotatable},
        {"translatable", kBoneMovable},
        {"visible", kBoneVisible},
        {"enabled", kBoneOperable},
        {"ik", kBoneIk},
        {"appendLocal", kBoneAppendLocal},
        {"appendRotate", kBoneAppendRotation},
        {"appendTranslate", kBoneAppendTranslation},
        {"fixedAxis", kBoneFixedAxis},
        {"localAxis", kBoneLocalAxes},
        {"transformAfterPhysics", kBoneAfterPhysics},
        {"externalParentTransform", kBoneExternalParent}};
    EXPECT_EQ(gb.at("flags").size(), std::size(flags));
    for (const auto& [name, flag] : flags) {
      EXPECT_EQ(b.has(flag), gb.at("flags").at(name).get<bool>()) << b.name << " " << name;
    }
  }
  const json& gi = golden.at("skeleton").at("bones").at(2).at("ik");
  const PmxIk& ik = model.bones.at(2).ik;
  EXPECT_EQ(ik.effector, gi.at("targetIndex").get<int>());
  EXPECT_EQ(ik.iterations, gi.at("loopCount").get<int>());
  EXPECT_EQ(ik.limit_angle, gi.at("limitAngle").get<float>());
  ASSERT_EQ(ik.links.size(), 1u);
  EXPECT_TRUE(ik.links[0].has_limit);
  EXPECT_EQ(ik.links[0].min, V3(gi.at("links")[0].at("limits").at("lower")));
  EXPECT_EQ(ik.links[0].max, V3(gi.at("links")[0].at("limits").at("upper")));
  ASSERT_EQ(model.frames.at(0).entries.size(), 3u);
  EXPECT_TRUE(model.frames[0].special);
  EXPECT_EQ(model.frames[0].entries[2], (PmxFrameEntry{false, 2}));
}

TEST(MmdCorpus, TheBoneTreeEndsWhereItsTestSays) {
  FLEXOR_REQUIRE_CORPUS();
  const PmxModel model = Model("pmx/mmd_base/bone_tree_test.pmx");
  for (const char* tip : {"左人指先", "右人指先"}) {
    auto bone = std::find_if(model.bones.begin(), model.bones.end(),
                             [&](const PmxBone& b) { return b.name == tip; });
    ASSERT_NE(bone, model.bones.end()) << tip;
    while (bone->parent != kNoIndex) bone = model.bones.begin() + bone->parent;
    EXPECT_EQ(bone->name, "全ての親");
  }
}

TEST(MmdCorpus, WeightTypesAreThoseTheFilesAreNamedFor) {
  FLEXOR_REQUIRE_CORPUS();
  const auto count = [](const PmxModel& model, PmxWeightType type) {
    return std::count_if(model.vertices.begin(), model.vertices.end(),
                         [&](const PmxVertex& v) { return v.type == type; });
  };
  const std::string folder = "pmx/unity-mmd-loader/Assets/GeneratedPmx/";
  EXPECT_GT(count(Model(folder + "sdef-two-bone-elbow.pmx"), PmxWeightType::kSdef), 0);
  EXPECT_GT(count(Model(folder + "qdef-twist-cylinder.pmx"), PmxWeightType::kQdef), 0);
  EXPECT_GT(count(Model(folder + "bdef4-twist-cylinder.pmx"), PmxWeightType::kBdef4), 0);
  EXPECT_GT(count(Model(folder + "bdef2-two-bone-strip.pmx"), PmxWeightType::kBdef2), 0);
  const PmxModel mixed = Model(folder + "mixed-deform-types.pmx");
  std::set<PmxWeightType> types;
  for (const PmxVertex& v : mixed.vertices) types.insert(v.type);
  EXPECT_GE(types.size(), 4u);
}

TEST(MmdCorpus, MotionsFindTheirBonesByBytes) {
  FLEXOR_REQUIRE_CORPUS();
  const PmxModel model = Model("pmx/unity-mmd-loader/mmt_test_model.pmx");
  const VmdMotion motion = Motion("pmx/unity-mmd-loader/mmt_test_model_test_motion.vmd");
  std::set<std::string> names;
  for (const PmxBone& bone : model.bones) names.insert(MatchBytes(bone.name));
  std::size_t found = 0;
  for (const VmdBoneKey& key : motion.bones) {
    found += names.contains(std::string(key.name.view())) ? 1 : 0;
    EXPECT_EQ(DecodeCp932(key.name.view()).bad_bytes, 0u);
  }
  EXPECT_GT(found, motion.bones.size() / 2) << "of " << motion.bones.size();
}

}  // namespace
}  // namespace flexor::io::mmd
