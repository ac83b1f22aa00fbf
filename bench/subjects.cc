#include "bench/subjects.h"

namespace flexor::bench {

Result<std::unique_ptr<Deformer>> Deformer::Make(const asset::Mesh& mesh, std::size_t joints,
                                                 const deform::DeformSettings& settings,
                                                 const deform::BackendOptions& options) {
  FLEXOR_ASSIGN(const deform::DeformPlan plan, deform::BuildDeformPlan(mesh, joints, settings));
  FLEXOR_ASSIGN(std::unique_ptr<deform::Backend> backend,
                deform::CreateBackend(deform::BackendKind::kCpu, options));
  FLEXOR_ASSIGN(std::shared_ptr<const deform::PreparedPlan> prepared, backend->Prepare(plan));
  FLEXOR_ASSIGN(deform::Scratch scratch, backend->CreateScratch(*prepared));
  return std::unique_ptr<Deformer>(
      new Deformer(std::move(backend), std::move(prepared), std::move(scratch)));
}

void Deformer::Run(std::span<const Mat34d> palette, std::span<const float> morph_weights) {
  const deform::FrameInputs in{palette, morph_weights, {}};
  const auto report =
      backend_->Run(*prepared_, in, {output_.positions, output_.normals, {}}, scratch_);
  status_ = report.ok() ? Status() : Status(report.error());
}

void Deformer::RunInto(std::span<const Mat34d> palette, const deform::OutputViews& out) {
  const auto report = backend_->Run(*prepared_, {palette, {}, {}}, out, scratch_);
  status_ = report.ok() ? Status() : Status(report.error());
}

bool Meshes::Wanted(const std::string& kernel, const std::string& mesh) const {
  const std::string name = kernel + "/" + mesh;
  return options_.filter.empty() || name.find(options_.filter) != std::string::npos;
}

namespace {

struct Made {
  const char* name;
  Spread spread;
  std::size_t vertices;
};
constexpr Made kMade[] = {
    {"grid-1k", Spread::kGrid, 1000},        {"grid-10k", Spread::kGrid, 10000},
    {"grid-100k", Spread::kGrid, 100000},    {"grid-1M", Spread::kGrid, 1000000},
    {"grid-4M", Spread::kGrid, 4000000},     {"mix-10k", Spread::kMix, 10000},
    {"mix-100k", Spread::kMix, 100000},      {"mix-1M", Spread::kMix, 1000000},
    {"mix-4M", Spread::kMix, 4000000},       {"scattered-100k", Spread::kScattered, 100000},
    {"random-100k", Spread::kRandom, 100000}};

/// The kernels that are measured on a mesh, with how many rows each gives.
struct Kernel {
  std::string name;
  std::size_t rows;
};
std::vector<Kernel> KernelsFor(const BenchOptions& options, const std::string& mesh) {
  const std::size_t targets = TargetsOf(options).size();
  const std::size_t threads = options.threads.size();
  const std::size_t lost = options.all ? 1 : 0;
  std::vector<Kernel> kernels{{"skin_lbs", threads * (targets + lost * kLbsLosing)},
                              {"skin_dqs_rigid", threads * targets},
                              {"skin_dqs_residual", threads * targets},
                              {"interleaved_24", threads},
                              {"interleaved_32", threads},
                              {"interleaved_48", threads},
                              {"skin_sdef", threads * targets},
                              {"skin_sdef_30", threads * targets}};
  for (const MorphCase& one : MorphCasesFor(mesh)) {
    kernels.push_back({one.kernel, threads * (targets + lost * kMorphLosing)});
  }
  kernels.push_back({"plan_lbs", 1});
  kernels.push_back({"plan_dqs", 1});
  return kernels;
}

}  // namespace

std::size_t Meshes::RowsOf(const std::string& mesh) const {
  std::size_t rows = 0;
  for (const Kernel& kernel : KernelsFor(options_, mesh)) {
    if (Wanted(kernel.name, mesh)) rows += kernel.rows;
  }
  return rows;
}

std::size_t Meshes::Rows() const {
  std::size_t rows = RowsOf("figure");
  for (const Made& made : kMade) rows += RowsOf(made.name);
  for (const CorpusFile& file : CorpusCharacters()) rows += RowsOf(file.name);
  return rows;
}

Status Meshes::ForEach(const std::function<Status(const BenchMesh&)>& body) const {
  for (const Made& made : kMade) {
    if (RowsOf(made.name) > 0) FLEXOR_TRY(body(MakeMesh(made.name, made.spread, made.vertices)));
  }
  if (RowsOf("figure") > 0) {
    FLEXOR_ASSIGN(const BenchMesh mesh, MeshOfSample("figure"));
    FLEXOR_TRY(body(mesh));
  }
  for (const CorpusFile& file : CorpusCharacters()) {
    if (RowsOf(file.name) == 0) continue;
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

Status RunBench(const BenchOptions& options, const std::function<void(const Row&)>& report,
                ProgressFn progress) {
  const Meshes meshes(options);
  Progress state{"bench", 0, meshes.Rows()};
  bool go_on = state.total == 0 || progress(state);
  const Report count = [&](const Row& row) {
    report(row);
    ++state.done;
    go_on = progress(state) && go_on;
  };
  FLEXOR_TRY(BenchPmxParse(options, count));
  FLEXOR_TRY(BenchMmdSolver(options, count));
  FLEXOR_TRY(BenchCrowd(options, count));
  return meshes.ForEach([&](const BenchMesh& mesh) -> Status {
    for (auto* const kernel : {&BenchSkinLbs, &BenchSkinDqs, &BenchOutputViews, &BenchSkinSdef,
                               &BenchMorphAccumulate, &BenchPlan}) {
      if (!go_on) return Error{ErrorCode::kCancelled, "stopped; later rows were not measured", {}};
      FLEXOR_TRY(kernel(options, mesh, count));
    }
    return {};
  });
}

}  // namespace flexor::bench
