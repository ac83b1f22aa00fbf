// NPZ archives, read back by a reader written here from the zip and .npy descriptions, and by
// NumPy.
#include <cstring>
#include <map>

#include "flexor/io/write_cache.h"

#include "io/cache/crc32.h"
#include "io/cache/npy.h"
#include "io/cache/zip_writer.h"
#include "io/write_support.h"

namespace flexor::io {
namespace {

using test::ReadAll;
using WriteNpzTest = test::WriteTest;

// Little-endian numbers of a byte string.
template <class T>
T At(const std::string& bytes, std::size_t offset) {
  T value = 0;
  EXPECT_LE(offset + sizeof(T), bytes.size());
  for (std::size_t i = sizeof(T); i-- > 0;) {
    value = static_cast<T>((static_cast<std::uint64_t>(value) << 8) |
                           static_cast<unsigned char>(bytes[offset + i]));
  }
  return value;
}

// The entries of an archive, found from its end as zip readers do; checks every field it passes.
std::map<std::string, std::string> Unzip(const std::string& zip) {
  std::map<std::string, std::string> entries;
  const std::size_t end = zip.size() - 22;
  EXPECT_EQ(At<std::uint32_t>(zip, end), 0x06054b50u);
  std::uint64_t count = At<std::uint16_t>(zip, end + 10);
  std::uint64_t at = At<std::uint32_t>(zip, end + 16);
  if (at == 0xFFFFFFFFu) {
    const std::size_t locator = end - 20;
    EXPECT_EQ(At<std::uint32_t>(zip, locator), 0x07064b50u);
    const auto record = static_cast<std::size_t>(At<std::uint64_t>(zip, locator + 8));
    EXPECT_EQ(At<std::uint32_t>(zip, record), 0x06064b50u);
    EXPECT_EQ(At<std::uint64_t>(zip, record + 4), 44u);
    count = At<std::uint64_t>(zip, record + 32);
    at = At<std::uint64_t>(zip, record + 48);
    EXPECT_EQ(at + At<std::uint64_t>(zip, record + 40), record);
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    EXPECT_EQ(At<std::uint32_t>(zip, at), 0x02014b50u);
    EXPECT_EQ(At<std::uint16_t>(zip, at + 10), 0u);  // stored
    const std::uint32_t crc = At<std::uint32_t>(zip, at + 16);
    std::uint64_t packed = At<std::uint32_t>(zip, at + 20), size = At<std::uint32_t>(zip, at + 24);
    const std::size_t name_size = At<std::uint16_t>(zip, at + 28);
    const std::size_t extra_size = At<std::uint16_t>(zip, at + 30);
    std::uint64_t local = At<std::uint32_t>(zip, at + 42);
    const std::string name = zip.substr(at + 46, name_size);
    if (extra_size > 0) {
      std::size_t extra = at + 46 + name_size;
      EXPECT_EQ(At<std::uint16_t>(zip, extra), 1u);
      EXPECT_EQ(At<std::uint16_t>(zip, extra + 2), extra_size - 4);
      extra += 4;
      for (std::uint64_t* field : {&size, &packed, &local}) {
        if (*field != 0xFFFFFFFFu) continue;
        *field = At<std::uint64_t>(zip, extra);
        extra += 8;
      }
      EXPECT_EQ(extra, at + 46 + name_size + extra_size);
    }
    EXPECT_EQ(packed, size);
    EXPECT_EQ(At<std::uint32_t>(zip, local), 0x04034b50u);
    EXPECT_EQ(At<std::uint32_t>(zip, local + 14), crc);
    EXPECT_EQ(zip.substr(local + 30, name_size), name);
    const std::uint64_t data = local + 30 + name_size + At<std::uint16_t>(zip, local + 28);
    const std::string content = zip.substr(data, size);
    EXPECT_EQ(content.size(), size);
    EXPECT_EQ(Crc32(std::as_bytes(std::span(content))), crc) << name;
    EXPECT_TRUE(entries.emplace(name, content).second) << name;
    at += 46 + name_size + extra_size + At<std::uint16_t>(zip, at + 32);
  }
  return entries;
}

struct Npy {
  std::string header, data;
};

Npy SplitNpy(const std::string& bytes) {
  EXPECT_EQ(bytes.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  const std::size_t length = At<std::uint16_t>(bytes, 8);
  EXPECT_EQ((10 + length) % 64, 0u);
  EXPECT_EQ(bytes[9 + length], '\n');
  std::string header = bytes.substr(10, length);
  header.erase(header.find_last_not_of(" \n") + 1);
  return {header, bytes.substr(10 + length)};
}

template <class T>
std::vector<T> Values(const std::string& data) {
  std::vector<T> values(data.size() / sizeof(T));
  std::memcpy(values.data(), data.data(), values.size() * sizeof(T));
  return values;
}

constexpr Vec3f kQuad[4] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
constexpr Vec3f kUp[4] = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1}};
constexpr Vec2f kUv[4] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
constexpr std::uint32_t kFaces[6] = {0, 1, 2, 0, 2, 3};

CacheSettings Settings(std::size_t frames) {
  CacheSettings settings;
  settings.frame_count = frames;
  for (std::size_t i = 0; i < frames; ++i) settings.times.push_back(static_cast<double>(i) / 24);
  return settings;
}

// Frame f is the quad moved by f along x.
Status WriteQuads(const std::string& path, const std::vector<CacheMesh>& meshes,
                  const CacheSettings& settings) {
  FLEXOR_ASSIGN(auto writer, CacheWriter::Create(path, meshes, settings));
  for (std::size_t f = 0; f < settings.frame_count; ++f) {
    std::vector<Vec3f> moved(kQuad, kQuad + 4);
    for (Vec3f& p : moved) p.x += static_cast<float>(f);
    std::vector<CacheFrame> frame;
    for (const CacheMesh& mesh : meshes) {
      frame.push_back(
          {moved, mesh.has_normals ? std::span<const Vec3f>(kUp) : std::span<const Vec3f>()});
    }
    FLEXOR_TRY(writer->Append(frame));
  }
  return writer->Finish();
}

TEST_F(WriteNpzTest, OneMeshHasThePromisedKeysAndShapes) {
  const std::string path = Path("one.npz");
  CacheSettings settings = Settings(3);
  settings.meta_json = R"({"space":"model","説明":"💪"})";
  const Status status = WriteQuads(path, {{"quad", 4, true, kFaces, kUv}}, settings);
  ASSERT_TRUE(status.ok()) << status.error().ToString();
  const auto entries = Unzip(ReadAll(path));
  ASSERT_EQ(entries.size(), 6u);

  Npy npy = SplitNpy(entries.at("times.npy"));
  EXPECT_EQ(npy.header, "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }");
  EXPECT_EQ(Values<double>(npy.data), (std::vector<double>{0, 1 / 24.0, 2 / 24.0}));

  npy = SplitNpy(entries.at("points.npy"));
  EXPECT_EQ(npy.header, "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4, 3), }");
  const std::vector<float> points = Values<float>(npy.data);
  ASSERT_EQ(points.size(), 36u);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec3f& p = kQuad[i / 3 % 4];
    EXPECT_EQ(points[i], p[i % 3] + (i % 3 == 0 ? static_cast<float>(i / 12) : 0)) << i;
  }
  npy = SplitNpy(entries.at("normals.npy"));
  EXPECT_EQ(npy.header, "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4, 3), }");
  EXPECT_EQ(Values<float>(npy.data)[35], 1);
  EXPECT_EQ(Values<float>(npy.data)[34], 0);

