/// @file tests/deform/every_backend.h
/// Test bodies that run on the reference and on the CPU at every SIMD target of the machine.
#pragma once

#include <gtest/gtest.h>

#include "support/rigs.h"

namespace flexor::deform {

class EveryBackend : public ::testing::TestWithParam<test::BackendCase> {
 protected:
  test::Shape Run(const test::Job& job) const { return test::Deform(GetParam(), job); }

  /// One vertex through a method.
  test::Shape RunVertex(const asset::Mesh& mesh, std::vector<Mat34d> palette,
                        asset::SkinningMethod method,
                        DqsResidual residual = DqsResidual::kVertex) const {
    test::Job job;
    job.mesh = mesh;
    job.palette = std::move(palette);
    job.settings.method = method;
    job.settings.dqs.residual = residual;
    return Run(job);
  }
};

}  // namespace flexor::deform

/// Runs a suite derived from EveryBackend once for each backend and target.
#define FLEXOR_ON_EVERY_BACKEND(suite)                                                   \
  INSTANTIATE_TEST_SUITE_P(On, suite, ::testing::ValuesIn(flexor::test::BackendCases()), \
                           [](const auto& one) { return one.param.name; })
