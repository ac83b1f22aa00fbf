// Which opinion wins: arcs, list edits, variants, classes, instances.

#include <chrono>
#include <cmath>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/usd_files.h"

namespace flexor::test {
namespace {

UsdFiles Root(std::string_view text) {
  UsdFiles files;
  files.Add("root.usda", text);
  return files;
}

TEST(UsdCompose, ArcsCountInTheirOrderOfStrength) {
  UsdFiles files = Root(R"(
def "A" (
  inherits = </_class>
  variants = { string v = "x" }
  prepend variantSets = "v"
  references = @ref.usda@</R>
  payload = @pay.usda@</P>
  specializes = </_base>
) {
  variantSet "v" = { "x" { double b = 2
 double c = 2
 double d = 2
 double e = 2
 double f = 2 } }
  double g = 0
}
class "_class" { double a = 1
 double b = 1
 double c = 1
 double d = 1
 double e = 1
 double f = 1
 double g = 1 }
class "_base" { double a = 6
 double b = 6
 double c = 6
 double d = 6
 double e = 6
 double f = 6
 double z = 6 }
)");
  files.Add("ref.usda",
            "def \"R\" { double a = 4\n double c = 4\n double y = 4\n double z = 4 \n}");
  files.Add("pay.usda", "def \"P\" { double y = 5\n double x = 5\n double z = 5\n}");
  ComposedStage stage(files);
  ASSERT_TRUE(stage.ok()) << stage.error().ToString();
  EXPECT_EQ(stage.Default("/A.g"), 0);  // local
  EXPECT_EQ(stage.Default("/A.a"), 1);  // inherits
  EXPECT_EQ(stage.Default("/A.b"), 1);
  EXPECT_EQ(stage.Default("/A.y"), 4);  // reference over payload
  EXPECT_EQ(stage.Default("/A.x"), 5);
  EXPECT_EQ(stage.Default("/A.z"), 4);  // specializes last
  EXPECT_EQ(stage.Stack("/A"),
            "root.usda:/A root.usda:/_class root.usda:/A{v=x} ref.usda:/R pay.usda:/P "
            "root.usda:/_base");
  EXPECT_TRUE(stage.diagnostics().entries().empty());
}

TEST(UsdCompose, VariantsBeatReferencesAndWeakerOpinionsStillArrive) {
  UsdFiles files = Root(R"(
def "A" (
  variants = { string v = "x" }
  prepend variantSets = "v"
  references = [@r.usda@</R>, @q.usda@</Q>]
) {
  variantSet "v" = { "x" { double a = 1 } "y" { double a = 7 } }
}
)");
  files.Add("r.usda", "def \"R\" { double a = 2\n double b = 2\n}");
  files.Add("q.usda", "def \"Q\" { double b = 3\n double c = 3\n}");
  ComposedStage stage(files);
  ASSERT_TRUE(stage.ok()) << stage.error().ToString();
  EXPECT_EQ(stage.Default("/A.a"), 1);
  EXPECT_EQ(stage.Default("/A.b"), 2);
  EXPECT_EQ(stage.Default("/A.c"), 3);
}

TEST(UsdCompose, SublayersAreOneStackInOrder) {
  UsdFiles files = Root("(\n subLayers = [@b.usda@, @c.usda@]\n)\nover \"A\" { double x = 1 \n}");
  files.Add("b.usda", "(\n subLayers = [@d.usda@]\n)\ndef \"A\" { double x = 2\n double y = 2\n}");
  files.Add(
      "c.usda",
      "over \"A\" (references = @r.usda@</R>) { double x = 3\n double z = 3\n double w = 3\n}");
  files.Add("d.usda", "over \"A\" { double y = 4\n double w = 4\n}");
  files.Add("r.usda", "def \"R\" { double x = 5\n double v = 5\n}");
  ComposedStage stage(files);
  ASSERT_TRUE(stage.ok()) << stage.error().ToString();
  EXPECT_EQ(stage.Default("/A.x"), 1);
  EXPECT_EQ(stage.Default("/A.y"), 2);
  EXPECT_EQ(stage.Default("/A.w"), 4);  // d is below b, and so above c
  EXPECT_EQ(stage.Default("/A.z"), 3);
  EXPECT_EQ(stage.Default("/A.v"), 5);
  EXPECT_EQ(stage.Stack("/A"), "root.usda:/A b.usda:/A d.usda:/A c.usda:/A r.usda:/R");
}

// Between two arcs the kind counts first, then which was made deeper in namespace.
TEST(UsdCompose, AncestralArcsAgainstDirectOnes) {
  UsdFiles files;
  files.Add("p.usda",
            "def \"R\" { def \"C\" { double x = 1 \n}\n}\ndef \"Q\" { double x = 2 \n}\n");
  files.Add("root.usda", R"(
class "_k" { over "C" { double x = 1
 }
}
class "_c" { double x = 2
}
def "RefThenClass" (references = @p.usda@</R>) { over "C" (inherits = </_c>) { } 
}
def "ClassThenRef" (inherits = </_k>) { def "C" (references = @p.usda@</Q>) { }
}
def "ClassThenClass" (inherits = </_k>) { def "C" (inherits = </_c>) { }
}
def "RefThenRef" (references = @p.usda@</R>) { over "C" (references = @p.usda@</Q>) { }
}
)");
  ComposedStage stage(files);
  ASSERT_TRUE(stage.ok()) << stage.error().ToString();
  EXPECT_EQ(stage.Default("/RefThenClass/C.x"), 2);
  EXPECT_EQ(stage.Default("/ClassThenRef/C.x"), 1);
  EXPECT_EQ(stage.Default("/ClassThenClass/C.x"), 2);
  EXPECT_EQ(stage.Default("/RefThenRef/C.x"), 2);
}

// A class inherited inside a referenced file is looked for outside of it too, and there it is
// stronger than the file itself.
TEST(UsdCompose, ClassesAreImpliedOutward) {
  UsdFiles files = Root(R"(
def "A" (references = @r.usda@</R>) {
  over "_local" { double local = 9
  }
}
class "_global" { double global = 9
}
)");
  files.Add("r.usda", R"(
def "R" {
  double global = 5
  double local = 5
  class "_local" { double local = 1
  }
  def "G" (inherits = </_global>) { double global = 5
  }
  def "L" (inherits = </R/_local>) { double local = 5
  }
}
class "_global" { double global = 1
}
)");
  ComposedStage stage(files);
  ASSERT_TRUE(stage.ok()) << stage.error().ToString();
  EXPECT_EQ(stage.Default("/A/G.global"), 9);
  EXPECT_EQ(stage.Default("/A/L.local"), 9);
  EXPECT_EQ(stage.Stack("/A/G"), "root.usda:/_global r.usda:/R/G r.usda:/_global");
  EXPECT_EQ(stage.Stack("/A/L"), "root.usda:/A/_local r.usda:/R/L r.usda:/R/_local");
}

TEST(UsdCompose, SpecializesIsImpliedOutwardAndWeakerThanEverything) {
  UsdFiles files = Root(R"(
def "A" (references = @r.usda@</R>) { }
over "S" { double a = 9
 double b = 9
}
def "Two" (references = [@r.usda@</R>, @q.usda@</Q>]) { }
def "Chain" (specializes = </Deep>) { }
class "Deep" (specializes = </Deeper>
 references = @q.usda@</Q>) { }
class "Deeper" { double c = 2
}
)");
  files.Add("r.usda",
            "def \"R\" (specializes = </S>) { double a = 5 \n}\nclass \"S\" { double a = 1\n "
            "double b = 1\n double c = 1\n}");
  files.Add("q.usda", "def \"Q\" { double c = 3 \n}");
  ComposedStage stage(files);
  ASSERT_TRUE(stage.ok()) << stage.error().ToString();
  EXPECT_EQ(stage.Default("/A.a"), 5);
  EXPECT_EQ(stage.Default("/A.b"), 9);
  EXPECT_EQ(stage.Default("/A.c"), 1);
  EXPECT_EQ(stage.Default("/Two.c"), 3);    // the second reference over the first one's base
  EXPECT_EQ(stage.Default("/Chain.c"), 3);  // a base's reference over the base of the base
}

TEST(UsdCompose, FirstReferencesClassBeatsTheSecondReference) {
  UsdFiles files = Root("def \"A\" (references = [@r.usda@</R>, @q.usda@</Q>]) { }\n");
  files.Add("r.usda", "def \"R\" (inherits = </_c>) { }\nclass \"_c\" { double x = 1 \n}");
  files.Add("q.usda", "def \"Q\" { double x = 2 \n}");
  ComposedStage stage(files);
  ASSERT_TRUE(stage.ok()) << stage.error().ToString();
  EXPECT_EQ(stage.Default("/A.x"), 1);
}

constexpr std::string_view kVariantsOfR = R"(
def "R" (
  variants = { string v = "a" }
  prepend variantSets = "v"
) {
  variantSet "v" = { "a" { double x = 1 } "b" { double x = 2 } }
}
)";

TEST(UsdCompose, VariantSelections) {
  UsdFiles files;
  files.Add("r.usda", kVariantsOfR);
  files.Add("none.usda",
            "def \"R\" (prepend variantSets = \"v\") { variantSet \"v\" = { \"a\" { double x = 1 } "
            "} \n}");
  files.Add("root.usda", R"(
def "Inner" (references = @r.usda@</R>) { }
def "Outer" (references = @r.usda@</R>
 variants = { string v = "b" }) { }
def "Empty" (references = @r.usda@</R>
 variants = { string v = "" }) { }
def "Missing" (references = @r.usda@</R>
 variants = { string v = "c" }) { }
def "Nobody" (references = @none.usda@</R>) { }
class "_chooses" (variants = { string v = "b" }) { }
def "ByClass" (inherits = </_chooses>
 references = @none.usda@</R>) { }
def "ByPayload" (references = @none.usda@</R>
 payload = @pay.usda@</P>) { }
def "NotListed" { variantSet "v" = { "a" { double x = 1 } }
}
)");
  files.Add("pay.usda", "def \"P\" (variants = { string v = \"a\" }) { }\n");
  ComposedStage stage(files);
  ASSERT_TRUE(stage.ok()) << stage.error().ToString();
  EXPECT_EQ(stage.Default("/Inner.x"), 1);
  EXPECT_EQ(stage.Default("/Outer.x"), 2);
  EXPECT_TRUE(std::isnan(stage.Default("/Empty.x")));
  EXPECT_TRUE(std::isnan(stage.Default("/Missing.x")));
  EXPECT_TRUE(std::isnan(stage.Default("/Nobody.x")));
  EXPECT_TRUE(std::isnan(stage.Default("/ByClass.x")));  // chosen, but there is no variant b
  EXPECT_EQ(stage.Default("/ByPayload.x"), 1);
  EXPECT_TRUE(std::isnan(stage.Default("/NotListed.x")));
}

TEST(UsdCompose, VariantsChooseVariantsAndSetsRank) {
  ComposedStage stage(Root(R"(
def "Picks" (
  variants = { string v = "x" }
  prepend variantSets = ["v", "w"]
) {
  variantSet "v" = { "x" (variants = { string w = "b" }) { } }
  variantSet "w" = { "a" { double x = 2 } "b" { double x = 3 } }
}
def "Nested" (
  variants = { string v = "x"
 string w = "b" }
  prepend variantSets = "v"
) {
  variantSet "v" = { "x" (prepend variantSets = "w") {
    variantSet "w" = { "a" { double x = 2 } "b" { double x = 3 } }
  } }
}
def "Both" (
  variants = { string v = "x"
 string w = "y" }
  prepend variantSets = ["v", "w"]
) {
  variantSet "w" = { "y" { double x = 5
 double y = 5 } }
  variantSet "v" = { "x" { double x = 4 } }
}
)"));
  ASSERT_TRUE(stage.ok()) << stage.error().ToString();
  EXPECT_EQ(stage.Default("/Picks.x"), 3);
  EXPECT_EQ(stage.Default("/Nested.x"), 3);
  EXPECT_EQ(stage.Default("/Both.x"), 4);
  EXPECT_EQ(stage.Default("/Both.y"), 5);
}

TEST(UsdCompose, ReferencesWithoutAPathGoToTheDefaultPrim) {
  UsdFiles files = Root(R"(
def "Good" (references = @good.usda@) { double own = 1
}
def "None" (references = @none.usda@) { double own = 1
}
def "Dangling" (references = @dangling.usda@) { double own = 1
}
def "InSublayer" (references = @over.usda@) { double own = 1
}
)");
  files.Add("good.usda", "(\n defaultPrim = \"D\"\n)\ndef \"D\" { double x = 1 \n}");
  files.Add("none.usda", "def \"D\" { double x = 1 \n}");
  files.Add("dangling.usda", "(\n defaultPrim = \"E\"\n)\ndef \"D\" { double x = 1 \n}");
  files.Add("over.usda", "(\n subLayers = [@good.usda@]\n)\n");
  ComposedStage stage(files);
  ASSERT_TRUE(stage.ok()) << stage.error().ToString();
  EXPECT_EQ(stage.Default("/Good.x"), 1);
  EXPECT_TRUE(std::isnan(stage.Default("/None.x")));
  EXPECT_TRUE(std::isnan(stage.Default("/Dangling.x")));
  EXPECT_TRUE(std::isnan(stage.Default("/InSublayer.x")));
  for (const char* prim : {"/Good.own", "/None.own", "/Dangling.own", "/InSublayer.own"}) {
    EXPECT_EQ(stage.Default(prim), 1) << prim;
  }
  EXPECT_TRUE(stage.diagnostics().Contains("USD_DEFAULT_PRIM"));
  EXPECT_TRUE(stage.diagnostics().Contains("USD_ARC_TARGET"));
}

TEST(UsdCompose, MissingAndBrokenFilesCostTheirArcOnly) {
  UsdFiles files = Root(R"((
 subLayers = [@gone.usda@, @broken.usda@, @fine.usda@]
)
def "A" (references = [@gone.usda@</R>, @broken.usda@</R>, @fine.usda@</R>]) { double own = 1
}
)");
  files.Add("broken.usda", "def \"R\" { double x = = \n}");
  files.Add("fine.usda", "def \"R\" { double x = 2 \n}");
  ComposedStage stage(files);
  ASSERT_TRUE(stage.ok()) << stage.error().ToString();
  EXPECT_EQ(stage.Default("/A.own"), 1);
  EXPECT_EQ(stage.Default("/A.x"), 2);
  EXPECT_EQ(stage.Default("/R.x"), 2);
  EXPECT_TRUE(stage.diagnostics().Contains("USD_LAYER_NOT_FOUND"));
  EXPECT_TRUE(stage.diagnostics().Contains("USD_LAYER_BROKEN"));
}

TEST(UsdCompose, ABrokenRootLayerIsAnError) {
  ComposedStage stage(Root("def \"A\" { double x = = \n}"));
  ASSERT_FALSE(stage.ok());
  EXPECT_EQ(stage.error().code, ErrorCode::kParse);
}

TEST(UsdCompose, DeletesReachTheirOwnLayerStackAndCompareFilesNotSpellings) {
  UsdFiles files = Root(R"((
 subLayers = [@d/sub.usda@]
)
over "A" (delete references = @d/q.usda@</Q>) { }
def "B" (references = @inner.usda@</I>
 delete references = @d/q.usda@</Q>) { }
)");
  files.Add("d/sub.usda", "def \"A\" (prepend references = @./q.usda@</Q>) { }\n");
  files.Add("d/q.usda", "def \"Q\" { double x = 1 \n}");
  files.Add("inner.usda", "def \"I\" (references = @d/q.usda@</Q>) { }\n");
  ComposedStage stage(files);
  ASSERT_TRUE(stage.ok()) << stage.error().ToString();
  EXPECT_TRUE(std::isnan(stage.Default("/A.x")));
  EXPECT_EQ(stage.Default("/B.x"), 1);
}

