#include "flexor/deform/deformer.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "flexor/core/aligned_buffer.h"
#include "flexor/math/aabb.h"

#include "core/guard.h"

namespace flexor::deform {
namespace {

/// Arrays that a mesh's results lie in.
struct MeshBuffers {
  AlignedBuffer<Vec3f> positions, normals;
  AlignedBuffer<Vec4f> tangents;
  std::vector<Vec3d> exact;
};

std::size_t JointCountOf(const asset::Character& character, const asset::MeshInstance& instance) {
  if (instance.skin == asset::kNone) return 1;
  return character.skins[static_cast<std::size_t>(instance.skin)].joints.size();
}

/// The mean of all joints, or of all nodes when nothing is skinned.
Vec3d MiddleOf(const asset::Character& character, const std::vector<Mat34d>& model_from_node) {
  Vec3d sum;
  double count = 0;
  for (const asset::Skin& skin : character.skins) {
    for (const std::uint32_t joint : skin.joints) sum += model_from_node[joint].translation;
    count += static_cast<double>(skin.joints.size());
  }
  if (count == 0) {
    for (const Mat34d& node : model_from_node) sum += node.translation;
    count = static_cast<double>(model_from_node.size());
  }
  return count > 0 ? sum / count : Vec3d{};
}

// How many sizes of itself a character must be from the origin before it is deformed near its own
// middle and put in its place afterwards: until there, floats lose a few units in the last place.
constexpr double kFarInSizes = 16;

/// The size of the pose and of its meshes, whichever is larger.
double SizeOf(const asset::Character& character, const std::vector<Mat34d>& model_from_node,
              const Vec3d& middle, double mesh_size) {
  double size = mesh_size;
  for (const asset::Skin& skin : character.skins) {
    for (const std::uint32_t joint : skin.joints) {
      size = std::max(size, Length(model_from_node[joint].translation - middle));
    }
  }
  return size;
}

/// Rounded once: the sum of a float and a point, made in double.
void MoveBy(const Vec3d& offset, const OutputViews& out) {
  for (std::size_t v = 0; v < out.positions.size(); ++v) {
    Vec3f& p = out.positions[v];
    p = Cast<float>(Cast<double>(p) + offset);
  }
  for (std::size_t v = 0; v < out.exact_positions.size(); ++v) out.exact_positions[v] += offset;
}

Error WrongSize(const asset::Character& character, const std::string& what, std::size_t given,
                std::size_t wanted) {
  return {ErrorCode::kShapeMismatch,
          "there are " + std::to_string(given) + " " + what + " for " + std::to_string(wanted),
          {character.source.path, "character '" + character.name + "'", {}}};
}

Status CheckPose(const asset::Character& character, const asset::PosedCharacter& posed) {
  if (posed.model_from_node.size() != character.nodes.size()) {
    return WrongSize(character, "node matrices in the pose", posed.model_from_node.size(),
                     character.nodes.size());
  }
  if (posed.palettes.size() != character.skins.size()) {
    return WrongSize(character, "palettes in the pose", posed.palettes.size(),
                     character.skins.size());
  }
  if (posed.morph_weights.size() != character.instances.size()) {
    return WrongSize(character, "sets of morph weights in the pose", posed.morph_weights.size(),
                     character.instances.size());
  }
  return {};
}

/// A position that no float holds has no picture and no number: said here, once for all users.
Status CheckFinite(const asset::Character& character, std::uint32_t instance,
                   const OutputViews& out) {
  bool finite = true;
  for (std::size_t v = 0; v < out.positions.size(); ++v) finite &= IsFinite(out.positions[v]);
  for (std::size_t v = 0; v < out.positions.size() && !finite; ++v) {
    if (IsFinite(out.positions[v])) continue;
    return Error{ErrorCode::kInvalidValue,
                 "the pose takes vertex " + std::to_string(v) + " beyond the range of a float",
                 {character.source.path, "mesh '" + character.instances[instance].name + "'", {}}};
  }
  return {};
}

}  // namespace

struct DeformedCharacter::Impl {
  std::vector<DeformedMesh> meshes;
  std::vector<MeshBuffers> buffers;  // one for each mesh, or none: the memory is the caller's
  std::vector<OutputViews> views;    // one for each mesh
  Vec3d output_origin;
  Vec3d place;  // added to what the backend writes
};

DeformedCharacter::DeformedCharacter() = default;
DeformedCharacter::~DeformedCharacter() = default;
DeformedCharacter::DeformedCharacter(DeformedCharacter&&) noexcept = default;
DeformedCharacter& DeformedCharacter::operator=(DeformedCharacter&&) noexcept = default;

std::span<const DeformedMesh> DeformedCharacter::meshes() const {
  return impl_ != nullptr ? std::span<const DeformedMesh>(impl_->meshes)
                          : std::span<const DeformedMesh>();
}
Vec3d DeformedCharacter::output_origin() const {
  return impl_ != nullptr ? impl_->output_origin : Vec3d{};
}

struct Deformer::Impl {
  const asset::Character* character = nullptr;
  DeformerSettings settings;
  std::unique_ptr<Backend> backend;
  std::vector<std::shared_ptr<const PreparedPlan>> plans;
  std::vector<std::uint32_t> instances;
  std::vector<std::size_t> plan_of_instance;  // into plans, one for each of instances
  double mesh_size = 0;
  Scratch scratch;
  std::vector<DeformJob> jobs;

