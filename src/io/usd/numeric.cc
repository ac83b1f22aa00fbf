#include "io/usd/numeric.h"

#include <array>
#include <cmath>
#include <span>
#include <type_traits>
#include <utility>

namespace flexor::io::usd {
namespace {

template <class T>
double Wide(T number) {
  return static_cast<double>(number);
}
double Wide(Half number) { return static_cast<double>(ToFloat(number)); }

/// The numbers of all elements in a row, each handed to `out(number)` in double. The kind must be
/// numeric.
template <class Number, class Out>
void EachNumber(std::span<const std::byte> bytes, Out&& out) {
  for (std::size_t at = 0; at + sizeof(Number) <= bytes.size(); at += sizeof(Number)) {
    Number number;
    std::memcpy(&number, bytes.data() + at, sizeof number);
    out(Wide(number));
  }
}

template <class Out>
void NumbersOf(const Value& value, Out&& out) {
  const std::span<const std::byte> bytes = value.bytes();
  switch (Info(value.type()).component) {
    case Component::kHalf:
      return EachNumber<Half>(bytes, out);
    case Component::kFloat:
      return EachNumber<float>(bytes, out);
    case Component::kDouble:
      return EachNumber<double>(bytes, out);
    case Component::kInteger:
      switch (value.type()) {
        case ValueType::kBool:
        case ValueType::kUChar:
          return EachNumber<std::uint8_t>(bytes, out);
        case ValueType::kUInt:
          return EachNumber<std::uint32_t>(bytes, out);
        case ValueType::kInt64:
          return EachNumber<std::int64_t>(bytes, out);
        case ValueType::kUInt64:
          return EachNumber<std::uint64_t>(bytes, out);
        default:
          return EachNumber<std::int32_t>(bytes, out);
      }
    case Component::kNotNumeric:
      return;
  }
}

bool IsQuaternion(ValueType type) {
  return type == ValueType::kQuatd || type == ValueType::kQuatf || type == ValueType::kQuath;
}

/// The numbers of a scalar with that many components.
template <std::size_t N>
std::optional<std::array<double, N>> ScalarNumbers(const Value& value) {
  if (value.is_array() || Info(value.type()).components != N) return {};
  std::array<double, N> numbers{};
  std::size_t filled = 0;
  NumbersOf(value, [&](double number) {
    if (filled < N) numbers[filled++] = number;
  });
  return numbers;
}

/// An array of `Element`, which is that many `float`s.
template <class Element>
std::optional<std::vector<Element>> FloatArray(const Value& value, bool quaternion) {
  constexpr std::size_t kComponents = sizeof(Element) / sizeof(float);
  if (!value.is_array() || Info(value.type()).components != kComponents ||
      IsQuaternion(value.type()) != quaternion) {
    return {};
  }
  if (value.IsArrayOf<Element>()) {
    const auto elements = value.Array<Element>();
    return std::vector<Element>(elements.begin(), elements.end());
  }
  std::vector<Element> elements(value.count());
  auto* number_out = reinterpret_cast<float*>(elements.data());
  NumbersOf(value, [&](double number) { *number_out++ = static_cast<float>(number); });
  return elements;
}

}  // namespace

std::optional<double> AsNumber(const Value& value) {
  const auto numbers = ScalarNumbers<1>(value);
  if (!numbers) return {};
  return (*numbers)[0];
}

std::optional<Vec3d> AsVec3(const Value& value) {
  const auto numbers = ScalarNumbers<3>(value);
  if (!numbers) return {};
  return Vec3d{(*numbers)[0], (*numbers)[1], (*numbers)[2]};
}

std::optional<Quatd> AsQuat(const Value& value) {
  const auto numbers = ScalarNumbers<4>(value);
  if (!numbers || !IsQuaternion(value.type())) return {};
  return Quatd{(*numbers)[0], (*numbers)[1], (*numbers)[2], (*numbers)[3]};
}

Mat34d ToMat34(const RowMatrix4d& matrix) {
  const auto row = [&](int r) { return Vec3d{matrix.m[r][0], matrix.m[r][1], matrix.m[r][2]}; };
  return {{row(0), row(1), row(2)}, row(3)};
}

bool IsAffine(const RowMatrix4d& matrix) {
  constexpr double kRounding = 1e-9;
  const auto& m = matrix.m;
  return std::abs(m[0][3]) <= kRounding && std::abs(m[1][3]) <= kRounding &&
         std::abs(m[2][3]) <= kRounding && std::abs(m[3][3] - 1) <= kRounding;
}

std::optional<Mat34d> AsMatrix(const Value& value) {
  const RowMatrix4d* matrix = value.Get<RowMatrix4d>();
  if (matrix == nullptr) return {};
  return ToMat34(*matrix);
}

std::optional<std::vector<float>> AsFloats(const Value& value) {
  return FloatArray<float>(value, false);
}
std::optional<std::vector<Vec2f>> AsVec2fs(const Value& value) {
  return FloatArray<Vec2f>(value, false);
}
std::optional<std::vector<Vec3f>> AsVec3fs(const Value& value) {
  return FloatArray<Vec3f>(value, false);
}
std::optional<std::vector<Quatf>> AsQuatfs(const Value& value) {
  return FloatArray<Quatf>(value, true);
}

std::optional<std::vector<std::int32_t>> AsInts(const Value& value) {
  const ValueTypeInfo& info = Info(value.type());
  if (!value.is_array() || info.component != Component::kInteger || info.components != 1) return {};
  std::vector<std::int32_t> numbers;
  numbers.reserve(value.count());
  bool fits = true;
  NumbersOf(value, [&](double number) {
    fits = fits && number >= -2147483648.0 && number <= 2147483647.0;
    numbers.push_back(fits ? static_cast<std::int32_t>(number) : 0);
  });
  if (!fits) return {};
  return numbers;
}

std::optional<std::vector<Mat34d>> AsMatrices(const Value& value) {
  if (!value.IsArrayOf<RowMatrix4d>()) return {};
  std::vector<Mat34d> matrices;
  matrices.reserve(value.count());
  for (const RowMatrix4d& matrix : value.Array<RowMatrix4d>()) matrices.push_back(ToMat34(matrix));
  return matrices;
}

std::optional<std::vector<Token>> AsTokens(const Value& value) {
  if (value.IsArrayOf<Token>()) {
    const auto tokens = value.Array<Token>();
    return std::vector<Token>(tokens.begin(), tokens.end());
  }
  if (!value.IsArrayOf<String>()) return {};
  std::vector<Token> tokens;
  for (const String& string : value.Array<String>()) tokens.push_back(string.text);
  return tokens;
}

}  // namespace flexor::io::usd
