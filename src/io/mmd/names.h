/// @file io/mmd/names.h
/// Finding bones and morphs by the bytes that motions call them by.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "flexor/asset/character.h"
#include "flexor/core/diagnostic.h"

namespace flexor::io::mmd {

/// Name to index; of equal names the first.
class NameTable {
 public:
  static NameTable OfBones(const asset::MmdRig& rig);
  static NameTable OfMorphs(const asset::MmdRig& rig);
  /// IK chains by the name of their goal.
  static NameTable OfIk(const asset::MmdRig& rig);

  /// The index, or asset::kNone. `name` is cut to what motions hold.
  std::int32_t Find(std::string_view name) const;

 private:
  std::unordered_map<std::string, std::int32_t> index_;
};

/// Keys grouped by target: for each target that has some, their numbers in the file, sorted by
/// frame with the file's order kept among equals; and the names that have no target.
struct Grouped {
  struct Track {
    std::uint32_t target = 0;
    std::vector<std::uint32_t> keys;
  };
  std::vector<Track> tracks;           ///< by target
  std::vector<std::string> unmatched;  ///< names, first seen first
  std::uint64_t unmatched_keys = 0;
};

/// Adds one diagnostic about the names that a character lacks, decoded for people, and says how
/// many keys they had.
void ReportUnmatched(const Grouped& grouped, std::string_view code, std::string_view what,
                     Diagnostics& diagnostics);

}  // namespace flexor::io::mmd
