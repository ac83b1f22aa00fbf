#include "flexor/bake/output_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flexor::bake {
namespace {

using testing::HasSubstr;

TEST(CheckPlaceholders, KnowsWhatItWasTold) {
  for (const char* good : {"x.npz", "{frame}.obj", "a/{mesh}.{frame}.obj", "{braces}/x.obj",
                           "x{.obj", "x}.obj", "}{", "a{b{frame}.obj", ""}) {
    EXPECT_TRUE(CheckPlaceholders(good, {"{frame}", "{mesh}"}).ok()) << good;
  }
}

TEST(CheckPlaceholders, RefusesOthersAndNamesTheKnown) {
  for (const char* bad : {"{foo}.npz", "x.{Frame}.obj", "x.{frames}.obj", "{}.obj",
                          "a/{ frame}.obj", "{frame}{foo}.obj", "{{foo}}.obj"}) {
    const Status status = CheckPlaceholders(bad, {"{frame}", "{mesh}"});
    ASSERT_FALSE(status.ok()) << bad;
    EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(status.error().message, HasSubstr("{frame} and {mesh}")) << bad;
  }
  EXPECT_THAT(CheckPlaceholders("x.{foo}.obj", {"{frame}"}).error().message, HasSubstr("{foo}"));
  EXPECT_THAT(CheckPlaceholders("x.{frame}.glb", {}).error().message, HasSubstr("no words"));
}

TEST(CheckPlaceholders, FoldersAreNotMade) {
  const Status status = CheckPlaceholders("a/{frame}/x.obj", {"{frame}", "{mesh}"});
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, HasSubstr("{frame} stands in the folder"));
}

}  // namespace
}  // namespace flexor::bake
