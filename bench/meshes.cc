#include "bench/meshes.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <random>

#include "flexor/asset/sample.h"
#include "flexor/core/huge_pages.h"
#include "flexor/io/load.h"
#include "flexor/pose/palette.h"
#include "flexor/pose/pose.h"

namespace flexor::bench {
namespace {

constexpr std::uint32_t kSide = 8;  // joints of the grid, each way

double Uniform(std::mt19937& random) { return static_cast<double>(random() >> 8) / (1 << 24); }

/// How many influences a vertex keeps: 55/25/12/8 %.
std::size_t CountOf(double share) {
  return share < 0.55 ? 1 : share < 0.80 ? 2 : share < 0.92 ? 3 : 4;
}

/// A number in [0, 1) for a patch of the grid, without order.
double PatchShare(double x, double y) {
  const double wave =
      std::sin(std::floor(x * 6) * 12.9898 + std::floor(y * 6) * 78.233) * 43758.5453;
  return wave - std::floor(wave);
}

struct Influence {
  std::uint32_t joint;
  double weight;
};

std::vector<Influence> GridInfluences(double x, double y) {
  const double cx = std::min(std::floor(x), kSide - 2.0), cy = std::min(std::floor(y), kSide - 2.0);
  const double fx = 0.02 + 0.96 * (x - cx), fy = 0.02 + 0.96 * (y - cy);
  const auto at = static_cast<std::uint32_t>(cy) * kSide + static_cast<std::uint32_t>(cx);
  return {{at, (1 - fx) * (1 - fy)},
          {at + 1, fx * (1 - fy)},
          {at + kSide, (1 - fx) * fy},
          {at + kSide + 1, fx * fy}};
}

std::vector<Influence> RandomInfluences(std::mt19937& random) {
  std::vector<Influence> out;
  while (out.size() < 4) {
    const auto joint = static_cast<std::uint32_t>(random() % (kSide * kSide));
    const bool known =
        std::any_of(out.begin(), out.end(), [&](const Influence& i) { return i.joint == joint; });
    if (!known) out.push_back({joint, 0.05 + Uniform(random)});
  }
  return out;
}

/// Joints that turn as limbs do, up to about 60 degrees about any axis.
void Pose(std::size_t joints, BenchMesh& out) {
  std::mt19937 random(11);
  const auto signed_unit = [&] { return 2 * Uniform(random) - 1; };
  for (std::size_t j = 0; j < joints; ++j) {
    Quatd q =
        FromAxisAngle(Vec3d{signed_unit(), signed_unit(), signed_unit()}, 1.05 * Uniform(random));
    const Vec3d translation{0.2 * signed_unit(), 0.2 * signed_unit(), 0.2 * signed_unit()};
    const Mat3d rotation = ToMat3(q);
    out.rigid.push_back({rotation, translation});
    const Mat3d residual{{0.8 + 0.5 * Uniform(random), 0, 0},
                         {0.1 * signed_unit(), 0.8 + 0.5 * Uniform(random), 0},
                         {0, 0, 0.8 + 0.5 * Uniform(random)}};
    out.scaled.push_back({rotation * residual, translation});
  }
}

Result<BenchMesh> MeshOfCharacter(const std::string& name, const asset::Character& character) {
  const asset::MeshInstance* largest = nullptr;
  const auto vertices = [&](const asset::MeshInstance& i) {
    return character.meshes[i.mesh].vertex_count();
  };
  for (const asset::MeshInstance& instance : character.instances) {
    if (instance.skin == asset::kNone) continue;
    if (largest == nullptr || vertices(instance) > vertices(*largest)) largest = &instance;
  }
  if (largest == nullptr) {
    return Error{ErrorCode::kInvalidArgument,
                 "the character has no skinned mesh",
                 {character.source.path, {}, {}}};
  }
  BenchMesh out;
  out.name = name;
  out.mesh = character.meshes[largest->mesh];
  out.mesh.dqs_weights.clear();
  // Some files leave normals to the viewer; any unit vectors cost the same.
  if (out.mesh.normals.empty()) out.mesh.normals.assign(out.mesh.vertex_count(), {0, 0, 1});
  pose::Pose pose = pose::RestPose(character);
  if (!character.clips.empty()) {
    const asset::Clip& clip = character.clips.front();
    pose::SampleClip(clip, 0.5 * clip.end_time, pose);
  }
  std::vector<Mat34d> world;
  pose::ComputeModelSpace(character, pose, world);
  pose::ComputePalette(character, *largest, world, out.rigid);
  BenchMesh made;
  Pose(out.rigid.size(), made);
  out.scaled = made.scaled;
  out.mean_influences = static_cast<double>(out.mesh.influences.joints.size()) /
                        static_cast<double>(out.mesh.vertex_count());
  return out;
}

}  // namespace

BenchMesh MakeMesh(const std::string& name, Spread spread, std::size_t vertices) {
  BenchMesh out;
  out.name = name;
  std::mt19937 random(7);
  const auto width = static_cast<std::size_t>(std::sqrt(static_cast<double>(vertices)));
  const double rows = static_cast<double>(vertices) / static_cast<double>(width);
  asset::Influences& runs = out.mesh.influences;
  runs.offsets.push_back(0);
  out.mesh.name = name;
  out.mesh.positions.reserve(vertices);
  out.mesh.normals.reserve(vertices);
  for (std::size_t v = 0; v < vertices; ++v) {
    const double x = static_cast<double>(v % width) / static_cast<double>(width) * (kSide - 1.0);
    const double y = static_cast<double>(v / width) / rows * (kSide - 1.0);
    std::vector<Influence> influences =
        spread == Spread::kRandom ? RandomInfluences(random) : GridInfluences(x, y);
    std::sort(influences.begin(), influences.end(),
              [](const Influence& a, const Influence& b) { return a.weight > b.weight; });
    if (spread == Spread::kMix) influences.resize(CountOf(PatchShare(x, y)));
    if (spread == Spread::kScattered) influences.resize(CountOf(Uniform(random)));
    double sum = 0;
    for (const Influence& influence : influences) sum += influence.weight;
    for (const Influence& influence : influences) {
      runs.joints.push_back(influence.joint);
      runs.weights.push_back(static_cast<float>(influence.weight / sum));
    }
    runs.offsets.push_back(static_cast<std::uint32_t>(runs.joints.size()));
    const double height = 0.3 * std::sin(3 * x) * std::cos(2 * y);
    out.mesh.positions.push_back(Cast<float>(Vec3d{x / kSide, y / kSide, height}));
    out.mesh.normals.push_back(Cast<float>(
        Normalized(Vec3d{-0.9 * std::cos(3 * x), 0.6 * std::sin(2 * y), 0.5 + Uniform(random)})));
  }
  out.mean_influences = static_cast<double>(runs.joints.size()) / static_cast<double>(vertices);
  Pose(kSide * kSide, out);
  return out;
}

Result<BenchMesh> MeshOfSample(const std::string& sample) {
  FLEXOR_ASSIGN(const asset::Character character, asset::MakeSample(sample));
  return MeshOfCharacter(sample, character);
}

Result<BenchMesh> MeshOfFile(const std::string& name, const std::string& path) {
  io::LoadOptions options;
  options.load_images = false;
  FLEXOR_ASSIGN(const io::Loaded loaded, io::LoadCharacter(path, options));
  return MeshOfCharacter(name, loaded.character);
}

std::vector<CorpusFile> CorpusCharacters() {
  constexpr const char* kFiles[][2] = {
      {"CesiumMan", "khronos-sample/CesiumMan/glTF/CesiumMan.gltf"},
      {"Fox", "khronos-sample/Fox/glTF/Fox.gltf"},
      {"BrainStem", "khronos-sample/BrainStem/glTF/BrainStem.gltf"},
      {"RiggedFigure", "khronos-sample/RiggedFigure/glTF/RiggedFigure.gltf"}};
  std::vector<CorpusFile> out;
  for (const auto& [name, path] : kFiles) {
    const std::string full = std::string(FLEXOR_CORPUS_DIR) + "/gltf/" + path;
    std::error_code error;
    if (std::filesystem::exists(full, error)) out.push_back({name, full});
  }
  return out;
}

PeerCopy::PeerCopy(const BenchMesh& from) {
  const asset::Mesh& mesh_in = from.mesh;
  const asset::Influences& runs = mesh_in.influences;
  const std::size_t vertices = mesh_in.vertex_count();
  std::size_t stride = 4;
  for (std::size_t v = 0; v < vertices; ++v) {
    stride = std::max<std::size_t>(stride, runs.offsets[v + 1] - runs.offsets[v]);
  }
  // On the pages that our own tables are on, so that ratios tell of layouts and not of pages.
  ReserveOnHugePages(joints_, vertices * stride);
  ReserveOnHugePages(weights_, vertices * stride);
  ReserveOnHugePages(four_joints_, vertices * 4);
  ReserveOnHugePages(four_weights_, vertices * 4);
  ReserveOnHugePages(positions_, vertices * 3);
  ReserveOnHugePages(normals_, vertices * 3);
  joints_.assign(vertices * stride, 0);
  weights_.assign(vertices * stride, 0);
  four_joints_.assign(vertices * 4, 0);
  four_weights_.assign(vertices * 4, 0);
  counts_.resize(vertices);
  for (std::size_t v = 0; v < vertices; ++v) {
    std::vector<std::uint32_t> order(runs.offsets[v + 1] - runs.offsets[v]);
    std::iota(order.begin(), order.end(), runs.offsets[v]);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return runs.weights[a] > runs.weights[b];
    });
    counts_[v] = static_cast<std::uint8_t>(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) {
      joints_[v * stride + k] = static_cast<std::uint16_t>(runs.joints[order[k]]);
      weights_[v * stride + k] = runs.weights[order[k]];
    }
    std::copy_n(&joints_[v * stride], 4, &four_joints_[v * 4]);
    std::copy_n(&weights_[v * stride], 4, &four_weights_[v * 4]);
  }
  for (const Vec3f& p : mesh_in.positions) positions_.insert(positions_.end(), {p.x, p.y, p.z});
  for (const Vec3f& n : mesh_in.normals) normals_.insert(normals_.end(), {n.x, n.y, n.z});
  mesh = {vertices,       stride,          positions_.data(), normals_.data(),
          joints_.data(), weights_.data(), counts_.data()};
  four = mesh;
  four.stride = 4;
  four.joints = four_joints_.data();
  four.weights = four_weights_.data();
}

}  // namespace flexor::bench
