#include "io/gltf/write_glb_transform.h"

#include <array>
#include <cmath>

namespace flexor::io::gltf {
namespace {

using Columns = std::array<Vec3d, 3>;

// Some unit vector at right angles to `a` (unit).
Vec3d AnyPerpendicular(Vec3d a) {
  const Vec3d other = std::abs(a.x) < 0.6 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0};
  return Normalized(Cross(a, other));
}

// Unit, mutually perpendicular, right-handed axes along columns that are perpendicular to each
// other but may be zero or left-handed; `scale` gets the lengths, one negative where mirrored.
Mat3d AxesOf(const Columns& columns, Vec3d& scale) {
  Columns axes = columns;
  std::array<bool, 3> known{};
  double largest = 0;
  for (const Vec3d& column : columns) largest = std::max(largest, Length(column));
  std::size_t count = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const double length = Length(columns[i]);
    scale[i] = length;
    // Next to nothing beside the others: its direction is noise.
    known[i] = length > 1e-14 * largest && length > 0;
    if (known[i]) {
      axes[i] = Normalized(columns[i]);
      ++count;
    }
  }
  if (count == 0) return {};
  if (count == 1) {
    const std::size_t one = known[0] ? 0 : known[1] ? 1 : 2;
    const std::size_t next = (one + 1) % 3;
    axes[next] = AnyPerpendicular(axes[one]);
    known[next] = true;
    ++count;
  }
  if (count == 2) {
    const std::size_t missing = !known[0] ? 0 : !known[1] ? 1 : 2;
    axes[missing] = Normalized(Cross(axes[(missing + 1) % 3], axes[(missing + 2) % 3]));
  } else if (Dot(axes[0], Cross(axes[1], axes[2])) < 0) {
    axes[0] = -axes[0];
    scale.x = -scale.x;
  }
  // Perpendicular to the last bit, so that the quaternion is one of a true rotation.
  axes[1] = Normalized(axes[1] - axes[0] * Dot(axes[0], axes[1]));
  axes[2] = Cross(axes[0], axes[1]);
  return {axes[0], axes[1], axes[2]};
}

bool HasShear(const Columns& columns) {
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec3d& a = columns[i];
    const Vec3d& b = columns[(i + 1) % 3];
    if (std::abs(Dot(Normalized(a), Normalized(b))) > kShearTolerance) return true;
  }
  return false;
}

// One-sided Jacobi: turns pairs of columns of `m` until all are perpendicular; `turn` collects the
// rotations, so that m_before * turn = m_after.
void Diagonalise(Columns& m, Columns& turn) {
  constexpr int kSweeps = 60;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    bool moved = false;
    for (std::size_t p = 0; p < 2; ++p) {
      for (std::size_t q = p + 1; q < 3; ++q) {
        const double pp = Dot(m[p], m[p]), qq = Dot(m[q], m[q]), pq = Dot(m[p], m[q]);
        if (std::abs(pq) <= 1e-16 * std::sqrt(pp * qq) || pq == 0) continue;
        moved = true;
        const double zeta = (qq - pp) / (2 * pq);
        const double t = std::copysign(1 / (std::abs(zeta) + std::hypot(1.0, zeta)), zeta);
        const double c = 1 / std::hypot(1.0, t), s = c * t;
        for (Columns* columns : {&m, &turn}) {
          const Vec3d old_p = (*columns)[p], old_q = (*columns)[q];
          (*columns)[p] = old_p * c - old_q * s;
          (*columns)[q] = old_p * s + old_q * c;
        }
      }
    }
    if (!moved) return;
  }
}

double LargestEntry(const Columns& columns) {
  double largest = 0;
  for (const Vec3d& column : columns) {
    for (std::size_t i = 0; i < 3; ++i) largest = std::max(largest, std::abs(column[i]));
  }
  return largest;
}

}  // namespace

NodeTransforms TakeApart(const Mat34d& parent_from_node) {
  const Mat3d& linear = parent_from_node.linear;
  Columns columns = {linear.x, linear.y, linear.z};
  NodeTransforms result;
  result.outer.translation = parent_from_node.translation;
  const double size = LargestEntry(columns);
  if (!(size > 0)) {
    result.outer.scale = {0, 0, 0};
    return result;
  }
  // Near 1, so that squares of huge and tiny entries stay numbers.
  for (Vec3d& column : columns) column = column / size;
  Vec3d scale;
  if (!HasShear(columns)) {
    result.outer.rotation = ToQuat(AxesOf(columns, scale));
    result.outer.scale = scale * size;
    return result;
  }
  Columns turn = {Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}};
  Diagonalise(columns, turn);
  result.outer.rotation = ToQuat(AxesOf(columns, scale));
  result.outer.scale = scale * size;
  const Mat3d node_from_inner = {turn[0], turn[1], turn[2]};
  result.inner = Transform{{}, Conjugate(ToQuat(node_from_inner)), {1, 1, 1}};
  return result;
}

bool IsPlainMatrix(const Mat34d& parent_from_node) {
  // The Khronos validator takes the matrix apart in float and compares sums of its entries within
  // 5e-5: entries must be small enough for float to resolve that, and the scale no smaller than
  // what it can divide by.
  constexpr double kLargestSum = 32, kSmallestScale = 1e-3;
  const Mat3d& m = parent_from_node.linear;
  const Columns columns = {m.x, m.y, m.z};
  double sum = 0;
  for (const Vec3d& column : {m.x, m.y, m.z, parent_from_node.translation}) {
    for (std::size_t i = 0; i < 3; ++i) sum += std::abs(column[i]);
  }
  if (!(sum <= kLargestSum) || HasShear(columns)) return false;
  for (const Vec3d& column : columns) {
    if (!(Length(column) >= kSmallestScale)) return false;
  }
  return true;
}

}  // namespace flexor::io::gltf
