/// @file io/usd/interpolate.h
/// What a value is between two samples.
#pragma once

#include "io/usd/value.h"

namespace flexor::io::usd {

/// Whether values of that kind change gradually: reals, vectors, matrices and quaternions of reals,
/// and time codes. All others jump.
bool Interpolates(ValueType type);

/// The value at `fraction` (0 at `lower`, 1 at `upper`), element by element, in double and narrowed
/// once; quaternions by Slerp below. `lower` when the two are not alike in kind and length, or the
/// kind does not interpolate. Costs memory as `lower` does.
Value Interpolate(const Value& lower, const Value& upper, double fraction);

/// Spherical interpolation along the shorter arc as OpenUSD computes it: neither the ends nor the
/// result are made unit, and nearly parallel ends (1 - cosine below 1e-5) are blended.
Quatd SlerpAsStored(Quatd lower, Quatd upper, double fraction);

}  // namespace flexor::io::usd
