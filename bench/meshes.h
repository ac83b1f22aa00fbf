/// @file bench/meshes.h
/// What is deformed: made by code to known mixes of influences, the figure, and real characters.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "flexor/asset/mesh.h"
#include "flexor/core/aligned_buffer.h"
#include "flexor/core/result.h"
#include "flexor/math/mat.h"

#include "bench/peers.h"

namespace flexor::bench {

/// A mesh with two palettes of one pose: rigid joints, and joints with scale and shear.
struct BenchMesh {
  std::string name;
  asset::Mesh mesh;
  std::vector<Mat34d> rigid, scaled;
  double mean_influences = 0;
};

/// How the influences of a made mesh lie.
enum class Spread : std::uint8_t {
  kGrid,       ///< four of an 8x8 grid of joints, smooth
  kMix,        ///< 55/25/12/8 % of vertices with 1/2/3/4 influences, in patches as on characters
  kScattered,  ///< the same mix, the count drawn for each vertex alone
  kRandom,     ///< four of 64 joints, drawn for each vertex: the worst case
};
BenchMesh MakeMesh(const std::string& name, Spread spread, std::size_t vertices);

/// The largest skinned mesh of a character, posed by the middle of its first clip.
Result<BenchMesh> MeshOfSample(const std::string& sample);
Result<BenchMesh> MeshOfFile(const std::string& name, const std::string& path);

/// The real characters that the corpus beside the project has; empty without one.
struct CorpusFile {
  std::string name, path;
};
std::vector<CorpusFile> CorpusCharacters();

/// The same mesh as peers keep it. Holds the memory that `mesh` points to.
struct PeerCopy {
  explicit PeerCopy(const BenchMesh& from);
  PeerMesh mesh;
  PeerMesh four;  ///< with four influences whatever the mesh has, for the ceiling

 private:
  AlignedBuffer<float> positions_, normals_, weights_, four_weights_;
  AlignedBuffer<std::uint16_t> joints_, four_joints_;
  std::vector<std::uint8_t> counts_;
};

}  // namespace flexor::bench
