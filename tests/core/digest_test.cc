#include "flexor/core/digest.h"

#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace flexor {
namespace {

std::uint64_t DigestOfText(std::string_view text) { return DigestOf<char>(text); }

// Values published with the FNV-1a algorithm.
TEST(Digest, KnownValues) {
  EXPECT_EQ(DigestOfText(""), 0xcbf29ce484222325ull);
  EXPECT_EQ(DigestOfText("a"), 0xaf63dc4c8601ec8cull);
  EXPECT_EQ(DigestOfText("foobar"), 0x85944171f73967e8ull);
}

TEST(Digest, ChainsByItsSeed) {
  const std::uint64_t first = DigestOfText("foo");
  const std::string_view second = "bar";
  EXPECT_EQ(DigestOf<char>(second, first), DigestOfText("foobar"));
}

TEST(Digest, SeesOrderAndEveryBit) {
  const std::vector<std::uint32_t> a{1, 2}, b{2, 1}, c{1, 2 | 1u << 31};
  EXPECT_NE(DigestOf<std::uint32_t>(a), DigestOf<std::uint32_t>(b));
  EXPECT_NE(DigestOf<std::uint32_t>(a), DigestOf<std::uint32_t>(c));
}

TEST(Digest, TellsZerosApart) {
  const std::vector<float> plus{0.0f}, minus{-0.0f};
  EXPECT_NE(DigestOf<float>(plus), DigestOf<float>(minus));
}

}  // namespace
}  // namespace flexor
