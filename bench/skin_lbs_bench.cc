// Linear blending: ours on every thread count asked for, a plain loop, an Eigen loop, and the bytes
// alone.
#include <cstdint>

#include "bench/losing/lbs_losing.h"
#include "bench/subjects.h"

namespace flexor::bench {
namespace {

/// Peers get the palette that ours gets and narrow it as they need it, within the measured call.
class LbsPeers {
 public:
  LbsPeers(const BenchMesh& mesh, const PeerCopy& copy, int threads)
      : palette_(mesh.rigid),
        copy_(copy),
        team_(threads),
        output_(copy.mesh.vertices),
        matrices_(mesh.rigid.size() * 16) {}

  void Plain() {
    Narrow();
    Split(team_, copy_.mesh.vertices, [&](std::size_t begin, std::size_t end) {
      PlainLbs(copy_.mesh, {matrices_.data(), nullptr}, begin, end, output_.position_numbers(),
               output_.normal_numbers());
    });
  }
#ifdef FLEXOR_BENCH_EIGEN
  void Eigen() {
    Narrow();
    Split(team_, copy_.mesh.vertices, [&](std::size_t begin, std::size_t end) {
      EigenLbs(copy_.mesh, {matrices_.data(), nullptr}, begin, end, output_.position_numbers(),
               output_.normal_numbers());
    });
  }
#endif
  void Losing(LosingKernel kernel) {
    Narrow();
    Split(team_, copy_.mesh.vertices, [&](std::size_t begin, std::size_t end) {
      kernel(copy_.mesh, {matrices_.data(), nullptr}, begin, end, output_.position_numbers(),
             output_.normal_numbers());
    });
  }
  void MoveBytes() {
    Split(team_, copy_.four.vertices, [&](std::size_t begin, std::size_t end) {
      sink_ = Ceiling(copy_.four, begin, end, output_.position_numbers(), output_.normal_numbers());
    });
  }

 private:
  void Narrow() {
    float* out = matrices_.data();
    for (const Mat34d& m : palette_) {
      for (const Vec3d& column : {m.linear.x, m.linear.y, m.linear.z, m.translation}) {
        for (std::size_t r = 0; r < 3; ++r) out[r] = static_cast<float>(column[r]);
        out[3] = 0;
        out += 4;
      }
      out[-1] = 1;
    }
  }

  std::span<const Mat34d> palette_;
  const PeerCopy& copy_;
  ThreadTeam team_;
  Output output_;
  AlignedBuffer<float> matrices_;
  volatile std::uint64_t sink_ = 0;
};

}  // namespace

Status BenchSkinLbs(const BenchOptions& options, const BenchMesh& mesh, const Report& report) {
  if (!Meshes(options).Wanted("skin_lbs", mesh.name)) return {};
  deform::DeformSettings settings;
  settings.method = asset::SkinningMethod::kLinear;
  const PeerCopy copy(mesh);
  for (const int threads : options.threads) {
    std::vector<std::unique_ptr<Deformer>> ours;
    std::vector<Candidate> candidates;
    for (const std::string& target : TargetsOf(options)) {
      FLEXOR_ASSIGN(std::unique_ptr<Deformer> deformer,
                    Deformer::Make(mesh.mesh, mesh.rigid.size(), settings, {threads, target}));
      Deformer* const one = deformer.get();
      candidates.push_back({"flexor " + target, [&mesh, one] { one->Run(mesh.rigid, {}); }});
      ours.push_back(std::move(deformer));
    }
    LbsPeers peers(mesh, copy, threads);
    candidates.push_back({"ceiling", [&] { peers.MoveBytes(); }});
    candidates.push_back({"plain", [&] { peers.Plain(); }});
#ifdef FLEXOR_BENCH_EIGEN
    candidates.push_back({"eigen", [&] { peers.Eigen(); }});
#endif
    const std::size_t losing = candidates.size();
    if (options.all) {
      for (const LosingCandidate& candidate : LbsLosingCandidates()) {
        candidates.push_back(
            {candidate.name, [&peers, run = candidate.run] { peers.Losing(run); }});
      }
    }
    const Timing timing = Measure(candidates, options);
    for (std::size_t i = 0; i < ours.size(); ++i) {
      FLEXOR_TRY(ours[i]->status());
      const double time = timing.nanoseconds[i];
      Row row = RowOf("skin_lbs", mesh, threads, ours[i]->info());
      row.ns_per_vertex = time / static_cast<double>(row.vertices);
      row.ratio_ceiling = timing.nanoseconds[ours.size()] / time;
      row.ratio_plain = timing.nanoseconds[ours.size() + 1] / time;
#ifdef FLEXOR_BENCH_EIGEN
      row.ratio_eigen = timing.nanoseconds[ours.size() + 2] / time;
#endif
      row.rounds = timing.rounds;
      report(row);
    }
    for (std::size_t i = losing; i < candidates.size(); ++i) {
      Row row = RowOf("skin_lbs:" + candidates[i].name, mesh, threads, ours.front()->info());
      row.backend = "losing";
      row.ns_per_vertex = timing.nanoseconds[i] / static_cast<double>(row.vertices);
      row.ratio_ceiling = timing.nanoseconds[ours.size()] / timing.nanoseconds[i];
      row.ratio_plain = timing.nanoseconds[ours.size() + 1] / timing.nanoseconds[i];
      row.rounds = timing.rounds;
      report(row);
    }
  }
  return {};
}

}  // namespace flexor::bench
