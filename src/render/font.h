// The font that is built into the library.
#pragma once

#include <span>

namespace flexor::render {

/// The bytes of the TrueType file named by FLEXOR_FONT at build time.
std::span<const unsigned char> FontBytes();

}  // namespace flexor::render
