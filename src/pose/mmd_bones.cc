#include "pose/mmd_bones.h"

#include "pose/mmd_rotation.h"

namespace flexor::pose {

MmdBones::MmdBones(const asset::Character& character)
    : character_(&character),
      rig_(&*character.mmd),
      first_node_(rig_->first_node),
      plans_(rig_->bones.size()),
      frames_(rig_->bones.size()) {
  std::vector<Mat34d> rest;
  ComputeModelSpace(character, RestPose(character), rest);
  for (std::uint32_t b = 0; b < plans_.size(); ++b) {
    const asset::Node& node = character.nodes[first_node_ + b];
    Plan& plan = plans_[b];
    plan.parent_node = node.parent;
    if (node.parent != asset::kNone && IsBone(static_cast<std::uint32_t>(node.parent))) {
      plan.parent_bone = node.parent - static_cast<std::int32_t>(first_node_);
    }
    plan.rest_offset = node.rest.translation;
    plan.rest_position = rest[first_node_ + b].translation;
  }
  hierarchy_.reserve(plans_.size());
  for (const std::uint32_t node : character.node_order) {
    if (IsBone(node)) hierarchy_.push_back(node - first_node_);
  }
}

void MmdBones::Begin(const Pose& pose, MmdDialect dialect, std::vector<Mat34d>& model_from_node) {
  pose_ = &pose;
  dialect_ = dialect;
  model_from_node_ = &model_from_node;
  model_from_node.resize(character_->nodes.size());
  for (std::uint32_t b = 0; b < frames_.size(); ++b) {
    const Transform& local = pose.locals[first_node_ + b];
    BoneFrame frame;
    frame.offset = local.translation - plans_[b].rest_offset;
    frame.own = local.rotation;
    frame.scale = local.scale;
    frame.scaled = local.scale != Vec3d{1, 1, 1};
    frames_[b] = frame;
  }
}

void MmdBones::AddMorph(const asset::MmdMorph::Bone& entry, double weight) {
  BoneFrame& frame = frames_[entry.bone];
  frame.offset += entry.translation * weight;
  frame.morph_offset += entry.translation * weight;
  // UMT multiplies what each morph turns. The others go from what the morphs before have made
  // towards this one's rotation, so that a weight of 1 leaves nothing of those before.
  const Quatd before = frame.morph_rotation;
  const Quatd turn =
      dialect_ == MmdDialect::kUmt ? entry.rotation : Conjugate(before) * entry.rotation;
  frame.morph_rotation = Normalized(before * ScaledRotation(turn, weight));
}

Quatd MmdBones::OwnRotation(const BoneFrame& frame, const asset::MmdBone& bone) const {
  switch (dialect_) {
    case MmdDialect::kUmt: {
      const Quatd own = frame.own * frame.morph_rotation;
      return bone.fixed_axis ? TwistAbout(own, *bone.fixed_axis) : own;
    }
    case MmdDialect::kBabylon: {
      const Quatd keys = bone.fixed_axis ? SameAngleAbout(frame.own, *bone.fixed_axis) : frame.own;
      return frame.morph_rotation * keys;
    }
    case MmdDialect::kSaba:
      return frame.own * frame.morph_rotation;
  }
  return frame.own;
}

void MmdBones::SettleOwn() {
  for (std::uint32_t b = 0; b < frames_.size(); ++b) {
    BoneFrame& frame = frames_[b];
    frame.own = Normalized(OwnRotation(frame, rig_->bones[b]));
    frame.base = frame.rotation = frame.passed_rotation = frame.own;
    frame.passed_offset = frame.offset;
    frame.translation = plans_[b].rest_offset + frame.offset;
  }
  ComposeAll();
}

Quatd MmdBones::AppendedRotation(const asset::MmdAppend& append) const {
  const BoneFrame& source = frames_[append.source];
  Quatd taken;
  switch (dialect_) {
    case MmdDialect::kUmt:
      taken = append.local ? source.model_rotation : source.passed_rotation * source.ik;
      break;
    case MmdDialect::kBabylon:
      taken = append.local ? source.model_rotation : source.ik * source.passed_rotation;
      break;
    case MmdDialect::kSaba:
      taken = source.ik * (append.local ? source.own : source.passed_rotation);
      break;
  }
  return ScaledRotation(taken, append.ratio);
}

Vec3d MmdBones::AppendedOffset(const asset::MmdAppend& append) const {
  const BoneFrame& source = frames_[append.source];
  if (dialect_ == MmdDialect::kSaba) {
    // saba keeps keys apart from what it appends of a translation.
    const bool handed_on = !append.local && rig_->bones[append.source].append;
    return (handed_on ? source.passed_offset : source.morph_offset) * append.ratio;
  }
  if (!append.local) return source.passed_offset * append.ratio;
  return (position(append.source) - plans_[append.source].rest_position) * append.ratio;
}

void MmdBones::Append(std::uint32_t bone) {
  BoneFrame& frame = frames_[bone];
  frame.base = frame.passed_rotation = frame.own;
  frame.tail = {};
  frame.passed_offset = frame.offset;
  frame.translation = plans_[bone].rest_offset + frame.offset;
  const auto& append = rig_->bones[bone].append;
  if (!append) return;
  const bool saba = dialect_ == MmdDialect::kSaba;
  if (append->rotation) {
    const Quatd taken = AppendedRotation(*append);
    if (dialect_ == MmdDialect::kUmt) frame.base = frame.passed_rotation = taken * frame.own;
    if (dialect_ == MmdDialect::kBabylon) frame.base = frame.passed_rotation = frame.own * taken;
    if (saba) frame.tail = frame.passed_rotation = taken;
  } else if (saba) {
    frame.passed_rotation = {};
  }
  if (append->translation) {
    const Vec3d taken = AppendedOffset(*append);
    frame.translation += taken;
    frame.passed_offset = saba ? taken : frame.offset + taken;
  } else if (saba) {
    frame.passed_offset = {};
  }
}

void MmdBones::Join(BoneFrame& frame) const {
  frame.rotation =
      Normalized(dialect_ == MmdDialect::kUmt       ? frame.base * frame.ik
                 : dialect_ == MmdDialect::kBabylon ? frame.ik * frame.base
                                                    : frame.ik * frame.base * frame.tail);
}

Quatd MmdBones::ParentRotation(std::uint32_t bone) const {
  const Plan& plan = plans_[bone];
  if (plan.parent_bone != asset::kNone) {
    return frames_[static_cast<std::size_t>(plan.parent_bone)].model_rotation;
  }
  if (plan.parent_node == asset::kNone) return {};
  return RotationIn((*model_from_node_)[static_cast<std::size_t>(plan.parent_node)].linear);
}

void MmdBones::Compose(std::uint32_t bone) {
  BoneFrame& frame = frames_[bone];
  const Plan& plan = plans_[bone];
  Mat34d local{ToMat3(frame.rotation), frame.translation};
  if (frame.scaled) {
    local.linear = {local.linear.x * frame.scale.x, local.linear.y * frame.scale.y,
                    local.linear.z * frame.scale.z};
  }
  Mat34d& model_from_bone = (*model_from_node_)[first_node_ + bone];
  if (plan.parent_node == asset::kNone) {
    model_from_bone = local;
    frame.model_rotation = frame.rotation;
    return;
  }
  model_from_bone = (*model_from_node_)[static_cast<std::size_t>(plan.parent_node)] * local;
  frame.model_rotation = Normalized(ParentRotation(bone) * frame.rotation);
}

void MmdBones::Turn(std::uint32_t bone) {
  Join(frames_[bone]);
  Compose(bone);
}

void MmdBones::Evaluate(std::uint32_t bone) {
  if (!frames_[bone].driven) {
    Append(bone);
    Join(frames_[bone]);
  }
  Compose(bone);
}

// A node outside the rig, as ComputeModelSpace has it.
Mat34d MmdBones::MatrixOf(std::uint32_t index) {
  const asset::Node& node = character_->nodes[index];
  const Mat34d local =
      pose_->uses_matrix[index] ? *node.rest_matrix : ToMat34(pose_->locals[index]);
  if (node.parent == asset::kNone) return local;
  return (*model_from_node_)[static_cast<std::size_t>(node.parent)] * local;
}

void MmdBones::ComposeAll() {
  for (const std::uint32_t node : character_->node_order) {
    if (IsBone(node)) {
      Compose(node - first_node_);
    } else {
      (*model_from_node_)[node] = MatrixOf(node);
    }
  }
}

void MmdBones::TakeDriven(std::span<const std::uint32_t> driven) {
  for (const std::uint32_t bone : driven) frames_[bone].driven = true;
  for (const std::uint32_t node : character_->node_order) {
    if (!IsBone(node)) {
      (*model_from_node_)[node] = MatrixOf(node);
      continue;
    }
    const std::uint32_t bone = node - first_node_;
    BoneFrame& frame = frames_[bone];
    if (!frame.driven) {
      Compose(bone);
      continue;
    }
    const Mat34d written = (*model_from_node_)[node];
    const Plan& plan = plans_[bone];
    frame.model_rotation = RotationIn(written.linear);
    frame.rotation = Normalized(Conjugate(ParentRotation(bone)) * frame.model_rotation);
    frame.translation =
        plan.parent_node == asset::kNone
            ? written.translation
            : TransformPoint(
                  Inverse((*model_from_node_)[static_cast<std::size_t>(plan.parent_node)]),
                  written.translation);
    frame.scale = {1, 1, 1};
    frame.scaled = false;
    frame.own = frame.base = frame.passed_rotation = frame.rotation;
    frame.ik = frame.tail = {};
    frame.offset = frame.passed_offset = frame.translation - plan.rest_offset;
  }
}

}  // namespace flexor::pose
