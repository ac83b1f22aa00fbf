/// @file render/decode.h
/// What the decoders of pictures share: bytes, refusals, and sizes that are checked before anything
/// is allocated. Private to the render module.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "flexor/core/result.h"
#include "flexor/render/image.h"

namespace flexor::render {

using Bytes = std::span<const std::byte>;

inline unsigned At(Bytes bytes, std::size_t offset) {
  return std::to_integer<unsigned>(bytes[offset]);
}

inline Error Broken(ErrorCode code, std::string message, std::size_t offset) {
  return Error{code, std::move(message), {"", "", offset}};
}

/// The picture stops at its end, `size`, though more must follow.
Error EndsEarly(std::string_view format, std::size_t size);

/// Errors  kParse (no pixels) · kLimitExceeded
Status CheckSize(std::string_view format, std::uint64_t width, std::uint64_t height,
                 std::uint64_t max_pixels);

/// Of a size that CheckSize has seen.
Image MakeImage(std::uint32_t width, std::uint32_t height);

/// One decoder each; the bytes begin as asset::ImageType says. Errors as in DecodeImage.
Result<Image> DecodeBmp(Bytes bytes, std::uint64_t max_pixels);
Result<Image> DecodeTga(Bytes bytes, std::uint64_t max_pixels);

}  // namespace flexor::render