TEST(UsdCompose, CyclesAreCutAndTheRestStays) {
  UsdFiles files = Root(R"(
def "A" (inherits = </B>) { double a = 1
}
def "B" (inherits = </A>) { double b = 2
}
def "P" { double p = 3
  def "Q" (references = </P>) { double q = 4
  }
}
def "Out" (references = @two.usda@</T>) { double out = 5
}
)");
  files.Add("two.usda",
            "(\n subLayers = [@two.usda@]\n)\ndef \"T\" (references = @root.usda@</Out>) { double "
            "t = 6 \n}");
  ComposedStage stage(files);
  ASSERT_TRUE(stage.ok()) << stage.error().ToString();
  EXPECT_EQ(stage.Default("/A.a"), 1);
  EXPECT_EQ(stage.Default("/A.b"), 2);
  EXPECT_EQ(stage.Default("/B.a"), 1);
  EXPECT_EQ(stage.Default("/P/Q.q"), 4);
  EXPECT_TRUE(std::isnan(stage.Default("/P/Q.p")));
  EXPECT_EQ(stage.Default("/Out.t"), 6);
  EXPECT_EQ(stage.Default("/Out.out"), 5);
  EXPECT_TRUE(stage.diagnostics().Contains("USD_ARC_CYCLE"));
  EXPECT_TRUE(stage.diagnostics().Contains("USD_SUBLAYER_CYCLE"));
}

