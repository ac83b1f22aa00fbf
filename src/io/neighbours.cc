#include "io/neighbours.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <utility>

#include "flexor/core/file.h"
#include "flexor/core/utf8.h"

namespace flexor::io {
namespace {

namespace fs = std::filesystem;

fs::path Native(const std::string& utf8) {
  return {std::u8string(reinterpret_cast<const char8_t*>(utf8.data()), utf8.size())};
}

std::string Utf8(const fs::path& path) {
  const std::u8string text = path.u8string();
  return {reinterpret_cast<const char*>(text.data()), text.size()};
}

/// The name in `folder` that `part` means when case does not count; `part` itself when none does.
fs::path Spelling(const fs::path& folder, const fs::path& part) {
  std::error_code error;
  if (fs::exists(folder / part, error)) return part;
  const std::string wanted = FoldCase(Utf8(part));
  std::string best;
  for (fs::directory_iterator at(folder.empty() ? fs::path(".") : folder, error), end;
       !error && at != end; at.increment(error)) {
    const std::string name = Utf8(at->path().filename());
    if (FoldCase(name) == wanted && (best.empty() || name < best)) best = name;
  }
  return best.empty() ? part : Native(best);
}

/// `folder` / `name`, each part of the name spelt as the file system has it.
fs::path Located(const fs::path& folder, const fs::path& name, NameCase name_case) {
  if (name_case == NameCase::kExact || name.is_absolute()) return folder / name;
  fs::path path = folder;
  for (const fs::path& part : name) path /= Spelling(path, part);
  return path;
}

Result<std::vector<std::byte>> ReadNeighbour(const fs::path& folder, const std::string& name,
                                             std::uint64_t max_bytes, bool allow_outside,
                                             NameCase name_case) {
  // A file beside a bare name is in "."; only a path that exists in part becomes canonical.
  const fs::path beside = folder.empty() ? fs::path(".") : folder;
  const fs::path path = Located(beside, Native(name), name_case);
  if (!allow_outside) {
    std::error_code error;
    const fs::path home = fs::weakly_canonical(beside, error);
    const fs::path real = fs::weakly_canonical(path, error);
    const auto [end, unused] = std::mismatch(home.begin(), home.end(), real.begin(), real.end());
    static_cast<void>(unused);
    if (error || end != home.end()) {
      return Error{ErrorCode::kFileUnreadable,
                   "a link leads out of the folder of the file; allow that only for files you "
                   "trust",
                   {Utf8(path), {}, {}}};
    }
  }
  // Opening a pipe waits for a writer that may never come, and a device may have no end.
  std::error_code ignored;
  const fs::file_type type = fs::status(path, ignored).type();
  if (type == fs::file_type::fifo || type == fs::file_type::socket ||
      type == fs::file_type::character || type == fs::file_type::block) {
    return Error{ErrorCode::kFileUnreadable,
                 "is a pipe or a device; a file may refer to regular files only",
                 {Utf8(path), {}, {}}};
  }
  return ReadFile(Utf8(path), max_bytes);
}

}  // namespace

ResourceFn NeighboursOf(const std::string& path, bool allow_outside, NameCase name_case) {
  return [folder = Native(path).parent_path(), allow_outside, name_case](const std::string& name,
                                                                         std::uint64_t max_bytes) {
    return ReadNeighbour(folder, name, max_bytes, allow_outside, name_case);
  };
}

std::string FoldCase(std::string_view utf8) {
  struct Range {
    std::uint32_t first, last, shift;
  };
  constexpr Range kCapitals[] = {{'A', 'Z', 32},     {0xc0, 0xd6, 32},    {0xd8, 0xde, 32},
                                 {0x391, 0x3a1, 32}, {0x3a3, 0x3ab, 32},  {0x400, 0x40f, 80},
                                 {0x410, 0x42f, 32}, {0xff21, 0xff3a, 32}};
  std::string folded;
  folded.reserve(utf8.size());
  while (!utf8.empty()) {
    const std::size_t length = Utf8SequenceLength(utf8);
    if (length == 0) {
      folded += utf8.front();
      utf8.remove_prefix(1);
      continue;
    }
    std::uint32_t code = DecodeUtf8(utf8, length);
    for (const Range& range : kCapitals) {
      if (code >= range.first && code <= range.last) {
        code += range.shift;
        break;
      }
    }
    AppendUtf8(folded, code);
    utf8.remove_prefix(length);
  }
  return folded;
}

std::string StemOf(const std::string& path) { return Utf8(Native(path).stem()); }

}  // namespace flexor::io
