#include "flexor/pose/mmd_solver.h"

#include <algorithm>
#include <array>
#include <string>

#include "core/guard.h"
#include "pose/mmd_bones.h"
#include "pose/mmd_ik.h"
#include "pose/mmd_morphs.h"

namespace flexor::pose {
namespace {

constexpr std::array<std::string_view, 3> kDialects = {"umt", "babylon", "saba"};

// Indices of the bones of one pass, in the order of layer, then index.
std::vector<std::uint32_t> PassOf(const asset::MmdRig& rig, bool after_physics) {
  std::vector<std::uint32_t> pass;
  for (std::uint32_t b = 0; b < rig.bones.size(); ++b) {
    if (rig.bones[b].after_physics == after_physics) pass.push_back(b);
  }
  std::stable_sort(pass.begin(), pass.end(), [&](std::uint32_t a, std::uint32_t b) {
    return rig.bones[a].layer < rig.bones[b].layer;
  });
  return pass;
}

}  // namespace

std::string_view MmdDialectName(MmdDialect dialect) {
  const auto index = static_cast<std::size_t>(dialect);
  return index < kDialects.size() ? kDialects[index] : "unknown";
}

Result<MmdDialect> ParseMmdDialect(std::string_view name) {
  return GuardAllocations("a name was read", [&]() -> Result<MmdDialect> {
    for (std::size_t i = 0; i < kDialects.size(); ++i) {
      if (kDialects[i] == name) return static_cast<MmdDialect>(i);
    }
    return Error{ErrorCode::kInvalidArgument,
                 "no MMD dialect is named '" + std::string(name) +
                     "'; there are 'umt', 'babylon' (the default) and 'saba'",
                 {}};
  });
}

struct MmdSolver::Parts {
  explicit Parts(const asset::Character& of)
      : character(&of),
        rig(&*of.mmd),
        first_pass(PassOf(*rig, false)),
        second_pass(PassOf(*rig, true)),
        morphs(*rig),
        bones(of),
        ik(*rig, bones),
        moved(rig->bones.size()) {
    driven.reserve(rig->bones.size());
  }

  void SpreadMorphs(MmdDialect dialect, Pose& pose) {
    morphs.Spread(pose.mmd_morphs, dialect);
    for (std::size_t m = 0; m < rig->morphs.size(); ++m) {
      const std::int32_t target = rig->morphs[m].mesh_morph;
      const double weight = morphs.weights()[m];
      if (weight == 0 || target == asset::kNone ||
          rig->morphs[m].kind != asset::MmdMorphKind::kVertex) {
        continue;
      }
      for (std::size_t i = 0; i < character->instances.size(); ++i) {
        if (character->instances[i].mesh != 0) continue;
        float& sum = pose.morph_weights[i][static_cast<std::size_t>(target)];
        sum = static_cast<float>(static_cast<double>(sum) + weight);
      }
    }
  }

  void MoveByMorphs() {
    for (std::size_t m = 0; m < rig->morphs.size(); ++m) {
      const double weight = morphs.weights()[m];
      if (weight == 0 || rig->morphs[m].kind != asset::MmdMorphKind::kBone) continue;
      for (const asset::MmdMorph::Bone& entry : rig->morphs[m].bones) bones.AddMorph(entry, weight);
    }
  }

  void Pass(const std::vector<std::uint32_t>& pass, const MmdSettings& settings, const Pose& pose,
            bool physics) {
    for (const std::uint32_t b : pass) {
      bones.Evaluate(b);
      const std::int32_t chain = rig->bones[b].ik;
      if (chain == asset::kNone || !settings.ik) continue;
      const auto index = static_cast<std::size_t>(chain);
      if (!pose.mmd_ik_enabled[index]) continue;
      if (settings.keep_rest && ik.AtRest(index, bones)) continue;
      ik.Run(index, physics, bones);
    }
  }

  // Appends of the first pass whose source a body has moved, directly or by way of another append.
  void AppendAgain() {
    std::fill(moved.begin(), moved.end(), std::uint8_t{0});
    for (const std::uint32_t b : driven) moved[b] = 1;
    for (const std::uint32_t b : first_pass) {
      const auto& append = rig->bones[b].append;
      if (!append || !moved[append->source] || bones.frame(b).driven) continue;
      bones.Evaluate(b);
      moved[b] = 1;
    }
    bones.ComposeAll();
  }

