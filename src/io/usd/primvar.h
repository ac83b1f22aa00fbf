/// @file io/usd/primvar.h
/// Values spread over the surface of a mesh: one for all, or one for each face, point or corner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "flexor/core/diagnostic.h"
#include "flexor/core/memory_budget.h"

#include "io/usd/stage.h"
#include "io/usd/value.h"

namespace flexor::io::usd {

/// What one element of a primvar belongs to. Varying is as vertex for everything that is read here.
enum class Spread : std::uint8_t { kConstant, kUniform, kVertex, kFaceVarying };

/// A primvar as authored.
struct Primvar {
  Value values;                       ///< an array, or a scalar for one constant
  std::vector<std::int32_t> indices;  ///< into `values`, per element
  bool is_indexed = false;
  Spread spread = Spread::kConstant;
  std::size_t element_size = 1;  ///< values of one element
  Path path;                     ///< of the attribute

  bool empty() const { return values.empty(); }
};

/// How many elements each spread has on one mesh.
struct ElementCounts {
  std::size_t faces = 0, points = 0, corners = 0;
  std::size_t Of(Spread spread) const;
};

/// "constant", "uniform", "vertex" or "varying", "faceVarying"; nothing for other words.
std::optional<Spread> SpreadNamed(std::string_view interpolation);

/// The attribute `name` of the prim at a time (the default without one), with its indices.
/// `fallback` is the spread when the file does not say.
Result<Primvar> ReadPrimvar(const Stage& stage, const StagePrim& prim, std::string_view name,
                            std::optional<double> time, Spread fallback, MemoryBudget& budget,
                            Diagnostics& diagnostics);
/// The same for "primvars:…", which the prim has from the nearest ancestor when it has none itself
/// and the ancestor's is constant.
Result<Primvar> ReadInheritedPrimvar(const Stage& stage, const StagePrim& prim,
                                     std::string_view name, std::optional<double> time,
                                     MemoryBudget& budget, Diagnostics& diagnostics);

/// Which value each element takes, checked: all indices name one of `value_count` values. Nothing,
/// with a diagnostic, when the sizes do not fit.
std::optional<std::vector<std::uint32_t>> ElementIndices(const Primvar& primvar,
                                                         std::size_t value_count,
                                                         const ElementCounts& counts,
                                                         Diagnostics& diagnostics);

}  // namespace flexor::io::usd
