// Any bytes as a small mesh in a pose: the CPU backend against the reference, at every SIMD target
// of this build, within what the headers of the kernels promise.

#include <iostream>

#include "deform/differential.h"
#include "support/job_from_bytes.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flexor;
  static const std::vector<test::BackendCase> cases = test::CpuCases();
  const test::Job job = test::JobOfBytes({data, size});
  const auto plan = test::PlanOf(job);
  if (!plan.ok()) {
    std::cerr << plan.error().ToString() << "\n";
    std::abort();
  }
  for (const test::BackendCase& backend : cases) {
    const deform::Differences found = deform::CompareWithReference(backend, *plan, job);
    if (found.faults.empty()) continue;
    for (const std::string& fault : found.faults)
      std::cerr << backend.name << ": " << fault << "\n";
    std::abort();
  }
  return 0;
}
