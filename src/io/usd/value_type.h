/// @file io/usd/value_type.h
/// What kinds of values a USD layer holds, and the C++ type that stands for each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "flexor/math/quat.h"
#include "flexor/math/vec.h"

#include "io/usd/half.h"
#include "io/usd/token.h"

namespace flexor::io::usd {

/// Kinds of values. Roles (point, normal, colour) are no kinds: point3f and float3 are kVec3f.
enum class ValueType : std::uint8_t {
  kNone,   ///< no value at all
  kBlock,  ///< None: the value is blocked
  kBool,
  kUChar,
  kInt,
  kUInt,
  kInt64,
  kUInt64,
  kHalf,
  kFloat,
  kDouble,
  kTimeCode,
  kString,
  kToken,
  kAsset,
  kPathExpression,
  kMatrix2d,
  kMatrix3d,
  kMatrix4d,
  kQuatd,
  kQuatf,
  kQuath,
  kVec2d,
  kVec2f,
  kVec2h,
  kVec2i,
  kVec3d,
  kVec3f,
  kVec3h,
  kVec3i,
  kVec4d,
  kVec4f,
  kVec4h,
  kVec4i,  ///< up to here there are arrays, but for kNone and kBlock
  kDictionary,
  kTokenListOp,
  kStringListOp,
  kIntListOp,
  kInt64ListOp,
  kUIntListOp,
  kUInt64ListOp,
  kPermission,    ///< a token: public or private
  kUnregistered,  ///< of a metadata key that nobody knows: its text
  kUnsupported,   ///< of a kind that is not read (a spline, an edit of an array); its name as text
};

/// What the numbers of a value are.
enum class Component : std::uint8_t { kNotNumeric, kHalf, kFloat, kDouble, kInteger };

/// Facts about one kind.
struct ValueTypeInfo {
  std::string_view name;  ///< as an attribute would be declared: "float3"; words for the rest
  Component component = Component::kNotNumeric;
  std::uint8_t components = 0;  ///< numbers in one element, 0 when not numeric
  std::uint8_t bytes = 0;       ///< of one element in memory; 0 for what is no plain element
};
const ValueTypeInfo& Info(ValueType type);

/// Whether there are arrays of it.
inline bool HasArrays(ValueType type) {
  return type >= ValueType::kBool && type <= ValueType::kVec4i;
}
/// bool, whole numbers and reals, alone or as vectors, quaternions and matrices.
inline bool IsNumeric(ValueType type) { return Info(type).components != 0; }

/// A point in time: it is retimed like the keys of samples.
struct TimeCode {
  double value = 0;
  friend bool operator==(TimeCode, TimeCode) = default;
};
/// Texts that are no tokens.
struct String {
  Token text;
  friend bool operator==(String, String) = default;
};
struct AssetPath {
  Token text;  ///< as written
  friend bool operator==(AssetPath, AssetPath) = default;
};
struct PathExpression {
  Token text;
  friend bool operator==(PathExpression, PathExpression) = default;
};

/// Matrices as USD writes them: for row vectors, translation in the last row.
template <int N>
struct RowMatrix {
  double m[N][N]{};
  friend bool operator==(const RowMatrix&, const RowMatrix&) = default;
};
using RowMatrix2d = RowMatrix<2>;
using RowMatrix3d = RowMatrix<3>;
using RowMatrix4d = RowMatrix<4>;

using Vec2d = Vec2<double>;
using Vec2h = Vec2<Half>;
using Vec2i = Vec2<std::int32_t>;
using Vec3h = Vec3<Half>;
using Vec3i = Vec3<std::int32_t>;
using Vec4h = Vec4<Half>;
using Vec4i = Vec4<std::int32_t>;

/// A quaternion of halves; those of floats and doubles are Quatf and Quatd. All lie in memory as
/// (i, j, k, real), although text says (real, i, j, k).
struct Quath {
  Half x, y, z, w{0x3C00};
  friend bool operator==(const Quath&, const Quath&) = default;
};

/// Which kind a C++ type stands for; only the kinds that have arrays.
template <class T>
inline constexpr ValueType kValueTypeOf = ValueType::kNone;
template <>
inline constexpr ValueType kValueTypeOf<bool> = ValueType::kBool;
template <>
inline constexpr ValueType kValueTypeOf<std::uint8_t> = ValueType::kUChar;
template <>
inline constexpr ValueType kValueTypeOf<std::int32_t> = ValueType::kInt;
template <>
inline constexpr ValueType kValueTypeOf<std::uint32_t> = ValueType::kUInt;
template <>
inline constexpr ValueType kValueTypeOf<std::int64_t> = ValueType::kInt64;
template <>
inline constexpr ValueType kValueTypeOf<std::uint64_t> = ValueType::kUInt64;
template <>
inline constexpr ValueType kValueTypeOf<Half> = ValueType::kHalf;
template <>
inline constexpr ValueType kValueTypeOf<float> = ValueType::kFloat;
template <>
inline constexpr ValueType kValueTypeOf<double> = ValueType::kDouble;
template <>
inline constexpr ValueType kValueTypeOf<TimeCode> = ValueType::kTimeCode;
template <>
inline constexpr ValueType kValueTypeOf<String> = ValueType::kString;
template <>
inline constexpr ValueType kValueTypeOf<Token> = ValueType::kToken;
template <>
inline constexpr ValueType kValueTypeOf<AssetPath> = ValueType::kAsset;
template <>
inline constexpr ValueType kValueTypeOf<PathExpression> = ValueType::kPathExpression;
template <>
inline constexpr ValueType kValueTypeOf<RowMatrix2d> = ValueType::kMatrix2d;
template <>
inline constexpr ValueType kValueTypeOf<RowMatrix3d> = ValueType::kMatrix3d;
template <>
inline constexpr ValueType kValueTypeOf<RowMatrix4d> = ValueType::kMatrix4d;
template <>
inline constexpr ValueType kValueTypeOf<Quatd> = ValueType::kQuatd;
template <>
inline constexpr ValueType kValueTypeOf<Quatf> = ValueType::kQuatf;
template <>
inline constexpr ValueType kValueTypeOf<Quath> = ValueType::kQuath;
template <>
inline constexpr ValueType kValueTypeOf<Vec2d> = ValueType::kVec2d;
template <>
inline constexpr ValueType kValueTypeOf<Vec2f> = ValueType::kVec2f;
template <>
inline constexpr ValueType kValueTypeOf<Vec2h> = ValueType::kVec2h;
template <>
inline constexpr ValueType kValueTypeOf<Vec2i> = ValueType::kVec2i;
template <>
inline constexpr ValueType kValueTypeOf<Vec3d> = ValueType::kVec3d;
template <>
inline constexpr ValueType kValueTypeOf<Vec3f> = ValueType::kVec3f;
template <>
inline constexpr ValueType kValueTypeOf<Vec3h> = ValueType::kVec3h;
template <>
inline constexpr ValueType kValueTypeOf<Vec3i> = ValueType::kVec3i;
template <>
inline constexpr ValueType kValueTypeOf<Vec4d> = ValueType::kVec4d;
template <>
inline constexpr ValueType kValueTypeOf<Vec4f> = ValueType::kVec4f;
template <>
inline constexpr ValueType kValueTypeOf<Vec4h> = ValueType::kVec4h;
template <>
inline constexpr ValueType kValueTypeOf<Vec4i> = ValueType::kVec4i;

/// Calls f(T{}) with the C++ type of a kind that has arrays; such a kind must be given.
template <class F>
auto WithElementType(ValueType type, F&& f) {
  switch (type) {
    case ValueType::kBool:
      return f(bool{});
    case ValueType::kUChar:
      return f(std::uint8_t{});
    case ValueType::kUInt:
      return f(std::uint32_t{});
    case ValueType::kInt64:
      return f(std::int64_t{});
    case ValueType::kUInt64:
      return f(std::uint64_t{});
    case ValueType::kHalf:
      return f(Half{});
    case ValueType::kFloat:
      return f(float{});
    case ValueType::kDouble:
      return f(double{});
    case ValueType::kTimeCode:
      return f(TimeCode{});
    case ValueType::kString:
      return f(String{});
    case ValueType::kToken:
      return f(Token{});
    case ValueType::kAsset:
      return f(AssetPath{});
    case ValueType::kPathExpression:
      return f(PathExpression{});
    case ValueType::kMatrix2d:
      return f(RowMatrix2d{});
    case ValueType::kMatrix3d:
      return f(RowMatrix3d{});
    case ValueType::kMatrix4d:
      return f(RowMatrix4d{});
    case ValueType::kQuatd:
      return f(Quatd{});
    case ValueType::kQuatf:
      return f(Quatf{});
    case ValueType::kQuath:
      return f(Quath{});
    case ValueType::kVec2d:
      return f(Vec2d{});
    case ValueType::kVec2f:
      return f(Vec2f{});
    case ValueType::kVec2h:
      return f(Vec2h{});
    case ValueType::kVec2i:
      return f(Vec2i{});
    case ValueType::kVec3d:
      return f(Vec3d{});
    case ValueType::kVec3f:
      return f(Vec3f{});
    case ValueType::kVec3h:
      return f(Vec3h{});
    case ValueType::kVec3i:
      return f(Vec3i{});
    case ValueType::kVec4d:
      return f(Vec4d{});
    case ValueType::kVec4f:
      return f(Vec4f{});
    case ValueType::kVec4h:
      return f(Vec4h{});
    case ValueType::kVec4i:
      return f(Vec4i{});
    default:
      return f(std::int32_t{});
  }
}

/// The type that an attribute is declared with.
struct TypeName {
  std::string_view name;  ///< without "[]"; old spellings ("Vec3f") give the present one
  ValueType type = ValueType::kNone;
  std::string_view role;  ///< "Point", "Color", "" …
  bool is_array = false;
};
/// By its name as declared: "point3f[]". Nothing for names that are unknown, and for "opaque" and
/// "group", which have no values.
std::optional<TypeName> FindTypeName(std::string_view name);

}  // namespace flexor::io::usd
