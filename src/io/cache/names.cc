#include "io/cache/names.h"

#include <cstddef>
#include <unordered_map>
#include <unordered_set>

#include "flexor/core/utf8.h"

namespace flexor::io {
namespace {

constexpr std::size_t kMaxBytes = 100;  // leaves room in the 255 of common file systems

char LowerAscii(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string Folded(std::string_view text) {
  std::string folded(text);
  for (char& c : folded) c = LowerAscii(c);
  return folded;
}

bool IsUnsafe(std::string_view sequence) {
  if (sequence.size() == 1) {
    const char c = sequence[0];
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f ||
           std::string_view("/\\:*?\"<>|").find(c) != std::string_view::npos;
  }
  // U+0080 to U+009F: control characters that two bytes spell.
  return sequence.size() == 2 && sequence[0] == '\xC2' &&
         static_cast<unsigned char>(sequence[1]) < 0xA0;
}

bool IsDeviceName(std::string_view name) {
  const std::string stem = Folded(name.substr(0, name.find('.')));
  if (stem == "con" || stem == "prn" || stem == "aux" || stem == "nul") return true;
  return stem.size() == 4 && (stem.starts_with("com") || stem.starts_with("lpt")) &&
         stem[3] >= '1' && stem[3] <= '9';
}

}  // namespace

std::string SafeName(std::string_view name) {
  std::string safe;
  while (!name.empty()) {
    const std::size_t length = Utf8SequenceLength(name);
    const std::string_view sequence = name.substr(0, length == 0 ? 1 : length);
    name.remove_prefix(sequence.size());
    const std::string_view kept = length == 0 || IsUnsafe(sequence) ? "_" : sequence;
    if (safe.size() + kept.size() > kMaxBytes) break;
    safe += kept;
  }
  if (!safe.empty() && (safe.back() == ' ' || safe.back() == '.')) safe.back() = '_';
  if (!safe.empty() && (safe.front() == ' ' || safe.front() == '.')) safe.front() = '_';
  if (safe.empty()) return "mesh";
  if (!IsDeviceName(safe)) return safe;
  std::string prefixed = "_";
  prefixed += safe;
  return prefixed;
}

std::vector<std::string> SafeNames(std::span<const std::string> names) {
  std::vector<std::string> result;
  result.reserve(names.size());
  std::unordered_set<std::string> taken;
  // Names that need no suffix go first, so that a mesh really called "Body_2" keeps its name.
  std::vector<bool> settled(names.size(), false);
  std::unordered_map<std::string, std::size_t> last_number;
  for (std::size_t i = 0; i < names.size(); ++i) {
    result.push_back(SafeName(names[i]));
    settled[i] = taken.insert(Folded(result[i])).second;
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (settled[i]) continue;
    std::string candidate;
    std::size_t& number = last_number.try_emplace(Folded(result[i]), 1).first->second;
    do {
      candidate = result[i] + "_" + std::to_string(++number);
    } while (!taken.insert(Folded(candidate)).second);
    result[i] = std::move(candidate);
  }
  return result;
}

std::string ExpandPath(std::string_view path, std::string_view mesh, std::string_view frame) {
  std::string result;
  while (!path.empty()) {
    if (path.starts_with(kMeshPlaceholder)) {
      result += mesh;
      path.remove_prefix(kMeshPlaceholder.size());
    } else if (path.starts_with(kFramePlaceholder)) {
      result += frame;
      path.remove_prefix(kFramePlaceholder.size());
    } else {
      result += path.front();
      path.remove_prefix(1);
    }
  }
  return result;
}

}  // namespace flexor::io
