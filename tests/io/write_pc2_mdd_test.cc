// PC2 and MDD, byte for byte against tables made by hand from docs/formats.
#include <limits>

#include "flexor/io/write_cache.h"

#include "io/encode.h"
#include "io/write_support.h"

namespace flexor::io {
namespace {

using test::Bytes;
using test::ReadAll;
using Pc2MddTest = test::WriteTest;

// Two points at three frames, 25 frames a second from frame 1 on.
constexpr Vec3f kFrames[3][2] = {
    {{0, 0, 0}, {1, 2, 3}}, {{0, 0.5f, 0}, {1, -2, 3}}, {{-1, 0, 0}, {0.25f, 1024, 3}}};

CacheSettings Settings(CacheFormat format, std::vector<double> times) {
  CacheSettings settings;
  settings.format = format;
  settings.frame_count = times.size();
  settings.times = std::move(times);
  settings.frames_per_second = 25;
  return settings;
}

Status WriteThreeFrames(const std::string& path, const CacheSettings& settings) {
  FLEXOR_ASSIGN(auto writer, CacheWriter::Create(path, {{"points", 2, false, {}, {}}}, settings));
  for (const auto& points : kFrames) {
    const CacheFrame frame{points, {}};
    FLEXOR_TRY(writer->Append({&frame, 1}));
  }
  return writer->Finish();
}

TEST_F(Pc2MddTest, Pc2IsByteExact) {
  const std::string path = Path("golden.pc2");
  const Status status =
      WriteThreeFrames(path, Settings(CacheFormat::kPc2, {1 / 25.0, 2 / 25.0, 3 / 25.0}));
  ASSERT_TRUE(status.ok()) << status.error().ToString();
  const std::string expected =
      "POINTCACHE2" + Bytes({0}) +       //
      Bytes({1, 0, 0, 0}) +              // version
      Bytes({2, 0, 0, 0}) +              // points
      Bytes({0x00, 0x00, 0x80, 0x3F}) +  // start: frame 1.0
      Bytes({0x00, 0x00, 0x80, 0x3F}) +  // a sample every 1.0 frames
      Bytes({3, 0, 0, 0}) +              // samples
      // frame 0: 0 0 0 · 1 2 3
      Bytes({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}) +
      Bytes({0x00, 0x00, 0x80, 0x3F, 0x00, 0x00, 0x00, 0x40, 0x00, 0x00, 0x40, 0x40}) +
      // frame 1: 0 0.5 0 · 1 -2 3
      Bytes({0, 0, 0, 0, 0x00, 0x00, 0x00, 0x3F, 0, 0, 0, 0}) +
      Bytes({0x00, 0x00, 0x80, 0x3F, 0x00, 0x00, 0x00, 0xC0, 0x00, 0x00, 0x40, 0x40}) +
      // frame 2: -1 0 0 · 0.25 1024 3
      Bytes({0x00, 0x00, 0x80, 0xBF, 0, 0, 0, 0, 0, 0, 0, 0}) +
      Bytes({0x00, 0x00, 0x80, 0x3E, 0x00, 0x00, 0x80, 0x44, 0x00, 0x00, 0x40, 0x40});
  EXPECT_EQ(ReadAll(path), expected);
  EXPECT_EQ(Names(), std::vector<std::string>{"golden.pc2"});
}

TEST_F(Pc2MddTest, MddIsByteExact) {
  const std::string path = Path("golden.mdd");
  const Status status = WriteThreeFrames(path, Settings(CacheFormat::kMdd, {0.5, 0.75, 2}));
  ASSERT_TRUE(status.ok()) << status.error().ToString();
  const std::string expected =
      Bytes({0, 0, 0, 3}) +              // frames
      Bytes({0, 0, 0, 2}) +              // points
      Bytes({0x3F, 0x00, 0x00, 0x00}) +  // 0.5 s
      Bytes({0x3F, 0x40, 0x00, 0x00}) +  // 0.75 s
      Bytes({0x40, 0x00, 0x00, 0x00}) +  // 2 s
      Bytes({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}) +
      Bytes({0x3F, 0x80, 0x00, 0x00, 0x40, 0x00, 0x00, 0x00, 0x40, 0x40, 0x00, 0x00}) +
      Bytes({0, 0, 0, 0, 0x3F, 0x00, 0x00, 0x00, 0, 0, 0, 0}) +
      Bytes({0x3F, 0x80, 0x00, 0x00, 0xC0, 0x00, 0x00, 0x00, 0x40, 0x40, 0x00, 0x00}) +
      Bytes({0xBF, 0x80, 0x00, 0x00, 0, 0, 0, 0, 0, 0, 0, 0}) +
      Bytes({0x3E, 0x80, 0x00, 0x00, 0x44, 0x80, 0x00, 0x00, 0x40, 0x40, 0x00, 0x00});
  EXPECT_EQ(ReadAll(path), expected);
}

TEST_F(Pc2MddTest, SubFramesAndStepsKeepTheirTiming) {
  const std::string path = Path("half.pc2");
  // Frames 10, 10.5 and 11 at 25 a second.
  ASSERT_TRUE(
      WriteThreeFrames(path, Settings(CacheFormat::kPc2, {10 / 25.0, 10.5 / 25.0, 11 / 25.0}))
          .ok());
  const std::string bytes = ReadAll(path);
  EXPECT_EQ(bytes.substr(20, 4), Bytes({0x00, 0x00, 0x20, 0x41}));  // 10.0
  EXPECT_EQ(bytes.substr(24, 4), Bytes({0x00, 0x00, 0x00, 0x3F}));  // 0.5
}

TEST_F(Pc2MddTest, Pc2RefusesTimesThatItCannotSay) {
  const std::vector<std::vector<double>> bad = {{0, 0.04, 0.2}, {0.08, 0.04, 0}, {0, 0, 0}};
  for (const auto& times : bad) {
    const auto writer = CacheWriter::Create(Path("x.pc2"), {{"m", 2, false, {}, {}}},
                                            Settings(CacheFormat::kPc2, times));
    ASSERT_FALSE(writer.ok());
    EXPECT_EQ(writer.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(writer.error().message.find("sample 1"), std::string::npos) << writer.error().message;
  }
  EXPECT_TRUE(Names().empty());
  // MDD can say them.
  EXPECT_TRUE(WriteThreeFrames(Path("x.mdd"), Settings(CacheFormat::kMdd, bad[1])).ok());
}

TEST_F(Pc2MddTest, NoFrameAndNoPointAreFiles) {
  for (const CacheFormat format : {CacheFormat::kPc2, CacheFormat::kMdd}) {
    const std::size_t header = format == CacheFormat::kPc2 ? 32 : 8;
    const std::string none = Path("none"), empty = Path("empty");
    {
      auto writer = CacheWriter::Create(none, {{"m", 2, false, {}, {}}}, Settings(format, {}));
      ASSERT_TRUE(writer.ok()) << writer.error().ToString();
      ASSERT_TRUE((*writer)->Finish().ok());
      EXPECT_EQ(ReadAll(none).size(), header);
    }
    {
      auto writer = CacheWriter::Create(empty, {{"m", 0, false, {}, {}}}, Settings(format, {0}));
      ASSERT_TRUE(writer.ok()) << writer.error().ToString();
      const CacheFrame frame;
      ASSERT_TRUE((*writer)->Append({&frame, 1}).ok());
      ASSERT_TRUE((*writer)->Finish().ok());
      EXPECT_EQ(ReadAll(empty).size(), header + (format == CacheFormat::kMdd ? 4 : 0));
    }
  }
}

TEST_F(Pc2MddTest, CountsBeyondTheFieldAreRefusedWithBothNumbers) {
  const std::size_t most = std::numeric_limits<std::int32_t>::max();
  for (const CacheFormat format :
       {CacheFormat::kPc2, CacheFormat::kMdd, CacheFormat::kPly, CacheFormat::kObj}) {
    const auto over =
        CacheWriter::Create(Path("big"), {{"m", most + 1, false, {}, {}}}, Settings(format, {0}));
    ASSERT_FALSE(over.ok());
    EXPECT_EQ(over.error().code, ErrorCode::kLimitExceeded);
    EXPECT_NE(over.error().message.find("2147483648"), std::string::npos) << over.error().message;
    EXPECT_NE(over.error().message.find("2147483647"), std::string::npos) << over.error().message;
    const auto at =
        CacheWriter::Create(Path("big"), {{"m", most, false, {}, {}}}, Settings(format, {0}));
    EXPECT_TRUE(at.ok()) << at.error().ToString();
  }
  EXPECT_TRUE(Names().empty());
}

TEST(Encode, ShiftsGiveTheStatedOrderAndMatchTheBulkPath) {
  static_assert(ToBytes<std::endian::little>(std::uint32_t{0x11223344})[0] == std::byte{0x44});
  static_assert(ToBytes<std::endian::big>(std::uint32_t{0x11223344})[0] == std::byte{0x11});
  static_assert(ToBytes<std::endian::big>(std::int16_t{-2})[1] == std::byte{0xFE});
  static_assert(ToBytes<std::endian::little>(1.0)[7] == std::byte{0x3F});
  const std::vector<float> values = {1, -2.5f, 3e-40f, std::numeric_limits<float>::infinity()};
  const auto both = [&]<std::endian kOrder>() {
    std::vector<std::byte> bulk, single;
    AppendScalars<kOrder>(bulk, std::span<const float>(values));
    for (const float value : values) AppendScalar<kOrder>(single, value);
    EXPECT_EQ(bulk, single);
  };
  both.operator()<std::endian::little>();
  both.operator()<std::endian::big>();
}

}  // namespace
}  // namespace flexor::io
