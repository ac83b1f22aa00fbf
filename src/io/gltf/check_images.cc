#include "io/gltf/check_images.h"

#include <algorithm>

namespace flexor::io::gltf {
namespace {

constexpr std::size_t kShortestHeader = 14;

std::uint32_t Byte(std::span<const std::byte> bytes, std::size_t at) {
  return std::to_integer<std::uint32_t>(bytes[at]);
}

std::uint32_t Big32(std::span<const std::byte> bytes, std::size_t at) {
  return Byte(bytes, at) << 24 | Byte(bytes, at + 1) << 16 | Byte(bytes, at + 2) << 8 |
         Byte(bytes, at + 3);
}

std::uint32_t Big16(std::span<const std::byte> bytes, std::size_t at) {
  return Byte(bytes, at) << 8 | Byte(bytes, at + 1);
}

std::uint32_t Little24(std::span<const std::byte> bytes, std::size_t at) {
  return Byte(bytes, at) | Byte(bytes, at + 1) << 8 | Byte(bytes, at + 2) << 16;
}

bool StartsWith(std::span<const std::byte> bytes, std::size_t at, std::string_view text) {
  return bytes.size() >= at + text.size() &&
         std::equal(text.begin(), text.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at),
                    [](char a, std::byte b) { return static_cast<std::byte>(a) == b; });
}

ImageHeader Broken(ImageHeader header, std::string fault) {
  header.verdict = ImageVerdict::kBroken;
  header.fault = std::move(fault);
  return header;
}

ImageHeader Truncated(ImageHeader header) {
  header.verdict = ImageVerdict::kTruncated;
  return header;
}

/// Walks the chunks up to the pixels.
ImageHeader ReadPng(std::span<const std::byte> bytes) {
  ImageHeader header;
  header.media_type = "image/png";
  // The white point and primaries of sRGB, as a cHRM chunk stores them.
  constexpr std::uint32_t kSrgbPrimaries[] = {31270, 32900, 64000, 33000,
                                              30000, 60000, 15000, 6000};
  struct Chunk {
    std::string_view type;
    std::uint32_t length;
  };
  constexpr Chunk kFixed[] = {{"IHDR", 13}, {"cHRM", 32}, {"sRGB", 1}, {"pHYs", 9}, {"gAMA", 4}};
  bool has_size = false, is_srgb = false, has_profile = false, own_gamma = false,
       own_primaries = false;
  std::size_t at = 8;
  while (true) {
    if (bytes.size() - at < 8) return Truncated(header);
    const std::uint32_t length = Big32(bytes, at);
    const std::size_t data = at + 8;
    for (const Chunk& chunk : kFixed) {
      if (StartsWith(bytes, at + 4, chunk.type) && length != chunk.length) {
        return Broken(header, "the " + std::string(chunk.type) + " chunk has " +
                                  std::to_string(length) + " bytes instead of " +
                                  std::to_string(chunk.length));
      }
    }
    const auto is = [&](std::string_view type) { return StartsWith(bytes, at + 4, type); };
    if (is("IDAT")) break;
    if (length > bytes.size() - data || bytes.size() - data - length < 4) return Truncated(header);
    if (is("IHDR")) {
      has_size = true;
      header.width = Big32(bytes, data);
      header.height = Big32(bytes, data + 4);
    } else if (is("sRGB")) {
      is_srgb = true;
    } else if (is("iCCP")) {
      has_profile = true;
    } else if (is("gAMA")) {
      const std::uint32_t gamma = Big32(bytes, data);
      own_gamma = gamma != 45455 && gamma != 100000;
    } else if (is("cHRM")) {
      for (std::size_t i = 0; i < 8; ++i) {
        own_primaries |= Big32(bytes, data + 4 * i) != kSrgbPrimaries[i];
      }
    } else if (is("pHYs")) {
      header.has_unusual_features |= Big32(bytes, data) != Big32(bytes, data + 4);
    }
    at = data + length + 4;
  }
  if (!has_size) return Broken(header, "pixels come before the IHDR chunk");
  header.verdict = ImageVerdict::kGood;
  header.has_unusual_features |= !is_srgb && (has_profile || own_gamma || own_primaries);
  return header;
}

/// Walks the segments up to the frame header.
ImageHeader ReadJpeg(std::span<const std::byte> bytes) {
  ImageHeader header;
  header.media_type = "image/jpeg";
  std::size_t at = 0;
  while (true) {
    if (at >= bytes.size()) return Truncated(header);
    if (Byte(bytes, at) != 0xff) return Broken(header, "a segment does not start with a marker");
    // Markers without a length (and fill bytes) are passed over.
    std::uint32_t marker = 0xff;
    do {
      if (++at >= bytes.size()) return Truncated(header);
      marker = Byte(bytes, at);
    } while (marker == 0x01 || (marker >= 0xd0 && marker <= 0xd9) || marker == 0xff);
    if (bytes.size() - at < 3) return Truncated(header);
    const std::uint32_t length = Big16(bytes, at + 1);
    if (length < 2) return Broken(header, "a segment has an impossible length");
    const std::size_t data = at + 3;
    if (length - 2 > bytes.size() - data) return Truncated(header);
    const bool is_frame =
        ((marker & 0xf0u) == 0xc0 && marker != 0xc4 && marker != 0xc8 && marker != 0xcc) ||
        marker == 0xde;
    if (is_frame) {
      if (length < 8) return Broken(header, "the frame header is too short");
      header.height = Big16(bytes, data + 1);
      header.width = Big16(bytes, data + 3);
      const std::uint32_t channels = Byte(bytes, data + 5);
      if (channels != 1 && channels != 3) {
        return Broken(header, "the image has " + std::to_string(channels) + " colour channels");
      }
      header.verdict = ImageVerdict::kGood;
      return header;
    }
    at = data + length - 2;
  }
}

ImageHeader ReadWebp(std::span<const std::byte> bytes) {
  ImageHeader header;
  header.media_type = "image/webp";
  const bool is_lossless = StartsWith(bytes, 12, "VP8L");
  if (bytes.size() < (is_lossless ? 25u : 30u)) return Truncated(header);
  if (is_lossless) {
    const std::uint32_t bits =
        Byte(bytes, 21) | Byte(bytes, 22) << 8 | Byte(bytes, 23) << 16 | Byte(bytes, 24) << 24;
    header.width = 1 + (bits & 0x3fffu);
    header.height = 1 + (bits >> 14 & 0x3fffu);
  } else if (StartsWith(bytes, 12, "VP8 ")) {
    header.width = (Byte(bytes, 26) | Byte(bytes, 27) << 8) & 0x3fffu;
    header.height = (Byte(bytes, 28) | Byte(bytes, 29) << 8) & 0x3fffu;
  } else if (StartsWith(bytes, 12, "VP8X")) {
    constexpr std::uint32_t kAnimation = 0x02, kProfile = 0x20;
    header.has_unusual_features = (Byte(bytes, 20) & (kAnimation | kProfile)) != 0;
    header.width = 1 + Little24(bytes, 24);
    header.height = 1 + Little24(bytes, 27);
  } else {
    return Broken(header, "its first chunk is none that WebP defines");
  }
  header.verdict = ImageVerdict::kGood;
  return header;
}

}  // namespace

std::string_view ImageTypeOf(std::span<const std::byte> bytes) {
  if (bytes.size() < kShortestHeader) return {};
  if (StartsWith(bytes, 0, "\xff\xd8\xff")) return "image/jpeg";
  if (StartsWith(bytes, 0, "\x89PNG\r\n\x1a\n")) return "image/png";
  if (StartsWith(bytes, 0, "RIFF") && StartsWith(bytes, 8, "WEBPVP")) return "image/webp";
  if (StartsWith(bytes, 0, "\xabKTX 20\xbb\r\n\x1a\n")) return "image/ktx2";
  return {};
}

ImageHeader ReadImageHeader(std::span<const std::byte> bytes) {
  const std::string_view type = ImageTypeOf(bytes);
  if (type == "image/jpeg") return ReadJpeg(bytes);
  if (type == "image/png") return ReadPng(bytes);
  if (type == "image/webp") return ReadWebp(bytes);
  return {};
}

}  // namespace flexor::io::gltf
