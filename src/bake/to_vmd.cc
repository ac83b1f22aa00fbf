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
#include "flexor/pose/mmd_solver.h"
#include "flexor/pose/pose.h"

#include "bake/notes.h"
#include "io/mmd/space.h"

namespace flexor::bake {
namespace {

/// Where a node is, scale and shear left out.
struct Rigid {
  Quatd rotation;
  Vec3d position;
  bool scaled = false;
};

std::vector<Rigid> RigidOf(const std::vector<Mat34d>& world) {
  std::vector<Rigid> out;
  out.reserve(world.size());
  for (const Mat34d& m : world) {
    const PaletteSplit split = SplitGramSchmidt(m);
    out.push_back({split.rotation, m.translation, split.kind != SplitKind::kRigid});
  }
  return out;
}

class Sampler {
 public:
  explicit Sampler(const asset::Character& character) : character_(character) {
    if (character.mmd) solver_.emplace(character);
  }
  void At(const asset::Clip* clip, double seconds) {
    pose_ = pose::RestPose(character_);
    if (clip != nullptr) pose::SampleClip(*clip, seconds, pose_);
    if (solver_) {
      solver_->Solve({}, pose_, world_);
    } else {
      pose::ComputeWorld(character_, pose_, world_);
    }
  }
  const pose::Pose& pose() const { return pose_; }
  const std::vector<Mat34d>& world() const { return world_; }

 private:
  const asset::Character& character_;
  std::optional<pose::MmdSolver> solver_;
  pose::Pose pose_;
  std::vector<Mat34d> world_;
};

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
                                 double metres_per_unit, Diagnostics& notes) {
  if (clip >= character.clips.size()) {
    return Error{ErrorCode::kIndexOutOfRange,
                 "clip " + std::to_string(clip) + " does not exist; the character has " +
                     std::to_string(character.clips.size()),
                 {}};
  }
  const asset::Clip& from = character.clips[clip];
  // Where the clip ends between two frames, the later one holds its end.
  const double last = std::ceil(asset::SecondsToFrame(from.end_time, io::mmd::kVmdFramesPerSecond));
  const double most = kMostTransforms / static_cast<double>(character.nodes.size() + 1);
  if (last >= most) {
    return Error{ErrorCode::kLimitExceeded,
                 "clip '" + from.name + "' has " + std::to_string(std::llround(last) + 1) +
                     " frames; for this many nodes at most " + std::to_string(std::llround(most)) +
                     " are written",
                 {}};
  }
  const io::mmd::Space to_file(1 / metres_per_unit);
  Sampler sampler(character);
  sampler.At(nullptr, 0);
  const std::vector<Rigid> rest = RigidOf(sampler.world());

  const std::size_t nodes = character.nodes.size();
  std::vector<std::vector<io::mmd::VmdBoneKey>> keys(nodes);
  std::vector<bool> moves(nodes, false);
  std::map<std::string, std::vector<float>> morphs;
  std::size_t scaled = 0;
  for (std::uint32_t f = 0; f <= static_cast<std::uint32_t>(last); ++f) {
    sampler.At(&from, asset::FrameToSeconds(f, io::mmd::kVmdFramesPerSecond));
    const std::vector<Rigid> now = RigidOf(sampler.world());
    for (std::size_t n = 0; n < nodes; ++n) {
      const std::int32_t parent = character.nodes[n].parent;
      const auto p = static_cast<std::size_t>(parent);
      const bool root = parent == asset::kNone;
      io::mmd::VmdBoneKey key =
          KeyOf(root ? nullptr : &now[p], root ? nullptr : &rest[p], now[n], rest[n], to_file);
      key.frame = f;
      moves[n] = moves[n] || !IsRest(key);
      keys[n].push_back(key);
      scaled += f == 0 ? 0 : now[n].scaled && !rest[n].scaled;
    }
    for (std::size_t i = 0; i < character.instances.size(); ++i) {
      const asset::Mesh& mesh = character.meshes[character.instances[i].mesh];
      for (std::size_t m = 0; m < mesh.morphs.size(); ++m) {
        std::vector<float>& track = morphs[mesh.morphs[m].name];
        track.resize(f + 1, 0.0f);
        track[f] = sampler.pose().morph_weights[i][m];
      }
    }
  }

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
    const std::string& own = character.nodes[n].name;
    const std::string name = own.empty() ? "bone " + std::to_string(n) : own;
    for (io::mmd::VmdBoneKey& key : keys[n]) {
      set_name(key.name, name);
      motion.bones.push_back(key);
    }
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
