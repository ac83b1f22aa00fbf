// What spherical vertices do to limbs, in numbers: the built-in shoulder and elbow, and centres
// derived for a limb whose file has none.
#include <cmath>
#include <optional>

#include "flexor/asset/sample.h"
#include "flexor/deform/derive_sdef.h"
#include "flexor/measure/measure.h"
#include "flexor/pose/palette.h"
#include "flexor/pose/pose.h"

#include "deform/every_backend.h"
#include "deform/plan_data.h"
#include "support/spherical.h"

namespace flexor::deform {
namespace {

using asset::SkinningMethod;

class SdefSampleTest : public EveryBackend {
 protected:
  struct Posed {
    asset::Mesh mesh;
    std::vector<Vec3f> positions;
    std::vector<Mat34d> palette;
    DeformPlan plan;
    bool Spherical(std::size_t v) const { return test::SphericalOf(plan.data(), v) != nullptr; }
  };

  Posed At(const asset::Character& c, std::size_t clip, double seconds,
           std::optional<SkinningMethod> method, SdefMode mode = SdefMode::kOn) const {
    pose::Pose pose = pose::RestPose(c);
    pose::SampleClip(c.clips[clip], seconds, pose);
    std::vector<Mat34d> world;
    pose::ComputeModelSpace(c, pose, world);
    test::Job job;
    job.morph_weights = pose.morph_weights[0];
    pose::ComputePalette(c, c.instances[0], world, job.palette);
    DeformSettings settings;
    settings.method = method;
    settings.sdef.mode = mode;
    auto plan = BuildDeformPlan(c, 0, settings);
    EXPECT_TRUE(plan.ok());
    Posed posed{c.meshes[c.instances[0].mesh],
                test::DeformPlanned(GetParam(), *plan, job).positions, job.palette, *plan};
    return posed;
  }

  /// The volume in parts of what it is at rest.
  static double VolumePart(const Posed& posed) {
    return measure::Volume(posed.positions, posed.mesh.triangles) /
           measure::Volume(posed.mesh.positions, posed.mesh.triangles);
  }

  /// The smallest and largest distance of the vertices around a joint from it, in parts of what it
  /// is at rest: those with about half of the weight on each side.
  struct Girth {
    double smallest = 1e9, largest = 0;
  };
  static Girth GirthOf(const Posed& posed, const asset::Character& c, std::uint32_t joint) {
    const Vec3d rest = Inverse(c.skins[0].joint_from_mesh[joint]).translation;
    const Vec3d now = TransformPoint(posed.palette[joint], rest);
    Girth girth;
    const asset::Influences& in = posed.mesh.influences;
    for (std::size_t v = 0; v < posed.mesh.vertex_count(); ++v) {
      for (std::size_t i = in.offsets[v]; i < in.offsets[v + 1]; ++i) {
        if (in.joints[i] != joint || std::abs(in.weights[i] - 0.5f) > 0.05f) continue;
        const double part = Length(Cast<double>(posed.positions[v]) - now) /
                            Length(Cast<double>(posed.mesh.positions[v]) - rest);
        girth.smallest = std::min(girth.smallest, part);
        girth.largest = std::max(girth.largest, part);
      }
    }
    return girth;
  }
};
FLEXOR_ON_EVERY_BACKEND(SdefSampleTest);

TEST_P(SdefSampleTest, TheBuiltInElbowStaysRound) {
  const asset::Character c = asset::MakeSample("sdef").value();
  constexpr std::uint32_t kForearm = 2;
  // Bent by 120 degrees: linear blending leaves half of the outer side.
  const Girth linear = GirthOf(At(c, 0, 2, SkinningMethod::kLinear), c, kForearm);
  EXPECT_NEAR(linear.smallest, 0.5135, 1e-4);
  const Posed bent = At(c, 0, 2, std::nullopt);
  EXPECT_EQ(bent.plan.vertex_count(SkinningMethod::kSpherical), bent.mesh.sdef.size());
  const Girth round = GirthOf(bent, c, kForearm);
  EXPECT_GT(round.smallest, 0.95);
  EXPECT_LT(round.largest, 1.05);
  EXPECT_NEAR(VolumePart(At(c, 0, 2, SkinningMethod::kLinear)), 0.979, 1e-3);
  EXPECT_GT(VolumePart(bent), 0.99);

  // Twisted by 150 degrees: a quarter is left, and all of it.
  EXPECT_NEAR(GirthOf(At(c, 1, 2, SkinningMethod::kLinear), c, kForearm).smallest, 0.2595, 1e-4);
  const Girth twisted = GirthOf(At(c, 1, 2, std::nullopt), c, kForearm);
  EXPECT_NEAR(twisted.smallest, 1, 1e-5);
  EXPECT_NEAR(twisted.largest, 1, 1e-5);
}

TEST_P(SdefSampleTest, ADerivedElbowStaysRound) {
  // A limb without centres in its file.
  const asset::Character c = asset::MakeSample("elbow").value();
  constexpr std::uint32_t kForearm = 1;
  ASSERT_TRUE(c.meshes[0].sdef.empty());
  const double linear[] = {0.4323, 0.1737};  // bent by 130 degrees, twisted by 160
  const double volume[] = {0.9882, 0.9962};
  for (const std::size_t clip : {0u, 1u}) {
    EXPECT_NEAR(GirthOf(At(c, clip, 2, SkinningMethod::kLinear), c, kForearm).smallest,
                linear[clip], 1e-4);
    const Posed posed = At(c, clip, 2, SkinningMethod::kSpherical);
    EXPECT_EQ(posed.plan.vertex_count(SkinningMethod::kSpherical), 638u);
    const Girth derived = GirthOf(posed, c, kForearm);
    EXPECT_NEAR(derived.smallest, 1, 1e-5);
    EXPECT_NEAR(derived.largest, 1, 1e-5);
    EXPECT_NEAR(VolumePart(posed), volume[clip], 1e-3);
    EXPECT_EQ(At(c, clip, 2, std::nullopt, SdefMode::kAuthor).positions, posed.positions);
  }
}

TEST_P(SdefSampleTest, DerivedVerticesStretchTheSkinBesideOthers) {
  // The price: next to vertices of one or of three joints, which stay linear, the longest edge of
  // the raised arm is half as long again as under linear blending.
  const asset::Character c = asset::MakeSample("figure").value();
  const std::uint32_t wave = *asset::FindClip(c, "wave");
  const Posed derived = At(c, wave, 1, SkinningMethod::kSpherical);
  EXPECT_EQ(derived.plan.vertex_count(SkinningMethod::kSpherical), 7558u);
  const auto longest = [&](const Posed& posed) {
    double worst = 0;
    for (std::size_t i = 0; i < posed.mesh.triangles.size(); ++i) {
      const std::uint32_t a = posed.mesh.triangles[i];
      const std::uint32_t b = posed.mesh.triangles[i - i % 3 + (i + 1) % 3];
      if (derived.Spherical(a) == derived.Spherical(b)) continue;
      worst =
          std::max(worst, test::DistanceOf(posed.positions[a], posed.positions[b]) /
                              test::DistanceOf(posed.mesh.positions[a], posed.mesh.positions[b]));
    }
    return worst;
  };
  EXPECT_NEAR(longest(At(c, wave, 1, SkinningMethod::kLinear)), 3.219, 2e-3);
  EXPECT_NEAR(longest(At(c, wave, 1, SkinningMethod::kDualQuaternion)), 3.676, 2e-3);
  EXPECT_NEAR(longest(derived), 4.937, 2e-3);
}

}  // namespace
}  // namespace flexor::deform
