#include "pose/mmd_morphs.h"

#include <algorithm>
#include <cmath>

namespace flexor::pose {
namespace {

using asset::MmdMorph;
using asset::MmdMorphKind;

bool HasMembers(const MmdMorph& morph) {
  return morph.kind == MmdMorphKind::kGroup || morph.kind == MmdMorphKind::kFlip;
}

// Which member a flip shows: the range 0..1 is cut into one part for nobody and one for each
// member, equally long; 1 itself belongs to the last.
std::int64_t FlipMember(double weight, std::size_t count) {
  const double members = static_cast<double>(count);
  return static_cast<std::int64_t>(std::clamp(std::floor(weight * (members + 1)), 0.0, members) -
                                   1);
}

}  // namespace

MmdMorphs::MmdMorphs(const asset::MmdRig& rig) : rig_(&rig), weights_(rig.morphs.size()) {
  // Depth first; whoever is left last stands first. Without recursion, as nesting may be deep.
  struct Step {
    std::uint32_t morph;
    std::size_t next_member;
  };
  std::vector<bool> seen(rig.morphs.size(), false);
  std::vector<Step> path;
  for (std::uint32_t start = 0; start < rig.morphs.size(); ++start) {
    if (seen[start] || !HasMembers(rig.morphs[start])) continue;
    seen[start] = true;
    path.push_back({start, 0});
    while (!path.empty()) {
      Step& step = path.back();
      const MmdMorph& morph = rig.morphs[step.morph];
      if (step.next_member == morph.members.size()) {
        groups_.push_back(step.morph);
        path.pop_back();
        continue;
      }
      const std::uint32_t member = morph.members[step.next_member++].morph;
      if (seen[member] || !HasMembers(rig.morphs[member])) continue;
      seen[member] = true;
      path.push_back({member, 0});
    }
  }
  std::reverse(groups_.begin(), groups_.end());
}

std::span<const double> MmdMorphs::Spread(std::span<const float> keyed, MmdDialect dialect) {
  for (std::size_t m = 0; m < weights_.size(); ++m) weights_[m] = static_cast<double>(keyed[m]);
  for (const std::uint32_t index : groups_) {
    const MmdMorph& morph = rig_->morphs[index];
    const double weight = weights_[index];
    if (weight == 0 || morph.members.empty()) continue;
    if (morph.kind == MmdMorphKind::kFlip) {
      const std::int64_t shown = FlipMember(weight, morph.members.size());
      if (shown < 0) continue;
      const MmdMorph::Member& member = morph.members[static_cast<std::size_t>(shown)];
      weights_[member.morph] += member.rate;
      continue;
    }
    for (const MmdMorph::Member& member : morph.members) {
      if (dialect == MmdDialect::kBabylon &&
          rig_->morphs[member.morph].kind == MmdMorphKind::kGroup) {
        continue;
      }
      weights_[member.morph] += weight * member.rate;
    }
  }
  return weights_;
}

}  // namespace flexor::pose
