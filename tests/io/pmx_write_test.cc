#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flexor/io/mmd/pmx.h"

#include "support/mmd_builder.h"

namespace flexor::io::mmd {
namespace {

using test::FullModel;
using test::FullPmx;
using ::testing::HasSubstr;

constexpr std::uint64_t kBudget = 256ull << 20;

PmxModel Read(const std::vector<std::byte>& bytes, Diagnostics& diagnostics) {
  MemoryBudget budget(kBudget);
  auto model = ParsePmx(bytes, budget, diagnostics);
  EXPECT_TRUE(model.ok()) << model.error().ToString();
  return model.ok() ? *std::move(model) : PmxModel();
}

TEST(PmxWrite, ChangesTheStorageAndNothingElse) {
  for (const PmxEncoding encoding : {PmxEncoding::kUtf16, PmxEncoding::kUtf8}) {
    for (const PmxWidths widths : {PmxWidths{2, 4, 1, 4, 2, 1}, PmxWidths{0, 0, 0, 0, 0, 0}}) {
      PmxWriteOptions options;
      options.encoding = encoding;
      options.widths = widths;
      const auto bytes = WritePmx(FullModel(), options);
      ASSERT_TRUE(bytes.ok()) << bytes.error().ToString();
      Diagnostics diagnostics;
      PmxModel read = Read(*bytes, diagnostics);
      EXPECT_EQ(read.encoding, encoding);
      EXPECT_EQ(read.widths, widths.vertex == 0 ? PmxWidths{} : widths);
      read.encoding = FullModel().encoding;
      read.widths = FullModel().widths;
      EXPECT_EQ(read, FullModel());
    }
  }
}

TEST(PmxWrite, OlderVersionKeepsWhatItCanAndSaysSo) {
  PmxWriteOptions options;
  options.version = PmxVersion::k20;
  Diagnostics notes;
  const auto bytes = WritePmx(FullModel(), options, &notes);
  ASSERT_TRUE(bytes.ok());
  EXPECT_TRUE(notes.Contains("MMD_WRITE_NEEDS_21"));
  EXPECT_TRUE(notes.Contains("MMD_WRITE_SOFT_BODIES_LEFT_OUT"));
  Diagnostics diagnostics;
  PmxModel read = Read(*bytes, diagnostics);
  PmxModel expected = FullModel();
  expected.version = PmxVersion::k20;
  expected.soft_bodies.clear();
  EXPECT_EQ(read, expected);
  // And back to 2.1, with an empty list of soft bodies.
  options.version = PmxVersion::k21;
  Diagnostics quiet;
  const auto newer = WritePmx(read, options, &quiet);
  ASSERT_TRUE(newer.ok());
  EXPECT_TRUE(quiet.entries().empty());
  read = Read(*newer, diagnostics);
  expected.version = PmxVersion::k21;
  EXPECT_EQ(read, expected);
}

TEST(PmxWrite, WidensTheModelsOwnWidthsButNotThoseAskedFor) {
  PmxModel model;
  model.bones.resize(129);
  model.bones[0].parent = 128;
  const auto bytes = WritePmx(model);
  ASSERT_TRUE(bytes.ok());
  Diagnostics diagnostics;
  EXPECT_EQ(Read(*bytes, diagnostics).widths, (PmxWidths{1, 1, 1, 2, 1, 1}));
  PmxWriteOptions options;
  options.widths = PmxWidths{};
  const auto refused = WritePmx(model, options);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kLimitExceeded);
  EXPECT_THAT(refused.error().message, HasSubstr("1 bytes cannot name 129 bones"));
  // What the indices that are there fit into is kept, so that a file comes back as it was.
  model.bones[0].parent = 127;
  EXPECT_EQ(Read(*WritePmx(model), diagnostics).widths, PmxWidths());
  options.widths = PmxWidths{1, 1, 1, 3, 1, 1};
  EXPECT_EQ(WritePmx(model, options).error().code, ErrorCode::kLimitExceeded);
}

TEST(PmxWrite, SmallestWidthsAtTheirBounds) {
  const struct {
    std::size_t vertices, bones;
    std::uint8_t vertex_width, bone_width;
  } cases[] = {{255, 128, 1, 1}, {256, 129, 2, 2}, {65535, 32768, 2, 2}, {65536, 32769, 4, 4}};
  for (const auto& c : cases) {
    PmxModel model;
    model.vertices.resize(c.vertices);
    model.bones.resize(c.bones);
    model.vertices.back().bones[0] = static_cast<std::int32_t>(c.bones - 1);
    model.indices = {static_cast<std::uint32_t>(c.vertices - 1), 0, 1};
    PmxWriteOptions options;
    options.widths = PmxWidths{0, 0, 0, 0, 0, 0};
    const auto bytes = WritePmx(model, options);
    ASSERT_TRUE(bytes.ok()) << bytes.error().ToString();
    Diagnostics diagnostics;
    const PmxModel read = Read(*bytes, diagnostics);
    EXPECT_EQ(read.widths.vertex, c.vertex_width) << c.vertices;
    EXPECT_EQ(read.widths.bone, c.bone_width) << c.bones;
    EXPECT_EQ(read.indices, model.indices);
    EXPECT_EQ(read.vertices.back().bones, model.vertices.back().bones);
  }
}

TEST(PmxWrite, RefusesWhatCouldNotBeReadBack) {
  const auto refuse = [](const char* what, ErrorCode code, auto&& spoil) {
    PmxModel model = FullModel();
    spoil(model);
    const auto bytes = WritePmx(model);
    ASSERT_FALSE(bytes.ok()) << what;
    EXPECT_EQ(bytes.error().code, code) << what << ": " << bytes.error().ToString();
    EXPECT_FALSE(bytes.error().place.element.empty()) << what;
  };
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const ErrorCode kIndex = ErrorCode::kIndexOutOfRange, kValue = ErrorCode::kInvalidValue,
                  kShape = ErrorCode::kShapeMismatch;
  refuse("bone of a vertex", kIndex, [](PmxModel& m) { m.vertices[2].bones[3] = 4; });
  refuse("below none", kIndex, [](PmxModel& m) { m.vertices[2].bones[3] = -2; });
  refuse("face", kIndex, [](PmxModel& m) { m.indices[5] = 5; });
  refuse("faces", kShape, [](PmxModel& m) { m.indices.pop_back(); });
  refuse("uvs", kShape, [](PmxModel& m) { m.additional_uvs.pop_back(); });
  refuse("uv count", kValue, [](PmxModel& m) { m.additional_uv_count = 5; });
  refuse("texture", kIndex, [](PmxModel& m) { m.materials[0].texture = 2; });
  refuse("shared toon", kIndex, [](PmxModel& m) { m.materials[1].toon = 10; });
  refuse("material run", kShape, [](PmxModel& m) { m.materials[1].index_count = 6; });
  refuse("material run", kShape, [](PmxModel& m) { m.materials[1].index_count = 1; });
  refuse("parent", kIndex, [](PmxModel& m) { m.bones[1].parent = 4; });
  refuse("ancestor", kValue, [](PmxModel& m) { m.bones[0].parent = 2; });
  refuse("append", kIndex, [](PmxModel& m) { m.bones[1].append_source = 4; });
  refuse("link", kIndex, [](PmxModel& m) { m.bones[3].ik.links[0].bone = 4; });
  refuse("effector", kIndex, [](PmxModel& m) { m.bones[3].ik.effector = -7; });
  refuse("group", kIndex, [](PmxModel& m) { m.morphs[0].group[0].morph = 11; });
  refuse("vertex morph", kIndex, [](PmxModel& m) { m.morphs[1].vertex[0].vertex = 5; });
  refuse("operation", kValue, [](PmxModel& m) { m.morphs[8].material[0].operation = 2; });
  refuse("type", kValue, [](PmxModel& m) { m.morphs[8].type = static_cast<PmxMorphType>(11); });
  refuse("weights", kValue,
         [](PmxModel& m) { m.vertices[0].type = static_cast<PmxWeightType>(5); });
  refuse("frame", kIndex, [](PmxModel& m) { m.frames[0].entries[0].index = 9; });
  refuse("body", kValue, [](PmxModel& m) { m.bodies[0].group = 16; });
  refuse("body's bone", kValue, [](PmxModel& m) { m.bodies[0].bone = 4; });
  refuse("joint", kIndex, [](PmxModel& m) { m.joints[0].body_b = 3; });
  refuse("pin", kIndex, [](PmxModel& m) { m.soft_bodies[0].pins[0] = 5; });
  refuse("soft shape", kValue, [](PmxModel& m) { m.soft_bodies[0].shape = 2; });
  refuse("position", kValue, [](PmxModel& m) { m.vertices[4].position.y = kNan; });
  refuse("joint number", kValue, [](PmxModel& m) { m.joints[3].rotation_max.z = kNan; });
  refuse("weight", kValue, [](PmxModel& m) { m.vertices[4].weights[3] = kNan; });
}

TEST(PmxWrite, RepairsTextsThatAreNoUtf8) {
  PmxModel model = FullModel();
  model.bones[1].name = "a\xff";
  for (const PmxEncoding encoding : {PmxEncoding::kUtf16, PmxEncoding::kUtf8}) {
    model.encoding = encoding;
    Diagnostics notes;
    const auto bytes = WritePmx(model, {}, &notes);
    ASSERT_TRUE(bytes.ok());
    EXPECT_TRUE(notes.Contains("MMD_WRITE_TEXT_REPAIRED"));
    Diagnostics diagnostics;
    EXPECT_EQ(Read(*bytes, diagnostics).bones[1].name, "a\xef\xbf\xbd");
    EXPECT_TRUE(diagnostics.entries().empty());
  }
}

TEST(PmxWrite, AnEmptyModelIsAModel) {
  const auto bytes = WritePmx({});
  ASSERT_TRUE(bytes.ok());
  Diagnostics diagnostics;
  EXPECT_EQ(Read(*bytes, diagnostics), PmxModel());
  EXPECT_TRUE(diagnostics.entries().empty());
}

}  // namespace
}  // namespace flexor::io::mmd
