#include "flexor/math/palette_split.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace flexor {
namespace {

// The seed's bound: a column shorter than this has no direction.
constexpr double kNoLength = 1e-20;
// What is left of a column after taking out others, below this part of its length, is rounding.
constexpr double kNoise = 1e-14;
// OpenUSD's bound on the determinant below which it gives a matrix up.
constexpr double kSingular = 1e-10;

PaletteSplit Degenerate(const Mat34d& m) {
  return {SplitKind::kDegenerate, {}, m.translation, m.linear};
}

// Rigid when the residual is the identity within the tolerance, which a reflection never is.
PaletteSplit Finish(const Mat34d& m, const Mat3d& rotation, const Mat3d& residual,
                    double tolerance) {
  const Mat3d off = residual - Mat3d{};
  double largest = 0;
  for (const Vec3d column : {off.x, off.y, off.z}) {
    largest = std::max({largest, std::abs(column.x), std::abs(column.y), std::abs(column.z)});
  }
  PaletteSplit split;
  split.rotation = ToQuat(rotation);
  split.translation = m.translation;
  if (largest < tolerance) return split;
  split.kind = SplitKind::kResidual;
  split.residual = residual;
  return split;
}

// b without its part along the unit vector e, taken out twice: once leaves rounding behind that
// matters when little remains of b.
Vec3d WithoutPartAlong(Vec3d b, Vec3d e) {
  b -= e * Dot(e, b);
  return b - e * Dot(e, b);
}

// One-sided Jacobi: turns the columns of `a` against each other until they are orthogonal, the same
// turns going into `v`; then m = a * transpose(v) with the singular values as column lengths. Small
// singular values keep their digits, which the eigenvectors of transpose(m) * m would not give.
void OrthogonalizeColumns(std::array<Vec3d, 3>& a, std::array<Vec3d, 3>& v) {
  constexpr int kMostSweeps = 40;  // about six are enough; the bound is for the hopeless
  constexpr std::array<std::array<std::size_t, 2>, 3> kPairs{{{0, 1}, {0, 2}, {1, 2}}};
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    bool turned = false;
    for (const auto& [p, q] : kPairs) {
      const double alpha = Dot(a[p], a[p]), beta = Dot(a[q], a[q]), gamma = Dot(a[p], a[q]);
      if (std::abs(gamma) <= 1e-16 * std::sqrt(alpha * beta) || gamma == 0) continue;
      turned = true;
      const double zeta = (beta - alpha) / (2 * gamma);
      const double t = std::copysign(1.0, zeta) / (std::abs(zeta) + std::hypot(1.0, zeta));
      const double c = 1 / std::sqrt(1 + t * t), s = c * t;
      const auto turn = [&](std::array<Vec3d, 3>& columns) {
        const Vec3d x = columns[p], y = columns[q];
        columns[p] = x * c - y * s;
        columns[q] = x * s + y * c;
      };
      turn(a);
      turn(v);
    }
    if (!turned) return;
  }
}

}  // namespace

PaletteSplit SplitGramSchmidt(const Mat34d& m, double tolerance) {
  const Vec3d a = m.linear.x, b = m.linear.y, c = m.linear.z;
  const double sx = Length(a);
  if (!(sx >= kNoLength)) return Degenerate(m);
  const Vec3d e0 = a / sx;

  const Vec3d b1 = WithoutPartAlong(b, e0);
  const double sy = Length(b1);
  if (!(sy >= std::max(kNoLength, kNoise * Length(b)))) return Degenerate(m);
  const Vec3d e1 = b1 / sy;

  // The third axis follows from the two others, so the basis is right-handed to the last bit and a
  // reflection shows as a negative sz. A length that overflowed leaves no axis, and so no sz.
  const Vec3d e2 = Cross(e0, e1);
  const double sz = Dot(e2, c);
  if (!(std::abs(sz) >= std::max(kNoLength, kNoise * Length(c))) || !std::isfinite(sz)) {
    return Degenerate(m);
  }
  const Mat3d residual{{sx, 0, 0}, {Dot(e0, b), sy, 0}, {Dot(e0, c), Dot(e1, c), sz}};
  return Finish(m, {e0, e1, e2}, residual, tolerance);
}

PaletteSplit SplitPolar(const Mat34d& m, double tolerance) {
  const double determinant = Determinant(m.linear);
  if (!(std::abs(determinant) >= kSingular) || !std::isfinite(determinant)) return Degenerate(m);
  std::array<Vec3d, 3> us{m.linear.x, m.linear.y, m.linear.z};
  std::array<Vec3d, 3> v{Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}};
  OrthogonalizeColumns(us, v);

  // linear = sum_i sigma_i u_i v_i^T. A reflection turns all three signs at once: -u is a rotation
  // away from v, and which axis was mirrored need not be guessed among equal singular values.
  const double sign = determinant < 0 ? -1 : 1;
  Mat3d rotation{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, residual = rotation;
  for (std::size_t i = 0; i < 3; ++i) {
    const double sigma = Length(us[i]);
    const Vec3d u = us[i] * (sign / sigma);
    rotation = rotation + Mat3d{u * v[i].x, u * v[i].y, u * v[i].z};
    const Vec3d scaled = v[i] * (sign * sigma);
    residual = residual + Mat3d{scaled * v[i].x, scaled * v[i].y, scaled * v[i].z};
  }
  // Entries near the end of the range of double overflow on the way.
  if (!IsFinite(Mat34d{rotation, {}}) || !IsFinite(Mat34d{residual, {}})) return Degenerate(m);
  return Finish(m, rotation, residual, tolerance);
}

Transform NearestTransform(const Mat34d& m) {
  const PaletteSplit split = SplitGramSchmidt(m);
  Transform transform;
  transform.translation = m.translation;
  if (split.kind == SplitKind::kDegenerate) {
    transform.scale = {Length(m.linear.x), Length(m.linear.y), Length(m.linear.z)};
    return transform;
  }
  transform.rotation = split.rotation;
  transform.scale = {split.residual.x.x, split.residual.y.y, split.residual.z.z};
  return transform;
}

}  // namespace flexor
