/// @file bench/subjects.h
/// What one row compares: our deformer on a mesh, and its peers on the same. Private to the bench.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "flexor/core/parallel.h"
#include "flexor/deform/backend.h"

#include "bench/bench.h"
#include "bench/harness.h"
#include "bench/meshes.h"

namespace flexor::bench {

/// Room for the results of a mesh.
struct Output {
  explicit Output(std::size_t vertices) : positions(vertices), normals(vertices) {}
  float* position_numbers() { return &positions.front().x; }
  float* normal_numbers() { return &normals.front().x; }
  AlignedBuffer<Vec3f> positions, normals;
};

/// A prepared plan with all that runs it, ready to be called again and again.
class Deformer {
 public:
  static Result<std::unique_ptr<Deformer>> Make(const asset::Mesh& mesh, std::size_t joints,
                                                const deform::DeformSettings& settings,
                                                const deform::BackendOptions& options);
  /// One frame; its status is that of the last Run.
  void Run(std::span<const Mat34d> palette, std::span<const float> morph_weights);

  /// The same into other memory, without morphs.
  void RunInto(std::span<const Mat34d> palette, const deform::OutputViews& out);

  const Status& status() const { return status_; }
  deform::BackendInfo info() const { return backend_->Info(); }
  const Output& output() const { return output_; }

 private:
  Deformer(std::unique_ptr<deform::Backend> backend,
           std::shared_ptr<const deform::PreparedPlan> prepared, deform::Scratch scratch)
      : backend_(std::move(backend)),
        prepared_(std::move(prepared)),
        scratch_(std::move(scratch)),
        output_(prepared_->plan().vertex_count()) {}

  std::unique_ptr<deform::Backend> backend_;
  std::shared_ptr<const deform::PreparedPlan> prepared_;
  deform::Scratch scratch_;
  Output output_;
  Status status_;
};

/// The meshes that rows are about, made once.
class Meshes {
 public:
  explicit Meshes(const BenchOptions& options) : options_(options) {}

  /// Calls `body` with each mesh in turn; only one is kept in memory.
  Status ForEach(const std::function<Status(const BenchMesh&)>& body) const;
  /// Whether a row of that kernel and mesh is wanted.
  bool Wanted(const std::string& kernel, const std::string& mesh) const;
  /// How many rows there will be.
  std::size_t Rows() const;

 private:
  std::size_t RowsOf(const std::string& mesh) const;

  const BenchOptions& options_;
};

using Report = std::function<void(const Row&)>;

/// The row of a mesh without its measurements.
Row RowOf(const std::string& kernel, const BenchMesh& mesh, int threads,
          const deform::BackendInfo& info);

/// SIMD targets that rows are wanted for, best first.
std::vector<std::string> TargetsOf(const BenchOptions& options);

/// Morphs that are on together: dense ones, and ones that list vertices of their own.
struct MorphCase {
  const char* kernel;
  std::size_t dense;
  std::size_t patches;    ///< each of three vertices in four of a tenth of the mesh in a row
  std::size_t scattered;  ///< each of every sixteenth vertex, without order
};
/// What is measured on a mesh of that name.
std::vector<MorphCase> MorphCasesFor(const std::string& mesh);

// Rows of candidates that lost, with --all.
inline constexpr std::size_t kLbsLosing = 2;
inline constexpr std::size_t kMorphLosing = 1;

// One for each kernel, all meshes.
Status BenchSkinLbs(const BenchOptions& options, const BenchMesh& mesh, const Report& report);
Status BenchSkinDqs(const BenchOptions& options, const BenchMesh& mesh, const Report& report);
Status BenchSkinSdef(const BenchOptions& options, const BenchMesh& mesh, const Report& report);
Status BenchMorphAccumulate(const BenchOptions& options, const BenchMesh& mesh,
                            const Report& report);
/// Results in interleaved vertices against packed ones.
Status BenchOutputViews(const BenchOptions& options, const BenchMesh& mesh, const Report& report);
Status BenchPlan(const BenchOptions& options, const BenchMesh& mesh, const Report& report);
/// Many small meshes in one call; no mesh of the list.
Status BenchCrowd(const BenchOptions& options, const Report& report);
/// The MMD solver, which has no mesh: one row for each dialect, its vertices are bones.
Status BenchMmdSolver(const BenchOptions& options, const Report& report);

// One for each reader, on a file made by code.
Status BenchPmxParse(const BenchOptions& options, const Report& report);

/// Splits [0, count) evenly over a team.
inline void Split(const ThreadTeam& team, std::size_t count,
                  FunctionRef<void(std::size_t, std::size_t)> body) {
  const auto threads = static_cast<std::size_t>(team.threads());
  team.Run(count, (count + threads - 1) / threads, body);
}

}  // namespace flexor::bench
