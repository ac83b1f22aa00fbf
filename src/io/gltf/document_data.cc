// Buffers and buffer views.

#include <utility>

#include "io/gltf/document_parts.h"
#include "io/gltf/layout.h"

namespace flexor::io::gltf {
namespace {

constexpr std::string_view kMeshoptNames[] = {"EXT_meshopt_compression", "KHR_meshopt_compression"};

MeshoptMode ModeNamed(std::string_view name) {
  if (name == "ATTRIBUTES") return MeshoptMode::kAttributes;
  if (name == "TRIANGLES") return MeshoptMode::kTriangles;
  if (name == "INDICES") return MeshoptMode::kIndices;
  return MeshoptMode::kUnknown;
}

MeshoptFilter FilterNamed(std::string_view name) {
  if (name == "NONE") return MeshoptFilter::kOff;
  if (name == "OCTAHEDRAL") return MeshoptFilter::kOctahedral;
  if (name == "QUATERNION") return MeshoptFilter::kQuaternion;
  if (name == "EXPONENTIAL") return MeshoptFilter::kExponential;
  return MeshoptFilter::kUnknown;
}

/// [offset, offset + length) must lie in the buffer, by the length that it declares.
void CheckRange(ReadContext& context, const json::Ref& place, std::uint32_t buffer,
                std::uint64_t offset, std::uint64_t length) {
  if (context.judged() || context.stopped()) return;
  const std::uint64_t available = context.document.buffers[buffer].byte_length;
  if (SpanFits(offset, 1, length, 1, available)) return;
  Error error = place.Fault("takes " + std::to_string(length) + " bytes from byte " +
                            std::to_string(offset) + " of buffer " + std::to_string(buffer) +
                            ", which has only " + std::to_string(available));
  error.code = ErrorCode::kShapeMismatch;
  context.Fail(std::move(error));
}

void ReadBuffer(ReadContext& context, const json::Ref& object, RawBuffer& buffer) {
  buffer.byte_length = context.RequireUnsigned(object, "byteLength");
  if (buffer.byte_length == 0) {
    context.Say("VALUE_NOT_IN_RANGE", object.pointer() + "/byteLength",
                "a buffer of 0 bytes; at least 1 is required");
  }
  buffer.has_uri = object.Has("uri");
  buffer.uri = context.Text(object, "uri");
  for (const std::string_view name : kMeshoptNames) {
    if (const auto extension = context.Extension(object, name)) {
      buffer.meshopt_fallback = context.Bool(*extension, "fallback", buffer.meshopt_fallback);
    }
  }
}

RawMeshopt ReadMeshopt(ReadContext& context, const json::Ref& object, std::string_view name) {
  RawMeshopt meshopt;
  meshopt.extension = name;
  meshopt.buffer = context.RequireIndex(object, "buffer", context.count.buffers, "buffers");
  meshopt.byte_offset = context.Unsigned(object, "byteOffset", 0);
  meshopt.byte_length = context.RequireUnsigned(object, "byteLength");
  meshopt.byte_stride =
      static_cast<std::uint32_t>(context.RequireUnsigned(object, "byteStride", 256));
  meshopt.count = context.RequireUnsigned(object, "count");
  meshopt.mode = ModeNamed(context.RequireText(object, "mode").value_or(""));
  if (const auto filter = context.Text(object, "filter")) meshopt.filter = FilterNamed(*filter);
  CheckRange(context, object, meshopt.buffer, meshopt.byte_offset, meshopt.byte_length);
  return meshopt;
}

void ReadView(ReadContext& context, const json::Ref& object, RawBufferView& view) {
  view.buffer = context.RequireIndex(object, "buffer", context.count.buffers, "buffers");
  view.byte_offset = context.Unsigned(object, "byteOffset", 0);
  view.byte_length = context.RequireUnsigned(object, "byteLength");
  const std::uint64_t stride = context.Unsigned(object, "byteStride", kNoNumber, 0xffffffffu);
  if (stride == 0) {
    return context.Fail(object.MemberFault("byteStride",
                                           "a stride of 0 would give every element the same bytes; "
                                           "leave the member out for tightly packed elements"));
  }
  if (stride != kNoNumber) {
    if (stride < 4 || stride > 252 || stride % 4 != 0) {
      context.Say(
          "VALUE_NOT_IN_RANGE", object.pointer() + "/byteStride",
          "the stride is " + std::to_string(stride) + "; multiples of 4 from 4 to 252 are allowed");
    }
    view.byte_stride = static_cast<std::uint32_t>(stride);
  }
  for (const std::string_view name : kMeshoptNames) {
    if (const auto extension = context.Extension(object, name)) {
      view.meshopt = ReadMeshopt(context, *extension, name);
    }
  }
  CheckRange(context, object, view.buffer, view.byte_offset, view.byte_length);
}

}  // namespace

void ReadBuffersAndViews(ReadContext& context) {
  context.Collection("buffers", context.document.buffers, ReadBuffer);
  context.Collection("bufferViews", context.document.views, ReadView);
}

}  // namespace flexor::io::gltf
