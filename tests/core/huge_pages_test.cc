#include "flexor/core/huge_pages.h"

#include <gtest/gtest.h>

#include "flexor/core/aligned_buffer.h"

namespace flexor {
namespace {

TEST(HugePages, ReservingLeavesAVectorAsItIsUsed) {
  for (const std::size_t count : {std::size_t{0}, std::size_t{10}, std::size_t{5} << 20}) {
    AlignedBuffer<float> buffer;
    ReserveOnHugePages(buffer, count);
    EXPECT_TRUE(buffer.empty());
    EXPECT_GE(buffer.capacity(), count);
    const float* const before = buffer.data();
    for (std::size_t i = 0; i < count; ++i) buffer.push_back(static_cast<float>(i % 1000));
    EXPECT_EQ(buffer.data(), before);
    for (std::size_t i = 0; i < count; i += 997) {
      ASSERT_EQ(buffer[i], static_cast<float>(i % 1000));
    }
  }
}

TEST(HugePages, MemoryInUseKeepsWhatItHolds) {
  std::vector<unsigned char> bytes(9u << 20, 42);
  PreferHugePages(bytes.data() + 1, bytes.size() - 1);
  PreferHugePages(bytes.data(), 0);
  PreferHugePages(nullptr, 0);
  for (std::size_t i = 0; i < bytes.size(); i += 4096) ASSERT_EQ(bytes[i], 42);
}

}  // namespace
}  // namespace flexor
