// Reading a PMX model of the size that people dance: bytes to raw structs, everything checked.
#include <cmath>

#include "flexor/io/mmd/pmx.h"

#include "bench/subjects.h"

namespace flexor::bench {
namespace {

using namespace io::mmd;

constexpr std::size_t kVertices = 25000, kBones = 250, kMorphs = 60, kMaterials = 25;
constexpr std::size_t kEntries = 800;  // of each morph
constexpr std::uint64_t kBudget = 1ull << 30;

/// The mix of real characters: mostly BDEF1 and BDEF2, some BDEF4, a few SDEF; names in Japanese.
PmxModel Model() {
  PmxModel model;
  model.name = "計測用モデル";
  model.widths = {2, 1, 1, 2, 1, 1};
  model.bones.resize(kBones);
  for (std::size_t i = 0; i < kBones; ++i) {
    model.bones[i].name = "左ひじ捩り" + std::to_string(i);
    model.bones[i].name_en = "elbow twist L " + std::to_string(i);
    model.bones[i].parent = static_cast<std::int32_t>(i) - 1;
    model.bones[i].flags = kBoneRotatable | kBoneVisible | kBoneOperable;
  }
  model.vertices.resize(kVertices);
  for (std::size_t i = 0; i < kVertices; ++i) {
    PmxVertex& v = model.vertices[i];
    const auto x = static_cast<float>(i);
    v.position = {std::sin(x), x * 1e-3f, std::cos(x)};
    v.normal = {std::sin(x), 0, std::cos(x)};
    v.uv = {x / static_cast<float>(kVertices), 0.5f};
    const auto bone = static_cast<std::int32_t>(i * kBones / kVertices);
    constexpr PmxWeightType kMix[] = {
        PmxWeightType::kBdef1, PmxWeightType::kBdef2, PmxWeightType::kBdef1, PmxWeightType::kBdef2,
        PmxWeightType::kBdef2, PmxWeightType::kBdef4, PmxWeightType::kBdef1, PmxWeightType::kSdef};
    v.type = kMix[i / 64 % 8];
    v.bones = {bone, bone, bone, bone};
    v.weights = {0.5f, 0.25f, 0.25f, 0};
  }
  for (std::size_t i = 0; i + 2 < kVertices; ++i) {
    for (const std::size_t corner : {i, i + 1, i + 2}) {
      model.indices.push_back(static_cast<std::uint32_t>(corner));
    }
  }
  model.textures = {"tex/顔.png", "tex/体.png"};
  model.materials.resize(kMaterials);
  const std::size_t triangles = model.indices.size() / 3;
  for (std::size_t i = 0; i < kMaterials; ++i) {
    model.materials[i].name = "材質" + std::to_string(i);
    const std::size_t end = triangles * (i + 1) / kMaterials, begin = triangles * i / kMaterials;
    model.materials[i].index_count = static_cast<std::uint32_t>(3 * (end - begin));
  }
  model.morphs.resize(kMorphs);
  for (std::size_t i = 0; i < kMorphs; ++i) {
    model.morphs[i].name = "まばたき" + std::to_string(i);
    for (std::size_t k = 0; k < kEntries; ++k) {
      model.morphs[i].vertex.push_back(
          {static_cast<std::uint32_t>((i * kEntries + k) % kVertices), {0, 0.01f, 0}});
    }
  }
  return model;
}

}  // namespace

Status BenchPmxParse(const BenchOptions& options, const Report& report) {
  const std::string kernel = "pmx_parse", mesh = "model-25k";
  if (!Meshes(options).Wanted(kernel, mesh)) return {};
  FLEXOR_ASSIGN(const auto bytes, WritePmx(Model()));
  Status status;
  const Timing timing = Measure({{"parse",
                                  [&] {
                                    MemoryBudget budget(kBudget);
                                    Diagnostics diagnostics;
                                    const auto model = ParsePmx(bytes, budget, diagnostics);
                                    if (!model.ok()) status = model.error();
                                  }}},
                                options);
  FLEXOR_TRY(status);
  Row row;
  row.kernel = kernel;
  row.mesh = mesh;
  row.vertices = kVertices;
  row.joints = kBones;
  row.backend = "cpu";
  row.ns_per_vertex = timing.nanoseconds[0] / static_cast<double>(kVertices);
  row.rounds = timing.rounds;
  report(row);
  return {};
}

}  // namespace flexor::bench
