// Compressed files: meshopt and Draco, against the same data uncompressed.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flexor/core/file.h"

#include "io/gltf/draco.h"
#include "io/gltf/meshopt.h"
#include "support/corpus.h"
#include "support/gltf_builder.h"

namespace flexor::io {
namespace {

using test::CorpusPath;
using test::FindDiagnostic;
using test::GltfBuilder;
using test::Json;
using ::testing::HasSubstr;

std::vector<std::byte> Read(const std::string& path) {
  auto bytes = ReadFile(path, 1 << 24);
  EXPECT_TRUE(bytes.ok()) << bytes.error().ToString();
  return bytes.ok() ? std::move(*bytes) : std::vector<std::byte>();
}

Json ReadJson(const std::string& path) {
  const auto bytes = Read(path);
  return Json::parse(reinterpret_cast<const char*>(bytes.data()),
                     reinterpret_cast<const char*>(bytes.data()) + bytes.size());
}

/// The meshopt extension object of a view, as the reader would hold it.
gltf::RawMeshopt Raw(const std::string& extension, const Json& object) {
  gltf::RawMeshopt raw;
  raw.extension = extension;
  raw.byte_offset = object.value("byteOffset", 0);
  raw.byte_length = object["byteLength"];
  raw.byte_stride = object["byteStride"];
  raw.count = object["count"];
  const std::string mode = object["mode"], filter = object.value("filter", "NONE");
  raw.mode = mode == "ATTRIBUTES" ? gltf::MeshoptMode::kAttributes : gltf::MeshoptMode::kTriangles;
  raw.filter =
      filter == "OCTAHEDRAL" ? gltf::MeshoptFilter::kOctahedral : gltf::MeshoptFilter::kOff;
  return raw;
}

constexpr const char* kExtensions[] = {"EXT_meshopt_compression", "KHR_meshopt_compression"};

std::string Folder(const std::string& extension) {
  return CorpusPath("gltf/meshopt/gltf-pipeline/" + extension);
}

/// The three corners of each triangle, the smallest first, in the same sense.
std::vector<std::array<std::uint16_t, 3>> Triangles(std::span<const std::byte> bytes) {
  std::vector<std::array<std::uint16_t, 3>> triangles(bytes.size() / 6);
  std::memcpy(triangles.data(), bytes.data(), triangles.size() * 6);
  for (auto& t : triangles) std::rotate(t.begin(), std::min_element(t.begin(), t.end()), t.end());
  return triangles;
}

/// A unit vector out of its octahedral form in signed bytes, by the formula of the extension.
Vec3d FromOctahedral(const std::int8_t* v) {
  double x = v[0], y = v[1];
  const double one = v[2];
  const double z = one - std::abs(x) - std::abs(y);
  const double fold = std::max(-z, 0.0);
  x -= std::copysign(fold, x);
  y -= std::copysign(fold, y);
  return Normalized(Vec3d{x, y, z}) * 127.0;
}

// The fallback file holds what was compressed: attributes byte for byte, normals before the filter
// is undone, and triangles that the codec may hand back starting at another corner.
TEST(MeshoptTest, DecodedBytesAreThoseOfTheFallbackFile) {
  FLEXOR_REQUIRE_CORPUS();
  if (!gltf::HasMeshopt()) GTEST_SKIP() << "SKIPPED: a build without meshoptimizer";
  for (const std::string extension : kExtensions) {
    const std::string folder = Folder(extension);
    const auto compressed = Read(folder + "/meshopt-no-fallback/meshopt-no-fallback.bin");
    const auto fallback = Read(folder + "/meshopt-fallback/meshopt-fallback.fallback.bin");
    const Json json = ReadJson(folder + "/meshopt-no-fallback/meshopt-no-fallback.gltf");
    ASSERT_EQ(fallback.size(), 960u);
    ASSERT_EQ(json["bufferViews"].size(), 3u);
    std::size_t compared = 0;
    for (const Json& view : json["bufferViews"]) {
      const gltf::RawMeshopt raw = Raw(extension, view["extensions"][extension]);
      const auto decode = [&](gltf::RawMeshopt how) {
        MemoryBudget budget(1 << 20);
        auto decoded = gltf::DecodeMeshopt(
            how, std::span(compressed).subspan(raw.byte_offset, raw.byte_length), budget);
        EXPECT_TRUE(decoded.ok()) << decoded.error().ToString();
        EXPECT_EQ(budget.used(), raw.count * raw.byte_stride);
        return decoded.ok() ? std::move(*decoded) : std::vector<std::byte>();
      };
      const std::size_t offset = view.value("byteOffset", 0);
      const auto expected = std::span(fallback).subspan(offset, raw.count * raw.byte_stride);
      compared += expected.size();
      gltf::RawMeshopt unfiltered = raw;
      unfiltered.filter = gltf::MeshoptFilter::kOff;
      const auto bytes = decode(unfiltered);
      ASSERT_EQ(bytes.size(), expected.size());
      if (raw.mode == gltf::MeshoptMode::kTriangles) {
        EXPECT_EQ(Triangles(bytes), Triangles(expected));
        continue;
      }
      EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), expected.begin()));
      if (raw.filter == gltf::MeshoptFilter::kOff) continue;
      const auto normals = decode(raw);
      for (std::size_t i = 0; i < raw.count; ++i) {
        const Vec3d wanted =
            FromOctahedral(reinterpret_cast<const std::int8_t*>(expected.data() + i * 4));
        for (std::size_t k = 0; k < 3; ++k) {
          EXPECT_NEAR(static_cast<std::int8_t>(normals[i * 4 + k]), wanted[k], 0.51);
        }
      }
    }
    EXPECT_EQ(compared, 960u);
  }
}

