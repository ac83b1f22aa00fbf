// Building plans and preparing them for the CPU backend: everything checked, repaired and laid out,
// once for a mesh; and loading them from the bytes of one that was saved.
#include "flexor/deform/method_name.h"
#include "flexor/deform/saved_plan.h"

#include "bench/subjects.h"

namespace flexor::bench {

Status BenchPlan(const BenchOptions& options, const BenchMesh& mesh, const Report& report) {
  constexpr asset::SkinningMethod kMethods[] = {asset::SkinningMethod::kLinear,
                                                asset::SkinningMethod::kDualQuaternion};
  for (const asset::SkinningMethod method : kMethods) {
    const std::string kernel = "plan_" + std::string(deform::MethodName(method));
    if (!Meshes(options).Wanted(kernel, mesh.name)) continue;
    deform::DeformSettings settings;
    settings.method = method;
    FLEXOR_ASSIGN(const auto backend, deform::CreateBackend(deform::BackendKind::kCpu));
    const auto make = [&]() -> Result<std::shared_ptr<const deform::PreparedPlan>> {
      FLEXOR_ASSIGN(const deform::DeformPlan plan,
                    deform::BuildDeformPlan(mesh.mesh, mesh.rigid.size(), settings));
      return backend->Prepare(plan);
    };
    FLEXOR_ASSIGN(const auto prepared, make());
    FLEXOR_ASSIGN(const std::vector<std::byte> saved, deform::SavePrepared(*backend, *prepared));
    Status status;
    const auto keep = [&](const auto& result) {
      if (!result.ok()) status = result.error();
    };
    const Timing timing = Measure({{"make", [&] { keep(make()); }},
                                   {"load", [&] { keep(deform::LoadPrepared(*backend, saved)); }}},
                                  options);
    FLEXOR_TRY(status);
    for (const std::size_t i : {0u, 1u}) {
      Row row = RowOf(i == 0 ? kernel : kernel + "_load", mesh, 1, {});
      row.backend = "cpu";
      row.ns_per_vertex = timing.nanoseconds[i] / static_cast<double>(row.vertices);
      const std::size_t bytes =
          i == 0 ? prepared->plan().bytes() + prepared->facts().bytes : saved.size();
      row.bytes_per_vertex = static_cast<double>(bytes) / static_cast<double>(row.vertices);
      row.rounds = timing.rounds;
      report(row);
    }
  }
  return {};
}

}  // namespace flexor::bench
