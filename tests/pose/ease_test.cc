#include "pose/ease.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace flexor::pose {
namespace {

// Worked out beforehand by bisection with 40 digits, at t = 0.1 to 0.9.
TEST(Ease, AgreesWithATable) {
  const struct {
    double x1, y1, x2, y2;
    double heights[9];
  } curves[] = {
      {0.5,
       0,
       0.5,
       1,
       {0.014621885964, 0.064495032393, 0.160026689732, 0.308864952723, 0.5, 0.691135047277,
        0.839973310268, 0.935504967607, 0.985378114036}},
      {1,
       0,
       0,
       1,  // upright in the middle
       {0.003761674958, 0.017425501024, 0.047395275204, 0.111397339268, 0.5, 0.888602660732,
        0.952604724796, 0.982574498976, 0.996238325042}},
      {0,
       1,
       0,
       1,  // upright at the start
       {0.846146243074, 0.928425074922, 0.963877426279, 0.981768329227, 0.991220003110,
        0.996162013211, 0.998591456296, 0.999631672129, 0.999958898458}},
      {0.25,
       0.75,
       1,
       0.5,  // upright at the end
       {0.215145430209, 0.344, 0.433094786293, 0.499338127156, 0.551715325278, 0.596423946702,
        0.639122350401, 0.687191800251, 0.756169008497}},
  };
  for (const auto& c : curves) {
    for (int i = 0; i < 9; ++i) {
      EXPECT_NEAR(Ease(c.x1, c.y1, c.x2, c.y2, 0.1 * (i + 1)), c.heights[i], 1e-9)
          << c.x1 << " " << c.x2 << " at " << i;
    }
  }
}

TEST(Ease, AStraightLineIsExact) {
  for (const double t : {0.0, 0.1, 1.0 / 3, 0.77, 1.0}) {
    EXPECT_EQ(Ease(20.0 / 127, 20.0 / 127, 107.0 / 127, 107.0 / 127, t), t);
  }
}

TEST(Ease, EndsAreExactAndHeld) {
  EXPECT_EQ(Ease(0.3, 1, 0.2, 0, 0), 0);
  EXPECT_EQ(Ease(0.3, 1, 0.2, 0, -5), 0);
  EXPECT_EQ(Ease(0.3, 1, 0.2, 0, 1), 1);
  EXPECT_EQ(Ease(0.3, 1, 0.2, 0, 7), 1);
}

// Walks along the curve itself: at the x of a parameter the height must be the y of it.
TEST(Ease, FindsTheParameterOfRandomCurves) {
  std::mt19937 random(11);
  // Corners of the square and the 128 steps of the MMD editor.
  std::uniform_int_distribution<int> grid(0, 127);
  std::uniform_int_distribution<int> corner(0, 3);
  const auto control = [&] {
    const int c = corner(random);
    return c == 0 ? 0.0 : c == 1 ? 1.0 : grid(random) / 127.0;
  };
  double worst = 0;
  for (int round = 0; round < 2000; ++round) {
    const double x1 = control(), y1 = control(), x2 = control(), y2 = control();
    for (double s = 0.01; s < 1; s += 0.07) {
      const double r = 1 - s;
      const double x = 3 * r * r * s * x1 + 3 * r * s * s * x2 + s * s * s;
      const double y = 3 * r * r * s * y1 + 3 * r * s * s * y2 + s * s * s;
      worst = std::max(worst, std::abs(Ease(x1, y1, x2, y2, x) - y));
    }
  }
  EXPECT_LT(worst, 1e-6);
}

TEST(Ease, NeverFallsForARisingCurve) {
  double last = 0;
  for (int i = 0; i <= 1000; ++i) {
    const double height = Ease(1, 0, 0, 1, i / 1000.0);
    EXPECT_GE(height, last);
    last = height;
  }
}

}  // namespace
}  // namespace flexor::pose
