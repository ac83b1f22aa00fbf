// flexor::flexor: what an engine does first: make a character, pose it, deform it.
#include <cstdio>
#include <vector>

#include "flexor/asset/sample.h"
#include "flexor/deform/backend.h"
#include "flexor/pose/palette.h"
#include "flexor/pose/pose.h"

#include "engine_flags.h"

int main() {
  using namespace flexor;
  const auto character = asset::MakeSample("twist");
  if (!character.ok()) return 1;
  const auto plan = deform::BuildDeformPlan(*character, 0, {});
  const auto backend = deform::CreateBackend(deform::BackendKind::kCpu);
  if (!plan.ok() || !backend.ok()) return 1;
  const auto prepared = (*backend)->Prepare(*plan);
  if (!prepared.ok()) return 1;

  std::vector<Mat34d> world;
  pose::Palette palette;
  pose::ComputeModelSpace(*character, pose::RestPose(*character), world);
  pose::ComputePalette(*character, character->instances[0], world, palette);
  std::vector<Vec3f> positions(plan->vertex_count());
  deform::Scratch scratch;
  const auto report =
      (*backend)->Run(**prepared, {.palette = palette}, {.positions = positions}, scratch);
  if (!report.ok()) return 1;
  // The rest pose returns the rest shape.
  if (positions != character->meshes[0].positions) return 1;
  std::printf("consumed flexor: %zu vertices at rest\n", positions.size());
  return 0;
}
