#include <tuple>
#include <utility>
#include <vector>

#include "io/mmd/convert.h"
#include "io/rules.h"

namespace flexor::io::mmd {
namespace {

asset::MmdShape ShapeOf(PmxShape shape) {
  switch (shape) {
    case PmxShape::kSphere:
      return asset::MmdShape::kSphere;
    case PmxShape::kBox:
      return asset::MmdShape::kBox;
    case PmxShape::kCapsule:
      break;
  }
  return asset::MmdShape::kCapsule;
}

asset::MmdBodyMode ModeOf(PmxBodyMode mode) {
  switch (mode) {
    case PmxBodyMode::kFollowsBone:
      return asset::MmdBodyMode::kFollowBone;
    case PmxBodyMode::kPhysics:
      return asset::MmdBodyMode::kPhysics;
    case PmxBodyMode::kPhysicsAtBone:
      break;
  }
  return asset::MmdBodyMode::kPhysicsAtBone;
}

asset::MmdJointKind KindOf(PmxJointType type) {
  switch (type) {
    case PmxJointType::kSpring6Dof:
      return asset::MmdJointKind::kSpring6Dof;
    case PmxJointType::k6Dof:
      return asset::MmdJointKind::k6Dof;
    case PmxJointType::kPoint:
      return asset::MmdJointKind::kPointToPoint;
    case PmxJointType::kConeTwist:
      return asset::MmdJointKind::kConeTwist;
    case PmxJointType::kSlider:
      return asset::MmdJointKind::kSlider;
    case PmxJointType::kHinge:
      break;
  }
  return asset::MmdJointKind::kHinge;
}

}  // namespace

void ConvertPhysics(const PmxModel& model, const Space& space, asset::Character& character,
                    Diagnostics& diagnostics) {
  asset::MmdRig& rig = *character.mmd;
  rig.bodies.reserve(model.bodies.size());
  for (const PmxRigidBody& body : model.bodies) {
    asset::MmdBody out;
    out.name = body.name;
    out.bone = body.bone;
    out.group = body.group;
    out.collides_with = body.collides_with;
    out.shape = ShapeOf(body.shape);
    out.size = space.Size(body.size);
    out.position = space.Point(body.position);
    out.rotation = FromBodyAngles(Space::Angles(Cast<double>(body.rotation)));
    out.mass = body.mass;
    out.linear_damping = body.linear_damping;
    out.angular_damping = body.angular_damping;
    out.restitution = body.restitution;
    out.friction = body.friction;
    out.mode = ModeOf(body.mode);
    rig.bodies.push_back(std::move(out));
  }
  Tally loose;
  rig.joints.reserve(model.joints.size());
  for (const PmxJoint& joint : model.joints) {
    if (joint.body_a == kNoIndex || joint.body_b == kNoIndex) {
      loose.Add([&] { return "joint '" + joint.name + "' has a body on one side only"; });
      continue;
    }
    asset::MmdJoint out;
    out.name = joint.name;
    out.kind = KindOf(joint.type);
    out.body_a = static_cast<std::uint32_t>(joint.body_a);
    out.body_b = static_cast<std::uint32_t>(joint.body_b);
    out.position = space.Point(joint.position);
    out.rotation = FromBodyAngles(Space::Angles(Cast<double>(joint.rotation)));
    std::tie(out.translation_min, out.translation_max) =
        space.OffsetLimits(joint.translation_min, joint.translation_max);
    std::tie(out.rotation_min, out.rotation_max) =
        Space::AngleLimits(joint.rotation_min, joint.rotation_max);
    out.spring_translation = Cast<double>(joint.spring_translation);
    out.spring_rotation = Cast<double>(joint.spring_rotation) * (space.scale() * space.scale());
    rig.joints.push_back(std::move(out));
  }
  loose.ReportTo(diagnostics, "MMD_JOINT_LOOSE", "joints");
  if (!model.soft_bodies.empty()) {
    Report(diagnostics, "MMD_SOFT_BODIES_IGNORED", "soft bodies",
           std::to_string(model.soft_bodies.size()) +
               " soft bodies are read but not simulated; their vertices follow their bones",
           model.soft_bodies.size());
  }
}

}  // namespace flexor::io::mmd
