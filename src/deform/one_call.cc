#include <numeric>
#include <string>

#include "flexor/deform/backend.h"
#include "flexor/deform/morph_accumulate.h"
#include "flexor/deform/skin_dqs.h"
#include "flexor/deform/skin_lbs.h"
#include "flexor/deform/skin_sdef.h"

#include "core/guard.h"

namespace flexor::deform {
namespace {

Result<FrameReport> RunOnce(const DeformPlan& plan, const FrameInputs& in, const OutputViews& out) {
  // The CPU backend where the build has one; the reference computes the same, slower.
  auto backend = CreateBackend(BackendKind::kCpu);
  if (!backend.ok() && backend.error().code == ErrorCode::kBackendMissing) {
    backend = CreateBackend(BackendKind::kReference);
  }
  if (!backend.ok()) return std::move(backend).error();
  FLEXOR_ASSIGN(const std::shared_ptr<const PreparedPlan> prepared, (*backend)->Prepare(plan));
  Scratch scratch;
  return (*backend)->Run(*prepared, in, out, scratch);
}

Status CheckRectangle(const SkinInputs& in, const char* what, std::size_t size) {
  const std::size_t wanted = in.positions.size() * in.influences_per_vertex;
  if (size == wanted) return {};
  return Error{ErrorCode::kShapeMismatch,
               "there are " + std::to_string(size) + " " + what + ", but " +
                   std::to_string(in.positions.size()) + " positions times " +
                   std::to_string(in.influences_per_vertex) + " influences make " +
                   std::to_string(wanted),
               {{}, what, {}}};
}

/// The runs of a rectangular table, without its unused slots.
asset::Influences RunsOf(const SkinInputs& in) {
  asset::Influences out;
  out.offsets.push_back(0);
  for (std::size_t v = 0; v < in.positions.size(); ++v) {
    for (std::size_t k = 0; k < in.influences_per_vertex; ++k) {
      const std::size_t i = v * in.influences_per_vertex + k;
      // Zero on a joint that exists is an empty slot; on one that does not it stays, to be named.
      if (in.weights[i] == 0.0f && in.joints[i] < in.palette.size()) continue;
      out.joints.push_back(in.joints[i]);
      out.weights.push_back(in.weights[i]);
    }
    out.offsets.push_back(static_cast<std::uint32_t>(out.joints.size()));
  }
  return out;
}

Result<FrameReport> SkinOnce(const SkinInputs& in, const OutputViews& out,
                             const DeformSettings& settings) {
  return GuardAllocations("a mesh was deformed", [&]() -> Result<FrameReport> {
    FLEXOR_TRY(CheckRectangle(in, "joints", in.joints.size()));
    FLEXOR_TRY(CheckRectangle(in, "weights", in.weights.size()));
    asset::Mesh mesh;
    mesh.name = "arrays";
    mesh.positions.assign(in.positions.begin(), in.positions.end());
    mesh.normals.assign(in.normals.begin(), in.normals.end());
    mesh.tangents.assign(in.tangents.begin(), in.tangents.end());
    mesh.influences = RunsOf(in);
    FLEXOR_ASSIGN(const DeformPlan plan, BuildDeformPlan(mesh, in.palette.size(), settings));
    return RunOnce(plan, {in.palette, {}, {}}, out);
  });
}

}  // namespace

Result<FrameReport> SkinLbs(const SkinInputs& in, const OutputViews& out) {
  DeformSettings settings;
  settings.method = asset::SkinningMethod::kLinear;
  settings.weights = in.policy;
  return SkinOnce(in, out, settings);
}

Result<FrameReport> SkinDqs(const SkinInputs& in, const OutputViews& out, DqsResidual residual) {
  DeformSettings settings;
  settings.method = asset::SkinningMethod::kDualQuaternion;
  settings.dqs.residual = residual;
  settings.weights = in.policy;
  return SkinOnce(in, out, settings);
}

Result<FrameReport> SkinSdef(const SdefInputs& in, const OutputViews& out, SdefRotation rotation) {
  return GuardAllocations("a mesh was deformed", [&]() -> Result<FrameReport> {
    const std::size_t vertices = in.positions.size();
    asset::Mesh mesh;
    mesh.name = "arrays";
    mesh.positions.assign(in.positions.begin(), in.positions.end());
    mesh.normals.assign(in.normals.begin(), in.normals.end());
    mesh.tangents.assign(in.tangents.begin(), in.tangents.end());
    mesh.sdef.vertices.resize(vertices);
    std::iota(mesh.sdef.vertices.begin(), mesh.sdef.vertices.end(), 0u);
    mesh.sdef.joints.assign(in.joints.begin(), in.joints.end());
    mesh.sdef.weights.assign(in.weights.begin(), in.weights.end());
    mesh.sdef.centers.assign(in.centers.begin(), in.centers.end());
    mesh.sdef.r0.assign(in.r0.begin(), in.r0.end());
    mesh.sdef.r1.assign(in.r1.begin(), in.r1.end());
    DeformSettings settings;
    settings.sdef.rotation = rotation;
    FLEXOR_ASSIGN(const DeformPlan plan, BuildDeformPlan(mesh, in.palette.size(), settings));
    return RunOnce(plan, {in.palette, {}, {}}, out);
  });
}

Status MorphAccumulate(const asset::Mesh& mesh, std::span<const float> morph_weights,
                       const OutputViews& out) {
  return GuardAllocations("a mesh was morphed", [&]() -> Status {
    asset::Mesh unskinned = mesh;
    unskinned.influences = {};
    unskinned.sdef = {};
    unskinned.dqs_weights.clear();
    unskinned.skinning = asset::SkinningMethod::kLinear;
    FLEXOR_ASSIGN(const DeformPlan plan, BuildDeformPlan(unskinned, 1, {}));
    const Mat34d identity;
    FLEXOR_TRY(RunOnce(plan, {std::span(&identity, 1), morph_weights, {}}, out));
    return {};
  });
}

}  // namespace flexor::deform