TEST(MeshoptTest, WithAndWithoutFallbackAreOneMesh) {
  FLEXOR_REQUIRE_CORPUS();
  if (!gltf::HasMeshopt()) GTEST_SKIP() << "SKIPPED: a build without meshoptimizer";
  for (const std::string extension : kExtensions) {
    const auto with = LoadCharacter(Folder(extension) + "/meshopt-fallback/meshopt-fallback.gltf");
    const auto without =
        LoadCharacter(Folder(extension) + "/meshopt-no-fallback/meshopt-no-fallback.gltf");
    ASSERT_TRUE(with.ok()) << with.error().ToString();
    ASSERT_TRUE(without.ok()) << without.error().ToString();
    ASSERT_EQ(with->character.meshes.size(), 2u);
    for (std::size_t m = 0; m < 2; ++m) {
      EXPECT_EQ(with->character.meshes[m].positions, without->character.meshes[m].positions);
      EXPECT_EQ(with->character.meshes[m].normals, without->character.meshes[m].normals);
      EXPECT_EQ(with->character.meshes[m].triangles, without->character.meshes[m].triangles);
    }
  }
}

/// A copy of the fallback file's parts, so that its bytes can be broken.
struct Fallback {
  Json json;
  std::vector<std::byte> compressed, plain;
};

Fallback ReadFallback() {
  const std::string folder = Folder(kExtensions[0]) + "/meshopt-fallback/";
  return {ReadJson(folder + "meshopt-fallback.gltf"), Read(folder + "meshopt-fallback.bin"),
          Read(folder + "meshopt-fallback.fallback.bin")};
}

Result<Loaded> Load(const Fallback& file) {
  const ResourceFn resources = [&](const std::string& name,
                                   std::uint64_t) -> Result<std::vector<std::byte>> {
    if (name == "meshopt-fallback.bin") return file.compressed;
    if (name == "meshopt-fallback.fallback.bin") return file.plain;
    return Error{ErrorCode::kFileNotFound, "no such file", {}};
  };
  return LoadCharacterFromMemory(test::Bytes(file.json.dump()), "f.gltf", resources, {});
}

TEST(MeshoptTest, BrokenDataFallsBackOrNamesTheExtension) {
  FLEXOR_REQUIRE_CORPUS();
  Fallback file = ReadFallback();
  const auto whole = Load(file);
  ASSERT_TRUE(whole.ok()) << whole.error().ToString();
  EXPECT_EQ(whole->diagnostics.Contains("MESHOPT_FALLBACK_USED"), !gltf::HasMeshopt());
  // A later codec version in the first byte: not decodable here.
  file.compressed[0] = std::byte{0xa1};
  const auto fallen = Load(file);
  ASSERT_TRUE(fallen.ok()) << fallen.error().ToString();
  const Diagnostic found = FindDiagnostic(fallen->diagnostics, "MESHOPT_FALLBACK_USED");
  EXPECT_EQ(found.where, "/bufferViews/0/extensions/EXT_meshopt_compression");
  EXPECT_EQ(fallen->character.meshes[0].positions, whole->character.meshes[0].positions);

  file.json["buffers"][1].erase("uri");
  const auto lost = Load(file);
  ASSERT_FALSE(lost.ok());
  EXPECT_EQ(lost.error().code, ErrorCode::kUnsupportedFeature);
  EXPECT_THAT(lost.error().message, HasSubstr("EXT_meshopt_compression"));
  EXPECT_EQ(lost.error().place.element, "/bufferViews/0/extensions/EXT_meshopt_compression");
}

