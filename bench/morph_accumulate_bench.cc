// Morphs before linear blending: eight on, of which half touch everything and half a tenth of the
// mesh; beside blending alone, so that the morphs' own share is seen. The plain loop adds whole
// arrays.
#include <cmath>

#include "bench/subjects.h"

namespace flexor::bench {
namespace {

constexpr std::size_t kMorphs = 8;

asset::Mesh WithMorphs(const asset::Mesh& mesh) {
  asset::Mesh out = mesh;
  out.morphs.clear();
  const std::size_t vertices = mesh.vertex_count();
  for (std::size_t m = 0; m < kMorphs; ++m) {
    asset::Morph morph;
    const bool sparse = m % 2 == 1;
    const std::size_t begin = sparse ? vertices * m / kMorphs : 0;
    const std::size_t end = sparse ? begin + vertices / 10 : vertices;
    for (std::size_t v = begin; v < std::min(end, vertices); ++v) {
      if (sparse) morph.vertices.push_back(static_cast<std::uint32_t>(v));
      const double wave = std::sin(0.01 * static_cast<double>(v + m));
      morph.positions.push_back(Cast<float>(Vec3d{0.01 * wave, 0.02, 0.01}));
      morph.normals.push_back(Cast<float>(Vec3d{0.1 * wave, 0.05, 0}));
    }
    out.morphs.push_back(std::move(morph));
  }
  return out;
}

}  // namespace

Status BenchMorphAccumulate(const BenchOptions& options, const BenchMesh& mesh,
                            const Report& report) {
  if (!Meshes(options).Wanted("morph_accumulate", mesh.name)) return {};
  if (mesh.mesh.vertex_count() > 1000000) return {};
  const asset::Mesh morphed = WithMorphs(mesh.mesh);
  deform::DeformSettings settings;
  settings.method = deform::Method::kLbs;
  const std::vector<float> on(kMorphs, 0.5f);
  const std::size_t vertices = morphed.vertex_count();
  // As far apart in memory as ours: every morph has arrays of its own.
  AlignedBuffer<float> offsets(vertices * 6 * kMorphs), sums(vertices * 6);
  for (const int threads : options.threads) {
    for (const std::string& target : TargetsOf(options)) {
      FLEXOR_ASSIGN(const std::unique_ptr<Deformer> ours,
                    Deformer::Make(morphed, mesh.rigid.size(), settings, {threads, target}));
      FLEXOR_ASSIGN(const std::unique_ptr<Deformer> without,
                    Deformer::Make(morphed, mesh.rigid.size(), settings, {threads, target}));
      const ThreadTeam team(threads);
      const auto plain = [&] {
        Split(team, vertices, [&](std::size_t begin, std::size_t end) {
          for (std::size_t m = 0; m < kMorphs; ++m) {
            const std::size_t last = m % 2 == 1 ? begin + (end - begin) / 10 : end;
            const float* const positions = offsets.data() + m * vertices * 6;
            PlainMorph(positions, 0.5f, begin, last, sums.data());
            PlainMorph(positions + vertices * 3, 0.5f, begin, last, sums.data() + vertices * 3);
          }
        });
      };
      const Timing timing = Measure({{"ours", [&] { ours->Run(mesh.rigid, on); }},
                                     {"without", [&] { without->Run(mesh.rigid, {}); }},
                                     {"plain", plain}},
                                    options);
      FLEXOR_TRY(ours->status());
      Row row = RowOf("morph_accumulate", mesh, threads, ours->info());
      const double time = std::max(1.0, timing.nanoseconds[0] - timing.nanoseconds[1]);
      row.ns_per_vertex = time / static_cast<double>(vertices);
      row.ratio_plain = timing.nanoseconds[2] / time;
      row.rounds = timing.rounds;
      report(row);
    }
  }
  return {};
}

}  // namespace flexor::bench
