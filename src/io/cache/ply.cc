// Stanford PLY, binary little-endian: a text header, then vertices, then triangles.
// Layout: docs/formats/ply.md.
#include <utility>

#include "io/cache/stream.h"
#include "io/encode.h"

namespace flexor::io {
namespace {

constexpr std::endian kLittle = std::endian::little;

class PlyStream final : public FilePerFrameStream {
 public:
  using FilePerFrameStream::FilePerFrameStream;

 protected:
  Status WriteFrame(AtomicFile& file, std::span<const CacheFrame> frame) override {
    const CacheMesh& mesh = job().meshes[0];
    FLEXOR_TRY(file.Write(Header(mesh)));
    std::vector<std::byte> scratch;
    for (std::size_t start = 0; start < mesh.vertex_count; start += kChunk) {
      scratch.clear();
      for (std::size_t v = start; v < std::min(start + kChunk, mesh.vertex_count); ++v) {
        PutVec3(scratch, frame[0].positions[v]);
        if (mesh.has_normals) PutVec3(scratch, frame[0].normals[v]);
        if (!mesh.texcoords.empty()) {
          AppendScalar<kLittle>(scratch, mesh.texcoords[v].x);
          AppendScalar<kLittle>(scratch, 1 - mesh.texcoords[v].y);
        }
      }
      FLEXOR_TRY(file.Write(scratch));
    }
    static_assert(kChunk >= 3);
    for (std::size_t start = 0; start < mesh.triangles.size(); start += kChunk / 3 * 3) {
      scratch.clear();
      const std::size_t end = std::min(start + kChunk / 3 * 3, mesh.triangles.size());
      for (std::size_t i = start; i < end; i += 3) {
        AppendScalar<kLittle>(scratch, std::uint8_t{3});
        AppendScalars<kLittle>(scratch, mesh.triangles.subspan(i, 3));
      }
      FLEXOR_TRY(file.Write(scratch));
    }
    return {};
  }

 private:
  static void PutVec3(std::vector<std::byte>& out, const Vec3f& v) {
    for (std::size_t axis = 0; axis < 3; ++axis) AppendScalar<kLittle>(out, v[axis]);
  }

  std::string Header(const CacheMesh& mesh) const {
    std::string text = "ply\nformat binary_little_endian 1.0\nobj_info " + job().keys[0] +
                       "\nelement vertex " + std::to_string(mesh.vertex_count) +
                       "\nproperty float x\nproperty float y\nproperty float z\n";
    if (mesh.has_normals) text += "property float nx\nproperty float ny\nproperty float nz\n";
    if (!mesh.texcoords.empty()) text += "property float s\nproperty float t\n";
    text += "element face " + std::to_string(mesh.triangles.size() / 3) +
            "\nproperty list uchar int vertex_indices\nend_header\n";
    return text;
  }
};

}  // namespace

StreamResult OpenPly(StreamJob job) {
  FLEXOR_TRY(FitsInt32(job.meshes[0].vertex_count, "vertices", job));
  FLEXOR_TRY(FitsInt32(job.meshes[0].triangles.size() / 3, "triangles", job));
  return std::unique_ptr<CacheStream>(std::make_unique<PlyStream>(std::move(job)));
}

}  // namespace flexor::io
