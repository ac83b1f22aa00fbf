/// @file render/texture_set.h
/// The textures of one character, decoded once for many pictures.
#pragma once

#include <cstdint>
#include <memory>

#include "flexor/asset/character.h"
#include "flexor/core/diagnostic.h"
#include "flexor/core/export.h"
#include "flexor/core/parallel.h"

namespace flexor::render {

/// Decoded base colour textures, with the smaller copies that distant surfaces need. Immutable;
/// sharing it between threads is safe.
class FLEXOR_API TextureSet {
 public:
  TextureSet();
  ~TextureSet();
  TextureSet(TextureSet&&) noexcept;
  TextureSet& operator=(TextureSet&&) noexcept;

  struct Impl;
  const Impl* impl() const { return impl_.get(); }

 private:
  friend TextureSet LoadTextures(const asset::Character&, const ThreadTeam&, Diagnostics*,
                                 std::uint64_t);
  std::unique_ptr<Impl> impl_;
};

/// How much memory LoadTextures may fill unless told otherwise.
inline constexpr std::uint64_t kDefaultTextureBytes = 1ull << 30;

/// Decodes every image that a material uses as base colour. What cannot be decoded, or would not
/// fit in `max_bytes` together with those before it, is left out with the diagnostic
/// TEXTURE_NOT_DECODED; surfaces then show their base colour.
FLEXOR_API TextureSet LoadTextures(const asset::Character& character, const ThreadTeam& team,
                                   Diagnostics* out = nullptr,
                                   std::uint64_t max_bytes = kDefaultTextureBytes);

}  // namespace flexor::render
