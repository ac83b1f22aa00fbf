// What the measures share: shape and value checks that name both numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "flexor/core/result.h"
#include "flexor/math/vec.h"

namespace flexor::measure {

inline Error SizesDiffer(const std::string& what_a, std::size_t a, const std::string& what_b,
                         std::size_t b) {
  return Error{ErrorCode::kShapeMismatch,
               what_a + " has " + std::to_string(a) + " vertices but " + what_b + " has " +
                   std::to_string(b) + "; both must come from the same mesh",
               {}};
}

inline Error NotFinite(const std::string& what, std::size_t vertex) {
  return Error{ErrorCode::kInvalidValue,
               what + " of vertex " + std::to_string(vertex) + " is not a finite number",
               {"", "vertex " + std::to_string(vertex), {}}};
}

/// Every index below the count, and every vertex it names finite in both shapes.
template <class T>
Status CheckVertices(std::span<const Vec3<T>> rest, std::span<const Vec3<T>> deformed,
                     std::span<const std::uint32_t> indices) {
  if (rest.size() != deformed.size()) {
    return SizesDiffer("the rest shape", rest.size(), "the deformed shape", deformed.size());
  }
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const std::uint32_t vertex = indices[i];
    if (vertex >= rest.size()) {
      return Error{ErrorCode::kIndexOutOfRange,
                   "index " + std::to_string(vertex) + " at entry " + std::to_string(i) +
                       " names no vertex; there are " + std::to_string(rest.size()),
                   {"", "entry " + std::to_string(i), {}}};
    }
    if (!IsFinite(rest[vertex])) return NotFinite("the rest position", vertex);
    if (!IsFinite(deformed[vertex])) return NotFinite("the deformed position", vertex);
  }
  return {};
}

template <class T>
double DistanceBetween(Vec3<T> a, Vec3<T> b) {
  return Length(Cast<double>(b) - Cast<double>(a));
}

}  // namespace flexor::measure
