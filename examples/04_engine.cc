// How an engine uses flexor: one prepared plan for a mesh, one job for each instance on screen, all
// of them deformed by one call into memory it owns, no allocation per frame.
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
  settings.method = asset::SkinningMethod::kDualQuaternion;
  const auto plan = deform::BuildDeformPlan(figure, 0, settings);
  const auto backend = deform::CreateBackend(deform::BackendKind::kCpu);
  if (!plan.ok() || !backend.ok()) return 1;
  const auto prepared = (*backend)->Prepare(*plan);
  if (!prepared.ok()) return 1;

  struct Walker {
    double phase;
    pose::Pose pose;
    pose::Palette palette;
    std::vector<Vec3f> positions, normals;
  };
  std::vector<Walker> crowd(3);
  std::vector<deform::DeformJob> jobs(crowd.size());
  for (std::size_t i = 0; i < crowd.size(); ++i) {
    crowd[i].phase = 0.3 * static_cast<double>(i);
    crowd[i].positions.resize(plan->vertex_count());
    crowd[i].normals.resize(plan->vertex_count());
    jobs[i].plan = prepared->get();
    jobs[i].out.positions = crowd[i].positions;
    jobs[i].out.normals = crowd[i].normals;
  }
  auto scratch = (*backend)->CreateScratch(jobs);
  if (!scratch.ok()) return 1;

  // A frame.
  std::vector<Mat34d> world;
  for (std::size_t i = 0; i < crowd.size(); ++i) {
    Walker& walker = crowd[i];
    walker.pose = pose::RestPose(figure);
    pose::SampleClip(figure.clips[0], walker.phase, walker.pose);
    pose::ComputeModelSpace(figure, walker.pose, world);
    pose::ComputePalette(figure, figure.instances[0], world, walker.palette);
    jobs[i].in.palette = walker.palette;
    jobs[i].in.morph_weights = walker.pose.morph_weights[0];
  }
  if (!(*backend)->Run(jobs, *scratch).ok()) return 1;
  for (std::size_t i = 0; i < crowd.size(); ++i) {
    std::printf("walker at %.1f s: %zu vertices on %s, %u joints that are not rigid\n",
                crowd[i].phase, crowd[i].positions.size(), (*backend)->Info().simd_target.c_str(),
                jobs[i].report.non_rigid_joints);
  }
  return 0;
}
