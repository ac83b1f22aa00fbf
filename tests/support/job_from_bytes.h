/// @file tests/support/job_from_bytes.h
/// A small deformation of any bytes: what a fuzzer turns.
#pragma once

#include <cstdint>
#include <span>

#include "support/rigs.h"

namespace flexor::test {

/// Up to 40 vertices, 8 joints, 6 influences and 3 morphs, blended by every method, also several in
/// one mesh; joints rigid, scaled, sheared, mirrored, flat, zero, tiny, huge, or of nine numbers.
/// Every input is a valid job: its plan builds and its frame runs. Bytes that are missing are 0.
Job JobOfBytes(std::span<const std::uint8_t> bytes);

}  // namespace flexor::test
