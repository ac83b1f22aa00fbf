#include "io/cache/npy.h"

#include "flexor/core/utf8.h"

namespace flexor::io {

std::string NpyHeader(std::string_view type, std::span<const std::uint64_t> shape) {
  std::string text = "{'descr': '" + std::string(type) + "', 'fortran_order': False, 'shape': (";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(shape[i]);
  }
  text += shape.size() == 1 ? ",), }" : "), }";
  constexpr std::size_t kPrefix = 10, kAlignment = 64;  // magic, version, length
  const std::size_t used = kPrefix + text.size() + 1;
  text.append((kAlignment - used % kAlignment) % kAlignment, ' ');
  text += '\n';
  std::string header = "\x93NUMPY";
  header += '\x01';
  header += '\x00';
  header += static_cast<char>(text.size() & 0xff);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

std::u32string CodePoints(std::string_view utf8) {
  std::u32string points;
  while (!utf8.empty()) points += static_cast<char32_t>(TakeUtf8(utf8));
  return points;
}

}  // namespace flexor::io
