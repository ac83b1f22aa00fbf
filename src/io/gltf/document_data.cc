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
Status CheckRange(const ReadContext& context, const json::Ref& place, std::uint32_t buffer,
                  std::uint64_t offset, std::uint64_t length) {
  const std::uint64_t available = context.document.buffers[buffer].byte_length;
  if (SpanFits(offset, 1, length, 1, available)) return {};
  Error error = place.Fault("takes " + std::to_string(length) + " bytes from byte " +
                            std::to_string(offset) + " of buffer " + std::to_string(buffer) +
                            ", which has only " + std::to_string(available));
  error.code = ErrorCode::kShapeMismatch;
  return error;
}

Result<RawBuffer> ReadBuffer(const ReadContext& context, const json::Ref& object) {
  RawBuffer buffer;
  FLEXOR_TRY(object.ExpectObject());
  FLEXOR_ASSIGN(buffer.byte_length, object.RequireUnsigned("byteLength"));
  if (buffer.byte_length == 0) {
    context.Say("VALUE_NOT_IN_RANGE", object.pointer() + "/byteLength",
                "a buffer of 0 bytes; at least 1 is required");
  }
  FLEXOR_ASSIGN(buffer.uri, FindText(object, "uri"));
  for (const std::string_view name : kMeshoptNames) {
    FLEXOR_ASSIGN(const auto extension, context.FindExtension(object, name));
    if (!extension) continue;
    FLEXOR_ASSIGN(const auto fallback, extension->FindBool("fallback"));
    if (fallback) buffer.meshopt_fallback = *fallback;
  }
  return buffer;
}

Result<RawMeshopt> ReadMeshopt(const ReadContext& context, const json::Ref& object,
                               std::string_view name) {
  RawMeshopt meshopt;
  meshopt.extension = std::string(name);
  FLEXOR_ASSIGN(meshopt.buffer,
                context.RequireIndex(object, "buffer", context.count.buffers, "buffers"));
  FLEXOR_ASSIGN(const auto offset, object.FindUnsigned("byteOffset"));
  meshopt.byte_offset = offset.value_or(0);
  FLEXOR_ASSIGN(meshopt.byte_length, object.RequireUnsigned("byteLength"));
  FLEXOR_ASSIGN(const std::uint64_t stride, object.RequireUnsigned("byteStride", 256));
  meshopt.byte_stride = static_cast<std::uint32_t>(stride);
  FLEXOR_ASSIGN(meshopt.count, object.RequireUnsigned("count"));
  FLEXOR_ASSIGN(const std::string mode, object.RequireString("mode"));
  meshopt.mode = ModeNamed(mode);
  FLEXOR_ASSIGN(const auto filter, object.FindString("filter"));
  if (filter) meshopt.filter = FilterNamed(*filter);
  FLEXOR_TRY(CheckRange(context, object, meshopt.buffer, meshopt.byte_offset, meshopt.byte_length));
  return meshopt;
}

Result<RawBufferView> ReadView(const ReadContext& context, const json::Ref& object) {
  RawBufferView view;
  FLEXOR_TRY(object.ExpectObject());
  FLEXOR_ASSIGN(view.buffer,
                context.RequireIndex(object, "buffer", context.count.buffers, "buffers"));
  FLEXOR_ASSIGN(const auto offset, object.FindUnsigned("byteOffset"));
  view.byte_offset = offset.value_or(0);
  FLEXOR_ASSIGN(view.byte_length, object.RequireUnsigned("byteLength"));
  FLEXOR_ASSIGN(const auto stride, object.FindUnsigned("byteStride", 0xffffffffu));
  if (stride) {
    if (*stride == 0) {
      return object.MemberFault("byteStride",
                                "a stride of 0 would give every element the same bytes; leave the "
                                "member out for tightly packed elements");
    }
    if (*stride < 4 || *stride > 252 || *stride % 4 != 0) {
      context.Say("VALUE_NOT_IN_RANGE", object.pointer() + "/byteStride",
                  "the stride is " + std::to_string(*stride) +
                      "; multiples of 4 from 4 to 252 are allowed");
    }
    view.byte_stride = static_cast<std::uint32_t>(*stride);
  }
  for (const std::string_view name : kMeshoptNames) {
    FLEXOR_ASSIGN(const auto extension, context.FindExtension(object, name));
    if (!extension) continue;
    FLEXOR_ASSIGN(view.meshopt, ReadMeshopt(context, *extension, name));
  }
  FLEXOR_TRY(CheckRange(context, object, view.buffer, view.byte_offset, view.byte_length));
  return view;
}

}  // namespace

Status ReadBuffersAndViews(ReadContext& context) {
  RawDocument& document = context.document;
  FLEXOR_ASSIGN(const auto buffers, context.FindFilled(context.root, "buffers"));
  if (buffers) {
    FLEXOR_TRY(context.budget.Charge(buffers->size(), sizeof(RawBuffer), "the list of buffers"));
    document.buffers.reserve(buffers->size());
    for (std::size_t i = 0; i < buffers->size(); ++i) {
      FLEXOR_ASSIGN(RawBuffer buffer, ReadBuffer(context, buffers->At(i)));
      document.buffers.push_back(buffer);
    }
  }
  FLEXOR_ASSIGN(const auto views, context.FindFilled(context.root, "bufferViews"));
  if (views) {
    FLEXOR_TRY(context.budget.Charge(views->size(), sizeof(RawBufferView), "the list of views"));
    document.views.reserve(views->size());
    for (std::size_t i = 0; i < views->size(); ++i) {
      FLEXOR_ASSIGN(RawBufferView view, ReadView(context, views->At(i)));
      document.views.push_back(std::move(view));
    }
  }
  return {};
}

}  // namespace flexor::io::gltf
