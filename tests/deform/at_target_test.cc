#include "deform/cpu/kernels/at_target.h"

#include <cstdint>

#include <gtest/gtest.h>

#include "flexor/deform/backend.h"

#include "deform/cpu/kernels/targets.h"

namespace flexor::deform {
namespace {

int One() { return 1; }
int Two() { return 2; }

struct InTwoTargets {
  using Function = int (*)();
};
struct InNone {
  using Function = int (*)();
};

}  // namespace

template <>
inline constexpr InTwoTargets::Function kAtTarget<InTwoTargets, 1> = &One;
template <>
inline constexpr InTwoTargets::Function kAtTarget<InTwoTargets, (std::int64_t{1} << 62)> = &Two;

namespace {

TEST(AtTarget, FindsTheFunctionOfEachTargetThatNamedItself) {
  EXPECT_EQ(FindAt<InTwoTargets>(1)(), 1);
  EXPECT_EQ(FindAt<InTwoTargets>(std::int64_t{1} << 62)(), 2);
  for (const std::int64_t other : {0, 2, 3}) EXPECT_EQ(FindAt<InTwoTargets>(other), nullptr);
}

// FindAt<InNone> does not compile: it asserts that this sum is not 0.
static_assert(TargetsOf<InNone>(TargetBits()) == 0);
static_assert(TargetsOf<InTwoTargets>(TargetBits()) == ((std::int64_t{1} << 62) | 1));

TEST(AtTarget, EveryKernelHasEveryTargetOfTheBuild) {
  const std::int64_t targets = CompiledTargets();
  ASSERT_NE(targets, 0);
  for (int bit = 0; bit < 63; ++bit) {
    const std::int64_t target = std::int64_t{1} << bit;
    const bool there = (targets & target) != 0;
    EXPECT_EQ(MorphAccumulateKernel(target) != nullptr, there) << bit;
    if (there) continue;  // a rule is code of its target, which this machine may not have
    const DeformSettings settings;
    const KernelChoice choice{target, settings, true, true};
    for (const KernelRule rule : {&LbsKernel, &DqsKernel, &MixedKernel, &SdefKernel}) {
      EXPECT_EQ(rule(choice), nullptr) << bit;
    }
  }
  EXPECT_FALSE(SimdTargets().empty());
}

}  // namespace
}  // namespace flexor::deform