TEST(UsdCompose, InstancesShutOutWhatOthersSayAboutTheirDescendants) {
  UsdFiles files = Root(R"(
def "I" (references = @r.usda@</R>
 instanceable = true) {
  double own = 1
  over "C" { double x = 9
  }
  def "New" { }
}
def "NoArc" (instanceable = true) {
  def "New" { }
}
def "Outer" (references = @inst.usda@</X>
 instanceable = false) {
  over "C" { double x = 9
  }
}
)");
  files.Add("r.usda", "def \"R\" { def \"C\" { double x = 2 \n}\n}");
  files.Add("inst.usda", "def \"X\" (references = @r.usda@</R>\n instanceable = true) { }\n");
  ComposedStage stage(files);
  ASSERT_TRUE(stage.ok()) << stage.error().ToString();
  EXPECT_EQ(stage.Children("/I"), "C");
  EXPECT_EQ(stage.Default("/I.own"), 1);
  EXPECT_EQ(stage.Default("/I/C.x"), 2);
  EXPECT_TRUE(stage.Prim("/I")->is_instance);
  EXPECT_EQ(stage.Children("/NoArc"), "New");
  EXPECT_FALSE(stage.Prim("/NoArc")->is_instance);
  EXPECT_EQ(stage.Default("/Outer/C.x"), 9);
  EXPECT_FALSE(stage.Prim("/Outer")->is_instance);
}

