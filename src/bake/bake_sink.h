/// @file bake/bake_sink.h
/// Where baked frames go: a point cache, or posed GLB files.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "flexor/bake/bake.h"
#include "flexor/io/write_cache.h"

namespace flexor::bake {

/// Takes the frames of one bake in order. Destroyed before Finish(), it leaves nothing behind.
class BakeSink {
 public:
  virtual ~BakeSink() = default;
  /// `index` counts BakeSettings::times; the performer holds that frame.
  virtual Status Append(const Performer& performer, std::uint64_t index) = 0;
  virtual Status Finish() = 0;
  /// What Finish() made.
  virtual std::vector<std::string> files() const = 0;
  virtual std::string point_order_file() const { return {}; }
};

/// The point cache behind a format; not for kGlb, which is none.
io::CacheFormat CacheFormatOf(BakeFormat format);

/// NPZ, PC2, MDD, OBJ, PLY. `character` and `settings` must outlive the sink.
Result<std::unique_ptr<BakeSink>> MakeCacheSink(const asset::Character& character,
                                                const BakeSettings& settings, BakeFormat format,
                                                const Performer& performer);
/// Posed GLB, one file per frame.
Result<std::unique_ptr<BakeSink>> MakeGlbSink(const asset::Character& character,
                                              const BakeSettings& settings,
                                              const Performer& performer);

/// The text that goes into NPZ: space, units, character, clip, method, point order.
std::string BakeMetaJson(const asset::Character& character, const BakeSettings& settings,
                         const Performer& performer);

/// `text` with every `placeholder` replaced.
std::string Replaced(std::string text, std::string_view placeholder, std::string_view value);

/// A name made fit to be part of a file name: separators and control characters become '_'.
std::string FileNamePart(std::string_view name);

}  // namespace flexor::bake