  Status AddInstances();
  Status Begin(const CrowdMember& member);
  Status End(const CrowdMember& member, std::span<const DeformJob> done) const;
};

/// Instances of one mesh share a plan as long as they have as many joints; and on the same ones,
/// where the plan looks at their places.
Status Deformer::Impl::AddInstances() {
  const bool same_joints = DependsOnBindPose(settings.deform);
  std::map<std::tuple<std::uint32_t, bool, std::size_t, std::int32_t>, std::size_t> known;
  for (std::uint32_t i = 0; i < character->instances.size(); ++i) {
    const asset::MeshInstance& instance = character->instances[i];
    if (!instance.visible && !settings.all_instances) continue;
    const auto [entry, added] = known.try_emplace(
        {instance.mesh, instance.skin == asset::kNone, JointCountOf(*character, instance),
         same_joints ? instance.skin : asset::kNone},
        plans.size());
    if (added) {
      FLEXOR_ASSIGN(const DeformPlan plan, BuildDeformPlan(*character, i, settings.deform));
      FLEXOR_ASSIGN(auto prepared, backend->Prepare(plan));
      plans.push_back(std::move(prepared));
      Aabbf box;
      for (const Vec3f& p : character->meshes[instance.mesh].positions) box.Add(p);
      if (!box.empty()) mesh_size = std::max(mesh_size, double{box.Extent()});
    }
    instances.push_back(i);
    plan_of_instance.push_back(entry->second);
  }
  return {};
}

/// Adds the jobs of one character.
Status Deformer::Impl::Begin(const CrowdMember& member) {
  if (member.posed == nullptr || member.out == nullptr) {
    return Error{ErrorCode::kInvalidArgument,
                 "a member of the crowd has no pose or no results",
                 {character->source.path, "character '" + character->name + "'", {}}};
  }
  const asset::PosedCharacter& posed = *member.posed;
  FLEXOR_TRY(CheckPose(*character, posed));
  if (member.out->meshes().size() != instances.size()) {
    return WrongSize(*character, "results", member.out->meshes().size(), instances.size());
  }
  DeformedCharacter::Impl& out = *member.out->impl_;
  const Vec3d middle = MiddleOf(*character, posed.model_from_node);
  const double size = SizeOf(*character, posed.model_from_node, middle, mesh_size);
  // A character far away is deformed near its own middle all the same, and then moved there.
  const bool far = !settings.near_origin && Length(middle) > kFarInSizes * size;
  out.output_origin = settings.near_origin ? middle : Vec3d{};
  out.place = far ? middle : Vec3d{};
  for (std::size_t i = 0; i < instances.size(); ++i) {
    DeformJob job;
    job.plan = plans[plan_of_instance[i]].get();
    job.in.palette = asset::PaletteOf(*character, posed, instances[i]);
    job.in.morph_weights = posed.morph_weights[instances[i]];
    job.in.output_origin = far ? middle : out.output_origin;
    job.out = out.views[i];
    jobs.push_back(job);
  }
  return {};
}

Status Deformer::Impl::End(const CrowdMember& member, std::span<const DeformJob> done) const {
  DeformedCharacter::Impl& out = *member.out->impl_;
  for (std::size_t i = 0; i < instances.size(); ++i) {
    out.meshes[i].report = done[i].report;
    if (!(out.place == Vec3d{})) MoveBy(out.place, out.views[i]);
    FLEXOR_TRY(CheckFinite(*character, instances[i], out.views[i]));
  }
  return {};
}

Deformer::Deformer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Deformer::~Deformer() = default;
Deformer::Deformer(Deformer&&) noexcept = default;
Deformer& Deformer::operator=(Deformer&&) noexcept = default;

Result<Deformer> Deformer::Create(const asset::Character& character,
                                  const DeformerSettings& settings) {
  return GuardAllocations("a character was made ready to deform", [&]() -> Result<Deformer> {
    auto impl = std::make_unique<Impl>();
    impl->character = &character;
    impl->settings = settings;
    FLEXOR_ASSIGN(impl->backend, CreateBackend(settings.backend, settings.backend_options));
    FLEXOR_TRY(impl->AddInstances());
    return Deformer(std::move(impl));
  });
}

std::span<const std::uint32_t> Deformer::instances() const { return impl_->instances; }
const PreparedPlan& Deformer::prepared(std::size_t index) const {
  return *impl_->plans[impl_->plan_of_instance[index]];
}
const Backend& Deformer::backend() const { return *impl_->backend; }

Result<DeformedCharacter> Deformer::CreateResults() const {
  return GuardAllocations("results were made", [&]() -> Result<DeformedCharacter> {
    std::vector<MeshBuffers> buffers(impl_->instances.size());
    std::vector<OutputViews> views;
    const bool exact = impl_->settings.exact && impl_->settings.backend == BackendKind::kReference;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      const DeformPlan& plan = prepared(i).plan();
      MeshBuffers& mesh = buffers[i];
      mesh.positions.resize(plan.vertex_count());
      if (plan.has_normals()) mesh.normals.resize(plan.vertex_count());
      if (plan.has_tangents() && impl_->settings.tangents) {
        mesh.tangents.resize(plan.vertex_count());
      }
      if (exact) mesh.exact.resize(plan.vertex_count());
      views.push_back({mesh.positions, mesh.normals, mesh.tangents, mesh.exact});
    }
    FLEXOR_ASSIGN(DeformedCharacter out, CreateResults(views));
    out.impl_->buffers = std::move(buffers);
    for (std::size_t i = 0; i < out.impl_->buffers.size(); ++i) {
      const MeshBuffers& mesh = out.impl_->buffers[i];
      DeformedMesh& shown = out.impl_->meshes[i];
      shown.positions = mesh.positions;
      shown.normals = mesh.normals;
      shown.tangents = mesh.tangents;
      shown.exact = mesh.exact;
    }
    return out;
  });
}

