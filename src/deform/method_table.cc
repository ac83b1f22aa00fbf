#include "deform/method_table.h"

namespace flexor::deform {
namespace {

using asset::SkinningMethod;

constexpr MethodRow kRows[] = {
    {.method = SkinningMethod::kLinear,
     .name = "lbs",
     .stem = "skin_lbs",
     .summary = "linear blending",
     .variants = nullptr,
     .resolve = nullptr,
     .entries = nullptr,
     .needs = kNeedsMatrices,
     .reference = &ReferenceLinear,
     .bounds = &BoundBlended,
     .layout = {.joints = &InfluenceJoints,
                .names = BlockNames::kJoints,
                .weights = true,
                .follows_one = true,
                .joints_each = true,
                .signs = false,
                .payload_rows = nullptr,
                .payload = nullptr},
     .kernel = &LbsKernel},
    {.method = SkinningMethod::kDualQuaternion,
     .name = "dqs",
     .stem = "skin_dqs",
     .summary = "dual quaternions",
     .variants = &kDqsResiduals,
     .resolve = nullptr,
     .entries = nullptr,
     .needs = kNeedsMotions,
     .reference = &ReferenceDualQuaternion,
     .bounds = nullptr,
     .layout = {.joints = &InfluenceJoints,
                .names = BlockNames::kJoints,
                .weights = true,
                .follows_one = true,
                .joints_each = true,
                .signs = true,
                .payload_rows = nullptr,
                .payload = nullptr},
     .kernel = &DqsKernel},
    {.method = SkinningMethod::kMixed,
     .name = "mixed",
     .stem = "skin_dqs",
     .summary = "",
     .variants = &kDqsResiduals,
     .resolve = &ResolveMixed,
     .entries = &MixedEntries,
     .needs = kNeedsMatrices | kNeedsMotions,
     .reference = &ReferenceMixed,
     .bounds = nullptr,
     .layout = {.joints = &InfluenceJoints,
                .names = BlockNames::kJoints,
                .weights = true,
                .follows_one = false,
                .joints_each = false,
                .signs = true,
                .payload_rows = &MixedRows,
                .payload = &FillMixed},
     .kernel = &MixedKernel},
    {.method = SkinningMethod::kSpherical,
     .name = "sdef",
     .stem = "skin_sdef",
     .summary = "spherical about centres, the file's or derived at joints; linear for the rest",
     .variants = &kSdefRotations,
     .resolve = &ResolveSpherical,
     .entries = &SphericalEntries,
     .needs = kNeedsPairRotations,
     .reference = &ReferenceSpherical,
     .bounds = &BoundSpherical,
     .layout = {.joints = &SphericalJoints,
                .names = BlockNames::kPayload,
                .weights = false,
                .follows_one = false,
                .joints_each = true,
                .signs = false,
                .payload_rows = &SphericalRows,
                .payload = &FillSpherical},
     .kernel = &SdefKernel},
};
static_assert(std::size(kRows) == asset::kSkinningMethods);

constexpr bool EachAtItsNumber() {
  for (std::size_t i = 0; i < std::size(kRows); ++i) {
    if (IndexOf(kRows[i].method) != i) return false;
  }
  return true;
}
static_assert(EachAtItsNumber());

}  // namespace

std::span<const MethodRow, asset::kSkinningMethods> MethodTable() { return kRows; }

const MethodRow& RowOf(asset::SkinningMethod method) { return kRows[IndexOf(method)]; }

FrameNeeds NeedsOf(const MethodColumn& column) {
  FrameNeeds needs = 0;
  for (const MethodRow& row : kRows) {
    if (column.Uses(row.method)) needs |= row.needs;
  }
  return needs;
}

}  // namespace flexor::deform
