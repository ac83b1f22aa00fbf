#include "io/mmd/physics.h"

namespace flexor::io::mmd {
namespace {

constexpr std::uint8_t kMostGroup = 15;

bool Above(Vec3f a, Vec3f b) { return a.x > b.x || a.y > b.y || a.z > b.z; }

}  // namespace

std::int32_t BodyFate::Of(std::int32_t file_number) const {
  if (file_number == kNoIndex) return kNoIndex;
  if (file_number < 0 || static_cast<std::size_t>(file_number) >= now.size()) return kDropped;
  return now[static_cast<std::size_t>(file_number)];
}

RawBodyKinds ReadNumbers(ByteReader& reader, PmxRigidBody& body) {
  RawBodyKinds kinds;
  body.group = reader.U8();
  body.collides_with = reader.U16();
  kinds.shape = reader.U8();
  body.size = reader.F3();
  body.position = reader.F3();
  body.rotation = reader.F3();
  for (float* number : {&body.mass, &body.linear_damping, &body.angular_damping, &body.restitution,
                        &body.friction}) {
    *number = reader.F32();
  }
  kinds.mode = reader.U8();
  return kinds;
}

void ReadNumbers(ByteReader& reader, PmxJoint& joint) {
  for (Vec3f* vector : {&joint.position, &joint.rotation, &joint.translation_min,
                        &joint.translation_max, &joint.rotation_min, &joint.rotation_max,
                        &joint.spring_translation, &joint.spring_rotation}) {
    *vector = reader.F3();
  }
}

void Believe(RawBodyKinds kinds, PmxRigidBody& body) {
  body.shape = static_cast<PmxShape>(kinds.shape);
  body.mode = static_cast<PmxBodyMode>(kinds.mode);
}

std::string FaultOf(const PmxRigidBody& body, RawBodyKinds kinds, std::size_t bones) {
  const auto beyond = [](std::string_view what, int value, int most) {
    return "has the " + std::string(what) + " " + std::to_string(value) + ", but only 0 to " +
           std::to_string(most) + " exist";
  };
  if (body.bone < kNoIndex || (body.bone >= 0 && static_cast<std::size_t>(body.bone) >= bones)) {
    return "is attached to bone " + std::to_string(body.bone) + ", but there are " +
           std::to_string(bones);
  }
  if (kinds.shape > static_cast<std::uint8_t>(PmxShape::kCapsule)) {
    return beyond("shape", kinds.shape, 2);
  }
  if (kinds.mode > static_cast<std::uint8_t>(PmxBodyMode::kPhysicsAtBone)) {
    return beyond("mode", kinds.mode, 2);
  }
  if (body.group > kMostGroup) return beyond("group", body.group, kMostGroup);
  if (!IsFinite(body.size, body.position, body.rotation, body.mass, body.linear_damping,
                body.angular_damping, body.restitution, body.friction)) {
    return "has a number that is not finite";
  }
  return {};
}

std::string FaultOf(const PmxJoint& joint, std::uint8_t type) {
  if (type > static_cast<std::uint8_t>(PmxJointType::kHinge)) {
    return "has the type " + std::to_string(type) + ", but only 0 to 5 exist";
  }
  if (!IsFinite(joint.position, joint.rotation, joint.translation_min, joint.translation_max,
                joint.rotation_min, joint.rotation_max, joint.spring_translation,
                joint.spring_rotation)) {
    return "has a number that is not finite";
  }
  return {};
}

bool HasReversedLimits(const PmxJoint& joint) {
  return Above(joint.translation_min, joint.translation_max) ||
         Above(joint.rotation_min, joint.rotation_max);
}

}  // namespace flexor::io::mmd
