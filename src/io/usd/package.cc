#include "io/usd/package.h"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

#include "flexor/core/utf8.h"

#include "io/cache/crc32.h"
#include "io/rules.h"
#include "io/usd/byte_cursor.h"

namespace flexor::io::usd {
namespace {

constexpr std::uint32_t kLocalMagic = 0x04034b50;
constexpr std::uint32_t kDirectoryMagic = 0x02014b50;
constexpr std::uint32_t kEndMagic = 0x06054b50;
constexpr std::uint64_t kLocalBytes = 30;
constexpr std::uint64_t kDirectoryBytes = 46;
constexpr std::uint64_t kEndBytes = 22;

Error At(ErrorCode code, std::uint64_t offset, std::string message) {
  return Error{code, std::move(message), {{}, {}, offset}};
}

std::string_view Text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// What both the directory and the header of an entry say.
struct Description {
  std::uint16_t flags = 0;
  std::uint16_t method = 0;
  std::uint32_t crc = 0;
  std::uint32_t packed_size = 0;
  std::uint32_t size = 0;
  std::string_view name;

  friend bool operator==(const Description&, const Description&) = default;
};

/// The fields that stand in the same order in both: flags to the length of the name.
Description TakeDescription(ByteCursor& cursor, std::uint16_t& out_name_bytes,
                            std::uint16_t& out_extra_bytes) {
  Description description;
  description.flags = cursor.Take<std::uint16_t>();
  description.method = cursor.Take<std::uint16_t>();
  cursor.Take<std::uint32_t>();  // time and date
  description.crc = cursor.Take<std::uint32_t>();
  description.packed_size = cursor.Take<std::uint32_t>();
  description.size = cursor.Take<std::uint32_t>();
  out_name_bytes = cursor.Take<std::uint16_t>();
  out_extra_bytes = cursor.Take<std::uint16_t>();
  return description;
}

struct EndRecord {
  std::uint64_t offset = 0;
  std::uint64_t entries = 0;
  std::uint64_t directory_size = 0;
  std::uint64_t directory_at = 0;
};

/// The record at the end of the archive, behind which only a comment may stand.
std::optional<EndRecord> FindEnd(std::span<const std::byte> bytes) {
  constexpr std::uint64_t kMaxComment = 0xFFFF;
  for (std::uint64_t comment = 0; comment <= kMaxComment && kEndBytes + comment <= bytes.size();
       ++comment) {
    EndRecord end;
    end.offset = bytes.size() - kEndBytes - comment;
    ByteCursor cursor(bytes, end.offset);
    if (cursor.Take<std::uint32_t>() != kEndMagic) continue;
    cursor.Take<std::uint32_t>();  // numbers of disks
    cursor.Take<std::uint16_t>();
    end.entries = cursor.Take<std::uint16_t>();
    end.directory_size = cursor.Take<std::uint32_t>();
    end.directory_at = cursor.Take<std::uint32_t>();
    if (cursor.Take<std::uint16_t>() == comment) return end;
  }
  return std::nullopt;
}

Status CheckName(std::string_view name, std::uint64_t offset) {
  const auto refuse = [&](std::string_view why) {
    return At(ErrorCode::kInvalidValue, offset,
              "an entry of the package is named '" + RepairedUtf8(name.substr(0, 200)) + "', " +
                  std::string(why));
  };
  if (name.empty()) return refuse("which is no name");
  if (!IsUtf8(name)) return refuse("which is no UTF-8");
  if (name.find('\\') != std::string_view::npos || name.find('\0') != std::string_view::npos) {
    return refuse("which holds a backslash or NUL");
  }
  if (name.front() == '/' || (name.size() > 1 && name[1] == ':')) {
    return refuse("which does not start in the package");
  }
  for (std::string_view rest = name; !rest.empty();) {
    const std::string_view part = rest.substr(0, rest.find('/'));
    if (part == ".." || part == "." || part.empty()) return refuse("which has an odd step");
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
  }
  return {};
}

Status CheckStored(const Description& entry, std::uint64_t offset) {
  const auto refuse = [&](std::string_view why) {
    return At(ErrorCode::kUnsupportedFeature, offset,
              "the entry '" + RepairedUtf8(entry.name.substr(0, 200)) + "' " + std::string(why) +
                  "; packages of USD hold their files as they are");
  };
  if (entry.flags & 1) return refuse("is encrypted");
  if (entry.flags & 8) return refuse("says its size behind its data");
  if (entry.method != 0) return refuse("is compressed");
  if (entry.size == 0xFFFFFFFF || entry.packed_size == 0xFFFFFFFF) return refuse("needs zip64");
  if (entry.size != entry.packed_size) {
    return At(ErrorCode::kParse, offset,
              "the entry '" + RepairedUtf8(entry.name.substr(0, 200)) + "' is stored as it is, " +
                  std::to_string(entry.packed_size) + " bytes for " + std::to_string(entry.size));
  }
  return {};
}

/// An entry and where it lies.
struct Placed {
  std::uint64_t header_at = 0;
  std::uint64_t data_at = 0;
  Description description;
  std::uint64_t end() const { return data_at + description.size; }
};

Result<Placed> ReadEntry(std::span<const std::byte> bytes, ByteCursor& directory) {
  Placed entry;
  const std::uint64_t at = directory.offset();
  std::uint16_t name_bytes = 0, extra_bytes = 0;
  const auto magic = directory.Take<std::uint32_t>();
  directory.Take<std::uint32_t>();  // versions
  entry.description = TakeDescription(directory, name_bytes, extra_bytes);
  const auto comment_bytes = directory.Take<std::uint16_t>();
  directory.TakeBytes(8);  // disk, attributes
  entry.header_at = directory.Take<std::uint32_t>();
  entry.description.name = Text(directory.TakeBytes(name_bytes));
  directory.TakeBytes(std::uint64_t{extra_bytes} + comment_bytes);
  if (!directory.ok() || magic != kDirectoryMagic) {
    return At(ErrorCode::kParse, at, "the directory of the package is broken here");
  }
  ByteCursor header(bytes, entry.header_at);
  const auto local_magic = header.Take<std::uint32_t>();
  header.Take<std::uint16_t>();  // version
  Description local = TakeDescription(header, name_bytes, extra_bytes);
  local.name = Text(header.TakeBytes(name_bytes));
  header.TakeBytes(extra_bytes);
  entry.data_at = header.offset();
  if (!header.ok() || local_magic != kLocalMagic || entry.description.size > header.remaining()) {
    return At(ErrorCode::kTruncated, at,
              "the entry '" + RepairedUtf8(entry.description.name.substr(0, 200)) +
                  "' is not where the directory says, at byte " + std::to_string(entry.header_at));
  }
  FLEXOR_TRY(CheckStored(entry.description, at));
  FLEXOR_TRY(CheckStored(local, entry.header_at));
  if (!(local == entry.description)) {
    return At(ErrorCode::kParse, entry.header_at,
              "the directory and the header of the entry '" +
                  RepairedUtf8(local.name.substr(0, 200)) + "' disagree");
  }
  FLEXOR_TRY(CheckName(local.name, at));
  return entry;
}

Status CheckLayout(const std::vector<Placed>& entries) {
  if (entries.empty()) return At(ErrorCode::kParse, 0, "the package is empty");
  if (entries.front().header_at != 0) {
    return At(ErrorCode::kParse, 0, "the package starts with something else than an entry");
  }
  std::unordered_set<std::string_view> names;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Placed& entry = entries[i];
    if (i > 0 && entry.header_at < entries[i - 1].end()) {
      return At(ErrorCode::kInvalidValue, entry.header_at, "two entries of the package overlap");
    }
    if (!names.insert(entry.description.name).second) {
      return At(
          ErrorCode::kInvalidValue, entry.header_at,
          "two entries of the package are named '" + std::string(entry.description.name) + "'");
    }
  }
  return {};
}

}  // namespace

