/// @file bench/peers.h
/// What flexor is measured against: loops as a careful programmer writes them in an afternoon,
/// compiled for the machine at hand, doing the same work: positions and unit normals by the
/// cofactor of the blend, in the caller's order, from the same double palette.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace flexor::bench {

/// A mesh as such loops keep it. `stride` influences a vertex, strongest first, padded with weight
/// 0.
struct PeerMesh {
  std::size_t vertices = 0, stride = 4;
  const float* positions = nullptr;  ///< xyz
  const float* normals = nullptr;
  const std::uint16_t* joints = nullptr;
  const float* weights = nullptr;
  const std::uint8_t* counts = nullptr;  ///< influences really there
};

/// Palettes as such loops read them.
struct PeerPalette {
  const float* matrices = nullptr;  ///< 16 a joint, columns
  const float* duals = nullptr;     ///< 20 a joint: real, dual, residual columns as 1/2 (0, r) q
};

/// Spherical vertices as such loops keep them: one for each vertex of the mesh, reference points
/// corrected.
struct PeerSdef {
  const std::uint16_t* joints = nullptr;  ///< two each
  const float* weights = nullptr;         ///< of the first
  const float* centers = nullptr;         ///< xyz
  const float* r0 = nullptr;
  const float* r1 = nullptr;
};

// Each deforms the vertices [begin, end).
void PlainLbs(const PeerMesh& mesh, const PeerPalette& palette, std::size_t begin, std::size_t end,
              float* positions, float* normals);
void PlainDqs(const PeerMesh& mesh, const PeerPalette& palette, bool residual, std::size_t begin,
              std::size_t end, float* positions, float* normals);
void EigenLbs(const PeerMesh& mesh, const PeerPalette& palette, std::size_t begin, std::size_t end,
              float* positions, float* normals);
void EigenDqs(const PeerMesh& mesh, const PeerPalette& palette, bool residual, std::size_t begin,
              std::size_t end, float* positions, float* normals);

/// Every vertex spherical; rotations are the first four numbers of a joint's duals.
void PlainSdef(const PeerMesh& mesh, const PeerSdef& sdef, const PeerPalette& palette,
               std::size_t begin, std::size_t end, float* positions, float* normals);

/// Reads what the loops read (positions, normals, joints and weights of four influences) and writes
/// what they write, with no arithmetic: what memory allows. Returns something that depends on all.
std::uint64_t Ceiling(const PeerMesh& four, std::size_t begin, std::size_t end, float* positions,
                      float* normals);

/// Morphs as such loops keep them: offsets in the order of the mesh or of the vertices listed.
struct PeerMorph {
  const float* positions = nullptr;  ///< xyz
  const float* normals = nullptr;
  const std::uint32_t* vertices = nullptr;  ///< ascending, or null: all of the mesh
  std::size_t count = 0;                    ///< of vertices
  float weight = 0;
};

/// The rest shape of vertices [begin, end), then one morph after another over it, then unit
/// normals.
void PlainMorphs(const PeerMesh& mesh, const PeerMorph* morphs, std::size_t morph_count,
                 std::size_t begin, std::size_t end, float* positions, float* normals);

}  // namespace flexor::bench
