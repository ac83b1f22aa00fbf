/// @file io/gltf/check_images.h
/// What the first bytes of an image say about it, without decoding its pixels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace flexor::io::gltf {

enum class ImageVerdict : std::uint8_t { kGood, kUnknownFormat, kTruncated, kBroken };

struct ImageHeader {
  ImageVerdict verdict = ImageVerdict::kUnknownFormat;
  std::string fault;            ///< why it is kBroken
  std::string_view media_type;  ///< "image/png", "image/jpeg" or "image/webp"; empty when unknown
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  bool has_unusual_features = false;  ///< own colour space, non-square pixels or animation
};

/// The media type that the first bytes tell, or an empty text. Knows KTX2 besides.
std::string_view ImageTypeOf(std::span<const std::byte> bytes);

/// Reads the header of a PNG, JPEG or WebP image.
ImageHeader ReadImageHeader(std::span<const std::byte> bytes);

}  // namespace flexor::io::gltf
