/// @file io/gltf/write_glb_builder.h
/// The two halves of a GLB as they grow: the JSON document, and the binary chunk that its accessors
/// point into.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "flexor/core/result.h"
#include "flexor/math/vec.h"

#include "io/encode.h"

namespace flexor::io::gltf {

/// Keeps the order in which members are added, so that equal input gives equal bytes.
using Json = nlohmann::ordered_json;

/// What a buffer view is for; decides its `target`.
enum class BufferUse : std::uint8_t { kOther, kVertices, kIndices };

/// A double as the nearest float, never infinite.
float Narrow(double value);
/// A float as the double with the fewest digits that reads back as it: 0.1, not 0.10000000149….
double Short(float value);

/// Collects accessors and their data. Every buffer view starts on a multiple of 4 bytes; nothing
/// empty is written, so counts must be positive.
class GlbBuilder {
 public:
  static constexpr std::uint64_t kMaxBytes = std::numeric_limits<std::uint32_t>::max();

  /// `limit` is the largest file to make; tests lower it.
  explicit GlbBuilder(std::uint64_t limit = kMaxBytes) : limit_(limit) {}

  /// An array as it is; returns the buffer view.
  template <Scalar T>
  std::uint32_t AddView(std::span<const T> values, BufferUse use) {
    const std::uint64_t start = MakeRoom(values.size_bytes());
    if (!overflow_) AppendScalars<std::endian::little>(bytes_, values);
    return PushView(start, values.size_bytes(), use);
  }
  std::uint32_t AddView(std::span<const std::byte> bytes);

  /// An accessor over all of an array. `type` is glTF's ("SCALAR", "VEC3", …), `components` its
  /// length. With bounds, min and max are written.
  template <Scalar T>
  std::uint32_t AddArray(std::span<const T> values, std::string_view type, std::size_t components,
                         BufferUse use, bool bounds = false) {
    Json accessor = {{"bufferView", AddView(values, use)}};
    Describe<T>(accessor, values.size() / components, type);
    if constexpr (std::is_same_v<T, float>) {
      if (bounds) WriteBounds(accessor, values, components, false);
    }
    return Push(std::move(accessor));
  }
  std::uint32_t AddVec3(std::span<const Vec3f> values, BufferUse use, bool bounds = false) {
    return AddArray(Flat<float>(values), "VEC3", 3, use, bounds);
  }

  /// An accessor over a run of indices in a view that holds more.
  template <Scalar T>
  std::uint32_t AddIndexRun(std::uint32_t view, std::size_t first, std::size_t count) {
    Json accessor = {{"bufferView", view}};
    if (first != 0) accessor["byteOffset"] = first * sizeof(T);
    Describe<T>(accessor, count, "SCALAR");
    return Push(std::move(accessor));
  }

  /// `count` float vectors of zeros, which take no room.
  std::uint32_t AddZeros(std::size_t count, std::string_view type, std::size_t components,
                         bool bounds = false);
  /// `count` vectors, zero but for those listed (at least one; ascending).
  std::uint32_t AddSparseVec3(std::size_t count, std::span<const std::uint32_t> indices,
                              std::span<const Vec3f> values, bool bounds);
  /// Key times: equal arrays share one accessor.
  std::uint32_t AddTimes(const std::vector<float>& times);

  /// The file: `document` with accessors, buffer views and the buffer added.
  /// Errors  kLimitExceeded with both sizes
  Result<std::vector<std::byte>> Finish(Json document);

 private:
  // Pads to 4 bytes, counts, and says where the next bytes start.
  std::uint64_t MakeRoom(std::uint64_t bytes);
  std::uint32_t PushView(std::uint64_t start, std::uint64_t bytes, BufferUse use);
  template <Scalar T>
  static constexpr std::uint32_t ComponentType() {
    if constexpr (std::is_same_v<T, float>) return 5126;
    if constexpr (std::is_same_v<T, std::uint8_t>) return 5121;
    if constexpr (std::is_same_v<T, std::uint16_t>) return 5123;
    if constexpr (std::is_same_v<T, std::uint32_t>) return 5125;
  }
  template <Scalar T>
  static void Describe(Json& accessor, std::size_t count, std::string_view type) {
    accessor["componentType"] = ComponentType<T>();
    accessor["count"] = count;
    accessor["type"] = type;
  }
  // `with_zero`: elements that are not among `values` are zero.
  static void WriteBounds(Json& accessor, std::span<const float> values, std::size_t components,
                          bool with_zero);
  std::uint32_t Push(Json accessor);

  std::uint64_t limit_;
  std::vector<std::byte> bytes_;
  std::uint64_t wanted_ = 0;  // bytes in all, also those that no longer fit
  bool overflow_ = false;
  Json accessors_ = Json::array();
  Json views_ = Json::array();
  std::map<std::vector<float>, std::uint32_t> times_;
};

}  // namespace flexor::io::gltf
