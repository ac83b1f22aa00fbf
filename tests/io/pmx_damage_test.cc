// PMX files that are broken, cut short, or ask for more than they hold.

#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flexor/io/check.h"
#include "flexor/io/mmd/pmx.h"

#include "io/rules.h"
#include "support/mmd_builder.h"

namespace flexor::io::mmd {
namespace {

using test::FullModel;
using test::FullPmx;
using test::MmdBytes;
using ::testing::HasSubstr;

constexpr std::uint64_t kBudget = 64ull << 20;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

Result<PmxModel> Parse(const MmdBytes& file, Diagnostics& diagnostics) {
  MemoryBudget budget(kBudget);
  return ParsePmx(file.span(), budget, diagnostics);
}

/// Expects an error of that code at a marked place, in that element, whose message holds `words`.
void ExpectError(const MmdBytes& file, ErrorCode code, std::size_t offset,
                 const std::string& element, const std::string& words) {
  Diagnostics diagnostics;
  const auto model = Parse(file, diagnostics);
  ASSERT_FALSE(model.ok()) << words;
  const Error& error = model.error();
  EXPECT_EQ(error.code, code) << error.ToString();
  EXPECT_EQ(error.place.byte_offset, offset) << error.ToString();
  EXPECT_EQ(error.place.element, element) << error.ToString();
  EXPECT_THAT(error.message, HasSubstr(words));
}

/// Expects the file to load with exactly one finding, of that code and count.
PmxModel ExpectFinding(const MmdBytes& file, const std::string& code, std::uint64_t count,
                       const std::string& words) {
  Diagnostics diagnostics;
  auto model = Parse(file, diagnostics);
  EXPECT_TRUE(model.ok()) << model.error().ToString();
  if (!model.ok()) return {};
  EXPECT_EQ(diagnostics.entries().size(), 1u) << code;
  if (diagnostics.entries().empty()) return *std::move(model);
  const Diagnostic& said = diagnostics.entries()[0];
  EXPECT_EQ(said.code, code) << said.message;
  EXPECT_EQ(said.count, count) << said.message;
  EXPECT_THAT(said.message, HasSubstr(words));
  EXPECT_FALSE(said.where.empty());
  // Whatever was dropped, what is left can be written and read again, without a word if repaired.
  const auto written = WritePmx(*model);
  EXPECT_TRUE(written.ok()) << written.error().ToString();
  Diagnostics after;
  MemoryBudget budget(kBudget);
  const auto again = ParsePmx(*written, budget, after);
  EXPECT_TRUE(again.ok()) << again.error().ToString();
  if (again.ok()) {
    EXPECT_EQ(*again, *model);
  }
  return *std::move(model);
}

TEST(MmdRules, AreSortedAndKnownToTheCheck) {
  std::set<std::string_view> listed;
  for (const CheckRule& rule : CheckRules()) listed.insert(rule.code);
  std::string_view before;
  for (const Rule& rule : Rules()) {
    EXPECT_LT(before, rule.code);
    EXPECT_TRUE(listed.contains(rule.code)) << rule.code;
    before = rule.code;
  }
  Diagnostics diagnostics;
  Report(diagnostics, "MMD_IK_SPLIT", "here", "words", 3);
  EXPECT_EQ(diagnostics.entries()[0].severity, Severity::kInfo);
  EXPECT_EQ(diagnostics.entries()[0].count, 3u);
}

TEST(PmxDamage, EveryTruncationIsAnErrorWithItsPlace) {
  for (const PmxVersion version : {PmxVersion::k20, PmxVersion::k21}) {
    const MmdBytes file = FullPmx({version, PmxEncoding::kUtf16, {}, 2});
    std::set<std::string> sections;
    for (std::size_t length = 0; length < file.bytes.size(); ++length) {
      MemoryBudget budget(kBudget);
      Diagnostics diagnostics;
      const auto model = ParsePmx(file.span().first(length), budget, diagnostics);
      ASSERT_FALSE(model.ok()) << length;
      const Error& error = model.error();
      ASSERT_EQ(error.code, ErrorCode::kTruncated) << length << ": " << error.ToString();
      ASSERT_TRUE(error.place.byte_offset.has_value()) << length;
      ASSERT_LE(*error.place.byte_offset, length);
      ASSERT_FALSE(error.place.element.empty()) << length;
      sections.insert(error.place.element);
    }
    for (const char* section :
         {"header", "vertices", "vertex 4", "faces", "textures", "texture 1", "materials",
          "material 1", "bones", "bone 3", "morphs", "morph 10", "display frames",
          "display frame 1", "rigid bodies", "rigid body 2", "joints", "joint 5"}) {
      EXPECT_TRUE(sections.contains(section)) << section;
    }
    EXPECT_EQ(sections.contains("soft body 0"), version == PmxVersion::k21);
  }
}

TEST(PmxDamage, ATruncationNamesBothNumbers) {
  MmdBytes file = FullPmx();
  file.bytes.resize(file.at["bone 3 limit"] + 2);
  ExpectError(
      file, ErrorCode::kTruncated, file.at["bone 3 limit"], "bone 3",
      "takes 4 bytes at byte " + std::to_string(file.at["bone 3 limit"]) + ", but only 2 are left");
}

TEST(PmxDamage, CountsAreCheckedAgainstTheBytesThatRemain) {
  for (const char* count :
       {"vertices", "faces", "textures", "materials", "bones", "bone 3 links", "morphs",
        "morph 0 count", "morph 1 count", "display frames", "rigid bodies", "joints", "soft bodies",
        "soft body 0 anchors", "soft body 0 pins"}) {
    SCOPED_TRACE(count);
    for (const std::int64_t claim : {0x7fffffffll, 100000ll, -1ll, -0x80000000ll}) {
      MmdBytes file = FullPmx();
      file.Patch(count, static_cast<std::uint64_t>(claim), 4);
      MemoryBudget budget(kBudget);
      Diagnostics diagnostics;
      const auto model = ParsePmx(file.span(), budget, diagnostics);
      ASSERT_FALSE(model.ok());
      const Error& error = model.error();
      EXPECT_EQ(error.code, claim < 0 ? ErrorCode::kInvalidValue : ErrorCode::kTruncated)
          << error.ToString();
      EXPECT_EQ(error.place.byte_offset, file.at[count]) << error.ToString();
      EXPECT_THAT(error.message, HasSubstr(std::to_string(claim)));
      // What a claim may cost is bounded by the file, not by the claim.
      EXPECT_LT(budget.used(), 100 * file.bytes.size());
    }
  }
  // A text that claims more than there is.
  MmdBytes file = FullPmx();
  file.Patch("name", 0x7fffffff, 4);
  ExpectError(file, ErrorCode::kTruncated, file.at["name"] + 4, "header", "2147483647 bytes");
  file.Patch("name", 0xffffffff, 4);
  ExpectError(file, ErrorCode::kInvalidValue, file.at["name"], "header", "-1 bytes");
}

TEST(PmxDamage, TheMemoryBudgetHolds) {
  const MmdBytes file = FullPmx();
  MemoryBudget whole(kBudget);
  Diagnostics diagnostics;
  ASSERT_TRUE(ParsePmx(file.span(), whole, diagnostics).ok());
  ASSERT_GT(whole.used(), 0u);
  for (std::uint64_t limit = 0; limit < whole.used(); limit += 37) {
    MemoryBudget budget(limit);
    const auto model = ParsePmx(file.span(), budget, diagnostics);
    ASSERT_FALSE(model.ok()) << limit;
    ASSERT_EQ(model.error().code, ErrorCode::kLimitExceeded) << model.error().ToString();
    ASSERT_TRUE(model.error().place.byte_offset.has_value());
    ASSERT_LE(budget.used(), limit);
  }
  MemoryBudget exact(whole.used());
  EXPECT_TRUE(ParsePmx(file.span(), exact, diagnostics).ok());
}

TEST(PmxDamage, HeadersThatAreNotPmx) {
  MmdBytes file = FullPmx();
  file.bytes[3] = std::byte{'!'};
  ExpectError(file, ErrorCode::kUnknownFormat, 0, "header", "'PMX '");
  file = FullPmx();
  for (const float version : {1.0f, 2.2f, -2.0f, kNan}) {
    file.PatchFloat("version", version);
    ExpectError(file, ErrorCode::kUnsupportedFeature, 4, "header", "2.0 and 2.1");
  }
  file = FullPmx();
  file.Patch("globals", 7, 1);
  ExpectError(file, ErrorCode::kInvalidValue, 8, "header", "7 settings");
  file = FullPmx();
  file.Patch("globals", 2, 1, 1);
  ExpectError(file, ErrorCode::kInvalidValue, 9, "header", "encoding is 2");
  file = FullPmx();
  file.Patch("globals", 5, 1, 2);
  ExpectError(file, ErrorCode::kInvalidValue, 10, "header", "5 additional vectors");
  for (std::size_t i = 0; i < 6; ++i) {
    for (const std::uint64_t width : {0, 3, 8, 255}) {
      file = FullPmx();
      file.Patch("globals", width, 1, 3 + i);
      ExpectError(file, ErrorCode::kInvalidValue, 11 + i, "header", std::to_string(width));
    }
  }
}

TEST(PmxDamage, BrokenVerticesAndFacesAreErrors) {
  MmdBytes file = FullPmx();
  file.Patch("vertex 2 type", 7, 1);
  ExpectError(file, ErrorCode::kInvalidValue, file.at["vertex 2 type"], "vertex 2",
              "weight type of vertex 2 is 7");
  file = FullPmx();
  file.Patch("vertex 0 bone", 100, 1);
  ExpectError(file, ErrorCode::kIndexOutOfRange, file.at["vertex 0"], "vertex 0",
              "is 100, but there are 4 bones");
  file = FullPmx();
  file.Patch("vertex 4 type", 0xfe, 1, 1);  // -2 in the first of four bones
  ExpectError(file, ErrorCode::kIndexOutOfRange, file.at["vertex 4"], "vertex 4", "is -2");
  for (const char* place : {"vertex 3", "vertex 1 weight", "vertex 3 sdef"}) {
    for (const float number : {kNan, kInfinity, -kInfinity}) {
      file = FullPmx();
      file.PatchFloat(place, number);
      Diagnostics diagnostics;
      const auto model = Parse(file, diagnostics);
      ASSERT_FALSE(model.ok()) << place;
      EXPECT_EQ(model.error().code, ErrorCode::kInvalidValue);
      EXPECT_THAT(model.error().message, HasSubstr("not finite"));
    }
  }
  file = FullPmx();
  file.Patch("face index 0", 5, 1, 4);
  ExpectError(file, ErrorCode::kIndexOutOfRange, file.at["face index 0"] + 4, "face index 4",
              "names vertex 5, but there are 5 vertices");
  file = FullPmx();
  file.Patch("faces", 5, 4);
  ExpectError(file, ErrorCode::kShapeMismatch, file.at["faces"], "faces", "5 face indices");
}

TEST(PmxDamage, NormalsAndTextureCoordinatesAreRepaired) {
  MmdBytes file = FullPmx();
  file.PatchFloat("vertex 1 normal", kNan, 4);
  const PmxModel model = ExpectFinding(file, "MMD_VERTEX_VALUE_REPAIRED", 1, "vertex 1");
  EXPECT_EQ(model.vertices[1].normal, Vec3f{});
  EXPECT_EQ(model.vertices[0].normal, (Vec3f{0, 1, 0}));
  file = FullPmx();
  file.PatchFloat("vertex 2 normal", kInfinity, 12);  // u
  file.PatchFloat("vertex 3 normal", kNan, 24);       // the second additional number
  const PmxModel other = ExpectFinding(file, "MMD_VERTEX_VALUE_REPAIRED", 2, "vertex 2");
  EXPECT_EQ(other.vertices[2].uv, Vec2f{});
  EXPECT_EQ(other.additional_uvs[3], Vec4f{});
}

TEST(PmxDamage, MaterialsMustFitTheFaces) {
  MmdBytes file = FullPmx();
  file.Patch("material 1 count", 6, 4);
  ExpectError(file, ErrorCode::kShapeMismatch, file.at["material 1"], "material 1",
              "take 9 face indices, but there are 6");
  file = FullPmx();
  for (const std::uint64_t count : {0xffffffffull, 4ull}) {
    file.Patch("material 0 count", count, 4);
    ExpectError(file, ErrorCode::kShapeMismatch, file.at["material 0 count"], "material 0",
                "multiple of 3");
  }
  file = FullPmx();
  file.Patch("material 1 count", 0, 4);
  ExpectFinding(file, "MMD_MATERIALS_LEAVE_FACES", 1, "take 3 face indices, but there are 6");
  file = FullPmx();
  file.Patch("material 0 toon kind", 2, 1);
  ExpectError(file, ErrorCode::kInvalidValue, file.at["material 0 toon kind"], "material 0",
              "kind of toon");
}

TEST(PmxDamage, MaterialsLoseTexturesThatAreNotThere) {
  MmdBytes file = FullPmx();
  file.Patch("material 0 texture", 2, 1);
  PmxModel model = ExpectFinding(file, "MMD_MATERIAL_TEXTURE_OOB", 1, "is 2, but there are 2");
  EXPECT_EQ(model.materials[0].texture, kNoIndex);
  EXPECT_EQ(model.materials[0].sphere, 1);
  file = FullPmx();
  file.Patch("material 0 toon", 0x80, 1);
  model = ExpectFinding(file, "MMD_MATERIAL_TEXTURE_OOB", 1, "is -128");
  EXPECT_EQ(model.materials[0].toon, kNoIndex);
  file = FullPmx();
  file.Patch("material 1 toon", 10, 1);
  model = ExpectFinding(file, "MMD_MATERIAL_TEXTURE_OOB", 1, "is 10, but there are 10");
  EXPECT_EQ(model.materials[1].toon, kNoIndex);
  EXPECT_TRUE(model.materials[1].shared_toon);
  file = FullPmx();
  file.PatchFloat("material 0 diffuse", kNan, 4);
  model = ExpectFinding(file, "MMD_MATERIAL_VALUE_REPAIRED", 1, "material 0");
  EXPECT_EQ(model.materials[0].diffuse, Vec4f{});
}

TEST(PmxDamage, ValuesOfTheFutureAreKept) {
  MmdBytes file = FullPmx();
  file.Patch("material 0 sphere mode", 9, 1);
  Diagnostics diagnostics;
  const auto model = Parse(file, diagnostics);
  ASSERT_TRUE(model.ok());
  EXPECT_TRUE(diagnostics.Contains("MMD_UNKNOWN_VALUE"));
  EXPECT_EQ(model->materials[0].sphere_mode, 9);
  EXPECT_TRUE(*WritePmx(*model) == file.bytes);
  file = FullPmx();
  file.Patch("morph 0 panel", 77, 1);
  file.Patch("bone 1 flags", 0xffc3 & 0xffdf, 2);  // unknown bits 0x40, 0x4000 and 0x8000
  Diagnostics more;
  const auto other = Parse(file, more);
  ASSERT_TRUE(other.ok()) << other.error().ToString();
  ASSERT_EQ(more.entries().size(), 1u);
  EXPECT_EQ(more.entries()[0].count, 2u);
  EXPECT_EQ(other->morphs[0].panel, 77);
  EXPECT_TRUE(*WritePmx(*other) == file.bytes);
}

TEST(PmxDamage, BrokenBonesAreErrors) {
  const struct {
    const char* mark;
    std::uint64_t value;
    const char* element;
    const char* words;
  } cases[] = {{"bone 1 parent", 4, "bone 1", "the parent of bone 1 is 4, but there are 4 bones"},
               {"bone 1 parent", 0xfe, "bone 1", "is -2"},
               {"bone 1 append", 9, "bone 1", "the append source"},
               {"bone 3 effector", 4, "bone 3", "the IK effector"},
               {"bone 3 link", 5, "bone 3", "an IK link"}};
  for (const auto& c : cases) {
    MmdBytes file = FullPmx();
    file.Patch(c.mark, c.value, 1);
    ExpectError(file, ErrorCode::kIndexOutOfRange, file.at[c.element], c.element, c.words);
  }
  for (const char* mark : {"bone 1 position", "bone 1 ratio", "bone 3 angle", "bone 3 limit"}) {
    MmdBytes file = FullPmx();
    file.PatchFloat(mark, kNan);
    const std::string element = std::string(mark).substr(0, 6);
    ExpectError(file, ErrorCode::kInvalidValue, file.at[element], element, "not finite");
  }
}

TEST(PmxDamage, TailsAndAxesAreRepaired) {
  MmdBytes file = FullPmx();
  file.Patch("bone 1 tail", 99, 1);
  PmxModel model = ExpectFinding(file, "MMD_BONE_VALUE_REPAIRED", 1, "is bone 99");
  EXPECT_EQ(model.bones[1].tail_bone, kNoIndex);
  file = FullPmx();
  file.PatchFloat("bone 1 axis", kNan);
  file.PatchFloat("bone 0 tail", kInfinity);
  model = ExpectFinding(file, "MMD_BONE_VALUE_REPAIRED", 2, "bone 0");
  EXPECT_EQ(model.bones[1].fixed_axis, Vec3f{});
  EXPECT_EQ(model.bones[0].tail_offset, Vec3f{});
}

TEST(PmxDamage, ABoneCannotBeItsOwnAncestor) {
  MmdBytes file = FullPmx();
  file.Patch("bone 0 parent", 2, 1);  // 2 -> 1 -> 0 -> 2
  ExpectError(file, ErrorCode::kInvalidValue, file.at["bone 0"], "bone 0", "its own ancestor");
  file = FullPmx();
  file.Patch("bone 1 parent", 1, 1);
  ExpectError(file, ErrorCode::kInvalidValue, file.at["bone 1"], "bone 1", "its own ancestor");
}

TEST(PmxDamage, CirclesOfAppendsAreOpened) {
  MmdBytes file = FullPmx();
  file.Patch("bone 2 append", 1, 1);  // 1 -> 2 -> 1
  const PmxModel model = ExpectFinding(file, "MMD_APPEND_CYCLE", 1, "over 2 bones");
  EXPECT_TRUE(model.bones[1].appends());
  EXPECT_FALSE(model.bones[2].appends());
  file = FullPmx();
  file.Patch("bone 1 append", 1, 1);
  const PmxModel own = ExpectFinding(file, "MMD_APPEND_CYCLE", 1, "bone 1 '腕'");
  EXPECT_FALSE(own.bones[1].appends());
  EXPECT_EQ(own.bones[1].append_source, kNoIndex);
}

TEST(PmxDamage, AnIkDoesNotTurnItsOwnGoal) {
  MmdBytes file = FullPmx();
  file.Patch("bone 3 link", 3, 1);
  const PmxModel model = ExpectFinding(file, "MMD_IK_LINK_DROPPED", 1, "bone 3");
  ASSERT_EQ(model.bones[3].ik.links.size(), 1u);
  EXPECT_EQ(model.bones[3].ik.links[0].bone, 0);
}

TEST(PmxDamage, MorphEntriesThatNameNothingAreDropped) {
  const struct {
    const char* mark;
    std::uint64_t value;
    const char* words;
  } cases[] = {{"morph 0 entry", 11, "entry 0 of morph 0 '組'"},
               {"morph 1 entry", 5, "entry 0 of morph 1 'あ'"},
               {"morph 2 entry", 0xfd, "entry 0 of morph 2"},
               {"morph 3 entry", 0xff, "entry 0 of morph 3"},
               {"morph 8 entry", 2, "entry 0 of morph 8"},
               {"morph 9 entry", 12, "entry 0 of morph 9"},
               {"morph 10 entry", 3, "names rigid body 3"}};
  for (const auto& c : cases) {
    MmdBytes file = FullPmx();
    file.Patch(c.mark, c.value, 1);
    const PmxModel model = ExpectFinding(file, "MMD_MORPH_ENTRY_DROPPED", 1, c.words);
    EXPECT_EQ(model.morphs.size(), 11u);
  }
  MmdBytes file = FullPmx();
  file.Patch("morph 1 entry", 200, 1);
  const PmxModel model = ExpectFinding(file, "MMD_MORPH_ENTRY_DROPPED", 1, "entry 0");
  EXPECT_EQ(model.morphs[1].vertex, (std::vector<PmxVertexEntry>{{0, {1, 0, 0}}}));
  for (const char* mark :
       {"morph 0 entry", "morph 1 entry", "morph 2 entry", "morph 3 entry", "morph 9 entry"}) {
    file = FullPmx();
    file.PatchFloat(mark, kNan, 1);
    ExpectFinding(file, "MMD_MORPH_ENTRY_DROPPED", 1, "not finite");
  }
  file = FullPmx();
  file.PatchFloat("morph 10 entry", kNan, 2);
  ExpectFinding(file, "MMD_MORPH_ENTRY_DROPPED", 1, "not finite");
  file = FullPmx();
  file.PatchFloat("morph 8 numbers", kInfinity, 27 * 4);
  ExpectFinding(file, "MMD_MORPH_ENTRY_DROPPED", 1, "not finite");
  file = FullPmx();
  file.Patch("morph 8 entry", 2, 1, 1);
  ExpectFinding(file, "MMD_MORPH_ENTRY_DROPPED", 1, "operation");
  file = FullPmx();
  file.Patch("morph 0 type", 11, 1);
  ExpectError(file, ErrorCode::kInvalidValue, file.at["morph 0 type"], "morph 0", "is 11");
}

TEST(PmxDamage, CirclesOfGroupMorphsAreOpened) {
  MmdBytes file = FullPmx();
  file.Patch("morph 0 entry", 0, 1);
  PmxModel model = ExpectFinding(file, "MMD_GROUP_MORPH_CYCLE", 1, "morph 0");
  EXPECT_EQ(model.morphs[0].group, (std::vector<PmxGroupEntry>{{2, 1}}));
  file = FullPmx();
  file.Patch("morph 0 entry", 9, 1);  // group 0 -> flip 9 -> group 0
  model = ExpectFinding(file, "MMD_GROUP_MORPH_CYCLE", 1, "morph 9");
  EXPECT_EQ(model.morphs[0].group.size(), 2u);
  EXPECT_TRUE(model.morphs[9].group.empty());
}

TEST(PmxDamage, AChainOfGroupMorphsIsNoCircleHoweverLong) {
  PmxModel model;
  constexpr std::size_t kLong = 100000;
  model.morphs.resize(kLong);
  for (std::size_t i = 0; i < kLong; ++i) {
    model.morphs[i].type = PmxMorphType::kGroup;
    if (i + 1 < kLong) model.morphs[i].group = {{static_cast<std::int32_t>(i + 1), 1}};
  }
  const auto bytes = WritePmx(model);
  ASSERT_TRUE(bytes.ok());
  MemoryBudget budget(kBudget);
  Diagnostics diagnostics;
  const auto read = ParsePmx(*bytes, budget, diagnostics);
  ASSERT_TRUE(read.ok()) << read.error().ToString();
  EXPECT_TRUE(diagnostics.entries().empty());
  EXPECT_EQ(read->morphs[0].group.size(), 1u);
}

TEST(PmxDamage, DisplayFrameEntriesThatNameNothingAreDropped) {
  MmdBytes file = FullPmx();
  file.Patch("display frame 0 entry", 44, 1);
  const PmxModel model =
      ExpectFinding(file, "MMD_FRAME_ENTRY_DROPPED", 1, "is 44, but there are 4 bones");
  EXPECT_TRUE(model.frames[0].entries.empty());
  EXPECT_EQ(model.frames[1].entries.size(), 2u);
  file = FullPmx();
  file.Patch("display frame 0 kind", 2, 1);
  ExpectError(file, ErrorCode::kInvalidValue, file.at["display frame 0 kind"], "display frame 0",
              "kind of entry 0");
}

TEST(PmxDamage, BrokenBodiesTakeTheirJointsAlong) {
  const struct {
    const char* mark;
    std::uint64_t value;
    const char* words;
  } cases[] = {{"rigid body 0 bone", 4, "bone 4, but there are 4"},
               {"rigid body 0 group", 16, "group 16"},
               {"rigid body 0 shape", 3, "shape 3"},
               {"rigid body 0 mode", 3, "mode 3"}};
  for (const auto& c : cases) {
    MmdBytes file = FullPmx();
    file.Patch(c.mark, c.value, 1);
    Diagnostics diagnostics;
    const auto model = Parse(file, diagnostics);
    ASSERT_TRUE(model.ok()) << model.error().ToString();
    ASSERT_EQ(model->bodies.size(), 2u);
    EXPECT_EQ(model->bodies[0].name, "筒");
    EXPECT_TRUE(model->joints.empty());
    EXPECT_TRUE(model->soft_bodies.empty());          // its anchor was on that body
    EXPECT_EQ(model->morphs[10].impulse[0].body, 0);  // was 1
    std::map<std::string, std::uint64_t> counts;
    for (const Diagnostic& d : diagnostics.entries()) counts[d.code] = d.count;
    EXPECT_EQ(counts, (std::map<std::string, std::uint64_t>{{"MMD_BODY_DROPPED", 1},
                                                            {"MMD_JOINT_DROPPED", 6},
                                                            {"MMD_SOFT_BODY_DROPPED", 1}}));
    EXPECT_THAT(diagnostics.entries()[0].message, HasSubstr(c.words));
  }
}

TEST(PmxDamage, BrokenJointsAndSoftBodiesAreDropped) {
  MmdBytes file = FullPmx();
  file.Patch("joint 2 bodies", 3, 1);
  PmxModel model = ExpectFinding(file, "MMD_JOINT_DROPPED", 1, "there are 3");
  EXPECT_EQ(model.joints.size(), 5u);
  file = FullPmx();
  file.Patch("joint 2 type", 6, 1);
  model = ExpectFinding(file, "MMD_JOINT_DROPPED", 1, "type 6");
  file = FullPmx();
  file.PatchFloat("joint 4 numbers", kNan, 20);
  model = ExpectFinding(file, "MMD_JOINT_DROPPED", 1, "not finite");
  file = FullPmx();
  file.PatchFloat("joint 1 numbers", 5, 24);  // least x of the translation, most is 1
  model = ExpectFinding(file, "MMD_JOINT_LIMITS_REVERSED", 1, "joint 1");
  EXPECT_EQ(model.joints.size(), 6u);
  EXPECT_EQ(model.joints[1].translation_min.x, 5);
  const std::pair<const char*, std::uint64_t> soft[] = {
      {"soft body 0 shape", 2}, {"soft body 0 material", 2}, {"soft body 0 anchor", 3}};
  for (const auto& [mark, value] : soft) {
    file = FullPmx();
    file.Patch(mark, value, 1);
    model = ExpectFinding(file, "MMD_SOFT_BODY_DROPPED", 1, "soft body 0 '布'");
    EXPECT_TRUE(model.soft_bodies.empty());
  }
  file = FullPmx();
  file.PatchFloat("soft body 0 mass", kNan);
  ExpectFinding(file, "MMD_SOFT_BODY_DROPPED", 1, "not finite");
}

TEST(PmxDamage, WhatFollowsTheLastSectionIsKept) {
  MmdBytes file = FullPmx();
  file.Raw("garbage");
  const PmxModel model = ExpectFinding(file, "MMD_TRAILING_BYTES", 1, "7 bytes");
  PmxModel expected = FullModel();
  for (const char c : std::string("garbage"))
    expected.trailing.push_back(static_cast<std::byte>(c));
  EXPECT_EQ(model, expected);
  EXPECT_TRUE(*WritePmx(model) == file.bytes);
  PmxWriteOptions options;
  options.version = PmxVersion::k20;
  Diagnostics diagnostics;
  MemoryBudget budget(kBudget);
  const auto other = ParsePmx(*WritePmx(model, options), budget, diagnostics);
  ASSERT_TRUE(other.ok());
  EXPECT_TRUE(other->trailing.empty());
}

TEST(PmxDamage, AMillionFaultsMakeOneFinding) {
  PmxModel model;
  model.vertices.resize(1);
  model.morphs.resize(1);
  model.morphs[0].vertex.resize(1000000);
  auto bytes = WritePmx(model);
  ASSERT_TRUE(bytes.ok());
  // All entries name vertex 0; without vertices none is right. The one vertex of 38 bytes goes.
  MmdBytes file;
  file.bytes = *bytes;
  const std::size_t vertices = 4 + 4 + 9 + 16;
  file.bytes.erase(file.bytes.begin() + vertices + 4, file.bytes.begin() + vertices + 4 + 38);
  file.at["vertices"] = vertices;
  file.Patch("vertices", 0, 4);
  const PmxModel read = ExpectFinding(file, "MMD_MORPH_ENTRY_DROPPED", 1000000, "entry 0");
  EXPECT_TRUE(read.morphs[0].vertex.empty());
}

TEST(PmxDamage, EveryByteMayBeAnything) {
  // Whatever one byte becomes: an error with words and place, or a model that can be written and
  // read back as the same.
  const MmdBytes whole = FullPmx();
  std::size_t read = 0, refused = 0;
  for (std::size_t i = 0; i < whole.bytes.size(); ++i) {
    for (const unsigned value : {0x00u, 0x01u, 0x7fu, 0x80u, 0xffu}) {
      MmdBytes file = whole;
      file.bytes[i] = static_cast<std::byte>(value);
      MemoryBudget budget(kBudget);
      Diagnostics diagnostics;
      const auto model = ParsePmx(file.span(), budget, diagnostics);
      if (!model.ok()) {
        ++refused;
        ASSERT_FALSE(model.error().message.empty());
        ASSERT_FALSE(model.error().place.element.empty());
        ASSERT_TRUE(model.error().place.byte_offset.has_value());
        continue;
      }
      ++read;
      const auto written = WritePmx(*model);
      ASSERT_TRUE(written.ok()) << i << ": " << written.error().ToString();
      if (diagnostics.entries().empty()) {
        ASSERT_TRUE(*written == file.bytes) << i;
      }
      const auto again = ParsePmx(*written, budget, diagnostics);
      ASSERT_TRUE(again.ok()) << i << ": " << again.error().ToString();
      ASSERT_EQ(*again, *model) << i;
    }
  }
  EXPECT_GT(read, 1000u);
  EXPECT_GT(refused, 1000u);
}

}  // namespace
}  // namespace flexor::io::mmd
