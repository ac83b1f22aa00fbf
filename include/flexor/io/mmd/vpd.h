/// @file io/mmd/vpd.h
/// A VPD pose as its file holds it. docs/formats/vpd.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "flexor/core/diagnostic.h"
#include "flexor/core/export.h"
#include "flexor/core/memory_budget.h"
#include "flexor/core/result.h"
#include "flexor/math/quat.h"
#include "flexor/math/vec.h"

namespace flexor::io::mmd {

/// The pose of one bone.
struct VpdBone {
  std::string name{};   ///< UTF-8, for people
  std::string bytes{};  ///< CP932, for comparing; what the file holds unless that is UTF-8
  Vec3f translation{};  ///< from the rest position, in the axes of the parent
  Quatf rotation{};
  friend bool operator==(const VpdBone&, const VpdBone&) = default;
};

/// The weight of one morph: an extension of other programs, which MikuMikuDance ignores.
struct VpdMorph {
  std::string name{};   ///< UTF-8, for people
  std::string bytes{};  ///< CP932, for comparing
  float weight = 0;
  friend bool operator==(const VpdMorph&, const VpdMorph&) = default;
};

/// A whole pose.
struct VpdPose {
  std::string model_name{};          ///< UTF-8, as written: mostly ends in ".osm"
  std::string model_bytes{};         ///< CP932
  std::uint32_t declared_bones = 0;  ///< what the file says; MikuMikuDance reads no more than these
  std::vector<VpdBone> bones{};      ///< all that are there, in file order
  std::vector<VpdMorph> morphs{};
  friend bool operator==(const VpdPose&, const VpdPose&) = default;
};

/// Reads a VPD file in CP932 or UTF-8.
/// Errors  kUnknownFormat · kParse with line and byte offset · kTruncated (a block is not closed) ·
/// kInvalidValue (a number out of range) · kLimitExceeded (budget)
FLEXOR_API Result<VpdPose> ParseVpd(std::span<const std::byte> bytes, MemoryBudget& budget,
                                    Diagnostics& diagnostics);

/// Writes a pose as CP932 text with the names' `bytes` (made from the name where they are empty)
/// and as many digits as the numbers need. Reading it gives an equal pose, but for
/// `declared_bones`, which becomes the number of bones, and for names that CP932 cannot say. Errors
/// kInvalidValue (not finite; a name that could not be read back: control characters, blanks at its
/// ends, a comment in it, or a ';' in that of the model)
FLEXOR_API Result<std::vector<std::byte>> WriteVpd(const VpdPose& pose);

}  // namespace flexor::io::mmd
