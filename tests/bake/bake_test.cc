#include "flexor/bake/bake.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "flexor/asset/sample.h"
#include "flexor/core/version.h"

#include "support/command.h"

namespace flexor::bake {
namespace {

using test::Folder;
using test::ReadText;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

asset::Character Twist() { return std::move(asset::MakeSample("twist")).value(); }

// The twist with a second tube beside the first.
asset::Character TwoTubes() {
  asset::Character character = Twist();
  character.instances.push_back(character.instances[0]);
  character.instances[1].name = "second/tube";
  EXPECT_TRUE(asset::Finalize(character).ok());
  return character;
}

BakeSettings Settings(const std::string& path, const FrameRange& range) {
  BakeSettings settings;
  settings.clip = 0;
  settings.times = *ListTimes(nullptr, range, 30);
  settings.path = path;
  return settings;
}

template <class T>
T At(const std::string& bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

TEST(BakeFormatOf, GoesByExtensionInEitherCase) {
  EXPECT_EQ(*BakeFormatOf("a/b.c/x.NPZ"), BakeFormat::kNpz);
  EXPECT_EQ(*BakeFormatOf("{mesh}.{frame}.obj"), BakeFormat::kObj);
  for (const char* bad : {"", "x", "x.", "x.usd", "npz", "x.npz/"}) {
    EXPECT_EQ(BakeFormatOf(bad).error().code, ErrorCode::kInvalidArgument) << bad;
  }
}

TEST(Bake, ACacheHoldsEachFrameAsThePerformerGivesIt) {
  const asset::Character character = Twist();
  const Folder folder;
  const auto report = Bake(character, Settings(folder / "x.pc2", {10, 20, 0.5}));
  ASSERT_TRUE(report.ok()) << report.error().ToString();
  EXPECT_EQ(report->frames, 21u);
  EXPECT_EQ(report->vertices, 60u);
  EXPECT_THAT(report->files, ElementsAre(folder / "x.pc2"));
  EXPECT_THAT(folder.Names(), ElementsAre("x.pc2"));

  const std::string bytes = ReadText(folder / "x.pc2");
  ASSERT_EQ(bytes.size(), 32 + 21 * 60 * 12u);
  EXPECT_EQ(At<std::uint32_t>(bytes, 16), 60u);
  EXPECT_EQ(At<std::uint32_t>(bytes, 28), 21u);
  auto performer = Performer::Create(character, {});
  ASSERT_TRUE(performer.ok());
  for (std::size_t i = 0; i < 21; ++i) {
    ASSERT_TRUE(performer->Evaluate(0, (10 + 0.5 * static_cast<double>(i)) / 30).ok());
    const auto& positions = performer->results()[0].positions;
    EXPECT_EQ(std::memcmp(bytes.data() + 32 + i * 720, positions.data(), 720), 0) << i;
  }
}

TEST(Bake, OneFilePerFrameIsNamedByItsFrame) {
  const asset::Character character = Twist();
  const Folder folder;
  const auto report = Bake(character, Settings(folder / "x.{frame}.obj", {0, 1, 0.5}));
  ASSERT_TRUE(report.ok()) << report.error().ToString();
  EXPECT_THAT(folder.Names(), ElementsAre("x.0000.5.obj", "x.0000.obj", "x.0001.obj"));
  EXPECT_THAT(ReadText(folder / "x.0000.obj"), HasSubstr("vn "));
}

TEST(Bake, SeveralMeshesNeedAPlaceEachOrOneTogether) {
  const asset::Character character = TwoTubes();
  const Folder folder;
  const auto refused = Bake(character, Settings(folder / "x.pc2", {0, 1, 1}));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(refused.error().message, HasSubstr("x.{mesh}.pc2"));
  EXPECT_EQ(refused.error().place.element, "BakeSettings::merge");
  EXPECT_THAT(folder.Names(), IsEmpty());

  ASSERT_TRUE(Bake(character, Settings(folder / "x.{mesh}.pc2", {0, 1, 1})).ok());
  EXPECT_THAT(folder.Names(), ElementsAre("x.second_tube.pc2", "x.tube.pc2"));
}

TEST(Bake, MergedMeshesStandOneAfterAnotherAndAMapSaysWhere) {
  const asset::Character character = TwoTubes();
  const Folder folder;
  BakeSettings settings = Settings(folder / "x.pc2", {30, 30, 1});
  settings.merge = true;
  const auto report = Bake(character, settings);
  ASSERT_TRUE(report.ok()) << report.error().ToString();
  EXPECT_EQ(report->point_order_file, folder / "x.pc2.points.json");
  EXPECT_EQ(report->meshes, 1u);
  const std::string bytes = ReadText(folder / "x.pc2");
  ASSERT_EQ(bytes.size(), 32 + 120 * 12u);
  EXPECT_EQ(bytes.substr(32, 720), bytes.substr(32 + 720, 720));
  const auto map = nlohmann::json::parse(ReadText(report->point_order_file));
  ASSERT_EQ(map.size(), 2u);
  EXPECT_EQ(map[1]["mesh"], "second/tube");
  EXPECT_EQ(map[1]["first_point"], 60);
  EXPECT_EQ(map[1]["points"], 60);
}

TEST(Bake, NpzSaysWhatItHolds) {
  const asset::Character character = TwoTubes();
  const Folder folder;
  BakeSettings settings = Settings(folder / "x.npz", {0, 2, 1});
  settings.time_offset = 40.04;
  settings.performer.deform.method = asset::SkinningMethod::kDualQuaternion;
  ASSERT_TRUE(Bake(character, settings).ok());
  const std::string bytes = ReadText(folder / "x.npz");
  for (const char* key :
       {"tube/points.npy", "second_tube/points.npy", "tube/normals.npy", "times.npy", "meta.npy"}) {
    EXPECT_THAT(bytes, HasSubstr(key));
  }
  std::string writer;  // as NumPy keeps text: four bytes a character
  for (const char c : "\"writer\":\"" + std::string(WriterName()) + "\"") {
    writer += {c, '\0', '\0', '\0'};
  }
  EXPECT_NE(bytes.find(writer), bytes.npos);
  const double first = 0.0 + 40.04, last = 2.0 / 30 + 40.04;
  EXPECT_NE(bytes.find(std::string(reinterpret_cast<const char*>(&first), 8)), bytes.npos);
  EXPECT_NE(bytes.find(std::string(reinterpret_cast<const char*>(&last), 8)), bytes.npos);
}

TEST(Bake, NormalsCanBeLeftOut) {
  const asset::Character character = Twist();
  const Folder folder;
  BakeSettings settings = Settings(folder / "x.npz", {0, 0, 1});
  settings.normals = false;
  ASSERT_TRUE(Bake(character, settings).ok());
  EXPECT_EQ(ReadText(folder / "x.npz").find("normals.npy"), std::string::npos);
}

TEST(Bake, RefusesWhatAFileCannotHold) {
  const asset::Character character = Twist();
  const Folder folder;
  const auto message = [&](const std::string& name, const FrameRange& range) {
    const auto report = Bake(character, Settings(folder / name, range));
    EXPECT_FALSE(report.ok());
    EXPECT_EQ(report.error().code, ErrorCode::kInvalidArgument);
    return report.ok() ? std::string() : report.error().message;
  };
  EXPECT_THAT(message("x.obj", {0, 3, 1}), HasSubstr("x.{frame}.obj"));
  EXPECT_THAT(message("x.glb", {0, 3, 1}), HasSubstr("4 frames"));
  EXPECT_THAT(message("x.{frame}.npz", {0, 3, 1}), HasSubstr("leave it out"));
  EXPECT_THAT(message("x.abc", {0, 3, 1}), HasSubstr(".npz"));
  EXPECT_THAT(folder.Names(), IsEmpty());
  asset::Character hidden = Twist();
  hidden.instances[0].visible = false;
  const auto nothing = Bake(hidden, Settings(folder / "x.npz", {0, 1, 1}));
  ASSERT_FALSE(nothing.ok());
  // The call makes sense; it is the character that has nothing.
  EXPECT_EQ(nothing.error().code, ErrorCode::kInvalidValue);
  EXPECT_THAT(nothing.error().message, HasSubstr("1 outside it"));
  hidden.instances.clear();
  const auto bare = Bake(hidden, Settings(folder / "x.npz", {0, 1, 1}));
  ASSERT_FALSE(bare.ok());
  EXPECT_EQ(bare.error().code, ErrorCode::kInvalidValue);
  EXPECT_THAT(bare.error().message, HasSubstr("shows no mesh, so"));
}

TEST(Bake, StoppedHalfWayItLeavesNothing) {
  const asset::Character character = Twist();
  for (const char* name :
       {"x.npz", "x.pc2", "x.mdd", "x.{frame}.obj", "x.{frame}.ply", "x.{frame}.glb"}) {
    const Folder folder;
    const auto stop = [](const Progress& progress) { return progress.done < 5; };
    const auto report = Bake(character, Settings(folder / name, {0, 60, 1}), stop);
    ASSERT_FALSE(report.ok());
    EXPECT_EQ(report.error().code, ErrorCode::kCancelled) << name;
    EXPECT_THAT(folder.Names(), IsEmpty()) << name;
  }
}

TEST(Bake, AFailureKeepsTheOldFile) {
  const asset::Character character = Twist();
  const Folder folder;
  std::ofstream(folder / "x.npz") << "old";
  const auto stop = [](const Progress& progress) { return progress.done < 2; };
  ASSERT_FALSE(Bake(character, Settings(folder / "x.npz", {0, 9, 1}), stop).ok());
  EXPECT_EQ(ReadText(folder / "x.npz"), "old");
  ASSERT_TRUE(Bake(character, Settings(folder / "x.npz", {0, 9, 1})).ok());
  EXPECT_GT(ReadText(folder / "x.npz").size(), 1000u);
}

}  // namespace
}  // namespace flexor::bake
