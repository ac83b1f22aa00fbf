#include "deform/joint_motion.h"

#include <cstddef>

#include "flexor/math/palette_split.h"

namespace flexor::deform {
namespace {

constexpr Mat3d kZero{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};

JointMotion AboutVertex(const Mat34d& m, const PaletteSplit& split, const Vec3d& center) {
  const Mat3d rotation = ToMat3(split.rotation);
  if (split.kind == SplitKind::kRigid) {
    return {true, split.rotation, TransformPoint(m, center) - rotation * center, kZero};
  }
  return {false, split.rotation, m.translation, m.linear - rotation};
}

JointMotion AboutOrigin(const PaletteSplit& split) {
  const bool rigid = split.kind == SplitKind::kRigid;
  return {rigid, split.rotation, split.translation, rigid ? Mat3d{} : split.residual};
}

JointMotion LikeUsd(const PaletteSplit& split) {
  if (split.kind == SplitKind::kDegenerate) return {false, {0, 0, 0, 0}, {}, Mat3d{}};
  return AboutOrigin(split);
}

}  // namespace

void SplitPalette(const PlanData& plan, std::span<const Mat34d> palette, std::span<JointMotion> out,
                  FrameReport& report) {
  const DqsResidual form = plan.settings.dqs.residual;
  for (std::size_t j = 0; j < palette.size(); ++j) {
    const Mat34d& m = palette[j];
    const PaletteSplit split = form == DqsResidual::kUsd ? SplitPolar(m) : SplitGramSchmidt(m);
    if (split.kind != SplitKind::kRigid) ++report.non_rigid_joints;
    if (split.kind == SplitKind::kDegenerate) ++report.degenerate_joints;
    out[j] = form == DqsResidual::kVertex   ? AboutVertex(m, split, plan.rest_center)
             : form == DqsResidual::kOrigin ? AboutOrigin(split)
                                            : LikeUsd(split);
  }
}

}  // namespace flexor::deform
