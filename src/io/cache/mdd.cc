// LightWave MDD: counts, a time per frame, then the points of every frame, all big-endian.
// Layout: docs/formats/mdd.md.
#include <utility>

#include "io/cache/point_stream.h"

namespace flexor::io {
StreamResult OpenMdd(StreamJob job) {
  const CacheSettings& settings = *job.settings;
  FLEXOR_TRY(FitsInt32(job.meshes[0].vertex_count, "points", job));
  FLEXOR_TRY(FitsInt32(settings.frame_count, "frames", job));
  std::vector<std::byte> header;
  const auto put = [&](auto value) { AppendScalar<std::endian::big>(header, value); };
  put(static_cast<std::int32_t>(settings.frame_count));
  put(static_cast<std::int32_t>(job.meshes[0].vertex_count));
  for (const double time : settings.times) put(static_cast<float>(time));
  FLEXOR_ASSIGN(AtomicFile file, AtomicFile::Create(job.path));
  FLEXOR_TRY(file.Write(header));
  return std::unique_ptr<CacheStream>(
      std::make_unique<PointStream<std::endian::big>>(std::move(file)));
}

}  // namespace flexor::io
