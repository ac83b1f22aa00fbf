// Finding things by what a person typed.
#include <algorithm>
#include <charconv>

#include "flexor/asset/character.h"

#include "core/guard.h"

namespace flexor::asset {
namespace {

// Bounds on the work for a message: longer names are compared by their start, further names not at
// all.
constexpr std::size_t kMostLetters = 64;
constexpr std::size_t kMostNames = 20000;
constexpr std::size_t kMostCandidates = 3;

std::string Folded(std::string_view text) {
  std::string folded(text.substr(0, kMostLetters));
  for (char& c : folded) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return folded;
}

// Insertions, deletions, replacements and swaps of neighbours that turn a into b, or `limit` + 1
// when it takes more.
std::size_t EditDistance(std::string_view a, std::string_view b, std::size_t limit) {
  const std::size_t difference = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  if (difference > limit) return limit + 1;
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    std::size_t best = row[0];
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
      best = std::min(best, row[j]);
    }
    if (best > limit) return limit + 1;
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

// A whole text of decimal digits that fits.
bool ParseIndex(std::string_view text, std::uint32_t& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

template <class T>
Result<std::uint32_t> Find(const std::vector<T>& things, std::string_view wanted,
                           std::string_view kind, std::string_view plural) {
  for (std::size_t i = 0; i < things.size(); ++i) {
    if (things[i].name == wanted) return static_cast<std::uint32_t>(i);
  }
  std::uint32_t index = 0;
  const std::string count = std::to_string(things.size()) + " " + std::string(plural);
  if (ParseIndex(wanted, index)) {
    if (index < things.size()) return index;
    return Error{ErrorCode::kInvalidArgument,
                 "no " + std::string(kind) + " has the number " + std::to_string(index) +
                     "; there are " + count + ", counted from 0",
                 {}};
  }
  std::vector<std::string> names;
  names.reserve(things.size());
  for (const T& thing : things) names.push_back(thing.name);
  std::string message =
      "no " + std::string(kind) + " is named '" + std::string(wanted) + "' among " + count;
  message += DidYouMean(wanted, names);
  return Error{ErrorCode::kInvalidArgument, std::move(message), {}};
}

}  // namespace

std::vector<std::string> CloseNames(std::string_view wanted,
                                    const std::vector<std::string>& names) {
  struct Candidate {
    std::size_t distance;
    std::size_t index;
  };
  const std::string folded = Folded(wanted);
  if (folded.empty()) return {};
  const std::size_t limit = std::max<std::size_t>(1, folded.size() / 3);
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < std::min(names.size(), kMostNames); ++i) {
    if (names[i].empty()) continue;
    const std::string name = Folded(names[i]);
    std::size_t distance = EditDistance(folded, name, limit);
    // A part of a long name is a likelier wish than a far misspelling: "LeftArm" in
    // "mixamo:LeftArm".
    if (distance > 1 && folded.size() >= 3 && name.find(folded) != std::string::npos) distance = 1;
    if (distance <= limit) candidates.push_back({distance, i});
  }
  std::sort(candidates.begin(), candidates.end(), [](Candidate a, Candidate b) {
    return a.distance != b.distance ? a.distance < b.distance : a.index < b.index;
  });
  std::vector<std::string> close;
  for (const Candidate& candidate : candidates) {
    const std::string& name = names[candidate.index];
    if (std::find(close.begin(), close.end(), name) != close.end()) continue;
    close.push_back(name);
    if (close.size() == kMostCandidates) break;
  }
  return close;
}

std::string DidYouMean(std::string_view wanted, const std::vector<std::string>& names) {
  const std::vector<std::string> close = CloseNames(wanted, names);
  std::string text;
  for (std::size_t i = 0; i < close.size(); ++i) {
    text += i == 0 ? "; did you mean '" : i + 1 == close.size() ? " or '" : ", '";
    text += close[i] + "'";
  }
  if (!close.empty()) text += "?";
  return text;
}

Result<std::uint32_t> FindNode(const Character& character, std::string_view name_or_index) {
  return GuardAllocations("a name was looked up", [&]() -> Result<std::uint32_t> {
    return Find(character.nodes, name_or_index, "node", "nodes");
  });
}

Result<std::uint32_t> FindClip(const Character& character, std::string_view name_or_index) {
  return GuardAllocations("a name was looked up", [&]() -> Result<std::uint32_t> {
    return Find(character.clips, name_or_index, "clip", "clips");
  });
}

Result<std::uint32_t> FindMaterial(const Character& character, std::string_view name_or_index) {
  return GuardAllocations("a name was looked up", [&]() -> Result<std::uint32_t> {
    return Find(character.materials, name_or_index, "material", "materials");
  });
}

}  // namespace flexor::asset
