#include "io/gltf/check_data.h"

#include <algorithm>
#include <utility>

#include "io/gltf/check_images.h"
#include "io/gltf/check_links.h"
#include "io/gltf/layout.h"
#include "io/uri.h"

namespace flexor::io::gltf {
namespace {

/// What the media type of a data URI says, in lower case.
std::string MediaType(std::string_view uri) {
  std::string type(uri.substr(5, uri.find_first_of(";,") - 5));
  std::transform(type.begin(), type.end(), type.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return type.empty() ? "text/plain" : type;
}

bool IsOutOfMemory(const Error& error) {
  return error.code == ErrorCode::kLimitExceeded || error.code == ErrorCode::kOutOfMemory;
}

}  // namespace

CheckedData::CheckedData(const CheckModel& model, RawDocument& document, const Sources& sources,
                         MemoryBudget& budget, Findings& findings)
    : model_(model),
      document_(document),
      sources_(sources),
      budget_(budget),
      findings_(findings),
      has_span_(document.views.size()),
      loaded_(document.buffers.size()),
      store_(document, sources_, budget_, reader_diagnostics_),
      reader_(document, store_, budget_, reader_diagnostics_) {
  for (std::size_t i = 0; i < document.views.size(); ++i) {
    RawBufferView& view = document.views[i];
    has_span_[i] = view.byte_offset != kNoNumber && view.byte_length != kNoNumber;
    const std::uint64_t room =
        view.buffer < document.buffers.size() ? document.buffers[view.buffer].byte_length : 0;
    view.byte_offset = std::min(view.byte_offset, room);
    view.byte_length = std::min(view.byte_length, room - view.byte_offset);
  }
}

bool CheckedData::Afford(std::size_t elements) {
  constexpr std::uint64_t kMostWork = 4'000'000'000;
  work_ += elements;
  if (work_ <= kMostWork) return true;
  findings_.Add("CHECK_INCOMPLETE", "/accessors",
                "the same data is used too many times to judge every use");
  return false;
}

void CheckedData::LoadBuffers(bool is_glb) {
  for (std::size_t i = 0; i < model_.buffers.size(); ++i) {
    if (model_.buffers[i].exists && document_.buffers[i].byte_length != kNoNumber) {
      LoadBuffer(i, is_glb);
    }
  }
}

void CheckedData::LoadBuffer(std::size_t index, bool is_glb) {
  const CheckedBuffer& buffer = model_.buffers[index];
  const RawBuffer& raw = *buffer.raw;
  if (!raw.uri) {
    // Only the first buffer of a binary file may do without; others have data that an extension
    // knows of, or none.
    if (!is_glb || index != 0 || raw.has_uri) return;
    if (!sources_.bin) {
      findings_.Add("BUFFER_MISSING_GLB_DATA", buffer.pointer,
                    "has no uri, so its data should be in a BIN chunk, but there is none");
      return;
    }
    // At most three bytes of padding.
    if (sources_.bin->size() > raw.byte_length &&
        sources_.bin->size() - raw.byte_length > (4 - raw.byte_length % 4) % 4) {
      findings_.Add("BUFFER_GLB_CHUNK_TOO_BIG", buffer.pointer,
                    "the BIN chunk has " + std::to_string(sources_.bin->size()) +
                        " bytes, but the buffer only " + std::to_string(raw.byte_length));
    }
  } else if (IsDataUri(*raw.uri)) {
    const std::string type = MediaType(*raw.uri);
    if (type != "application/octet-stream" && type != "application/gltf-buffer") {
      findings_.Add("BUFFER_DATA_URI_MIME_TYPE_INVALID", buffer.pointer + "/uri",
                    "the media type is '" + type +
                        "', but must be application/octet-stream or application/gltf-buffer");
      return;
    }
  }
  const auto bytes = store_.Buffer(static_cast<std::uint32_t>(index));
  loaded_[index] = bytes.ok();
  if (!bytes.ok()) ReportBufferFault(buffer, bytes.error());
}

void CheckedData::ReportBufferFault(const CheckedBuffer& buffer, const Error& error) {
  if (IsOutOfMemory(error)) {
    findings_.Add("CHECK_INCOMPLETE", buffer.pointer, error.message);
  } else if (error.code == ErrorCode::kTruncated && error.place.element == buffer.pointer) {
    findings_.Add("BUFFER_BYTE_LENGTH_MISMATCH", buffer.pointer, error.message);
  } else if (buffer.raw->uri && IsDataUri(*buffer.raw->uri)) {
    findings_.Add("INVALID_URI", buffer.pointer + "/uri", error.message);
  } else {
    findings_.Add("IO_ERROR", buffer.pointer + "/uri", error.message);
  }
}

bool CheckedData::HasBytes(std::int64_t view) const {
  if (CheckModel::Resolve(model_.views, view) == nullptr) return false;
  const auto index = static_cast<std::size_t>(view);
  const std::uint32_t buffer = document_.views[index].buffer;
  return has_span_[index] && buffer < loaded_.size() && loaded_[buffer];
}

bool CheckedData::Fits(std::int64_t view, std::uint64_t offset, std::uint32_t component_bytes,
                       std::uint32_t stride, std::uint64_t count,
                       std::uint32_t element_bytes) const {
  if (!HasBytes(view) || stride < element_bytes) return false;
  const RawBufferView& raw = document_.views[static_cast<std::size_t>(view)];
  return SpanIsGood(offset, component_bytes, 0, raw, view, {}, nullptr) &&
         SpanFits(offset, stride, count, element_bytes, raw.byte_length);
}

bool CheckedData::SparseIndicesFit(const RawSparse& sparse) const {
  const std::uint32_t bytes = ComponentBytes(sparse.indices_type);
  return bytes != 0 && Fits(IndexOf(sparse.indices_view), sparse.indices_offset, bytes, bytes,
                            sparse.count, bytes);
}

bool CheckedData::IsReadable(const CheckedAccessor& accessor) const {
  if (!accessor.exists || !accessor.IsComplete()) return false;
  const RawAccessor& raw = *accessor.raw;
  if (raw.type == ElementType::kUnknown || (raw.view == kNone && !raw.sparse)) return false;
  const std::uint32_t component = ComponentBytes(raw.component);
  const std::uint32_t packed = PackedStride(raw.component, raw.type);
  const std::uint32_t element = ElementExtent(raw.component, raw.type);
  if (raw.view != kNone) {
    if (!HasBytes(raw.view)) return false;
    const std::uint32_t own = document_.views[static_cast<std::size_t>(raw.view)].byte_stride;
    if (!Fits(raw.view, raw.byte_offset, component, own != 0 ? own : packed, raw.count, element)) {
      return false;
    }
  }
  if (!raw.sparse) return true;
  const RawSparse& sparse = *raw.sparse;
  return sparse.count <= raw.count && SparseIndicesFit(sparse) &&
         Fits(IndexOf(sparse.values_view), sparse.values_offset, component, packed, sparse.count,
              element);
}

std::optional<StoredNumbers> CheckedData::Room(std::uint64_t count, bool is_wide,
                                               const std::string& pointer) {
  if (const Status charged = budget_.Charge(count, 4, "the values to check"); !charged.ok()) {
    findings_.Add("CHECK_INCOMPLETE", pointer, charged.error().message);
    return std::nullopt;
  }
  StoredNumbers numbers;
  numbers.is_wide_ = is_wide;
  if (is_wide) {
    numbers.integers_.resize(static_cast<std::size_t>(count));
  } else {
    numbers.floats_.resize(static_cast<std::size_t>(count));
  }
  return numbers;
}

std::optional<StoredNumbers> CheckedData::Done(const Status& status, StoredNumbers numbers,
                                               const std::string& pointer) {
  if (status.ok()) return numbers;
  Release(std::move(numbers));
  // Sparse indices that refer to no element are reported by their own rule.
  if (IsOutOfMemory(status.error())) {
    findings_.Add("CHECK_INCOMPLETE", pointer, status.error().message);
  }
  return std::nullopt;
}

std::optional<StoredNumbers> CheckedData::Read(std::uint32_t accessor) {
  const CheckedAccessor* checked = CheckModel::Resolve(model_.accessors, accessor);
  if (checked == nullptr || !IsReadable(*checked)) return std::nullopt;
  const RawAccessor& raw = *checked->raw;
  const std::uint64_t components = ComponentCount(raw.type);
  const std::uint64_t count = std::min(raw.count, kNoNumber / components) * components;
  auto numbers = Room(count, raw.component == ComponentType::kUint32, checked->pointer);
  if (!numbers) return std::nullopt;
  const Status status = numbers->is_wide_
                            ? reader_.Unsigned(accessor, checked->pointer, numbers->integers_)
                            : reader_.FloatsAsStored(accessor, numbers->floats_);
  return Done(status, std::move(*numbers), checked->pointer);
}

std::optional<StoredNumbers> CheckedData::ReadSparseIndices(std::uint32_t accessor) {
  const CheckedAccessor& checked = model_.accessors[accessor];
  if (!checked.exists || !checked.raw->sparse || !checked.IsComplete() ||
      !SparseIndicesFit(*checked.raw->sparse)) {
    return std::nullopt;
  }
  auto numbers = Room(checked.raw->sparse->count, true, checked.pointer);
  if (!numbers) return std::nullopt;
  const Status status = reader_.SparseIndices(accessor, numbers->integers_);
  return Done(status, std::move(*numbers), checked.pointer);
}

// Taken by value: they are gone when their bytes are given back.
// NOLINTNEXTLINE(performance-unnecessary-value-param)
void CheckedData::Release(StoredNumbers numbers) { budget_.Release(numbers.size() * 4); }

std::optional<std::span<const std::byte>> CheckedData::ImageBytes(const CheckedImage& image) {
  budget_.Release(fetched_image_.size());
  fetched_image_ = {};
  const RawImage& raw = *image.raw;
  if (!raw.uri) {
    if (!HasBytes(raw.view)) return std::nullopt;
    const auto bytes = store_.View(static_cast<std::uint32_t>(raw.view));
    if (!bytes.ok()) return std::nullopt;
    return *bytes;
  }
  const std::string where = image.pointer + "/uri";
  auto fetched = store_.Fetch(*raw.uri, where);
  if (!fetched.ok()) {
    const Error& error = fetched.error();
    findings_.Add(IsOutOfMemory(error)  ? "CHECK_INCOMPLETE"
                  : IsDataUri(*raw.uri) ? "INVALID_URI"
                                        : "IO_ERROR",
                  where, error.message);
    return std::nullopt;
  }
  fetched_image_ = std::move(fetched->bytes);
  if (IsDataUri(*raw.uri) && ImageTypeOf(fetched_image_) != MediaType(*raw.uri)) {
    findings_.Add("INVALID_URI", where,
                  "the data is not of the type '" + MediaType(*raw.uri) + "' that the URI says");
    return std::nullopt;
  }
  return std::span<const std::byte>(fetched_image_);
}

void CheckedData::CheckImages(CheckModel& model, bool webp_enabled) {
  for (CheckedImage& image : model.images) {
    if (!image.exists || image.has_extensions) continue;
    const auto bytes = ImageBytes(image);
    if (!bytes) continue;
    const ImageHeader header = ReadImageHeader(*bytes);
    switch (header.verdict) {
      case ImageVerdict::kUnknownFormat:
        findings_.Add("IMAGE_UNRECOGNIZED_FORMAT", image.pointer,
                      "the data is neither PNG, JPEG nor WebP");
        continue;
      case ImageVerdict::kTruncated:
        findings_.Add("IMAGE_UNEXPECTED_EOS", image.pointer, "the image ends in its header");
        continue;
      case ImageVerdict::kBroken:
        findings_.Add("IMAGE_DATA_INVALID", image.pointer, header.fault);
        continue;
      case ImageVerdict::kGood:
        break;
    }
    image.found_type = header.media_type;
    if (image.found_type == "image/webp" && !webp_enabled) {
      findings_.Add("IMAGE_NON_ENABLED_MIME_TYPE", image.pointer,
                    "a WebP image needs EXT_texture_webp");
    }
    const auto& declared = image.raw->media_type;
    if (declared && *declared != image.found_type) {
      findings_.Add(
          "IMAGE_MIME_TYPE_INVALID", image.pointer + (image.raw->uri ? "/uri" : "/bufferView"),
          "the image is " + image.found_type + ", but mimeType says " + std::string(*declared));
    }
    const auto is_power_of_two = [](std::uint32_t n) { return n != 0 && (n & (n - 1)) == 0; };
    if (!is_power_of_two(header.width) || !is_power_of_two(header.height)) {
      findings_.Add(
          "IMAGE_NPOT_DIMENSIONS", image.pointer,
          "is " + std::to_string(header.width) + " x " + std::to_string(header.height) + " pixels");
    }
    if (header.has_unusual_features) {
      findings_.Add("IMAGE_FEATURES_UNSUPPORTED", image.pointer,
                    "has its own colour space, non-square pixels or animation");
    }
  }
}

void CheckTextureTypes(const CheckModel& model, Findings& findings) {
  const auto type_of = [&](std::int64_t index) -> std::string_view {
    const CheckedImage* image = CheckModel::Resolve(model.images, index);
    if (image == nullptr) return {};
    return image->raw->media_type.value_or(image->found_type);
  };
  for (const CheckedTexture& texture : model.textures) {
    if (!texture.exists) continue;
    const std::string_view source = type_of(texture.raw->source);
    if (!source.empty() && source != "image/png" && source != "image/jpeg") {
      findings.Add("TEXTURE_INVALID_IMAGE_MIME_TYPE", texture.pointer + "/source",
                   "the image is " + std::string(source) + ", but must be PNG or JPEG");
    }
    const std::string_view webp = type_of(texture.webp_source);
    if (!webp.empty() && webp != "image/webp") {
      findings.Add("TEXTURE_INVALID_IMAGE_MIME_TYPE",
                   texture.pointer + "/extensions/EXT_texture_webp/source",
                   "the image is " + std::string(webp) + ", but must be WebP");
    }
  }
}

}  // namespace flexor::io::gltf
