#include "flexor/pose/mmd_physics.h"

#include <cmath>
#include <string>

#include "flexor/pose/pose.h"

#include "pose/mmd_rotation.h"
#include "pose/mmd_world.h"

namespace flexor::pose {
namespace {

using asset::kNone;
using asset::MmdBodyMode;

// A frame of more than this is a jump in time, not something to be simulated.
constexpr double kLongestFrame = 1;

BodyPlace Between(const BodyPlace& a, const BodyPlace& b, double share) {
  return {Slerp(a.rotation, b.rotation, share), a.position * (1 - share) + b.position * share};
}

bool IsFinite(const BodyPlace& place) {
  return flexor::IsFinite(place.position) && std::isfinite(Dot(place.rotation, place.rotation));
}

}  // namespace

struct MmdPhysics::Parts {
  Parts(const asset::Character& of, const MmdPhysicsSettings& with)
      : character(&of), rig(&*of.mmd), settings(with) {
    std::vector<Mat34d> rest;
    ComputeModelSpace(of, RestPose(of), rest);
    const std::size_t count = rig->bodies.size();
    bone_from_body.resize(count);
    bone_of.resize(count);
    before.resize(count);
    now.resize(count);
    start.resize(count);
    driver.assign(rig->bones.size(), kNone);
    for (std::size_t i = 0; i < count; ++i) {
      const asset::MmdBody& body = rig->bodies[i];
      bone_of[i] = body.bone == kNone ? 0 : static_cast<std::uint32_t>(body.bone);
      const Vec3d origin =
          rig->bones.empty() ? Vec3d{} : rest[rig->first_node + bone_of[i]].translation;
      // Bones are not turned at rest unless something above the rig is; then bodies turn with it.
      bone_from_body[i] = {body.rotation, body.position - origin};
      if (!FollowsBone(body) && body.bone != kNone) driver[bone_of[i]] = static_cast<int>(i);
    }
    report.bodies = count;
    report.joints = rig->joints.size();
  }

  BodyPlace FromBone(std::size_t body, const std::vector<Mat34d>& world) const {
    if (rig->bones.empty()) return {rig->bodies[body].rotation, rig->bodies[body].position};
    const Mat34d& bone = world[rig->first_node + bone_of[body]];
    const Quatd rotation = RotationIn(bone.linear);
    return {Normalized(rotation * bone_from_body[body].rotation),
            bone.translation + Rotate(rotation, bone_from_body[body].position)};
  }

  Mat34d BoneOf(std::size_t body, const BodyPlace& place) const {
    const Quatd rotation = Normalized(place.rotation * Conjugate(bone_from_body[body].rotation));
    return {ToMat3(rotation), place.position - Rotate(rotation, bone_from_body[body].position)};
  }

  void Run(std::size_t steps) {
    for (std::size_t step = 1; step <= steps; ++step) {
      const double share = static_cast<double>(step) / static_cast<double>(steps);
      for (std::size_t i = 0; i < now.size(); ++i) {
        if (FollowsBone(rig->bodies[i])) simulation->Move(i, Between(before[i], now[i], share));
      }
      simulation->Step();
    }
    report.steps += steps;
    before = now;
  }

  void MakeWorld() {
    before = start = now;
    // A new world, not the old one put back: contacts and caches of the old would show in the bits.
    simulation = MakeMmdWorld(*rig, settings, start);
    report.resets += now.size();
  }

  // What has run away takes with it what it is joined to; all begin anew at their bones.
  void CatchRunaways() {
    std::size_t lost = 0;
    for (std::size_t i = 0; i < now.size(); ++i) lost += IsFinite(simulation->Place(i)) ? 0 : 1;
    if (lost == 0) return;
    report.lost_bodies += lost;
    MakeWorld();
  }

  void WriteBones(std::vector<Mat34d>& world, std::vector<std::uint32_t>& driven);

