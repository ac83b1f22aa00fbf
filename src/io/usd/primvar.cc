#include "io/usd/primvar.h"

#include <string>
#include <utility>

#include "io/rules.h"
#include "io/usd/attribute.h"
#include "io/usd/numeric.h"

namespace flexor::io::usd {

std::size_t ElementCounts::Of(Spread spread) const {
  switch (spread) {
    case Spread::kConstant:
      return 1;
    case Spread::kUniform:
      return faces;
    case Spread::kVertex:
      return points;
    case Spread::kFaceVarying:
      return corners;
  }
  return 0;
}

std::optional<Spread> SpreadNamed(std::string_view interpolation) {
  if (interpolation == "constant") return Spread::kConstant;
  if (interpolation == "uniform") return Spread::kUniform;
  if (interpolation == "vertex" || interpolation == "varying") return Spread::kVertex;
  if (interpolation == "faceVarying") return Spread::kFaceVarying;
  return {};
}

namespace {

Result<Value> At(const Property& property, std::optional<double> time, MemoryBudget& budget) {
  return time ? ValueAt(property, *time, Between::kLinear, budget) : DefaultValue(property, budget);
}

}  // namespace

Result<Primvar> ReadPrimvar(const Stage& stage, const StagePrim& prim, std::string_view name,
                            std::optional<double> time, Spread fallback, MemoryBudget& budget,
                            Diagnostics& diagnostics) {
  Primvar primvar;
  const Property property = stage.FindProperty(prim, name);
  if (property.empty() || property.is_relationship()) return primvar;
  primvar.path = property.path;
  primvar.spread = fallback;
  if (const Value* word = property.Metadata("interpolation")) {
    if (const auto spread = SpreadNamed(word->text())) {
      primvar.spread = *spread;
    } else {
      Report(diagnostics, "USD_PRIMVAR", property.path.ToString(),
             "the interpolation '" + std::string(word->text()) + "' is unknown; it is left out");
      return primvar;
    }
  }
  if (const Value* size = property.Metadata("elementSize")) {
    const int element_size = size->GetOr(std::int32_t{1});
    if (element_size < 1) {
      Report(diagnostics, "USD_PRIMVAR", property.path.ToString(),
             "its elementSize is " + std::to_string(element_size) + "; it is left out");
      return primvar;
    }
    primvar.element_size = static_cast<std::size_t>(element_size);
  }
  FLEXOR_ASSIGN(primvar.values, At(property, time, budget));
  const Property indices = stage.FindProperty(prim, std::string(name) + ":indices");
  if (!indices.empty()) {
    FLEXOR_ASSIGN(const Value value, At(indices, time, budget));
    if (auto numbers = AsInts(value)) {
      primvar.indices = *std::move(numbers);
      primvar.is_indexed = true;
    }
  }
  return primvar;
}

Result<Primvar> ReadInheritedPrimvar(const Stage& stage, const StagePrim& prim,
                                     std::string_view name, std::optional<double> time,
                                     MemoryBudget& budget, Diagnostics& diagnostics) {
  for (const StagePrim* at = &prim; at->parent >= 0;
       at = &stage[static_cast<std::size_t>(at->parent)]) {
    FLEXOR_ASSIGN(Primvar primvar,
                  ReadPrimvar(stage, *at, name, time, Spread::kConstant, budget, diagnostics));
    if (!primvar.empty() && (at == &prim || primvar.spread == Spread::kConstant)) return primvar;
  }
  return Primvar();
}

std::optional<std::vector<std::uint32_t>> ElementIndices(const Primvar& primvar,
                                                         std::size_t value_count,
                                                         const ElementCounts& counts,
                                                         Diagnostics& diagnostics) {
  const std::size_t elements = counts.Of(primvar.spread);
  const std::size_t groups = value_count / primvar.element_size;
  const auto refuse = [&](std::string why) {
    Report(diagnostics, "USD_PRIMVAR", primvar.path.ToString(),
           std::move(why) + "; it is left out");
    return std::nullopt;
  };
  std::vector<std::uint32_t> indices(elements);
  if (!primvar.is_indexed) {
    if (value_count != elements * primvar.element_size) {
      return refuse("it has " + std::to_string(value_count) + " values where its interpolation " +
                    "asks for " + std::to_string(elements * primvar.element_size));
    }
    for (std::size_t i = 0; i < elements; ++i) indices[i] = static_cast<std::uint32_t>(i);
    return indices;
  }
  if (primvar.indices.size() != elements) {
    return refuse("it has " + std::to_string(primvar.indices.size()) + " indices where its " +
                  "interpolation asks for " + std::to_string(elements));
  }
  for (std::size_t i = 0; i < elements; ++i) {
    const std::int32_t index = primvar.indices[i];
    if (index < 0 || static_cast<std::size_t>(index) >= groups) {
      return refuse("index " + std::to_string(i) + " is " + std::to_string(index) + ", and there " +
                    "are " + std::to_string(groups) + " values");
    }
    indices[i] = static_cast<std::uint32_t>(index);
  }
  return indices;
}

}  // namespace flexor::io::usd
