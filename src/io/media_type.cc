#include "io/media_type.h"

#include <algorithm>
#include <string_view>

namespace flexor::io {

std::string MediaTypeOf(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()),
                              std::min<std::size_t>(bytes.size(), 12));
  const auto starts = [&](std::string_view magic) { return text.substr(0, magic.size()) == magic; };
  if (starts("\x89PNG")) return "image/png";
  if (starts("\xff\xd8\xff")) return "image/jpeg";
  if (starts("RIFF") && text.size() == 12 && text.substr(8) == "WEBP") return "image/webp";
  if (starts("\xabKTX 20")) return "image/ktx2";
  if (starts("DDS ")) return "image/vnd-ms.dds";
  if (starts("BM")) return "image/bmp";
  if (starts("GIF8")) return "image/gif";
  return {};
}

bool IsDrawable(const std::string& media_type) {
  return media_type == "image/png" || media_type == "image/jpeg";
}

}  // namespace flexor::io
