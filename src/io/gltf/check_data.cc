#include "io/gltf/check_data.h"

#include <algorithm>
#include <utility>

#include "io/gltf/check_images.h"
#include "io/gltf/check_links.h"
#include "io/gltf/layout.h"
#include "io/uri.h"

namespace flexor::io::gltf {
namespace {

ElementType RawType(const AccessorFormat& format) {
  switch (format.components) {
    case 1:
      return ElementType::kScalar;
    case 2:
      return ElementType::kVec2;
    case 3:
      return ElementType::kVec3;
    case 4:
      return format.is_matrix ? ElementType::kMat2 : ElementType::kVec4;
    case 9:
      return ElementType::kMat3;
    case 16:
      return ElementType::kMat4;
    default:
      return ElementType::kUnknown;
  }
}

std::uint64_t Unsigned(std::int64_t value) {
  return value > 0 ? static_cast<std::uint64_t>(value) : 0;
}

/// The part of a view that lies inside its buffer.
RawBufferView RawView(const CheckedView& view, const std::vector<CheckedBuffer>& buffers) {
  RawBufferView raw;
  if (view.buffer < 0 || Unsigned(view.buffer) >= buffers.size()) return raw;
  const CheckedBuffer& buffer = buffers[static_cast<std::size_t>(view.buffer)];
  const std::uint64_t room = Unsigned(buffer.byte_length);
  raw.buffer = static_cast<std::uint32_t>(view.buffer);
  raw.byte_offset = std::min(Unsigned(view.byte_offset), room);
  raw.byte_length = std::min(Unsigned(view.byte_length), room - raw.byte_offset);
  raw.byte_stride = static_cast<std::uint32_t>(Unsigned(view.byte_stride));
  return raw;
}

/// What the media type of a data URI says, in lower case.
std::string MediaType(const std::string& uri) {
  std::string type = uri.substr(5, uri.find_first_of(";,") - 5);
  std::transform(type.begin(), type.end(), type.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return type.empty() ? "text/plain" : type;
}

bool IsOutOfMemory(const Error& error) {
  return error.code == ErrorCode::kLimitExceeded || error.code == ErrorCode::kOutOfMemory;
}

}  // namespace

CheckedData::CheckedData(const CheckModel& model, const Sources& sources, MemoryBudget& budget,
                         Findings& findings)
    : model_(model),
      sources_(sources),
      budget_(budget),
      findings_(findings),
      loaded_(model.buffers.size(), false) {
  for (const CheckedBuffer& buffer : model.buffers) {
    RawBuffer raw;
    if (buffer.uri != nullptr) raw.uri = *buffer.uri;
    raw.byte_length = Unsigned(buffer.byte_length);
    document_.buffers.push_back(raw);
  }
  for (const CheckedView& view : model.views) {
    document_.views.push_back(RawView(view, model.buffers));
  }
  for (std::size_t i = 0; i < model.buffers.size(); ++i) {
    document_.views.push_back({.buffer = static_cast<std::uint32_t>(i),
                               .byte_offset = 0,
                               .byte_length = document_.buffers[i].byte_length,
                               .byte_stride = 0,
                               .meshopt = {}});
  }
  for (const CheckedAccessor& accessor : model.accessors) {
    RawAccessor raw;
    raw.view = static_cast<std::int32_t>(std::min<std::int64_t>(accessor.view, 1 << 30));
    raw.byte_offset = Unsigned(accessor.byte_offset);
    raw.component = static_cast<ComponentType>(Unsigned(accessor.format.component_type));
    raw.type = RawType(accessor.format);
    raw.count = Unsigned(accessor.count);
    if (accessor.sparse) {
      const CheckedSparse& sparse = *accessor.sparse;
      raw.sparse = {.count = Unsigned(sparse.count),
                    .indices_view = static_cast<std::uint32_t>(Unsigned(sparse.indices_view)),
                    .indices_offset = Unsigned(sparse.indices_offset),
                    .indices_type = static_cast<ComponentType>(Unsigned(sparse.indices_type)),
                    .values_view = static_cast<std::uint32_t>(Unsigned(sparse.values_view)),
                    .values_offset = Unsigned(sparse.values_offset)};
    }
    document_.accessors.push_back(raw);
  }
  for (std::size_t i = 0; i < model.accessors.size(); ++i) {
    RawAccessor raw;
    if (const auto& sparse = document_.accessors[i].sparse) {
      raw.view = static_cast<std::int32_t>(std::min(sparse->indices_view, 1u << 30));
      raw.byte_offset = sparse->indices_offset;
      raw.component = sparse->indices_type;
      raw.type = ElementType::kScalar;
      raw.count = sparse->count;
    }
    document_.accessors.push_back(raw);
  }
  store_.emplace(document_, sources_, budget_, reader_diagnostics_);
  reader_.emplace(document_, *store_, budget_, reader_diagnostics_);
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
    if (model_.buffers[i].exists && model_.buffers[i].byte_length != kAbsent) LoadBuffer(i, is_glb);
  }
}

void CheckedData::LoadBuffer(std::size_t index, bool is_glb) {
  const CheckedBuffer& buffer = model_.buffers[index];
  if (buffer.uri == nullptr) {
    // Only the first buffer of a binary file may do without; others have data that an extension
    // knows of, or none.
    if (!is_glb || index != 0 || buffer.has_uri) return;
    if (!sources_.bin) {
      findings_.Add("BUFFER_MISSING_GLB_DATA", buffer.pointer,
                    "has no uri, so its data should be in a BIN chunk, but there is none");
      return;
    }
    const std::uint64_t padded = (Unsigned(buffer.byte_length) + 3) / 4 * 4;
    if (sources_.bin->size() > padded) {
      findings_.Add("BUFFER_GLB_CHUNK_TOO_BIG", buffer.pointer,
                    "the BIN chunk has " + std::to_string(sources_.bin->size()) +
                        " bytes, but the buffer only " + std::to_string(buffer.byte_length));
    }
  } else if (IsDataUri(*buffer.uri)) {
    const std::string type = MediaType(*buffer.uri);
    if (type != "application/octet-stream" && type != "application/gltf-buffer") {
      findings_.Add("BUFFER_DATA_URI_MIME_TYPE_INVALID", buffer.pointer + "/uri",
                    "the media type is '" + type +
                        "', but must be application/octet-stream or "
                        "application/gltf-buffer");
      return;
    }
  }
  const auto whole = static_cast<std::uint32_t>(model_.views.size() + index);
  const auto bytes = store_->View(whole);
  loaded_[index] = bytes.ok();
  if (!bytes.ok()) ReportBufferFault(index, bytes.error());
}

void CheckedData::ReportBufferFault(std::size_t index, const Error& error) {
  const CheckedBuffer& buffer = model_.buffers[index];
  if (IsOutOfMemory(error)) {
    findings_.Add("CHECK_INCOMPLETE", buffer.pointer, error.message);
  } else if (error.code == ErrorCode::kTruncated && error.place.element == buffer.pointer) {
    findings_.Add("BUFFER_BYTE_LENGTH_MISMATCH", buffer.pointer, error.message);
  } else if (buffer.uri != nullptr && IsDataUri(*buffer.uri)) {
    findings_.Add("INVALID_URI", buffer.pointer + "/uri", error.message);
  } else {
    findings_.Add("IO_ERROR", buffer.pointer + "/uri", error.message);
  }
}

bool CheckedData::HasBytes(std::int64_t view) const {
  if (view < 0 || Unsigned(view) >= model_.views.size()) return false;
  const CheckedView& checked = model_.views[static_cast<std::size_t>(view)];
  return checked.exists && checked.byte_offset != kAbsent && checked.byte_length != kAbsent &&
         checked.buffer >= 0 && Unsigned(checked.buffer) < loaded_.size() &&
         loaded_[static_cast<std::size_t>(checked.buffer)];
}

bool CheckedData::Fits(std::int64_t view, std::int64_t offset, std::int64_t component_bytes,
                       std::int64_t stride, std::int64_t count, std::int64_t element_bytes) const {
  if (!HasBytes(view) || stride < element_bytes) return false;
  const auto index = static_cast<std::size_t>(view);
  return SpanIsGood(offset, component_bytes, 0, model_.views[index], view, {}, nullptr) &&
         SpanFits(Unsigned(offset), Unsigned(stride), Unsigned(count), Unsigned(element_bytes),
                  document_.views[index].byte_length);
}

bool CheckedData::SparseIndicesFit(const CheckedSparse& sparse) const {
  CheckedAccessor indices;
  indices.format.component_type = sparse.indices_type;
  const std::int64_t bytes = indices.ComponentBytes();
  return bytes > 0 &&
         Fits(sparse.indices_view, sparse.indices_offset, bytes, bytes, sparse.count, bytes);
}

bool CheckedData::IsReadable(const CheckedAccessor& accessor) const {
  if (!accessor.exists || !accessor.IsComplete() || accessor.format.components == 0) return false;
  if (accessor.view == kAbsent && !accessor.sparse) return false;
  if (accessor.view != kAbsent) {
    if (!HasBytes(accessor.view)) return false;
    const std::int64_t own = model_.views[static_cast<std::size_t>(accessor.view)].byte_stride;
    if (!Fits(accessor.view, accessor.byte_offset, accessor.ComponentBytes(),
              own != kAbsent ? own : accessor.PackedStride(), accessor.count,
              accessor.ElementBytes())) {
      return false;
    }
  }
  if (!accessor.sparse) return true;
  const CheckedSparse& sparse = *accessor.sparse;
  return sparse.count <= accessor.count && SparseIndicesFit(sparse) &&
         Fits(sparse.values_view, sparse.values_offset, accessor.ComponentBytes(),
              accessor.PackedStride(), sparse.count, accessor.ElementBytes());
}

std::optional<StoredNumbers> CheckedData::ReadRaw(std::size_t raw_accessor,
                                                  const std::string& pointer) {
  const auto index = static_cast<std::uint32_t>(raw_accessor);
  const RawAccessor& raw = document_.accessors[raw_accessor];
  const std::uint64_t components = ComponentCount(raw.type);
  if (const Status charged = budget_.Charge(raw.count, components * 4, "the values to check");
      !charged.ok()) {
    findings_.Add("CHECK_INCOMPLETE", pointer, charged.error().message);
    return std::nullopt;
  }
  StoredNumbers numbers;
  numbers.is_wide_ = raw.component == ComponentType::kUint32;
  const auto size = static_cast<std::size_t>(raw.count * components);
  Status status;
  if (numbers.is_wide_) {
    numbers.integers_.resize(size);
    status = reader_->Unsigned(index, pointer, numbers.integers_);
  } else {
    numbers.floats_.resize(size);
    status = reader_->FloatsAsStored(index, numbers.floats_);
  }
  if (status.ok()) return numbers;
  Release(std::move(numbers));
  // Sparse indices that refer to no element are reported by their own rule.
  if (IsOutOfMemory(status.error())) {
    findings_.Add("CHECK_INCOMPLETE", pointer, status.error().message);
  }
  return std::nullopt;
}

std::optional<StoredNumbers> CheckedData::Read(std::int64_t accessor) {
  if (accessor < 0 || Unsigned(accessor) >= model_.accessors.size()) return std::nullopt;
  const CheckedAccessor& checked = model_.accessors[static_cast<std::size_t>(accessor)];
  if (!IsReadable(checked)) return std::nullopt;
  return ReadRaw(static_cast<std::size_t>(accessor), checked.pointer);
}

std::optional<StoredNumbers> CheckedData::ReadSparseIndices(std::int64_t accessor) {
  const CheckedAccessor& checked = model_.accessors[static_cast<std::size_t>(accessor)];
  if (!checked.sparse || !checked.IsComplete() || !SparseIndicesFit(*checked.sparse)) {
    return std::nullopt;
  }
  return ReadRaw(model_.accessors.size() + static_cast<std::size_t>(accessor), checked.pointer);
}

// Taken by value: they are gone when their bytes are given back.
// NOLINTNEXTLINE(performance-unnecessary-value-param)
void CheckedData::Release(StoredNumbers numbers) { budget_.Release(numbers.size() * 4); }

std::optional<std::span<const std::byte>> CheckedData::ImageBytes(const CheckedImage& image) {
  budget_.Release(fetched_image_.size());
  fetched_image_ = {};
  if (image.uri == nullptr) {
    if (!HasBytes(image.view)) return std::nullopt;
    const auto bytes = store_->View(static_cast<std::uint32_t>(image.view));
    if (!bytes.ok()) return std::nullopt;
    return *bytes;
  }
  const std::string where = image.pointer + "/uri";
  auto fetched = store_->Fetch(*image.uri, where);
  if (!fetched.ok()) {
    const Error& error = fetched.error();
    findings_.Add(IsOutOfMemory(error)    ? "CHECK_INCOMPLETE"
                  : IsDataUri(*image.uri) ? "INVALID_URI"
                                          : "IO_ERROR",
                  where, error.message);
    return std::nullopt;
  }
  fetched_image_ = std::move(fetched->bytes);
  if (IsDataUri(*image.uri) && ImageTypeOf(fetched_image_) != MediaType(*image.uri)) {
    findings_.Add("INVALID_URI", where,
                  "the data is not of the type '" + MediaType(*image.uri) + "' that the URI says");
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
    if (image.mime_type != nullptr && *image.mime_type != image.found_type) {
      findings_.Add("IMAGE_MIME_TYPE_INVALID",
                    image.pointer + (image.uri != nullptr ? "/uri" : "/bufferView"),
                    "the image is " + image.found_type + ", but mimeType says " + *image.mime_type);
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
    if (index < 0 || Unsigned(index) >= model.images.size()) return {};
    const CheckedImage& image = model.images[static_cast<std::size_t>(index)];
    if (image.mime_type != nullptr) return *image.mime_type;
    return image.found_type;
  };
  for (const CheckedTexture& texture : model.textures) {
    if (!texture.exists) continue;
    const std::string_view source = type_of(texture.source);
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
