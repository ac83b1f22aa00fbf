// OBJ and PLY against text and bytes written out by hand, and numbers that survive the way to text.
#include <charconv>
#include <clocale>
#include <cstring>
#include <random>

#include "flexor/io/write_cache.h"

#include "io/write_support.h"

namespace flexor::io {
namespace {

using test::Bytes;
using test::ReadAll;
using WriteMeshTest = test::WriteTest;

constexpr Vec3f kPoints[3] = {{0, 0, 0}, {1.5f, 0, -0.25f}, {0, 1e-5f, 3e10f}};
constexpr Vec3f kNormals[3] = {{0, 0, 1}, {0, 1, 0}, {1, 0, 0}};
constexpr Vec2f kUv[3] = {{0, 0}, {1, 0.25f}, {0.5f, 1}};
constexpr std::uint32_t kFace[3] = {0, 1, 2};
constexpr std::uint32_t kTwoFaces[6] = {0, 1, 2, 2, 1, 0};

Status WriteOne(const std::string& path, CacheFormat format, const std::vector<CacheMesh>& meshes,
                std::span<const Vec3f> points = kPoints) {
  CacheSettings settings;
  settings.format = format;
  settings.frame_count = 1;
  settings.times = {0};
  FLEXOR_ASSIGN(auto writer, CacheWriter::Create(path, meshes, settings));
  std::vector<CacheFrame> frame;
  for (const CacheMesh& mesh : meshes) {
    frame.push_back({points, {}});
    if (mesh.has_normals) frame.back().normals = kNormals;
  }
  FLEXOR_TRY(writer->Append(frame));
  return writer->Finish();
}

TEST_F(WriteMeshTest, ObjIsTextExact) {
  const std::string path = Path("all.obj");
  const Status status = WriteOne(path, CacheFormat::kObj,
                                 {{"plain", 3, false, kFace, {}},
                                  {"with normals", 3, true, kFace, {}},
                                  {"with uv", 3, false, kTwoFaces, kUv},
                                  {"with both", 3, true, kFace, kUv},
                                  {"no/faces", 3, false, {}, {}}});
  ASSERT_TRUE(status.ok()) << status.error().ToString();
  const std::string v = "v 0 0 0\nv 1.5 0 -0.25\nv 0 1e-05 3e+10\n";
  const std::string vn = "vn 0 0 1\nvn 0 1 0\nvn 1 0 0\n";
  const std::string vt = "vt 0 1\nvt 1 0.75\nvt 0.5 0\n";
  EXPECT_EQ(ReadAll(path), "o plain\n" + v + "f 1 2 3\n" +                                   //
                               "o with normals\n" + v + vn + "f 4//1 5//2 6//3\n" +          //
                               "o with uv\n" + v + vt + "f 7/1 8/2 9/3\nf 9/3 8/2 7/1\n" +   //
                               "o with both\n" + v + vt + vn + "f 10/4/4 11/5/5 12/6/6\n" +  //
                               "o no_faces\n" + v);
}

TEST_F(WriteMeshTest, ObjNumbersReadBackAsTheSameFloats) {
  std::mt19937 random(7);
  std::vector<Vec3f> points;
  while (points.size() < 50000) {
    Vec3f p;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      std::uint32_t bits = static_cast<std::uint32_t>(random());
      if ((bits & 0x7F800000u) == 0x7F800000u) bits &= 0x807FFFFFu;  // finite, tiny ones too
      std::memcpy(&p[axis], &bits, sizeof(bits));
    }
    points.push_back(p);
  }
  ASSERT_TRUE(
      WriteOne(Path("r.obj"), CacheFormat::kObj, {{"m", points.size(), false, {}, {}}}, points)
          .ok());
  std::ifstream in(Path("r.obj"));
  std::string line;
  std::getline(in, line);
  for (const Vec3f& p : points) {
    std::string word;
    in >> word;
    ASSERT_EQ(word, "v");
    for (std::size_t axis = 0; axis < 3; ++axis) {
      in >> word;
      float value = 0;
      std::from_chars(word.data(), word.data() + word.size(), value);
      ASSERT_EQ(std::memcmp(&value, &p[axis], 4), 0) << word;
    }
  }
}

TEST_F(WriteMeshTest, ObjUsesADotInEveryLocale) {
  const std::string before = std::setlocale(LC_NUMERIC, nullptr);
  bool found = false;
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE"}) {
    found = found || std::setlocale(LC_NUMERIC, name) != nullptr;
  }
  if (!found) GTEST_SKIP() << "SKIPPED: no locale with a decimal comma is installed";
  ASSERT_TRUE(WriteOne(Path("l.obj"), CacheFormat::kObj, {{"m", 3, false, {}, {}}}).ok());
  std::setlocale(LC_NUMERIC, before.c_str());
  EXPECT_NE(ReadAll(Path("l.obj")).find("v 1.5 0 -0.25"), std::string::npos);
}

