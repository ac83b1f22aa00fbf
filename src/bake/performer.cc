#include "flexor/bake/performer.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "flexor/core/aligned_buffer.h"
#include "flexor/math/aabb.h"
#include "flexor/pose/palette.h"

#include "bake/mmd_player.h"

namespace flexor::bake {
namespace {

// One drawn instance: its plan and the arrays that its result lies in.
struct Part {
  std::size_t plan = 0;  // index into Impl::plans
  pose::Palette palette;
  AlignedBuffer<Vec3f> positions, normals;
  AlignedBuffer<Vec4f> tangents;
  std::vector<Vec3d> exact;
};

}  // namespace

struct Performer::Impl {
  const asset::Character* character = nullptr;
  std::vector<pose::Override> overrides;
  std::unique_ptr<deform::Backend> backend;
  std::vector<std::shared_ptr<const deform::PreparedPlan>> plans;
  std::vector<deform::DeformJob> jobs;  // one for each part
  deform::Scratch scratch;
  std::vector<Part> parts;
  std::vector<InstanceResult> results;
  pose::Pose rest, pose;
  std::optional<MmdPlayer> mmd;
  std::vector<Mat34d> model_from_node;
  bool near_origin = false;
  double mesh_size = 0;
  Vec3d output_origin;
};

namespace {

// The mean of all joints, or of all nodes when nothing is skinned.
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

// The size of the pose and of its meshes, whichever is larger.
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

// Rounded once: the sum of a float and a point, made in double.
void MoveBy(const Vec3d& offset, std::span<Vec3f> positions, std::span<Vec3d> exact) {
  for (Vec3f& p : positions) p = Cast<float>(Cast<double>(p) + offset);
  for (Vec3d& p : exact) p += offset;
}

// A position that no float holds has no picture and no number: said here, once for all users.
Status CheckFinite(const asset::Character& character, const InstanceResult& result) {
  bool finite = true;
  for (const Vec3f& p : result.positions) finite &= IsFinite(p);
  if (finite) return {};
  const auto bad = std::find_if_not(result.positions.begin(), result.positions.end(),
                                    [](const Vec3f& p) { return IsFinite(p); });
  return Error{
      ErrorCode::kInvalidValue,
      "the pose takes vertex " + std::to_string(bad - result.positions.begin()) +
          " beyond the range of a float",
      {character.source.path, "mesh '" + character.instances[result.instance].name + "'", {}}};
}

}  // namespace

Performer::Performer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Performer::~Performer() = default;
Performer::Performer(Performer&&) noexcept = default;
Performer& Performer::operator=(Performer&&) noexcept = default;

Result<Performer> Performer::Create(const asset::Character& character,
                                    const PerformerSettings& settings) {
  auto impl = std::make_unique<Impl>();
  impl->character = &character;
  impl->overrides = settings.overrides;
  impl->near_origin = settings.near_origin;
  impl->rest = pose::RestPose(character);
  impl->pose = impl->rest;
  // A misspelt override is found here, not at the first frame.
  FLEXOR_TRY(pose::ApplyOverrides(character, impl->overrides, impl->pose));
  FLEXOR_ASSIGN(impl->backend, CreateBackend(settings.backend, settings.backend_options));
  if (character.mmd) {
    FLEXOR_ASSIGN(impl->mmd, MmdPlayer::Create(character, settings.mmd));
  }

  // Instances of one mesh share a plan as long as they hang on as many joints; and on the same
  // ones, where the plan looks at their places.
  const bool same_joints = deform::DerivesSdef(settings.deform);
  std::map<std::tuple<std::uint32_t, std::size_t, std::int32_t>, std::size_t> known;
  for (std::uint32_t i = 0; i < character.instances.size(); ++i) {
    const asset::MeshInstance& instance = character.instances[i];
    if (!instance.visible && !settings.all_instances) continue;
    Part part;
    const auto [entry, added] =
        known.try_emplace({instance.mesh, pose::PaletteSize(character, instance),
                           same_joints ? instance.skin : asset::kNone},
                          impl->plans.size());
    if (added) {
      FLEXOR_ASSIGN(deform::DeformPlan plan,
                    deform::BuildDeformPlan(character, i, settings.deform));
      FLEXOR_ASSIGN(auto prepared, impl->backend->Prepare(plan));
      impl->plans.push_back(std::move(prepared));
    }
    part.plan = entry->second;
    const deform::DeformPlan& plan = impl->plans[part.plan]->plan();
    part.positions.resize(plan.vertex_count());
    const bool normals = settings.deform.normals != deform::NormalMode::kNone;
    if (plan.has_normals() && normals) part.normals.resize(plan.vertex_count());
    if (plan.has_tangents() && settings.tangents) part.tangents.resize(plan.vertex_count());
    const bool in_double = settings.backend == deform::BackendKind::kReference;
    if (settings.exact && in_double) part.exact.resize(plan.vertex_count());
    impl->parts.push_back(std::move(part));
    impl->results.push_back({i, {}, {}, {}, {}, {}});
  }
  for (const InstanceResult& result : impl->results) {
    Aabbf box;
    for (const Vec3f& p : character.meshes[character.instances[result.instance].mesh].positions) {
      box.Add(p);
    }
    if (!box.empty()) impl->mesh_size = std::max(impl->mesh_size, double{box.Extent()});
  }
  for (std::size_t i = 0; i < impl->parts.size(); ++i) {
    Part& part = impl->parts[i];
    impl->results[i].positions = part.positions;
    impl->results[i].normals = part.normals;
    impl->results[i].tangents = part.tangents;
    impl->results[i].exact = part.exact;
    deform::DeformJob job;
    job.plan = impl->plans[part.plan].get();
    job.out = {part.positions, part.normals, part.tangents, part.exact};
    impl->jobs.push_back(job);
  }
  FLEXOR_ASSIGN(impl->scratch, impl->backend->CreateScratch(impl->jobs));
  return Performer(std::move(impl));
}

Status Performer::Evaluate(std::optional<std::uint32_t> clip, double seconds) {
  Impl& impl = *impl_;
  const asset::Character& character = *impl.character;
  if (clip && *clip >= character.clips.size()) {
    return Error{ErrorCode::kIndexOutOfRange,
                 "clip " + std::to_string(*clip) + " does not exist; the character has " +
                     std::to_string(character.clips.size()),
                 {character.source.path, {}, {}}};
  }
  const auto pose_at = [&](double time, pose::Pose& pose) -> Status {
    // Every frame starts from rest, so that none remembers another. Assignment reuses the memory.
    pose = impl.rest;
    if (clip) pose::SampleClip(character.clips[*clip], time, pose);
    if (impl.overrides.empty()) return {};
    return pose::ApplyOverrides(character, impl.overrides, pose);
  };
  if (impl.mmd) {
    FLEXOR_TRY(impl.mmd->Evaluate(clip, seconds, pose_at, impl.pose, impl.model_from_node));
  } else {
    FLEXOR_TRY(pose_at(seconds, impl.pose));
    pose::ComputeWorld(character, impl.pose, impl.model_from_node);
  }
  const Vec3d middle = MiddleOf(character, impl.model_from_node);
  const double size = SizeOf(character, impl.model_from_node, middle, impl.mesh_size);
  // A character far away is deformed near its own middle all the same, and then moved there.
  const bool far = !impl.near_origin && Length(middle) > kFarInSizes * size;
  const Vec3d origin = impl.near_origin || far ? middle : Vec3d{};
  if (impl.near_origin) impl.output_origin = origin;
  for (std::size_t i = 0; i < impl.parts.size(); ++i) {
    Part& part = impl.parts[i];
    const std::uint32_t instance = impl.results[i].instance;
    pose::ComputePalette(character, character.instances[instance], impl.model_from_node,
                         part.palette);
    impl.jobs[i].in = {part.palette, impl.pose.morph_weights[instance], origin};
  }
  FLEXOR_TRY(impl.backend->Run(impl.jobs, impl.scratch));
  for (std::size_t i = 0; i < impl.parts.size(); ++i) {
    impl.results[i].report = impl.jobs[i].report;
    if (far) MoveBy(origin, impl.parts[i].positions, impl.parts[i].exact);
    FLEXOR_TRY(CheckFinite(character, impl.results[i]));
  }
  return {};
}

Status CheckHasMesh(const asset::Character& character, const Performer& performer) {
  if (!performer.results().empty()) return {};
  const std::size_t hidden = character.instances.size();
  return Error{ErrorCode::kInvalidValue,
               hidden == 0
                   ? "the character shows no mesh, so there is nothing to deform"
                   : "the character shows no mesh in its default scene; " + std::to_string(hidden) +
                         " outside it are taken only when all instances are asked for",
               {character.source.path,
                hidden == 0 ? std::string() : "PerformerSettings::all_instances",
                {}}};
}

std::span<const InstanceResult> Performer::results() const { return impl_->results; }
const std::vector<Mat34d>& Performer::model_from_node() const { return impl_->model_from_node; }
Vec3d Performer::output_origin() const { return impl_->output_origin; }
const pose::MmdPhysicsReport* Performer::physics() const {
  return impl_->mmd ? impl_->mmd->report() : nullptr;
}
const deform::DeformPlan& Performer::plan(std::size_t result_index) const {
  return impl_->plans[impl_->parts[result_index].plan]->plan();
}
const deform::Backend& Performer::backend() const { return *impl_->backend; }

}  // namespace flexor::bake
