// Where prims stand.

#include <cmath>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/usd/xform.h"
#include "support/usd_files.h"

namespace flexor::test {
namespace {

UsdFiles Root(std::string_view text) {
  UsdFiles files;
  files.Add("root.usda", text);
  return files;
}

std::string Xform(const std::string& name, const std::string& body) {
  return "def Xform \"" + name + "\" {\n" + body + "\n}\n";
}

/// world_from_prim by the defaults.
Mat34d World(ComposedStage& stage, const char* path) {
  auto world = io::usd::WorldFromPrim(stage.stage(), *stage.Prim(path), std::nullopt,
                                      stage.budget(), stage.diagnostics());
  EXPECT_TRUE(world.ok());
  return *world;
}

double Difference(const Mat34d& a, const Mat34d& b) {
  const Mat3d off = a.linear - b.linear;
  return std::max(
      {Length(off.x), Length(off.y), Length(off.z), Length(a.translation - b.translation)});
}

/// Every order of three rotations equals the single ones listed: the letter that comes first turns
/// the point first, and of a list the last entry does.
TEST(UsdXform, RotationOrdersEqualSingleRotations) {
  for (const std::string order : {"XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"}) {
    const std::string singles =
        "double xformOp:rotateX = 30\ndouble xformOp:rotateY = 40\ndouble xformOp:rotateZ = 50\n"
        "uniform token[] xformOpOrder = [\"xformOp:rotate" +
        std::string(1, order[2]) + "\", \"xformOp:rotate" + order[1] + "\", \"xformOp:rotate" +
        order[0] + "\"]";
    ComposedStage stage(Root(
        Xform("Triple", "double3 xformOp:rotate" + order + " = (30, 40, 50)\n" +
                            "uniform token[] xformOpOrder = [\"xformOp:rotate" + order + "\"]") +
        Xform("Singles", singles)));
    ASSERT_TRUE(stage.ok()) << stage.error().ToString();
    EXPECT_LT(Difference(World(stage, "/Triple"), World(stage, "/Singles")), 1e-12) << order;
  }
}

TEST(UsdXform, TheLastOperationTouchesThePointFirst) {
  ComposedStage stage(Root(Xform("A", R"(
double3 xformOp:translate = (10, 0, 0)
float xformOp:rotateZ = 90
float3 xformOp:scale = (2, 1, 1)
uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateZ", "xformOp:scale"])")));
  ASSERT_TRUE(stage.ok()) << stage.error().ToString();
  const Vec3d p = TransformPoint(World(stage, "/A"), Vec3d{1, 0, 0});
  EXPECT_NEAR(p.x, 10, 1e-12);
  EXPECT_NEAR(p.y, 2, 1e-12);
}

TEST(UsdXform, PivotsAreUndoneByTheirInverse) {
  ComposedStage stage(Root(Xform("Pivot", R"(
float3 xformOp:translate:pivot = (1, 0, 0)
float xformOp:rotateZ = 90
uniform token[] xformOpOrder = ["xformOp:translate:pivot", "xformOp:rotateZ", "!invert!xformOp:translate:pivot"])") +
                           Xform("Nothing", R"(
double3 xformOp:rotateXYZ:a = (30, 40, 50)
float3 xformOp:scale:b = (2, 3, 4)
matrix4d xformOp:transform:c = ( (1, 2, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (5, 6, 7, 1) )
uniform token[] xformOpOrder = ["xformOp:rotateXYZ:a", "xformOp:scale:b", "xformOp:transform:c", "!invert!xformOp:transform:c", "!invert!xformOp:scale:b", "!invert!xformOp:rotateXYZ:a"])")));
  ASSERT_TRUE(stage.ok()) << stage.error().ToString();
  const Vec3d fixed = TransformPoint(World(stage, "/Pivot"), Vec3d{1, 0, 0});
  EXPECT_NEAR(Length(fixed - Vec3d{1, 0, 0}), 0, 1e-12);
  EXPECT_LT(Difference(World(stage, "/Nothing"), Mat34d{}), 1e-12);
}

TEST(UsdXform, ResetForgetsParentsAndWhatIsListedBefore) {
  ComposedStage stage(Root(R"(
def Xform "Parent" {
  double3 xformOp:translate = (10, 0, 0)
  uniform token[] xformOpOrder = ["xformOp:translate"]
  def Xform "Child" {
    double3 xformOp:translate = (1, 0, 0)
    double3 xformOp:translate:lost = (100, 0, 0)
    uniform token[] xformOpOrder = ["xformOp:translate:lost", "!resetXformStack!", "xformOp:translate"]
  }
  def Scope "Group" {
    def Xform "Below" {
      double3 xformOp:translate = (1, 0, 0)
      uniform token[] xformOpOrder = ["xformOp:translate"]
    }
  }
})"));
  ASSERT_TRUE(stage.ok()) << stage.error().ToString();
  EXPECT_EQ(World(stage, "/Parent/Child").translation.x, 1);
  EXPECT_EQ(World(stage, "/Parent/Group/Below").translation.x, 11);
}

TEST(UsdXform, OrientTurnsAndTextOrderIsRealFirst) {
  ComposedStage stage(Root(Xform("A", R"(
quatf xformOp:orient = (0.70710678, 0, 0, 0.70710678)
uniform token[] xformOpOrder = ["xformOp:orient"])")));
  ASSERT_TRUE(stage.ok()) << stage.error().ToString();
  const Vec3d p = TransformPoint(World(stage, "/A"), Vec3d{1, 0, 0});
  EXPECT_NEAR(Length(p - Vec3d{0, 1, 0}), 0, 1e-6);
}

TEST(UsdXform, SingleAxesMoveAndStretchAlone) {
  ComposedStage stage(Root(Xform("A", R"(
double xformOp:translateY = 3
double xformOp:scaleX = 2
uniform token[] xformOpOrder = ["xformOp:translateY", "xformOp:scaleX"])")));
  ASSERT_TRUE(stage.ok()) << stage.error().ToString();
  const Vec3d p = TransformPoint(World(stage, "/A"), Vec3d{1, 1, 1});
  EXPECT_EQ(p, (Vec3d{2, 4, 1}));
}

TEST(UsdXform, WhatCannotBeUsedIsLeftOutAndSaid) {
  ComposedStage stage(Root(Xform("A", R"(
float xformOp:translate = 3
float3 xformOp:scale = (0, 1, 1)
double3 xformOp:translate:kept = (1, 0, 0)
uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:gone", "xformOp:twist", "!invert!xformOp:scale", "xformOp:translate:kept"])") +
                           "def Scope \"S\" {\n double3 xformOp:translate = (5, 0, 0)\n"
                           " uniform token[] xformOpOrder = [\"xformOp:translate\"]\n}\n"));
  ASSERT_TRUE(stage.ok()) << stage.error().ToString();
  EXPECT_EQ(World(stage, "/A").translation.x, 1);
  EXPECT_EQ(World(stage, "/S").translation.x, 0);
  EXPECT_TRUE(stage.diagnostics().Contains("USD_XFORM_OP"));
  EXPECT_TRUE(stage.diagnostics().Contains("USD_XFORM_IGNORED"));
}

TEST(UsdXform, OperationsMoveBetweenTheirSamples) {
  ComposedStage stage(Root(Xform("A", R"(
double3 xformOp:translate.timeSamples = { 0: (0, 0, 0), 10: (10, 0, 0) }
float xformOp:rotateZ.timeSamples = { 5: 0, 15: 90 }
uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateZ"])")));
  ASSERT_TRUE(stage.ok()) << stage.error().ToString();
  auto xform =
      io::usd::Xform::Of(stage.stage(), *stage.Prim("/A"), stage.budget(), stage.diagnostics());
  ASSERT_TRUE(xform.ok());
  EXPECT_THAT(xform->SampleTimes(), ::testing::ElementsAre(0, 5, 10, 15));
  auto at = xform->At(10, stage.budget(), stage.diagnostics());
  ASSERT_TRUE(at.ok());
  EXPECT_EQ(at->translation.x, 10);
  EXPECT_NEAR(at->linear.x.y, std::sin(std::acos(-1.0) / 4), 1e-12);
}

}  // namespace
}  // namespace flexor::test
