#include "flexor/core/result.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace flexor {
namespace {

Error Fault(std::string message) { return {ErrorCode::kParse, std::move(message), {}}; }

Result<int> Half(int value) {
  if (value % 2 != 0) return Fault(std::to_string(value) + " is odd");
  return value / 2;
}

Status CheckAll(const std::vector<int>& values, int& checked) {
  for (const int value : values) {
    FLEXOR_TRY(Half(value));
    ++checked;
  }
  return {};
}

Result<std::string> Quarter(int value) {
  FLEXOR_ASSIGN(const int half, Half(value));
  FLEXOR_ASSIGN(const int quarter, Half(half));
  return std::to_string(quarter);
}

TEST(Result, HoldsAValueOrAnError) {
  const Result<int> good = Half(4);
  ASSERT_TRUE(good.ok());
  EXPECT_TRUE(static_cast<bool>(good));
  EXPECT_EQ(*good, 2);
  EXPECT_EQ(good.value(), 2);
  const Result<int> bad = Half(3);
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(bad.error().code, ErrorCode::kParse);
  EXPECT_EQ(bad.error().message, "3 is odd");
}

TEST(Result, CarriesWhatCannotBeCopied) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(7);
  ASSERT_TRUE(result.ok());
  const std::unique_ptr<int> taken = std::move(result).value();
  EXPECT_EQ(*taken, 7);
}

TEST(Result, TryStopsAtTheFirstError) {
  int checked = 0;
  EXPECT_TRUE(CheckAll({2, 4}, checked).ok());
  EXPECT_EQ(checked, 2);
  checked = 0;
  EXPECT_EQ(CheckAll({2, 5, 6}, checked).error().message, "5 is odd");
  EXPECT_EQ(checked, 1);
}

TEST(Result, AssignPassesErrorsOn) {
  EXPECT_EQ(*Quarter(8), "2");
  EXPECT_EQ(Quarter(7).error().message, "7 is odd");
  EXPECT_EQ(Quarter(6).error().message, "3 is odd");
}

TEST(ResultDeathTest, ReadingTheAbsentSideStops) {
  const Result<int> bad = Half(1);
  EXPECT_DEATH((void)bad.value(), "");
  const Result<int> good = Half(2);
  EXPECT_DEATH((void)good.error(), "");
  const Status done;
  EXPECT_DEATH((void)done.error(), "");
}

TEST(Error, ReadsAsOneLineWithItsPlace) {
  const Error error{
      ErrorCode::kIndexOutOfRange, "joint 9, but there are 2", {"a.glb", "/skins/0", 52}};
  EXPECT_EQ(error.ToString(),
            "a.glb: /skins/0 (byte 52): joint 9, but there are 2 [INDEX_OUT_OF_RANGE]");
  EXPECT_EQ((Error{ErrorCode::kCancelled, "stopped", {}}).ToString(), "stopped [CANCELLED]");
  EXPECT_EQ((Place{{}, "vertex 3", {}}).ToString(), "vertex 3");
  EXPECT_EQ((Place{{}, {}, 0}).ToString(), "(byte 0)");
}

TEST(Error, EveryCodeHasANameOfItsOwn) {
  std::vector<std::string_view> names;
  for (int code = 0; code <= static_cast<int>(ErrorCode::kCancelled); ++code) {
    const std::string_view name = ErrorCodeName(static_cast<ErrorCode>(code));
    EXPECT_FALSE(name.empty());
    for (const std::string_view other : names) EXPECT_NE(name, other);
    names.push_back(name);
  }
  EXPECT_EQ(names.size(), 17u);
}

}  // namespace
}  // namespace flexor
