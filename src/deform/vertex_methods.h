/// @file deform/vertex_methods.h
/// Which method skins each vertex of a plan, and what the methods keep for their vertices. The only
/// place that knows how the wishes of the file and of the user become that. Private to deform.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "flexor/asset/mesh.h"
#include "flexor/asset/skinning_method.h"
#include "flexor/deform/settings.h"

#include "deform/spherical.h"

namespace flexor::deform {

constexpr std::size_t IndexOf(asset::SkinningMethod method) {
  return static_cast<std::size_t>(method);
}

/// The method of every vertex, and where its payload is. A mesh of one method needs no arrays.
struct MethodColumn {
  asset::SkinningMethod uniform = asset::SkinningMethod::kLinear;  ///< while `methods` is empty
  std::vector<asset::SkinningMethod> methods;                      ///< (V), or empty
  /// (V) index into the payload of the vertex's method; empty: entry v is that of vertex v.
  std::vector<std::uint32_t> entries;
  std::array<std::uint32_t, asset::kSkinningMethods> counts{};  ///< vertices of each method

  asset::SkinningMethod At(std::size_t vertex) const {
    return methods.empty() ? uniform : methods[vertex];
  }
  std::size_t EntryOf(std::size_t vertex) const {
    return entries.empty() ? vertex : entries[vertex];
  }
  bool Uses(asset::SkinningMethod method) const { return counts[IndexOf(method)] > 0; }
};

/// What methods keep for their vertices, in the order of the vertices: plain arrays of numbers that
/// a backend may copy as they are and a file may hold. Linear blending and dual quaternions keep
/// nothing: the influences of the plan are enough.
struct MethodPayloads {
  std::vector<float> mixed;  ///< share of dual quaternions, above 0 and below 1
  SphericalPayload spherical;
};

/// Calls f(array) for every array of the column and the payloads: to count, save and load them.
template <class Column, class Payloads, class F>
void ForEachMethodArray(Column&& column, Payloads&& payloads, F f) {
  f(column.methods);
  f(column.entries);
  f(payloads.mixed);
  f(payloads.spherical.vertices);
  f(payloads.spherical.pairs);
  f(payloads.spherical.joints);
}

/// How many vertices a method keeps something for. Rules of the method table.
using EntriesRule = std::size_t (*)(const MethodPayloads& payloads);
std::size_t MixedEntries(const MethodPayloads& payloads);
std::size_t SphericalEntries(const MethodPayloads& payloads);

struct VertexMethods {
  MethodColumn column;
  MethodPayloads payloads;
};

/// Entries of an ascending list of spherical vertices, walked along with the vertices of a mesh.
class Centers {
 public:
  explicit Centers(const asset::SdefVertices& list) : list_(list) {}

  bool HasVertex(std::size_t vertex) {
    while (next_ < list_.size() && list_.vertices[next_] < vertex) ++next_;
    return next_ < list_.size() && list_.vertices[next_] == vertex;
  }
  /// The entry that HasVertex found.
  void AppendTo(asset::SdefVertices& out) const { out.Append(list_, next_); }

 private:
  const asset::SdefVertices& list_;
  std::size_t next_ = 0;
};

/// What rules of the method table read and write while vertices are resolved, one after another.
struct MethodResolution {
  const asset::Mesh& mesh;
  Centers own, derived;         ///< of the file, and derived ones
  std::vector<float> mixed;     ///< payload so far
  asset::SdefVertices centers;  ///< payload so far, before it is worked out
};

/// What becomes of a vertex that a method is wished for, as far as it has what that takes; keeps
/// its payload. `derive`: also with what was derived for it. Rules of the method table.
using ResolveRule = asset::SkinningMethod (*)(MethodResolution&, std::size_t vertex, bool derive);
asset::SkinningMethod ResolveMixed(MethodResolution& resolution, std::size_t vertex, bool derive);
asset::SkinningMethod ResolveSpherical(MethodResolution& resolution, std::size_t vertex,
                                       bool derive);

/// What becomes of each vertex:
///   1. the wish: that of its material where the settings have one (the last of those that share
///      the vertex), else that of the settings, else none: then the file's, which is spherical for
///      vertices with a centre (as SdefMode says), else mixed where the mesh has dqs_weights, else
///      Mesh::skinning;
///   2. what is wished is done where the vertex has what it takes: a centre, the file's before a
///      derived one, for spherical; a share strictly between 0 and 1 for mixed (at the ends it is
///      one of the two methods). All others are linear.
///
/// `derived` holds centres of vertices that the file gives none; empty where none were derived.
/// The mesh is checked.
VertexMethods ResolveMethods(const asset::Mesh& mesh, const asset::SdefVertices& derived,
                             const DeformSettings& settings);

}  // namespace flexor::deform
