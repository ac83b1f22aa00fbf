#include "io/usd/value_type.h"

#include <algorithm>

namespace flexor::io::usd {
namespace {

using enum Component;
using T = ValueType;

constexpr ValueTypeInfo kInfos[] = {
    {"nothing", kNotNumeric, 0, 0},
    {"None", kNotNumeric, 0, 0},
    {"bool", kInteger, 1, 1},
    {"uchar", kInteger, 1, 1},
    {"int", kInteger, 1, 4},
    {"uint", kInteger, 1, 4},
    {"int64", kInteger, 1, 8},
    {"uint64", kInteger, 1, 8},
    {"half", kHalf, 1, 2},
    {"float", kFloat, 1, 4},
    {"double", kDouble, 1, 8},
    {"timecode", kDouble, 1, 8},
    {"string", kNotNumeric, 0, sizeof(Token)},
    {"token", kNotNumeric, 0, sizeof(Token)},
    {"asset", kNotNumeric, 0, sizeof(Token)},
    {"pathExpression", kNotNumeric, 0, sizeof(Token)},
    {"matrix2d", kDouble, 4, 32},
    {"matrix3d", kDouble, 9, 72},
    {"matrix4d", kDouble, 16, 128},
    {"quatd", kDouble, 4, 32},
    {"quatf", kFloat, 4, 16},
    {"quath", kHalf, 4, 8},
    {"double2", kDouble, 2, 16},
    {"float2", kFloat, 2, 8},
    {"half2", kHalf, 2, 4},
    {"int2", kInteger, 2, 8},
    {"double3", kDouble, 3, 24},
    {"float3", kFloat, 3, 12},
    {"half3", kHalf, 3, 6},
    {"int3", kInteger, 3, 12},
    {"double4", kDouble, 4, 32},
    {"float4", kFloat, 4, 16},
    {"half4", kHalf, 4, 8},
    {"int4", kInteger, 4, 16},
    {"dictionary", kNotNumeric, 0, 0},
    {"list edits of tokens", kNotNumeric, 0, 0},
    {"list edits of strings", kNotNumeric, 0, 0},
    {"list edits of ints", kNotNumeric, 0, 0},
    {"list edits of int64s", kNotNumeric, 0, 0},
    {"list edits of uints", kNotNumeric, 0, 0},
    {"list edits of uint64s", kNotNumeric, 0, 0},
    {"permission", kNotNumeric, 0, 0},
    {"text of an unknown key", kNotNumeric, 0, 0},
    {"a kind that is not read", kNotNumeric, 0, 0},
};
static_assert(std::size(kInfos) == static_cast<std::size_t>(T::kUnsupported) + 1);

struct Spelling {
  std::string_view spelling;
  TypeName means;
};

// In alphabetical order of spellings.
constexpr Spelling kSpellings[] = {
    {"Color", {"color3d", T::kVec3d, "Color"}},
    {"ColorFloat", {"color3f", T::kVec3f, "Color"}},
    {"EdgeIndex", {"EdgeIndex", T::kInt, "EdgeIndex"}},
    {"FaceIndex", {"FaceIndex", T::kInt, "FaceIndex"}},
    {"Frame", {"frame4d", T::kMatrix4d, "Frame"}},
    {"Matrix2d", {"matrix2d", T::kMatrix2d, ""}},
    {"Matrix3d", {"matrix3d", T::kMatrix3d, ""}},
    {"Matrix4d", {"matrix4d", T::kMatrix4d, ""}},
    {"Normal", {"normal3d", T::kVec3d, "Normal"}},
    {"NormalFloat", {"normal3f", T::kVec3f, "Normal"}},
    {"Point", {"point3d", T::kVec3d, "Point"}},
    {"PointFloat", {"point3f", T::kVec3f, "Point"}},
    {"PointIndex", {"PointIndex", T::kInt, "PointIndex"}},
    {"Quatd", {"quatd", T::kQuatd, ""}},
    {"Quatf", {"quatf", T::kQuatf, ""}},
    {"Quath", {"quath", T::kQuath, ""}},
    {"Transform", {"Transform", T::kMatrix4d, "Transform"}},
    {"Vec2d", {"double2", T::kVec2d, ""}},
    {"Vec2f", {"float2", T::kVec2f, ""}},
    {"Vec2h", {"half2", T::kVec2h, ""}},
    {"Vec2i", {"int2", T::kVec2i, ""}},
    {"Vec3d", {"double3", T::kVec3d, ""}},
    {"Vec3f", {"float3", T::kVec3f, ""}},
    {"Vec3h", {"half3", T::kVec3h, ""}},
    {"Vec3i", {"int3", T::kVec3i, ""}},
    {"Vec4d", {"double4", T::kVec4d, ""}},
    {"Vec4f", {"float4", T::kVec4f, ""}},
    {"Vec4h", {"half4", T::kVec4h, ""}},
    {"Vec4i", {"int4", T::kVec4i, ""}},
    {"Vector", {"vector3d", T::kVec3d, "Vector"}},
    {"VectorFloat", {"vector3f", T::kVec3f, "Vector"}},
    {"asset", {"asset", T::kAsset, ""}},
    {"bool", {"bool", T::kBool, ""}},
    {"color3d", {"color3d", T::kVec3d, "Color"}},
    {"color3f", {"color3f", T::kVec3f, "Color"}},
    {"color3h", {"color3h", T::kVec3h, "Color"}},
    {"color4d", {"color4d", T::kVec4d, "Color"}},
    {"color4f", {"color4f", T::kVec4f, "Color"}},
    {"color4h", {"color4h", T::kVec4h, "Color"}},
    {"double", {"double", T::kDouble, ""}},
    {"double2", {"double2", T::kVec2d, ""}},
    {"double3", {"double3", T::kVec3d, ""}},
    {"double4", {"double4", T::kVec4d, ""}},
    {"float", {"float", T::kFloat, ""}},
    {"float2", {"float2", T::kVec2f, ""}},
    {"float3", {"float3", T::kVec3f, ""}},
    {"float4", {"float4", T::kVec4f, ""}},
    {"frame4d", {"frame4d", T::kMatrix4d, "Frame"}},
    {"half", {"half", T::kHalf, ""}},
    {"half2", {"half2", T::kVec2h, ""}},
    {"half3", {"half3", T::kVec3h, ""}},
    {"half4", {"half4", T::kVec4h, ""}},
    {"int", {"int", T::kInt, ""}},
    {"int2", {"int2", T::kVec2i, ""}},
    {"int3", {"int3", T::kVec3i, ""}},
    {"int4", {"int4", T::kVec4i, ""}},
    {"int64", {"int64", T::kInt64, ""}},
    {"matrix2d", {"matrix2d", T::kMatrix2d, ""}},
    {"matrix3d", {"matrix3d", T::kMatrix3d, ""}},
    {"matrix4d", {"matrix4d", T::kMatrix4d, ""}},
    {"normal3d", {"normal3d", T::kVec3d, "Normal"}},
    {"normal3f", {"normal3f", T::kVec3f, "Normal"}},
    {"normal3h", {"normal3h", T::kVec3h, "Normal"}},
    {"pathExpression", {"pathExpression", T::kPathExpression, ""}},
    {"point3d", {"point3d", T::kVec3d, "Point"}},
    {"point3f", {"point3f", T::kVec3f, "Point"}},
    {"point3h", {"point3h", T::kVec3h, "Point"}},
    {"quatd", {"quatd", T::kQuatd, ""}},
    {"quatf", {"quatf", T::kQuatf, ""}},
    {"quath", {"quath", T::kQuath, ""}},
    {"string", {"string", T::kString, ""}},
    {"texCoord2d", {"texCoord2d", T::kVec2d, "TextureCoordinate"}},
    {"texCoord2f", {"texCoord2f", T::kVec2f, "TextureCoordinate"}},
    {"texCoord2h", {"texCoord2h", T::kVec2h, "TextureCoordinate"}},
    {"texCoord3d", {"texCoord3d", T::kVec3d, "TextureCoordinate"}},
    {"texCoord3f", {"texCoord3f", T::kVec3f, "TextureCoordinate"}},
    {"texCoord3h", {"texCoord3h", T::kVec3h, "TextureCoordinate"}},
    {"timecode", {"timecode", T::kTimeCode, ""}},
    {"token", {"token", T::kToken, ""}},
    {"uchar", {"uchar", T::kUChar, ""}},
    {"uint", {"uint", T::kUInt, ""}},
    {"uint64", {"uint64", T::kUInt64, ""}},
    {"vector3d", {"vector3d", T::kVec3d, "Vector"}},
    {"vector3f", {"vector3f", T::kVec3f, "Vector"}},
    {"vector3h", {"vector3h", T::kVec3h, "Vector"}},
};
static_assert(std::ranges::is_sorted(kSpellings, {}, &Spelling::spelling));

}  // namespace

const ValueTypeInfo& Info(ValueType type) { return kInfos[static_cast<std::size_t>(type)]; }

std::optional<TypeName> FindTypeName(std::string_view name) {
  const bool is_array = name.ends_with("[]");
  if (is_array) name.remove_suffix(2);
  const auto* found = std::ranges::lower_bound(kSpellings, name, {}, &Spelling::spelling);
  if (found == std::end(kSpellings) || found->spelling != name) return std::nullopt;
  TypeName result = found->means;
  result.is_array = is_array;
  return result;
}

}  // namespace flexor::io::usd
