// What fuzz/kernels_differential_fuzz.cc checks, at every SIMD target of this build: its kept
// inputs, and jobs of random bytes.
#include <filesystem>
#include <fstream>
#include <iterator>

#include "deform/differential.h"
#include "deform/every_backend.h"
#include "support/job_from_bytes.h"
#include "support/paths.h"

namespace flexor::deform {
namespace {

class FuzzedJobs : public EveryBackend {
 protected:
  void Check(std::span<const std::uint8_t> bytes, const std::string& what) {
    const test::Job job = test::JobOfBytes(bytes);
    const auto plan = test::PlanOf(job);
    ASSERT_TRUE(plan.ok()) << what << ": " << plan.error().ToString();
    const Differences found = CompareWithReference(GetParam(), *plan, job);
    for (const std::string& fault : found.faults) ADD_FAILURE() << what << ": " << fault;
    compared_ += found.compared;
    left_out_ += found.left_out;
  }
  std::size_t compared_ = 0, left_out_ = 0;
};
FLEXOR_ON_EVERY_BACKEND(FuzzedJobs);

TEST_P(FuzzedJobs, KeptInputsStayWithinWhatIsPromised) {
  const std::filesystem::path folder =
      std::filesystem::path(FLEXOR_SOURCE_DIR) / "fuzz" / "corpus" / "kernels_differential";
  std::size_t inputs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    const auto* const data = reinterpret_cast<const std::uint8_t*>(bytes.data());
    Check({data, bytes.size()}, entry.path().filename().string());
    ++inputs;
  }
  EXPECT_GT(inputs, 10u);
}

TEST_P(FuzzedJobs, RandomBytesStayWithinWhatIsPromised) {
  for (std::uint32_t seed = 0; seed < 400; ++seed) {
    std::mt19937 random(seed);
    std::vector<std::uint8_t> bytes(100 + random() % 1500);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    Check(bytes, "seed " + std::to_string(seed));
  }
  EXPECT_GT(compared_, 5000u);
  EXPECT_LT(left_out_ * 20, compared_);  // thresholds are rare
}

}  // namespace
}  // namespace flexor::deform