  npy = SplitNpy(entries.at("faces.npy"));
  EXPECT_EQ(npy.header, "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }");
  EXPECT_EQ(Values<std::uint32_t>(npy.data), std::vector<std::uint32_t>(kFaces, kFaces + 6));
  npy = SplitNpy(entries.at("texcoords.npy"));
  EXPECT_EQ(npy.header, "{'descr': '<f4', 'fortran_order': False, 'shape': (4, 2), }");
  EXPECT_EQ(Values<float>(npy.data), (std::vector<float>{0, 1, 1, 1, 1, 0, 0, 0}));

  npy = SplitNpy(entries.at("meta.npy"));
  EXPECT_EQ(npy.header, "{'descr': '<U26', 'fortran_order': False, 'shape': (), }");
  const auto meta = Values<char32_t>(npy.data);
  EXPECT_EQ(std::u32string(meta.begin(), meta.end()), U"{\"space\":\"model\",\"説明\":\"💪\"}");
}

TEST_F(WriteNpzTest, SeveralMeshesHaveKeysOfTheirOwn) {
  const std::string path = Path("two.npz");
  const Status status = WriteQuads(
      path, {{"Körper/oben", 4, false, kFaces, {}}, {"Körper_oben", 4, true, {}, {}}}, Settings(2));
  ASSERT_TRUE(status.ok()) << status.error().ToString();
  std::vector<std::string> names;
  for (const auto& [name, content] : Unzip(ReadAll(path))) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"Körper_oben/faces.npy", "Körper_oben/points.npy",
                                             "Körper_oben_2/faces.npy", "Körper_oben_2/normals.npy",
                                             "Körper_oben_2/points.npy", "meta.npy", "times.npy"}));
}

