/// @file io/gltf/skins.h
/// Skins, raw to asset.
#pragma once

#include <cstdint>

#include "flexor/asset/skin.h"
#include "flexor/core/diagnostic.h"
#include "flexor/core/memory_budget.h"
#include "flexor/core/result.h"

#include "io/gltf/accessor.h"
#include "io/gltf/raw.h"

namespace flexor::io::gltf {

/// An affine matrix out of 16 numbers, column by column. `place` is for errors.
/// Errors  kInvalidValue (the fourth row is not 0 0 0 1; says so when it looks transposed)
Result<Mat34d> AffineMatrix(const double (&m)[16], const std::string& place,
                            const std::string& what);

/// Converts skin `index`. Inverse bind matrices are taken as they are; none, or an
/// accessor without data, means the identity for every joint.
/// Errors  kInvalidValue (type, format, not affine, not finite) · kShapeMismatch (fewer matrices
///         than joints)
Result<asset::Skin> ConvertSkin(const RawDocument& document, std::uint32_t index,
                                AccessorReader& accessors, MemoryBudget& budget,
                                Diagnostics& diagnostics);

}  // namespace flexor::io::gltf
