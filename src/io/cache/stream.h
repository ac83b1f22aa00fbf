/// @file io/cache/stream.h
/// What a cache format has to do; everything common to all of them sits in io/write_cache.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "flexor/core/file.h"
#include "flexor/core/result.h"
#include "flexor/io/write_cache.h"

namespace flexor::io {

/// Meshes that go into one file, or into one file per frame, of a format. Checked by the caller:
/// counts agree, indices are in range, there are as many times as frames.
struct StreamJob {
  std::string path;                    ///< the file; with a file per frame, a template
  std::vector<CacheMesh> meshes;       ///< one for PC2, MDD and PLY
  std::vector<std::string> keys;       ///< safe, unique names of `meshes`
  const CacheSettings* settings = {};  ///< outlives the stream
};

/// Writes under temporary names until Publish.
class CacheStream {
 public:
  virtual ~CacheStream() = default;
  virtual Status Append(std::span<const CacheFrame> frame) = 0;
  /// All bytes are on disk after this.
  virtual Status Complete() = 0;
  /// Renames.
  virtual Status Publish() = 0;
};

using StreamResult = Result<std::unique_ptr<CacheStream>>;

StreamResult OpenPc2(StreamJob job);
StreamResult OpenMdd(StreamJob job);
StreamResult OpenNpz(StreamJob job);
StreamResult OpenObj(StreamJob job);
StreamResult OpenPly(StreamJob job);

/// The name of a file of one frame.
std::string FramePath(const StreamJob& job, std::size_t frame);

/// Fails when `count` is more than the format's signed 32-bit field can say.
inline Status FitsInt32(std::uint64_t count, const char* what, const StreamJob& job) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::int32_t>::max();
  if (count <= kMax) return {};
  return Error{ErrorCode::kLimitExceeded,
               std::to_string(count) + " " + what +
                   " are more than the format's 32-bit field holds (" + std::to_string(kMax) +
                   "); NPZ has no such limit",
               {job.path, {}, {}}};
}

/// The part of a big array that one write takes: large enough to be quick, small enough to be
/// nothing in memory.
inline constexpr std::size_t kChunk = 1 << 16;

/// Calls body(part) for runs of at most kChunk elements, stopping at the first error.
template <class T, class Body>
Status InChunks(std::span<const T> values, Body&& body) {
  for (std::size_t at = 0; at < values.size(); at += kChunk) {
    FLEXOR_TRY(body(values.subspan(at, std::min(kChunk, values.size() - at))));
  }
  return {};
}

/// Common to the formats that write a whole file per frame.
class FilePerFrameStream : public CacheStream {
 public:
  explicit FilePerFrameStream(StreamJob job) : job_(std::move(job)) {}

  Status Append(std::span<const CacheFrame> frame) final;
  Status Complete() final { return {}; }  // each file was sealed when its frame ended
  Status Publish() final;

 protected:
  virtual Status WriteFrame(AtomicFile& file, std::span<const CacheFrame> frame) = 0;
  const StreamJob& job() const { return job_; }

 private:
  StreamJob job_;
  std::vector<AtomicFile> sealed_;
};

}  // namespace flexor::io
