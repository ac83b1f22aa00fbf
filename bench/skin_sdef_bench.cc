// Spherical vertices: a mesh of nothing else, beside the same mesh blended linearly and a plain
// loop; and a mesh with three in ten of them, as characters have, beside the same all linear.
#include <algorithm>
#include <array>
#include <utility>

#include "flexor/math/palette_split.h"

#include "bench/subjects.h"

namespace flexor::bench {
namespace {

// Spherical vertices lie together, as around an elbow.
constexpr std::size_t kPatch = 64;

/// A joint that meets `joint` in no vertex in particular, for vertices of one joint.
std::uint32_t OtherThan(std::uint32_t joint, std::size_t joints) {
  return joint + 1 < joints ? joint + 1 : joint - 1;
}

/// Makes the vertices of the first `tenths` of every ten patches spherical about points near them.
/// Those keep their two strongest joints, so that linear blending has the same to read.
BenchMesh WithSdef(const BenchMesh& from, std::size_t tenths) {
  BenchMesh out = from;
  const asset::Influences& in = from.mesh.influences;
  asset::Influences& kept = out.mesh.influences;
  kept = {};
  kept.offsets.push_back(0);
  std::vector<std::pair<float, std::uint32_t>> run;
  for (std::uint32_t v = 0; v < from.mesh.vertex_count(); ++v) {
    run.clear();
    for (std::size_t i = in.offsets[v]; i < in.offsets[v + 1]; ++i) {
      run.emplace_back(in.weights[i], in.joints[i]);
    }
    if ((v / kPatch) % 10 < tenths) {
      std::stable_sort(run.begin(), run.end(),
                       [](const auto& a, const auto& b) { return a.first > b.first; });
      if (run.size() < 2)
        run = {{0.7f, run[0].second}, {0.3f, OtherThan(run[0].second, from.rigid.size())}};
      run.resize(2);
      const float sum = run[0].first + run[1].first;
      asset::SdefVertices& sdef = out.mesh.sdef;
      const Vec3f p = from.mesh.positions[v];
      sdef.vertices.push_back(v);
      sdef.joints.push_back({run[0].second, run[1].second});
      sdef.weights.push_back(run[0].first / sum);
      sdef.centers.push_back(p * 0.9f);
      sdef.r0.push_back(p * 0.9f + Vec3f{-0.05f, 0.01f, 0});
      sdef.r1.push_back(p * 0.9f + Vec3f{0.04f, 0, 0.02f});
    }
    for (const auto& [weight, joint] : run) {
      kept.weights.push_back(weight);
      kept.joints.push_back(joint);
    }
    kept.offsets.push_back(static_cast<std::uint32_t>(kept.joints.size()));
  }
  out.mean_influences = static_cast<double>(kept.joints.size()) /
                        static_cast<double>(std::max<std::size_t>(1, from.mesh.vertex_count()));
  return out;
}

/// A plain loop over a mesh of spherical vertices alone. It splits the palette within the measured
/// call, as ours does.
class SdefPeer {
 public:
  SdefPeer(const BenchMesh& mesh, const PeerCopy& copy, int threads)
      : palette_(mesh.rigid),
        copy_(copy),
        team_(threads),
        output_(copy.mesh.vertices),
        matrices_(mesh.rigid.size() * 16),
        duals_(mesh.rigid.size() * 20) {
    const asset::SdefVertices& sdef = mesh.mesh.sdef;
    for (std::size_t i = 0; i < sdef.size(); ++i) {
      for (const std::uint32_t joint : sdef.joints[i]) {
        joints_.push_back(static_cast<std::uint16_t>(joint));
      }
      const float w0 = sdef.weights[i], w1 = 1 - w0;
      const Vec3f c = sdef.centers[i], mean = sdef.r0[i] * w0 + sdef.r1[i] * w1;
      Append(c, centers_);
      Append(c + sdef.r0[i] - mean, r0_);
      Append(c + sdef.r1[i] - mean, r1_);
      weights_.push_back(w0);
    }
  }

  void Plain() {
    float* matrix = matrices_.data();
    float* dual = duals_.data();
    for (const Mat34d& m : palette_) {
      for (const Vec3d& column : {m.linear.x, m.linear.y, m.linear.z, m.translation}) {
        for (std::size_t r = 0; r < 3; ++r) matrix[r] = static_cast<float>(column[r]);
        matrix += 4;
      }
      const Quatf q = Cast<float>(SplitGramSchmidt(m).rotation);
      dual[0] = q.x;
      dual[1] = q.y;
      dual[2] = q.z;
      dual[3] = q.w;
      dual += 20;
    }
    const PeerSdef sdef{joints_.data(), weights_.data(), centers_.data(), r0_.data(), r1_.data()};
    Split(team_, copy_.mesh.vertices, [&](std::size_t begin, std::size_t end) {
      PlainSdef(copy_.mesh, sdef, {matrices_.data(), duals_.data()}, begin, end,
                output_.position_numbers(), output_.normal_numbers());
    });
  }

 private:
  static void Append(const Vec3f& v, AlignedBuffer<float>& out) {
    out.insert(out.end(), {v.x, v.y, v.z});
  }

  std::span<const Mat34d> palette_;
  const PeerCopy& copy_;
  ThreadTeam team_;
  Output output_;
  AlignedBuffer<float> matrices_, duals_;
  AlignedBuffer<float> weights_, centers_, r0_, r1_;
  AlignedBuffer<std::uint16_t> joints_;
};

Status BenchOne(const BenchOptions& options, const std::string& kernel, const BenchMesh& from,
                std::size_t tenths, const Report& report) {
  if (!Meshes(options).Wanted(kernel, from.name) || from.rigid.size() < 2) return {};
  const BenchMesh mesh = WithSdef(from, tenths);
  const bool all = tenths == 10;
  deform::DeformSettings settings, linear_settings;
  linear_settings.method = asset::SkinningMethod::kLinear;
  const PeerCopy copy(mesh);
  for (const int threads : options.threads) {
    std::vector<std::unique_ptr<Deformer>> ours;
    std::vector<Candidate> candidates;
    for (const std::string& target : TargetsOf(options)) {
      for (const auto* with : {&settings, &linear_settings}) {
        FLEXOR_ASSIGN(std::unique_ptr<Deformer> deformer,
                      Deformer::Make(mesh.mesh, mesh.rigid.size(), *with, {threads, target}));
        Deformer* const one = deformer.get();
        candidates.push_back({target, [&mesh, one] { one->Run(mesh.rigid, {}); }});
        ours.push_back(std::move(deformer));
      }
    }
    SdefPeer peer(mesh, copy, threads);
    if (all) candidates.push_back({"plain", [&] { peer.Plain(); }});
    const Timing timing = Measure(candidates, options);
    for (std::size_t i = 0; i < ours.size(); i += 2) {
      FLEXOR_TRY(ours[i]->status());
      const double time = timing.nanoseconds[i];
      Row row = RowOf(kernel, mesh, threads, ours[i]->info());
      row.ns_per_vertex = time / static_cast<double>(row.vertices);
      row.ratio_lbs = time / timing.nanoseconds[i + 1];
      if (all) row.ratio_plain = timing.nanoseconds[ours.size()] / time;
      row.rounds = timing.rounds;
      report(row);
    }
  }
  return {};
}

}  // namespace

Status BenchSkinSdef(const BenchOptions& options, const BenchMesh& mesh, const Report& report) {
  FLEXOR_TRY(BenchOne(options, "skin_sdef", mesh, 10, report));
  return BenchOne(options, "skin_sdef_30", mesh, 3, report);
}

}  // namespace flexor::bench
