// Settings by name draw no warning, whatever is left out: compiled with -Wall -Wextra -Werror.
#include "flexor/bake/compare.h"
#include "flexor/bake/portrait.h"
#include "flexor/flexor.h"
#include "flexor/render/draw.h"

#include "engine_flags.h"

int main() {
  using namespace flexor;
  const deform::FrameInputs inputs{.palette = {}};
  const deform::OutputViews outputs{.positions = {}};
  const deform::DeformSettings deform_settings{.method = asset::SkinningMethod::kDualQuaternion};
  const deform::BackendOptions backend{.threads = 1};
  const deform::SkinInputs skin{.positions = {}};
  const io::LoadOptions load{.limits = {.json_depth = 8}};
  const io::CacheMesh mesh{.name = "tube"};
  const pose::Override turn{.target = "hip"};
  const bake::PerformerSettings performer{.deform = {.method = asset::SkinningMethod::kLinear}};
  const bake::CompareSettings compare{.methods = {{.name = "lbs"}}};
  const render::DrawSettings draw{.width = 32};
  const asset::Material material{.name = "skin"};
  const Error error{.message = "none"};
  return inputs.palette.empty() && outputs.normals.empty() && backend.threads == 1 &&
                 deform_settings.material_methods.empty() && skin.weights.empty() &&
                 load.limits.json_depth == 8 && mesh.triangles.empty() && turn.value.x == 0 &&
                 performer.overrides.empty() && !compare.ring && draw.label.empty() &&
                 material.base_image == asset::kNone && error.place.path.empty()
             ? 0
             : 1;
}
