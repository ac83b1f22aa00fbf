#include <cmath>

#include "asset/validate.h"

namespace flexor::asset {
namespace {

std::string BonePlace(const Character& character, std::size_t bone) {
  return Named("MMD bone", bone, character.nodes[character.mmd->first_node + bone].name);
}

Status CheckBoneIndex(std::uint32_t bone, const MmdRig& rig, const std::string& place,
                      std::string_view what) {
  if (bone < rig.bones.size()) return {};
  return IndexError(place, what, bone, rig.bones.size(), "MMD bones");
}

Status CheckFinite(double value, const std::string& place, std::string_view what) {
  if (std::isfinite(value)) return {};
  return At(ErrorCode::kInvalidValue, place, "its " + std::string(what) + " is not finite");
}

Status CheckFinite(Vec3d value, const std::string& place, std::string_view what) {
  if (IsFinite(value)) return {};
  return At(ErrorCode::kInvalidValue, place, "its " + std::string(what) + " is not finite");
}

Status CheckNotNegative(double value, const std::string& place, std::string_view what) {
  FLEXOR_TRY(CheckFinite(value, place, what));
  if (value >= 0) return {};
  return At(ErrorCode::kInvalidValue, place,
            "its " + std::string(what) + " " + std::to_string(value) + " is negative");
}

// Unit length, or an error: the same rule as for the rest rotations of nodes.
Status UnitRotation(Quatd& rotation, const std::string& place) {
  const double length_squared = Dot(rotation, rotation);
  if (!std::isfinite(length_squared)) {
    return At(ErrorCode::kInvalidValue, place, "its rotation is not finite");
  }
  if (length_squared < 1e-12) {
    return At(ErrorCode::kInvalidValue, place,
              "its rotation is a zero quaternion, which has no direction");
  }
  if (std::abs(length_squared - 1) > 1e-14) rotation = Normalized(rotation);
  return {};
}

// Bones start unturned and unscaled: the whole of the format rests on that.
Status CheckBoneNodes(const Character& character) {
  const MmdRig& rig = *character.mmd;
  const std::size_t count = character.nodes.size();
  if (rig.first_node > count || rig.bones.size() > count - rig.first_node) {
    return At(ErrorCode::kIndexOutOfRange, "MMD rig",
              std::to_string(rig.bones.size()) + " bones from node " +
                  std::to_string(rig.first_node) + ", but there are " + std::to_string(count) +
                  " nodes");
  }
  for (std::size_t b = 0; b < rig.bones.size(); ++b) {
    const Node& node = character.nodes[rig.first_node + b];
    if (node.rest_matrix) {
      return At(ErrorCode::kInvalidValue, BonePlace(character, b),
                "its node rests at a matrix; a bone must rest at a translation alone");
    }
    const Quatd q = node.rest.rotation;
    if (q.x != 0 || q.y != 0 || q.z != 0) {
      return At(ErrorCode::kInvalidValue, BonePlace(character, b),
                "its node is turned at rest; a bone must rest at a translation alone");
    }
    if (node.rest.scale != Vec3d{1, 1, 1}) {
      return At(ErrorCode::kInvalidValue, BonePlace(character, b),
                "its node is scaled at rest; a bone must rest at a translation alone");
    }
  }
  return {};
}

Status CheckBone(MmdRig& rig, std::size_t index, const std::string& place) {
  MmdBone& bone = rig.bones[index];
  if (bone.append) {
    FLEXOR_TRY(CheckBoneIndex(bone.append->source, rig, place, "append source"));
    FLEXOR_TRY(CheckFinite(bone.append->ratio, place, "append ratio"));
  }
  if (bone.fixed_axis) {
    FLEXOR_TRY(CheckFinite(*bone.fixed_axis, place, "fixed axis"));
    const double length = Length(*bone.fixed_axis);
    if (!(length > 1e-6)) {
      return At(ErrorCode::kInvalidValue, place, "its fixed axis has no direction");
    }
    if (std::abs(length - 1) > 1e-14) bone.fixed_axis = Normalized(*bone.fixed_axis);
  }
  if (bone.ik == kNone) return {};
  if (bone.ik < 0 || static_cast<std::size_t>(bone.ik) >= rig.ik.size()) {
    return At(ErrorCode::kIndexOutOfRange, place,
              "IK chain " + std::to_string(bone.ik) + ", but there are " +
                  std::to_string(rig.ik.size()) + " IK chains");
  }
  const std::uint32_t goal = rig.ik[static_cast<std::size_t>(bone.ik)].goal;
  if (goal != index) {
    return At(ErrorCode::kInvalidValue, place,
              "says it is the goal of IK chain " + std::to_string(bone.ik) +
                  ", whose goal is bone " + std::to_string(goal));
  }
  return {};
}

Status CheckIk(const MmdRig& rig, std::size_t index, const Character& character) {
  const MmdIk& ik = rig.ik[index];
  std::string place = "IK chain " + std::to_string(index);
  FLEXOR_TRY(CheckBoneIndex(ik.goal, rig, place, "goal"));
  place += " of " + BonePlace(character, ik.goal);
  if (rig.bones[ik.goal].ik != static_cast<std::int32_t>(index)) {
    return At(ErrorCode::kInvalidValue, place,
              "its goal names chain " + std::to_string(rig.bones[ik.goal].ik) + " instead");
  }
  FLEXOR_TRY(CheckBoneIndex(ik.effector, rig, place, "effector"));
  FLEXOR_TRY(CheckNotNegative(ik.step_limit, place, "step limit"));
  for (std::size_t l = 0; l < ik.links.size(); ++l) {
    const MmdIkLink& link = ik.links[l];
    const std::string link_place = place + " link " + std::to_string(l);
    FLEXOR_TRY(CheckBoneIndex(link.bone, rig, link_place, "bone"));
    if (!link.limited) continue;
    FLEXOR_TRY(CheckFinite(link.min, link_place, "lower limit"));
    FLEXOR_TRY(CheckFinite(link.max, link_place, "upper limit"));
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (link.min[axis] > link.max[axis]) {
        return At(ErrorCode::kInvalidValue, link_place,
                  "its lower limit " + std::to_string(link.min[axis]) + " is above its upper " +
                      std::to_string(link.max[axis]));
      }
    }
  }
  return {};
}

// Follows at most one arrow from each thing; finds one that leads back to itself.
Status CheckAppendCycles(const Character& character) {
  const MmdRig& rig = *character.mmd;
  enum : std::uint8_t { kUnseen, kOnPath, kDone };
  std::vector<std::uint8_t> state(rig.bones.size(), kUnseen);
  std::vector<std::size_t> path;
  for (std::size_t start = 0; start < rig.bones.size(); ++start) {
    path.clear();
    std::size_t at = start;
    while (state[at] == kUnseen) {
      state[at] = kOnPath;
      path.push_back(at);
      if (!rig.bones[at].append) break;
      at = rig.bones[at].append->source;
    }
    if (state[at] == kOnPath && rig.bones[at].append) {
      return At(ErrorCode::kInvalidValue, BonePlace(character, at),
                "its append leads back to itself, by way of " +
                    BonePlace(character, rig.bones[at].append->source));
    }
    for (const std::size_t bone : path) state[bone] = kDone;
  }
  return {};
}

bool HasMembers(const MmdMorph& morph) {
  return morph.kind == MmdMorphKind::kGroup || morph.kind == MmdMorphKind::kFlip;
}

// Depth first without recursion: a file may nest groups as deep as it has morphs.
Status CheckGroupCycles(const MmdRig& rig) {
  enum : std::uint8_t { kUnseen, kOnPath, kDone };
  std::vector<std::uint8_t> state(rig.morphs.size(), kUnseen);
  struct Step {
    std::size_t morph, next_member;
  };
  std::vector<Step> path;
  for (std::size_t start = 0; start < rig.morphs.size(); ++start) {
    if (state[start] != kUnseen) continue;
    state[start] = kOnPath;
    path.push_back({start, 0});
    while (!path.empty()) {
      Step& step = path.back();
      const MmdMorph& morph = rig.morphs[step.morph];
      if (!HasMembers(morph) || step.next_member == morph.members.size()) {
        state[step.morph] = kDone;
        path.pop_back();
        continue;
      }
      const std::size_t member = morph.members[step.next_member++].morph;
      if (state[member] == kOnPath) {
        return At(ErrorCode::kInvalidValue, Named("MMD morph", member, rig.morphs[member].name),
                  "is a member of itself, by way of " + Named("MMD morph", step.morph, morph.name));
      }
      if (state[member] == kUnseen) {
        state[member] = kOnPath;
        path.push_back({member, 0});
      }
    }
  }
  return {};
}

Status CheckMorph(MmdRig& rig, std::size_t index, std::size_t mesh_morphs) {
  MmdMorph& morph = rig.morphs[index];
  const std::string place = Named("MMD morph", index, morph.name);
  if (morph.mesh_morph != kNone &&
      (morph.mesh_morph < 0 || static_cast<std::size_t>(morph.mesh_morph) >= mesh_morphs)) {
    return At(ErrorCode::kIndexOutOfRange, place,
              "mesh morph " + std::to_string(morph.mesh_morph) + ", but there are " +
                  std::to_string(mesh_morphs) + " morphs of mesh 0");
  }
  for (std::size_t m = 0; m < morph.members.size(); ++m) {
    const std::string entry = place + " entry " + std::to_string(m);
    if (morph.members[m].morph >= rig.morphs.size()) {
      return IndexError(entry, "morph", morph.members[m].morph, rig.morphs.size(), "MMD morphs");
    }
    FLEXOR_TRY(CheckFinite(morph.members[m].rate, entry, "rate"));
  }
  for (std::size_t m = 0; m < morph.bones.size(); ++m) {
    const std::string entry = place + " entry " + std::to_string(m);
    FLEXOR_TRY(CheckBoneIndex(morph.bones[m].bone, rig, entry, "bone"));
    FLEXOR_TRY(CheckFinite(morph.bones[m].translation, entry, "translation"));
    FLEXOR_TRY(UnitRotation(morph.bones[m].rotation, entry));
  }
  for (std::size_t m = 0; m < morph.impulses.size(); ++m) {
    const std::string entry = place + " entry " + std::to_string(m);
    if (morph.impulses[m].body >= rig.bodies.size()) {
      return IndexError(entry, "rigid body", morph.impulses[m].body, rig.bodies.size(),
                        "rigid bodies");
    }
    FLEXOR_TRY(CheckFinite(morph.impulses[m].velocity, entry, "velocity"));
    FLEXOR_TRY(CheckFinite(morph.impulses[m].torque, entry, "torque"));
  }
  return {};
}

Status CheckBody(MmdRig& rig, std::size_t index) {
  MmdBody& body = rig.bodies[index];
  const std::string place = Named("rigid body", index, body.name);
  if (body.bone != kNone &&
      (body.bone < 0 || static_cast<std::size_t>(body.bone) >= rig.bones.size())) {
    return At(ErrorCode::kIndexOutOfRange, place,
              "bone " + std::to_string(body.bone) + ", but there are " +
                  std::to_string(rig.bones.size()) + " MMD bones");
  }
  if (body.group > 15) {
    return At(ErrorCode::kInvalidValue, place,
              "group " + std::to_string(body.group) + ", but groups are 0 to 15");
  }
  FLEXOR_TRY(CheckNotNegative(body.size.x, place, "size"));
  FLEXOR_TRY(CheckNotNegative(body.size.y, place, "size"));
  FLEXOR_TRY(CheckNotNegative(body.size.z, place, "size"));
  FLEXOR_TRY(CheckFinite(body.position, place, "position"));
  FLEXOR_TRY(UnitRotation(body.rotation, place));
  FLEXOR_TRY(CheckNotNegative(body.mass, place, "mass"));
  FLEXOR_TRY(CheckFinite(body.linear_damping, place, "linear damping"));
  FLEXOR_TRY(CheckFinite(body.angular_damping, place, "angular damping"));
  FLEXOR_TRY(CheckFinite(body.restitution, place, "restitution"));
  return CheckFinite(body.friction, place, "friction");
}

Status CheckJoint(MmdRig& rig, std::size_t index) {
  MmdJoint& joint = rig.joints[index];
  const std::string place = Named("joint between bodies", index, joint.name);
  for (const std::uint32_t body : {joint.body_a, joint.body_b}) {
    if (body >= rig.bodies.size()) {
      return IndexError(place, "rigid body", body, rig.bodies.size(), "rigid bodies");
    }
  }
  FLEXOR_TRY(CheckFinite(joint.position, place, "position"));
  FLEXOR_TRY(UnitRotation(joint.rotation, place));
  FLEXOR_TRY(CheckFinite(joint.translation_min, place, "lower limit of translation"));
  FLEXOR_TRY(CheckFinite(joint.translation_max, place, "upper limit of translation"));
  FLEXOR_TRY(CheckFinite(joint.rotation_min, place, "lower limit of rotation"));
  FLEXOR_TRY(CheckFinite(joint.rotation_max, place, "upper limit of rotation"));
  FLEXOR_TRY(CheckFinite(joint.spring_translation, place, "spring of translation"));
  return CheckFinite(joint.spring_rotation, place, "spring of rotation");
}

}  // namespace

