// The bending cylinder by which linear blending and dual quaternions are told apart.
#include <cmath>

#include "asset/sample_build.h"

namespace flexor::asset::sample {
namespace {

constexpr std::uint32_t kRings = 5;
constexpr std::uint32_t kSegments = 12;
constexpr double kRadius = 0.5;
constexpr double kHeight = 4;
constexpr double kSeconds = 2;

}  // namespace

Character MakeTwist() {
  Character c;
  c.name = "twist";
  const std::uint32_t lower = AddNode(c, "lower", kNone, {0, 0, 0});
  const std::uint32_t upper =
      AddNode(c, "upper", static_cast<std::int32_t>(lower), {0, kHeight / 2, 0});
  const std::uint32_t holder = AddNode(c, "tube", kNone, {0, 0, 0});
  c.skins.push_back(BindAtRest(c, "tube", {lower, upper}));

  Mesh mesh;
  mesh.name = "tube";
  // The multiples of 30 degrees, from the one number in them that is not a half.
  const double h = std::sqrt(3.0) / 2;
  const double cosines[kSegments] = {1, h, 0.5, 0, -0.5, -h, -1, -h, -0.5, 0, 0.5, h};
  constexpr double kUpperWeights[kRings] = {0, 0, 0.5, 1, 1};
  for (std::uint32_t i = 0; i < kRings; ++i) {
    for (std::uint32_t s = 0; s < kSegments; ++s) {
      const double cosine = cosines[s], sine = cosines[(s + 9) % kSegments];
      const double along = static_cast<double>(i) / (kRings - 1);
      mesh.positions.push_back(
          Cast<float>(Vec3d{kRadius * cosine, kHeight * along, kRadius * sine}));
      mesh.normals.push_back(Cast<float>(Vec3d{cosine, 0, sine}));
      // There and back again around the tube, so that no seam needs vertices of its own.
      const double around = 2.0 * static_cast<double>(s) / kSegments;
      mesh.texcoords.push_back(
          {static_cast<float>(around <= 1 ? around : 2 - around), static_cast<float>(1 - along)});
      AddRun(mesh.influences, {{0, 1 - kUpperWeights[i]}, {1, kUpperWeights[i]}});
    }
  }
  // The diagonal matters: by the other one the numbers of the two methods differ.
  for (std::uint32_t i = 0; i + 1 < kRings; ++i) {
    for (std::uint32_t s = 0; s < kSegments; ++s) {
      const std::uint32_t next = (s + 1) % kSegments;
      const std::uint32_t a = i * kSegments + s, b = i * kSegments + next;
      const std::uint32_t d = (i + 1) * kSegments + s, e = (i + 1) * kSegments + next;
      mesh.triangles.insert(mesh.triangles.end(), {a, e, b, a, d, e});
    }
  }
  mesh.subsets.push_back({0, static_cast<std::uint32_t>(mesh.triangles.size()), 0});
  c.meshes.push_back(std::move(mesh));
  c.materials.push_back(MakeMaterial("tube", 0.85f, 0.35f, 0.16f));
  c.materials[0].double_sided = true;

  MeshInstance instance;
  instance.name = "tube";
  instance.node = static_cast<std::int32_t>(holder);
  instance.skin = 0;
  c.instances.push_back(std::move(instance));

  // A key every 15 degrees fixes the direction: half a turn in one span could go either way. The
  // last key has w = 0 exactly, so that its dot with the identity is zero and no sign is turned.
  Clip clip;
  clip.name = "twist";
  clip.frames_per_second = 30;
  clip.end_time = kSeconds;
  std::vector<Quatd> keys;
  for (int k = 0; k <= 12; ++k) keys.push_back(Turn({0, 1, 0}, 15.0 * k));
  clip.channels.push_back(RotationChannel(upper, kSeconds / 12, keys));
  c.clips.push_back(std::move(clip));
  return c;
}

}  // namespace flexor::asset::sample
