#include "flexor/core/file.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace flexor {
namespace {

namespace fs = std::filesystem;

class FileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        fs::temp_directory_path() /
        ("flexor_file_test_" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) +
         ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  std::size_t FilesInFolder() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  fs::path folder_;
};

TEST_F(FileTest, WritesAndReadsUtf8Names) {
  const std::string path = Path("ねこ модель.bin");
  const std::string text = "hello";
  ASSERT_TRUE(WriteFile(path, std::as_bytes(std::span(text))).ok());
  const auto read = ReadFile(path, 100);
  ASSERT_TRUE(read.ok()) << read.error().ToString();
  EXPECT_EQ(read->size(), 5u);
  EXPECT_EQ(FilesInFolder(), 1u);
}

TEST_F(FileTest, AbandonedWriteLeavesOldContentAndNothingElse) {
  const std::string path = Path("kept.txt");
  std::ofstream(path) << "old";
  {
    auto file = AtomicFile::Create(path);
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(file->Write(std::string_view("new content")).ok());
  }
  const auto read = ReadFile(path, 100);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->size(), 3u);
  EXPECT_EQ(FilesInFolder(), 1u);
}

TEST_F(FileTest, WriteAtPatchesOnlyWhatWasWritten) {
  const std::string path = Path("patched.txt");
  auto file = AtomicFile::Create(path);
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(file->Write(std::string_view("0000tail")).ok());
  const std::string head = "head";
  EXPECT_TRUE(file->WriteAt(0, std::as_bytes(std::span(head))).ok());
  EXPECT_FALSE(file->WriteAt(6, std::as_bytes(std::span(head))).ok());
  ASSERT_TRUE(file->Commit().ok());
  const auto read = ReadFile(path, 100);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(read->data()), read->size()), "headtail");
}

TEST_F(FileTest, ReservedRoomIsFilledInAnyOrderAndZeroElsewhere) {
  const std::string path = Path("reserved.bin");
  auto file = AtomicFile::Create(path);
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(file->Write(std::string_view("ab")).ok());
  ASSERT_TRUE(file->Reserve(8).ok());
  EXPECT_TRUE(file->Reserve(3).ok());  // never shortens
  EXPECT_EQ(file->size(), 8u);
  const std::string late = "YZ", early = "cd";
  ASSERT_TRUE(file->WriteAt(6, std::as_bytes(std::span(late))).ok());
  ASSERT_TRUE(file->WriteAt(2, std::as_bytes(std::span(early))).ok());
  ASSERT_TRUE(file->Write(std::string_view("!")).ok());
  ASSERT_TRUE(file->Commit().ok());
  const auto read = ReadFile(path, 100);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(read->data()), read->size()),
            std::string("abcd\0\0YZ!", 9));
}

TEST_F(FileTest, SealedFileWaitsUnderItsTemporaryName) {
  const std::string path = Path("sealed.txt");
  auto file = AtomicFile::Create(path);
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(file->Write(std::string_view("x")).ok());
  ASSERT_TRUE(file->Seal().ok());
  ASSERT_TRUE(file->Seal().ok());
  EXPECT_FALSE(file->Write(std::string_view("y")).ok());
  EXPECT_FALSE(file->Reserve(10).ok());
  EXPECT_FALSE(fs::exists(path));
  ASSERT_TRUE(file->Commit().ok());
  EXPECT_EQ(ReadFile(path, 100)->size(), 1u);
  EXPECT_EQ(FilesInFolder(), 1u);
}

TEST_F(FileTest, DevicesAreWrittenToAndNotReplaced) {
  if (!fs::is_character_file("/dev/full")) GTEST_SKIP() << "SKIPPED: no /dev/full here";
  auto file = AtomicFile::Create("/dev/full");
  ASSERT_TRUE(file.ok()) << file.error().ToString();
  // The bytes may sit in a buffer first; by Commit at the latest the disk is known to be full.
  const Status written = file->Write(std::string_view("x"));
  const Status committed = file->Commit();
  ASSERT_FALSE(written.ok() && committed.ok());
  EXPECT_EQ((written.ok() ? committed : written).error().code, ErrorCode::kFileUnwritable);
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(FileTest, SaysWhyItCannotRead) {
  EXPECT_EQ(ReadFile(Path("absent"), 100).error().code, ErrorCode::kFileNotFound);
  EXPECT_EQ(ReadFile(folder_.string(), 100).error().code, ErrorCode::kFileUnreadable);
  std::ofstream(Path("big")) << "0123456789";
  const auto big = ReadFile(Path("big"), 9);
  EXPECT_EQ(big.error().code, ErrorCode::kLimitExceeded);
  EXPECT_TRUE(ReadFile(Path("big"), 10).ok());
}

TEST_F(FileTest, SaysWhyItCannotWrite) {
  EXPECT_EQ(AtomicFile::Create(Path("no/such/folder.txt")).error().code,
            ErrorCode::kFileUnwritable);
  EXPECT_EQ(AtomicFile::Create(folder_.string()).error().code, ErrorCode::kFileUnwritable);
  EXPECT_EQ(AtomicFile::Create("").error().code, ErrorCode::kFileUnwritable);
}

}  // namespace
}  // namespace flexor
