// What all cache formats share: names, placeholders, checks, and nothing half done.
#include "flexor/io/write_cache.h"

#include <cstdlib>

#include <sys/resource.h>

#include "io/cache/crc32.h"
#include "io/cache/names.h"
#include "io/write_support.h"

namespace flexor::io {
namespace {

using test::ReadAll;
using WriteCacheTest = test::WriteTest;

constexpr CacheFormat kAllFormats[] = {CacheFormat::kPc2, CacheFormat::kMdd, CacheFormat::kNpz,
                                       CacheFormat::kObj, CacheFormat::kPly};

constexpr Vec3f kPoints[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
constexpr Vec3f kNormals[3] = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}};
constexpr std::uint32_t kTriangle[3] = {0, 1, 2};

CacheMesh Mesh(std::string name, bool normals = false) {
  return {std::move(name), 3, normals, kTriangle, {}};
}

CacheSettings Settings(CacheFormat format, std::size_t frames) {
  CacheSettings settings;
  settings.format = format;
  settings.frame_count = frames;
  for (std::size_t i = 0; i < frames; ++i) settings.times.push_back(static_cast<double>(i) / 30);
  return settings;
}

bool PerFrame(CacheFormat format) {
  return format == CacheFormat::kObj || format == CacheFormat::kPly;
}

TEST_F(WriteCacheTest, NothingHasAFinalNameBeforeFinish) {
  for (const CacheFormat format : kAllFormats) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    const std::string path = Path(PerFrame(format) ? "a.{mesh}.{frame}" : "a.{mesh}");
    auto writer = CacheWriter::Create(path, {Mesh("one"), Mesh("two")}, Settings(format, 2));
    ASSERT_TRUE(writer.ok()) << writer.error().ToString();
    const std::vector<std::string> files = (*writer)->files();
    ASSERT_EQ(files.size(), PerFrame(format) ? 4u : 2u);
    const std::vector<CacheFrame> frame(2, CacheFrame{kPoints, {}});
    ASSERT_TRUE((*writer)->Append(frame).ok());
    ASSERT_TRUE((*writer)->Append(frame).ok());
    for (const std::string& file : files) EXPECT_FALSE(std::filesystem::exists(file)) << file;
    const Status status = (*writer)->Finish();
    ASSERT_TRUE(status.ok()) << status.error().ToString();
    for (const std::string& file : files) EXPECT_TRUE(std::filesystem::exists(file)) << file;
    EXPECT_EQ(Names().size(), files.size());
    EXPECT_FALSE((*writer)->Finish().ok());
    EXPECT_FALSE((*writer)->Append(frame).ok());
  }
}

TEST_F(WriteCacheTest, AbandonedLeavesTheOldFileAndNothingElse) {
  for (const CacheFormat format : kAllFormats) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    const std::string path = Path("kept");
    std::ofstream(path) << "old";
    for (const bool append : {false, true}) {
      auto writer = CacheWriter::Create(path, {Mesh("m")}, Settings(format, 1));
      ASSERT_TRUE(writer.ok()) << writer.error().ToString();
      const CacheFrame frame{kPoints, {}};
      if (append) {
        ASSERT_TRUE((*writer)->Append({&frame, 1}).ok());
      } else {
        const Status early = (*writer)->Finish();
        ASSERT_FALSE(early.ok());
        EXPECT_EQ(early.error().code, ErrorCode::kShapeMismatch);
        EXPECT_NE(early.error().message.find("0 frames came where 1"), std::string::npos);
      }
    }
    EXPECT_EQ(ReadAll(path), "old");
    EXPECT_EQ(Names(), std::vector<std::string>{"kept"});
  }
}

