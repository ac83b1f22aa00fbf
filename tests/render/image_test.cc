#include "flexor/render/image.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "flexor/core/digest.h"

#include "render/shapes.h"
#include "support/corpus.h"

namespace flexor::render {
namespace {

Image Gradient(int width, int height, bool opaque) {
  Image image;
  image.width = width;
  image.height = height;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      image.rgba.push_back(static_cast<std::uint8_t>(x * 255 / std::max(1, width - 1)));
      image.rgba.push_back(static_cast<std::uint8_t>(y * 255 / std::max(1, height - 1)));
      image.rgba.push_back(static_cast<std::uint8_t>((x * 7 + y * 13) % 256));
      image.rgba.push_back(static_cast<std::uint8_t>(opaque ? 255 : (x + y) % 256));
    }
  }
  return image;
}

// A chunk of a PNG file: length, type, data, checksum.
void AddChunk(std::vector<std::byte>& out, std::string_view type, std::string_view data) {
  const auto add32 = [&out](std::uint32_t v) {
    for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<std::byte>(v >> shift));
  };
  add32(static_cast<std::uint32_t>(data.size()));
  std::uint32_t crc = ~0u;
  for (const std::string_view part : {type, data}) {
    for (const char c : part) {
      out.push_back(static_cast<std::byte>(c));
      crc ^= static_cast<unsigned char>(c);
      for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (0xEDB88320u & (0u - (crc & 1)));
    }
  }
  add32(~crc);
}

TEST(Png, RoundTripKeepsEveryByte) {
  for (const bool opaque : {true, false}) {
    for (const auto& [width, height] :
         {std::pair{1, 1}, std::pair{3, 2}, std::pair{64, 48}, std::pair{1, 300}}) {
      const Image image = Gradient(width, height, opaque);
      const auto png = EncodePng(image);
      ASSERT_TRUE(png.ok()) << png.error().ToString();
      EXPECT_EQ(*png, *EncodePng(image));
      const auto back = DecodeImage(*png);
      ASSERT_TRUE(back.ok()) << back.error().ToString();
      EXPECT_EQ(back->width, width);
      EXPECT_EQ(back->height, height);
      EXPECT_EQ(back->rgba, image.rgba);
    }
  }
}

TEST(Png, OpaquePicturesHaveNoAlphaChannel) {
  const auto colour_type = [](const Image& image) {
    return std::to_integer<int>((*EncodePng(image))[25]);
  };
  EXPECT_EQ(colour_type(Gradient(8, 8, true)), 2);
  EXPECT_EQ(colour_type(Gradient(8, 8, false)), 6);
}

TEST(Png, EveryTruncationIsAnError) {
  const auto png = EncodePng(Gradient(40, 30, false));
  ASSERT_TRUE(png.ok());
  for (std::size_t length = 0; length < png->size(); ++length) {
    const auto cut = DecodeImage(std::span(*png).first(length));
    ASSERT_FALSE(cut.ok()) << length;
    EXPECT_EQ(cut.error().code, length < 8 ? ErrorCode::kUnknownFormat : ErrorCode::kTruncated)
        << length;
  }
}

TEST(Png, EveryBrokenByteIsAnErrorOrAPictureOfTheSameSize) {
  const auto png = EncodePng(Gradient(20, 10, false));
  ASSERT_TRUE(png.ok());
  std::size_t errors = 0;
  for (std::size_t i = 8; i < png->size(); ++i) {
    std::vector<std::byte> broken = *png;
    broken[i] ^= std::byte{0xFF};
    const auto image = DecodeImage(broken, 100000);
    if (!image.ok()) {
      ++errors;
    } else {
      EXPECT_EQ(image->rgba.size(), std::size_t{4} * image->width * image->height);
    }
  }
  EXPECT_GT(errors, png->size() / 2);  // checksums find nearly all
}

