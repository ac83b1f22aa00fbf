/// @file io/cache/point_stream.h
/// A cache that is a header and the points of one mesh, frame after frame: PC2 and MDD.
#pragma once

#include <bit>
#include <utility>
#include <vector>

#include "io/cache/stream.h"
#include "io/encode.h"

namespace flexor::io {

/// Writes positions in the byte order of the format; the header is in the file already.
template <std::endian kOrder>
class PointStream final : public CacheStream {
 public:
  explicit PointStream(AtomicFile file) : file_(std::move(file)) {}

  Status Append(std::span<const CacheFrame> frame) override {
    return InChunks(frame[0].positions, [&](std::span<const Vec3f> part) {
      scratch_.clear();
      AppendScalars<kOrder>(scratch_, Flat<float>(part));
      return file_.Write(scratch_);
    });
  }
  Status Complete() override { return file_.Seal(); }
  Status Publish() override { return file_.Commit(); }

 private:
  AtomicFile file_;
  std::vector<std::byte> scratch_;
};

}  // namespace flexor::io
