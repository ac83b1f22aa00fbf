// Methods by name: one table behind parsing, listing and help.
#include "flexor/deform/method_name.h"

#include <gmock/gmock.h>

#include "deform/method_table.h"

namespace flexor::deform {
namespace {

using asset::SkinningMethod;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(MethodNames, EveryListedOneIsReadBack) {
  for (const MethodEntry& entry : ListMethods()) {
    const auto parsed = ParseMethod(entry.name);
    ASSERT_TRUE(parsed.ok()) << entry.name;
    EXPECT_EQ(MethodName(parsed->method), entry.name);
    EXPECT_EQ(parsed->variant, "");
    EXPECT_NE(entry.summary, "") << entry.name;
    for (const std::string_view variant : entry.variants) {
      const std::string name = std::string(entry.name) + ":" + std::string(variant);
      const auto with = ParseMethod(name);
      ASSERT_TRUE(with.ok()) << name;
      EXPECT_EQ(with->method, parsed->method) << name;
      EXPECT_EQ(with->variant, variant) << name;
      EXPECT_NE(with->setting, "") << name;
    }
  }
}

TEST(MethodNames, AreThoseThatPeopleWrite) {
  EXPECT_EQ(MethodSyntax(),
            "file[:vertex|origin|usd], lbs, dqs[:vertex|origin|usd], sdef[:slerp|nlerp]");
  EXPECT_EQ(ParseMethod("file")->method, std::nullopt);
  EXPECT_EQ(ParseMethod("lbs")->method, SkinningMethod::kLinear);
  EXPECT_EQ(ParseMethod("dqs")->method, SkinningMethod::kDualQuaternion);
  EXPECT_EQ(ParseMethod("sdef")->method, SkinningMethod::kSpherical);
  EXPECT_EQ(MethodName(SkinningMethod::kMixed), "mixed");
}

TEST(MethodNames, VariantsChangeOneSettingOnly) {
  DeformSettings settings;
  settings.sdef.rotation = SdefRotation::kNlerp;
  ApplyVariant(*ParseMethod("dqs:usd"), settings);
  EXPECT_EQ(settings.dqs.residual, DqsResidual::kUsd);
  EXPECT_EQ(settings.sdef.rotation, SdefRotation::kNlerp);
  EXPECT_EQ(settings.method, std::nullopt);
  ApplyVariant(*ParseMethod("sdef:slerp"), settings);
  EXPECT_EQ(settings.sdef.rotation, SdefRotation::kSlerp);
  ApplyVariant(*ParseMethod("file:origin"), settings);
  EXPECT_EQ(settings.dqs.residual, DqsResidual::kOrigin);
  for (const char* plain : {"file", "lbs", "dqs", "sdef"}) {
    ApplyVariant(*ParseMethod(plain), settings);
    EXPECT_EQ(settings.dqs.residual, DqsResidual::kOrigin) << plain;
    EXPECT_EQ(settings.sdef.rotation, SdefRotation::kSlerp) << plain;
  }
}

TEST(MethodNames, UnknownOnesListWhatThereIs) {
  const auto refuse = [](std::string_view text, const char* a, const char* b) {
    const auto parsed = ParseMethod(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_EQ(parsed.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(parsed.error().message, AllOf(HasSubstr(a), HasSubstr(b)));
  };
  refuse("linear", "'linear'", "lbs, dqs[:vertex|origin|usd], sdef");
  refuse("mixed", "'mixed'", "lbs");  // only a file gives shares
  refuse("dqs:gpu", "dual-quaternion residual 'gpu'", "vertex, origin, usd");
  refuse("sdef:", "spherical rotation ''", "slerp, nlerp");
  refuse("lbs:usd", "'lbs' has no variants", "'lbs:usd'");
  refuse(":usd", "method ''", "lbs");
}

TEST(MethodNames, SettingsRoundTripAndListWhatThereIs) {
  for (const auto residual : {DqsResidual::kVertex, DqsResidual::kOrigin, DqsResidual::kUsd}) {
    EXPECT_EQ(*ParseDqsResidual(DqsResidualName(residual)), residual);
  }
  for (const auto mode : {SdefMode::kOn, SdefMode::kOff, SdefMode::kAuthor}) {
    EXPECT_EQ(*ParseSdefMode(SdefModeName(mode)), mode);
  }
  for (const auto rotation : {SdefRotation::kSlerp, SdefRotation::kNlerp}) {
    EXPECT_EQ(*ParseSdefRotation(SdefRotationName(rotation)), rotation);
  }
  EXPECT_THAT(ParseDqsResidual("").error().message, HasSubstr("vertex, origin, usd"));
  EXPECT_THAT(ParseSdefMode("auto").error().message,
              AllOf(HasSubstr("'auto'"), HasSubstr("on, off, author")));
  EXPECT_THAT(ParseSdefRotation("").error().message, HasSubstr("slerp, nlerp"));
}

}  // namespace
}  // namespace flexor::deform
