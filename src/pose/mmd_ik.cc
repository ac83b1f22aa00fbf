#include "pose/mmd_ik.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace flexor::pose {
namespace {

using asset::kNone;
using asset::MmdBodyMode;

// No program offers more than 255 steps; a file that asks for millions must not stop us.
constexpr std::uint32_t kMostIterations = 1024;
constexpr std::uint32_t kMostIterationsBabylon = 256;

LinkAxis AxisOf(Vec3d min, Vec3d max) {
  const bool x = min.x != 0 || max.x != 0, y = min.y != 0 || max.y != 0,
             z = min.z != 0 || max.z != 0;
  if (!x && !y && !z) return LinkAxis::kNone;
  if (x && !y && !z) return LinkAxis::kX;
  if (y && !x && !z) return LinkAxis::kY;
  if (z && !x && !y) return LinkAxis::kZ;
  return LinkAxis::kAny;
}

LinkPlan PlanLink(const asset::MmdIkLink& link, std::size_t number) {
  LinkPlan plan;
  plan.bone = link.bone;
  plan.number = number;
  plan.limited = link.limited;
  if (!link.limited) return plan;
  plan.min = link.min;
  plan.max = link.max;
  plan.axis = AxisOf(link.min, link.max);
  // The middle angle is an arc sine and cannot pass a quarter turn, so it goes to an axis that does
  // not have to.
  constexpr double kQuarter = std::numbers::pi / 2;
  if (-kQuarter < link.min.x && link.max.x < kQuarter) {
    plan.umt_order = EulerOrder::kZxy;
    plan.babylon_order = EulerOrder::kYxz;
  } else if (-kQuarter < link.min.y && link.max.y < kQuarter) {
    plan.umt_order = EulerOrder::kXyz;
    plan.babylon_order = EulerOrder::kZyx;
  }
  return plan;
}

ChainPlan PlanChain(const asset::MmdRig& rig, const asset::MmdIk& ik, const MmdBones& bones) {
  ChainPlan plan;
  plan.goal = ik.goal;
  plan.effector = ik.effector;
  plan.iterations = std::min(ik.iterations, kMostIterations);
  plan.step_limit = ik.step_limit;

  // The way up from the effector, as far as the highest link on it.
  std::vector<std::uint32_t> up;
  std::size_t length = 0;
  for (std::int32_t bone = static_cast<std::int32_t>(ik.effector); bone != kNone;
       bone = bones.parent(static_cast<std::uint32_t>(bone))) {
    const auto here = static_cast<std::uint32_t>(bone);
    up.push_back(here);
    const auto is_here = [here](const asset::MmdIkLink& link) { return link.bone == here; };
    if (std::any_of(ik.links.begin(), ik.links.end(), is_here)) length = up.size();
  }
  plan.path.assign(up.rend() - static_cast<std::ptrdiff_t>(length), up.rend());

  // A link that does not carry the effector could turn for ever without any effect on it, and one
  // that is the effector cannot move it.
  for (std::size_t l = 0; l < ik.links.size(); ++l) {
    const auto found = std::find(plan.path.begin(), plan.path.end(), ik.links[l].bone);
    if (found == plan.path.end() || ik.links[l].bone == ik.effector) continue;
    LinkPlan link = PlanLink(ik.links[l], l);
    link.at = static_cast<std::size_t>(found - plan.path.begin());
    plan.links.push_back(link);
  }

  std::vector<bool> below(bones.count(), false), on_path(bones.count(), false);
  for (const std::uint32_t bone : plan.path) below[bone] = on_path[bone] = true;
  for (const std::uint32_t bone : bones.hierarchy()) {
    const std::int32_t parent = bones.parent(bone);
    if (on_path[bone] || parent == kNone || !below[static_cast<std::size_t>(parent)]) continue;
    below[bone] = true;
    plan.followers.push_back(bone);
  }

  std::vector<bool> driven(bones.count(), false);
  for (const asset::MmdBody& body : rig.bodies) {
    if (body.mode != MmdBodyMode::kFollowBone && body.bone != kNone) {
      driven[static_cast<std::size_t>(body.bone)] = true;
    }
  }
  plan.all_driven =
      !plan.links.empty() && std::all_of(plan.links.begin(), plan.links.end(),
                                         [&](const LinkPlan& link) { return driven[link.bone]; });
  return plan;
}

double SquaredDistance(Vec3d a, Vec3d b) { return Dot(a - b, a - b); }

// An axis across a direction, for a goal that lies exactly behind the link. The choice is arbitrary
// but must be a fixed one; this is the mirror image of UMT's.
Vec3d AcrossAxis(Vec3d direction) {
  return std::abs(direction.x) < 0.75 ? Normalized(Cross(Vec3d{1, 0, 0}, direction))
                                      : Normalized(Cross(direction, Vec3d{0, 1, 0}));
}

// The axis, in the parent's space, of a link that may turn about one only: the sign that leads the
// way the free axis would.
Vec3d OneAxis(LinkAxis axis, Vec3d free) {
  switch (axis) {
    case LinkAxis::kX:
      return {free.x >= 0 ? 1.0 : -1.0, 0, 0};
    case LinkAxis::kY:
      return {0, free.y >= 0 ? 1.0 : -1.0, 0};
    case LinkAxis::kZ:
      return {0, 0, free.z >= 0 ? 1.0 : -1.0};
    default:
      return free;
  }
}

// Puts an angle into its limits. The bounce: while it is allowed, what went beyond a limit comes
// back by as much, which lets a stretched knee leave the limit that it starts at.
double Limited(double angle, double min, double max, bool bounce) {
  if (angle < min) {
    const double back = 2 * min - angle;
    return bounce && back <= max ? back : min;
  }
  if (angle > max) {
    const double back = 2 * max - angle;
    return bounce && back >= min ? back : max;
  }
  return angle;
}

Quatd LimitedRotation(Quatd rotation, const LinkPlan& link, EulerOrder order, bool bounce) {
  Vec3d angles = ToEuler(rotation, order);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    angles[axis] = Limited(angles[axis], link.min[axis], link.max[axis], bounce);
  }
  return FromEuler(angles, order);
}

