#include "io/gltf/container.h"

#include <algorithm>
#include <utility>

#include "io/rules.h"

namespace flexor::io::gltf {
namespace {

constexpr std::uint32_t kMagic = 0x46546C67;      // "glTF"
constexpr std::uint32_t kJsonChunk = 0x4E4F534A;  // "JSON"
constexpr std::uint32_t kBinChunk = 0x004E4942;   // "BIN\0"
constexpr std::uint64_t kHeaderBytes = 12;
constexpr std::uint64_t kChunkHeaderBytes = 8;
constexpr std::uint32_t kVersion = 2;

/// The little-endian 32-bit number at `offset`. Requires offset + 4 <= bytes.size().
std::uint32_t ReadU32(std::span<const std::byte> bytes, std::uint64_t offset) {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < 4; ++i) {
    value |= std::to_integer<std::uint32_t>(bytes[offset + i]) << (8 * i);
  }
  return value;
}

std::string Hex(std::uint32_t value) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text = "0x";
  for (int shift = 28; shift >= 0; shift -= 4) text += kDigits[(value >> shift) & 15u];
  return text;
}

/// Walks the chunks of one GLB and collects what it finds.
class GlbSplitter {
 public:
  GlbSplitter(std::span<const std::byte> bytes, const std::string& path, Diagnostics& diagnostics)
      : bytes_(bytes), path_(path), diagnostics_(diagnostics), end_(bytes.size()) {}

  const Container& container() const { return container_; }

  Result<Container> Split() {
    FLEXOR_TRY(ReadHeader());
    std::uint64_t offset = kHeaderBytes;
    for (std::size_t index = 0; offset < end_; ++index) {
      FLEXOR_TRY(ReadChunk(index, offset));
    }
    if (declared_ > bytes_.size()) {
      return Stop("GLB_LENGTH_MISMATCH", ErrorCode::kTruncated, end_,
                  "the file ends after a chunk" + CutShort());
    }
    return container_;
  }

 private:
  void Say(std::string_view code, std::uint64_t offset, std::string message) {
    Report(diagnostics_, code, "byte " + std::to_string(offset), std::move(message));
  }

  Error Stop(std::string_view code, ErrorCode error_code, std::uint64_t offset,
             std::string message) {
    Say(code, offset, message);
    return {error_code, std::move(message), {path_, {}, offset}};
  }

  Status ReadHeader() {
    if (bytes_.size() < kHeaderBytes) {
      return Stop("GLB_UNEXPECTED_END_OF_HEADER", ErrorCode::kTruncated, bytes_.size(),
                  "a GLB header takes 12 bytes, but the file has " + std::to_string(bytes_.size()));
    }
    const std::uint32_t version = ReadU32(bytes_, 4);
    if (version != kVersion) {
      return Stop("GLB_INVALID_VERSION", ErrorCode::kUnsupportedFeature, 4,
                  "the file is GLB version " + std::to_string(version) +
                      ", but only version 2 is supported; convert it to glTF 2.0 first");
    }
    const std::uint32_t length = ReadU32(bytes_, 8);
    if (length <= kHeaderBytes) {
      return Stop("GLB_LENGTH_TOO_SMALL", ErrorCode::kParse, 8,
                  "the header says the file has " + std::to_string(length) +
                      " bytes, but the header alone takes 12");
    }
    if (length < bytes_.size()) {
      Say("GLB_EXTRA_DATA", length,
          "the header says the file has " + std::to_string(length) + " bytes, but it has " +
              std::to_string(bytes_.size()) + "; the rest is ignored");
    }
    declared_ = length;
    end_ = std::min<std::uint64_t>(length, bytes_.size());
    return {};
  }

  /// The words for a file that is shorter than its header says.
  std::string CutShort() const {
    return "; the header says the file has " + std::to_string(declared_) +
           " bytes, but it has only " + std::to_string(bytes_.size());
  }