  void RecordOwn(std::vector<Transform>& out) {
    out.resize(bones.count());
    for (std::uint32_t b = 0; b < bones.count(); ++b) {
      const BoneFrame& frame = bones.frame(b);
      out[b] = {bones.rest_offset(b) + frame.offset, frame.own, frame.scale};
    }
  }

  // Bones driven by bodies keep what append and IK made of them before.
  void RecordSolved(MmdStages& stages) {
    stages.append.resize(bones.count());
    stages.ik.resize(bones.count());
    for (std::uint32_t b = 0; b < bones.count(); ++b) {
      const BoneFrame& frame = bones.frame(b);
      if (frame.driven) continue;
      stages.append[b] = {frame.translation, Normalized(frame.base * frame.tail), frame.scale};
      stages.ik[b] = frame.ik;
    }
  }

  // What later stages see of a bone is what the solver made of it.
  void WriteLocals(Pose& pose) const {
    for (std::uint32_t b = 0; b < bones.count(); ++b) {
      pose.locals[rig->first_node + b] = bones.local(b);
      pose.uses_matrix[rig->first_node + b] = false;
    }
  }

  void Record(std::vector<Mat34d>& out) {
    out.resize(bones.count());
    for (std::uint32_t b = 0; b < bones.count(); ++b) out[b] = bones.matrix(b);
  }

  const asset::Character* character;
  const asset::MmdRig* rig;
  std::vector<std::uint32_t> first_pass, second_pass;
  MmdMorphs morphs;
  MmdBones bones;
  MmdIkSolver ik;
  std::vector<std::uint32_t> driven;
  std::vector<std::uint8_t> moved;
};

MmdSolver::MmdSolver(const asset::Character& character)
    : parts_(std::make_unique<Parts>(character)) {}
MmdSolver::MmdSolver(MmdSolver&&) noexcept = default;
MmdSolver& MmdSolver::operator=(MmdSolver&&) noexcept = default;
MmdSolver::~MmdSolver() = default;

std::span<const double> MmdSolver::morph_weights() const { return parts_->morphs.weights(); }

void MmdSolver::Solve(const MmdSettings& settings, Pose& pose, std::vector<Mat34d>& model_from_node,
                      MmdPhysicsFn physics, MmdStages* stages) {
  Parts& parts = *parts_;
  MmdBones& bones = parts.bones;
  const bool with_physics = static_cast<bool>(physics);
  parts.SpreadMorphs(settings.dialect, pose);
  bones.Begin(pose, settings.dialect, model_from_node);
  parts.MoveByMorphs();
  if (stages != nullptr) parts.RecordOwn(stages->local);
  bones.SettleOwn();
  parts.Pass(parts.first_pass, settings, pose, with_physics);
  bones.ComposeAll();
  if (stages != nullptr) {
    parts.RecordSolved(*stages);
    parts.Record(stages->before_physics);
  }
  if (with_physics) {
    parts.driven.clear();
    physics(model_from_node, parts.driven);
    bones.TakeDriven(parts.driven);
    if (settings.append_again_after_physics) parts.AppendAgain();
  }
  parts.Pass(parts.second_pass, settings, pose, with_physics);
  bones.ComposeAll();
  parts.WriteLocals(pose);
  if (stages == nullptr) return;
  parts.RecordSolved(*stages);
  parts.Record(stages->after_physics);
}

void SolveMmd(const asset::Character& character, const MmdSettings& settings, Pose& pose,
              std::vector<Mat34d>& model_from_node, MmdStages* stages) {
  MmdSolver(character).Solve(settings, pose, model_from_node, {}, stages);
}

void SolveMmd(const asset::Character& character, const MmdSettings& settings, Pose& pose,
              MmdPhysicsFn physics, std::vector<Mat34d>& model_from_node, MmdStages* stages) {
  MmdSolver(character).Solve(settings, pose, model_from_node, physics, stages);
}

}  // namespace flexor::pose
