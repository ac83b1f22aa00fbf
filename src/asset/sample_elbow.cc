// A smooth arm for looking at what bending and twisting do to an elbow.
#include "asset/sample_build.h"
#include "asset/sample_hand.h"
#include "asset/sample_skin.h"
#include "asset/sample_surface.h"

namespace flexor::asset::sample {
namespace {

// The arm lies along +X, the palm up; the elbow bends toward +Y.
constexpr double kElbow = 0.29;
constexpr double kWrist = 0.545;
constexpr double kEnd = 0.74;
constexpr std::uint32_t kUpperArm = 0, kForearm = 1, kHand = 2;

std::vector<Part> ArmParts() {
  Part arm;
  arm.blobs = {
      // Bone and flesh around it, then the round of the shoulder, biceps and triceps.
      MakeBlob({0.01, 0, 0}, {kElbow, -0.002, 0}, 0.045, 0.034, 0.03),
      MakeBlob({0.010, 0.010, 0}, {0.06, 0.002, 0}, 0.050, 0.042, 0.05),
      MakeBlob({0.115, 0.022, 0.002}, {0.190, 0.018, 0.002}, 0.035, 0.030, 0.035),
      MakeBlob({0.085, -0.020, 0.006}, {0.205, -0.013, 0.004}, 0.034, 0.028, 0.035),
      // The elbow's knob.
      MakeBlob({kElbow + 0.002, -0.020, 0}, {kElbow + 0.014, -0.017, 0}, 0.022, 0.020, 0.025),
      // Forearm: thick behind the elbow on both sides, thin and flat at the wrist.
      MakeBlob({kElbow, -0.002, 0}, {kWrist, 0, 0}, 0.038, 0.026, 0.03),
      MakeBlob({kElbow + 0.035, 0.006, 0.016}, {kElbow + 0.13, 0.002, 0.012}, 0.033, 0.022, 0.03),
      MakeBlob({kElbow + 0.040, 0.002, -0.016}, {kElbow + 0.14, 0, -0.010}, 0.033, 0.022, 0.03),
  };
  return {arm};
}

}  // namespace

Character MakeElbow() {
  Character c;
  c.name = "elbow";
  const std::uint32_t upper = AddNode(c, "upper_arm", kNone, {0, 0, 0});
  const std::uint32_t fore =
      AddNode(c, "forearm", static_cast<std::int32_t>(upper), {kElbow, -0.004, 0});
  const std::uint32_t hand =
      AddNode(c, "hand", static_cast<std::int32_t>(fore), {kWrist - kElbow, 0.004, 0});
  const std::uint32_t holder = AddNode(c, "arm", kNone, {0, 0, 0});
  c.skins.push_back(BindAtRest(c, "arm", {upper, fore, hand}));

  std::vector<Part> parts = ArmParts();
  HandBones bones;
  bones.hand = kHand;
  AddHand(parts, {{kWrist, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, bones);
  const Field field(std::move(parts));
  const Surface surface = Polygonize(field, 0.0118, {{{kWrist + 0.11, 0, 0}, 0.45, 4}});

  // Smooth in the distance along the arm: the same for every point of a ring.
  std::vector<WeightRun> weights;
  std::vector<Vec2f> texcoords;
  for (std::size_t v = 0; v < surface.positions.size(); ++v) {
    const Vec3d p = surface.positions[v];
    const double below = SmoothStep(kElbow - 0.055, kElbow + 0.055, p.x);
    const double beyond = SmoothStep(kWrist - 0.045, kWrist + 0.040, p.x);
    weights.push_back(
        {{kUpperArm, 1 - below}, {kForearm, below * (1 - beyond)}, {kHand, below * beyond}});
    texcoords.push_back(
        {static_cast<float>(p.x / kEnd), static_cast<float>(0.5 - 0.5 * surface.normals[v].y)});
  }
  Mesh mesh;
  mesh.name = "arm";
  AppendSurface(mesh, surface, weights, texcoords, [](Vec3d) { return 0; }, 1);
  c.meshes.push_back(std::move(mesh));
  c.materials.push_back(MakeMaterial("skin", 0.78f, 0.48f, 0.34f));

  MeshInstance instance;
  instance.name = "arm";
  instance.node = static_cast<std::int32_t>(holder);
  instance.skin = 0;
  c.instances.push_back(std::move(instance));

  const auto sweep = [&](const char* name, Vec3d axis, double degrees) {
    Clip clip;
    clip.name = name;
    clip.frames_per_second = 30;
    clip.end_time = 2;
    std::vector<Quatd> keys;
    for (int k = 0; k <= 12; ++k) keys.push_back(Turn(axis, degrees * SmoothStep(0, 12, k)));
    clip.channels.push_back(RotationChannel(fore, 1.0 / 6, keys));
    return clip;
  };
  c.clips.push_back(sweep("bend", {0, 0, 1}, 130));
  c.clips.push_back(sweep("twist", {1, 0, 0}, 160));
  return c;
}

}  // namespace flexor::asset::sample
