// One character, two methods, one number: the ring radius of a tube twisted by 180 degrees.
#include <cstdio>

#include "flexor/asset/sample.h"
#include "flexor/bake/performer.h"
#include "flexor/measure/measure.h"

int main() {
  using namespace flexor;
  const asset::Character tube = asset::MakeSample("twist").value();
  const std::vector<Vec3f>& rest = tube.meshes[0].positions;
  const Vec3d axis{0, 1, 0};
  const double middle = rest.front().y + (rest.back().y - rest.front().y) / 2.0;
  const std::vector<std::uint32_t> ring = measure::RingVertices(rest, axis, middle);
  for (const asset::SkinningMethod method :
       {asset::SkinningMethod::kLinear, asset::SkinningMethod::kDualQuaternion}) {
    bake::PerformerSettings settings;
    settings.deform.method = method;
    auto performer = bake::Performer::Create(tube, settings);
    if (!performer.ok() || !performer->Evaluate(0, tube.clips[0].end_time).ok()) return 1;
    const auto positions = performer->results()[0].positions;
    std::printf("%s: the ring keeps %5.1f %% of its radius\n",
                std::string(deform::MethodName(method)).c_str(),
                100 * *measure::RingRadiusOf(positions, ring, axis) /
                    *measure::RingRadiusOf(rest, ring, axis));
  }
  return 0;
}
