// Expands CASE(target bit, namespace) for every target that the build has. Included at the end of a
// kernel file, outside of any namespace of a target.
#if HWY_TARGETS & HWY_AVX3
#define FLEXOR_CASE_AVX3(CASE) CASE(HWY_AVX3, N_AVX3)
#else
#define FLEXOR_CASE_AVX3(CASE)
#endif
#if HWY_TARGETS & HWY_AVX2
#define FLEXOR_CASE_AVX2(CASE) CASE(HWY_AVX2, N_AVX2)
#else
#define FLEXOR_CASE_AVX2(CASE)
#endif
#if HWY_TARGETS & HWY_SSE4
#define FLEXOR_CASE_SSE4(CASE) CASE(HWY_SSE4, N_SSE4)
#else
#define FLEXOR_CASE_SSE4(CASE)
#endif
#if HWY_TARGETS & HWY_NEON
#define FLEXOR_CASE_NEON(CASE) CASE(HWY_NEON, N_NEON)
#else
#define FLEXOR_CASE_NEON(CASE)
#endif
#if HWY_TARGETS & HWY_WASM
#define FLEXOR_CASE_WASM(CASE) CASE(HWY_WASM, N_WASM)
#else
#define FLEXOR_CASE_WASM(CASE)
#endif
#if HWY_TARGETS & HWY_EMU128
#define FLEXOR_CASE_EMU128(CASE) CASE(HWY_EMU128, N_EMU128)
#else
#define FLEXOR_CASE_EMU128(CASE)
#endif
#if HWY_TARGETS & HWY_SCALAR
#define FLEXOR_CASE_SCALAR(CASE) CASE(HWY_SCALAR, N_SCALAR)
#else
#define FLEXOR_CASE_SCALAR(CASE)
#endif

#define FLEXOR_EACH_TARGET(CASE)                                                                \
  FLEXOR_CASE_AVX3(CASE)                                                                        \
  FLEXOR_CASE_AVX2(CASE)                                                                        \
  FLEXOR_CASE_SSE4(CASE) FLEXOR_CASE_NEON(CASE) FLEXOR_CASE_WASM(CASE) FLEXOR_CASE_EMU128(CASE) \
      FLEXOR_CASE_SCALAR(CASE)