TEST(Png, SizeIsCheckedBeforeMemoryIsTaken) {
  // A header that claims 2^31 - 1 pixels a side and nothing behind it.
  std::vector<std::byte> bytes;
  for (const char c : std::string_view("\x89PNG\r\n\x1a\n")) {
    bytes.push_back(static_cast<std::byte>(c));
  }
  AddChunk(bytes, "IHDR", std::string_view("\x00\x0f\x42\x40\x00\x0f\x42\x40\x08\x06\0\0\0", 13));
  AddChunk(bytes, "IDAT", "x");
  AddChunk(bytes, "IEND", "");
  const auto huge = DecodeImage(bytes);
  ASSERT_FALSE(huge.ok());
  EXPECT_EQ(huge.error().code, ErrorCode::kLimitExceeded);
  EXPECT_NE(huge.error().message.find("1000000 x 1000000"), std::string::npos)
      << huge.error().message;

  const auto png = EncodePng(Gradient(10, 10, true));
  EXPECT_TRUE(DecodeImage(*png, 100).ok());
  EXPECT_EQ(DecodeImage(*png, 99).error().code, ErrorCode::kLimitExceeded);
}

TEST(Png, GammaAndTextAreIgnored) {
  const Image image = Gradient(16, 16, true);
  const auto png = EncodePng(image);
  ASSERT_TRUE(png.ok());
  // A gamma of 1.0 and a comment right behind the header, which is 25 bytes long.
  std::vector<std::byte> tagged(png->begin(), png->begin() + 33);
  AddChunk(tagged, "gAMA", std::string_view("\x00\x01\x86\xA0", 4));
  AddChunk(tagged, "tEXt", "Comment");
  tagged.insert(tagged.end(), png->begin() + 33, png->end());
  const auto back = DecodeImage(tagged);
  ASSERT_TRUE(back.ok()) << back.error().ToString();
  EXPECT_EQ(back->rgba, image.rgba);
}

TEST(Jpeg, RoundTripIsClose) {
  Image image = Gradient(64, 48, true);
  for (std::size_t i = 2; i < image.rgba.size(); i += 4) image.rgba[i] = 128;
  const auto jpeg = EncodeJpeg(image, 95);
  ASSERT_TRUE(jpeg.ok()) << jpeg.error().ToString();
  EXPECT_EQ(*jpeg, *EncodeJpeg(image, 95));
  const auto back = DecodeImage(*jpeg);
  ASSERT_TRUE(back.ok()) << back.error().ToString();
  ASSERT_EQ(back->width, 64);
  ASSERT_EQ(back->height, 48);
  int worst = 0;
  for (std::size_t i = 0; i < image.rgba.size(); ++i) {
    worst = std::max(worst, std::abs(image.rgba[i] - back->rgba[i]));
  }
  EXPECT_LE(worst, 12);
  EXPECT_EQ(At(*back, 5, 5).a, 255);
}

TEST(Jpeg, TransparentBecomesWhite) {
  const auto jpeg = EncodeJpeg(Filled(16, 16, {0, 0, 0, 0}));
  ASSERT_TRUE(jpeg.ok());
  const auto back = DecodeImage(*jpeg);
  ASSERT_TRUE(back.ok());
  EXPECT_GE(At(*back, 8, 8).r, 253);
}

TEST(Jpeg, EveryTruncationIsAnError) {
  const auto jpeg = EncodeJpeg(Gradient(40, 30, true));
  ASSERT_TRUE(jpeg.ok());
  for (std::size_t length = 0; length < jpeg->size(); ++length) {
    const auto cut = DecodeImage(std::span(*jpeg).first(length));
    ASSERT_FALSE(cut.ok()) << length;
    EXPECT_EQ(cut.error().code, length < 3 ? ErrorCode::kUnknownFormat : ErrorCode::kTruncated)
        << length;
  }
}

