/// @file deform/cpu/kernels/disabled_targets.h
/// Which of Highway's targets the kernels are not built for; comes before any Highway header.
/// Private to the deform module.
#pragma once

// Vectors of a size unknown to the compiler cannot be members or array elements, as the kernels
// need; such machines run the fixed-size target below. SSSE3 and the AVX-512 subsets add nothing.
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
