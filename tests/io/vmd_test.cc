#include "flexor/io/mmd/vmd.h"

#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/mmd_builder.h"

namespace flexor::io::mmd {
namespace {

using test::FullVmd;
using test::MmdBytes;
using ::testing::HasSubstr;

constexpr std::uint64_t kBudget = 64ull << 20;

Result<VmdMotion> Parse(const MmdBytes& file, Diagnostics& diagnostics) {
  MemoryBudget budget(kBudget);
  return ParseVmd(file.span(), budget, diagnostics);
}

TEST(Vmd, ReadsEveryFieldOfEitherSignature) {
  for (const bool old_signature : {false, true}) {
    const MmdBytes file = FullVmd(old_signature);
    Diagnostics diagnostics;
    const auto motion = Parse(file, diagnostics);
    ASSERT_TRUE(motion.ok()) << motion.error().ToString();
    EXPECT_TRUE(diagnostics.entries().empty());
    EXPECT_EQ(motion->old_signature, old_signature);
    EXPECT_EQ(motion->section_count, 6);
    EXPECT_EQ(motion->model_name.view(), "\x8f\x89\x89\xb9\x83\x7e\x83\x4e");
    ASSERT_EQ(motion->bones.size(), 2u);
    EXPECT_EQ(motion->bones[0].name.view(), "\x83\x5a\x83\x93\x83\x5e\x81\x5b");
    EXPECT_EQ(motion->bones[0].frame, 30u);
    EXPECT_EQ(motion->bones[1].frame, 20u) << "keys keep the order of the file";
    EXPECT_EQ(motion->bones[0].translation, (Vec3f{1, 2, 3}));
    EXPECT_EQ(motion->bones[0].rotation, (Quatf{0, 0, 0, 0})) << "zeros are kept as they are";
    EXPECT_EQ(motion->bones[1].rotation, (Quatf{0, 0, 0, 1}));
    ASSERT_EQ(motion->morphs.size(), 2u);
    EXPECT_EQ(motion->morphs[0].frame, motion->morphs[1].frame) << "two keys may share a frame";
    EXPECT_EQ(motion->morphs[0].weight, 0.5f);
    EXPECT_EQ(motion->morphs[1].weight, 1.0f);
    ASSERT_EQ(motion->camera.size(), 2u);
    EXPECT_EQ(motion->camera[1].distance, -45);
    EXPECT_EQ(motion->camera[1].center, (Vec3f{0, 10, 0}));
    EXPECT_EQ(motion->camera[1].rotation, (Vec3f{0.1f, 0.2f, 0.3f}));
    EXPECT_EQ(motion->camera[1].fov, 31u);
    EXPECT_EQ(motion->camera[1].not_perspective, 1);
    ASSERT_EQ(motion->light.size(), 2u);
    EXPECT_EQ(motion->light[1].frame, 7u);
    EXPECT_EQ(motion->light[1].color, (Vec3f{0.6f, 0.5f, 0.4f}));
    EXPECT_EQ(motion->light[1].direction, (Vec3f{-0.5f, -1, 0.5f}));
    ASSERT_EQ(motion->shadow.size(), 2u);
    EXPECT_EQ(motion->shadow[1].mode, 2);
    EXPECT_EQ(motion->shadow[1].distance, 0.01125f);
    ASSERT_EQ(motion->properties.size(), 2u);
    EXPECT_EQ(motion->properties[0].visible, 1);
    ASSERT_EQ(motion->properties[0].iks.size(), 2u);
    EXPECT_EQ(motion->properties[0].iks[1].name.view(), "toe");
    EXPECT_EQ(motion->properties[0].iks[1].enabled, 0);
    EXPECT_EQ(motion->properties[1].visible, 0);
    EXPECT_EQ(LastFrame(*motion), 99u);
    const auto written = WriteVmd(*motion);
    ASSERT_TRUE(written.ok());
    EXPECT_TRUE(*written == file.bytes);
  }
}

TEST(Vmd, CurvesComeFromBytesThatNothingOverwrites) {
  Diagnostics diagnostics;
  const auto motion = Parse(FullVmd(), diagnostics);
  ASSERT_TRUE(motion.ok());
  const VmdBoneCurves expected{{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}, {13, 14, 15, 16}};
  EXPECT_EQ(motion->bones[0].curves(), expected);
  EXPECT_EQ(motion->bones[0].physics(), VmdPhysics::kOff);
  EXPECT_EQ(motion->bones[1].curves(), expected);
  EXPECT_EQ(motion->bones[1].physics(), VmdPhysics::kOn);
  VmdBoneKey old = motion->bones[0];
  old.interpolation[2] = 9;
  old.interpolation[3] = 13;
  EXPECT_EQ(old.physics(), VmdPhysics::kUnsaid);
  EXPECT_EQ(old.curves(), expected);
  // Camera: x1 x2 y1 y2 for each of six.
  const VmdCameraCurves camera = motion->camera[0].curves();
  EXPECT_EQ(camera.x, (VmdCurve{1, 3, 2, 4}));
  EXPECT_EQ(camera.y, (VmdCurve{5, 7, 6, 8}));
  EXPECT_EQ(camera.z, (VmdCurve{9, 11, 10, 12}));
  EXPECT_EQ(camera.rotation, (VmdCurve{13, 15, 14, 16}));
  EXPECT_EQ(camera.distance, (VmdCurve{17, 19, 18, 20}));
  EXPECT_EQ(camera.fov, (VmdCurve{21, 23, 22, 24}));
}

TEST(Vmd, SettingCurvesMakesTheBytesOfTheFixture) {
  Diagnostics diagnostics;
  const auto motion = Parse(FullVmd(), diagnostics);
  ASSERT_TRUE(motion.ok());
  VmdBoneKey key;
  key.set_curves(motion->bones[0].curves(), VmdPhysics::kOff);
  EXPECT_EQ(key.interpolation, motion->bones[0].interpolation);
  key.set_curves(motion->bones[0].curves(), VmdPhysics::kOn);
  EXPECT_EQ(key.interpolation, motion->bones[1].interpolation);
  key.set_curves(motion->bones[0].curves(), VmdPhysics::kUnsaid);
  EXPECT_EQ(key.curves(), motion->bones[0].curves());
  EXPECT_EQ(key.interpolation[2], 9);
  VmdCameraKey camera;
  camera.set_curves(motion->camera[0].curves());
  EXPECT_EQ(camera.interpolation, motion->camera[0].interpolation);
  // The curve without bends, as MikuMikuDance writes it.
  key.set_curves({});
  EXPECT_EQ(key.interpolation[0], 20);
  EXPECT_EQ(key.interpolation[4], 20);
  EXPECT_EQ(key.interpolation[8], 107);
  EXPECT_EQ(key.interpolation[12], 107);
}

TEST(Vmd, EveryTruncationIsAnErrorButForTheCleanEndsOfOldFiles) {
  for (const bool old_signature : {false, true}) {
    const MmdBytes file = FullVmd(old_signature);
    const std::map<std::size_t, std::pair<int, std::string>> ends = {
        {file.at.at("camera keys"), {2, "camera keys"}},
        {file.at.at("light keys"), {3, "light keys"}},
        {file.at.at("self shadow keys"), {4, "self shadow keys"}},
        {file.at.at("property keys"), {5, "property keys"}}};
    std::set<std::string> elements;
    for (std::size_t length = 0; length < file.bytes.size(); ++length) {
      MemoryBudget budget(kBudget);
      Diagnostics diagnostics;
      const auto motion = ParseVmd(file.span().first(length), budget, diagnostics);
      if (const auto end = ends.find(length); end != ends.end()) {
        ASSERT_TRUE(motion.ok()) << motion.error().ToString();
        EXPECT_EQ(motion->section_count, end->second.first);
        ASSERT_EQ(diagnostics.entries().size(), 1u);
        EXPECT_EQ(diagnostics.entries()[0].code, "VMD_SECTIONS_MISSING");
        EXPECT_EQ(diagnostics.entries()[0].where, end->second.second);
        const auto written = WriteVmd(*motion);
        ASSERT_TRUE(written.ok());
        EXPECT_EQ(written->size(), length);
        continue;
      }
      ASSERT_FALSE(motion.ok()) << length;
      const Error& error = motion.error();
      ASSERT_EQ(error.code, ErrorCode::kTruncated) << error.ToString();
      ASSERT_TRUE(error.place.byte_offset.has_value());
      ASSERT_LE(*error.place.byte_offset, length);
      ASSERT_FALSE(error.place.element.empty());
      elements.insert(error.place.element);
    }
    for (const char* element : {"header", "bone keys", "morph keys", "camera keys", "light keys",
                                "self shadow keys", "property keys", "property key 1"}) {
      EXPECT_TRUE(elements.contains(element)) << element;
    }
  }
}

TEST(Vmd, CountsAreCheckedAgainstTheBytesThatRemain) {
  for (const char* count : {"bone keys", "morph keys", "camera keys", "light keys",
                            "self shadow keys", "property keys", "property 1 iks"}) {
    for (const std::uint64_t claim : {0xffffffffull, 0x7fffffffull, 100000ull}) {
      MmdBytes file = FullVmd();
      file.Patch(count, claim, 4);
      MemoryBudget budget(kBudget);
      Diagnostics diagnostics;
      const auto motion = ParseVmd(file.span(), budget, diagnostics);
      ASSERT_FALSE(motion.ok()) << count;
      EXPECT_EQ(motion.error().code, ErrorCode::kTruncated) << motion.error().ToString();
      EXPECT_EQ(motion.error().place.byte_offset, file.at[count]);
      EXPECT_THAT(motion.error().message, HasSubstr(std::to_string(claim)));
      EXPECT_LT(budget.used(), 100 * file.bytes.size());
    }
  }
}

TEST(Vmd, TheMemoryBudgetHolds) {
  const MmdBytes file = FullVmd();
  MemoryBudget whole(kBudget);
  Diagnostics diagnostics;
  ASSERT_TRUE(ParseVmd(file.span(), whole, diagnostics).ok());
  for (std::uint64_t limit = 0; limit < whole.used(); limit += 13) {
    MemoryBudget budget(limit);
    const auto motion = ParseVmd(file.span(), budget, diagnostics);
    ASSERT_FALSE(motion.ok());
    ASSERT_EQ(motion.error().code, ErrorCode::kLimitExceeded);
  }
}

TEST(Vmd, KeysThatAreNotFiniteAreDropped) {
  const struct {
    const char* mark;
    std::size_t skip;
    const char* where;
  } cases[] = {
      {"bone key 0", 15 + 4 + 8, "bone keys"},  {"bone key 1", 15 + 4 + 12 + 12, "bone keys"},
      {"morph keys", 4 + 15 + 4, "morph keys"}, {"camera keys", 4 + 4, "camera keys"},
      {"light keys", 4 + 4 + 20, "light keys"}, {"self shadow keys", 4 + 5, "self shadow keys"}};
  for (const auto& c : cases) {
    MmdBytes file = FullVmd();
    file.PatchFloat(c.mark, std::numeric_limits<float>::quiet_NaN(), c.skip);
    Diagnostics diagnostics;
    const auto motion = Parse(file, diagnostics);
    ASSERT_TRUE(motion.ok()) << motion.error().ToString();
    ASSERT_EQ(diagnostics.entries().size(), 1u) << c.mark;
    EXPECT_EQ(diagnostics.entries()[0].code, "VMD_KEY_DROPPED");
    EXPECT_EQ(diagnostics.entries()[0].where, c.where);
    EXPECT_EQ(motion->bones.size() + motion->morphs.size() + motion->camera.size() +
                  motion->light.size() + motion->shadow.size(),
              9u);
    const auto written = WriteVmd(*motion);
    ASSERT_TRUE(written.ok());
    MemoryBudget budget(kBudget);
    Diagnostics none;
    const auto again = ParseVmd(*written, budget, none);
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(*again, *motion);
    EXPECT_TRUE(none.entries().empty());
  }
}

TEST(Vmd, RefusesWhatIsNoVmdAndIgnoresWhatFollows) {
  MmdBytes file = FullVmd();
  file.bytes[0] = std::byte{'v'};
  Diagnostics diagnostics;
  const auto refused = Parse(file, diagnostics);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kUnknownFormat);
  EXPECT_EQ(refused.error().place.byte_offset, 0u);
  file = FullVmd();
  file.Raw("xyz");
  const auto motion = Parse(file, diagnostics);
  ASSERT_TRUE(motion.ok());
  EXPECT_TRUE(diagnostics.Contains("VMD_TRAILING_BYTES"));
}

TEST(Vmd, WritesListsEvenWhereTheFileEndedEarly) {
  VmdMotion motion;
  motion.section_count = 2;
  motion.shadow.resize(1);
  const auto bytes = WriteVmd(motion);
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(bytes->size(), 50u + 5 * 4 + 9);
  MemoryBudget budget(kBudget);
  Diagnostics diagnostics;
  const auto read = ParseVmd(*bytes, budget, diagnostics);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->section_count, 5);
  motion.section_count = 5;
  EXPECT_EQ(*read, motion);
  motion.shadow[0].distance = std::numeric_limits<float>::infinity();
  const auto refused = WriteVmd(motion);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidValue);
  EXPECT_EQ(refused.error().place.element, "self shadow key 0");
}

TEST(Vmd, NamesEndAtTheFirstNul) {
  VmdName<15> name;
  EXPECT_EQ(name.view(), "");
  name.set("a name of more than fifteen bytes");
  EXPECT_EQ(name.view(), "a name of more ");
  name.bytes[3] = '\0';
  EXPECT_EQ(name.view(), "a n");
  VmdMotion motion;
  EXPECT_EQ(std::string_view(motion.signature.data(), 26),
            std::string_view("Vocaloid Motion Data 0002\0", 26));
}

}  // namespace
}  // namespace flexor::io::mmd
