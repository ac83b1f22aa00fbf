#include "flexor/io/write_cache.h"

#include <array>
#include <cmath>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "io/cache/names.h"
#include "io/cache/stream.h"

namespace flexor::io {
namespace {

constexpr std::array<CacheFormatInfo, 5> kFormats{{
    {CacheFormat::kPc2, "PC2", "PointCache2", "pc2", true, false, false},
    {CacheFormat::kMdd, "MDD", "LightWave MDD", "mdd", true, false, false},
    {CacheFormat::kNpz, "NPZ", "NumPy archive", "npz", true, true, true},
    {CacheFormat::kObj, "OBJ", "Wavefront OBJ", "obj", false, true, true},
    {CacheFormat::kPly, "PLY", "PLY, binary", "ply", false, false, true},
}};

StreamResult OpenStream(CacheFormat format, StreamJob job) {
  constexpr std::array<StreamResult (*)(StreamJob), kFormats.size()> kOpen{
      &OpenPc2, &OpenMdd, &OpenNpz, &OpenObj, &OpenPly};
  return kOpen[static_cast<std::size_t>(format)](std::move(job));
}

bool Has(const std::string& path, std::string_view placeholder) {
  return path.find(placeholder) != std::string::npos;
}

Error BadArgument(const std::string& path, std::string message) {
  return {ErrorCode::kInvalidArgument, std::move(message), {path, {}, {}}};
}

Error Mismatch(const std::string& path, std::string element, std::string message) {
  return {ErrorCode::kShapeMismatch, std::move(message), {path, std::move(element), {}}};
}

Status CheckPath(const std::string& path, const CacheFormatInfo& format, std::size_t meshes,
                 std::uint64_t frames) {
  const std::string name(format.name);
  if (meshes == 0) return BadArgument(path, "there is no mesh to write");
  if (!format.holds_meshes && meshes > 1 && !Has(path, kMeshPlaceholder)) {
    return BadArgument(path, name + " holds one mesh and there are " + std::to_string(meshes) +
                                 ": put {mesh} into the output name to get a file for each");
  }
  if (format.holds_frames && Has(path, kFramePlaceholder)) {
    return BadArgument(path, name + " holds all frames in one file: leave {frame} out");
  }
  if (!format.holds_frames && frames != 1 && !Has(path, kFramePlaceholder)) {
    return BadArgument(path, name + " holds one frame and there are " + std::to_string(frames) +
                                 ": put {frame} into the output name to get a file for each");
  }
  return {};
}

Status CheckSettings(const std::string& path, const CacheSettings& settings) {
  const std::uint64_t frames = settings.frame_count;
  if (settings.times.size() != frames) {
    return Mismatch(
        path, "times",
        std::to_string(settings.times.size()) + " times for " + std::to_string(frames) + " frames");
  }
  if (!settings.frame_labels.empty() && settings.frame_labels.size() != frames) {
    return Mismatch(path, "frame_labels",
                    std::to_string(settings.frame_labels.size()) + " labels for " +
                        std::to_string(frames) + " frames");
  }
  if (!(settings.frames_per_second > 0) || !std::isfinite(settings.frames_per_second)) {
    return BadArgument(path, "the rate must be a positive number of frames per second, not " +
                                 std::to_string(settings.frames_per_second));
  }
  for (std::size_t i = 0; i < settings.times.size(); ++i) {
    if (!std::isfinite(settings.times[i])) {
      return BadArgument(path, "the time of frame " + std::to_string(i) + " is not finite");
    }
  }
  return {};
}

Status CheckMesh(const std::string& path, const CacheMesh& mesh) {
  if (!mesh.texcoords.empty() && mesh.texcoords.size() != mesh.vertex_count) {
    return Mismatch(path, "mesh " + mesh.name,
                    std::to_string(mesh.texcoords.size()) + " texture coordinates for " +
                        std::to_string(mesh.vertex_count) + " vertices");
  }
  if (mesh.triangles.size() % 3 != 0) {
    return Mismatch(
        path, "mesh " + mesh.name,
        std::to_string(mesh.triangles.size()) + " triangle indices are no multiple of 3");
  }
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    if (mesh.triangles[i] >= mesh.vertex_count) {
      return Error{ErrorCode::kIndexOutOfRange,
                   "triangle index " + std::to_string(mesh.triangles[i]) + " of " +
                       std::to_string(mesh.vertex_count) + " vertices",
                   {path, "mesh " + mesh.name + ", triangle " + std::to_string(i / 3), {}}};
    }
  }
  return {};
}

// A stream and the run of meshes that it writes.
struct Part {
  std::size_t first_mesh = 0, mesh_count = 0;
  std::unique_ptr<CacheStream> stream;
};

class Writer final : public CacheWriter {
 public:
  Writer(std::string path, std::vector<CacheMesh> meshes, CacheSettings settings)
      : path_(std::move(path)), meshes_(std::move(meshes)), settings_(std::move(settings)) {}

