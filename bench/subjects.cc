#include "bench/subjects.h"

namespace flexor::bench {

Result<std::unique_ptr<Deformer>> Deformer::Make(const asset::Mesh& mesh, std::size_t joints,
                                                 const deform::DeformSettings& settings,
                                                 const deform::BackendOptions& options) {
  FLEXOR_ASSIGN(deform::DeformPlan plan,
                deform::BuildDeformPlan(mesh, joints, asset::SkinningMethod::kLinear, settings));
  FLEXOR_ASSIGN(std::unique_ptr<deform::Backend> backend,
                deform::CreateBackend(deform::BackendKind::kCpu, options));
  FLEXOR_ASSIGN(std::unique_ptr<deform::DeformState> state, backend->CreateState(plan));
  return std::unique_ptr<Deformer>(
      new Deformer(std::move(plan), std::move(backend), std::move(state)));
}

void Deformer::Run(std::span<const Mat34d> palette, std::span<const float> morph_weights) {
  const deform::FrameInputs in{palette, morph_weights, {}};
  const auto report = backend_->Run(plan_, *state_, in, {output_.positions, output_.normals, {}});
  status_ = report.ok() ? Status() : Status(report.error());
}

bool Meshes::Wanted(const std::string& kernel, const std::string& mesh) const {
  const std::string name = kernel + "/" + mesh;
  return options_.filter.empty() || name.find(options_.filter) != std::string::npos;
}

Status Meshes::ForEach(const std::function<Status(const BenchMesh&)>& body) const {
  constexpr const char* kKernels[] = {"skin_lbs",         "skin_dqs_rigid", "skin_dqs_residual",
                                      "morph_accumulate", "plan_lbs",       "plan_dqs"};
  const auto wanted = [&](const std::string& mesh) {
    for (const char* kernel : kKernels) {
      if (Wanted(kernel, mesh)) return true;
    }
    return false;
  };
  constexpr struct {
    const char* name;
    Spread spread;
    std::size_t vertices;
  } kMade[] = {
      {"grid-1k", Spread::kGrid, 1000},        {"grid-10k", Spread::kGrid, 10000},
      {"grid-100k", Spread::kGrid, 100000},    {"grid-1M", Spread::kGrid, 1000000},
      {"grid-4M", Spread::kGrid, 4000000},     {"mix-10k", Spread::kMix, 10000},
      {"mix-100k", Spread::kMix, 100000},      {"mix-1M", Spread::kMix, 1000000},
      {"mix-4M", Spread::kMix, 4000000},       {"scattered-100k", Spread::kScattered, 100000},
      {"random-100k", Spread::kRandom, 100000}};
  for (const auto& made : kMade) {
    if (wanted(made.name)) FLEXOR_TRY(body(MakeMesh(made.name, made.spread, made.vertices)));
  }
  if (wanted("figure")) {
    FLEXOR_ASSIGN(const BenchMesh mesh, MeshOfSample("figure"));
    FLEXOR_TRY(body(mesh));
  }
  for (const CorpusFile& file : CorpusCharacters()) {
    if (!wanted(file.name)) continue;
    FLEXOR_ASSIGN(const BenchMesh mesh, MeshOfFile(file.name, file.path));
    FLEXOR_TRY(body(mesh));
  }
  return {};
}

Row RowOf(const std::string& kernel, const BenchMesh& mesh, int threads,
          const deform::BackendInfo& info) {
  Row row;
  row.kernel = kernel;
  row.mesh = mesh.name;
  row.vertices = mesh.mesh.vertex_count();
  row.joints = mesh.rigid.size();
  row.influences = mesh.mean_influences;
  row.threads = threads;
  row.backend = deform::BackendName(info.kind);
  row.target = info.simd_target;
  return row;
}

std::vector<std::string> TargetsOf(const BenchOptions& options) {
  if (!options.simd_target.empty()) return {options.simd_target};
  std::vector<std::string> targets = deform::SimdTargets();
  if (!options.all && targets.size() > 1) targets.resize(1);
  return targets;
}

Status RunBench(const BenchOptions& options, const std::function<void(const Row&)>& report) {
  return Meshes(options).ForEach([&](const BenchMesh& mesh) -> Status {
    FLEXOR_TRY(BenchSkinLbs(options, mesh, report));
    FLEXOR_TRY(BenchSkinDqs(options, mesh, report));
    FLEXOR_TRY(BenchMorphAccumulate(options, mesh, report));
    return BenchPlan(options, mesh, report);
  });
}

}  // namespace flexor::bench
