// Solving the pose of an MMD character of ordinary size: 150 bones, 5 IK chains, 30 appends.
#include <cmath>
#include <numbers>
#include <string>

#include "flexor/pose/mmd_solver.h"

#include "bench/subjects.h"

namespace flexor::bench {
namespace {

using asset::kNone;

constexpr double kDegree = std::numbers::pi / 180;

class Dancer {
 public:
  Dancer() {
    character_.mmd.emplace();
    const std::uint32_t root = Bone(kNone, {0, 0, 0});
    const std::uint32_t hips = Bone(root, {0, 0.9, 0});
    for (const double side : {-1.0, 1.0}) Leg(root, hips, side * 0.1);
    // A tie of four links, as accessories have them.
    std::uint32_t tip = Bone(hips, {0, 1.4, 0.1});
    std::vector<std::uint32_t> tie;
    for (int i = 1; i <= 4; ++i) {
      tie.insert(tie.begin(), tip);
      tip = Bone(tip, {0, 1.4 - 0.06 * i, 0.1 + 0.01 * i});
    }
    tie_goal_ = Bone(hips, {0, 1.2, 0.2});
    Chain(tie_goal_, tip, tie, 10, 30 * kDegree);
    // Fingers, hair and the like, some of which copy others.
    std::uint32_t parent = hips;
    while (count() < 150) {
      const double i = static_cast<double>(count());
      if (count() % 5 == 0) parent = hips;
      parent = Bone(parent, {0.2 * std::sin(i), 1 + 0.1 * std::cos(i), 0.01 * i});
    }
    for (std::uint32_t bone = 50; appends_ < 30; bone += 3) Append(bone, bone - 1, 0.5);
  }

  /// Finalised, with feet and hips moved as in a step.
  Result<asset::Character> Build() const {
    asset::Character built = character_;
    FLEXOR_TRY(asset::Finalize(built));
    return built;
  }

  pose::Pose PoseAt(const asset::Character& character, double phase) const {
    pose::Pose pose = pose::RestPose(character);
    pose.locals[1].translation.y -= 0.1 + 0.03 * std::sin(2 * phase);
    for (std::size_t f = 0; f < feet_.size(); ++f) {
      const double p = phase + std::numbers::pi * static_cast<double>(f);
      pose.locals[feet_[f]].translation +=
          Vec3d{0, 0.1 * std::max(0.0, std::sin(p)), 0.3 * std::cos(p)};
    }
    pose.locals[tie_goal_].translation.z += 0.03 * std::sin(phase);
    for (std::uint32_t b = 49; b < count(); ++b) {
      pose.locals[b].rotation = FromAxisAngle(Vec3d{1, 0.3, 0.1}, 0.2 * std::sin(phase + b));
    }
    return pose;
  }

  std::uint32_t count() const { return static_cast<std::uint32_t>(character_.nodes.size()); }

 private:
  std::uint32_t Bone(std::int64_t parent, Vec3d position, std::int32_t layer = 0) {
    asset::Node node;
    node.parent = static_cast<std::int32_t>(parent);
    node.rest.translation = parent == kNone ? position : position - at_[node.parent];
    character_.nodes.push_back(node);
    at_.push_back(position);
    character_.mmd->bones.emplace_back();
    character_.mmd->bones.back().layer = layer;
    return count() - 1;
  }

  void Append(std::uint32_t bone, std::uint32_t source, double ratio) {
    character_.mmd->bones[bone].append = asset::MmdAppend{source, ratio, true, false, false};
    ++appends_;
  }

  asset::MmdIk& Chain(std::uint32_t goal, std::uint32_t effector,
                      const std::vector<std::uint32_t>& links, std::uint32_t iterations,
                      double step) {
    asset::MmdRig& rig = *character_.mmd;
    rig.bones[goal].ik = static_cast<std::int32_t>(rig.ik.size());
    rig.ik.push_back({goal, effector, iterations, step, {}});
    for (const std::uint32_t link : links) rig.ik.back().links.push_back({link, false, {}, {}});
    return rig.ik.back();
  }

  // Thigh, knee, ankle, toe with their copies, a foot goal and a toe goal: what every model has.
  void Leg(std::uint32_t root, std::uint32_t hips, double x) {
    const Vec3d places[] = {{x, 0.85, 0}, {x, 0.47, 0.01}, {x, 0.08, -0.02}, {x, 0, 0.1}};
    std::uint32_t bones[4], copies[4];
    for (int i = 0; i < 4; ++i) bones[i] = Bone(i == 0 ? hips : bones[i - 1], places[i]);
    for (int i = 0; i < 4; ++i) {
      copies[i] = Bone(i == 0 ? hips : copies[i - 1], places[i], 1);
      Append(copies[i], bones[i], 1);
    }
    const std::uint32_t foot = Bone(root, places[2]);
    const std::uint32_t toe = Bone(foot, places[3]);
    feet_.push_back(foot);
    asset::MmdIkLink& knee = Chain(foot, bones[2], {bones[1], bones[0]}, 40, 2).links[0];
    knee.limited = true;
    knee.min = {0.5 * kDegree, 0, 0};
    knee.max = {180 * kDegree, 0, 0};
    Chain(toe, bones[3], {bones[2]}, 3, 4);
  }

  asset::Character character_;
  std::vector<Vec3d> at_;
  std::vector<std::uint32_t> feet_;
  std::uint32_t tie_goal_ = 0;
  int appends_ = 0;
};

}  // namespace

Status BenchMmdSolver(const BenchOptions& options, const Report& report) {
  const std::string name = "dancer-150";
  if (!Meshes(options).Wanted("mmd_solver", name)) return {};
  const Dancer dancer;
  FLEXOR_ASSIGN(const asset::Character character, dancer.Build());
  pose::MmdSolver solver(character);
  constexpr int kFrames = 30;
  std::vector<pose::Pose> poses;
  for (int f = 0; f < kFrames; ++f) poses.push_back(dancer.PoseAt(character, 0.2 * f));
  std::vector<Mat34d> world;
  for (const pose::MmdDialect dialect :
       {pose::MmdDialect::kUmt, pose::MmdDialect::kBabylon, pose::MmdDialect::kSaba}) {
    pose::MmdSettings settings;
    settings.dialect = dialect;
    std::size_t frame = 0;
    const Timing timing =
        Measure({{"solve", [&] { solver.Solve(settings, poses[frame++ % poses.size()], world); }}},
                options);
    Row row;
    row.kernel = "mmd_solver";
    row.mesh = name;
    row.vertices = row.joints = dancer.count();  // the time of a "vertex" is that of a bone
    row.backend = pose::MmdDialectName(dialect);
    row.ns_per_vertex = timing.nanoseconds[0] / static_cast<double>(row.vertices);
    row.rounds = timing.rounds;
    report(row);
  }
  return {};
}

}  // namespace flexor::bench