  Status Open() {
    const CacheFormatInfo& format = InfoOf(settings_.format);
    const bool file_per_frame = !format.holds_frames;
    FLEXOR_TRY(CheckPath(path_, format, meshes_.size(), settings_.frame_count));
    FLEXOR_TRY(CheckSettings(path_, settings_));
    std::vector<std::string> names;
    for (const CacheMesh& mesh : meshes_) {
      FLEXOR_TRY(CheckMesh(path_, mesh));
      names.push_back(mesh.name);
    }
    keys_ = SafeNames(names);
    const bool split = Has(path_, kMeshPlaceholder);
    const std::size_t part_count = split ? meshes_.size() : 1;
    std::vector<StreamJob> jobs;
    for (std::size_t p = 0; p < part_count; ++p) {
      const std::size_t first = p, count = split ? 1 : meshes_.size();
      StreamJob job;
      job.path = file_per_frame ? path_ : ExpandPath(path_, keys_[p], {});
      job.meshes.assign(meshes_.begin() + static_cast<std::ptrdiff_t>(first),
                        meshes_.begin() + static_cast<std::ptrdiff_t>(first + count));
      job.keys.assign(keys_.begin() + static_cast<std::ptrdiff_t>(first),
                      keys_.begin() + static_cast<std::ptrdiff_t>(first + count));
      job.settings = &settings_;
      parts_.push_back({first, count, nullptr});
      jobs.push_back(std::move(job));
    }
    FLEXOR_TRY(ListFiles(jobs, file_per_frame));
    for (std::size_t p = 0; p < jobs.size(); ++p) {
      FLEXOR_ASSIGN(parts_[p].stream, OpenStream(format.format, std::move(jobs[p])));
    }
    return {};
  }

  Status Append(std::span<const CacheFrame> frame) override {
    if (!broken_.ok()) return broken_;
    FLEXOR_TRY(CheckFrame(frame));
    for (Part& part : parts_) {
      Status status = part.stream->Append(frame.subspan(part.first_mesh, part.mesh_count));
      if (!status.ok()) return broken_ = std::move(status);
    }
    ++appended_;
    return {};
  }

  Status Finish() override {
    if (!broken_.ok()) return broken_;
    if (finished_) return BadArgument(path_, "the cache is finished already");
    if (appended_ != settings_.frame_count) {
      return Mismatch(path_, "frames",
                      std::to_string(appended_) + " frames came where " +
                          std::to_string(settings_.frame_count) + " were announced");
    }
    // Everything is on disk before the first final name appears.
    for (Part& part : parts_) {
      if (broken_ = part.stream->Complete(); !broken_.ok()) return broken_;
    }
    for (Part& part : parts_) {
      if (broken_ = part.stream->Publish(); !broken_.ok()) return broken_;
    }
    finished_ = true;
    return {};
  }

  std::vector<std::string> files() const override { return files_; }

 private:
  Status ListFiles(const std::vector<StreamJob>& jobs, bool file_per_frame) {
    std::unordered_set<std::string> seen;
    // By frame, then by mesh: the order in which they are written.
    const std::size_t frames = file_per_frame ? static_cast<std::size_t>(settings_.frame_count) : 1;
    for (std::size_t f = 0; f < frames; ++f) {
      for (const StreamJob& job : jobs) {
        std::string name = file_per_frame ? FramePath(job, f) : job.path;
        if (!seen.insert(name).second) {
          return BadArgument(path_, "two frames or meshes would both be written to " + name);
        }
        files_.push_back(std::move(name));
      }
    }
    return {};
  }

  Status CheckFrame(std::span<const CacheFrame> frame) const {
    const std::string place = "frame " + std::to_string(appended_);
    if (appended_ >= settings_.frame_count) {
      return Mismatch(path_, place,
                      "only " + std::to_string(settings_.frame_count) + " frames were announced");
    }
    if (frame.size() != meshes_.size()) {
      return Mismatch(path_, place,
                      std::to_string(frame.size()) + " meshes where " +
                          std::to_string(meshes_.size()) + " were announced");
    }
    for (std::size_t m = 0; m < frame.size(); ++m) {
      const CacheMesh& mesh = meshes_[m];
      const std::size_t normals = mesh.has_normals ? mesh.vertex_count : 0;
      const std::string where = place + ", mesh " + mesh.name;
      if (frame[m].positions.size() != mesh.vertex_count) {
        return Mismatch(path_, where,
                        std::to_string(frame[m].positions.size()) + " positions where " +
                            std::to_string(mesh.vertex_count) + " were announced");
      }
      if (frame[m].normals.size() != normals) {
        return Mismatch(path_, where,
                        std::to_string(frame[m].normals.size()) + " normals where " +
                            std::to_string(normals) + " were announced");
      }
    }
    return {};
  }

  std::string path_;
  std::vector<CacheMesh> meshes_;
  CacheSettings settings_;
  std::vector<std::string> keys_;
  std::vector<std::string> files_;
  std::vector<Part> parts_;
  std::uint64_t appended_ = 0;
  bool finished_ = false;
  Status broken_;  // the first failure of writing; the rest would be torn
};

}  // namespace

std::span<const CacheFormatInfo> CacheFormats() { return kFormats; }

const CacheFormatInfo& InfoOf(CacheFormat format) {
  return kFormats[static_cast<std::size_t>(format)];
}

Result<std::unique_ptr<CacheWriter>> CacheWriter::Create(const std::string& path,
                                                         std::vector<CacheMesh> meshes,
                                                         CacheSettings settings) {
  auto writer = std::make_unique<Writer>(path, std::move(meshes), std::move(settings));
  FLEXOR_TRY(writer->Open());
  return std::unique_ptr<CacheWriter>(std::move(writer));
}

}  // namespace flexor::io
