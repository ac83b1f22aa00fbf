#include "pose/motion_digest.h"

#include "pose/fingerprint.h"

namespace flexor::pose {
namespace {

void AddBone(const asset::MmdBone& bone, Fingerprint& out) {
  out.Add(bone.layer).Add(bone.after_physics).Add(bone.ik);
  if (bone.append) {
    const asset::MmdAppend& append = *bone.append;
    out.Add(append.source).Add(append.ratio);
    out.Add(append.rotation).Add(append.translation).Add(append.local);
  }
  if (bone.fixed_axis) out.Add(*bone.fixed_axis);
}

void AddIk(const asset::MmdIk& ik, Fingerprint& out) {
  out.Add(ik.goal).Add(ik.effector).Add(ik.iterations).Add(ik.step_limit).Add(ik.links.size());
  for (const asset::MmdIkLink& link : ik.links) {
    out.Add(link.bone).Add(link.limited).Add(link.min).Add(link.max);
  }
}

void AddMorph(const asset::MmdMorph& morph, Fingerprint& out) {
  out.Add(morph.kind).Add(morph.members.size()).Add(morph.bones.size());
  out.Add(morph.impulses.size());
  for (const asset::MmdMorph::Member& member : morph.members) {
    out.Add(member.morph).Add(member.rate);
  }
  for (const asset::MmdMorph::Bone& bone : morph.bones) {
    out.Add(bone.bone).Add(bone.translation).Add(bone.rotation);
  }
  for (const asset::MmdMorph::Impulse& impulse : morph.impulses) {
    out.Add(impulse.body).Add(impulse.local).Add(impulse.velocity).Add(impulse.torque);
  }
}

void AddBody(const asset::MmdBody& body, Fingerprint& out) {
  out.Add(body.bone).Add(body.group).Add(body.collides_with).Add(body.shape).Add(body.mode);
  out.Add(body.size).Add(body.position).Add(body.rotation).Add(body.mass);
  out.Add(body.linear_damping).Add(body.angular_damping).Add(body.restitution).Add(body.friction);
}

void AddJoint(const asset::MmdJoint& joint, Fingerprint& out) {
  out.Add(joint.kind).Add(joint.body_a).Add(joint.body_b).Add(joint.position).Add(joint.rotation);
  out.Add(joint.translation_min).Add(joint.translation_max);
  out.Add(joint.rotation_min).Add(joint.rotation_max);
  out.Add(joint.spring_translation).Add(joint.spring_rotation);
}

}  // namespace

std::uint64_t RigDigest(const asset::Character& character) {
  Fingerprint out;
  out.Add(character.nodes.size());
  for (const asset::Node& node : character.nodes) {
    out.Add(node.parent).Add(node.rest);
    if (node.rest_matrix) out.Add(*node.rest_matrix);
  }
  if (!character.mmd) return out.value();
  const asset::MmdRig& rig = *character.mmd;
  out.Add(rig.first_node).Add(rig.metres_per_unit).Add(rig.bones.size()).Add(rig.ik.size());
  out.Add(rig.morphs.size()).Add(rig.bodies.size()).Add(rig.joints.size());
  for (const asset::MmdBone& bone : rig.bones) AddBone(bone, out);
  for (const asset::MmdIk& ik : rig.ik) AddIk(ik, out);
  for (const asset::MmdMorph& morph : rig.morphs) AddMorph(morph, out);
  for (const asset::MmdBody& body : rig.bodies) AddBody(body, out);
  for (const asset::MmdJoint& joint : rig.joints) AddJoint(joint, out);
  return out.value();
}

std::uint64_t ClipDigest(const asset::Clip& clip) {
  Fingerprint out;
  out.Add(clip.frames_per_second).Add(clip.channels.size());
  for (const asset::Channel& channel : clip.channels) {
    out.Add(channel.path).Add(channel.interpolation).Add(channel.target).Add(channel.base);
    out.Add(std::span<const double>(channel.times)).Add(std::span<const float>(channel.values));
    out.Add(std::span<const float>(channel.controls));
  }
  return out.value();
}

}  // namespace flexor::pose
