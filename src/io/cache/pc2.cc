// PointCache2: a header of 32 bytes, then the points of every sample, all little-endian.
// Layout: docs/formats/pc2.md.
#include <cmath>
#include <utility>

#include "io/cache/point_stream.h"

namespace flexor::io {
namespace {

struct Timing {
  float start = 0;  // frames
  float step = 1;   // frames between samples
};

// 10.000000000000002 is meant to be 10: times come from frame / rate.
float Settled(double frames) {
  const double whole = std::round(frames);
  return static_cast<float>(
      std::abs(frames - whole) <= 1e-6 * std::max(1.0, std::abs(frames)) ? whole : frames);
}

Result<Timing> TimingOf(const StreamJob& job) {
  const std::vector<double>& times = job.settings->times;
  const double rate = job.settings->frames_per_second;
  Timing timing;
  if (times.empty()) return timing;
  timing.start = Settled(times[0] * rate);
  if (times.size() == 1) return timing;
  const double step = (times.back() - times[0]) / static_cast<double>(times.size() - 1);
  for (std::size_t i = 1; i < times.size(); ++i) {
    const double even = times[0] + step * static_cast<double>(i);
    if (!(step > 0) || std::abs(times[i] - even) > 1e-3 * step) {
      return Error{ErrorCode::kInvalidArgument,
                   "PC2 holds a start and a rate, so its samples must be evenly spaced and in "
                   "order: sample " +
                       std::to_string(i) + " is at " + std::to_string(times[i]) +
                       " s where even spacing puts it at " + std::to_string(even) +
                       " s; use MDD or NPZ",
                   {job.path, {}, {}}};
    }
  }
  timing.step = Settled(step * rate);
  return timing;
}

}  // namespace

StreamResult OpenPc2(StreamJob job) {
  const CacheSettings& settings = *job.settings;
  FLEXOR_TRY(FitsInt32(job.meshes[0].vertex_count, "points", job));
  FLEXOR_TRY(FitsInt32(settings.frame_count, "samples", job));
  FLEXOR_ASSIGN(const Timing timing, TimingOf(job));
  std::vector<std::byte> header;
  for (const char c : std::string_view("POINTCACHE2\0", 12)) header.push_back(std::byte(c));
  const auto put = [&](auto value) { AppendScalar<std::endian::little>(header, value); };
  put(std::int32_t{1});  // version
  put(static_cast<std::int32_t>(job.meshes[0].vertex_count));
  put(timing.start);
  put(timing.step);
  put(static_cast<std::int32_t>(settings.frame_count));
  FLEXOR_ASSIGN(AtomicFile file, AtomicFile::Create(job.path));
  FLEXOR_TRY(file.Write(header));
  return std::unique_ptr<CacheStream>(
      std::make_unique<PointStream<std::endian::little>>(std::move(file)));
}

}  // namespace flexor::io
