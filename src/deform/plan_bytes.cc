#include "deform/plan_bytes.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "deform/method_table.h"
#include "deform/plan_check.h"

namespace flexor::deform {
namespace {

using asset::SkinningMethod;

constexpr auto kLastMethod = static_cast<SkinningMethod>(asset::kSkinningMethods - 1);

Error Broken(const PlanData& plan, const std::string& what) {
  return {ErrorCode::kParse,
          "the saved plan contradicts itself: " + what,
          {{}, "mesh '" + plan.mesh_name + "'", {}}};
}

void WriteFlag(bool flag, ByteWriter& out) { out.Number(static_cast<std::uint8_t>(flag)); }

void WriteChoice(const std::optional<SkinningMethod>& method, ByteWriter& out) {
  WriteFlag(method.has_value(), out);
  out.Number(method.value_or(SkinningMethod{}));
}

std::optional<SkinningMethod> ReadChoice(ByteReader& in) {
  const bool chosen = in.Flag();
  const auto method = in.Enumerator(kLastMethod);
  return chosen ? std::optional(method) : std::nullopt;
}

void ReadSettings(ByteReader& in, DeformSettings& settings) {
  constexpr std::size_t kBytesOfOne = 4 + 1 + 1;
  settings.method = ReadChoice(in);
  settings.material_methods.resize(in.Count(kBytesOfOne));
  for (MaterialMethod& one : settings.material_methods) {
    one.material = in.Number<std::int32_t>();
    one.method = ReadChoice(in);
  }
  settings.dqs.residual = in.Enumerator(DqsResidual::kUsd);
  settings.sdef.mode = in.Enumerator(SdefMode::kAuthor);
  settings.sdef.rotation = in.Enumerator(SdefRotation::kNlerp);
  settings.normals = in.Enumerator(NormalMode::kNone);
  settings.weights.normalize = in.Flag();
  settings.weights.clamp_negative = in.Flag();
  settings.weights.max_influences = in.Number<std::uint32_t>();
  settings.weights.zero = in.Enumerator(asset::ZeroWeightPolicy::kFirstJoint);
}

/// Calls f(number) for each number of a report.
template <class Report, class F>
void ForEachNumber(Report&& report, F f) {
  f(report.normalized);
  f(report.clamped);
  f(report.merged);
  f(report.zero_sum);
  f(report.limited);
  f(report.largest_dropped);
  f(report.max_influences);
  f(report.first_bad_vertex);
}

void ReadMorphs(ByteReader& in, std::vector<asset::Morph>& morphs) {
  morphs.resize(in.Count(5 * sizeof(std::uint64_t)));
  for (asset::Morph& morph : morphs) {
    morph.name = in.Text();
    in.Elements(morph.vertices);
    in.Elements(morph.positions);
    in.Elements(morph.normals);
    in.Elements(morph.tangents);
  }
}

/// The arrays of a mesh, checked as those of a mesh are.
Status CheckArrays(PlanData& plan) {
  asset::Mesh mesh;
  mesh.name = plan.mesh_name;
  mesh.positions = std::move(plan.positions);
  mesh.normals = std::move(plan.normals);
  mesh.tangents = std::move(plan.tangents);
  mesh.morphs = std::move(plan.morphs);
  mesh.influences = std::move(plan.influences);
  const Status status = CheckMesh(mesh, plan.joint_count);
  plan.positions = std::move(mesh.positions);
  plan.normals = std::move(mesh.normals);
  plan.tangents = std::move(mesh.tangents);
  plan.morphs = std::move(mesh.morphs);
  plan.influences = std::move(mesh.influences);
  return status;
}

Status CheckWeights(const PlanData& plan) {
  const asset::Influences& in = plan.influences;
  if (in.vertex_count() != plan.vertex_count() || in.empty()) {
    return Broken(plan, std::to_string(in.vertex_count()) + " runs of influences for " +
                            std::to_string(plan.vertex_count()) + " vertices");
  }
  if (!plan.settings.weights.normalize) return {};
  for (std::size_t v = 0; v < plan.vertex_count(); ++v) {
    double sum = 0;
    for (std::size_t i = in.offsets[v]; i < in.offsets[v + 1]; ++i) sum += double{in.weights[i]};
    if (in.offsets[v] == in.offsets[v + 1] || (std::isfinite(sum) && sum != 0)) continue;
    return Broken(plan, "the weights of vertex " + std::to_string(v) + " have no sum");
  }
  return {};
}

Status CheckSpherical(const PlanData& plan) {
  const SphericalPayload& spherical = plan.payloads.spherical;
  for (std::size_t i = 0; i < spherical.vertices.size(); ++i) {
    const SphericalVertex& v = spherical.vertices[i];
    if (v.pair < spherical.pairs.size() && std::isfinite(v.w0) && std::isfinite(v.w1) &&
        IsFinite(v.center) && IsFinite(v.r0) && IsFinite(v.r1)) {
      continue;
    }
    return Broken(plan, "spherical vertex " + std::to_string(i));
  }
  std::vector<std::uint32_t> joints;
  for (std::size_t i = 0; i < spherical.pairs.size(); ++i) {
    const auto& pair = spherical.pairs[i];
    if (pair[0] > pair[1] || pair[1] >= plan.joint_count ||
        (i > 0 && pair <= spherical.pairs[i - 1])) {
      return Broken(plan, "pair " + std::to_string(i) + " of joints");
    }
    joints.insert(joints.end(), pair.begin(), pair.end());
  }
  std::sort(joints.begin(), joints.end());
  joints.erase(std::unique(joints.begin(), joints.end()), joints.end());
  if (joints != spherical.joints) return Broken(plan, "the joints of its pairs");
  return {};
}

/// The methods of vertices and where their payloads are; counts them.
Status CheckMethods(PlanData& plan) {
  MethodColumn& column = plan.methods;
  const std::size_t vertices = plan.vertex_count();
  if ((!column.methods.empty() && column.methods.size() != vertices) ||
      (!column.entries.empty() && column.entries.size() != vertices)) {
    return Broken(plan, std::to_string(column.methods.size()) + " methods for " +
                            std::to_string(vertices) + " vertices");
  }
  for (std::size_t v = 0; v < vertices; ++v) {
    const std::size_t method = IndexOf(column.At(v)), entry = column.EntryOf(v);
    const EntriesRule kept =
        method < asset::kSkinningMethods ? RowOf(column.At(v)).entries : nullptr;
    if (method >= asset::kSkinningMethods || (kept != nullptr && entry >= kept(plan.payloads))) {
      return Broken(plan, "the method of vertex " + std::to_string(v));
    }
    ++column.counts[method];
  }
  for (const float weight : plan.payloads.mixed) {
    if (!(weight >= 0 && weight <= 1)) return Broken(plan, "a weight between two methods");
  }
  FLEXOR_TRY(CheckSpherical(plan));
  plan.needs = NeedsOf(column);
  return {};
}

}  // namespace

void WriteSettings(const DeformSettings& settings, ByteWriter& out) {
  WriteChoice(settings.method, out);
  out.Number(std::uint64_t{settings.material_methods.size()});
  for (const MaterialMethod& one : settings.material_methods) {
    out.Number(one.material);
    WriteChoice(one.method, out);
  }
  out.Number(settings.dqs.residual);
  out.Number(settings.sdef.mode);
  out.Number(settings.sdef.rotation);
  out.Number(settings.normals);
  WriteFlag(settings.weights.normalize, out);
  WriteFlag(settings.weights.clamp_negative, out);
  out.Number(settings.weights.max_influences);
  out.Number(settings.weights.zero);
}

void WritePlanData(const PlanData& plan, ByteWriter& out) {
  out.Text(plan.mesh_name);
  WriteSettings(plan.settings, out);
  out.Number(std::uint64_t{plan.joint_count});
  out.Elements(plan.positions);
  out.Elements(plan.normals);
  out.Elements(plan.tangents);
  out.Number(std::uint64_t{plan.morphs.size()});
  for (const asset::Morph& morph : plan.morphs) {
    out.Text(morph.name);
    out.Elements(morph.vertices);
    out.Elements(morph.positions);
    out.Elements(morph.normals);
    out.Elements(morph.tangents);
  }
  out.Elements(plan.influences.offsets);
  out.Elements(plan.influences.joints);
  out.Elements(plan.influences.weights);
  ForEachNumber(plan.weight_report, [&](auto number) { out.Number(number); });
  out.Number(plan.methods.uniform);
  ForEachMethodArray(plan.methods, plan.payloads, [&](const auto& array) { out.Elements(array); });
  for (std::size_t c = 0; c < 3; ++c) out.Number(plan.rest_center[c]);
}

Result<std::shared_ptr<const PlanData>> ReadPlanData(ByteReader& in) {
  auto plan = std::make_shared<PlanData>();
  plan->mesh_name = in.Text();
  ReadSettings(in, plan->settings);
  const auto joints = in.Number<std::uint64_t>();
  in.Elements(plan->positions);
  in.Elements(plan->normals);
  in.Elements(plan->tangents);
  ReadMorphs(in, plan->morphs);
  in.Elements(plan->influences.offsets);
  in.Elements(plan->influences.joints);
  in.Elements(plan->influences.weights);
  ForEachNumber(plan->weight_report, [&](auto& number) {
    number = in.Number<std::remove_reference_t<decltype(number)>>();
  });
  plan->methods.uniform = in.Enumerator(kLastMethod);
  ForEachMethodArray(plan->methods, plan->payloads, [&](auto& array) { in.Elements(array); });
  for (std::size_t c = 0; c < 3; ++c) plan->rest_center[c] = in.Number<double>();
  if (!in.ok()) return Broken(*plan, "it ends early or holds an unknown value");
  if (joints > kMostSavedJoints) {
    return Error{ErrorCode::kLimitExceeded,
                 "the saved plan has " + std::to_string(joints) +
                     " joints, more than the limit of " + std::to_string(kMostSavedJoints),
                 {{}, "mesh '" + plan->mesh_name + "'", {}}};
  }
  plan->joint_count = static_cast<std::size_t>(joints);
  if (!IsFinite(plan->rest_center)) return Broken(*plan, "its centre is not finite");
  FLEXOR_TRY(CheckArrays(*plan));
  FLEXOR_TRY(CheckWeights(*plan));
  FLEXOR_TRY(CheckMethods(*plan));
  return std::shared_ptr<const PlanData>(std::move(plan));
}

}  // namespace flexor::deform