TEST(Jpeg, BrokenBytesDoNotCrash) {
  const auto jpeg = EncodeJpeg(Gradient(24, 16, true));
  ASSERT_TRUE(jpeg.ok());
  for (std::size_t i = 2; i < jpeg->size(); ++i) {
    for (const int flip : {0xFF, 0x01, 0x80}) {
      std::vector<std::byte> broken = *jpeg;
      broken[i] ^= static_cast<std::byte>(flip);
      const auto image = DecodeImage(broken, 4096);
      if (image.ok()) {
        EXPECT_LE(static_cast<long>(image->width) * image->height, 4096);
        EXPECT_EQ(image->rgba.size(), std::size_t{4} * image->width * image->height);
      }
    }
  }
}

TEST(Jpeg, SizeIsCheckedBeforeMemoryIsTaken) {
  const auto jpeg = EncodeJpeg(Gradient(20, 10, true));
  ASSERT_TRUE(jpeg.ok());
  EXPECT_TRUE(DecodeImage(*jpeg, 200).ok());
  const auto limited = DecodeImage(*jpeg, 199);
  ASSERT_FALSE(limited.ok());
  EXPECT_EQ(limited.error().code, ErrorCode::kLimitExceeded);
  EXPECT_NE(limited.error().message.find("20 x 10"), std::string::npos);
}

TEST(Decode, OtherFormatsAreNamed) {
  const std::string_view webp("RIFF\x10\0\0\0WEBPVP8 ", 16), text = "hello";
  const auto named = DecodeImage(std::as_bytes(std::span(webp)));
  ASSERT_FALSE(named.ok());
  EXPECT_EQ(named.error().code, ErrorCode::kUnknownFormat);
  EXPECT_NE(named.error().message.find("image/webp"), std::string::npos);
  EXPECT_EQ(DecodeImage(std::as_bytes(std::span(text))).error().code, ErrorCode::kUnknownFormat);
  EXPECT_EQ(DecodeImage({}).error().code, ErrorCode::kUnknownFormat);
}

TEST(Encode, RefusesPicturesThatAreNone) {
  Image image = Filled(2, 2, {1, 2, 3, 255});
  EXPECT_EQ(EncodeJpeg(image, 0).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(EncodeJpeg(image, 101).error().code, ErrorCode::kInvalidArgument);
  image.rgba.pop_back();
  EXPECT_EQ(EncodePng(image).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(EncodeJpeg(image).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(EncodePng(Image{}).error().code, ErrorCode::kInvalidArgument);
}

std::vector<std::byte> FileBytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> chars((std::istreambuf_iterator<char>(file)), {});
  std::vector<std::byte> bytes(chars.size());
  std::memcpy(bytes.data(), chars.data(), chars.size());
  return bytes;
}

TEST(Decode, TexturesOfRealFiles) {
  FLEXOR_REQUIRE_CORPUS();
  int decoded = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(test::CorpusPath("gltf"))) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".png" && extension != ".jpg" && extension != ".jpeg") continue;
    const std::vector<std::byte> bytes = FileBytes(entry.path().string());
    const auto image = DecodeImage(bytes);
    if (!image.ok()) {
      // Files that are meant to be broken, in the validator's own tests, may be refused; never
      // more.
      EXPECT_NE(entry.path().string().find("validator"), std::string::npos)
          << entry.path() << ": " << image.error().ToString();
      continue;
    }
    EXPECT_EQ(image->rgba.size(), std::size_t{4} * image->width * image->height);
    ++decoded;
  }
  EXPECT_GT(decoded, 0);
}

void AddLittle(std::vector<std::byte>& out, std::uint64_t value, int size) {
  for (int i = 0; i < size; ++i, value >>= 8) out.push_back(static_cast<std::byte>(value));
}

