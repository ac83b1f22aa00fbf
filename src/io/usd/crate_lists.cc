// Fields of a crate that are lists of their own kind: children, selections, offsets, samples.

#include <cmath>
#include <utility>

#include "io/usd/crate.h"
#include "io/usd/crate_work.h"

namespace flexor::io::usd {
namespace {

/// A cursor at the items of a list whose code has the right type, and how many there are.
struct ItemList {
  ByteCursor cursor;
  std::uint64_t count;
};

Result<ItemList> ItemsOf(std::span<const std::byte> bytes, CrateCode code, std::uint8_t type,
                         std::uint64_t bytes_each, std::string_view what) {
  ByteCursor cursor(bytes, code.payload());
  if (code.type() != type || code.is_array() || code.is_inlined()) {
    return CrateError(ErrorCode::kParse, code.payload(), "this is no list of " + std::string(what));
  }
  const auto count = cursor.Take<std::uint64_t>();
  if (!cursor.ok() || count > cursor.remaining() / bytes_each) {
    return CrateError(ErrorCode::kTruncated, code.payload(),
                      "a list of " + std::to_string(count) + " " + std::string(what) +
                          " needs more bytes than the file has behind this");
  }
  return ItemList{cursor, count};
}

}  // namespace

Result<std::vector<std::uint32_t>> Crate::LoadTokenIndices(std::uint64_t code) const {
  FLEXOR_ASSIGN(ItemList list, ItemsOf(bytes_.data, CrateCode(code), kCrateTokenVector,
                                       sizeof(std::uint32_t), "names"));
  std::vector<std::uint32_t> indices(static_cast<std::size_t>(list.count));
  for (std::uint32_t& index : indices) {
    index = list.cursor.Take<std::uint32_t>();
    FLEXOR_TRY(TokenAt(index));
  }
  return indices;
}

Result<std::vector<VariantSelection>> Crate::LoadSelections(std::uint64_t code,
                                                            MemoryBudget& budget) const {
  FLEXOR_ASSIGN(ItemList list, ItemsOf(bytes_.data, CrateCode(code), kCrateSelections,
                                       2 * sizeof(std::uint32_t), "selections"));
  FLEXOR_TRY(budget.Charge(list.count, sizeof(VariantSelection), "variant selections"));
  std::vector<VariantSelection> selections(static_cast<std::size_t>(list.count));
  for (VariantSelection& selection : selections) {
    FLEXOR_ASSIGN(selection.set, StringAt(list.cursor.Take<std::uint32_t>()));
    FLEXOR_ASSIGN(selection.variant, StringAt(list.cursor.Take<std::uint32_t>()));
  }
  return selections;
}

Result<std::vector<LayerOffset>> Crate::LoadLayerOffsets(std::uint64_t code) const {
  FLEXOR_ASSIGN(ItemList list, ItemsOf(bytes_.data, CrateCode(code), kCrateLayerOffsets,
                                       2 * sizeof(double), "offsets"));
  std::vector<LayerOffset> offsets(static_cast<std::size_t>(list.count));
  for (LayerOffset& offset : offsets) {
    offset.offset = list.cursor.Take<double>();
    offset.scale = list.cursor.Take<double>();
  }
  return offsets;
}

Result<std::vector<Relocate>> Crate::LoadRelocates(std::uint64_t code, MemoryBudget& budget) const {
  FLEXOR_ASSIGN(ItemList list, ItemsOf(bytes_.data, CrateCode(code), kCrateRelocates,
                                       2 * sizeof(std::uint32_t), "relocates"));
  FLEXOR_TRY(budget.Charge(list.count, sizeof(Relocate), "relocates"));
  std::vector<Relocate> relocates(static_cast<std::size_t>(list.count));
  for (Relocate& relocate : relocates) {
    FLEXOR_ASSIGN(relocate.source, PathAt(list.cursor.Take<std::uint32_t>()));
    FLEXOR_ASSIGN(relocate.target, PathAt(list.cursor.Take<std::uint32_t>()));
  }
  return relocates;
}

Result<TimeSamples::Times> Crate::LoadTimes(CrateCode code, MemoryBudget& budget) const {
  Work work{budget};
  FLEXOR_ASSIGN(const Value value, LoadValue(code, work));
  if (!value.IsArrayOf<double>()) {
    return CrateError(ErrorCode::kParse, code.payload(), "the times of samples are no doubles");
  }
  const std::span<const double> times = value.Array<double>();
  FLEXOR_TRY(budget.Charge(times.size(), sizeof(double), "times of samples"));
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (!std::isfinite(times[i]) || (i > 0 && !(times[i - 1] < times[i]))) {
      return CrateError(ErrorCode::kInvalidValue, code.payload(),
                        "the times of samples must be finite and ascending, and number " +
                            std::to_string(i) + " is not");
    }
  }
  return std::make_shared<const std::vector<double>>(times.begin(), times.end());
}

Result<std::shared_ptr<const TimeSamples>> Crate::LoadTimeSamples(std::uint64_t code,
                                                                  MemoryBudget& budget) const {
  const CrateCode c(code);
  const std::uint64_t at = c.payload();
  ByteCursor cursor(bytes_.data, at);
  if (c.type() != kCrateTimeSamples || c.is_array() || c.is_inlined()) {
    return CrateError(ErrorCode::kParse, at, "these are no samples");
  }
  cursor.GoTo(at, cursor.Take<std::int64_t>());
  const CrateCode times_code(cursor.Take<std::uint64_t>());
  const std::uint64_t second = cursor.offset();
  cursor.GoTo(second, cursor.Take<std::int64_t>());
  const auto count = cursor.Take<std::uint64_t>();
  if (!cursor.ok() || count > cursor.remaining() / sizeof(std::uint64_t)) {
    return CrateError(ErrorCode::kTruncated, at,
                      std::to_string(count) + " samples need more bytes than the file has");
  }
  auto found = times_.find(times_code.bits());
  if (found == times_.end()) {
    FLEXOR_ASSIGN(auto times, LoadTimes(times_code, budget));
    found = times_.emplace(times_code.bits(), std::move(times)).first;
  }
  if (found->second->size() != count) {
    return CrateError(
        ErrorCode::kShapeMismatch, at,
        std::to_string(count) + " samples at " + std::to_string(found->second->size()) + " times");
  }
  FLEXOR_TRY(budget.Charge(count, sizeof(std::uint64_t), "samples"));
  std::vector<std::uint64_t> codes(static_cast<std::size_t>(count));
  const std::uint64_t* first = nullptr;
  for (std::uint64_t& sample : codes) {
    sample = cursor.Take<std::uint64_t>();
    if (TypeOf(sample) == ValueType::kBlock) continue;
    if (first == nullptr) first = &sample;
    if (CrateCode(sample).type() != CrateCode(*first).type() ||
        IsArray(sample) != IsArray(*first)) {
      return CrateError(ErrorCode::kParse, at, "the samples of one attribute differ in type");
    }
  }
  return std::make_shared<const TimeSamples>(found->second, shared_from_this(), std::move(codes));
}

}  // namespace flexor::io::usd