TEST_F(WriteNpzTest, MeshPlaceholderGivesAnArchiveEach) {
  ASSERT_TRUE(WriteQuads(Path("{mesh}.npz"),
                         {{"a", 4, false, kFaces, {}}, {"b", 4, false, kFaces, {}}}, Settings(2))
                  .ok());
  EXPECT_EQ(Names(), (std::vector<std::string>{"a.npz", "b.npz"}));
  EXPECT_EQ(Unzip(ReadAll(Path("b.npz"))).count("points.npy"), 1u);
}

TEST_F(WriteNpzTest, NoFrameNoPointNoTriangle) {
  ASSERT_TRUE(WriteQuads(Path("none.npz"), {{"m", 4, true, kFaces, {}}}, Settings(0)).ok());
  auto entries = Unzip(ReadAll(Path("none.npz")));
  EXPECT_EQ(SplitNpy(entries.at("points.npy")).header,
            "{'descr': '<f4', 'fortran_order': False, 'shape': (0, 4, 3), }");
  EXPECT_EQ(SplitNpy(entries.at("points.npy")).data, "");
  auto writer = CacheWriter::Create(Path("empty.npz"), {{"m", 0, true, {}, {}}}, Settings(1));
  ASSERT_TRUE(writer.ok());
  const CacheFrame frame;
  ASSERT_TRUE((*writer)->Append({&frame, 1}).ok());
  ASSERT_TRUE((*writer)->Finish().ok());
  entries = Unzip(ReadAll(Path("empty.npz")));
  EXPECT_EQ(SplitNpy(entries.at("normals.npy")).header,
            "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 0, 3), }");
  EXPECT_EQ(SplitNpy(entries.at("faces.npy")).header,
            "{'descr': '<i4', 'fortran_order': False, 'shape': (0, 3), }");
}

TEST_F(WriteNpzTest, EqualCachesAreEqualBytes) {
  const std::vector<CacheMesh> meshes = {{"m", 4, true, kFaces, kUv}};
  ASSERT_TRUE(WriteQuads(Path("a.npz"), meshes, Settings(3)).ok());
  ASSERT_TRUE(WriteQuads(Path("b.npz"), meshes, Settings(3)).ok());
  EXPECT_EQ(ReadAll(Path("a.npz")), ReadAll(Path("b.npz")));
}

TEST_F(WriteNpzTest, SizesBeyondSixtyTwoBitsAreRefused) {
  CacheSettings settings = Settings(4);
  const auto writer =
      CacheWriter::Create(Path("x.npz"), {{"m", std::size_t{1} << 60, false, {}, {}}}, settings);
  ASSERT_FALSE(writer.ok());
  EXPECT_EQ(writer.error().code, ErrorCode::kLimitExceeded);
  EXPECT_TRUE(Names().empty());
}

// Every entry and offset in 64 bits, which files under 4 GiB never need.
TEST_F(WriteNpzTest, Zip64IsReadByTheReaderHere) {
  const std::string path = Path("wide.zip");
  auto zip = ZipWriter::Create(path, {{"a.txt", 5}, {"é/b.txt", 3}, {"none", 0}}, 1);
  ASSERT_TRUE(zip.ok()) << zip.error().ToString();
  const auto append = [&](std::size_t entry, std::string_view text) {
    return zip->Append(entry, std::as_bytes(std::span(text))).ok();
  };
  // Side by side.
  EXPECT_TRUE(append(0, "al"));
  EXPECT_TRUE(append(1, "bet"));
  EXPECT_FALSE(zip->Complete().ok());  // entry 0 is short
  EXPECT_TRUE(append(0, "pha"));
  EXPECT_FALSE(append(0, "!"));
  ASSERT_TRUE(zip->Complete().ok());
  ASSERT_TRUE(zip->Publish().ok());
  const auto entries = Unzip(ReadAll(path));
  EXPECT_EQ(entries, (std::map<std::string, std::string>{
                         {"a.txt", "alpha"}, {"é/b.txt", "bet"}, {"none", ""}}));
}

