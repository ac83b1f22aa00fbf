#include "io/gltf/layout.h"

#include <limits>

namespace flexor::io::gltf {

std::uint32_t ComponentBytes(ComponentType type) {
  switch (type) {
    case ComponentType::kUnknown:
      return 0;
    case ComponentType::kInt8:
    case ComponentType::kUint8:
      return 1;
    case ComponentType::kInt16:
    case ComponentType::kUint16:
      return 2;
    case ComponentType::kUint32:
    case ComponentType::kFloat:
      return 4;
  }
  return 0;
}

ElementShape Shape(ElementType type) {
  switch (type) {
    case ElementType::kUnknown:
      return {0, 0};
    case ElementType::kScalar:
      return {1, 1};
    case ElementType::kVec2:
      return {1, 2};
    case ElementType::kVec3:
      return {1, 3};
    case ElementType::kVec4:
      return {1, 4};
    case ElementType::kMat2:
      return {2, 2};
    case ElementType::kMat3:
      return {3, 3};
    case ElementType::kMat4:
      return {4, 4};
  }
  return {0, 0};
}

std::uint32_t ComponentCount(ElementType type) {
  const ElementShape shape = Shape(type);
  return shape.columns * shape.rows;
}

std::uint32_t ColumnBytes(ComponentType component, ElementType type) {
  const ElementShape shape = Shape(type);
  const std::uint32_t bytes = shape.rows * ComponentBytes(component);
  return shape.columns > 1 ? (bytes + 3) / 4 * 4 : bytes;
}

std::uint32_t PackedStride(ComponentType component, ElementType type) {
  return Shape(type).columns * ColumnBytes(component, type);
}

std::uint32_t ElementExtent(ComponentType component, ElementType type) {
  const ElementShape shape = Shape(type);
  if (shape.columns == 0) return 0;
  return (shape.columns - 1) * ColumnBytes(component, type) +
         shape.rows * ComponentBytes(component);
}

bool SpanFits(std::uint64_t offset, std::uint64_t stride, std::uint64_t count,
              std::uint64_t element, std::uint64_t available) {
  if (offset > available) return false;
  if (count == 0) return true;
  const std::uint64_t room = available - offset;
  if (element > room) return false;
  return stride == 0 || count - 1 <= (room - element) / stride;
}

std::uint64_t SpanBytes(std::uint64_t stride, std::uint64_t count, std::uint64_t element) {
  if (count == 0) return 0;
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  if (stride != 0 && count - 1 > (kMax - element) / stride) return kMax;
  return stride * (count - 1) + element;
}

const char* ComponentName(ComponentType type) {
  switch (type) {
    case ComponentType::kUnknown:
      return "an unknown component type";
    case ComponentType::kInt8:
      return "BYTE";
    case ComponentType::kUint8:
      return "UNSIGNED_BYTE";
    case ComponentType::kInt16:
      return "SHORT";
    case ComponentType::kUint16:
      return "UNSIGNED_SHORT";
    case ComponentType::kUint32:
      return "UNSIGNED_INT";
    case ComponentType::kFloat:
      return "FLOAT";
  }
  return "an unknown component type";
}

const char* ElementName(ElementType type) {
  switch (type) {
    case ElementType::kUnknown:
      return "an unknown type";
    case ElementType::kScalar:
      return "SCALAR";
    case ElementType::kVec2:
      return "VEC2";
    case ElementType::kVec3:
      return "VEC3";
    case ElementType::kVec4:
      return "VEC4";
    case ElementType::kMat2:
      return "MAT2";
    case ElementType::kMat3:
      return "MAT3";
    case ElementType::kMat4:
      return "MAT4";
  }
  return "an unknown type";
}

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

std::pair<std::int64_t, std::int64_t> IntegerLimits(ComponentType type) {
  switch (type) {
    case ComponentType::kInt8:
      return {-128, 127};
    case ComponentType::kUint8:
      return {0, 255};
    case ComponentType::kInt16:
      return {-32768, 32767};
    case ComponentType::kUint16:
      return {0, 65535};
    case ComponentType::kUint32:
      return {0, 4294967295};
    case ComponentType::kFloat:
    case ComponentType::kUnknown:
      break;
  }
  return {0, 0};
}

}  // namespace flexor::io::gltf
