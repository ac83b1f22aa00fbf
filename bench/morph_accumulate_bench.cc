// Morphs before linear blending, from one to fifty, dense and sparse: the time of a frame with them
// less that of one without, ours and the plain loops', so that what morphs push out of the caches
// is counted as theirs. Both give morphed positions and unit normals to skinning. The losing
// candidate is timed alone.
#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "flexor/core/huge_pages.h"

#include "bench/losing/morph_losing.h"
#include "bench/subjects.h"

namespace flexor::bench {
namespace {

constexpr MorphCase kCases[] = {
    {"morph_accumulate_mix8", 4, 4, 0},      {"morph_accumulate_dense1", 1, 0, 0},
    {"morph_accumulate_dense4", 4, 0, 0},    {"morph_accumulate_dense50", 50, 0, 0},
    {"morph_accumulate_sparse4", 0, 4, 0},   {"morph_accumulate_sparse50", 0, 50, 0},
    {"morph_accumulate_scattered4", 0, 0, 4}};
// Fifty dense morphs of a million vertices are a gigabyte.
constexpr const char* kAllCases[] = {"grid-10k", "grid-100k", "figure", "CesiumMan"};
constexpr const char* kFirstCase[] = {"grid-1k",  "grid-1M",     "mix-10k",
                                      "mix-100k", "random-100k", "Fox"};

void AddEntry(asset::Morph& morph, std::size_t vertex, std::size_t salt) {
  const double wave = std::sin(0.01 * static_cast<double>(vertex + salt));
  morph.positions.push_back(Cast<float>(Vec3d{0.01 * wave, 0.02, 0.01}));
  morph.normals.push_back(Cast<float>(Vec3d{0.1 * wave, 0.05, 0}));
}

asset::Mesh WithMorphs(const asset::Mesh& mesh, const MorphCase& with) {
  asset::Mesh out = mesh;
  out.morphs.clear();
  const std::size_t vertices = mesh.vertex_count();
  std::mt19937 random(1);
  const auto add_sparse = [&](std::size_t begin, std::size_t end, std::uint32_t kept_of_16) {
    asset::Morph morph;
    for (std::size_t v = begin; v < std::min(end, vertices); ++v) {
      if (random() % 16 >= kept_of_16) continue;
      morph.vertices.push_back(static_cast<std::uint32_t>(v));
      AddEntry(morph, v, begin);
    }
    if (!morph.vertices.empty()) out.morphs.push_back(std::move(morph));
  };
  // In turn, as lists of morphs come.
  for (std::size_t m = 0; m < std::max({with.dense, with.patches, with.scattered}); ++m) {
    if (m < with.dense) {
      asset::Morph morph;
      for (std::size_t v = 0; v < vertices; ++v) AddEntry(morph, v, m);
      out.morphs.push_back(std::move(morph));
    }
    if (m < with.patches) {
      const std::size_t begin = vertices * (2 * m + 1) / (2 * with.patches + 2);
      add_sparse(begin, begin + vertices / 10, 12);
    }
    if (m < with.scattered) add_sparse(0, vertices, 1);
  }
  return out;
}

class MorphPeers {
 public:
  MorphPeers(const BenchMesh& mesh, const asset::Mesh& morphed, float weight, int threads)
      : copy_(mesh),
        team_(threads),
        morphed_(mesh.mesh.vertex_count()),
        output_(mesh.mesh.vertex_count()),
        losing_(copy_.mesh) {
    for (const Mat34d& m : mesh.rigid) {
      for (const Vec3d& column : {m.linear.x, m.linear.y, m.linear.z, m.translation}) {
        const Vec3f c = Cast<float>(column);
        matrices_.insert(matrices_.end(), {c.x, c.y, c.z, 0});
      }
    }
    // One piece of memory on large pages, as ours.
    std::size_t numbers = 0;
    for (const asset::Morph& morph : morphed.morphs) numbers += 6 * morph.positions.size();
    ReserveOnHugePages(offsets_, numbers);
    const auto copy = [&](const std::vector<Vec3f>& from) {
      const float* const at = offsets_.data() + offsets_.size();
      for (const Vec3f& v : from) offsets_.insert(offsets_.end(), {v.x, v.y, v.z});
      return at;
    };
    for (const asset::Morph& morph : morphed.morphs) {
      const float* const positions = copy(morph.positions);
      morphs_.push_back({positions, copy(morph.normals),
                         morph.vertices.empty() ? nullptr : morph.vertices.data(),
                         morph.vertices.size(), weight});
    }
    for (const PeerMorph& morph : morphs_) losing_.Add(morph, copy_.mesh.vertices);
  }

