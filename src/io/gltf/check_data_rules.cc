#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "io/gltf/check_data.h"
#include "io/gltf/check_names.h"
#include "io/gltf/layout.h"

namespace flexor::io::gltf {
namespace {

// How far from length 1 a stored unit vector may be: what rounding to 8 bits can do to it.
constexpr double kUnitVectorTolerance = 0.00674;
constexpr double kUnitQuaternionTolerance = 0.00769;

/// What one rule has to say about the values of an accessor, whoever uses them.
struct Verdict {
  const char* code;
  std::string below;  ///< the pointer below the place of use
  std::string message;
  std::uint64_t count = 1;
};

/// Counts one kind of fault and keeps the words for the first.
class FaultCounter {
 public:
  explicit FaultCounter(const char* code) : code_(code) {}
  template <class Words>
  void Hit(Words words) {
    tally_.Add(words);
  }
  void Into(std::vector<Verdict>& verdicts) const {
    if (tally_.count() == 0) return;
    verdicts.push_back({code_, {}, tally_.first(), tally_.count()});
  }

 private:
  const char* code_;
  Tally tally_;
};

/// Stored integers of a normalized accessor as the fractions that they mean.
class Fractions {
 public:
  Fractions(const StoredNumbers& numbers, const AccessorFormat& format)
      : numbers_(numbers),
        scale_(format.normalized && format.component != ComponentType::kFloat
                   ? static_cast<double>(IntegerLimits(format.component).second)
                   : 0) {}
  double operator[](std::size_t i) const {
    return scale_ == 0 ? numbers_[i] : std::max(numbers_[i] / scale_, -1.0);
  }

 private:
  const StoredNumbers& numbers_;
  double scale_;
};

void JudgeFinite(const StoredNumbers& numbers, std::vector<Verdict>& verdicts) {
  FaultCounter faults("ACCESSOR_INVALID_FLOAT");
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (std::isfinite(numbers[i])) continue;
    faults.Hit([&] {
      return "component " + std::to_string(i) + " is " +
             (std::isnan(numbers[i]) ? "not a number" : "infinite");
    });
  }
  faults.Into(verdicts);
}

/// One of the two declared bounds; `sign` is 1 for max and -1 for min.
void JudgeBound(const StoredNumbers& numbers, const json::Value& bounds, bool is_float, double sign,
                std::vector<Verdict>& verdicts) {
  const bool is_max = sign > 0;
  const auto declared = bounds.get<std::vector<double>>();
  const std::size_t components = declared.size();
  for (std::size_t c = 0; c < components; ++c) {
    const double bound =
        is_float ? static_cast<double>(static_cast<float>(declared[c])) : declared[c];
    double extreme = c < numbers.size() ? numbers[c] : bound;
    std::uint64_t beyond = 0;
    for (std::size_t i = c; i < numbers.size(); i += components) {
      const double value = numbers[i];
      if (sign * value > sign * extreme) extreme = value;
      if (sign * value > sign * bound) ++beyond;
    }
    if (extreme == bound) continue;
    const std::string below = std::string(is_max ? "/max/" : "/min/") + std::to_string(c);
    verdicts.push_back({is_max ? "ACCESSOR_MAX_MISMATCH" : "ACCESSOR_MIN_MISMATCH", below,
                        "is declared as " + ShortNumber(bound) + ", but the " +
                            (is_max ? "greatest" : "least") + " value is " + ShortNumber(extreme)});
    if (beyond > 0) {
      verdicts.push_back(
          {is_max ? "ACCESSOR_ELEMENT_OUT_OF_MAX_BOUND" : "ACCESSOR_ELEMENT_OUT_OF_MIN_BOUND",
           below,
           std::to_string(beyond) +
               (is_max ? " values are greater than " : " values are less than ") +
               ShortNumber(bound)});
    }
  }
}

void JudgeUnitVectors(const Fractions& values, std::size_t count, bool is_tangent,
                      std::vector<Verdict>& verdicts) {
  const std::size_t stride = is_tangent ? 4 : 3;
  FaultCounter lengths("ACCESSOR_VECTOR3_NON_UNIT");
  FaultCounter signs("ACCESSOR_INVALID_SIGN");
  for (std::size_t v = 0; v < count / stride; ++v) {
    const std::size_t at = v * stride;
    const double length = std::sqrt(values[at] * values[at] + values[at + 1] * values[at + 1] +
                                    values[at + 2] * values[at + 2]);
    if (std::abs(length - 1) > kUnitVectorTolerance) {
      lengths.Hit(
          [&] { return "vector " + std::to_string(v) + " is of length " + ShortNumber(length); });
    }
    if (is_tangent && values[at + 3] != 1 && values[at + 3] != -1) {
      signs.Hit([&] {
        return "w of tangent " + std::to_string(v) + " is " + ShortNumber(values[at + 3]) +
               ", but must be 1 or -1";
      });
    }
  }
  lengths.Into(verdicts);
  signs.Into(verdicts);
}

void JudgeColors(const StoredNumbers& numbers, std::vector<Verdict>& verdicts) {
  FaultCounter faults("ACCESSOR_NON_CLAMPED");
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (!(numbers[i] > 1 || numbers[i] < 0)) continue;
    faults.Hit([&] {
      return "component " + std::to_string(i) + " is " + ShortNumber(numbers[i]) +
             ", but must be within 0 and 1";
    });
  }
  faults.Into(verdicts);
}

