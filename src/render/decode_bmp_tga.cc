// The pictures that MikuMikuDance models bring: read by stb_image once they are known to be whole,
// as it takes what is missing for black.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_NO_STDIO
#define STBI_NO_HDR
#define STBI_NO_LINEAR
#define STBI_ONLY_BMP
#define STBI_ONLY_TGA
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb/stb_image.h>
#pragma GCC diagnostic pop

#include "render/decode.h"

namespace flexor::render {
namespace {

constexpr std::uint64_t kLargestInput = 0x7fffffff;  // stb_image counts bytes in an int

std::uint64_t LittleEndian(Bytes bytes, std::size_t offset, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = size; i-- > 0;) value = value << 8 | At(bytes, offset + i);
  return value;
}

Result<Image> Decode(std::string_view format, Bytes bytes, std::uint64_t max_pixels) {
  if (bytes.size() > kLargestInput) {
    return Error{ErrorCode::kLimitExceeded,
                 "the " + std::string(format) + " picture has " + std::to_string(bytes.size()) +
                     " bytes; the limit is " + std::to_string(kLargestInput),
                 {}};
  }
  const auto* data = reinterpret_cast<const stbi_uc*>(bytes.data());
  const int size = static_cast<int>(bytes.size());
  const auto fail = [&] {
    return Error{ErrorCode::kParse,
                 "the " + std::string(format) + " picture is broken: " + stbi_failure_reason(),
                 {}};
  };
  int width = 0, height = 0, channels = 0;
  if (stbi_info_from_memory(data, size, &width, &height, &channels) == 0) return fail();
  // A BMP with rows from the top has a negative height here.
  const auto magnitude = [](int side) {
    return static_cast<std::uint64_t>(std::abs(std::int64_t{side}));
  };
  FLEXOR_TRY(CheckSize(format, magnitude(width), magnitude(height), max_pixels));
  const std::unique_ptr<stbi_uc, void (*)(void*)> pixels(
      stbi_load_from_memory(data, size, &width, &height, &channels, 4), stbi_image_free);
  if (pixels == nullptr) return fail();
  Image image = MakeImage(static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height));
  std::memcpy(image.rgba.data(), pixels.get(), image.rgba.size());
  return image;
}

// stb_image leaves rows that are stored from right to left as they are.
void ReverseRows(Image& image) {
  const std::size_t width = static_cast<std::size_t>(image.width);
  for (std::size_t row = 0; row < static_cast<std::size_t>(image.height); ++row) {
    std::uint8_t* pixels = image.rgba.data() + row * width * 4;
    for (std::size_t x = 0; x < width / 2; ++x) {
      std::swap_ranges(pixels + x * 4, pixels + x * 4 + 4, pixels + (width - 1 - x) * 4);
    }
  }
}

}  // namespace

Result<Image> DecodeBmp(Bytes bytes, std::uint64_t max_pixels) {
  constexpr std::size_t kCoreSize = 26, kInfoSize = 54;
  if (bytes.size() < kCoreSize) return EndsEarly("BMP", bytes.size());
  const bool core = LittleEndian(bytes, 14, 4) == 12;
  if (!core && bytes.size() < kInfoSize) return EndsEarly("BMP", bytes.size());
  const std::uint64_t width = LittleEndian(bytes, 18, core ? 2 : 4);
  std::uint64_t height = core ? LittleEndian(bytes, 20, 2) : LittleEndian(bytes, 22, 4);
  if (height > 0x7fffffff) height = 0x100000000 - height;  // negative: rows from the top
  const std::uint64_t depth = LittleEndian(bytes, core ? 24 : 28, 2);
  const std::uint64_t compression = core ? 0 : LittleEndian(bytes, 30, 4);
  if (compression == 1 || compression == 2) {
    return Error{ErrorCode::kUnsupportedFeature, "the BMP picture is run-length coded", {}};
  }
  FLEXOR_TRY(CheckSize("BMP", width, height, max_pixels));
  const std::uint64_t row = (width * depth + 7) / 8;
  const std::uint64_t stride = (row + 3) / 4 * 4;
  if (LittleEndian(bytes, 10, 4) + stride * (height - 1) + row > bytes.size()) {
    return EndsEarly("BMP", bytes.size());
  }
  return Decode("BMP", bytes, max_pixels);
}

Result<Image> DecodeTga(Bytes bytes, std::uint64_t max_pixels) {
  const std::uint64_t width = LittleEndian(bytes, 12, 2), height = LittleEndian(bytes, 14, 2);
  FLEXOR_TRY(CheckSize("TGA", width, height, max_pixels));
  const auto in_bytes = [](std::uint64_t bits) { return (bits + 7) / 8; };
  const std::uint64_t pixel = in_bytes(At(bytes, 16));
  std::uint64_t at = 18 + At(bytes, 0);
  if (At(bytes, 1) == 1) at += LittleEndian(bytes, 5, 2) * in_bytes(At(bytes, 7));
  std::uint64_t left = width * height;
  if ((At(bytes, 2) & 8) == 0) {
    at += left * pixel;
  } else {
    while (left > 0 && at < bytes.size()) {
      const unsigned packet = At(bytes, static_cast<std::size_t>(at));
      const std::uint64_t count = (packet & 127) + 1;
      at += 1 + ((packet & 128) != 0 ? 1 : count) * pixel;
      left -= std::min(left, count);
    }
    if (left > 0) return EndsEarly("TGA", bytes.size());
  }
  if (at > bytes.size()) return EndsEarly("TGA", bytes.size());
  FLEXOR_ASSIGN(Image image, Decode("TGA", bytes, max_pixels));
  const bool from_the_right = (At(bytes, 17) & 0x10) != 0;
  if (from_the_right) ReverseRows(image);
  return image;
}

}  // namespace flexor::render
