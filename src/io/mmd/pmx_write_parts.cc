#include "io/mmd/bone_graph.h"
#include "io/mmd/physics.h"
#include "io/mmd/pmx_writer.h"

namespace flexor::io::mmd {

void PmxWriter::Ik(const PmxIk& ik) {
  Index(ik.effector, Kind::kBone);
  I32(ik.iterations);
  F(ik.limit_angle);
  Count(ik.links.size());
  for (const PmxIkLink& link : ik.links) {
    Index(link.bone, Kind::kBone);
    U8(link.has_limit ? 1 : 0);
    if (!link.has_limit) continue;
    F(link.min);
    F(link.max);
  }
}

void PmxWriter::Bones() {
  Enter({"bones", "bone"});
  Count(model_.bones.size());
  bool parents_known = true;
  for (std::size_t i = 0; i < model_.bones.size(); ++i) {
    Begin(i);
    const PmxBone& bone = model_.bones[i];
    Text(bone.name);
    Text(bone.name_en);
    F(bone.position);
    Index(bone.parent, Kind::kBone);
    parents_known &=
        bone.parent == kNoIndex ||
        (bone.parent >= 0 && static_cast<std::size_t>(bone.parent) < model_.bones.size());
    I32(bone.layer);
    U16(bone.flags);
    if (bone.has(kBoneTailIsBone)) {
      Index(bone.tail_bone, Kind::kBone);
    } else {
      F(bone.tail_offset);
    }
    if (bone.appends()) {
      Index(bone.append_source, Kind::kBone);
      F(bone.append_ratio);
    }
    if (bone.has(kBoneFixedAxis)) F(bone.fixed_axis);
    if (bone.has(kBoneLocalAxes)) {
      F(bone.local_x);
      F(bone.local_z);
    }
    if (bone.has(kBoneExternalParent)) I32(bone.external_key);
    if (bone.has(kBoneIk)) Ik(bone.ik);
  }
  if (!parents_known) return;  // that is an error already
  if (const auto cyclic = FindParentCycle(model_.bones)) {
    Begin(*cyclic);
    Fail(ErrorCode::kInvalidValue, Element() + " is its own ancestor");
  }
}

void PmxWriter::Entries(const PmxMorph& morph) {
  switch (morph.type) {
    case PmxMorphType::kFlip:
    case PmxMorphType::kGroup:
      Count(morph.group.size());
      for (const PmxGroupEntry& e : morph.group) {
        Index(e.morph, Kind::kMorph);
        F(e.rate);
      }
      return;
    case PmxMorphType::kVertex:
      Count(morph.vertex.size());
      for (const PmxVertexEntry& e : morph.vertex) {
        VertexIndex(e.vertex);
        F(e.offset);
      }
      return;
    case PmxMorphType::kBone:
      Count(morph.bone.size());
      for (const PmxBoneEntry& e : morph.bone) {
        Index(e.bone, Kind::kBone);
        F(e.translation);
        F(e.rotation);
      }
      return;
    case PmxMorphType::kUv:
    case PmxMorphType::kUv1:
    case PmxMorphType::kUv2:
    case PmxMorphType::kUv3:
    case PmxMorphType::kUv4:
      Count(morph.uv.size());
      for (const PmxUvEntry& e : morph.uv) {
        VertexIndex(e.vertex);
        F(e.offset);
      }
      return;
    case PmxMorphType::kMaterial:
      Count(morph.material.size());
      for (const PmxMaterialEntry& e : morph.material) {
        Index(e.material, Kind::kMaterial);
        if (e.operation > 1) {
          Fail(ErrorCode::kInvalidValue, "an operation of " + Element() + " is " +
                                             std::to_string(e.operation) +
                                             ", but only 0 and 1 exist");
        }
        U8(e.operation);
        F(e.diffuse);
        F(e.specular);
        F(e.shininess);
        F(e.ambient);
        F(e.edge_color);
        F(e.edge_size);
        F(e.texture);
        F(e.sphere);
        F(e.toon);
      }
      return;
    case PmxMorphType::kImpulse:
      Count(morph.impulse.size());
      for (const PmxImpulseEntry& e : morph.impulse) {
        Index(e.body, Kind::kBody);
        U8(e.local ? 1 : 0);
        F(e.velocity);
        F(e.torque);
      }
      return;
  }
  Fail(ErrorCode::kInvalidValue, "the type of " + Element() + " is not one of the eleven");
}

void PmxWriter::Morphs() {
  Enter({"morphs", "morph"});
  Count(model_.morphs.size());
  for (std::size_t i = 0; i < model_.morphs.size(); ++i) {
    Begin(i);
    const PmxMorph& morph = model_.morphs[i];
    Text(morph.name);
    Text(morph.name_en);
    U8(morph.panel);
    if (morph.type >= PmxMorphType::kFlip) Needs21("a type of 2.1");
    U8(static_cast<std::uint8_t>(morph.type));
    Entries(morph);
  }
}

void PmxWriter::Frames() {
  Enter({"display frames", "display frame"});
  Count(model_.frames.size());
  for (std::size_t i = 0; i < model_.frames.size(); ++i) {
    Begin(i);
    const PmxDisplayFrame& frame = model_.frames[i];
    Text(frame.name);
    Text(frame.name_en);
    U8(frame.special ? 1 : 0);
    Count(frame.entries.size());
    for (const PmxFrameEntry& entry : frame.entries) {
      U8(entry.is_morph ? 1 : 0);
      Index(entry.index, entry.is_morph ? Kind::kMorph : Kind::kBone);
    }
  }
}

void PmxWriter::Bodies() {
  Enter({"rigid bodies", "rigid body"});
  Count(model_.bodies.size());
  for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
    Begin(i);
    const PmxRigidBody& body = model_.bodies[i];
    const RawBodyKinds kinds{static_cast<std::uint8_t>(body.shape),
                             static_cast<std::uint8_t>(body.mode)};
    if (const std::string fault = FaultOf(body, kinds, model_.bones.size()); !fault.empty()) {
      Fail(ErrorCode::kInvalidValue, Element() + " " + fault);
    }
    Text(body.name);
    Text(body.name_en);
    Index(body.bone, Kind::kBone);
    U8(body.group);
    U16(body.collides_with);
    U8(kinds.shape);
    F(body.size);
    F(body.position);
    F(body.rotation);
    F(body.mass);
    F(body.linear_damping);
    F(body.angular_damping);
    F(body.restitution);
    F(body.friction);
    U8(kinds.mode);
  }
}

