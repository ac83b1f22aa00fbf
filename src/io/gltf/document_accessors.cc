// Accessors: types, counts, and that every element lies in its view.

#include <utility>

#include "io/gltf/document_parts.h"
#include "io/gltf/layout.h"

namespace flexor::io::gltf {
namespace {

/// `count` elements must lie in the view; a stride of 0 means packed.
void CheckSpan(ReadContext& context, const json::Ref& place, std::uint32_t view_index,
               std::uint64_t offset, std::uint64_t stride, std::uint64_t count,
               std::uint64_t element) {
  if (context.judged() || context.stopped()) return;
  const std::uint64_t available = context.document.views[view_index].byte_length;
  if (SpanFits(offset, stride, count, element, available)) return;
  Error error = place.Fault(std::to_string(count) + " elements of " + std::to_string(element) +
                            " bytes, " + std::to_string(stride) + " apart, need " +
                            std::to_string(SpanBytes(stride, count, element)) +
                            " bytes from byte " + std::to_string(offset) + " on, but view " +
                            std::to_string(view_index) + " has only " + std::to_string(available));
  error.code = ErrorCode::kShapeMismatch;
  context.Fail(std::move(error));
}

/// The view of one part of a sparse accessor, where it begins, and its place.
struct SparsePart {
  json::Ref object;
  std::uint32_t view;
  std::uint64_t offset;
};

std::optional<SparsePart> ReadSparsePart(ReadContext& context, const json::Ref& sparse,
                                         std::string_view key) {
  const auto object = context.RequireObject(sparse, key);
  if (!object) return std::nullopt;
  return SparsePart{
      *object, context.RequireIndex(*object, "bufferView", context.count.views, "buffer views"),
      context.Unsigned(*object, "byteOffset", 0)};
}

void CheckSparse(ReadContext& context, const SparsePart& indices, const SparsePart& values,
                 const RawAccessor& accessor, const RawSparse& sparse) {
  if (context.judged() || context.stopped()) return;
  for (const SparsePart* part : {&indices, &values}) {
    if (context.document.views[part->view].byte_stride == 0) continue;
    context.Say("BUFFER_VIEW_INVALID_BYTE_STRIDE", part->object.pointer() + "/bufferView",
                "the view of a sparse accessor must have no stride; it was read as packed");
  }
  // Sparse indices and values are always packed, whatever stride the view or the accessor has.
  const std::uint32_t index_bytes = ComponentBytes(sparse.indices_type);
  CheckSpan(context, indices.object, indices.view, indices.offset, index_bytes, sparse.count,
            index_bytes);
  CheckSpan(context, values.object, values.view, values.offset,
            PackedStride(accessor.component, accessor.type), sparse.count,
            ElementExtent(accessor.component, accessor.type));
}

std::optional<RawSparse> ReadSparse(ReadContext& context, const json::Ref& object,
                                    const RawAccessor& accessor) {
  RawSparse sparse;
  sparse.count = context.RequireUnsigned(object, "count");
  if (sparse.count == kNoNumber) return std::nullopt;
  if (sparse.count > accessor.count && !context.judged()) {
    context.Fail(object.MemberFault("count", "replaces " + std::to_string(sparse.count) +
                                                 " elements of only " +
                                                 std::to_string(accessor.count)));
  }
  const auto indices = ReadSparsePart(context, object, "indices");
  if (indices) {
    const std::uint64_t type = context.RequireUnsigned(indices->object, "componentType");
    sparse.indices_type = ComponentNumbered(type);
    if (sparse.indices_type != ComponentType::kUint8 &&
        sparse.indices_type != ComponentType::kUint16 &&
        sparse.indices_type != ComponentType::kUint32 && !context.judged()) {
      context.Fail(indices->object.MemberFault(
          "componentType", "must be 5121, 5123 or 5125, but is " + std::to_string(type)));
    }
  }
  const auto values = ReadSparsePart(context, object, "values");
  if (!indices || !values) return std::nullopt;
  sparse.indices_view = indices->view;
  sparse.indices_offset = indices->offset;
  sparse.values_view = values->view;
  sparse.values_offset = values->offset;
  CheckSparse(context, *indices, *values, accessor, sparse);
  return sparse;
}

/// That a span with the view's stride, or packed, lies in the view.
void CheckPlace(ReadContext& context, const json::Ref& object, const RawAccessor& accessor) {
  if (context.judged() || context.stopped() || accessor.view == kNone) return;
  const auto view = static_cast<std::uint32_t>(accessor.view);
  const std::uint32_t extent = ElementExtent(accessor.component, accessor.type);
  const std::uint32_t given = context.document.views[view].byte_stride;
  if (given != 0 && given < extent) {
    return context.Fail(object.MemberFault(
        "bufferView", "view " + std::to_string(view) + " has a stride of " + std::to_string(given) +
                          ", less than the " + std::to_string(extent) + " bytes of one element"));
  }
  CheckSpan(context, object, view, accessor.byte_offset,
            given != 0 ? given : PackedStride(accessor.component, accessor.type), accessor.count,
            extent);
}

/// What is wrong with the numbers of an accessor but can be lived with.
void SayFaults(const ReadContext& context, const json::Ref& object, std::uint64_t component,
               RawAccessor& accessor) {
  if (context.judged() || context.stopped()) return;
  // A type from the future is an error only where the accessor is used.
  if (accessor.component == ComponentType::kUnknown) {
    context.Say("VALUE_NOT_IN_LIST", object.pointer() + "/componentType",
                "unknown component type " + std::to_string(component));
  }
  if (accessor.type == ElementType::kUnknown) {
    context.Say("VALUE_NOT_IN_LIST", object.pointer() + "/type",
                "unknown element type " + json::Describe(object.value()["type"]));
  }
  if (accessor.count == 0) {
    context.Say("VALUE_NOT_IN_RANGE", object.pointer() + "/count",
                "an accessor of 0 elements; at least 1 is required");
  }
  if (accessor.normalized && (accessor.component == ComponentType::kFloat ||
                              accessor.component == ComponentType::kUint32)) {
    context.Say("ACCESSOR_NORMALIZED_INVALID", object.pointer() + "/normalized",
                std::string(ComponentName(accessor.component)) +
                    " cannot be normalized; the values are used as they are");
    accessor.normalized = false;
  }
  if (accessor.view == kNone && object.Has("byteOffset")) {
    context.Say("UNSATISFIED_DEPENDENCY", object.pointer() + "/byteOffset",
                "an offset without a buffer view; ignored");
  }
}

void ReadAccessor(ReadContext& context, const json::Ref& object, RawAccessor& accessor) {
  const std::uint64_t component = context.RequireUnsigned(object, "componentType");
  accessor.component = ComponentNumbered(component);
  accessor.count = context.RequireUnsigned(object, "count");
  const auto type = context.RequireText(object, "type");
  accessor.has_type = type.has_value();
  accessor.type = ElementNamed(type.value_or(""));
  accessor.normalized = context.Bool(object, "normalized", false);
  accessor.view = context.FindIndex(object, "bufferView", context.count.views, "buffer views");
  const std::uint64_t offset = context.Unsigned(object, "byteOffset", 0);
  if (accessor.view != kNone) accessor.byte_offset = offset;
  SayFaults(context, object, component, accessor);
  const bool known =
      accessor.component != ComponentType::kUnknown && accessor.type != ElementType::kUnknown;
  // Bounds of an unknown type cannot be judged.
  accessor.has_bounds = (known || !context.judged()) && context.Find(object, "min") != nullptr &&
                        context.Find(object, "max") != nullptr;
  if (known) CheckPlace(context, object, accessor);
  if (context.stopped()) return;
  const auto sparse = context.Object(object, "sparse");
  if (sparse && (known || context.judged())) {
    accessor.sparse = ReadSparse(context, *sparse, accessor);
  }
}

}  // namespace

void ReadAccessors(ReadContext& context) {
  context.Collection("accessors", context.document.accessors, ReadAccessor);
}

}  // namespace flexor::io::gltf
