/// @file tests/io/write_support.h
/// A folder of its own for each test that writes files, and witnesses that are not flexor.
#pragma once

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "support/paths.h"

namespace flexor::test {

/// Makes an empty folder before each test and removes it after.
class WriteTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ =
        std::filesystem::temp_directory_path() / ("flexor_" + std::to_string(::getpid()) + "_" +
                                                  info->test_suite_name() + "_" + info->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  /// The names in the folder, sorted.
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  std::filesystem::path folder_;
};

inline std::string ReadAll(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in.good()) << path;
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// Bytes from a table of numbers, for golden files.
inline std::string Bytes(std::initializer_list<int> values) {
  std::string bytes;
  for (const int value : values) bytes += static_cast<char>(value);
  return bytes;
}

/// What a command printed, and how it ended.
struct CommandResult {
  int status = -1;
  std::string output;
};

inline CommandResult RunCommand(const std::string& command) {
  CommandResult result;
  std::FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return result;
  std::array<char, 4096> buffer{};
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    result.output.append(buffer.data(), got);
  }
  result.status = ::pclose(pipe);
  return result;
}

/// A Python that can import numpy: the one that tools/setup makes, or the system's. Empty if none.
inline const std::string& PythonWithNumpy() {
  static const std::string python = [] {
    const std::vector<std::string> candidates = {FLEXOR_SOURCE_DIR "/build/venv/bin/python",
                                                 "python3"};
    for (const std::string& candidate : candidates) {
      if (RunCommand("'" + candidate + "' -c 'import numpy'").status == 0) return candidate;
    }
    return std::string();
  }();
  return python;
}

/// Runs a script of Python; its arguments are paths.
inline CommandResult RunPython(const std::string& script, const std::vector<std::string>& paths) {
  std::string command = "'" + PythonWithNumpy() + "' - ";
  for (const std::string& path : paths) command += "'" + path + "' ";
  return RunCommand(command + "<<'END_OF_SCRIPT'\n" + script + "\nEND_OF_SCRIPT\n");
}

}  // namespace flexor::test

/// Skips the test, saying so, when there is no NumPy.
#define FLEXOR_REQUIRE_NUMPY()                 \
  if (flexor::test::PythonWithNumpy().empty()) \
  GTEST_SKIP() << "SKIPPED FOR WANT OF NUMPY: run tools/setup test"
