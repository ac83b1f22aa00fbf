#include "io/gltf/meshopt.h"

#include <string>
#include <utility>

#ifdef FLEXOR_WITH_MESHOPT
#include <meshoptimizer.h>
#endif

namespace flexor::io::gltf {
namespace {

Error Fault(const RawMeshopt& view, ErrorCode code, const std::string& what) {
  return {code, view.extension + ": " + what, {}};
}

#ifdef FLEXOR_WITH_MESHOPT

/// The high half of the first byte names the codec, the low half its version.
constexpr unsigned kVertexCodec = 0xa0;
constexpr unsigned kTriangleCodec = 0xe0;
constexpr unsigned kSequenceCodec = 0xd0;

struct Codec {
  unsigned header;
  unsigned newest_version;
};

Codec CodecOf(MeshoptMode mode) {
  switch (mode) {
    case MeshoptMode::kTriangles:
      return {kTriangleCodec, 1};
    case MeshoptMode::kIndices:
      return {kSequenceCodec, 1};
    case MeshoptMode::kAttributes:
    case MeshoptMode::kUnknown:
      break;
  }
  return {kVertexCodec, 0};
}

/// What the decoder asserts and the filters take for granted.
Status CheckShape(const RawMeshopt& view) {
  const std::string shape =
      "count " + std::to_string(view.count) + " and stride " + std::to_string(view.byte_stride);
  bool fits = false;
  switch (view.mode) {
    case MeshoptMode::kAttributes:
      fits = view.byte_stride >= 4 && view.byte_stride <= 256 && view.byte_stride % 4 == 0;
      break;
    case MeshoptMode::kTriangles:
      fits = (view.byte_stride == 2 || view.byte_stride == 4) && view.count % 3 == 0;
      break;
    case MeshoptMode::kIndices:
      fits = view.byte_stride == 2 || view.byte_stride == 4;
      break;
    case MeshoptMode::kUnknown:
      return Fault(view, ErrorCode::kUnsupportedFeature, "an unknown mode");
  }
  if (!fits) return Fault(view, ErrorCode::kShapeMismatch, shape + " do not go with the mode");
  switch (view.filter) {
    case MeshoptFilter::kOff:
    case MeshoptFilter::kExponential:
      break;
    case MeshoptFilter::kOctahedral:
      fits = view.byte_stride == 4 || view.byte_stride == 8;
      break;
    case MeshoptFilter::kQuaternion:
      fits = view.byte_stride == 8;
      break;
    case MeshoptFilter::kUnknown:
      return Fault(view, ErrorCode::kUnsupportedFeature, "an unknown filter");
  }
  if (view.filter != MeshoptFilter::kOff && view.mode != MeshoptMode::kAttributes) fits = false;
  if (!fits) return Fault(view, ErrorCode::kShapeMismatch, shape + " do not go with the filter");
  return {};
}

#endif

}  // namespace

#ifdef FLEXOR_WITH_MESHOPT

bool HasMeshopt() { return true; }

Result<std::vector<std::byte>> DecodeMeshopt(const RawMeshopt& view,
                                             std::span<const std::byte> source,
                                             MemoryBudget& budget) {
  FLEXOR_TRY(CheckShape(view));
  const Codec codec = CodecOf(view.mode);
  if (source.empty()) return Fault(view, ErrorCode::kParse, "no compressed data");
  const auto first = static_cast<unsigned>(source[0]);
  if ((first & 0xf0u) != codec.header) {
    return Fault(view, ErrorCode::kParse,
                 "the compressed data starts with byte " + std::to_string(first) +
                     ", which is not of the codec of its mode");
  }
  if ((first & 0x0fu) > codec.newest_version) {
    return Fault(view, ErrorCode::kUnsupportedFeature,
                 "codec version " + std::to_string(first & 0x0fu) +
                     "; the newest that can be read is " + std::to_string(codec.newest_version));
  }
  FLEXOR_TRY(budget.Charge(view.count, view.byte_stride, "a compressed buffer view"));
  const auto count = static_cast<std::size_t>(view.count);
  const std::size_t stride = view.byte_stride;
  std::vector<std::byte> bytes(count * stride);
  const auto* data = reinterpret_cast<const unsigned char*>(source.data());
  int result = 0;
  switch (view.mode) {
    case MeshoptMode::kAttributes:
      result = meshopt_decodeVertexBuffer(bytes.data(), count, stride, data, source.size());
      break;
    case MeshoptMode::kTriangles:
      result = meshopt_decodeIndexBuffer(bytes.data(), count, stride, data, source.size());
      break;
    case MeshoptMode::kIndices:
      result = meshopt_decodeIndexSequence(bytes.data(), count, stride, data, source.size());
      break;
    case MeshoptMode::kUnknown:
      break;
  }
  if (result != 0) {
    return Fault(view, ErrorCode::kParse,
                 std::to_string(source.size()) + " compressed bytes do not hold " +
                     std::to_string(count) + " elements of " + std::to_string(stride) +
                     " bytes (decoder result " + std::to_string(result) + ")");
  }
  switch (view.filter) {
    case MeshoptFilter::kOctahedral:
      meshopt_decodeFilterOct(bytes.data(), count, stride);
      break;
    case MeshoptFilter::kQuaternion:
      meshopt_decodeFilterQuat(bytes.data(), count, stride);
      break;
    case MeshoptFilter::kExponential:
      meshopt_decodeFilterExp(bytes.data(), count, stride);
      break;
    case MeshoptFilter::kOff:
    case MeshoptFilter::kUnknown:
      break;
  }
  return bytes;
}

#else

bool HasMeshopt() { return false; }

Result<std::vector<std::byte>> DecodeMeshopt(const RawMeshopt& view, std::span<const std::byte>,
                                             MemoryBudget&) {
  return Fault(view, ErrorCode::kUnsupportedFeature, "this build has no decoder for it");
}

#endif

}  // namespace flexor::io::gltf
