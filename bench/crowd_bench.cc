// Many small meshes in one call: what threads make of them, against one thread and against a call
// for each mesh.
#include "bench/subjects.h"

namespace flexor::bench {
namespace {

constexpr std::size_t kMeshes = 200;
constexpr std::size_t kVertices = 500;

/// Meshes that share a prepared plan, as the extras of a scene do, each with its own results.
class Crowd {
 public:
  static Result<std::unique_ptr<Crowd>> Make(const BenchMesh& mesh, int threads,
                                             const std::string& target) {
    deform::DeformSettings settings;
    settings.method = asset::SkinningMethod::kLinear;
    std::unique_ptr<Crowd> crowd(new Crowd());
    FLEXOR_ASSIGN(const deform::DeformPlan plan,
                  deform::BuildDeformPlan(mesh.mesh, mesh.rigid.size(), settings));
    FLEXOR_ASSIGN(crowd->backend_,
                  deform::CreateBackend(deform::BackendKind::kCpu, {threads, target}));
    FLEXOR_ASSIGN(crowd->prepared_, crowd->backend_->Prepare(plan));
    crowd->outputs_.reserve(kMeshes);
    for (std::size_t i = 0; i < kMeshes; ++i) {
      Output& output = crowd->outputs_.emplace_back(mesh.mesh.vertex_count());
      deform::DeformJob job;
      job.plan = crowd->prepared_.get();
      job.in.palette = mesh.rigid;
      job.out = {output.positions, output.normals};
      crowd->jobs_.push_back(job);
    }
    FLEXOR_ASSIGN(crowd->scratch_, crowd->backend_->CreateScratch(crowd->jobs_));
    return crowd;
  }

  void Together() { Keep(backend_->Run(jobs_, scratch_)); }
  void OneByOne() {
    for (deform::DeformJob& job : jobs_) Keep(backend_->Run({&job, 1}, scratch_));
  }
  const Status& status() const { return status_; }
  deform::BackendInfo info() const { return backend_->Info(); }

 private:
  Crowd() = default;
  void Keep(Status status) {
    if (!status.ok()) status_ = std::move(status);
  }

  std::unique_ptr<deform::Backend> backend_;
  std::shared_ptr<const deform::PreparedPlan> prepared_;
  std::vector<Output> outputs_;
  std::vector<deform::DeformJob> jobs_;
  deform::Scratch scratch_;
  Status status_;
};

}  // namespace

Status BenchCrowd(const BenchOptions& options, const Report& report) {
  const std::string name = "200x500";
  if (!Meshes(options).Wanted("crowd", name)) return {};
  const BenchMesh mesh = MakeMesh(name, Spread::kMix, kVertices);
  const std::string target = TargetsOf(options).front();
  FLEXOR_ASSIGN(const std::unique_ptr<Crowd> alone, Crowd::Make(mesh, 1, target));
  for (const int threads : options.threads) {
    FLEXOR_ASSIGN(const std::unique_ptr<Crowd> crowd, Crowd::Make(mesh, threads, target));
    FLEXOR_ASSIGN(const std::unique_ptr<Crowd> calls, Crowd::Make(mesh, threads, target));
    const Timing timing = Measure({{"together", [&] { crowd->Together(); }},
                                   {"one thread", [&] { alone->Together(); }},
                                   {"one by one", [&] { calls->OneByOne(); }}},
                                  options);
    for (const Crowd* const one : {crowd.get(), alone.get(), calls.get()}) {
      FLEXOR_TRY(one->status());
    }
    Row row = RowOf("crowd", mesh, threads, crowd->info());
    row.vertices = kMeshes * mesh.mesh.vertex_count();
    row.ns_per_vertex = timing.nanoseconds[0] / static_cast<double>(row.vertices);
    row.ratio_one_thread = timing.nanoseconds[1] / timing.nanoseconds[0];
    row.ratio_calls = timing.nanoseconds[2] / timing.nanoseconds[0];
    row.rounds = timing.rounds;
    report(row);
  }
  return {};
}

}  // namespace flexor::bench
