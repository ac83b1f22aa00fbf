#include "flexor/asset/weights.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace flexor::asset {
namespace {

// What a float sum of correctly rounded weights may be off by, for each weight.
constexpr double kSumTolerance = 2e-7;
// Below this part of the sum of magnitudes, a sum has cancelled out and cannot be divided by.
constexpr double kCancelled = 1e-6;

struct Entry {
  std::uint32_t joint;
  double weight;
};

// Equal joints become one, at the place of the first. Runs are short, so a plain search wins.
std::uint64_t MergeEqualJoints(std::vector<Entry>& run) {
  std::uint64_t merged = 0;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < run.size(); ++i) {
    const auto earlier = std::find_if(run.begin(), run.begin() + static_cast<std::ptrdiff_t>(kept),
                                      [&](const Entry& e) { return e.joint == run[i].joint; });
    if (earlier != run.begin() + static_cast<std::ptrdiff_t>(kept)) {
      earlier->weight += run[i].weight;
      ++merged;
    } else {
      run[kept++] = run[i];
    }
  }
  run.resize(kept);
  return merged;
}

// Keeps the strongest, earlier ones first among equals, in the order they had. Returns the
// magnitude of the strongest one dropped.
double KeepStrongest(std::vector<Entry>& run, std::size_t count) {
  std::vector<double> magnitudes;
  magnitudes.reserve(run.size());
  for (const Entry& entry : run) magnitudes.push_back(std::abs(entry.weight));
  std::sort(magnitudes.begin(), magnitudes.end(), std::greater<>());
  const double smallest_kept = magnitudes[count - 1];
  std::size_t equal_kept = count;  // how many of exactly that magnitude may stay
  for (const double magnitude : magnitudes) {
    if (magnitude > smallest_kept) --equal_kept;
  }
  std::size_t kept = 0;
  for (const Entry& entry : run) {
    const double magnitude = std::abs(entry.weight);
    if (magnitude < smallest_kept) continue;
    if (magnitude == smallest_kept) {
      if (equal_kept == 0) continue;
      --equal_kept;
    }
    run[kept++] = entry;
  }
  run.resize(kept);
  return magnitudes[count];
}

double Sum(const std::vector<Entry>& run) {
  double sum = 0;
  for (const Entry& entry : run) sum += entry.weight;
  return sum;
}

double SumOfMagnitudes(const std::vector<Entry>& run) {
  double sum = 0;
  for (const Entry& entry : run) sum += std::abs(entry.weight);
  return sum;
}

}  // namespace

Influences RepairWeights(const Influences& raw, const WeightPolicy& policy, WeightReport* report) {
  WeightReport counts;
  Influences out;
  const std::size_t vertex_count = raw.vertex_count();
  out.offsets.reserve(raw.offsets.size());
  out.joints.reserve(raw.joints.size());
  out.weights.reserve(raw.weights.size());
  if (!raw.empty()) out.offsets.push_back(0);
  bool any_bad = false;
  std::vector<Entry> run;
  for (std::size_t v = 0; v < vertex_count; ++v) {
    bool bad = false;
    run.clear();
    for (std::uint32_t i = raw.offsets[v]; i < raw.offsets[v + 1]; ++i) {
      double weight = static_cast<double>(raw.weights[i]);
      if (policy.clamp_negative && weight < 0) {
        weight = 0;
        ++counts.clamped;
        bad = true;
      }
      if (weight != 0) run.push_back({raw.joints[i], weight});
    }
    if (const std::uint64_t merged = MergeEqualJoints(run)) {
      counts.merged += merged;
      bad = true;
    }
    std::erase_if(run, [](const Entry& entry) { return entry.weight == 0; });
    const double whole = Sum(run);
    const bool off =
        !run.empty() && std::abs(whole - 1) > kSumTolerance * static_cast<double>(run.size());
    if (policy.max_influences != 0 && run.size() > policy.max_influences) {
      const double dropped = KeepStrongest(run, policy.max_influences);
      const double part = policy.normalize && whole != 0 ? dropped / std::abs(whole) : dropped;
      counts.largest_dropped = std::max(counts.largest_dropped, static_cast<float>(part));
      ++counts.limited;
      bad = true;
    }
    const double sum = Sum(run);
    if (run.empty() || (policy.normalize && std::abs(sum) <= kCancelled * SumOfMagnitudes(run))) {
      ++counts.zero_sum;
      bad = true;
      run.clear();
      if (policy.zero == ZeroWeightPolicy::kFirstJoint) {
        const bool has_any = raw.offsets[v] != raw.offsets[v + 1];
        run.push_back({has_any ? raw.joints[raw.offsets[v]] : 0, 1.0});
      }
    } else if (policy.normalize) {
      if (off) {
        ++counts.normalized;
        bad = true;
      }
      for (Entry& entry : run) entry.weight /= sum;
    }
    for (const Entry& entry : run) {
      const float weight = static_cast<float>(entry.weight);
      if (weight == 0) continue;  // too small for a float
      out.joints.push_back(entry.joint);
      out.weights.push_back(weight);
    }
    const auto end = static_cast<std::uint32_t>(out.joints.size());
    counts.max_influences = std::max(counts.max_influences, end - out.offsets.back());
    out.offsets.push_back(end);
    if (bad && !any_bad) {
      any_bad = true;
      counts.first_bad_vertex = static_cast<std::uint32_t>(v);
    }
  }
  if (report != nullptr) *report = counts;
  return out;
}

void ReportWeights(const WeightReport& report, std::string_view where, Diagnostics& out) {
  const std::string first =
      "; the first vertex repaired in any way is " + std::to_string(report.first_bad_vertex);
  const auto add = [&](std::string_view code, std::uint64_t count, const std::string& message,
                       std::string remedy) {
    if (count == 0) return;
    out.Add({.code = std::string(code),
             .severity = Severity::kWarning,
             .where = std::string(where),
             .message = message + first,
             .remedy = std::move(remedy),
             .count = count});
  };
  const auto vertices = [](std::uint64_t count) {
    return std::to_string(count) + (count == 1 ? " vertex" : " vertices");
  };
  add("WEIGHTS_NOT_NORMALIZED", report.normalized,
      vertices(report.normalized) + " with weights that do not sum to 1; divided by their sum",
      "normalise the weights where the file is made, or ask for raw weights");
  add("WEIGHTS_NEGATIVE", report.clamped,
      std::to_string(report.clamped) + " negative weights set to 0",
      "negative weights have no meaning; paint the vertices anew");
  add("WEIGHTS_DUPLICATE_JOINT", report.merged,
      std::to_string(report.merged) +
          " influences name a joint that the same vertex lists already; added together",
      "list each joint once for a vertex");
  add("WEIGHTS_ZERO_SUM", report.zero_sum,
      vertices(report.zero_sum) + " without any weight; treated by the zero-weight policy",
      "give every vertex a weight on at least one joint");
  add("INFLUENCES_LIMITED", report.limited,
      vertices(report.limited) + " cut to " + std::to_string(report.max_influences) +
          " influences; the strongest one dropped weighed " +
          std::to_string(report.largest_dropped),
      "allow more influences");
}

}  // namespace flexor::asset
