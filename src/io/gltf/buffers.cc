#include "io/gltf/buffers.h"

#include <algorithm>
#include <utility>

#include "io/gltf/meshopt.h"
#include "io/rules.h"
#include "io/uri.h"

namespace flexor::io::gltf {

Error AtPointer(Error error, const std::string& pointer) {
  if (error.place.element.empty()) error.place.element = pointer;
  return error;
}

BufferStore::BufferStore(const RawDocument& document, Sources sources, MemoryBudget& budget,
                         Diagnostics& diagnostics)
    : document_(document),
      sources_(sources),
      budget_(budget),
      diagnostics_(diagnostics),
      buffers_(document.buffers.size()),
      decoded_(document.views.size()) {}

bool BufferStore::HasData(std::uint32_t buffer) const {
  return document_.buffers[buffer].uri.has_value() || (buffer == 0 && sources_.bin.has_value());
}

Result<BufferStore::Fetched> BufferStore::Fetch(std::string_view uri, const std::string& pointer) {
  if (IsDataUri(uri)) {
    auto data = DecodeDataUri(uri, Base64Mode::kLenient, budget_);
    if (!data.ok()) return AtPointer(std::move(data).error(), pointer);
    if (!data->irregularity.empty()) {
      Report(diagnostics_, "BASE64_IRREGULAR", pointer,
             "base64 with " + data->irregularity + "; read all the same");
    }
    return Fetched{std::move(data->media_type), std::move(data->bytes)};
  }
  auto name = ResolveReference(uri, sources_.options->allow_outside);
  if (!name.ok()) return AtPointer(std::move(name).error(), pointer);
  if (!*sources_.resources) {
    return Error{ErrorCode::kFileNotFound,
                 "refers to the file '" + *name + "', but this load has no folder to look in",
                 {{}, pointer, std::nullopt}};
  }
  const std::uint64_t room =
      std::min(sources_.options->limits.file_bytes, budget_.limit() - budget_.used());
  auto bytes = (*sources_.resources)(*name, room);
  if (!bytes.ok()) {
    Error error = std::move(bytes).error();
    error.message = "cannot read the file '" + *name + "': " + error.message;
    error.place = {{}, pointer, std::nullopt};
    return error;
  }
  auto charged = budget_.Charge(bytes->size(), 1, "the file '" + *name + "'");
  if (!charged.ok()) return AtPointer(std::move(charged).error(), pointer);
  return Fetched{{}, std::move(*bytes)};
}

Result<std::span<const std::byte>> BufferStore::Buffer(std::uint32_t index) {
  const RawBuffer& raw = document_.buffers[index];
  const std::string pointer = "/buffers/" + std::to_string(index);
  std::span<const std::byte> bytes;
  if (raw.uri) {
    if (!buffers_[index]) {
      FLEXOR_ASSIGN(Fetched fetched, Fetch(*raw.uri, pointer + "/uri"));
      buffers_[index] = std::move(fetched.bytes);
    }
    bytes = *buffers_[index];
  } else if (index == 0 && sources_.bin) {
    bytes = *sources_.bin;
  } else {
    return Error{ErrorCode::kInvalidValue,
                 raw.meshopt_fallback
                     ? "the buffer is only a stand-in for compressed data and has no bytes"
                     : "the buffer has no uri, and there is no binary chunk for it",
                 {{}, pointer, std::nullopt}};
  }
  if (bytes.size() < raw.byte_length) {
    return Error{ErrorCode::kTruncated,
                 "the buffer declares " + std::to_string(raw.byte_length) + " bytes, but only " +
                     std::to_string(bytes.size()) + " are there",
                 {{}, pointer, std::nullopt}};
  }
  return bytes.first(static_cast<std::size_t>(raw.byte_length));
}

Result<std::span<const std::byte>> BufferStore::Compressed(std::uint32_t index) {
  const RawBufferView& view = document_.views[index];
  const RawMeshopt& meshopt = *view.meshopt;
  const std::string pointer =
      "/bufferViews/" + std::to_string(index) + "/extensions/" + meshopt.extension;
  if (meshopt.byte_stride == 0 || meshopt.count != view.byte_length / meshopt.byte_stride ||
      view.byte_length % meshopt.byte_stride != 0) {
    return Error{ErrorCode::kShapeMismatch,
                 std::to_string(meshopt.count) + " elements of " +
                     std::to_string(meshopt.byte_stride) + " bytes do not fill the view's " +
                     std::to_string(view.byte_length) + " bytes",
                 {{}, pointer, std::nullopt}};
  }
  FLEXOR_ASSIGN(const auto source, Buffer(meshopt.buffer));
  auto bytes = DecodeMeshopt(meshopt,
                             source.subspan(static_cast<std::size_t>(meshopt.byte_offset),
                                            static_cast<std::size_t>(meshopt.byte_length)),
                             budget_);
  if (!bytes.ok()) return AtPointer(std::move(bytes).error(), pointer);
  decoded_[index] = std::move(*bytes);
  return std::span<const std::byte>(*decoded_[index]);
}

Result<std::span<const std::byte>> BufferStore::View(std::uint32_t index) {
  const RawBufferView& view = document_.views[index];
  if (decoded_[index]) return std::span<const std::byte>(*decoded_[index]);
  if (view.meshopt) {
    auto bytes = Compressed(index);
    // The data may be there uncompressed as well; running out of memory is no reason to try.
    if (bytes.ok() || bytes.error().code == ErrorCode::kLimitExceeded || !HasData(view.buffer)) {
      return bytes;
    }
    Report(diagnostics_, "MESHOPT_FALLBACK_USED", bytes.error().place.element,
           bytes.error().message + "; the uncompressed data was used");
  }
  FLEXOR_ASSIGN(const auto buffer, Buffer(view.buffer));
  return buffer.subspan(static_cast<std::size_t>(view.byte_offset),
                        static_cast<std::size_t>(view.byte_length));
}

}  // namespace flexor::io::gltf
