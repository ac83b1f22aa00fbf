#include "io/mmd/names.h"

#include <algorithm>

#include "flexor/io/mmd/text_cp932.h"

#include "io/rules.h"

namespace flexor::io::mmd {
namespace {

template <class List, class NameOf>
std::unordered_map<std::string, std::int32_t> IndexOf(const List& list, NameOf name_of) {
  std::unordered_map<std::string, std::int32_t> index;
  index.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    index.try_emplace(std::string(CutForMatch(name_of(list[i]))), static_cast<std::int32_t>(i));
  }
  return index;
}

}  // namespace

NameTable NameTable::OfBones(const asset::MmdRig& rig) {
  NameTable table;
  table.index_ =
      IndexOf(rig.bones, [](const asset::MmdBone& bone) -> const auto& { return bone.match_name; });
  return table;
}

NameTable NameTable::OfMorphs(const asset::MmdRig& rig) {
  NameTable table;
  table.index_ = IndexOf(
      rig.morphs, [](const asset::MmdMorph& morph) -> const auto& { return morph.match_name; });
  return table;
}

NameTable NameTable::OfIk(const asset::MmdRig& rig) {
  NameTable table;
  table.index_ = IndexOf(rig.ik, [&rig](const asset::MmdIk& chain) -> const auto& {
    return rig.bones[chain.goal].match_name;
  });
  return table;
}

std::int32_t NameTable::Find(std::string_view name) const {
  // A name that could not be written in CP932 is empty, and means nobody.
  if (name.empty()) return asset::kNone;
  const auto found = index_.find(std::string(CutForMatch(name)));
  return found == index_.end() ? asset::kNone : found->second;
}

void ReportUnmatched(const Grouped& grouped, std::string_view code, std::string_view what,
                     Diagnostics& diagnostics) {
  if (grouped.unmatched.empty()) return;
  std::string names;
  constexpr std::size_t kShown = 8;
  for (std::size_t i = 0; i < std::min(kShown, grouped.unmatched.size()); ++i) {
    names += (i == 0 ? "'" : ", '") + DecodeCp932(grouped.unmatched[i]).text + "'";
  }
  if (grouped.unmatched.size() > kShown) names += ", …";
  Report(diagnostics, code, "motion",
         std::to_string(grouped.unmatched.size()) + " " + std::string(what) +
             " of the motion are not in the model: " + names + " (" +
             std::to_string(grouped.unmatched_keys) + " keys)",
         grouped.unmatched.size());
}

}  // namespace flexor::io::mmd
