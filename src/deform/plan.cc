#include "flexor/deform/plan.h"

#include <numeric>
#include <string>
#include <utility>

#include "flexor/deform/derive_sdef.h"

#include "core/guard.h"
#include "deform/method_table.h"
#include "deform/plan_check.h"
#include "deform/plan_data.h"

namespace flexor::deform {
namespace {

/// Weight 1 on joint 0 for every vertex: how a mesh without influences rides on its node.
asset::Influences RideOnJointZero(std::size_t vertex_count) {
  asset::Influences out;
  out.offsets.resize(vertex_count + 1);
  std::iota(out.offsets.begin(), out.offsets.end(), 0u);
  out.joints.assign(vertex_count, 0);
  out.weights.assign(vertex_count, 1.0f);
  return out;
}

/// First joint, as the zero-weight policy chose it, may be joint 0 of a palette without joints.
Status CheckRepaired(const PlanData& data) {
  for (std::size_t v = 0; v < data.vertex_count(); ++v) {
    for (std::size_t i = data.influences.offsets[v]; i < data.influences.offsets[v + 1]; ++i) {
      if (data.influences.joints[i] < data.joint_count) continue;
      return Error{ErrorCode::kIndexOutOfRange,
                   "the vertex has no weight and is to follow joint " +
                       std::to_string(data.influences.joints[i]) + ", but there are " +
                       std::to_string(data.joint_count) + " joints",
                   {{}, "mesh '" + data.mesh_name + "', vertex " + std::to_string(v), {}}};
    }
  }
  return {};
}

Vec3d CenterOf(std::span<const Vec3f> positions) {
  Aabbd box;
  for (const Vec3f& p : positions) box.Add(Cast<double>(p));
  return box.Center();
}

template <class T>
std::size_t BytesOf(const std::vector<T>& values) {
  return values.capacity() * sizeof(T);
}

std::size_t BytesOf(const PlanData& data) {
  std::size_t bytes = sizeof(PlanData) + BytesOf(data.positions) + BytesOf(data.normals) +
                      BytesOf(data.tangents) + BytesOf(data.influences.offsets) +
                      BytesOf(data.influences.joints) + BytesOf(data.influences.weights);
  ForEachMethodArray(data.methods, data.payloads,
                     [&](const auto& array) { bytes += BytesOf(array); });
  for (const asset::Morph& morph : data.morphs) {
    bytes += BytesOf(morph.vertices) + BytesOf(morph.positions) + BytesOf(morph.normals) +
             BytesOf(morph.tangents);
  }
  return bytes;
}

struct PlanInputs {
  const asset::Mesh& mesh;
  std::size_t joint_count;
  const asset::SdefVertices& derived;  ///< centres of vertices that have none in the mesh
};

Result<std::shared_ptr<PlanData>> BuildPlanData(const PlanInputs& in,
                                                const DeformSettings& settings) {
  const asset::Mesh& mesh = in.mesh;
  FLEXOR_TRY(CheckMesh(mesh, in.joint_count));

  auto data = std::make_shared<PlanData>();
  data->mesh_name = mesh.name;
  data->settings = settings;
  data->joint_count = in.joint_count;
  data->positions = mesh.positions;
  if (settings.normals != NormalMode::kNone) data->normals = mesh.normals;
  data->tangents = mesh.tangents;
  data->morphs = mesh.morphs;
  data->rest_center = CenterOf(data->positions);
  VertexMethods resolved = ResolveMethods(mesh, in.derived, settings);
  data->methods = std::move(resolved.column);
  data->payloads = std::move(resolved.payloads);
  data->needs = NeedsOf(data->methods);

  if (mesh.influences.empty()) {
    data->influences = RideOnJointZero(data->vertex_count());
    data->weight_report.max_influences = data->vertex_count() > 0 ? 1 : 0;
  } else {
    data->influences =
        asset::RepairWeights(mesh.influences, settings.weights, &data->weight_report);
    FLEXOR_TRY(CheckRepaired(*data));
  }
  return data;
}

/// The plan of a mesh on its own.
Result<std::shared_ptr<PlanData>> PlanMesh(const asset::Mesh& mesh, std::size_t joint_count,
                                           const DeformSettings& settings) {
  if (DependsOnBindPose(settings)) {
    return Error{ErrorCode::kInvalidArgument,
                 "spherical centres are derived from the bind pose of a skin; build the plan from "
                 "an instance of a character, or give the mesh centres and take the method 'file'",
                 {{}, "mesh '" + mesh.name + "'", {}}};
  }
  return BuildPlanData({mesh, joint_count, {}}, settings);
}

/// The plan of an instance of a character.
Result<std::shared_ptr<PlanData>> PlanInstance(const asset::Character& character,
                                               std::uint32_t instance,
                                               const DeformSettings& settings) {
  if (instance >= character.instances.size()) {
    return Error{ErrorCode::kIndexOutOfRange,
                 "there is no mesh instance " + std::to_string(instance) + "; the character has " +
                     std::to_string(character.instances.size()),
                 {character.source.path, "character '" + character.name + "'", {}}};
  }
  const asset::MeshInstance& shown = character.instances[instance];
  if (shown.mesh >= character.meshes.size()) {
    return Error{ErrorCode::kIndexOutOfRange,
                 "the instance names mesh " + std::to_string(shown.mesh) + "; the character has " +
                     std::to_string(character.meshes.size()),
                 {character.source.path, "instance '" + shown.name + "'", {}}};
  }
  for (const MaterialMethod& chosen : settings.material_methods) {
    if (chosen.material == asset::kNone) continue;  // faces without a material
    if (chosen.material >= 0 &&
        static_cast<std::size_t>(chosen.material) < character.materials.size()) {
      continue;
    }
    return Error{ErrorCode::kIndexOutOfRange,
                 "a method is chosen for material " + std::to_string(chosen.material) +
                     "; the character has " + std::to_string(character.materials.size()),
                 {character.source.path, "character '" + character.name + "'", {}}};
  }
  const asset::Mesh& mesh = character.meshes[shown.mesh];
  if (shown.skin == asset::kNone) {
    if (mesh.influences.empty()) return BuildPlanData({mesh, 1, {}}, settings);
    // Without a skin there are no joints that the influences could mean: the mesh rides on its
    // node like one that never had any.
    asset::Mesh rigid = mesh;
    rigid.influences = {};
    rigid.sdef = {};
    return BuildPlanData({rigid, 1, {}}, settings);
  }
  if (static_cast<std::size_t>(shown.skin) >= character.skins.size()) {
    return Error{ErrorCode::kIndexOutOfRange,
                 "the instance names skin " + std::to_string(shown.skin) + "; the character has " +
                     std::to_string(character.skins.size()),
                 {character.source.path, "instance '" + shown.name + "'", {}}};
  }
  const asset::Skin& skin = character.skins[static_cast<std::size_t>(shown.skin)];
  asset::SdefVertices derived;
  if (DependsOnBindPose(settings)) {
    // Deriving reads what the check of a plan is about.
    FLEXOR_TRY(CheckMesh(mesh, skin.joints.size()));
    derived = DeriveSdef(mesh, skin, character.nodes, settings.weights);
  }
  return BuildPlanData({mesh, skin.joints.size(), derived}, settings);
}

}  // namespace

Result<DeformPlan> BuildDeformPlan(const asset::Mesh& mesh, std::size_t joint_count,
                                   const DeformSettings& settings) {
  return GuardAllocations("a plan was built", [&]() -> Result<DeformPlan> {
    FLEXOR_ASSIGN(auto data, PlanMesh(mesh, joint_count, settings));
    return PlanOf(std::move(data));
  });
}

Result<DeformPlan> BuildDeformPlan(const asset::Character& character, std::uint32_t instance,
                                   const DeformSettings& settings) {
  return GuardAllocations("a plan was built", [&]() -> Result<DeformPlan> {
    FLEXOR_ASSIGN(auto data, PlanInstance(character, instance, settings));
    return PlanOf(std::move(data));
  });
}

DeformPlan PlanOf(std::shared_ptr<const PlanData> data) {
  DeformPlan plan;
  plan.data_ = std::move(data);
  return plan;
}

const PlanData& DeformPlan::data() const {
  static const PlanData empty;
  return data_ != nullptr ? *data_ : empty;
}

std::size_t DeformPlan::vertex_count() const { return data().vertex_count(); }
std::size_t DeformPlan::joint_count() const { return data().joint_count; }
std::size_t DeformPlan::morph_count() const { return data().morphs.size(); }
bool DeformPlan::has_normals() const { return !data().normals.empty(); }
bool DeformPlan::has_tangents() const { return !data().tangents.empty(); }
const DeformSettings& DeformPlan::settings() const { return data().settings; }
const asset::WeightReport& DeformPlan::weight_report() const { return data().weight_report; }
const asset::Influences& DeformPlan::influences() const { return data().influences; }
std::size_t DeformPlan::vertex_count(asset::SkinningMethod method) const {
  return data().methods.counts[IndexOf(method)];
}
std::size_t DeformPlan::bytes() const { return BytesOf(data()); }

}  // namespace flexor::deform
