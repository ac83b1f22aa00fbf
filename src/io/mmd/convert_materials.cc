#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "flexor/asset/image_type.h"
#include "flexor/math/srgb.h"

#include "io/mmd/convert.h"
#include "io/rules.h"
#include "io/uri.h"

namespace flexor::io::mmd {
namespace {

/// What MikuMikuDance shows of a surface that its light meets squarely: its light has 154 of 255.
Vec4f ShownColor(const PmxMaterial& material) {
  constexpr float kLight = 154.0f / 255.0f;
  const auto shown = [&](float diffuse, float ambient) {
    return LinearFromSrgb(diffuse * kLight + ambient);
  };
  return {
      shown(material.diffuse.x, material.ambient.x), shown(material.diffuse.y, material.ambient.y),
      shown(material.diffuse.z, material.ambient.z), std::clamp(material.diffuse.w, 0.0f, 1.0f)};
}

/// Fetches each texture once, when a material first asks for it.
class Textures {
 public:
  Textures(const PmxModel& model, const ResourceFn& resources, const LoadOptions& options,
           MemoryBudget& budget, asset::Character& character, Diagnostics& diagnostics)
      : model_(model),
        resources_(resources),
        options_(options),
        budget_(budget),
        character_(character),
        diagnostics_(diagnostics),
        images_(model.textures.size(), kUnknown) {}

  /// The image of a texture.
  Result<std::int32_t> Get(std::int32_t texture) {
    std::int32_t& image = images_[static_cast<std::size_t>(texture)];
    if (image != kUnknown) return image;
    const std::string& name = model_.textures[static_cast<std::size_t>(texture)];
    FLEXOR_TRY(budget_.Charge(1, 2 * sizeof(asset::Image), "an image"));
    asset::Image out;
    out.name = name;
    if (options_.load_images) {
      auto bytes = Fetch(name);
      if (bytes.ok()) {
        out.bytes = std::move(*bytes);
        out.media_type = asset::ImageType(out.bytes);
        if (!asset::IsDrawable(out.media_type)) {
          Warn("IMAGE_FORMAT_UNSUPPORTED", texture,
               "'" + name + "' cannot be drawn: PNG, JPEG, BMP and TGA pictures can");
        }
      } else if (bytes.error().code == ErrorCode::kLimitExceeded) {
        return std::move(bytes).error();
      } else {
        Warn("IMAGE_NOT_FOUND", texture,
             "'" + name + "': " + bytes.error().message + "; the character is drawn without it");
      }
    }
    image = static_cast<std::int32_t>(character_.images.size());
    character_.images.push_back(std::move(out));
    return image;
  }

 private:
  static constexpr std::int32_t kUnknown = -2;

  Result<std::vector<std::byte>> Fetch(const std::string& name) {
    FLEXOR_ASSIGN(const std::string safe, ResolveName(name, options_.allow_outside));
    if (!resources_) {
      return Error{ErrorCode::kFileNotFound, "files beside the model are not at hand", {}};
    }
    const std::uint64_t most =
        std::min(options_.limits.file_bytes, budget_.limit() - budget_.used());
    FLEXOR_ASSIGN(std::vector<std::byte> bytes, resources_(safe, most));
    FLEXOR_TRY(budget_.Charge(bytes.size(), 1, "an image"));
    return bytes;
  }

  void Warn(std::string_view code, std::int32_t texture, std::string message) {
    Report(diagnostics_, code, "texture " + std::to_string(texture), std::move(message));
  }

  const PmxModel& model_;
  const ResourceFn& resources_;
  const LoadOptions& options_;
  MemoryBudget& budget_;
  asset::Character& character_;
  Diagnostics& diagnostics_;
  std::vector<std::int32_t> images_;
};

}  // namespace

Status ConvertMaterials(const PmxModel& model, const ResourceFn& resources,
                        const LoadOptions& options, MemoryBudget& budget,
                        asset::Character& character, Diagnostics& diagnostics) {
  FLEXOR_TRY(budget.Charge(model.materials.size(), sizeof(asset::Material), "materials"));
  Textures textures(model, resources, options, budget, character, diagnostics);
  character.materials.reserve(model.materials.size());
  for (const PmxMaterial& material : model.materials) {
    asset::Material out;
    out.name = material.name;
    out.base_color = ShownColor(material);
    out.double_sided = (material.flags & kMaterialDoubleSided) != 0;
    if (material.texture != kNoIndex) {
      FLEXOR_ASSIGN(out.base_image, textures.Get(material.texture));
    }
    // The format has no word for it: everything is drawn with what alpha it has.
    const bool may_be_clear = out.base_color.w < 1 || out.base_image != asset::kNone;
    out.alpha_mode = may_be_clear ? asset::AlphaMode::kBlend : asset::AlphaMode::kOpaque;
    character.materials.push_back(std::move(out));
  }
  return {};
}

}  // namespace flexor::io::mmd
