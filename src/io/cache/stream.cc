#include "io/cache/stream.h"

#include <algorithm>
#include <utility>

#include "io/cache/names.h"

namespace flexor::io {

std::string FramePath(const StreamJob& job, std::size_t frame) {
  const CacheSettings& settings = *job.settings;
  std::string label;
  if (!settings.frame_labels.empty()) {
    label = SafeName(settings.frame_labels[frame]);
  } else {
    // As wide as the last one, so that files sort by name as they do by number.
    label = std::to_string(frame);
    const std::size_t width =
        std::max<std::size_t>(4, std::to_string(settings.frame_count - 1).size());
    label.insert(0, width - std::min(width, label.size()), '0');
  }
  return ExpandPath(job.path, job.keys[0], label);
}

Status FilePerFrameStream::Append(std::span<const CacheFrame> frame) {
  FLEXOR_ASSIGN(AtomicFile file, AtomicFile::Create(FramePath(job_, sealed_.size())));
  FLEXOR_TRY(WriteFrame(file, frame));
  FLEXOR_TRY(file.Seal());
  sealed_.push_back(std::move(file));
  return {};
}

Status FilePerFrameStream::Publish() {
  for (AtomicFile& file : sealed_) FLEXOR_TRY(file.Commit());
  return {};
}

}  // namespace flexor::io
