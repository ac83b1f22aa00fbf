// Wavefront OBJ: text, a file per frame, an object per mesh. Layout: docs/formats/obj.md.
#include <utility>

#include "io/cache/stream.h"
#include "io/cache/text.h"

namespace flexor::io {
namespace {

class ObjStream final : public FilePerFrameStream {
 public:
  using FilePerFrameStream::FilePerFrameStream;

 protected:
  Status WriteFrame(AtomicFile& file, std::span<const CacheFrame> frame) override {
    TextSink sink(file);
    Bases bases;
    for (std::size_t m = 0; m < frame.size(); ++m) {
      FLEXOR_TRY(WriteMesh(sink, m, frame[m], bases));
    }
    return sink.Flush();
  }

 private:
  // Indices count from 1 through the whole file, separately for each kind.
  struct Bases {
    std::uint64_t position = 1, texcoord = 1, normal = 1;
  };

  Status WriteMesh(TextSink& sink, std::size_t m, const CacheFrame& frame, Bases& bases) const {
    const CacheMesh& mesh = job().meshes[m];
    FLEXOR_TRY(sink.Put("o ").Put(job().keys[m]).End());
    for (const Vec3f& p : frame.positions) {
      FLEXOR_TRY(sink.Put("v ").Put(p.x).Put(" ").Put(p.y).Put(" ").Put(p.z).End());
    }
    // OBJ counts v from the bottom, the model from the top.
    for (const Vec2f& uv : mesh.texcoords) {
      FLEXOR_TRY(sink.Put("vt ").Put(uv.x).Put(" ").Put(1 - uv.y).End());
    }
    for (const Vec3f& n : frame.normals) {
      FLEXOR_TRY(sink.Put("vn ").Put(n.x).Put(" ").Put(n.y).Put(" ").Put(n.z).End());
    }
    const bool has_texcoords = !mesh.texcoords.empty(), has_normals = !frame.normals.empty();
    for (std::size_t i = 0; i < mesh.triangles.size(); i += 3) {
      sink.Put("f");
      for (std::size_t corner = 0; corner < 3; ++corner) {
        const std::uint32_t index = mesh.triangles[i + corner];
        sink.Put(" ").Put(bases.position + index);
        if (has_texcoords) sink.Put("/").Put(bases.texcoord + index);
        if (has_normals) sink.Put(has_texcoords ? "/" : "//").Put(bases.normal + index);
      }
      FLEXOR_TRY(sink.End());
    }
    bases.position += frame.positions.size();
    bases.texcoord += mesh.texcoords.size();
    bases.normal += frame.normals.size();
    return {};
  }
};

}  // namespace

StreamResult OpenObj(StreamJob job) {
  std::uint64_t vertices = 0;
  for (const CacheMesh& mesh : job.meshes) vertices += mesh.vertex_count;
  FLEXOR_TRY(FitsInt32(vertices, "vertices", job));
  return std::unique_ptr<CacheStream>(std::make_unique<ObjStream>(std::move(job)));
}

}  // namespace flexor::io
