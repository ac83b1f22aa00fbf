#include "io/gltf/accessor.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

#include "io/gltf/layout.h"
#include "io/rules.h"

namespace flexor::io::gltf {
namespace {

/// A little-endian number anywhere in memory.
template <class T>
T Load(const std::byte* from) {
  std::byte bytes[sizeof(T)];
  std::memcpy(bytes, from, sizeof(T));
  if constexpr (std::endian::native == std::endian::big) std::reverse(bytes, bytes + sizeof(T));
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

/// Calls visit(T{}) with the C++ type of the components.
template <class Visit>
void WithComponent(ComponentType type, Visit visit) {
  switch (type) {
    case ComponentType::kInt8:
      return visit(std::int8_t{});
    case ComponentType::kUint8:
      return visit(std::uint8_t{});
    case ComponentType::kInt16:
      return visit(std::int16_t{});
    case ComponentType::kUint16:
      return visit(std::uint16_t{});
    case ComponentType::kUint32:
      return visit(std::uint32_t{});
    case ComponentType::kFloat:
      return visit(float{});
    case ComponentType::kUnknown:
      return;
  }
}

/// Integers of up to 16 bits as fractions of their largest value, as the specification defines it.
template <class T>
float Fraction(T value) {
  constexpr auto kLargest = static_cast<float>(std::numeric_limits<T>::max());
  return std::max(static_cast<float>(value) / kLargest, -1.0f);
}

/// How elements of one accessor follow each other.
struct Rows {
  std::uint64_t stride = 0;
  std::uint32_t columns = 0, rows = 0, column_bytes = 0;
};

Rows RowsOf(const RawAccessor& accessor, std::uint32_t view_stride) {
  const ElementShape shape = Shape(accessor.type);
  return {view_stride != 0 ? view_stride : PackedStride(accessor.component, accessor.type),
          shape.columns, shape.rows, ColumnBytes(accessor.component, accessor.type)};
}

/// Reads one element of components T at `from`.
template <class T, class Out, class Convert>
void ReadElement(const std::byte* from, const Rows& rows, Out* out, Convert convert) {
  for (std::uint32_t column = 0; column < rows.columns; ++column) {
    const std::byte* at = from + std::size_t{column} * rows.column_bytes;
    for (std::uint32_t row = 0; row < rows.rows; ++row) {
      *out++ = convert(Load<T>(at + row * sizeof(T)));
    }
  }
}

Formats FormatsOf(const RawAccessor& accessor) {
  const bool fraction = accessor.normalized;
  switch (accessor.component) {
    case ComponentType::kFloat:
      return kFloat32;
    case ComponentType::kInt8:
      return fraction ? kNormalized8 : kPlain8;
    case ComponentType::kUint8:
      return fraction ? kNormalized8 : kPlain8 | kUnsignedIndex;
    case ComponentType::kInt16:
      return fraction ? kNormalized16 : kPlain16;
    case ComponentType::kUint16:
      return fraction ? kNormalized16 : kPlain16 | kUnsignedIndex;
    case ComponentType::kUint32:
      return kUnsignedIndex;
    case ComponentType::kUnknown:
      break;
  }
  return 0;
}

std::string Accessor(std::uint32_t index) { return "accessor " + std::to_string(index); }

}  // namespace

Status AccessorReader::Expect(std::uint32_t accessor, const std::string& pointer,
                              std::initializer_list<ElementType> types, Formats formats) const {
  const RawAccessor& raw = Raw(accessor);
  if (std::find(types.begin(), types.end(), raw.type) == types.end()) {
    std::string wanted;
    for (const ElementType type : types) {
      if (!wanted.empty()) wanted += " or ";
      wanted += ElementName(type);
    }
    return Error{ErrorCode::kInvalidValue,
                 Accessor(accessor) + " is " + ElementName(raw.type) + ", but must be " + wanted,
                 {{}, pointer, std::nullopt}};
  }
  if ((FormatsOf(raw) & formats) == 0) {
    return Error{ErrorCode::kInvalidValue,
                 Accessor(accessor) + " holds " + (raw.normalized ? "normalized " : "") +
                     ComponentName(raw.component) + ", which this use does not allow",
                 {{}, pointer, std::nullopt}};
  }
  return {};
}

Status AccessorReader::CheckFinite(std::uint32_t accessor, const std::string& pointer,
                                   std::span<const float> values) const {
  const auto bad =
      std::find_if(values.begin(), values.end(), [](float v) { return !std::isfinite(v); });
  if (bad == values.end()) return {};
  const auto at = static_cast<std::size_t>(bad - values.begin());
  const std::uint32_t components = ComponentCount(Raw(accessor).type);
  return Error{ErrorCode::kInvalidValue,
               "element " + std::to_string(at / components) + ", component " +
                   std::to_string(at % components) + " of " + Accessor(accessor) + " is " +
                   (std::isnan(*bad) ? "NaN" : "infinite"),
               {{}, pointer, std::nullopt}};
}

Status AccessorReader::SparseIndices(std::uint32_t accessor, std::span<std::uint32_t> out) {
  const RawSparse& sparse = *Raw(accessor).sparse;
  FLEXOR_ASSIGN(const auto bytes, store_.View(sparse.indices_view));
  const std::uint32_t width = ComponentBytes(sparse.indices_type);
  if (!SpanFits(sparse.indices_offset, width, out.size(), width, bytes.size())) {
    return Error{ErrorCode::kInternal, Accessor(accessor) + " was not checked", {}};
  }
  WithComponent(sparse.indices_type, [&](auto type) {
    using T = decltype(type);
    const std::byte* from = bytes.data() + sparse.indices_offset;
    for (std::uint32_t& index : out) {
      index = static_cast<std::uint32_t>(Load<T>(from));
      from += sizeof(T);
    }
  });
  return {};
}

Result<std::vector<std::uint32_t>> AccessorReader::SparseElements(std::uint32_t accessor) {
  const RawAccessor& raw = Raw(accessor);
  const RawSparse& sparse = *raw.sparse;
  const std::string pointer = "/accessors/" + std::to_string(accessor) + "/sparse/indices";
  FLEXOR_TRY(budget_.Charge(sparse.count, sizeof(std::uint32_t), "sparse indices"));
  std::vector<std::uint32_t> elements(static_cast<std::size_t>(sparse.count));
  FLEXOR_TRY(SparseIndices(accessor, elements));
  bool ascending = true;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (elements[i] >= raw.count) {
      return Error{ErrorCode::kIndexOutOfRange,
                   "sparse index " + std::to_string(i) + " names element " +
                       std::to_string(elements[i]) + " of only " + std::to_string(raw.count),
                   {{}, pointer, std::nullopt}};
    }
    ascending = ascending && (i == 0 || elements[i - 1] < elements[i]);
  }
  if (!ascending) {
    Report(diagnostics_, "ACCESSOR_SPARSE_INDICES_NON_INCREASING", pointer,
           "sparse indices must increase; of repeated ones the last was used");
  }
  return elements;
}

template <class Out, class Convert>
Status AccessorReader::Read(std::uint32_t accessor, std::span<Out> out, Convert convert) {
  const RawAccessor& raw = Raw(accessor);
  const std::uint32_t components = ComponentCount(raw.type);
  if (out.size() / components != raw.count || out.size() % components != 0) {
    return Error{ErrorCode::kInternal,
                 Accessor(accessor) + " has " + std::to_string(raw.count) + " elements, but " +
                     std::to_string(out.size()) + " components were asked for",
                 {}};
  }
  if (raw.view == kNone) {
    std::fill(out.begin(), out.end(), Out{});
  } else {
    const auto view = static_cast<std::uint32_t>(raw.view);
    const Rows rows = RowsOf(raw, document_.views[view].byte_stride);
    FLEXOR_ASSIGN(const auto bytes, store_.View(view));
    if (!SpanFits(raw.byte_offset, rows.stride, raw.count, ElementExtent(raw.component, raw.type),
                  bytes.size())) {
      return Error{ErrorCode::kInternal, Accessor(accessor) + " was not checked", {}};
    }
    WithComponent(raw.component, [&](auto type) {
      const std::byte* from = bytes.data() + raw.byte_offset;
      for (std::uint64_t i = 0; i < raw.count; ++i) {
        ReadElement<decltype(type)>(from + i * rows.stride, rows, out.data() + i * components,
                                    convert);
      }
    });
  }
  if (!raw.sparse) return {};
  FLEXOR_ASSIGN(const auto elements, SparseElements(accessor));
  FLEXOR_ASSIGN(const auto values, store_.View(raw.sparse->values_view));
  const Rows packed = RowsOf(raw, 0);
  WithComponent(raw.component, [&](auto type) {
    const std::byte* from = values.data() + raw.sparse->values_offset;
    for (const std::uint32_t element : elements) {
      ReadElement<decltype(type)>(from, packed, out.data() + std::size_t{element} * components,
                                  convert);
      from += packed.stride;
    }
  });
  budget_.Release(elements.size() * sizeof(std::uint32_t));
  return {};
}

namespace {

/// Component to float; T is the component type.
struct ToFloat {
  bool fraction = false;
  template <class T>
  float operator()(T value) const {
    if constexpr (std::is_integral_v<T> && sizeof(T) <= 2) {
      if (fraction) return Fraction(value);
    }
    return static_cast<float>(value);
  }
};

}  // namespace

Status AccessorReader::Floats(std::uint32_t accessor, const std::string& pointer,
                              std::span<float> out, bool integers_are_fractions) {
  const RawAccessor& raw = Raw(accessor);
  FLEXOR_TRY(Read(accessor, out, ToFloat{raw.normalized || integers_are_fractions}));
  if (raw.component != ComponentType::kFloat) return {};
  return CheckFinite(accessor, pointer, out);
}

Status AccessorReader::FloatsAsStored(std::uint32_t accessor, std::span<float> out) {
  return Read(accessor, out, ToFloat{false});
}

Result<std::vector<float>> AccessorReader::Floats(std::uint32_t accessor,
                                                  const std::string& pointer,
                                                  bool integers_are_fractions) {
  const RawAccessor& raw = Raw(accessor);
  const std::uint32_t components = ComponentCount(raw.type);
  auto charged = budget_.Charge(raw.count, components * sizeof(float), Accessor(accessor));
  if (!charged.ok()) return AtPointer(std::move(charged).error(), pointer);
  std::vector<float> values(static_cast<std::size_t>(raw.count) * components);
  FLEXOR_TRY(Floats(accessor, pointer, std::span(values), integers_are_fractions));
  return values;
}

Status AccessorReader::Unsigned(std::uint32_t accessor, const std::string& pointer,
                                std::span<std::uint32_t> out) {
  Status status = Read(accessor, out, [](auto value) { return static_cast<std::uint32_t>(value); });
  if (!status.ok()) return AtPointer(std::move(status).error(), pointer);
  return {};
}

Result<SparseFloats> AccessorReader::Sparse(std::uint32_t accessor, const std::string& pointer) {
  const RawAccessor& raw = Raw(accessor);
  SparseFloats result;
  if (!raw.sparse) return result;
  const std::uint32_t components = ComponentCount(raw.type);
  FLEXOR_TRY(budget_.Charge(raw.sparse->count, components * sizeof(float), "sparse values"));
  FLEXOR_ASSIGN(result.elements, SparseElements(accessor));
  FLEXOR_ASSIGN(const auto bytes, store_.View(raw.sparse->values_view));
  const Rows packed = RowsOf(raw, 0);
  result.values.resize(result.elements.size() * components);
  WithComponent(raw.component, [&](auto type) {
    const std::byte* from = bytes.data() + raw.sparse->values_offset;
    for (std::size_t i = 0; i < result.elements.size(); ++i) {
      ReadElement<decltype(type)>(from, packed, result.values.data() + i * components,
                                  ToFloat{raw.normalized});
      from += packed.stride;
    }
  });
  FLEXOR_TRY(CheckFinite(accessor, pointer, result.values));
  return result;
}

}  // namespace flexor::io::gltf
