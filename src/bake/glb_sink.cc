#include <set>
#include <utility>

#include "flexor/core/file.h"
#include "flexor/io/write_glb.h"

#include "bake/bake_sink.h"

namespace flexor::bake {
namespace {

class GlbSink : public BakeSink {
 public:
  GlbSink(const asset::Character& character, const BakeSettings& settings)
      : character_(character), path_(settings.path), labels_(FrameLabels(settings.times)) {
    // Names that become equal once they are fit for a file get a number.
    std::set<std::string> taken;
    for (const asset::MeshInstance& instance : character.instances) {
      const std::string plain = FileNamePart(instance.name);
      std::string name = plain;
      for (int n = 2; !taken.insert(name).second; ++n) name = plain + "_" + std::to_string(n);
      names_.push_back(std::move(name));
    }
  }

  Status Append(const Performer& performer, std::uint64_t index) override {
    const std::string path = Replaced(path_, "{frame}", labels_[index]);
    std::vector<io::PosedInstance> posed;
    for (const deform::DeformedMesh& result : performer.results()) {
      posed.push_back({result.instance, result.positions, result.normals, result.tangents});
    }
    if (path.find("{mesh}") == path.npos) return Write(path, posed);
    for (const io::PosedInstance& one : posed) {
      FLEXOR_TRY(Write(Replaced(path, "{mesh}", names_[one.instance]), {&one, 1}));
    }
    return {};
  }

  Status Finish() override {
    for (AtomicFile& file : sealed_) FLEXOR_TRY(file.Commit());
    return {};
  }
  std::vector<std::string> files() const override { return files_; }

 private:
  Status Write(const std::string& path, std::span<const io::PosedInstance> posed) {
    FLEXOR_ASSIGN(const std::vector<std::byte> bytes, io::EncodePosedGlb(character_, posed));
    FLEXOR_ASSIGN(AtomicFile file, AtomicFile::Create(path));
    FLEXOR_TRY(file.Write(bytes));
    FLEXOR_TRY(file.Seal());
    sealed_.push_back(std::move(file));
    files_.push_back(path);
    return {};
  }

  const asset::Character& character_;
  std::string path_;
  std::vector<std::string> labels_;
  std::vector<std::string> names_;  // per instance, for {mesh}
  std::vector<std::string> files_;
  std::vector<AtomicFile> sealed_;  // whole, under temporary names until Finish
};

}  // namespace

Result<std::unique_ptr<BakeSink>> MakeGlbSink(const asset::Character& character,
                                              const BakeSettings& settings, const Performer&) {
  if (settings.merge) {
    return Error{ErrorCode::kInvalidArgument,
                 "a .glb file holds several meshes with their materials; do not merge them",
                 {{}, "BakeSettings::merge", {}}};
  }
  return std::unique_ptr<BakeSink>(new GlbSink(character, settings));
}

}  // namespace flexor::bake
