// Any bytes as a file: binary glTF, glTF text, or something else.

#include "fuzz_support.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  flexor::fuzz::Load(std::as_bytes(std::span(data, size)));
  return 0;
}
