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
