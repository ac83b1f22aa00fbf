// A shoulder and an elbow whose vertices are spherical, as artists of MikuMikuDance make them: what
// linear blending pinches here stays round.
#include <utility>

#include "asset/sample_build.h"
#include "asset/sample_skin.h"
#include "asset/sample_surface.h"

namespace flexor::asset::sample {
namespace {

// The arm leaves the chest along +X; the elbow bends toward +Y.
constexpr double kShoulder = 0.17;
constexpr double kElbow = 0.45;
constexpr double kEnd = 0.70;
constexpr std::uint32_t kChest = 0, kArm = 1, kForearm = 2;
// How far on each side of a joint its two joints share a vertex.
constexpr double kShare = 0.06;
// How far the reference points lie from the centre along the limb: they pull the crease a little
// toward where linear blending has it, and a program that leaves out their correction moves the
// arm at rest.
constexpr double kReach = 0.005;

std::vector<Part> Parts() {
  Part chest;
  chest.blobs = {MakeBlob({0, -0.16, 0}, {0, 0.02, 0}, 0.115, 0.105, 0.02)};
  chest.blobs[0].flat = 0.75;
  Part arm;
  arm.blobs = {
      MakeBlob({0.08, -0.005, 0}, {kElbow, 0, 0}, 0.058, 0.040, 0.03),
      MakeBlob({kShoulder - 0.01, 0.004, 0}, {kShoulder + 0.05, -0.004, 0}, 0.060, 0.046, 0.03),
      MakeBlob({kElbow, 0, 0}, {kEnd - 0.03, 0, 0}, 0.040, 0.030, 0.03),
  };
  arm.blend = 0.05;
  return {chest, arm};
}

}  // namespace

Character MakeSdef() {
  Character c;
  c.name = "sdef";
  const std::uint32_t chest = AddNode(c, "chest", kNone, {0, 0, 0});
  const std::uint32_t arm = AddNode(c, "arm", static_cast<std::int32_t>(chest), {kShoulder, 0, 0});
  const std::uint32_t forearm =
      AddNode(c, "forearm", static_cast<std::int32_t>(arm), {kElbow - kShoulder, 0, 0});
  const std::uint32_t holder = AddNode(c, "body", kNone, {0, 0, 0});
  c.skins.push_back(BindAtRest(c, "body", {chest, arm, forearm}));

  const Field field(Parts());
  const Surface surface = Polygonize(field, 0.0135, {});

  Mesh mesh;
  mesh.name = "body";
  std::vector<WeightRun> weights;
  std::vector<Vec2f> texcoords;
  for (std::uint32_t v = 0; v < surface.positions.size(); ++v) {
    const Vec3d p = surface.positions[v];
    texcoords.push_back({static_cast<float>(0.15 + 0.85 * p.x / kEnd),
                         static_cast<float>(0.5 - 0.5 * surface.normals[v].y)});
    const bool at_elbow = p.x > (kShoulder + kElbow) / 2;
    const double joint = at_elbow ? kElbow : kShoulder;
    const double beyond = SmoothStep(joint - kShare, joint + kShare, p.x);
    const std::uint32_t near = at_elbow ? kArm : kChest, far = at_elbow ? kForearm : kArm;
    weights.push_back({{near, 1 - beyond}, {far, beyond}});
    if (beyond <= 0 || beyond >= 1) continue;
    mesh.sdef.vertices.push_back(v);
    mesh.sdef.joints.push_back({near, far});
    mesh.sdef.weights.push_back(static_cast<float>(1 - beyond));
    mesh.sdef.centers.push_back(RoundedPoint({joint, 0, 0}));
    mesh.sdef.r0.push_back(RoundedPoint({joint - kReach, 0, 0}));
    mesh.sdef.r1.push_back(RoundedPoint({joint + kReach, 0, 0}));
  }
  AppendSurface(mesh, surface, weights, texcoords, [](Vec3d) { return 0; }, 1);
  c.meshes.push_back(std::move(mesh));
  c.materials.push_back(MakeMaterial("skin", 0.78f, 0.48f, 0.34f));

  MeshInstance instance;
  instance.name = "body";
  instance.node = static_cast<std::int32_t>(holder);
  instance.skin = 0;
  c.instances.push_back(std::move(instance));

  const auto sweep = [](std::uint32_t node, Vec3d axis, double degrees) {
    std::vector<Quatd> keys;
    for (int k = 0; k <= 12; ++k) keys.push_back(Turn(axis, degrees * SmoothStep(0, 12, k)));
    return RotationChannel(node, 1.0 / 6, keys);
  };
  const auto add_clip = [&](const char* name, std::vector<Channel> channels) {
    Clip clip;
    clip.name = name;
    clip.frames_per_second = 30;
    clip.end_time = 2;
    clip.channels = std::move(channels);
    c.clips.push_back(std::move(clip));
  };
  add_clip("bend", {sweep(forearm, {0, 0, 1}, 120), sweep(arm, {0, 0, 1}, -60)});
  add_clip("twist", {sweep(forearm, {1, 0, 0}, 150), sweep(arm, {1, 0, 0}, -90)});
  return c;
}

}  // namespace flexor::asset::sample
