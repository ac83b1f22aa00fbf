#include "render/texture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <new>
#include <string>
#include <utility>

#include "flexor/core/memory_budget.h"

#include "render/color.h"

namespace flexor::render {
namespace {

// Halves a picture by the mean of up to four pixels in linear light, each weighted by its alpha so
// that the colour of what is invisible does not bleed.
Image Halved(const Image& from) {
  Image to;
  to.width = std::max(1, from.width / 2);
  to.height = std::max(1, from.height / 2);
  to.rgba.resize(std::size_t{4} * to.width * to.height);
  std::uint8_t* out = to.rgba.data();
  for (int y = 0; y < to.height; ++y) {
    for (int x = 0; x < to.width; ++x, out += 4) {
      Vec3f color, plain;
      float alpha = 0;
      for (int corner = 0; corner < 4; ++corner) {
        const int fx = std::min(2 * x + (corner & 1), from.width - 1);
        const int fy = std::min(2 * y + (corner >> 1), from.height - 1);
        const std::uint8_t* in =
            from.rgba.data() + (static_cast<std::size_t>(fy) * from.width + fx) * 4;
        const Vec3f linear{LinearFromSrgb8(in[0]), LinearFromSrgb8(in[1]), LinearFromSrgb8(in[2])};
        color += linear * static_cast<float>(in[3]);
        plain += linear;
        alpha += in[3];
      }
      color = alpha > 0 ? color / alpha : plain / 4.f;
      out[0] = Srgb8FromLinear(color.x);
      out[1] = Srgb8FromLinear(color.y);
      out[2] = Srgb8FromLinear(color.z);
      out[3] = static_cast<std::uint8_t>(std::lround(alpha / 4));
    }
  }
  return to;
}

// From a coordinate in pixels to the two it lies between, repeating, and the share of the second.
struct Tap {
  int first = 0, second = 0;
  float share = 0;
};

Tap TapAt(float coordinate, int size) {
  const float turns = coordinate - std::floor(coordinate);
  const float at = (std::isfinite(turns) ? turns : 0) * static_cast<float>(size) - 0.5f;
  const float low = std::floor(at);
  const int first = static_cast<int>(low);
  return {(first + size) % size, (first + 1) % size, at - low};
}

}  // namespace

Texture::Texture(Image base) {
  levels_.push_back(std::move(base));
  while (levels_.back().width > 1 || levels_.back().height > 1) {
    levels_.push_back(Halved(levels_.back()));
  }
}

Vec4f Texture::Sample(Vec2f uv, float level) const {
  const float last = static_cast<float>(levels_.size() - 1);
  const float wanted = std::clamp(level, 0.f, last);  // NaN ends at the last test below
  const Image& image = levels_[wanted >= 0 ? static_cast<std::size_t>(std::lround(wanted)) : 0];
  const Tap tx = TapAt(uv.x, image.width), ty = TapAt(uv.y, image.height);
  const std::array<float, 4> weights{(1 - tx.share) * (1 - ty.share), tx.share * (1 - ty.share),
                                     (1 - tx.share) * ty.share, tx.share * ty.share};
  Vec4f sum;
  for (std::size_t corner = 0; corner < 4; ++corner) {
    const int x = (corner & 1) != 0 ? tx.second : tx.first;
    const int y = (corner & 2) != 0 ? ty.second : ty.first;
    const std::uint8_t* pixel =
        image.rgba.data() + (static_cast<std::size_t>(y) * image.width + x) * 4;
    sum.x += weights[corner] * LinearFromSrgb8(pixel[0]);
    sum.y += weights[corner] * LinearFromSrgb8(pixel[1]);
    sum.z += weights[corner] * LinearFromSrgb8(pixel[2]);
    sum.w += weights[corner] * static_cast<float>(pixel[3]) / 255;
  }
  return sum;
}

std::uint64_t Texture::BytesFor(std::uint64_t width, std::uint64_t height) {
  // The halvings add a third for large pictures; long thin ones come to no more than once again.
  return width * height * 8;
}

TextureSet::TextureSet() : impl_(std::make_unique<Impl>()) {}
TextureSet::~TextureSet() = default;
TextureSet::TextureSet(TextureSet&&) noexcept = default;
TextureSet& TextureSet::operator=(TextureSet&&) noexcept = default;

TextureSet LoadTextures(const asset::Character& character, const ThreadTeam& team, Diagnostics* out,
                        std::uint64_t max_bytes) {
  const std::size_t count = character.images.size();
  std::vector<bool> used(count, false);
  for (const asset::Material& material : character.materials) {
    if (material.base_image >= 0 && static_cast<std::size_t>(material.base_image) < count) {
      used[static_cast<std::size_t>(material.base_image)] = true;
    }
  }
  TextureSet set;
  set.impl_->by_image.resize(count);
  MemoryBudget budget(max_bytes);
  const auto report = [&](std::size_t image, const std::string& why) {
    if (out == nullptr) return;
    const asset::Image& source = character.images[image];
    out->Add({"TEXTURE_NOT_DECODED", Severity::kWarning, "/images/" + std::to_string(image),
              "the texture" + (source.name.empty() ? "" : " \"" + source.name + "\"") +
                  " is drawn as plain base colour: " + why,
              "see that it is there, whole, not too large, and a PNG, JPEG, BMP or TGA", 1});
  };
  // Decoding is bounded by what is left, so the textures before decide what fits: one after the
  // other. Their halvings, the larger part of the work, are made by the team.
  std::vector<Image> decoded(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (!used[i]) continue;
    const std::uint64_t pixels_left = (budget.limit() - budget.used()) / Texture::BytesFor(1, 1);
    auto image = DecodeImage(character.images[i].bytes, pixels_left);
    if (!image.ok()) {
      report(i,
             character.images[i].bytes.empty() ? "its file was not found" : image.error().message);
      continue;
    }
    const auto charged = budget.Charge(1,
                                       Texture::BytesFor(static_cast<std::uint64_t>(image->width),
                                                         static_cast<std::uint64_t>(image->height)),
                                       "textures");
    if (!charged.ok()) {
      report(i, charged.error().message);
      continue;
    }
    decoded[i] = std::move(image).value();
  }
  std::vector<char> out_of_memory(count, 0);
  team.Run(count, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (decoded[i].width == 0) continue;
      try {
        set.impl_->by_image[i] = std::make_unique<const Texture>(std::move(decoded[i]));
      } catch (const std::bad_alloc&) {
        out_of_memory[i] = 1;
      }
    }
  });
  for (std::size_t i = 0; i < count; ++i) {
    if (out_of_memory[i] != 0) report(i, "memory ran out");
  }
  return set;
}

}  // namespace flexor::render
