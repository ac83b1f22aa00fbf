// How an engine uses flexor: one plan for a mesh, one state for each instance on screen, spans it
// owns, no allocation per frame.
#include <cstdio>
#include <vector>

#include "flexor/asset/sample.h"
#include "flexor/deform/backend.h"
#include "flexor/pose/palette.h"
#include "flexor/pose/pose.h"

int main() {
  using namespace flexor;
  const asset::Character figure = asset::MakeSample("figure").value();
  deform::DeformSettings settings;
  settings.method = deform::Method::kDqs;
  const auto plan = deform::BuildDeformPlan(figure, 0, settings);
  const auto backend = deform::CreateBackend(deform::BackendKind::kCpu);
  if (!plan.ok() || !backend.ok()) return 1;

  struct Walker {
    double phase;
    std::unique_ptr<deform::DeformState> state;
    std::vector<Vec3f> positions, normals;
  };
  std::vector<Walker> crowd(3);
  for (std::size_t i = 0; i < crowd.size(); ++i) {
    auto state = (*backend)->CreateState(*plan);
    if (!state.ok()) return 1;
    crowd[i] = {0.3 * static_cast<double>(i), std::move(*state),
                std::vector<Vec3f>(plan->vertex_count()), std::vector<Vec3f>(plan->vertex_count())};
  }

  std::vector<Mat34d> world;
  pose::Palette palette;
  for (Walker& walker : crowd) {
    pose::Pose pose = pose::RestPose(figure);
    pose::SampleClip(figure.clips[0], walker.phase, pose);
    pose::ComputeWorld(figure, pose, world);
    pose::ComputePalette(figure, figure.instances[0], world, palette);
    deform::FrameInputs frame;
    frame.palette = palette;
    frame.morph_weights = pose.morph_weights[0];
    deform::OutputViews out;
    out.positions = walker.positions;
    out.normals = walker.normals;
    const auto report = (*backend)->Run(*plan, *walker.state, frame, out);
    if (!report.ok()) return 1;
    std::printf("walker at %.1f s: %zu vertices on %s, %u joints that are not rigid\n",
                walker.phase, walker.positions.size(), (*backend)->Info().simd_target.c_str(),
                report->non_rigid_joints);
  }
  return 0;
}