TEST(UsdCompose, TargetsMoveAlongWithTheirReference) {
  UsdFiles files = Root("def \"A\" (references = @r.usda@</R>) { }\n");
  files.Add("r.usda", R"(
def "R" {
  rel inside = </R/C>
  rel outside = [</R/C>, </Other>]
  double in.connect = </R/C.out>
  def "C" { double out = 1
  }
}
def "Other" { }
)");
  ComposedStage stage(files);
  ASSERT_TRUE(stage.ok()) << stage.error().ToString();
  EXPECT_EQ(stage.Targets("/A.inside"), "/A/C");
  EXPECT_EQ(stage.Targets("/A.outside"), "/A/C");
  EXPECT_EQ(stage.Targets("/A.in"), "/A/C.out");
  EXPECT_TRUE(stage.diagnostics().Contains("USD_TARGET_OUTSIDE"));
}

TEST(UsdCompose, TargetListsAreEditedThroughAllOpinions) {
  UsdFiles files = Root(R"((
 subLayers = [@sub.usda@]
)
over "A" { prepend rel r = </C>
 delete rel r = </A/B>
}
)");
  files.Add("sub.usda", "def \"A\" (references = @r.usda@</R>) { append rel r = </D> \n}\n");
  files.Add("r.usda", "def \"R\" { rel r = [</R/B>, </R/E>]\n def \"B\" { }\n}");
  ComposedStage stage(files);
  ASSERT_TRUE(stage.ok()) << stage.error().ToString();
  EXPECT_EQ(stage.Targets("/A.r"), "/C /A/E /D");
}

