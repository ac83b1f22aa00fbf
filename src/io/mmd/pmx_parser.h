/// @file io/mmd/pmx_parser.h
/// Reads a PMX file section by section. One object reads one file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "flexor/io/mmd/pmx.h"

#include "io/mmd/byte_reader.h"
#include "io/mmd/physics.h"
#include "io/rules.h"

namespace flexor::io::mmd {

class PmxParser {
 public:
  PmxParser(std::span<const std::byte> bytes, MemoryBudget& budget, Diagnostics& diagnostics)
      : reader_(bytes), bytes_(bytes), budget_(budget), diagnostics_(diagnostics) {}

  Result<PmxModel> Parse();

 private:
  /// Where an index is and may point.
  struct Table {
    std::string_view name;  ///< what it names, in the plural
    std::uint64_t size = 0;
  };

  // pmx_parse.cc
  Status Header();
  Status Finish();
  std::string Text();
  /// A byte that says no or yes.
  bool Flag();
  std::int32_t Index(std::uint8_t width);
  std::uint32_t VertexIndex();
  template <class Say>
  void Needs21(bool needs, Say&& say) {
    if (needs && model_.version == PmxVersion::k20) needs_21_.Add(say);
  }
  template <class Say>
  void Unknown(bool unknown, Say&& say) {
    if (unknown) unknown_.Add(say);
  }
  /// Fails unless `index` is kNoIndex or in the table; `what` has it, as in "the parent".
  void Require(std::int32_t index, const Table& table, std::string_view what);
  static bool Names(std::int32_t index, std::uint64_t size) {
    return index == kNoIndex || (index >= 0 && static_cast<std::uint64_t>(index) < size);
  }
  std::string Here(std::string_view name) const;

  // pmx_parse_mesh.cc
  Status Vertices();
  void Vertex(PmxVertex& vertex);
  Status CheckVertexBones();
  std::uint64_t OffsetOfVertex(std::size_t index) const;
  Status Faces();
  Status Textures();
  Status Materials();
  void Material(PmxMaterial& material);

  // pmx_parse_bones.cc
  Status Bones();
  void Bone(PmxBone& bone, const Table& bones);
  void Ik(PmxIk& ik, const Table& bones);

  // pmx_parse_morphs.cc
  Status Morphs();
  void Morph(PmxMorph& morph, const Table& morphs);
  template <class Entry, class Read>
  void Entries(std::vector<Entry>& out, const PmxMorph& morph, std::uint64_t least_bytes,
               Read&& read);
  void Impulses(const BodyFate& fate);
  Status Frames();

  // pmx_parse_physics.cc
  Result<BodyFate> Bodies();
  Status Joints(const BodyFate& fate);
  Status SoftBodies(const BodyFate& fate);

  ByteReader reader_;
  std::span<const std::byte> bytes_;
  MemoryBudget& budget_;
  Diagnostics& diagnostics_;
  PmxModel model_;
  std::uint64_t vertices_at_ = 0;  // offset of the first vertex
  Tally text_, needs_21_, unknown_, entries_dropped_;
};

}  // namespace flexor::io::mmd
