// Seeds of USD: each statement of the text once, each kind of value of a crate once.

#include <string>
#include <utility>
#include <vector>

#include "../tests/support/crate_builder.h"
#include "../tests/support/package_builder.h"
#include "seeds.h"

namespace flexor::fuzz {
namespace {

using test::CrateBuilder;
using test::Raw;

std::string Text(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

constexpr const char* kLayer = R"(#usda 1.0
(
    "comment"
    doc = """two
lines"""
    subLayers = [@a.usda@ (offset = 1; scale = 2), @b.usda@]
    relocates = { </A> : </B>, </C> : <> }
    customLayerData = { string s = 't'; dictionary d = { float[] f = [1, 2] } }
    foo = [1, (2, "x"), @y@]
)
reorder rootPrims = ["B", "A"]
def Xform "A" (
    prepend apiSchemas = ["SkelBindingAPI"]
    delete references = @b@</B> (offset = -1; customData = { int a = 1 })
    payload = None
    inherits = </C>
    add specializes = [<../D>, </E>]
    variants = { string v = "a" }
    append variantSets = "v"
    clipSets = ["c"]
    inactiveIds = [1, 2]
    prefixSubstitutions = { "$L" : "R", }
    permission = private
)
{
    custom uniform token[] joints = ["a", "b/c"]
    float3[] points = [(1, 2, 3), (-.5, 1e-3, inf)] ( interpolation = "vertex" )
    quath[] r.timeSamples = { 2: [(1, 0, 0, 0)], 1: None, }
    matrix4d m = ((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,0,1))
    double x.spline = { bezier, 1: 2; post held }
    int[] i = [1, 2,
        3]
    bool b = yes; uint64 u = 18446744073709551615
    asset f = @@@a@b@@@
    string t = "\x41\101\n"
    color3f c.connect = </M.outputs:rgb>
    blob z = {1, [2]}
    prepend rel r:s = [</B>, <.x>, <../C.y>]
    rel old = </A.r[/T].y>
    reorder nameChildren = ["D"]
    variantSet "v" = {
        "a" ( kind = "x" ) { int y = 1; }
        "b" { over "D" { } /* c */
        }
    }
    class "D" { } # d
}
)";

std::string Crate() {
  CrateBuilder builder;
  const std::uint32_t name = builder.String("name");
  std::vector<std::uint32_t> numbers(20, 7);
  numbers[3] = 100000;
  const std::uint64_t ints = builder.Add(Raw(std::uint64_t{20}) + test::PackedIntegers(numbers));
  const std::uint64_t whole =
      builder.Add(Raw(std::uint64_t{20}) + "i" + test::PackedIntegers(numbers));
  const std::uint64_t table =
      builder.Add(Raw(std::uint64_t{16}) + "t" + Raw(std::uint32_t{2}, 0.5f, 1.5f) +
                  test::PackedIntegers(std::vector<std::uint32_t>(16, 1)));
  const std::uint64_t points = builder.Add(Raw(std::uint64_t{1}, 1.0f, 2.0f, 3.0f));
  const std::uint64_t tokens = builder.Add(Raw(std::uint64_t{1}, builder.Token("joint")));
  const std::uint64_t strings = builder.Add(Raw(std::uint64_t{1}, name));
  const std::uint64_t matrix = builder.Add(std::string(128, '\1'));
  const std::uint64_t dictionary =
      builder.Add(Raw(std::uint64_t{1}, name, std::int64_t{8}, CrateBuilder::Inlined(3, 7)));
  const std::uint64_t names =
      builder.Add(Raw(std::uint8_t{96}, std::uint64_t{1}, name, std::uint64_t{1}, name));
  const std::uint64_t times = builder.Add(Raw(std::uint64_t{2}, 1.0, 2.0));
  const std::uint64_t samples = builder.Add(
      Raw(std::int64_t{8}, CrateBuilder::Code(48, times), std::int64_t{8}, std::uint64_t{2},
          CrateBuilder::Inlined(8, 0x3F800000), CrateBuilder::Inlined(51, 0)));
  builder = test::CrateWithAttributes({{"int[]", CrateBuilder::Packed(3, ints)},
                                       {"double[]", CrateBuilder::Packed(9, whole)},
                                       {"float[]", CrateBuilder::Packed(8, table)},
                                       {"point3f[]", CrateBuilder::Array(24, points)},
                                       {"token[]", CrateBuilder::Array(11, tokens)},
                                       {"asset[]", CrateBuilder::Array(12, strings)},
                                       {"matrix4d", CrateBuilder::Code(15, matrix)},
                                       {"string", CrateBuilder::Inlined(10, name)},
                                       {"float3", CrateBuilder::Inlined(24, 0x0201FF)},
                                       {"float", CrateBuilder::Inlined(8, 0)}},
                                      builder);
  const std::uint64_t references = builder.Add(
      Raw(std::uint8_t{3}, std::uint64_t{1}, name, std::uint32_t{1}, 10.0, 2.0, std::uint64_t{0}));
  const std::uint64_t paths = builder.Add(Raw(std::uint8_t{8}, std::uint64_t{1}, std::uint32_t{1}));
  const std::uint64_t pairs = builder.Add(Raw(std::uint64_t{1}, name, name));
  builder.specs[1].field_set = builder.Set({{"references", CrateBuilder::Code(35, references)},
                                            {"inheritPaths", CrateBuilder::Code(34, paths)},
                                            {"apiSchemas", CrateBuilder::Code(32, names)},
                                            {"clipSets", CrateBuilder::Code(33, names)},
                                            {"variantSelection", CrateBuilder::Code(45, pairs)},
                                            {"customData", CrateBuilder::Code(31, dictionary)},
                                            {"properties", CrateBuilder::Code(41, tokens)}});
  builder.specs[2].field_set = builder.Set({{"timeSamples", CrateBuilder::Code(46, samples)}});
  builder.specs[3].field_set = builder.Set({{"targetPaths", CrateBuilder::Code(34, paths)}});
  builder.specs[3].type = 8;
  return Text(builder.Bytes());
}

}  // namespace

void WriteUsdSeeds(const WriteSeed& write) {
  write("usda", "full.usda", kLayer);
  write("usda", "empty.usda", "#usda 1.0");
  write("usdc", "full.usdc", Crate());
  write("usdc", "empty.usdc", Text(CrateBuilder().Bytes()));
  write("usdz", "text.usdz", Text(test::PackageOf({{"a.usda", "#usda 1.0\n"}, {"b/c.png", "x"}})));
  write("usdz", "binary.usdz", Text(test::PackageOf({{"a.usdc", Crate()}})));
}

}  // namespace flexor::fuzz
