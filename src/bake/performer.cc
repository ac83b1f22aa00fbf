#include "flexor/bake/performer.h"

#include <string>
#include <utility>

#include "bake/one_method.h"

namespace flexor::bake {

struct Performer::Impl {
  pose::Poser poser;
  pose::SimulationState state;
  asset::PosedCharacter posed;
  OneMethod method;
};

Performer::Performer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Performer::~Performer() = default;
Performer::Performer(Performer&&) noexcept = default;
Performer& Performer::operator=(Performer&&) noexcept = default;

Result<Performer> Performer::Create(const asset::Character& character,
                                    const PerformerSettings& settings) {
  FLEXOR_ASSIGN(pose::Poser poser, pose::Poser::Create(character, settings.pose));
  FLEXOR_ASSIGN(pose::SimulationState state, poser.MakeState());
  FLEXOR_ASSIGN(OneMethod method, OneMethod::Create(character, settings));
  return Performer(
      std::make_unique<Impl>(Impl{std::move(poser), std::move(state), {}, std::move(method)}));
}

Status Performer::Evaluate(std::optional<std::uint32_t> clip, double seconds) {
  FLEXOR_TRY(impl_->poser.Evaluate(clip, seconds, &impl_->state, impl_->posed));
  return impl_->method.Deform(impl_->posed);
}

std::span<const deform::DeformedMesh> Performer::results() const { return impl_->method.meshes(); }
const asset::PosedCharacter& Performer::posed() const { return impl_->posed; }
Vec3d Performer::output_origin() const { return impl_->method.shape.output_origin(); }
bool Performer::simulates() const { return impl_->state.simulates(); }
pose::SimulationReport Performer::simulation() const { return impl_->state.report(); }
const deform::DeformPlan& Performer::plan(std::size_t result_index) const {
  return impl_->method.deformer.prepared(result_index).plan();
}
const deform::Backend& Performer::backend() const { return impl_->method.deformer.backend(); }

Status CheckHasMesh(const asset::Character& character, std::size_t drawn) {
  if (drawn != 0) return {};
  const std::size_t hidden = character.instances.size();
  return Error{ErrorCode::kInvalidValue,
               hidden == 0
                   ? "the character shows no mesh, so there is nothing to deform"
                   : "the character shows no mesh in its default scene; " + std::to_string(hidden) +
                         " outside it are taken only when all instances are asked for",
               {character.source.path,
                hidden == 0 ? std::string() : "PerformerSettings::all_instances",
                {}}};
}

}  // namespace flexor::bake
