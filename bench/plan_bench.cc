// Building plans and preparing them for the CPU backend: everything checked, repaired and laid out,
// once for a mesh.
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
    Status status;
    const Timing timing = Measure({{"plan",
                                    [&] {
                                      const auto plan = deform::BuildDeformPlan(
                                          mesh.mesh, mesh.rigid.size(), settings);
                                      if (!plan.ok()) {
                                        status = plan.error();
                                        return;
                                      }
                                      const auto prepared = backend->Prepare(*plan);
                                      if (!prepared.ok()) status = prepared.error();
                                    }}},
                                  options);
    FLEXOR_TRY(status);
    Row row = RowOf(kernel, mesh, 1, {});
    row.backend = "cpu";
    row.ns_per_vertex = timing.nanoseconds[0] / static_cast<double>(row.vertices);
    row.rounds = timing.rounds;
    report(row);
  }
  return {};
}

}  // namespace flexor::bench
