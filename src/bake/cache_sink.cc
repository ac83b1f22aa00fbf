#include <cmath>
#include <utility>

#include <nlohmann/json.hpp>

#include "flexor/core/file.h"
#include "flexor/io/write_cache.h"

#include "bake/bake_sink.h"
#include "bake/merged_shape.h"

namespace flexor::bake {
namespace {

// The rate at which the samples follow each other, for formats that store one.
double SampleRate(const BakeSettings& settings) {
  if (settings.times.size() < 2) return settings.frames_per_second;
  const double gap = std::abs(settings.times[1].seconds - settings.times[0].seconds);
  return gap > 0 ? 1 / gap : settings.frames_per_second;
}

class CacheSink : public BakeSink {
 public:
  CacheSink(std::unique_ptr<io::CacheWriter> writer, std::unique_ptr<MergedShape> merged,
            std::string point_order_file)
      : writer_(std::move(writer)),
        merged_(std::move(merged)),
        point_order_file_(std::move(point_order_file)) {}

  Status Append(const Performer& performer, std::uint64_t) override {
    frame_.clear();
    if (merged_ != nullptr) {
      merged_->Gather(performer.results(), positions_, normals_);
      frame_.push_back({positions_, normals_});
    } else {
      for (const deform::DeformedMesh& result : performer.results()) {
        frame_.push_back({result.positions, result.normals});
      }
    }
    return writer_->Append(frame_);
  }

  Status Finish() override {
    FLEXOR_TRY(writer_->Finish());
    if (point_order_file_.empty()) return {};
    nlohmann::ordered_json map = nlohmann::ordered_json::array();
    for (const MergedShape::Part& part : merged_->parts()) {
      map.push_back(
          {{"mesh", part.name}, {"first_point", part.first_vertex}, {"points", part.vertex_count}});
    }
    const std::string text =
        map.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
    return WriteFile(point_order_file_, std::as_bytes(std::span(text)));
  }

  std::vector<std::string> files() const override { return writer_->files(); }
  std::string point_order_file() const override { return point_order_file_; }

 private:
  std::unique_ptr<io::CacheWriter> writer_;
  std::unique_ptr<MergedShape> merged_;
  std::string point_order_file_;
  std::vector<Vec3f> positions_, normals_;
  std::vector<io::CacheFrame> frame_;
};

}  // namespace

Result<std::unique_ptr<BakeSink>> MakeCacheSink(const asset::Character& character,
                                                const BakeSettings& settings, BakeFormat format,
                                                const Performer& performer) {
  std::unique_ptr<MergedShape> merged;
  std::vector<io::CacheMesh> meshes;
  std::string point_order_file;
  if (settings.merge) {
    merged = std::make_unique<MergedShape>(character, performer.results());
    const std::string name = character.name.empty() ? "character" : character.name;
    meshes.push_back({name, merged->vertex_count(), merged->has_normals(), merged->triangles(),
                      merged->texcoords()});
    if (format != BakeFormat::kNpz && merged->parts().size() > 1) {
      point_order_file = Replaced(settings.path, "{frame}", "all");
      point_order_file = Replaced(point_order_file, "{mesh}", FileNamePart(name)) + ".points.json";
    }
  } else {
    for (const deform::DeformedMesh& result : performer.results()) {
      const asset::MeshInstance& instance = character.instances[result.instance];
      const asset::Mesh& mesh = character.meshes[instance.mesh];
      meshes.push_back({instance.name, mesh.vertex_count(), !result.normals.empty(), mesh.triangles,
                        mesh.texcoords});
    }
  }
  io::CacheSettings cache;
  cache.format = CacheFormatOf(format);
  cache.frame_count = settings.times.size();
  for (const TimeSample& time : settings.times) {
    cache.times.push_back(time.seconds + settings.time_offset);
  }
  cache.frames_per_second = SampleRate(settings);
  cache.meta_json = BakeMetaJson(character, settings, performer);
  cache.frame_labels = FrameLabels(settings.times);
  FLEXOR_ASSIGN(std::unique_ptr<io::CacheWriter> writer,
                io::CacheWriter::Create(settings.path, std::move(meshes), std::move(cache)));
  return std::unique_ptr<BakeSink>(
      new CacheSink(std::move(writer), std::move(merged), std::move(point_order_file)));
}

}  // namespace flexor::bake
