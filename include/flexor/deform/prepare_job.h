/// @file deform/prepare_job.h
/// A mesh made ready for a backend where that takes long: with progress, a way to stop, and a
/// cache. Methods whose plans are fast need none of it: BuildDeformPlan and Backend::Prepare do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "flexor/asset/character.h"
#include "flexor/core/export.h"
#include "flexor/core/progress.h"
#include "flexor/core/result.h"
#include "flexor/deform/backend.h"
#include "flexor/deform/settings.h"

namespace flexor::deform {

/// What a job gives.
struct PreparedByJob {
  std::shared_ptr<const PreparedPlan> plan{};
  std::uint64_t key = 0;    ///< PrepareJob::Key
  bool from_cache = false;  ///< else it was worked out: SavePrepared(backend, *plan, key) is what
                            ///< to keep for the next time
};

/// What is to be made ready. Views the character; runs in the thread that calls it, any number of
/// times.
struct FLEXOR_API PrepareJob {
  const asset::Character* character = nullptr;
  std::uint32_t instance = 0;  ///< of the character
  DeformSettings deform{};
  PrepareSettings prepare{};

  /// A digest of everything that the result depends on: mesh, settings, the backend's kind, the
  /// version of the bytes; a name for a file of a cache.
  /// Errors  kIndexOutOfRange (instance, mesh, skin) · kInvalidArgument (no character)
  Result<std::uint64_t> Key(const Backend& backend) const;

  /// Takes the result from `cached` where those are whole bytes of SavePrepared under this key, and
  /// works it out otherwise: a cache that is damaged or out of date costs time, never an error.
  /// `progress` has the stages "plan" and "lay out", in vertices.
  /// Errors  those of Key and BuildDeformPlan · kCancelled (`progress` said stop)
  Result<PreparedByJob> Run(const Backend& backend, std::span<const std::byte> cached = {},
                            ProgressFn progress = {}) const;
};

}  // namespace flexor::deform
