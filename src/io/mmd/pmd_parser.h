/// @file io/mmd/pmd_parser.h
/// Reads a PMD file and says it as PMX. One object reads one file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "flexor/io/mmd/pmd.h"

#include "io/mmd/byte_reader.h"
#include "io/mmd/physics.h"
#include "io/rules.h"

namespace flexor::io::mmd {

/// The kinds of bone that PMD has.
enum class PmdBoneType : std::uint8_t {
  kRotate = 0,
  kRotateMove,
  kIk,
  kUnknown,
  kUnderIk,
  kUnderRotation,  ///< turns as the bone in its IK field does
  kIkTarget,
  kHidden,
  kTwist,
  kFollow,  ///< turns as its tail bone does, by a percentage in its IK field
};

class PmdParser {
 public:
  PmdParser(std::span<const std::byte> bytes, MemoryBudget& budget, Diagnostics& diagnostics)
      : reader_(bytes), budget_(budget), diagnostics_(diagnostics) {}

  Result<PmxModel> Parse();

 private:
  struct RawMaterial {
    std::string file;  ///< "texture*sphere", UTF-8
    std::int8_t toon = -1;
  };
  struct RawBone {
    PmdBoneType type = PmdBoneType::kRotate;
    std::int16_t tail = -1, ik = -1;
    std::uint64_t offset = 0;
  };
  struct RawIk {
    std::uint32_t goal = 0;
    PmxIk ik;
  };

  // pmd_parse.cc
  Status Header();
  Status Vertices();
  Status Faces();
  Status Materials();
  Status Frames();
  Status EnglishNames();
  Status Toons();
  void SettleMaterials();
  std::int32_t TextureIndex(const std::string& name);
  std::string_view RawName(std::size_t bytes);
  std::string Decoded(std::string_view bytes);
  std::string Name(std::size_t bytes) { return Decoded(RawName(bytes)); }
  Status CheckVertexBones() const;

  // pmd_bones.cc
  Status Bones();
  Status Iks();
  void SettleBones();
  void SettleIks();
  void SettleLayers();

  // pmd_parts.cc
  Status Morphs();
  void SettleMorphs();
  Status Bodies();
  Status Joints();

  ByteReader reader_;
  MemoryBudget& budget_;
  Diagnostics& diagnostics_;
  PmxModel model_;
  std::uint64_t vertices_at_ = 0;
  std::vector<RawMaterial> raw_materials_;
  std::unordered_map<std::string, std::int32_t> texture_numbers_;
  std::vector<std::string> toons_;  ///< ten, or none when the file ends before them
  std::vector<RawBone> raw_bones_;
  std::vector<RawIk> raw_iks_;
  std::size_t file_morphs_ = 0;
  std::vector<std::int32_t> morph_now_;  ///< file number -> number in the model, or kNoIndex
  std::size_t first_group_ = 0;          ///< the display frame of bone group 1
  std::uint8_t group_count_ = 0;
  BodyFate fate_;
  Tally text_, unknown_, frame_entries_dropped_;
};

}  // namespace flexor::io::mmd