// The pixels of a picture as BGR or BGRA, rows from the foot or from the top, padded to `pad`
// bytes.
void AddBgr(std::vector<std::byte>& out, const Image& image, bool alpha, bool from_top, int pad) {
  for (int row = 0; row < image.height; ++row) {
    const int y = from_top ? row : image.height - 1 - row;
    const std::size_t begin = out.size();
    for (int x = 0; x < image.width; ++x) {
      const std::uint8_t* p = &image.rgba[std::size_t{4} * (y * image.width + x)];
      for (const int channel : {2, 1, 0, 3}) {
        if (channel != 3 || alpha) out.push_back(std::byte{p[channel]});
      }
    }
    while ((out.size() - begin) % pad != 0) out.push_back({});
  }
}

std::vector<std::byte> BmpOf(const Image& image, bool from_top) {
  std::vector<std::byte> out{std::byte{'B'}, std::byte{'M'}};
  AddLittle(out, 0, 8);
  AddLittle(out, 54, 4);
  AddLittle(out, 40, 4);
  AddLittle(out, static_cast<std::uint64_t>(image.width), 4);
  AddLittle(out, static_cast<std::uint64_t>(from_top ? -image.height : image.height), 4);
  AddLittle(out, 1, 2);
  AddLittle(out, 24, 2);
  AddLittle(out, 0, 24);
  AddBgr(out, image, false, from_top, 4);
  return out;
}

enum class TgaKind { kPlain = 2, kRuns = 10 };

std::vector<std::byte> TgaOf(const Image& image, TgaKind kind, bool alpha, bool from_top) {
  std::vector<std::byte> out;
  AddLittle(out, 3, 1);  // bytes of identification
  AddLittle(out, 0, 1);
  AddLittle(out, static_cast<std::uint64_t>(kind), 1);
  AddLittle(out, 0, 9);
  AddLittle(out, static_cast<std::uint64_t>(image.width), 2);
  AddLittle(out, static_cast<std::uint64_t>(image.height), 2);
  AddLittle(out, alpha ? 32 : 24, 1);
  AddLittle(out, (from_top ? 0x20 : 0) | (alpha ? 8 : 0), 1);
  AddLittle(out, 0x636261, 3);
  std::vector<std::byte> pixels;
  AddBgr(pixels, image, alpha, from_top, 1);
  if (kind == TgaKind::kPlain) {
    out.insert(out.end(), pixels.begin(), pixels.end());
    return out;
  }
  // A run of one, then stored pixels, in turn.
  const std::size_t size = alpha ? 4 : 3;
  for (std::size_t at = 0, turn = 0; at < pixels.size(); ++turn) {
    const std::size_t left = (pixels.size() - at) / size;
    const std::size_t count = turn % 2 == 0 ? 1 : std::min<std::size_t>(left, 100);
    AddLittle(out, turn % 2 == 0 ? 0x80 : count - 1, 1);
    out.insert(out.end(), pixels.begin() + static_cast<std::ptrdiff_t>(at),
               pixels.begin() + static_cast<std::ptrdiff_t>(at + count * size));
    at += count * size;
  }
  return out;
}

TEST(Bmp, IsReadWithRowsEitherWay) {
  for (const int width : {1, 2, 3, 4, 33}) {
    const Image image = Gradient(width, 5, true);
    for (const bool from_top : {false, true}) {
      const auto read = DecodeImage(BmpOf(image, from_top));
      ASSERT_TRUE(read.ok()) << read.error().ToString();
      EXPECT_EQ(read->width, width);
      EXPECT_EQ(read->height, 5);
      EXPECT_EQ(read->rgba, image.rgba);
    }
  }
}

TEST(Tga, IsReadPlainAndInRunsWithAndWithoutAlpha) {
  for (const TgaKind kind : {TgaKind::kPlain, TgaKind::kRuns}) {
    for (const bool alpha : {false, true}) {
      for (const bool from_top : {false, true}) {
        const Image image = Gradient(31, 17, !alpha);
        const auto read = DecodeImage(TgaOf(image, kind, alpha, from_top));
        ASSERT_TRUE(read.ok()) << read.error().ToString();
        EXPECT_EQ(read->width, 31);
        EXPECT_EQ(read->rgba, image.rgba);
      }
    }
  }
}

