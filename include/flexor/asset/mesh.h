/// @file asset/mesh.h
/// The rest shape of one mesh with what moves it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "flexor/asset/influences.h"
#include "flexor/asset/node.h"
#include "flexor/asset/sdef.h"
#include "flexor/math/vec.h"

namespace flexor::asset {

/// What a morph adds at one weight on the way, in place of its share of the whole offsets. Arrays
/// are as long as those of the morph.
struct InBetween {
  float weight = 0.5f;           ///< neither 0 nor 1; may lie outside of them
  std::vector<Vec3f> positions;  ///< metres, at that weight
  std::vector<Vec3f> normals;    ///< differences at that weight, or empty
};

/// Offsets that a morph adds to the rest shape, times its weight. Dense when `vertices` is empty,
/// then every offset array present has V entries; else sparse: entry i belongs to vertex
/// vertices[i] (ascending, unique).
struct Morph {
  std::string name;
  std::vector<std::uint32_t> vertices;  ///< (A) vertex indices, or empty for dense
  std::vector<Vec3f> positions;         ///< (A or V) metres, or empty
  std::vector<Vec3f> normals;           ///< (A or V) differences, or empty
  std::vector<Vec3f> tangents;          ///< (A or V) differences of xyz, or empty
  std::vector<InBetween> in_betweens;   ///< ascending by weight; the shape is straight between them
};

/// A run of triangles with one material.
struct Subset {
  std::uint32_t first_index = 0;  ///< into Mesh::triangles, a multiple of 3
  std::uint32_t index_count = 0;  ///< a multiple of 3
  std::int32_t material = kNone;  ///< index into Character::materials
};

/// Faces of any number of corners as the file has them, for writers; the triangles are made from
/// them. Empty where the file has triangles only.
struct Polygons {
  std::vector<std::uint32_t> corner_counts;  ///< (F) corners of each face
  std::vector<std::uint32_t> corners;        ///< vertex index of each corner, face after face
  std::vector<std::uint32_t> holes;          ///< (ascending) faces that are not drawn
  bool clockwise = false;   ///< corners run clockwise seen from outside, where triangles do not
  bool subdivided = false;  ///< they are the cage of a smooth surface
};

/// A mesh in its own space at bind. Every per-vertex array is empty or has V entries: first the
/// file's points in its order, then repeats of some of them that differ in normal or texture
/// coordinate.
struct Mesh {
  std::string name;
  std::vector<Vec3f> positions;  ///< (V) metres
  std::vector<Vec3f> normals;    ///< (V) unit, or empty: then faces are flat
  std::vector<Vec4f> tangents;   ///< (V) xyz unit, w = handedness +1 or -1, or empty
  std::vector<Vec2f> texcoords;  ///< (V) origin top left, first set, or empty
  std::vector<std::uint32_t>
      triangles;                ///< (3T) vertex indices, counter-clockwise seen from outside
  std::vector<Subset> subsets;  ///< cover `triangles` in order without gaps
  Influences influences;        ///< V runs, or empty
  std::vector<Morph> morphs;
  std::vector<float> morph_weights;  ///< default weights, one per morph
  std::vector<float>
      dqs_weights;    ///< (V) 0 = linear, 1 = dual quaternion, or empty: the method decides alone
  SdefVertices sdef;  ///< vertices that bend about a centre; empty in most formats
  Polygons polygons;
  std::vector<std::uint32_t> repeats;  ///< (R) of the last R vertices, the point that each repeats

  std::size_t vertex_count() const { return positions.size(); }
  /// The file's points: all vertices but the repeats.
  std::size_t point_count() const { return positions.size() - repeats.size(); }
};

}  // namespace flexor::asset
