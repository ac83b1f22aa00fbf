#include "asset/sample_skin.h"

#include <algorithm>

#include "asset/sample_build.h"

namespace flexor::asset::sample {
namespace {

// Weights below this part of the whole are noise of the flow.
constexpr float kLeast = 0.01f;

struct Neighbours {
  std::vector<std::uint32_t> first, list;
};

// Each triangle names, for each corner, the one that follows; on a closed surface that is every
// neighbour once.
Neighbours FindNeighbours(const Surface& surface) {
  Neighbours n;
  n.first.assign(surface.positions.size() + 1, 0);
  for (const std::uint32_t v : surface.triangles) ++n.first[v + 1];
  for (std::size_t v = 1; v < n.first.size(); ++v) n.first[v] += n.first[v - 1];
  n.list.resize(surface.triangles.size());
  std::vector<std::uint32_t> next(n.first.begin(), n.first.end() - 1);
  for (std::size_t t = 0; t < surface.triangles.size(); t += 3) {
    for (std::size_t k = 0; k < 3; ++k) {
      n.list[next[surface.triangles[t + k]]++] = surface.triangles[t + (k + 1) % 3];
    }
  }
  return n;
}

WeightRun Strongest(const float* row, std::size_t bones, std::size_t most) {
  WeightRun run;
  for (std::uint32_t b = 0; b < bones; ++b) {
    if (row[b] > kLeast) run.emplace_back(b, static_cast<double>(row[b]));
  }
  std::sort(run.begin(), run.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  if (run.size() > most) run.resize(most);
  double sum = 0;
  for (const auto& [bone, weight] : run) sum += weight;
  for (auto& [bone, weight] : run) weight /= sum;
  return run;
}

}  // namespace

std::vector<WeightRun> FlowWeights(const Surface& surface, const std::vector<std::uint32_t>& owner,
                                   const std::vector<double>& softness, int rounds,
                                   std::size_t max_influences) {
  const std::size_t count = surface.positions.size(), bones = softness.size();
  const Neighbours neighbours = FindNeighbours(surface);
  std::vector<float> now(count * bones, 0.0f), then(count * bones);
  for (std::size_t v = 0; v < count; ++v) now[v * bones + owner[v]] = 1;
  std::vector<float> mean(bones);
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t v = 0; v < count; ++v) {
      const std::uint32_t begin = neighbours.first[v], end = neighbours.first[v + 1];
      std::fill(mean.begin(), mean.end(), 0.0f);
      for (std::uint32_t i = begin; i < end; ++i) {
        const float* row = &now[neighbours.list[i] * bones];
        for (std::size_t b = 0; b < bones; ++b) mean[b] += row[b];
      }
      const auto flow = static_cast<float>(softness[owner[v]]);
      const float share = end > begin ? flow / static_cast<float>(end - begin) : 0.0f;
      const float keep = end > begin ? 1 - flow : 1.0f;
      for (std::size_t b = 0; b < bones; ++b) {
        then[v * bones + b] = now[v * bones + b] * keep + mean[b] * share;
      }
    }
    std::swap(now, then);
  }
  std::vector<WeightRun> runs;
  runs.reserve(count);
  for (std::size_t v = 0; v < count; ++v) {
    runs.push_back(Strongest(&now[v * bones], bones, max_influences));
  }
  return runs;
}

void AppendSurface(Mesh& mesh, const Surface& surface, const std::vector<WeightRun>& weights,
                   const std::vector<Vec2f>& texcoords,
                   const std::function<std::int32_t(Vec3d)>& material,
                   std::int32_t material_count) {
  const auto base = static_cast<std::uint32_t>(mesh.positions.size());
  for (std::size_t v = 0; v < surface.positions.size(); ++v) {
    mesh.positions.push_back(RoundedPoint(surface.positions[v]));
    mesh.normals.push_back(RoundedDirection(surface.normals[v]));
    AddRun(mesh.influences, weights[v]);
  }
  mesh.texcoords.insert(mesh.texcoords.end(), texcoords.begin(), texcoords.end());
  std::vector<std::vector<std::uint32_t>> sorted(static_cast<std::size_t>(material_count));
  for (std::size_t t = 0; t < surface.triangles.size(); t += 3) {
    const std::uint32_t a = surface.triangles[t], b = surface.triangles[t + 1],
                        c = surface.triangles[t + 2];
    const Vec3d middle =
        (surface.positions[a] + surface.positions[b] + surface.positions[c]) * (1.0 / 3);
    std::vector<std::uint32_t>& list = sorted[static_cast<std::size_t>(material(middle))];
    list.insert(list.end(), {base + a, base + b, base + c});
  }
  for (std::int32_t m = 0; m < material_count; ++m) {
    const std::vector<std::uint32_t>& list = sorted[static_cast<std::size_t>(m)];
    if (list.empty()) continue;
    mesh.subsets.push_back({static_cast<std::uint32_t>(mesh.triangles.size()),
                            static_cast<std::uint32_t>(list.size()), m});
    mesh.triangles.insert(mesh.triangles.end(), list.begin(), list.end());
  }
}

}  // namespace flexor::asset::sample
