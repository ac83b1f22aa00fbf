// The grammar of text layers: what is read, what is refused, and where.

#include <string>

#include "io/usd_support.h"

namespace flexor::io::usd {
namespace {

using test::ReadInPrim;
using test::ReadUsda;
using test::ReadUsdText;
using testing::ElementsAre;
using testing::HasSubstr;

void ExpectRead(std::string_view body) {
  const auto read = ReadUsda(body);
  EXPECT_TRUE(read.ok()) << body << "\n" << read.error.ToString();
}

void ExpectRefused(std::string_view body, ErrorCode code = ErrorCode::kParse) {
  const auto read = ReadUsda(body);
  EXPECT_FALSE(read.ok()) << body;
  if (read.ok()) return;
  EXPECT_EQ(read.error.code, code) << read.error.ToString();
  EXPECT_EQ(read.error.place.path, "a.usda");
  EXPECT_THAT(read.error.place.element, HasSubstr("line ")) << read.error.ToString();
  EXPECT_TRUE(read.error.place.byte_offset.has_value());
}

std::string InPrim(std::string_view contents) {
  return "def \"A\" {\n" + std::string(contents) + "\n}\n";
}
std::string InMetadata(std::string_view items) {
  return "def \"A\" ( " + std::string(items) + " ) {}\n";
}

TEST(Usda, TheFirstLineSaysWhatItIs) {
  EXPECT_TRUE(ReadUsdText("#usda 1.0").ok());
  EXPECT_TRUE(ReadUsdText("#usda 1.0\n").ok());
  EXPECT_TRUE(ReadUsdText("#usda 1.3 whatever\ndef \"A\" {}").ok());
  EXPECT_TRUE(ReadUsdText("#usda 1.0.32\n").ok());
  for (const char* text : {"\xEF\xBB\xBF#usda 1.0\n", " #usda 1.0\n", "\n#usda 1.0\n", "", "def"}) {
    EXPECT_EQ(ReadUsdText(text).error.code, ErrorCode::kUnknownFormat) << text;
  }
  EXPECT_EQ(ReadUsdText("#usda1.0\n").error.code, ErrorCode::kUnknownFormat);
  EXPECT_EQ(ReadUsdText("#usda 2.0\n").error.code, ErrorCode::kUnsupportedFeature);
  EXPECT_EQ(ReadUsdText("#usda 1\n").error.code, ErrorCode::kUnsupportedFeature);
  EXPECT_EQ(ReadUsdText("#usda 1.x\n").error.code, ErrorCode::kUnsupportedFeature);
}

TEST(Usda, AnyLineEndWillDo) {
  const std::string text = "#usda 1.0\n(\n    upAxis = \"Y\"\n)\ndef \"A\"\n{\n    int x = 1\n}\n";
  for (const char* end : {"\n", "\r\n", "\r"}) {
    std::string other;
    for (const char c : text) other += c == '\n' ? std::string(end) : std::string(1, c);
    auto read = ReadUsdText(other);
    ASSERT_TRUE(read.ok()) << read.error.ToString();
    EXPECT_EQ(read.Default("/A.x").GetOr(0), 1);
  }
}

TEST(Usda, ControlCharactersAndBadUtf8AreRefused) {
  ExpectRefused("\fdef \"A\" {}\n");
  ExpectRefused(
      "\xC2\xA0"
      "def \"A\" {}\n");
  ExpectRefused(InPrim("string x = \"\xFF\""));
  ExpectRefused("# \xFF\n");
  ExpectRefused(std::string("def \"A\" {}\n\0", 12));
}

TEST(Usda, CommentsStandBetweenAnyTokens) {
  ExpectRead(
      "# a\n( # b\n  // c\n  doc = /* d\n */ \"e\" // f\n) /* g */\n"
      "def /* h */ Xform /* i */ \"A\" /* j */ ( # k\n) # l\n{ # m\n"
      "  /* n */ int /* o */ [ /* p */ ] /* q */ x /* r */ = /* s */ [ 1 /* t */ , # u\n 2 ] # "
      "v\n}\n");
}

TEST(Usda, CommentsStandBetweenAnyTokensButNotInTexts) {
  auto read =
      ReadUsda("def \"A\" { # one {\n string x = \"# /* no\" // two\n /* ; */ int y = 2\n}\n");
  ASSERT_TRUE(read.ok()) << read.error.ToString();
  EXPECT_EQ(read.Default("/A.x").text(), "# /* no");
  EXPECT_EQ(read.Default("/A.y").GetOr(0), 2);
}

TEST(Usda, ACommentThatNeverEndsIsTheFault) {
  const auto read = ReadUsda("def \"A\" {\n}\n/* and on");
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error.place.element, "line 4, column 1");
  EXPECT_EQ(ReadUsda("def \"A\" { /*").error.place.element, "line 2, column 11");
}

TEST(Usda, StatementsEndWithALineOrASemicolon) {
  ExpectRead("def \"A\" { int x = 1; }\n");
  ExpectRead("def \"A\" { int x = 1;\n\n int y\n }\n");
  ExpectRefused("def \"A\" { int x = 1 }\n");
  ExpectRefused("def \"A\" { int x = 1;; }\n");
  ExpectRefused("def \"A\" { int x = 1\n; }\n");
  ExpectRefused("def \"A\" { int x = 1 int y = 2\n }\n");
}

TEST(Usda, BlocksEndWithALine) {
  ExpectRead("def \"C\" { }");
  ExpectRead("def \"C\" { def \"D\" { }\n }\n");
  ExpectRefused("def \"C\" { def \"D\" { } }\n");
  ExpectRefused("def \"C\" { def \"D\" { }; }\n");
  ExpectRefused("def \"C\" { } def \"D\" { }\n");
}

TEST(Usda, MetadataIsSeparatedByLinesOrSemicolons) {
  ExpectRead("(\n doc = \"a\"\n upAxis = \"Y\"\n)\n");
  ExpectRead("( doc = \"a\"; upAxis = \"Y\" )\n");
  ExpectRead("( )\n");
  ExpectRead("(\n)\n");
  ExpectRefused("( doc = \"a\", upAxis = \"Y\" )\n");
  ExpectRefused("( doc = \"a\" upAxis = \"Y\" )\n");
  ExpectRefused("( doc = \"a\" )\n( doc = \"b\" )\n");
  ExpectRefused("( doc = \"a\" ) def \"A\" { }\n");
  ExpectRefused("def \"A\" {}\n( doc = \"a\" )\n");
}

TEST(Usda, ListsTakeLineEndsAfterCommas) {
  ExpectRead(InPrim("int[] x = [1,\n2,\n]"));
  ExpectRead(InPrim("int[] x = [\n1\n]"));
  ExpectRead(InPrim("int[] x = [ ]"));
  ExpectRefused(InPrim("int[] x = [1\n, 2]"));
  ExpectRefused(InPrim("int[] x = [\n]"));
  ExpectRefused(InPrim("int[] x = [1,,2]"));
  ExpectRefused(InPrim("int[] x = [,]"));
  ExpectRead(InPrim("rel x = [\n]"));
  ExpectRead(InPrim("int x.connect = [\n]"));
  ExpectRead(InMetadata("references = [\n]"));
  ExpectRead("( subLayers = [\n] )\n");
}

TEST(Usda, SomeThingsStandOnOneLine) {
  ExpectRefused("def\n\"A\" {}\n");
  ExpectRefused(InPrim("int x =\n1"));
  ExpectRefused(InPrim("int x = 1\n( doc = \"a\" )"));
  ExpectRefused(InPrim("int x.timeSamples = { 1:\n2 }"));
  ExpectRead("def \"A\"\n\n( doc = \"a\" )\n\n{\n}\n");
  ExpectRead(InPrim("variantSet \"v\" =\n{\n\"a\"\n{\n}\n}"));
}

TEST(Usda, PrimsHaveSpecifierTypeAndName) {
  auto read = ReadUsda(
      "def Xform \"A\" { over \"B\" { }\n class a.b.C \"D\" { }\n }\nclass \"E\" { }\n"
      "def inf \"\xC3\xA9\" { }\n");
  ASSERT_TRUE(read.ok()) << read.error.ToString();
  EXPECT_EQ(read.Prim("/A").type_name, "Xform");
  EXPECT_EQ(read.Prim("/A/B").specifier, Specifier::kOver);
  EXPECT_EQ(read.Prim("/A/D").type_name, "a.b.C");
  EXPECT_EQ(read.Prim("/E").specifier, Specifier::kClass);
  EXPECT_EQ(read.layer->root().children.size(), 3u);
  for (const char* name : {"", "a b", "1a", "a.b", "a:b", "/", "a\\n", "\xE2\x80\x83"}) {
    ExpectRefused("def \"" + std::string(name) + "\" {}\n");
  }
  for (const char* type : {"None", "over", "rel", "add", "custom", "variantSet", "timeSamples"}) {
    ExpectRefused("def " + std::string(type) + " \"A\" {}\n");
  }
  ExpectRefused("def \"A\"\n");
  ExpectRefused("def A {}\n");
  ExpectRefused("def Xform A {}\n");
  ExpectRefused("Xform \"A\" {}\n");
  ExpectRefused("def \"A\" {}\nover \"A\" {}\n");
  ExpectRefused("def \"" + std::string(1025, 'a') + "\" {}\n");
}

TEST(Usda, DeclarationsAgreeAndTheLastValueWins) {
  auto read =
      ReadInPrim("float x\nfloat x = 2\nfloat x = 3\ncustom float x\nfloat x.timeSamples = {1: 2}");
  ASSERT_TRUE(read.ok()) << read.error.ToString();
  EXPECT_EQ(read.Default("/A.x").GetOr(0.0f), 3.0f);
  EXPECT_TRUE(read.Property("/A.x").custom);
  EXPECT_EQ(read.Property("/A.x").samples->size(), 1u);
  EXPECT_EQ(read.Prim("/A").properties.size(), 1u);
  ExpectRefused(InPrim("float x\nint x"));
  ExpectRefused(InPrim("float x\nuniform float x"));
  ExpectRefused(InPrim("float x\nrel x"));
  ExpectRefused(InPrim("rel x\nfloat x"));
}

TEST(Usda, WordsBeforeAPropertyStandInOrder) {
  auto read = ReadInPrim("custom uniform token x\nconfig int y\nvarying rel z\nrel w");
  ASSERT_TRUE(read.ok()) << read.error.ToString();
  EXPECT_EQ(read.Property("/A.x").variability, Variability::kUniform);
  EXPECT_EQ(read.Property("/A.y").variability, Variability::kUniform);
  EXPECT_EQ(read.Property("/A.z").variability, Variability::kVarying);
  EXPECT_EQ(read.Property("/A.w").variability, Variability::kUniform);
  ExpectRefused(InPrim("uniform custom float x"));
  ExpectRefused(InPrim("varying float x"));
  ExpectRefused(InPrim("uniform rel x"));
  ExpectRead(InPrim("prepend custom rel x = </B>"));
  ExpectRefused(InPrim("custom prepend rel x = </B>"));
  ExpectRefused(InPrim("add double x = 1"));
  ExpectRead(InPrim("add double x.connect = </B.y>"));
  ExpectRefused(InPrim("add rel x"));
}

TEST(Usda, AnyWordMayNameAProperty) {
  ExpectRead(
      InPrim("int def = 1\nint rel = 2\nint None = 3\nint timeSamples = 4\nint inf = 5\n"
             "int reorder\nint custom\nint nameChildren"));
  ExpectRead(InPrim("int a:b:c = 1"));
  for (const char* name : {"a::b", ":b", "a:1", "a: b", "1a", "a.b"}) {
    ExpectRefused(InPrim("int " + std::string(name) + " = 1"));
  }
}

TEST(Usda, TypesOfAttributes) {
  auto read = ReadInPrim(
      "float[ ] a\nPointFloat [] b\nblob c = (1, [2, \"]\"], {3})\nblob[] d = None\n"
      "opaque e\ngroup f");
  ASSERT_TRUE(read.ok()) << read.error.ToString();
  EXPECT_EQ(read.Property("/A.a").type_name, "float[]");
  EXPECT_EQ(read.Property("/A.b").type_name, "point3f[]");
  EXPECT_EQ(read.Property("/A.c").type_name, "blob");
  EXPECT_EQ(read.Default("/A.c").type(), ValueType::kUnsupported);
  EXPECT_EQ(read.Default("/A.c").text(), "(1, [2, \"]\"], {3})");
  EXPECT_TRUE(read.Property("/A.d").default_value.IsBlock());
  ExpectRefused(InPrim("float[3] x"));
  ExpectRefused(InPrim("float[][] x"));
  ExpectRefused(InPrim("foo:bar x"));
  ExpectRefused(InPrim("opaque x = 1"));
  ExpectRefused(InPrim("dictionary x = {}"));
  ExpectRefused(InPrim("blob x = (1, 2]"));
  ExpectRefused(InPrim("blob x = " + std::string(33, '(')), ErrorCode::kLimitExceeded);
}

TEST(Usda, TimeSamplesAreSorted) {
  auto read = ReadInPrim("float x.timeSamples = {\n 3: 30, 1: None,\n 2: 20\n, }");
  EXPECT_FALSE(read.ok());
  read = ReadInPrim(
      "float x . timeSamples = {\n 3: 30, 1: None,\n 2: 20, 3: 31\n }\nfloat y.timeSamples = { }");
  ASSERT_TRUE(read.ok()) << read.error.ToString();
  const TimeSamples& samples = *read.Property("/A.x").samples;
  EXPECT_THAT(samples.times(), ElementsAre(1, 2, 3));
  EXPECT_TRUE(samples.IsBlock(0));
  EXPECT_EQ(samples.Load(2, *read.budget)->GetOr(0.0f), 31.0f);
  EXPECT_EQ(read.Property("/A.y").samples->size(), 0u);
  ExpectRefused(InPrim("float x.timeSamples = { 1: 1 } ( doc = \"a\" )"));
  ExpectRefused(InPrim("float x.timeSamples = { inf: 1 }"));
  ExpectRefused(InPrim("float x.timeSamples = { nan: 1 }"));
  ExpectRefused(InPrim("float x.timeSamples = { 1: 1 2: 2 }"));
  ExpectRefused(InPrim("float x.timeSamples = { 1: }"));
  ExpectRefused(InPrim("custom float x.timeSamples = { 1: 1 }"));
  ExpectRefused(InPrim("float x.samples = { 1: 1 }"));
}

TEST(Usda, SplinesAreSkipped) {
  auto read = ReadInPrim(
      "double x.spline = {\n bezier,\n pre: linear, # }\n 1: 2; post held (1, 2),\n}\ndouble y = "
      "1");
  ASSERT_TRUE(read.ok()) << read.error.ToString();
  EXPECT_TRUE(read.Property("/A.x").has_spline);
  EXPECT_EQ(read.Default("/A.y").GetOr(0.0), 1.0);
}

TEST(Usda, RelationshipsHaveTargets) {
  auto read = ReadUsda(
      "def \"P\" { def \"A\" {\n rel x = [<../D>, <.y>, <B/C.z>, </E>, <.>]\n prepend rel e = "
      "</F>\n"
      " delete rel e = [</G>]\n rel n = None\n rel d.default = </H>\n rel m = </I> ( doc = \"a\" "
      ")\n}\n}\n");
  ASSERT_TRUE(read.ok()) << read.error.ToString();
  std::vector<std::string> targets;
  for (const Path target : read.Property("/P/A.x").targets->explicit_items) {
    targets.push_back(target.ToString());
  }
  EXPECT_THAT(targets, ElementsAre("/P/D", "/P/A.y", "/P/A/B/C.z", "/E", "/P/A"));
  EXPECT_EQ(read.Property("/P/A.e").targets->prepended.size(), 1u);
  EXPECT_EQ(read.Property("/P/A.e").targets->deleted.size(), 1u);
  EXPECT_TRUE(read.Property("/P/A.n").targets->is_explicit);
  EXPECT_EQ(read.Property("/P/A.d").targets, nullptr);
  EXPECT_EQ(read.Property("/P/A.m").metadata.Find("documentation")->text(), "a");
  ExpectRefused(InPrim("rel x = <>"));
  ExpectRefused(InPrim("rel x = </A{v=a}B>"));
  ExpectRefused(InPrim("rel x = [</B>, </B>]"));
  ExpectRefused(InPrim("prepend rel x = None"));
  ExpectRefused(InPrim("prepend rel x = []"));
  ExpectRefused(InPrim("rel x = \"B\""));
  ExpectRefused(InPrim("rel x = <B"));
}

TEST(Usda, TargetsInsideAVariantLeaveTheVariantOut) {
  auto read = ReadUsda(
      "def \"A\" {\n variantSet \"v\" = { \"a\" { def \"C\" { rel x = <../D>;\n}\n}\n}\n}\n");
  ASSERT_TRUE(read.ok()) << read.error.ToString();
  EXPECT_EQ(read.Property("/A{v=a}C.x").targets->explicit_items[0].ToString(), "/A/D");
}

TEST(Usda, OldFormsOfTargetsAreLeftOut) {
  auto read = ReadInPrim("rel x = [</A.r[/T].y>, </B>]");
  ASSERT_TRUE(read.ok()) << read.error.ToString();
  EXPECT_EQ(read.Property("/A.x").targets->explicit_items.size(), 1u);
  EXPECT_TRUE(read.diagnostics.Contains("USD_TARGET_SKIPPED"));
}

TEST(Usda, ReferencesNameAssetPrimAndTime) {
  auto read = ReadUsda(
      "def \"A\" (\n references = [@b.usda@</B/C> (offset = 10; scale = 2), </D>, @e.usda@, <> (\n"
      "  offset = 1\n  customData = { int a = 1 }\n )]\n payload = @p.usd@ (offset = -1)\n) {}\n");
  ASSERT_TRUE(read.ok()) << read.error.ToString();
  const auto& items = read.Prim("/A").references->explicit_items;
  ASSERT_EQ(items.size(), 4u);
  EXPECT_EQ(items[0].asset, "b.usda");
  EXPECT_EQ(items[0].prim.ToString(), "/B/C");
  EXPECT_EQ(items[0].time, (LayerOffset{10, 2}));
  EXPECT_TRUE(items[1].asset.empty());
  EXPECT_TRUE(items[2].prim.empty());
  EXPECT_TRUE(items[3].asset.empty() && items[3].prim.empty());
  EXPECT_NE(items[3].custom_data->Find("a"), nullptr);
  EXPECT_EQ(read.Prim("/A").payloads->explicit_items[0].time.offset, -1);
  for (const char* item :
       {"@@</B>", "@@", "</>", "<B>", "</B.c>", "</B{v=a}>", "@a@ (offset = 1, scale = 2)",
        "@a@ (offset = inf)", "@a@ (speed = 1)", "@a@ (offset = \"x\")", "\"a\"", "[@a@, @a@]"}) {
    ExpectRefused(InMetadata("references = " + std::string(item)));
  }
  ExpectRefused(InMetadata("payload = @a@ (customData = {})"));
  ExpectRead(InMetadata("references = [@a@, @a@ (offset = 1)]"));
  ExpectRead(InMetadata("payload = None"));
}

TEST(Usda, ClassesArePrims) {
  auto read = ReadUsda(
      "def \"A\" { def \"B\" ( inherits = [<../C>, <D>]; prepend specializes = </E> ) {}\n}\n");
  ASSERT_TRUE(read.ok()) << read.error.ToString();
  EXPECT_EQ(read.Prim("/A/B").inherits->explicit_items[0].ToString(), "/A/C");
  EXPECT_EQ(read.Prim("/A/B").inherits->explicit_items[1].ToString(), "/A/B/D");
  EXPECT_EQ(read.Prim("/A/B").specializes->prepended[0].ToString(), "/E");
  ExpectRefused(InMetadata("inherits = </K.x>"));
  ExpectRefused(InMetadata("inherits = </K{v=a}>"));
  ExpectRefused(InMetadata("inherits = </>"));
}

TEST(Usda, ListsAreWholeOrEdited) {
  auto read = ReadUsda(InMetadata(
      "prepend apiSchemas = [\"a\"]; append apiSchemas = [\"b\"]; delete apiSchemas = [\"c\"];"
      "reorder apiSchemas = [\"d\"]; add apiSchemas = [\"e\"]; prepend apiSchemas = [\"f\"]"));
  ASSERT_TRUE(read.ok()) << read.error.ToString();
  const ListOp<Token>& op = *read.Prim("/A").api_schemas;
  EXPECT_FALSE(op.is_explicit);
  EXPECT_THAT(op.prepended, ElementsAre(read.paths->Intern("f")));
  EXPECT_EQ(op.appended.size() + op.deleted.size() + op.ordered.size() + op.added.size(), 4u);
  read = ReadUsda(InMetadata("prepend apiSchemas = [\"a\"]; apiSchemas = [\"b\"]"));
  EXPECT_TRUE(read.Prim("/A").api_schemas->is_explicit);
  EXPECT_TRUE(read.Prim("/A").api_schemas->prepended.empty());
  read = ReadUsda(InMetadata("apiSchemas = [\"b\"]; prepend apiSchemas = [\"a\"]"));
  EXPECT_FALSE(read.Prim("/A").api_schemas->is_explicit);
  EXPECT_TRUE(read.Prim("/A").api_schemas->explicit_items.empty());
  ExpectRead(InMetadata("apiSchemas = None"));
  ExpectRead(InMetadata("apiSchemas = []"));
  ExpectRefused(InMetadata("prepend apiSchemas = \"S\""));
  ExpectRefused(InMetadata("prepend apiSchemas = None"));
  ExpectRefused(InMetadata("prepend apiSchemas = [\"a\", \"a\"]"));
  ExpectRefused(InMetadata("variantSets = []"));
  ExpectRefused(InMetadata("variantSets = \"a b\""));
  ExpectRead(InMetadata("prepend variantSets = \"v-w\""));
}

TEST(Usda, VariantsHoldWhatPrimsHold) {
  auto read = ReadUsda(
      "def \"A\" ( variants = { string v = \"a\"; string w = \"\" }\n variantSets = [\"v\"] ) {\n"
      " variantSet \"v\" = {\n \"a\" ( kind = \"x\" ) { int x = 1; }\n \".b-2|c\" { def \"B\" { }\n"
      " variantSet \"n\" = { \"i\" { } }\n } }\n}\n");
  ASSERT_TRUE(read.ok()) << read.error.ToString();
  EXPECT_EQ(read.Default("/A{v=a}.x").GetOr(0), 1);
  EXPECT_EQ(read.Prim("/A{v=a}").metadata.Find("kind")->text(), "x");
  EXPECT_NE(read.layer->FindPrim(read.At("/A{v=.b-2|c}B")), nullptr);
  EXPECT_NE(read.layer->FindPrim(read.At("/A{v=.b-2|c}{n=i}")), nullptr);
  const PrimSpec& prim = read.Prim("/A");
  ASSERT_EQ(prim.selections.size(), 2u);
  EXPECT_EQ(prim.selections[0].variant, "a");
  EXPECT_TRUE(prim.selections[1].variant.empty());
  ExpectRefused(InPrim("variantSet \"v\" = { }"));
  ExpectRefused(InPrim("variantSet \"v\" = { \"a b\" { } }"));
  ExpectRefused(InPrim("variantSet \"v\" = { \"\" { } }"));
  ExpectRefused(InPrim("variantSet \"a b\" = { \"a\" { } }"));
  ExpectRefused(InPrim("variantSet \"v\" { \"a\" { } }"));
  ExpectRefused(InPrim("variantSet \"v\" = { a { } }"));
  ExpectRefused(InPrim("variantSet \"v\" = { \"a\" { }"));
  ExpectRefused(InMetadata("variants = { int v = 1 }"));
  ExpectRefused(InMetadata("variants = { string v = \"a b\" }"));
}

TEST(Usda, SelectionsMergeAndRepeatedVariantsToo) {
  auto read = ReadUsda(
      "def \"A\" ( variants = { string a = \"x\"; string b = \"y\" }\n variants = { string a = "
      "\"z\" } ) {\n"
      " variantSet \"v\" = { \"a\" { int x = 1; } }\n"
      " variantSet \"v\" = { \"b\" { } \"a\" { int x = 2; int z = 1; } }\n}\n");
  ASSERT_TRUE(read.ok()) << read.error.ToString();
  EXPECT_EQ(read.Prim("/A").selections[0].variant, "z");
  EXPECT_EQ(read.Prim("/A").selections[1].variant, "y");
  EXPECT_EQ(read.Default("/A{v=a}.x").GetOr(0), 2);
  EXPECT_EQ(read.Default("/A{v=a}.z").GetOr(0), 1);
  ASSERT_EQ(read.Prim("/A").variant_sets.size(), 1u);
  EXPECT_EQ(read.Prim("/A").variant_sets[0].variants.size(), 2u);
  EXPECT_TRUE(read.diagnostics.Contains("USD_VARIANT_REPEATED"));
}

TEST(Usda, ReordersAreKept) {
  auto read = ReadUsda(
      "reorder rootPrims = [\"B\", \"A\"]\ndef \"A\" {\n reorder nameChildren = \"c\"\n"
      " reorder properties = [\"y\", \"x\"]\n int x\n int y\n}\n");
  ASSERT_TRUE(read.ok()) << read.error.ToString();
  EXPECT_EQ(read.layer->root().child_order.size(), 2u);
  EXPECT_EQ(read.Prim("/A").child_order[0], "c");
  EXPECT_EQ(read.Prim("/A").property_order[0], "y");
  ExpectRefused("reorder children = [\"A\"]\n");
  ExpectRefused("reorder rootPrims = []\n");
}

TEST(Usda, LayersHaveMetadata) {
  auto read = ReadUsda(
      "(\n \"a comment\"\n doc = \"\"\"two\nlines\"\"\"\n defaultPrim = \"A\"\n metersPerUnit = 1\n"
      " upAxis = \"Z\"\n timeCodesPerSecond = 25\n subLayers = [@a.usda@ (offset = 1; scale = 2), "
      "@b.usda@,]\n"
      " relocates = { </A> : </B>, </C> : <>, }\n customLayerData = { string s = \"t\" }\n)\n");
  ASSERT_TRUE(read.ok()) << read.error.ToString();
  const PrimSpec& root = read.layer->root();
  EXPECT_EQ(root.metadata.Find("comment")->text(), "a comment");
  EXPECT_EQ(root.metadata.Find("documentation")->text(), "two\nlines");
  EXPECT_EQ(root.metadata.Find("defaultPrim")->text(), "A");
  EXPECT_EQ(root.metadata.GetOr("metersPerUnit", 0.0), 1.0);
  EXPECT_EQ(root.metadata.GetOr("timeCodesPerSecond", 0.0), 25.0);
  EXPECT_EQ(root.metadata.Find("customLayerData")->dictionary()->Find("s")->text(), "t");
  ASSERT_EQ(read.layer->sublayers().size(), 2u);
  EXPECT_EQ(read.layer->sublayers()[0].time, (LayerOffset{1, 2}));
  EXPECT_EQ(read.layer->sublayers()[1].asset, "b.usda");
  ASSERT_EQ(root.relocates.size(), 2u);
  EXPECT_TRUE(root.relocates[1].target.empty());
  ExpectRefused("( subLayers = @a@ )\n");
  ExpectRefused("( subLayers = None )\n");
  ExpectRefused("( relocates = { </A{v=a}> : </B> } )\n");
}

TEST(Usda, KnownMetadataHasItsType) {
  auto read = ReadInPrim(
      "float x = 1 (\n elementSize = 4\n weight = 0.5\n interpolation = \"vertex\"\n hidden = yes\n"
      " allowedTokens = [\"a\", \"b\"]\n permission = private\n customData = { int a = 1 }\n"
      " symmetryFunction =\n displayUnit = cm\n)");
  ASSERT_TRUE(read.ok()) << read.error.ToString();
  const Fields& fields = read.Property("/A.x").metadata;
  EXPECT_EQ(fields.GetOr("elementSize", 0), 4);
  EXPECT_EQ(fields.GetOr("weight", 0.0f), 0.5f);
  EXPECT_EQ(fields.GetOr("hidden", false), true);
  EXPECT_EQ(fields.Find("interpolation")->text(), "vertex");
  EXPECT_EQ(fields.Find("allowedTokens")->count(), 2u);
  EXPECT_EQ(fields.Find("permission")->text(), "private");
  EXPECT_EQ(fields.Find("displayUnit")->text(), "cm");
  ExpectRefused(InPrim("float x = 1 ( elementSize = \"a\" )"));
  ExpectRefused(InPrim("float x = 1 ( float weight = 1 )"));
  ExpectRefused(InPrim("float x = 1 ( permission = \"private\" )"));
  ExpectRefused(InMetadata("active = None"));
  ExpectRefused(InMetadata("add active = true"));
  ExpectRefused("( upAxis = 1 )\n");
  ExpectRefused("( metersPerUnit = \"1\" )\n");
}

TEST(Usda, UnknownMetadataKeepsItsText) {
  auto read = ReadUsda(
      "(\n foo = [1, 2 , \"a)b\", (3,4)]\n bar = baz\n num = -1.50\n prepend list = [\"a\"]\n"
      " dict = { string a = \"b\" }\n path = </A>\n asset = @a)@\n)\n");
  ASSERT_TRUE(read.ok()) << read.error.ToString();
  const Fields& fields = read.layer->root().metadata;
  EXPECT_EQ(fields.Find("foo")->type(), ValueType::kUnregistered);
  EXPECT_EQ(fields.Find("foo")->text(), "[1, 2 , \"a)b\", (3,4)]");
  EXPECT_EQ(fields.Find("bar")->text(), "baz");
  EXPECT_EQ(fields.Find("num")->text(), "-1.50");
  EXPECT_EQ(fields.Find("dict")->dictionary()->Find("a")->text(), "b");
}

TEST(Usda, OldDictionariesOfStrings) {
  auto read = ReadUsda(InMetadata("prefixSubstitutions = { \"$L\" : \"R\", \"$M\" : \"N\" }"));
  ASSERT_TRUE(read.ok()) << read.error.ToString();
  EXPECT_EQ(read.Prim("/A").metadata.Find("prefixSubstitutions")->dictionary()->Find("$L")->text(),
            "R");
}

TEST(Usda, UnclosedThingsAreBlamedWhereTheyOpen) {
  const auto at = [](std::string_view body) { return ReadUsda(body).error.place.element; };
  EXPECT_EQ(at("def \"A\" {\n  int x = 1\n"), "line 2, column 9");
  EXPECT_EQ(at("def \"A\" (\n  doc = \"a\"\n"), "line 2, column 9");
  EXPECT_EQ(at("def \"A\" {\n  int[] x = [1,\n2"), "line 3, column 13");
  EXPECT_EQ(at("def \"A\" {\n  string x = \"abc\n"), "line 3, column 14");
  EXPECT_EQ(at("def \"A\" {\n  string x = \"\"\"abc\n"), "line 3, column 14");
  EXPECT_EQ(at("def \"A\" {\n  asset x = @abc\n"), "line 3, column 13");
  EXPECT_EQ(at("def \"A\" {\n  float2 x = (1,\n"), "line 3, column 14");
  EXPECT_EQ(at("def \"A\" {\n  int x.timeSamples = { 1: 2,\n"), "line 3, column 23");
  EXPECT_EQ(at("(\n  customLayerData = { int a = 1\n"), "line 3, column 21");
}

TEST(Usda, ColumnsCountCharacters) {
  EXPECT_EQ(ReadUsda("def \"\xC3\xA9\xC3\xA9\" { ; }\n").error.place.element, "line 2, column 12");
}

TEST(Usda, DepthIsBounded) {
  const auto nested = [](int depth) {
    std::string text = "#usda 1.0\n";
    for (int i = 0; i < depth; ++i) text += "def \"a\" {\n";
    for (int i = 0; i < depth; ++i) text += "}\n";
    return ReadUsdText(text);
  };
  EXPECT_TRUE(nested(200).ok());
  EXPECT_TRUE(nested(256).ok());
  EXPECT_EQ(nested(257).error.code, ErrorCode::kLimitExceeded);
  EXPECT_EQ(nested(10000).error.code, ErrorCode::kLimitExceeded);
  std::string variants = "def \"A\" {\n";
  for (int i = 0; i < 300; ++i) variants += "variantSet \"v\" = { \"a\" {\n";
  ExpectRefused(variants, ErrorCode::kLimitExceeded);
  std::string dictionaries = "( customLayerData = ";
  for (int i = 0; i < 100; ++i) dictionaries += "{ dictionary d = ";
  ExpectRefused(dictionaries, ErrorCode::kLimitExceeded);
}

TEST(Usda, MemoryIsBounded) {
  std::string text = "#usda 1.0\ndef \"A\" { double[] x = [";
  for (int i = 0; i < 100000; ++i) text += "0,";
  text += "]\n}\n";
  EXPECT_TRUE(ReadUsdText(text, 8u << 20).ok());
  EXPECT_EQ(ReadUsdText(text, 1u << 19).error.code, ErrorCode::kLimitExceeded);
  std::string prims = "#usda 1.0\n";
  for (int i = 0; i < 10000; ++i) prims += "over \"p" + std::to_string(i) + "\"{}\n";
  EXPECT_EQ(ReadUsdText(prims, 1u << 20).error.code, ErrorCode::kLimitExceeded);
  EXPECT_TRUE(ReadUsdText(prims).ok());
}

TEST(Usda, EveryCutOfALayerIsAnErrorWithAPlace) {
  const std::string text =
      "#usda 1.0\n( doc = \"a\"; subLayers = [@a@ (offset = 1)] )\ndef Xform \"A\" (\n"
      " references = @b@</B> (scale = 2)\n customData = { int[] a = [1, 2] }\n) {\n"
      " float3[] p.timeSamples = { 1: [(1, 2, 3)], 2: None }\n rel r = [</B>, <.c>]\n"
      " variantSet \"v\" = { \"a\" { int x = 1; } }\n string s = '''a''' ( b = [c] )\n}\n";
  ASSERT_TRUE(ReadUsdText(text).ok()) << ReadUsdText(text).error.ToString();
  std::size_t refused = 0;
  for (std::size_t size = 0; size < text.size(); ++size) {
    const auto read = ReadUsdText(std::string_view(text).substr(0, size));
    if (read.ok()) continue;
    ++refused;
    EXPECT_FALSE(read.error.message.empty());
    EXPECT_NE(read.error.code, ErrorCode::kInternal);
  }
  EXPECT_GT(refused, text.size() - 60);
}

}  // namespace
}  // namespace flexor::io::usd