Status FinalizeMmd(Character& character) {
  if (!character.mmd) return {};
  MmdRig& rig = *character.mmd;
  if (!std::isfinite(rig.metres_per_unit) || rig.metres_per_unit <= 0) {
    return At(ErrorCode::kInvalidValue, "MMD rig",
              "its " + std::to_string(rig.metres_per_unit) +
                  " metres per unit must be positive and finite");
  }
  FLEXOR_TRY(CheckBoneNodes(character));
  for (std::size_t b = 0; b < rig.bones.size(); ++b) {
    FLEXOR_TRY(CheckBone(rig, b, BonePlace(character, b)));
  }
  FLEXOR_TRY(CheckAppendCycles(character));
  for (std::size_t i = 0; i < rig.ik.size(); ++i) FLEXOR_TRY(CheckIk(rig, i, character));
  const std::size_t mesh_morphs =
      character.meshes.empty() ? 0 : character.meshes.front().morphs.size();
  for (std::size_t m = 0; m < rig.morphs.size(); ++m) {
    FLEXOR_TRY(CheckMorph(rig, m, mesh_morphs));
  }
  FLEXOR_TRY(CheckGroupCycles(rig));
  for (std::size_t b = 0; b < rig.bodies.size(); ++b) FLEXOR_TRY(CheckBody(rig, b));
  for (std::size_t j = 0; j < rig.joints.size(); ++j) FLEXOR_TRY(CheckJoint(rig, j));
  return {};
}

}  // namespace flexor::asset
