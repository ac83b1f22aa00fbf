/// @file io/usd/lazy_value.h
/// Values that stay undecoded in the bytes of their file until somebody asks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "flexor/core/memory_budget.h"
#include "flexor/core/result.h"

#include "io/usd/value.h"

namespace flexor::io::usd {

/// Bytes that values can be decoded from; a code says which.
class ValueSource {
 public:
  virtual ~ValueSource() = default;
  /// Decodes; what the value holds is charged to the budget and stays so.
  /// Errors  kParse, kTruncated, kIndexOutOfRange with the byte offset · kLimitExceeded ·
  /// kUnsupportedFeature for kinds that are not read
  virtual Result<Value> Load(std::uint64_t code, MemoryBudget& budget) const = 0;
  /// What Load would give, from the code alone.
  virtual ValueType TypeOf(std::uint64_t code) const = 0;
  virtual bool IsArray(std::uint64_t code) const = 0;
};

/// A value, or where to find it.
class LazyValue {
 public:
  LazyValue() = default;
  // NOLINTNEXTLINE(google-explicit-constructor)
  LazyValue(Value value) : value_(std::move(value)) {}
  LazyValue(std::shared_ptr<const ValueSource> source, std::uint64_t code)
      : source_(std::move(source)), code_(code) {}

  bool empty() const { return !source_ && value_.empty(); }
  bool IsBlock() const { return type() == ValueType::kBlock; }
  ValueType type() const { return source_ ? source_->TypeOf(code_) : value_.type(); }
  bool is_array() const { return source_ ? source_->IsArray(code_) : value_.is_array(); }

  /// As ValueSource::Load. Each call decodes anew: keep the value if it is wanted again.
  Result<Value> Load(MemoryBudget& budget) const {
    if (source_) return source_->Load(code_, budget);
    return value_;
  }

 private:
  Value value_;
  std::shared_ptr<const ValueSource> source_;
  std::uint64_t code_ = 0;
};

/// Values over time: finite times in ascending order, a value (maybe a block) for each.
class TimeSamples {
 public:
  using Times = std::shared_ptr<const std::vector<double>>;
  /// As many values or codes as times.
  TimeSamples(Times times, std::vector<Value> values)
      : times_(std::move(times)), values_(std::move(values)) {}
  TimeSamples(Times times, std::shared_ptr<const ValueSource> source,
              std::vector<std::uint64_t> codes)
      : times_(std::move(times)), source_(std::move(source)), codes_(std::move(codes)) {}

  std::size_t size() const { return times_->size(); }
  std::span<const double> times() const { return *times_; }
  ValueType type(std::size_t i) const {
    return source_ ? source_->TypeOf(codes_[i]) : values_[i].type();
  }
  bool IsBlock(std::size_t i) const { return type(i) == ValueType::kBlock; }
  /// Whether two samples are known to be equal without decoding them.
  bool AreSame(std::size_t i, std::size_t j) const {
    return i == j || (source_ && codes_[i] == codes_[j]);
  }
  /// As LazyValue::Load.
  Result<Value> Load(std::size_t i, MemoryBudget& budget) const {
    if (source_) return source_->Load(codes_[i], budget);
    return values_[i];
  }

 private:
  Times times_;
  std::vector<Value> values_;
  std::shared_ptr<const ValueSource> source_;
  std::vector<std::uint64_t> codes_;
};

}  // namespace flexor::io::usd