// The rotation that one link makes to bring the effector towards the goal, in its parent's space.
// False: it stays as it is.
struct Step {
  Vec3d axis;
  double angle = 0;
};
bool FindStep(const ChainPlan& chain, const LinkPlan& link, bool bounce, const MmdBones& bones,
              Step& step) {
  const bool babylon = bones.dialect() == MmdDialect::kBabylon;
  const Vec3d here = bones.position(link.bone);
  const Vec3d to_effector = here - bones.position(chain.effector);
  const Vec3d to_goal = here - bones.position(chain.goal);
  constexpr double kNoLength = 1e-20;
  if (Dot(to_effector, to_effector) <= kNoLength || Dot(to_goal, to_goal) <= kNoLength)
    return false;
  const Vec3d a = Normalized(to_effector), b = Normalized(to_goal);
  const Vec3d across = Cross(a, b);
  const double squared_sine = Dot(across, across);
  const double cosine = Dot(a, b);
  const Quatd to_parent = Conjugate(bones.ParentRotation(link.bone));
  const double parallel = babylon ? 1e-8 : 1e-16;
  if (squared_sine < parallel) {
    if (babylon || link.limited || cosine > 0) return false;
    step.axis = AcrossAxis(Rotate(to_parent, a));
  } else {
    step.axis = Normalized(Rotate(to_parent, across));
    if (link.limited && (bounce || !babylon)) step.axis = OneAxis(link.axis, step.axis);
  }
  const double longest = link.limited || babylon
                             ? chain.step_limit * static_cast<double>(link.number + 1)
                             : chain.step_limit;
  step.angle = std::min(std::atan2(std::sqrt(squared_sine), cosine), longest);
  return true;
}

void TurnLink(const LinkPlan& link, const Step& step, bool bounce, MmdBones& bones) {
  BoneFrame& frame = bones.frame(link.bone);
  const Quatd back = Conjugate(frame.base);
  const Quatd delta = FromAxisAngle(step.axis, step.angle);
  if (bones.dialect() == MmdDialect::kBabylon) {
    frame.ik = Normalized(delta * frame.ik);
    if (link.limited) {
      const Quatd limited =
          LimitedRotation(Normalized(frame.base * frame.ik), link, link.babylon_order, bounce);
      frame.ik = Normalized(limited * back);
    }
    return;
  }
  Quatd rotation = Normalized(delta * frame.base * frame.ik);
  if (link.limited) rotation = LimitedRotation(rotation, link, link.umt_order, bounce);
  frame.ik = Normalized(back * rotation);
}

// A bone below a link that has turned. babylon-mmd evaluates its append anew as well.
void Follow(std::uint32_t bone, MmdBones& bones) {
  if (bones.dialect() == MmdDialect::kBabylon) {
    bones.Evaluate(bone);
  } else {
    bones.Compose(bone);
  }
}

}  // namespace

void FollowPath(const ChainPlan& chain, std::size_t from, MmdBones& bones) {
  for (std::size_t p = from; p < chain.path.size(); ++p) Follow(chain.path[p], bones);
}

