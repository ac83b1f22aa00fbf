#include "flexor/asset/image_type.h"

#include <algorithm>
#include <array>
#include <utility>

namespace flexor::asset {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kMagic{{
    {"\x89PNG", "image/png"},
    {"\xff\xd8\xff", "image/jpeg"},
    {"\xabKTX 20", "image/ktx2"},
    {"DDS ", "image/vnd-ms.dds"},
    {"BM", "image/bmp"},
    {"GIF8", "image/gif"},
    {"<svg", "image/svg+xml"},
}};

// Every field of the header that has only a few meanings has one of them.
bool LooksLikeTga(Bytes bytes) {
  constexpr std::size_t kHeaderSize = 18;
  if (bytes.size() < kHeaderSize) return false;
  const auto at = [&](std::size_t i) { return std::to_integer<unsigned>(bytes[i]); };
  const unsigned map = at(1), kind = at(2), depth = at(16);
  const bool mapped = (kind & 7) == 1;
  const bool known_kind = (kind & ~8u) >= 1 && (kind & ~8u) <= 3;
  const bool known_depth = depth == 8 || depth == 15 || depth == 16 || depth == 24 || depth == 32;
  const bool has_pixels = (at(12) | at(13)) != 0 && (at(14) | at(15)) != 0;
  return map <= 1 && (!mapped || map == 1) && known_kind && known_depth && has_pixels &&
         (at(17) & 0xC0) == 0;
}

}  // namespace

std::string_view ImageType(Bytes bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()),
                              std::min<std::size_t>(bytes.size(), 12));
  for (const auto& [magic, type] : kMagic) {
    if (text.starts_with(magic)) return type;
  }
  if (text.starts_with("RIFF") && text.size() == 12 && text.substr(8) == "WEBP") {
    return "image/webp";
  }
  return LooksLikeTga(bytes) ? "image/x-tga" : std::string_view();
}

bool IsDrawable(std::string_view image_type) {
  constexpr std::array<std::string_view, 4> kDrawn{"image/png", "image/jpeg", "image/bmp",
                                                   "image/x-tga"};
  return std::find(kDrawn.begin(), kDrawn.end(), image_type) != kDrawn.end();
}

}  // namespace flexor::asset
