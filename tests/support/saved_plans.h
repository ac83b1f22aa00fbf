/// @file tests/support/saved_plans.h
/// Saved plans that have been tampered with by somebody who knows the checksum.
#pragma once

#include <bit>
#include <cstring>
#include <vector>

#include "flexor/deform/saved_plan.h"

#include "core/byte_stream.h"

namespace flexor::test {

/// Where a saved plan's parts are: magic, version, layout, key, size of the body, its checksum.
inline constexpr std::size_t kSavedSizeAt = 24, kSavedChecksumAt = 32, kSavedBodyAt = 40;

/// Makes size and checksum those of the body.
inline void Reseal(std::vector<std::byte>& bytes) {
  if (bytes.size() < kSavedBodyAt) return;
  const auto body = std::span<const std::byte>(bytes).subspan(kSavedBodyAt);
  const std::uint64_t size = body.size(), checksum = Checksum(body);
  std::memcpy(bytes.data() + kSavedSizeAt, &size, 8);
  std::memcpy(bytes.data() + kSavedChecksumAt, &checksum, 8);
}

/// Loads bytes that may be anything and, where that succeeds, runs a frame: harmless or an error.
/// Returns whether it loaded.
inline bool LoadAndRun(const deform::Backend& backend, std::span<const std::byte> bytes) {
  const auto prepared = deform::LoadPrepared(backend, bytes);
  if (!prepared.ok()) return false;
  const deform::DeformPlan& plan = (*prepared)->plan();
  if (plan.joint_count() > 4096) return true;  // a frame of so many is only slow
  const std::vector<Mat34d> palette(plan.joint_count());
  const std::vector<float> morph_weights(plan.morph_count(), 0.5f);
  std::vector<Vec3f> positions(plan.vertex_count());
  std::vector<Vec3f> normals(plan.has_normals() ? plan.vertex_count() : 0);
  std::vector<Vec4f> tangents(plan.has_tangents() ? plan.vertex_count() : 0);
  deform::Scratch scratch;
  static_cast<void>(
      backend.Run(**prepared, {palette, morph_weights, {}}, {positions, normals, tangents}, scratch)
          .ok());
  return true;
}

}  // namespace flexor::test