MmdIkSolver::MmdIkSolver(const asset::MmdRig& rig, const MmdBones& bones)
    : metres_per_unit_(rig.metres_per_unit) {
  std::size_t most_links = 0;
  chains_.reserve(rig.ik.size());
  for (const asset::MmdIk& ik : rig.ik) {
    chains_.push_back(PlanChain(rig, ik, bones));
    most_links = std::max(most_links, chains_.back().links.size());
  }
  scratch_.resize(most_links);
}

void MmdIkSolver::Run(std::size_t index, bool physics, MmdBones& bones) {
  const ChainPlan& chain = chains_[index];
  if (chain.links.empty()) return;
  if (physics && chain.all_driven && bones.dialect() == MmdDialect::kBabylon) return;
  for (const LinkPlan& link : chain.links) bones.frame(link.bone).ik = {};
  for (const std::uint32_t bone : chain.path) bones.Evaluate(bone);
  if (bones.dialect() == MmdDialect::kSaba) {
    RunSaba(chain, bones);
  } else {
    Descend(chain, bones);
  }
  for (const std::uint32_t bone : chain.followers) Follow(bone, bones);
}

bool MmdIkSolver::AtRest(std::size_t index, MmdBones& bones) const {
  const ChainPlan& chain = chains_[index];
  if (chain.path.empty()) return true;
  for (const std::uint32_t bone : chain.path) bones.Evaluate(bone);
  constexpr double kTiny = 1e-9;  // metres and radians; keys are floats
  for (const std::uint32_t bone : chain.path) {
    const BoneFrame& frame = bones.frame(bone);
    if (frame.scaled || Length(frame.translation - bones.rest_offset(bone)) > kTiny) return false;
    const Quatd turned = frame.base * frame.tail;
    if (Length(Vec3d{turned.x, turned.y, turned.z}) > kTiny) return false;
  }
  const std::uint32_t top = chain.path.front();
  const Vec3d rest = bones.rest_position(chain.goal) - bones.rest_position(top);
  const Vec3d now = Rotate(Conjugate(bones.ParentRotation(top)),
                           bones.position(chain.goal) - bones.position(top));
  return Length(now - rest) <= kTiny * (1 + Length(rest));
}

void MmdIkSolver::Descend(const ChainPlan& chain, MmdBones& bones) const {
  const bool babylon = bones.dialect() == MmdDialect::kBabylon;
  // Near enough: babylon-mmd counts in the units of the format, UMT in metres.
  const double near = babylon ? 1e-8 * metres_per_unit_ * metres_per_unit_ : 1e-8;
  const auto arrived = [&] {
    return SquaredDistance(bones.position(chain.goal), bones.position(chain.effector)) < near;
  };
  if (arrived()) return;
  const std::uint32_t iterations =
      babylon ? std::min(chain.iterations, kMostIterationsBabylon) : chain.iterations;
  for (std::uint32_t i = 0; i < iterations; ++i) {
    const bool bounce = i < iterations / 2;
    for (const LinkPlan& link : chain.links) {
      if (link.axis == LinkAxis::kNone) continue;
      Step step;
      if (!FindStep(chain, link, bounce, bones, step)) continue;
      TurnLink(link, step, bounce, bones);
      bones.Turn(link.bone);
      FollowPath(chain, link.at + 1, bones);
      if (!babylon && arrived()) return;
    }
    if (babylon && arrived()) return;
  }
}

void MmdIkSolver::RunSaba(const ChainPlan& chain, MmdBones& bones) {
  for (LinkFrame& frame : scratch_) frame = {};
  double best = std::numeric_limits<double>::infinity();
  for (std::uint32_t i = 0; i < chain.iterations; ++i) {
    for (std::size_t l = 0; l < chain.links.size(); ++l) {
      StepSaba(chain, chain.links[l], scratch_[l], i == 0, bones);
    }
    const double distance =
        SquaredDistance(bones.position(chain.goal), bones.position(chain.effector));
    if (distance < best) {
      best = distance;
      for (std::size_t l = 0; l < chain.links.size(); ++l) {
        scratch_[l].best = bones.frame(chain.links[l].bone).ik;
      }
      continue;
    }
    for (std::size_t l = 0; l < chain.links.size(); ++l) {
      bones.frame(chain.links[l].bone).ik = scratch_[l].best;
    }
    for (const LinkPlan& link : chain.links) bones.Turn(link.bone);
    FollowPath(chain, 0, bones);
    return;
  }
}

}  // namespace flexor::pose
