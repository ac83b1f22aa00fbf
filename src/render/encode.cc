#include <memory>
#include <new>
#include <string>

#include <png.h>
#include <turbojpeg.h>

#include "flexor/render/image.h"

#include "render/canvas.h"

namespace flexor::render {
namespace {

Status CheckWhole(const Image& image) {
  if (IsWhole(image)) return {};
  return Error{ErrorCode::kInvalidArgument,
               "a picture of " + std::to_string(image.width) + " x " +
                   std::to_string(image.height) + " pixels with " +
                   std::to_string(image.rgba.size()) + " bytes cannot be encoded",
               {}};
}

Error NoMemory() {
  return Error{ErrorCode::kOutOfMemory, "memory ran out while a picture was encoded", {}};
}

std::vector<std::uint8_t> WithoutAlpha(const Image& image) {
  std::vector<std::uint8_t> rgb;
  rgb.reserve(image.rgba.size() / 4 * 3);
  for (std::size_t i = 0; i < image.rgba.size(); i += 4) {
    const int alpha = image.rgba[i + 3];
    for (std::size_t c = 0; c < 3; ++c) {
      rgb.push_back(
          static_cast<std::uint8_t>((image.rgba[i + c] * alpha + 255 * (255 - alpha) + 127) / 255));
    }
  }
  return rgb;
}

bool IsOpaque(const Image& image) {
  for (std::size_t i = 3; i < image.rgba.size(); i += 4) {
    if (image.rgba[i] != 255) return false;
  }
  return true;
}

}  // namespace

Result<std::vector<std::byte>> EncodePng(const Image& image) try {
  FLEXOR_TRY(CheckWhole(image));
  const bool opaque = IsOpaque(image);
  const std::vector<std::uint8_t> pixels = opaque ? WithoutAlpha(image) : image.rgba;
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  png.width = static_cast<png_uint_32>(image.width);
  png.height = static_cast<png_uint_32>(image.height);
  png.format = opaque ? PNG_FORMAT_RGB : PNG_FORMAT_RGBA;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(png);
  std::vector<std::byte> out(size);
  if (png_image_write_to_memory(&png, out.data(), &size, 0, pixels.data(), 0, nullptr) == 0) {
    const std::string reason = png.message;
    png_image_free(&png);
    return Error{ErrorCode::kInternal, "libpng could not encode the picture: " + reason, {}};
  }
  out.resize(size);
  out.shrink_to_fit();
  return out;
} catch (const std::bad_alloc&) {
  return NoMemory();
}

Result<std::vector<std::byte>> EncodeJpeg(const Image& image, int quality) try {
  FLEXOR_TRY(CheckWhole(image));
  if (quality < 1 || quality > 100) {
    return Error{ErrorCode::kInvalidArgument,
                 "a JPEG quality of " + std::to_string(quality) + " is not within 1 to 100",
                 {}};
  }
  constexpr int kLargestSide = 65500;
  if (image.width > kLargestSide || image.height > kLargestSide) {
    return Error{ErrorCode::kLimitExceeded,
                 "a JPEG holds at most 65500 pixels a side, the picture is " +
                     std::to_string(image.width) + " x " + std::to_string(image.height) +
                     "; write PNG instead",
                 {}};
  }
  const std::vector<std::uint8_t> pixels = WithoutAlpha(image);
  const std::unique_ptr<void, int (*)(tjhandle)> codec(tjInitCompress(), tjDestroy);
  if (codec == nullptr) return NoMemory();
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  const int failed = tjCompress2(codec.get(), pixels.data(), image.width, 0, image.height, TJPF_RGB,
                                 &bytes, &size, TJSAMP_444, quality, TJFLAG_ACCURATEDCT);
  const std::unique_ptr<unsigned char, void (*)(unsigned char*)> owned(bytes, tjFree);
  if (failed != 0) {
    return Error{
        ErrorCode::kInternal,
        std::string("libjpeg-turbo could not encode the picture: ") + tjGetErrorStr2(codec.get()),
        {}};
  }
  const auto* first = reinterpret_cast<const std::byte*>(bytes);
  return std::vector<std::byte>(first, first + size);
} catch (const std::bad_alloc&) {
  return NoMemory();
}

}  // namespace flexor::render
