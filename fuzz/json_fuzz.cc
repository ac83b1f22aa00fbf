// glTF text. A binary chunk comes with it, so that buffers without a uri have bytes: the text goes
// into a GLB whose lengths are right whatever the text says.

#include <string>

#include "fuzz_support.h"

namespace {

void Append(std::string& bytes, std::uint32_t value) {
  for (unsigned i = 0; i < 4; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::uint32_t kBinBytes = 1024;
  std::string text(reinterpret_cast<const char*>(data), size);
  while (text.size() % 4 != 0) text += ' ';
  std::string glb = "glTF";
  Append(glb, 2);
  Append(glb, static_cast<std::uint32_t>(12 + 8 + text.size() + 8 + kBinBytes));
  Append(glb, static_cast<std::uint32_t>(text.size()));
  glb += "JSON" + text;
  Append(glb, kBinBytes);
  glb += std::string("BIN\0", 4);
  // Small numbers of every width: plausible indices, weights and floats.
  for (std::uint32_t i = 0; i < kBinBytes; ++i) glb += static_cast<char>(i % 4 == 3 ? 0x3f : i % 3);
  flexor::fuzz::Load(std::as_bytes(std::span(glb)));
  return 0;
}