TEST(MeshoptTest, CountsAndShapesThatCannotBe) {
  FLEXOR_REQUIRE_CORPUS();
  if (!gltf::HasMeshopt()) GTEST_SKIP() << "SKIPPED: a build without meshoptimizer";
  const auto error = [](auto change) {
    Fallback file = ReadFallback();
    file.json["buffers"][1].erase("uri");
    change(file.json["bufferViews"][0]["extensions"]["EXT_meshopt_compression"], file);
    const auto loaded = Load(file);
    EXPECT_FALSE(loaded.ok());
    return loaded.ok() ? Error{} : loaded.error();
  };
  using File = Fallback&;
  EXPECT_EQ(error([](Json& e, File) { e["count"] = 49; }).code, ErrorCode::kShapeMismatch);
  EXPECT_EQ(error([](Json& e, File) { e["count"] = 4000000000; }).code, ErrorCode::kShapeMismatch);
  EXPECT_EQ(error([](Json& e, File) { e["byteStride"] = 0; }).code, ErrorCode::kShapeMismatch);
  EXPECT_EQ(error([](Json& e, File) { e["byteStride"] = 257; }).code, ErrorCode::kInvalidValue);
  EXPECT_EQ(error([](Json& e, File) { e["byteLength"] = 469; }).code, ErrorCode::kShapeMismatch);
  EXPECT_EQ(error([](Json& e, File) { e["mode"] = "OTHER"; }).code, ErrorCode::kUnsupportedFeature);
  EXPECT_EQ(error([](Json& e, File) { e["filter"] = "COLOR"; }).code,
            ErrorCode::kUnsupportedFeature);
  EXPECT_EQ(error([](Json& e, File) { e["mode"] = "TRIANGLES"; }).code, ErrorCode::kShapeMismatch);
  EXPECT_EQ(error([](Json& e, File) { e["mode"] = "INDICES"; }).code, ErrorCode::kShapeMismatch);
  EXPECT_EQ(error([](Json& e, File) { e["buffer"] = 2; }).code, ErrorCode::kIndexOutOfRange);
  EXPECT_EQ(error([](Json& e, File) { e["byteLength"] = 0; }).code, ErrorCode::kParse);
  EXPECT_EQ(error([](Json& e, File) { e["byteLength"] = 100; }).code, ErrorCode::kParse);
  EXPECT_EQ(error([](Json&, File f) { f.compressed[0] = std::byte{0xe1}; }).code,
            ErrorCode::kParse);
}

TEST(MeshoptTest, BothFormsOfABox) {
  FLEXOR_REQUIRE_CORPUS();
  if (!gltf::HasMeshopt()) GTEST_SKIP() << "SKIPPED: a build without meshoptimizer";
  const std::string folder = CorpusPath("gltf/meshopt/gltf-transform/");
  for (const char* name : {"BoxMeshopt.glb", "BoxMeshopt.gltf"}) {
    const auto loaded = LoadCharacter(folder + name);
    ASSERT_TRUE(loaded.ok()) << loaded.error().ToString();
    const auto points = test::RestPoints(loaded->character, 0);
    ASSERT_EQ(points.size(), 24u) << name;
    for (const Vec3d& p : points) {
      for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(std::abs(p[k]), 0.5, 1e-3) << name;
    }
    EXPECT_EQ(loaded->character.meshes[0].triangles.size(), 36u);
  }
}

// A file of the Draco extension around bytes that are not Draco at all, or not whole.
GltfBuilder AroundDraco(const std::vector<std::byte>& data, std::size_t vertices,
                        std::size_t indices) {
  GltfBuilder b;
  const std::size_t view = b.View(data);
  b.Append("accessors", {{"componentType", 5126}, {"count", vertices}, {"type", "VEC3"}});
  b.Append("accessors", {{"componentType", 5125}, {"count", indices}, {"type", "SCALAR"}});
  b.Mesh({{"primitives",
           {{{"attributes", {{"POSITION", 0}}},
             {"indices", 1},
             {"extensions",
              {{"KHR_draco_mesh_compression",
                {{"bufferView", view}, {"attributes", {{"POSITION", 0}}}}}}}}}}});
  b.json["extensionsUsed"] = {"KHR_draco_mesh_compression"};
  b.json["extensionsRequired"] = {"KHR_draco_mesh_compression"};
  return b;
}

