// Everything that a tidy rig does not have: stretched, sheared, mirrored and flattened joints, more
// than four influences, weights that do not sum to 1, and vertices without any.
#include "asset/sample_build.h"

namespace flexor::asset::sample {
namespace {

constexpr std::uint32_t kRings = 25;
constexpr std::uint32_t kSegments = 16;
constexpr double kRadius = 0.25;
constexpr double kHeight = 2.4;
constexpr std::uint32_t kJoints = 6;
constexpr double kJointStep = kHeight / kJoints;

// Weights of a ring by the height of its middle above each joint: a tent over the joint's own piece
// that reaches into its neighbours.
std::vector<std::pair<std::uint32_t, double>> RingWeights(double y) {
  std::vector<std::pair<std::uint32_t, double>> run;
  double sum = 0;
  for (std::uint32_t j = 0; j < kJoints; ++j) {
    const double middle = (static_cast<double>(j) + 0.5) * kJointStep;
    const double distance = (y > middle ? y - middle : middle - y) / kJointStep;
    const double weight = distance < 1 ? 1 - distance : 0;
    if (weight > 1e-9) run.emplace_back(j, weight);
    sum += weight;
  }
  if (run.empty()) run.emplace_back(y < kHeight / 2 ? 0 : kJoints - 1, sum = 1);
  for (auto& [joint, weight] : run) weight /= sum;
  return run;
}

void Scale(std::vector<std::pair<std::uint32_t, double>>& run, double factor) {
  for (auto& [joint, weight] : run) weight *= factor;
}

Channel ScaleSpline(std::uint32_t node) {
  Channel channel;
  channel.path = ChannelPath::kScale;
  channel.interpolation = Interpolation::kCubicSpline;
  channel.target = node;
  channel.times = {0, 1, 2};
  channel.values = {0, 0, 0, 1,     1,    1,     0.5f, -0.5f, 0,  //
                    0, 0, 0, 1.75f, 0.8f, 1.25f, 0,    0,     0,  //
                    0, 0, 0, 1,     1,    1,     0,    0,     0};
  return channel;
}

Channel MirrorSteps(std::uint32_t node) {
  Channel channel;
  channel.path = ChannelPath::kScale;
  channel.interpolation = Interpolation::kStep;
  channel.target = node;
  channel.times = {0, 0.5, 1.5};
  channel.values = {1, 1, 1, -1, 1, 1, 1, 1, 1};
  return channel;
}

void AddTube(Mesh& mesh) {
  std::vector<Vec3d> positions;
  for (std::uint32_t i = 0; i < kRings; ++i) {
    const double along = static_cast<double>(i) / (kRings - 1);
    for (std::uint32_t s = 0; s < kSegments; ++s) {
      const double angle = 2 * kPi * s / kSegments;
      positions.push_back({kRadius * Cos(angle), kHeight * along, kRadius * Sin(angle)});
      const double around = 2.0 * s / kSegments;
      mesh.texcoords.push_back(
          {static_cast<float>(around <= 1 ? around : 2 - around), static_cast<float>(1 - along)});
      std::vector<std::pair<std::uint32_t, double>> run = RingWeights(kHeight * along);
      if (i == 7) Scale(run, 0.75);
      if (i == 11) Scale(run, 1.5);
      if (i == 16) {
        run = {{0, 0.1}, {1, 0.15}, {2, 0.2}, {3, 0.25}, {4, 0.2}, {5, 0.1}};
      }
      if (i == 19 && s % 4 == 0) run.clear();
      AddRun(mesh.influences, run);
    }
  }
  for (std::uint32_t i = 0; i + 1 < kRings; ++i) {
    for (std::uint32_t s = 0; s < kSegments; ++s) {
      const std::uint32_t next = (s + 1) % kSegments;
      const std::uint32_t a = i * kSegments + s, b = i * kSegments + next;
      const std::uint32_t d = (i + 1) * kSegments + s, e = (i + 1) * kSegments + next;
      mesh.triangles.insert(mesh.triangles.end(), {a, e, b, a, d, e});
    }
  }
  // A point closes each end.
  const auto cap = [&](double y, std::uint32_t first, bool top) {
    const auto middle = static_cast<std::uint32_t>(positions.size());
    positions.push_back({0, y, 0});
    mesh.texcoords.push_back({0.5f, top ? 0.0f : 1.0f});
    AddRun(mesh.influences, {{top ? kJoints - 1 : 0, 1.0}});
    for (std::uint32_t s = 0; s < kSegments; ++s) {
      const std::uint32_t a = first + s, b = first + (s + 1) % kSegments;
      mesh.triangles.insert(mesh.triangles.end(), {middle, top ? b : a, top ? a : b});
    }
  };
  cap(-0.1, 0, false);
  cap(kHeight + 0.1, (kRings - 1) * kSegments, true);
  for (const Vec3d n : AverageNormals(positions, mesh.triangles)) {
    mesh.normals.push_back(RoundedDirection(n));
  }
  for (const Vec3d p : positions) mesh.positions.push_back(RoundedPoint(p));
}

}  // namespace

Character MakeShear() {
  Character c;
  c.name = "shear";
  // Rest scales are odd as well: a parent that is not uniform shears its turned child.
  constexpr const char* kNames[kJoints] = {"root", "stretch", "shear", "mirror", "flat", "tip"};
  std::vector<std::uint32_t> joints;
  std::int32_t parent = kNone;
  for (std::uint32_t j = 0; j < kJoints; ++j) {
    const Quatd rotation = j == 2 ? Turn({1, 0, 1}, 20) : Quatd{};
    const Vec3d scale = j == 1 ? Vec3d{1, 1.25, 0.8} : Vec3d{1, 1, 1};
    joints.push_back(
        AddNode(c, kNames[j], parent, {0, j == 0 ? 0 : kJointStep, 0}, rotation, scale));
    parent = static_cast<std::int32_t>(joints.back());
  }
  const std::uint32_t holder = AddNode(c, "tube", kNone, {0, 0, 0});
  c.skins.push_back(BindAtRest(c, "tube", joints));

  Mesh mesh;
  mesh.name = "tube";
  AddTube(mesh);
  mesh.subsets.push_back({0, static_cast<std::uint32_t>(mesh.triangles.size()), 0});
  c.meshes.push_back(std::move(mesh));
  c.materials.push_back(MakeMaterial("tube", 0.12f, 0.42f, 0.55f));
  MeshInstance instance;
  instance.name = "tube";
  instance.node = static_cast<std::int32_t>(holder);
  instance.skin = 0;
  c.instances.push_back(std::move(instance));

  Clip clip;
  clip.name = "torment";
  clip.frames_per_second = 30;
  clip.end_time = 2;
  clip.channels.push_back(ScaleSpline(joints[1]));
  clip.channels.push_back(RotationChannel(
      joints[2], 1, {Turn({1, 0, 1}, 20), Turn({0.3, 1, 0.5}, 70), Turn({1, 0, 1}, 20)}));
  clip.channels.push_back(MirrorSteps(joints[3]));
  clip.channels.push_back(
      VectorChannel(ChannelPath::kScale, joints[4], 1, {{1, 1, 1}, {1, 0, 1}, {1, 1, 1}}));
  clip.channels.push_back(
      RotationChannel(joints[5], 1, {Turn({0, 0, 1}, 0), Turn({0, 0, 1}, 60), Turn({0, 0, 1}, 0)}));
  c.clips.push_back(std::move(clip));
  return c;
}

}  // namespace flexor::asset::sample
