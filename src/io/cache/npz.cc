// A NumPy archive: a zip of stored .npy arrays. Keys and shapes: docs/formats/npz.md.
#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include "io/cache/npy.h"
#include "io/cache/stream.h"
#include "io/cache/zip_writer.h"
#include "io/encode.h"

namespace flexor::io {
namespace {

constexpr std::endian kLittle = std::endian::little;

// What a person needs to know when the caller says nothing.
constexpr std::string_view kDefaultMeta =
    R"({"space":"model","metres_per_unit":1,"up_axis":"+Y","handedness":"right"})";

std::span<const std::byte> AsBytes(std::string_view text) { return std::as_bytes(std::span(text)); }

// Entries in the order they are planned, each with its header.
class Plan {
 public:
  explicit Plan(const StreamJob& job) : job_(job) {}

  // Returns the index of the entry. Shapes and sizes are 64-bit and checked.
  Result<std::size_t> Add(const std::string& key, std::string_view type,
                          std::uint64_t element_bytes, std::vector<std::uint64_t> shape) {
    std::string header = NpyHeader(type, shape);
    std::uint64_t bytes = element_bytes;
    // A zero anywhere means no bytes, whatever the other lengths.
    for (const std::uint64_t length : shape) {
      if (length == 0) bytes = 0;
    }
    for (const std::uint64_t length : shape) {
      if (bytes != 0 && length > kMaxBytes / bytes) {
        return Error{ErrorCode::kLimitExceeded,
                     "the array would hold more than 2^62 bytes",
                     {job_.path, key, {}}};
      }
      bytes *= length;
    }
    entries_.push_back({key + ".npy", header.size() + bytes});
    headers_.push_back(std::move(header));
    return entries_.size() - 1;
  }

  std::vector<ZipEntry> entries_;
  std::vector<std::string> headers_;

 private:
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 62;
  const StreamJob& job_;
};

struct MeshEntries {
  std::size_t points = 0, normals = 0;
};

class NpzStream final : public CacheStream {
 public:
  NpzStream(ZipWriter zip, StreamJob job, std::vector<MeshEntries> entries)
      : zip_(std::move(zip)), job_(std::move(job)), entries_(std::move(entries)) {}

  Status Append(std::span<const CacheFrame> frame) override {
    for (std::size_t m = 0; m < entries_.size(); ++m) {
      FLEXOR_TRY(Put(entries_[m].points, Flat<float>(frame[m].positions)));
      if (job_.meshes[m].has_normals) {
        FLEXOR_TRY(Put(entries_[m].normals, Flat<float>(frame[m].normals)));
      }
    }
    return {};
  }
  Status Complete() override { return zip_.Complete(); }
  Status Publish() override { return zip_.Publish(); }

  template <class T>
  Status Put(std::size_t entry, std::span<const T> values) {
    return InChunks(values, [&](std::span<const T> part) {
      scratch_.clear();
      AppendScalars<kLittle>(scratch_, part);
      return zip_.Append(entry, scratch_);
    });
  }
  Status PutHeader(std::size_t entry, std::string_view header) {
    return zip_.Append(entry, AsBytes(header));
  }

 private:
  ZipWriter zip_;
  StreamJob job_;
  std::vector<MeshEntries> entries_;
  std::vector<std::byte> scratch_;
};

}  // namespace

StreamResult OpenNpz(StreamJob job) {
  const CacheSettings& settings = *job.settings;
  const std::uint64_t frames = settings.frame_count;
  const std::u32string meta =
      CodePoints(settings.meta_json.empty() ? kDefaultMeta : std::string_view(settings.meta_json));
  Plan plan(job);
  FLEXOR_ASSIGN(const std::size_t meta_entry,
                plan.Add("meta", "<U" + std::to_string(meta.size()), 4 * meta.size(), {}));
  FLEXOR_ASSIGN(const std::size_t times_entry, plan.Add("times", "<f8", 8, {frames}));
  struct Still {
    std::size_t faces = 0, texcoords = 0;
  };
  std::vector<Still> still(job.meshes.size());
  std::vector<MeshEntries> moving(job.meshes.size());
  for (std::size_t m = 0; m < job.meshes.size(); ++m) {
    const CacheMesh& mesh = job.meshes[m];
    const std::string prefix = job.meshes.size() == 1 ? "" : job.keys[m] + "/";
    const std::uint64_t vertices = mesh.vertex_count;
    // Signed where it fits: differences of indices and -1 then mean what people expect.
    const bool fits = vertices <= std::uint64_t{std::numeric_limits<std::int32_t>::max()} + 1;
    FLEXOR_ASSIGN(still[m].faces, plan.Add(prefix + "faces", fits ? "<i4" : "<u4", 4,
                                           {mesh.triangles.size() / 3, 3}));
    if (!mesh.texcoords.empty()) {
      FLEXOR_ASSIGN(still[m].texcoords, plan.Add(prefix + "texcoords", "<f4", 4, {vertices, 2}));
    }
    FLEXOR_ASSIGN(moving[m].points, plan.Add(prefix + "points", "<f4", 4, {frames, vertices, 3}));
    if (mesh.has_normals) {
      FLEXOR_ASSIGN(moving[m].normals,
                    plan.Add(prefix + "normals", "<f4", 4, {frames, vertices, 3}));
    }
  }
  FLEXOR_ASSIGN(ZipWriter zip, ZipWriter::Create(job.path, std::move(plan.entries_)));
  auto stream = std::make_unique<NpzStream>(std::move(zip), job, std::move(moving));
  for (std::size_t i = 0; i < plan.headers_.size(); ++i) {
    FLEXOR_TRY(stream->PutHeader(i, plan.headers_[i]));
  }
  std::vector<std::uint32_t> points(meta.begin(), meta.end());
  FLEXOR_TRY(stream->Put(meta_entry, std::span<const std::uint32_t>(points)));
  FLEXOR_TRY(stream->Put(times_entry, std::span<const double>(settings.times)));
  for (std::size_t m = 0; m < job.meshes.size(); ++m) {
    FLEXOR_TRY(stream->Put(still[m].faces, job.meshes[m].triangles));
    if (!job.meshes[m].texcoords.empty()) {
      FLEXOR_TRY(stream->Put(still[m].texcoords, Flat<float>(job.meshes[m].texcoords)));
    }
  }
  return std::unique_ptr<CacheStream>(std::move(stream));
}

}  // namespace flexor::io
