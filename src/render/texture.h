// One decoded texture with its smaller copies.
#pragma once

#include <cstdint>
#include <vector>

#include "flexor/math/vec.h"
#include "flexor/render/image.h"
#include "flexor/render/texture_set.h"

namespace flexor::render {

/// An image and its halvings down to one pixel, sRGB with straight alpha.
class Texture {
 public:
  /// Takes a picture that has pixels.
  explicit Texture(Image base);

  /// Linear RGBA, bilinear, repeating; (0, 0) is the top left corner. `level` 0 is the full size;
  /// the nearest level is taken.
  Vec4f Sample(Vec2f uv, float level) const;
  int width() const { return levels_.front().width; }
  int height() const { return levels_.front().height; }

  /// The bytes that a texture of that size holds, smaller copies included.
  static std::uint64_t BytesFor(std::uint64_t width, std::uint64_t height);

 private:
  std::vector<Image> levels_;
};

/// (images of the character) null where a texture is not used or could not be decoded.
struct TextureSet::Impl {
  std::vector<std::unique_ptr<const Texture>> by_image;
};

}  // namespace flexor::render