Result<DeformedCharacter> Deformer::CreateResults(std::span<const OutputViews> views) const {
  return GuardAllocations("results were made", [&]() -> Result<DeformedCharacter> {
    const std::vector<std::uint32_t>& instances = impl_->instances;
    if (views.size() != instances.size()) {
      return WrongSize(*impl_->character, "sets of output views", views.size(), instances.size());
    }
    DeformedCharacter out;
    out.impl_ = std::make_unique<DeformedCharacter::Impl>();
    out.impl_->views.assign(views.begin(), views.end());
    out.impl_->meshes.resize(instances.size());
    for (std::size_t i = 0; i < instances.size(); ++i) {
      out.impl_->meshes[i].instance = instances[i];
    }
    return out;
  });
}

Status Deformer::Deform(const asset::PosedCharacter& posed, DeformedCharacter& out) {
  const CrowdMember member{&posed, &out};
  return Deform({&member, 1});
}

Status Deformer::Deform(std::span<const CrowdMember> crowd) {
  return GuardAllocations("a character was deformed", [&]() -> Status {
    Impl& impl = *impl_;
    impl.jobs.clear();
    for (const CrowdMember& member : crowd) FLEXOR_TRY(impl.Begin(member));
    FLEXOR_TRY(impl.backend->Run(impl.jobs, impl.scratch));
    const std::size_t meshes = impl.instances.size();
    for (std::size_t i = 0; i < crowd.size(); ++i) {
      FLEXOR_TRY(impl.End(crowd[i], std::span(impl.jobs).subspan(i * meshes, meshes)));
    }
    return {};
  });
}

}  // namespace flexor::deform
