// Accessors: types, counts, and that every element lies in its view.

#include <utility>

#include "io/gltf/document_parts.h"
#include "io/gltf/layout.h"

namespace flexor::io::gltf {
namespace {

ComponentType ComponentNumbered(std::uint64_t number) {
  switch (number) {
    case 5120:
    case 5121:
    case 5122:
    case 5123:
    case 5125:
    case 5126:
      return static_cast<ComponentType>(number);
    default:
      return ComponentType::kUnknown;
  }
}

ElementType ElementNamed(std::string_view name) {
  for (const ElementType type :
       {ElementType::kScalar, ElementType::kVec2, ElementType::kVec3, ElementType::kVec4,
        ElementType::kMat2, ElementType::kMat3, ElementType::kMat4}) {
    if (name == ElementName(type)) return type;
  }
  return ElementType::kUnknown;
}

/// `count` elements must lie in the view; a stride of 0 means packed.
Status CheckSpan(const ReadContext& context, const json::Ref& place, std::uint32_t view_index,
                 std::uint64_t offset, std::uint64_t stride, std::uint64_t count,
                 std::uint64_t element) {
  const std::uint64_t available = context.document.views[view_index].byte_length;
  if (SpanFits(offset, stride, count, element, available)) return {};
  Error error = place.Fault(std::to_string(count) + " elements of " + std::to_string(element) +
                            " bytes, " + std::to_string(stride) + " apart, need " +
                            std::to_string(SpanBytes(stride, count, element)) +
                            " bytes from byte " + std::to_string(offset) + " on, but view " +
                            std::to_string(view_index) + " has only " + std::to_string(available));
  error.code = ErrorCode::kShapeMismatch;
  return error;
}

Result<RawSparse> ReadSparse(const ReadContext& context, const json::Ref& object,
                             const RawAccessor& accessor) {
  RawSparse sparse;
  FLEXOR_ASSIGN(sparse.count, object.RequireUnsigned("count"));
  if (sparse.count > accessor.count) {
    return object.MemberFault("count", "replaces " + std::to_string(sparse.count) +
                                           " elements of only " + std::to_string(accessor.count));
  }
  FLEXOR_ASSIGN(const json::Ref indices, object.RequireObject("indices"));
  FLEXOR_ASSIGN(sparse.indices_view,
                context.RequireIndex(indices, "bufferView", context.count.views, "buffer views"));
  FLEXOR_ASSIGN(const auto indices_offset, indices.FindUnsigned("byteOffset"));
  sparse.indices_offset = indices_offset.value_or(0);
  FLEXOR_ASSIGN(const std::uint64_t type, indices.RequireUnsigned("componentType"));
  sparse.indices_type = ComponentNumbered(type);
  if (sparse.indices_type != ComponentType::kUint8 &&
      sparse.indices_type != ComponentType::kUint16 &&
      sparse.indices_type != ComponentType::kUint32) {
    return indices.MemberFault("componentType",
                               "must be 5121, 5123 or 5125, but is " + std::to_string(type));
  }
  FLEXOR_ASSIGN(const json::Ref values, object.RequireObject("values"));
  FLEXOR_ASSIGN(sparse.values_view,
                context.RequireIndex(values, "bufferView", context.count.views, "buffer views"));
  FLEXOR_ASSIGN(const auto values_offset, values.FindUnsigned("byteOffset"));
  sparse.values_offset = values_offset.value_or(0);

  for (const auto& [part, view] :
       {std::pair(&indices, sparse.indices_view), std::pair(&values, sparse.values_view)}) {
    if (context.document.views[view].byte_stride != 0) {
      context.Say("BUFFER_VIEW_INVALID_BYTE_STRIDE", part->pointer() + "/bufferView",
                  "the view of a sparse accessor must have no stride; it was read as packed");
    }
  }
  // Sparse indices and values are always packed, whatever stride the view or the accessor has.
  const std::uint32_t index_bytes = ComponentBytes(sparse.indices_type);
  FLEXOR_TRY(CheckSpan(context, indices, sparse.indices_view, sparse.indices_offset, index_bytes,
                       sparse.count, index_bytes));
  FLEXOR_TRY(CheckSpan(context, values, sparse.values_view, sparse.values_offset,
                       PackedStride(accessor.component, accessor.type), sparse.count,
                       ElementExtent(accessor.component, accessor.type)));
  return sparse;
}

Result<RawAccessor> ReadAccessor(const ReadContext& context, const json::Ref& object) {
  RawAccessor accessor;
  FLEXOR_TRY(object.ExpectObject());
  FLEXOR_ASSIGN(const std::uint64_t component, object.RequireUnsigned("componentType"));
  accessor.component = ComponentNumbered(component);
  FLEXOR_ASSIGN(accessor.count, object.RequireUnsigned("count"));
  FLEXOR_ASSIGN(const std::string type, object.RequireString("type"));
  accessor.type = ElementNamed(type);
  // A type from the future is an error only where the accessor is used.
  if (accessor.component == ComponentType::kUnknown) {
    context.Say("VALUE_NOT_IN_LIST", object.pointer() + "/componentType",
                "unknown component type " + std::to_string(component));
  }
  if (accessor.type == ElementType::kUnknown) {
    context.Say("VALUE_NOT_IN_LIST", object.pointer() + "/type",
                "unknown element type " + json::Describe(object.Member("type")->value()));
  }
  if (accessor.count == 0) {
    context.Say("VALUE_NOT_IN_RANGE", object.pointer() + "/count",
                "an accessor of 0 elements; at least 1 is required");
  }
  FLEXOR_ASSIGN(const auto normalized, object.FindBool("normalized"));
  accessor.normalized = normalized.value_or(false);
  if (accessor.normalized && (accessor.component == ComponentType::kFloat ||
                              accessor.component == ComponentType::kUint32)) {
    context.Say("ACCESSOR_NORMALIZED_INVALID", object.pointer() + "/normalized",
                std::string(ComponentName(accessor.component)) +
                    " cannot be normalized; the values are used as they are");
    accessor.normalized = false;
  }
  accessor.has_bounds = object.Has("min") && object.Has("max");
  FLEXOR_ASSIGN(accessor.view,
                context.FindIndex(object, "bufferView", context.count.views, "buffer views"));
  FLEXOR_ASSIGN(const auto offset, object.FindUnsigned("byteOffset"));
  if (offset && accessor.view == kNone) {
    context.Say("UNSATISFIED_DEPENDENCY", object.pointer() + "/byteOffset",
                "an offset without a buffer view; ignored");
  } else {
    accessor.byte_offset = offset.value_or(0);
  }
  const bool known =
      accessor.component != ComponentType::kUnknown && accessor.type != ElementType::kUnknown;
  if (known && accessor.view != kNone) {
    const auto view = static_cast<std::uint32_t>(accessor.view);
    const std::uint32_t packed = PackedStride(accessor.component, accessor.type);
    const std::uint32_t extent = ElementExtent(accessor.component, accessor.type);
    const std::uint32_t given = context.document.views[view].byte_stride;
    if (given != 0 && given < extent) {
      return object.MemberFault("bufferView", "view " + std::to_string(view) + " has a stride of " +
                                                  std::to_string(given) + ", less than the " +
                                                  std::to_string(extent) + " bytes of one element");
    }
    FLEXOR_TRY(CheckSpan(context, object, view, accessor.byte_offset, given != 0 ? given : packed,
                         accessor.count, extent));
  }
  FLEXOR_ASSIGN(const auto sparse, object.FindObject("sparse"));
  if (sparse && known) {
    FLEXOR_ASSIGN(accessor.sparse, ReadSparse(context, *sparse, accessor));
  }
  return accessor;
}

}  // namespace

Status ReadAccessors(ReadContext& context) {
  FLEXOR_ASSIGN(const auto list, context.FindFilled(context.root, "accessors"));
  if (!list) return {};
  FLEXOR_TRY(context.budget.Charge(list->size(), sizeof(RawAccessor), "the list of accessors"));
  context.document.accessors.reserve(list->size());
  for (std::size_t i = 0; i < list->size(); ++i) {
    FLEXOR_ASSIGN(const RawAccessor accessor, ReadAccessor(context, list->At(i)));
    context.document.accessors.push_back(accessor);
  }
  return {};
}

}  // namespace flexor::io::gltf
