#include "flexor/math/palette_split.h"

#include "deform/reference/influences.h"
#include "deform/reference/reference.h"

namespace flexor::deform {

std::size_t PivotOf(std::span<const WeightedJoint> influences,
                    std::span<const JointMotion> joints) {
  std::size_t pivot = influences.size();
  for (std::size_t i = 0; i < influences.size(); ++i) {
    const WeightedJoint& one = influences[i];
    if (one.weight <= 0 || (!joints.empty() && !joints[one.joint].HasQuaternion())) continue;
    const bool leads =
        pivot == influences.size() || one.weight > influences[pivot].weight ||
        (one.weight == influences[pivot].weight && one.joint < influences[pivot].joint);
    if (leads) pivot = i;
  }
  return pivot;
}

VertexMotion ReferenceSkinLbs(std::span<const WeightedJoint> influences,
                              std::span<const Mat34d> palette, const Vec3d& p) {
  Mat34d blended{{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, {0, 0, 0}};
  for (const WeightedJoint& influence : influences) {
    const Mat34d& m = palette[influence.joint];
    blended.linear = blended.linear + m.linear * influence.weight;
    blended.translation += m.translation * influence.weight;
  }
  VertexMotion out;
  out.position = TransformPoint(blended, p);
  out.jacobian = blended.linear;
  const std::size_t pivot = PivotOf(influences);
  if (pivot < influences.size()) {
    out.rotation = SplitGramSchmidt(palette[influences[pivot].joint]).rotation;
  }
  return out;
}

VertexMotion ReferenceLinear(const ReferenceVertex& v) {
  const std::span<const WeightedJoint> influences = WeightsOf(v);
  if (influences.empty()) return MoveWithoutWeight(v);
  return ReferenceSkinLbs(influences, v.frame.palette, v.p);
}

}  // namespace flexor::deform
