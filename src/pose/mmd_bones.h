/// @file pose/mmd_bones.h
/// The bones of one MMD character during one frame: own motion, append, and what they come to.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "flexor/asset/character.h"
#include "flexor/pose/mmd_solver.h"
#include "flexor/pose/pose.h"

namespace flexor::pose {

/// One bone during a frame. Rotations are local: relative to the parent.
struct BoneFrame {
  Vec3d offset;           ///< own translation: keys and bone morphs, relative to rest
  Vec3d morph_offset;     ///< the part of it that bone morphs make
  Quatd morph_rotation;   ///< all bone morphs of this bone together
  Quatd own;              ///< own rotation: keys, bone morphs, fixed axis
  Vec3d scale{1, 1, 1};   ///< only other animation than MMD's sets it
  Quatd base;             ///< what the IK rotation is joined to: own, with append but for saba
  Quatd tail;             ///< saba: the append, which acts before IK and own; identity elsewhere
  Quatd ik;               ///< what IK turned
  Quatd passed_rotation;  ///< what appends take from this bone, without IK
  Vec3d passed_offset;
  Quatd rotation;     ///< all together
  Vec3d translation;  ///< all together, rest included
  Quatd model_rotation;
  bool scaled = false;
  bool driven = false;  ///< a body has set rotation and translation
};

/// The plan (made once) and the frame (begun anew each time).
class MmdBones {
 public:
  explicit MmdBones(const asset::Character& character);

  /// Takes the keys of the pose and poses all nodes by them alone.
  void Begin(const Pose& pose, MmdDialect dialect, std::vector<Mat34d>& model_from_node);
  /// Adds a bone morph's entry; between Begin and SettleOwn.
  void AddMorph(const asset::MmdMorph::Bone& entry, double weight);
  /// Joins keys and bone morphs, holds bones to their fixed axes and composes all nodes.
  void SettleOwn();
  /// Append, IK as it stands, and the matrix of one bone by that of its parent.
  void Evaluate(std::uint32_t bone);
  /// The matrix of one bone by its rotation and translation, after these or its parent changed.
  void Compose(std::uint32_t bone);
  /// After a change of ik: rotation and matrix.
  void Turn(std::uint32_t bone);
  /// All nodes, parents first; bones driven by bodies keep their place relative to their parents.
  void ComposeAll();
  /// Takes the matrices that bodies have written, and lets everything below follow.
  void TakeDriven(std::span<const std::uint32_t> driven);

  std::size_t count() const { return frames_.size(); }
  BoneFrame& frame(std::uint32_t bone) { return frames_[bone]; }
  const BoneFrame& frame(std::uint32_t bone) const { return frames_[bone]; }
  /// All together, as transform of the node relative to its parent.
  Transform local(std::uint32_t bone) const {
    const BoneFrame& frame = frames_[bone];
    return {frame.translation, frame.rotation, frame.scale};
  }
  const Mat34d& matrix(std::uint32_t bone) const { return (*model_from_node_)[first_node_ + bone]; }
  Vec3d position(std::uint32_t bone) const { return matrix(bone).translation; }
  Quatd ParentRotation(std::uint32_t bone) const;
  Vec3d rest_offset(std::uint32_t bone) const { return plans_[bone].rest_offset; }
  /// In model space.
  Vec3d rest_position(std::uint32_t bone) const { return plans_[bone].rest_position; }
  /// Index of the parent among the bones, or asset::kNone.
  std::int32_t parent(std::uint32_t bone) const { return plans_[bone].parent_bone; }
  /// Bones, parents before children.
  std::span<const std::uint32_t> hierarchy() const { return hierarchy_; }
  MmdDialect dialect() const { return dialect_; }

 private:
  struct Plan {
    std::int32_t parent_node = asset::kNone, parent_bone = asset::kNone;
    Vec3d rest_offset;    // from the parent
    Vec3d rest_position;  // in model space
  };

  bool IsBone(std::uint32_t node) const {
    return node >= first_node_ && node - first_node_ < frames_.size();
  }
  Quatd OwnRotation(const BoneFrame& frame, const asset::MmdBone& bone) const;
  void Append(std::uint32_t bone);
  Quatd AppendedRotation(const asset::MmdAppend& append) const;
  Vec3d AppendedOffset(const asset::MmdAppend& append) const;
  void Join(BoneFrame& frame) const;
  Mat34d MatrixOf(std::uint32_t node);

  const asset::Character* character_;
  const asset::MmdRig* rig_;
  std::uint32_t first_node_;
  std::vector<Plan> plans_;
  std::vector<std::uint32_t> hierarchy_;
  std::vector<BoneFrame> frames_;
  MmdDialect dialect_ = MmdDialect::kUmt;
  const Pose* pose_ = nullptr;
  std::vector<Mat34d>* model_from_node_ = nullptr;
};

}  // namespace flexor::pose
