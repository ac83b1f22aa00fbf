// flexor::deform alone: a character out of an engine's own arrays, a plan, a frame.
#include <cstdio>
#include <vector>

#include "flexor/asset/sample.h"
#include "flexor/core/version.h"
#include "flexor/deform/backend.h"

#include "engine_flags.h"

int main() {
  using namespace flexor;
  if (LibraryVersion() != FLEXOR_VERSION_STRING) return 1;
  const auto character = asset::MakeSample("twist");
  if (!character.ok()) return 1;
  const auto plan =
      deform::BuildDeformPlan(*character, 0, {.method = asset::SkinningMethod::kDualQuaternion});
  const auto backend = deform::CreateBackend(deform::BackendKind::kCpu, {.threads = 2});
  if (!plan.ok() || !backend.ok()) return 1;
  const auto prepared = (*backend)->Prepare(*plan);
  if (!prepared.ok()) return 1;

  // Joints that all moved by one metre move the mesh by one metre.
  Mat34d moved;
  moved.translation = {0, 1, 0};
  const std::vector<Mat34d> palette(plan->joint_count(), moved);
  std::vector<Vec3f> positions(plan->vertex_count());
  deform::Scratch scratch;
  const auto report =
      (*backend)->Run(**prepared, {.palette = palette}, {.positions = positions}, scratch);
  if (!report.ok()) return 1;
  for (std::size_t v = 0; v < positions.size(); ++v) {
    const Vec3f rest = character->meshes[0].positions[v];
    if (Length(positions[v] - rest - Vec3f{0, 1, 0}) > 1e-5f) return 1;
  }
  // An error crosses the boundary of a shared library as a value, too.
  const auto nobody = asset::MakeSample("nobody");
  if (nobody.ok() || nobody.error().ToString().empty()) return 1;
  std::printf("consumed flexor::deform %s: %zu vertices moved\n", FLEXOR_VERSION_STRING,
              positions.size());
  return 0;
}
