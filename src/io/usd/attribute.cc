#include "io/usd/attribute.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "io/usd/interpolate.h"
#include "io/usd/time_map.h"

namespace flexor::io::usd {
namespace {

// Two keys nearer than this are one, as OpenUSD has it.
constexpr double kSameTime = 1e-6;

/// The value with the time codes in it as the stage counts them.
Value Retimed(Value value, LayerOffset stage_from_layer) {
  if (stage_from_layer.IsIdentity()) return value;
  if (const TimeCode* time = value.Get<TimeCode>()) {
    return Value::Of(TimeCode{OuterTime(stage_from_layer, time->value)});
  }
  if (value.IsArrayOf<TimeCode>()) {
    const auto times = value.Array<TimeCode>();
    std::vector<TimeCode> retimed(times.begin(), times.end());
    for (TimeCode& time : retimed) time.value = OuterTime(stage_from_layer, time.value);
    return Value::ArrayOf(std::move(retimed));
  }
  if (const Dictionary* dictionary = value.dictionary()) {
    Dictionary retimed = *dictionary;
    for (auto& [name, entry] : retimed.entries) entry = Retimed(entry, stage_from_layer);
    return Value::OfDictionary(std::make_shared<const Dictionary>(std::move(retimed)));
  }
  return value;
}

Error WithPlace(Error error, const PropertyOpinion& opinion) {
  if (error.place.path.empty()) error.place.path = opinion.layer->identifier();
  if (error.place.element.empty()) error.place.element = opinion.spec->path.ToString();
  return error;
}

Result<Value> Placed(Result<Value> value, const PropertyOpinion& opinion) {
  if (!value.ok()) return WithPlace(std::move(value).error(), opinion);
  return Retimed(std::move(*value), opinion.stage_from_layer);
}

Result<Value> DefaultOf(const PropertyOpinion& opinion, MemoryBudget& budget) {
  if (opinion.spec->default_value.IsBlock()) return Value();
  return Placed(opinion.spec->default_value.Load(budget), opinion);
}

Result<Value> SampleAt(const PropertyOpinion& opinion, double stage_time, Between between,
                       MemoryBudget& budget) {
  const TimeSamples& samples = *opinion.spec->samples;
  const std::span<const double> times = samples.times();
  const double time = InnerTime(opinion.stage_from_layer, stage_time);
  // The last sample that is not later; the first one when all are.
  const auto after = std::upper_bound(times.begin(), times.end(), time);
  std::size_t lower =
      after == times.begin() ? 0 : static_cast<std::size_t>(after - times.begin()) - 1;
  const std::size_t upper = std::min(lower + 1, times.size() - 1);
  const double length = times[upper] - times[lower];
  const double fraction =
      time <= times[lower] || length < kSameTime ? 0 : (time - times[lower]) / length;
  if (samples.IsBlock(lower)) return Value();
  auto value = samples.Load(lower, budget);
  if (!value.ok()) return WithPlace(std::move(value).error(), opinion);
  if (fraction > 0 && between == Between::kLinear && !samples.IsBlock(upper) &&
      !samples.AreSame(lower, upper) && Interpolates(value->type())) {
    auto next = samples.Load(upper, budget);
    if (!next.ok()) return WithPlace(std::move(next).error(), opinion);
    return Retimed(Interpolate(*value, *next, fraction), opinion.stage_from_layer);
  }
  return Retimed(std::move(*value), opinion.stage_from_layer);
}

bool HasSamples(const PropertySpec& spec) { return spec.samples && spec.samples->size() != 0; }

/// The opinion that says what the value is over time; null when there is none.
const PropertyOpinion* DecidingOpinion(const Property& attribute) {
  for (const PropertyOpinion& opinion : attribute.opinions) {
    const PropertySpec& spec = *opinion.spec;
    if (HasSamples(spec) || spec.has_spline || !spec.default_value.empty()) return &opinion;
  }
  return nullptr;
}

}  // namespace

Result<Value> DefaultValue(const Property& attribute, MemoryBudget& budget) {
  for (const PropertyOpinion& opinion : attribute.opinions) {
    if (!opinion.spec->default_value.empty()) return DefaultOf(opinion, budget);
  }
  return Value();
}

Result<Value> ValueAt(const Property& attribute, double time, Between between,
                      MemoryBudget& budget) {
  const PropertyOpinion* opinion = DecidingOpinion(attribute);
  if (opinion == nullptr) return Value();
  if (HasSamples(*opinion->spec)) return SampleAt(*opinion, time, between, budget);
  if (opinion->spec->has_spline) {
    return WithPlace(Error{ErrorCode::kUnsupportedFeature,
                           "the attribute is animated by a spline, which flexor does not read; "
                           "bake it to time samples",
                           {}},
                     *opinion);
  }
  return DefaultOf(*opinion, budget);
}

std::vector<double> SampleTimes(const Property& attribute) {
  const PropertyOpinion* opinion = DecidingOpinion(attribute);
  if (opinion == nullptr || !HasSamples(*opinion->spec)) return {};
  std::vector<double> times;
  for (const double time : opinion->spec->samples->times()) {
    times.push_back(OuterTime(opinion->stage_from_layer, time));
  }
  if (opinion->stage_from_layer.scale < 0) std::reverse(times.begin(), times.end());
  return times;
}

}  // namespace flexor::io::usd