void JudgeInverseBinds(const StoredNumbers& numbers, std::vector<Verdict>& verdicts) {
  FaultCounter faults("ACCESSOR_INVALID_IBM");
  bool looks_transposed = false;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::size_t component = i % 16;
    if (component % 4 != 3) continue;
    const double expected = component == 15 ? 1 : 0;
    if (numbers[i] == expected) continue;
    // Row-major writers put the translation into the fourth row.
    looks_transposed |= std::abs(numbers[i]) > 1e-3 && component != 15;
    faults.Hit([&] {
      return "matrix " + std::to_string(i / 16) + " has " + ShortNumber(numbers[i]) +
             " in column " + std::to_string(component / 4) +
             " of its fourth row, which must be 0 0 0 1";
    });
  }
  const std::size_t before = verdicts.size();
  faults.Into(verdicts);
  if (verdicts.size() > before && looks_transposed) {
    verdicts.back().message += "; the matrices look transposed";
  }
}

void JudgeKeyTimes(const StoredNumbers& numbers, std::vector<Verdict>& verdicts) {
  FaultCounter negative("ACCESSOR_ANIMATION_INPUT_NEGATIVE");
  FaultCounter order("ACCESSOR_ANIMATION_INPUT_NON_INCREASING");
  double last = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double time = numbers[i];
    if (time < 0) {
      negative.Hit(
          [&] { return "key " + std::to_string(i) + " is at " + ShortNumber(time) + " s"; });
      continue;
    }
    if (i != 0 && time <= last) {
      order.Hit([&] {
        return "key " + std::to_string(i) + " is at " + ShortNumber(time) +
               " s, not after the one before at " + ShortNumber(last) + " s";
      });
    }
    last = time;
  }
  negative.Into(verdicts);
  order.Into(verdicts);
}

void JudgeRotations(const Fractions& values, std::size_t count, bool cubic,
                    std::vector<Verdict>& verdicts) {
  FaultCounter faults("ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION");
  for (std::size_t q = 0; q < count / 4; ++q) {
    if (cubic && q % 3 != 1) continue;
    double sum = 0;
    for (std::size_t c = 0; c < 4; ++c) sum += values[4 * q + c] * values[4 * q + c];
    const double length = std::sqrt(sum);
    if (std::abs(length - 1) > kUnitQuaternionTolerance) {
      faults.Hit(
          [&] { return "rotation " + std::to_string(q) + " is of length " + ShortNumber(length); });
    }
  }
  faults.Into(verdicts);
}

void JudgeIndices(const StoredNumbers& numbers, const DataRule& rule, const AccessorFormat& format,
                  std::vector<Verdict>& verdicts) {
  FaultCounter outside("ACCESSOR_INDEX_OOB");
  FaultCounter restart("ACCESSOR_INDEX_PRIMITIVE_RESTART");
  const auto vertices = static_cast<double>(rule.vertex_count);
  const auto restart_value = static_cast<double>(IntegerLimits(format.component).second);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double index = numbers[i];
    if (index >= vertices) {
      outside.Hit([&] {
        return "index " + std::to_string(i) + " names vertex " + ShortNumber(index) + " of only " +
               std::to_string(rule.vertex_count);
      });
    }
    if (index == restart_value) {
      restart.Hit([&] { return "index " + std::to_string(i) + " is " + ShortNumber(index); });
    }
  }
  outside.Into(verdicts);
  restart.Into(verdicts);
  if (rule.mode != PrimitiveMode::kTriangles) return;
  std::uint64_t degenerate = 0;
  for (std::size_t t = 0; t < numbers.size() / 3; ++t) {
    const double a = numbers[3 * t], b = numbers[3 * t + 1], c = numbers[3 * t + 2];
    if (a == b || b == c || c == a) ++degenerate;
  }
  if (degenerate > 0) {
    verdicts.push_back({"ACCESSOR_INDEX_TRIANGLE_DEGENERATE",
                        {},
                        std::to_string(degenerate) + " of " + std::to_string(numbers.size() / 3) +
                            " triangles use one vertex twice"});
  }
}