TEST_F(WriteMeshTest, PlyIsByteExact) {
  const std::string path = Path("all.ply");
  const Status status = WriteOne(path, CacheFormat::kPly, {{"テスト", 3, true, kTwoFaces, kUv}});
  ASSERT_TRUE(status.ok()) << status.error().ToString();
  const std::string header =
      "ply\nformat binary_little_endian 1.0\nobj_info テスト\nelement vertex 3\n"
      "property float x\nproperty float y\nproperty float z\n"
      "property float nx\nproperty float ny\nproperty float nz\n"
      "property float s\nproperty float t\n"
      "element face 2\nproperty list uchar int vertex_indices\nend_header\n";
  const std::string zero = Bytes({0, 0, 0, 0}), one = Bytes({0, 0, 0x80, 0x3F});
  const std::string expected = header + zero + zero + zero + zero + zero + one + zero + one +  //
                               Bytes({0, 0, 0xC0, 0x3F}) + zero + Bytes({0, 0, 0x80, 0xBE}) + zero +
                               one + zero + one + Bytes({0, 0, 0x40, 0x3F}) +  //
                               zero + Bytes({0xAC, 0xC5, 0x27, 0x37}) +
                               Bytes({0x76, 0x84, 0xDF, 0x50}) + one + zero + zero +
                               Bytes({0, 0, 0, 0x3F}) + zero +  //
                               Bytes({3, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0}) +
                               Bytes({3, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0});
  EXPECT_EQ(ReadAll(path), expected);
}

TEST_F(WriteMeshTest, PlyOfNothingIsAHeader) {
  ASSERT_TRUE(WriteOne(Path("e.ply"), CacheFormat::kPly, {{"m", 0, false, {}, {}}}, {}).ok());
  EXPECT_EQ(ReadAll(Path("e.ply")),
            "ply\nformat binary_little_endian 1.0\nobj_info m\nelement vertex 0\n"
            "property float x\nproperty float y\nproperty float z\nelement face 0\n"
            "property list uchar int vertex_indices\nend_header\n");
}

// More than one piece of the writer's buffers, with a last piece that is not full.
TEST_F(WriteMeshTest, LargeMeshesAreWhole) {
  const std::size_t count = 200001;
  std::vector<Vec3f> points(count);
  std::vector<std::uint32_t> triangles;
  for (std::size_t i = 0; i < count; ++i) points[i].x = static_cast<float>(i);
  for (std::uint32_t i = 0; i + 2 < count; i += 3)
    triangles.insert(triangles.end(), {i, i + 1, i + 2});
  const std::vector<CacheMesh> meshes = {{"m", count, false, triangles, {}}};
  ASSERT_TRUE(WriteOne(Path("big.ply"), CacheFormat::kPly, meshes, points).ok());
  const std::string bytes = ReadAll(Path("big.ply"));
  const std::size_t start = bytes.find("end_header\n") + 11;
  ASSERT_EQ(bytes.size(), start + count * 12 + triangles.size() / 3 * 13);
  for (const std::size_t v : {std::size_t{0}, std::size_t{65535}, std::size_t{65536}, count - 1}) {
    float x = 0;
    std::memcpy(&x, bytes.data() + start + v * 12, 4);
    EXPECT_EQ(x, static_cast<float>(v));
  }
  for (const std::size_t t :
       {std::size_t{0}, std::size_t{21844}, std::size_t{21845}, triangles.size() / 3 - 1}) {
    const char* at = bytes.data() + start + count * 12 + t * 13;
    EXPECT_EQ(at[0], 3);
    std::uint32_t corner = 0;
    std::memcpy(&corner, at + 9, 4);
    EXPECT_EQ(corner, t * 3 + 2);
  }
  ASSERT_TRUE(WriteOne(Path("big.obj"), CacheFormat::kObj, meshes, points).ok());
  const std::string text = ReadAll(Path("big.obj"));
  EXPECT_EQ(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')),
            1 + count + triangles.size() / 3);
  EXPECT_TRUE(text.ends_with("f 199999 200000 200001\n"));
}

}  // namespace
}  // namespace flexor::io
