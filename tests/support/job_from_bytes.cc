#include "support/job_from_bytes.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "support/spherical.h"

namespace flexor::test {
namespace {

using asset::SkinningMethod;
using deform::DqsResidual;

/// Reads bytes as numbers, and zeros after the last one.
class Bytes {
 public:
  explicit Bytes(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  std::uint32_t Next() { return at_ < bytes_.size() ? bytes_[at_++] : 0; }
  std::uint32_t Below(std::uint32_t count) { return Next() % count; }
  bool Coin() { return Next() % 2 == 1; }
  /// [0, 1], both ends included.
  double Unit() { return Next() / 255.0; }
  /// [-1, 1), with zero.
  double Signed() { return (static_cast<double>(Next()) - 128) / 128; }
  Vec3d Vector() {
    const double x = Signed(), y = Signed();
    return {x, y, Signed()};
  }
  template <class T, std::size_t N>
  T OneOf(const T (&choices)[N]) {
    return choices[Below(N)];
  }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
};

Mat34d JointOf(Bytes& in, double size) {
  Mat34d m = Turn(Normalized(in.Vector(), Vec3d{0, 0, 1}), in.Signed() * 360);
  m.translation = in.Vector() * size;
  const auto diagonal = [&](double x, double y, double z) { m = m * Scaling({x, y, z}); };
  switch (in.Below(12)) {
    case 1: {
      const double s = 0.25 + 2 * in.Unit();
      diagonal(s, s, s);
      break;
    }
    case 2:
      diagonal(0.25 + in.Unit(), 0.25 + in.Unit(), 0.25 + in.Unit());
      break;
    case 3:
      m.linear.y += m.linear.x * (2 * in.Signed());
      m.linear.z += m.linear.y * in.Signed();
      break;
    case 4:
      diagonal(1 + in.Signed(), -1, 1);
      break;
    case 5:
      diagonal(in.Unit(), in.Unit(), 0);
      break;
    case 6:
      m.linear = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
      break;
    case 7: {
      const double s = std::pow(10.0, 12 * in.Signed());
      diagonal(s, s, s);
      break;
    }
    case 8:
      diagonal(std::pow(10.0, 6 * in.Signed()), std::pow(10.0, 6 * in.Signed()), 1);
      break;
    case 9:  // rigid to within the tolerance for it, or just not
      diagonal(1 + 2e-4 * in.Signed(), 1, 1);
      break;
    case 10:
      m.linear = {in.Vector(), in.Vector(), in.Vector()};
      break;
    case 11:
      m = {};
      break;
    default:
      break;
  }
  return m;
}

Run InfluencesOfVertex(Bytes& in, std::uint32_t joints, std::uint32_t most) {
  Run run;
  const std::uint32_t count = in.Below(most + 1);
  for (std::uint32_t i = 0; i < count; ++i) {
    // Now and then nothing, equal weights, or one that hardly counts.
    constexpr float kFew[] = {0.0f, 0.5f, 1.0f, 1e-6f, 1e-30f};
    const std::uint32_t joint = in.Below(joints), kind = in.Next();
    const float weight = kind < 16 ? kFew[kind % 5] : static_cast<float>(kind) / 255;
    run.push_back({joint, weight});
  }
  return run;
}

asset::Morph MorphOf(Bytes& in, const asset::Mesh& mesh, double size) {
  asset::Morph morph;
  const bool sparse = in.Coin();
  for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) {
    if (sparse && in.Coin()) continue;
    if (sparse) morph.vertices.push_back(v);
    morph.positions.push_back(Cast<float>(in.Vector() * (0.5 * size)));
    if (!mesh.normals.empty()) morph.normals.push_back(Cast<float>(in.Vector() * 0.5));
    if (!mesh.tangents.empty()) morph.tangents.push_back(Cast<float>(in.Vector() * 0.5));
  }
  return morph;
}

}  // namespace

Job JobOfBytes(std::span<const std::uint8_t> bytes) {
  Bytes in(bytes);
  Job job;
  constexpr std::optional<SkinningMethod> kMethods[] = {std::nullopt, SkinningMethod::kLinear,
                                                        SkinningMethod::kDualQuaternion};
  constexpr DqsResidual kResiduals[] = {DqsResidual::kVertex, DqsResidual::kOrigin,
                                        DqsResidual::kUsd};
  constexpr double kSizes[] = {1, 1e-3, 12.5, 1e3};
  const std::optional<SkinningMethod> method = in.OneOf(kMethods);
  job.settings.method = method;
  job.settings.dqs.residual = in.OneOf(kResiduals);
  const std::uint32_t flags = in.Next();
  const bool normals = (flags & 1) == 0, tangents = (flags & 2) == 0;
  if ((flags & 4) != 0) job.order = deform::OutputOrder::kPrepared;
  if ((flags & 8) != 0) job.settings.sdef.rotation = deform::SdefRotation::kNlerp;
  if ((flags & 16) != 0) job.settings.weights.zero = asset::ZeroWeightPolicy::kCollapse;
  if ((flags & 32) != 0) job.settings.weights.max_influences = 2;
  // Raw weights are promised something for linear blending alone.
  if ((flags & 64) != 0 && method == SkinningMethod::kLinear) {
    job.settings.weights = asset::WeightPolicy::Raw();
  }
  const bool shares = (flags & 128) != 0;
  const double size = in.OneOf(kSizes);
  const std::uint32_t joints = 1 + in.Below(8), most = 1 + in.Below(6);
  const std::uint32_t vertices = 1 + in.Below(40), morphs = in.Below(4);
  const Vec3d center = in.Below(4) == 3 ? in.Vector() * (100 * size) : Vec3d{};
  if (in.Below(4) == 3) job.output_origin = in.Vector() * (10 * size);
  for (std::uint32_t j = 0; j < joints; ++j) job.palette.push_back(JointOf(in, size));

  // Spherical vertices name joints whatever the method, as a file's do.
  const std::uint32_t spherical_every = in.Below(4);
  std::vector<Run> runs;
  for (std::uint32_t v = 0; v < vertices; ++v) {
    const Vec3d position = center + in.Vector() * size;
    job.mesh.positions.push_back(Cast<float>(position));
    runs.push_back(InfluencesOfVertex(in, joints, most));
    if (normals) {
      job.mesh.normals.push_back(Cast<float>(Normalized(in.Vector(), Vec3d{0, 1, 0})));
    }
    if (tangents) {
      const Vec3f t = Cast<float>(Normalized(in.Vector(), Vec3d{1, 0, 0}));
      job.mesh.tangents.push_back({t.x, t.y, t.z, in.Coin() ? 1.0f : -1.0f});
    }
    if (shares) {
      constexpr float kShares[] = {0, 1, 0.25f, 0.999f};
      job.mesh.dqs_weights.push_back(in.OneOf(kShares));
    }
    if (spherical_every != 0 && v % spherical_every == 0) {
      Sdef sdef;
      sdef.joints = {in.Below(joints), in.Below(joints)};
      sdef.weight = static_cast<float>(1.5 * in.Unit() - 0.25);
      sdef.center = Cast<float>(position + in.Vector() * (0.5 * size));
      sdef.r0 = Cast<float>(position + in.Vector() * (0.5 * size));
      sdef.r1 = Cast<float>(position + in.Vector() * (0.5 * size));
      AddSdef(job.mesh, v, sdef);
    }
  }
  job.mesh.name = "fuzzed";
  job.mesh.influences = InfluencesOf(runs);
  for (std::uint32_t m = 0; m < morphs; ++m) {
    job.mesh.morphs.push_back(MorphOf(in, job.mesh, size));
    job.morph_weights.push_back(static_cast<float>(in.Signed() * 2));
  }
  return job;
}

}  // namespace flexor::test
