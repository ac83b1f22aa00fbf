#include "flexor/core/memory_budget.h"

#include <limits>
#include <string>

namespace flexor {

Status MemoryBudget::Charge(std::uint64_t count, std::uint64_t element_bytes,
                            std::string_view what) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  const bool overflows = element_bytes != 0 && count > kMax / element_bytes;
  const std::uint64_t wanted = overflows ? kMax : count * element_bytes;
  const std::uint64_t left = limit_ - used_;
  if (wanted > left) {
    return Error{ErrorCode::kLimitExceeded,
                 std::string(what) + " needs " + std::to_string(count) + " x " +
                     std::to_string(element_bytes) + " bytes, but only " + std::to_string(left) +
                     " of the memory budget of " + std::to_string(limit_) +
                     " bytes are left; raise the budget if the file is trusted",
                 {}};
  }
  used_ += wanted;
  return {};
}

}  // namespace flexor