TEST(DracoTest, BytesThatAreNotDraco) {
  const std::vector<std::byte> junk(40, std::byte{7});
  const auto loaded = AroundDraco(junk, 3, 3).Load();
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().code,
            gltf::HasDraco() ? ErrorCode::kParse : ErrorCode::kUnsupportedFeature);
  EXPECT_THAT(loaded.error().message, HasSubstr("KHR_draco_mesh_compression"));
  EXPECT_EQ(loaded.error().place.element,
            "/meshes/0/primitives/0/extensions/KHR_draco_mesh_compression");
}

/// The Draco bytes of RiggedSimple: 160 points, 188 faces.
std::vector<std::byte> RiggedSimpleDraco() {
  const std::string folder = CorpusPath("gltf/khronos-sample/RiggedSimple/glTF-Draco/");
  const Json json = ReadJson(folder + "RiggedSimple.gltf");
  const auto bytes = Read(folder + "RiggedSimple0.bin");
  const Json& draco =
      json["meshes"][0]["primitives"][0]["extensions"]["KHR_draco_mesh_compression"];
  const Json& view = json["bufferViews"][draco["bufferView"].get<std::size_t>()];
  const std::size_t offset = view.value("byteOffset", 0), length = view["byteLength"];
  const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(offset);
  return {first, first + static_cast<std::ptrdiff_t>(length)};
}

TEST(DracoTest, EveryTruncationIsAnError) {
  FLEXOR_REQUIRE_CORPUS();
  if (!gltf::HasDraco()) GTEST_SKIP() << "SKIPPED: a build without Draco";
  const auto data = RiggedSimpleDraco();
  ASSERT_GT(data.size(), 100u);
  MemoryBudget budget(1 << 24);
  {
    const auto whole = gltf::DracoMesh::Decode(data, budget);
    ASSERT_TRUE(whole.ok()) << whole.error().ToString();
    EXPECT_EQ(whole->point_count(), 160u);
    EXPECT_EQ(whole->index_count(), 564u);
    EXPECT_GT(budget.used(), 160u * 12);
  }
  EXPECT_EQ(budget.used(), 0u) << "given back with the mesh";
  for (std::size_t length = 0; length < data.size(); ++length) {
    const auto cut = gltf::DracoMesh::Decode(std::span(data).first(length), budget);
    EXPECT_FALSE(cut.ok()) << length;
    EXPECT_EQ(budget.used(), 0u);
  }
}

TEST(DracoTest, CountsThatDisagreeWithTheAccessors) {
  FLEXOR_REQUIRE_CORPUS();
  if (!gltf::HasDraco()) GTEST_SKIP() << "SKIPPED: a build without Draco";
  const auto data = RiggedSimpleDraco();
  const auto vertices = AroundDraco(data, 161, 564).Load();
  ASSERT_FALSE(vertices.ok());
  EXPECT_EQ(vertices.error().code, ErrorCode::kShapeMismatch);
  EXPECT_THAT(vertices.error().message, HasSubstr("POSITION has 161"));
  EXPECT_THAT(vertices.error().message, HasSubstr("holds 160"));
  EXPECT_THAT(AroundDraco(data, 160, 561).Load().error().message, HasSubstr("indices has 561"));
  GltfBuilder id = AroundDraco(data, 160, 564);
  id.json["meshes"][0]["primitives"][0]["extensions"]["KHR_draco_mesh_compression"]["attributes"]
         ["POSITION"] = 77;
  EXPECT_THAT(id.Load().error().message, HasSubstr("no attribute with the id 77"));
}

TEST(DracoTest, TheBudgetIsAskedBeforeTheCodecBelievesItsCounts) {
  FLEXOR_REQUIRE_CORPUS();
  if (!gltf::HasDraco()) GTEST_SKIP() << "SKIPPED: a build without Draco";
  const auto data = RiggedSimpleDraco();
  MemoryBudget small(10000);
  const auto refused = gltf::DracoMesh::Decode(data, small);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kLimitExceeded);
  EXPECT_EQ(small.used(), 0u);
}

}  // namespace
}  // namespace flexor::io
