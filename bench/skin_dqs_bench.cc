// Dual quaternions, with rigid joints and with residuals: ours, our own linear blending for scale,
// a plain loop and an Eigen loop.
#include <array>

#include "flexor/math/palette_split.h"

#include "bench/subjects.h"

namespace flexor::bench {
namespace {

/// 1/2 (0, v) q, as numbers.
void HalfTimes(const Vec3d& v, const Quatd& q, float* out) {
  const Quatd product = Quatd{v.x, v.y, v.z, 0} * q * 0.5;
  const std::array<double, 4> numbers{product.x, product.y, product.z, product.w};
  for (std::size_t i = 0; i < 4; ++i) out[i] = static_cast<float>(numbers[i]);
}

/// Peers split the palette within the measured call, as ours does.
class DqsPeers {
 public:
  DqsPeers(std::span<const Mat34d> palette, const PeerCopy& copy, bool residual, int threads)
      : palette_(palette),
        copy_(copy),
        residual_(residual),
        team_(threads),
        output_(copy.mesh.vertices),
        duals_(palette.size() * 20) {}

  void Plain() {
    SplitAll();
    Split(team_, copy_.mesh.vertices, [&](std::size_t begin, std::size_t end) {
      PlainDqs(copy_.mesh, {nullptr, duals_.data()}, residual_, begin, end,
               output_.position_numbers(), output_.normal_numbers());
    });
  }
#ifdef FLEXOR_BENCH_EIGEN
  void Eigen() {
    SplitAll();
    Split(team_, copy_.mesh.vertices, [&](std::size_t begin, std::size_t end) {
      EigenDqs(copy_.mesh, {nullptr, duals_.data()}, residual_, begin, end,
               output_.position_numbers(), output_.normal_numbers());
    });
  }
#endif

 private:
  void SplitAll() {
    float* out = duals_.data();
    for (const Mat34d& m : palette_) {
      const PaletteSplit split = SplitGramSchmidt(m);
      const Quatf q = Cast<float>(split.rotation);
      out[0] = q.x;
      out[1] = q.y;
      out[2] = q.z;
      out[3] = q.w;
      HalfTimes(m.translation, split.rotation, out + 4);
      const Mat3d rest = m.linear - ToMat3(split.rotation);
      HalfTimes(rest.x, split.rotation, out + 8);
      HalfTimes(rest.y, split.rotation, out + 12);
      HalfTimes(rest.z, split.rotation, out + 16);
      out += 20;
    }
  }

  std::span<const Mat34d> palette_;
  const PeerCopy& copy_;
  bool residual_;
  ThreadTeam team_;
  Output output_;
  AlignedBuffer<float> duals_;
};

Status BenchOne(const BenchOptions& options, const std::string& kernel, const BenchMesh& mesh,
                std::span<const Mat34d> palette, bool residual, const Report& report) {
  if (!Meshes(options).Wanted(kernel, mesh.name)) return {};
  deform::DeformSettings settings;
  settings.method = asset::SkinningMethod::kDualQuaternion;
  deform::DeformSettings linear_settings;
  linear_settings.method = asset::SkinningMethod::kLinear;
  const PeerCopy copy(mesh);
  for (const int threads : options.threads) {
    std::vector<std::unique_ptr<Deformer>> ours;
    std::vector<Candidate> candidates;
    const std::vector<std::string> targets = TargetsOf(options);
    for (const std::string& target : targets) {
      for (const auto* with : {&settings, &linear_settings}) {
        FLEXOR_ASSIGN(std::unique_ptr<Deformer> deformer,
                      Deformer::Make(mesh.mesh, palette.size(), *with, {threads, target}));
        Deformer* const one = deformer.get();
        candidates.push_back({target, [palette, one] { one->Run(palette, {}); }});
        ours.push_back(std::move(deformer));
      }
    }
    DqsPeers peers(palette, copy, residual, threads);
    candidates.push_back({"plain", [&] { peers.Plain(); }});
#ifdef FLEXOR_BENCH_EIGEN
    candidates.push_back({"eigen", [&] { peers.Eigen(); }});
#endif
    const Timing timing = Measure(candidates, options);
    for (std::size_t i = 0; i < ours.size(); i += 2) {
      FLEXOR_TRY(ours[i]->status());
      const double time = timing.nanoseconds[i];
      Row row = RowOf(kernel, mesh, threads, ours[i]->info());
      row.ns_per_vertex = time / static_cast<double>(row.vertices);
      row.ratio_lbs = time / timing.nanoseconds[i + 1];
      row.ratio_plain = timing.nanoseconds[ours.size()] / time;
#ifdef FLEXOR_BENCH_EIGEN
      row.ratio_eigen = timing.nanoseconds[ours.size() + 1] / time;
#endif
      row.rounds = timing.rounds;
      report(row);
    }
  }
  return {};
}

}  // namespace

Status BenchSkinDqs(const BenchOptions& options, const BenchMesh& mesh, const Report& report) {
  FLEXOR_TRY(BenchOne(options, "skin_dqs_rigid", mesh, mesh.rigid, false, report));
  return BenchOne(options, "skin_dqs_residual", mesh, mesh.scaled, true, report);
}

}  // namespace flexor::bench
