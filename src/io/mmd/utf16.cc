#include "io/mmd/utf16.h"

#include "flexor/core/utf8.h"

#include "io/encode.h"

namespace flexor::io::mmd {
namespace {

bool IsHigh(std::uint32_t unit) { return unit >= 0xd800 && unit < 0xdc00; }
bool IsLow(std::uint32_t unit) { return unit >= 0xdc00 && unit < 0xe000; }

}  // namespace

std::string Utf8FromUtf16(std::span<const std::byte> bytes, std::size_t& out_bad) {
  const auto unit = [&](std::size_t i) {
    return std::to_integer<std::uint32_t>(bytes[i]) | std::to_integer<std::uint32_t>(bytes[i + 1])
                                                          << 8;
  };
  std::string text;
  text.reserve(bytes.size());
  std::size_t i = 0;
  for (; i + 1 < bytes.size(); i += 2) {
    std::uint32_t code = unit(i);
    if (IsHigh(code) && i + 3 < bytes.size() && IsLow(unit(i + 2))) {
      code = 0x10000 + ((code - 0xd800) << 10) + (unit(i + 2) - 0xdc00);
      i += 2;
    } else if (IsHigh(code) || IsLow(code)) {
      code = kReplacementCharacter;
      ++out_bad;
    }
    AppendUtf8(text, code);
  }
  if (i < bytes.size()) {
    AppendUtf8(text, kReplacementCharacter);
    ++out_bad;
  }
  return text;
}

void AppendUtf16(std::vector<std::byte>& out, std::string_view utf8) {
  const auto add = [&](std::uint32_t unit) {
    AppendScalar<std::endian::little>(out, static_cast<std::uint16_t>(unit));
  };
  while (!utf8.empty()) {
    std::uint32_t code = TakeUtf8(utf8);
    if (code >= 0x10000) {
      code -= 0x10000;
      add(0xd800 + (code >> 10));
      add(0xdc00 + (code & 0x3ffu));
    } else {
      add(code);
    }
  }
}

}  // namespace flexor::io::mmd
