/// @file io/write_cache.h
/// Point caches and static meshes out. Every writer streams: memory does not grow with the number
/// of frames.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flexor/core/export.h"
#include "flexor/core/result.h"
#include "flexor/math/vec.h"

namespace flexor::io {

/// The formats of point caches and static meshes.
enum class CacheFormat : std::uint8_t {
  kPc2,  ///< PointCache2, little-endian, one mesh, positions only, start and rate
  kMdd,  ///< LightWave MDD, big-endian, one mesh, positions only, a time per frame
  kNpz,  ///< NumPy archive; layout in docs/formats/npz.md
  kObj,  ///< Wavefront text; one file per frame, or one file for one frame
  kPly,  ///< binary little-endian; one file per frame, or one file for one frame
};

/// What a format is called and what one file of it holds.
struct CacheFormatInfo {
  CacheFormat format = CacheFormat::kNpz;
  std::string_view name{};       ///< short: "PC2"
  std::string_view title{};      ///< in full: "PointCache2"
  std::string_view extension{};  ///< "pc2"
  bool holds_frames = false;     ///< a sequence; else one frame
  bool holds_meshes = false;     ///< several meshes; else one
  bool holds_normals = false;    ///< besides positions
};

/// All of them, in the order of CacheFormat.
FLEXOR_API std::span<const CacheFormatInfo> CacheFormats();
FLEXOR_API const CacheFormatInfo& InfoOf(CacheFormat format);

/// What stays the same over the frames of one mesh.
struct CacheMesh {
  std::string name{};                          ///< UTF-8, unique within the cache
  std::size_t vertex_count = 0;                ///< V
  bool has_normals = false;                    ///< whether frames carry normals
  std::span<const std::uint32_t> triangles{};  ///< (3T)
  std::span<const Vec2f> texcoords{};          ///< (V) or empty
};

/// One frame of one mesh, model space, metres.
/// Shapes  positions (V) · normals (V) or empty
struct CacheFrame {
  std::span<const Vec3f> positions{};
  std::span<const Vec3f> normals{};
};

/// What is written, and when the frames are.
struct CacheSettings {
  CacheFormat format = CacheFormat::kNpz;
  std::uint64_t frame_count = 0;  ///< N, known before the first frame
  std::vector<double> times{};    ///< (N) seconds
  double frames_per_second = 30;  ///< of the samples, for formats with a rate
  std::string meta_json{};        ///< written where the format has room (NPZ)
  std::vector<std::string>
      frame_labels{};  ///< (N) or empty: what replaces {frame} in one-file-per-frame names
};

/// Writes a cache frame by frame. Nothing appears under a final name before Finish(); destroyed
/// before that, it leaves nothing behind. `path` may hold two placeholders: {mesh} gives every mesh
/// a file of its own, {frame} every frame.
/// PC2, MDD and PLY hold one mesh, so several need {mesh}; OBJ and NPZ hold any number. OBJ and PLY
/// hold one frame, so several need {frame}; the others hold all of them and refuse it.
/// In file names and archive keys, characters that file systems mind become '_', and equal names
/// get a number: docs/formats/npz.md.
class FLEXOR_API CacheWriter {
 public:
  /// The arrays behind `meshes` must stay until Finish() or destruction: some formats repeat them
  /// with every frame.
  /// Errors  kInvalidArgument (placeholders missing or out of place, no mesh, a rate that is not
  /// positive, times that PC2 cannot say) · kShapeMismatch · kIndexOutOfRange · kFileUnwritable ·
  /// kLimitExceeded (the 32-bit counts of a format)
  static Result<std::unique_ptr<CacheWriter>> Create(const std::string& path,
                                                     std::vector<CacheMesh> meshes,
                                                     CacheSettings settings);
  virtual ~CacheWriter() = default;

  /// Appends the next frame. Shapes  frame (meshes), each with that mesh's V.
  /// Errors  kShapeMismatch naming frame, mesh and both counts, the frame may then be tried again ·
  /// kFileUnwritable, after which every call gives the same error
  virtual Status Append(std::span<const CacheFrame> frame) = 0;
  /// Puts the last bytes on disk, then renames file after file.
  /// Errors  kShapeMismatch when fewer than frame_count frames came · kFileUnwritable
  virtual Status Finish() = 0;
  /// The files that Finish() makes, by frame, then by mesh.
  virtual std::vector<std::string> files() const = 0;
};

}  // namespace flexor::io
