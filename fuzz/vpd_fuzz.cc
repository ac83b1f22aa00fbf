// Any bytes as a VPD pose, and as CP932 text.

#include <string_view>

#include "flexor/core/utf8.h"
#include "flexor/io/mmd/text_cp932.h"
#include "flexor/io/mmd/vpd.h"

#include "mmd_support.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flexor;
  using namespace flexor::io::mmd;
  const auto decoded = DecodeCp932({reinterpret_cast<const char*>(data), size});
  if (!IsUtf8(decoded.text)) std::abort();
  if (decoded.bad_bytes == 0) {
    const auto encoded = EncodeCp932(decoded.text);
    if (encoded.lost != 0 || DecodeCp932(encoded.bytes).text != decoded.text) std::abort();
  }

  MemoryBudget budget(fuzz::kMemoryBytes);
  Diagnostics diagnostics;
  const auto pose = ParseVpd(std::as_bytes(std::span(data, size)), budget, diagnostics);
  if (!pose.ok()) {
    fuzz::CheckError(pose.error());
    return 0;
  }
  const auto written = WriteVpd(*pose);
  if (!written.ok()) return 0;  // names with control characters are read but not written
  const auto again = ParseVpd(*written, budget, diagnostics);
  if (!again.ok()) {
    if (again.error().code != ErrorCode::kLimitExceeded) std::abort();
    return 0;
  }
  if (again->bones.size() != pose->bones.size() || again->morphs.size() != pose->morphs.size()) {
    std::abort();
  }
  for (std::size_t i = 0; i < pose->bones.size(); ++i) {
    const VpdBone &a = pose->bones[i], &b = again->bones[i];
    if (a.bytes != b.bytes || !(a.translation == b.translation) || !(a.rotation == b.rotation)) {
      std::abort();
    }
  }
  return 0;
}
