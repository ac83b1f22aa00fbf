/// @file fuzz/fuzz_support.h
/// What the fuzz targets share: a small budget, and checks of what a load gives back.
#pragma once

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "flexor/io/load.h"

namespace flexor::fuzz {

/// A file from a stranger may ask for no more than this.
inline constexpr std::uint64_t kMemoryBytes = 64ull << 20;

inline io::LoadOptions Options() {
  io::LoadOptions options;
  options.limits.memory_bytes = kMemoryBytes;
  return options;
}

/// Neighbours of every name: a few bytes that depend on it.
inline Result<std::vector<std::byte>> Neighbour(const std::string& name, std::uint64_t max_bytes) {
  std::vector<std::byte> bytes(name.size() * 16);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::byte>(name[i % name.size()] * 7 + static_cast<int>(i));
  }
  if (bytes.size() > max_bytes) return Error{ErrorCode::kLimitExceeded, "too large", {}};
  return bytes;
}

/// Loads and insists on the promises: an error says what and where, a character is whole.
inline void Load(std::span<const std::byte> bytes) {
  auto loaded = io::LoadCharacterFromMemory(bytes, "fuzz", Neighbour, Options());
  if (!loaded.ok()) {
    if (loaded.error().message.empty() || loaded.error().place.path.empty()) std::abort();
    if (loaded.error().code == ErrorCode::kInternal) std::abort();
    return;
  }
  asset::Character& character = loaded->character;
  // The loader has finalised it; doing so again must find nothing new.
  if (!asset::Finalize(character).ok()) std::abort();
  for (const asset::MeshInstance& instance : character.instances) {
    if (instance.skin == asset::kNone) continue;
    const auto& joints = character.skins[static_cast<std::size_t>(instance.skin)].joints;
    for (const std::uint32_t joint : character.meshes[instance.mesh].influences.joints) {
      if (joint >= joints.size()) std::abort();
    }
  }
}

}  // namespace flexor::fuzz