void PmxWriter::Joints() {
  Enter({"joints", "joint"});
  Count(model_.joints.size());
  for (std::size_t i = 0; i < model_.joints.size(); ++i) {
    Begin(i);
    const PmxJoint& joint = model_.joints[i];
    const auto type = static_cast<std::uint8_t>(joint.type);
    if (const std::string fault = FaultOf(joint, type); !fault.empty()) {
      Fail(ErrorCode::kInvalidValue, Element() + " " + fault);
    }
    if (type != 0) Needs21("a type of 2.1");
    Text(joint.name);
    Text(joint.name_en);
    U8(type);
    Index(joint.body_a, Kind::kBody);
    Index(joint.body_b, Kind::kBody);
    for (const Vec3f& vector : {joint.position, joint.rotation, joint.translation_min,
                                joint.translation_max, joint.rotation_min, joint.rotation_max,
                                joint.spring_translation, joint.spring_rotation}) {
      F(vector);
    }
  }
}

void PmxWriter::SoftBodies() {
  Enter({"soft bodies", "soft body"});
  if (version_ == PmxVersion::k20) return;
  Count(model_.soft_bodies.size());
  for (std::size_t i = 0; i < model_.soft_bodies.size(); ++i) {
    Begin(i);
    const PmxSoftBody& soft = model_.soft_bodies[i];
    if (soft.shape > 1 || soft.group > 15) {
      Fail(ErrorCode::kInvalidValue, Element() + " has an unknown shape or group");
    }
    Text(soft.name);
    Text(soft.name_en);
    U8(soft.shape);
    Index(soft.material, Kind::kMaterial);
    U8(soft.group);
    U16(soft.collides_with);
    U8(soft.flags);
    I32(soft.b_link_distance);
    I32(soft.cluster_count);
    F(soft.total_mass);
    F(soft.collision_margin);
    I32(soft.aero_model);
    for (const float number : soft.config) F(number);
    for (const float number : soft.cluster) F(number);
    for (const std::int32_t number : soft.iterations) I32(number);
    for (const std::uint32_t bits : soft.stiffness) U32(bits);
    Count(soft.anchors.size());
    for (const PmxAnchor& anchor : soft.anchors) {
      Index(anchor.body, Kind::kBody);
      VertexIndex(anchor.vertex);
      U8(anchor.near_mode);
    }
    Count(soft.pins.size());
    for (const std::uint32_t pin : soft.pins) VertexIndex(pin);
  }
}

}  // namespace flexor::io::mmd
