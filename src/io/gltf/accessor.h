/// @file io/gltf/accessor.h
/// Accessors into arrays of numbers: stride, padding, normalisation and sparse values in one place.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "flexor/core/diagnostic.h"
#include "flexor/core/memory_budget.h"
#include "flexor/core/result.h"

#include "io/gltf/buffers.h"
#include "io/gltf/raw.h"

namespace flexor::io::gltf {

/// Number formats, as sets of bits.
using Formats = std::uint32_t;
inline constexpr Formats kFloat32 = 1u << 0;
inline constexpr Formats kPlain8 = 1u << 1;       // BYTE and UNSIGNED_BYTE as they are
inline constexpr Formats kPlain16 = 1u << 2;      // SHORT and UNSIGNED_SHORT as they are
inline constexpr Formats kNormalized8 = 1u << 3;  // the same, as fractions
inline constexpr Formats kNormalized16 = 1u << 4;
inline constexpr Formats kUnsignedIndex = 1u << 5;  // unsigned of 8, 16 or 32 bits as they are
inline constexpr Formats kNormalized = kNormalized8 | kNormalized16;
inline constexpr Formats kAnyNumber = kFloat32 | kPlain8 | kPlain16 | kNormalized;

/// Entries of an accessor that are not zero because of its sparse part, when it has no base view.
struct SparseFloats {
  std::vector<std::uint32_t> elements;  ///< ascending order is not promised
  std::vector<float> values;            ///< components of each
};

/// Reads accessors of one document. What they use of the bytes was checked by ReadDocument with the
/// same span check; the bytes themselves are as long as declared (BufferStore).
class AccessorReader {
 public:
  AccessorReader(const RawDocument& document, BufferStore& store, MemoryBudget& budget,
                 Diagnostics& diagnostics)
      : document_(document), store_(store), budget_(budget), diagnostics_(diagnostics) {}

  const RawAccessor& Raw(std::uint32_t accessor) const { return document_.accessors[accessor]; }

  /// That an accessor has one of the element types and one of the formats that `pointer`, the place
  /// of its use, allows. Errors  kInvalidValue naming what it is and what it may be
  Status Expect(std::uint32_t accessor, const std::string& pointer,
                std::initializer_list<ElementType> types, Formats formats) const;

  /// All components as floats, normalised integers as fractions, matrices column by column without
  /// padding. `integers_are_fractions` normalises integers whatever the accessor says.
  /// Shapes  out (count * components), not charged here
  /// Errors  kInvalidValue (NaN or infinite, element named; sparse index order) · kIndexOutOfRange
  Status Floats(std::uint32_t accessor, const std::string& pointer, std::span<float> out,
                bool integers_are_fractions = false);

  /// The same as stored: integers are no fractions, NaN and infinities come through.
  Status FloatsAsStored(std::uint32_t accessor, std::span<float> out);

  /// The same into a new array, charged to the budget.
  Result<std::vector<float>> Floats(std::uint32_t accessor, const std::string& pointer,
                                    bool integers_are_fractions = false);

  /// All components as unsigned integers; only for unsigned component types.
  /// Shapes  out (count * components), not charged here
  Status Unsigned(std::uint32_t accessor, const std::string& pointer, std::span<std::uint32_t> out);

  /// The sparse indices, as stored. Shapes  out (sparse count), not charged here
  Status SparseIndices(std::uint32_t accessor, std::span<std::uint32_t> out);

  /// The sparse part alone, for accessors without a base view. Charged.
  Result<SparseFloats> Sparse(std::uint32_t accessor, const std::string& pointer);

 private:
  Status CheckFinite(std::uint32_t accessor, const std::string& pointer,
                     std::span<const float> values) const;
  Result<std::vector<std::uint32_t>> SparseElements(std::uint32_t accessor);
  template <class Out, class Convert>
  Status Read(std::uint32_t accessor, std::span<Out> out, Convert convert);

  const RawDocument& document_;
  BufferStore& store_;
  MemoryBudget& budget_;
  Diagnostics& diagnostics_;
};

}  // namespace flexor::io::gltf
