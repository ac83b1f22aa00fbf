/// @file io/mmd/physics.h
/// The numbers of rigid bodies and joints, which PMD and PMX store alike, and what is wrong with
/// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "flexor/io/mmd/pmx.h"

#include "io/mmd/byte_reader.h"

namespace flexor::io::mmd {

/// What became of the rigid bodies, which later parts refer to by their number in the file.
struct BodyFate {
  static constexpr std::int32_t kDropped = -2;
  std::vector<std::int32_t> now;  ///< file number -> number in the model, or kDropped
  /// The number in the model; kDropped for what is dropped or never was.
  std::int32_t Of(std::int32_t file_number) const;
};

/// Enumerations as the file has them, before they are believed.
struct RawBodyKinds {
  std::uint8_t shape = 0, mode = 0;
};

/// Reads what follows the bone of a body: group, shape, place, material constants, mode.
RawBodyKinds ReadNumbers(ByteReader& reader, PmxRigidBody& body);

/// Reads what follows the two bodies of a joint: place, limits, springs.
void ReadNumbers(ByteReader& reader, PmxJoint& joint);

/// Takes over kinds in which FaultOf found nothing.
void Believe(RawBodyKinds kinds, PmxRigidBody& body);

/// Why a body cannot be kept, or nothing. `bones` is the number of bones.
std::string FaultOf(const PmxRigidBody& body, RawBodyKinds kinds, std::size_t bones);

/// Why a joint cannot be kept, its bodies aside, or nothing.
std::string FaultOf(const PmxJoint& joint, std::uint8_t type);

/// Whether a limit has its minimum above its maximum.
bool HasReversedLimits(const PmxJoint& joint);

}  // namespace flexor::io::mmd
