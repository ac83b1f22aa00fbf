// A pose is not a palette: joint transforms say where joints are, skinning matrices say how far
// they moved from bind.
#include <cstdio>

#include "flexor/asset/sample.h"
#include "flexor/pose/palette.h"
#include "flexor/pose/pose.h"

int main() {
  using namespace flexor;
  const asset::Character elbow = asset::MakeSample("elbow").value();
  pose::Pose pose = pose::RestPose(elbow);
  std::vector<Mat34d> model_from_node;
  pose::Palette palette;
  const auto print = [&](const char* when) {
    pose::ComputeModelSpace(elbow, pose, model_from_node);
    pose::ComputePalette(elbow, elbow.instances[0], model_from_node, palette);
    for (std::size_t j = 0; j < palette.size(); ++j) {
      const std::uint32_t node = elbow.skins[0].joints[j];
      const Vec3d joint = model_from_node[node].translation, matrix = palette[j].translation;
      std::printf(
          "%s  %-10s joint at (%6.3f %6.3f %6.3f), skinning matrix moves by (%6.3f %6.3f %6.3f)\n",
          when, elbow.nodes[node].name.c_str(), joint.x, joint.y, joint.z, matrix.x, matrix.y,
          matrix.z);
    }
  };
  print("rest");
  pose::SampleClip(elbow.clips[0], elbow.clips[0].end_time, pose);
  print("bent");
  return 0;
}
