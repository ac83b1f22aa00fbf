#include "flexor/math/srgb.h"

#include <gtest/gtest.h>

namespace flexor {
namespace {

TEST(Srgb, KnownValues) {
  EXPECT_EQ(LinearFromSrgb(0.0), 0);
  EXPECT_EQ(LinearFromSrgb(1.0), 1);
  EXPECT_NEAR(LinearFromSrgb(0.5), 0.21404114, 1e-8);
  EXPECT_NEAR(SrgbFromLinear(0.18), 0.46135613, 1e-8);
  EXPECT_NEAR(LinearFromSrgb(0.02), 0.02 / 12.92, 1e-15);
}

TEST(Srgb, GoesThereAndBack) {
  for (int i = 0; i <= 1000; ++i)
    EXPECT_NEAR(SrgbFromLinear(LinearFromSrgb(i / 1e3)), i / 1e3, 1e-7);
}

TEST(Srgb, IsClamped) {
  EXPECT_EQ(LinearFromSrgb(-1.0), 0);
  EXPECT_EQ(LinearFromSrgb(2.0), 1);
  EXPECT_EQ(SrgbFromLinear(-1.0), 0);
  EXPECT_DOUBLE_EQ(SrgbFromLinear(2.0), 1);
}

}  // namespace
}  // namespace flexor
