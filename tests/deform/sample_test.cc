// The built-in characters, posed by their own clips, through every backend.
#include "flexor/asset/sample.h"

#include <array>
#include <cmath>

#include "flexor/pose/palette.h"
#include "flexor/pose/pose.h"

#include "deform/every_backend.h"

namespace flexor::deform {
namespace {

using asset::SkinningMethod;
using test::Shape;

class SampleTest : public EveryBackend {
 protected:
  /// The first instance of a sample at a time of its first clip; the rest pose below 0.
  Shape At(const char* sample, double seconds, const test::MethodCase& method) {
    auto made = asset::MakeSample(sample);
    EXPECT_TRUE(made.ok());
    const asset::Character& character = *made;
    pose::Pose pose = pose::RestPose(character);
    if (seconds >= 0) pose::SampleClip(character.clips[0], seconds, pose);
    std::vector<Mat34d> model_from_node;
    pose::ComputeModelSpace(character, pose, model_from_node);
    test::Job job;
    pose::ComputePalette(character, character.instances[0], model_from_node, job.palette);
    job.mesh = character.meshes[character.instances[0].mesh];
    job.morph_weights = pose.morph_weights[0];
    mesh_ = job.mesh;
    return Run(test::WithMethod(job, method));
  }

  asset::Mesh mesh_;
};
FLEXOR_ON_EVERY_BACKEND(SampleTest);

TEST_P(SampleTest, RestPosesReturnTheMesh) {
  for (const auto& sample : asset::Samples()) {
    for (const auto& method : test::MethodCases()) {
      const Shape shape = At(std::string(sample.name).c_str(), -1, method);
      for (std::size_t v = 0; v < mesh_.vertex_count(); ++v) {
        ASSERT_THAT(shape.positions[v], test::IsNear(mesh_.positions[v], 5e-6))
            << sample.name << " " << method.name << " " << v;
      }
    }
  }
}

TEST_P(SampleTest, ShearStaysFiniteAndUnit) {
  // Stretched, sheared, mirrored and flattened on the way; 6 influences; vertices without weight.
  for (const auto& method : test::MethodCases()) {
    for (const double seconds : {0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5}) {
      const Shape shape = At("shear", seconds, method);
      for (std::size_t v = 0; v < mesh_.vertex_count(); ++v) {
        const Vec3d p = Cast<double>(shape.positions[v]);
        ASSERT_TRUE(IsFinite(p)) << method.name << " at " << seconds << " vertex " << v;
        ASSERT_LT(Length(p), 10) << method.name << " at " << seconds << " vertex " << v;
        ASSERT_NEAR(Length(Cast<double>(shape.normals[v])), 1, 1e-6)
            << method.name << " at " << seconds << " vertex " << v;
      }
      if (method.settings.method != SkinningMethod::kDualQuaternion) continue;
      EXPECT_GT(shape.report.non_rigid_joints, 0u) << method.name << " at " << seconds;
      // At one second a joint and its child are flat: no basis left.
      EXPECT_EQ(shape.report.degenerate_joints, seconds == 1.0 ? 2u : 0u) << method.name;
    }
  }
}

TEST_P(SampleTest, ShearLeavesVerticesWithoutWeightInPlace) {
  for (const auto& method : test::MethodCases()) {
    const Shape shape = At("shear", 1.0, method);
    std::size_t without = 0;
    for (std::size_t v = 0; v < mesh_.vertex_count(); ++v) {
      if (mesh_.influences.offsets[v] != mesh_.influences.offsets[v + 1]) continue;
      EXPECT_EQ(shape.positions[v], mesh_.positions[v]);
      ++without;
    }
    EXPECT_GT(without, 0u);
  }
}

}  // namespace
}  // namespace flexor::deform
