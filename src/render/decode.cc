#include "render/decode.h"

#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include <png.h>
#include <turbojpeg.h>

#include "flexor/asset/image_type.h"
#include "flexor/render/image.h"

namespace flexor::render {

Error EndsEarly(std::string_view format, std::size_t size) {
  return Broken(ErrorCode::kTruncated,
                "the " + std::string(format) + " picture ends after " + std::to_string(size) +
                    " bytes, before its end mark",
                size);
}

Status CheckSize(std::string_view format, std::uint64_t width, std::uint64_t height,
                 std::uint64_t max_pixels) {
  if (width == 0 || height == 0) {
    return Error{ErrorCode::kParse, "the " + std::string(format) + " picture has no pixels", {}};
  }
  // Sides beyond an int would leave the range of Image however many pixels are allowed.
  constexpr std::uint64_t kLargestSide = 0x7fffffff;
  if (width > kLargestSide || height > kLargestSide || height > max_pixels / width) {
    return Error{ErrorCode::kLimitExceeded,
                 "the " + std::string(format) + " picture claims " + std::to_string(width) + " x " +
                     std::to_string(height) + " pixels; the limit is " +
                     std::to_string(max_pixels) + " in all",
                 {}};
  }
  return {};
}

Image MakeImage(std::uint32_t width, std::uint32_t height) {
  Image image;
  image.width = static_cast<int>(width);
  image.height = static_cast<int>(height);
  image.rgba.resize(std::size_t{width} * height * 4);
  return image;
}

namespace {

std::uint32_t BigEndian32(Bytes bytes, std::size_t offset) {
  return At(bytes, offset) << 24 | At(bytes, offset + 1) << 16 | At(bytes, offset + 2) << 8 |
         At(bytes, offset + 3);
}

bool StartsWith(Bytes bytes, std::string_view magic) {
  return bytes.size() >= magic.size() && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

constexpr std::string_view kPngMagic = "\x89PNG\r\n\x1a\n";

// Copies what the pixels need and nothing else: header, palette, transparency, data, end. So gamma
// and profiles are out of play, no text or unknown chunk reaches the decoder, and a file that stops
// anywhere before the end of its last chunk is found out, which the decoder alone would not.
Result<std::vector<std::byte>> EssentialChunks(Bytes bytes) {
  std::vector<std::byte> kept(bytes.begin(), bytes.begin() + kPngMagic.size());
  std::size_t offset = kPngMagic.size();
  while (true) {
    if (bytes.size() - offset < 12) return EndsEarly("PNG", bytes.size());
    const std::uint64_t length = BigEndian32(bytes, offset);
    if (length > bytes.size() - offset - 12) return EndsEarly("PNG", bytes.size());
    const std::string_view type(reinterpret_cast<const char*>(bytes.data()) + offset + 4, 4);
    const std::size_t whole = static_cast<std::size_t>(length) + 12;
    for (const std::string_view wanted : {"IHDR", "PLTE", "tRNS", "IDAT", "IEND"}) {
      if (type != wanted) continue;
      const Bytes chunk = bytes.subspan(offset, whole);
      kept.insert(kept.end(), chunk.begin(), chunk.end());
    }
    offset += whole;
    if (type == "IEND") return kept;
  }
}

Result<Image> DecodePng(Bytes bytes, std::uint64_t max_pixels) {
  FLEXOR_ASSIGN(const std::vector<std::byte> essential, EssentialChunks(bytes));
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  const std::unique_ptr<png_image, void (*)(png_image*)> owned(&png, png_image_free);
  const auto fail = [&png] {
    return Error{ErrorCode::kParse, std::string("the PNG picture is broken: ") + png.message, {}};
  };
  if (png_image_begin_read_from_memory(&png, essential.data(), essential.size()) == 0) {
    return fail();
  }
  FLEXOR_TRY(CheckSize("PNG", png.width, png.height, max_pixels));
  png.format = PNG_FORMAT_RGBA;
  // Without its gamma chunk a picture of 16 bits would be taken for linear light.
  png.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
  Image image = MakeImage(png.width, png.height);
  if (png_image_finish_read(&png, nullptr, image.rgba.data(), 0, nullptr) == 0) return fail();
  return image;
}

// Walks the markers of a JPEG to its end mark: the decoder itself fills what is missing with grey.
// Stray bytes between markers are left to it.
Status CheckJpegEnd(Bytes bytes) {
  std::size_t offset = 2;
  while (offset + 1 < bytes.size()) {
    const unsigned marker = At(bytes, offset) == 0xFF ? At(bytes, offset + 1) : 0x00;
    const bool restart = marker >= 0xD0 && marker <= 0xD7;
    if (marker == 0xD9) return {};
    if (marker == 0x00 || marker == 0xFF) {
      ++offset;  // coded data, or a fill byte before a marker
    } else if (restart || marker == 0x01) {
      offset += 2;
    } else {
      if (bytes.size() - offset < 4) break;
      const std::size_t length = At(bytes, offset + 2) << 8 | At(bytes, offset + 3);
      if (length < 2) {
        return Broken(ErrorCode::kParse, "the JPEG picture is broken: a segment of no length",
                      offset);
      }
      offset += 2 + length;
    }
  }
  return EndsEarly("JPEG", bytes.size());
}

Result<Image> DecodeJpeg(Bytes bytes, std::uint64_t max_pixels) {
  FLEXOR_TRY(CheckJpegEnd(bytes));
  const std::unique_ptr<void, int (*)(tjhandle)> codec(tjInitDecompress(), tjDestroy);
  if (codec == nullptr) {
    return Error{ErrorCode::kOutOfMemory, "memory ran out while a picture was decoded", {}};
  }
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  const auto fail = [&codec] {
    return Error{ErrorCode::kParse,
                 std::string("the JPEG picture is broken: ") + tjGetErrorStr2(codec.get()),
                 {}};
  };
  int width = 0, height = 0, subsampling = 0, colorspace = 0;
  if (tjDecompressHeader3(codec.get(), data, bytes.size(), &width, &height, &subsampling,
                          &colorspace) != 0 ||
      width <= 0 || height <= 0) {
    return fail();
  }
  if (colorspace == TJCS_CMYK || colorspace == TJCS_YCCK) {
    return Error{ErrorCode::kUnsupportedFeature,
                 "the JPEG picture is in CMYK; only grey and RGB ones are read",
                 {}};
  }
  FLEXOR_TRY(CheckSize("JPEG", static_cast<std::uint64_t>(width),
                       static_cast<std::uint64_t>(height), max_pixels));
  Image image = MakeImage(static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height));
  // A warning (stray bytes between segments, as some cameras write) still gives a picture.
  if (tjDecompress2(codec.get(), data, bytes.size(), image.rgba.data(), width, 0, height, TJPF_RGBA,
                    TJFLAG_ACCURATEDCT | TJFLAG_LIMITSCANS) != 0 &&
      tjGetErrorCode(codec.get()) == TJERR_FATAL) {
    return fail();
  }
  return image;
}

Error UnknownFormat(std::string_view type, std::size_t size) {
  return Error{
      ErrorCode::kUnknownFormat,
      type.empty()
          ? "the " + std::to_string(size) + " bytes are none of PNG, JPEG, BMP and TGA"
          : "the picture is " + std::string(type) + "; only PNG, JPEG, BMP and TGA are read",
      {}};
}

}  // namespace

Result<Image> DecodeImage(std::span<const std::byte> bytes, std::uint64_t max_pixels) try {
  const std::string_view type = asset::ImageType(bytes);
  if (type == "image/png" && StartsWith(bytes, kPngMagic)) return DecodePng(bytes, max_pixels);
  if (type == "image/jpeg") return DecodeJpeg(bytes, max_pixels);
  if (type == "image/bmp") return DecodeBmp(bytes, max_pixels);
  if (type == "image/x-tga") return DecodeTga(bytes, max_pixels);
  return UnknownFormat(type, bytes.size());
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::kOutOfMemory, "memory ran out while a picture was decoded", {}};
}

}  // namespace flexor::render
