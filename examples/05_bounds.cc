// A box for culling from the palette alone, and the exact one beside it.
#include <cstdio>

#include "flexor/asset/sample.h"
#include "flexor/bake/performer.h"
#include "flexor/deform/bounds.h"
#include "flexor/pose/palette.h"

int main() {
  using namespace flexor;
  const asset::Character figure = asset::MakeSample("figure").value();
  bake::PerformerSettings settings;
  settings.deform.method = asset::SkinningMethod::kLinear;
  auto performer = bake::Performer::Create(figure, settings);
  if (!performer.ok()) return 1;
  const auto bounds = deform::JointBoxBounds::Build(performer->plan(0));
  if (!bounds.ok()) return 1;
  pose::Palette palette;
  for (const double seconds : {0.0, 0.5, 1.0}) {
    if (!performer->Evaluate(0, seconds).ok()) return 1;
    pose::ComputePalette(figure, figure.instances[0], performer->posed().model_from_node, palette);
    const Vec3d cheap = bounds->Compute(palette).Size();
    const Vec3f exact = deform::ExactBounds(performer->results()[0].positions).Size();
    std::printf("%.1f s: cheap box %.2f x %.2f x %.2f m, exact %.2f x %.2f x %.2f m\n", seconds,
                cheap.x, cheap.y, cheap.z, exact.x, exact.y, exact.z);
  }
  return 0;
}
