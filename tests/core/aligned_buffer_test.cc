#include "flexor/core/aligned_buffer.h"

#include <cstdint>

#include <gtest/gtest.h>

#include "flexor/core/function_ref.h"

namespace flexor {
namespace {

TEST(AlignedBuffer, StartsOnACacheLineHoweverItGrows) {
  AlignedBuffer<float> buffer;
  for (int i = 0; i < 1000; ++i) {
    buffer.push_back(static_cast<float>(i));
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % kCacheLineBytes, 0u);
  }
  AlignedBuffer<float> copy = buffer;
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(copy.data()) % kCacheLineBytes, 0u);
  EXPECT_EQ(copy, buffer);
  const float* where = copy.data();
  const AlignedBuffer<float> moved = std::move(copy);
  EXPECT_EQ(moved.data(), where);
}

TEST(FunctionRef, CallsWhatItViews) {
  int calls = 0;
  auto add = [&](int n) { return calls += n; };
  const FunctionRef<int(int)> view = add;
  EXPECT_EQ(view(2), 2);
  EXPECT_EQ(view(3), 5);
  EXPECT_TRUE(static_cast<bool>(view));
  EXPECT_FALSE(static_cast<bool>(FunctionRef<void()>()));
}

}  // namespace
}  // namespace flexor
