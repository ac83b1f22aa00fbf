#include "io/cache/zip_writer.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "io/cache/crc32.h"
#include "io/encode.h"

namespace flexor::io {
namespace {

constexpr std::uint16_t kVersionStored = 20;
constexpr std::uint16_t kVersionZip64 = 45;
constexpr std::uint16_t kUtf8Flag = 0x0800;
constexpr std::uint16_t kFirstDate = 0x0021;  // 1980-01-01
constexpr std::uint16_t kZip64Tag = 0x0001;
constexpr std::uint32_t kSaturated32 = 0xFFFFFFFFu;
constexpr std::uint16_t kSaturated16 = 0xFFFFu;

// Keeps the sum of all sizes and headers far from overflow.
constexpr std::uint64_t kMaxEntryBytes = std::uint64_t{1} << 62;

template <class T>
void Put(std::vector<std::byte>& out, T value) {
  AppendScalar<std::endian::little>(out, value);
}

void PutText(std::vector<std::byte>& out, std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  out.insert(out.end(), bytes.begin(), bytes.end());
}

std::uint32_t Narrow(std::uint64_t value, bool saturate) {
  return saturate ? kSaturated32 : static_cast<std::uint32_t>(value);
}

}  // namespace

Result<ZipWriter> ZipWriter::Create(const std::string& path, std::vector<ZipEntry> entries,
                                    std::uint64_t zip64_from) {
  std::uint64_t total = 0;
  for (const ZipEntry& entry : entries) {
    if (entry.name.size() > kSaturated16) {
      return Error{ErrorCode::kLimitExceeded,
                   "a name of " + std::to_string(entry.name.size()) +
                       " bytes does not fit a zip archive, which allows 65535",
                   {path, {}, {}}};
    }
    if (entry.bytes > kMaxEntryBytes || total > kMaxEntryBytes - entry.bytes) {
      return Error{ErrorCode::kLimitExceeded,
                   "the archive would hold more than 2^62 bytes",
                   {path, entry.name, {}}};
    }
    total += entry.bytes;
  }
  FLEXOR_ASSIGN(AtomicFile file, AtomicFile::Create(path));
  ZipWriter writer(std::move(file), path, zip64_from);
  std::uint64_t at = 0;
  for (ZipEntry& entry : entries) {
    Slot slot;
    slot.zip64 = entry.bytes >= zip64_from;
    slot.entry = std::move(entry);
    slot.header_at = at;
    slot.data_at = at + writer.LocalHeader(slot).size();
    at = slot.data_at + slot.entry.bytes;
    writer.slots_.push_back(std::move(slot));
  }
  FLEXOR_TRY(writer.file_.Reserve(at));
  return writer;
}

Status ZipWriter::Append(std::size_t entry, std::span<const std::byte> bytes) {
  Slot& slot = slots_[entry];
  if (bytes.size() > slot.entry.bytes - slot.written) {
    return Error{
        ErrorCode::kInternal,
        "an archive entry got more than its " + std::to_string(slot.entry.bytes) + " bytes",
        {path_, slot.entry.name, {}}};
  }
  FLEXOR_TRY(file_.WriteAt(slot.data_at + slot.written, bytes));
  slot.crc = Crc32(bytes, slot.crc);
  slot.written += bytes.size();
  return {};
}

Status ZipWriter::Complete() {
  for (const Slot& slot : slots_) {
    if (slot.written != slot.entry.bytes) {
      return Error{ErrorCode::kInternal,
                   "an archive entry got " + std::to_string(slot.written) + " of its " +
                       std::to_string(slot.entry.bytes) + " bytes",
                   {path_, slot.entry.name, {}}};
    }
    FLEXOR_TRY(file_.WriteAt(slot.header_at, LocalHeader(slot)));
  }
  const std::uint64_t directory_at = file_.size();
  std::vector<std::byte> directory;
  for (const Slot& slot : slots_) AppendDirectoryEntry(directory, slot);
  FLEXOR_TRY(file_.Write(directory));
  FLEXOR_TRY(file_.Write(DirectoryEnd(directory_at, directory.size())));
  return file_.Seal();
}

std::vector<std::byte> ZipWriter::LocalHeader(const Slot& slot) const {
  std::vector<std::byte> out;
  Put<std::uint32_t>(out, 0x04034b50);
  Put<std::uint16_t>(out, slot.zip64 ? kVersionZip64 : kVersionStored);
  Put<std::uint16_t>(out, kUtf8Flag);
  Put<std::uint16_t>(out, 0);  // stored
  Put<std::uint16_t>(out, 0);  // midnight
  Put<std::uint16_t>(out, kFirstDate);
  Put<std::uint32_t>(out, slot.crc);
  Put<std::uint32_t>(out, Narrow(slot.entry.bytes, slot.zip64));
  Put<std::uint32_t>(out, Narrow(slot.entry.bytes, slot.zip64));
  Put<std::uint16_t>(out, static_cast<std::uint16_t>(slot.entry.name.size()));
  Put<std::uint16_t>(out, slot.zip64 ? 20 : 0);
  PutText(out, slot.entry.name);
  if (slot.zip64) {
    Put<std::uint16_t>(out, kZip64Tag);
    Put<std::uint16_t>(out, 16);
    Put<std::uint64_t>(out, slot.entry.bytes);
    Put<std::uint64_t>(out, slot.entry.bytes);
  }
  return out;
}

void ZipWriter::AppendDirectoryEntry(std::vector<std::byte>& out, const Slot& slot) const {
  const bool far = slot.header_at >= zip64_from_;
  const bool zip64 = slot.zip64 || far;
  const std::uint16_t version = zip64 ? kVersionZip64 : kVersionStored;
  const auto extra = static_cast<std::uint16_t>((slot.zip64 ? 16 : 0) + (far ? 8 : 0));
  Put<std::uint32_t>(out, 0x02014b50);
  Put<std::uint16_t>(out, version);  // made by, on a system whose names are the plain ones
  Put<std::uint16_t>(out, version);
  Put<std::uint16_t>(out, kUtf8Flag);
  Put<std::uint16_t>(out, 0);
  Put<std::uint16_t>(out, 0);
  Put<std::uint16_t>(out, kFirstDate);
  Put<std::uint32_t>(out, slot.crc);
  Put<std::uint32_t>(out, Narrow(slot.entry.bytes, slot.zip64));
  Put<std::uint32_t>(out, Narrow(slot.entry.bytes, slot.zip64));
  Put<std::uint16_t>(out, static_cast<std::uint16_t>(slot.entry.name.size()));
  Put<std::uint16_t>(out, static_cast<std::uint16_t>(zip64 ? extra + 4 : 0));
  Put<std::uint16_t>(out, 0);  // no comment
  Put<std::uint16_t>(out, 0);  // first disk
  Put<std::uint16_t>(out, 0);  // internal attributes
  Put<std::uint32_t>(out, 0);  // external attributes
  Put<std::uint32_t>(out, Narrow(slot.header_at, far));
  PutText(out, slot.entry.name);
  if (zip64) {
    Put<std::uint16_t>(out, kZip64Tag);
    Put<std::uint16_t>(out, extra);
    if (slot.zip64) {
      Put<std::uint64_t>(out, slot.entry.bytes);
      Put<std::uint64_t>(out, slot.entry.bytes);
    }
    if (far) Put<std::uint64_t>(out, slot.header_at);
  }
}

std::vector<std::byte> ZipWriter::DirectoryEnd(std::uint64_t directory_at,
                                               std::uint64_t directory_bytes) const {
  const bool many = slots_.size() >= kSaturated16;
  const bool far = directory_at >= zip64_from_, large = directory_bytes >= zip64_from_;
  std::vector<std::byte> out;
  if (many || far || large) {
    Put<std::uint32_t>(out, 0x06064b50);
    Put<std::uint64_t>(out, 44);  // bytes that follow in this record
    Put<std::uint16_t>(out, kVersionZip64);
    Put<std::uint16_t>(out, kVersionZip64);
    Put<std::uint32_t>(out, 0);
    Put<std::uint32_t>(out, 0);
    Put<std::uint64_t>(out, slots_.size());
    Put<std::uint64_t>(out, slots_.size());
    Put<std::uint64_t>(out, directory_bytes);
    Put<std::uint64_t>(out, directory_at);
    Put<std::uint32_t>(out, 0x07064b50);
    Put<std::uint32_t>(out, 0);
    Put<std::uint64_t>(out, directory_at + directory_bytes);
    Put<std::uint32_t>(out, 1);  // disks
  }
  const auto count = static_cast<std::uint16_t>(std::min<std::size_t>(slots_.size(), kSaturated16));
  Put<std::uint32_t>(out, 0x06054b50);
  Put<std::uint16_t>(out, 0);
  Put<std::uint16_t>(out, 0);
  Put<std::uint16_t>(out, count);
  Put<std::uint16_t>(out, count);
  Put<std::uint32_t>(out, Narrow(directory_bytes, large));
  Put<std::uint32_t>(out, Narrow(directory_at, far));
  Put<std::uint16_t>(out, 0);
  return out;
}

}  // namespace flexor::io