TEST_F(WriteCacheTest, WrongFramesAreRefusedByNameAndNumbersAndMayBeTriedAgain) {
  for (const CacheFormat format : kAllFormats) {
    auto writer = CacheWriter::Create(Path("x"), {Mesh("body", true)}, Settings(format, 1));
    ASSERT_TRUE(writer.ok()) << writer.error().ToString();
    const CacheFrame few{std::span(kPoints).first(2), kNormals}, bare{kPoints, {}};
    Status status = (*writer)->Append({&few, 1});
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, ErrorCode::kShapeMismatch);
    EXPECT_EQ(status.error().place.element, "frame 0, mesh body");
    EXPECT_EQ(status.error().message, "2 positions where 3 were announced");
    status = (*writer)->Append({&bare, 1});
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().message, "0 normals where 3 were announced");
    EXPECT_FALSE((*writer)->Append({}).ok());
    const CacheFrame good{kPoints, kNormals};
    EXPECT_TRUE((*writer)->Append({&good, 1}).ok());
    EXPECT_FALSE((*writer)->Append({&good, 1}).ok());  // one too many
    EXPECT_TRUE((*writer)->Finish().ok());
  }
}

TEST_F(WriteCacheTest, ExplainsMissingAndMisplacedPlaceholders) {
  const auto message = [&](const std::string& name, CacheFormat format, std::size_t meshes,
                           std::size_t frames) {
    std::vector<CacheMesh> list;
    for (std::size_t i = 0; i < meshes; ++i) list.push_back(Mesh("m"));
    const auto writer = CacheWriter::Create(Path(name), list, Settings(format, frames));
    if (writer.ok()) return std::string();
    EXPECT_EQ(writer.error().code, ErrorCode::kInvalidArgument);
    return writer.error().message;
  };
  using enum CacheFormat;
  EXPECT_NE(message("a.pc2", kPc2, 2, 1).find("{mesh}"), std::string::npos);
  EXPECT_NE(message("a.mdd", kMdd, 2, 1).find("{mesh}"), std::string::npos);
  EXPECT_NE(message("a.ply", kPly, 2, 1).find("{mesh}"), std::string::npos);
  EXPECT_NE(message("a.obj", kObj, 1, 2).find("{frame}"), std::string::npos);
  EXPECT_NE(message("a.ply", kPly, 1, 0).find("{frame}"), std::string::npos);
  EXPECT_NE(message("a{frame}.pc2", kPc2, 1, 2).find("leave {frame} out"), std::string::npos);
  EXPECT_NE(message("a{frame}.npz", kNpz, 1, 2).find("leave {frame} out"), std::string::npos);
  EXPECT_NE(message("a.npz", kNpz, 0, 2), "");
  EXPECT_EQ(message("a.npz", kNpz, 2, 2), "");
  EXPECT_EQ(message("a.obj", kObj, 2, 1), "");
  EXPECT_EQ(message("a{frame}.obj", kObj, 2, 0), "");
  EXPECT_TRUE(Names().empty());
}

TEST_F(WriteCacheTest, ChecksMeshesAndSettings) {
  const auto code = [&](CacheMesh mesh, CacheSettings settings) {
    const auto writer = CacheWriter::Create(Path("x"), {std::move(mesh)}, std::move(settings));
    EXPECT_FALSE(writer.ok());
    return writer.ok() ? ErrorCode::kInternal : writer.error().code;
  };
  const std::uint32_t outside[3] = {0, 1, 3};
  const Vec2f one_uv[1] = {};
  CacheMesh mesh = Mesh("m");
  mesh.triangles = outside;
  EXPECT_EQ(code(mesh, Settings(CacheFormat::kNpz, 1)), ErrorCode::kIndexOutOfRange);
  mesh.triangles = std::span(kTriangle).first(2);
  EXPECT_EQ(code(mesh, Settings(CacheFormat::kNpz, 1)), ErrorCode::kShapeMismatch);
  mesh = Mesh("m");
  mesh.texcoords = one_uv;
  EXPECT_EQ(code(mesh, Settings(CacheFormat::kNpz, 1)), ErrorCode::kShapeMismatch);
  CacheSettings settings = Settings(CacheFormat::kNpz, 2);
  settings.times.pop_back();
  EXPECT_EQ(code(Mesh("m"), settings), ErrorCode::kShapeMismatch);
  settings = Settings(CacheFormat::kNpz, 2);
  settings.frame_labels = {"only"};
  EXPECT_EQ(code(Mesh("m"), settings), ErrorCode::kShapeMismatch);
  settings = Settings(CacheFormat::kPc2, 2);
  settings.frames_per_second = 0;
  EXPECT_EQ(code(Mesh("m"), settings), ErrorCode::kInvalidArgument);
  settings = Settings(CacheFormat::kMdd, 1);
  settings.times[0] = std::nan("");
  EXPECT_EQ(code(Mesh("m"), settings), ErrorCode::kInvalidArgument);
}

