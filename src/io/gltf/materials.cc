#include "io/gltf/materials.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "flexor/asset/image_type.h"

#include "io/rules.h"

namespace flexor::io::gltf {
namespace {

/// Fetches pictures once each.
class ImageLoader {
 public:
  ImageLoader(const RawDocument& document, BufferStore& store, bool load_images,
              MemoryBudget& budget, Diagnostics& diagnostics, asset::Character& character)
      : document_(document),
        store_(store),
        load_images_(load_images),
        budget_(budget),
        diagnostics_(diagnostics),
        character_(character) {}

  /// The asset image of a raw one, or kNone when it is of no use.
  Result<std::int32_t> Load(std::uint32_t image) {
    const auto [entry, fresh] = known_.emplace(image, kNone);
    if (!fresh) return entry->second;
    const RawImage& raw = document_.images[image];
    const std::string place = "/images/" + std::to_string(image);
    FLEXOR_TRY(budget_.Charge(1, 2 * sizeof(asset::Image), "an image"));
    asset::Image result;
    result.name = raw.name;
    result.media_type = raw.media_type.value_or("");
    if (load_images_) {
      Status status = Fetch(raw, place, result);
      if (!status.ok()) {
        if (status.error().code == ErrorCode::kLimitExceeded) return std::move(status).error();
        Report(diagnostics_, "IMAGE_NOT_FOUND", status.error().place.element,
               status.error().message + "; the character is drawn without it");
        result.bytes.clear();
      }
    }
    const std::string_view sniffed = asset::ImageType(result.bytes);
    if (!sniffed.empty()) result.media_type = sniffed;
    if (!result.bytes.empty() && !asset::IsDrawable(result.media_type)) {
      Report(diagnostics_, "IMAGE_FORMAT_UNSUPPORTED", place,
             "a picture of type '" + result.media_type +
                 "' cannot be drawn; PNG, JPEG, BMP and TGA can");
    }
    entry->second = static_cast<std::int32_t>(character_.images.size());
    character_.images.push_back(std::move(result));
    return entry->second;
  }

 private:
  Status Fetch(const RawImage& raw, const std::string& place, asset::Image& image) {
    if (raw.uri) {
      FLEXOR_ASSIGN(auto fetched, store_.Fetch(*raw.uri, place + "/uri"));
      if (image.media_type.empty()) image.media_type = std::move(fetched.media_type);
      image.bytes = std::move(fetched.bytes);
      return {};
    }
    if (raw.view == kNone) {
      return Error{ErrorCode::kInvalidValue,
                   "the image has neither a uri nor a buffer view",
                   {{}, place, std::nullopt}};
    }
    FLEXOR_ASSIGN(const auto bytes, store_.View(static_cast<std::uint32_t>(raw.view)));
    FLEXOR_TRY(budget_.Charge(bytes.size(), 1, "an image"));
    image.bytes.assign(bytes.begin(), bytes.end());
    return {};
  }

  const RawDocument& document_;
  BufferStore& store_;
  bool load_images_;
  MemoryBudget& budget_;
  Diagnostics& diagnostics_;
  asset::Character& character_;
  std::map<std::uint32_t, std::int32_t> known_;
};

}  // namespace

Status ConvertMaterials(const RawDocument& document, BufferStore& store, bool load_images,
                        MemoryBudget& budget, Diagnostics& diagnostics,
                        asset::Character& character) {
  FLEXOR_TRY(budget.Charge(document.materials.size(), sizeof(asset::Material), "materials"));
  ImageLoader images(document, store, load_images, budget, diagnostics, character);
  character.materials.reserve(document.materials.size());
  for (std::size_t m = 0; m < document.materials.size(); ++m) {
    const RawMaterial& raw = document.materials[m];
    asset::Material material;
    material.name = raw.name;
    const auto f = [](double value) { return static_cast<float>(value); };
    material.base_color = {f(raw.base_color[0]), f(raw.base_color[1]), f(raw.base_color[2]),
                           f(raw.base_color[3])};
    material.uv_offset = {f(raw.base_texture.offset[0]), f(raw.base_texture.offset[1])};
    material.uv_scale = {f(raw.base_texture.scale[0]), f(raw.base_texture.scale[1])};
    material.uv_rotation = f(raw.base_texture.rotation);
    material.alpha_mode = raw.alpha_mode;
    material.alpha_cutoff = f(raw.alpha_cutoff);
    material.double_sided = raw.double_sided;
    if (raw.base_texture.texture != kNone) {
      const auto index = static_cast<std::size_t>(raw.base_texture.texture);
      const RawTexture& texture = document.textures[index];
      if (texture.source != kNone) {
        FLEXOR_ASSIGN(material.base_image, images.Load(static_cast<std::uint32_t>(texture.source)));
      } else {
        Report(diagnostics, "IMAGE_FORMAT_UNSUPPORTED", "/textures/" + std::to_string(index),
               texture.only_in.empty()
                   ? "the texture has no picture"
                   : "the texture has a picture only as " + std::string(texture.only_in) +
                         ", which cannot be drawn");
      }
    }
    character.materials.push_back(std::move(material));
  }
  return {};
}

}  // namespace flexor::io::gltf
