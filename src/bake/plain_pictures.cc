#include "bake/plain_pictures.h"

#ifdef FLEXOR_WITH_RENDER
#include <string_view>
#include <utility>

#include "flexor/asset/image_type.h"
#include "flexor/render/image.h"
#endif

namespace flexor::bake {

#ifdef FLEXOR_WITH_RENDER
void MakePicturesPlain(asset::Character& character) {
  for (asset::Image& image : character.images) {
    const std::string_view type = asset::ImageType(image.bytes);
    if (type != "image/bmp" && type != "image/x-tga") continue;
    const auto decoded = render::DecodeImage(image.bytes);
    if (!decoded.ok()) continue;
    auto png = render::EncodePng(*decoded);
    if (!png.ok()) continue;
    image.bytes = *std::move(png);
    image.media_type = "image/png";
  }
}
#else
void MakePicturesPlain(asset::Character&) {}
#endif

}  // namespace flexor::bake
