/// @file deform/hemisphere.h
/// Which of two quaternions of one rotation agrees with another. Private to the deform module.
#pragma once

namespace flexor::deform {

/// How far below zero the dot of two quaternions must be for one to be turned. Rotations half a
/// turn apart have a dot of zero up to noise and both directions are equally short: within this
/// the stored sign stays, on every backend.
inline constexpr double kHemisphereTolerance = 1e-6;

}  // namespace flexor::deform
