#include "io/gltf/write_glb_builder.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>

namespace flexor::io::gltf {
namespace {

constexpr std::uint64_t kAlignment = 4;

constexpr std::uint64_t Aligned(std::uint64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

float Narrow(double value) {
  constexpr double kMax = std::numeric_limits<float>::max();
  return static_cast<float>(std::clamp(value, -kMax, kMax));
}

double Short(float value) {
  char digits[32];
  const char* end = std::to_chars(digits, digits + sizeof(digits), value).ptr;
  double result = static_cast<double>(value);
  std::from_chars(digits, end, result);
  return result;
}

std::uint64_t GlbBuilder::MakeRoom(std::uint64_t bytes) {
  const std::uint64_t start = Aligned(wanted_);
  wanted_ = start + bytes;
  if (wanted_ > limit_) overflow_ = true;
  if (!overflow_) bytes_.resize(static_cast<std::size_t>(start));
  return start;
}

std::uint32_t GlbBuilder::PushView(std::uint64_t start, std::uint64_t bytes, BufferUse use) {
  Json view = {{"buffer", 0}};
  if (start != 0) view["byteOffset"] = start;
  view["byteLength"] = bytes;
  if (use == BufferUse::kVertices) view["target"] = 34962;  // ARRAY_BUFFER
  if (use == BufferUse::kIndices) view["target"] = 34963;   // ELEMENT_ARRAY_BUFFER
  views_.push_back(std::move(view));
  return static_cast<std::uint32_t>(views_.size() - 1);
}

std::uint32_t GlbBuilder::AddView(std::span<const std::byte> bytes) {
  const std::uint64_t start = MakeRoom(bytes.size());
  if (!overflow_) bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  return PushView(start, bytes.size(), BufferUse::kOther);
}

std::uint32_t GlbBuilder::Push(Json accessor) {
  accessors_.push_back(std::move(accessor));
  return static_cast<std::uint32_t>(accessors_.size() - 1);
}

void GlbBuilder::WriteBounds(Json& accessor, std::span<const float> values, std::size_t components,
                             bool with_zero) {
  Json low = Json::array(), high = Json::array();
  for (std::size_t c = 0; c < components; ++c) {
    float smallest = with_zero || values.empty() ? 0 : values[c];
    float largest = smallest;
    for (std::size_t i = c; i < values.size(); i += components) {
      smallest = std::min(smallest, values[i]);
      largest = std::max(largest, values[i]);
    }
    // All digits: bounds are compared with the data, and not every reader rounds to float first.
    low.push_back(static_cast<double>(smallest));
    high.push_back(static_cast<double>(largest));
  }
  accessor["min"] = std::move(low);
  accessor["max"] = std::move(high);
}

std::uint32_t GlbBuilder::AddZeros(std::size_t count, std::string_view type, std::size_t components,
                                   bool bounds) {
  Json accessor = Json::object();
  Describe<float>(accessor, count, type);
  if (bounds) WriteBounds(accessor, {}, components, true);
  return Push(std::move(accessor));
}

std::uint32_t GlbBuilder::AddSparseVec3(std::size_t count, std::span<const std::uint32_t> indices,
                                        std::span<const Vec3f> values, bool bounds) {
  Json accessor = Json::object();
  Describe<float>(accessor, count, "VEC3");
  const std::span<const float> flat = Flat<float>(values);
  if (bounds) WriteBounds(accessor, flat, 3, values.size() < count);
  Json sparse = {{"count", indices.size()}};
  if (indices.back() <= std::numeric_limits<std::uint16_t>::max()) {
    const std::vector<std::uint16_t> narrow(indices.begin(), indices.end());
    sparse["indices"] = {
        {"bufferView", AddView(std::span<const std::uint16_t>(narrow), BufferUse::kOther)},
        {"componentType", ComponentType<std::uint16_t>()}};
  } else {
    sparse["indices"] = {{"bufferView", AddView(indices, BufferUse::kOther)},
                         {"componentType", ComponentType<std::uint32_t>()}};
  }
  sparse["values"] = {{"bufferView", AddView(flat, BufferUse::kOther)}};
  accessor["sparse"] = std::move(sparse);
  return Push(std::move(accessor));
}

std::uint32_t GlbBuilder::AddTimes(const std::vector<float>& times) {
  const auto found = times_.find(times);
  if (found != times_.end()) return found->second;
  const std::uint32_t accessor =
      AddArray(std::span<const float>(times), "SCALAR", 1, BufferUse::kOther, true);
  times_.emplace(times, accessor);
  return accessor;
}

Result<std::vector<std::byte>> GlbBuilder::Finish(Json document) {
  if (!accessors_.empty()) document["accessors"] = std::move(accessors_);
  if (!views_.empty()) {
    document["bufferViews"] = std::move(views_);
    document["buffers"] = Json::array({{{"byteLength", wanted_}}});
  }
  // Broken UTF-8 in a name becomes U+FFFD.
  std::string json = document.dump(-1, ' ', false, Json::error_handler_t::replace);
  json.append(static_cast<std::size_t>(Aligned(json.size()) - json.size()), ' ');

  constexpr std::uint64_t kFileHeader = 12, kChunkHeader = 8;
  const std::uint64_t binary = Aligned(wanted_);
  const std::uint64_t total =
      kFileHeader + kChunkHeader + json.size() + (binary == 0 ? 0 : kChunkHeader + binary);
  if (total > limit_) {
    return Error{ErrorCode::kLimitExceeded,
                 "the file would take " + std::to_string(total) +
                     " bytes, and a GLB can hold at most " + std::to_string(limit_) +
                     "; write fewer meshes or clips",
                 {}};
  }
  std::vector<std::byte> file;
  file.reserve(static_cast<std::size_t>(total));
  const auto put = [&](std::uint64_t value) {
    AppendScalar<std::endian::little>(file, static_cast<std::uint32_t>(value));
  };
  put(0x46546C67);  // "glTF"
  put(2);
  put(total);
  put(json.size());
  put(0x4E4F534A);  // "JSON"
  const auto text = std::as_bytes(std::span(json));
  file.insert(file.end(), text.begin(), text.end());
  if (binary != 0) {
    put(binary);
    put(0x004E4942);  // "BIN"
    file.insert(file.end(), bytes_.begin(), bytes_.end());
    file.resize(static_cast<std::size_t>(total));
  }
  return file;
}

}  // namespace flexor::io::gltf