  const asset::Character* character;
  const asset::MmdRig* rig;
  MmdPhysicsSettings settings;
  std::vector<BodyPlace> bone_from_body;
  std::vector<std::uint32_t> bone_of;
  std::vector<std::int32_t> driver;    // the body that drives a bone; the last of several
  std::vector<BodyPlace> before, now;  // where the bones want the bodies
  std::vector<BodyPlace> start;        // where the world was made, where springs are at rest
  std::vector<Mat34d> given;           // the matrices before bodies wrote theirs
  std::unique_ptr<MmdWorld> simulation;
  double owed_steps = 0;  // what whole steps have left over
  MmdPhysicsReport report;
};

// Down the hierarchy: a bone that keeps its own place (mode 2) keeps it relative to a parent that
// may itself be driven.
void MmdPhysics::Parts::WriteBones(std::vector<Mat34d>& world, std::vector<std::uint32_t>& driven) {
  given = world;
  for (const std::uint32_t node : character->node_order) {
    const std::int32_t parent = character->nodes[node].parent;
    if (parent != kNone) {
      const auto up = static_cast<std::size_t>(parent);
      if (world[up] != given[up]) world[node] = world[up] * (Inverse(given[up]) * given[node]);
    }
    if (node < rig->first_node || node - rig->first_node >= driver.size()) continue;
    const std::uint32_t bone = node - rig->first_node;
    if (driver[bone] == kNone) continue;
    const auto body = static_cast<std::size_t>(driver[bone]);
    Mat34d written = BoneOf(body, simulation->Place(body));
    if (rig->bodies[body].mode == MmdBodyMode::kPhysicsAtBone) {
      written.translation = world[node].translation;
      const Quatd rotation = RotationIn(written.linear);
      simulation->Put(body,
                      {Normalized(rotation * bone_from_body[body].rotation),
                       written.translation + Rotate(rotation, bone_from_body[body].position)});
    }
    world[node] = written;
    driven.push_back(bone);
  }
}

MmdPhysics::MmdPhysics(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
MmdPhysics::MmdPhysics(MmdPhysics&&) noexcept = default;
MmdPhysics& MmdPhysics::operator=(MmdPhysics&&) noexcept = default;
MmdPhysics::~MmdPhysics() = default;

const MmdPhysicsReport& MmdPhysics::report() const { return parts_->report; }

Result<MmdPhysics> MmdPhysics::Create(const asset::Character& character,
                                      const MmdPhysicsSettings& settings) {
  if (!HasMmdPhysics()) {
    return Error{ErrorCode::kBackendMissing,
                 "rigid bodies are simulated by Bullet, which this build was made without; turn "
                 "physics off, or build with FLEXOR_WITH_BULLET",
                 {}};
  }
  if (!character.mmd) {
    return Error{ErrorCode::kInvalidArgument,
                 "'" + character.name + "' has no MMD rig and so no rigid bodies",
                 {}};
  }
  const auto positive = [](double value) { return std::isfinite(value) && value > 0; };
  if (!positive(settings.steps_per_second) || settings.steps_per_second > 10000 ||
      settings.solver_iterations < 1 || settings.solver_iterations > 1000 ||
      !std::isfinite(settings.gravity)) {
    return Error{ErrorCode::kInvalidArgument,
                 "physics needs 0 to 10000 steps per second, 1 to 1000 iterations and a finite "
                 "gravity, but got " +
                     std::to_string(settings.steps_per_second) + ", " +
                     std::to_string(settings.solver_iterations) + " and " +
                     std::to_string(settings.gravity),
                 {}};
  }
  return MmdPhysics(std::make_unique<Parts>(character, settings));
}

void MmdPhysics::Reset(const std::vector<Mat34d>& model_from_node) {
  Parts& parts = *parts_;
  for (std::size_t i = 0; i < parts.now.size(); ++i) {
    parts.now[i] = parts.FromBone(i, model_from_node);
  }
  parts.owed_steps = 0;
  parts.MakeWorld();
}

void MmdPhysics::WarmUp(double seconds, const std::vector<Mat34d>& model_from_node) {
  Reset(model_from_node);
  const double steps = std::floor(seconds * parts_->settings.steps_per_second + 1e-6);
  if (steps > 0) parts_->Run(static_cast<std::size_t>(steps));
  parts_->CatchRunaways();
}

void MmdPhysics::Step(double seconds, std::span<const double> morph_weights,
                      std::vector<Mat34d>& model_from_node, std::vector<std::uint32_t>& driven) {
  Parts& parts = *parts_;
  if (parts.simulation == nullptr) Reset(model_from_node);
  for (std::size_t i = 0; i < parts.now.size(); ++i) {
    parts.now[i] = parts.FromBone(i, model_from_node);
  }
  for (std::size_t m = 0; m < morph_weights.size() && m < parts.rig->morphs.size(); ++m) {
    if (morph_weights[m] == 0) continue;
    for (const asset::MmdMorph::Impulse& impulse : parts.rig->morphs[m].impulses) {
      parts.simulation->Push(impulse, morph_weights[m]);
    }
  }
  if (seconds > kLongestFrame) {
    parts.report.dropped_seconds += seconds - kLongestFrame;
    seconds = kLongestFrame;
  }
  if (seconds > 0) parts.owed_steps += seconds * parts.settings.steps_per_second;
  // 1/30 s is exactly four steps, whatever rounding says.
  const double steps = std::floor(parts.owed_steps + 1e-6);
  parts.owed_steps -= steps;
  if (steps > 0) parts.Run(static_cast<std::size_t>(steps));
  parts.CatchRunaways();
  parts.WriteBones(model_from_node, driven);
}

double MmdPhysics::MeanMove(const std::vector<Mat34d>& model_from_node) const {
  const Parts& parts = *parts_;
  if (parts.simulation == nullptr || parts.now.empty()) return 0;
  double sum = 0;
  for (std::size_t i = 0; i < parts.now.size(); ++i) {
    sum += Length(parts.FromBone(i, model_from_node).position - parts.now[i].position);
  }
  return sum / static_cast<double>(parts.now.size());
}

void MmdPhysics::Save(std::vector<double>& out) const {
  const Parts& parts = *parts_;
  out.clear();
  if (parts.simulation == nullptr) return;
  const auto put = [&](const Vec3d& v) { out.insert(out.end(), {v.x, v.y, v.z}); };
  const auto place = [&](const BodyPlace& at) {
    out.insert(out.end(), {at.rotation.x, at.rotation.y, at.rotation.z, at.rotation.w});
    put(at.position);
  };
  out.reserve(kNumbersPerBody * parts.now.size() + 1);
  for (std::size_t i = 0; i < parts.now.size(); ++i) {
    place(parts.start[i]);
    place(parts.now[i]);
    const BodyMotion motion = parts.simulation->Motion(i);
    for (const Vec3d& column : {motion.rotation.x, motion.rotation.y, motion.rotation.z}) {
      put(column);
    }
    for (const Vec3d& v : {motion.position, motion.velocity, motion.spin}) put(v);
  }
  out.push_back(parts.owed_steps);
}

Status MmdPhysics::Restore(std::span<const double> saved) {
  Parts& parts = *parts_;
  const std::size_t count = parts.now.size();
  if (saved.size() != kNumbersPerBody * count + 1) {
    return Error{ErrorCode::kShapeMismatch,
                 "the numbers saved of rigid bodies are " + std::to_string(saved.size()) +
                     "; for " + std::to_string(count) + " bodies there must be " +
                     std::to_string(kNumbersPerBody * count + 1),
                 {}};
  }
  const double* next = saved.data();
  const auto take = [&] {
    next += 3;
    return Vec3d{next[-3], next[-2], next[-1]};
  };
  const auto place = [&] {
    next += 4;
    const Quatd rotation{next[-4], next[-3], next[-2], next[-1]};
    return BodyPlace{rotation, take()};
  };
  std::vector<BodyMotion> motions(count);
  for (std::size_t i = 0; i < count; ++i) {
    parts.start[i] = place();
    parts.now[i] = place();
    BodyMotion& motion = motions[i];
    for (Vec3d* column : {&motion.rotation.x, &motion.rotation.y, &motion.rotation.z}) {
      *column = take();
    }
    for (Vec3d* v : {&motion.position, &motion.velocity, &motion.spin}) *v = take();
  }
  parts.before = parts.now;
  parts.owed_steps = *next;
  // At its start first: there the springs are at rest.
  parts.simulation = MakeMmdWorld(*parts.rig, parts.settings, parts.start);
  for (std::size_t i = 0; i < count; ++i) parts.simulation->SetMotion(i, motions[i]);
  return {};
}

#ifndef FLEXOR_WITH_BULLET
bool HasMmdPhysics() { return false; }
std::unique_ptr<MmdWorld> MakeMmdWorld(const asset::MmdRig&, const MmdPhysicsSettings&,
                                       std::span<const BodyPlace>) {
  return nullptr;
}
#endif

}  // namespace flexor::pose
