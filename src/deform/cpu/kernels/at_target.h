/// @file deform/cpu/kernels/at_target.h
/// What each SIMD target of the build has of a kernel: said by the target's own compilation of the
/// kernel file, so that no list of targets has to be kept. Private to deform.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace flexor::deform {

/// Null for targets that the build has not. Each kernel file has a Kernel type of its own, and
/// specialises this once for every target that it is compiled for.
template <class Kernel, std::int64_t kTarget>
inline constexpr typename Kernel::Function kAtTarget = nullptr;

/// A target is one bit of 63.
template <class Kernel, int... kBit>
constexpr std::int64_t TargetsOf(std::integer_sequence<int, kBit...> /*bits*/) {
  std::int64_t all = 0;
  ((all |= kAtTarget<Kernel, (std::int64_t{1} << kBit)> != nullptr ? std::int64_t{1} << kBit : 0),
   ...);
  return all;
}
template <class Kernel, int... kBit>
typename Kernel::Function Find(std::int64_t target, std::integer_sequence<int, kBit...> /*bits*/) {
  typename Kernel::Function found = nullptr;
  ((found =
        target == std::int64_t{1} << kBit ? kAtTarget<Kernel, (std::int64_t{1} << kBit)> : found),
   ...);
  return found;
}
using TargetBits = std::make_integer_sequence<int, 63>;

/// The function of a target, or null. Used after all targets are compiled.
template <class Kernel>
typename Kernel::Function FindAt(std::int64_t target) {
  static_assert(TargetsOf<Kernel>(TargetBits()) != 0, "Highway compiled no target of this kernel");
  return Find<Kernel>(target, TargetBits());
}

}  // namespace flexor::deform
