#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flexor/asset/character.h"

namespace flexor::asset {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Character WithNodes(std::initializer_list<const char*> names) {
  Character c;
  for (const char* name : names) c.nodes.emplace_back().name = name;
  return c;
}

TEST(FindNode, NameComesBeforeNumberAndFirstBeforeLater) {
  const Character c = WithNodes({"hips", "2", "arm", "arm"});
  EXPECT_EQ(*FindNode(c, "hips"), 0u);
  EXPECT_EQ(*FindNode(c, "2"), 1u);
  EXPECT_EQ(*FindNode(c, "3"), 3u);
  EXPECT_EQ(*FindNode(c, "arm"), 2u);
}

TEST(FindNode, SaysWhatThereIs) {
  const Character c = WithNodes({"LeftArm", "LeftForeArm", "RightArm", "Head"});
  const auto misspelt = FindNode(c, "leftarn");
  ASSERT_FALSE(misspelt.ok());
  EXPECT_EQ(misspelt.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(misspelt.error().message,
              HasSubstr("'leftarn' among 4 nodes; did you mean 'LeftArm'"));
  EXPECT_THAT(FindNode(c, "4").error().message, HasSubstr("there are 4 nodes, counted from 0"));
  EXPECT_THAT(FindNode(c, "zzzzzz").error().message, Not(HasSubstr("did you mean")));
  EXPECT_FALSE(FindNode(c, "").ok());
  EXPECT_FALSE(FindNode(c, "-1").ok());
  EXPECT_FALSE(FindNode(c, "99999999999999999999").ok());
}

TEST(FindClip, ByNameAndNumber) {
  Character c;
  c.clips.resize(2);
  c.clips[1].name = "walk";
  EXPECT_EQ(*FindClip(c, "walk"), 1u);
  EXPECT_EQ(*FindClip(c, "0"), 0u);
  EXPECT_THAT(FindClip(c, "wlak").error().message, HasSubstr("did you mean 'walk'?"));
}

TEST(CloseNames, NearestFirstAtMostThreeNoneTwice) {
  const std::vector<std::string> names = {"spine3", "spine", "spine1", "spine",
                                          "spine2", "Spin",  ""};
  EXPECT_THAT(CloseNames("spine", names), ElementsAre("spine", "spine3", "spine1"));
  EXPECT_THAT(CloseNames("qqqqqq", names), IsEmpty());
  EXPECT_THAT(CloseNames("", names), IsEmpty());
}

TEST(CloseNames, FindsSwapsCaseAndParts) {
  EXPECT_THAT(CloseNames("haed", {"Foot", "Head"}), ElementsAre("Head"));
  EXPECT_THAT(CloseNames("LeftArm", {"mixamorig:LeftArm", "Hips"}),
              ElementsAre("mixamorig:LeftArm"));
}

TEST(CloseNames, StaysCheapOnHugeInput) {
  const std::string huge(1'000'000, 'a');
  const std::vector<std::string> names(50'000, std::string(10'000, 'b'));
  EXPECT_THAT(CloseNames(huge, names), IsEmpty());
}

}  // namespace
}  // namespace flexor::asset
