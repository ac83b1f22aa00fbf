/// @file asset/mmd_rig.h
/// What moves the bones of a MikuMikuDance character besides its keys: order, append, IK, fixed
/// axes, morphs that act on the pose, rigid bodies. Terms: docs/glossary.md; the solver that reads
/// it: pose/mmd_solver.h.
///
/// Everything here is in house axes and metres. The format is left-handed with characters that look
/// along -Z; the reader mirrors Z (m = metres_per_unit):
///     point, offset, size     (x, y, z)    -> (x, y, -z) * m   (sizes keep their signs)
///     direction               (x, y, z)    -> (x, y, -z)
///     quaternion              (x, y, z, w) -> (-x, -y, z, w)
///     Euler angles            (x, y, z)    -> (-x, -y, z), in the same order of axes
///     limits of angles        x and y: [min, max] -> [-max, -min]; z as it is
///     limits of offsets       z: [min, max] -> [-max, -min]; x and y as they are; all * m
///     velocity                as a point; torque as Euler angles, times m * m
/// A knee that the format limits to -180..-0.5 degrees about X bends 0.5..180 degrees about X here:
/// the shin, hanging along -Y, swings to -Z, behind the character.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "flexor/asset/mmd_physics.h"
#include "flexor/asset/node.h"
#include "flexor/math/quat.h"
#include "flexor/math/vec.h"

namespace flexor::asset {

/// A bone that takes a part of another's motion ("grant").
struct MmdAppend {
  std::uint32_t source = 0;  ///< index into MmdRig::bones
  double ratio = 0;          ///< any sign and size
  bool rotation = false;
  bool translation = false;
  bool local = false;  ///< takes the source's motion in model space instead of its own change
                       ///< (what a dialect makes of it: docs/formats/mmd-solver.md)
};

/// One bone that an IK chain may turn.
struct MmdIkLink {
  std::uint32_t bone = 0;  ///< index into MmdRig::bones
  bool limited = false;
  Vec3d min{}, max{};  ///< radians about x, y, z in house axes, min <= max; meaningful when limited
};

/// A chain that turns its links until `effector` lies on the bone that owns the chain.
struct MmdIk {
  std::uint32_t goal = 0;          ///< the bone with the IK flag, index into MmdRig::bones
  std::uint32_t effector = 0;      ///< called "target" in the format
  std::uint32_t iterations = 0;    ///< the solver runs at most 1024
  double step_limit = 0;           ///< radians per step, not negative
  std::vector<MmdIkLink> links{};  ///< nearest the effector first
};

/// One bone. Bone i is node MmdRig::first_node + i; hierarchy and rest position are the node's.
struct MmdBone {
  std::int32_t layer = 0;      ///< "deform layer": lower ones come first
  bool after_physics = false;  ///< evaluated in the second pass
  std::optional<MmdAppend> append{};
  std::optional<Vec3d> fixed_axis{};  ///< unit: the only axis it may turn about
  std::int32_t ik = kNone;            ///< index into MmdRig::ik of the chain it is the goal of
  std::optional<std::int32_t> external_parent{};  ///< key, stored only
  std::string match_name{};  ///< CP932 bytes of the name where it has them, what motions call it by
};

/// What a slider acts on.
enum class MmdMorphKind : std::uint8_t {
  kGroup,     ///< members' weights += weight * rate
  kVertex,    ///< weight of one morph of the mesh
  kBone,      ///< moves and turns bones
  kTexcoord,  ///< stored by the reader only: pictures do not follow it
  kMaterial,  ///< likewise
  kFlip,      ///< picks one member by weight
  kImpulse,   ///< pushes rigid bodies
};

/// A named slider. Only the lists of its kind have entries.
struct MmdMorph {
  struct Member {
    std::uint32_t morph = 0;  ///< index into MmdRig::morphs, never leading back here
    double rate = 0;
  };
  struct Bone {
    std::uint32_t bone = 0;  ///< index into MmdRig::bones
    Vec3d translation{};     ///< metres
    Quatd rotation{};        ///< unit
  };
  struct Impulse {
    std::uint32_t body = 0;  ///< index into MmdRig::bodies
    bool local = false;
    Vec3d velocity{}, torque{};
  };
  std::string name{};        ///< UTF-8
  std::string match_name{};  ///< CP932 bytes, what motions call it by
  MmdMorphKind kind = MmdMorphKind::kGroup;
  std::uint8_t panel = 0;           ///< 0 hidden, 1 eyebrow, 2 eye, 3 mouth, 4 other
  std::int32_t mesh_morph = kNone;  ///< kVertex: index into Mesh::morphs of mesh 0
  std::vector<Member> members{};    ///< kGroup, kFlip (there the order counts)
  std::vector<Bone> bones{};        ///< kBone
  std::vector<Impulse> impulses{};  ///< kImpulse
};

/// The whole rig. Its bones are nodes [first_node, first_node + bones.size()), all rest rotations
/// identity, all rest scales 1.
struct MmdRig {
  std::uint32_t first_node = 0;
  std::vector<MmdBone> bones{};
  std::vector<MmdIk> ik{};
  std::vector<MmdMorph> morphs{};
  std::vector<MmdBody> bodies{};
  std::vector<MmdJoint> joints{};
  double metres_per_unit = 0.08;  ///< what gravity and springs were scaled by
};

}  // namespace flexor::asset
