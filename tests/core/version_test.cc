// The version is one: in the numbers, in the text, in the linked library and in the name that files
// carry.
#include "flexor/core/version.h"

#include <string>

#include <gtest/gtest.h>

namespace flexor {
namespace {

TEST(Version, NumberTextAndLibraryAgree) {
  const std::string text = std::to_string(FLEXOR_VERSION / 10000) + "." +
                           std::to_string(FLEXOR_VERSION / 100 % 100) + "." +
                           std::to_string(FLEXOR_VERSION % 100);
  EXPECT_EQ(text, FLEXOR_VERSION_STRING);
  EXPECT_EQ(LibraryVersion(), FLEXOR_VERSION_STRING);
  EXPECT_EQ(WriterName(), "flexor " + text);
}

#if FLEXOR_VERSION < 100 || FLEXOR_VERSION_MAJOR != 0
#error "FLEXOR_VERSION is no number that the preprocessor can compare"
#endif

}  // namespace
}  // namespace flexor
