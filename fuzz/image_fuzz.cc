// Any bytes as a picture: PNG, JPEG, BMP, TGA.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "flexor/render/image.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flexor;
  constexpr std::uint64_t kMostPixels = 1 << 20;
  const auto image = render::DecodeImage(std::as_bytes(std::span(data, size)), kMostPixels);
  if (!image.ok()) {
    if (image.error().message.empty()) std::abort();
    return 0;
  }
  const auto width = static_cast<std::uint64_t>(image->width);
  const auto height = static_cast<std::uint64_t>(image->height);
  if (width == 0 || height == 0 || width * height > kMostPixels ||
      image->rgba.size() != width * height * 4) {
    std::abort();
  }
  return 0;
}
