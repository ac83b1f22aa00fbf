/// @file io/gltf/layout.h
/// Where the elements of an accessor lie in a row of bytes: sizes, padding, and the one span check.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "io/gltf/raw.h"

namespace flexor::io::gltf {

/// Bytes of one component; 0 for kUnknown.
std::uint32_t ComponentBytes(ComponentType type);

/// Components of one element (16 for MAT4); 0 for kUnknown.
std::uint32_t ComponentCount(ElementType type);

/// Columns and rows: 1 x n for scalars and vectors.
struct ElementShape {
  std::uint32_t columns = 0;
  std::uint32_t rows = 0;
};
ElementShape Shape(ElementType type);

/// Bytes from the start of one matrix column to the next: columns start on multiples of 4, so those
/// of 8-bit and 16-bit matrices are padded.
std::uint32_t ColumnBytes(ComponentType component, ElementType type);

/// Bytes from one element to the next when they are tightly packed: the padding of every column
/// included.
std::uint32_t PackedStride(ComponentType component, ElementType type);

/// Bytes of one element up to its last component; the padding of the last column need not be there.
std::uint32_t ElementExtent(ComponentType component, ElementType type);

/// THE span check: whether `count` elements of `element` bytes, `stride` bytes apart, starting at
/// `offset`, lie within `available` bytes. Never overflows. No elements fit anywhere at or before
/// the end.
bool SpanFits(std::uint64_t offset, std::uint64_t stride, std::uint64_t count,
              std::uint64_t element, std::uint64_t available);

/// The bytes from `offset` on that such a span needs, saturated, for messages.
std::uint64_t SpanBytes(std::uint64_t stride, std::uint64_t count, std::uint64_t element);

const char* ComponentName(ComponentType type);
const char* ElementName(ElementType type);
/// The types that the format's numbers and names stand for, or kUnknown.
ComponentType ComponentNumbered(std::uint64_t number);
ElementType ElementNamed(std::string_view name);

/// The least and greatest integer of a component type; {0, 0} for floats.
std::pair<std::int64_t, std::int64_t> IntegerLimits(ComponentType type);

}  // namespace flexor::io::gltf
