#include "support/rigs.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <numbers>
#include <numeric>

#include "flexor/core/digest.h"

namespace flexor::test {
namespace {

double Uniform(std::mt19937& random, double low, double high) {
  // Not std::uniform_real_distribution: its values differ between standard libraries.
  return low + (high - low) * (static_cast<double>(random()) / 4294967296.0);
}

std::size_t Below(std::mt19937& random, std::size_t count) {
  return std::min(count - 1,
                  static_cast<std::size_t>(Uniform(random, 0, static_cast<double>(count))));
}

Vec3d InCube(std::mt19937& random, double half) {
  const double x = Uniform(random, -half, half), y = Uniform(random, -half, half);
  return {x, y, Uniform(random, -half, half)};
}

Vec3d Direction(std::mt19937& random) {
  for (;;) {
    const Vec3d v = InCube(random, 1);
    if (Dot(v, v) > 0.01 && Dot(v, v) < 1) return Normalized(v);
  }
}

template <class T>
T Must(Result<T> result, const char* what) {
  if (!result.ok()) {
    std::cerr << what << ": " << result.error().ToString() << std::endl;
    std::abort();
  }
  return std::move(result).value();
}

Run RandomRun(const RigShape& shape, std::mt19937& random) {
  const std::size_t most = std::min(shape.max_influences, shape.joints);
  const std::size_t count = 1 + Below(random, most);
  Run run;
  while (run.size() < count) {
    const auto joint = static_cast<std::uint32_t>(Below(random, shape.joints));
    const bool used =
        std::any_of(run.begin(), run.end(), [&](auto& i) { return i.first == joint; });
    if (!used) run.push_back({joint, static_cast<float>(Uniform(random, 0.05, 1))});
  }
  return run;
}

asset::Morph RandomMorph(const asset::Mesh& mesh, bool sparse, double size, std::mt19937& random) {
  asset::Morph morph;
  morph.name = sparse ? "sparse" : "dense";
  const auto add = [&] {
    morph.positions.push_back(Cast<float>(InCube(random, 0.2 * size)));
    if (!mesh.normals.empty()) morph.normals.push_back(Cast<float>(InCube(random, 0.3)));
    if (!mesh.tangents.empty()) morph.tangents.push_back(Cast<float>(InCube(random, 0.3)));
  };
  for (std::size_t v = 0; v < mesh.vertex_count(); ++v) {
    if (sparse && Below(random, 3) != 0) continue;
    if (sparse) morph.vertices.push_back(static_cast<std::uint32_t>(v));
    add();
  }
  return morph;
}

}  // namespace

Mat34d Translation(const Vec3d& offset) { return {{}, offset}; }
Mat34d Scaling(const Vec3d& factors) {
  return {{{factors.x, 0, 0}, {0, factors.y, 0}, {0, 0, factors.z}}, {}};
}
Mat34d Turn(const Vec3d& axis, double degrees) {
  return {ToMat3(FromAxisAngle(axis, degrees * std::numbers::pi / 180)), {}};
}
Mat34d About(const Vec3d& point, const Mat34d& m) {
  return Translation(point) * m * Translation(-point);
}

asset::Influences InfluencesOf(const std::vector<Run>& runs) {
  asset::Influences out;
  out.offsets.push_back(0);
  for (const Run& run : runs) {
    for (const auto& [joint, weight] : run) {
      out.joints.push_back(joint);
      out.weights.push_back(weight);
    }
    out.offsets.push_back(static_cast<std::uint32_t>(out.joints.size()));
  }
  return out;
}

asset::Mesh MeshOf(std::vector<Vec3f> positions, const std::vector<Run>& runs) {
  asset::Mesh mesh;
  mesh.name = "test";
  mesh.positions = std::move(positions);
  mesh.influences = InfluencesOf(runs);
  return mesh;
}

asset::Mesh OneVertex(const Vec3f& position, const Run& run, const Vec3f& normal,
                      const Vec4f& tangent) {
  asset::Mesh mesh = MeshOf({position}, {run});
  mesh.normals = {normal};
  mesh.tangents = {tangent};
  return mesh;
}

asset::Mesh TwistTube() {
  constexpr std::uint32_t kSegments = 12, kRings = 5;
  constexpr double kRadius = 0.5, kHeight = 4;
  asset::Mesh mesh;
  mesh.name = "twist";
  std::vector<Run> runs;
  for (std::uint32_t ring = 0; ring < kRings; ++ring) {
    for (std::uint32_t s = 0; s < kSegments; ++s) {
      const double angle = 2 * std::numbers::pi * s / kSegments;
      const Vec3d out{std::cos(angle), 0, std::sin(angle)};
      const double y = kHeight * (ring / double{kRings - 1} - 0.5);
      mesh.positions.push_back(Cast<float>(out * kRadius + Vec3d{0, y, 0}));
      mesh.normals.push_back(Cast<float>(out));
      const float upper = ring < 2 ? 0.0f : ring == 2 ? 0.5f : 1.0f;
      runs.push_back({{0, 1 - upper}, {1, upper}});
    }
  }
  for (std::uint32_t ring = 0; ring + 1 < kRings; ++ring) {
    for (std::uint32_t s = 0; s < kSegments; ++s) {
      const std::uint32_t a = ring * kSegments + s, b = ring * kSegments + (s + 1) % kSegments;
      const std::uint32_t c = b + kSegments, d = a + kSegments;
      for (const std::uint32_t v : {a, b, c, a, c, d}) mesh.triangles.push_back(v);
    }
  }
  mesh.influences = InfluencesOf(runs);
  return mesh;
}

asset::Mesh RandomRig(const RigShape& shape, std::uint32_t seed) {
  std::mt19937 random(seed);
  asset::Mesh mesh;
  mesh.name = "random";
  std::vector<Run> runs;
  for (std::size_t v = 0; v < shape.vertices; ++v) {
    mesh.positions.push_back(Cast<float>(InCube(random, 0.5 * shape.size)));
    runs.push_back(RandomRun(shape, random));
    const Vec3d normal = Direction(random);
    const Vec3d tangent = Normalized(Cross(normal, Direction(random)), Vec3d{1, 0, 0});
    if (shape.normals) mesh.normals.push_back(Cast<float>(normal));
    if (shape.tangents) {
      const Vec3f t = Cast<float>(tangent);
      mesh.tangents.push_back({t.x, t.y, t.z, random() % 2 == 0 ? 1.0f : -1.0f});
    }
  }
  mesh.influences = InfluencesOf(runs);
  for (std::size_t m = 0; m < shape.morphs; ++m) {
    mesh.morphs.push_back(RandomMorph(mesh, m % 2 == 1, shape.size, random));
  }
  return mesh;
}

Mat34d RandomRigid(std::mt19937& random, double degrees, double reach) {
  const Vec3d axis = Direction(random);
  Mat34d m = Turn(axis, Uniform(random, -degrees, degrees));
  m.translation = InCube(random, reach);
  return m;
}

std::vector<Mat34d> RandomPalette(std::size_t joints, JointKind kind, std::uint32_t seed,
                                  double degrees, double reach) {
  std::mt19937 random(seed);
  std::vector<Mat34d> palette;
  for (std::size_t j = 0; j < joints; ++j) {
    Mat34d m = RandomRigid(random, degrees, reach);
    const double u = Uniform(random, 0.5, 2);
    const Vec3d uneven{Uniform(random, 0.5, 2), Uniform(random, 0.5, 2), Uniform(random, 0.5, 2)};
    const double shear = Uniform(random, -1, 1);
    switch (kind) {
      case JointKind::kRigid:
        break;
      case JointKind::kUniform:
        m = m * Scaling({u, u, u});
        break;
      case JointKind::kScaled:
        m = m * Scaling(uneven);
        break;
      case JointKind::kNasty:
        switch (j % 6) {
          case 1:
            m = m * Scaling(uneven);
            break;
          case 2:
            m.linear.y += m.linear.x * shear;
            break;
          case 3:
            m = m * Scaling({-uneven.x, uneven.y, uneven.z});
            break;
          case 4:
            m = m * Scaling({1, 0, 1});
            break;
          case 5:
            if (j == 5) m.linear = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
            break;
          default:
            break;
        }
        break;
    }
    palette.push_back(m);
  }
  return palette;
}

std::vector<BackendCase> CpuCases() {
  std::vector<BackendCase> cases;
  for (const std::string& target : deform::SimdTargets()) {
    BackendCase& added = cases.emplace_back();
    added.kind = deform::BackendKind::kCpu;
    added.options.threads = 1;
    added.options.simd_target = target;
    added.name = "cpu_" + target;
  }
  return cases;
}

std::vector<BackendCase> BackendCases() {
  std::vector<BackendCase> cases(1);
  cases.front().name = "reference";
  for (BackendCase& cpu : CpuCases()) cases.push_back(std::move(cpu));
  return cases;
}

Result<deform::DeformPlan> PlanOf(const Job& job) {
  return deform::BuildDeformPlan(job.mesh, job.palette.size(), job.settings);
}

std::shared_ptr<const deform::PreparedPlan> Prepared(const deform::Backend& backend,
                                                     const deform::DeformPlan& plan,
                                                     deform::OutputOrder order) {
  return Must(backend.Prepare(plan, {order}), "Prepare");
}

Shape DeformPlanned(const BackendCase& backend_case, const deform::DeformPlan& plan,
                    const Job& job) {
  const auto backend =
      Must(deform::CreateBackend(backend_case.kind, backend_case.options), "CreateBackend");
  const auto prepared = Prepared(*backend, plan, job.order);
  deform::Scratch scratch;
  Shape shape;
  const auto order = prepared->caller_from_output();
  shape.caller_from_output.assign(order.begin(), order.end());
  shape.positions.resize(plan.vertex_count());
  if (plan.has_normals()) shape.normals.resize(plan.vertex_count());
  if (plan.has_tangents()) shape.tangents.resize(plan.vertex_count());
  shape.report = Must(backend->Run(*prepared, {job.palette, job.morph_weights, job.output_origin},
                                   {shape.positions, shape.normals, shape.tangents}, scratch),
                      "Run");
  return shape;
}

Shape Deform(const BackendCase& backend, const Job& job) {
  return DeformPlanned(backend, Must(PlanOf(job), "BuildDeformPlan"), job);
}

Shape InCallersOrder(const Shape& shape) {
  Shape out = shape;
  for (std::size_t i = 0; i < shape.caller_from_output.size(); ++i) {
    const std::uint32_t v = shape.caller_from_output[i];
    out.positions[v] = shape.positions[i];
    if (!shape.normals.empty()) out.normals[v] = shape.normals[i];
    if (!shape.tangents.empty()) out.tangents[v] = shape.tangents[i];
  }
  out.caller_from_output.clear();
  return out;
}

std::uint64_t DigestOfShape(const Shape& shape) {
  std::uint64_t digest = DigestOf(std::span<const Vec3f>(shape.positions));
  digest = DigestOf(std::span<const Vec3f>(shape.normals), digest);
  return DigestOf(std::span<const Vec4f>(shape.tangents), digest);
}

std::vector<MethodCase> MethodCases() {
  using deform::DqsResidual;
  std::vector<MethodCase> cases(5);
  cases[0].name = "lbs";
  cases[0].settings.method = asset::SkinningMethod::kLinear;
  const DqsResidual residuals[] = {DqsResidual::kVertex, DqsResidual::kOrigin, DqsResidual::kUsd};
  for (std::size_t i = 0; i < 3; ++i) {
    cases[i + 1].name = "dqs_" + std::string(deform::DqsResidualName(residuals[i]));
    cases[i + 1].settings.method = asset::SkinningMethod::kDualQuaternion;
    cases[i + 1].settings.dqs.residual = residuals[i];
  }
  cases[4].name = "mixed";
  cases[4].mixed = true;
  return cases;
}

Job WithMethod(Job job, const MethodCase& method) {
  const asset::WeightPolicy weights = job.settings.weights;
  job.settings = method.settings;
  job.settings.weights = weights;
  job.mesh.dqs_weights.clear();
  if (method.mixed) {
    job.mesh.dqs_weights.resize(job.mesh.vertex_count());
    constexpr float kShares[] = {0.25f, 0.0f, 1.0f, 0.5f, 0.9f};
    for (std::size_t v = 0; v < job.mesh.vertex_count(); ++v) {
      job.mesh.dqs_weights[v] = kShares[v % std::size(kShares)];
    }
  }
  return job;
}

double ReachOf(const Job& job) {
  double largest_rest = 0, largest_size = 0, largest_translation = 0;
  for (const Vec3f& p : job.mesh.positions) {
    largest_rest = std::max(largest_rest, Length(Cast<double>(p)));
  }
  for (std::size_t m = 0; m < job.morph_weights.size(); ++m) {
    double largest_offset = 0;
    for (const Vec3f& d : job.mesh.morphs[m].positions) {
      largest_offset = std::max(largest_offset, Length(Cast<double>(d)));
    }
    largest_rest += largest_offset * std::abs(static_cast<double>(job.morph_weights[m]));
  }
  for (const Mat34d& m : job.palette) {
    const Mat3d& a = m.linear;
    largest_size = std::max(largest_size, std::sqrt(Dot(a.x, a.x) + Dot(a.y, a.y) + Dot(a.z, a.z)));
    largest_translation = std::max(largest_translation, Length(m.translation - job.output_origin));
  }
  return largest_size * largest_rest + largest_translation;
}

}  // namespace flexor::test
