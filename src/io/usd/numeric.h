/// @file io/usd/numeric.h
/// Numbers of values, whatever width they were stored in.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "flexor/math/mat.h"
#include "flexor/math/quat.h"
#include "flexor/math/vec.h"

#include "io/usd/value.h"

namespace flexor::io::usd {

/// A scalar of any numeric kind with one number; nothing for other values.
std::optional<double> AsNumber(const Value& value);
/// Three reals or whole numbers.
std::optional<Vec3d> AsVec3(const Value& value);
/// A quaternion, not made unit.
std::optional<Quatd> AsQuat(const Value& value);
/// A 4x4 matrix for row vectors as the affine matrix for column vectors; its last column is not
/// looked at.
std::optional<Mat34d> AsMatrix(const Value& value);
Mat34d ToMat34(const RowMatrix4d& matrix);
/// Whether the last column is 0 0 0 1 within rounding.
bool IsAffine(const RowMatrix4d& matrix);

/// Arrays, converted from other widths; nothing when the elements have another number of
/// components, or the value is no array. Whole numbers come from whole numbers only.
std::optional<std::vector<float>> AsFloats(const Value& value);
std::optional<std::vector<Vec2f>> AsVec2fs(const Value& value);
std::optional<std::vector<Vec3f>> AsVec3fs(const Value& value);
std::optional<std::vector<Quatf>> AsQuatfs(const Value& value);
std::optional<std::vector<std::int32_t>> AsInts(const Value& value);
std::optional<std::vector<Mat34d>> AsMatrices(const Value& value);
/// Texts of a token or string array.
std::optional<std::vector<Token>> AsTokens(const Value& value);

}  // namespace flexor::io::usd
