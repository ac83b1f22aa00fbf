#include "io/usd/interpolate.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace flexor::io::usd {
namespace {

double Number(double value) { return value; }
double Number(float value) { return static_cast<double>(value); }
double Number(Half value) { return static_cast<double>(ToFloat(value)); }
double Number(TimeCode value) { return value.value; }

void Store(double number, double& out) { out = number; }
void Store(double number, float& out) { out = static_cast<float>(number); }
void Store(double number, Half& out) { out = ToHalf(static_cast<float>(number)); }
void Store(double number, TimeCode& out) { out.value = number; }

template <class T>
void Blend(const T& lower, const T& upper, double fraction, T& out) {
  Store(Number(lower) * (1 - fraction) + Number(upper) * fraction, out);
}

template <class T>
Quatd Wide(const Quat<T>& q) {
  return {Number(q.x), Number(q.y), Number(q.z), Number(q.w)};
}
Quatd Wide(const Quath& q) { return {Number(q.x), Number(q.y), Number(q.z), Number(q.w)}; }

template <class Q>
void BlendQuaternion(const Q& lower, const Q& upper, double fraction, Q& out) {
  const Quatd q = SlerpAsStored(Wide(lower), Wide(upper), fraction);
  Store(q.x, out.x);
  Store(q.y, out.y);
  Store(q.z, out.z);
  Store(q.w, out.w);
}

template <class T>
void Blend(const Quat<T>& lower, const Quat<T>& upper, double fraction, Quat<T>& out) {
  BlendQuaternion(lower, upper, fraction, out);
}
void Blend(const Quath& lower, const Quath& upper, double fraction, Quath& out) {
  BlendQuaternion(lower, upper, fraction, out);
}
template <class T>
void Blend(const Vec2<T>& lower, const Vec2<T>& upper, double fraction, Vec2<T>& out) {
  Blend(lower.x, upper.x, fraction, out.x);
  Blend(lower.y, upper.y, fraction, out.y);
}
template <class T>
void Blend(const Vec3<T>& lower, const Vec3<T>& upper, double fraction, Vec3<T>& out) {
  Blend(lower.x, upper.x, fraction, out.x);
  Blend(lower.y, upper.y, fraction, out.y);
  Blend(lower.z, upper.z, fraction, out.z);
}
template <class T>
void Blend(const Vec4<T>& lower, const Vec4<T>& upper, double fraction, Vec4<T>& out) {
  Blend(lower.x, upper.x, fraction, out.x);
  Blend(lower.y, upper.y, fraction, out.y);
  Blend(lower.z, upper.z, fraction, out.z);
  Blend(lower.w, upper.w, fraction, out.w);
}
template <int N>
void Blend(const RowMatrix<N>& lower, const RowMatrix<N>& upper, double fraction,
           RowMatrix<N>& out) {
  for (int row = 0; row < N; ++row) {
    for (int column = 0; column < N; ++column) {
      Blend(lower.m[row][column], upper.m[row][column], fraction, out.m[row][column]);
    }
  }
}

template <class T>
Value InterpolateAs(const Value& lower, const Value& upper, double fraction) {
  if (!lower.is_array()) {
    T value{};
    Blend(*lower.Get<T>(), *upper.Get<T>(), fraction, value);
    return Value::Of(value);
  }
  const std::span<const T> a = lower.Array<T>(), b = upper.Array<T>();
  std::vector<T> values(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) Blend(a[i], b[i], fraction, values[i]);
  return Value::ArrayOf(std::move(values));
}

}  // namespace

bool Interpolates(ValueType type) {
  const Component component = Info(type).component;
  return component == Component::kHalf || component == Component::kFloat ||
         component == Component::kDouble;
}

Quatd SlerpAsStored(Quatd lower, Quatd upper, double fraction) {
  double cosine = Dot(lower, upper);
  const bool flip = cosine < 0;
  if (flip) cosine = -cosine;
  double of_lower = 1 - fraction, of_upper = fraction;
  if (1 - cosine >= 1e-5) {
    const double angle = std::acos(std::min(cosine, 1.0));
    const double sine = std::sin(angle);
    of_lower = std::sin((1 - fraction) * angle) / sine;
    of_upper = std::sin(fraction * angle) / sine;
  }
  return lower * of_lower + upper * (flip ? -of_upper : of_upper);
}

Value Interpolate(const Value& lower, const Value& upper, double fraction) {
  if (lower.type() != upper.type() || lower.is_array() != upper.is_array() ||
      lower.count() != upper.count()) {
    return lower;
  }
  switch (lower.type()) {
    case ValueType::kHalf:
      return InterpolateAs<Half>(lower, upper, fraction);
    case ValueType::kFloat:
      return InterpolateAs<float>(lower, upper, fraction);
    case ValueType::kDouble:
      return InterpolateAs<double>(lower, upper, fraction);
    case ValueType::kTimeCode:
      return InterpolateAs<TimeCode>(lower, upper, fraction);
    case ValueType::kMatrix2d:
      return InterpolateAs<RowMatrix2d>(lower, upper, fraction);
    case ValueType::kMatrix3d:
      return InterpolateAs<RowMatrix3d>(lower, upper, fraction);
    case ValueType::kMatrix4d:
      return InterpolateAs<RowMatrix4d>(lower, upper, fraction);
    case ValueType::kQuatd:
      return InterpolateAs<Quatd>(lower, upper, fraction);
    case ValueType::kQuatf:
      return InterpolateAs<Quatf>(lower, upper, fraction);
    case ValueType::kQuath:
      return InterpolateAs<Quath>(lower, upper, fraction);
    case ValueType::kVec2d:
      return InterpolateAs<Vec2d>(lower, upper, fraction);
    case ValueType::kVec2f:
      return InterpolateAs<Vec2f>(lower, upper, fraction);
    case ValueType::kVec2h:
      return InterpolateAs<Vec2h>(lower, upper, fraction);
    case ValueType::kVec3d:
      return InterpolateAs<Vec3d>(lower, upper, fraction);
    case ValueType::kVec3f:
      return InterpolateAs<Vec3f>(lower, upper, fraction);
    case ValueType::kVec3h:
      return InterpolateAs<Vec3h>(lower, upper, fraction);
    case ValueType::kVec4d:
      return InterpolateAs<Vec4d>(lower, upper, fraction);
    case ValueType::kVec4f:
      return InterpolateAs<Vec4f>(lower, upper, fraction);
    case ValueType::kVec4h:
      return InterpolateAs<Vec4h>(lower, upper, fraction);
    default:
      return lower;
  }
}

}  // namespace flexor::io::usd
