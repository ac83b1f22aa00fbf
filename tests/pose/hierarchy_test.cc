#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "flexor/pose/palette.h"
#include "flexor/pose/pose.h"

namespace flexor::pose {
namespace {

using asset::Character;

constexpr double kPi = std::numbers::pi;

Mat34d Translation(Vec3d t) { return {{}, t}; }

double Largest(const Mat34d& a, const Mat34d& b) {
  double largest = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    largest = std::max(
        {largest, std::abs(a.linear.x[i] - b.linear.x[i]), std::abs(a.linear.y[i] - b.linear.y[i]),
         std::abs(a.linear.z[i] - b.linear.z[i]), std::abs(a.translation[i] - b.translation[i])});
  }
  return largest;
}

std::vector<Mat34d> World(const Character& c, const Pose& pose) {
  std::vector<Mat34d> world;
  ComputeModelSpace(c, pose, world);
  return world;
}

// The child is listed first.
TEST(ComputeModelSpace, ChildListedBeforeItsParent) {
  Character c;
  c.nodes.resize(2);
  c.nodes[0].parent = 1;
  c.nodes[0].rest.translation = {0, 1, 0};
  c.nodes[1].rest.translation = {5, 0, 0};
  c.nodes[1].rest.rotation = FromAxisAngle(Vec3d{0, 0, 1}, kPi / 2);
  ASSERT_TRUE(asset::Finalize(c).ok());
  const auto world = World(c, RestPose(c));
  EXPECT_NEAR(world[0].translation.x, 4, 1e-15);
  EXPECT_NEAR(world[0].translation.y, 0, 1e-15);
  EXPECT_EQ(world[1].translation, (Vec3d{5, 0, 0}));
}

// Listing the same tree in another order changes the indices and not one bit of the matrices.
TEST(ComputeModelSpace, DoesNotDependOnTheOrderOfNodes) {
  std::mt19937 random(5);
  std::normal_distribution<double> number(0, 1);
  Character plain;
  plain.nodes.resize(30);
  for (std::size_t i = 0; i < 30; ++i) {
    asset::Node& node = plain.nodes[i];
    if (i > 0) node.parent = static_cast<std::int32_t>(random() % i);
    node.rest.translation = {number(random), number(random), number(random)};
    node.rest.rotation =
        Normalized(Quatd{number(random), number(random), number(random), number(random)});
    node.rest.scale = {number(random), number(random), number(random)};
  }
  ASSERT_TRUE(asset::Finalize(plain).ok());
  const auto expected = World(plain, RestPose(plain));
  for (int round = 0; round < 20; ++round) {
    std::vector<std::size_t> place(30);
    std::iota(place.begin(), place.end(), std::size_t{0});
    std::shuffle(place.begin(), place.end(), random);
    Character mixed;
    mixed.nodes.resize(30);
    for (std::size_t i = 0; i < 30; ++i) {
      mixed.nodes[place[i]] = plain.nodes[i];
      const std::int32_t parent = plain.nodes[i].parent;
      if (parent >= 0) {
        mixed.nodes[place[i]].parent =
            static_cast<std::int32_t>(place[static_cast<std::size_t>(parent)]);
      }
    }
    ASSERT_TRUE(asset::Finalize(mixed).ok());
    const auto world = World(mixed, RestPose(mixed));
    for (std::size_t i = 0; i < 30; ++i) ASSERT_EQ(world[place[i]], expected[i]);
  }
}

TEST(ComputeModelSpace, ScaleOfAParentShearsARotatedChild) {
  Character c;
  c.nodes.resize(2);
  c.nodes[0].rest.scale = {2, 1, 1};
  c.nodes[1].parent = 0;
  c.nodes[1].rest.rotation = FromAxisAngle(Vec3d{0, 0, 1}, kPi / 4);
  ASSERT_TRUE(asset::Finalize(c).ok());
  const Mat3d linear = World(c, RestPose(c))[1].linear;
  const double s = std::sqrt(0.5);
  EXPECT_NEAR(linear.x.x, 2 * s, 1e-15);
  EXPECT_NEAR(linear.x.y, s, 1e-15);
  EXPECT_NEAR(linear.y.x, -2 * s, 1e-15);
  EXPECT_NEAR(linear.y.y, s, 1e-15);
}

TEST(ComputeModelSpace, MatrixHoldsUntilSomethingTouchesTheNode) {
  Character c;
  c.nodes.resize(1);
  c.nodes[0].name = "skewed";
  Mat34d skew;
  skew.linear.y = {0.5, 1, 0};
  skew.translation = {1, 2, 3};
  c.nodes[0].rest_matrix = skew;
  c.nodes[0].rest.translation = {1, 2, 3};
  asset::Channel channel;
  channel.times = {0};
  channel.values = {7, 8, 9};
  c.clips.resize(1);
  c.clips[0].channels = {channel};
  ASSERT_TRUE(asset::Finalize(c).ok());

  const Pose rest = RestPose(c);
  EXPECT_EQ(World(c, rest)[0], skew);
  Pose sampled = rest;
  SampleClip(c.clips[0], 0, sampled);
  EXPECT_EQ(World(c, sampled)[0], Translation({7, 8, 9}));
  Pose turned = rest;
  const Override item{Override::Kind::kTranslate, "skewed", {0, 0, 1, 0}};
  ASSERT_TRUE(ApplyOverrides(c, {&item, 1}, turned).ok());
  EXPECT_EQ(World(c, turned)[0], Translation({1, 2, 4}));
}

// A joint bound away from the origin, then turned: only joint * inverse bind gives this.
TEST(ComputePalette, IsJointTimesInverseBind) {
  Character c;
  c.nodes.resize(2);
  c.nodes[0].rest.translation = {0, 1, 0};
  c.nodes[1].rest.translation = {9, 9, 9};
  asset::Skin skin;
  skin.joints = {0};
  skin.joint_from_mesh = {Translation({0, -1, 0})};
  c.skins = {skin};
  asset::Mesh mesh;
  mesh.positions = {{1, 1, 0}};
  mesh.influences.offsets = {0, 1};
  mesh.influences.joints = {0};
  mesh.influences.weights = {1};
  c.meshes = {mesh, {}};
  c.instances.resize(3);
  c.instances[0].skin = 0;
  c.instances[0].node = 1;  // does not matter with a skin
  c.instances[1].mesh = 1;
  c.instances[1].node = 1;
  c.instances[2].mesh = 1;
  ASSERT_TRUE(asset::Finalize(c).ok());
  Pose pose = RestPose(c);
  Palette palette;
  ComputePalette(c, c.instances[0], World(c, pose), palette);
  ASSERT_EQ(palette.size(), 1u);
  EXPECT_EQ(palette[0], Mat34d{});
  pose.locals[0].rotation = FromAxisAngle(Vec3d{0, 0, 1}, kPi / 2);
  ComputePalette(c, c.instances[0], World(c, pose), palette);
  const Vec3d p = TransformPoint(palette[0], Vec3d{1, 1, 0});
  EXPECT_NEAR(p.x, 0, 1e-15);
  EXPECT_NEAR(p.y, 2, 1e-15);
  EXPECT_EQ(PaletteSize(c, c.instances[0]), 1u);

  ComputePalette(c, c.instances[1], World(c, pose), palette);
  ASSERT_EQ(palette.size(), 1u);
  EXPECT_EQ(palette[0], Translation({9, 9, 9}));
  ComputePalette(c, c.instances[2], World(c, pose), palette);
  ASSERT_EQ(palette.size(), 1u);
  EXPECT_EQ(palette[0], Mat34d{});
}

// A character a kilometre away, at a point that floats hold badly: composed in double, the palette
// is that of the same character at the origin, moved.
TEST(ComputePalette, FarAwayCharacterKeepsItsDigits) {
  const auto make = [](Vec3d where) {
    Character c;
    c.nodes.resize(41);
    asset::Skin skin;
    Vec3d bind = where;
    for (std::size_t i = 0; i <= 40; ++i) {
      asset::Node& node = c.nodes[i];
      node.parent = static_cast<std::int32_t>(i) - 1;
      node.rest.translation = i == 0 ? where : Vec3d{0, 0.05, 0};
      if (i > 0) bind += Vec3d{0, 0.05, 0};
      skin.joints.push_back(static_cast<std::uint32_t>(i));
      skin.joint_from_mesh.push_back(Translation(-bind));
    }
    c.skins = {skin};
    c.meshes.resize(1);
    c.instances.resize(1);
    c.instances[0].skin = 0;
    EXPECT_TRUE(asset::Finalize(c).ok());
    return c;
  };
  const Vec3d far{1000.1, -707.3, 333.7};
  const Character near_one = make({});
  const Character far_one = make(far);
  Pose near_pose = RestPose(near_one), far_pose = RestPose(far_one);
  for (std::size_t i = 1; i <= 40; ++i) {
    const Quatd turn = FromAxisAngle(Vec3d{1, 0.3, 0.2}, 0.07);
    near_pose.locals[i].rotation = turn;
    far_pose.locals[i].rotation = turn;
  }
  Palette near_palette, far_palette;
  ComputePalette(near_one, near_one.instances[0], World(near_one, near_pose), near_palette);
  ComputePalette(far_one, far_one.instances[0], World(far_one, far_pose), far_palette);
  for (std::size_t j = 0; j <= 40; ++j) {
    const Mat34d moved = Translation(far) * near_palette[j] * Translation(-far);
    EXPECT_LT(Largest(far_palette[j], moved), 1e-11) << j;
  }
}

}  // namespace
}  // namespace flexor::pose
