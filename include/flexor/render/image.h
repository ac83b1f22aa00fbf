/// @file render/image.h
/// A picture in memory, read from PNG, JPEG, BMP or TGA, written as PNG or JPEG; text on it; many
/// on one sheet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "flexor/core/export.h"
#include "flexor/core/result.h"

namespace flexor::render {

/// 8-bit sRGB with straight alpha, rows top to bottom.
struct Image {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgba{};  ///< (height * width * 4)
};

/// Decodes PNG, JPEG, BMP or TGA, by content (asset/image_type.h). For textures out of files from
/// strangers: the size is checked before anything is allocated, and a file that ends early is an
/// error however little is missing. Colour profiles and gamma are ignored, as glTF 2.0 asks; grey,
/// palettes and 16 bits become RGBA. Errors  kUnknownFormat · kParse · kTruncated · kLimitExceeded
/// · kUnsupportedFeature (CMYK, run-length coded BMP) · kOutOfMemory
FLEXOR_API Result<Image> DecodeImage(std::span<const std::byte> bytes,
                                     std::uint64_t max_pixels = 1ull << 26);

/// Encodes as PNG, without an alpha channel when every pixel is opaque. Deterministic.
/// Errors  kInvalidArgument (no pixels, or not width * height * 4 bytes) · kOutOfMemory
FLEXOR_API Result<std::vector<std::byte>> EncodePng(const Image& image);

/// Encodes as JPEG over white, quality 1 to 100. Deterministic.
/// Errors  as EncodePng, and kLimitExceeded over 65500 pixels a side
FLEXOR_API Result<std::vector<std::byte>> EncodeJpeg(const Image& image, int quality = 90);

/// Draws one line of text with the built-in fonts (Latin, Greek, Cyrillic, Japanese and more), its
/// top left corner at (x, y), clipped to the picture; characters the fonts lack become boxes, bytes
/// that are no UTF-8 the replacement character, control characters spaces. `size` is the em height
/// in pixels, up to 1024; `color` 0xRRGGBBAA. Returns the width drawn.
FLEXOR_API int DrawText(Image& image, int x, int y, int size, std::uint32_t color,
                        std::string_view utf8);

/// The width DrawText would need, pixels.
FLEXOR_API int TextWidth(int size, std::string_view utf8);

/// The height of a line of text from the top of its highest letters to the foot of its lowest.
FLEXOR_API int TextHeight(int size);

/// Places pictures side by side, row by row, with a label above each and a title above all; labels
/// that do not fit are cut with an ellipsis. Cells have the size of the largest picture.
/// `columns` < 1: as many as make the sheet about square. Fewer labels than pictures are allowed.
/// Errors  kInvalidArgument (no pictures, or a broken one) · kLimitExceeded over 32768 pixels a
/// side or 2^28 in all · kOutOfMemory
FLEXOR_API Result<Image> ContactSheet(std::span<const Image> pictures,
                                      std::span<const std::string_view> labels,
                                      std::string_view title, int columns);

}  // namespace flexor::render