TEST_F(WriteNpzTest, Zip64IsReadByPython) {
  FLEXOR_REQUIRE_NUMPY();
  const std::string path = Path("wide.zip");
  auto zip = ZipWriter::Create(path, {{"a.txt", 5}, {"é/b.txt", 3}}, 1);
  ASSERT_TRUE(zip.ok());
  ASSERT_TRUE(zip->Append(0, std::as_bytes(std::span(std::string_view("alpha")))).ok());
  ASSERT_TRUE(zip->Append(1, std::as_bytes(std::span(std::string_view("bet")))).ok());
  ASSERT_TRUE(zip->Complete().ok());
  ASSERT_TRUE(zip->Publish().ok());
  const auto result = test::RunPython(R"(
import sys, zipfile
z = zipfile.ZipFile(sys.argv[1])
assert z.testzip() is None
assert {n: z.read(n) for n in z.namelist()} == {'a.txt': b'alpha', 'é/b.txt': b'bet'}, z.namelist()
)",
                                      {path});
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST_F(WriteNpzTest, LoadsInNumpyWithoutPickle) {
  FLEXOR_REQUIRE_NUMPY();
  const std::string one = Path("one.npz"), two = Path("two.npz");
  CacheSettings settings = Settings(3);
  settings.meta_json = R"({"説明":"💪"})";
  ASSERT_TRUE(WriteQuads(one, {{"quad", 4, true, kFaces, kUv}}, settings).ok());
  settings.meta_json.clear();
  ASSERT_TRUE(
      WriteQuads(two, {{"顔", 4, true, kFaces, {}}, {"b/c", 4, false, {}, {}}}, settings).ok());
  const auto result = test::RunPython(R"(
import json, sys
import numpy as np
one = np.load(sys.argv[1], allow_pickle=False)
assert sorted(one.files) == ['faces', 'meta', 'normals', 'points', 'texcoords', 'times'], one.files
assert json.loads(str(one['meta'])) == {'説明': '💪'}, one['meta']
quad = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], np.float32)
want = np.stack([quad + [f, 0, 0] for f in range(3)])
assert one['points'].dtype == np.float32 and np.array_equal(one['points'], want), one['points']
assert one['normals'].shape == (3, 4, 3) and np.all(one['normals'] == [0, 0, 1])
assert one['times'].dtype == np.float64 and np.array_equal(one['times'], np.arange(3) / 24)
assert one['faces'].dtype == np.int32 and one['faces'].tolist() == [[0, 1, 2], [0, 2, 3]]
assert one['texcoords'].tolist() == [[0, 1], [1, 1], [1, 0], [0, 0]]
two = np.load(sys.argv[2], allow_pickle=False)
assert sorted(two.files) == sorted(['meta', 'times', '顔/points', '顔/normals', '顔/faces',
                                    'b_c/points', 'b_c/faces']), two.files
assert two['b_c/faces'].shape == (0, 3)
assert np.array_equal(two['顔/points'], want)
assert json.loads(str(two['meta']))['space'] == 'model'
)",
                                      {one, two});
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST(Npy, HeadersArePaddedForEveryLengthOfShape) {
  for (std::uint64_t n = 1; n < 1000000000; n = n * 7 + 3) {
    const std::vector<std::uint64_t> shape(static_cast<std::size_t>(n % 9), n);
    const std::string header = NpyHeader("<f4", shape);
    EXPECT_EQ(header.size() % 64, 0u);
    EXPECT_EQ(At<std::uint16_t>(header, 8), header.size() - 10);
    EXPECT_EQ(header.back(), '\n');
  }
}

TEST(Npy, BrokenUtf8BecomesReplacementCharacters) {
  EXPECT_EQ(CodePoints("aé顔💪"), U"aé顔💪");
  EXPECT_EQ(CodePoints("\xFFz\xC3"), U"\uFFFDz\uFFFD");
  EXPECT_EQ(CodePoints(""), U"");
}

}  // namespace
}  // namespace flexor::io
