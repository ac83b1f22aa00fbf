#include "flexor/bake/to_vmd.h"

#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "flexor/asset/frame_time.h"
#include "flexor/io/mmd/text_cp932.h"
#include "flexor/math/palette_split.h"
#include "flexor/pose/poser.h"

#include "bake/mmd_layout.h"
#include "bake/notes.h"
#include "bake/pose_frames.h"
#include "io/mmd/space.h"

namespace flexor::bake {
namespace {

/// Where a node is, scale and shear left out.
struct Rigid {
  Quatd rotation;
  Vec3d position;
  bool scaled = false;
};

std::vector<Rigid> RigidOf(const std::vector<Mat34d>& model_from_node) {
  std::vector<Rigid> out;
  out.reserve(model_from_node.size());
  for (const Mat34d& m : model_from_node) {
    const PaletteSplit split = SplitGramSchmidt(m);
    out.push_back({split.rotation, m.translation, split.kind != SplitKind::kRigid});
  }
  return out;
}

/// A bone's change against rest, in the file's axes and units.
io::mmd::VmdBoneKey KeyOf(const Rigid* parent, const Rigid* parent_rest, const Rigid& node,
                          const Rigid& rest, const io::mmd::Space& to_file) {
  const Quatd turned = node.rotation * Conjugate(rest.rotation);
  const Quatd about =
      parent == nullptr ? Quatd{} : parent->rotation * Conjugate(parent_rest->rotation);
  const Vec3d from = parent == nullptr ? Vec3d{} : parent->position;
  const Vec3d rest_from = parent == nullptr ? Vec3d{} : parent_rest->position;
  const Vec3d moved = Rotate(Conjugate(about), node.position - from) - (rest.position - rest_from);
  const Quatd local = Normalized(Conjugate(about) * turned);
  io::mmd::VmdBoneKey key;
  key.translation = to_file.PointF(moved);
  key.rotation = Cast<float>(io::mmd::Space::Rotation(local));
  key.set_curves({});
  return key;
}

bool IsRest(const io::mmd::VmdBoneKey& key) {
  constexpr float kTiny = 1e-6f;
  const Vec3f t = key.translation;
  const Quatf q = key.rotation;
  return std::abs(t.x) + std::abs(t.y) + std::abs(t.z) <= kTiny &&
         std::abs(q.x) + std::abs(q.y) + std::abs(q.z) <= kTiny;
}

}  // namespace

Result<io::mmd::VmdMotion> ToVmd(const asset::Character& character, std::uint32_t clip,
                                 double metres_per_unit, const MotionSettings& settings,
                                 Diagnostics& notes, ProgressFn progress) {
  if (clip >= character.clips.size()) {
    return Error{ErrorCode::kIndexOutOfRange,
                 "clip " + std::to_string(clip) + " does not exist; the character has " +
                     std::to_string(character.clips.size()),
                 {}};
  }
  const asset::Clip& from = character.clips[clip];
  // Where the clip ends between two frames, the later one holds its end.
  const double last = std::ceil(asset::SecondsToFrame(from.end_time, io::mmd::kVmdFramesPerSecond));
  // Keys of a bone are collected before it is known whether it moves, and then copied.
  FLEXOR_TRY(CheckMotionMemory(
      from, last + 1,
      2.0 * sizeof(io::mmd::VmdBoneKey) * static_cast<double>(character.nodes.size()), settings));
  const io::mmd::Space to_file(1 / metres_per_unit);
  FLEXOR_ASSIGN(pose::Poser poser, pose::Poser::Create(character, settings.pose));
  asset::PosedCharacter at_rest;
  FLEXOR_TRY(poser.Evaluate(std::nullopt, 0, nullptr, at_rest));
  const MmdNames names = NamesForMmd(character);
  const std::vector<Rigid> rest = RigidOf(StoredPose(character, at_rest.model_from_node));
  std::vector<double> times;
  for (double f = 0; f <= last; ++f) {
    times.push_back(asset::FrameToSeconds(f, io::mmd::kVmdFramesPerSecond));
  }

  const std::size_t nodes = character.nodes.size();
  std::vector<std::vector<io::mmd::VmdBoneKey>> keys(nodes);
  std::vector<bool> moves(nodes, false);
  std::map<std::string, std::vector<float>> morphs;
  std::size_t scaled = 0;
  std::uint32_t frame = 0;
  const auto take = [&](const asset::PosedCharacter& posed) {
    const std::vector<Rigid> now = RigidOf(posed.model_from_node);
    for (std::size_t n = 0; n < nodes; ++n) {
      const std::int32_t parent = character.nodes[n].parent;
      const auto p = static_cast<std::size_t>(parent);
      const bool root = parent == asset::kNone;
      io::mmd::VmdBoneKey key =
          KeyOf(root ? nullptr : &now[p], root ? nullptr : &rest[p], now[n], rest[n], to_file);
      key.frame = frame;
      moves[n] = moves[n] || !IsRest(key);
      keys[n].push_back(key);
      scaled += frame == 0 ? 0 : now[n].scaled && !rest[n].scaled;
    }
    for (std::size_t i = 0; i < character.instances.size(); ++i) {
      if (!character.instances[i].visible) continue;  // not in the model
      for (std::size_t m = 0; m < names.morphs[i].size(); ++m) {
        std::vector<float>& track = morphs[names.morphs[i][m]];
        track.resize(frame + 1, 0.0f);
        // What is on at rest is in the model's vertices already.
        track[frame] = posed.morph_weights[i][m] - at_rest.morph_weights[i][m];
      }
    }
    ++frame;
  };
  FLEXOR_TRY(PoseFrames(character, clip, times, settings.pose, take, progress));

  io::mmd::VmdMotion motion;
  motion.model_name.set(io::mmd::EncodeCp932(character.name).bytes);
  std::set<std::string> lost;
  const auto set_name = [&](auto& name, const std::string& utf8) {
    const io::mmd::Cp932Encoded encoded = io::mmd::EncodeCp932(utf8);
    if (encoded.lost != 0) lost.insert(utf8);
    name.set(encoded.bytes);
  };
  for (std::size_t n = 0; n < nodes; ++n) {
    if (!moves[n]) continue;
    for (io::mmd::VmdBoneKey& key : keys[n]) {
      set_name(key.name, names.bones[n]);
      motion.bones.push_back(key);
    }
    keys[n] = {};
  }
  for (const auto& [name, weights] : morphs) {
    bool used = false;
    for (const float weight : weights) used = used || weight != 0;
    if (!used) continue;
    for (std::uint32_t f = 0; f < weights.size(); ++f) {
      io::mmd::VmdMorphKey key;
      set_name(key.name, name);
      key.frame = f;
      key.weight = weights[f];
      motion.morphs.push_back(key);
    }
  }
  if (!lost.empty()) {
    Note(notes, "VMD_NAME_LOST",
         std::to_string(lost.size()) + " names have characters that CP932 lacks: '" +
             *lost.begin() + "'; MikuMikuDance will not find them",
         lost.size());
  }
  if (scaled != 0) Note(notes, "VMD_SCALE_LEFT_OUT", "scaling of nodes is left out", scaled);
  return motion;
}

}  // namespace flexor::bake
