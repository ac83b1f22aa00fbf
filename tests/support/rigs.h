/// @file tests/support/rigs.h
/// Tiny rigs made by code, every backend there is, and ways to compare what comes out.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "flexor/deform/backend.h"

namespace flexor::test {

// --- Matrices -----------------------------------------------------------------------------------

Mat34d Translation(const Vec3d& offset);
Mat34d Scaling(const Vec3d& factors);
Mat34d Turn(const Vec3d& axis, double degrees);
/// `m`, with `point` instead of the origin as the point it leaves in place.
Mat34d About(const Vec3d& point, const Mat34d& m);

// --- Meshes -------------------------------------------------------------------------------------

using Run = std::vector<std::pair<std::uint32_t, float>>;  ///< joint, weight

asset::Influences InfluencesOf(const std::vector<Run>& runs);
/// Positions and runs; no normals, tangents or triangles.
asset::Mesh MeshOf(std::vector<Vec3f> positions, const std::vector<Run>& runs);
/// One vertex with normal and tangent.
asset::Mesh OneVertex(const Vec3f& position, const Run& run, const Vec3f& normal = {0, 0, 1},
                      const Vec4f& tangent = {1, 0, 0, 1});

/// The bending cylinder of facts: 5 rings of 12 about +Y, radius 1/2, height 4 centred on the
/// origin, 96 triangles; weights of joint 1 by ring: 0, 0, 1/2, 1, 1.
asset::Mesh TwistTube();
inline constexpr std::uint32_t kTwistRing = 24;  ///< first of the 12 vertices of weight 1/2

/// What RandomRig makes.
struct RigShape {
  std::size_t vertices = 100;
  std::size_t joints = 8;
  std::size_t max_influences = 4;
  std::size_t morphs = 0;
  bool normals = true;
  bool tangents = true;
  double size = 1;  ///< of the box of the rest positions, centred on the origin
};
/// A mesh of scattered vertices with random influences (1 to max_influences, distinct joints), unit
/// normals, orthogonal tangents; morphs in turn dense and sparse. The same bits for one seed.
asset::Mesh RandomRig(const RigShape& shape, std::uint32_t seed);

/// What the joints of a random palette may do besides turning and moving.
enum class JointKind : std::uint8_t {
  kRigid,
  kUniform,  ///< uniform scale 0.5 to 2
  kScaled,   ///< uneven scale
  kNasty,    ///< all of it: rigid, scaled, sheared, mirrored, flat, and one zero matrix
};
/// Joints turn by up to `degrees` about any axis and move by up to `reach`.
std::vector<Mat34d> RandomPalette(std::size_t joints, JointKind kind, std::uint32_t seed,
                                  double degrees = 180, double reach = 1);
Mat34d RandomRigid(std::mt19937& random, double degrees = 180, double reach = 1);

// --- Running ------------------------------------------------------------------------------------

/// One way to compute: the reference, or the CPU at one SIMD target.
struct BackendCase {
  deform::BackendKind kind = deform::BackendKind::kReference;
  deform::BackendOptions options;
  std::string name;  ///< "reference", "cpu_AVX2"
};
inline void PrintTo(const BackendCase& one, std::ostream* out) { *out << one.name; }
/// The reference, and the CPU at every SIMD target of this build and machine, one thread each.
std::vector<BackendCase> BackendCases();
/// The same without the reference.
std::vector<BackendCase> CpuCases();

struct Shape {
  std::vector<Vec3f> positions{};
  std::vector<Vec3f> normals{};
  std::vector<Vec4f> tangents{};
  deform::FrameReport report{};
  /// (V) which of the mesh's vertices each one is; empty in the caller's order.
  std::vector<std::uint32_t> caller_from_output{};
};

/// Everything that one deformation depends on.
struct Job {
  asset::Mesh mesh;
  std::vector<Mat34d> palette;
  deform::DeformSettings settings;
  std::vector<float> morph_weights;
  Vec3d output_origin;
  deform::OutputOrder order = deform::OutputOrder::kCaller;
};

Result<deform::DeformPlan> PlanOf(const Job& job);
/// Builds plan, backend and scratch, and runs one frame. A fault ends the test.
Shape Deform(const BackendCase& backend, const Job& job);
/// A plan as a backend runs it. A fault ends the test.
std::shared_ptr<const deform::PreparedPlan> Prepared(
    const deform::Backend& backend, const deform::DeformPlan& plan,
    deform::OutputOrder order = deform::OutputOrder::kCaller);
/// One frame of a plan built before.
Shape DeformPlanned(const BackendCase& backend, const deform::DeformPlan& plan, const Job& job);
/// The same vertices in the order of the mesh.
Shape InCallersOrder(const Shape& shape);
std::uint64_t DigestOfShape(const Shape& shape);

/// The ways a mesh can be blended that invariants run over.
struct MethodCase {
  std::string name;
  deform::DeformSettings settings;
  bool mixed = false;  ///< per-vertex shares between 0 and 1
};
std::vector<MethodCase> MethodCases();
/// Puts a method on a job; mixed ones get shares by vertex.
Job WithMethod(Job job, const MethodCase& method);

// --- Comparing ----------------------------------------------------------------------------------

template <class T>
double DistanceOf(const Vec3<T>& a, const Vec3<T>& b) {
  return Length(Cast<double>(a) - Cast<double>(b));
}

/// Matches a vector within a distance.
MATCHER_P2(IsNear, expected, tolerance,
           std::string(negation ? "is not" : "is") + " within " + std::to_string(tolerance) +
               " of (" + std::to_string(expected.x) + ", " + std::to_string(expected.y) + ", " +
               std::to_string(expected.z) + ")") {
  const double distance = DistanceOf(Vec3d{Cast<double>(arg)}, Vec3d{Cast<double>(expected)});
  *result_listener << "(" << arg.x << ", " << arg.y << ", " << arg.z << "), off by " << distance;
  return distance <= static_cast<double>(tolerance);
}

inline Vec3f Xyz(const Vec4f& v) { return {v.x, v.y, v.z}; }

/// The largest reach (skin_lbs.h) of any vertex of a job: what tolerances scale with.
double ReachOf(const Job& job);

}  // namespace flexor::test