TEST(Tga, RowsFromTheRightAreTurned) {
  const Image image = Gradient(5, 3, true);
  Image mirrored = image;
  for (int y = 0; y < 3; ++y) {
    for (int x = 0; x < 5; ++x) {
      for (int c = 0; c < 4; ++c) {
        mirrored.rgba[std::size_t{4} * (y * 5 + x) + c] =
            image.rgba[std::size_t{4} * (y * 5 + 4 - x) + c];
      }
    }
  }
  std::vector<std::byte> bytes = TgaOf(mirrored, TgaKind::kPlain, false, true);
  bytes[17] |= std::byte{0x10};
  const auto read = DecodeImage(bytes);
  ASSERT_TRUE(read.ok()) << read.error().ToString();
  EXPECT_EQ(read->rgba, image.rgba);
}

TEST(BmpAndTga, EveryTruncationIsAnError) {
  const Image image = Gradient(9, 7, true);
  for (const auto& whole : {BmpOf(image, false), TgaOf(image, TgaKind::kPlain, false, true),
                            TgaOf(image, TgaKind::kRuns, true, false)}) {
    ASSERT_TRUE(DecodeImage(whole).ok());
    // The last row of a BMP may lack its padding, one byte here.
    const std::size_t needed = whole[0] == std::byte{'B'} ? whole.size() - 1 : whole.size();
    for (std::size_t length = 0; length < needed; ++length) {
      const auto cut = DecodeImage(std::span(whole).first(length));
      ASSERT_FALSE(cut.ok()) << length << " of " << whole.size();
      EXPECT_TRUE(cut.error().code == ErrorCode::kTruncated ||
                  cut.error().code == ErrorCode::kUnknownFormat)
          << cut.error().ToString();
    }
  }
}

TEST(BmpAndTga, SizeIsCheckedBeforeMemoryIsTaken) {
  std::vector<std::byte> bmp = BmpOf(Gradient(4, 4, true), false);
  for (const std::size_t at : {18u, 19u, 20u, 22u, 23u, 24u}) bmp[at] = std::byte{0xff};
  EXPECT_EQ(DecodeImage(bmp).error().code, ErrorCode::kLimitExceeded);
  // Negative, and the one that has no opposite.
  for (const std::size_t at : {22u, 23u, 24u}) bmp[at] = std::byte{0};
  bmp[25] = std::byte{0x80};
  EXPECT_EQ(DecodeImage(bmp).error().code, ErrorCode::kLimitExceeded);
  std::vector<std::byte> tga = TgaOf(Gradient(4, 4, true), TgaKind::kPlain, false, false);
  for (const std::size_t at : {12u, 13u, 14u, 15u}) tga[at] = std::byte{0xff};
  EXPECT_EQ(DecodeImage(tga).error().code, ErrorCode::kLimitExceeded);
  EXPECT_EQ(DecodeImage(tga, std::uint64_t{1} << 40).error().code, ErrorCode::kTruncated);
}

TEST(BmpAndTga, EveryBrokenByteIsAnErrorOrAPicture) {
  const Image image = Gradient(9, 7, true);
  for (const auto& whole : {BmpOf(image, false), TgaOf(image, TgaKind::kRuns, true, false)}) {
    for (std::size_t i = 0; i < whole.size(); ++i) {
      for (const int flip : {1, 2, 0x80, 0xff}) {
        std::vector<std::byte> broken = whole;
        broken[i] ^= static_cast<std::byte>(flip);
        const auto read = DecodeImage(broken, 1000000);
        if (!read.ok()) continue;
        EXPECT_EQ(read->rgba.size(), std::size_t{4} * read->width * read->height);
      }
    }
  }
}

}  // namespace
}  // namespace flexor::render
