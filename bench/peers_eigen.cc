#include <Eigen/Core>
#include <Eigen/Geometry>

#include "bench/peers.h"

namespace flexor::bench {
namespace {

using Eigen::Map;
using Eigen::Matrix3f;
using Eigen::Matrix4f;
using Eigen::Quaternionf;
using Eigen::Vector3f;
using Eigen::Vector4f;

inline __attribute__((always_inline)) Vector3f CofactorNormal(const Vector3f& a, const Vector3f& b,
                                                              const Vector3f& c,
                                                              const Vector3f& n) {
  const Vector3f moved = b.cross(c) * n[0] + c.cross(a) * n[1] + a.cross(b) * n[2];
  return moved.normalized();
}

inline __attribute__((always_inline)) Vector3f Translation(const Quaternionf& q,
                                                           const Vector4f& d) {
  return 2 * (q.w() * d.head<3>() - d[3] * q.vec() + q.vec().cross(d.head<3>()));
}

}  // namespace

void EigenLbs(const PeerMesh& mesh, const PeerPalette& palette, std::size_t begin, std::size_t end,
              float* positions, float* normals) {
  for (std::size_t v = begin; v < end; ++v) {
    Matrix4f m = Matrix4f::Zero();
    for (std::size_t k = 0; k < mesh.counts[v]; ++k) {
      const std::size_t i = v * mesh.stride + k;
      m += mesh.weights[i] * Map<const Matrix4f, Eigen::Aligned64>(
                                 palette.matrices + mesh.joints[i] * std::size_t{16});
    }
    const Map<const Vector3f> p(mesh.positions + v * 3), n(mesh.normals + v * 3);
    Map<Vector3f>(positions + v * 3) = (m * p.homogeneous()).head<3>();
    Map<Vector3f>(normals + v * 3) =
        CofactorNormal(m.col(0).head<3>(), m.col(1).head<3>(), m.col(2).head<3>(), n);
  }
}

void EigenDqs(const PeerMesh& mesh, const PeerPalette& palette, bool residual, std::size_t begin,
              std::size_t end, float* positions, float* normals) {
  for (std::size_t v = begin; v < end; ++v) {
    const std::uint16_t* const joints = mesh.joints + v * mesh.stride;
    const float* const pivot_numbers = palette.duals + joints[0] * std::size_t{20};
    const Map<const Vector4f> pivot(pivot_numbers);
    Vector4f real = Vector4f::Zero(), dual = Vector4f::Zero();
    Eigen::Matrix<float, 4, 3> parts = Eigen::Matrix<float, 4, 3>::Zero();
    for (std::size_t k = 0; k < mesh.counts[v]; ++k) {
      const float* const numbers = palette.duals + joints[k] * std::size_t{20};
      const Map<const Vector4f> q(numbers);
      const float given = mesh.weights[v * mesh.stride + k];
      const float weight = q.dot(pivot) < 0 ? -given : given;
      real += weight * q;
      dual += weight * Map<const Vector4f>(numbers + 4);
      if (residual) parts += weight * Map<const Eigen::Matrix<float, 4, 3>>(numbers + 8);
    }
    const Map<const Vector3f> p(mesh.positions + v * 3), n(mesh.normals + v * 3);
    if (residual) dual += parts * p;
    const float inverse = 1 / real.norm();
    const Quaternionf q(Vector4f(real * inverse));
    Map<Vector3f>(positions + v * 3) = q * p + Translation(q, dual * inverse);
    if (!residual) {
      Map<Vector3f>(normals + v * 3) = (q * n).normalized();
      continue;
    }
    Matrix3f jacobian = q.toRotationMatrix();
    for (int c = 0; c < 3; ++c) jacobian.col(c) += Translation(q, parts.col(c) * inverse);
    Map<Vector3f>(normals + v * 3) =
        CofactorNormal(jacobian.col(0), jacobian.col(1), jacobian.col(2), n);
  }
}

}  // namespace flexor::bench
