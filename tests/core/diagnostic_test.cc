#include "flexor/core/diagnostic.h"

#include <gtest/gtest.h>

namespace flexor {
namespace {

Diagnostic Make(std::string code, std::string where, std::string message = "m",
                Severity severity = Severity::kWarning, std::uint64_t count = 1) {
  return {.code = std::move(code),
          .severity = severity,
          .where = std::move(where),
          .message = std::move(message),
          .remedy = {},
          .count = count};
}

TEST(Diagnostics, RepeatsOfOneCodeAtOnePlaceAreCounted) {
  Diagnostics list;
  list.Add(Make("A", "x", "first"));
  list.Add(Make("B", "x"));
  list.Add(Make("A", "x", "second", Severity::kWarning, 41));
  list.Add(Make("A", "y"));
  ASSERT_EQ(list.entries().size(), 3u);
  EXPECT_EQ(list.entries()[0].count, 42u);
  EXPECT_EQ(list.entries()[0].message, "first");
  EXPECT_EQ(list.entries()[1].code, "B");
  EXPECT_EQ(list.entries()[2].where, "y");
}

// Code and place are kept apart, so that "AB" at "C" is not "A" at "BC".
TEST(Diagnostics, KeysDoNotRunTogether) {
  Diagnostics list;
  list.Add(Make("AB", "C"));
  list.Add(Make("A", "BC"));
  EXPECT_EQ(list.entries().size(), 2u);
}

TEST(Diagnostics, CountsEntriesBySeverity) {
  Diagnostics list;
  list.Add(Make("A", "x", "m", Severity::kError, 9));
  list.Add(Make("B", "x", "m", Severity::kWarning));
  list.Add(Make("C", "x", "m", Severity::kWarning));
  EXPECT_EQ(list.Count(Severity::kError), 1u);
  EXPECT_EQ(list.Count(Severity::kWarning), 2u);
  EXPECT_EQ(list.Count(Severity::kInfo), 0u);
  EXPECT_TRUE(list.Contains("B"));
  EXPECT_FALSE(list.Contains("D"));
}

TEST(Diagnostics, AFloodEndsInOneEntryThatCounts) {
  Diagnostics list;
  const std::size_t flood = Diagnostics::kMaxEntries + 500;
  for (std::size_t i = 0; i < flood; ++i) list.Add(Make("A", std::to_string(i)));
  ASSERT_EQ(list.entries().size(), Diagnostics::kMaxEntries + 1);
  EXPECT_EQ(list.entries().back().code, Diagnostics::kOverflowCode);
  EXPECT_EQ(list.entries().back().count, 500u);
  EXPECT_EQ(list.entries().back().severity, Severity::kWarning);
  // An error among the uncounted ones must not look like a warning.
  list.Add(Make("WORSE", "late", "m", Severity::kError));
  EXPECT_EQ(list.entries().back().severity, Severity::kError);
  EXPECT_EQ(list.entries().back().count, 501u);
  EXPECT_EQ(list.Count(Severity::kError), 1u);
  // Kept ones still count up.
  list.Add(Make("A", "0"));
  EXPECT_EQ(list.entries()[0].count, 2u);
  EXPECT_EQ(list.entries().size(), Diagnostics::kMaxEntries + 1);
}

TEST(Severity, Names) {
  EXPECT_EQ(SeverityName(Severity::kError), "error");
  EXPECT_EQ(SeverityName(Severity::kWarning), "warning");
  EXPECT_EQ(SeverityName(Severity::kInfo), "info");
}

}  // namespace
}  // namespace flexor
