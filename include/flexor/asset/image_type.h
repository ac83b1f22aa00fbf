/// @file asset/image_type.h
/// What an encoded picture is, by its bytes: names lie too often.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "flexor/core/export.h"

namespace flexor::asset {

/// The media type, such as "image/png"; empty when the bytes are none of the known ones. TGA has no
/// mark of its own: "image/x-tga" is what begins with a header that only a TGA would have.
FLEXOR_API std::string_view ImageType(std::span<const std::byte> bytes);

/// Whether flexor::render draws it: PNG, JPEG, BMP, TGA.
FLEXOR_API bool IsDrawable(std::string_view image_type);

}  // namespace flexor::asset
