// What each mode says with its colours.
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "flexor/render/draw.h"

#include "render/color.h"
#include "render/overlay.h"
#include "render/shapes.h"

namespace flexor::render {
namespace {

Result<Image> DrawValues(const Scene& scene, std::span<const float> values,
                         const DrawSettings& settings) {
  DrawMesh mesh = scene.Drawn();
  mesh.values = values;
  return Draw(scene.character, std::span(&mesh, 1), {}, settings, ThreadTeam(2));
}

bool Contains(const Image& image, std::uint32_t color, int left, int slack = 0) {
  for (int y = 0; y < image.height; ++y) {
    for (int x = left; x < image.width; ++x) {
      const Rgba p = At(image, x, y);
      const Rgba want{static_cast<int>(color >> 24), static_cast<int>(color >> 16 & 0xff),
                      static_cast<int>(color >> 8 & 0xff), 255};
      if (p.a == 255 && std::abs(p.r - want.r) <= slack && std::abs(p.g - want.g) <= slack &&
          std::abs(p.b - want.b) <= slack) {
        return true;
      }
    }
  }
  return false;
}

TEST(Heat, TheScaleHoldsBothEnds) {
  Scene scene = SquareScene();
  DrawSettings settings;
  settings.mode = DrawMode::kHeat;
  settings.width = settings.height = 320;
  const std::vector<float> values{0, 3, 7, 2};
  const auto image = DrawValues(scene, values, settings);
  ASSERT_TRUE(image.ok()) << image.error().ToString();
  EXPECT_TRUE(Contains(*image, HexFromLinear(HeatRamp().At(0)), 200));
  EXPECT_TRUE(Contains(*image, HexFromLinear(HeatRamp().At(1)), 200));
  EXPECT_TRUE(Contains(*image, HexFromLinear(HeatRamp().At(0.5f)), 200, 4));
}

TEST(Heat, ColourFollowsTheValueAndTheScale) {
  const Scene scene = SquareScene();
  DrawSettings settings = Bare(64);
  settings.mode = DrawMode::kHeat;
  settings.camera = FrontCamera();
  settings.heat_max_mm = 10;
  const auto at_middle = [&](float value) {
    const std::vector<float> values(4, value);
    const auto image = DrawValues(scene, values, settings);
    return image.ok() ? At(*image, 32, 32) : Rgba{};
  };
  const Rgba none = at_middle(0), half = at_middle(5), full = at_middle(10);
  EXPECT_GT(none.r + none.g + none.b, half.r + half.g + half.b);
  EXPECT_GT(half.r + half.g + half.b, full.r + full.g + full.b);
  EXPECT_GT(half.r, half.b + 60);    // orange
  EXPECT_EQ(at_middle(1000), full);  // clamped
  EXPECT_EQ(at_middle(-3), none);
  const Rgba missing = at_middle(std::numeric_limits<float>::quiet_NaN());
  EXPECT_NEAR(missing.r, missing.b, 14);  // grey
  EXPECT_LT(missing.r, none.r - 40);
}

TEST(Heat, LightnessFallsEvenly) {
  // CIE lightness of the ramp: strictly falling, no step more than three times the mean.
  const auto lightness = [](Vec3f c) {
    const float y = 0.2126f * c.x + 0.7152f * c.y + 0.0722f * c.z;
    return 116 * std::cbrt(y) - 16;
  };
  const float first = lightness(HeatRamp().At(0)), last = lightness(HeatRamp().At(1));
  EXPECT_GT(first, 85);
  EXPECT_LT(last, 30);
  for (int i = 0; i < 64; ++i) {
    const float step = lightness(HeatRamp().At(static_cast<float>(i) / 64)) -
                       lightness(HeatRamp().At(static_cast<float>(i + 1) / 64));
    EXPECT_GT(step, 0) << i;
    EXPECT_LT(step, 3 * (first - last) / 64) << i;
  }
}

TEST(Scale, TopsAreRoundNumbers) {
  EXPECT_EQ(RoundedUp(0), 1);
  EXPECT_EQ(RoundedUp(-4), 1);
  EXPECT_EQ(RoundedUp(std::nan("")), 1);
  EXPECT_EQ(RoundedUp(1), 1);
  EXPECT_EQ(RoundedUp(1.001), 2);
  EXPECT_EQ(RoundedUp(3), 5);
  EXPECT_EQ(RoundedUp(7), 10);
  EXPECT_EQ(RoundedUp(99), 100);
  EXPECT_NEAR(RoundedUp(0.013), 0.02, 1e-12);
  EXPECT_NEAR(RoundedUp(0.2), 0.2, 1e-12);
  EXPECT_NEAR(RoundedUp(static_cast<double>(0.2f)), 0.2, 1e-12);  // a hair above
}

TEST(Scale, TicksReachBothEnds) {
  for (const double largest : {1.0, 2.0, 5.0, 10.0, 0.02, 37.0, 1234.5}) {
    const auto ticks = ScaleTicks(largest, "mm", false);
    ASSERT_GE(ticks.size(), 3u) << largest;
    EXPECT_LE(ticks.size(), 8u) << largest;
    EXPECT_EQ(ticks.front().at, 0);
    EXPECT_EQ(ticks.front().text, "0");
    EXPECT_EQ(ticks.back().at, 1);
    for (std::size_t i = 1; i < ticks.size(); ++i) EXPECT_GT(ticks[i].at, ticks[i - 1].at);
  }
  EXPECT_EQ(ScaleTicks(50, "", false).back().text, "50");
  EXPECT_EQ(ScaleTicks(50, "mm", true).back().text, "\xE2\x89\xA5 50 mm");
}

TEST(Scale, SmallPicturesGoWithout) {
  const Scene scene = SquareScene();
  DrawSettings settings = Bare(48);
  settings.mode = DrawMode::kHeat;
  settings.camera = FrontCamera();
  settings.camera->eye.z = 40;  // the square is a dot in the middle
  const std::vector<float> values(4, 1.f);
  const auto image = DrawValues(scene, values, settings);
  ASSERT_TRUE(image.ok());
  EXPECT_EQ(At(*image, 44, 24).a, 0);
}

TEST(Weights, BlueToRedByWeight) {
  const Scene scene = SquareScene();
  DrawSettings settings = Bare(64);
  settings.mode = DrawMode::kWeights;
  settings.camera = FrontCamera();
  const auto at_middle = [&](float value) {
    const std::vector<float> values(4, value);
    const auto image = DrawValues(scene, values, settings);
    return image.ok() ? At(*image, 32, 32) : Rgba{};
  };
  const Rgba none = at_middle(0), half = at_middle(0.5f), most = at_middle(0.75f),
             full = at_middle(1);
  EXPECT_TRUE(none.b > none.r && none.b > none.g);
  EXPECT_TRUE(half.g > half.r && half.g > half.b);
  EXPECT_TRUE(most.r > most.b + 60 && most.g > most.b + 60);  // yellow
  EXPECT_TRUE(full.r > full.g + 60 && full.r > full.b + 60);
  // Without values nothing is weighted to the joint.
  const auto image = DrawValues(scene, {}, settings);
  ASSERT_TRUE(image.ok());
  EXPECT_EQ(At(*image, 32, 32), none);
}

TEST(Wire, EdgesAreOnePixelWideAtAnyDistance) {
  Scene scene = SquareScene();
  for (const double distance : {4.0, 8.0}) {
    DrawSettings settings = Bare(201);
    settings.mode = DrawMode::kWire;
    settings.camera = FrontCamera();
    settings.camera->eye.z = distance;
    DrawMesh mesh = scene.Drawn();
    const auto image = Draw(scene.character, std::span(&mesh, 1), {}, settings, ThreadTeam(2));
    ASSERT_TRUE(image.ok());
    // Across the diagonal from the lower left to the upper right, along a row above the middle.
    const int y = 85;
    const int clay = At(*image, 125, y).r;
    double ink = 0;
    for (int x = 105; x < 130; ++x) ink += std::max(0, clay - At(*image, x, y).r);
    const Rgba dark = At(*image, 201 - 1 - y, y);
    EXPECT_LT(dark.r, clay - 50);
    // The line leans by 45 degrees, so its cut is sqrt(2) of its width; fully inked is clay - 43.
    EXPECT_GT(ink / (clay - 43), 0.8);
    EXPECT_LT(ink / (clay - 43), 3.0);
  }
}

TEST(Wire, DenseMeshesTurnGreyNotBlack) {
  const Scene scene = BallScene(300);
  DrawSettings settings = Bare(64);
  settings.mode = DrawMode::kWire;
  DrawMesh mesh = scene.Drawn();
  const auto image = Draw(scene.character, std::span(&mesh, 1), {}, settings, ThreadTeam(2));
  ASSERT_TRUE(image.ok());
  EXPECT_GT(At(*image, 28, 26).r, 140);
}

class SkeletonTest : public ::testing::Test {
 protected:
  // Nodes: 0 group, 1 joint, 2 joint, 3 a node on its own; a skin on 1 and 2.
  SkeletonTest() : scene_(BallScene(12)) {
    for (const int parent : {-1, 0, 1, -1}) {
      asset::Node node;
      node.name = "node" + std::to_string(matrices_.size());
      node.parent = parent;
      scene_.character.nodes.push_back(node);
      matrices_.emplace_back();
    }
    matrices_[0].translation = {0, -0.6, 0};
    matrices_[1].translation = {0, -0.2, 0};
    matrices_[2].translation = {0, 0.6, 0};
    matrices_[3].translation = {0.7, 0, 0};
    asset::Skin skin;
    skin.joints = {1, 2};
    skin.joint_from_mesh.resize(2);
    scene_.character.skins.push_back(skin);
    scene_.character.instances[0].skin = 0;
    settings_ = Bare(128);
    settings_.mode = DrawMode::kSkeleton;
    settings_.camera = FrontCamera();
  }
  Result<Image> DrawIt() const {
    const DrawMesh mesh = scene_.Drawn();
    return Draw(scene_.character, std::span(&mesh, 1), matrices_, settings_, ThreadTeam(2));
  }
  Scene scene_;
  std::vector<Mat34d> matrices_;
  DrawSettings settings_;
};

bool IsBone(Rgba p) { return p.r > p.b + 60 && p.a == 255; }

TEST_F(SkeletonTest, BonesShowThroughTheBody) {
  const auto image = DrawIt();
  ASSERT_TRUE(image.ok()) << image.error().ToString();
  EXPECT_TRUE(IsBone(At(*image, 64, 60)));   // between the joints
  EXPECT_FALSE(IsBone(At(*image, 30, 64)));  // body alone, translucent
  EXPECT_GT(At(*image, 30, 64).a, 40);
  EXPECT_LT(At(*image, 30, 64).a, 220);
  EXPECT_FALSE(IsBone(At(*image, 109, 64)));  // a node that no skin has to do with
  const Rgba ball = At(*image, 64, 64 - 38);  // joint 2: at 0.6 of 64 pixels above the middle
  EXPECT_GT(ball.b, ball.r + 20);
}

TEST_F(SkeletonTest, DrawnWithoutABodyToo) {
  settings_.camera.reset();
  const auto image = Draw(scene_.character, {}, matrices_, settings_, ThreadTeam(1));
  ASSERT_TRUE(image.ok());
  EXPECT_TRUE(IsBone(At(*image, 64, 80)));
  EXPECT_EQ(At(*image, 20, 64).a, 0);
}

TEST_F(SkeletonTest, FramesJointsOutsideTheBody) {
  matrices_[2].translation = {0, 6, 0};
  settings_.camera.reset();
  const auto image = DrawIt();
  ASSERT_TRUE(image.ok());
  // The ball of the far joint is inside the picture, above the middle and not cut off.
  int drawn = 0, topmost = 128;
  for (int y = 0; y < 40; ++y) {
    for (int x = 0; x < 128; ++x) {
      if (At(*image, x, y).a < 100) continue;
      ++drawn;
      topmost = std::min(topmost, y);
    }
  }
  EXPECT_GT(drawn, 5);
  EXPECT_GT(topmost, 3);
}

TEST_F(SkeletonTest, BadMatricesAreRefused) {
  matrices_[2].translation.x = std::nan("");
  const auto broken = DrawIt();
  ASSERT_FALSE(broken.ok());
  EXPECT_EQ(broken.error().code, ErrorCode::kInvalidValue);
  EXPECT_NE(broken.error().message.find("node2"), std::string::npos);
  matrices_.pop_back();
  const auto missing = DrawIt();
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::kShapeMismatch);
}

TEST(Label, IsWrittenTopLeft) {
  const Scene scene = TriangleScene();
  DrawSettings settings = Bare(200);
  const DrawMesh mesh = scene.Drawn();
  const auto without = Draw(scene.character, std::span(&mesh, 1), {}, settings, ThreadTeam(1));
  settings.label = "lbs, frame 12\nfigure";
  const auto with = Draw(scene.character, std::span(&mesh, 1), {}, settings, ThreadTeam(1));
  ASSERT_TRUE(without.ok() && with.ok());
  int changed_there = 0, changed_elsewhere = 0;
  for (int y = 0; y < 200; ++y) {
    for (int x = 0; x < 200; ++x) {
      if (At(*with, x, y) == At(*without, x, y)) continue;
      ++(x < 120 && y < 60 ? changed_there : changed_elsewhere);
    }
  }
  EXPECT_GT(changed_there, 500);
  EXPECT_EQ(changed_elsewhere, 0);
}

}  // namespace
}  // namespace flexor::render