TEST_F(WriteCacheTest, FrameNamesSortAndLabelsReplaceThem) {
  auto writer = CacheWriter::Create(Path("{mesh}/{frame}.ply"), {Mesh("a/b")},
                                    Settings(CacheFormat::kPly, 3));
  ASSERT_TRUE(writer.ok()) << writer.error().ToString();
  EXPECT_EQ(
      (*writer)->files(),
      (std::vector<std::string>{Path("a_b/0000.ply"), Path("a_b/0001.ply"), Path("a_b/0002.ply")}));
  CacheSettings settings = Settings(CacheFormat::kObj, 2);
  settings.frame_labels = {"10", "10.5"};
  writer = CacheWriter::Create(Path("f{frame}.obj"), {Mesh("m")}, settings);
  ASSERT_TRUE(writer.ok()) << writer.error().ToString();
  EXPECT_EQ((*writer)->files(), (std::vector<std::string>{Path("f10.obj"), Path("f10.5.obj")}));
  settings.frame_labels = {"7", "7"};
  writer = CacheWriter::Create(Path("f{frame}.obj"), {Mesh("m")}, settings);
  ASSERT_FALSE(writer.ok());
  EXPECT_EQ(writer.error().code, ErrorCode::kInvalidArgument);
  // A mesh whose name is a placeholder is only a name.
  writer = CacheWriter::Create(Path("{mesh}.{frame}.obj"), {Mesh("{frame}")},
                               Settings(CacheFormat::kObj, 1));
  ASSERT_TRUE(writer.ok());
  EXPECT_EQ((*writer)->files(), std::vector<std::string>{Path("{frame}.0000.obj")});
}

TEST_F(WriteCacheTest, ManyFramesNeedFewDescriptors) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit few = before;
  few.rlim_cur = 64;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  constexpr std::size_t kFrames = 100;
  auto writer =
      CacheWriter::Create(Path("{frame}.obj"), {Mesh("m")}, Settings(CacheFormat::kObj, kFrames));
  Status status;
  const CacheFrame frame{kPoints, {}};
  for (std::size_t i = 0; i < kFrames && status.ok(); ++i) {
    status = (*writer)->Append({&frame, 1});
  }
  EXPECT_TRUE(status.ok()) << status.error().ToString();
  EXPECT_TRUE((*writer)->Finish().ok());
  EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(Names().size(), kFrames);
}

TEST_F(WriteCacheTest, FullDiskIsAnErrorThatStays) {
  if (!std::filesystem::is_character_file("/dev/full")) GTEST_SKIP() << "SKIPPED: no /dev/full";
  const std::vector<Vec3f> many(1 << 20, Vec3f{1, 2, 3});
  for (const CacheFormat format : kAllFormats) {
    CacheMesh mesh{"m", many.size(), false, {}, {}};
    auto writer = CacheWriter::Create("/dev/full", {mesh}, Settings(format, 1));
    if (format == CacheFormat::kNpz) {  // an archive cannot be written front to back
      ASSERT_FALSE(writer.ok());
      EXPECT_EQ(writer.error().code, ErrorCode::kFileUnwritable);
      continue;
    }
    ASSERT_TRUE(writer.ok()) << writer.error().ToString();
    const CacheFrame frame{many, {}};
    const Status status = (*writer)->Append({&frame, 1});
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, ErrorCode::kFileUnwritable);
    EXPECT_NE(status.error().message.find("No space left"), std::string::npos);
    EXPECT_EQ((*writer)->Finish().error().code, ErrorCode::kFileUnwritable);
  }
}