  Status ReadChunk(std::size_t index, std::uint64_t& offset) {
    const std::uint64_t start = offset;
    if (end_ - start < kChunkHeaderBytes) {
      return Stop(
          "GLB_UNEXPECTED_END_OF_CHUNK_HEADER", ErrorCode::kTruncated, start,
          "a chunk header takes 8 bytes, but only " + std::to_string(end_ - start) + " are left");
    }
    const std::uint32_t length = ReadU32(bytes_, start);
    const std::uint32_t type = ReadU32(bytes_, start + 4);
    const std::uint64_t data = start + kChunkHeaderBytes;
    if (length % 4 != 0) {
      Say("GLB_CHUNK_LENGTH_UNALIGNED", start,
          "the length of chunk " + std::to_string(index) + " is " + std::to_string(length) +
              ", which is not a multiple of 4");
    }
    if (length > declared_ - data) {
      return Stop("GLB_CHUNK_TOO_BIG", ErrorCode::kTruncated, start,
                  "chunk " + std::to_string(index) + " says it has " + std::to_string(length) +
                      " bytes, but only " + std::to_string(declared_ - data) + " are left");
    }
    if (length > end_ - data) {
      return Stop("GLB_UNEXPECTED_END_OF_CHUNK_DATA", ErrorCode::kTruncated, end_,
                  "chunk " + std::to_string(index) + " says it has " + std::to_string(length) +
                      " bytes, but only " + std::to_string(end_ - data) + " are left" + CutShort());
    }
    if (index == 0 && type != kJsonChunk) {
      return Stop("GLB_UNEXPECTED_FIRST_CHUNK", ErrorCode::kParse, start,
                  "the first chunk must be of type JSON, but is of type " + Hex(type));
    }
    const Chunk chunk{bytes_.subspan(data, length), data};
    if (type == kJsonChunk) {
      FLEXOR_TRY(TakeJson(chunk, start));
    } else if (type == kBinChunk) {
      TakeBin(chunk, start, index);
    } else {
      Say("GLB_UNKNOWN_CHUNK_TYPE", start,
          "chunk " + std::to_string(index) + " of unknown type " + Hex(type) + " and " +
              std::to_string(length) + " bytes is ignored");
    }
    offset = data + length;
    return {};
  }

  Status TakeJson(const Chunk& chunk, std::uint64_t start) {
    if (has_json_) {
      Say("GLB_DUPLICATE_CHUNK", start, "a second JSON chunk; only the first is used");
      return {};
    }
    if (chunk.bytes.empty()) {
      return Stop("GLB_EMPTY_CHUNK", ErrorCode::kParse, start, "the JSON chunk is empty");
    }
    container_.json = chunk;
    has_json_ = true;
    return {};
  }

  void TakeBin(const Chunk& chunk, std::uint64_t start, std::size_t index) {
    if (container_.bin) {
      Say("GLB_DUPLICATE_CHUNK", start, "a second BIN chunk; only the first is used");
      return;
    }
    if (index != 1) {
      Say("GLB_UNEXPECTED_BIN_CHUNK", start,
          "the BIN chunk must be the second one, but is number " + std::to_string(index + 1));
    }
    if (chunk.bytes.empty()) {
      Say("GLB_EMPTY_BIN_CHUNK", start, "the BIN chunk is empty");
    }
    container_.bin = chunk;
  }

  std::span<const std::byte> bytes_;
  const std::string& path_;
  Diagnostics& diagnostics_;
  std::uint64_t declared_ = 0;  // the length in the header
  std::uint64_t end_;           // of what can be read: the declared end or the real one
  bool has_json_ = false;
  Container container_{.is_glb = true, .json = {}, .bin = {}};
};

}  // namespace

bool HasGlbMagic(std::span<const std::byte> bytes) {
  return bytes.size() >= 4 && ReadU32(bytes, 0) == kMagic;
}

Result<Container> SplitContainer(std::span<const std::byte> bytes, const std::string& path,
                                 Diagnostics& diagnostics, Container* so_far) {
  if (!HasGlbMagic(bytes)) return Container{.is_glb = false, .json = {bytes, 0}, .bin = {}};
  GlbSplitter splitter(bytes, path, diagnostics);
  auto container = splitter.Split();
  if (so_far != nullptr) *so_far = splitter.container();
  return container;
}

}  // namespace flexor::io::gltf
