#include "flexor/io/motion.h"

#include <algorithm>
#include <utility>

#include "flexor/core/file.h"

#include "io/guard.h"
#include "io/mmd/bind.h"
#include "io/neighbours.h"
#include "io/sniff.h"

namespace flexor::io {
namespace {

/// What binding makes of keys: a time and seven numbers with their curves, twice while sorting.
constexpr std::uint64_t kBytesPerKey = 160;

Result<MotionReport> Add(std::span<const std::byte> bytes, const std::string& path,
                         const LoadOptions& options, asset::Character& character,
                         Diagnostics& diagnostics) {
  FLEXOR_ASSIGN(const FileKind kind, Sniff(bytes));
  if (kind != FileKind::kVmd && kind != FileKind::kVpd) {
    return Error{ErrorCode::kUnknownFormat, "this is a character, no VMD motion or VPD pose", {}};
  }
  if (!character.mmd) {
    return Error{ErrorCode::kInvalidArgument,
                 "a VMD motion or VPD pose moves PMX and PMD models; this character is " +
                     character.source.format,
                 {}};
  }
  MemoryBudget budget(options.limits.memory_bytes);
  FLEXOR_TRY(budget.Charge(bytes.size(), 1, "the file"));
  MotionReport report;
  asset::Clip clip;
  if (kind == FileKind::kVmd) {
    FLEXOR_ASSIGN(const mmd::VmdMotion motion, mmd::ParseVmd(bytes, budget, diagnostics));
    FLEXOR_TRY(budget.Charge(motion.bones.size() + motion.morphs.size(), kBytesPerKey, "keys"));
    for (const mmd::VmdPropertyKey& key : motion.properties) {
      FLEXOR_TRY(budget.Charge(key.iks.size(), kBytesPerKey, "IK keys"));
    }
    clip = mmd::BindMotion(motion, character, report, diagnostics);
  } else {
    FLEXOR_ASSIGN(const mmd::VpdPose pose, mmd::ParseVpd(bytes, budget, diagnostics));
    FLEXOR_TRY(budget.Charge(pose.bones.size() + pose.morphs.size(), 2 * kBytesPerKey, "keys"));
    clip = mmd::BindPose(pose, character, report, diagnostics);
  }
  clip.name = StemOf(path);
  report.clip = static_cast<std::uint32_t>(character.clips.size());
  character.clips.push_back(std::move(clip));
  if (Status status = asset::Finalize(character); !status.ok()) {
    character.clips.pop_back();
    return std::move(status).error();
  }
  return report;
}

}  // namespace

Result<MotionReport> AddMotionFromMemory(std::span<const std::byte> bytes, const std::string& path,
                                         const LoadOptions& options, asset::Character& character,
                                         Diagnostics& diagnostics) {
  return Guarded(path, [&]() -> Result<MotionReport> {
    return Add(bytes, path, options, character, diagnostics);
  });
}

Result<MotionReport> AddMotion(const std::string& path, const LoadOptions& options,
                               asset::Character& character, Diagnostics& diagnostics) {
  const std::uint64_t most = std::min(options.limits.file_bytes, options.limits.memory_bytes);
  FLEXOR_ASSIGN(const auto bytes, ReadFile(path, most));
  return AddMotionFromMemory(bytes, path, options, character, diagnostics);
}

}  // namespace flexor::io