TEST_F(WriteCacheTest, MissingFolderIsAnError) {
  for (const CacheFormat format : kAllFormats) {
    auto writer = CacheWriter::Create(Path("no/such/x"), {Mesh("m")}, Settings(format, 1));
    Status status;
    if (writer.ok()) {
      const CacheFrame frame{kPoints, {}};
      status = (*writer)->Append({&frame, 1});
    } else {
      status = writer.error();
    }
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, ErrorCode::kFileUnwritable);
  }
}

TEST(SafeName, KeepsLettersOfAnyScriptAndNothingThatAFileSystemMinds) {
  EXPECT_EQ(SafeName("顔 модель"), "顔 модель");
  EXPECT_EQ(SafeName("a/b\\c:d*e?f\"g<h>i|j"), "a_b_c_d_e_f_g_h_i_j");
  EXPECT_EQ(SafeName(std::string("tab\tnul\0end", 11)), "tab_nul_end");
  EXPECT_EQ(SafeName(""), "mesh");
  EXPECT_EQ(SafeName("."), "_");
  EXPECT_EQ(SafeName(".."), "__");
  EXPECT_EQ(SafeName("../etc/passwd"), "_._etc_passwd");
  EXPECT_EQ(SafeName("name. "), "name._");
  EXPECT_EQ(SafeName("CON"), "_CON");
  EXPECT_EQ(SafeName("com1.txt"), "_com1.txt");
  EXPECT_EQ(SafeName("console"), "console");
  EXPECT_EQ(SafeName("\xC0\xAF"), "__");       // an overlong slash
  EXPECT_EQ(SafeName("\xED\xA0\x80"), "___");  // a surrogate
  EXPECT_EQ(SafeName("a\xC2\x85z"), "a_z");    // a control character
  EXPECT_EQ(SafeName("a\xE3\x81"), "a__");     // cut in the middle
  EXPECT_EQ(SafeName("\xF0\x9F\x92\xAA"), "\xF0\x9F\x92\xAA");
  // Cut at 100 bytes, never inside a letter.
  std::string many;
  for (int i = 0; i < 50; ++i) many += "顔";
  EXPECT_EQ(SafeName(many).size(), 99u);
}

TEST(SafeNames, AreDifferentAlsoWhereCaseDoesNotCount) {
  const std::vector<std::string> names = {"Body", "body", "Body_2", "a/b", "a_b", "Body", "", ""};
  EXPECT_EQ(SafeNames(names), (std::vector<std::string>{"Body", "body_3", "Body_2", "a_b", "a_b_2",
                                                        "Body_4", "mesh", "mesh_2"}));
}

TEST(Crc32, MatchesThePublishedCheckValueAtEveryAlignmentAndSplit) {
  const std::string digits = "123456789";
  EXPECT_EQ(Crc32(std::as_bytes(std::span(digits))), 0xCBF43926u);
  EXPECT_EQ(Crc32({}), 0u);
  const std::string zeros(32, '\0');
  EXPECT_EQ(Crc32(std::as_bytes(std::span(zeros))), 0x190A55ADu);
  const std::string text = "the quick brown fox jumps over the lazy dog, twice over";
  const auto bytes = std::as_bytes(std::span(text));
  for (std::size_t split = 0; split <= bytes.size(); ++split) {
    EXPECT_EQ(Crc32(bytes.subspan(split), Crc32(bytes.first(split))), Crc32(bytes)) << split;
  }
}

}  // namespace
}  // namespace flexor::io
