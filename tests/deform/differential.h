/// @file tests/deform/differential.h
/// One backend against the reference, held to what the headers promise of each vertex.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "deform/tolerance.h"

namespace flexor::deform {

/// The largest differences, in parts of what is allowed (1 is the limit), and what went beyond it.
struct Differences {
  double position = 0, normal = 0, tangent = 0;
  std::size_t compared = 0;
  std::size_t left_out = 0;  ///< vertices so near a threshold that rounding may take either side
  std::vector<std::string> faults;  ///< a sentence for each broken promise
};

/// Runs a plan by both. `job` is what the plan was built from.
inline Differences CompareWithReference(const test::BackendCase& backend, const DeformPlan& plan,
                                        const test::Job& job) {
  const test::Shape expected =
      test::InCallersOrder(test::DeformPlanned(test::BackendCases().front(), plan, job));
  const test::Shape got = test::InCallersOrder(test::DeformPlanned(backend, plan, job));
  const std::vector<Promise> promises = PromisesOf(plan, job);
  Differences out;
  for (std::size_t vertex = 0; vertex < promises.size(); ++vertex) {
    const Promise& promise = promises[vertex];
    if (promise.at_threshold) {
      ++out.left_out;
      continue;
    }
    ++out.compared;
    const auto measure = [&](const char* what, const auto& a, const auto& b, double allowed,
                             double& worst) {
      const double off = test::DistanceOf(a, b);
      const double part = off == 0 ? 0 : off / allowed;
      worst = std::max(worst, part);
      if (part <= 1) return;
      out.faults.push_back(
          std::string(what) + " of vertex " + std::to_string(vertex) + " is " +
          std::to_string(part) + " times as far off as promised: " + std::to_string(a.x) + " " +
          std::to_string(a.y) + " " + std::to_string(a.z) + " in place of " + std::to_string(b.x) +
          " " + std::to_string(b.y) + " " + std::to_string(b.z));
    };
    const Vec3f& want = expected.positions[vertex];
    if (IsFinite(want)) {
      // Half an ulp of the narrowing on top of what the kernels may lose.
      const double narrowing = 6e-8 * Length(Cast<double>(want));
      measure("the position", got.positions[vertex], want, promise.position + narrowing,
              out.position);
    } else if (IsFinite(got.positions[vertex])) {
      out.faults.push_back("the position of vertex " + std::to_string(vertex) +
                           " is finite and the reference's is not");
    }
    if (!expected.normals.empty()) {
      measure("the normal", got.normals[vertex], expected.normals[vertex], promise.normal,
              out.normal);
    }
    if (!expected.tangents.empty()) {
      measure("the tangent", test::Xyz(got.tangents[vertex]), test::Xyz(expected.tangents[vertex]),
              promise.tangent, out.tangent);
      if (got.tangents[vertex].w != expected.tangents[vertex].w) {
        out.faults.push_back("the handedness of vertex " + std::to_string(vertex) + " differs");
      }
    }
  }
  const auto count = [&](const char* what, std::uint64_t a, std::uint64_t b, std::size_t doubt) {
    if (std::max(a, b) - std::min(a, b) <= doubt) return;
    out.faults.push_back(std::to_string(a) + " " + what + " in place of " + std::to_string(b));
  };
  const FrameReport &a = got.report, &b = expected.report;
  count("non-rigid joints", a.non_rigid_joints, b.non_rigid_joints, 0);
  count("degenerate joints", a.degenerate_joints, b.degenerate_joints, 0);
  count("joints beyond float", a.joints_beyond_float, b.joints_beyond_float, 0);
  // A vertex in doubt may differ in all of its influences but the pivot.
  std::size_t influences = 1;
  for (std::size_t v = 0; v < promises.size(); ++v) {
    influences = std::max<std::size_t>(
        influences, plan.influences().offsets[v + 1] - plan.influences().offsets[v]);
  }
  count("flips", a.flips, b.flips, out.left_out * influences);
  count("singular normals", a.singular_normal_matrices, b.singular_normal_matrices, out.left_out);
  return out;
}

}  // namespace flexor::deform