TEST(UsdCompose, SpecifiersOfAllOpinions) {
  UsdFiles files = Root(R"(
over "OnlyOver" { def "Child" { } 
}
over "OverOfDef" (references = @r.usda@</D>) { }
def "DefOfClass" (references = @r.usda@</C>) { }
class "ClassOfDef" (references = @r.usda@</D>) { }
over "OverOfClass" (inherits = </_c>) { }
over "DefBelowInherit" (inherits = </_c>
 references = @r.usda@</D>) { }
class Scope "_c" { class "Inner" { } 
}
def "Inherits" (inherits = </_c>) { }
def "Inactive" (references = @r.usda@</I>) { }
)");
  files.Add("r.usda",
            "def Mesh \"D\" { }\nclass Mesh \"C\" { }\ndef \"I\" (active = false) { def \"Child\" "
            "{ }\n}\n");
  ComposedStage stage(files);
  ASSERT_TRUE(stage.ok()) << stage.error().ToString();
  using io::usd::Specifier;
  EXPECT_FALSE(stage.Prim("/OnlyOver")->is_defined);
  EXPECT_FALSE(stage.Prim("/OnlyOver/Child")->is_defined);
  EXPECT_EQ(stage.Prim("/OnlyOver/Child")->specifier, Specifier::kDef);
  EXPECT_TRUE(stage.Prim("/OverOfDef")->IsPresent());
  EXPECT_EQ(stage.Prim("/OverOfDef")->type_name, "Mesh");
  EXPECT_EQ(stage.Prim("/DefOfClass")->specifier, Specifier::kDef);
  EXPECT_EQ(stage.Prim("/ClassOfDef")->specifier, Specifier::kClass);
  EXPECT_EQ(stage.Prim("/OverOfClass")->specifier, Specifier::kClass);
  EXPECT_EQ(stage.Prim("/DefBelowInherit")->specifier, Specifier::kDef);
  EXPECT_EQ(stage.Prim("/DefBelowInherit")->type_name, "Scope");
  EXPECT_TRUE(stage.Prim("/Inherits")->IsPresent());
  EXPECT_TRUE(stage.Prim("/Inherits/Inner")->is_abstract);
  EXPECT_FALSE(stage.Prim("/Inactive")->is_active);
  EXPECT_EQ(stage.Children("/Inactive"), "");
}

