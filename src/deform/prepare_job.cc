#include "flexor/deform/prepare_job.h"

#include <string>
#include <utility>

#include "flexor/deform/saved_plan.h"

#include "core/byte_stream.h"
#include "core/guard.h"
#include "deform/plan_bytes.h"

namespace flexor::deform {
namespace {

/// The inputs of a job, looked up.
struct Inputs {
  const asset::Mesh* mesh = nullptr;
  const asset::Skin* skin = nullptr;  ///< null: none
};

Result<Inputs> InputsOf(const PrepareJob& job) {
  if (job.character == nullptr) {
    return Error{ErrorCode::kInvalidArgument, "the job has no character", {}};
  }
  const asset::Character& character = *job.character;
  const auto missing = [&](const char* what, std::size_t index, std::size_t count) {
    return Error{ErrorCode::kIndexOutOfRange,
                 "there is no " + std::string(what) + " " + std::to_string(index) +
                     "; the character has " + std::to_string(count),
                 {character.source.path, "character '" + character.name + "'", {}}};
  };
  if (job.instance >= character.instances.size()) {
    return missing("mesh instance", job.instance, character.instances.size());
  }
  const asset::MeshInstance& instance = character.instances[job.instance];
  if (instance.mesh >= character.meshes.size()) {
    return missing("mesh", instance.mesh, character.meshes.size());
  }
  Inputs inputs{&character.meshes[instance.mesh], nullptr};
  if (instance.skin == asset::kNone) return inputs;
  const auto skin = static_cast<std::size_t>(instance.skin);
  if (skin >= character.skins.size()) return missing("skin", skin, character.skins.size());
  inputs.skin = &character.skins[skin];
  return inputs;
}

/// Sums of arrays, and small things as they are.
class KeyWriter {
 public:
  template <class T>
  void Number(T value) {
    bytes_.Number(value);
  }
  template <class T>
  void Array(const std::vector<T>& values) {
    Number(std::uint64_t{values.size()});
    Number(Checksum(std::as_bytes(std::span(values))));
  }
  ByteWriter& bytes() { return bytes_; }
  std::uint64_t Take() const { return Checksum(bytes_.bytes()); }

 private:
  ByteWriter bytes_;
};

void AddMesh(const asset::Mesh& mesh, KeyWriter& key) {
  key.bytes().Text(mesh.name);
  key.Array(mesh.positions);
  key.Array(mesh.normals);
  key.Array(mesh.tangents);
  for (const asset::Morph& morph : mesh.morphs) {
    key.bytes().Text(morph.name);
    key.Array(morph.vertices);
    key.Array(morph.positions);
    key.Array(morph.normals);
    key.Array(morph.tangents);
  }
  key.Array(mesh.influences.offsets);
  key.Array(mesh.influences.joints);
  key.Array(mesh.influences.weights);
  key.Array(mesh.dqs_weights);
  key.Array(mesh.sdef.vertices);
  key.Array(mesh.sdef.joints);
  key.Array(mesh.sdef.weights);
  key.Array(mesh.sdef.centers);
  key.Array(mesh.sdef.r0);
  key.Array(mesh.sdef.r1);
  key.Number(mesh.skinning);
}

/// What only some settings look at: faces for methods of materials, the bind pose for centres that
/// are derived from it.
void AddRest(const PrepareJob& job, const Inputs& inputs, KeyWriter& key) {
  if (!job.deform.material_methods.empty()) {
    key.Array(inputs.mesh->triangles);
    key.Array(inputs.mesh->subsets);
  }
  if (inputs.skin == nullptr || !DependsOnBindPose(job.deform)) return;
  key.Array(inputs.skin->joints);
  key.Array(inputs.skin->joint_from_mesh);
  for (const asset::Node& node : job.character->nodes) key.Number(node.parent);
}

Result<std::uint64_t> KeyOf(const PrepareJob& job, const Inputs& inputs, const Backend& backend) {
  KeyWriter key;
  key.Number(kSavedPlanVersion);
  key.Number(backend.Info().kind);
  key.Number(job.prepare.order);
  WriteSettings(job.deform, key.bytes());
  key.Number(std::uint64_t{inputs.skin == nullptr ? 0 : inputs.skin->joints.size() + 1});
  AddMesh(*inputs.mesh, key);
  AddRest(job, inputs, key);
  return key.Take();
}

Error Stopped(const asset::Mesh& mesh) {
  return {ErrorCode::kCancelled,
          "stopped while a plan was built",
          {{}, "mesh '" + mesh.name + "'", {}}};
}

}  // namespace

Result<std::uint64_t> PrepareJob::Key(const Backend& backend) const {
  return GuardAllocations("a plan was named", [&]() -> Result<std::uint64_t> {
    FLEXOR_ASSIGN(const Inputs inputs, InputsOf(*this));
    return KeyOf(*this, inputs, backend);
  });
}

Result<PreparedByJob> PrepareJob::Run(const Backend& backend, std::span<const std::byte> cached,
                                      ProgressFn progress) const {
  return GuardAllocations("a plan was prepared", [&]() -> Result<PreparedByJob> {
    FLEXOR_ASSIGN(const Inputs inputs, InputsOf(*this));
    PreparedByJob out;
    FLEXOR_ASSIGN(out.key, KeyOf(*this, inputs, backend));
    if (!cached.empty()) {
      const auto saved = SavedPlanKey(cached);
      if (saved.ok() && *saved == out.key) {
        auto loaded = LoadPrepared(backend, cached);
        if (loaded.ok()) {
          out.plan = *std::move(loaded);
          out.from_cache = true;
          return out;
        }
      }
    }
    const std::uint64_t vertices = inputs.mesh->vertex_count();
    if (progress && !progress({"plan", 0, vertices})) return Stopped(*inputs.mesh);
    FLEXOR_ASSIGN(const DeformPlan plan, BuildDeformPlan(*character, instance, deform));
    if (progress && !progress({"plan", vertices, vertices})) return Stopped(*inputs.mesh);
    FLEXOR_ASSIGN(out.plan, backend.Prepare(plan, prepare, progress));
    return out;
  });
}

}  // namespace flexor::deform