  /// A frame with morphs: everything is morphed, then skinned.
  void PlainWith() {
    Split(team_, copy_.mesh.vertices, [&](std::size_t begin, std::size_t end) {
      PlainMorphs(copy_.mesh, morphs_.data(), morphs_.size(), begin, end,
                  morphed_.position_numbers(), morphed_.normal_numbers());
    });
    PeerMesh mesh = copy_.mesh;
    mesh.positions = morphed_.position_numbers();
    mesh.normals = morphed_.normal_numbers();
    Skin(mesh);
  }
  void PlainWithout() { Skin(copy_.mesh); }
  void Losing() {
    Split(team_, losing_.blocks(copy_.mesh.vertices),
          [&](std::size_t begin, std::size_t end) { losing_.Run(begin, end); });
  }

 private:
  void Skin(const PeerMesh& mesh) {
    Split(team_, mesh.vertices, [&](std::size_t begin, std::size_t end) {
      PlainLbs(mesh, {matrices_.data(), nullptr}, begin, end, output_.position_numbers(),
               output_.normal_numbers());
    });
  }

  PeerCopy copy_;
  ThreadTeam team_;
  Output morphed_, output_;
  AlignedBuffer<float> matrices_;
  AlignedBuffer<float> offsets_;
  std::vector<PeerMorph> morphs_;
  BlockCursorMorphs losing_;
};

Status BenchCase(const BenchOptions& options, const MorphCase& with, const BenchMesh& mesh,
                 const Report& report) {
  const asset::Mesh morphed = WithMorphs(mesh.mesh, with);
  deform::DeformSettings settings;
  settings.method = asset::SkinningMethod::kLinear;
  constexpr float kWeight = 0.5f;
  const std::vector<float> on(morphed.morphs.size(), kWeight);
  const std::size_t vertices = morphed.vertex_count();
  for (const int threads : options.threads) {
    MorphPeers peers(mesh, morphed, kWeight, threads);
    std::string best;
    double plain_time = 0, lost_time = 0;
    for (const std::string& target : TargetsOf(options)) {
      FLEXOR_ASSIGN(const std::unique_ptr<Deformer> ours,
                    Deformer::Make(morphed, mesh.rigid.size(), settings, {threads, target}));
      FLEXOR_ASSIGN(const std::unique_ptr<Deformer> without,
                    Deformer::Make(morphed, mesh.rigid.size(), settings, {threads, target}));
      std::vector<Candidate> candidates{{"ours", [&] { ours->Run(mesh.rigid, on); }},
                                        {"without", [&] { without->Run(mesh.rigid, {}); }},
                                        {"plain", [&] { peers.PlainWith(); }},
                                        {"plain without", [&] { peers.PlainWithout(); }}};
      const bool lost = options.all && best.empty();
      if (lost) candidates.push_back({"losing", [&] { peers.Losing(); }});
      const Timing timing = Measure(candidates, options);
      FLEXOR_TRY(ours->status());
      Row row = RowOf(with.kernel, mesh, threads, ours->info());
      const double time = std::max(1.0, timing.nanoseconds[0] - timing.nanoseconds[1]);
      row.ns_per_vertex = time / static_cast<double>(vertices);
      row.ratio_plain = (timing.nanoseconds[2] - timing.nanoseconds[3]) / time;
      row.rounds = timing.rounds;
      report(row);
      if (!lost) continue;
      best = target;
      plain_time = timing.nanoseconds[2] - timing.nanoseconds[3];
      lost_time = timing.nanoseconds[4];
    }
    if (best.empty()) continue;
    Row row = RowOf(std::string(with.kernel) + ":block_cursors", mesh, threads, {});
    row.backend = "losing";
    row.target = best;
    row.ns_per_vertex = lost_time / static_cast<double>(vertices);
    row.ratio_plain = plain_time / lost_time;
    report(row);
  }
  return {};
}

}  // namespace

std::vector<MorphCase> MorphCasesFor(const std::string& mesh) {
  for (const char* name : kAllCases) {
    if (mesh == name) return {std::begin(kCases), std::end(kCases)};
  }
  for (const char* name : kFirstCase) {
    if (mesh == name) return {kCases[0]};
  }
  return {};
}

Status BenchMorphAccumulate(const BenchOptions& options, const BenchMesh& mesh,
                            const Report& report) {
  for (const MorphCase& one : MorphCasesFor(mesh.name)) {
    if (!Meshes(options).Wanted(one.kernel, mesh.name)) continue;
    FLEXOR_TRY(BenchCase(options, one, mesh, report));
  }
  return {};
}

}  // namespace flexor::bench
