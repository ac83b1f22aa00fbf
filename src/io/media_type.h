/// @file io/media_type.h
/// What a picture is, by its first bytes.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace flexor::io {

/// The media type, such as "image/png"; empty when the bytes are none of the known ones.
std::string MediaTypeOf(std::span<const std::byte> bytes);

/// Whether pictures can show it: PNG and JPEG.
bool IsDrawable(const std::string& media_type);

}  // namespace flexor::io