bool Package::HasMagic(std::span<const std::byte> bytes) {
  const auto magic = ByteCursor(bytes).Take<std::uint32_t>();
  return magic == kLocalMagic || magic == kEndMagic;
}

bool Package::IsLayerName(std::string_view name) {
  return name.ends_with(".usd") || name.ends_with(".usda") || name.ends_with(".usdc");
}

const SharedBytes* Package::Find(std::string_view name) const {
  const auto found = std::ranges::find(entries_, name, &Entry::name);
  return found == entries_.end() ? nullptr : &found->bytes;
}

Result<Package> Package::Open(const SharedBytes& bytes, const std::string& identifier,
                              MemoryBudget& budget, Diagnostics& diagnostics) {
  const auto open = [&]() -> Result<Package> {
    if (!HasMagic(bytes.data)) {
      return Error{ErrorCode::kUnknownFormat, "this is no zip archive, as packages of USD are", {}};
    }
    const auto end = FindEnd(bytes.data);
    if (!end) {
      return At(ErrorCode::kTruncated, bytes.data.size(),
                "the package has no directory at its end; the file may be cut off");
    }
    if (end->entries == 0xFFFF || end->directory_at == 0xFFFFFFFF) {
      return At(ErrorCode::kUnsupportedFeature, end->offset, "zip64 packages are not read");
    }
    if (end->entries > kMaxEntries) {
      return At(ErrorCode::kLimitExceeded, end->offset,
                "the package has " + std::to_string(end->entries) + " entries; " +
                    std::to_string(kMaxEntries) + " are allowed");
    }
    if (end->directory_at > end->offset || end->directory_size > end->offset - end->directory_at ||
        end->directory_size < end->entries * kDirectoryBytes) {
      return At(ErrorCode::kTruncated, end->offset,
                "the directory is said to be " + std::to_string(end->directory_size) +
                    " bytes from byte " + std::to_string(end->directory_at));
    }
    const auto before = bytes.data.first(static_cast<std::size_t>(end->directory_at));
    ByteCursor directory(bytes.data.first(static_cast<std::size_t>(end->offset)),
                         end->directory_at);
    FLEXOR_TRY(budget.Charge(end->entries, sizeof(Placed) + 2 * sizeof(Entry), "a package"));
    std::vector<Placed> entries;
    for (std::uint64_t i = 0; i < end->entries; ++i) {
      FLEXOR_ASSIGN(Placed entry, ReadEntry(before, directory));
      entries.push_back(entry);
    }
    std::ranges::sort(entries, {}, &Placed::header_at);
    FLEXOR_TRY(CheckLayout(entries));
    Package package;
    Tally misaligned;
    for (const Placed& entry : entries) {
      const Description& said = entry.description;
      if (said.name.ends_with('/')) continue;
      FLEXOR_TRY(budget.Charge(said.name.size(), 1, "a package"));
      const SharedBytes data = bytes.Part(static_cast<std::size_t>(entry.data_at), said.size);
      if (entry.data_at % kAlignment != 0) {
        misaligned.Add([&] {
          return "'" + std::string(said.name) + "' starts at byte " +
                 std::to_string(entry.data_at) + ", no multiple of 64";
        });
      }
      if (IsLayerName(said.name) && Crc32(data.data) != said.crc) {
        Report(diagnostics, "USD_PACKAGE_CHECKSUM", identifier + "[" + std::string(said.name) + "]",
               "the checksum of this layer is not the one that the package says");
      }
      package.entries_.push_back({std::string(said.name), data, said.crc});
    }
    misaligned.ReportTo(diagnostics, "USD_PACKAGE_MISALIGNED", identifier);
    if (package.entries_.empty()) return At(ErrorCode::kParse, 0, "the package is empty");
    if (!IsLayerName(package.first())) {
      return At(ErrorCode::kUnsupportedFeature, 0,
                "the first entry of the package, '" + package.first() +
                    "', is no layer (.usd, .usda or .usdc)");
    }
    return package;
  };
  auto package = open();
  if (package.ok()) return package;
  Error error = std::move(package).error();
  if (error.place.path.empty()) error.place.path = identifier;
  return error;
}

}  // namespace flexor::io::usd