TEST(UsdCompose, ChildrenComeFromWeakToStrongAndAreReordered) {
  UsdFiles files = Root(R"(
def "A" (references = @r.usda@</R>) { def "Own" { } 
}
def "B" (references = @r.usda@</R>) {
  reorder nameChildren = ["Y", "X"]
}
)");
  files.Add("r.usda", "def \"R\" { def \"X\" { }\n def \"Y\" { }\n}");
  ComposedStage stage(files);
  ASSERT_TRUE(stage.ok()) << stage.error().ToString();
  EXPECT_EQ(stage.Children("/A"), "X Y Own");
  EXPECT_EQ(stage.Children("/B"), "Y X");
}

TEST(UsdCompose, AssetPathsStayInTheFolderAndAreSearchedForNearFirst) {
  UsdFiles files = Root(R"(
def "Out" (references = @../secret.usda@</R>) { }
def "Absolute" (references = @/etc/secret.usda@</R>) { }
def "Scheme" (references = @http://example.com/a.usda@</R>) { }
def "Expression" (references = @`"${X}"`@</R>) { }
def "Near" (references = @d/b.usda@</B>) { }
)");
  files.Add("d/b.usda",
            "def \"B\" (references = [@c.usda@</C>, @e.usda@</E>, @./f.usda@</F>]) { }\n");
  files.Add("d/c.usda", "def \"C\" { double c = 1 \n}");
  files.Add("c.usda", "def \"C\" { double c = 2 \n}");
  files.Add("e.usda", "def \"E\" { double e = 3 \n}");
  files.Add("f.usda", "def \"F\" { double f = 4 \n}");
  ComposedStage stage(files);
  ASSERT_TRUE(stage.ok()) << stage.error().ToString();
  EXPECT_EQ(stage.Default("/Near.c"), 1);
  EXPECT_EQ(stage.Default("/Near.e"), 3);
  EXPECT_TRUE(std::isnan(stage.Default("/Near.f")));  // "./" is beside d/b.usda and nowhere else
  EXPECT_TRUE(stage.diagnostics().Contains("USD_ASSET_OUTSIDE"));
  EXPECT_TRUE(stage.diagnostics().Contains("USD_ASSET_UNSUPPORTED"));
  EXPECT_TRUE(stage.diagnostics().Contains("USD_LAYER_NOT_FOUND"));
}

TEST(UsdCompose, WhatIsNotFollowedIsRefusedByName) {
  ComposedStage clips(
      Root("def \"A\" { def \"B\" (clips = { dictionary default = { string primPath = \"/x\" } }) "
           "{ }\n}"));
  ASSERT_FALSE(clips.ok());
  EXPECT_EQ(clips.error().code, ErrorCode::kUnsupportedFeature);
  EXPECT_EQ(clips.error().place.element, "/A/B");
  EXPECT_THAT(clips.error().message, ::testing::HasSubstr("value clips"));
  ComposedStage moved(Root("(\n relocates = { </A/B>: </A/C> }\n)\ndef \"A\" { }\n"));
  ASSERT_FALSE(moved.ok());
  EXPECT_EQ(moved.error().code, ErrorCode::kUnsupportedFeature);
  EXPECT_THAT(moved.error().message, ::testing::HasSubstr("relocates"));
}

/// Every level refers twice to the next: twice as many prims on each.
UsdFiles Doubling(int levels) {
  std::string text;
  for (int i = 0; i < levels; ++i) {
    const std::string next = "</L" + std::to_string(i + 1) + ">";
    text += "def \"L" + std::to_string(i) + "\" { def \"a\" (references = " + next +
            ") { }\n def \"b\" (references = " + next + ") { }\n}\n";
  }
  text += "def \"L" + std::to_string(levels) + "\" { }\n";
  return Root(text);
}

TEST(UsdCompose, MultiplyingReferencesAreStoppedEarly) {
  const auto start = std::chrono::steady_clock::now();
  ComposedStage stage(Doubling(30));
  ASSERT_FALSE(stage.ok());
  EXPECT_EQ(stage.error().code, ErrorCode::kLimitExceeded);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST(UsdCompose, LimitsHoldAndSayBothNumbers) {
  io::usd::ComposeLimits limits;
  limits.prims = 3;
  ComposedStage prims(Root("def \"A\" { }\ndef \"B\" { }\ndef \"C\" { }\n"), "root.usda", limits);
  ASSERT_FALSE(prims.ok());
  EXPECT_EQ(prims.error().code, ErrorCode::kLimitExceeded);
  EXPECT_THAT(prims.error().message, ::testing::HasSubstr("3 prims"));

  limits = {};
  limits.layers = 2;
  UsdFiles files = Root("(\n subLayers = [@a.usda@, @b.usda@]\n)\n");
  files.Add("a.usda", "").Add("b.usda", "");
  ComposedStage layers(files, "root.usda", limits);
  ASSERT_FALSE(layers.ok());
  EXPECT_THAT(layers.error().message, ::testing::HasSubstr("2 layers"));
}

}  // namespace
}  // namespace flexor::test