std::vector<Verdict> Judge(const DataRule& rule, const CheckedAccessor& accessor,
                           const StoredNumbers& numbers) {
  std::vector<Verdict> verdicts;
  const AccessorFormat format = accessor.format();
  const Fractions fractions(numbers, format);
  const bool is_float = format.component == ComponentType::kFloat;
  switch (rule.kind) {
    case DataRuleKind::kFinite:
      JudgeFinite(numbers, verdicts);
      break;
    case DataRuleKind::kBounds:
      if (accessor.min != nullptr) JudgeBound(numbers, *accessor.min, is_float, -1, verdicts);
      if (accessor.max != nullptr) JudgeBound(numbers, *accessor.max, is_float, 1, verdicts);
      break;
    case DataRuleKind::kUnitVector:
      JudgeUnitVectors(fractions, numbers.size(), false, verdicts);
      break;
    case DataRuleKind::kTangent:
      JudgeUnitVectors(fractions, numbers.size(), true, verdicts);
      break;
    case DataRuleKind::kColor:
      JudgeColors(numbers, verdicts);
      break;
    case DataRuleKind::kInverseBind:
      JudgeInverseBinds(numbers, verdicts);
      break;
    case DataRuleKind::kKeyTimes:
      JudgeKeyTimes(numbers, verdicts);
      break;
    case DataRuleKind::kRotations:
      JudgeRotations(fractions, numbers.size(), rule.cubic, verdicts);
      break;
    case DataRuleKind::kIndices:
      JudgeIndices(numbers, rule, format, verdicts);
      break;
  }
  return verdicts;
}

void CheckSparseIndices(CheckModel& model, CheckedData& data, Findings& findings) {
  for (std::size_t i = 0; i < model.accessors.size(); ++i) {
    const CheckedAccessor& accessor = model.accessors[i];
    if (!accessor.exists || !accessor.raw->sparse) continue;
    auto indices = data.ReadSparseIndices(static_cast<std::uint32_t>(i));
    if (!indices) continue;
    FaultCounter order("ACCESSOR_SPARSE_INDICES_NON_INCREASING");
    FaultCounter outside("ACCESSOR_SPARSE_INDEX_OOB");
    for (std::size_t k = 0; k < indices->size(); ++k) {
      const double index = (*indices)[k];
      if (k > 0 && index <= (*indices)[k - 1]) {
        order.Hit([&] {
          return "sparse index " + std::to_string(k) + " is " + ShortNumber(index) +
                 ", not above the " + ShortNumber((*indices)[k - 1]) + " before";
        });
      }
      if (index >= static_cast<double>(accessor.raw->count)) {
        outside.Hit([&] {
          return "sparse index " + std::to_string(k) + " names element " + ShortNumber(index) +
                 " of only " + std::to_string(accessor.raw->count);
        });
      }
    }
    std::vector<Verdict> verdicts;
    order.Into(verdicts);
    outside.Into(verdicts);
    for (Verdict& verdict : verdicts) {
      findings.Add(verdict.code, accessor.pointer + "/sparse", std::move(verdict.message),
                   verdict.count);
    }
    data.Release(std::move(*indices));
  }
}

}  // namespace

void CheckAccessorData(CheckModel& model, CheckedData& data, Findings& findings) {
  CheckSparseIndices(model, data, findings);
  // Rules of one accessor together: its values are read once, and equal rules judged once.
  std::sort(model.data_rules.begin(), model.data_rules.end(),
            [](const DataRule& a, const DataRule& b) {
              return std::tie(a.accessor, a.where, a.kind) < std::tie(b.accessor, b.where, b.kind);
            });
  using Key = std::tuple<DataRuleKind, std::uint64_t, PrimitiveMode, bool>;
  for (std::size_t begin = 0, end = 0; begin < model.data_rules.size(); begin = end) {
    const std::uint32_t index = model.data_rules[begin].accessor;
    end = begin;
    while (end < model.data_rules.size() && model.data_rules[end].accessor == index) ++end;
    auto numbers = data.Read(index);
    if (!numbers) continue;
    const CheckedAccessor& accessor = model.accessors[index];
    std::map<Key, std::vector<Verdict>> judged;
    for (std::size_t r = begin; r < end; ++r) {
      const DataRule& rule = model.data_rules[r];
      const Key key{rule.kind, rule.vertex_count, rule.mode, rule.cubic};
      auto known = judged.find(key);
      if (known == judged.end()) {
        if (!data.Afford(numbers->size())) break;
        known = judged.emplace(key, Judge(rule, accessor, *numbers)).first;
      }
      for (const Verdict& verdict : known->second) {
        findings.Add(verdict.code, rule.where + verdict.below, verdict.message, verdict.count);
      }
    }
    data.Release(std::move(*numbers));
  }
}

}  // namespace flexor::io::gltf
