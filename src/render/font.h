// The fonts that are built into the library.
#pragma once

#include <span>

namespace flexor::render {

/// The bytes of the TrueType file named by FLEXOR_FONT at build time.
std::span<const unsigned char> FontBytes();

/// Those of FLEXOR_FONT_JAPANESE, for characters that the first one lacks.
std::span<const unsigned char> JapaneseFontBytes();

}  // namespace flexor::render
